//! Verdicts on many cases at once: p values of their ratios, corrected for the number of cases.
//!
//! The p value of a ratio is the smallest error with which its interval excludes a value, so that at [`CONFIDENCE`] the
//! two say the same. In a run that looks many times it is valid at whatever look the run ends, as the interval is, also
//! if it ends because of what other cases show: the smallest p value of all looks is valid too.
//!
//! Of 100 benchmarks that did not change, one interval of 99 % on average excludes 1. [`adjusted`] keeps the expected
//! share of wrong verdicts among all changes that are called below [`RATE`]. If nothing changed, any call is wrong, so
//! that at most 1 in 100 suites has one. It needs benchmarks whose noise is independent or positively dependent.
//!
//! The interval of a selected ratio has an error of its own: with the error of each, those that were selected because
//! they are far out would miss too often. With [`selected_error`] the share of misses among the selected is at most
//! [`RATE`], and each of their intervals excludes 1.
//!
//! Sources: Y. Benjamini and Y. Hochberg, 'Controlling the false discovery rate', Journal of the Royal Statistical
//! Society B 57 (1995) 289–300; Y. Benjamini and D. Yekutieli, 'The control of the false discovery rate in multiple
//! testing under dependency', Annals of Statistics 29 (2001) 1165–1188, and 'False discovery rate-adjusted multiple
//! confidence intervals for selected parameters', Journal of the American Statistical Association 100 (2005) 71–81.

use serde::{Deserialize, Serialize};

use crate::{Basis, CONFIDENCE, Estimate};

/// Part of the changes that are called that may be wrong, on average.
pub const RATE: f64 = 1.0 - CONFIDENCE;

/// Returns Benjamini and Hochberg's adjusted p values in the order of `p`: the smallest rate at which each is selected.
///
/// ```
/// use parcrypt_stats::many::adjusted;
///
/// assert_eq!(adjusted(&[0.04, 0.01, 0.03]), [0.04, 0.03, 0.04]);
/// ```
pub fn adjusted(p: &[f64]) -> Vec<f64> {
    let all = p.len();
    let mut order: Vec<usize> = (0..all).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; all];
    let mut least: f64 = 1.0;
    // From the largest down, so that a smaller p value never has a larger adjusted one.
    for (rank, index) in order.into_iter().enumerate().rev() {
        least = least.min(p[index] * all as f64 / (rank + 1) as f64);
        adjusted[index] = least;
    }
    adjusted
}

/// Returns the error of the intervals of `selected` of `all` ratios, which is the largest p value that selects: each of
/// these intervals excludes 1.
pub fn selected_error(selected: usize, all: usize) -> f64 {
    let all = all.max(1);
    RATE * selected.clamp(1, all) as f64 / all as f64
}

/// Border of a condition on a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Border {
    /// The condition holds for greater ratios.
    Above(f64),
    /// The condition holds for smaller ratios.
    Below(f64),
}

impl Border {
    /// Returns the ratio at the border, for which the condition does not hold.
    pub fn ratio(self) -> f64 {
        match self {
            Border::Above(ratio) | Border::Below(ratio) => ratio,
        }
    }

    /// Returns whether the condition holds for a ratio.
    pub fn is_crossed_by(self, ratio: f64) -> bool {
        match self {
            Border::Above(most) => ratio > most,
            Border::Below(least) => ratio < least,
        }
    }

    /// Returns how far beyond the border a ratio is, as a logarithm.
    fn margin(self, ratio: f64) -> f64 {
        match self {
            Border::Above(most) => (ratio / most).ln(),
            Border::Below(least) => (least / ratio).ln(),
        }
    }

    /// Returns whether the condition holds for no ratio of the interval of an estimate.
    fn is_left_by(self, estimate: &Estimate) -> bool {
        estimate.interval.is_some_and(|i| !self.is_crossed_by(i.low) && !self.is_crossed_by(i.high))
    }

    /// Returns the p value of the condition's not holding for a ratio with these logarithms, whose estimate is `ratio`:
    /// 1 if it does not hold for that. `None` without values.
    pub fn p_value(self, basis: Basis, logs: &[f64], ratio: f64) -> Option<f64> {
        if self.is_crossed_by(ratio) { basis.p_value(logs, self.ratio()) } else { Some(1.0) }
    }
}

/// What the rounds of a benchmark of a suite show by themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Time or count of the new revision over the value of the old one.
    pub ratio: Estimate,
    /// The p value of no change.
    pub p: f64,
    /// The p value of a change of at most the threshold.
    pub p_within: f64,
    /// The p value of a ratio for which the gate does not hold; 1 without a gate.
    pub p_gate: f64,
}

impl Look {
    /// Returns what the logarithms of a benchmark's ratios show; `None` without values.
    pub fn of(basis: Basis, logs: &[f64], threshold: f64, gate: Option<Border>) -> Option<Self> {
        let ratio = basis.geometric(logs, 1.0 - CONFIDENCE)?;
        let most = 1.0 + threshold;
        let within = if ratio.value > 1.0 { Border::Above(most) } else { Border::Below(most.recip()) };
        let beyond = |border: Border| border.p_value(basis, logs, ratio.value);
        let p_gate = gate.map_or(Some(1.0), beyond)?;
        Some(Look { ratio, p: basis.p_value(logs, 1.0)?, p_within: beyond(within)?, p_gate })
    }

