//! What the trials of an audit say: false alarms, power, errors, widths, and the smallest difference found.

use serde::{Deserialize, Serialize};

use super::state::Trials;
use super::{CarryOver, Trial, greatest_share, least_share, tail_from};
use crate::record::{Audited, AuditedClass, Machine};
use crate::stats::{self, CONFIDENCE};

/// Share of trials in which a difference must be found to count as one that the lab finds here.
pub const POWER: f64 = 0.9;

/// Minimum number of trials for a statement about [`POWER`] of them.
pub const LEAST_TRIALS: usize = 10;

/// Change by what stands before a turn that does not matter, as a share.
pub const NEGLIGIBLE: f64 = 0.001;

/// Results of an audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Beginning of the first trial, as RFC 3339 in UTC.
    pub started: String,
    /// The machine.
    pub machine: Machine,
    /// Version of the lab.
    pub version: String,
    /// Commit of the lab; empty if it is not known.
    pub commit: String,
    /// Results by class, in the order of their first trials.
    pub classes: Vec<ClassSummary>,
    /// What stands before a turn, by class and time of a sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carry_over: Vec<CarryOverSummary>,
}

/// Results of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSummary {
    /// Short name of the class.
    pub class: String,
    /// The work in a phrase, with its sizes.
    pub about: String,
    /// A/A trials, by their time.
    pub null: Vec<FalseAlarms>,
    /// Trials with a planted difference, by their time and the difference.
    pub planted: Vec<Power>,
    /// Mean half width of the interval after a time, in rising order of time.
    pub widths: Vec<Width>,
    /// The smallest difference that the lab finds, by the time of a trial.
    pub smallest: Vec<Smallest>,
}

/// A/A trials of one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FalseAlarms {
    /// Time of a trial in s; 0 if it was a number of rounds.
    pub seconds: f64,
    /// Mean time that a trial took in s: more if the machine was too busy for the rounds of an interval.
    pub took_s: f64,
    /// Number of trials.
    pub trials: usize,
    /// Number in which a difference was called.
    pub alarms: usize,
    /// Number with too few rounds for an interval.
    pub undecided: usize,
    /// Upper bound of the share of alarms at 99 %, by Clopper and Pearson.
    pub at_most: f64,
    /// P(X ≥ alarms), if an alarm has the probability of 1 % that the intervals promise.
    pub chance: f64,
    /// Root mean square of the error, as a share.
    pub rms: f64,
    /// Mean half width, as a share; none without intervals.
    pub half_width: Option<f64>,
}

/// Trials with one planted difference and of one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// Planted difference in per cent.
    pub percent: f64,
    /// Time of a trial in s; 0 if it was a number of rounds.
    pub seconds: f64,
    /// Mean time that a trial took in s: more if the machine was too busy for the rounds of an interval.
    pub took_s: f64,
    /// Number of trials.
    pub trials: usize,
    /// Number in which the second candidate was called slower.
    pub found: usize,
    /// Number in which it was called faster.
    pub wrong: usize,
    /// Lower bound of the share found at 99 %, by Clopper and Pearson.
    pub at_least: f64,
    /// Mean error of the estimate, as a share.
    pub bias: f64,
    /// Root mean square of the error, as a share.
    pub rms: f64,
    /// Mean half width, as a share; none without intervals.
    pub half_width: Option<f64>,
}

/// Half width of the interval after a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Width {
    /// Time in s.
    pub seconds: f64,
    /// Mean half width, as a share.
    pub half_width: f64,
    /// Number of trials with an interval by then.
    pub trials: usize,
}

/// The smallest difference that the lab finds in [`POWER`] of trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smallest {
    /// Time of a trial in s; 0 if it was a number of rounds.
    pub seconds: f64,
    /// The difference in per cent; none if some trials have no interval.
    pub percent: Option<f64>,
    /// Number of trials.
    pub trials: usize,
}

/// What stands before a turn, for samples of one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarryOverSummary {
    /// Short name of the class.
    pub class: String,
    /// Minimum time of a sample in ms.
    pub sample_ms: f64,
    /// After another process of the same program, against after itself.
    pub same_program: Option<Change>,
    /// After the program with other vectors, against after another process of the same program.
    pub other_program: Option<Change>,
    /// After the program with other vectors, against after itself.
    pub other_against_itself: Option<Change>,
}

/// Change of the time of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Estimated ratio.
    pub estimate: f64,
    /// Its interval at 99 %, if there is one.
    pub interval: Option<[f64; 2]>,
    /// Number of rounds, which are replicates here.
    pub replicates: usize,
}

/// What an interval says about [`NEGLIGIBLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matters {
    /// The whole interval is a change that does not matter.
    No,
    /// The whole interval is a change that matters.
    Yes,
    /// The interval has both, or there is none.
    Open,
}

