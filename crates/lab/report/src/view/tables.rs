//! Tables of a record, for every format: columns, and cells with their intervals and notes.

use parcrypt_lab::record::{FailureKind, Measure, Role};
use parcrypt_lab::stats::{Estimate, Interval, MeanRatio, RESOLUTION, Verdict};

use super::{CaseView, EntryView, RecordView};
use crate::sentences::{self, InWords};
use crate::{format, view};

/// A table.
pub(crate) struct Table {
    /// Description for screen readers.
    pub(crate) title: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

/// A column.
pub(crate) struct Column {
    pub(crate) heading: String,
    /// Whether the column has numbers, which are aligned right.
    pub(crate) number: bool,
    /// Set if a narrow terminal may leave the column out.
    pub(crate) leaves: Option<Leaves>,
}

/// Columns that a narrow terminal may leave out, in the order in which they are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leaves {
    RunsAs,
    SpeedUp,
    Limit,
    Counts,
    /// Of the table of cases, in which the speeds remain.
    Times,
}

impl Leaves {
    /// All of them, in the order in which they are left out.
    pub(crate) const ALL: [Leaves; 5] =
        [Leaves::RunsAs, Leaves::SpeedUp, Leaves::Limit, Leaves::Counts, Leaves::Times];

    /// Returns the name of the columns in the notice that they are not shown.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Leaves::RunsAs => "runs as",
            Leaves::SpeedUp => "speed-up and efficiency",
            Leaves::Limit => "share of the limit",
            Leaves::Counts => "what was counted",
            Leaves::Times => "times",
        }
    }
}

/// A row.
#[derive(Default)]
pub(crate) struct Row {
    pub(crate) cells: Vec<Cell>,
    pub(crate) is_baseline: bool,
    /// Whether a cell has the reason for a missing result.
    pub(crate) without_result: bool,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// Role of an entry that is not a candidate.
    pub(crate) tag: &'static str,
    /// An interval, or text that belongs to it, which every report shows.
    pub(crate) bounds: String,
    /// Small text that only a page has room for.
    pub(crate) small: String,
    pub(crate) tone: Tone,
    /// Value by which the rows of a page are sorted; by the text if it is missing.
    pub(crate) value: Option<f64>,
    /// Number of columns that the cell spans on a page.
    pub(crate) columns: usize,
}

/// Colour of a cell by its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
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

impl Cell {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Cell { text: text.into(), columns: 1, ..Cell::default() }
    }

    /// Returns a cell with a text, or a dash.
    fn or_dash(text: Option<String>) -> Self {
        Cell::new(text.unwrap_or_else(|| "–".to_string()))
    }

    /// Returns a cell with an estimate in words, or a dash, that sorts by its value.
    fn estimate(of: Option<Estimate>, words: impl Fn(Estimate) -> String) -> Self {
        Cell::or_dash(of.map(words)).sorted(of.map(|of| of.value))
    }

    pub(crate) fn with(words: InWords, tone: Tone) -> Self {
        Cell { bounds: words.bounds, tone, ..Cell::new(words.what) }
    }

    /// Returns the cell with a value that sorts it.
    fn sorted(self, value: Option<f64>) -> Self {
        Cell { value, ..self }
    }

    fn small(self, interval: Option<String>) -> Self {
        Cell { small: interval.unwrap_or_default(), ..self }
    }
}

pub(crate) fn text(heading: impl Into<String>) -> Column {
    Column { heading: heading.into(), number: false, leaves: None }
}

pub(crate) fn number(heading: impl Into<String>) -> Column {
    Column { number: true, ..text(heading) }
}

