//! A parallel runtime beside work that does not use it: what its presence costs is measured against its absence.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use parcrypt_runtime::{Kind, Runtime, Schedule};

use crate::kernel::{self, Error};

/// What a parallel section does on one thread for, about.
const SECTION: Duration = Duration::from_micros(40);
/// Tasks of a section for each thread of its runtime, so that late threads get some of them too.
const TASKS: usize = 4;
/// How long a piece of the work takes at least that follows a section: a clock reads to some 25 ns.
const PIECE: Duration = Duration::from_micros(50);

/// Where a runtime is while work runs on the caller's thread alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Nothing of it was started.
    Absent,
    /// Its threads have been started, and wait for work.
    Idle,
    /// A parallel section of it has ended just before each timed piece of the work.
    Used,
}

impl Presence {
    /// All of them.
    pub(crate) const ALL: [Presence; 3] = [Presence::Absent, Presence::Idle, Presence::Used];

    /// The one spelling.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Presence::Absent => "absent",
            Presence::Idle => "idle",
            Presence::Used => "used",
        }
    }
}

impl fmt::Display for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Presence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Presence::ALL.into_iter().find(|presence| presence.name() == text);
        found.ok_or_else(|| format!("unknown presence `{text}`: it can be `absent`, `idle` or `used`"))
    }
}

/// A runtime that does none of the work that is measured.
pub(crate) struct Bystander {
    /// The runtime, where it was started.
    runtime: Option<Box<dyn Runtime>>,
    /// Whether a section comes before each piece.
    used: bool,
    /// Iterations of a piece.
    piece: u64,
    /// What it is, as `rayon idle`.
    pub(crate) about: String,
}

impl Bystander {
    /// Starts the runtime with so many threads, unless it shall be absent.
    ///
    /// # Errors
    /// Those of [`kernel::runtime`].
    pub(crate) fn new(
        kind: Kind,
        schedule: Option<Schedule>,
        presence: Presence,
        threads: usize,
    ) -> Result<Self, Error> {
        let runtime = match presence {
            Presence::Absent => None,
            Presence::Idle | Presence::Used => Some(kernel::runtime(kind, schedule, threads)?),
        };
        let about = format!("{kind} {presence}");
        let bystander = Bystander { runtime, used: presence == Presence::Used, piece: 1, about };
        // Some libraries start their threads at the first section.
        bystander.section();
        Ok(bystander)
    }

    /// A parallel section on all threads.
    fn section(&self) {
        let Some(runtime) = &self.runtime else { return };
        runtime.run(TASKS * runtime.threads().get(), &|_| {
            let begun = Instant::now();
            while begun.elapsed() < SECTION / TASKS as u32 {
                std::hint::spin_loop();
            }
        });
    }

    /// Does `iteration` so many times, and says how long that took, without the sections between.
    pub(crate) fn time(&mut self, iterations: u64, mut iteration: impl FnMut()) -> Duration {
        if !self.used {
            let begun = Instant::now();
            (0..iterations).for_each(|_| iteration());
            return begun.elapsed();
        }
        let (mut left, mut all) = (iterations, Duration::ZERO);
        while left > 0 {
            let piece = self.piece.min(left);
            self.section();
            let begun = Instant::now();
            (0..piece).for_each(|_| iteration());
            let elapsed = begun.elapsed();
            all += elapsed;
            left -= piece;
            // Found in the warm-up; it only grows, so that samples have the same pieces.
            if elapsed < PIECE && piece == self.piece {
                self.piece *= 2;
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_iteration_is_done_once_whatever_is_beside_it() {
        for presence in Presence::ALL {
            assert_eq!(presence.to_string().parse(), Ok(presence));
            for kind in [Kind::Serial, Kind::Rayon] {
                let threads = if kind == Kind::Serial { 1 } else { 2 };
                let mut beside = Bystander::new(kind, None, presence, threads).unwrap();
                assert_eq!(beside.runtime.is_some(), presence != Presence::Absent);
                for iterations in [1, 2, 3, 1000] {
                    let mut done = 0;
                    let time = beside.time(iterations, || done += 1);
                    assert_eq!(done, iterations);
                    assert!(time > Duration::ZERO);
                }
                assert_eq!(beside.piece > 1, presence == Presence::Used, "{kind} {presence}");
            }
        }
        assert!("gone".parse::<Presence>().is_err());
    }

    #[test]
    fn a_section_is_no_part_of_the_time() {
        let mut beside = Bystander::new(Kind::Serial, None, Presence::Used, 1).unwrap();
        let begun = Instant::now();
        // Each iteration is a piece of its own, as it is long enough.
        let time = beside.time(20, || std::thread::sleep(PIECE));
        assert!(time + 20 * SECTION <= begun.elapsed(), "{time:?} of {:?}", begun.elapsed());
        assert!(beside.piece == 1 && time >= 20 * PIECE);
    }
}
