//! The report of a suite: all benchmarks of two revisions in one table, those that changed first, with verdicts that
//! are corrected for their number.

mod counts;
mod gate;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;

use parcrypt_lab::record::{Case, Entry, Failure, FailureKind, Measure, Record, Suite};
use parcrypt_lab::stats::{
    self, Basis, Estimate, Interval, Judged, MeanRatio, RATE, Verdict, selected_error, verdicts,
};
use parcrypt_lab::suite::REVISION;
use serde::Serialize;
use serde_json::json;
use textwrap::core::display_width;

use self::counts::{Counts, CountsView};
use crate::comparison::Form;
use crate::document::{Block, Span, sentence, strong, title};
use crate::export::{json as results, markdown};
use crate::format;
use crate::sentences::{self, RecordVerdict};
use crate::verdict::{Gate, in_words};
use crate::view::tables::{Cell, Column, Row, Table, Tone, number, text};
use crate::view::{case_title, grouped, kind};
pub use gate::Answer;

/// A suite with its verdicts.
pub(crate) struct SuiteView<'a> {
    record: &'a Record,
    suite: Suite,
    /// Names of the old and the new revision.
    revisions: [String; 2],
    /// Benchmarks that were compared: slower, faster, undecided and unchanged ones, in each group the largest change
    /// first.
    compared: Vec<Benchmark<'a>>,
    /// Benchmarks without a comparison: failed, skipped, in one revision only, not measured.
    others: Vec<Missing>,
    /// Geometric mean of the new over the old times.
    mean: Option<MeanRatio>,
    /// Error of the interval of a benchmark that changed.
    error: f64,
}

/// A benchmark that was compared.
struct Benchmark<'a> {
    name: String,
    case: &'a Case,
    /// Times in ns or counts of the old and the new revision.
    values: [Option<Estimate>; 2],
    judged: Judged,
    /// What an iteration allocates or executes, if that was to be counted.
    counts: Option<Counts>,
}

/// Why a benchmark was not compared, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lost {
    Failed,
    Skipped,
    OnlyOld,
    OnlyNew,
    NotMeasured,
}

/// A benchmark that was not compared.
struct Missing {
    name: String,
    lost: Lost,
    /// The reason, with the revision that failed; may be empty.
    why: String,
}

/// Returns the suite of a record, if it is of one.
pub(crate) fn of(record: &Record) -> Option<SuiteView<'_>> {
    let suite = record.suite?;
    let rows: Vec<_> = record.cases.iter().map(|case| (Basis::from(case), stats::changes(case))).collect();
    let all = verdicts(&rows, suite.asked());
    let changed = |judged: &&Judged| judged.verdict.is_change();
    let (selected, shown) = (all.iter().flatten().filter(changed).count(), all.iter().flatten().count());
    let error = selected_error(selected, shown);
    let revisions = record.cases.iter().find_map(Case::revisions);
    // With several programs, the name of a candidate has its program too.
    let name = |entry: &Entry| format::one_line(entry.labels.get(REVISION).unwrap_or(&entry.candidate));
    let revisions = revisions.map_or(["old".into(), "new".into()], |(old, new)| [name(old), name(new)]);
    let kind = suite.counts.unwrap_or_default();
    let mut compared = Vec::new();
    let mut others = Vec::new();
    for (case, judged) in record.cases.iter().zip(all) {
        match (judged, case.revisions()) {
            (Some(judged), Some((old, new))) => {
                let counts = counts::of(kind, old, new);
                compared.push(Benchmark { counts, ..benchmark(case, [old, new], judged) });
            }
            (_, pair) => others.push(missing(case, pair, &revisions)),
        }
    }
    compared.sort_by(|a, b| a.order().partial_cmp(&b.order()).unwrap_or(std::cmp::Ordering::Equal));
    others.sort_by_key(|one| one.lost);
    Some(SuiteView { record, suite, revisions, compared, others, mean: mean(record), error })
}

/// Returns the numbers of benchmarks that changed and that were compared; `None` if the record is not of a suite.
pub fn changed(record: &Record) -> Option<(usize, usize)> {
    of(record).map(|suite| (suite.changed().count(), suite.compared.len()))
}

