//! The original rust_eth_kzg as a [`Kzg`] (feature `original`).
//!
//! Cargo has one package of a name among compatible versions, and an entry `[patch.crates-io]` replaces it everywhere.
//! So the original is version 0.9.1, which 0.10.0 does not replace. It shares blst with Parcrypt, one copy of it.

use original_library::{DASContext, Error, TrustedSetup, UsePrecomp};
use parcrypt_kzg::{Error as KzgError, Request, Settings};

use crate::{Cell, CellsAndProofs, Commitment, FieldBytes, Kzg, Proof};

/// The original library with mainnet's setup.
pub struct Original(DASContext);

impl Original {
    /// Returns the original for settings of mainnet's setup.
    ///
    /// # Errors
    /// [`KzgError::OtherSetup`] for another setup.
    pub fn from_setup_of(settings: &Settings) -> Result<Self, KzgError> {
        if settings.digest() != Settings::mainnet(Request::Auto)?.digest() {
            return Err(KzgError::OtherSetup);
        }
        Ok(Original(DASContext::new(&TrustedSetup::default(), UsePrecomp::No)))
    }
}

/// Returns the bytes as an array; `None` for another length, which the original's types do not allow.
fn array<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], Option<Error>> {
    bytes.try_into().map_err(|_| None)
}

fn arrays<'a, const N: usize>(list: &[&'a [u8]]) -> Result<Vec<&'a [u8; N]>, Option<Error>> {
    list.iter().map(|bytes| array(bytes)).collect()
}

fn verdict(result: Result<(), Error>) -> Result<bool, Option<Error>> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.is_proof_invalid() => Ok(false),
        Err(error) => Err(Some(error)),
    }
}

fn both((cells, proofs): ([Box<Cell>; 128], [Proof; 128])) -> CellsAndProofs {
    CellsAndProofs { cells: cells.into_iter().map(|cell| *cell).collect(), proofs: proofs.to_vec() }
}

impl Kzg for Original {
    type Error = Option<Error>;

    fn name(&self) -> String {
        "rust_eth_kzg 0.9.1".to_owned()
    }

    fn blob_to_kzg_commitment(&self, blob: &[u8]) -> Result<Commitment, Self::Error> {
        Ok(self.0.blob_to_kzg_commitment(array(blob)?)?)
    }

    fn compute_kzg_proof(&self, blob: &[u8], z: &[u8]) -> Result<(Proof, FieldBytes), Self::Error> {
        Ok(self.0.compute_kzg_proof(array(blob)?, *array(z)?)?)
    }

    fn compute_blob_kzg_proof(&self, blob: &[u8], commitment: &[u8]) -> Result<Proof, Self::Error> {
        Ok(self.0.compute_blob_kzg_proof(array(blob)?, array(commitment)?)?)
    }

    fn verify_kzg_proof(
        &self,
        commitment: &[u8],
        z: &[u8],
        y: &[u8],
        proof: &[u8],
    ) -> Result<bool, Self::Error> {
        let (z, y) = (*array(z)?, *array(y)?);
        verdict(self.0.verify_kzg_proof(array(commitment)?, z, y, array(proof)?))
    }

    fn verify_blob_kzg_proof_batch(
        &self,
        blobs: &[&[u8]],
        commitments: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, Self::Error> {
        let (blobs, commitments, proofs) = (arrays(blobs)?, arrays(commitments)?, arrays(proofs)?);
        verdict(self.0.verify_blob_kzg_proof_batch(blobs, commitments, proofs))
    }

    fn compute_cells(&self, blob: &[u8]) -> Result<Vec<Cell>, Self::Error> {
        Ok(self.0.compute_cells(array(blob)?)?.into_iter().map(|cell| *cell).collect())
    }

    fn compute_cells_and_kzg_proofs(&self, blob: &[u8]) -> Result<CellsAndProofs, Self::Error> {
        Ok(both(self.0.compute_cells_and_kzg_proofs(array(blob)?)?))
    }

    fn recover_cells_and_kzg_proofs(
        &self,
        cell_indices: &[u64],
        cells: &[&[u8]],
    ) -> Result<CellsAndProofs, Self::Error> {
        Ok(both(self.0.recover_cells_and_kzg_proofs(cell_indices.to_vec(), arrays(cells)?)?))
    }

    fn verify_cell_kzg_proof_batch(
        &self,
        commitments: &[&[u8]],
        cell_indices: &[u64],
        cells: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, Self::Error> {
        let (commitments, cells, proofs) = (arrays(commitments)?, arrays(cells)?, arrays(proofs)?);
        verdict(self.0.verify_cell_kzg_proof_batch(commitments, cell_indices, cells, proofs))
    }
}
