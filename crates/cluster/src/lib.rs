//! KZG for many blobs over the ranks of MPI: who computes which piece, and how it gets there and back.
//!
//! It must not know where blobs come from nor where results go. What can be computed is an [`Op`] in `task.rs`, its bytes are
//! in `wire.rs`; what ranks say to each other is in `session.rs`, who gets which piece in `farm.rs`; MPI itself is called in
//! `net.rs` alone, which is `absent.rs` in a build without the feature `mpi`.
//!
//! Rank 0 has the inputs and takes the results. It gives pieces to all ranks, itself included, as they become free, and
//! gives results on in the order of the inputs. Each rank has the next pieces while it computes one: two for a rank that is
//! near, more where the round trip is long against the time of a piece. The main thread of each rank does nothing but MPI
//! (`MPI_THREAD_FUNNELED`), another computes, with a runtime of as many threads as its user wants.
//!
//! Nobody waits in MPI: messages are asked for, with sleeps between that grow from 20 µs to 1 ms. That takes less than 1 %
//! of a core, and a message lies for up to 1 ms until it is seen; the look-ahead hides that, but at the beginning and at the
//! end of a job.

#[cfg(not(feature = "mpi"))]
mod absent;
mod error;
mod farm;
pub mod model;
#[cfg(feature = "mpi")]
mod net;
mod session;
mod task;
mod wire;

#[cfg(not(feature = "mpi"))]
use absent as net;

pub use error::Error;
pub use farm::{Next, Piece};
pub use session::{Ending, Limits, MakeRuntime, Session};
pub use task::{Failure, Input, Made, Op, Results, Task, Verdict};

/// Whether this build can work over ranks.
///
/// # Errors
/// [`Error::NotBuilt`] where it was made without the feature `mpi`.
pub fn available() -> Result<(), Error> {
    if cfg!(feature = "mpi") { Ok(()) } else { Err(Error::NotBuilt) }
}
