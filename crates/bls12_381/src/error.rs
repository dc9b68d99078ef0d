//! [`Error`]: why an input was refused.

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
    /// Bytes that are not what [`FixedMsm::to_bytes`](crate::FixedMsm::to_bytes) gives for these points on this backend.
    #[error("byte {offset}: no tables of these points on this backend have it")]
    NotTables {
        /// The first byte of the first thing that differs.
        offset: usize,
    },
    /// No decomposition has that name.
    #[error("unknown decomposition: it can be `recursive`, `recursive-parallel-butterflies` or `iterative`")]
    UnknownDecomposition,
}
