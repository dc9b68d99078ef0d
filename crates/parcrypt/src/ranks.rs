//! Computation over the ranks of MPI, or the error of a build without it.

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use parcrypt_runtime::Runtime;

use crate::error::fail;
#[cfg(not(feature = "mpi"))]
pub(crate) use absent::{Error, Session};
#[cfg(feature = "mpi")]
pub(crate) use parcrypt_cluster::{Error, Session};

/// Builds the runtime of a rank from the number of its threads, if rank 0 asks for one, and the number of ranks on this
/// machine.
type MakeRuntime<'a> = &'a dyn Fn(Option<NonZeroUsize>, usize) -> Result<Box<dyn Runtime>, String>;

pub(crate) fn failed(error: Error) -> ExitCode {
    fail(format_args!("--mpi: {error}"))
}

/// Starts MPI and runs `lead` on rank 0, which the others serve. If `lead` was stopped by the user, all ranks return
/// its exit code.
#[cfg(feature = "mpi")]
pub(crate) fn over(
    silence: Duration,
    make: MakeRuntime<'_>,
    lead: impl FnOnce(&mut Session) -> ExitCode,
) -> Result<ExitCode, Error> {
    use crate::error::{ERROR, INTERRUPTED};
    use crate::{interrupt, requests};
    use parcrypt_cluster::{Completion, Limits};
    use parcrypt_cpu::Requests;

    let mut session = Session::start(Limits { silence, stuck })?;
    let here = session.ranks_here();
    let (requests, wrong) = match requests::from_environment() {
        Ok(requests) => (requests, None),
        Err(error) => (Requests::default(), Some(error.to_string())),
    };
    let wrong = wrong.or_else(|| make(None, here).err());
    let code = match (session.handshake(wrong), session.leads()) {
        (Ok(()), true) => lead(&mut session),
        (Ok(()), false) => {
            // Ctrl-C reaches all ranks; rank 0 stops, and tells the others.
            interrupt::ignore();
            let served = session.serve(&|threads| make(threads, here), &requests);
            served.map_or_else(failed, |ending| match ending {
                Completion::Ended => ExitCode::SUCCESS,
                Completion::Stopped => ExitCode::from(INTERRUPTED),
            })
        }
        (Err(error), true) => failed(error),
        // Rank 0 prints it.
        (Err(_), false) => ExitCode::from(ERROR),
    };
    let is_stopped = code == ExitCode::from(INTERRUPTED);
    let ending = if is_stopped { Completion::Stopped } else { Completion::Ended };
    Ok(session.finish(ending).map_or_else(failed, |()| code))
}

/// Ends a process that hangs in MPI.
#[cfg(feature = "mpi")]
fn stuck(after: Duration) {
    fail(format_args!(
        "--mpi: MPI has not come back for {} s: another rank or the way to it is gone; complete results are kept; run the \
         same command to resume",
        after.as_secs()
    ));
    // The exit handlers of MPI may wait for the thread that hangs in it.
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(2));
        let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
    });
    std::process::exit(crate::error::ERROR.into());
}

#[cfg(not(feature = "mpi"))]
pub(crate) fn over(
    _silence: Duration,
    _make: MakeRuntime<'_>,
    _lead: impl FnOnce(&mut Session) -> ExitCode,
) -> Result<ExitCode, Error> {
    Err(Error)
}

/// Replacement of the types of ranks in a build without the feature `mpi`.
#[cfg(not(feature = "mpi"))]
mod absent {
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

    #[derive(Debug, thiserror::Error)]
    #[error(
        "this build has no MPI: `make mpi` builds it, or `cargo build --release -p parcrypt --features mpi` where \
         mpicc and libclang are"
    )]
    pub(crate) struct Error;
}
