//! libscrypt of the system.
#![allow(unsafe_code, reason = "its functions are in C")]

use std::ffi::c_int;

use super::{Cost, Failure, Library, Scrypt};

const NAME: &str = "libscrypt";

unsafe extern "C" {
    fn libscrypt_scrypt(
        password: *const u8,
        password_length: usize,
        salt: *const u8,
        salt_length: usize,
        n: u64,
        r: u32,
        p: u32,
        derived: *mut u8,
        derived_length: usize,
    ) -> c_int;
}

pub(super) fn library() -> Library {
    // The library has no function for its version.
    Library { name: NAME, version: String::new(), scrypt: Some(derive), ..Library::default() }
}

fn derive(cost: Cost, _: usize) -> Result<Scrypt, Failure> {
    Ok(Box::new(move |password, salt, derived| {
        // SAFETY: all pointers are those of slices, given with their lengths.
        let code = unsafe {
            libscrypt_scrypt(
                password.as_ptr(),
                password.len(),
                salt.as_ptr(),
                salt.len(),
                1 << cost.log_n,
                cost.r,
                cost.p,
                derived.as_mut_ptr(),
                derived.len(),
            )
        };
        if code == 0 { Ok(()) } else { Err(Failure::new(NAME, std::io::Error::last_os_error())) }
    }))
}
