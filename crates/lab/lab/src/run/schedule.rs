//! Which case comes next, how long its rounds are, and when it ends.

use std::time::Duration;

use crate::plan::{CasePlan, Length, Matrix, Sampling};
use crate::record::{Case, Entry, Role};
use crate::stats::many::{Finding, Look, judged};
use crate::stats::{
    self, BLOCK, Estimate, LEAST_REPLICATES, LEAST_ROUNDS, LEAST_ROUNDS_TO_LOOK, ROUNDS_OF_BLOCKS,
    rounds_for_interval,
};

/// Blocks after which the length of a round is chosen.
const PILOT: usize = 4;
/// Time of the turns of a round, from and to, if it is chosen.
const SHORTEST: Duration = Duration::from_millis(80);
const LONGEST: Duration = Duration::from_secs(1);
/// Lower limit of `SHORTEST` if 20 samples take less.
const SHORTEST_OF_SHORT: Duration = Duration::from_millis(20);
/// Number of samples after which the turns of a round need not be longer.
const MOST_SAMPLES: u32 = 20;
/// Time of the turns of a round if the number of rounds is given and their time is not.
const USUAL: Duration = Duration::from_millis(500);
/// Rounds that a case has at least in its time, if the processes start fast enough.
const WANTED_ROUNDS: u32 = 24;
/// Rounds for which samples are made fewer if the time is short: enough for an interval, and a quarter more because
/// rounds differ.
const ROUNDS_TO_FIT: u32 = 10;
/// Multiple of the rounds for an interval up to which a change that waits for its correction comes before others. A
/// clear one needs 16 or 27 blocks among a hundred benchmarks.
const WAITING: usize = 4;
/// Part of the time limit by which a case may exceed it with the last rounds that its interval needs.
const EXCESS: u32 = 10;

/// The cases of a run, each with what is done of it.
#[derive(Clone, Debug)]
pub(super) struct Schedule<'a> {
    length: Length,
    sampling: &'a Sampling,
    cases: Vec<State>,
    /// Whether the time limit of the run ended a case.
    over: bool,
    /// Where the run is if benchmarks share processes.
    sweep: Option<Sweep>,
}

/// Benchmarks that share processes come in their order, a block of each, again and again.
#[derive(Clone, Copy, Debug)]
struct Sweep {
    /// The case of the last block.
    at: usize,
    /// Time of the starts of a block with fresh processes, which the first of the benchmarks has.
    starts: Duration,
}

/// What is done of a case.
#[derive(Clone, Debug)]
struct State {
    /// Rounds after which it ends, if that is known.
    most: Option<usize>,
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
    chosen: bool,
    /// Whether time is left for only one round.
    single: bool,
    ended: bool,
    /// Result of a benchmark of a suite so far.
    look: Option<Look>,
    /// What `look` was computed from: [`Look::basis`].
    basis: Option<(Vec<f64>, f64)>,
    /// Whether its verdict is settled, unless the verdicts on others change its correction.
    settled: bool,
    /// Whether it has a change that waits for its correction.
    waits: bool,
    /// Whether it is called changed and there is no gate: how its change compares with the threshold can wait until
    /// others have a verdict.
    changed: bool,
    /// Estimate of the number of further replicates until it is settled.
    further: f64,
}

impl<'a> Schedule<'a> {
    pub(super) fn new(sampling: &'a Sampling, matrix: &Matrix) -> Self {
        let length = matrix.length;
        let cases = matrix.cases.iter().map(|case| State {
            most: most_rounds(case, &length),
            rounds: 0,
            spent: Duration::ZERO,
            least: least_rounds(case, &length),
            first: Duration::ZERO,
            turns: first_turns(sampling, &length),
            starts: Duration::ZERO,
            groups: u32::try_from(case.groups().len()).unwrap_or(u32::MAX).max(1),
            // If a user says how long a round is, or how many there are, nothing is left to choose.
            chosen: sampling.round_ms.is_some() || sampling.samples.is_some() || length.rounds.is_some(),
            single: false,
            ended: false,
            look: None,
            basis: None,
            settled: false,
            waits: false,
            changed: false,
            further: f64::INFINITY,
        });
        Schedule { length, sampling, cases: cases.collect(), over: false, sweep: None }
    }

    /// Returns the case whose next block comes, `elapsed` after the beginning: the one of which the least part is done.
    /// If the time is too short for all of them, those come first that can have an interval in it.
    pub(super) fn next(&mut self, elapsed: Duration) -> Option<usize> {
        if let Some(most) = self.length.most {
            for state in &mut self.cases {
                let with_interval = elapsed + state.until_interval();
                let most = if with_interval <= most + most / EXCESS { most.max(with_interval) } else { most };
                let fits = |rounds: usize| elapsed + state.mean() * rounds as u32 <= most;
                // A single round is of use only if rounds are replicates.
                let single = state.rounds < ROUNDS_OF_BLOCKS
                    && state.least < ROUNDS_OF_BLOCKS
                    && !fits(BLOCK)
                    && !self.length.looks();
                // A case without a round is given one, so that each has an answer.
                if !fits(if single { 1 } else { BLOCK }) && state.rounds > 0 && !state.ended {
                    state.ended = true;
                    self.over = true;
                }
                state.single = single && state.rounds > 0;
            }
        }
        let running: Vec<usize> = (0..self.cases.len()).filter(|c| self.is_open(*c)).collect();
        if let Some(sweep) = self.sweep {
            return self.swept(sweep, &running, elapsed);
        }
        let first = self.first_of(&running, elapsed);
        let least_done =
            |cases: Vec<usize>| cases.into_iter().min_by(|a, b| self.done(*a).total_cmp(&self.done(*b)));
        least_done(if first.is_empty() { running } else { first })
    }

