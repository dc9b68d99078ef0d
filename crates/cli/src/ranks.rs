//! Computing over the ranks of MPI, or the error that this build cannot.

#[cfg(not(feature = "mpi"))]
mod absent;
#[cfg(feature = "mpi")]
mod mpi;

#[cfg(not(feature = "mpi"))]
use absent as mpi;

pub(crate) use mpi::{Error, Session, failed, over};
