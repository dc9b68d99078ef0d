//! Computation over the ranks of MPI, or the error of a build without it.

#[cfg(not(feature = "mpi"))]
mod absent;
#[cfg(feature = "mpi")]
mod mpi;

use std::process::ExitCode;

#[cfg(not(feature = "mpi"))]
use absent as mpi;

use crate::error::fail;
pub(crate) use mpi::{Error, Session, over};

/// Prints an error of the ranks.
pub(crate) fn failed(error: Error) -> ExitCode {
    fail(format_args!("--mpi: {error}"))
}
