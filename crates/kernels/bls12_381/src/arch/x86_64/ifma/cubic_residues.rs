//! Cubes of Fp, eight at once: whether y − 2 is one says whether a point is three times another, see
//! [`msm_checked_vartime`](crate::msm::msm_checked_vartime).

use std::arch::x86_64::*;
use std::array;
use std::ops::Range;

use super::field::{PRODUCT, Reduced, Unreduced};
use super::power::{POWER, power};
use super::{FROM_BLST, LANES, ONE, affine_words, all_zero_lanes, first_eight, first_lane, transpose, words};
use crate::G1Affine;
use crate::curve::cubic_residues::{HALF_ROWS, ROWS, SQUARE_OF_PARAMETER, THIRD_STEPS};
use crate::field::fp::{Words, power_of_two};

/// 2 · 2^416.
const TWO: Words = power_of_two(417);

/// Returns the lanes that are a cube other than 0 in each vector. Two vectors take less than twice the time of one.
///
/// The exponent (p − 1) / 3 is e·(e·(x⁴ − x² + 1) − 1). So with h = f^e and k = h^e, f is a cube if k^(x⁴)·k is
/// h·k^(x²).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn cubes<const N: usize>(values: &[Reduced<POWER>; N]) -> [__mmask8; N] {
    let h = power(values, &THIRD_STEPS);
    let k = power(&h, &THIRD_STEPS);
    let square = power(&k, &SQUARE_OF_PARAMETER);
    let fourth = power(&square, &SQUARE_OF_PARAMETER);
    let mut cubes = [0; N];
    for (i, cubes) in cubes.iter_mut().enumerate() {
        let right: Unreduced<33> = h[i].times_plus(&square[i], &Unreduced::<1>::zero());
        let error: Unreduced<66> = fourth[i].times_plus(&k[i], &right.negative::<34>());
        *cubes = all_zero_lanes(&error.canonical_words()) & !all_zero_lanes(&h[i].canonical_words());
    }
    cubes
}

/// Returns y − 2 of eight points, or 1 for infinity.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn values(points: [&G1Affine; LANES]) -> Reduced<POWER> {
    let y = transpose::last_six(points.map(|point| words(affine_words(point), 4)));
    let minus_two = Unreduced::constant(&TWO).negative::<2>();
    let from_blst = Unreduced::constant(&FROM_BLST).carry();
    let value: Unreduced<POWER> = Unreduced::from_columns(&y).carry().times_plus(&from_blst, &minus_two);
    value.carry().or_in(all_zero_lanes(&y), Unreduced::constant(&ONE).carry().widen())
}

/// Implements [`PointValidation::are_triples`](crate::curve::validation::PointValidation::are_triples).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn are_triples_ifma(points: &[G1Affine]) -> bool {
    points.chunks(2 * LANES).all(|points| {
        let first = values(first_eight(points));
        if points.len() <= LANES {
            cubes(&[first]) == [0xff]
        } else {
            cubes(&[first, values(first_eight(&points[LANES..]))]) == [0xff; 2]
        }
    })
}

/// Implements [`PointValidation::weighted_products`](crate::curve::validation::PointValidation::weighted_products): two vectors of
/// points at a time, whose factors in a row are one of nine products.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn weighted_products_ifma(points: &[G1Affine], weights: &[[u64; 2]]) -> [Words; ROWS] {
    let one = Unreduced::constant(&ONE).carry();
    let mut products = [one.widen::<PRODUCT>(); ROWS];
    for (points, weights) in points.chunks(2 * LANES).zip(weights.chunks(2 * LANES)) {
        let second = LANES.min(points.len() - 1);
        let (f, g) = (values(first_eight(points)), values(first_eight(&points[second..])));
        let factors = nine(&f, &g);
        for half in 0..2 {
            // Past the end the weight 0 leaves a point out.
            let weight = |at: usize| weights.get(at).map_or(0, |weight| weight[half].cast_signed());
            let lanes = [0, LANES].map(|first| {
                let w: [i64; LANES] = array::from_fn(|lane| weight(first + lane));
                _mm512_set_epi64(w[7], w[6], w[5], w[4], w[3], w[2], w[1], w[0])
            });
            let products = &mut products[HALF_ROWS * half..][..HALF_ROWS];
            for (group, products) in products.chunks_mut(2).enumerate() {
                let [a, b] = [trits(lanes[0], group), trits(lanes[1], group)];
                for (row, product) in products.iter_mut().enumerate() {
                    *product = product.times(&chosen(&factors, &a[row], &b[row]));
                }
            }
        }
    }
    let mut out = [[0; 6]; ROWS];
    for (out, product) in out.iter_mut().zip(&products) {
        let two = product.times(&product.swap::<1>());
        let four = two.times(&two.swap::<2>());
        *out = first_lane(&four.times(&four.swap::<4>()));
    }
    out
}

