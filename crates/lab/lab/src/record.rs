//! Record of one run of a plan: its samples, and everything that is needed to understand and repeat them.
//!
//! A record is one JSON file. A **full** one has all samples. A **thinned** one, as earlier versions made them, has the
//! values that the estimators use instead, which are the medians of each replicate, and the digest of the samples.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use parcrypt_protocol::{Params, Ready, Value};

use parcrypt_stats::{Asked, Border};

use crate::condition::Condition;

/// Newest schema that this version writes, and the only one that it reads.
pub const SCHEMA: u32 = 3;

/// One run of one plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`SCHEMA`] of the version that wrote it.
    pub schema: u32,
    /// [`METHOD`](crate::METHOD) of that version; left out by older ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<u32>,
    /// The plan's short name, which is its file's stem.
    pub plan: String,
    /// Title of the plan.
    pub title: String,
    /// Description of the plan, in a few sentences.
    pub about: String,
    /// Whole text of the plan, so that the run can be repeated from the record alone.
    pub plan_text: String,
    /// The command line that made this record.
    pub command: Vec<String>,
    /// Start of the run, as RFC 3339 in UTC.
    pub started: String,
    /// Duration of the run in seconds.
    pub took_s: f64,
    /// Reason why the run ended before its last round.
    pub partial: Option<String>,
    /// Rounds of each case that were asked for; `None` if time decided.
    #[serde(default)]
    pub rounds: Option<usize>,
    /// The machine.
    pub machine: Machine,
    /// Properties of the build: compiler, commit, flags, OpenMP library.
    pub build: BTreeMap<String, String>,
    /// What the system did not let the lab do or measure, each in a few words, such as `binding to processors`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// How the benchmarks of a suite are judged; left out if the record is not of a suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<Suite>,
    /// Questions of the plan.
    pub questions: Vec<Question>,
    /// Cases, in the order of the plan.
    pub cases: Vec<Case>,
}

/// How the benchmarks of a suite are judged. Each is a case with two entries, the old revision as the baseline and the
/// new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Part by which times may differ in a benchmark that is called unchanged, such as 0.01.
    pub threshold: f64,
    /// Border of the condition on times that was asked about; the run goes on until each benchmark is on one side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Border>,
    /// Border of the condition on what was counted, such as `more than 0%`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts_gate: Option<Border>,
    /// What was counted after the times, if the user asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountKind>,
}

impl Suite {
    /// Returns what is asked of each benchmark about its times.
    pub fn asked(&self) -> Asked {
        Asked { threshold: self.threshold, gate: self.gate }
    }
}

/// What is counted of single iterations, by programs that are not timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountKind {
    /// Allocations of memory, with their bytes. Also of records that do not say what was counted.
    #[default]
    Allocations,
    /// Instructions, by Callgrind.
    Instructions,
    /// Peak memory of a process that runs one benchmark.
    Memory,
}

impl CountKind {
    /// Returns the name of its first count, such as `allocations`.
    pub fn name(self) -> &'static str {
        match self {
            CountKind::Allocations => "allocations",
            CountKind::Instructions => "instructions",
            CountKind::Memory => "memory",
        }
    }
}

/// The machine of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Name of the processor, as it reports it.
    pub processor: String,
    /// Target architecture, such as `x86_64`.
    pub arch: String,
    /// Cores that this process may use: online, allowed by affinity and by the cgroup's quota.
    pub cores: usize,
    /// Physical memory in bytes.
    pub memory: u64,
    /// Backends that can run here, such as `["portable", "avx2"]`.
    pub backends: Vec<String>,
    /// Caches, such as `[("L1d", 49152)]`, in bytes of one instance.
    pub caches: Vec<(String, u64)>,
    /// Operating system with the version of Linux.
    pub system: String,
    /// Whether a hypervisor was detected.
    pub virtual_machine: bool,
}

/// Name of the workload of whole commands in plans and records.
pub const COMMANDS: &str = "command";

