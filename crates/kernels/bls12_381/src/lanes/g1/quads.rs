//! Few points at once, each in four lanes: coordinates in three lanes, and something else in the fourth.
//!
//! For few points most lanes of [`Jacobian`](super::jacobian::Jacobian) would repeat others. Here products that do not
//! wait for each other are lanes of one: a doubling takes three in a row instead of six, an addition five instead of
//! ten. A square root takes almost as many products in a row as a check of membership, in the lanes beside it. That
//! pays if a product of vectors takes less time than one by blst.

use std::slice;

use super::super::fp::{Element, Factor, FpLimbs, order};
use super::one;
use super::power::Power;
use crate::constants::X_ABS;
use crate::field::power::{KEPT, Step, Steps};

/// Lanes of each point.
pub(super) const LANES_EACH: usize = 4;

/// The lanes of X, Y and Z, or of what stands in their place, and those beside them.
const XS: u8 = 0b0001_0001;
pub(super) const YS: u8 = XS << 1;
const ZS: u8 = XS << 2;
const BESIDE: u8 = XS << 3;

const ALL_X: u32 = order([0; 4]);
const ALL_Y: u32 = order([1; 4]);
const ALL_Z: u32 = order([2; 4]);

/// A factor of products.
type Operand<F> = Factor<F, 1, 40>;

/// Products of coordinates, and a power in the lanes beside them.
pub(super) struct Products<'a, F> {
    power: Operand<F>,
    kept: [Operand<F>; KEPT],
    steps: slice::Iter<'a, Step>,
}

impl<'a, F: FpLimbs> Products<'a, F> {
    /// Returns products without a power.
    #[inline(always)]
    pub(super) fn alone() -> Self {
        let zero = Element::<F, 1, 1>::zero().carried().widen();
        Products { power: zero, kept: [zero; KEPT], steps: [].iter() }
    }

    /// Returns products with the power of these steps.
    #[inline(always)]
    pub(super) fn beside_power(base: &Power<F>, steps: &'a Steps) -> Self {
        let base = base.widen();
        Products { power: base, kept: [base; KEPT], steps: steps.all().iter() }
    }

    /// Returns the next factor of the power; `None` after the last.
    #[inline(always)]
    fn next_factor(&mut self) -> Option<Operand<F>> {
        loop {
            match *self.steps.next()? {
                Step::Square => return Some(self.power),
                Step::Times(k) => return Some(self.kept[usize::from(k)]),
                Step::Keep(k) => self.kept[usize::from(k)] = self.power,
                Step::Load(k) => self.power = self.kept[usize::from(k)],
            }
        }
    }

    /// Returns the power in all lanes of each four, after the steps that are left.
    #[inline(always)]
    pub(super) fn power(mut self) -> Operand<F> {
        while !self.steps.as_slice().is_empty() {
            let power = self.power;
            self.times(&power, &power);
        }
        self.power.permuted::<{ order([3; 4]) }>()
    }

    /// Returns a·b, lane by lane.
    #[inline(always)]
    fn times<const K: u64, const K2: u64>(
        &mut self,
        a: &Factor<F, 1, K>,
        b: &Factor<F, 1, K2>,
    ) -> Element<F, 1, 1> {
        self.times_plus(a, b, &Element::<F, 0, 0>::zero())
    }

    /// Returns a·b + `more`, lane by lane. `more` is 0 beside the coordinates.
    #[inline(always)]
    fn times_plus<const K: u64, const K2: u64, const L3: u64, const K3: u64, const LO: u64, const KO: u64>(
        &mut self,
        a: &Factor<F, 1, K>,
        b: &Factor<F, 1, K2>,
        more: &Element<F, L3, K3>,
    ) -> Element<F, LO, KO> {
        let (a, b): (Operand<F>, Operand<F>) = (a.widen(), b.widen());
        let Some(factor) = self.next_factor() else { return a.times_plus(&b, more) };
        let (a, b) = (a.select(BESIDE, &self.power), b.select(BESIDE, &factor));
        let product: Element<F, LO, KO> = a.times_plus(&b, more);
        self.power = product.carried().widen();
        product
    }
}

/// A point in Jacobian coordinates in each four lanes: (X / Z², Y / Z³); infinity has Z = 0.
#[derive(Clone, Copy)]
pub(super) struct JacobianQuad<F>(Element<F, 18, 18>);

impl<F: FpLimbs> JacobianQuad<F> {
    /// Returns the points with these coordinates x and y, each in its lanes.
    #[inline(always)]
    pub(super) fn from_affine(xy: &Element<F, 3, 3>) -> Self {
        JacobianQuad(xy.widen().select(ZS, &one().widen()))
    }

