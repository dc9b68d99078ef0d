//! Placement: the processors that candidates are bound to.
//!
//! Two virtual processors of one machine differ by several per cent for seconds at a time, because of other guests of
//! the host. So all candidates of a case with the same number of threads are bound to the same processors, which change
//! from one block of rounds to the next, so that each processor is used equally often. The lab's own threads run on the
//! other processors if there are any, and else on all but one, the home of programs of one thread in that round.
//!
//! A child inherits the processors of the thread that starts it: [`Placement::while_bound`] moves the calling thread
//! there while it starts a candidate, so that every thread of the candidate is bound from its first instruction on.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::plan::Matrix;
use crate::stats::BLOCK;
use crate::system::{allowed_processors, bind};

/// Runs of this process.
static LABS: AtomicUsize = AtomicUsize::new(0);

/// The processors that the lab may use; by default none, so that nothing is bound.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// None if nothing is bound.
    pub(crate) allowed: Vec<usize>,
    /// Index of the first processor of the first round, so that several labs rarely have the same.
    first: usize,
    /// Processor that the lab leaves to candidates that may use all of them.
    pub(crate) home: Option<usize>,
}

impl Placement {
    /// Returns the processors of the calling thread. None are used, and candidates are not bound, if the system does
    /// not allow it or if there is only one.
    pub(crate) fn detect() -> Self {
        let mut allowed = allowed_processors();
        if allowed.len() < 2 {
            allowed.clear();
        }
        // Threads that share a core would measure each other: one of each core comes first.
        let list = |cpu| format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let before = |cpu: usize| {
            let of_core = std::fs::read_to_string(list(cpu)).unwrap_or_default();
            siblings(&of_core).filter(|other| *other < cpu).count()
        };
        allowed.sort_by_key(|cpu| before(*cpu));
        let lab = LABS.fetch_add(1, Ordering::Relaxed) + std::process::id() as usize;
        let first = lab % allowed.len().max(1);
        Placement { allowed, first, home: None }
    }

    /// Returns what the user should know of where candidates run.
    pub(crate) fn notes(&self, matrix: &Matrix) -> Vec<String> {
        let mut notes = Vec::new();
        let threads = matrix.cases.iter().flat_map(|case| &case.entries).map(|entry| entry.threads);
        let free = |threads: usize| self.processors(threads, 0).is_none();
        if self.allowed.is_empty() {
            // The record says if the system refuses.
            if !allowed_processors().is_empty() {
                notes.push("candidates are not bound to processors: only one is allowed".into());
            }
        } else if let Some(most) = threads.filter(|threads| free(*threads)).max() {
            let allowed = self.allowed.len();
            notes
                .push(format!("entries with {most} threads are not bound: {allowed} processors are allowed"));
        }
        notes
    }

    /// Returns the processors for candidates with this number of threads in a round; `None` if there are too few.
    pub(crate) fn processors(&self, threads: usize, round: usize) -> Option<Vec<usize>> {
        let first = self.first + round / BLOCK * threads;
        let mut all: Vec<usize> = self
            .allowed
            .iter()
            .copied()
            .cycle()
            .skip(first % self.allowed.len().max(1))
            .take(threads)
            .collect();
        all.sort_unstable();
        (threads <= self.allowed.len() && !all.is_empty()).then_some(all)
    }

    /// Chooses the processor of a round for the first threads of candidates that may use all.
    pub(crate) fn choose_home(&mut self, round: usize) {
        self.home = self.processors(1, round).map(|one| one[0]);
    }

    /// Returns the processors besides these.
    pub(crate) fn without(&self, taken: &[usize]) -> Vec<usize> {
        self.allowed.iter().copied().filter(|cpu| !taken.contains(cpu)).collect()
    }

    /// Calls `start` while the calling thread is bound to these processors, or to all; then moves the thread to the
    /// others, or to all but the home if there are none.
    pub(crate) fn while_bound<T>(&self, processors: Option<&[usize]>, start: impl FnOnce() -> T) -> T {
        // A program that is not bound must not inherit the processors of the lab.
        let Some(processors) = processors else {
            self.release();
            return start();
        };
        bind(processors);
        let started = start();
        let others = self.without(processors);
        bind(&if others.is_empty() { self.without(self.home.as_slice()) } else { others });
        started
    }

    /// Lets the calling thread run on all processors again.
    pub(crate) fn release(&self) {
        bind(&self.allowed);
    }
}

/// Returns the processors of a list such as `0,4` or `0-1`.
fn siblings(list: &str) -> impl Iterator<Item = usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse::<usize>().ok()?.min(1 << 20))
    };
    list.trim().split(',').filter_map(range).flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_processor_is_used_equally_often_in_blocks_of_two_rounds() {
        let placement = Placement { allowed: vec![0, 2, 3, 7], first: 3, home: None };
        for threads in 1..=4 {
            let mut uses = BTreeMap::new();
            for round in 0..2 * BLOCK * placement.allowed.len() {
                let processors = placement.processors(threads, round).unwrap();
                assert_eq!(processors.len(), threads);
                assert_eq!(placement.processors(threads, round / BLOCK * BLOCK), Some(processors.clone()));
                processors.iter().for_each(|cpu| *uses.entry(*cpu).or_insert(0) += 1);
            }
            assert!(uses.len() == 4 && uses.values().all(|count| *count == uses[&0]), "{threads}: {uses:?}");
        }
        assert_eq!(placement.processors(5, 0), None);
        assert_eq!(Placement::default().processors(1, 0), None);
    }

    #[test]
    fn lists_of_siblings_are_read() {
        assert_eq!(siblings("0,4\n").collect::<Vec<_>>(), [0, 4]);
        assert_eq!(siblings("2-4,7").collect::<Vec<_>>(), [2, 3, 4, 7]);
        assert_eq!(siblings("").count() + siblings("x-y").count(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_is_bound_where_it_is_started_and_the_lab_goes_elsewhere() {
        let placement = Placement::detect();
        let Some(processors) = placement.processors(1, 0) else {
            println!("SKIP parcrypt-lab placement one processor is allowed");
            return;
        };
        let own = || nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)).unwrap();
        let status = placement.while_bound(Some(&processors), || {
            std::process::Command::new("cat").arg("/proc/self/status").output().unwrap()
        });
        let status = String::from_utf8(status.stdout).unwrap();
        assert!(status.contains(&format!("Cpus_allowed_list:\t{}\n", processors[0])), "{status}");
        assert!(!own().is_set(processors[0]).unwrap());
        // The lab keeps off the home of candidates that may use all processors.
        let (mut placement, all) = (placement.clone(), placement.allowed);
        let mut homes = std::collections::BTreeSet::new();
        for block in 0..all.len() {
            placement.choose_home(block * BLOCK);
            homes.extend(placement.home);
            placement.while_bound(Some(&all), || ());
            assert!(all.iter().all(|cpu| own().is_set(*cpu).unwrap() != (placement.home == Some(*cpu))));
        }
        assert_eq!(homes.len(), all.len());
        placement.while_bound(None, || ());
        assert!(all.iter().all(|cpu| own().is_set(*cpu).unwrap()));
    }
}
