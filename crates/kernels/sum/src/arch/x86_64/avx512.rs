//! AVX-512: vectors of 64 bytes.
#![allow(unsafe_code, reason = "a load with a mask takes a pointer")]

use std::arch::x86_64::*;
use std::array;

use bytemuck::must_cast;

use super::{LINES, streams};

kernels!(
    "avx512f,avx512bw,avx512vl,avx512dq", __m512i, _mm512_setzero_si512, _mm512_add_epi64, _mm512_xor_si512, _mm512_sad_epu8;
    sum_avx512, xor_avx512
);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn add_lanes(v: __m512i) -> u64 {
    _mm512_reduce_add_epi64(v).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn xor_lanes(v: __m512i) -> u64 {
    super::avx2::xor_lanes(_mm256_xor_si256(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v)))
}

/// Returns fewer bytes than a vector, padded with zero bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn load_tail(tail: &[u8]) -> __m512i {
    debug_assert!(tail.len() < LANE);
    let mask = (1 << (tail.len() % LANE)) - 1;
    // SAFETY: only the bytes whose bit is set are read, which are the first `tail.len() % 64` and so lie in `tail`.
    unsafe { _mm512_maskz_loadu_epi8(mask, tail.as_ptr().cast()) }
}
