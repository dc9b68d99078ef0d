//! What memory layouts do to a ratio: the ratio in each of them, and whether only one of them shows a difference.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{CONFIDENCE, hodges_lehmann, log_ratios, replicate};
use crate::record::{Case, Entry};

/// Ratio of two entries with one layout of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfLayout {
    /// Index of the layout, in the order of [`Entry::layouts`].
    pub layout: usize,
    /// Ratio of the values of the blocks with this layout.
    pub ratio: f64,
}

/// Returns the ratio of one entry's value to another's with each of their layouts, in the order of the layouts. Empty
/// if the case compares no time or its programs have one layout each.
pub fn of_layouts(case: &Case, numerator: &Entry, denominator: &Entry) -> Vec<OfLayout> {
    if !case.measure.is_time() || case.layouts() == 0 {
        return Vec::new();
    }
    let logs = log_ratios(numerator, denominator).into_iter().enumerate();
    logs.filter_map(|(layout, log)| Some(OfLayout { layout, ratio: log?.exp() })).collect()
}

/// The only layout with which two entries differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneLayout {
    /// The layout.
    pub of: OfLayout,
    /// Probability that chance makes any layout look so different from the others.
    pub p: f64,
}

/// Returns the layout with which two entries differ, if they differ with no other: it is further from the nearest of
/// the others than the others are from each other, each of its blocks is beyond all other blocks on the same side, and
/// the interval over the other layouts contains 1.
///
/// The p value is the larger one of two. If layouts made no difference, every choice of m of the n blocks would be
/// equally likely to be the extreme ones, so that a given layout would have them with probability 1/C(n, m) on either
/// side. If the effects of layouts had a normal distribution, the distance of a layout from the mean of the others,
/// over its standard error, would have Student's distribution with k − 2 degrees of freedom (F. E. Grubbs, 'Sample
/// criteria for testing outlying observations', Annals of Mathematical Statistics 21 (1950) 27–58). Both count all k
/// layouts.
///
/// `None` if the p value is more than 1 − [`CONFIDENCE`]: with 16 layouts, until each has three blocks. `None` also if
/// an index is of no entry, and in a thinned record, which has no blocks. A caller that asks about many cases corrects
/// the p values for their number.
pub fn in_one_layout(case: &Case, numerator: usize, denominator: usize) -> Option<OneLayout> {
    let all = of_layouts(case, case.entries.get(numerator)?, case.entries.get(denominator)?);
    if all.is_empty() {
        return None;
    }
    let values = replicate::blocks(case);
    let pairs = values[numerator].iter().zip(&values[denominator]);
    let blocks: Vec<f64> = pairs.map(|(a, b)| Some(a.value? / b.value?)).collect::<Option<_>>()?;
    let found = all.iter().copied().find_map(|one| {
        let of_one = |(block, _): &(usize, f64)| block % case.layouts() == one.layout;
        let (own, rest): (Vec<_>, Vec<_>) = blocks.iter().copied().enumerate().partition(of_one);
        let chance = 2.0 * all.len() as f64 / choices(blocks.len(), own.len());
        let (own, rest) = (range(own.iter().map(|own| own.1)), range(rest.iter().map(|rest| rest.1)));
        let is_beyond = own.0 > rest.1 || own.1 < rest.0;
        let others: Vec<f64> =
            all.iter().filter(|other| other.layout != one.layout).map(|other| other.ratio.ln()).collect();
        let (low, high) = range(others.iter().copied());
        let gap = (one.ratio.ln() - high).max(low - one.ratio.ln());
        let interval = hodges_lehmann(&others).and_then(|others| others.interval);
        let others_are_equal = interval.is_some_and(|interval| interval.holds(0.0));
        let is_one = is_beyond && gap > high - low && others_are_equal;
        is_one.then(|| OneLayout { of: one, p: chance.max(outlier(one.ratio.ln(), &others)) })
    });
    found.filter(|found| found.p <= 1.0 - CONFIDENCE)
}

/// Returns the p value of a value's being the furthest from the others by chance, at most 1: Grubbs' test.
fn outlier(value: f64, others: &[f64]) -> f64 {
    let count = others.len() as f64;
    let mean = others.iter().sum::<f64>() / count;
    let squares: f64 = others.iter().map(|other| (other - mean).powi(2)).sum();
    let error = (squares / (count - 1.0) * (1.0 + 1.0 / count)).sqrt();
    let beyond = StudentsT::new(0.0, 1.0, count - 1.0).map(|t| t.sf((value - mean).abs() / error));
    // Fewer than three values show nothing.
    beyond.map_or(1.0, |beyond| (2.0 * (count + 1.0) * beyond).min(1.0))
}

/// Returns the smallest and the largest value.
fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
}

/// Returns the binomial coefficient n over k.
fn choices(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}
