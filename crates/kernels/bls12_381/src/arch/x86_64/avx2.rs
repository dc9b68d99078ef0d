//! Fr in four lanes of AVX2, and Fp4 in four.

use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;

use blst::blst_fp12;

use super::HasAvx2;
use crate::curve::final_exponentiation::hard_part_compressed;
use crate::curve::miller_loop::Pair;
use crate::field::fp;
use crate::lanes::batch_affine::PointWords;
use crate::lanes::fp::{LIMBS, Limbs, MASK, OVER_BASE, Words28, product};
use crate::lanes::fp4::Fp4Words;
use crate::lanes::limbs29::{self, Limbs29};
use crate::lanes::pairing::PairingLanes;
use crate::lanes::{MOST_LANES, Words, pairing};

backend! {
    /// The backend `avx2`.
    Avx2
}

fr_lanes!(Avx2, "avx2", Limbs29<Vector<Here>>);

/// Four words, where P says that AVX2 is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector<P>(pub(super) __m256i, pub(super) PhantomData<P>);

impl<P: HasAvx2> Vector<P> {
    /// Returns these words.
    #[inline(always)]
    pub(super) fn read(words: &[u64; 4]) -> Self {
        // SAFETY: see `HasAvx2`; 32 bytes can be read there, and the load needs no alignment.
        Vector(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }, PhantomData)
    }

    /// Returns the words of these bytes, little-endian.
    #[inline(always)]
    pub(super) fn read_bytes(bytes: &[u8; 32]) -> Self {
        // SAFETY: as in `read`.
        Vector(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }, PhantomData)
    }

    /// Writes the words.
    #[inline(always)]
    pub(super) fn write(self, words: &mut [u64; 4]) {
        // SAFETY: see `HasAvx2`; 32 bytes can be written there, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }
}

/// Returns the columns of a square of words.
#[inline(always)]
fn transposed<P: HasAvx2>([a, b, c, d]: [Vector<P>; 4]) -> [Vector<P>; 4] {
    let even = |a: Vector<P>, b: Vector<P>| -> Vector<P> { vector!(_mm256_unpacklo_epi64(a.0, b.0)) };
    let odd = |a: Vector<P>, b: Vector<P>| -> Vector<P> { vector!(_mm256_unpackhi_epi64(a.0, b.0)) };
    let low = |a: Vector<P>, b: Vector<P>| vector!(_mm256_permute2x128_si256::<0x20>(a.0, b.0));
    let high = |a: Vector<P>, b: Vector<P>| vector!(_mm256_permute2x128_si256::<0x31>(a.0, b.0));
    let (ab_even, ab_odd, cd_even, cd_odd) = (even(a, b), odd(a, b), even(c, d), odd(c, d));
    [low(ab_even, cd_even), low(ab_odd, cd_odd), high(ab_even, cd_even), high(ab_odd, cd_odd)]
}

impl<P: HasAvx2> Words for Vector<P> {
    const LANES: usize = 4;

