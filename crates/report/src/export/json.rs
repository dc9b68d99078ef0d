//! RecordEstimates of a record as JSON: each with its estimate and interval, for every entry of every case.

use std::collections::BTreeMap;

use parcrypt_lab::record::{Params, Role};
use parcrypt_lab::stats::Estimate;
use serde::Serialize;

use crate::view::{CaseView, EntryView, RecordView};

/// RecordEstimates of a record.
#[derive(Serialize)]
pub(crate) struct RecordEstimates<'a> {
    pub(crate) plan: &'a str,
    title: &'a str,
    started: &'a str,
    processor: &'a str,
    cores: usize,
    build: &'a BTreeMap<String, String>,
    confidence: f64,
    noise_floor: Option<f64>,
    pub(crate) cases: Vec<Case<'a>>,
}

/// RecordEstimates of a case.
#[derive(Serialize)]
pub(crate) struct Case<'a> {
    pub(crate) workload: &'a str,
    pub(crate) params: &'a Params,
    /// Unit of the values: `ns`, or the name of a count.
    pub(crate) unit: String,
    noise_floor: Option<f64>,
    pub(crate) entries: Vec<Entry<'a>>,
}

/// RecordEstimates of an entry.
#[derive(Serialize)]
pub(crate) struct Entry<'a> {
    pub(crate) candidate: &'a str,
    pub(crate) threads: usize,
    pub(crate) role: Role,
    pub(crate) baseline: bool,
    labels: &'a BTreeMap<String, String>,
    pub(crate) value: Option<Value>,
    /// Value over the baseline's.
    pub(crate) ratio: Option<Value>,
    /// Value over that of the step before.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speedup: Option<Value>,
    /// Throughput in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    throughput: Option<Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    counts: &'a BTreeMap<&'a str, f64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    phases: &'a BTreeMap<&'a str, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) no_result: Option<String>,
}

/// An estimate with its interval, which is absent where there are too few rounds.
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

/// Returns the estimates of a record.
pub(crate) fn estimates<'a>(view: &'a RecordView<'_>) -> RecordEstimates<'a> {
    let record = view.record;
    RecordEstimates {
        plan: &record.plan,
        title: &record.title,
        started: &record.started,
        processor: &record.machine.processor,
        cores: record.machine.cores,
        build: &record.build,
        confidence: parcrypt_lab::stats::CONFIDENCE,
        noise_floor: view.floor,
        cases: view.cases.iter().map(case).collect(),
    }
}

fn case<'a>(of: &'a CaseView<'_>) -> Case<'a> {
    // Entries in the order of the record, not from the best to the worst.
    let mut entries: Vec<&EntryView<'_>> = of.entries.iter().collect();
    entries.sort_by_key(|entry| entry.index);
    let unit = if of.case.measure.is_time() { "ns".to_string() } else { of.case.measure.clone().into() };
    Case {
        workload: &of.case.workload,
        params: &of.case.params,
        unit,
        noise_floor: of.floor,
        entries: entries.into_iter().map(entry).collect(),
    }
}

fn entry<'a>(of: &'a EntryView<'_>) -> Entry<'a> {
    Entry {
        candidate: &of.entry.candidate,
        threads: of.entry.threads,
        role: of.entry.role,
        baseline: of.is_baseline,
        labels: &of.entry.labels,
        value: of.value.map(Value::from),
        ratio: of.ratio.map(Value::from),
        step: of.step.map(Value::from),
        speedup: of.speedup.as_ref().map(|speedup| speedup.times.into()),
        throughput: of.throughput.map(Value::from),
        counts: &of.counts,
        phases: &of.phases,
        no_result: of.no_result(),
    }
}
