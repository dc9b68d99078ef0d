//! Plans, as TOML, and the matrix of cases and entries that a plan describes.
//!
//! A key of plans is a field of one of the structs below; `docs/reference/plans.md` explains each to users.

mod check;
mod matrix;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use crate::condition::Condition;
use crate::method::{CASE_S, SAMPLE_MS};
use crate::record::{Measure, Question, Turns, Value};

pub(crate) use matrix::LAYOUT;
pub use matrix::{CasePlan, Choices, EntryPlan, Here, Length, Matrix, PROGRAM, control_name};

/// The schema of plans that this version reads.
pub const SCHEMA: i64 = 2;

/// The word after a program's name with which it answers the protocol.
pub(crate) const SUBCOMMAND: &str = "candidate";

/// A plan, checked as far as it can be without a machine.
#[derive(Debug)]
pub struct Plan {
    /// The file's stem, such as `quick`.
    pub name: String,
    /// Path of the file, for messages.
    pub path: PathBuf,
    /// Folder in which its commands run.
    pub folder: PathBuf,
    /// Text of the file.
    pub text: String,
    pub(crate) file: File,
    /// Folders of this machine with their names in records, those with longer paths first.
    hidden: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct File {
    #[serde(rename = "schema")]
    _schema: i64,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) about: String,
    /// Name or path of the program whose runtimes the candidates name.
    program: Option<String>,
    #[serde(default)]
    pub(crate) filter: Vec<Condition>,
    #[serde(default)]
    pub(crate) sampling: Sampling,
    pub(crate) case: Vec<CaseTable>,
    pub(crate) candidate: Vec<CandidateTable>,
    #[serde(default)]
    pub(crate) question: Vec<Question>,
}

/// Rounds, samples and limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Sampling {
    /// Rounds of each case; if it is left out, `seconds` decides.
    pub(crate) rounds: Option<usize>,
    /// Time of each case in s, if `rounds` is left out.
    pub(crate) seconds: f64,
    /// Samples of each process; if it is left out, the time of a round decides.
    pub(crate) samples: Option<usize>,
    /// Minimum time of a sample, in ms.
    pub(crate) sample_ms: f64,
    /// Time of the samples of a round, in ms; if it is left out, the first rounds decide.
    pub(crate) round_ms: Option<u64>,
    /// Time limit of a candidate for one response, in s.
    pub(crate) limit_s: u64,
    /// Time limit of the run, in s: no round begins that would end later.
    pub(crate) budget_s: Option<u64>,
    /// Whether each iteration is a process of its own, as with whole commands. Then processes warm up in the first
    /// round only, and a round of long samples has one of each entry.
    pub(crate) fresh: bool,
}

