//! Decompression of points, in vectors of eight.
//!
//! A square root is a chain of products that wait for each other, so two vectors take less than twice the time of one.
//! A lane returns a point only if every check passes. All other bytes, infinity among them, go to blst one by one,
//! which also determines the error: so both backends accept and refuse the same bytes.

use std::arch::x86_64::*;
use std::array;

use super::field::{Columns, PRODUCT, Reduced, Unreduced};
use super::jacobian_pair::{self, Products};
use super::power::{POWER, power};
use super::{LANES, TO_BLST, all_zero_lanes, mask, membership, transpose};
use crate::curve::point::Point;
use crate::curve::validation::{Parsed, by_blst};
use crate::field::fp::{Words, power_of_two};
use crate::field::power::SQUARE_ROOT;
use crate::{Error, G1Affine};

/// Factor that converts an integer to Montgomery form.
const FROM_NUMBER: Words = power_of_two(2 * 416);

/// 4 · 2^416.
const FOUR: Words = power_of_two(418);

/// Implements [`PointValidation::decompress`](crate::curve::validation::PointValidation::decompress), or `decompress_on_curve`
/// without a check of membership.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn decompress_ifma<const MEMBERSHIP: bool>(
    compressed: &[&[u8; 48]],
    out: &mut [Result<G1Affine, Error>],
) {
    for (compressed, out) in compressed.chunks(2 * LANES).zip(out.chunks_mut(2 * LANES)) {
        match compressed {
            [_] | [_, _] if MEMBERSHIP => {
                decompress::<MEMBERSHIP, 1, { jacobian_pair::LANES_EACH }>(compressed, out);
            }
            // The lanes take as long for one point as for eight, and for one longer than blst.
            [one] => out[0] = by_blst::<MEMBERSHIP>(one),
            some if some.len() <= LANES => decompress::<MEMBERSHIP, 1, 1>(some, out),
            some => decompress::<MEMBERSHIP, 2, 1>(some, out),
        }
    }
}

/// Decompresses points of at most N vectors, each in `LANES_EACH` lanes: one, or those of [`jacobian_pair`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn decompress<const MEMBERSHIP: bool, const N: usize, const LANES_EACH: usize>(
    compressed: &[&[u8; 48]],
    out: &mut [Result<G1Affine, Error>],
) {
    let vectors = in_lanes::<MEMBERSHIP, N, LANES_EACH>(compressed);
    let lanes = vectors.iter().flat_map(|Vector { x, y, good }| {
        let points = transpose::points(x, y).into_iter().enumerate().step_by(LANES_EACH);
        points.map(move |(lane, words)| (good >> lane & 1 == 1, words))
    });
    for ((compressed, out), (good, words)) in compressed.iter().zip(out).zip(lanes) {
        *out = if good {
            let mut point = Point::INFINITY;
            transpose::store(&mut point, words);
            Ok(point.to_blst())
        } else {
            by_blst::<MEMBERSHIP>(compressed)
        };
    }
}

/// Points of a vector: their coordinates in blst's form, and the lanes whose point passes every check.
struct Vector {
    x: Columns,
    y: Columns,
    good: __mmask8,
}

