//! SHA-256 by the SHA2 extension of ARMv8.
#![allow(unsafe_code, reason = "a load and a store take a pointer")]

use std::arch::aarch64::*;
use std::array::from_fn;

use crate::{Block, ROUNDS, States};

/// Replaces the state of a message by that after the blocks.
#[target_feature(enable = "sha2")]
pub(crate) fn compress_sha2(states: &mut States<1>, [blocks]: [&[Block]; 1]) {
    let (halves, _) = states.as_flattened_mut().as_chunks_mut::<4>();
    let [mut abcd, mut efgh] = [load(&halves[0]), load(&halves[1])];
    for block in blocks {
        let before = [abcd, efgh];
        let (quarters, _) = block.as_chunks::<16>();
        // SAFETY: 16 bytes can be read there, and the load needs no alignment.
        let loaded = |i: usize| unsafe { vld1q_u8(quarters[i].as_ptr()) };
        let mut words: [uint32x4_t; 4] = from_fn(|i| vreinterpretq_u32_u8(vrev32q_u8(loaded(i))));
        let (constants, _) = ROUNDS.as_chunks::<4>();
        for (quarter, constants) in constants.iter().enumerate() {
            let [a, b, c, d] = from_fn(|i| words[(quarter + i) % 4]);
            if quarter >= 4 {
                words[quarter % 4] = vsha256su1q_u32(vsha256su0q_u32(a, b), c, d);
            }
            let sums = vaddq_u32(words[quarter % 4], load(constants));
            let previous = abcd;
            abcd = vsha256hq_u32(previous, efgh, sums);
            efgh = vsha256h2q_u32(efgh, previous, sums);
        }
        [abcd, efgh] = [vaddq_u32(abcd, before[0]), vaddq_u32(efgh, before[1])];
    }
    for (half, words) in halves.iter_mut().zip([abcd, efgh]) {
        // SAFETY: 16 bytes can be written there, and the store needs no alignment.
        unsafe { vst1q_u32(half.as_mut_ptr(), words) };
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn load(words: &[u32; 4]) -> uint32x4_t {
    // SAFETY: 16 bytes can be read there, and the load needs no alignment.
    unsafe { vld1q_u32(words.as_ptr()) }
}
