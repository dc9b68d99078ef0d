//! From samples to replicates: the value of each process, and of each block of rounds.

use std::collections::BTreeMap;

use parcrypt_stats::{BLOCK, ROUNDS_OF_BLOCKS, centred, last_look, median, spread, turns_that_count};

use super::{borrowed, combined, greatest};
use crate::record::{Case, Measure, Sample, Summary};

/// Returns the quantity that the case compares for one iteration of a sample, with time in ns.
fn per_iteration(measure: &Measure, sample: &Sample) -> Option<f64> {
    let value = measure.of(sample)?;
    (sample.iterations > 0).then(|| value / sample.iterations as f64)
}

/// Part of a sample's time that its threads may wait for a processor.
const MOST_DELAY: f64 = 0.02;

/// Returns whether a sample of an entry with this number of threads was disturbed: its threads waited for a processor,
/// on average, for more than a fiftieth of its time.
pub fn is_disturbed(sample: &Sample, threads: usize) -> bool {
    let most = |ns: u64| MOST_DELAY * ns as f64 * threads.max(1) as f64;
    sample.elapsed_ns.is_some_and(|ns| sample.delay_ns as f64 > most(ns))
}

/// Computes the replicates of all entries of a case from their samples, or takes them from a thinned record.
pub fn summarize(case: &mut Case) {
    Summaries::default().update(case);
}

/// What is known of the rounds of a case that is still measured, so that each is summarized only once.
#[derive(Debug, Default)]
pub(crate) struct Summaries {
    /// Whether each entry has failed, and so has no part in the values of any round.
    failed: Vec<bool>,
    /// Values of each entry in each round.
    rounds: Vec<Vec<Summary>>,
    /// What the replicates of the case are by now.
    replicate: Option<Replicate>,
    /// Number of blocks that are in replicates of layouts.
    blocks: usize,
}

impl Summaries {
    /// [`summarize`] for a case that has only had further rounds or failures since the last call.
    pub(crate) fn update(&mut self, case: &mut Case) {
        let failed: Vec<bool> = case.entries.iter().map(|entry| entry.failure.is_some()).collect();
        if failed != self.failed {
            *self = Summaries { rounds: vec![Vec::new(); failed.len()], failed, ..Summaries::default() };
        }
        add_rounds(case, &mut self.rounds);
        let rounds = self.rounds.iter().map(Vec::len).max().unwrap_or(0);
        let replicate = Replicate::of(case, rounds);
        if self.replicate.replace(replicate) != Some(replicate) {
            self.blocks = 0;
            case.entries.iter_mut().for_each(|entry| entry.replicates.clear());
        }
        match replicate {
            Replicate::Block(length) => {
                for (entry, rounds) in case.entries.iter_mut().zip(&self.rounds) {
                    let new = rounds.chunks_exact(length).skip(entry.replicates.len());
                    entry.replicates.extend(new.map(combined_rounds));
                }
            }
            Replicate::Layout(layouts) => {
                let blocks = rounds / BLOCK;
                // Of a run that looks, those up to the last look.
                let blocks = if case.sequential { last_look(blocks, layouts.min(blocks)).0 } else { blocks };
                let (done, all) = (std::mem::replace(&mut self.blocks, blocks), layouts.min(blocks));
                case.entries.iter_mut().for_each(|entry| entry.replicates.resize_with(all, Summary::default));
                // The last blocks have each layout once.
                for last in done.max(blocks - all)..blocks {
                    for (r, summary) in of_layout(case, &self.rounds, last, layouts) {
                        case.entries[r].replicates[last % layouts] = summary;
                    }
                }
            }
        }
        for entry in &mut case.entries {
            if let Some(thinned) = &entry.thinned {
                entry.replicates.clone_from(&thinned.rounds);
            }
        }
    }
}

/// Rounds of a replicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replicate {
    /// Consecutive ones, in this number.
    Block(usize),
    /// All of one layout, of this number of layouts.
    Layout(usize),
}

impl Replicate {
    /// Returns what the replicates of a case are after a number of rounds.
    fn of(case: &Case, rounds: usize) -> Self {
        match case.layouts() {
            // A single round has no block.
            layouts if layouts > 0 && case.measure.is_time() && rounds >= BLOCK => Replicate::Layout(layouts),
            _ => Replicate::Block(block_length(case, rounds)),
        }
    }
}

/// Returns the number of rounds of a block, or 1 if rounds are replicates.
fn block_length(case: &Case, rounds: usize) -> usize {
    // The two rounds of a block have the same layout.
    let blocks = case.sequential || rounds >= ROUNDS_OF_BLOCKS || case.layouts() > 0;
    // A count does not vary with the process.
    if case.measure.is_time() && blocks { BLOCK.min(rounds.max(1)) } else { 1 }
}

