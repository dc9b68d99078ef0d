//! Horner's rule in Jacobian coordinates, eight sums at once, without an inversion.

use std::arch::x86_64::*;
use std::array;

use blst::{blst_fp, blst_p1};

use super::field::{Columns, Reduced, Unreduced};
use super::jacobian::Jacobian;
use super::jacobian_pair::{JacobianPair, LANES_EACH as LANES_OF_TWO, Products, YS};
use super::{LANES, ONE, TO_BLST, eight, mask, table_xs, table_ys, transpose};
use crate::G1;
use crate::arch::generic::blst as generic;
use crate::curve::endomorphism::{GlvTable, Operand};
use crate::curve::point::Point;

/// Implements [`WindowedMultiplication::horner`](crate::curve::windows::WindowedMultiplication::horner).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn horner_ifma(tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
    if (1..=2).contains(&out.len()) {
        return horner_of_two(tables, bits, digits, out);
    }
    let one: Reduced<66> = Unreduced::constant(&ONE).carry().widen();
    let zero = Jacobian {
        x: Unreduced::<1>::zero().widen(),
        y: Unreduced::<1>::zero().widen(),
        z: Unreduced::<1>::zero().carry().widen(),
    };
    let count = out.len();
    for (vector, out) in out.chunks_mut(LANES).enumerate() {
        let (mut sum, mut begun, mut wrong) = (zero, 0, 0);
        for digits in digits.chunks(count).rev() {
            if begun != 0 {
                for _ in 0..bits {
                    sum = sum.doubled();
                }
            }
            let Some(Term { x, y, here }) = term(tables, eight(digits, vector)) else { continue };
            let point = Jacobian { x: x.widen(), y: y.widen(), z: one };
            if here & begun != 0 {
                let (total, doubtful) = sum.plus(x, y);
                wrong |= doubtful & here & begun;
                sum = sum.or_in(here & begun, total);
            }
            sum = sum.or_in(here & !begun, point);
            begun |= here;
        }
        let coordinates = [sum.x.carry().widen(), sum.y.carry().widen(), sum.z.widen()];
        put::<1>(coordinates, begun, out);
        if wrong != 0 {
            let wrong = (0..out.len()).filter(|lane| wrong >> lane & 1 == 1);
            exactly(tables, bits, digits, (LANES * vector, count), wrong, out);
        }
    }
}

/// Writes one or two sums, as [`horner_ifma`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn horner_of_two(tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
    let count = out.len();
    let mut products = Products::alone();
    let (mut sum, mut begun, mut wrong) = (JacobianPair::from_affine(Unreduced::<1>::zero().widen()), 0, 0);
    for digits in digits.chunks(count).rev() {
        if begun != 0 {
            for _ in 0..bits {
                sum = sum.doubled(&mut products);
            }
        }
        let digits = array::from_fn(|lane| digits[(lane / LANES_OF_TWO).min(count - 1)]);
        let Some(Term { x, y, here }) = term(tables, digits) else { continue };
        let xy = x.or_in(YS, y.widen());
        if here & begun != 0 {
            let (total, doubtful) = sum.plus(xy, &mut products);
            wrong |= doubtful & here & begun;
            sum = sum.or_in(here & begun, total);
        }
        sum = sum.or_in(here & !begun, JacobianPair::from_affine(xy));
        begun |= here;
    }
    put::<LANES_OF_TWO>(sum.coordinates().map(|x| x.carry()), begun, out);
    if wrong != 0 {
        let wrong = (0..count).filter(|i| wrong >> (LANES_OF_TWO * i) & 1 == 1);
        exactly(tables, bits, digits, (0, count), wrong, out);
    }
}

/// Points to add, one in each lane: (x, y) in the lanes of `here`, infinity in the others.
struct Term {
    x: Unreduced<3>,
    y: Unreduced<2>,
    here: __mmask8,
}

/// Returns the points of some operands; `None` if all are infinity.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn term(tables: &[GlvTable], operands: [Operand; LANES]) -> Option<Term> {
    let here = mask(operands.map(|operand| operand != Operand::NONE));
    if here == 0 {
        return None;
    }
    // A lane without a digit reads the operand of another one.
    let some = operands[here.trailing_zeros() as usize];
    let operands = operands.map(|operand| if operand == Operand::NONE { some } else { operand });
    let (x, y) = (table_xs(tables, &operands), table_ys(tables, &operands));
    let infinity = match x.may_be_infinity {
        0 => 0,
        _ => mask(operands.map(|operand| tables[operand.index()].is_infinity())),
    };
    Some(Term { x: x.x, y, here: here & !infinity })
}

/// Writes the points of each N-th lane if it has begun, and infinity for the others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn put<const N: usize>([x, y, z]: [Reduced<562>; 3], begun: __mmask8, out: &mut [G1]) {
    let to_blst = Unreduced::constant(&TO_BLST).carry();
    let of_blst = |x: Columns| array::from_fn::<__m512i, 6, _>(|i| _mm512_maskz_mov_epi64(begun, x[i]));
    let x = of_blst(x.times(&to_blst).canonical_words());
    let y = of_blst(y.times(&to_blst).canonical_words());
    let z = of_blst(z.times(&to_blst).canonical_words());
    let lanes = transpose::points(&x, &y).into_iter().zip(transpose::points(&z, &z)).step_by(N);
    for (out, (xy, zs)) in out.iter_mut().zip(lanes) {
        let (mut point, mut last) = (Point::INFINITY, Point::INFINITY);
        transpose::store(&mut point, xy);
        transpose::store(&mut last, zs);
        *out = G1(blst_p1 { x: blst_fp { l: point.x }, y: blst_fp { l: point.y }, z: blst_fp { l: last.x } });
    }
}

/// Computes the sums of these numbers, counted from `first` of all `count` on, by blst, whose additions are complete.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn exactly(
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
        let mut affine = vec![crate::G1Affine::identity(); points.len()];
        super::export_ifma(&points, &mut affine);
        out[i] = generic::horner_of(bits, affine.chunks(1));
    }
}
