//! One lane, its four rows in registers of 128 bits, with AVX-512 or with AVX2.
//!
//! A step is an addition, two shifts and an exclusive-or of three operands, for which AVX2 takes two. If each takes one
//! cycle, a step takes three cycles with AVX-512, as in general registers, and four with AVX2. But a round is 19 or 23
//! instructions instead of 48, so the chain hardly waits for arithmetic units, even with the core's other thread busy
//! (measured on Zen 3). A rotation takes two cycles on Zen 4, so it is two shifts here.
#![allow(clippy::needless_range_loop, reason = "one index stands for the same block of X, V and Y")]
#![allow(
    unsafe_code,
    reason = "loads and stores take pointers, and the order of a step is written in assembly"
)]

use std::arch::x86_64::*;
use std::array;

use super::avx512::XOR3;
use super::single::romix_single;
use super::{AHEAD, place, prefetch, vectors_suit_one_lane, vectors_take_two_cycles};
use crate::arch::generic::{Group, PACKED, romix_with};
use crate::memory::Block;

/// The place of word 1 in a block.
const SECOND: usize = 13;
const _: () = assert!(PACKED[SECOND] == 1);

/// The four rows of a block.
type Rows = [__m128i; 4];

/// Computes scryptROMix for one lane, in the registers that are faster for it on this processor.
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn romix_single_avx512(group: Group<'_>) -> bool {
    if vectors_take_two_cycles() { romix_single(group) } else { romix_rows_avx512(group) }
}

/// See [`romix_single_avx512`].
#[target_feature(enable = "avx2")]
pub(crate) fn romix_single_avx2(group: Group<'_>) -> bool {
    if vectors_suit_one_lane() { romix_rows_avx2(group) } else { romix_single(group) }
}

/// Defines scryptROMix for one lane in vectors, with a function that computes `to` xor (`a` + `b`) <<< left.
macro_rules! romix_rows {
    ($romix:ident, $features:literal, $step:ident) => {
        #[target_feature(enable = $features)]
        fn $romix(group: Group<'_>) -> bool {
            let quarters = |[mut a, mut b, mut c, mut d]: Rows| {
                b = $step::<7, 25>(b, a, d);
                c = $step::<9, 23>(c, b, a);
                d = $step::<13, 19>(d, c, b);
                a = $step::<18, 14>(a, d, c);
                [a, b, c, d]
            };
            romix_packed(
                group,
                |x, y| block_mix::<false>(x, x, y, quarters),
                |x, v, y| block_mix::<true>(x, v, y, quarters),
            )
        }
    };
}

romix_rows!(romix_rows_avx2, "avx2", step_avx2);
romix_rows!(romix_rows_avx512, "avx512f,avx512vl", step_avx512);

/// Computes scryptROMix for one lane, with `mix` and `mix_xor` of [`romix_with`] on blocks in the order [`PACKED`].
#[inline(always)]
fn romix_packed(
    group: Group<'_>,
    mix: impl Fn(&[Block], &mut [Block]),
    mix_xor: impl Fn(&mut [Block], &[Block], &mut [Block]),
) -> bool {
    let Group { rows, row, b, v, scratch, tick } = group;
    for block in &mut *b {
        block.0 = PACKED.map(|w| block.0[w]);
    }
    let done = romix_with::<SECOND>(Group { rows, row, b: &mut *b, v, scratch, tick }, mix, mix_xor);
    for block in b {
        let packed = block.0;
        for (word, at) in packed.into_iter().zip(PACKED) {
            block.0[at] = word;
        }
    }
    done
}

/// Computes scryptBlockMix of `b`, or of `b` xor `v`; all three have the same even number of blocks. `quarters`
/// computes the four quarter-rounds of a round. Like what it calls, this must be inlined into a function of the
/// instruction set: a call for each block would take two arguments in memory, and half as long again.
#[inline(always)]
fn block_mix<const XOR: bool>(b: &[Block], v: &[Block], y: &mut [Block], quarters: impl Fn(Rows) -> Rows) {
    if XOR {
        for line in v.iter().take(AHEAD) {
            prefetch(line);
        }
    }
    let row = b.len();
    let mut x = input::<XOR>(&b[row - 1], &v[row - 1]);
    for i in 0..row {
        if XOR && i + AHEAD < row {
            prefetch(&v[i + AHEAD]);
        }
        // Salsa20/8.
        let start = xor(x, input::<XOR>(&b[i], &v[i]));
        let [mut a, mut b, mut c, mut d] = start;
        for _ in 0..8 {
            [a, b, c, d] = quarters([a, b, c, d]);
            // Rows 1 and 3 change places, as columns become rows, or rows columns.
            (b, d) = (shuffle::<0b00_11_10_01>(d), shuffle::<0b10_01_00_11>(b));
            c = shuffle::<0b01_00_11_10>(c);
        }
        let end = [a, b, c, d];
        x = array::from_fn(|k| add(end[k], start[k]));
        store(&mut y[place(i, row)], x);
    }
}

/// Returns `b`, or `b` xor `v`.
#[inline(always)]
fn input<const XOR: bool>(b: &Block, v: &Block) -> Rows {
    if XOR { xor(load(b), load(v)) } else { load(b) }
}

#[inline(always)]
fn xor(a: Rows, b: Rows) -> Rows {
    // SAFETY: every x86-64 has SSE2.
    array::from_fn(|k| unsafe { _mm_xor_si128(a[k], b[k]) })
}

#[inline(always)]
fn add(a: __m128i, b: __m128i) -> __m128i {
    // SAFETY: as in `xor`.
    unsafe { _mm_add_epi32(a, b) }
}

#[inline(always)]
fn shuffle<const ORDER: i32>(a: __m128i) -> __m128i {
    // SAFETY: as in `xor`.
    unsafe { _mm_shuffle_epi32::<ORDER>(a) }
}

/// Computes `to` xor (`a` + `b`) <<< `LEFT`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn step_avx512<const LEFT: i32, const RIGHT: i32>(to: __m128i, a: __m128i, b: __m128i) -> __m128i {
    const { assert!(LEFT + RIGHT == 32) };
    let sum = _mm_add_epi32(a, b);
    _mm_ternarylogic_epi32::<XOR3>(to, _mm_slli_epi32::<LEFT>(sum), _mm_srli_epi32::<RIGHT>(sum))
}

step_avx2!(__m128i, xmm_reg, _mm_add_epi32);

#[inline(always)]
fn load(block: &Block) -> Rows {
    let (rows, _) = block.0.as_chunks::<4>();
    // SAFETY: the reference says that 16 bytes can be read there; quarters of a `Block` lie at multiples of 16.
    array::from_fn(|k| unsafe { _mm_load_si128((&raw const rows[k]).cast()) })
}

#[inline(always)]
fn store(block: &mut Block, t: Rows) {
    let (rows, _) = block.0.as_chunks_mut::<4>();
    for (row, t) in rows.iter_mut().zip(t) {
        // SAFETY: as in `load`, and the reference is the only one.
        unsafe { _mm_store_si128((&raw mut *row).cast(), t) }
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Backend;

    use super::super::tests::equals_portable;
    use super::*;

    #[test]
    fn rows_equal_portable() {
        for backend in parcrypt_testkit::backends("parcrypt-scrypt", &[Backend::Avx2, Backend::Avx512]) {
            // SAFETY: the backend is available.
            equals_portable(|group| unsafe {
                if backend == Backend::Avx2 { romix_rows_avx2(group) } else { romix_rows_avx512(group) }
            });
        }
    }
}
