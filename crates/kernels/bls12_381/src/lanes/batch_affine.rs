//! Batch affine addition with an addition in each lane.
//!
//! The two passes are those of the backend `blst`, over vectors: each lane has its own running product. Points in
//! memory have the form of blst, times 2^384, and so have elements here. A product of two divides by 2^392, so it is
//! 2^−8 times theirs. That cancels out in the quotient of products that an inverse is; the inverses get a factor 2^12,
//! which makes each slope 2^4 times the slope, its square the square, and its product with a coordinate 2^−4 of it.

use super::MOST_LANES;
use super::fp::{Element, Words28};
use crate::curve::batch_affine::{Accumulate, Sum};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::field::fp::{self, ONE, Words, power_of_two};

/// Vectors that share an inversion: what is kept for each between the passes, up to 2.6 KiB, should stay in the second
/// cache.
const BATCH: usize = 128;

/// Distance of prefetching, in vectors.
const AHEAD: usize = 2;

/// Additions of an instruction set.
pub(crate) trait PointLanes: std::fmt::Debug + Send + Sync + std::panic::RefUnwindSafe {
    /// Returns the number of lanes.
    fn lanes(&self) -> usize;

    /// Returns whether lanes take less time for this number of additions: each lane has a product of its own to invert.
    fn are_worthwhile(&self, sums: usize) -> bool {
        sums >= 2 * self.lanes()
    }

    /// Adds as [`BatchAffine::add_multiples`](crate::curve::batch_affine::BatchAffine::add_multiples) does, at least one sum.
    fn add_multiples(&self, tables: &[GlvTable], sums: &[Sum], out: &mut [Point]);

    /// Adds as [`BatchAffine::accumulate`](crate::curve::batch_affine::BatchAffine::accumulate) does, at least one sum.
    fn accumulate(&self, points: &mut [Point], sums: &[Accumulate]);
}

/// Vectors of words that are read from and written to elements in memory.
pub(crate) trait PointWords: Words28 {}

impl<W: Words28> PointWords for W {}

/// Factors of an inverse, and of the square of x in three of them.
const OF_INVERSE: Words = power_of_two(384 + 20);
const OF_SQUARE: Words = power_of_two(384 + 16);

/// A point in each lane.
#[derive(Clone, Copy)]
struct Points<W> {
    x: Element<W, 3, 3>,
    y: Element<W, 2, 2>,
    /// Ones in the lanes that may be infinity, which is all zero.
    may_be_infinity: W,
}

/// Values that the first pass keeps for the second, for a vector of additions a + b.
#[derive(Clone, Copy)]
struct Step<W> {
    /// b.x − a.x, or the other value to invert.
    run: Element<W, 7, 7>,
    /// Product of all runs before this one.
    before: Element<W, 1, 4>,
    /// a.y − b.y, or the other numerator of the negative slope.
    minus_rise: Element<W, 5, 5>,
}

/// The lanes of a vector in which the sum a + b is not on a chord.
struct Special<W> {
    vector: usize,
    /// a and b are equal.
    tangent: W,
    /// The sum is an operand or infinity.
    known: W,
    /// The sum in these lanes.
    sum: [Element<W, 1, 1>; 2],
}

/// Returns ones where there were zeros.
#[inline(always)]
pub(super) fn not<W: PointWords>(mask: W) -> W {
    W::all(u64::MAX).minus(mask)
}

/// Returns the items of a vector; past the end the last one is repeated, which repeats work only.
#[inline(always)]
fn items<W: PointWords, T: Copy>(items: &[T], vector: usize) -> [T; MOST_LANES] {
    let mut all = [items[items.len() - 1]; MOST_LANES];
    for (out, item) in all[..W::LANES].iter_mut().zip(&items[W::LANES * vector..]) {
        *out = *item;
    }
    all
}

/// Returns the elements of all lanes.
#[inline(always)]
pub(super) fn load<W: PointWords>(elements: &[&Words; MOST_LANES]) -> Element<W, 1, 1> {
    Element::from_words(&W::gather(elements))
}

/// Returns ones in the lanes with a unit that leaves this rest modulo n.
#[inline(always)]
fn units<W: PointWords>(operands: &[Operand; MOST_LANES], n: u32, rest: u32) -> W {
    let mut words = [0; MOST_LANES];
    for (word, operand) in words.iter_mut().zip(operands) {
        *word = if operand.unit() % n == rest { u64::MAX } else { 0 };
    }
    W::load(&words)
}

