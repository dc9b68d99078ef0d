//! Any ring: its functions on slices, which call kernels.

use parcrypt_cpu::{Backend, Request, Row};
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::any::{self, Tables};
use crate::dispatch::Any;
use crate::{Convolution, Error, MlDsa, MlKem, Small, costs};

/// Least number of coefficients of a piece of a batch: about 10 to 40 µs of work.
const GRAIN: usize = 1 << 11;

/// The ring Z_q\[X\]/(X^n − 1) or Z_q\[X\]/(X^n + 1), with its table of roots, 16·n bytes.
///
/// A polynomial is n coefficients below q; coefficient i belongs to X^i. All results are below q. No branch and no
/// address depends on coefficients, except for an error if one is not below q.
///
/// **The transform.** With K = log₂(n / [`degree`](Ring::degree)) and ω = [`root`](Ring::root), slot i of `degree`
/// values is the polynomial modulo X^degree − ω^e(i), where e(i) is the reversal of the K bits of i for a cyclic ring,
/// and twice that plus 1 for a negacyclic one. For ML-KEM's and ML-DSA's rings that is the order of FIPS 203, algorithm
/// 9, and of FIPS 204, algorithm 41.
///
/// The degree is 1 if Z_q has primitive roots of order n (cyclic) or 2n (negacyclic), and 2 if only the last
/// doubling is missing, as in ML-KEM's ring: there the transform is incomplete and [`pointwise`](Ring::pointwise)
/// multiplies polynomials of degree 1.
///
/// The rings of [`Small`], [`MlKem`] and [`MlDsa`] run their kernels; without conversions those types are faster. All
/// others have kernels for any modulus.
///
/// ```
/// use parcrypt_cpu::Request;
/// use parcrypt_ntt::{Convolution, Ring};
///
/// let ring = Ring::new(Request::Auto, 998_244_353, 4, Convolution::Negacyclic)?;
/// let mut product = [0; 4];
/// // X³ · (2 + X) = 2X³ + X⁴, and X⁴ = −1.
/// ring.product(&[0, 0, 0, 1], &[2, 1, 0, 0], &mut product)?;
/// assert_eq!(product, [998_244_352, 0, 0, 2]);
/// # Ok::<(), parcrypt_ntt::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ring {
    tables: Tables,
    kernels: Kernels,
}

/// The kernels of a ring.
#[derive(Clone, Copy, Debug)]
enum Kernels {
    Any(&'static Row<Any>),
    Small(Small),
    MlKem(MlKem),
    MlDsa(MlDsa),
}

impl Kernels {
    /// Returns the kernels of the ring with the requested backend.
    fn new(request: Request, modulus: u32, n: usize, convolution: Convolution) -> Result<Kernels, Error> {
        Ok(match (modulus, n, convolution) {
            (3329, 128, Convolution::Cyclic) => Kernels::Small(Small::new(request)?),
            (3329, 256, Convolution::Negacyclic) => Kernels::MlKem(MlKem::new(request)?),
            (8380417, 256, Convolution::Negacyclic) => Kernels::MlDsa(MlDsa::new(request)?),
            _ => Kernels::Any(Any::offered(n).select(request)?),
        })
    }
}

impl Ring {
    /// Maximum n.
    pub const MAX_N: usize = 1 << 16;

    /// Returns the ring of polynomials with coefficients modulo `modulus` and X^n − 1 or X^n + 1, with the requested
    /// backend.
    ///
    /// It takes the time of about 7·n multiplications.
    ///
    /// # Errors
    /// - [`Error::ModulusTooLarge`], [`Error::NotPrime`]: the modulus is not a prime below 2^31.
    /// - [`Error::Size`]: n is not a power of two up to [`Ring::MAX_N`].
    /// - [`Error::NoRoots`]: Z_q lacks more than the last doubling of the roots.
    /// - [`Error::Backend`]: the requested backend is not offered for this ring, or not available. A ring without
    ///   kernels of its own has those with vectors of at most n/2 words.
    pub fn new(request: Request, modulus: u32, n: usize, convolution: Convolution) -> Result<Self, Error> {
        let tables = Tables::new(modulus, n, convolution)?;
        Ok(Ring { tables, kernels: Kernels::new(request, modulus, n, convolution)? })
    }

    /// Returns the ring with the kernels for any modulus, also if it has kernels of its own. Those in plain Rust are
    /// the reference for tests.
    ///
    /// # Errors
    /// As [`Ring::new`].
    pub fn any(request: Request, modulus: u32, n: usize, convolution: Convolution) -> Result<Self, Error> {
        let tables = Tables::new(modulus, n, convolution)?;
        Ok(Ring { tables, kernels: Kernels::Any(Any::offered(n).select(request)?) })
    }

    /// Returns the backends of [`Ring::any`] for n coefficients in this build, in rising order of preference; the
    /// machine may not have them all.
    pub fn backends(n: usize) -> Vec<Backend> {
        Any::offered(n).backends()
    }