/// Returns fⁱ·gʲ as element 3i + j.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn nine(f: &Reduced<POWER>, g: &Reduced<POWER>) -> [Reduced<POWER>; 9] {
    let one = Unreduced::constant(&ONE).carry().widen();
    let (ff, gg) = (f.times(f), g.times(g));
    let mut all = [one, *g, gg.widen(), *f, one, one, ff.widen(), one, one];
    (all[4], all[5]) = (f.times(g).widen(), f.times(&gg).widen());
    (all[7], all[8]) = (ff.times(g).widen(), ff.times(&gg).widen());
    all
}

/// Returns the lanes whose two digits of base 3 of bits 3·`group` to 3·`group` + 2 are 0, 1 and 2, for each digit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn trits(weights: __m512i, group: usize) -> [[__mmask8; 3]; 2] {
    let bit = |i: usize| {
        let at = 1u64.checked_shl((3 * group + i) as u32).unwrap_or(0);
        _mm512_test_epi64_mask(weights, _mm512_set1_epi64(at.cast_signed()))
    };
    let (a, b, c) = (bit(0), bit(1), bit(2));
    // 4c + 2b + a is three times the upper digit and the lower one: 1, 4 and 7 have the lower digit 1, and 2 and 5
    // have 2; 3, 4 and 5 have the upper digit 1, and 6 and 7 have 2.
    let low_1 = a & !(b ^ c) | c & !a & !b;
    let low_2 = a & !b & c | !a & b & !c;
    let (high_1, high_2) = (a & b & !c | !b & c, b & c);
    [[!(low_1 | low_2), low_1, low_2], [!(high_1 | high_2), high_1, high_2]]
}

/// Returns the product of each lane by its two digits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn chosen(factors: &[Reduced<POWER>; 9], a: &[__mmask8; 3], b: &[__mmask8; 3]) -> Reduced<POWER> {
    let mut chosen = factors[0];
    for i in 0..3 {
        for j in 0..3 {
            if i + j > 0 {
                chosen = chosen.or_in(a[i] & b[j], factors[3 * i + j]);
            }
        }
    }
    chosen
}

/// Implements [`PointValidation::are_cubes`](crate::curve::validation::PointValidation::are_cubes).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn are_cubes_ifma(products: &[[Words; ROWS]], rows: Range<usize>) -> bool {
    let one = Unreduced::constant(&ONE).carry();
    let last = rows.end - 1;
    let vector = |first: usize| {
        let mut product: Reduced<POWER> = one.widen();
        for piece in products {
            let row = |lane: usize| piece[(first + lane).min(last)];
            let padded: [[u64; 8]; LANES] = array::from_fn(|lane| {
                let [a, b, c, d, e, f] = row(lane);
                [a, b, c, d, e, f, 0, 0]
            });
            let columns = super::transpose::first_six(padded.each_ref());
            product = product.times(&Unreduced::from_columns(&columns).carry()).widen();
        }
        product
    };
    rows.step_by(2 * LANES).all(|first| cubes(&[vector(first), vector(first + LANES)]) == [0xff; 2])
}