impl Sampling {
    /// Returns the minimum time of a sample.
    pub(crate) fn sample(&self) -> Duration {
        Duration::from_secs_f64(self.sample_ms / 1e3)
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            rounds: None,
            seconds: CASE_S,
            samples: None,
            sample_ms: SAMPLE_MS,
            round_ms: None,
            limit_s: 60,
            budget_s: None,
            fresh: false,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CaseTable {
    pub(crate) workload: Spanned<String>,
    /// The work in words, with `{key}` for the value of a parameter, if reports show that instead of the workload.
    pub(crate) title: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) params: BTreeMap<String, OneOrMany<Value>>,
    pub(crate) threads: Option<Spanned<Threads>>,
    pub(crate) input: Option<Spanned<InputTable>>,
    /// Memory that is written before each sample, which is then one iteration with cold caches, such as `64 MiB`.
    pub(crate) evict: Option<Spanned<String>>,
    /// Names of candidates; all if it is left out.
    pub(crate) candidates: Option<Vec<Spanned<String>>>,
    /// Name of the candidate that the others are compared with; the first if it is left out.
    pub(crate) baseline: Option<Spanned<String>>,
    /// Quantity that entries are compared by; time if it is left out.
    #[serde(default)]
    pub(crate) measure: Measure,
    /// Which entries are alive at once and take turns; all of them if it is left out.
    #[serde(default)]
    pub(crate) turns: Turns,
    /// Whether each candidate is a step from the one before it.
    #[serde(default)]
    pub(crate) steps: bool,
    /// Whether reports show the input bytes per second.
    #[serde(default)]
    pub(crate) throughput: bool,
    /// Whether the baseline runs twice (an A/A control), which shows the noise floor.
    #[serde(default)]
    pub(crate) control: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct InputTable {
    /// Bytes of one item.
    pub(crate) bytes: u64,
    /// Number of items: `2^PARAM`, or `PARAM`; one if this is left out.
    pub(crate) times: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CandidateTable {
    /// Name, with `{key}` for the value of a label if lists make several candidates of one table.
    pub(crate) name: Spanned<String>,
    /// Description of the candidate, or of the change as a step, in a phrase.
    #[serde(default)]
    pub(crate) about: String,
    /// A runtime of the plan's program. Either this or `command`.
    pub(crate) runtime: Option<OneOrMany<String>>,
    /// A backend of the program's kernel; the best available if it is left out.
    pub(crate) backend: Option<OneOrMany<String>>,
    /// State of a runtime that the work does not use; the runtime does the work if it is left out.
    pub(crate) idle_runtime: Option<OneOrMany<String>>,
    /// Command of any program that speaks the protocol. `{threads}` stands for the number of threads; or `{program}`
    /// as the first word for the program that runs the plan.
    #[serde(default, deserialize_with = "check::command")]
    pub(crate) command: Option<Vec<String>>,
    /// The program in other memory layouts, which blocks of two rounds take in turn.
    #[serde(default)]
    pub(crate) layouts: Vec<String>,
    /// Whether each process runs a new copy of the program, of this block's layout if it has several.
    #[serde(default)]
    pub(crate) copy: bool,
    /// Parameters of this candidate only.
    #[serde(default)]
    pub(crate) params: BTreeMap<String, OneOrMany<Value>>,
    /// Environment variables.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Folder in which it runs, from the plan's; the plan's if it is left out.
    pub(crate) folder: Option<PathBuf>,
    /// Whether the program binds its own threads, as MPI launchers do; it is then not bound by the lab.
    #[serde(default)]
    pub(crate) binds_itself: bool,
    /// Further iterations of each sample in per cent, which are run and not counted: a planted slowdown.
    pub(crate) extra_percent: Option<Spanned<f64>>,
    /// Further labels for questions and filters.
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    /// Numbers of threads of the case that the candidate supports, or `"max"` for the greatest.
    pub(crate) threads: Option<Threads>,
    /// Workload for a limit, instead of the case's.
    pub(crate) workload: Option<Spanned<String>>,
    /// Whether the candidate shows a limit of the machine, such as reading memory.
    #[serde(default)]
    pub(crate) limit: bool,
}

impl CandidateTable {
    /// Returns the options of the plan's program that the candidate has, which are labels too, each with its values.
    fn options(&self) -> Vec<(&'static str, &[String])> {
        let all =
            [("runtime", &self.runtime), ("backend", &self.backend), ("idle-runtime", &self.idle_runtime)];
        all.into_iter().filter_map(|(key, values)| Some((key, values.as_ref()?.as_slice()))).collect()
    }
}

/// One value, or a list whose values make a case or a candidate each.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a value (a text, or a number of at least 0) or a list of values")]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(value) => std::slice::from_ref(value),
            OneOrMany::Many(values) => values,
        }
    }
}

/// Numbers of threads: a list, or a word. Of a case `"cores"`, for the powers of two up to the number of cores, and
/// that number; of a candidate `"max"`, for the largest number of the case.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a list of numbers, or a word")]
pub(crate) enum Threads {
    List(Vec<usize>),
    Word(String),
}

/// A plan that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum PlanError {
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}", path = path.display())]
    Syntax { path: PathBuf, source: Box<toml::de::Error> },
    #[error("{path}: in {field}: {source}", path = path.display())]
    Field { path: PathBuf, field: String, source: Box<toml::de::Error> },
    #[error("{path}: a plan of schema {found}, but this version reads schema {SCHEMA}", path = path.display())]
    Schema { path: PathBuf, found: i64 },
    #[error("{path}:{line}: {why}", path = path.display())]
    At { path: PathBuf, line: usize, why: String },
    #[error("{flag}: {why}")]
    Choice { flag: &'static str, why: String },
    #[error("the path of this program is not known without /proc: start it by its path")]
    OwnPath,
    #[error("{path} is not UTF-8: the path of this program has to be", path = path.display())]
    OwnName { path: PathBuf },
}

/// Returns the command for a program that a plan or the user names: a path is taken from `folder`; for a name, the
/// program next to this one if there is one, else the name, which the PATH finds.
pub fn resolve(name: &str, folder: &Path) -> String {
    let text = |path: PathBuf| path.into_os_string().into_string().ok();
    if name.contains('/') {
        // Candidates run in the folder of the plan, and all of them get this path.
        let whole = std::path::absolute(folder.join(name)).ok();
        return whole.and_then(text).unwrap_or_else(|| name.to_owned());
    }
    let own = std::env::current_exe().ok();
    let next = own.and_then(|own| Some(own.parent()?.join(name))).filter(|path| path.is_file());
    next.and_then(text).unwrap_or_else(|| name.to_owned())
}

