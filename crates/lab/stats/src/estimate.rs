//! Estimates of the centre of values with their intervals: Hodges and Lehmann, Wilcoxon, and confidence sequences.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{CONFIDENCE, MIN_REPLICATES};

pub(crate) fn median_of_sorted(values: &[f64]) -> f64 {
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Up to this number of replicates the distribution of the signed-rank statistic is computed exactly. Above it the
/// normal approximation makes the interval wider by fewer than ten of its thousands of Walsh averages on either side.
const EXACT_REPLICATES: usize = 60;

/// Estimate over several replicates, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate itself.
    pub value: f64,
    /// Its interval at [`CONFIDENCE`]; none below [`MIN_REPLICATES`].
    pub interval: Option<Interval>,
    /// Number of replicates that the estimate uses.
    pub replicates: usize,
}

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// Returns whether `value` lies in the interval or on its edge.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl Estimate {
    /// Returns the estimate of `scale` times the number.
    pub fn times(self, scale: f64) -> Self {
        let interval = self.interval.map(|i| Interval { low: i.low * scale, high: i.high * scale });
        Estimate { value: self.value * scale, interval, ..self }
    }

    /// Returns the estimate of one over the number: a ratio of times becomes a ratio of speeds.
    pub fn inverse(self) -> Self {
        let interval = self.interval.map(|i| Interval { low: 1.0 / i.high, high: 1.0 / i.low });
        Estimate { value: 1.0 / self.value, interval, ..self }
    }

    /// Returns the factor by which the number of replicates must grow until the half width of the interval of a ratio,
    /// as a logarithm, is this much: it shrinks with the root of their number. `None` without an interval.
    pub(crate) fn growth_to(&self, half: f64) -> Option<f64> {
        self.interval.map(|interval| ((interval.high / interval.low).ln() / 2.0 / half).powi(2))
    }

    pub(crate) fn exp(self) -> Self {
        let interval = self.interval.map(|i| Interval { low: i.low.exp(), high: i.high.exp() });
        Estimate { value: self.value.exp(), interval, ..self }
    }
}

/// Returns the factor by which the number of replicates must grow until the interval excludes 1, if the estimate
/// stays if it is. `None` if it excludes 1 already, if there is no interval, and if more than a hundredfold is needed.
pub fn growth_to_decide(ratio: &Estimate) -> Option<f64> {
    ratio.interval.filter(|interval| interval.holds(1.0))?;
    ratio.growth_to(ratio.value.ln()).filter(|growth| (1.0..=100.0).contains(growth))
}

/// Returns the Hodges–Lehmann estimate of the centre of `values` with the signed-rank interval that misses it with
/// probability `error`; `None` if there are no values or one is not finite. Time and memory grow with the square of
/// their number.
///
/// If the run looks after each of its `blocks`, each of which has a value or a part of one, the interval is a
/// confidence sequence, which holds at all numbers of blocks together, so that the run may stop when it likes. The
/// error is spent on looks at certain numbers of values ([`looks`]); the values after the last look wait for the next
/// one. No distribution is assumed, except that it is symmetric.
pub(crate) fn centre(values: &[f64], blocks: Option<usize>, error: f64) -> Option<Estimate> {
    let (replicates, share) = looked_at(values, blocks);
    let values = parts(&values[..replicates])?;
    let mut walsh: Vec<f64> = walsh_averages(&values).collect();
    walsh.sort_unstable_by(f64::total_cmp);
    let trim = trim(values.len(), share * error / 2.0);
    let interval = trim.map(|trim| Interval { low: walsh[trim], high: walsh[walsh.len() - 1 - trim] });
    Some(Estimate { value: median_of_sorted(&walsh), interval, replicates })
}

/// Returns the means of all pairs of values, each with itself too.
fn walsh_averages(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().enumerate().flat_map(move |(i, a)| values[i..].iter().map(move |b| (a + b) / 2.0))
}

/// Returns the p value of a centre: the smallest error with which the interval of [`centre`] excludes `expected`; at
/// most 1. `None` if there are no values or one is not finite.
///
/// After a fixed number of values it is the p value of Wilcoxon's two-sided signed-rank test. If the run looks after
/// each of its `blocks`, it is valid whenever the run stops: the probability that it is at most `error` at any look is
/// at most `error`, because look k excludes the centre with probability `error` times its share, and the shares add up
/// to 1.
pub(crate) fn p_value(values: &[f64], expected: f64, blocks: Option<usize>) -> Option<f64> {
    let (count, share) = looked_at(values, blocks);
    let values = parts(&values[..count])?;
    let (mut at_most, mut at_least) = (0, 0);
    for walsh in walsh_averages(&values) {
        at_most += usize::from(walsh <= expected);
        at_least += usize::from(walsh >= expected);
    }
    // Before the first look the share is 0 and nothing is excluded.
    Some((2.0 * below(values.len(), at_most.min(at_least)) / share).min(1.0))
}

