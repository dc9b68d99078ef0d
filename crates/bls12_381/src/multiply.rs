//! Many points, each times a scalar of its own that is no secret, as the twiddles of a transform are.
//!
//! A scalar is a + b·ζ of 127 bits each (`recode`), written to the base 2 with digits that are not divisible by 2 and
//! stand at least three places apart: the 48 classes modulo 8 are 8 up to units. Of 127 places 38 have a digit in the
//! mean. blst's ladder, which takes the same time for every scalar, adds 52 times and takes twice the time.

use std::sync::LazyLock;

use crate::affine::scalar::Scalar;
use crate::affine::{Additions, Operand, Orbit, Point, Sum};
use crate::recode::{Short, UNITS};
use crate::{Fr, G1, G1Affine};

/// So many places a digit clears.
const WIDTH: u32 = 3;

/// The representatives u + v·ζ of the classes modulo 8 that 2 does not divide, up to units, each the sum of an earlier
/// one and a unit: (u, v), which one, k of ζ^k. The first is 1 itself.
#[rustfmt::skip]
const MULTIPLES: [((i128, i128), usize, u32); 8] = [
    ((1, 0), 0, 0),
    ((1, 1), 0, 1),
    ((2, 1), 1, 0),
    ((1, 2), 1, 1),
    ((3, 0), 2, 5),
    ((3, 1), 2, 0),
    ((1, 3), 3, 1),
    ((3, 2), 5, 1),
];

/// The digit of each class, by a + 8·b: which representative and k of ζ^k; none where 2 divides a and b.
static DIGITS: LazyLock<[Option<(u8, u8)>; 64]> = LazyLock::new(|| {
    let mut digits = [None; 64];
    for (which, (z, ..)) in MULTIPLES.iter().enumerate() {
        for (k, (p, q)) in UNITS.iter().enumerate() {
            let (u, v) = *z;
            // (u + vζ)(p + qζ), where ζ² = ζ − 1.
            let (a, b) = (u * p - v * q, u * q + v * p + v * q);
            digits[((a & 7) | (b & 7) << WIDTH) as usize] = Some((which as u8, k as u8));
        }
    }
    digits
});

/// The places from which [`MULTIPLES`] can be made at once, because all they are made of stands before.
const ROUNDS: [std::ops::Range<usize>; 4] = [1..2, 2..4, 4..7, 7..8];

/// One digit of a scalar: ζ^unit times one of the [`MULTIPLES`], times 2^place.
#[derive(Clone, Copy, Debug)]
struct Digit {
    place: u8,
    which: u8,
    unit: u8,
}

/// The digits of a scalar, from the lowest place on.
fn digits(scalar: &Fr) -> impl DoubleEndedIterator<Item = Digit> {
    let Short { mut a, mut b } = Short::from(scalar);
    let (mut place, mut digits) = (0, Vec::with_capacity(48));
    while (a, b) != (0, 0) {
        let zeros = (a | b).trailing_zeros();
        (a, b, place) = (a >> zeros, b >> zeros, place + zeros);
        // One of them is odd now, and every such class has a digit.
        if let Some((which, unit)) = DIGITS[((a & 7) | (b & 7) << WIDTH) as usize] {
            digits.push(Digit { place: place as u8, which, unit });
            let ((u, v), (p, q)) = (MULTIPLES[usize::from(which)].0, UNITS[usize::from(unit)]);
            (a, b) = (a - (u * p - v * q), b - (u * q + v * p + v * q));
        }
        (a, b, place) = (a >> WIDTH, b >> WIDTH, place + WIDTH);
    }
    digits.into_iter()
}

