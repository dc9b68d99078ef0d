//! NEON (Advanced SIMD): vectors of 16 bytes.
#![allow(
    unsafe_code,
    reason = "instructions are called outside of functions that enable them, behind the proof that they are there"
)]

use std::arch::aarch64::*;

use bytemuck::must_cast;

use crate::any::vectors::Words;
use crate::tuned::roots::{Factor, INVERSE_16, INVERSE_32};
use crate::tuned::schedule::barrett::Registers;

/// The proof that the processor has NEON.
#[derive(Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    /// Returns the proof; only a function that enables the feature can call it.
    #[inline]
    #[target_feature(enable = "neon")]
    fn here() -> Self {
        Neon(())
    }
}

/// Calls an instruction.
macro_rules! with {
    ($proof:ident, $call:expr) => {{
        let Neon(()) = $proof;
        // SAFETY: there is a proof only where `Neon::here` could be called, in functions that enable NEON, which is all
        // that the instructions here need.
        unsafe { $call }
    }};
}

/// Methods of registers: their operands, and the result as an expression of instructions.
macro_rules! instructions {
    ($($name:ident($($operand:ident: $of:ty),*) -> $result:ty = $value:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($operand: $of),*) -> $result {
            with!(self, $value)
        }
    )*};
}

impl Registers<32> for Neon {
    type Lane = i16;
    type Register = int16x8_t;
    /// Of the first lanes, and of the last ones.
    type Accumulator = (int32x4_t, int32x4_t);

    const Q: i16 = Factor::<i16>::MODULUS as i16;
    const INVERSE: i16 = INVERSE_16;
    const REDUCE_SLOTS: bool = true;

    #[inline(always)]
    fn load(self, lanes: &[i16; 32]) -> [int16x8_t; 4] {
        must_cast(*lanes)
    }
    instructions! {
        splat(x: i16) -> int16x8_t = vdupq_n_s16(x);
        add(a: int16x8_t, b: int16x8_t) -> int16x8_t = vaddq_s16(a, b);
        sub(a: int16x8_t, b: int16x8_t) -> int16x8_t = vsubq_s16(a, b);
        mul_low(a: int16x8_t, b: int16x8_t) -> int16x8_t = vmulq_s16(a, b);
        mul_round(a: int16x8_t, b: int16x8_t) -> int16x8_t = vqrdmulhq_s16(a, b);
        sub_product(x: int16x8_t, a: int16x8_t, b: int16x8_t) -> int16x8_t = vmlsq_s16(x, a, b);
        quotient(x: int16x8_t) -> int16x8_t = vqrdmulhq_s16(x, vdupq_n_s16(10));
        min_unsigned(a: int16x8_t, b: int16x8_t) -> int16x8_t =
            vreinterpretq_s16_u16(vminq_u16(vreinterpretq_u16_s16(a), vreinterpretq_u16_s16(b)));
        exchange(block: usize, u: int16x8_t, v: int16x8_t) -> (int16x8_t, int16x8_t) = match block {
            1 => (vtrn1q_s16(u, v), vtrn2q_s16(u, v)),
            2 => {
                let (u, v) = (vreinterpretq_s32_s16(u), vreinterpretq_s32_s16(v));
                (vreinterpretq_s16_s32(vtrn1q_s32(u, v)), vreinterpretq_s16_s32(vtrn2q_s32(u, v)))
            }
            _ => {
                let (u, v) = (vreinterpretq_s64_s16(u), vreinterpretq_s64_s16(v));
                (vreinterpretq_s16_s64(vtrn1q_s64(u, v)), vreinterpretq_s16_s64(vtrn2q_s64(u, v)))
            }
        };
        unzip(a: int16x8_t, b: int16x8_t) -> (int16x8_t, int16x8_t) = (vuzp1q_s16(a, b), vuzp2q_s16(a, b));
        zip(even: int16x8_t, odd: int16x8_t) -> (int16x8_t, int16x8_t) =
            (vzip1q_s16(even, odd), vzip2q_s16(even, odd));
        wide(a: int16x8_t, b: int16x8_t) -> (int32x4_t, int32x4_t) =
            (vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b));
        add_wide(x: (int32x4_t, int32x4_t), a: int16x8_t, b: int16x8_t) -> (int32x4_t, int32x4_t) =
            (vmlal_s16(x.0, vget_low_s16(a), vget_low_s16(b)), vmlal_high_s16(x.1, a, b));
        sub_wide(x: (int32x4_t, int32x4_t), a: int16x8_t, b: int16x8_t) -> (int32x4_t, int32x4_t) =
            (vmlsl_s16(x.0, vget_low_s16(a), vget_low_s16(b)), vmlsl_high_s16(x.1, a, b));
        halves(x: (int32x4_t, int32x4_t)) -> (int16x8_t, int16x8_t) = {
            let (low, high) = (vreinterpretq_s16_s32(x.0), vreinterpretq_s16_s32(x.1));
            (vuzp1q_s16(low, high), vuzp2q_s16(low, high))
        };
    }
}

