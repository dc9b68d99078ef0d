//! Reports of a lab's records: for a terminal, in Markdown, as one page of HTML, as CSV and JSON, and figures as SVG,
//! PNG and PDF.
//!
//! ```no_run
//! use parcrypt_lab::record::Record;
//! use parcrypt_report::{Colour, html, terminal};
//!
//! let record = Record::read("bench-results/sum.json".as_ref())?;
//! print!("{}", terminal(&record, Some(100), Colour::Plain));
//! std::fs::write("sum.html", html(&[record]))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A report is computed from records only. A number passes through these modules in turn: record →
//! [`parcrypt_lab::stats`] → `view`, which has the values that are shown → `sentences`, `figures` and `view::tables`,
//! which write, draw and tabulate it → one exporter of `export`. A table or a column is added in `view/tables.rs`, a
//! figure in `figures.rs`, a format as a file in `export/`; README.md has the steps. A figure is a plot with its
//! caption; numbers are values, estimates and counts.
//!
//! Texts in a record come from the programs that were measured and are untrusted: every exporter escapes them, so that
//! they become neither markup nor terminal commands.

mod commands;
mod document;
mod export;
mod figures;
mod format;
mod output;
mod plots;
mod results;
mod sentences;
mod summary;
pub mod verdict;
mod view;

use parcrypt_lab::record::Record;

pub use export::text::Colour;
use export::text::Terminal;
pub use output::{OutputError, Overwrite, may_write, write_report};
pub use plots::{Plot, PlotError, Raster, Written, plots, write_plots};
pub use results::{FrontError, Page, Source, html_pages, results, with_speed};
use view::RecordView;
pub use view::stderr_tail;

/// Returns a record as text for a terminal: for each case a sentence and a table, then the answers to the questions.
///
/// Tables are folded to `width` columns; without one they are as wide as their contents.
pub fn terminal(record: &Record, width: Option<u16>, colour: Colour) -> String {
    Terminal { width, colour }.document(&document::of(&RecordView::new(record)))
}

/// Returns the times of whole commands for a terminal, in a table for each case. The verdicts on them are those of
/// [`verdict::pairs`].
pub fn commands(record: &Record, width: Option<u16>, colour: Colour) -> String {
    Terminal { width, colour }.document(&commands::blocks(record))
}

/// Returns the times of whole commands in Markdown, with the same contents as [`commands`].
pub fn commands_markdown(record: &Record) -> String {
    export::markdown::document(&commands::blocks(record))
}

/// Returns a record as text for one screen of a terminal: a row for each case, sentences that answer the title, what
/// failed and what was skipped.
pub fn summary(record: &Record, width: Option<u16>, colour: Colour) -> String {
    Terminal { width, colour }.screen(&summary::of(&RecordView::new(record)))
}

/// Returns a record in Markdown, with the same contents as [`terminal`].
pub fn markdown(record: &Record) -> String {
    export::markdown::document(&document::of(&RecordView::new(record)))
}

/// Returns an untrusted text for Markdown, on one line and with its markup escaped.
pub fn markdown_text(text: &str) -> String {
    export::markdown::plain(text)
}

/// Returns the sentence that [`terminal`] shows above the table of a case, with the case's name.
///
/// # Panics
/// Where the record has no such case.
pub fn headline(record: &Record, case: usize) -> String {
    let case = &RecordView::new(record).cases[case];
    format::one_line(&format!("{}: {}", case.title, case.headline))
}

/// Returns one HTML page without network, with a section for each record. Its script sorts and filters tables only.
pub fn html(records: &[Record]) -> String {
    export::html::page(&records.iter().map(|record| (record, None)).collect::<Vec<_>>()).into_string()
}

/// Returns [`html`] with a link to the file of each record, whose path is that from the folder of the page.
pub fn html_with_files(records: &[(&Record, &str)]) -> String {
    let files: Vec<_> = records.iter().map(|(record, file)| (*record, Some(*file))).collect();
    export::html::page(&files).into_string()
}

/// Returns values, ratios with their intervals and verdicts as CSV: a header, then a line for each entry.
///
/// docs/reference/results.md lists the columns.
pub fn csv(records: &[Record]) -> String {
    let views: Vec<RecordView<'_>> = records.iter().map(RecordView::new).collect();
    export::csv::results(&views.iter().map(export::json::results).collect::<Vec<_>>())
}

/// Returns values, ratios with their intervals, verdicts and answers as JSON: an array with an object for each record.
///
/// docs/reference/results.md lists the fields.
///
/// # Errors
/// Errors of the serializer; finite figures have none.
pub fn json(records: &[Record]) -> Result<String, serde_json::Error> {
    let views: Vec<RecordView<'_>> = records.iter().map(RecordView::new).collect();
    let results: Vec<_> = views.iter().map(export::json::results).collect();
    Ok(serde_json::to_string_pretty(&results)? + "\n")
}
