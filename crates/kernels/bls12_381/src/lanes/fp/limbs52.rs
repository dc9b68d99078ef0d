//! Eight limbs of 52 bits, for instruction sets that multiply integers of 52 bits and add either half of the product.
//!
//! 416 bits are 35 more than p. Only the low 52 bits of a limb are multiplied, so factors are carried; the bits above
//! have been added to the next limb, and stay where they are.
#![allow(clippy::needless_range_loop, reason = "limb i of one goes with limb i of another, or with the next")]

use std::marker::PhantomData;

use parcrypt_simd::Call;

use super::{Constant, FpLimbs, InOrder, Order, minus_inverse, minus_p, p};
use crate::field::fp::power_of_two;
use crate::field::limbs;
use crate::lanes::limbs52::Words52;

/// Limbs of an element.
pub(crate) const COUNT: usize = 8;
/// Bits of a limb.
pub(crate) const BITS: i32 = 52;
pub(crate) const MASK: u64 = (1 << BITS) - 1;

/// p, 2^416 − p and −1/p modulo 2^52.
const P_LIMBS: Constant = p::<Limbs52<[u64; 4]>>();
const MINUS_P: Constant = minus_p::<Limbs52<[u64; 4]>>();
const MINUS_INVERSE: u64 = minus_inverse::<Limbs52<[u64; 4]>>();

/// 2^416 / p, rounded down: the numerator over the upper 69 bits of p plus 1.
pub(crate) const RECIPROCAL: u64 = {
    let p = crate::constants::P;
    let upper = (p[5] as u128) << 8 | (p[4] >> 56) as u128;
    ((1u128 << 104) / (upper + 1)) as u64
};

/// 2^(52·(i − 7)) modulo p, for limb i below 7 of a product.
const FOLDS: [[u64; COUNT]; 7] = {
    let mut folds = [[0; COUNT]; 7];
    let mut i = 0;
    while i < 7 {
        folds[i] = limbs::split(&power_of_two(BITS * (i as i32 - 7)), COUNT, BITS.cast_unsigned());
        i += 1;
    }
    folds
};

/// The limbs of numbers, one in each lane.
pub(crate) type Limbs<W> = [W; COUNT];

/// A sum of products of factors / 2^416, plus `more`: carried if it is to be a factor. Its 300 instructions should be
/// in the cache of decoded instructions once, so it is a call.
struct Products<'a, W, O, const N: usize, const FACTOR: bool> {
    factors: [[&'a Limbs<W>; 2]; N],
    more: &'a Limbs<W>,
    order: PhantomData<O>,
}

impl<W: Words52, O: Order, const N: usize, const FACTOR: bool> Products<'_, W, O, N, FACTOR> {
    /// Returns the sum, by a function that is not inlined.
    #[inline(always)]
    fn sum(factors: [[&Limbs<W>; 2]; N], more: &Limbs<W>) -> Limbs52<W> {
        Limbs52(W::outlined_52(Products::<W, O, N, FACTOR> { factors, more, order: PhantomData }))
    }
}

impl<W: Words52, O: Order, const N: usize, const FACTOR: bool> Call for Products<'_, W, O, N, FACTOR> {
    type Result = Limbs<W>;

    #[inline(always)]
    fn call(self) -> Limbs<W> {
        if FACTOR {
            return carried(sum_of_products::<W, O, N>(self.factors, &[W::all(0); COUNT]));
        }
        sum_of_products::<W, O, N>(self.factors, self.more)
    }
}

/// The call of [`square_plus`].
struct SquarePlus<'a, W> {
    a: &'a Limbs<W>,
    more: &'a Limbs<W>,
}

impl<W: Words52> Call for SquarePlus<'_, W> {
    type Result = Limbs<W>;

    #[inline(always)]
    fn call(self) -> Limbs<W> {
        square_plus(self.a, self.more)
    }
}

/// Limbs of 52 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limbs52<W>(pub(crate) Limbs<W>);

