//! [`Error`]: reasons why an input is refused.

use std::fmt;

/// Reason why an input is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The requested backend has no row, or this machine cannot run it.
    Backend(parcrypt_cpu::Error),
    /// An encoded field element is not below the modulus r.
    NotCanonical,
    /// An encoded field element of a list is not below the modulus r.
    NotCanonicalAt {
        /// The index of the first one.
        index: usize,
    },
    /// A list of values has another length than the domain.
    Values {
        /// The number of points.
        points: usize,
        /// The number of values.
        values: usize,
    },
    /// A coordinate of a point is not below the modulus p.
    Coordinate,
    /// Bytes are not a point of the curve.
    NotOnCurve,
    /// A point of the curve is outside the subgroup of order r.
    NotInSubgroup,
    /// A transform is larger than the field has roots of unity for.
    Scale {
        /// The logarithm of the requested size.
        scale: u32,
    },
    /// The table of roots cannot be allocated.
    Memory {
        /// The logarithm of the requested size.
        scale: u32,
        /// The size of the table.
        bytes: u64,
    },
    /// A list or a table that grows with the number of points cannot be allocated.
    Allocation {
        /// The size of the list.
        bytes: u64,
    },
    /// A length is not a power of two up to the domain's size.
    Length {
        /// The length of the input.
        len: usize,
        /// The domain's size.
        most: usize,
    },
    /// Input and output differ in length.
    OutputLength {
        /// The length of the input.
        input: usize,
        /// The length of the output.
        output: usize,
    },
    /// The numbers of scalars and of points differ.
    Scalars {
        /// The number of points.
        points: usize,
        /// The number of scalars.
        scalars: usize,
    },
    /// Points cannot be divided into this number of groups of equal length.
    Groups {
        /// The number of points.
        points: usize,
        /// The requested number of groups.
        groups: usize,
    },
    /// The name of a decomposition is unknown.
    UnknownDecomposition,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Backend(why) => why.fmt(f),
            Error::NotCanonical => f.write_str("the field element is not below the modulus"),
            Error::NotCanonicalAt { index } => write!(f, "field element {index} is not below the modulus"),
            Error::Values { points, values } => write!(f, "{values} values: the domain has {points} points"),
            Error::Coordinate => f.write_str("a coordinate is not below the modulus of the base field"),
            Error::NotOnCurve => f.write_str("the bytes are not a point of the curve"),
            Error::NotInSubgroup => f.write_str("the point is not in the subgroup of order r"),
            Error::Scale { scale } => write!(f, "scale {scale}: Fr has roots of unity up to scale 32"),
            Error::Memory { scale, bytes } => write!(f, "no memory for 2^{scale} roots of unity: they take {bytes} bytes"),
            Error::Allocation { bytes } => write!(f, "no memory for a sum of points: a list takes {bytes} bytes"),
            Error::Length { len, most } => write!(f, "length {len}: it must be a power of two up to the domain's size, {most}"),
            Error::OutputLength { input, output } => write!(f, "the output has room for {output} elements, the input has {input}"),
            Error::Scalars { points, scalars } => write!(f, "{scalars} scalars for {points} points: there must be one for each"),
            Error::Groups { points, groups } => write!(f, "{points} points cannot be cut into {groups} groups of equal length"),
            Error::UnknownDecomposition => f.write_str("unknown decomposition: it can be `recursive`, `recursive-parallel-butterflies` or `iterative`"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Backend(why) => why.source(),
            _ => None,
        }
    }
}

impl From<parcrypt_cpu::Error> for Error {
    fn from(why: parcrypt_cpu::Error) -> Self {
        Error::Backend(why)
    }
}
