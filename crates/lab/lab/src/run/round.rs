//! One round of one case: its entries start, take turns sample by sample, and end.

use std::path::Path;
use std::time::{Duration, Instant};

use num_integer::lcm;
use parcrypt_protocol::Ready;

use super::{Probe, Running, what};
use crate::Watch;
use crate::candidate::{Candidate, CandidateError};
use crate::leftover::ProgramCopy;
use crate::plan::{EntryPlan, Sampling};
use crate::record::{Failure, FailureKind, Measure, Sample};
use crate::stats::BLOCK;

/// The user has stopped the run.
pub(super) struct Interrupted;

/// What the first round finds out about an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    iterations: Iterations,
    /// Iterations that fill a sample, before they are rounded up.
    exact: f64,
    /// Time of a sample, with the preparation of its iterations.
    time: Duration,
    /// Whether it uses processor time while it waits, and must be stopped.
    busy: bool,
    /// Greatest memory of its processes in bytes.
    memory: u64,
    /// Whether its first thread does all work, so that it can stay on one processor.
    one_thread: bool,
}

impl Known {
    /// Returns what a probe found out about an entry whose iterations are processes of their own and so long that a
    /// sample has one of them; `None` for any other entry.
    pub(super) fn of_probe(sampling: &Sampling, probe: &Probe) -> Option<Known> {
        /// A command may be this slow only because it ran for the first time.
        const LONG: Duration = Duration::from_millis(50);
        let (_, once) = *probe.found.as_ref().ok()?;
        let wanted = sampling.sample();
        (sampling.fresh && once >= LONG.max(wanted)).then(|| Known {
            iterations: Iterations::with_extra(1, 0.0),
            exact: wanted.as_secs_f64() / once.as_secs_f64(),
            time: probe.request.max(once),
            busy: false,
            memory: 0,
            one_thread: false,
        })
    }
}

/// Iterations of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Iterations {
    /// Those that count.
    counted: u64,
    /// Those that are run: more if the plan plants a slowdown.
    run: u64,
    /// Those that are run before, to refill caches and predictors after the turn of another candidate. They are not
    /// measured: a sixteenth of a sample, or of a millisecond if that is longer; none if one iteration fills both.
    refill: u64,
    /// Those with which a process of a later round begins: a quarter of the same.
    warm_up: u64,
}

/// The entries of a group in one round, each with its process as long as it lives.
struct Group<'r, 'run> {
    case: usize,
    entries: &'r [usize],
    running: Vec<Option<Candidate<'run>>>,
    /// Whether all are asked to refill their caches and for a sample at once.
    at_once: bool,
}

/// A candidate that is ready for its turns.
struct Started<'run> {
    one: Candidate<'run>,
    ready: Ready,
    known: Known,
    /// Digest of the output after the warm-up of the first round, if there was one.
    digest: Option<String>,
}

impl<'a> Running<'a> {
    /// Runs the groups of entries that are alive at once, one after the other, in an order that changes from round to
    /// round.
    pub(super) fn groups(
        &mut self,
        c: usize,
        input: Option<&Path>,
        watch: &mut dyn Watch,
    ) -> Result<(), Interrupted> {
        let groups = self.matrix.cases[c].groups();
        let all = self.matrix.cases[c].entries.len() as f64;
        let mut done = 0.0;
        for group in start_order(groups.len(), self.schedule.round(c)) {
            let entries = &groups[group];
            let part = entries.len() as f64 / all;
            let running = entries.iter().map(|_| None).collect();
            let mut group = Group { case: c, entries, running, at_once: false };
            self.placement.choose_home(self.schedule.round(c));
            self.start(&mut group, (done, part / 3.0), input, watch)?;
            group.at_once = self.matrix.cases[c].measure.is_time() && self.at_once(&group);
            self.turns(&mut group, (done + part / 3.0, part * 2.0 / 3.0), watch)?;
            self.end(group, watch)?;
            done += part;
        }
        Ok(())
    }

    fn report_progress(&self, watch: &mut dyn Watch, c: usize, within: f64, text: &str) {
        let (done, left, words) = self.schedule.progress(c, within, self.begun.elapsed());
        watch.progress(done, left, &format!("{words}: {text}"));
    }

