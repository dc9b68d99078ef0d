//! One run of a plan as it is kept: raw samples and all that is needed to understand and repeat them.
//!
//! A record is one JSON file. Everything a report says is computed from it, so nothing derived is stored.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use parcrypt_protocol::{Params, Ready, Value};

/// The newest schema that this version writes, and the only one that it reads.
pub const SCHEMA: u32 = 2;

/// One run of one plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`SCHEMA`] of the version that wrote it.
    pub schema: u32,
    /// The plan's short name, which is its file's stem.
    pub plan: String,
    /// The plan's title, for people.
    pub title: String,
    /// What the plan is about, in a few sentences.
    pub about: String,
    /// The plan's whole text, so that the run can be repeated from the record alone.
    pub plan_text: String,
    /// The command line that made this record.
    pub command: Vec<String>,
    /// When the run began, RFC 3339, UTC.
    pub started: String,
    /// How long the run took, in seconds.
    pub took_s: f64,
    /// Why the run ended before its last round, where it did.
    pub partial: Option<String>,
    /// Seed of the inputs.
    pub seed: u64,
    /// Rounds that were asked for.
    pub rounds: usize,
    /// The machine it ran on.
    pub machine: Machine,
    /// Facts about the build: compiler, commit, flags, OpenMP library.
    pub build: BTreeMap<String, String>,
    /// What the plan asks of the figures.
    pub questions: Vec<Question>,
    /// The work that was done, in the order of the plan.
    pub cases: Vec<Case>,
}

/// The machine of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The processor's name for itself.
    pub processor: String,
    /// Target architecture, as `x86_64`.
    pub arch: String,
    /// Cores that this process may use: online, allowed by affinity and by the cgroup's quota.
    pub cores: usize,
    /// Physical memory in bytes.
    pub memory: u64,
    /// Backends that can run here, as `["portable", "avx2"]`.
    pub backends: Vec<String>,
    /// Caches, as `[("L1d", 49152)]`, in bytes of one instance.
    pub caches: Vec<(String, u64)>,
    /// Operating system and kernel.
    pub system: String,
    /// Hypervisor, where one shows itself.
    pub virtual_machine: bool,
}

/// One piece of work that its entries did in turn: a workload with its parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The workload's name, as `fft-g1`.
    pub workload: String,
    /// The parameters that all entries share.
    pub params: Params,
    /// Length of the input file in bytes; 0 where the workload needs none.
    pub input_bytes: u64,
    /// `sha256:…` of the input file; empty where the workload needs none.
    pub input_digest: String,
    /// What its entries are compared by.
    #[serde(default, skip_serializing_if = "Measure::is_time")]
    pub measure: Measure,
    /// Which of its entries took turns with each other.
    #[serde(default, skip_serializing_if = "Turns::is_all")]
    pub turns: Turns,
    /// A label, each of whose values gets figures of its own; empty where reports choose.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub figures_by: String,
    /// Whether each entry is a step from the one before it, so that reports keep their order and say what each brings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps: bool,
    /// Whether the bytes of its input over the time are a rate that says something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub throughput: bool,
    /// The least speed over the baseline's that the plan claims for every candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_speed: Option<f64>,
    /// Index in `entries` of the entry that all others are compared with.
    pub baseline: usize,
    /// Candidates, each at one number of threads.
    pub entries: Vec<Entry>,
}

/// What the entries of a case are compared by: the less the better.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Measure {
    /// Time; `time` in plans and records.
    #[default]
    Time,
    /// Something that candidates count, by its name in [`Sample::counts`], as `instructions`.
    Count(String),
}

impl Measure {
    /// Whether it is time.
    pub fn is_time(&self) -> bool {
        *self == Measure::Time
    }

    /// What a sample says of it, for all iterations together.
    pub fn of(&self, sample: &Sample) -> Option<u64> {
        match self {
            Measure::Time => sample.elapsed_ns,
            Measure::Count(name) => sample.counts.get(name).copied(),
        }
    }
}

impl From<String> for Measure {
    fn from(name: String) -> Self {
        if name == "time" { Measure::Time } else { Measure::Count(name) }
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Time => "time".to_owned(),
            Measure::Count(name) => name,
        }
    }
}

/// Which entries of a case are alive together and take turns sample by sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turns {
    /// All of them.
    #[default]
    All,
    /// Those with the same number of threads; within a round, one such group follows the other.
    Threads,
}

impl Turns {
    /// Whether it is all.
    pub fn is_all(&self) -> bool {
        *self == Turns::All
    }

    /// Indices of the entries that are alive together, given the number of threads of each.
    pub fn groups(self, threads: impl IntoIterator<Item = usize>) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (entry, threads) in threads.into_iter().enumerate() {
            groups.entry(if self.is_all() { 0 } else { threads }).or_default().push(entry);
        }
        groups.into_values().collect()
    }
}

/// One candidate at one number of threads in one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The candidate's name in the plan.
    pub candidate: String,
    /// What the candidate is, or what it changes as a step of a steps, in a phrase.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// What the candidate is besides its name, as `{"runtime": "rayon", "decomposition": "layers"}`.
    pub labels: BTreeMap<String, String>,
    /// Threads or ranks that it was given.
    pub threads: usize,
    /// What part the entry plays.
    pub role: Role,
    /// The command that was run.
    pub command: Vec<String>,
    /// What it said of itself when it was ready.
    pub ready: Option<Ready>,
    /// `sha256:…` of its answer. All entries of a case with the same digest group gave the same one, or failed.
    pub digest: Option<String>,
    /// Why there is no result, where there is none.
    pub failure: Option<Failure>,
    /// One entry a round, in order: samples of one fresh process.
    pub rounds: Vec<Vec<Sample>>,
    /// What went before the measured work, by name in nanoseconds: one entry for each process that said it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<BTreeMap<String, u64>>,
}

