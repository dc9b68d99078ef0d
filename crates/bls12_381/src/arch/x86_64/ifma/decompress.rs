//! Decompression of points, in vectors of eight.
//!
//! A square root is a chain of products that wait for each other, so two vectors take less than twice the time of one.
//! A lane returns a point only if every check passes. All other bytes, infinity among them, go to blst one by one,
//! which also determines the error: so both backends accept and refuse the same bytes.

use std::arch::x86_64::*;
use std::array;

use blst::{blst_fp, blst_p1_affine};

use super::constants::power_of_two;
use super::field::{PRODUCT, Reduced, Unreduced};
use super::membership::in_group;
use super::{LANES, TO_BLST, all_zero_lanes, mask, rows};
use crate::constants::P as MODULUS;
use crate::curve::affine::Point;
use crate::field::fp::Words;
use crate::{Error, G1Affine};

/// Factor that converts an integer to Montgomery form.
const FROM_NUMBER: Words = power_of_two(2 * 416);

/// 4 · 2^416.
const FOUR: Words = power_of_two(418);

/// (p + 1) / 4, the exponent of the square root: p is 3 modulo 4.
const ROOT: Words = {
    let mut root = [0; 6];
    let mut i = 0;
    while i < 6 {
        root[i] = MODULUS[i] >> 2 | if i < 5 { MODULUS[i + 1] << 62 } else { 0 };
        i += 1;
    }
    root[0] += 1;
    root
};

/// Returns a point by blst.
fn by_blst<const MEMBERSHIP: bool>(compressed: &[u8; 48]) -> Result<G1Affine, Error> {
    match MEMBERSHIP {
        true => G1Affine::from_compressed(compressed),
        false => G1Affine::on_curve_from_compressed(compressed),
    }
}

/// Implements [`BatchAffine::decompress`](crate::curve::affine::BatchAffine::decompress), or `decompress_on_curve`
/// without a check of membership.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn decompress_ifma<const MEMBERSHIP: bool>(
    compressed: &[&[u8; 48]],
    out: &mut [Result<G1Affine, Error>],
) {
    for (compressed, out) in compressed.chunks(2 * LANES).zip(out.chunks_mut(2 * LANES)) {
        match compressed {
            // The lanes take as long for one point as for eight, and for one longer than blst.
            [one] => out[0] = by_blst::<MEMBERSHIP>(one),
            some if some.len() <= LANES => decompress::<MEMBERSHIP, 1>(some, out),
            some => decompress::<MEMBERSHIP, 2>(some, out),
        }
    }
}

/// The parsed bytes of a lane.
#[derive(Clone, Copy)]
struct Parsed {
    /// x in six words.
    x: [u64; 8],
    /// Whether y is the larger of the two roots.
    large: bool,
    /// Whether this is neither infinity, nor malformed, nor x = 0, where y² = 4 but the order is 3.
    plain: bool,
}

impl Parsed {
    fn new(compressed: &[u8; 48]) -> Parsed {
        const COMPRESSED: u8 = 0x80;
        const INFINITY: u8 = 0x40;
        const LARGE: u8 = 0x20;
        let flags = compressed[0];
        let mut x = [0; 8];
        for (word, bytes) in x.iter_mut().zip(compressed.as_chunks::<8>().0.iter().rev()) {
            *word = u64::from_be_bytes(*bytes);
        }
        x[5] &= u64::MAX >> 3;
        let below_p = x[..6].iter().rev().lt(MODULUS.iter().rev());
        let plain = flags & (COMPRESSED | INFINITY) == COMPRESSED && below_p && x != [0; 8];
        Parsed { x: if plain { x } else { [0; 8] }, large: flags & LARGE != 0, plain }
    }
}

