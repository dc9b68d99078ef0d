//! The sheet of a suite: a row for each benchmark of two revisions, those that changed first, with verdicts that are
//! corrected for their number.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use parcrypt_lab::record::{Case, CountKind, Entry, Failure, Measure, Record, Suite};
use parcrypt_lab::stats::{self, Basis, Counted, Judged, RATE, Verdict, selected_error, verdicts};
use parcrypt_lab::suite::REVISION;
use serde_json::{Map, Value, json};

use super::{case_title, compared, grouped, is_skip, kind, rounds_for_interval, value};
use crate::format;
use crate::gate::{self, Gate, listed};
use crate::plot;
use crate::say::{self, Length, Ratio, confidence};
use crate::sheet::{Answer, Cell, Column, Note, Row, Sheet, Table, Tone, fields};

/// A benchmark that was compared.
struct Benchmark<'a> {
    name: String,
    case: &'a Case,
    /// Entries of the old and the new revision.
    revisions: [&'a Entry; 2],
    judged: Judged,
    /// What an iteration allocates or executes, if that was to be counted.
    counts: Option<Counts<'a>>,
}

/// Why a benchmark was not compared, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
enum Lost {
    Failed,
    Skipped,
    OnlyInOld,
    OnlyInNew,
    NotMeasured,
}

