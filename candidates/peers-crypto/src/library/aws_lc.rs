//! AWS-LC, by aws-lc-rs, and by aws-lc-sys for scrypt, which aws-lc-rs does not export.
#![allow(unsafe_code, reason = "scrypt is a function in C")]

use aws_lc_rs::aead::{AES_128_GCM, AES_192_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

use super::{Cost, Failure, Gmac, Library, Scrypt};

const NAME: &str = "aws-lc-rs";

pub(super) fn library() -> Library {
    Library {
        name: NAME,
        version: env!("VERSION_OF_AWS_LC_RS").to_owned(),
        scrypt: Some(derive),
        gmac: Some(gmac),
        ..Library::default()
    }
}

fn derive(cost: Cost, _: usize) -> Result<Scrypt, Failure> {
    Ok(Box::new(move |password, salt, derived| {
        // SAFETY: all pointers are those of slices, given with their lengths.
        let done = unsafe {
            aws_lc_sys::EVP_PBE_scrypt(
                password.as_ptr().cast(),
                password.len(),
                salt.as_ptr(),
                salt.len(),
                1 << cost.log_n,
                cost.r.into(),
                cost.p.into(),
                usize::MAX,
                derived.as_mut_ptr(),
                derived.len(),
            )
        };
        if done == 1 {
            Ok(())
        } else {
            Err(Failure::new(NAME, "EVP_PBE_scrypt refused (too little memory?)"))
        }
    }))
}

fn gmac(key: &[u8]) -> Result<Option<Gmac>, Failure> {
    let algorithm = match key.len() {
        16 => &AES_128_GCM,
        24 => &AES_192_GCM,
        _ => &AES_256_GCM,
    };
    let key = LessSafeKey::new(UnboundKey::new(algorithm, key).map_err(|e| Failure::new(NAME, e))?);
    Ok(Some(Box::new(move |nonce, message, tag| {
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let made = key.seal_in_place_separate_tag(nonce, Aad::from(message), &mut []);
        tag.copy_from_slice(made.map_err(|e| Failure::new(NAME, e))?.as_ref());
        Ok(())
    })))
}
