//! The base field of BLS12-381, of 381 bits: what the groups share and blst's operators leave out.
#![allow(unsafe_code, reason = "wraps blst")]

use blst::{blst_fp, blst_fp_cneg};

/// An element as six words, least significant first, below p; in which Montgomery form, its holder knows. Sums,
/// differences and zero are the same in all of them.
pub(crate) type Words = [u64; 6];

/// p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab, in words,
/// least significant first.
pub(crate) const MODULUS: Words = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

/// The element whose Montgomery form these 48 bytes are, least significant first; `None` for p and above.
pub(crate) fn from_raw(bytes: &[u8]) -> Option<blst_fp> {
    debug_assert_eq!(bytes.len(), 48);
    let mut element = blst_fp::default();
    for (word, bytes) in element.l.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    element.l.iter().rev().lt(MODULUS.iter().rev()).then_some(element)
}

/// x → −x.
pub(crate) fn negate(x: &mut blst_fp) {
    // SAFETY: reads one element and writes one; blst allows the output to be the input.
    unsafe { blst_fp_cneg(x, &raw const *x, true) };
}

/// a + b.
#[inline(always)]
pub(crate) fn add(a: &Words, b: &Words) -> Words {
    // Below 2p, which needs 382 bits.
    let mut sum = [0; 6];
    let mut carry = false;
    for i in 0..6 {
        (sum[i], carry) = carrying_add(a[i], b[i], carry);
    }
    debug_assert!(!carry);
    let (reduced, below) = borrowing_sub_all(&sum, &MODULUS);
    if below { sum } else { reduced }
}

/// a − b.
#[inline(always)]
pub(crate) fn sub(a: &Words, b: &Words) -> Words {
    let (mut difference, below) = borrowing_sub_all(a, b);
    let mask = u64::from(below).wrapping_neg();
    let mut carry = false;
    for i in 0..6 {
        (difference[i], carry) = carrying_add(difference[i], MODULUS[i] & mask, carry);
    }
    difference
}

/// −a.
#[inline(always)]
pub(crate) fn neg(a: &Words) -> Words {
    sub(&[0; 6], a)
}

#[inline(always)]
fn carrying_add(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, c) = a.overflowing_add(b);
    let (sum, d) = sum.overflowing_add(u64::from(carry));
    (sum, c | d)
}

/// a − b modulo 2^384, and whether a is below b.
#[inline(always)]
fn borrowing_sub_all(a: &Words, b: &Words) -> (Words, bool) {
    let mut difference = [0; 6];
    let mut borrow = false;
    for i in 0..6 {
        let (d, c) = a[i].overflowing_sub(b[i]);
        let (d, e) = d.overflowing_sub(u64::from(borrow));
        (difference[i], borrow) = (d, c | e);
    }
    (difference, borrow)
}