    #[inline(always)]
    fn all(word: u64) -> Self {
        vector!(_mm256_set1_epi64x(word.cast_signed()))
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Vector::read(&words.as_chunks().0[0])
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let row = |lane: usize| {
            let number: Self = Vector::read_bytes(&bytes[lane * stride..].as_chunks().0[0]);
            vector!({
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
        let row = |lane: usize| Vector::read(&elements[lane * stride]);
        transposed([row(0), row(1), row(2), row(3)])
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        for (lane, row) in transposed(words).into_iter().enumerate() {
            row.write(&mut elements[lane * stride]);
        }
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let square: &mut [Self; 4] = &mut square.as_chunks_mut().0[0];
        *square = transposed(*square);
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.write(&mut words.as_chunks_mut().0[0]);
    }

    #[inline(always)]
    fn has_high_bit(self) -> bool {
        // SAFETY: see `HasAvx2`.
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
        vector!(_mm256_srli_epi64::<BITS>(self.0))
    }

    #[inline(always)]
    fn left<const BITS: i32>(self) -> Self {
        vector!(_mm256_slli_epi64::<BITS>(self.0))
    }

    outlined! { HasAvx2, "avx2";
        limbs29_product(
            a: &[Vector<P>; limbs29::COUNT],
            b: &[Vector<P>; limbs29::COUNT],
            more: &[Vector<P>; limbs29::COUNT]
        ) -> [Vector<P>; limbs29::COUNT] = limbs29::product;
    }
}

point_lanes!(Avx2, "avx2", Vector<Here>);

impl<P: HasAvx2> PointWords for Vector<P> {
    #[inline(always)]
    fn gather(elements: &[&fp::Words; MOST_LANES]) -> [Self; 6] {
        let row = |lane: usize, word: usize| Vector::read(&elements[lane][word..].as_chunks().0[0]);
        let [a, b, c, d] = transposed([row(0, 0), row(1, 0), row(2, 0), row(3, 0)]);
        let [_, _, e, f] = transposed([row(0, 2), row(1, 2), row(2, 2), row(3, 2)]);
        [a, b, c, d, e, f]
    }

    #[inline(always)]
    fn scatter([a, b, c, d, e, f]: [Self; 6], elements: &mut [fp::Words; MOST_LANES]) {
        let (first, last) = (transposed([a, b, c, d]), transposed([c, d, e, f]));
        for (lane, element) in elements[..4].iter_mut().enumerate() {
            first[lane].write(&mut element.as_chunks_mut().0[0]);
            last[lane].write(&mut element[2..].as_chunks_mut().0[0]);
        }
    }
}

methods! { PairingLanes, Avx2, "avx2";
    miller_loops(pairs: &[Pair]) -> blst_fp12 = pairing::miller_loops::<Vector<Here>>;
    hard_part(g: &blst_fp12) -> blst_fp12 = |g: &_| {
        hard_part_compressed(g, &|element, squarings| pairing::squares::<Vector<Here>>(element, squarings))
    };
}

impl<P: HasAvx2> Fp4Words for Vector<P> {
    #[inline(always)]
    fn of_lanes(words: [u64; 4]) -> Self {
        let [a, b, c, d] = words.map(u64::cast_signed);
        vector!(_mm256_set_epi64x(d, c, b, a))
    }

    #[inline(always)]
    fn splat(&self, lane: usize) -> Self {
        // A load of one word to all lanes.
        // SAFETY: a vector is four words.
        let words: &[i64; 4] = unsafe { &*(&raw const self.0).cast() };
        vector!(_mm256_set1_epi64x(words[lane]))
    }

    instructions! {
        swap(a) = _mm256_shuffle_epi32::<0b01_00_11_10>(a);
        swap_halves(a) = _mm256_permute4x64_epi64::<0b01_00_11_10>(a);
        with_even(a, b) = _mm256_blend_epi32::<0b0011_0011>(a, b);
        with_low(a, b) = _mm256_blend_epi32::<0b0000_1111>(a, b);
    }
}

impl<P: HasAvx2> Words28 for Vector<P> {
    #[inline(always)]
    fn add_products(sums: &mut Limbs<Self>, limbs: &Limbs<Self>, factor: Self) {
        // SAFETY: see `HasAvx2`.
        unsafe { add_products_avx2(sums, limbs, factor) }
    }

    #[inline(always)]
    fn shift(sums: &mut Limbs<Self>) {
        // SAFETY: see `HasAvx2`.
        unsafe { shift_avx2(sums) }
    }

    outlined! { HasAvx2, "avx2";
        product(a: &Limbs<Vector<P>>, b: &Limbs<Vector<P>>) -> Limbs<Vector<P>> = product;
    }
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
fn add_products_avx2<P: HasAvx2>(sums: &mut Limbs<Vector<P>>, limbs: &Limbs<Vector<P>>, factor: Vector<P>) {
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
fn shift_avx2<P: HasAvx2>(sums: &mut Limbs<Vector<P>>) {
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
    use super::*;
    use crate::lanes::batch_affine::tests::elements_keep_their_lanes;
    use crate::lanes::fp::tests::elements_agree_with_words;
    use crate::lanes::fp4::tests::fp4_agrees_with_the_tower;
    use crate::lanes::fr::tests::{agrees_with_fr, limbs29_products_agree_with_fr};
    use crate::lanes::tests::agrees_with_the_model;

    test_on! { Avx2, "avx2";
        fn vectors_agree_with_the_model() {
            agrees_with_the_model::<Vector<Here>>();
            agrees_with_fr::<Limbs29<Vector<Here>>>();
            limbs29_products_agree_with_fr::<Vector<Here>>();
            elements_agree_with_words::<Vector<Here>>();
            elements_keep_their_lanes::<Vector<Here>>();
            fp4_agrees_with_the_tower::<Vector<Here>>();
        }
    }
}
