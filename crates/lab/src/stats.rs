//! Statistics over a record: pure functions without input, output or random numbers.
//!
//! **The replicate is the round**: one fresh process for each entry. The value of an entry in a round is the median
//! over its samples of the time of one iteration, or of the other quantity that the case compares. Samples of one
//! process share its memory layout, so they count once; of each round only this value, the medians of parts and counts,
//! and the greatest levels are used ([`summary`]). The samples of a round were taken in ABBA order, so slow drift
//! cancels in the ratio of two entries of the same round. Ratios are therefore paired: round i of one entry with round
//! i of the other.
//!
//! **The estimate** over rounds is that of Hodges and Lehmann, the median of all Walsh averages (xᵢ + xⱼ)/2 with i ≤
//! j, on logarithms; **the interval** is the one that inverts Wilcoxon's signed-rank test. Its coverage is exact for
//! any number of rounds and any distribution that is symmetric about its centre; the logarithm of the ratio of a
//! program to itself is symmetric whatever the noise looks like. A burst of noise moves it by one rank and no
//! further.
//!
//! The percentile bootstrap that benchmarks often use covers less than it promises with few rounds (ten or twenty
//! are few) and depends on a seed; that is why it is not used here.
//!
//! Sources: J. L. Hodges and E. L. Lehmann, 'Estimates of location based on rank tests', Annals of Mathematical
//! Statistics 34 (1963) 598–611; M. Hollander, D. A. Wolfe and E. Chicken, 'Nonparametric Statistical Methods',
//! 3rd edition, section 3.1 to 3.3.

use std::collections::BTreeMap;

use crate::record::{Case, Entry, Measure, Record, Role, Sample, Summary};

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.99;

/// Quantile of the standard normal distribution at (1 + [`CONFIDENCE`]) / 2.
const NORMAL_QUANTILE: f64 = 2.575_829_303_548_901;

/// Least number of rounds at which [`CONFIDENCE`] can be reached: the first n with 2⁻ⁿ ≤ (1 − confidence) / 2.
pub const LEAST_ROUNDS: usize = 8;

/// Up to this number of rounds the distribution of the signed-rank statistic is computed exactly. Above it the normal
/// approximation makes the interval wider by fewer than ten of its thousands of Walsh averages on either side.
const EXACT_ROUNDS: usize = 60;

/// Estimate over several rounds, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate itself.
    pub value: f64,
    /// Its interval at [`CONFIDENCE`]; none below [`LEAST_ROUNDS`] rounds.
    pub interval: Option<Interval>,
    /// Number of rounds that the estimate uses.
    pub rounds: usize,
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

    fn exp(self) -> Self {
        let interval = self.interval.map(|i| Interval { low: i.low.exp(), high: i.high.exp() });
        Estimate { value: self.value.exp(), interval, ..self }
    }
}

/// Interpretation of a ratio of two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The first takes less time; the value, above 1, is the factor by which it is faster.
    Faster(f64),
    /// The first takes more time; the value, above 1, is the factor by which it takes longer.
    Slower(f64),
    /// The interval contains 1: no difference found.
    NoDifference,
    /// Fewer than [`LEAST_ROUNDS`] rounds: no conclusion.
    TooFewRounds,
}

impl Verdict {
    /// Interprets the ratio of the first time to the second.
    pub fn of(ratio: &Estimate) -> Self {
        match ratio.interval {
            None => Verdict::TooFewRounds,
            Some(interval) if interval.holds(1.0) => Verdict::NoDifference,
            Some(interval) if interval.high < 1.0 => Verdict::Faster(1.0 / ratio.value),
            Some(_) => Verdict::Slower(ratio.value),
        }
    }
}

