//! Recovery of a polynomial from some of its values at roots of unity.
//!
//! With the polynomial Z that vanishes exactly at the missing samples, and the samples s, with any values at the
//! missing ones, s·Z is known everywhere: at a missing sample it is 0. It has the values of p·Z, whose degree is
//! below the number of samples, so interpolation gives p·Z. Divided by Z on a coset, where Z has no root, it is p.

use parcrypt_bls12_381::Fr;
use parcrypt_runtime::{Cost, Runtime, enter};

use crate::pieces::{FR_PRODUCT_NS, TIMES_PLUS_NS, for_pieces, invert_all, padded, times_powers};
use crate::vanishing::from_roots;
use crate::{Error, FftSettings, Polynomial};

/// 7 generates the multiplicative group of Fr, so no power of it below the largest is 1, and 7·ω^i is not a root of
/// unity of an order that is a power of two.
const COSET_SHIFT: u64 = 7;

impl FftSettings {
    /// Returns the polynomial of degree below n = `samples.len()` / 2 that has these values at the roots of unity of
    /// order 2n, in order; `None` is a missing value. Up to n may be missing. The missing samples are among the
    /// [`Polynomial::values`] of the result.
    ///
    /// Six transforms of 2n elements, and a tree of products of the m missing samples, O(m·log² m).
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
    /// [`Error::Length`] where their number is not a power of two from 2 to the size of the roots,
    /// [`Error::TooManyMissing`] above n, [`Error::Inconsistent`] where no such polynomial has these values.
    pub fn recover_polynomial(&self, rt: &dyn Runtime, samples: &[Option<Fr>]) -> Result<Polynomial, Error> {
        let len = samples.len();
        self.check_len(len, 2)?;
        let bound = len / 2;
        let missing: Vec<usize> = (0..len).filter(|i| samples[*i].is_none()).collect();
        if missing.len() > bound {
            return Err(Error::TooManyMissing { missing: missing.len(), most: bound });
        }
        let levels = u64::from(len.ilog2() + 1);
        let cost = Cost::ns((len as u64).saturating_mul(40 * TIMES_PLUS_NS).saturating_mul(levels));
        enter(rt, cost, || {
            let mut coefficients = match missing.is_empty() {
                true => {
                    let values: Vec<Fr> = samples.iter().map(|s| s.unwrap_or_default()).collect();
                    self.inverse_fft(rt, &values)?
                }
                false => self.divided(rt, samples, &missing)?,
            };
            // On the coset p·Z and q·Z agree, for the computed q. Where q has a degree below n both have a degree below
            // 2n, so they are equal, and q has the given samples. Otherwise no polynomial of that degree has them.
            if coefficients[bound..].iter().any(|c| *c != Fr::zero()) {
                return Err(Error::Inconsistent { bound });
            }
            coefficients.truncate(bound);
            Ok(Polynomial::new(coefficients))
        })
    }

    /// Returns the coefficients of the q with q·Z = samples·Z on the coset.
    fn divided(&self, rt: &dyn Runtime, samples: &[Option<Fr>], missing: &[usize]) -> Result<Vec<Fr>, Error> {
        let len = samples.len();
        let roots: Vec<Fr> = missing.iter().map(|i| self.root(len, *i)).collect();
        let zero = padded(&from_roots(rt, &roots)?, len)?;
        let mut product = self.fft(rt, &zero)?;
        for_pieces(rt, &mut product, FR_PRODUCT_NS, |start, piece| {
            for (x, sample) in piece.iter_mut().zip(&samples[start..]) {
                *x *= sample.unwrap_or_default();
            }
        });
        let shift = Fr::from(COSET_SHIFT);
        let on_coset = |mut coefficients: Vec<Fr>| {
            times_powers(rt, &mut coefficients, shift);
            self.fft(rt, &coefficients)
        };
        let mut quotient = on_coset(self.inverse_fft(rt, &product)?)?;
        let mut divisor = on_coset(zero)?;
        invert_all(rt, &mut divisor);
        for_pieces(rt, &mut quotient, FR_PRODUCT_NS, |start, piece| {
            piece.iter_mut().zip(&divisor[start..]).for_each(|(x, y)| *x *= *y);
        });
        let mut coefficients = self.inverse_fft(rt, &quotient)?;
        // 7 is not 0.
        times_powers(rt, &mut coefficients, shift.inverse().unwrap_or_default());
        Ok(coefficients)
    }
}
