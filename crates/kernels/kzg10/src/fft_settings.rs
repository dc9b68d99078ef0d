//! Roots of unity, and transforms, extension of samples and evaluation with them.

use parcrypt_bls12_381::costs::FR_PRODUCT_NS;
use parcrypt_bls12_381::fft::Element;
use parcrypt_bls12_381::{self as bls, Decomposition, Domain, Fr, Request};
use parcrypt_runtime::{Cost, Runtime, enter, map_reduce};

use crate::Error;
use crate::pieces::{GRAIN, TIMES_PLUS_NS, for_pieces, invert_all, times_powers};

/// The roots of unity of order 2^scale and below, for transforms of up to 2^scale elements. 48 · 2^scale bytes.
#[derive(Clone, Debug)]
pub struct FftSettings {
    domain: Domain,
    /// ω^0, ω^1, …, ω^size.
    roots: Vec<Fr>,
    /// The request, also for pairings.
    pub(crate) request: Request,
}

impl FftSettings {
    /// Computes the roots, 1.5 · 2^scale multiplications.
    ///
    /// # Errors
    /// [`bls::Error::Scale`] above 32, [`bls::Error::Memory`] where the roots cannot be allocated,
    /// [`bls::Error::Backend`] where the requested backend, for points, is unavailable.
    pub fn new(request: Request, scale: u32) -> Result<Self, Error> {
        let domain = Domain::new(request, scale)?;
        let root = Fr::root_of_unity(scale)?;
        let memory = bls::Error::Memory { scale, bytes: 48 << scale };
        let mut roots = Vec::new();
        roots.try_reserve_exact(domain.size() + 1).map_err(|_| memory)?;
        roots.extend(std::iter::successors(Some(Fr::one()), |w| Some(*w * root)).take(domain.size() + 1));
        Ok(FftSettings { domain, roots, request })
    }

    /// Returns the logarithm of [`FftSettings::size`].
    pub fn scale(&self) -> u32 {
        self.size().ilog2()
    }

    /// Returns the maximum number of elements of a transform: 2^scale.
    pub fn size(&self) -> usize {
        self.domain.size()
    }

    /// Returns the domain of the transforms.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns ω^0, ω^1, …, ω^size for the root ω of order 2^scale: one more than there are roots, 1 at both ends.
    pub fn expanded_roots(&self) -> &[Fr] {
        &self.roots
    }

    /// Returns the inverses of [`FftSettings::expanded_roots`] in their order: ω^0, ω^−1, …, ω^−size.
    pub fn reversed_roots(&self) -> impl ExactSizeIterator<Item = Fr> {
        self.roots.iter().rev().copied()
    }

    /// Returns ω^index for the root ω of order `len`, a power of two up to the size.
    pub(crate) fn root(&self, len: usize, index: usize) -> Fr {
        debug_assert!(len.is_power_of_two() && len <= self.size() && index < len);
        self.roots[index * (self.size() / len)]
    }

    /// Returns the values of the polynomial with these coefficients at the roots of unity of order `input.len()`, in
    /// order.
    ///
    /// Over points, the same sums: out\[i\] = Σ_j ω^(i·j)·input\[j\].
    ///
    /// # Errors
    /// [`bls::Error::Length`] where the length is not a power of two up to [`FftSettings::size`].
    pub fn fft<T: Element>(&self, rt: &dyn Runtime, input: &[T]) -> Result<Vec<T>, Error> {
        let mut output = vec![T::default(); input.len()];
        self.domain.fft(rt, Decomposition::Iterative, input, &mut output)?;
        Ok(output)
    }

    /// Returns the coefficients of the polynomial with these values: the inverse of [`FftSettings::fft`].
    ///
    /// # Errors
    /// As [`FftSettings::fft`].
    pub fn inverse_fft<T: Element>(&self, rt: &dyn Runtime, input: &[T]) -> Result<Vec<T>, Error> {
        let mut output = vec![T::default(); input.len()];
        self.domain.inverse_fft(rt, Decomposition::Iterative, input, &mut output)?;
        Ok(output)
    }

    /// Checks that a length is a power of two from `least` to the size.
    pub(crate) fn check_len(&self, len: usize, least: usize) -> Result<(), Error> {
        match len.is_power_of_two() && (least..=self.size()).contains(&len) {
            true => Ok(()),
            false => Err(Error::Length { len, least, most: self.size() }),
        }
    }