/// Returns the Hodges–Lehmann estimate of the centre of `values` with its exact signed-rank interval; `None` where
/// there are no values or one is not finite.
///
/// Time and memory grow with the square of the number of values.
///
/// ```
/// let values = [1.1, 0.9, 1.0, 1.2, 0.8, 1.05, 0.95, 1.15, 9.0];
/// let estimate = parcrypt_lab::stats::hodges_lehmann(&values).ok_or("no values")?;
/// assert!((estimate.value - 1.05).abs() < 0.03, "one wild value hardly moves it");
/// # Ok::<(), &str>(())
/// ```
pub fn hodges_lehmann(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut walsh = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (i, a) in values.iter().enumerate() {
        walsh.extend(values[i..].iter().map(|b| (a + b) / 2.0));
    }
    walsh.sort_unstable_by(f64::total_cmp);
    let interval =
        trim(values.len()).map(|trim| Interval { low: walsh[trim], high: walsh[walsh.len() - 1 - trim] });
    Some(Estimate { value: median_of_sorted(&walsh), interval, rounds: values.len() })
}

/// Returns the number of the sorted Walsh averages of `rounds` values that lie outside the interval on either side: the
/// greatest k with P(T ≤ k) ≤ (1 − confidence) / 2, where T is the signed-rank statistic. `None` where there is none.
///
/// This is the critical value that published tables of Wilcoxon's test list.
fn trim(rounds: usize) -> Option<usize> {
    let tail = (1.0 - CONFIDENCE) / 2.0;
    if rounds <= EXACT_ROUNDS {
        let mut sum = 0.0;
        let within = null_distribution(rounds)
            .iter()
            .take_while(|p| {
                sum += **p;
                sum <= tail
            })
            .count();
        return within.checked_sub(1);
    }
    let n = rounds as f64;
    let mean = n * (n + 1.0) / 4.0;
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    // T takes integers: P(T ≤ k) is approximated by the normal distribution at k + 1/2.
    Some((mean - NORMAL_QUANTILE * deviation - 0.5).floor() as usize)
}

/// Returns P(T = k) for k from 0 to n(n+1)/2, where T is the sum of a random subset of the ranks 1..=n, each taken with
/// probability 1/2.
fn null_distribution(rounds: usize) -> Vec<f64> {
    let mut chance = vec![0.0; rounds * (rounds + 1) / 2 + 1];
    chance[0] = 1.0;
    let mut top = 0;
    for rank in 1..=rounds {
        top += rank;
        for k in (0..=top).rev() {
            let with = if k >= rank { chance[k - rank] } else { 0.0 };
            chance[k] = (chance[k] + with) / 2.0;
        }
    }
    chance
}

fn median_of_sorted(values: &[f64]) -> f64 {
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Returns the median; `None` where there are no values.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    (!values.is_empty()).then(|| median_of_sorted(&values))
}

/// Returns the median over the samples of one process of the quantity that the case compares, for one iteration, with
/// time in ns.
fn round_value(measure: &Measure, samples: &[Sample]) -> Option<f64> {
    let one = |s: &Sample| {
        let value = measure.of(s)?;
        (s.iterations > 0 && value > 0).then(|| value as f64 / s.iterations as f64)
    };
    median(samples.iter().filter_map(one).collect())
}

/// Returns the medians over the samples of one process of their parts by name, for one iteration.
fn round_phases(samples: &[Sample]) -> BTreeMap<&str, f64> {
    by_name(
        samples,
        |s| &s.phases,
        |_, part, iterations| (iterations > 0).then(|| part as f64 / iterations as f64),
        median,
    )
}

/// Returns the medians over the samples of one process of their counts by name, for one iteration; for a level, the
/// greatest.
fn round_counts(samples: &[Sample]) -> BTreeMap<&str, f64> {
    let mut counts = by_name(
        samples,
        |s| &s.counts,
        |name, count, iterations| match iterations {
            _ if is_level(name) => None,
            0 => None,
            _ => Some(count as f64 / iterations as f64),
        },
        median,
    );
    counts.extend(by_name(
        samples,
        |s| &s.counts,
        |name, level, _| is_level(name).then_some(level as f64),
        greatest,
    ));
    counts
}

