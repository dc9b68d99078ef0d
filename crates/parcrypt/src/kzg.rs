//! `parcrypt kzg`: KZG over files: commitments, proofs and cells of blobs, their verification, and recovery.
//!
//! [`blobs`], [`cells`] and [`verify`] have the commands: each reads its inputs for an operation of
//! [`parcrypt_kzg::jobs`]. All share the search for inputs ([`entries`]), their formats ([`input`]), the pipeline that
//! reads, computes and writes ([`pipeline`]), the forms of results ([`output`]) and their files ([`store`]).

mod blobs;
mod cells;
mod engine;
mod entries;
mod input;
mod output;
mod pipeline;
mod store;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use parcrypt_kzg::{Error, Input};

use crate::error::CommandError;
use crate::ranks::Session;
use crate::text::{hex, shown, tell};
use engine::{Engine, EngineArguments};
use entries::{Entry, Found};
use pipeline::Job;
use store::Store;

/// KZG commitments and proofs of blobs, cells, and recovery, over files (EIP-4844, EIP-7594)
#[derive(Args, Debug)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
A blob is a file of 131072 bytes, raw or in hexadecimal. Results of NAME:

  NAME.commitment   48 bytes in hexadecimal, by commit and prove
  NAME.proof        48 bytes in hexadecimal, by prove: the blob matches the commitment
  NAME.opening      a JSON object, by prove --z: the polynomial's value at a point
  NAME.cells        128 cells of 2048 bytes, by cells and recover
  NAME.proofs       128 proofs of 48 bytes, in the same order
  NAME.cells/       instead of both, a file for each present cell: 007.cell and
                    007.proof; by cells --split, and the input of recover

Examples:
  mkdir -p blobs
  yes blob | head -c 131072 > blobs/a.blob    a blob
  parcrypt kzg commit blobs                   blobs/a.blob.commitment
  parcrypt kzg prove blobs                    blobs/a.blob.proof
  parcrypt kzg verify blobs                   do they match?
  parcrypt kzg cells blobs --out whole        whole/a.blob.cells, whole/a.blob.proofs
  parcrypt kzg cells blobs --out part --split
  rm part/a.blob.cells/0[0-5]*                lose 60 of 128 cells
  parcrypt kzg recover part --out again       recover all of them
  cmp whole/a.blob.cells again/a.blob.cells

Complete results are not computed again: the ledger .parcrypt-kzg in a folder of
results has the SHA-256 of each result and of its blob, which are compared with the
files. A blob that changed after its result was computed is an error. The ledger
itself is trusted: verify and verify-cells check results without it, and --force
computes everything again.

The last line on standard error counts what was done, done before, verified and
failed; --quiet omits it.

Exit codes: 0 done, 1 a negative answer, 2 an error, 130 stopped by Ctrl-C."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Commit(blobs::CommitArguments),
    Prove(blobs::ProveArguments),
    Verify(verify::VerifyArguments),
    Cells(cells::CellsArguments),
    Recover(cells::RecoverArguments),
    VerifyCells(verify::VerifyCellsArguments),
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match &arguments.command {
        Command::Commit(it) => engine::over_ranks(&it.job.engine, |session| blobs::commit(it, session)),
        Command::Prove(it) => engine::over_ranks(&it.job.engine, |session| blobs::prove(it, session)),
        Command::Verify(it) => engine::over_ranks(&it.engine, |session| verify::verify(it, session)),
        Command::Cells(it) => engine::over_ranks(&it.job.engine, |session| cells::cells(it, session)),
        Command::Recover(it) => engine::over_ranks(&it.job.engine, |session| cells::recover(it, session)),
        Command::VerifyCells(it) => {
            engine::over_ranks(&it.engine, |session| verify::verify_cells(it, session))
        }
    }
}

/// Options of a job over many inputs.
#[derive(Args, Clone, Copy, Debug)]
struct StreamArguments {
    /// Print a JSON object for each input instead of text, with the names of the consensus specifications
    #[arg(long)]
    json: bool,
    /// Only print errors, failed verifications and results without a file: no progress, notes or last line; with
    /// --json, only objects and errors
    #[arg(short, long)]
    quiet: bool,
    // A rank gets at most 3500, so that they and their results are below the largest message, 1 GiB.
    /// Batch size, with --mpi of a rank; memory holds 3 batches, with --mpi 10 per rank [default: by threads and
    /// memory]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=3500), next_line_help = false)]
    batch: Option<u16>,
}

/// The options of an operation whose results are kept.
#[derive(Args, Debug)]
struct JobArguments {
    /// Folder for the results, created if it does not exist [default: next to the inputs]
    #[arg(long, value_name = "FOLDER", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Compute all results again, whatever the ledger .parcrypt-kzg has, and overwrite existing files, including files
    /// of other programs and of blobs that have changed
    #[arg(long, conflicts_with = "json")]
    force: bool,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

impl JobArguments {
    /// Runs the job that `job` makes with the store of its results.
    fn run<'a>(
        &self,
        found: &Found,
        session: Option<&mut Session>,
        job: impl FnOnce(Store) -> Job<'a>,
    ) -> Result<ExitCode, CommandError> {
        let engine = Engine::new(&self.engine, session)?;
        let store = Store::new(self, &engine.setup, found)?;
        Ok(pipeline::run(&job(store), found, engine, self.stream))
    }
}

#[derive(Debug)]
struct InputError {
    /// The message, with the path of the file.
    text: String,
    /// Whether the error would also affect the other inputs.
    fatal: bool,
    /// Whether the contents of a file are wrong. A verification then fails; for all else it is an error.
    damage: bool,
    /// What may help; printed once, at the end.
    hint: Option<&'static str>,
}

impl InputError {
    fn file(text: impl Into<String>) -> Self {
        InputError { text: text.into(), fatal: false, damage: false, hint: None }
    }

    fn fatal(text: impl Into<String>) -> Self {
        InputError { fatal: true, ..InputError::file(text) }
    }

    fn damage(text: impl Into<String>) -> Self {
        InputError { damage: true, ..InputError::file(text) }
    }

    /// Returns the error of an input that the library refused; `indices` are the indices of its cells.
    fn of(entry: &Entry, indices: &[u64], error: &Error) -> Self {
        let path = shown(&entry.path);
        match damage(error, |index| indices.get(index).copied()) {
            Some(why) => InputError::damage(format!("{path}: {why}")),
            None if *error == Error::Inconsistent => InputError::file(format!(
                "{path}: {error}: `parcrypt kzg verify-cells {path} --commitments FOLDER` finds the wrong ones; remove them"
            )),
            None => InputError::file(format!("{path}: {error}")),
        }
    }
}

/// Returns what is wrong with bytes that the library refused: the part of the input, with the cell of the error's
/// index, and why; `None` for other errors.
fn damage(error: &Error, cell: impl Fn(usize) -> Option<u64>) -> Option<String> {
    let (what, index, why) = match error {
        Error::NotCanonical { what, index, element } => {
            (what, *index, format!("field element {element} is not below the modulus"))
        }
        Error::Point { what, index, why } => (what, *index, why.to_string()),
        _ => return None,
    };
    Some(match (what, cell(index)) {
        (Input::Cell, Some(cell)) => format!("cell {cell}: {why}"),
        (Input::Proof, Some(cell)) => format!("proof of cell {cell}: {why}"),
        _ => format!("{what}: {why}"),
    })
}

/// Returns `0x` and the hexadecimal digits, as in the consensus specifications.
fn hex0x(bytes: impl AsRef<[u8]>) -> String {
    format!("0x{}", hex(bytes.as_ref()))
}
