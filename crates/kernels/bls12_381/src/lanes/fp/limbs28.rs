//! Fourteen limbs of 28 bits, for instruction sets that multiply integers of 32 bits.
//!
//! Products of limbs have 56 bits, so that a column of 17 products of elements, with the digits of the reduction, fits
//! into 64 bits; 392 bits are eleven more than p. Elements in memory are in the form of blst, times 2^384: the eight
//! bits between are few enough to be shifted.

use std::hint::black_box;
use std::marker::PhantomData;

use parcrypt_simd::Call;

use super::{Canonical, Constant, FpLimbs, Order, carried, minus_inverse, p};
use crate::lanes::Words;

/// Limbs of an element.
pub(crate) const COUNT: usize = 14;
/// Bits of a limb.
pub(crate) const BITS: i32 = 28;
pub(crate) const MASK: u64 = (1 << BITS) - 1;

/// p and −1/p modulo 2^28.
pub(crate) const P_LIMBS: Constant = p::<Limbs28<[u64; 4]>>();
pub(crate) const MINUS_INVERSE: u64 = minus_inverse::<Limbs28<[u64; 4]>>();

/// 2^−28 modulo p, in limbs.
pub(crate) const OVER_BASE: [u64; COUNT] = {
    // (m·p + 1) / 2^28, where m is −1/p modulo 2^28.
    let (mut over, mut i, mut carry) = ([0; COUNT], 0, 1);
    while i <= COUNT {
        let column = carry + if i < COUNT { P_LIMBS[i] * MINUS_INVERSE } else { 0 };
        if i > 0 {
            over[i - 1] = column & MASK;
        }
        carry = column >> BITS;
        i += 1;
    }
    over
};

/// Columns have room for this many products of limbs of 28 bits for each limb, and the digits of the reduction.
pub(crate) const MAX_PRODUCTS: u64 = 17;
const _: () = assert!(COUNT as u64 * (MAX_PRODUCTS + 1) < 1 << (64 - 2 * BITS));

/// 2^392 / p, rounded down: a sum of products of factors below A·p and B·p is below 3.01·p after its reduction if the
/// sum of A·B is at most this.
pub(crate) const R_OVER_P: u64 = 2520;

/// The limbs of numbers, one in each lane.
pub(crate) type Limbs<W> = [W; COUNT];

/// Vectors with the steps of a product.
pub(crate) trait Words28: Words {
    /// Adds products by one vector.
    #[inline(always)]
    fn add_products(sums: &mut Limbs<Self>, limbs: &Limbs<Self>, factor: Self) {
        for i in 0..COUNT {
            sums[i] = sums[i].plus(limbs[i].times_low(factor));
        }
    }

    /// Divides by 2^28 modulo p: the low 28 bits of the lowest sum are multiplied by [`OVER_BASE`], and the others move
    /// down. That needs no quotient, but the value is less than the sums / 2^28 + 2^28·p only.
    #[inline(always)]
    fn shift(sums: &mut Limbs<Self>) {
        let (digit, carry) = (sums[0].and(Self::all(MASK)), sums[0].right::<BITS>());
        for i in 0..COUNT - 1 {
            sums[i] = sums[i + 1].plus(digit.times_low(Self::all(OVER_BASE[i])));
        }
        sums[COUNT - 1] = digit.times_low(Self::all(OVER_BASE[COUNT - 1]));
        sums[0] = sums[0].plus(carry);
    }

    /// Returns what [`product`] does, by a function that is not inlined.
    #[inline(always)]
    fn product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        Self::outlined(Product { a, b })
    }

    /// Returns the product of limbs up to 4·MASK with themselves.
    #[inline(always)]
    fn square(a: &Limbs<Self>) -> Limbs<Self> {
        Self::product(a, a)
    }

    /// Returns what [`sum_of_products`] does, by a function that is not inlined.
    #[inline(always)]
    fn sum_of_products<O: Order, const N: usize>(factors: [[&Limbs<Self>; 2]; N]) -> Limbs<Self> {
        Self::outlined(SumOfProducts::<_, O, N>(factors, PhantomData))
    }
}

/// The call of [`product`].
struct Product<'a, W> {
    a: &'a Limbs<W>,
    b: &'a Limbs<W>,
}

impl<W: Words28> Call for Product<'_, W> {
    type Result = Limbs<W>;

    #[inline(always)]
    fn call(self) -> Limbs<W> {
        product(self.a, self.b)
    }
}

/// The call of [`sum_of_products`].
struct SumOfProducts<'a, W, O, const N: usize>([[&'a Limbs<W>; 2]; N], PhantomData<O>);

impl<W: Words28, O: Order, const N: usize> Call for SumOfProducts<'_, W, O, N> {
    type Result = Limbs<W>;

    #[inline(always)]
    fn call(self) -> Limbs<W> {
        sum_of_products::<W, O, N>(self.0)
    }
}

/// The model of the others.
impl<const N: usize> Words28 for [u64; N] {}

/// Limbs of 28 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limbs28<W>(pub(crate) Limbs<W>);

impl<W: Words28> FpLimbs for Limbs28<W> {
    type Word = W;
    const COUNT: usize = COUNT;
    const BITS: u32 = BITS.cast_unsigned();
    const FORM: i32 = 384;
    const LIMB: u64 = 1;
    const VALUE: u64 = 4;
    const MAX_LIMBS: u64 = MAX_PRODUCTS;
    const MAX_LIMB: u64 = 15;
    const MAX_VALUES: u64 = R_OVER_P / (Self::VALUE * Self::VALUE);
    const MAX_REDUCED: u64 = 100;

