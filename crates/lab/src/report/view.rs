//! What a report shows of a record, computed once for all kinds of report.

use std::collections::{BTreeMap, BTreeSet};

use super::{format, plot, words};
use crate::question::{self, Answer, ConditionError};
use crate::record::{Cell, FailureKind, Measure, Params, Question, Record, Role, Row, Value};
use crate::stats::{self, Against, Estimate, MeanRatio, Speedup, Verdict};

/// A record with its figures.
pub(super) struct RecordView<'a> {
    pub(super) record: &'a Record,
    pub(super) cells: Vec<CellView<'a>>,
    pub(super) series: Vec<Series>,
    pub(super) floor: Option<f64>,
    /// Means over cells, where the plan has throughputs in several.
    pub(super) means: Means,
    /// Whether the least speeds that the plan claims are kept, in sentences; none where it claims none.
    pub(super) claims: Option<String>,
    pub(super) answers: Vec<(&'a Question, Result<Answer, ConditionError>)>,
}

/// Cells of one workload that compare the same and differ in one number alone, or a single cell.
pub(super) struct Series {
    /// Workload and the parameters that stay.
    pub(super) title: String,
    /// The parameter that changes; none for a single cell.
    pub(super) key: Option<String>,
    /// Indices of cells, by size.
    pub(super) cells: Vec<usize>,
}

/// Means over cells; without rows where the record has none.
#[derive(Default)]
pub(super) struct Means {
    /// What the times are taken against: the baseline of the first timed cell with a throughput.
    pub(super) baseline: String,
    pub(super) rows: Vec<MeanView>,
}

/// A contestant over the cells that it has a result in.
pub(super) struct MeanView {
    /// Its name, with its threads where the record has several numbers of them.
    pub(super) name: String,
    /// Its value over the baseline's, and over how many cells that have this baseline; none for the baseline itself, and
    /// where there is no such cell.
    pub(super) ratio: Option<MeanRatio>,
    /// The bytes that go through in a second, and over how many cells.
    pub(super) throughput: Option<MeanRatio>,
}

/// A cell with its figures.
pub(super) struct CellView<'a> {
    pub(super) cell: &'a Cell,
    /// Workload and parameters.
    pub(super) title: String,
    /// The baseline's name.
    pub(super) baseline: String,
    /// Rows from the best to the worst, or as they stand in the plan where they are steps of a ladder; then those without
    /// a result.
    pub(super) rows: Vec<RowView<'a>>,
    pub(super) floor: Option<f64>,
    pub(super) headline: words::Headline,
    /// Names of what any of its rows counted besides what the cell compares.
    pub(super) counted: BTreeSet<&'a str>,
    /// Names of the parts of any of its rows, where one has several: that which is greatest in the last row first.
    pub(super) phases: Vec<&'a str>,
    /// Names of what any of its rows says of the time before its work: that which is greatest in the last row first.
    pub(super) before: Vec<&'a str>,
}

/// A row with its figures.
pub(super) struct RowView<'a> {
    pub(super) row: &'a Row,
    /// Its place in the record.
    pub(super) index: usize,
    pub(super) is_baseline: bool,
    /// The contestant's name, with its labels where the name alone is not enough.
    pub(super) contestant: String,
    /// The same with its part and, where the cell has several, with its threads.
    pub(super) name: String,
    /// What the cell compares: its time in nanoseconds, or its count.
    pub(super) value: Option<Estimate>,
    /// Its value over the baseline's; none for the baseline itself.
    pub(super) ratio: Option<Estimate>,
    /// Its value over that of the step before it, in a ladder; none for the first.
    pub(super) step: Option<Estimate>,
    pub(super) speedup: Option<Speedup>,
    /// Bytes of the input that go through in a second, where the cell asks for that.
    pub(super) throughput: Option<Estimate>,
    /// Part of the speed of the limit with as many threads.
    pub(super) limit: Option<Estimate>,
    /// What it counted, by name.
    pub(super) counts: BTreeMap<&'a str, f64>,
    /// Parts of its value, by name.
    pub(super) phases: BTreeMap<&'a str, f64>,
    /// What went before its work, by name in nanoseconds.
    pub(super) before: BTreeMap<&'a str, f64>,
}

