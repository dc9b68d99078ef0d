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

/// An addition: element `to` = a + b.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Sum {
    pub(crate) a: Operand,
    pub(crate) b: Operand,
    pub(crate) to: u32,
}

/// An addition in place: element `to` += element `from`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Accumulate {
    pub(crate) to: u32,
    pub(crate) from: u32,
}

/// Batch affine arithmetic of a backend. All is correct for infinity, equal and opposite points.
pub(crate) trait BatchAffine: Debug + Send + Sync + RefUnwindSafe {
    /// Converts points from blst's Montgomery form to the backend's. Both have the same length.
    fn import(&self, points: &[G1Affine], out: &mut [Point]);

    /// Converts points from the backend's Montgomery form to blst's. Both have the same length.
    fn export(&self, points: &[Point], out: &mut [G1Affine]);

    /// Writes the GLV table of each point. Both have the same length.
    fn glv_tables(&self, points: &[Point], out: &mut [GlvTable]);

    /// Computes each of `sums`; no two have the same `to`.
    fn add_multiples(&self, tables: &[GlvTable], sums: &[Sum], out: &mut [Point]);

    /// Computes each of `sums`; no two have the same `to`, and no `from` is the `to` of another.
    fn accumulate(&self, points: &mut [Point], sums: &[Accumulate]);

    /// Writes the sum of each list of operands, one list after the other; an empty list's is infinity.
    ///
    /// In each round the second half of every list is added to the first, all lists at once: for lists with n operands
    /// in total, m of the lists not empty, it is n − m additions, in log₂ l rounds for a longest list of l.
    fn sum_multiples(&self, tables: &[GlvTable], operands: &[Operand], lengths: &[u32], out: &mut [Point]) {
        let mut points = Vec::with_capacity(operands.len().div_ceil(2) + lengths.len());
        let mut sums = Vec::with_capacity(operands.len() / 2);
        let mut rest = operands;
        for length in lengths {
            let (list, others) = rest.split_at(*length as usize);
            let (pairs, single) = list.as_chunks::<2>();
            for [a, b] in pairs {
                sums.push(Sum { a: *a, b: *b, to: points.len() as u32 });
                points.push(Point::INFINITY);
            }
            points.extend(single.iter().map(|single| single.point(tables)));
            rest = others;
        }
        self.add_multiples(tables, &sums, &mut points);
        halve(self, &mut points, lengths.iter().map(|length| length.div_ceil(2)).collect(), out);
    }

    /// Writes the sum of each list of points, which are given by their indices, as [`BatchAffine::sum_multiples`] does.
    fn sum_points(&self, points: &[Point], indices: &[u32], lengths: &[u32], out: &mut [Point]) {
        let mut points: Vec<Point> = indices.iter().map(|i| points[*i as usize]).collect();
        halve(self, &mut points, lengths.to_vec(), out);
    }

    /// Doubles each point `times` times.
    fn double(&self, points: &mut [Point], times: usize);
}

/// Adds up consecutive lists of points in place, and writes the sums to `out`.
fn halve<B: BatchAffine + ?Sized>(
    backend: &B,
    points: &mut [Point],
    mut lengths: Vec<u32>,
    out: &mut [Point],
) {
    let mut start = 0;
    let next = |length: &u32| {
        let this = start;
        start += length;
        this
    };
    let starts: Vec<u32> = lengths.iter().map(next).collect();
    let mut sums = Vec::with_capacity(points.len() / 2);
    while lengths.iter().any(|length| *length > 1) {
        sums.clear();
        for (start, length) in starts.iter().zip(&mut lengths) {
            let kept = length.div_ceil(2);
            sums.extend(
                (kept..*length).map(|from| Accumulate { to: start + from - kept, from: start + from }),
            );
            *length = kept;
        }
        backend.accumulate(points, &sums);
    }
    for ((out, start), length) in out.iter_mut().zip(&starts).zip(&lengths) {
        *out = if *length == 0 { Point::INFINITY } else { points[*start as usize] };
    }
}
