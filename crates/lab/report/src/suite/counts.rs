//! What iterations of the benchmarks of a suite allocate or execute. Counts are compared as they are, and no time is
//! judged by them.

use std::cmp::Ordering;

use parcrypt_lab::record::{CountKind, Entry};
use parcrypt_lab::stats::{self, Counted};
use serde_json::{Value, json};

use super::gate::One;
use super::{Benchmark, SuiteView, left, shortened};
use crate::document::{Block, Span};
use crate::format;
use crate::verdict::{Gate, Holds};
use crate::view::grouped;
use crate::view::tables::{Cell, Row, Table, Tone, number, text};

/// The counts of a benchmark.
pub(super) enum Counts {
    /// Counts by name, of the old and the new revision. The first is the one to which a condition applies.
    Known(Vec<(String, [Counted; 2])>),
    /// Why there are none, and whether the old revision has some.
    Missing { why: String, is_in_old: bool },
}

/// How counts of the new revision differ, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    More,
    /// Some more, and others fewer.
    Other,
    Fewer,
    Varies,
    Same,
}

/// Returns the counts of a benchmark; `None` if nothing was to be counted.
pub(super) fn of(kind: CountKind, old: &Entry, new: &Entry) -> Option<Counts> {
    if let Some(failure) = new.not_counted.as_ref().or(old.not_counted.as_ref()) {
        let why = format::one_line(failure.why.trim_end_matches('.'));
        return Some(Counts::Missing { why, is_in_old: old.not_counted.is_none() });
    }
    let [old, new] = [old, new].map(stats::counted);
    let both = old.iter().filter_map(|(name, old)| Some(((*name).to_owned(), [*old, *new.get(name)?])));
    let mut both: Vec<_> = both.collect();
    both.sort_by_key(|(name, _)| name != kind.name());
    (!both.is_empty()).then_some(Counts::Known(both))
}

impl Change {
    /// Returns how all counts of a benchmark differ.
    fn of(counts: &[(String, [Counted; 2])]) -> Self {
        let found: Vec<_> = counts.iter().map(|(_, [old, new])| new.compared(old)).collect();
        let has = |ordering| found.contains(&Some(ordering));
        match (has(Ordering::Greater), has(Ordering::Less)) {
            (true, true) => Change::Other,
            (true, false) => Change::More,
            (false, true) => Change::Fewer,
            (false, false) if found.contains(&None) => Change::Varies,
            (false, false) => Change::Same,
        }
    }

    /// Returns the name in tables and in JSON.
    fn name(self) -> &'static str {
        match self {
            Change::More => "more",
            Change::Other => "different",
            Change::Fewer => "fewer",
            Change::Varies => "varies",
            Change::Same => "same",
        }
    }
}

/// Returns all digits of a count, or its range, such as `1,024 B` and `2 to 3`.
fn digits(name: &str, of: &Counted) -> String {
    let unit = if name.ends_with("-bytes") { " B" } else { "" };
    let [low, high] = [of.low, of.high].map(format::grouped);
    if of.low == of.high { format!("{low}{unit}") } else { format!("{low} to {high}{unit}") }
}

/// Returns how a count changed, such as `2 → 3`.
fn both(name: &str, [old, new]: &[Counted; 2]) -> String {
    let [before, after] = [old, new].map(|of| digits(name, of));
    if before == after { after } else { format!("{before} → {after}") }
}

/// Returns what each benchmark that was counted, was counted in the old revision only, or was still to be counted after
/// Ctrl-C, says about a condition on the number of allocations or instructions.
pub(super) fn answers<'s>(suite: &'s SuiteView<'_>, gate: Gate) -> Vec<(&'s Benchmark<'s>, One)> {
    let answer = |one: &Benchmark<'_>| match &one.counts {
        None => suite.suite.counts.map(|_| One::Open),
        Some(Counts::Missing { is_in_old, .. }) => is_in_old.then_some(One::Open),
        Some(Counts::Known(counts)) => {
            let (name, of) = counts.first()?;
            Some(match holds_for(gate, &of[0], &of[1]) {
                Holds::Yes => One::Found(both(name, of)),
                Holds::CannotTell => One::Open,
                Holds::No => One::Not,
            })
        }
    };
    suite.compared.iter().filter_map(|one| Some((one, answer(one)?))).collect()
}