impl RowView<'_> {
    /// What it said of itself, as `openmp, avx512`.
    pub(super) fn runs_as(&self) -> String {
        let Some(ready) = &self.row.ready else { return String::new() };
        let mut parts = vec![ready.runtime.clone(), ready.backend.clone()];
        if ready.threads != 0 && ready.threads != self.row.threads {
            parts.push(format!("really on {}", format::counted(ready.threads, "thread")));
        }
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    /// What it counted under a name, as `65.2 MiB`; a dash where it did not.
    pub(super) fn count(&self, name: &str) -> String {
        self.counts.get(name).map_or("–".to_string(), |value| format::count(name, *value))
    }

    /// One of its parts with its share of the whole, as `312 (42 %)`; a dash where it has none of that name.
    pub(super) fn phase(&self, measure: &Measure, name: &str) -> String {
        let Some(part) = self.phases.get(name) else { return "–".to_string() };
        let share = self.value.map(|whole| format!(" ({:.0} %)", 100.0 * part / whole.value));
        words::value(measure, *part) + &share.unwrap_or_default()
    }

    /// What it said of the time before its work under a name; a dash where it said nothing.
    pub(super) fn time_before(&self, name: &str) -> String {
        self.before.get(name).map_or("–".to_string(), |ns| format::nanoseconds(*ns))
    }

    /// Why there is no figure, where there is none: `SKIP why`, `FAILED crash: why`.
    pub(super) fn no_result(&self) -> Option<String> {
        match &self.row.failure {
            Some(failure) if failure.kind == FailureKind::Unsupported => {
                Some(format!("SKIP {}", failure.why))
            }
            Some(failure) => Some(format!("FAILED {}: {}", kind(failure.kind), failure.why)),
            None if self.value.is_none() => Some("not measured".to_string()),
            None => None,
        }
    }

    /// Whether it can win.
    pub(super) fn competes(&self) -> bool {
        self.row.role == Role::Contestant && self.value.is_some()
    }
}

/// A kind of failure as records spell it.
pub(super) fn kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Unsupported => "unsupported",
        FailureKind::Crash => "crash",
        FailureKind::Timeout => "timeout",
        FailureKind::Nonsense => "nonsense",
        FailureKind::WrongDigest => "wrong-digest",
    }
}

impl<'a> RecordView<'a> {
    pub(super) fn new(record: &'a Record) -> Self {
        let names = Names::new(record);
        let cells: Vec<CellView<'a>> = record.cells.iter().map(|cell| CellView::new(cell, &names)).collect();
        RecordView {
            record,
            means: means(&cells),
            claims: words::claims(record, &cells),
            cells,
            series: series(record),
            floor: stats::record_noise_floor(record),
            answers: record.questions.iter().map(|q| (q, question::answer(record, q))).collect(),
        }
    }

    /// The cell that speaks for a series: the greatest that has a result.
    pub(super) fn chief<'b>(&'b self, series: &Series) -> Option<&'b CellView<'a>> {
        let measured = |index: &&usize| self.cells[**index].rows.iter().any(RowView::competes);
        let index = series.cells.iter().rev().find(measured).or(series.cells.last())?;
        self.cells.get(*index)
    }
}