    /// Returns the odd samples for these even ones: the extension for data-availability sampling.
    ///
    /// There is one polynomial of degree below n = `even.len()` with p(ω^(2i)) = even\[i\] for the root ω of order
    /// 2n. The result is p(ω^(2i + 1)) for i below n. Two transforms of n elements.
    ///
    /// ```
    /// use parcrypt_bls12_381::{Fr, Request};
    /// use parcrypt_kzg10::FftSettings;
    /// let fft = FftSettings::new(Request::Auto, 2)?;
    /// let rt = &parcrypt_runtime::Serial;
    /// // 3 + 4X at the four roots of unity of order 4.
    /// let values = fft.fft(rt, &[3, 4, 0, 0].map(Fr::from))?;
    /// let odd = fft.das_fft_extension(rt, &[values[0], values[2]])?;
    /// assert_eq!(odd, [values[1], values[3]]);
    /// # Ok::<(), parcrypt_kzg10::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] where n is not a power of two, or 2n is above [`FftSettings::size`].
    pub fn das_fft_extension(&self, rt: &dyn Runtime, even: &[Fr]) -> Result<Vec<Fr>, Error> {
        let (n, most) = (even.len(), self.size() / 2);
        if !n.is_power_of_two() || n > most {
            return Err(Error::Length { len: n, least: 1, most });
        }
        // p(ω·ω^(2i)): the polynomial with its coefficients times the powers of ω, at the roots of order n.
        let shift = self.root(2 * n, 1);
        let cost = Cost::ns((n as u64).saturating_mul(u64::from(n.ilog2() + 2) * TIMES_PLUS_NS));
        enter(rt, cost, || {
            let mut coefficients = self.inverse_fft(rt, even)?;
            times_powers(rt, &mut coefficients, shift);
            self.fft(rt, &coefficients)
        })
    }

    /// Returns the value at x of the polynomial of degree below n = `values.len()` whose values at the roots of unity
    /// of order n are given, in order. x may be one of them.
    ///
    /// By the barycentric formula, p(x) = (xⁿ − 1)/n · Σ_i values\[i\]·ω^i / (x − ω^i): six multiplications a value.
    ///
    /// ```
    /// use parcrypt_bls12_381::{Fr, Request};
    /// use parcrypt_kzg10::FftSettings;
    /// let fft = FftSettings::new(Request::Auto, 1)?;
    /// // 3 + 4X is 7 at 1 and −1 at −1.
    /// let values = [Fr::from(7), -Fr::one()];
    /// assert_eq!(fft.evaluate_from_values(&parcrypt_runtime::Serial, &values, Fr::from(10))?, Fr::from(43));
    /// assert_eq!(fft.evaluate_from_values(&parcrypt_runtime::Serial, &values, Fr::one())?, Fr::from(7));
    /// # Ok::<(), parcrypt_kzg10::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] where n is not a power of two up to [`FftSettings::size`].
    pub fn evaluate_from_values(&self, rt: &dyn Runtime, values: &[Fr], x: Fr) -> Result<Fr, Error> {
        let n = values.len();
        self.check_len(n, 1)?;
        let vanishing = x.pow_vartime(n as u64) - Fr::one();
        if vanishing == Fr::zero() {
            // x is a root of unity of order n, where the formula divides by 0.
            let found = (0..n).find(|i| self.root(n, *i) == x);
            return Ok(found.map(|i| values[i]).unwrap_or_default());
        }
        let mut inverses = vec![Fr::zero(); n];
        let sum = enter(rt, Cost::ns((n as u64).saturating_mul(6 * FR_PRODUCT_NS)), || {
            for_pieces(rt, &mut inverses, FR_PRODUCT_NS, |start, piece| {
                piece.iter_mut().enumerate().for_each(|(i, out)| *out = x - self.root(n, start + i));
            });
            invert_all(rt, &mut inverses);
            let piece = |piece: usize| {
                let start = piece * GRAIN;
                let end = n.min(start + GRAIN);
                (start..end).fold(Fr::zero(), |sum, i| sum + values[i] * self.root(n, i) * inverses[i])
            };
            let cost = Cost::ns(GRAIN as u64 * 2 * TIMES_PLUS_NS);
            map_reduce(rt, n.div_ceil(GRAIN), cost, piece, |a, b| a + b)
        });
        // n is a power of two and below r, so it is not 0 in Fr.
        let inverse_n = Fr::from(n as u64).inverse().unwrap_or_default();
        Ok(sum.unwrap_or_default() * vanishing * inverse_n)
    }
}

/// Permutes the elements into bit-reversed order; twice is the identity.
///
/// Proofs and samples of one publication are in this order, in which each coset is contiguous.
///
/// ```
/// let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
/// parcrypt_kzg10::reverse_bit_order(&mut order)?;
/// assert_eq!(order, [0, 4, 2, 6, 1, 5, 3, 7]);
/// # Ok::<(), parcrypt_kzg10::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] where n is not a power of two.
pub fn reverse_bit_order<T>(all: &mut [T]) -> Result<(), Error> {
    let n = all.len();
    if !n.is_power_of_two() {
        return Err(Error::Length { len: n, least: 1, most: 1 << (usize::BITS - 1) });
    }
    bls::bit_reversal::permute(all);
    Ok(())
}
