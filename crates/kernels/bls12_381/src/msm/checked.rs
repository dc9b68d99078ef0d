//! The sum of many points with random factors, which also tells whether all points are in G1.
//!
//! The curve has h·r points, where h = (x − 1)²/3 = 3 · 11² · 10177² · 859267² · 52437899², and each point is a sum of
//! a point of G1, one of order 3 or infinity, and one whose order divides e = 11 · 10177 · 859267 · 52437899, its
//! torsion.
//!
//! Torsion of order 3: the points of order 3 are (0, ±2), and the tangent there meets the curve nowhere else. So y − 2
//! is the function of the Tate pairing of order 3 with (0, 2), and a point is three times another, and has no torsion
//! of order 3, if and only if y − 2 is a cube other than 0, or the point infinity, for which 1 is taken. This is a
//! homomorphism: where a product of powers of y − 2 of several points is a cube, the same sum of the points has no such
//! torsion. Only (0, 2) has y − 2 = 0, which makes a product 0, and that is refused.
//!
//! Other torsion: (x, y) → (βx, y) is an automorphism of the curve with φ² + φ + 1 = 0, so that all points are a module
//! over Z\[ζ\] with ζ = −φ². In G1 ζ is x², and elsewhere not. Pippenger's method adds up, for each window w of the
//! factors, Σ d(k, w)·P_k over the digits d(k, w) of Z\[ζ\]. This sum, and for larger digits one or two more, are rows:
//! Σ c(d(k, w))·P_k with functions c for which c(ζ·d) = ζ·c(d).
//!
//! Let P_k have torsion t, not infinity, and fix all other factors. If all rows are in G1, c(d(k, w))·t is known for
//! each function and window. The multipliers of t that are infinity are an ideal, within a prime ideal q that divides
//! e: 11 or 52437899, or a factor of norm 10177 or 859267. If the values c(d) of all functions together differ modulo q
//! for digits d that differ, each digit d(k, w) is known, and so is the factor: one of 2^128. For q other than 11 the
//! digits differ themselves, because the norm of a difference is below 10177 for radixes up to 2^6. Modulo 11 up to
//! radix 2^3 they do, and for others together with their lower bits, which [`prefixes`] lists and a test shows. For
//! torsion of order 3 the rows are products of powers of y − 2 to two digits of base 3 for each three bits of a factor,
//! or each point is tested.
//!
//! So a point outside of G1 passes with a probability of at most 2^-128. (Koshelev, "Subgroup membership testing on
//! elliptic curves via the Tate pairing", 2022, tests single points by cubes and other powers.)

use parcrypt_runtime::{Cost, Runtime, enter, map};

use super::pippenger::{Bases, MAX_POINTS, Shape};
use super::segments::sum_operands;
use crate::costs::ns;
use crate::curve::batch_affine::Sum;
use crate::curve::cubic_residues::ROWS;
use crate::curve::eisenstein::{Digits, Eisenstein};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::dispatch::FpRow;
use crate::{Error, Fr, G1, G1Affine};

/// Largest c for which digits of radix 2^c differ modulo all primes of norm 10177 and more.
const MAX_BITS: u32 = 6;

/// Points whose products of powers are one task.
const GRAIN: usize = 128;

/// Returns the numbers of low bits of u and v, for representatives u + v·ζ, whose values are the functions of the rows:
/// all of them, which is the digit, and for c above 3 fewer.
fn prefixes(bits: u32) -> &'static [u32] {
    match bits {
        2 => &[2],
        3 => &[3],
        4 => &[4, 2],
        5 => &[5, 2],
        _ => &[6, 2, 3],
    }
}