/// Returns the answers of a suite to the conditions on the new revision of its benchmarks with which it was measured,
/// each corrected for the number of benchmarks; none if the record is not of a suite.
pub fn answers(record: &Record) -> Vec<Answer> {
    of(record).map_or_else(Vec::new, |suite| suite.answers())
}

/// Returns which benchmarks failed in the new revision only, in a sentence; `None` if there are none.
pub fn broken(record: &Record) -> Option<String> {
    let names: Vec<String> = gate::broken(record).map(|case| format::one_line(&case_title(case))).collect();
    let number = format::counted(names.len(), "benchmark");
    (!names.is_empty()).then(|| format!("{number} failed in the new revision only: {}", gate::listed(names)))
}

fn benchmark<'a>(case: &'a Case, [old, new]: [&Entry; 2], judged: Judged) -> Benchmark<'a> {
    Benchmark {
        name: format::one_line(&case_title(case)),
        case,
        values: [old, new].map(|entry| stats::value(case, entry)),
        judged,
        counts: None,
    }
}

/// Returns why a benchmark was not compared.
fn missing(case: &Case, pair: Option<(&Entry, &Entry)>, revisions: &[String; 2]) -> Missing {
    let failures = pair.map_or([None, None], |(old, new)| [old, new].map(|entry| entry.failure.as_ref()));
    let is_skip = |failure: &Failure| failure.kind == FailureKind::Unsupported;
    let failed = failures.into_iter().zip(revisions).find_map(|(failure, revision)| {
        let failure = failure.filter(|failure| !is_skip(failure))?;
        Some(format!("{} in {revision}: {}", kind(failure.kind), failure.why))
    });
    let mut said = failures.into_iter().flatten().map(|failure| failure.why.trim());
    let why = said.find(|why| !why.is_empty()).unwrap_or_default().to_owned();
    let (lost, why) = match (failed, failures) {
        (Some(why), _) => (Lost::Failed, why),
        (None, [Some(_), Some(_)]) => (Lost::Skipped, why),
        (None, [None, Some(_)]) => (Lost::OnlyOld, why),
        (None, [Some(_), None]) => (Lost::OnlyNew, why),
        (None, [None, None]) => (Lost::NotMeasured, "the run ended before: give it more time".to_owned()),
    };
    let why = format::one_line(why.trim_end_matches('.'));
    Missing { name: format::one_line(&case_title(case)), lost, why }
}

/// Returns the geometric mean over the benchmarks that compare the same quantity as the first.
fn mean(record: &Record) -> Option<MeanRatio> {
    let first = record.cases.iter().find(|case| case.entries.iter().all(|entry| entry.failure.is_none()))?;
    let alike = record.cases.iter().filter(|case| case.measure == first.measure);
    let pairs = alike.filter_map(|case| case.revisions().map(|(old, new)| (new, old)));
    stats::mean_ratio(first, &pairs.collect::<Vec<_>>())
}

impl Benchmark<'_> {
    fn measure(&self) -> &Measure {
        &self.case.measure
    }

    fn has_changed(&self) -> bool {
        self.judged.verdict.is_change()
    }

    /// Returns the number of rounds that both revisions have.
    fn rounds(&self) -> usize {
        self.case.revisions().map_or(0, |(old, new)| old.rounds_done().min(new.rounds_done()))
    }

    /// Returns the number of rounds from which on there is an interval.
    fn rounds_for_interval(&self) -> usize {
        stats::design(self.case).rounds_for_interval()
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

    /// Returns the verdict in a word, which is its name in JSON too.
    fn word(&self) -> &'static str {
        match self.order().0 {
            0 if self.measure().is_time() => "slower",
            0 => "more",
            1 if self.measure().is_time() => "faster",
            1 => "fewer",
            2 => "undecided",
            _ => "unchanged",
        }
    }

    fn row(&self, width: Option<usize>) -> Row {
        let tone = match self.order().0 {
            0 => Tone::Worse,
            1 => Tone::Better,
            2 => Tone::Plain,
            _ => Tone::Muted,
        };
        let value = |of: Option<Estimate>| Cell {
            value: of.map(|of| of.value),
            ..Cell::new(of.map_or("–".to_owned(), |of| sentences::value(self.measure(), of.value)))
        };
        let varying = |of: Interval| Some(of).filter(|of| of.low < of.high);
        let change = match self.judged.ratio.interval {
            // Of so few rounds the estimate is no finding.
            None => {
                let bounds = format!("{} of {} rounds", self.rounds(), self.rounds_for_interval());
                Cell { bounds, ..Cell::new("–") }
            }
            Some(of) => {
                let (change, bounds) = format::signed_percents(self.judged.ratio.value, varying(of));
                Cell { bounds, value: Some(self.judged.ratio.value), ..Cell::new(change) }
            }
        };
        let name = width.map_or(self.name.clone(), |width| shortened(&self.name, width));
        let [old, new] = self.values.map(value);
        let cells = vec![Cell::new(name), old, new, change, Cell { tone, ..Cell::new(self.word()) }];
        Row { cells, ..Row::default() }
    }
}