    /// Returns the modulus q.
    pub fn modulus(&self) -> u32 {
        self.tables.modulus.q()
    }

    /// Returns the number n of coefficients.
    pub fn n(&self) -> usize {
        self.tables.n
    }

    /// Returns whether X^n is 1 or −1.
    pub fn convolution(&self) -> Convolution {
        self.tables.convolution
    }

    /// Returns the root ω: the smallest primitive one of order n / degree (cyclic) or 2n / degree (negacyclic).
    ///
    /// 17 for ML-KEM's ring, 1753 for ML-DSA's.
    pub fn root(&self) -> u32 {
        self.tables.root
    }

    /// Returns the number of values of a slot: 1 if the transform is complete, 2 if it is not.
    pub fn degree(&self) -> usize {
        self.tables.degree
    }

    /// Returns the backend that computes.
    pub fn backend(&self) -> Backend {
        match &self.kernels {
            Kernels::Any(any) => any.backend(),
            Kernels::Small(ring) => ring.backend(),
            Kernels::MlKem(ring) => ring.backend(),
            Kernels::MlDsa(ring) => ring.backend(),
        }
    }

    /// Replaces a polynomial by its transform: n/2 multiplications for each doubling of the slots.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NotReduced`]; the polynomial is unchanged.
    pub fn forward(&self, polynomial: &mut [u32]) -> Result<(), Error> {
        self.check(0, polynomial)?;
        match &self.kernels {
            Kernels::Any(any) => any.functions.forward(&self.tables, polynomial),
            Kernels::Small(ring) => widen(polynomial, narrowed(polynomial), |x| ring.forward(x))?,
            Kernels::MlKem(ring) => widen(polynomial, narrowed(polynomial), |x| ring.forward(x))?,
            Kernels::MlDsa(ring) => ring.forward(array_mut(polynomial)?)?,
        }
        Ok(())
    }

    /// Replaces a transform by its polynomial.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NotReduced`]; the transform is unchanged.
    pub fn inverse(&self, transform: &mut [u32]) -> Result<(), Error> {
        self.check(0, transform)?;
        match &self.kernels {
            Kernels::Any(any) => any.functions.inverse(&self.tables, transform),
            Kernels::Small(ring) => widen(transform, narrowed(transform), |x| ring.inverse(x))?,
            Kernels::MlKem(ring) => widen(transform, narrowed(transform), |x| ring.inverse(x))?,
            Kernels::MlDsa(ring) => ring.inverse(array_mut(transform)?)?,
        }
        Ok(())
    }

    /// Writes the product of two transforms to `out`, which is the transform of the product: value by value, or, if
    /// the degree is 2, slot by slot modulo X² − ω^e(i).
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NotReduced`]; the output is unchanged.
    pub fn pointwise(&self, a: &[u32], b: &[u32], out: &mut [u32]) -> Result<(), Error> {
        self.check(0, a)?;
        self.check(1, b)?;
        self.length(2, out)?;
        match &self.kernels {
            Kernels::Any(any) => {
                out.copy_from_slice(a);
                any.functions.pointwise(&self.tables, out, b);
            }
            Kernels::Small(ring) => {
                widen(out, [0; _], |out| ring.pointwise(&narrowed(a), &narrowed(b), out))?
            }
            Kernels::MlKem(ring) => {
                widen(out, [0; _], |out| ring.pointwise(&narrowed(a), &narrowed(b), out))?
            }
            Kernels::MlDsa(ring) => ring.pointwise(array(a)?, array(b)?, array_mut(out)?)?,
        }
        Ok(())
    }

    /// Writes the product of two polynomials to `out`: two transforms, a product of transforms, and an inverse. It
    /// allocates n words, except for rings with kernels of their own.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NotReduced`]; the output is unchanged.
    pub fn product(&self, a: &[u32], b: &[u32], out: &mut [u32]) -> Result<(), Error> {
        self.check(0, a)?;
        self.check(1, b)?;
        self.length(2, out)?;
        self.product_checked(a, b, out, &mut Vec::new())
    }

