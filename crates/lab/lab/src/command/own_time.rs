//! Times that benchmark programs report of themselves, from their standard output.
//!
//! Google Benchmark writes one JSON object (`--benchmark_format=json`, its user guide, 'Output Formats');
//! cargo-criterion writes a JSON object in each line (`--message-format=json`, the book of Criterion.rs, 'External
//! Tools'); pytest-benchmark one object (`--benchmark-json`); divan a tree of text.

pub(super) mod divan;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use parcrypt_stats::median;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::system::has_ended;

/// Greatest output that is read, in bytes.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// Names that an error lists.
const MOST_NAMES: usize = 20;

/// What a benchmark program prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Messages of cargo-criterion.
    Criterion,
    /// JSON of Google Benchmark.
    GoogleBenchmark,
    /// JSON of pytest-benchmark.
    PytestBenchmark,
    /// The tree of divan.
    Divan,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] =
        [Format::Criterion, Format::GoogleBenchmark, Format::PytestBenchmark, Format::Divan];

    /// Returns the name in arguments, such as `google-benchmark`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Criterion => "criterion",
            Format::GoogleBenchmark => "google-benchmark",
            Format::PytestBenchmark => "pytest-benchmark",
            Format::Divan => "divan",
        }
    }

    /// Returns the name of the program that has the format, with the option that selects it.
    fn program(self) -> &'static str {
        match self {
            Format::Criterion => "cargo-criterion (--message-format=json)",
            Format::GoogleBenchmark => "Google Benchmark (--benchmark_format=json)",
            Format::PytestBenchmark => "pytest-benchmark (--benchmark-json)",
            Format::Divan => "divan",
        }
    }
}

/// Which time counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Format of the output.
    pub format: Format,
    /// Name of the benchmark; the only one in the output if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// Folder for what is written of a suite. Then the name is the workload of the request, and the program is told to
    /// run this benchmark alone, by the filter of its format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<PathBuf>,
}

/// Output of a benchmark program that has no time which can count.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnTimeError {
    #[error("its output has {bytes} bytes, over the bound of {MOST_BYTES}")]
    TooLong { bytes: u64 },
    #[error("its output is not in the format of {}: {why}", format.program())]
    OtherFormat { format: Format, why: String },
    #[error("its output has no benchmark of {}", format.program())]
    Empty { format: Format },
    #[error("its output has no benchmark {name:?}, but {}", listed(names))]
    NoSuch { name: String, names: BTreeSet<String> },
    #[error("its output has {} benchmarks: choose one with --benchmark: {}", names.len(), listed(names))]
    Several { names: BTreeSet<String> },
    #[error("its output has the benchmark {name:?} more than once")]
    Twice { name: String },
    #[error("the benchmark {name:?} failed: {why:?}")]
    Failed { name: String, why: String },
    #[error(
        "the benchmark {name:?} has aggregates alone, without a median: leave out --benchmark_report_aggregates_only"
    )]
    Aggregates { name: String },
    #[error("the benchmark {name:?} has no `{field}`")]
    MissingField { name: String, field: &'static str },
    #[error("the benchmark {name:?} has {counts} numbers of iterations and {values} values")]
    Lengths { name: String, counts: usize, values: usize },
    #[error("the benchmark {name:?} has the unit {unit:?}: it must be ns, us, ms or s")]
    Unit { name: String, unit: String },
    #[error(
        "the benchmark {name:?} has the time {time} ns for an iteration: it must be above 0, and at most 1 h"
    )]
    Time { name: String, time: f64 },
}

fn listed(names: &BTreeSet<String>) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("{name:?}")).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// One benchmark of an output.
struct Found {
    name: String,
    /// Time of one iteration in each of its measurements, in ns, or why there is none.
    times: Result<Vec<f64>, OwnTimeError>,
}

/// Waits until a process has ended, and kills it if its output grows beyond [`MOST_BYTES`], which would fill the
/// disk otherwise.
///
/// # Errors
/// Errors of the system; within, [`OwnTimeError::TooLong`].
pub(super) fn watch(child: &mut Child, output: &File) -> std::io::Result<Result<(), OwnTimeError>> {
    /// Time between two checks, which is less than such programs take.
    const TICK: Duration = Duration::from_millis(2);
    while !has_ended(child)? {
        let bytes = output.metadata()?.len();
        if bytes > MOST_BYTES {
            child.kill()?;
            child.wait()?;
            return Ok(Err(OwnTimeError::TooLong { bytes }));
        }
        std::thread::sleep(TICK);
    }
    Ok(Ok(()))
}

