//! Fr in four lanes of AVX2, with products of 52 bits.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::HasAvxIfma;
use super::avx2::Vector;
use crate::lanes::limbs52::{Limbs52, Words52};

backend! {
    /// The backend `avx-ifma`.
    AvxIfma
}

fr_lanes!(AvxIfma, "avx2,avxifma", Limbs52<Vector<Here>>);

impl<P: HasAvxIfma> Words52 for Vector<P> {
    instructions! {
        plus_low(sum, a, b) = _mm256_madd52lo_avx_epu64(sum, a, b);
        plus_high(sum, a, b) = _mm256_madd52hi_avx_epu64(sum, a, b);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_cpu::Backend;

    use super::*;
    use crate::arch::x86_64::{HasAvx2, HasIfma};
    use crate::costs::FrCosts;
    use crate::dispatch::FrRow;
    use crate::lanes::fr::tests::agrees_with_fr;
    use crate::lanes::limbs52::tests::products_agree_with_the_model;
    use crate::lanes::tests::agrees_with_the_model;

    backend! {
        /// A backend that differs from [`AvxIfma`] in the encoding of the two products alone: that of AVX-512 IFMA on
        /// vectors of 256 bits, which other processors have.
        Avx512Encoding
    }

    fr_lanes!(Avx512Encoding, "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma", Limbs52<Vector<Other<Here>>>);

    /// An instruction set with the products of [`Avx512Encoding`].
    #[derive(Clone, Copy, Debug)]
    struct Other<P>(PhantomData<P>);

    // SAFETY: its parameter can be named only where AVX-512 IFMA is.
    unsafe impl<P: HasIfma> HasAvx2 for Other<P> {}

    impl<P: HasIfma> Words52 for Vector<Other<P>> {
        instructions! {
            plus_low(sum, a, b) = _mm256_madd52lo_epu64(sum, a, b);
            plus_high(sum, a, b) = _mm256_madd52hi_epu64(sum, a, b);
        }
    }

    /// Returns the row of AVX-IFMA, in the other encoding; `None` where the machine lacks that.
    pub(crate) fn other_encoding() -> Option<&'static FrRow> {
        // SAFETY: the row is returned only if the machine has the features.
        static BACKEND: Avx512Encoding = unsafe { Avx512Encoding::new() };
        static ROW: FrRow = FrRow::in_lanes(Backend::AvxIfma, &BACKEND, FrCosts::AVX_IFMA);
        Backend::Ifma.is_available().then_some(&ROW)
    }

    test_on! { AvxIfma, "avx2,avxifma";
        fn vectors_agree_with_the_model() {
            products_agree_with_the_model::<Vector<Here>>();
            agrees_with_fr::<Limbs52<Vector<Here>>>();
        }
    }

    test_on! { Ifma, "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma";
        fn the_other_encoding_agrees_with_the_model() {
            agrees_with_the_model::<Vector<Other<Here>>>();
            products_agree_with_the_model::<Vector<Other<Here>>>();
            agrees_with_fr::<Limbs52<Vector<Other<Here>>>>();
        }
    }
}
