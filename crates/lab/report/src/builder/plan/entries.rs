//! The entries of a case: their tables, and what the reader has to know of them.

use std::collections::{BTreeMap, BTreeSet};

use parcrypt_lab::command;
use parcrypt_lab::record::{Entry, FailureKind, Role};
use parcrypt_lab::stats::{self, Verdict};
use serde_json::{Value as Json, json};

use crate::builder::works::{EntryView, Work, role};
use crate::builder::{compare, compared, heading, known, shown, unit, value};
use crate::format;
use crate::say::Ratio;
use crate::sheet::{Cell, Column, Part, Row, Table, fields};

/// Returns the table of the entries.
pub(super) fn table(work: &Work<'_>) -> Table {
    let (case, entries) = (work.case, &work.entries[..]);
    let (measure, is_commands) = (&case.measure, case.is_of_commands());
    let mut table = Table::new(if is_commands { "command" } else { "candidate" }, entries, row);
    let mut add = |column, cell: &dyn Fn(&EntryView<'_>) -> Cell| table.add(column, entries, cell);
    // How many threads a command starts is not known.
    if !is_commands {
        let threads = Column::number("threads", "threads").leaving(7);
        add(threads, &|entry| Cell::new(entry.entry.threads.to_string()));
    }
    add(Column::number("value", heading(measure)), &|entry| {
        let interval = entry.value.filter(|_| measure.is_time()).and_then(|value| value.interval);
        let small = interval.map(format::time_interval).unwrap_or_default();
        Cell { small, ..shown(measure, entry.value) }
    });
    if measure.is_time() {
        add(Column::number("spread", "spread").leaving(4), &|entry| {
            Cell::of(spread(entry.entry).map(known), |of| format!("±{}", format::percent(of.value)))
        });
    }
    let counted: BTreeSet<&str> = entries.iter().flat_map(|entry| entry.counts.keys().copied()).collect();
    for name in counted {
        let column =
            Column::number(name, format::counted_name(name)).leaving(if is_commands { 7 } else { 5 });
        add(column, &|entry| {
            let count = entry.counts.get(name).copied().map(known);
            Cell::of(count, |of| format::quantity(name, of.value))
        });
    }
    if case.throughput {
        add(Column::number("throughput", "throughput").leaving(6), &|entry| {
            let rate = entry.value.map(|time| time.inverse().times(1e9 * case.input_bytes as f64));
            let small = rate.and_then(|rate| Some(format::rate_interval(rate.value, rate.interval?)));
            Cell { small: small.unwrap_or_default(), ..Cell::of(rate, |rate| format::rate(rate.value)) }
        });
    }
    if work.threads().len() > 1 {
        let speedup =
            |of: &EntryView<'_>| stats::speedup(case, of.index).filter(|_| of.entry.role != Role::Limit);
        add(Column::number("speedup", "speed-up").leaving(2), &|entry| {
            Cell::of(speedup(entry).map(|speedup| speedup.times), |times| format::factor(times.value))
        });
        add(Column::number("efficiency", "efficiency").leaving(2), &|entry| {
            Cell::of(speedup(entry).map(|speedup| speedup.efficiency), format::share)
        });
    }
    let limit = Column::number("limit", "of the limit").leaving(3);
    add(limit, &|entry| Cell::of(work.of_limit(entry), format::share));
    compare(&mut table, format!("against {}", work.baseline), entries, |entry| entry.ratio);
    if case.steps {
        let steps: Vec<&EntryView<'_>> = entries.iter().filter(|entry| entry.competes()).collect();
        let step = |entry: &EntryView<'_>| -> Option<Ratio<'_>> {
            let at = steps.iter().position(|step| step.index == entry.index)?.checked_sub(1)?;
            work.ratio(entry.entry, steps[at].entry)
        };
        let column = Column::text("step", "against the step before").leaving(8);
        table.add(column, entries, |entry| {
            step(entry).map_or_else(Cell::dash, |ratio| compared(&ratio)[0].clone())
        });
    }
    let column = Column::text("runs_as", "runs as").leaving(1);
    table.add(column, entries, |entry| Cell::new(runs_as(entry.entry)));
    table
}

fn row(entry: &EntryView<'_>) -> Row {
    let labels = &entry.entry.labels;
    Row {
        what: entry.candidate.clone(),
        tag: role(entry.entry.role),
        about: format::one_line(&entry.entry.about),
        verdict: entry.ratio.filter(|_| entry.is_compared()).map(|ratio| ratio.verdict),
        missing: entry.missing(),
        is_baseline: entry.is_baseline,
        facts: fields([
            ("threads", json!(entry.entry.threads)),
            ("role", json!(entry.entry.role)),
            ("baseline", json!(entry.is_baseline)),
            ("labels", if labels.is_empty() { Json::Null } else { json!(labels) }),
        ]),
        ..Row::default()
    }
}

/// Returns the standard deviation of the rounds over the value; `None` of fewer than two rounds.
fn spread(entry: &Entry) -> Option<f64> {
    let values: Vec<f64> = entry.replicates.iter().filter_map(|one| one.value).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (count >= 2.0).then(|| (squares / (count - 1.0)).sqrt() / mean)
}

/// Returns the runtime and backend that a candidate reported, such as `openmp, avx512`.
fn runs_as(entry: &Entry) -> String {
    let Some(ready) = &entry.ready else { return String::new() };
    let mut parts = vec![ready.runtime.clone(), ready.backend.clone()];
    if ready.threads != 0 && ready.threads != entry.threads {
        parts.push(format!("really on {}", format::counted(ready.threads, "thread")));
    }
    parts.retain(|part| !part.is_empty());
    format::one_line(&parts.join(", "))
}

/// Returns the tables of the parts of the values, and of the times before the measured work.
pub(super) fn further_tables(work: &Work<'_>) -> Vec<Table> {
    let measure = &work.case.measure;
    let where_it_goes = match measure.is_time() {
        true => "Where the time goes, and its share of the whole:".to_owned(),
        false => format!("Where the {} are, and their share of the whole:", heading(measure)),
    };
    let phase = |entry: &EntryView<'_>, part: f64| {
        let share = entry.value.map(|whole| format!(" ({:.0} %)", 100.0 * part / whole.value));
        value(measure, part) + &share.unwrap_or_default()
    };
    let before = |_: &EntryView<'_>, part: f64| format::nanoseconds(part);
    let phases = parts(work, where_it_goes, 2, stats::phases, phase);
    let title = "Before the measured work, once for each process:".to_owned();
    phases.into_iter().chain(parts(work, title, 1, stats::before, before)).collect()
}