    /// Whether a case goes on.
    pub(super) fn is_open(&self, c: usize) -> bool {
        !self.cases[c].ended && !self.cases[c].settled
    }

    /// Returns whether a benchmark is slow to prepare if the starts of a round take this long: with them alone, the
    /// rounds that an interval needs fill its part of the time. If the number of rounds is given: they take over twice
    /// as long as the turns.
    ///
    /// Benchmarks that are not have processes of their own, so that what favours a process, and what a benchmark
    /// leaves in memory, is not the same for many of them.
    pub(super) fn is_slow_to_prepare(&self, c: usize, starts: Duration) -> bool {
        let room = match self.length.settles() {
            Some(_) => self.length.case / self.cases[c].least.max(1) as u32,
            None => 2 * USUAL,
        };
        self.length.suite.is_some() && self.cases.len() > 1 && starts > room
    }

    /// Lets benchmarks share processes from this block of a case on: they come in their order from now on. `starts` is
    /// the time of the starts of a block.
    pub(super) fn share(&mut self, c: usize, starts: Duration) {
        self.sweep = Some(Sweep { at: c, starts });
    }

    /// Returns the next case of a sweep, or the first one of another sweep if its starts fit into the time. A change
    /// that can wait until others have a verdict does.
    fn swept(&mut self, sweep: Sweep, running: &[usize], elapsed: Duration) -> Option<usize> {
        let open: Vec<usize> = running.iter().copied().filter(|c| !self.cases[*c].changed).collect();
        let open = if open.is_empty() { running } else { &open };
        let next = open.iter().copied().find(|c| *c > sweep.at);
        // The last rounds that intervals need may exceed the time.
        let left = |c: &usize| self.cases[*c].least.saturating_sub(self.cases[*c].rounds);
        let excess = if open.iter().any(|c| (1..=BLOCK).contains(&left(c))) { 1 } else { 0 };
        let first = open.first().copied().filter(|first| {
            let end = elapsed + sweep.starts + self.cases[*first].mean() * BLOCK as u32;
            self.length.most.is_none_or(|most| end <= most + most / EXCESS * excess)
        });
        let next = next.or(first);
        match next {
            Some(at) => self.sweep = Some(Sweep { at, ..sweep }),
            None => {
                self.over |= !running.is_empty();
                running.iter().for_each(|c| self.cases[*c].ended = true);
            }
        }
        next
    }

    /// Returns the cases that have to come before the others because the time left is too short for all of `running`:
    /// those without a round, then those that need the shortest time for an interval, then those that have one. Of a
    /// suite, whose time is always too short, a change that waits for its correction comes before those that have no
    /// interval; of the rest, those without a verdict before those with one, then those that have not had their part of
    /// the time, and the one that is probably settled soonest.
    fn first_of(&self, running: &[usize], elapsed: Duration) -> Vec<usize> {
        let Some(most) = self.length.most.filter(|_| self.length.until.is_none()) else { return Vec::new() };
        let new = running.iter().copied().filter(|c| self.cases[*c].rounds == 0);
        let new: Vec<usize> = new.collect();
        let left = most.saturating_sub(elapsed);
        let wanted: Duration = running
            .iter()
            .map(|c| self.whole(*c).map_or(Duration::ZERO, |whole| self.left_of(*c, whole)))
            .sum();
        if !new.is_empty() || self.length.settles().is_none() && wanted <= left + most / EXCESS {
            return new;
        }
        // A change that waits for its correction needs few blocks.
        let waits = |state: &State| state.waits && state.rounds < WAITING * state.least;
        if let Some(waiting) = running.iter().find(|c| waits(&self.cases[**c])) {
            return vec![*waiting];
        }
        let mut needs: Vec<(usize, Duration)> =
            running.iter().map(|c| (*c, self.cases[*c].until_interval())).collect();
        needs.sort_by_key(|(_, need)| *need);
        let mut sum = Duration::ZERO;
        let all = needs.len();
        let within = needs.into_iter().take_while(|(_, need)| {
            sum += *need;
            sum <= left + most / EXCESS
        });
        let (mut open, mut known): (Vec<_>, Vec<_>) = within.partition(|(_, need)| !need.is_zero());
        if self.length.settles().is_some() {
            let time = |c: usize| self.cases[c].mean().as_secs_f64() * self.cases[c].further;
            let later = |c: usize| (self.cases[c].changed, self.cases[c].spent >= self.length.case);
            let order = |a: usize, b: usize| later(a).cmp(&later(b)).then(time(a).total_cmp(&time(b)));
            known.sort_by(|(a, _), (b, _)| order(*a, *b));
            // If not all of them can have an interval, one after the other does, and what it shows has time left.
            if open.len() + known.len() < all {
                open.truncate(1);
            }
            known.truncate(1);
        }
        let cases = if open.is_empty() { known } else { open };
        cases.into_iter().map(|(c, _)| c).collect()
    }

    /// Returns the number of rounds of the next block of a case.
    pub(super) fn block(&self, c: usize) -> usize {
        let state = &self.cases[c];
        let block = if state.single { 1 } else { BLOCK };
        state.most.map_or(block, |most| block.min(most - state.rounds))
    }

    /// Returns whether the time of the run was over before a case had its first block: then one round is all it gets.
    pub(super) fn has_all_it_gets(&self, c: usize, elapsed: Duration) -> bool {
        self.cases[c].rounds < BLOCK && self.length.most.is_some_and(|most| elapsed >= most)
    }

    /// Returns the index of the round of a case that runs now or comes next.
    pub(super) fn round(&self, c: usize) -> usize {
        self.cases[c].rounds
    }

