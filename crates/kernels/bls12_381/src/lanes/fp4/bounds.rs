//! Four lanes over intervals: no limb overflows for any input within the bounds of the types.

use super::*;
use crate::lanes::Words;
use crate::lanes::fp::limbs28::{MASK, P_LIMBS};
use crate::lanes::fp::tests::bounds::{By28, all};
use crate::lanes::fp::{QUOTIENT_BITS, reciprocal};
use crate::lanes::intervals::{Intervals, Reduction, at_least};

pub(in crate::lanes) type Model = Intervals<By28, 4>;

/// Checks that all elements are within the bounds. The values of reduced ones are those of the reduction.
pub(in crate::lanes) fn check(reduced: &Reduced<Model>) {
    for (i, limb) in reduced.0.all().iter().enumerate() {
        assert!(limb.most() <= if i + 1 < COUNT { MASK } else { By28::TOP }, "limb {i}: {limb:x?}");
    }
}

/// Checks a sum of the most products that a column has room for, and the quotient that is estimated from it: the rest
/// is from 0 to 2·p for each quotient.
fn sums<const N: usize, const L: u64, const LF: u64, const K: u64, const LM: u64, const KM: u64>() {
    let (multiple, factor): (Fp4<Model, L, 4>, Fp4<Model, LF, K>) = (all(), all());
    let more: Fp4<Model, LM, KM> = all();
    check(&dot([[&multiple; 4]; N], [&factor; N], &more));
    // The same sums before the quotient.
    let mut sums = [Model::all(0); COUNT];
    for (i, limb) in factor.0.0.into_iter().enumerate() {
        for _ in 0..4 * N {
            Model::add_products(&mut sums, &multiple.0.0, limb);
        }
        if i + 1 < COUNT { Model::shift(&mut sums) } else { last_shift(&mut sums) }
    }
    for (sum, more) in sums.iter_mut().zip(more.0.0) {
        *sum = sum.plus(more);
    }
    // What the estimate ignores, in units of the highest limb.
    let mut carry = 0;
    for sum in &sums[..COUNT - 2] {
        carry = (u128::from(sum.most()) + carry) >> BITS;
    }
    let ignored = (carry + u128::from(MASK)) as u64 / (1 << BITS) + 1;
    assert!(ignored <= 3, "{ignored}");
    let most = sums[COUNT - 1].most() + (sums[COUNT - 2].most() >> BITS);
    let reciprocal = reciprocal::<Limbs28<Model>>();
    let mut high = 0;
    while high <= most {
        let quotient = |high: u64| (high * reciprocal) >> QUOTIENT_BITS;
        let found = quotient(high);
        assert!(at_least(high, found, &P_LIMBS[..COUNT], BITS as u32), "the quotient {found} is too large");
        // The last highest limb with this quotient.
        let last = (((found + 1) << QUOTIENT_BITS) - 1) / reciprocal;
        assert!(quotient(last) == found && quotient(last + 1) == found + 1);
        let rest = last.min(most) + ignored;
        assert!(!at_least(rest, found + 2, &P_LIMBS[..COUNT], BITS as u32), "{found} is too small");
        high = last + 1;
    }
}

#[test]
fn sums_of_products_do_not_overflow() {
    sums::<1, 4, 1, 2, 1, 4>();
    sums::<1, 4, 1, 9, 4, 4>();
    sums::<2, 2, 1, 4, 1, 2>();
    sums::<4, 1, 1, 2, 15, 7>();
    check(&products(&all(), &all()));
}

#[test]
fn multiples_do_not_overflow() {
    let x: Reduced<Model> = all();
    let within = |multiples: &Multiples<Model, 4>| {
        for (i, limb) in multiples.iter().flat_map(|multiple| multiple.0.all().iter().enumerate()) {
            let most = if i + 1 < COUNT { 4 * MASK } else { 16 * (P_LIMBS[COUNT - 1] + 1) };
            assert!(limb.most() <= most, "limb {i}: {limb:x?}");
        }
    };
    within(&x.multiples());
    x.s_multiples().iter().for_each(within);
    let [twice, minus_twice] = [x.twice_conjugate(), x.minus_twice_conjugate()];
    within(&[twice, minus_twice, twice, minus_twice]);
    within(&x.multiples().map(|multiple| multiple.carried().element().widen()));
}
