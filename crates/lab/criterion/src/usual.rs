//! A suite by itself: measures its benchmarks one after the other, and compares each with an earlier run.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::args::{Mode, Output};
use crate::baseline::{BaselineError, Results};
use crate::bencher::{Bencher, Samples};
use crate::measurement::{Measurement, ValueFormatter};
use crate::settings::{BenchmarkFilter, Common, Settings, Throughput};

/// Columns before the first value.
const INDENT: usize = 24;

/// The samples of a benchmark that takes long: more are not taken when twice its time has passed.
const LEAST_SAMPLES: usize = 3;

/// The parts of a run whose medians are compared.
const PARTS: usize = 10;

/// Whether a benchmark passed the filter.
static RAN: AtomicBool = AtomicBool::new(false);

/// A benchmark with its settings.
pub(crate) struct Benchmark<'a> {
    pub(crate) name: &'a str,
    /// Where its baselines are.
    pub(crate) folder: &'a Path,
    pub(crate) settings: Settings,
    pub(crate) throughput: Option<&'a Throughput>,
}

/// Prints a line. A reader that is gone is no reason to end.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn fail(why: &str) -> ! {
    eprintln!("error: {why}");
    std::process::exit(2)
}

/// Runs a benchmark as the command line asks.
pub(crate) fn run<M: Measurement>(
    benchmark: &Benchmark<'_>,
    common: &mut Common,
    measurement: &M,
    f: impl FnMut(&mut Bencher<'_, M>),
) {
    RAN.store(true, Ordering::Relaxed);
    let name = benchmark.name;
    match common.mode {
        Mode::List => say(&format!("{name}: benchmark")),
        Mode::Test => {
            say(&format!("Testing {name}"));
            take(measurement, Measured::once(1), f);
            say("Success\n");
        }
        Mode::Profile(time) => {
            say(&format!("Profiling {name}"));
            let folder = benchmark.folder.join("profile");
            common.profiler.start_profiling(name, &folder);
            take(measurement, Measured::iterating(time), f);
            common.profiler.stop_profiling(name, &folder);
        }
        Mode::Measure => {
            let unit = measurement.formatter().scale_for_machines(&mut [1.0]);
            let results = match &common.comparison.load {
                Some(baseline) => match load(benchmark, unit, baseline) {
                    Ok(Some(results)) => results,
                    Ok(None) => fail(&format!("{name} has no baseline `{baseline}`")),
                    Err(why) => fail(&why),
                },
                None => Results {
                    name: name.to_owned(),
                    unit: unit.to_owned(),
                    samples: take(measurement, Measured::new(benchmark.settings), f),
                },
            };
            compare(benchmark, common, measurement.formatter(), &results);
        }
    }
}

/// Says that no benchmark ran, if the reason may be that the filter was meant as a regular expression.
pub(crate) fn say_if_nothing_ran(filter: &BenchmarkFilter) {
    match filter {
        BenchmarkFilter::Contains(text)
            if !RAN.load(Ordering::Relaxed) && text.contains(['*', '|', '^', '$', '+', '\\', '[']) =>
        {
            eprintln!("no benchmark here has `{text}` in its name; a filter is no regular expression");
        }
        _ => (),
    }
}

/// Returns the samples of a benchmark.
fn take<M: Measurement>(
    measurement: &M,
    measured: Measured,
    mut f: impl FnMut(&mut Bencher<'_, M>),
) -> Vec<(u64, f64)> {
    let mut bencher = Bencher::new(measurement, Samples::Usual(measured));
    f(&mut bencher);
    match bencher.into_samples() {
        Samples::Usual(measured) if measured.asked => measured.samples,
        _ => panic!("the benchmark does not call `iter`, or a function like it"),
    }
}

/// Decides how many iterations there are, and keeps the values of samples.
pub(crate) struct Measured {
    warm_up: Option<Duration>,
    time: Duration,
    count: usize,
    /// Iterations of the next sample.
    iterations: u64,
    /// Time since the warm-up or the samples began.
    spent: Duration,
    asked: bool,
    samples: Vec<(u64, f64)>,
}

impl Measured {
    fn new(settings: Settings) -> Self {
        Measured {
            warm_up: Some(settings.warm_up_time),
            time: settings.measurement_time,
            count: settings.sample_size,
            ..Measured::once(1)
        }
    }

    /// Takes one sample with some iterations.
    pub(crate) fn once(iterations: u64) -> Self {
        Measured {
            warm_up: None,
            time: Duration::ZERO,
            count: 1,
            iterations,
            spent: Duration::ZERO,
            asked: false,
            samples: Vec::new(),
        }
    }

    /// Only iterates for a time.
    fn iterating(time: Duration) -> Self {
        Measured { warm_up: Some(time), count: 0, ..Measured::once(1) }
    }

    pub(crate) fn next(&mut self) -> Option<u64> {
        self.asked = true;
        let taken = self.samples.len();
        let over = taken >= self.count || taken >= LEAST_SAMPLES && self.spent > 2 * self.time;
        (self.warm_up.is_some() || !over).then_some(self.iterations)
    }

    /// Takes the value of a sample, for which some time passed.
    pub(crate) fn record(&mut self, value: f64, passed: Duration) {
        self.spent += passed;
        match self.warm_up {
            None => self.samples.push((self.iterations, value)),
            Some(time) if self.spent < time => self.iterations = self.iterations.saturating_mul(2),
            Some(_) => {
                let each = passed.as_secs_f64().max(1e-9) / self.iterations as f64;
                let sample = self.time.as_secs_f64() / self.count.max(1) as f64;
                self.iterations = ((sample / each) as u64).max(1);
                self.spent = Duration::ZERO;
                self.warm_up = None;
            }
        }
    }
}

/// Returns the results of a baseline; nothing if there are none.
fn load(benchmark: &Benchmark<'_>, unit: &str, baseline: &str) -> Result<Option<Results>, String> {
    let text = |error: BaselineError| format!("baseline `{baseline}` of {}: {error}", benchmark.name);
    match Results::load(benchmark.folder, baseline).map_err(text)? {
        Some(results) if results.name != benchmark.name || results.unit != unit => Err(format!(
            "baseline `{baseline}` of {} is of {} in {}",
            benchmark.name, results.name, results.unit
        )),
        results => Ok(results),
    }
}

/// Prints results, and how they differ from a baseline, which they may replace.
fn compare(benchmark: &Benchmark<'_>, common: &Common, formatter: &dyn ValueFormatter, results: &Results) {
    let Settings { confidence_level, noise_threshold, .. } = benchmark.settings;
    let comparison = &common.comparison;
    let name = benchmark.name;
    let values = per_iteration(results);
    let now = interval(&values, confidence_level);
    match common.output {
        Output::Bencher => say(&bencher(name, &results.unit, now)),
        Output::Lines => {
            let [low, mid, high] = now.map(|value| formatter.format_value(value));
            let label = if results.unit == "ns" { "time: " } else { "value:" };
            // A long name is a line of its own.
            let head = if name.chars().count() < INDENT { name } else { "" };
            if head.is_empty() {
                say(name);
            }
            say(&format!("{head:INDENT$}{label}   [{low} {mid} {high}]"));
            for throughput in benchmark.throughput.map(Throughput::each).unwrap_or_default() {
                let [high, mid, low] = now.map(|value| formatter.format_throughput(&throughput, value));
                say(&format!("{:INDENT$}thrpt:   [{low} {mid} {high}]", ""));
            }
        }
    }
    match load(benchmark, &results.unit, &comparison.baseline) {
        Ok(None) if comparison.strict => fail(&format!("{name} has no baseline `{}`", comparison.baseline)),
        Err(why) if comparison.strict => fail(&why),
        Err(why) => eprintln!("warning: {why}"),
        Ok(None) => (),
        Ok(Some(old)) if common.output == Output::Lines => {
            if let Some(change) = change(&per_iteration(&old), &values, confidence_level) {
                let [low, mid, high] = change.map(|part| format!("{:+.2}%", 100.0 * part));
                let verdict = verdict(change, noise_threshold, results.unit == "ns");
                say(&format!("{:INDENT$}change:  [{low} {mid} {high}] {verdict}", ""));
            }
        }
        Ok(Some(_)) => (),
    }
    if comparison.save {
        if let Err(error) = results.save(benchmark.folder, &comparison.baseline) {
            eprintln!("warning: the results of {name} are not kept: {error}");
        }
    }
}

/// Returns results as the crate bencher prints them.
fn bencher(name: &str, unit: &str, [low, mid, high]: [f64; 3]) -> String {
    format!("test {name} ... bench: {mid:>11.0} {unit}/iter (+/- {:.0})", (high - low) / 2.0)
}

fn verdict([low, _, high]: [f64; 3], threshold: f64, time: bool) -> &'static str {
    match () {
        () if low > threshold && time => "slower than before",
        () if low > threshold => "more than before",
        () if high < -threshold && time => "faster than before",
        () if high < -threshold => "less than before",
        () if -threshold <= low && high <= threshold => "no change",
        () => "no change found",
    }
}

/// Returns the values per iteration, as the medians of ten parts of the run. Samples that follow each other are alike,
/// so intervals of all of them would be too narrow.
fn per_iteration(results: &Results) -> Vec<f64> {
    let values: Vec<_> =
        results.samples.iter().map(|&(iterations, value)| value / iterations as f64).collect();
    values.chunks((values.len() + PARTS - 1) / PARTS).map(|part| median(&sorted(part))).collect()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn median(sorted: &[f64]) -> f64 {
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

/// Returns the ends of an interval for the median of a distribution, and the median of values from it between them.
///
/// The ends are order statistics. The number of values below the median is binomial, whatever the distribution, so the
/// interval has the median with at least this confidence; of a few values it is from the least to the greatest.
fn interval(values: &[f64], confidence: f64) -> [f64; 3] {
    let sorted = sorted(values);
    let count = sorted.len();
    let (mut rank, mut below) = (0, 0.0);
    // The logarithm of the probability that `rank` values of `count` are below the median.
    let mut log = -(count as f64) * std::f64::consts::LN_2;
    while rank < count / 2 {
        below += log.exp();
        if 2.0 * below > 1.0 - confidence {
            break;
        }
        log += ((count - rank) as f64 / (rank + 1) as f64).ln();
        rank += 1;
    }
    let rank = rank.saturating_sub(1);
    [sorted[rank], median(&sorted), sorted[count - 1 - rank]]
}

/// Returns by which fraction the median of new values is above that of old ones, between the ends of its interval;
/// nothing if old values are 0.
fn change(old: &[f64], new: &[f64], confidence: f64) -> Option<[f64; 3]> {
    // Both intervals have their medians with at least the confidence that is asked for.
    let each = (1.0 + confidence) / 2.0;
    let (old, new) = (interval(old, each), interval(new, each));
    (old[0] > 0.0).then(|| [new[0] / old[2] - 1.0, new[1] / old[1] - 1.0, new[2] / old[0] - 1.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_order_statistics() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        // Table of the binomial distribution: P(X <= 39) = 0.0176 and P(X <= 40) = 0.0284 for 100 and 1/2.
        assert_eq!(interval(&values, 0.95), [40.0, 50.5, 61.0]);
        // P(X <= 1) = 0.0107 and P(X <= 2) = 0.0547 for 10 and 1/2.
        assert_eq!(interval(&values[90..], 0.95), [2.0, 5.5, 9.0]);
        assert_eq!(interval(&[3.0, 1.0, 2.0], 0.95), [1.0, 2.0, 3.0]);
        assert_eq!(interval(&[7.0], 0.95), [7.0; 3]);
        let many: Vec<f64> = (0..10_000).map(f64::from).collect();
        // The deviation of the number below the median is 50, and 1.96 of it are 98.
        let [low, _, high] = interval(&many, 0.95);
        assert!((low - 4901.0).abs() < 3.0 && (high - 5098.0).abs() < 3.0, "{low} {high}");
    }

    #[test]
    fn a_change_is_called_one_if_its_interval_is_beyond_noise() {
        let old: Vec<f64> = (0..10).map(|i| 100.0 + f64::from(i % 5) / 10.0).collect();
        let times = |factor: f64| old.iter().map(|value| value * factor).collect::<Vec<_>>();
        let said = |factor| verdict(change(&old, &times(factor), 0.95).expect("not 0"), 0.01, true);
        assert_eq!(said(1.02), "slower than before");
        assert_eq!(said(0.98), "faster than before");
        assert_eq!(said(1.01), "no change found");
        assert_eq!(said(1.0), "no change");
        assert_eq!(change(&[0.0], &[1.0], 0.95), None);
    }

    #[test]
    fn a_drift_within_a_run_is_in_its_interval() {
        let results = |value: &dyn Fn(usize) -> f64| Results {
            name: "a".to_owned(),
            unit: "ns".to_owned(),
            samples: (0..100).map(|i| (2, 2.0 * value(i))).collect(),
        };
        // As many samples are slower in both.
        let drift = per_iteration(&results(&|i| if i < 30 { 110.0 } else { 100.0 }));
        assert_eq!(interval(&drift, 0.95), [100.0, 100.0, 110.0]);
        let noise = per_iteration(&results(&|i| if i % 10 < 3 { 110.0 } else { 100.0 }));
        assert_eq!(interval(&noise, 0.95), [100.0; 3]);
        // Fewer samples than parts.
        let few = Results { samples: vec![(1, 3.0), (1, 1.0), (1, 2.0)], ..results(&|_| 1.0) };
        assert_eq!(per_iteration(&few), [3.0, 1.0, 2.0]);
    }

    #[test]
    fn samples_fit_the_time() {
        let settings = Settings {
            sample_size: 10,
            warm_up_time: Duration::from_millis(10),
            measurement_time: Duration::from_millis(100),
            noise_threshold: 0.01,
            confidence_level: 0.95,
        };
        // Each iteration takes as long as it says.
        let iterations = |each: Duration| {
            let mut measured = Measured::new(settings);
            let mut asked = Vec::new();
            while let Some(n) = measured.next() {
                asked.push(n);
                measured.record(1.0, each * n as u32);
            }
            (asked, measured.samples.len())
        };
        // 1 + 2 + 4 + 8 ms to warm up, then 10 ms a sample.
        let (asked, samples) = iterations(Duration::from_millis(1));
        assert_eq!((asked[..4].to_vec(), samples), (vec![1, 2, 4, 8], 10));
        assert_eq!(asked[4..], [10; 10]);
        // An iteration that takes longer than all samples should.
        assert_eq!(iterations(Duration::from_secs(60)), (vec![1; 4], 3));
        assert_eq!(iterations(Duration::from_millis(50)), (vec![1; 6], 5));
    }

    #[test]
    fn results_for_other_tools_are_one_line() {
        let line = bencher("a/b", "ns", [990.0, 1000.4, 1010.0]);
        assert_eq!(line, "test a/b ... bench:        1000 ns/iter (+/- 10)");
    }
}
