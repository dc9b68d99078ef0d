//! Replacement of the ranks in a build without the feature `mpi`: there is no [`Session`], and an [`Error`] has the
//! reason.

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use parcrypt_runtime::Runtime;

/// Ranks, which this build cannot start.
pub(crate) enum Session {}

impl Session {
    pub(crate) fn ranks(&self) -> usize {
        match *self {}
    }

    pub(crate) fn ranks_here(&self) -> usize {
        match *self {}
    }
}

/// The build has no MPI.
#[derive(Debug, thiserror::Error)]
#[error(
    "this build has no MPI: `make mpi` builds it, or `cargo build --release -p parcrypt --features mpi` where \
     mpicc and libclang are"
)]
pub(crate) struct Error;

/// Returns the error that there is no MPI.
pub(crate) fn over(
    _silence: Duration,
    _make: &dyn Fn(Option<NonZeroUsize>, usize) -> Result<Box<dyn Runtime>, String>,
    _lead: impl FnOnce(&mut Session) -> ExitCode,
    _stopped: impl FnOnce() -> bool,
) -> Result<ExitCode, Error> {
    Err(Error)
}
