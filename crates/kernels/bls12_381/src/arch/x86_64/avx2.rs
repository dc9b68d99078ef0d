//! Steps of a product in Fp in four lanes of AVX2.

use std::arch::asm;

use parcrypt_cpu::{Avx2, Has};
use parcrypt_simd::U64x4;

use crate::lanes::fp::limbs28::{COUNT, Limbs, MASK, OVER_BASE, Words28};

impl<P: Has<Avx2>> Words28 for U64x4<P> {
    #[inline(always)]
    fn add_products(sums: &mut Limbs<Self>, limbs: &Limbs<Self>, factor: Self) {
        // SAFETY: see `Has`.
        unsafe { add_products_avx2(sums, limbs, factor) }
    }

    #[inline(always)]
    fn shift(sums: &mut Limbs<Self>) {
        // SAFETY: see `Has`.
        unsafe { shift_avx2(sums) }
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
fn add_products_avx2<P: Has<Avx2>>(sums: &mut Limbs<U64x4<P>>, limbs: &Limbs<U64x4<P>>, factor: U64x4<P>) {
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
fn shift_avx2<P: Has<Avx2>>(sums: &mut Limbs<U64x4<P>>) {
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
static SHIFT: Aligned<[[u64; 4]; COUNT + 1]> = Aligned({
    let mut lanes = [[MASK; 4]; COUNT + 1];
    let mut i = 0;
    while i < COUNT {
        lanes[i] = [OVER_BASE[i]; 4];
        i += 1;
    }
    lanes
});

/// A value whose address is a multiple of 32.
#[repr(align(32))]
struct Aligned<T>(T);
