//! View of a record: all values that reports show, computed once for every format.

pub(crate) mod tables;

use std::collections::{BTreeMap, BTreeSet};

use crate::{format, sentences};
use parcrypt_lab::command;
use parcrypt_lab::question::{self, Answer};
use parcrypt_lab::record::{
    Case, Entry, Failure, FailureKind, Measure, Params, Question, Record, Role, Value,
};
use parcrypt_lab::stats::{self, Estimate, MeanRatio, RESOLUTION, Speedup, Verdict};

/// A record with its values.
pub(crate) struct RecordView<'a> {
    pub(crate) record: &'a Record,
    pub(crate) cases: Vec<CaseView<'a>>,
    pub(crate) series: Vec<Series>,
    pub(crate) floor: Option<f64>,
    /// Means over cases, if the plan has throughputs in several.
    pub(crate) means: Means,
    pub(crate) answers: Vec<(&'a Question, Answer)>,
}

/// Cases of one workload that compare the same quantity and differ in one number only, or a single case.
pub(crate) struct Series {
    /// Workload and the parameters that do not vary.
    pub(crate) title: String,
    /// Parameter that varies; `None` for a single case.
    pub(crate) key: Option<String>,
    /// Indices of cases, by size.
    pub(crate) cases: Vec<usize>,
}

/// Means over cases; without entries if the record has none.
#[derive(Default)]
pub(crate) struct Means {
    /// Name of the common baseline: the baseline of the first timed case.
    pub(crate) baseline: String,
    pub(crate) entries: Vec<MeanView>,
}

impl Means {
    /// Returns whether any candidate has a mean throughput.
    pub(crate) fn has_rates(&self) -> bool {
        self.entries.iter().any(|entry| entry.throughput.is_some())
    }
}

/// Means of a candidate over the cases in which it has a result.
pub(crate) struct MeanView {
    /// Name, with its threads if the record has several numbers of them.
    pub(crate) name: String,
    /// Value over the baseline's, with the number of cases that have this baseline; `None` for the baseline itself, and
    /// if there is no such case.
    pub(crate) ratio: Option<MeanRatio>,
    /// Throughput in bytes per second, and the number of its cases.
    pub(crate) throughput: Option<MeanRatio>,
}

/// A case with its values.
pub(crate) struct CaseView<'a> {
    pub(crate) case: &'a Case,
    /// Workload and parameters.
    pub(crate) title: String,
    /// The baseline's name.
    pub(crate) baseline: String,
    /// From the best to the worst, or in the order of the plan if they are steps; then entries without a result.
    pub(crate) entries: Vec<EntryView<'a>>,
    pub(crate) floor: Option<f64>,
    pub(crate) headline: sentences::Headline,
    /// Names of the counts of any entry, besides the quantity that the case compares.
    pub(crate) counted: BTreeSet<&'a str>,
    /// Names of the parts of any entry, if one has several, in descending order of the last entry's.
    pub(crate) phases: Vec<&'a str>,
    /// Names of the times before the measured work of any entry, in descending order of the last entry's.
    pub(crate) before: Vec<&'a str>,
}

/// What the comparison of the outputs of a case found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outputs {
    /// Names of the entries whose output differs from the others'.
    Wrong(Vec<String>),
    /// They were not compared, because nothing asked for that.
    NotAsked,
    /// This number of outputs, each of another kind of work, as of limits, so that no two were compared.
    Apart(usize),
    /// All outputs of the same kind of work agreed: their number, and the number of kinds.
    Agreed { all: usize, groups: usize },
}

