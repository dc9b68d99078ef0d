//! Four, eight and sixteen words of 32 bits.

use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;

use parcrypt_cpu::{Avx2, Avx512, Has};

use crate::{Call, Words32};

/// Declares a vector by its instructions.
macro_rules! words32 {
    (
        $(#[$doc:meta])* $Vector:ident($register:ty): $Set:ident, $features:literal, $lanes:literal, $all:ident, $load:ident, $store:ident,
        $stream:ident, $plus:ident, $xor:ident, $order:ident, $step:ident, |$quarters:ident| $transposed:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Vector<P>($register, PhantomData<P>);

        impl<P: Has<$Set>> Words32 for $Vector<P> {
            const LANES: usize = $lanes;

            #[inline(always)]
            fn all(word: u32) -> Self {
                vector!($Vector, $all(word.cast_signed()))
            }

            #[inline(always)]
            fn load(words: &[u32]) -> Self {
                let words: &[u32; $lanes] = &words.as_chunks().0[0];
                // SAFETY: see `Has`; the words can be read, and the load needs no alignment.
                $Vector(unsafe { $load(words.as_ptr().cast()) }, PhantomData)
            }

            #[inline(always)]
            fn store(self, words: &mut [u32]) {
                let words: &mut [u32; $lanes] = &mut words.as_chunks_mut().0[0];
                // SAFETY: see `Has`; the words can be written, and the store needs no alignment.
                unsafe { $store(words.as_mut_ptr().cast(), self.0) }
            }

            #[inline(always)]
            fn stream(self, words: &mut [u32]) {
                let words: *mut $register = words.as_chunks_mut::<$lanes>().0[0].as_mut_ptr().cast();
                assert!(words.is_aligned(), "a vector is streamed to a multiple of its size");
                // SAFETY: see `Has`; the words can be written, and the address is a multiple of the size.
                unsafe { $stream(words, self.0) }
            }

            #[inline(always)]
            fn fence() {
                // SAFETY: every x86-64 has it.
                unsafe { _mm_sfence() }
            }

            instructions! { $Vector;
                plus(a, b) = $plus(a, b);
                xor(a, b) = $xor(a, b);
                order<const FROM: i32>(a) = $order::<FROM>(a);
            }

            #[inline(always)]
            fn xor_rotated<const LEFT: i32>(self, sum: Self, chains: usize) -> Self {
                vector!($Vector, $step::<LEFT>(self.0, sum.0, chains))
            }

            #[inline(always)]
            fn outlined<C: Call>(call: C) -> C::Result {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn enabled<P: Has<$Set>, C: Call>(call: C) -> C::Result {
                    call.call()
                }
                // SAFETY: see `Has`.
                unsafe { enabled::<P, C>(call) }
            }

            #[inline(always)]
            #[allow(unused_unsafe, reason = "four words move nothing")]
            fn transpose($quarters: &mut [Self; 4]) {
                let [a, b, c, d] = $quarters.map(|quarter| quarter.0);
                // SAFETY: see `Has`.
                let [a, b, c, d] = unsafe { $transposed([a, b, c, d]) };
                *$quarters = [
                    $Vector(a, PhantomData), $Vector(b, PhantomData), $Vector(c, PhantomData), $Vector(d, PhantomData),
                ];
            }
        }
    };
}

words32! {
    /// Four words, where P says that AVX2 is there.
    U32x4(__m128i): Avx2, "avx2,bmi1,bmi2", 4, _mm_set1_epi32, _mm_loadu_si128, _mm_storeu_si128, _mm_stream_si128, _mm_add_epi32,
    _mm_xor_si128, _mm_shuffle_epi32, step_4, |quarters| same
}
words32! {
    /// Eight words, where P says that AVX2 is there.
    U32x8(__m256i): Avx2, "avx2,bmi1,bmi2", 8, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_stream_si256,
    _mm256_add_epi32, _mm256_xor_si256, _mm256_shuffle_epi32, step_8, |quarters| transposed_8
}
words32! {
    /// Four words, where P says that AVX-512 is there.
    U32x4Avx512(__m128i): Avx512, "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq", 4, _mm_set1_epi32, _mm_loadu_si128, _mm_storeu_si128, _mm_stream_si128,
    _mm_add_epi32, _mm_xor_si128, _mm_shuffle_epi32, step_4_avx512, |quarters| same
}
words32! {
    /// Sixteen words, where P says that AVX-512 is there.
    U32x16(__m512i): Avx512, "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq", 16, _mm512_set1_epi32, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_stream_si512,
    _mm512_add_epi32, _mm512_xor_si512, _mm512_shuffle_epi32, step_16, |quarters| transposed_16
}

/// Defines a step with AVX2.
///
/// The shift that comes first is xored first, while the other one is computed: on Zen 3 they do not start in the same
/// cycle. In the order in which the compiler writes it the step takes five cycles instead of four.
macro_rules! step_avx2 {
    ($step:ident, $vector:ty, $register:ident) => {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn $step<const LEFT: i32>(mut to: $vector, sum: $vector, _: usize) -> $vector {
            // SAFETY: only declared vector registers are written, and neither memory, the stack nor flags are used; the
            // attribute enables AVX2. `left` is written before the last read of the others, so it must not be a late
            // output.
            unsafe {
                asm!(
                    "vpslld {left}, {sum}, {by}", "vpsrld {sum}, {sum}, {back}",
                    "vpxor {to}, {to}, {left}", "vpxor {to}, {to}, {sum}",
                    left = out($register) _, sum = inout($register) sum => _, to = inout($register) to,
                    by = const LEFT, back = const 32 - LEFT, options(pure, nomem, nostack, preserves_flags)
                );
            }
            to
        }
    };
}

step_avx2!(step_4, __m128i, xmm_reg);
step_avx2!(step_8, __m256i, ymm_reg);

/// The table of `vpternlogd` that xors its three operands.
const XOR3: i32 = 0x96;

/// Defines a step with AVX-512.
///
/// On Zen 4 a rotation takes two cycles, but a shift and an exclusive-or of three operands one each. So a single chain
/// is a quarter shorter by shifts. With more, which fill the processor, an instruction less counts.
macro_rules! step_avx512 {
    ($step:ident, $vector:ty, $all:ident, $left:ident, $right:ident, $rotated:ident, $xor:ident, $xor3:ident) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn $step<const LEFT: i32>(to: $vector, sum: $vector, chains: usize) -> $vector {
            if chains == 1 {
                return $xor3::<XOR3>(to, $left(sum, $all(LEFT)), $right(sum, $all(32 - LEFT)));
            }
            $xor(to, $rotated(sum, $all(LEFT)))
        }
    };
}

