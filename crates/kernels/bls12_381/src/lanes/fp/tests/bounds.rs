//! Fp over intervals: no limb overflows for any input within the bounds of the types.

use super::limbs28::Limbs28;
use super::limbs52::Limbs52;
use super::*;
use crate::lanes::intervals::{Intervals, Reduction, at_least};

/// The reductions of limbs of 28 bits, and of 52.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By28;
#[derive(Clone, Copy, Debug)]
pub(crate) struct By52;

impl Reduction for By28 {
    const MASK: u64 = <Limbs28<[u64; 4]>>::MASK;
    const MINUS_HIGHEST: u64 = minus_p::<Limbs28<[u64; 4]>>()[<Limbs28<[u64; 4]>>::COUNT - 1];
    /// Below 2·p.
    const TOP: u64 = 2 * (p::<Limbs28<[u64; 4]>>()[<Limbs28<[u64; 4]>>::COUNT - 1] + 1) - 1;
    const DIGIT: u64 = minus_inverse::<Limbs28<[u64; 4]>>();
}

impl Reduction for By52 {
    const MASK: u64 = <Limbs52<[u64; 4]>>::MASK;
    const MINUS_HIGHEST: u64 = minus_p::<Limbs52<[u64; 4]>>()[<Limbs52<[u64; 4]>>::COUNT - 1];
    /// Below (1 + 1/50)·p.
    const TOP: u64 = {
        let p = p::<Limbs52<[u64; 4]>>()[<Limbs52<[u64; 4]>>::COUNT - 1];
        p + p / 50
    };
    /// Of limbs of 28 bits.
    const DIGIT: u64 = u64::MAX;
}

/// Returns all elements within the bounds.
pub(crate) fn all<R: Reduction, F, const LANES: usize, const L: u64, const K: u64>() -> Element<F, L, K>
where
    F: FpLimbs<Word = Intervals<R, LANES>>,
{
    // Above it, even with lower limbs of 0, the number is larger than K·VALUE·p.
    let highest = (K * F::VALUE * (p::<F>()[F::COUNT - 1] + 1) - 1).min(L * F::LIMB * F::MASK);
    let most = |i: usize| if i + 1 < F::COUNT { L * F::LIMB * F::MASK } else { highest };
    Element(F::each(|i| Intervals::between(0, most(i))))
}

/// Checks that all limbs are within the bounds, and the highest one for the value.
pub(crate) fn check<R: Reduction, F, const LANES: usize, const L: u64, const K: u64>(
    element: &Element<F, L, K>,
) where
    F: FpLimbs<Word = Intervals<R, LANES>>,
{
    for (i, limb) in element.0.all().iter().enumerate() {
        let highest = K * F::VALUE * (p::<F>()[F::COUNT - 1] + 1);
        let most = if i + 1 < F::COUNT { L * F::LIMB * F::MASK } else { highest };
        assert!(limb.most() <= most, "limb {i} of {L}, {K}: {limb:x?}");
    }
}

fn operations_do_not_overflow<R: Reduction, F: FpLimbs<Word = Intervals<R, 4>>>() {
    let (a, b): (Element<F, 15, 20>, Element<F, 1, 7>) = (all(), all());
    let more: Element<F, 3, 3> = all();
    check(&a.factor().times(&b.factor()).element());
    check(&b.factor().times(&a.factor()).element());
    check(&a.carried().product(&b.factor()));
    check::<R, F, 4, 4, 4>(&a.factor().times_plus(&b.factor(), &more));
    check::<R, F, 4, 19, 19>(&a.factor().times_in_form_plus(&b.factor(), &more));
    check(&all::<R, F, 4, 4, 12>().factor().square().element());
    check::<R, F, 4, 4, 4>(&all::<R, F, 4, 4, 12>().factor().square_plus(&more));
    let (c, d): (Element<F, 8, 10>, Element<F, 2, 7>) = (all(), all());
    check(&c.factor().times_plus_product(&b.factor(), &b.carried(), &d.factor()));
    check(&all::<R, F, 4, 31, 25>().canonical_or_more());
    check::<R, F, 4, 18, 23>(&a.plus(&more));
    check::<R, F, 4, 19, 24>(&a.minus(&more));
    check::<R, F, 4, 19, 24>(&more.minus(&a));
    check::<R, F, 4, 16, 21>(&a.negative());
    check::<R, F, 4, 30, 40>(&a.doubled::<1, 30, 40>());
}

impl<F: FpLimbs, const L: u64, const K: u64> Element<F, L, K> {
    /// Returns the element below 2·p.
    fn canonical_or_more(&self) -> Element<F, 1, 1> {
        Element(self.0.reduced())
    }
}

/// Checks each quotient that [`FpLimbs::reduced`] estimates from the highest limbs: the rest is from 0 to 2·p.
fn quotients_are_right<F: FpLimbs>(ignored: u64, quotient: impl Fn(u64) -> u64) {
    let (p, most) = (&p::<F>()[..F::COUNT], F::MAX_REDUCED * (p::<F>()[F::COUNT - 1] + 1));
    let mut high = 0;
    while high <= most {
        let found = quotient(high);
        assert!(at_least(high, found, p, F::BITS), "the quotient {found} is too large");
        // The last highest limb with this quotient.
        let last = (high..).find(|high| quotient(high + 1) > found).unwrap();
        assert_eq!(quotient(last + 1), found + 1);
        let rest = last.min(most) + ignored;
        assert!(!at_least(rest, found + 2, p, F::BITS), "the quotient {found} is too small");
        high = last + 1;
    }
}

#[test]
fn limbs_of_28_bits_do_not_overflow() {
    operations_do_not_overflow::<By28, Limbs28<Intervals<By28, 4>>>();
    // 17 products of limbs, and 157 of values.
    type F = Limbs28<Intervals<By28, 4>>;
    let (a, b): (Element<F, 8, 19>, Element<F, 2, 8>) = (all(), all());
    let (c, d): (Element<F, 1, 5>, Element<F, 1, 1>) = (all(), all());
    check(&a.factor().times_plus_product(&b.factor(), &c.factor(), &d.factor()));
    check(&all::<By28, F, 4, 1, 157>().factor().times(&d.factor()).element());
    // Carries of the limbs below, and the rest of the highest limb.
    quotients_are_right::<Limbs28<[u64; 4]>>(3, |high| {
        (high * reciprocal::<Limbs28<[u64; 4]>>()) >> QUOTIENT_BITS
    });
}

#[test]
fn limbs_of_52_bits_do_not_overflow() {
    operations_do_not_overflow::<By52, Limbs52<Intervals<By52, 4>>>();
    // The largest values that formulas multiply.
    let wide: Element<Limbs52<Intervals<By52, 4>>, 1, 40> = all();
    check(&wide.carried().times(&wide.carried()).element());
    quotients_are_right::<Limbs52<[u64; 4]>>(2, |high| {
        ((u128::from(high) * u128::from(limbs52::RECIPROCAL)) >> 52) as u64
    });
}