/// An entry with its values.
pub(crate) struct EntryView<'a> {
    pub(crate) entry: &'a Entry,
    /// Index in the record.
    pub(crate) index: usize,
    pub(crate) is_baseline: bool,
    /// Name of the candidate, with its labels if the name alone is not unique.
    pub(crate) candidate: String,
    /// The same name with the role and, if the case has several numbers, with the threads.
    pub(crate) name: String,
    /// Time in nanoseconds, or count.
    pub(crate) value: Option<Estimate>,
    /// Value over the baseline's; `None` for the baseline itself.
    pub(crate) ratio: Option<Estimate>,
    /// Value over the step before's, in a sequence of steps; `None` for the first.
    pub(crate) step: Option<Estimate>,
    pub(crate) speedup: Option<Speedup>,
    /// Input bytes per second, if the case asks for that.
    pub(crate) throughput: Option<Estimate>,
    /// Fraction of the speed of the limit with the same number of threads.
    pub(crate) limit: Option<Estimate>,
    /// Counts by name.
    pub(crate) counts: BTreeMap<&'a str, f64>,
    /// Parts of the value by name.
    pub(crate) phases: BTreeMap<&'a str, f64>,
    /// Times before the measured work by name, in ns.
    pub(crate) before: BTreeMap<&'a str, f64>,
}

impl EntryView<'_> {
    /// Returns the runtime and backend that the candidate reported, such as `openmp, avx512`.
    pub(crate) fn runs_as(&self) -> String {
        let Some(ready) = &self.entry.ready else { return String::new() };
        let mut parts = vec![ready.runtime.clone(), ready.backend.clone()];
        if ready.threads != 0 && ready.threads != self.entry.threads {
            parts.push(format!("really on {}", format::counted(ready.threads, "thread")));
        }
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    /// Returns a count by name, such as `65.2 MiB`; a dash if there is none.
    pub(crate) fn count(&self, name: &str) -> String {
        self.counts.get(name).map_or("–".to_string(), |value| format::count(name, *value))
    }

    /// Returns a part with its share of the whole, such as `312 (42 %)`; a dash if the entry has no part of that name.
    pub(crate) fn phase(&self, measure: &Measure, name: &str) -> String {
        let Some(part) = self.phases.get(name) else { return "–".to_string() };
        let share = self.value.map(|whole| format!(" ({:.0} %)", 100.0 * part / whole.value));
        sentences::value(measure, *part) + &share.unwrap_or_default()
    }

    /// Returns a time before the measured work by name; a dash if there is none.
    pub(crate) fn time_before(&self, name: &str) -> String {
        self.before.get(name).map_or("–".to_string(), |ns| format::nanoseconds(*ns))
    }

    /// Returns the reason for a missing result: `SKIP why`, `FAILED crash: why`.
    pub(crate) fn no_result(&self) -> Option<String> {
        match &self.entry.failure {
            Some(failure) if failure.kind == FailureKind::Unsupported => {
                Some(format!("SKIP {}", failure.why))
            }
            Some(failure) => Some(format!("FAILED {}: {}", kind(failure.kind), failure.why)),
            None if self.value.is_none() => Some("not measured".to_string()),
            None => None,
        }
    }

    /// Returns whether the entry is a candidate with a result.
    pub(crate) fn competes(&self) -> bool {
        self.entry.role == Role::Candidate && self.value.is_some()
    }
}

/// Entries that failed in the same way: the first of them, the failure, and the titles of their cases.
pub(crate) struct FailureView<'a> {
    pub(crate) entry: &'a EntryView<'a>,
    pub(crate) failure: &'a Failure,
    pub(crate) cases: Vec<String>,
}

/// Lines of the start and of the end of a candidate's standard error that a terminal shows, and characters of such a
/// line.
const STDERR_LINES: usize = 10;
const STDERR_LINE: usize = 400;

/// Returns the first and the last lines of a candidate's standard error, cut if they are long. They are untrusted.
pub fn stderr_tail(stderr: &str) -> Vec<String> {
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut shown: Vec<String> = lines.iter().map(|line| format::cut(line, STDERR_LINE)).collect();
    let between = lines.len().saturating_sub(2 * STDERR_LINES);
    if between > 1 {
        shown.splice(STDERR_LINES..STDERR_LINES + between, [format!("… {between} lines …")]);
    }
    shown
}

