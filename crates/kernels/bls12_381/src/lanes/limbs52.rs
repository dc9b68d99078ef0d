//! Five limbs of 52 bits, for instruction sets that multiply integers of 52 bits and add either half of the product.
//!
//! A column of forty halves of products fits into a word of 64 bits without a carry; five limbs have 260 bits, five
//! more than r. Factors are carried first, because only the low 52 bits of a limb are multiplied.

pub(crate) use parcrypt_simd::Words52;

use super::combination::TERMS;
use super::fr::{Constant, Limbs, carry, minus_modulus, modulus};
use crate::Fr;

/// Number of limbs.
const COUNT: usize = 5;
/// Bits of a limb.
const BITS: i32 = 52;
const MASK: u64 = (1 << BITS) - 1;

/// r and 2^260 − r.
const MODULUS: Constant = modulus::<Limbs52<[u64; 4]>>();
const MINUS_MODULUS: Constant = minus_modulus::<Limbs52<[u64; 4]>>();

/// −1 / r modulo 2^52: the lowest limb of a sum times this is the digit that makes it 0. The lowest 64 bits of r are 1
/// − 2^32.
const MINUS_INVERSE: u64 = (1 << BITS) - (1 << 32) - 1;

/// Bits of a quotient's estimate below its upper half, and 2^92 divided by the highest limb of r plus 1.
pub(super) const QUOTIENT_BITS: i32 = 40;
pub(super) const RECIPROCAL: u64 = ((1 << (BITS + QUOTIENT_BITS)) / (MODULUS[COUNT - 1] as u128 + 1)) as u64;

/// Limbs of 52 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limbs52<W>([W; COUNT]);

/// The columns of a product.
type Columns<W> = [W; 2 * COUNT];

impl<W: Words52> Limbs for Limbs52<W> {
    type Word = W;
    const COUNT: usize = COUNT;
    const BITS: u32 = BITS.cast_unsigned();
    const MAX: u64 = 35;

    #[inline(always)]
    fn each(limb: impl Fn(usize) -> W) -> Self {
        Limbs52([limb(0), limb(1), limb(2), limb(3), limb(4)])
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
        Limbs52([
            a.and(mask),
            a.right::<52>().or(b.left::<12>()).and(mask),
            b.right::<40>().or(c.left::<24>()).and(mask),
            c.right::<28>().or(d.left::<36>()).and(mask),
            d.right::<16>(),
        ])
    }

    #[inline(always)]
    fn from_shifted_words([a, b, c, d]: [W; 4]) -> Self {
        let mask = W::all(MASK);
        Limbs52([
            a.left::<4>().and(mask),
            a.right::<48>().or(b.left::<16>()).and(mask),
            b.right::<36>().or(c.left::<28>()).and(mask),
            c.right::<24>().or(d.left::<40>()).and(mask),
            d.right::<12>(),
        ])
    }

    #[inline(always)]
    fn to_words(self) -> [W; 4] {
        let [a, b, c, d, e] = self.0;
        [
            a.or(b.left::<52>()),
            b.right::<12>().or(c.left::<40>()),
            c.right::<24>().or(d.left::<28>()),
            d.right::<36>().or(e.left::<16>()),
        ]
    }

    #[inline(always)]
    fn product<const L: u64, const L2: u64>(a: &Self, b: &Self, more: &Self) -> Self {
        let (a, b) = (factor::<W, L>(a), factor::<W, L2>(b));
        let mut columns = [W::all(0); 2 * COUNT];
        for i in 0..COUNT {
            for j in 0..COUNT {
                columns[i + j] = columns[i + j].plus_low(a[i], b[j]);
                columns[i + j + 1] = columns[i + j + 1].plus_high(a[i], b[j]);
            }
        }
        for i in 0..COUNT {
            columns[COUNT + i] = columns[COUNT + i].plus(more.0[i]);
        }
        reduced(columns)
    }