/// Returns whether a count is a level and not a total over the iterations.
fn is_level(name: &str) -> bool {
    name.starts_with("peak-")
}

/// Collects values by name from samples and combines the values of each name.
fn by_name<'s>(
    samples: &'s [Sample],
    values: impl Fn(&'s Sample) -> &'s BTreeMap<String, u64>,
    value: impl Fn(&str, u64, u64) -> Option<f64>,
    combine: impl Fn(Vec<f64>) -> Option<f64>,
) -> BTreeMap<&'s str, f64> {
    let mut found: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        for (name, raw) in values(sample) {
            if let Some(value) = value(name, *raw, sample.iterations) {
                found.entry(name).or_default().push(value);
            }
        }
    }
    found.into_iter().filter_map(|(name, all)| Some((name, combine(all)?))).collect()
}

/// Returns the values of one process that the estimators use. They use nothing else, so that a thinned record has the
/// same estimates as the full one.
pub fn summary(measure: &Measure, samples: &[Sample]) -> Summary {
    let owned = |values: BTreeMap<&str, f64>| {
        values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    };
    Summary {
        samples: samples.len(),
        value: round_value(measure, samples),
        phases: owned(round_phases(samples)),
        counts: owned(round_counts(samples)),
    }
}

/// Returns one value for each round of an entry: from its samples, or from the summary in a thinned record. Empty for
/// an entry that failed.
fn over_rounds<'e, T>(
    entry: &'e Entry,
    full: impl Fn(&'e [Sample]) -> T,
    thinned: impl Fn(&'e Summary) -> T,
) -> Vec<T> {
    match &entry.thinned {
        _ if entry.failure.is_some() => Vec::new(),
        Some(kept) => kept.rounds.iter().map(thinned).collect(),
        None => entry.rounds.iter().map(|samples| full(samples)).collect(),
    }
}

/// Returns the value of an entry in each round, for one iteration, with time in ns.
fn round_values(measure: &Measure, entry: &Entry) -> Vec<Option<f64>> {
    over_rounds(entry, |samples| round_value(measure, samples), |kept| kept.value)
}

/// Returns names with their values, borrowed.
fn borrowed(values: &BTreeMap<String, f64>) -> BTreeMap<&str, f64> {
    values.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

/// Combines the values of each name over rounds.
fn combined(
    rounds: Vec<BTreeMap<&str, f64>>,
    combine: impl Fn(&str, Vec<f64>) -> Option<f64>,
) -> BTreeMap<&str, f64> {
    let mut found: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in rounds.into_iter().flatten() {
        found.entry(name).or_default().push(value);
    }
    found.into_iter().filter_map(|(name, all)| Some((name, combine(name, all)?))).collect()
}

fn greatest(values: Vec<f64>) -> Option<f64> {
    values.into_iter().max_by(f64::total_cmp)
}

/// Returns the logarithms of the ratio of one entry's value to another's in each round that both have; `None` in the
/// others.
fn log_ratios(measure: &Measure, numerator: &Entry, denominator: &Entry) -> Vec<Option<f64>> {
    let (a, b) = (round_values(measure, numerator), round_values(measure, denominator));
    a.into_iter().zip(b).map(|(a, b)| Some((a? / b?).ln())).collect()
}

/// Returns the estimate of a positive value from its logarithms. A count that was the same in all of several rounds is
/// known and not estimated, so its interval is a point even where there are few rounds.
fn geometric(measure: &Measure, logs: &[f64]) -> Option<Estimate> {
    let found = hodges_lehmann(logs)?;
    let known = !measure.is_time() && logs.len() > 1 && logs.iter().all(|log| *log == found.value);
    let interval =
        if known { Some(Interval { low: found.value, high: found.value }) } else { found.interval };
    Some(Estimate { interval, ..found }.exp())
}

/// Returns the value that an entry is compared by, for one iteration: its time in ns, or its count. `None` where the
/// entry failed or was not measured.
pub fn value(measure: &Measure, entry: &Entry) -> Option<Estimate> {
    geometric(measure, &round_values(measure, entry).into_iter().flatten().map(f64::ln).collect::<Vec<_>>())
}

/// Returns the counts of an entry by name. A name that begins with `peak-` is a level, of which the greatest in any
/// sample counts; any other is a total over the iterations, divided by their number: the median over rounds of the
/// median in each. Empty where the entry failed or counted nothing.
pub fn counts(entry: &Entry) -> BTreeMap<&str, f64> {
    let rounds = over_rounds(entry, round_counts, |kept| borrowed(&kept.counts));
    combined(rounds, |name, all| if is_level(name) { greatest(all) } else { median(all) })
}

/// Returns the ratio of one entry's value to another's, paired within rounds; rounds that either lacks are dropped.
/// `None` where no round has both.
pub fn ratio(measure: &Measure, numerator: &Entry, denominator: &Entry) -> Option<Estimate> {
    let logs: Vec<f64> = log_ratios(measure, numerator, denominator).into_iter().flatten().collect();
    geometric(measure, &logs)
}

/// Returns the parts of an entry's value by name, for one iteration: the median over rounds of the median in each.
/// Empty where the entry failed or reported no parts.
pub fn phases(entry: &Entry) -> BTreeMap<&str, f64> {
    let rounds = over_rounds(entry, round_phases, |kept| borrowed(&kept.phases));
    combined(rounds, |_, all| median(all))
}

/// Returns the times of steps before the measured work of an entry, by name in ns: the median over the processes that
/// reported them. Empty where the entry failed or no process reported any.
pub fn before(entry: &Entry) -> BTreeMap<&str, f64> {
    let said = if entry.failure.is_some() { &[][..] } else { &entry.before[..] };
    let mut found: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, ns) in said.iter().flatten() {
        found.entry(name).or_default().push(*ns as f64);
    }
    found.into_iter().filter_map(|(name, all)| Some((name, median(all)?))).collect()
}

/// A geometric mean of paired ratios, or of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanRatio {
    /// The mean and its interval.
    pub ratio: Estimate,
    /// Number of pairs, or values, in the mean. Pairs without samples, or cut short, do not count.
    pub pairs: usize,
}

