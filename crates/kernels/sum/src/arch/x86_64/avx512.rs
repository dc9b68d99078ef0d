//! AVX-512: vectors of 64 bytes.
#![allow(unsafe_code, reason = "loads and stores take pointers")]

use std::arch::x86_64::*;
use std::array;

use parcrypt_cpu::Registers;

use super::{LINES, streams};

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
    let mut chains = state.each_ref().map(|row| load(row));
    for _ in 0..steps {
        for v in &mut chains {
            *v = _mm512_add_epi64(*v, _mm512_sad_epu8(*v, zero));
        }
    }
    for (row, v) in state.iter_mut().zip(chains) {
        store(row, v);
    }
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
        let v = [pair(a), pair(b), pair(c), pair(d)];
        chains = array::from_fn(|i| step(chains[i], v[i / 2][i % 2]));
    }
    let (blocks, rest) = s.rest.as_chunks::<{ LANE * CHAINS }>();
    for block in blocks {
        let (v, _) = block.as_chunks::<LANE>();
        chains = array::from_fn(|i| step(chains[i], load(&v[i])));
    }
    let (lanes, tail) = rest.as_chunks::<LANE>();
    for (chain, lane) in chains.iter_mut().zip(lanes) {
        *chain = step(*chain, load(lane));
    }
    if !tail.is_empty() {
        chains[CHAINS - 1] = step(chains[CHAINS - 1], load_tail(tail));
    }
    chains
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn pair(lines: &[u8; LINES]) -> [__m512i; 2] {
    let (v, _) = lines.as_chunks::<LANE>();
    [load(&v[0]), load(&v[1])]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn load(lane: &[u8; LANE]) -> __m512i {
    // SAFETY: the reference says that 64 bytes can be read there; the load needs no alignment.
    unsafe { _mm512_loadu_si512(lane.as_ptr().cast()) }
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

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn store(lane: &mut [u8; LANE], v: __m512i) {
    // SAFETY: the reference says that 64 bytes can be written there; the store needs no alignment.
    unsafe { _mm512_storeu_si512(lane.as_mut_ptr().cast(), v) }
}
