//! Readers of JSON: Google Benchmark, cargo-criterion and pytest-benchmark.

use std::collections::BTreeSet;

use parcrypt_stats::median;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Line;

fn parse<'t, T: Deserialize<'t>>(text: &'t [u8]) -> Result<T, String> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let found = serde_path_to_error::deserialize(&mut json).map_err(|error| error.to_string());
    found.and_then(|found| json.end().map(|()| found).map_err(|error| error.to_string()))
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

/// Returns the time of each repetition; the median of a benchmark that reports only aggregates.
pub(super) fn google(output: &[u8]) -> Result<Vec<Line>, String> {
    let runs = parse::<Google>(output)?.benchmarks;
    let is_repetition = |run: &GoogleRun| run.run_type.as_deref().is_none_or(|kind| kind == "iteration");
    let is_median = |run: &GoogleRun| run.aggregate_name.as_deref() == Some("median");
    let named = |counts: &dyn Fn(&GoogleRun) -> bool| -> BTreeSet<String> {
        runs.iter().filter(|run| counts(run)).map(GoogleRun::benchmark).collect()
    };
    let (repeated, with_median) = (named(&is_repetition), named(&is_median));
    let line = |run: GoogleRun| {
        let name = run.benchmark();
        match repeated.contains(&name) {
            true => is_repetition(&run).then(|| run.line(&name)),
            false if with_median.contains(&name) => is_median(&run).then(|| run.line(&name)),
            false => {
                let why =
                    "has only aggregates, without a median: leave out --benchmark_report_aggregates_only";
                Some(Line::without(&name, why.to_owned()))
            }
        }
    };
    Ok(runs.into_iter().filter_map(line).collect())
}

impl GoogleRun {
    fn benchmark(&self) -> String {
        self.run_name.as_ref().unwrap_or(&self.name).clone()
    }

    fn line(self, name: &str) -> Line {
        let missing = |field: &str| Line::without(name, format!("has no `{field}`"));
        match (self.real_time, self.time_unit) {
            _ if self.error_occurred => {
                Line::without(name, format!("failed: {:?}", self.error_message.unwrap_or_default()))
            }
            _ if self.skipped => Line::skipped(name, self.skip_message.unwrap_or_default()),
            (None, _) => missing("real_time"),
            (_, None) => missing("time_unit"),
            (Some(time), Some(unit)) => Line::time(name, time, &unit),
        }
    }
}

#[derive(Deserialize)]
struct Pytest {
    benchmarks: Vec<PytestRun>,
}

#[derive(Deserialize)]
struct PytestRun {
    /// Node of pytest, such as `test_sort.py::test_sort[1000]`.
    fullname: String,
    stats: Option<PytestStats>,
    /// Why it was skipped, by our module.
    #[serde(default)]
    skipped: String,
}

#[derive(Deserialize)]
struct PytestStats {
    /// Over the rounds, of the time of one iteration in s.
    median: f64,
}

pub(super) fn pytest(output: &[u8]) -> Result<Vec<Line>, String> {
    let runs = objects::<Pytest>(output)?.into_iter().flat_map(|all| all.benchmarks);
    let line = |run: PytestRun| match run.stats {
        Some(stats) => Line::time(&run.fullname, stats.median, "s"),
        None => Line::skipped(&run.fullname, run.skipped),
    };
    Ok(runs.map(line).collect())
}

/// Returns the JSON objects that begin a line and have these fields, whatever is printed between them.
fn objects<T: DeserializeOwned>(output: &[u8]) -> Result<Vec<T>, String> {
    let lines = output.split_inclusive(|byte| *byte == b'\n').scan(0, |at, line| {
        *at += line.len();
        Some((*at - line.len(), line))
    });
    let begin = lines.filter(|(_, line)| line.starts_with(b"{"));
    let found =
        begin.filter_map(|(at, _)| serde_json::Deserializer::from_slice(&output[at..]).into_iter().next());
    let (all, wrong): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
    match wrong.into_iter().filter_map(Result::err).next_back() {
        Some(why) if all.is_empty() => Err(why.to_string()),
        None if all.is_empty() => Err("no line begins with `{`".to_owned()),
        _ => Ok(all.into_iter().filter_map(Result::ok).collect()),
    }
}

#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Message {
    BenchmarkComplete {
        id: String,
        iteration_count: Vec<f64>,
        measured_values: Vec<f64>,
        unit: String,
    },
    #[serde(other)]
    Other,
}

/// Returns the median over the samples of the time of one iteration, from the lines that begin with `{`; what
/// benchmarks print themselves may be between them.
pub(super) fn criterion(output: &[u8]) -> Result<Vec<Line>, String> {
    let mut all = Vec::new();
    for line in output.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{")) {
        let Message::BenchmarkComplete { id, iteration_count, measured_values, unit } = parse(line)? else {
            continue;
        };
        let (counts, values) = (iteration_count.len(), measured_values.len());
        let times = measured_values.iter().zip(&iteration_count).map(|(value, count)| value / count);
        let times: Vec<f64> = times.collect();
        let wrong = times.iter().copied().find(|time| !time.is_finite() || *time <= 0.0);
        all.push(match wrong.or_else(|| median(times)) {
            Some(time) if counts == values => Line::time(&id, time, &unit),
            _ => Line::without(&id, format!("has {counts} numbers of iterations and {values} values")),
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use crate::command::readers::Format;
    use crate::command::readers::tests::by;

    fn google(benchmark: Option<&str>, runs: &str) -> Result<f64, String> {
        let text = format!(r#"{{"context": {{"num_cpus": 2, "caches": []}}, "benchmarks": [{runs}]}}"#);
        by(Format::GoogleBenchmark, benchmark, &text)
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
            "the benchmark \"f\" has only aggregates, without a median: leave out --benchmark_report_aggregates_only"
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
