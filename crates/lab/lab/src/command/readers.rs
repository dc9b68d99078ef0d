//! What benchmark programs print of themselves, as values of a benchmark, and how such a program is told to list its
//! benchmarks and to run one of them.
//!
//! Each kind of program is a row of [`READERS`]. What it prints becomes [`Line`]s, whatever it looks like; a new kind
//! is a function that returns these, and a row.

mod json;
#[cfg(test)]
mod tests;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use parcrypt_stats::median;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Prepared, Quantity, WholeCommand, WholeCommandError, variable};
use crate::process_tree;
use crate::record::{OWN_TIME, Params};
use crate::system::has_ended;

/// Greatest output that is read, in bytes.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// Names that an error lists.
const MAX_NAMES: usize = 20;

/// Time in s that a program measures by default: many short processes tell more than a few long ones.
const SECONDS: &str = "0.05";

/// What a benchmark program prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Messages of cargo-criterion, a JSON object in each line (the book of Criterion.rs, 'External Tools').
    Criterion,
    /// JSON of Google Benchmark (its user guide, 'Output Formats').
    GoogleBenchmark,
    /// JSON of pytest-benchmark.
    PytestBenchmark,
    /// The tree of divan.
    Divan,
    /// Lines of Go's package testing (the Go benchmark data format).
    Go,
}

/// A kind of benchmark programs.
struct Reader {
    /// The program, with the option that selects the format.
    program: &'static str,
    /// Whether a benchmark may have several values, of which the median counts.
    repeats: bool,
    read: fn(&[u8]) -> Result<Vec<Line>, String>,
    /// Tells a program to run one benchmark, with a folder for its results.
    one: fn(&mut Asked, &str, &Path),
    /// Returns the JSON line of each benchmark.
    list: fn(Asked, &Path) -> Result<Vec<String>, WholeCommandError>,
}

/// The rows, in the order of [`Format`].
static READERS: [Reader; 5] = [
    Reader {
        program: "cargo-criterion (--message-format=json)",
        repeats: false,
        read: json::criterion,
        // It has no filter, and all benchmarks run.
        one: |_, _, _| {},
        list: |_, _| Ok(Vec::new()),
    },
    Reader {
        program: "Google Benchmark (--benchmark_format=json)",
        repeats: true,
        read: json::google,
        one: |asked, name, folder| {
            let out = format!("--benchmark_out={}", asked.write_to(folder));
            // The expression may be POSIX's, which knows no other escapes.
            let filter = format!("--benchmark_filter=^{}$", escaped(name, r".[\()*+?{|^$"));
            asked.add([filter.as_str(), &out, "--benchmark_out_format=json"]);
            asked.add_default("--benchmark_min_time", SECONDS);
        },
        list: |mut asked, _| {
            asked.add(["--benchmark_list_tests"]);
            Ok(asked.text(&[0])?.lines().map(named).collect())
        },
    },
    Reader {
        program: "pytest-benchmark (--benchmark-json)",
        repeats: false,
        read: json::pytest,
        one: |asked, name, folder| {
            asked.load_plugin(folder);
            asked.set(ONE, name);
            let json = format!("--benchmark-json={}", asked.write_to(folder));
            asked.add(["--benchmark-enable", &json]);
            asked.add_default("--benchmark-max-time", SECONDS);
        },
        list: |mut asked, folder| {
            let failed = |source| WholeCommandError::Output { source };
            std::fs::write(folder.join(format!("{MODULE}.py")), PLUGIN).map_err(failed)?;
            asked.load_plugin(folder);
            let file = asked.write_to(folder);
            asked.set(LIST, &file);
            asked.add(["--collect-only", "-q"]);
            // Tests failed, as files that are no module; interrupted; none collected.
            Ok(asked.text(&[0, 1, 2, 5])?.lines().map(str::to_owned).collect())
        },
    },
    Reader {
        program: "divan",
        repeats: false,
        read: text::divan,
        one: |asked, name, _| {
            // As Cargo does itself.
            let words = &asked.command.words;
            let is_cargo =
                Path::new(&words[asked.command.program()]).file_stem().is_some_and(|s| s == "cargo");
            asked.add((!is_cargo).then_some("--bench"));
            asked.add(["--exact", name]);
            // A filter matches the benchmark, which runs on each number of threads.
            asked.add(text::without_threads(name));
            asked.set("DIVAN_MAX_TIME", &asked.get("DIVAN_MAX_TIME").unwrap_or_else(|| SECONDS.to_owned()));
        },
        list: |mut asked, _| {
            let mut tested = asked.clone();
            // The list that cargo-nextest asks for has arguments, but not the numbers of threads.
            asked.set("NEXTEST", "1");
            asked.add(["--list", "--format", "terse"]);
            let listed = asked.text(&[0])?;
            tested.add(["--test"]);
            // If one fails, it says so when it is measured, and those after it have one number of threads.
            let tree = tested.text(&[]).unwrap_or_default();
            Ok(text::names(&listed, &tree).iter().map(|name| named(name)).collect())
        },
    },
    Reader {
        program: "Go's `testing` (-bench)",
        repeats: true,
        read: text::go,
        one: |asked, name, _| {
            asked.add([format!("-test.bench={}", text::go_pattern(name))]);
            asked.add(["-test.run=^$", "-test.benchmem"]);
            asked.add_default("-test.benchtime", &format!("{SECONDS}s"));
        },
        // Only a run has the benchmarks inside of others.
        list: |mut asked, _| {
            asked.add_default("-test.bench", ".");
            asked.add(["-test.run=^$", "-test.benchtime=1x", "-test.count=1"]);
            // One failed.
            let lines = text::go(asked.text(&[0, 1])?.as_bytes()).unwrap_or_default();
            let times = lines.iter().filter(|line| line.measure == OWN_TIME);
            let listed = |line: &Line| match &line.value {
                Err(ReadError::Benchmark { why, .. }) => {
                    json!({ "benchmark": line.benchmark, "failed": why }).to_string()
                }
                _ => named(&line.benchmark),
            };
            Ok(times.map(listed).collect())
        },
    },
];

