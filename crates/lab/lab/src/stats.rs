//! Statistics over a record: what [`parcrypt_stats`] says of the values in it. Pure functions without input, output or
//! random numbers. [`summarize`] computes the replicates from the samples; everything else here is computed from them.

mod replicate;

use std::collections::BTreeMap;

pub use parcrypt_stats::*;

use crate::record::{Case, Entry, Record, Role, Suite, Summary};

pub(crate) use replicate::{Known, noise, update};
pub use replicate::{design, summarize};

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

/// Combines the values of each name.
fn combined<'m>(
    named: impl IntoIterator<Item = (&'m String, f64)>,
    combine: impl Fn(&str, Vec<f64>) -> Option<f64>,
) -> BTreeMap<&'m str, f64> {
    let mut found: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in named {
        found.entry(name).or_default().push(value);
    }
    found.into_iter().filter_map(|(name, all)| Some((name, combine(name, all)?))).collect()
}

/// Returns names with their values.
fn named(values: &BTreeMap<String, f64>) -> impl Iterator<Item = (&String, f64)> {
    values.iter().map(|(name, value)| (name, *value))
}

/// Returns whether a count is a level and not a total over the iterations.
fn is_level(name: &str) -> bool {
    name.starts_with("peak-")
}

/// Returns the greatest of the values of a level, and what `combine` returns of those of another count.
fn of_count(combine: impl Fn(Vec<f64>) -> Option<f64>) -> impl Fn(&str, Vec<f64>) -> Option<f64> {
    move |name: &str, all: Vec<f64>| match is_level(name) {
        true => all.into_iter().max_by(f64::total_cmp),
        false => combine(all),
    }
}

