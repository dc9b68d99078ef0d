//! The functions of EIP-4844 and EIP-7594 as methods of a context.

use std::fmt;

use parcrypt_kzg::{CellsAndProofs, Input, Settings};
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_shadow::{Kzg, Shadowed};

use crate::constants::{
    BYTES_PER_CELL, BYTES_PER_FIELD_ELEMENT, CELLS_PER_EXT_BLOB, EXPANSION_FACTOR, FIELD_ELEMENTS_PER_BLOB,
    FIELD_ELEMENTS_PER_EXT_BLOB,
};
use crate::errors::{RSError, SerializationError, eip4844, kzg_multi_open};
use crate::{
    BlobRef, Bytes48Ref, Cell, CellIndex, CellRef, Error, KZGCommitment, KZGProof, RecoveryError,
    SerializedScalar, TrustedSetup, UsePrecomp, VerifierError,
};

/// Number of cells that recovery needs.
const ENOUGH_CELLS: usize = CELLS_PER_EXT_BLOB / EXPANSION_FACTOR;

/// All cells of a blob and its extension, and the proof of each.
type All = ([Cell; CELLS_PER_EXT_BLOB], [KZGProof; CELLS_PER_EXT_BLOB]);

/// A trusted setup with its tables.
pub struct DASContext {
    kzg: Shadowed,
}

impl fmt::Debug for DASContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DASContext")
            .field("settings", &format_args!("{}", self.kzg.first().settings()))
            .field("threads", &self.kzg.first().runtime().threads())
            .finish()
    }
}

impl Default for DASContext {
    /// Returns mainnet's setup without tables.
    fn default() -> Self {
        DASContext::new(&TrustedSetup::default(), UsePrecomp::No)
    }
}

/// Returns what runs everything: the caller's thread, or with the feature `multithreaded` as many as there are.
fn runtime() -> Box<dyn Runtime> {
    #[cfg(feature = "multithreaded")]
    if let Ok(threads) = std::thread::available_parallelism()
        && let Ok(rayon) = parcrypt_runtime::Kind::Rayon.build(threads)
    {
        return rayon;
    }
    Box::new(Serial)
}

impl DASContext {
    /// Returns a context for a setup, with tables or without.
    ///
    /// # Panics
    /// If the tables cannot be built, and for an invalid value of `PARCRYPT_SHADOW`; the API has no error here.
    pub fn new(trusted_setup: &TrustedSetup, use_precomp: UsePrecomp) -> Self {
        let threads = runtime();
        let precompute = match use_precomp {
            // Above 8 the memory does not grow.
            UsePrecomp::Yes { width } => width.clamp(1, 8) as u64,
            UsePrecomp::No => 0,
        };
        let settings = Settings::clone(&trusted_setup.settings).with_precompute(&*threads, precompute);
        let kzg = settings.unwrap_or_else(|why| panic!("the tables cannot be built: {why}"));
        let kzg = Shadowed::from_environment(kzg).unwrap_or_else(|why| panic!("{why}"));
        kzg.first().set_runtime(threads);
        DASContext { kzg }
    }
}

/// # Blobs: EIP-4844
///
/// Methods return [`Error::EIP4844`] for a proof that does not verify, for bytes that are no field element or no point,
/// and for lists of different lengths; `blob_to_kzg_commitment` returns [`Error::Serialization`].
impl DASContext {
    /// Returns the commitment to a blob.
    pub fn blob_to_kzg_commitment(&self, blob: BlobRef) -> Result<KZGCommitment, Error> {
        let commitment = self.kzg.blob_to_kzg_commitment(blob);
        commitment.map_err(|why| Error::Serialization(unread(why, |_, _| blob)))
    }

    /// Returns the proof of the value of a blob's polynomial at z, and the value.
    pub fn compute_kzg_proof(
        &self,
        blob: BlobRef,
        z: SerializedScalar,
    ) -> Result<(KZGProof, SerializedScalar), Error> {
        let proof = self.kzg.compute_kzg_proof(blob, &z);
        proof.map_err(|why| blob_error(why, |what, _| if what == Input::Z { &z } else { blob }))
    }

    /// Returns the proof that a commitment is the commitment to a blob.
    pub fn compute_blob_kzg_proof(&self, blob: BlobRef, commitment: Bytes48Ref) -> Result<KZGProof, Error> {
        let proof = self.kzg.compute_blob_kzg_proof(blob, commitment);
        proof.map_err(|why| blob_error(why, |what, _| if what == Input::Blob { blob } else { commitment }))
    }

