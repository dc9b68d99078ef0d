//! Errors of the functions of EIP-4844 and EIP-7594.

use std::fmt;

/// Kind of input that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// A blob: 4096 field elements.
    Blob,
    /// A cell: 64 field elements.
    Cell,
    /// The index of a cell.
    CellIndex,
    /// A commitment, a point of G1.
    Commitment,
    /// A proof, a point of G1.
    Proof,
    /// The evaluation point z.
    Z,
    /// The claimed value y.
    Y,
    /// The secret of an insecure setup.
    Secret,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Input::Blob => "blob",
            Input::Cell => "cell",
            Input::CellIndex => "cell index",
            Input::Commitment => "commitment",
            Input::Proof => "proof",
            Input::Z => "z",
            Input::Y => "y",
            Input::Secret => "secret",
        })
    }
}

/// Reason why a call refused its input. `index` counts from 0 in a list and is 0 for a single input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Bytes of the wrong length.
    Length {
        /// Kind of input.
        what: Input,
        /// Its index.
        index: usize,
        /// Required length in bytes.
        expected: usize,
        /// Actual length in bytes.
        got: usize,
    },
    /// A field element that is not below the modulus.
    NotCanonical {
        /// Kind of input.
        what: Input,
        /// Its index.
        index: usize,
        /// Index of the field element in it.
        element: usize,
    },
    /// Bytes that are not a point of the group.
    Point {
        /// Kind of input.
        what: Input,
        /// Its index.
        index: usize,
        /// Error of the bytes.
        why: parcrypt_bls12_381::Error,
    },
    /// A list with another length than required.
    Count {
        /// Kind of its elements.
        what: Input,
        /// Required number of elements.
        expected: usize,
        /// Actual number of elements.
        got: usize,
    },
    /// The index of a cell is out of range.
    CellIndex {
        /// Position in the list of indices.
        index: usize,
        /// The index of the cell.
        cell_index: u64,
    },
    /// Indices of cells are not in rising order.
    CellOrder {
        /// Position in the list of indices.
        index: usize,
        /// The index of the cell.
        cell_index: u64,
        /// The index before it.
        before: u64,
    },
    /// Fewer cells than recovery needs.
    TooFewCells {
        /// Number of cells.
        got: usize,
    },
    /// The cells do not lie on one polynomial.
    Inconsistent,
    /// The index of a commitment is out of range.
    CommitmentIndex {
        /// Position in the list of indices.
        index: usize,
        /// The index of the commitment.
        commitment_index: u64,
        /// Number of commitments.
        commitments: usize,
    },
    /// A [`CellVerifier`](crate::CellVerifier) was made with another setup.
    OtherSetup,
    /// A `precompute`, c-kzg's number for the size of tables, above 15.
    Precompute {
        /// The number.
        found: u64,
    },
    /// A trusted setup was refused.
    Setup(crate::SetupError),
    /// An error of the arithmetic.
    Arithmetic(parcrypt_bls12_381::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Length { what, index, expected, got } => {
                write!(f, "{what} {index}: {got} bytes, it must have {expected}")
            }
            Error::NotCanonical { what, index, element } => {
                write!(f, "{what} {index}: field element {element} is not below the modulus")
            }
            Error::Point { what, index, why } => write!(f, "{what} {index}: {why}"),
            Error::Count { what, expected, got } => {
                write!(f, "{what}: {got} were given, there must be {expected}")
            }
            Error::CellIndex { index, cell_index } => {
                write!(f, "cell index {index} is {cell_index}: it must be below 128")
            }
            Error::CellOrder { index, cell_index, before } => write!(
                f,
                "cell index {index} is {cell_index} and comes after {before}: the indices must rise"
            ),
            Error::TooFewCells { got } => write!(f, "{got} cells: recovery takes at least 64 of the 128"),
            Error::Inconsistent => f.write_str("the cells do not lie on one polynomial of degree below 4096"),
            Error::CommitmentIndex { index, commitment_index, commitments } => write!(
                f,
                "commitment index {index} is {commitment_index}: {commitments} commitments were given"
            ),
            Error::OtherSetup => {
                f.write_str("the settings have another trusted setup than those with which it was made")
            }
            Error::Precompute { found } => write!(f, "precompute is {found}: it must be from 0 to 15"),
            Error::Setup(why) => why.fmt(f),
            Error::Arithmetic(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Point { why, .. } => Some(why),
            Error::Setup(why) => why.source(),
            Error::Arithmetic(why) => why.source(),
            _ => None,
        }
    }
}

impl From<crate::SetupError> for Error {
    fn from(why: crate::SetupError) -> Self {
        Error::Setup(why)
    }
}

impl From<parcrypt_bls12_381::Error> for Error {
    fn from(why: parcrypt_bls12_381::Error) -> Self {
        Error::Arithmetic(why)
    }
}