impl Registers<16> for Neon {
    type Lane = i32;
    type Register = int32x4_t;
    /// Of the first lanes, and of the last ones.
    type Accumulator = (int64x2_t, int64x2_t);

    const Q: i32 = Factor::<i32>::MODULUS as i32;
    const INVERSE: i32 = INVERSE_32;
    const REDUCE_SLOTS: bool = false;

    #[inline(always)]
    fn load(self, lanes: &[i32; 16]) -> [int32x4_t; 4] {
        must_cast(*lanes)
    }
    instructions! {
        splat(x: i32) -> int32x4_t = vdupq_n_s32(x);
        add(a: int32x4_t, b: int32x4_t) -> int32x4_t = vaddq_s32(a, b);
        sub(a: int32x4_t, b: int32x4_t) -> int32x4_t = vsubq_s32(a, b);
        mul_low(a: int32x4_t, b: int32x4_t) -> int32x4_t = vmulq_s32(a, b);
        mul_round(a: int32x4_t, b: int32x4_t) -> int32x4_t = vqrdmulhq_s32(a, b);
        sub_product(x: int32x4_t, a: int32x4_t, b: int32x4_t) -> int32x4_t = vmlsq_s32(x, a, b);
        quotient(x: int32x4_t) -> int32x4_t = vrshrq_n_s32::<23>(x);
        min_unsigned(a: int32x4_t, b: int32x4_t) -> int32x4_t =
            vreinterpretq_s32_u32(vminq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b)));
        exchange(block: usize, u: int32x4_t, v: int32x4_t) -> (int32x4_t, int32x4_t) = match block {
            1 => (vtrn1q_s32(u, v), vtrn2q_s32(u, v)),
            _ => {
                let (u, v) = (vreinterpretq_s64_s32(u), vreinterpretq_s64_s32(v));
                (vreinterpretq_s32_s64(vtrn1q_s64(u, v)), vreinterpretq_s32_s64(vtrn2q_s64(u, v)))
            }
        };
        unzip(a: int32x4_t, b: int32x4_t) -> (int32x4_t, int32x4_t) = (vuzp1q_s32(a, b), vuzp2q_s32(a, b));
        zip(even: int32x4_t, odd: int32x4_t) -> (int32x4_t, int32x4_t) =
            (vzip1q_s32(even, odd), vzip2q_s32(even, odd));
        wide(a: int32x4_t, b: int32x4_t) -> (int64x2_t, int64x2_t) =
            (vmull_s32(vget_low_s32(a), vget_low_s32(b)), vmull_high_s32(a, b));
        add_wide(x: (int64x2_t, int64x2_t), a: int32x4_t, b: int32x4_t) -> (int64x2_t, int64x2_t) =
            (vmlal_s32(x.0, vget_low_s32(a), vget_low_s32(b)), vmlal_high_s32(x.1, a, b));
        sub_wide(x: (int64x2_t, int64x2_t), a: int32x4_t, b: int32x4_t) -> (int64x2_t, int64x2_t) =
            (vmlsl_s32(x.0, vget_low_s32(a), vget_low_s32(b)), vmlsl_high_s32(x.1, a, b));
        halves(x: (int64x2_t, int64x2_t)) -> (int32x4_t, int32x4_t) = {
            let (low, high) = (vreinterpretq_s32_s64(x.0), vreinterpretq_s32_s64(x.1));
            (vuzp1q_s32(low, high), vuzp2q_s32(low, high))
        };
    }
}

impl Words<4> for Neon {
    type V = uint32x4_t;
    /// Of the first words, and of the last ones.
    type Wide = (uint64x2_t, uint64x2_t);

