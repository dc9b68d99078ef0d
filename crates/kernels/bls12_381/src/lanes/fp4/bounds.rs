//! Four lanes over intervals: no limb overflows for any input within the bounds of the types.

use super::tests::Fp;
use super::*;
use crate::lanes::Words;
use crate::lanes::fp::{MASK, P_LIMBS, QUOTIENT_BITS, RECIPROCAL};
use crate::lanes::intervals::{Intervals, Reduction, at_least};

type Model = Intervals<Fp, 4>;

/// Returns all elements within the bounds.
pub(in crate::lanes) fn all<const L: u64, const K: u64>() -> Fp4<Model, L, K> {
    // Above it, even with lower limbs of 0, the number is larger than K·p.
    let highest = (K * (P_LIMBS[LIMBS - 1] + 1) - 1).min(L * MASK);
    Element(each_limb(|i| Model::between(0, if i + 1 < LIMBS { L * MASK } else { highest })))
}

/// Checks that all elements are within the bounds. The values of reduced ones are those of the reduction.
pub(in crate::lanes) fn check(reduced: &Reduced<Model>) {
    for (i, limb) in reduced.0.iter().enumerate() {
        assert!(limb.most() <= if i + 1 < LIMBS { MASK } else { Fp::TOP }, "limb {i}: {limb:x?}");
    }
}

/// Checks a sum of the most products that a column has room for, and the quotient that is estimated from it: the rest
/// is from 0 to 2·p for each quotient.
fn sums<const N: usize, const L: u64, const LF: u64, const K: u64, const LM: u64, const KM: u64>() {
    let (multiple, factor, more) = (all::<L, 6>(), all::<LF, K>(), all::<LM, KM>());
    check(&dot([[&multiple; 4]; N], [&factor; N], &more));
    // The same sums before the quotient.
    let mut sums = [Model::all(0); LIMBS];
    for (i, limb) in factor.0.into_iter().enumerate() {
        for _ in 0..4 * N {
            Model::add_products(&mut sums, &multiple.0, limb);
        }
        if i + 1 < LIMBS { Model::shift(&mut sums) } else { last_shift(&mut sums) }
    }
    for (sum, more) in sums.iter_mut().zip(more.0) {
        *sum = sum.plus(more);
    }
    // What the estimate ignores, in units of the highest limb.
    let mut carry = 0;
    for sum in &sums[..LIMBS - 2] {
        carry = (u128::from(sum.most()) + carry) >> BITS;
    }
    let ignored = (carry + u128::from(MASK)) as u64 / (1 << BITS) + 1;
    assert!(ignored <= 3, "{ignored}");
    let most = sums[LIMBS - 1].most() + (sums[LIMBS - 2].most() >> BITS);
    let mut high = 0;
    while high <= most {
        let quotient = |high: u64| (high * RECIPROCAL) >> QUOTIENT_BITS;
        let found = quotient(high);
        assert!(at_least(high, found, &P_LIMBS, BITS as u32), "the quotient {found} is too large");
        // The last highest limb with this quotient.
        let last = (((found + 1) << QUOTIENT_BITS) - 1) / RECIPROCAL;
        assert!(quotient(last) == found && quotient(last + 1) == found + 1);
        let rest = last.min(most) + ignored;
        assert!(!at_least(rest, found + 2, &P_LIMBS, BITS as u32), "the quotient {found} is too small");
        high = last + 1;
    }
}

#[test]
fn sums_of_products_do_not_overflow() {
    sums::<1, 4, 1, 2, 1, 6>();
    sums::<1, 4, 1, 6, 4, 6>();
    sums::<2, 2, 1, 4, 1, 2>();
    sums::<4, 1, 1, 20, 15, 30>();
    check(&products(&all::<1, 6>(), &all::<1, 2>()));
    check(&products(&all::<1, 6>(), &all::<1, 1>()));
}

#[test]
fn products_of_factors_at_their_limits_do_not_overflow() {
    check_top(&all::<8, 40>().times(&all::<2, 63>()));
    check_top(&all::<15, 40>().times(&all::<1, 63>()));
}

/// Checks that all limbs are within the bounds, and the highest one for a value below 4·p.
fn check_top(product: &Fp4<Model, 1, 4>) {
    for (i, limb) in product.0.iter().enumerate() {
        let most = if i + 1 < LIMBS { MASK } else { 4 * (P_LIMBS[LIMBS - 1] + 1) };
        assert!(limb.most() <= most, "limb {i}: {limb:x?}");
    }
}

#[test]
fn multiples_do_not_overflow() {
    let x: Reduced<Model> = all();
    let within = |multiples: &Multiples<Model, 4>| {
        for (i, limb) in multiples.iter().flat_map(|multiple| multiple.0.iter().enumerate()) {
            let most = if i + 1 < LIMBS { 4 * MASK } else { 6 * (P_LIMBS[LIMBS - 1] + 1) };
            assert!(limb.most() <= most, "limb {i}: {limb:x?}");
        }
    };
    within(&x.multiples());
    x.s_multiples().iter().for_each(within);
    let [twice, minus_twice] = [x.twice_conjugate(), x.minus_twice_conjugate()];
    within(&[twice, minus_twice, twice, minus_twice]);
    within(&x.multiples().map(|multiple| multiple.carried().widen()));
}
