//! scrypt, for C.

use parcrypt_cpu::Request;
use parcrypt_scrypt::{Error, Params, Scrypt};
use zeroize::Zeroizing;

use crate::memory::Caller;
use crate::runtime::Runtime;
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

/// Derives a key and writes it to the caller's memory.
fn derive(
    caller: &Caller,
    runtime: *const Runtime,
    params: Result<Params, Error>,
    max_memory: u64,
    [password, salt]: [(*const u8, usize); 2],
    (key, length): (*mut u8, usize),
) -> Result<(), Failure> {
    let rt = caller.handle("runtime", runtime)?.get();
    let params = params?;
    let password = caller.input("password", password.0, password.1)?;
    let salt = caller.input("salt", salt.0, salt.1)?;
    let out = caller.output("key", key, length)?;
    let mut derived = Zeroizing::new(Vec::new());
    let no_memory = |_| Failure::new(Status::MEMORY, format!("key: no memory for {length} bytes"));
    derived.try_reserve_exact(length).map_err(no_memory)?;
    derived.resize(length, 0);
    Scrypt::new(Request::Auto, max_memory)?.derive(rt, params, password, salt, &mut derived)?;
    out.write(&derived);
    Ok(())
}

exported!(|caller| {
    fn parcrypt_scrypt(
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
    ) -> Result<(), Failure> {
        let inputs = [(password, password_length), (salt, salt_length)];
        derive(caller, runtime, Params::new(n, r, p), max_memory, inputs, (key, key_length))
    }

    fn parcrypt_scrypt_allow_n_beyond_rfc(
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
    ) -> Result<(), Failure> {
        let inputs = [(password, password_length), (salt, salt_length)];
        derive(caller, runtime, Params::allow_n_beyond_rfc(n, r, p), max_memory, inputs, (key, key_length))
    }
});
