//! Fr over intervals: no limb overflows for any input within the bounds of the types.

use super::*;
use crate::lanes::intervals::{Intervals, Reduction, at_least};
use crate::lanes::limbs29::{self, Limbs29};
use crate::lanes::limbs52::{self, Limbs52};

/// The reduction of limbs of 29 bits, and of 52.
#[derive(Clone, Copy, Debug)]
struct By29;
#[derive(Clone, Copy, Debug)]
struct By52;

impl Reduction for By29 {
    const MASK: u64 = <Limbs29<[u64; 4]>>::MASK;
    const MINUS_HIGHEST: u64 = minus_modulus::<Limbs29<[u64; 4]>>()[<Limbs29<[u64; 4]>>::COUNT - 1];
    const TOP: u64 = highest::<Limbs29<[u64; 4]>>(2);
    const DIGIT: u64 = u64::MAX;
}

impl Reduction for By52 {
    const MASK: u64 = <Limbs52<[u64; 4]>>::MASK;
    const MINUS_HIGHEST: u64 = minus_modulus::<Limbs52<[u64; 4]>>()[<Limbs52<[u64; 4]>>::COUNT - 1];
    const TOP: u64 = highest::<Limbs52<[u64; 4]>>(2);
    const DIGIT: u64 = u64::MAX;
}

/// Returns the largest highest limb of a number below k·r.
const fn highest<V: Limbs>(k: u64) -> u64 {
    k * (modulus::<V>()[V::COUNT - 1] + 1) - 1
}

/// Returns all elements within the bounds.
fn all<R: Reduction, V: Limbs<Word = Intervals<R, 4>>, const L: u64, const K: u64>() -> Element<V, L, K> {
    let most = |i: usize| if i + 1 < V::COUNT { L * V::MASK } else { highest::<V>(K).min(L * V::MASK) };
    Element(V::each(|i| Intervals::between(0, most(i))))
}

/// Checks that all elements are within the bounds.
fn check<R: Reduction, V: Limbs<Word = Intervals<R, 4>>, const K: u64>(element: &Element<V, 1, K>) {
    for (i, limb) in element.0.all().iter().enumerate() {
        let most = if i + 1 < V::COUNT { V::MASK } else { highest::<V>(K) };
        assert!(limb.most() <= most, "limb {i} below {K}·r: {limb:x?}");
    }
}

fn products<R, V, const L: u64, const K: u64, const L2: u64, const K2: u64>()
where
    R: Reduction,
    V: Limbs<Word = Intervals<R, 4>>,
{
    let (x, y): (Element<V, L, K>, Element<V, L2, K2>) = (all(), all());
    check(&x.times(&y));
    check(&x.times_plus::<L2, K2, 7, 30, 32>(&y, &all()));
}

fn operations_do_not_overflow<R: Reduction, V: Limbs<Word = Intervals<R, 4>>>() {
    products::<R, V, 3, 9, 1, 2>();
    products::<R, V, 6, 35, 1, 1>();
    products::<R, V, 2, 7, 3, 5>();
    check(&all::<R, V, 1, 5>().squared());
    check(&all::<R, V, 7, 32>().reduced());
    let (x, y): (Element<V, 2, 3>, Element<V, 4, 5>) = (all(), all());
    let sums: [Element<V, 7, 9>; 3] = [x.plus(&y), x.minus(&y), y.minus(&x)];
    assert!(sums.iter().flat_map(|sum| sum.0.all()).all(|limb| limb.most() <= 7 * V::MASK));
}

/// Checks each quotient that [`Limbs::reduced`] estimates from the highest limb: the rest is from 0 to 2·r.
fn quotients_are_right<V: Limbs>(quotient: impl Fn(u64) -> u64) {
    let (r, most) = (&modulus::<V>()[..V::COUNT], highest::<V>(32));
    let mut high = 0;
    for number in 0.. {
        assert_eq!(quotient(high), number);
        assert!(at_least(high, number, r, V::BITS), "the quotient {number} is too large");
        // The last highest limb with this quotient.
        let (mut last, mut next) = (high, 2 * most);
        while next - last > 1 {
            let middle = last + (next - last) / 2;
            if quotient(middle) == number { last = middle } else { next = middle }
        }
        // The limbs below, of up to seven times the mask, are less than eight of the highest.
        let rest = last.min(most) + 8;
        assert!(!at_least(rest, number + 2, r, V::BITS), "the quotient {number} is too small");
        if last >= most {
            return;
        }
        high = next;
    }
}

#[test]
fn limbs_of_29_bits_do_not_overflow() {
    operations_do_not_overflow::<By29, Limbs29<Intervals<By29, 4>>>();
    products::<By29, Limbs29<Intervals<By29, 4>>, 6, 35, 1, 2>();
    products::<By29, Limbs29<Intervals<By29, 4>>, 2, 10, 3, 7>();
    quotients_are_right::<Limbs29<[u64; 4]>>(|high| (high * limbs29::RECIPROCAL) >> limbs29::QUOTIENT_BITS);
}

#[test]
fn limbs_of_52_bits_do_not_overflow() {
    operations_do_not_overflow::<By52, Limbs52<Intervals<By52, 4>>>();
    let quotient =
        |high: u64| (u128::from(high) * u128::from(limbs52::RECIPROCAL)) >> (52 + limbs52::QUOTIENT_BITS);
    quotients_are_right::<Limbs52<[u64; 4]>>(|high| quotient(high) as u64);
}