/// Returns Σ factors\[i\] · points\[i\] for points of the curve, or `None` if a point is not in G1. Each factor is a +
/// b·x² with a and b below 2^64, or a sum of such, and takes at least 2^128 values that are equally likely after all
/// points are fixed; then a point outside of G1 is not noticed with a probability of at most 2^-128.
///
/// # Errors
/// [`Error::Scalars`] if the lists differ in length, [`Error::Allocation`] if the memory for digits or multiples, up to
/// some 100 MB, cannot be allocated.
pub fn msm_checked_vartime(
    rt: &dyn Runtime,
    row: &'static FpRow,
    points: &[G1Affine],
    factors: &[Fr],
) -> Result<Option<G1>, Error> {
    if points.len() != factors.len() {
        return Err(Error::Scalars { points: points.len(), scalars: factors.len() });
    }
    let mut sum = G1::identity();
    for (points, factors) in points.chunks(MAX_POINTS).zip(factors.chunks(MAX_POINTS)) {
        if !have_no_torsion_of_order_3(rt, row, points, factors) {
            return Ok(None);
        }
        match sum_of_members(rt, row, best(row, points.len()), points, factors)? {
            Some(part) => sum += part,
            None => return Ok(None),
        }
    }
    Ok(Some(sum))
}

/// Returns the cost of [`msm_checked_vartime`] for this number of points.
pub fn msm_checked_cost(row: &FpRow, points: usize) -> Cost {
    if points == 0 {
        return Cost::default();
    }
    let [each, weighted] = order_3_ns(row, points);
    ns(sum_ns(row, best(row, points), points) + each.min(weighted))
}

/// Returns the shape that takes the least time.
fn best(row: &FpRow, points: usize) -> Shape {
    let all = (Digits::MIN..=MAX_BITS).map(|bits| Shape::new(bits, 1));
    // The list is not empty.
    all.min_by(|a, b| sum_ns(row, *a, points).total_cmp(&sum_ns(row, *b, points)))
        .unwrap_or(Shape::new(Digits::MIN, 1))
}

/// Returns the time of a sum of members with a shape, in ns.
fn sum_ns(row: &FpRow, shape: Shape, points: usize) -> f64 {
    let rows = shape.sets.div_ceil(2) * prefixes(shape.bits).len();
    let rows = rows.next_multiple_of(row.costs.lanes) as f64;
    shape.short_additions(points) * row.costs.add + rows * row.costs.membership()
}

/// Returns the times of both ways to test for torsion of order 3, in ns.
fn order_3_ns(row: &FpRow, points: usize) -> [f64; 2] {
    let each = points.next_multiple_of(row.costs.lanes) as f64 * row.costs.cube();
    [each, points as f64 * row.costs.weighted(ROWS) + ROWS as f64 * row.costs.cube()]
}

/// Returns whether all points of the curve are three times another: each, or all together where that takes less time.
fn have_no_torsion_of_order_3(
    rt: &dyn Runtime,
    row: &'static FpRow,
    points: &[G1Affine],
    factors: &[Fr],
) -> bool {
    let [each_ns, weighted_ns] = order_3_ns(row, points.len());
    if each_ns <= weighted_ns {
        each_is_triple(rt, row, points)
    } else {
        sums_are_triples(rt, row, points, factors)
    }
}

/// Tests each point.
fn each_is_triple(rt: &dyn Runtime, row: &'static FpRow, points: &[G1Affine]) -> bool {
    let piece = row.at_once(rt, points.len());
    let pieces: Vec<&[G1Affine]> = points.chunks(piece).collect();
    let cost = ns(piece as f64 * row.costs.cube());
    map(rt, pieces.len(), cost, |i| row.validation.are_triples(pieces[i])).into_iter().all(|all| all)
}

/// Tests sums of points whose coefficients are digits of base 3 of the factors.
fn sums_are_triples(rt: &dyn Runtime, row: &'static FpRow, points: &[G1Affine], factors: &[Fr]) -> bool {
    let pieces: Vec<_> = points.chunks(GRAIN).zip(factors.chunks(GRAIN)).collect();
    let products = map(rt, pieces.len(), ns(GRAIN as f64 * row.costs.weighted(ROWS)), |i| {
        let (points, factors) = pieces[i];
        let weight = |factor: &Fr| {
            let Eisenstein { a, b } = Eisenstein::from(factor);
            [a as u64, b as u64]
        };
        row.validation.weighted_products(points, &factors.iter().map(weight).collect::<Vec<_>>())
    });
    // Two vectors of rows in a task.
    let rows: Vec<_> = (0..ROWS).step_by(16).map(|first| first..ROWS.min(first + 16)).collect();
    let cost = ns(16.0 * row.costs.cube());
    map(rt, rows.len(), cost, |i| row.validation.are_cubes(&products, rows[i].clone()))
        .into_iter()
        .all(|all| all)
}

