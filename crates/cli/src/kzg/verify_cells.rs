//! `parcrypt kzg verify-cells`: whether cells belong to the commitments of their blobs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::{BYTES_PER_PROOF, Commitment, Error, verify_cell_kzg_proof_batch};

use super::engine::{Engine, EngineArguments};
use super::entries::{self, Entry, Want};
use super::input::{self, Cells};
use super::results::beside;
use super::stream::{self, Answer, Fresh, Job, Step};
use super::verify::said;
use super::{StreamArguments, Trouble, VERIFIED_AT_ONCE, each};
use crate::problem::Problem;

/// What the verification of the cells of one blob costs one thread, in nanoseconds.
const VERIFY_NS: u64 = 13_000_000;

/// Verify that cells belong to the commitments of their blobs
#[derive(Args, Debug)]
#[command(after_help = "\
For the file NAME.cells it takes NAME.proofs; for the folder NAME.cells the proofs
in it, and so some of the cells are enough. Each set of cells is right as a whole or
not.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg commit blobs
  parcrypt kzg cells blobs
  parcrypt kzg verify-cells blobs                           commitments beside them
  parcrypt kzg cells blobs --out single --split
  parcrypt kzg verify-cells single --commitments blobs      commitments elsewhere

Exit codes: 0 all are right; 1 one is not; 2 one could not be verified.")]
pub(super) struct Arguments {
    /// Sets of cells, NAME.cells, and folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Folder with NAME.commitment; beside the cells where it is left out
    #[arg(long, value_name = "FOLDER")]
    commitments: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Problem> {
    let found = entries::find(&arguments.paths, Want::Cells)?;
    let mut engine = Engine::new(&arguments.engine, None)?;
    let options = arguments.stream.options(&engine, VERIFIED_AT_ONCE, true);
    let job = VerifyCells { commitments: arguments.commitments.clone() };
    Ok(stream::run(&job, &found, Want::Cells, &mut engine, options))
}

struct VerifyCells {
    /// Where commitments are, if not beside the cells.
    commitments: Option<PathBuf>,
}

struct Read {
    commitment: Commitment,
    cells: Cells,
    proofs: Vec<u8>,
}

impl Job for VerifyCells {
    type Read = Read;
    type Made = bool;

    fn read(&self, entry: &Entry) -> Result<Step<Read, bool>, Trouble> {
        let path = beside(self.commitments.as_deref(), entry, ".commitment").unwrap_or_default();
        let commitment = input::read_result(&path, "a commitment", "parcrypt kzg commit")?;
        let cells = input::read_cells(&entry.path)?;
        let proofs = beside(None, entry, ".proofs").unwrap_or_default();
        let proofs = input::read_proofs(&proofs, &cells)?;
        Ok(Step::Fresh(Read { commitment, cells, proofs }))
    }

    fn work(&self, engine: &Engine, all: &[Fresh<'_, Read>]) -> Vec<Result<bool, Trouble>> {
        if check(engine, all) == Ok(true) {
            return all.iter().map(|_| Ok(true)).collect();
        }
        // One of them is wrong at least: which?
        each(&*engine.runtime, all.len(), VERIFY_NS, |i| {
            check(engine, &all[i..=i]).map_err(|e| Trouble::of_cells(all[i].0, &all[i].1.cells, &e))
        })
    }

    fn save(&self, _read: &Read, _made: &bool) -> Result<(), Trouble> {
        Ok(())
    }

    fn answer(&self, entry: &Entry, made: &bool) -> Answer {
        said(&entry.path, *made)
    }
}

/// Whether all of these are right.
fn check(engine: &Engine, all: &[Fresh<'_, Read>]) -> Result<bool, Error> {
    let (mut commitments, mut indices, mut cells, mut proofs) = (vec![], vec![], vec![], vec![]);
    for (_, read) in all {
        commitments.extend(read.cells.indices.iter().map(|_| &read.commitment[..]));
        indices.extend(&read.cells.indices);
        cells.extend(read.cells.cells());
        proofs.extend(read.proofs.chunks(BYTES_PER_PROOF));
    }
    let (rt, settings) = (&*engine.runtime, &engine.settings);
    verify_cell_kzg_proof_batch(rt, settings, &commitments, &indices, &cells, &proofs)
}