    /// Returns an estimate of the number of further replicates until the interval, whose width shrinks with the root of
    /// their number, has no change or all of it on one side of the threshold. If it is above and only the p value is
    /// too large, each replicate on the same side halves `beyond`.
    fn further(&self, threshold: f64, beyond: f64) -> f64 {
        let change = self.ratio.value.ln().abs();
        let further = self.until_beyond(change - threshold.ln_1p(), beyond);
        match self.ratio.interval {
            Some(interval) if interval.holds(1.0) => further.min(self.until_narrowed_to(change)),
            _ => further,
        }
    }

    /// Returns an estimate of the number of further replicates until the interval and the p value decide on which side
    /// of a border the ratio is, whose logarithm is this far beyond it; infinite before the first interval.
    fn until_beyond(&self, margin: f64, p: f64) -> f64 {
        match self.half_width() {
            Some(half) if margin > half => (p / RATE).log2().max(1.0),
            _ => self.until_narrowed_to(margin),
        }
    }

    /// Returns an estimate of the number of further replicates until the interval has this half width, as a logarithm.
    fn until_narrowed_to(&self, to: f64) -> f64 {
        let further = |half: f64| self.ratio.replicates as f64 * ((half / to).powi(2) - 1.0);
        self.half_width().map_or(f64::INFINITY, |half| further(half).max(1.0))
    }

    fn half_width(&self) -> Option<f64> {
        self.ratio.interval.map(|interval| (interval.high / interval.low).ln() / 2.0)
    }

    /// Returns whether the interval has only changes of at most the threshold.
    fn is_within(&self, threshold: f64) -> bool {
        let most = 1.0 + threshold;
        self.ratio.interval.is_some_and(|i| i.low >= most.recip() && i.high <= most)
    }
}

/// Verdict on a benchmark of a suite, corrected for their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It changed, by whatever size.
    Changed,
    /// It is not shown to have changed, and its interval has only changes of at most the threshold.
    Unchanged,
    /// Neither is shown.
    Undecided,
}

/// A benchmark of a suite with its verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// What it shows by itself.
    pub look: Look,
    /// The adjusted p value of no change.
    pub adjusted: f64,
    /// The verdict.
    pub finding: Finding,
    /// Whether more rounds would not change the verdict, nor say more of the threshold and the gate: it changed by more
    /// than the threshold, or the whole interval is within and there is no change that waits for its correction; and
    /// the gate holds for a benchmark, or not for any ratio of the interval.
    pub is_settled: bool,
    /// Whether it has changed by itself, or the gate holds for it by itself, and only waits for the correction.
    pub waits: bool,
    /// Estimate of the number of further replicates until it is settled; infinite before the first interval.
    pub further: f64,
}

/// Returns the verdicts on the benchmarks of a suite that show something, if times may differ by `threshold` in one
/// that is called unchanged, and a gate asks on which side of a border each is.
pub fn judged(looks: &[Option<Look>], threshold: f64, gate: Option<Border>) -> Vec<Option<Judged>> {
    let shown: Vec<&Look> = looks.iter().flatten().collect();
    let adjusted = |p: fn(&Look) -> f64| adjusted(&shown.iter().map(|look| p(look)).collect::<Vec<_>>());
    let of_gate = adjusted(|look| look.p_gate);
    // Then the answer is known, whatever the others show.
    let gate = gate.filter(|_| of_gate.iter().all(|adjusted| *adjusted > RATE));
    let beyond = adjusted(|look| look.p_within);
    let mut adjusted = adjusted(|look| look.p).into_iter().zip(beyond).zip(of_gate);
    let judge = |look: &Option<Look>| {
        let (look, ((adjusted, beyond), of_gate)) = ((*look)?, adjusted.next()?);
        let (changed, within) = (adjusted <= RATE, look.is_within(threshold));
        let finding = match (changed, within) {
            (true, _) => Finding::Changed,
            (false, true) => Finding::Unchanged,
            (false, false) => Finding::Undecided,
        };
        let waits = !changed && look.ratio.interval.is_some_and(|interval| !interval.holds(1.0));
        let is_settled = beyond <= RATE || within && !waits;
        let open = gate.filter(|gate| !gate.is_left_by(&look.ratio));
        let further = |to: Border| look.until_beyond(to.margin(look.ratio.value), of_gate);
        let further = match (open.map(further), is_settled) {
            (Some(further), true) => further,
            (further, _) => look.further(threshold, beyond).max(further.unwrap_or(0.0)),
        };
        Some(Judged {
            look,
            adjusted,
            finding,
            is_settled: is_settled && open.is_none(),
            waits: waits || open.is_some() && look.p_gate <= RATE,
            further,
        })
    };
    // The adjusted values belong to the looks that show something, in their order.
    looks.iter().map(judge).collect()
}
