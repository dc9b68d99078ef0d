//! Horner's rule in Jacobian coordinates, a sum in each lane, without an inversion.

use blst::{blst_fp, blst_p1};

use super::super::MAX_LANES;
use super::super::fp::{Element, Factor};
use super::jacobian::{Affine, Jacobian};
use super::quads::{JacobianQuad, LANES_EACH, Products, YS};
use super::{PointLimbs, Points, items, mask, multiples, one, stored, to_blst};
use crate::arch::generic::portable as generic;
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;
use crate::{G1, G1Affine};

/// Implements [`WindowedMultiplication::horner`](crate::curve::windows::WindowedMultiplication::horner).
#[inline(always)]
pub(crate) fn horner<F: PointLimbs>(tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
    // Tables and results are in the form of memory.
    const { assert!(F::FORM == F::R) };
    if (1..=F::FEW).contains(&out.len()) {
        return F::horner_of_few(tables, bits, digits, out);
    }
    let one: Factor<F, 2, 2> = one().factor().widen();
    let zero = Jacobian { x: Element::zero(), y: Element::zero(), z: one };
    let count = out.len();
    for (vector, out) in out.chunks_mut(F::LANES).enumerate() {
        let (mut sum, mut begun, mut wrong) = (zero, 0, 0);
        for digits in digits.chunks(count).rev() {
            if begun != 0 {
                for _ in 0..bits {
                    sum = sum.doubled();
                }
            }
            let mut term = Points { x: Element::zero(), y: Element::zero() };
            let here = read_term(tables, items::<F, _>(digits, vector), &mut term);
            if here & begun != 0 {
                let affine = Affine { x: term.x.factor().widen(), y: term.y.factor() };
                let (total, doubtful) = sum.plus(&affine);
                wrong |= doubtful & here & begun;
                sum = sum.select(here & begun, &total);
            }
            sum = sum.select(here & !begun, &Jacobian { x: term.x.widen(), y: term.y, z: one });
            begun |= here;
        }
        let coordinates =
            [sum.x.carried().widen(), sum.y.carried().widen(), sum.z.element().carried().widen()];
        put_sums(coordinates, begun, 1, out);
        if wrong != 0 {
            let wrong = (0..out.len()).filter(|lane| wrong >> lane & 1 == 1);
            exactly::<F>(tables, bits, digits, (F::LANES * vector, count), wrong, out);
        }
    }
}

/// Writes a few sums, as [`horner`] does.
#[inline(always)]
pub(super) fn horner_of_few<F: PointLimbs>(
    tables: &[GlvTable],
    bits: u32,
    digits: &[Operand],
    out: &mut [G1],
) {
    let count = out.len();
    let mut products = Products::<F>::alone();
    let (mut sum, mut begun, mut wrong) = (JacobianQuad::from_affine(&Element::zero()), 0, 0);
    for digits in digits.chunks(count).rev() {
        if begun != 0 {
            for _ in 0..bits {
                sum = sum.doubled(&mut products);
            }
        }
        let operands = std::array::from_fn(|lane| digits[(lane / LANES_EACH).min(count - 1)]);
        let mut term = Points { x: Element::zero(), y: Element::zero() };
        let here = read_term(tables, operands, &mut term);
        let xy = term.x.select(YS, &term.y);
        if here & begun != 0 {
            let (total, doubtful) = sum.plus(&xy, &mut products);
            wrong |= doubtful & here & begun;
            sum = sum.select(here & begun, &total);
        }
        sum = sum.select(here & !begun, &JacobianQuad::from_affine(&xy));
        begun |= here;
    }
    let [x, y, z] = sum.coordinates();
    put_sums([x.carried(), y.carried(), z.carried()], begun, LANES_EACH, out);
    if wrong != 0 {
        let wrong = (0..count).filter(|i| wrong >> (LANES_EACH * i) & 1 == 1);
        exactly::<F>(tables, bits, digits, (0, count), wrong, out);
    }
}

/// Writes the points of some operands, and returns the lanes of those that are not infinity.
#[inline(always)]
fn read_term<F: PointLimbs>(tables: &[GlvTable], operands: [Operand; MAX_LANES], term: &mut Points<F>) -> u8 {
    let here = mask::<F>(|lane| operands[lane] != Operand::NONE);
    if here == 0 {
        return 0;
    }
    match multiples(tables, &operands, term) {
        0 => here,
        _ => here & !mask::<F>(|lane| tables.get(operands[lane].index()).is_some_and(GlvTable::is_infinity)),
    }
}

/// Writes the points of lanes 0, `each`, 2·`each`, … if they have begun, and infinity for the others.
#[inline(always)]
fn put_sums<F: PointLimbs>([x, y, z]: [Factor<F, 1, 18>; 3], begun: u8, each: usize, out: &mut [G1]) {
    let to_blst = to_blst().factor();
    let mut all = [Element::zero(); 3];
    for (out, coordinate) in all.iter_mut().zip([x, y, z]) {
        *out = coordinate.times(&to_blst).element().canonical().only_in(begun);
    }
    let (xy, z) = (stored(&[all[0], all[1]]), stored(&[all[2], Element::zero()]));
    for (i, out) in out.iter_mut().enumerate() {
        let (Point { x, y }, Point { x: z, .. }) = (xy[i * each], z[i * each]);
        *out = G1(blst_p1 { x: blst_fp { l: x }, y: blst_fp { l: y }, z: blst_fp { l: z } });
    }
}

/// Computes the sums of these numbers, counted from `first` of all `count` on, by blst, whose additions are complete.
#[cold]
#[inline(always)]
fn exactly<F: PointLimbs>(
    tables: &[GlvTable],
    bits: u32,
    digits: &[Operand],
    (first, count): (usize, usize),
    wrong: impl Iterator<Item = usize>,
    out: &mut [G1],
) {
    for i in wrong {
        let digits = digits.iter().skip(first + i).step_by(count);
        let points = digits.map(|digit| match *digit {
            Operand::NONE => Point::INFINITY,
            digit => digit.point(tables),
        });
        let points: Vec<Point> = points.collect();
        let mut affine = vec![G1Affine::identity(); points.len()];
        super::batch::export::<F>(&points, &mut affine);
        out[i] = generic::horner_of(bits, affine.chunks(1));
    }
}
