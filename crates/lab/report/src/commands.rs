//! The times of whole commands: a table of each case, without what its verdicts say.

use parcrypt_lab::record::{Entry, FailureKind, Measure};

use crate::document::{Block, sentence, strong};
use crate::view::tables::{self, Cell, Column, Leaves, Row, Table, Tone, number, text};
use crate::view::{CaseView, EntryView, RecordView};
use crate::{format, sentences};

/// Returns the document of a record of whole commands.
pub(crate) fn of(view: &RecordView<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if view.record.partial.as_ref().is_some_and(|why| why.starts_with("interrupted")) {
        blocks.extend(sentences::partial(view.record).map(|partial| strong(partial, "")));
    }
    for case in &view.cases {
        if view.cases.len() > 1 {
            blocks.push(Block::Heading(2, case.title.clone()));
        }
        blocks.push(Block::Table(table(case)));
        let notes = notes(case);
        if !notes.is_empty() {
            blocks.push(sentence(notes.join(" ")));
        }
    }
    blocks
}

/// Values of the runs of a command.
struct Runs {
    /// Number of runs.
    count: u64,
    /// Maximum number of runs in a sample.
    in_sample: u64,
    /// Value of a run in each sample, sorted.
    values: Vec<f64>,
}

impl Runs {
    fn of(measure: &Measure, entry: &Entry) -> Self {
        let samples = || entry.rounds.iter().flatten().filter(|sample| sample.iterations > 0);
        let value = |sample| Some(measure.of(sample)? / sample.iterations as f64);
        let mut values: Vec<f64> = samples().filter_map(value).collect();
        values.sort_unstable_by(f64::total_cmp);
        Runs {
            count: samples().map(|sample| sample.iterations).sum(),
            in_sample: samples().map(|sample| sample.iterations).max().unwrap_or(0),
            values,
        }
    }

    fn median(&self) -> Option<f64> {
        let middle = self.values.len() / 2;
        match self.values.len() % 2 {
            1 => self.values.get(middle).copied(),
            _ => Some((self.values.get(middle.checked_sub(1)?)? + self.values.get(middle)?) / 2.0),
        }
    }

    /// Returns the standard deviation; `None` of fewer than two values.
    fn deviation(&self) -> Option<f64> {
        let count = self.values.len() as f64;
        let mean = self.values.iter().sum::<f64>() / count;
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        (count >= 2.0).then(|| (squares / (count - 1.0)).sqrt())
    }
}

/// Returns the table of a case, with its commands in the order in which they were given.
fn table(case: &CaseView<'_>) -> Table {
    let may_leave = |heading: String| Column { leaves: Some(Leaves::Counts), ..number(heading) };
    let measure = &case.case.measure;
    let median = match measure {
        Measure::Time => "median".to_owned(),
        Measure::OwnTime => "median by its own clock".to_owned(),
        Measure::Count(name) => format::counted_name(name),
    };
    let mut columns = vec![text("command"), number(median)];
    columns.extend(["spread", "min", "max", "runs"].map(number));
    columns.extend(case.counted.iter().map(|name| may_leave(format::counted_name(name))));
    let mut entries: Vec<&EntryView<'_>> = case.entries.iter().collect();
    entries.sort_by_key(|entry| entry.index);
    Table {
        title: format!("Table of {}", format::one_line(&case.title)),
        rows: entries.into_iter().map(|entry| row(case, entry, columns.len())).collect(),
        columns,
    }
}

fn row(case: &CaseView<'_>, entry: &EntryView<'_>, columns: usize) -> Row {
    let mut cells = vec![Cell { tag: tables::role_label(entry.entry.role), ..Cell::new(&entry.candidate) }];
    let failure = entry.entry.failure.as_ref();
    let runs = Runs::of(&case.case.measure, entry.entry);
    if let Some(failure) = failure.filter(|failure| failure.kind != FailureKind::WrongDigest) {
        let why = match failure.kind {
            FailureKind::Timeout => "ended by the time limit",
            _ => "failed",
        };
        cells.push(Cell { tone: Tone::Failed, columns: columns - 1, ..Cell::new(why) });
        return Row { cells, without_result: true, ..Row::default() };
    }
    let value = |value: Option<f64>| {
        Cell::new(value.map_or("–".to_owned(), |value| sentences::value(&case.case.measure, value)))
    };
    cells.extend([runs.median(), runs.deviation()].map(value));
    cells.extend([runs.values.first(), runs.values.last()].map(|bound| value(bound.copied())));
    cells.push(Cell::new(runs.count.to_string()));
    cells.extend(case.counted.iter().map(|name| Cell::new(entry.count(name))));
    Row { cells, is_baseline: entry.is_baseline, ..Row::default() }
}

