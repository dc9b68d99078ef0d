//! Decompression of points of G1 and their validation, with a point in each lane.
//!
//! A lane returns a point only if every check passes. All other bytes, infinity among them, go to blst one by one,
//! which also determines the error: so all backends accept and refuse the same bytes.

mod jacobian;
pub(crate) mod membership;
mod power;

use super::batch_affine::{PointWords, load};
use super::fp::Element;
use super::{MOST_LANES, Words};
use crate::curve::point::Point;
use crate::curve::validation::{Parsed, by_blst};
use crate::field::fp::{self, power_of_two};
use crate::field::power::SQUARE_ROOT;
use crate::{Error, G1Affine};
use jacobian::Affine;
use membership::in_group;
use power::{Power, power};

/// 1 and 4 in the Montgomery form of lanes, times 2^392.
const ONE: fp::Words = power_of_two(392);
const FOUR: fp::Words = power_of_two(394);

/// Factors to that form from integers and from the form of blst, and to the latter.
const FROM_NUMBER: fp::Words = power_of_two(2 * 392);
const FROM_BLST: fp::Words = power_of_two(2 * 392 - 384);
const TO_BLST: fp::Words = power_of_two(384);

/// Returns whether a mask has ones in each lane.
#[inline(always)]
fn lanes<W: Words>(mask: W) -> [bool; MOST_LANES] {
    let mut words = [0; MOST_LANES];
    mask.store(&mut words[..W::LANES]);
    words.map(|word| word != 0)
}

/// Returns ones in the lanes for which the function returns true.
#[inline(always)]
fn mask<W: Words>(is: impl Fn(usize) -> bool) -> W {
    let mut words = [0; MOST_LANES];
    for (lane, word) in words[..W::LANES].iter_mut().enumerate() {
        *word = if is(lane) { u64::MAX } else { 0 };
    }
    W::load(&words)
}

/// Writes the point of each bytes, with a check of membership or without.
#[inline(always)]
pub(crate) fn decompress<W: PointWords, const MEMBERSHIP: bool>(
    compressed: &[&[u8; 48]],
    out: &mut [Result<G1Affine, Error>],
) {
    for (compressed, out) in compressed.chunks(W::LANES).zip(out.chunks_mut(W::LANES)) {
        let (points, good) = in_lanes::<W, MEMBERSHIP>(compressed);
        for (lane, (compressed, out)) in compressed.iter().zip(out).enumerate() {
            *out = match good[lane] {
                true => Ok(Point { x: points[0][lane], y: points[1][lane] }.to_blst()),
                false => by_blst::<MEMBERSHIP>(compressed),
            };
        }
    }
}

/// Returns the coordinates of at least one and at most `LANES` points, in the form of blst, and the lanes whose point
/// passes every check.
#[inline(always)]
fn in_lanes<W: PointWords, const MEMBERSHIP: bool>(
    compressed: &[&[u8; 48]],
) -> ([[fp::Words; MOST_LANES]; 2], [bool; MOST_LANES]) {
    let mut parsed = [Parsed::new(compressed[0]); MOST_LANES];
    parsed.iter_mut().zip(compressed).skip(1).for_each(|(parsed, bytes)| *parsed = Parsed::new(bytes));
    let mut numbers = [[0; 6]; MOST_LANES];
    numbers.iter_mut().zip(&parsed).for_each(|(number, parsed)| number.copy_from_slice(&parsed.x[..6]));
    let x = load::<W>(&numbers.each_ref()).times(&Element::<W, 1, 1>::constant(&FROM_NUMBER));
    let right: Element<W, 2, 5> = x.square().times(&x).plus(&Element::<W, 1, 1>::constant(&FOUR));
    let root = power(&right.carried().widen(), &SQUARE_ROOT);
    let error: Element<W, 4, 10> = root.square().less(&right);
    let mut good = mask::<W>(|lane| parsed[lane].plain).and(error.canonical().zeros());
    let y = signed(&root, mask(|lane| parsed[lane].large));
    if MEMBERSHIP && good.has_high_bit() {
        good = good.and(in_group(&Affine { x: x.widen(), y: y.widen() }));
    }
    let to_blst = Element::<W, 1, 1>::constant(&TO_BLST);
    let mut points = [[[0; 6]; MOST_LANES]; 2];
    W::scatter(x.times(&to_blst).canonical().to_words(), &mut points[0]);
    W::scatter(y.times(&to_blst).canonical().to_words(), &mut points[1]);
    (points, lanes(good))
}

