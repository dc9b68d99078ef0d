//! NEON: vectors of 16 bytes, read in order. Whether several streams gain something, as on x86-64, was not measured.

use std::arch::aarch64::*;

use bytemuck::must_cast;

/// Bytes of a vector.
const LANE: usize = 16;

/// Accumulators, so that no addition waits for the previous one.
const CHAINS: usize = 4;

/// Vectors of an accumulator in a step, whose sums fit into 16 bits even after all accumulators are added up.
const STEPS: usize = 8;
const _: () = assert!(CHAINS * STEPS * 2 * (u8::MAX as usize) <= u16::MAX as usize);

/// Bytes of a step.
const STEP: usize = CHAINS * STEPS * LANE;

/// Returns the sum of the bytes modulo 2^64.
#[target_feature(enable = "neon")]
pub(crate) fn sum_neon(data: &[u8]) -> u64 {
    let mut sum = vdupq_n_u64(0);
    let (steps, rest) = data.as_chunks::<STEP>();
    for step in steps {
        let mut chains = [vdupq_n_u16(0); CHAINS];
        for vectors in step.as_chunks::<{ CHAINS * LANE }>().0 {
            let vectors: [uint8x16_t; CHAINS] = must_cast(*vectors);
            for (chain, vector) in chains.iter_mut().zip(vectors) {
                *chain = vpadalq_u8(*chain, vector);
            }
        }
        let [a, b, c, d] = chains;
        sum = widen(sum, vaddq_u16(vaddq_u16(a, b), vaddq_u16(c, d)));
    }
    let (vectors, tail) = rest.as_chunks::<LANE>();
    // Fewer vectors than in a step, and the padded tail: at most as many.
    let rest = vectors.iter().fold(vpaddlq_u8(load_tail(tail)), |rest, v| vpadalq_u8(rest, must_cast(*v)));
    vaddvq_u64(widen(sum, rest))
}

/// Returns the exclusive-or of the 64-bit little-endian words, the last one padded with zero bytes.
#[target_feature(enable = "neon")]
pub(crate) fn xor_neon(data: &[u8]) -> u64 {
    let (vectors, tail) = data.as_chunks::<LANE>();
    let (blocks, rest) = vectors.as_chunks::<CHAINS>();
    let mut chains = [vdupq_n_u64(0); CHAINS];
    for block in blocks {
        for (chain, vector) in chains.iter_mut().zip(block) {
            *chain = veorq_u64(*chain, must_cast(*vector));
        }
    }
    let [a, b, c, d] = chains;
    let all = veorq_u64(veorq_u64(a, b), veorq_u64(c, d));
    let all = rest.iter().fold(all, |all, v| veorq_u64(all, must_cast(*v)));
    let all = veorq_u64(all, vreinterpretq_u64_u8(load_tail(tail)));
    vgetq_lane_u64::<0>(all) ^ vgetq_lane_u64::<1>(all)
}

/// Adds the words of 16 bits to the words of 64 bits at the same place.
#[inline]
#[target_feature(enable = "neon")]
fn widen(sum: uint64x2_t, words: uint16x8_t) -> uint64x2_t {
    vpadalq_u32(sum, vpaddlq_u16(words))
}

/// Returns fewer bytes than a vector, padded with zero bytes.
#[inline]
#[target_feature(enable = "neon")]
fn load_tail(tail: &[u8]) -> uint8x16_t {
    let mut last = [0; LANE];
    last[..tail.len()].copy_from_slice(tail);
    must_cast(last)
}
