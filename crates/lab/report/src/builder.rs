//! The builders of sheets, the only files that read a record: its cases become [`works`], which [`plan`] shows as
//! those of a plan or of commands, and [`suite`] as benchmarks of two revisions; [`run`] has the facts of the run.

mod plan;
mod run;
mod suite;
mod works;

pub use works::sentences;

use std::path::Path;

use parcrypt_lab::question;
use parcrypt_lab::record::{Case, Failure, FailureKind, Measure, Params, Record, Value};
use parcrypt_lab::stats::{Asked, Estimate, Judged, RESOLUTION, Verdict};

use self::works::{EntryView, Work};
use crate::format;
use crate::gate::{self, Gate};
use crate::say::{self, Length, Ratio};
use crate::sheet::{Cell, Column, Note, Sheet, Table, Tone};

/// Returns the sheet of a record in a file, with the answers to conditions of the user; a suite has its conditions in
/// its record.
pub fn sheet(record: &Record, file: &Path, gates: &[Gate]) -> Sheet {
    let found = question::answers(record);
    let works = works::works(record);
    let correction = works::correction(&works, record.suite.is_some());
    let mut sheet = match record.suite {
        Some(suite) => suite::sheet(&works, suite),
        None => plan::sheet(&works, &record.questions, &found, gates),
    };
    sheet.notes.extend(correction.map(Note::new));
    run::describe(record, &mut sheet);
    sheet.run.file = file.to_owned();
    sheet
}

/// Returns a value with its unit.
fn value(measure: &Measure, value: f64) -> String {
    match measure {
        Measure::Time | Measure::OwnTime => format::nanoseconds(value),
        Measure::Count(name) => format::quantity(name, value),
    }
}

/// Returns the cell of a value.
fn shown(measure: &Measure, of: Option<Estimate>) -> Cell {
    Cell::of(of, |of| value(measure, of.value))
}

/// Returns the heading of the column for the quantity that a case compares.
fn heading(measure: &Measure) -> String {
    match measure {
        Measure::Time => "time".to_owned(),
        Measure::OwnTime => "time by its own clock".to_owned(),
        Measure::Count(name) => format::counted_name(name),
    }
}

/// Returns the unit of values for JSON: `ns`, or the name of a count.
fn unit(measure: &Measure) -> String {
    if measure.is_time() { "ns".to_owned() } else { measure.clone().into() }
}

/// Returns the colour of a verdict.
fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Faster => Tone::Better,
        Verdict::Slower => Tone::Worse,
        Verdict::Same | Verdict::Open => Tone::Muted,
    }
}

/// Returns the cell of a ratio, and the cell of its verdict.
fn compared(ratio: &Ratio<'_>) -> [Cell; 2] {
    let [text, bounds] = ratio.say(Length::Cell);
    let tone = tone(ratio.verdict);
    let cell = Cell { text, bounds, tone, value: Some(ratio.estimate), ..Cell::default() };
    [cell, Cell { tone, ..Cell::new(say::word(ratio.verdict, ratio.measure)) }]
}

/// Adds the columns of the ratios of these items, if there are any, and of their verdicts.
fn compare<T>(table: &mut Table, against: String, items: &[T], ratio: impl Fn(&T) -> Option<Ratio<'_>>) {
    if items.iter().all(|item| ratio(item).is_none()) {
        return;
    }
    table.columns.extend([Column::text("ratio", against), Column::text("verdict", "verdict")]);
    for (row, item) in table.rows.iter_mut().zip(items).filter(|(row, _)| row.missing.is_none()) {
        row.cells.extend(match ratio(item) {
            _ if row.is_baseline => [Cell { text: "baseline".to_owned(), ..Cell::dash() }, Cell::default()],
            Some(ratio) => compared(&ratio),
            None => [Cell::dash(), Cell::dash()],
        });
    }
}

/// Returns what each candidate that is compared says about a condition, corrected for their number.
fn asked(
    works: &[&Work<'_>],
    gate: &Gate,
    name: impl Fn(&Work<'_>, &EntryView<'_>) -> String,
) -> Vec<gate::Asked> {
    let judged = works::judged(works, Asked { threshold: RESOLUTION, gate: Some(gate.border()) });
    let asked = |((work, entry), judged): ((&Work<'_>, &EntryView<'_>), Option<Judged>)| {
        let ratio = judged.map(|judged| judged.look.ratio);
        gate::Asked {
            name: name(work, entry),
            holds: judged.and_then(|judged| judged.gate),
            how: ratio.map_or(String::new(), |of| format!("{} %", format::signed_percents(of.value, None).0)),
            reach: ratio.and_then(|ratio| ratio.interval).map(|interval| gate.reach(interval)),
            more: work.more,
        }
    };
    works::compared(works).zip(judged).map(asked).collect()
}

/// Returns a value without an interval.
fn known(value: f64) -> Estimate {
    Estimate { value, interval: None, replicates: 0 }
}

/// Returns the values of each key; keys are in the order in which they first occur.
fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// Returns a case in the words of its plan, or its workload with its parameters.
fn case_title(case: &Case) -> String {
    format::one_line(&match case.title.trim() {
        "" => work(&case.workload, &case.params, None),
        words => words.to_owned(),
    })
}

/// Returns a workload with its parameters but one, such as `fft-g1, scale 10`.
fn work(workload: &str, params: &Params, without: Option<&str>) -> String {
    let named = params.iter().filter(|(key, _)| Some(key.as_str()) != without);
    named.fold(workload.to_owned(), |title, (key, value)| format!("{title}, {}", size(key, value)))
}

/// Returns a parameter with its value, such as `scale 10` or `16 MiB`.
fn size(key: &str, value: &Value) -> String {
    match value {
        Value::Number(n) if key == "bytes" => format::bytes(*n),
        other => format!("{key} {other}"),
    }
}

/// Returns the value of a parameter of a case, if it is a number.
fn param(case: &Case, key: &str) -> Option<u64> {
    match case.params.get(key) {
        Some(Value::Number(n)) => Some(*n),
        _ => None,
    }
}

/// Returns a kind of failure as reports spell it.
fn kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Unsupported => "unsupported",
        FailureKind::Crash => "crash",
        FailureKind::Timeout => "timeout",
        FailureKind::ProtocolError => "protocol error",
        FailureKind::WrongDigest => "wrong output",
    }
}

/// Returns whether nothing here can run an entry.
fn is_skip(failure: &Failure) -> bool {
    failure.kind == FailureKind::Unsupported
}

/// Lines of the start and of the end of a candidate's standard error that are shown, and characters of such a line.
const STDERR_LINES: usize = 10;
const STDERR_LINE: usize = 400;

/// Returns the first and the last lines of a candidate's standard error, cut if they are long. They are untrusted.
pub fn head_and_tail(stderr: &str) -> Vec<String> {
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut shown: Vec<String> = lines.iter().map(|line| format::cut(line, STDERR_LINE)).collect();
    let between = lines.len().saturating_sub(2 * STDERR_LINES);
    if between > 1 {
        shown.splice(STDERR_LINES..STDERR_LINES + between, [format!("… {between} lines …")]);
    }
    shown
}
