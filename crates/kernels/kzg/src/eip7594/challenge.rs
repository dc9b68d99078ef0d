//! The challenge of a batch of cells, and the hash from which verification derives its random factors: a tree with two
//! levels, whose leaves are hashed several at once.
//!
//! `SOUNDNESS.md` says why the tree is as safe as the specification's single hash.

use parcrypt_bls12_381::Fr;
use parcrypt_runtime::{Runtime, map};
use sha2::{Digest, Sha256};

use super::recovery::cell_index;
use crate::bytes;
use crate::error::{Error, Input};
use crate::sha256::{Message, hash};
use crate::{
    BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF, Cell, FIELD_ELEMENTS_PER_BLOB,
    FIELD_ELEMENTS_PER_CELL, FieldBytes, Proof, Settings,
};

/// Domain separator: RANDOM_CHALLENGE_KZG_CELL_BATCH_DOMAIN of the specification.
const BATCH_DOMAIN: &[u8; 16] = b"RCKZGCBATCH__V1_";
/// Domain separators of the tree.
const LEAF_DOMAIN: &[u8; 16] = b"PARCRYPT_CELL_V1";
const ROOT_DOMAIN: &[u8; 16] = b"PARCRYPT_ROOT_V1";

/// Returns the specification's challenge of a batch of cells, the hash of all inputs.
/// [`verify_cell_kzg_proof_batch`](super::verify_cell_kzg_proof_batch) uses another hash of the same inputs.
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
    let mut hash = Sha256::new_with_prefix(BATCH_DOMAIN);
    for number in [FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, commitments.len(), n] {
        hash.update((number as u64).to_be_bytes());
    }
    for (index, commitment) in commitments.iter().enumerate() {
        hash.update(bytes::array::<BYTES_PER_COMMITMENT>(Input::Commitment, index, commitment)?);
    }
    for k in 0..n {
        hash.update(commitment_indices[k].to_be_bytes());
        hash.update(cell_indices[k].to_be_bytes());
        hash.update(bytes::array::<BYTES_PER_CELL>(Input::Cell, k, cosets_evals[k])?);
        hash.update(bytes::array::<BYTES_PER_PROOF>(Input::Proof, k, proofs[k])?);
    }
    Ok(Fr::from_bytes_reduced(&hash.finalize()).to_bytes())
}

/// Leaves of a task.
const LEAVES: usize = 16;

