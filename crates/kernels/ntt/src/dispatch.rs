//! The tables of backends for the tuned rings, and the selection of rows.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called after the check that the machine has it"
)]

use parcrypt_cpu::{Backend, Request};

use crate::any::{self, Tables};
#[cfg(target_arch = "aarch64")]
use crate::arch::aarch64::neon;
use crate::arch::generic::{words16, words32};
#[cfg(target_arch = "riscv64")]
use crate::arch::riscv64::rvv;
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{avx2, avx512};
use crate::costs;
use crate::matrix::{Aligned, Form};
use crate::tuned::roots;

/// Replaces an array; returns `false` and writes nothing if a value is not below q.
///
/// It may be called only where the backend is available.
type Unary<T, const N: usize> = unsafe fn(&mut [T; N]) -> bool;
/// Maps two arrays to a third; otherwise as [`Unary`].
type Binary<T, const N: usize> = unsafe fn(&[T; N], &[T; N], &mut [T; N]) -> bool;

/// Maps arrays of two slices to a third of the same length; otherwise as [`Unary`].
type Products<T, const N: usize> = unsafe fn(&[[T; N]], &[[T; N]], &mut [[T; N]]) -> bool;

/// Writes what a backend keeps of polynomials or transforms; returns `false` if a value is not below q, after which the
/// output must not be used.
type Keep<T, const N: usize> = unsafe fn(Form, &[[T; N]], &mut [Aligned<[T; N]>]) -> bool;

/// The same of polynomials, for the second factors of [`Rows`].
type Prepare<T, const N: usize> = unsafe fn(&[[T; N]], &mut [Aligned<[[T; N]; 2]>]) -> bool;

/// Writes sums of products: each takes as many factors of the first kind as there are of the second.
type Rows<T, const N: usize> = unsafe fn(&[Aligned<[T; N]>], &[Aligned<[[T; N]; 2]>], &mut [[T; N]]);

/// One row: the functions of a backend for a ring.
#[derive(Debug)]
pub(crate) struct Kernels<T: 'static, const N: usize> {
    pub(crate) backend: Backend,
    forward: Unary<T, N>,
    inverse: Unary<T, N>,
    pointwise: Binary<T, N>,
    product: Binary<T, N>,
    products: Products<T, N>,
    keep: Keep<T, N>,
    prepare: Prepare<T, N>,
    rows: Rows<T, N>,
    /// Time of a product, in ns.
    pub(crate) product_ns: u64,
}

/// Writes a value if all that it is computed from is below q, and returns whether it is.
fn write_if<T>(below: bool, out: &mut T, value: impl FnOnce() -> T) -> bool {
    if below {
        *out = value();
    }
    below
}

/// A row whose functions take and return arrays.
macro_rules! arrays {
    ($ns:expr, $backend:expr, $all_below:path, $sum:path, $forward:expr, $inverse:expr, $pointwise:expr,
     $product:expr) => {
        Kernels {
            backend: $backend,
            forward: |x| {
                let from = *x;
                write_if($all_below(&from), x, || $forward(&from))
            },
            inverse: |x| {
                let from = *x;
                write_if($all_below(&from), x, || $inverse(&from))
            },
            pointwise: |a, b, out| write_if($all_below(a) & $all_below(b), out, || $pointwise(a, b)),
            product: |a, b, out| write_if($all_below(a) & $all_below(b), out, || $product(a, b)),
            products: |a, b, out| {
                a.iter().zip(b).zip(out).fold(true, |taken, ((a, b), out)| {
                    taken & write_if($all_below(a) & $all_below(b), out, || $product(a, b))
                })
            },
            keep: |form, from, to| {
                from.iter().zip(to).fold(true, |taken, (from, to)| {
                    taken
                        & write_if($all_below(from), &mut to.0, || match form {
                            Form::Polynomial => $forward(from),
                            Form::Transform => *from,
                        })
                })
            },
            prepare: |from, to| {
                from.iter().zip(to).fold(true, |taken, (from, to)| {
                    taken & write_if($all_below(from), &mut to.0[0], || $forward(from))
                })
            },
            rows: |kept, factors, out| {
                for (kept, out) in kept.chunks(factors.len()).zip(out) {
                    let terms = kept.iter().zip(factors).map(|(a, b)| $pointwise(&a.0, &b.0[0]));
                    *out = $inverse(&$sum(terms));
                }
            },
            product_ns: $ns,
        }
    };
}

