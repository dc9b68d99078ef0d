//! Statistics over a record: pure functions without input, output or random numbers.
//!
//! **The value of a process.** In a round each entry has a fresh process, and entries take turns sample by sample. What
//! the samples of one turn have in common, such as a slow spell of the machine, cancels: the logarithm of a sample
//! minus the mean over the entries of its turn is the entry's effect; its median over the turns, plus the median of
//! the turns, is the entry's value in the round. For two entries the ratio of their values is the median ratio of
//! their pairs of samples. A turn in which the system disturbed a sample is left out ([`is_disturbed`]), by a rule
//! that looks at no ratio, and with all its samples.
//!
//! **The replicate is a block of two rounds** on the same processors, with opposite orders of start: the geometric
//! mean of the two values. Samples of one process share its memory layout, so they count once. With fewer than
//! [`ROUNDS_OF_BLOCKS`] rounds each round is a replicate, so that eight rounds have an interval. What favours the first
//! entry of a round then gives the two rounds of a block opposite signs; this makes intervals wider and false alarms
//! rarer. The number of rounds follows from the time or from the user, not from what was measured: a run that looks at
//! its intervals always has blocks. [`summarize`] computes the replicates; everything else here is computed from them.
//! Ratios are paired: replicate i of one entry with replicate i of the other.
//!
//! **With memory layouts** (the same program linked in other orders, one for each block in turn) blocks with the same
//! layouts are one replicate: what a layout changes is the same in all of them, so that each of them tells nothing new
//! about other layouts. Its value is the median of the effects in its rounds, as in the turns of a round, plus the
//! median of the rounds: of many rounds, some are slow by themselves, and would move a mean. The interval
//! then contains layout, as far as [`LEAST_LAYOUTS`] and more of them can show it.
//!
//! **The estimate** over replicates is the Hodges-Lehmann estimator, the median of all Walsh averages (xᵢ + xⱼ)/2 with
//! i ≤ j, on logarithms; **the interval** is the one that inverts Wilcoxon's signed-rank test. Its coverage is exact
//! for any number of replicates and any distribution that is symmetric about its centre; the logarithm of the ratio of
//! a program to itself is symmetric whatever the noise looks like. A burst of noise moves it by one rank and no
//! further.
//!
//! **A run that may end because of what it measured** looks at its interval many times. There the interval is a
//! confidence sequence ([`anytime`]), which holds at all looks together.
//!
//! **A suite** compares many cases at once, and its verdicts are corrected for their number ([`many`]).
//!
//! The percentile bootstrap that benchmarks often use covers less than it promises with few replicates (ten or twenty
//! are few) and depends on a seed; that is why it is not used here.
//!
//! Sources: J. L. Hodges and E. L. Lehmann, 'Estimates of location based on rank tests', Annals of Mathematical
//! Statistics 34 (1963) 598–611; M. Hollander, D. A. Wolfe and E. Chicken, 'Nonparametric Statistical Methods',
//! 3rd edition, section 3.1 to 3.3; T. L. Lai, 'On confidence sequences', Annals of Statistics 4 (1976)
//! 265–280.

mod counted;
mod interval;
pub mod many;
mod replicate;

use std::collections::BTreeMap;

use crate::record::{Case, Entry, Measure, Record, Role, Summary};

pub use counted::{Counted, EQUAL_COUNTS, counted};
use interval::last_look;
pub use interval::{Estimate, Interval, anytime, hodges_lehmann};
use replicate::is_level;
pub(crate) use replicate::{Summaries, noise};
pub use replicate::{is_disturbed, summarize, summary};

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.99;

/// Minimum number of replicates at which [`CONFIDENCE`] can be reached: the first n with 2⁻ⁿ ≤ (1 − confidence) / 2.
pub const LEAST_REPLICATES: usize = 8;

/// Rounds of a block: on the same processors, with both orders of start.
pub const BLOCK: usize = 2;

/// Minimum number of memory layouts of a program that has several: the number of replicates at the first look of a run
/// that looks at its intervals.
pub const LEAST_LAYOUTS: usize = LEAST_REPLICATES + 1;

/// Minimum number of rounds for an interval. With eight rounds the interval is their range, and it excludes a ratio if
/// all rounds lie on one side of it: the sign test, which is wrong in 1 of 128 runs.
pub const LEAST_ROUNDS: usize = LEAST_REPLICATES;
/// Number of rounds from which on a block is a replicate. With fewer, a round is.
pub const ROUNDS_OF_BLOCKS: usize = BLOCK * LEAST_REPLICATES;
/// Minimum number of rounds for an interval if the run looks at it more than once.
pub(crate) const LEAST_ROUNDS_TO_LOOK: usize = BLOCK * (LEAST_REPLICATES + 1);

