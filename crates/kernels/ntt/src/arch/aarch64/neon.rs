//! NEON (Advanced SIMD): vectors of 16 bytes.
#![allow(
    unsafe_code,
    reason = "instructions are called outside of functions that enable them, behind the proof that they are there"
)]

use std::arch::aarch64::*;

use bytemuck::must_cast;

use crate::any::vectors::Words;
use crate::tuned::roots::{Factor, INVERSE_32};
use crate::tuned::schedule::lanes16::{self, Lanes16};
use crate::tuned::schedule::lanes32::{self, Lanes32};

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

impl Lanes16<8> for Neon {
    type V = int16x8_t;
    const IN_STEP: usize = 2;
    /// A polynomial has 16 or 32 vectors.
    const LOOPS: bool = true;

    #[inline(always)]
    fn load(self, lanes: &[i16; 8]) -> int16x8_t {
        must_cast(*lanes)
    }
    #[inline(always)]
    fn order<const ORDER: u8>(self, a: int16x8_t) -> int16x8_t {
        let order: uint8x16_t = must_cast(const { lanes16::bytes(ORDER) });
        with!(self, vreinterpretq_s16_u8(vqtbl1q_u8(vreinterpretq_u8_s16(a), order)))
    }
    instructions! {
        splat(x: i16) -> int16x8_t = vdupq_n_s16(x);
        add(a: int16x8_t, b: int16x8_t) -> int16x8_t = vaddq_s16(a, b);
        sub(a: int16x8_t, b: int16x8_t) -> int16x8_t = vsubq_s16(a, b);
        mul_low(a: int16x8_t, b: int16x8_t) -> int16x8_t = vmulq_s16(a, b);
        // The instruction returns the upper half of twice the product.
        mul_high(a: int16x8_t, b: int16x8_t) -> int16x8_t = vshrq_n_s16::<1>(vqdmulhq_s16(a, b));
        mul_round(a: int16x8_t, b: int16x8_t) -> int16x8_t = vqrdmulhq_s16(a, b);
        min_unsigned(a: int16x8_t, b: int16x8_t) -> int16x8_t =
            vreinterpretq_s16_u16(vminq_u16(vreinterpretq_u16_s16(a), vreinterpretq_u16_s16(b)));
        // The lower halves of both products are equal, and so are the lowest bits of twice the upper ones.
        mul(a: int16x8_t, by: Factor<int16x8_t>) -> int16x8_t =
            vhsubq_s16(vqdmulhq_s16(a, by.value), vqdmulhq_n_s16(vmulq_s16(a, by.companion), lanes16::Q));
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
        mul_pairs(a: int16x8_t, b: int16x8_t) -> int16x8_t = {
            let low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
            vreinterpretq_s16_s32(vpaddq_s32(low, vmull_high_s16(a, b)))
        };
        add_32(a: int16x8_t, b: int16x8_t) -> int16x8_t =
            vreinterpretq_s16_s32(vaddq_s32(vreinterpretq_s32_s16(a), vreinterpretq_s32_s16(b)));
        halves(a: int16x8_t, b: int16x8_t) -> (int16x8_t, int16x8_t) = (vtrn1q_s16(a, b), vtrn2q_s16(a, b));
        swap(a: int16x8_t) -> int16x8_t = vrev32q_s16(a);
        low_twice(a: int16x8_t) -> int16x8_t =
            vreinterpretq_s16_s32(vtrn1q_s32(vreinterpretq_s32_s16(a), vreinterpretq_s32_s16(a)));
        high_twice(a: int16x8_t) -> int16x8_t =
            vreinterpretq_s16_s32(vtrn2q_s32(vreinterpretq_s32_s16(a), vreinterpretq_s32_s16(a)));
        last_of(a: int16x8_t, b: int16x8_t) -> int16x8_t =
            vbslq_s16(vreinterpretq_u16_u64(vdupq_n_u64(0xffff << 48)), b, a);
    }
}

/// Returns the vector of the results of an expression for each register.
macro_rules! halves {
    ($proof:ident, |$half:ident| $value:expr) => {{
        let one = |$half: usize| with!($proof, $value);
        [one(0), one(1)]
    }};
}

/// Methods of eight lanes in two registers, from the expression for one.
macro_rules! both {
    ($($name:ident($($operand:ident),*) = $value:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($operand: Self::V),*) -> Self::V {
            halves!(self, |half| {
                $(let $operand = $operand[half];)*
                $value
            })
        }
    )*};
}

impl Lanes32<8> for Neon {
    type V = [int32x4_t; 2];
    const IN_STEP: usize = 4;
    /// A polynomial has 32 vectors.
    const LOOPS: bool = true;

