//! Polynomials over Fr, by their coefficients.

use parcrypt_bls12_381::Fr;
use parcrypt_runtime::{Cost, Runtime, map_reduce};

use crate::pieces::{GRAIN, TIMES_PLUS_NS, padded, times_powers};
use crate::{Error, FftSettings};

/// A polynomial over Fr: its coefficients from X⁰ on, the last of them not 0. Without coefficients it is the polynomial
/// 0.
///
/// ```
/// use parcrypt_bls12_381::Fr;
/// use parcrypt_kzg10::Polynomial;
/// let p = Polynomial::new([6, 5, 1, 0].map(Fr::from).to_vec());
/// assert_eq!(p.coefficients(), [6, 5, 1].map(Fr::from), "zeros at the end are removed");
/// assert_eq!(p.evaluate(&parcrypt_runtime::Serial, Fr::from(10)), Fr::from(156));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial {
    coefficients: Vec<Fr>,
}

impl Polynomial {
    /// Returns the polynomial with these coefficients, from X⁰ on. Zeros at the end are removed.
    pub fn new(mut coefficients: Vec<Fr>) -> Self {
        let len = coefficients.iter().rposition(|c| *c != Fr::zero()).map_or(0, |last| last + 1);
        coefficients.truncate(len);
        Polynomial { coefficients }
    }

    /// Returns the polynomial of degree below n = `values.len()` with these values at the roots of unity of order n.
    ///
    /// # Errors
    /// [`Error::Bls`] where n is not a power of two up to the size of the roots.
    pub fn from_values(rt: &dyn Runtime, fft: &FftSettings, values: &[Fr]) -> Result<Self, Error> {
        fft.inverse_fft(rt, values).map(Polynomial::new)
    }

    /// Returns the values at the `len` roots of unity of order `len`, in order.
    ///
    /// # Errors
    /// [`Error::Length`] where `len` is not a power of two up to the size of the roots,
    /// [`Error::TooManyCoefficients`] where there are more than `len`.
    pub fn values(&self, rt: &dyn Runtime, fft: &FftSettings, len: usize) -> Result<Vec<Fr>, Error> {
        fft.check_len(len, 1)?;
        if self.coefficients.len() > len {
            return Err(Error::TooManyCoefficients { len: self.coefficients.len(), most: len });
        }
        fft.fft(rt, &padded(&self.coefficients, len)?)
    }

    /// Returns the coefficients, from X⁰ on; the last is not 0.
    pub fn coefficients(&self) -> &[Fr] {
        &self.coefficients
    }

    /// Returns the value at x, by Horner's rule, one multiplication a coefficient.
    pub fn evaluate(&self, rt: &dyn Runtime, x: Fr) -> Fr {
        let c = &self.coefficients;
        let horner = |piece: &[Fr]| piece.iter().rev().fold(Fr::zero(), |sum, c| sum * x + *c);
        let piece = |i: usize| {
            let start = i * GRAIN;
            horner(&c[start..c.len().min(start + GRAIN)]) * x.pow_vartime(start as u64)
        };
        let cost = Cost::ns(GRAIN as u64 * TIMES_PLUS_NS);
        map_reduce(rt, c.len().div_ceil(GRAIN), cost, piece, |a, b| a + b).unwrap_or_default()
    }

    /// Returns p(factor · X): coefficient i times factor^i.
    pub(crate) fn scale(mut self, rt: &dyn Runtime, factor: Fr) -> Polynomial {
        times_powers(rt, &mut self.coefficients, factor);
        Polynomial::new(self.coefficients)
    }

    /// Returns the quotient and the remainder of the division by Xⁿ − a, with one multiplication a coefficient.
    pub(crate) fn div_rem_binomial(&self, n: usize, a: Fr) -> (Polynomial, Polynomial) {
        debug_assert_ne!(n, 0);
        let mut rest = self.coefficients.clone();
        for i in (n..rest.len()).rev() {
            let carried = rest[i] * a;
            rest[i - n] += carried;
        }
        let quotient = rest.split_off(n.min(rest.len()));
        (Polynomial::new(quotient), Polynomial::new(rest))
    }
}
