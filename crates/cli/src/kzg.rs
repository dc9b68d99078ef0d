//! `parcrypt kzg`: KZG over files: commitments, proofs and cells of blobs, their checks, and recovery.
//!
//! An operation is a file here that implements [`stream::Job`]: what it reads, computes and writes for one input. How
//! inputs are found ([`entries`]), read ([`input`]), streamed ([`stream`]) and kept ([`results`], [`scratch`], [`ledger`]) is the same
//! for all.

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

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use parcrypt_kzg::{Error, Input};
use serde_json::Value;

use crate::error::fail;
use crate::text::{shown, tell};
use engine::{Engine, EngineArguments};
use entries::Entry;
use input::{Cells, Format};
use stream::Options;

/// KZG commitments and proofs of blobs, cells, and recovery, over files (EIP-4844, EIP-7594)
#[derive(Args, Debug)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
A blob is a file of 131072 bytes, or of as many in hexadecimal. Results of NAME:

  NAME.commitment   48 bytes in hexadecimal, by commit and prove
  NAME.proof        48 bytes in hexadecimal, by prove: the blob fits the commitment
  NAME.opening      a JSON object, by prove --z: the polynomial's value at a point
  NAME.cells        128 cells of 2048 bytes, by cells and recover
  NAME.proofs       128 proofs of 48 bytes, in the same order
  NAME.cells/       in place of both, a file for each cell that is there: 007.cell
                    and 007.proof; by cells --split, and what recover starts from

Examples:
  mkdir -p blobs
  yes blob | head -c 131072 > blobs/a.blob    a blob
  parcrypt kzg commit blobs                   blobs/a.blob.commitment
  parcrypt kzg prove blobs                    blobs/a.blob.proof
  parcrypt kzg verify blobs                   are they right?
  parcrypt kzg cells blobs --out whole        whole/a.blob.cells, whole/a.blob.proofs
  parcrypt kzg cells blobs --out part --split
  rm part/a.blob.cells/0[0-5]*                60 of 128 cells are lost
  parcrypt kzg recover part --out again       all of them are back
  cmp whole/a.blob.cells again/a.blob.cells

What is done is not done again: the file .parcrypt-kzg in a folder of results, its
ledger, has the SHA-256 of each result and of its input, which are compared with the
files. The ledger itself is trusted: verify and verify-cells check results without
it, and --force computes everything anew.

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
    fn engine(&self) -> &EngineArguments {
        match self {
            Command::Commit(arguments) => &arguments.engine,
            Command::Prove(arguments) => &arguments.engine,
            Command::Verify(arguments) => &arguments.engine,
            Command::Cells(arguments) => &arguments.engine,
            Command::Recover(arguments) => &arguments.engine,
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

/// How the job runs over its inputs.
#[derive(Args, Debug)]
struct StreamArguments {
    /// Print a JSON object for each input in place of text, with the names of the consensus specifications
    #[arg(long)]
    json: bool,
    /// End at the first input that is wrong; otherwise the others go on
    #[arg(long)]
    fail_fast: bool,
    /// How many inputs are computed at once, with --mpi by one rank; three times as many are in memory, with --mpi ten for each rank [default: by threads
    /// and memory]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096), next_line_help = false)]
    batch: Option<u16>,
}

/// Where results go.
#[derive(Args, Debug)]
struct StoreArguments {
    /// Folder for the results, made where it is not there; beside the inputs where it is left out
    #[arg(long, value_name = "FOLDER", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Compute everything anew, whatever the ledger .parcrypt-kzg says, and replace what is there, also what others have written
    #[arg(long, conflicts_with = "json")]
    force: bool,
}

/// How blobs are read.
#[derive(Args, Debug)]
struct BlobArguments {
    /// Take all blobs to be in this format; otherwise what has 131072 bytes is raw, and all else hexadecimal
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// The memory of an input in a batch, at its most: a blob with its cells, their text, and what computing them takes.
const BYTES_PER_INPUT: u64 = 6 << 20;

/// The most inputs that a rank gets at once, so that neither they nor their results pass what a message may have, 1 GiB.
const MOST_IN_A_MESSAGE: usize = 3500;

/// The fewest inputs that a batch verification takes at once; the more, the less each of them costs.
const VERIFIED_AT_ONCE: usize = 64;

impl StreamArguments {
    /// With a default for the batch: enough that every thread has work, and little enough for the memory. `least` are worth
    /// taking at once, of `inputs` that there are.
    fn options(&self, engine: &Engine<'_>, inputs: usize, least: usize, answers: bool) -> Options {
        let fits = parcrypt_cpu::memory_available()
            .map_or(usize::MAX, |bytes| usize::try_from(bytes / 4 / BYTES_PER_INPUT).unwrap_or(usize::MAX));
        let threads = engine.runtime.threads().get();
        let default = match &engine.session {
            None => least.max(8 * threads),
            // A rank takes a batch at a time, and there should be some for each.
            Some(session) if least > 1 => least.min(inputs.div_ceil(2 * session.ranks())),
            Some(_) if threads == 1 => 1,
            Some(_) => 2 * threads,
        };
        // Over ranks about ten batches of each are with the reader, under way, or with the writer, in place of three in all.
        let ranks = engine.session.as_ref().map_or(1, |session| 3 * session.ranks());
        let default = default.min(fits / ranks).max(1);
        let batch = self.batch.map_or(default, usize::from);
        let batch = if engine.session.is_some() { batch.min(MOST_IN_A_MESSAGE) } else { batch };
        Options { batch, json: self.json, answers: answers || self.json, fail_fast: self.fail_fast }
    }
}

/// What keeps one input from its result.
#[derive(Debug)]
struct Trouble {
    /// What is wrong, with the path of the file.
    text: String,
    /// Whether the other inputs would meet the same.
    fatal: bool,
}

impl Trouble {
    fn file(text: impl Into<String>) -> Self {
        Trouble { text: text.into(), fatal: false }
    }

    fn fatal(text: impl Into<String>) -> Self {
        Trouble { text: text.into(), fatal: true }
    }

    /// What the kernel did not take of one input. The number that the input has in a batch says nothing.
    fn kernel(entry: &Entry, error: &Error) -> Self {
        let path = shown(&entry.path);
        Trouble::file(match error {
            Error::NotCanonical { what, element, .. } => {
                format!("{path}: {what}: field element {element} is not below the modulus")
            }
            Error::Point { what, why, .. } => format!("{path}: {what}: {why}"),
            error => format!("{path}: {error}"),
        })
    }

    /// [`Trouble::kernel`] for the cells of one blob, which the kernel knows by their place in the list.
    fn of_cells(entry: &Entry, cells: &Cells, error: &Error) -> Self {
        let place = match error {
            Error::NotCanonical { what: Input::Cell, index, .. } => cells.indices.get(*index),
            Error::Point { what: Input::Proof, index, .. } => cells.indices.get(*index),
            _ => None,
        };
        let trouble = Trouble::kernel(entry, error);
        match place {
            Some(index) => Trouble::file(format!("{} (cell {index})", trouble.text)),
            None => trouble,
        }
    }
}

/// `0x` and the digits, as the consensus specifications write bytes.
fn hex0x(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + 2 * bytes.len());
    text.push_str("0x");
    // Cells have a quarter of a megabyte: formatting each byte would take longer than computing it.
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
    text
}

/// A list of such texts for JSON.
fn hex_list<T: AsRef<[u8]>>(all: impl IntoIterator<Item = T>) -> Value {
    all.into_iter().map(|bytes| hex0x(bytes.as_ref())).collect()
}
