//! From samples to replicates: the value of each process, and of each block of rounds.

use std::collections::BTreeMap;

use parcrypt_stats::{Design, Noise, Round, median};

use super::{combined, is_level, mean, named, of_count};
use crate::method::MAX_DELAY;
use crate::record::{Case, Entry, Measure, Sample, Summary};

/// Returns the quantity that the case compares for one iteration of a sample, with time in ns.
fn per_iteration(measure: &Measure, sample: &Sample) -> Option<f64> {
    over_iterations(sample, measure.of(sample)?)
}

fn over_iterations(sample: &Sample, value: f64) -> Option<f64> {
    (sample.iterations > 0).then(|| value / sample.iterations as f64)
}

/// Returns whether a sample of an entry with this number of threads was disturbed: its threads waited for a processor,
/// on average, for more than a fiftieth of its time.
fn is_disturbed(sample: &Sample, threads: usize) -> bool {
    let most = |ns: u64| MAX_DELAY * ns as f64 * threads.max(1) as f64;
    sample.elapsed_ns.is_some_and(|ns| sample.delay_ns as f64 > most(ns))
}

/// Computes the replicates of all entries of a case from their samples, or takes them from a thinned record.
pub fn summarize(case: &mut Case) {
    update(case, &mut Known::default());
}

/// What is known of the rounds of a case that is still measured, so that each is summarized only once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Values of each entry in each round.
    entries: Vec<Vec<Summary>>,
    /// Rounds of each replicate that the entries have.
    replicates: Vec<Vec<usize>>,
}

/// [`summarize`] for a case that has only had further rounds or failures since the last call with the same `known`.
pub(crate) fn update(case: &mut Case, known: &mut Known) {
    let has_failed = |(entry, known): (&Entry, &Vec<Summary>)| entry.failure.is_some() && !known.is_empty();
    // An entry that has failed has no part in the values of any round.
    if known.entries.len() != case.entries.len() || case.entries.iter().zip(&known.entries).any(has_failed) {
        *known = Known { entries: vec![Vec::new(); case.entries.len()], ..Known::default() };
        case.entries.iter_mut().for_each(|entry| entry.replicates.clear());
    }
    let design = design(case);
    let rounds = case.entries.iter().map(|entry| entry.rounds.len()).max().unwrap_or(0);
    let replicates = design.replicates(rounds);
    let before = std::mem::replace(&mut known.replicates, replicates.clone());
    let known = &mut known.entries;
    for group in case.turns.groups(case.entries.iter().map(|entry| entry.threads)) {
        let done = group.iter().map(|r| known[*r].len()).max().unwrap_or(0);
        for round in done..rounds {
            let samples = |r: &usize| {
                let entry = &case.entries[*r];
                let samples = entry.rounds.get(round).filter(|_| entry.failure.is_none());
                (entry.threads, samples.map_or(&[][..], Vec::as_slice))
            };
            let found = round_summaries(&case.measure, &group.iter().map(samples).collect::<Vec<_>>());
            let alive = group.iter().zip(found).filter(|(r, _)| case.entries[**r].failure.is_none());
            alive.for_each(|(r, summary)| known[*r].push(summary));
        }
        let alive: Vec<usize> = group.into_iter().filter(|r| !known[*r].is_empty()).collect();
        let values: Vec<Vec<Option<f64>>> =
            alive.iter().map(|r| known[*r].iter().map(|round| round.value).collect()).collect();
        for (r, values) in alive.into_iter().zip(design.values(&values)) {
            let mut same = std::mem::take(&mut case.entries[r].replicates);
            let combined = replicates.iter().zip(values).enumerate().map(|(at, (own, value))| {
                let same = same.get_mut(at).filter(|_| before.get(at) == Some(own)).map(std::mem::take);
                same.unwrap_or_else(|| {
                    let rounds: Vec<&Summary> = own.iter().map(|round| &known[r][*round]).collect();
                    Summary { value, ..combined_rounds(&rounds) }
                })
            });
            case.entries[r].replicates = combined.collect();
        }
    }
    for entry in &mut case.entries {
        if let Some(thinned) = &entry.thinned {
            entry.replicates.clone_from(&thinned.rounds);
        }
    }
}

/// Returns how the rounds of a case become replicates.
pub fn design(case: &Case) -> Design {
    Design { is_count: !case.measure.is_time(), sequential: case.sequential, layouts: case.layouts() }
}

/// Returns the values of the processes of one round that took turns, given the threads and the samples of each.
fn round_summaries(measure: &Measure, all: &[(usize, &[Sample])]) -> Vec<Summary> {
    let mut found: Vec<Summary> = all.iter().map(|(_, samples)| summary(measure, samples)).collect();
    // An entry without samples failed or was skipped; turns of an interrupted round may be incomplete.
    let present: Vec<usize> = (0..all.len()).filter(|r| !all[*r].1.is_empty()).collect();
    let turns = present.iter().map(|r| all[*r].1.len()).min().unwrap_or(0);
    if !measure.is_time() {
        return found;
    }
    let values = |turn: usize| present.iter().map(|r| per_iteration(measure, &all[*r].1[turn])).collect();
    let disturbed = |turn: usize| present.iter().map(|r| is_disturbed(&all[*r].1[turn], all[*r].0)).collect();
    let (values, disturbed): (Vec<_>, Vec<_>) =
        (0..turns).map(|turn| (values(turn), disturbed(turn))).unzip();
    if let Some(round) = Round::of_turns(&values, &disturbed) {
        for (r, value) in present.into_iter().zip(round.values) {
            found[r] =
                Summary { value, dropped: round.dropped, disturbed: round.disturbed, ..found[r].clone() };
        }
    }
    found
}