/// Returns the geometric mean over several pairs of the value of the first over the value of the second.
///
/// The mean is taken inside each round, then estimated over rounds, so that it is also paired and has as many
/// replicates as there are rounds. It uses the rounds that all pairs have; a pair with fewer than half the rounds of
/// the fullest is left out, so that one that was cut short does not take the rounds from all others. `None` where no
/// pair is left.
pub fn mean_ratio(measure: &Measure, pairs: &[(&Entry, &Entry)]) -> Option<MeanRatio> {
    mean(measure, pairs.iter().map(|(a, b)| log_ratios(measure, a, b)).collect())
}

/// Returns the geometric mean of the throughputs of several entries in bytes per second, each in a case of its own and
/// with the length of its input in bytes. It is taken inside each round, as in [`mean_ratio`].
///
/// All are in one unit, so that the mean is a throughput too, and the ratio of two such means over the same cases is
/// the mean of the ratios.
pub fn mean_throughput(entries: &[(&Entry, u64)]) -> Option<MeanRatio> {
    let logs = |(entry, bytes): &(&Entry, u64)| {
        let per_second = 1e9 * *bytes as f64;
        round_values(&Measure::Time, entry)
            .into_iter()
            .map(|ns| Some((per_second / ns?).ln()).filter(|l| l.is_finite()))
            .collect()
    };
    mean(&Measure::Time, entries.iter().map(logs).collect())
}