    /// Returns the number of samples of each process in the next round, if a turn of all entries takes `cycle`: an
    /// even number, so that drift cancels (ABBA). One if samples are long and [`Sampling::fresh`]: then the two
    /// rounds of a block are the pair.
    pub(super) fn samples(&self, c: usize, is_time: bool, cycle: Duration) -> usize {
        const MOST: usize = 10_000;
        /// A median needs some values; of long samples, two are what one can afford.
        const LONG: Duration = Duration::from_millis(100);
        let cycles_in = |time: Duration| time.as_nanos() / cycle.as_nanos().max(1);
        let room = self.room(c);
        let affords_six = cycle <= LONG && room.is_none_or(|room| cycles_in(room) >= 6);
        let least = match (affords_six, self.sampling.fresh) {
            (true, _) => 6,
            (false, true) => 1,
            (false, false) => 2,
        };
        if !is_time {
            return 1;
        }
        self.sampling.samples.unwrap_or_else(|| {
            let turns = self.cases[c].turns;
            let cycles = cycles_in(room.map_or(turns, |room| turns.min(room)));
            match usize::try_from(cycles).unwrap_or(MOST).clamp(least, MOST) {
                1 => 1,
                samples => samples.next_multiple_of(2),
            }
        })
    }

    /// Returns the time for the turns of a group in a round with which the rounds of an interval fit into the time of a
    /// case; `None` if something else says how long rounds are.
    fn room(&self, c: usize) -> Option<Duration> {
        let state = &self.cases[c];
        let is_free =
            self.length.rounds.is_none() && self.length.until.is_none() && self.sampling.round_ms.is_none();
        let room = (self.length.case / ROUNDS_TO_FIT.max(state.least as u32)).saturating_sub(state.starts)
            / state.groups;
        is_free.then_some(room)
    }

    /// Counts a round that took `time`; returns whether it was the first of several.
    pub(super) fn count_round(&mut self, c: usize, time: Duration) -> bool {
        let state = &mut self.cases[c];
        state.rounds += 1;
        state.spent += time;
        if state.rounds == 1 {
            state.first = time;
        }
        state.rounds == 1 && state.most.is_none_or(|most| most > 1)
    }

