//! Polynomials over Fr, by their coefficients.

use std::ops::{Add, Neg, Sub};

use parcrypt_bls12_381::costs::FR_PRODUCT_NS;
use parcrypt_bls12_381::{self as bls, Decomposition, Domain, Fr, Request};
use parcrypt_runtime::{Cost, Runtime, enter, join, map_reduce};

use crate::pieces::{GRAIN, TIMES_PLUS_NS, for_pieces, padded, times_powers};
use crate::{Error, FftSettings};

/// A polynomial over Fr: its coefficients from X⁰ on, the last of them not 0. Without coefficients it is the polynomial
/// 0.
///
/// ```
/// use parcrypt_bls12_381::Fr;
/// use parcrypt_kzg10::Polynomial;
/// let rt = &parcrypt_runtime::Serial;
/// let p = Polynomial::new([6, 5, 1, 0].map(Fr::from).to_vec());
/// assert_eq!(p.degree(), Some(2), "zeros at the end are taken away");
/// assert_eq!(p.evaluate(rt, Fr::from(10)), Fr::from(156));
///
/// let divisor = Polynomial::new([2, 1].map(Fr::from).to_vec());
/// let (quotient, remainder) = p.div_rem(rt, &divisor)?;
/// assert_eq!(quotient, Polynomial::new([3, 1].map(Fr::from).to_vec()));
/// assert!(remainder.is_zero());
/// assert_eq!(quotient.mul(rt, &divisor)?, p);
/// # Ok::<(), parcrypt_kzg10::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial {
    coefficients: Vec<Fr>,
}

/// Up to this many terms a power series is inverted term by term.
const DIRECT_TERMS: usize = 32;

/// Up to this many linear factors are multiplied one after the other.
const DIRECT_FACTORS: usize = 32;

impl Polynomial {
    /// Returns the polynomial with these coefficients, from X⁰ on. Zeros at the end are removed.
    pub fn new(mut coefficients: Vec<Fr>) -> Self {
        let len = coefficients.iter().rposition(|c| *c != Fr::zero()).map_or(0, |last| last + 1);
        coefficients.truncate(len);
        Polynomial { coefficients }
    }

    /// Returns the polynomial 0.
    pub fn zero() -> Self {
        Polynomial::default()
    }

    /// Returns a constant polynomial.
    pub fn constant(value: Fr) -> Self {
        Polynomial::new(vec![value])
    }

    /// Returns the product of X − root over all `roots`, 1 for none; a repeated root is a multiple root.
    ///
    /// Products of products, by transforms where they are long: O(n·log² n).
    ///
    /// ```
    /// use parcrypt_bls12_381::Fr;
    /// use parcrypt_kzg10::Polynomial;
    /// let p = Polynomial::from_roots(&parcrypt_runtime::Serial, &[2, 3].map(Fr::from))?;
    /// assert_eq!(p.coefficients(), [Fr::from(6), -Fr::from(5), Fr::one()]);
    /// # Ok::<(), parcrypt_kzg10::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Polynomial::mul`].
    pub fn from_roots(rt: &dyn Runtime, roots: &[Fr]) -> Result<Self, Error> {
        if roots.len() <= DIRECT_FACTORS {
            let mut coefficients = vec![Fr::one()];
            for root in roots {
                coefficients.insert(0, Fr::zero());
                for i in 1..coefficients.len() {
                    coefficients[i - 1] = coefficients[i - 1] - coefficients[i] * *root;
                }
            }
            return Ok(Polynomial { coefficients });
        }
        // Halves of equal length, the power of two from half the length on: a product of them has one coefficient more
        // than a transform.
        let (left, right) = roots.split_at(roots.len().next_power_of_two() / 2);
        let levels = u64::from(roots.len().ilog2());
        let cost = Cost::ns((roots.len() as u64).saturating_mul(40 * TIMES_PLUS_NS).saturating_mul(levels));
        let (left, right) =
            join(rt, cost, || Polynomial::from_roots(rt, left), || Polynomial::from_roots(rt, right));
        left?.mul(rt, &right?)
    }

    /// Returns the polynomial of degree below n = `values.len()` with these values at the roots of unity of order n.
    ///
    /// # Errors
    /// [`bls::Error::Length`] where n is not a power of two up to [`FftSettings::size`].
    pub fn from_values(rt: &dyn Runtime, fft: &FftSettings, values: &[Fr]) -> Result<Self, Error> {
        fft.inverse_fft(rt, values).map(Polynomial::new)
    }

