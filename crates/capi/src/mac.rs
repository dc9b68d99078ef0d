//! GMAC and VMAC, for C.

use parcrypt_cpu::Request;
use parcrypt_mac::{Error, Gmac, Vmac64, Vmac128};

use crate::memory::Caller;
use crate::runtime::Runtime;
use crate::status::{Failure, Status};

/// Bytes of a tag of GMAC, and of the longer tags of VMAC.
const TAG: usize = 16;
/// Bytes of the shorter tags of VMAC.
const SHORT_TAG: usize = 8;

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::Backend(_) => Status::BACKEND,
            Error::NonceTopBit => Status::PARAMETER,
            _ => Status::LENGTH,
        };
        Failure::new(status, error.to_string())
    }
}

/// Key, nonce and message of a call.
type Inputs<'a> = (&'a dyn parcrypt_runtime::Runtime, [&'a [u8]; 3]);

/// Returns the runtime, and key, nonce and message, the first arguments of all functions here.
fn inputs<'a>(
    caller: &'a Caller,
    runtime: *const Runtime,
    [key, nonce, message]: [(*const u8, usize); 3],
) -> Result<Inputs<'a>, Failure> {
    let rt = caller.handle("runtime", runtime)?.get();
    let key = caller.input("key", key.0, key.1)?;
    let nonce = caller.input("nonce", nonce.0, nonce.1)?;
    Ok((rt, [key, nonce, caller.input("message", message.0, message.1)?]))
}

fn no_such_tag(length: usize) -> Failure {
    Failure::new(Status::LENGTH, format!("tag: {length} bytes, VMAC has tags of 8 and of 16"))
}

exported!(|caller| {
    fn parcrypt_gmac(
        runtime: *const Runtime,
        key: *const u8,
        key_length: usize,
        nonce: *const u8,
        nonce_length: usize,
        message: *const u8,
        message_length: usize,
        tag: *mut u8,
    ) -> Result<(), Failure> {
        let given = [(key, key_length), (nonce, nonce_length), (message, message_length)];
        let (rt, [key, nonce, message]) = inputs(caller, runtime, given)?;
        let tag = caller.output("tag", tag, TAG)?;
        tag.write(&Gmac::new(Request::Auto, key)?.tag(rt, nonce, message)?);
        Ok(())
    }

    fn parcrypt_verify_gmac(
        runtime: *const Runtime,
        key: *const u8,
        key_length: usize,
        nonce: *const u8,
        nonce_length: usize,
        message: *const u8,
        message_length: usize,
        tag: *const u8,
        tag_length: usize,
        ok: *mut bool,
    ) -> Result<(), Failure> {
        let given = [(key, key_length), (nonce, nonce_length), (message, message_length)];
        let (rt, [key, nonce, message]) = inputs(caller, runtime, given)?;
        let tag = caller.input("tag", tag, tag_length)?;
        let ok = caller.output("ok", ok, 1)?;
        ok.write(&[Gmac::new(Request::Auto, key)?.verify(rt, nonce, message, tag)?]);
        Ok(())
    }

    fn parcrypt_vmac(
        runtime: *const Runtime,
        key: *const u8,
        key_length: usize,
        nonce: *const u8,
        nonce_length: usize,
        message: *const u8,
        message_length: usize,
        tag: *mut u8,
        tag_length: usize,
    ) -> Result<(), Failure> {
        let given = [(key, key_length), (nonce, nonce_length), (message, message_length)];
        let (rt, [key, nonce, message]) = inputs(caller, runtime, given)?;
        let out = caller.output("tag", tag, tag_length)?;
        match tag_length {
            SHORT_TAG => out.write(&Vmac64::new(Request::Auto, key)?.tag(rt, nonce, message)?),
            TAG => out.write(&Vmac128::new(Request::Auto, key)?.tag(rt, nonce, message)?),
            _ => return Err(no_such_tag(tag_length)),
        }
        Ok(())
    }

    fn parcrypt_verify_vmac(
        runtime: *const Runtime,
        key: *const u8,
        key_length: usize,
        nonce: *const u8,
        nonce_length: usize,
        message: *const u8,
        message_length: usize,
        tag: *const u8,
        tag_length: usize,
        ok: *mut bool,
    ) -> Result<(), Failure> {
        let given = [(key, key_length), (nonce, nonce_length), (message, message_length)];
        let (rt, [key, nonce, message]) = inputs(caller, runtime, given)?;
        let tag = caller.input("tag", tag, tag_length)?;
        let ok = caller.output("ok", ok, 1)?;
        let verified = match tag_length {
            SHORT_TAG => Vmac64::new(Request::Auto, key)?.verify(rt, nonce, message, tag)?,
            TAG => Vmac128::new(Request::Auto, key)?.verify(rt, nonce, message, tag)?,
            _ => return Err(no_such_tag(tag_length)),
        };
        ok.write(&[verified]);
        Ok(())
    }
});
