//! The rings Z_q\[X\]/(X^n − 1) and Z_q\[X\]/(X^n + 1): the number-theoretic transform and products by it.
//!
//! It must not know which runtime runs it, nor what its polynomials are for. [`Ring`] is any ring; [`Small`],
//! [`MlKem`] and [`MlDsa`] are three rings with kernels of their own, which `Ring` uses too. Add an instruction set as a file
//! in `arch` and rows in `dispatch`; the tests find it there.
//!
//! `docs/explanation/ntt.md` describes how it works, what limits its speed and what was tried.

mod arch;
mod dispatch;
mod modulus;
mod ring;
pub mod scalar;
mod tuned;

pub use ring::Ring;
pub use tuned::{MlDsa, MlKem, Small, Tuned};

/// What X^n is in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Convolution {
    /// X^n = 1: the product is the cyclic convolution of the coefficients.
    Cyclic,
    /// X^n = −1: the product is the negacyclic convolution.
    Negacyclic,
}

impl std::fmt::Display for Convolution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Convolution::Cyclic => "cyclic",
            Convolution::Negacyclic => "negacyclic",
        })
    }
}

/// Why there is no such ring, or why an input was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend is unknown, or does not run here, or this ring has no kernels for it.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// A modulus that is not below 2^31.
    #[error("the modulus {modulus} is not below 2^31")]
    ModulusTooLarge {
        /// The modulus that was asked for.
        modulus: u32,
    },
    /// A modulus that is no prime.
    #[error("the modulus {modulus} is not a prime")]
    NotPrime {
        /// The modulus that was asked for.
        modulus: u32,
    },
    /// A length that is no power of two, or too large.
    #[error("{n} coefficients: it must be a power of two up to {}", Ring::LONGEST)]
    Size {
        /// The length that was asked for.
        n: usize,
    },
    /// The field lacks roots of unity for more than the last layer.
    #[error(
        "the field of {modulus} elements lacks the roots of unity for a {convolution} transform of {n} coefficients"
    )]
    NoRoots {
        /// The modulus.
        modulus: u32,
        /// The number of coefficients.
        n: usize,
        /// What X^n would be.
        convolution: Convolution,
    },
    /// A slice that has not the length it must have.
    #[error("argument {operand} has {got} coefficients, not {expected}")]
    Length {
        /// Which slice, counted from 0 in the order of the arguments.
        operand: usize,
        /// The length that it must have.
        expected: usize,
        /// The length that it has.
        got: usize,
    },
    /// A coefficient that is not below the modulus.
    #[error("coefficient {index} of argument {operand} is not below {modulus}")]
    NotReduced {
        /// Which slice, counted from 0 in the order of the arguments.
        operand: usize,
        /// The first such coefficient; in a batch counted through all polynomials.
        index: usize,
        /// The modulus.
        modulus: u32,
    },
}
