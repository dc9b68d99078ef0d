//! The tables of backends for the tuned rings, and the selection of rows.
#![cfg_attr(target_arch = "riscv64", allow(unsafe_code, reason = "assembly that is called after its checks"))]

use std::fmt::Debug;

use parcrypt_cpu::{Backend, Request, Table, rows};

use crate::any::{self, Tables};
use crate::arch::generic::{words16, words32};
#[cfg(target_arch = "riscv64")]
use crate::arch::riscv64::rvv;
use crate::costs;
use crate::matrix::{Aligned, Form};
use crate::tuned::roots;

/// The functions of a backend for a ring. They return `false` and write nothing if a value is not below q.
pub(crate) trait Functions<T, const N: usize>: Debug + Sync {
    /// Replaces a polynomial by its transform.
    fn forward(&self, x: &mut [T; N]) -> bool;

    /// Replaces a transform by its polynomial.
    fn inverse(&self, x: &mut [T; N]) -> bool;

    /// Writes the product of two transforms.
    fn pointwise(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> bool;

    /// Writes the product of two polynomials.
    fn product(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> bool;

    /// Computes products of slices of the same length; one that is not below q is not written.
    fn products(&self, a: &[[T; N]], b: &[[T; N]], out: &mut [[T; N]]) -> bool;

    /// Writes the first factors of [`Functions::rows`]; after `false` they must not be used.
    fn keep(&self, form: Form, from: &[[T; N]], to: &mut [Aligned<[T; N]>]) -> bool;

    /// Writes the second factors, as [`Functions::keep`] does.
    fn prepare(&self, from: &[[T; N]], to: &mut [Aligned<[[T; N]; 2]>]) -> bool;

    /// Computes one sum of products for each `factors.len()` first factors, which is not 0.
    fn rows(&self, kept: &[Aligned<[T; N]>], factors: &[Aligned<[[T; N]; 2]>], out: &mut [[T; N]]);
}

/// One row of a ring.
#[derive(Debug)]
pub(crate) struct Kernels<T: 'static, const N: usize> {
    pub(crate) functions: &'static dyn Functions<T, N>,
    /// Time of a product, in ns.
    pub(crate) product_ns: u64,
}

/// Functions on arrays of values below q.
#[derive(Debug)]
struct Arrays<T: 'static, const N: usize> {
    all_below: fn(&[T; N]) -> bool,
    sum: fn(&mut dyn Iterator<Item = [T; N]>) -> [T; N],
    forward: fn(&[T; N]) -> [T; N],
    inverse: fn(&[T; N]) -> [T; N],
    pointwise: fn(&[T; N], &[T; N]) -> [T; N],
    product: fn(&[T; N], &[T; N]) -> [T; N],
}

impl<T: Copy, const N: usize> Arrays<T, N> {
    /// Writes a value if all that it is computed from is below q, and returns whether it is.
    fn write(&self, from: &[&[T; N]], out: &mut [T; N], value: impl FnOnce() -> [T; N]) -> bool {
        let below = from.iter().all(|from| (self.all_below)(from));
        if below {
            *out = value();
        }
        below
    }
}

impl<T: Copy + Debug, const N: usize> Functions<T, N> for Arrays<T, N> {
    fn forward(&self, x: &mut [T; N]) -> bool {
        let from = *x;
        self.write(&[&from], x, || (self.forward)(&from))
    }

    fn inverse(&self, x: &mut [T; N]) -> bool {
        let from = *x;
        self.write(&[&from], x, || (self.inverse)(&from))
    }

