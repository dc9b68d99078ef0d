//! Reports of a lab's records: for a terminal, in Markdown, as one page of HTML, as CSV and JSON, and figures as SVG.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use parcrypt_lab::record::Record;
//! use parcrypt_report::{Colour, Format, Output, Overwrite, Screen, write};
//!
//! let path = Path::new("bench-results/sum.json");
//! let record = Record::read(path)?;
//! let tables = Format::Tables(Screen { width: Some(100), colour: Colour::Plain });
//! print!("{}", write(&[(&record, path)], &Output::Text(tables), Overwrite::Nothing)?.text);
//! let page = Path::new("bench-results/sum.html");
//! write(&[(&record, path)], &Output::File(Format::Html, page), Overwrite::Reports)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A report is computed from records only. A number passes through these modules in turn: record →
//! [`parcrypt_lab::stats`] → `view`, which has the values that are shown → `sentences`, `figures` and `view::tables`,
//! which write, draw and tabulate it → one exporter of `export`, called by [`write()`]. A table or a column is added in
//! `view/tables.rs`, a figure in `figures.rs`, a format in `write.rs` with its exporter in `export/`.
//! A figure is a plot with its caption; numbers are values, estimates and counts.
//!
//! Texts in a record come from the programs that were measured and are untrusted: every exporter escapes them, so that
//! they become neither markup nor terminal commands.

mod commands;
mod comparison;
mod document;
mod error;
mod export;
mod figures;
mod format;
mod output;
mod sentences;
pub mod suite;
mod summary;
#[cfg(test)]
mod tests;
pub mod verdict;
mod view;
mod write;

pub use comparison::Form;
pub use error::WriteError;
pub use export::screen::{Colour, Screen};
pub use output::{Filed, Overwrite, stem};
pub use view::stderr_tail;
pub use write::{Format, Output, Written, write};
