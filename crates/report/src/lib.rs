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
//! A report is computed from records alone. The way of a figure is one line: record → [`parcrypt_lab::stats`] →
//! `view`, which holds what is shown → `sentences`, `figures` and `view::tables`, which say, draw and tabulate it →
//! one exporter of `export`. To add a table or a column, see `view/tables.rs`; a figure, `figures.rs`; a format, a
//! file in `export/`.
//!
//! Texts in a record come from programs that nobody vouches for: each kind of report shows them as they are and lets
//! none of them become markup or a terminal's commands.

mod document;
mod export;
mod figures;
mod files;
mod format;
mod results;
mod sentences;
mod view;

use parcrypt_lab::record::Record;

pub use export::text::Colour;
use export::text::Terminal;
pub use files::{Painted, Plot, PlotError, Written, plots, write_plots};
pub use results::{Page, Source, results, with_speed};
use view::RecordView;

/// A record for a terminal: a table for each case, what it says in a sentence, and the answers to the questions.
///
/// Tables are folded to `width` columns; without one they are as wide as their contents.
pub fn terminal(record: &Record, width: Option<u16>, colour: Colour) -> String {
    Terminal { width, colour }.document(&document::of(&RecordView::new(record)))
}

/// A record in Markdown, with the same contents as [`terminal`].
pub fn markdown(record: &Record) -> String {
    let blocks = document::of(&RecordView::new(record));
    export::markdown::document(&blocks, &|_| String::new())
}

/// A case of a record in one line, with its name: what [`terminal`] says above the case's table.
///
/// # Panics
/// Where the record has no such case.
pub fn headline(record: &Record, case: usize) -> String {
    let case = &RecordView::new(record).cases[case];
    format::one_line(&format!("{}: {}", case.title, case.headline))
}

/// Records as one HTML page that needs no network and no scripts, a section for each.
pub fn html(records: &[Record]) -> String {
    export::html::page(records).into_string()
}

/// The figures of records as CSV, a line for each entry under one header.
pub fn csv(records: &[Record]) -> String {
    let views: Vec<RecordView<'_>> = records.iter().map(RecordView::new).collect();
    export::csv::figures(&views.iter().map(export::json::figures).collect::<Vec<_>>())
}

/// The figures of records as JSON, an array with an object for each record.
pub fn json(records: &[Record]) -> Result<String, serde_json::Error> {
    let views: Vec<RecordView<'_>> = records.iter().map(RecordView::new).collect();
    let figures: Vec<_> = views.iter().map(export::json::figures).collect();
    Ok(serde_json::to_string_pretty(&figures)? + "\n")
}
