//! Which case comes next, how long its rounds are, and when it ends.
//!
//! Each case has a rule by which it ends ([`Stop`]). It also ends if its next block would end after the time limit of
//! the run, and if there is nothing left to compare. A benchmark of a suite that ends leaves its time to the others.

use std::time::Duration;

use crate::method::{
    ENOUGH_SAMPLES, EXCESS, LONG_TURN, PILOT, ROUNDS_TO_FIT, SHORTEST_TURNS, TURNS, USUAL_TURNS, WAITING,
    WANTED_ROUNDS,
};
use crate::plan::{CasePlan, Length, Matrix, Sampling};
use crate::record::{Case, Entry, Role};
use crate::stats::{
    self, BLOCK, Basis, EQUAL_COUNTS, Judged, Look, MIN_REPLICATES, MIN_ROUNDS, ROUNDS_OF_BLOCKS, judged,
};

/// The cases of a run, each with what is done of it.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    length: Length,
    sampling: Sampling,
    cases: Vec<State>,
    /// Whether the time limit of the run ended a case.
    over: bool,
}

/// The rule by which a case ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stop {
    /// After its time, and the rounds that an interval needs.
    #[default]
    Time,
    /// After this number of rounds.
    Rounds(usize),
    /// When its verdict is settled.
    Verdict,
}

impl Stop {
    fn new(case: &CasePlan, length: &Length) -> Self {
        match (case.measure.is_time(), length.rounds) {
            // A round of counts is a replicate, and as many as an interval needs are enough if they vary.
            (false, rounds) => Stop::Rounds(rounds.unwrap_or(MIN_REPLICATES).min(MIN_REPLICATES)),
            (true, Some(rounds)) => Stop::Rounds(rounds),
            (true, None) if length.suite.is_some() => Stop::Verdict,
            (true, None) => Stop::Time,
        }
    }

    /// Returns the number of rounds, if that is known.
    fn rounds(self) -> Option<usize> {
        match self {
            Stop::Rounds(rounds) => Some(rounds),
            Stop::Time | Stop::Verdict => None,
        }
    }
}

/// What is done of a case.
#[derive(Clone, Debug, Default)]
struct State {
    stop: Stop,
    /// Rounds after which it can have an interval.
    least: usize,
    rounds: usize,
    /// Time of the rounds.
    spent: Duration,
    /// Time of the first of them, which also finds out how many iterations are in a sample.
    first: Duration,
    /// Time in which entries take turns in a round.
    turns: Duration,
    /// Time of the starts and ends of a round, without the turns; 0 before the first block.
    starts: Duration,
    /// Number of groups of entries that take turns.
    groups: u32,
    /// Whether the time of the turns is final.
    chosen: bool,
    ended: bool,
    /// Result of a benchmark of a suite so far, and what it was computed from: the changes up to the last look, and its
    /// share of the error.
    look: Option<Look>,
    basis: (Vec<f64>, f64),
    /// The verdict on it by now.
    judged: Option<Judged>,
}

impl Schedule {
    pub(super) fn new(sampling: &Sampling, matrix: &Matrix) -> Self {
        let length = matrix.length;
        // Verdicts on the times and the memory of commands are corrected for their number. A round halves the smallest
        // p value.
        let pairs = matrix.cases.iter().map(|case| case.entries.len().saturating_sub(1)).sum::<usize>();
        let is_corrected = sampling.fresh && length.settles().is_none() && pairs > 0;
        let more = if is_corrected { (2 * pairs).next_power_of_two().ilog2() as usize } else { 0 };
        let state = |case: &CasePlan| State {
            stop: Stop::new(case, &length),
            least: case.design(&length).rounds_for_interval() + more,
            turns: first_turns(sampling, &length),
            groups: u32::try_from(case.groups().len()).unwrap_or(u32::MAX).max(1),
            // If a user says how long a round is, or how many there are, nothing is left to choose.
            chosen: sampling.round_ms.is_some() || sampling.samples.is_some() || length.rounds.is_some(),
            ..State::default()
        };
        let cases = matrix.cases.iter().map(state).collect();
        Schedule { length, sampling: sampling.clone(), cases, over: false }
    }

    /// Returns the case whose next block comes, `elapsed` after the beginning: of those that come first, the one of
    /// which the smallest part is done.
    pub(super) fn next(&mut self, elapsed: Duration) -> Option<usize> {
        if let Some(limit) = self.length.limit {
            for state in self.cases.iter_mut().filter(|state| state.is_open()) {
                // Each case is given a round, so that it has an answer.
                if state.rounds > 0 && !state.fits(elapsed, limit) {
                    state.ended = true;
                    self.over = true;
                }
            }
        }
        let open: Vec<usize> = (0..self.cases.len()).filter(|c| self.cases[*c].is_open()).collect();
        let first = self.first_of(&open, elapsed);
        let next = if first.is_empty() { open } else { first };
        next.into_iter().min_by(|a, b| self.done(*a).total_cmp(&self.done(*b)))
    }

