//! AVX-512, one lane: its four rows in registers of 128 bits.
//!
//! The chain is as long as in general registers where additions, shifts and exclusive-ors of vectors take one cycle,
//! with 19 instructions a round instead of 48. So it is not delayed by the number of arithmetic units. A rotation
//! takes two cycles on Zen 4, so it is two shifts here, and one exclusive-or of three operands takes them up.
#![allow(clippy::needless_range_loop, reason = "one index stands for the same block of X, V and Y")]
#![allow(unsafe_code, reason = "loads and stores take pointers")]

use std::arch::x86_64::*;
use std::array;

use super::avx512::XOR3;
use super::single::romix_single;
use super::{AHEAD, place, prefetch, vectors_take_two_cycles};
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
    if vectors_take_two_cycles() { romix_single(group) } else { romix_rows(group) }
}

/// Computes scryptROMix for one lane in vectors.
#[target_feature(enable = "avx512f,avx512vl")]
fn romix_rows(group: Group<'_>) -> bool {
    let Group { rows, row, b, v, scratch, tick } = group;
    for block in &mut *b {
        block.0 = PACKED.map(|w| block.0[w]);
    }
    let packed = Group { rows, row, b: &mut *b, v, scratch, tick };
    let done = romix_with::<SECOND>(
        packed,
        |x, y| block_mix::<false>(x, x, y),
        |x, v, y| block_mix::<true>(x, v, y),
    );
    for block in b {
        let packed = block.0;
        for (word, at) in packed.into_iter().zip(PACKED) {
            block.0[at] = word;
        }
    }
    done
}

/// Computes scryptBlockMix of `b`, or of `b` xor `v`; all three have the same even number of blocks.
#[target_feature(enable = "avx512f,avx512vl")]
fn block_mix<const XOR: bool>(b: &[Block], v: &[Block], y: &mut [Block]) {
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
        // Salsa20/8, here because in a function it would not be inlined: it would take two arguments in memory.
        let start = xor(x, input::<XOR>(&b[i], &v[i]));
        let [mut a, mut b, mut c, mut d] = start;
        for _ in 0..8 {
            b = step::<7, 25>(b, a, d);
            c = step::<9, 23>(c, b, a);
            d = step::<13, 19>(d, c, b);
            a = step::<18, 14>(a, d, c);
            // Rows 1 and 3 change places, as columns become rows, or rows columns.
            (b, d) = (_mm_shuffle_epi32::<0b00_11_10_01>(d), _mm_shuffle_epi32::<0b10_01_00_11>(b));
            c = _mm_shuffle_epi32::<0b01_00_11_10>(c);
        }
        let end = [a, b, c, d];
        x = array::from_fn(|k| _mm_add_epi32(end[k], start[k]));
        store(&mut y[place(i, row)], x);
    }
}

/// Returns `b`, or `b` xor `v`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn input<const XOR: bool>(b: &Block, v: &Block) -> Rows {
    if XOR { xor(load(b), load(v)) } else { load(b) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor(a: Rows, b: Rows) -> Rows {
    array::from_fn(|k| _mm_xor_si128(a[k], b[k]))
}

/// Computes `to` xor (`a` + `b`) <<< `LEFT`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn step<const LEFT: i32, const RIGHT: i32>(to: __m128i, a: __m128i, b: __m128i) -> __m128i {
    const { assert!(LEFT + RIGHT == 32) };
    let sum = _mm_add_epi32(a, b);
    _mm_ternarylogic_epi32::<XOR3>(to, _mm_slli_epi32::<LEFT>(sum), _mm_srli_epi32::<RIGHT>(sum))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn load(block: &Block) -> Rows {
    let (rows, _) = block.0.as_chunks::<4>();
    // SAFETY: the reference says that 16 bytes can be read there; quarters of a `Block` lie at multiples of 16.
    array::from_fn(|k| unsafe { _mm_load_si128((&raw const rows[k]).cast()) })
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn store(block: &mut Block, t: Rows) {
    let (rows, _) = block.0.as_chunks_mut::<4>();
    for (row, t) in rows.iter_mut().zip(t) {
        // SAFETY: as in `load`, and the reference is the only one.
        unsafe { _mm_store_si128((&raw mut *row).cast(), t) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::equals_portable;
    use super::*;

    #[test]
    fn rows_equal_portable() {
        if parcrypt_testkit::backends("parcrypt-scrypt", &[parcrypt_cpu::Backend::Avx512]).is_empty() {
            return;
        }
        // SAFETY: the backend is available.
        equals_portable(|group| unsafe { romix_rows(group) });
    }
}