    #[inline(always)]
    fn load(self, words: &[u32; 4]) -> uint32x4_t {
        must_cast(*words)
    }
    #[inline(always)]
    fn store(self, x: uint32x4_t, words: &mut [u32; 4]) {
        *words = must_cast(x);
    }
    instructions! {
        splat(x: u32) -> uint32x4_t = vdupq_n_u32(x);
        add(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vaddq_u32(a, b);
        sub(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vsubq_u32(a, b);
        min(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vminq_u32(a, b);
        mul_low(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vmulq_u32(a, b);
        wide(a: uint32x4_t, b: uint32x4_t) -> (uint64x2_t, uint64x2_t) =
            (vmull_u32(vget_low_u32(a), vget_low_u32(b)), vmull_high_u32(a, b));
        add_wide(a: (uint64x2_t, uint64x2_t), b: (uint64x2_t, uint64x2_t)) -> (uint64x2_t, uint64x2_t) =
            (vaddq_u64(a.0, b.0), vaddq_u64(a.1, b.1));
        low(x: (uint64x2_t, uint64x2_t)) -> uint32x4_t =
            vuzp1q_u32(vreinterpretq_u32_u64(x.0), vreinterpretq_u32_u64(x.1));
        high(x: (uint64x2_t, uint64x2_t)) -> uint32x4_t =
            vuzp2q_u32(vreinterpretq_u32_u64(x.0), vreinterpretq_u32_u64(x.1));
        spread(block: usize, x: uint32x4_t) -> uint32x4_t = match block {
            1 => x,
            _ => vzip1q_u32(x, x),
        };
    }
    #[inline(always)]
    fn exchange(self, block: usize, u: uint32x4_t, v: uint32x4_t) -> (uint32x4_t, uint32x4_t) {
        match block {
            1 => with!(self, (vtrn1q_u32(u, v), vtrn2q_u32(u, v))),
            _ => pairs(self, u, v),
        }
    }
    #[inline(always)]
    fn zip(self, block: usize, u: uint32x4_t, v: uint32x4_t) -> (uint32x4_t, uint32x4_t) {
        match block {
            1 => with!(self, (vzip1q_u32(u, v), vzip2q_u32(u, v))),
            _ => pairs(self, u, v),
        }
    }
    #[inline(always)]
    fn unzip(self, block: usize, u: uint32x4_t, v: uint32x4_t) -> (uint32x4_t, uint32x4_t) {
        match block {
            1 => with!(self, (vuzp1q_u32(u, v), vuzp2q_u32(u, v))),
            _ => pairs(self, u, v),
        }
    }
}

/// Returns the first pairs of words of both, and the last ones.
#[inline(always)]
fn pairs(proof: Neon, u: uint32x4_t, v: uint32x4_t) -> (uint32x4_t, uint32x4_t) {
    with!(proof, {
        let (u, v) = (vreinterpretq_u64_u32(u), vreinterpretq_u64_u32(v));
        (vreinterpretq_u32_u64(vtrn1q_u64(u, v)), vreinterpretq_u32_u64(vtrn2q_u64(u, v)))
    })
}

impl Neon {
    /// Returns whether all lanes, unsigned, are below 3329.
    #[inline(always)]
    fn all_below_16<const R: usize>(self, x: &[[int16x8_t; 4]; R]) -> bool {
        with!(self, {
            let largest =
                x.as_flattened().iter().fold(vdupq_n_u16(0), |a, b| vmaxq_u16(a, vreinterpretq_u16_s16(*b)));
            u32::from(vmaxvq_u16(largest)) < Factor::<i16>::MODULUS
        })
    }

    /// Returns whether all lanes, unsigned, are below 8380417.
    #[inline(always)]
    fn all_below_32<const R: usize>(self, x: &[[int32x4_t; 4]; R]) -> bool {
        with!(self, {
            let largest =
                x.as_flattened().iter().fold(vdupq_n_u32(0), |a, b| vmaxq_u32(a, vreinterpretq_u32_s32(*b)));
            vmaxvq_u32(largest) < Factor::<i32>::MODULUS
        })
    }
}

/// [`Small`](crate::Small).
pub(crate) mod small {
    use std::arch::aarch64::int16x8_t;

    use crate::tuned::roots::SMALL;
    use crate::tuned::schedule::barrett::{Four, REDUCE_SMALL};

    kernels!(
        "neon", Four(Neon), [int16x8_t; 4], u16, i16, all_below_16, 128, 1 in step,
        Tables::<i16, _, _>::barrett(&SMALL, REDUCE_SMALL)
    );
}

/// [`MlKem`](crate::MlKem).
pub(crate) mod ml_kem {
    use std::arch::aarch64::int16x8_t;

    use crate::tuned::roots::ML_KEM;
    use crate::tuned::schedule::barrett::{Four, REDUCE_ML_KEM};

    kernels!(
        "neon", Four(Neon), [int16x8_t; 4], u16, i16, all_below_16, 256, 1 in step,
        Tables::<i16, _, _>::barrett(&ML_KEM, REDUCE_ML_KEM)
    );
}

/// [`MlDsa`](crate::MlDsa).
pub(crate) mod ml_dsa {
    use std::arch::aarch64::int32x4_t;

    use crate::tuned::roots::ML_DSA;
    use crate::tuned::schedule::barrett::{Four, REDUCE_ML_DSA};

    kernels!(
        "neon", Four(Neon), [int32x4_t; 4], u32, i32, all_below_32, 256, 1 in step,
        Tables::<i32, _, _>::barrett(&ML_DSA, REDUCE_ML_DSA)
    );
}

words!(Neon, 4);
