//! [`Additions`] one after the other, over blst's multiplication, which chooses its own code for the processor.
#![allow(unsafe_code, reason = "wraps blst")]

use blst::{blst_fp, blst_fp_eucl_inverse, blst_fp_mul, blst_fp_sqr, blst_p1_affine};
use parcrypt_cpu::Backend;

use super::{Additions, BETA, Fold, Orbit, Point, Sum};
use crate::G1Affine;
use crate::fp::{self, Words};

/// How many additions share an inversion. At 512 it costs each of them a thirtieth of what the addition takes, and what
/// is kept between the two passes, 100 bytes each, stays in the first cache.
const BATCH: usize = 512;

/// 1 in Montgomery form: 2^384 modulo p.
const ONE: Words = [
    0x7609_0000_0002_fffd,
    0xebf4_000b_c40c_0002,
    0x5f48_9857_53c7_58ba,
    0x77ce_5853_7052_5745,
    0x5c07_1a97_a256_ec6d,
    0x15f6_5ec3_fa80_e493,
];

/// The backend `scalar`. Its Montgomery form is blst's: times 2^384.
#[derive(Debug)]
pub(crate) struct Scalar;

#[inline(always)]
fn mul(a: &Words, b: &Words) -> Words {
    let mut out = blst_fp::default();
    // SAFETY: `blst_fp` is a struct of six words, like `Words`; reads two elements and writes one.
    unsafe { blst_fp_mul(&raw mut out, std::ptr::from_ref(a).cast(), std::ptr::from_ref(b).cast()) };
    out.l
}

#[inline(always)]
fn square(a: &Words) -> Words {
    let mut out = blst_fp::default();
    // SAFETY: as in `mul`.
    unsafe { blst_fp_sqr(&raw mut out, std::ptr::from_ref(a).cast()) };
    out.l
}

fn inverse(a: &Words) -> Words {
    let mut out = blst_fp::default();
    // SAFETY: as in `mul`.
    unsafe { blst_fp_eucl_inverse(&raw mut out, std::ptr::from_ref(a).cast()) };
    out.l
}

/// What an addition needs of its operands: λ = rise / run, then x = λ² − a.x − b.x and y = λ(a.x − x) − a.y.
#[derive(Clone, Copy)]
enum Case {
    /// The points differ in x.
    Chord,
    /// They are equal.
    Tangent,
    /// The sum is this one, or both are infinity.
    First,
    Second,
    /// They are opposite.
    Infinity,
}

/// The case, and the run that has to be inverted; 1 where nothing has to be.
#[inline(always)]
fn case(a: &Point, b: &Point) -> (Case, Words) {
    let run = fp::sub(&b.x, &a.x);
    // Infinity has x = 0, as two points of the curve have, so these come first.
    if b.is_infinity() {
        (Case::First, ONE)
    } else if a.is_infinity() {
        (Case::Second, ONE)
    } else if run != [0; 6] {
        (Case::Chord, run)
    } else if a.y == b.y {
        (Case::Tangent, fp::add(&a.y, &a.y))
    } else {
        (Case::Infinity, ONE)
    }
}

#[inline(always)]
fn chord(a: &Point, b: &Point, inverse_of_run: &Words) -> Point {
    line(a, b, &mul(&fp::sub(&b.y, &a.y), inverse_of_run))
}

#[inline(always)]
fn tangent(a: &Point, inverse_of_run: &Words) -> Point {
    let square = square(&a.x);
    let rise = fp::add(&fp::add(&square, &square), &square);
    line(a, a, &mul(&rise, inverse_of_run))
}

#[inline(always)]
fn line(a: &Point, b: &Point, slope: &Words) -> Point {
    let x = fp::sub(&fp::sub(&square(slope), &a.x), &b.x);
    let y = fp::sub(&mul(slope, &fp::sub(&a.x, &x)), &a.y);
    Point { x, y }
}

/// What the first pass leaves for the second.
#[derive(Clone, Copy)]
struct Step {
    case: Case,
    run: Words,
    /// The product of all runs before.
    before: Words,
}

/// Adds `count` pairs: `operands(i)` are read twice, and `put(i, sum)` is called once, from the last to the first.
#[inline(always)]
fn add_all(count: usize, operands: impl Fn(usize) -> (Point, Point), mut put: impl FnMut(usize, Point)) {
    let mut steps = Vec::with_capacity(count.min(BATCH));
    for begin in (0..count).step_by(BATCH) {
        let end = count.min(begin + BATCH);
        let mut product = ONE;
        steps.clear();
        steps.extend((begin..end).map(|i| {
            let (a, b) = operands(i);
            let (case, run) = case(&a, &b);
            let before = product;
            product = mul(&product, &run);
            Step { case, run, before }
        }));
        let mut inverse = inverse(&product);
        for (i, step) in (begin..end).zip(&steps).rev() {
            let (a, b) = operands(i);
            let inverse_of_run = mul(&inverse, &step.before);
            inverse = mul(&inverse, &step.run);
            put(
                i,
                match step.case {
                    Case::Chord => chord(&a, &b, &inverse_of_run),
                    Case::Tangent => tangent(&a, &inverse_of_run),
                    Case::First => a,
                    Case::Second => b,
                    Case::Infinity => Point::INFINITY,
                },
            );
        }
    }
}

impl Additions for Scalar {
    fn backend(&self) -> Backend {
        Backend::Scalar
    }

    fn add_ns(&self) -> u64 {
        220
    }

    fn import(&self, points: &[G1Affine], out: &mut [Point]) {
        for (point, out) in points.iter().zip(out) {
            *out = Point { x: point.0.x.l, y: point.0.y.l };
        }
    }

    fn export(&self, points: &[Point], out: &mut [G1Affine]) {
        for (point, out) in points.iter().zip(out) {
            *out = G1Affine(blst_p1_affine { x: blst_fp { l: point.x }, y: blst_fp { l: point.y } });
        }
    }

    fn orbits(&self, points: &[Point], out: &mut [Orbit]) {
        for (point, out) in points.iter().zip(out) {
            *out = Orbit { x: point.x, beta_x: mul(&point.x, &BETA), y: point.y };
        }
    }

    fn sum_orbits(&self, orbits: &[Orbit], sums: &[Sum], out: &mut [Point]) {
        add_all(
            sums.len(),
            |i| (sums[i].a.point(orbits), sums[i].b.point(orbits)),
            |i, sum| out[sums[i].to as usize] = sum,
        );
    }

    fn fold(&self, points: &mut [Point], folds: &[Fold]) {
        let cells = std::cell::Cell::from_mut(points).as_slice_of_cells();
        add_all(
            folds.len(),
            |i| (cells[folds[i].to as usize].get(), cells[folds[i].from as usize].get()),
            |i, sum| cells[folds[i].to as usize].set(sum),
        );
    }

    fn double(&self, points: &mut [Point], times: usize) {
        let cells = std::cell::Cell::from_mut(points).as_slice_of_cells();
        for _ in 0..times {
            add_all(cells.len(), |i| (cells[i].get(), cells[i].get()), |i, sum| cells[i].set(sum));
        }
    }
}
