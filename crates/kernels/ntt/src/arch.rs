//! The functions of the backends.

/// The kernels of a ring: functions for the rows of `dispatch`, which call the functions of a schedule over registers.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
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

/// The functions of [`Ring`](crate::Ring) over vectors of words.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! words {
    ($features:literal, $token:ident, $words:literal) => {
        /// [`Ring`](crate::Ring).
        pub(crate) mod any {
            use super::$token;
            use crate::any::{Tables, vectors};

            const W: usize = $words;

            /// Computes the same as `any::forward`, of at least 2·W coefficients.
            #[target_feature(enable = $features)]
            pub(crate) fn forward(tables: &Tables, x: &mut [u32]) {
                vectors::forward::<_, W>($token::here(), tables, x);
            }

            /// Computes the same as `any::inverse`, of at least 2·W coefficients.
            #[target_feature(enable = $features)]
            pub(crate) fn inverse(tables: &Tables, x: &mut [u32]) {
                vectors::inverse::<_, W>($token::here(), tables, x);
            }

            /// Computes the same as `any::pointwise`, of at least W values.
            #[target_feature(enable = $features)]
            pub(crate) fn pointwise(tables: &Tables, a: &mut [u32], b: &[u32]) {
                vectors::pointwise::<_, W>($token::here(), tables, a, b);
            }

            /// Computes the same as `any::product`, of at least 2·W coefficients.
            #[target_feature(enable = $features)]
            pub(crate) fn product(tables: &Tables, a: &mut [u32], b: &mut [u32]) {
                vectors::product::<_, W>($token::here(), tables, a, b);
            }

            /// Computes the same as `any::all_below`.
            #[target_feature(enable = $features)]
            pub(crate) fn all_below(q: u32, x: &[u32]) -> bool {
                vectors::all_below::<_, W>($token::here(), q, x)
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
pub(crate) mod aarch64;
pub(crate) mod generic;
#[cfg(target_arch = "riscv64")]
pub(crate) mod riscv64;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;