    /// Returns those of the open cases that come first if the time is limited: those without a round, then those that
    /// can have an interval in the time that is left. Of a suite, a change that waits for its correction comes before
    /// those that have no interval, and one benchmark comes after the other if not all can have one.
    fn first_of(&self, open: &[usize], elapsed: Duration) -> Vec<usize> {
        let Some(limit) = self.length.limit else { return Vec::new() };
        let new: Vec<usize> = open.iter().copied().filter(|c| self.cases[*c].rounds == 0).collect();
        if !new.is_empty() {
            return new;
        }
        if let Some(waiting) = open.iter().find(|c| self.cases[**c].waits()) {
            return vec![*waiting];
        }
        let need = |c: &usize| self.cases[*c].until_interval();
        let mut all = open.to_vec();
        all.sort_by_key(need);
        let (left, mut sum) = (limit.saturating_sub(elapsed) + limit / EXCESS, Duration::ZERO);
        let fits = |c: &usize| {
            sum += need(c);
            sum <= left
        };
        let within: Vec<usize> = all.into_iter().take_while(fits).collect();
        let all_fit = within.len() == open.len();
        let (known, mut without): (Vec<_>, Vec<_>) = within.into_iter().partition(|c| need(c).is_zero());
        if self.length.settles().is_some() && !all_fit {
            without.truncate(1);
        }
        match (without.is_empty(), self.length.settles()) {
            (false, _) => without,
            (true, None) => known,
            (true, Some(_)) => self.soonest_settled(known).into_iter().collect(),
        }
    }

    /// Returns the benchmark that is probably settled soonest: of those without a verdict, else of those that are
    /// called changed, and before those that have had their part of the time.
    fn soonest_settled(&self, cases: Vec<usize>) -> Option<usize> {
        let has_gate = self.length.suite.is_some_and(|suite| suite.gate.is_some());
        let order = |c: usize| {
            let state = &self.cases[c];
            // How a change compares with the threshold can wait until others have a verdict, unless a gate asks.
            let can_wait = !has_gate && state.judged.is_some_and(|judged| judged.verdict.is_change());
            let further = state.judged.map_or(f64::INFINITY, |judged| judged.further);
            ((can_wait, state.spent >= self.length.case), state.mean().as_secs_f64() * further)
        };
        let compare = |a: &usize, b: &usize| {
            let ((a, time), (b, other)) = (order(*a), order(*b));
            a.cmp(&b).then(time.total_cmp(&other))
        };
        cases.into_iter().min_by(compare)
    }

    /// Returns the number of rounds of the next block of a case.
    pub(super) fn block(&self, c: usize) -> usize {
        self.cases[c].block()
    }

    /// Returns whether the time of the run was over before a case had its first block: then one round is all it gets.
    pub(super) fn has_all_it_gets(&self, c: usize, elapsed: Duration) -> bool {
        self.cases[c].rounds < BLOCK && self.length.limit.is_some_and(|limit| elapsed >= limit)
    }

    /// Returns the index of the round of a case that runs now or comes next.
    pub(super) fn round(&self, c: usize) -> usize {
        self.cases[c].rounds
    }

    /// Returns the number of samples of each process in the next round, if a turn of all entries takes `cycle`: an
    /// even number, so that drift cancels (ABBA). One if samples are long and [`Sampling::fresh`]: then the two
    /// rounds of a block are the pair.
    pub(super) fn samples(&self, c: usize, is_time: bool, cycle: Duration) -> usize {
        const MAX: usize = 10_000;
        if !is_time {
            return 1;
        }
        let cycles_in = |time: Duration| time.as_nanos() / cycle.as_nanos().max(1);
        let room = self.room(c);
        let affords_six = cycle <= LONG_TURN && room.is_none_or(|room| cycles_in(room) >= 6);
        let least = match (affords_six, self.sampling.fresh) {
            (true, _) => 6,
            (false, true) => 1,
            (false, false) => 2,
        };
        self.sampling.samples.unwrap_or_else(|| {
            let turns = self.cases[c].turns;
            let cycles = cycles_in(room.map_or(turns, |room| turns.min(room)));
            match usize::try_from(cycles).unwrap_or(MAX).clamp(least, MAX) {
                1 => 1,
                samples => samples.next_multiple_of(2),
            }
        })
    }

