//! Fr in four lanes of AVX2, and Fp4 in four.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

use std::arch::asm;
use std::arch::x86_64::*;

use blst::blst_fp12;

use crate::Fr;
use crate::curve::affine::{Accumulate, Point, Sum};
use crate::curve::endomorphism::GlvTable;
use crate::curve::final_exponentiation::hard_part_compressed;
use crate::curve::miller_loop::Pair;
use crate::field::fp;
use crate::lanes::additions::PointWords;
use crate::lanes::fp::{LIMBS, Limbs, MASK, OVER_BASE, Words28, product};
use crate::lanes::narrow::{self, Narrow};
use crate::lanes::pairing::PairingLanes;
use crate::lanes::quads::Quads;
use crate::lanes::transform::Roots;
use crate::lanes::{MOST_LANES, Words, pairing};
use crate::tower::Fp2;

/// The backend `avx2`.
#[derive(Debug)]
pub(crate) struct Avx2 {
    /// Only [`Avx2::new`] returns a value.
    _private: (),
}

impl Avx2 {
    /// Returns the backend.
    ///
    /// # Safety
    /// The machine must have `Backend::Avx2` wherever a method is called.
    pub(crate) const unsafe fn new() -> Avx2 {
        Avx2 { _private: () }
    }
}

fr_lanes!(Avx2, "avx2", Narrow<Vector>);

/// Four words. Only functions with AVX2 compute with it, which the safety of every method here relies on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector(pub(super) __m256i);

/// Returns four words. As the functions below, it is called where `Vector` computes.
#[inline(always)]
pub(super) fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: see `Vector`; 32 bytes can be read there, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// Writes four words.
#[inline(always)]
pub(super) fn store(words: &mut [u64; 4], vector: __m256i) {
    // SAFETY: see `Vector`; 32 bytes can be written there, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), vector) }
}

