//! Fr in eight lanes of AVX-512.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

use std::arch::x86_64::*;

use super::avx2::{load, store};
use crate::Fr;
use crate::curve::affine::{Accumulate, Point, Sum};
use crate::curve::endomorphism::GlvTable;
use crate::field::fp;
use crate::lanes::additions::PointWords;
use crate::lanes::fp::{Limbs, Words28, product};
use crate::lanes::narrow::{self, Narrow};
use crate::lanes::transform::Roots;
use crate::lanes::wide::Words52;
use crate::lanes::{MOST_LANES, Words};

/// The backend `avx512`.
#[derive(Debug)]
pub(crate) struct Avx512 {
    /// Only [`Avx512::new`] returns a value.
    _private: (),
}

impl Avx512 {
    /// Returns the backend.
    ///
    /// # Safety
    /// The machine must have `Backend::Avx512` wherever a method is called.
    pub(crate) const unsafe fn new() -> Avx512 {
        Avx512 { _private: () }
    }
}

fr_lanes!(Avx512, "avx512f,avx512bw,avx512vl,avx512dq", Narrow<Vector>);

/// Eight words. Only functions with AVX-512 compute with it, which the safety of every
/// method here relies on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector(pub(super) __m512i);

impl Words for Vector {
    const LANES: usize = 8;

