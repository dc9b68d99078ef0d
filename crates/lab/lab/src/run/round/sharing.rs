//! Benchmarks of a suite that share processes, because one is slow to prepare.
//!
//! The cases then come in the suite's order, a block of each (`Schedule::share`). At the end of a round its processes
//! are kept for the next case of their program, which is prepared in them in the same round of its block. So the two
//! rounds of a block are still two processes of each entry.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::{Group, Interrupted, Running, Started, nanoseconds, start_order};
use crate::Watch;
use crate::candidate::{Candidate, CandidateError};
use crate::stats::BLOCK;

/// Processes that wait for a later benchmark of their program.
#[derive(Default)]
pub(crate) struct Sharing<'run> {
    /// At most one for each program, entry and round of a block.
    waiting: Vec<Waiting<'run>>,
    /// Names of the candidates whose processes are shared.
    slow: BTreeSet<&'run str>,
    /// Time of the starts of the last round, if it was the first of a block.
    first: Duration,
    /// Time of the starts of this round with processes that will be shared.
    prepared: Duration,
}

/// A process after its round of a case.
struct Waiting<'run> {
    case: usize,
    entry: usize,
    round: usize,
    one: Candidate<'run>,
}

impl<'run> Sharing<'run> {
    /// Keeps a process after its round of a case.
    pub(super) fn keep(&mut self, (case, entry): (usize, usize), round: usize, one: Candidate<'run>) {
        self.waiting.push(Waiting { case, entry, round, one });
    }

    /// Returns the time of the starts of this round with processes that will be shared, once.
    pub(crate) fn take_prepared(&mut self) -> Duration {
        std::mem::take(&mut self.prepared)
    }

    /// Ends all processes.
    pub(crate) fn quit(self) {
        self.waiting.into_iter().for_each(|mut waiting| drop(waiting.one.quit()));
    }
}

impl<'a> Running<'a> {
    /// Whether a process of an entry is kept at the end of the round: the next open case of its program comes later in
    /// the suite and has the same memory layout in its block.
    pub(super) fn is_shared_after(&self, c: usize, r: usize) -> bool {
        let entry = &self.matrix.cases[c].entries[r];
        let ready = self.record.cases[c].entries[r].ready.as_ref();
        let next = || {
            let mut later = (c + 1..self.matrix.cases.len()).filter(|n| self.schedule.is_open(*n));
            later.find(|n| self.matrix.cases[*n].entries.get(r).is_some_and(|one| one.is_same_program(entry)))
        };
        self.shared.slow.contains(entry.candidate.as_str())
            && ready.is_some_and(|ready| ready.later)
            && next().is_some_and(|n| self.has_layout_of(n, (c, r), self.schedule.round(c)))
    }

    /// Whether the next block of a case has the memory layout that an entry had in a round of another case.
    fn has_layout_of(&self, n: usize, (c, r): (usize, usize), round: usize) -> bool {
        let layout = |case: usize, round: usize| {
            let entry = &self.matrix.cases[case].entries[r];
            (round / BLOCK).checked_rem(entry.layouts.len())
        };
        layout(n, self.schedule.round(n)) == layout(c, round)
    }

    /// Prepares a case in the processes that an earlier one has left for it; returns them by place. `None` if one is
    /// missing or refuses: then all entries get fresh processes, because processes that take turns must have done the
    /// same before.
    pub(super) fn again(
        &mut self,
        group: &Group<'_, 'a>,
        input: Option<&Path>,
    ) -> Result<Option<Vec<Option<Started<'a>>>>, Interrupted> {
        let (c, round) = (group.case, self.schedule.round(group.case));
        let cases = &self.matrix.cases;
        let mut found: Vec<Option<Waiting<'a>>> = Vec::new();
        for &r in group.entries {
            let is_its = |one: &Waiting<'_>| {
                (one.entry, one.round % BLOCK) == (r, round % BLOCK)
                    && cases[one.case].entries[r].is_same_program(&cases[c].entries[r])
            };
            let at = self.shared.waiting.iter().position(is_its);
            found.push(at.map(|at| self.shared.waiting.swap_remove(at)));
        }
        let is_of_use = |one: &Waiting<'_>| {
            let alive = self.record.cases[c].entries[one.entry].failure.is_none();
            let home = |round| self.placement.processors(1, round);
            alive
                && one.case < c
                && home(one.round) == home(round)
                && self.has_layout_of(c, (one.case, one.entry), one.round)
        };
        if !found.iter().all(|one| one.as_ref().is_some_and(is_of_use)) {
            found.into_iter().flatten().for_each(|mut waiting| drop(waiting.one.quit()));
            return Ok(None);
        }
        let mut all: Vec<Option<Started<'a>>> = group.entries.iter().map(|_| None).collect();
        for place in start_order(group.entries.len(), round) {
            let Some(Waiting { mut one, .. }) = found[place].take() else { continue };
            one.resume();
            // An earlier benchmark may have started threads in its turns.
            one.observe();
            self.processors(group, place).iter().for_each(|processors| one.bind(processors));
            match self.prepared(one, (c, group.entries[place]), input) {
                Ok(started) => all[place] = Some(started),
                Err(CandidateError::Interrupted) => return Err(Interrupted),
                Err(CandidateError::Failed(_)) => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Shares the processes of a program from now on if the starts of both rounds of a block were slow: a single one
    /// may be slow because its file was not in memory. `fresh` is the time of the starts of this round.
    pub(super) fn share_if_slow(&mut self, group: &Group<'_, 'a>, fresh: Duration, watch: &mut dyn Watch) {
        let c = group.case;
        let entries = &self.matrix.cases[c].entries;
        let names: Vec<&'a str> = group.entries.iter().map(|r| entries[*r].candidate.as_str()).collect();
        let is_first = self.schedule.round(c).is_multiple_of(BLOCK);
        let mut prepared = fresh;
        if names.iter().any(|name| !self.shared.slow.contains(name)) {
            let first = std::mem::replace(&mut self.shared.first, fresh);
            let ready = |r: &usize| self.record.cases[c].entries[*r].ready.as_ref();
            let may_share = group.entries.iter().all(|r| ready(r).is_some_and(|ready| ready.later));
            if is_first || !may_share || !self.schedule.is_slow_to_prepare(c, first.min(fresh)) {
                return;
            }
            self.shared.slow.extend(names);
            self.schedule.share(c, first.min(fresh) * BLOCK as u32);
            let one = fresh / group.entries.len() as u32;
            watch.note(&format!("benchmarks share processes, because preparing one takes {one:.1?}"));
            prepared += first;
        }
        self.shared.prepared += fresh;
        self.record.cases[c].cost.get_or_insert_default().prepared_ns += nanoseconds(prepared);
    }
}