/// Returns the table of the parts of those entries that have at least `least`, in descending order of the last entry's;
/// `None` if no entry has.
fn parts(
    work: &Work<'_>,
    title: String,
    least: usize,
    parts: fn(&Entry) -> BTreeMap<&str, f64>,
    words: impl Fn(&EntryView<'_>, f64) -> String,
) -> Option<Table> {
    let having = work.entries.iter().map(|entry| (entry, parts(entry.entry)));
    let having: Vec<_> = having.filter(|(_, parts)| parts.len() >= least).collect();
    let size = |name: &str| having.last().and_then(|(_, parts)| parts.get(name)).copied().unwrap_or(0.0);
    let names: BTreeSet<&str> = having.iter().flat_map(|(_, parts)| parts.keys().copied()).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let row = |(entry, _): &(&EntryView<'_>, _)| Row { what: entry.name.clone(), ..Row::default() };
    let mut table = Table { title, ..Table::new("candidate", &having, row) };
    for (at, name) in names.iter().enumerate() {
        // The smallest leaves first, and the largest stays.
        let leaves = if at > 0 { (names.len() - at).min(255) as u8 } else { 0 };
        table.add(
            Column::number(*name, format::counted_name(name)).leaving(leaves),
            &having,
            |(entry, parts)| Cell::of(parts.get(name).copied().map(known), |part| words(entry, part.value)),
        );
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Returns what the reader has to know of the entries: outputs, noise floor, samples, what is undecided.
pub(super) fn notes(work: &Work<'_>) -> Vec<String> {
    let mut notes: Vec<String> = agreement(work).into_iter().collect();
    let in_sample = work.case.entries.iter().flat_map(|entry| entry.rounds.iter().flatten());
    let most = in_sample.map(|sample| sample.iterations).max().unwrap_or(1);
    if work.case.is_of_commands() && most > 1 {
        notes.push(format!("Runs are so short that up to {most} are one sample."));
    }
    if is_drifted(work) {
        let said = "The verdict pairs runs of the same round; these times are over all rounds, so their ratio can differ.";
        notes.push(said.to_owned());
    }
    notes.extend(undecided(work));
    notes
}

/// Returns whether a ratio of two values that are shown is outside of the interval of their ratio, or without an
/// interval on the other side of 1.
fn is_drifted(work: &Work<'_>) -> bool {
    let baseline = work.entries.iter().find(|entry| entry.is_baseline).and_then(|entry| entry.value);
    let is_apart = |entry: &EntryView<'_>| {
        let shown = entry.value?.value / baseline?.value;
        let ratio = entry.ratio?.estimate;
        Some(match ratio.interval {
            Some(interval) => !interval.holds(shown),
            None => (shown - 1.0) * (ratio.value - 1.0) < 0.0,
        })
    };
    let mut candidates = work.entries.iter().filter(|entry| entry.competes());
    work.case.measure.is_time() && candidates.any(|entry| is_apart(entry) == Some(true))
}

/// Returns whether outputs agreed, in a sentence if there are any to compare. Failures say if they did not.
fn agreement(work: &Work<'_>) -> Option<String> {
    let failures = || work.case.entries.iter().filter_map(|entry| entry.failure.as_ref());
    if failures().any(|why| why.kind == FailureKind::WrongDigest) || !command::compares_outputs(work.case) {
        return None;
    }
    let good = work.case.entries.iter().filter(|entry| entry.failure.is_none());
    let digests: Vec<&String> = good.filter_map(|entry| entry.digest.as_ref()).collect();
    match (digests.len(), digests.iter().collect::<BTreeSet<_>>().len()) {
        (all, groups) if groups == all => None,
        (all, 1) => Some(format!("All {all} outputs agreed.")),
        (all, groups) => Some(format!("{all} outputs in {groups} groups; those within a group agreed.")),
    }
}

/// Returns what time in all may decide between the baseline and the entries that are open, in a sentence; `None` if all
/// are decided, or close to 1.
fn undecided(work: &Work<'_>) -> Option<String> {
    let spent = work.case.cost?.rounds_ns as f64 / 1e9;
    let rounds = work.case.entries.iter().map(Entry::rounds_done).max().unwrap_or(0).max(1) as f64;
    let more = |entry: &EntryView<'_>| {
        let ratio = entry.ratio.filter(|ratio| ratio.verdict == Verdict::Open)?.estimate;
        let growth = match ratio.interval {
            Some(_) => stats::growth_to_decide(&ratio)?,
            None => (work.needs as f64 / rounds).max(1.0),
        };
        (growth > 1.0).then(|| format!("{} in {}", entry.name, format::seconds(spent * growth)))
    };
    let open: Vec<String> = work.entries.iter().filter(|entry| entry.competes()).filter_map(more).collect();
    (!open.is_empty()).then(|| format!("A longer run may decide: {}.", format::listed(&open)))
}

/// Returns the part of a page about the case.
pub(super) fn part(work: &Work<'_>) -> Part {
    let case = work.case;
    let floor = work.floor.map(|floor| format!("Noise floor {}.", format::percent(floor)));
    Part {
        title: work.title.clone(),
        verdict: work.verdict(),
        tables: std::iter::once(table(work)).chain(further_tables(work)).collect(),
        notes: notes(work).into_iter().chain(floor).collect(),
        facts: fields([
            ("workload", json!(case.workload)),
            ("params", json!(case.params)),
            ("measure", json!(case.measure)),
            ("unit", json!(unit(&case.measure))),
            ("noise_floor", json!(work.floor)),
        ]),
    }
}
