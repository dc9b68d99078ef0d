//! Why an input was not taken.

use std::fmt;

/// Which input of a function is meant.
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
    /// The index of a commitment.
    CommitmentIndex,
    /// A proof, a point of G1.
    Proof,
    /// The place z where a polynomial is opened.
    Z,
    /// The value y that a polynomial is said to have.
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
            Input::CommitmentIndex => "commitment index",
            Input::Proof => "proof",
            Input::Z => "z",
            Input::Y => "y",
            Input::Secret => "secret",
        })
    }
}

/// Why a call refused its input. `index` counts from 0 in a list and is 0 where there is one such input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Bytes of the wrong length.
    #[error("{what} {index}: {got} bytes, it must have {expected}")]
    Length {
        /// Which input.
        what: Input,
        /// Which of them.
        index: usize,
        /// The length that it must have.
        expected: usize,
        /// The length that it has.
        got: usize,
    },
    /// A field element that is not below the modulus.
    #[error("{what} {index}: field element {element} is not below the modulus")]
    NotCanonical {
        /// Which input.
        what: Input,
        /// Which of them.
        index: usize,
        /// Which of its field elements.
        element: usize,
    },
    /// Bytes that are not a point of the group.
    #[error("{what} {index}: {why}")]
    Point {
        /// Which input.
        what: Input,
        /// Which of them.
        index: usize,
        /// What is wrong with it.
        #[source]
        why: parcrypt_bls12_381::Error,
    },
    /// Lists that belong together differ in length, or a list has not the length that it must have.
    #[error("{what}: {got} were given, there must be {expected}")]
    Count {
        /// Which list.
        what: Input,
        /// How many elements it must have.
        expected: usize,
        /// How many it has.
        got: usize,
    },
    /// The index of a cell that no blob has.
    #[error("cell index {index} is {cell_index}: it must be below 128")]
    CellIndex {
        /// Where in the list of indices.
        index: usize,
        /// The index of the cell.
        cell_index: u64,
    },
    /// Indices of cells that do not rise: out of order, or twice the same.
    #[error("cell index {index} is {cell_index} and comes after {before}: the indices must rise")]
    CellOrder {
        /// Where in the list of indices.
        index: usize,
        /// The index of the cell.
        cell_index: u64,
        /// The index before it.
        before: u64,
    },
    /// Fewer cells than a polynomial can be recovered from.
    #[error("{got} cells: recovery takes at least 64 of the 128")]
    TooFewCells {
        /// How many were given.
        got: usize,
    },
    /// Cells of which some must be wrong.
    #[error("the cells do not lie on one polynomial of degree below 4096")]
    Inconsistent,
    /// The index of a commitment that was not given.
    #[error("commitment index {index} is {commitment_index}: {commitments} commitments were given")]
    CommitmentIndex {
        /// Where in the list of indices.
        index: usize,
        /// The index of the commitment.
        commitment_index: u64,
        /// How many commitments there are.
        commitments: usize,
    },
    /// A trusted setup or a file of tables that was not taken.
    #[error(transparent)]
    Setup(#[from] crate::SetupError),
    /// Arithmetic that could not be set up.
    #[error(transparent)]
    Arithmetic(#[from] parcrypt_bls12_381::Error),
}
