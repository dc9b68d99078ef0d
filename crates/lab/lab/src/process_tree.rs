//! A candidate's process tree: the process that was started and its descendants, which are stopped and ended together.
//!
//! What a system offers for that is one module each: `/proc` on Linux, process groups on macOS.

#[cfg_attr(target_os = "linux", path = "process_tree/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "process_tree/group.rs")]
mod system;

#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "process_tree/group.rs"]
#[expect(dead_code, unreachable_pub, reason = "only its tests run here")]
mod group;

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::method::EXIT;
use crate::owner::Owner;

pub(crate) use system::ProcessTree;
pub use system::in_a_session;

/// Environment variable that marks the processes of a tree; its value names one tree of one lab.
const MARKER: &str = "PARCRYPT_PROCESS_TREE";

/// A process of a tree that could not be stopped.
#[derive(Debug, thiserror::Error)]
#[error("its process {pid} did not stop within {} s{why}", EXIT.as_secs())]
pub(crate) struct StopError {
    pid: Pid,
    why: String,
}

/// Adds a new tree's marker to the environment of the command that will start it, and returns the marker.
pub(crate) fn mark(command: &mut Command) -> String {
    static TREES: AtomicU64 = AtomicU64::new(0);
    let marker = format!("{}-{}", Owner::myself(), TREES.fetch_add(1, Ordering::Relaxed));
    command.env(MARKER, &marker);
    marker
}

/// Runs a command in a session of its own until it has ended, and returns how; `None` if `stop`, asked every `tick`,
/// returned true before: then it is killed, with what it has started. What it leaves when it ends by itself goes on.
///
/// # Errors
/// The error of the operating system.
pub fn run_in_session(
    command: &mut Command,
    tick: Duration,
    mut stop: impl FnMut() -> bool,
) -> std::io::Result<Option<ExitStatus>> {
    let (mut child, mut tree) = ProcessTree::start(command, String::new())?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if stop() {
            tree.end();
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(tick);
    }
}

/// Returns how a process ended, such as `ended with exit code 3`.
pub(crate) fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal().map(Signal::try_from)) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(Ok(signal))) => format!("was killed by {signal}"),
        (None, _) => format!("was killed by signal {}", status.signal().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, pipe};

    use super::*;
    use crate::method::LOOK;

    #[test]
    fn what_a_session_has_started_is_killed_with_it_or_goes_on() {
        // It starts a process that waits for a line, and that has its standard output.
        let session = |and: &str, stop: bool| {
            let ((input, stdin), (mut stdout, output)) = (pipe().unwrap(), pipe().unwrap());
            let mut command = Command::new("sh");
            command.args(["-c", &format!("exec 3<&0; read x <&3 & {and}")]).stdin(input).stdout(output);
            let status = run_in_session(&mut command, LOOK, || stop).unwrap();
            drop(command);
            let reader = std::thread::spawn(move || stdout.read_to_end(&mut Vec::new()).unwrap());
            (status.and_then(|status| status.code()), stdin, reader)
        };
        let (killed, _stdin, reader) = session("wait", true);
        assert_eq!(killed, None);
        reader.join().unwrap();
        let (code, stdin, reader) = session("exit 3", false);
        assert_eq!(code, Some(3));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!reader.is_finished(), "the process that it started runs");
        drop(stdin);
        reader.join().unwrap();
    }
}
