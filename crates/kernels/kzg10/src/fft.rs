//! Polynomials over Fr, and transforms, the extension and the recovery of samples with roots of unity.

use parcrypt_bls12_381::{Decomposition, Domain, Fr, Request};
use parcrypt_runtime::{Cost, Runtime, join};

use crate::{Error, check_len};

/// A polynomial over Fr: its coefficients from X⁰ on, the last of them not 0. Without coefficients it is the polynomial
/// 0.
///
/// ```
/// use parcrypt_bls12_381::Fr;
/// use parcrypt_kzg10::Polynomial;
/// let p = Polynomial::new([6, 5, 1, 0].map(Fr::from).to_vec());
/// assert_eq!(p.coefficients(), [6, 5, 1].map(Fr::from), "zeros at the end are removed");
/// assert_eq!(p.evaluate(Fr::from(10)), Fr::from(156));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial(Vec<Fr>);

impl Polynomial {
    /// Returns the polynomial with these coefficients, from X⁰ on. Zeros at the end are removed.
    pub fn new(mut coefficients: Vec<Fr>) -> Self {
        while coefficients.pop_if(|last| *last == Fr::zero()).is_some() {}
        Polynomial(coefficients)
    }

    /// Returns the polynomial of degree below n = `values.len()` with these values at the roots of unity of order n.
    ///
    /// # Errors
    /// [`Error::Bls`] where n is not a power of two up to the size of the transforms.
    pub fn from_values(rt: &dyn Runtime, fft: &FftSettings, values: &[Fr]) -> Result<Self, Error> {
        fft.inverse_fft(rt, values).map(Polynomial::new)
    }

    /// Returns the values at the `len` roots of unity of order `len`, in order.
    ///
    /// # Errors
    /// [`Error::Bls`] where `len` is not a power of two up to the size of the transforms,
    /// [`Error::TooManyCoefficients`] where there are more than `len`.
    pub fn values(&self, rt: &dyn Runtime, fft: &FftSettings, len: usize) -> Result<Vec<Fr>, Error> {
        check_len(len, fft.domain.size())?;
        if self.0.len() > len {
            return Err(Error::TooManyCoefficients { len: self.0.len(), most: len });
        }
        fft.fft(rt, &padded(&self.0, len))
    }

    /// Returns the coefficients, from X⁰ on; the last is not 0.
    pub fn coefficients(&self) -> &[Fr] {
        &self.0
    }

    /// Returns the value at x, by Horner's rule.
    pub fn evaluate(&self, x: Fr) -> Fr {
        self.0.iter().rev().fold(Fr::zero(), |sum, c| sum * x + *c)
    }

    /// Returns p(factor · X).
    pub(crate) fn scale(mut self, factor: Fr) -> Polynomial {
        times_powers(&mut self.0, factor);
        Polynomial::new(self.0)
    }

    /// Returns the quotient and the remainder of the division by Xⁿ − a.
    pub(crate) fn div_rem_binomial(&self, n: usize, a: Fr) -> (Polynomial, Polynomial) {
        let mut rest = self.0.clone();
        for i in (n..rest.len()).rev() {
            let carried = rest[i] * a;
            rest[i - n] += carried;
        }
        let quotient = rest.split_off(n.min(rest.len()));
        (Polynomial::new(quotient), Polynomial::new(rest))
    }
}

/// The roots of unity of order 2^scale and below, for transforms of up to 2^scale elements.
#[derive(Clone, Debug)]
pub struct FftSettings {
    pub(crate) domain: Domain,
    /// The request, also for pairings.
    pub(crate) request: Request,
}

impl FftSettings {
    /// Computes the roots.
    ///
    /// # Errors
    /// Errors of [`Domain::new`].
    pub fn new(request: Request, scale: u32) -> Result<Self, Error> {
        Ok(FftSettings { domain: Domain::new(request, scale)?, request })
    }

    /// Returns the values of the polynomial with these coefficients at the roots of unity of order `input.len()`.
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
    /// [`Error::Bls`] where n is not a power of two up to the size of the transforms.
    pub fn das_fft_extension(&self, rt: &dyn Runtime, even: &[Fr]) -> Result<Vec<Fr>, Error> {
        // p(ω·ω^(2i)): the polynomial with its coefficients times the powers of ω, at the roots of order n.
        let mut coefficients = self.inverse_fft(rt, even)?;
        times_powers(&mut coefficients, Fr::root_of_unity(even.len().ilog2() + 1)?);
        self.fft(rt, &coefficients)
    }