    #[inline(always)]
    fn all(word: u64) -> Self {
        // SAFETY: see `Vector`.
        Vector(unsafe { _mm512_set1_epi64(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 8] = &words.as_chunks().0[0];
        // SAFETY: see `Vector`; 64 bytes can be read there, and the load needs no alignment.
        Vector(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let row = |lane: usize| {
            let number: &[u8; 32] = &bytes[lane * stride..].as_chunks().0[0];
            // SAFETY: see `Vector`; 32 bytes can be read there, and the load needs no alignment.
            unsafe { _mm256_loadu_si256(number.as_ptr().cast()) }
        };
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        let reversed = |word: __m512i| {
            // SAFETY: see `Vector`.
            Vector(unsafe {
                let order = _mm512_set4_epi64(
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                );
                _mm512_shuffle_epi8(word, order)
            })
        };
        // The words of a number are the most significant first.
        let [a, b, c, d] = columns(rows);
        [reversed(d), reversed(c), reversed(b), reversed(a)]
    }

    #[inline(always)]
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        let row = |lane: usize| load(&elements[lane * stride]);
        let [a, b, c, d] = columns([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)]);
        [Vector(a), Vector(b), Vector(c), Vector(d)]
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        let mut store = |lane: usize, row: __m256i| store(&mut elements[lane * stride], row);
        let [a, b, c, d] = [words[0].0, words[1].0, words[2].0, words[3].0];
        // SAFETY: see `Vector`.
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
        // SAFETY: see `Vector`.
        unsafe {
            // Pairs of words, blocks of 128 bits; then squares of four blocks.
            let pairs = |a: Self, b: Self| [_mm512_unpacklo_epi64(a.0, b.0), _mm512_unpackhi_epi64(a.0, b.0)];
            let (ab, cd, ef, gh) = (pairs(a, b), pairs(c, d), pairs(e, f), pairs(g, h));
            for odd in 0..2 {
                let low = |a, b| _mm512_shuffle_i64x2::<0b01_00_01_00>(a, b);
                let high = |a, b| _mm512_shuffle_i64x2::<0b11_10_11_10>(a, b);
                let even = |a, b| Vector(_mm512_shuffle_i64x2::<0b10_00_10_00>(a, b));
                let last = |a, b| Vector(_mm512_shuffle_i64x2::<0b11_01_11_01>(a, b));
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
        // SAFETY: see `Vector`; 64 bytes can be written there, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn has_high_bit(self) -> bool {
        // SAFETY: see `Vector`.
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
        // SAFETY: see `Vector`.
        Vector(unsafe { _mm512_srlv_epi64(self.0, _mm512_set1_epi64(BITS.into())) })
    }

    #[inline(always)]
    fn left<const BITS: i32>(self) -> Self {
        // SAFETY: see `Vector`.
        Vector(unsafe { _mm512_sllv_epi64(self.0, _mm512_set1_epi64(BITS.into())) })
    }

    #[inline(always)]
    fn narrow_product(
        a: &[Self; narrow::COUNT],
        b: &[Self; narrow::COUNT],
        more: &[Self; narrow::COUNT],
    ) -> [Self; narrow::COUNT] {
        // SAFETY: see `Vector`.
        unsafe { narrow_product_avx512(a, b, more) }
    }
}

point_lanes!(Avx512, "avx512f,avx512bw,avx512vl,avx512dq", Vector);

impl Words28 for Vector {
    #[inline(always)]
    fn product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        // SAFETY: see `Vector`.
        unsafe { product_avx512(a, b) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn product_avx512(a: &Limbs<Vector>, b: &Limbs<Vector>) -> Limbs<Vector> {
    product(a, b)
}

impl PointWords for Vector {
    #[inline(always)]
    fn gather(elements: &[&fp::Words; MOST_LANES]) -> [Self; 6] {
        let mut rows = [[load(&[0; 4]); 8]; 2];
        for (lane, element) in elements.iter().enumerate() {
            rows[0][lane] = load(&element.as_chunks().0[0]);
            rows[1][lane] = load(&element[2..].as_chunks().0[0]);
        }
        let ([a, b, c, d], [_, _, e, f]) = (columns(rows[0]), columns(rows[1]));
        [Vector(a), Vector(b), Vector(c), Vector(d), Vector(e), Vector(f)]
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

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn narrow_product_avx512(
    a: &[Vector; narrow::COUNT],
    b: &[Vector; narrow::COUNT],
    more: &[Vector; narrow::COUNT],
) -> [Vector; narrow::COUNT] {
    narrow::product(a, b, more)
}

/// Returns the words of eight rows: each word of all.
#[inline(always)]
fn columns([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m512i; 4] {
    // SAFETY: see `Vector`.
    unsafe {
        let both = |low, high| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
        // Rows 0 and 2, and so on: words 0 and 2 of each two neighbours, then words 1 and 3.
        let (ac, bd, eg, fh) = (both(a, c), both(b, d), both(e, g), both(f, h));
        let (first, second) = (_mm512_unpacklo_epi64(ac, bd), _mm512_unpackhi_epi64(ac, bd));
        let (third, fourth) = (_mm512_unpacklo_epi64(eg, fh), _mm512_unpackhi_epi64(eg, fh));
        [
            _mm512_shuffle_i64x2::<0b10_00_10_00>(first, third),
            _mm512_shuffle_i64x2::<0b10_00_10_00>(second, fourth),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(first, third),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(second, fourth),
        ]
    }
}

/// Only functions with AVX-512 IFMA call these, which their safety relies on.
impl Words52 for Vector {
    instructions! {
        plus_low(sum, a, b) = _mm512_madd52lo_epu64(sum, a, b);
        plus_high(sum, a, b) = _mm512_madd52hi_epu64(sum, a, b);
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Backend;
    use parcrypt_testkit::skip;

    use super::*;
    use crate::lanes::additions::tests::elements_keep_their_lanes;
    use crate::lanes::element::tests::{agrees_with_fr, narrow_products_agree_with_fr};
    use crate::lanes::fp::tests::elements_agree_with_words;
    use crate::lanes::tests::agrees_with_the_model;
    use crate::lanes::wide::Wide;
    use crate::lanes::wide::tests::products_agree_with_the_model;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    fn on_this_machine() {
        agrees_with_the_model::<Vector>();
        agrees_with_fr::<Narrow<Vector>>();
        narrow_products_agree_with_fr::<Vector>();
        elements_agree_with_words::<Vector>();
        elements_keep_their_lanes::<Vector>();
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn with_ifma() {
        products_agree_with_the_model::<Vector>();
        agrees_with_fr::<Wide<Vector>>();
    }

    #[test]
    fn vectors_agree_with_the_model() {
        if !Backend::Avx512.is_available() {
            return skip("parcrypt-bls12-381", "avx512", "this machine lacks it");
        }
        // SAFETY: the machine has the features, as has just been asked.
        unsafe { on_this_machine() }
    }

    #[test]
    fn wide_limbs_agree_with_the_model() {
        if !Backend::Ifma.is_available() {
            return skip("parcrypt-bls12-381", "ifma", "this machine lacks it");
        }
        // SAFETY: the machine has the features, as has just been asked.
        unsafe { with_ifma() }
    }
}