/// Returns the number of rounds after which a case can have an interval, if the run looks at it more than once
/// (`sequential`), or its programs have several memory layouts, with which a block is always a replicate.
pub fn rounds_for_interval(sequential: bool, has_layouts: bool) -> usize {
    match (sequential, has_layouts) {
        (true, _) => LEAST_ROUNDS_TO_LOOK,
        (false, true) => ROUNDS_OF_BLOCKS,
        (false, false) => LEAST_ROUNDS,
    }
}

/// Interpretation of a ratio of two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The first takes less time; the value, above 1, is the factor by which it is faster.
    Faster(f64),
    /// The first takes more time; the value, above 1, is the factor by which it takes longer.
    Slower(f64),
    /// The interval contains 1, and no factor above 1 + [`RESOLUTION`] in either direction: no difference found.
    NoDifference,
    /// The interval contains 1 and a greater factor: it tells nothing.
    CannotTell,
    /// Fewer than [`LEAST_REPLICATES`], and so no interval.
    TooFewRounds,
}

/// Part by which two times may differ if an interval that contains 1 is called no difference.
pub const RESOLUTION: f64 = 0.05;

impl Verdict {
    /// Interprets the ratio of the first time to the second.
    pub fn of(ratio: &Estimate) -> Self {
        match ratio.interval {
            None => Verdict::TooFewRounds,
            Some(interval) if interval.high < 1.0 => Verdict::Faster(1.0 / ratio.value),
            Some(interval) if interval.low > 1.0 => Verdict::Slower(ratio.value),
            Some(interval) if interval.low.recip().max(interval.high) <= 1.0 + RESOLUTION => {
                Verdict::NoDifference
            }
            Some(_) => Verdict::CannotTell,
        }
    }

    /// Returns the name in JSON and CSV: `faster`, `slower`, `no-difference` or `cannot-tell`; of counts `fewer` and
    /// `more`.
    pub fn name(self, measure: &Measure) -> &'static str {
        match self {
            Verdict::Faster(_) if measure.is_time() => "faster",
            Verdict::Faster(_) => "fewer",
            Verdict::Slower(_) if measure.is_time() => "slower",
            Verdict::Slower(_) => "more",
            Verdict::NoDifference => "no-difference",
            Verdict::CannotTell | Verdict::TooFewRounds => "cannot-tell",
        }
    }
}

fn median_of_sorted(values: &[f64]) -> f64 {
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Returns the median; `None` if there are no values.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    (!values.is_empty()).then(|| median_of_sorted(&values))
}

/// Returns one value for each replicate of an entry. Empty for an entry that failed.
fn over_replicates<'e, T>(entry: &'e Entry, value: impl Fn(&'e Summary) -> T) -> Vec<T> {
    match &entry.failure {
        Some(_) => Vec::new(),
        None => entry.replicates.iter().map(value).collect(),
    }
}

/// Returns the value of an entry in each replicate, for one iteration, with time in ns.
fn values(entry: &Entry) -> Vec<Option<f64>> {
    over_replicates(entry, |replicate| replicate.value)
}

/// Returns names with their values, borrowed.
fn borrowed(values: &BTreeMap<String, f64>) -> BTreeMap<&str, f64> {
    values.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

/// Combines the values of each name.
fn combined<'s>(
    rounds: impl IntoIterator<Item = BTreeMap<&'s str, f64>>,
    combine: impl Fn(&str, Vec<f64>) -> Option<f64>,
) -> BTreeMap<&'s str, f64> {
    let mut found: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in rounds.into_iter().flatten() {
        found.entry(name).or_default().push(value);
    }
    found.into_iter().filter_map(|(name, all)| Some((name, combine(name, all)?))).collect()
}

fn greatest(values: Vec<f64>) -> Option<f64> {
    values.into_iter().max_by(f64::total_cmp)
}

/// Returns the logarithms of the ratio of one entry's value to another's in each replicate that both have; `None` in
/// the others.
fn log_ratios(numerator: &Entry, denominator: &Entry) -> Vec<Option<f64>> {
    let (a, b) = (values(numerator), values(denominator));
    a.into_iter().zip(b).map(|(a, b)| Some((a? / b?).ln())).collect()
}

/// Returns the estimate of a positive value from its logarithms, with an interval that misses it with probability
/// `error`. A count that was the same in [`EQUAL_COUNTS`] replicates or more is known and not estimated, so its
/// interval is a point even if there are few.
fn geometric(basis: Basis<'_>, logs: &[f64], error: f64) -> Option<Estimate> {
    let found = interval::centre(logs, basis.looks_after(logs), error)?;
    let known = basis.is_known(logs).then_some(Interval { low: found.value, high: found.value });
    Some(Estimate { interval: known.or(found.interval), ..found }.exp())
}

