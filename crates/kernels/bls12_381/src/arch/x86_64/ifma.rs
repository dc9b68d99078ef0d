//! [`BatchAffine`] with AVX-512 IFMA: eight additions at once, one in each lane.
//!
//! The two passes are as in the reference, over vectors of eight additions instead of single ones: each lane has its
//! own running product. The elements of `field` are lazily reduced; values in memory are below p. Its Montgomery form
//! is times 2^416.

mod constants;
mod decompress;
mod field;
mod fp4;
mod horner;
mod jacobian;
mod jacobian_pair;
mod list_sums;
mod membership;
pub(crate) mod pairing;
mod power;
mod transpose;

use std::arch::x86_64::*;
use std::array;

use crate::constants::BETA;
use crate::curve::batch_affine::{Accumulate, BatchAffine, Sum};
use crate::curve::eisenstein::{Digit, Digits, Eisenstein};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::curve::validation::PointValidation;
use crate::curve::windows::WindowedMultiplication;
use crate::field::fp::{Words, power_of_two};
use crate::{Error, G1, G1Affine, ffi};
use field::{Columns, PRODUCT, Reduced, Unreduced};

/// Lanes of a vector.
const LANES: usize = 8;

/// Vectors that share an inversion. What is kept for each between the passes is 1.5 KiB, which the second cache has to
/// hold beside the operands; the inversion takes as long as 60 additions.
const BATCH: usize = 256;

/// Distance of prefetching, in vectors: operands lie anywhere in a table that is larger than the second cache.
const AHEAD: usize = 2;

parcrypt_cpu::methods! { Ifma: BatchAffine;
    import(points: &[G1Affine], out: &mut [Point]) = import_ifma;
    export(points: &[Point], out: &mut [G1Affine]) = export_ifma;
    glv_tables(points: &[Point], out: &mut [GlvTable]) = glv_tables_ifma;
    add_multiples(tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) = add_multiples_ifma;
    accumulate(points: &mut [Point], sums: &[Accumulate]) = accumulate_ifma;
    sum_multiples(tables: &[GlvTable], operands: &[Operand], lengths: &[u32], out: &mut [Point]) =
        list_sums::sum_multiples_ifma;
    sum_points(points: &[Point], indices: &[u32], lengths: &[u32], out: &mut [Point]) =
        list_sums::sum_points_ifma;
    double(points: &mut [Point], times: usize) = double_ifma;
}

parcrypt_cpu::methods! { Ifma: PointValidation;
    decompress(compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]) =
        decompress::decompress_ifma::<true>;
    decompress_on_curve(compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]) =
        decompress::decompress_ifma::<false>;
    are_in_subgroup(points: &[G1Affine]) -> bool = are_in_subgroup_ifma;
}

parcrypt_cpu::methods! { Ifma: WindowedMultiplication;
    write_digits(digits: &Digits, integers: &[Eisenstein], out: &mut [Digit]) = write_digits_ifma;
    horner(tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) = horner::horner_ifma;
}

/// 1 · 2^416.
const ONE: Words = power_of_two(416);

/// Factor that converts blst's form, times 2^384, to this one.
const FROM_BLST: Words = power_of_two(416 + 416 - 384);

/// Factor that converts this form to blst's.
const TO_BLST: Words = power_of_two(384);

/// Factor after an inversion by blst, which takes a·2^416 as if it were in blst's form and returns 2^(2·384) /
/// (a·2^416): the Montgomery product of that with this is 2^416 / a.
const AFTER_INVERSION: Words = power_of_two(3 * 416 - 2 * 384);

/// A point in each lane.
#[derive(Clone, Copy)]
struct Eight {
    x: Unreduced<3>,
    y: Unreduced<3>,
}

/// Coordinate x of an operand in each lane.
#[derive(Clone, Copy)]
struct Xs {
    x: Unreduced<3>,
    /// Lanes that may be infinity, which is all zero.
    may_be_infinity: __mmask8,
}

