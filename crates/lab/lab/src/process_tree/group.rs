//! The tree on a Unix without `/proc`: the process group of the process that was started. A process that has left the
//! group, such as a rank of MPI, is neither stopped nor ended with it. Threads are not looked at.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Instant;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::process::{WaitId, WaitIdOptions, waitid};

use super::StopError;
use crate::method::{EXIT, LOOK};

/// All processes of a candidate's group.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    /// `None` after the end: the process may have been waited for, and another group may have its number.
    leader: Option<Pid>,
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

impl ProcessTree {
    /// Starts a command, which leads a process group.
    pub(crate) fn start(command: &mut Command, _: String) -> std::io::Result<(Child, Self)> {
        in_a_session(command);
        let child = command.spawn()?;
        let leader = Some(Pid::from_raw(child.id().cast_signed()));
        Ok((child, ProcessTree { leader }))
    }

    fn signal(&self, signal: Signal) {
        // A group that has ended needs no signal.
        let _ = self.leader.map(|leader| killpg(leader, signal));
    }

    /// Stops the group and waits until the process that was started is stopped.
    pub(crate) fn stop(&mut self) -> Result<(), StopError> {
        let begun = Instant::now();
        self.signal(Signal::SIGSTOP);
        let Some(pid) = self.leader else { return Ok(()) };
        let Some(leader) = rustix::process::Pid::from_raw(pid.as_raw()) else { return Ok(()) };
        let options =
            WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that it has exited and was waited for.
        while let Ok(None) = waitid(WaitId::Pid(leader), options) {
            if begun.elapsed() > EXIT {
                return Err(StopError { pid, why: String::new() });
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Returns 0: the memory is not known.
    pub(crate) fn memory(&self) -> u64 {
        0
    }

    /// Returns `true`, because it is not known, so that every candidate is stopped between its turns.
    pub(crate) fn is_busy(&mut self) -> bool {
        true
    }

    /// Resumes the group.
    pub(crate) fn resume(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Kills the group, the first time that it is called. That must be before the process is waited for.
    pub(crate) fn end(&mut self) {
        self.signal(Signal::SIGKILL);
        self.leader = None;
    }

    // What this system does not say or do: it finds no processes of a lab that was killed, does not count how long a
    // thread of another process ran or waited for a processor, and binds no thread.

    pub(crate) fn kill_orphans() -> usize {
        0
    }

    pub(crate) fn observe(&mut self) {}

    pub(crate) fn delay_ns(&self) -> u64 {
        0
    }

    pub(crate) fn run_times(&self) -> Vec<u64> {
        Vec::new()
    }

    pub(crate) fn used(&mut self) -> Option<(u64, u64)> {
        None
    }

    pub(crate) fn bind(&self, _: &[usize]) {}

    pub(crate) fn bind_leader(&self, _: &[usize]) {}
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_group_is_stopped_and_resumed() {
        let mut command = Command::new("sleep");
        let (mut child, mut tree) = ProcessTree::start(command.arg("1000"), String::new()).unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        let is_stopped = || std::fs::read_to_string(&stat).unwrap().contains(") T ");
        tree.stop().unwrap();
        assert!(is_stopped());
        tree.resume();
        while is_stopped() {
            std::thread::sleep(LOOK);
        }
        tree.end();
        child.wait().unwrap();
        assert!(tree.stop().is_ok(), "it is gone");
    }

    #[test]
    fn a_group_ends_without_its_leader_and_once() {
        // The leader ends, and the process that it has started does not.
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & echo $!"]).stdout(Stdio::piped());
        let (mut child, mut tree) = ProcessTree::start(&mut command, String::new()).unwrap();
        while !crate::system::has_ended(&mut child).unwrap() {
            std::thread::sleep(LOOK);
        }
        tree.end();
        // Standard output ends with the last process that has it.
        let output = child.wait_with_output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().trim().parse::<i32>().is_ok());
        assert!(tree.leader.is_none(), "another group may have its number");
    }
}