/// Returns the hashes of the leaves of a batch, one for each cell: its commitment's index, its index, the cell and its
/// proof. An error for a cell or a proof of another length.
pub(super) fn leaves(
    rt: &dyn Runtime,
    settings: &Settings,
    commitment_indices: &[u64],
    cell_indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<Vec<[u8; 32]>, Error> {
    let n = cells.len();
    let [of_commitments, of_cells] = [commitment_indices, cell_indices]
        .map(|indices| indices.iter().map(|index| index.to_be_bytes()).collect::<Vec<_>>());
    let leaf = |k: usize| {
        let cell = bytes::array::<BYTES_PER_CELL>(Input::Cell, k, cells[k])?;
        let proof = bytes::array::<BYTES_PER_PROOF>(Input::Proof, k, proofs[k])?;
        Ok::<Message<5>, Error>([LEAF_DOMAIN, &of_commitments[k], &of_cells[k], cell, proof])
    };
    let cost = settings.leaves_cost(n.min(LEAVES));
    let hashes = map(rt, n.div_ceil(LEAVES), cost, |group| {
        let group = group * LEAVES..n.min((group + 1) * LEAVES);
        let leaves: Vec<_> = group.map(leaf).collect::<Result<_, _>>()?;
        Ok(settings.rows.sha256.hash_many(&leaves))
    });
    hashes.into_iter().collect::<Result<Vec<_>, _>>().map(|hashes| hashes.concat())
}

/// Returns the hash of a leaf.
pub(super) fn leaf(commitment_index: u64, cell_index: u64, cell: &Cell, proof: &Proof) -> [u8; 32] {
    let indices = [commitment_index, cell_index].map(u64::to_be_bytes);
    hash::<5>([LEAF_DOMAIN, &indices[0], &indices[1], cell, proof])
}

/// Returns the hash of a batch: its distinct commitments, and the hashes of its leaves. An error for a commitment of
/// another length.
pub(super) fn root(commitments: &[&[u8]], leaves: &[[u8; 32]]) -> Result<[u8; 32], Error> {
    let mut hash = Sha256::new_with_prefix(ROOT_DOMAIN);
    for number in [FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, commitments.len(), leaves.len()] {
        hash.update((number as u64).to_be_bytes());
    }
    for (index, commitment) in commitments.iter().enumerate() {
        hash.update(bytes::array::<BYTES_PER_COMMITMENT>(Input::Commitment, index, commitment)?);
    }
    hash.update(leaves.as_flattened());
    Ok(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

    use parcrypt_runtime::Serial;
    use parcrypt_testkit::skip;

    use super::*;
    use crate::{Request, Requests};

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

    /// The inputs of a batch's hash.
    #[derive(Clone)]
    struct Batch {
        commitments: Vec<[u8; BYTES_PER_COMMITMENT]>,
        commitment_indices: Vec<u64>,
        cell_indices: Vec<u64>,
        cells: Vec<[u8; BYTES_PER_CELL]>,
        proofs: Vec<[u8; BYTES_PER_PROOF]>,
    }

    impl Batch {
        /// Returns a batch of n cells of two commitments.
        fn new(n: u8) -> Self {
            let indices = || (0..n).map(u64::from);
            Batch {
                commitments: vec![[0xaa; _], [0xbb; _]],
                commitment_indices: indices().map(|k| k % 2).collect(),
                cell_indices: indices().map(|k| 127 - k).collect(),
                cells: (0..n).map(|k| [k; _]).collect(),
                proofs: (0..n).map(|k| [k + 100; _]).collect(),
            }
        }

        fn hash(&self, rt: &dyn Runtime, settings: &Settings) -> [u8; 32] {
            fn slices<const N: usize>(all: &[[u8; N]]) -> Vec<&[u8]> {
                all.iter().map(|one| &one[..]).collect()
            }
            let (cells, proofs) = (slices(&self.cells), slices(&self.proofs));
            let leaves = leaves(rt, settings, &self.commitment_indices, &self.cell_indices, &cells, &proofs);
            root(&slices(&self.commitments), &leaves.unwrap()).unwrap()
        }
    }

    /// Compares the hash of a batch with that of Python's hashlib, on every backend and with threads: `n(x)` is
    /// `x.to_bytes(8)`, leaf k is `sha256(b"PARCRYPT_CELL_V1" + n(k % 2) + n(127 - k) + bytes([k]) * 2048 + bytes([k +
    /// 100]) * 48).digest()`, `l` are the leaves of m cells in order, and the hash is `sha256(b"PARCRYPT_ROOT_V1" +
    /// n(4096) + n(64) + n(2) + n(m) + b"\xaa" * 48 + b"\xbb" * 48 + l)`.
    #[test]
    fn the_hash_of_cells() {
        let threads = parcrypt_runtime::Kind::Rayon.build(3.try_into().unwrap()).unwrap();
        for backend in crate::sha256::BACKENDS {
            let requests = [("sha256", *backend)].into_iter().collect::<Requests>();
            let settings = match Settings::mainnet(requests) {
                Ok(settings) => settings,
                Err(why) => {
                    skip("parcrypt-kzg", backend.name(), &why.to_string());
                    continue;
                }
            };
            for (cells, expected) in [
                (1, "7ca0838f1aeaba198f28d7cf139bd0852d3573e189ab8b15c3e11750d1f5d64c"),
                (21, "9698f5ab96c197bef6763807a56d209a0200dfddb73986382dcb0cf7ecaaeb94"),
            ] {
                for rt in [&Serial as &dyn Runtime, &*threads] {
                    let hash = Batch::new(cells).hash(rt, &settings);
                    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                    assert_eq!(hex, expected, "{cells} cells, {backend}");
                }
            }
        }
    }

    #[test]
    fn every_input_is_hashed() {
        let settings = Settings::mainnet(Request::Auto).unwrap();
        let batch = Batch::new(20);
        let changes: [fn(&mut Batch); 14] = [
            |_| (),
            |batch| batch.commitments[0][0] ^= 1,
            |batch| batch.commitments[1][47] ^= 1,
            |batch| batch.commitments.push([0xcc; _]),
            |batch| batch.commitments.swap(0, 1),
            |batch| batch.commitment_indices[17] ^= 1,
            |batch| batch.cell_indices[0] ^= 1,
            |batch| batch.cell_indices.swap(3, 4),
            |batch| batch.cells[19][0] ^= 1,
            |batch| batch.cells[2][BYTES_PER_CELL - 1] ^= 1,
            |batch| batch.cells.swap(8, 15),
            |batch| batch.proofs[5][0] ^= 1,
            |batch| batch.proofs[19][47] ^= 1,
            |batch| *batch = Batch::new(19),
        ];
        let hashes: std::collections::HashSet<_> = changes
            .iter()
            .map(|change| {
                let mut batch = batch.clone();
                change(&mut batch);
                batch.hash(&Serial, &settings)
            })
            .collect();
        assert_eq!(hashes.len(), changes.len());
    }
}