/// The row of a backend with vectors: the functions of a module.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! vectors {
    ($ns:expr, $backend:expr, $isa:ident::$ring:ident) => {
        Kernels {
            backend: $backend,
            forward: $isa::$ring::forward,
            inverse: $isa::$ring::inverse,
            pointwise: $isa::$ring::pointwise,
            product: $isa::$ring::product,
            products: $isa::$ring::products,
            keep: $isa::$ring::keep,
            prepare: $isa::$ring::prepare,
            rows: $isa::$ring::rows,
            product_ns: $ns,
        }
    };
}

static SMALL: &[Kernels<u16, 128>] = &[
    arrays!(
        costs::SMALL_PORTABLE_NS,
        Backend::Portable,
        words16::all_below,
        words16::sum,
        |a| words16::SMALL_TABLES.forward(a),
        |a| words16::SMALL_TABLES.inverse(a),
        |a, b| words16::SMALL_TABLES.pointwise(a, b),
        |a, b| words16::SMALL_TABLES.product(a, b)
    ),
    #[cfg(target_arch = "x86_64")]
    vectors!(costs::SMALL_AVX2_NS, Backend::Avx2, avx2::small),
    #[cfg(target_arch = "x86_64")]
    vectors!(costs::SMALL_AVX512_NS, Backend::Avx512, avx512::small),
    #[cfg(target_arch = "aarch64")]
    vectors!(costs::SMALL_NEON_NS, Backend::Neon, neon::small),
    #[cfg(target_arch = "riscv64")]
    arrays!(
        costs::SMALL_RVV_NS,
        Backend::Rvv,
        words16::all_below,
        words16::sum,
        |a| words16::SMALL_TABLES.forward(a),
        |a| words16::SMALL_TABLES.inverse(a),
        |a, b| words16::SMALL_TABLES.pointwise(a, b),
        // SAFETY: all are below q, and `select` returned this row because the machine has the extension; `offered` has
        // left it in the table because VLEN is one of `SMALL_VLEN`.
        |a, b| unsafe { rvv::small_product(a, b) }
    ),
];

static ML_KEM: &[Kernels<u16, 256>] = &[
    arrays!(
        costs::ML_KEM_PORTABLE_NS,
        Backend::Portable,
        words16::all_below,
        words16::sum,
        |a| words16::ML_KEM_TABLES.forward(a),
        |a| words16::ML_KEM_TABLES.inverse(a),
        |a, b| words16::ML_KEM_TABLES.pointwise(a, b),
        |a, b| words16::ML_KEM_TABLES.product(a, b)
    ),
    #[cfg(target_arch = "x86_64")]
    vectors!(costs::ML_KEM_AVX2_NS, Backend::Avx2, avx2::ml_kem),
    #[cfg(target_arch = "x86_64")]
    vectors!(costs::ML_KEM_AVX512_NS, Backend::Avx512, avx512::ml_kem),
    #[cfg(target_arch = "aarch64")]
    vectors!(costs::ML_KEM_NEON_NS, Backend::Neon, neon::ml_kem),
    #[cfg(target_arch = "riscv64")]
    arrays!(
        costs::ML_KEM_RVV_NS,
        Backend::Rvv,
        words16::all_below,
        words16::sum,
        // SAFETY: as in `SMALL`, with `ML_KEM_VLEN`; so are the others.
        |a| unsafe { rvv::ml_kem_forward(a) },
        // SAFETY: as above.
        |a| unsafe { rvv::ml_kem_inverse(a) },
        |a, b| words16::ML_KEM_TABLES.pointwise(a, b),
        // SAFETY: as above.
        |a, b| unsafe { rvv::ml_kem_product(a, b) }
    ),
];

static ML_DSA: &[Kernels<u32, 256>] = &[
    arrays!(
        costs::ML_DSA_PORTABLE_NS,
        Backend::Portable,
        words32::all_below,
        words32::sum,
        words32::forward,
        words32::inverse,
        words32::pointwise,
        words32::product
    ),
    #[cfg(target_arch = "x86_64")]
    vectors!(costs::ML_DSA_AVX2_NS, Backend::Avx2, avx2::ml_dsa),
    #[cfg(target_arch = "x86_64")]
    vectors!(costs::ML_DSA_AVX512_NS, Backend::Avx512, avx512::ml_dsa),
    #[cfg(target_arch = "aarch64")]
    vectors!(costs::ML_DSA_NEON_NS, Backend::Neon, neon::ml_dsa),
    #[cfg(target_arch = "riscv64")]
    arrays!(
        costs::ML_DSA_RVV_NS,
        Backend::Rvv,
        words32::all_below,
        words32::sum,
        // SAFETY: as in `SMALL`, with `ML_DSA_VLEN`; so are the others.
        |a| unsafe { rvv::ml_dsa_forward(a) },
        // SAFETY: as above.
        |a| unsafe { rvv::ml_dsa_inverse(a) },
        // SAFETY: as above.
        |a, b| unsafe { rvv::ml_dsa_pointwise(a, b) },
        // SAFETY: as above.
        |a, b| unsafe { rvv::ml_dsa_product(a, b) }
    ),
];

