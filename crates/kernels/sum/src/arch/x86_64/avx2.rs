//! AVX2: vectors of 32 bytes.

use std::arch::x86_64::*;
use std::array;

use bytemuck::must_cast;

use super::{LINES, streams};

kernels!(
    "avx2", __m256i, _mm256_setzero_si256, _mm256_add_epi64, _mm256_xor_si256, _mm256_sad_epu8;
    sum_avx2, xor_avx2
);

#[inline]
#[target_feature(enable = "avx2")]
fn add_lanes(v: __m256i) -> u64 {
    let half = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    _mm_cvtsi128_si64(half).wrapping_add(_mm_extract_epi64::<1>(half)).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn xor_lanes(v: __m256i) -> u64 {
    let half = _mm_xor_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    (_mm_cvtsi128_si64(half) ^ _mm_extract_epi64::<1>(half)).cast_unsigned()
}

/// Returns fewer bytes than a vector, padded with zero bytes. AVX2 has no load with a mask of bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn load_tail(tail: &[u8]) -> __m256i {
    let mut last = [0; LANE];
    last[..tail.len()].copy_from_slice(tail);
    must_cast(last)
}