/// Returns the sum of points without torsion of order 3, or `None` if one has other torsion.
fn sum_of_members(
    rt: &dyn Runtime,
    row: &'static FpRow,
    shape: Shape,
    points: &[G1Affine],
    factors: &[Fr],
) -> Result<Option<G1>, Error> {
    let tables = shape.table(rt, row, points)?;
    let bases = Bases { shape, row, tables: &tables, len: points.len() };
    enter(rt, bases.cost(1), || sum_if_rows_are_members(rt, &bases, factors))
}

/// Returns the sum if all rows are in G1.
fn sum_if_rows_are_members(rt: &dyn Runtime, bases: &Bases<'_>, factors: &[Fr]) -> Result<Option<G1>, Error> {
    let (row, digits) = (bases.row, bases.shape.digits());
    let bits = digits.bits();
    let operands = bases.operands(rt, digits, &[factors])?;
    let buckets = sum_operands(rt, row, bases.tables, &operands);
    drop(operands);
    let mut weighted = bases.weigh(rt, digits, &buckets);
    // The windows of the upper half are infinity.
    let used = weighted.iter().rposition(|sum| !sum.is_infinity()).map_or(0, |last| last / (2 * bits) + 1);
    weighted.truncate(2 * bits * used);
    // In each window, the sums of the buckets by bit of u, and those by bit of v times ζ.
    let operand = |window: usize, bit: usize, unit: usize| {
        Operand::new((2 * bits * window + unit * bits + bit) as u32, unit as u32)
    };
    let sums: Vec<Sum> = (0..bits * used)
        .map(|to| {
            let (window, bit) = (to / bits, to % bits);
            Sum { a: operand(window, bit, 0), b: operand(window, bit, 1), to: to as u32 }
        })
        .collect();
    let mut by_bit = vec![Point::INFINITY; sums.len()];
    row.batch.add_multiples(&tables(row, &weighted), &sums, &mut by_bit);
    let prefixes = prefixes(bases.shape.bits);
    let mut rows = vec![G1::identity(); prefixes.len() * used];
    let digits = (0..bits).flat_map(|bit| {
        prefixes.iter().flat_map(move |prefix| {
            let operand = move |window: usize| match bit < *prefix as usize {
                true => Operand::new((window * bits + bit) as u32, 0),
                false => Operand::NONE,
            };
            (0..used).map(operand)
        })
    });
    row.windows.horner(&tables(row, &by_bit), 1, &digits.collect::<Vec<_>>(), &mut rows);
    let rows = G1::batch_to_affine(&rows);
    let piece = row.at_once(rt, rows.len());
    let pieces: Vec<&[G1Affine]> = rows.chunks(piece).collect();
    let cost = ns(piece as f64 * row.costs.membership());
    let members = map(rt, pieces.len(), cost, |i| row.validation.are_in_subgroup(pieces[i]));
    if !members.into_iter().all(|all| all) {
        return Ok(None);
    }
    // The first rows are the sums of the windows.
    let mut windows = vec![Point::INFINITY; used];
    row.batch.import(&rows[..used], &mut windows);
    let operands: Vec<Operand> = (0..used).map(|window| Operand::new(window as u32, 0)).collect();
    let mut sum = [G1::identity()];
    row.windows.horner(&tables(row, &windows), bits as u32, &operands, &mut sum);
    Ok(Some(sum[0]))
}

