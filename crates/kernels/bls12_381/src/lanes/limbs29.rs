//! Nine limbs of 29 bits, for instruction sets that multiply integers of 32 bits.
//!
//! Products of limbs have 58 bits, so that a column of eighteen fits into a word of 64 bits without a carry; nine limbs
//! have 261 bits, six more than r. r is 1 modulo 2^29, so that each digit of the reduction is the negative of the
//! lowest limb.

use parcrypt_simd::Call;

use super::Words;
use super::fr::{Constant, Limbs, MAX_COUNT, carry, minus_modulus, modulus};

/// Number of limbs.
pub(crate) const COUNT: usize = MAX_COUNT;
/// Bits of a limb.
pub(crate) const BITS: i32 = 29;
pub(crate) const MASK: u64 = (1 << BITS) - 1;

/// r and 2^261 − r.
pub(crate) const MODULUS: Constant = modulus::<Limbs29<[u64; 4]>>();
const MINUS_MODULUS: Constant = minus_modulus::<Limbs29<[u64; 4]>>();

/// Bits of a quotient's estimate from the highest limb, and 2^50 divided by the highest limb of r plus 1.
pub(super) const QUOTIENT_BITS: i32 = 50;
pub(super) const RECIPROCAL: u64 = (1 << QUOTIENT_BITS) / (MODULUS[COUNT - 1] + 1);

/// Vectors with a product of limbs of their own.
pub(crate) trait Words29: Words {
    /// Returns what [`product`] does, by a function that need not be inlined: with all of them inlined, a transform of
    /// 64 elements took twice the time.
    #[inline(always)]
    fn limbs29_product(a: &[Self; COUNT], b: &[Self; COUNT], more: &[Self; COUNT]) -> [Self; COUNT] {
        Self::called(Product { a, b, more })
    }
}

impl<const N: usize> Words29 for [u64; N] {}

/// The call of [`product`].
struct Product<'a, W> {
    a: &'a [W; COUNT],
    b: &'a [W; COUNT],
    more: &'a [W; COUNT],
}

impl<W: Words29> Call for Product<'_, W> {
    type Result = [W; COUNT];

    #[inline(always)]
    fn call(self) -> [W; COUNT] {
        product(self.a, self.b, self.more)
    }
}

/// Limbs of 29 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limbs29<W>([W; COUNT]);

impl<W: Words29> Limbs for Limbs29<W> {
    type Word = W;
    const COUNT: usize = COUNT;
    const BITS: u32 = BITS.cast_unsigned();
    const MAX: u64 = 70;

    #[inline(always)]
    fn each(limb: impl Fn(usize) -> W) -> Self {
        let mut limbs = [W::all(0); COUNT];
        for (i, out) in limbs.iter_mut().enumerate() {
            *out = limb(i);
        }
        Limbs29(limbs)
    }

    #[inline(always)]
    fn all(&self) -> &[W] {
        &self.0
    }

    #[inline(always)]
    fn all_mut(&mut self) -> &mut [W] {
        &mut self.0
    }

    #[inline(always)]
    fn above(limb: W) -> W {
        limb.right::<BITS>()
    }

    #[inline(always)]
    fn from_words([a, b, c, d]: [W; 4]) -> Self {
        let mask = W::all(MASK);
        Limbs29([
            a.and(mask),
            a.right::<29>().and(mask),
            a.right::<58>().or(b.left::<6>()).and(mask),
            b.right::<23>().and(mask),
            b.right::<52>().or(c.left::<12>()).and(mask),
            c.right::<17>().and(mask),
            c.right::<46>().or(d.left::<18>()).and(mask),
            d.right::<11>().and(mask),
            d.right::<40>(),
        ])
    }

    #[inline(always)]
    fn from_shifted_words([a, b, c, d]: [W; 4]) -> Self {
        let mask = W::all(MASK);
        Limbs29([
            a.left::<5>().and(mask),
            a.right::<24>().and(mask),
            a.right::<53>().or(b.left::<11>()).and(mask),
            b.right::<18>().and(mask),
            b.right::<47>().or(c.left::<17>()).and(mask),
            c.right::<12>().and(mask),
            c.right::<41>().or(d.left::<23>()).and(mask),
            d.right::<6>().and(mask),
            d.right::<35>(),
        ])
    }

