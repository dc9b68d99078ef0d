//! Commitments to blobs and proofs of single values (EIP-4844; polynomial-commitments.md of the consensus
//! specifications for Deneb).

pub(crate) mod challenge;
pub(crate) mod commitment;
mod proof;
mod verify;
mod wrong;

pub use challenge::compute_challenge;
pub use commitment::{blob_to_kzg_commitment, blob_to_kzg_commitment_many};
pub use proof::{compute_blob_kzg_proof, compute_blob_kzg_proof_many, compute_kzg_proof};
pub use verify::{
    verify_blob_kzg_proof, verify_blob_kzg_proof_batch, verify_kzg_proof, verify_kzg_proof_batch,
};
pub use wrong::{verify_blob_kzg_proof_batch_which, verify_kzg_proof_batch_which};
