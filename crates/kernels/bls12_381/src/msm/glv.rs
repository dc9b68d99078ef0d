//! Products of many points with one public scalar each, such as the twiddles of a transform, by GLV.
//!
//! A scalar a + b·ζ has 43 digits of radix 2^3 in Z\[ζ\] (`eisenstein.rs`), of which 11 up to units occur. A product
//! takes 10 affine additions for the table of a point, then 126 doublings and about 38 additions, 43 at most, in
//! Jacobian coordinates. All points go through the same windows, so that they fill vector lanes.

use std::sync::LazyLock;

use crate::curve::batch_affine::Items;
use crate::curve::eisenstein::{Digit, Digits, Eisenstein, UNITS};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::dispatch::FpRow;
use crate::{Error, Fr, G1, G1Affine};

/// c, the bits of a digit in each coordinate.
const BITS: u32 = 3;

/// Points in one pass: their tables take 104 MB, and operands can name them.
const MAX: usize = 1 << 16;

/// Addition chain for the multiples of a point by the representatives of all digits.
struct Chain {
    /// By representative: the other representative and the unit, k of ζ^k, whose sum it is; `None` for 1 itself.
    sums: Vec<Option<(u32, u32)>>,
    /// The representatives of each round, which are sums of those of earlier rounds.
    rounds: Vec<Vec<u32>>,
}

static CHAIN: LazyLock<Chain> = LazyLock::new(|| {
    let all = Digits::get(BITS).buckets();
    let index = |z: (i128, i128)| all.iter().position(|(u, v)| (i128::from(*u), i128::from(*v)) == z);
    let mut sums = vec![None; all.len()];
    let mut rounds: Vec<Vec<u32>> =
        vec![all.iter().position(|z| *z == (1, 0)).map(|i| i as u32).into_iter().collect()];
    let mut made: Vec<u32> = rounds[0].clone();
    while made.len() < all.len() {
        let mut round = Vec::new();
        for from in &made {
            let (u, v) = all[*from as usize];
            for (unit, (p, q)) in UNITS.iter().enumerate() {
                let found = index((i128::from(u) + p, i128::from(v) + q)).map(|i| i as u32);
                if let Some(to) = found.filter(|to| !made.contains(to) && !round.contains(to)) {
                    sums[to as usize] = Some((*from, unit as u32));
                    round.push(to);
                }
            }
        }
        made.extend(&round);
        rounds.push(round);
    }
    Chain { sums, rounds }
});

/// Replaces points\[i\] by scalars\[i\] · points\[i\]. Eight points take hardly longer than one where there are vector
/// lanes.
///
/// # Errors
/// [`Error::Scalars`] if the lists differ in length.
pub fn multiply_vartime(row: &FpRow, points: &mut [G1], scalars: &[Fr]) -> Result<(), Error> {
    if points.len() != scalars.len() {
        return Err(Error::Scalars { points: points.len(), scalars: scalars.len() });
    }
    multiply(row, points, scalars);
    Ok(())
}

/// Does what [`multiply_vartime`] does, for lists of equal length.
pub(crate) fn multiply(row: &FpRow, points: &mut [G1], scalars: &[Fr]) {
    debug_assert_eq!(points.len(), scalars.len());
    for (points, scalars) in points.chunks_mut(MAX).zip(scalars.chunks(MAX)) {
        multiply_some(row, points, scalars);
    }
}

/// Does what [`multiply`] does, for at least one point.
fn multiply_some(row: &FpRow, points: &mut [G1], scalars: &[Fr]) {
    let (tables, operands) = windows(row, &G1::batch_to_affine(points), scalars);
    row.windows.horner(&tables, BITS, &operands, points);
}

