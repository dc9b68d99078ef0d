//! Sums of lists of points, a list in each lane.
//!
//! Lists are ordered by length and taken in groups of as many as there are lanes; vector j of a group has element j of
//! each of its lists. So the first round alone gathers points; those that follow add whole vectors, lane by lane.

use std::ops::Range;

use super::super::MAX_LANES;
use super::super::fp::{Element, FpLimbs};
use super::batch::{Additions, add_all};
use super::{Points, multiples, points, put, stored};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;

/// Longest list of a lane; a longer one is cut. Lists in order of length leave at most as many lanes empty as eight
/// lists of this length have elements.
const LONGEST: usize = 32;

/// Points of lists, one after the other.
#[derive(Clone, Copy)]
enum Items<'a> {
    Multiples(&'a [GlvTable], &'a [Operand]),
    Points(&'a [Point], &'a [u32]),
}

impl Items<'_> {
    /// Returns the item with this number, as vectors have it: copied in the order of the lists, so that operands are
    /// not read from as many places as there are lanes.
    #[inline(always)]
    fn item(&self, at: u32) -> u32 {
        match self {
            Items::Multiples(_, operands) => operands[at as usize].bits(),
            Items::Points(_, indices) => indices[at as usize],
        }
    }

    /// Prefetches what [`Items::load`] reads.
    #[inline(always)]
    fn prefetch(&self, items: &[u32; MAX_LANES]) {
        let Items::Multiples(tables, _) = self else { return };
        let operands = items.iter().map(|item| Operand::from_bits(*item));
        operands.filter_map(|operand| tables.get(operand.index())).for_each(GlvTable::prefetch);
    }

    /// Writes the points of items, infinity for [`NONE`], and returns the lanes that may be infinity.
    #[inline(always)]
    fn load<F: FpLimbs>(&self, items: &[u32; MAX_LANES], out: &mut Points<F>) -> u8 {
        match self {
            Items::Multiples(tables, _) => multiples(tables, &items.map(Operand::from_bits), out),
            Items::Points(all, _) => points(all, &items.map(|index| index as usize), out),
        }
    }
}

/// No item: past the end of points, and [`Operand::NONE`].
const NONE: u32 = u32::MAX;

/// An addition of two vectors.
#[derive(Clone, Copy)]
struct Addition {
    a: usize,
    b: usize,
    to: usize,
}

/// The vectors of the lists of a group.
#[derive(Clone, Copy)]
struct Group {
    first: usize,
    len: usize,
}

/// The additions of a round.
struct Round<'a, F> {
    items: Items<'a>,
    /// The items of the operands of the first round; those of the others are sums.
    vectors: Option<&'a [[u32; MAX_LANES]]>,
    additions: &'a [Addition],
    sums: &'a mut [Points<F>],
}

impl<F: FpLimbs> Additions<F> for Round<'_, F> {
    #[inline(always)]
    fn prefetch(&self, vector: usize) {
        if let (Some(vectors), Some(addition)) = (self.vectors, self.additions.get(vector)) {
            self.items.prefetch(&vectors[addition.a]);
            self.items.prefetch(&vectors[addition.b]);
        }
    }

    #[inline(always)]
    fn operands<'m>(&'m mut self, room: &'m mut [Points<F>; 2], vector: usize) -> ([&'m Points<F>; 2], u8) {
        let Addition { a, b, to } = self.additions[vector];
        if let Some(vectors) = self.vectors {
            // Until the sum is known, its place keeps the first operand.
            let may_be_infinity =
                self.items.load(&vectors[a], &mut self.sums[to]) | self.items.load(&vectors[b], &mut room[1]);
            return ([&self.sums[to], &room[1]], may_be_infinity);
        }
        let (a, b) = (&self.sums[a], &self.sums[b]);
        ([a, b], a.x.may_be_zeros() | b.x.may_be_zeros())
    }

    #[inline(always)]
    fn first<'m>(&'m self, _: &'m mut Points<F>, vector: usize) -> &'m Points<F> {
        &self.sums[self.additions[vector].to]
    }

    #[inline(always)]
    fn put(&mut self, vector: usize, [x, y]: &[Element<F, 1, 1>; 2]) {
        let to = &mut self.sums[self.additions[vector].to];
        to.x = x.widen();
        to.y = y.widen();
    }
}

/// Sums as [`BatchAffine::sum_multiples`](crate::curve::batch_affine::BatchAffine::sum_multiples) does.
#[inline(always)]
pub(crate) fn sum_multiples<F: FpLimbs>(
    tables: &[GlvTable],
    operands: &[Operand],
    lengths: &[u32],
    out: &mut [Point],
) {
    sum_all::<F>(Items::Multiples(tables, operands), lengths, out);
}

/// Sums as [`BatchAffine::sum_points`](crate::curve::batch_affine::BatchAffine::sum_points) does.
#[inline(always)]
pub(crate) fn sum_points<F: FpLimbs>(points: &[Point], indices: &[u32], lengths: &[u32], out: &mut [Point]) {
    sum_all::<F>(Items::Points(points, indices), lengths, out);
}

