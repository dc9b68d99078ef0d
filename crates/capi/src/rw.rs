//! Rabin-Williams signatures, for C.

use std::ffi::{CStr, c_char};

use parcrypt_cpu::Request;
use parcrypt_rw::{Error, PublicKey, SecretKey};

use crate::memory::{Caller, list};
use crate::status::{Failure, Status};

/// The header's `parcrypt_rw_secret_key`.
pub struct RwSecretKey(SecretKey);

/// The header's `parcrypt_rw_public_key`.
pub struct RwPublicKey(PublicKey);

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::Backend(_) => Status::BACKEND,
            Error::Bits { .. } => Status::PARAMETER,
            Error::SignatureLength { .. } => Status::LENGTH,
            Error::ModulusResidue { .. }
            | Error::PrimeBits { .. }
            | Error::PrimeResidue { .. }
            | Error::Composite { .. }
            | Error::PrimesTooClose
            | Error::ModulusMismatch
            | Error::Version { .. }
            | Error::Der(_)
            | Error::Pem(_)
            | Error::Label { .. } => Status::KEY,
            _ => Status::INTERNAL,
        };
        Failure::new(status, error.to_string())
    }
}

/// Returns the failure of a key that was read: sizes of a modulus are a property of the key.
fn of_key(error: Error) -> Failure {
    let Failure { status, message } = error.into();
    Failure::new(if status == Status::PARAMETER { Status::KEY } else { status }, message)
}

/// Returns a text of the caller as UTF-8.
fn utf8(pem: &CStr) -> Result<&str, Failure> {
    pem.to_str().map_err(|error| Failure::new(Status::KEY, format!("PEM: {error}")))
}

/// Writes the size of a text with its zero byte, and the text if it has room.
fn write_text(
    caller: &Caller,
    text: &str,
    pem: *mut c_char,
    capacity: usize,
    size: *mut usize,
) -> Result<(), Failure> {
    let needed = text.len() + 1;
    let size = caller.output("size", size, 1)?;
    if capacity < needed {
        size.write(&[needed]);
        let message = format!("pem: {capacity} bytes, there must be {needed}");
        return Err(Failure::new(Status::LENGTH, message));
    }
    let out = caller.output("pem", pem.cast::<u8>(), needed)?;
    size.write(&[needed]);
    out.write_at(0, text.as_bytes());
    out.write_at(text.len(), &[0]);
    Ok(())
}

/// Returns the messages of these lengths, which follow each other.
fn messages<'a>(mut rest: &'a [u8], lengths: &[usize]) -> Result<Vec<&'a [u8]>, Failure> {
    let mut all = list("messages", std::iter::repeat_n(&[][..], lengths.len()))?;
    for (index, (message, &length)) in all.iter_mut().zip(lengths).enumerate() {
        let split = rest.split_at_checked(length);
        let missing =
            || Failure::new(Status::LENGTH, format!("messages: they end before message {index} does"));
        (*message, rest) = split.ok_or_else(missing)?;
    }
    if !rest.is_empty() {
        let message = format!("messages: {} bytes follow the last one", rest.len());
        return Err(Failure::new(Status::LENGTH, message));
    }
    Ok(all)
}

