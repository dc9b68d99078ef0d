//! Figures written to files.

use std::path::{Path, PathBuf};

use parcrypt_lab::record::Record;

use crate::export::svg::{self, Place};
use crate::figures;
use crate::output::{OutputError, Overwrite, may_write, write_report};
#[cfg(feature = "plots")]
use crate::output::{marked_pdf, marked_png};
use crate::view::RecordView;

/// A figure of a record as SVG.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Name of the file without the ending, unique in its record.
    pub name: String,
    /// A whole SVG file, with colours for light and dark.
    pub svg: String,
}

/// Returns all figures of a record: those of its page, and each case against its baseline.
pub fn plots(record: &Record) -> Vec<Plot> {
    let all = figures::all(&RecordView::new(record)).into_iter();
    all.map(|figure| Plot { name: figure.name, svg: svg::file(&figure.drawing, Place::Alone) }).collect()
}

/// Files that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Figures, each as SVG.
    pub plots: usize,
    /// Whether PNG and PDF were written too.
    pub painted: Raster,
}

/// Outcome of writing figures as PNG and PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raster {
    /// They were written.
    Yes,
    /// This machine has no font, without which the figures would have no text.
    NoFont,
    /// This build is without the feature `plots`.
    NotBuilt,
}

/// Error of writing a figure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The folder cannot be made.
    #[error("{path}: {source}", path = path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The figure could not be drawn in this format.
    #[error("{path}: the figure cannot be drawn: {why}", path = path.display())]
    Draw {
        /// Path of the file.
        path: PathBuf,
        /// Error of the drawing library.
        why: String,
    },
}

/// Writes each figure of a record into a folder, which is created if missing: as SVG, and where this build and this
/// machine can do it as PNG and PDF. A file is written whole or not at all.
///
/// # Errors
/// [`PlotError`]. Where a figure cannot be drawn or a file may not be replaced, none is written; after another error,
/// the files before it are.
pub fn write_plots(record: &Record, folder: &Path, overwrite: Overwrite) -> Result<Written, PlotError> {
    std::fs::create_dir_all(folder)
        .map_err(|source| PlotError::Folder { path: folder.to_owned(), source })?;
    let plots = plots(record);
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let path = |plot: &Plot, ending: &str| folder.join(format!("{}.{ending}", plot.name));
    files.extend(plots.iter().map(|plot| (path(plot, "svg"), plot.svg.clone().into_bytes())));
    let painted = paint(&plots, path, &mut files)?;
    for (path, _) in &files {
        may_write(path, overwrite)?;
    }
    for (path, bytes) in &files {
        write_report(path, bytes, overwrite)?;
    }
    Ok(Written { plots: plots.len(), painted })
}

/// Adds PNG and PDF files of all figures.
#[cfg(feature = "plots")]
fn paint(
    plots: &[Plot],
    path: impl Fn(&Plot, &str) -> PathBuf,
    files: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result<Raster, PlotError> {
    let Some(painter) = crate::export::raster::Painter::new() else { return Ok(Raster::NoFont) };
    for plot in plots {
        for (ending, drawn) in
            [("png", painter.png(&plot.svg).map(marked_png)), ("pdf", painter.pdf(&plot.svg).map(marked_pdf))]
        {
            let path = path(plot, ending);
            let bytes = drawn.map_err(|why| PlotError::Draw { path: path.clone(), why })?;
            files.push((path, bytes));
        }
    }
    Ok(Raster::Yes)
}

#[cfg(not(feature = "plots"))]
fn paint(
    _: &[Plot],
    _: impl Fn(&Plot, &str) -> PathBuf,
    _: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result<Raster, PlotError> {
    Ok(Raster::NotBuilt)
}
