//! `parcrypt kzg verify-cells`: verification of cells against the commitments of their blobs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::Commitment;
use parcrypt_kzg::jobs::{self, Operation};

use super::engine::{Engine, EngineArguments};
use super::entries::{self, Entry, Want};
use super::input::{self, Cells};
use super::results::result_path;
use super::stream;
use super::verify::{Verification, Verify};
use super::{InputError, StreamArguments, VERIFIED_AT_ONCE};
use crate::error::CommandError;
use crate::ranks::Session;

/// Verify cells against the commitments of their blobs
#[derive(Args, Debug)]
#[command(after_help = "\
For the file NAME.cells it reads NAME.proofs; for the folder NAME.cells the proofs in
it, and any number of the cells is enough. A set of cells is right only if all of it is;
the cells that are wrong are named.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg commit blobs
  parcrypt kzg cells blobs
  parcrypt kzg verify-cells blobs                           commitments next to them
  parcrypt kzg cells blobs --out single --split
  parcrypt kzg verify-cells single --commitments blobs      commitments elsewhere

Exit codes: 0 all are right; 1 one is wrong, or its file is damaged; 2 a file is missing
or cannot be read; 130 stopped by Ctrl-C.")]
pub(super) struct Arguments {
    /// Sets of cells, NAME.cells, and folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Folder with NAME.commitment [default: next to the cells]
    #[arg(long, value_name = "FOLDER")]
    commitments: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
}

pub(super) fn run(arguments: &Arguments, session: Option<&mut Session>) -> Result<ExitCode, CommandError> {
    let found = entries::find(&arguments.paths, Want::Cells)?;
    let mut engine = Engine::new(&arguments.engine, None, session)?;
    let options = arguments.stream.options(&engine, found.entries.len(), VERIFIED_AT_ONCE, true);
    let job = Verify(VerifyCells { commitments: arguments.commitments.clone() });
    Ok(stream::run(&job, &found, Want::Cells, &mut engine, options))
}

struct VerifyCells {
    /// The folder of commitments; `None` for the folder of each input.
    commitments: Option<PathBuf>,
}

struct Read {
    commitment: Commitment,
    cells: Cells,
    proofs: Vec<u8>,
}

impl Verification for VerifyCells {
    const OPERATION: Operation = Operation::VerifyCells;
    type Read = Read;

    fn read(&self, entry: &Entry) -> Result<Read, InputError> {
        let path = result_path(self.commitments.as_deref(), entry, ".commitment").unwrap_or_default();
        let commitment = input::read_result(&path, "a commitment", "parcrypt kzg commit")?;
        let cells = input::read_cells(&entry.path)?;
        let proofs = result_path(None, entry, ".proofs").unwrap_or_default();
        let proofs = input::read_proofs(&proofs, &cells)?;
        Ok(Read { commitment, cells, proofs })
    }

    fn item<'a>(&self, read: &'a Read) -> jobs::Item<'a> {
        let Read { commitment, cells, proofs } = read;
        jobs::Item { data: &cells.bytes, indices: (&cells.indices).into(), commitment, proofs }
    }

    fn error(&self, entry: &Entry, read: &Read, error: &parcrypt_kzg::Error) -> InputError {
        InputError::of_cells(entry, &read.cells, error)
    }
}