/// Writes the sum of each list. Sums of parts of long lists are the items of further lists.
#[inline(always)]
fn sum_all<F: FpLimbs>(items: Items, lengths: &[u32], out: &mut [Point]) {
    let (mut lengths, mut sums) = (lengths.to_vec(), None::<(Vec<Point>, Vec<u32>)>);
    loop {
        let parts = parts(&lengths);
        let is_last = parts.len() == out.len();
        let mut next = vec![Point::INFINITY; if is_last { 0 } else { parts.len() }];
        let items = sums.as_ref().map_or(items, |(sums, indices)| Items::Points(sums, indices));
        sum_parts::<F>(items, &parts, if is_last { &mut *out } else { &mut next });
        if is_last {
            return;
        }
        sums = Some((next, (0..parts.len() as u32).collect()));
        lengths.iter_mut().for_each(|len| *len = len.div_ceil(LONGEST as u32).max(1));
    }
}

/// Writes the sum of each part, which are items by their numbers.
#[inline(always)]
fn sum_parts<F: FpLimbs>(items: Items, parts: &[Range<u32>], out: &mut [Point]) {
    let order = longest_first(parts);
    let count = parts.last().map_or(0, |part| part.end as usize) / F::LANES;
    let mut vectors: Vec<[u32; MAX_LANES]> = Vec::with_capacity(count + LONGEST);
    let mut groups = Vec::with_capacity(order.len().div_ceil(F::LANES));
    let (mut additions, mut singles) = (Vec::with_capacity(count), Vec::new());
    let mut room = 0;
    for group in order.chunks(F::LANES) {
        let (begin, len) = (vectors.len(), parts[group[0]].len());
        vectors.resize(begin + len, [NONE; MAX_LANES]);
        for (lane, part) in group.iter().enumerate() {
            for (vector, item) in vectors[begin..].iter_mut().zip(parts[*part].clone()) {
                vector[lane] = items.item(item);
            }
        }
        let addition = |i| Addition { a: begin + 2 * i, b: begin + 2 * i + 1, to: room + i };
        additions.extend((0..len / 2).map(addition));
        let kept = len.div_ceil(2);
        if len % 2 == 1 {
            singles.push((begin + len - 1, room + kept - 1));
        }
        groups.push(Group { first: room, len: kept });
        room += kept;
    }
    let mut sums = vec![Points { x: Element::zero(), y: Element::zero() }; room];
    for (from, to) in singles {
        let to = &mut sums[to];
        items.load::<F>(&vectors[from], to);
        (to.x, to.y) = (to.x.canonical().widen(), to.y.canonical().widen());
    }
    let mut vectors = Some(&vectors[..]);
    while !additions.is_empty() || vectors.is_some() {
        let mut round = Round { items, vectors: vectors.take(), additions: &additions, sums: &mut sums };
        add_all(additions.len(), &mut round);
        additions.clear();
        // The second half of the vectors of each group is added to the first.
        for group in &mut groups {
            let kept = group.len.div_ceil(2);
            let pairs = (kept..group.len).map(|i| (group.first + i - kept, group.first + i));
            additions.extend(pairs.map(|(to, from)| Addition { a: to, b: from, to }));
            group.len = kept;
        }
    }
    for (part, out) in parts.iter().zip(&mut *out) {
        if part.is_empty() {
            *out = Point::INFINITY;
        }
    }
    for (group, order) in groups.iter().zip(order.chunks(F::LANES)) {
        let Points { x, y } = &sums[group.first];
        let sum = [x.canonical(), y.canonical()];
        if order.len() == F::LANES {
            put(out, &std::array::from_fn(|lane| order[lane.min(F::LANES - 1)]), &sum);
        } else {
            order.iter().zip(stored(&sum)).for_each(|(part, point)| out[*part] = point);
        }
    }
}

/// Returns the items of each list, cut into parts that are not longer than [`LONGEST`]; an empty list is one part.
fn parts(lengths: &[u32]) -> Vec<Range<u32>> {
    let (mut parts, mut begin) = (Vec::with_capacity(lengths.len()), 0);
    for len in lengths {
        let end = begin + len;
        while end - begin > LONGEST as u32 {
            parts.push(begin..begin + LONGEST as u32);
            begin += LONGEST as u32;
        }
        parts.push(begin..end);
        begin = end;
    }
    parts
}

/// Returns the indices of the parts that are not empty, longest first.
fn longest_first(parts: &[Range<u32>]) -> Vec<usize> {
    let mut begins = [0; LONGEST + 1];
    parts.iter().for_each(|part| begins[part.len()] += 1);
    let mut begin = 0;
    for count in begins.iter_mut().rev() {
        begin += std::mem::replace(count, begin);
    }
    let mut order = vec![0; begin];
    for (i, part) in parts.iter().enumerate() {
        order[begins[part.len()]] = i;
        begins[part.len()] += 1;
    }
    // The empty ones are the last.
    order.truncate(order.len() - parts.iter().filter(|part| part.is_empty()).count());
    order
}