    #[inline(always)]
    fn square(a: &Self) -> Self {
        let (a, mut columns) = (&a.0, [W::all(0); 2 * COUNT]);
        for i in 0..COUNT {
            for j in i + 1..COUNT {
                columns[i + j] = columns[i + j].plus_low(a[i], a[j]);
                columns[i + j + 1] = columns[i + j + 1].plus_high(a[i], a[j]);
            }
        }
        for i in 0..COUNT {
            let (even, odd) = (columns[2 * i], columns[2 * i + 1]);
            columns[2 * i] = even.plus(even).plus_low(a[i], a[i]);
            columns[2 * i + 1] = odd.plus(odd).plus_high(a[i], a[i]);
        }
        reduced(columns)
    }

    #[inline(always)]
    fn dot(a: &[Self], b: &[Fr]) -> Self {
        debug_assert!(a.len() == b.len() && a.len() <= TERMS);
        // A column has at most ten halves of each product, of 52 bits, and ten of the reduction: less than 2^62 for 64
        // terms. Their sum is below 64·r², and 2^260 is above 35·r: so the result is below (64/35 + 1)·r.
        let mut columns = [W::all(0); 2 * COUNT];
        for (a, b) in a.iter().zip(b) {
            let b = Self::from_words(b.words().map(W::all));
            for i in 0..COUNT {
                for j in 0..COUNT {
                    columns[i + j] = columns[i + j].plus_low(a.0[i], b.0[j]);
                    columns[i + j + 1] = columns[i + j + 1].plus_high(a.0[i], b.0[j]);
                }
            }
        }
        reduced(columns)
    }

    #[inline(always)]
    fn reduced(&self) -> Self {
        // The estimate of the quotient by r is exact or 1 less: the carries that the highest limb lacks, up to 7, and
        // the factor of r, up to 32, are small against the highest limb of r, of 47 bits.
        let high = self.0[COUNT - 1];
        let quotient = W::all(0).plus_high(high, W::all(RECIPROCAL)).right::<QUOTIENT_BITS>();
        let mut limbs = self.0;
        for i in 0..COUNT {
            limbs[i] = limbs[i].plus_low(quotient, W::all(MINUS_MODULUS[i]));
        }
        for i in 1..COUNT {
            limbs[i] = limbs[i].plus_high(quotient, W::all(MINUS_MODULUS[i - 1]));
        }
        carry::<Self>(&mut limbs);
        // Modulo 2^260.
        limbs[COUNT - 1] = limbs[COUNT - 1].and(W::all(MASK));
        Limbs52(limbs)
    }
}

/// Returns limbs up to L·MASK of a factor, with the bits above those that are multiplied added to the next limb.
#[inline(always)]
fn factor<W: Words52, const L: u64>(a: &Limbs52<W>) -> [W; COUNT] {
    let mut limbs = a.0;
    if L > 1 {
        for i in 1..COUNT {
            limbs[i] = limbs[i].plus(limbs[i - 1].right::<BITS>());
        }
    }
    limbs
}

/// Returns the sum of columns divided by 2^260 modulo r, in limbs up to MASK (Montgomery's reduction).
#[inline(always)]
fn reduced<W: Words52>(mut columns: Columns<W>) -> Limbs52<W> {
    for i in 0..COUNT {
        let digit = W::all(0).plus_low(columns[i], W::all(MINUS_INVERSE));
        // With the low half of its product with the lowest limb of r the column becomes a multiple of 2^52, the next
        // one from it on.
        let carry = columns[i].plus(W::all(MASK)).right::<BITS>();
        columns[i + 1] = columns[i + 1].plus(carry);
        for j in 1..COUNT {
            columns[i + j] = columns[i + j].plus_low(digit, W::all(MODULUS[j]));
        }
        for j in 0..COUNT {
            columns[i + j + 1] = columns[i + j + 1].plus_high(digit, W::all(MODULUS[j]));
        }
    }
    let [_, _, _, _, _, a, b, c, d, e] = columns;
    let mut limbs = [a, b, c, d, e];
    carry::<Limbs52<W>>(&mut limbs);
    Limbs52(limbs)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::lanes::fr::tests::agrees_with_fr;

    #[test]
    fn elements_of_the_model_are_right() {
        agrees_with_fr::<Limbs52<[u64; 4]>>();
    }

    #[test]
    fn the_digit_makes_the_lowest_limb_zero() {
        assert_eq!(MODULUS[0].wrapping_mul(MINUS_INVERSE) & MASK, MASK);
    }
}
