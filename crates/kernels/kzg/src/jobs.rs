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
//! assert_eq!(outcome[1].as_ref().unwrap_err().to_string(), "blob 0: 3 bytes, it must have 131072");
//! # Ok::<(), parcrypt_kzg::Error>(())
//! ```

use std::borrow::Cow;
use std::fmt;

use parcrypt_runtime::{Cost, Runtime, map};

use crate::bytes;
use crate::costs;
use crate::error::{Error, Input};
use crate::{
    BYTES_PER_CELL, BYTES_PER_PROOF, Cell, CellsAndProofs, Commitment, FieldBytes, Proof, Reason, Samples,
    Settings, Want, WrongItem, blob_to_kzg_commitment, compute_blob_kzg_proof, compute_kzg_proof,
    compute_wanted, find_wrong_blobs, find_wrong_cells, recover_wanted, verify_kzg_proof,
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemError {
    /// The item is invalid.
    Kzg(Error),
    /// The computation failed for another reason than the item.
    Other(String),
}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ItemError::Kzg(why) => why.fmt(f),
            ItemError::Other(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for ItemError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ItemError::Kzg(why) => why.source(),
            _ => None,
        }
    }
}

impl From<Error> for ItemError {
    fn from(why: Error) -> Self {
        ItemError::Kzg(why)
    }
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
        let each = |cost, f: &(dyn Fn(&Item<'_>) -> Result<Output, Error> + Sync)| {
            map_items(rt, self.items.len(), cost, |i| f(&self.items[i]).map_err(ItemError::from))
        };
        match self.operation {
            Operation::Commit => each(costs::commitments(settings, 1), &|item| {
                Ok(Output::Commitment(blob_to_kzg_commitment(rt, settings, item.data)?))
            }),
            Operation::Prove { z } => {
                each(costs::blob_proofs(settings, 2), &|item| prove(rt, settings, item, z.as_ref()))
            }
            Operation::Cells { proofs } => {
                cells(proofs, data.len(), compute_wanted(rt, settings, &data, Want { proofs, ..Want::CELLS }))
            }
            Operation::Recover { proofs } => {
                let parts: Vec<Vec<&[u8]>> =
                    data.iter().map(|data| data.chunks(BYTES_PER_CELL).collect()).collect();
                let samples = self.items.iter().zip(&parts);
                let samples: Vec<Samples<'_>> =
                    samples.map(|(item, cells)| Samples { cell_indices: &item.indices, cells }).collect();
                let want = Want { proofs, ..Want::CELLS };
                cells(proofs, data.len(), recover_wanted(rt, settings, &samples, want))
            }
            Operation::VerifyBlobs => {
                let commitments: Vec<&[u8]> = self.items.iter().map(|item| item.commitment).collect();
                let proofs: Vec<&[u8]> = self.items.iter().map(|item| item.proofs).collect();
                let wrong = find_wrong_blobs(rt, settings, &data, &commitments, &proofs);
                verified(self.items.len(), wrong)
            }
            Operation::VerifyOpenings => each(costs::verify_proof(&settings.rows), &|item| {
                let (z, y) = item.data.split_at(item.data.len().min(size_of::<FieldBytes>()));
                let verified = verify_kzg_proof(rt, settings, item.commitment, z, y, item.proofs);
                Ok(Output::Verified(verified?))
            }),
            Operation::VerifyCells => verify_cells(rt, settings, &self.items),
        }
    }
}

/// Returns the commitment of a blob, which is computed unless it is given, and the proof of the blob, or of its value
/// at z with the value.
fn prove(
    rt: &dyn Runtime,
    settings: &Settings,
    item: &Item<'_>,
    z: Option<&FieldBytes>,
) -> Result<Output, Error> {
    let commitment = match item.commitment {
        [] => blob_to_kzg_commitment(rt, settings, item.data)?,
        given => *bytes::array(Input::Commitment, 0, given)?,
    };
    let (proof, y) = match z {
        None => (compute_blob_kzg_proof(rt, settings, item.data, &commitment)?, None),
        Some(z) => compute_kzg_proof(rt, settings, item.data, z).map(|(proof, y)| (proof, Some(y)))?,
    };
    Ok(Output::Proof { commitment, proof, y })
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

/// Returns the result of each item, with the proofs if they were computed.
fn cells(with_proofs: bool, items: usize, all: Result<Vec<Result<CellsAndProofs, Error>>, Error>) -> Outcome {
    let output =
        |CellsAndProofs { cells, proofs }| Output::Cells { cells, proofs: with_proofs.then_some(proofs) };
    match all {
        Ok(all) => all.into_iter().map(|made| Ok(output(made?))).collect(),
        Err(error) => vec![Err(error.into()); items],
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
    let found = match find_wrong_cells(rt, settings, &commitments, &indices, &cells, &proofs) {
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

impl Error {
    /// Returns the error with another index of the item in its list.
    pub(crate) fn at(mut self, item: usize) -> Self {
        match &mut self {
            Error::Length { index, .. }
            | Error::NotCanonical { index, .. }
            | Error::Point { index, .. }
            | Error::CellIndex { index, .. } => *index = item,
            _ => {}
        }
        self
    }
}
