//! SHA-256 of sixteen messages in AVX-512: lane i of each vector belongs to message i.
#![allow(unsafe_code, reason = "a load and a store take a pointer")]

use std::arch::x86_64::*;

use crate::{Block, ROUNDS, States};

/// Messages at once.
const LANES: usize = 16;

/// A word of each message.
type Words = __m512i;

/// Replaces the states by those after the blocks, as many of each message as of the one with the fewest.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(crate) fn compress_avx512(states: &mut States<LANES>, blocks: [&[Block]; LANES]) {
    let count = blocks.iter().map(|blocks| blocks.len()).min().unwrap_or(0);
    let mut state: [Words; 8] = [_mm512_setzero_si512(); 8];
    for i in 0..8 {
        state[i] = load_words(&states[i]);
    }
    for block in 0..count {
        let before = state;
        let mut schedule = words_of_blocks(&blocks, block);
        let (constants, _) = ROUNDS.as_chunks::<16>();
        // Written out, so that no index depends on a loop: words and state stay in registers.
        macro_rules! rounds {
            ($constants:expr, $word:ident: $($i:literal)*) => {
                $(state = round(state, $word(&mut schedule, $i), $constants[$i]);)*
            };
        }
        rounds!(constants[0], word: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for constants in &constants[1..] {
            rounds!(constants, next: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        }
        for i in 0..8 {
            state[i] = _mm512_add_epi32(state[i], before[i]);
        }
    }
    for i in 0..8 {
        store_words(&mut states[i], state[i]);
    }
}

/// Returns the state after a round with a word of the message schedule (FIPS 180-4, section 6.2.2, step 3).
#[inline]
#[target_feature(enable = "avx512f")]
fn round([a, b, c, d, e, f, g, h]: [Words; 8], word: Words, constant: u32) -> [Words; 8] {
    const CHOICE: i32 = 0xca;
    const MAJORITY: i32 = 0xe8;
    let sum_e = xor(_mm512_ror_epi32::<6>(e), _mm512_ror_epi32::<11>(e), _mm512_ror_epi32::<25>(e));
    let sum_a = xor(_mm512_ror_epi32::<2>(a), _mm512_ror_epi32::<13>(a), _mm512_ror_epi32::<22>(a));
    let choice = _mm512_ternarylogic_epi32::<CHOICE>(e, f, g);
    let majority = _mm512_ternarylogic_epi32::<MAJORITY>(a, b, c);
    let constant = _mm512_set1_epi32(constant.cast_signed());
    // What is known early is added up early, so that between an `e` and the next, and between an `a` and the next, are
    // three instructions, each of two cycles on Zen 5: a rotation, an exclusive or and a sum.
    let known = fixed(_mm512_add_epi32(_mm512_add_epi32(word, constant), h));
    let first = _mm512_add_epi32(fixed(_mm512_add_epi32(known, choice)), sum_e);
    let next_a = _mm512_add_epi32(fixed(_mm512_add_epi32(first, majority)), sum_a);
    let next_e = _mm512_add_epi32(fixed(_mm512_add_epi32(fixed(_mm512_add_epi32(known, d)), choice)), sum_e);
    [next_a, a, b, c, next_e, e, f, g]
}

/// Returns a sum whose terms the compiler does not regroup with those that are added to it. Regrouped, a block took a
/// third more time.
#[inline]
#[target_feature(enable = "avx512f")]
fn fixed(mut sum: Words) -> Words {
    // SAFETY: this is no instruction; the register keeps its value.
    unsafe {
        std::arch::asm!("/* {0} */", inout(zmm_reg) sum, options(pure, nomem, nostack, preserves_flags))
    };
    sum
}

/// Returns a word of a block.
#[inline(always)]
fn word(block: &mut [Words; 16], i: usize) -> Words {
    block[i]
}

/// Returns the word of the message schedule that follows the last sixteen, and puts it instead of the oldest of them,
/// `last[i]` (FIPS 180-4, section 6.2.2, step 1).
#[inline]
#[target_feature(enable = "avx512f")]
fn next(last: &mut [Words; 16], i: usize) -> Words {
    let [oldest, second, tenth, newest] =
        [last[i], last[(i + 1) % 16], last[(i + 9) % 16], last[(i + 14) % 16]];
    let early =
        xor(_mm512_ror_epi32::<7>(second), _mm512_ror_epi32::<18>(second), _mm512_srli_epi32::<3>(second));
    let late =
        xor(_mm512_ror_epi32::<17>(newest), _mm512_ror_epi32::<19>(newest), _mm512_srli_epi32::<10>(newest));
    last[i] = fixed(_mm512_add_epi32(_mm512_add_epi32(oldest, early), _mm512_add_epi32(tenth, late)));
    last[i]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor(a: Words, b: Words, c: Words) -> Words {
    _mm512_ternarylogic_epi32::<0x96>(a, b, c)
}

/// Returns the sixteen words of a block of each message.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn words_of_blocks(blocks: &[&[Block]; LANES], block: usize) -> [Words; 16] {
    // Bytes of each word in reversed order.
    let reversed = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
    let row = |i: usize| load(&blocks[i][block]);
    let mut rows = [_mm512_setzero_si512(); 16];
    // In quarter q of row 4i + j: words 4q + j of messages 4i to 4i + 3.
    for i in 0..4 {
        let [a, b, c, d] = [row(4 * i), row(4 * i + 1), row(4 * i + 2), row(4 * i + 3)];
        let [ab, cd] = [_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d)];
        let [above_ab, above_cd] = [_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d)];
        rows[4 * i] = _mm512_unpacklo_epi64(ab, cd);
        rows[4 * i + 1] = _mm512_unpackhi_epi64(ab, cd);
        rows[4 * i + 2] = _mm512_unpacklo_epi64(above_ab, above_cd);
        rows[4 * i + 3] = _mm512_unpackhi_epi64(above_ab, above_cd);
    }
    let mut words = [_mm512_setzero_si512(); 16];
    for j in 0..4 {
        let [a, b, c, d] = [rows[j], rows[4 + j], rows[8 + j], rows[12 + j]];
        let [ab, cd] = [_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d)];
        let [above_ab, above_cd] = [_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d)];
        words[j] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4::<0x88>(ab, cd), reversed);
        words[4 + j] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4::<0xdd>(ab, cd), reversed);
        words[8 + j] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4::<0x88>(above_ab, above_cd), reversed);
        words[12 + j] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4::<0xdd>(above_ab, above_cd), reversed);
    }
    words
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &Block) -> Words {
    // SAFETY: 64 bytes can be read there, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_words(words: &[u32; LANES]) -> Words {
    // SAFETY: 64 bytes can be read there, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_words(words: &mut [u32; LANES], from: Words) {
    // SAFETY: 64 bytes can be written there, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), from) };
}