/// A workload with its parameters, and the entries that ran it in turns.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The workload's name, such as `fft-g1`.
    pub workload: String,
    /// The work in words; empty if reports show the workload and its parameters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The parameters that all entries share.
    pub params: Params,
    /// Length of the input file in bytes; 0 if the workload needs none.
    pub input_bytes: u64,
    /// `sha256:…` of the input file; empty if the workload needs none.
    pub input_digest: String,
    /// Quantity that entries are compared by.
    #[serde(default, skip_serializing_if = "is_default")]
    pub measure: Measure,
    /// Entries that take turns with each other.
    #[serde(default, skip_serializing_if = "Turns::is_all")]
    pub turns: Turns,
    /// Whether each entry is a step from the one before it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub steps: bool,
    /// Whether reports show the input bytes per second.
    #[serde(default, skip_serializing_if = "is_default")]
    pub throughput: bool,
    /// Whether the run could end because of what was measured. Intervals must then hold at every look.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sequential: bool,
    /// Where the time of the rounds went; `None` in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Index in `entries` of the entry that all others are compared with.
    pub baseline: usize,
    /// Candidates, each at one number of threads.
    pub entries: Vec<Entry>,
}

/// Sums over all rounds of a case, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Time of the rounds.
    pub rounds_ns: u64,
    /// Part of it in which entries took turns, without starts and ends.
    pub turns_ns: u64,
    /// Number of turns.
    pub turns: u64,
    /// Part of the turns in which work ran without being measured, in older records.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refill_ns: u64,
    /// Part of the turns that was measured, in older records.
    #[serde(default, skip_serializing_if = "is_default")]
    pub measured_ns: u64,
    /// Time that the hypervisor took from the processors that the lab may use, the mean times [`Machine::cores`]; older
    /// records have the sum over all processors of the system.
    pub steal_ns: u64,
}

/// Quantity that the entries of a case are compared by; less is better.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Measure {
    /// Time; `time` in plans and records.
    #[default]
    Time,
    /// Time by a benchmark program's own clock, which it reports as `own-time-fs`; `own-time` in plans and records.
    OwnTime,
    /// Quantity that candidates count, by its name in [`Sample::counts`], such as `instructions`.
    Count(String),
}

/// Name of the count that has the peak memory of a process, in bytes.
pub const PEAK_MEMORY: &str = "peak-memory-bytes";

/// Name of the count that has the time by a program's own clock, in femtoseconds: it may be below a nanosecond.
pub(crate) const OWN_TIME: &str = "own-time-fs";

impl Measure {
    /// Returns whether the quantity is a time, by the lab's clock or by the program's own.
    pub fn is_time(&self) -> bool {
        matches!(self, Measure::Time | Measure::OwnTime)
    }

    /// Returns the name of the count that has the quantity; `None` if it is not a count.
    pub fn count(&self) -> Option<&str> {
        match self {
            Measure::Time => None,
            Measure::OwnTime => Some(OWN_TIME),
            Measure::Count(name) => Some(name),
        }
    }

    /// Returns the value of a sample for all iterations together, with time in ns; `None` if it is missing or 0.
    pub fn of(&self, sample: &Sample) -> Option<f64> {
        let raw = match self.count() {
            None => sample.elapsed_ns,
            Some(name) => sample.counts.get(name).copied(),
        };
        let scale = if *self == Measure::OwnTime { 1e-6 } else { 1.0 };
        raw.filter(|raw| *raw > 0).map(|raw| raw as f64 * scale)
    }
}

impl From<String> for Measure {
    fn from(name: String) -> Self {
        match name.as_str() {
            "time" => Measure::Time,
            "own-time" => Measure::OwnTime,
            _ => Measure::Count(name),
        }
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Time => "time".to_owned(),
            Measure::OwnTime => "own-time".to_owned(),
            Measure::Count(name) => name,
        }
    }
}

/// Entries of a case that are alive together and take turns sample by sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turns {
    /// All entries.
    #[default]
    All,
    /// Entries with the same number of threads; within a round, one group follows the other.
    Threads,
}

impl Turns {
    /// Returns whether all entries take turns.
    pub fn is_all(&self) -> bool {
        *self == Turns::All
    }