/// Returns the values of each key; keys are in the order in which they first occur.
pub(crate) fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// Returns a kind of failure as reports spell it.
pub(crate) fn kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Unsupported => "unsupported",
        FailureKind::Crash => "crash",
        FailureKind::Timeout => "timeout",
        FailureKind::ProtocolError => "protocol error",
        FailureKind::WrongDigest => "wrong-digest",
    }
}

impl<'a> RecordView<'a> {
    pub(crate) fn new(record: &'a Record) -> Self {
        let names = Names::new(record);
        let cases: Vec<CaseView<'a>> = record.cases.iter().map(|case| CaseView::new(case, &names)).collect();
        RecordView {
            record,
            means: means(&cases),
            cases,
            series: series(record),
            floor: stats::record_noise_floor(record),
            answers: record.questions.iter().zip(question::answers(record)).collect(),
        }
    }

    /// Returns the entries that failed, without skipped ones; those with the same failure in several cases are listed
    /// once.
    pub(crate) fn failures(&self) -> Vec<FailureView<'_>> {
        let mut groups: Vec<FailureView<'_>> = Vec::new();
        for case in &self.cases {
            for entry in &case.entries {
                let failure = entry.entry.failure.as_ref();
                let Some(failure) = failure.filter(|one| one.kind != FailureKind::Unsupported) else {
                    continue;
                };
                let alike = |known: &&mut FailureView<'_>| {
                    known.failure == failure
                        && known.entry.name == entry.name
                        && known.entry.entry.command == entry.entry.command
                };
                match groups.iter_mut().find(alike) {
                    Some(known) => known.cases.push(case.title.clone()),
                    None => groups.push(FailureView { entry, failure, cases: vec![case.title.clone()] }),
                }
            }
        }
        groups
    }

    /// Returns the indices of the cases of which an entry was not skipped, in the order of the series.
    pub(crate) fn shown(&self) -> Vec<usize> {
        let all = self.series.iter().flat_map(|series| series.cases.iter().copied());
        all.filter(|index| !self.cases[*index].is_unsupported()).collect()
    }

    /// Returns the representative case of a series: the largest that has a result.
    pub(crate) fn chief<'b>(&'b self, series: &Series) -> Option<&'b CaseView<'a>> {
        let measured = |index: &&usize| self.cases[**index].entries.iter().any(EntryView::competes);
        let index = series.cases.iter().rev().find(measured).or(series.cases.last())?;
        self.cases.get(*index)
    }
}

impl<'a> RecordView<'a> {
    /// Returns the noise floor of means over cases that compare this quantity or, of times, another clock's: the
    /// largest of any.
    pub(crate) fn floor_of(&self, measure: &Measure) -> Option<f64> {
        let like = self.cases.iter().filter(|case| case.case.measure.is_time() == measure.is_time());
        like.filter_map(|case| case.floor).max_by(f64::total_cmp)
    }

    /// Returns whether anything was counted instead of time.
    pub(crate) fn has_counts(&self) -> bool {
        let counted = |case: &&CaseView<'_>| !case.case.measure.is_time();
        self.cases.iter().filter(counted).any(|case| case.entries.iter().any(|entry| entry.value.is_some()))
    }

    /// Returns the questions that entries of the record answer; all of them if none is answered, so that each says
    /// why.
    pub(crate) fn asked(&self) -> Vec<&(&'a Question, Answer)> {
        let answered: Vec<_> = self.answers.iter().filter(|(_, answer)| answer.pairs > 0).collect();
        if answered.is_empty() { self.answers.iter().collect() } else { answered }
    }
}