/// Returns the GLV tables of points.
fn tables(row: &FpRow, points: &[Point]) -> Vec<GlvTable> {
    let mut tables = vec![GlvTable::default(); points.len()];
    row.batch.glv_tables(points, &mut tables);
    tables
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

    use std::collections::HashSet;

    use parcrypt_runtime::Serial;
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::rng;

    use super::*;
    use crate::curve::eisenstein::UNITS;
    use crate::dispatch::{BACKENDS, select};
    use crate::msm::msm_vartime;
    use crate::subgroup_check::tests::{FACTORS, good, of_order, times};

    fn rows() -> impl Iterator<Item = &'static FpRow> {
        BACKENDS.iter().filter_map(|backend| select((*backend).into()).ok())
    }

    fn factors(count: usize, rng: &mut impl RngCore) -> Vec<Fr> {
        (0..count).map(|_| Fr::from_glv_halves(rng.random(), rng.random())).collect()
    }

    /// Returns the sums with each radix, without the test for torsion of order 3.
    fn with_each_radix(row: &'static FpRow, points: &[G1], factors: &[Fr]) -> Vec<Option<G1>> {
        let points = G1::batch_to_affine(points);
        let shapes = (Digits::MIN..=MAX_BITS).map(|bits| Shape::new(bits, 1));
        shapes.map(|shape| sum_of_members(&Serial, row, shape, &points, factors).unwrap()).collect()
    }

    /// Returns the verdicts of both tests for torsion of order 3.
    fn triples(row: &'static FpRow, points: &[G1], factors: &[Fr]) -> [bool; 2] {
        let points = G1::batch_to_affine(points);
        [each_is_triple(&Serial, row, &points), sums_are_triples(&Serial, row, &points, factors)]
    }

    #[test]
    fn sums_of_members_are_those_of_any_points() {
        let mut rng = rng();
        for row in rows() {
            for count in [1, 2, 7, 8, 9, 17, 100, 513] {
                let (mut points, mut factors) = (good(count), factors(count, &mut rng));
                if count > 20 {
                    points[3] = G1::identity();
                    points[7] = points[8];
                    points[9] = -points[8];
                    (factors[0], factors[10]) = (Fr::zero(), Fr::one());
                    (factors[9], factors[7]) = (factors[8], factors[8]);
                    factors[11] = factors[12] + factors[13] + factors[14];
                }
                let affine = G1::batch_to_affine(&points);
                let expected = msm_vartime(&Serial, row, &affine, &factors).unwrap();
                let found = msm_checked_vartime(&Serial, row, &affine, &factors).unwrap();
                assert_eq!(found, Some(expected), "{count}");
                for sum in with_each_radix(row, &points, &factors) {
                    assert_eq!(sum, Some(expected), "{count}");
                }
                assert_eq!(triples(row, &points, &factors), [true; 2], "{count}");
            }
            assert_eq!(msm_checked_vartime(&Serial, row, &[], &[]), Ok(Some(G1::identity())));
            assert_eq!(msm_checked_cost(row, 0), Cost::default());
        }
    }

    /// Torsion of one point, and torsion of several points whose sum is infinity, is found by the test that is for its
    /// order, and the other one takes no notice.
    #[test]
    fn torsion_of_any_order_is_found() {
        let mut rng = rng();
        for row in rows() {
            for (prime, _) in FACTORS {
                let all = of_order(prime, &mut rng);
                let (first, last) = (all[0], *all.last().unwrap());
                for torsion in
                    [vec![first], vec![last], vec![first, -first], vec![first, last, -first - last]]
                {
                    for count in [torsion.len(), 20] {
                        let (mut points, factors) = (good(count), factors(count, &mut rng));
                        let at = rng.random_range(0..=count - torsion.len());
                        torsion.iter().zip(&mut points[at..]).for_each(|(torsion, point)| *point += *torsion);
                        assert_eq!(triples(row, &points, &factors), [prime != 3; 2], "order {prime}");
                        let sums = with_each_radix(row, &points, &factors);
                        if prime != 3 {
                            assert!(sums.iter().all(Option::is_none), "order {prime}");
                        }
                        let affine = G1::batch_to_affine(&points);
                        let checked = msm_checked_vartime(&Serial, row, &affine, &factors).unwrap();
                        assert_eq!(checked, None, "order {prime}, {count} points");
                    }
                }
            }
            // Points of order 3 alone: y − 2 is 0 or −4.
            let torsion = of_order(3, &mut rng)[0];
            for point in [torsion, -torsion] {
                assert_eq!(triples(row, &[point], &[Fr::from_glv_halves(5, 0)]), [false; 2]);
            }
            let points = G1::batch_to_affine(&[good(200), vec![torsion]].concat());
            let factors = factors(201, &mut rng);
            assert_eq!(msm_checked_vartime(&Serial, row, &points, &factors), Ok(None));
        }
    }

    /// A point of order 3 is found in every task of a long list, in the first and the last lane, by both tests.
    #[test]
    fn torsion_of_order_3_is_found_in_long_lists() {
        let mut rng = rng();
        let torsion = of_order(3, &mut rng)[0];
        let count = 3 * GRAIN + 5;
        let (good, factors) = (good(count), factors(count, &mut rng));
        for row in rows() {
            assert_eq!(triples(row, &good, &factors), [true; 2]);
            for at in [0, GRAIN - 1, GRAIN, 2 * GRAIN - 1, 2 * GRAIN, 3 * GRAIN, count - 1] {
                let mut points = good.clone();
                points[at] += torsion;
                assert_eq!(triples(row, &points, &factors), [false; 2], "{at} of {count}");
            }
        }
    }

    /// (1 + ζ)·t is infinity for t of order 3, so that no sum of a window takes notice of it; cubes do.
    #[test]
    fn torsion_that_no_window_shows_is_found() {
        let torsion = of_order(3, &mut rng())[0];
        let (forged, factors) = ([good(1)[0] + torsion], [Fr::from_glv_halves(1, 1)]);
        for row in rows() {
            assert!(
                with_each_radix(row, &forged, &factors).iter().all(Option::is_some),
                "the forgery is one"
            );
            let affine = G1::batch_to_affine(&forged);
            assert_eq!(msm_checked_vartime(&Serial, row, &affine, &factors), Ok(None));
        }
    }

    /// Factors that are the same, or whose digits are the same modulo 11 in the first row of a window, let torsion
    /// cancel there: the second case is found by the other rows.
    #[test]
    fn each_row_of_a_window_is_checked() {
        let mut rng = rng();
        let torsion = of_order(11, &mut rng)[0];
        let [g, h] = *good(2) else { unreachable!("two points") };
        let forged = [g + torsion, h - torsion];
        for row in rows() {
            let same = with_each_radix(row, &forged, &[Fr::from(77); 2]);
            assert!(same.iter().all(Option::is_some), "the forgery is one");
            for bits in [4, 5, 6] {
                let shape = Shape::new(bits, 1);
                let digits =
                    || Digits::get(bits).buckets().iter().map(|(u, v)| (i128::from(*u), i128::from(*v)));
                // (u + vζ) · ζ^unit
                let times = |(u, v): (i128, i128), unit: usize| {
                    let (a, b) = UNITS[unit];
                    (u * a - v * b, u * b + v * a + v * b)
                };
                let all = digits().flat_map(|d| digits().flat_map(move |e| (0..6).map(move |k| (d, e, k))));
                let same = all.into_iter().find(|(d, e, k)| {
                    let (u, v) = times(*e, *k);
                    (u, v) != *d && (d.0 - u) % 11 == 0 && (d.1 - v) % 11 == 0
                });
                let (d, e, unit) = same.unwrap();
                let factor = |(u, v): (i128, i128)| Fr::from_glv_halves(u as u64, v as u64);
                let zeta = (0..unit).fold(Fr::one(), |power, _| power * Fr::from_glv_halves(0, 1));
                // The same digits in another window than the first.
                for shift in [0, 3 * bits, 60 / bits * bits - bits].map(u64::from) {
                    let factors = [factor(d), factor(e) * zeta].map(|x| x * Fr::from(2).pow_vartime(shift));
                    let affine = G1::batch_to_affine(&forged);
                    assert_eq!(
                        sum_of_members(&Serial, row, shape, &affine, &factors),
                        Ok(None),
                        "{bits} bits"
                    );
                }
            }
        }
    }

    /// Every row of products is a test: a weight whose digit is 1 or 2 in one row alone shows torsion of order 3.
    #[test]
    fn each_digit_of_base_3_is_checked() {
        let mut rng = rng();
        let torsion = of_order(3, &mut rng)[0];
        for row in rows() {
            // The next place for each weight. Their number is odd, so that both halves of a factor meet each of them.
            let mut places = [0, 7, 8, 15, 16, 17, 18].into_iter().cycle();
            for bit in (0..64).step_by(3) {
                for digits in if bit == 63 { vec![1] } else { vec![1, 2, 3, 6] } {
                    for (weight, at) in [[digits << bit, 0], [0, digits << bit]].into_iter().zip(&mut places)
                    {
                        let mut points = good(19);
                        points[at] += torsion;
                        let mut factors = factors(19, &mut rng);
                        factors[at] = Fr::from_glv_halves(weight[0], weight[1]);
                        let verdicts = triples(row, &points, &factors);
                        assert_eq!(verdicts, [false; 2], "{weight:x?} at {at}");
                    }
                }
                if row.costs.lanes == 1 {
                    break;
                }
            }
            // With the same factor two opposite parts cancel, in products only.
            let points = [good(1)[0] + torsion, good(1)[0] - torsion];
            assert_eq!(
                triples(row, &points, &[Fr::from(0x1234_5678); 2]),
                [false, true],
                "the forgery is one"
            );
        }
    }

    /// Products of powers agree with sums of points, digit by digit, in every backend.
    #[test]
    fn digits_of_base_3_differ_for_weights_that_differ() {
        use crate::curve::cubic_residues::digit;
        for low in 0..8u64 {
            let other =
                |high: u64| (0..ROWS).map(|row| digit(&[low | high << 61, high], row)).collect::<Vec<_>>();
            let all: HashSet<Vec<u64>> = (0..8).map(other).collect();
            assert_eq!(all.len(), 8);
            assert!(all.iter().flatten().all(|digit| *digit < 3));
        }
        let groups: HashSet<[u64; 2]> = (0..8).map(|bits| [0, 1].map(|row| digit(&[bits, 0], row))).collect();
        assert_eq!(groups.len(), 8);
        assert_eq!(digit(&[1 << 63, 0], crate::curve::cubic_residues::HALF_ROWS - 1), 1);
        let torsion_free = times(good(1)[0], 3);
        assert!(rows().all(|row| triples(row, &[torsion_free], &[Fr::one()]) == [true; 2]));
    }

    /// The digits of Z\[ζ\], with their functions, differ modulo 11, and without these modulo all primes of norm 10177
    /// and more.
    #[test]
    fn digits_are_known_by_their_rows() {
        for digits in (Digits::MIN..=MAX_BITS).map(Digits::get) {
            let bits = digits.bits() as u32;
            assert_eq!(prefixes(bits)[0], bits, "the first row of a window is its sum");
            let mut seen = HashSet::from([vec![(0, 0); prefixes(bits).len()]]);
            for (u, v) in digits.buckets().iter().map(|(u, v)| (i128::from(*u), i128::from(*v))) {
                // The norm of a difference is at most four times that of a digit.
                assert!(4 * (u * u + u * v + v * v) < 10177);
                for (a, b) in UNITS {
                    let residues = prefixes(bits).iter().map(|prefix| {
                        let low = (1 << prefix) - 1;
                        let (u, v) = (u & low, v & low);
                        // (u + vζ)·(a + bζ) with ζ² = ζ − 1
                        ((u * a - v * b).rem_euclid(11), (u * b + v * a + v * b).rem_euclid(11))
                    });
                    assert!(seen.insert(residues.collect()), "{bits} bits, ({u} + {v}ζ)·({a} + {b}ζ)");
                }
            }
        }
    }
}
