//! False alarms of a suite that was measured against itself, several times.
//!
//! Nothing changed, so whatever is called changed is a false alarm. At most [`RATE`] of suites may have one, with
//! either [`Correction`](crate::stats::many::Correction), and at most as large a share of the intervals that are not
//! corrected.

use serde::Serialize;

use super::{greatest_share, least_share, tail_from};
use crate::record::{Case, Record};
use crate::stats::CONFIDENCE;
use crate::stats::many::{Finding, Look, RATE, judged};

/// What one measurement of a suite against itself showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeat {
    /// Number of benchmarks that were compared.
    pub compared: usize,
    /// Number of benchmarks whose own p value is at most [`RATE`].
    pub alone: usize,
    /// Names of the benchmarks that are called changed, with their ratios.
    pub changed: Vec<(String, f64)>,
}

impl Repeat {
    /// Returns what a record shows; `None` if it is not of a suite, or no benchmark was compared.
    pub fn of(record: &Record) -> Option<Self> {
        let suite = record.suite?;
        let looks: Vec<Option<Look>> = record.cases.iter().map(|case| Look::of(case, &suite)).collect();
        let mut repeat = Repeat::default();
        for (case, one) in record.cases.iter().zip(judged(&looks, &suite)) {
            let Some(one) = one else { continue };
            repeat.compared += 1;
            repeat.alone += usize::from(one.look.p <= RATE);
            if one.finding == Finding::Changed {
                repeat.changed.push((name(case), one.look.ratio.value));
            }
        }
        (repeat.compared > 0).then_some(repeat)
    }
}

/// Returns the name of a benchmark, with its program if others have that name.
fn name(case: &Case) -> String {
    let program = case.params.values().map(ToString::to_string);
    std::iter::once(case.workload.clone()).chain(program).collect::<Vec<_>>().join(", ")
}

/// Share of trials with a false alarm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Number of trials.
    pub trials: usize,
    /// Number with a false alarm.
    pub alarms: usize,
    /// Bounds of the share at 99 %, by Clopper and Pearson.
    pub share: [f64; 2],
    /// Probability of at least as many alarms if each trial has one with the probability [`RATE`].
    pub p: f64,
}

impl Rate {
    fn new(alarms: usize, trials: usize) -> Self {
        // Half of the error at either side.
        let confidence = f64::midpoint(1.0, CONFIDENCE);
        Rate {
            trials,
            alarms,
            share: [least_share(alarms, trials, confidence), greatest_share(alarms, trials, confidence)],
            p: tail_from(alarms, trials, RATE),
        }
    }

    /// Returns whether a share of [`RATE`] has as many alarms in at least 1 of 100 cases.
    pub fn is_compatible(&self) -> bool {
        self.p >= 1.0 - CONFIDENCE
    }

    /// Returns whether the trials show that the share is at most [`RATE`], which takes [`Rate::LEAST_TRIALS`].
    pub fn is_kept(&self) -> bool {
        self.share[1] <= RATE
    }

    /// Minimum number of trials, without an alarm, that show a share of at most [`RATE`].
    pub const LEAST_TRIALS: usize = 528;
}

/// False alarms of all repeats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alarms {
    /// Suites in which any benchmark is called changed.
    pub suites: Rate,
    /// Benchmarks that are called changed.
    pub benchmarks: Rate,
    /// Benchmarks that would be called changed by their own interval.
    pub alone: Rate,
    /// The benchmarks that are called changed, in most repeats first.
    pub called: Vec<Called>,
}

/// A benchmark that is called changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Called {
    /// Its name.
    pub benchmark: String,
    /// Its ratio in each repeat that called it.
    pub ratios: Vec<f64>,
}

