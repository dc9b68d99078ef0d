//! Assignment of jobs to ranks, and the order of their results, without threads or messages.

use std::collections::VecDeque;
use std::time::Duration;

/// Minimum number of jobs of a rank: one that it computes and one in its queue.
const MIN: usize = 2;
/// Maximum number of jobs of a rank.
const MAX: usize = 32;

/// A rank, as the scheduler sees it.
#[derive(Clone, Debug, Default)]
struct Worker {
    /// Number of jobs of the rank without a result.
    jobs: usize,
    /// Shortest round trip of a short message.
    round_trip: Duration,
    /// Time of its last job.
    job_time: Duration,
}

impl Worker {
    /// Returns the number of jobs that the rank should have. A result and the next job are one round trip apart for a
    /// short message, and three for one that is announced before it is sent.
    fn depth(&self) -> usize {
        let job_time = self.job_time.as_nanos().max(1);
        let behind = (3 * self.round_trip.as_nanos()).div_ceil(job_time);
        // Before the first result there is no measurement, and one job more than the minimum does no harm.
        let behind = if self.job_time.is_zero() { 2 } else { usize::try_from(behind).unwrap_or(MAX) };
        (1 + behind).clamp(MIN, MAX)
    }
}

/// Jobs in flight, in the order in which they were sent.
#[derive(Debug)]
pub(crate) struct Scheduler<T> {
    workers: Vec<Worker>,
    slots: VecDeque<Slot<T>>,
    /// Id of the first slot.
    first: u64,
}

#[derive(Debug)]
struct Slot<T> {
    token: T,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Sent to this rank.
    Sent(usize),
    /// Received; `None` if there was no job.
    Received(Option<Result>),
}

/// Outcome of a job: the rank that computed it, and the bytes of its message.
type Result = (usize, Vec<u8>);

impl<T> Scheduler<T> {
    pub(crate) fn new(ranks: usize) -> Self {
        Scheduler { workers: vec![Worker::default(); ranks], slots: VecDeque::new(), first: 0 }
    }

    /// Sets the shortest round trip to a rank.
    pub(crate) fn round_trip(&mut self, rank: usize, time: Duration) {
        self.workers[rank].round_trip = time;
    }

    /// Returns the rank for the next job: of the ranks below their depth the one with the fewest jobs. `None` if
    /// enough jobs are in flight; results that wait for an earlier one count too, which bounds the memory.
    pub(crate) fn next_rank(&self) -> Option<usize> {
        if !self.has_room() {
            return None;
        }
        let free = self.workers.iter().enumerate().filter(|(_, worker)| worker.jobs < worker.depth());
        free.min_by_key(|(_, worker)| worker.jobs).map(|(rank, _)| rank)
    }

    /// Returns whether more jobs may be in flight.
    fn has_room(&self) -> bool {
        self.slots.len() < self.workers.iter().map(|worker| 2 * worker.depth()).sum()
    }

    /// Records a job that is sent to a rank and returns its id.
    pub(crate) fn send(&mut self, rank: usize, token: T) -> u64 {
        self.workers[rank].jobs += 1;
        self.slots.push_back(Slot { token, state: State::Sent(rank) });
        self.first + self.slots.len() as u64 - 1
    }

    /// Records a token without a job.
    pub(crate) fn forward(&mut self, token: T) {
        self.slots.push_back(Slot { token, state: State::Received(None) });
    }

    /// Records the result of a job; returns `false` if this rank has no job with this id.
    pub(crate) fn receive(&mut self, rank: usize, id: u64, took: Duration, result: Vec<u8>) -> bool {
        let at = id.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        match at.and_then(|at| self.slots.get_mut(at)) {
            Some(slot) if matches!(slot.state, State::Sent(owner) if owner == rank) => {
                slot.state = State::Received(Some((rank, result)));
                self.workers[rank].jobs -= 1;
                self.workers[rank].job_time = took;
                true
            }
            _ => false,
        }
    }

