//! AVX2: two lanes in a register, up to four in two. A rotation takes three instructions here.
#![allow(unsafe_code, reason = "non-temporal stores take pointers")]

use std::arch::x86_64::*;
use std::array;

use bytemuck::{must_cast, must_cast_mut, must_cast_slice};

use super::{AHEAD, place, prefetch};
use crate::arch::generic::{Group, PACKED};
use crate::memory::Block;

kernels!(
    "avx2,bmi1,bmi2",
    romix_avx2,
    clear_avx2,
    __m256i,
    _mm256_xor_si256,
    _mm256_add_epi32,
    _mm256_shuffle_epi32,
    _mm256_stream_si256
);

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn rotate<const LEFT: i32>(v: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<LEFT>(v), _mm256_srl_epi32(v, _mm_cvtsi32_si128(32 - LEFT)))
}

/// Returns the rows of `LANES` lanes. Blocks are loaded when they are used: there are not enough registers for all.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn across<const REGISTERS: usize, const LANES: usize>(lanes: [&Block; LANES]) -> [Rows; REGISTERS] {
    array::from_fn(|g| {
        let line = |i: usize| must_cast(*if i < LANES { lanes[i] } else { lanes[g * WIDTH] });
        let ([a, b], [c, d]): (Vectors, Vectors) = (line(g * WIDTH), line(g * WIDTH + 1));
        [
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ]
    })
}

/// Returns the blocks of two lanes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn blocks([a, b, c, d]: Rows) -> [Block; WIDTH] {
    must_cast([
        _mm256_permute2x128_si256::<0x20>(a, b),
        _mm256_permute2x128_si256::<0x20>(c, d),
        _mm256_permute2x128_si256::<0x31>(a, b),
        _mm256_permute2x128_si256::<0x31>(c, d),
    ])
}