impl Change {
    /// Compares the interval with [`NEGLIGIBLE`].
    pub fn matters(&self) -> Matters {
        let most = NEGLIGIBLE.ln_1p();
        match self.interval.map(|[low, high]| (low.ln(), high.ln())) {
            Some((low, high)) if -most <= low && high <= most => Matters::No,
            Some((low, high)) if high < -most || most < low => Matters::Yes,
            _ => Matters::Open,
        }
    }
}

impl CarryOverSummary {
    /// Returns whether anything before a turn changes it.
    pub fn matters(&self) -> Matters {
        let all = [&self.same_program, &self.other_program, &self.other_against_itself];
        let all = all.map(|change| change.as_ref().map_or(Matters::Open, Change::matters));
        match all {
            _ if all.contains(&Matters::Yes) => Matters::Yes,
            _ if all.contains(&Matters::Open) => Matters::Open,
            _ => Matters::No,
        }
    }
}

/// Returns the results of all trials of a file.
pub fn summary(trials: &Trials) -> Summary {
    let fact = |key: &str| trials.header.build.get(key).cloned().unwrap_or_default();
    let planted = &trials.planted;
    let classes = distinct(planted.iter().map(|trial| trial.class.clone()));
    let of = |class: &String| {
        let all: Vec<&Trial> = planted.iter().filter(|trial| trial.class == *class).collect();
        let about = trials.header.classes.get(class).cloned().unwrap_or_default();
        ClassSummary { about, ..class_summary(class, &all) }
    };
    let kinds = distinct(trials.carry_over.iter().map(|trial| (trial.class.clone(), trial.sample_ms)));
    let mut carry_over: Vec<CarryOverSummary> =
        kinds.iter().map(|(class, ms)| carry_over_summary(class, *ms, &trials.carry_over)).collect();
    carry_over.sort_by(|a, b| a.class.cmp(&b.class).then(a.sample_ms.total_cmp(&b.sample_ms)));
    Summary {
        started: trials.header.started.clone(),
        machine: trials.header.machine.clone(),
        version: fact("parcrypt"),
        commit: fact("commit"),
        classes: classes.iter().map(of).collect(),
        carry_over,
    }
}

fn class_summary(class: &str, all: &[&Trial]) -> ClassSummary {
    let (null, planted): (Vec<&Trial>, Vec<&Trial>) = all.iter().partition(|trial| trial.planted == 0.0);
    // Bits of positive numbers are in the order of the numbers.
    let time = |trial: &Trial| (trial.seconds.to_bits(), 0);
    let time_and_plant = |trial: &Trial| (trial.seconds.to_bits(), trial.planted.to_bits());
    let mut widths: Vec<Width> = groups(all, time).iter().flat_map(|trials| widths(trials)).collect();
    widths.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    ClassSummary {
        class: class.to_owned(),
        about: String::new(),
        null: groups(&null, time).iter().map(|trials| false_alarms(trials)).collect(),
        planted: groups(&planted, time_and_plant).iter().map(|trials| power(trials)).collect(),
        widths,
        smallest: groups(all, time).iter().filter_map(|trials| smallest(trials)).collect(),
    }
}

/// Returns the trials with the same key together, in rising order of the keys.
fn groups<'t>(of: &[&'t Trial], key: impl Fn(&Trial) -> (u64, u64)) -> Vec<Vec<&'t Trial>> {
    let mut keys = distinct(of.iter().map(|trial| key(trial)));
    keys.sort_unstable();
    keys.into_iter().map(|wanted| of.iter().copied().filter(|trial| key(trial) == wanted).collect()).collect()
}

fn false_alarms(trials: &[&Trial]) -> FalseAlarms {
    let alarms = trials.iter().filter(|trial| trial.called.is_different()).count();
    let decided = trials.iter().filter(|trial| trial.interval.is_some()).count();
    FalseAlarms {
        seconds: trials[0].seconds,
        took_s: took(trials),
        trials: trials.len(),
        alarms,
        undecided: trials.len() - decided,
        at_most: greatest_share(alarms, decided, CONFIDENCE),
        chance: tail_from(alarms, decided, 1.0 - CONFIDENCE),
        rms: rms(trials),
        half_width: half_width(trials),
    }
}

fn power(trials: &[&Trial]) -> Power {
    let count = |called| trials.iter().filter(|trial| trial.called == called).count();
    let found = count(super::Called::Slower);
    Power {
        percent: trials[0].planted,
        seconds: trials[0].seconds,
        took_s: took(trials),
        trials: trials.len(),
        found,
        wrong: count(super::Called::Faster),
        at_least: least_share(found, trials.len(), CONFIDENCE),
        bias: mean(trials.iter().map(|trial| trial.error)).unwrap_or(0.0),
        rms: rms(trials),
        half_width: half_width(trials),
    }
}

