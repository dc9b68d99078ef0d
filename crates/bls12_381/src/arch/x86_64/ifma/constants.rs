//! Constants of the arithmetic with 52-bit limbs, computed from p at compile time.

use crate::constants::P as MODULUS;
use crate::field::fp::Words;

/// Bits of a limb.
pub(super) const BITS: u32 = 52;

/// Mask of a limb.
pub(super) const MASK: u64 = (1 << BITS) - 1;

/// Limbs of an element.
pub(super) const LIMBS: usize = 8;

/// p.
pub(super) const P: [u64; LIMBS] = limbs(&MODULUS);

/// 2^416 − p.
pub(super) const MINUS_P: [u64; LIMBS] = {
    let mut minus = [0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        // The lowest limb of p is not 0, so the complement of the others takes the borrow.
        minus[i] = (if i == 0 { MASK + 1 } else { MASK }) - P[i];
        i += 1;
    }
    minus
};

/// 1 / p modulo 2^52.
pub(super) const INVERSE_OF_P: u64 = {
    let p = MODULUS[0];
    // p·p is 1 modulo 8, and each step doubles the number of bits (Newton).
    let mut inverse = p;
    let mut bits = 3;
    while bits < BITS {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse & MASK
};

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

/// Returns (b + 1)·p in limbs that are each, but for the last, from b·(2^52 − 1) to (b + 1)·(2^52 − 1): a sum of b
/// terms is subtracted from it without a borrow.
pub(super) const fn above(b: u64) -> [u64; LIMBS] {
    above_limbs(b, b)
}

/// Returns (k + 1)·p in limbs that are each, but for the last, from b·(2^52 − 1) to (b + 1)·(2^52 − 1): what is at most
/// k·p in limbs of at most b·(2^52 − 1) is subtracted from it without a borrow.
pub(super) const fn above_limbs(b: u64, k: u64) -> [u64; LIMBS] {
    let mut above = [0; LIMBS];
    let mut carry = 0;
    let mut i = 0;
    while i < LIMBS {
        let limb = P[i] as u128 * (k as u128 + 1) + carry;
        (above[i], carry) = ((limb & MASK as u128) as u64, limb >> BITS);
        i += 1;
    }
    // b times 2^52 moves from each limb to the one below.
    i = 0;
    while i < LIMBS {
        above[i] = if i + 1 < LIMBS { above[i] + (b << BITS) } else { above[i] };
        above[i] = if i > 0 { above[i] - b } else { above[i] };
        assert!(above[i] <= (b + 1) * MASK);
        i += 1;
    }
    // The highest limb of what is subtracted is at most that of k·p.
    assert!(above[LIMBS - 1] >= P[LIMBS - 1] * k + k);
    above
}

/// Returns the limbs of an element.
pub(super) const fn limbs(words: &Words) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        let (word, bit) = (i * BITS as usize / 64, i * BITS as usize % 64);
        let high = if word < 5 { words[word + 1] } else { 0 };
        limbs[i] = (((high as u128) << 64 | words[word] as u128) >> bit) as u64 & MASK;
        i += 1;
    }
    limbs
}

/// Returns 2^`exponent` modulo p.
pub(super) const fn power_of_two(exponent: i32) -> Words {
    let mut power = [1, 0, 0, 0, 0, 0];
    let mut at = 0;
    while at < exponent {
        power = without_p(shift_left(&power));
        at += 1;
    }
    while at > exponent {
        let odd = power[0] & 1 == 1;
        power = shift_right(&if odd { plus_p(&power) } else { power });
        at -= 1;
    }
    power
}

/// Returns 2x, for x below 2^383.
const fn shift_left(x: &Words) -> Words {
    let mut out = [0; 6];
    let mut i = 0;
    while i < 6 {
        out[i] = x[i] << 1 | if i > 0 { x[i - 1] >> 63 } else { 0 };
        i += 1;
    }
    out
}

/// Returns x / 2, rounded down.
const fn shift_right(x: &Words) -> Words {
    let mut out = [0; 6];
    let mut i = 0;
    while i < 6 {
        out[i] = x[i] >> 1 | if i < 5 { x[i + 1] << 63 } else { 0 };
        i += 1;
    }
    out
}

/// Returns x + p, for x below p.
const fn plus_p(x: &Words) -> Words {
    let mut out = [0; 6];
    let mut carry = 0;
    let mut i = 0;
    while i < 6 {
        let sum = x[i] as u128 + MODULUS[i] as u128 + carry;
        (out[i], carry) = (sum as u64, sum >> 64);
        i += 1;
    }
    out
}

/// Returns x modulo p, for x below 2p.
const fn without_p(x: Words) -> Words {
    let mut out = [0; 6];
    let mut borrow = false;
    let mut i = 0;
    while i < 6 {
        let (difference, less) = x[i].overflowing_sub(MODULUS[i]);
        let (difference, still) = difference.overflowing_sub(borrow as u64);
        (out[i], borrow) = (difference, less || still);
        i += 1;
    }
    if borrow { x } else { out }
}
