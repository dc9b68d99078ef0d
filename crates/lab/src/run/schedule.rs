//! Which case comes next, how long its rounds are, and when it ends.

use std::time::Duration;

use crate::command::shell_start;
use crate::plan::{CasePlan, Length, Matrix, Sampling};
use crate::record::{Case, Entry, Role};
use crate::stats::{self, BLOCK, Estimate, LEAST_REPLICATES, LEAST_ROUNDS, LEAST_ROUNDS_TO_LOOK};

/// Blocks after which the length of a round is chosen.
const PILOT: usize = 4;
/// Time of the turns of a round, from and to, where it is chosen.
const SHORTEST: Duration = Duration::from_millis(80);
const LONGEST: Duration = Duration::from_secs(1);
/// Time of the turns of a round where the number of rounds is given and their time is not.
const USUAL: Duration = Duration::from_millis(500);
/// Rounds that a case has at least in its time, where the processes start fast enough.
const WANTED_ROUNDS: u32 = 24;

/// The cases of a run, each with what is done of it.
#[derive(Debug)]
pub(super) struct Schedule<'a> {
    length: Length,
    sampling: &'a Sampling,
    cases: Vec<State>,
    /// Whether the time limit of the run ended a case.
    over: bool,
}

/// What is done of a case.
#[derive(Debug)]
struct State {
    /// Rounds after which it ends, where that is known.
    most: Option<usize>,
    rounds: usize,
    /// Time of the rounds.
    spent: Duration,
    /// Time in which entries take turns in a round.
    turns: Duration,
    chosen: bool,
    ended: bool,
}

impl<'a> Schedule<'a> {
    pub(super) fn new(sampling: &'a Sampling, matrix: &Matrix) -> Self {
        let length = matrix.length;
        let cases = matrix.cases.iter().map(|case| State {
            most: most_rounds(case, &length),
            rounds: 0,
            spent: Duration::ZERO,
            turns: first_turns(sampling, &length),
            // Where a user says how long a round is, or how many there are, nothing is left to choose.
            chosen: sampling.round_ms.is_some() || sampling.samples.is_some() || length.rounds.is_some(),
            ended: false,
        });
        Schedule { length, sampling, cases: cases.collect(), over: false }
    }

    /// Returns the case whose next block comes, `elapsed` after the beginning: the one of which the least part is done.
    pub(super) fn next(&mut self, elapsed: Duration) -> Option<usize> {
        for state in &mut self.cases {
            let block = state.spent / (state.rounds / BLOCK).max(1) as u32;
            let over = self.length.most.is_some_and(|most| elapsed + block > most);
            // A case without a round is given one, so that each has an answer.
            if over && state.rounds > 0 && !state.ended {
                state.ended = true;
                self.over = true;
            }
        }
        let running = (0..self.cases.len()).filter(|c| !self.cases[*c].ended);
        running.min_by(|a, b| self.done(*a).total_cmp(&self.done(*b)))
    }

    /// Returns the number of rounds of the next block of a case.
    pub(super) fn block(&self, c: usize) -> usize {
        let state = &self.cases[c];
        state.most.map_or(BLOCK, |most| BLOCK.min(most - state.rounds))
    }

    /// Returns whether the time of the run was over before a case had its first block: then one round is all it gets.
    pub(super) fn has_all_it_gets(&self, c: usize, elapsed: Duration) -> bool {
        self.cases[c].rounds < BLOCK && self.length.most.is_some_and(|most| elapsed >= most)
    }

    /// Returns the index of the round of a case that runs now or comes next.
    pub(super) fn round(&self, c: usize) -> usize {
        self.cases[c].rounds
    }