/// Returns the number of values that an interval is computed from, and the share of the error that it has.
pub(crate) fn looked_at(values: &[f64], blocks: Option<usize>) -> (usize, f64) {
    let Some(blocks) = blocks else { return (values.len(), 1.0) };
    let (count, share) = last_look(blocks, values.len());
    (count.min(values.len()), share)
}

/// Returns the number of blocks at the last look of a confidence sequence of at most `most` values, and the share of
/// the error that it spends there; all blocks and no error, with which there is no interval, before the first look. A
/// look at which even the range of so few values would miss the centre more often is none.
pub(crate) fn last_look(blocks: usize, most: usize) -> (usize, f64) {
    let range_misses = |values: usize| 2.0 * 0.5f64.powi(i32::try_from(values).unwrap_or(i32::MAX));
    let can = |count: usize, share: f64| range_misses(most.min(count)) <= share * (1.0 - CONFIDENCE);
    looks()
        .take_while(|(count, share)| *count <= blocks && can(*count, *share))
        .last()
        .unwrap_or((blocks, 0.0))
}

/// Returns the numbers of values at which a confidence sequence looks, each with the share of the allowed error that it
/// spends there: at 9 as much as an interval of so few needs, and from 16 on two thirds apart seven equal shares, up to
/// 349 values, and then each look half of what is left. Shares that fall from the second look on would favour
/// differences that the first one finds; the small ones need many values, and with layouts the number of
/// replicates grows no more while the looks go on.
fn looks() -> impl Iterator<Item = (usize, f64)> {
    const FIRST: f64 = 0.4;
    const EQUAL: u32 = 7;
    let next = |(look, count): &(u32, usize)| {
        Some((look + 1, if *look == 0 { 16 } else { (count * 5).div_ceil(3) }))
    };
    std::iter::successors(Some((0, MIN_REPLICATES + 1)), next).map(|(look, count)| {
        let equal = (1.0 - FIRST) / f64::from(EQUAL + 1);
        let halved = i32::try_from(look.saturating_sub(EQUAL)).unwrap_or(i32::MAX);
        (count, if look == 0 { FIRST } else { equal * 0.5f64.powi(halved) })
    })
}

/// Number of values above which consecutive ones are averaged, because the Walsh averages grow with its square.
const MAX_VALUES: usize = 1000;

/// Returns at most [`MAX_VALUES`]: if there are more, the means of as many consecutive ones as needed, which are
/// symmetric about a centre if the values are. `None` if there are no values or one is not finite.
fn parts(values: &[f64]) -> Option<Vec<f64>> {
    let each = values.len().div_ceil(MAX_VALUES).max(1);
    let is_known = !values.is_empty() && values.iter().all(|value| value.is_finite());
    is_known.then(|| values.chunks_exact(each).map(|part| part.iter().sum::<f64>() / each as f64).collect())
}

/// Returns the number of the sorted Walsh averages of `replicates` values that lie outside the interval on either side:
/// the largest k with P(T ≤ k) ≤ `tail`, where T is the signed-rank statistic. `None` if there is none.
///
/// This is the critical value that published tables of Wilcoxon's test list.
fn trim(replicates: usize, tail: f64) -> Option<usize> {
    if replicates <= EXACT_REPLICATES {
        return exact_trim(replicates, tail);
    }
    let (mean, deviation) = moments(replicates);
    // T takes integers: P(T ≤ k) is approximated by the normal distribution at k + 1/2.
    Some((mean + Normal::standard().inverse_cdf(tail) * deviation - 0.5).max(0.0).floor() as usize)
}

/// Returns P(T ≤ k), where T is the signed-rank statistic of `replicates` values: the smallest `tail` at which [`trim`]
/// is at least k.
fn below(replicates: usize, k: usize) -> f64 {
    if replicates <= EXACT_REPLICATES {
        return null_distribution(replicates).into_iter().take(k + 1).sum();
    }
    let (mean, deviation) = moments(replicates);
    Normal::standard().cdf((k as f64 + 0.5 - mean) / deviation)
}

