//! Tables of a record, for every format: columns, and cells with their intervals and notes.

use std::collections::BTreeMap;

use parcrypt_lab::question::Claim;
use parcrypt_lab::record::{FailureKind, Measure, Role};
use parcrypt_lab::stats::{Estimate, Interval, MeanRatio, Verdict};

use super::{CaseView, EntryView, Function, RecordView};
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
    /// Set where a narrow terminal may leave the column out.
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
    /// Address of the text's link.
    pub(crate) link: Option<String>,
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
    let shown = Shown {
        scaling: case.threads().len() > 1,
        // The start of a shell is no limit of what it runs.
        limit: !case.case.is_of_commands() && case.entries.iter().any(|entry| entry.limit.is_some()),
        runs_as: case.entries.iter().any(|entry| !entry.runs_as().is_empty()),
        // How many threads a command starts is not known.
        threads: !case.case.is_of_commands(),
    };
    let may_leave = |leaves: Leaves, column: Column| Column { leaves: Some(leaves), ..column };
    let mut columns = vec![text("candidate")];
    if shown.threads {
        columns.push(number("threads"));
    }
    columns.push(number(sentences::column(&case.case.measure)));
    columns.push(text(format!("against {}", format::one_line(&case.baseline))));
    if case.case.steps {
        columns.push(text("against the step before"));
    }
    if case.case.throughput {
        columns.push(number("throughput"));
    }
    if shown.scaling {
        columns.push(may_leave(Leaves::SpeedUp, number("speed-up")));
        columns.push(may_leave(Leaves::SpeedUp, number("efficiency")));
    }
    if shown.limit {
        columns.push(may_leave(Leaves::Limit, number("of the limit")));
    }
    columns.extend(
        case.counted.iter().map(|name| may_leave(Leaves::Counts, number(format::counted_name(name)))),
    );
    if shown.runs_as {
        columns.push(may_leave(Leaves::RunsAs, text("runs as")));
    }
    Table {
        title: format!("Table of {}", format::one_line(&case.title)),
        rows: case.entries.iter().map(|entry| row(entry, case, &shown, columns.len())).collect(),
        columns,
    }
}

/// Columns that only some cases have.
struct Shown {
    scaling: bool,
    limit: bool,
    runs_as: bool,
    threads: bool,
}

fn row(entry: &EntryView<'_>, case: &CaseView<'_>, shown: &Shown, columns: usize) -> Row {
    let name = Cell {
        tag: role_label(entry.entry.role),
        small: format::one_line(&entry.entry.about),
        ..Cell::new(&entry.candidate)
    };
    let runs_as = shown.runs_as.then(|| Cell::new(format::one_line(&entry.runs_as())));
    let mut cells = vec![name];
    cells.extend(shown.threads.then(|| Cell::new(entry.entry.threads.to_string())));
    let why = entry.no_result();
    match &why {
        Some(why) => {
            let failed = entry.entry.failure.as_ref().is_some_and(|f| f.kind != FailureKind::Unsupported);
            let tone = if failed { Tone::Failed } else { Tone::Muted };
            let columns = columns - cells.len() - usize::from(shown.runs_as);
            cells.push(Cell { tone, columns, ..Cell::new(format::one_line(why)) });
        }
        None => figures(entry, case, shown, &mut cells),
    }
    cells.extend(runs_as);
    Row { cells, is_baseline: entry.is_baseline, without_result: why.is_some() }
}