    /// Starts all entries of a group. `done` and `part` are the parts of the round before and in this.
    fn start(
        &mut self,
        group: &mut Group<'_, 'a>,
        (done, part): (f64, f64),
        input: Option<&Path>,
        watch: &mut dyn Watch,
    ) -> Result<(), Interrupted> {
        let (c, round) = (group.case, self.schedule.round(group.case));
        let case = &self.matrix.cases[c];
        let limit = Duration::from_secs(self.plan.sampling().limit_s);
        let shuffled = self.shuffled(group);
        // The process that starts first may get better memory, such as huge pages; the order spreads this over all
        // entries.
        for (step, place) in start_order(group.entries.len(), round).into_iter().enumerate() {
            let r = group.entries[place];
            let entry = &case.entries[r];
            if self.record.cases[c].entries[r].failure.is_some() {
                continue;
            }
            let within = done + part * step as f64 / group.entries.len() as f64;
            self.report_progress(watch, c, within, &format!("starting {}", what(case, entry)));
            let processors = self.placement.processors(entry.threads, round).filter(|_| !entry.binds_itself);
            if let Some(mut one) = self.kept.remove(&(c, r)) {
                processors.iter().for_each(|processors| one.bind(processors));
                let busy = self.known.get(&(c, r)).is_some_and(|known| known.busy);
                let ready = one.begin_turns(busy).map(|()| one);
                group.running[place] = self.settle(c, r, ready, watch)?;
                self.record.cases[c].entries[r].processors.extend(processors);
                continue;
            }
            let bound = (&self.placement, processors.as_deref());
            let planned = entry.in_block(round / BLOCK);
            let started = Candidate::start(&planned, &self.plan.folder, bound, limit, self.stop)
                .and_then(|one| self.prepared(one, (c, r), input));
            if let Some(Started { one, mut ready, known, digest }) = self.settle(c, r, started, watch)? {
                let entry = &mut self.record.cases[c].entries[r];
                entry.digest = entry.digest.take().or(digest);
                let before = std::mem::take(&mut ready.phases);
                entry.before.extend(Some(before).filter(|phases| !phases.is_empty()));
                entry.ready = Some(ready);
                entry.processors.extend(processors);
                self.known.insert((c, r), known);
                group.running[place] = Some(one);
            }
        }
        drop(shuffled);
        if round == 0 {
            self.equal_iterations(group);
        }
        self.stop_all_or_none(group, watch)
    }