    /// Returns the number of samples of each process in the next round, where a turn of all entries takes `cycle`: an
    /// even number, so that drift cancels (ABBA). One where samples are long and [`Sampling::fresh`]: then the two
    /// rounds of a block are the pair.
    pub(super) fn samples(&self, c: usize, is_time: bool, cycle: Duration) -> usize {
        const MOST: usize = 10_000;
        /// A median needs some values; of long samples, two are what one can afford.
        const LONG: Duration = Duration::from_millis(100);
        let least = match (cycle > LONG, self.sampling.fresh) {
            (true, true) => 1,
            (true, false) => 2,
            (false, _) => 6,
        };
        if !is_time {
            return 1;
        }
        self.sampling.samples.unwrap_or_else(|| {
            let cycles = self.cases[c].turns.as_nanos() / cycle.as_nanos().max(1);
            match usize::try_from(cycles).unwrap_or(MOST).clamp(least, MOST) {
                1 => 1,
                samples => samples.next_multiple_of(2),
            }
        })
    }

    /// Counts a round that took `time`; returns whether it was the first of several.
    pub(super) fn count_round(&mut self, c: usize, time: Duration) -> bool {
        let state = &mut self.cases[c];
        state.rounds += 1;
        state.spent += time;
        state.rounds == 1 && state.most.is_none_or(|most| most > 1)
    }

    /// Decides after a block whether the case ends, and after the first blocks how long its rounds are.
    pub(super) fn learn(&mut self, c: usize, case: &Case) {
        let state = &mut self.cases[c];
        if is_exact(case) {
            state.most = Some(state.rounds);
        }
        state.ended = match (state.most, self.length.until) {
            (Some(most), _) => state.rounds >= most,
            (None, Some(until)) => is_known(case, until),
            (None, None) => {
                let block = state.spent / (state.rounds / BLOCK).max(1) as u32;
                state.rounds >= LEAST_ROUNDS && state.spent + block / 2 >= self.length.case
            }
        };
        state.ended |= case.entries.iter().all(|entry| entry.failure.is_some());
        if !state.chosen && state.rounds >= PILOT * BLOCK {
            state.chosen = true;
            state.turns = best_turns(case, state.rounds, self.length.case).unwrap_or(state.turns);
        }
    }

    /// Returns which part of a case is done, from 0 to 1; of a case without a known end, how many hours it took.
    fn done(&self, c: usize) -> f64 {
        let state = &self.cases[c];
        match state.most {
            _ if state.ended => 1.0,
            Some(most) => state.rounds as f64 / most as f64,
            None => {
                let whole = self.whole(c).unwrap_or(Duration::from_secs(3600));
                state.spent.as_secs_f64() / whole.as_secs_f64()
            }
        }
    }

    /// Returns the time of the whole of a case without a fixed number of rounds, where that is known.
    fn whole(&self, c: usize) -> Option<Duration> {
        let state = &self.cases[c];
        let least = state.spent / state.rounds.max(1) as u32 * LEAST_ROUNDS as u32;
        (self.length.until.is_none()).then(|| self.length.case.max(least))
    }

    /// Returns the part of the run that is done, the time left, and the words for it, with `within` of a round of a
    /// case done.
    pub(super) fn progress(&self, c: usize, within: f64, elapsed: Duration) -> (f64, Duration, String) {
        let round = self.cases[c].rounds + 1;
        let words = match self.cases[c].most {
            Some(most) => format!("round {round} of {most}"),
            None => format!("round {round}"),
        };
        let mean = |state: &State| state.spent / state.rounds.max(1) as u32;
        let all: Duration = self.cases.iter().map(mean).sum();
        let known = self.cases.iter().filter(|state| state.rounds > 0).count().max(1) as u32;
        let left_of = |c: usize| {
            let state = &self.cases[c];
            let mean = if state.rounds > 0 { mean(state) } else { all / known };
            match (state.ended, state.most) {
                (true, _) => Duration::ZERO,
                (_, Some(most)) => mean * (most - state.rounds) as u32,
                (_, None) => self.whole(c).map_or(Duration::ZERO, |whole| whole.saturating_sub(state.spent)),
            }
        };
        let left: Duration = (0..self.cases.len()).map(left_of).sum();
        let left = left.saturating_sub(mean(&self.cases[c]).mul_f64(within));
        // It is not known when an interval is narrow enough, nor, before the first round, how long a number of rounds
        // is.
        let is_first = self.cases.iter().all(|state| state.rounds == 0);
        let unknown =
            self.length.until.is_some() || is_first && self.cases.iter().any(|state| state.most.is_some());
        let left = match (unknown, self.length.most.map(|most| most.saturating_sub(elapsed))) {
            (true, None) => return (0.0, Duration::ZERO, words),
            (true, Some(most)) => most,
            (false, most) => most.map_or(left, |most| left.min(most)),
        };
        let done = elapsed.as_secs_f64() / (elapsed + left).as_secs_f64().max(1e-9);
        (done, left, words)
    }

