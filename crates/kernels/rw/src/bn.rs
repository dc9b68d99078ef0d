//! Numbers of AWS-LC behind safe types. No other file of this crate calls C.
//!
//! The time of each function depends on the sizes of its operands only, by the library's documentation and source,
//! except for [`is_prime`], as documented there. The library overwrites all memory that it frees.
#![allow(unsafe_code, reason = "calls AWS-LC")]

use std::ptr::{self, NonNull};

use aws_lc_sys as ffi;
use zeroize::Zeroizing;

use crate::Error;

/// A nonnegative number, in the number of words that it was created with, whatever its value.
pub(crate) struct Num(NonNull<ffi::BIGNUM>);

// SAFETY: a BIGNUM belongs to no thread; it is one allocation and its digits.
unsafe impl Send for Num {}
// SAFETY: the library writes to a BIGNUM only through pointers that are not const; a `&Num` gives access to const
// ones only.
unsafe impl Sync for Num {}

impl Drop for Num {
    fn drop(&mut self) {
        // SAFETY: `self` owns the number since `new` or `from_be`, and nothing uses it after this.
        unsafe { ffi::BN_free(self.0.as_ptr()) }
    }
}

impl Num {
    fn zero() -> Result<Self, Error> {
        // SAFETY: it takes nothing, and returns a number that is ours or null.
        NonNull::new(unsafe { ffi::BN_new() }).map(Num).ok_or(Error::OutOfMemory)
    }

    /// Returns the number with these bytes, most significant first, in ⌈len/8⌉ words.
    pub(crate) fn from_be(bytes: &[u8]) -> Result<Self, Error> {
        // SAFETY: the pointer and the length are those of a slice; null asks for a new number, which is ours.
        let number = unsafe { ffi::BN_bin2bn(bytes.as_ptr(), bytes.len(), ptr::null_mut()) };
        NonNull::new(number).map(Num).ok_or(Error::OutOfMemory)
    }

    /// Returns `len` bytes, most significant first; an error if the number does not fit.
    pub(crate) fn to_be(&self, len: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut bytes = Zeroizing::new(vec![0; len]);
        // SAFETY: the library writes `len` bytes, which `bytes` has; the number lives.
        done(unsafe { ffi::BN_bn2bin_padded(bytes.as_mut_ptr(), len, self.0.as_ptr()) })?;
        Ok(bytes)
    }

    /// Returns the same number in the words of `len` bytes.
    pub(crate) fn widen(&self, len: usize) -> Result<Self, Error> {
        Num::from_be(&self.to_be(len)?)
    }
}

/// Returns an error unless an operation of the library returned 1.
fn done(code: i32) -> Result<(), Error> {
    if code == 1 {
        return Ok(());
    }
    // SAFETY: it takes nothing and empties this thread's list of errors, which is not read here.
    unsafe { ffi::ERR_clear_error() };
    Err(Error::OutOfMemory)
}

/// Returns the new number to which an operation of the library writes.
fn result(operation: impl FnOnce(*mut ffi::BIGNUM) -> i32) -> Result<Num, Error> {
    let result = Num::zero()?;
    done(operation(result.0.as_ptr()))?;
    Ok(result)
}

/// Memory for intermediate values; for one thread at a time.
pub(crate) struct Scratch(NonNull<ffi::BN_CTX>);

impl Scratch {
    pub(crate) fn new() -> Result<Self, Error> {
        // SAFETY: it takes nothing, and returns a context that is ours or null.
        NonNull::new(unsafe { ffi::BN_CTX_new() }).map(Scratch).ok_or(Error::OutOfMemory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: `self` owns the context since `new`, and nothing uses it after this.
        unsafe { ffi::BN_CTX_free(self.0.as_ptr()) }
    }
}

/// An odd modulus m with the values for Montgomery's multiplication. R is 2^(64·words of m).
pub(crate) struct Modulus {
    number: Num,
    montgomery: NonNull<ffi::BN_MONT_CTX>,
}

// SAFETY: a BN_MONT_CTX belongs to no thread.
unsafe impl Send for Modulus {}
// SAFETY: all functions that are called with it take it as const, and it has no caches that are filled later.
unsafe impl Sync for Modulus {}

impl Drop for Modulus {
    fn drop(&mut self) {
        // SAFETY: `self` owns the context since `new`, and nothing uses it after this.
        unsafe { ffi::BN_MONT_CTX_free(self.montgomery.as_ptr()) }
    }
}

impl Modulus {
    /// Returns the modulus with these bytes, most significant first. It must be odd and above 1.
    pub(crate) fn new(bytes: &[u8], scratch: &mut Scratch) -> Result<Self, Error> {
        let number = Num::from_be(bytes)?;
        // SAFETY: number and scratch live; the context that comes back is ours, or null where the modulus is not odd.
        let context = unsafe { ffi::BN_MONT_CTX_new_consttime(number.0.as_ptr(), scratch.0.as_ptr()) };
        match NonNull::new(context) {
            Some(montgomery) => Ok(Modulus { number, montgomery }),
            None => done(0).and(Err(Error::OutOfMemory)),
        }
    }

    /// Returns the modulus.
    pub(crate) fn number(&self) -> &Num {
        &self.number
    }

    /// Returns a·b/R mod m, of numbers below m.
    pub(crate) fn mul(&self, a: &Num, b: &Num, scratch: &mut Scratch) -> Result<Num, Error> {
        let (a, b, m) = (a.0.as_ptr(), b.0.as_ptr(), self.montgomery.as_ptr());
        // SAFETY: all five live, and the result is a number that nothing else uses.
        result(|out| unsafe { ffi::BN_mod_mul_montgomery(out, a, b, m, scratch.0.as_ptr()) })
    }

