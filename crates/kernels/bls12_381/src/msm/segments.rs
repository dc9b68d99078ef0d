//! Segmented sums: the sums of many short lists of points at once.
//!
//! The backend takes the additions of many lists together, which are independent, so that they share inversions and
//! fill vector lanes; here the lists are cut into tasks.

use std::hint::black_box;
use std::sync::Once;

use parcrypt_runtime::{Runtime, for_each};

use crate::curve::batch_affine::Items;
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
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

/// Items in a task, 0.3 ms of work: with half as many an addition takes 8 % longer, because fewer share an inversion.
const GRAIN: usize = 8192;

/// Lets the allocator keep freed memory for the next call: up to 16 MiB. Sums call it; so may other code that allocates
/// some 100 KiB in each call.
///
/// glibc returns freed memory to the system if it is more than twice the largest block that was ever freed. With
/// blocks of 1 MB at most, each commitment took 450 page faults, a fifth of its time. A block that is never touched
/// takes no memory.
pub fn raise_trim_threshold() {
    const BLOCK: usize = 8 << 20;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut block = Vec::<u8>::new();
        // Where there is no room for it, freed memory is not kept.
        let _ = black_box(&mut block).try_reserve_exact(BLOCK);
        drop(black_box(block));
    });
}

/// Returns the sum of each list, in parallel in runs of whole lists.
fn in_pieces<'a, T: Sync>(
    rt: &dyn Runtime,
    row: &FpRow,
    segments: &'a Segments<T>,
    items_of: impl Fn(&'a [T]) -> Items<'a> + Sync,
) -> Vec<Point> {
    raise_trim_threshold();
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
    let cost = row.costs.additions(GRAIN);
    for_each(rt, pieces, cost, |(items, ends, out): (std::ops::Range<usize>, &[u32], &mut [Point])| {
        let mut begin = items.start as u32;
        let lengths = ends.iter().map(|end| end - std::mem::replace(&mut begin, *end));
        row.batch.sum_lists(items_of(&segments.items[items]), &lengths.collect::<Vec<_>>(), out);
    });
    sums
}

/// Returns the sum of each list of operands.
pub(crate) fn sum_operands<'a>(
    rt: &dyn Runtime,
    row: &FpRow,
    tables: &'a [GlvTable],
    segments: &'a Segments<Operand>,
) -> Vec<Point> {
    in_pieces(rt, row, segments, |operands| Items::Multiples(tables, operands))
}

/// Returns the sum of each list of points, which are given by their indices.
pub(super) fn sum_points<'a>(
    rt: &dyn Runtime,
    row: &FpRow,
    points: &'a [Point],
    segments: &'a Segments<u32>,
) -> Vec<Point> {
    in_pieces(rt, row, segments, |indices| Items::Points(points, indices))
}
