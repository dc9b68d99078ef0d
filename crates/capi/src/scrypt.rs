//! scrypt, for C.

use parcrypt_cpu::Request;
use parcrypt_scrypt::{Error, Params, Scrypt};
use zeroize::Zeroizing;

use crate::memory::Caller;
use crate::runtime::Runtime;
use crate::status::{Failure, Status, call};

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::N { .. } | Error::BlocksAndLanes { .. } => Status::PARAMETER,
            Error::KeyLength { .. } => Status::LENGTH,
            Error::AddressSpace { .. } | Error::Memory { .. } | Error::Allocation { .. } => Status::MEMORY,
            Error::Backend(_) => Status::BACKEND,
            _ => Status::INTERNAL,
        };
        Failure::new(status, error.to_string())
    }
}

/// See the header.
///
/// # Safety
/// Each pointer is null or points to what the header requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_scrypt(
    runtime: *const Runtime,
    n: u64,
    r: u32,
    p: u32,
    max_memory: u64,
    password: *const u8,
    password_length: usize,
    salt: *const u8,
    salt_length: usize,
    key: *mut u8,
    key_length: usize,
) -> Status {
    // SAFETY: the pointers are what the header says, by the promise above.
    let caller = unsafe { Caller::new() };
    call(|| {
        let rt = caller.handle("runtime", runtime)?.get();
        let params = Params::new(n, r, p)?;
        let password = caller.input("password", password, password_length)?;
        let salt = caller.input("salt", salt, salt_length)?;
        let out = caller.output("key", key, key_length)?;
        let mut derived = Zeroizing::new(Vec::new());
        let no_memory = |_| Failure::new(Status::MEMORY, format!("key: no memory for {key_length} bytes"));
        derived.try_reserve_exact(key_length).map_err(no_memory)?;
        derived.resize(key_length, 0);
        Scrypt::new(Request::Auto, max_memory)?.derive(rt, params, password, salt, &mut derived)?;
        out.write(&derived);
        Ok(())
    })
}
