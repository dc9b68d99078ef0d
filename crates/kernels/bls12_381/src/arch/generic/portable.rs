//! Our formulas, one addition after the other, over blst's multiplication, which selects its own code for the
//! processor.

use blst::blst_fp12;

use super::blst::Blst;
use crate::constants::BETA;
use crate::curve::batch_affine::{BatchAffine, Items};
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::final_exponentiation::{hard_part_compressed, squares};
use crate::curve::miller_loop::{Pair, miller_loops};
use crate::curve::point::Point;
use crate::curve::validation::PointValidation;
use crate::curve::windows::WindowedMultiplication;
use crate::field::fp::{self, ONE, Words};
use crate::lanes::pairing::PairingLanes;
use crate::{Error, G1, G1Affine, ffi};

/// Additions that share an inversion. With 512 its share is a thirtieth of an addition, and the 100 bytes that each
/// keeps between the two passes stay in the first cache.
const BATCH: usize = 512;

/// The backend `portable`, and the backends that differ from it in many additions at once, which they do in lanes. The
/// Montgomery form is blst's, times 2^384.
#[derive(Debug)]
pub(crate) struct Portable {
    /// Sums in lanes, of at least this number of items, and doublings of as many points.
    pub(crate) sums: Option<(usize, &'static dyn BatchAffine)>,
    /// Decompression and validation.
    pub(crate) validation: &'static dyn PointValidation,
}

impl Portable {
    /// The backend `portable`.
    pub(crate) const ALONE: Portable = Portable { sums: None, validation: &Blst };

    /// Returns it with functions of a row with the same form of elements, which sums at least `minimum` items.
    pub(crate) const fn with(minimum: usize, row: &'static (impl BatchAffine + PointValidation)) -> Self {
        Portable { sums: Some((minimum, row)), validation: row }
    }
}

/// Case of the sum of two points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// Different x: the slope of the line through them is rise / run.
    Chord,
    /// Equal points: the slope is the tangent's.
    Tangent,
    /// The second is infinity: the sum is the first.
    First,
    /// The first is infinity: the sum is the second.
    Second,
    /// Opposite points: the sum is infinity.
    Infinity,
}

/// Returns the case and the run, which is 1 if there is no line.
#[inline(always)]
fn run(a: &Point, b: &Point) -> (Case, Words) {
    let run = fp::sub(&b.x, &a.x);
    // Infinity has x = 0, as two points of the curve have, so these come first.
    if b.is_infinity() {
        (Case::First, ONE)
    } else if a.is_infinity() {
        (Case::Second, ONE)
    } else if !fp::is_zero(&run) {
        (Case::Chord, run)
    } else if fp::is_zero(&fp::sub(&b.y, &a.y)) {
        (Case::Tangent, fp::add(&a.y, &a.y))
    } else {
        (Case::Infinity, ONE)
    }
}

/// Returns the rise, the factor of the inverse of the run in the slope.
#[inline(always)]
fn rise(case: Case, a: &Point, b: &Point) -> Words {
    if case == Case::Tangent {
        let mut squared = ONE;
        ffi::fp_sqr(&mut squared, &a.x);
        fp::add(&fp::add(&squared, &squared), &squared)
    } else {
        fp::sub(&b.y, &a.y)
    }
}

/// Running products of a batch: a multiplication that waits for the one before takes 1.4 times as long, so four chains
/// alternate.
const CHAINS: usize = 4;

/// Number of additions that take each step of the second pass together, for the same reason: the four multiplications
/// of an addition wait for each other.
const BLOCK: usize = 4 * CHAINS;

/// Values that the first pass keeps for the second.
#[derive(Clone, Copy)]
struct Step {
    case: Case,
    run: Words,
    /// Product of all runs before this one, in this chain.
    before: Words,
}

/// Adds to the first point of each pair the second; no other pair has the first.
fn add_all(points: &mut [Point], pairs: &[[usize; 2]]) {
    let mut steps = Vec::with_capacity(pairs.len().min(BATCH));
    for pairs in pairs.chunks(BATCH) {
        let mut products = [ONE; CHAINS];
        steps.clear();
        for (i, [a, b]) in pairs.iter().enumerate() {
            let (case, run) = run(&points[*a], &points[*b]);
            let product = &mut products[i % CHAINS];
            steps.push(Step { case, run, before: *product });
            ffi::fp_mul_assign(product, &run);
        }
        let mut inverses = products;
        fp::invert_all(&mut inverses);
        // From the last block to the first.
        for (pairs, steps) in pairs.chunks(BLOCK).zip(steps.chunks(BLOCK)).rev() {
            let mut slopes = [ONE; BLOCK];
            for (i, step) in steps.iter().enumerate().rev() {
                let inverse = &mut inverses[i % CHAINS];
                ffi::fp_mul(&mut slopes[i], inverse, &step.before);
                ffi::fp_mul_assign(inverse, &step.run);
            }
            for (slope, (step, [a, b])) in slopes.iter_mut().zip(steps.iter().zip(pairs)) {
                ffi::fp_mul_assign(slope, &rise(step.case, &points[*a], &points[*b]));
            }
            let mut x = [ONE; BLOCK];
            for (i, [a, b]) in pairs.iter().enumerate() {
                ffi::fp_sqr(&mut x[i], &slopes[i]);
                x[i] = fp::sub(&fp::sub(&x[i], &points[*a].x), &points[*b].x);
            }
            for (i, [a, _]) in pairs.iter().enumerate() {
                let across = fp::sub(&points[*a].x, &x[i]);
                ffi::fp_mul_assign(&mut slopes[i], &across);
            }
            for (i, (step, [a, b])) in steps.iter().zip(pairs).enumerate() {
                match step.case {
                    Case::Chord | Case::Tangent => {
                        points[*a] = Point { x: x[i], y: fp::sub(&slopes[i], &points[*a].y) };
                    }
                    Case::First => {}
                    Case::Second => points[*a] = points[*b],
                    Case::Infinity => points[*a] = Point::INFINITY,
                }
            }
        }
    }
}

