//! Constants of the arithmetic with 52-bit limbs, computed from p at compile time.

use crate::constants::P as MODULUS;
use crate::field::fp::{Words, power_of_two};
use crate::field::limbs;

/// Bits of a limb.
pub(super) const BITS: u32 = 52;

/// Mask of a limb.
pub(super) const MASK: u64 = (1 << BITS) - 1;

/// Limbs of an element.
pub(super) const LIMBS: usize = 8;

/// p.
pub(super) const P: [u64; LIMBS] = limbs(&MODULUS);

/// 2^416 − p.
pub(super) const MINUS_P: [u64; LIMBS] = limbs::complement(&P, LIMBS, BITS);

/// 1 / p modulo 2^52.
pub(super) const INVERSE_OF_P: u64 = limbs::inverse(MODULUS[0]) & MASK;

/// −1 / p modulo 2^52.
pub(super) const MINUS_INVERSE_OF_P: u64 = MASK + 1 - INVERSE_OF_P;

/// 2^416 / p, rounded down: the numerator over the upper 69 bits of p plus 1.
pub(super) const RECIPROCAL: u64 = {
    let upper = (MODULUS[5] as u128) << 8 | (MODULUS[4] >> 56) as u128;
    ((1u128 << 104) / (upper + 1)) as u64
};

/// 2^(52·(i − 7)) modulo p, for limb i below 7 of a product.
pub(super) const FOLDS: [[u64; LIMBS]; 7] = {
    let mut folds = [[0; LIMBS]; 7];
    let mut i = 0;
    while i < 7 {
        folds[i] = limbs(&power_of_two(BITS as i32 * (i as i32 - 7)));
        i += 1;
    }
    folds
};

/// Returns (k + 1)·p, of which limbs up to l·(2^52 − 1) of what is at most k·p are subtracted without a borrow.
pub(super) const fn above(l: u64, k: u64) -> [u64; LIMBS] {
    limbs::above(&P, LIMBS, BITS, l, k)
}

/// Returns the limbs of an element.
pub(super) const fn limbs(words: &Words) -> [u64; LIMBS] {
    limbs::split(words, LIMBS, BITS)
}
