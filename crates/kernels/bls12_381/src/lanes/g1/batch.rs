//! Batch affine addition with an addition in each lane.
//!
//! The two passes are those of the backend `blst`, over vectors: each lane has its own running product. Points in
//! memory are times 2^FORM, and so are elements here. With S = R − FORM, a product of two is 2^−S times theirs in that
//! form. That cancels out in the quotient of products that an inverse is; the inverses get a factor that makes each
//! slope 2^(S / 2) times the slope, its square the square, and its product with a coordinate 2^−(S / 2) of it.

use parcrypt_simd::Call;

use super::super::MAX_LANES;
use super::super::fp::{Element, Factor, FpLimbs};
use super::{Points, elements, first_items, items, multiples, points, put};
use crate::curve::batch_affine::{Accumulate, Sum};
use crate::curve::endomorphism::GlvTable;
use crate::curve::point::Point;
use crate::field::fp::{Words, power_of_two};
use crate::lanes::Words as _;
use crate::{G1Affine, ffi};

/// Distance of prefetching, in vectors: operands lie anywhere in a table that is larger than the second cache.
pub(super) const AHEAD: usize = 2;

/// Vectors that share an inversion. What is kept for each between the passes, three elements, has to stay in the second
/// cache beside the operands: up to 2.6 KiB in fourteen limbs, and 1.5 KiB in eight.
const fn batch<F: FpLimbs>() -> usize {
    if F::COUNT > 8 { 128 } else { 256 }
}

/// S, which is R − FORM.
const fn shift<F: FpLimbs>() -> i32 {
    F::R - F::FORM
}

/// The exponent of the factor after an inversion by blst, which returns 2^768 / a for the integer a: the Montgomery
/// product of that with the factor is 2^(2·FORM + 3/2·S + more) / a.
const fn of_inverse<F: FpLimbs>(more: i32) -> i32 {
    2 * F::FORM + 3 * shift::<F>() / 2 + F::R - 768 + more
}

/// 1 in the form of memory.
#[inline(always)]
fn one<F: FpLimbs>() -> Element<F, 1, 1> {
    Element::constant(const { &power_of_two(F::FORM) })
}

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

/// Returns the words of the first lane.
#[inline(always)]
pub(super) fn first_lane<F: FpLimbs>(element: &Element<F, 1, 1>) -> [u64; 6] {
    let words = element.canonical().to_words();
    let mut first = [0; 6];
    for (first, word) in first.iter_mut().zip(words) {
        let mut lanes = [0; MAX_LANES];
        word.store(&mut lanes[..F::LANES]);
        *first = lanes[0];
    }
    first
}

/// Returns lane i ^ BIT in lane i.
#[inline(always)]
pub(super) fn swapped<F: FpLimbs, const BIT: usize>(factor: &Factor<F, 1, 1>) -> Factor<F, 1, 1> {
    let limbs = factor.0.all();
    Factor(F::each(|i| limbs[i].exchange::<BIT>()))
}

/// Returns the inverses of two products, in each lane, times a factor.
#[inline(always)]
fn inverses<F: FpLimbs>(products: &[Factor<F, 1, 1>; 2], factor: &Element<F, 1, 1>) -> [Factor<F, 1, 1>; 2] {
    // First the product of all lanes, with the factors of the other half at each level.
    let both = products[0].times(&products[1]);
    let by_1 = swapped::<F, 1>(&both);
    let (two, mut by_2) = (both.times(&by_1), both);
    let (mut four, mut by_4) = (two, both);
    if F::LANES > 2 {
        by_2 = swapped::<F, 2>(&two);
        four = two.times(&by_2);
    }
    let mut all = four;
    if F::LANES > 4 {
        by_4 = swapped::<F, 4>(&four);
        all = four.times(&by_4);
    }
    let mut inverse = [0; 6];
    ffi::fp_inverse(&mut inverse, &first_lane(&all.element()));
    let mut inverse = Element::constant(&inverse).factor().times(&factor.factor());
    if F::LANES > 4 {
        inverse = inverse.times(&by_4);
    }
    if F::LANES > 2 {
        inverse = inverse.times(&by_2);
    }
    let of_both = inverse.times(&by_1);
    [of_both.times(&products[1]), of_both.times(&products[0])]
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

/// The call of [`inverses`].
struct Inverses<'a, F> {
    products: &'a [Factor<F, 1, 1>; 2],
    factor: &'a Element<F, 1, 1>,
}