impl BatchAffine for Portable {
    fn import(&self, points: &[G1Affine], out: &mut [Point]) {
        for (point, out) in points.iter().zip(out) {
            *out = Point::of_blst(point);
        }
    }

    fn export(&self, points: &[Point], out: &mut [G1Affine]) {
        for (point, out) in points.iter().zip(out) {
            *out = point.to_blst();
        }
    }

    fn glv_tables(&self, points: &[Point], out: &mut [GlvTable]) {
        for (point, out) in points.iter().zip(out) {
            *out = GlvTable { x: point.x, beta_x: BETA, y: point.y };
            ffi::fp_mul(&mut out.beta_x, &point.x, &BETA);
        }
    }

    fn sum_lists(&self, items: Items, lengths: &[u32], out: &mut [Point]) {
        let count = lengths.iter().sum::<u32>() as usize;
        if let Some((_, lanes)) = self.sums.filter(|(minimum, _)| count >= *minimum) {
            return lanes.sum_lists(items, lengths, out);
        }
        let mut points: Vec<Point> = match items {
            Items::Multiples(tables, operands) => operands.iter().map(|one| one.point(tables)).collect(),
            Items::Points(points, indices) => indices.iter().map(|i| points[*i as usize]).collect(),
        };
        let mut start = 0;
        let list = |length: &u32| {
            start += *length as usize;
            (start - *length as usize, *length as usize)
        };
        let mut lists: Vec<(usize, usize)> = lengths.iter().map(list).collect();
        let mut pairs = Vec::with_capacity(count / 2);
        while lists.iter().any(|(_, length)| *length > 1) {
            pairs.clear();
            for (start, length) in &mut lists {
                let kept = length.div_ceil(2);
                pairs.extend((kept..*length).map(|from| [*start + from - kept, *start + from]));
                *length = kept;
            }
            add_all(&mut points, &pairs);
        }
        for (out, (start, length)) in out.iter_mut().zip(lists) {
            *out = if length == 0 { Point::INFINITY } else { points[start] };
        }
    }

    fn double(&self, points: &mut [Point], times: usize) {
        if let Some((_, lanes)) = self.sums.filter(|(minimum, _)| points.len() >= *minimum) {
            return lanes.double(points, times);
        }
        let pairs: Vec<[usize; 2]> = (0..points.len()).map(|i| [i, i]).collect();
        (0..times).for_each(|_| add_all(points, &pairs));
    }
}

impl PointValidation for Portable {
    fn decompress(&self, compressed: &[&[u8; 48]], members: bool, out: &mut [Result<G1Affine, Error>]) {
        self.validation.decompress(compressed, members, out);
    }

    fn are_in_subgroup(&self, points: &[G1Affine]) -> bool {
        self.validation.are_in_subgroup(points)
    }
}

impl PairingLanes for Portable {
    fn miller_loops(&self, pairs: &[Pair]) -> blst_fp12 {
        miller_loops(pairs)
    }

    fn hard_part(&self, g: &blst_fp12) -> blst_fp12 {
        hard_part_compressed(g, &squares)
    }
}

impl WindowedMultiplication for Portable {
    fn horner(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
        let count = out.len();
        for (i, out) in out.iter_mut().enumerate() {
            let digits: Vec<Operand> = digits.iter().skip(i).step_by(count).copied().collect();
            *out = self.horner_sum(tables, bits, &digits, 1);
        }
    }

    /// The doublings are shared by all elements (E. Straus, 1964).
    fn horner_sum(&self, tables: &[GlvTable], bits: u32, digits: &[Operand], count: usize) -> G1 {
        let points: Vec<G1Affine> = digits.iter().map(|digit| operand(tables, *digit)).collect();
        horner_of(bits, points.chunks(count.max(1)))
    }
}

/// Returns a multiple of a point of the tables.
fn operand(tables: &[GlvTable], digit: Operand) -> G1Affine {
    if digit == Operand::NONE {
        return G1Affine::identity();
    }
    digit.point(tables).to_blst()
}

/// Returns Σ_w 2^(bits·w) · Σ windows\[w\].
pub(crate) fn horner_of<'a>(bits: u32, windows: impl DoubleEndedIterator<Item = &'a [G1Affine]>) -> G1 {
    windows.rev().fold(G1::identity(), |sum, window| {
        let sum = if sum.is_identity() { sum } else { (0..bits).fold(sum, |sum, _| sum.double()) };
        let points = window.iter().filter(|point| !point.is_identity());
        points.fold(sum, |sum, point| sum + *point)
    })
}
