//! Sums of lists of points, a list in each lane.
//!
//! Lists are ordered by length and taken in groups of eight; vector j of a group has element j of each of its lists. So
//! the first round alone gathers points; those that follow add whole vectors, lane by lane.

use std::arch::x86_64::__mmask8;

use super::field::Unreduced;
use super::{AHEAD, Eight, LANES, add_all, elements, multiples, transpose};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;

/// Longest list of a lane; a longer one is cut. Lists in order of length leave at most as many lanes empty as eight
/// lists of this length have elements.
const LONGEST: usize = 32;

/// An addition of two vectors.
#[derive(Clone, Copy)]
struct Addition {
    a: usize,
    b: usize,
    to: usize,
}

/// The vectors of eight lists.
#[derive(Clone, Copy)]
struct Group {
    first: usize,
    len: usize,
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn sum_multiples_ifma(
    tables: &[GlvTable],
    operands: &[Operand],
    lengths: &[u32],
    out: &mut [Point],
) {
    sum_lists(
        operands,
        lengths,
        out,
        Operand::NONE,
        |operands| {
            operands.iter().filter_map(|operand| tables.get(operand.index())).for_each(GlvTable::prefetch)
        },
        |operands, out| multiples(tables, operands, out),
    );
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn sum_points_ifma(points: &[Point], indices: &[u32], lengths: &[u32], out: &mut [Point]) {
    sum_lists(
        indices,
        lengths,
        out,
        u32::MAX,
        |_| (),
        |indices, out| elements(points, &indices.map(|i| i as usize), out),
    );
}

/// Writes the sum of each list, which are one after the other in `items`. `load` writes the points of eight of them and
/// returns the lanes that may be infinity, as that of `none` is; `prefetch` may prefetch what it reads.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn sum_lists<T: Copy>(
    items: &[T],
    lengths: &[u32],
    out: &mut [Point],
    none: T,
    prefetch: impl Fn(&[T; LANES]),
    load: impl Fn(&[T; LANES], &mut Eight) -> __mmask8,
) {
    let parts = parts(items, lengths);
    let order = longest_first(&parts);
    let mut vectors: Vec<[T; LANES]> = Vec::with_capacity(items.len() / LANES + LONGEST);
    let mut groups = Vec::with_capacity(order.len().div_ceil(LANES));
    let (mut additions, mut singles) = (Vec::with_capacity(items.len() / LANES), Vec::new());
    let mut room = 0;
    for group in order.chunks(LANES) {
        let (begin, len) = (vectors.len(), parts[group[0]].len());
        vectors.resize(begin + len, [none; LANES]);
        for (lane, part) in group.iter().enumerate() {
            for (vector, item) in vectors[begin..].iter_mut().zip(parts[*part]) {
                vector[lane] = *item;
            }
        }
        additions.extend((0..len / 2).map(|i| Addition {
            a: begin + 2 * i,
            b: begin + 2 * i + 1,
            to: room + i,
        }));
        let kept = len.div_ceil(2);
        if len % 2 == 1 {
            singles.push((begin + len - 1, room + kept - 1));
        }
        groups.push(Group { first: room, len: kept });
        room += kept;
    }
    let mut sums = vec![Eight { x: Unreduced::zero(), y: Unreduced::zero() }; room];
    for (from, to) in singles {
        let to = &mut sums[to];
        load(&vectors[from], to);
        (to.x, to.y) = (to.x.canonical().widen(), to.y.canonical().widen());
    }
    add_all(
        &mut sums[..],
        additions.len(),
        |vector| {
            if let Some(addition) = additions.get(vector + AHEAD) {
                prefetch(&vectors[addition.a]);
                prefetch(&vectors[addition.b]);
            }
        },
        |sums, [_, room], vector| {
            let Addition { a, b, to } = additions[vector];
            // Until the sum is known, its place keeps the first operand.
            let may_be_infinity = load(&vectors[a], &mut sums[to]) | load(&vectors[b], room);
            ([&sums[to], room], may_be_infinity)
        },
        |sums, _, vector| &sums[additions[vector].to],
        |sums, vector, [x, y]| {
            let to = &mut sums[additions[vector].to];
            to.x = x.widen();
            to.y = y.widen();
        },
    );
    halve(&mut sums, &mut groups);
    // The sums of parts of lists are in the order of the parts.
    let mut of_parts = vec![Point::INFINITY; if parts.len() > lengths.len() { parts.len() } else { 0 }];
    let all = if of_parts.is_empty() { &mut *out } else { &mut of_parts[..] };
    for (list, part) in all.iter_mut().zip(&parts) {
        if part.is_empty() {
            *list = Point::INFINITY;
        }
    }
    for (group, order) in groups.iter().zip(order.chunks(LANES)) {
        let Eight { x, y } = sums[group.first];
        let words = transpose::points(&x.canonical().columns(), &y.canonical().columns());
        for (part, words) in order.iter().zip(words) {
            transpose::store(&mut all[*part], words);
        }
    }
    if !of_parts.is_empty() {
        let indices: Vec<u32> = (0..of_parts.len() as u32).collect();
        let lengths: Vec<u32> =
            lengths.iter().map(|len| (*len as usize).div_ceil(LONGEST).max(1) as u32).collect();
        sum_points_ifma(&of_parts, &indices, &lengths, out);
    }
}

/// Returns the lists, cut into parts that are not longer than [`LONGEST`]; an empty list is one part.
fn parts<'a, T>(mut items: &'a [T], lengths: &[u32]) -> Vec<&'a [T]> {
    let mut parts = Vec::with_capacity(lengths.len());
    for len in lengths {
        let (mut list, rest) = items.split_at(*len as usize);
        while list.len() > LONGEST {
            let (part, others) = list.split_at(LONGEST);
            parts.push(part);
            list = others;
        }
        parts.push(list);
        items = rest;
    }
    parts
}

/// Returns the indices of the parts that are not empty, longest first.
fn longest_first<T>(parts: &[&[T]]) -> Vec<usize> {
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

/// Adds up the vectors of each group, in place; the sum is the first.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn halve(sums: &mut [Eight], groups: &mut [Group]) {
    let mut additions: Vec<(usize, usize)> = Vec::with_capacity(sums.len() / 2);
    loop {
        additions.clear();
        for group in &mut *groups {
            let kept = group.len.div_ceil(2);
            additions.extend((kept..group.len).map(|i| (group.first + i - kept, group.first + i)));
            group.len = kept;
        }
        if additions.is_empty() {
            return;
        }
        add_all(
            sums,
            additions.len(),
            |_| (),
            |sums, _, vector| {
                let (to, from) = additions[vector];
                let (a, b) = (&sums[to], &sums[from]);
                ([a, b], a.x.may_be_zeros() | b.x.may_be_zeros())
            },
            |sums, _, vector| &sums[additions[vector].0],
            |sums, vector, [x, y]| {
                let to = &mut sums[additions[vector].0];
                to.x = x.widen();
                to.y = y.widen();
            },
        );
    }
}