    #[inline(always)]
    fn to_words(self) -> [W; 4] {
        let [a, b, c, d, e, f, g, h, i] = self.0;
        [
            a.or(b.left::<29>()).or(c.left::<58>()),
            c.right::<6>().or(d.left::<23>()).or(e.left::<52>()),
            e.right::<12>().or(f.left::<17>()).or(g.left::<46>()),
            g.right::<18>().or(h.left::<11>()).or(i.left::<40>()),
        ]
    }

    #[inline(always)]
    fn product<const L: u64, const L2: u64>(a: &Self, b: &Self, more: &Self) -> Self {
        // A column has at most nine products of factors and eight of the reduction, carries and a limb of `more`.
        const { assert!(L * L2 <= 6) };
        Limbs29(W::limbs29_product(&a.0, &b.0, &more.0))
    }

    #[inline(always)]
    fn square(a: &Self) -> Self {
        let (a, mut sums) = (&a.0, [W::all(0); COUNT]);
        square_row::<W, 0>(&mut sums, a);
        square_row::<W, 1>(&mut sums, a);
        square_row::<W, 2>(&mut sums, a);
        square_row::<W, 3>(&mut sums, a);
        square_row::<W, 4>(&mut sums, a);
        square_row::<W, 5>(&mut sums, a);
        square_row::<W, 6>(&mut sums, a);
        square_row::<W, 7>(&mut sums, a);
        square_row::<W, 8>(&mut sums, a);
        carry::<Self>(&mut sums);
        Limbs29(sums)
    }

    #[inline(always)]
    fn reduced(&self) -> Self {
        // The estimate of the quotient by r is exact or 1 less: the carries that the highest limb lacks, up to 7, and
        // the factor of r, up to 32, are small against the highest limb of r, of 23 bits.
        let quotient = self.0[COUNT - 1].times_low(W::all(RECIPROCAL)).right::<QUOTIENT_BITS>();
        let mut limbs = self.0;
        for (limb, minus) in limbs.iter_mut().zip(MINUS_MODULUS) {
            *limb = limb.plus(quotient.times_low(W::all(minus)));
        }
        carry::<Self>(&mut limbs);
        // Modulo 2^261.
        limbs[COUNT - 1] = limbs[COUNT - 1].and(W::all(MASK));
        Limbs29(limbs)
    }
}

/// Returns a · b / 2^261 modulo r, plus `more`, in limbs below 2^29.
#[inline(always)]
pub(crate) fn product<W: Words29>(a: &[W; COUNT], b: &[W; COUNT], more: &[W; COUNT]) -> [W; COUNT] {
    let mut sums = [W::all(0); COUNT];
    // Sums of a row and of a step of the reduction are in registers, and the loop is short.
    for factor in a {
        for j in 0..COUNT {
            sums[j] = sums[j].plus(factor.times_low(b[j]));
        }
        reduce(&mut sums);
    }
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.plus(*more);
    }
    carry::<Limbs29<W>>(&mut sums);
    sums
}

/// Adds the products of limb I with itself and, twice, with later ones; those with earlier ones are added before. Then
/// a step of the reduction.
#[inline(always)]
fn square_row<W: Words, const I: usize>(sums: &mut [W; COUNT], a: &[W; COUNT]) {
    sums[I] = sums[I].plus(a[I].times_low(a[I]));
    let twice = a[I].plus(a[I]);
    for j in I + 1..COUNT {
        sums[j] = sums[j].plus(twice.times_low(a[j]));
    }
    reduce(sums);
}

/// Adds the multiple of r that makes the low bits of the sums zero, and divides them by 2^29 (a step of Montgomery's
/// reduction).
#[inline(always)]
fn reduce<W: Words>(sums: &mut [W; COUNT]) {
    let mask = W::all(MASK);
    // The lowest limb of r is 1: the sum becomes sum + digit, a multiple of 2^29.
    let digit = W::all(0).minus(sums[0]).and(mask);
    let carry = sums[0].plus(mask).right::<BITS>();
    for j in 1..COUNT {
        sums[j - 1] = sums[j].plus(digit.times_low(W::all(MODULUS[j])));
    }
    sums[COUNT - 1] = W::all(0);
    sums[0] = sums[0].plus(carry);
}
