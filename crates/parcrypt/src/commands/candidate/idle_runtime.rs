//! A parallel runtime that a workload does not use, for measuring the cost of its presence.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use parcrypt_runtime::{Kind, Runtime};

use crate::runtimes;
use crate::workload::Error;

/// Approximate time of a parallel section on one thread.
const SECTION: Duration = Duration::from_micros(40);
/// Tasks of a section per thread, so that threads that start late have tasks too.
const TASKS: usize = 4;
/// Minimum time of the iterations after a section: the clock resolves about 25 ns.
const PIECE: Duration = Duration::from_micros(50);
/// Maximum number of iterations after a section; a workload that needs more does nothing.
const MAX_PER_PIECE: u64 = 1 << 20;

/// State of a runtime while a workload runs on the caller's thread alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum RuntimeState {
    // Without descriptions: with them the help has three lines for the flag.
    Absent,
    Idle,
    Used,
}

impl RuntimeState {
    /// Returns the name: `absent` (not started), `idle` (its threads wait), or `used` (one of its parallel sections
    /// ends just before each timed piece of the workload).
    fn name(self) -> &'static str {
        match self {
            RuntimeState::Absent => "absent",
            RuntimeState::Idle => "idle",
            RuntimeState::Used => "used",
        }
    }
}

pub(super) struct IdleRuntime {
    runtime: Option<Box<dyn Runtime>>,
    used: bool,
    piece: Option<u64>,
    /// Its name and state, such as `rayon idle`.
    pub(super) about: String,
}

impl IdleRuntime {
    pub(super) fn new(kind: Kind, idle_runtime: RuntimeState, threads: usize) -> Result<Self, Error> {
        let runtime = match idle_runtime {
            RuntimeState::Absent => None,
            RuntimeState::Idle | RuntimeState::Used => Some(runtimes::build(kind, threads)?),
        };
        let about = format!("{kind} {}", idle_runtime.name());
        let idle = IdleRuntime { runtime, used: idle_runtime == RuntimeState::Used, piece: None, about };
        // Some libraries start their threads only at the first section.
        idle.section();
        Ok(idle)
    }

    fn section(&self) {
        let Some(runtime) = &self.runtime else { return };
        runtime.run(TASKS * runtime.threads().get(), &|_| {
            let begun = Instant::now();
            while begun.elapsed() < SECTION / TASKS as u32 {
                std::hint::spin_loop();
            }
        });
    }

    /// Returns the iterations of a piece, for the counts of a sample. They are the same in all samples of a process;
    /// another process may find twice as many or half.
    pub(super) fn count(&self) -> Option<(String, u64)> {
        self.piece.map(|piece| ("peak-iterations-per-piece".to_owned(), piece))
    }

    /// Runs a section, then this many iterations, and returns the time of the iterations.
    fn piece(&self, iterations: u64, iteration: &mut impl FnMut()) -> Duration {
        self.section();
        let begun = Instant::now();
        (0..iterations).for_each(|_| iteration());
        begun.elapsed()
    }

    /// Returns the least power of two of iterations that take [`PIECE`] even in the fastest of three tries: a disturbed
    /// try would seem long enough too early.
    fn find_piece(&self, iteration: &mut impl FnMut()) -> u64 {
        let mut piece = 1;
        while piece < MAX_PER_PIECE && (0..3).any(|_| self.piece(piece, iteration) < PIECE) {
            piece *= 2;
        }
        piece
    }

    /// Runs `iteration` this many times, and returns the time without the sections between. The first call, which
    /// should be a warm-up, first measures the number of iterations of a piece.
    pub(super) fn time(&mut self, iterations: u64, mut iteration: impl FnMut()) -> Duration {
        if !self.used {
            let begun = Instant::now();
            (0..iterations).for_each(|_| iteration());
            return begun.elapsed();
        }
        let piece = self.piece.unwrap_or_else(|| self.find_piece(&mut iteration));
        self.piece = Some(piece);
        let (mut left, mut all) = (iterations, Duration::ZERO);
        while left > 0 {
            // The rest belongs to the last whole piece, so that every piece is long enough.
            let now = if left < 2 * piece { left } else { piece };
            all += self.piece(now, &mut iteration);
            left -= now;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::{Arc, Mutex};

    use parcrypt_runtime::ForkCost;

    use super::*;

    struct Counted(Arc<Mutex<Vec<u64>>>);

    impl Runtime for Counted {
        fn name(&self) -> &'static str {
            "counted"
        }

        fn threads(&self) -> NonZeroUsize {
            NonZeroUsize::MIN
        }

        fn fork_cost(&self) -> ForkCost {
            ForkCost::NONE
        }

        fn run(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {
            self.0.lock().unwrap().push(0);
        }

        fn join(&self, _: &mut (dyn FnMut() + Send), _: &mut (dyn FnMut() + Send)) {}
    }

    /// Checks that there is a section before each piece, and none before a remainder.
    #[test]
    fn a_rest_joins_the_last_piece() {
        for (iterations, sections) in [(1, 1), (3, 1), (4, 1), (7, 1), (8, 2), (11, 2), (12, 3), (15, 3)] {
            let sizes = Arc::new(Mutex::new(Vec::new()));
            let runtime: Option<Box<dyn Runtime>> = Some(Box::new(Counted(sizes.clone())));
            let mut idle = IdleRuntime { runtime, used: true, piece: Some(4), about: String::new() };
            idle.time(iterations, || *sizes.lock().unwrap().last_mut().unwrap() += 1);
            let sizes = sizes.lock().unwrap();
            assert_eq!((sizes.len(), sizes.iter().sum::<u64>()), (sections, iterations), "{sizes:?}");
            assert!(iterations < 4 || sizes.iter().all(|size| *size >= 4), "{sizes:?}");
        }
    }

    #[test]
    fn a_section_is_not_part_of_the_time() {
        let mut idle = IdleRuntime::new(Kind::Serial, RuntimeState::Used, 1).unwrap();
        let begun = Instant::now();
        // Each iteration is a piece of its own, as it is long enough.
        let time = idle.time(20, || std::thread::sleep(PIECE));
        assert!(time + 20 * SECTION <= begun.elapsed(), "{time:?} of {:?}", begun.elapsed());
        assert!(idle.piece == Some(1) && time >= 20 * PIECE);
    }
}
