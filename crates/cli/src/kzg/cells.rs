//! `parcrypt kzg cells`: the cells of blobs, with their proofs or without.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::jobs::{self, Operation};
use parcrypt_kzg::{BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, Cell, Proof};
use sha2::{Digest, Sha256};

use super::engine::{Engine, EngineArguments, TableArguments};
use super::entries::{self, Entry, Want};
use super::input::{self, Format, part_name};
use super::results::{Part, Store, Target, save};
use super::stream::{self, Answer, Job, Step};
use super::{BlobArguments, StoreArguments, StreamArguments, Trouble, hex_list, shown};
use crate::error::CommandError;
use crate::ranks::Session;

/// Compute the cells of blobs and their proofs
#[derive(Args, Debug)]
#[command(after_help = "\
Cells go to NAME.cells and proofs to NAME.proofs, whose paths are printed. The first
64 of the 128 cells are the blob itself. What is done already is not done again. With
--json no file is written.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg cells blobs                            beside the blobs
  parcrypt kzg cells blobs --no-proofs --out erasure  only the cells: much faster
  parcrypt kzg cells blobs --split --out single       a file for each cell and proof
  parcrypt kzg cells blobs --json                     on standard output alone
  head -c 131072 blobs/a.blob.cells | cmp - blobs/a.blob

Exit codes: 0 done; 2 an error (it names the file; all others are done).")]
pub(super) struct Arguments {
    /// Blobs, and folders of blobs; `-` is standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    layout: LayoutArguments,
    #[command(flatten)]
    blobs: BlobArguments,
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
    #[command(flatten)]
    tables: TableArguments,
}

/// What is computed of cells, and into which files it goes.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct LayoutArguments {
    /// Compute cells alone, which takes a small part of the time
    #[arg(long)]
    pub(super) no_proofs: bool,
    /// Make NAME.cells a folder, with a file for each cell (000.cell) and each proof (000.proof)
    #[arg(long, conflicts_with = "json")]
    split: bool,
}

pub(super) fn run(arguments: &Arguments, session: Option<&mut Session>) -> Result<ExitCode, CommandError> {
    let found = entries::find(&arguments.paths, Want::Blobs)?;
    let mut engine = Engine::new(&arguments.engine, Some(&arguments.tables), session)?;
    let store = Store::new(&arguments.store, arguments.stream.json, &engine.setup, &found)?;
    let no_place = |entry: &Entry| entry.stdin && store.path(entry, ".cells").is_none();
    if !arguments.stream.json && found.entries.iter().any(no_place) {
        return Err(CommandError::new(
            "the cells of standard input need a place: give --out FOLDER, or --json",
        ));
    }
    let options = arguments.stream.options(&engine, found.entries.len(), 1, false);
    let job = Blobs { keep: Keep { store, layout: arguments.layout }, format: arguments.blobs.format };
    Ok(stream::run(&job, &found, Want::Blobs, &mut engine, options))
}

/// Cells, and proofs where they were asked for.
pub(super) struct Made {
    cells: Vec<Cell>,
    proofs: Option<Vec<Proof>>,
}

/// Where cells and proofs are kept.
pub(super) struct Keep {
    pub(super) store: Store,
    pub(super) layout: LayoutArguments,
}

/// Where the cells and proofs of one input are to be written.
#[derive(Debug)]
pub(super) struct Targets {
    cells: Option<Target>,
    proofs: Option<Target>,
}