/// Returns the variances within and between processes of a case, the medians over its entries; `None` if no entry
/// took turns with the baseline in at least two rounds.
pub(crate) fn noise(case: &Case) -> Option<Noise> {
    let baseline = case.entries.get(case.baseline)?;
    let log = |sample: &Sample| per_iteration(&case.measure, sample).map(f64::ln);
    let pairs = |(a, b): (&Vec<Sample>, &Vec<Sample>)| -> Vec<f64> {
        a.iter().zip(b).filter_map(|(a, b)| Some(log(a)? - log(b)?)).collect()
    };
    let of_entry = |(_, entry): (usize, &Entry)| {
        let rounds = entry.rounds.iter().zip(&baseline.rounds).map(pairs);
        Noise::of(&rounds.filter(|pairs| !pairs.is_empty()).collect::<Vec<_>>())
    };
    let others = case.entries.iter().enumerate();
    let others = others.filter(|(r, entry)| *r != case.baseline && entry.failure.is_none());
    let all: Vec<Noise> = others.filter_map(of_entry).collect();
    let middle = |part: fn(&Noise) -> f64| median(all.iter().map(part).collect());
    Some(Noise { within: middle(|one| one.within)?, between: middle(|one| one.between)? })
}

/// Returns what several rounds have in common, without their value: of levels the greatest, of parts and counts the
/// mean.
fn combined_rounds(rounds: &[&Summary]) -> Summary {
    Summary {
        samples: rounds.iter().map(|round| round.samples).sum(),
        dropped: rounds.iter().map(|round| round.dropped).sum(),
        disturbed: rounds.iter().map(|round| round.disturbed).sum(),
        value: None,
        phases: owned(combined(rounds.iter().flat_map(|round| named(&round.phases)), |_, all| mean(all))),
        counts: owned(combined(rounds.iter().flat_map(|round| named(&round.counts)), of_count(mean))),
    }
}

/// Returns the medians over the samples of one process that took turns with no other; of levels the greatest.
fn summary(measure: &Measure, samples: &[Sample]) -> Summary {
    let per_iteration = |sample: &Sample| self::per_iteration(measure, sample);
    let part = |sample: &Sample, value: u64| over_iterations(sample, value as f64);
    let phases = samples
        .iter()
        .flat_map(|s| s.phases.iter().filter_map(move |(name, ns)| Some((name, part(s, *ns)?))));
    let counts = samples.iter().flat_map(|s| {
        let one = move |name: &str, n: u64| if is_level(name) { Some(n as f64) } else { part(s, n) };
        s.counts.iter().filter_map(move |(name, n)| Some((name, one(name, *n)?)))
    });
    Summary {
        samples: samples.len(),
        value: median(samples.iter().filter_map(per_iteration).collect()),
        phases: owned(combined(phases, |_, all| median(all))),
        counts: owned(combined(counts, of_count(median))),
        ..Summary::default()
    }
}

fn owned(values: BTreeMap<&str, f64>) -> BTreeMap<String, f64> {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use parcrypt_stats::BLOCK;

    use crate::record::{Failure, FailureKind, Turns};

    use super::*;

    /// A round of five samples of an entry, of which some are disturbed.
    fn samples(entry: usize, round: usize) -> Vec<Sample> {
        let sample = |turn: usize| {
            let chance = (7919 * round + 31 * turn + 389 * entry * entry) % 101;
            Sample {
                iterations: 10,
                elapsed_ns: Some(10_000 + 37 * chance as u64),
                delay_ns: if chance < 10 { 1_000 } else { 0 },
                counts: BTreeMap::from([("peak-bytes".to_owned(), chance as u64), ("n".to_owned(), 1)]),
                ..Sample::default()
            }
        };
        (0..5).map(sample).collect()
    }

    #[test]
    fn what_is_known_of_earlier_rounds_changes_no_bit() {
        for (measure, layouts, sequential, turns) in [
            ("time", 0, false, Turns::All),
            ("time", 0, true, Turns::Threads),
            ("time", 3, false, Turns::All),
            ("time", 12, true, Turns::Threads),
            ("n", 3, false, Turns::All),
        ] {
            let layouts = vec!["layout".to_owned(); layouts];
            let entry = |threads| Entry { threads, layouts: layouts.clone(), ..Entry::default() };
            let (measure, entries) = (measure.to_owned().into(), [1, 1, 1, 2].map(entry).into());
            let mut case = Case { measure, sequential, turns, entries, ..Case::default() };
            let mut known = Known::default();
            for round in 0..40 {
                for (r, entry) in case.entries.iter_mut().enumerate() {
                    let samples = if entry.failure.is_some() { Vec::new() } else { samples(r, round) };
                    entry.rounds.push(samples);
                }
                if round == 25 {
                    case.entries[1].failure = Some(Failure::new(FailureKind::Crash, ""));
                }
                // After the first round, then after one block or two.
                if round > 0 && (round % BLOCK == 0 || round % 8 == 3) {
                    continue;
                }
                update(&mut case, &mut known);
                let mut whole = case.clone();
                summarize(&mut whole);
                for (entry, whole) in case.entries.iter().zip(&whole.entries) {
                    assert_eq!(entry.replicates, whole.replicates, "round {round} of {case:?}");
                }
                let first = &case.entries[0].replicates;
                assert!(!first.is_empty() && first.iter().all(|one| one.value.is_some()));
            }
        }
    }
}
