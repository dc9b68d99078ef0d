//! A test whether a function takes the same time for two classes of secrets, by the method of dudect.
//!
//! Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", DATE 2017. A function is timed on inputs of two
//! classes, one fixed input and random ones, in random order. Welch's t-test then decides whether the two populations
//! of times differ: once for all times, once for each of many crops without the slowest (interruptions by the system
//! are rare and long), and once for the squared distances from the mean, which finds classes that differ in spread
//! only. It is for examples that a user runs, not for tests.
//!
//! The largest |t| counts. Below [`SUSPICIOUS`] no difference was found, which is not a proof: |t| grows with the
//! square root of the number of measurements, so a small leak needs many.
//!
//! The crate `dudect-bencher` (0.7) is not used: it has no second-order test, depends on an obsolete argument parser,
//! takes over `main`, and returns no result to the program.
//!
//! ```
//! use parcrypt_testkit::timing::{Class, Timing, Verdict};
//! use parcrypt_testkit::rand::Rng;
//!
//! let report = Timing { measurements: 20_000, repeats: 1, seed: 1 }.run(
//!     "xor of two words",
//!     |class, rng| match class {
//!         Class::Fixed => [7u64, 9],
//!         Class::Random => rng.random(),
//!     },
//!     |[a, b]| std::hint::black_box(*a ^ *b),
//! );
//! println!("{report}");
//! # let _: Verdict = report.verdict();
//! ```

use std::fmt;
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// From this |t| on the times of the classes probably differ.
pub const SUSPICIOUS: f64 = 4.5;
/// From this |t| on the times of the classes differ.
pub const LEAKS: f64 = 10.0;
/// Minimum number of measurements of each class for a valid test.
pub const MIN: usize = 500;

/// Inputs of a batch, which are made before the first is timed.
const BATCH: usize = 1000;
/// Crops, at the quantiles 1 − 2^(−10·i/100) for i in 1..=100, as in dudect.
const CROPS: u32 = 100;
/// Quantiles below which the spread is compared.
const SPREADS: [f64; 3] = [0.9, 0.99, 1.0];

/// The population of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The same input each time.
    Fixed,
    /// A new random input each time.
    Random,
}

/// The extent of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Measurements of both classes together, without the warm-up.
    pub measurements: usize,
    /// Calls of the function in one measurement, all with the same input. Reading the clock takes
    /// some tens of nanoseconds: several calls resolve shorter times.
    pub repeats: u32,
    /// The seed of the order of the classes and of the random inputs.
    pub seed: u64,
}

impl Timing {
    /// Times `function` on inputs of `input`, and returns the report. It prints progress and |t| whenever the number of
    /// measurements has doubled, and can be interrupted at any moment.
    ///
    /// `input` has to make both classes by the same steps and into memory of its own, as a clone does: otherwise it
    /// measures that one class lies in a cache and the other does not.
    pub fn run<I, T>(
        &self,
        name: &str,
        mut input: impl FnMut(Class, &mut ChaCha8Rng) -> I,
        mut function: impl FnMut(&mut I) -> T,
    ) -> Report {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let (mut fixed, mut random) = (Vec::new(), Vec::new());
        let mut next_word = 10_000.max(8 * MIN);
        let mut warm = false;
        while fixed.len() + random.len() < self.measurements {
            let mut batch: Vec<(Class, I)> = (0..BATCH)
                .map(|_| {
                    let class = if rng.random() { Class::Fixed } else { Class::Random };
                    (class, input(class, &mut rng))
                })
                .collect();
            for (class, input) in &mut batch {
                let start = Instant::now();
                for _ in 0..self.repeats {
                    black_box(function(black_box(input)));
                }
                let took = start.elapsed().as_nanos() as f64;
                // The first batch brings caches and clocks up to speed.
                match class {
                    _ if !warm => {}
                    Class::Fixed => fixed.push(took),
                    Class::Random => random.push(took),
                }
            }
            warm = true;
            let so_far = fixed.len() + random.len();
            if so_far >= next_word && so_far < self.measurements {
                next_word = 2 * so_far;
                println!("{so_far} of {}: {}", self.measurements, Report::of(name, &fixed, &random));
                // A pipe would buffer the line, and it may be the last before an interrupt.
                let _ = std::io::stdout().flush();
            }
        }
        Report::of(name, &fixed, &random)
    }
}

