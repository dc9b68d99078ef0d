//! SHA-256 of two messages by the SHA-256 instructions.
//!
//! The rounds of a message depend on each other, and the instructions take several cycles each: a second message fits
//! into much of the time of the first.
#![allow(unsafe_code, reason = "a load and a store take a pointer")]

use std::arch::aarch64::*;
use std::array::from_fn;

use crate::sha256::{Block, ROUNDS, States};

/// Replaces the states by those after the blocks, as many of each message as of the one with the fewest.
#[target_feature(enable = "neon,sha2")]
pub(crate) fn compress_arm_sha(states: &mut States<2>, [a, b]: [&[Block]; 2]) {
    // The registers of the instructions: (a, b, c, d) and (e, f, g, h) of each message.
    let mut now = [to_registers(&states.map(|[a, _]| a)), to_registers(&states.map(|[_, b]| b))];
    for blocks in a.iter().zip(b) {
        let before = now;
        let mut words = [quarters(blocks.0), quarters(blocks.1)];
        macro_rules! four_rounds {
            ($($quarter:literal)*) => { $(
                for (words, [abcd, efgh]) in words.iter_mut().zip(&mut now) {
                    if $quarter >= 4 {
                        words[$quarter % 4] = next(words, $quarter % 4);
                    }
                    let sums = vaddq_u32(words[$quarter % 4], load(&ROUNDS.as_chunks().0[$quarter]));
                    let abcd_before = *abcd;
                    *abcd = vsha256hq_u32(*abcd, *efgh, sums);
                    *efgh = vsha256h2q_u32(*efgh, abcd_before, sums);
                }
            )* };
        }
        // Written out, so that no index depends on a loop: the words stay in registers.
        four_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for (now, before) in now.as_flattened_mut().iter_mut().zip(before.as_flattened()) {
            *now = vaddq_u32(*now, *before);
        }
    }
    let [a, b] = [from_registers(now[0]), from_registers(now[1])];
    *states = from_fn(|i| [a[i], b[i]]);
}

/// Returns the next four words of the message schedule, instead of `words[first]`, the oldest of four quarters.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn next(words: &[uint32x4_t; 4], first: usize) -> uint32x4_t {
    let [a, b, c, d] = [words[first], words[(first + 1) % 4], words[(first + 2) % 4], words[(first + 3) % 4]];
    vsha256su1q_u32(vsha256su0q_u32(a, b), c, d)
}

/// Returns the words of a block.
#[inline]
#[target_feature(enable = "neon")]
fn quarters(block: &Block) -> [uint32x4_t; 4] {
    let (quarters, _) = block.as_chunks::<16>();
    // SAFETY: 16 bytes can be read there, and the load needs no alignment.
    let loaded = |i: usize| unsafe { vld1q_u8(quarters[i].as_ptr()) };
    from_fn(|i| vreinterpretq_u32_u8(vrev32q_u8(loaded(i))))
}

#[inline]
#[target_feature(enable = "neon")]
fn load(words: &[u32; 4]) -> uint32x4_t {
    // SAFETY: 16 bytes can be read there.
    unsafe { vld1q_u32(words.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn to_registers(state: &[u32; 8]) -> [uint32x4_t; 2] {
    let (halves, _) = state.as_chunks();
    [load(&halves[0]), load(&halves[1])]
}

#[inline]
#[target_feature(enable = "neon")]
fn from_registers(halves: [uint32x4_t; 2]) -> [u32; 8] {
    let mut state = [0; 8];
    for (words, half) in state.as_chunks_mut::<4>().0.iter_mut().zip(halves) {
        // SAFETY: 16 bytes can be written there.
        unsafe { vst1q_u32(words.as_mut_ptr(), half) };
    }
    state
}