    /// Prepares a case in a process, and warms it up.
    fn prepared(
        &self,
        mut one: Candidate<'a>,
        (c, r): (usize, usize),
        input: Option<&Path>,
    ) -> Result<Started<'a>, CandidateError> {
        let case = &self.matrix.cases[c];
        let entry = &case.entries[r];
        let ready = one.prepare(entry, input)?;
        let known = self.known.get(&(c, r)).copied();
        let is_first = known.is_none() && case.measure.is_time();
        let known = warm_up(&mut one, self.plan.sampling(), (&case.measure, entry), known)?;
        // The output must not depend on the number of iterations.
        let digest = if is_first { Some(one.digest()?.to_string()) } else { None };
        one.begin_turns(known.busy)?;
        Ok(Started { one, ready, known, digest })
    }

    /// Whether each entry of a group keeps to one processor, from which the lab keeps away: it is bound to one, or its
    /// first thread does all work. Else all are asked the same way, one request after the other.
    fn at_once(&self, group: &Group<'_, '_>) -> bool {
        let keeps = |(r, one): (&usize, &Candidate<'_>)| {
            let known = self.known.get(&(group.case, *r));
            let is_one = |all: &[usize]| all.len() == 1 || known.is_some_and(|known| known.one_thread);
            one.processors().is_some_and(is_one)
        };
        let mut alive =
            group.entries.iter().zip(&group.running).filter_map(|(r, one)| Some((r, one.as_ref()?)));
        alive.all(keeps)
    }

    /// Gives entries of similar speed the same number of iterations, and as many in all in each turn, because what a
    /// sample finds in the caches depends on how much the turns before it did.
    fn equal_iterations(&mut self, group: &Group<'_, '_>) {
        let c = group.case;
        let entries = &self.matrix.cases[c].entries;
        let step = group.entries.iter().map(|r| step_of(entries[*r].extra_percent)).fold(1, lcm);
        let exact = |r: &usize| Some((*r, self.known.get(&(c, *r))?.exact));
        let Sampling { fresh, sample_ms, .. } = *self.plan.sampling();
        // Waking or stopping threads, or a request by itself, would be a large part of a shorter sample.
        let busy = |r: &usize| self.known.get(&(c, *r)).is_some_and(|known| known.busy);
        let may_be_short = self.at_once(group) && !group.entries.iter().any(busy);
        let part = if may_be_short { (sample_ms / SHORTEST.as_millis() as f64).min(1.0) } else { 1.0 };
        for similar in similar(group.entries.iter().filter_map(exact).collect(), fresh) {
            let exact = if fresh { similar[0].1 } else { middle(&similar) };
            let common = whole(exact * part).next_multiple_of(step);
            let equal = |(r, _): &(usize, f64)| Iterations::with_extra(common, entries[*r].extra_percent);
            let most = similar.iter().map(|one| equal(one).run).max().unwrap_or(0);
            for one in similar {
                let r = one.0;
                let Some(known) = self.known.get_mut(&(c, r)) else { continue };
                let before =
                    std::mem::replace(&mut known.iterations, equal(&one).in_turn_of(most, whole(exact)));
                let now = known.iterations.run + known.iterations.refill;
                known.time = known.time.mul_f64(now as f64 / before.run.max(1) as f64);
            }
        }
    }

    /// Stops all entries of a group between their turns if one of them has to be, because a stop changes the state
    /// in which the next turn begins.
    fn stop_all_or_none(
        &mut self,
        group: &mut Group<'_, 'a>,
        watch: &mut dyn Watch,
    ) -> Result<(), Interrupted> {
        let c = group.case;
        let alive = |r: &usize| self.record.cases[c].entries[*r].failure.is_none();
        let busy = |r: &usize| alive(r) && self.known.get(&(c, *r)).is_some_and(|known| known.busy);
        if !group.entries.iter().any(busy) {
            return Ok(());
        }
        for (place, &r) in group.entries.iter().enumerate() {
            let Some(mut one) = group.running[place].take() else { continue };
            let stopped = one.begin_turns(true).map(|()| one);
            group.running[place] = self.settle(c, r, stopped, watch)?;
        }
        Ok(())
    }

    /// Returns memory in use of a length that differs from block to block, up to the length for the group's entries.
    ///
    /// A process gets the pages that another has just freed, so that without this the same pages serve a whole run, in
    /// the same order, and every block has the same luck.
    fn shuffled(&self, group: &Group<'_, '_>) -> Vec<u8> {
        const PAGE: usize = 4096;
        const MOST: u64 = 256 << 20;
        let round = self.schedule.round(group.case);
        let known = group.entries.iter().filter_map(|r| self.known.get(&(group.case, *r)));
        let most = known.map(|known| known.memory).sum::<u64>().min(MOST);
        if !round.is_multiple_of(BLOCK) || most < 16 * PAGE as u64 {
            return Vec::new();
        }
        let length = hash(round as u64, group.case as u64) % most;
        let mut memory = vec![0; usize::try_from(length).unwrap_or(0)];
        // Only what is written gets pages.
        memory.iter_mut().step_by(PAGE).for_each(|byte| *byte = std::hint::black_box(1));
        memory
    }

    /// Takes the samples of all entries of a group.
    fn turns(
        &mut self,
        group: &mut Group<'_, 'a>,
        (done, part): (f64, f64),
        watch: &mut dyn Watch,
    ) -> Result<(), Interrupted> {
        let c = group.case;
        let case = &self.matrix.cases[c];
        let samples = self.schedule.samples(c, case.measure.is_time(), self.cycle(group));
        let begun = Instant::now();
        let round = self.schedule.round(c);
        let turns = (0..samples).flat_map(|sample| {
            let places = order(group.entries.len(), round, sample, samples).into_iter();
            let alive = places.filter(|place| group.running[*place].is_some());
            alive.map(move |place| (sample, place)).collect::<Vec<_>>()
        });
        let turns: Vec<_> = turns.collect();
        // Whether the next entry could be asked already.
        let mut asked = None;
        for (turn, &(sample, place)) in turns.iter().enumerate() {
            let within = done + part * sample as f64 / samples as f64;
            let r = group.entries[place];
            let Some(mut one) = group.running[place].take() else { continue };
            let taken = if group.at_once {
                let begun = asked.take().unwrap_or_else(|| self.ask_at_once(&mut one, (c, r)));
                self.report_progress(watch, c, within, &what(case, &case.entries[r]));
                let answer = begun.and_then(|()| self.answer_at_once(&mut one, (c, r)));
                // The next one begins; what is left to do for this one is done meanwhile.
                let next = turns.get(turn + 1).map(|(_, next)| *next).filter(|_| answer.is_ok());
                if let Some((next, other)) = next.and_then(|next| Some((next, group.running[next].as_mut()?)))
                {
                    asked = Some(self.ask_at_once(other, (c, group.entries[next])));
                }
                let counted = self.known[&(c, r)].iterations.counted;
                let sample = answer.and_then(|answer| one.sample_of(answer, counted, &case.measure));
                if next == Some(place) && sample.is_ok() {
                    asked = Some(self.ask_at_once(&mut one, (c, r)));
                }
                sample
            } else {
                self.report_progress(watch, c, within, &what(case, &case.entries[r]));
                self.turn(&mut one, (c, r), sample)
            };
            if let Some((one, sample)) = self.settle(c, r, taken.map(|sample| (one, sample)), watch)? {
                self.keep(c, r, sample);
                group.running[place] = Some(one);
            }
        }
        let cost = self.record.cases[c].cost.get_or_insert_default();
        cost.turns += samples as u64;
        cost.turns_ns += nanoseconds(begun.elapsed());
        Ok(())
    }

    /// Returns the time of a turn of all entries of a group: as it was measured, or an estimate before that.
    fn cycle(&self, group: &Group<'_, '_>) -> Duration {
        let entries = &self.record.cases[group.case].entries;
        let alive = group.entries.iter().filter(|r| entries[**r].failure.is_none());
        let known = alive.filter_map(|r| self.known.get(&(group.case, *r)));
        let estimate: Duration = known.map(|known| known.time).sum();
        let measured = |cost: &crate::record::Cost| Duration::from_nanos(cost.turns_ns / cost.turns);
        // Groups of one case differ in their number of entries and of threads, and turns in which an entry took part
        // that has failed since were longer.
        let same =
            group.entries.len() == entries.len() && entries.iter().all(|entry| entry.failure.is_none());
        let cost = self.record.cases[group.case].cost.filter(|cost| same && cost.turns > 0);
        cost.as_ref().map_or(estimate, measured).max(estimate)
    }

    /// Asks a candidate at once to refill its caches and for a sample.
    fn ask_at_once(&self, one: &mut Candidate<'a>, (c, r): (usize, usize)) -> Result<(), CandidateError> {
        let Iterations { run, refill, .. } = self.known[&(c, r)].iterations;
        one.resume();
        let all = one.processors().unwrap_or_default();
        let home = self.placement.home().filter(|home| all.contains(home)).or(all.first().copied());
        if let Some(home) = home {
            one.stay_at(home);
            self.placement.keep_off(home);
        }
        match refill {
            0 => one.begin_samples([run]),
            refill => one.begin_samples([refill, run]),
        }
    }

    /// Waits until a candidate that was asked at once has refilled its caches and taken its sample.
    fn answer_at_once(
        &mut self,
        one: &mut Candidate<'a>,
        (c, r): (usize, usize),
    ) -> Result<parcrypt_protocol::Sample, CandidateError> {
        let Iterations { run, refill, .. } = self.known[&(c, r)].iterations;
        let refilled = if refill > 0 { one.answer(refill)?.elapsed_ns } else { None };
        let response = one.answer(run)?;
        one.pause()?;
        self.count_cost(c, refilled, response.elapsed_ns);
        Ok(response)
    }

    /// Takes the sample of an entry that has this index in the round.
    fn turn(
        &mut self,
        one: &mut Candidate<'a>,
        (c, r): (usize, usize),
        sample: usize,
    ) -> Result<Sample, CandidateError> {
        let measure = &self.matrix.cases[c].measure;
        let Iterations { counted, run, refill, .. } = self.known[&(c, r)].iterations;
        one.resume();
        let mut refilled = None;
        if measure.is_time() && refill > 0 {
            // It may do all work on its first thread, which stays if it is. Others that it starts for the sample may
            // use all processors.
            let home = one.processors().map(|all| all[sample / 2 % all.len()]);
            refilled = one.at_home(home, |one| one.sample(refill, refill, measure))?.elapsed_ns;
        }
        let sample = one.sample(run, counted, measure)?;
        one.pause()?;
        self.count_cost(c, refilled, sample.elapsed_ns);
        Ok(sample)
    }

    /// Adds to the cost of a case the time for which caches were refilled and the time of a sample, in ns.
    fn count_cost(&mut self, c: usize, refilled: Option<u64>, measured: Option<u64>) {
        if self.matrix.cases[c].measure.is_time() {
            let cost = self.record.cases[c].cost.get_or_insert_default();
            cost.refill_ns += refilled.unwrap_or(0);
            cost.measured_ns += measured.unwrap_or(0);
        }
    }

    /// Asks each entry of a group for its digest and ends it.
    fn end(&mut self, group: Group<'_, 'a>, watch: &mut dyn Watch) -> Result<(), Interrupted> {
        /// Number of candidates that may wait.
        const MOST: usize = 64;
        let c = group.case;
        let (entries, mut running) = (group.entries, group.running);
        let waits = self.plan.sampling().fresh && self.matrix.entries() <= MOST;
        let ends_block = (self.schedule.round(c) + 1).is_multiple_of(BLOCK);
        let mut copies: Vec<Option<ProgramCopy>> = entries.iter().map(|_| None).collect();
        // The process that starts next gets the memory of the one that ended last. In this order the luck of its place
        // moves on to another entry, and to the other one if there are two.
        for place in start_order(entries.len(), self.schedule.round(c) + 1) {
            let r = entries[place];
            let Some(mut one) = running[place].take() else { continue };
            // The next block has a program of another layout.
            let waits = waits && (!ends_block || self.matrix.cases[c].entries[r].layouts.is_empty());
            one.resume();
            copies[place] = if waits { None } else { one.copy.take() };
            let digest = one.digest().and_then(|digest| {
                let ended = if waits { Ok(()) } else { one.quit() };
                ended.map(|()| digest.to_string())
            });
            let Some(digest) = self.settle(c, r, digest, watch)? else { continue };
            let entry = &mut self.record.cases[c].entries[r];
            if entry.digest.as_ref().is_some_and(|before| *before != digest) {
                let round = self.schedule.round(c) + 1;
                let why = format!("returned another digest in round {round} than before");
                let failure = Failure { kind: FailureKind::WrongDigest, why, stderr: String::new() };
                self.lose(c, r, failure, watch);
            } else {
                entry.digest = Some(digest);
                if waits {
                    self.kept.insert((c, r), one);
                }
            }
        }
        // Which copy gets the memory of which is drawn for each round: whatever order the system gives it out in, no
        // entry keeps the better place.
        for place in drawn(copies.len(), hash(u64::MAX - 1, self.schedule.round(c) as u64), false) {
            copies[place].take();
        }
        Ok(())
    }

    fn keep(&mut self, c: usize, r: usize, sample: Sample) {
        if let Some(round) = self.record.cases[c].entries[r].rounds.last_mut() {
            round.push(sample);
        }
    }
}

