//! Trusted setups and tables.

use std::fmt;
use std::sync::Arc;

use parcrypt_kzg::{Request, Settings};
use parcrypt_runtime::Serial;

/// Tables for proofs.
#[derive(Clone, Copy, Debug)]
pub enum UsePrecomp {
    /// With tables, which take at most the memory of the original's for this width: 96 MiB for 8. The largest useful
    /// ones take 34 MiB.
    Yes {
        /// Width of windows in bits.
        width: usize,
    },
    /// Without tables.
    No,
}

/// A trusted setup. Setups are equal where their points are.
pub struct TrustedSetup {
    pub(crate) settings: Arc<Settings>,
}

impl fmt::Debug for TrustedSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TrustedSetup").field(&format_args!("{}", self.settings)).finish()
    }
}

impl PartialEq for TrustedSetup {
    fn eq(&self, other: &Self) -> bool {
        self.settings.digest() == other.settings.digest()
    }
}

impl Eq for TrustedSetup {}

impl Default for TrustedSetup {
    /// Returns the setup of Ethereum's mainnet.
    fn default() -> Self {
        TrustedSetup::from(Settings::mainnet(Request::Auto))
    }
}

impl From<Result<Settings, parcrypt_kzg::Error>> for TrustedSetup {
    /// Returns the setup of settings. The API has no error here, and the original ends by a panic too.
    fn from(settings: Result<Settings, parcrypt_kzg::Error>) -> Self {
        match settings {
            Ok(settings) => TrustedSetup { settings: Arc::new(settings) },
            Err(why) => panic!("the trusted setup was refused: {why}"),
        }
    }
}

impl TrustedSetup {
    /// Returns the setup in the JSON of the consensus specifications, with the lists `g1_monomial`, `g1_lagrange` and
    /// `g2_monomial`.
    ///
    /// # Panics
    /// For other text, as in the original, and for points that are not the powers of one secret.
    pub fn from_json(json: &str) -> Self {
        TrustedSetup::from(Settings::from_json(&Serial, Request::Auto, json))
    }

    /// Returns the setup in JSON, all of whose points are checked here too.
    ///
    /// # Panics
    /// As [`TrustedSetup::from_json`].
    pub fn from_json_unchecked(json: &str) -> Self {
        TrustedSetup::from_json(json)
    }
}
