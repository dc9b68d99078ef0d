//! The tables of backends for the tuned rings, and the selection of rows.
#![cfg_attr(target_arch = "riscv64", allow(unsafe_code, reason = "assembly that is called after its checks"))]

use std::array;
use std::fmt::Debug;

use bytemuck::{Pod, Zeroable, must_cast, must_cast_ref};
use parcrypt_cpu::{Backend, Request, Table, rows};

use crate::any::{self, Tables};
use crate::arch::generic::{ML_DSA_PORTABLE, ML_KEM_PORTABLE, Portable, SMALL_PORTABLE};
#[cfg(target_arch = "riscv64")]
use crate::arch::riscv64::rvv;
use crate::matrix::{Aligned, Form};
use crate::tuned::number::Number;
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
pub(crate) type Kernels<T, const N: usize> = &'static dyn Functions<T, N>;

/// The functions of a ring on arrays of canonical values, from which all of [`Functions`] are made; what a row does not
/// have is portable.
pub(crate) trait Arrays<T, const N: usize>: Debug + Sync {
    /// The number of a coefficient.
    type X: Number + Pod;

    fn portable(&self) -> &Portable<Self::X, N>;

    fn forward(&self, a: &[Self::X; N]) -> [Self::X; N] {
        self.portable().forward(a)
    }

    fn inverse(&self, a: &[Self::X; N]) -> [Self::X; N] {
        self.portable().inverse(a)
    }

    fn pointwise(&self, a: &[Self::X; N], b: &[Self::X; N]) -> [Self::X; N] {
        self.portable().pointwise(a, b)
    }

    fn product(&self, a: &[Self::X; N], b: &[Self::X; N]) -> [Self::X; N] {
        self.inverse(&self.pointwise(&self.forward(a), &self.forward(b)))
    }
}

impl<const N: usize> Arrays<u16, N> for Portable<i16, N> {
    type X = i16;

    fn portable(&self) -> &Self {
        self
    }

    fn product(&self, a: &[i16; N], b: &[i16; N]) -> [i16; N] {
        Portable::product(self, a, b)
    }
}

impl<const N: usize> Arrays<u32, N> for Portable<i32, N> {
    type X = i32;

    fn portable(&self) -> &Self {
        self
    }

    fn product(&self, a: &[i32; N], b: &[i32; N]) -> [i32; N] {
        Portable::product(self, a, b)
    }
}

/// Writes a value if all that it is computed from is below q, and returns whether it is.
fn write<T: Pod + Into<u32>, X: Pod, const N: usize, const K: usize>(
    q: u32,
    from: [&[T; N]; K],
    out: &mut [T; N],
    value: impl FnOnce([&[X; N]; K]) -> [X; N],
) -> bool {
    // All are compared, so that the time does not depend on valid values.
    let below = from.iter().flat_map(|from| *from).fold(true, |all, x| all & ((*x).into() < q));
    if below {
        *out = must_cast(value(from.map(must_cast_ref)));
    }
    below
}

impl<T: Pod + Into<u32>, const N: usize, A: Arrays<T, N>> Functions<T, N> for A {
    fn forward(&self, x: &mut [T; N]) -> bool {
        let from = *x;
        write(self.portable().q, [&from], x, |[x]| Arrays::forward(self, x))
    }

    fn inverse(&self, x: &mut [T; N]) -> bool {
        let from = *x;
        write(self.portable().q, [&from], x, |[x]| Arrays::inverse(self, x))
    }

