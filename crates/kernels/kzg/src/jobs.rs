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

use crate::bytes;
use crate::error::{Error, Input};
use crate::{
    BYTES_PER_CELL, BYTES_PER_PROOF, Cell, CellsAndProofs, Commitment, FieldBytes, Proof, Reason, Samples,
    Settings, WrongItem, blob_to_kzg_commitment_many, compute_blob_kzg_proof_many,
    compute_cells_and_kzg_proofs_many, compute_cells_many, compute_kzg_proof,
    recover_cells_and_kzg_proofs_many, recover_cells_many, verify_blob_kzg_proof_batch_which,
    verify_cell_kzg_proof_batch_which, verify_kzg_proof_batch_which,
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
    /// Result of [`Operation::VerifyCells`] if some of the cells are wrong: the index of each in its blob, in the order
    /// of the item, and what is wrong with it.
    WrongCells(Vec<(u64, Reason)>),
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
                let [commitments, proofs] = self.points();
                let wrong = verify_blob_kzg_proof_batch_which(rt, settings, &data, &commitments, &proofs);
                verified(self.items.len(), wrong)
            }
            Operation::VerifyOpenings => {
                let [commitments, proofs] = self.points();
                let halves = data.iter().map(|data| data.split_at(data.len().min(size_of::<FieldBytes>())));
                let (zs, ys): (Vec<&[u8]>, Vec<&[u8]>) = halves.unzip();
                let wrong = verify_kzg_proof_batch_which(rt, settings, &commitments, &zs, &ys, &proofs);
                verified(self.items.len(), wrong)
            }
            Operation::VerifyCells => verify_cells(rt, settings, &self.items),
        }
    }

    /// Returns the commitment and the proof of each item.
    fn points(&self) -> [Vec<&[u8]>; 2] {
        let commitments = self.items.iter().map(|item| item.commitment).collect();
        [commitments, self.items.iter().map(|item| item.proofs).collect()]
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
}

/// Returns the result of each item, of which these are wrong.
fn verified(items: usize, wrong: Result<Vec<WrongItem>, Error>) -> Outcome {
    let mut outcome: Outcome = vec![Ok(Output::Verified(true)); items];
    match wrong {
        Ok(wrong) => wrong.into_iter().for_each(|WrongItem { index, why }| {
            outcome[index] = match why {
                Reason::DoesNotVerify => Ok(Output::Verified(false)),
                Reason::Malformed(error) => Err(error.at(0).into()),
            };
        }),
        Err(error) => outcome.fill(Err(error.into())),
    }
    outcome
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

/// Returns the result of each item: all cells of all items are one batch, except items whose lists differ in length.
fn verify_cells(rt: &dyn Runtime, settings: &Settings, items: &[Item<'_>]) -> Outcome {
    let (mut commitments, mut indices, mut cells, mut proofs) = (vec![], vec![], vec![], vec![]);
    let mut ends = Vec::with_capacity(items.len());
    for item in items {
        let of_item: Vec<&[u8]> = item.data.chunks(BYTES_PER_CELL).collect();
        let proofs_of_item: Vec<&[u8]> = item.proofs.chunks(BYTES_PER_PROOF).collect();
        let counts = bytes::count(Input::CellIndex, of_item.len(), item.indices.len())
            .and_then(|()| bytes::count(Input::Proof, of_item.len(), proofs_of_item.len()));
        if counts.is_ok() {
            commitments.extend(item.indices.iter().map(|_| item.commitment));
            indices.extend_from_slice(&item.indices);
            cells.extend(of_item);
            proofs.extend(proofs_of_item);
        }
        ends.push(counts.map(|()| cells.len()));
    }
    let found = match verify_cell_kzg_proof_batch_which(rt, settings, &commitments, &indices, &cells, &proofs)
    {
        Ok(found) => found,
        Err(error) => return vec![Err(error.into()); items.len()],
    };
    let (mut found, mut begin) = (found.into_iter().peekable(), 0);
    let outcomes = ends.into_iter().map(|end| {
        let end = end?;
        let first = std::mem::replace(&mut begin, end);
        let mut wrong = Vec::new();
        while let Some(WrongItem { index, why }) = found.next_if(|item| item.index < end) {
            let why = match why {
                Reason::Malformed(error) => Reason::Malformed(error.at(index - first)),
                other => other,
            };
            wrong.push((indices[index], why));
        }
        Ok(if wrong.is_empty() { Output::Verified(true) } else { Output::WrongCells(wrong) })
    });
    outcomes.collect()
}
