//! The kernels for x86-64: the operations of a schedule as instructions, and the functions for the tables.

/// The kernels of a ring: functions for the rows of `dispatch`, which call the functions of a schedule over registers.
macro_rules! kernels {
    ($features:literal, $lanes:ident($token:ident), $vector:ty, $coefficient:ty, $lane:ty, $all_below:ident,
     $n:literal, $in_step:tt in step, $tables:expr) => {
        use bytemuck::{bytes_of, must_cast, pod_read_unaligned};
        use inout::InOut;

        use crate::tuned::schedule::{Kernels, Tables};

        type Polynomial = [$coefficient; $n];
        type Registers = [$vector; R];

        const R: usize = size_of::<Polynomial>() / size_of::<$vector>();

        static TABLES: Tables<$lane, { $n / R }, { R / 2 }> = $tables;

        /// Returns the values in registers; `None` if one is not below q.
        #[inline]
        #[target_feature(enable = $features)]
        fn read(from: &Polynomial) -> Option<Registers> {
            // A read as a value is compiled to slower code in ML-DSA's transforms.
            let x = pod_read_unaligned(bytes_of(from));
            super::$token::here().$all_below(&x).then_some(x)
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn ring() -> Kernels<$lanes<super::$token>, { $n / R }, { R / 2 }> {
            Kernels { lanes: $lanes(super::$token::here()), tables: &TABLES }
        }

        kernels!($features, forward(a));
        kernels!($features, inverse(a));
        kernels!($features, pointwise(a, b: &Polynomial));
        kernels!($features, product(a, b: &Polynomial));

        kernels!(products $in_step, $features, products);
    };

    ($features:literal, $name:ident($a:ident $(, $b:ident: $B:ty)?)) => {
        /// Computes a function of the schedule; returns `false` and writes nothing if a value is not below q.
        #[target_feature(enable = $features)]
        pub(crate) fn $name(mut polynomial: InOut<'_, '_, Polynomial> $(, $b: $B)?) -> bool {
            let (Some($a), $(Some($b))?) = (read(polynomial.get_in()), $(read($b))?) else { return false };
            *polynomial.get_out() = must_cast(ring().$name($a $(, $b)?));
            true
        }
    };

    (products 1, $features:literal, $name:ident) => {
        /// Computes products of slices of the same length; returns `false` if a value is not below q, and does not
        /// write that product.
        #[target_feature(enable = $features)]
        pub(crate) fn $name(a: &[Polynomial], b: &[Polynomial], out: &mut [Polynomial]) -> bool {
            let mut taken = true;
            for ((a, b), out) in a.iter().zip(b).zip(out) {
                taken &= product((a, out).into(), b);
            }
            taken
        }
    };

    (products 2, $features:literal, $name:ident) => {
        kernels!(products 1, $features, one_by_one);

        /// Computes the same as [`one_by_one`], two in step.
        #[target_feature(enable = $features)]
        pub(crate) fn $name(a: &[Polynomial], b: &[Polynomial], out: &mut [Polynomial]) -> bool {
            let ((a, last_a), (b, last_b), (out, last)) = (a.as_chunks(), b.as_chunks(), out.as_chunks_mut());
            let mut taken = one_by_one(last_a, last_b, last);
            for ((a, b), out) in a.iter().zip(b).zip(out) {
                taken &= two_products(a, b, out) || one_by_one(a, b, out);
            }
            taken
        }

        /// Computes two products; returns `false` and writes nothing if a value of any is not below q.
        #[inline]
        #[target_feature(enable = $features)]
        fn two_products(a: &[Polynomial; 2], b: &[Polynomial; 2], out: &mut [Polynomial; 2]) -> bool {
            let (Some(a0), Some(b0)) = (read(&a[0]), read(&b[0])) else { return false };
            let (Some(a1), Some(b1)) = (read(&a[1]), read(&b[1])) else { return false };
            let Kernels { lanes, tables } = ring();
            let ring = Kernels { lanes: crate::tuned::schedule::Two(lanes), tables };
            let both = |x: Registers, y: Registers| std::array::from_fn(|i| [x[i], y[i]]);
            let product: [_; R] = ring.product(both(a0, a1), both(b0, b1));
            out[0] = must_cast(product.map(|x| x[0]));
            out[1] = must_cast(product.map(|x| x[1]));
            true
        }
    };
}

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
