//! Decompression of points of G1, with a point in each lane.
//!
//! A lane returns a point only if every check passes. All other bytes, infinity among them, go to blst one by one,
//! which also determines the error: so all backends accept and refuse the same bytes.

use super::super::MAX_LANES;
use super::super::fp::{Element, Factor, FpLimbs};
use super::jacobian::Affine;
use super::membership::{in_group, in_group_of_few};
use super::power::{Power, power};
use super::quads::{self, Products};
use super::{PointLimbs, elements, mask, stored, to_blst};
use crate::constants::P;
use crate::curve::point::Point;
use crate::curve::validation::by_blst;
use crate::field::fp::{Words, power_of_two};
use crate::field::power::SQUARE_ROOT;
use crate::{Error, G1Affine};

/// Writes the point of each bytes, with a check of membership or without.
#[inline(always)]
pub(crate) fn decompress<F: PointLimbs>(
    compressed: &[&[u8; 48]],
    members: bool,
    out: &mut [Result<G1Affine, Error>],
) {
    for (compressed, out) in compressed.chunks(2 * F::LANES).zip(out.chunks_mut(2 * F::LANES)) {
        let each = if members && compressed.len() <= F::FEW { quads::LANES_EACH } else { 1 };
        let (points, good) = if each > 1 || compressed.len() >= F::MINIMUM {
            in_lanes::<F>(compressed, members, each)
        } else {
            ([[Point::INFINITY; MAX_LANES]; 2], [0; 2])
        };
        for (i, (compressed, out)) in compressed.iter().zip(out).enumerate() {
            let (vector, lane) = (i * each / F::LANES, i * each % F::LANES);
            *out = match good[vector] >> lane & 1 {
                1 => Ok(points[vector][lane].to_blst()),
                _ => by_blst(compressed, members),
            };
        }
    }
}

/// Returns the points of one or two vectors, each point in this number of lanes, in the form of blst, and the lanes
/// whose point passes every check.
#[inline(always)]
fn in_lanes<F: PointLimbs>(
    compressed: &[&[u8; 48]],
    members: bool,
    each: usize,
) -> ([[Point; MAX_LANES]; 2], [u8; 2]) {
    let vectors = (compressed.len() * each).div_ceil(F::LANES);
    let mut parsed = [[Parsed::new(compressed[0]); MAX_LANES]; 2];
    for (i, parsed) in parsed[..vectors].iter_mut().flat_map(|all| &mut all[..F::LANES]).enumerate() {
        *parsed = Parsed::new(compressed[(i / each).min(compressed.len() - 1)]);
    }
    let zero = Element::<F, 1, 1>::zero().factor();
    let (mut xs, mut bases) = ([zero; 2], [zero.widen(); 2]);
    let mut squares = [Element::<F, 2, 2>::zero(); 2];
    for (i, parsed) in parsed[..vectors].iter().enumerate() {
        let numbers = elements::<F>(&parsed.each_ref().map(|parsed| &parsed.x));
        let from_number = Element::<F, 1, 1>::constant(const { &power_of_two(2 * F::R) });
        xs[i] = numbers.factor().times(&from_number.factor());
        let four = Element::<F, 1, 1>::constant(const { &power_of_two(F::R + 2) });
        squares[i] = xs[i].square().times_plus(&xs[i], &four);
        bases[i] = squares[i].carried().widen();
    }
    let (mut roots, mut good) = (bases, [u8::MAX; 2]);
    if members && each > 1 {
        (roots[0], good[0]) = F::root_and_membership(&bases[0], &xs[0]);
    } else {
        power(&mut roots[..vectors], &SQUARE_ROOT);
    }
    let (mut points, mut affine) =
        ([[zero.element(); 2]; 2], [Affine { x: zero.widen(), y: zero.widen() }; 2]);
    for i in 0..vectors {
        let error: Element<F, 4, 4> = roots[i].square_plus(&squares[i].negative::<3, 3>());
        good[i] &= mask::<F>(|lane| parsed[i][lane].plain) & error.canonical().zeros();
        let y = signed(&roots[i], mask::<F>(|lane| parsed[i][lane].large));
        affine[i] = Affine { x: xs[i].widen(), y: y.factor().widen() };
        let to_blst = to_blst().factor();
        let y = y.factor().times(&to_blst).element().canonical();
        points[i] = [xs[i].times(&to_blst).element().canonical(), y];
    }
    if members && each == 1 && good[0] | good[vectors - 1] != 0 {
        let proved = in_group(&affine[..vectors]);
        good = [good[0] & proved[0], good[1] & proved[1]];
    }
    ([stored(&points[0]), stored(&points[1])], good)
}