exported!(|caller| {
    fn parcrypt_rw_generate(runtime: runtime, bits: usize, key: slot(RwSecretKey)) {
        // The generator below panics if the system has no random bytes.
        getrandom::fill(&mut [0])
            .map_err(|error| Failure::new(Status::INTERNAL, format!("no random bytes: {error}")))?;
        let mut rng = rand_core::UnwrapErr(rand_core::OsRng);
        key.give(RwSecretKey(SecretKey::generate(runtime, Request::Auto, bits, &mut rng)?));
    }

    fn parcrypt_rw_secret_key_from_pem(runtime: runtime, pem: text, key: slot(RwSecretKey)) {
        key.give(RwSecretKey(SecretKey::from_pem(runtime, Request::Auto, utf8(pem)?).map_err(of_key)?));
    }

    fn parcrypt_rw_secret_key_to_pem(
        key: handle(RwSecretKey),
        pem: *mut c_char,
        capacity: usize,
        size: *mut usize,
    ) {
        write_text(caller, &key.0.to_pem()?, pem, capacity, size)?
    }

    fn parcrypt_rw_secret_key_free(key: *mut RwSecretKey) -> () {
        caller.free(key)
    }

    fn parcrypt_rw_public_key_of(secret: handle(RwSecretKey), key: slot(RwPublicKey)) {
        key.give(RwPublicKey(secret.0.public().clone()));
    }

    fn parcrypt_rw_public_key_from_pem(pem: text, key: slot(RwPublicKey)) {
        key.give(RwPublicKey(PublicKey::from_pem(utf8(pem)?).map_err(of_key)?));
    }

    fn parcrypt_rw_public_key_to_pem(
        key: handle(RwPublicKey),
        pem: *mut c_char,
        capacity: usize,
        size: *mut usize,
    ) {
        write_text(caller, &key.0.to_pem()?, pem, capacity, size)?
    }

    fn parcrypt_rw_public_key_free(key: *mut RwPublicKey) -> () {
        caller.free(key)
    }

    fn parcrypt_rw_signature_length(key: *const RwPublicKey) -> usize {
        caller.handle("key", key).map_or(0, |key| key.0.signature_len())
    }

    fn parcrypt_rw_sign_many(
        runtime: runtime,
        key: handle(RwSecretKey),
        messages_bytes: bytes(messages_length),
        message_lengths: *const usize,
        signatures: *mut u8,
        signatures_length: usize,
        count: usize,
    ) {
        let RwSecretKey(key) = key;
        let messages = messages(messages_bytes, caller.input("message_lengths", message_lengths, count)?)?;
        let size = key.public().signature_len();
        let out = caller.many_outputs("signatures", signatures, signatures_length, count, size)?;
        // One message is signed on all threads, several each on one.
        let signed = match &messages[..] {
            [message] => vec![key.sign(runtime, message)?],
            messages => key.sign_many(runtime, messages)?,
        };
        signed.iter().enumerate().for_each(|(index, signature)| out.write_item(index, Some(signature)));
    }

    fn parcrypt_rw_verify_many(
        runtime: runtime,
        key: handle(RwPublicKey),
        messages_bytes: bytes(messages_length),
        message_lengths: *const usize,
        signatures: *const u8,
        signatures_length: usize,
        ok: *mut bool,
        count: usize,
    ) {
        let RwPublicKey(key) = key;
        let messages = messages(messages_bytes, caller.input("message_lengths", message_lengths, count)?)?;
        let size = key.signature_len();
        let signatures = caller.many_items("signatures", signatures, signatures_length, count, size)?;
        let ok = caller.output("ok", ok, count)?;
        let pairs = list("pairs", messages.into_iter().zip(signatures))?;
        ok.write(&key.verify_many(runtime, &pairs)?);
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_of_their_lengths() {
        let divided = |length: usize, lengths: &[usize]| {
            messages(&b"onethree"[..length], lengths).map_err(|failure| (failure.status, failure.message))
        };
        assert_eq!(divided(8, &[3, 0, 5]).as_deref(), Ok(&[&b"one"[..], b"", b"three"][..]));
        assert_eq!(divided(0, &[]).as_deref(), Ok(&[][..]));
        let refused = |length, lengths: &[usize], says: &str| {
            let failure = divided(length, lengths).expect_err("lengths that do not match");
            assert!(failure.0 == Status::LENGTH && failure.1.contains(says), "{failure:?}");
        };
        refused(8, &[3, 0, 4], "1 bytes follow");
        refused(8, &[3, 0], "5 bytes follow");
        refused(8, &[], "8 bytes follow");
        refused(8, &[3, 6], "before message 1");
        refused(8, &[usize::MAX, 3], "before message 0");
    }
}