fn mean(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the logarithms of the ratio of one entry's value to another's in each replicate that both have.
pub fn log_ratios(numerator: &Entry, denominator: &Entry) -> Vec<f64> {
    let (a, b) = (values(numerator), values(denominator));
    a.into_iter().zip(b).filter_map(|(a, b)| Some((a? / b?).ln())).collect()
}

/// Returns the logarithms of the ratio of the new revision to the old one of a benchmark of a suite; none if it has no
/// two revisions with results.
pub fn changes(case: &Case) -> Vec<f64> {
    case.revisions().map_or_else(Vec::new, |(old, new)| log_ratios(new, old))
}

/// Returns what a benchmark of a suite shows; `None` if one of its revisions has no result.
pub fn look(case: &Case, suite: &Suite) -> Option<Look> {
    Look::of(case.into(), &changes(case), suite.asked())
}

impl From<&Case> for Basis {
    fn from(case: &Case) -> Self {
        design(case).basis(case.entries.iter().map(Entry::rounds_done).max().unwrap_or(0))
    }
}

/// Returns the value that an entry is compared by, for one iteration: its time in ns, or its count. `None` if the
/// entry failed or was not measured.
pub fn value(basis: impl Into<Basis>, entry: &Entry) -> Option<Estimate> {
    let basis = basis.into();
    let values: Vec<f64> = values(entry).into_iter().flatten().collect();
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let found = basis.geometric(&logs, 1.0 - CONFIDENCE)?;
    // A count that was always the same is not rounded by its logarithm.
    let same = values.first().filter(|first| basis.is_count && values.iter().all(|v| v == *first));
    let exact = |known: &f64| Estimate {
        value: *known,
        interval: found.interval.map(|_| Interval { low: *known, high: *known }),
        ..found
    };
    Some(same.map_or(found, exact))
}

/// Returns the counts of an entry by name. A name that begins with `peak-` is a level, of which the greatest in any
/// sample counts; any other is a total over the iterations, divided by their number: the mean over replicates, as
/// systems count the time of a process in ticks, of the median in each process. Empty if the entry failed or counted
/// nothing.
pub fn counts(entry: &Entry) -> BTreeMap<&str, f64> {
    let all = over_replicates(entry, |kept| named(&kept.counts));
    combined(all.into_iter().flatten(), of_count(mean))
}

/// Returns the counts of single iterations of an entry by name, which are compared as they are. Empty if it was not
/// counted in [`EQUAL_COUNTS`] processes.
pub fn counted(entry: &Entry) -> BTreeMap<&str, Counted> {
    let mut lists: BTreeMap<&str, Vec<Vec<u64>>> = BTreeMap::new();
    let processes = entry.counted.iter().enumerate().filter(|_| entry.not_counted.is_none());
    for (process, iterations) in processes {
        for (name, count) in iterations.iter().flatten() {
            lists.entry(name).or_insert_with(|| vec![Vec::new(); entry.counted.len()])[process].push(*count);
        }
    }
    lists.into_iter().filter_map(|(name, lists)| Some((name, Counted::of(&lists)?))).collect()
}

/// Returns the ratio of one entry's value to another's, paired within replicates; those that either lacks are dropped.
/// `None` if no replicate has both. The entries may be of two cases, which took no turns with each other.
pub fn ratio(basis: impl Into<Basis>, numerator: &Entry, denominator: &Entry) -> Option<Estimate> {
    basis.into().geometric(&log_ratios(numerator, denominator), 1.0 - CONFIDENCE)
}

/// Returns the parts of an entry's value by name, for one iteration: the median over replicates of the median in each
/// process. Empty if the entry failed or reported no parts.
pub fn phases(entry: &Entry) -> BTreeMap<&str, f64> {
    let all = over_replicates(entry, |kept| named(&kept.phases));
    combined(all.into_iter().flatten(), |_, all| median(all))
}

/// Returns the times of steps before the measured work of an entry, by name in ns: the median over the processes that
/// reported them. Empty if the entry failed or no process reported any.
pub fn before(entry: &Entry) -> BTreeMap<&str, f64> {
    let said = entry.before.iter().filter(|_| entry.failure.is_none()).flatten();
    combined(said.map(|(name, ns)| (name, *ns as f64)), |_, all| median(all))
}

/// Returns the geometric mean over several pairs of the value of the first over the value of the second
/// ([`Basis::mean`]).
pub fn mean_ratio(basis: impl Into<Basis>, pairs: &[(&Entry, &Entry)]) -> Option<MeanRatio> {
    basis.into().mean(&pairs.iter().map(|(a, b)| log_ratios(a, b)).collect::<Vec<_>>())
}

/// Returns the geometric mean of the throughputs of several entries in bytes per second, each in a case of its own and
/// with the length of its input in bytes. It is taken inside each replicate, as in [`mean_ratio`].
///
/// All are in one unit, so that the mean is a throughput too, and the ratio of two such means over the same cases is
/// the mean of the ratios.
pub fn mean_throughput(basis: impl Into<Basis>, entries: &[(&Entry, u64)]) -> Option<MeanRatio> {
    let logs = |(entry, bytes): &(&Entry, u64)| {
        let per_second = values(entry).into_iter().flatten().map(|ns| 1e9 * *bytes as f64 / ns);
        per_second.map(f64::ln).filter(|log| log.is_finite()).collect()
    };
    basis.into().mean(&entries.iter().map(logs).collect::<Vec<_>>())
}

/// Speed-up of an entry on its threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speedup {
    /// Speed over the reference's.
    pub times: Estimate,
    /// Speed-up over the ratio of the entry's number of threads to the reference's; 1 is perfect.
    pub efficiency: Estimate,
}

/// Returns speed-up and efficiency of an entry of a case over the same candidate with the same labels on one thread, or
/// over the baseline if there is no such entry. `None` if either has no samples, or if the entry is the reference.
pub fn speedup(case: &Case, entry: usize) -> Option<Speedup> {
    let this = case.entries.get(entry)?;
    let key = |entry: &Entry| (entry.role, entry.candidate.clone(), entry.labels.clone());
    let is_reference =
        |other: &Entry| other.threads == 1 && other.failure.is_none() && key(other) == key(this);
    let reference = case.entries.iter().position(is_reference).unwrap_or(case.baseline);
    let other = case.entries.get(reference).filter(|_| reference != entry)?;
    let times = ratio(case, other, this)?;
    let efficiency = times.times(other.threads.max(1) as f64 / this.threads.max(1) as f64);
    Some(Speedup { times, efficiency })
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