    /// Verifies that the polynomial of a commitment has the value y at z.
    pub fn verify_kzg_proof(
        &self,
        commitment: Bytes48Ref,
        z: SerializedScalar,
        y: SerializedScalar,
        proof: Bytes48Ref,
    ) -> Result<(), Error> {
        let verified = self.kzg.verify_kzg_proof(commitment, &z, &y, proof);
        blob_verified(verified, |what, _| match what {
            Input::Z => &z,
            Input::Y => &y,
            Input::Proof => proof,
            _ => commitment,
        })
    }

    /// Verifies that a commitment is the commitment to a blob.
    pub fn verify_blob_kzg_proof(
        &self,
        blob: BlobRef,
        commitment: Bytes48Ref,
        proof: Bytes48Ref,
    ) -> Result<(), Error> {
        self.verify_blob_kzg_proof_batch(vec![blob], vec![commitment], vec![proof])
    }

    /// Verifies that all commitments are the commitments to their blobs.
    pub fn verify_blob_kzg_proof_batch(
        &self,
        blobs: Vec<BlobRef>,
        commitments: Vec<Bytes48Ref>,
        proofs: Vec<Bytes48Ref>,
    ) -> Result<(), Error> {
        let (blobs_len, commitments_len, proofs_len) = (blobs.len(), commitments.len(), proofs.len());
        if blobs_len != commitments_len || blobs_len != proofs_len {
            let lengths = eip4844::VerifierError::BatchVerificationInputsMustHaveSameLength {
                blobs_len,
                commitments_len,
                proofs_len,
            };
            return Err(Error::EIP4844(eip4844::Error::Verifier(lengths)));
        }
        let (blobs, commitments, proofs) = (slices(&blobs), slices(&commitments), slices(&proofs));
        let verified = self.kzg.verify_blob_kzg_proof_batch(&blobs, &commitments, &proofs);
        blob_verified(verified, |what, index| match what {
            Input::Blob => blobs[index],
            Input::Proof => proofs[index],
            _ => commitments[index],
        })
    }
}

/// # Cells: EIP-7594
///
/// Methods return [`Error::Serialization`] for bytes that are no field element or no point. Recovery returns
/// [`Error::Recovery`] for fewer than 64 cells, other indices, and cells that lie on no polynomial of degree below
/// 4096; verification returns [`Error::Verifier`] for a proof that does not verify, lists of different lengths and an
/// index above 127.
impl DASContext {
    /// Returns the 128 cells of a blob and its extension.
    pub fn compute_cells(&self, blob: BlobRef) -> Result<[Cell; CELLS_PER_EXT_BLOB], Error> {
        let cells = self.kzg.compute_cells(blob);
        Ok(all_cells(&cells.map_err(|why| Error::Serialization(unread(why, |_, _| blob)))?))
    }

    /// Returns the 128 cells of a blob and its extension, and the proof of each.
    pub fn compute_cells_and_kzg_proofs(&self, blob: BlobRef) -> Result<All, Error> {
        let both = self.kzg.compute_cells_and_kzg_proofs(blob);
        Ok(all(&both.map_err(|why| Error::Serialization(unread(why, |_, _| blob)))?))
    }

    /// Returns all 128 cells and their proofs from at least 64 cells with rising indices.
    pub fn recover_cells_and_kzg_proofs(
        &self,
        cell_indices: Vec<CellIndex>,
        cells: Vec<CellRef>,
    ) -> Result<All, Error> {
        check_recovery(&cell_indices, cells.len()).map_err(Error::Recovery)?;
        let cells = slices(&cells);
        let both = self.kzg.recover_cells_and_kzg_proofs(&cell_indices, &cells);
        let both = both.map_err(|why| match why {
            parcrypt_kzg::Error::Inconsistent => {
                Error::Recovery(RecoveryError::ReedSolomon(RSError::PolynomialHasInvalidLength {
                    num_coefficients: FIELD_ELEMENTS_PER_EXT_BLOB,
                    expected_num_coefficients: FIELD_ELEMENTS_PER_BLOB,
                }))
            }
            why => Error::Serialization(unread(why, |_, index| cells[index])),
        });
        Ok(all(&both?))
    }