/// Values that the first pass keeps for the second, for a vector of additions a + b.
#[derive(Clone, Copy)]
struct Step {
    /// b.x − a.x, or the other value to invert.
    run: Reduced<7>,
    /// Product of all runs before this one.
    before: Reduced<PRODUCT>,
    /// a.y − b.y, or the other numerator of the negative slope.
    minus_rise: Reduced<100>,
}

/// The lanes of a vector in which the sum a + b is not on a chord.
#[derive(Clone, Copy)]
struct Special {
    vector: usize,
    /// a and b are equal.
    tangent: __mmask8,
    /// The sum is an operand or infinity.
    known: __mmask8,
    /// The sum in these lanes.
    sum: [Unreduced<1>; 2],
}

/// Returns eight items from index 8 · `vector` on; past the end the last one is repeated, which repeats work only.
#[inline]
fn eight<T: Copy>(items: &[T], vector: usize) -> [T; LANES] {
    match items[LANES * vector..].first_chunk() {
        Some(all) => *all,
        None => array::from_fn(|lane| items[(LANES * vector + lane).min(items.len() - 1)]),
    }
}

/// Returns the first eight items; past the end the last one is repeated.
#[inline]
fn first_eight<T>(items: &[T]) -> [&T; LANES] {
    array::from_fn(|lane| &items[lane.min(items.len() - 1)])
}

/// Returns the mask of the lanes that are true.
#[inline]
fn mask(lanes: [bool; LANES]) -> __mmask8 {
    lanes.iter().rev().fold(0, |mask, lane| mask << 1 | u8::from(*lane))
}

/// Returns the eight words from word `at` on.
#[inline]
fn words<const N: usize>(all: &[u64; N], at: usize) -> &[u64; 8] {
    &all[at..].as_chunks().0[0]
}

#[inline]
fn table_words(table: &GlvTable) -> &[u64; 18] {
    // SAFETY: it is three arrays of six words, in C's layout.
    unsafe { &*std::ptr::from_ref(table).cast() }
}

#[inline]
fn point_words(point: &Point) -> &[u64; 12] {
    // SAFETY: it is two arrays of six words, in C's layout.
    unsafe { &*std::ptr::from_ref(point).cast() }
}