/// Returns a multiple in each lane.
#[inline(always)]
fn multiples<W: PointWords>(tables: &[GlvTable], operands: &[Operand; MOST_LANES]) -> Points<W> {
    // x of unit k is x for k = 0, 3, βx for 2, 5, and the negative sum of both for 1, 4.
    let mut elements = [&ONE; MOST_LANES];
    for (element, operand) in elements[..W::LANES].iter_mut().zip(operands) {
        let table = &tables[operand.index()];
        *element = if operand.unit() % 3 == 2 { &table.beta_x } else { &table.x };
    }
    let first = load::<W>(&elements);
    let mut x = first.widen();
    let both = units::<W>(operands, 3, 1);
    if both.has_high_bit() {
        for (element, operand) in elements[..W::LANES].iter_mut().zip(operands) {
            *element = &tables[operand.index()].beta_x;
        }
        let sum: Element<W, 2, 2> = first.plus(&load(&elements));
        x = x.or_in(both, &sum.minus());
    }
    for (element, operand) in elements[..W::LANES].iter_mut().zip(operands) {
        *element = &tables[operand.index()].y;
    }
    let y = load::<W>(&elements);
    let odd = units(operands, 2, 1);
    Points { x, y: y.widen().or_in(odd, &y.minus()), may_be_infinity: y.may_be_zeros() }
}

/// Returns the point with each index.
#[inline(always)]
fn elements<W: PointWords>(points: &[Point], indices: &[u32; MOST_LANES]) -> Points<W> {
    let mut elements = [[&ONE; MOST_LANES]; 2];
    for lane in 0..W::LANES {
        let point = &points[indices[lane] as usize];
        (elements[0][lane], elements[1][lane]) = (&point.x, &point.y);
    }
    let y = load::<W>(&elements[1]);
    Points { x: load(&elements[0]).widen(), y: y.widen(), may_be_infinity: y.may_be_zeros() }
}

/// Writes the point of each lane to its index.
#[inline(always)]
fn put<W: PointWords>(points: &mut [Point], indices: &[u32; MOST_LANES], [x, y]: &[Element<W, 1, 1>; 2]) {
    let mut words = [[[0; 6]; MOST_LANES]; 2];
    W::scatter(x.to_words(), &mut words[0]);
    W::scatter(y.to_words(), &mut words[1]);
    for lane in 0..W::LANES {
        points[indices[lane] as usize] = Point { x: words[0][lane], y: words[1][lane] };
    }
}

/// Returns 2^12 times the inverses of two products, in each lane.
#[inline(always)]
fn inverses<W: PointWords>(products: &[Element<W, 1, 4>; 2]) -> [Element<W, 1, 4>; 2] {
    let mut all = [[[0; 6]; MOST_LANES]; 2];
    for (all, product) in all.iter_mut().zip(products) {
        W::scatter(product.canonical().to_words(), all);
        // Lanes past the last one.
        all[W::LANES..].fill(ONE);
    }
    fp::invert_all(all.as_flattened_mut());
    let factor = Element::<W, 1, 1>::constant(&OF_INVERSE);
    let mut inverses = *products;
    for (inverse, words) in inverses.iter_mut().zip(&all) {
        let [a, b, c, d, e, f, g, h] = words;
        *inverse = load::<W>(&[a, b, c, d, e, f, g, h]).times(&factor);
    }
    inverses
}

/// Returns the lanes of a + b that are not on a chord, and changes the run and the rise in these.
#[cold]
#[inline(always)]
fn specials<W: PointWords>(vector: usize, step: &mut Step<W>, [a, b]: &[Points<W>; 2]) -> Special<W> {
    let [a_x, a_y, b_x, b_y] = [a.x.canonical(), a.y.canonical(), b.x.canonical(), b.y.canonical()];
    // No point of the curve has y = 0.
    let (no_a, no_b) = (a_y.zeros(), b_y.zeros());
    let no_point = no_a.or(no_b);
    let same_x = a_x.equals(&b_x).and(not(no_point));
    let tangent = same_x.and(a_y.equals(&b_y));
    let infinity = same_x.and(not(tangent));
    let known = no_point.or(infinity);
    step.run = step.run.or_in(known, &Element::<W, 1, 1>::constant(&ONE).widen());
    step.run = step.run.or_in(tangent, &a_y.plus::<1, 1, 7, 7>(&a_y));
    let square: Element<W, 1, 4> = a_x.square().times(&Element::<W, 1, 1>::constant(&OF_SQUARE));
    let three: Element<W, 3, 12> = square.plus::<1, 4, 2, 8>(&square).plus(&square);
    let rise: Element<W, 4, 13> = three.minus();
    step.minus_rise = step.minus_rise.or_in(tangent, &rise.canonical().widen());
    let mut sum = [a_x, a_y];
    for (sum, b) in sum.iter_mut().zip([b_x, b_y]) {
        *sum = sum.or_in(no_a, &b).or_in(infinity, &Element::zero());
    }
    Special { vector, tangent, known, sum }
}