    // Closures that `map` and `from_fn` of arrays call are not always inlined into functions of an instruction set.
    #[inline(always)]
    fn each(limb: impl Fn(usize) -> W) -> Self {
        let mut limbs = [W::all(0); COUNT];
        for (i, out) in limbs.iter_mut().enumerate() {
            *out = limb(i);
        }
        Limbs28(limbs)
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
        Limbs28([
            a.and(mask),
            a.right::<28>().and(mask),
            a.right::<56>().or(b.left::<8>()).and(mask),
            b.right::<20>().and(mask),
            b.right::<48>().or(c.left::<16>()).and(mask),
            c.right::<12>().and(mask),
            c.right::<40>().or(d.left::<24>()).and(mask),
            d.right::<4>().and(mask),
            d.right::<32>().and(mask),
            d.right::<60>().or(e.left::<4>()).and(mask),
            e.right::<24>().and(mask),
            e.right::<52>().or(f.left::<12>()).and(mask),
            f.right::<16>().and(mask),
            f.right::<44>(),
        ])
    }

    #[inline(always)]
    fn to_words(&self) -> [W; 6] {
        let l = &self.0;
        [
            l[0].or(l[1].left::<28>()).or(l[2].left::<56>()),
            l[2].right::<8>().or(l[3].left::<20>()).or(l[4].left::<48>()),
            l[4].right::<16>().or(l[5].left::<12>()).or(l[6].left::<40>()),
            l[6].right::<24>().or(l[7].left::<4>()).or(l[8].left::<32>()).or(l[9].left::<60>()),
            l[9].right::<4>().or(l[10].left::<24>()).or(l[11].left::<52>()),
            l[11].right::<12>().or(l[12].left::<16>()).or(l[13].left::<44>()),
        ]
    }

    #[inline(always)]
    fn product(a: &Self, b: &Self) -> Self {
        Limbs28(W::product(&a.0, &b.0))
    }

    #[inline(always)]
    fn product_in_form(a: &Self, b: &Self, more: &Self) -> Self {
        let product = W::product(&a.0, &b.0);
        Self::each(|i| product[i].left::<4>().plus(more.0[i]))
    }

    #[inline(always)]
    fn square(a: &Self) -> Self {
        Limbs28(W::square(&a.0))
    }

    #[inline(always)]
    fn canonical(&self) -> Self {
        W::outlined(Canonical(self))
    }

    #[inline(always)]
    fn sum_of_products<O: Order, const N: usize>(given: [[&Self; 2]; N]) -> Self {
        let mut factors = [[&given[0][0].0; 2]; N];
        for (factors, [a, b]) in factors.iter_mut().zip(given) {
            *factors = [&a.0, &b.0];
        }
        Limbs28(W::sum_of_products::<O, N>(factors))
    }
}

/// Returns the products, lane by lane, divided by 2^392, in limbs of 28 bits.
#[inline(always)]
pub(crate) fn product<W: Words28>(a: &Limbs<W>, b: &Limbs<W>) -> Limbs<W> {
    let mut sums = [W::all(0); COUNT];
    for limb in &b[..COUNT - 1] {
        W::add_products(&mut sums, a, *limb);
        W::shift(&mut sums);
    }
    W::add_products(&mut sums, a, b[COUNT - 1]);
    last_shift(&mut sums);
    carried(&Limbs28(sums)).0
}

/// Returns the sum of products, lane by lane, divided by 2^392, in limbs of 28 bits.
#[inline(always)]
fn sum_of_products<W: Words28, O: Order, const N: usize>(factors: [[&Limbs<W>; 2]; N]) -> Limbs<W> {
    let mut sums = [W::all(0); COUNT];
    // A loop that is unrolled would fill half of an instruction cache.
    for limb in 0..black_box(COUNT) {
        if limb > 0 {
            W::shift(&mut sums);
        }
        for (i, [a, b]) in factors.iter().enumerate() {
            W::add_products(&mut sums, a, O::ordered(&b[limb], i));
        }
    }
    last_shift(&mut sums);
    carried(&Limbs28(sums)).0
}

/// Adds the multiple of p that makes the lowest bits zero, and divides by 2^28 (a step of Montgomery's reduction).
///
/// After thirteen steps by [`Words28::shift`] the value is less than the product / 2^364 + (2^28 + 2)·p, and now it is
/// less than the product / 2^392 + 2.01·p.
#[inline(always)]
pub(crate) fn last_shift<W: Words28>(sums: &mut Limbs<W>) {
    let digit = sums[0].times_low(W::all(MINUS_INVERSE)).and(W::all(MASK));
    let carry = sums[0].plus(digit.times_low(W::all(P_LIMBS[0]))).right::<BITS>();
    for i in 0..COUNT - 1 {
        sums[i] = sums[i + 1].plus(digit.times_low(W::all(P_LIMBS[i + 1])));
    }
    sums[COUNT - 1] = W::all(0);
    sums[0] = sums[0].plus(carry);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::P;
    use crate::lanes::fp::tests::{agrees_with_arkworks, integer};

    #[test]
    fn elements_of_the_model_agree_with_arkworks() {
        agrees_with_arkworks::<Limbs28<[u64; 4]>>();
        agrees_with_arkworks::<Limbs28<[u64; 8]>>();
    }

    #[test]
    fn constants_have_their_documented_values() {
        assert_eq!((P[0].wrapping_mul(MINUS_INVERSE) + 1) & MASK, 0);
        let over_base = integer::<Limbs28<[u64; 4]>>(&OVER_BASE);
        assert_eq!(over_base * ark_bls12_381::Fq::from(1 << BITS), ark_bls12_381::Fq::from(1));
    }
}