    fn pointwise(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> bool {
        self.write(&[a, b], out, || (self.pointwise)(a, b))
    }

    fn product(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> bool {
        self.write(&[a, b], out, || (self.product)(a, b))
    }

    fn products(&self, a: &[[T; N]], b: &[[T; N]], out: &mut [[T; N]]) -> bool {
        let product = |taken, ((a, b), out)| taken & Functions::product(self, a, b, out);
        a.iter().zip(b).zip(out).fold(true, product)
    }

    fn keep(&self, form: Form, from: &[[T; N]], to: &mut [Aligned<[T; N]>]) -> bool {
        from.iter().zip(to).fold(true, |taken, (from, to)| {
            let kept = || match form {
                Form::Polynomial => (self.forward)(from),
                Form::Transform => *from,
            };
            taken & self.write(&[from], &mut to.0, kept)
        })
    }

    fn prepare(&self, from: &[[T; N]], to: &mut [Aligned<[[T; N]; 2]>]) -> bool {
        from.iter().zip(to).fold(true, |taken, (from, to)| {
            taken & self.write(&[from], &mut to.0[0], || (self.forward)(from))
        })
    }

    fn rows(&self, kept: &[Aligned<[T; N]>], factors: &[Aligned<[[T; N]; 2]>], out: &mut [[T; N]]) {
        for (kept, out) in kept.chunks(factors.len()).zip(out) {
            let mut terms = kept.iter().zip(factors).map(|(a, b)| (self.pointwise)(&a.0, &b.0[0]));
            *out = (self.inverse)(&(self.sum)(&mut terms));
        }
    }
}

rows! {
    /// The rows of [`Small`](crate::Small), in rising order of preference.
    SMALL: Kernels<u16, 128>;
    Portable => Kernels {
        functions: &Arrays {
            all_below: words16::all_below,
            sum: |terms| words16::sum(terms),
            forward: |a| words16::SMALL_TABLES.forward(a),
            inverse: |a| words16::SMALL_TABLES.inverse(a),
            pointwise: |a, b| words16::SMALL_TABLES.pointwise(a, b),
            product: |a, b| words16::SMALL_TABLES.product(a, b),
        },
        product_ns: costs::SMALL_PORTABLE_NS,
    };
    Avx2(AVX2) => Kernels { functions: &AVX2, product_ns: costs::SMALL_AVX2_NS };
    Avx512(AVX512) => Kernels { functions: &AVX512, product_ns: costs::SMALL_AVX512_NS };
    Neon(NEON) => Kernels { functions: &NEON, product_ns: costs::SMALL_NEON_NS };
    Rvv(_RVV) => Kernels {
        functions: &Arrays {
            all_below: words16::all_below,
            sum: |terms| words16::sum(terms),
            forward: |a| words16::SMALL_TABLES.forward(a),
            inverse: |a| words16::SMALL_TABLES.inverse(a),
            pointwise: |a, b| words16::SMALL_TABLES.pointwise(a, b),
            // SAFETY: all are below q, and the row is selected only if the machine has the extension, with one of the
            // lengths of vectors of its ring: see `offered`.
            product: |a, b| unsafe { rvv::small_product(a, b) },
        },
        product_ns: costs::SMALL_RVV_NS,
    };
}

rows! {
    /// The rows of [`MlKem`](crate::MlKem), in rising order of preference.
    ML_KEM: Kernels<u16, 256>;
    Portable => Kernels {
        functions: &Arrays {
            all_below: words16::all_below,
            sum: |terms| words16::sum(terms),
            forward: |a| words16::ML_KEM_TABLES.forward(a),
            inverse: |a| words16::ML_KEM_TABLES.inverse(a),
            pointwise: |a, b| words16::ML_KEM_TABLES.pointwise(a, b),
            product: |a, b| words16::ML_KEM_TABLES.product(a, b),
        },
        product_ns: costs::ML_KEM_PORTABLE_NS,
    };
    Avx2(AVX2) => Kernels { functions: &AVX2, product_ns: costs::ML_KEM_AVX2_NS };
    Avx512(AVX512) => Kernels { functions: &AVX512, product_ns: costs::ML_KEM_AVX512_NS };
    Neon(NEON) => Kernels { functions: &NEON, product_ns: costs::ML_KEM_NEON_NS };
    Rvv(_RVV) => Kernels {
        functions: &Arrays {
            all_below: words16::all_below,
            sum: |terms| words16::sum(terms),
            // SAFETY: all are below q, and the row is selected only if the machine has the extension, with one of the
            // lengths of vectors of its ring: see `offered`.
            forward: |a| unsafe { rvv::ml_kem_forward(a) },
            // SAFETY: all are below q, and the row is selected only if the machine has the extension, with one of the
            // lengths of vectors of its ring: see `offered`.
            inverse: |a| unsafe { rvv::ml_kem_inverse(a) },
            pointwise: |a, b| words16::ML_KEM_TABLES.pointwise(a, b),
            // SAFETY: all are below q, and the row is selected only if the machine has the extension, with one of the
            // lengths of vectors of its ring: see `offered`.
            product: |a, b| unsafe { rvv::ml_kem_product(a, b) },
        },
        product_ns: costs::ML_KEM_RVV_NS,
    };
}

rows! {
    /// The rows of [`MlDsa`](crate::MlDsa), in rising order of preference.
    ML_DSA: Kernels<u32, 256>;
    Portable => Kernels {
        functions: &Arrays {
            all_below: words32::all_below,
            sum: |terms| words32::sum(terms),
            forward: words32::forward,
            inverse: words32::inverse,
            pointwise: words32::pointwise,
            product: words32::product,
        },
        product_ns: costs::ML_DSA_PORTABLE_NS,
    };
    Avx2(AVX2) => Kernels { functions: &AVX2, product_ns: costs::ML_DSA_AVX2_NS };
    Avx512(AVX512) => Kernels { functions: &AVX512, product_ns: costs::ML_DSA_AVX512_NS };
    Neon(NEON) => Kernels { functions: &NEON, product_ns: costs::ML_DSA_NEON_NS };
    Rvv(_RVV) => Kernels {
        functions: &Arrays {
            all_below: words32::all_below,
            sum: |terms| words32::sum(terms),
            // SAFETY: all are below q, and the row is selected only if the machine has the extension, with one of the
            // lengths of vectors of its ring: see `offered`.
            forward: |a| unsafe { rvv::ml_dsa_forward(a) },
            // SAFETY: all are below q, and the row is selected only if the machine has the extension, with one of the
            // lengths of vectors of its ring: see `offered`.
            inverse: |a| unsafe { rvv::ml_dsa_inverse(a) },
            // SAFETY: all are below q, and the row is selected only if the machine has the extension, with one of the
            // lengths of vectors of its ring: see `offered`.
            pointwise: |a, b| unsafe { rvv::ml_dsa_pointwise(a, b) },
            // SAFETY: all are below q, and the row is selected only if the machine has the extension, with one of the
            // lengths of vectors of its ring: see `offered`.
            product: |a, b| unsafe { rvv::ml_dsa_product(a, b) },
        },
        product_ns: costs::ML_DSA_RVV_NS,
    };
}

/// The lengths of vectors, in bits, at which the rows `rvv` give the right results.
const SMALL_VLEN: &[usize] = &[128, 256];
const ML_KEM_VLEN: &[usize] = &[128];
const ML_DSA_VLEN: &[usize] = &[128];

/// Returns the rows of a table without those that are for other lengths of vectors.
fn offered<T, const N: usize>(rows: &Table<Kernels<T, N>>, lengths: &[usize]) -> Table<Kernels<T, N>> {
    rows.first(|row| row.backend() != Backend::Rvv || is_length(lengths))
}

/// Returns whether the machine's vectors have one of these lengths, or it has none.
#[cfg(target_arch = "riscv64")]
fn is_length(lengths: &[usize]) -> bool {
    // SAFETY: the machine has the extension.
    !Backend::Rvv.is_available() || lengths.contains(&unsafe { rvv::vlen() })
}

#[cfg(not(target_arch = "riscv64"))]
fn is_length(_: &[usize]) -> bool {
    true
}

/// Selects rows of the three rings.
macro_rules! table {
    ($ring:ident, $rows:ident, $lengths:ident) => {
        impl $crate::$ring {
            /// Returns the backends of this build, in rising order of preference; the machine may not have them all.
            pub fn backends() -> Vec<Backend> {
                offered(&$rows, $lengths).backends()
            }

            /// Returns the ring with the requested backend.
            ///
            /// # Errors
            /// [`Error::Backend`](crate::Error::Backend) if the requested backend is not offered or not available.
            pub fn new(request: Request) -> Result<Self, crate::Error> {
                Ok(Self::with_kernels(&roots::$rows, offered(&$rows, $lengths).select(request)?))
            }
        }
    };
}

table!(Small, SMALL, SMALL_VLEN);
table!(MlKem, ML_KEM, ML_KEM_VLEN);
table!(MlDsa, ML_DSA, ML_DSA_VLEN);

/// The functions of a backend for any ring, those of [`any`] for at least as many coefficients as [`Any`] says.
pub(crate) trait AnyFunctions: Debug + Sync {
    fn forward(&self, tables: &Tables, x: &mut [u32]);

    fn inverse(&self, tables: &Tables, x: &mut [u32]);

    fn pointwise(&self, tables: &Tables, a: &mut [u32], b: &[u32]);

    /// Multiplies a polynomial by another one, and leaves anything in that.
    fn product(&self, tables: &Tables, a: &mut [u32], b: &mut [u32]);

    fn all_below(&self, q: u32, x: &[u32]) -> bool;
}

#[derive(Debug)]
struct Portable;

impl AnyFunctions for Portable {
    fn forward(&self, tables: &Tables, x: &mut [u32]) {
        any::forward(tables, x);
    }

    fn inverse(&self, tables: &Tables, x: &mut [u32]) {
        any::inverse(tables, x);
    }

    fn pointwise(&self, tables: &Tables, a: &mut [u32], b: &[u32]) {
        any::pointwise(tables, a, b);
    }

    fn product(&self, tables: &Tables, a: &mut [u32], b: &mut [u32]) {
        any::product(tables, a, b);
    }

    fn all_below(&self, q: u32, x: &[u32]) -> bool {
        any::all_below(q, x)
    }
}

/// One row of any ring.
#[derive(Debug)]
pub(crate) struct Any {
    pub(crate) functions: &'static dyn AnyFunctions,
    /// Least number of coefficients.
    least: usize,
    /// Times of a butterfly, and of the rest for a coefficient of a product, in ps.
    product_ps: [u64; 2],
}

rows! {
    /// The rows in rising order of preference, and of the least number of coefficients.
    ANY: Any;
    Portable => Any { functions: &Portable, least: 1, product_ps: costs::ANY_PORTABLE_PS };
    Avx2(AVX2) => Any { functions: &AVX2, least: 16, product_ps: costs::ANY_AVX2_PS };
    Avx512(AVX512) => Any { functions: &AVX512, least: 32, product_ps: costs::ANY_AVX512_PS };
    Neon(NEON) => Any { functions: &NEON, least: 8, product_ps: costs::ANY_NEON_PS };
}

impl Any {
    /// Returns the rows for n coefficients.
    pub(crate) fn offered(n: usize) -> Table<Any> {
        ANY.first(|row| row.least <= n.max(1))
    }

    /// Returns the time of a product of n coefficients, in ns: three transforms of log₂(n) layers with n/2 butterflies,
    /// and the rest.
    pub(crate) fn product_ns(&self, n: usize) -> u64 {
        let [butterfly, coefficient] = self.product_ps;
        n as u64 * (3 * u64::from(n.trailing_zeros()) * butterfly / 2 + coefficient) / 1000
    }
}