/// Returns why a verdict does not follow from the medians, if the ratio of two of them is outside of its interval.
fn drifted(case: &CaseView<'_>) -> Option<String> {
    let median = |entry: &Entry| Runs::of(&case.case.measure, entry).median();
    let baseline = case.entries.iter().find(|entry| entry.is_baseline)?;
    let outside = case.entries.iter().filter(|entry| entry.competes()).any(|entry| {
        let interval = entry.ratio.and_then(|ratio| ratio.interval);
        let medians = median(entry.entry).zip(median(baseline.entry));
        let ratio = medians.map(|(a, b)| a / b).filter(|ratio| ratio.is_finite());
        interval.zip(ratio).is_some_and(|(interval, ratio)| !interval.holds(ratio))
    });
    (outside && case.case.measure.is_time()).then(|| {
        "Verdicts compare runs of the same round, and these medians are of all rounds: their ratio is another.".to_owned()
    })
}

/// Returns what the reader of a table has to know of it.
fn notes(case: &CaseView<'_>) -> Vec<String> {
    let runs = case.entries.iter().map(|entry| Runs::of(&case.case.measure, entry.entry).in_sample);
    let several = runs.max().filter(|runs| *runs > 1).map(|runs| {
        format!("Runs are so short that up to {runs} are one sample: min, max and spread are of samples.")
    });
    let floor = case.floor.map(|floor| {
        format!("The A/A control differs from its command by at most {} (99 %).", format::percent(floor))
    });
    [several, drifted(case), floor, sentences::undecided(case)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use parcrypt_lab::record::{Record, Sample};

    use super::*;
    use crate::export::screen::{Colour, Screen};
    use crate::verdict::tests::{failure, record};

    /// A record of commands with these times in ms, one for each round.
    fn timed(times: &[&[u64]]) -> Record {
        let mut record = record(0, 1.0, 0.0);
        let case = &mut record.cases[0];
        case.entries.truncate(times.len());
        for (entry, times) in case.entries.iter_mut().zip(times) {
            let sample =
                |ms: &u64| Sample { iterations: 1, elapsed_ns: Some(ms * 1_000_000), ..Sample::default() };
            entry.rounds = times.iter().map(|ms| vec![sample(ms)]).collect();
        }
        parcrypt_lab::stats::summarize(case);
        record
    }

    fn shown(record: &Record) -> String {
        Screen { width: Some(80), colour: Colour::Plain }.document(&of(&RecordView::new(record)))
    }

    #[test]
    fn medians_that_contradict_a_verdict_are_explained() {
        // B takes 10 % more in each round, of which most are slower from one half of the run to the other.
        let steady: Vec<u64> = (0..10).map(|round| 1000 + round).collect();
        let more = |of: &[u64]| of.iter().map(|ms| ms * 11 / 10).collect::<Vec<_>>();
        assert!(!shown(&timed(&[&steady, &more(&steady)])).contains("their ratio is another"));
        let mut drifting =
            timed(&[&[1000, 1010, 1020, 1030, 1040, 2000, 2010, 2020, 2030, 2040], &[1000; 10]]);
        let b = more(&[1000, 1010, 1020, 1030, 1040, 2000, 2010, 2020, 2030, 2040]);
        drifting.cases[0].entries[1].rounds = timed(&[&b]).cases[0].entries[0].rounds.clone();
        // A run of B that the lab left out of its round.
        drifting.cases[0].entries[1].rounds[4].clear();
        parcrypt_lab::stats::summarize(&mut drifting.cases[0]);
        assert!(shown(&drifting).contains("their ratio is another"), "{}", shown(&drifting));
    }

    #[test]
    fn a_table_has_median_spread_range_and_runs() {
        let one = timed(&[&[100, 300, 200]]);
        let text = shown(&one);
        let line = text.lines().find(|line| line.starts_with(" A ") || line.starts_with("A ")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, "A 200.0 ms 100.0 ms 100.0 ms 300.0 ms 3".split(' ').collect::<Vec<_>>(), "{text}");
        let mut two = timed(&[&[100, 300], &[50, 50]]);
        let text = shown(&two);
        assert!(text.contains("200.0 ms") && text.contains("50.00 ms"), "{text}");
        assert!(
            !text.contains("agreed") && !text.contains("too few") && !text.contains("Least time"),
            "{text}"
        );
        two.cases[0].entries[1].failure = Some(failure());
        assert!(shown(&two).contains("failed"), "{two:?}");
        two.cases[0].entries[0].rounds[1][0].iterations = 2;
        assert!(shown(&two).contains("up to 2 are one sample"), "{}", shown(&two));
    }
}