/// The result of all tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No test had enough measurements.
    TooFew,
    /// Every |t| is below [`SUSPICIOUS`].
    NothingFound,
    /// The largest |t| lies between [`SUSPICIOUS`] and [`LEAKS`]: measure more.
    Suspicious,
    /// The largest |t| is [`LEAKS`] or more.
    Leaks,
}

/// All tests over the times of two classes.
#[derive(Clone, Debug)]
pub struct Report {
    name: String,
    /// What was compared, and Welch's t, which is positive if the fixed class is slower: for all times, for the times
    /// below each crop, and for the squared distances from the mean below each of [`SPREADS`]; only tests that had at
    /// least [`MIN`] measurements of each class.
    tests: Vec<(String, f64)>,
}

impl Report {
    /// Tests the times of the `fixed` class against those of the `random` one, in any unit.
    pub fn of(name: &str, fixed: &[f64], random: &[f64]) -> Self {
        let mut sorted = [fixed, random].concat();
        sorted.sort_by(f64::total_cmp);
        let mut report = Report { name: name.to_owned(), tests: Vec::new() };
        report.test("all times".to_owned(), [fixed, random]);
        // The quantile of both classes together: it cannot favour one of two equal ones.
        let below = |quantile: f64| {
            let limit =
                sorted.get((quantile * sorted.len() as f64) as usize).copied().unwrap_or(f64::INFINITY);
            [fixed, random]
                .map(|times| times.iter().copied().filter(|time| *time < limit).collect::<Vec<_>>())
        };
        for i in 1..=CROPS {
            let quantile = 1.0 - 0.5f64.powf(f64::from(10 * i) / f64::from(CROPS));
            let [fixed, random] = below(quantile);
            report.test(format!("fastest {:.1} %", 100.0 * quantile), [&fixed, &random]);
        }
        // One interruption outweighs the squares of all other times, so these are cropped too.
        for quantile in SPREADS {
            let [fixed, random] = below(quantile).map(|times| {
                let mean = moments(&times).0;
                times.iter().map(|time| (time - mean).powi(2)).collect::<Vec<_>>()
            });
            report.test(format!("spread of {:.0} %", 100.0 * quantile), [&fixed, &random]);
        }
        report
    }

    fn test(&mut self, what: String, classes: [&[f64]; 2]) {
        if classes.iter().all(|class| class.len() >= MIN) {
            self.tests.push((what, welch(classes)));
        }
    }

    /// Returns the test with the largest |t|: what it compares, and t.
    pub fn largest(&self) -> Option<(&str, f64)> {
        let largest = self.tests.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        largest.map(|(what, t)| (&what[..], *t))
    }

    /// Returns the verdict by the largest |t|.
    pub fn verdict(&self) -> Verdict {
        match self.largest().map(|(_, t)| t.abs()) {
            None => Verdict::TooFew,
            Some(t) if t >= LEAKS => Verdict::Leaks,
            Some(t) if t >= SUSPICIOUS => Verdict::Suspicious,
            Some(_) => Verdict::NothingFound,
        }
    }
}

/// Returns Welch's t.
fn welch(classes: [&[f64]; 2]) -> f64 {
    let [(mean_f, error_f), (mean_r, error_r)] = classes.map(moments);
    let (difference, error) = (mean_f - mean_r, (error_f + error_r).sqrt());
    // Times that never vary: the classes are equal, or differ with certainty.
    if difference == 0.0 { 0.0 } else { difference / error }
}