/// Returns the time of one iteration in ns: the median over the repetitions of Google Benchmark, or over the samples of
/// Criterion. A median is not moved by one of them that was disturbed.
///
/// # Errors
/// [`OwnTimeError`].
pub(super) fn read(output: &[u8], reading: &Reading) -> Result<f64, OwnTimeError> {
    let format = reading.format;
    let all = found(output, format)?;
    let names: BTreeSet<String> = all.iter().map(|one| one.name.clone()).collect();
    let name = match (&reading.benchmark, names.len()) {
        (_, 0) => return Err(OwnTimeError::Empty { format }),
        (Some(name), _) if names.contains(name) => name.clone(),
        (Some(name), _) => return Err(OwnTimeError::NoSuch { name: name.clone(), names }),
        (None, 1) => all[0].name.clone(),
        (None, _) => return Err(OwnTimeError::Several { names }),
    };
    let mut times = Vec::new();
    for (number, one) in all.into_iter().filter(|one| one.name == name).enumerate() {
        // Google Benchmark has its repetitions.
        if number > 0 && format != Format::GoogleBenchmark {
            return Err(OwnTimeError::Twice { name });
        }
        times.extend(one.times?);
    }
    /// An hour in ns.
    const MOST: f64 = 3.6e12;
    /// The unit of records, a femtosecond.
    const LEAST: f64 = 1e-6;
    if let Some(time) = times.iter().find(|time| !(LEAST..=MOST).contains(*time)) {
        return Err(OwnTimeError::Time { name, time: *time });
    }
    median(times).ok_or(OwnTimeError::Aggregates { name })
}

/// Returns the benchmarks of an output, in its order.
fn found(output: &[u8], format: Format) -> Result<Vec<Found>, OwnTimeError> {
    match format {
        Format::Criterion => criterion(output),
        Format::GoogleBenchmark => google(output),
        Format::PytestBenchmark => pytest(output),
        Format::Divan => divan::found(output),
    }
}

/// Returns the number of ns in a unit.
fn nanoseconds(name: &str, unit: &str) -> Result<f64, OwnTimeError> {
    match unit {
        "ns" => Ok(1.0),
        "us" | "µs" => Ok(1e3),
        "ms" => Ok(1e6),
        "s" => Ok(1e9),
        _ => Err(OwnTimeError::Unit { name: name.to_owned(), unit: unit.to_owned() }),
    }
}

fn parse<'t, T: Deserialize<'t>>(text: &'t [u8], format: Format) -> Result<T, OwnTimeError> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let found = serde_path_to_error::deserialize(&mut json).map_err(|error| error.to_string());
    let found = found.and_then(|found| json.end().map(|()| found).map_err(|error| error.to_string()));
    found.map_err(|why| OwnTimeError::OtherFormat { format, why })
}

#[derive(Deserialize)]
struct Google {
    benchmarks: Vec<GoogleRun>,
}

/// An iteration run, or an aggregate, some of which have no time.
#[derive(Deserialize)]
struct GoogleRun {
    name: String,
    /// The name without its aggregate; missing before version 1.5.
    run_name: Option<String>,
    run_type: Option<String>,
    aggregate_name: Option<String>,
    real_time: Option<f64>,
    time_unit: Option<String>,
    #[serde(default)]
    error_occurred: bool,
    error_message: Option<String>,
    #[serde(default)]
    skipped: bool,
    skip_message: Option<String>,
}

fn google(output: &[u8]) -> Result<Vec<Found>, OwnTimeError> {
    let all: Google = parse(output, Format::GoogleBenchmark)?;
    let repeated: BTreeSet<String> =
        all.benchmarks.iter().filter(|run| run.is_iteration()).map(GoogleRun::benchmark).collect();
    let one = |run: GoogleRun| {
        let name = run.benchmark();
        // Some benchmarks report only aggregates, by `ReportAggregatesOnly`.
        let counts = run.is_iteration() || !repeated.contains(&name) && run.is_median();
        Found { times: if counts { google_time(&name, run) } else { Ok(Vec::new()) }, name }
    };
    Ok(all.benchmarks.into_iter().map(one).collect())
}

