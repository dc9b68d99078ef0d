//! The operations of the KZG workloads: their prepared inputs, and one run.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use parcrypt_cpu::Requests;
use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, CellsAndProofs, FieldBytes, Proof, Settings, Want};
use parcrypt_runtime::{Runtime, Serial};

use super::inputs::{Batch, CellBatch, Columns, Halves, commitments, done, each, parts, spoiled};
#[cfg(feature = "mpi")]
use crate::workload::Spread;
use crate::workload::params::Values;
use crate::workload::{self, Error, Prepared, Rows};

/// Returns mainnet's setup with tables of at most `tables_mib` MiB. It is kept, because `verify` needs the same few
/// many times; `kzg-load` loads it each time.
pub(super) fn settings(
    rt: &dyn Runtime,
    requests: &Requests,
    tables_mib: u64,
) -> Result<Arc<Settings>, Error> {
    type Kept = Vec<((Requests, u64), Arc<Settings>)>;
    static KEPT: Mutex<Kept> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (requests.clone(), tables_mib);
    if let Some((_, settings)) = kept.iter().find(|(known, _)| *known == key) {
        return Ok(Arc::clone(settings));
    }
    let settings = Arc::new(load(rt, requests, tables_mib)?);
    kept.push((key, Arc::clone(&settings)));
    Ok(settings)
}

pub(super) fn load(rt: &dyn Runtime, requests: &Requests, tables_mib: u64) -> Result<Settings, Error> {
    let mut settings = Settings::mainnet(requests.clone())?;
    if tables_mib > 0 {
        settings.build_tables(rt, tables_mib as usize)?;
    }
    Ok(settings)
}

pub(super) enum Task {
    Commit {
        blobs: Vec<u8>,
    },
    BlobProof {
        blobs: Vec<u8>,
        commitments: Vec<Proof>,
    },
    VerifyProof {
        commitment: Proof,
        z: FieldBytes,
        y: FieldBytes,
        proof: Proof,
    },
    VerifyBlob(Batch),
    VerifyBlobs(Batch),
    /// Cells of these columns, all for `None`, and their proofs if they are wanted.
    Cells {
        blobs: Vec<u8>,
        proofs: bool,
        columns: Option<Vec<u64>>,
    },
    Recover {
        halves: Halves,
        proofs: bool,
    },
    VerifyCells(CellBatch),
    VerifyColumns(Columns),
    FindWrong(CellBatch),
}

pub(super) enum Output {
    Nothing,
    Points(Vec<Proof>),
    CellsAndProofs(Vec<CellsAndProofs>),
    Bytes(Vec<u8>),
    Verified(bool),
}

pub(super) struct PreparedTask {
    pub(super) settings: Arc<Settings>,
    pub(super) task: Task,
    pub(super) output: Output,
}

impl PreparedTask {
    pub(super) fn ready(
        values: &Values,
        rt: &dyn Runtime,
        rows: &Rows,
        make: impl FnOnce(&Settings, &dyn Runtime) -> Result<Task, Error>,
    ) -> Result<Box<dyn Prepared>, Error> {
        let settings = settings(rt, &rows.requests(), values.number("tables-mib"))?;
        let task = make(&settings, rt)?;
        workload::forget_peak();
        Ok(Box::new(PreparedTask { settings, task, output: Output::Nothing }))
    }

    /// Returns the verdict on the same inputs with one bit flipped, which detects a verifier that always accepts.
    fn verdict_on_spoiled(&self) -> bool {
        let settings = &self.settings;
        let with_last = |bytes: &[u8], len: usize, verify: &dyn Fn(&[&[u8]]) -> bool| {
            let mut all = parts(bytes, len);
            let last = spoiled(all.pop().unwrap_or_default());
            all.push(&last);
            verify(&all)
        };
        match &self.task {
            Task::VerifyProof { commitment, z, y, proof } => {
                done(parcrypt_kzg::verify_kzg_proof(&Serial, settings, commitment, &spoiled(z), y, proof))
            }
            Task::VerifyBlob(batch) => batch.verify_first(&Serial, settings, &spoiled(&batch.blobs)),
            Task::VerifyBlobs(batch) => {
                with_last(&batch.blobs, BYTES_PER_BLOB, &|blobs| batch.verify(&Serial, settings, blobs))
            }
            Task::VerifyCells(batch) => {
                with_last(&batch.cells, BYTES_PER_CELL, &|cells| batch.verify(&Serial, settings, cells))
            }
            Task::VerifyColumns(columns) => with_last(&columns.batch.cells, BYTES_PER_CELL, &|cells| {
                columns.verify(&Serial, settings, cells)
            }),
            _ => unreachable!("only a verifier has a verdict"),
        }
    }
}

impl Prepared for PreparedTask {
    fn iterate(&mut self, rt: &dyn Runtime) {
        // The memory of the last output is freed before the next.
        self.output = Output::Nothing;
        let settings = black_box(&*self.settings);
        self.output = black_box(match black_box(&self.task) {
            Task::Commit { blobs } => Output::Points(done(commitments(rt, settings, blobs))),
            Task::BlobProof { blobs, commitments } => {
                let blobs = parts(blobs, BYTES_PER_BLOB);
                let prove = |i: usize| {
                    done(parcrypt_kzg::compute_blob_kzg_proof(rt, settings, blobs[i], &commitments[i]))
                };
                Output::Points(each(rt, blobs.len(), prove))
            }
            Task::VerifyProof { commitment, z, y, proof } => {
                Output::Verified(done(parcrypt_kzg::verify_kzg_proof(rt, settings, commitment, z, y, proof)))
            }
            Task::VerifyBlob(batch) => Output::Verified(batch.verify_first(rt, settings, &batch.blobs)),
            Task::VerifyBlobs(batch) => {
                Output::Verified(batch.verify(rt, settings, &parts(&batch.blobs, BYTES_PER_BLOB)))
            }
            Task::Cells { blobs, proofs, columns } => {
                let want = Want { cells: true, proofs: *proofs, columns: columns.as_deref() };
                let made = parcrypt_kzg::compute_wanted(rt, settings, &parts(blobs, BYTES_PER_BLOB), want);
                Output::CellsAndProofs(done(made).into_iter().map(done).collect())
            }
            Task::Recover { halves, proofs } => Output::CellsAndProofs(halves.recover(rt, settings, *proofs)),
            Task::VerifyCells(batch) => {
                Output::Verified(batch.verify(rt, settings, &parts(&batch.cells, BYTES_PER_CELL)))
            }
            Task::VerifyColumns(columns) => {
                Output::Verified(columns.verify(rt, settings, &parts(&columns.batch.cells, BYTES_PER_CELL)))
            }
            Task::FindWrong(batch) => Output::Bytes(batch.find_wrong(rt, settings)),
        });
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        match &self.output {
            Output::Nothing => {}
            Output::Points(points) => points.iter().for_each(|point| take(point)),
            Output::CellsAndProofs(all) => {
                for CellsAndProofs { cells, proofs } in all {
                    cells.iter().for_each(|cell| take(cell));
                    proofs.iter().for_each(|proof| take(proof));
                }
            }
            Output::Bytes(bytes) => take(bytes),
            Output::Verified(verified) => take(&[u8::from(*verified), u8::from(self.verdict_on_spoiled())]),
        }
    }

    #[cfg(feature = "mpi")]
    fn spread(&mut self) -> Option<&mut dyn Spread> {
        if self.items().is_some() { Some(self) } else { None }
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        workload::peak_count()
    }
}
