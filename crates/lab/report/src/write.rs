//! The one way out of the crate: [`write()`] makes each form of a report, as a text, a file or a folder of files.
//!
//! A format is added as a variant of [`Format`], an arm of `text` and an exporter in `export`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::comparison::Form;
use crate::document;
use crate::error::WriteError;
use crate::export::text::Screen;
use crate::export::{csv, html, json, markdown};
use crate::output::{Filed, Files, Overwrite, Raster, from_folder_of, may_write, write_report};
use crate::results;
use crate::view::RecordView;
use crate::{comparison, plots, summary};

/// Format of a text.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// One screen: a row for each case, sentences that answer the title, what failed and what was skipped.
    Summary(Screen),
    /// For each case a sentence and a table, then the answers to the questions.
    Tables(Screen),
    /// The same in Markdown.
    Markdown,
    /// One page without network, with a section for each record. Its script sorts and filters tables only.
    Html,
    /// A line for each entry, with the columns of docs/reference/results.md.
    Csv,
    /// An object for each record, with the fields of docs/reference/results.md.
    Json,
    /// For each case of whole commands a table, and the verdict on each pair.
    Verdicts(Form),
    /// What has changed from each record to the next.
    Changes(Form),
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// One text, which [`Written::text`] returns.
    Text(Format),
    /// The same as a file.
    File(Format, &'a Path),
    /// A folder with a page of HTML for each record, and `index.html`, which lists them.
    HtmlPages(&'a Path),
    /// A folder with a page in Markdown and at most three figures for each record, and `README.md`, which lists them.
    /// The text `NAME.txt` next to the record `NAME.json` is a note for its page, `front.txt` has the rows of the
    /// picture.
    MarkdownPages {
        /// The folder.
        folder: &'a Path,
        /// Files in Markdown with parts that are written from the records.
        front: &'a [PathBuf],
    },
    /// A folder with each figure as SVG, PNG and PDF; of several records, with a folder for each.
    Figures(&'a Path),
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text of [`Output::Text`].
    pub text: String,
    /// Number of files in the folder; of figures, which are up to three files each, their number.
    pub files: usize,
    /// Whether figures were written as PNG and PDF too.
    pub raster: Raster,
}

/// Writes some records in one form, and returns its text or the number of its files.
///
/// Folders are created. All files are checked before one is written; each is written whole or not at all.
///
/// # Errors
/// [`WriteError`]. After an error of the operating system, the files before it are written.
pub fn write(
    records: &[Filed<'_>],
    output: &Output<'_>,
    overwrite: Overwrite,
) -> Result<Written, WriteError> {
    let mut raster = Raster::default();
    let mut filled = Files::new();
    let files = match *output {
        Output::Text(format) => {
            return Ok(Written { text: text(records, format, None)?, ..Written::default() });
        }
        Output::File(format, path) => {
            vec![(path.to_owned(), text(records, format, Some(path))?.into_bytes())]
        }
        Output::HtmlPages(folder) => results::html_files(records, folder),
        Output::MarkdownPages { folder, front } => {
            let (files, fronts) = results::markdown_files(records, folder, front)?;
            filled = fronts;
            files
        }
        Output::Figures(folder) => {
            let (files, painted) = plots::files(records, folder)?;
            raster = painted;
            files
        }
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
    // The user's own files, whose other parts stay as they are.
    for (path, bytes) in &filled {
        write_report(path, bytes, Overwrite::Files)?;
    }
    let is_figure = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "svg");
    let counted = |(path, _): &&(PathBuf, _)| !matches!(output, Output::Figures(_)) || is_figure(path);
    Ok(Written { text: String::new(), files: files.iter().filter(counted).count(), raster })
}

/// Returns some records as one text; `page` is the path of its file.
pub(crate) fn text(records: &[Filed<'_>], format: Format, page: Option<&Path>) -> Result<String, WriteError> {
    // A page and changes are not of the views of single records.
    let views: Vec<RecordView<'_>> = match format {
        Format::Html | Format::Changes(_) => Vec::new(),
        _ => records.iter().map(|(record, _)| RecordView::new(record)).collect(),
    };
    Ok(match format {
        Format::Summary(screen) => {
            views.iter().map(|view| screen.screen(&summary::of(view))).collect::<Vec<_>>().join("\n")
        }
        Format::Tables(screen) => views.iter().map(|view| screen.document(&document::of(view))).collect(),
        Format::Markdown => views.iter().map(|view| markdown::document(&document::of(view))).collect(),
        Format::Html => {
            let link = |path| page.map(|page| from_folder_of(page, path));
            let files: Vec<Option<String>> = records.iter().map(|(_, path)| link(path)).collect();
            let all = records.iter().zip(&files).map(|((record, _), file)| (*record, file.as_deref()));
            html::page(&all.collect::<Vec<_>>()).into_string()
        }
        Format::Csv => csv::results(&views.iter().map(json::results).collect::<Vec<_>>()),
        Format::Json => {
            let results: Vec<_> = views.iter().map(json::results).collect();
            serde_json::to_string_pretty(&results)? + "\n"
        }
        Format::Verdicts(form) => {
            let texts = views.iter().map(|view| comparison::verdicts(view, form));
            texts.collect::<Result<String, _>>()?
        }
        Format::Changes(form) => {
            let texts = records.windows(2).map(|two| comparison::changes(two[0].0, two[1].0, form));
            texts.collect::<Result<String, _>>()?
        }
    })
}
