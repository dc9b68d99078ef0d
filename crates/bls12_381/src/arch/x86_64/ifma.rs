//! [`BatchAffine`] with AVX-512 IFMA: eight additions at once, one in each lane.
//!
//! The two passes are as in the reference, over vectors of eight additions instead of single ones: each lane has its
//! own running product. The elements of `field` are lazily reduced; values in memory are below p. Its Montgomery form
//! is times 2^416.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

mod constants;
mod decompress;
mod field;
mod fr;
mod horner;
mod jacobian;
mod membership;
mod octets;
pub(crate) mod pairing;
mod rows;
mod two;

use std::arch::x86_64::*;
use std::array;

use blst::{blst_fp, blst_fp_eucl_inverse, blst_p1_affine};

use crate::constants::BETA;
use crate::curve::affine::{Accumulate, BatchAffine, Point, Sum};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::field::fp::Words;
use crate::{Error, G1, G1Affine};
use field::{Columns, PRODUCT, Reduced, Unreduced};

/// Lanes of a vector.
const LANES: usize = 8;

/// Vectors that share an inversion. What is kept for each between the passes is 2 KiB, which the second cache has to
/// hold beside the operands; the inversion takes as long as 60 additions.
const BATCH: usize = 128;

/// Distance of prefetching, in vectors: operands lie anywhere in a table that is larger than the second cache.
const AHEAD: usize = 2;

/// The backend `ifma`.
#[derive(Debug)]
pub(crate) struct Ifma {
    /// Only [`Ifma::new`] returns a value.
    _private: (),
}

impl Ifma {
    /// Returns the backend.
    ///
    /// # Safety
    /// The machine must have `Backend::Ifma` wherever a method is called.
    pub(crate) const unsafe fn new() -> Ifma {
        Ifma { _private: () }
    }
}

impl BatchAffine for Ifma {
    fn decompress(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]) {
        // SAFETY: as in `import`.
        unsafe { decompress::decompress_ifma::<true>(compressed, out) }
    }

    fn decompress_on_curve(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]) {
        // SAFETY: as in `import`.
        unsafe { decompress::decompress_ifma::<false>(compressed, out) }
    }

    fn are_in_subgroup(&self, points: &[G1Affine]) -> bool {
        // SAFETY: as in `import`.
        unsafe { are_in_subgroup_ifma(points) }
    }

    fn import(&self, points: &[G1Affine], out: &mut [Point]) {
        // SAFETY: `Ifma::new` says that the machine has the features of `Backend::Ifma`, which are all that the
        // function enables. So it is below.
        unsafe { import_ifma(points, out) }
    }

    fn export(&self, points: &[Point], out: &mut [G1Affine]) {
        // SAFETY: as in `import`.
        unsafe { export_ifma(points, out) }
    }

    fn glv_tables(&self, points: &[Point], out: &mut [GlvTable]) {
        // SAFETY: as in `import`.
        unsafe { glv_tables_ifma(points, out) }
    }

    fn add_multiples(&self, tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) {
        // SAFETY: as in `import`.
        unsafe { add_multiples_ifma(tables, sums, out) }
    }

    fn accumulate(&self, points: &mut [Point], sums: &[Accumulate]) {
        // SAFETY: as in `import`.
        unsafe { accumulate_ifma(points, sums) }
    }

    fn double(&self, points: &mut [Point], times: usize) {
        // SAFETY: as in `import`.
        unsafe { double_ifma(points, times) }
    }

    fn horner(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
        // SAFETY: as in `import`.
        unsafe { horner::horner_ifma(tables, bits, digits, out) }
    }
}

/// 1 · 2^416.
const ONE: Words = constants::power_of_two(416);

/// Factor that converts blst's form, times 2^384, to this one.
const FROM_BLST: Words = constants::power_of_two(416 + 416 - 384);

/// Factor that converts this form to blst's.
const TO_BLST: Words = constants::power_of_two(384);

