//! A sheet: what a record shows, in the order in which it is read. Builders fill it from a record, exporters write it,
//! and nothing else passes between them.
//!
//! Texts may come from the programs that were measured and are untrusted: each exporter escapes them for its format.

use std::path::PathBuf;

use parcrypt_lab::stats::{Estimate, Interval, Verdict};
use serde_json::{Map, Value, json};

use crate::plot::Figure;

/// What a record shows.
#[derive(Debug, Default)]
pub struct Sheet {
    /// What is read first.
    pub head: Head,
    /// The table of every format: benchmarks, cases, or the entries of the only case.
    pub rows: Table,
    /// Answers to the questions of the plan.
    pub answers: Vec<Answer>,
    /// Answers to the conditions of the user, whose texts say all.
    pub conditions: Vec<Answer>,
    /// What the reader has to know of the rows, in sentences.
    pub notes: Vec<Note>,
    /// Each case with its entries. The rows and notes of the sheet have all of the only case.
    pub cases: Vec<Part>,
    /// Further tables: means, counts of iterations.
    pub tables: Vec<Table>,
    /// The most important ratios.
    pub figure: Option<Figure>,
    /// The machine, the build, the command line, and other facts of the run.
    pub run: Run,
}

/// What is read first.
#[derive(Debug, Default)]
pub struct Head {
    /// The verdict in one sentence, of which the second part is the answer.
    pub verdict: [String; 3],
    /// Title of the plan; empty if the rows say the same.
    pub title: String,
    /// Warnings: a partial record, a busy machine, what the system lacks.
    pub warnings: Vec<String>,
    /// Machine, rounds and time, in a line.
    pub facts: String,
}

/// A table.
#[derive(Debug, Default)]
pub struct Table {
    /// Sentence above the table; may be empty.
    pub title: String,
    /// Columns after the first, which has [`Row::what`].
    pub columns: Vec<Column>,
    /// Heading of the first column.
    pub what: &'static str,
    /// Rows.
    pub rows: Vec<Row>,
}

/// A column.
#[derive(Debug)]
pub struct Column {
    /// Its name in JSON and CSV; empty if it is only for people.
    pub name: String,
    /// Its heading for people.
    pub heading: String,
    /// Whether it has numbers, which are aligned right.
    pub is_number: bool,
    /// Place among the columns that a narrow terminal leaves out; 0 for a column that stays.
    pub leaves: u8,
}

/// A row: a benchmark, a case or an entry.
#[derive(Debug, Default)]
pub struct Row {
    /// Its name.
    pub what: String,
    /// What it is besides, such as `A/A control`; may be empty.
    pub tag: &'static str,
    /// Its description by the plan; may be empty.
    pub about: String,
    /// Cells in the order of the columns; empty without a result.
    pub cells: Vec<Cell>,
    /// Verdict on its ratio.
    pub verdict: Option<Verdict>,
    /// Why it has no result, and whether that is a failure.
    pub missing: Option<(String, bool)>,
    /// Whether others are compared with it.
    pub is_baseline: bool,
    /// Whether a page for a pull request may fold it.
    pub is_folded: bool,
    /// Fields of JSON besides the cells.
    pub facts: Map<String, Value>,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Text.
    pub text: String,
    /// Interval that follows the text in every format; may be empty.
    pub bounds: String,
    /// Interval for which only a page has room; may be empty.
    pub small: String,
    /// Colour.
    pub tone: Tone,
    /// The number.
    pub value: Option<Estimate>,
}

/// Colour of a text by its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// That of other text.
    #[default]
    Plain,
    /// An improvement.
    Better,
    /// A worsening.
    Worse,
    /// Of less importance.
    Muted,
    /// A failure.
    Failed,
}

/// Answer to a question or a condition.
#[derive(Debug, Default)]
pub struct Answer {
    /// The question, or the condition.
    pub ask: String,
    /// The answer in words; with its interval apart, which may be empty.
    pub text: [String; 2],
    /// What was compared, and by how many pairs; may be empty.
    pub basis: String,
    /// What the plan claims and whether that is so; empty without a claim.
    pub claim: String,
    /// The answer for parts of the pairs.
    pub groups: Vec<String>,
    /// Whether a claim of the plan is kept or a condition holds: `Slower` is a negative result, `Open` is not known.
    pub verdict: Option<Verdict>,
    /// Colour of the answer or the claim.
    pub tone: Tone,
    /// Fields of JSON.
    pub facts: Map<String, Value>,
}

