//! Points in Jacobian coordinates, eight at once: sums without an inversion.

use std::arch::x86_64::*;

use super::field::{Factor, Loose};

/// X / Z², Y / Z³ in each lane; infinity has Z = 0.
#[derive(Clone, Copy)]
pub(super) struct Jacobian {
    pub(super) x: Loose<434>,
    pub(super) y: Loose<298>,
    pub(super) z: Factor<66>,
}

impl Jacobian {
    /// 2P. 2 multiplications and 5 squarings (Lange's dbl-2009-l).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn doubled(&self) -> Jacobian {
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
    pub(super) fn plus(&self, x: Loose<3>, y: Loose<2>) -> (Jacobian, __mmask8) {
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
    pub(super) fn or_in(self, mask: __mmask8, other: Self) -> Self {
        Jacobian {
            x: self.x.or_in(mask, other.x),
            y: self.y.or_in(mask, other.y),
            z: self.z.or_in(mask, other.z),
        }
    }
}
