//! Multi-scalar multiplication, Σ sᵢ·Pᵢ, and products of many points with one scalar each.
//!
//! | function | algorithm | file |
//! |---|---|---|
//! | [`msm_vartime`] | Pippenger's bucket method, any points | `pippenger.rs` |
//! | [`msm_checked_vartime`] | the same with random factors, and a check that the points are in G1 | `members.rs` |
//! | [`FixedMsm`] | the same with tables of multiples of fixed points | `fixed_base.rs` |
//! | [`multiply_vartime`] | GLV with digits of three bits, one product a point | `glv.rs` |
//! | [`msm_few_vartime`] | the same for the sum, with shared doublings on `blst` | `glv.rs` |
//! | [`g1_multiples_vartime`] | windowed multiplication of one point by many scalars | `multiples.rs` |
//!
//! All of them write scalars in digits of Z\[ζ\] (`eisenstein.rs`) or of integers, and all but the last add points in
//! affine coordinates with shared inversions (`segments.rs`). The time of each depends on scalars and points.

pub(crate) mod eisenstein;
mod fixed_base;
pub(crate) mod glv;
mod members;
mod multiples;
mod pippenger;
pub(crate) mod segments;

pub use crate::curve::endomorphism::GlvTable;
pub use fixed_base::FixedMsm;
pub use glv::{msm_few_ns, msm_few_short_ns, msm_few_vartime, multiply_vartime};
pub use members::{msm_checked_ns, msm_checked_vartime};
pub use multiples::{g1_multiples_vartime, g2_multiples_vartime};
pub use pippenger::{msm_ns, msm_short_ns, msm_vartime};
pub use segments::raise_trim_threshold;
