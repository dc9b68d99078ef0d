//! Sums of lists of points, a list in each lane.
//!
//! Lists are ordered by length and taken in groups of as many as there are lanes; vector j of a group has element j of
//! each of its lists. So the first round alone gathers points; those that follow add whole vectors, lane by lane.

use std::ops::Range;

use parcrypt_simd::Call;

use super::super::MAX_LANES;
use super::super::fp::{Element, Factor, FpLimbs};
use super::batch::{Inverses, batch, of_inverse, one, shift};
use super::{Points, multiples, points, put, stored};
use crate::curve::batch_affine::Items;
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::field::fp::power_of_two;

/// Longest list of a lane; a longer one is cut. Lists in order of length leave at most as many lanes empty as eight
/// lists of this length have elements.
const LONGEST: usize = 32;

/// Distance of prefetching, in vectors: operands lie anywhere in a table that is larger than the second cache.
pub(super) const AHEAD: usize = 2;

/// Values that the first pass keeps for the second, for a vector of additions a + b.
#[derive(Clone, Copy)]
struct Step<F> {
    /// b.x − a.x, or the other value to invert.
    run: Factor<F, 7, 7>,
    /// Product of all runs before this one.
    before: Factor<F, 1, 1>,
    /// a.y − b.y, or the other numerator of the negative slope.
    minus_rise: Factor<F, 7, 7>,
}

/// The lanes of a vector in which the sum a + b is not on a chord.
struct Special<F> {
    vector: usize,
    /// a and b are equal.
    tangent: u8,
    /// The sum is an operand or infinity.
    known: u8,
    /// The sum in these lanes.
    sum: [Element<F, 1, 1>; 2],
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
        F::outlined(Load { lists: self, items, out })
    }
}

/// The call of [`Items::load`].
struct Load<'a, F> {
    lists: &'a Items<'a>,
    items: &'a [u32; MAX_LANES],
    out: &'a mut Points<F>,
}

impl<F: FpLimbs> Call for Load<'_, F> {
    type Result = u8;

    #[inline(always)]
    fn call(self) -> u8 {
        match self.lists {
            Items::Multiples(tables, _) => multiples(tables, &self.items.map(Operand::from_bits), self.out),
            Items::Points(all, _) => points(all, &self.items.map(|index| index as usize), self.out),
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
    /// Room for as many steps as there are additions, or as share an inversion.
    steps: &'a mut [Step<F>],
}

/// Returns the lanes of a + b that are not on a chord, and changes the run and the rise in these.
#[inline(always)]
fn specials<F: FpLimbs>(vector: usize, step: &mut Step<F>, a: &Points<F>, b: &Points<F>) -> Special<F> {
    let [a_x, a_y, b_x, b_y] = [a.x.canonical(), a.y.canonical(), b.x.canonical(), b.y.canonical()];
    // No point of the curve has y = 0.
    let (no_a, no_b) = (a_y.zeros(), b_y.zeros());
    let same_x = a_x.equals(&b_x) & !(no_a | no_b);
    let tangent = same_x & a_y.equals(&b_y);
    let infinity = same_x & !tangent;
    let known = no_a | no_b | infinity;
    step.run = step.run.select(known, &one().factor().widen());
    step.run = step.run.select(tangent, &a_y.doubled::<1, 2, 2>().factor().widen());
    let square = a_x.factor().square();
    let square = square.product(&Element::constant(const { &power_of_two(F::R + shift::<F>()) }).factor());
    let rise: Element<F, 4, 4> = square.plus::<1, 1, 2, 2>(&square).plus::<1, 1, 3, 3>(&square).negative();
    step.minus_rise = step.minus_rise.select(tangent, &rise.factor().widen());
    let x = a_x.select(no_a, &b_x).only_in(!infinity);
    let y = a_y.select(no_a, &b_y).only_in(!infinity);
    Special { vector, tangent, known, sum: [x, y] }
}

/// The call of [`specials`].
struct Specials<'a, F> {
    vector: usize,
    step: &'a mut Step<F>,
    a: &'a Points<F>,
    b: &'a Points<F>,
}

impl<F: FpLimbs> Call for Specials<'_, F> {
    type Result = Special<F>;

    #[inline(always)]
    fn call(self) -> Special<F> {
        specials(self.vector, self.step, self.a, self.b)
    }
}

