//! The builders of sheets, the only files that read a record: [`plan`] for the cases of plans and of commands,
//! [`suite`] for benchmarks of two revisions, [`run`] for the facts of a run.

mod plan;
mod run;
mod suite;

pub use plan::sentences;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use parcrypt_lab::record::{Case, Entry, Failure, FailureKind, Measure, Params, Record, Value};
use parcrypt_lab::stats::{self, Verdict};

use crate::format;
use crate::gate::Gate;
use crate::say::{self, Length, Ratio};
use crate::sheet::{Cell, Note, Sheet, Tone};

/// Returns the sheet of a record in a file, with the answers to conditions of the user; a suite has its conditions in
/// its record.
pub fn sheet(record: &Record, file: &Path, gates: &[Gate]) -> Sheet {
    let mut sheet = match record.suite {
        Some(suite) => suite::sheet(record, suite),
        None => plan::sheet(record, gates),
    };
    run::describe(record, &mut sheet);
    sheet.run.file = file.to_owned();
    sheet
}

/// Returns a value with its unit.
fn value(measure: &Measure, value: f64) -> String {
    match measure {
        Measure::Time | Measure::OwnTime => format::nanoseconds(value),
        Measure::Count(name) => format::count(name, value),
    }
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

/// Returns the number of rounds from which on a case has intervals; of counts that vary, as many as for times.
fn rounds_for_interval(case: &Case) -> usize {
    let done = case.entries.iter().map(Entry::rounds_done).max().unwrap_or(0);
    match stats::design(case).rounds_for_interval() {
        few if case.measure.is_time() || done < few => few,
        _ => stats::LEAST_REPLICATES,
    }
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

/// Names of candidates: the name alone if it is unique, else with the labels.
struct Names {
    ambiguous: BTreeSet<String>,
}

impl Names {
    fn new(record: &Record) -> Self {
        let mut labels: BTreeMap<&String, BTreeSet<&BTreeMap<String, String>>> = BTreeMap::new();
        for entry in record.cases.iter().flat_map(|case| &case.entries) {
            labels.entry(&entry.candidate).or_default().insert(&entry.labels);
        }
        let ambiguous = labels.into_iter().filter(|(_, all)| all.len() > 1).map(|(name, _)| name.clone());
        Names { ambiguous: ambiguous.collect() }
    }

    fn of(&self, entry: &Entry) -> String {
        let labels: Vec<String> = entry.labels.iter().map(|(k, v)| format!("{k} {v}")).collect();
        format::one_line(&match self.ambiguous.contains(&entry.candidate) && !labels.is_empty() {
            true => format!("{} ({})", entry.candidate, labels.join(", ")),
            false => entry.candidate.clone(),
        })
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

/// Returns a note on each failure: the names of its entries with their cases, and their standard error.
fn failures(failed: impl IntoIterator<Item = (String, String, Failure)>) -> Vec<Note> {
    let groups = grouped(failed.into_iter().map(|(name, case, failure)| ((name, failure), case)));
    let note = |((name, failure), cases): ((String, Failure), Vec<String>)| {
        let place = if cases.iter().all(String::is_empty) {
            String::new()
        } else {
            format!(", in {}", format::listed(&cases))
        };
        let why = failure.why.trim_end_matches('.');
        // The digests are listed with their entries.
        let what = match failure.kind {
            FailureKind::WrongDigest if why.contains(", the others have ") => {
                "its output or exit code differs from the others'".to_owned()
            }
            kind => format!("{}: {why}", self::kind(kind)),
        };
        let text = format!("FAILED {name}{place}: {what}.");
        Note { text: format::one_line(&text), output: head_and_tail(&failure.stderr), tone: Tone::Failed }
    };
    groups.into_iter().map(note).collect()
}
