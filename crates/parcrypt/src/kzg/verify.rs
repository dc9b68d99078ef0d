//! `parcrypt kzg verify`: verification of blobs against their commitments, and of openings.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::jobs::{self, Operation};
use parcrypt_kzg::{
    BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF, Commitment, Error, FieldBytes, Proof,
    Reason, verify_kzg_proof,
};

use super::engine::{Engine, EngineArguments};
use super::entries::{self, Entry, Want};
use super::input::{self, Format};
use super::opening::Opening;
use super::results::result_path;
use super::stream::{self, FileJob, Message, ReadOutcome};
use super::{BlobArguments, InputError, StreamArguments, VERIFIED_AT_ONCE, shown, wrong_cells};
use crate::error::{CommandError, NEGATIVE};
use crate::files::read_at_most;
use crate::ranks::Session;
use crate::text::print;

/// Verify blobs against their commitments, or openings
#[derive(Args, Debug)]
#[command(after_help = "\
For each blob NAME it reads NAME.commitment and NAME.proof, which `commit` and
`prove` have written, and checks that they match. With --openings it reads the files
NAME.opening instead of blobs. It also verifies values on the command line: a
commitment, z, y and a proof; or a commitment, a proof and a blob.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg prove blobs
  parcrypt kzg verify blobs                       results next to the blobs
  parcrypt kzg prove blobs --out results
  parcrypt kzg verify blobs --results results     results elsewhere
  parcrypt kzg prove blobs --z $(printf %064x 7)
  parcrypt kzg verify blobs --openings --json
  cat blobs/a.blob | parcrypt kzg verify - \\
    --commitment $(cat blobs/a.blob.commitment) --proof $(cat blobs/a.blob.proof)

Exit codes: 0 all are right; 1 one is wrong, or its file is damaged; 2 a file is missing
or cannot be read; 130 stopped by Ctrl-C.")]
pub(super) struct Arguments {
    /// Blobs, and folders of blobs
    #[arg(value_name = "PATH", required_unless_present = "z")]
    paths: Vec<PathBuf>,
    /// Verify openings instead of blobs: files NAME.opening, and folders of them
    #[arg(long, conflicts_with_all = ["results", "format"])]
    openings: bool,
    /// Folder with NAME.commitment and NAME.proof [default: next to the blobs]
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    #[command(flatten)]
    values: ValueArguments,
    #[command(flatten)]
    blobs: BlobArguments,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
}

/// Values to verify instead of files.
#[derive(Args, Debug)]
#[command(next_help_heading = "Values instead of files, in hexadecimal")]
struct ValueArguments {
    /// The commitment
    #[arg(long, value_name = "HEX", value_parser = input::value::<BYTES_PER_COMMITMENT>, requires = "proof",
        conflicts_with_all = ["openings", "results"])]
    commitment: Option<Commitment>,
    /// The proof
    #[arg(long, value_name = "HEX", value_parser = input::value::<BYTES_PER_PROOF>, requires = "commitment")]
    proof: Option<Proof>,
    /// The point of an opening, which needs no blob
    #[arg(long, value_name = "HEX", value_parser = input::value::<BYTES_PER_FIELD_ELEMENT>,
        requires_all = ["commitment", "y"], conflicts_with = "paths")]
    z: Option<FieldBytes>,
    /// The value at that point
    #[arg(long, value_name = "HEX", value_parser = input::value::<BYTES_PER_FIELD_ELEMENT>, requires = "z")]
    y: Option<FieldBytes>,
}

