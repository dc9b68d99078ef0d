//! BLS12-381: the scalar field [`Fr`], the groups [`G1`] and [`G2`], their pairing, the FFT over Fr and G1, and
//! multi-scalar multiplication, on any runtime.
//!
//! It must not know which runtime runs it, nor what its points are for. Field and group operations wrap `blst` in
//! [`mod@fr`], [`mod@g1`], [`mod@g2`] and [`pairing`]; transforms are in [`fft`] and [`reversed`], sums of multiples in
//! [`msm`]; a new decomposition is a variant of [`fft::Decomposition`].
//!
//! `docs/explanation/bls12_381.md` describes how it works, what limits its speed and what was tried.

mod arch;
pub mod bit_reversal;
pub mod constants;
pub mod costs;
pub mod curve;
pub mod dispatch;
mod error;
pub mod fft;
pub mod field;
pub mod msm;

pub use curve::decompress::{decompress, decompress_alongside};
pub use curve::g1::{G1, G1Affine};
pub use curve::g2::{G2, G2Affine};
pub use curve::pairing::{self, G2Prepared};
pub use error::Error;
pub use fft::{BitReversedDomain, Decomposition, Domain};
pub use field::fr::{Fr, ScaledEncoding};
pub use msm::{FixedMsm, GlvTable};
pub use parcrypt_cpu::{Backend, Request};
