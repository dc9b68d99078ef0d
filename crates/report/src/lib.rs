//! Reports of records: for a terminal, in Markdown, as one self-contained HTML page, and figures as files.
//!
//! A report is computed from records alone. Texts in a record come from programs that nobody vouches for: each kind of
//! report shows them as they are and lets none of them become markup or a terminal's commands.

mod figures;
mod files;
mod format;
mod html;
mod plot;
mod text;
mod view;
mod words;

pub use files::{Plot, PlotError, Written, plots, write_plots};
use parcrypt_lab::record::Record;
use view::RecordView;

/// Whether a terminal's text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Text alone.
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

/// A record for a terminal: a table for each case, what it says in a sentence, and the answers to the questions.
///
/// Tables are folded to `width` columns; without one they are as wide as their contents.
pub fn terminal(record: &Record, width: Option<u16>, colour: Colour) -> String {
    text::report(record, text::Medium::Terminal { width, colour })
}

/// A record in Markdown, with the same contents as [`terminal`].
pub fn markdown(record: &Record) -> String {
    text::report(record, text::Medium::Markdown)
}

/// A case of a record in one line, with its name: what [`terminal`] says above the case's table.
///
/// # Panics
/// Where the record has no such case.
pub fn headline(record: &Record, case: usize) -> String {
    let view = view::RecordView::new(record);
    let words::Headline { before, name, after, .. } = &view.cases[case].headline;
    format!("{}: {before}{name}{after}", view.cases[case].title)
}

/// Records as one HTML page that needs no network and no scripts, a section for each.
pub fn html(records: &[Record]) -> String {
    html::page(records).into_string()
}

/// Why and where a partial record ended, in a sentence.
fn partial(view: &RecordView<'_>) -> Option<String> {
    let why = view.record.partial.as_ref()?;
    // What is counted takes part in the first rounds alone.
    let timed = view.record.cases.iter().any(|case| case.measure.is_time());
    let cases = view.record.cases.iter().filter(|case| case.measure.is_time() == timed);
    let entries = cases.flat_map(|case| &case.entries);
    let done = entries.filter(|entry| entry.failure.is_none()).map(|entry| entry.rounds.len());
    let least = done.clone().min().unwrap_or(0);
    let most = done.max().unwrap_or(0);
    let rounds = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let why = why.trim_end_matches('.');
    Some(format!("PARTIAL: {why}; {rounds} of {} rounds are in this record.", view.record.rounds))
}

/// When, where and for how long, in a line.
fn circumstances(record: &Record) -> String {
    let machine = &record.machine;
    let mut parts = vec![record.started.clone(), machine.processor.clone()];
    if machine.cores > 0 {
        parts.push(format::counted(machine.cores, "core"));
    }
    if machine.virtual_machine {
        parts.push("virtual machine".to_string());
    }
    parts.push(format::counted(record.rounds, "round"));
    parts.push(format!("took {}", format::seconds(record.took_s)));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// The paragraphs of a text: where its lines are broken says nothing.
fn paragraphs(text: &str) -> Vec<String> {
    let joined = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split("\n\n").map(joined).filter(|paragraph| !paragraph.is_empty()).collect()
}
