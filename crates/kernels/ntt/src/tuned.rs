//! The rings with kernels of their own, with polynomials as arrays.

pub(crate) mod number;
pub(crate) mod roots;
#[cfg(any(test, target_arch = "aarch64", target_arch = "x86_64"))]
pub(crate) mod schedule;

use std::fmt::Debug;

use parcrypt_cpu::{Backend, Row};
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::dispatch::Kernels;
use crate::matrix::length;
use crate::{Convolution, Error, costs};
use roots::Shape;

/// Number of products of a piece of a batch: 1 to 10 µs with vectors.
const GRAIN: usize = 32;

/// A ring with kernels of its own: its polynomials are arrays of `N` coefficients below q.
///
/// Its transforms are the same as in [`Ring`](crate::Ring), in the same order. All results are below q. No branch and
/// no address depends on coefficients, except for an error if one is not below q. Nothing is allocated. Arrays that
/// begin at a multiple of 64 bytes are the fastest.
///
/// ```
/// use parcrypt_cpu::Request;
/// use parcrypt_ntt::MlDsa;
///
/// let ring = MlDsa::new(Request::Auto)?;
/// let (mut a, mut b, mut product) = ([0; 256], [0; 256], [0; 256]);
/// (a[255], b[1]) = (3, 5);
/// ring.product(&a, &b, &mut product)?;
/// // 3X^255 · 5X = 15X^256 = −15.
/// assert_eq!(product[0], ring.modulus() - 15);
/// println!("by {}", ring.backend());
/// # Ok::<(), parcrypt_ntt::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tuned<T: 'static, const N: usize> {
    shape: &'static Shape,
    kernels: &'static Row<Kernels<T, N>>,
}

/// Z_3329\[X\]/(X^128 − 1).
pub type Small = Tuned<u16, 128>;

/// Z_3329\[X\]/(X^256 + 1), the ring of ML-KEM (FIPS 203). Its transform is incomplete: slots of two coefficients.
pub type MlKem = Tuned<u16, 256>;

/// Z_8380417\[X\]/(X^256 + 1), the ring of ML-DSA (FIPS 204).
pub type MlDsa = Tuned<u32, 256>;

impl<T: Copy + Debug + Into<u32> + Send + Sync, const N: usize> Tuned<T, N> {
    /// Returns the ring of this shape with the kernels of a row.
    pub(crate) fn with_kernels(shape: &'static Shape, kernels: &'static Row<Kernels<T, N>>) -> Self {
        Tuned { shape, kernels }
    }

    /// Returns the backend that computes.
    pub fn backend(&self) -> Backend {
        self.kernels.backend()
    }

    /// Returns the modulus q.
    pub fn modulus(&self) -> u32 {
        self.shape.q
    }

    /// Returns whether X^N is 1 or −1.
    pub fn convolution(&self) -> Convolution {
        self.shape.convolution
    }

    /// Replaces a polynomial by its transform.
    ///
    /// # Errors
    /// [`Error::NotReduced`]; the polynomial is unchanged.
    pub fn forward(&self, polynomial: &mut [T; N]) -> Result<(), Error> {
        let done = self.kernels.forward(polynomial);
        self.done(done, [&*polynomial])
    }

    /// Replaces a transform by its polynomial.
    ///
    /// # Errors
    /// [`Error::NotReduced`]; the transform is unchanged.
    pub fn inverse(&self, transform: &mut [T; N]) -> Result<(), Error> {
        let done = self.kernels.inverse(transform);
        self.done(done, [&*transform])
    }

    /// Writes the product of two transforms to `out`, which is the transform of the product.
    ///
    /// # Errors
    /// [`Error::NotReduced`]; the output is unchanged.
    pub fn pointwise(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> Result<(), Error> {
        self.done(self.kernels.pointwise(a, b, out), [a, b])
    }

    /// Writes the product of two polynomials to `out`.
    ///
    /// # Errors
    /// [`Error::NotReduced`]; the output is unchanged.
    pub fn product(&self, a: &[T; N], b: &[T; N], out: &mut [T; N]) -> Result<(), Error> {
        self.done(self.kernels.product(a, b, out), [a, b])
    }

    /// Computes many products: `out[i]` becomes the product of `a[i]` and `b[i]`.
    ///
    /// The work is divided into pieces of 32 products, which run in parallel if that pays.
    ///
    /// # Errors
    /// [`Error::Length`] if the numbers of polynomials differ, counted in coefficients. [`Error::NotReduced`], with
    /// an index through all polynomials; then outputs are unchanged if an input is not reduced, and the
    /// others are written.
    pub fn products(
        &self,
        rt: &dyn Runtime,
        a: &[[T; N]],
        b: &[[T; N]],
        out: &mut [[T; N]],
    ) -> Result<(), Error> {
        length::<N>(1, a.len(), b.len())?;
        length::<N>(2, a.len(), out.len())?;
        let pieces = a.chunks(GRAIN).zip(b.chunks(GRAIN)).zip(out.chunks_mut(GRAIN));
        let mut taken = vec![true; a.len().div_ceil(GRAIN)];
        let pieces = pieces.zip(&mut taken).collect();
        let cost = Cost::ns(self.product_ns() * GRAIN as u64);
        type Piece<'a, P> = (((&'a [P], &'a [P]), &'a mut [P]), &'a mut bool);
        for_each(rt, pieces, cost, |(((a, b), out), taken): Piece<[T; N]>| {
            *taken = self.kernels.products(a, b, out);
        });
        self.done_many(taken.iter().all(|taken| *taken), [a, b])
    }

    /// Returns the kernels of the ring.
    pub(crate) fn kernels(&self) -> &'static Row<Kernels<T, N>> {
        self.kernels
    }

    /// Returns the time of a product, in ns, by which the runtime decides when parallel pays.
    pub(crate) fn product_ns(&self) -> u64 {
        costs::product_ns(self.shape, self.backend())
    }

    /// Returns the error for operands that a kernel has refused.
    fn done<const K: usize>(&self, taken: bool, operands: [&[T; N]; K]) -> Result<(), Error> {
        if taken { Ok(()) } else { self.not_reduced(operands.map(<[T; N]>::as_slice)) }
    }

    /// Returns the error for slices of polynomials that a kernel has refused.
    pub(crate) fn done_many<const K: usize>(
        &self,
        taken: bool,
        operands: [&[[T; N]]; K],
    ) -> Result<(), Error> {
        if taken { Ok(()) } else { self.not_reduced(operands.map(<[[T; N]]>::as_flattened)) }
    }

    #[cold]
    fn not_reduced<const K: usize>(&self, operands: [&[T]; K]) -> Result<(), Error> {
        let modulus = self.shape.q;
        for (operand, values) in operands.into_iter().enumerate() {
            if let Some(index) = values.iter().position(|x| (*x).into() >= modulus) {
                return Err(Error::NotReduced { operand, index, modulus });
            }
        }
        unreachable!("a kernel has refused coefficients that are all below {modulus}")
    }
}