    /// Returns the time for the turns of a group in a round with which the rounds of an interval fit into the time of a
    /// case; `None` if something else says how long rounds are.
    fn room(&self, c: usize) -> Option<Duration> {
        let state = &self.cases[c];
        let is_free = self.length.rounds.is_none() && self.sampling.round_ms.is_none();
        let room = (self.length.case / ROUNDS_TO_FIT.max(state.least as u32)).saturating_sub(state.starts)
            / state.groups;
        is_free.then_some(room)
    }

    /// Counts a round that took `time`.
    pub(super) fn count_round(&mut self, c: usize, time: Duration) {
        let state = &mut self.cases[c];
        state.rounds += 1;
        state.spent += time;
        if state.rounds == 1 {
            state.first = time;
        }
    }

    /// Decides after a block whether the case ends, and after the first blocks how long its rounds are.
    pub(super) fn learn(&mut self, c: usize, case: &Case) {
        let state = &mut self.cases[c];
        if is_exact(case) {
            state.stop = Stop::Rounds(state.rounds);
        }
        let suite = self.length.settles();
        state.ended = match state.stop {
            Stop::Rounds(most) => state.rounds >= most,
            // Others decide on it too, as verdicts are corrected for their number.
            Stop::Verdict => false,
            Stop::Time => {
                // Without a limit, candidates that keep their processes have blocks, which are more exact.
                let hurries = self.length.limit.is_some() || self.sampling.fresh;
                let least = if hurries { state.least } else { ROUNDS_OF_BLOCKS };
                state.rounds >= least && state.spent + state.mean() >= self.length.case
            }
        };
        let turns = case.cost.map_or(Duration::ZERO, |cost| Duration::from_nanos(cost.turns_ns));
        state.starts = state.mean().saturating_sub(turns / state.rounds.max(1) as u32);
        let failed = |entry: &Entry| entry.failure.is_some();
        state.ended |= case.entries.iter().all(failed) || has_nothing_to_compare(case);
        state.ended |= suite.is_some() && case.entries.iter().any(failed);
        if !state.chosen && state.rounds >= PILOT * BLOCK {
            state.chosen = true;
            state.turns = best_turns(case, state.rounds, (shortest(&self.sampling), self.length.case))
                .unwrap_or(state.turns);
        }
        if let Some(suite) = suite {
            // The time of a look grows with the square of the number of values.
            let mut basis = stats::changes(case);
            let (count, share) = Basis::from(case).looked_at(&basis);
            basis.truncate(count);
            if state.basis != (basis.clone(), share) {
                (state.look, state.basis) = (stats::look(case, &suite), (basis, share));
            }
            let looks: Vec<Option<Look>> = self.cases.iter().map(|state| state.look).collect();
            for (state, judged) in self.cases.iter_mut().zip(judged(&looks, suite.asked())) {
                state.judged = judged;
            }
        }
    }

    /// Returns which part of a case is done, from 0 to 1; of a case that ends when it is settled, how many hours it
    /// took.
    fn done(&self, c: usize) -> f64 {
        let state = &self.cases[c];
        match state.stop.rounds() {
            Some(most) => state.rounds as f64 / most as f64,
            None => {
                let whole = self.whole(c).unwrap_or(Duration::from_secs(3600));
                state.spent.as_secs_f64() / whole.as_secs_f64()
            }
        }
    }

    /// Returns the time of the whole of a case without a fixed number of rounds, unless it ends when it is settled.
    fn whole(&self, c: usize) -> Option<Duration> {
        let state = &self.cases[c];
        let least = state.mean() * state.least as u32;
        self.length.settles().is_none().then(|| self.length.case.max(least))
    }

    /// Returns the part of the run that is done, the time left, and the words for it, with `within` of a round of a
    /// case done.
    pub(super) fn progress(&self, c: usize, within: f64, elapsed: Duration) -> (f64, Duration, String) {
        let round = self.cases[c].rounds + 1;
        let words = match self.cases[c].stop.rounds() {
            Some(most) => format!("round {round} of {most}"),
            None => format!("round {round}"),
        };
        let done = self.cases.iter().filter(|state| !state.is_open()).count();
        let words = match self.length.settles() {
            Some(_) => format!("{done} of {} done, {words}", self.cases.len()),
            None => words,
        };
        let all: Duration = self.cases.iter().map(State::mean).sum();
        let known = self.cases.iter().filter(|state| state.rounds > 0).count().max(1) as u32;
        let left_of = |c: usize| {
            let state = &self.cases[c];
            // A case without a round takes as long as others do.
            let mean = if state.rounds == 0 { all / known } else { state.mean() };
            match state.stop.rounds() {
                _ if state.ended => Duration::ZERO,
                Some(most) => mean * (most - state.rounds) as u32,
                None => self.whole(c).unwrap_or_default().saturating_sub(state.spent),
            }
        };
        let left: Duration = (0..self.cases.len()).map(left_of).sum();
        let left = left.saturating_sub(self.cases[c].mean().mul_f64(within));
        // It is not known when a verdict is settled, nor, before the first round, how long a number of rounds is.
        let is_first = self.cases.iter().all(|state| state.rounds == 0);
        let unknown = self.length.settles().is_some()
            || is_first && self.cases.iter().any(|state| state.stop.rounds().is_some());
        let left = match (unknown, self.length.limit.map(|limit| limit.saturating_sub(elapsed))) {
            (true, None) => return (0.0, Duration::ZERO, words),
            (true, Some(limit)) => limit,
            (false, limit) => limit.map_or(left, |limit| left.min(limit)),
        };
        let done = elapsed.as_secs_f64() / (elapsed + left).as_secs_f64().max(1e-9);
        (done, left, words)
    }