impl<'a> CaseView<'a> {
    fn new(case: &'a Case, names: &Names) -> Self {
        let threads: BTreeSet<usize> = case.entries.iter().map(|entry| entry.threads).collect();
        let name = |entry: &Entry| {
            let mut name = names.of(entry);
            if threads.len() > 1 {
                name += &format!(" on {}", format::counted(entry.threads, "thread"));
            }
            match tables::role_label(entry.role) {
                "" => name,
                part => format!("{name} ({part})"),
            }
        };
        let measure = &case.measure;
        let baseline = case.entries.get(case.baseline);
        let limit = |entry: &Entry| {
            let mut limits = case.entries.iter().filter(|other| other.role == Role::Limit);
            let limit = limits.find(|limit| limit.threads == entry.threads)?;
            if entry.role == Role::Limit { None } else { stats::ratio(case, limit, entry) }
        };
        let entry = |(index, entry): (usize, &'a Entry)| EntryView {
            entry,
            index,
            is_baseline: index == case.baseline,
            candidate: names.of(entry),
            name: name(entry),
            value: stats::value(case, entry),
            ratio: baseline.filter(|_| index != case.baseline).and_then(|b| stats::ratio(case, entry, b)),
            step: None,
            speedup: stats::speedup(case, index).filter(|_| entry.role != Role::Limit),
            throughput: stats::value(case, entry)
                .filter(|_| case.throughput)
                .map(|time| time.inverse().times(1e9 * case.input_bytes as f64)),
            limit: limit(entry),
            counts: stats::counts(entry),
            phases: stats::phases(entry),
            before: stats::before(entry),
        };
        let mut entries: Vec<EntryView<'a>> = case.entries.iter().enumerate().map(entry).collect();
        let order = |entry: &EntryView<'_>| match entry.value {
            None => f64::INFINITY,
            Some(_) if case.steps => 0.0,
            Some(value) => value.value,
        };
        entries.sort_by(|a, b| order(a).total_cmp(&order(b)));
        if case.steps {
            take_steps(case, &mut entries);
        }
        let floor = stats::noise_floor(case);
        let baseline = baseline.map(name).unwrap_or_default();
        let headline = match case.steps {
            true => sentences::steps(case, &entries),
            false => sentences::headline(case, &entries, &baseline, floor),
        };
        let mut counted: BTreeSet<&str> =
            entries.iter().flat_map(|entry| entry.counts.keys().copied()).collect();
        if let Some(name) = measure.count() {
            counted.remove(name);
        }
        let phases = part_names(&entries, 2, |entry| &entry.phases);
        let before = part_names(&entries, 1, |entry| &entry.before);
        let title = case_title(case);
        CaseView { case, title, baseline, entries, floor, headline, counted, phases, before }
    }

    /// Returns the thread counts of the entries that have a result, in order.
    pub(crate) fn threads(&self) -> BTreeSet<usize> {
        self.entries.iter().filter(|entry| entry.competes()).map(|entry| entry.entry.threads).collect()
    }

    /// Returns whether every entry was skipped, because nothing here can run it.
    pub(crate) fn is_unsupported(&self) -> bool {
        let skipped = |entry: &EntryView<'_>| {
            entry.entry.failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Unsupported)
        };
        !self.entries.is_empty() && self.entries.iter().all(skipped)
    }

    /// Compares the outputs of the entries.
    pub(crate) fn outputs(&self) -> Outputs {
        let wrong: Vec<String> = self
            .entries
            .iter()
            .filter(|view| view.entry.failure.as_ref().is_some_and(|f| f.kind == FailureKind::WrongDigest))
            .map(|view| view.name.clone())
            .collect();
        if !wrong.is_empty() {
            return Outputs::Wrong(wrong);
        }
        if !command::compares_outputs(self.case) {
            return Outputs::NotAsked;
        }
        let good = self.entries.iter().filter(|view| view.entry.failure.is_none());
        let digests: Vec<&String> = good.filter_map(|view| view.entry.digest.as_ref()).collect();
        match (digests.len(), digests.iter().collect::<BTreeSet<_>>().len()) {
            (all, groups) if groups == all => Outputs::Apart(all),
            (all, groups) => Outputs::Agreed { all, groups },
        }
    }

    /// Returns whether all outputs agreed, in a sentence.
    pub(crate) fn agreement(&self) -> String {
        match self.outputs() {
            Outputs::Wrong(names) => {
                format!("The output of {} differs from that of the others.", format::listed(&names))
            }
            Outputs::NotAsked => "Outputs were not compared; --same-output does that.".to_string(),
            Outputs::Apart(0) => "No outputs were compared.".to_string(),
            Outputs::Apart(1) => "One output only: nothing to compare it with.".to_string(),
            Outputs::Apart(all) => format!("{all} outputs of {all} kinds of work: no two to compare."),
            Outputs::Agreed { all, groups: 1 } => format!("All {all} outputs agreed."),
            Outputs::Agreed { all, groups } => {
                format!("{all} outputs in {groups} groups; those within a group agreed.")
            }
        }
    }
}