    /// Returns a·R mod m, of a number below m.
    pub(crate) fn enter(&self, a: &Num, scratch: &mut Scratch) -> Result<Num, Error> {
        let (a, m) = (a.0.as_ptr(), self.montgomery.as_ptr());
        // SAFETY: as in `mul`.
        result(|out| unsafe { ffi::BN_to_montgomery(out, a, m, scratch.0.as_ptr()) })
    }

    /// Returns a/R mod m, of a number below m·R.
    pub(crate) fn leave(&self, a: &Num, scratch: &mut Scratch) -> Result<Num, Error> {
        let (a, m) = (a.0.as_ptr(), self.montgomery.as_ptr());
        // SAFETY: as in `mul`.
        result(|out| unsafe { ffi::BN_from_montgomery(out, a, m, scratch.0.as_ptr()) })
    }

    /// Returns a mod m, of a number below m·R.
    pub(crate) fn reduce(&self, a: &Num, scratch: &mut Scratch) -> Result<Num, Error> {
        let outside = self.leave(a, scratch)?;
        self.enter(&outside, scratch)
    }

    /// Returns a + b mod m, of numbers below m.
    pub(crate) fn add(&self, a: &Num, b: &Num) -> Result<Num, Error> {
        let (a, b, m) = (a.0.as_ptr(), b.0.as_ptr(), self.number.0.as_ptr());
        // SAFETY: as in `mul`.
        result(|out| unsafe { ffi::BN_mod_add_quick(out, a, b, m) })
    }

    /// Returns a − b mod m, of numbers below m.
    pub(crate) fn sub(&self, a: &Num, b: &Num) -> Result<Num, Error> {
        let (a, b, m) = (a.0.as_ptr(), b.0.as_ptr(), self.number.0.as_ptr());
        // SAFETY: as in `mul`.
        result(|out| unsafe { ffi::BN_mod_sub_quick(out, a, b, m) })
    }

    /// Returns a^e mod m, of a number below m; the time depends on the words of the exponent, not on its value.
    pub(crate) fn pow(&self, a: &Num, e: &Num, scratch: &mut Scratch) -> Result<Num, Error> {
        let (a, e, m) = (a.0.as_ptr(), e.0.as_ptr(), self.number.0.as_ptr());
        let (scratch, montgomery) = (scratch.0.as_ptr(), self.montgomery.as_ptr());
        // SAFETY: as in `mul`.
        result(|out| unsafe { ffi::BN_mod_exp_mont_consttime(out, a, e, m, scratch, montgomery) })
    }
}

/// The operands of an exponentiation: the base below the modulus, the exponent, the modulus.
pub(crate) struct Power<'a> {
    pub(crate) base: &'a Num,
    pub(crate) exponent: &'a Num,
    pub(crate) modulus: &'a Modulus,
}

/// Returns both powers, computed at once in the lanes of AVX-512 IFMA: where the machine has that, and moduli, bases
/// and exponents all have 1024, 1536 or 2048 bits. Otherwise the library computes one after the other, as
/// [`Modulus::pow`] does; the table offers this function only for those sizes.
pub(crate) fn pow_both(a: Power<'_>, b: Power<'_>, scratch: &mut Scratch) -> Result<(Num, Num), Error> {
    let (first, second) = (Num::zero()?, Num::zero()?);
    // SAFETY: as in `mul`; the two results are numbers that nothing else uses.
    done(unsafe {
        ffi::BN_mod_exp_mont_consttime_x2(
            first.0.as_ptr(),
            a.base.0.as_ptr(),
            a.exponent.0.as_ptr(),
            a.modulus.number.0.as_ptr(),
            a.modulus.montgomery.as_ptr(),
            second.0.as_ptr(),
            b.base.0.as_ptr(),
            b.exponent.0.as_ptr(),
            b.modulus.number.0.as_ptr(),
            b.modulus.montgomery.as_ptr(),
            scratch.0.as_ptr(),
        )
    })?;
    Ok((first, second))
}

/// Returns a·b as an integer.
pub(crate) fn product(a: &Num, b: &Num, scratch: &mut Scratch) -> Result<Num, Error> {
    // SAFETY: as in `Modulus::mul`.
    result(|out| unsafe { ffi::BN_mul(out, a.0.as_ptr(), b.0.as_ptr(), scratch.0.as_ptr()) })
}

/// The source of a candidate for a prime.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// Drawn at random here: few rounds of the Miller–Rabin test are enough, by the table of FIPS 186-4.
    Drawn,
    /// The caller, who may have chosen a composite that passes often: 64 rounds, each passed with probability at most
    /// 1/4.
    Given,
}

/// Returns whether a number is prime, by trial division and the Miller–Rabin test with random bases.
///
/// Composites are found early. So the time reveals the number of rejected candidates, and nothing about the accepted
/// one.
pub(crate) fn is_prime(number: &Num, origin: Origin, scratch: &mut Scratch) -> Result<bool, Error> {
    let rounds = match origin {
        Origin::Drawn => ffi::BN_prime_checks_for_generation,
        Origin::Given => ffi::BN_prime_checks_for_validation,
    };
    let mut answer = 0;
    // SAFETY: number and scratch live, the answer is an integer of ours, and null asks for no callback.
    done(unsafe {
        ffi::BN_primality_test(&mut answer, number.0.as_ptr(), rounds, scratch.0.as_ptr(), 1, ptr::null_mut())
    })?;
    Ok(answer == 1)
}
