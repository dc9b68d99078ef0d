//! The entry point of the crate: [`write()`] writes each form of a report, as a text, a file or a folder of files.
//!
//! To add a format: a variant of [`Format`], an arm of `text`, an exporter in `export`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::comparison::Form;
use crate::document;
use crate::error::WriteError;
use crate::export::screen::Screen;
use crate::export::{csv, html, json, markdown};
use crate::output::{Filed, Files, Overwrite, Raster, from_folder_of, may_write, write_report};
use crate::results;
use crate::suite::{self, SuiteView};
use crate::view::RecordView;
use crate::{comparison, plots, summary};

/// Format of a text.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// One screen: a row for each case, sentences that answer the question of the title, failed and skipped entries.
    Summary(Screen),
    /// For each case a sentence and a table, then the answers to the plan's questions.
    Tables(Screen),
    /// The same in Markdown.
    Markdown,
    /// One self-contained page with a section for each record. Its script only sorts and filters tables.
    Html,
    /// A line for each entry, with the columns of docs/reference/results.md.
    Csv,
    /// An object for each record, with the fields of docs/reference/results.md.
    Json,
    /// For each case of whole commands, a table and the verdict on each pair; for a suite its table, with what did not
    /// change folded in Markdown.
    Verdicts(Form),
    /// Changes from each record to the next.
    Changes(Form),
}

/// Destination of a report.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// One text, which [`Written::text`] returns.
    Text(Format),
    /// One text, written to a file.
    File(Format, &'a Path),
    /// A folder with an HTML page for each record, and `index.html`, which lists them.
    HtmlPages(&'a Path),
    /// A folder with a Markdown page and at most three figures for each record, and `README.md`, which lists them.
    /// If there is a text `NAME.txt` next to the record `NAME.json`, it is a note on its page; `front.txt` has the rows
    /// of the picture.
    MarkdownPages {
        /// The folder.
        folder: &'a Path,
        /// Markdown files with parts that are generated from the records.
        front: &'a [PathBuf],
    },
    /// A folder with each figure as SVG, PNG and PDF; with a folder for each record if there are several.
    Figures(&'a Path),
}

/// Result of [`write()`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text of [`Output::Text`].
    pub text: String,
    /// Number of files in the folder; for [`Output::Figures`], number of figures, each of up to three files.
    pub files: usize,
    /// Whether figures were also written as PNG and PDF.
    pub raster: Raster,
}

/// Writes a report on some records, and returns its text or the number of its files.
///
/// Missing folders are created. All destinations are checked before the first file is written, and each file is
/// replaced atomically.
///
/// # Errors
/// [`WriteError`]. If the operating system reports an error, the files before it have been written.
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
            let (files, outcome) = plots::files(records, folder)?;
            raster = outcome;
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
    // The user's own files, of which only the generated parts change.
    for (path, bytes) in &filled {
        write_report(path, bytes, Overwrite::Files)?;
    }
    let is_figure = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "svg");
    let counted = |(path, _): &&(PathBuf, _)| !matches!(output, Output::Figures(_)) || is_figure(path);
    Ok(Written { text: String::new(), files: files.iter().filter(counted).count(), raster })
}

/// Returns a report on some records as one text; `page` is the path of the file it is written to.
pub(crate) fn text(records: &[Filed<'_>], format: Format, page: Option<&Path>) -> Result<String, WriteError> {
    let views = || records.iter().map(|(record, _)| RecordView::new(record)).collect::<Vec<_>>();
    // A suite has one report for a terminal, and one in Markdown.
    let each = |of_suite: &dyn Fn(&SuiteView<'_>) -> String, of: &dyn Fn(&RecordView<'_>) -> String| {
        let text = |(record, _): &Filed<'_>| match suite::of(record) {
            Some(suite) => of_suite(&suite),
            None => of(&RecordView::new(record)),
        };
        records.iter().map(text).collect::<Vec<String>>()
    };
    let on_screen =
        |screen: Screen| move |suite: &SuiteView<'_>| screen.document(&suite.on_screen(screen.width));
    Ok(match format {
        Format::Summary(screen) => {
            each(&on_screen(screen), &|view| screen.screen(&summary::of(view))).join("\n")
        }
        Format::Tables(screen) => {
            each(&on_screen(screen), &|view| screen.document(&document::of(view))).concat()
        }
        Format::Markdown => {
            let of_suite = |suite: &SuiteView<'_>| markdown::document(&suite.folded());
            each(&of_suite, &|view| markdown::document(&document::of(view))).concat()
        }
        Format::Html => {
            let link = |path| page.map(|page| from_folder_of(page, path));
            let files: Vec<Option<String>> = records.iter().map(|(_, path)| link(path)).collect();
            let all = records.iter().zip(&files).map(|((record, _), file)| (*record, file.as_deref()));
            html::page(&all.collect::<Vec<_>>()).into_string()
        }
        Format::Csv => csv::results(&views().iter().map(json::results).collect::<Vec<_>>()),
        Format::Json => {
            let views = views();
            let results: Vec<_> = views.iter().map(json::results).collect();
            serde_json::to_string_pretty(&results)? + "\n"
        }
        Format::Verdicts(form) => {
            let texts = records.iter().map(|(record, _)| comparison::verdicts(record, form));
            texts.collect::<Result<String, _>>()?
        }
        Format::Changes(form) => {
            let texts = records.windows(2).map(|two| comparison::changes(two[0].0, two[1].0, form));
            texts.collect::<Result<String, _>>()?
        }
    })
}
