//! Eight words of AVX-512, with products of 52 bits of AVX-512 IFMA.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use parcrypt_cpu::{Avx2, Avx512, Has, Ifma};

use super::avx2::U64x4;
use crate::{Call, MAX_LANES, Mask, Words, Words52};

/// Eight words, where P says that AVX-512 is there.
#[derive(Clone, Copy, Debug)]
pub struct U64x8<P>(pub __m512i, PhantomData<P>);

/// A bit for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitMask(pub u8);

impl Mask for BitMask {
    #[inline(always)]
    fn from_bits(bits: u8) -> Self {
        BitMask(bits)
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        self.0
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        BitMask(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        BitMask(self.0 | other.0)
    }

    #[inline(always)]
    fn not(self) -> Self {
        BitMask(!self.0)
    }
}

/// Returns the mask of an instruction without pointers.
macro_rules! mask {
    ($instruction:expr) => {
        // SAFETY: as in `vector`.
        BitMask(unsafe { $instruction })
    };
}

impl<P: Has<Avx512> + Has<Avx2>> U64x8<P> {
    /// Returns the vector of a register.
    #[inline(always)]
    pub fn new(register: __m512i) -> Self {
        U64x8(register, PhantomData)
    }

    #[inline(always)]
    fn permuted<const A: i32>(self, other: Self) -> Self {
        vector!(U64x8, _mm512_shuffle_i64x2::<A>(self.0, other.0))
    }

    /// Returns the even words of both, in turn, and the odd ones.
    #[inline(always)]
    fn unpacked(self, other: Self) -> [Self; 2] {
        [
            vector!(U64x8, _mm512_unpacklo_epi64(self.0, other.0)),
            vector!(U64x8, _mm512_unpackhi_epi64(self.0, other.0)),
        ]
    }
}

impl<P: Has<Avx512> + Has<Avx2>> Words for U64x8<P> {
    const LANES: usize = 8;

    type Mask = BitMask;

    #[inline(always)]
    fn all(word: u64) -> Self {
        vector!(U64x8, _mm512_set1_epi64(word.cast_signed()))
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 8] = &words.as_chunks().0[0];
        // SAFETY: see `Has`; 64 bytes can be read there, and the load needs no alignment.
        U64x8::new(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words: &mut [u64; 8] = &mut words.as_chunks_mut().0[0];
        // SAFETY: see `Has`; 64 bytes can be written there, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let row = |lane: usize| U64x4::read_bytes(&bytes[lane * stride..].as_chunks().0[0]);
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        let reversed = |word: Self| {
            vector!(U64x8, {
                let order = _mm512_set4_epi64(
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                );
                _mm512_shuffle_epi8(word.0, order)
            })
        };
        // The words of a number are the most significant first.
        let [a, b, c, d] = columns(rows);
        [reversed(d), reversed(c), reversed(b), reversed(a)]
    }