/// points\[i\] = scalars\[i\] · points\[i\]. The tables of multiples of all points share four inversions.
pub(crate) fn multiply_vartime(points: &mut [G1], scalars: &[Fr]) {
    debug_assert_eq!(points.len(), scalars.len());
    let tables = tables(points);
    let mut affine = vec![G1Affine::identity(); 1];
    for (i, (point, scalar)) in points.iter_mut().zip(scalars).enumerate() {
        let table = &tables[i * MULTIPLES.len()..(i + 1) * MULTIPLES.len()];
        let (mut product, mut place) = (G1::identity(), 0);
        for digit in digits(scalar).rev() {
            product = (digit.place..place).fold(product, |product, _| product.double());
            place = digit.place;
            let multiple = Operand::new(digit.which.into(), digit.unit.into()).point(table);
            Scalar.export(&[multiple], &mut affine);
            product = product + affine[0];
        }
        *point = (0..place).fold(product, |product, _| product.double());
    }
}

/// The eight [`MULTIPLES`] of each point, point by point.
fn tables(points: &[G1]) -> Vec<Orbit> {
    let count = MULTIPLES.len();
    let mut multiples = vec![Point::INFINITY; points.len() * count];
    let mut orbits = vec![Orbit::default(); multiples.len()];
    let mut bases = vec![Point::INFINITY; points.len()];
    Scalar.import(&G1::batch_to_affine(points), &mut bases);
    multiples.iter_mut().step_by(count).zip(&bases).for_each(|(first, base)| *first = *base);
    let mut made = 0..1;
    for round in ROUNDS {
        for first in (0..multiples.len()).step_by(count) {
            let made = first + made.start..first + made.end;
            Scalar.orbits(&multiples[made.clone()], &mut orbits[made]);
        }
        let sum = |first: usize, which: usize| {
            let (_, earlier, unit) = MULTIPLES[which];
            let a = Operand::new((first + earlier) as u32, 0);
            Sum { a, b: Operand::new(first as u32, unit), to: (first + which) as u32 }
        };
        let starts = (0..multiples.len()).step_by(count);
        let sums: Vec<Sum> =
            starts.flat_map(|first| round.clone().map(move |which| sum(first, which))).collect();
        Scalar.sum_orbits(&orbits, &sums, &mut multiples);
        made = round;
    }
    for first in (0..multiples.len()).step_by(count) {
        let made = first + made.start..first + made.end;
        Scalar.orbits(&multiples[made.clone()], &mut orbits[made]);
    }
    orbits
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::{rand::Rng, rng};

    use super::*;

    #[test]
    fn multiples_are_made_of_earlier_ones_and_every_class_has_one() {
        for (z, earlier, unit) in MULTIPLES.iter().skip(1) {
            let (from, unit) = (MULTIPLES[*earlier].0, UNITS[*unit as usize]);
            assert_eq!(*z, (from.0 + unit.0, from.1 + unit.1));
        }
        for (class, digit) in DIGITS.iter().enumerate() {
            assert_eq!(digit.is_some(), class & 1 == 1 || class >> WIDTH & 1 == 1, "class {class}");
        }
    }

    #[test]
    fn products_are_those_of_the_ladder() {
        let mut rng = rng();
        let mut scalars: Vec<Fr> =
            (0..40).map(|_| Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())).collect();
        scalars.extend((0..20).map(Fr::from).chain((1..20).map(|i| -Fr::from(i))));
        scalars.extend((0..=32).map(|scale| Fr::root_of_unity(scale).unwrap()));
        let step = G1::generator() * scalars[0];
        let mut points: Vec<G1> =
            std::iter::successors(Some(step), |p| Some(p.double() + step)).take(scalars.len()).collect();
        points[3] = G1::identity();
        points[60] = G1::identity();
        let expected: Vec<G1> = points.iter().zip(&scalars).map(|(p, s)| *p * *s).collect();
        multiply_vartime(&mut points, &scalars);
        assert_eq!(points, expected);
        multiply_vartime(&mut [], &[]);
    }

    #[test]
    fn a_third_of_the_places_has_a_digit() {
        let mut rng = rng();
        let count: usize =
            (0..1000).map(|_| digits(&Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())).count()).sum();
        assert!((36_000..40_000).contains(&count), "{count}");
    }
}