pub(super) fn run(arguments: &Arguments, session: Option<&mut Session>) -> Result<ExitCode, CommandError> {
    let ValueArguments { commitment, proof, z, y } = arguments.values;
    if let (Some(commitment), Some(proof), Some(z), Some(y)) = (commitment, proof, z, y) {
        return opening(arguments, session, &Opening { commitment, z, y, proof });
    }
    let want = if arguments.openings { Want::Openings } else { Want::Blobs };
    let found = entries::find(&arguments.paths, want)?;
    let given = commitment.zip(proof);
    if given.is_some() && found.entries.len() != 1 {
        return Err(CommandError::new(format!(
            "--commitment and --proof belong to one blob, but {} are given",
            found.entries.len()
        )));
    }
    if given.is_none() && arguments.results.is_none() && found.entries.iter().any(|entry| entry.stdin) {
        return Err(CommandError::new(
            "a blob from standard input has no files of results: give its --commitment and --proof",
        ));
    }
    let mut engine = Engine::new(&arguments.engine, None, session)?;
    let options = arguments.stream.options(&engine, found.entries.len(), VERIFIED_AT_ONCE, true);
    if arguments.openings {
        return Ok(stream::run(&Verify(Openings), &found, want, &mut engine, options));
    }
    let job = Verify(Blobs { format: arguments.blobs.format, results: arguments.results.clone(), given });
    Ok(stream::run(&job, &found, want, &mut engine, options))
}

/// Verifies one opening of the command line.
fn opening(
    arguments: &Arguments,
    session: Option<&mut Session>,
    opening: &Opening,
) -> Result<ExitCode, CommandError> {
    let engine = Engine::new(&arguments.engine, None, session)?;
    let Opening { commitment, z, y, proof } = opening;
    let verified = verify_kzg_proof(&*engine.runtime, &engine.settings, commitment, z, y, proof);
    let (right, why) = match verified {
        Ok(right) => (right, None),
        // Values that cannot be right are a negative answer, like a damaged file.
        Err(error @ (Error::NotCanonical { .. } | Error::Point { .. })) => (false, Some(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    let text = match (arguments.stream.json, why) {
        (true, None) => format!("{}\n", serde_json::json!({ "verified": right })),
        (true, Some(why)) => format!("{}\n", serde_json::json!({ "verified": right, "error": why })),
        (false, None) => format!("{}\n", verdict(right)),
        (false, Some(why)) => format!("{} ({why})\n", verdict(right)),
    };
    let printed = if right && arguments.stream.quiet { ExitCode::SUCCESS } else { print(&text) };
    Ok(if right { printed } else { ExitCode::from(NEGATIVE) })
}

/// Returns the word for a verdict.
fn verdict(right: bool) -> &'static str {
    if right { "verified" } else { "DOES NOT VERIFY" }
}

/// A verification of many files.
pub(super) trait Verification: Sync {
    /// The operation on each input.
    const OPERATION: Operation;
    /// The input after reading.
    type Read: Send;

    /// Reads one input.
    fn read(&self, entry: &Entry) -> Result<Self::Read, InputError>;

    /// Returns the item of the batch job for one input.
    fn item<'a>(&self, read: &'a Self::Read) -> jobs::Item<'a>;

    /// Returns the error of an input that the library refused.
    fn error(&self, entry: &Entry, _read: &Self::Read, error: &Error) -> InputError {
        InputError::of(entry, error)
    }
}

/// The job of a verification. Its results are printed and not saved.
pub(super) struct Verify<V>(pub(super) V);

/// The verdict on one input.
pub(super) enum Verdict {
    Right,
    Wrong,
    /// The wrong cells of a set, each with its index and what is wrong.
    WrongCells(Vec<(u64, Reason)>),
}

impl<V: Verification> FileJob for Verify<V> {
    type Read = V::Read;
    type Output = Verdict;

    fn read(&self, entry: &Entry) -> Result<ReadOutcome<V::Read, Verdict>, InputError> {
        self.0.read(entry).map(ReadOutcome::Fresh)
    }

    fn operation(&self) -> Operation {
        V::OPERATION
    }

    fn item<'a>(&self, read: &'a V::Read) -> jobs::Item<'a> {
        self.0.item(read)
    }

    fn output(&self, output: jobs::Output) -> Option<Verdict> {
        match output {
            jobs::Output::Verified(true) => Some(Verdict::Right),
            jobs::Output::Verified(false) => Some(Verdict::Wrong),
            jobs::Output::WrongCells(cells) => Some(Verdict::WrongCells(cells)),
            _ => None,
        }
    }

    fn error(&self, entry: &Entry, read: &V::Read, error: &Error) -> InputError {
        self.0.error(entry, read, error)
    }

    fn save(&self, _read: &V::Read, _verdict: &Verdict) -> Result<(), InputError> {
        Ok(())
    }

    fn message(&self, entry: &Entry, found: &Verdict) -> Message {
        let (path, right) = (shown(&entry.path), matches!(found, Verdict::Right));
        let mut message = Message {
            text: format!("{path}: {}\n", verdict(right)),
            fields: vec![("verified", right.into())],
            negative: !right,
            damaged: false,
            unsaved: false,
        };
        if let Verdict::WrongCells(cells) = found {
            message.text = format!("{path}: {} ({})\n", verdict(false), wrong_cells::text(cells));
            message.fields.push(("wrong", wrong_cells::json(&entry.path, cells)));
        }
        message
    }

    /// Returns the message on an input whose contents cannot be right; `why` begins with the path of a file.
    fn damaged(&self, entry: &Entry, why: &str) -> Option<Message> {
        let path = shown(&entry.path);
        let short = why.strip_prefix(&format!("{path}: ")).unwrap_or(why);
        Some(Message {
            text: format!("{path}: {} ({short})\n", verdict(false)),
            fields: vec![("verified", false.into()), ("error", why.into())],
            negative: true,
            damaged: true,
            unsaved: false,
        })
    }
}

