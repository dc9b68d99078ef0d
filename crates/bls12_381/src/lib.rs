//! BLS12-381: the scalar field [`Fr`], the groups [`G1`] and [`G2`], their pairing, the FFT over Fr and G1, and
//! multi-scalar multiplication, on any runtime.
//!
//! It must not know which runtime runs it, nor what its points are for. Field and group operations wrap `blst` in
//! [`mod@fr`], [`mod@g1`], [`mod@g2`] and [`pairing`]; transforms are in [`fft`] and [`reversed`], sums of multiples in
//! [`msm`]; a new decomposition is a variant of [`fft::Decomposition`].
#![doc = include_str!("../NOTES.md")]

mod affine;
mod arch;
mod decompress;
pub mod dispatch;
pub mod fft;
mod fp;
pub mod fr;
pub mod g1;
pub mod g2;
pub mod msm;
pub mod multiply;
pub mod pairing;
mod recode;
pub mod reversed;
pub mod scalar;

pub use decompress::{decompress, decompress_beside};
pub use fft::{Decomposition, Domain};
pub use fr::Fr;
pub use g1::{G1, G1Affine};
pub use g2::{G2, G2Affine};
pub use msm::FixedMsm;
pub use pairing::G2Prepared;
pub use parcrypt_cpu::Backend;
pub use reversed::ReversedDomain;

/// Why an input was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend is unknown, or does not run here.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// A field element that is not below the modulus r.
    #[error("the field element is not below the modulus")]
    NotCanonical,
    /// Bytes that are not a point of the curve.
    #[error("the bytes are not a point of the curve")]
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
    /// As many scalars as points are needed.
    #[error("{scalars} scalars for {points} points: there must be one for each")]
    Scalars {
        /// How many points there are.
        points: usize,
        /// How many scalars were given.
        scalars: usize,
    },
    /// Points that cannot be cut into so many groups of equal length.
    #[error("{points} points cannot be cut into {groups} groups of equal length")]
    Groups {
        /// How many points there are.
        points: usize,
        /// How many groups were asked for.
        groups: usize,
    },
    /// Bytes that are not what [`FixedMsm::to_bytes`] gives for these points on this backend.
    #[error("byte {offset}: no tables of these points on this backend have it")]
    NotTables {
        /// The first byte of the first thing that differs.
        offset: usize,
    },
    /// No decomposition has that name.
    #[error("unknown decomposition: it can be `halves`, `halves-and-butterflies` or `layers`")]
    UnknownDecomposition,
}
