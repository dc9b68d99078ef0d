//! OpenSSL of the system.

use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;
use openssl::error::ErrorStack;
use openssl::{pkcs5, version};

use super::{Cost, Failure, Gmac, Library, Scrypt, TAG};

const NAME: &str = "OpenSSL";

fn failed(errors: ErrorStack) -> Failure {
    Failure::new(NAME, errors)
}

pub(super) fn library() -> Library {
    // "OpenSSL 3.0.17 1 Jul 2025"
    let version = version::version().split(' ').nth(1).unwrap_or_default().to_owned();
    Library { name: NAME, version, scrypt: Some(derive), gmac: Some(gmac), ..Library::default() }
}

fn derive(cost: Cost, _: usize) -> Result<Scrypt, Failure> {
    Ok(Box::new(move |password, salt, derived| {
        let (n, r, p) = (1 << cost.log_n, cost.r.into(), cost.p.into());
        // More than any machine has; 0 would mean 32 MiB.
        pkcs5::scrypt(password, salt, n, r, p, 1 << 62, derived).map_err(failed)
    }))
}

fn gmac(key: &[u8]) -> Result<Option<Gmac>, Failure> {
    let cipher = match key.len() {
        16 => Cipher::aes_128_gcm(),
        24 => Cipher::aes_192_gcm(),
        _ => Cipher::aes_256_gcm(),
    };
    let mut context = CipherCtx::new().map_err(failed)?;
    context.encrypt_init(Some(cipher), Some(key), None).map_err(failed)?;
    Ok(Some(Box::new(move |nonce, message, tag| {
        context.encrypt_init(None, None, Some(nonce)).map_err(failed)?;
        context.cipher_update(message, None).map_err(failed)?;
        context.cipher_final(&mut [0; TAG]).map_err(failed)?;
        context.tag(tag).map_err(failed)
    })))
}