/// What a sample took, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Took {
    /// The time that is measured.
    measured: u64,
    /// The rest of the time from request to response, such as the preparation of an iteration.
    overhead: u64,
}

impl Took {
    fn min(self, other: Took) -> Took {
        Took { measured: self.measured.min(other.measured), overhead: self.overhead.min(other.overhead) }
    }

    /// Returns what it took beyond another one's part that does not grow with iterations.
    fn without(self, fixed: Took) -> Took {
        Took { overhead: self.overhead.saturating_sub(fixed.overhead), ..self }
    }

    /// Whether a sample of `wanted` ns would be too slow with its overhead.
    fn is_slow(self, wanted: u64) -> bool {
        self.overhead >= SLOWEST * wanted / 4
    }

    /// Returns by which factor this is shorter than a sample of `wanted` ns, or than one that is not too slow.
    fn factor(self, wanted: u64) -> f64 {
        let to = |most: u64, took: u64| most as f64 / took.max(1) as f64;
        to(wanted, self.measured).min(to(SLOWEST * wanted, self.overhead))
    }
}

/// The overhead of a sample is at most this many times its time; a sample is shorter, down to one iteration, if
/// that would be exceeded.
const SLOWEST: u64 = 20;

/// Iterations are counted for a sample of at least this time; a shorter one has a part of them.
const SHORTEST: Duration = Duration::from_millis(1);