    /// Returns why rounds are missing, where the time limit was over before a case had those that it needs.
    pub(super) fn missing(&self) -> Option<String> {
        let seconds = self.length.most.filter(|_| self.over)?.as_secs_f64();
        let least = if self.length.until.is_some() { LEAST_ROUNDS_TO_LOOK } else { LEAST_ROUNDS };
        let wanted = |state: &State| state.most.unwrap_or(least);
        let short = self.cases.iter().filter(|state| state.rounds < wanted(state));
        let over = format!("the {seconds} s were over");
        match (short.min_by_key(|state| state.rounds), self.length.until) {
            (Some(State { most: Some(most), rounds, .. }), _) => {
                Some(format!("{over} after {rounds} of {most} rounds"))
            }
            (Some(State { rounds, .. }), _) => {
                let s = if *rounds == 1 { "" } else { "s" };
                Some(format!("{over} after {rounds} round{s} of a case: an interval needs {least}"))
            }
            (None, Some(until)) => Some(format!("{over} before each ratio was known to {} %", 100.0 * until)),
            (None, None) => None,
        }
    }

    /// Returns why rounds are missing where the user stopped the run.
    pub(super) fn interrupted(&self, c: usize) -> String {
        let state = &self.cases[c];
        match state.most {
            Some(most) => format!("it was interrupted in round {} of {most}", state.rounds + 1),
            None => format!("it was interrupted in round {}", state.rounds + 1),
        }
    }
}

/// Returns the number of rounds after which a case ends at the latest: of counts as many as an interval needs, where
/// they vary.
fn most_rounds(case: &CasePlan, length: &Length) -> Option<usize> {
    // A round of counts is a replicate.
    let counted = || Some(length.rounds.unwrap_or(LEAST_REPLICATES).min(LEAST_REPLICATES));
    if case.measure.is_time() { length.rounds } else { counted() }
}

/// Returns whether each entry counted the same in as many rounds as show that the count does not vary.
fn is_exact(case: &Case) -> bool {
    let exact = |entry: &Entry| {
        let all = &entry.replicates;
        let same = all.windows(2).all(|pair| pair[0].value == pair[1].value);
        entry.failure.is_some() || all.len() >= stats::equal_rounds(&case.measure) && same
    };
    !case.measure.is_time() && case.entries.iter().all(exact)
}

/// Returns the time in which entries take turns in the first rounds.
fn first_turns(sampling: &Sampling, length: &Length) -> Duration {
    match (sampling.round_ms, length.rounds) {
        (Some(ms), _) => Duration::from_millis(ms),
        (None, Some(_)) => USUAL,
        (None, None) => (length.case / (2 * WANTED_ROUNDS)).clamp(SHORTEST, USUAL),
    }
}