impl GoogleRun {
    fn benchmark(&self) -> String {
        self.run_name.as_ref().unwrap_or(&self.name).clone()
    }

    fn is_iteration(&self) -> bool {
        self.run_type.as_deref().is_none_or(|kind| kind == "iteration")
    }

    fn is_median(&self) -> bool {
        self.aggregate_name.as_deref() == Some("median")
    }
}

/// Returns the time of a run that counts.
fn google_time(name: &str, run: GoogleRun) -> Result<Vec<f64>, OwnTimeError> {
    let name = || name.to_owned();
    if run.error_occurred || run.skipped {
        let why = run.error_message.or(run.skip_message).unwrap_or_default();
        return Err(OwnTimeError::Failed { name: name(), why });
    }
    let missing = |field| OwnTimeError::MissingField { name: name(), field };
    let time = run.real_time.ok_or_else(|| missing("real_time"))?;
    let unit = run.time_unit.ok_or_else(|| missing("time_unit"))?;
    Ok(vec![time * nanoseconds(&name(), &unit)?])
}

/// Returns the JSON objects that begin a line and have these fields, whatever is printed between them.
fn objects<T: DeserializeOwned>(output: &[u8], format: Format) -> Result<Vec<T>, OwnTimeError> {
    let (mut all, mut wrong) = (Vec::new(), None);
    let mut rest = output;
    while !rest.is_empty() {
        if rest[0] == b'{' {
            let mut stream = serde_json::Deserializer::from_slice(rest).into_iter();
            match stream.next() {
                Some(Ok(one)) => {
                    all.push(one);
                    rest = &rest[stream.byte_offset()..];
                }
                Some(Err(why)) => wrong = Some(why.to_string()),
                None => {}
            }
        }
        let line = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        rest = &rest[line..];
    }
    match wrong {
        Some(why) if all.is_empty() => Err(OwnTimeError::OtherFormat { format, why }),
        None if all.is_empty() => {
            Err(OwnTimeError::OtherFormat { format, why: "no line begins with `{`".into() })
        }
        _ => Ok(all),
    }
}

/// Number of ns in a second.
const SECOND: f64 = 1e9;

#[derive(Deserialize)]
struct Pytest {
    benchmarks: Vec<PytestRun>,
}

#[derive(Deserialize)]
struct PytestRun {
    /// Node of pytest, such as `test_sort.py::test_sort[1000]`.
    fullname: String,
    stats: PytestStats,
}

#[derive(Deserialize)]
struct PytestStats {
    /// Over the rounds, of the time of one iteration in s.
    median: f64,
}

fn pytest(output: &[u8]) -> Result<Vec<Found>, OwnTimeError> {
    let all: Vec<Pytest> = objects(output, Format::PytestBenchmark)?;
    let one = |run: PytestRun| Found { name: run.fullname, times: Ok(vec![run.stats.median * SECOND]) };
    Ok(all.into_iter().flat_map(|all| all.benchmarks).map(one).collect())
}

#[derive(Deserialize)]
struct Message {
    reason: String,
}

#[derive(Deserialize)]
struct Complete {
    id: String,
    iteration_count: Vec<f64>,
    measured_values: Vec<f64>,
    unit: String,
}

/// Reads the lines that begin with `{`; what benchmarks print themselves may be between them.
fn criterion(output: &[u8]) -> Result<Vec<Found>, OwnTimeError> {
    let mut all = Vec::new();
    for line in output.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{")) {
        let message: Message = parse(line, Format::Criterion)?;
        if message.reason == "benchmark-complete" {
            let found: Complete = parse(line, Format::Criterion)?;
            all.push(Found { times: criterion_times(&found), name: found.id });
        }
    }
    Ok(all)
}

