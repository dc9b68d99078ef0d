//! Statistics of paired measurements: pure functions of numbers, without input, output or random numbers.
//!
//! The chapter docs/explanation/lab.md says why. From the turns of a round follows the **value of each process**
//! ([`Round`]), from two rounds or the rounds of a memory layout a **replicate** ([`Design`]); the **estimate** over
//! replicates is Hodges and Lehmann's, with Wilcoxon's signed-rank **interval** or, if a run may end because of what it
//! measured, a confidence sequence ([`Basis`]). **Verdicts** are corrected for the number of rows ([`verdicts`]).
//!
//! The percentile bootstrap covers less than it promises with ten or twenty replicates, and depends on a seed.
//!
//! Sources: J. L. Hodges and E. L. Lehmann, 'Estimates of location based on rank tests', Annals of Mathematical
//! Statistics 34 (1963) 598–611; M. Hollander, D. A. Wolfe and E. Chicken, 'Nonparametric Statistical Methods',
//! 3rd edition, section 3.1 to 3.3; T. L. Lai, 'On confidence sequences', Annals of Statistics 4 (1976)
//! 265–280.

mod counted;
mod estimate;
mod rounds;
mod verdict;

pub use counted::Counted;
pub use estimate::{Estimate, Interval, growth_to_decide};
pub use rounds::{
    BLOCK, Design, MIN_LAYOUTS, MIN_ROUNDS, MIN_ROUNDS_TO_LOOK, Noise, ROUNDS_OF_BLOCKS, Round, median,
};
pub use verdict::{
    Asked, Border, Judged, Look, RATE, RESOLUTION, Verdict, adjusted, judged, selected_error, verdicts,
};

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.99;

/// Minimum number of replicates at which [`CONFIDENCE`] can be reached: the first n with 2⁻ⁿ ≤ (1 − confidence) / 2.
pub const MIN_REPLICATES: usize = 8;

/// Number of processes, or rounds, whose equal counts show that what follows from a program does not vary.
pub const EQUAL_COUNTS: usize = 2;

/// What an interval depends on besides the logarithms of the ratios, of which there is one for each replicate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Basis {
    /// Whether they are of counts and not of times.
    pub is_count: bool,
    /// Whether the run could end because of what was measured.
    pub sequential: bool,
    /// Number of blocks if replicates are of layouts: the run looks after blocks.
    pub blocks: Option<usize>,
}

impl Basis {
    /// Returns the number of blocks after which the run looked at these, if it looks at all of its blocks.
    fn looks_after(self, logs: &[f64]) -> Option<usize> {
        self.sequential.then(|| self.blocks.unwrap_or(logs.len()))
    }

    /// Returns whether these are of a count that was the same in as many replicates as show that it does not vary.
    fn is_known(self, logs: &[f64]) -> bool {
        self.is_count && logs.len() >= EQUAL_COUNTS && logs.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Returns the number of values that an interval is computed from, and the share of the error that it has: less
    /// than all in a run that looks many times.
    pub fn looked_at(self, logs: &[f64]) -> (usize, f64) {
        estimate::looked_at(logs, self.looks_after(logs))
    }

    /// Returns the estimate of a positive value from its logarithms, with an interval that misses it with probability
    /// `error`. A count that was the same in [`EQUAL_COUNTS`] replicates or more is known and not estimated, so its
    /// interval is a point even if there are few. `None` without values, or with one that is not finite.
    pub fn geometric(self, logs: &[f64], error: f64) -> Option<Estimate> {
        let found = estimate::centre(logs, self.looks_after(logs), error)?;
        let known = self.is_known(logs).then_some(Interval { low: found.value, high: found.value });
        Some(Estimate { interval: known.or(found.interval), ..found }.exp())
    }

    /// Returns the p value of a ratio: the smallest error with which the interval of [`Basis::geometric`] excludes
    /// `expected`, at most 1. A count that does not vary has the p value 0, or 1 if it is as expected.
    pub fn p_value(self, logs: &[f64], expected: f64) -> Option<f64> {
        match logs.first() {
            Some(known) if self.is_known(logs) => Some(if *known == expected.ln() { 1.0 } else { 0.0 }),
            _ => estimate::p_value(logs, expected.ln(), self.looks_after(logs)),
        }
    }

    /// Returns the geometric mean of several values, given the logarithms of each ([`means`]). `None` without values.
    pub fn mean(self, all: &[Vec<f64>]) -> Option<MeanRatio> {
        let (means, pairs) = means(all)?;
        Some(MeanRatio { ratio: self.geometric(&means, 1.0 - CONFIDENCE)?, pairs })
    }
}

/// Returns the mean of several values inside each replicate, given the replicates of each, and the number of values in
/// it.
///
/// The value with the fewest replicates says how many there are: of the others, equal parts of consecutive ones are
/// averaged. A value that was cut short, with too few for an interval and fewer than half of the fullest's, is left
/// out. `None` if none is left.
pub fn means(all: &[Vec<f64>]) -> Option<(Vec<f64>, usize)> {
    let fullest = all.iter().map(Vec::len).max().filter(|most| *most > 0)?;
    let needed = MIN_REPLICATES.min(fullest.div_ceil(2));
    let kept: Vec<&Vec<f64>> = all.iter().filter(|values| values.len() >= needed).collect();
    let replicates = kept.iter().map(|values| values.len()).min()?;
    let part = |values: &[f64], part: usize| {
        let at = |part: usize| part * values.len() / replicates;
        let values = &values[at(part)..at(part + 1)];
        values.iter().sum::<f64>() / values.len() as f64
    };
    let mean = |at| kept.iter().map(|values| part(values, at)).sum::<f64>() / kept.len() as f64;
    Some(((0..replicates).map(mean).collect(), kept.len()))
}

/// A geometric mean of paired ratios, or of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanRatio {
    /// The mean and its interval.
    pub ratio: Estimate,
    /// Number of pairs, or values, in the mean. Pairs without samples, or cut short, do not count.
    pub pairs: usize,
}
