//! Affine points as backends compute with them.
#![allow(unsafe_code, reason = "writes the words of two coordinates at once")]

use blst::{blst_fp, blst_p1_affine};

use crate::G1Affine;
use crate::field::fp::{self, Words};

/// An affine point: two coordinates below p, in the Montgomery form of the backend that computed them. Infinity is all
/// zero, which is not on the curve.
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

    /// Returns the words of both coordinates.
    #[inline(always)]
    pub(crate) fn words_mut(&mut self) -> &mut [u64; 12] {
        // SAFETY: it is two arrays of six words, in C's layout.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }

    /// Returns the coordinates of blst.
    #[inline(always)]
    pub(crate) fn of_blst(point: &G1Affine) -> Point {
        Point { x: point.0.x.l, y: point.0.y.l }
    }

    /// Returns the point of coordinates in the Montgomery form of blst.
    #[inline(always)]
    pub(crate) fn to_blst(self) -> G1Affine {
        G1Affine(blst_p1_affine { x: blst_fp { l: self.x }, y: blst_fp { l: self.y } })
    }
}