/// Returns the geometric mean of several values, given the logarithm of each in each round.
fn mean(measure: &Measure, all: Vec<Vec<Option<f64>>>) -> Option<MeanRatio> {
    let count = |logs: &[Option<f64>]| logs.iter().flatten().count();
    let fullest = all.iter().map(|logs| count(logs)).max().filter(|most| *most > 0)?;
    let kept: Vec<&Vec<Option<f64>>> = all.iter().filter(|logs| 2 * count(logs) >= fullest).collect();
    let rounds = kept.iter().map(|logs| logs.len()).min()?;
    let means: Vec<f64> = (0..rounds)
        .filter_map(|round| {
            let sum: f64 = kept.iter().map(|logs| logs[round]).sum::<Option<f64>>()?;
            Some(sum / kept.len() as f64)
        })
        .collect();
    let ratio = geometric(measure, &means)?;
    Some(MeanRatio { ratio, pairs: kept.len() })
}

/// Comparison of the intervals of a record with the least speeds that its plan claims.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// Number of entries with a claim and an interval.
    pub entries: usize,
    /// Number of entries whose whole interval keeps the claim.
    pub kept: usize,
    /// Case and entry of those whose whole interval breaks the claim.
    pub broken: Vec<(usize, usize)>,
    /// Case and entry of those whose interval has speeds on both sides of the claim.
    pub open: Vec<(usize, usize)>,
    /// Number of entries with a claim and without an interval: they, or their baseline, failed, were skipped or have
    /// too few rounds.
    pub without_interval: usize,
}

/// Compares the speed of every candidate of every case over its baseline's with the least speed that the plan claims.
pub fn claims(record: &Record) -> Claims {
    let mut claims = Claims::default();
    for (c, case) in record.cases.iter().enumerate() {
        let (Some(least), Some(baseline)) = (case.least_speed, case.entries.get(case.baseline)) else {
            continue;
        };
        let entries = case
            .entries
            .iter()
            .enumerate()
            .filter(|(r, entry)| *r != case.baseline && entry.role == Role::Candidate);
        for (r, entry) in entries {
            let Some(i) = ratio(&case.measure, entry, baseline).and_then(|ratio| ratio.inverse().interval)
            else {
                claims.without_interval += 1;
                continue;
            };
            claims.entries += 1;
            match (i.low >= least, i.high < least) {
                (true, _) => claims.kept += 1,
                (_, true) => claims.broken.push((c, r)),
                _ => claims.open.push((c, r)),
            }
        }
    }
    claims
}

/// Reference of a speed-up over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The same candidate, with the same labels, on one thread; the baseline where there is no such entry.
    Itself,
    /// The case's baseline.
    Baseline,
}

/// Speed-up of an entry on its threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speedup {
    /// Index of the reference entry.
    pub reference: usize,
    /// Speed over the reference's.
    pub times: Estimate,
    /// Speed-up over the ratio of the entry's number of threads to the reference's; 1 is perfect.
    pub efficiency: Estimate,
}

/// Returns speed-up and efficiency of an entry of a case. `None` where either entry has no samples, or where the entry
/// is itself the reference.
pub fn speedup(case: &Case, entry: usize, against: Against) -> Option<Speedup> {
    let this = case.entries.get(entry)?;
    let alone = |other: &Entry| {
        other.threads == 1
            && other.role == this.role
            && other.candidate == this.candidate
            && other.labels == this.labels
            && other.failure.is_none()
    };
    let reference = match against {
        Against::Itself => case.entries.iter().position(alone).unwrap_or(case.baseline),
        Against::Baseline => case.baseline,
    };
    if reference == entry {
        return None;
    }
    let other = case.entries.get(reference)?;
    let times = ratio(&case.measure, other, this)?;
    let efficiency = times.times(other.threads.max(1) as f64 / this.threads.max(1) as f64);
    Some(Speedup { reference, times, efficiency })
}