    fn pointwise(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> bool {
        write(self.portable().q, [a, b], out, |[a, b]| Arrays::pointwise(self, a, b))
    }

    fn product(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> bool {
        write(self.portable().q, [a, b], out, |[a, b]| Arrays::product(self, a, b))
    }

    fn products(&self, a: &[[T; N]], b: &[[T; N]], out: &mut [[T; N]]) -> bool {
        let product = |taken, ((a, b), out)| taken & Functions::product(self, a, b, out);
        a.iter().zip(b).zip(out).fold(true, product)
    }

    fn keep(&self, form: Form, from: &[[T; N]], to: &mut [Aligned<[T; N]>]) -> bool {
        from.iter().zip(to).fold(true, |taken, (from, to)| {
            let kept = |[x]: [&[A::X; N]; 1]| match form {
                Form::Polynomial => Arrays::forward(self, x),
                Form::Transform => *x,
            };
            taken & write(self.portable().q, [from], &mut to.0, kept)
        })
    }

    fn prepare(&self, from: &[[T; N]], to: &mut [Aligned<[[T; N]; 2]>]) -> bool {
        from.iter().zip(to).fold(true, |taken, (from, to)| {
            taken & write(self.portable().q, [from], &mut to.0[0], |[x]| Arrays::forward(self, x))
        })
    }

    fn rows(&self, kept: &[Aligned<[T; N]>], factors: &[Aligned<[[T; N]; 2]>], out: &mut [[T; N]]) {
        for (kept, out) in kept.chunks(factors.len()).zip(out) {
            let terms = kept.iter().zip(factors);
            let terms =
                terms.map(|(a, b)| Arrays::pointwise(self, must_cast_ref(&a.0), must_cast_ref(&b.0[0])));
            let add = |sum: [A::X; N], x: [A::X; N]| array::from_fn(|i| sum[i].plus(x[i]).reduced());
            let sum = terms.fold([A::X::zeroed(); N], add);
            *out = must_cast(Arrays::inverse(self, &sum.map(A::X::canonical)));
        }
    }
}

rows! {
    /// The rows of [`Small`](crate::Small), in rising order of preference.
    SMALL: Kernels<u16, 128>;
    Portable => &SMALL_PORTABLE;
    Avx2(AVX2) => &AVX2;
    Avx512(AVX512) => &AVX512;
    Neon(NEON) => &NEON;
    Rvv(RVV) => &RVV;
}

rows! {
    /// The rows of [`MlKem`](crate::MlKem), in rising order of preference.
    ML_KEM: Kernels<u16, 256>;
    Portable => &ML_KEM_PORTABLE;
    Avx2(AVX2) => &AVX2;
    Avx512(AVX512) => &AVX512;
    Neon(NEON) => &NEON;
    Rvv(RVV) => &RVV;
}

rows! {
    /// The rows of [`MlDsa`](crate::MlDsa), in rising order of preference.
    ML_DSA: Kernels<u32, 256>;
    Portable => &ML_DSA_PORTABLE;
    Avx2(AVX2) => &AVX2;
    Avx512(AVX512) => &AVX512;
    Neon(NEON) => &NEON;
    Rvv(RVV) => &RVV;
}

/// The lengths of vectors, in bits, at which the rows `rvv` give the right results.
const SMALL_VLEN: &[usize] = &[128, 256];
const ML_KEM_VLEN: &[usize] = &[128];
const ML_DSA_VLEN: &[usize] = &[128];

/// Returns the rows of a table without those that are for other lengths of vectors.
fn offered<T, const N: usize>(rows: &Table<Kernels<T, N>>, lengths: &[usize]) -> Table<Kernels<T, N>> {
    rows.first(|backend| backend != Backend::Rvv || is_length(lengths))
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

/// The functions of a backend for any ring, for at least as many coefficients as `Any::offered` says.
pub(crate) trait AnyFunctions: Debug + Sync {
    fn forward(&self, tables: &Tables, x: &mut [u32]);

    fn inverse(&self, tables: &Tables, x: &mut [u32]);

    fn pointwise(&self, tables: &Tables, a: &mut [u32], b: &[u32]);

    /// Multiplies a polynomial by another one, and leaves anything in that.
    fn product(&self, tables: &Tables, a: &mut [u32], b: &mut [u32]);

    fn all_below(&self, q: u32, x: &[u32]) -> bool;
}

#[derive(Debug)]
struct AnyPortable;

impl AnyFunctions for AnyPortable {
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
}

rows! {
    /// The rows in rising order of preference, and of the least number of coefficients.
    ANY: Any;
    Portable => Any { functions: &AnyPortable };
    Avx2(AVX2) => Any { functions: &AVX2 };
    Avx512(AVX512) => Any { functions: &AVX512 };
    Neon(NEON) => Any { functions: &NEON };
}

impl Any {
    /// Returns the rows for n coefficients.
    pub(crate) fn offered(n: usize) -> Table<Any> {
        let least = |backend| match backend {
            Backend::Avx2 | Backend::Neon => 16,
            Backend::Avx512 => 32,
            _ => 1,
        };
        ANY.first(|backend| least(backend) <= n.max(1))
    }
}
