//! Jobs: one operation on many items, computed by the command on one machine and by `parcrypt-cluster` on many.
//!
//! ```
//! use parcrypt_kzg::jobs::{Item, Job, Operation, Output};
//! use parcrypt_kzg::{Request, BYTES_PER_BLOB, Settings};
//!
//! let blobs = [vec![0; BYTES_PER_BLOB], vec![0; 3]];
//! let items = blobs.iter().map(|blob| Item { data: blob, ..Item::default() }).collect();
//! let job = Job { operation: Operation::Commit, items };
//! let outcome = job.run(&parcrypt_runtime::Serial, &Settings::mainnet(Request::Auto)?);
//! assert!(matches!(outcome[0], Ok(Output::Commitment(_))));
//! assert_eq!(outcome[1].as_ref().unwrap_err().to_string(), "blob 1: 3 bytes, it must have 131072");
//! # Ok::<(), parcrypt_kzg::Error>(())
//! ```

use std::borrow::Cow;

use parcrypt_runtime::{Cost, Runtime, map};

use crate::error::Error;
use crate::{
    BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, Cell, CellsAndProofs, Commitment, FieldBytes, Proof,
    Samples, Settings, blob_to_kzg_commitment_many, compute_blob_kzg_proof_many,
    compute_cells_and_kzg_proofs_many, compute_cells_many, compute_kzg_proof,
    recover_cells_and_kzg_proofs_many, recover_cells_many, verify_blob_kzg_proof,
    verify_blob_kzg_proof_batch, verify_cell_kzg_proof_batch, verify_kzg_proof,
};

/// Operation of a job. The comments give the fields of an [`Item`] that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Computes the commitment. `data`: a blob.
    Commit,
    /// Computes commitment and proof. `data`: a blob; `commitment` if it is known.
    Prove {
        /// The evaluation point; without it the proof is the proof of the blob.
        z: Option<FieldBytes>,
    },
    /// Computes the 128 cells. `data`: a blob.
    Cells {
        /// Whether to compute the proofs too.
        proofs: bool,
    },
    /// Recovers the 128 cells from some of them. `data`: the cells, one after the other; `indices`.
    Recover {
        /// Whether to compute the proofs too.
        proofs: bool,
    },
    /// Verifies blobs. `data`: the blob; `commitment`, `proofs`: one proof.
    VerifyBlobs,
    /// Verifies values of polynomials. `data`: z and y; `commitment`, `proofs`: one proof.
    VerifyOpenings,
    /// Verifies cells. `data`: the cells, one after the other; `indices`, `commitment`, `proofs`: one
    /// for each cell.
    VerifyCells,
}

/// Input of a job. A missing or an additional field for the [`Operation`] is an error of this item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item<'a> {
    /// A blob, cells, or an evaluation point and a value.
    pub data: &'a [u8],
    /// The indices of the cells.
    pub indices: Cow<'a, [u64]>,
    /// The commitment, or empty.
    pub commitment: &'a [u8],
    /// Proofs of 48 bytes, one after the other.
    pub proofs: &'a [u8],
}

/// An operation and the items to apply it to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job<'a> {
    /// The operation.
    pub operation: Operation,
    /// The items. Verification takes all of them in one batch, which costs less than one by one.
    pub items: Vec<Item<'a>>,
}

/// Result for one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Result of [`Operation::Commit`].
    Commitment(Commitment),
    /// Result of [`Operation::Prove`].
    Proof {
        /// The commitment, as it was given or computed.
        commitment: Commitment,
        /// The proof.
        proof: Proof,
        /// The value at the evaluation point, where there is one.
        y: Option<FieldBytes>,
    },
    /// Result of [`Operation::Cells`] and [`Operation::Recover`].
    Cells {
        /// The 128 cells.
        cells: Vec<Cell>,
        /// Their proofs, where the operation computes them.
        proofs: Option<Vec<Proof>>,
    },
    /// Result of a verification: whether the proof verifies.
    Verified(bool),
}