    /// Computes many products: `a`, `b` and `out` have the same number of polynomials one after the other.
    ///
    /// The work is divided into pieces of at least 2048 coefficients, which run in parallel if that pays.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths are not multiples of n or differ, [`Error::NotReduced`] with an index
    /// through all polynomials; the output is unchanged.
    pub fn products(&self, rt: &dyn Runtime, a: &[u32], b: &[u32], out: &mut [u32]) -> Result<(), Error> {
        if !a.len().is_multiple_of(self.tables.n) {
            let expected = a.len().next_multiple_of(self.tables.n);
            return Err(Error::Length { operand: 0, expected, got: a.len() });
        }
        for (operand, got) in [(1, b.len()), (2, out.len())] {
            if got != a.len() {
                return Err(Error::Length { operand, expected: a.len(), got });
            }
        }
        self.reduced(0, a)?;
        self.reduced(1, b)?;
        let piece = self.tables.n.max(GRAIN);
        let cost = Cost::ns(self.product_ns() * (piece / self.tables.n) as u64);
        let pieces = a.chunks(piece).zip(b.chunks(piece)).zip(out.chunks_mut(piece));
        let mut results = vec![Ok(()); a.len().div_ceil(piece)];
        let pieces = pieces.zip(&mut results).collect();
        type Piece<'a> = (((&'a [u32], &'a [u32]), &'a mut [u32]), &'a mut Result<(), Error>);
        for_each(rt, pieces, cost, |(((a, b), out), result): Piece| {
            let mut scratch = Vec::new();
            let polynomials = a.chunks_exact(self.tables.n).zip(b.chunks_exact(self.tables.n));
            *result = polynomials
                .zip(out.chunks_exact_mut(self.tables.n))
                .try_for_each(|((a, b), out)| self.product_checked(a, b, out, &mut scratch));
        });
        results.into_iter().collect()
    }

    /// Returns the time of a product, in ns, by which the runtime decides when parallel pays.
    fn product_ns(&self) -> u64 {
        match &self.kernels {
            Kernels::Any(any) => costs::any_product_ns(self.tables.n, any.backend()),
            Kernels::Small(ring) => ring.product_ns() + costs::SMALL_CONVERSION_NS,
            Kernels::MlKem(ring) => ring.product_ns() + costs::ML_KEM_CONVERSION_NS,
            Kernels::MlDsa(ring) => ring.product_ns() + costs::ML_DSA_COPY_NS,
        }
    }

    fn check(&self, operand: usize, values: &[u32]) -> Result<(), Error> {
        self.length(operand, values)?;
        self.reduced(operand, values)
    }

    fn length(&self, operand: usize, values: &[u32]) -> Result<(), Error> {
        if values.len() == self.tables.n {
            return Ok(());
        }
        Err(Error::Length { operand, expected: self.tables.n, got: values.len() })
    }

    fn reduced(&self, operand: usize, values: &[u32]) -> Result<(), Error> {
        let modulus = self.tables.modulus.q();
        let are_reduced = match &self.kernels {
            Kernels::Any(any) => any.functions.all_below(modulus, values),
            _ => any::all_below(modulus, values),
        };
        if are_reduced {
            return Ok(());
        }
        let index = values.iter().position(|x| *x >= modulus).unwrap_or_default();
        Err(Error::NotReduced { operand, index, modulus })
    }

    /// Computes the product of checked operands. The scratch space is allocated if it is needed.
    fn product_checked(
        &self,
        a: &[u32],
        b: &[u32],
        out: &mut [u32],
        scratch: &mut Vec<u32>,
    ) -> Result<(), Error> {
        match &self.kernels {
            Kernels::Any(any) => {
                out.copy_from_slice(a);
                scratch.clear();
                scratch.extend_from_slice(b);
                any.functions.product(&self.tables, out, scratch);
            }
            Kernels::Small(ring) => widen(out, [0; _], |out| ring.product(&narrowed(a), &narrowed(b), out))?,
            Kernels::MlKem(ring) => widen(out, [0; _], |out| ring.product(&narrowed(a), &narrowed(b), out))?,
            Kernels::MlDsa(ring) => ring.product(array(a)?, array(b)?, array_mut(out)?)?,
        }
        Ok(())
    }
}

/// Calls `f` with coefficients in 16 bits, and writes what it leaves there to `out` in 32 bits.
fn widen<const N: usize>(
    out: &mut [u32],
    mut narrow: [u16; N],
    f: impl FnOnce(&mut [u16; N]) -> Result<(), Error>,
) -> Result<(), Error> {
    f(&mut narrow)?;
    out.iter_mut().zip(narrow).for_each(|(out, narrow)| *out = u32::from(narrow));
    Ok(())
}

/// Returns `N` coefficients, which are below 2^16, in 16 bits.
fn narrowed<const N: usize>(x: &[u32]) -> [u16; N] {
    debug_assert!(x.len() == N && x.iter().all(|x| *x < 1 << 16));
    let mut narrow = [0; N];
    narrow.iter_mut().zip(x).for_each(|(narrow, x)| *narrow = *x as u16);
    narrow
}

/// Returns the first operand as an array.
fn array_mut<const N: usize>(x: &mut [u32]) -> Result<&mut [u32; N], Error> {
    let got = x.len();
    x.try_into().map_err(|_| Error::Length { operand: 0, expected: N, got })
}

/// Returns the second operand as an array.
fn array<const N: usize>(x: &[u32]) -> Result<&[u32; N], Error> {
    x.try_into().map_err(|_| Error::Length { operand: 1, expected: N, got: x.len() })
}