/// Returns the false alarms of all repeats.
pub fn alarms(repeats: &[Repeat]) -> Alarms {
    let sum = |of: fn(&Repeat) -> usize| repeats.iter().map(of).sum();
    let compared = sum(|repeat| repeat.compared);
    let mut called: Vec<Called> = Vec::new();
    for (benchmark, ratio) in repeats.iter().flat_map(|repeat| &repeat.changed) {
        match called.iter_mut().find(|one| one.benchmark == *benchmark) {
            Some(one) => one.ratios.push(*ratio),
            None => called.push(Called { benchmark: benchmark.clone(), ratios: vec![*ratio] }),
        }
    }
    called.sort_by_key(|one| std::cmp::Reverse(one.ratios.len()));
    Alarms {
        suites: Rate::new(sum(|repeat| usize::from(!repeat.changed.is_empty())), repeats.len()),
        benchmarks: Rate::new(sum(|repeat| repeat.changed.len()), compared),
        alone: Rate::new(sum(|repeat| repeat.alone), compared),
        called,
    }
}

#[cfg(test)]
mod tests {
    use crate::record::{Entry, Suite, Summary};

    use super::*;

    /// A benchmark whose new revision takes this many times the time of the old one, with noise of 0.1 %.
    fn benchmark(workload: &str, ratio: f64) -> Case {
        let entry = |factor: f64| {
            let value = |i: usize| Some(factor * (1.0 + 0.001 * (i * 8 % 21) as f64 / 21.0));
            let replicates = (0..21).map(|i| Summary { value: value(i), ..Summary::default() }).collect();
            Entry { threads: 1, replicates, ..Entry::default() }
        };
        let mut entries = vec![entry(1.0), entry(ratio)];
        // Not in step.
        entries[1].replicates.reverse();
        Case { workload: workload.to_owned(), entries, sequential: true, ..Case::default() }
    }

    #[test]
    fn alarms_of_suites_and_of_benchmarks_are_counted() {
        let record = |ratios: &[f64]| Record {
            suite: Some(Suite { threshold: 0.01, ..Suite::default() }),
            cases: ratios.iter().zip(["a", "b", "c"]).map(|(ratio, name)| benchmark(name, *ratio)).collect(),
            ..Record::default()
        };
        let repeats: Vec<Repeat> = [[1.0, 1.0, 1.0], [1.0, 1.02, 1.0], [1.03, 1.02, 1.0], [1.0, 1.0, 1.0]]
            .iter()
            .filter_map(|ratios| Repeat::of(&record(ratios)))
            .collect();
        let found = alarms(&repeats);
        assert_eq!((found.suites.trials, found.suites.alarms), (4, 2));
        assert_eq!((found.benchmarks.trials, found.benchmarks.alarms, found.alone.alarms), (12, 3, 3));
        let called: Vec<(&str, usize)> =
            found.called.iter().map(|one| (one.benchmark.as_str(), one.ratios.len())).collect();
        assert_eq!(called, [("b", 2), ("a", 1)]);
        // Two of four suites are too many, none are not.
        assert!(!found.suites.is_compatible() && alarms(&repeats[..1]).suites.is_compatible());
        // What was not compared is no trial.
        assert_eq!(Repeat::of(&record(&[])), None);
        assert_eq!(Repeat::of(&Record::default()), None);
    }

    /// Bounds that tables list at 95 %, with the error of both sides together.
    #[test]
    fn a_share_has_two_bounds() {
        let Rate { share: [low, high], p, .. } = Rate::new(1, 100);
        assert!((low - 5.0e-5).abs() < 1e-6 && (high - 0.0720).abs() < 1e-3, "{low} {high}");
        assert!((p - (1.0 - 0.99_f64.powi(100))).abs() < 1e-9, "{p}");
        assert_eq!(Rate::new(0, 0).share, [0.0, 1.0]);
        let [few, enough] = [1, 0].map(|less| Rate::new(0, Rate::LEAST_TRIALS - less));
        assert!(few.is_compatible() && !few.is_kept() && enough.is_kept(), "{few:?} {enough:?}");
    }
}
