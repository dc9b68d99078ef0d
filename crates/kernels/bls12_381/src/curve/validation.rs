//! Decompression and validation of points of G1.

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use crate::constants::P;
use crate::field::fp::Words;
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

/// The parsed bytes of a lane.
#[derive(Clone, Copy)]
pub(crate) struct Parsed {
    /// x in six words.
    pub(crate) x: Words,
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
        let mut x = [0; 6];
        for (word, bytes) in x.iter_mut().zip(compressed.as_chunks::<8>().0.iter().rev()) {
            *word = u64::from_be_bytes(*bytes);
        }
        x[5] &= u64::MAX >> 3;
        let below_p = x.iter().rev().lt(P.iter().rev());
        let plain = flags & (COMPRESSED | INFINITY) == COMPRESSED && below_p && x != [0; 6];
        Parsed { x: if plain { x } else { [0; 6] }, large: flags & LARGE != 0, plain }
    }
}