/// Reason why there is no result for one item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ItemError {
    /// The item is invalid.
    #[error(transparent)]
    Kzg(#[from] Error),
    /// The computation failed for another reason than the item.
    #[error("{0}")]
    Other(String),
}

/// Outcome of a job: a result or an error for each item, in order.
pub type Outcome = Vec<Result<Output, ItemError>>;

/// Returns `f(i)` for each i in `0..count`, in order: one after the other where there are fewer items than threads, so
/// that each has all threads, and in parallel otherwise.
fn map_items<T: Send>(rt: &dyn Runtime, count: usize, cost: Cost, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if count < rt.threads().get() { (0..count).map(f).collect() } else { map(rt, count, cost, f) }
}

impl Job<'_> {
    /// Computes a result for each item, in order. An invalid item does not affect the others.
    pub fn run(&self, rt: &dyn Runtime, settings: &Settings) -> Outcome {
        let data: Vec<&[u8]> = self.items.iter().map(|item| item.data).collect();
        match self.operation {
            Operation::Commit => {
                let results = blob_to_kzg_commitment_many(rt, settings, &data);
                results.into_iter().map(|commitment| Ok(Output::Commitment(commitment?))).collect()
            }
            Operation::Prove { z } => self.prove(rt, settings, z),
            Operation::Cells { proofs: false } => cells(compute_cells_many(rt, settings, &data)),
            Operation::Cells { proofs: true } => {
                cells(compute_cells_and_kzg_proofs_many(rt, settings, &data))
            }
            Operation::Recover { proofs } => {
                let parts: Vec<Vec<&[u8]>> =
                    data.iter().map(|data| data.chunks(BYTES_PER_CELL).collect()).collect();
                let samples = self.items.iter().zip(&parts);
                let samples: Vec<Samples<'_>> =
                    samples.map(|(item, cells)| Samples { cell_indices: &item.indices, cells }).collect();
                match proofs {
                    false => cells(recover_cells_many(rt, settings, &samples)),
                    true => cells(recover_cells_and_kzg_proofs_many(rt, settings, &samples)),
                }
            }
            Operation::VerifyBlobs => {
                let commitments: Vec<&[u8]> = self.items.iter().map(|item| item.commitment).collect();
                let proofs: Vec<&[u8]> = self.items.iter().map(|item| item.proofs).collect();
                let all = verify_blob_kzg_proof_batch(rt, settings, &data, &commitments, &proofs);
                self.verdicts(rt, all, settings.verify_blobs_cost(1), |i| {
                    verify_blob_kzg_proof(rt, settings, data[i], commitments[i], proofs[i])
                })
            }
            Operation::VerifyOpenings => map_items(rt, self.items.len(), settings.verify_proof_cost(), |i| {
                let Item { data, commitment, proofs, .. } = &self.items[i];
                let (z, y) = data.split_at(data.len().min(size_of::<FieldBytes>()));
                Ok(Output::Verified(verify_kzg_proof(rt, settings, commitment, z, y, proofs)?))
            }),
            Operation::VerifyCells => {
                let all = verify_cells(rt, settings, &self.items);
                let cost = settings.verify_cells_cost(CELLS_PER_EXT_BLOB, 1);
                self.verdicts(rt, all, cost, |i| verify_cells(rt, settings, &self.items[i..=i]))
            }
        }
    }

    fn prove(&self, rt: &dyn Runtime, settings: &Settings, z: Option<FieldBytes>) -> Outcome {
        // Unknown commitments are computed first; a blob that is refused there is not processed further.
        let is_unknown = |item: &&Item<'_>| item.commitment.is_empty();
        let unknown: Vec<&[u8]> = self.items.iter().filter(is_unknown).map(|item| item.data).collect();
        let mut computed = blob_to_kzg_commitment_many(rt, settings, &unknown).into_iter();
        let commitments = self.items.iter().filter_map(|item| match item.commitment.is_empty() {
            true => computed.next(),
            false => Some(item.commitment.try_into().map_err(|_| Error::Length {
                what: crate::Input::Commitment,
                index: 0,
                expected: size_of::<Commitment>(),
                got: item.commitment.len(),
            })),
        });
        let commitments: Vec<Result<Commitment, Error>> = commitments.collect();
        let (valid, known): (Vec<&[u8]>, Vec<Commitment>) = self
            .items
            .iter()
            .zip(&commitments)
            .filter_map(|(item, commitment)| Some((item.data, *commitment.as_ref().ok()?)))
            .unzip();
        let mut proofs = proofs(rt, settings, &valid, &known, z).into_iter();
        let results = commitments.into_iter().filter_map(|commitment| match commitment {
            Ok(commitment) => {
                let proof = proofs.next()?;
                Some(proof.map(|(proof, y)| Output::Proof { commitment, proof, y }).map_err(ItemError::from))
            }
            Err(error) => Some(Err(error.into())),
        });
        results.collect()
    }

    /// Returns the verdict of the batch for all items, or verifies each alone where the batch does not verify.
    fn verdicts(
        &self,
        rt: &dyn Runtime,
        all: Result<bool, Error>,
        cost: Cost,
        alone: impl Fn(usize) -> Result<bool, Error> + Sync,
    ) -> Outcome {
        if all == Ok(true) {
            return self.items.iter().map(|_| Ok(Output::Verified(true))).collect();
        }
        map_items(rt, self.items.len(), cost, |i| Ok(Output::Verified(alone(i)?)))
    }
}