impl<F: FpLimbs> Round<'_, F> {
    /// Returns both operands of a vector, and the lanes in which one may be infinity. Until the sum is known, its place
    /// keeps the first.
    #[inline(always)]
    fn operands<'m>(&'m mut self, room: &'m mut Points<F>, vector: usize) -> ([&'m Points<F>; 2], u8) {
        let Addition { a, b, to } = self.additions[vector];
        if let Some(vectors) = self.vectors {
            let may_be_infinity =
                self.items.load(&vectors[a], &mut self.sums[to]) | self.items.load(&vectors[b], room);
            return ([&self.sums[to], room], may_be_infinity);
        }
        let (a, b) = (&self.sums[a], &self.sums[b]);
        ([a, b], a.x.may_be_zeros() | b.x.may_be_zeros())
    }

    /// Prefetches operands of a vector.
    #[inline(always)]
    fn prefetch(&self, vector: usize) {
        if let (Some(vectors), Some(addition)) = (self.vectors, self.additions.get(vector)) {
            self.items.prefetch(&vectors[addition.a]);
            self.items.prefetch(&vectors[addition.b]);
        }
    }
}

impl<F: FpLimbs> Call for Round<'_, F> {
    type Result = ();

    #[inline(always)]
    fn call(mut self) {
        let (first, steps) = (one::<F>().factor(), std::mem::take(&mut self.steps));
        let mut special: Vec<Special<F>> = Vec::new();
        let mut room = Points { x: Element::zero(), y: Element::zero() };
        for begin in (0..self.additions.len()).step_by(batch::<F>()) {
            let end = self.additions.len().min(begin + batch::<F>());
            // Two chains of products, so that no multiplication waits for the one before.
            let mut products = [first; 2];
            for (vector, step) in (begin..end).zip(&mut *steps) {
                self.prefetch(vector + AHEAD);
                let ([a, b], may_be_infinity) = self.operands(&mut room, vector);
                let run: Element<F, 7, 7> = b.x.minus(&a.x);
                step.run = run.factor();
                step.minus_rise = a.y.minus::<3, 3, 7, 7>(&b.y).factor();
                if may_be_infinity | run.may_be_zero() != 0 {
                    special.push(F::outlined(Specials { vector, step, a, b }));
                }
                let product = &mut products[vector % 2];
                step.before = *product;
                *product = step.before.times(&step.run);
            }
            let factor = Element::constant(const { &power_of_two(of_inverse::<F>(0)) });
            let mut inverse = F::outlined(Inverses { products: &products, factor: &factor });
            for (vector, step) in (begin..end).zip(&*steps).rev() {
                let inverse = &mut inverse[vector % 2];
                let inverse_of_run = inverse.times(&step.before);
                *inverse = inverse.times(&step.run);
                let slope = step.minus_rise.times(&inverse_of_run);
                let special = special.pop_if(|special| special.vector == vector);
                let a = &mut self.sums[self.additions[vector].to];
                let three_x: Element<F, 9, 9> = a.x.plus::<3, 3, 6, 6>(&a.x).plus(&a.x);
                let mut xs: Element<F, 16, 16> = three_x.plus(&step.run.element());
                if let Some(special) = &special {
                    // The value inverted is another, and b.x is a.x.
                    xs = xs.select(special.tangent, &three_x.widen());
                }
                // With λ the negative slope and u = λ² − 2·a.x − b.x, the sum is (a.x + u, λu − a.y).
                let u: Element<F, 18, 18> = slope.square_plus(&xs.negative::<17, 17>());
                let y: Element<F, 20, 20> = slope.times_in_form_plus(&u.carried(), &a.y.negative::<4, 4>());
                let y = y.canonical();
                let mut sum = [u.plus::<3, 3, 21, 21>(&a.x).canonical(), y];
                if let Some(Special { known, sum: [x, y], .. }) = special {
                    sum = [sum[0].select(known, &x), sum[1].select(known, &y)];
                }
                (a.x, a.y) = (sum[0].widen(), sum[1].widen());
            }
        }
    }
}

/// Sums as [`BatchAffine::sum_lists`](crate::curve::batch_affine::BatchAffine::sum_lists) does. Sums of parts of long
/// lists are the items of further lists.
#[inline(always)]
pub(crate) fn sum_lists<F: FpLimbs>(items: Items, lengths: &[u32], out: &mut [Point]) {
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
    let first = one::<F>().factor();
    let empty = Step { run: first.widen(), before: first, minus_rise: first.widen() };
    let mut steps = vec![empty; additions.len().min(batch::<F>())];
    let mut vectors = Some(&vectors[..]);
    while !additions.is_empty() || vectors.is_some() {
        let vectors = vectors.take();
        let (additions_of_round, sums, steps) = (&additions[..], &mut sums[..], &mut steps[..]);
        F::outlined(Round { items, vectors, additions: additions_of_round, sums, steps });
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
