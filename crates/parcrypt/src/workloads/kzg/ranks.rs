//! The workloads of KZG as jobs over ranks, and their output.

use std::num::NonZeroUsize;

use parcrypt_cluster::{EncodedJob, Error, NextJob, Session};
use parcrypt_kzg::jobs::{Item, Job, Operation, Output as JobOutput};
use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, CELLS_PER_EXT_BLOB, CellsAndProofs};
use parcrypt_runtime::Runtime;

use super::inputs::{parts, refs};
use super::task::{Output, PreparedTask, Task};
use crate::workload::Spread;

const CELLS_BYTES: usize = CELLS_PER_EXT_BLOB * BYTES_PER_CELL;

impl Spread for PreparedTask {
    fn set_up(&mut self, session: &mut Session, rt: &dyn Runtime) -> Result<(), Error> {
        session.set_up(&self.settings, NonZeroUsize::new(rt.threads().get()))
    }

    fn iterate_over(&mut self, session: &mut Session, rt: &dyn Runtime) -> Result<(), Error> {
        self.output = Output::Nothing;
        let (operation, items) = self.items().unwrap_or((Operation::Commit, Vec::new()));
        let per_job = match operation {
            // A batch of one rank costs less than many small ones.
            Operation::VerifyBlobs | Operation::VerifyOpenings | Operation::VerifyCells => {
                items.len().div_ceil(session.ranks())
            }
            _ if rt.threads().get() == 1 => 1,
            _ => 2 * rt.threads().get(),
        };
        let mut chunks = items.chunks(per_job.max(1));
        let mut next = || match chunks.next() {
            Some(items) => NextJob::Job((), EncodedJob::from(&Job { operation, items: items.to_vec() })),
            None => NextJob::End,
        };
        let mut all = Vec::new();
        session.run(rt, &self.settings, &mut next, &mut |(), outcome| {
            all.extend(outcome.into_iter().flatten())
        })?;
        let made = all.into_iter().map(|made| {
            made.unwrap_or_else(|why| panic!("the library refuses what was prepared for it: {why}"))
        });
        self.output = output(made.collect());
        Ok(())
    }
}

impl PreparedTask {
    /// Returns the operation and its inputs; `None` for a single input and for a column, which ranks cannot share.
    pub(super) fn items(&self) -> Option<(Operation, Vec<Item<'_>>)> {
        let data = |bytes| {
            let inputs = parts(bytes, BYTES_PER_BLOB).into_iter();
            inputs.map(|data| Item { data, ..Item::default() }).collect()
        };
        Some(match &self.task {
            Task::Commit { blobs } => (Operation::Commit, data(blobs)),
            Task::BlobProof { blobs, commitments } => {
                let inputs: Vec<Item<'_>> = data(blobs);
                let with = |(input, commitment)| Item { commitment, ..input };
                (Operation::Prove { z: None }, inputs.into_iter().zip(refs(commitments)).map(with).collect())
            }
            Task::VerifyBlobs(batch) => {
                let inputs: Vec<Item<'_>> = data(&batch.blobs);
                let points = refs(&batch.commitments).into_iter().zip(refs(&batch.proofs));
                let with = |(input, (commitment, proofs))| Item { commitment, proofs, ..input };
                (Operation::VerifyBlobs, inputs.into_iter().zip(points).map(with).collect())
            }
            Task::Cells { blobs, proofs, columns: None } => {
                (Operation::Cells { proofs: *proofs }, data(blobs))
            }
            Task::Recover { halves, proofs } => {
                let with = |cells| Item { data: cells, indices: (&halves.indices).into(), ..Item::default() };
                let cells = halves.cells.iter().map(|cells| cells.as_flattened());
                (Operation::Recover { proofs: *proofs }, cells.map(with).collect())
            }
            // The cells of a column belong to as many blobs, of which a job has one.
            Task::VerifyCells(batch) if !batch.indices.starts_with(&[0, 1]) => return None,
            Task::VerifyCells(batch) => {
                let cells = parts(&batch.cells, CELLS_BYTES).into_iter().enumerate();
                let input = |(blob, data)| {
                    let first = blob * CELLS_PER_EXT_BLOB;
                    let all = first..first + CELLS_PER_EXT_BLOB;
                    Item {
                        data,
                        indices: (&batch.indices[all.clone()]).into(),
                        commitment: &batch.commitments[first],
                        proofs: batch.proofs[all].as_flattened(),
                    }
                };
                (Operation::VerifyCells, cells.map(input).collect())
            }
            Task::VerifyProof { .. }
            | Task::VerifyBlob(_)
            | Task::Cells { columns: Some(_), .. }
            | Task::VerifyColumns(_)
            | Task::FindWrong(_) => return None,
        })
    }
}

fn output(all: Vec<JobOutput>) -> Output {
    let (mut points, mut cells_and_proofs, mut verdict) = (Vec::new(), Vec::new(), None);
    for made in all {
        match made {
            JobOutput::Commitment(point) | JobOutput::Proof { proof: point, .. } => points.push(point),
            JobOutput::Cells { cells, proofs } => {
                cells_and_proofs.push(CellsAndProofs { cells, proofs: proofs.unwrap_or_default() });
            }
            JobOutput::Verified(verified) => verdict = Some(verdict.unwrap_or(true) && verified),
            JobOutput::WrongCells(_) => verdict = Some(false),
        }
    }
    match verdict {
        Some(verdict) => Output::Verified(verdict),
        None if !points.is_empty() => Output::Points(points),
        None => Output::CellsAndProofs(cells_and_proofs),
    }
}
