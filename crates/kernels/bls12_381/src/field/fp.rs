//! The base field Fp of 381 bits: encodings, and sums and differences, which blst does not inline.

#[cfg(feature = "compute")]
mod arithmetic;

use blst::blst_fp;

use crate::constants::P;
use crate::ffi;
pub(crate) use crate::ffi::Words;
#[cfg(feature = "compute")]
pub(crate) use arithmetic::*;

/// Returns the element whose Montgomery form these 48 bytes are, little-endian; `None` for p and above.
pub(crate) fn from_raw(bytes: &[u8]) -> Option<blst_fp> {
    debug_assert_eq!(bytes.len(), 48);
    let mut element = blst_fp::default();
    for (word, bytes) in element.l.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    element.l.iter().rev().lt(P.iter().rev()).then_some(element)
}

/// Returns the element whose canonical form these bytes are, big-endian; `None` for p and above.
pub(crate) fn from_bytes(bytes: &[u8; 48]) -> Option<blst_fp> {
    let mut element = blst_fp::default();
    ffi::fp_from_bendian(&mut element, bytes);
    (*bytes < P_BYTES).then_some(element)
}

/// p, big-endian.
const P_BYTES: [u8; 48] = {
    let mut bytes = [0; 48];
    let mut i = 0;
    while i < 48 {
        bytes[i] = P[5 - i / 8].to_be_bytes()[i % 8];
        i += 1;
    }
    bytes
};

/// Returns the canonical form of an element, big-endian.
pub(crate) fn to_bytes(element: &blst_fp) -> [u8; 48] {
    let mut bytes = [0; 48];
    ffi::bendian_from_fp(&mut bytes, element);
    bytes
}
