//! The base field of BLS12-381, of 381 bits: what the groups share and blst's operators leave out.
#![allow(unsafe_code, reason = "wraps blst")]

use blst::{blst_fp, blst_fp_cneg};

/// p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab, in words,
/// least significant first.
pub(crate) const MODULUS: [u64; 6] = [
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