/// Adds the figures of an entry with a result.
fn figures(entry: &EntryView<'_>, case: &CaseView<'_>, shown: &Shown, cells: &mut Vec<Cell>) {
    let measure = &case.case.measure;
    let interval = entry.value.filter(|_| measure.is_time()).and_then(|value| value.interval);
    cells.push(
        Cell::or_dash(entry.value.map(|v| sentences::value(measure, v.value)))
            .sorted(entry.value.map(|v| v.value))
            .small(interval.map(format::time_interval)),
    );
    cells.push(match entry.ratio {
        _ if entry.is_baseline => Cell { tone: Tone::Muted, ..Cell::new("baseline") }.sorted(Some(1.0)),
        ratio => compared(ratio.as_ref(), case),
    });
    if case.case.steps {
        cells.push(compared(entry.step.as_ref(), case));
    }
    if case.case.throughput {
        let interval =
            entry.throughput.and_then(|rate| Some(format::rate_interval(rate.value, rate.interval?)));
        cells.push(
            Cell::or_dash(entry.throughput.map(|rate| format::rate(rate.value)))
                .sorted(entry.throughput.map(|rate| rate.value))
                .small(interval),
        );
    }
    if shown.scaling {
        let speedup = entry.speedup.as_ref();
        let times = speedup.and_then(|s| Some(factors(s.times.value, s.times.interval?)));
        let efficiency = speedup.and_then(|s| s.efficiency.interval.map(format::share_interval));
        let mark = if entry.is_superlinear { " !" } else { "" };
        cells.push(
            Cell::or_dash(speedup.map(|s| format::factor(s.times.value)))
                .sorted(speedup.map(|s| s.times.value))
                .small(times),
        );
        cells.push(
            Cell::or_dash(speedup.map(|s| format::share(&s.efficiency) + mark))
                .sorted(speedup.map(|s| s.efficiency.value))
                .small(efficiency),
        );
    }
    if shown.limit {
        let bounds = |i: Interval| format!("[{:.1}, {:.1}]", 100.0 * i.low, 100.0 * i.high);
        let bounds = entry.limit.and_then(|share| share.interval).map(bounds).unwrap_or_default();
        let share = Cell::or_dash(entry.limit.as_ref().map(format::share));
        cells.push(Cell { bounds, ..share.sorted(entry.limit.map(|share| share.value)) });
    }
    let count = |name: &&str| Cell::new(entry.count(name)).sorted(entry.counts.get(name).copied());
    cells.extend(case.counted.iter().map(count));
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
    let tone = match Verdict::of(ratio) {
        Verdict::Faster(_) => Tone::Better,
        Verdict::Slower(_) => Tone::Worse,
        Verdict::NoDifference | Verdict::CannotTell | Verdict::TooFewRounds => Tone::Muted,
    };
    Cell::with(sentences::against(&case.case.measure, ratio, case.floor), tone).sorted(Some(ratio.value))
}

/// Returns the parts of the value of those entries of a case that have several; `None` where no entry has.
pub(crate) fn phases(case: &CaseView<'_>) -> Option<Table> {
    let entries = case.entries.iter().filter(|entry| entry.phases.len() > 1);
    let title = format!("Phases of {}", format::one_line(&case.title));
    parts(title, entries, &case.phases, |entry, name| {
        (entry.phase(&case.case.measure, name), entry.phases.get(name).copied())
    })
}

/// Returns the times before the measured work of those entries of a case that reported them; `None` where no entry did.
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

/// Returns the claims of the plan with these verdicts, in their order: of entries against their baselines, and of
/// questions. `None` where there are none.
pub(crate) fn claims(view: &RecordView<'_>, verdicts: &[Claim]) -> Option<Table> {
    let mut rows = Vec::new();
    for &verdict in verdicts {
        let tone = match verdict {
            Claim::Kept => Tone::Better,
            Claim::Broken => Tone::Worse,
            Claim::Open | Claim::TooFewRounds => Tone::Muted,
        };
        let row = |of: &str, who: &str, claimed: String, measured: Option<(InWords, Estimate)>| {
            let verdict = Cell { tone, ..Cell::new(sentences::verdict(verdict)) };
            let measured = measured.map_or(Cell::or_dash(None), |(words, ratio)| {
                Cell::with(words, Tone::Plain).sorted(Some(ratio.value))
            });
            let [of, who] = [of, who].map(|text| Cell::new(format::one_line(text)));
            Row { cells: vec![of, who, Cell::new(claimed), measured, verdict], ..Row::default() }
        };
        let entries = match verdict {
            Claim::Kept => &view.claims.kept,
            Claim::Broken => &view.claims.broken,
            Claim::Open => &view.claims.open,
            Claim::TooFewRounds => &view.claims.without_interval,
        };
        for (c, e) in entries {
            let case = &view.cases[*c];
            let entry = case.entries.iter().find(|entry| entry.index == *e);
            let (Some(entry), Some(least)) = (entry, case.case.least_speed) else { continue };
            // A plan claims a speed, and the speed is what is beside it.
            let measured = entry.ratio.map(|ratio| (sentences::speed(&ratio, case.floor), ratio));
            let claimed = format!("at least {least}× {}", format::one_line(&case.baseline));
            rows.push(row(&case.title, &entry.name, claimed, measured));
        }
        for (question, answer) in &view.answers {
            let Ok(answer) = answer else { continue };
            let Some(most) = question.at_most.filter(|_| answer.claim(question) == Some(verdict)) else {
                continue;
            };
            let measured = answer.overall.as_ref().map(|mean| {
                let floor = view.floor_of(&answer.measure);
                (sentences::change(&answer.measure, &mean.ratio, floor).in_words(), mean.ratio)
            });
            let claimed = sentences::bound(&answer.measure, most);
            rows.push(row(&question.ask, &sentences::sides(question), claimed, measured));
        }
    }
    (!rows.is_empty()).then(|| Table {
        title: "Table of claims".to_string(),
        columns: ["case or question", "candidate", "claimed", "measured", "verdict"]
            .map(text)
            .into_iter()
            .collect(),
        rows,
    })
}