    /// Returns why rounds are missing: the user stopped the run, or its time limit was over before a case had those
    /// that it needs. `None` if none are missing.
    pub(super) fn missing(&self, interrupted: bool) -> Option<String> {
        let why = match self.length.limit {
            _ if interrupted => "interrupted".to_owned(),
            // A suite says of each benchmark what is missing.
            Some(limit) if self.over && self.length.settles().is_none() => {
                format!("the {} s were over", limit.as_secs_f64())
            }
            _ => return None,
        };
        let is_short = |state: &&State| state.rounds < state.stop.rounds().unwrap_or(state.least);
        let short = self.cases.iter().filter(|state| interrupted || is_short(state));
        let state = short.min_by_key(|state| state.rounds)?;
        Some(match (state.rounds, state.stop.rounds()) {
            (rounds, None) if is_short(&state) => {
                format!("{why} after {rounds} of the {} rounds that a verdict needs", state.least)
            }
            _ => why,
        })
    }
}

impl State {
    /// Returns whether the case goes on.
    fn is_open(&self) -> bool {
        !self.ended && !self.judged.is_some_and(|judged| judged.is_settled)
    }

    /// Returns whether it has a change that waits for its correction, which needs few blocks.
    fn waits(&self) -> bool {
        self.judged.is_some_and(|judged| judged.waits) && self.rounds < WAITING * self.least
    }

    /// Returns the mean time of a round, without the first if there are more; 0 before the first.
    fn mean(&self) -> Duration {
        match self.rounds {
            0 | 1 => self.spent,
            rounds => self.spent.saturating_sub(self.first) / (rounds - 1) as u32,
        }
    }

    /// Returns the number of rounds of the next block.
    fn block(&self) -> usize {
        self.stop.rounds().map_or(BLOCK, |most| BLOCK.min(most - self.rounds))
    }

    /// Returns the time of the rounds that it still needs for an interval.
    fn until_interval(&self) -> Duration {
        let needed = self.stop.rounds().unwrap_or(self.least);
        self.mean() * needed.saturating_sub(self.rounds) as u32
    }

    /// Returns whether the next block ends before the limit, which the last rounds that an interval needs may exceed.
    fn fits(&self, elapsed: Duration, limit: Duration) -> bool {
        let with_interval = elapsed + self.until_interval();
        let limit = if with_interval <= limit + limit / EXCESS { limit.max(with_interval) } else { limit };
        elapsed + self.mean() * self.block() as u32 <= limit
    }
}

/// Returns whether each entry counted the same in as many rounds as show that the count does not vary.
fn is_exact(case: &Case) -> bool {
    let exact = |entry: &Entry| {
        let all = &entry.replicates;
        let same = all.windows(2).all(|pair| pair[0].value == pair[1].value);
        entry.failure.is_some() || all.len() >= EQUAL_COUNTS && same
    };
    !case.measure.is_time() && case.entries.iter().all(exact)
}

/// Returns the minimum time of the turns of a round, if it is chosen.
fn shortest(sampling: &Sampling) -> Duration {
    TURNS[0].min((sampling.sample() * ENOUGH_SAMPLES).max(SHORTEST_TURNS))
}

/// Returns the time in which entries take turns in the first rounds.
fn first_turns(sampling: &Sampling, length: &Length) -> Duration {
    match (sampling.round_ms, length.rounds) {
        (Some(ms), _) => Duration::from_millis(ms),
        (None, Some(_)) => USUAL_TURNS,
        (None, None) => (length.case / (8 * WANTED_ROUNDS)).clamp(shortest(sampling), USUAL_TURNS),
    }
}