/// Returns the time that a case is expected to take, where a round takes `least` even with the least number of samples.
pub(super) fn expected(sampling: &Sampling, length: &Length, case: &CasePlan, least: Duration) -> Duration {
    let samples = sampling.samples.map(|samples| {
        Duration::from_millis(sampling.sample_ms)
            * u32::try_from(samples * case.entries.len()).unwrap_or(u32::MAX)
    });
    let turns = if case.measure.is_time() {
        samples.unwrap_or(first_turns(sampling, length))
    } else {
        Duration::ZERO
    };
    let round = turns * u32::try_from(case.groups().len()).unwrap_or(u32::MAX) + least;
    let most = most_rounds(case, length);
    match most
        .map(|most| if case.measure.is_time() { most } else { most.min(stats::equal_rounds(&case.measure)) })
    {
        Some(most) => round * u32::try_from(most).unwrap_or(u32::MAX),
        None if length.until.is_some() => round * LEAST_ROUNDS as u32,
        None => length.case.max(least * LEAST_ROUNDS as u32),
    }
}

/// Returns whether each ratio to the baseline is known to `until`, or known not to be 1.
fn is_known(case: &Case, until: f64) -> bool {
    let baseline = &case.entries[case.baseline];
    let narrow = |estimate: &Estimate| {
        estimate.interval.is_some_and(|i| (i.high - i.low) / 2.0 <= until * estimate.value)
    };
    if !stats::is_look(baseline.replicates.len()) {
        return false;
    }
    let others = case.entries.iter().enumerate().filter(|(r, _)| *r != case.baseline);
    // An entry that failed has no ratio, and never will. One that is too near to the start of the shell may have one
    // later.
    let failed = |entry: &Entry| entry.failure.is_some();
    let later = !failed(baseline) && shell_start(case).is_some_and(|start| !failed(start));
    let mut ratios = others
        .filter(|(_, entry)| !failed(entry) && entry.role != Role::Limit)
        .map(|(_, entry)| stats::compared_ratio(case, entry, baseline))
        .filter(|ratio| later || ratio.is_some())
        .peekable();
    if ratios.peek().is_none() {
        // Nothing to compare: then the times themselves have to be known.
        let mut alive = case.entries.iter().filter(|entry| entry.failure.is_none());
        return alive.all(|entry| stats::value(case, entry).is_some_and(|time| narrow(&time)));
    }
    let decided = |ratio: &Estimate| ratio.interval.is_some_and(|i| !i.holds(1.0));
    ratios.all(|ratio| ratio.is_some_and(|ratio| decided(&ratio) || narrow(&ratio)))
}

/// Returns the time of the turns of a round with which the intervals become narrow fastest.
///
/// With the variance v of one pair of samples in a process, the variance b between processes, m pairs in a round, a
/// time c for a pair and s for the starts of a round, the variance after a time is proportional to (b + πv/2m)(s +
/// mc), which is least at m = √(πv/2b · s/c). (The median of m pairs has π/2 times the variance of their mean.)
fn best_turns(case: &Case, rounds: usize, whole: Duration) -> Option<Duration> {
    let cost = case.cost.filter(|cost| cost.turns > 0)?;
    let noise = stats::noise(case)?;
    let pair = cost.turns_ns as f64 / cost.turns as f64;
    let start = cost.rounds_ns.saturating_sub(cost.turns_ns) as f64 / rounds as f64;
    let best = (std::f64::consts::FRAC_PI_2 * noise.within * pair * start / noise.between.max(1e-12)).sqrt();
    // Enough rounds must fit into the time of the case.
    let fits = (whole.as_secs_f64() * 1e9 / f64::from(WANTED_ROUNDS) - start).max(0.0);
    let time = Duration::from_secs_f64(best.min(fits).clamp(0.0, 1e12) / 1e9);
    Some(time.clamp(SHORTEST, LONGEST))
}

#[cfg(test)]
mod tests {
    use crate::record::{Measure, Summary};

    use super::*;

