//! Figures as files.

use std::path::{Path, PathBuf};

use parcrypt_lab::record::Record;

use crate::export::svg::{self, Place};
use crate::figures;
#[cfg(feature = "plots")]
use crate::output::{marked_pdf, marked_png};
use crate::view::RecordView;
use crate::write::{Files, Raster, WriteError};

/// A figure of a record as SVG.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    /// Name of the file without the ending, unique in its record.
    pub(crate) name: String,
    /// A whole SVG file, with colours for light and dark.
    pub(crate) svg: String,
}

/// Returns all figures of a record: those of its page, and each case against its baseline.
pub(crate) fn plots(record: &Record) -> Vec<Plot> {
    let all = figures::all(&RecordView::new(record)).into_iter();
    all.map(|figure| Plot { name: figure.name, svg: svg::file(&figure.drawing, Place::Alone) }).collect()
}

/// Adds each figure of a record as a file of a folder: as SVG, and where this build and this machine can do it as PNG
/// and PDF.
pub(crate) fn files(record: &Record, folder: &Path, files: &mut Files) -> Result<Raster, WriteError> {
    let plots = plots(record);
    let path = |plot: &Plot, ending: &str| folder.join(format!("{}.{ending}", plot.name));
    files.extend(plots.iter().map(|plot| (path(plot, "svg"), plot.svg.clone().into_bytes())));
    paint(&plots, path, files)
}

/// Adds PNG and PDF files of all figures.
#[cfg(feature = "plots")]
fn paint(
    plots: &[Plot],
    path: impl Fn(&Plot, &str) -> PathBuf,
    files: &mut Files,
) -> Result<Raster, WriteError> {
    let Some(painter) = crate::export::raster::Painter::new() else { return Ok(Raster::NoFont) };
    for plot in plots {
        for (ending, drawn) in
            [("png", painter.png(&plot.svg).map(marked_png)), ("pdf", painter.pdf(&plot.svg).map(marked_pdf))]
        {
            let path = path(plot, ending);
            let bytes = drawn.map_err(|why| WriteError::Draw { path: path.clone(), why })?;
            files.push((path, bytes));
        }
    }
    Ok(Raster::Yes)
}

#[cfg(not(feature = "plots"))]
fn paint(_: &[Plot], _: impl Fn(&Plot, &str) -> PathBuf, _: &mut Files) -> Result<Raster, WriteError> {
    Ok(Raster::NotBuilt)
}