    #[inline(always)]
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        let row = |lane: usize| U64x4::read(&elements[lane * stride]);
        columns([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)])
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        let rows = rows(words);
        for (lane, row) in rows.into_iter().enumerate() {
            row.write(&mut elements[lane * stride]);
        }
    }

    #[inline(always)]
    fn gather(elements: &[&[u64; 6]; MAX_LANES]) -> [Self; 6] {
        let mut rows = [[U64x4::all(0); 8]; 2];
        for (lane, element) in elements.iter().enumerate() {
            rows[0][lane] = U64x4::read(&element.as_chunks().0[0]);
            rows[1][lane] = U64x4::read(&element[2..].as_chunks().0[0]);
        }
        let ([a, b, c, d], [_, _, e, f]) = (columns(rows[0]), columns(rows[1]));
        [a, b, c, d, e, f]
    }

    #[inline(always)]
    fn scatter([a, b, c, d, e, f]: [Self; 6], elements: &mut [[u64; 6]; MAX_LANES]) {
        let (first, last) = (rows([a, b, c, d]), rows([c, d, e, f]));
        for (lane, element) in elements.iter_mut().enumerate() {
            first[lane].write(&mut element.as_chunks_mut().0[0]);
            last[lane].write(&mut element[2..].as_chunks_mut().0[0]);
        }
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let square: &mut [Self; 8] = &mut square.as_chunks_mut().0[0];
        let [a, b, c, d, e, f, g, h] = *square;
        // Pairs of words, blocks of 128 bits; then squares of four blocks.
        let (ab, cd, ef, gh) = (a.unpacked(b), c.unpacked(d), e.unpacked(f), g.unpacked(h));
        for odd in 0..2 {
            let abcd: Self = ab[odd].permuted::<0b01_00_01_00>(cd[odd]);
            let efgh: Self = ef[odd].permuted::<0b01_00_01_00>(gh[odd]);
            (square[odd], square[odd + 2]) =
                (abcd.permuted::<0b10_00_10_00>(efgh), abcd.permuted::<0b11_01_11_01>(efgh));
            let abcd: Self = ab[odd].permuted::<0b11_10_11_10>(cd[odd]);
            let efgh: Self = ef[odd].permuted::<0b11_10_11_10>(gh[odd]);
            (square[odd + 4], square[odd + 6]) =
                (abcd.permuted::<0b10_00_10_00>(efgh), abcd.permuted::<0b11_01_11_01>(efgh));
        }
    }

    instructions! { U64x8;
        plus(a, b) = _mm512_add_epi64(a, b);
        minus(a, b) = _mm512_sub_epi64(a, b);
        times_low(a, b) = _mm512_mul_epu32(a, b);
        and(a, b) = _mm512_and_si512(a, b);
        or(a, b) = _mm512_or_si512(a, b);
        xor(a, b) = _mm512_xor_si512(a, b);
        right<const BITS: i32>(a) = _mm512_srlv_epi64(a, _mm512_set1_epi64(BITS.into()));
        right_signed<const BITS: i32>(a) = _mm512_srav_epi64(a, _mm512_set1_epi64(BITS.into()));
        left<const BITS: i32>(a) = _mm512_sllv_epi64(a, _mm512_set1_epi64(BITS.into()));
        permute<const FROM: u32>(a) = {
            let from = |lane: u32| i64::from(FROM >> (3 * lane) & 7);
            let order = _mm512_setr_epi64(from(0), from(1), from(2), from(3), from(4), from(5), from(6), from(7));
            _mm512_permutexvar_epi64(order, a)
        };
        select<const LANES: u8>(a, b) = _mm512_mask_blend_epi64(LANES, a, b);
    }

    #[inline(always)]
    fn zeros(self) -> BitMask {
        mask!(_mm512_testn_epi64_mask(self.0, self.0))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> BitMask {
        mask!(_mm512_cmpeq_epi64_mask(self.0, other.0))
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> BitMask {
        mask!(_mm512_cmpgt_epi64_mask(self.0, other.0))
    }

    #[inline(always)]
    fn negative(self) -> BitMask {
        BitMask(self.high_bits())
    }

    #[inline(always)]
    fn high_bits(self) -> u8 {
        // SAFETY: see `Has`.
        unsafe { _mm512_movepi64_mask(self.0) }
    }

    #[inline(always)]
    fn or_in(self, mask: BitMask, other: Self) -> Self {
        vector!(U64x8, _mm512_mask_mov_epi64(self.0, mask.0, other.0))
    }

    #[inline(always)]
    fn only_in(self, mask: BitMask) -> Self {
        vector!(U64x8, _mm512_maskz_mov_epi64(mask.0, self.0))
    }

    #[inline(always)]
    fn exchange<const BIT: usize>(self) -> Self {
        match BIT {
            1 => self.permute::<0o67452301>(),
            2 => self.permute::<0o54761032>(),
            4 => self.permute::<0o32107654>(),
            _ => unreachable!("{BIT} of eight lanes"),
        }
    }

    #[inline(always)]
    fn broadcast(&self, lane: usize) -> Self {
        // A load of one word to all lanes.
        // SAFETY: a vector is eight words.
        let words: &[u64; 8] = unsafe { &*(&raw const self.0).cast() };
        Self::all(words[lane])
    }

    #[inline(always)]
    fn called<C: Call>(call: C) -> C::Result {
        // Without the attribute it would be in a codegen unit of its own, where it cannot be inlined.
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq")]
        fn enabled<P: Has<Avx512>, C: Call>(call: C) -> C::Result {
            call.call()
        }
        // SAFETY: see `Has`.
        unsafe { enabled::<P, C>(call) }
    }

    #[inline(always)]
    fn outlined<C: Call>(call: C) -> C::Result {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq")]
        fn enabled<P: Has<Avx512>, C: Call>(call: C) -> C::Result {
            call.call()
        }
        // SAFETY: see `Has`.
        unsafe { enabled::<P, C>(call) }
    }
}

/// Returns the words of eight rows: each word of all.
#[inline(always)]
fn columns<P: Has<Avx512> + Has<Avx2>>([a, b, c, d, e, f, g, h]: [U64x4<P>; 8]) -> [U64x8<P>; 4] {
    let both = |low: U64x4<P>, high: U64x4<P>| -> U64x8<P> {
        vector!(U64x8, _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low.0), high.0))
    };
    // Rows 0 and 2, and so on: words 0 and 2 of each two neighbours, then words 1 and 3.
    let [first, second] = both(a, c).unpacked(both(b, d));
    let [third, fourth] = both(e, g).unpacked(both(f, h));
    [
        first.permuted::<0b10_00_10_00>(third),
        second.permuted::<0b10_00_10_00>(fourth),
        first.permuted::<0b11_01_11_01>(third),
        second.permuted::<0b11_01_11_01>(fourth),
    ]
}

