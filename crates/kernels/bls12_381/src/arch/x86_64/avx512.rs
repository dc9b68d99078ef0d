//! Fr in eight lanes of AVX-512.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::avx2::Vector as Half;
use super::{HasAvx512, HasIfma};
use crate::field::fp;
use crate::lanes::batch_affine::PointWords;
use crate::lanes::fp::{Limbs, Words28, product};
use crate::lanes::limbs29::{self, Limbs29};
use crate::lanes::limbs52::Words52;
use crate::lanes::{MOST_LANES, Words};

backend! {
    /// The backend `avx512`.
    Avx512
}

fr_lanes!(Avx512, "avx512f,avx512bw,avx512vl,avx512dq", Limbs29<Vector<Here>>);

/// Eight words, where P says that AVX-512 is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector<P>(pub(super) __m512i, pub(super) PhantomData<P>);

impl<P: HasAvx512> Words for Vector<P> {
    const LANES: usize = 8;

    #[inline(always)]
    fn all(word: u64) -> Self {
        vector!(_mm512_set1_epi64(word.cast_signed()))
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 8] = &words.as_chunks().0[0];
        // SAFETY: see `HasAvx512`; 64 bytes can be read there, and the load needs no alignment.
        Vector(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }, PhantomData)
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let row = |lane: usize| Half::read_bytes(&bytes[lane * stride..].as_chunks().0[0]);
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        let reversed = |word: Self| {
            vector!({
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
        let row = |lane: usize| Half::read(&elements[lane * stride]);
        columns([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)])
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        let mut store =
            |lane: usize, row: __m256i| Half::<P>(row, PhantomData).write(&mut elements[lane * stride]);
        let [a, b, c, d] = [words[0].0, words[1].0, words[2].0, words[3].0];
        // SAFETY: see `HasAvx512`.
        unsafe {
            // Words 0 and 1 of lanes 0, 2, 4 and 6, and of the others; then words 2 and 3.
            let (even_low, odd_low) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
            let (even_high, odd_high) = (_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
            let first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
            let second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
            for (lane, low, high) in [(0, even_low, even_high), (1, odd_low, odd_high)] {
                let pair = _mm512_permutex2var_epi64(low, first, high);
                store(lane, _mm512_castsi512_si256(pair));
                store(lane + 2, _mm512_extracti64x4_epi64::<1>(pair));
                let pair = _mm512_permutex2var_epi64(low, second, high);
                store(lane + 4, _mm512_castsi512_si256(pair));
                store(lane + 6, _mm512_extracti64x4_epi64::<1>(pair));
            }
        }
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let square: &mut [Self; 8] = &mut square.as_chunks_mut().0[0];
        let [a, b, c, d, e, f, g, h] = *square;
        // SAFETY: see `HasAvx512`.
        unsafe {
            // Pairs of words, blocks of 128 bits; then squares of four blocks.
            let pairs = |a: Self, b: Self| [_mm512_unpacklo_epi64(a.0, b.0), _mm512_unpackhi_epi64(a.0, b.0)];
            let (ab, cd, ef, gh) = (pairs(a, b), pairs(c, d), pairs(e, f), pairs(g, h));
            for odd in 0..2 {
                let low = |a, b| _mm512_shuffle_i64x2::<0b01_00_01_00>(a, b);
                let high = |a, b| _mm512_shuffle_i64x2::<0b11_10_11_10>(a, b);
                let even = |a, b| Vector(_mm512_shuffle_i64x2::<0b10_00_10_00>(a, b), PhantomData);
                let last = |a, b| Vector(_mm512_shuffle_i64x2::<0b11_01_11_01>(a, b), PhantomData);
                let (abcd, efgh) = (low(ab[odd], cd[odd]), low(ef[odd], gh[odd]));
                (square[odd], square[odd + 2]) = (even(abcd, efgh), last(abcd, efgh));
                let (abcd, efgh) = (high(ab[odd], cd[odd]), high(ef[odd], gh[odd]));
                (square[odd + 4], square[odd + 6]) = (even(abcd, efgh), last(abcd, efgh));
            }
        }
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words: &mut [u64; 8] = &mut words.as_chunks_mut().0[0];
        // SAFETY: see `HasAvx512`; 64 bytes can be written there, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn has_high_bit(self) -> bool {
        // SAFETY: see `HasAvx512`.
        unsafe { _mm512_movepi64_mask(self.0) != 0 }
    }

    instructions! {
        plus(a, b) = _mm512_add_epi64(a, b);
        minus(a, b) = _mm512_sub_epi64(a, b);
        times_low(a, b) = _mm512_mul_epu32(a, b);
        and(a, b) = _mm512_and_si512(a, b);
        or(a, b) = _mm512_or_si512(a, b);
    }

    #[inline(always)]
    fn right<const BITS: i32>(self) -> Self {
        vector!(_mm512_srlv_epi64(self.0, _mm512_set1_epi64(BITS.into())))
    }

    #[inline(always)]
    fn left<const BITS: i32>(self) -> Self {
        vector!(_mm512_sllv_epi64(self.0, _mm512_set1_epi64(BITS.into())))
    }

    outlined! { HasAvx512, "avx512f,avx512bw,avx512vl,avx512dq";
        limbs29_product(
            a: &[Vector<P>; limbs29::COUNT],
            b: &[Vector<P>; limbs29::COUNT],
            more: &[Vector<P>; limbs29::COUNT]
        ) -> [Vector<P>; limbs29::COUNT] = limbs29::product;
    }
}

point_lanes!(Avx512, "avx512f,avx512bw,avx512vl,avx512dq", Vector<Here>);

impl<P: HasAvx512> Words28 for Vector<P> {
    outlined! { HasAvx512, "avx512f,avx512bw,avx512vl,avx512dq";
        product(a: &Limbs<Vector<P>>, b: &Limbs<Vector<P>>) -> Limbs<Vector<P>> = product;
    }
}

impl<P: HasAvx512> PointWords for Vector<P> {
    #[inline(always)]
    fn gather(elements: &[&fp::Words; MOST_LANES]) -> [Self; 6] {
        let mut rows = [[Half::read(&[0; 4]); 8]; 2];
        for (lane, element) in elements.iter().enumerate() {
            rows[0][lane] = Half::read(&element.as_chunks().0[0]);
            rows[1][lane] = Half::read(&element[2..].as_chunks().0[0]);
        }
        let ([a, b, c, d], [_, _, e, f]) = (columns(rows[0]), columns(rows[1]));
        [a, b, c, d, e, f]
    }

    #[inline(always)]
    fn scatter(words: [Self; 6], elements: &mut [fp::Words; MOST_LANES]) {
        let [a, b, c, d, e, f] = words;
        let mut halves = [[[0; 4]; MOST_LANES]; 2];
        Vector::store_elements([a, b, c, d], &mut halves[0], 1);
        Vector::store_elements([c, d, e, f], &mut halves[1], 1);
        for (lane, element) in elements.iter_mut().enumerate() {
            element[..4].copy_from_slice(&halves[0][lane]);
            element[2..].copy_from_slice(&halves[1][lane]);
        }
    }
}

/// Returns the words of eight rows: each word of all.
#[inline(always)]
fn columns<P: HasAvx512>([a, b, c, d, e, f, g, h]: [Half<P>; 8]) -> [Vector<P>; 4] {
    // SAFETY: see `HasAvx512`.
    unsafe {
        let both =
            |low: Half<P>, high: Half<P>| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low.0), high.0);
        // Rows 0 and 2, and so on: words 0 and 2 of each two neighbours, then words 1 and 3.
        let (ac, bd, eg, fh) = (both(a, c), both(b, d), both(e, g), both(f, h));
        let (first, second) = (_mm512_unpacklo_epi64(ac, bd), _mm512_unpackhi_epi64(ac, bd));
        let (third, fourth) = (_mm512_unpacklo_epi64(eg, fh), _mm512_unpackhi_epi64(eg, fh));
        [
            Vector(_mm512_shuffle_i64x2::<0b10_00_10_00>(first, third), PhantomData),
            Vector(_mm512_shuffle_i64x2::<0b10_00_10_00>(second, fourth), PhantomData),
            Vector(_mm512_shuffle_i64x2::<0b11_01_11_01>(first, third), PhantomData),
            Vector(_mm512_shuffle_i64x2::<0b11_01_11_01>(second, fourth), PhantomData),
        ]
    }
}