impl<F: FpLimbs> Call for Inverses<'_, F> {
    type Result = [Factor<F, 1, 1>; 2];

    #[inline(always)]
    fn call(self) -> [Factor<F, 1, 1>; 2] {
        inverses(self.products, self.factor)
    }
}

/// Additions, in vectors.
// Functions that compute with vectors are methods of traits, not closures: these are not always inlined into functions
// of an instruction set.
pub(super) trait Additions<F> {
    /// Prefetches operands of a vector.
    #[inline(always)]
    fn prefetch(&self, _vector: usize) {}

    /// Returns both operands of a vector, and the lanes in which one may be infinity. Those that are not in memory as
    /// vectors are written to `room`.
    fn operands<'m>(&'m mut self, room: &'m mut [Points<F>; 2], vector: usize) -> ([&'m Points<F>; 2], u8);

    /// Returns the first operand again.
    fn first<'m>(&'m self, room: &'m mut Points<F>, vector: usize) -> &'m Points<F>;

    /// Writes the sums of a vector.
    fn put(&mut self, vector: usize, sum: &[Element<F, 1, 1>; 2]);
}

/// Adds this number of vectors.
#[inline(always)]
pub(super) fn add_all<F: FpLimbs>(vectors: usize, additions: &mut impl Additions<F>) {
    let first = one::<F>().factor();
    let empty = Step { run: first.widen(), before: first, minus_rise: first.widen() };
    let mut steps = vec![empty; vectors.min(batch::<F>())];
    let mut special: Vec<Special<F>> = Vec::new();
    let mut room = [Points { x: Element::zero(), y: Element::zero() }; 2];
    for begin in (0..vectors).step_by(batch::<F>()) {
        let end = vectors.min(begin + batch::<F>());
        // Two chains of products, so that no multiplication waits for the one before.
        let mut products = [first; 2];
        for (vector, step) in (begin..end).zip(&mut steps) {
            additions.prefetch(vector + AHEAD);
            let ([a, b], may_be_infinity) = additions.operands(&mut room, vector);
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
        for (vector, step) in (begin..end).zip(&steps).rev() {
            let inverse = &mut inverse[vector % 2];
            let inverse_of_run = inverse.times(&step.before);
            *inverse = inverse.times(&step.run);
            let slope = step.minus_rise.times(&inverse_of_run);
            let special = special.pop_if(|special| special.vector == vector);
            let a = additions.first(&mut room[0], vector);
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
            additions.put(vector, &sum);
        }
    }
}

/// The additions of [`add_multiples`].
struct Multiples<'a> {
    tables: &'a [GlvTable],
    sums: &'a [Sum],
    out: &'a mut [Point],
}

impl<F: FpLimbs> Additions<F> for Multiples<'_> {
    #[inline(always)]
    fn prefetch(&self, vector: usize) {
        for sum in self.sums.iter().skip(F::LANES * vector).take(F::LANES) {
            self.tables[sum.a.index()].prefetch();
            self.tables[sum.b.index()].prefetch();
        }
    }

    #[inline(always)]
    fn operands<'m>(&'m mut self, room: &'m mut [Points<F>; 2], vector: usize) -> ([&'m Points<F>; 2], u8) {
        let (sums, [a, b]) = (items::<F, _>(self.sums, vector), room);
        let may_be_infinity = multiples(self.tables, &sums.map(|sum| sum.a), a)
            | multiples(self.tables, &sums.map(|sum| sum.b), b);
        ([a, b], may_be_infinity)
    }

    #[inline(always)]
    fn first<'m>(&'m self, room: &'m mut Points<F>, vector: usize) -> &'m Points<F> {
        multiples(self.tables, &items::<F, _>(self.sums, vector).map(|sum| sum.a), room);
        room
    }

    #[inline(always)]
    fn put(&mut self, vector: usize, sum: &[Element<F, 1, 1>; 2]) {
        put(self.out, &items::<F, _>(self.sums, vector).map(|sum| sum.to as usize), sum);
    }
}

/// Adds as [`BatchAffine::add_multiples`](crate::curve::batch_affine::BatchAffine::add_multiples) does.
#[inline(always)]
pub(crate) fn add_multiples<F: FpLimbs>(tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) {
    add_all::<F>(sums.len().div_ceil(F::LANES), &mut Multiples { tables, sums, out });
}

/// The additions of [`accumulate`].
struct InPlace<'a> {
    points: &'a mut [Point],
    sums: &'a [Accumulate],
}