/// Returns the root or its negative: the larger of both as an integer in the lanes of `large`, the smaller in the
/// others.
#[inline(always)]
fn signed<W: PointWords>(root: &Power<W>, large: W) -> Element<W, 2, 2> {
    // Twice a number is odd modulo p for the numbers above (p − 1) / 2.
    let twice = root.times(&Element::<W, 1, 1>::constant(&[2, 0, 0, 0, 0, 0])).canonical();
    let is_large = twice.odd();
    let root = root.canonical();
    root.widen().or_in(is_large.or(large).minus(is_large.and(large)), &root.minus())
}

/// Implements [`PointValidation::are_in_subgroup`](crate::curve::validation::PointValidation::are_in_subgroup).
#[inline(always)]
pub(crate) fn are_in_subgroup<W: PointWords>(points: &[G1Affine]) -> bool {
    points.chunks(W::LANES).all(|points| {
        let mut elements = [[&points[0].0.x.l; MOST_LANES], [&points[0].0.y.l; MOST_LANES]];
        for (lane, point) in points.iter().enumerate() {
            (elements[0][lane], elements[1][lane]) = (&point.0.x.l, &point.0.y.l);
        }
        let from_blst = Element::<W, 1, 1>::constant(&FROM_BLST);
        let [x, y] = [load::<W>(&elements[0]).times(&from_blst), load::<W>(&elements[1]).times(&from_blst)];
        let proved = lanes(in_group(&Affine { x: x.widen(), y: y.widen() }));
        points.iter().zip(proved).all(|(point, proved)| proved || point.is_in_subgroup())
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;
    use crate::{Fr, G1};

    /// Returns different points of the group, one for each lane.
    pub(crate) fn of_the_group(rng: &mut impl Rng) -> [G1Affine; MOST_LANES] {
        std::array::from_fn(|_| {
            let scalar = Fr::from_bytes_reduced(&rng.random::<[u8; 32]>());
            (G1::generator() * scalar).to_affine()
        })
    }

    /// Checks that points of the group pass without blst, which would hide a mistake, and others do not.
    #[inline(always)]
    pub(crate) fn points_of_the_group_alone_pass_every_check<W: PointWords>() {
        let mut rng = rng();
        for _ in 0..10 {
            let mut points = of_the_group(&mut rng).map(|point| point.to_compressed());
            let all = |points: &[[u8; 48]; MOST_LANES]| {
                let references = points.each_ref();
                let (found, good) = in_lanes::<W, true>(&references[..W::LANES]);
                for lane in (0..W::LANES).filter(|lane| good[*lane]) {
                    let point = Point { x: found[0][lane], y: found[1][lane] }.to_blst();
                    assert_eq!(Ok(point), G1Affine::from_compressed(&points[lane]));
                }
                good
            };
            assert_eq!(all(&points)[..W::LANES], [true; MOST_LANES][..W::LANES]);
            let (changed, byte) = (rng.random_range(0..W::LANES), rng.random_range(1..48));
            points[changed][byte] ^= 1 << rng.random_range(0..8);
            let mut expected = [true; MOST_LANES];
            expected[changed] = G1Affine::from_compressed(&points[changed]).is_ok();
            assert_eq!(all(&points)[..W::LANES], expected[..W::LANES]);
        }
    }

    #[test]
    fn points_of_the_group_alone_pass_every_check_of_the_model() {
        points_of_the_group_alone_pass_every_check::<[u64; 4]>();
    }
}
