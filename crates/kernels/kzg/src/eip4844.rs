//! Commitments to blobs and proofs of single values (EIP-4844; polynomial-commitments.md of the consensus
//! specifications for Deneb).

pub(crate) mod challenge;
pub(crate) mod commitment;
mod proof;
mod verify;

pub use commitment::blob_to_kzg_commitment;
pub use proof::{compute_blob_kzg_proof, compute_kzg_proof};
pub use verify::{find_wrong_blobs, verify_blob_kzg_proof, verify_blob_kzg_proof_batch, verify_kzg_proof};
