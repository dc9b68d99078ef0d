//! One round of one case: its entries start, take turns sample by sample, and end.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use parcrypt_protocol::{Ready, nanoseconds};

use super::iterations::{self, Iterations, Known, warm_up};
use super::order::{drawn, hash, order, start_order};
use super::{Running, Setting, Watch};
use crate::candidate::{Candidate, CandidateError};
use crate::input::InputError;
use crate::leftover::ProgramCopy;
use crate::method::{SHUFFLED, WAITING_CANDIDATES};
use crate::record::{Failure, FailureKind, Sample};
use crate::stats::BLOCK;
use crate::system::{bind, steal_ns};

/// The entries of a group in one round, each with its process as long as it lives.
struct Group<'r, 'run> {
    case: usize,
    entries: &'r [usize],
    running: Vec<Option<Candidate<'run>>>,
    /// Whether all are asked to refill their caches and for a sample at once.
    at_once: bool,
}

impl<'a> Running<'a> {
    /// Runs one round of a case.
    pub(super) fn round(&mut self, c: usize, watch: &mut dyn Watch) -> Result<(), InputError> {
        let (begun, Setting { inputs, stop, .. }) = (Instant::now(), self.setting);
        let file = self.matrix.cases[c].input.map(|bytes| inputs.file(bytes, stop)).transpose()?;
        let input = file.map(|file| {
            self.record.cases[c].input_digest = file.digest;
            file.path
        });
        self.record.cases[c].entries.iter_mut().for_each(|entry| entry.rounds.push(Vec::new()));
        // A fixed set: the lab's own thread is bound to other processors from block to block.
        let steal = steal_ns(&self.placement.allowed);
        self.groups(c, input.as_deref(), watch)?;
        self.compare_digests(c, watch);
        let stolen = steal_ns(&self.placement.allowed).saturating_sub(steal);
        let cost = self.record.cases[c].cost.get_or_insert_default();
        cost.steal_ns += stolen.saturating_mul(self.record.machine.cores as u64);
        cost.rounds_ns += nanoseconds(begun.elapsed());
        Ok(())
    }

    /// Runs the groups of entries that are alive at once, one after the other, in an order that changes from round to
    /// round.
    fn groups(&mut self, c: usize, input: Option<&Path>, watch: &mut dyn Watch) -> Result<(), InputError> {
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
    ) -> Result<(), InputError> {
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
            self.report_progress(watch, c, within, &format!("starting {}", case.what(entry)));
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
            let started = Candidate::start(&planned, &self.plan.folder, bound, limit, self.setting.stop)
                .and_then(|one| self.prepared(one, (c, r), input));
            if let Some((one, mut ready, known, digest)) = self.settle(c, r, started, watch)? {
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
            let at_once = self.at_once(group);
            let own = |r: &usize| ((c, *r), case.entries[*r].extra_percent);
            let own = group.entries.iter().map(own).collect::<Vec<_>>();
            iterations::make_equal(&mut self.known, &own, self.plan.sampling(), at_once);
        }
        self.stop_all_or_none(group, watch)
    }

