//! The settings of Ethereum's mainnet.

use std::sync::{Arc, OnceLock};

use crate::KzgSettings;

/// Returns the settings of Ethereum's mainnet. They are made by the first call for a `precompute`, which
/// [`KzgSettings::load_trusted_setup`] describes.
///
/// # Panics
/// For a `precompute` above 15, as in c-kzg, and for an invalid `PARCRYPT_BACKEND` or `PARCRYPT_SHADOW`.
pub fn ethereum_kzg_settings(precompute: u64) -> &'static KzgSettings {
    shared(precompute)
}

/// Returns the settings of [`ethereum_kzg_settings`], to be shared.
///
/// # Panics
/// For a `precompute` above 15, as in c-kzg.
pub fn ethereum_kzg_settings_arc(precompute: u64) -> Arc<KzgSettings> {
    Arc::clone(shared(precompute))
}

fn shared(precompute: u64) -> &'static Arc<KzgSettings> {
    static SETTINGS: [OnceLock<Arc<KzgSettings>>; 16] = [const { OnceLock::new() }; 16];
    let settings = usize::try_from(precompute).ok().and_then(|index| SETTINGS.get(index));
    let Some(settings) = settings else {
        panic!("Unsupported precompute value: {precompute}. Only values 0-15 (inclusive) are supported.");
    };
    settings.get_or_init(|| match KzgSettings::mainnet(precompute) {
        Ok(settings) => Arc::new(settings),
        Err(why) => panic!("failed to load default trusted setup: {why}"),
    })
}