/// What intervals of a case depend on besides its replicates.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'c> {
    /// Quantity that the case compares.
    pub measure: &'c Measure,
    /// Whether the run could end because of what was measured.
    pub sequential: bool,
    /// Number of blocks if replicates are of layouts ([`blocks`]): the run looks after blocks.
    pub blocks: Option<usize>,
}

/// Returns the number of blocks of a case whose replicates are each of a layout; `None` if blocks are replicates.
pub fn blocks(case: &Case) -> Option<usize> {
    let rounds = case.entries.iter().map(Entry::rounds_done).max().unwrap_or(0);
    (case.layouts() > 0 && case.measure.is_time()).then_some(rounds / BLOCK)
}

impl Basis<'_> {
    /// Returns the number of blocks after which the run looked at these, if it looks at all of its blocks.
    fn looks_after(&self, logs: &[f64]) -> Option<usize> {
        self.sequential.then(|| self.blocks.unwrap_or(logs.len()))
    }

    /// Returns whether these are of a count that was the same in as many replicates as show that it does not vary.
    fn is_known(&self, logs: &[f64]) -> bool {
        let enough = !self.measure.is_time() && logs.len() >= EQUAL_COUNTS;
        enough && logs.windows(2).all(|pair| pair[0] == pair[1])
    }
}

impl<'c> From<&'c Case> for Basis<'c> {
    fn from(case: &'c Case) -> Self {
        Basis { measure: &case.measure, sequential: case.sequential, blocks: blocks(case) }
    }
}

/// Returns the value that an entry is compared by, for one iteration: its time in ns, or its count. `None` if the
/// entry failed or was not measured.
pub fn value<'c>(basis: impl Into<Basis<'c>>, entry: &Entry) -> Option<Estimate> {
    let basis = basis.into();
    let values: Vec<f64> = values(entry).into_iter().flatten().collect();
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let found = geometric(basis, &logs, 1.0 - CONFIDENCE)?;
    // A count that was always the same is not rounded by its logarithm.
    let same = values.first().filter(|first| !basis.measure.is_time() && values.iter().all(|v| v == *first));
    let exact = |known: &f64| Estimate {
        value: *known,
        interval: found.interval.map(|_| Interval { low: *known, high: *known }),
        ..found
    };
    Some(same.map_or(found, exact))
}

/// Returns the counts of an entry by name. A name that begins with `peak-` is a level, of which the greatest in any
/// sample counts; any other is a total over the iterations, divided by their number: the median over replicates of the
/// median in each process. Empty if the entry failed or counted nothing.
pub fn counts(entry: &Entry) -> BTreeMap<&str, f64> {
    let all = over_replicates(entry, |kept| borrowed(&kept.counts));
    combined(all, |name, all| if is_level(name) { greatest(all) } else { median(all) })
}

/// Returns the ratio of one entry's value to another's, paired within replicates; those that either lacks are dropped.
/// `None` if no replicate has both. The entries may be of two cases, which took no turns with each other.
pub fn ratio<'c>(basis: impl Into<Basis<'c>>, numerator: &Entry, denominator: &Entry) -> Option<Estimate> {
    let logs: Vec<f64> = log_ratios(numerator, denominator).into_iter().flatten().collect();
    geometric(basis.into(), &logs, 1.0 - CONFIDENCE)
}

/// Returns the ratio that [`ratio`] estimates in each replicate that has it, in the order of the replicates.
pub fn replicate_ratios(numerator: &Entry, denominator: &Entry) -> Vec<f64> {
    log_ratios(numerator, denominator).into_iter().flatten().map(f64::exp).collect()
}

/// Returns the factor by which the number of replicates must grow until the interval excludes 1, if the estimate
/// stays if it is: the half width shrinks with the root of their number. `None` if it excludes 1 already, if
/// there is no interval, and if more than a hundredfold is needed.
pub fn growth_to_decide(ratio: &Estimate) -> Option<f64> {
    let interval = ratio.interval.filter(|interval| interval.holds(1.0))?;
    let half = (interval.high / interval.low).ln() / 2.0;
    let growth = (half / ratio.value.ln()).powi(2);
    (1.0..=100.0).contains(&growth).then_some(growth)
}

/// Returns the parts of an entry's value by name, for one iteration: the median over replicates of the median in each
/// process. Empty if the entry failed or reported no parts.
pub fn phases(entry: &Entry) -> BTreeMap<&str, f64> {
    combined(over_replicates(entry, |kept| borrowed(&kept.phases)), |_, all| median(all))
}

