//! Many additions of affine points at once.
//!
//! An affine addition costs 2 multiplications, a squaring and an inversion; with one inversion for many of them
//! (Montgomery's trick, 3 multiplications each) it is 6 multiplications, where a mixed Jacobian addition takes 11.
//! Independent additions also fill vector lanes. [`BatchAffine`] is what a backend has to give; everything in [`msm`] is
//! built from it.
//!
//! [`msm`]: crate::msm

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod measure;

use std::fmt::Debug;

use super::endomorphism::{GlvTable, Operand};
use crate::field::fp::{self, Words};
use crate::{Error, G1, G1Affine};

/// A point: two coordinates below p, in the Montgomery form of the backend that made them. Infinity is all zero, which
/// is not on the curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Point {
    pub(crate) x: Words,
    pub(crate) y: Words,
}

impl Point {
    pub(crate) const INFINITY: Point = Point { x: [0; 6], y: [0; 6] };

    #[inline(always)]
    pub(crate) fn is_infinity(&self) -> bool {
        // No point of the curve has y = 0: its order is odd.
        fp::is_zero(&self.y)
    }
}

/// a + b, to be written to element `to`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Sum {
    pub(crate) a: Operand,
    pub(crate) b: Operand,
    pub(crate) to: u32,
}

/// Element `to` += element `from`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Accumulate {
    pub(crate) to: u32,
    pub(crate) from: u32,
}

/// What a backend has to give. Everything is right for infinity, equal and opposite points.
pub(crate) trait BatchAffine: Debug + Send + Sync {
    /// What [`G1Affine::from_compressed`] says of each. Both have the same length.
    fn decompress(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]);

    /// From blst's form to the backend's. Both have the same length.
    fn import(&self, points: &[G1Affine], out: &mut [Point]);

    /// From the backend's form to blst's. Both have the same length.
    fn export(&self, points: &[Point], out: &mut [G1Affine]);

    /// βx for each point. Both have the same length.
    fn glv_tables(&self, points: &[Point], out: &mut [GlvTable]);

    /// Each of `sums`; no two have the same `to`.
    fn add_multiples(&self, tables: &[GlvTable], sums: &[Sum], out: &mut [Point]);

    /// Each of `folds`; no two have the same `to`, and none has a `from` that is the `to` of another.
    fn accumulate(&self, points: &mut [Point], folds: &[Accumulate]);

    /// Doubles each point `times` times.
    fn double(&self, points: &mut [Point], times: usize);

    /// out\[i\] = Σ_w 2^(bits·w) · digits\[w · out.len() + i\], from the last w to the first. [`Operand::NONE`] adds nothing.
    fn horner(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]);
}