impl<'a> CellView<'a> {
    fn new(cell: &'a Cell, names: &Names) -> Self {
        let threads: BTreeSet<usize> = cell.rows.iter().map(|row| row.threads).collect();
        let name = |row: &Row| {
            let mut name = names.of(row);
            if threads.len() > 1 {
                name += &format!(" on {}", format::counted(row.threads, "thread"));
            }
            name + match row.role {
                Role::Contestant => "",
                Role::Control => " (control)",
                Role::Limit => " (limit)",
            }
        };
        let measure = &cell.measure;
        let baseline = cell.rows.get(cell.baseline);
        let limit = |row: &Row| {
            let limit = cell.rows.iter().find(|r| r.role == Role::Limit && r.threads == row.threads)?;
            if row.role == Role::Limit { None } else { stats::ratio(measure, limit, row) }
        };
        let row = |(index, row): (usize, &'a Row)| RowView {
            row,
            index,
            is_baseline: index == cell.baseline,
            contestant: names.of(row),
            name: name(row),
            value: stats::value(measure, row),
            ratio: baseline.filter(|_| index != cell.baseline).and_then(|b| stats::ratio(measure, row, b)),
            step: None,
            speedup: stats::speedup(cell, index, Against::Itself).filter(|_| row.role != Role::Limit),
            throughput: stats::value(measure, row)
                .filter(|_| cell.throughput)
                .map(|time| time.inverse().times(1e9 * cell.input_bytes as f64)),
            limit: limit(row),
            counts: stats::counts(row),
            phases: stats::phases(row),
            before: stats::before(row),
        };
        let mut rows: Vec<RowView<'a>> = cell.rows.iter().enumerate().map(row).collect();
        let order = |row: &RowView<'_>| match row.value {
            None => f64::INFINITY,
            Some(_) if cell.ladder => 0.0,
            Some(value) => value.value,
        };
        rows.sort_by(|a, b| order(a).total_cmp(&order(b)));
        if cell.ladder {
            take_steps(cell, &mut rows);
        }
        let floor = stats::noise_floor(cell);
        let baseline = baseline.map(name).unwrap_or_default();
        let headline = match cell.ladder {
            true => words::climb(cell, &rows),
            false => words::headline(cell, &rows, &baseline, floor),
        };
        let mut counted: BTreeSet<&str> = rows.iter().flat_map(|row| row.counts.keys().copied()).collect();
        if let Measure::Count(name) = measure {
            counted.remove(name.as_str());
        }
        let phases = part_names(&rows, 2, |row| &row.phases);
        let before = part_names(&rows, 1, |row| &row.before);
        let title = title(&cell.workload, &cell.params, None);
        CellView { cell, title, baseline, rows, floor, headline, counted, phases, before }
    }

    /// Thread counts of the rows that have a result, in order.
    pub(super) fn threads(&self) -> BTreeSet<usize> {
        self.rows.iter().filter(|row| row.competes()).map(|row| row.row.threads).collect()
    }

    /// Whether all answers agreed, in a sentence.
    pub(super) fn agreement(&self) -> String {
        let wrong: Vec<String> = self
            .rows
            .iter()
            .filter(|r| r.row.failure.as_ref().is_some_and(|f| f.kind == FailureKind::WrongDigest))
            .map(|r| r.name.clone())
            .collect();
        if !wrong.is_empty() {
            return format!("The answer of {} differs from that of the others.", format::listed(&wrong));
        }
        let good = self.rows.iter().filter(|r| r.row.failure.is_none());
        let digests: Vec<&String> = good.filter_map(|r| r.row.digest.as_ref()).collect();
        let distinct = digests.iter().collect::<BTreeSet<_>>().len();
        match (digests.len(), distinct) {
            (0, _) => "No answers were compared.".to_string(),
            (1, _) => "One answer only: nothing to compare it with.".to_string(),
            (all, 1) => format!("All {all} answers agreed."),
            (all, groups) => format!("{all} answers in {groups} groups; those within a group agreed."),
        }
    }
}

