//! Sums of multiples of points, Σ sᵢ·Pᵢ, for any points and for points that stay the same.
//!
//! The way is Pippenger's: a scalar's digit says into which bucket its point goes, and the buckets are summed with their
//! weights. Here digits are elements of Z\[ζ\] (`recode.rs`), so that there are few buckets for many bits; points are added in
//! affine coordinates with shared inversions (`affine.rs`, `msm/segments.rs`); and where points stay the same, tables of
//! 2^k·P let several windows share one set of buckets.
//!
//! All of it takes a time that depends on scalars and points.

pub(crate) mod eisenstein;
mod fixed_base;
pub(crate) mod glv;
mod multiples;
mod pippenger;
mod segments;

pub use crate::curve::endomorphism::GlvTable;
pub use fixed_base::FixedMsm;
pub use glv::multiply_vartime;
pub use multiples::{g1_multiples_vartime, g2_multiples_vartime};
pub use pippenger::msm_vartime;
