//! Jobs of `parcrypt-kzg` over the ranks of MPI: a scheduler, its messages, and a model of the running time.
//!
//! `scheduler.rs` assigns jobs to ranks; `session.rs` exchanges the messages, whose bytes are in `wire.rs`; only
//! `net.rs` calls MPI. They need the feature `mpi`; [`mod@model`] does not, and the tests of scheduler and bytes run
//! without it too.
//!
//! ```
//! use parcrypt_cluster::model::{Costs, Machines};
//!
//! let costs = Costs {
//!     compute: 0.027, serial: 0.08, serve: 0.0006, sent: 131_100.0, returned: 268_400.0, ready: 0.3, launch: 0.01,
//! };
//! let machines = Machines { nodes: 4, cores: 16, latency: 50e-6, bandwidth: 1.25e9 };
//! assert!(costs.predict(&machines, 1000).seconds < 1.5);
//! ```
//!
//! # How a run works
//!
//! Rank 0 has the inputs and takes the results. It sends jobs to all ranks, itself included, as they become free, and
//! delivers outcomes in order. Each rank has further jobs queued while it computes one: two for a near rank, more where
//! the round trip is long compared with the time of a job. The main thread of each rank only calls MPI
//! (`MPI_THREAD_FUNNELED`); another thread computes, with a runtime of as many threads as the user wants.
//!
//! No thread blocks in MPI: messages are polled, with sleeps between polls that grow from 20 µs to 1 ms. That takes
//! less than 1 % of a core, and a message waits for up to 1 ms; the look-ahead hides that, except at the beginning and
//! at the end of a run.

#[cfg(feature = "mpi")]
mod error;
mod launcher;
pub mod model;
#[cfg(feature = "mpi")]
mod net;
#[cfg(any(feature = "mpi", test))]
mod scheduler;
#[cfg(feature = "mpi")]
mod session;
#[cfg(any(feature = "mpi", test))]
mod wire;

#[cfg(feature = "mpi")]
pub use error::Error;
pub use launcher::Launched;
#[cfg(feature = "mpi")]
pub use session::{EncodedJob, Ending, Limits, MakeRuntime, Next, Session};

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