/// Returns the proofs of blobs, or of their values at z with the values.
fn proofs(
    rt: &dyn Runtime,
    settings: &Settings,
    blobs: &[&[u8]],
    commitments: &[Commitment],
    z: Option<FieldBytes>,
) -> Vec<Result<(Proof, Option<FieldBytes>), Error>> {
    let Some(z) = z else {
        let commitments: Vec<&[u8]> = commitments.iter().map(|c| &c[..]).collect();
        return match compute_blob_kzg_proof_many(rt, settings, blobs, &commitments) {
            Ok(proofs) => proofs.into_iter().map(|proof| Ok((proof?, None))).collect(),
            Err(error) => blobs.iter().map(|_| Err(error.clone())).collect(),
        };
    };
    map_items(rt, blobs.len(), settings.commitments_cost(1) + settings.divide_cost(), |i| {
        let (proof, y) = compute_kzg_proof(rt, settings, blobs[i], &z)?;
        Ok((proof, Some(y)))
    })
}

/// Converts cells, with or without proofs, to outputs.
fn cells<T: Into<Output>>(all: Vec<Result<T, Error>>) -> Outcome {
    all.into_iter().map(|cells| Ok(cells?.into())).collect()
}

impl From<Vec<Cell>> for Output {
    fn from(cells: Vec<Cell>) -> Self {
        Output::Cells { cells, proofs: None }
    }
}

impl From<CellsAndProofs> for Output {
    fn from(CellsAndProofs { cells, proofs }: CellsAndProofs) -> Self {
        Output::Cells { cells, proofs: Some(proofs) }
    }
}

/// Returns whether all cells of these items verify.
fn verify_cells(rt: &dyn Runtime, settings: &Settings, items: &[Item<'_>]) -> Result<bool, Error> {
    let (mut commitments, mut indices, mut cells, mut proofs) = (vec![], vec![], vec![], vec![]);
    for item in items {
        commitments.extend(item.indices.iter().map(|_| item.commitment));
        indices.extend_from_slice(&item.indices);
        cells.extend(item.data.chunks(BYTES_PER_CELL));
        proofs.extend(item.proofs.chunks(BYTES_PER_PROOF));
    }
    verify_cell_kzg_proof_batch(rt, settings, &commitments, &indices, &cells, &proofs)
}