    /// Returns the polynomial of degree below n = `samples.len()` / 2 that has these values at the roots of unity of
    /// order 2n, in order; `None` is a missing value. Up to n may be missing. The missing samples are among the
    /// [`Polynomial::values`] of the result.
    ///
    /// With the polynomial Z that vanishes exactly at the missing samples, and any values there, samples·Z has the
    /// values of p·Z, whose degree is below 2n, so interpolation gives p·Z. Divided by Z on a coset, where Z has no
    /// root, it is p. Six transforms of 2n elements, and a tree of products of the m missing samples, O(m·log² m).
    ///
    /// ```
    /// use parcrypt_bls12_381::{Fr, Request};
    /// use parcrypt_kzg10::{FftSettings, Polynomial};
    /// let fft = FftSettings::new(Request::Auto, 2)?;
    /// let rt = &parcrypt_runtime::Serial;
    /// let p = Polynomial::new([3, 4].map(Fr::from).to_vec());
    /// let mut samples: Vec<Option<Fr>> = p.values(rt, &fft, 4)?.into_iter().map(Some).collect();
    /// (samples[0], samples[3]) = (None, None);
    /// assert_eq!(fft.recover_polynomial(rt, &samples)?, p);
    /// # Ok::<(), parcrypt_kzg10::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Bls`] where their number is not a power of two up to the size of the transforms,
    /// [`Error::TooManyMissing`] above n, [`Error::Inconsistent`] where no such polynomial has these values.
    pub fn recover_polynomial(&self, rt: &dyn Runtime, samples: &[Option<Fr>]) -> Result<Polynomial, Error> {
        let (len, bound) = (samples.len(), samples.len() / 2);
        check_len(len, self.domain.size())?;
        let root = Fr::root_of_unity(len.ilog2())?;
        let roots = std::iter::successors(Some(Fr::one()), |power| Some(*power * root));
        let missing: Vec<Fr> =
            roots.zip(samples).filter(|(_, sample)| sample.is_none()).map(|(root, _)| root).collect();
        if missing.len() > bound {
            return Err(Error::TooManyMissing { missing: missing.len(), most: bound });
        }
        let zero = padded(&from_roots(rt, &missing)?, len);
        let mut product = self.fft(rt, &zero)?;
        product.iter_mut().zip(samples).for_each(|(x, sample)| *x *= sample.unwrap_or_default());
        // 7 generates the multiplicative group of Fr, so 7·ω^i is not a root of unity of an order that is a power of
        // two.
        let shift = Fr::from(7);
        let on_coset = |mut coefficients: Vec<Fr>| {
            times_powers(&mut coefficients, shift);
            self.fft(rt, &coefficients)
        };
        let (mut quotient, mut divisor) = (on_coset(self.inverse_fft(rt, &product)?)?, on_coset(zero)?);
        Fr::batch_inverse(&mut divisor);
        quotient.iter_mut().zip(divisor).for_each(|(x, y)| *x *= y);
        let mut coefficients = self.inverse_fft(rt, &quotient)?;
        times_powers(&mut coefficients, shift.inverse().unwrap_or_default());
        // On the coset p·Z and q·Z agree, for the computed q. Where q has a degree below n both have a degree below 2n,
        // so they are equal, and q has the given samples. Otherwise no polynomial of that degree has them.
        let polynomial = Polynomial::new(coefficients);
        if polynomial.0.len() > bound { Err(Error::Inconsistent { bound }) } else { Ok(polynomial) }
    }
}

/// Multiplies element i by factor^i.
pub(crate) fn times_powers(all: &mut [Fr], factor: Fr) {
    let mut power = Fr::one();
    for x in all {
        *x *= power;
        power *= factor;
    }
}

/// Returns a copy, padded with zeros to `len` elements.
fn padded(all: &[Fr], len: usize) -> Vec<Fr> {
    let mut all = all.to_vec();
    all.resize(len, Fr::zero());
    all
}

/// Returns the coefficients of the product of X − root over all `roots`, 1 for none: a tree of products.
fn from_roots(rt: &dyn Runtime, roots: &[Fr]) -> Result<Vec<Fr>, Error> {
    // Up to here products one after the other cost less than transforms.
    const DIRECT: usize = 32;
    if roots.len() <= DIRECT {
        let mut coefficients = vec![Fr::one()];
        for root in roots {
            coefficients.insert(0, Fr::zero());
            for i in 1..coefficients.len() {
                coefficients[i - 1] = coefficients[i - 1] - coefficients[i] * *root;
            }
        }
        return Ok(coefficients);
    }
    let (left, right) = roots.split_at(roots.len() / 2);
    let cost = Cost::ns((roots.len() as u64).saturating_mul(2000 * u64::from(roots.len().ilog2())));
    let (left, right) = join(rt, cost, || from_roots(rt, left), || from_roots(rt, right));
    // The requested row is for points, and these transforms are over Fr.
    let n = (roots.len() + 1).next_power_of_two();
    let fft = FftSettings::new(Request::Baseline, n.ilog2())?;
    let mut values = fft.fft(rt, &padded(&left?, n))?;
    let others = fft.fft(rt, &padded(&right?, n))?;
    values.iter_mut().zip(others).for_each(|(x, y)| *x *= y);
    let mut product = fft.inverse_fft(rt, &values)?;
    product.truncate(roots.len() + 1);
    Ok(product)
}
