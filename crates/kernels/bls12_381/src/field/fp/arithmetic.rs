//! Arithmetic in words, inlined.

use super::Words;
use crate::constants::P;
use crate::ffi;

/// 1 in the Montgomery form of blst.
pub(crate) const ONE: Words = power_of_two(384);

/// Returns whether a is 0.
#[inline(always)]
pub(crate) fn is_zero(a: &Words) -> bool {
    a.iter().fold(0, |any, word| any | word) == 0
}

/// Returns a + b.
#[inline(always)]
pub(crate) fn add(a: &Words, b: &Words) -> Words {
    // Below 2p, which needs 382 bits.
    let (sum, carry) = add_words(a, b);
    debug_assert!(!carry);
    let (reduced, below) = sub_words(&sum, &P);
    if below { sum } else { reduced }
}

/// Returns a − b.
#[inline(always)]
pub(crate) fn sub(a: &Words, b: &Words) -> Words {
    let (difference, below) = sub_words(a, b);
    let mask = u64::from(below).wrapping_neg();
    add_words(&difference, &P.map(|word| word & mask)).0
}

/// Returns −a.
#[inline(always)]
pub(crate) fn neg(a: &Words) -> Words {
    sub(&[0; 6], a)
}

/// Returns a · b.
pub(crate) fn product(a: &Words, b: &Words) -> Words {
    let mut product = [0; 6];
    ffi::fp_mul(&mut product, a, b);
    product
}

/// Returns 1 / a.
fn inverse(a: &Words) -> Words {
    let mut inverse = [0; 6];
    ffi::fp_inverse(&mut inverse, a);
    inverse
}

/// Inverts elements in the Montgomery form of blst, none of which is 0, with one inversion.
pub(crate) fn invert_all(all: &mut [Words]) {
    crate::field::invert_all(all, product, inverse);
}

/// Returns 2^`exponent` modulo p.
pub(crate) const fn power_of_two(exponent: i32) -> Words {
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
        let sum = x[i] as u128 + P[i] as u128 + carry;
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
        let (difference, less) = x[i].overflowing_sub(P[i]);
        let (difference, still) = difference.overflowing_sub(borrow as u64);
        (out[i], borrow) = (difference, less || still);
        i += 1;
    }
    if borrow { x } else { out }
}

/// Returns a + b modulo 2^384, and the carry.
#[inline(always)]
fn add_words(a: &Words, b: &Words) -> (Words, bool) {
    let (mut sum, mut carry) = ([0; 6], false);
    for i in 0..6 {
        carry = carrying::add(carry, a[i], b[i], &mut sum[i]);
    }
    (sum, carry)
}

/// Returns a − b modulo 2^384, and the borrow.
#[inline(always)]
fn sub_words(a: &Words, b: &Words) -> (Words, bool) {
    let (mut difference, mut borrow) = ([0; 6], false);
    for i in 0..6 {
        borrow = carrying::sub(borrow, a[i], b[i], &mut difference[i]);
    }
    (difference, borrow)
}

/// Words of a sum or difference, with carry. The intrinsics become chains of `adc` and `sbb`; the portable form, as of
/// LLVM 20, keeps each carry in a register of its own and takes twice the time.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, unused_unsafe, reason = "the intrinsics are safe from Rust 1.92 on")]
mod carrying {
    use std::arch::x86_64::{_addcarry_u64, _subborrow_u64};

    #[inline(always)]
    pub(super) fn add(carry: bool, a: u64, b: u64, sum: &mut u64) -> bool {
        // SAFETY: every x86-64 processor has it.
        unsafe { _addcarry_u64(carry.into(), a, b, sum) != 0 }
    }

    #[inline(always)]
    pub(super) fn sub(borrow: bool, a: u64, b: u64, difference: &mut u64) -> bool {
        // SAFETY: every x86-64 processor has it.
        unsafe { _subborrow_u64(borrow.into(), a, b, difference) != 0 }
    }
}

/// Words of a sum or difference, with carry.
#[cfg(not(target_arch = "x86_64"))]
mod carrying {
    #[inline(always)]
    pub(super) fn add(carry: bool, a: u64, b: u64, sum: &mut u64) -> bool {
        let (partial, first) = a.overflowing_add(b);
        let second;
        (*sum, second) = partial.overflowing_add(carry.into());
        first | second
    }

    #[inline(always)]
    pub(super) fn sub(borrow: bool, a: u64, b: u64, difference: &mut u64) -> bool {
        let (partial, first) = a.overflowing_sub(b);
        let second;
        (*difference, second) = partial.overflowing_sub(borrow.into());
        first | second
    }
}
