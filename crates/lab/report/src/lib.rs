//! Reports of a lab's records: for a terminal, in Markdown, as one page of HTML, as CSV and JSON, and figures as SVG.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use parcrypt_lab::record::Record;
//! use parcrypt_report::{Colour, Detail, Format, Screen, sheet, text, write};
//!
//! let path = Path::new("bench-results/sum.json");
//! let sheets = [sheet(&Record::read(path)?, path, &[])];
//! let terminal = Format::Text(Screen { width: Some(100), colour: Colour::Plain }, Detail::Cases);
//! print!("{}", text(&sheets, terminal, None));
//! let page = Path::new("bench-results/sum.html");
//! write(&[(page.to_owned(), text(&sheets, Format::Html, Some(page)))])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A record becomes a [`Sheet`], and the sheet becomes the bytes of a format. The builders of `builder` are the only
//! files that read a record, the exporters of `export` read a sheet and decide nothing, and `say` has the words for a
//! ratio.
//!
//! Texts in a record come from the programs that were measured and are untrusted: every exporter escapes them, so that
//! they become neither markup nor terminal commands.

mod builder;
mod export;
mod format;
mod gate;
mod output;
mod plot;
mod say;
mod sheet;
mod write;

#[cfg(test)]
mod tests;

pub use builder::{head_and_tail, sentences, sheet};
pub use export::text::{Colour, Detail, Screen};
pub use gate::{Gate, GateError};
pub use output::{WriteError, stem};
pub use sheet::{Answer, Sheet, Tone};
pub use write::{Format, pages, text, write};
