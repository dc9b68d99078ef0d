//! `parcrypt-kzg` as a [`Kzg`].

use std::sync::{Arc, OnceLock};

use parcrypt_kzg as kzg;
use parcrypt_kzg::{CellsAndProofs, Commitment, Error, FieldBytes, Proof, Request, Settings};
use parcrypt_runtime::{Runtime, Serial};

use crate::Kzg;
use crate::shadow::hex;

/// Parcrypt's settings, and the runtime that computes with them: the caller's thread unless another one is set.
pub struct Parcrypt {
    settings: Arc<Settings>,
    runtime: OnceLock<Box<dyn Runtime>>,
}

impl Parcrypt {
    /// Returns settings, with which the caller's thread computes.
    pub fn new(settings: impl Into<Arc<Settings>>) -> Self {
        Parcrypt { settings: settings.into(), runtime: OnceLock::new() }
    }

    /// Returns other settings of the same setup, with the first backend of each table and without tables of points: the
    /// least code that computes the answers.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if they cannot be made.
    pub fn from_setup_of(settings: &Settings) -> Result<Self, Error> {
        Ok(Parcrypt::new(settings.with_backends(Request::Baseline)?))
    }

    /// Computes with this runtime from now on. Returns whether it does: `false` if one was set before.
    pub fn set_runtime(&self, runtime: Box<dyn Runtime>) -> bool {
        self.runtime.set(runtime).is_ok()
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Returns the runtime.
    pub fn runtime(&self) -> &dyn Runtime {
        self.runtime.get().map_or(&Serial, |runtime| &**runtime)
    }
}

impl Kzg for Parcrypt {
    type Error = Error;

    fn name(&self) -> String {
        let rows = self.settings.backends().map(|(table, row)| format!("{table}={row}")).join(",");
        format!("{rows} with setup {}", hex(&self.settings.digest()))
    }

    fn blob_to_kzg_commitment(&self, blob: &[u8]) -> Result<Commitment, Error> {
        kzg::blob_to_kzg_commitment(self.runtime(), &self.settings, blob)
    }

    fn compute_kzg_proof(&self, blob: &[u8], z: &[u8]) -> Result<(Proof, FieldBytes), Error> {
        kzg::compute_kzg_proof(self.runtime(), &self.settings, blob, z)
    }

    fn compute_blob_kzg_proof(&self, blob: &[u8], commitment: &[u8]) -> Result<Proof, Error> {
        kzg::compute_blob_kzg_proof(self.runtime(), &self.settings, blob, commitment)
    }

    fn verify_kzg_proof(&self, commitment: &[u8], z: &[u8], y: &[u8], proof: &[u8]) -> Result<bool, Error> {
        kzg::verify_kzg_proof(self.runtime(), &self.settings, commitment, z, y, proof)
    }

    fn verify_blob_kzg_proof_batch(
        &self,
        blobs: &[&[u8]],
        commitments: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, Error> {
        kzg::verify_blob_kzg_proof_batch(self.runtime(), &self.settings, blobs, commitments, proofs)
    }

    fn compute_cells(&self, blob: &[u8]) -> Result<Vec<kzg::Cell>, Error> {
        kzg::compute_cells(self.runtime(), &self.settings, blob)
    }

    fn compute_cells_and_kzg_proofs(&self, blob: &[u8]) -> Result<CellsAndProofs, Error> {
        kzg::compute_cells_and_kzg_proofs(self.runtime(), &self.settings, blob)
    }

    fn recover_cells_and_kzg_proofs(
        &self,
        cell_indices: &[u64],
        cells: &[&[u8]],
    ) -> Result<CellsAndProofs, Error> {
        kzg::recover_cells_and_kzg_proofs(self.runtime(), &self.settings, cell_indices, cells)
    }

    fn verify_cell_kzg_proof_batch(
        &self,
        commitments: &[&[u8]],
        cell_indices: &[u64],
        cells: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, Error> {
        let rt = self.runtime();
        kzg::verify_cell_kzg_proof_batch(rt, &self.settings, commitments, cell_indices, cells, proofs)
    }
}
