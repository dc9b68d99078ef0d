//! The tree on a Unix without `/proc`: the process group of the process that was started. A process that has left the
//! group, such as a rank of MPI, is neither stopped nor ended with it. Threads are not looked at.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Instant;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::process::{WaitId, WaitIdOptions, waitid};

use super::{Disturbance, LIMIT, PAUSE};

/// All processes of a candidate's group.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    leader: Pid,
}

/// A process that did not stop.
#[derive(Debug, thiserror::Error)]
#[error("its process {pid} did not stop within {} s", LIMIT.as_secs())]
pub(crate) struct StopError {
    pid: Pid,
}

/// Starts a command in a session of its own: it leads a process group, and has no terminal that it could wait for, as
/// for a password. A candidate ends with a lab that was killed, because its standard input ends.
pub fn in_a_session(command: &mut Command) {
    // SAFETY: between fork and exec only setsid is called, which is async-signal-safe; nothing is allocated.
    #[expect(unsafe_code, reason = "the only way to run code between fork and exec")]
    unsafe {
        command.pre_exec(|| Ok(nix::unistd::setsid().map(drop)?));
    }
}

/// Returns 0: processes of candidates whose lab was killed are not found.
pub(crate) fn kill_orphans() -> usize {
    0
}

impl ProcessTree {
    /// Returns the tree of a process that was just started and leads a process group.
    pub(crate) fn of(child: &Child, _: String) -> Self {
        ProcessTree { leader: Pid::from_raw(child.id().cast_signed()) }
    }

    /// Returns the same tree, to be looked at by another thread.
    pub(crate) fn again(&self) -> Self {
        ProcessTree { leader: self.leader }
    }

    /// Returns `false`: the process may have exited, and a wait says whether.
    pub(crate) fn has_leader(&self) -> bool {
        false
    }

    /// Stops the group and waits until the process that was started is stopped.
    pub(crate) fn stop(&mut self) -> Result<(), StopError> {
        let begun = Instant::now();
        let _ = killpg(self.leader, Signal::SIGSTOP);
        let Some(leader) = rustix::process::Pid::from_raw(self.leader.as_raw()) else { return Ok(()) };
        let options =
            WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that it has exited and was waited for.
        while let Ok(None) = waitid(WaitId::Pid(leader), options) {
            if begun.elapsed() > LIMIT {
                return Err(StopError { pid: self.leader });
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Does nothing: see [`ProcessTree::disturbance`].
    pub(crate) fn observe(&mut self) {}

    /// Returns zeros, because the system does not count for one thread of another process.
    pub(crate) fn disturbance(&self) -> Disturbance {
        Disturbance::default()
    }

    /// Returns no times, as [`ProcessTree::disturbance`].
    pub(crate) fn run_times(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Returns 0: the memory is not known.
    pub(crate) fn memory(&self) -> u64 {
        0
    }

    /// Does nothing: no thread is bound.
    pub(crate) fn bind(&self, _: &[usize]) {}

    /// Does nothing: no thread is bound.
    pub(crate) fn bind_leader(&self, _: &[usize]) {}

    /// Returns `true`, because it is not known, so that every candidate is stopped between its turns.
    pub(crate) fn is_busy(&mut self) -> bool {
        true
    }

    /// Resumes the group.
    pub(crate) fn resume(&self) {
        let _ = killpg(self.leader, Signal::SIGCONT);
    }

    /// Kills the group. The number of a group stays in use as long as one of its processes exists.
    pub(crate) fn end(&mut self) {
        let _ = killpg(self.leader, Signal::SIGKILL);
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_group_is_stopped_resumed_and_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do sleep 0.01; done & wait"]).stdout(Stdio::null());
        in_a_session(&mut command);
        let mut child = command.spawn().unwrap();
        let mut tree = ProcessTree::of(&child, String::new());
        let mut real = super::super::ProcessTree::of(&child, String::new());
        while real.processes().len() < 2 {
            std::thread::sleep(PAUSE);
        }
        let stat = format!("/proc/{}/stat", tree.leader);
        let state = || std::fs::read_to_string(&stat).unwrap();
        let has = |state: &str, letter: &str| state.contains(&format!(") {letter} "));
        tree.stop().unwrap();
        assert!(has(&state(), "T"), "{}", state());
        tree.resume();
        while has(&state(), "T") {
            std::thread::sleep(PAUSE);
        }
        tree.again().end();
        child.wait().unwrap();
        while !real.processes().is_empty() {
            std::thread::sleep(PAUSE);
        }
        assert!(tree.stop().is_ok(), "it is gone");
    }
}