/// A note below the rows.
#[derive(Debug, Default)]
pub struct Note {
    /// Text.
    pub text: String,
    /// Lines of a program's output that belong to it.
    pub output: Vec<String>,
    /// Whether it is about a failure.
    pub tone: Tone,
}

/// A case with its entries.
#[derive(Debug, Default)]
pub struct Part {
    /// Title of the case.
    pub title: String,
    /// Verdict of the case in one sentence.
    pub verdict: [String; 3],
    /// Entries, then where their time goes.
    pub tables: Vec<Table>,
    /// What the reader has to know of them.
    pub notes: Vec<String>,
    /// Fields of JSON.
    pub facts: Map<String, Value>,
}

/// Facts of a run.
#[derive(Debug, Default)]
pub struct Run {
    /// Paragraphs on what was measured.
    pub about: Vec<String>,
    /// How the figures were computed: a heading and its sentences.
    pub method: Vec<(String, String)>,
    /// Machine and build, by name.
    pub facts: Vec<(String, String)>,
    /// Command line without paths of the machine; empty if it is not known.
    pub command: String,
    /// The plan as it ran.
    pub plan: String,
    /// Path of the record.
    pub file: PathBuf,
    /// Fields of JSON.
    pub fields: Map<String, Value>,
}

impl Cell {
    /// Returns a cell with a text.
    pub fn new(text: impl Into<String>) -> Self {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// Returns a cell without a number.
    pub fn dash() -> Self {
        Cell { tone: Tone::Muted, ..Cell::new("–") }
    }

    /// Returns a cell with a number in words, or a dash.
    pub fn of(value: Option<Estimate>, words: impl Fn(Estimate) -> String) -> Self {
        Cell { value, ..Cell::new(value.map_or("–".to_owned(), words)) }
    }

    /// Returns the text with the interval that follows it.
    pub fn whole(&self) -> String {
        format!("{} {}", self.text, self.bounds).trim_end().to_owned()
    }
}

impl Table {
    /// Returns a table without columns, whose rows are of these items.
    pub fn new<T>(what: &'static str, items: &[T], row: impl Fn(&T) -> Row) -> Self {
        Table { what, rows: items.iter().map(row).collect(), ..Table::default() }
    }

    /// Adds a column to the rows of these items that have a result, unless it is empty in all of them.
    pub(crate) fn add<T>(&mut self, column: Column, items: &[T], cell: impl Fn(&T) -> Cell) {
        let rows = self.rows.iter_mut().zip(items).filter(|(row, _)| row.missing.is_none());
        let cells: Vec<(&mut Row, Cell)> = rows.map(|(row, item)| (row, cell(item))).collect();
        if cells.is_empty() || cells.iter().any(|(_, cell)| !["", "–"].contains(&&*cell.text)) {
            self.columns.push(column);
            cells.into_iter().for_each(|(row, cell)| row.cells.push(cell));
        }
    }
}

impl Column {
    /// Returns a column of numbers that stays.
    pub fn number(name: impl Into<String>, heading: impl Into<String>) -> Self {
        Column { name: name.into(), heading: heading.into(), is_number: true, leaves: 0 }
    }

    /// Returns a column of texts that stays.
    pub fn text(name: impl Into<String>, heading: impl Into<String>) -> Self {
        Column { is_number: false, ..Column::number(name, heading) }
    }

    /// Returns the column, which a narrow terminal leaves out after those with a smaller number.
    pub fn leaving(self, leaves: u8) -> Self {
        Column { leaves, ..self }
    }
}

impl Answer {
    /// Returns the question as the start of a sentence.
    pub fn asked(&self) -> String {
        let end = if self.ask.ends_with('?') { "" } else { ":" };
        format!("{}{end} ", self.ask.trim_end_matches([':', '.']))
    }

    /// Returns the question with its answer and the claim, in a line.
    pub fn line(&self) -> String {
        let claim = if self.claim.is_empty() { String::new() } else { format!(". {}", self.claim) };
        (self.asked() + &self.text.join(" ")).trim_end().to_owned() + &claim
    }
}

impl Note {
    /// Returns a note without colour.
    pub fn new(text: impl Into<String>) -> Self {
        Note { text: text.into(), ..Note::default() }
    }
}

/// Returns an estimate as fields of JSON.
pub(crate) fn number(of: Estimate) -> Value {
    let bound = |bound: fn(Interval) -> f64| of.interval.map(bound);
    json!({ "estimate": of.value, "low": bound(|i| i.low), "high": bound(|i| i.high), "replicates": of.replicates })
}

/// Returns fields of JSON without those that are null.
pub(crate) fn fields<const N: usize>(all: [(&str, Value); N]) -> Map<String, Value> {
    all.into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
