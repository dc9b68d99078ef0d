//! Figures as files: SVG as on the page, and PNG and PDF made of that.

use std::path::{Path, PathBuf};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Family, Query};
use resvg::usvg::{Options, Tree};
use svg2pdf::{ConversionOptions, PageOptions};

use crate::view::RecordView;
use crate::{figures, plot};
use parcrypt_lab::record::{Record, write_derived};

/// Pixels of a PNG for each unit of the SVG: 1260 are the width of a figure.
const PIXELS: f32 = 3.0;

/// Fonts that many systems have, for those whose settings name none that is there.
const FONTS: [&str; 6] = ["DejaVu Sans", "Noto Sans", "Liberation Sans", "Arial", "Helvetica", "Ubuntu"];

/// A figure of a record.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What it shows, as the name of a file without its ending; no other plot of the record has the same.
    pub name: String,
    /// A whole SVG file.
    pub svg: String,
}

/// All figures of a record, as its page shows them.
pub fn plots(record: &Record) -> Vec<Plot> {
    let all = figures::all(&RecordView::new(record)).into_iter();
    all.map(|figure| Plot { name: figure.name, svg: plot::standalone(&figure.svg) }).collect()
}

/// Which files were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Figures.
    pub plots: usize,
    /// Whether this machine has a font. Without one there is no text in a PNG or PDF, so they are left out.
    pub font: bool,
}

/// Why a plot could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The file could not be written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The figure could not be drawn in this format.
    #[error("{path}: the figure cannot be drawn: {why}", path = path.display())]
    Draw {
        /// Which file.
        path: PathBuf,
        /// What the drawing library said.
        why: String,
    },
}

/// Writes each figure of a record into a folder, which is made where it is not there: as SVG, and where this machine has
/// a font as PNG and PDF. A file is written whole or not at all, and takes the place of one with its name.
///
/// # Errors
/// [`PlotError`]; the figures before are then written.
pub fn write_plots(record: &Record, folder: &Path) -> Result<Written, PlotError> {
    std::fs::create_dir_all(folder).map_err(|source| PlotError::Io { path: folder.to_owned(), source })?;
    let plots = plots(record);
    let painter = Painter::new();
    for plot in &plots {
        let path = |ending: &str| folder.join(format!("{}.{ending}", plot.name));
        let write = |ending: &str, bytes: &[u8]| {
            let path = path(ending);
            write_derived(&path, bytes).map_err(|source| PlotError::Io { path, source })
        };
        write("svg", plot.svg.as_bytes())?;
        let Some(painter) = &painter else { continue };
        let draw = |ending: &str, drawn: Result<Vec<u8>, String>| {
            write(ending, &drawn.map_err(|why| PlotError::Draw { path: path(ending), why })?)
        };
        draw("png", painter.png(&plot.svg))?;
        draw("pdf", painter.pdf(&plot.svg))?;
    }
    Ok(Written { plots: plots.len(), font: painter.is_some() })
}

/// Draws SVG with the fonts of this machine.
struct Painter(Options<'static>);

impl Painter {
    /// `None` where the machine has no font.
    fn new() -> Option<Self> {
        let mut options = Options::default();
        let fonts = options.fontdb_mut();
        fonts.load_system_fonts();
        let there =
            |family: Family<'_>| fonts.query(&Query { families: &[family], ..Query::default() }).is_some();
        if !there(Family::SansSerif) {
            let known = FONTS.into_iter().find(|name| there(Family::Name(name))).map(str::to_string);
            let any = fonts.faces().find(|face| !face.monospaced).or(fonts.faces().next());
            let any = any.and_then(|face| Some(face.families.first()?.0.clone()));
            let family = known.or(any)?;
            fonts.set_sans_serif_family(family);
        }
        Some(Painter(options))
    }

    fn tree(&self, svg: &str) -> Result<Tree, String> {
        Tree::from_str(svg, &self.0).map_err(|e| e.to_string())
    }

    fn png(&self, svg: &str) -> Result<Vec<u8>, String> {
        let tree = self.tree(svg)?;
        let size = tree.size().to_int_size().scale_by(PIXELS).ok_or("it has no size")?;
        let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
        resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut pixels.as_mut());
        pixels.encode_png().map_err(|e| e.to_string())
    }

    fn pdf(&self, svg: &str) -> Result<Vec<u8>, String> {
        svg2pdf::to_pdf(&self.tree(svg)?, ConversionOptions::default(), PageOptions::default())
            .map_err(|e| e.to_string())
    }
}
