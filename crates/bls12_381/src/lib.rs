//! BLS12-381: the scalar field [`Fr`], the group [`G1`], and the FFT over both on any runtime.
//!
//! It must not know which runtime runs it, nor what its points are for. Field and group operations wrap `blst` in
//! [`mod@fr`] and [`mod@g1`]; transforms are in [`fft`]; a new decomposition is a variant of [`fft::Decomposition`].
#![doc = include_str!("../NOTES.md")]

pub mod fft;
pub mod fr;
pub mod g1;
pub mod scalar;

pub use fft::{Decomposition, Domain};
pub use fr::Fr;
pub use g1::G1;

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Why an input was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A field element that is not below the modulus r.
    #[error("the field element is not below the modulus")]
    NotCanonical,
    /// Bytes that are not the compressed form of a point of the curve.
    #[error("the bytes are not a compressed point of the curve")]
    NotOnCurve,
    /// A point of the curve outside the subgroup of order r.
    #[error("the point is not in the subgroup of order r")]
    NotInSubgroup,
    /// More than the field has roots for.
    #[error("scale {scale}: Fr has roots of unity up to scale 32")]
    Scale {
        /// The logarithm of the size that was asked for.
        scale: u32,
    },
    /// No memory for the table of roots.
    #[error("no memory for 2^{scale} roots of unity: they take {bytes} bytes")]
    Memory {
        /// The logarithm of the size that was asked for.
        scale: u32,
        /// What the table takes.
        bytes: u64,
    },
    /// A length that is not a power of two up to the domain's size.
    #[error("length {len}: it must be a power of two up to the domain's size, {most}")]
    Length {
        /// The length of the input.
        len: usize,
        /// The domain's size.
        most: usize,
    },
    /// Input and output differ in length.
    #[error("the output has room for {output} elements, the input has {input}")]
    OutputLength {
        /// The length of the input.
        input: usize,
        /// The length of the output.
        output: usize,
    },
    /// No decomposition has that name.
    #[error("unknown decomposition: it can be `halves`, `halves-and-butterflies` or `layers`")]
    UnknownDecomposition,
}
