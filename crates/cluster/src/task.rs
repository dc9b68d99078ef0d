//! What is computed of many inputs: the same functions of `parcrypt-kzg` on every rank, and without ranks.

use std::borrow::Cow;

use parcrypt_kzg::{
    BYTES_PER_CELL, BYTES_PER_PROOF, Cell, CellsAndProofs, Commitment, Error, FieldBytes, Proof, Samples,
    Settings, blob_to_kzg_commitment_many, compute_blob_kzg_proof_many, compute_cells_and_kzg_proofs_many,
    compute_cells_many, compute_kzg_proof, recover_cells_and_kzg_proofs_many, recover_cells_many,
    verify_blob_kzg_proof, verify_blob_kzg_proof_batch, verify_cell_kzg_proof_batch, verify_kzg_proof,
};
use parcrypt_runtime::{Cost, Runtime, map};

/// What an opening of one blob costs one thread, in nanoseconds.
const OPENING_NS: u64 = 25_000_000;
/// What the verification of one proof costs one thread, in nanoseconds.
const VERIFY_NS: u64 = 1_000_000;
/// What the verification of the cells of one blob costs one thread, in nanoseconds.
const VERIFY_CELLS_NS: u64 = 13_000_000;

/// What is to be computed, or verified, of each input. The comments say what an [`Input`] must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The commitment. `data`: a blob.
    Commit,
    /// Commitment and proof. `data`: a blob; `commitment` where it is known.
    Prove {
        /// Where the polynomial is opened; the proof is that of the blob where there is no place.
        z: Option<FieldBytes>,
    },
    /// The 128 cells. `data`: a blob.
    Cells {
        /// Whether proofs are wanted too.
        proofs: bool,
    },
    /// The 128 cells from some of them. `data`: the cells, one after the other; `indices`.
    Recover {
        /// Whether proofs are wanted too.
        proofs: bool,
    },
    /// Whether a blob fits. `data`: the blob; `commitment`, `proofs`: one proof.
    VerifyBlobs,
    /// Whether a polynomial has the value. `data`: z and y; `commitment`, `proofs`: one proof.
    VerifyOpenings,
    /// Whether cells belong to a commitment. `data`: the cells, one after the other; `indices`, `commitment`, `proofs`: one
    /// for each cell.
    VerifyCells,
}

/// One input. What is missing or too much for its [`Op`] is an error of this input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input<'a> {
    /// A blob, cells, or a place and a value.
    pub data: &'a [u8],
    /// Which cells they are.
    pub indices: Cow<'a, [u64]>,
    /// The commitment, or nothing.
    pub commitment: &'a [u8],
    /// Proofs of 48 bytes, one after the other.
    pub proofs: &'a [u8],
}

/// An operation on some inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task<'a> {
    /// What is to be done.
    pub op: Op,
    /// With what. Verification takes all of them together, which costs less than one by one.
    pub inputs: Vec<Input<'a>>,
}

/// The result for one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// Of [`Op::Commit`].
    Commitment(Commitment),
    /// Of [`Op::Prove`].
    Proof {
        /// The commitment, as it was given or computed.
        commitment: Commitment,
        /// The proof.
        proof: Proof,
        /// The value at the place, where there is one.
        y: Option<FieldBytes>,
    },
    /// Of [`Op::Cells`] and [`Op::Recover`].
    Cells {
        /// All 128.
        cells: Vec<Cell>,
        /// Their proofs, where they were asked for.
        proofs: Option<Vec<Proof>>,
    },
    /// Of a verification.
    Verdict(Verdict),
}

/// The answer of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is right.
    Yes,
    /// It is not.
    No,
}

impl From<bool> for Verdict {
    fn from(right: bool) -> Self {
        if right { Verdict::Yes } else { Verdict::No }
    }
}

/// Why there is no result for one input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The input was not taken.
    #[error(transparent)]
    Kzg(#[from] Error),
    /// The computation went wrong on a rank; no fault of the input that is known.
    #[error("{0}")]
    Other(String),
}

/// What has come of each input of a task, in order.
pub type Results = Vec<Result<Made, Failure>>;

/// The results of `f` for each i in `0..count`, in order: one after the other where there are fewer than threads, so that
/// each of them has all threads, and at once otherwise.
fn each<T: Send>(rt: &dyn Runtime, count: usize, ns: u64, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if count < rt.threads().get() { (0..count).map(f).collect() } else { map(rt, count, Cost::ns(ns), f) }
}