impl Lost {
    /// Returns what became of a benchmark, in words that begin a line.
    fn words(self, [old, new]: &[String; 2]) -> String {
        match self {
            Lost::Failed => "Failed".to_owned(),
            Lost::Skipped => "Skipped".to_owned(),
            Lost::OnlyOld => format!("Only in {old}"),
            Lost::OnlyNew => format!("Only in {new}"),
            Lost::NotMeasured => "Not measured".to_owned(),
        }
    }

    /// Returns the name in JSON.
    fn name(self) -> &'static str {
        match self {
            Lost::Failed => "failed",
            Lost::Skipped => "skipped",
            Lost::OnlyOld => "only-in-old",
            Lost::OnlyNew => "only-in-new",
            Lost::NotMeasured => "not-measured",
        }
    }
}

impl SuiteView<'_> {
    fn changed(&self) -> impl Iterator<Item = &Benchmark<'_>> {
        self.compared.iter().filter(|one| one.has_changed())
    }

    /// Returns how many benchmarks changed, in which direction, and what the others are.
    pub(crate) fn verdict(&self) -> RecordVerdict {
        let (all, changed) = (self.compared.len(), self.changed().count());
        let answer = match (all, changed) {
            (0, _) => "No benchmark was compared".to_owned(),
            (all, 0) => format!("No change found in {}", format::counted(all, "benchmark")),
            (all, changed) => {
                let counts = self.counts(self.changed());
                format!("{changed} of {} changed: {counts}", format::counted(all, "benchmark"))
            }
        };
        let rest = self.counts(self.compared.iter().filter(|one| !one.has_changed()));
        let few: Vec<&Benchmark<'_>> =
            self.compared.iter().filter(|one| one.judged.ratio.interval.is_none()).collect();
        let too_few = match few.iter().map(|one| one.rounds_for_interval()).max() {
            None => String::new(),
            Some(rounds) => format!(
                "{} without an interval, which needs {rounds} rounds: give more time with --for",
                few.len()
            ),
        };
        let after: String =
            [rest, too_few].iter().filter(|part| !part.is_empty()).map(|part| format!("; {part}")).collect();
        let after = after + ".";
        RecordVerdict { about: sentences::About::Means, before: String::new(), answer, after }
    }

    /// Returns the number of benchmarks with each verdict, such as `2 slower, 1 faster`.
    fn counts<'b>(&self, benchmarks: impl Iterator<Item = &'b Benchmark<'b>>) -> String {
        let count = |(word, all): (&str, Vec<()>)| match word {
            "unchanged" => format!("{} unchanged (within {})", all.len(), percent(self.suite.threshold)),
            _ => format!("{} {word}", all.len()),
        };
        let groups = grouped(benchmarks.map(|one| (one.word(), ())));
        groups.into_iter().map(count).collect::<Vec<_>>().join(", ")
    }

    /// Returns the names of the old and the new revision.
    pub(crate) fn revisions(&self) -> &[String; 2] {
        &self.revisions
    }

    /// Returns the part by which times may differ in a benchmark that is unchanged.
    pub(crate) fn threshold(&self) -> f64 {
        self.suite.threshold
    }

    /// Returns the benchmarks that changed, with new over old, the largest change first.
    pub(crate) fn changes(&self) -> Vec<(&str, Estimate)> {
        let mut changes: Vec<&Benchmark<'_>> = self.changed().collect();
        changes.sort_by(|a, b| a.order().1.total_cmp(&b.order().1));
        changes.into_iter().map(|one| (one.name.as_str(), one.judged.ratio)).collect()
    }

    /// Returns what the inverse of a ratio is, such as `times as fast as main`.
    pub(crate) fn axis(&self) -> String {
        let measure = self.compared.first().map_or(&Measure::Time, |one| one.measure());
        format!("{} {}", sentences::times_as(measure), self.revisions[0])
    }

    /// Returns the geometric mean of all changes, in a sentence.
    pub(crate) fn mean(&self) -> Option<String> {
        let MeanRatio { ratio, pairs } = self.mean?;
        let (interval, [old, new]) = (ratio.interval?, &self.revisions);
        let measure = self.compared.first()?.measure();
        let said = in_words(measure, new, old, &ratio, interval);
        Some(format!("Geometric mean over {}: {said}.", format::counted(pairs, "benchmark")))
    }

    /// Returns how the verdicts are corrected, in sentences; `None` if nothing was compared.
    pub(crate) fn correction(&self) -> Option<String> {
        let all = self.compared.len();
        let rate = percent(RATE);
        let meaning = format!(
            "at most {rate} of the changes found are wrong on average, and in at most {rate} of suites without a \
             change one is found (Benjamini-Hochberg)"
        );
        let own = match self.changed().next() {
            Some(_) => format!(
                " Intervals of what changed are at {}, as they were selected for their change; the others are at {}.",
                confidence(self.error),
                sentences::confidence()
            ),
            None => format!(" Intervals are at {}.", sentences::confidence()),
        };
        let by_itself = |one: &&Benchmark<'_>| {
            one.judged.ratio.interval.is_some_and(|interval| !interval.holds(1.0)) && !one.has_changed()
        };
        let more = if self.changed().next().is_some() { " more" } else { "" };
        let waiting = match self.compared.iter().filter(by_itself).count() {
            0 => String::new(),
            1 => format!(
                " One{more} would be called changed if it had been compared alone: more time decides."
            ),
            some => format!(
                " {some}{more} would be called changed if each had been compared alone: more time decides."
            ),
        };
        let number = format::counted(all, "benchmark");
        (all > 0).then(|| format!("Verdicts are corrected for {number}: {meaning}.{own}{waiting}"))
    }

    /// Returns the table of some benchmarks, with names that are shortened so that it has at most this width.
    fn table(&self, benchmarks: &[&Benchmark<'_>], width: Option<usize>) -> Table {
        let mut columns = vec![text("benchmark")];
        let names = if width.is_some() {
            headings(&self.revisions)
        } else {
            self.revisions.each_ref().map(|name| format!("in {name}"))
        };
        columns.extend(names.into_iter().map(number));
        columns.extend([number("change in %"), text("verdict")]);
        let rows = |width| benchmarks.iter().map(|one| one.row(width)).collect::<Vec<Row>>();
        let left = width.map(|width| left(&columns, &rows(None), width));
        Table { title: "Benchmarks".to_owned(), rows: rows(left), columns }
    }

    /// Returns the table of all benchmarks that were compared.
    pub(crate) fn whole_table(&self) -> Table {
        self.table(&self.compared.iter().collect::<Vec<_>>(), None)
    }

    /// Returns a line for each reason why benchmarks were not compared.
    pub(crate) fn others(&self) -> Vec<String> {
        let groups = grouped(self.others.iter().map(|one| ((one.lost, &one.why), one.name.as_str())));
        let line = |((lost, why), names): ((Lost, &String), Vec<&str>)| {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            format!("{}{why}: {}", lost.words(&self.revisions), names.join(", "))
        };
        groups.into_iter().map(line).collect()
    }

    /// Returns the sentences above the table.
    fn head(&self) -> Vec<Block> {
        let RecordVerdict { answer, after, .. } = self.verdict();
        let partial = sentences::partial(self.record);
        let mut blocks: Vec<Block> = partial.map(|partial| strong(partial, "")).into_iter().collect();
        let mean = self.mean().map_or(String::new(), |mean| format!(" {mean}"));
        blocks.push(Block::Paragraph(vec![Span::Strong(answer), Span::Plain(after + &mean)]));
        blocks.extend(sentences::busy(self.record).map(|busy| strong(busy, "")));
        blocks
    }

    /// Returns the answers to the conditions with which the suite was measured: on times, then on counts.
    pub(crate) fn answers(&self) -> Vec<Answer> {
        let on_times = self.suite.gate.map(Gate::on_times);
        let on_counts = self.suite.counts_gate.map(Gate::on_counts);
        on_times.into_iter().chain(on_counts).map(|condition| self.answer(condition)).collect()
    }

    /// Returns the report for a terminal of this width.
    pub(crate) fn on_screen(&self, width: Option<u16>) -> Vec<Block> {
        let mut blocks = vec![Block::Heading(2, title(self.record))];
        blocks.extend(self.head());
        if !self.compared.is_empty() {
            let all: Vec<&Benchmark<'_>> = self.compared.iter().collect();
            blocks.push(Block::Table(self.table(&all, width.map(usize::from))));
        }
        let others = self.others();
        blocks.extend((!others.is_empty()).then_some(Block::List(others)));
        blocks.extend(self.correction().map(sentence));
        blocks.extend(self.of_iterations(width.map(usize::from)).into_iter().flat_map(CountsView::blocks));
        blocks
    }

    /// Returns the report in which everything but what changed is folded, as for a comment on a pull request.
    pub(crate) fn folded(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Heading(3, title(self.record))];
        blocks.extend(self.answers().iter().map(|answer| strong(answer.to_string(), "")));
        blocks.extend(self.head());
        let (changed, rest): (Vec<&Benchmark<'_>>, Vec<_>) =
            self.compared.iter().partition(|one| one.has_changed());
        if !changed.is_empty() {
            blocks.push(Block::Table(self.table(&changed, None)));
        }
        if !rest.is_empty() {
            let summary = self.counts(rest.iter().copied());
            blocks.push(Block::Details(summary, vec![Block::Table(self.table(&rest, None))]));
        }
        let others = self.others();
        if !others.is_empty() {
            let summary = format!("{} not compared", format::counted(self.others.len(), "benchmark"));
            blocks.push(Block::Details(summary, vec![Block::List(others)]));
        }
        blocks.extend(self.correction().map(sentence));
        blocks.extend(self.of_iterations(None).into_iter().flat_map(CountsView::blocks));
        blocks
    }

    /// Returns the report in a form of verdicts.
    pub(crate) fn verdicts(&self, form: Form) -> Result<String, serde_json::Error> {
        Ok(match form {
            Form::Terminal(screen) => screen.document(&self.on_screen(screen.width)),
            Form::Markdown(_) => markdown::document(&self.folded()),
            Form::Json(_) => {
                let answers: Vec<_> = self.answers().iter().map(Answer::result).collect();
                let all = json!({ "schema": 1, "suite": self.results(), "fail_if": answers });
                serde_json::to_string_pretty(&all)? + "\n"
            }
        })
    }

    /// Returns the results for JSON.
    pub(crate) fn results(&self) -> Results {
        let kind = self.suite.counts.unwrap_or_default().name();
        let compared = |one: &Benchmark<'_>| BenchmarkResult {
            benchmark: one.name.clone(),
            verdict: one.word(),
            old: one.values[0].map(results::Value::from),
            new: one.values[1].map(results::Value::from),
            ratio: Some(one.judged.ratio.into()),
            p: Some(one.judged.look.p),
            adjusted_p: Some(one.judged.adjusted),
            counts: one.counts.as_ref().map(|counts| (kind, counts::result(counts))).into_iter().collect(),
            why: None,
        };
        let missing = |one: &Missing| BenchmarkResult {
            benchmark: one.name.clone(),
            verdict: one.lost.name(),
            why: Some(one.why.clone()).filter(|why| !why.is_empty()),
            ..BenchmarkResult::default()
        };
        let [old, new] = self.revisions.clone();
        Results {
            old,
            new,
            rate: rounded(RATE),
            threshold: self.suite.threshold,
            compared: self.compared.len(),
            changed: self.changed().count(),
            changed_confidence: rounded(1.0 - self.error),
            mean: self.mean.map(|mean| mean.ratio.into()),
            benchmarks: self.compared.iter().map(compared).chain(self.others.iter().map(missing)).collect(),
        }
    }
}