/// What part an entry plays in its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// One of those that are compared.
    Candidate,
    /// The baseline's twin: the same command again. Any difference from the baseline is noise.
    Control,
    /// What the machine can do at best, as reading memory without any arithmetic: drawn as a line.
    Limit,
}

/// Why an entry has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What happened, in a sentence.
    pub why: String,
    /// The last of what it wrote to standard error.
    pub stderr: String,
}

/// Kinds of [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// It said that it cannot do this here. Not an error: the entry is shown as skipped.
    Unsupported,
    /// It could not be started, ended early, or was killed by a signal.
    Crash,
    /// It did not answer within its time limit.
    Timeout,
    /// It answered something that the protocol does not allow.
    ProtocolError,
    /// Its answer differs from that of the others.
    WrongDigest,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// How many times the work was done.
    pub iterations: u64,
    /// How long all of them took, by the candidate's own clock; none where it counts in place of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<u64>,
    /// Parts by name of what the case compares: of the elapsed time, in nanoseconds, or of the count.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, u64>,
    /// Things counted, as instructions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
}

/// What a plan asks of the figures: how one choice compares with another when all else is equal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question, for people.
    pub ask: String,
    /// Labels of the entries on the one side, as `{"runtime": "rayon"}`.
    pub from: BTreeMap<String, String>,
    /// Labels of the entries on the other side, as `{"runtime": "openmp"}`.
    ///
    /// A pair is an entry of either side in the same case, with equal threads, whose other labels are equal.
    pub to: BTreeMap<String, String>,
    /// Conditions on `threads`, on a parameter or on a label, as `["threads=2", "scale>=7"]`.
    #[serde(default)]
    pub only: Vec<String>,
    /// The most that the plan claims the ratio to be, as 1.005.
    #[serde(default, rename = "at-most", skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

/// A record that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not a record, or only the beginning of one.
    #[error("{path}: not a record of parcrypt, or cut short: {source}", path = path.display())]
    Foreign {
        /// Which file.
        path: PathBuf,
        /// Where and why, from the parser.
        source: serde_json::Error,
    },
    /// The record is of a schema that this version does not know.
    #[error("{path}: schema {found}, but this version of parcrypt reads schema {SCHEMA}", path = path.display())]
    Schema {
        /// Which file.
        path: PathBuf,
        /// Its schema.
        found: u64,
    },
}

impl Record {
    /// Reads a record and checks that it is whole: indices in range, numbers that can be divided by.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        use serde::de::Error as _;
        let foreign = |source| RecordError::Foreign { path: path.to_owned(), source };
        let bytes =
            std::fs::read(path).map_err(|source| RecordError::Io { path: path.to_owned(), source })?;
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(foreign)?;
        match value.get("schema").and_then(serde_json::Value::as_u64) {
            Some(found) if found != u64::from(SCHEMA) => {
                return Err(RecordError::Schema { path: path.to_owned(), found });
            }
            _ => {}
        }
        let record: Record = serde_json::from_value(value).map_err(foreign)?;
        for (index, case) in record.cases.iter().enumerate() {
            if case.baseline >= case.entries.len() {
                return Err(foreign(serde_json::Error::custom(format!(
                    "cases[{index}].baseline is {}, but there are {} entries",
                    case.baseline,
                    case.entries.len()
                ))));
            }
            if case.least_speed.is_some_and(|least| !least.is_finite() || least <= 0.0) {
                let why = format!("cases[{index}].least_speed is no number above 0");
                return Err(foreign(serde_json::Error::custom(why)));
            }
            let samples = case.entries.iter().flat_map(|entry| entry.rounds.iter().flatten());
            let nothing = |sample: &Sample| matches!(case.measure.of(sample), None | Some(0));
            if samples.clone().any(|sample| sample.iterations == 0 || nothing(sample)) {
                return Err(foreign(serde_json::Error::custom(format!(
                    "cases[{index}] has a sample of 0 iterations, or without what the case compares"
                ))));
            }
        }
        Ok(record)
    }

    /// Writes the record beside `path` and renames it, so that no reader ever sees half of one.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        write_whole(
            path,
            &serde_json::to_vec(self)
                .map_err(|source| RecordError::Foreign { path: path.to_owned(), source })?,
        )
        .map_err(|source| RecordError::Io { path: path.to_owned(), source })
    }
}

/// Writes a file under a temporary name in the same folder, then renames it, so that no reader ever sees half of one.
///
/// # Errors
/// What the system says. The file is then as it was before.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_renamed(path, bytes, File::sync_all)
}

/// [`write_whole`] of what can be made again: it does not wait for the disk, so that hundreds of files are quickly there.
///
/// # Errors
/// What the system says. The file is then as it was before.
pub fn write_derived(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_renamed(path, bytes, |_| Ok(()))
}

fn write_renamed(path: &Path, bytes: &[u8], finish: fn(&File) -> std::io::Result<()>) -> std::io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    finish(file.as_file())?;
    let file = file.persist(path).map_err(|e| e.error)?;
    readable_by_all(&file)
}

/// A temporary file is private; a result is not.
fn readable_by_all(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}
