//! Readers of JSON: Google Benchmark, cargo-criterion and pytest-benchmark.

use std::collections::BTreeMap;

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
    #[serde(default)]
    error_message: String,
    #[serde(default)]
    skipped: bool,
    #[serde(default)]
    skip_message: String,
}

/// Returns the time of each repetition; the median of a benchmark that reports only aggregates.
pub(super) fn google(output: &[u8]) -> Result<Vec<Line>, String> {
    let runs = parse::<Google>(output)?.benchmarks;
    let mut ranks: BTreeMap<String, u8> = BTreeMap::new();
    for run in &runs {
        let best = ranks.entry(run.benchmark()).or_default();
        *best = run.rank().max(*best);
    }
    let line = |run: GoogleRun| {
        let name = run.benchmark();
        let why = "has only aggregates, without a median: leave out --benchmark_report_aggregates_only";
        match ranks[&name] {
            0 => Some(Line::without(&name, why.to_owned())),
            best => (run.rank() == best).then(|| run.line(&name)),
        }
    };
    Ok(runs.into_iter().filter_map(line).collect())
}

impl GoogleRun {
    fn benchmark(&self) -> String {
        self.run_name.as_ref().unwrap_or(&self.name).clone()
    }

    /// Returns 2 for a repetition, 1 for the median of all, 0 for another aggregate.
    fn rank(&self) -> u8 {
        match (self.run_type.as_deref(), self.aggregate_name.as_deref()) {
            (None | Some("iteration"), _) => 2,
            (_, Some("median")) => 1,
            _ => 0,
        }
    }

    fn line(self, name: &str) -> Line {
        let missing = |field: &str| Line::without(name, format!("has no `{field}`"));
        match (self.real_time, self.time_unit) {
            _ if self.error_occurred => Line::without(name, format!("failed: {:?}", self.error_message)),
            _ if self.skipped => Line::skipped(name, self.skip_message),
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
    let begins = |at: &usize| output[*at] == b'{' && (*at == 0 || output[*at - 1] == b'\n');
    let (mut all, mut wrong) = (Vec::new(), "no line begins with `{`".to_owned());
    for at in (0..output.len()).filter(begins) {
        match serde_json::Deserializer::from_slice(&output[at..]).into_iter().next() {
            Some(Ok(found)) => all.push(found),
            Some(Err(why)) => wrong = why.to_string(),
            None => {}
        }
    }
    if all.is_empty() { Err(wrong) } else { Ok(all) }
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