/// Returns the mean half width after each share of the trials' time.
fn widths(trials: &[&Trial]) -> Vec<Width> {
    let seconds = trials[0].seconds;
    let mut shares =
        distinct(trials.iter().flat_map(|t| t.half_widths.iter().map(|(share, _)| share.to_bits())));
    shares.sort_unstable();
    let at = |share: u64| {
        let found = trials.iter().flat_map(|trial| &trial.half_widths).filter(|(s, _)| s.to_bits() == share);
        let all: Vec<f64> = found.map(|(_, width)| *width).collect();
        let half_width = mean(all.iter().copied())?;
        Some(Width { seconds: seconds * f64::from_bits(share), half_width, trials: all.len() })
    };
    shares.into_iter().filter_map(at).collect()
}

/// Returns the smallest difference that would have been found in [`POWER`] of these trials.
///
/// The estimate and its interval move with the logarithm of the true ratio, so a trial whose interval begins `low`
/// below the truth finds every difference greater than that.
fn smallest(trials: &[&Trial]) -> Option<Smallest> {
    if trials.len() < LEAST_TRIALS {
        return None;
    }
    let least = |trial: &&Trial| {
        let truth = (trial.planted / 100.0).ln_1p();
        trial.interval.map_or(f64::INFINITY, |[low, _]| truth - low.ln())
    };
    let mut all: Vec<f64> = trials.iter().map(least).collect();
    all.sort_unstable_by(f64::total_cmp);
    let enough = (POWER * all.len() as f64).ceil() as usize;
    let log = all[enough.clamp(1, all.len()) - 1];
    let percent = log.is_finite().then(|| 100.0 * log.max(0.0).exp_m1());
    Some(Smallest { seconds: trials[0].seconds, percent, trials: trials.len() })
}

fn carry_over_summary(class: &str, sample_ms: f64, all: &[CarryOver]) -> CarryOverSummary {
    let of = |logs: fn(&CarryOver) -> &Vec<f64>| {
        let these = all.iter().filter(|trial| trial.class == class && trial.sample_ms == sample_ms);
        let found = stats::hodges_lehmann(&these.flat_map(logs).copied().collect::<Vec<f64>>())?;
        Some(Change {
            estimate: found.value.exp(),
            interval: found.interval.map(|interval| [interval.low.exp(), interval.high.exp()]),
            replicates: found.replicates,
        })
    };
    CarryOverSummary {
        class: class.to_owned(),
        sample_ms,
        same_program: of(|trial| &trial.same_program),
        other_program: of(|trial| &trial.other_program),
        other_against_itself: of(|trial| &trial.other_against_itself),
    }
}

fn half_width(trials: &[&Trial]) -> Option<f64> {
    mean(trials.iter().filter_map(|trial| trial.interval).map(|[low, high]| (high.ln() - low.ln()) / 2.0))
}

fn took(trials: &[&Trial]) -> f64 {
    mean(trials.iter().map(|trial| trial.took_s)).unwrap_or(0.0)
}

fn rms(trials: &[&Trial]) -> f64 {
    mean(trials.iter().map(|trial| trial.error.powi(2))).map_or(0.0, f64::sqrt)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

/// Returns the values without repetitions, in the order of their first occurrence.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

impl Summary {
    /// Returns whether the number of alarms is one that intervals at 99 % have, at the level of 1 % for all numbers of
    /// this audit together.
    pub fn is_compatible(&self, one: &FalseAlarms) -> bool {
        let tests: usize = self.classes.iter().map(|class| class.null.len()).sum();
        one.chance * tests as f64 >= 1.0 - CONFIDENCE
    }

    /// Returns what a record keeps of it.
    pub fn audited(&self) -> Audited {
        let class = |class: &ClassSummary| {
            let found = self.smallest(&class.class);
            let sum = |of: fn(&FalseAlarms) -> usize| class.null.iter().map(of).sum();
            AuditedClass {
                class: class.class.clone(),
                smallest_percent: found.map(|(percent, _)| percent).filter(|percent| percent.is_finite()),
                seconds: found.map_or(0.0, |(_, seconds)| seconds),
                false_alarms: sum(|null| null.alarms),
                trials: sum(|null| null.trials - null.undecided),
            }
        };
        Audited {
            started: self.started.clone(),
            version: self.version.clone(),
            commit: self.commit.clone(),
            classes: self.classes.iter().map(class).collect(),
        }
    }

    /// Returns the smallest difference in per cent that the lab finds here for a class, in the time of its longest
    /// trials, with that time in s; `None` if there are too few trials.
    pub fn smallest(&self, class: &str) -> Option<(f64, f64)> {
        let class = self.classes.iter().find(|one| one.class == class)?;
        let longest = class.smallest.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
        Some((longest.percent.unwrap_or(f64::INFINITY), longest.seconds))
    }
}

#[cfg(test)]
mod tests;
