//! SHA-256 of one message or of two by the SHA extensions.
//!
//! The rounds of a message depend on each other, and the instructions take several cycles each: a second message fits
//! into the time of the first.
#![allow(unsafe_code, reason = "a load and a store take a pointer")]

use std::arch::x86_64::*;
use std::array::from_fn;

use crate::{Block, ROUNDS, States};

/// Replaces the states by those after the blocks, as many of each message as of the one with the fewest.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(crate) fn compress_sha_ni<const N: usize>(states: &mut States<N>, blocks: [&[Block]; N]) {
    let count = blocks.iter().map(|blocks| blocks.len()).min().unwrap_or(0);
    // The registers of the instructions: (a, b, e, f) and (c, d, g, h) of each message.
    let mut now: [_; N] = from_fn(|lane| to_registers(&states.map(|words| words[lane])));
    for block in 0..count {
        let before = now;
        let mut words: [_; N] = from_fn(|lane| quarters(blocks[lane], block));
        macro_rules! four_rounds {
            ($($quarter:literal)*) => { $(
                for (words, [abef, cdgh]) in words.iter_mut().zip(&mut now) {
                    if $quarter >= 4 {
                        words[$quarter % 4] = next(words, $quarter % 4);
                    }
                    let sums = _mm_add_epi32(words[$quarter % 4], load(&ROUNDS.as_chunks().0[$quarter]));
                    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sums);
                    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32::<0x0e>(sums));
                }
            )* };
        }
        // Written out, so that no index depends on a loop: the words stay in registers.
        four_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for (now, before) in now.as_flattened_mut().iter_mut().zip(before.as_flattened()) {
            *now = _mm_add_epi32(*now, *before);
        }
    }
    let words = now.map(|registers| from_registers(registers));
    *states = from_fn(|i| from_fn(|lane| words[lane][i]));
}

/// Returns the next four words of the message schedule, instead of `words[first]`, the oldest of four quarters.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn next(words: &[__m128i; 4], first: usize) -> __m128i {
    let [a, b, c, d] = [words[first], words[(first + 1) % 4], words[(first + 2) % 4], words[(first + 3) % 4]];
    let sum = _mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8::<4>(d, c));
    _mm_sha256msg2_epu32(sum, d)
}

/// Returns the words of a block.
#[inline]
#[target_feature(enable = "ssse3")]
fn quarters(blocks: &[Block], block: usize) -> [__m128i; 4] {
    let reversed = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    let (quarters, _) = blocks[block].as_chunks::<16>();
    // SAFETY: 16 bytes can be read there, and the load needs no alignment.
    let loaded = |i: usize| unsafe { _mm_loadu_si128(quarters[i].as_ptr().cast()) };
    from_fn(|i| _mm_shuffle_epi8(loaded(i), reversed))
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(words: &[u32; 4]) -> __m128i {
    // SAFETY: 16 bytes can be read there, and the load needs no alignment.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
fn to_registers(state: &[u32; 8]) -> [__m128i; 2] {
    let (halves, _) = state.as_chunks::<4>();
    let cdab = _mm_shuffle_epi32::<0xb1>(load(&halves[0]));
    let efgh = _mm_shuffle_epi32::<0x1b>(load(&halves[1]));
    [_mm_alignr_epi8::<8>(cdab, efgh), _mm_blend_epi16::<0xf0>(efgh, cdab)]
}

#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
fn from_registers([abef, cdgh]: [__m128i; 2]) -> [u32; 8] {
    let feba = _mm_shuffle_epi32::<0x1b>(abef);
    let dchg = _mm_shuffle_epi32::<0xb1>(cdgh);
    let halves = [_mm_blend_epi16::<0xf0>(feba, dchg), _mm_alignr_epi8::<8>(dchg, feba)];
    let mut state = [0; 8];
    for (words, half) in state.as_chunks_mut::<4>().0.iter_mut().zip(halves) {
        // SAFETY: 16 bytes can be written there, and the store needs no alignment.
        unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), half) };
    }
    state
}