impl Keep {
    /// Whether the cells and proofs of an input are there, and where they are to be written.
    ///
    /// # Errors
    /// As for [`Store::file`].
    pub(super) fn before(&self, entry: &Entry, input: [u8; 32]) -> Result<(bool, Targets), Trouble> {
        let LayoutArguments { no_proofs, split } = self.layout;
        if split {
            let kind = if no_proofs { "cells-split-no-proofs" } else { "cells-split" };
            let mut names: Vec<String> = (0..CELLS_PER_EXT_BLOB).map(|i| part_name(i, "cell")).collect();
            if !no_proofs {
                names.extend((0..CELLS_PER_EXT_BLOB).map(|i| part_name(i, "proof")));
            }
            let slot = self.store.folder(entry, ".cells", kind, input, &names, BYTES_PER_CELL)?;
            return Ok((slot.done.is_some(), Targets { cells: slot.open(), proofs: None }));
        }
        let len = CELLS_PER_EXT_BLOB * BYTES_PER_CELL;
        let cells = self.store.file(entry, ".cells", "cells", input, len)?;
        if no_proofs {
            return Ok((cells.done.is_some(), Targets { cells: cells.open(), proofs: None }));
        }
        let proofs =
            self.store.file(entry, ".proofs", "proofs", input, CELLS_PER_EXT_BLOB * BYTES_PER_PROOF)?;
        let done = cells.done.is_some() && proofs.done.is_some();
        Ok((done, Targets { cells: cells.open(), proofs: proofs.open() }))
    }

    /// Writes them.
    ///
    /// # Errors
    /// As for [`save`].
    pub(super) fn save(&self, targets: &Targets, made: &Made) -> Result<(), Trouble> {
        if !self.layout.split {
            save(&targets.cells, made.cells.as_flattened())?;
            return made
                .proofs
                .as_ref()
                .map_or(Ok(()), |proofs| save(&targets.proofs, proofs.as_flattened()));
        }
        let Some(target) = &targets.cells else { return Ok(()) };
        let part = |ending| move |(i, bytes): (usize, &[u8])| (part_name(i, ending), bytes.to_vec());
        let cells = made.cells.iter().map(|cell| &cell[..]).enumerate().map(part("cell"));
        let proofs = made.proofs.iter().flatten().map(|proof| &proof[..]).enumerate().map(part("proof"));
        target.save_folder(&cells.chain(proofs).collect::<Vec<Part>>())
    }

    /// The paths of what was written, one on a line, or the cells and proofs themselves.
    pub(super) fn answer(&self, entry: &Entry, made: Option<&Made>) -> Answer {
        let LayoutArguments { no_proofs, split } = self.layout;
        let suffixes = if no_proofs || split { &[".cells"][..] } else { &[".cells", ".proofs"] };
        let paths = suffixes.iter().filter_map(|suffix| self.store.path(entry, suffix));
        let mut fields = Vec::new();
        if let Some(made) = made {
            fields.push(("cells", hex_list(&made.cells)));
            fields.extend(made.proofs.as_ref().map(|proofs| ("proofs", hex_list(proofs))));
        }
        let text = paths.map(|path| shown(&path) + "\n").collect();
        Answer { text, fields, negative: false }
    }
}

impl Made {
    /// Takes what was computed, if it is cells.
    pub(super) fn of(made: jobs::Output) -> Option<Self> {
        let jobs::Output::Cells { cells, proofs } = made else { return None };
        Some(Made { cells, proofs })
    }

    /// All cells, in order.
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

impl Job for Blobs {
    type Read = Read;
    /// Nothing where it was there before: it is long, and nobody wants to see it.
    type Made = Option<Made>;

    fn read(&self, entry: &Entry) -> Result<Step<Read, Option<Made>>, Trouble> {
        let blob = input::read_blob(entry, self.format)?;
        let (done, targets) = self.keep.before(entry, Sha256::digest(&blob).into())?;
        Ok(if done { Step::Done(None) } else { Step::Fresh(Read { blob, targets }) })
    }

    fn operation(&self) -> Operation {
        Operation::Cells { proofs: !self.keep.layout.no_proofs }
    }

    fn item<'a>(&self, read: &'a Read) -> jobs::Item<'a> {
        jobs::Item { data: &read.blob, ..jobs::Item::default() }
    }

    fn made(&self, made: jobs::Output) -> Option<Option<Made>> {
        Made::of(made).map(Some)
    }

    fn save(&self, read: &Read, made: &Option<Made>) -> Result<(), Trouble> {
        made.as_ref().map_or(Ok(()), |made| self.keep.save(&read.targets, made))
    }

    fn answer(&self, entry: &Entry, made: &Option<Made>) -> Answer {
        self.keep.answer(entry, made.as_ref())
    }
}
