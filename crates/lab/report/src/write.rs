//! The entry point of the crate: [`write()`] writes sheets as a text, a file or a folder of files.
//!
//! To add a format: a variant of [`Format`], its arm of [`text`], an exporter in `export`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::WriteError;
use crate::export::text::{Detail, Screen};
use crate::export::{csv, html, json, markdown, svg};
use crate::output::{Files, GENERATED, Overwrite, may_write, stem, write_report};
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

/// Destination of a report.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// One text, which [`Written::text`] returns.
    Text(Format),
    /// One text, written to a file.
    File(Format, &'a Path),
    /// A folder with a page in Markdown for each record, and its figure as SVG, if it has one.
    MarkdownPages(&'a Path),
}

/// Result of [`write()`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text of [`Output::Text`].
    pub text: String,
    /// Number of files in the folder.
    pub files: usize,
}

/// Writes a report of some sheets, and returns its text or the number of its files.
///
/// Missing folders are created. All destinations are checked before the first file is written, and each file is
/// replaced atomically.
///
/// # Errors
/// [`WriteError`]. If the operating system reports an error, the files before it have been written.
pub fn write(sheets: &[Sheet], output: &Output<'_>, overwrite: Overwrite) -> Result<Written, WriteError> {
    let files = match *output {
        Output::Text(format) => {
            return Ok(Written { text: text(sheets, format, None)?, ..Written::default() });
        }
        Output::File(format, path) => {
            vec![(path.to_owned(), text(sheets, format, Some(path))?.into_bytes())]
        }
        Output::MarkdownPages(folder) => sheets.iter().flat_map(|sheet| page(sheet, folder)).collect(),
    };
    let mut seen = BTreeSet::new();
    if let Some((path, _)) = files.iter().find(|(path, _)| !seen.insert(path)) {
        return Err(WriteError::SameName { path: path.clone() });
    }
    for (path, _) in &files {
        may_write(path, overwrite)?;
    }
    for (path, bytes) in &files {
        write_report(path, bytes, overwrite)?;
    }
    Ok(Written { text: String::new(), files: files.len() })
}

/// Returns the page of a record, and the figure that it shows.
fn page(sheet: &Sheet, folder: &Path) -> Files {
    let name = stem(&sheet.run.file);
    let picture = format!("{name}.svg");
    let text = GENERATED.to_owned() + &markdown::sheet(sheet, 1, Some(&picture));
    let figure = sheet.figures.first();
    let figure = figure.map(|figure| (folder.join(&picture), svg::file(&figure.drawing).into_bytes()));
    [(folder.join(format!("{name}.md")), text.into_bytes())].into_iter().chain(figure).collect()
}

/// Returns a report of some sheets as one text; `page` is the path of the file it is written to.
pub(crate) fn text(sheets: &[Sheet], format: Format, page: Option<&Path>) -> Result<String, WriteError> {
    let all = |text: &dyn Fn(&Sheet) -> String| sheets.iter().map(text).collect::<Vec<_>>().join("\n");
    Ok(match format {
        Format::Text(screen, detail) => all(&|sheet| screen.sheet(sheet, detail)),
        Format::Markdown => all(&|sheet| markdown::sheet(sheet, 3, None)),
        Format::Html => html::page(sheets, page),
        Format::Csv => csv::sheets(sheets),
        Format::Json => {
            let text = match sheets {
                [one] => serde_json::to_string_pretty(&json::sheet(one)),
                all => serde_json::to_string_pretty(&all.iter().map(json::sheet).collect::<Vec<_>>()),
            };
            text? + "\n"
        }
    })
}
