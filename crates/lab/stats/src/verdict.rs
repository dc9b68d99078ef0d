//! Verdicts on the rows of a comparison: p values of their ratios, corrected for the number of rows. A single row needs
//! no correction ([`Verdict::of`]).
//!
//! The p value of a ratio is the smallest error with which its interval excludes a value, so that at [`CONFIDENCE`] the
//! two say the same, and as valid at any look of a run.
//!
//! Of 100 benchmarks that did not change, one interval of 99 % on average excludes 1. [`adjusted`] keeps the expected
//! share of wrong verdicts among all changes that are called below [`RATE`], if the noise of benchmarks is independent
//! or positively dependent. The intervals of those that were selected because they are far out would miss too often;
//! with [`selected_error`] the share of misses among them is at most [`RATE`], and each of them excludes 1.
//!
//! Sources: Y. Benjamini and Y. Hochberg, 'Controlling the false discovery rate', Journal of the Royal Statistical
//! Society B 57 (1995) 289–300; Y. Benjamini and D. Yekutieli, 'The control of the false discovery rate in multiple
//! testing under dependency', Annals of Statistics 29 (2001) 1165–1188, and 'False discovery rate-adjusted multiple
//! confidence intervals for selected parameters', Journal of the American Statistical Association 100 (2005) 71–81.

use serde::{Deserialize, Serialize};

use crate::{Basis, CONFIDENCE, Estimate};

/// Part of the changes that are called that may be wrong, on average.
pub const RATE: f64 = 1.0 - CONFIDENCE;

/// Part by which two times may differ if they are called the same, unless the user says how much.
pub const RESOLUTION: f64 = 0.05;

/// Verdict on the ratio of two times or counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The ratio is above 1.
    Slower,
    /// The ratio is below 1.
    Faster,
    /// Neither is shown, and the whole interval is within the threshold and contains 1.
    Same,
    /// Nothing is shown.
    Open,
}

impl Verdict {
    /// Returns the verdict on the only ratio of a comparison, whose two times may differ by `threshold` if they are
    /// called the same: [`judged`] for one row.
    pub fn of(ratio: &Estimate, threshold: f64) -> Self {
        Verdict::decided(ratio, true, threshold)
    }

    /// Returns the verdict, given whether a difference may be called if the interval excludes 1.
    fn decided(ratio: &Estimate, may_differ: bool, threshold: f64) -> Self {
        match ratio.interval {
            Some(interval) if may_differ && interval.low > 1.0 => Verdict::Slower,
            Some(interval) if may_differ && interval.high < 1.0 => Verdict::Faster,
            Some(interval) if interval.holds(1.0) && is_within(ratio, threshold) => Verdict::Same,
            _ => Verdict::Open,
        }
    }

    /// Returns whether a difference is shown.
    pub fn is_change(self) -> bool {
        matches!(self, Verdict::Slower | Verdict::Faster)
    }
}

/// Returns whether the interval has only changes of at most the threshold.
fn is_within(ratio: &Estimate, threshold: f64) -> bool {
    ratio.interval.is_some_and(|i| i.low.recip().max(i.high) <= 1.0 + threshold)
}

/// Returns Benjamini and Hochberg's adjusted p values in the order of `p`: the smallest rate at which each is selected.
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
}

/// What a comparison asks of each of its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// Part by which two times may differ if they are called the same.
    pub threshold: f64,
    /// Border of a condition on each ratio.
    pub gate: Option<Border>,
}

/// What the rounds of a row show by themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Time or count over the value it is compared with.
    pub ratio: Estimate,
    /// The p value of no change.
    pub p: f64,
    /// The p value of a change of at most the threshold.
    pub p_within: f64,
    /// The p value of a ratio for which the gate does not hold; 1 without a gate.
    p_gate: f64,
}

impl Look {
    /// Returns what the logarithms of the ratios of a row show; `None` without values.
    pub fn of(basis: Basis, logs: &[f64], asked: Asked) -> Option<Self> {
        let ratio = basis.geometric(logs, 1.0 - CONFIDENCE)?;
        let most = 1.0 + asked.threshold;
        let within = if ratio.value > 1.0 { Border::Above(most) } else { Border::Below(most.recip()) };
        // The p value of a condition's not holding is 1 if it does not hold for the estimate.
        let beyond = |border: Border| match border.is_crossed_by(ratio.value) {
            true => basis.p_value(logs, border.ratio()),
            false => Some(1.0),
        };
        let p_gate = asked.gate.map_or(Some(1.0), beyond)?;
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
        match self.ratio.growth_to(margin) {
            Some(growth) if margin > 0.0 && growth < 1.0 => (p / RATE).log2().max(1.0),
            _ => self.until_narrowed_to(margin),
        }
    }

