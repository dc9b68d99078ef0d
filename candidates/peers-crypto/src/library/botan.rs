//! Botan of the system. Its functions in C have no nonce for GMAC before version 3, so the tag is that of GCM without
//! text, which is the same: the message is the associated data.
#![allow(unsafe_code, reason = "its functions are in C")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use super::{Failure, Gmac, Library, TAG};

const NAME: &str = "Botan";

/// `botan_cipher_t`.
type Handle = *mut c_void;

/// `BOTAN_CIPHER_UPDATE_FLAG_FINAL`.
const FINAL: u32 = 1;

unsafe extern "C" {
    fn botan_version_string() -> *const c_char;
    fn botan_error_description(code: c_int) -> *const c_char;
    fn botan_cipher_init(cipher: *mut Handle, name: *const c_char, flags: u32) -> c_int;
    fn botan_cipher_set_key(cipher: Handle, key: *const u8, length: usize) -> c_int;
    fn botan_cipher_set_associated_data(cipher: Handle, data: *const u8, length: usize) -> c_int;
    fn botan_cipher_start(cipher: Handle, nonce: *const u8, length: usize) -> c_int;
    fn botan_cipher_update(
        cipher: Handle,
        flags: u32,
        output: *mut u8,
        output_length: usize,
        written: *mut usize,
        input: *const u8,
        input_length: usize,
        consumed: *mut usize,
    ) -> c_int;
    fn botan_cipher_destroy(cipher: Handle) -> c_int;
}

/// Returns an error for a code other than 0.
fn checked(code: c_int) -> Result<(), Failure> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: it gives a constant string for any number.
    let what = unsafe { CStr::from_ptr(botan_error_description(code)) };
    Err(Failure::new(NAME, what.to_string_lossy()))
}

pub(super) fn library() -> Library {
    // "Botan 2.19.3 (release, dated 20221116, …)"
    // SAFETY: it gives a constant string.
    let version = unsafe { CStr::from_ptr(botan_version_string()) }.to_string_lossy();
    let version = version.split(' ').nth(1).unwrap_or_default().to_owned();
    Library { name: NAME, version, gmac: Some(gmac), ..Library::default() }
}

/// A cipher with its key, for encryption.
struct Cipher(Handle);

// SAFETY: an object of Botan belongs to no thread; it must not be used by two at once, and this type is not Sync.
unsafe impl Send for Cipher {}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: `botan_cipher_init` made it, and it is not used any more.
        unsafe { botan_cipher_destroy(self.0) };
    }
}

impl Cipher {
    fn new(name: &CStr, key: &[u8]) -> Result<Self, Failure> {
        let mut cipher = Cipher(null_mut());
        // SAFETY: a place for the handle, and a string that ends with a zero byte; flag 0 is encryption.
        checked(unsafe { botan_cipher_init(&mut cipher.0, name.as_ptr(), 0) })?;
        // SAFETY: the handle of above, and a slice with its length.
        checked(unsafe { botan_cipher_set_key(cipher.0, key.as_ptr(), key.len()) })?;
        Ok(cipher)
    }

    fn tag(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), Failure> {
        let (mut written, mut consumed) = (0, 0);
        // SAFETY: the handle of `new`, and a slice with its length.
        checked(unsafe { botan_cipher_set_associated_data(self.0, message.as_ptr(), message.len()) })?;
        // SAFETY: as above.
        checked(unsafe { botan_cipher_start(self.0, nonce.as_ptr(), nonce.len()) })?;
        // SAFETY: as above; there is no input, and the two numbers have places.
        checked(unsafe {
            botan_cipher_update(
                self.0,
                FINAL,
                tag.as_mut_ptr(),
                tag.len(),
                &mut written,
                null(),
                0,
                &mut consumed,
            )
        })?;
        if written == TAG { Ok(()) } else { Err(Failure::new(NAME, format!("a tag of {written} bytes"))) }
    }
}

fn gmac(key: &[u8]) -> Result<Option<Gmac>, Failure> {
    let name = match key.len() {
        16 => c"AES-128/GCM",
        24 => c"AES-192/GCM",
        _ => c"AES-256/GCM",
    };
    let mut cipher = Cipher::new(name, key)?;
    Ok(Some(Box::new(move |nonce, message, tag| cipher.tag(nonce, message, tag))))
}