    /// Decides after a block whether the case ends, and after the first blocks how long its rounds are.
    pub(super) fn learn(&mut self, c: usize, case: &Case) {
        let state = &mut self.cases[c];
        if is_exact(case) {
            state.most = Some(state.rounds);
        }
        let suite = self.length.settles();
        state.ended = match (state.most, self.length.until) {
            (Some(most), _) => state.rounds >= most,
            (None, Some(until)) => is_known(case, until),
            (None, None) if suite.is_some() => false,
            (None, None) => {
                // Without a time limit, candidates that keep their processes have blocks, which are more exact.
                let hurries = self.length.most.is_some() || self.sampling.fresh;
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
            state.turns = best_turns(case, state.rounds, (shortest(self.sampling), self.length.case))
                .unwrap_or(state.turns);
        }
        if let Some(suite) = suite {
            // The time of a look grows with the square of the number of values.
            let basis = Look::basis(case);
            if state.basis != basis {
                (state.look, state.basis) = (Look::of(case, &suite), basis);
            }
            let looks: Vec<Option<Look>> = self.cases.iter().map(|state| state.look).collect();
            for (state, judged) in self.cases.iter_mut().zip(judged(&looks, &suite)) {
                state.settled = judged.is_some_and(|judged| judged.is_settled);
                state.waits = judged.is_some_and(|judged| judged.waits);
                let is_changed = judged.is_some_and(|judged| judged.finding == Finding::Changed);
                state.changed = is_changed && suite.gate.is_none();
                state.further = judged.map_or(f64::INFINITY, |judged| judged.further);
            }
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

    /// Returns the time of the whole of a case without a fixed number of rounds, if that is known.
    fn whole(&self, c: usize) -> Option<Duration> {
        let state = &self.cases[c];
        let least = state.mean() * state.least as u32;
        (!self.length.looks()).then(|| self.length.case.max(least))
    }

    /// Returns the time that a case still takes, of its whole time or for its number of rounds.
    fn left_of(&self, c: usize, whole: Duration) -> Duration {
        let state = &self.cases[c];
        match (state.ended, state.most) {
            (true, _) => Duration::ZERO,
            (_, Some(most)) => state.mean() * (most - state.rounds) as u32,
            (_, None) => whole.saturating_sub(state.spent),
        }
    }

    /// Returns the part of the run that is done, the time left, and the words for it, with `within` of a round of a
    /// case done.
    pub(super) fn progress(&self, c: usize, within: f64, elapsed: Duration) -> (f64, Duration, String) {
        let round = self.cases[c].rounds + 1;
        let words = match self.cases[c].most {
            Some(most) => format!("round {round} of {most}"),
            None => format!("round {round}"),
        };
        let done = self.cases.iter().filter(|state| state.settled || state.ended).count();
        let words = match self.length.settles() {
            Some(_) => format!("{done} of {} done, {words}", self.cases.len()),
            None => words,
        };
        let all: Duration = self.cases.iter().map(State::mean).sum();
        let known = self.cases.iter().filter(|state| state.rounds > 0).count().max(1) as u32;
        let left_of = |c: usize| {
            let state = &self.cases[c];
            match state.most {
                Some(most) if state.rounds == 0 && !state.ended => all / known * most as u32,
                _ => self.left_of(c, self.whole(c).unwrap_or(Duration::ZERO)),
            }
        };
        let left: Duration = (0..self.cases.len()).map(left_of).sum();
        let left = left.saturating_sub(self.cases[c].mean().mul_f64(within));
        // It is not known when an interval is narrow enough, nor, before the first round, how long a number of rounds
        // is.
        let is_first = self.cases.iter().all(|state| state.rounds == 0);
        let unknown = self.length.looks() || is_first && self.cases.iter().any(|state| state.most.is_some());
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
        // A suite says of each benchmark what is missing.
        let seconds =
            self.length.most.filter(|_| self.over && self.length.settles().is_none())?.as_secs_f64();
        let least = |state: &State| match self.length.until {
            Some(_) => LEAST_ROUNDS_TO_LOOK,
            None => state.least,
        };
        let wanted = |state: &State| state.most.unwrap_or(least(state));
        let short = self.cases.iter().filter(|state| state.rounds < wanted(state));
        let over = format!("the {seconds} s were over");
        match (short.min_by_key(|state| state.rounds), self.length.until) {
            (Some(State { most: Some(most), rounds, .. }), _) => {
                Some(format!("{over} after {rounds} of {most} rounds"))
            }
            (Some(state), _) => {
                let (rounds, least) = (state.rounds, least(state));
                let s = if rounds == 1 { "" } else { "s" };
                Some(format!("{over} after {rounds} round{s} of a case: an interval needs {least}"))
            }
            (None, Some(until)) => Some(format!("{over} before each ratio was known to {} %", 100.0 * until)),
            (None, None) => None,
        }
    }

    /// Returns why rounds are missing if the user stopped the run.
    pub(super) fn interrupted(&self, c: usize) -> String {
        let state = &self.cases[c];
        match state.most {
            Some(most) => format!("interrupted in round {} of {most}", state.rounds + 1),
            None => format!("interrupted in round {}", state.rounds + 1),
        }
    }
}

impl State {
    /// Returns the mean time of a round, without the first if there are more; 0 before the first.
    fn mean(&self) -> Duration {
        match self.rounds {
            0 | 1 => self.spent,
            rounds => self.spent.saturating_sub(self.first) / (rounds - 1) as u32,
        }
    }

    /// Returns the time of the rounds that it still needs for an interval.
    fn until_interval(&self) -> Duration {
        let needed = self.most.unwrap_or(self.least);
        self.mean() * needed.saturating_sub(self.rounds) as u32
    }
}

/// Returns the number of rounds after which a case ends at the latest: of counts as many as an interval needs, if
/// they vary.
fn most_rounds(case: &CasePlan, length: &Length) -> Option<usize> {
    // A round of counts is a replicate.
    let counted = || Some(length.rounds.unwrap_or(LEAST_REPLICATES).min(LEAST_REPLICATES));
    if case.measure.is_time() { length.rounds } else { counted() }
}

/// Returns the number of rounds after which a case can have an interval.
fn least_rounds(case: &CasePlan, length: &Length) -> usize {
    let has_layouts = case.entries.iter().any(|entry| !entry.layouts.is_empty());
    rounds_for_interval(length.settles().is_some(), has_layouts)
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

/// Returns the minimum time of the turns of a round, if it is chosen.
fn shortest(sampling: &Sampling) -> Duration {
    SHORTEST.min((sampling.sample() * MOST_SAMPLES).max(SHORTEST_OF_SHORT))
}

/// Returns the time in which entries take turns in the first rounds.
fn first_turns(sampling: &Sampling, length: &Length) -> Duration {
    match (sampling.round_ms, length.rounds) {
        (Some(ms), _) => Duration::from_millis(ms),
        (None, Some(_)) => USUAL,
        (None, None) => (length.case / (8 * WANTED_ROUNDS)).clamp(shortest(sampling), USUAL),
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
    let most = most_rounds(case, length);
    match most
        .map(|most| if case.measure.is_time() { most } else { most.min(stats::equal_rounds(&case.measure)) })
    {
        Some(most) => round * u32::try_from(most).unwrap_or(u32::MAX),
        None if length.until.is_some() => round * LEAST_ROUNDS as u32,
        None => length.case.max(least * LEAST_ROUNDS as u32),
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

/// Returns whether each ratio to the baseline is known to `until`, or known not to be 1.
fn is_known(case: &Case, until: f64) -> bool {
    let baseline = &case.entries[case.baseline];
    let narrow = |estimate: &Estimate| {
        estimate.interval.is_some_and(|i| (i.high - i.low) / 2.0 <= until * estimate.value)
    };
    if !stats::is_look(stats::blocks(case).unwrap_or(baseline.replicates.len())) {
        return false;
    }
    let others = case.entries.iter().enumerate().filter(|(r, _)| *r != case.baseline);
    // An entry that failed has no ratio, and never will. One that is too near to the start of the shell may have one
    // later.
    let failed = |entry: &Entry| entry.failure.is_some();
    let later = !failed(baseline) && case.shell_start().is_some_and(|start| !failed(start));
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
/// mc), which is smallest at m = √(πv/2b · s/c). (The median of m pairs has π/2 times the variance of their mean.)
/// It is shorter if the rounds that are wanted, or a block of each memory layout, would not fit into the time.
fn best_turns(case: &Case, rounds: usize, (least, whole): (Duration, Duration)) -> Option<Duration> {
    let cost = case.cost.filter(|cost| cost.turns > 0)?;
    let noise = stats::noise(case)?;
    let pair = cost.turns_ns as f64 / cost.turns as f64;
    let starts = cost.rounds_ns.saturating_sub(cost.turns_ns).saturating_sub(cost.prepared_ns);
    let start = starts as f64 / rounds as f64;
    let best = (std::f64::consts::FRAC_PI_2 * noise.within * pair * start / noise.between.max(1e-12)).sqrt();
    let wanted = (WANTED_ROUNDS as usize).max(BLOCK * case.layouts());
    let fits = (whole.as_secs_f64() * 1e9 / wanted as f64 - start).max(0.0);
    let time = Duration::from_secs_f64(best.min(fits).clamp(0.0, 1e12) / 1e9);
    Some(time.clamp(least, LONGEST))
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng;
    use rand_distr::{Distribution, Normal};

    use crate::record::{Failure, FailureKind, Measure, Suite, Summary};
    use crate::stats::many::{Border, Finding};

    use super::*;

    /// A case of which this number of rounds is done, each in `mean`.
    fn done(rounds: usize, mean: Duration) -> State {
        State {
            most: None,
            least: LEAST_ROUNDS,
            rounds,
            spent: mean * rounds as u32,
            first: mean.min(mean * rounds as u32),
            turns: Duration::ZERO,
            starts: Duration::ZERO,
            groups: 1,
            chosen: true,
            single: false,
            ended: false,
            look: None,
            basis: None,
            settled: false,
            waits: false,
            changed: false,
            further: f64::INFINITY,
        }
    }

    /// What is said if the time of a run was over after these rounds of its cases, each with its largest number.
    fn missing(rounds: &[(usize, Option<usize>)], until: Option<f64>, over: bool) -> Option<String> {
        let length = Length {
            rounds: None,
            case: Duration::MAX,
            until,
            suite: None,
            most: Some(Duration::from_secs(30)),
        };
        let state = |&(rounds, most)| State { most, ended: true, ..done(rounds, Duration::ZERO) };
        let cases = rounds.iter().map(state).collect();
        Schedule { length, sampling: &Sampling::default(), cases, over, sweep: None }.missing()
    }

    #[test]
    fn a_round_has_20_samples_or_20_ms() {
        let ms = |sample_ms| shortest(&Sampling { sample_ms, ..Sampling::default() }).as_millis();
        assert_eq!([20.0, 4.0, 2.0, 1.0, 0.25].map(ms), [80, 80, 40, 20, 20]);
    }

    #[test]
    fn a_bar_is_full_at_the_end_alone() {
        let second = Duration::from_secs(1);
        let sampling = Sampling::default();
        // The share that is done and the seconds left, with half of a round done, after two seconds.
        let progress = |length: Length, cases: &[(Option<usize>, usize)]| {
            let state = |&(most, rounds)| State { most, turns: second, ..done(rounds, second) };
            let cases = cases.iter().map(state).collect();
            let schedule = Schedule { length, sampling: &sampling, cases, over: false, sweep: None };
            let (done, left, words) = schedule.progress(0, 0.5, 2 * second);
            (done, left.as_secs_f64(), words)
        };
        let length = |until, most| Length { rounds: None, case: 10 * second, until, suite: None, most };
        let timed = length(None, None);
        let words = |text: &str| text.to_owned();
        // A number of rounds, also if there are counts alone.
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
    fn the_first_block_ends_after_a_round_if_the_time_is_over() {
        let sampling = Sampling::default();
        let seconds = Duration::from_secs;
        let has_all = |rounds, most: Option<u64>, elapsed| {
            let length =
                Length { rounds: None, case: seconds(10), until: None, suite: None, most: most.map(seconds) };
            let cases = vec![done(rounds, Duration::ZERO)];
            Schedule { length, sampling: &sampling, cases, over: false, sweep: None }
                .has_all_it_gets(0, seconds(elapsed))
        };
        assert!(has_all(1, Some(2), 2) && !has_all(1, Some(2), 1) && !has_all(1, None, 100));
        // A later block is only begun if it fits.
        assert!(!has_all(3, Some(2), 5));
    }

    #[test]
    fn long_samples_of_fresh_processes_are_single() {
        let samples = |fresh: bool, cycle_ms: u64| {
            let sampling = Sampling { fresh, ..Sampling::default() };
            let length = Length { rounds: None, case: Duration::MAX, until: None, suite: None, most: None };
            let turns = Duration::from_millis(500);
            let state = State { turns, ..done(0, Duration::ZERO) };
            let schedule =
                Schedule { length, sampling: &sampling, cases: vec![state], over: false, sweep: None };
            schedule.samples(0, true, Duration::from_millis(cycle_ms))
        };
        assert_eq!([10, 90, 101, 200, 400, 900].map(|ms| samples(false, ms)), [50, 6, 4, 2, 2, 2]);
        assert_eq!([10, 90, 101, 200, 400, 900].map(|ms| samples(true, ms)), [50, 6, 4, 2, 1, 1]);
    }

    /// An entry with these values of its replicates.
    fn entry(values: &[f64]) -> Entry {
        let mut entry: Entry = serde_json::from_value(serde_json::json!({ "candidate": "a", "labels": {},
            "threads": 1, "role": "candidate", "command": [], "ready": null, "digest": null, "failure": null }))
        .unwrap();
        let summary = |value: &f64| Summary { value: Some(*value), ..Summary::default() };
        entry.replicates = values.iter().map(summary).collect();
        entry
    }

    /// Runs rounds of these times until the time is over; returns the number of rounds of each case, and the time.
    fn played(seconds: u64, means: &[u64]) -> (Vec<usize>, u64) {
        let (sampling, ms) = (Sampling { fresh: true, ..Sampling::default() }, Duration::from_millis);
        let most = Duration::from_secs(seconds);
        let length = Length {
            rounds: None,
            case: most / means.len() as u32,
            until: None,
            suite: None,
            most: Some(most),
        };
        let cases = means.iter().map(|_| done(0, Duration::ZERO)).collect();
        let mut schedule = Schedule { length, sampling: &sampling, cases, over: false, sweep: None };
        let mut elapsed = Duration::ZERO;
        while let Some(c) = schedule.next(elapsed) {
            for _ in 0..schedule.block(c) {
                elapsed += ms(means[c]);
                schedule.count_round(c, ms(means[c]));
                if schedule.has_all_it_gets(c, elapsed) {
                    break;
                }
            }
            schedule.learn(c, &Case { entries: vec![entry(&[])], ..Case::default() });
        }
        (schedule.cases.iter().map(|state| state.rounds).collect(), elapsed.as_millis() as u64)
    }

    #[test]
    fn as_many_cases_as_possible_have_an_interval_in_the_time() {
        // One case: as many rounds as fit, and at most a tenth more for the last rounds of the interval.
        assert_eq!(played(6, &[500]), (vec![12], 6_000));
        assert_eq!(played(6, &[800]), (vec![8], 6_400));
        assert_eq!(played(6, &[850]).0, [7]);
        assert_eq!(played(6, &[20_000]), (vec![1], 20_000));
        // All of them fit, though one needs more than its share.
        let (rounds, time) = played(20, &[1_500, 100, 100, 100]);
        assert!(rounds.iter().all(|rounds| *rounds >= LEAST_ROUNDS) && time <= 22_000, "{rounds:?}");
        // Two of them do not fit: the others have an interval, and these a round.
        let (rounds, time) = played(20, &[3_000, 400, 500, 3_000]);
        assert!(rounds[1] >= LEAST_ROUNDS && rounds[2] >= LEAST_ROUNDS && rounds[0] >= 2, "{rounds:?}");
        assert!(time <= 22_000, "{time}");
    }

    /// How benchmarks are judged with this threshold.
    fn within(threshold: f64) -> Suite {
        Suite { threshold, ..Suite::default() }
    }

    /// Runs a suite of benchmarks, each with the time of its rounds, until it is settled or the time is over; `ratio`
    /// is the ratio of the revisions of a benchmark in a block. Returns the schedule, and the time.
    fn played_suite<'a>(
        (seconds, suite): (u64, Suite),
        sampling: &'a Sampling,
        times: &[u64],
        mut ratio: impl FnMut(usize, usize) -> f64,
    ) -> (Schedule<'a>, u64) {
        let most = Duration::from_secs(seconds);
        let case = most / times.len() as u32;
        let length = Length { rounds: None, case, until: None, suite: Some(suite), most: Some(most) };
        let state = |_| State { least: LEAST_ROUNDS_TO_LOOK, ..done(0, Duration::ZERO) };
        let cases = times.iter().map(state).collect();
        let mut schedule = Schedule { length, sampling, cases, over: false, sweep: None };
        let mut measured = vec![Vec::new(); times.len()];
        let mut elapsed = Duration::ZERO;
        while let Some(c) = schedule.next(elapsed) {
            for _ in 0..schedule.block(c) {
                elapsed += Duration::from_millis(times[c]);
                schedule.count_round(c, Duration::from_millis(times[c]));
            }
            let block = measured[c].len();
            measured[c].push(ratio(c, block));
            let entries = vec![entry(&vec![1.0; measured[c].len()]), entry(&measured[c])];
            let case = Case { entries, sequential: true, ..Case::default() };
            schedule.learn(c, &case);
            assert_eq!(schedule.cases[c].look, Look::of(&case, &suite));
        }
        assert_eq!(schedule.missing(), None);
        (schedule, elapsed.as_millis() as u64)
    }

    /// Returns the number of rounds of benchmarks with these times of a round, ratios of the revisions and noises, and
    /// the time.
    fn rounds_of_suite(seconds: u64, benchmarks: &[(u64, f64, f64)]) -> (Vec<usize>, u64) {
        let times: Vec<u64> = benchmarks.iter().map(|one| one.0).collect();
        let sampling = Sampling::default();
        let (schedule, time) = played_suite((seconds, within(0.02)), &sampling, &times, |c, block| {
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
        assert_eq!((rounds, time), (vec![LEAST_ROUNDS_TO_LOOK; 20], 36_000));
        // The rest of the time is for those that are open.
        let (rounds, time) = rounds_of_suite(120, &[quiet, noisy, quiet, (400, 1.019, 0.02), quiet]);
        assert_eq!([rounds[0], rounds[2], rounds[4]], [LEAST_ROUNDS_TO_LOOK; 3]);
        assert!(rounds[1] + rounds[3] > 250 && time > 118_000, "{rounds:?} {time}");
        // A change that is sure by itself waits for the correction: a p value of 5 in 2⁹ is not enough for one of 20.
        let changed = (100, 1.05, 0.003);
        let mut suite = vec![quiet; 20];
        suite[7] = changed;
        let (rounds, _) = rounds_of_suite(300, &suite);
        assert!((20..50).contains(&rounds[7]) && rounds[8] == LEAST_ROUNDS_TO_LOOK, "{rounds:?}");
        assert_eq!(rounds_of_suite(300, &[changed]).0, [LEAST_ROUNDS_TO_LOOK]);
        // If the time is short, as many as possible have a look.
        let (rounds, time) = rounds_of_suite(20, &[quiet, (5_000, 1.0, 0.003), quiet, quiet]);
        assert!(
            rounds[1] <= BLOCK && rounds[0] == LEAST_ROUNDS_TO_LOOK && time < 22_000,
            "{rounds:?} {time}"
        );
        // A change that waits too long for its correction is one of many again.
        let sampling = Sampling::default();
        let (mut schedule, _) = played_suite((300, within(0.02)), &sampling, &[100; 2], |_, _| 1.0);
        let waiting =
            |rounds, waits| State { rounds, waits, further: 9.0, ..done(20, Duration::from_millis(100)) };
        for (rounds, next) in [(20, 0), (WAITING * LEAST_ROUNDS, 1)] {
            schedule.cases = vec![waiting(rounds, true), State { further: 1.0, ..waiting(20, false) }];
            assert_eq!(schedule.next(Duration::from_secs(9)), Some(next), "{rounds}");
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

    /// A hundred benchmarks have three seconds each, of which the first look takes 2.7. Of five that change by 2 %,
    /// with noise of 0.4 % in a block, all are found in the rest.
    #[test]
    fn what_changed_is_found_in_a_short_time() {
        let mut random = ChaCha12Rng::seed_from_u64(20_261_127);
        let normal = Normal::new(0.0, 0.004).unwrap();
        let factor = |c: usize| if c.is_multiple_of(20) { 1.02 } else { 1.0 };
        let sampling = Sampling::default();
        let (schedule, time) = played_suite((300, within(0.01)), &sampling, &[150; 100], |c, _| {
            let noise: f64 = normal.sample(&mut random);
            factor(c) * noise.exp()
        });
        let looks: Vec<Option<Look>> = schedule.cases.iter().map(|state| state.look).collect();
        let suite = schedule.length.suite.unwrap();
        let found: Vec<usize> = judged(&looks, &suite)
            .into_iter()
            .enumerate()
            .filter(|(_, judged)| judged.is_some_and(|judged| judged.finding == Finding::Changed))
            .map(|(c, _)| c)
            .collect();
        assert_eq!(found, [0, 20, 40, 60, 80]);
        assert!(time <= 300_000, "{time}");
    }

    /// Benchmarks that are clearly beyond the threshold of 1 % go on until each is on one side of the gate, at 5 %: all
    /// that become 4 % slower are. Without the gate, time ends for them before that.
    #[test]
    fn a_gate_beyond_the_threshold_is_decided() {
        let mut random = ChaCha12Rng::seed_from_u64(20_261_127);
        let normal = Normal::new(0.0, 0.01).unwrap();
        let sampling = Sampling::default();
        let mut decided = |gate: Option<Border>, factor: f64| {
            let suite = Suite { gate, ..within(0.01) };
            let (schedule, time) = played_suite((300, suite), &sampling, &[100; 10], |_, _| {
                let noise: f64 = normal.sample(&mut random);
                factor * noise.exp()
            });
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
    fn benchmarks_that_share_processes_come_in_their_order() {
        let (ms, sampling) = (Duration::from_millis, Sampling::default());
        let most = Some(ms(3 * 3000));
        let length = Length { rounds: None, case: ms(3000), until: None, suite: Some(within(0.02)), most };
        let state = |rounds| State { least: LEAST_ROUNDS_TO_LOOK, ..done(rounds, ms(100)) };
        let cases = vec![state(2), state(0), state(0), state(0)];
        let mut schedule = Schedule { length, sampling: &sampling, cases, over: false, sweep: None };
        // 18 rounds in 3 s.
        assert!(schedule.is_slow_to_prepare(0, ms(167)) && !schedule.is_slow_to_prepare(0, ms(166)));
        let mut rounds = schedule.length;
        rounds.rounds = Some(8);
        let given = Schedule { length: rounds, cases: vec![state(0); 2], ..schedule.clone() };
        assert!(given.is_slow_to_prepare(0, ms(1001)) && !given.is_slow_to_prepare(0, ms(1000)));
        let one = Schedule { cases: vec![state(0)], ..schedule.clone() };
        assert!(!one.is_slow_to_prepare(0, ms(5000)), "nothing to share");
        schedule.share(0, ms(2000));
        let next = |schedule: &mut Schedule<'_>, elapsed| {
            let next = schedule.next(ms(elapsed));
            for c in next.into_iter().flat_map(|c| [c; BLOCK]) {
                schedule.count_round(c, ms(100));
            }
            next
        };
        // The others have their first block also if the time is over.
        let mut over = schedule.clone();
        assert_eq!([10_000; 4].map(|elapsed| next(&mut over, elapsed)), [Some(1), Some(2), Some(3), None]);
        assert_eq!([3000; 3].map(|elapsed| next(&mut schedule, elapsed)), [Some(1), Some(2), Some(3)]);
        assert_eq!([3000; 3].map(|elapsed| next(&mut schedule, elapsed)), [Some(0), Some(1), Some(2)]);
        schedule.cases[3].settled = true;
        schedule.cases[1].settled = true;
        assert_eq!([3000; 3].map(|elapsed| next(&mut schedule, elapsed)), [Some(0), Some(2), Some(0)]);
        // One that can wait does, as long as others go on.
        schedule.cases[2].changed = true;
        assert_eq!(next(&mut schedule, 3000), Some(0));
        schedule.cases[0].settled = true;
        assert_eq!(next(&mut schedule, 3000), Some(2));
        schedule.cases[0].settled = false;
        schedule.cases[2].changed = false;
        // A sweep goes on until the time is over; a new one needs time for its starts too.
        let mut last = schedule.clone();
        assert_eq!((next(&mut last, 6_800), next(&mut last, 6_900)), (Some(0), Some(2)));
        assert_eq!((next(&mut last, 6_801), last.over, last.is_open(0)), (None, true, false));
        // An interval may exceed the time by a tenth.
        schedule.cases[2].rounds = LEAST_ROUNDS_TO_LOOK - BLOCK;
        schedule.sweep = Some(Sweep { at: 3, starts: ms(2000) });
        assert_eq!((next(&mut schedule.clone(), 7_700), next(&mut schedule, 7_701)), (Some(0), None));
    }

    #[test]
    fn a_benchmark_that_failed_in_one_revision_ends() {
        let suite = Some(within(0.02));
        let seconds = Duration::from_secs;
        let length = Length { rounds: None, case: seconds(5), until: None, suite, most: Some(seconds(10)) };
        let cases = vec![done(0, Duration::ZERO), done(0, Duration::ZERO)];
        let mut schedule =
            Schedule { length, sampling: &Sampling::default(), cases, over: false, sweep: None };
        schedule.count_round(0, seconds(1));
        let failure = Failure { kind: FailureKind::Crash, why: String::new(), stderr: String::new() };
        let failed = Entry { failure: Some(failure), ..entry(&[]) };
        schedule.learn(0, &Case { entries: vec![entry(&[1.0]), failed], ..Case::default() });
        schedule.count_round(1, seconds(1));
        assert_eq!(schedule.next(seconds(2)), Some(1));
        assert!(
            schedule.cases[0].ended && schedule.progress(1, 0.0, seconds(2)).2.starts_with("1 of 2 done, ")
        );
    }

    #[test]
    fn rounds_are_shorter_if_the_time_is() {
        let samples = |case_ms: u64, starts_ms: u64, cycle_ms: u64, fresh: bool| {
            let ms = Duration::from_millis;
            let sampling = Sampling { fresh, ..Sampling::default() };
            let length = Length { rounds: None, case: ms(case_ms), until: None, suite: None, most: None };
            let (turns, starts) = (ms(500), ms(starts_ms));
            let cases = vec![State { turns, starts, ..done(2, ms(100)) }];
            Schedule { length, sampling: &sampling, cases, over: false, sweep: None }.samples(
                0,
                true,
                ms(cycle_ms),
            )
        };
        assert_eq!(samples(10_000, 0, 20, false), 26);
        assert_eq!(samples(2_500, 50, 20, false), 10);
        assert_eq!(samples(2_500, 200, 20, false), 2);
        assert_eq!(samples(3_000, 0, 90, true), 4);
        assert_eq!(samples(1_000, 0, 90, true), 1);
    }

    #[test]
    fn each_layout_has_a_block_in_the_time() {
        let case = |layouts: usize| {
            // Processes are alike and samples are not, so that long rounds would be best.
            let rounds = |factor: u64| {
                serde_json::json!(vec![
                    [100, 140, 120, 180].map(|time| {
                        serde_json::json!({ "iterations": 1, "elapsed_ns": factor * time })
                    });
                    8
                ])
            };
            let entry = |factor: u64| {
                let mut entry = entry(&[1.0]);
                entry.rounds = serde_json::from_value(rounds(factor)).unwrap();
                entry.rounds.iter_mut().for_each(|round| round.rotate_left(factor as usize));
                entry.layouts = vec!["a".to_owned(); layouts];
                entry
            };
            let cost = serde_json::json!({ "rounds_ns": 16_000_000, "turns_ns": 8_000_000, "turns": 32,
                "refill_ns": 0, "measured_ns": 0, "steal_ns": 0 });
            let cost = serde_json::from_value(cost).unwrap();
            Case { entries: vec![entry(1), entry(2)], cost: Some(cost), ..Case::default() }
        };
        let turns =
            |layouts: usize| best_turns(&case(layouts), 8, (SHORTEST, Duration::from_secs(12))).unwrap();
        // 12 s / 24 and 12 s / 60, without 1 ms for the starts of a round.
        assert_eq!((turns(0), turns(30)), (Duration::from_millis(499), Duration::from_millis(199)));
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
        // Counts of the processor and the kernel may be the same by chance.
        for measure in ["page-faults", "cycles", "branch-misses", "cache-misses"] {
            assert!(!exact(measure, [&[5.0; 7], &[6.0; 7]]) && exact(measure, [&[5.0; 8], &[6.0; 8]]));
        }
        assert!(!exact("time", [&[5.0, 5.0], &[6.0, 6.0]]) && !exact("own-time", [&[5.0, 5.0], &[6.0, 6.0]]));
    }

    #[test]
    fn a_ratio_is_known_when_it_is_without_the_start_of_the_shell() {
        let entry = |candidate: &str, role: &str, centre: u64, step: u64| -> Entry {
            let rounds: Vec<_> = (0..54)
                .map(|i| serde_json::json!([{ "iterations": 1, "elapsed_ns": centre + i * step % 41 }]))
                .collect();
            serde_json::from_value(serde_json::json!({ "candidate": candidate, "labels": {}, "threads": 1,
                "role": role, "command": [], "ready": null, "digest": null, "failure": null, "rounds": rounds }))
            .unwrap()
        };
        let start = entry(crate::record::SHELL_START, "limit", 9_000, 11);
        let entries = vec![entry("a", "candidate", 10_000, 5), entry("b", "candidate", 10_000, 7), start];
        let known = |entries: &[Entry]| {
            let mut case = Case { entries: entries.to_vec(), sequential: true, ..Case::default() };
            stats::summarize(&mut case);
            case.entries.iter_mut().for_each(|entry| entry.replicates.truncate(27));
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
            missing(&[(16, None), (7, None)], None, true),
            said("after 7 rounds of a case: an interval needs 8")
        );
        assert_eq!(missing(&[(20, Some(20)), (5, Some(20))], None, true), said("after 5 of 20 rounds"));
        assert_eq!(
            missing(&[(16, None)], Some(0.005), true),
            said("after 16 rounds of a case: an interval needs 18")
        );
        assert_eq!(missing(&[(18, None)], Some(0.005), true), said("before each ratio was known to 0.5 %"));
    }
}
