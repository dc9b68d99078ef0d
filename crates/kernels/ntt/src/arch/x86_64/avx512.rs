//! AVX-512: vectors of 64 bytes.
#![allow(
    unsafe_code,
    reason = "instructions are called outside of functions that enable them, behind the proof that they are there"
)]

use std::arch::x86_64::*;

use bytemuck::must_cast;

use crate::any::vectors::Words;
use crate::tuned::schedule::lanes16::{self, Lanes16};
use crate::tuned::schedule::lanes32::{self, Lanes32};

/// The proof that the processor has AVX-512 F, BW and VL.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Returns the proof; only a function that enables the features can call it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn here() -> Self {
        Avx512(())
    }
}

/// Calls an instruction.
macro_rules! with {
    ($proof:ident, $call:expr) => {{
        let Avx512(()) = $proof;
        // SAFETY: there is a proof only where `Avx512::here` could be called, in functions that enable the features of
        // all instructions here.
        unsafe { $call }
    }};
}

impl Lanes16<32> for Avx512 {
    type V = __m512i;
    const IN_STEP: usize = 8;

    #[inline(always)]
    fn splat(self, x: i16) -> __m512i {
        with!(self, _mm512_set1_epi16(x))
    }
    #[inline(always)]
    fn load(self, lanes: &[i16; 32]) -> __m512i {
        must_cast(*lanes)
    }
    instructions! {
        add(a, b) = _mm512_add_epi16(a, b);
        sub(a, b) = _mm512_sub_epi16(a, b);
        mul_low(a, b) = _mm512_mullo_epi16(a, b);
        mul_high(a, b) = _mm512_mulhi_epi16(a, b);
        mul_round(a, b) = _mm512_mulhrs_epi16(a, b);
        min_unsigned(a, b) = _mm512_min_epu16(a, b);
        mul_pairs(a, b) = _mm512_madd_epi16(a, b);
        add_32(a, b) = _mm512_add_epi32(a, b);
        swap(a) = _mm512_rol_epi32::<16>(a);
        low_twice(a) = _mm512_shuffle_epi32::<0b10_10_00_00>(a);
        high_twice(a) = _mm512_shuffle_epi32::<0b11_11_01_01>(a);
        last_of(a, b) = _mm512_mask_blend_epi16(0x8888_8888, a, b);
    }
    #[inline(always)]
    fn exchange(self, block: usize, u: __m512i, v: __m512i) -> (__m512i, __m512i) {
        match block {
            1 => with!(self, {
                let even = _mm512_mask_blend_epi16(0xaaaa_aaaa, u, _mm512_slli_epi32::<16>(v));
                (even, _mm512_mask_blend_epi16(0xaaaa_aaaa, _mm512_srli_epi32::<16>(u), v))
            }),
            2 => exchange_32(self, 1, u, v),
            4 => exchange_32(self, 2, u, v),
            8 => exchange_32(self, 4, u, v),
            _ => exchange_32(self, 8, u, v),
        }
    }
    #[inline(always)]
    fn halves(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        Lanes16::exchange(self, 1, a, b)
    }
    #[inline(always)]
    fn order<const ORDER: u8>(self, a: __m512i) -> __m512i {
        with!(self, {
            let bytes: __m128i = must_cast(const { lanes16::bytes(ORDER) });
            _mm512_shuffle_epi8(a, _mm512_broadcast_i32x4(bytes))
        })
    }
}

/// Exchanges blocks of `block` 32-bit lanes: 1, 2, 4 or 8.
#[inline(always)]
fn exchange_32(proof: Avx512, block: usize, u: __m512i, v: __m512i) -> (__m512i, __m512i) {
    with!(proof, {
        match block {
            1 => (
                _mm512_mask_shuffle_epi32::<0b10_10_00_00>(u, 0xaaaa, v),
                _mm512_mask_shuffle_epi32::<0b11_11_01_01>(v, 0x5555, u),
            ),
            2 => (_mm512_unpacklo_epi64(u, v), _mm512_unpackhi_epi64(u, v)),
            4 => (
                _mm512_mask_shuffle_i64x2::<0b10_00_00_00>(u, 0b1100_1100, v, v),
                _mm512_mask_shuffle_i64x2::<0b00_11_00_01>(v, 0b0011_0011, u, u),
            ),
            _ => (_mm512_shuffle_i64x2::<0b01_00_01_00>(u, v), _mm512_shuffle_i64x2::<0b11_10_11_10>(u, v)),
        }
    })
}

impl Lanes32<16> for Avx512 {
    type V = __m512i;
    const IN_STEP: usize = 8;