#[inline]
fn affine_words(point: &G1Affine) -> &[u64; 12] {
    // SAFETY: it is two structs of six words each, in C's layout.
    unsafe { &*std::ptr::from_ref(&point.0).cast() }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn zero_lanes(word: __m512i) -> __mmask8 {
    _mm512_testn_epi64_mask(word, word)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn all_zero_lanes(columns: &Columns) -> __mmask8 {
    zero_lanes(columns.iter().fold(_mm512_setzero_si512(), |all, word| _mm512_or_si512(all, *word)))
}

/// Returns the table of an operand, that of infinity for [`Operand::NONE`].
#[inline]
fn table(tables: &[GlvTable], operand: Operand) -> &GlvTable {
    const INFINITY: &GlvTable = &GlvTable { x: [0; 6], beta_x: [0; 6], y: [0; 6] };
    tables.get(operand.index()).unwrap_or(INFINITY)
}

/// Returns the point with this index, infinity for an index past the end.
#[inline]
fn point(points: &[Point], index: usize) -> &Point {
    points.get(index).unwrap_or(&Point::INFINITY)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn table_xs(tables: &[GlvTable], operands: &[Operand; LANES]) -> Xs {
    // x of unit k is x for k = 0, 3, βx for 2, 5, and the negative sum of both for 1, 4.
    const FIRST: [usize; 8] = [0, 0, 6, 0, 0, 6, 0, 0];
    const OTHER: [usize; 8] = [0, 6, 6, 0, 6, 6, 0, 0];
    let first = transpose::first_six(array::from_fn(|lane| {
        let operand = operands[lane];
        words(table_words(table(tables, operand)), FIRST[operand.unit() as usize])
    }));
    let may_be_infinity = zero_lanes(first[0]);
    let x = Unreduced::from_columns(&first);
    let both = mask(array::from_fn(|lane| matches!(operands[lane].unit(), 1 | 4)));
    if both == 0 {
        return Xs { x: x.widen(), may_be_infinity };
    }
    let other = transpose::first_six(array::from_fn(|lane| {
        let operand = operands[lane];
        words(table_words(table(tables, operand)), OTHER[operand.unit() as usize])
    }));
    let sum: Unreduced<2> = x.plus(Unreduced::from_columns(&other));
    let minus: Unreduced<3> = sum.negative();
    Xs { x: x.widen().or_in(both, minus), may_be_infinity }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn table_ys(tables: &[GlvTable], operands: &[Operand; LANES]) -> Unreduced<2> {
    let y = transpose::last_six(array::from_fn(|lane| words(table_words(table(tables, operands[lane])), 10)));
    let odd = mask(array::from_fn(|lane| operands[lane].unit() & 1 == 1));
    Unreduced::from_columns(&y).negate_in(odd)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn point_xs(points: &[Point], indices: &[usize; LANES]) -> Xs {
    let columns =
        transpose::first_six(array::from_fn(|lane| words(point_words(point(points, indices[lane])), 0)));
    Xs { x: Unreduced::from_columns(&columns).widen(), may_be_infinity: zero_lanes(columns[0]) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn point_ys(points: &[Point], indices: &[usize; LANES]) -> Unreduced<3> {
    let columns =
        transpose::last_six(array::from_fn(|lane| words(point_words(point(points, indices[lane])), 4)));
    Unreduced::from_columns(&columns).widen()
}

/// Writes a multiple to each lane, and returns the lanes in which it may be infinity.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn multiples(tables: &[GlvTable], operands: &[Operand; LANES], out: &mut Eight) -> __mmask8 {
    let Xs { x, may_be_infinity } = table_xs(tables, operands);
    out.x = x;
    out.y = table_ys(tables, operands).widen();
    may_be_infinity
}

/// Writes the point with each index to a lane, and returns the lanes in which it may be infinity.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn elements(points: &[Point], indices: &[usize; LANES], out: &mut Eight) -> __mmask8 {
    let Xs { x, may_be_infinity } = point_xs(points, indices);
    out.x = x;
    out.y = point_ys(points, indices);
    may_be_infinity
}

/// Writes the point of each lane to its index.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn put(points: &mut [Point], to: &[usize; LANES], [x, y]: [Unreduced<1>; 2]) {
    for (to, words) in to.iter().zip(transpose::points(&x.columns(), &y.columns())) {
        transpose::store(&mut points[*to], words);
    }
}

/// Returns the words of the first lane.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn first_lane(product: &Reduced<PRODUCT>) -> Words {
    let words = product.canonical_words();
    words.map(|word| _mm_cvtsi128_si64(_mm512_castsi512_si128(word)).cast_unsigned())
}

/// Returns the inverses of two products, in each lane.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn inverses(products: &[Reduced<PRODUCT>; 2]) -> [Reduced<PRODUCT>; 2] {
    // First the product of all lanes, with the factors of the other half at each level.
    let both = products[0].times(&products[1]);
    let by_1 = both.swap::<1>();
    let two = both.times(&by_1);
    let by_2 = two.swap::<2>();
    let four = two.times(&by_2);
    let by_4 = four.swap::<4>();
    let mut inverse = [0; 6];
    ffi::fp_inverse(&mut inverse, &first_lane(&four.times(&by_4)));
    let inverse = Unreduced::constant(&inverse).carry().times(&Unreduced::constant(&AFTER_INVERSION).carry());
    let of_both = inverse.times(&by_4).times(&by_2).times(&by_1);
    [of_both.times(&products[1]), of_both.times(&products[0])]
}

/// Returns the lanes of a + b that are not on a chord, and changes the run and the rise in these.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn specials(vector: usize, step: &mut Step, a: &Eight, b: &Eight) -> Special {
    let [a_x, a_y, b_x, b_y] = [a.x.canonical(), a.y.canonical(), b.x.canonical(), b.y.canonical()];
    // No point of the curve has y = 0.
    let [no_a, no_b] = [a_y.zeros(), b_y.zeros()];
    let same_x = a_x.equals(&b_x) & !(no_a | no_b);
    let tangent = same_x & a_y.equals(&b_y);
    let infinity = same_x & !tangent;
    let known = no_a | no_b | infinity;
    step.run = step.run.or_in(known, Unreduced::constant(&ONE).carry().widen());
    step.run = step.run.or_in(tangent, a.y.plus::<3, 6>(a.y).carry().widen());
    step.minus_rise = step.minus_rise.or_in(tangent, minus_3_squares(a.x).carry());
    let either = |a: Unreduced<1>, b: Unreduced<1>| a.or_in(no_a, b).only_in(!infinity);
    Special { vector, tangent, known, sum: [either(a_x, b_x), either(a_y, b_y)] }
}

/// Returns −3x², the negative rise of a tangent.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn minus_3_squares(x: Unreduced<3>) -> Unreduced<100> {
    let square: Unreduced<33> = x.carry().square_plus(&Unreduced::<1>::zero());
    let twice: Unreduced<66> = square.plus(square);
    twice.plus::<33, 99>(square).negative()
}

