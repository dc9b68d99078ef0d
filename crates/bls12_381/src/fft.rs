//! The fast Fourier transform over [`Fr`] and over [`G1`], by decimation in time (Cooley and Tukey, 1965).
//!
//! Input is gathered in bit-reversed order; then log₂ n levels of butterflies (a, b) → (a + ω^k·b, a − ω^k·b) follow.
//! A [`Decomposition`] says only in which order, and what of it may run at once: every one does the same operations on
//! the same operands, so the results are equal to the bit.

mod bit_reversed;
mod decomposition;
mod domain;
mod element;
pub mod reference;

pub use bit_reversed::BitReversedDomain;
pub use decomposition::Decomposition;
pub use domain::Domain;
pub use element::Element;