/// Additions, in vectors.
trait Additions<W> {
    /// Returns both operands of a vector, and may prefetch those of later ones.
    fn operands(&self, vector: usize) -> [Points<W>; 2];

    /// Returns the first operand again.
    fn first(&self, vector: usize) -> Points<W>;

    /// Writes the sums of a vector.
    fn put(&mut self, vector: usize, sum: &[Element<W, 1, 1>; 2]);
}

/// The additions of [`BatchAffine::add_multiples`](crate::curve::batch_affine::BatchAffine::add_multiples).
struct Multiples<'a> {
    tables: &'a [GlvTable],
    sums: &'a [Sum],
    out: &'a mut [Point],
}

impl<W: PointWords> Additions<W> for Multiples<'_> {
    #[inline(always)]
    fn operands(&self, vector: usize) -> [Points<W>; 2] {
        for sum in self.sums.iter().skip(W::LANES * (vector + AHEAD)).take(W::LANES) {
            self.tables[sum.a.index()].prefetch();
            self.tables[sum.b.index()].prefetch();
        }
        let sums = items::<W, _>(self.sums, vector);
        [multiples(self.tables, &sums.map(|sum| sum.a)), multiples(self.tables, &sums.map(|sum| sum.b))]
    }

    #[inline(always)]
    fn first(&self, vector: usize) -> Points<W> {
        multiples(self.tables, &items::<W, _>(self.sums, vector).map(|sum| sum.a))
    }

    #[inline(always)]
    fn put(&mut self, vector: usize, sum: &[Element<W, 1, 1>; 2]) {
        put(self.out, &items::<W, _>(self.sums, vector).map(|sum| sum.to), sum);
    }
}

/// The additions of [`BatchAffine::accumulate`](crate::curve::batch_affine::BatchAffine::accumulate).
struct InPlace<'a> {
    points: &'a mut [Point],
    sums: &'a [Accumulate],
}

impl<W: PointWords> Additions<W> for InPlace<'_> {
    #[inline(always)]
    fn operands(&self, vector: usize) -> [Points<W>; 2] {
        let sums = items::<W, _>(self.sums, vector);
        [elements(self.points, &sums.map(|sum| sum.to)), elements(self.points, &sums.map(|sum| sum.from))]
    }

    #[inline(always)]
    fn first(&self, vector: usize) -> Points<W> {
        elements(self.points, &items::<W, _>(self.sums, vector).map(|sum| sum.to))
    }

    #[inline(always)]
    fn put(&mut self, vector: usize, sum: &[Element<W, 1, 1>; 2]) {
        put(self.points, &items::<W, _>(self.sums, vector).map(|sum| sum.to), sum);
    }
}