impl<P: HasIfma> Words52 for Vector<P> {
    instructions! {
        plus_low(sum, a, b) = _mm512_madd52lo_epu64(sum, a, b);
        plus_high(sum, a, b) = _mm512_madd52hi_epu64(sum, a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::batch_affine::tests::elements_keep_their_lanes;
    use crate::lanes::fp::tests::elements_agree_with_words;
    use crate::lanes::fr::tests::{agrees_with_fr, limbs29_products_agree_with_fr};
    use crate::lanes::limbs52::Limbs52;
    use crate::lanes::limbs52::tests::products_agree_with_the_model;
    use crate::lanes::tests::agrees_with_the_model;

    test_on! { Avx512, "avx512f,avx512bw,avx512vl,avx512dq";
        fn vectors_agree_with_the_model() {
            agrees_with_the_model::<Vector<Here>>();
            agrees_with_fr::<Limbs29<Vector<Here>>>();
            limbs29_products_agree_with_fr::<Vector<Here>>();
            elements_agree_with_words::<Vector<Here>>();
            elements_keep_their_lanes::<Vector<Here>>();
        }
    }

    test_on! { Ifma, "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma";
        fn limbs52_agree_with_the_model() {
            products_agree_with_the_model::<Vector<Here>>();
            agrees_with_fr::<Limbs52<Vector<Here>>>();
        }
    }
}