/// What was counted of a benchmark.
enum Counts<'a> {
    /// Counts by name, of the old and the new revision. The first is the one to which a condition applies.
    Known(Vec<(&'a str, [Counted; 2])>),
    /// Why there are none, and whether the old revision has some.
    Missing { why: String, is_in_old: bool },
}

/// Returns the sheet of a suite, with the answers to the conditions with which it was measured.
pub(super) fn sheet(record: &Record, suite: Suite) -> Sheet {
    let rows: Vec<Option<(Basis, Vec<f64>)>> = record
        .cases
        .iter()
        .map(|case| {
            Some(stats::changes(case)).filter(|logs| !logs.is_empty()).map(|logs| (case.into(), logs))
        })
        .collect();
    let shown: Vec<(Basis, Vec<f64>)> = rows.iter().flatten().cloned().collect();
    let mut judged = verdicts(&shown, suite.asked()).into_iter();
    let [old, new] = revisions(record);
    let counting = suite.counts.unwrap_or_default();
    let mut benchmarks = Vec::new();
    let mut others: Vec<(Lost, String, String)> = Vec::new();
    for (case, row) in record.cases.iter().zip(&rows) {
        let judged = row.as_ref().and_then(|_| judged.next()).flatten();
        let name = case_title(case);
        match (judged, case.revisions()) {
            (Some(judged), Some((old, new))) => {
                let counts = Counts::of(counting, old, new);
                benchmarks.push(Benchmark { name, case, revisions: [old, new], judged, counts });
            }
            (_, pair) => {
                let (lost, why) = lost(pair, [&old, &new]);
                others.push((lost, why, name));
            }
        }
    }
    benchmarks.sort_by(|a, b| a.order().partial_cmp(&b.order()).unwrap_or(Ordering::Equal));
    others.sort_by_key(|(lost, ..)| *lost);
    let mut sheet = Sheet::default();
    let title = format::one_line(&record.title);
    sheet.head.title = title;
    sheet.head.verdict = verdict(&benchmarks, suite.threshold);
    let mean = mean(record, &benchmarks, [&old, &new]);
    sheet.head.verdict[2] += &mean.map_or(String::new(), |mean| format!(" {mean}"));
    sheet.rows = Table {
        what: "benchmark",
        columns: vec![
            Column::number("old", format!("in {old}")).leaving(1),
            Column::number("new", format!("in {new}")).leaving(1),
            Column::number("ratio", "change"),
            Column::text("verdict", "verdict"),
        ],
        rows: benchmarks.iter().map(Benchmark::row).collect(),
        ..Table::default()
    };
    let name = |lost: Lost| match lost {
        Lost::Failed => "Failed".to_owned(),
        Lost::Skipped => "Skipped".to_owned(),
        Lost::OnlyInOld => format!("Only in {old}"),
        Lost::OnlyInNew => format!("Only in {new}"),
        Lost::NotMeasured => "Not measured".to_owned(),
    };
    let not_compared =
        others.iter().map(|(lost, why, name)| json!({ "what": name, "how": lost, "why": why }));
    let not_compared: Vec<Value> = not_compared.collect();
    let not_measured = others.iter().filter(|(lost, ..)| *lost == Lost::NotMeasured).count();
    for ((lost, why), names) in grouped(others.into_iter().map(|(lost, why, name)| ((lost, why), name))) {
        let why = if why.is_empty() { why } else { format!(" ({why})") };
        let tone = if lost == Lost::Failed { Tone::Failed } else { Tone::Plain };
        sheet.notes.push(Note {
            text: format!("{}{why}: {}.", name(lost), names.join(", ")),
            tone,
            output: Vec::new(),
        });
    }
    sheet.notes.extend(correction(&benchmarks).map(Note::new));
    sheet.tables.extend(Counts::table(&benchmarks, counting, &mut sheet.notes));
    let gates = [
        suite.gate.map(|border| Gate::new(border, false)),
        suite.counts_gate.map(|border| Gate::new(border, true)),
    ];
    for gate in gates.into_iter().flatten() {
        sheet.answers.push(answer(&benchmarks, &gate, counting, not_measured, broken(record).count()));
    }
    let broken: Vec<String> = broken(record).map(case_title).collect();
    if !broken.is_empty() {
        let number = format::counted(broken.len(), "benchmark");
        let text = format!("error: {number} failed in the new revision only: {}", listed(&broken));
        let text = [text, String::new()];
        sheet.answers.push(Answer { text, is_condition: true, tone: Tone::Failed, ..Answer::default() });
    }
    let mut changes: Vec<&Benchmark<'_>> =
        benchmarks.iter().filter(|one| one.judged.verdict.is_change()).collect();
    changes.sort_by(|a, b| a.order().1.total_cmp(&b.order().1));
    let measure = benchmarks.first().map_or(&Measure::Time, |one| &one.case.measure);
    let axis = say::axis(measure, &old);
    let changes = changes.into_iter().map(|one| (&*one.name, one.judged.ratio, one.judged.verdict));
    sheet.figures.extend(plot::forest(
        &format!("What changed: {axis}"),
        &axis,
        changes,
        Some(("threshold", suite.threshold)),
    ));
    let error = error(&benchmarks);
    sheet
        .run
        .facts
        .extend([("old revision".to_owned(), old.clone()), ("new revision".to_owned(), new.clone())]);
    sheet.run.fields = fields([
        ("not_compared", json!(not_compared)),
        ("old", json!(old)),
        ("new", json!(new)),
        ("rate", json!(rounded(RATE))),
        ("threshold", json!(suite.threshold)),
        ("changed_confidence", json!(rounded(1.0 - error))),
    ]);
    sheet
}

/// Returns the names of the old and the new revision. With several programs, the name of a candidate has its program
/// too.
fn revisions(record: &Record) -> [String; 2] {
    let name = |entry: &Entry| format::one_line(entry.labels.get(REVISION).unwrap_or(&entry.candidate));
    let found = record.cases.iter().find_map(Case::revisions);
    found.map_or(["old".into(), "new".into()], |(old, new)| [name(old), name(new)])
}

/// Returns why a benchmark was not compared.
fn lost(pair: Option<(&Entry, &Entry)>, revisions: [&str; 2]) -> (Lost, String) {
    let failures = pair.map_or([None, None], |(old, new)| [old, new].map(|entry| entry.failure.as_ref()));
    let failed = failures.into_iter().zip(revisions).find_map(|(failure, revision)| {
        let failure = failure.filter(|failure| !is_skip(failure))?;
        Some(format!("{} in {revision}: {}", kind(failure.kind), failure.why))
    });
    let mut said = failures.into_iter().flatten().map(|failure| failure.why.trim());
    let why = said.find(|why| !why.is_empty()).unwrap_or_default().to_owned();
    let (lost, why) = match (failed, failures) {
        (Some(why), _) => (Lost::Failed, why),
        (None, [Some(_), Some(_)]) => (Lost::Skipped, why),
        (None, [None, Some(_)]) => (Lost::OnlyInOld, why),
        (None, [Some(_), None]) => (Lost::OnlyInNew, why),
        (None, [None, None]) => (Lost::NotMeasured, "the run ended before: give it more time".to_owned()),
    };
    (lost, format::one_line(why.trim_end_matches('.')))
}

/// Returns the benchmarks that failed in the new revision only. What failed before the change too says nothing about
/// it.
fn broken(record: &Record) -> impl Iterator<Item = &Case> {
    let has_failed =
        |entry: &Entry| entry.failure.as_ref().is_some_and(|failure: &Failure| !is_skip(failure));
    let is_broken = move |(old, new): (&Entry, &Entry)| has_failed(new) && old.failure.is_none();
    record.cases.iter().filter(move |case| case.revisions().is_some_and(is_broken))
}

impl Benchmark<'_> {
    fn ratio(&self) -> Ratio<'_> {
        let (estimate, verdict) = (self.judged.ratio, self.judged.verdict);
        Ratio {
            estimate,
            measure: &self.case.measure,
            verdict,
            floor: None,
            needs: rounds_for_interval(self.case),
        }
    }

    /// Returns the group of the report, and minus the size of the change in it; those without an interval come last.
    fn order(&self) -> (u8, f64) {
        let group = match self.judged.verdict {
            Verdict::Slower => 0,
            Verdict::Faster => 1,
            Verdict::Open => 2,
            Verdict::Same => 3,
        };
        let size = self.judged.ratio.value.ln().abs();
        (group, if self.judged.ratio.interval.is_some() { -size } else { f64::INFINITY })
    }

    fn row(&self) -> Row {
        let cell = |entry: &Entry| {
            Cell::of(stats::value(self.case, entry), |of| value(&self.case.measure, of.value))
        };
        let [ratio, verdict] = compared(&self.ratio());
        let [old, new] = self.revisions.map(cell);
        Row {
            what: self.name.clone(),
            cells: vec![old, new, ratio, verdict],
            verdict: Some(self.judged.verdict),
            is_folded: !self.judged.verdict.is_change(),
            facts: fields([
                ("p", json!(self.judged.look.p)),
                ("adjusted_p", json!(self.judged.adjusted)),
                ("counts", json!(self.counts.as_ref().map(Counts::facts))),
            ]),
            ..Row::default()
        }
    }
}

