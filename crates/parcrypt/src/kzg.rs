//! `parcrypt kzg`: KZG over files: commitments, proofs and cells of blobs, their verification, and recovery.
//!
//! An operation is a file here that implements [`stream::FileJob`]: it reads, computes and writes the files of one
//! input. All share the search for inputs ([`entries`]), their formats ([`input`]), the pipeline ([`stream`]) and the
//! files of results ([`results`], [`scratch`], [`ledger`]).

mod cells;
mod commit;
mod engine;
mod entries;
mod input;
mod ledger;
mod opening;
mod prove;
mod recover;
mod results;
mod scratch;
mod stream;
mod verify;
mod verify_cells;
mod wrong_cells;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use parcrypt_kzg::{Error, Input};
use serde_json::Value;

use crate::error::{CommandError, fail};
use crate::ranks::Session;
use crate::text::{hex, shown, tell};
use engine::{Engine, EngineArguments, TableArguments};
use entries::{Entry, Found, Want};
use input::{Cells, Format};
use results::Store;
use stream::{FileJob, Options};

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
results has the SHA-256 of each result and of its input, which are compared with the
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
    Commit(commit::Arguments),
    Prove(prove::Arguments),
    Verify(verify::Arguments),
    Cells(cells::Arguments),
    Recover(recover::Arguments),
    VerifyCells(verify_cells::Arguments),
}

