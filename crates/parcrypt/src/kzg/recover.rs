//! `parcrypt kzg recover`: all cells from half of them or more.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::BYTES_PER_BLOB;
use parcrypt_kzg::jobs::{self, Operation};
use sha2::{Digest, Sha256};

use super::cells::{Keep, LayoutArguments, Output, Targets};
use super::entries::{self, Entry, Want};
use super::input::{self, Cells};
use super::ledger::RECOVERED;
use super::results::{Slot, Target, save};
use super::stream::{FileJob, Message, ReadOutcome};
use super::{InputError, JobArguments, shown};
use crate::error::CommandError;
use crate::ranks::Session;

/// Recover all cells of blobs, and their proofs, from half of the cells or more
#[derive(Args, Debug)]
#[command(after_help = "\
The remaining cells of a blob are in a folder NAME.cells, a file for each, called by
its index: 007.cell or 7.cell. At least 64 of the 128 are needed. All cells go to
NAME.cells and their proofs to NAME.proofs in the folder --out, which is never an input
itself, and the paths are printed. Complete results are not computed again. With --json
no file is written.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg cells blobs --split --out left
  rm left/a.blob.cells/0[0-5]*                       60 cells are lost
  parcrypt kzg recover left --out all                cells and proofs
  parcrypt kzg recover left --out few --no-proofs    only the cells: much faster
  parcrypt kzg recover left --out all --blobs        the blobs too
  cmp all/a.blob blobs/a.blob

Exit codes: 0 done; 2 an error (it names the file; all others are done); 130 stopped by Ctrl-C.")]
pub(super) struct Arguments {
    /// Sets of cells, NAME.cells, and folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Also write the blobs, as NAME, raw
    #[arg(long, conflicts_with = "json")]
    blobs: bool,
    #[command(flatten)]
    layout: LayoutArguments,
    #[command(flatten)]
    pub(super) job: JobArguments,
}

pub(super) fn run(arguments: &Arguments, session: Option<&mut Session>) -> Result<ExitCode, CommandError> {
    let Arguments { paths, blobs, layout, job } = arguments;
    if !job.stream.json && job.store.out.is_none() {
        let why = "the results would have the names of the inputs: give another folder with --out, or --json";
        return Err(CommandError::new(why));
    }
    let found = entries::find_outside(paths, Want::Cells, job.store.out.as_deref())?;
    let recover = |store| {
        let keep = Keep { store, layout: *layout, class: Some(RECOVERED) };
        Ok(Recover { keep, blobs: *blobs })
    };
    job.run(Want::Cells, &found, session, recover)
}

struct Recover {
    keep: Keep,
    /// Whether to write blobs too.
    blobs: bool,
}

struct Read {
    cells: Cells,
    targets: Targets,
    blob: Option<Target>,
}

impl FileJob for Recover {
    type Read = Read;
    type Output = Option<Output>;

    fn read(&self, entry: &Entry) -> Result<ReadOutcome<Read, Option<Output>>, InputError> {
        let cells = input::read_cells(&entry.path)?;
        let mut digest = Sha256::new();
        for (index, cell) in cells.indices.iter().zip(cells.cells()) {
            digest.update(index.to_le_bytes());
            digest.update(cell);
        }
        let digest = digest.finalize().into();
        let (done, targets) = self.keep.before(entry, digest)?;
        let blob = if self.blobs {
            self.keep.store.file(entry, "", &format!("{RECOVERED}-blob"), digest, BYTES_PER_BLOB)?
        } else {
            Slot { done: None, target: None }
        };
        if done && (blob.done.is_some() || !self.blobs) {
            return Ok(ReadOutcome::Done(None));
        }
        Ok(ReadOutcome::Fresh(Read { cells, targets, blob: blob.open() }))
    }

    fn operation(&self) -> Operation {
        Operation::Recover { proofs: !self.keep.layout.no_proofs }
    }

    fn item<'a>(&self, read: &'a Read) -> jobs::Item<'a> {
        let Cells { indices, bytes, .. } = &read.cells;
        jobs::Item { data: bytes, indices: indices.into(), ..jobs::Item::default() }
    }

    fn output(&self, output: jobs::Output) -> Option<Option<Output>> {
        Output::of(output).map(Some)
    }

    fn error(&self, entry: &Entry, read: &Read, error: &parcrypt_kzg::Error) -> InputError {
        InputError::of_cells(entry, &read.cells, error)
    }

    fn save(&self, read: &Read, output: &Option<Output>) -> Result<(), InputError> {
        let Some(output) = output else { return Ok(()) };
        self.keep.save(&read.targets, output)?;
        // The first half of the cells is the blob.
        save(&read.blob, &output.cells().as_flattened()[..BYTES_PER_BLOB])
    }

    fn message(&self, entry: &Entry, output: &Option<Output>) -> Message {
        let mut message = self.keep.message(entry, output.as_ref());
        if self.blobs {
            message.text.extend(self.keep.store.path(entry, "").map(|path| shown(&path) + "\n"));
        }
        message
    }
}
