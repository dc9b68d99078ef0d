//! Figures as files.

use std::path::{Path, PathBuf};

use parcrypt_lab::record::Record;

use crate::error::WriteError;
use crate::export::svg::{self, Place};
use crate::figures;
use crate::output::{Filed, Files, Raster, stem};
#[cfg(feature = "plots")]
use crate::output::{marked_pdf, marked_png};
use crate::view::RecordView;

/// A figure of a record as SVG.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    /// Name of the file without the ending, unique in its record.
    pub(crate) name: String,
    /// A whole SVG file, with colours for light and dark.
    pub(crate) svg: String,
}

/// Returns all figures of a record: the figures of its page, and each case against its baseline.
pub(crate) fn plots(record: &Record) -> Vec<Plot> {
    let all = figures::all(&RecordView::new(record)).into_iter();
    all.map(|figure| Plot { name: figure.name, svg: svg::file(&figure.drawing, Place::Alone) }).collect()
}

/// Returns each figure of some records as a file of a folder, or of several records of a folder in it for each: as SVG,
/// and if this build and this machine can do it as PNG and PDF.
pub(crate) fn files(records: &[Filed<'_>], folder: &Path) -> Result<(Files, Raster), WriteError> {
    let (mut files, mut raster) = (Files::new(), Raster::default());
    for (record, file) in records {
        let own = if records.len() == 1 { folder.to_owned() } else { folder.join(stem(file)) };
        let plots = plots(record);
        let path = |plot: &Plot, ending: &str| own.join(format!("{}.{ending}", plot.name));
        files.extend(plots.iter().map(|plot| (path(plot, "svg"), plot.svg.clone().into_bytes())));
        raster = paint(&plots, path, &mut files)?;
    }
    Ok((files, raster))
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
