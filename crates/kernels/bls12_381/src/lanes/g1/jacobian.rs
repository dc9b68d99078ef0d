//! Points in Jacobian coordinates with a point in each lane.

use super::super::fp::{Element, Factor, FpLimbs};

/// The point (X / Z², Y / Z³) in each lane; infinity has Z = 0.
#[derive(Clone, Copy)]
pub(super) struct Jacobian<F> {
    pub(super) x: Element<F, 10, 10>,
    pub(super) y: Element<F, 3, 3>,
    pub(super) z: Factor<F, 2, 2>,
}

/// The affine coordinates of a point in each lane.
#[derive(Clone, Copy)]
pub(super) struct Affine<F> {
    pub(super) x: Factor<F, 3, 10>,
    pub(super) y: Factor<F, 3, 3>,
}

impl<F: FpLimbs> Jacobian<F> {
    /// Returns 2P: with a = X² and b = Y², X' = 9a² − 8Xb, Y' = 3a·(4Xb − X') − 8b² and Z' = 2YZ. The two products of
    /// Y' share a reduction.
    #[inline(always)]
    pub(super) fn doubled(&self) -> Self {
        let (x, y) = (self.x.carried(), self.y.factor());
        let (a, b) = (x.squared(), y.squared());
        let b_factor = b.factor();
        let xb = x.product(&b_factor);
        let slope = a.plus::<1, 1, 2, 2>(&a).plus::<1, 1, 3, 3>(&a).factor();
        let minus_8xb: Element<F, 9, 9> = xb.doubled::<3, 8, 8>().negative();
        let x: Element<F, 10, 10> = slope.square_plus(&minus_8xb);
        let across = xb.doubled::<2, 4, 4>().minus::<10, 10, 15, 15>(&x).carried();
        let minus_8b: Element<F, 9, 9> = b.doubled::<3, 8, 8>().negative();
        let y_out = slope.times_plus_product(&across, &minus_8b.factor(), &b_factor);
        let z = y.product(&self.z).doubled::<1, 2, 2>().factor();
        Jacobian { x, y: y_out.widen(), z }
    }

    /// Returns P + (x, y), and the lanes where both may be equal or opposite, in which the sum is wrong.
    ///
    /// With h = x·Z² − X and r = y·Z³ − Y, X' = r² − h³ − 2Xh², Y' = r·(Xh² − X') − Yh³ and Z' = Zh.
    #[inline(always)]
    pub(super) fn plus(&self, Affine { x, y }: &Affine<F>) -> (Self, u8) {
        let minus_y: Element<F, 4, 4> = self.y.negative();
        let zz = self.z.square();
        let zzz = self.z.times(&zz);
        let h: Element<F, 12, 12> = x.times_plus(&zz, &self.x.negative::<11, 11>());
        let r: Element<F, 5, 5> = y.times_plus(&zzz, &minus_y);
        let doubtful = h.may_be_zero();
        let (h, r) = (h.carried(), r.carried());
        let hh = h.square();
        let hhh = h.product(&hh);
        let v = self.x.carried().product(&hh);
        let minus: Element<F, 3, 3> = hhh.plus(&v.doubled::<1, 2, 2>());
        let x: Element<F, 5, 5> = r.square_plus(&minus.negative::<4, 4>());
        let across = v.minus::<5, 5, 7, 7>(&x).factor();
        let y = r.times_plus_product(&across, &minus_y.factor(), &hhh.factor());
        (Jacobian { x: x.widen(), y: y.widen(), z: self.z.times(&h).widen() }, doubtful)
    }

    /// Returns `other` in the lanes of a mask, self in the others.
    #[inline(always)]
    pub(super) fn select(&self, mask: u8, other: &Self) -> Self {
        Jacobian {
            x: self.x.select(mask, &other.x),
            y: self.y.select(mask, &other.y),
            z: self.z.select(mask, &other.z),
        }
    }
}
