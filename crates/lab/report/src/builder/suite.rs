//! The sheet of a suite: a row for each benchmark of two revisions, those that changed first, with verdicts that are
//! corrected for their number.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use parcrypt_lab::record::{CountKind, Failure, PEAK_MEMORY, Suite};
use parcrypt_lab::stats::{self, Counted, Judged, RATE, Verdict, selected_error};
use parcrypt_lab::suite::REVISION;
use serde_json::{Map, Value, json};

use super::works::{EntryView, Work};
use super::{asked, compare, grouped, is_skip, kind, shown, tone};
use crate::format;
use crate::gate::{self, Gate, Rows, listed};
use crate::plot;
use crate::say::{self, Ratio};
use crate::sheet::{Answer, Cell, Column, Note, Row, Sheet, Table, Tone, fields};

/// A benchmark that was compared.
struct Benchmark<'w, 'a> {
    work: &'w Work<'a>,
    /// The old and the new revision.
    revisions: [&'w EntryView<'a>; 2],
    /// New over old.
    ratio: Ratio<'a>,
    judged: Judged,
    /// What an iteration allocates or executes, by name; the first is the one to which a condition applies.
    counts: Vec<(&'a str, [Counted; 2])>,
    /// Why it was not counted.
    not_counted: Option<String>,
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

/// Returns the sheet of a suite, with the answers to the conditions with which it was measured.
pub(super) fn sheet(works: &[Work<'_>], suite: Suite) -> Sheet {
    let counting = suite.counts.unwrap_or_default();
    let name =
        |of: &EntryView<'_>| format::one_line(of.entry.labels.get(REVISION).unwrap_or(&of.entry.candidate));
    let names = works.iter().find_map(|work| Some(revisions(work)?.map(name)));
    let [old, new] = names.unwrap_or(["old".to_owned(), "new".to_owned()]);
    let mut benchmarks: Vec<Benchmark<'_, '_>> =
        works.iter().filter_map(|work| Benchmark::new(work, counting)).collect();
    let mean = mean(&benchmarks, [&old, &new]);
    benchmarks.sort_by(|a, b| a.order().partial_cmp(&b.order()).unwrap_or(Ordering::Equal));
    let is_lost = |work: &&Work<'_>| !benchmarks.iter().any(|one| std::ptr::eq(one.work, *work));
    let others = works.iter().filter(is_lost).map(|work| (lost(work, [&old, &new]), &*work.title));
    let mut others: Vec<((Lost, String), &str)> = others.collect();
    others.sort_by_key(|((lost, _), _)| *lost);
    let mut sheet = Sheet { rows: table(&benchmarks, [&old, &new]), ..Sheet::default() };
    let number = |of| others.iter().filter(|((lost, _), _)| *lost == of).count();
    let (failed, not_measured) = (number(Lost::Failed), number(Lost::NotMeasured));
    sheet.head.verdict = verdict(&benchmarks, suite.threshold, failed);
    sheet.head.verdict[2] += &mean.map_or(String::new(), |mean| format!(" {mean}"));
    let not_compared =
        others.iter().map(|((lost, why), name)| json!({ "what": name, "how": lost, "why": why }));
    let not_compared: Vec<Value> = not_compared.collect();
    for ((lost, why), names) in grouped(others) {
        let (what, tone) = match lost {
            Lost::Failed => ("Failed".to_owned(), Tone::Failed),
            Lost::Skipped => ("Skipped".to_owned(), Tone::Plain),
            Lost::OnlyInOld => (format!("Only in {old}"), Tone::Plain),
            Lost::OnlyInNew => (format!("Only in {new}"), Tone::Plain),
            Lost::NotMeasured => ("Not measured".to_owned(), Tone::Plain),
        };
        let why = if why.is_empty() { why } else { format!(" ({why})") };
        sheet.notes.push(Note { tone, ..Note::new(format!("{what}{why}: {}.", names.join(", "))) });
    }
    let changes: Vec<&Benchmark<'_, '_>> = benchmarks.iter().filter(|one| one.is_change()).collect();
    let error = selected_error(changes.len(), benchmarks.len());
    sheet.notes.extend(counted(&benchmarks, counting).into_iter().map(Note::new));
    // What failed before the change too says nothing about it.
    let is_broken = |work: &&Work<'_>| match failures(work) {
        [None, Some(failure)] => !is_skip(failure),
        _ => false,
    };
    let broken: Vec<String> = works.iter().filter(is_broken).map(|work| work.title.clone()).collect();
    let gates = [
        suite.gate.map(|border| Gate::new(border, false)),
        suite.counts_gate.map(|border| Gate::new(border, true)),
    ];
    for gate in gates.iter().flatten() {
        sheet.conditions.push(condition(&benchmarks, gate, counting, not_measured, broken.len()));
    }
    if !broken.is_empty() {
        let number = format::counted(broken.len(), "benchmark");
        let text = format!("error: {number} failed in the new revision only: {}", listed(&broken));
        let text = [text, String::new()];
        sheet.conditions.push(Answer { text, tone: Tone::Failed, ..Answer::default() });
    }
    let mut rows: Vec<(&str, Ratio<'_>)> = changes.iter().map(|one| (&*one.work.title, one.ratio)).collect();
    let size = |ratio: &Ratio<'_>| ratio.estimate.value.ln().abs();
    rows.sort_by(|(_, a), (_, b)| size(b).total_cmp(&size(a)));
    sheet.figure = plot::forest("what changed", &old, &rows, Some(suite.threshold));
    let names = [("old revision", &old), ("new revision", &new)];
    sheet.run.facts.extend(names.map(|(what, name)| (what.to_owned(), name.clone())));
    sheet.run.fields = fields([
        ("not_compared", json!(not_compared)),
        ("old", json!(old)),
        ("new", json!(new)),
        ("rate", json!(rounded(RATE))),
        ("threshold", json!(rounded(suite.threshold))),
        ("changed_confidence", json!(rounded(1.0 - error))),
    ]);
    sheet
}

/// Returns the entries of the old and the new revision.
fn revisions<'w, 'a>(work: &'w Work<'a>) -> Option<[&'w EntryView<'a>; 2]> {
    let (old, new) = work.case.revisions()?;
    let of = |entry| work.entries.iter().find(|view| std::ptr::eq(view.entry, entry));
    Some([of(old)?, of(new)?])
}

/// Returns why the revisions have no result.
fn failures<'a>(work: &Work<'a>) -> [Option<&'a Failure>; 2] {
    revisions(work).map_or([None, None], |of| of.map(|entry| entry.entry.failure.as_ref()))
}

/// Returns why a benchmark was not compared.
fn lost(work: &Work<'_>, names: [&str; 2]) -> (Lost, String) {
    let failures = failures(work);
    let failed = failures.into_iter().zip(names).find_map(|(failure, name)| {
        let failure = failure.filter(|failure| !is_skip(failure))?;
        Some(format!("{} in {name}: {}", kind(failure.kind), failure.why))
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

impl<'w, 'a> Benchmark<'w, 'a> {
    /// Returns a benchmark; `None` if it was not compared.
    fn new(work: &'w Work<'a>, counting: CountKind) -> Option<Self> {
        let [old, new] = revisions(work)?;
        let (ratio, judged) = (new.ratio?, new.judged?);
        let [of_old, of_new]: [BTreeMap<&str, Counted>; 2] =
            [old, new].map(|side| stats::counted(side.entry));
        let both = |(name, old): (&'a str, Counted)| Some((name, [old, *of_new.get(name)?]));
        let mut counts: Vec<_> = of_old.into_iter().filter_map(both).collect();
        counts.sort_by_key(|(name, _)| *name != counting.name());
        let failure = new.entry.not_counted.as_ref().or(old.entry.not_counted.as_ref());
        let not_counted = failure.map(|failure| format::one_line(failure.why.trim_end_matches('.')));
        Some(Benchmark { work, revisions: [old, new], ratio, judged, counts, not_counted })
    }

    fn is_change(&self) -> bool {
        self.ratio.verdict.is_change()
    }

    /// Returns the group of the report, and minus the size of the change in it; those without an interval come last.
    fn order(&self) -> (u8, f64) {
        let group = match self.ratio.verdict {
            Verdict::Slower => 0,
            Verdict::Faster => 1,
            _ if self.is_notable() => 2,
            Verdict::Open => 3,
            Verdict::Same => 4,
        };
        let estimate = self.ratio.estimate;
        let size = estimate.value.ln().abs();
        (group, if estimate.interval.is_some() { -size } else { f64::INFINITY })
    }

    /// Returns whether the time or a count changed, or a count varies.
    fn is_notable(&self) -> bool {
        self.is_change() || self.counts.iter().any(|(_, of)| change(of) != Verdict::Same)
    }

    /// Returns the counts with how they changed, or why there are none, for JSON.
    fn facts(&self) -> Map<String, Value> {
        let range = |of: &Counted| json!({ "low": of.low, "high": of.high });
        let one = |(name, of): &(&str, [Counted; 2])| {
            let [old, new] = of.each_ref().map(range);
            ((*name).to_owned(), json!({ "old": old, "new": new, "change": word(change(of)) }))
        };
        match &self.not_counted {
            Some(why) => fields([("why", json!(why))]),
            None => self.counts.iter().map(one).collect(),
        }
    }
}

/// Returns the table of the benchmarks, with what was counted of them.
fn table(benchmarks: &[Benchmark<'_, '_>], [old, new]: [&str; 2]) -> Table {
    let row = |one: &Benchmark<'_, '_>| {
        let counts = one.facts();
        Row {
            what: one.work.title.clone(),
            verdict: Some(one.ratio.verdict),
            is_folded: !one.is_notable(),
            facts: fields([
                ("p", json!(one.judged.look.p)),
                ("adjusted_p", json!(one.judged.adjusted)),
                ("counts", if counts.is_empty() { Value::Null } else { json!(counts) }),
            ]),
            ..Row::default()
        }
    };
    let mut table = Table::new("benchmark", benchmarks, row);
    for (at, name, heading) in [(0, "old", old), (1, "new", new)] {
        table.add(Column::number(name, format!("in {heading}")).leaving(2), benchmarks, |one| {
            shown(one.ratio.measure, one.revisions[at].value)
        });
    }
    compare(&mut table, "change".to_owned(), benchmarks, |one| Some(one.ratio));
    let all = benchmarks.iter().flat_map(|one| &one.counts);
    for (at, (name, _)) in grouped(all.map(|(name, of)| (*name, of))).into_iter().enumerate() {
        // JSON has all counts in a field of their own, so that no name of one can be that of another field.
        let column = Column::number("", format::counted_name(name)).leaving(at.min(1) as u8);
        table.add(column, benchmarks, |one| {
            let found = one.counts.iter().find(|(other, _)| *other == name);
            let cell = |(_, of): &(_, _)| Cell { tone: tone(change(of)), ..Cell::new(both(name, of)) };
            found.map_or_else(Cell::dash, cell)
        });
    }
    table
}

/// Returns how many benchmarks changed, in which direction, and what the others are.
fn verdict(benchmarks: &[Benchmark<'_, '_>], threshold: f64, failed: usize) -> [String; 3] {
    let (changed, others): (Vec<_>, Vec<_>) = benchmarks.iter().partition(|one| one.is_change());
    let tally = |of: &[&Benchmark<'_, '_>]| say::tally(of.iter().map(|one| &one.ratio), threshold);
    let all = format::counted(benchmarks.len(), "benchmark");
    let answer = match (benchmarks.len(), changed.len()) {
        (0, _) => "No benchmark was compared".to_owned(),
        (_, 0) => format!("No change found in {all}"),
        (_, some) => format!("{some} of {all} changed: {}", tally(&changed)),
    };
    let few = benchmarks.iter().filter(|one| one.ratio.estimate.interval.is_none());
    let few: Vec<&Benchmark<'_, '_>> = few.collect();
    let of_few = few.iter().max_by_key(|one| one.work.needs).map_or(String::new(), |one| {
        let (rounds, more) = (one.work.needs, one.work.more);
        format!("{} without an interval, which needs {rounds} rounds: {more}", few.len())
    });
    let failed = if failed > 0 { format!("{failed} failed") } else { String::new() };
    let rest = [tally(&others), of_few, failed].into_iter().filter(|part| !part.is_empty());
    let rest: String = rest.map(|part| format!("; {part}")).collect();
    [String::new(), answer, rest + "."]
}

/// Returns the geometric mean over the benchmarks that compare the same quantity as the first, in a sentence.
fn mean(benchmarks: &[Benchmark<'_, '_>], [old, new]: [&str; 2]) -> Option<String> {
    let first = benchmarks.first()?;
    let alike = benchmarks.iter().filter(|one| one.ratio.measure == first.ratio.measure);
    let pairs = alike.map(|one| (one.revisions[1].entry, one.revisions[0].entry));
    let mean = stats::mean_ratio(first.work.case, &pairs.collect::<Vec<_>>())?;
    mean.ratio.interval.filter(|_| mean.pairs > 1)?;
    let ratio = Ratio::new(mean.ratio, first.ratio.measure, None, first.ratio.rounds);
    let over = format::counted(mean.pairs, "benchmark");
    Some(format!("Geometric mean over {over}: {}", ratio.verdict(new, old, &[]).concat()))
}

/// Returns the answer to a condition on the new revision of the benchmarks. It is open if nothing was compared, or a
/// benchmark was not measured or failed in the new revision only.
fn condition(
    benchmarks: &[Benchmark<'_, '_>],
    gate: &Gate,
    counting: CountKind,
    not_measured: usize,
    failed: usize,
) -> Answer {
    let of_iterations = gate.is_on_counts() && benchmarks.iter().all(|one| one.work.case.measure.is_time());
    let rows = Rows { noun: "benchmark", counted: counting.name(), asked: Vec::new(), not_measured, failed };
    if !of_iterations {
        let on = benchmarks.iter().map(|one| one.work).filter(|work| gate.is_on(&work.case.measure));
        let asked = asked(&on.collect::<Vec<_>>(), gate, |work, _| work.title.clone());
        return Rows { asked, ..rows }.answer(gate);
    }
    let by_counts = |one: &Benchmark<'_, '_>| {
        // A benchmark that the old revision does not count either says nothing about the change.
        let known = one.revisions[0].entry.not_counted.is_none();
        let (holds, how) = match (&one.not_counted, one.counts.first()) {
            (None, Some((name, of))) => (holds_for(gate, of), both(name, of)),
            (Some(_), _) if known => (None, String::new()),
            _ => return None,
        };
        Some(gate::Asked { name: one.work.title.clone(), holds, how, reach: None, more: one.work.more })
    };
    // After Ctrl-C some are still to be counted.
    let is_uncounted = |one: &&Benchmark<'_, '_>| one.counts.is_empty() && one.not_counted.is_none();
    let not_measured = not_measured + benchmarks.iter().filter(is_uncounted).count();
    Rows { asked: benchmarks.iter().filter_map(by_counts).collect(), not_measured, ..rows }.answer(gate)
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

/// Returns how a count changed, such as `2 → 3`: with all digits, unless it is the memory of a process.
fn both(name: &str, of: &[Counted; 2]) -> String {
    let (shown, unit): (fn(u64) -> String, _) = match name {
        PEAK_MEMORY => (format::bytes, ""),
        name if name.ends_with("-bytes") => (format::thousands, " B"),
        _ => (format::thousands, ""),
    };
    let digits = |of: &Counted| match [of.low, of.high].map(shown) {
        [low, high] if low == high => low + unit,
        [low, high] => format!("{low} to {high}{unit}"),
    };
    match of.each_ref().map(digits) {
        [before, after] if before == after => after,
        [before, after] => format!("{before} → {after}"),
    }
}

/// Returns whether there is more of a count in the new revision, or less. One that varies is open.
fn change([old, new]: &[Counted; 2]) -> Verdict {
    match new.compared(old) {
        Some(Ordering::Greater) => Verdict::Slower,
        Some(Ordering::Less) => Verdict::Faster,
        Some(Ordering::Equal) => Verdict::Same,
        None => Verdict::Open,
    }
}

fn word(change: Verdict) -> &'static str {
    match change {
        Verdict::Slower => "more",
        Verdict::Faster => "fewer",
        Verdict::Open => "varies",
        Verdict::Same => "same",
    }
}

/// Returns in how many benchmarks the first count of an iteration changed, and why others were not counted. Counts are
/// compared as they are, and no time is judged by them.
fn counted(benchmarks: &[Benchmark<'_, '_>], kind: CountKind) -> Vec<String> {
    let known: Vec<Verdict> =
        benchmarks.iter().filter_map(|one| one.counts.first()).map(|(_, of)| change(of)).collect();
    let number = |of| known.iter().filter(|change| **change == of).count();
    let said =
        [Verdict::Slower, Verdict::Faster, Verdict::Open, Verdict::Same].map(|of| (number(of), word(of)));
    let said = said.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}"));
    let said: Vec<String> = said.collect();
    let changed = known.iter().filter(|change| change.is_change()).count();
    let (name, all) = (kind.name(), format::counted(known.len(), "benchmark"));
    let of = if kind == CountKind::Memory { "a process" } else { "an iteration" };
    let known = format!("The {name} of {of} changed in {changed} of {all}: {}.", said.join(", "));
    let missing = benchmarks.iter().filter_map(|one| Some((one.not_counted.as_ref()?, &*one.work.title)));
    let missing = grouped(missing).into_iter();
    let missing = missing.map(|(why, names)| format!("Not counted ({why}): {}.", names.join(", ")));
    missing.chain((!said.is_empty()).then_some(known)).collect()
}

/// Returns a number without the digits of a rounding error.
fn rounded(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}
