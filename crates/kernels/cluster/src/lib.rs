//! Jobs of `parcrypt-kzg` over the ranks of MPI: a scheduler and its messages.
//!
//! `scheduler.rs` assigns jobs to ranks; `session.rs` exchanges the messages, whose bytes are in `wire.rs`; only
//! `net.rs` calls MPI. They need the feature `mpi`; the tests of scheduler and bytes run without it too. The example
//! `machines` predicts the time of a run on more machines.
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
pub use session::{Completion, EncodedJob, Limits, MakeRuntime, NextJob, Session};
