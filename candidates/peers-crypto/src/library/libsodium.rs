//! libsodium of the system.
#![allow(unsafe_code, reason = "its functions are in C")]

use std::ffi::{CStr, c_char, c_int};

use super::{Cost, Failure, Library, Scrypt};

const NAME: &str = "libsodium";

unsafe extern "C" {
    fn sodium_init() -> c_int;
    fn sodium_version_string() -> *const c_char;
    fn crypto_pwhash_scryptsalsa208sha256_ll(
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

pub(super) fn library() -> Result<Library, String> {
    // SAFETY: it takes nothing, may come again, and has to come before everything else; it finds out what the
    // processor has.
    if unsafe { sodium_init() } < 0 {
        return Err("libsodium cannot be initialised".to_owned());
    }
    // SAFETY: it gives a constant string.
    let version = unsafe { CStr::from_ptr(sodium_version_string()) };
    Ok(Library {
        name: NAME,
        version: version.to_string_lossy().into_owned(),
        scrypt: Some(derive),
        ..Library::default()
    })
}

fn derive(cost: Cost, _: usize) -> Result<Scrypt, Failure> {
    Ok(Box::new(move |password, salt, derived| {
        // SAFETY: all pointers are those of slices, given with their lengths.
        let code = unsafe {
            crypto_pwhash_scryptsalsa208sha256_ll(
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
