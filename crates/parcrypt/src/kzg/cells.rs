//! `parcrypt kzg cells` and `recover`: the cells of blobs with their proofs or without, from blobs or from other cells.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::BYTES_PER_CELL;
use parcrypt_kzg::jobs::Operation;
use sha2::{Digest, Sha256};

use super::entries::{Entry, Found, Want, not_read};
use super::pipeline::{Job, Work};
use super::store::{Slot, Store};
use super::{InputError, JobArguments, input};
use crate::error::CommandError;
use crate::ranks::Session;
use crate::text::hex;

/// Options of the computation of cells, and the layout of their files.
#[derive(Args, Clone, Copy, Debug)]
struct LayoutArguments {
    /// Compute cells without proofs, which is much faster
    #[arg(long)]
    no_proofs: bool,
    /// Make NAME.cells a folder, with a file for each cell (000.cell) and each proof (000.proof)
    #[arg(long, conflicts_with = "json")]
    split: bool,
}

impl LayoutArguments {
    /// Returns the files for the cells and proofs of an input; `from` are the cells from which they are recovered.
    fn look(
        self,
        store: &Store,
        entry: &Entry,
        from: &str,
        blob: Option<&[u8]>,
    ) -> Result<Vec<Slot>, InputError> {
        let look = |suffix, how: &str| store.look(entry, suffix, &format!("{how}{from}"), blob);
        Ok(match (self.split, self.no_proofs) {
            (true, true) => vec![look(".cells", "split-cells")?],
            (true, false) => vec![look(".cells", "split-cells-and-proofs")?],
            (false, true) => vec![look(".cells", "cells")?],
            (false, false) => vec![look(".cells", "cells")?, look(".proofs", "proofs")?],
        })
    }
}

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
  head -c 131072 blobs/a.blob.cells | cmp - blobs/a.blob")]
pub(super) struct CellsArguments {
    /// Blobs, and folders of blobs; `-` is standard input, and a pipe is waited for
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    layout: LayoutArguments,
    #[command(flatten)]
    pub(super) job: JobArguments,
}

pub(super) fn cells(
    arguments: &CellsArguments,
    session: Option<&mut Session>,
) -> Result<ExitCode, CommandError> {
    let CellsArguments { paths, layout, job } = arguments;
    let found = Found::new(paths, Want::Blobs, job.out.as_deref())?;
    if !job.stream.json && job.out.is_none() && found.entries.iter().any(Entry::is_stdin) {
        return Err(CommandError::new(
            "the cells of standard input need a file: give --out FOLDER, or --json",
        ));
    }
    job.run(&found, session, |store| Job {
        operation: Operation::Cells { proofs: !layout.no_proofs },
        split: layout.split,
        read: Box::new(move |entry| {
            let data = input::read_blob(entry)?;
            let slots = layout.look(&store, entry, "", Some(&Sha256::digest(&data)))?;
            Ok(Work { data, slots, ..Work::default() })
        }),
    })
}

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
  cmp all/a.blob blobs/a.blob")]
pub(super) struct RecoverArguments {
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

pub(super) fn recover(
    arguments: &RecoverArguments,
    session: Option<&mut Session>,
) -> Result<ExitCode, CommandError> {
    let RecoverArguments { paths, blobs, layout, job } = arguments;
    if !job.stream.json && job.out.is_none() {
        return Err(CommandError::new(
            "the results would have the names of the inputs: give another folder with --out, or --json",
        ));
    }
    let found = Found::new(paths, Want::Cells, job.out.as_deref())?;
    job.run(&found, session, |store| Job {
        operation: Operation::Recover { proofs: !layout.no_proofs },
        split: layout.split,
        read: Box::new(move |entry| {
            let mut cells = input::read_cells(&entry.path)?;
            let bad = cells.leave_out_bad(&entry.path)?;
            let warnings = bad.into_iter().chain(not_read(&cells.others, input::CELL_FILES)).collect();
            let mut from = Sha256::new();
            for (index, cell) in cells.indices.iter().zip(cells.bytes.chunks(BYTES_PER_CELL)) {
                from.update(index.to_le_bytes());
                from.update(cell);
            }
            // Any half of the cells gives the same, so another half is no change of a blob.
            let from = format!(":recovered:{}", hex(&from.finalize()));
            let mut slots = layout.look(&store, entry, &from, None)?;
            if *blobs {
                slots.push(store.look(entry, "", &format!("blob{from}"), None)?);
            }
            Ok(Work { data: cells.bytes, indices: cells.indices, slots, warnings, ..Work::default() })
        }),
    })
}