/// Returns the four words of each lane.
#[inline(always)]
fn rows<P: Has<Avx512> + Has<Avx2>>([a, b, c, d]: [U64x8<P>; 4]) -> [U64x4<P>; 8] {
    // Words 0 and 1 of lanes 0, 2, 4 and 6, and of the others; then words 2 and 3.
    let (low, high) = (a.unpacked(b), c.unpacked(d));
    let mut rows = [U64x4::all(0); 8];
    for odd in 0..2 {
        // SAFETY: see `Has`.
        unsafe {
            let first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
            let second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
            let pair = _mm512_permutex2var_epi64(low[odd].0, first, high[odd].0);
            rows[odd] = U64x4::new(_mm512_castsi512_si256(pair));
            rows[odd + 2] = U64x4::new(_mm512_extracti64x4_epi64::<1>(pair));
            let pair = _mm512_permutex2var_epi64(low[odd].0, second, high[odd].0);
            rows[odd + 4] = U64x4::new(_mm512_castsi512_si256(pair));
            rows[odd + 6] = U64x4::new(_mm512_extracti64x4_epi64::<1>(pair));
        }
    }
    rows
}

impl<P: Has<Ifma> + Has<Avx512> + Has<Avx2>> Words52 for U64x8<P> {
    instructions! { U64x8;
        plus_low(sum, a, b) = _mm512_madd52lo_epu64(sum, a, b);
        plus_high(sum, a, b) = _mm512_madd52hi_epu64(sum, a, b);
    }

    #[inline(always)]
    fn outlined_52<C: Call>(call: C) -> C::Result {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
        fn enabled<P: Has<Ifma>, C: Call>(call: C) -> C::Result {
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

    parcrypt_cpu::test_on! { Avx512:
        fn vectors_agree_with_plain_words() {
            agrees_with_plain_words::<U64x8<Here>>();
        }
    }

    parcrypt_cpu::test_on! { Ifma:
        fn products_agree_with_plain_words_in_eight_lanes() {
            products_agree_with_plain_words::<U64x8<Here>>();
        }
    }
}
