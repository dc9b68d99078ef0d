//! `parcrypt kzg cells`: the cells of blobs, with their proofs or without.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::jobs::{self, Operation};
use parcrypt_kzg::{BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, Cell, Proof};
use sha2::{Digest, Sha256};

use super::entries::{self, Entry, Want};
use super::input::{self, Format, part_name};
use super::results::{Part, Store, Target, save};
use super::stream::{FileJob, Message, ReadOutcome};
use super::{BlobArguments, InputError, JobArguments, hex_list, shown};
use crate::error::CommandError;
use crate::ranks::Session;

/// Compute the cells of blobs and their proofs
#[derive(Args, Debug)]
#[command(after_help = "\
Cells go to NAME.cells and proofs to NAME.proofs, whose paths are printed. The first
64 of the 128 cells are the blob itself. Complete results are not computed again. With
--json no file is written.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg cells blobs                            next to the blobs
  parcrypt kzg cells blobs --no-proofs --out erasure  only the cells: much faster
  parcrypt kzg cells blobs --split --out single       a file for each cell and proof
  parcrypt kzg cells blobs --json                     only on standard output
  head -c 131072 blobs/a.blob.cells | cmp - blobs/a.blob

Exit codes: 0 done; 2 an error (it names the file; all others are done); 130 stopped by Ctrl-C.")]
pub(super) struct Arguments {
    /// Blobs, and folders of blobs; `-` is standard input, and a pipe is waited for
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    layout: LayoutArguments,
    #[command(flatten)]
    blobs: BlobArguments,
    #[command(flatten)]
    pub(super) job: JobArguments,
}

/// Options of the computation of cells, and the layout of their files.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct LayoutArguments {
    /// Compute cells without proofs, which is much faster
    #[arg(long)]
    pub(super) no_proofs: bool,
    /// Make NAME.cells a folder, with a file for each cell (000.cell) and each proof (000.proof)
    #[arg(long, conflicts_with = "json")]
    split: bool,
}

pub(super) fn run(arguments: &Arguments, session: Option<&mut Session>) -> Result<ExitCode, CommandError> {
    let found = entries::find(&arguments.paths, Want::Blobs)?;
    let (json, layout, format) = (arguments.job.stream.json, arguments.layout, arguments.blobs.format);
    arguments.job.run(Want::Blobs, &found, session, |store| {
        let no_place = |entry: &Entry| entry.stdin && store.path(entry, ".cells").is_none();
        if !json && found.entries.iter().any(no_place) {
            let why = "the cells of standard input need a file: give --out FOLDER, or --json";
            return Err(CommandError::new(why));
        }
        Ok(Blobs { keep: Keep { store, layout, class: None }, format })
    })
}

/// Cells, with proofs if requested.
pub(super) struct Output {
    cells: Vec<Cell>,
    proofs: Option<Vec<Proof>>,
}

/// The store of cells and proofs, and their layout.
pub(super) struct Keep {
    pub(super) store: Store,
    pub(super) layout: LayoutArguments,
    /// The class of the results in the ledger, if their inputs are not blobs.
    pub(super) class: Option<&'static str>,
}

/// The files for the cells and proofs of one input that are still to be written.
#[derive(Debug)]
pub(super) struct Targets {
    cells: Option<Target>,
    proofs: Option<Target>,
}

impl Keep {
    /// Returns whether the cells and proofs of an input are done, and the files to write otherwise.
    pub(super) fn before(&self, entry: &Entry, input: [u8; 32]) -> Result<(bool, Targets), InputError> {
        let LayoutArguments { no_proofs, split } = self.layout;
        let kind = |kind: &str| self.class.map_or_else(|| kind.to_owned(), |class| format!("{class}-{kind}"));
        if split {
            let kind = kind(if no_proofs { "cells-split-no-proofs" } else { "cells-split" });
            let mut names: Vec<String> = (0..CELLS_PER_EXT_BLOB).map(|i| part_name(i, "cell")).collect();
            if !no_proofs {
                names.extend((0..CELLS_PER_EXT_BLOB).map(|i| part_name(i, "proof")));
            }
            let slot = self.store.folder(entry, ".cells", &kind, input, &names, BYTES_PER_CELL)?;
            return Ok((slot.done.is_some(), Targets { cells: slot.open(), proofs: None }));
        }
        let len = CELLS_PER_EXT_BLOB * BYTES_PER_CELL;
        let cells = self.store.file(entry, ".cells", &kind("cells"), input, len)?;
        if no_proofs {
            return Ok((cells.done.is_some(), Targets { cells: cells.open(), proofs: None }));
        }
        let proofs = self.store.file(
            entry,
            ".proofs",
            &kind("proofs"),
            input,
            CELLS_PER_EXT_BLOB * BYTES_PER_PROOF,
        )?;
        let done = cells.done.is_some() && proofs.done.is_some();
        Ok((done, Targets { cells: cells.open(), proofs: proofs.open() }))
    }

