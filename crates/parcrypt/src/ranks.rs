//! Computation over the ranks of MPI, or the error of a build without it.

#[cfg(not(feature = "mpi"))]
mod absent;
#[cfg(feature = "mpi")]
mod mpi;

#[cfg(not(feature = "mpi"))]
use absent as mpi;

pub(crate) use mpi::{Error, Session, failed, over};