/// Returns how many benchmarks changed, in which direction, and what the others are.
fn verdict(benchmarks: &[Benchmark<'_>], threshold: f64) -> [String; 3] {
    let tally = |of_change: bool| {
        let of = benchmarks.iter().filter(|one| one.judged.verdict.is_change() == of_change);
        say::tally(&of.map(|one| (one.judged.verdict, &one.case.measure)).collect::<Vec<_>>(), threshold)
    };
    let changed = benchmarks.iter().filter(|one| one.judged.verdict.is_change()).count();
    let all = format::counted(benchmarks.len(), "benchmark");
    let answer = match (benchmarks.len(), changed) {
        (0, _) => "No benchmark was compared".to_owned(),
        (_, 0) => format!("No change found in {all}"),
        (_, changed) => format!("{changed} of {all} changed: {}", tally(true)),
    };
    let few: Vec<&Benchmark<'_>> =
        benchmarks.iter().filter(|one| one.judged.ratio.interval.is_none()).collect();
    let few = few.iter().map(|one| rounds_for_interval(one.case)).max().map_or(String::new(), |rounds| {
        format!("{} without an interval, which needs {rounds} rounds: give more time with --for", few.len())
    });
    let rest = [tally(false), few].into_iter().filter(|part| !part.is_empty());
    let rest: String = rest.map(|part| format!("; {part}")).collect();
    [String::new(), answer, rest + "."]
}

/// Returns the geometric mean over the benchmarks that compare the same quantity as the first, in a sentence.
fn mean(record: &Record, benchmarks: &[Benchmark<'_>], [old, new]: [&str; 2]) -> Option<String> {
    let first = record.cases.iter().find(|case| case.entries.iter().all(|entry| entry.failure.is_none()))?;
    let alike = record.cases.iter().filter(|case| case.measure == first.measure);
    let pairs = alike.filter_map(|case| case.revisions().map(|(old, new)| (new, old)));
    let mean = stats::mean_ratio(first, &pairs.collect::<Vec<_>>())?;
    mean.ratio.interval?;
    let threshold = stats::RESOLUTION;
    let verdict = Verdict::of(&mean.ratio, threshold);
    let ratio = Ratio { estimate: mean.ratio, verdict, ..benchmarks.first()?.ratio() };
    let [said, bounds] = Ratio { measure: &first.measure, ..ratio }.say(Length::Sentence(new, old));
    Some(format!("Geometric mean over {}: {said} {bounds}.", format::counted(mean.pairs, "benchmark")))
}

/// Returns the error of the interval of a benchmark that changed.
fn error(benchmarks: &[Benchmark<'_>]) -> f64 {
    let changed = benchmarks.iter().filter(|one| one.judged.verdict.is_change()).count();
    selected_error(changed, benchmarks.len())
}

/// Returns how the verdicts are corrected, in sentences; `None` if nothing was compared.
fn correction(benchmarks: &[Benchmark<'_>]) -> Option<String> {
    let rate = format::chosen_percent(RATE);
    let error = error(benchmarks);
    let has_changes = benchmarks.iter().any(|one| one.judged.verdict.is_change());
    let own = match has_changes {
        true => format!(
            " Intervals of what changed are at {}, as they were selected for their change; the others are at {}.",
            format::confidence_of(error),
            confidence()
        ),
        false => format!(" Intervals are at {}.", confidence()),
    };
    let more = if has_changes { " more" } else { "" };
    let waiting =
        match benchmarks.iter().filter(|one| one.judged.waits && !one.judged.verdict.is_change()).count() {
            0 => String::new(),
            1 => format!(
                " One{more} would be called changed if it had been compared alone: more time decides."
            ),
            some => format!(
                " {some}{more} would be called changed if each had been compared alone: more time decides."
            ),
        };
    let number = format::counted(benchmarks.len(), "benchmark");
    (!benchmarks.is_empty()).then(|| {
        format!(
            "Verdicts are corrected for {number}: at most {rate} of the changes found are wrong on average, and in at \
             most {rate} of suites without a change one is found (Benjamini-Hochberg).{own}{waiting}"
        )
    })
}

/// Returns the answer to a condition on the new revision of the benchmarks. It is open if nothing was compared, or a
/// benchmark was not measured or failed in the new revision only.
fn answer(
    benchmarks: &[Benchmark<'_>],
    gate: &Gate,
    counting: CountKind,
    not_measured: usize,
    failed: usize,
) -> Answer {
    let of_iterations = gate.is_on_counts() && benchmarks.iter().all(|one| one.case.measure.is_time());
    let by_ratio = |one: &Benchmark<'_>| gate::Asked {
        name: one.name.clone(),
        holds: one.judged.gate,
        how: format!("{} %", format::signed_percents(one.judged.look.ratio.value, None).0),
        reach: one.judged.look.ratio.interval.map(|interval| gate.reach(interval)),
    };
    let by_counts = |one: &Benchmark<'_>| {
        let (holds, how) = match one.counts.as_ref()? {
            Counts::Missing { is_in_old: false, .. } => return None,
            Counts::Missing { .. } => (None, String::new()),
            Counts::Known(counts) => {
                let (name, of) = counts.first()?;
                (holds_for(gate, of), both(name, of))
            }
        };
        Some(gate::Asked { name: one.name.clone(), holds, how, reach: None })
    };
    let asked = match of_iterations {
        true => benchmarks.iter().filter_map(by_counts).collect(),
        false => benchmarks.iter().filter(|one| gate.is_on(&one.case.measure)).map(by_ratio).collect(),
    };
    // After Ctrl-C some are still to be counted.
    let is_uncounted = |one: &&Benchmark<'_>| of_iterations && one.counts.is_none();
    let not_measured = not_measured + benchmarks.iter().filter(is_uncounted).count();
    gate::Rows { noun: "benchmark", counted: counting.name(), asked, not_measured, failed }.answer(gate)
}

/// Returns whether a condition holds for the new count of an iteration; `None` if that is not known.
fn holds_for(gate: &Gate, [old, new]: &[Counted; 2]) -> Option<bool> {
    let is_met = |ratio| gate.border().is_crossed_by(ratio);
    if let Some(ratio) = new.ratio(old) {
        return Some(is_met(ratio));
    }
    let ratio = |new: u64, old: u64| if new == old { 1.0 } else { new as f64 / old as f64 };
    match [ratio(new.low, old.high), ratio(new.high, old.low)].map(is_met) {
        [true, true] if new.compared(old).is_some() => Some(true),
        [false, false] => Some(false),
        _ => None,
    }
}

/// Returns how a count changed, with all digits, such as `2 → 3`.
fn both(name: &str, of: &[Counted; 2]) -> String {
    let unit = if name.ends_with("-bytes") { " B" } else { "" };
    let digits = |of: &Counted| match [of.low, of.high].map(format::grouped) {
        [low, high] if low == high => format!("{low}{unit}"),
        [low, high] => format!("{low} to {high}{unit}"),
    };
    match of.each_ref().map(digits) {
        [before, after] if before == after => after,
        [before, after] => format!("{before} → {after}"),
    }
}

impl<'a> Counts<'a> {
    /// Returns the counts of a benchmark; `None` if nothing was to be counted.
    fn of(kind: CountKind, old: &'a Entry, new: &'a Entry) -> Option<Self> {
        if let Some(failure) = new.not_counted.as_ref().or(old.not_counted.as_ref()) {
            let why = format::one_line(failure.why.trim_end_matches('.'));
            return Some(Counts::Missing { why, is_in_old: old.not_counted.is_none() });
        }
        let [old, new]: [BTreeMap<&str, Counted>; 2] = [stats::counted(old), stats::counted(new)];
        let mut both: Vec<_> =
            old.iter().filter_map(|(name, old)| Some((*name, [*old, *new.get(name)?]))).collect();
        both.sort_by_key(|(name, _)| *name != kind.name());
        (!both.is_empty()).then_some(Counts::Known(both))
    }

    /// Returns the counts with how they changed, or why there are none, for JSON.
    fn facts(&self) -> Map<String, Value> {
        let range = |of: &Counted| json!({ "low": of.low, "high": of.high });
        let one = |(name, of): &(&str, [Counted; 2])| {
            let [old, new] = of.each_ref().map(range);
            ((*name).to_owned(), json!({ "old": old, "new": new, "change": change(&[(*name, *of)]).0 }))
        };
        match self {
            Counts::Known(counts) => counts.iter().map(one).collect(),
            Counts::Missing { why, .. } => fields([("why", json!(why))]),
        }
    }

    /// Returns the table of the counts that changed or vary, with how many did above it, and notes why others were not
    /// counted. Counts are compared as they are, and no time is judged by them.
    fn table(benchmarks: &'a [Benchmark<'a>], kind: CountKind, notes: &mut Vec<Note>) -> Option<Table> {
        let (mut known, mut missing) = (Vec::new(), Vec::new());
        for one in benchmarks {
            match one.counts.as_ref() {
                Some(Counts::Known(counts)) => known.push((change(counts), one.name.as_str(), counts)),
                Some(Counts::Missing { why, .. }) => missing.push((why, one.name.as_str())),
                None => {}
            }
        }
        for (why, names) in grouped(missing) {
            notes.push(Note::new(format!("Not counted ({why}): {}.", names.join(", "))));
        }
        let number_of = |word| known.iter().filter(|((of, _), ..)| *of == word).count();
        let changed = known.len() - number_of("same") - number_of("varies");
        let words = ["more", "different", "fewer", "varies", "same"].map(|word| (number_of(word), word));
        let words: Vec<String> = words
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let name = kind.name();
        let title = format!(
            "The {name} of an iteration changed in {changed} of {}: {}.",
            format::counted(known.len(), "benchmark"),
            words.join(", ")
        );
        let first = known.first()?.2;
        let column = |(at, (name, _)): (usize, &(&str, _))| {
            Column::number(*name, format::counted_name(name)).leaving(at.min(1) as u8)
        };
        let mut columns: Vec<Column> = first.iter().enumerate().map(column).collect();
        columns.push(Column::number("change", "change"));
        columns.push(Column::text("changed", "verdict"));
        known.sort_by_key(|((word, _), ..)| {
            ["more", "different", "fewer", "varies"].iter().position(|of| of == word)
        });
        type Changed<'c> = ((&'c str, Tone), &'c str, &'c Vec<(&'c str, [Counted; 2])>);
        let row = |((word, tone), name, counts): Changed<'_>| {
            let ratio =
                counts.first().and_then(|(_, [old, new])| new.ratio(old)).filter(|ratio| ratio.is_finite());
            let percents =
                ratio.map_or("–".to_owned(), |of| format!("{} %", format::signed_percents(of, None).0));
            let cells = counts.iter().map(|(name, of)| Cell::new(both(name, of)));
            Row {
                what: name.to_owned(),
                cells: cells.chain([Cell::new(percents), Cell { tone, ..Cell::new(word) }]).collect(),
                ..Row::default()
            }
        };
        let shown = known.into_iter().filter(|((word, _), ..)| *word != "same");
        Some(Table { title, what: "benchmark", columns, rows: shown.map(row).collect() })
    }
}

/// Returns in a word how all counts of a benchmark differ, and its colour.
fn change(counts: &[(&str, [Counted; 2])]) -> (&'static str, Tone) {
    let found: Vec<_> = counts.iter().map(|(_, [old, new])| new.compared(old)).collect();
    let has = |ordering| found.contains(&Some(ordering));
    match (has(Ordering::Greater), has(Ordering::Less)) {
        (true, true) => ("different", Tone::Plain),
        (true, false) => ("more", Tone::Worse),
        (false, true) => ("fewer", Tone::Better),
        (false, false) if found.contains(&None) => ("varies", Tone::Plain),
        (false, false) => ("same", Tone::Plain),
    }
}

/// Returns a number without the digits of a rounding error.
fn rounded(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}
