//! Membership of points of the curves in the subgroups of order r, by blst.
//!
//! The checks are those of Scott ("A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves",
//! 2021): a point P of E(Fp) is in G1 if and only if x²·P = −φ²(P), where φ(X, Y) = (βX, Y). Decompression in vector
//! lanes checks the same equation.
#![allow(unsafe_code, reason = "wraps blst")]

use blst::{blst_p1_affine_in_g1, blst_p2_affine_in_g2};

use crate::{G1Affine, G2Affine};

impl G1Affine {
    /// Returns whether the point, which is on the curve, is in the subgroup of order r.
    pub fn is_in_subgroup(&self) -> bool {
        // SAFETY: reads one point.
        unsafe { blst_p1_affine_in_g1(&self.0) }
    }
}

impl G2Affine {
    /// Returns whether the point, which is on the twist, is in the subgroup of order r.
    pub fn is_in_subgroup(&self) -> bool {
        // SAFETY: reads one point.
        unsafe { blst_p2_affine_in_g2(&self.0) }
    }
}