/// Returns the means over cases; `None` where the record has none, and where it answers questions: an answer is a mean
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
    let answers = view.answers.iter().any(|(_, answer)| answer.as_ref().is_ok_and(|of| of.overall.is_some()));
    (!view.means.entries.is_empty() && !answers).then(|| Table {
        title: "Table of means".to_string(),
        columns: [text("candidate"), text(against)].into_iter().chain(rate).collect(),
        rows: view.means.entries.iter().map(row).collect(),
    })
}

/// Returns the places of the entries under the roofline of their case; `None` where none has one.
pub(crate) fn roofline(case: &CaseView<'_>) -> Option<Table> {
    let row = |entry: &EntryView<'_>| {
        let place = entry.roof.as_ref()?;
        let share = Cell {
            bounds: place.share.interval.map(format::share_interval).unwrap_or_default(),
            ..Cell::new(format::share(&place.share)).sorted(Some(place.share.value))
        };
        let above = if place.is_above() { sentences::ABOVE_THE_ROOF } else { "" };
        let cells = vec![
            Cell::new(&entry.name),
            Cell::new(format::digits(place.intensity, 3)).sorted(Some(place.intensity)),
            Cell::new(format::operations(place.rate.value)).sorted(Some(place.rate.value)),
            Cell::new(place.bound.name()),
            share,
            Cell { tone: Tone::Worse, ..Cell::new(above) },
        ];
        Some(Row { cells, is_baseline: entry.is_baseline, ..Row::default() })
    };
    let mut rows: Vec<Row> = case.entries.iter().filter_map(row).collect();
    let mut columns = vec![
        text("candidate"),
        number("operations per byte"),
        number("operations/s"),
        text("bound by"),
        number("of the roof"),
        text("note"),
    ];
    if rows.iter().all(|row| row.cells.last().is_some_and(|note| note.text.is_empty())) {
        columns.pop();
        rows.iter_mut().for_each(|row| drop(row.cells.pop()));
    }
    let title = format!("Roofline of {}", format::one_line(&case.title));
    (!rows.is_empty()).then_some(Table { title, columns, rows })
}

/// Number of functions in the table of a profile, and the least share of the samples that one of them has.
const FUNCTIONS: usize = 12;
const LEAST_SHARE: f64 = 0.005;

/// Returns the functions of an entry's profile with the shares of its samples: those in the function itself, and those
/// in it and what it calls. `None` where the entry has no profile.
pub(crate) fn functions(entry: &EntryView<'_>) -> Option<Table> {
    let functions = entry.functions();
    let share = |part: f64| Cell::new(format!("{:.1} %", 100.0 * part)).sorted(Some(part));
    let row = |function: &Function<'_>| Row {
        cells: vec![
            Cell::new(format::one_line(function.name)),
            share(function.itself),
            share(function.with_calls),
        ],
        ..Row::default()
    };
    let seen = functions.iter().take(FUNCTIONS).filter(|function| function.itself >= LEAST_SHARE);
    (!functions.is_empty()).then(|| Table {
        title: format!("Functions of {}", format::one_line(&entry.name)),
        columns: vec![text("function"), number("itself"), number("with what it calls")],
        rows: seen.map(row).collect(),
    })
}

/// Returns the digests of a case's outputs, each with the entries that have it.
pub(crate) fn digests(case: &CaseView<'_>) -> Vec<(String, Vec<String>)> {
    let mut found: BTreeMap<usize, (String, Vec<String>)> = BTreeMap::new();
    for entry in &case.entries {
        let Some(digest) = &entry.entry.digest else { continue };
        let place = found.values().position(|(known, _)| known == digest).unwrap_or(found.len());
        let with = found.entry(place).or_insert_with(|| (digest.clone(), Vec::new()));
        with.1.push(entry.name.clone());
    }
    found.into_values().collect()
}
