//! The fast Fourier transform over [`Fr`](crate::Fr) and over [`G1`](crate::G1), by decimation in time (Cooley and
//! Tukey, 1965).
//!
//! A transform of n elements is n/2·log₂ n butterflies, n/2·log₂ n − (n − 1) of them with a multiplication.
//!
//! Input is gathered in bit-reversed order; then log₂ n levels of butterflies (a, b) → (a + ω^k·b, a − ω^k·b) follow.
//! A [`Decomposition`] determines their order and which of them may run at once; each does the same operations on the
//! same operands, so the results are equal to the bit. [`BitReversedDomain`] transforms without a permutation, for
//! blobs and cells.

mod bit_reversed;
#[cfg(feature = "compute")]
mod decomposition;
#[cfg(feature = "compute")]
mod domain;
#[cfg(feature = "compute")]
mod element;
#[cfg(feature = "compute")]
mod quotient;

pub use bit_reversed::BitReversedDomain;
#[cfg(feature = "compute")]
pub use {decomposition::Decomposition, domain::Domain, element::Element};
