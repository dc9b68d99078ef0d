//! Results of a record as JSON: estimates with their intervals for every entry of every case, and the answers to the
//! plan's questions. docs/reference/results.md lists the fields, which a test compares.

use std::collections::BTreeMap;

use parcrypt_lab::condition::Condition;
use parcrypt_lab::question::Answer;
use parcrypt_lab::record::{Measure, Params, Question, Role};
use parcrypt_lab::stats::{Estimate, RESOLUTION, Verdict};
use serde::Serialize;

use crate::suite;
use crate::verdict::verdict_name;
use crate::view::{CaseView, EntryView, MeanView, Means, RecordView};

/// Results of a record.
#[derive(Serialize)]
pub(crate) struct RecordResults<'a> {
    pub(crate) plan: &'a str,
    title: &'a str,
    started: &'a str,
    processor: &'a str,
    cores: usize,
    build: &'a BTreeMap<String, String>,
    confidence: f64,
    noise_floor: Option<f64>,
    questions: Vec<QuestionResult<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    means: Option<MeanResults<'a>>,
    /// Corrected verdicts on the benchmarks of a suite.
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<suite::Results>,
    pub(crate) cases: Vec<Case<'a>>,
}

/// A question of the plan with its answer.
#[derive(Serialize)]
pub(crate) struct QuestionResult<'a> {
    ask: &'a str,
    from: &'a BTreeMap<String, String>,
    to: &'a BTreeMap<String, String>,
    only: &'a [Condition],
    /// Geometric mean over all pairs of the value of `to` over the value of `from`.
    ratio: Option<Value>,
    /// Pairs of the question, measured or not.
    pairs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'static str>,
}

/// Geometric means of the candidates over the timed cases.
#[derive(Serialize)]
struct MeanResults<'a> {
    baseline: &'a str,
    entries: Vec<MeanResult<'a>>,
}

/// Means of a candidate.
#[derive(Serialize)]
struct MeanResult<'a> {
    candidate: &'a str,
    /// Value over the baseline's.
    ratio: Option<Value>,
    /// Cases in the mean of the ratio.
    cases: usize,
    /// Throughput in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    throughput: Option<Value>,
    /// Cases in the mean of the throughput.
    #[serde(skip_serializing_if = "Option::is_none")]
    throughput_cases: Option<usize>,
}

/// Results of a case.
#[derive(Serialize)]
pub(crate) struct Case<'a> {
    pub(crate) workload: &'a str,
    /// The work in words, if the plan has them.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) title: &'a str,
    pub(crate) params: &'a Params,
    /// Unit of the values: `ns`, or the name of a count.
    pub(crate) unit: String,
    pub(crate) noise_floor: Option<f64>,
    pub(crate) entries: Vec<Entry<'a>>,
}

/// Results of an entry.
#[derive(Serialize)]
pub(crate) struct Entry<'a> {
    pub(crate) candidate: &'a str,
    pub(crate) threads: usize,
    pub(crate) role: Role,
    pub(crate) baseline: bool,
    pub(crate) labels: &'a BTreeMap<String, String>,
    pub(crate) value: Option<Value>,
    /// Value over the baseline's.
    pub(crate) ratio: Option<Value>,
    /// Verdict on the ratio.
    pub(crate) verdict: Option<&'static str>,
    /// Value over the step before's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) speedup: Option<Value>,
    /// Throughput in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) throughput: Option<Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) counts: &'a BTreeMap<&'a str, f64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) phases: &'a BTreeMap<&'a str, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) no_result: Option<String>,
}

/// An estimate with its interval, which is absent if there are too few rounds.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Value {
    pub(crate) estimate: f64,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) replicates: usize,
}

impl From<Estimate> for Value {
    fn from(of: Estimate) -> Self {
        let (low, high) = (of.interval.map(|i| i.low), of.interval.map(|i| i.high));
        Value { estimate: of.value, low, high, replicates: of.replicates }
    }
}

/// Returns the results of a record.
pub(crate) fn results<'a>(view: &'a RecordView<'_>) -> RecordResults<'a> {
    let record = view.record;
    RecordResults {
        plan: &record.plan,
        title: &record.title,
        started: &record.started,
        processor: &record.machine.processor,
        cores: record.machine.cores,
        build: &record.build,
        confidence: parcrypt_lab::stats::CONFIDENCE,
        noise_floor: view.floor,
        questions: view.answers.iter().map(|(asked, answer)| question(asked, answer)).collect(),
        means: (!view.means.entries.is_empty()).then(|| means(&view.means)),
        suite: suite::of(record).map(|suite| suite.results()),
        cases: view.cases.iter().map(case).collect(),
    }
}

fn question<'a>(asked: &'a Question, answer: &Answer) -> QuestionResult<'a> {
    QuestionResult {
        ask: &asked.ask,
        from: &asked.from,
        to: &asked.to,
        only: &asked.only,
        ratio: answer.overall.map(|mean| mean.ratio.into()),
        pairs: answer.pairs,
        at_most: asked.at_most,
        claim: answer.claim.map(claim),
    }
}

fn claim(of: Verdict) -> &'static str {
    match of {
        Verdict::Same | Verdict::Faster => "kept",
        Verdict::Slower => "broken",
        Verdict::Open => "cannot-tell",
    }
}

fn means(of: &Means) -> MeanResults<'_> {
    MeanResults { baseline: &of.baseline, entries: of.entries.iter().map(mean).collect() }
}

fn mean(of: &MeanView) -> MeanResult<'_> {
    MeanResult {
        candidate: &of.name,
        ratio: of.ratio.as_ref().map(|mean| mean.ratio.into()),
        cases: of.ratio.as_ref().map_or(0, |mean| mean.pairs),
        throughput: of.throughput.as_ref().map(|mean| mean.ratio.into()),
        throughput_cases: of.throughput.as_ref().map(|mean| mean.pairs),
    }
}

fn case<'a>(of: &'a CaseView<'_>) -> Case<'a> {
    // Entries in the order of the record, not from the best to the worst.
    let mut entries: Vec<&EntryView<'_>> = of.entries.iter().collect();
    entries.sort_by_key(|entry| entry.index);
    let unit = if of.case.measure.is_time() { "ns".to_string() } else { of.case.measure.clone().into() };
    Case {
        workload: &of.case.workload,
        title: &of.case.title,
        params: &of.case.params,
        unit,
        noise_floor: of.floor,
        entries: entries.into_iter().map(|one| entry(one, &of.case.measure)).collect(),
    }
}

fn entry<'a>(of: &'a EntryView<'_>, measure: &Measure) -> Entry<'a> {
    Entry {
        candidate: &of.entry.candidate,
        threads: of.entry.threads,
        role: of.entry.role,
        baseline: of.is_baseline,
        labels: &of.entry.labels,
        value: of.value.map(Value::from),
        ratio: of.ratio.map(Value::from),
        verdict: of.ratio.as_ref().map(|ratio| verdict_name(Verdict::of(ratio, RESOLUTION), measure)),
        step: of.step.map(Value::from),
        speedup: of.speedup.as_ref().map(|speedup| speedup.times.into()),
        throughput: of.throughput.map(Value::from),
        counts: &of.counts,
        phases: &of.phases,
        no_result: of.no_result(),
    }
}
