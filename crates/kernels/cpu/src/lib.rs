//! The selection of a kernel's [backend](Backend) among those that this machine can run.
//!
//! ```
//! use parcrypt_cpu::{Avx2, Request, rows};
//!
//! trait Square: Sync {
//!     fn square(&self, x: u64) -> u64 {
//!         x * x
//!     }
//! }
//! struct Portable;
//! impl Square for Portable {}
//! impl Square for Avx2 {}
//!
//! rows! {
//!     /// The rows in rising order of preference.
//!     ROWS: &'static dyn Square;
//!     Portable => &Portable;
//!     Avx2(AVX2) => &AVX2;
//! }
//! assert_eq!(ROWS.select(Request::Auto)?.square(7), 49);
//! # Ok::<(), parcrypt_cpu::Error>(())
//! ```
//!
//! [`rows!`] declares the table of an operation, `methods!` the functions of a row.
//!
//! It depends on no other crate of the workspace. Add a backend's name and its detection in `backend`, the
//! type that proves it was detected in `sets`.

mod backend;
mod requests;
mod select;
#[cfg(feature = "sets")]
mod sets;

use std::fmt;
use std::num::NonZeroUsize;

pub use backend::{Backend, are_features};
pub use requests::{Requests, TABLES, VARIABLE};
pub use select::{Request, Row, Table, backends, select};
#[cfg(feature = "sets")]
pub use sets::{
    Avx2, Avx512, AvxIfma, Has, Ifma, Includes, Neon, Pclmul, Pmull, PmullEor3, Rvv, ShaNi, Simd128, Vpclmul,
    Vpclmul256,
};

/// Returns the number of threads of this process that can run at once, which is the default number of threads.
///
/// It is [`std::thread::available_parallelism`], which on Linux is the least of the affinity mask
/// (`sched_getaffinity`) and the CPU quota of the cgroup, version 1 or 2, rounded down but at least one; see the
/// notes on its page. If it is unknown it is 1. Each call makes several
/// system calls: call it once, not in a loop.
pub fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The reason why no row could be selected, or why a text of requests is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// No backend has this name.
    UnknownBackend {
        /// The name.
        name: String,
    },
    /// One of several parts of a text of requests is not a pair.
    NotAPair {
        /// The part.
        piece: String,
    },
    /// No table has this name.
    UnknownTable {
        /// The name.
        name: String,
        /// The names of the tables.
        tables: Vec<String>,
    },
    /// A text of requests has two pairs for one table.
    RepeatedTable {
        /// The name of the table.
        name: String,
    },
    /// This machine cannot run the requested backend.
    Unavailable {
        /// The requested backend.
        backend: Backend,
        /// The offered backends that can run here.
        available: Vec<Backend>,
    },
    /// The table has no row of the requested backend.
    NotOffered {
        /// The requested backend.
        backend: Backend,
        /// The offered backends.
        offered: Vec<Backend>,
    },
    /// This machine can run no offered backend.
    NoneAvailable {
        /// The offered backends.
        offered: Vec<Backend>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownBackend { name } => {
                write!(f, "unknown backend '{name}'; the backends are {}", list(&Backend::ALL))
            }
            Error::NotAPair { piece } => write!(f, "'{piece}' is not a pair table=backend"),
            Error::UnknownTable { name, tables } => {
                write!(f, "unknown table '{name}'; the tables are {}", tables.join(", "))
            }
            Error::RepeatedTable { name } => write!(f, "two requests for table '{name}'"),
            Error::Unavailable { backend, available } => {
                write!(f, "this machine cannot run backend '{backend}'; it can run {}", list(available))
            }
            Error::NotOffered { backend, offered } => {
                write!(f, "this kernel has no backend '{backend}'; it has {}", list(offered))
            }
            Error::NoneAvailable { offered } => {
                write!(f, "this machine can run none of the kernel's backends, which are {}", list(offered))
            }
        }
    }
}

impl std::error::Error for Error {}

/// Returns the names with commas between, or `none`.
fn list(backends: &[Backend]) -> String {
    if backends.is_empty() {
        return "none".to_owned();
    }
    backends.iter().map(|b| b.name()).collect::<Vec<_>>().join(", ")
}