/// Returns Σ scalars\[i\] · points\[i\] for few points. Without vector lanes their products share doublings, and with
/// lanes a vector. [`msm_vartime`](super::msm_vartime) is for many; the costs of both tell which takes less time.
///
/// ```
/// use parcrypt_bls12_381::{Fr, G1, G1Affine, Request, dispatch, msm::msm_few_vartime};
/// let points = [G1::generator(), G1::generator().double()].map(G1Affine::from);
/// let sum = msm_few_vartime(dispatch::select(Request::Auto)?, &points, &[Fr::from(3), Fr::from(4)])?;
/// assert_eq!(sum, G1::generator() * Fr::from(3 + 2 * 4));
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// [`Error::Scalars`] if the lists differ in length.
pub fn msm_few_vartime(row: &FpRow, points: &[G1Affine], scalars: &[Fr]) -> Result<G1, Error> {
    if points.len() != scalars.len() {
        return Err(Error::Scalars { points: points.len(), scalars: scalars.len() });
    }
    let pieces = points.chunks(MAX).zip(scalars.chunks(MAX));
    let sums = pieces.map(|(points, scalars)| {
        let (tables, operands) = windows(row, points, scalars);
        row.windows.horner_sum(&tables, BITS, &operands, points.len())
    });
    Ok(sums.fold(G1::identity(), |sum, piece| sum + piece))
}

/// Returns the multiples of each point, and the digits of each scalar as operands: element w · count + i is digit w of
/// scalar i.
fn windows(row: &FpRow, points: &[G1Affine], scalars: &[Fr]) -> (Vec<GlvTable>, Vec<Operand>) {
    let digits = Digits::get(BITS);
    let (count, multiples) = (points.len(), digits.buckets().len());
    let tables = tables(row, points);
    let mut operands = vec![Operand::NONE; count * digits.windows()];
    let mut windows = 0;
    let integers: Vec<Eisenstein> = scalars.iter().map(Eisenstein::from).collect();
    let mut all = vec![Digit::ZERO; operands.len()];
    row.windows.write_digits(digits, &integers, &mut all);
    for (at, digit) in all.iter().enumerate().filter(|(_, digit)| !digit.is_zero()) {
        let multiple = at % count * multiples + digits.bucket(*digit);
        operands[at] = Operand::new(multiple as u32, digit.unit());
        windows = at / count + 1;
    }
    operands.truncate(windows * count);
    (tables, operands)
}