impl Format {
    fn reader(self) -> &'static Reader {
        &READERS[self as usize]
    }
}

impl std::str::FromStr for Format {
    type Err = serde::de::value::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Format::deserialize(name.into_deserializer())
    }
}

/// Which benchmark of an output counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Format of the output.
    pub format: Format,
    /// Name of the benchmark; the only one in the output if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// Folder for what is written of a suite. Then the name is the workload of the request, and the program is told to
    /// run only this benchmark, by the filter of its format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<PathBuf>,
}

impl Reading {
    /// Returns the error of a file of results that was not written, as of a filter that matches nothing.
    pub(super) fn empty(&self) -> ReadError {
        ReadError::Empty { program: self.format.reader().program }
    }
}

/// One value of a benchmark: what all readers return.
struct Line {
    benchmark: String,
    /// Name of a count; [`OWN_TIME`] for a time.
    measure: String,
    /// Value of one iteration, a time in ns, or why there is none.
    value: Result<f64, ReadError>,
}

impl Line {
    /// Returns a time in this unit.
    fn time(benchmark: &str, time: f64, unit: &str) -> Self {
        let ns = match unit {
            "ns" => Ok(1.0),
            "us" | "µs" => Ok(1e3),
            "ms" => Ok(1e6),
            "s" => Ok(1e9),
            _ => Err(wrong(benchmark, format!("has the unit {unit:?}: it must be ns, us, ms or s"))),
        };
        Line { benchmark: benchmark.to_owned(), measure: OWN_TIME.to_owned(), value: ns.map(|ns| time * ns) }
    }

    /// Returns the reason why a benchmark has no time.
    fn without(benchmark: &str, why: String) -> Self {
        Line { value: Err(wrong(benchmark, why)), ..Line::time(benchmark, 0.0, "ns") }
    }

    /// Returns that a benchmark was skipped, with its reason.
    fn skipped(benchmark: &str, why: String) -> Self {
        Line { value: Err(ReadError::Skipped { why }), ..Line::time(benchmark, 0.0, "ns") }
    }
}

