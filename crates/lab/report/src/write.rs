//! The entry points of the crate: [`text`] and [`pages`] return sheets in a format, and [`write()`] writes files.
//!
//! To add a format: a variant of [`Format`], its arm of [`text`], an exporter in `export`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::export::text::{Detail, Screen};
use crate::export::{csv, html, json, markdown, svg};
use crate::output::{GENERATED, WriteError, may_write, stem, write_report};
use crate::sheet::Sheet;

/// Format of a text.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// For a terminal.
    Text(Screen, Detail),
    /// Markdown, as for a comment on a pull request.
    Markdown,
    /// One self-contained page with a section for each record.
    Html,
    /// A line for each number of each row.
    Csv,
    /// An object for each record, with the fields of docs/reference/results.md; of one record, not in an array.
    Json,
}

/// Returns sheets as one text; `page` is the path of the file it is written to.
pub fn text(sheets: &[Sheet], format: Format, page: Option<&Path>) -> String {
    let all = |text: &dyn Fn(&Sheet) -> String| sheets.iter().map(text).collect::<Vec<_>>().join("\n");
    match format {
        Format::Text(screen, detail) => all(&|sheet| screen.sheet(sheet, detail)),
        Format::Markdown => all(&|sheet| markdown::sheet(sheet, 3, None)),
        Format::Html => html::page(sheets, page),
        Format::Csv => csv::sheets(sheets),
        Format::Json => json::sheets(sheets),
    }
}

/// Returns a page in Markdown for each sheet, and its figure as SVG, if it has one, each with its path in a folder.
pub fn pages(sheets: &[Sheet], folder: &Path) -> Vec<(PathBuf, String)> {
    let page = |sheet: &Sheet| {
        let name = stem(&sheet.run.file);
        let picture = format!("{name}.svg");
        let text = GENERATED.to_owned() + &markdown::sheet(sheet, 1, Some(&picture));
        let figure = sheet.figure.as_ref();
        let figure = figure.map(|figure| (folder.join(&picture), svg::file(figure)));
        [(folder.join(format!("{name}.md")), text)].into_iter().chain(figure)
    };
    sheets.iter().flat_map(page).collect()
}

/// Writes files of reports.
///
/// Missing folders are created. All paths are checked before the first file is written: only files with the mark of a
/// report are replaced, atomically.
///
/// # Errors
/// [`WriteError`]. If the operating system reports an error, the files before it have been written.
pub fn write(files: &[(PathBuf, String)]) -> Result<(), WriteError> {
    let mut seen = BTreeSet::new();
    if let Some((path, _)) = files.iter().find(|(path, _)| !seen.insert(path)) {
        return Err(WriteError::SameName { path: path.clone() });
    }
    files.iter().try_for_each(|(path, _)| may_write(path).map(drop))?;
    files.iter().try_for_each(|(path, text)| write_report(path, text.as_bytes()))
}