impl Task<'_> {
    /// Computes a result for each input, in order. A bad input costs the others nothing.
    pub fn run(&self, rt: &dyn Runtime, settings: &Settings) -> Results {
        let data: Vec<&[u8]> = self.inputs.iter().map(|input| input.data).collect();
        match self.op {
            Op::Commit => {
                let made = blob_to_kzg_commitment_many(rt, settings, &data);
                made.into_iter().map(|made| Ok(Made::Commitment(made?))).collect()
            }
            Op::Prove { z } => self.prove(rt, settings, z),
            Op::Cells { proofs: false } => cells(compute_cells_many(rt, settings, &data)),
            Op::Cells { proofs: true } => cells(compute_cells_and_kzg_proofs_many(rt, settings, &data)),
            Op::Recover { proofs } => {
                let parts: Vec<Vec<&[u8]>> =
                    data.iter().map(|data| data.chunks(BYTES_PER_CELL).collect()).collect();
                let samples = self.inputs.iter().zip(&parts);
                let samples: Vec<Samples<'_>> =
                    samples.map(|(input, cells)| Samples { cell_indices: &input.indices, cells }).collect();
                match proofs {
                    false => cells(recover_cells_many(rt, settings, &samples)),
                    true => cells(recover_cells_and_kzg_proofs_many(rt, settings, &samples)),
                }
            }
            Op::VerifyBlobs => {
                let commitments: Vec<&[u8]> = self.inputs.iter().map(|input| input.commitment).collect();
                let proofs: Vec<&[u8]> = self.inputs.iter().map(|input| input.proofs).collect();
                let all = verify_blob_kzg_proof_batch(rt, settings, &data, &commitments, &proofs);
                self.verdicts(rt, all, VERIFY_NS, |i| {
                    verify_blob_kzg_proof(rt, settings, data[i], commitments[i], proofs[i])
                })
            }
            Op::VerifyOpenings => each(rt, self.inputs.len(), VERIFY_NS, |i| {
                let Input { data, commitment, proofs, .. } = &self.inputs[i];
                let (z, y) = data.split_at(data.len().min(size_of::<FieldBytes>()));
                Ok(Made::Verdict(verify_kzg_proof(rt, settings, commitment, z, y, proofs)?.into()))
            }),
            Op::VerifyCells => {
                let all = verify_cells(rt, settings, &self.inputs);
                self.verdicts(rt, all, VERIFY_CELLS_NS, |i| verify_cells(rt, settings, &self.inputs[i..=i]))
            }
        }
    }

    fn prove(&self, rt: &dyn Runtime, settings: &Settings, z: Option<FieldBytes>) -> Results {
        // Commitments first, where they are not known; a blob that is refused there comes no further.
        let is_unknown = |input: &&Input<'_>| input.commitment.is_empty();
        let unknown: Vec<&[u8]> = self.inputs.iter().filter(is_unknown).map(|input| input.data).collect();
        let mut computed = blob_to_kzg_commitment_many(rt, settings, &unknown).into_iter();
        let commitments = self.inputs.iter().filter_map(|input| match input.commitment.is_empty() {
            true => computed.next(),
            false => Some(input.commitment.try_into().map_err(|_| Error::Length {
                what: parcrypt_kzg::Input::Commitment,
                index: 0,
                expected: size_of::<Commitment>(),
                got: input.commitment.len(),
            })),
        });
        let commitments: Vec<Result<Commitment, Error>> = commitments.collect();
        let (good, known): (Vec<&[u8]>, Vec<Commitment>) = self
            .inputs
            .iter()
            .zip(&commitments)
            .filter_map(|(input, commitment)| Some((input.data, *commitment.as_ref().ok()?)))
            .unzip();
        let mut proofs = proofs(rt, settings, &good, &known, z).into_iter();
        let made = commitments.into_iter().filter_map(|commitment| match commitment {
            Ok(commitment) => {
                let proof = proofs.next()?;
                Some(proof.map(|(proof, y)| Made::Proof { commitment, proof, y }).map_err(Failure::from))
            }
            Err(error) => Some(Err(error.into())),
        });
        made.collect()
    }

    /// The verdict on all together, and on each alone where one of them is wrong at least.
    fn verdicts(
        &self,
        rt: &dyn Runtime,
        all: Result<bool, Error>,
        ns: u64,
        alone: impl Fn(usize) -> Result<bool, Error> + Sync,
    ) -> Results {
        if all == Ok(true) {
            return self.inputs.iter().map(|_| Ok(Made::Verdict(Verdict::Yes))).collect();
        }
        each(rt, self.inputs.len(), ns, |i| Ok(Made::Verdict(alone(i)?.into())))
    }
}

/// The proofs of blobs, or of values at z with the values.
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
    each(rt, blobs.len(), OPENING_NS, |i| {
        let (proof, y) = compute_kzg_proof(rt, settings, blobs[i], &z)?;
        Ok((proof, Some(y)))
    })
}

/// What a kernel gives for a batch, with or without proofs, in one shape.
fn cells<T: Into<Made>>(all: Vec<Result<T, Error>>) -> Results {
    all.into_iter().map(|made| Ok(made?.into())).collect()
}

impl From<Vec<Cell>> for Made {
    fn from(cells: Vec<Cell>) -> Self {
        Made::Cells { cells, proofs: None }
    }
}

impl From<CellsAndProofs> for Made {
    fn from(CellsAndProofs { cells, proofs }: CellsAndProofs) -> Self {
        Made::Cells { cells, proofs: Some(proofs) }
    }
}

/// Whether all of these are right.
fn verify_cells(rt: &dyn Runtime, settings: &Settings, inputs: &[Input<'_>]) -> Result<bool, Error> {
    let (mut commitments, mut indices, mut cells, mut proofs) = (vec![], vec![], vec![], vec![]);
    for input in inputs {
        commitments.extend(input.indices.iter().map(|_| input.commitment));
        indices.extend_from_slice(&input.indices);
        cells.extend(input.data.chunks(BYTES_PER_CELL));
        proofs.extend(input.proofs.chunks(BYTES_PER_PROOF));
    }
    verify_cell_kzg_proof_batch(rt, settings, &commitments, &indices, &cells, &proofs)
}