/// Returns the weak scaling: the value of a candidate's entry on one thread over that of its entry on p threads, which
/// has p times the work; 1 is perfect. The entries are of two cases and paired within the round, as all ratios are,
/// though they took no turns with each other. `None` where no round has both.
pub fn weak_scaling(measure: &Measure, one: &Entry, many: &Entry) -> Option<Estimate> {
    ratio(measure, one, many)
}

/// Returns the noise floor of a case: the greatest factor, minus 1, by which a bound of the interval of a control's
/// ratio to the baseline differs from it, in either direction. `None` where no control has an interval.
pub fn noise_floor(case: &Case) -> Option<f64> {
    let baseline = case.entries.get(case.baseline)?;
    case.entries
        .iter()
        .filter(|entry| entry.role == Role::Control)
        .filter_map(|entry| ratio(&case.measure, entry, baseline)?.interval)
        .map(|i| i.low.recip().max(i.high) - 1.0)
        .max_by(f64::total_cmp)
}

/// Returns the noise floor of a record: the greatest of its cases' [`noise_floor`]s.
pub fn record_noise_floor(record: &Record) -> Option<f64> {
    record.cases.iter().filter_map(noise_floor).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks two-sided critical values at 0.01 of the signed-rank test, as in Hollander and Wolfe's table A.4 and in
    /// F. Wilcoxon and R. A. Wilcox, 'Some rapid approximate statistical procedures' (1964).
    #[test]
    fn critical_values_are_those_of_the_published_tables() {
        let table =
            [(8, 0), (9, 1), (10, 3), (11, 5), (12, 7), (15, 15), (20, 37), (25, 68), (30, 109), (50, 373)];
        for (rounds, critical) in table {
            assert_eq!(trim(rounds), Some(critical), "{rounds} rounds");
        }
    }

    #[test]
    fn least_rounds_is_the_first_that_reaches_the_confidence() {
        assert_eq!(trim(LEAST_ROUNDS - 1), None);
        assert_eq!(trim(0), None);
        assert!(trim(LEAST_ROUNDS).is_some());
        assert!(0.5f64.powi(LEAST_ROUNDS as i32) <= (1.0 - CONFIDENCE) / 2.0);
    }

    #[test]
    fn null_distribution_is_symmetric_and_whole() {
        for rounds in [1, 2, 8, 20, EXACT_ROUNDS] {
            let chance = null_distribution(rounds);
            assert!((chance.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (a, b) in chance.iter().zip(chance.iter().rev()) {
                assert!((a - b).abs() <= 1e-12 * a, "{rounds}: {a} {b}");
            }
        }
        assert_eq!(null_distribution(3), [1., 1., 1., 2., 1., 1., 1.].map(|ways| ways / 8.0));
    }

    #[test]
    fn normal_approximation_continues_the_exact_values() {
        let exact = |rounds: usize| {
            let mut sum = 0.0;
            null_distribution(rounds)
                .iter()
                .take_while(|p| {
                    sum += **p;
                    sum <= (1.0 - CONFIDENCE) / 2.0
                })
                .count()
                - 1
        };
        for rounds in [EXACT_ROUNDS + 1, 80, 120] {
            let approximate = trim(rounds).unwrap();
            let exact = exact(rounds);
            assert!(approximate <= exact && exact < approximate + 10, "{rounds}: {approximate} {exact}");
        }
    }

    #[test]
    fn the_quantile_belongs_to_the_confidence() {
        // Φ(z) by Simpson's rule from 0.
        let steps = 2000;
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let h = NORMAL_QUANTILE / f64::from(steps);
        let sum: f64 = (0..=steps)
            .map(|i| {
                let weight = if i == 0 || i == steps { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                weight * density(h * f64::from(i))
            })
            .sum();
        assert!((sum * h / 3.0 + 0.5 - (1.0 + CONFIDENCE) / 2.0).abs() < 1e-9);
    }
}