/// Adds vectors of points: `operands(memory, room, i)` are those of vector i, for i below `vectors`, with the lanes in
/// which one may be infinity; `first(memory, room, i)` is the first of them again, and `put(memory, i, sum)` takes the
/// sums. Operands that are not in memory as vectors are written to `room`. `ahead(i)` may prefetch those of later
/// vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn add_all<M: ?Sized>(
    memory: &mut M,
    vectors: usize,
    ahead: impl Fn(usize),
    operands: impl for<'m> Fn(&'m mut M, &'m mut [Eight; 2], usize) -> ([&'m Eight; 2], __mmask8),
    first: impl for<'m> Fn(&'m M, &'m mut Eight, usize) -> &'m Eight,
    put: impl Fn(&mut M, usize, [Unreduced<1>; 2]),
) {
    let one = Unreduced::constant(&ONE).carry();
    let empty = Step { run: one.widen(), before: one.widen(), minus_rise: one.widen() };
    let mut steps = vec![empty; vectors.min(BATCH)];
    let mut special = Vec::new();
    let mut room = [Eight { x: Unreduced::zero(), y: Unreduced::zero() }; 2];
    for begin in (0..vectors).step_by(BATCH) {
        let end = vectors.min(begin + BATCH);
        // Two chains of products, so that no multiplication waits for the one before.
        let mut products = [one.widen::<PRODUCT>(); 2];
        for (vector, step) in (begin..end).zip(&mut steps) {
            ahead(vector);
            let ([a, b], may_be_infinity) = operands(memory, &mut room, vector);
            step.run = b.x.minus::<3, 7>(a.x).carry();
            step.minus_rise = a.y.minus::<3, 7>(b.y).carry().widen();
            if may_be_infinity | step.run.may_be_zero() != 0 {
                special.push(specials(vector, step, a, b));
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
            let special = special.pop_if(|special: &mut Special| special.vector == vector);
            let a = first(memory, &mut room[0], vector);
            let three_x: Unreduced<9> = a.x.plus::<3, 6>(a.x).plus::<3, 9>(a.x);
            let mut xs: Unreduced<16> = three_x.plus(step.run.limbs());
            if let Some(special) = &special {
                // The value inverted is another, and b.x is a.x.
                xs = xs.or_in(special.tangent, three_x.widen());
            }
            // With λ the negative slope and u = λ² − 2·a.x − b.x, the sum is (a.x + u, λu − a.y).
            let u: Unreduced<49> = slope.square_plus(&xs.negative::<17>());
            let y = slope.times_plus::<49, 4, 36>(&u.carry(), &a.y.negative()).canonical();
            let mut sum = [u.plus::<3, 52>(a.x).canonical(), y];
            if let Some(special) = special {
                sum = exceptions(&special, sum);
            }
            put(memory, vector, sum);
        }
    }
}

/// Returns the sums, with an operand or infinity in the special lanes.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn exceptions(special: &Special, sum: [Unreduced<1>; 2]) -> [Unreduced<1>; 2] {
    array::from_fn(|i| sum[i].or_in(special.known, special.sum[i]))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn add_multiples_ifma(tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) {
    add_all(
        out,
        sums.len().div_ceil(LANES),
        |vector| {
            for sum in sums.iter().skip(LANES * (vector + AHEAD)).take(LANES) {
                tables[sum.a.index()].prefetch();
                tables[sum.b.index()].prefetch();
            }
        },
        |_, [a, b], vector| {
            let sums = eight(sums, vector);
            let may_be_infinity =
                multiples(tables, &sums.map(|sum| sum.a), a) | multiples(tables, &sums.map(|sum| sum.b), b);
            ([a, b], may_be_infinity)
        },
        |_, room, vector| {
            multiples(tables, &eight(sums, vector).map(|sum| sum.a), room);
            room
        },
        |out, vector, sum| put(out, &eight(sums, vector).map(|sum| sum.to as usize), sum),
    );
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn accumulate_ifma(points: &mut [Point], sums: &[Accumulate]) {
    let to = |vector| eight(sums, vector).map(|sum| sum.to as usize);
    add_all(
        points,
        sums.len().div_ceil(LANES),
        |_| (),
        |points, [a, b], vector| {
            let from = eight(sums, vector).map(|sum| sum.from as usize);
            let may_be_infinity = elements(points, &to(vector), a) | elements(points, &from, b);
            ([a, b], may_be_infinity)
        },
        |points, room, vector| {
            elements(points, &to(vector), room);
            room
        },
        |points, vector, sum| put(points, &to(vector), sum),
    );
}

/// Writes digits as [`Digits::write`] does, which the compiler makes vectors of.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn write_digits_ifma(digits: &Digits, integers: &[Eisenstein], out: &mut [Digit]) {
    digits.write::<16>(integers, out);
}

/// A vector of points between doublings.
#[derive(Clone, Copy)]
struct Doubling {
    x: Unreduced<1>,
    y: Unreduced<1>,
    /// Product of all 2y before this one.
    before: Reduced<PRODUCT>,
    /// Lanes of infinity, which hold (0, ±1) instead: a point of order 3 of another curve, whose y is never 0.
    infinite: __mmask8,
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn double_ifma(points: &mut [Point], times: usize) {
    let one = Unreduced::constant(&ONE);
    let first: Reduced<PRODUCT> = one.carry().widen();
    let empty = Doubling { x: one, y: one, before: first, infinite: 0 };
    // An even number of vectors, in memory as limbs until the last doubling.
    let mut vectors = vec![[empty; 2]; points.len().div_ceil(2 * LANES).min(BATCH / 2)];
    for points in points.chunks_mut(LANES * BATCH) {
        let vectors = &mut vectors[..points.len().div_ceil(2 * LANES)];
        let last = points.len() - 1;
        let indices = |vector: usize| array::from_fn(|lane| (LANES * vector + lane).min(last));
        for (i, vector) in vectors.as_flattened_mut().iter_mut().enumerate() {
            let Xs { x, .. } = point_xs(points, &indices(i));
            let (x, y) = (x.canonical(), point_ys(points, &indices(i)).canonical());
            // Only infinity has y = 0.
            let infinite = y.zeros();
            *vector = Doubling { x, y: y.or_in(infinite, one), before: first, infinite };
        }
        for _ in 0..times {
            let mut products = [first; 2];
            for pair in vectors.iter_mut() {
                for (vector, product) in pair.iter_mut().zip(&mut products) {
                    vector.before = *product;
                    *product = product.times(&vector.y.doubled::<2>().carry());
                }
            }
            let mut inverse = inverses(&products);
            for [a, b] in vectors.iter_mut().rev() {
                // Both at once, so that a product need not wait for the one before.
                let minus_rise = [minus_3_squares(a.x.widen()), minus_3_squares(b.x.widen())];
                let of_run = [inverse[0].times(&a.before), inverse[1].times(&b.before)];
                inverse[0] = inverse[0].times(&a.y.doubled::<2>().carry());
                inverse[1] = inverse[1].times(&b.y.doubled::<2>().carry());
                let slope =
                    [minus_rise[0].carry().times(&of_run[0]), minus_rise[1].carry().times(&of_run[1])];
                let minus_3x = |x: Unreduced<1>| x.doubled::<2>().plus::<1, 3>(x).negative::<4>();
                let u: [Unreduced<36>; 2] =
                    [slope[0].square_plus(&minus_3x(a.x)), slope[1].square_plus(&minus_3x(b.x))];
                let y: [Unreduced<34>; 2] = [
                    slope[0].times_plus(&u[0].carry(), &a.y.negative::<2>()),
                    slope[1].times_plus(&u[1].carry(), &b.y.negative::<2>()),
                ];
                (a.x, b.x) = (u[0].plus::<1, 37>(a.x).canonical(), u[1].plus::<1, 37>(b.x).canonical());
                (a.y, b.y) = (y[0].canonical(), y[1].canonical());
            }
        }
        for (i, vector) in vectors.as_flattened().iter().take(points.len().div_ceil(LANES)).enumerate() {
            put(points, &indices(i), [vector.x, vector.y].map(|c| c.only_in(!vector.infinite)));
        }
    }
}

/// Returns both coordinates of eight points times a factor.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn scaled(points: [&[u64; 12]; LANES], factor: &Reduced<1>) -> [Columns; 2] {
    let x = transpose::first_six(points.map(|point| words(point, 0)));
    let y = transpose::last_six(points.map(|point| words(point, 4)));
    [x, y].map(|columns| Unreduced::from_columns(&columns).carry().times(factor).canonical_words())
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn import_ifma(points: &[G1Affine], out: &mut [Point]) {
    let factor = Unreduced::constant(&FROM_BLST).carry();
    for (points, out) in points.chunks(LANES).zip(out.chunks_mut(LANES)) {
        let [x, y] = scaled(first_eight(points).map(affine_words), &factor);
        for (out, words) in out.iter_mut().zip(transpose::points(&x, &y)) {
            transpose::store(out, words);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn are_in_subgroup_ifma(points: &[G1Affine]) -> bool {
    let factor = Unreduced::constant(&FROM_BLST).carry();
    points.chunks(2 * LANES).all(|points| {
        let mut vectors = [(Unreduced::<1>::zero(), Unreduced::<1>::zero().widen::<2>()); 2];
        for (vector, points) in vectors.iter_mut().zip(points.chunks(LANES)) {
            let eight = first_eight(points).map(affine_words);
            let [x, y] = scaled(eight, &factor).map(|columns| Unreduced::from_columns(&columns));
            *vector = (x, y.widen());
        }
        let proved = match vectors {
            [one, _] if points.len() <= LANES => [membership::in_group(&[one])[0], 0],
            both => membership::in_group(&both),
        };
        // Infinity and points outside of the group, which are not proved, are left to blst.
        let is_proved = |i: usize| proved[i / LANES] >> (i % LANES) & 1 == 1;
        points.iter().enumerate().all(|(i, point)| is_proved(i) || point.is_in_subgroup())
    })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn export_ifma(points: &[Point], out: &mut [G1Affine]) {
    let factor = Unreduced::constant(&TO_BLST).carry();
    for (points, out) in points.chunks(LANES).zip(out.chunks_mut(LANES)) {
        let [x, y] = scaled(first_eight(points).map(point_words), &factor);
        for (out, words) in out.iter_mut().zip(transpose::points(&x, &y)) {
            let mut point = Point::INFINITY;
            transpose::store(&mut point, words);
            *out = point.to_blst();
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn glv_tables_ifma(points: &[Point], out: &mut [GlvTable]) {
    // BETA is in blst's form.
    let beta = Unreduced::constant(&BETA).carry().times(&Unreduced::constant(&FROM_BLST).carry());
    for (points, out) in points.chunks(LANES).zip(out.chunks_mut(LANES)) {
        let rows = first_eight(points).map(|point| words(point_words(point), 0));
        let beta_x =
            Unreduced::from_columns(&transpose::first_six(rows)).carry().times(&beta).canonical_words();
        // The words of y do not matter.
        for ((out, point), words) in out.iter_mut().zip(points).zip(transpose::points(&beta_x, &beta_x)) {
            let mut beta_x = Point::INFINITY;
            transpose::store(&mut beta_x, words);
            *out = GlvTable { x: point.x, beta_x: beta_x.x, y: point.y };
        }
    }
}
