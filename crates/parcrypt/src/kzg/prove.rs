//! `parcrypt kzg prove`: proofs that blobs match their commitments, and openings of their polynomials at a point.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_bls12_381::Fr;
use parcrypt_kzg::jobs::{self, Operation};
use parcrypt_kzg::{BYTES_PER_FIELD_ELEMENT, Commitment, FieldBytes, Proof};
use sha2::{Digest, Sha256};

use super::entries::{self, Entry, Want};
use super::input::{self, Format};
use super::ledger::GIVEN;
use super::opening::Opening;
use super::results::{Slot, Store, Target, result_path, save_text};
use super::stream::{FileJob, Message, ReadOutcome};
use super::{BlobArguments, InputError, JobArguments, commit, hex0x, shown};
use crate::error::CommandError;
use crate::ranks::Session;

/// Prove that blobs match their commitments, or the value of their polynomials at a point
#[derive(Args, Debug)]
#[command(after_help = "\
Without --z, each proof goes to NAME.proof and is printed with the path of its
blob. With --z, NAME.opening gets a JSON object with commitment, z, y and proof,
which is printed too; another z replaces it. If NAME.commitment is missing, it is
computed and written. Complete results are not computed again. With --json no file
is written.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg prove blobs                           next to the blobs
  parcrypt kzg prove blobs --out results             elsewhere
  parcrypt kzg prove blobs --json                    only on standard output
  parcrypt kzg prove blobs --z $(printf %064x 7)     the value at 7
  parcrypt kzg prove blobs --commitments results     with commitments from there

Exit codes: 0 done; 2 an error (it names the file; all others are done); 130 stopped by Ctrl-C.")]
pub(super) struct Arguments {
    /// Blobs, and folders of blobs; `-` is standard input, and a pipe is waited for
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Open the polynomial at this point: 32 bytes in hexadecimal, big-endian, below the modulus
    #[arg(long, value_name = "HEX", value_parser = input::value::<BYTES_PER_FIELD_ELEMENT>)]
    z: Option<FieldBytes>,
    /// Read NAME.commitment from this folder instead of computing it; it is not checked against the blob
    #[arg(long, value_name = "FOLDER")]
    commitments: Option<PathBuf>,
    #[command(flatten)]
    blobs: BlobArguments,
    #[command(flatten)]
    pub(super) job: JobArguments,
}

pub(super) fn run(arguments: &Arguments, session: Option<&mut Session>) -> Result<ExitCode, CommandError> {
    if let Some(z) = &arguments.z {
        Fr::from_bytes(z).map_err(|e| CommandError::new(format!("--z {}: {e}", hex0x(z))))?;
    }
    let found = entries::find(&arguments.paths, Want::Blobs)?;
    let (z, format, commitments) = (arguments.z, arguments.blobs.format, arguments.commitments.clone());
    let job = |store| Ok(Prove { store, format, commitments, z });
    arguments.job.run(Want::Blobs, &found, session, job)
}

struct Prove {
    store: Store,
    format: Option<Format>,
    /// The folder of given commitments.
    commitments: Option<PathBuf>,
    /// The point of an opening; without it, the proof is a blob's proof.
    z: Option<FieldBytes>,
}

struct Read {
    blob: Vec<u8>,
    commitment: Known,
    target: Option<Target>,
}

/// The commitment of an input.
enum Known {
    /// The commitment is given, or done.
    Is(Commitment),
    /// The commitment must be computed, and written to this file.
    Not(Option<Target>),
}

struct Output {
    commitment: Commitment,
    proof: Proof,
    y: Option<FieldBytes>,
}

impl FileJob for Prove {
    type Read = Read;
    type Output = Output;

    fn read(&self, entry: &Entry) -> Result<ReadOutcome<Read, Output>, InputError> {
        let blob = input::read_blob(entry, self.format)?;
        let mut digest = Sha256::new_with_prefix(&blob);
        let commitment =
            match self.commitments.as_deref().and_then(|f| result_path(Some(f), entry, ".commitment")) {
                Some(path) => {
                    let given = input::read_result(&path, "a commitment", "parcrypt kzg commit")?;
                    digest.update(given);
                    Known::Is(given)
                }
                None => {
                    let digest = digest.clone().finalize().into();
                    let Slot { done, target } =
                        commit::point(&self.store, entry, ".commitment", "commitment", digest)?;
                    done.map_or(Known::Not(target), Known::Is)
                }
            };
        let digest = digest.finalize().into();
        let (done, target) = match &self.z {
            None => {
                let Slot { done, target } =
                    commit::point(&self.store, entry, ".proof", &self.kind("proof"), digest)?;
                (done.map(|proof| (proof, None)), target)
            }
            Some(z) => {
                let kind = self.kind(&format!("opening:{}", hex0x(z)));
                let Slot { done, target } =
                    self.store.file(entry, ".opening", &kind, digest, Opening::MOST)?;
                let done = done.and_then(|text| Opening::parse(&text).ok());
                (done.map(|opening| (opening.proof, Some(opening.y))), target)
            }
        };
        Ok(match (done, commitment) {
            (Some((proof, y)), Known::Is(commitment)) => ReadOutcome::Done(Output { commitment, proof, y }),
            (done, commitment) => {
                ReadOutcome::Fresh(Read { blob, commitment, target: target.filter(|_| done.is_none()) })
            }
        })
    }

    fn operation(&self) -> Operation {
        Operation::Prove { z: self.z }
    }

    fn item<'a>(&self, read: &'a Read) -> jobs::Item<'a> {
        let commitment = match &read.commitment {
            Known::Is(commitment) => &commitment[..],
            Known::Not(_) => &[],
        };
        jobs::Item { data: &read.blob, commitment, ..jobs::Item::default() }
    }

    fn output(&self, output: jobs::Output) -> Option<Output> {
        let jobs::Output::Proof { commitment, proof, y } = output else { return None };
        Some(Output { commitment, proof, y })
    }

    fn save(&self, read: &Read, output: &Output) -> Result<(), InputError> {
        if let Known::Not(target) = &read.commitment {
            commit::save_point(target, &output.commitment)?;
        }
        match self.opening(output) {
            None => commit::save_point(&read.target, &output.proof),
            Some(opening) => save_text(&read.target, opening.text().as_bytes(), |found| {
                Opening::parse(&found).as_ref() == Ok(&opening)
            }),
        }
    }

    fn message(&self, entry: &Entry, output: &Output) -> Message {
        let (text, fields) = match self.opening(output) {
            Some(opening) => (opening.text(), opening.fields()),
            None => (
                format!("{}  {}\n", hex0x(&output.proof), shown(&entry.path)),
                vec![
                    ("commitment", hex0x(&output.commitment).into()),
                    ("proof", hex0x(&output.proof).into()),
                ],
            ),
        };
        let suffix = if self.z.is_some() { ".opening" } else { ".proof" };
        let unsaved = self.store.path(entry, suffix).is_none();
        Message { text, fields, negative: false, damaged: false, unsaved }
    }
}

impl Prove {
    /// Returns the kind of a result in the ledger.
    fn kind(&self, kind: &str) -> String {
        if self.commitments.is_some() { format!("{GIVEN}-{kind}") } else { kind.to_owned() }
    }

    fn opening(&self, output: &Output) -> Option<Opening> {
        let Output { commitment, proof, y } = *output;
        Some(Opening { commitment, z: self.z?, y: y?, proof })
    }
}
