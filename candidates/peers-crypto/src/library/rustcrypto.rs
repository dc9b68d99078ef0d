//! The crate scrypt of RustCrypto.

use rayon::ThreadPoolBuilder;

use super::{Cost, Failure, Library, Scrypt};

const NAME: &str = "RustCrypto";

pub(super) fn library() -> Library {
    Library {
        name: NAME,
        version: env!("VERSION_OF_SCRYPT").to_owned(),
        scrypt: Some(derive),
        scrypt_runtime: Some("rayon"),
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
