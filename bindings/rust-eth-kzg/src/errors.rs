//! Errors, with the names of rust_eth_kzg. Those that it takes from other crates are modules here.
#![expect(missing_docs, reason = "the fields have the names of rust_eth_kzg")]

use crate::CellIndex;

/// Error of this crate.
#[derive(Debug)]
pub enum Error {
    /// Error of proving; does not occur.
    Prover(ProverError),
    /// Error of the verification of cells.
    Verifier(VerifierError),
    /// Error of recovery.
    Recovery(RecoveryError),
    /// Bytes that are no field element or no point.
    Serialization(SerializationError),
    /// Error of a function of EIP-4844.
    EIP4844(eip4844::Error),
}

/// Defines the conversions of an error into the one that holds it.
macro_rules! from {
    ($($inner:ty => $outer:ident::$variant:ident)+) => {$(
        impl From<$inner> for $outer {
            fn from(error: $inner) -> Self {
                $outer::$variant(error)
            }
        }
    )+};
}

from! {
    ProverError => Error::Prover
    VerifierError => Error::Verifier
    RecoveryError => Error::Recovery
    SerializationError => Error::Serialization
    eip4844::Error => Error::EIP4844
    RecoveryError => ProverError::RecoveryFailure
    RSError => RecoveryError::ReedSolomon
    kzg_multi_open::VerifierError => VerifierError::FK20
}

impl From<RSError> for Error {
    fn from(error: RSError) -> Self {
        Error::Recovery(error.into())
    }
}

impl Error {
    /// Returns whether everything was well-formed and a proof did not verify.
    pub const fn is_proof_invalid(&self) -> bool {
        matches!(
            self,
            Self::Verifier(VerifierError::FK20(_))
                | Self::EIP4844(eip4844::Error::Verifier(eip4844::VerifierError::InvalidProof))
        )
    }
}

/// Bytes that are no field element or no point.
#[derive(Debug)]
pub enum SerializationError {
    /// A field element that is not below the modulus.
    CouldNotDeserializeScalar { bytes: Vec<u8> },
    /// Bytes that are no point of G1.
    CouldNotDeserializeG1Point { bytes: Vec<u8> },
    /// A field element of another length; does not occur.
    ScalarHasInvalidLength { bytes: Vec<u8>, length: usize },
    /// A blob of another length; does not occur.
    BlobHasInvalidLength { bytes: Vec<u8>, length: usize },
    /// A point of another length; does not occur.
    G1PointHasInvalidLength { bytes: Vec<u8>, length: usize },
}

/// Error of proving.
#[derive(Debug)]
pub enum ProverError {
    /// Error of recovery.
    RecoveryFailure(RecoveryError),
}

/// Error of recovery.
#[derive(Debug)]
pub enum RecoveryError {
    /// Fewer than 64 cells.
    NotEnoughCellsToReconstruct { num_cells_received: usize, min_cells_needed: usize },
    /// Lists of different lengths.
    NumCellIndicesNotEqualToNumCells { num_cell_indices: usize, num_cells: usize },
    /// More than 128 cells; does not occur, because their indices would not rise.
    TooManyCellsReceived { num_cells_received: usize, max_cells_needed: usize },
    /// An index above 127.
    CellIndexOutOfRange { cell_index: CellIndex, max_number_of_cells: u64 },
    /// Indices that do not rise.
    CellIndicesNotUniquelyOrdered,
    /// Cells that lie on no polynomial of degree below 4096.
    ReedSolomon(RSError),
}

/// Error of decoding.
#[derive(Debug)]
pub enum RSError {
    /// A polynomial of too high a degree; does not occur.
    PolynomialHasTooManyCoefficients { num_coefficients: usize, max_num_coefficients: usize },
    /// The polynomial through the cells has too high a degree.
    PolynomialHasInvalidLength { num_coefficients: usize, expected_num_coefficients: usize },
    /// More missing cells than can be recovered; does not occur.
    TooManyBlockErasures { num_block_erasures: usize, max_num_block_erasures_accepted: usize },
    /// An index that is too large; does not occur.
    InvalidBlockIndex { block_index: usize, block_size: usize },
}

/// Error of the verification of cells.
#[derive(Debug)]
pub enum VerifierError {
    /// An index above 127.
    CellIndexOutOfRange { cell_index: CellIndex, max_number_of_cells: u64 },
    /// An index of a commitment; does not occur.
    InvalidCommitmentIndex { commitment_index: u64, max_number_of_commitments: u64 },
    /// Does not occur: [`VerifierError::FK20`] does.
    InvalidProof,
    /// Lists of different lengths.
    BatchVerificationInputsMustHaveSameLength {
        commitment_indices_len: usize,
        cell_indices_len: usize,
        cells_len: usize,
        proofs_len: usize,
    },
    /// A cell does not belong to its commitment at its index.
    FK20(kzg_multi_open::VerifierError),
    /// A polynomial of another length; does not occur.
    PolynomialHasInvalidLength { num_coefficients: usize, expected_num_coefficients: usize },
}

/// Errors of rust_eth_kzg's crate of this name.
pub(crate) mod kzg_multi_open {
    /// Outcome of a verification.
    #[derive(Debug)]
    pub enum VerifierError {
        /// A proof does not verify.
        InvalidProof,
    }
}

/// Errors of rust_eth_kzg's crate of this name.
pub(crate) mod eip4844 {
    /// Error of a function of EIP-4844.
    #[derive(Debug)]
    pub enum Error {
        /// Error of verification.
        Verifier(VerifierError),
        /// Bytes that are no field element or no point.
        Serialization(super::SerializationError),
    }

    from! {
        VerifierError => Error::Verifier
        super::SerializationError => Error::Serialization
    }

    /// Error of verification.
    #[derive(Debug)]
    pub enum VerifierError {
        /// A proof does not verify.
        InvalidProof,
        /// Lists of different lengths.
        BatchVerificationInputsMustHaveSameLength {
            blobs_len: usize,
            commitments_len: usize,
            proofs_len: usize,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_convert_into_those_that_hold_them() {
        let same = |error: Error, text: &str| assert_eq!(format!("{error:?}"), text);
        let decoding = || RSError::InvalidBlockIndex { block_index: 1, block_size: 2 };
        let held = "ReedSolomon(InvalidBlockIndex { block_index: 1, block_size: 2 })";
        same(decoding().into(), &format!("Recovery({held})"));
        same(RecoveryError::from(decoding()).into(), &format!("Recovery({held})"));
        let prover = ProverError::from(RecoveryError::from(decoding()));
        same(prover.into(), &format!("Prover(RecoveryFailure({held}))"));
        let verifier = VerifierError::from(kzg_multi_open::VerifierError::InvalidProof);
        same(verifier.into(), "Verifier(FK20(InvalidProof))");
        let bytes = || SerializationError::CouldNotDeserializeScalar { bytes: vec![7] };
        let held = "Serialization(CouldNotDeserializeScalar { bytes: [7] })";
        same(bytes().into(), held);
        same(eip4844::Error::from(bytes()).into(), &format!("EIP4844({held})"));
        let verifier = eip4844::Error::from(eip4844::VerifierError::InvalidProof);
        same(verifier.into(), "EIP4844(Verifier(InvalidProof))");
    }
}