/// Returns the mean and the standard deviation of the signed-rank statistic.
fn moments(replicates: usize) -> (f64, f64) {
    let n = replicates as f64;
    (n * (n + 1.0) / 4.0, (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt())
}

/// [`trim`] by the exact distribution.
fn exact_trim(replicates: usize, tail: f64) -> Option<usize> {
    let mut sum = 0.0;
    let within = null_distribution(replicates).into_iter().take_while(|p| {
        sum += p;
        sum <= tail
    });
    within.count().checked_sub(1)
}

/// Returns P(T = k) for k from 0 to n(n+1)/2, where T is the sum of a random subset of the ranks 1..=n, each taken with
/// probability 1/2.
fn null_distribution(replicates: usize) -> Vec<f64> {
    let mut chance = vec![0.0; replicates * (replicates + 1) / 2 + 1];
    chance[0] = 1.0;
    let mut top = 0;
    for rank in 1..=replicates {
        top += rank;
        for k in (0..=top).rev() {
            let with = if k >= rank { chance[k - rank] } else { 0.0 };
            chance[k] = (chance[k] + with) / 2.0;
        }
    }
    chance
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: f64 = (1.0 - CONFIDENCE) / 2.0;

    /// Checks two-sided critical values at 0.01 of the signed-rank test, as in Hollander and Wolfe's table A.4 and in
    /// F. Wilcoxon and R. A. Wilcox, 'Some rapid approximate statistical procedures' (1964).
    #[test]
    fn critical_values_match_the_published_tables() {
        let table =
            [(8, 0), (9, 1), (10, 3), (11, 5), (12, 7), (15, 15), (20, 37), (25, 68), (30, 109), (50, 373)];
        for (rounds, critical) in table {
            assert_eq!(trim(rounds, TAIL), Some(critical), "{rounds} rounds");
        }
        assert_eq!([0, MIN_REPLICATES - 1].map(|rounds| trim(rounds, TAIL)), [None; 2]);
        assert_eq!(null_distribution(3), [1., 1., 1., 2., 1., 1., 1.].map(|ways| ways / 8.0));
    }

    #[test]
    fn normal_approximation_continues_the_exact_values() {
        for rounds in [EXACT_REPLICATES + 1, 80, 120] {
            let approximate = trim(rounds, TAIL).unwrap();
            let exact = exact_trim(rounds, TAIL).unwrap();
            assert!(approximate <= exact && exact < approximate + 10, "{rounds}: {approximate} {exact}");
        }
    }

    /// The estimate of values that are looked at once.
    fn once(values: &[f64]) -> Option<Estimate> {
        centre(values, None, 1.0 - CONFIDENCE)
    }

    #[test]
    fn very_many_values_are_averaged_first() {
        let values: Vec<f64> = (0..12_345).map(|i| f64::from(i * 7919 % 12_345)).collect();
        assert_eq!(parts(&values).unwrap().len(), 12_345 / 13);
        assert_eq!(parts(&values[..1000]).unwrap(), values[..1000]);
        let estimate = once(&values).unwrap();
        assert_eq!(estimate.replicates, 12_345);
        assert!(estimate.interval.unwrap().holds(12_344.0 / 2.0), "{estimate:?}");
    }

    /// Table 3.1 of Hollander and Wolfe's book: changes of nine patients. For nine values the exact interval at 99 %
    /// has critical value 1: it goes from the 2nd to the 44th of the 45 Walsh averages.
    #[test]
    #[expect(clippy::approx_constant, reason = "a score of 3.14 is not pi")]
    fn depression_scores_of_hollander_and_wolfe() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let changes: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
        let estimate = once(&changes).unwrap();
        assert!((estimate.value - -0.46).abs() < 1e-9, "{estimate:?}");
        let mut walsh: Vec<f64> = walsh_averages(&changes).collect();
        walsh.sort_by(f64::total_cmp);
        assert_eq!((walsh.len(), estimate.interval), (45, Some(Interval { low: walsh[1], high: walsh[43] })));
    }

    #[test]
    fn order_and_ties_do_not_matter() {
        let mut values = [2.0, 2.0, 2.0, 1.0, 3.0, 2.0, 2.0, 3.0, 1.0, 2.0];
        let estimate = once(&values);
        assert_eq!(estimate.unwrap().value, 2.0);
        for _ in 0..values.len() {
            values.rotate_left(3);
            values.swap(0, 7);
            assert_eq!(once(&values), estimate);
        }
        let same = Some(Interval { low: 4.0, high: 4.0 });
        assert_eq!(once(&[4.0; 12]), Some(Estimate { value: 4.0, interval: same, replicates: 12 }));
        assert_eq!([once(&[]), once(&[1.0, f64::NAN]), once(&[1.0, f64::INFINITY])], [None; 3]);
    }

    #[test]
    fn a_confidence_sequence_is_wider_and_waits_for_its_next_look() {
        let values: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 20)).collect();
        let anytime = |count: usize| centre(&values[..count], Some(count), 1.0 - CONFIDENCE);
        let (inner, outer) = (once(&values[..17]).unwrap(), anytime(17).unwrap());
        let (inner, outer) = (inner.interval.unwrap(), outer.interval.unwrap());
        assert!(outer.low < inner.low && inner.high < outer.high);
        assert_eq!(anytime(20), anytime(17), "the next look is at 21 values");
        assert_eq!((anytime(8).unwrap().interval, anytime(0)), (None, None));
    }

    #[test]
    fn the_time_that_would_decide_grows_with_the_square_of_the_distance() {
        let growth = |value: f64, half: f64| {
            let interval = Some(Interval { low: value / half, high: value * half });
            growth_to_decide(&Estimate { value, interval, replicates: 20 })
        };
        assert!((growth(1.01, 1.02).unwrap() - 4.0).abs() < 0.1);
        assert_eq!(growth(1.02, 1.01), None, "it is decided");
        assert_eq!(growth(1.0, 1.01), None, "it may never be");
    }

    #[test]
    fn a_confidence_sequence_spends_at_most_its_error_and_each_look_can_reach_it() {
        let all: Vec<(usize, f64)> = looks().take(60).collect();
        assert_eq!(all[..5].iter().map(|(count, _)| *count).collect::<Vec<_>>(), [9, 16, 27, 45, 75]);
        assert!(all.iter().map(|(_, share)| share).sum::<f64>() <= 1.0);
        for (count, share) in all.iter().filter(|(count, _)| *count <= 100) {
            assert!(trim(*count, share * TAIL).is_some(), "{count}");
        }
    }

    /// The p value is at most an error where the interval at that error excludes the centre, and only there.
    #[test]
    fn a_p_value_is_the_smallest_error_that_excludes() {
        let values =
            |count: u64| -> Vec<f64> { (0..count).map(|i| (i * 7919 % 101) as f64 / 101.0 - 0.4).collect() };
        for count in [1, 7, 8, 9, 13, 21, 40, EXACT_REPLICATES as u64, 61, 150] {
            let values = values(count);
            // Looked at once, after each value, and after blocks of which each value is the mean of four.
            for blocks in [None, Some(values.len()), Some(4 * values.len())] {
                for expected in [-0.6, -0.2, 0.0, 0.05, 0.1, 0.3, 2.0] {
                    let p = p_value(&values, expected, blocks).unwrap();
                    assert!(p > 0.0 && p <= 1.0, "{count}: {p}");
                    let excludes = |error: f64| {
                        let found = centre(&values, blocks, error).unwrap().interval;
                        found.is_some_and(|interval| !interval.holds(expected))
                    };
                    // No interval has fewer than the range of Walsh averages, however small its error is.
                    if p > 1e-7 {
                        assert!(p == 1.0 || excludes(p * (1.0 + 1e-6)), "{count} {expected}: {p}");
                        assert!(!excludes(p * (1.0 - 1e-6)), "{count} {expected}: {p}");
                    }
                    assert_eq!(p <= 1.0 - CONFIDENCE, excludes(1.0 - CONFIDENCE), "{count} {expected}: {p}");
                }
            }
        }
        // All on one side: 2 in 2⁹, and the first look has 0.4 of the error.
        assert_eq!(p_value(&[1.0; 9], 0.0, None), Some(2.0 / 512.0));
        assert_eq!(p_value(&[1.0; 9], 0.0, Some(9)), Some(2.0 / 512.0 / 0.4));
        assert_eq!(p_value(&[1.0; 9], 1.0, None), Some(1.0));
        assert_eq!(p_value(&[1.0; 8], 0.0, Some(8)), Some(1.0));
        assert_eq!([p_value(&[], 0.0, None), p_value(&[f64::NAN], 0.0, Some(1))], [None, None]);
    }
}
