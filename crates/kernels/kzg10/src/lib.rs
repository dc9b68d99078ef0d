//! KZG polynomial commitments on BLS12-381 at any size: commitments, proofs and recovery over
//! [`Fr`](parcrypt_bls12_381::Fr) and [`G1`](parcrypt_bls12_381::G1).
//!
//! ```
//! use parcrypt_bls12_381::{Fr, Request};
//! use parcrypt_kzg10::{FftSettings, KzgSettings, Polynomial, PowersOfTau};
//! use parcrypt_runtime::Serial;
//!
//! // A public secret proves nothing: for examples and tests only.
//! let powers = PowersOfTau::insecure(&Serial, Fr::from(1927), 8, 8)?;
//! let settings = KzgSettings::new(FftSettings::new(Request::Auto, 4)?, powers)?;
//! let p = Polynomial::new([1, 2, 3, 4].map(Fr::from).to_vec());
//! let commitment = settings.commit(&Serial, &p)?;
//!
//! let x = Fr::from(5);
//! let (proof, y) = settings.prove(&Serial, &p, x)?;
//! assert_eq!(y, Fr::from(1 + 2 * 5 + 3 * 25 + 4 * 125));
//! assert!(settings.check(&Serial, &commitment, x, y, &proof)?);
//! assert!(!settings.check(&Serial, &commitment, x, y + Fr::one(), &proof)?);
//! # Ok::<(), parcrypt_kzg10::Error>(())
//! ```
//!
//! It works with field elements and points instead of bytes, any number of coefficients instead of 4096, and a setup
//! of the caller's choice. The functions of EIP-4844 and EIP-7594, which fix these sizes, are in `parcrypt-kzg`. It
//! depends on `parcrypt-bls12-381` and `parcrypt-runtime` only. All inputs are public data: times depend on values.
//!
//! | what | where |
//! |---|---|
//! | roots of unity; the extension and the recovery of samples | [`FftSettings`] |
//! | a polynomial by its coefficients or its values | [`Polynomial`] |
//! | commitment, proofs at one point and on a coset, their checks | [`KzgSettings`] |
//! | all proofs at once | [`Fk20`] |

mod fft_settings;
mod fk20;
mod pieces;
mod polynomial;
mod powers;
mod proofs;
mod recovery;
mod vanishing;

use parcrypt_bls12_381 as bls;

pub use fft_settings::FftSettings;
pub use fk20::Fk20;
pub use polynomial::Polynomial;
pub use powers::PowersOfTau;
pub use proofs::KzgSettings;

/// Reason why an input was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The field has no such roots, or there is no memory for them.
    #[error(transparent)]
    Bls(#[from] bls::Error),
    /// A length that is not a power of two from `least` to `most`.
    #[error("length {len}: it must be a power of two from {least} to {most}")]
    Length {
        /// Length of the input.
        len: usize,
        /// Minimum length.
        least: usize,
        /// Maximum length.
        most: usize,
    },
    /// 0 as the shift of a coset.
    #[error("0 cannot shift a coset")]
    ZeroFactor,
    /// The setup has too few powers of its secret.
    #[error("{needed} powers of the secret are needed in {group}, the setup has {got}")]
    SetupTooShort {
        /// The group.
        group: Group,
        /// Number of powers that are needed.
        needed: usize,
        /// Number of powers of the setup.
        got: usize,
    },
    /// A polynomial has more coefficients than the maximum.
    #[error("{len} coefficients: at most {most} were prepared for")]
    TooManyCoefficients {
        /// Number of coefficients without trailing zeros.
        len: usize,
        /// Maximum number.
        most: usize,
    },
    /// Too many samples are missing.
    #[error("{missing} samples are missing: at most {most} may be")]
    TooManyMissing {
        /// Number of missing samples.
        missing: usize,
        /// Maximum number of missing samples.
        most: usize,
    },
    /// The samples are not the values of one polynomial of a degree below half their number.
    #[error("the samples do not lie on one polynomial of degree below {bound}")]
    Inconsistent {
        /// Half the number of samples.
        bound: usize,
    },
    /// No memory for a polynomial or a table.
    #[error("no memory for {bytes} bytes")]
    Memory {
        /// Bytes of the allocation.
        bytes: u64,
    },
}

/// One of the two groups of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The group of commitments and proofs.
    G1,
    /// The group of the setup's other powers.
    G2,
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Group::G1 => "G1",
            Group::G2 => "G2",
        })
    }
}
