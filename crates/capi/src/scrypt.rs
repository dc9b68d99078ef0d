//! scrypt, for C.

use parcrypt_cpu::Request;
use parcrypt_runtime::Runtime;
use parcrypt_scrypt::{Error, Params, Scrypt};
use zeroize::Zeroizing;

use crate::memory::list;
use crate::status::{Failure, Status};

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::N { .. } | Error::NBeyondRfc { .. } | Error::BlocksAndLanes { .. } => Status::PARAMETER,
            Error::KeyLength { .. } => Status::LENGTH,
            Error::AddressSpace { .. } | Error::Memory { .. } | Error::Allocation { .. } => Status::MEMORY,
            Error::Backend(_) => Status::BACKEND,
            _ => Status::INTERNAL,
        };
        Failure::new(status, error.to_string())
    }
}

/// Returns a key of this length.
fn derive(
    rt: &dyn Runtime,
    params: Params,
    max_memory: u64,
    password: &[u8],
    salt: &[u8],
    length: usize,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let mut key = Zeroizing::new(list("key", std::iter::repeat_n(0, length))?);
    Scrypt::new(Request::Auto, max_memory)?.derive(rt, params, password, salt, &mut key)?;
    Ok(key)
}

exported!(|caller| {
    fn parcrypt_scrypt(
        runtime: runtime,
        n: u64,
        r: u32,
        p: u32,
        max_memory: u64,
        password: bytes(password_length),
        salt: bytes(salt_length),
        key: room(key_length),
    ) {
        key.write(&derive(runtime, Params::new(n, r, p)?, max_memory, password, salt, key_length)?);
    }

    fn parcrypt_scrypt_allow_n_beyond_rfc(
        runtime: runtime,
        n: u64,
        r: u32,
        p: u32,
        max_memory: u64,
        password: bytes(password_length),
        salt: bytes(salt_length),
        key: room(key_length),
    ) {
        let params = Params::allow_n_beyond_rfc(n, r, p)?;
        key.write(&derive(runtime, params, max_memory, password, salt, key_length)?);
    }
});
