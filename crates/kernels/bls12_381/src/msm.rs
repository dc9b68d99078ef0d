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

#[cfg(feature = "compute")]
pub(crate) mod affine;
#[cfg(feature = "compute")]
mod fixed_base;
#[cfg(feature = "compute")]
pub(crate) mod glv;
#[cfg(feature = "compute")]
mod multiples;
#[cfg(feature = "compute")]
mod pippenger;
#[cfg(feature = "compute")]
pub(crate) mod segments;

#[cfg(feature = "compute")]
pub use {
    crate::curve::endomorphism::GlvTable,
    fixed_base::FixedMsm,
    glv::{msm_few_vartime, multiply_vartime},
    multiples::{g1_multiples_vartime, g2_multiples_vartime},
    pippenger::msm_vartime,
    segments::raise_trim_threshold,
};

use std::fmt::Debug;
use std::panic::RefUnwindSafe;
use std::sync::Arc;

use parcrypt_runtime::{Cost, Runtime};

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

impl Scalars {
    /// Returns the part of all digits that the scalars have.
    pub(crate) fn part(self) -> f64 {
        match self {
            Scalars::Full => 1.0,
            Scalars::Half => 0.5,
        }
    }
}

/// Sums of products of points and scalars by a backend.
pub(crate) trait Msm: Debug + Send + Sync + RefUnwindSafe {
    /// Returns the cost of [`Msm::msm`] for this number of points.
    fn cost(&self, row: &FpRow, length: Scalars, points: usize) -> Cost;

    /// Returns Σ scalars\[i\] · points\[i\] for scalars of this length. The lists have the same length.
    fn msm(
        &self,
        rt: &dyn Runtime,
        row: &'static FpRow,
        length: Scalars,
        points: &[G1Affine],
        scalars: &[Fr],
    ) -> Result<G1, Error>;

    /// Prepares sums of these points, with tables of at most `budget` bytes.
    fn fixed(
        &self,
        row: &'static FpRow,
        points: &[G1Affine],
        budget: usize,
    ) -> Result<Arc<dyn FixedPoints>, Error>;

    /// Returns the time of [`Msm::all_in_subgroup`] for this number of points, in ns; infinite for a backend that only
    /// checks single points.
    fn membership_ns(&self, _: &FpRow, _points: usize) -> f64 {
        f64::INFINITY
    }

    /// Returns whether all points, which are on the curve and decompressed from these bytes, are in G1; `true` for
    /// points outside of it with a probability of at most 2^-128.
    fn all_in_subgroup(
        &self,
        _: &dyn Runtime,
        row: &'static FpRow,
        _compressed: &[&[u8; 48]],
        points: &[G1Affine],
    ) -> bool {
        G1Affine::are_in_subgroup(row, points)
    }
}

/// Points that are the same in many sums.
pub trait FixedPoints: Debug + Send + Sync + RefUnwindSafe {
    /// Returns the cost of a sum.
    fn cost(&self) -> Cost;

    /// Returns the sum of the products of the points and their scalars.
    ///
    /// # Errors
    /// [`Error::Scalars`] if there is not a scalar for each point, [`Error::Allocation`] if memory is short.
    fn sum(&self, rt: &dyn Runtime, scalars: &[Fr]) -> Result<G1, Error>;
}

/// Prepares sums of these points, with tables of at most `budget` bytes if the row has such.
///
/// # Errors
/// [`Error::Groups`] for more than 2^27 points, [`Error::Allocation`] if the tables cannot be allocated.
pub fn fixed_points(
    row: &'static FpRow,
    points: &[G1Affine],
    budget: usize,
) -> Result<Arc<dyn FixedPoints>, Error> {
    row.msm.fixed(row, points, budget)
}

/// Returns the cost of [`msm_fastest_vartime`] for this number of points.
pub fn msm_cost(row: &FpRow, length: Scalars, points: usize) -> Cost {
    row.msm.cost(row, length, points)
}

/// Returns Σ scalars\[i\] · points\[i\] for scalars of this length, by the function of the row that takes less time.
///
/// ```
/// use parcrypt_bls12_381::{Fr, G1, G1Affine, Request, dispatch, msm};
/// let points = [G1Affine::generator(), G1Affine::generator(), G1Affine::identity()];
/// let (rt, row) = (parcrypt_runtime::Serial, dispatch::select(Request::Auto)?);
/// let scalars = [2, 3, 4].map(Fr::from);
/// let sum = msm::msm_fastest_vartime(&rt, row, msm::Scalars::Full, &points, &scalars)?;
/// assert_eq!(sum, G1::generator() * Fr::from(5));
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// [`Error::Scalars`] if the lists differ in length, [`Error::Allocation`] if memory is short.
pub fn msm_fastest_vartime(
    rt: &dyn Runtime,
    row: &'static FpRow,
    length: Scalars,
    points: &[G1Affine],
    scalars: &[Fr],
) -> Result<G1, Error> {
    if points.len() != scalars.len() {
        return Err(Error::Scalars { points: points.len(), scalars: scalars.len() });
    }
    row.msm.msm(rt, row, length, points, scalars)
}