/// Columns of a terminal between two columns of a table, and at its sides together.
const GAP: usize = 3;
const SIDES: usize = 2;
/// Width of the name of a revision above a column, and the least width of the name of a benchmark.
const HEADING: usize = 9;
const LEAST_NAME: usize = 12;

/// Returns the width that is left for the first column of a table of this width.
fn left(columns: &[Column], rows: &[Row], width: usize) -> usize {
    let cells = |at: usize| rows.iter().map(move |row| &row.cells[at]);
    let widest =
        |at: usize| cells(at).map(|cell| display_width(&(cell.text.clone() + &markdown::tail(cell))));
    let column = |at: usize| widest(at).max().unwrap_or(0).max(display_width(&columns[at].heading)) + GAP;
    width.saturating_sub((1..columns.len()).map(column).sum::<usize>() + SIDES).max(LEAST_NAME)
}

/// Returns short names of two revisions, without the commits in brackets if they differ without them.
fn headings(revisions: &[String; 2]) -> [String; 2] {
    let before_commit =
        revisions.each_ref().map(|name| name.split_once(" (").map_or(&**name, |(name, _)| name));
    let [old, new] = before_commit.map(|name| shortened(name, HEADING));
    if old == new { revisions.each_ref().map(|name| shortened(name, HEADING)) } else { [old, new] }
}