step_avx512!(
    step_4_avx512,
    __m128i,
    _mm_set1_epi32,
    _mm_sllv_epi32,
    _mm_srlv_epi32,
    _mm_rolv_epi32,
    _mm_xor_si128,
    _mm_ternarylogic_epi32
);
step_avx512!(
    step_16,
    __m512i,
    _mm512_set1_epi32,
    _mm512_sllv_epi32,
    _mm512_srlv_epi32,
    _mm512_rolv_epi32,
    _mm512_xor_si512,
    _mm512_ternarylogic_epi32
);

#[inline(always)]
fn same(quarters: [__m128i; 4]) -> [__m128i; 4] {
    quarters
}

#[inline]
#[target_feature(enable = "avx2")]
fn transposed_8([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    [
        _mm256_permute2x128_si256::<0x20>(a, b),
        _mm256_permute2x128_si256::<0x31>(a, b),
        _mm256_permute2x128_si256::<0x20>(c, d),
        _mm256_permute2x128_si256::<0x31>(c, d),
    ]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn transposed_16([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let low = [_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d)];
    let high = [_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d)];
    [
        _mm512_shuffle_i32x4::<0x88>(low[0], low[1]),
        _mm512_shuffle_i32x4::<0xdd>(low[0], low[1]),
        _mm512_shuffle_i32x4::<0x88>(high[0], high[1]),
        _mm512_shuffle_i32x4::<0xdd>(high[0], high[1]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words32::tests::agrees_with_plain_words;

    parcrypt_cpu::test_on! { Avx2:
        fn words32_of_avx2_agree_with_plain_words() {
            agrees_with_plain_words::<U32x4<Here>, 4>();
            agrees_with_plain_words::<U32x8<Here>, 8>();
        }
    }

    parcrypt_cpu::test_on! { Avx512:
        fn words32_of_avx512_agree_with_plain_words() {
            agrees_with_plain_words::<U32x4Avx512<Here>, 4>();
            agrees_with_plain_words::<U32x16<Here>, 16>();
        }
    }
}
