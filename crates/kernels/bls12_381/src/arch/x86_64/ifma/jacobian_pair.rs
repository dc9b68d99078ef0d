//! Two points at once, each in one half of a vector: coordinates in three lanes, and something else in the fourth.
//!
//! For two points most lanes of [`Jacobian`](super::jacobian::Jacobian) would repeat others. Here products that do not
//! wait for each other are lanes of one: a doubling takes three in a row instead of seven, an addition five in place
//! of eleven. A square root takes almost as many products in a row as a check of membership, in the lanes beside it.

use std::arch::x86_64::*;
use std::slice;

use super::field::{Reduced, Unreduced};
use super::power::POWER;
use super::{LANES, ONE};
use crate::constants::X_ABS;
use crate::field::power::{KEPT, Step, Steps};

/// Lanes of each point.
pub(super) const LANES_EACH: usize = LANES / 2;

/// The lanes of X, Y and Z, or of what stands in their place, and those beside them.
const XS: __mmask8 = 0b0001_0001;
pub(super) const YS: __mmask8 = XS << 1;
const ZS: __mmask8 = XS << 2;
const BESIDE: __mmask8 = XS << 3;

/// Orders of the lanes of each half.
const fn order(lanes: [i32; 4]) -> i32 {
    lanes[0] | lanes[1] << 2 | lanes[2] << 4 | lanes[3] << 6
}
const ALL_X: i32 = order([0; 4]);
const ALL_Y: i32 = order([1; 4]);
const ALL_Z: i32 = order([2; 4]);

/// Products of coordinates, and a power in the lanes beside them.
pub(super) struct Products<'a> {
    power: Reduced<FACTOR>,
    kept: [Reduced<FACTOR>; KEPT],
    steps: slice::Iter<'a, Step>,
}

/// K of coordinates, and of factors.
const BOUND: u64 = 562;
const FACTOR: u64 = 1000;

impl<'a> Products<'a> {
    /// Returns products without a power.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn alone() -> Self {
        let zero = Unreduced::<1>::zero().carry().widen();
        Products { power: zero, kept: [zero; KEPT], steps: [].iter() }
    }

    /// Returns products with the power of these steps.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn beside_power(base: &Reduced<POWER>, steps: &'a Steps) -> Self {
        let base = base.widen();
        Products { power: base, kept: [base; KEPT], steps: steps.all().iter() }
    }

    /// Returns the next factor of the power; `None` after the last.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn next_factor(&mut self) -> Option<Reduced<FACTOR>> {
        loop {
            match *self.steps.next()? {
                Step::Square => return Some(self.power),
                Step::Times(k) => return Some(self.kept[usize::from(k)]),
                Step::Keep(k) => self.kept[usize::from(k)] = self.power,
                Step::Load(k) => self.power = self.kept[usize::from(k)],
            }
        }
    }

    /// Returns the power in all lanes of each half, after the steps that are left.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn power(mut self) -> Reduced<FACTOR> {
        while !self.steps.as_slice().is_empty() {
            self.times(self.power, self.power);
        }
        self.power.permuted::<{ order([3; 4]) }>()
    }

    /// Returns a·b, lane by lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn times<const A: u64, const B: u64>(&mut self, a: Reduced<A>, b: Reduced<B>) -> Unreduced<33> {
        self.times_plus(a, b, Unreduced::<1>::zero())
    }

    /// Returns a·b + `more`, lane by lane. `more` is 0 beside the coordinates.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn times_plus<const A: u64, const B: u64, const C: u64, const OUT: u64>(
        &mut self,
        a: Reduced<A>,
        b: Reduced<B>,
        more: Unreduced<C>,
    ) -> Unreduced<OUT> {
        let (a, b): (Reduced<FACTOR>, Reduced<FACTOR>) = (a.widen(), b.widen());
        let Some(factor) = self.next_factor() else { return a.times_plus(&b, &more) };
        let product: Unreduced<OUT> = a.or_in(BESIDE, self.power).times_plus(&b.or_in(BESIDE, factor), &more);
        self.power = product.carry().widen();
        product
    }
}

/// A point in Jacobian coordinates in each half: (X / Z², Y / Z³); infinity has Z = 0.
#[derive(Clone, Copy)]
pub(super) struct JacobianPair(Unreduced<BOUND>);

