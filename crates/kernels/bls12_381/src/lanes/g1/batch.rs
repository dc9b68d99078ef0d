//! Batch affine addition with an addition in each lane.
//!
//! The two passes are those of the backend `blst`, over vectors: each lane has its own running product. Points in
//! memory are times 2^FORM, and so are elements here. With S = R − FORM, a product of two is 2^−S times theirs in that
//! form. That cancels out in the quotient of products that an inverse is; the inverses get a factor that makes each
//! slope 2^(S / 2) times the slope, its square the square, and its product with a coordinate 2^−(S / 2) of it.

use parcrypt_simd::Call;

use super::super::MAX_LANES;
use super::super::fp::{Element, Factor, FpLimbs};
use super::{Points, elements, first_items, points, put};
use crate::curve::endomorphism::GlvTable;
use crate::curve::point::Point;
use crate::field::fp::{Words, power_of_two};
use crate::lanes::Words as _;
use crate::{G1Affine, ffi};

/// Vectors that share an inversion. What is kept for each between the passes, three elements, has to stay in the second
/// cache beside the operands: up to 2.6 KiB in fourteen limbs, and 1.5 KiB in eight.
pub(super) const fn batch<F: FpLimbs>() -> usize {
    if F::COUNT > 8 { 128 } else { 256 }
}

/// S, which is R − FORM.
pub(super) const fn shift<F: FpLimbs>() -> i32 {
    F::R - F::FORM
}

/// The exponent of the factor after an inversion by blst, which returns 2^768 / a for the integer a: the Montgomery
/// product of that with the factor is 2^(2·FORM + 3/2·S + more) / a.
pub(super) const fn of_inverse<F: FpLimbs>(more: i32) -> i32 {
    2 * F::FORM + 3 * shift::<F>() / 2 + F::R - 768 + more
}

/// 1 in the form of memory.
#[inline(always)]
pub(super) fn one<F: FpLimbs>() -> Element<F, 1, 1> {
    Element::constant(const { &power_of_two(F::FORM) })
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

/// The call of [`inverses`].
pub(super) struct Inverses<'a, F> {
    pub(super) products: &'a [Factor<F, 1, 1>; 2],
    pub(super) factor: &'a Element<F, 1, 1>,
}

impl<F: FpLimbs> Call for Inverses<'_, F> {
    type Result = [Factor<F, 1, 1>; 2];

    #[inline(always)]
    fn call(self) -> [Factor<F, 1, 1>; 2] {
        inverses(self.products, self.factor)
    }
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
