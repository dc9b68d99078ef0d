//! The challenges of the specifications, by their definitions. Other libraries do not export them.

use ark_ff::{BigInteger, PrimeField};
use sha2::{Digest, Sha256};

use crate::FieldBytes;

/// Returns the SHA-256 of all parts, modulo r.
fn hash(parts: &[&[u8]]) -> FieldBytes {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    let reduced = ark_bls12_381::Fr::from_be_bytes_mod_order(&hash.finalize());
    reduced.into_bigint().to_bytes_be().try_into().unwrap()
}

/// Returns the challenge of a blob: `compute_challenge` of EIP-4844; `None` for inputs of other lengths.
pub fn challenge(blob: &[u8], commitment: &[u8]) -> Option<FieldBytes> {
    let degree = 4096u128.to_be_bytes();
    (blob.len() == 131_072 && commitment.len() == 48)
        .then(|| hash(&[b"FSBLOBVERIFY_V1_", &degree, blob, commitment]))
}

/// Returns the challenge of a batch of cells: `compute_verify_cell_kzg_proof_batch_challenge` of EIP-7594; `None` for
/// inputs of other lengths, and indices that are too large.
pub fn challenge_of_cells(
    commitments: &[&[u8]],
    commitment_indices: &[u64],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Option<FieldBytes> {
    let (all, n) = (commitments.len() as u64, cells.len());
    let counts = [commitment_indices.len(), cell_indices.len(), proofs.len()] == [n; 3];
    let points = commitments.iter().chain(proofs).all(|point| point.len() == 48);
    let indices = commitment_indices.iter().all(|i| *i < all) && cell_indices.iter().all(|i| *i < 128);
    if !(counts && points && indices && cells.iter().all(|cell| cell.len() == 2048)) {
        return None;
    }
    let numbers = [4096, 64, all, n as u64].map(u64::to_be_bytes);
    let pair = |i: usize| [commitment_indices[i], cell_indices[i]].map(u64::to_be_bytes);
    let pairs: Vec<_> = (0..n).map(pair).collect();
    let mut parts: Vec<&[u8]> = vec![b"RCKZGCBATCH__V1_", numbers.as_flattened()];
    parts.extend(commitments);
    (0..n).for_each(|i| parts.extend([pairs[i].as_flattened(), cells[i], proofs[i]]));
    Some(hash(&parts))
}
