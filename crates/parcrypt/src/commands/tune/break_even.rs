//! The least work that a runtime does faster than one thread, found by doubling the work.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

use parcrypt_runtime::Runtime;

use super::lower_quartile;
use crate::commands::fork_cost::IDLE;

/// State of the workers before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// They look for work still.
    Spinning,
    /// They sleep.
    Asleep,
}

impl State {
    pub(super) const ALL: [State; 2] = [State::Spinning, State::Asleep];

    pub(super) fn name(self) -> &'static str {
        match self {
            State::Spinning => "spinning",
            State::Asleep => "asleep",
        }
    }
}

/// Steps of a thread's work in the smallest call: about a microsecond.
const LEAST: u64 = 1 << 10;
/// Calls with more and more work, each with twice the work of the one before: up to about 8 ms on two threads.
const CALLS: usize = 13;

/// Times of calls in ns, serial and parallel, by the work.
#[derive(Debug, Default)]
pub(super) struct BreakEven {
    times: [(Vec<f64>, Vec<f64>); CALLS],
}

impl BreakEven {
    /// Measures each call once more.
    pub(super) fn measure(&mut self, runtime: &dyn Runtime, state: State) {
        let threads = runtime.threads().get();
        for (call, (serial, parallel)) in self.times.iter_mut().enumerate() {
            let steps = LEAST << call;
            serial.push(time(|| (0..threads).for_each(|_| work(steps))));
            match state {
                // The first call wakes the workers.
                State::Spinning => runtime.run(threads, &|_| work(LEAST)),
                State::Asleep => std::thread::sleep(IDLE),
            }
            parallel.push(time(|| runtime.run(threads, &|_| work(steps))));
        }
    }

    /// Returns the time on one thread, in ns, of the least work from which on all calls are faster in parallel; `None`
    /// if the largest is not.
    pub(super) fn least(&self) -> Option<f64> {
        let calls =
            self.times.iter().map(|(serial, parallel)| (lower_quartile(serial), lower_quartile(parallel)));
        let faster = calls.rev().take_while(|(serial, parallel)| parallel < serial);
        faster.last().map(|(serial, _)| serial)
    }

    /// Returns the least cost of a fork, in ns, by which [`is_worthwhile`](parcrypt_runtime::is_worthwhile) sends
    /// nothing to other threads that was not faster there. If even the largest call was not, it has to be twice as
    /// large.
    ///
    /// The time of an empty call may be less: its tasks are done before the other workers are awake.
    pub(super) fn least_cost(&self, threads: NonZeroUsize) -> f64 {
        let largest = self.times.last().map_or(0.0, |(serial, _)| lower_quartile(serial));
        self.least().unwrap_or(2.0 * largest) * (1.0 - 1.0 / threads.get() as f64) / 2.0
    }
}

/// A chain of multiplications, which depend on each other: a nanosecond each on most machines.
fn work(steps: u64) {
    let mut x = black_box(1u64);
    for step in 0..steps {
        x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step;
    }
    black_box(x);
}

fn time(f: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    f();
    begun.elapsed().as_nanos() as f64
}

#[cfg(test)]
mod tests {
    use parcrypt_runtime::{Cost, ForkCost, Kind, is_worthwhile};

    use super::*;

    /// Returns calls of which these are faster in parallel. The largest takes 4096 ns on one thread.
    fn found(faster: &[usize]) -> BreakEven {
        let mut found = BreakEven::default();
        for (call, (serial, parallel)) in found.times.iter_mut().enumerate() {
            let time = (1 << call) as f64;
            // A disturbed call among three changes nothing.
            serial.extend([time, time, 1e9]);
            let parallel_time = if faster.contains(&call) { 0.6 * time } else { time };
            parallel.extend([parallel_time, 1e9, parallel_time]);
        }
        found
    }

    #[test]
    fn the_least_work_is_the_first_of_all_that_are_faster() {
        let of = |faster: &[usize]| found(faster).least();
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[10, 11]), None, "the largest is not");
        assert_eq!(of(&[12]), Some(4096.0));
        assert_eq!(of(&[2, 10, 11, 12]), Some(1024.0), "one that is faster by chance does not count");
        assert_eq!(of(&(0..CALLS).collect::<Vec<_>>()), Some(1.0));
        assert_eq!(BreakEven::default().least(), None);
    }

    #[test]
    fn by_the_least_cost_the_least_work_just_pays() {
        let two = NonZeroUsize::new(2).unwrap();
        for (faster, pays_from) in [(&[10, 11, 12][..], 1024), (&[12], 4096), (&[], 8192)] {
            let ns = found(faster).least_cost(two) as u64;
            let cost = ForkCost { spinning_ns: ns, asleep_ns: ns };
            for kind in [Kind::Rayon, Kind::OpenMp].into_iter().filter(|kind| kind.is_available()) {
                let rt = kind.build_with(two, cost).unwrap();
                assert!(is_worthwhile(&*rt, 2, Cost::ns(pays_from / 2)), "{faster:?}");
                assert!(!is_worthwhile(&*rt, 2, Cost::ns(pays_from / 2 - 1)), "{faster:?}");
            }
        }
    }

    #[test]
    fn every_call_is_measured() {
        let mut found = BreakEven::default();
        found.measure(&parcrypt_runtime::Serial, State::Spinning);
        assert!(found.times.iter().all(|(serial, parallel)| serial.len() == 1 && parallel[0] > 0.0));
    }
}