/// Returns the columns of a square of words.
#[inline(always)]
fn transposed([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: see `Vector`.
    unsafe {
        let (ab_even, ab_odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (cd_even, cd_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        [
            _mm256_permute2x128_si256::<0x20>(ab_even, cd_even),
            _mm256_permute2x128_si256::<0x20>(ab_odd, cd_odd),
            _mm256_permute2x128_si256::<0x31>(ab_even, cd_even),
            _mm256_permute2x128_si256::<0x31>(ab_odd, cd_odd),
        ]
    }
}

impl Words for Vector {
    const LANES: usize = 4;

    #[inline(always)]
    fn all(word: u64) -> Self {
        // SAFETY: see `Vector`.
        Vector(unsafe { _mm256_set1_epi64x(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Vector(load(&words.as_chunks().0[0]))
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let row = |lane: usize| {
            let number: &[u8; 32] = &bytes[lane * stride..].as_chunks().0[0];
            // SAFETY: see `Vector`; 32 bytes can be read there, and the load needs no alignment.
            unsafe {
                let reversed = _mm256_set_epi64x(
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                    0x08090a0b_0c0d0e0f,
                    0x00010203_04050607,
                );
                _mm256_shuffle_epi8(_mm256_loadu_si256(number.as_ptr().cast()), reversed)
            }
        };
        let [a, b, c, d] = transposed([row(0), row(1), row(2), row(3)]);
        // The words of a number are the most significant first.
        [d, c, b, a].map(Vector)
    }

    #[inline(always)]
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        let row = |lane: usize| load(&elements[lane * stride]);
        transposed([row(0), row(1), row(2), row(3)]).map(Vector)
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        for (lane, row) in transposed(words.map(|word| word.0)).into_iter().enumerate() {
            store(&mut elements[lane * stride], row);
        }
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let square: &mut [Self; 4] = &mut square.as_chunks_mut().0[0];
        *square = transposed(square.map(|vector| vector.0)).map(Vector);
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        store(&mut words.as_chunks_mut().0[0], self.0);
    }

    #[inline(always)]
    fn has_high_bit(self) -> bool {
        // SAFETY: see `Vector`.
        unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.0)) != 0 }
    }

    instructions! {
        plus(a, b) = _mm256_add_epi64(a, b);
        minus(a, b) = _mm256_sub_epi64(a, b);
        times_low(a, b) = _mm256_mul_epu32(a, b);
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
    }

    #[inline(always)]
    fn right<const BITS: i32>(self) -> Self {
        // SAFETY: see `Vector`.
        Vector(unsafe { _mm256_srli_epi64::<BITS>(self.0) })
    }

    #[inline(always)]
    fn left<const BITS: i32>(self) -> Self {
        // SAFETY: see `Vector`.
        Vector(unsafe { _mm256_slli_epi64::<BITS>(self.0) })
    }

    #[inline(always)]
    fn narrow_product(
        a: &[Self; narrow::COUNT],
        b: &[Self; narrow::COUNT],
        more: &[Self; narrow::COUNT],
    ) -> [Self; narrow::COUNT] {
        // SAFETY: see `Vector`.
        unsafe { narrow_product_avx2(a, b, more) }
    }
}

#[target_feature(enable = "avx2")]
fn narrow_product_avx2(
    a: &[Vector; narrow::COUNT],
    b: &[Vector; narrow::COUNT],
    more: &[Vector; narrow::COUNT],
) -> [Vector; narrow::COUNT] {
    narrow::product(a, b, more)
}

point_lanes!(Avx2, "avx2", Vector);

impl PointWords for Vector {
    #[inline(always)]
    fn gather(elements: &[&fp::Words; MOST_LANES]) -> [Self; 6] {
        let row = |lane: usize, word: usize| load(&elements[lane][word..].as_chunks().0[0]);
        let [a, b, c, d] = transposed([row(0, 0), row(1, 0), row(2, 0), row(3, 0)]);
        let [_, _, e, f] = transposed([row(0, 2), row(1, 2), row(2, 2), row(3, 2)]);
        [Vector(a), Vector(b), Vector(c), Vector(d), Vector(e), Vector(f)]
    }

    #[inline(always)]
    fn scatter([a, b, c, d, e, f]: [Self; 6], elements: &mut [fp::Words; MOST_LANES]) {
        let first = transposed([a.0, b.0, c.0, d.0]);
        let last = transposed([c.0, d.0, e.0, f.0]);
        for (lane, element) in elements[..4].iter_mut().enumerate() {
            store(&mut element.as_chunks_mut().0[0], first[lane]);
            store(&mut element[2..].as_chunks_mut().0[0], last[lane]);
        }
    }
}

impl PairingLanes for Avx2 {
    methods! { "avx2";
        miller_loops(pairs: &[Pair]) -> blst_fp12 = pairing::miller_loops::<Vector>;
    }

    fn hard_part(&self, g: &blst_fp12) -> blst_fp12 {
        // SAFETY: `Avx2::new` requires that the machine has the feature.
        hard_part_compressed(g, &|element, squarings| unsafe { squares_avx2(element, squarings) })
    }
}

#[target_feature(enable = "avx2")]
fn squares_avx2(element: [[Fp2; 2]; 2], squarings: [usize; 3]) -> [[[Fp2; 2]; 2]; 3] {
    pairing::squares::<Vector>(element, squarings)
}

impl Quads for Vector {
    #[inline(always)]
    fn of_lanes(words: [u64; 4]) -> Self {
        let [a, b, c, d] = words.map(u64::cast_signed);
        // SAFETY: see `Vector`.
        Vector(unsafe { _mm256_set_epi64x(d, c, b, a) })
    }

    #[inline(always)]
    fn splat(&self, lane: usize) -> Self {
        // A load of one word to all lanes.
        // SAFETY: see `Vector`; a vector is four words.
        Vector(unsafe {
            let words: &[i64; 4] = &*(&raw const self.0).cast();
            _mm256_set1_epi64x(words[lane])
        })
    }

    instructions! {
        swap(a) = _mm256_shuffle_epi32::<0b01_00_11_10>(a);
        swap_halves(a) = _mm256_permute4x64_epi64::<0b01_00_11_10>(a);
        with_even(a, b) = _mm256_blend_epi32::<0b0011_0011>(a, b);
        with_low(a, b) = _mm256_blend_epi32::<0b0000_1111>(a, b);
    }
}

impl Words28 for Vector {
    #[inline(always)]
    fn add_products(sums: &mut Limbs<Self>, limbs: &Limbs<Self>, factor: Self) {
        // SAFETY: see `Vector`.
        unsafe { add_products_avx2(sums, limbs, factor) }
    }

    #[inline(always)]
    fn shift(sums: &mut Limbs<Self>) {
        // SAFETY: see `Vector`.
        unsafe { shift_avx2(sums) }
    }

    #[inline(always)]
    fn product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        // SAFETY: see `Vector`.
        unsafe { product_avx2(a, b) }
    }
}

#[target_feature(enable = "avx2")]
fn product_avx2(a: &Limbs<Vector>, b: &Limbs<Vector>) -> Limbs<Vector> {
    product(a, b)
}

/// Runs instructions on fourteen sums in the registers s0 to s13; they may read memory.
macro_rules! on_sums {
    ($sums:ident, $($instructions_and_operands:tt)*) => {
        asm!(
            $($instructions_and_operands)*
            s0 = inout(ymm_reg) $sums[0].0,
            s1 = inout(ymm_reg) $sums[1].0,
            s2 = inout(ymm_reg) $sums[2].0,
            s3 = inout(ymm_reg) $sums[3].0,
            s4 = inout(ymm_reg) $sums[4].0,
            s5 = inout(ymm_reg) $sums[5].0,
            s6 = inout(ymm_reg) $sums[6].0,
            s7 = inout(ymm_reg) $sums[7].0,
            s8 = inout(ymm_reg) $sums[8].0,
            s9 = inout(ymm_reg) $sums[9].0,
            s10 = inout(ymm_reg) $sums[10].0,
            s11 = inout(ymm_reg) $sums[11].0,
            s12 = inout(ymm_reg) $sums[12].0,
            s13 = inout(ymm_reg) $sums[13].0,
            options(pure, readonly, nostack, preserves_flags),
        )
    };
}

// Sixteen registers are exactly enough. The compiler adds products to each other first, which needs more.
#[target_feature(enable = "avx2")]
#[inline]
fn add_products_avx2(sums: &mut Limbs<Vector>, limbs: &Limbs<Vector>, factor: Vector) {
    // SAFETY: AVX2 is enabled here; reads fourteen vectors behind the reference.
    unsafe {
        on_sums!(
            sums,
            "vpmuludq {t}, {b}, [{a} + 0]", "vpaddq {s0}, {s0}, {t}",
            "vpmuludq {t}, {b}, [{a} + 32]", "vpaddq {s1}, {s1}, {t}",
            "vpmuludq {t}, {b}, [{a} + 64]", "vpaddq {s2}, {s2}, {t}",
            "vpmuludq {t}, {b}, [{a} + 96]", "vpaddq {s3}, {s3}, {t}",
            "vpmuludq {t}, {b}, [{a} + 128]", "vpaddq {s4}, {s4}, {t}",
            "vpmuludq {t}, {b}, [{a} + 160]", "vpaddq {s5}, {s5}, {t}",
            "vpmuludq {t}, {b}, [{a} + 192]", "vpaddq {s6}, {s6}, {t}",
            "vpmuludq {t}, {b}, [{a} + 224]", "vpaddq {s7}, {s7}, {t}",
            "vpmuludq {t}, {b}, [{a} + 256]", "vpaddq {s8}, {s8}, {t}",
            "vpmuludq {t}, {b}, [{a} + 288]", "vpaddq {s9}, {s9}, {t}",
            "vpmuludq {t}, {b}, [{a} + 320]", "vpaddq {s10}, {s10}, {t}",
            "vpmuludq {t}, {b}, [{a} + 352]", "vpaddq {s11}, {s11}, {t}",
            "vpmuludq {t}, {b}, [{a} + 384]", "vpaddq {s12}, {s12}, {t}",
            "vpmuludq {t}, {b}, [{a} + 416]", "vpaddq {s13}, {s13}, {t}",
            a = in(reg) limbs,
            b = in(ymm_reg) factor.0,
            t = out(ymm_reg) _,
        );
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn shift_avx2(sums: &mut Limbs<Vector>) {
    // SAFETY: AVX2 is enabled here; reads the fifteen vectors of `SHIFT`.
    unsafe {
        on_sums!(
            sums,
            "vpand {d}, {s0}, [{c} + 448]",
            "vpsrlq {t}, {s0}, 28", "vpaddq {s0}, {s1}, {t}",
            "vpmuludq {t}, {d}, [{c}]", "vpaddq {s0}, {s0}, {t}",
            "vpmuludq {t}, {d}, [{c} + 32]", "vpaddq {s1}, {s2}, {t}",
            "vpmuludq {t}, {d}, [{c} + 64]", "vpaddq {s2}, {s3}, {t}",
            "vpmuludq {t}, {d}, [{c} + 96]", "vpaddq {s3}, {s4}, {t}",
            "vpmuludq {t}, {d}, [{c} + 128]", "vpaddq {s4}, {s5}, {t}",
            "vpmuludq {t}, {d}, [{c} + 160]", "vpaddq {s5}, {s6}, {t}",
            "vpmuludq {t}, {d}, [{c} + 192]", "vpaddq {s6}, {s7}, {t}",
            "vpmuludq {t}, {d}, [{c} + 224]", "vpaddq {s7}, {s8}, {t}",
            "vpmuludq {t}, {d}, [{c} + 256]", "vpaddq {s8}, {s9}, {t}",
            "vpmuludq {t}, {d}, [{c} + 288]", "vpaddq {s9}, {s10}, {t}",
            "vpmuludq {t}, {d}, [{c} + 320]", "vpaddq {s10}, {s11}, {t}",
            "vpmuludq {t}, {d}, [{c} + 352]", "vpaddq {s11}, {s12}, {t}",
            "vpmuludq {t}, {d}, [{c} + 384]", "vpaddq {s12}, {s13}, {t}",
            "vpmuludq {s13}, {d}, [{c} + 416]",
            c = in(reg) &SHIFT,
            d = out(ymm_reg) _,
            t = out(ymm_reg) _,
        );
    }
}

/// Constants of [`Words28::shift`], each in all lanes: the limbs of 2^−28 modulo p, and the mask of a digit.
static SHIFT: Aligned<[[u64; 4]; LIMBS + 1]> = Aligned({
    let mut lanes = [[MASK; 4]; LIMBS + 1];
    let mut i = 0;
    while i < LIMBS {
        lanes[i] = [OVER_BASE[i]; 4];
        i += 1;
    }
    lanes
});

/// A value whose address is a multiple of 32.
#[repr(align(32))]
struct Aligned<T>(T);

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Backend;
    use parcrypt_testkit::skip;

    use super::*;
    use crate::lanes::additions::tests::elements_keep_their_lanes;
    use crate::lanes::element::tests::{agrees_with_fr, narrow_products_agree_with_fr};
    use crate::lanes::fp::tests::elements_agree_with_words;
    use crate::lanes::quads::tests::quads_agree_with_the_tower;
    use crate::lanes::tests::agrees_with_the_model;

    #[target_feature(enable = "avx2")]
    fn on_this_machine() {
        agrees_with_the_model::<Vector>();
        agrees_with_fr::<Narrow<Vector>>();
        narrow_products_agree_with_fr::<Vector>();
        elements_agree_with_words::<Vector>();
        elements_keep_their_lanes::<Vector>();
        quads_agree_with_the_tower::<Vector>();
    }

    #[test]
    fn vectors_agree_with_the_model() {
        if !Backend::Avx2.is_available() {
            return skip("parcrypt-bls12-381", "avx2", "this machine lacks it");
        }
        // SAFETY: the machine has the feature, as has just been asked.
        unsafe { on_this_machine() }
    }
}
