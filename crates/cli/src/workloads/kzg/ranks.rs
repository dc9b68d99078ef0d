//! The workloads of KZG over ranks: as pieces for them, and the answer from what comes back.

use std::num::NonZeroUsize;
use std::sync::Arc;

use parcrypt_cluster::{Error, Input, Made, Next, Op, Piece, Session, Task as Piecework, Verdict};
use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, CELLS_PER_EXT_BLOB, CellsAndProofs};
use parcrypt_runtime::Runtime;

use super::{Answer, Task, Work, parts, refs};
use crate::workload::Spread;

const CELLS_BYTES: usize = CELLS_PER_EXT_BLOB * BYTES_PER_CELL;

impl Spread for Work {
    fn set_up(&mut self, session: &mut Session, rt: &dyn Runtime) -> Result<(), Error> {
        let mut settings = (*self.settings).clone();
        session.set_up(rt, &mut settings, Some(self.tables_mib), NonZeroUsize::new(rt.threads().get()))?;
        self.settings = Arc::new(settings);
        Ok(())
    }

    fn iterate_over(&mut self, session: &mut Session, rt: &dyn Runtime) -> Result<(), Error> {
        self.answer = Answer::Nothing;
        let (op, inputs) = self.inputs().unwrap_or((Op::Commit, Vec::new()));
        let together = match op {
            // A batch of one rank costs less than many small ones.
            Op::VerifyBlobs | Op::VerifyOpenings | Op::VerifyCells => inputs.len().div_ceil(session.ranks()),
            _ if rt.threads().get() == 1 => 1,
            _ => 2 * rt.threads().get(),
        };
        let mut pieces = inputs.chunks(together.max(1));
        let mut next = || match pieces.next() {
            Some(inputs) => Next::Piece((), Piece::from(&Piecework { op, inputs: inputs.to_vec() })),
            None => Next::End,
        };
        let mut all = Vec::new();
        session.run(rt, &self.settings, &mut next, &mut |(), made| all.extend(made.into_iter().flatten()))?;
        let made = all.into_iter().map(|made| {
            made.unwrap_or_else(|why| panic!("the library refuses what was prepared for it: {why}"))
        });
        self.answer = answer(made.collect());
        Ok(())
    }
}

impl Work {
    /// What is to be done with which inputs; nothing where there is but one, which no ranks can share.
    pub(super) fn inputs(&self) -> Option<(Op, Vec<Input<'_>>)> {
        let data = |bytes| {
            let inputs = parts(bytes, BYTES_PER_BLOB).into_iter();
            inputs.map(|data| Input { data, ..Input::default() }).collect()
        };
        Some(match &self.task {
            Task::Commit { blobs } => (Op::Commit, data(blobs)),
            Task::BlobProof { blobs, commitments } => {
                let inputs: Vec<Input<'_>> = data(blobs);
                let with = |(input, commitment)| Input { commitment, ..input };
                (Op::Prove { z: None }, inputs.into_iter().zip(refs(commitments)).map(with).collect())
            }
            Task::VerifyBlobs(batch) => {
                let inputs: Vec<Input<'_>> = data(&batch.blobs);
                let points = refs(&batch.commitments).into_iter().zip(refs(&batch.proofs));
                let with = |(input, (commitment, proofs))| Input { commitment, proofs, ..input };
                (Op::VerifyBlobs, inputs.into_iter().zip(points).map(with).collect())
            }
            Task::Cells { blobs } => (Op::Cells { proofs: false }, data(blobs)),
            Task::CellsAndProofs { blobs } => (Op::Cells { proofs: true }, data(blobs)),
            Task::RecoverCells(halves) | Task::Recover(halves) => {
                let proofs = matches!(self.task, Task::Recover(_));
                let with =
                    |cells| Input { data: cells, indices: (&halves.indices).into(), ..Input::default() };
                let cells = halves.cells.iter().map(|cells| cells.as_flattened());
                (Op::Recover { proofs }, cells.map(with).collect())
            }
            Task::VerifyCells(batch) => {
                let cells = parts(&batch.cells, CELLS_BYTES).into_iter().enumerate();
                let input = |(blob, data)| {
                    let first = blob * CELLS_PER_EXT_BLOB;
                    let all = first..first + CELLS_PER_EXT_BLOB;
                    Input {
                        data,
                        indices: (&batch.indices[all.clone()]).into(),
                        commitment: &batch.commitments[first],
                        proofs: batch.proofs[all].as_flattened(),
                    }
                };
                (Op::VerifyCells, cells.map(input).collect())
            }
            Task::VerifyProof { .. } | Task::VerifyBlob(_) => return None,
        })
    }
}

/// All results in one.
fn answer(all: Vec<Made>) -> Answer {
    let mut answer = Answer::Nothing;
    for made in all {
        match (made, &mut answer) {
            (Made::Commitment(point) | Made::Proof { proof: point, .. }, Answer::Points(all)) => {
                all.push(point)
            }
            (Made::Commitment(point) | Made::Proof { proof: point, .. }, answer) => {
                *answer = Answer::Points(vec![point]);
            }
            (Made::Cells { cells, proofs: None }, Answer::Cells(all)) => all.push(cells),
            (Made::Cells { cells, proofs: None }, answer) => *answer = Answer::Cells(vec![cells]),
            (Made::Cells { cells, proofs: Some(proofs) }, Answer::CellsAndProofs(all)) => {
                all.push(CellsAndProofs { cells, proofs });
            }
            (Made::Cells { cells, proofs: Some(proofs) }, answer) => {
                *answer = Answer::CellsAndProofs(vec![CellsAndProofs { cells, proofs }]);
            }
            (Made::Verdict(verdict), Answer::Verdict(all)) => *all &= verdict == Verdict::Yes,
            (Made::Verdict(verdict), answer) => *answer = Answer::Verdict(verdict == Verdict::Yes),
        }
    }
    answer
}
