//! Commitments to blobs and proofs of single values (EIP-4844; polynomial-commitments.md of the consensus
//! specifications for Deneb).

pub(crate) mod challenge;
#[cfg(feature = "compute")]
pub(crate) mod commitment;
#[cfg(feature = "compute")]
mod proof;
mod verify;

pub use verify::{find_wrong_blobs, verify_blob_kzg_proof, verify_blob_kzg_proof_batch, verify_kzg_proof};
#[cfg(feature = "compute")]
pub use {
    commitment::blob_to_kzg_commitment,
    proof::{compute_blob_kzg_proof, compute_kzg_proof},
};