/// The mean of each contestant at each number of threads over the timed cells, in the order in which they come; none
/// where fewer than two cells have a throughput.
///
/// Ratios to different baselines have no common mean, so that of the times leaves out the cells with another baseline
/// than the first cell with a throughput.
fn means(cells: &[CellView<'_>]) -> Means {
    let timed = || cells.iter().filter(|cell| cell.cell.measure.is_time());
    let rated = || timed().filter(|cell| cell.cell.throughput);
    let own = |cell: &'_ CellView<'_>| cell.rows.iter().position(|row| row.is_baseline);
    let Some(baseline) = rated().next().and_then(|cell| cell.rows.get(own(cell)?)) else {
        return Means::default();
    };
    if rated().count() < 2 {
        return Means::default();
    }
    let mut all: Vec<(&str, usize, usize)> = Vec::new();
    for cell in timed() {
        let mut rows: Vec<&RowView<'_>> =
            cell.rows.iter().filter(|row| row.row.role != Role::Limit).collect();
        rows.sort_by_key(|row| row.index);
        for row in rows.iter().filter(|row| row.value.is_some()) {
            let index = all
                .iter()
                .position(|(name, threads, _)| (*name, *threads) == (&row.contestant, row.row.threads));
            match index {
                Some(index) => all[index].2 += 1,
                None => all.push((&row.contestant, row.row.threads, 1)),
            }
        }
    }
    let several = all.iter().any(|(_, threads, _)| *threads != all[0].1);
    let named = |name: &str, threads: usize| match several {
        true => format!("{name} on {}", format::counted(threads, "thread")),
        false => name.to_string(),
    };
    let of = |(name, threads, _): &(&str, usize, usize)| {
        let found = || {
            timed().filter_map(|cell| {
                let mine = |row: &&RowView<'_>| row.contestant == *name && row.row.threads == *threads;
                Some((cell, cell.rows.iter().filter(|row| row.row.role != Role::Limit).find(mine)?))
            })
        };
        let mut pairs: Vec<(&Row, &Row)> = Vec::new();
        for (cell, row) in found().filter(|(_, row)| !row.is_baseline) {
            let other = own(cell).and_then(|index| cell.rows.get(index));
            let same = other.filter(|other| {
                (&other.contestant, other.row.threads) == (&baseline.contestant, baseline.row.threads)
            });
            pairs.extend(same.map(|same| (row.row, same.row)));
        }
        let rates: Vec<(&Row, u64)> = found()
            .filter(|(cell, _)| cell.cell.throughput)
            .map(|(cell, row)| (row.row, cell.cell.input_bytes))
            .collect();
        MeanView {
            name: named(name, *threads),
            ratio: stats::mean_ratio(&Measure::Time, &pairs),
            throughput: stats::mean_throughput(&rates),
        }
    };
    let rows = all.iter().filter(|(_, _, cells)| *cells > 1).map(of);
    Means {
        baseline: named(&baseline.contestant, baseline.row.threads),
        rows: rows.filter(|row| row.ratio.is_some() || row.throughput.is_some()).collect(),
    }
}

/// Compares each contestant with a result with the one before it that has one.
fn take_steps(cell: &Cell, rows: &mut [RowView<'_>]) {
    let mut before: Option<&Row> = None;
    for row in rows.iter_mut().filter(|row| row.competes()) {
        row.step = before.and_then(|before| stats::ratio(&cell.measure, row.row, before));
        before = Some(row.row);
    }
}

/// Names of the parts of rows, where any row has at least so many.
fn part_names<'a>(
    rows: &[RowView<'a>],
    least: usize,
    parts: impl for<'b> Fn(&'b RowView<'a>) -> &'b BTreeMap<&'a str, f64>,
) -> Vec<&'a str> {
    let Some(last) = rows.iter().rev().find(|row| parts(row).len() >= least) else { return Vec::new() };
    let names: BTreeSet<&str> = rows.iter().flat_map(|row| parts(row).keys().copied()).collect();
    let size = |name: &&str| parts(last).get(name).copied().unwrap_or(0.0);
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by(|a, b| size(b).total_cmp(&size(a)));
    names
}

/// A workload with its parameters but one, as `fft-g1, scale 10`.
fn title(workload: &str, params: &Params, without: Option<&str>) -> String {
    let mut title = workload.to_string();
    for (key, value) in params.iter().filter(|(key, _)| Some(key.as_str()) != without) {
        title += &format!(", {}", size(key, value));
    }
    title
}

/// A parameter with its value, as `scale 10` or `16 MiB`.
pub(super) fn size(key: &str, value: &Value) -> String {
    match value {
        Value::Number(n) if key == "bytes" => format::bytes(*n),
        other => format!("{key} {other}"),
    }
}

/// Names of contestants: the name alone where it is enough, else with the labels.
struct Names {
    ambiguous: BTreeSet<String>,
}

impl Names {
    fn new(record: &Record) -> Self {
        let mut labels: BTreeMap<&String, BTreeSet<&BTreeMap<String, String>>> = BTreeMap::new();
        for row in record.cells.iter().flat_map(|cell| &cell.rows) {
            labels.entry(&row.contestant).or_default().insert(&row.labels);
        }
        let ambiguous = labels.into_iter().filter(|(_, all)| all.len() > 1).map(|(name, _)| name.clone());
        Names { ambiguous: ambiguous.collect() }
    }

    fn of(&self, row: &Row) -> String {
        let name = format::one_line(&row.contestant);
        if !self.ambiguous.contains(&row.contestant) || row.labels.is_empty() {
            return name;
        }
        let labels: Vec<String> = row.labels.iter().map(|(k, v)| format!("{k} {v}")).collect();
        format!("{name} ({})", format::one_line(&labels.join(", ")))
    }
}

/// Cells by workload and what they compare, and inside these by all parameters but the one number that takes most values.
fn series(record: &Record) -> Vec<Series> {
    let kind = |cell: &'_ Cell| (cell.workload.clone(), cell.measure.clone(), cell.ladder);
    let mut kinds = Vec::new();
    for cell in &record.cells {
        if !kinds.contains(&kind(cell)) {
            kinds.push(kind(cell));
        }
    }
    let mut all = Vec::new();
    for of in kinds {
        let workload = &of.0;
        let cells: Vec<usize> = (0..record.cells.len()).filter(|i| kind(&record.cells[*i]) == of).collect();
        let key = size_key(record, &cells);
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for index in cells {
            let title = title(workload, &record.cells[index].params, key.as_deref());
            match groups.iter_mut().find(|(known, _)| *known == title) {
                Some((_, group)) => group.push(index),
                None => groups.push((title, vec![index])),
            }
        }
        for (name, mut cells) in groups {
            cells.sort_by_key(|index| key.as_ref().and_then(|key| number(&record.cells[*index], key)));
            let several = cells.len() > 1;
            let name = match cells.first() {
                Some(index) if !several => title(workload, &record.cells[*index].params, None),
                _ => name,
            };
            all.push(Series { title: name, key: key.clone().filter(|_| several), cells });
        }
    }
    all
}

/// The number that a cell has for a parameter.
pub(super) fn number(cell: &Cell, key: &str) -> Option<u64> {
    match cell.params.get(key) {
        Some(Value::Number(n)) => Some(*n),
        _ => None,
    }
}

/// What a size counts: a scale is the logarithm of it. None where it is too large.
pub(super) fn items(key: &str, size: u64) -> Option<u64> {
    if !plot::is_scale(key) {
        return Some(size);
    }
    u32::try_from(size).ok().and_then(|scale| 1u64.checked_shl(scale))
}

/// The parameter that is a number in all of these cells and takes most values, at least two.
fn size_key(record: &Record, cells: &[usize]) -> Option<String> {
    let first = &record.cells.get(*cells.first()?)?.params;
    let values = |key: &String| -> usize {
        let found: Option<BTreeSet<u64>> =
            cells.iter().map(|index| number(&record.cells[*index], key)).collect();
        found.map_or(0, |found| found.len())
    };
    let best = first.keys().rev().max_by_key(|key| values(key))?;
    (values(best) > 1).then(|| best.clone())
}

/// Whether a difference that was found is no greater than what the control shows where there is none.
pub(super) fn within_noise(ratio: &Estimate, floor: Option<f64>) -> bool {
    let found = matches!(Verdict::of(ratio), Verdict::Faster(_) | Verdict::Slower(_));
    found && floor.is_some_and(|floor| (ratio.value.ln()).abs() <= floor.ln_1p())
}