impl Plan {
    /// Reads a plan from a file.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let io = |source| PlanError::Io { path: path.to_owned(), source };
        let text = std::fs::read_to_string(path).map_err(io)?;
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Plan::parse(path, folder.canonicalize().map_err(io)?, text)
    }

    /// Parses the text of a plan. `path` names it in messages; its commands run in `folder`.
    pub fn parse(path: &Path, folder: PathBuf, text: String) -> Result<Self, PlanError> {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let path = path.to_owned();
        let syntax = |source| PlanError::Syntax { path: path.clone(), source: Box::new(source) };
        // The schema is read first: a newer plan may have keys that this version does not know.
        let table: toml::Table = toml::from_str(&text).map_err(syntax)?;
        match table.get("schema").and_then(toml::Value::as_integer) {
            Some(SCHEMA) => {}
            Some(found) => return Err(PlanError::Schema { path, found }),
            _ => {
                let why = format!("a plan begins with `schema = {SCHEMA}`");
                return Err(PlanError::At { path, line: 1, why });
            }
        }
        let file = toml::Deserializer::parse(&text).map_err(syntax)?;
        let file: File = match serde_path_to_error::deserialize(file) {
            Ok(file) => file,
            Err(error) => {
                // The parser wraps values whose place in the file is kept.
                let key = error.path().to_string().replace(".$__serde_spanned_private_value", "");
                let tables = ["case", "candidate", "question"];
                let field = match key.as_str() {
                    "." => "the plan".to_owned(),
                    table if tables.contains(&table) => format!("`{table}`, which is written `[[{table}]]`"),
                    field => format!("`{field}`"),
                };
                return Err(PlanError::Field { path, field, source: Box::new(error.into_inner()) });
            }
        };
        let plan = Plan { name, path, folder, text, file, hidden: Vec::new() };
        check::check(&plan)?;
        Ok(plan)
    }

    /// Returns the plan of a command, whose text is part of its records.
    pub(crate) fn from_json(
        name: &str,
        folder: PathBuf,
        plan: &serde_json::Value,
    ) -> Result<Self, PlanError> {
        let path = PathBuf::from(format!("{name}.toml"));
        match toml::to_string(plan) {
            Ok(text) => Plan::parse(&path, folder, text),
            Err(error) => Err(PlanError::Syntax { path, source: Box::new(serde::de::Error::custom(error)) }),
        }
    }

    /// Gives folders, such as work trees that are removed after the run, other names in records of this plan: in its
    /// text, the commands, and why an entry failed.
    pub fn hide(&mut self, folders: impl IntoIterator<Item = (PathBuf, String)>) {
        for (folder, name) in folders {
            let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            self.hidden
                .extend([folder, whole].map(|path| (path.to_string_lossy().into_owned(), name.clone())));
        }
        self.hidden.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
    }

    /// Returns a text as records have it.
    pub(crate) fn shown(&self, text: &str) -> String {
        self.hidden.iter().fold(text.to_owned(), |text, (path, name)| text.replace(path.as_str(), name))
    }

    /// Returns rounds, samples and limits.
    pub(crate) fn sampling(&self) -> &Sampling {
        &self.file.sampling
    }

    /// Returns the command of the program whose runtimes the candidates name, if the plan names one.
    pub fn program(&self) -> Option<String> {
        self.file.program.as_deref().map(|name| resolve(name, &self.folder))
    }

    /// Returns the title.
    pub fn title(&self) -> &str {
        &self.file.title
    }

    /// Returns an error at the line of a value.
    pub(crate) fn at<T>(&self, place: &Spanned<T>, why: impl Into<String>) -> PlanError {
        self.at_offset(place.span().start, why)
    }

    /// Returns an error at the line of the byte at `offset`.
    pub(crate) fn at_offset(&self, offset: usize, why: impl Into<String>) -> PlanError {
        let line = self.text.bytes().take(offset).filter(|b| *b == b'\n').count() + 1;
        PlanError::At { path: self.path.clone(), line, why: why.into() }
    }

    /// Returns an error at the first line that begins with `key`, for values without a position; at the first line if
    /// there is none.
    fn at_key(&self, key: &str, why: impl Into<String>) -> PlanError {
        let line = self.text.lines().position(|line| line.trim_start().starts_with(key)).unwrap_or(0) + 1;
        PlanError::At { path: self.path.clone(), line, why: why.into() }
    }
}

/// Returns names with commas between them.
fn listed<T: fmt::Display>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    names.join(", ")
}
