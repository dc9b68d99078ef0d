//! Waiting of a rank, which must not block in MPI, because MPI would spin.

use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

/// Expected length of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Within the measured work.
    Short,
    /// Until the next request, which may be minutes away.
    Long,
}

/// Polls of a request before the processor is yielded, and before a rank of a crowded node sleeps in between.
const SPINS: u32 = 50;
const YIELDS: u32 = 100;
/// Shortest useful sleep. A shorter one takes 50 µs all the same, the slack of timers.
const MIN: Duration = Duration::from_micros(20);
/// Longest sleep: 60 wake-ups a second cost an idle rank almost nothing.
const MAX: Duration = Duration::from_millis(16);

/// A wait for one or several requests.
#[derive(Debug)]
pub struct Wait {
    crowded: bool,
    tries: u32,
    /// Start of a long wait.
    begun: Option<Instant>,
}

impl Wait {
    /// Begins to wait. `crowded` means that the ranks of this node have less than one processor each.
    pub fn new(crowded: bool, patience: Patience) -> Self {
        Wait { crowded, tries: 0, begun: (patience == Patience::Long).then(Instant::now) }
    }

    /// Yields after a poll of a request that was not complete.
    pub fn pause(&mut self) {
        self.tries += u32::from(self.tries < YIELDS);
        if self.tries <= SPINS {
            return;
        }
        // A sleep of a sixteenth of the time waited so far adds little to the wait.
        let nap = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed() / 16);
        if nap >= MIN {
            sleep(nap.min(MAX));
        } else if self.crowded && self.tries >= YIELDS {
            // MPICH gives each rank a session of its own, and Linux may schedule sessions as groups (autogroup): then a
            // yield does not give the processor to a process outside, and a message takes a tick, 4 ms. The shortest
            // sleep takes 50 µs. With less slack the timers of many ranks take the processor.
            sleep(Duration::from_nanos(1));
        } else {
            yield_now();
        }
    }
}

/// Returns the processors that this process may use, a bit for each of the first 1024; none if the system does not
/// report them, which makes ranks count as crowded.
pub fn processors() -> [u64; 16] {
    let mut bits = [0; 16];
    if let Ok(set) = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)) {
        for i in (0..1024).filter(|i| set.is_set(*i) == Ok(true)) {
            bits[i / 64] |= 1 << (i % 64);
        }
    }
    bits
}