impl JacobianPair {
    /// Returns the points with these coordinates x and y, each in its lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn from_affine(xy: Unreduced<3>) -> JacobianPair {
        JacobianPair(xy.widen().or_in(ZS, Unreduced::constant(&ONE).widen()))
    }

    /// Returns `other` in the lanes of `mask`, self in the others.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn or_in(self, mask: __mmask8, other: Self) -> JacobianPair {
        JacobianPair(self.0.or_in(mask, other.0))
    }

    /// Returns X, Y and Z, each in all lanes of its half.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn coordinates(&self) -> [Unreduced<BOUND>; 3] {
        [self.0.permuted::<ALL_X>(), self.0.permuted::<ALL_Y>(), self.0.permuted::<ALL_Z>()]
    }

    /// Returns 2P: with a = X² and b = Y², X' = 9a² − 8Xb, Y' = 3a·(4Xb − X') − 8b² and Z' = 2YZ.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn doubled(&self, products: &mut Products) -> JacobianPair {
        let point = self.0.carry();
        // a, b and YZ
        let first = products.times(point.permuted::<{ order([0, 1, 1, 3]) }>(), point);
        let bba = first.carry().permuted::<{ order([1, 1, 0, 3]) }>().widen();
        // Xb, b² and a²
        let second = products.times(bba.or_in(XS, point), bba);
        let (xb, aa) = (second.permuted::<ALL_X>(), second.permuted::<ALL_Z>());
        let xb_4: Unreduced<132> = xb.doubled::<66>().doubled();
        let xb_8: Unreduced<264> = xb_4.doubled();
        let aa_9: Unreduced<297> = aa.doubled::<66>().doubled::<132>().doubled::<264>().plus(aa);
        let x: Unreduced<562> = aa_9.minus(xb_8);
        let across: Unreduced<694> = xb_8.plus::<132, 396>(xb_4).minus(aa_9);
        let a = first.permuted::<ALL_X>();
        let slope = a.doubled::<66>().plus::<33, 99>(a);
        let minus_bb_8: Unreduced<265> = second.doubled::<66>().doubled::<132>().doubled::<264>().negative();
        let y: Unreduced<297> = products.times_plus(slope.carry(), across.carry(), minus_bb_8.only_in(YS));
        let z: Unreduced<66> = first.doubled();
        JacobianPair(x.widen().or_in(YS, y.widen()).or_in(ZS, z.widen()))
    }

    /// Returns P + (x, y), with x and y in their lanes, and the lanes of halves where both may be equal or opposite,
    /// and the sum is wrong. With h = x·Z² − X and r = y·Z³ − Y, X' = r² − h³ − 2Xh², Y' = r·(Xh² − X') − Yh³ and
    /// Z' = Zh.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn plus(&self, xy: Unreduced<3>, products: &mut Products) -> (JacobianPair, __mmask8) {
        let (point, xy) = (self.0.carry(), xy.carry().widen());
        let z = point.permuted::<ALL_Z>();
        // yZ and Z²
        let first = products.times(xy.or_in(ZS, z), z).carry();
        // xZ² and yZ³
        let second = products.times(first.widen().or_in(XS, xy), first.permuted::<ALL_Z>());
        let differences: Reduced<596> = second.minus(self.0).carry();
        let h = differences.permuted::<ALL_X>();
        // h², r² and Zh
        let third = products.times(differences.or_in(ZS, z.widen()), differences.or_in(ZS, h));
        // h³, Xh² and Yh²
        let hxy = point.permuted::<{ order([0, 0, 1, 3]) }>().widen().or_in(XS, differences);
        let fourth = products.times(hxy, third.carry().permuted::<ALL_X>());
        let xhh = fourth.permuted::<ALL_Y>();
        let minus: Unreduced<99> = fourth.permuted::<ALL_X>().plus::<66, 99>(xhh.doubled());
        let x: Unreduced<133> = third.permuted::<ALL_Y>().minus(minus);
        let across: Unreduced<167> = xhh.minus(x);
        // r·(Xh² − X') and Yh²·h
        let fifth = products
            .times(fourth.carry().widen().or_in(YS, differences), across.carry().widen().or_in(ZS, h));
        let y: Unreduced<67> = fifth.minus(fifth.permuted::<ALL_Z>());
        (JacobianPair(x.widen().or_in(YS, y.widen()).or_in(ZS, third.widen())), h.may_be_zero())
    }

    /// Returns |x|·P for the parameter x of the curve, and the lanes of halves where an addition may have met P or −P.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn times_parameter(xy: Unreduced<1>, products: &mut Products) -> (JacobianPair, __mmask8) {
        let xy = xy.widen();
        let mut multiple = JacobianPair::from_affine(xy);
        let mut doubtful = 0;
        for bit in (0..u64::BITS - 1).rev() {
            multiple = multiple.doubled(products);
            if X_ABS >> bit & 1 == 1 {
                let (sum, doubt) = multiple.plus(xy, products);
                (multiple, doubtful) = (sum, doubtful | doubt);
            }
        }
        (multiple, doubtful)
    }
}
