//! Horner's rule in Jacobian coordinates, eight sums at once, without an inversion.

use std::arch::x86_64::*;
use std::array;

use blst::{blst_fp, blst_p1};

use super::field::{Columns, Reduced, Unreduced};
use super::jacobian::Jacobian;
use super::{LANES, ONE, TO_BLST, eight, mask, rows, table_xs, table_ys};
use crate::G1;
use crate::arch::generic::blst as generic;
use crate::curve::affine::Point;
use crate::curve::endomorphism::{GlvTable, Operand};

/// Implements [`BatchAffine::horner`](crate::curve::affine::BatchAffine::horner).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn horner_ifma(tables: &[GlvTable], bits: u32, digits: &[Operand], out: &mut [G1]) {
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
            let operands = eight(digits, vector);
            let here = mask(operands.map(|operand| operand != Operand::NONE));
            if here == 0 {
                continue;
            }
            // A lane without a digit reads the operand of another one.
            let some = operands[here.trailing_zeros() as usize];
            let operands = operands.map(|operand| if operand == Operand::NONE { some } else { operand });
            let (x, y) = (table_xs(tables, &operands), table_ys(tables, &operands));
            let point = Jacobian { x: x.x.widen(), y: y.widen(), z: one };
            // Infinity does not change the sum either.
            let infinity = match x.may_be_infinity {
                0 => 0,
                _ => mask(operands.map(|operand| tables[operand.index()].is_infinity())),
            };
            let here = here & !infinity;
            if here & begun != 0 {
                let (total, doubtful) = sum.plus(x.x, y);
                wrong |= doubtful & here & begun;
                sum = sum.or_in(here & begun, total);
            }
            sum = sum.or_in(here & !begun, point);
            begun |= here;
        }
        put(&sum, begun, out);
        if wrong != 0 {
            exactly(tables, bits, digits, vector, count, wrong, out);
        }
    }
}

/// Writes the points of the lanes that have begun, and infinity for the others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn put(sum: &Jacobian, begun: __mmask8, out: &mut [G1]) {
    let to_blst = Unreduced::constant(&TO_BLST).carry();
    let of_blst = |x: Columns| array::from_fn::<__m512i, 6, _>(|i| _mm512_maskz_mov_epi64(begun, x[i]));
    let x = of_blst(sum.x.carry().times(&to_blst).canonical_words());
    let y = of_blst(sum.y.carry().times(&to_blst).canonical_words());
    let z = of_blst(sum.z.times(&to_blst).canonical_words());
    let (xy, zs) = (rows::points(&x, &y), rows::points(&z, &z));
    for (lane, out) in out.iter_mut().enumerate() {
        let (mut point, mut last) = (Point::INFINITY, Point::INFINITY);
        rows::store(&mut point, xy[lane]);
        rows::store(&mut last, zs[lane]);
        *out = G1(blst_p1 { x: blst_fp { l: point.x }, y: blst_fp { l: point.y }, z: blst_fp { l: last.x } });
    }
}

/// Computes the lanes of `wrong` by blst, whose additions are complete.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn exactly(
    tables: &[GlvTable],
    bits: u32,
    digits: &[Operand],
    vector: usize,
    count: usize,
    wrong: __mmask8,
    out: &mut [G1],
) {
    for (lane, out) in out.iter_mut().enumerate().filter(|(lane, _)| wrong >> lane & 1 == 1) {
        let digits = digits.iter().skip(LANES * vector + lane).step_by(count);
        let points = digits.map(|digit| match *digit {
            Operand::NONE => Point::INFINITY,
            digit => digit.point(tables),
        });
        let points: Vec<Point> = points.collect();
        let mut affine = vec![crate::G1Affine::identity(); points.len()];
        super::export_ifma(&points, &mut affine);
        *out = generic::horner_of(bits, affine.chunks(1));
    }
}
