//! The functions of the backends.

/// The kernels of a ring: functions for the rows of `dispatch`, which call the functions of a schedule over registers.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! kernels {
    ($features:literal, $lanes:ident($token:ident), $vector:ty, $coefficient:ty, $lane:ty, $all_below:ident,
     $n:literal, $in_step:tt in step, $tables:expr) => {
        use bytemuck::{bytes_of, must_cast, must_cast_mut, must_cast_ref, pod_read_unaligned};

        use crate::matrix::{Aligned, Form};
        use crate::tuned::schedule::{Kernels, TERMS, Tables};

        type Polynomial = [$coefficient; $n];
        type Registers = [$vector; R];

        const R: usize = size_of::<Polynomial>() / size_of::<$vector>();
        const W: usize = $n / R;

        static TABLES: Tables<$lane, W, { R / 2 }> = $tables;

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
        fn ring() -> Kernels<$lanes<super::$token>, W, { R / 2 }> {
            Kernels { lanes: $lanes(super::$token::here()), tables: &TABLES }
        }

        kernels!($features, forward(a));
        kernels!($features, inverse(a));
        kernels!($features, pointwise(a, b));
        kernels!($features, product(a, b));

        kernels!($in_step in step, $features, $lanes($token), $vector);

        parcrypt_cpu::methods! { $token: crate::dispatch::Functions<$coefficient, $n>;
            forward(x: &mut Polynomial) -> bool = forward;
            inverse(x: &mut Polynomial) -> bool = inverse;
            pointwise(a: &Polynomial, b: &Polynomial, out: &mut Polynomial) -> bool = pointwise;
            product(a: &Polynomial, b: &Polynomial, out: &mut Polynomial) -> bool = product;
            products(a: &[Polynomial], b: &[Polynomial], out: &mut [Polynomial]) -> bool = products;
            keep(form: Form, from: &[Polynomial], to: &mut [Aligned<Polynomial>]) -> bool = keep;
            prepare(from: &[Polynomial], to: &mut [Aligned<[Polynomial; 2]>]) -> bool = prepare;
            rows(kept: &[Aligned<Polynomial>], factors: &[Aligned<[Polynomial; 2]>], out: &mut [Polynomial]) = rows;
        }

        /// A polynomial as lanes of vectors.
        type Rows = [[$lane; W]; R];

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

        /// Returns a sum of products, for `inverse_of_sum`.
        #[inline]
        #[target_feature(enable = $features)]
        fn row(kept: &[Aligned<Polynomial>], factors: &[Aligned<[Polynomial; 2]>]) -> Registers {
            let mut sum = ring().zero();
            for (kept, factors) in kept.chunks(TERMS).zip(factors.chunks(TERMS)) {
                let terms = kept.iter().zip(factors).map(|(kept, factors)| {
                    let [b, c] = &factors.0;
                    (must_cast_ref::<_, Rows>(&kept.0), [must_cast_ref::<_, Rows>(b), must_cast_ref::<_, Rows>(c)])
                });
                ring().add_terms(&mut sum, terms);
            }
            sum
        }
    };

    ($features:literal, $name:ident($x:ident)) => {
        /// Replaces a polynomial by a function of the schedule; returns `false` and writes nothing if a value is not
        /// below q.
        #[target_feature(enable = $features)]
        pub(crate) fn $name($x: &mut Polynomial) -> bool {
            let Some(x) = read($x) else { return false };
            *$x = must_cast(ring().$name(x));
            true
        }
    };

    ($features:literal, $name:ident($a:ident, $b:ident)) => {
        /// Writes a function of the schedule; returns `false` and writes nothing if a value is not below q.
        #[target_feature(enable = $features)]
        pub(crate) fn $name($a: &Polynomial, $b: &Polynomial, out: &mut Polynomial) -> bool {
            let (Some(a), Some(b)) = (read($a), read($b)) else { return false };
            *out = must_cast(ring().$name(a, b));
            true
        }
    };

    (one by one, $features:literal, $products:ident, $prepare:ident, $rows:ident) => {
        /// Computes products of slices of the same length; returns `false` if a value is not below q, and does not
        /// write that product.
        #[target_feature(enable = $features)]
        pub(crate) fn $products(a: &[Polynomial], b: &[Polynomial], out: &mut [Polynomial]) -> bool {
            let mut taken = true;
            for ((a, b), out) in a.iter().zip(b).zip(out) {
                taken &= product(a, b, out);
            }
            taken
        }

        /// Keeps transforms as prepared factors; returns `false` if a value is not below q.
        #[target_feature(enable = $features)]
        pub(crate) fn $prepare(from: &[Polynomial], to: &mut [Aligned<[Polynomial; 2]>]) -> bool {
            let mut taken = true;
            for (from, to) in from.iter().zip(to) {
                let Some(x) = read(from) else {
                    taken = false;
                    continue;
                };
                let x = ring().transformed(x);
                let [b, c]: &mut [Rows; 2] = must_cast_mut(&mut to.0);
                for i in 0..R {
                    let factors = ring().prepared(i, x[i]);
                    (b[i], c[i]) = (must_cast(factors[0]), must_cast(factors[1]));
                }
            }
            taken
        }

        /// Computes the polynomials of sums of products: one for each `factors.len()` transforms of `keep`.
        #[target_feature(enable = $features)]
        pub(crate) fn $rows(
            kept: &[Aligned<Polynomial>],
            factors: &[Aligned<[Polynomial; 2]>],
            out: &mut [Polynomial],
        ) {
            for (kept, out) in kept.chunks(factors.len()).zip(out) {
                let mut sum = row(kept, factors);
                ring().inverse_of_sum(&mut sum);
                *out = must_cast(sum);
            }
        }
    };

    (1 in step, $features:literal, $lanes:ident($token:ident), $vector:ty) => {
        kernels!(one by one, $features, products, prepare, rows);
    };

    (2 in step, $features:literal, $lanes:ident($token:ident), $vector:ty) => {
        use crate::tuned::schedule::two::Two;

        kernels!(one by one, $features, products_one_by_one, prepare_one_by_one, rows_one_by_one);

        /// Returns the kernels for two polynomials in step.
        #[inline]
        #[target_feature(enable = $features)]
        fn two() -> Kernels<Two<$lanes<super::$token>>, W, { R / 2 }> {
            let Kernels { lanes, tables } = ring();
            Kernels { lanes: Two(lanes), tables }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn pairs(x: Registers, y: Registers) -> [[$vector; 2]; R] {
            std::array::from_fn(|i| [x[i], y[i]])
        }

        /// Writes two polynomials.
        #[inline]
        #[target_feature(enable = $features)]
        fn write(both: [[$vector; 2]; R], out: &mut [Polynomial; 2]) {
            out[0] = must_cast(both.map(|x| x[0]));
            out[1] = must_cast(both.map(|x| x[1]));
        }

        /// Computes the same as [`products_one_by_one`], two in step.
        #[target_feature(enable = $features)]
        pub(crate) fn products(a: &[Polynomial], b: &[Polynomial], out: &mut [Polynomial]) -> bool {
            let ((a, last_a), (b, last_b), (out, last)) = (a.as_chunks(), b.as_chunks(), out.as_chunks_mut());
            let mut taken = products_one_by_one(last_a, last_b, last);
            for ((a, b), out) in a.iter().zip(b).zip(out) {
                taken &= two_products(a, b, out) || products_one_by_one(a, b, out);
            }
            taken
        }

        /// Computes two products; returns `false` and writes nothing if a value of any is not below q.
        #[inline]
        #[target_feature(enable = $features)]
        fn two_products(a: &[Polynomial; 2], b: &[Polynomial; 2], out: &mut [Polynomial; 2]) -> bool {
            let (Some(a0), Some(b0)) = (read(&a[0]), read(&b[0])) else { return false };
            let (Some(a1), Some(b1)) = (read(&a[1]), read(&b[1])) else { return false };
            write(two().product(pairs(a0, a1), pairs(b0, b1)), out);
            true
        }

        /// Computes the same as [`prepare_one_by_one`], two polynomials in step.
        #[target_feature(enable = $features)]
        pub(crate) fn prepare(from: &[Polynomial], to: &mut [Aligned<[Polynomial; 2]>]) -> bool {
            let ((pairs_from, last_from), (pairs_to, last_to)) = (from.as_chunks(), to.as_chunks_mut());
            let mut taken = prepare_one_by_one(last_from, last_to);
            for (from, to) in pairs_from.iter().zip(pairs_to) {
                taken &= prepare_two(from, to);
            }
            taken
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn prepare_two(from: &[Polynomial; 2], to: &mut [Aligned<[Polynomial; 2]>; 2]) -> bool {
            let (Some(x), Some(y)) = (read(&from[0]), read(&from[1])) else { return false };
            let both = two().transformed(pairs(x, y));
            for (j, to) in to.iter_mut().enumerate() {
                let [b, c]: &mut [Rows; 2] = must_cast_mut(&mut to.0);
                for i in 0..R {
                    let factors = ring().prepared(i, both[i][j]);
                    (b[i], c[i]) = (must_cast(factors[0]), must_cast(factors[1]));
                }
            }
            true
        }

        /// Computes the same as [`rows_one_by_one`], two in step.
        #[target_feature(enable = $features)]
        pub(crate) fn rows(
            kept: &[Aligned<Polynomial>],
            factors: &[Aligned<[Polynomial; 2]>],
            out: &mut [Polynomial],
        ) {
            let (out, last) = out.as_chunks_mut();
            let (kept, last_kept) = kept.split_at(2 * factors.len() * out.len());
            for (kept, out) in kept.chunks(2 * factors.len()).zip(out) {
                let (first, second) = kept.split_at(factors.len());
                let mut sums = pairs(row(first, factors), row(second, factors));
                two().inverse_of_sum(&mut sums);
                write(sums, out);
            }
            rows_one_by_one(last_kept, factors, last);
        }
    };
}

/// The modules of the three rings. `$in_step` products go together where there are enough registers.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! rings {
    ($features:literal, $token:ident, $narrow:ty, $wide:ty, $in_step:tt in step) => {
        #[cfg(test)]
        parcrypt_cpu::test_on! { $token:
            fn lanes_agree_with_the_model() {
                use crate::tuned::roots::Factor;
                use crate::tuned::schedule::tests::agrees_with_model;
                use crate::tuned::schedule::{lanes16::Narrow, lanes32::Wide};
                const W: [usize; 2] = [size_of::<$narrow>() / 2, size_of::<$wide>() / 4];
                let (narrow, wide) = (Narrow($token::here()), Wide($token::here()));
                agrees_with_model::<i16, _, { W[0] }>(narrow, 3329, |x| x as i16, Factor::<i16>::montgomery);
                agrees_with_model::<i32, _, { W[1] }>(wide, 8380417, |x| x as i32, Factor::<i32>::montgomery);
            }
        }

        /// [`Small`](crate::Small).
        pub(crate) mod small {
            use crate::tuned::roots::SMALL;
            use crate::tuned::schedule::lanes16::{Narrow, REDUCE_SMALL};

            kernels!(
                $features, Narrow($token), $narrow, u16, i16, all_below_16, 128, $in_step in step,
                Tables::<i16, _, _>::new(&SMALL, REDUCE_SMALL)
            );
        }

        /// [`MlKem`](crate::MlKem).
        pub(crate) mod ml_kem {
            use crate::tuned::roots::ML_KEM;
            use crate::tuned::schedule::lanes16::{Narrow, REDUCE_ML_KEM};

            kernels!(
                $features, Narrow($token), $narrow, u16, i16, all_below_16, 256, $in_step in step,
                Tables::<i16, _, _>::new(&ML_KEM, REDUCE_ML_KEM)
            );
        }

        /// [`MlDsa`](crate::MlDsa).
        pub(crate) mod ml_dsa {
            use crate::tuned::roots::ML_DSA;
            use crate::tuned::schedule::lanes32::{REDUCE_ML_DSA, Wide};

            kernels!(
                $features, Wide($token), $wide, u32, i32, all_below_32, 256, 1 in step,
                Tables::<i32, _, _>::new(&ML_DSA, REDUCE_ML_DSA)
            );
        }
    };
}

/// The functions of [`Ring`](crate::Ring) over vectors of words.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! words {
    ($Set:ident, $words:literal) => {
        parcrypt_cpu::methods! { $Set: crate::dispatch::AnyFunctions;
            forward(tables: &crate::any::Tables, x: &mut [u32]) =
                |tables, x| crate::any::vectors::forward::<_, $words>($Set::here(), tables, x);
            inverse(tables: &crate::any::Tables, x: &mut [u32]) =
                |tables, x| crate::any::vectors::inverse::<_, $words>($Set::here(), tables, x);
            pointwise(tables: &crate::any::Tables, a: &mut [u32], b: &[u32]) =
                |tables, a, b| crate::any::vectors::pointwise::<_, $words>($Set::here(), tables, a, b);
            product(tables: &crate::any::Tables, a: &mut [u32], b: &mut [u32]) =
                |tables, a, b| crate::any::vectors::product::<_, $words>($Set::here(), tables, a, b);
            all_below(q: u32, x: &[u32]) -> bool =
                |q, x| crate::any::vectors::all_below::<_, $words>($Set::here(), q, x);
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