/// Returns the replicate of each entry for the layout of a block, from the rounds of this block and of those before it
/// with the same layout, made as a round is from its turns.
fn of_layout(case: &Case, rounds: &[Vec<Summary>], last: usize, layouts: usize) -> Vec<(usize, Summary)> {
    let own: Vec<usize> = (last % layouts..=last)
        .step_by(layouts)
        .flat_map(|block| block * BLOCK..(block + 1) * BLOCK)
        .collect();
    let mut all = Vec::with_capacity(rounds.len());
    for group in groups(case) {
        let of_entry = |r: &usize| own.iter().map(|round| rounds[*r][*round].clone()).collect::<Vec<_>>();
        let own: Vec<Vec<Summary>> = group.iter().map(of_entry).collect();
        let mut found: Vec<Summary> = own.iter().map(|own| combined_rounds(own)).collect();
        let present: Vec<usize> = (0..own.len()).filter(|r| found[*r].value.is_some()).collect();
        let logs = |round: usize| present.iter().filter_map(|r| Some(own[*r][round].value?.ln())).collect();
        let values = centred((0..own[0].len()).map(logs).collect());
        present.iter().zip(values).for_each(|(r, value)| found[*r].value = value);
        all.extend(group.into_iter().zip(found));
    }
    all
}

/// Returns the groups of entries of a case that take turns with each other.
fn groups(case: &Case) -> Vec<Vec<usize>> {
    case.turns.groups(case.entries.iter().map(|entry| entry.threads))
}

/// Adds the values of each entry of a case in the rounds after those that `all` has.
fn add_rounds(case: &Case, all: &mut [Vec<Summary>]) {
    let rounds = case.entries.iter().map(|entry| entry.rounds.len()).max().unwrap_or(0);
    for group in groups(case) {
        for round in all[group[0]].len()..rounds {
            let samples = |r: &usize| {
                let entry = &case.entries[*r];
                let samples = entry.rounds.get(round).filter(|_| entry.failure.is_none());
                (entry.threads, samples.map_or(&[][..], Vec::as_slice))
            };
            let found = round_summaries(&case.measure, &group.iter().map(samples).collect::<Vec<_>>());
            group.iter().zip(found).for_each(|(r, summary)| all[*r].push(summary));
        }
    }
}

/// Returns the values of the processes of one round that took turns, given the threads and the samples of each.
fn round_summaries(measure: &Measure, all: &[(usize, &[Sample])]) -> Vec<Summary> {
    let mut found: Vec<Summary> = all.iter().map(|(_, samples)| summary(measure, samples)).collect();
    // An entry without samples failed or was skipped; turns of an interrupted round may be incomplete.
    let present: Vec<usize> = (0..all.len()).filter(|r| !all[*r].1.is_empty()).collect();
    let turns = present.iter().map(|r| all[*r].1.len()).min().unwrap_or(0);
    if !measure.is_time() || present.len() < 2 {
        return found;
    }
    let is_disturbed =
        |turn: usize| present.iter().map(move |r| is_disturbed(&all[*r].1[turn], all[*r].0)).collect();
    let disturbed: Vec<Vec<bool>> = (0..turns).map(is_disturbed).collect();
    let kept = turns_that_count(&disturbed);
    let kept_disturbed = kept.iter().filter(|turn| disturbed[**turn].contains(&true)).count();
    let logs = |turn: &usize| -> Option<Vec<f64>> {
        present.iter().map(|r| Some(per_iteration(measure, &all[*r].1[*turn])?.ln())).collect()
    };
    let rows: Vec<Vec<f64>> = kept.iter().filter_map(logs).collect();
    if rows.is_empty() {
        return found;
    }
    for (r, value) in present.iter().zip(centred(rows)) {
        found[*r].value = value;
        found[*r].dropped = turns - kept.len();
        found[*r].disturbed = kept_disturbed;
    }
    found
}

/// Variances of the logarithm of a ratio to the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    /// Of one pair of samples within a process.
    pub(crate) within: f64,
    /// Between processes, without what comes from within.
    pub(crate) between: f64,
}

/// Returns the variances within and between processes of a case, the medians over its entries; `None` if no entry
/// took turns with the baseline in at least two rounds.
pub(crate) fn noise(case: &Case) -> Option<Noise> {
    let baseline = case.entries.get(case.baseline)?;
    let log = |sample: &Sample| per_iteration(&case.measure, sample).map(f64::ln);
    let (mut within, mut between) = (Vec::new(), Vec::new());
    for (r, entry) in case.entries.iter().enumerate() {
        if r == case.baseline || entry.failure.is_some() {
            continue;
        }
        let pairs = |(a, b): (&Vec<Sample>, &Vec<Sample>)| -> Vec<f64> {
            a.iter().zip(b).filter_map(|(a, b)| Some(log(a)? - log(b)?)).collect()
        };
        let rounds: Vec<Vec<f64>> =
            entry.rounds.iter().zip(&baseline.rounds).map(pairs).filter(|pairs| !pairs.is_empty()).collect();
        if rounds.len() < 2 {
            continue;
        }
        let inside = median(rounds.iter().filter_map(|pairs| spread(pairs)).collect())?.powi(2);
        let count = rounds.iter().map(Vec::len).sum::<usize>() as f64 / rounds.len() as f64;
        let centres: Vec<f64> = rounds.into_iter().filter_map(median).collect();
        let all = spread(&centres)?.powi(2);
        within.push(inside);
        between.push((all - std::f64::consts::FRAC_PI_2 * inside / count).max(0.0));
    }
    Some(Noise { within: median(within)?, between: median(between)? })
}