/// Decompresses points of at most N vectors.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn decompress<const MEMBERSHIP: bool, const N: usize>(
    compressed: &[&[u8; 48]],
    out: &mut [Result<G1Affine, Error>],
) {
    let parsed: [[Parsed; LANES]; N] = array::from_fn(|vector| {
        array::from_fn(|lane| Parsed::new(compressed[(LANES * vector + lane).min(compressed.len() - 1)]))
    });
    let mut xs = [Unreduced::<1>::zero().carry().widen::<PRODUCT>(); N];
    let mut squares = [Unreduced::<1>::zero().widen::<33>(); N];
    for ((x, square), parsed) in xs.iter_mut().zip(&mut squares).zip(&parsed) {
        let numbers = Unreduced::from_columns(&rows::first_six(array::from_fn(|lane| &parsed[lane].x)));
        *x = numbers.carry().times(&Unreduced::constant(&FROM_NUMBER).carry());
        let x_2: Unreduced<33> = x.square_plus(&Unreduced::<1>::zero());
        *square = x_2.carry().times_plus(x, &Unreduced::constant(&FOUR));
    }
    let roots = roots(&carried(&squares));
    let mut good = [0; N];
    let mut points = [(Unreduced::<1>::zero(), Unreduced::<1>::zero().widen::<2>()); N];
    for (vector, (good, point)) in good.iter_mut().zip(&mut points).enumerate() {
        let (parsed, root) = (&parsed[vector], &roots[vector]);
        let minus_square: Unreduced<34> = squares[vector].negative();
        let error: Unreduced<66> = root.square_plus(&minus_square);
        *good = mask(parsed.map(|parsed| parsed.plain)) & all_zero_lanes(&error.canonical_words());
        let x = Unreduced::from_columns(&xs[vector].canonical_words());
        *point = (x, signed(root, mask(parsed.map(|parsed| parsed.large))));
    }
    if MEMBERSHIP && good != [0; N] {
        let members = in_group(&points);
        good.iter_mut().zip(members).for_each(|(good, members)| *good &= members);
    }
    let to_blst = Unreduced::constant(&TO_BLST).carry();
    for (vector, (good, (x, y))) in good.into_iter().zip(points).enumerate() {
        let x = x.carry().times(&to_blst).canonical_words();
        let y = y.carry().times(&to_blst).canonical_words();
        let lanes = compressed.iter().zip(&mut *out).skip(LANES * vector).zip(rows::points(&x, &y));
        for (lane, ((compressed, out), words)) in lanes.enumerate() {
            *out = if good >> lane & 1 == 1 {
                let mut point = Point::INFINITY;
                rows::store(&mut point, words);
                Ok(G1Affine(blst_p1_affine { x: blst_fp { l: point.x }, y: blst_fp { l: point.y } }))
            } else {
                by_blst::<MEMBERSHIP>(compressed)
            };
        }
    }
}

/// Carries each vector.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn carried<const N: usize>(all: &[Unreduced<33>; N]) -> [Reduced<33>; N] {
    let mut carried = [Unreduced::<1>::zero().carry().widen(); N];
    carried.iter_mut().zip(all).for_each(|(out, x)| *out = x.carry());
    carried
}

/// Squares each vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn square_all<const N: usize>(all: &mut [Reduced<33>; N]) {
    for x in all {
        *x = x.square_plus::<1, 33>(&Unreduced::zero()).carry();
    }
}

/// Multiplies each vector by its factor.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn multiply_all<const N: usize>(all: &mut [Reduced<33>; N], factors: &[Reduced<33>; N]) {
    for (x, factor) in all.iter_mut().zip(factors) {
        *x = x.times(factor).widen();
    }
}

/// Returns square roots in the lanes that have one.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn roots<const N: usize>(squares: &[Reduced<33>; N]) -> [Reduced<33>; N] {
    const WINDOW: u32 = 5;
    let bit = |i: u32| ROOT[i as usize / 64] >> (i % 64) & 1;
    // Odd powers for windows of five bits.
    let mut second = *squares;
    square_all(&mut second);
    let mut odd = [*squares; 1 << (WINDOW - 1)];
    for i in 1..odd.len() {
        odd[i] = odd[i - 1];
        multiply_all(&mut odd[i], &second);
    }
    // Windows from the highest bit on, each from a 1 to a 1.
    let mut powers: Option<[Reduced<33>; N]> = None;
    let mut left = u64::BITS * 6;
    while left > 0 {
        if bit(left - 1) == 0 {
            if let Some(powers) = &mut powers {
                square_all(powers);
            }
            left -= 1;
            continue;
        }
        let mut lowest = left.saturating_sub(WINDOW);
        while bit(lowest) == 0 {
            lowest += 1;
        }
        let digit = (lowest..left).rev().fold(0, |digit, i| digit << 1 | bit(i));
        let factors = &odd[digit as usize / 2];
        match &mut powers {
            None => powers = Some(*factors),
            Some(powers) => {
                for _ in lowest..left {
                    square_all(powers);
                }
                multiply_all(powers, factors);
            }
        }
        left = lowest;
    }
    powers.unwrap_or(*squares)
}

/// Returns the root or its negative: the larger of both as an integer in the lanes of `large`, the smaller in the
/// others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn signed(root: &Reduced<33>, large: __mmask8) -> Unreduced<2> {
    // Twice a number is odd modulo p for the numbers above (p − 1) / 2.
    let twice = root.times(&Unreduced::constant(&[2, 0, 0, 0, 0, 0]).carry()).canonical_words();
    let is_large = _mm512_test_epi64_mask(twice[0], _mm512_set1_epi64(1));
    Unreduced::from_columns(&root.canonical_words()).negate_in(is_large ^ large)
}