/// Returns the mean, and the square of its standard error: the variance over the number.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (n - 1.0) / n)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict() {
            Verdict::TooFew => "too few measurements",
            Verdict::NothingFound => "no difference found",
            Verdict::Suspicious => "suspicious: measure more",
            Verdict::Leaks => "LEAKS",
        };
        let (what, t) = self.largest().unwrap_or(("no test", 0.0));
        write!(f, "{}: largest |t| {:.2} ({what}, t {t:.2}): {verdict}", self.name, t.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns times like those of a machine: a bulk, rounded to whole numbers, and an occasional interruption.
    fn times(rng: &mut ChaCha8Rng, n: usize, shift: f64, spread: f64) -> Vec<f64> {
        let one = |_| {
            // The sum of twelve uniform numbers is near to normal, with variance 1.
            let bulk: f64 = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
            let interruption = if rng.random::<f64>() < 0.001 { 1e5 * rng.random::<f64>() } else { 0.0 };
            (1000.0 + shift + spread * bulk + interruption).round()
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn differences_are_found_behind_interruptions_and_only_if_there_are_any() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let fixed = times(&mut rng, 20_000, 0.0, 10.0);
        for _ in 0..20 {
            let report = Report::of("equal", &fixed, &times(&mut rng, 21_000, 0.0, 10.0));
            assert_eq!(report.verdict(), Verdict::NothingFound, "{report}");
        }
        for (shift, spread, kind, verdict) in [
            (1.5, 10.0, "fastest", Verdict::Leaks),
            (0.7, 10.0, "fastest", Verdict::Suspicious),
            (0.0, 12.0, "spread of", Verdict::Leaks),
        ] {
            let report = Report::of("leak", &fixed, &times(&mut rng, 20_000, shift, spread));
            let largest =
                report.tests.iter().filter(|test| test.0.starts_with(kind)).map(|test| test.1.abs());
            assert!(report.verdict() == verdict && largest.fold(0.0, f64::max) >= SUSPICIOUS, "{report}");
            // Without crops the interruptions hide it.
            assert!(report.tests[0].0 == "all times" && report.tests[0].1.abs() < SUSPICIOUS, "{report}");
        }
        assert_eq!(Report::of("none", &[], &[]).verdict(), Verdict::TooFew);
        assert_eq!(Report::of("few", &[1.0; MIN - 1], &[2.0; MIN]).verdict(), Verdict::TooFew);
        assert_eq!(Report::of("same", &[5.0; 1000], &[5.0; 1000]).verdict(), Verdict::NothingFound);
        assert_eq!(Report::of("apart", &[5.0; 1000], &[6.0; 1000]).verdict(), Verdict::Leaks);
    }

    #[test]
    fn welchs_t_agrees_with_a_textbook() {
        // scipy.stats.ttest_ind([1,2,3,4,5]*200, [2,3,4,5,7]*200, equal_var=False).statistic
        let t = welch([&[1.0, 2.0, 3.0, 4.0, 5.0].repeat(200), &[2.0, 3.0, 4.0, 5.0, 7.0].repeat(200)]);
        let by_hand = -1.2 / ((2.0 * 1000.0 / 999.0 + 2.96 * 1000.0 / 999.0) / 1000.0f64).sqrt();
        assert!((t - by_hand).abs() < 1e-9, "{t} {by_hand}");
    }

    #[test]
    fn a_run_measures_both_classes_in_an_order_from_the_seed() {
        let run = |seed| {
            let mut order = Vec::new();
            let timing = Timing { measurements: 3000, repeats: 2, seed };
            timing.run("order", |class, _| class, |class| order.push(*class));
            // One batch more, which warms up; each input twice.
            assert_eq!(order.len(), 2 * 4000);
            assert!(order.chunks(2).all(|pair| pair[0] == pair[1]));
            let fixed = order.iter().filter(|class| **class == Class::Fixed).count();
            assert!((3600..4400).contains(&fixed), "{fixed}");
            order
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
