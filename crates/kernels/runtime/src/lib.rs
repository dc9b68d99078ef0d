//! One trait, [`Runtime`], and three runtimes to choose from while the program runs: [`Serial`], [`Rayon`], [`OpenMp`].
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
//!
//! Kernels call the helpers of this crate, such as [`map_reduce`], and no function of a runtime. The crate depends on
//! `parcrypt-cpu` only. A new runtime is a type that implements [`Runtime`] and a name in [`Kind`]; the tests find it
//! there.

#![cfg_attr(not(feature = "rayon"), allow(rustdoc::broken_intra_doc_links))]

mod costs;
// A build with neither Rayon nor OpenMP does not use some of these.
#[cfg(feature = "threads")]
#[cfg_attr(not(any(feature = "rayon", openmp)), allow(dead_code))]
mod fork;
#[cfg(feature = "threads")]
mod openmp;
#[cfg(feature = "threads")]
#[cfg_attr(not(any(feature = "rayon", openmp)), allow(dead_code))]
mod placement;
#[cfg(feature = "rayon")]
mod rayon;
#[cfg_attr(not(any(feature = "rayon", openmp)), allow(dead_code))]
mod scope;
mod serial;
mod work;

use std::fmt;
use std::num::NonZeroUsize;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::str::FromStr;

#[cfg(feature = "threads")]
pub use openmp::{OpenMp, OpenMpLibrary};
#[cfg(feature = "rayon")]
pub use rayon::Rayon;
pub use serial::Serial;
pub use work::{Cost, enter, for_each, for_each_index, is_worthwhile, join, map, map_reduce};

/// Maximum number of threads of a runtime.
pub const MAX_THREADS: usize = 1024;

/// A way to run tasks in parallel.
///
/// Inside a task of `run` a further `run`, of any runtime, is serial on its worker; `join` may nest anywhere, and a
/// `run` inside a branch of `join` is parallel again. A panic in a task or a branch becomes a panic of the caller with
/// the same payload, after all tasks that have begun have ended; the others may be skipped. A runtime works after a
/// panic as before. Several threads may use one value at once.
pub trait Runtime: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Returns the name: `serial`, `rayon` or `openmp`.
    fn name(&self) -> &'static str;

    /// Returns the number of threads that work at once, the caller's included.
    fn threads(&self) -> NonZeroUsize;

    /// Returns the time to go parallel.
    fn fork_cost(&self) -> ForkCost;

    /// Calls `task(i)` once for every i in `0..tasks`, in any order, and returns when all have ended.
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));

    /// Calls both, possibly in parallel, and returns when both have ended.
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send));

    /// Calls `body` once, on a thread from which calls of this runtime cost least.
    ///
    /// Work that goes parallel many times in a row enters once, so that its caller sleeps once and not each time.
    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        body();
    }
}

/// The time to go parallel: from the call of `run` with two empty tasks on two threads to its return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkCost {
    /// Time while the workers still spin after other work, in ns.
    pub spinning_ns: u64,
    /// Time when the workers sleep, in ns.
    pub asleep_ns: u64,
}

/// The runtimes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// [`Serial`].
    Serial,
    /// [`Rayon`], with a pool of its own.
    Rayon,
    /// [`OpenMp`].
    OpenMp,
}

impl Kind {
    /// All kinds, in the order of the declaration.
    pub const ALL: [Kind; 3] = [Kind::Serial, Kind::Rayon, Kind::OpenMp];

    /// Returns the name: `serial`, `rayon` or `openmp`.
    ///
    /// [`FromStr`] reads exactly this spelling; [`Error::UnknownRuntime`] for another.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Serial => "serial",
            Kind::Rayon => "rayon",
            Kind::OpenMp => "openmp",
        }
    }

    /// Returns a new runtime of this kind.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if this build lacks it, [`Error::SerialThreads`] for `serial` with more than one
    /// thread, [`Error::Threads`] and [`Error::Spawn`] if the system refuses that many threads.
    pub fn build(self, threads: NonZeroUsize) -> Result<Box<dyn Runtime>, Error> {
        Ok(match self {
            Kind::Serial if threads.get() > 1 => return Err(Error::SerialThreads { asked: threads.get() }),
            Kind::Serial => Box::new(Serial),
            #[cfg(feature = "rayon")]
            Kind::Rayon => Box::new(Rayon::new(threads)?),
            #[cfg(not(feature = "rayon"))]
            Kind::Rayon => {
                let why = "this build has the feature `rayon` off";
                return Err(Error::Unavailable { runtime: "rayon", why });
            }
            #[cfg(feature = "threads")]
            Kind::OpenMp => Box::new(OpenMp::new(threads)?),
            #[cfg(not(feature = "threads"))]
            Kind::OpenMp => {
                let why = "this build has the feature `openmp` off";
                return Err(Error::Unavailable { runtime: "openmp", why });
            }
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

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| Error::UnknownRuntime { given: name.to_owned() })
    }
}

/// The reason why a runtime could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No runtime has that name.
    UnknownRuntime {
        /// The given text.
        given: String,
    },
    /// This build has no such runtime.
    Unavailable {
        /// The runtime.
        runtime: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// More threads than [`MAX_THREADS`].
    Threads {
        /// The requested number of threads.
        asked: usize,
    },
    /// `serial` runs on one thread.
    SerialThreads {
        /// The requested number of threads.
        asked: usize,
    },
    /// The system refused that many threads.
    Spawn {
        /// The requested number of threads.
        threads: usize,
        /// The error of the system.
        why: std::io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownRuntime { given } => {
                write!(f, "unknown runtime `{given}`: it can be `serial`, `rayon` or `openmp`")
            }
            Error::Unavailable { runtime, why } => write!(f, "runtime `{runtime}` is not available: {why}"),
            Error::Threads { asked } => write!(f, "{asked} threads: at most {MAX_THREADS} are supported"),
            Error::SerialThreads { asked } => {
                write!(f, "runtime `serial` runs on 1 thread, {asked} were asked for")
            }
            Error::Spawn { threads, why } => write!(f, "{threads} threads cannot be started here: {why}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Spawn { why, .. } => Some(why),
            _ => None,
        }
    }
}