impl<T, const N: usize> AsRef<Backend> for Kernels<T, N> {
    fn as_ref(&self) -> &Backend {
        &self.backend
    }
}

/// The lengths of vectors, in bits, at which the rows `rvv` give the right results.
const SMALL_VLEN: &[usize] = &[128, 256];
const ML_KEM_VLEN: &[usize] = &[128];
const ML_DSA_VLEN: &[usize] = &[128];

/// Returns the rows of a table without those that are for other lengths of vectors.
#[cfg(target_arch = "riscv64")]
fn offered<T, const N: usize>(rows: &'static [Kernels<T, N>], lengths: &[usize]) -> &'static [Kernels<T, N>] {
    if !Backend::Rvv.is_available() {
        return rows;
    }
    // SAFETY: the machine has the extension.
    let vlen = unsafe { rvv::vlen() };
    match rows.split_last() {
        Some((last, others)) if last.backend == Backend::Rvv && !lengths.contains(&vlen) => others,
        _ => rows,
    }
}

/// Returns all rows: their code is for vectors of one length.
#[cfg(not(target_arch = "riscv64"))]
fn offered<T, const N: usize>(rows: &'static [Kernels<T, N>], _: &[usize]) -> &'static [Kernels<T, N>] {
    rows
}

/// Selects rows of the three rings. The tables are private to this module, and `select` returns only rows whose backend
/// the machine has, so the calls below are sound.
macro_rules! table {
    ($ring:ident, $rows:ident, $lengths:ident) => {
        impl $crate::$ring {
            /// Returns the backends of this build, in rising order of preference; the machine may not have them all.
            pub fn backends() -> Vec<Backend> {
                parcrypt_cpu::backends(offered($rows, $lengths))
            }

            /// Returns the ring with the requested backend.
            ///
            /// # Errors
            /// [`Error::Backend`](crate::Error::Backend) if the requested backend is not offered or not available.
            pub fn new(request: Request) -> Result<Self, crate::Error> {
                Ok(Self::with_kernels(
                    &roots::$rows,
                    parcrypt_cpu::select(offered($rows, $lengths), request)?,
                ))
            }
        }
    };
}

table!(Small, SMALL, SMALL_VLEN);
table!(MlKem, ML_KEM, ML_KEM_VLEN);
table!(MlDsa, ML_DSA, ML_DSA_VLEN);

impl<T, const N: usize> Kernels<T, N> {
    pub(crate) fn forward(&self, x: &mut [T; N]) -> bool {
        // SAFETY: `select` returned this row because `Backend::is_available` said that the machine has the backend's
        // features, which are all that its functions enable.
        unsafe { (self.forward)(x) }
    }

    pub(crate) fn inverse(&self, x: &mut [T; N]) -> bool {
        // SAFETY: as in `forward`.
        unsafe { (self.inverse)(x) }
    }

    pub(crate) fn pointwise(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> bool {
        // SAFETY: as in `forward`.
        unsafe { (self.pointwise)(a, b, out) }
    }

    pub(crate) fn product(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> bool {
        // SAFETY: as in `forward`.
        unsafe { (self.product)(a, b, out) }
    }

    /// Writes the first factors of [`Kernels::rows`].
    pub(crate) fn keep(&self, form: Form, from: &[[T; N]], to: &mut [Aligned<[T; N]>]) -> bool {
        // SAFETY: as in `forward`.
        unsafe { (self.keep)(form, from, to) }
    }

    /// Writes the second factors of [`Kernels::rows`].
    pub(crate) fn prepare(&self, from: &[[T; N]], to: &mut [Aligned<[[T; N]; 2]>]) -> bool {
        // SAFETY: as in `forward`.
        unsafe { (self.prepare)(from, to) }
    }

    /// Computes one sum of products for each `factors.len()` first factors, which is not 0.
    pub(crate) fn rows(
        &self,
        kept: &[Aligned<[T; N]>],
        factors: &[Aligned<[[T; N]; 2]>],
        out: &mut [[T; N]],
    ) {
        debug_assert!(!factors.is_empty() && kept.len() == factors.len() * out.len());
        // SAFETY: as in `forward`.
        unsafe { (self.rows)(kept, factors, out) }
    }

    /// Computes products of slices of the same length.
    pub(crate) fn products(&self, a: &[[T; N]], b: &[[T; N]], out: &mut [[T; N]]) -> bool {
        // SAFETY: as in `forward`.
        unsafe { (self.products)(a, b, out) }
    }
}

/// One row of any ring: the functions of a backend. They may be called only if it is available.
#[derive(Debug)]
pub(crate) struct Any {
    pub(crate) backend: Backend,
    /// Least number of coefficients.
    least: usize,
    forward: unsafe fn(&Tables, &mut [u32]),
    inverse: unsafe fn(&Tables, &mut [u32]),
    pointwise: unsafe fn(&Tables, &mut [u32], &[u32]),
    product: unsafe fn(&Tables, &mut [u32], &mut [u32]),
    all_below: unsafe fn(u32, &[u32]) -> bool,
    /// Times of a butterfly, and of the rest for a coefficient of a product, in ps.
    product_ps: [u64; 2],
}

/// The row of a backend with vectors: the functions of a module.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! any {
    ($ps:expr, $backend:expr, $isa:ident, $least:literal) => {
        Any {
            backend: $backend,
            least: $least,
            forward: $isa::any::forward,
            inverse: $isa::any::inverse,
            pointwise: $isa::any::pointwise,
            product: $isa::any::product,
            all_below: $isa::any::all_below,
            product_ps: $ps,
        }
    };
}

/// The rows in rising order of preference, and of the least number of coefficients.
static ANY: &[Any] = &[
    Any {
        backend: Backend::Portable,
        least: 1,
        forward: any::forward,
        inverse: any::inverse,
        pointwise: any::pointwise,
        product: any::product,
        all_below: any::all_below,
        product_ps: costs::ANY_PORTABLE_PS,
    },
    #[cfg(target_arch = "x86_64")]
    any!(costs::ANY_AVX2_PS, Backend::Avx2, avx2, 16),
    #[cfg(target_arch = "x86_64")]
    any!(costs::ANY_AVX512_PS, Backend::Avx512, avx512, 32),
    #[cfg(target_arch = "aarch64")]
    any!(costs::ANY_NEON_PS, Backend::Neon, neon, 8),
];

impl AsRef<Backend> for Any {
    fn as_ref(&self) -> &Backend {
        &self.backend
    }
}

impl Any {
    /// Returns the rows for n coefficients.
    fn offered(n: usize) -> &'static [Any] {
        &ANY[..ANY.partition_point(|row| row.least <= n.max(1))]
    }

    pub(crate) fn backends(n: usize) -> Vec<Backend> {
        parcrypt_cpu::backends(Any::offered(n))
    }

    /// Returns the row with the requested backend.
    pub(crate) fn new(request: Request, n: usize) -> Result<&'static Any, crate::Error> {
        Ok(parcrypt_cpu::select(Any::offered(n), request)?)
    }

    /// Returns the time of a product of n coefficients, in ns: three transforms of log₂(n) layers with n/2 butterflies,
    /// and the rest.
    pub(crate) fn product_ns(&self, n: usize) -> u64 {
        let [butterfly, coefficient] = self.product_ps;
        n as u64 * (3 * u64::from(n.trailing_zeros()) * butterfly / 2 + coefficient) / 1000
    }

    pub(crate) fn forward(&self, tables: &Tables, x: &mut [u32]) {
        // SAFETY: `select` returned this row because `Backend::is_available` said that the machine has the backend's
        // features, which are all that its functions enable.
        unsafe { (self.forward)(tables, x) }
    }

    pub(crate) fn inverse(&self, tables: &Tables, x: &mut [u32]) {
        // SAFETY: as in `forward`.
        unsafe { (self.inverse)(tables, x) }
    }

    pub(crate) fn pointwise(&self, tables: &Tables, a: &mut [u32], b: &[u32]) {
        // SAFETY: as in `forward`.
        unsafe { (self.pointwise)(tables, a, b) }
    }

    /// Multiplies a polynomial by another one, and leaves anything in that.
    pub(crate) fn product(&self, tables: &Tables, a: &mut [u32], b: &mut [u32]) {
        // SAFETY: as in `forward`.
        unsafe { (self.product)(tables, a, b) }
    }

    pub(crate) fn all_below(&self, q: u32, x: &[u32]) -> bool {
        // SAFETY: as in `forward`.
        unsafe { (self.all_below)(q, x) }
    }
}