    #[inline(always)]
    fn splat(self, x: i32) -> Self::V {
        with!(self, [vdupq_n_s32(x); 2])
    }
    #[inline(always)]
    fn load(self, lanes: &[i32; 8]) -> Self::V {
        must_cast(*lanes)
    }
    both! {
        add(a, b) = vaddq_s32(a, b);
        sub(a, b) = vsubq_s32(a, b);
        mul_low(a, b) = vmulq_s32(a, b);
        shift_23(a) = vshrq_n_s32::<23>(a);
        min_unsigned(a, b) =
            vreinterpretq_s32_u32(vminq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b)));
        mul_even(a, b) = {
            let (a, b) = (vmovn_s64(vreinterpretq_s64_s32(a)), vmovn_s64(vreinterpretq_s64_s32(b)));
            vreinterpretq_s32_s64(vmull_s32(a, b))
        };
        odd(a) = vtrn2q_s32(a, a);
        add_64(a, b) = vreinterpretq_s32_s64(vaddq_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
        sub_64(a, b) = vreinterpretq_s32_s64(vsubq_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
        odds(a, b) = vtrn2q_s32(a, b);
        montgomery(a, b) = {
            let m = vmulq_n_s32(vtrn1q_s32(a, b), INVERSE_32);
            vsubq_s32(vtrn2q_s32(a, b), vshrq_n_s32::<1>(vqdmulhq_n_s32(m, lanes32::Q)))
        };
    }
    #[inline(always)]
    fn mul(self, a: Self::V, by: Factor<Self::V>) -> Self::V {
        // As in 16 bits.
        halves!(self, |i| {
            let m = vmulq_s32(a[i], by.companion[i]);
            vhsubq_s32(vqdmulhq_s32(a[i], by.value[i]), vqdmulhq_n_s32(m, lanes32::Q))
        })
    }
    #[inline(always)]
    fn mul_even_by(self, a: Self::V, by: Factor<Self::V>) -> Self::V {
        Lanes32::mul(self, a, by)
    }
    #[inline(always)]
    fn exchange(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V) {
        let [[u0, v0], [u1, v1]] = halves!(self, |i| match block {
            1 => [vtrn1q_s32(u[i], v[i]), vtrn2q_s32(u[i], v[i])],
            2 => pairs(self, u[i], v[i]),
            _ => [[u[0], v[0]][i], [u[1], v[1]][i]],
        });
        ([u0, u1], [v0, v1])
    }
}

impl Words<8> for Neon {
    /// Of the first and of the last words of each register.
    type Wide = [[uint64x2_t; 2]; 2];

    #[inline(always)]
    fn store(self, x: Self::V, words: &mut [u32; 8]) {
        *words = must_cast(x);
    }
    #[inline(always)]
    fn wide(self, a: Self::V, b: Self::V) -> Self::Wide {
        halves!(self, |i| {
            let (a, b) = (vreinterpretq_u32_s32(a[i]), vreinterpretq_u32_s32(b[i]));
            [vmull_u32(vget_low_u32(a), vget_low_u32(b)), vmull_high_u32(a, b)]
        })
    }
    #[inline(always)]
    fn add_wide(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        halves!(self, |i| [vaddq_u64(a[i][0], b[i][0]), vaddq_u64(a[i][1], b[i][1])])
    }
    #[inline(always)]
    fn low(self, x: Self::Wide) -> Self::V {
        halves!(self, |i| vuzp1q_s32(vreinterpretq_s32_u64(x[i][0]), vreinterpretq_s32_u64(x[i][1])))
    }
    #[inline(always)]
    fn high(self, x: Self::Wide) -> Self::V {
        halves!(self, |i| vuzp2q_s32(vreinterpretq_s32_u64(x[i][0]), vreinterpretq_s32_u64(x[i][1])))
    }
    #[inline(always)]
    fn zip(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V) {
        let [low, high] = halves!(self, |i| match block {
            1 => [vzip1q_s32(u[i], v[i]), vzip2q_s32(u[i], v[i])],
            _ => pairs(self, u[i], v[i]),
        });
        (low, high)
    }
    #[inline(always)]
    fn unzip(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V) {
        let [[u0, v0], [u1, v1]] = halves!(self, |i| match block {
            1 => [vuzp1q_s32([u, v][i][0], [u, v][i][1]), vuzp2q_s32([u, v][i][0], [u, v][i][1])],
            _ => pairs(self, [u, v][i][0], [u, v][i][1]),
        });
        ([u0, u1], [v0, v1])
    }
    #[inline(always)]
    fn spread(self, block: usize, x: Self::V) -> Self::V {
        match block {
            1 => x,
            2 => with!(self, [vzip1q_s32(x[0], x[0]), vzip2q_s32(x[0], x[0])]),
            _ => with!(self, [vdupq_laneq_s32::<0>(x[0]), vdupq_laneq_s32::<1>(x[0])]),
        }
    }
}

/// Returns the first pairs of words of both, and the last ones.
#[inline(always)]
fn pairs(proof: Neon, u: int32x4_t, v: int32x4_t) -> [int32x4_t; 2] {
    with!(proof, {
        let (u, v) = (vreinterpretq_s64_s32(u), vreinterpretq_s64_s32(v));
        [vreinterpretq_s32_s64(vtrn1q_s64(u, v)), vreinterpretq_s32_s64(vtrn2q_s64(u, v))]
    })
}

impl Neon {
    /// Returns whether all lanes, unsigned, are below 3329.
    #[inline(always)]
    fn all_below_16<const R: usize>(self, x: &[int16x8_t; R]) -> bool {
        with!(self, {
            let largest = x.iter().fold(vdupq_n_u16(0), |a, b| vmaxq_u16(a, vreinterpretq_u16_s16(*b)));
            vmaxvq_u16(largest) < lanes16::Q as u16
        })
    }

    /// Returns whether all lanes, unsigned, are below 8380417.
    #[inline(always)]
    fn all_below_32<const R: usize>(self, x: &[[int32x4_t; 2]; R]) -> bool {
        with!(self, {
            let all = x.as_flattened().iter();
            let largest = all.fold(vdupq_n_u32(0), |a, b| vmaxq_u32(a, vreinterpretq_u32_s32(*b)));
            vmaxvq_u32(largest) < lanes32::Q as u32
        })
    }
}

rings!("neon", Neon, std::arch::aarch64::int16x8_t, [std::arch::aarch64::int32x4_t; 2], 1 in step);

words!(Neon, 8);
