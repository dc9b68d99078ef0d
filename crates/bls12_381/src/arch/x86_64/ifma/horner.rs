//! Sums by Horner's rule, in Jacobian coordinates, eight at once: no inversion, and no lane waits for another.

use std::arch::x86_64::*;
use std::array;

use blst::{blst_fp, blst_p1};

use super::field::{Columns, Factor, Loose};
use super::{LANES, ONE, TO_BLST, eight, mask, orbit_xs, orbit_ys, rows};
use crate::G1;
use crate::affine::{Operand, Orbit, Point, scalar};

/// X / Z², Y / Z³ in each lane; infinity has Z = 0.
#[derive(Clone, Copy)]
struct Jacobian {
    x: Loose<434>,
    y: Loose<298>,
    z: Factor<66>,
}

impl Jacobian {
    /// 2P. 2 multiplications and 5 squarings (Lange's dbl-2009-l).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn doubled(&self) -> Jacobian {
        let none = Loose::<1>::zero();
        let y = self.y.carry();
        let a: Loose<33> = self.x.carry().square_plus(&none);
        let b: Loose<33> = y.square_plus(&none);
        let c: Loose<33> = b.carry().square_plus(&none);
        // d = 2·((X + b)² − a − c), e = 3a
        let minus_ac: Loose<67> = a.plus::<33, 66>(c).negative();
        let half_d: Loose<99> = self.x.plus::<33, 467>(b).carry().square_plus(&minus_ac);
        let d: Loose<198> = half_d.plus(half_d);
        let e = a.plus::<33, 66>(a).plus::<33, 99>(a).carry();
        let minus_2d: Loose<397> = d.plus::<198, 396>(d).negative();
        let x: Loose<429> = e.square_plus(&minus_2d);
        let c2: Loose<66> = c.plus(c);
        let c4: Loose<132> = c2.plus(c2);
        let minus_8c: Loose<265> = c4.plus::<132, 264>(c4).negative();
        let across = d.minus::<429, 628>(x).carry();
        let y_out: Loose<297> = e.times_plus(&across, &minus_8c);
        let yz: Loose<33> = y.times_plus(&self.z, &none);
        Jacobian { x: x.widen(), y: y_out.widen(), z: yz.plus::<33, 66>(yz).carry() }
    }

    /// P + (x, y), and the lanes where both may be the same point or opposite ones, in which the sum is wrong.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn plus(&self, x: Loose<3>, y: Loose<2>) -> (Jacobian, __mmask8) {
        let none = Loose::<1>::zero();
        let zz = self.z.square_plus::<1, 33>(&none).carry();
        let minus_x: Loose<435> = self.x.negative();
        let minus_y: Loose<299> = self.y.negative();
        let h = x.carry().times_plus::<33, 435, 467>(&zz, &minus_x).carry();
        let zzz = self.z.times(&zz);
        let r = y.carry().times_plus::<32, 299, 331>(&zzz, &minus_y).carry();
        let hh = h.square_plus::<1, 33>(&none).carry();
        let hhh: Loose<33> = h.times_plus(&hh, &none);
        let v: Loose<33> = self.x.carry().times_plus(&hh, &none);
        let minus: Loose<100> = hhh.plus::<33, 66>(v).plus::<33, 99>(v).negative();
        let x: Loose<132> = r.square_plus(&minus);
        let minus_y_hhh: Loose<33> = minus_y.carry().times_plus(&hhh.carry(), &none);
        let y: Loose<65> = r.times_plus(&v.minus::<132, 166>(x).carry(), &minus_y_hhh);
        let z = self.z.times(&h);
        (Jacobian { x: x.widen(), y: y.widen(), z: z.widen() }, h.may_be_zero())
    }

    /// `other` in the lanes of `mask`, self in the others.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn or_in(self, mask: __mmask8, other: Self) -> Self {
        Jacobian {
            x: self.x.or_in(mask, other.x),
            y: self.y.or_in(mask, other.y),
            z: self.z.or_in(mask, other.z),
        }
    }
}

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