impl Command {
    /// Returns how to compute.
    fn engine(&self) -> &EngineArguments {
        match self {
            Command::Commit(arguments) => &arguments.job.engine,
            Command::Prove(arguments) => &arguments.job.engine,
            Command::Verify(arguments) => &arguments.engine,
            Command::Cells(arguments) => &arguments.job.engine,
            Command::Recover(arguments) => &arguments.job.engine,
            Command::VerifyCells(arguments) => &arguments.engine,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    engine::over_ranks(arguments.command.engine(), |session| {
        let done = match &arguments.command {
            Command::Commit(arguments) => commit::run(arguments, session),
            Command::Prove(arguments) => prove::run(arguments, session),
            Command::Verify(arguments) => verify::run(arguments, session),
            Command::Cells(arguments) => cells::run(arguments, session),
            Command::Recover(arguments) => recover::run(arguments, session),
            Command::VerifyCells(arguments) => verify_cells::run(arguments, session),
        };
        done.unwrap_or_else(fail)
    })
}

/// Options of a job over many inputs.
#[derive(Args, Debug)]
struct StreamArguments {
    /// Print a JSON object for each input instead of text, with the names of the consensus specifications
    #[arg(long)]
    json: bool,
    /// Only print errors, failed verifications and results without a file: no progress, notes or last line; with
    /// --json, only objects and errors
    #[arg(short, long)]
    quiet: bool,
    /// Stop at the first bad input; by default the others are still processed
    #[arg(long)]
    fail_fast: bool,
    /// Batch size, with --mpi of a rank; memory holds 3 batches, with --mpi 10 per rank [default: by threads and
    /// memory]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096), next_line_help = false)]
    batch: Option<u16>,
}

/// The folder of results.
#[derive(Args, Debug)]
struct StoreArguments {
    /// Folder for the results, created if it does not exist [default: next to the inputs]
    #[arg(long, value_name = "FOLDER", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Compute all results again, whatever the ledger .parcrypt-kzg has, and overwrite existing files, including files
    /// of other programs and of blobs that have changed
    #[arg(long, conflicts_with = "json")]
    force: bool,
}

/// The options of an operation whose results are kept.
#[derive(Args, Debug)]
struct JobArguments {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    engine: EngineArguments,
    #[command(flatten)]
    tables: TableArguments,
}

impl JobArguments {
    /// Runs the job that `job` creates with the store of its results.
    fn run<J: FileJob>(
        &self,
        want: Want,
        found: &Found,
        session: Option<&mut Session>,
        job: impl FnOnce(Store) -> Result<J, CommandError>,
    ) -> Result<ExitCode, CommandError> {
        let mut engine = Engine::new(&self.engine, Some(&self.tables), session)?;
        let job = job(Store::new(&self.store, self.stream.json, &engine.setup, found)?)?;
        let options = self.stream.options(&engine, found.entries.len(), 1, false);
        Ok(stream::run(&job, found, want, &mut engine, options))
    }
}

/// The format of blobs.
#[derive(Args, Debug)]
struct BlobArguments {
    /// The format of all blobs [default: raw for files of 131072 bytes, and hexadecimal for others]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// Peak memory of an input in a batch: a blob with its cells, their text, and the memory of their computation.
const BYTES_PER_INPUT: u64 = 6 << 20;

/// Maximum number of inputs that a rank gets at once, so that they and their results are below the largest message, 1
/// GiB.
const MOST_IN_A_MESSAGE: usize = 3500;

/// Inputs of a batch verification: the more, the less each costs.
const VERIFIED_AT_ONCE: usize = 64;

impl StreamArguments {
    /// Returns the options of a job. The default batch keeps every thread busy and fits in memory; it has at least
    /// `least` of the `inputs`.
    fn options(&self, engine: &Engine<'_>, inputs: usize, least: usize, to_stdout: bool) -> Options {
        let fits = parcrypt_machine::memory_available()
            .map_or(usize::MAX, |bytes| usize::try_from(bytes / 4 / BYTES_PER_INPUT).unwrap_or(usize::MAX));
        let threads = engine.runtime.threads().get();
        let default = match &engine.session {
            None => least.max(8 * threads),
            // A rank computes a batch at a time, and there should be several for each.
            Some(session) if least > 1 => least.min(inputs.div_ceil(2 * session.ranks())),
            Some(_) if threads == 1 => 1,
            Some(_) => 2 * threads,
        };
        // With ranks, about ten batches for each are being read, in flight or being written, instead of three in total.
        let ranks = engine.session.as_ref().map_or(1, |session| 3 * session.ranks());
        let default = default.min(fits / ranks).max(1);
        let batch = self.batch.map_or(default, usize::from);
        let batch = if engine.session.is_some() { batch.min(MOST_IN_A_MESSAGE) } else { batch };
        let Self { json, fail_fast, quiet, .. } = *self;
        Options { batch, json, to_stdout: to_stdout || json, fail_fast, quiet }
    }
}

/// Reason why an input has no result.
#[derive(Debug)]
struct InputError {
    /// The message, with the path of the file.
    text: String,
    /// Whether the error would also affect the other inputs.
    fatal: bool,
    /// Whether the contents of a file are wrong. A verification then fails; for all else it is an error.
    damage: bool,
}

impl InputError {
    fn file(text: impl Into<String>) -> Self {
        InputError { text: text.into(), fatal: false, damage: false }
    }

    fn fatal(text: impl Into<String>) -> Self {
        InputError { text: text.into(), fatal: true, damage: false }
    }

    /// Returns the error of contents that cannot be right.
    fn damage(text: impl Into<String>) -> Self {
        InputError { damage: true, ..InputError::file(text) }
    }

    /// Returns the error of an input that the library refused, without the input's index in the batch.
    fn of(entry: &Entry, error: &Error) -> Self {
        InputError::of_part(entry, error, None)
    }

    /// [`InputError::of`] with another name of the part that is wrong.
    fn of_part(entry: &Entry, error: &Error, part: Option<String>) -> Self {
        let path = shown(&entry.path);
        let part = |what: &Input| part.unwrap_or_else(|| what.to_string());
        match error {
            Error::NotCanonical { what, element, .. } => InputError::damage(format!(
                "{path}: {}: field element {element} is not below the modulus",
                part(what)
            )),
            Error::Point { what, why, .. } => InputError::damage(format!("{path}: {}: {why}", part(what))),
            error => InputError::file(format!("{path}: {error}")),
        }
    }

    /// [`InputError::of`] for the cells of one blob, with the index of the cell.
    fn of_cells(entry: &Entry, cells: &Cells, error: &Error) -> Self {
        let part = match error {
            Error::NotCanonical { what: Input::Cell, index, .. } => Some(("cell", index)),
            Error::Point { what: Input::Proof, index, .. } => Some(("proof of cell", index)),
            _ => None,
        };
        let part = part.and_then(|(what, index)| Some(format!("{what} {}", cells.indices.get(*index)?)));
        InputError::of_part(entry, error, part)
    }
}

/// Returns `0x` and the hexadecimal digits, as in the consensus specifications.
fn hex0x(bytes: &[u8]) -> String {
    format!("0x{}", hex(bytes))
}

/// Returns a JSON list of the hexadecimal texts.
fn hex_list<T: AsRef<[u8]>>(all: impl IntoIterator<Item = T>) -> Value {
    all.into_iter().map(|bytes| hex0x(bytes.as_ref())).collect()
}
