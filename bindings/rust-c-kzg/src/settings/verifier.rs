//! The functions that verify, without those that compute.

use parcrypt_kzg::{Error, Request, Settings};
use parcrypt_runtime::Serial;

use super::refused;
use crate::KzgSettings;

/// Mainnet's settings.
pub(super) struct Verifier(Settings);

impl KzgSettings {
    pub(super) fn settings(&self) -> &Settings {
        &self.kzg.0
    }

    /// There are no tables for which the number could matter.
    #[cfg(feature = "verify")]
    pub(crate) fn mainnet(_precompute: u64) -> Result<Self, crate::Error> {
        Ok(KzgSettings { kzg: Verifier(Settings::mainnet(Request::Auto).map_err(refused)?) })
    }
}

impl Verifier {
    pub(super) fn verify_kzg_proof(
        &self,
        commitment: &[u8],
        z: &[u8],
        y: &[u8],
        proof: &[u8],
    ) -> Result<bool, Error> {
        parcrypt_kzg::verify_kzg_proof(&Serial, &self.0, commitment, z, y, proof)
    }

    pub(super) fn verify_blob_kzg_proof_batch(
        &self,
        blobs: &[&[u8]],
        commitments: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, Error> {
        parcrypt_kzg::verify_blob_kzg_proof_batch(&Serial, &self.0, blobs, commitments, proofs)
    }

    pub(super) fn verify_cell_kzg_proof_batch(
        &self,
        commitments: &[&[u8]],
        cell_indices: &[u64],
        cells: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Result<bool, Error> {
        parcrypt_kzg::verify_cell_kzg_proof_batch(&Serial, &self.0, commitments, cell_indices, cells, proofs)
    }
}