fn holds_for(gate: Gate, old: &Counted, new: &Counted) -> Holds {
    let is_met = |ratio| gate.border().is_crossed_by(ratio);
    if let Some(ratio) = new.ratio(old) {
        return if is_met(ratio) { Holds::Yes } else { Holds::No };
    }
    let ratio = |new: u64, old: u64| if new == old { 1.0 } else { new as f64 / old as f64 };
    match [ratio(new.low, old.high), ratio(new.high, old.low)].map(is_met) {
        [true, true] if new.compared(old).is_some() => Holds::Yes,
        [false, false] => Holds::No,
        _ => Holds::CannotTell,
    }
}

/// What iterations allocate or execute, as a report shows it.
pub(crate) struct CountsView {
    /// How many benchmarks changed, and what the others are.
    pub(crate) answer: String,
    pub(crate) after: String,
    /// Those that changed or vary.
    pub(crate) table: Option<Table>,
    /// A line for each reason why benchmarks were not counted.
    pub(crate) not_counted: Vec<String>,
}

impl CountsView {
    /// Returns it as parts of a document.
    pub(super) fn blocks(self) -> Vec<Block> {
        let mut blocks = vec![Block::Paragraph(vec![Span::Strong(self.answer), Span::Plain(self.after)])];
        blocks.extend(self.table.map(Block::Table));
        blocks.extend((!self.not_counted.is_empty()).then_some(Block::List(self.not_counted)));
        blocks
    }
}

impl SuiteView<'_> {
    /// Returns what iterations allocate or execute, with a table of at most this width; `None` if nothing was to be
    /// counted.
    pub(crate) fn of_iterations(&self, width: Option<usize>) -> Option<CountsView> {
        let kind = self.suite.counts.unwrap_or_default();
        let (mut known, mut missing) = (Vec::new(), Vec::new());
        for one in &self.compared {
            match one.counts.as_ref() {
                Some(Counts::Known(counts)) => known.push((Change::of(counts), one.name.as_str(), counts)),
                Some(Counts::Missing { why, .. }) => missing.push((why, one.name.as_str())),
                None => {}
            }
        }
        if known.is_empty() && missing.is_empty() {
            return None;
        }
        let ratio = |counts: &[(String, [Counted; 2])]| {
            counts.first().and_then(|(_, [old, new])| new.ratio(old)).filter(|ratio| ratio.is_finite())
        };
        let size = |counts: &Vec<_>| ratio(counts).map_or(0.0, |ratio| ratio.ln().abs());
        known.sort_by(|(a, _, of_a), (b, _, of_b)| a.cmp(b).then(size(of_b).total_cmp(&size(of_a))));
        let is_changed = |change: &Change| !matches!(change, Change::Same | Change::Varies);
        let changed = known.iter().filter(|(change, ..)| is_changed(change)).count();
        let groups = grouped(known.iter().map(|(change, ..)| (change.name(), ())));
        let counts: Vec<String> =
            groups.into_iter().map(|(name, all)| format!("{} {name}", all.len())).collect();
        let title = match kind {
            CountKind::Allocations => "Allocations",
            CountKind::Instructions => "Instructions",
            CountKind::Memory => "Memory",
        };
        let all = format::counted(known.len(), "benchmark");
        let answer = match (known.len(), changed) {
            (0, _) => format!("No {} were counted", kind.name()),
            (_, 0) => format!("No change in the {} of {all}", kind.name()),
            (_, changed) => format!("{title} changed in {changed} of {all}"),
        };
        let after = match counts.is_empty() {
            true => ".".to_owned(),
            false => format!(
                ": {}. Counts are of one iteration, with their range if it is not always the same.",
                counts.join(", ")
            ),
        };
        let line = |(why, names): (&String, Vec<&str>)| format!("Not counted ({why}): {}", names.join(", "));
        let not_counted = grouped(missing).into_iter().map(line).collect();
        let shown: Vec<_> = known.iter().filter(|(change, ..)| *change != Change::Same).collect();
        let table = shown.first().map(|(.., first)| {
            let mut columns = vec![text("benchmark")];
            columns.extend(first.iter().map(|(name, _)| number(format::counted_name(name))));
            let has_percents = kind != CountKind::Allocations;
            columns.extend(has_percents.then(|| number("change in %")));
            columns.push(text("change"));
            let row = |(change, name, counts): &&(Change, &str, &Vec<(String, [Counted; 2])>),
                       width: Option<usize>| {
                let tone = match change {
                    Change::More => Tone::Worse,
                    Change::Fewer => Tone::Better,
                    _ => Tone::Plain,
                };
                let name = width.map_or((*name).to_owned(), |width| shortened(name, width));
                let percents =
                    ratio(counts).map_or("–".to_owned(), |of| format::signed_percents(of, None).0);
                let percents = has_percents.then(|| Cell::new(percents));
                let counts = counts
                    .iter()
                    .map(|(name, of)| Cell { value: Some(of[1].high as f64), ..Cell::new(both(name, of)) });
                let last = Cell { tone, ..Cell::new(change.name()) };
                let cells =
                    std::iter::once(Cell::new(name)).chain(counts).chain(percents).chain([last]).collect();
                Row { cells, ..Row::default() }
            };
            let rows = |width| shown.iter().map(|one| row(one, width)).collect::<Vec<Row>>();
            let left = width.map(|width| left(&columns, &rows(None), width));
            Table { title: format!("{title} of an iteration"), rows: rows(left), columns }
        });
        Some(CountsView { answer, after, table, not_counted })
    }
}

