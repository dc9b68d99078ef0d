//! Membership of points of the curves in the subgroups of order r: of each point by blst, or of many points of G1 at
//! once.
//!
//! The checks are those of Scott ("A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves",
//! 2021): a point P of E(Fp) is in G1 if and only if x²·P = −φ²(P), where φ(X, Y) = (βX, Y). Decompression in vector
//! lanes checks the same equation.

#[cfg(feature = "compute")]
pub(crate) mod batched;

use crate::dispatch::FpRow;
use crate::{G1Affine, G2Affine, ffi};

impl G1Affine {
    /// Returns whether this point of the curve is in the subgroup of order r.
    pub fn is_in_subgroup(&self) -> bool {
        ffi::p1_affine_in_g1(&self.0)
    }

    /// Returns whether each of these points of the curve is in the subgroup of order r, by the check of one point, in
    /// vector lanes where the row has them.
    pub fn are_in_subgroup(row: &FpRow, points: &[G1Affine]) -> bool {
        row.validation.are_in_subgroup(points)
    }
}

impl G2Affine {
    /// Returns whether this point of the curve is in the subgroup of order r.
    pub fn is_in_subgroup(&self) -> bool {
        ffi::p2_affine_in_g2(&self.0)
    }
}

/// Check of whether many points are in G1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Membership {
    /// Of all together where they are many, which accepts a point outside of G1 with a probability of 2^-128 for each
    /// try. If it refuses, each point is checked.
    #[default]
    Batched,
    /// Of each point.
    Exact,
}