/// Returns the replicate of several rounds: of values the geometric mean, of levels the greatest, of parts and counts
/// the mean.
fn combined_rounds(rounds: &[Summary]) -> Summary {
    let mean = |values: Vec<f64>| Some(values.iter().sum::<f64>() / values.len().max(1) as f64);
    let logs: Option<Vec<f64>> = rounds.iter().map(|round| round.value.map(f64::ln)).collect();
    let value = match rounds {
        [one] => one.value,
        _ => logs.and_then(mean).map(f64::exp),
    };
    Summary {
        samples: rounds.iter().map(|round| round.samples).sum(),
        dropped: rounds.iter().map(|round| round.dropped).sum(),
        disturbed: rounds.iter().map(|round| round.disturbed).sum(),
        value,
        phases: owned(combined(rounds.iter().map(|round| borrowed(&round.phases)), |_, all| mean(all))),
        counts: owned(combined(rounds.iter().map(|round| borrowed(&round.counts)), |name, all| {
            if is_level(name) { greatest(all) } else { mean(all) }
        })),
    }
}

/// Returns whether a count is a level and not a total over the iterations.
pub(super) fn is_level(name: &str) -> bool {
    name.starts_with("peak-")
}

/// Returns the medians over the samples of one process that took turns with no other.
pub fn summary(measure: &Measure, samples: &[Sample]) -> Summary {
    Summary {
        samples: samples.len(),
        value: median(samples.iter().filter_map(|sample| per_iteration(measure, sample)).collect()),
        phases: medians(samples, |sample| &sample.phases, |_| false),
        counts: medians(samples, |sample| &sample.counts, is_level),
        ..Summary::default()
    }
}

/// Returns the medians by name, for one iteration; of levels the greatest.
fn medians(
    samples: &[Sample],
    values: impl Fn(&Sample) -> &BTreeMap<String, u64>,
    is_level: impl Fn(&str) -> bool,
) -> BTreeMap<String, f64> {
    let divisor = |name: &str, sample: &Sample| if is_level(name) { 1 } else { sample.iterations };
    let of_sample = |sample| {
        let values = values(sample).iter().map(|(name, value)| (name.as_str(), *value));
        let each = values.map(|(name, value)| (name, value as f64 / divisor(name, sample) as f64));
        each.filter(|(_, value)| value.is_finite()).collect()
    };
    owned(combined(
        samples.iter().map(of_sample),
        |name, all| {
            if is_level(name) { greatest(all) } else { median(all) }
        },
    ))
}

fn owned(values: BTreeMap<&str, f64>) -> BTreeMap<String, f64> {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use crate::record::{Entry, Failure, FailureKind, Turns};

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
        let case = |measure: &str, layouts: usize, sequential, turns| {
            let layouts = vec!["layout".to_owned(); layouts];
            let entry = |threads| Entry { threads, layouts: layouts.clone(), ..Entry::default() };
            let measure = Measure::from(measure.to_owned());
            Case { measure, sequential, turns, entries: [1, 1, 1, 2].map(entry).into(), ..Case::default() }
        };
        for case in [
            case("time", 0, false, Turns::All),
            case("time", 0, true, Turns::Threads),
            case("time", 3, false, Turns::All),
            case("time", 12, true, Turns::Threads),
            case("n", 3, false, Turns::All),
        ] {
            // After each block, as in a run, or after two.
            for step in [BLOCK, 2 * BLOCK] {
                let (mut case, mut known) = (case.clone(), Summaries::default());
                for round in 0..40 {
                    for (r, entry) in case.entries.iter_mut().enumerate() {
                        let samples = if entry.failure.is_some() { Vec::new() } else { samples(r, round) };
                        entry.rounds.push(samples);
                    }
                    if round == 25 {
                        let failure =
                            Failure { kind: FailureKind::Crash, why: String::new(), stderr: String::new() };
                        case.entries[1].failure = Some(failure);
                    }
                    if round > 0 && (round + 1) % step != 0 {
                        continue;
                    }
                    known.update(&mut case);
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

    #[test]
    fn disturbed_turns_are_left_out_or_shown() {
        let sample = |disturbed: bool| Sample {
            iterations: 10,
            elapsed_ns: Some(if disturbed { 2_000_000 } else { 1_000_000 }),
            delay_ns: if disturbed { 1_000_000 } else { 0 },
            ..Sample::default()
        };
        let counts = |disturbed: usize| {
            let samples: Vec<Sample> = (0..20).map(|turn| sample(turn < disturbed)).collect();
            let found = round_summaries(&Measure::default(), &[(1, &samples), (1, &samples)]);
            assert!(found.iter().all(|one| one.samples == 20));
            (found[0].dropped, found[0].disturbed, found[1].value.unwrap().round())
        };
        assert_eq!(counts(0), (0, 0, 100_000.0));
        assert_eq!(counts(10), (10, 0, 100_000.0));
        assert_eq!(counts(11), (0, 11, 200_000.0));
    }
}