    /// Returns the indices of the entries that are alive together, given the number of threads of each.
    pub fn groups(self, threads: impl IntoIterator<Item = usize>) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (entry, threads) in threads.into_iter().enumerate() {
            groups.entry(if self.is_all() { 0 } else { threads }).or_default().push(entry);
        }
        groups.into_values().collect()
    }
}

/// One candidate at one number of threads in one case.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The candidate's name in the plan.
    pub candidate: String,
    /// Description of the candidate, or of the change as a step, in a phrase.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Labels of the candidate by key, such as `{"runtime": "rayon", "decomposition": "iterative"}`.
    pub labels: BTreeMap<String, String>,
    /// Number of threads or ranks that the candidate was given.
    pub threads: usize,
    /// Role in the case.
    pub role: Role,
    /// The command that was run.
    pub command: Vec<String>,
    /// Names of the programs with other memory layouts that ran instead of its first word, one for each block in turn.
    /// Empty if it had one layout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<String>,
    /// Properties that the candidate reported when it was ready.
    pub ready: Option<Ready>,
    /// `sha256:…` of the output. All entries of a case with the same workload have the same digest, or failed.
    pub digest: Option<String>,
    /// Reason why there is no result, if there is none.
    pub failure: Option<Failure>,
    /// Samples of each round, in order. A round is one fresh process. Empty in a thinned record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Vec<Sample>>,
    /// Processors that the process of each round was bound to, in order; empty if it was not bound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processors: Vec<Vec<usize>>,
    /// Summary of the samples, in a thinned record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinned: Option<Thinned>,
    /// What the estimators use, one for each replicate, computed by [`stats::summarize`](crate::stats::summarize) and
    /// not written.
    #[serde(skip)]
    pub replicates: Vec<Summary>,
    /// Times of steps before the measured work, by name in ns: one map for each process that reported them, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<BTreeMap<String, u64>>,
    /// Counts of single iterations by name, such as `allocations`: one list for each process that counted instead of
    /// being timed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<Vec<BTreeMap<String, u64>>>,
    /// Reason why there are no such counts, if there should be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<Failure>,
}

impl Case {
    /// Returns the two entries of a benchmark of a suite, the old revision first.
    pub fn revisions(&self) -> Option<(&Entry, &Entry)> {
        let old = self.entries.get(self.baseline)?;
        let mut others = self.entries.iter().enumerate().filter(|(r, _)| *r != self.baseline);
        Some((old, others.find(|(_, entry)| entry.role == Role::Candidate)?.1))
    }

    /// Returns the number of memory layouts of the programs that are compared; 0 if each has only the one it was built
    /// with.
    pub fn layouts(&self) -> usize {
        self.entries.iter().map(|entry| entry.layouts.len()).max().unwrap_or(0)
    }

    /// Returns whether the candidates are whole commands.
    pub fn is_of_commands(&self) -> bool {
        self.workload == COMMANDS
    }
}

impl Entry {
    /// Returns the number of rounds that the entry took part in, each with a process of its own.
    pub fn rounds_done(&self) -> usize {
        let thinned = |thinned: &Thinned| thinned.processes.unwrap_or(thinned.rounds.len());
        self.thinned.as_ref().map_or(self.rounds.len(), thinned)
    }
}

/// Summary of an entry's samples, in a thinned record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thinned {
    /// One summary for each replicate, in order.
    pub rounds: Vec<Summary>,
    /// Number of rounds; by default the number of replicates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<usize>,
    /// `sha256:…` of the samples as compact JSON, one list for each round.
    pub samples: String,
}

/// Values of one replicate that the estimators use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Number of samples.
    pub samples: usize,
    /// Number of samples that were left out, because something disturbed their turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dropped: usize,
    /// Number of samples of disturbed turns that count all the same, as most turns were or one entry disturbs itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub disturbed: usize,
    /// Median of the quantity that the case compares, for one iteration, with time in ns. `None` without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Medians of the parts by name, for one iteration.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, f64>,
    /// Medians of the counts by name, for one iteration; for a level, whose name begins with `peak-`, the greatest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, f64>,
}