    /// Writes cells and proofs.
    pub(super) fn save(&self, targets: &Targets, output: &Output) -> Result<(), InputError> {
        if !self.layout.split {
            save(&targets.cells, output.cells.as_flattened())?;
            return output
                .proofs
                .as_ref()
                .map_or(Ok(()), |proofs| save(&targets.proofs, proofs.as_flattened()));
        }
        let Some(target) = &targets.cells else { return Ok(()) };
        let part = |ending| move |(i, bytes): (usize, &[u8])| (part_name(i, ending), bytes.to_vec());
        let cells = output.cells.iter().map(|cell| &cell[..]).enumerate().map(part("cell"));
        let proofs = output.proofs.iter().flatten().map(|proof| &proof[..]).enumerate().map(part("proof"));
        target.save_folder(&cells.chain(proofs).collect::<Vec<Part>>())
    }

    /// Returns the message: the paths of the files, one a line, and the cells and proofs for JSON.
    pub(super) fn message(&self, entry: &Entry, output: Option<&Output>) -> Message {
        let LayoutArguments { no_proofs, split } = self.layout;
        let suffixes = if no_proofs || split { &[".cells"][..] } else { &[".cells", ".proofs"] };
        let paths = suffixes.iter().filter_map(|suffix| self.store.path(entry, suffix));
        let mut fields = Vec::new();
        if let Some(output) = output {
            fields.push(("cells", hex_list(&output.cells)));
            fields.extend(output.proofs.as_ref().map(|proofs| ("proofs", hex_list(proofs))));
        }
        let text = paths.map(|path| shown(&path) + "\n").collect();
        // The text has no results, only the names of their files.
        Message { text, fields, negative: false, damaged: false, unsaved: false }
    }
}

impl Output {
    /// Returns the cells of a job's output.
    pub(super) fn of(output: jobs::Output) -> Option<Self> {
        let jobs::Output::Cells { cells, proofs } = output else { return None };
        Some(Output { cells, proofs })
    }

    /// Returns all cells, in order.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

struct Blobs {
    keep: Keep,
    format: Option<Format>,
}

struct Read {
    blob: Vec<u8>,
    targets: Targets,
}

impl FileJob for Blobs {
    type Read = Read;
    /// `None` if the files are done: their contents are large and not needed.
    type Output = Option<Output>;

    fn read(&self, entry: &Entry) -> Result<ReadOutcome<Read, Option<Output>>, InputError> {
        let blob = input::read_blob(entry, self.format)?;
        let (done, targets) = self.keep.before(entry, Sha256::digest(&blob).into())?;
        Ok(if done { ReadOutcome::Done(None) } else { ReadOutcome::Fresh(Read { blob, targets }) })
    }

    fn operation(&self) -> Operation {
        Operation::Cells { proofs: !self.keep.layout.no_proofs }
    }

    fn item<'a>(&self, read: &'a Read) -> jobs::Item<'a> {
        jobs::Item { data: &read.blob, ..jobs::Item::default() }
    }

    fn output(&self, output: jobs::Output) -> Option<Option<Output>> {
        Output::of(output).map(Some)
    }

    fn save(&self, read: &Read, output: &Option<Output>) -> Result<(), InputError> {
        output.as_ref().map_or(Ok(()), |output| self.keep.save(&read.targets, output))
    }

    fn message(&self, entry: &Entry, output: &Option<Output>) -> Message {
        self.keep.message(entry, output.as_ref())
    }
}