/// Returns the points of N vectors, each in `LANES_EACH` lanes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn in_lanes<const MEMBERSHIP: bool, const N: usize, const LANES_EACH: usize>(
    compressed: &[&[u8; 48]],
) -> [Vector; N] {
    let parsed: [[Parsed; LANES]; N] = array::from_fn(|vector| {
        array::from_fn(|lane| {
            let index = (LANES * vector + lane) / LANES_EACH;
            Parsed::new(compressed[index.min(compressed.len() - 1)])
        })
    });
    let mut xs = [Unreduced::<1>::zero().carry().widen::<PRODUCT>(); N];
    let mut squares = [Unreduced::<1>::zero().widen::<33>(); N];
    for ((x, square), parsed) in xs.iter_mut().zip(&mut squares).zip(&parsed) {
        let numbers = Unreduced::from_columns(&transpose::first_six(array::from_fn(|lane| &parsed[lane].x)));
        *x = numbers.carry().times(&Unreduced::constant(&FROM_NUMBER).carry());
        let x_2: Unreduced<33> = x.square_plus(&Unreduced::<1>::zero());
        *square = x_2.carry().times_plus(x, &Unreduced::constant(&FOUR));
    }
    let bases = carried(&squares);
    let mut good = [0xff; N];
    let roots = if MEMBERSHIP && LANES_EACH > 1 {
        // With g = x³ + 4, which is y², (g·x, g²) is (y²·x, y³·y), the point on an isomorphic curve.
        const { assert!(LANES_EACH == 1 || N == 1) };
        let base = &bases[0];
        let other_x = Unreduced::from_columns(&xs[0].times(base).canonical_words());
        let other_y = Unreduced::from_columns(&base.times(base).canonical_words());
        let mut products = Products::beside_power(base, &SQUARE_ROOT);
        good[0] = membership::in_group_of_two(other_x, other_y, &mut products);
        [Unreduced::from_columns(&products.power().canonical_words()).carry().widen(); N]
    } else {
        power(&bases, &SQUARE_ROOT)
    };
    let mut points = [(Unreduced::<1>::zero(), Unreduced::<1>::zero().widen::<2>()); N];
    for (vector, (good, point)) in good.iter_mut().zip(&mut points).enumerate() {
        let (parsed, root) = (&parsed[vector], &roots[vector]);
        let minus_square: Unreduced<34> = squares[vector].negative();
        let error: Unreduced<66> = root.square_plus(&minus_square);
        *good &= mask(parsed.map(|parsed| parsed.plain)) & all_zero_lanes(&error.canonical_words());
        let x = Unreduced::from_columns(&xs[vector].canonical_words());
        *point = (x, signed(root, mask(parsed.map(|parsed| parsed.large))));
    }
    if MEMBERSHIP && LANES_EACH == 1 && good != [0; N] {
        let members = membership::in_group(&points);
        good.iter_mut().zip(members).for_each(|(good, members)| *good &= members);
    }
    let to_blst = Unreduced::constant(&TO_BLST).carry();
    array::from_fn(|vector| {
        let (x, y) = points[vector];
        Vector {
            x: x.carry().times(&to_blst).canonical_words(),
            y: y.carry().times(&to_blst).canonical_words(),
            good: good[vector],
        }
    })
}

/// Carries each vector.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn carried<const N: usize>(all: &[Unreduced<33>; N]) -> [Reduced<POWER>; N] {
    let mut carried = [Unreduced::<1>::zero().carry().widen(); N];
    carried.iter_mut().zip(all).for_each(|(out, x)| *out = x.carry().widen());
    carried
}

/// Returns the root or its negative: the larger of both as an integer in the lanes of `large`, the smaller in the
/// others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn signed(root: &Reduced<POWER>, large: __mmask8) -> Unreduced<2> {
    // Twice a number is odd modulo p for the numbers above (p − 1) / 2.
    let twice = root.times(&Unreduced::constant(&[2, 0, 0, 0, 0, 0]).carry()).canonical_words();
    let is_large = _mm512_test_epi64_mask(twice[0], _mm512_set1_epi64(1));
    Unreduced::from_columns(&root.canonical_words()).negate_in(is_large ^ large)
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;
    use crate::{Fr, G1};

    /// Returns the lanes of two points, of eight, and of the last of sixteen, that pass every check.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn good(compressed: &[&[u8; 48]]) -> [__mmask8; 3] {
        let [two] = in_lanes::<true, 1, { jacobian_pair::LANES_EACH }>(&compressed[..2]);
        let [eight] = in_lanes::<true, 1, 1>(compressed);
        let [_, last] = in_lanes::<true, 2, 1>(&[compressed, compressed].concat());
        [two.good, eight.good, last.good]
    }

    parcrypt_cpu::test_on! { Ifma:
        /// Checks that points of the group pass without blst, which would hide a mistake, and others do not.
        fn points_of_the_group_alone_pass_every_check() {
            let mut rng = rng();
            for _ in 0..100 {
                let mut points = [[0; 48]; LANES];
                for bytes in &mut points {
                    let scalar = Fr::from_bytes_reduced(&rng.random::<[u8; 32]>());
                    *bytes = (G1::generator() * scalar).to_affine().to_compressed();
                }
                assert_eq!(good(&points.each_ref()), [0xff; 3]);
                let (changed, byte) = (rng.random_range(0..2), rng.random_range(1..48));
                points[changed][byte] ^= 1 << rng.random_range(0..8);
                let expected = G1Affine::from_compressed(&points[changed]).is_ok();
                let [two, eight, last] = good(&points.each_ref());
                assert_eq!(two, if expected { 0xff } else { [0xf0, 0x0f][changed] });
                assert_eq!([eight, last], [if expected { 0xff } else { !(1 << changed) }; 2]);
            }
        }
    }
}
