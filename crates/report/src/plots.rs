//! Figures written to files.

use std::path::{Path, PathBuf};

use parcrypt_lab::record::Record;
use parcrypt_lab::write_derived;

use crate::export::svg::{self, Paper};
use crate::figures;
use crate::view::RecordView;

/// A figure of a record as SVG.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Name of the file without the ending, unique in its record.
    pub name: String,
    /// A whole SVG file, on light paper.
    pub svg: String,
}

/// Returns all figures of a record, as its page shows them.
pub fn plots(record: &Record) -> Vec<Plot> {
    let all = figures::all(&RecordView::new(record)).into_iter();
    all.map(|figure| Plot { name: figure.name, svg: svg::file(&figure.drawing, Paper::Light) }).collect()
}

/// Files that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Figures, each as SVG.
    pub plots: usize,
    /// Whether PNG and PDF were written too.
    pub painted: Painted,
}

/// Outcome of writing figures as PNG and PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Painted {
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
    /// The file could not be written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
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
/// machine can do it as PNG and PDF. A file is written whole or not at all, and replaces one with its name.
///
/// # Errors
/// [`PlotError`]; the figures before the failed one are written.
pub fn write_plots(record: &Record, folder: &Path) -> Result<Written, PlotError> {
    std::fs::create_dir_all(folder).map_err(|source| PlotError::Io { path: folder.to_owned(), source })?;
    let plots = plots(record);
    let write = |path: PathBuf, bytes: &[u8]| {
        write_derived(&path, bytes).map_err(|source| PlotError::Io { path, source })
    };
    for plot in &plots {
        write(folder.join(format!("{}.svg", plot.name)), plot.svg.as_bytes())?;
    }
    Ok(Written { plots: plots.len(), painted: paint(&plots, folder, write)? })
}

#[cfg(feature = "plots")]
fn paint(
    plots: &[Plot],
    folder: &Path,
    write: impl Fn(PathBuf, &[u8]) -> Result<(), PlotError>,
) -> Result<Painted, PlotError> {
    let Some(painter) = crate::export::raster::Painter::new() else { return Ok(Painted::NoFont) };
    for plot in plots {
        for (ending, drawn) in [("png", painter.png(&plot.svg)), ("pdf", painter.pdf(&plot.svg))] {
            let path = folder.join(format!("{}.{ending}", plot.name));
            let bytes = drawn.map_err(|why| PlotError::Draw { path: path.clone(), why })?;
            write(path, &bytes)?;
        }
    }
    Ok(Painted::Yes)
}

#[cfg(not(feature = "plots"))]
fn paint(
    _: &[Plot],
    _: &Path,
    _: impl Fn(PathBuf, &[u8]) -> Result<(), PlotError>,
) -> Result<Painted, PlotError> {
    Ok(Painted::NotBuilt)
}