/// Adds this number of vectors.
// Functions that compute with vectors are methods of traits, not closures: these are not always inlined into functions
// of an instruction set.
#[inline(always)]
fn add_all<W: PointWords>(vectors: usize, additions: &mut impl Additions<W>) {
    let one = Element::<W, 1, 1>::constant(&ONE);
    let empty = Step { run: one.widen(), before: one.widen(), minus_rise: one.widen() };
    let mut steps = vec![empty; vectors.min(BATCH)];
    let mut special: Vec<Special<W>> = Vec::new();
    for begin in (0..vectors).step_by(BATCH) {
        let end = vectors.min(begin + BATCH);
        // Two chains of products, so that no multiplication waits for the one before.
        let mut products = [one.widen::<1, 4>(); 2];
        for (vector, step) in (begin..end).zip(&mut steps) {
            let both = additions.operands(vector);
            let [a, b] = &both;
            step.run = b.x.less(&a.x);
            step.minus_rise = a.y.less(&b.y);
            let doubtful = a.may_be_infinity.or(b.may_be_infinity).or(step.run.may_be_zero());
            if doubtful.has_high_bit() {
                special.push(specials(vector, step, &both));
            }
            let product = &mut products[vector % 2];
            step.before = *product;
            *product = step.before.times(&step.run);
        }
        let mut inverse = inverses(&products);
        for (vector, step) in (begin..end).zip(&steps).rev() {
            let inverse = &mut inverse[vector % 2];
            let inverse_of_run = inverse.times(&step.before);
            *inverse = inverse.times(&step.run);
            let slope = step.minus_rise.times(&inverse_of_run);
            let special = special.pop_if(|special| special.vector == vector);
            let a = additions.first(vector);
            let three_x: Element<W, 9, 9> = a.x.plus::<3, 3, 6, 6>(&a.x).plus(&a.x);
            let mut xs: Element<W, 16, 16> = three_x.plus(&step.run);
            if let Some(special) = &special {
                // The value inverted is another, and b.x is a.x.
                xs = xs.or_in(special.tangent, &three_x.widen());
            }
            // With λ the negative slope and u = λ² − 2·a.x − b.x, the sum is (a.x + u, λu − a.y).
            let u: Element<W, 18, 21> = slope.square().plus(&xs.minus::<17, 17>());
            let u = u.carried();
            let across: Element<W, 16, 64> = slope.times(&u).doubled::<4, 16, 64>();
            let y: Element<W, 19, 67> = across.plus(&a.y.minus::<3, 3>());
            let mut sum = [u.plus::<3, 3, 4, 24>(&a.x).canonical(), y.canonical()];
            if let Some(Special { known, sum: [x, y], .. }) = special {
                sum = [sum[0].or_in(known, &x), sum[1].or_in(known, &y)];
            }
            additions.put(vector, &sum);
        }
    }
}

/// Does what [`BatchAffine::add_multiples`](crate::curve::batch_affine::BatchAffine::add_multiples) does, for at least one sum.
#[inline(always)]
pub(crate) fn add_multiples<W: PointWords>(tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) {
    add_all::<W>(sums.len().div_ceil(W::LANES), &mut Multiples { tables, sums, out });
}

/// Does what [`BatchAffine::accumulate`](crate::curve::batch_affine::BatchAffine::accumulate) does, for at least one sum.
#[inline(always)]
pub(crate) fn accumulate<W: PointWords>(points: &mut [Point], sums: &[Accumulate]) {
    add_all::<W>(sums.len().div_ceil(W::LANES), &mut InPlace { points, sums });
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_cpu::{Backend, Row};

    use super::super::validation;
    use super::*;
    use crate::arch::generic::blst::Blst;
    use crate::costs::FpCosts;
    use crate::curve::validation::PointValidation;
    use crate::dispatch::{FpFunctions, FpRow};
    use crate::{Error, G1Affine};

    /// The model as a backend.
    #[derive(Debug)]
    struct Model;

    impl PointLanes for Model {
        fn lanes(&self) -> usize {
            4
        }

        fn add_multiples(&self, tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) {
            add_multiples::<[u64; 4]>(tables, sums, out);
        }

        fn accumulate(&self, points: &mut [Point], sums: &[Accumulate]) {
            accumulate::<[u64; 4]>(points, sums);
        }
    }

    impl PointValidation for Model {
        fn decompress(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]) {
            validation::decompress::<[u64; 4], true>(compressed, out);
        }

        fn decompress_on_curve(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]) {
            validation::decompress::<[u64; 4], false>(compressed, out);
        }

        fn are_in_subgroup(&self, points: &[G1Affine]) -> bool {
            validation::are_in_subgroup::<[u64; 4]>(points)
        }
    }

    /// The model as a row.
    pub(crate) static MODEL: FpRow = Row::new(
        Backend::Portable,
        FpFunctions::new(&Blst { sums: Some(&Model), validation: Some(&Model) }, FpCosts::AVX2),
    );

    /// Checks that elements are read from and written to memory in their lanes.
    #[inline(always)]
    pub(crate) fn elements_keep_their_lanes<W: PointWords>() {
        let all: [Words; MOST_LANES] =
            std::array::from_fn(|lane| std::array::from_fn(|word| (10 * lane + word) as u64));
        let words = W::gather(&all.each_ref());
        for (i, word) in words.iter().enumerate() {
            let mut lanes = vec![0; W::LANES];
            word.store(&mut lanes);
            assert!(lanes.into_iter().eq(all.iter().take(W::LANES).map(|element| element[i])));
        }
        let mut copy = [[7; 6]; MOST_LANES];
        W::scatter(words, &mut copy);
        assert_eq!(copy[..W::LANES], all[..W::LANES]);
    }
}