/// Returns the time that a case is expected to take, if a round takes `least` even with the smallest number of samples.
pub(super) fn expected(sampling: &Sampling, length: &Length, case: &CasePlan, least: Duration) -> Duration {
    let samples = sampling
        .samples
        .map(|samples| sampling.sample() * u32::try_from(samples * case.entries.len()).unwrap_or(u32::MAX));
    let turns = if case.measure.is_time() {
        samples.unwrap_or(first_turns(sampling, length))
    } else {
        Duration::ZERO
    };
    let round = turns * u32::try_from(case.groups().len()).unwrap_or(u32::MAX) + least;
    let equal = if case.measure.is_time() { usize::MAX } else { EQUAL_COUNTS };
    match Stop::new(case, length).rounds().map(|most| most.min(equal)) {
        Some(most) => round * u32::try_from(most).unwrap_or(u32::MAX),
        None => length.case.max(least * MIN_ROUNDS as u32),
    }
}

/// Returns whether whole commands have failed and there are no two left to compare.
fn has_nothing_to_compare(case: &Case) -> bool {
    let (failed, alive): (Vec<&Entry>, Vec<&Entry>) = case
        .entries
        .iter()
        .filter(|entry| entry.role != Role::Limit)
        .partition(|entry| entry.failure.is_some());
    let baseline_failed = case.entries.get(case.baseline).is_some_and(|entry| entry.failure.is_some());
    case.is_of_commands() && !failed.is_empty() && (alive.len() < 2 || baseline_failed)
}

