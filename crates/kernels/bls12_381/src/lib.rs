//! BLS12-381: the fields, the groups G1 and G2, the pairing, multi-scalar multiplication and the FFT over Fr and over
//! G1.
//!
//! ```
//! use parcrypt_bls12_381::{Decomposition, Domain, FixedMsm, Fr, G1, G1Affine, Request};
//! use parcrypt_runtime::Serial;
//!
//! // Values of 1 + 2X + 3X² + 4X³ at the fourth roots of unity.
//! let domain = Domain::new(Request::Auto, 2)?;
//! let polynomial = [1, 2, 3, 4].map(Fr::from);
//! let mut values = [Fr::zero(); 4];
//! domain.fft(&Serial, Decomposition::Iterative, &polynomial, &mut values)?;
//! assert_eq!(values[0], Fr::from(10));
//!
//! // A commitment to them by fixed points, with tables of at most 1 MiB.
//! let points: [G1Affine; 4] = [1, 5, 25, 125].map(|s| (G1::generator() * Fr::from(s)).to_affine());
//! let fixed = FixedMsm::new(&Serial, Request::Auto, &points, 1, 1 << 20)?;
//! let sum = fixed.msm_vartime(&Serial, &[&polynomial])?;
//! assert_eq!(sum[0], G1::generator() * Fr::from(1 + 2 * 5 + 3 * 25 + 4 * 125));
//! println!("by {}", fixed.backend());
//! # Ok::<(), parcrypt_bls12_381::Error>(())
//! ```
//!
//! Field and group operations wrap `blst`. It depends on `parcrypt-cpu` and `parcrypt-runtime` only.
//!
//! | module | what |
//! |---|---|
//! | [`field`], [`curve`], [`pairing`] | elements, points, compressed forms, subgroup checks, pairings |
//! | [`msm`] | multi-scalar multiplication; a file for each algorithm, its cost formula at the head |
//! | [`fft`], [`bit_reversal`] | transforms in natural and in bit-reversed order; the permutation |
//! | [`dispatch`] | the table of backends: a new one is a file in `arch` and a row here, and the tests find it |
//! | [`constants`], [`costs`] | p, r, x and β; costs of operations |
//!
//! `docs/explanation/bls12_381.md` describes how it works, what limits its speed and what was tried.

#![cfg_attr(not(feature = "compute"), allow(rustdoc::broken_intra_doc_links))]
#![cfg_attr(
    not(all(target_arch = "x86_64", feature = "compute")),
    allow(
        dead_code,
        unused_imports,
        reason = "vectors are for x86-64 only, and verification needs no more than some"
    )
)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod arch;
pub mod bit_reversal;
#[cfg(feature = "compute")]
mod combination;
pub mod constants;
pub mod costs;
pub mod curve;
mod decompress;
pub mod dispatch;
mod encoding;
mod error;
mod evaluator;
#[cfg(feature = "faults")]
#[doc(hidden)]
pub mod faults;
mod ffi;
pub mod fft;
pub mod field;
mod fr_lanes;
#[cfg(feature = "compute")]
mod lanes;
pub mod msm;
pub mod pairing;
mod subgroup_check;
#[cfg(feature = "compute")]
mod tower;

pub use curve::g1::{G1, G1Affine};
pub use curve::g2::{G2, G2Affine, G2Prepared};
pub use decompress::{decompress, decompress_cost, decompress_join};
pub use error::Error;
pub use evaluator::Evaluator;
pub use fft::BitReversedDomain;
#[cfg(feature = "compute")]
pub use fft::{Decomposition, Domain};
pub use field::fr::{Fr, ScaledEncoding};
#[cfg(feature = "compute")]
pub use msm::{FixedMsm, GlvTable};
pub use parcrypt_cpu::{Backend, Request};
pub use subgroup_check::Membership;