/// Returns the mean of each candidate at each number of threads over the timed cases, in the order of the cases; empty
/// if there are fewer than two. Cases of steps do not count: their entries are no rivals.
///
/// Ratios to different baselines have no common mean, so the mean of the times leaves out the cases with another
/// baseline than the first case.
fn means(cases: &[CaseView<'_>]) -> Means {
    let timed = || cases.iter().filter(|case| case.case.measure.is_time() && !case.case.steps);
    let own = |case: &'_ CaseView<'_>| case.entries.iter().position(|entry| entry.is_baseline);
    let Some((basis, baseline)) =
        timed().next().and_then(|case| Some((case.case, case.entries.get(own(case)?)?)))
    else {
        return Means::default();
    };
    if timed().count() < 2 {
        return Means::default();
    }
    let all = grouped(timed().flat_map(|case| {
        let with_value = |entry: &&EntryView<'_>| entry.entry.role != Role::Limit && entry.value.is_some();
        let mut entries: Vec<&EntryView<'_>> = case.entries.iter().filter(with_value).collect();
        entries.sort_by_key(|entry| entry.index);
        entries.into_iter().map(|entry| ((entry.candidate.as_str(), entry.entry.threads), ()))
    }));
    let several = all.iter().any(|((_, threads), _)| *threads != all[0].0.1);
    let named = |name: &str, threads: usize| match several {
        true => format!("{name} on {}", format::counted(threads, "thread")),
        false => name.to_string(),
    };
    let of = |((name, threads), _): &((&str, usize), Vec<()>)| {
        let found = || {
            timed().filter_map(|case| {
                let mine =
                    |entry: &&EntryView<'_>| entry.candidate == *name && entry.entry.threads == *threads;
                Some((case, case.entries.iter().filter(|entry| entry.entry.role != Role::Limit).find(mine)?))
            })
        };
        let mut pairs: Vec<(&Entry, &Entry)> = Vec::new();
        for (case, entry) in found().filter(|(_, entry)| !entry.is_baseline) {
            let other = own(case).and_then(|index| case.entries.get(index));
            let same = other.filter(|other| {
                (&other.candidate, other.entry.threads) == (&baseline.candidate, baseline.entry.threads)
            });
            pairs.extend(same.map(|same| (entry.entry, same.entry)));
        }
        let rates: Vec<(&Entry, u64)> = found()
            .filter(|(case, _)| case.case.throughput)
            .map(|(case, entry)| (entry.entry, case.case.input_bytes))
            .collect();
        MeanView {
            name: named(name, *threads),
            ratio: stats::mean_ratio(basis, &pairs),
            throughput: stats::mean_throughput(basis, &rates),
        }
    };
    let entries = all.iter().filter(|(_, cases)| cases.len() > 1).map(of);
    Means {
        baseline: named(&baseline.candidate, baseline.entry.threads),
        entries: entries.filter(|entry| entry.ratio.is_some() || entry.throughput.is_some()).collect(),
    }
}

/// Compares each candidate with a result with the one before it that has one.
fn take_steps(case: &Case, entries: &mut [EntryView<'_>]) {
    let mut before: Option<&Entry> = None;
    for entry in entries.iter_mut().filter(|entry| entry.competes()) {
        entry.step = before.and_then(|before| stats::ratio(case, entry.entry, before));
        before = Some(entry.entry);
    }
}

/// Returns the names of the parts of entries, if any entry has at least `least` of them.
fn part_names<'a>(
    entries: &[EntryView<'a>],
    least: usize,
    parts: impl for<'b> Fn(&'b EntryView<'a>) -> &'b BTreeMap<&'a str, f64>,
) -> Vec<&'a str> {
    let Some(last) = entries.iter().rev().find(|entry| parts(entry).len() >= least) else {
        return Vec::new();
    };
    let names: BTreeSet<&str> = entries.iter().flat_map(|entry| parts(entry).keys().copied()).collect();
    let size = |name: &&str| parts(last).get(name).copied().unwrap_or(0.0);
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by(|a, b| size(b).total_cmp(&size(a)));
    names
}

/// Returns a case in the words of its plan, or its workload with its parameters.
pub(crate) fn case_title(case: &Case) -> String {
    match case.title.trim() {
        "" => title(&case.workload, &case.params, None),
        words => words.to_string(),
    }
}

/// Returns a workload with its parameters but one, such as `fft-g1, scale 10`.
fn title(workload: &str, params: &Params, without: Option<&str>) -> String {
    let mut title = workload.to_string();
    for (key, value) in params.iter().filter(|(key, _)| Some(key.as_str()) != without) {
        title += &format!(", {}", size(key, value));
    }
    title
}

/// Returns a parameter with its value, such as `scale 10` or `16 MiB`.
pub(crate) fn size(key: &str, value: &Value) -> String {
    match value {
        Value::Number(n) if key == "bytes" => format::bytes(*n),
        other => format!("{key} {other}"),
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
        let name = format::one_line(&entry.candidate);
        if !self.ambiguous.contains(&entry.candidate) || entry.labels.is_empty() {
            return name;
        }
        let labels: Vec<String> = entry.labels.iter().map(|(k, v)| format!("{k} {v}")).collect();
        format!("{name} ({})", format::one_line(&labels.join(", ")))
    }
}

/// Returns the series: cases grouped by workload and compared quantity, and then by all parameters except the one
/// number that takes most values.
fn series(record: &Record) -> Vec<Series> {
    let kind = |case: &'_ Case| (case.workload.clone(), case.measure.clone(), case.steps);
    let kinds = grouped(record.cases.iter().map(kind).zip(0..));
    let mut all = Vec::new();
    for ((workload, ..), cases) in kinds {
        let key = size_key(record, &cases);
        let titled = |index: usize| (title(&workload, &record.cases[index].params, key.as_deref()), index);
        for (name, mut cases) in grouped(cases.into_iter().map(titled)) {
            cases.sort_by_key(|index| key.as_ref().and_then(|key| number(&record.cases[*index], key)));
            let several = cases.len() > 1;
            let name = match cases.first() {
                Some(index) if !several => case_title(&record.cases[*index]),
                _ => name,
            };
            all.push(Series { title: name, key: key.clone().filter(|_| several), cases });
        }
    }
    all
}

/// Returns the value of a parameter of a case, if it is a number.
pub(crate) fn number(case: &Case, key: &str) -> Option<u64> {
    match case.params.get(key) {
        Some(Value::Number(n)) => Some(*n),
        _ => None,
    }
}

/// Returns the parameter that is a number in all of these cases and takes the most values, at least two.
fn size_key(record: &Record, cases: &[usize]) -> Option<String> {
    let first = &record.cases.get(*cases.first()?)?.params;
    let values = |key: &String| -> usize {
        let found: Option<BTreeSet<u64>> =
            cases.iter().map(|index| number(&record.cases[*index], key)).collect();
        found.map_or(0, |found| found.len())
    };
    let best = first.keys().rev().max_by_key(|key| values(key))?;
    (values(best) > 1).then(|| best.clone())
}

/// Returns whether a difference that was found lies within the noise floor of the A/A control.
pub(crate) fn within_noise(ratio: &Estimate, floor: Option<f64>) -> bool {
    let found = matches!(Verdict::of(ratio, RESOLUTION), Verdict::Faster | Verdict::Slower);
    found && floor.is_some_and(|floor| (ratio.value.ln()).abs() <= floor.ln_1p())
}
