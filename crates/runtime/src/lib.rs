//! One trait, three ways to run: [`Serial`], [`Rayon`], [`OpenMp`], chosen while the program runs.
//!
//! It must not know any kernel. A new runtime is a type that implements [`Runtime`], a name in [`Kind`], and a line in
//! the conformance suite of `testkit`. Kernels call the helpers of this module, never a runtime's own functions.
//!
//! ```
//! use parcrypt_runtime::{Cost, Kind, map_reduce};
//! # if cfg!(not(feature = "rayon")) { return Ok::<(), parcrypt_runtime::Error>(()); }
//! let two = std::num::NonZeroUsize::new(2).unwrap();
//! let rt = Kind::Rayon.build(two)?;
//! let sum = map_reduce(&*rt, 1000, Cost::ns(500), |i| i * i, |a, b| a + b);
//! assert_eq!(sum, Some(332_833_500));
//! # Ok::<(), parcrypt_runtime::Error>(())
//! ```

// A build with neither Rayon nor OpenMP has no use for some of these.
#[cfg_attr(not(any(feature = "rayon", openmp)), allow(dead_code))]
mod fork;
mod openmp;
#[cfg_attr(not(any(feature = "rayon", openmp)), allow(dead_code))]
mod placement;
#[cfg(feature = "rayon")]
mod rayon;
#[cfg(not(feature = "rayon"))]
#[path = "absent.rs"]
mod rayon;
#[cfg_attr(not(any(feature = "rayon", openmp)), allow(dead_code))]
mod scope;
mod serial;
mod work;

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

pub use openmp::{Library, OpenMp, Schedule, ScheduleKind};
pub use rayon::Rayon;
pub use serial::Serial;
pub use work::{Cost, enter, for_each, for_each_index, join, map, map_reduce, pays};

/// The most threads that a runtime may be asked for.
pub const MAX_THREADS: usize = 1024;

/// A way to run pieces of work at once.
///
/// Inside a task of `run` a further `run`, of whatever runtime, is serial on its worker; `join` may nest anywhere, and
/// a `run` inside a branch of `join` is parallel again. A panic in a task or a branch becomes a panic of the caller
/// with the same payload, after everything that had begun has ended; what had not begun may be left out. Several
/// threads may use one value at once.
pub trait Runtime: Send + Sync {
    /// `serial`, `rayon` or `openmp`.
    fn name(&self) -> &'static str;

    /// How many threads work at once, the caller's included.
    fn threads(&self) -> NonZeroUsize;

    /// What it costs to go parallel.
    fn fork_cost(&self) -> ForkCost;

    /// Calls `task(i)` once for every i in `0..tasks`, in any order, and returns when all have ended.
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));

    /// Calls both, perhaps at once, and returns when both have ended.
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send));

    /// Calls `body` once, on a thread from which this runtime's calls cost least.
    ///
    /// Work that goes parallel many times in a row enters once, so that its caller goes to sleep once and not each time.
    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        body();
    }
}

/// What it costs to go parallel: the time from the call of `run` with two empty tasks on two threads to its return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkCost {
    /// While the workers still spin after other work, in nanoseconds.
    pub spinning_ns: u64,
    /// When the workers have gone to sleep, in nanoseconds.
    pub asleep_ns: u64,
}

impl ForkCost {
    /// Nothing is forked.
    pub const NONE: ForkCost = ForkCost { spinning_ns: 0, asleep_ns: 0 };
    /// Measured by `examples/fork_cost.rs`; the crate's tests do not depend on it, the decisions of [`pays`] do.
    pub const RAYON: ForkCost = ForkCost { spinning_ns: 17_000, asleep_ns: 100_000 };
    /// As for Rayon. Spinning is dearer than an empty region, 0.5 µs, because tasks cost more than that.
    pub const OPENMP: ForkCost = ForkCost { spinning_ns: 2_000, asleep_ns: 100_000 };
}

/// The runtimes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// [`Serial`].
    Serial,
    /// [`Rayon`], with a pool of its own.
    Rayon,
    /// [`OpenMp`], with [`Schedule::DYNAMIC`].
    OpenMp,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Serial, Kind::Rayon, Kind::OpenMp];

    /// The one spelling that code, plans, records and documents use.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Serial => "serial",
            Kind::Rayon => "rayon",
            Kind::OpenMp => "openmp",
        }
    }

    /// Makes a runtime of this kind.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where this build lacks it, [`Error::SerialThreads`] for `serial` with more than one
    /// thread, [`Error::Threads`] and [`Error::Spawn`] where so many threads cannot be had.
    pub fn build(self, threads: NonZeroUsize) -> Result<Box<dyn Runtime>, Error> {
        Ok(match self {
            Kind::Serial if threads.get() > 1 => return Err(Error::SerialThreads { asked: threads.get() }),
            Kind::Serial => Box::new(Serial),
            Kind::Rayon => Box::new(Rayon::new(threads)?),
            Kind::OpenMp => Box::new(OpenMp::new(threads, Schedule::DYNAMIC)?),
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| Error::UnknownRuntime { given: text.to_owned() })
    }
}

/// Why there is no such runtime here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No runtime has that name.
    #[error("unknown runtime `{given}`: it can be `serial`, `rayon` or `openmp`")]
    UnknownRuntime {
        /// What was given.
        given: String,
    },
    /// No schedule is written so.
    #[error(
        "unknown schedule `{given}`: it is `static`, `dynamic` or `guided`, with `,CHUNK` (from 1) behind or not"
    )]
    UnknownSchedule {
        /// What was given.
        given: String,
    },
    /// This build has no such runtime.
    #[error("runtime `{runtime}` is not available: {why}")]
    Unavailable {
        /// Which.
        runtime: &'static str,
        /// What is missing.
        why: &'static str,
    },
    /// More threads than [`MAX_THREADS`].
    #[error("{asked} threads: at most {MAX_THREADS} are supported")]
    Threads {
        /// How many were asked for.
        asked: usize,
    },
    /// `serial` runs on one thread.
    #[error("runtime `serial` runs on 1 thread, {asked} were asked for")]
    SerialThreads {
        /// How many were asked for.
        asked: usize,
    },
    /// A chunk that OpenMP cannot count.
    #[error("a chunk of {asked} tasks: at most 2147483647 are supported")]
    Chunk {
        /// How many tasks were asked for.
        asked: usize,
    },
    /// The system does not give that many threads.
    #[error("{threads} threads cannot be started here: {why}")]
    Spawn {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        #[source]
        why: std::io::Error,
    },
}

fn check_threads(threads: NonZeroUsize) -> Result<(), Error> {
    if threads.get() > MAX_THREADS { Err(Error::Threads { asked: threads.get() }) } else { Ok(()) }
}

/// Starts that many threads at once and ends them, for runtimes that end the process where they get too few.
fn try_threads(threads: NonZeroUsize) -> Result<(), Error> {
    let gate = std::sync::Mutex::new(());
    let closed = gate.lock();
    let started = std::thread::scope(|s| {
        let started: Result<Vec<_>, _> = (1..threads.get())
            .map(|_| std::thread::Builder::new().spawn_scoped(s, || drop(gate.lock())))
            .collect();
        drop(closed);
        started.map(|_| ())
    });
    started.map_err(|why| Error::Spawn { threads: threads.get(), why })
}