/// Runs the work once to touch its memory, and finds the number of iterations that fill a sample. A case that compares
/// counts needs neither.
fn warm_up(
    one: &mut Candidate<'_>,
    sampling: &Sampling,
    (measure, entry): (&Measure, &EntryPlan),
    known: Option<Known>,
) -> Result<Known, CandidateError> {
    /// A sample up to this time is repeated, because a pause of the machine makes few iterations look long enough.
    const REPEAT: u64 = 1_000_000_000;
    /// Time up to which it is repeated further until several agree.
    const AGREE: u64 = 100_000_000;
    /// Factor of iterations after which the time must have grown at least twofold: also if an iteration has a large
    /// overhead.
    const GROWTH: u64 = 1_000_000;
    const GROWTH_OF_SLOW: u64 = 100;
    /// No work is done so often within a sample.
    const MOST: u64 = 1_000_000_000_000;
    if !measure.is_time() {
        let iterations = Iterations::with_extra(1, 0.0);
        let time = Duration::ZERO;
        return Ok(Known { iterations, exact: 1.0, time, busy: true, memory: 0, one_thread: false });
    }
    // Without the time in which others had its processor: next to another program, one of two equal entries would get
    // half of the iterations of the other, and a sample of half the time is interrupted less often.
    let took_by = |one: &mut Candidate<'_>, iterations| {
        let (elapsed, measured) = match sampling.fresh {
            false => one.time_without_others(iterations, measure)?,
            // The processes that do the work are gone after it.
            true => {
                let elapsed = one.sample(iterations, iterations, measure)?.elapsed_ns.unwrap_or_default();
                (elapsed, elapsed)
            }
        };
        let overhead = nanoseconds(one.last_wall()).saturating_sub(elapsed);
        Ok::<_, CandidateError>(Took { measured, overhead })
    };
    if let Some(known) = known {
        if sampling.fresh {
            return Ok(known);
        }
        took_by(one, known.iterations.warm_up)?;
        return Ok(known);
    }
    let before = one.used();
    let wanted = nanoseconds(sampling.sample().max(SHORTEST));
    let mut iterations = 1;
    // The first touches memory, and counts only if it alone is long enough.
    let mut took = took_by(one, 1)?;
    // Its threads are there now.
    one.observe();
    if took.measured < wanted && !(sampling.fresh && took.is_slow(wanted)) {
        took = took_by(one, 1)?;
    }
    let once = took;
    // The overhead of a request may be the same for any number of iterations, but not where each is a
    // process of its own.
    let fixed = if sampling.fresh { Took { measured: 0, overhead: 0 } } else { once };
    loop {
        let mut seen = vec![took.measured];
        let mut spent = took.measured.saturating_add(took.overhead);
        let limit = |samples: usize| if samples == 1 { REPEAT } else { AGREE };
        while spent < limit(seen.len()) && !is_enough(&seen) {
            let again = took_by(one, iterations)?;
            seen.push(again.measured);
            spent = spent.saturating_add(again.measured).saturating_add(again.overhead);
            took = took.min(again);
        }
        let (is_slow, once, elapsed) = (took.without(fixed).is_slow(wanted), once.measured, took.measured);
        let grows = iterations == 1 || elapsed >= once.saturating_mul(2);
        if elapsed >= wanted / 4 || is_slow && grows {
            break;
        }
        let growth = if is_slow { GROWTH_OF_SLOW } else { GROWTH };
        if iterations >= growth && !grows || iterations >= MOST {
            let why = format!(
                "its elapsed_ns does not grow with iterations: {once} ns for 1 iteration, {elapsed} ns for {iterations}"
            );
            return Err(one.failed(FailureKind::ProtocolError, why));
        }
        // At most tenfold at a time, because the first iterations may be slow.
        let factor = (wanted / elapsed.max(1)).clamp(2, 10);
        iterations = iterations.saturating_mul(factor);
        took = took_by(one, iterations)?;
    }
    let took = took.without(fixed);
    let exact = iterations as f64 * took.factor(wanted);
    let once = took.measured.saturating_add(took.overhead) as f64 / iterations as f64;
    let iterations = Iterations::with_extra(whole(exact), entry.extra_percent);
    let time = Duration::from_nanos((once * iterations.run as f64) as u64);
    let one_thread =
        !sampling.fresh && before.zip(one.used()).is_some_and(|(before, used)| is_one_thread(before, used));
    Ok(Known { iterations, exact, time, busy: one.is_busy(), memory: one.memory(), one_thread })
}

