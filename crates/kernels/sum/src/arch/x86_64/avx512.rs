//! AVX-512: vectors of 64 bytes.
#![allow(unsafe_code, reason = "a load with a mask takes a pointer")]

use std::arch::x86_64::*;
use std::array;

use bytemuck::must_cast;
use parcrypt_cpu::Registers;

use super::streams;

/// Bytes of a vector.
const LANE: usize = 64;

/// Accumulators, so that no addition waits for the previous one.
const CHAINS: usize = 8;

/// Returns the sum of the bytes modulo 2^64.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(crate) fn sum_avx512(data: &[u8]) -> u64 {
    let zero = _mm512_setzero_si512();
    // `vpsadbw` against zero adds each eight bytes into a 64-bit lane, at most 2040 a step: it cannot overflow before
    // the sum does.
    let add = |acc, v| _mm512_add_epi64(acc, _mm512_sad_epu8(v, zero));
    let chains = fold(data, add);
    let all = chains.into_iter().fold(zero, |a, b| _mm512_add_epi64(a, b));
    _mm512_reduce_add_epi64(all).cast_unsigned()
}

/// Returns the exclusive-or of the 64-bit little-endian words, the last one padded with zero bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(crate) fn xor_avx512(data: &[u8]) -> u64 {
    // Each word keeps its place modulo 8 in a vector: streams and lanes begin at multiples of 8 bytes.
    let chains = fold(data, |acc, v| _mm512_xor_si512(acc, v));
    let all = chains.into_iter().fold(_mm512_setzero_si512(), |a, b| _mm512_xor_si512(a, b));
    let half = _mm256_xor_si256(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let quarter = _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    (_mm_cvtsi128_si64(quarter) ^ _mm_extract_epi64::<1>(quarter)).cast_unsigned()
}

/// Computes the same as `add_portable`, in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(crate) fn add_avx512(state: &mut Registers, steps: u64) {
    let zero = _mm512_setzero_si512();
    let mut chains: [__m512i; 12] = must_cast(*state);
    for _ in 0..steps {
        for v in &mut chains {
            *v = _mm512_add_epi64(*v, _mm512_sad_epu8(*v, zero));
        }
    }
    *state = must_cast(chains);
}

/// Returns the accumulators after `step` has combined each vector of `data` with one of them; the last vector is
/// padded with zero bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn fold(data: &[u8], step: impl Fn(__m512i, __m512i) -> __m512i) -> [__m512i; CHAINS] {
    let mut chains = [_mm512_setzero_si512(); CHAINS];
    let s = streams(data);
    let [a, b, c, d] = s.streams;
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        let v: [_; CHAINS] = must_cast([*a, *b, *c, *d]);
        chains = array::from_fn(|i| step(chains[i], v[i]));
    }
    let (blocks, rest) = s.rest.as_chunks::<{ LANE * CHAINS }>();
    for block in blocks {
        let v: [_; CHAINS] = must_cast(*block);
        chains = array::from_fn(|i| step(chains[i], v[i]));
    }
    let (lanes, tail) = rest.as_chunks::<LANE>();
    for (chain, lane) in chains.iter_mut().zip(lanes) {
        *chain = step(*chain, must_cast(*lane));
    }
    if !tail.is_empty() {
        chains[CHAINS - 1] = step(chains[CHAINS - 1], load_tail(tail));
    }
    chains
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
