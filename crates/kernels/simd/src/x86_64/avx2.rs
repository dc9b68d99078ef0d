//! Four words of AVX2, with products of 52 bits of AVX-IFMA.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use parcrypt_cpu::{Avx2, AvxIfma, Has};

use crate::{Call, LaneMask, MAX_LANES, Words, Words52};

/// Four words, where P says that AVX2 is there.
#[derive(Clone, Copy, Debug)]
pub struct U64x4<P>(pub __m256i, PhantomData<P>);

impl<P: Has<Avx2>> U64x4<P> {
    /// Returns the vector of a register.
    #[inline(always)]
    pub fn new(register: __m256i) -> Self {
        U64x4(register, PhantomData)
    }

    /// Returns these words.
    #[inline(always)]
    pub(super) fn read(words: &[u64; 4]) -> Self {
        // SAFETY: see `Has`; 32 bytes can be read there, and the load needs no alignment.
        U64x4::new(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }

    /// Returns the words of these bytes, little-endian.
    #[inline(always)]
    pub(super) fn read_bytes(bytes: &[u8; 32]) -> Self {
        // SAFETY: as in `read`.
        U64x4::new(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
    }

    /// Writes the words.
    #[inline(always)]
    pub(super) fn write(self, words: &mut [u64; 4]) {
        // SAFETY: see `Has`; 32 bytes can be written there, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }
}

/// Returns the columns of a square of words.
#[inline(always)]
fn transposed<P: Has<Avx2>>([a, b, c, d]: [U64x4<P>; 4]) -> [U64x4<P>; 4] {
    let even = |a: U64x4<P>, b: U64x4<P>| -> U64x4<P> { vector!(U64x4, _mm256_unpacklo_epi64(a.0, b.0)) };
    let odd = |a: U64x4<P>, b: U64x4<P>| -> U64x4<P> { vector!(U64x4, _mm256_unpackhi_epi64(a.0, b.0)) };
    let low = |a: U64x4<P>, b: U64x4<P>| vector!(U64x4, _mm256_permute2x128_si256::<0x20>(a.0, b.0));
    let high = |a: U64x4<P>, b: U64x4<P>| vector!(U64x4, _mm256_permute2x128_si256::<0x31>(a.0, b.0));
    let (ab_even, ab_odd, cd_even, cd_odd) = (even(a, b), odd(a, b), even(c, d), odd(c, d));
    [low(ab_even, cd_even), low(ab_odd, cd_odd), high(ab_even, cd_even), high(ab_odd, cd_odd)]
}

impl<P: Has<Avx2>> Words for U64x4<P> {
    const LANES: usize = 4;

    type Mask = LaneMask<Self>;

    #[inline(always)]
    fn all(word: u64) -> Self {
        vector!(U64x4, _mm256_set1_epi64x(word.cast_signed()))
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        U64x4::read(&words.as_chunks().0[0])
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.write(&mut words.as_chunks_mut().0[0]);
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let row = |lane: usize| {
            let number: Self = U64x4::read_bytes(&bytes[lane * stride..].as_chunks().0[0]);
            vector!(U64x4, {
                let reversed = _mm256_set_epi64x(
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                );
                _mm256_shuffle_epi8(number.0, reversed)
            })
        };
        let [a, b, c, d] = transposed([row(0), row(1), row(2), row(3)]);
        // The words of a number are the most significant first.
        [d, c, b, a]
    }

    #[inline(always)]
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        let row = |lane: usize| U64x4::read(&elements[lane * stride]);
        transposed([row(0), row(1), row(2), row(3)])
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        for (lane, row) in transposed(words).into_iter().enumerate() {
            row.write(&mut elements[lane * stride]);
        }
    }

    #[inline(always)]
    fn gather(elements: &[&[u64; 6]; MAX_LANES]) -> [Self; 6] {
        let row = |lane: usize, word: usize| U64x4::read(&elements[lane][word..].as_chunks().0[0]);
        let [a, b, c, d] = transposed([row(0, 0), row(1, 0), row(2, 0), row(3, 0)]);
        let [_, _, e, f] = transposed([row(0, 2), row(1, 2), row(2, 2), row(3, 2)]);
        [a, b, c, d, e, f]
    }

    #[inline(always)]
    fn scatter([a, b, c, d, e, f]: [Self; 6], elements: &mut [[u64; 6]; MAX_LANES]) {
        let (first, last) = (transposed([a, b, c, d]), transposed([c, d, e, f]));
        for (lane, element) in elements[..4].iter_mut().enumerate() {
            first[lane].write(&mut element.as_chunks_mut().0[0]);
            last[lane].write(&mut element[2..].as_chunks_mut().0[0]);
        }
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let square: &mut [Self; 4] = &mut square.as_chunks_mut().0[0];
        *square = transposed(*square);
    }

    instructions! { U64x4;
        plus(a, b) = _mm256_add_epi64(a, b);
        minus(a, b) = _mm256_sub_epi64(a, b);
        times_low(a, b) = _mm256_mul_epu32(a, b);
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        right<const BITS: i32>(a) = _mm256_srli_epi64::<BITS>(a);
        left<const BITS: i32>(a) = _mm256_slli_epi64::<BITS>(a);
        // The compiler finds the instruction for a constant order or mask.
        permute<const FROM: u32>(a) = {
            let from = |half: u32| 2 * (FROM >> (3 * (half / 2)) & 3) as i32 + half as i32 % 2;
            let order = _mm256_setr_epi32(from(0), from(1), from(2), from(3), from(4), from(5), from(6), from(7));
            _mm256_permutevar8x32_epi32(a, order)
        };
        select<const LANES: u8>(a, b) = {
            let ones = |lane: u8| -i64::from(LANES >> lane & 1);
            _mm256_blendv_epi8(a, b, _mm256_setr_epi64x(ones(0), ones(1), ones(2), ones(3)))
        };
    }

    #[inline(always)]
    fn right_signed<const BITS: i32>(self) -> Self {
        let sign = Self::all(1 << (63 - BITS));
        self.right::<BITS>().xor(sign).minus(sign)
    }

    #[inline(always)]
    fn zeros(self) -> Self::Mask {
        LaneMask(vector!(U64x4, _mm256_cmpeq_epi64(self.0, _mm256_setzero_si256())))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        LaneMask(vector!(U64x4, _mm256_cmpeq_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Self::Mask {
        LaneMask(vector!(U64x4, _mm256_cmpgt_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn negative(self) -> Self::Mask {
        Self::all(0).exceeds(self)
    }

    #[inline(always)]
    fn high_bits(self) -> u8 {
        // SAFETY: see `Has`.
        (unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.0)) }) as u8
    }

    #[inline(always)]
    fn or_in(self, LaneMask(mask): Self::Mask, other: Self) -> Self {
        vector!(U64x4, _mm256_blendv_epi8(self.0, other.0, mask.0))
    }

    #[inline(always)]
    fn only_in(self, LaneMask(mask): Self::Mask) -> Self {
        self.and(mask)
    }

    #[inline(always)]
    fn exchange<const BIT: usize>(self) -> Self {
        match BIT {
            1 => self.permute::<0o2301>(),
            2 => self.permute::<0o1032>(),
            _ => unreachable!("{BIT} of four lanes"),
        }
    }

    #[inline(always)]
    fn broadcast(&self, lane: usize) -> Self {
        // A load of one word to all lanes.
        // SAFETY: a vector is four words.
        let words: &[u64; 4] = unsafe { &*(&raw const self.0).cast() };
        Self::all(words[lane])
    }

    #[inline(always)]
    fn called<C: Call>(call: C) -> C::Result {
        // Without the attribute it would be in a codegen unit of its own, where it cannot be inlined.
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn enabled<P: Has<Avx2>, C: Call>(call: C) -> C::Result {
            call.call()
        }
        // SAFETY: see `Has`.
        unsafe { enabled::<P, C>(call) }
    }

    #[inline(always)]
    fn outlined<C: Call>(call: C) -> C::Result {
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn enabled<P: Has<Avx2>, C: Call>(call: C) -> C::Result {
            call.call()
        }
        // Rust 1.91 and later inline functions with target features in spite of this attribute.
        #[inline(never)]
        fn border<P: Has<Avx2>, C: Call>(call: C) -> C::Result {
            // SAFETY: see `Has`.
            unsafe { enabled::<P, C>(call) }
        }
        border::<P, C>(call)
    }
}

impl<P: Has<AvxIfma> + Has<Avx2>> Words52 for U64x4<P> {
    instructions! { U64x4;
        plus_low(sum, a, b) = _mm256_madd52lo_avx_epu64(sum, a, b);
        plus_high(sum, a, b) = _mm256_madd52hi_avx_epu64(sum, a, b);
    }

    #[inline(always)]
    fn outlined_52<C: Call>(call: C) -> C::Result {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,avxifma")]
        fn enabled<P: Has<AvxIfma>, C: Call>(call: C) -> C::Result {
            call.call()
        }
        // SAFETY: see `Has`.
        unsafe { enabled::<P, C>(call) }
    }
}

/// An instruction set that differs from AVX-IFMA in the encoding of the two products alone: that of AVX-512 IFMA on
/// vectors of 256 bits, which other processors have. P says that AVX-512 IFMA is there.
#[cfg(feature = "models")]
#[derive(Clone, Copy, Debug)]
pub struct OtherEncoding<P>(PhantomData<P>);

// SAFETY: its parameter can be named only where AVX-512 IFMA is.
#[cfg(feature = "models")]
unsafe impl<P: Has<parcrypt_cpu::Ifma>> Has<Avx2> for OtherEncoding<P> {}

#[cfg(feature = "models")]
impl<P: Has<parcrypt_cpu::Ifma>> Words52 for U64x4<OtherEncoding<P>> {
    instructions! { U64x4;
        plus_low(sum, a, b) = _mm256_madd52lo_epu64(sum, a, b);
        plus_high(sum, a, b) = _mm256_madd52hi_epu64(sum, a, b);
    }

    #[inline(always)]
    fn outlined_52<C: Call>(call: C) -> C::Result {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
        fn enabled<P: Has<parcrypt_cpu::Ifma>, C: Call>(call: C) -> C::Result {
            call.call()
        }
        // SAFETY: see `Has`.
        unsafe { enabled::<P, C>(call) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tests::{agrees_with_plain_words, products_agree_with_plain_words};

    parcrypt_cpu::test_on! { Avx2:
        fn vectors_agree_with_plain_words() {
            agrees_with_plain_words::<U64x4<Here>>();
        }
    }

    parcrypt_cpu::test_on! { AvxIfma:
        fn products_of_avx_ifma_agree_with_plain_words() {
            products_agree_with_plain_words::<U64x4<Here>>();
        }
    }

    parcrypt_cpu::test_on! { Ifma:
        fn the_other_encoding_agrees_with_plain_words() {
            agrees_with_plain_words::<U64x4<OtherEncoding<Here>>>();
            products_agree_with_plain_words::<U64x4<OtherEncoding<Here>>>();
        }
    }
}
