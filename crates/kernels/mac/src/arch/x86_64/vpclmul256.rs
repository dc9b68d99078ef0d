//! GHASH by VPCLMULQDQ on vectors of 256 bits: two blocks in each, and one reduction for up to 64 blocks.

use std::arch::x86_64::*;
use std::hint::black_box;

use bytemuck::must_cast;

use super::pclmul::{self, MODULUS};
use super::vpclmul::ghash;
use crate::arch::generic::ghash::{Key, POWERS};
use crate::arch::generic::padded;

ghash!(
    __m256i, 2, enable = "avx2,vpclmulqdq,pclmulqdq,ssse3,sse4.1",
    rest rest256,
    xor _mm256_xor_si256, zero _mm256_setzero_si256, extended _mm256_zextsi128_si256,
    broadcast _mm256_broadcastsi128_si256, splat _mm256_set1_epi64x, product _mm256_clmulepi64_epi128,
    bytes _mm256_shuffle_epi8, words _mm256_shuffle_epi32, left _mm256_bslli_epi128, right _mm256_bsrli_epi128
);

/// Returns fewer than 32 bytes, padded with zero bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn rest256(rest: &[u8]) -> __m256i {
    let lanes = match rest.split_first_chunk::<16>() {
        Some((first, rest)) => [*first, padded(rest)],
        None => [padded(rest), [0; 16]],
    };
    must_cast(lanes.map(must_cast::<_, __m128i>))
}