impl<F: FpLimbs> Additions<F> for InPlace<'_> {
    #[inline(always)]
    fn operands<'m>(&'m mut self, room: &'m mut [Points<F>; 2], vector: usize) -> ([&'m Points<F>; 2], u8) {
        let (sums, [a, b]) = (items::<F, _>(self.sums, vector), room);
        let may_be_infinity = points(self.points, &sums.map(|sum| sum.to as usize), a)
            | points(self.points, &sums.map(|sum| sum.from as usize), b);
        ([a, b], may_be_infinity)
    }

    #[inline(always)]
    fn first<'m>(&'m self, room: &'m mut Points<F>, vector: usize) -> &'m Points<F> {
        points(self.points, &items::<F, _>(self.sums, vector).map(|sum| sum.to as usize), room);
        room
    }

    #[inline(always)]
    fn put(&mut self, vector: usize, sum: &[Element<F, 1, 1>; 2]) {
        put(self.points, &items::<F, _>(self.sums, vector).map(|sum| sum.to as usize), sum);
    }
}

/// Adds as [`BatchAffine::accumulate`](crate::curve::batch_affine::BatchAffine::accumulate) does.
#[inline(always)]
pub(crate) fn accumulate<F: FpLimbs>(points: &mut [Point], sums: &[Accumulate]) {
    add_all::<F>(sums.len().div_ceil(F::LANES), &mut InPlace { points, sums });
}

/// A vector of points between doublings.
#[derive(Clone, Copy)]
struct Doubling<F> {
    x: Element<F, 1, 1>,
    y: Element<F, 1, 1>,
    /// Product of all 2y before this one.
    before: Factor<F, 1, 1>,
    /// Lanes of infinity, which hold (0, ±1) instead: a point of order 3 of another curve, whose y is never 0.
    infinite: u8,
}

/// Returns −3x², the negative rise of a tangent, times 2^−S.
#[inline(always)]
fn minus_3_squares<F: FpLimbs>(x: &Element<F, 1, 1>) -> Factor<F, 4, 4> {
    let square = x.factor().squared();
    let rise: Element<F, 4, 4> = square.plus::<1, 1, 2, 2>(&square).plus::<1, 1, 3, 3>(&square).negative();
    rise.factor()
}

/// Returns the double of a point, given the slope of its tangent.
#[inline(always)]
fn double_by<F: FpLimbs>(
    x: &Element<F, 1, 1>,
    y: &Element<F, 1, 1>,
    slope: &Factor<F, 1, 1>,
) -> [Element<F, 1, 1>; 2] {
    let minus_3x: Element<F, 4, 4> = x.plus::<1, 1, 2, 2>(x).plus::<1, 1, 3, 3>(x).negative();
    let u: Element<F, 5, 5> = slope.square_plus(&minus_3x);
    let y: Element<F, 18, 18> = slope.times_in_form_plus(&u.carried(), &y.negative::<2, 2>());
    [u.plus::<1, 1, 6, 6>(x).canonical(), y.canonical()]
}