/// Factor after an inversion by blst, which takes a·2^416 as if it were in blst's form and returns 2^(2·384) /
/// (a·2^416): the Montgomery product of that with this is 2^416 / a.
const AFTER_INVERSION: Words = constants::power_of_two(3 * 416 - 2 * 384);

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
    /// a.x
    x: Unreduced<3>,
    /// −2·a.x − b.x
    minus_xs: Unreduced<10>,
}

/// The lanes of a vector in which a + b is not on a chord.
#[derive(Clone, Copy)]
struct Special {
    vector: usize,
    /// a and b are equal.
    tangent: __mmask8,
    /// The sum is a.
    first: __mmask8,
    /// The sum is b.
    second: __mmask8,
    /// a and b are opposite.
    infinity: __mmask8,
}

/// Returns eight items from index 8 · `vector` on; past the end the last one is repeated, which repeats work only.
#[inline]
fn eight<T: Copy>(items: &[T], vector: usize) -> [T; LANES] {
    match items[LANES * vector..].first_chunk() {
        Some(all) => *all,
        None => array::from_fn(|lane| items[(LANES * vector + lane).min(items.len() - 1)]),
    }
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

/// Prefetches the three cache lines of a table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn prefetch(table: &GlvTable) {
    let bytes = std::ptr::from_ref(table).cast::<i8>();
    for line in 0..3 {
        _mm_prefetch::<_MM_HINT_T0>(bytes.wrapping_add(64 * line));
    }
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

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn table_xs(tables: &[GlvTable], operands: &[Operand; LANES]) -> Xs {
    // x of unit k is x for k = 0, 3, βx for 2, 5, and the negative sum of both for 1, 4.
    const FIRST: [usize; 8] = [0, 0, 6, 0, 0, 6, 0, 0];
    const OTHER: [usize; 8] = [0, 6, 6, 0, 6, 6, 0, 0];
    let first = rows::first_six(array::from_fn(|lane| {
        let operand = operands[lane];
        words(table_words(&tables[operand.index()]), FIRST[operand.unit() as usize])
    }));
    let may_be_infinity = zero_lanes(first[0]);
    let x = Unreduced::from_columns(&first);
    let both = mask(array::from_fn(|lane| matches!(operands[lane].unit(), 1 | 4)));
    if both == 0 {
        return Xs { x: x.widen(), may_be_infinity };
    }
    let other = rows::first_six(array::from_fn(|lane| {
        let operand = operands[lane];
        words(table_words(&tables[operand.index()]), OTHER[operand.unit() as usize])
    }));
    let sum: Unreduced<2> = x.plus(Unreduced::from_columns(&other));
    let minus: Unreduced<3> = sum.negative();
    Xs { x: x.widen().or_in(both, minus), may_be_infinity }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn table_ys(tables: &[GlvTable], operands: &[Operand; LANES]) -> Unreduced<2> {
    let y = rows::last_six(array::from_fn(|lane| words(table_words(&tables[operands[lane].index()]), 10)));
    let odd = mask(array::from_fn(|lane| operands[lane].unit() & 1 == 1));
    Unreduced::from_columns(&y).negate_in(odd)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn point_xs(points: &[Point], indices: &[usize; LANES]) -> Xs {
    let columns = rows::first_six(array::from_fn(|lane| words(point_words(&points[indices[lane]]), 0)));
    Xs { x: Unreduced::from_columns(&columns).widen(), may_be_infinity: zero_lanes(columns[0]) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn point_ys(points: &[Point], indices: &[usize; LANES]) -> Unreduced<2> {
    let columns = rows::last_six(array::from_fn(|lane| words(point_words(&points[indices[lane]]), 4)));
    Unreduced::from_columns(&columns).widen()
}

/// Writes the point of each lane to its index.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn put(points: &mut [Point], to: &[usize; LANES], x: &Columns, y: &Columns) {
    for (to, words) in to.iter().zip(rows::points(x, y)) {
        rows::store(&mut points[*to], words);
    }
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
    let eight = four.times(&by_4).canonical_words();
    let product =
        blst_fp { l: eight.map(|word| _mm_cvtsi128_si64(_mm512_castsi512_si128(word)).cast_unsigned()) };
    let mut inverse = blst_fp::default();
    // SAFETY: reads an element and writes one.
    unsafe { blst_fp_eucl_inverse(&raw mut inverse, &raw const product) };
    let inverse =
        Unreduced::constant(&inverse.l).carry().times(&Unreduced::constant(&AFTER_INVERSION).carry());
    let of_both = inverse.times(&by_4).times(&by_2).times(&by_1);
    [of_both.times(&products[1]), of_both.times(&products[0])]
}

/// Returns the lanes of a + b that are not on a chord, and the run with the value to invert in these.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn specials(vector: usize, run: &Reduced<7>, [a, b]: [Unreduced<2>; 2]) -> (Special, Reduced<7>) {
    // No point of the curve has y = 0.
    let [no_a, no_b] = [a, b].map(|y| all_zero_lanes(&y.canonical_words()));
    let finite = !(no_a | no_b);
    let same_x = all_zero_lanes(&run.canonical_words()) & finite;
    let same_y = all_zero_lanes(&a.minus::<2, 5>(b).canonical_words());
    let (tangent, infinity) = (same_x & same_y, same_x & !same_y);
    let special = Special { vector, tangent, first: no_b, second: no_a & !no_b, infinity };
    let run = run.or_in(!finite | infinity, Unreduced::constant(&ONE).carry().widen());
    (special, run.or_in(tangent, a.plus::<2, 4>(a).carry().widen()))
}

/// Returns −3x², the negative rise of a tangent.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn minus_3_squares(x: Unreduced<3>) -> Unreduced<100> {
    let square: Unreduced<33> = x.carry().square_plus(&Unreduced::<1>::zero());
    let twice: Unreduced<66> = square.plus(square);
    twice.plus::<33, 99>(square).negative()
}

/// Adds vectors of points: in vector i, for i below `vectors`, `xs(points, i)` and `ys(points, i)` are the coordinates
/// of both operands, and the sums are written to `to(i)`. `ahead(i)` may prefetch operands of later vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn add_all(
    points: &mut [Point],
    vectors: usize,
    ahead: impl Fn(usize),
    xs: impl Fn(&[Point], usize) -> [Xs; 2],
    ys: impl Fn(&[Point], usize) -> [Unreduced<2>; 2],
    to: impl Fn(usize) -> [usize; LANES],
) {
    let one = Unreduced::constant(&ONE).carry();
    let empty = Step {
        run: one.widen(),
        before: one.widen(),
        x: Unreduced::<1>::zero().widen(),
        minus_xs: Unreduced::<1>::zero().widen(),
    };
    let mut steps = vec![empty; vectors.min(BATCH)];
    let mut special = Vec::new();
    for begin in (0..vectors).step_by(BATCH) {
        let end = vectors.min(begin + BATCH);
        // Two chains of products, so that no multiplication waits for the one before.
        let mut products = [one.widen::<PRODUCT>(); 2];
        for (vector, step) in (begin..end).zip(&mut steps) {
            ahead(vector);
            let [a, b] = xs(points, vector);
            step.x = a.x;
            step.minus_xs = a.x.plus::<3, 6>(a.x).plus::<3, 9>(b.x).negative();
            let mut run = b.x.minus::<3, 7>(a.x).carry();
            if a.may_be_infinity | b.may_be_infinity | run.may_be_zero() != 0 {
                let found;
                (found, run) = specials(vector, &run, ys(points, vector));
                special.push(found);
            }
            let product = &mut products[vector % 2];
            step.run = run;
            step.before = *product;
            *product = product.times(&run);
        }
        let mut inverse = inverses(&products);
        for (vector, step) in (begin..end).zip(&steps).rev() {
            let inverse = &mut inverse[vector % 2];
            let inverse_of_run = inverse.times(&step.before);
            *inverse = inverse.times(&step.run);
            let [a, b] = ys(points, vector);
            let mut minus_rise = a.minus::<2, 5>(b).carry().widen::<100>();
            let special = special.pop_if(|special: &mut Special| special.vector == vector);
            if let Some(special) = special {
                minus_rise = minus_rise.or_in(special.tangent, minus_3_squares(step.x).carry());
            }
            // With λ the negative slope and u = λ² − 2·a.x − b.x, the sum is (a.x + u, λu − a.y).
            let slope = minus_rise.times(&inverse_of_run);
            let u: Unreduced<42> = slope.square_plus(&step.minus_xs);
            let mut x = u.plus::<3, 45>(step.x).canonical_words();
            let minus_y: Unreduced<3> = a.negative();
            let mut y = slope.times_plus::<42, 3, 35>(&u.carry(), &minus_y).canonical_words();
            if let Some(special) = special {
                let [_, b_x] = xs(points, vector);
                (x, y) = exceptions(&special, [step.x, b_x.x], [a, b], (x, y));
            }
            put(points, &to(vector), &x, &y);
        }
    }
}

/// Returns the sums, with an operand or infinity in the special lanes.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn exceptions(
    special: &Special,
    x: [Unreduced<3>; 2],
    y: [Unreduced<2>; 2],
    (mut sum_x, mut sum_y): (Columns, Columns),
) -> (Columns, Columns) {
    let ([a_x, b_x], [a_y, b_y]) = (x.map(|x| x.canonical_words()), y.map(|y| y.canonical_words()));
    for (sum, a, b) in [(&mut sum_x, a_x, b_x), (&mut sum_y, a_y, b_y)] {
        for i in 0..6 {
            let word = _mm512_mask_mov_epi64(sum[i], special.first, a[i]);
            let word = _mm512_mask_mov_epi64(word, special.second, b[i]);
            sum[i] = _mm512_maskz_mov_epi64(!special.infinity, word);
        }
    }
    (sum_x, sum_y)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn add_multiples_ifma(tables: &[GlvTable], sums: &[Sum], out: &mut [Point]) {
    add_all(
        out,
        sums.len().div_ceil(LANES),
        |vector| {
            for sum in sums.iter().skip(LANES * (vector + AHEAD)).take(LANES) {
                prefetch(&tables[sum.a.index()]);
                prefetch(&tables[sum.b.index()]);
            }
        },
        |_, vector| {
            let sums = eight(sums, vector);
            [table_xs(tables, &sums.map(|sum| sum.a)), table_xs(tables, &sums.map(|sum| sum.b))]
        },
        |_, vector| {
            let sums = eight(sums, vector);
            [table_ys(tables, &sums.map(|sum| sum.a)), table_ys(tables, &sums.map(|sum| sum.b))]
        },
        |vector| eight(sums, vector).map(|sum| sum.to as usize),
    );
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn accumulate_ifma(points: &mut [Point], sums: &[Accumulate]) {
    let both = |vector| {
        let sums = eight(sums, vector);
        [sums.map(|sum| sum.to as usize), sums.map(|sum| sum.from as usize)]
    };
    add_all(
        points,
        sums.len().div_ceil(LANES),
        |_| (),
        |points, vector| both(vector).map(|indices| point_xs(points, &indices)),
        |points, vector| both(vector).map(|indices| point_ys(points, &indices)),
        |vector| eight(sums, vector).map(|sum| sum.to as usize),
    );
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn double_ifma(points: &mut [Point], times: usize) {
    let one = Unreduced::constant(&ONE).carry();
    let len = points.len();
    let indices =
        |vector: usize| array::from_fn::<usize, LANES, _>(|lane| (LANES * vector + lane).min(len - 1));
    let mut steps = vec![[one.widen::<PRODUCT>(); 2]; len.div_ceil(LANES).min(BATCH)];
    for batch in 0..len.div_ceil(LANES * BATCH) {
        let (begin, end) = (batch * BATCH, len.div_ceil(LANES).min((batch + 1) * BATCH));
        for _ in 0..times {
            let mut products = [one.widen::<PRODUCT>(); 2];
            for (vector, step) in (begin..end).zip(&mut steps) {
                let y = point_ys(points, &indices(vector));
                let run = y.plus::<2, 4>(y).carry().widen::<PRODUCT>();
                // Only infinity has y = 0.
                let zero = run.may_be_zero();
                let run = if zero == 0 {
                    run
                } else {
                    run.or_in(all_zero_lanes(&run.canonical_words()), one.widen())
                };
                let product = &mut products[vector % 2];
                *step = [run, *product];
                *product = product.times(&run);
            }
            let mut inverse = inverses(&products);
            for (vector, [run, before]) in (begin..end).zip(&steps).rev() {
                let inverse = &mut inverse[vector % 2];
                let inverse_of_run = inverse.times(before);
                *inverse = inverse.times(run);
                let indices = indices(vector);
                let (a, y) = (point_xs(points, &indices), point_ys(points, &indices));
                let slope = minus_3_squares(a.x).carry().times(&inverse_of_run);
                let minus_xs: Unreduced<10> = a.x.plus::<3, 6>(a.x).plus::<3, 9>(a.x).negative();
                let u: Unreduced<42> = slope.square_plus(&minus_xs);
                let mut sum_x = u.plus::<3, 45>(a.x).canonical_words();
                let minus_y: Unreduced<3> = y.negative();
                let mut sum_y = slope.times_plus::<42, 3, 35>(&u.carry(), &minus_y).canonical_words();
                if a.may_be_infinity != 0 {
                    let finite = !all_zero_lanes(&y.canonical_words());
                    sum_x = sum_x.map(|word| _mm512_maskz_mov_epi64(finite, word));
                    sum_y = sum_y.map(|word| _mm512_maskz_mov_epi64(finite, word));
                }
                put(points, &indices, &sum_x, &sum_y);
            }
        }
    }
}

/// Returns both coordinates of eight points times a factor.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn scaled(points: [&[u64; 12]; LANES], factor: &Reduced<1>) -> [Columns; 2] {
    let x = rows::first_six(points.map(|point| words(point, 0)));
    let y = rows::last_six(points.map(|point| words(point, 4)));
    [x, y].map(|columns| Unreduced::from_columns(&columns).carry().times(factor).canonical_words())
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn import_ifma(points: &[G1Affine], out: &mut [Point]) {
    let factor = Unreduced::constant(&FROM_BLST).carry();
    for (points, out) in points.chunks(LANES).zip(out.chunks_mut(LANES)) {
        let [x, y] =
            scaled(array::from_fn(|lane| affine_words(&points[lane.min(points.len() - 1)])), &factor);
        for (out, words) in out.iter_mut().zip(rows::points(&x, &y)) {
            rows::store(out, words);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn are_in_subgroup_ifma(points: &[G1Affine]) -> bool {
    let factor = Unreduced::constant(&FROM_BLST).carry();
    points.chunks(2 * LANES).all(|points| {
        let mut vectors = [(Unreduced::<1>::zero(), Unreduced::<1>::zero().widen::<2>()); 2];
        for (vector, points) in vectors.iter_mut().zip(points.chunks(LANES)) {
            let eight = array::from_fn(|lane| affine_words(&points[lane.min(points.len() - 1)]));
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
        let [x, y] = scaled(array::from_fn(|lane| point_words(&points[lane.min(points.len() - 1)])), &factor);
        for (out, words) in out.iter_mut().zip(rows::points(&x, &y)) {
            let mut point = Point::INFINITY;
            rows::store(&mut point, words);
            *out = G1Affine(blst_p1_affine { x: blst_fp { l: point.x }, y: blst_fp { l: point.y } });
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn glv_tables_ifma(points: &[Point], out: &mut [GlvTable]) {
    // BETA is in blst's form.
    let beta = Unreduced::constant(&BETA).carry().times(&Unreduced::constant(&FROM_BLST).carry());
    for (points, out) in points.chunks(LANES).zip(out.chunks_mut(LANES)) {
        let rows = array::from_fn(|lane| words(point_words(&points[lane.min(points.len() - 1)]), 0));
        let beta_x = Unreduced::from_columns(&rows::first_six(rows)).carry().times(&beta).canonical_words();
        // The words of y do not matter.
        for ((out, point), words) in out.iter_mut().zip(points).zip(rows::points(&beta_x, &beta_x)) {
            let mut beta_x = Point::INFINITY;
            rows::store(&mut beta_x, words);
            *out = GlvTable { x: point.x, beta_x: beta_x.x, y: point.y };
        }
    }
}