    /// Returns an estimate of the number of further replicates until the interval has this half width, as a logarithm.
    fn until_narrowed_to(&self, to: f64) -> f64 {
        let further = |growth: f64| self.ratio.replicates as f64 * (growth - 1.0);
        self.ratio.growth_to(to).map_or(f64::INFINITY, |growth| further(growth).max(1.0))
    }
}

/// A row of a comparison with its verdict, corrected for the number of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// What it shows by itself.
    pub look: Look,
    /// The ratio to show: of a change that [`verdicts`] found, the interval is corrected too.
    pub ratio: Estimate,
    /// The adjusted p value of no change.
    pub adjusted: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the gate holds; `None` if that is not shown, and without a gate.
    pub gate: Option<bool>,
    /// Whether more rounds would not change the verdict, nor say more of the threshold and the gate.
    pub is_settled: bool,
    /// Whether it has changed by itself, or the gate holds for it by itself, and only waits for the correction.
    pub waits: bool,
    /// Estimate of the number of further replicates until it is settled; infinite before the first interval.
    pub further: f64,
}

/// Returns the verdicts on the rows of a comparison, given the logarithms of the ratios of each. The intervals of those
/// that changed are corrected too: the share of misses among them is at most [`RATE`]. `None` for a row without values.
pub fn verdicts(rows: &[(Basis, Vec<f64>)], asked: Asked) -> Vec<Option<Judged>> {
    let looks: Vec<Option<Look>> = rows.iter().map(|(basis, logs)| Look::of(*basis, logs, asked)).collect();
    let mut all = judged(&looks, asked);
    let is_change = |row: &&Judged| row.verdict.is_change();
    let error = selected_error(all.iter().flatten().filter(is_change).count(), all.iter().flatten().count());
    for (row, (basis, logs)) in all.iter_mut().zip(rows) {
        if let Some(row) = row.as_mut().filter(|row| row.verdict.is_change()) {
            row.ratio = basis.geometric(logs, error).unwrap_or(row.ratio);
        }
    }
    all
}

/// Returns the verdicts on rows by what each shows, without intervals that are corrected.
pub fn judged(looks: &[Option<Look>], asked: Asked) -> Vec<Option<Judged>> {
    let shown: Vec<&Look> = looks.iter().flatten().collect();
    let adjusted = |p: fn(&Look) -> f64| adjusted(&shown.iter().map(|look| p(look)).collect::<Vec<_>>());
    let of_gate = adjusted(|look| look.p_gate);
    // Then the answer is known, whatever the others show.
    let still_asked = asked.gate.filter(|_| of_gate.iter().all(|adjusted| *adjusted > RATE));
    let beyond = adjusted(|look| look.p_within);
    let mut adjusted = adjusted(|look| look.p).into_iter().zip(beyond).zip(of_gate);
    let judge = |look: &Option<Look>| {
        let (look, ((adjusted, beyond), of_gate)) = ((*look)?, adjusted.next()?);
        let verdict = Verdict::decided(&look.ratio, adjusted <= RATE, asked.threshold);
        let waits = !verdict.is_change() && look.ratio.interval.is_some_and(|interval| !interval.holds(1.0));
        let is_settled = beyond <= RATE || is_within(&look.ratio, asked.threshold) && !waits;
        let gate = match asked.gate {
            Some(_) if of_gate <= RATE => Some(true),
            Some(gate) if gate.is_left_by(&look.ratio) => Some(false),
            _ => None,
        };
        let open = still_asked.filter(|_| gate.is_none());
        let further = |to: Border| look.until_beyond(to.margin(look.ratio.value), of_gate);
        let further = match (open.map(further), is_settled) {
            (Some(further), true) => further,
            (further, _) => look.further(asked.threshold, beyond).max(further.unwrap_or(0.0)),
        };
        Some(Judged {
            look,
            ratio: look.ratio,
            adjusted,
            verdict,
            gate,
            is_settled: is_settled && open.is_none(),
            waits: waits || open.is_some() && look.p_gate <= RATE,
            further,
        })
    };
    // The adjusted values belong to the looks that show something, in their order.
    looks.iter().map(judge).collect()
}
