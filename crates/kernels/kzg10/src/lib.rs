//! KZG polynomial commitments on BLS12-381 at any size: commitments, proofs and recovery over
//! [`Fr`](parcrypt_bls12_381::Fr) and [`G1`](parcrypt_bls12_381::G1).
//!
//! ```
//! use parcrypt_bls12_381::{Fr, Request};
//! use parcrypt_kzg10::{FftSettings, KzgSettings, Polynomial, PowersOfTau};
//! use parcrypt_runtime::Serial;
//!
//! // A public secret proves nothing: for examples and tests only.
//! let powers = PowersOfTau::insecure(&Serial, Fr::from(1927), 8, 8);
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
//! | transforms; the extension and the recovery of samples | [`FftSettings`] |
//! | a polynomial by its coefficients or its values | [`Polynomial`] |
//! | commitment, proofs at one point and on a coset, their checks | [`KzgSettings`] |
//! | all proofs at once | [`Fk20`] |

mod fft;
mod fk20;
mod proofs;

use parcrypt_bls12_381 as bls;

pub use fft::{FftSettings, Polynomial};
pub use fk20::Fk20;
pub use proofs::{KzgSettings, PowersOfTau};

/// Reason why an input was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each field is in its variant's text")]
pub enum Error {
    /// A length is not a power of two up to the maximum, or there is no memory or no backend for it.
    #[error(transparent)]
    Bls(#[from] bls::Error),
    /// 0 as the shift of a coset.
    #[error("0 cannot shift a coset")]
    ZeroFactor,
    /// The setup has too few powers of its secret.
    #[error("{needed} powers of the secret are needed in {group}, the setup has {got}")]
    SetupTooShort { group: &'static str, needed: usize, got: usize },
    /// A polynomial has more coefficients than the maximum.
    #[error("{len} coefficients: at most {most} were prepared for")]
    TooManyCoefficients { len: usize, most: usize },
    /// Too many samples are missing.
    #[error("{missing} samples are missing: at most {most} may be")]
    TooManyMissing { missing: usize, most: usize },
    /// The samples are not the values of one polynomial of a degree below half their number, `bound`.
    #[error("the samples do not lie on one polynomial of degree below {bound}")]
    Inconsistent { bound: usize },
}

/// Checks that a length is a power of two up to `most`.
fn check_len(len: usize, most: usize) -> Result<(), Error> {
    let fits = len.is_power_of_two() && len <= most;
    if fits { Ok(()) } else { Err(bls::Error::Length { len, most }.into()) }
}
