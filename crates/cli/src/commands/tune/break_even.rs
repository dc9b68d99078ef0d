//! The least work that a runtime does faster than one thread, found by doubling the work.

use std::hint::black_box;
use std::time::Instant;

use parcrypt_runtime::Runtime;

use super::median;
use crate::fork_cost::IDLE;

/// State of the workers before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// They look for work still.
    Spinning,
    /// They sleep.
    Asleep,
}

impl State {
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
    /// where the largest is not.
    pub(super) fn least(&self) -> Option<f64> {
        let medians = self
            .times
            .iter()
            .map(|(serial, parallel)| (median(serial.iter().copied()), median(parallel.iter().copied())));
        let faster = medians.rev().take_while(|(serial, parallel)| parallel < serial);
        faster.last().map(|(serial, _)| serial)
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
    use super::*;

    #[test]
    fn the_least_work_is_the_first_of_all_that_are_faster() {
        let of = |faster: &[usize]| {
            let mut found = BreakEven::default();
            for (call, (serial, parallel)) in found.times.iter_mut().enumerate() {
                let time = (1 << call) as f64;
                // A disturbed call among three changes nothing.
                serial.extend([time, time, 1e9]);
                let parallel_time = if faster.contains(&call) { 0.6 * time } else { time };
                parallel.extend([parallel_time, 1e9, parallel_time]);
            }
            found.least()
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[10, 11]), None, "the largest is not");
        assert_eq!(of(&[12]), Some(4096.0));
        assert_eq!(of(&[2, 10, 11, 12]), Some(1024.0), "one that is faster by chance does not count");
        assert_eq!(of(&(0..CALLS).collect::<Vec<_>>()), Some(1.0));
        assert_eq!(BreakEven::default().least(), None);
    }

    #[test]
    fn every_call_is_measured() {
        let mut found = BreakEven::default();
        found.measure(&parcrypt_runtime::Serial, State::Spinning);
        assert!(found.times.iter().all(|(serial, parallel)| serial.len() == 1 && parallel[0] > 0.0));
    }
}
