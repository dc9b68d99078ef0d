//! The crates scrypt and sha2 of RustCrypto.

use rayon::ThreadPoolBuilder;
use sha2::{Digest, Sha256};

use super::{Cost, Failure, Hash, Library, Scrypt};

const NAME: &str = "RustCrypto";

pub(super) fn library() -> Library {
    let version = format!("scrypt {}, sha2 {}", env!("VERSION_OF_SCRYPT"), env!("VERSION_OF_SHA2"));
    Library {
        name: NAME,
        version,
        scrypt: Some(derive),
        scrypt_runtime: Some("rayon"),
        sha256: Some(hash),
        ..Library::default()
    }
}

fn derive(cost: Cost, threads: usize) -> Result<Scrypt, Failure> {
    let params = scrypt::Params::new(cost.log_n, cost.r, cost.p).map_err(|e| Failure::new(NAME, e))?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| Failure::new(NAME, e))?;
    Ok(Box::new(move |password, salt, derived| {
        pool.install(|| scrypt::scrypt(password, salt, &params, derived)).map_err(|e| Failure::new(NAME, e))
    }))
}

fn hash() -> Hash {
    Box::new(|bytes, hash| {
        hash.copy_from_slice(&Sha256::digest(bytes));
        Ok(())
    })
}
