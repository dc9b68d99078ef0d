//! AVX2: vectors of 32 bytes.

use std::arch::x86_64::*;
use std::array;

use bytemuck::must_cast;
use parcrypt_cpu::Registers;

use super::streams;

/// Bytes of a vector.
const LANE: usize = 32;

/// Accumulators: half of the sixteen registers, which leaves room for the vectors that are loaded.
const CHAINS: usize = 8;

/// Returns the sum of the bytes modulo 2^64.
#[target_feature(enable = "avx2")]
pub(crate) fn sum_avx2(data: &[u8]) -> u64 {
    let zero = _mm256_setzero_si256();
    // `vpsadbw` against zero adds each eight bytes into a 64-bit lane, at most 2040 a step: it cannot overflow before
    // the sum does.
    let add = |acc, v| _mm256_add_epi64(acc, _mm256_sad_epu8(v, zero));
    let chains = fold(data, add);
    let all = chains.into_iter().fold(zero, |a, b| _mm256_add_epi64(a, b));
    let half = _mm_add_epi64(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    _mm_cvtsi128_si64(half).wrapping_add(_mm_extract_epi64::<1>(half)).cast_unsigned()
}

/// Returns the exclusive-or of the 64-bit little-endian words, the last one padded with zero bytes.
#[target_feature(enable = "avx2")]
pub(crate) fn xor_avx2(data: &[u8]) -> u64 {
    // Each word keeps its place modulo 8 in a vector: streams and lanes begin at multiples of 8 bytes.
    let chains = fold(data, |acc, v| _mm256_xor_si256(acc, v));
    let all = chains.into_iter().fold(_mm256_setzero_si256(), |a, b| _mm256_xor_si256(a, b));
    let half = _mm_xor_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    (_mm_cvtsi128_si64(half) ^ _mm_extract_epi64::<1>(half)).cast_unsigned()
}

/// Computes the same as `add_portable`, in registers.
#[target_feature(enable = "avx2")]
pub(crate) fn add_avx2(state: &mut Registers, steps: u64) {
    let zero = _mm256_setzero_si256();
    for part in 0..size_of_val(&state[0]) / LANE {
        let mut chains: [__m256i; _] = state.each_ref().map(|row| must_cast(row.as_chunks::<LANE>().0[part]));
        for _ in 0..steps {
            for v in &mut chains {
                *v = _mm256_add_epi64(*v, _mm256_sad_epu8(*v, zero));
            }
        }
        for (row, v) in state.iter_mut().zip(chains) {
            row.as_chunks_mut::<LANE>().0[part] = must_cast(v);
        }
    }
}

/// Returns the accumulators after `step` has combined each vector of `data` with one of them; the last vector is
/// padded with zero bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn fold(data: &[u8], step: impl Fn(__m256i, __m256i) -> __m256i) -> [__m256i; CHAINS] {
    let mut chains = [_mm256_setzero_si256(); CHAINS];
    let s = streams(data);
    let [a, b, c, d] = s.streams;
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        for (low, high) in [(a, b), (c, d)] {
            let ((low, _), (high, _)) = (low.as_chunks::<LANE>(), high.as_chunks::<LANE>());
            chains = array::from_fn(|i| step(chains[i], must_cast(if i < 4 { low[i] } else { high[i - 4] })));
        }
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
        // AVX2 has no load with a mask of bytes.
        let mut last = [0; LANE];
        last[..tail.len()].copy_from_slice(tail);
        chains[CHAINS - 1] = step(chains[CHAINS - 1], must_cast(last));
    }
    chains
}