/// Returns the root or its negative: the larger of both as an integer in the lanes of `large`, the smaller in the
/// others.
#[inline(always)]
fn signed<F: FpLimbs>(root: &Power<F>, large: u8) -> Element<F, 2, 2> {
    // Twice a number is odd modulo p for the numbers above (p − 1) / 2.
    let twice = root.product(&Element::<F, 1, 1>::constant(&[2, 0, 0, 0, 0, 0]).factor()).canonical();
    root.element().canonical().negative_in(twice.odd() ^ large)
}

/// Returns the root of a base g, which is x³ + 4, in all lanes of each four, and the fours whose point is proved to be
/// in the group. The point (g·x, g²) is (y²·x, y³·y), on an isomorphic curve.
#[inline(always)]
pub(super) fn root_and_membership<F: FpLimbs>(base: &Power<F>, x: &Factor<F, 1, 1>) -> (Power<F>, u8) {
    let mut products = Products::beside_power(base, &SQUARE_ROOT);
    let members = in_group_of_few(&x.times(base).element(), &base.square().element(), &mut products);
    (products.power().element().canonical().factor().widen(), members)
}

/// The parsed bytes of a lane.
#[derive(Clone, Copy)]
struct Parsed {
    /// x in six words.
    x: Words,
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
        let mut x = [0; 6];
        for (word, bytes) in x.iter_mut().zip(compressed.as_chunks::<8>().0.iter().rev()) {
            *word = u64::from_be_bytes(*bytes);
        }
        x[5] &= u64::MAX >> 3;
        let below_p = x.iter().rev().lt(P.iter().rev());
        let plain = flags & (COMPRESSED | INFINITY) == COMPRESSED && below_p && x != [0; 6];
        Parsed { x: if plain { x } else { [0; 6] }, large: flags & LARGE != 0, plain }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;
    use crate::{Fr, G1};

    /// Returns different points of the group, one for each lane.
    pub(crate) fn of_the_group(rng: &mut impl Rng) -> [G1Affine; MAX_LANES] {
        std::array::from_fn(|_| {
            let scalar = Fr::from_bytes_reduced(&rng.random::<[u8; 32]>());
            (G1::generator() * scalar).to_affine()
        })
    }

    /// Checks that points of the group pass without blst, which would hide a mistake, and others do not: in one vector,
    /// in two, and few of them, each in four lanes.
    #[inline(always)]
    pub(crate) fn points_of_the_group_alone_pass_every_check<F: PointLimbs>() {
        let mut rng = rng();
        for round in 0..10 {
            let mut points = of_the_group(&mut rng).map(|point| point.to_compressed());
            if round > 0 {
                let (changed, byte) = (rng.random_range(0..F::LANES.min(2)), rng.random_range(1..48));
                points[changed][byte] ^= 1 << rng.random_range(0..8);
            }
            let one = &points.each_ref()[..F::LANES];
            let mut cases = vec![(one.to_vec(), 1), ([one, one].concat(), 1)];
            cases.extend((1..=F::FEW).map(|few| (one[..few].to_vec(), 4)));
            for (points, each) in cases {
                let (found, good) = in_lanes::<F>(&points, true, each);
                for (at, compressed) in (0..2 * F::LANES).step_by(each).zip(points) {
                    let (expected, lane) = (G1Affine::from_compressed(compressed), at % F::LANES);
                    let is_good = good[at / F::LANES] >> lane & ((1 << each) - 1);
                    assert_eq!(is_good, if expected.is_ok() { (1 << each) - 1 } else { 0 }, "{at}, {each}");
                    assert!(expected.is_err() || expected == Ok(found[at / F::LANES][lane].to_blst()));
                }
            }
        }
    }
}
