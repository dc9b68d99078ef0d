//! The kernels for x86-64: the operations of a schedule as instructions, and the functions for the tables.

/// The modules of the three rings. `$in_step` products go together where there are enough registers.
macro_rules! rings {
    ($features:literal, $token:ident, $vector:ident, $in_step:tt in step) => {
        /// [`Small`](crate::Small).
        pub(crate) mod small {
            use std::arch::x86_64::$vector;

            use crate::tuned::roots::SMALL;
            use crate::tuned::schedule::lanes16::{Narrow, REDUCE_SMALL};

            kernels!(
                $features, Narrow($token), $vector, u16, i16, all_below_16, 128, $in_step in step,
                Tables::<i16, _, _>::new(&SMALL, REDUCE_SMALL)
            );
        }

        /// [`MlKem`](crate::MlKem).
        pub(crate) mod ml_kem {
            use std::arch::x86_64::$vector;

            use crate::tuned::roots::ML_KEM;
            use crate::tuned::schedule::lanes16::{Narrow, REDUCE_ML_KEM};

            kernels!(
                $features, Narrow($token), $vector, u16, i16, all_below_16, 256, $in_step in step,
                Tables::<i16, _, _>::new(&ML_KEM, REDUCE_ML_KEM)
            );
        }

        /// [`MlDsa`](crate::MlDsa).
        pub(crate) mod ml_dsa {
            use std::arch::x86_64::$vector;

            use crate::tuned::roots::ML_DSA;
            use crate::tuned::schedule::lanes32::{REDUCE_ML_DSA, Wide};

            kernels!(
                $features, Wide($token), $vector, u32, i32, all_below_32, 256, 1 in step,
                Tables::<i32, _, _>::new(&ML_DSA, REDUCE_ML_DSA)
            );
        }
    };
}

/// Methods of lanes: their operands, and the result as an expression of instructions, which `with!` calls.
macro_rules! instructions {
    ($($name:ident($($operand:ident),*) = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($operand: Self::V),*) -> Self::V {
            with!(self, $result)
        }
    )*};
}

pub(crate) mod avx2;
pub(crate) mod avx512;

/// Returns the operand of `pshufb` in the lower (0) or upper (1) half of 128 bits for `Lanes16::order`.
const fn bytes(order: u8, half: u8) -> i64 {
    let mut bytes = [0; 8];
    let mut i = 0;
    while i < 8 {
        bytes[i as usize] = 8 * half + 2 * (order >> (2 * (i / 2)) & 3) + i % 2;
        i += 1;
    }
    i64::from_le_bytes(bytes)
}
