//! Segmented sums: the sums of many short lists of points at once, by halving.
//!
//! In each round every list adds its second half to its first. All additions of a round are independent, so they share
//! inversions and fill vector lanes. Lists with n items in total, m of the lists not empty, take n − m affine
//! additions, in log₂ l rounds for a longest list of l items.

use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::curve::affine::{Accumulate, Point, Sum};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::dispatch::FpRow;

/// Consecutive lists of items; list i is `items[ends[i − 1]..ends[i]]`.
#[derive(Debug)]
pub(crate) struct Segments<T> {
    pub(crate) items: Vec<T>,
    pub(crate) ends: Vec<u32>,
}

impl<T> Segments<T> {
    pub(crate) fn new() -> Self {
        Segments { items: Vec::new(), ends: Vec::new() }
    }

    /// Ends a list.
    pub(crate) fn end(&mut self) {
        // `MAX_POINTS` and `Shape::counts` bound the number of items.
        self.ends.push(self.items.len() as u32);
    }
}

/// Items in a task: at least 0.1 ms of work.
const GRAIN: usize = 2048;

/// Calls `sum(items, lengths, out)` for runs of whole lists, in parallel, and returns the sums.
fn in_pieces<T: Sync>(
    rt: &dyn Runtime,
    row: &FpRow,
    segments: &Segments<T>,
    sum: impl Fn(&[T], &mut [u32], &mut [Point]) + Sync,
) -> Vec<Point> {
    let mut sums = vec![Point::INFINITY; segments.ends.len()];
    let (mut rest, mut pieces) = (&mut sums[..], Vec::new());
    let (mut first, mut begin) = (0, 0);
    for (i, end) in segments.ends.iter().enumerate() {
        let end = *end as usize;
        if end - begin >= GRAIN || i + 1 == segments.ends.len() {
            let (out, remaining) = rest.split_at_mut(i + 1 - first);
            pieces.push((begin..end, &segments.ends[first..=i], out));
            (rest, first, begin) = (remaining, i + 1, end);
        }
    }
    let cost = Cost::ns((GRAIN as f64 * row.add_ns()) as u64);
    for_each(rt, pieces, cost, |(items, ends, out): (std::ops::Range<usize>, &[u32], &mut [Point])| {
        let mut begin = items.start as u32;
        let lengths = ends.iter().map(|end| end - std::mem::replace(&mut begin, *end));
        sum(&segments.items[items], &mut lengths.collect::<Vec<_>>(), out);
    });
    sums
}

/// Returns the sum of each list of operands.
pub(crate) fn sum_operands(
    rt: &dyn Runtime,
    row: &FpRow,
    tables: &[GlvTable],
    segments: &Segments<Operand>,
) -> Vec<Point> {
    in_pieces(rt, row, segments, |operands, lengths, out| {
        let mut points = vec![Point::INFINITY; lengths.iter().map(|l| l.div_ceil(2) as usize).sum()];
        let mut sums = Vec::with_capacity(operands.len() / 2);
        let (mut from, mut to) = (0, 0);
        for length in &mut *lengths {
            let list = &operands[from..from + *length as usize];
            let (pairs, single) = list.as_chunks::<2>();
            for [a, b] in pairs {
                sums.push(Sum { a: *a, b: *b, to: to as u32 });
                to += 1;
            }
            if let [single] = single {
                points[to] = single.point(tables);
                to += 1;
            }
            from += list.len();
            *length = length.div_ceil(2);
        }
        row.batch.add_multiples(tables, &sums, &mut points);
        halve(row, &mut points, lengths, out);
    })
}

/// Returns the sum of each list of points, which are given by their indices.
pub(super) fn sum_points(
    rt: &dyn Runtime,
    row: &FpRow,
    points: &[Point],
    segments: &Segments<u32>,
) -> Vec<Point> {
    in_pieces(rt, row, segments, |indices, lengths, out| {
        let mut points: Vec<Point> = indices.iter().map(|i| points[*i as usize]).collect();
        halve(row, &mut points, lengths, out);
    })
}

/// Adds up consecutive lists of points in place, and writes the sums to `out`.
fn halve(row: &FpRow, points: &mut [Point], lengths: &mut [u32], out: &mut [Point]) {
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
        for (start, length) in starts.iter().zip(&mut *lengths) {
            let kept = length.div_ceil(2);
            sums.extend(
                (kept..*length).map(|from| Accumulate { to: start + from - kept, from: start + from }),
            );
            *length = kept;
        }
        row.batch.accumulate(points, &sums);
    }
    for ((out, start), length) in out.iter_mut().zip(&starts).zip(&*lengths) {
        *out = if *length == 0 { Point::INFINITY } else { points[*start as usize] };
    }
}