impl<W: Words52> FpLimbs for Limbs52<W> {
    type Word = W;
    const COUNT: usize = COUNT;
    const BITS: u32 = BITS.cast_unsigned();
    // A limb is a sum of up to 31 halves of partial products, 15 of the product and 16 of the reduction, and of a carry
    // that is less than 2^12; each further product adds 15. The value is less than 9·p, see `reduce`.
    const LIMB: u64 = 32;
    const VALUE: u64 = 9;
    const MAX_LIMBS: u64 = u64::MAX;
    const MAX_LIMB: u64 = u64::MAX;
    // A sum of products of factors up to A·p and B·p is reduced if the sum of A·B is at most 2^416 / p, rounded down to
    // a power of two.
    const MAX_VALUES: u64 = (1 << 35) / (Self::VALUE * Self::VALUE);
    const MAX_REDUCED: u64 = 1023;

    #[inline(always)]
    fn each(limb: impl Fn(usize) -> W) -> Self {
        let mut limbs = [W::all(0); COUNT];
        for (i, out) in limbs.iter_mut().enumerate() {
            *out = limb(i);
        }
        Limbs52(limbs)
    }

    #[inline(always)]
    fn all(&self) -> &[W] {
        &self.0
    }

    #[inline(always)]
    fn above(limb: W) -> W {
        limb.right::<BITS>()
    }

    #[inline(always)]
    fn from_words([a, b, c, d, e, f]: &[W; 6]) -> Self {
        let mask = W::all(MASK);
        Limbs52([
            a.and(mask),
            a.right::<52>().or(b.left::<12>()).and(mask),
            b.right::<40>().or(c.left::<24>()).and(mask),
            c.right::<28>().or(d.left::<36>()).and(mask),
            d.right::<16>().or(e.left::<48>()).and(mask),
            e.right::<4>().and(mask),
            e.right::<56>().or(f.left::<8>()).and(mask),
            f.right::<44>(),
        ])
    }

    #[inline(always)]
    fn to_words(&self) -> [W; 6] {
        let [a, b, c, d, e, f, g, h] = self.0;
        [
            a.or(b.left::<52>()),
            b.right::<12>().or(c.left::<40>()),
            c.right::<24>().or(d.left::<28>()),
            d.right::<36>().or(e.left::<16>()),
            e.right::<48>().or(f.left::<4>()).or(g.left::<56>()),
            g.right::<8>().or(h.left::<44>()),
        ]
    }

    #[inline(always)]
    fn outlined<C: Call>(call: C) -> C::Result {
        W::outlined_52(call)
    }

    // Elements stay in registers between the steps of a formula: with calls a pairing took 4 % longer. Tests, which
    // have many vectors, would take minutes to compile.
    #[inline(always)]
    fn formula<C: Call>(call: C) -> C::Result {
        if cfg!(test) { Self::outlined(call) } else { call.call() }
    }

    #[inline(always)]
    fn factor(&self) -> Self {
        self.carried()
    }

    #[inline(always)]
    fn carried(&self) -> Self {
        Limbs52(carried(self.0))
    }

    #[inline(always)]
    fn masked(&self) -> Self {
        Self::each(|i| self.0[i].and(W::all(MASK)))
    }

    #[inline(always)]
    fn product(a: &Self, b: &Self) -> Self {
        Products::<_, InOrder, 1, true>::sum([[&a.0, &b.0]], &a.0)
    }

    #[inline(always)]
    fn product_plus(a: &Self, b: &Self, more: &Self) -> Self {
        Products::<_, InOrder, 1, false>::sum([[&a.0, &b.0]], &more.0)
    }

    #[inline(always)]
    fn square(a: &Self) -> Self {
        Limbs52(carried(W::outlined_52(SquarePlus { a: &a.0, more: &[W::all(0); COUNT] })))
    }

    #[inline(always)]
    fn square_plus(a: &Self, more: &Self) -> Self {
        Limbs52(W::outlined_52(SquarePlus { a: &a.0, more: &more.0 }))
    }

    #[inline(always)]
    fn sum_of_products<O: Order, const N: usize>(given: [[&Self; 2]; N]) -> Self {
        let mut factors = [[&given[0][0].0; 2]; N];
        for (factors, [a, b]) in factors.iter_mut().zip(given) {
            *factors = [&a.0, &b.0];
        }
        Products::<_, O, N, false>::sum(factors, &[W::all(0); COUNT])
    }

    #[inline(always)]
    fn multiple_of_p(lowest: W) -> W {
        W::all(0).plus_low(lowest, W::all(const { super::inverse::<Self>() }))
    }

