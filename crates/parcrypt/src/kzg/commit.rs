//! `parcrypt kzg commit`: the commitments to blobs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::jobs::{self, Operation};
use parcrypt_kzg::{BYTES_PER_COMMITMENT, Commitment};
use sha2::{Digest, Sha256};

use super::entries::{self, Entry, Want};
use super::input::{self, Format};
use super::results::{Slot, Store, Target, save_text};
use super::stream::{FileJob, Message, ReadOutcome};
use super::{BlobArguments, InputError, JobArguments, hex0x, shown};
use crate::error::CommandError;
use crate::ranks::Session;

/// Commit to blobs
#[derive(Args, Debug)]
#[command(after_help = "\
Each commitment goes to NAME.commitment, and is printed with the path of its blob.
Complete results are not computed again. With --json no file is written.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg commit blobs                        next to the blobs
  parcrypt kzg commit blobs --out results          elsewhere
  parcrypt kzg commit blobs --json                 only on standard output
  cat blobs/a.blob | parcrypt kzg commit -         from standard input
  parcrypt kzg commit blobs --force --tables 0     without tables of 5 MiB

Exit codes: 0 done; 2 an error (it names the file; all others are done); 130 stopped by Ctrl-C.")]
pub(super) struct Arguments {
    /// Blobs, and folders of blobs; `-` is standard input, and a pipe is waited for
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    blobs: BlobArguments,
    #[command(flatten)]
    pub(super) job: JobArguments,
}

pub(super) fn run(arguments: &Arguments, session: Option<&mut Session>) -> Result<ExitCode, CommandError> {
    let found = entries::find(&arguments.paths, Want::Blobs)?;
    let format = arguments.blobs.format;
    arguments.job.run(Want::Blobs, &found, session, |store| Ok(Commit { store, format }))
}

struct Commit {
    store: Store,
    format: Option<Format>,
}

struct Read {
    blob: Vec<u8>,
    target: Option<Target>,
}

impl FileJob for Commit {
    type Read = Read;
    type Output = Commitment;

    fn read(&self, entry: &Entry) -> Result<ReadOutcome<Read, Commitment>, InputError> {
        let blob = input::read_blob(entry, self.format)?;
        let digest = Sha256::digest(&blob).into();
        let Slot { done, target } = point(&self.store, entry, ".commitment", "commitment", digest)?;
        Ok(match done {
            Some(commitment) => ReadOutcome::Done(commitment),
            None => ReadOutcome::Fresh(Read { blob, target }),
        })
    }

    fn operation(&self) -> Operation {
        Operation::Commit
    }

    fn item<'a>(&self, read: &'a Read) -> jobs::Item<'a> {
        jobs::Item { data: &read.blob, ..jobs::Item::default() }
    }

    fn output(&self, output: jobs::Output) -> Option<Commitment> {
        if let jobs::Output::Commitment(commitment) = output { Some(commitment) } else { None }
    }

    fn save(&self, read: &Read, output: &Commitment) -> Result<(), InputError> {
        save_point(&read.target, output)
    }

    fn message(&self, entry: &Entry, output: &Commitment) -> Message {
        Message {
            text: format!("{}  {}\n", hex0x(output), shown(&entry.path)),
            fields: vec![("commitment", hex0x(output).into())],
            negative: false,
            damaged: false,
            unsaved: self.store.path(entry, ".commitment").is_none(),
        }
    }
}

/// Returns the slot of a commitment or a proof, which has a file of its own.
pub(super) fn point(
    store: &Store,
    entry: &Entry,
    suffix: &str,
    kind: &str,
    digest: [u8; 32],
) -> Result<Slot<[u8; BYTES_PER_COMMITMENT]>, InputError> {
    let slot = store.file(entry, suffix, kind, digest, BYTES_PER_COMMITMENT)?;
    Ok(Slot { done: slot.done.and_then(input::point), target: slot.target })
}

/// Writes a commitment or a proof as one hexadecimal line, unless its file already has it in another form.
pub(super) fn save_point(
    target: &Option<Target>,
    point: &[u8; BYTES_PER_COMMITMENT],
) -> Result<(), InputError> {
    let line = hex0x(point) + "\n";
    save_text(target, line.as_bytes(), |found| input::point(found).as_ref() == Some(point))
}
