//! Backends for x86-64.
#![allow(unsafe_code, reason = "the order of a step is written in assembly, loads and stores")]

use parcrypt_cpu::{Avx2, Avx512, Has};
use parcrypt_simd::{U64x4, U64x8};

use crate::lanes::fp::limbs28::{Limbs28, Words28};
use crate::lanes::fp::limbs52::Limbs52 as FpLimbs52;
use crate::lanes::limbs29::{Limbs29, Words29};
use crate::lanes::limbs52::Limbs52;

mod avx2;

impl<P: Has<Avx2>> Words29 for U64x4<P> {}
impl<P: Has<Avx512> + Has<Avx2>> Words28 for U64x8<P> {}
impl<P: Has<Avx512> + Has<Avx2>> Words29 for U64x8<P> {}

fr_lanes!(Avx2, Limbs29<U64x4<Here>>);
fr_lanes!(AvxIfma, Limbs52<U64x4<Here>>);
fr_lanes!(Avx512, Limbs29<U64x8<Here>>);
fr_lanes!(Ifma, Limbs52<U64x8<Here>>);

g1_lanes!(Avx2, Limbs28<U64x4<Here>>);
g1_lanes!(AvxIfma, FpLimbs52<U64x4<Here>>);
g1_lanes!(Avx512, Limbs28<U64x8<Here>>);
g1_lanes!(Ifma, FpLimbs52<U64x8<Here>>);
windows_lanes!(AvxIfma, FpLimbs52<U64x4<Here>>);
windows_lanes!(Ifma, FpLimbs52<U64x8<Here>>);

pairing_lanes!(Avx2, Limbs28<U64x4<Here>>, 2, compressed);
pairing_lanes!(AvxIfma, FpLimbs52<U64x4<Here>>, 2, in_lanes);
pairing_lanes!(Avx512, Limbs28<U64x8<Here>>, 1, compressed);
pairing_lanes!(Ifma, FpLimbs52<U64x8<Here>>, 1, in_lanes);

#[cfg(test)]
pub(crate) mod tests {
    use std::borrow::Borrow;
    use std::sync::OnceLock;

    use parcrypt_cpu::{Backend, Ifma, Row};
    use parcrypt_simd::OtherEncoding;

    use super::*;
    use crate::costs::FrCosts;
    use crate::dispatch::{FrFunctions, FrRow};
    use crate::lanes::fp::tests::agrees_with_arkworks;
    use crate::lanes::fp4::tests::fp4_agrees_with_arkworks;
    use crate::lanes::fr::tests::{agrees_with_fr, limbs29_products_agree_with_fr};
    use crate::lanes::g1::tests::points_agree_with_blst;

    /// A backend that differs from AVX-IFMA in the encoding of the two products alone.
    #[derive(Debug)]
    struct Avx512Encoding(Ifma);

    impl Borrow<Ifma> for Avx512Encoding {
        fn borrow(&self) -> &Ifma {
            &self.0
        }
    }

    fr_lanes!(Ifma, Avx512Encoding, Limbs52<U64x4<OtherEncoding<Here>>>);

    /// Returns the row of AVX-IFMA, in the other encoding; `None` where the machine lacks that.
    pub(crate) fn other_encoding() -> Option<&'static FrRow> {
        static BACKEND: OnceLock<Avx512Encoding> = OnceLock::new();
        static ROW: OnceLock<FrRow> = OnceLock::new();
        let backend = Avx512Encoding(Ifma::detect()?);
        let backend = BACKEND.get_or_init(|| backend);
        Some(
            ROW.get_or_init(|| Row::new(Backend::AvxIfma, FrFunctions::in_lanes(backend, FrCosts::AVX_IFMA))),
        )
    }

    parcrypt_cpu::test_on! { Avx2:
        fn four_lanes_agree_with_the_model() {
            agrees_with_fr::<Limbs29<U64x4<Here>>>();
            limbs29_products_agree_with_fr::<U64x4<Here>>();
            agrees_with_arkworks::<Limbs28<U64x4<Here>>>();
            points_agree_with_blst::<Limbs28<U64x4<Here>>>();
            fp4_agrees_with_arkworks::<Limbs28<U64x4<Here>>, 2>();
        }
    }

    parcrypt_cpu::test_on! { Avx512:
        fn eight_lanes_agree_with_the_model() {
            agrees_with_fr::<Limbs29<U64x8<Here>>>();
            limbs29_products_agree_with_fr::<U64x8<Here>>();
            agrees_with_arkworks::<Limbs28<U64x8<Here>>>();
            points_agree_with_blst::<Limbs28<U64x8<Here>>>();
            fp4_agrees_with_arkworks::<Limbs28<U64x8<Here>>, 1>();
        }
    }

    parcrypt_cpu::test_on! { AvxIfma:
        fn limbs52_in_four_lanes_agree_with_the_model() {
            agrees_with_fr::<Limbs52<U64x4<Here>>>();
            agrees_with_arkworks::<FpLimbs52<U64x4<Here>>>();
            points_agree_with_blst::<FpLimbs52<U64x4<Here>>>();
            fp4_agrees_with_arkworks::<FpLimbs52<U64x4<Here>>, 2>();
        }
    }

    parcrypt_cpu::test_on! { Ifma:
        fn limbs52_agree_with_the_model() {
            agrees_with_fr::<Limbs52<U64x8<Here>>>();
            agrees_with_arkworks::<FpLimbs52<U64x8<Here>>>();
            points_agree_with_blst::<FpLimbs52<U64x8<Here>>>();
            fp4_agrees_with_arkworks::<FpLimbs52<U64x8<Here>>, 1>();
        }
    }

    parcrypt_cpu::test_on! { Ifma:
        fn limbs52_in_the_other_encoding_agree_with_the_model() {
            agrees_with_fr::<Limbs52<U64x4<OtherEncoding<Here>>>>();
            agrees_with_arkworks::<FpLimbs52<U64x4<OtherEncoding<Here>>>>();
            points_agree_with_blst::<FpLimbs52<U64x4<OtherEncoding<Here>>>>();
            fp4_agrees_with_arkworks::<FpLimbs52<U64x4<OtherEncoding<Here>>>, 2>();
        }
    }
}
