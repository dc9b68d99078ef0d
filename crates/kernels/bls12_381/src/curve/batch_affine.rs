//! Batch affine addition: many additions of affine points with one inversion (Montgomery's trick).
//!
//! An affine addition costs 2 multiplications, a squaring and an inversion; with one inversion for many of them
//! (Montgomery's trick, 3 multiplications each) it is 6 multiplications, where a mixed Jacobian addition takes 11.
//! Independent additions also fill vector lanes. Each backend implements [`BatchAffine`]; everything in [`msm`] uses
//! it.
//!
//! [`msm`]: crate::msm

#[cfg(test)]
pub(crate) mod conformance;

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use super::endomorphism::{GlvTable, Operand};
use super::point::Point;
use crate::G1Affine;

/// The items of lists, one list after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Items<'a> {
    /// Multiples of the points of tables.
    Multiples(&'a [GlvTable], &'a [Operand]),
    /// Points by their indices.
    Points(&'a [Point], &'a [u32]),
}

/// Batch affine arithmetic of a backend. All is correct for infinity, equal and opposite points.
pub(crate) trait BatchAffine: Debug + Send + Sync + RefUnwindSafe {
    /// Converts points from blst's Montgomery form to the backend's. Both have the same length.
    fn import(&self, points: &[G1Affine], out: &mut [Point]);

    /// Converts points from the backend's Montgomery form to blst's. Both have the same length.
    fn export(&self, points: &[Point], out: &mut [G1Affine]);

    /// Writes the GLV table of each point. Both have the same length.
    fn glv_tables(&self, points: &[Point], out: &mut [GlvTable]);

    /// Writes the sum of each list; an empty list's is infinity.
    ///
    /// In each round the second half of every list is added to the first, all lists at once: for lists with n items in
    /// total, m of the lists not empty, it is n − m additions, in log₂ l rounds for a longest list of l.
    fn sum_lists(&self, items: Items, lengths: &[u32], out: &mut [Point]);

    /// Doubles each point `times` times.
    fn double(&self, points: &mut [Point], times: usize);
}