/// Output of a benchmark program that has no value which can count.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error("its output has {bytes} bytes, over the limit of {MAX_BYTES}")]
    TooLong { bytes: u64 },
    #[error("its output is not in the format of {program}: {why}")]
    OtherFormat { program: &'static str, why: String },
    #[error("its output has no benchmark of {program}")]
    Empty { program: &'static str },
    #[error("its output has no benchmark {name:?}, but {}", listed(names))]
    NoSuch { name: String, names: BTreeSet<String> },
    #[error("its output has {} benchmarks: choose one with --benchmark: {}", names.len(), listed(names))]
    Several { names: BTreeSet<String> },
    #[error("its output has the benchmark {name:?} more than once")]
    Twice { name: String },
    #[error("the benchmark {name:?} {why}")]
    Benchmark { name: String, why: String },
    #[error("skipped: {why}")]
    Skipped { why: String },
}

fn wrong(name: &str, why: String) -> ReadError {
    ReadError::Benchmark { name: name.to_owned(), why }
}

fn listed(names: &BTreeSet<String>) -> String {
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("{name:?}")).collect();
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Waits until a process has ended, and kills it if its output grows beyond [`MAX_BYTES`], which would fill the
/// disk otherwise.
///
/// # Errors
/// Errors of the system; within, [`ReadError::TooLong`].
pub(super) fn watch(child: &mut Child, output: &File) -> std::io::Result<Result<(), ReadError>> {
    /// Time between two checks, which is less than such programs take.
    const TICK: Duration = Duration::from_millis(2);
    while !has_ended(child)? {
        let bytes = output.metadata()?.len();
        if bytes > MAX_BYTES {
            child.kill()?;
            child.wait()?;
            return Ok(Err(ReadError::TooLong { bytes }));
        }
        std::thread::sleep(TICK);
    }
    Ok(Ok(()))
}

/// Returns the values of one iteration by name: its time in fs, and counts, each the median of what is printed of the
/// benchmark. A median is not moved by a repetition that was disturbed.
pub(super) fn read(output: &[u8], reading: &Reading) -> Result<BTreeMap<String, u64>, ReadError> {
    let Reader { program, repeats, read, .. } = reading.format.reader();
    let lines = read(output).map_err(|why| ReadError::OtherFormat { program, why })?;
    let names: BTreeSet<String> = lines.iter().map(|line| line.benchmark.clone()).collect();
    let is_called =
        |found: &&String, name: &str| reading.format == Format::Go && text::is_called(found, name);
    let name = match (&reading.benchmark, names.len()) {
        (_, 0) => return Err(reading.empty()),
        (Some(name), _) if names.contains(name) => name.clone(),
        (Some(name), _) => match names.iter().find(|found| is_called(found, name)) {
            Some(found) => found.clone(),
            None => return Err(ReadError::NoSuch { name: name.clone(), names }),
        },
        (None, 1) => lines[0].benchmark.clone(),
        (None, _) => return Err(ReadError::Several { names }),
    };
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in lines.into_iter().filter(|line| line.benchmark == name) {
        values.entry(line.measure).or_default().push(line.value?);
    }
    let times = values.get(OWN_TIME).ok_or_else(|| wrong(&name, "has no time".to_owned()))?;
    if times.len() > 1 && !repeats {
        return Err(ReadError::Twice { name });
    }
    /// An hour in ns, and the unit of records, a femtosecond.
    const HOUR: f64 = 3.6e12;
    const MIN: f64 = 1e-6;
    if let Some(time) = times.iter().find(|time| !(MIN..=HOUR).contains(*time)) {
        let limits = "it must be above 0, and at most 1 h";
        return Err(wrong(&name, format!("has the time {time} ns for an iteration: {limits}")));
    }
    let unit = |name: &str| if name == OWN_TIME { 1e6 } else { 1.0 };
    let one = |(name, all): (String, Vec<f64>)| Some(((median(all)? * unit(&name)).round() as u64, name));
    Ok(values.into_iter().filter_map(one).map(|(value, name)| (name, value)).collect())
}

/// Module that pytest loads: with the variable [`LIST`] it writes the benchmarks to a file, with [`ONE`] it keeps one.
const PLUGIN: &str = include_str!("readers/parlab_suite.py");
const MODULE: &str = "parlab_suite";
const LIST: &str = "PARLAB_SUITE_LIST";
const ONE: &str = "PARLAB_SUITE_BENCHMARK";

/// A command for a program of benchmarks.
#[derive(Clone)]
struct Asked {
    command: WholeCommand,
    /// The user's command, for messages.
    shown: String,
    /// File to which it writes its results, if that is not its standard output.
    results: Option<PathBuf>,
}

impl Asked {
    fn new(command: &WholeCommand) -> Self {
        Asked { command: command.clone(), shown: super::join(&command.words), results: None }
    }

    /// Adds arguments at the end.
    fn add<W: Into<String>>(&mut self, words: impl IntoIterator<Item = W>) {
        self.command.words.extend(words.into_iter().map(Into::into));
    }

    /// Adds an option, unless the user's words have it, with or without Go's `test.`.
    fn add_default(&mut self, option: &str, value: &str) {
        fn plain(word: &str) -> &str {
            let name = word.split('=').next().unwrap_or(word).trim_start_matches('-');
            name.strip_prefix("test.").unwrap_or(name)
        }
        let is_given = |word: &String| word.starts_with('-') && plain(word) == plain(option);
        if !self.command.words.iter().any(is_given) {
            self.add([format!("{option}={value}")]);
        }
    }

    /// Sets a variable, before those that the user's words set.
    fn set(&mut self, name: &str, value: &str) {
        self.command.words.insert(0, format!("{name}={value}"));
    }

    /// Returns the value of a variable by the user's words or else by the environment.
    fn get(&self, name: &str) -> Option<String> {
        let set = self.command.words.iter().map_while(|word| variable(word));
        let set = set.filter(|(found, _)| *found == name).last().map(|(_, value)| value.to_owned());
        set.or_else(|| std::env::var(name).ok())
    }

    /// Makes it write its results to a file of this process in a folder, and returns the path.
    fn write_to(&mut self, folder: &Path) -> String {
        let file = folder.join(format!("{}.json", std::process::id()));
        self.results.insert(file).to_string_lossy().into_owned()
    }

    /// Makes pytest load our module.
    fn load_plugin(&mut self, folder: &Path) {
        const PATH: &str = "PYTHONPATH";
        let folders = self.get(PATH).into_iter().filter(|folders| !folders.is_empty());
        let folders: Vec<String> =
            std::iter::once(folder.to_string_lossy().into_owned()).chain(folders).collect();
        // After the user's, so that it wins.
        let at = self.command.program();
        self.command.words.insert(at, format!("{PATH}={}", folders.join(":")));
        self.add(["-p", MODULE, "--continue-on-collection-errors"]);
    }

    /// Returns the command, ready to run, which messages name without what was added to it.
    fn prepared(self) -> Result<Prepared, WholeCommandError> {
        let prepared = Prepared::new(&self.command, &Params::new())?;
        Ok(Prepared { shown: self.shown, results: self.results, ..prepared })
    }

    /// Returns what a program prints that ends with one of these exit codes, or with any.
    fn text(self, codes: &[i32]) -> Result<String, WholeCommandError> {
        let prepared = self.prepared()?;
        let (_, status) = prepared.run()?;
        let is_expected = codes.is_empty() || status.code().is_some_and(|code| codes.contains(&code));
        if !is_expected {
            return Err(WholeCommandError::Exit {
                command: prepared.shown,
                how: process_tree::ended(status),
            });
        }
        Ok(String::from_utf8_lossy(&prepared.text()?).into_owned())
    }
}

/// Returns the command that measures one benchmark of a suite, ready to run.
pub(super) fn one(
    command: &WholeCommand,
    reading: &Reading,
    folder: &Path,
    name: &str,
) -> Result<Prepared, WholeCommandError> {
    let mut asked = Asked::new(command);
    asked.command.quantity =
        Quantity::OwnTime(Reading { benchmark: Some(name.to_owned()), ..reading.clone() });
    (reading.format.reader().one)(&mut asked, name, folder);
    asked.prepared()
}

/// Returns a text as a regular expression, with a backslash before these characters.
fn escaped(text: &str, special: &str) -> String {
    text.chars().flat_map(|c| special.contains(c).then_some('\\').into_iter().chain([c])).collect()
}

/// Returns the line of a list for a benchmark.
fn named(name: &str) -> String {
    json!({ "benchmark": name }).to_string()
}

/// Writes the benchmarks of a program of a suite, as programs with our Criterion do: a JSON line for each, and one for
/// the end.
///
/// # Errors
/// The program cannot be started, fails, or prints something else; `to` cannot be written.
pub fn list(command: &WholeCommand, to: &mut dyn Write) -> Result<(), WholeCommandError> {
    let failed = |source| WholeCommandError::Output { source };
    let Quantity::OwnTime(Reading { format, suite: Some(folder), .. }) = &command.quantity else {
        return Ok(());
    };
    command.enter().map_err(failed)?;
    let lines = (format.reader().list)(Asked::new(command), folder)?;
    lines.iter().try_for_each(|line| writeln!(to, "{line}")).map_err(failed)?;
    writeln!(to, "{}", json!({ "end": lines.len() })).map_err(failed)
}

/// Returns whether a program was started to list its benchmarks.
pub fn is_asked_to_list() -> bool {
    std::env::var_os(super::VARIABLE).is_some_and(|asked| asked == super::LIST)
}