/// Returns the multiples of each point by all representatives, ordered by point.
fn tables(row: &FpRow, points: &[G1Affine]) -> Vec<GlvTable> {
    let Chain { sums, rounds } = &*CHAIN;
    let starts = (0..points.len() * sums.len()).step_by(sums.len());
    let one = rounds[0][0];
    let mut tables = vec![GlvTable::default(); points.len() * sums.len()];
    for round in rounds {
        let indices = starts.clone().flat_map(|start| round.iter().map(move |to| (start, *to as usize)));
        let mut level = vec![Point::INFINITY; points.len() * round.len()];
        let pair = |(start, to): (usize, usize)| {
            let (from, unit) = sums[to]?;
            Some([Operand::new(start as u32 + from, 0), Operand::new(start as u32 + one, unit)])
        };
        let operands: Vec<Operand> = indices.clone().filter_map(pair).flatten().collect();
        if operands.is_empty() {
            row.batch.import(points, &mut level);
        } else {
            row.batch.sum_lists(Items::Multiples(&tables, &operands), &vec![2; level.len()], &mut level);
        }
        let mut level_tables = vec![GlvTable::default(); level.len()];
        row.batch.glv_tables(&level, &mut level_tables);
        indices.zip(level_tables).for_each(|((start, to), table)| tables[start + to] = table);
    }
    tables
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::{rand::Rng, rng};

    use super::*;
    use crate::curve::batch_affine::conformance::rows;

    #[test]
    fn every_multiple_is_a_sum_of_others() {
        let all = Digits::get(BITS).buckets();
        assert_eq!(CHAIN.rounds.concat().len(), all.len());
        for (to, sum) in CHAIN.sums.iter().enumerate() {
            let (u, v) = match sum {
                None => (1, 0),
                Some((from, unit)) => {
                    let ((u, v), (p, q)) = (all[*from as usize], UNITS[*unit as usize]);
                    (i128::from(u) + p, i128::from(v) + q)
                }
            };
            assert_eq!((u, v), (i128::from(all[to].0), i128::from(all[to].1)));
        }
    }

    #[test]
    fn products_are_those_of_the_ladder() {
        let mut rng = rng();
        let mut scalars: Vec<Fr> =
            (0..41).map(|_| Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())).collect();
        scalars.extend((0..20).map(Fr::from).chain((1..20).map(|i| -Fr::from(i))));
        scalars.extend((0..=32).map(|scale| Fr::root_of_unity(scale).unwrap()));
        let step = G1::generator() * scalars[0];
        let mut points: Vec<G1> =
            std::iter::successors(Some(step), |p| Some(p.double() + step)).take(scalars.len()).collect();
        points[3] = G1::identity();
        points[60] = G1::identity();
        let expected: Vec<G1> = points.iter().zip(&scalars).map(|(p, s)| *p * *s).collect();
        let affine = G1::batch_to_affine(&points);
        for row in rows() {
            let backend = row.backend();
            let mut products = points.clone();
            multiply(row, &mut products, &scalars);
            assert_eq!(products, expected, "{backend}");
            for len in 0..20 {
                let mut products = points[..len].to_vec();
                multiply(row, &mut products, &scalars[..len]);
                assert_eq!(products, expected[..len], "{backend}, {len}");
                let sum = expected[..len].iter().fold(G1::identity(), |sum, product| sum + *product);
                assert_eq!(msm_few_vartime(row, &affine[..len], &scalars[..len]).unwrap(), sum);
                let wrong = msm_few_vartime(row, &affine[..len], &scalars[..len + 1]);
                assert_eq!(wrong, Err(Error::Scalars { points: len, scalars: len + 1 }));
            }
        }
    }

    #[test]
    fn sums_of_related_points_are_right() {
        let point = G1::generator() * Fr::from(11);
        let (scalar, other) = (Fr::from(5).inverse().unwrap(), Fr::from(7));
        let cases = [
            ([point, point], [scalar, scalar]),
            ([point, point], [scalar, -scalar]),
            ([point, -point], [scalar, scalar]),
            ([point, -point], [scalar, other]),
            ([point, point.double()], [Fr::from(2), -Fr::one()]),
            ([point, G1::identity()], [scalar, other]),
            ([point, point], [Fr::zero(); 2]),
            ([G1::identity(); 2], [scalar, other]),
        ];
        for row in rows() {
            let backend = row.backend();
            for (points, scalars) in cases {
                let expected = points[0] * scalars[0] + points[1] * scalars[1];
                assert_eq!(
                    msm_few_vartime(row, &points.map(G1Affine::from), &scalars),
                    Ok(expected),
                    "{backend}"
                );
            }
        }
    }

    #[test]
    fn horner_is_right_where_a_sum_meets_its_point() {
        let point = G1::generator() * Fr::from(11);
        let eight = (0..BITS).fold(point, |p, _| p.double());
        let affine = G1::batch_to_affine(&[point, eight, G1::identity()]);
        for row in rows() {
            let backend = row.backend();
            let mut points = vec![Point::INFINITY; affine.len()];
            let mut tables = vec![GlvTable::default(); affine.len()];
            row.batch.import(&affine, &mut points);
            row.batch.glv_tables(&points, &mut tables);
            let [one, eight_times, minus_eight, infinity] =
                [(0, 0), (1, 0), (1, 3), (2, 1)].map(|(index, unit)| Operand::new(index, unit));
            // From the lowest window on, with the result as a multiple of the point.
            let none = Operand::NONE;
            let cases = [
                ([eight_times, one, none], 16),
                ([minus_eight, one, none], 0),
                ([one, minus_eight, one], 1),
                ([none, eight_times, one], 128),
                ([infinity, one, infinity], 8),
                ([none, none, none], 0),
                ([infinity, none, none], 0),
                ([one, none, one], 65),
            ];
            for turn in 0..12 * cases.len() {
                // Each case in each lane, beside all others, alone, in a vector and in a part of one; and no case.
                let cases: Vec<_> = cases.iter().cycle().skip(turn % 8).take(turn % 12).collect();
                let digits: Vec<Operand> =
                    (0..3).flat_map(|window| cases.iter().map(move |(digits, _)| digits[window])).collect();
                let mut sums = vec![G1::generator(); cases.len()];
                row.windows.horner(&tables, BITS, &digits, &mut sums);
                let expected: Vec<G1> = cases.iter().map(|(_, times)| point * Fr::from(*times)).collect();
                assert_eq!(sums, expected, "{backend}");
            }
        }
    }
}