    /// Returns `other` in the lanes of a mask, self in the others.
    #[inline(always)]
    pub(super) fn select(&self, mask: u8, other: &Self) -> Self {
        JacobianQuad(self.0.select(mask, &other.0))
    }

    /// Returns X, Y and Z, each in all lanes of its four.
    #[inline(always)]
    pub(super) fn coordinates(&self) -> [Element<F, 18, 18>; 3] {
        [self.0.permuted::<ALL_X>(), self.0.permuted::<ALL_Y>(), self.0.permuted::<ALL_Z>()]
    }

    /// Returns 2P, as [`Jacobian::doubled`](super::jacobian::Jacobian::doubled) does.
    #[inline(always)]
    pub(super) fn doubled(&self, products: &mut Products<F>) -> Self {
        let point = self.0.carried();
        // a, b and YZ
        let first = products.times(&point.permuted::<{ order([0, 1, 1, 3]) }>(), &point);
        let bba = first.carried().permuted::<{ order([1, 1, 0, 3]) }>().widen();
        // Xb, b² and a²
        let second = products.times(&bba.select(XS, &point), &bba);
        let (xb, aa) = (second.permuted::<ALL_X>(), second.permuted::<ALL_Z>());
        let (xb_4, xb_8) = (xb.doubled::<2, 4, 4>(), xb.doubled::<3, 8, 8>());
        let aa_9: Element<F, 9, 9> = aa.doubled::<3, 8, 8>().plus(&aa);
        let x: Element<F, 18, 18> = aa_9.minus(&xb_8);
        let across: Element<F, 22, 22> = xb_8.plus::<4, 4, 12, 12>(&xb_4).minus(&aa_9);
        let a = first.permuted::<ALL_X>();
        let slope: Element<F, 3, 3> = a.doubled::<1, 2, 2>().plus(&a);
        let minus_bb_8: Element<F, 9, 9> = second.doubled::<3, 8, 8>().negative();
        let y: Element<F, 10, 10> =
            products.times_plus(&slope.carried(), &across.carried(), &minus_bb_8.only_in(YS));
        let z = first.doubled::<1, 2, 2>();
        JacobianQuad(x.select(YS, &y.widen()).select(ZS, &z.widen()))
    }

    /// Returns P + (x, y), with x and y in their lanes, as [`Jacobian::plus`](super::jacobian::Jacobian::plus) does,
    /// and the lanes of fours where both may be equal or opposite, and the sum is wrong.
    #[inline(always)]
    pub(super) fn plus(&self, xy: &Element<F, 3, 3>, products: &mut Products<F>) -> (Self, u8) {
        let (point, xy) = (self.0.carried(), xy.carried().widen());
        let z = point.permuted::<ALL_Z>();
        // yZ and Z²
        let first = products.times(&xy.select(ZS, &z), &z).carried();
        // xZ² and yZ³
        let second = products.times(&first.widen().select(XS, &xy), &first.permuted::<ALL_Z>());
        let differences: Element<F, 20, 20> = second.minus(&self.0);
        let doubtful = differences.permuted::<ALL_X>().may_be_zero();
        let differences = differences.carried();
        let h = differences.permuted::<ALL_X>();
        // h², r² and Zh
        let third = products.times(&differences.select(ZS, &z.widen()), &differences.select(ZS, &h));
        // h³, Xh² and Yh²
        let hxy = point.permuted::<{ order([0, 0, 1, 3]) }>().widen().select(XS, &differences);
        let fourth = products.times(&hxy, &third.carried().permuted::<ALL_X>());
        let xhh = fourth.permuted::<ALL_Y>();
        let minus: Element<F, 3, 3> = fourth.permuted::<ALL_X>().plus(&xhh.doubled::<1, 2, 2>());
        let x: Element<F, 5, 5> = third.permuted::<ALL_Y>().minus(&minus);
        let across: Element<F, 7, 7> = xhh.minus(&x);
        // r·(Xh² − X') and Yh²·h
        let factors =
            [fourth.carried().widen().select(YS, &differences), across.carried().widen().select(ZS, &h)];
        let fifth = products.times(&factors[0], &factors[1]);
        let y: Element<F, 3, 3> = fifth.minus(&fifth.permuted::<ALL_Z>());
        let sum = x.widen().select(YS, &y.widen()).select(ZS, &third.widen());
        (JacobianQuad(sum), doubtful)
    }

    /// Returns |x|·P for the parameter x of the curve, and the lanes of fours where an addition may have met P or −P.
    #[inline(always)]
    pub(super) fn times_parameter(xy: &Element<F, 3, 3>, products: &mut Products<F>) -> (Self, u8) {
        let mut multiple = Self::from_affine(xy);
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
