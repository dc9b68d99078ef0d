//! GMAC and VMAC, for C.

use parcrypt_cpu::Request;
use parcrypt_mac::{Error, Gmac, Vmac64, Vmac128};

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

fn no_such_tag(length: usize) -> Failure {
    Failure::new(Status::LENGTH, format!("tag: {length} bytes, VMAC has tags of 8 and of 16"))
}

exported!(|caller| {
    fn parcrypt_gmac(
        runtime: runtime, key: bytes(key_length), nonce: bytes(nonce_length),
        message: bytes(message_length), tag: out(u8; TAG)
    ) {
        tag.write(&Gmac::new(Request::Auto, key)?.tag(runtime, nonce, message)?);
    }

    fn parcrypt_verify_gmac(
        runtime: runtime, key: bytes(key_length), nonce: bytes(nonce_length),
        message: bytes(message_length), tag: bytes(tag_length), ok: flag
    ) {
        ok.write(&[Gmac::new(Request::Auto, key)?.verify(runtime, nonce, message, tag)?]);
    }

    fn parcrypt_vmac(
        runtime: runtime, key: bytes(key_length), nonce: bytes(nonce_length),
        message: bytes(message_length), tag: room(tag_length)
    ) {
        match tag_length {
            SHORT_TAG => tag.write(&Vmac64::new(Request::Auto, key)?.tag(runtime, nonce, message)?),
            TAG => tag.write(&Vmac128::new(Request::Auto, key)?.tag(runtime, nonce, message)?),
            _ => return Err(no_such_tag(tag_length)),
        }
    }

    fn parcrypt_verify_vmac(
        runtime: runtime, key: bytes(key_length), nonce: bytes(nonce_length),
        message: bytes(message_length), tag: bytes(tag_length), ok: flag
    ) {
        let verified = match tag_length {
            SHORT_TAG => Vmac64::new(Request::Auto, key)?.verify(runtime, nonce, message, tag)?,
            TAG => Vmac128::new(Request::Auto, key)?.verify(runtime, nonce, message, tag)?,
            _ => return Err(no_such_tag(tag_length)),
        };
        ok.write(&[verified]);
    }
});