/// Returns the counts of a benchmark for JSON.
pub(super) fn result(counts: &Counts) -> Value {
    match counts {
        Counts::Missing { why, .. } => json!({ "why": why }),
        Counts::Known(counts) => {
            let range = |of: &Counted| json!({ "low": of.low, "high": of.high });
            let change = |[old, new]: &[Counted; 2]| match new.compared(old) {
                Some(Ordering::Greater) => Change::More,
                Some(Ordering::Less) => Change::Fewer,
                Some(Ordering::Equal) => Change::Same,
                None => Change::Varies,
            };
            let one = |(name, of): &(String, [Counted; 2])| {
                let [old, new] = of.each_ref().map(range);
                (name.clone(), json!({ "old": old, "new": new, "change": change(of).name() }))
            };
            let counts: serde_json::Map<String, Value> = counts.iter().map(one).collect();
            json!({ "counts": counts })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_on_allocations_has_three_answers() {
        let range = |low, high, processes| Counted { low, high, processes, repeated: None };
        let same = |n| Counted { repeated: Some((8, 8 * n)), ..range(n, n, 2) };
        let grows = |low, high, sum| Counted { repeated: Some((8, sum)), ..range(low, high, 2) };
        for (text, old, new, expected) in [
            ("more than 0%", same(0), same(0), Holds::No),
            ("more than 0%", same(0), same(1), Holds::Yes),
            ("more than 1000%", same(0), same(1), Holds::Yes),
            ("more than 0%", same(1), same(0), Holds::No),
            ("more than 10%", same(100), same(110), Holds::No),
            ("more than 10%", same(100), same(111), Holds::Yes),
            ("fewer than 0%", same(3), same(2), Holds::Yes),
            ("fewer than 0%", same(0), same(0), Holds::No),
            ("more than 0%", range(1, 3, 8), range(4, 5, 8), Holds::Yes),
            ("more than 0%", range(1, 3, 2), range(4, 5, 2), Holds::CannotTell),
            ("more than 0%", range(1, 3, 8), range(2, 5, 8), Holds::CannotTell),
            ("more than 0%", grows(0, 2, 3), grows(0, 2, 3), Holds::No),
            ("more than 0%", grows(0, 2, 3), grows(0, 3, 4), Holds::Yes),
            ("more than 10%", range(100, 101, 2), range(100, 102, 2), Holds::No),
        ] {
            assert_eq!(holds_for(text.parse().unwrap(), &old, &new), expected, "{text}: {old:?} {new:?}");
        }
    }

    #[test]
    fn counts_have_all_digits() {
        let range = |low, high| Counted { low, high, processes: 2, repeated: None };
        assert_eq!(both("allocations", &[range(1, 1), range(12_345_678, 12_345_678)]), "1 → 12,345,678");
        assert_eq!(
            both("peak-allocated-bytes", &[range(1024, 1024), range(1025, 1030)]),
            "1,024 B → 1,025 to 1,030 B"
        );
        assert_eq!(both("allocations", &[range(1, 2), range(1, 2)]), "1 to 2");
    }
}
