//! The rings Z_q\[X\]/(X^n − 1) and Z_q\[X\]/(X^n + 1): the number-theoretic transform and products by it.
//!
//! ```
//! use parcrypt_cpu::Request;
//! use parcrypt_ntt::{Convolution, MlKem, Ring};
//!
//! // Any prime below 2^31 with enough roots of unity, on slices.
//! let ring = Ring::new(Request::Auto, 998_244_353, 4, Convolution::Cyclic)?;
//! let mut product = [0; 4];
//! ring.product(&[0, 0, 0, 1], &[0, 2, 0, 0], &mut product)?;
//! assert_eq!(product, [2, 0, 0, 0]);
//!
//! // The ring of ML-KEM, on arrays.
//! let ring = MlKem::new(Request::Auto)?;
//! let (mut a, mut product) = ([0; 256], [0; 256]);
//! a[200] = 1;
//! ring.product(&a, &a, &mut product)?;
//! assert_eq!(product[144], 3328);
//! # Ok::<(), parcrypt_ntt::Error>(())
//! ```
//!
//! [`Ring`] is for any ring; [`Small`], [`MlKem`] and [`MlDsa`] have kernels of their own, which `Ring` uses too. The
//! crate depends on `parcrypt-cpu` and `parcrypt-runtime` only. Add an instruction set as a file in `arch` and rows in
//! `dispatch`; the tests find it there. `docs/explanation/ntt.md` describes how it works, what limits its speed and
//! what was tried.

mod any;
mod arch;
mod costs;
mod dispatch;
mod matrix;
mod modulus;
mod ring;
pub mod schoolbook;
mod tuned;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub use matrix::{Form, Matrix, Vector};
pub use ring::Ring;
pub use tuned::{MlDsa, MlKem, Small, Tuned};

/// The value of X^n in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Convolution {
    /// X^n = 1: the product is the cyclic convolution of the coefficients.
    Cyclic,
    /// X^n = −1: the product is the negacyclic convolution.
    Negacyclic,
}

impl Convolution {
    /// Returns the exponent of the root of unity at slot `slot` of a transform with 2^`layers` slots, whose order is
    /// bit-reversed: slot i evaluates at ω^rev(i), or at ψ^(2 rev(i) + 1) if the convolution is negacyclic.
    const fn exponent(self, layers: u32, slot: usize) -> usize {
        debug_assert!(slot >> layers == 0);
        // A shift by the whole width, for a single slot, is not defined.
        let reversed = if layers == 0 { 0 } else { slot.reverse_bits() >> (usize::BITS - layers) };
        match self {
            Convolution::Cyclic => reversed,
            Convolution::Negacyclic => 2 * reversed + 1,
        }
    }
}

impl std::fmt::Display for Convolution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Convolution::Cyclic => "cyclic",
            Convolution::Negacyclic => "negacyclic",
        })
    }
}

/// The reason why a ring could not be made or an input was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The requested backend is not offered for this ring or not available.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// A modulus that is not below 2^31.
    #[error("the modulus {modulus} is not below 2^31")]
    ModulusTooLarge {
        /// The requested modulus.
        modulus: u32,
    },
    /// A modulus that is not a prime.
    #[error("the modulus {modulus} is not a prime")]
    NotPrime {
        /// The requested modulus.
        modulus: u32,
    },
    /// A length that is not a power of two, or too large.
    #[error("{n} coefficients: it must be a power of two up to {}", Ring::MAX_N)]
    Size {
        /// The requested length.
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
        /// The value of X^n.
        convolution: Convolution,
    },
    /// A slice of a wrong length.
    #[error("argument {operand} has {got} coefficients, not {expected}")]
    Length {
        /// Index of the slice, from 0 in the order of the arguments.
        operand: usize,
        /// Required length.
        expected: usize,
        /// Actual length.
        got: usize,
    },
    /// A matrix and a vector of different backends, which keep their polynomials in different orders.
    #[error("the matrix is of backend {matrix}, the vector of {vector}")]
    OtherBackend {
        /// Backend of the matrix.
        matrix: parcrypt_cpu::Backend,
        /// Backend of the vector.
        vector: parcrypt_cpu::Backend,
    },
    /// The system refused the memory for polynomials that are kept transformed.
    #[error("no memory for {polynomials} polynomials")]
    Memory {
        /// Number of polynomials.
        polynomials: usize,
    },
    /// A coefficient that is not below the modulus.
    #[error("coefficient {index} of argument {operand} is not below {modulus}")]
    NotReduced {
        /// Index of the slice, from 0 in the order of the arguments.
        operand: usize,
        /// Index of the first such coefficient; in a batch counted through all polynomials.
        index: usize,
        /// The modulus.
        modulus: u32,
    },
}