/// Role of an entry in its case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// One of the programs that are compared.
    #[default]
    Candidate,
    /// A/A control: the baseline's command again. Any difference from the baseline is noise.
    Control,
    /// A limit of the machine, such as reading memory without arithmetic: drawn as a line.
    Limit,
}

/// Reason why an entry has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Kind of the failure.
    pub kind: FailureKind,
    /// Description of the failure.
    pub why: String,
    /// End of the candidate's standard error.
    pub stderr: String,
}

impl Failure {
    /// Returns a failure of which the candidate wrote nothing.
    pub fn new(kind: FailureKind, why: impl Into<String>) -> Self {
        Failure { kind, why: why.into(), stderr: String::new() }
    }
}

/// Kinds of [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The candidate does not support this work here. Not an error: the entry is shown as skipped.
    Unsupported,
    /// The candidate could not be started, ended early, or was killed by a signal.
    Crash,
    /// The candidate did not respond within its time limit.
    Timeout,
    /// The candidate wrote a line that the protocol does not allow.
    ProtocolError,
    /// The candidate's digest differs from the others'.
    WrongDigest,
}

/// One measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Number of times the work was done.
    pub iterations: u64,
    /// Time of all iterations in ns, by the candidate's clock; `None` if the candidate counts instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<u64>,
    /// Parts of the quantity that the case compares, by name: of the elapsed time, in ns, or of the count.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, u64>,
    /// Counts by name, such as `instructions`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
    /// Time in which threads of the candidate were ready to run and waited for a processor, in ns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delay_ns: u64,
    /// Number of times that the system took the processor from a thread of the candidate, in older records.
    #[serde(default, skip_serializing_if = "is_default")]
    pub switches: u64,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Question of a plan: a comparison of one choice with another, all else equal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Text of the question.
    pub ask: String,
    /// Labels of the entries on the first side, such as `{"runtime": "rayon"}`.
    pub from: BTreeMap<String, String>,
    /// Labels of the entries on the second side, such as `{"runtime": "openmp"}`. A pair is an entry of either side in
    /// the same case, with equal threads, whose other labels are equal.
    pub to: BTreeMap<String, String>,
    /// Conditions on `threads`, on a parameter or on a label, such as `["threads=2", "scale>=7"]`.
    #[serde(default)]
    pub only: Vec<Condition>,
    /// Upper bound of the ratio that the plan claims, as 1.005.
    #[serde(default, rename = "at-most", skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

impl Record {
    /// Checks that indices are in range and that no divisor is 0.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    pub(crate) fn check(&self) -> Result<(), (String, String)> {
        let wrong = |field: &str, why: &str| Err((field.to_owned(), why.to_owned()));
        let is_ratio = |ratio: f64| ratio.is_finite() && ratio >= 0.0;
        if let Some(suite) = &self.suite {
            if !is_ratio(suite.threshold) {
                return wrong("suite.threshold", "it is not a number from 0");
            }
            if ![suite.gate, suite.counts_gate].into_iter().flatten().map(Border::ratio).all(is_ratio) {
                return wrong("suite", "a gate is not a ratio from 0");
            }
        }
        for (index, case) in self.cases.iter().enumerate() {
            let (baseline, entries) = (case.baseline, case.entries.len());
            if baseline >= entries {
                let why = format!("baseline is {baseline}, but there are {entries} entries");
                return wrong(&format!("cases[{index}]"), &why);
            }
            for (e, entry) in case.entries.iter().enumerate() {
                let wrong = |why| wrong(&format!("cases[{index}].entries[{e}]"), why);
                let is_wrong = |one: &Sample| one.iterations == 0 || case.measure.of(one).is_none();
                if entry.rounds.iter().flatten().any(is_wrong) {
                    return wrong("a sample has 0 iterations, or not what the case compares");
                }
                let Some(thinned) = &entry.thinned else { continue };
                if !entry.rounds.is_empty() {
                    return wrong("it has both samples and what is kept of them");
                }
                let mut medians = thinned.rounds.iter().filter_map(|round| round.value);
                if !medians.all(|median| median.is_finite() && median > 0.0) {
                    return wrong("a median is not a number above 0");
                }
            }
        }
        Ok(())
    }
}