    /// Takes the next result in order, if it has arrived.
    pub(crate) fn ready(&mut self) -> Option<(T, Option<Result>)> {
        match self.slots.pop_front()? {
            Slot { token, state: State::Received(result) } => {
                self.first += 1;
                Some((token, result))
            }
            slot => {
                self.slots.push_front(slot);
                None
            }
        }
    }

    /// Returns the results that have arrived, if the others will never come.
    pub(crate) fn into_received(self) -> impl Iterator<Item = (T, Option<Result>)> {
        self.slots.into_iter().filter_map(|slot| match slot.state {
            State::Received(result) => Some((slot.token, result)),
            State::Sent(_) => None,
        })
    }

    /// Returns whether no job is in flight.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn results_come_in_order() {
        let mut scheduler = Scheduler::new(2);
        let first = scheduler.send(0, "a");
        scheduler.forward("b");
        let third = scheduler.send(1, "c");
        assert!(scheduler.receive(1, third, MS, vec![3]));
        assert_eq!(scheduler.ready(), None, "the first is still under way");
        assert!(scheduler.receive(0, first, MS, vec![1]));
        assert_eq!(scheduler.ready(), Some(("a", Some((0, vec![1])))));
        assert_eq!(scheduler.ready(), Some(("b", None)));
        assert_eq!(scheduler.ready(), Some(("c", Some((1, vec![3])))));
        assert!(scheduler.is_empty() && scheduler.ready().is_none());
    }

    #[test]
    fn received_results_are_not_lost() {
        let mut scheduler = Scheduler::new(2);
        scheduler.send(0, "never");
        let second = scheduler.send(1, "done");
        scheduler.forward("nothing to do");
        assert!(scheduler.receive(1, second, MS, vec![2]));
        let rest: Vec<_> = scheduler.into_received().collect();
        assert_eq!(rest, [("done", Some((1, vec![2]))), ("nothing to do", None)]);
    }

    #[test]
    fn results_of_unknown_jobs_are_refused() {
        let mut scheduler = Scheduler::new(2);
        let id = scheduler.send(0, ());
        assert!(!scheduler.receive(1, id, MS, vec![]), "another rank has it");
        assert!(!scheduler.receive(0, id + 1, MS, vec![]), "there is no such job");
        assert!(scheduler.receive(0, id, MS, vec![]));
        assert!(!scheduler.receive(0, id, MS, vec![]), "it is back already");
        scheduler.ready();
        assert!(!scheduler.receive(0, id, MS, vec![]), "it was returned long ago");
    }

    #[test]
    fn ranks_get_jobs_in_turn_and_the_memory_is_bounded() {
        let mut scheduler = Scheduler::new(3);
        let mut sent = vec![];
        while let Some(rank) = scheduler.next_rank() {
            sent.push((rank, scheduler.send(rank, ())));
        }
        assert_eq!(sent[..4].iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [0, 1, 2, 0]);
        // The first job hangs; the others are computed repeatedly.
        let mut received = sent.len();
        for (rank, id) in sent.into_iter().skip(1) {
            assert!(scheduler.receive(rank, id, MS, vec![]));
        }
        while let Some(rank) = scheduler.next_rank() {
            let id = scheduler.send(rank, ());
            assert!(scheduler.receive(rank, id, MS, vec![]));
            received += 1;
            assert!(received < 100, "without bound");
        }
        assert_eq!(scheduler.ready(), None);
    }

    #[test]
    fn far_ranks_get_more_jobs() {
        let depth = |round_trip, job_time| {
            let mut scheduler = Scheduler::<()>::new(1);
            scheduler.round_trip(0, round_trip);
            scheduler.workers[0].job_time = job_time;
            scheduler.workers[0].depth()
        };
        assert_eq!(depth(Duration::from_micros(50), 60 * MS), 2);
        assert_eq!(depth(40 * MS, 60 * MS), 3);
        assert_eq!(depth(40 * MS, 10 * MS), 13);
        assert_eq!(depth(40 * MS, MS), MAX);
        assert_eq!(depth(Duration::ZERO, Duration::ZERO), 3);
    }
}