struct Blobs {
    format: Option<Format>,
    /// The folder of commitments and proofs; `None` for the folder of each blob.
    results: Option<PathBuf>,
    /// The commitment and the proof of a single blob.
    given: Option<(Commitment, Proof)>,
}

struct Read {
    blob: Vec<u8>,
    commitment: Commitment,
    proof: Proof,
}

impl Verification for Blobs {
    const OPERATION: Operation = Operation::VerifyBlobs;
    type Read = Read;

    fn read(&self, entry: &Entry) -> Result<Read, InputError> {
        let blob = input::read_blob(entry, self.format)?;
        let (commitment, proof) = match self.given {
            Some(given) => given,
            None => {
                let find = |suffix, what, command| {
                    let path = result_path(self.results.as_deref(), entry, suffix).unwrap_or_default();
                    input::read_result(&path, what, command)
                };
                (
                    find(".commitment", "a commitment", "parcrypt kzg commit")?,
                    find(".proof", "a proof", "parcrypt kzg prove")?,
                )
            }
        };
        Ok(Read { blob, commitment, proof })
    }

    fn item<'a>(&self, read: &'a Read) -> jobs::Item<'a> {
        jobs::Item {
            data: &read.blob,
            commitment: &read.commitment,
            proofs: &read.proof,
            ..jobs::Item::default()
        }
    }
}

struct Openings;

/// z and y concatenated, and the opening.
type ZAndOpening = ([FieldBytes; 2], Opening);

impl Verification for Openings {
    const OPERATION: Operation = Operation::VerifyOpenings;
    type Read = ZAndOpening;

    fn read(&self, entry: &Entry) -> Result<Self::Read, InputError> {
        let wrong = |why: String| InputError::file(format!("{}: {why}", shown(&entry.path)));
        let text = read_at_most(&entry.path, Opening::MOST).map_err(|e| wrong(e.to_string()))?;
        let damaged = |why: String| InputError::damage(format!("{}: {why}", shown(&entry.path)));
        let opening = Opening::parse(&text).map_err(damaged)?;
        Ok(([opening.z, opening.y], opening))
    }

    fn item<'a>(&self, read: &'a ZAndOpening) -> jobs::Item<'a> {
        let (at, Opening { commitment, proof, .. }) = read;
        jobs::Item { data: at.as_flattened(), commitment, proofs: proof, ..jobs::Item::default() }
    }
}
