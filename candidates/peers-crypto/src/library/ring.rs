//! ring.

use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

use super::{Failure, Gmac, Library};

const NAME: &str = "ring";

pub(super) fn library() -> Library {
    Library {
        name: NAME,
        version: env!("VERSION_OF_RING").to_owned(),
        gmac: Some(gmac),
        ..Library::default()
    }
}

fn gmac(key: &[u8]) -> Result<Option<Gmac>, Failure> {
    let algorithm = match key.len() {
        16 => &AES_128_GCM,
        32 => &AES_256_GCM,
        _ => return Ok(None),
    };
    let key = LessSafeKey::new(UnboundKey::new(algorithm, key).map_err(|e| Failure::new(NAME, e))?);
    Ok(Some(Box::new(move |nonce, message, tag| {
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let made = key.seal_in_place_separate_tag(nonce, Aad::from(message), &mut []);
        tag.copy_from_slice(made.map_err(|e| Failure::new(NAME, e))?.as_ref());
        Ok(())
    })))
}
