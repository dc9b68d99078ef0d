//! Sums by Horner's rule, in Jacobian coordinates, eight at once: no inversion, and no lane waits for another.

use std::arch::x86_64::*;
use std::array;

use blst::{blst_fp, blst_p1};

use super::field::{Columns, Factor, Loose};
use super::jacobian::Jacobian;
use super::{LANES, ONE, TO_BLST, eight, mask, orbit_xs, orbit_ys, rows};
use crate::G1;
use crate::affine::{Operand, Orbit, Point, scalar};

/// [`Additions::horner`](crate::affine::Additions::horner).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn horner_ifma(orbits: &[Orbit], bits: u32, digits: &[Operand], out: &mut [G1]) {
    let one: Factor<66> = Loose::constant(&ONE).carry().widen();
    let zero = Jacobian {
        x: Loose::<1>::zero().widen(),
        y: Loose::<1>::zero().widen(),
        z: Loose::<1>::zero().carry().widen(),
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
            // A lane without a digit reads what another one has.
            let some = operands[here.trailing_zeros() as usize];
            let operands = operands.map(|operand| if operand == Operand::NONE { some } else { operand });
            let (x, y) = (orbit_xs(orbits, &operands), orbit_ys(orbits, &operands));
            let point = Jacobian { x: x.x.widen(), y: y.widen(), z: one };
            // A lane with infinity has no digit either.
            let infinity = match x.may_be_infinity {
                0 => 0,
                _ => mask(operands.map(|operand| orbits[operand.index()].is_infinity())),
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
            exactly(orbits, bits, digits, vector, count, wrong, out);
        }
    }
}

/// Writes the points of the lanes that have begun, and infinity in the others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn put(sum: &Jacobian, begun: __mmask8, out: &mut [G1]) {
    let to_blst = Loose::constant(&TO_BLST).carry();
    let of_blst = |x: Columns| array::from_fn::<__m512i, 6, _>(|i| _mm512_maskz_mov_epi64(begun, x[i]));
    let x = of_blst(sum.x.carry().times(&to_blst).reduce());
    let y = of_blst(sum.y.carry().times(&to_blst).reduce());
    let z = of_blst(sum.z.times(&to_blst).reduce());
    let (xy, zs) = (rows::points(&x, &y), rows::points(&z, &z));
    for (lane, out) in out.iter_mut().enumerate() {
        let (mut point, mut last) = (Point::INFINITY, Point::INFINITY);
        rows::store(&mut point, xy[lane]);
        rows::store(&mut last, zs[lane]);
        *out = G1(blst_p1 { x: blst_fp { l: point.x }, y: blst_fp { l: point.y }, z: blst_fp { l: last.x } });
    }
}

/// The lanes of `wrong` again, by blst, for which every addition is right.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn exactly(
    orbits: &[Orbit],
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
            digit => digit.point(orbits),
        });
        let points: Vec<Point> = points.collect();
        let mut affine = vec![crate::G1Affine::identity(); points.len()];
        super::export_ifma(&points, &mut affine);
        *out = scalar::horner_of(bits, &affine);
    }
}
