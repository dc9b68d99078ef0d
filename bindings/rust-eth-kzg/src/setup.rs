//! Trusted setups and tables.

use std::fmt;
use std::sync::Arc;

use parcrypt_bls12_381::{Decomposition, Domain, G1};
use parcrypt_kzg::{Settings, TABLES};
use parcrypt_runtime::Serial;
use parcrypt_shadow::{LoadError, load};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Tables for proofs.
#[derive(Clone, Copy, Debug)]
pub enum UsePrecomp {
    /// With tables, as `docs/explanation/kzg.md#tables` has them for a `precompute` of this width.
    Yes {
        /// Width of windows in bits.
        width: usize,
    },
    /// Without tables.
    No,
}

/// A trusted setup. Setups are equal if their points are.
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
        TrustedSetup::from(load(Settings::mainnet))
    }
}

impl From<Result<Settings, LoadError>> for TrustedSetup {
    /// Returns the setup of settings. The API has no error here, and the original ends by a panic too.
    fn from(settings: Result<Settings, LoadError>) -> Self {
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
        TrustedSetup::from(load(|requests| Settings::from_json(&Serial, requests, json)))
    }

    /// Returns the setup in JSON, all of whose points are checked here too.
    ///
    /// # Panics
    /// As [`TrustedSetup::from_json`].
    pub fn from_json_unchecked(json: &str) -> Self {
        TrustedSetup::from_json(json)
    }
}

impl<'de> Deserialize<'de> for TrustedSetup {
    /// Reads the lists `g1_monomial` and `g2_monomial`, in which a point is the tuple of its compressed bytes. The
    /// Lagrange form is computed from the monomial form, in about a second.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "TrustedSetup")]
        struct Lists {
            g1_monomial: Vec<Point<48>>,
            g2_monomial: Vec<Point<96>>,
        }
        let Lists { g1_monomial, g2_monomial } = Lists::deserialize(deserializer)?;
        let g2_monomial: Vec<u8> = g2_monomial.iter().flat_map(|point| point.0).collect();
        let settings = from_monomial(&g1_monomial, &g2_monomial).map_err(D::Error::custom)?;
        Ok(TrustedSetup { settings: Arc::new(settings) })
    }
}

/// Returns the settings of a setup, whose points are checked.
fn from_monomial(g1_monomial: &[Point<48>], g2_monomial: &[u8]) -> Result<Settings, LoadError> {
    let points = g1_monomial.iter().map(|point| G1::from_compressed(&point.0));
    let points: Vec<G1> = points.collect::<Result<_, _>>().map_err(parcrypt_kzg::Error::Arithmetic)?;
    let scale = points.len().checked_ilog2().unwrap_or_default();
    // Lists of other lengths than a setup's are refused below.
    let mut lagrange = vec![G1::identity(); 1 << scale];
    let g1_monomial: Vec<u8> = g1_monomial.iter().flat_map(|point| point.0).collect();
    load(|requests| {
        let [fp, ..] = requests.for_tables(TABLES).map_err(parcrypt_bls12_381::Error::Backend)?;
        let domain = Domain::new(fp, scale)?;
        domain.inverse_fft(&Serial, Decomposition::Iterative, &points, &mut lagrange)?;
        let g1_lagrange = G1::compress_all(&lagrange).concat();
        Settings::from_ckzg_points(&Serial, requests, &g1_monomial, &g1_lagrange, g2_monomial, 0)
    })
}

/// The compressed bytes of a point.
struct Point<const N: usize>([u8; N]);

impl<'de, const N: usize> Deserialize<'de> for Point<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes<const N: usize>;

        impl<'de, const N: usize> Visitor<'de> for Bytes<N> {
            type Value = Point<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a tuple of {N} bytes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Point<N>, A::Error> {
                let mut bytes = [0; N];
                for (i, byte) in bytes.iter_mut().enumerate() {
                    *byte = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &self))?;
                }
                Ok(Point(bytes))
            }
        }

        deserializer.deserialize_tuple(N, Bytes)
    }
}
