//! Ranks of MPI: rank 0 leads, and the others serve it.

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use parcrypt_cluster::{Completion, Limits};
pub(crate) use parcrypt_cluster::{Error, Session};
use parcrypt_cpu::Requests;
use parcrypt_kzg::Shadow;
use parcrypt_runtime::Runtime;

use super::failed;
use crate::error::{ERROR, INTERRUPTED, fail};
use crate::interrupt;
use crate::requests;

/// Starts MPI and runs `lead` on rank 0, which the others serve. `make` builds the runtime of a rank from the number
/// of its threads, where rank 0 asks for one, and the number of ranks on this machine. `stopped` returns afterwards
/// whether the user has stopped the job.
pub(crate) fn over(
    silence: Duration,
    make: &dyn Fn(Option<NonZeroUsize>, usize) -> Result<Box<dyn Runtime>, String>,
    lead: impl FnOnce(&mut Session) -> ExitCode,
    stopped: impl FnOnce() -> bool,
) -> Result<ExitCode, Error> {
    let mut session = Session::start(Limits { silence, stuck })?;
    let here = session.ranks_here();
    let (requests, wrong) = match requests::from_environment() {
        Ok(requests) => (requests, None),
        Err(error) => (Requests::default(), Some(error.to_string())),
    };
    let (shadow, invalid) = match Shadow::from_environment() {
        Ok(shadow) => (shadow, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let wrong = wrong.or(invalid).or_else(|| make(None, here).err());
    let code = match (session.handshake(wrong), session.leads()) {
        (Ok(()), true) => lead(&mut session),
        (Ok(()), false) => {
            // Ctrl-C reaches all ranks; rank 0 stops, and tells the others.
            interrupt::ignore();
            let served = session.serve(&|threads| make(threads, here), &requests, shadow.as_ref());
            served.map_or_else(failed, |ending| match ending {
                Completion::Ended => ExitCode::SUCCESS,
                Completion::Stopped => ExitCode::from(INTERRUPTED),
            })
        }
        (Err(error), true) => failed(error),
        // Rank 0 prints it.
        (Err(_), false) => ExitCode::from(ERROR),
    };
    let ending = if stopped() { Completion::Stopped } else { Completion::Ended };
    Ok(session.finish(ending).map_or_else(failed, |()| code))
}

/// Ends a process that hangs in MPI.
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
    std::process::exit(ERROR.into());
}