/// Returns the times of steps before the measured work of an entry, by name in ns: the median over the processes that
/// reported them. Empty if the entry failed or no process reported any.
pub fn before(entry: &Entry) -> BTreeMap<&str, f64> {
    let said = if entry.failure.is_some() { &[][..] } else { &entry.before[..] };
    let named = said.iter().map(|steps| steps.iter().map(|(name, ns)| (name.as_str(), *ns as f64)).collect());
    combined(named, |_, all| median(all))
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
/// The mean is taken inside each replicate, then estimated over them. The pair with the fewest replicates says how
/// many there are: of the others, equal parts of consecutive ones are averaged. A pair that was cut short, with too few
/// for an interval and fewer than half of the fullest's, is left out. `None` if no pair is left.
pub fn mean_ratio<'c>(basis: impl Into<Basis<'c>>, pairs: &[(&Entry, &Entry)]) -> Option<MeanRatio> {
    mean(basis.into(), pairs.iter().map(|(a, b)| log_ratios(a, b)).collect())
}

/// Returns the geometric mean of the throughputs of several entries in bytes per second, each in a case of its own and
/// with the length of its input in bytes. It is taken inside each replicate, as in [`mean_ratio`].
///
/// All are in one unit, so that the mean is a throughput too, and the ratio of two such means over the same cases is
/// the mean of the ratios.
pub fn mean_throughput<'c>(basis: impl Into<Basis<'c>>, entries: &[(&Entry, u64)]) -> Option<MeanRatio> {
    let logs = |(entry, bytes): &(&Entry, u64)| {
        let per_second = 1e9 * *bytes as f64;
        values(entry).into_iter().map(|ns| Some((per_second / ns?).ln()).filter(|l| l.is_finite())).collect()
    };
    mean(basis.into(), entries.iter().map(logs).collect())
}

/// Returns the geometric mean of several values, given the logarithm of each in each replicate.
fn mean(basis: Basis<'_>, all: Vec<Vec<Option<f64>>>) -> Option<MeanRatio> {
    let present = |logs: Vec<Option<f64>>| logs.into_iter().flatten().collect::<Vec<f64>>();
    let all: Vec<Vec<f64>> = all.into_iter().map(present).collect();
    let fullest = all.iter().map(Vec::len).max().filter(|most| *most > 0)?;
    let needed = LEAST_REPLICATES.min(fullest.div_ceil(2));
    let kept: Vec<&Vec<f64>> = all.iter().filter(|logs| logs.len() >= needed).collect();
    let replicates = kept.iter().map(|logs| logs.len()).min()?;
    let means: Vec<f64> = (0..replicates)
        .map(|part| {
            kept.iter().map(|logs| mean_of_part(logs, part, replicates)).sum::<f64>() / kept.len() as f64
        })
        .collect();
    let ratio = geometric(basis, &means, 1.0 - CONFIDENCE)?;
    Some(MeanRatio { ratio, pairs: kept.len() })
}

/// Returns the mean of one of `parts` equal parts of consecutive values.
fn mean_of_part(values: &[f64], part: usize, parts: usize) -> f64 {
    let at = |part: usize| part * values.len() / parts;
    let values = &values[at(part)..at(part + 1)];
    values.iter().sum::<f64>() / values.len() as f64
}

/// Reference of a speed-up over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The same candidate, with the same labels, on one thread; the baseline if there is no such entry.
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

/// Returns speed-up and efficiency of an entry of a case. `None` if either entry has no samples, or if the entry
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
    let times = ratio(case, other, this)?;
    let efficiency = times.times(other.threads.max(1) as f64 / this.threads.max(1) as f64);
    Some(Speedup { reference, times, efficiency })
}

/// Returns the noise floor of a case: the largest factor, minus 1, by which a bound of the interval of a control's
/// ratio to the baseline differs from it, in either direction. `None` if no control has an interval.
pub fn noise_floor(case: &Case) -> Option<f64> {
    let baseline = case.entries.get(case.baseline)?;
    case.entries
        .iter()
        .filter(|entry| entry.role == Role::Control)
        .filter_map(|entry| ratio(case, entry, baseline)?.interval)
        .map(|i| i.low.recip().max(i.high) - 1.0)
        .max_by(f64::total_cmp)
}

/// Returns the noise floor of a record: the largest of its cases' [`noise_floor`]s.
pub fn record_noise_floor(record: &Record) -> Option<f64> {
    record.cases.iter().filter_map(noise_floor).max_by(f64::total_cmp)
}
