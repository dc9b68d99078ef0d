//! Points in Jacobian coordinates with a point in each lane.

use crate::lanes::fp::{Element, Words28};

/// The point (X / Z², Y / Z³) in each lane; infinity has Z = 0.
#[derive(Clone, Copy)]
pub(super) struct Jacobian<W> {
    pub(super) x: Element<W, 10, 37>,
    pub(super) y: Element<W, 1, 4>,
    pub(super) z: Element<W, 2, 8>,
}

/// The affine coordinates of a point in each lane.
#[derive(Clone, Copy)]
pub(super) struct Affine<W> {
    pub(super) x: Element<W, 1, 37>,
    pub(super) y: Element<W, 2, 4>,
}

impl<W: Words28> Jacobian<W> {
    /// Returns 2P: with a = X² and b = Y², X' = 9a² − 8Xb, Y' = 3a·(4Xb − X') − 8b² and Z' = 2YZ. The two products of
    /// Y' share a reduction.
    #[inline(always)]
    pub(super) fn doubled(&self) -> Self {
        let a = self.x.carried().square();
        let b = self.y.square();
        let xb = self.x.times(&b);
        let slope: Element<W, 3, 12> = a.plus::<1, 4, 2, 8>(&a).plus(&a);
        let xb_4: Element<W, 4, 16> = xb.doubled::<2, 4, 16>();
        let x: Element<W, 10, 37> = slope.square().less(&xb.doubled::<3, 8, 32>());
        let across = xb_4.less::<10, 37, 15, 54>(&x).carried();
        let minus_8b: Element<W, 9, 33> = b.doubled::<3, 8, 32>().minus();
        let y = slope.times_plus(&across, &minus_8b, &b);
        Jacobian { x, y, z: self.y.times(&self.z).doubled::<1, 2, 8>() }
    }

    /// Returns P + (x, y), and ones in the lanes where both may be equal or opposite, in which the sum is wrong.
    ///
    /// With h = x·Z² − X and r = y·Z³ − Y, X' = r² − h³ − 2Xh², Y' = r·(Xh² − X') − Yh³ and Z' = Zh.
    #[inline(always)]
    pub(super) fn plus(&self, Affine { x, y }: &Affine<W>) -> (Self, W) {
        let zz = self.z.square();
        let zzz = self.z.times(&zz);
        let h = x.times(&zz).less::<10, 37, 12, 42>(&self.x).carried();
        let r = y.times(&zzz).less::<1, 4, 3, 9>(&self.y).carried();
        let hh = h.square();
        let hhh = h.times(&hh);
        let v = self.x.times(&hh);
        let minus: Element<W, 3, 12> = hhh.plus(&v.doubled::<1, 2, 8>());
        let x: Element<W, 5, 17> = r.square().less(&minus);
        let across: Element<W, 7, 22> = v.less(&x);
        let y = r.times_plus(&across, &self.y.minus::<2, 5>(), &hhh);
        (Jacobian { x: x.widen(), y, z: self.z.times(&h).widen() }, h.may_be_zero())
    }
}