    /// Prepares a case in a process, and warms it up. Returns it with what it says about itself, what is known of it,
    /// and the digest of its output after the warm-up of the first round.
    fn prepared(
        &self,
        mut one: Candidate<'a>,
        (c, r): (usize, usize),
        input: Option<&Path>,
    ) -> Result<(Candidate<'a>, Ready, Known, Option<String>), CandidateError> {
        let case = &self.matrix.cases[c];
        let entry = &case.entries[r];
        let ready = one.prepare(entry, input)?;
        let known = self.known.get(&(c, r)).copied();
        let is_first = known.is_none() && case.measure.is_time();
        let known = warm_up(&mut one, self.plan.sampling(), (&case.measure, entry), known)?;
        // The output must not depend on the number of iterations.
        let digest = if is_first { Some(one.digest()?.to_string()) } else { None };
        one.begin_turns(known.busy)?;
        Ok((one, ready, known, digest))
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

    /// Stops all entries of a group between their turns if one of them has to be, because a stop changes the state
    /// in which the next turn begins.
    fn stop_all_or_none(
        &mut self,
        group: &mut Group<'_, 'a>,
        watch: &mut dyn Watch,
    ) -> Result<(), InputError> {
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
        let round = self.schedule.round(group.case);
        let known = group.entries.iter().filter_map(|r| self.known.get(&(group.case, *r)));
        let most = known.map(|known| known.memory).sum::<u64>().min(SHUFFLED);
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
    ) -> Result<(), InputError> {
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
                self.report_progress(watch, c, within, &case.what(&case.entries[r]));
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
                self.report_progress(watch, c, within, &case.what(&case.entries[r]));
                self.turn(&mut one, (c, r), sample)
            };
            if let Some((one, sample)) = self.settle(c, r, taken.map(|sample| (one, sample)), watch)? {
                if let Some(round) = self.record.cases[c].entries[r].rounds.last_mut() {
                    round.push(sample);
                }
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
        let home = self.placement.home.filter(|home| all.contains(home)).or(all.first().copied());
        if let Some(home) = home {
            one.stay_at(home);
            bind(&self.placement.without(&[home]));
        }
        match refill {
            0 => one.begin_samples([run]),
            refill => one.begin_samples([refill, run]),
        }
    }

    /// Waits until a candidate that was asked at once has refilled its caches and taken its sample.
    fn answer_at_once(
        &self,
        one: &mut Candidate<'a>,
        (c, r): (usize, usize),
    ) -> Result<parcrypt_protocol::Sample, CandidateError> {
        let Iterations { run, refill, .. } = self.known[&(c, r)].iterations;
        if refill > 0 {
            one.answer(refill)?;
        }
        let response = one.answer(run)?;
        one.pause()?;
        Ok(response)
    }

    /// Takes the sample of an entry that has this index in the round.
    fn turn(
        &self,
        one: &mut Candidate<'a>,
        (c, r): (usize, usize),
        sample: usize,
    ) -> Result<Sample, CandidateError> {
        let measure = &self.matrix.cases[c].measure;
        let Iterations { counted, run, refill, .. } = self.known[&(c, r)].iterations;
        one.resume();
        if measure.is_time() && refill > 0 {
            // It may do all work on its first thread, which stays if it is. Others that it starts for the sample may
            // use all processors.
            let home = one.processors().map(|all| all[sample / 2 % all.len()]);
            one.at_home(home, |one| one.sample(refill, refill, measure))?;
        }
        let sample = one.sample(run, counted, measure)?;
        one.pause()?;
        Ok(sample)
    }

    /// Asks each entry of a group for its digest and ends it.
    fn end(&mut self, group: Group<'_, 'a>, watch: &mut dyn Watch) -> Result<(), InputError> {
        let c = group.case;
        let (entries, mut running) = (group.entries, group.running);
        let waits = self.plan.sampling().fresh && self.matrix.entries() <= WAITING_CANDIDATES;
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
                self.lose(c, r, Failure::new(FailureKind::WrongDigest, why), watch);
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

    /// Returns a candidate's result; a failure is noted in its entry.
    fn settle<T>(
        &mut self,
        c: usize,
        r: usize,
        result: Result<T, CandidateError>,
        watch: &mut dyn Watch,
    ) -> Result<Option<T>, InputError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(CandidateError::Interrupted) => Err(InputError::Interrupted),
            // The terminal's Ctrl-C may reach a candidate that has left its process group; this is not a failure.
            Err(CandidateError::Failed(_)) if self.setting.stop.load(Ordering::Relaxed) => {
                Err(InputError::Interrupted)
            }
            Err(CandidateError::Failed(failure)) => {
                self.lose(c, r, failure, watch);
                Ok(None)
            }
        }
    }

    fn lose(&mut self, c: usize, r: usize, failure: Failure, watch: &mut dyn Watch) {
        watch.lost(&self.matrix.cases[c].what(&self.matrix.cases[c].entries[r]), &failure);
        let shown = |text: String| self.plan.shown(&text);
        let Failure { kind, why, stderr } = failure;
        let failure = Failure { kind, why: shown(why), stderr: shown(stderr) };
        self.record.cases[c].entries[r].failure = Some(failure);
    }

    /// Compares the digests of all entries with the same workload; those that differ from the majority fail.
    fn compare_digests(&mut self, c: usize, watch: &mut dyn Watch) {
        let plan = &self.matrix.cases[c];
        let workloads: Vec<&str> = plan.entries.iter().map(|entry| entry.workload.as_str()).collect();
        for r in 0..plan.entries.len() {
            let case = &self.record.cases[c];
            let peers = (0..plan.entries.len()).filter(|p| workloads[*p] == workloads[r]);
            let digests: Vec<(usize, &str)> =
                peers.filter_map(|p| Some((p, case.entries[p].digest.as_deref()?))).collect();
            let Some(right) = right_digest(&digests, plan.baseline) else { continue };
            let entry = &case.entries[r];
            let Some(given) = entry.digest.as_deref().filter(|given| *given != right) else { continue };
            if entry.failure.is_none() {
                let why = format!("its digest is {given}, the others have {right}");
                self.lose(c, r, Failure::new(FailureKind::WrongDigest, why), watch);
            }
        }
    }
}

/// Returns the most frequent digest; among several, the baseline's, or else the first.
fn right_digest<'a>(digests: &[(usize, &'a str)], baseline: usize) -> Option<&'a str> {
    let votes = |digest: &str| digests.iter().filter(|(_, other)| *other == digest).count();
    let most = digests.iter().map(|(_, digest)| votes(digest)).max()?;
    let leading = || digests.iter().filter(|(_, digest)| votes(digest) == most);
    leading().find(|(entry, _)| *entry == baseline).or(leading().next()).map(|(_, digest)| *digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_is_right_and_the_baseline_breaks_a_tie() {
        assert_eq!(right_digest(&[], 0), None);
        assert_eq!(right_digest(&[(0, "a"), (1, "b"), (2, "b")], 0), Some("b"));
        assert_eq!(right_digest(&[(0, "a"), (1, "b")], 1), Some("b"));
        assert_eq!(right_digest(&[(0, "a"), (2, "b")], 1), Some("a"));
    }
}