/// Returns the time of one iteration in each sample.
fn criterion_times(found: &Complete) -> Result<Vec<f64>, OwnTimeError> {
    let (counts, values) = (found.iteration_count.len(), found.measured_values.len());
    if counts != values || counts == 0 {
        return Err(OwnTimeError::Lengths { name: found.id.clone(), counts, values });
    }
    let unit = nanoseconds(&found.id, &found.unit)?;
    let samples = found.measured_values.iter().zip(&found.iteration_count);
    Ok(samples.map(|(value, count)| value * unit / count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn google(benchmark: Option<&str>, runs: &str) -> Result<f64, String> {
        let text = format!(r#"{{"context": {{"num_cpus": 2, "caches": []}}, "benchmarks": [{runs}]}}"#);
        by(Format::GoogleBenchmark, benchmark, &text)
    }

    fn by(format: Format, benchmark: Option<&str>, text: &str) -> Result<f64, String> {
        let reading = Reading { format, benchmark: benchmark.map(str::to_owned), suite: None };
        read(text.as_bytes(), &reading).map_err(|error| error.to_string())
    }

    /// Returns an iteration run as Google Benchmark 1.7 writes it.
    fn run(name: &str, repetition: u32, time: &str, unit: &str) -> String {
        format!(
            r#"{{"name": "{name}", "family_index": 0, "per_family_instance_index": 0, "run_name": "{name}",
            "run_type": "iteration", "repetitions": 3, "repetition_index": {repetition}, "threads": 1,
            "iterations": 1000, "real_time": {time}, "cpu_time": 9.9e+01, "time_unit": "{unit}"}}"#
        )
    }

    #[test]
    fn a_benchmark_has_the_median_of_its_repetitions() {
        let aggregate = r#"{"name": "f_mean", "run_name": "f", "run_type": "aggregate", "aggregate_name": "mean",
            "real_time": 1.0, "cpu_time": 1.0, "time_unit": "us"}"#;
        let big_o = r#"{"name": "f_BigO", "run_name": "f", "run_type": "aggregate", "aggregate_name": "BigO",
            "cpu_coefficient": 1.0, "real_coefficient": 1.0, "big_o": "N", "time_unit": "ns"}"#;
        let runs = [
            run("f", 0, "2.5e+00", "us"),
            run("f", 1, "9e+00", "us"),
            run("f", 2, "3", "us"),
            aggregate.to_owned(),
            big_o.to_owned(),
        ];
        assert_eq!(google(None, &runs.join(",")), Ok(3000.0));
        let two = [run("f/8", 0, "4", "ms"), run("g", 0, "0.25", "s")].join(",");
        assert_eq!(google(Some("f/8"), &two), Ok(4e6));
        assert_eq!(google(Some("g"), &two), Ok(0.25e9));
        // As before version 1.5.
        assert_eq!(
            google(None, r#"{"name": "h", "iterations": 5, "real_time": 7, "time_unit": "ns"}"#),
            Ok(7.0)
        );
        let why = google(None, aggregate).unwrap_err();
        assert_eq!(
            why,
            "the benchmark \"f\" has aggregates alone, without a median: leave out --benchmark_report_aggregates_only"
        );
        let medians = format!("{aggregate},{}", aggregate.replace("mean", "median").replace("1.0", "2.5"));
        assert_eq!(google(None, &medians), Ok(2500.0));
    }

    #[test]
    fn output_without_a_time_is_an_error_that_says_why() {
        let two = [run("f", 0, "4", "ns"), run("g\\n", 0, "4", "ns")].join(",");
        let failed = r#"{"name": "f", "error_occurred": true, "error_message": "no\nfile", "real_time": 0.0,
            "time_unit": "ns"}"#;
        let many: Vec<String> = (10..40).map(|n| run(&n.to_string(), 0, "1", "ns")).collect();
        for (name, runs, why) in [
            (None, "", "its output has no benchmark of Google Benchmark (--benchmark_format=json)"),
            (None, &*two, "its output has 2 benchmarks: choose one with --benchmark: \"f\", \"g\\n\""),
            (Some("h"), &two, "its output has no benchmark \"h\", but \"f\", \"g\\n\""),
            (None, &many.join(","), "\"28\", \"29\" and 10 more"),
            (None, failed, "the benchmark \"f\" failed: \"no\\nfile\""),
            (None, &run("f", 0, "0", "ns"), "has the time 0 ns for an iteration: it must be above 0"),
            (None, &run("f", 0, "-1", "ns"), "has the time -1 ns"),
            (None, &run("f", 0, "1e300", "s"), "it must be above 0, and at most 1 h"),
            (None, &run("f", 0, "1e400", "s"), "benchmarks[0].real_time: number out of range"),
            (None, &run("f", 0, "NaN", "s"), "benchmarks[0]"),
            (None, &run("f", 0, "\"1\"", "s"), "benchmarks[0].real_time: invalid type: string"),
            (None, &run("f", 0, "1", "min"), "has the unit \"min\": it must be ns, us, ms or s"),
            (None, r#"{"name": "f", "time_unit": "ns"}"#, "the benchmark \"f\" has no `real_time`"),
            (None, r#"{"name": "f", "real_time": 1}"#, "the benchmark \"f\" has no `time_unit`"),
            (None, r#"{"real_time": 1}"#, "benchmarks[0]: missing field `name`"),
        ] {
            let found = google(name, runs).unwrap_err();
            assert!(found.contains(why), "{found}\n{why}");
        }
        for (text, why) in [
            ("", "its output is not in the format of Google Benchmark (--benchmark_format=json): "),
            ("BM_f  12 ns  12 ns  1000\n", "is not in the format of Google Benchmark"),
            ("{}", "missing field `benchmarks`"),
            (r#"{"benchmarks": []} x"#, "trailing characters"),
        ] {
            let found = by(Format::GoogleBenchmark, None, text).unwrap_err();
            assert!(found.contains(why), "{found}\n{why}");
        }
    }

    /// Returns a message as cargo-criterion 1.1 writes it.
    fn message(id: &str, counts: &str, values: &str, unit: &str) -> String {
        format!(
            r#"{{"reason":"benchmark-complete","id":"{id}","report_directory":"/x","iteration_count":{counts},"measured_values":{values},"unit":"{unit}","throughput":[],"typical":{{"estimate":1.0,"lower_bound":1.0,"upper_bound":1.0,"unit":"ns"}},"mean":null,"median":null,"median_abs_dev":null,"slope":null,"change":null}}"#
        ) + "\n"
    }

    #[test]
    fn messages_of_criterion_have_the_median_of_their_samples() {
        let group =
            r#"{"reason":"group-complete","group_name":"f","benchmarks":["f"],"report_directory":"/x"}"#;
        // 10, 12 and 11 ns for an iteration.
        let f = message("f", "[10, 20, 30]", "[100.0, 240.0, 330.0]", "ns");
        let g = message("g/7", "[1]", "[2.5]", "us");
        let criterion = |name: Option<&str>, text: &str| by(Format::Criterion, name, text);
        assert_eq!(criterion(None, &format!("printed by the benchmark\n{f}{group}\n")), Ok(11.0));
        assert_eq!(criterion(Some("g/7"), &format!("{f}{g}")), Ok(2500.0));
        for (name, text, why) in [
            (
                None,
                format!("{f}{g}"),
                "its output has 2 benchmarks: choose one with --benchmark: \"f\", \"g/7\"",
            ),
            (Some("f"), format!("{f}{f}"), "its output has the benchmark \"f\" more than once"),
            (None, format!("{group}\n"), "has no benchmark of cargo-criterion (--message-format=json)"),
            (None, "{x}\n".to_owned(), "is not in the format of cargo-criterion"),
            (
                None,
                r#"{"reason":"benchmark-complete","id":"f"}"#.to_owned(),
                "missing field `iteration_count`",
            ),
            (None, message("f", "[1, 2]", "[1.0]", "ns"), "has 2 numbers of iterations and 1 values"),
            (None, message("f", "[]", "[]", "ns"), "has 0 numbers of iterations and 0 values"),
            (None, message("f", "[0]", "[0.0]", "ns"), "has the time NaN ns"),
            (None, message("f", "[0]", "[1.0]", "ns"), "has the time inf ns"),
            (None, message("f", "[1]", "[1.0]", "cycles"), "has the unit \"cycles\""),
        ] {
            let found = criterion(name, &text).unwrap_err();
            assert!(found.contains(why), "{found}\n{why}");
        }
    }
}