    /// What is said where the time of a run was over after these rounds of its cases, each with its greatest number.
    fn missing(rounds: &[(usize, Option<usize>)], until: Option<f64>, over: bool) -> Option<String> {
        let length = Length { rounds: None, case: Duration::MAX, until, most: Some(Duration::from_secs(30)) };
        let state = |&(rounds, most)| State {
            most,
            rounds,
            spent: Duration::ZERO,
            turns: Duration::ZERO,
            chosen: true,
            ended: true,
        };
        let cases = rounds.iter().map(state).collect();
        Schedule { length, sampling: &Sampling::default(), cases, over }.missing()
    }

    #[test]
    fn a_bar_is_full_at_the_end_alone() {
        let second = Duration::from_secs(1);
        let sampling = Sampling::default();
        // The share that is done and the seconds left, with half of a round done, after two seconds.
        let progress = |length: Length, cases: &[(Option<usize>, usize)]| {
            let state = |&(most, rounds)| State {
                most,
                rounds,
                spent: second * rounds as u32,
                turns: second,
                chosen: true,
                ended: false,
            };
            let cases = cases.iter().map(state).collect();
            let schedule = Schedule { length, sampling: &sampling, cases, over: false };
            let (done, left, words) = schedule.progress(0, 0.5, 2 * second);
            (done, left.as_secs_f64(), words)
        };
        let length = |until, most| Length { rounds: None, case: 10 * second, until, most };
        let timed = length(None, None);
        let words = |text: &str| text.to_owned();
        // A number of rounds, also where there are counts alone.
        assert_eq!(progress(timed, &[(Some(16), 0), (Some(16), 0)]), (0.0, 0.0, words("round 1 of 16")));
        let within = length(None, Some(6 * second));
        assert_eq!(progress(within, &[(Some(16), 0)]), (1.0 / 3.0, 4.0, words("round 1 of 16")));
        assert_eq!(progress(within, &[(Some(16), 2)]), (1.0 / 3.0, 4.0, words("round 3 of 16")));
        assert_eq!(progress(timed, &[(Some(4), 1), (Some(4), 0)]), (2.0 / 8.5, 6.5, words("round 2 of 4")));
        // A time.
        assert_eq!(progress(timed, &[(None, 0)]), (2.0 / 12.0, 10.0, words("round 1")));
        // Until it is known.
        let until = length(Some(0.01), None);
        assert_eq!(progress(until, &[(None, 3)]), (0.0, 0.0, words("round 4")));
        let until = length(Some(0.01), Some(6 * second));
        assert_eq!(progress(until, &[(None, 3)]), (1.0 / 3.0, 4.0, words("round 4")));
    }

    #[test]
    fn the_first_block_ends_after_a_round_where_the_time_is_over() {
        let sampling = Sampling::default();
        let seconds = Duration::from_secs;
        let has_all = |rounds, most: Option<u64>, elapsed| {
            let length = Length { rounds: None, case: seconds(10), until: None, most: most.map(seconds) };
            let turns = Duration::ZERO;
            let state = State { most: None, rounds, spent: turns, turns, chosen: true, ended: false };
            Schedule { length, sampling: &sampling, cases: vec![state], over: false }
                .has_all_it_gets(0, seconds(elapsed))
        };
        assert!(has_all(1, Some(2), 2) && !has_all(1, Some(2), 1) && !has_all(1, None, 100));
        // A later block is only begun where it fits.
        assert!(!has_all(3, Some(2), 5));
    }

    #[test]
    fn long_samples_of_fresh_processes_are_single() {
        let samples = |fresh: bool, cycle_ms: u64| {
            let sampling = Sampling { fresh, ..Sampling::default() };
            let length = Length { rounds: None, case: Duration::MAX, until: None, most: None };
            let turns = Duration::from_millis(500);
            let state =
                State { most: None, rounds: 0, spent: Duration::ZERO, turns, chosen: true, ended: false };
            let schedule = Schedule { length, sampling: &sampling, cases: vec![state], over: false };
            schedule.samples(0, true, Duration::from_millis(cycle_ms))
        };
        assert_eq!([10, 90, 101, 200, 400, 900].map(|ms| samples(false, ms)), [50, 6, 4, 2, 2, 2]);
        assert_eq!([10, 90, 101, 200, 400, 900].map(|ms| samples(true, ms)), [50, 6, 4, 2, 1, 1]);
    }