/// Doubles as [`BatchAffine::double`](crate::curve::batch_affine::BatchAffine::double) does.
#[inline(always)]
pub(crate) fn double<F: FpLimbs>(all: &mut [Point], times: usize) {
    let (one, batch) = (one::<F>(), batch::<F>());
    let first = one.factor();
    let empty = Doubling { x: one, y: one, before: first, infinite: 0 };
    // An even number of vectors, in memory as limbs until the last doubling.
    let mut vectors = vec![[empty; 2]; all.len().div_ceil(2 * F::LANES).min(batch / 2)];
    for all in all.chunks_mut(F::LANES * batch) {
        let vectors = &mut vectors[..all.len().div_ceil(2 * F::LANES)];
        let last = all.len() - 1;
        let indices = |vector: usize| std::array::from_fn(|lane| (F::LANES * vector + lane).min(last));
        for (i, vector) in vectors.as_flattened_mut().iter_mut().enumerate() {
            let (mut point, indices) = (Points { x: Element::zero(), y: Element::zero() }, indices(i));
            points(all, &indices, &mut point);
            let (x, y) = (point.x.canonical(), point.y.canonical());
            // Only infinity has y = 0.
            let infinite = y.zeros();
            *vector = Doubling { x, y: y.select(infinite, &one), before: first, infinite };
        }
        for _ in 0..times {
            let mut products = [first; 2];
            for pair in vectors.iter_mut() {
                for (vector, product) in pair.iter_mut().zip(&mut products) {
                    vector.before = *product;
                    *product = product.times(&vector.y.doubled::<1, 2, 2>().factor());
                }
            }
            let factor = Element::constant(const { &power_of_two(of_inverse::<F>(shift::<F>())) });
            let mut inverse = F::outlined(Inverses { products: &products, factor: &factor });
            for [a, b] in vectors.iter_mut().rev() {
                // Both at once, so that a product need not wait for the one before.
                let minus_rise = [minus_3_squares(&a.x), minus_3_squares(&b.x)];
                let of_run = [inverse[0].times(&a.before), inverse[1].times(&b.before)];
                inverse[0] = inverse[0].times(&a.y.doubled::<1, 2, 2>().factor());
                inverse[1] = inverse[1].times(&b.y.doubled::<1, 2, 2>().factor());
                let slope = [minus_rise[0].times(&of_run[0]), minus_rise[1].times(&of_run[1])];
                [a.x, a.y] = double_by(&a.x, &a.y, &slope[0]);
                [b.x, b.y] = double_by(&b.x, &b.y, &slope[1]);
            }
        }
        for (i, vector) in vectors.as_flattened().iter().take(all.len().div_ceil(F::LANES)).enumerate() {
            let sum = [vector.x.only_in(!vector.infinite), vector.y.only_in(!vector.infinite)];
            put(all, &indices(i), &sum);
        }
    }
}

/// Returns both coordinates of points times a factor.
#[inline(always)]
fn scaled<F: FpLimbs>(points: [[&Words; MAX_LANES]; 2], factor: &Factor<F, 1, 1>) -> [Element<F, 1, 1>; 2] {
    let [x, y] = [elements::<F>(&points[0]), elements::<F>(&points[1])];
    [x.factor().times(factor).element().canonical(), y.factor().times(factor).element().canonical()]
}

/// Returns the coordinates of the first points.
#[inline(always)]
pub(super) fn coordinates_of_blst(points: &[G1Affine]) -> [[&Words; MAX_LANES]; 2] {
    let points = first_items(points);
    [points.map(|point| &point.0.x.l), points.map(|point| &point.0.y.l)]
}

/// Converts as [`BatchAffine::import`](crate::curve::batch_affine::BatchAffine::import) does.
#[inline(always)]
pub(crate) fn import<F: FpLimbs>(points: &[G1Affine], out: &mut [Point]) {
    if F::FORM == 384 {
        return points.iter().zip(out).for_each(|(point, out)| *out = Point::of_blst(point));
    }
    let factor = Element::constant(const { &power_of_two(F::FORM + F::R - 384) }).factor();
    for (points, out) in points.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        let last = out.len() - 1;
        let sums = scaled::<F>(coordinates_of_blst(points), &factor);
        put(out, &std::array::from_fn(|lane| lane.min(last)), &sums);
    }
}

/// Converts as [`BatchAffine::export`](crate::curve::batch_affine::BatchAffine::export) does.
#[inline(always)]
pub(crate) fn export<F: FpLimbs>(points: &[Point], out: &mut [G1Affine]) {
    if F::FORM == 384 {
        return points.iter().zip(out).for_each(|(point, out)| *out = point.to_blst());
    }
    let factor = Element::constant(const { &power_of_two(384 + F::R - F::FORM) }).factor();
    for (points, out) in points.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        let points = first_items(points);
        let rows = [points.map(|point| &point.x), points.map(|point| &point.y)];
        let all = super::stored(&scaled::<F>(rows, &factor));
        out.iter_mut().zip(all).for_each(|(out, point)| *out = point.to_blst());
    }
}

/// Writes tables as [`BatchAffine::glv_tables`](crate::curve::batch_affine::BatchAffine::glv_tables) does.
#[inline(always)]
pub(crate) fn glv_tables<F: FpLimbs>(points: &[Point], out: &mut [GlvTable]) {
    let beta = super::beta::<F>();
    for (points, out) in points.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        let x = elements::<F>(&first_items(points).map(|point| &point.x));
        let beta_x = x.factor().times(&beta).element().canonical();
        let all = super::stored(&[beta_x, beta_x]);
        for ((out, point), beta_x) in out.iter_mut().zip(points).zip(all) {
            *out = GlvTable { x: point.x, beta_x: beta_x.x, y: point.y };
        }
    }
}