    #[inline(always)]
    fn reduced(&self) -> Self {
        // The quotient by p from limb 7 and what limb 6 carries into it. The lower limbs, below 2^10 times the mask,
        // could carry less than 2^10 into limb 6, and so at most 1 on. It is never too large, and the rest is below
        // (1 + 2^-15)·p.
        let mut limbs = self.0;
        let top = limbs[7].plus(limbs[6].right::<BITS>());
        let quotient = W::all(0).plus_high(top, W::all(RECIPROCAL));
        // The rest modulo 2^416: the quotient times 2^416 − p is added. Each limb stays below 2^63.
        for i in 0..COUNT {
            limbs[i] = limbs[i].plus_low(quotient, W::all(MINUS_P[i]));
        }
        for i in 1..COUNT {
            limbs[i] = limbs[i].plus_high(quotient, W::all(MINUS_P[i - 1]));
        }
        Limbs52(carried(limbs)).masked()
    }
}

/// Adds to each limb the bits above bit 52 of the one before, which stay there.
#[inline(always)]
fn carried<W: Words52>(mut limbs: Limbs<W>) -> Limbs<W> {
    for i in 1..COUNT {
        limbs[i] = limbs[i].plus(limbs[i - 1].right::<BITS>());
    }
    limbs
}

/// Returns a² / 2^416 + more.
#[inline(always)]
fn square_plus<W: Words52>(a: &Limbs<W>, more: &Limbs<W>) -> Limbs<W> {
    let mut sums = [W::all(0); 2 * COUNT];
    half_row::<W, 0>(&mut sums, a);
    half_row::<W, 1>(&mut sums, a);
    half_row::<W, 2>(&mut sums, a);
    half_row::<W, 3>(&mut sums, a);
    half_row::<W, 4>(&mut sums, a);
    half_row::<W, 5>(&mut sums, a);
    half_row::<W, 6>(&mut sums, a);
    for i in 0..COUNT {
        let (even, odd) = (sums[2 * i], sums[2 * i + 1]);
        sums[2 * i] = even.plus(even).plus_low(a[i], a[i]);
        sums[2 * i + 1] = odd.plus(odd).plus_high(a[i], a[i]);
    }
    let mut folded = above(more);
    fold::<W, 0>(&mut sums, &mut folded);
    fold::<W, 1>(&mut sums, &mut folded);
    fold::<W, 2>(&mut sums, &mut folded);
    fold::<W, 3>(&mut sums, &mut folded);
    fold::<W, 4>(&mut sums, &mut folded);
    fold::<W, 5>(&mut sums, &mut folded);
    fold::<W, 6>(&mut sums, &mut folded);
    reduce(&sums, folded)
}

/// Returns the sum of products / 2^416, plus `more`, not carried.
#[inline(always)]
fn sum_of_products<W: Words52, O: Order, const N: usize>(
    factors: [[&Limbs<W>; 2]; N],
    more: &Limbs<W>,
) -> Limbs<W> {
    let mut sums = [W::all(0); 2 * COUNT];
    let mut folded = above(more);
    rows::<W, O, 0, N>(&mut sums, &factors);
    rows::<W, O, 1, N>(&mut sums, &factors);
    fold::<W, 0>(&mut sums, &mut folded);
    rows::<W, O, 2, N>(&mut sums, &factors);
    fold::<W, 1>(&mut sums, &mut folded);
    rows::<W, O, 3, N>(&mut sums, &factors);
    fold::<W, 2>(&mut sums, &mut folded);
    rows::<W, O, 4, N>(&mut sums, &factors);
    fold::<W, 3>(&mut sums, &mut folded);
    rows::<W, O, 5, N>(&mut sums, &factors);
    fold::<W, 4>(&mut sums, &mut folded);
    rows::<W, O, 6, N>(&mut sums, &factors);
    fold::<W, 5>(&mut sums, &mut folded);
    rows::<W, O, 7, N>(&mut sums, &factors);
    fold::<W, 6>(&mut sums, &mut folded);
    reduce(&sums, folded)
}

/// Returns the columns from 7 on to which limbs are folded, with `more` in those of the result.
#[inline(always)]
fn above<W: Words52>(more: &Limbs<W>) -> [W; COUNT + 1] {
    let mut folded = [W::all(0); COUNT + 1];
    folded[1..].copy_from_slice(more);
    folded
}

