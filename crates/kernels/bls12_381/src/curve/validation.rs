//! Decompression and validation of points of G1.

use std::fmt::Debug;
use std::ops::Range;
use std::panic::RefUnwindSafe;

use super::cubic_residues::ROWS;
use crate::field::fp::Words;
use crate::{Error, G1Affine};

/// Decompression and validation of points by a backend.
pub(crate) trait PointValidation: Debug + Send + Sync + RefUnwindSafe {
    /// Writes the result of [`G1Affine::from_compressed`] for each point. Both have the same length.
    fn decompress(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]);

    /// Writes the result of [`G1Affine::on_curve_from_compressed`] for each point. Both have the same length.
    fn decompress_on_curve(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]);

    /// Returns whether all points, which are on the curve, are in G1.
    fn are_in_subgroup(&self, points: &[G1Affine]) -> bool;

    /// Returns whether all points, which are on the curve, are three times another: y − 2 is a cube other than 0.
    fn are_triples(&self, points: &[G1Affine]) -> bool;

    /// Returns, for each row, the product of the powers of y − 2 of all points, which are on the curve and at least
    /// one, to their weights' digits in that row ([`digit`](super::cubic_residues::digit)).
    fn weighted_products(&self, points: &[G1Affine], weights: &[[u64; 2]]) -> [Words; ROWS];

    /// Returns whether the product of each of some rows of all lists is a cube other than 0. There is at least one row.
    fn are_cubes(&self, products: &[[Words; ROWS]], rows: Range<usize>) -> bool;
}
