//! [`Error`]: reasons why an input is refused.

/// Reason why an input is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The requested backend has no row, or this machine cannot run it.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// An encoded field element is not below the modulus r.
    #[error("the field element is not below the modulus")]
    NotCanonical,
    /// An encoded field element of a list is not below the modulus r.
    #[error("field element {index} is not below the modulus")]
    NotCanonicalAt {
        /// The index of the first one.
        index: usize,
    },
    /// A list of values has another length than the domain.
    #[error("{values} values: the domain has {points} points")]
    Values {
        /// The number of points.
        points: usize,
        /// The number of values.
        values: usize,
    },
    /// A coordinate of a point is not below the modulus p.
    #[error("a coordinate is not below the modulus of the base field")]
    Coordinate,
    /// Bytes are not a point of the curve.
    #[error("the bytes are not a point of the curve")]
    NotOnCurve,
    /// A point of the curve is outside the subgroup of order r.
    #[error("the point is not in the subgroup of order r")]
    NotInSubgroup,
    /// A transform is larger than the field has roots of unity for.
    #[error("scale {scale}: Fr has roots of unity up to scale 32")]
    Scale {
        /// The logarithm of the requested size.
        scale: u32,
    },
    /// The table of roots cannot be allocated.
    #[error("no memory for 2^{scale} roots of unity: they take {bytes} bytes")]
    Memory {
        /// The logarithm of the requested size.
        scale: u32,
        /// The size of the table.
        bytes: u64,
    },
    /// A list or a table that grows with the number of points cannot be allocated.
    #[error("no memory for a sum of points: a list takes {bytes} bytes")]
    Allocation {
        /// The size of the list.
        bytes: u64,
    },
    /// A length is not a power of two up to the domain's size.
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
    /// The numbers of scalars and of points differ.
    #[error("{scalars} scalars for {points} points: there must be one for each")]
    Scalars {
        /// The number of points.
        points: usize,
        /// The number of scalars.
        scalars: usize,
    },
    /// Points cannot be divided into this number of groups of equal length.
    #[error("{points} points cannot be cut into {groups} groups of equal length")]
    Groups {
        /// The number of points.
        points: usize,
        /// The requested number of groups.
        groups: usize,
    },
    /// The name of a decomposition is unknown.
    #[error("unknown decomposition: it can be `recursive`, `recursive-parallel-butterflies` or `iterative`")]
    UnknownDecomposition,
}