/// Whether the first thread did all but a hundredth of the work between these times of it and of all that it started.
fn is_one_thread(before: (u64, u64), after: (u64, u64)) -> bool {
    let [first, all] = [after.0.saturating_sub(before.0), after.1.saturating_sub(before.1)];
    first > 0 && all.saturating_sub(first) <= first / 100
}

/// Whether these times of equal samples show how long one takes alone: three are within a tenth of the shortest. Beside
/// other work they may never agree; then 16 are enough.
fn is_enough(times: &[u64]) -> bool {
    let least = times.iter().min().copied().unwrap_or(0);
    times.len() >= 16 || times.iter().filter(|time| **time <= least.saturating_add(least / 10)).count() >= 3
}

/// Returns the number of iterations that is at least this, and at least 1.
fn whole(exact: f64) -> u64 {
    (exact.ceil() as u64).max(1)
}

impl Iterations {
    /// Returns at least `least` iterations with `percent` per cent of further ones, in a number that makes the part
    /// exact.
    fn with_extra(least: u64, percent: f64) -> Self {
        if percent <= 0.0 {
            return Iterations { counted: least, run: least, ..Iterations::default() }
                .in_turn_of(least, least);
        }
        let counted = least.next_multiple_of(step_of(percent));
        let extra = (counted as f64 * percent / 100.0).round() as u64;
        let run = counted.saturating_add(extra.max(1));
        Iterations { counted, run, ..Iterations::default() }.in_turn_of(run, run)
    }

    /// Returns the same with as many iterations in a turn as another entry has, of which `most` are in its sample. The
    /// sample is a part of one of `whole` iterations if that is more, and has its refill.
    fn in_turn_of(self, most: u64, whole: u64) -> Self {
        let longer = most.max(whole);
        let refill = if longer < 2 { 0 } else { longer.div_ceil(16) + most.saturating_sub(self.run) };
        Iterations { refill, warm_up: longer.div_ceil(4), ..self }
    }
}

/// Returns the entries with their iterations, sorted and split where these are over three times those before: next
/// to other work one of two equal programs may seem to take twice as long. If each iteration is a process of its
/// own, they are not split: one that starts during other work may seem to take any time; the slowest is first, and no
/// other makes it run more often. They are not rounded: of two that take as long as a sample, one iteration may fill it
/// for one and not for the other.
fn similar(mut entries: Vec<(usize, f64)>, fresh: bool) -> Vec<Vec<(usize, f64)>> {
    entries.sort_unstable_by(|(_, a), (_, b)| a.total_cmp(b));
    let near = |(_, a): &(usize, f64), (_, b): &(usize, f64)| fresh || *b <= 3.0 * *a;
    entries.chunk_by(near).map(<[_]>::to_vec).collect()
}

