//! The kernels for x86-64: the operations of a schedule as instructions, and the functions for the tables.

/// The kernels of a ring: functions over pointers for the rows of `dispatch`, which call the functions of a schedule
/// over registers.
macro_rules! kernels {
    ($features:literal, $lanes:ident($token:ident), $vector:ty, $coefficient:ty, $lane:ty, $all_below:ident,
     $n:literal in $registers:literal, $in_step:tt in step, $tables:expr) => {
        use crate::tuned::schedule::{Kernels, Tables};

        type Polynomial = [$coefficient; $n];
        type Registers = [$vector; $registers];

        const _: () = assert!(size_of::<Polynomial>() == size_of::<Registers>());

        static TABLES: Tables<$lane, { $n / $registers }, { $registers / 2 }> = $tables;

        /// Returns the values in registers; `None` if one is not below q.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn read(from: *const Polynomial) -> Option<Registers> {
            // SAFETY: the caller promises that the polynomial can be read, which has the size of the registers.
            let x = unsafe { from.cast::<Registers>().read_unaligned() };
            super::$token::here().$all_below(&x).then_some(x)
        }

        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn write(to: *mut Polynomial, x: Registers) {
            // SAFETY: the caller promises that the polynomial can be written, which has the size of the registers.
            unsafe { to.cast::<Registers>().write_unaligned(x) }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn ring() -> Kernels<$lanes<super::$token>, { $n / $registers }, { $registers / 2 }> {
            Kernels { lanes: $lanes(super::$token::here()), tables: &TABLES }
        }

        kernels!(unary $features, forward);
        kernels!(unary $features, inverse);
        kernels!(binary $features, pointwise);
        kernels!(binary $features, product);

        kernels!(products $in_step, $features, $registers);
    };

    (unary $features:literal, $name:ident) => {
        /// Computes a function of the schedule, from one polynomial to another; returns `false` and writes nothing
        /// where a value is not below q.
        ///
        /// Both can be read and written, and may be the same.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn $name(a: *const Polynomial, out: *mut Polynomial) -> bool {
            // SAFETY: the caller promises that both can be read and written.
            unsafe {
                let Some(a) = read(a) else { return false };
                write(out, ring().$name(a));
            }
            true
        }
    };

    (binary $features:literal, $name:ident) => {
        /// Computes a function of the schedule, from two polynomials to a third; returns `false` and writes nothing
        /// where a value is not below q.
        ///
        /// All can be read and written, and may be the same.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn $name(a: *const Polynomial, b: *const Polynomial, out: *mut Polynomial) -> bool {
            // SAFETY: the caller promises that all can be read and written.
            unsafe {
                let (Some(a), Some(b)) = (read(a), read(b)) else { return false };
                write(out, ring().$name(a, b));
            }
            true
        }
    };

    (products 1, $features:literal, $registers:literal) => {
        /// Computes `count` products; returns `false` where a value is not below q, and does not write that product.
        ///
        /// All can be read and written.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn products(
            a: *const Polynomial,
            b: *const Polynomial,
            out: *mut Polynomial,
            count: usize,
        ) -> bool {
            let mut taken = true;
            for i in 0..count {
                // SAFETY: the caller promises that `count` of each can be read and written.
                taken &= unsafe { product(a.add(i), b.add(i), out.add(i)) };
            }
            taken
        }
    };

    (products 2, $features:literal, $registers:literal) => {
        /// Computes `count` products, two in step; returns `false` where a value is not below q, and does not write
        /// that product.
        ///
        /// All can be read and written.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn products(
            a: *const Polynomial,
            b: *const Polynomial,
            out: *mut Polynomial,
            count: usize,
        ) -> bool {
            let (mut taken, mut i) = (true, 0);
            while i < count {
                // SAFETY: the caller promises that `count` of each can be read and written.
                unsafe {
                    if i + 1 < count && two_products(a.add(i), b.add(i), out.add(i)) {
                        i += 2;
                    } else {
                        taken &= product(a.add(i), b.add(i), out.add(i));
                        i += 1;
                    }
                }
            }
            taken
        }

        /// Computes two products; returns `false` and writes nothing where a value of any is not below q.
        ///
        /// Two at each place can be read and written.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn two_products(a: *const Polynomial, b: *const Polynomial, out: *mut Polynomial) -> bool {
            // SAFETY: the caller promises that both at each place can be read and written.
            unsafe {
                let (Some(a0), Some(b0)) = (read(a), read(b)) else { return false };
                let (Some(a1), Some(b1)) = (read(a.add(1)), read(b.add(1))) else { return false };
                let Kernels { lanes, tables } = ring();
                let ring = Kernels { lanes: crate::tuned::schedule::Two(lanes), tables };
                let both = |x: Registers, y: Registers| std::array::from_fn(|i| [x[i], y[i]]);
                let product: [_; $registers] = ring.product(both(a0, a1), both(b0, b1));
                write(out, product.map(|x| x[0]));
                write(out.add(1), product.map(|x| x[1]));
            }
            true
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
