//! The challenge of a batch of cells, and the hash from which verification derives its random factors: a tree with two
//! levels, whose leaves are hashed several at once.
//!
//! `SOUNDNESS.md` says why the tree is as safe as the specification's single hash.

use parcrypt_runtime::{Runtime, map};
use parcrypt_sha256::{Message, Sha256};

use crate::bytes;
use crate::costs;
use crate::eip4844::challenge::hash_many;
use crate::error::{Error, Input};
use crate::{
    BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL,
    Settings,
};

/// Domain separators of the tree.
const LEAF_DOMAIN: &[u8; 16] = b"PARCRYPT_CELL_V1";
const ROOT_DOMAIN: &[u8; 16] = b"PARCRYPT_ROOT_V1";

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
    let cost = costs::leaves(&settings.rows, n.min(LEAVES));
    let hashes = map(rt, n.div_ceil(LEAVES), cost, |group| {
        let group = group * LEAVES..n.min((group + 1) * LEAVES);
        let leaves: Vec<_> = group.map(leaf).collect::<Result<_, _>>()?;
        Ok(hash_many(settings.rows.sha256, &leaves))
    });
    hashes.into_iter().collect::<Result<Vec<_>, _>>().map(|hashes| hashes.concat())
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
    Ok(hash.finalize())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

    use parcrypt_runtime::Serial;
    use parcrypt_testkit::skip;

    use super::*;
    use crate::{Request, Requests};

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
        for backend in parcrypt_sha256::BACKENDS {
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