    #[inline(always)]
    fn splat(self, x: i32) -> __m512i {
        with!(self, _mm512_set1_epi32(x))
    }
    #[inline(always)]
    fn load(self, lanes: &[i32; 16]) -> __m512i {
        must_cast(*lanes)
    }
    instructions! {
        add(a, b) = _mm512_add_epi32(a, b);
        sub(a, b) = _mm512_sub_epi32(a, b);
        mul_low(a, b) = _mm512_mullo_epi32(a, b);
        shift_23(a) = _mm512_srai_epi32::<23>(a);
        min_unsigned(a, b) = _mm512_min_epu32(a, b);
        mul_even(a, b) = _mm512_mul_epi32(a, b);
        odd(a) = _mm512_shuffle_epi32::<0b11_11_01_01>(a);
        add_64(a, b) = _mm512_add_epi64(a, b);
        sub_64(a, b) = _mm512_sub_epi64(a, b);
        odds(a, b) = _mm512_mask_shuffle_epi32::<0b11_11_01_01>(b, 0x5555, a);
    }
    #[inline(always)]
    fn exchange(self, block: usize, u: __m512i, v: __m512i) -> (__m512i, __m512i) {
        exchange_32(self, block, u, v)
    }
}

/// Returns a table of 16 words, each computed from its index.
macro_rules! table {
    (|$i:ident| $word:expr) => {
        const {
            let (mut words, mut $i) = ([0_u32; 16], 0);
            while $i < 16 {
                words[$i] = ($word) as u32;
                $i += 1;
            }
            words
        }
    };
}

/// Returns the words of two vectors at the places in each of two tables; the second vector's begin at 16.
#[inline(always)]
fn permuted(proof: Avx512, [a, b]: [[u32; 16]; 2], u: __m512i, v: __m512i) -> (__m512i, __m512i) {
    with!(proof, {
        (_mm512_permutex2var_epi32(u, must_cast(a), v), _mm512_permutex2var_epi32(u, must_cast(b), v))
    })
}

impl Words<16> for Avx512 {
    /// Of the even words, and of the odd ones.
    type Wide = (__m512i, __m512i);

    #[inline(always)]
    fn store(self, x: __m512i, words: &mut [u32; 16]) {
        *words = must_cast(x);
    }
    #[inline(always)]
    fn wide(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        with!(self, {
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            (_mm512_mul_epu32(a, b), odd)
        })
    }
    #[inline(always)]
    fn add_wide(self, a: (__m512i, __m512i), b: (__m512i, __m512i)) -> (__m512i, __m512i) {
        with!(self, (_mm512_add_epi64(a.0, b.0), _mm512_add_epi64(a.1, b.1)))
    }
    #[inline(always)]
    fn low(self, (even, odd): (__m512i, __m512i)) -> __m512i {
        exchange_32(self, 1, even, odd).0
    }
    #[inline(always)]
    fn high(self, (even, odd): (__m512i, __m512i)) -> __m512i {
        exchange_32(self, 1, even, odd).1
    }
    #[inline(always)]
    fn zip(self, block: usize, u: __m512i, v: __m512i) -> (__m512i, __m512i) {
        // The blocks of the first vector and of the second in turn.
        match block {
            1 => {
                permuted(self, [table!(|i| 16 * (i % 2) + i / 2), table!(|i| 16 * (i % 2) + 8 + i / 2)], u, v)
            }
            _ => {
                let low = table!(|i| 16 * (i / 2 % 2) + i / 4 * 2 + i % 2);
                permuted(self, [low, table!(|i| 16 * (i / 2 % 2) + 8 + i / 4 * 2 + i % 2)], u, v)
            }
        }
    }
    #[inline(always)]
    fn unzip(self, block: usize, u: __m512i, v: __m512i) -> (__m512i, __m512i) {
        match block {
            1 => permuted(self, [table!(|i| 2 * i), table!(|i| 2 * i + 1)], u, v),
            _ => permuted(self, [table!(|i| i / 2 * 4 + i % 2), table!(|i| i / 2 * 4 + 2 + i % 2)], u, v),
        }
    }
    #[inline(always)]
    fn spread(self, block: usize, x: __m512i) -> __m512i {
        let from = match block {
            1 => return x,
            2 => table!(|i| i / 2),
            4 => table!(|i| i / 4),
            _ => table!(|i| i / 8),
        };
        with!(self, _mm512_permutexvar_epi32(must_cast(from), x))
    }
}

impl Avx512 {
    /// Returns whether all lanes, unsigned, are below 3329.
    #[inline(always)]
    fn all_below_16<const R: usize>(self, x: &[__m512i; R]) -> bool {
        with!(self, {
            let largest = x.iter().fold(_mm512_setzero_si512(), |a, b| _mm512_max_epu16(a, *b));
            _mm512_cmpge_epu16_mask(largest, _mm512_set1_epi16(lanes16::Q)) == 0
        })
    }

    /// Returns whether all lanes, unsigned, are below 8380417.
    #[inline(always)]
    fn all_below_32<const R: usize>(self, x: &[__m512i; R]) -> bool {
        with!(self, {
            let largest = x.iter().fold(_mm512_setzero_si512(), |a, b| _mm512_max_epu32(a, *b));
            _mm512_cmpge_epu32_mask(largest, _mm512_set1_epi32(lanes32::Q)) == 0
        })
    }
}

rings!("avx512f,avx512bw,avx512vl", Avx512, std::arch::x86_64::__m512i, std::arch::x86_64::__m512i, 2 in step);

words!(Avx512, 16);