    /// Returns the values at the `len` roots of unity of order `len`, in order.
    ///
    /// # Errors
    /// [`Error::Length`] where `len` is not a power of two up to [`FftSettings::size`],
    /// [`Error::TooManyCoefficients`] where there are more than `len`.
    pub fn values(&self, rt: &dyn Runtime, fft: &FftSettings, len: usize) -> Result<Vec<Fr>, Error> {
        fft.check_len(len, 1)?;
        fft.fft(rt, &self.padded(len)?)
    }

    /// Returns the coefficients, from X⁰ on; the last is not 0.
    pub fn coefficients(&self) -> &[Fr] {
        &self.coefficients
    }

    /// Returns the coefficients, from X⁰ on; the last is not 0.
    pub fn into_coefficients(self) -> Vec<Fr> {
        self.coefficients
    }

    /// Returns the coefficients, padded with zeros to `len`.
    pub(crate) fn padded(&self, len: usize) -> Result<Vec<Fr>, Error> {
        if self.coefficients.len() > len {
            return Err(Error::TooManyCoefficients { len: self.coefficients.len(), most: len });
        }
        padded(&self.coefficients, len)
    }

    /// Returns the degree; `None` for the polynomial 0.
    pub fn degree(&self) -> Option<usize> {
        self.coefficients.len().checked_sub(1)
    }