/// Returns the main table of a case: its entries from the best to the worst, or in the order of its steps.
pub(crate) fn entries(case: &CaseView<'_>) -> Table {
    // How many threads a command starts is not known.
    let threads = !case.case.is_of_commands();
    let runs_as = case.entries.iter().any(|entry| !entry.runs_as().is_empty());
    let (headings, values): (Vec<Column>, Vec<Value<'_>>) = values(case).into_iter().unzip();
    let row = |entry: &EntryView<'_>| {
        let name = Cell {
            tag: role_label(entry.entry.role),
            small: format::one_line(&entry.entry.about),
            ..Cell::new(&entry.candidate)
        };
        let mut cells = vec![name];
        cells.extend(threads.then(|| Cell::new(entry.entry.threads.to_string())));
        let why = entry.no_result();
        match &why {
            Some(why) => {
                let failed = entry.entry.failure.as_ref().is_some_and(|f| f.kind != FailureKind::Unsupported);
                let tone = if failed { Tone::Failed } else { Tone::Muted };
                cells.push(Cell { tone, columns: values.len(), ..Cell::new(format::one_line(why)) });
            }
            None => cells.extend(values.iter().map(|value| value(entry))),
        }
        cells.extend(runs_as.then(|| Cell::new(format::one_line(&entry.runs_as()))));
        Row { cells, is_baseline: entry.is_baseline, without_result: why.is_some() }
    };
    let rows = case.entries.iter().map(row).collect();
    let mut columns = vec![text("candidate")];
    columns.extend(threads.then(|| number("threads")));
    columns.extend(headings);
    columns.extend(runs_as.then(|| may_leave(Leaves::RunsAs, text("runs as"))));
    Table { title: format!("Table of {}", format::one_line(&case.title)), rows, columns }
}

/// Returns the cell of an entry with a result.
type Value<'a> = Box<dyn Fn(&EntryView<'_>) -> Cell + 'a>;

fn may_leave(leaves: Leaves, column: Column) -> Column {
    Column { leaves: Some(leaves), ..column }
}

/// Returns the columns of a case that are empty for an entry without a result.
fn values<'a>(case: &'a CaseView<'_>) -> Vec<(Column, Value<'a>)> {
    let measure = &case.case.measure;
    let mut all: Vec<(Column, Value<'a>)> = Vec::new();
    let mut add = |column, value: Value<'a>| all.push((column, value));
    add(
        number(sentences::column(measure)),
        Box::new(|entry| {
            let interval = entry.value.filter(|_| measure.is_time()).and_then(|value| value.interval);
            Cell::estimate(entry.value, |value| sentences::value(measure, value.value))
                .small(interval.map(format::time_interval))
        }),
    );
    add(
        text(format!("against {}", format::one_line(&case.baseline))),
        Box::new(|entry| match entry.ratio {
            _ if entry.is_baseline => Cell { tone: Tone::Muted, ..Cell::new("baseline") }.sorted(Some(1.0)),
            ratio => compared(ratio.as_ref(), case),
        }),
    );
    if case.case.steps {
        let step: Value<'a> = Box::new(|entry| compared(entry.step.as_ref(), case));
        add(text("against the step before"), step);
    }
    if case.case.throughput {
        let rate = |entry: &EntryView<'_>| {
            let interval = |rate: Estimate| Some(format::rate_interval(rate.value, rate.interval?));
            Cell::estimate(entry.throughput, |rate| format::rate(rate.value))
                .small(entry.throughput.and_then(interval))
        };
        add(number("throughput"), Box::new(rate));
    }
    if case.threads().len() > 1 {
        let times = |entry: &EntryView<'_>| {
            let times = entry.speedup.as_ref().map(|speedup| speedup.times);
            Cell::estimate(times, |times| format::factor(times.value))
                .small(times.and_then(|times| Some(factors(times.value, times.interval?))))
        };
        let efficiency = |entry: &EntryView<'_>| {
            let share = entry.speedup.as_ref().map(|speedup| speedup.efficiency);
            Cell::estimate(share, |share| format::share(&share))
                .small(share.and_then(|share| share.interval).map(format::share_interval))
        };
        add(may_leave(Leaves::SpeedUp, number("speed-up")), Box::new(times));
        add(may_leave(Leaves::SpeedUp, number("efficiency")), Box::new(efficiency));
    }
    if case.entries.iter().any(|entry| entry.limit.is_some()) {
        let limit = |entry: &EntryView<'_>| {
            let bounds = |i: Interval| format!("[{:.1}, {:.1}]", 100.0 * i.low, 100.0 * i.high);
            let bounds = entry.limit.and_then(|share| share.interval).map(bounds).unwrap_or_default();
            Cell { bounds, ..Cell::estimate(entry.limit, |share| format::share(&share)) }
        };
        add(may_leave(Leaves::Limit, number("of the limit")), Box::new(limit));
    }
    for name in &case.counted {
        let count: Value<'a> =
            Box::new(|entry| Cell::new(entry.count(name)).sorted(entry.counts.get(name).copied()));
        add(may_leave(Leaves::Counts, number(format::counted_name(name))), count);
    }
    all
}

