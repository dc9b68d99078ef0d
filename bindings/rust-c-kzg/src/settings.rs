//! Settings, and the functions of EIP-4844 and EIP-7594 as their methods.

#[cfg(feature = "compute")]
mod compute;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

#[cfg(not(feature = "compute"))]
use parcrypt_kzg::Settings as Functions;
#[cfg(not(feature = "compute"))]
use parcrypt_runtime::Serial;
#[cfg(feature = "compute")]
use parcrypt_shadow::{Kzg, Shadowed as Functions};

use crate::{Blob, Bytes32, Bytes48, Cell, Error};

/// A trusted setup with its tables. Settings are equal if their setups are.
///
/// # Errors
/// All methods return [`Error::CError`] for bytes that are no field element or no point, for wrong indices and for
/// fewer cells than recovery needs, and [`Error::MismatchLength`] for lists of different lengths. Those that load
/// return [`Error::InvalidTrustedSetup`] with what is wrong in a setup, and for a `precompute` above 15.
pub struct KzgSettings {
    kzg: Functions,
}

impl fmt::Debug for KzgSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KzgSettings").field(&format_args!("{}", self.settings())).finish()
    }
}

impl PartialEq for KzgSettings {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}

impl Eq for KzgSettings {}

impl Hash for KzgSettings {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest().hash(state);
    }
}

impl KzgSettings {
    /// Returns mainnet's settings. Without `compute` there are no tables for which the number could matter.
    #[cfg(all(feature = "verify", not(feature = "compute")))]
    pub(crate) fn mainnet(_precompute: u64) -> Result<Self, Error> {
        let settings = Functions::mainnet(parcrypt_kzg::Request::Auto);
        Ok(KzgSettings { kzg: settings.map_err(refused)? })
    }

    #[cfg(not(feature = "compute"))]
    fn settings(&self) -> &Functions {
        &self.kzg
    }

    fn digest(&self) -> [u8; 32] {
        self.settings().digest()
    }
}

/// # Blobs: EIP-4844
impl KzgSettings {
    /// Returns whether the polynomial of a commitment has the value y at z.
    pub fn verify_kzg_proof(
        &self,
        commitment_bytes: &Bytes48,
        z_bytes: &Bytes32,
        y_bytes: &Bytes32,
        proof_bytes: &Bytes48,
    ) -> Result<bool, Error> {
        let (commitment, proof) = (&commitment_bytes.bytes, &proof_bytes.bytes);
        let (z, y) = (&z_bytes.bytes, &y_bytes.bytes);
        #[cfg(feature = "compute")]
        let verified = self.kzg.verify_kzg_proof(commitment, z, y, proof);
        #[cfg(not(feature = "compute"))]
        let verified = parcrypt_kzg::verify_kzg_proof(&Serial, &self.kzg, commitment, z, y, proof);
        Ok(verified?)
    }

    /// Returns whether a commitment is the commitment to a blob.
    pub fn verify_blob_kzg_proof(
        &self,
        blob: &Blob,
        commitment_bytes: &Bytes48,
        proof_bytes: &Bytes48,
    ) -> Result<bool, Error> {
        self.verify_blob_kzg_proof_batch(
            std::slice::from_ref(blob),
            std::slice::from_ref(commitment_bytes),
            std::slice::from_ref(proof_bytes),
        )
    }

    /// Returns whether all commitments are the commitments to their blobs; `true` for none.
    pub fn verify_blob_kzg_proof_batch(
        &self,
        blobs: &[Blob],
        commitments_bytes: &[Bytes48],
        proofs_bytes: &[Bytes48],
    ) -> Result<bool, Error> {
        same_length("blobs", blobs.len(), "commitments", commitments_bytes.len())?;
        same_length("blobs", blobs.len(), "proofs", proofs_bytes.len())?;
        let (blobs, points, proofs) = (&slices(blobs), &slices(commitments_bytes), &slices(proofs_bytes));
        #[cfg(feature = "compute")]
        let verified = self.kzg.verify_blob_kzg_proof_batch(blobs, points, proofs);
        #[cfg(not(feature = "compute"))]
        let verified = parcrypt_kzg::verify_blob_kzg_proof_batch(&Serial, &self.kzg, blobs, points, proofs);
        Ok(verified?)
    }
}

/// # Cells: EIP-7594
impl KzgSettings {
    /// Returns whether each cell belongs to its commitment at its index; `true` for none.
    pub fn verify_cell_kzg_proof_batch(
        &self,
        commitments_bytes: &[Bytes48],
        cell_indices: &[u64],
        cells: &[Cell],
        proofs_bytes: &[Bytes48],
    ) -> Result<bool, Error> {
        same_length("cells", cells.len(), "commitments", commitments_bytes.len())?;
        same_length("cells", cells.len(), "column indices", cell_indices.len())?;
        same_length("cells", cells.len(), "proofs", proofs_bytes.len())?;
        let (points, cells, proofs) =
            (&slices(commitments_bytes), &cell_slices(cells), &slices(proofs_bytes));
        #[cfg(feature = "compute")]
        let verified = self.kzg.verify_cell_kzg_proof_batch(points, cell_indices, cells, proofs);
        #[cfg(not(feature = "compute"))]
        let verified = parcrypt_kzg::verify_cell_kzg_proof_batch(
            &Serial,
            &self.kzg,
            points,
            cell_indices,
            cells,
            proofs,
        );
        Ok(verified?)
    }
}

fn same_length(one: &str, length: usize, other: &str, others: usize) -> Result<(), Error> {
    if length == others {
        return Ok(());
    }
    Err(Error::MismatchLength(format!("There are {length} {one} and {others} {other}")))
}

fn slices<const N: usize, T: Deref<Target = [u8; N]>>(arrays: &[T]) -> Vec<&[u8]> {
    arrays.iter().map(|array| array.as_slice()).collect()
}

fn cell_slices(cells: &[Cell]) -> Vec<&[u8]> {
    cells.iter().map(|cell| cell.bytes.as_slice()).collect()
}

fn refused(why: impl fmt::Display) -> Error {
    Error::InvalidTrustedSetup(format!("Invalid trusted setup: {why}"))
}
