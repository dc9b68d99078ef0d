//! The challenge of a batch of cells: the hash of everything that is verified.

use parcrypt_bls12_381::Fr;
use sha2::{Digest, Sha256};

use super::recovery::cell_index;
use crate::bytes;
use crate::error::{Error, Input};
use crate::{
    BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL,
    FieldBytes,
};

/// Domain separator: RANDOM_CHALLENGE_KZG_CELL_BATCH_DOMAIN of the specification.
const BATCH_DOMAIN: &[u8; 16] = b"RCKZGCBATCH__V1_";

/// Returns the challenge of [`verify_cell_kzg_proof_batch`](super::verify_cell_kzg_proof_batch), the hash of its inputs.
///
/// `commitments` are distinct; cell k belongs to the commitment `commitment_indices[k]` of them.
///
/// # Errors
/// [`Error::Count`] where lists of cells differ in length, [`Error::CommitmentIndex`] for an index without commitment,
/// [`Error::CellIndex`] for indices that are not below 128, [`Error::Length`] for cells, commitments or proofs of
/// another length; their contents are only hashed.
pub fn compute_verify_cell_kzg_proof_batch_challenge(
    commitments: &[&[u8]],
    commitment_indices: &[u64],
    cell_indices: &[u64],
    cosets_evals: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<FieldBytes, Error> {
    let n = cosets_evals.len();
    bytes::count(Input::CommitmentIndex, n, commitment_indices.len())?;
    bytes::count(Input::CellIndex, n, cell_indices.len())?;
    bytes::count(Input::Proof, n, proofs.len())?;
    for (index, &commitment_index) in commitment_indices.iter().enumerate() {
        if commitment_index >= commitments.len() as u64 {
            return Err(Error::CommitmentIndex { index, commitment_index, commitments: commitments.len() });
        }
        cell_index(index, cell_indices[index])?;
    }
    let hash = batch_hash(commitments, commitment_indices, cell_indices, cosets_evals, proofs)?;
    Ok(Fr::from_bytes_reduced(&hash).to_bytes())
}

/// Returns the hash of a batch; an error for an input of another length.
pub(super) fn batch_hash(
    commitments: &[&[u8]],
    commitment_indices: &[u64],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<[u8; 32], Error> {
    let mut hash = Sha256::new_with_prefix(BATCH_DOMAIN);
    for number in [FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, commitments.len(), cells.len()] {
        hash.update((number as u64).to_be_bytes());
    }
    for (index, commitment) in commitments.iter().enumerate() {
        hash.update(bytes::array::<BYTES_PER_COMMITMENT>(Input::Commitment, index, commitment)?);
    }
    for k in 0..cells.len() {
        hash.update(commitment_indices[k].to_be_bytes());
        hash.update(cell_indices[k].to_be_bytes());
        hash.update(bytes::array::<BYTES_PER_CELL>(Input::Cell, k, cells[k])?);
        hash.update(bytes::array::<BYTES_PER_PROOF>(Input::Proof, k, proofs[k])?);
    }
    Ok(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the challenge of cell 7 of the blob of zeros, whose commitment and proof are infinity, with that of
    /// Python's hashlib: `n(x)` is `x.to_bytes(8)`, `o` is `b"\xc0" + bytes(47)`, and the hash
    /// `sha256(b"RCKZGCBATCH__V1_" + n(4096) + n(64) + n(1) + n(1) + o + n(0) + n(7) + bytes(2048) + o)` modulo r.
    #[test]
    fn the_challenge_of_a_cell_of_zeros() {
        let mut infinity = [0; BYTES_PER_COMMITMENT];
        infinity[0] = 0xc0;
        let challenge = compute_verify_cell_kzg_proof_batch_challenge(
            &[&infinity],
            &[0],
            &[7],
            &[&[0; BYTES_PER_CELL]],
            &[&infinity],
        );
        let hex: String = challenge.expect("lengths").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "320f9c71b1b6ff7a8d95db14de6fa0d082260c1f88032a597df3a5864f0bb121");
    }
}
