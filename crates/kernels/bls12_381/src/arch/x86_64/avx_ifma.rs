//! Fr in four lanes of AVX2, with products of 52 bits.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

use std::arch::x86_64::*;

use super::avx2::Vector;
use crate::Fr;
use crate::lanes::transform::Roots;
use crate::lanes::wide::{Wide, Words52};

/// The backend `avx-ifma`.
#[derive(Debug)]
pub(crate) struct AvxIfma {
    /// Only [`AvxIfma::new`] returns a value.
    _private: (),
}

impl AvxIfma {
    /// Returns the backend.
    ///
    /// # Safety
    /// The machine must have `Backend::AvxIfma` wherever a method is called.
    pub(crate) const unsafe fn new() -> AvxIfma {
        AvxIfma { _private: () }
    }
}

fr_lanes!(AvxIfma, "avx2,avxifma", Wide<Vector>);

/// Only functions with AVX-IFMA call these, which their safety relies on.
impl Words52 for Vector {
    instructions! {
        plus_low(sum, a, b) = _mm256_madd52lo_avx_epu64(sum, a, b);
        plus_high(sum, a, b) = _mm256_madd52hi_avx_epu64(sum, a, b);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_cpu::Backend;
    use parcrypt_testkit::skip;

    use super::*;
    use crate::lanes::Words;
    use crate::lanes::element::tests::agrees_with_fr;
    use crate::lanes::tests::agrees_with_the_model;
    use crate::lanes::wide::tests::products_agree_with_the_model;

    /// A backend that differs from [`AvxIfma`] in the encoding of the two products alone: that of AVX-512 IFMA on
    /// vectors of 256 bits, which other processors have.
    #[derive(Debug)]
    pub(crate) struct Avx512Encoding;

    fr_lanes!(Avx512Encoding, "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma", Wide<OtherEncoding>);

    /// [`Vector`] with the products of [`Avx512Encoding`].
    #[derive(Clone, Copy, Debug)]
    struct OtherEncoding(Vector);

    impl Words for OtherEncoding {
        const LANES: usize = Vector::LANES;

        #[inline(always)]
        fn all(word: u64) -> Self {
            OtherEncoding(Vector::all(word))
        }

        #[inline(always)]
        fn load(words: &[u64]) -> Self {
            OtherEncoding(Vector::load(words))
        }

        #[inline(always)]
        fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
            let [a, b, c, d] = Vector::from_big_endian(bytes, stride);
            [OtherEncoding(a), OtherEncoding(b), OtherEncoding(c), OtherEncoding(d)]
        }

        #[inline(always)]
        fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
            let [a, b, c, d] = Vector::load_elements(elements, stride);
            [OtherEncoding(a), OtherEncoding(b), OtherEncoding(c), OtherEncoding(d)]
        }

        #[inline(always)]
        fn store_elements([a, b, c, d]: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
            Vector::store_elements([a.0, b.0, c.0, d.0], elements, stride);
        }

        #[inline(always)]
        fn transpose(square: &mut [Self]) {
            let mut vectors = [Vector::all(0); Vector::LANES];
            vectors.iter_mut().zip(&*square).for_each(|(vector, other)| *vector = other.0);
            Vector::transpose(&mut vectors);
            square.iter_mut().zip(vectors).for_each(|(other, vector)| other.0 = vector);
        }

        #[inline(always)]
        fn store(self, words: &mut [u64]) {
            self.0.store(words);
        }

        #[inline(always)]
        fn has_high_bit(self) -> bool {
            self.0.has_high_bit()
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            OtherEncoding(self.0.plus(other.0))
        }

        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            OtherEncoding(self.0.minus(other.0))
        }

        #[inline(always)]
        fn times_low(self, other: Self) -> Self {
            OtherEncoding(self.0.times_low(other.0))
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            OtherEncoding(self.0.and(other.0))
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            OtherEncoding(self.0.or(other.0))
        }

        #[inline(always)]
        fn right<const BITS: i32>(self) -> Self {
            OtherEncoding(self.0.right::<BITS>())
        }

        #[inline(always)]
        fn left<const BITS: i32>(self) -> Self {
            OtherEncoding(self.0.left::<BITS>())
        }
    }

    impl Words52 for OtherEncoding {
        #[inline(always)]
        fn plus_low(self, a: Self, b: Self) -> Self {
            // SAFETY: only functions with AVX-512 IFMA call it.
            OtherEncoding(Vector(unsafe { _mm256_madd52lo_epu64(self.0.0, a.0.0, b.0.0) }))
        }

        #[inline(always)]
        fn plus_high(self, a: Self, b: Self) -> Self {
            // SAFETY: as in `plus_low`.
            OtherEncoding(Vector(unsafe { _mm256_madd52hi_epu64(self.0.0, a.0.0, b.0.0) }))
        }
    }

    #[target_feature(enable = "avx2,avxifma")]
    fn on_this_machine() {
        products_agree_with_the_model::<Vector>();
        agrees_with_fr::<Wide<Vector>>();
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn in_the_other_encoding() {
        agrees_with_the_model::<OtherEncoding>();
        products_agree_with_the_model::<OtherEncoding>();
        agrees_with_fr::<Wide<OtherEncoding>>();
    }

    #[test]
    fn vectors_agree_with_the_model() {
        if Backend::Ifma.is_available() {
            // SAFETY: the machine has the features, as has just been asked.
            unsafe { in_the_other_encoding() }
        } else {
            skip("parcrypt-bls12-381", "ifma", "this machine lacks it");
        }
        if !Backend::AvxIfma.is_available() {
            return skip("parcrypt-bls12-381", "avx-ifma", "this machine lacks it");
        }
        // SAFETY: the machine has the features, as has just been asked.
        unsafe { on_this_machine() }
    }
}