fn factors(value: f64, interval: Interval) -> String {
    let (low, high) = format::factor_bounds(value, interval);
    format!("{low} to {high}")
}

/// Returns the name of a role, empty for a candidate.
pub(crate) fn role_label(role: Role) -> &'static str {
    match role {
        Role::Candidate => "",
        Role::Control => "A/A control",
        Role::Limit => "limit",
    }
}

fn compared(ratio: Option<&Estimate>, case: &CaseView<'_>) -> Cell {
    let Some(ratio) = ratio else { return Cell { tone: Tone::Muted, ..Cell::or_dash(None) } };
    let tone = match Verdict::of(ratio, RESOLUTION) {
        Verdict::Faster => Tone::Better,
        Verdict::Slower => Tone::Worse,
        Verdict::Same | Verdict::Open => Tone::Muted,
    };
    Cell::with(sentences::against(&case.case.measure, ratio, case.floor), tone).sorted(Some(ratio.value))
}

/// Returns the parts of the value of those entries of a case that have several; `None` if no entry has.
pub(crate) fn phases(case: &CaseView<'_>) -> Option<Table> {
    let entries = case.entries.iter().filter(|entry| entry.phases.len() > 1);
    let title = format!("Phases of {}", format::one_line(&case.title));
    parts(title, entries, &case.phases, |entry, name| {
        (entry.phase(&case.case.measure, name), entry.phases.get(name).copied())
    })
}

/// Returns the times before the measured work of those entries of a case that reported them; `None` if no entry did.
pub(crate) fn before(case: &CaseView<'_>) -> Option<Table> {
    let entries = case.entries.iter().filter(|entry| !entry.before.is_empty());
    let title = format!("Before the work of {}", format::one_line(&case.title));
    parts(title, entries, &case.before, |entry, name| {
        (entry.time_before(name), entry.before.get(name).copied())
    })
}

/// Returns a table of parts by name.
fn parts<'a>(
    title: String,
    entries: impl Iterator<Item = &'a EntryView<'a>>,
    names: &[&str],
    part: impl Fn(&EntryView<'a>, &str) -> (String, Option<f64>),
) -> Option<Table> {
    let headings = names.iter().map(|name| number(format::counted_name(name)));
    let row = |entry: &EntryView<'a>| {
        let parts = names.iter().map(|name| {
            let (text, value) = part(entry, name);
            Cell::new(text).sorted(value)
        });
        Row { cells: std::iter::once(Cell::new(&entry.name)).chain(parts).collect(), ..Row::default() }
    };
    let columns = std::iter::once(text("candidate")).chain(headings).collect();
    (!names.is_empty()).then(|| Table { title, columns, rows: entries.map(row).collect() })
}

/// Returns the means over cases; `None` if the record has none, and if it answers questions: an answer is a mean
/// over the cases that the question is about, and two means over different cases would read as two figures of one fact.
pub(crate) fn means(view: &RecordView<'_>) -> Option<Table> {
    let row = |mean: &view::MeanView| {
        let cell = |mean: &Option<MeanRatio>, words: &dyn Fn(&MeanRatio) -> InWords| match mean {
            Some(mean) => Cell::with(words(mean), Tone::Plain).sorted(Some(mean.ratio.value)),
            None => Cell::or_dash(None),
        };
        let against =
            cell(&mean.ratio, &|ratio| sentences::mean_against(ratio, view.floor_of(&Measure::Time)));
        let rate = view.means.has_rates().then(|| cell(&mean.throughput, &sentences::mean_rate));
        Row { cells: [Cell::new(&mean.name), against].into_iter().chain(rate).collect(), ..Row::default() }
    };
    let rate = view.means.has_rates().then(|| text("throughput"));
    let against = format!("against {}", format::one_line(&view.means.baseline));
    let answers = view.answers.iter().any(|(_, answer)| answer.overall.is_some());
    (!view.means.entries.is_empty() && !answers).then(|| Table {
        title: "Table of means".to_string(),
        columns: [text("candidate"), text(against)].into_iter().chain(rate).collect(),
        rows: view.means.entries.iter().map(row).collect(),
    })
}

/// Returns the digests of a case's outputs, each with the entries that have it.
pub(crate) fn digests(case: &CaseView<'_>) -> Vec<(String, Vec<String>)> {
    let digest = |entry: &EntryView<'_>| Some((entry.entry.digest.clone()?, entry.name.clone()));
    view::grouped(case.entries.iter().filter_map(digest))
}
