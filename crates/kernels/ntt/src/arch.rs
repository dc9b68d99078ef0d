//! The functions of the backends.

/// The kernels of a ring: functions for the rows of `dispatch`, which call the functions of a schedule over registers.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! kernels {
    ($features:literal, $lanes:ident($token:ident), $vector:ty, $coefficient:ty, $lane:ty, $all_below:ident,
     $n:literal, $in_step:tt in step, $tables:expr) => {
        use bytemuck::{bytes_of, must_cast, must_cast_ref, pod_read_unaligned};
        use inout::InOut;

        use crate::matrix::{Aligned, Form};
        use crate::tuned::schedule::{Kernels, TERMS, Tables};

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
        kernels!(sums $in_step, $features);

        /// A polynomial as lanes of vectors.
        type Rows = [[$lane; $n / R]; R];

        /// Keeps transforms reduced, in the order in which the layers leave the registers; returns `false` if a value
        /// is not below q.
        #[target_feature(enable = $features)]
        pub(crate) fn keep(form: Form, from: &[Polynomial], to: &mut [Aligned<Polynomial>]) -> bool {
            let mut taken = true;
            for (from, to) in from.iter().zip(to) {
                let Some(x) = read(from) else {
                    taken = false;
                    continue;
                };
                to.0 = must_cast(match form {
                    Form::Polynomial => ring().transformed(x),
                    Form::Transform => ring().ordered(x),
                });
            }
            taken
        }

        /// Keeps transforms as prepared factors; returns `false` if a value is not below q.
        #[target_feature(enable = $features)]
        pub(crate) fn prepare(
            form: Form,
            from: &[Polynomial],
            to: &mut [Aligned<[Polynomial; 2]>],
        ) -> bool {
            let mut taken = true;
            for (from, to) in from.chunks(2).zip(to.chunks_mut(2)) {
                let (Some(x), Some(y)) = (read(&from[0]), read(&from[from.len() - 1])) else {
                    taken = false;
                    continue;
                };
                let both = match (form, from.len()) {
                    (Form::Polynomial, 2) => two_transformed(x, y),
                    (Form::Polynomial, _) => [ring().transformed(x); 2],
                    (Form::Transform, _) => [ring().ordered(x), ring().ordered(y)],
                };
                for (x, to) in both.iter().zip(to) {
                    prepare_one(x, &mut to.0);
                }
            }
            taken
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn prepare_one(x: &Registers, to: &mut [Polynomial; 2]) {
            let mut factors: [Registers; 2] = [*x; 2];
            for i in 0..R {
                [factors[0][i], factors[1][i]] = ring().prepared(i, x[i]);
            }
            *to = factors.map(|x| must_cast(x));
        }

        /// Computes the polynomials of sums of products: one for each `factors.len()` transforms of `keep`.
        #[target_feature(enable = $features)]
        pub(crate) fn rows(
            kept: &[Aligned<Polynomial>],
            factors: &[Aligned<[Polynomial; 2]>],
            out: &mut [Polynomial],
        ) {
            let rows = kept.chunks(2 * factors.len());
            for (kept, out) in rows.zip(out.chunks_mut(2)) {
                let (first, second) = kept.split_at(factors.len());
                let x = row(first, factors);
                if let [out0, out1] = out {
                    let [x, y] = two_inverses(x, row(second, factors));
                    (*out0, *out1) = (must_cast(x), must_cast(y));
                } else {
                    out[0] = must_cast(ring().inverse_of_sum(x));
                }
            }
        }

        /// Returns a sum of products, for `inverse_of_sum`.
        #[inline]
        #[target_feature(enable = $features)]
        fn row(kept: &[Aligned<Polynomial>], factors: &[Aligned<[Polynomial; 2]>]) -> Registers {
            let mut sum = ring().zero();
            for (kept, factors) in kept.chunks(TERMS).zip(factors.chunks(TERMS)) {
                for i in 0..R {
                    let terms = kept.iter().zip(factors).map(|(kept, factors)| {
                        let [b, c] = &factors.0;
                        (must_cast_ref::<_, Rows>(&kept.0), [must_cast_ref::<_, Rows>(b), must_cast_ref::<_, Rows>(c)])
                    });
                    sum[i] = ring().add_terms(i, sum[i], terms);
                }
            }
            sum
        }

        /// Computes the polynomial of a sum of products; returns `false` and writes nothing if a value is not below q.
        #[target_feature(enable = $features)]
        pub(crate) fn sum_of_products(a: &[Polynomial], b: &[Polynomial], out: &mut Polynomial) -> bool {
            let mut sum = ring().zero();
            for (a, b) in a.chunks(TERMS).zip(b.chunks(TERMS)) {
                let mut wide = ring().no_products();
                for (a, b) in a.iter().zip(b) {
                    let (Some(a), Some(b)) = (read(a), read(b)) else { return false };
                    let [a, b] = two_transformed(a, b);
                    ring().add_product(&mut wide, a, b);
                }
                ring().add_sum(&mut sum, wide);
            }
            *out = must_cast(ring().inverse_of_sum(sum));
            true
        }

        /// Computes the sum of products of transforms; returns `false` and writes nothing if a value is not below q.
        #[target_feature(enable = $features)]
        pub(crate) fn pointwise_sum(a: &[Polynomial], b: &[Polynomial], out: &mut Polynomial) -> bool {
            let mut sum = ring().zero();
            for (a, b) in a.chunks(TERMS).zip(b.chunks(TERMS)) {
                let mut wide = ring().no_products();
                for (a, b) in a.iter().zip(b) {
                    let (Some(a), Some(b)) = (read(a), read(b)) else { return false };
                    ring().add_pointwise(&mut wide, a, b);
                }
                ring().add_sum(&mut sum, wide);
            }
            *out = must_cast(ring().sum(sum));
            true
        }
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

    (sums 1, $features:literal) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn two_transformed(x: Registers, y: Registers) -> [Registers; 2] {
            [ring().transformed(x), ring().transformed(y)]
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn two_inverses(x: Registers, y: Registers) -> [Registers; 2] {
            [ring().inverse_of_sum(x), ring().inverse_of_sum(y)]
        }
    };

    (sums 2, $features:literal) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn two_transformed(x: Registers, y: Registers) -> [Registers; 2] {
            let Kernels { lanes, tables } = ring();
            let ring = Kernels { lanes: crate::tuned::schedule::Two(lanes), tables };
            let both: [_; R] = ring.transformed(std::array::from_fn(|i| [x[i], y[i]]));
            [both.map(|x| x[0]), both.map(|x| x[1])]
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn two_inverses(x: Registers, y: Registers) -> [Registers; 2] {
            let Kernels { lanes, tables } = ring();
            let ring = Kernels { lanes: crate::tuned::schedule::Two(lanes), tables };
            let both: [_; R] = ring.inverse_of_sum(std::array::from_fn(|i| [x[i], y[i]]));
            [both.map(|x| x[0]), both.map(|x| x[1])]
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