/// Returns a text of at most `width` columns, without its middle if it is longer.
fn shortened(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let fitting = |chars: &mut dyn Iterator<Item = char>, most: usize| {
        let mut used = 0;
        let within = chars.take_while(|c| {
            used += display_width(c.encode_utf8(&mut [0; 4]));
            used <= most
        });
        within.collect::<String>()
    };
    let half = width.saturating_sub(1) / 2;
    // The end tells the parameters of a benchmark apart.
    let end: String = fitting(&mut text.chars().rev(), half).chars().rev().collect();
    let start = fitting(&mut text.chars(), width.saturating_sub(1 + display_width(&end)));
    format!("{start}…{end}")
}

/// Returns a number without the digits of a rounding error.
fn rounded(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

/// Returns a fraction of one that was chosen, in percent with the digits that it has, such as `1 %` or `0.5 %`.
fn percent(part: f64) -> String {
    format!("{} %", rounded(100.0 * part))
}

/// Returns the confidence of intervals with this error, such as `99.97 %`.
fn confidence(error: f64) -> String {
    let decimals = (-(100.0 * error).log10()).ceil().clamp(0.0, 9.0) as usize;
    format!("{:.decimals$} %", 100.0 * (1.0 - error))
}

/// Results of a suite in JSON.
#[derive(Serialize)]
pub(crate) struct Results {
    /// Names of the revisions.
    old: String,
    new: String,
    /// Part of the changes found that may be wrong.
    rate: f64,
    threshold: f64,
    compared: usize,
    changed: usize,
    /// Confidence of the intervals of benchmarks that changed.
    changed_confidence: f64,
    /// Geometric mean of new over old.
    mean: Option<results::Value>,
    benchmarks: Vec<BenchmarkResult>,
}

/// Result of a benchmark in JSON.
#[derive(Default, Serialize)]
struct BenchmarkResult {
    benchmark: String,
    verdict: &'static str,
    old: Option<results::Value>,
    new: Option<results::Value>,
    ratio: Option<results::Value>,
    p: Option<f64>,
    adjusted_p: Option<f64>,
    /// What was counted, under its name.
    #[serde(flatten)]
    counts: BTreeMap<&'static str, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}