    #[test]
    fn counts_are_exact_when_they_are_the_same_in_two_rounds() {
        let entry = |values: &[f64]| -> Entry {
            let mut entry: Entry = serde_json::from_value(serde_json::json!({ "candidate": "a", "labels": {},
                "threads": 1, "role": "candidate", "command": [], "ready": null, "digest": null, "failure": null }))
            .unwrap();
            let summary = |value: &f64| Summary { value: Some(*value), ..Summary::default() };
            entry.replicates = values.iter().map(summary).collect();
            entry
        };
        let exact = |measure: &str, values: [&[f64]; 2]| {
            let measure = Measure::from(measure.to_owned());
            is_exact(&Case { measure, entries: values.map(entry).into(), ..Case::default() })
        };
        assert!(exact("instructions", [&[5.0, 5.0], &[6.0, 6.0]]));
        assert!(!exact("instructions", [&[5.0, 5.0], &[6.0, 6.5]]));
        assert!(!exact("instructions", [&[5.0], &[6.0]]));
        // Counts of the processor and the kernel may be the same by chance.
        for measure in ["page-faults", "cycles", "branch-misses", "cache-misses"] {
            assert!(!exact(measure, [&[5.0; 7], &[6.0; 7]]) && exact(measure, [&[5.0; 8], &[6.0; 8]]));
        }
        assert!(!exact("time", [&[5.0, 5.0], &[6.0, 6.0]]) && !exact("own-time", [&[5.0, 5.0], &[6.0, 6.0]]));
    }

    #[test]
    fn a_ratio_is_known_when_it_is_without_the_start_of_the_shell() {
        let entry = |candidate: &str, role: &str, centre: u64, step: u64| -> Entry {
            let rounds: Vec<_> = (0..40)
                .map(|i| serde_json::json!([{ "iterations": 1, "elapsed_ns": centre + i * step % 41 }]))
                .collect();
            serde_json::from_value(serde_json::json!({ "candidate": candidate, "labels": {}, "threads": 1,
                "role": role, "command": [], "ready": null, "digest": null, "failure": null, "rounds": rounds }))
            .unwrap()
        };
        let start = entry(crate::command::SHELL_START, "limit", 9_000, 11);
        let entries = vec![entry("a", "candidate", 10_000, 5), entry("b", "candidate", 10_000, 7), start];
        let known = |entries: &[Entry]| {
            let mut case = Case { entries: entries.to_vec(), sequential: true, ..Case::default() };
            stats::summarize(&mut case);
            case.entries.iter_mut().for_each(|entry| entry.replicates.truncate(17));
            is_known(&case, 0.003)
        };
        assert!(known(&entries[..2]) && !known(&entries));
        // One that takes no longer than the start has no ratio yet.
        let mut near = entries.clone();
        near[1] = entry("b", "candidate", 9_000, 7);
        assert!(known(&near[..2]) && !known(&near));
    }

    #[test]
    fn what_is_missing_when_the_time_is_over_is_said() {
        let said = |text: &str| Some(format!("the 30 s were over {text}"));
        assert_eq!(missing(&[(2, None)], None, false), None);
        assert_eq!(missing(&[(16, None), (40, None)], None, true), None);
        assert_eq!(
            missing(&[(16, None), (14, None)], None, true),
            said("after 14 rounds of a case: an interval needs 16")
        );
        assert_eq!(missing(&[(20, Some(20)), (5, Some(20))], None, true), said("after 5 of 20 rounds"));
        assert_eq!(
            missing(&[(16, None)], Some(0.005), true),
            said("after 16 rounds of a case: an interval needs 18")
        );
        assert_eq!(missing(&[(18, None)], Some(0.005), true), said("before each ratio was known to 0.5 %"));
    }
}
