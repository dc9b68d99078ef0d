//! Multi-scalar multiplication, Σ sᵢ·Pᵢ, and products of many points with one scalar each.
//!
//! | function | algorithm | file |
//! |---|---|---|
//! | [`msm_vartime`] | Pippenger's bucket method, any points | `pippenger.rs` |
//! | [`FixedMsm`] | the same with tables of multiples of fixed points | `fixed_base.rs` |
//! | [`multiply_vartime`] | GLV with digits of three bits, one product a point | `glv.rs` |
//! | [`msm_few_vartime`] | the same for the sum, with shared doublings on `blst` | `glv.rs` |
//! | [`msm_fastest_vartime`] | `msm_few_vartime` or `msm_vartime` | |
//! | [`g1_multiples_vartime`] | windowed multiplication of one point by many scalars | `multiples.rs` |
//!
//! All of them write scalars in digits of Z\[ζ\] (`curve/eisenstein.rs`) or of integers, and all but the last add
//! points in affine coordinates with shared inversions (`segments.rs`). The time of each depends on scalars and points.

mod fixed_base;
pub(crate) mod glv;
mod multiples;
mod pippenger;
pub(crate) mod segments;

pub use crate::curve::endomorphism::GlvTable;
pub use fixed_base::FixedMsm;
pub use glv::{msm_few_vartime, multiply_vartime};
pub use multiples::{g1_multiples_vartime, g2_multiples_vartime};
pub use pippenger::msm_vartime;
pub use segments::raise_trim_threshold;

use parcrypt_runtime::{Cost, Runtime};

use crate::costs::ns;
use crate::dispatch::FpRow;
use crate::{Error, Fr, G1, G1Affine};

/// Length of the scalars of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalars {
    /// Any scalars.
    Full,
    /// Scalars with half of the digits: a + b·x² with a and b below 2^64, where x is the parameter of the curve.
    Half,
}

/// Returns the costs of [`msm_few_vartime`] and of [`msm_vartime`] for this number of points.
fn few_and_many(row: &FpRow, scalars: Scalars, points: usize) -> [Cost; 2] {
    let part = match scalars {
        Scalars::Full => 1.0,
        Scalars::Half => 0.5,
    };
    [ns(row.costs.few(points, part)), pippenger::msm_cost(row, scalars, points)]
}

/// Returns the cost of [`msm_fastest_vartime`] for this number of points.
pub fn msm_cost(row: &FpRow, length: Scalars, points: usize) -> Cost {
    let [few, many] = few_and_many(row, length, points);
    few.min(many)
}

/// Returns Σ scalars\[i\] · points\[i\] for scalars of this length, by the function that takes less time.
///
/// # Errors
/// As [`msm_vartime`].
pub fn msm_fastest_vartime(
    rt: &dyn Runtime,
    row: &'static FpRow,
    length: Scalars,
    points: &[G1Affine],
    scalars: &[Fr],
) -> Result<G1, Error> {
    let [few, many] = few_and_many(row, length, points.len());
    if few < many { msm_few_vartime(row, points, scalars) } else { msm_vartime(rt, row, points, scalars) }
}
