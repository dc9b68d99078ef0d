//! Eight lanes over intervals: no limb overflows for any input within the bounds of the types.

use super::*;
use crate::lanes::intervals::{Intervals, Reduction, at_least};

/// The reduction of Fp in limbs of 52 bits.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Fp;

impl Reduction for Fp {
    const MASK: u64 = MASK;
    const MINUS_HIGHEST: u64 = MINUS_P[LIMBS - 1];
    /// Below (1 + 1/50)·p.
    const TOP: u64 = P[LIMBS - 1] + P[LIMBS - 1] / 50;
    /// Of limbs of 28 bits.
    const DIGIT: u64 = u64::MAX;
}

pub(in super::super) type Model = Intervals<Fp, 8>;

/// Returns all elements within the bounds.
pub(in super::super) fn all<const L: u64, const K: u64>() -> Fp4Pair<Model, L, K> {
    // Above it, even with lower limbs of 0, the number is larger than K·p.
    let highest = (K * (P[LIMBS - 1] + 1) - 1).min(L * MASK);
    Fp4Pair(each_limb(|i| Model::between(0, if i + 1 < LIMBS { L * MASK } else { highest })))
}

/// Checks that all elements are within the bounds.
pub(in super::super) fn check<const L: u64, const K: u64>(pair: &Fp4Pair<Model, L, K>) {
    for (i, limb) in pair.0.iter().enumerate() {
        // The limbs below the highest add less than L + 1 to it.
        let most = if i + 1 < LIMBS { L * MASK } else { K * P[LIMBS - 1] - L - 1 };
        assert!(limb.most() <= most, "limb {i} of {L}, {K}: {limb:x?}");
    }
}

#[test]
fn sums_of_products_do_not_overflow() {
    fn sum<const N: usize, const L: u64, const K: u64>() {
        let factor = all::<L, K>().carry();
        let sum: Reduced<Model> = dot([(&factor, &factor); N]);
        check(&sum);
    }
    sum::<1, 33, 1026>();
    sum::<2, 1, 258>();
    sum::<4, 34, 1026>();
    sum::<1, 2, 185_363>();
    sum::<4, 2, 92_681>();
    // Of words that are cut by the product.
    let given: Factor<Model, 1> =
        Factor(each_limb(|i| Model::between(0, if i + 1 < LIMBS { u64::MAX } else { P[LIMBS - 1] })));
    let sum: Reduced<Model> = dot([(&given, &all::<2, 9>().carry())]);
    check(&sum);
}

#[test]
fn products_and_squares_do_not_overflow() {
    let x: Operand<Model> = all();
    check(&x.times(&all()));
    check(&x.squares());
    check(&x.square_of_same());
    check(&x.swapped_squares());
    // It does not change the numbers, which intervals of limbs do not record.
    assert!(x.settle().0[..LIMBS - 1].iter().all(|limb| limb.most() <= 2 * MASK));
}

/// For each quotient that is estimated from the highest limb, the rest is from 0 to (1 + 1/50)·p. The intervals are so
/// small then that they tell by themselves.
#[test]
fn a_reduction_leaves_little_more_than_p() {
    const MAX: u64 = 1023;
    let quotient = |highest: u64| ((u128::from(highest) * u128::from(RECIPROCAL)) >> BITS) as u64;
    let (mut highest, most) = (0, MAX * (P[LIMBS - 1] + 1) - 1);
    while highest <= most {
        let found = quotient(highest);
        assert!(at_least(highest, found, &P, BITS), "the quotient {found} is too large");
        let last = ((u128::from(found + 1) << BITS).div_ceil(u128::from(RECIPROCAL)) - 1) as u64;
        assert!(quotient(last) == found && quotient(last + 1) == found + 1);
        let mut pair: Fp4Pair<Model, MAX, MAX> = all();
        pair.0[LIMBS - 1] = Model::between(highest, last.min(most));
        let reduced = pair.reduce();
        for (i, limb) in reduced.0.iter().enumerate() {
            assert!(
                limb.most() <= if i + 1 < LIMBS { MASK } else { Fp::TOP },
                "{found}, limb {i}: {limb:x?}"
            );
        }
        highest = last + 1;
    }
    // Of any quotient, as formulas use it.
    check(&all::<MAX, MAX>().reduce());
}
