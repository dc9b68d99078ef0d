//! AVX2: vectors of 32 bytes.
#![allow(
    unsafe_code,
    reason = "instructions are called outside of functions that enable them, behind the proof that they are there"
)]

use std::arch::x86_64::*;

use bytemuck::must_cast;

use crate::any::vectors::Words;
use crate::tuned::schedule::lanes16::{self, Lanes16};
use crate::tuned::schedule::lanes32::{self, Lanes32};

/// The proof that the processor has AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Returns the proof; only a function that enables the features can call it.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn here() -> Self {
        Avx2(())
    }
}

/// Calls an instruction.
macro_rules! with {
    ($proof:ident, $call:expr) => {{
        let Avx2(()) = $proof;
        // SAFETY: there is a proof only where `Avx2::here` could be called, in functions that enable AVX2, which is all
        // that the instructions here need.
        unsafe { $call }
    }};
}

impl Lanes16<16> for Avx2 {
    type V = __m256i;
    const IN_STEP: usize = 8;

    #[inline(always)]
    fn splat(self, x: i16) -> __m256i {
        with!(self, _mm256_set1_epi16(x))
    }
    #[inline(always)]
    fn load(self, lanes: &[i16; 16]) -> __m256i {
        must_cast(*lanes)
    }
    instructions! {
        add(a, b) = _mm256_add_epi16(a, b);
        sub(a, b) = _mm256_sub_epi16(a, b);
        mul_low(a, b) = _mm256_mullo_epi16(a, b);
        mul_high(a, b) = _mm256_mulhi_epi16(a, b);
        mul_round(a, b) = _mm256_mulhrs_epi16(a, b);
        min_unsigned(a, b) = _mm256_min_epu16(a, b);
        mul_pairs(a, b) = _mm256_madd_epi16(a, b);
        add_32(a, b) = _mm256_add_epi32(a, b);
        low_twice(a) = _mm256_shuffle_epi32::<0b10_10_00_00>(a);
        high_twice(a) = _mm256_shuffle_epi32::<0b11_11_01_01>(a);
        last_of(a, b) = _mm256_blend_epi16::<0x88>(a, b);
    }
    #[inline(always)]
    fn exchange(self, block: usize, u: __m256i, v: __m256i) -> (__m256i, __m256i) {
        match block {
            1 => with!(self, {
                let even = _mm256_blend_epi16::<0xaa>(u, _mm256_slli_epi32::<16>(v));
                (even, _mm256_blend_epi16::<0xaa>(_mm256_srli_epi32::<16>(u), v))
            }),
            2 => exchange_32(self, 1, u, v),
            4 => exchange_32(self, 2, u, v),
            _ => exchange_32(self, 4, u, v),
        }
    }
    #[inline(always)]
    fn halves(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        Lanes16::exchange(self, 1, a, b)
    }
    #[inline(always)]
    fn swap(self, a: __m256i) -> __m256i {
        self.order::<0b10_11_00_01>(a)
    }
    #[inline(always)]
    fn order<const ORDER: u8>(self, a: __m256i) -> __m256i {
        with!(self, {
            let bytes: __m128i = must_cast(const { lanes16::bytes(ORDER) });
            _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(bytes))
        })
    }
}

/// Exchanges blocks of `block` 32-bit lanes: 1, 2 or 4.
#[inline(always)]
fn exchange_32(proof: Avx2, block: usize, u: __m256i, v: __m256i) -> (__m256i, __m256i) {
    with!(proof, {
        match block {
            1 => (
                _mm256_blend_epi32::<0xaa>(u, _mm256_slli_epi64::<32>(v)),
                _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(u), v),
            ),
            2 => (_mm256_unpacklo_epi64(u, v), _mm256_unpackhi_epi64(u, v)),
            _ => (_mm256_permute2x128_si256::<0x20>(u, v), _mm256_permute2x128_si256::<0x31>(u, v)),
        }
    })
}

impl Lanes32<8> for Avx2 {
    type V = __m256i;
    const IN_STEP: usize = 4;
    /// A polynomial has 32 vectors.
    const LOOPS: bool = true;

