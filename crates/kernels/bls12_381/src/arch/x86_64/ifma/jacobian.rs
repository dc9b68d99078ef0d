//! Points in Jacobian coordinates, eight at once.

use std::arch::x86_64::*;

use super::field::{Reduced, Unreduced};

/// The point (X / Z², Y / Z³) in each lane; infinity has Z = 0.
#[derive(Clone, Copy)]
pub(super) struct Jacobian {
    pub(super) x: Unreduced<434>,
    pub(super) y: Unreduced<298>,
    pub(super) z: Reduced<66>,
}

impl Jacobian {
    /// Returns 2P, by 2 multiplications and 5 squarings (Lange's dbl-2009-l).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn doubled(&self) -> Jacobian {
        let none = Unreduced::<1>::zero();
        let y = self.y.carry();
        let a: Unreduced<33> = self.x.carry().square_plus(&none);
        let b: Unreduced<33> = y.square_plus(&none);
        let c: Unreduced<33> = b.carry().square_plus(&none);
        // d = 2·((X + b)² − a − c), e = 3a
        let minus_ac: Unreduced<67> = a.plus::<33, 66>(c).negative();
        let half_d: Unreduced<99> = self.x.plus::<33, 467>(b).carry().square_plus(&minus_ac);
        let d: Unreduced<198> = half_d.plus(half_d);
        let e = a.plus::<33, 66>(a).plus::<33, 99>(a).carry();
        let minus_2d: Unreduced<397> = d.plus::<198, 396>(d).negative();
        let x: Unreduced<429> = e.square_plus(&minus_2d);
        let c2: Unreduced<66> = c.plus(c);
        let c4: Unreduced<132> = c2.plus(c2);
        let minus_8c: Unreduced<265> = c4.plus::<132, 264>(c4).negative();
        let across = d.minus::<429, 628>(x).carry();
        let y_out: Unreduced<297> = e.times_plus(&across, &minus_8c);
        let yz: Unreduced<33> = y.times_plus(&self.z, &none);
        Jacobian { x: x.widen(), y: y_out.widen(), z: yz.plus::<33, 66>(yz).carry() }
    }

    /// Returns P + (x, y), and the lanes where both may be equal or opposite, in which the sum is wrong.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn plus(&self, x: Unreduced<3>, y: Unreduced<2>) -> (Jacobian, __mmask8) {
        let none = Unreduced::<1>::zero();
        let zz = self.z.square_plus::<1, 33>(&none).carry();
        let minus_x: Unreduced<435> = self.x.negative();
        let minus_y: Unreduced<299> = self.y.negative();
        let h = x.carry().times_plus::<33, 435, 467>(&zz, &minus_x).carry();
        let zzz = self.z.times(&zz);
        let r = y.carry().times_plus::<32, 299, 331>(&zzz, &minus_y).carry();
        let hh = h.square_plus::<1, 33>(&none).carry();
        let hhh: Unreduced<33> = h.times_plus(&hh, &none);
        let v: Unreduced<33> = self.x.carry().times_plus(&hh, &none);
        let minus: Unreduced<100> = hhh.plus::<33, 66>(v).plus::<33, 99>(v).negative();
        let x: Unreduced<132> = r.square_plus(&minus);
        let minus_y_hhh: Unreduced<33> = minus_y.carry().times_plus(&hhh.carry(), &none);
        let y: Unreduced<65> = r.times_plus(&v.minus::<132, 166>(x).carry(), &minus_y_hhh);
        let z = self.z.times(&h);
        (Jacobian { x: x.widen(), y: y.widen(), z: z.widen() }, h.may_be_zero())
    }

    /// Returns `other` in the lanes of `mask`, self in the others.
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