/// Returns the geometric mean of the iterations, with which the samples of the slowest and of the fastest entry are as
/// far from the wanted length.
fn middle(similar: &[(usize, f64)]) -> f64 {
    let sum: f64 = similar.iter().map(|(_, exact)| exact.ln()).sum();
    (sum / similar.len() as f64).exp()
}

/// Returns the number of iterations of which this many per cent are at least one.
fn step_of(percent: f64) -> u64 {
    if percent > 0.0 { (100.0 / percent).ceil().max(1.0) as u64 } else { 1 }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the order in which entries start in a round: drawn for each block, and opposite in its two rounds.
fn start_order(entries: usize, round: usize) -> Vec<usize> {
    drawn(entries, hash(u64::MAX, (round / BLOCK) as u64), round % BLOCK == 1)
}

/// Returns the order of the entries in one of the samples of a round. A single one is the opposite of that in the
/// other round of the block.
fn order(entries: usize, round: usize, sample: usize, samples: usize) -> Vec<usize> {
    match samples {
        1 => turn_order(entries, round / BLOCK, round % BLOCK),
        _ => turn_order(entries, round, sample),
    }
}

/// Returns the order of the entries in a sample: drawn for each two samples, and backwards in the second, so that a
/// drift of the machine affects all alike. So nothing that repeats itself, such as the time slices of another program,
/// favours an entry, and each follows every other equally often: after an entry on two threads, another takes up to
/// 0.5 % longer.
fn turn_order(entries: usize, round: usize, sample: usize) -> Vec<usize> {
    drawn(entries, hash(round as u64, sample as u64 / 2), sample % 2 == 1)
}

/// Returns a hash (SplitMix64): chance that a record repeats without keeping it.
fn hash(first: u64, second: u64) -> u64 {
    let mut hash = (first << 32 | second).wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Returns the entries in a random order (Fisher and Yates), or backwards in it.
fn drawn(entries: usize, seed: u64, backwards: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries).collect();
    for last in (1..entries).rev() {
        order.swap(last, (hash(0, seed ^ last as u64) % (last as u64 + 1)) as usize);
    }
    if backwards {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_balanced_and_drawn() {
        assert_eq!(turn_order(0, 5, 1), [] as [usize; 0]);
        for entries in 1..6 {
            // In each two samples every entry has the same mean place: drift cancels. So it is with starts.
            for (round, pair) in [(0, 0), (2, 7), (9, 3)] {
                let mut places = vec![[0; 2]; entries];
                for at in [0, 1] {
                    let turns = turn_order(entries, round, 2 * pair + at);
                    turns.iter().enumerate().for_each(|(place, entry)| places[*entry][0] += place);
                    let starts = start_order(entries, 2 * round + at);
                    starts.iter().enumerate().for_each(|(place, entry)| places[*entry][1] += place);
                }
                assert!(places.iter().all(|p| *p == [entries - 1; 2]), "{places:?}");
            }
        }
    }

    #[test]
    fn single_samples_are_opposite_in_the_rounds_of_a_block() {
        for round in [0, 2, 10] {
            let (first, mut second) = (order(5, round, 0, 1), order(5, round + 1, 0, 1));
            second.reverse();
            assert_eq!(first, second);
            assert_eq!(order(5, round + 1, 3, 8), turn_order(5, round + 1, 3));
        }
    }

    #[test]
    fn each_entry_follows_every_other_equally_often() {
        const ENTRIES: usize = 5;
        for order in [turn_order as fn(usize, usize, usize) -> Vec<usize>, |n, block, at| {
            start_order(n, 100 * block + at)
        }] {
            let mut after = [[0u32; ENTRIES]; ENTRIES];
            let mut first = [0u32; ENTRIES];
            for round in 0..100 {
                for sample in 0..100 {
                    let order = order(ENTRIES, round, sample);
                    first[order[0]] += 1;
                    order.windows(2).for_each(|pair| after[pair[1]][pair[0]] += 1);
                }
            }
            // 10,000 orders: an entry is first in a fifth of them, and follows each other one in a fifth.
            assert!(first.iter().all(|count| (1800..2200).contains(count)), "{first:?}");
            for (entry, before) in after.iter().enumerate() {
                let others = before.iter().enumerate().filter(|(other, _)| *other != entry);
                assert!(others.map(|(_, count)| count).all(|c| (1800..2200).contains(c)), "{after:?}");
            }
        }
    }

    #[test]
    fn entries_of_similar_speed_stand_together() {
        let groups =
            similar(vec![(0, 100.0), (1, 1000.0), (2, 130.0), (3, 1001.0), (4, 99.0), (5, 10.0)], false);
        let entries: Vec<Vec<usize>> = groups.iter().map(|g| g.iter().map(|(r, _)| *r).collect()).collect();
        assert_eq!(entries, [vec![5], vec![4, 0, 2], vec![1, 3]]);
        assert!(similar(Vec::new(), false).is_empty());
        // Two that nearly fill a sample with an iteration would have one and two.
        assert_eq!((whole(1.0), whole(1.02)), (1, 2));
        assert_eq!(similar(vec![(0, 1.02), (1, 1.0)], false).len(), 1);
        // Of two equal ones, next to other work.
        assert_eq!(similar(vec![(0, 7.0), (1, 2.5)], false).len(), 1);
        assert!((middle(&[(0, 2.0), (1, 8.0), (2, 4.0)]) - 4.0).abs() < 1e-9);
        // One iteration of the slow one is a second.
        assert_eq!(similar(vec![(0, 0.004), (1, 2.5)], false).len(), 2);
        // Of two equal ones whose processes start during other work.
        assert_eq!(similar(vec![(0, 8.0), (1, 2.0)], true), [[(1, 2.0), (0, 8.0)]]);
        assert_eq!(similar(vec![(0, 9.0), (1, 0.004), (2, 2.5)], true), [[(1, 0.004), (2, 2.5), (0, 9.0)]]);
    }

    #[test]
    fn times_that_agree_are_enough() {
        assert!(!is_enough(&[]) && !is_enough(&[100, 100]));
        assert!(is_enough(&[100, 110, 105]) && is_enough(&[0, 0, 0]));
        // Two of these waited for a processor.
        assert!(!is_enough(&[100, 400, 420, 110]) && is_enough(&[400, 100, 420, 110, 101]));
        assert!(is_enough(&(1..=16).map(|time| 100 * time).collect::<Vec<_>>()));
    }

    #[test]
    fn the_overhead_of_a_sample_is_in_its_length() {
        const MS: u64 = 1_000_000;
        let wanted = 4 * MS;
        let took = |measured, overhead| Took { measured, overhead };
        // A quarter of a sample, with little or much overhead, and more than a sample.
        for (measured, overhead, factor) in
            [(MS, 0, 4.0), (MS, 10 * MS, 4.0), (MS, 40 * MS, 2.0), (MS, 160 * MS, 0.5), (16 * MS, 0, 0.25)]
        {
            assert!((took(measured, overhead).factor(wanted) - factor).abs() < 1e-9, "{measured} {overhead}");
        }
        assert!(took(MS, 20 * MS).is_slow(wanted) && !took(MS, 19 * MS).is_slow(wanted));
        // What is the same for any number of iterations makes none of them slow.
        assert!(!took(MS, 100 * MS).without(took(0, 90 * MS)).is_slow(wanted));
        assert_eq!(took(3, 4).min(took(1, 9)), took(1, 4));
    }

    #[test]
    fn a_planted_slowdown_is_exact() {
        for (least, percent, counted, run, refill) in [
            (1, 0.0, 1, 1, 0),
            (7, 0.0, 7, 7, 1),
            (1, 0.5, 200, 201, 13),
            (201, 0.5, 400, 402, 26),
            (10, 50.0, 10, 15, 1),
            (3, 100.0, 3, 6, 1),
        ] {
            let found = Iterations::with_extra(least, percent);
            let found = (found.counted, found.run, found.refill);
            assert_eq!(found, (counted, run, refill), "{least} {percent}");
        }
    }

    #[test]
    fn the_refill_of_a_short_sample_is_that_of_a_millisecond() {
        let refill = |sample, whole| Iterations::with_extra(sample, 0.0).in_turn_of(sample, whole).refill;
        // Iterations of 1 µs and of 20; of 300, of which one is longer than a quarter of a millisecond; of 1 ms.
        assert_eq!([refill(250, 1000), refill(13, 50), refill(1, 4), refill(1, 1)], [63, 4, 1, 0]);
        assert_eq!(refill(1000, 1000), 63);
    }

    #[test]
    fn turns_with_a_planted_slowdown_are_as_long() {
        for percent in [0.5, 2.0, 100.0] {
            for whole in [400, 1600] {
                let planted = Iterations::with_extra(400, percent);
                let [planted, other] =
                    [planted, Iterations::with_extra(400, 0.0)].map(|one| one.in_turn_of(planted.run, whole));
                assert_eq!((other.counted, other.run), (400, 400));
                assert!(planted.refill > 0);
                assert_eq!(other.run + other.refill, planted.run + planted.refill, "{percent}");
                assert_eq!(other.warm_up, planted.warm_up, "{percent}");
            }
        }
    }
}