    #[inline(always)]
    fn splat(self, x: i32) -> __m256i {
        with!(self, _mm256_set1_epi32(x))
    }
    #[inline(always)]
    fn load(self, lanes: &[i32; 8]) -> __m256i {
        must_cast(*lanes)
    }
    instructions! {
        add(a, b) = _mm256_add_epi32(a, b);
        sub(a, b) = _mm256_sub_epi32(a, b);
        mul_low(a, b) = _mm256_mullo_epi32(a, b);
        shift_23(a) = _mm256_srai_epi32::<23>(a);
        min_unsigned(a, b) = _mm256_min_epu32(a, b);
        mul_even(a, b) = _mm256_mul_epi32(a, b);
        odd(a) = _mm256_shuffle_epi32::<0b11_11_01_01>(a);
        add_64(a, b) = _mm256_add_epi64(a, b);
        sub_64(a, b) = _mm256_sub_epi64(a, b);
        odds(a, b) = _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(a), b);
    }
    #[inline(always)]
    fn exchange(self, block: usize, u: __m256i, v: __m256i) -> (__m256i, __m256i) {
        exchange_32(self, block, u, v)
    }
}

impl Words<8> for Avx2 {
    /// Of the even words, and of the odd ones.
    type Wide = (__m256i, __m256i);

    #[inline(always)]
    fn store(self, x: __m256i, words: &mut [u32; 8]) {
        *words = must_cast(x);
    }
    #[inline(always)]
    fn wide(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        with!(self, {
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            (_mm256_mul_epu32(a, b), odd)
        })
    }
    #[inline(always)]
    fn add_wide(self, a: (__m256i, __m256i), b: (__m256i, __m256i)) -> (__m256i, __m256i) {
        with!(self, (_mm256_add_epi64(a.0, b.0), _mm256_add_epi64(a.1, b.1)))
    }
    #[inline(always)]
    fn low(self, (even, odd): (__m256i, __m256i)) -> __m256i {
        exchange_32(self, 1, even, odd).0
    }
    #[inline(always)]
    fn high(self, (even, odd): (__m256i, __m256i)) -> __m256i {
        exchange_32(self, 1, even, odd).1
    }
    #[inline(always)]
    fn zip(self, block: usize, u: __m256i, v: __m256i) -> (__m256i, __m256i) {
        let (low, high) = with!(self, {
            match block {
                1 => (_mm256_unpacklo_epi32(u, v), _mm256_unpackhi_epi32(u, v)),
                _ => (_mm256_unpacklo_epi64(u, v), _mm256_unpackhi_epi64(u, v)),
            }
        });
        exchange_32(self, 4, low, high)
    }
    #[inline(always)]
    fn unzip(self, block: usize, u: __m256i, v: __m256i) -> (__m256i, __m256i) {
        with!(self, {
            let (even, odd) = match block {
                1 => {
                    let (u, v) = (_mm256_castsi256_ps(u), _mm256_castsi256_ps(v));
                    let even = _mm256_shuffle_ps::<0b10_00_10_00>(u, v);
                    (_mm256_castps_si256(even), _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(u, v)))
                }
                _ => (_mm256_unpacklo_epi64(u, v), _mm256_unpackhi_epi64(u, v)),
            };
            (_mm256_permute4x64_epi64::<0b11_01_10_00>(even), _mm256_permute4x64_epi64::<0b11_01_10_00>(odd))
        })
    }
    #[inline(always)]
    fn spread(self, block: usize, x: __m256i) -> __m256i {
        with!(self, {
            match block {
                1 => x,
                2 => _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3)),
                _ => _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)),
            }
        })
    }
}

impl Avx2 {
    /// Returns whether all lanes, unsigned, are below 3329.
    #[inline(always)]
    fn all_below_16<const R: usize>(self, x: &[__m256i; R]) -> bool {
        with!(self, {
            let largest = x.iter().fold(_mm256_setzero_si256(), |a, b| _mm256_max_epu16(a, *b));
            // The difference stays at 0 where it would be negative.
            let above = _mm256_subs_epu16(largest, _mm256_set1_epi16(lanes16::Q - 1));
            _mm256_testz_si256(above, above) == 1
        })
    }

    /// Returns whether all lanes, unsigned, are below 8380417.
    #[inline(always)]
    fn all_below_32<const R: usize>(self, x: &[__m256i; R]) -> bool {
        with!(self, {
            let largest = x.iter().fold(_mm256_setzero_si256(), |a, b| _mm256_max_epu32(a, *b));
            let limit = _mm256_set1_epi32(lanes32::Q);
            let above = _mm256_cmpeq_epi32(_mm256_max_epu32(largest, limit), largest);
            _mm256_testz_si256(above, above) == 1
        })
    }
}

rings!("avx2", Avx2, std::arch::x86_64::__m256i, std::arch::x86_64::__m256i, 1 in step);

words!(Avx2, 8);
