//! The original rust_eth_kzg as a [`Kzg`] (feature `original`).
//!
//! Cargo has one package of a name among compatible versions, and an entry `[patch.crates-io]` replaces it everywhere.
//! So the original is version 0.9.1, which 0.10.0 does not replace. It shares blst with Parcrypt, one copy of it.

use original_library::{DASContext, TrustedSetup, UsePrecomp};
use parcrypt_kzg::{Error as KzgError, Request, Settings};

crate::eth_kzg_adaptor!(Original, original_library, "rust_eth_kzg 0.9.1");

impl Original {
    /// Returns the original for settings of mainnet's setup.
    ///
    /// # Errors
    /// [`KzgError::OtherSetup`] for another setup.
    pub fn from_setup_of(settings: &Settings) -> Result<Self, KzgError> {
        if settings.digest() != Settings::mainnet(Request::Auto)?.digest() {
            return Err(KzgError::OtherSetup);
        }
        Ok(Original(DASContext::new(&TrustedSetup::default(), UsePrecomp::No)))
    }
}
