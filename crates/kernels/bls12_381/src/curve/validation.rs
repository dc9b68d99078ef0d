//! Decompression and validation of points of G1.

use std::fmt::Debug;
use std::ops::Range;
use std::panic::RefUnwindSafe;

use super::cubic_residues::ROWS;
use crate::constants::P;
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

/// Validation of points by an instruction set.
pub(crate) trait ValidationLanes: Debug + Send + Sync + RefUnwindSafe {
    /// Decompresses as [`PointValidation::decompress`] does.
    fn decompress(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]);

    /// Decompresses as [`PointValidation::decompress_on_curve`] does.
    fn decompress_on_curve(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]);

    /// Checks as [`PointValidation::are_in_subgroup`] does.
    fn are_in_subgroup(&self, points: &[G1Affine]) -> bool;

    /// Checks as [`PointValidation::are_triples`] does.
    fn are_triples(&self, points: &[G1Affine]) -> bool;

    /// Checks as [`PointValidation::are_cubes`] does.
    fn are_cubes(&self, products: &[[Words; ROWS]], rows: Range<usize>) -> bool;
}

/// Returns a point by blst.
pub(crate) fn by_blst<const MEMBERSHIP: bool>(compressed: &[u8; 48]) -> Result<G1Affine, Error> {
    match MEMBERSHIP {
        true => G1Affine::from_compressed(compressed),
        false => G1Affine::on_curve_from_compressed(compressed),
    }
}

/// The parsed bytes of a lane.
#[derive(Clone, Copy)]
pub(crate) struct Parsed {
    /// x in six words.
    pub(crate) x: [u64; 8],
    /// Whether y is the larger of the two roots.
    pub(crate) large: bool,
    /// Whether this is neither infinity, nor malformed, nor x = 0, where y² = 4 but the order is 3.
    pub(crate) plain: bool,
}

impl Parsed {
    pub(crate) fn new(compressed: &[u8; 48]) -> Parsed {
        const COMPRESSED: u8 = 0x80;
        const INFINITY: u8 = 0x40;
        const LARGE: u8 = 0x20;
        let flags = compressed[0];
        let mut x = [0; 8];
        for (word, bytes) in x.iter_mut().zip(compressed.as_chunks::<8>().0.iter().rev()) {
            *word = u64::from_be_bytes(*bytes);
        }
        x[5] &= u64::MAX >> 3;
        let below_p = x[..6].iter().rev().lt(P.iter().rev());
        let plain = flags & (COMPRESSED | INFINITY) == COMPRESSED && below_p && x != [0; 8];
        Parsed { x: if plain { x } else { [0; 8] }, large: flags & LARGE != 0, plain }
    }
}