/// Returns the time of the turns of a round with which the intervals become narrow fastest.
///
/// With the variance v of one pair of samples in a process, the variance b between processes, m pairs in a round, a
/// time c for a pair and s for the starts of a round, the variance after a time is proportional to (b + πv/2m)(s +
/// mc), which is smallest at m = √(πv/2b · s/c). (The median of m pairs has π/2 times the variance of their mean.)
/// It is shorter if the rounds that are wanted, or a block of each memory layout, would not fit into the time.
fn best_turns(case: &Case, rounds: usize, (least, whole): (Duration, Duration)) -> Option<Duration> {
    let cost = case.cost.filter(|cost| cost.turns > 0)?;
    let noise = stats::noise(case)?;
    let pair = cost.turns_ns as f64 / cost.turns as f64;
    let starts = cost.rounds_ns.saturating_sub(cost.turns_ns);
    let start = starts as f64 / rounds as f64;
    let best = (std::f64::consts::FRAC_PI_2 * noise.within * pair * start / noise.between.max(1e-12)).sqrt();
    let wanted = (WANTED_ROUNDS as usize).max(BLOCK * case.layouts());
    let fits = (whole.as_secs_f64() * 1e9 / wanted as f64 - start).max(0.0);
    let time = Duration::from_secs_f64(best.min(fits).clamp(0.0, 1e12) / 1e9);
    Some(time.clamp(least, TURNS[1]))
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng;
    use rand_distr::{Distribution, Normal};

    use crate::record::{Cost, Failure, FailureKind, Measure, Sample, Suite, Summary};
    use crate::stats::{Border, MIN_ROUNDS_TO_LOOK};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A case of which this number of rounds is done, each in `mean`.
    fn done(rounds: usize, mean: Duration) -> State {
        State {
            least: MIN_ROUNDS,
            rounds,
            spent: mean * rounds as u32,
            first: mean.min(mean * rounds as u32),
            groups: 1,
            chosen: true,
            ..State::default()
        }
    }

    /// A run with this time for each case.
    fn time(case: Duration, limit: Option<Duration>) -> Length {
        Length { rounds: None, case, suite: None, limit }
    }

    fn schedule(length: Length, cases: Vec<State>) -> Schedule {
        Schedule { length, sampling: Sampling::default(), cases, over: false }
    }

    fn after(rounds: Option<usize>) -> Stop {
        rounds.map_or(Stop::Time, Stop::Rounds)
    }

    /// An entry with these values of its replicates.
    fn entry(values: &[f64]) -> Entry {
        let summary = |value: &f64| Summary { value: Some(*value), ..Summary::default() };
        Entry { threads: 1, replicates: values.iter().map(summary).collect(), ..Entry::default() }
    }

    #[test]
    fn a_round_has_20_samples_or_20_ms() {
        let ms = |sample_ms| shortest(&Sampling { sample_ms, ..Sampling::default() }).as_millis();
        assert_eq!([20.0, 4.0, 2.0, 1.0, 0.25].map(ms), [80, 80, 40, 20, 20]);
    }

    #[test]
    fn a_bar_is_full_at_the_end_alone() {
        // The share that is done and the seconds left, with half of a round done, after two seconds.
        let progress = |length: Length, cases: &[(Option<usize>, usize)]| {
            let state = |&(most, rounds)| State { stop: after(most), turns: SECOND, ..done(rounds, SECOND) };
            let cases = cases.iter().map(state).collect();
            let (done, left, words) = schedule(length, cases).progress(0, 0.5, 2 * SECOND);
            (done, left.as_secs_f64(), words)
        };
        let (timed, within) = (time(10 * SECOND, None), time(10 * SECOND, Some(6 * SECOND)));
        let settled = Length { suite: Some(within_threshold(0.01)), ..within };
        for (length, cases, done, left, words) in [
            // A number of rounds, also if there are counts alone.
            (timed, &[(Some(16), 0), (Some(16), 0)][..], 0.0, 0.0, "round 1 of 16"),
            (within, &[(Some(16), 0)], 1.0 / 3.0, 4.0, "round 1 of 16"),
            (within, &[(Some(16), 2)], 1.0 / 3.0, 4.0, "round 3 of 16"),
            (timed, &[(Some(4), 1), (Some(4), 0)], 2.0 / 8.5, 6.5, "round 2 of 4"),
            // A time.
            (timed, &[(None, 0)], 2.0 / 12.0, 10.0, "round 1"),
            // Until the verdict is settled.
            (settled, &[(None, 3)], 1.0 / 3.0, 4.0, "0 of 1 done, round 4"),
        ] {
            assert_eq!(progress(length, cases), (done, left, words.to_owned()));
        }
    }

    #[test]
    fn rounds_are_shorter_if_samples_are_long_or_the_time_is_short() {
        let samples = |case: Duration, starts_ms: u64, cycle_ms: u64, fresh: bool| {
            let cases = vec![State { turns: ms(500), starts: ms(starts_ms), ..done(2, ms(100)) }];
            let sampling = Sampling { fresh, ..Sampling::default() };
            Schedule { sampling, ..schedule(time(case, None), cases) }.samples(0, true, ms(cycle_ms))
        };
        let of_cycles =
            |fresh| [10, 90, 101, 200, 400, 900].map(|cycle| samples(Duration::MAX, 0, cycle, fresh));
        assert_eq!(of_cycles(false), [50, 6, 4, 2, 2, 2]);
        // Long ones of processes of their own are single.
        assert_eq!(of_cycles(true), [50, 6, 4, 2, 1, 1]);
        assert_eq!(samples(10 * SECOND, 0, 20, false), 26);
        assert_eq!(samples(ms(2_500), 50, 20, false), 10);
        assert_eq!(samples(ms(2_500), 200, 20, false), 2);
        assert_eq!(samples(3 * SECOND, 0, 90, true), 4);
        assert_eq!(samples(SECOND, 0, 90, true), 1);
    }

    /// Runs rounds of these times until each case has ended; `case` is what a case has measured after a block. Returns
    /// the time in ms.
    fn play(schedule: &mut Schedule, times: &[u64], mut case: impl FnMut(usize) -> Case) -> u64 {
        let mut elapsed = Duration::ZERO;
        while let Some(c) = schedule.next(elapsed) {
            for _ in 0..schedule.block(c) {
                elapsed += ms(times[c]);
                schedule.count_round(c, ms(times[c]));
                if schedule.has_all_it_gets(c, elapsed) {
                    break;
                }
            }
            schedule.learn(c, &case(c));
        }
        elapsed.as_millis() as u64
    }

    #[test]
    fn as_many_cases_as_possible_have_an_interval_in_the_time() {
        // The number of rounds of cases with these times of a round, and the time.
        let played = |seconds: u32, times: &[u64]| {
            let limit = seconds * SECOND;
            let cases = times.iter().map(|_| done(0, Duration::ZERO)).collect();
            let length = time(limit / times.len() as u32, Some(limit));
            let sampling = Sampling { fresh: true, ..Sampling::default() };
            let mut schedule = Schedule { sampling, ..schedule(length, cases) };
            let case = |_| Case { entries: vec![entry(&[])], ..Case::default() };
            let time = play(&mut schedule, times, case);
            (schedule.cases.iter().map(|state| state.rounds).collect::<Vec<_>>(), time)
        };
        // One case: as many rounds as fit, and at most a tenth more for the last rounds of the interval.
        assert_eq!(played(6, &[500]), (vec![12], 6_000));
        assert_eq!(played(6, &[800]), (vec![8], 6_400));
        assert_eq!(played(6, &[850]).0, [6]);
        assert_eq!(played(6, &[20_000]), (vec![1], 20_000));
        // All of them fit, though one needs more than its share.
        let (rounds, time) = played(20, &[1_500, 100, 100, 100]);
        assert!(rounds.iter().all(|rounds| *rounds >= MIN_ROUNDS) && time <= 22_000, "{rounds:?}");
        // Two of them do not fit: the others have an interval, and these a round.
        let (rounds, time) = played(20, &[3_000, 400, 500, 3_000]);
        assert!(rounds[1] >= MIN_ROUNDS && rounds[2] >= MIN_ROUNDS && rounds[0] >= 2, "{rounds:?}");
        assert!(time <= 22_000, "{time}");
    }

    /// How benchmarks are judged with this threshold.
    fn within_threshold(threshold: f64) -> Suite {
        Suite { threshold, ..Suite::default() }
    }

    /// Runs a suite of benchmarks, each with the time of its rounds, until it is settled or the time is over; `ratio`
    /// is the ratio of the revisions of a benchmark in a block. Returns the schedule, and the time.
    fn played_suite(
        (seconds, suite): (u32, Suite),
        times: &[u64],
        mut ratio: impl FnMut(usize, usize) -> f64,
    ) -> (Schedule, u64) {
        let of_ratios = |ratios: &[f64]| {
            let entries = vec![entry(&vec![1.0; ratios.len()]), entry(ratios)];
            Case { entries, sequential: true, ..Case::default() }
        };
        let limit = seconds * SECOND;
        let length = Length { suite: Some(suite), ..time(limit / times.len() as u32, Some(limit)) };
        let state = |_| State { stop: Stop::Verdict, least: MIN_ROUNDS_TO_LOOK, ..done(0, Duration::ZERO) };
        let mut schedule = schedule(length, times.iter().map(state).collect());
        let mut measured = vec![Vec::new(); times.len()];
        let time = play(&mut schedule, times, |c| {
            let block = measured[c].len();
            measured[c].push(ratio(c, block));
            of_ratios(&measured[c])
        });
        for (state, values) in schedule.cases.iter().zip(&measured) {
            assert_eq!(state.look, stats::look(&of_ratios(values), &suite));
        }
        assert_eq!(schedule.missing(false), None);
        (schedule, time)
    }

    /// Returns the number of rounds of benchmarks with these times of a round, ratios of the revisions and noises, and
    /// the time.
    fn rounds_of_suite(seconds: u32, benchmarks: &[(u64, f64, f64)]) -> (Vec<usize>, u64) {
        let times: Vec<u64> = benchmarks.iter().map(|one| one.0).collect();
        let (schedule, time) = played_suite((seconds, within_threshold(0.02)), &times, |c, block| {
            let (_, ratio, noise) = benchmarks[c];
            let wobble = ((block * 7919 + c * 31) % 101) as f64 / 50.0 - 1.0;
            ratio * (noise * wobble).exp()
        });
        (schedule.cases.iter().map(|state| state.rounds).collect(), time)
    }

    #[test]
    fn the_time_of_a_suite_goes_where_it_decides() {
        let (quiet, noisy) = ((100, 1.0, 0.003), (400, 1.0, 0.4));
        // What is within the threshold ends at its first look, and so does the suite.
        let (rounds, time) = rounds_of_suite(300, &[quiet; 20]);
        assert_eq!((rounds, time), (vec![MIN_ROUNDS_TO_LOOK; 20], 36_000));
        // The rest of the time is for those that are open.
        let (rounds, time) = rounds_of_suite(120, &[quiet, noisy, quiet, (400, 1.019, 0.02), quiet]);
        assert_eq!([rounds[0], rounds[2], rounds[4]], [MIN_ROUNDS_TO_LOOK; 3]);
        assert!(rounds[1] + rounds[3] > 250 && time > 118_000, "{rounds:?} {time}");
        // A change that is sure by itself waits for the correction: a p value of 5 in 2⁹ is not enough for one of 20.
        let changed = (100, 1.05, 0.003);
        let mut suite = vec![quiet; 20];
        suite[7] = changed;
        let (rounds, _) = rounds_of_suite(300, &suite);
        assert!((20..50).contains(&rounds[7]) && rounds[8] == MIN_ROUNDS_TO_LOOK, "{rounds:?}");
        assert_eq!(rounds_of_suite(300, &[changed]).0, [MIN_ROUNDS_TO_LOOK]);
        // If the time is short, as many as possible have a look.
        let (rounds, time) = rounds_of_suite(20, &[quiet, (5_000, 1.0, 0.003), quiet, quiet]);
        let short = rounds[1] <= BLOCK && rounds[0] == MIN_ROUNDS_TO_LOOK;
        assert!(short && time < 22_000, "{rounds:?} {time}");
        // A change that waits too long for its correction is one of many again.
        let (mut schedule, _) = played_suite((300, within_threshold(0.02)), &[100; 2], |_, _| 1.0);
        let open = schedule.cases[0].judged.unwrap();
        let waiting = |rounds, waits, further| {
            let judged = Some(Judged { waits, further, is_settled: false, ..open });
            State { rounds, judged, ..done(20, ms(100)) }
        };
        for (rounds, next) in [(20, 0), (WAITING * MIN_ROUNDS, 1)] {
            schedule.cases = vec![waiting(rounds, true, 9.0), waiting(20, false, 1.0)];
            assert_eq!(schedule.next(9 * SECOND), Some(next), "{rounds}");
        }
        // One that waits for the threshold does not end before the time is over.
        assert!(rounds_of_suite(60, &[(400, 1.02, 0.003), quiet]).0[0] > 130);
        // One without a verdict comes before it.
        let (rounds, _) = rounds_of_suite(60, &[(100, 1.02, 0.003), (100, 1.0, 0.4)]);
        assert!(rounds[0] < 40 && rounds[1] > 500, "{rounds:?}");
        // What is probably settled soonest leaves the others their part of the time.
        let (rounds, _) = rounds_of_suite(60, &[(100, 1.0, 0.3), (100, 1.0, 0.4)]);
        assert!(rounds.iter().all(|rounds| *rounds >= 298), "{rounds:?}");
    }

    /// Benchmarks that are clearly beyond the threshold of 1 % go on until each is on one side of the gate, at 5 %: all
    /// that become 4 % slower are. Without the gate, time ends for them before that.
    #[test]
    fn a_gate_beyond_the_threshold_is_decided() {
        let decided = |gate: Option<Border>, factor: f64| {
            let mut random = ChaCha12Rng::seed_from_u64(20_261_127);
            let normal = Normal::new(0.0, 0.01).unwrap();
            let suite = (300, Suite { gate, ..within_threshold(0.01) });
            let ratio = |_, _| factor * f64::exp(normal.sample(&mut random));
            let (schedule, time) = played_suite(suite, &[100; 10], ratio);
            let clear = |state: &&State| {
                let interval = state.look.and_then(|look| look.ratio.interval);
                interval.is_some_and(|interval| !interval.holds(1.05))
            };
            (schedule.cases.iter().filter(clear).count(), time)
        };
        let gate = Some(Border::Above(1.05));
        let ((found, time), (without, short)) = (decided(gate, 1.04), decided(None, 1.04));
        assert!(found == 10 && time < 300_000, "{found} in {time}");
        assert!(without < 5 && short < time, "{without} in {short}");
        // If the gate holds for one, the answer is known.
        let (_, time) = decided(gate, 1.07);
        assert!(time < 60_000, "{time}");
    }

    #[test]
    fn a_benchmark_that_failed_in_one_revision_ends() {
        let length = Length { suite: Some(within_threshold(0.02)), ..time(5 * SECOND, Some(10 * SECOND)) };
        let open = State { stop: Stop::Verdict, ..done(0, Duration::ZERO) };
        let mut schedule = schedule(length, vec![open.clone(), open]);
        schedule.count_round(0, SECOND);
        let failed = Entry { failure: Some(Failure::new(FailureKind::Crash, "")), ..entry(&[]) };
        schedule.learn(0, &Case { entries: vec![entry(&[1.0]), failed], ..Case::default() });
        schedule.count_round(1, SECOND);
        assert_eq!(schedule.next(2 * SECOND), Some(1));
        assert!(
            schedule.cases[0].ended && schedule.progress(1, 0.0, 2 * SECOND).2.starts_with("1 of 2 done, ")
        );
    }

    #[test]
    fn each_layout_has_a_block_in_the_time() {
        let turns = |layouts: usize| {
            // Processes are alike and samples are not, so that long rounds would be best.
            let entry = |factor: u64| {
                let sample =
                    |ns| Sample { iterations: 1, elapsed_ns: Some(factor * ns), ..Sample::default() };
                let mut round = [100, 140, 120, 180].map(sample).to_vec();
                round.rotate_left(factor as usize);
                Entry { rounds: vec![round; 8], layouts: vec![String::new(); layouts], ..entry(&[1.0]) }
            };
            let cost = Cost { rounds_ns: 16_000_000, turns_ns: 8_000_000, turns: 32, ..Cost::default() };
            let case = Case { entries: vec![entry(1), entry(2)], cost: Some(cost), ..Case::default() };
            best_turns(&case, 8, (TURNS[0], 12 * SECOND)).unwrap()
        };
        // 12 s / 24 and 12 s / 60, without 1 ms for the starts of a round.
        assert_eq!((turns(0), turns(30)), (ms(499), ms(199)));
    }

    #[test]
    fn counts_are_exact_when_they_are_the_same_in_two_rounds() {
        let exact = |measure: &str, values: [&[f64]; 2]| {
            let measure = Measure::from(measure.to_owned());
            is_exact(&Case { measure, entries: values.map(entry).into(), ..Case::default() })
        };
        assert!(exact("instructions", [&[5.0, 5.0], &[6.0, 6.0]]));
        assert!(!exact("instructions", [&[5.0, 5.0], &[6.0, 6.5]]));
        assert!(!exact("instructions", [&[5.0], &[6.0]]));
        assert!(!exact("time", [&[5.0, 5.0], &[6.0, 6.0]]) && !exact("own-time", [&[5.0, 5.0], &[6.0, 6.0]]));
    }
}