    /// Returns whether it is the polynomial 0.
    pub fn is_zero(&self) -> bool {
        self.coefficients.is_empty()
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

    /// Returns the product, directly or by transforms, whichever costs less.
    ///
    /// # Errors
    /// [`Error::Bls`] and [`Error::Memory`] where the product is too long for transforms or memory.
    pub fn mul(&self, rt: &dyn Runtime, other: &Polynomial) -> Result<Polynomial, Error> {
        let (a, b) = (self.coefficients.len(), other.coefficients.len());
        if direct_ns(a, b) <= fft_ns(a + b) {
            return Ok(self.mul_direct(rt, other));
        }
        self.mul_fft(rt, other)
    }

    /// Returns the product by its definition, a·b multiplications for a and b coefficients.
    pub fn mul_direct(&self, rt: &dyn Runtime, other: &Polynomial) -> Polynomial {
        let (a, b) = (&self.coefficients, &other.coefficients);
        if a.is_empty() || b.is_empty() {
            return Polynomial::zero();
        }
        let mut product = vec![Fr::zero(); a.len() + b.len() - 1];
        let ns = TIMES_PLUS_NS.saturating_mul(a.len().min(b.len()) as u64);
        for_pieces(rt, &mut product, ns, |start, piece| {
            for (k, out) in (start..).zip(piece) {
                // The i for which both a[i] and b[k − i] exist.
                let from = (k + 1).saturating_sub(b.len());
                let to = a.len().min(k + 1);
                *out = (from..to).fold(Fr::zero(), |sum, i| sum + a[i] * b[k - i]);
            }
        });
        // The last coefficient is a product of two that are not 0.
        Polynomial { coefficients: product }
    }

    /// Returns the product by three transforms: of both factors, and back.
    ///
    /// # Errors
    /// [`bls::Error::Scale`], [`bls::Error::Memory`] and [`Error::Memory`] where the product is too long.
    pub fn mul_fft(&self, rt: &dyn Runtime, other: &Polynomial) -> Result<Polynomial, Error> {
        let (a, b) = (&self.coefficients, &other.coefficients);
        let (Some(a_last), Some(b_last)) = (a.last(), b.last()) else {
            return Ok(Polynomial::zero());
        };
        // The product has degree d. Transforms of n ≥ d elements give it modulo Xⁿ − 1; where n = d, its last
        // coefficient is added to its first. The last one is known.
        let d = (a.len() - 1) + (b.len() - 1);
        let domain = domain_for(d)?;
        let n = domain.size();
        let last = *a_last * *b_last;
        let cost = Cost::ns((3 * n as u64).saturating_mul(TIMES_PLUS_NS * u64::from(n.ilog2() + 1)));
        enter(rt, cost, || {
            // A factor of n + 1 coefficients, beside a constant, is wrapped around too.
            let mut product = cyclic(rt, &domain, &wrapped(a, n)?, &wrapped(b, n)?)?;
            if d == n {
                product[0] -= last;
                product.push(last);
            }
            Ok(Polynomial::new(product))
        })
    }

    /// Returns the quotient and the remainder, of lower degree than the divisor: self = quotient · divisor + remainder.
    ///
    /// By long division or by the inverse of a power series, whichever costs less.
    ///
    /// # Errors
    /// [`Error::ZeroDivisor`], and those of [`Polynomial::mul`].
    pub fn div_rem(&self, rt: &dyn Runtime, divisor: &Polynomial) -> Result<(Polynomial, Polynomial), Error> {
        let quotient_len = (self.coefficients.len() + 1).saturating_sub(divisor.coefficients.len());
        // The inverse takes about four products of the quotient's length, and two products follow.
        let inverse = fft_ns(quotient_len.saturating_mul(2)).saturating_mul(4);
        let fast = inverse.saturating_add(fft_ns(self.coefficients.len()).saturating_mul(2));
        if direct_ns(quotient_len, divisor.coefficients.len()) <= fast {
            return self.div_rem_long(divisor);
        }
        self.div_rem_fast(rt, divisor)
    }

    /// Returns the quotient and the remainder by long division: q·m multiplications for q and m coefficients of
    /// quotient and divisor, on the caller's thread.
    ///
    /// # Errors
    /// [`Error::ZeroDivisor`].
    pub fn div_rem_long(&self, divisor: &Polynomial) -> Result<(Polynomial, Polynomial), Error> {
        let (inverse, below) = match divisor.coefficients.split_last() {
            Some((last, below)) => (last.inverse().ok_or(Error::ZeroDivisor)?, below),
            None => return Err(Error::ZeroDivisor),
        };
        let mut rest = self.coefficients.clone();
        let quotient_len = rest.len().saturating_sub(below.len());
        let mut quotient = vec![Fr::zero(); quotient_len];
        for (i, out) in quotient.iter_mut().enumerate().rev() {
            let factor = rest[i + below.len()] * inverse;
            rest[i..].iter_mut().zip(below).for_each(|(x, c)| *x -= factor * *c);
            *out = factor;
        }
        rest.truncate(below.len());
        Ok((Polynomial::new(quotient), Polynomial::new(rest)))
    }

    /// Returns the quotient and the remainder by the inverse of the reversed divisor as a power series: O(n·log n).
    ///
    /// # Errors
    /// [`Error::ZeroDivisor`], and those of [`Polynomial::mul_fft`].
    pub fn div_rem_fast(
        &self,
        rt: &dyn Runtime,
        divisor: &Polynomial,
    ) -> Result<(Polynomial, Polynomial), Error> {
        let Some(m) = divisor.degree() else {
            return Err(Error::ZeroDivisor);
        };
        let quotient_len = self.coefficients.len().saturating_sub(m);
        if quotient_len == 0 {
            return Ok((Polynomial::zero(), self.clone()));
        }
        // Xⁿ·p(1/X) for p of degree n: then self = q·divisor + r gives reversed(self) = reversed(q)·reversed(divisor)
        // modulo X to the power of the quotient's length, where r has no part.
        let reversed =
            |p: &Polynomial| -> Vec<Fr> { p.coefficients.iter().rev().take(quotient_len).copied().collect() };
        let series = Polynomial::new(reversed(divisor)).inverse(rt, quotient_len)?;
        let mut quotient = Polynomial::new(reversed(self)).mul(rt, &series)?.coefficients;
        quotient.resize(quotient_len, Fr::zero());
        quotient.reverse();
        let quotient = Polynomial::new(quotient);
        let product = quotient.mul(rt, divisor)?;
        let low = |p: &Polynomial| Polynomial::new(p.coefficients.iter().take(m).copied().collect());
        let remainder = &low(self) - &low(&product);
        Ok((quotient, remainder))
    }

    /// Returns the first `terms` terms of the power series 1/self: self · inverse = 1 modulo X^terms.
    ///
    /// By Newton's iteration g → g·(2 − self·g), which doubles the number of correct terms with five transforms.
    ///
    /// ```
    /// use parcrypt_bls12_381::Fr;
    /// use parcrypt_kzg10::Polynomial;
    /// let p = Polynomial::new(vec![Fr::one(), -Fr::one()]);
    /// let series = p.inverse(&parcrypt_runtime::Serial, 5)?;
    /// assert_eq!(series.coefficients(), [Fr::one(); 5], "1/(1 − X) = 1 + X + X² + …");
    /// # Ok::<(), parcrypt_kzg10::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotInvertible`] where the constant term is 0; [`bls::Error::Scale`], [`bls::Error::Memory`] and
    /// [`Error::Memory`] for too many terms.
    pub fn inverse(&self, rt: &dyn Runtime, terms: usize) -> Result<Polynomial, Error> {
        let f = &self.coefficients;
        let constant = f.first().and_then(Fr::inverse).ok_or(Error::NotInvertible)?;
        let domain = domain_for(terms)?;
        let mut g: Vec<Fr> = Vec::with_capacity(terms.min(DIRECT_TERMS));
        for k in 0..terms.min(DIRECT_TERMS) {
            // Term k of f·g is 0, that is f[0]·g[k] = −Σ f[i]·g[k − i], but for k = 0.
            let sum = (1..f.len().min(k + 1)).fold(Fr::zero(), |sum, i| sum + f[i] * g[k - i]);
            g.push(if k == 0 { constant } else { -(sum * constant) });
        }
        let cost = Cost::ns((10 * terms as u64).saturating_mul(TIMES_PLUS_NS * 10));
        enter(rt, cost, || {
            while g.len() < terms {
                let (m, n) = (g.len(), 2 * g.len());
                debug_assert!(m.is_power_of_two() && n <= domain.size());
                // f·g is 1 in its first m terms. Modulo Xⁿ − 1 the terms from n on are added to these only.
                let mut error = cyclic(rt, &domain, &padded(&f[..f.len().min(n)], n)?, &padded(&g, n)?)?;
                error.drain(..m);
                let correction = cyclic(rt, &domain, &padded(&error, n)?, &padded(&g, n)?)?;
                g.extend(correction[..m].iter().map(|c| -*c));
            }
            g.truncate(terms);
            Ok(Polynomial::new(g))
        })
    }

    /// Returns p(factor · X): coefficient i times factor^i.
    pub fn scale(&self, rt: &dyn Runtime, factor: Fr) -> Polynomial {
        let mut coefficients = self.coefficients.clone();
        times_powers(rt, &mut coefficients, factor);
        Polynomial::new(coefficients)
    }

    /// Returns p(X / factor): the inverse of [`Polynomial::scale`].
    ///
    /// # Errors
    /// [`Error::ZeroFactor`].
    pub fn unscale(&self, rt: &dyn Runtime, factor: Fr) -> Result<Polynomial, Error> {
        Ok(self.scale(rt, factor.inverse().ok_or(Error::ZeroFactor)?))
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

/// Returns the cost of a product by its definition, or of a long division with these lengths of quotient and divisor.
fn direct_ns(a: usize, b: usize) -> u64 {
    (a as u64).saturating_mul(b as u64).saturating_mul(TIMES_PLUS_NS)
}

/// Returns the cost of a product of this number of coefficients by transforms: three of them, the roots, and n
/// products.
fn fft_ns(len: usize) -> u64 {
    let n = len.checked_next_power_of_two().map_or(u64::MAX, |n| n as u64);
    n.saturating_mul(3 * u64::from(n.ilog2()) + 3).saturating_mul(TIMES_PLUS_NS / 2)
}

/// Returns the domain of the least power of two that is at least `len`.
fn domain_for(len: usize) -> Result<Domain, Error> {
    let scale = len.checked_next_power_of_two().map_or(usize::BITS, |n| n.ilog2());
    // The requested row is for points, and these transforms are over Fr.
    Ok(Domain::new(Request::Baseline, scale)?)
}

/// Returns a polynomial modulo Xⁿ − 1, of at most n + 1 coefficients.
fn wrapped(coefficients: &[Fr], n: usize) -> Result<Vec<Fr>, Error> {
    let (low, high) = coefficients.split_at(coefficients.len().min(n));
    let mut out = padded(low, n)?;
    out.iter_mut().zip(high).for_each(|(x, c)| *x += *c);
    Ok(out)
}

/// Returns the product of two polynomials modulo Xⁿ − 1, where both have n coefficients.
fn cyclic(rt: &dyn Runtime, domain: &Domain, a: &[Fr], b: &[Fr]) -> Result<Vec<Fr>, bls::Error> {
    let (mut product, mut values) = (vec![Fr::zero(); a.len()], vec![Fr::zero(); a.len()]);
    domain.fft(rt, Decomposition::Iterative, a, &mut product)?;
    domain.fft(rt, Decomposition::Iterative, b, &mut values)?;
    for_pieces(rt, &mut product, FR_PRODUCT_NS, |start, piece| {
        piece.iter_mut().zip(&values[start..]).for_each(|(x, y)| *x *= *y);
    });
    domain.inverse_fft(rt, Decomposition::Iterative, &product, &mut values)?;
    Ok(values)
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        let (long, short) = match self.coefficients.len() >= other.coefficients.len() {
            true => (self, other),
            false => (other, self),
        };
        let mut sum = long.coefficients.clone();
        sum.iter_mut().zip(&short.coefficients).for_each(|(x, y)| *x += *y);
        Polynomial::new(sum)
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;
    fn neg(self) -> Polynomial {
        Polynomial { coefficients: self.coefficients.iter().map(|c| -*c).collect() }
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        self + &-other
    }
}