/// Adds row I of each product, a · b[I]: the lower halves to the columns from I on, the upper ones from the next on.
#[inline(always)]
fn rows<W: Words52, O: Order, const I: usize, const N: usize>(
    sums: &mut [W; 2 * COUNT],
    factors: &[[&Limbs<W>; 2]; N],
) {
    for (i, [a, b]) in factors.iter().enumerate() {
        let limb = O::ordered(&b[I], i);
        // The two halves of one column stand eight instructions apart, which are the four cycles that one of them
        // takes.
        for j in 0..COUNT {
            sums[I + j] = sums[I + j].plus_low(a[j], limb);
        }
        for j in 0..COUNT {
            sums[I + j + 1] = sums[I + j + 1].plus_high(a[j], limb);
        }
    }
}

/// Adds row I of a square above its diagonal.
#[inline(always)]
fn half_row<W: Words52, const I: usize>(sums: &mut [W; 2 * COUNT], a: &Limbs<W>) {
    for j in I + 1..COUNT {
        sums[I + j] = sums[I + j].plus_low(a[I], a[j]);
    }
    for j in I + 1..COUNT {
        sums[I + j + 1] = sums[I + j + 1].plus_high(a[I], a[j]);
    }
}

/// Eliminates limb I of the low half: carries it, and adds its low 52 bits times 2^(52·(I − 7)) modulo p to `folded`,
/// whose first column is 7.
#[inline(always)]
fn fold<W: Words52, const I: usize>(sums: &mut [W; 2 * COUNT], folded: &mut [W; COUNT + 1]) {
    let limb = sums[I];
    sums[I + 1] = sums[I + 1].plus(limb.right::<BITS>());
    for j in 0..COUNT {
        folded[j] = folded[j].plus_low(limb, W::all(FOLDS[I][j]));
    }
    for j in 0..COUNT {
        folded[j + 1] = folded[j + 1].plus_high(limb, W::all(FOLDS[I][j]));
    }
}

/// Returns the upper half of the sums after a multiple of p makes column 7 zero (a step of Montgomery's reduction).
///
/// For products of T below 2^35·p² in all: in units of 2^364 the seven low limbs became less than 7·2^52·p, and the
/// last step adds less than 2^52·p. So the result is less than T / 2^416 + 8p, and T / 2^416 is less than p.
#[inline(always)]
fn reduce<W: Words52>(sums: &[W; 2 * COUNT], folded: [W; COUNT + 1]) -> Limbs<W> {
    let mut upper = folded;
    for (upper, sum) in upper.iter_mut().zip(&sums[7..]) {
        *upper = sum.plus(*upper);
    }
    let low = upper[0];
    let factor = W::all(0).plus_low(low, W::all(MINUS_INVERSE));
    // Its low 52 bits and those of factor · p add up to 2^52, or to 0 where they are 0. So the carry needs no product.
    upper[1] = upper[1].plus(low.plus(W::all(MASK)).right::<BITS>());
    for j in 1..COUNT {
        upper[j] = upper[j].plus_low(factor, W::all(P_LIMBS[j]));
    }
    for j in 0..COUNT {
        upper[j + 1] = upper[j + 1].plus_high(factor, W::all(P_LIMBS[j]));
    }
    let mut limbs = [upper[1]; COUNT];
    limbs.copy_from_slice(&upper[1..]);
    limbs
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::Fq;
    use ark_ff::Field;

    use super::*;
    use crate::lanes::fp::tests::{agrees_with_arkworks, integer};

    #[test]
    fn elements_of_the_model_agree_with_arkworks() {
        agrees_with_arkworks::<Limbs52<[u64; 4]>>();
        agrees_with_arkworks::<Limbs52<[u64; 8]>>();
    }

    #[test]
    fn constants_have_their_documented_values() {
        for (i, fold) in FOLDS.iter().enumerate() {
            let exponent = [52 * (7 - i as u64)];
            assert_eq!(integer::<Limbs52<[u64; 4]>>(fold) * Fq::from(2u64).pow(exponent), Fq::from(1));
        }
        // p·q ≤ 2^416 < p·(q + 1), in floating point with 53 bits, which q has not.
        let exact = 2f64.powi(52) / (P_LIMBS[7] as f64 + P_LIMBS[6] as f64 / 2f64.powi(52));
        assert!((RECIPROCAL as f64 - exact).abs() < 1.0, "{RECIPROCAL} {exact}");
    }
}