    /// Verifies that each cell belongs to its commitment at its index.
    pub fn verify_cell_kzg_proof_batch(
        &self,
        commitments: Vec<Bytes48Ref>,
        cell_indices: &[CellIndex],
        cells: Vec<CellRef>,
        proofs_bytes: Vec<Bytes48Ref>,
    ) -> Result<(), Error> {
        let lengths = [commitments.len(), cell_indices.len(), cells.len(), proofs_bytes.len()];
        let [commitment_indices_len, cell_indices_len, cells_len, proofs_len] = lengths;
        if lengths.iter().any(|length| *length != cells_len) {
            return Err(Error::Verifier(VerifierError::BatchVerificationInputsMustHaveSameLength {
                commitment_indices_len,
                cell_indices_len,
                cells_len,
                proofs_len,
            }));
        }
        if let Some(&cell_index) = cell_indices.iter().find(|index| **index >= CELLS_PER_EXT_BLOB as u64) {
            let max_number_of_cells = CELLS_PER_EXT_BLOB as u64;
            return Err(Error::Verifier(VerifierError::CellIndexOutOfRange {
                cell_index,
                max_number_of_cells,
            }));
        }
        let (commitments, cells, proofs) = (slices(&commitments), slices(&cells), slices(&proofs_bytes));
        let verified = self.kzg.verify_cell_kzg_proof_batch(&commitments, cell_indices, &cells, &proofs);
        match verified {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(Error::Verifier(VerifierError::FK20(kzg_multi_open::VerifierError::InvalidProof)))
            }
            Err(why) => Err(Error::Serialization(unread(why, |what, index| match what {
                Input::Cell => cells[index],
                Input::Proof => proofs[index],
                _ => commitments[index],
            }))),
        }
    }
}

fn check_recovery(cell_indices: &[CellIndex], num_cells: usize) -> Result<(), RecoveryError> {
    let num_cell_indices = cell_indices.len();
    if num_cell_indices != num_cells {
        return Err(RecoveryError::NumCellIndicesNotEqualToNumCells { num_cell_indices, num_cells });
    }
    let max_number_of_cells = CELLS_PER_EXT_BLOB as u64;
    if let Some(&cell_index) = cell_indices.iter().find(|index| **index >= max_number_of_cells) {
        return Err(RecoveryError::CellIndexOutOfRange { cell_index, max_number_of_cells });
    }
    if !cell_indices.is_sorted_by(|one, next| one < next) {
        return Err(RecoveryError::CellIndicesNotUniquelyOrdered);
    }
    if num_cells < ENOUGH_CELLS {
        return Err(RecoveryError::NotEnoughCellsToReconstruct {
            num_cells_received: num_cells,
            min_cells_needed: ENOUGH_CELLS,
        });
    }
    Ok(())
}

/// Returns the error of bytes that cannot be read; `bytes` returns those of an input.
fn unread<'a>(error: parcrypt_kzg::Error, bytes: impl Fn(Input, usize) -> &'a [u8]) -> SerializationError {
    match error {
        parcrypt_kzg::Error::NotCanonical { what, index, element } => {
            let elements = bytes(what, index).chunks(BYTES_PER_FIELD_ELEMENT);
            let bytes = elements.skip(element).take(1).flatten().copied().collect();
            SerializationError::CouldNotDeserializeScalar { bytes }
        }
        parcrypt_kzg::Error::Point { what, index, .. } => {
            SerializationError::CouldNotDeserializeG1Point { bytes: bytes(what, index).to_vec() }
        }
        // Only a lack of memory remains, for which the original has no error.
        _ => SerializationError::CouldNotDeserializeScalar { bytes: Vec::new() },
    }
}

fn blob_error<'a>(error: parcrypt_kzg::Error, bytes: impl Fn(Input, usize) -> &'a [u8]) -> Error {
    Error::EIP4844(eip4844::Error::Serialization(unread(error, bytes)))
}

fn blob_verified<'a>(
    verified: Result<bool, parcrypt_kzg::Error>,
    bytes: impl Fn(Input, usize) -> &'a [u8],
) -> Result<(), Error> {
    match verified {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::EIP4844(eip4844::Error::Verifier(eip4844::VerifierError::InvalidProof))),
        Err(why) => Err(blob_error(why, bytes)),
    }
}

fn slices<'a, const N: usize>(arrays: &[&'a [u8; N]]) -> Vec<&'a [u8]> {
    arrays.iter().map(|array| array.as_slice()).collect()
}

fn all_cells(cells: &[[u8; BYTES_PER_CELL]]) -> [Cell; CELLS_PER_EXT_BLOB] {
    std::array::from_fn(|index| Box::new(cells[index]))
}

fn all(both: &CellsAndProofs) -> All {
    (all_cells(&both.cells), std::array::from_fn(|index| both.proofs[index]))
}
