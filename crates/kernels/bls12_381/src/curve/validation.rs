//! Decompression and validation of points of G1.

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use crate::{Error, G1Affine};

/// Decompression and validation of points by a backend.
pub(crate) trait PointValidation: Debug + Send + Sync + RefUnwindSafe {
    /// Writes the result of [`G1Affine::from_compressed`] for each point if they must be members of the group, that of
    /// [`G1Affine::on_curve_from_compressed`] if not. Both have the same length.
    fn decompress(&self, compressed: &[&[u8; 48]], members: bool, out: &mut [Result<G1Affine, Error>]);

    /// Returns whether all points, which are on the curve, are in G1.
    fn are_in_subgroup(&self, points: &[G1Affine]) -> bool;
}

/// Returns a point by blst.
pub(crate) fn by_blst(compressed: &[u8; 48], members: bool) -> Result<G1Affine, Error> {
    match members {
        true => G1Affine::from_compressed(compressed),
        false => G1Affine::on_curve_from_compressed(compressed),
    }
}
