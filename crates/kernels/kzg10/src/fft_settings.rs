//! Roots of unity, and transforms and the extension of samples with them.

use parcrypt_bls12_381::{self as bls, Decomposition, Domain, Fr, Request};
use parcrypt_runtime::{Cost, Runtime, enter};

use crate::Error;
use crate::pieces::{TIMES_PLUS_NS, times_powers};

/// The roots of unity of order 2^scale and below, for transforms of up to 2^scale elements. 48 · 2^scale bytes.
#[derive(Clone, Debug)]
pub struct FftSettings {
    domain: Domain,
    /// ω^0, ω^1, …, ω^(size − 1).
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
        roots.try_reserve_exact(domain.size()).map_err(|_| memory)?;
        roots.extend(std::iter::successors(Some(Fr::one()), |w| Some(*w * root)).take(domain.size()));
        Ok(FftSettings { domain, roots, request })
    }

    /// Returns the maximum number of elements of a transform: 2^scale.
    fn size(&self) -> usize {
        self.domain.size()
    }

    /// Returns the domain of the transforms.
    pub(crate) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns ω^index for the root ω of order `len`, a power of two up to the size.
    pub(crate) fn root(&self, len: usize, index: usize) -> Fr {
        debug_assert!(len.is_power_of_two() && len <= self.size() && index < len);
        self.roots[index * (self.size() / len)]
    }

    /// Returns the values of the polynomial with these coefficients at the roots of unity of order `input.len()`, in
    /// order. An error where the length is not a power of two up to the size.
    pub(crate) fn fft(&self, rt: &dyn Runtime, input: &[Fr]) -> Result<Vec<Fr>, Error> {
        let mut output = vec![Fr::zero(); input.len()];
        self.domain.fft(rt, Decomposition::Iterative, input, &mut output)?;
        Ok(output)
    }

    /// Returns the coefficients of the polynomial with these values: the inverse of [`FftSettings::fft`].
    pub(crate) fn inverse_fft(&self, rt: &dyn Runtime, input: &[Fr]) -> Result<Vec<Fr>, Error> {
        let mut output = vec![Fr::zero(); input.len()];
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
    /// use parcrypt_kzg10::{FftSettings, Polynomial};
    /// let fft = FftSettings::new(Request::Auto, 2)?;
    /// let rt = &parcrypt_runtime::Serial;
    /// let values = Polynomial::new([3, 4].map(Fr::from).to_vec()).values(rt, &fft, 4)?;
    /// let odd = fft.das_fft_extension(rt, &[values[0], values[2]])?;
    /// assert_eq!(odd, [values[1], values[3]]);
    /// # Ok::<(), parcrypt_kzg10::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] where n is not a power of two, or 2n is above the size of the roots.
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
}
