//! A candidate's process tree: the process that was started and its descendants, which are stopped and ended together.
//!
//! What a system offers for that is one module each: `/proc` on Linux, process groups on macOS.

#[cfg_attr(target_os = "linux", path = "process_tree/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "process_tree/group.rs")]
mod system;

#[cfg(not(target_os = "linux"))]
mod none;

#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "process_tree/group.rs"]
#[expect(dead_code, unreachable_pub, reason = "only its tests run here")]
mod group;

use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::owner::Owner;

pub(crate) use system::ProcessTree;
pub use system::in_a_session;

/// Environment variable that marks the processes of a tree; its value names one tree of one lab.
const MARKER: &str = "PARCRYPT_PROCESS_TREE";

/// Sums over the threads of a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Disturbance {
    /// Time in which they were ready to run and waited for a processor, in ns.
    pub(crate) delay_ns: u64,
    /// Number of times that the system took the processor from one of them.
    pub(crate) switches: u64,
}

impl Disturbance {
    /// Returns what was added since an earlier time.
    pub(crate) fn since(self, before: Disturbance) -> Self {
        Disturbance {
            delay_ns: self.delay_ns.saturating_sub(before.delay_ns),
            switches: self.switches.saturating_sub(before.switches),
        }
    }
}

/// Adds a new tree's marker to the environment of the command that will start it, and returns the marker.
pub(crate) fn mark(command: &mut Command) -> String {
    static TREES: AtomicU64 = AtomicU64::new(0);
    let marker = format!("{}-{}", Owner::myself(), TREES.fetch_add(1, Ordering::Relaxed));
    command.env(MARKER, &marker);
    marker
}

/// A process in a session of its own, and what it starts.
#[derive(Debug)]
pub struct Session {
    child: Child,
    tree: ProcessTree,
}

impl Session {
    /// Starts a command.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        let (child, tree) = ProcessTree::start(command, String::new())?;
        Ok(Session { child, tree })
    }

    /// Waits until the process has ended, and returns how; `None` if `stop`, asked every `tick`, returned true before:
    /// then it is killed, with what it has started. What it leaves when it ends by itself goes on.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn wait(
        mut self,
        tick: Duration,
        mut stop: impl FnMut() -> bool,
    ) -> std::io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if stop() {
                self.tree.end();
                let _ = self.child.kill();
                self.child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(tick);
        }
    }
}

/// Returns how a process ended, such as `ended with exit code 3`.
pub(crate) fn ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => killed(status),
    }
}

fn killed(status: ExitStatus) -> String {
    match std::os::unix::process::ExitStatusExt::signal(&status) {
        Some(signal) => match nix::sys::signal::Signal::try_from(signal) {
            Ok(signal) => format!("was killed by {signal}"),
            Err(_) => format!("was killed by signal {signal}"),
        },
        None => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::Stdio;

    use super::*;
    use crate::method::LOOK;

    #[test]
    fn what_a_session_has_started_is_killed_with_it_or_goes_on() {
        // It starts a process that waits for a line, and that has its standard output.
        let session = |and: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("exec 3<&0; read x <&3 & {and}")]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut session = Session::start(&mut command).unwrap();
            let (stdin, stdout) = (session.child.stdin.take().unwrap(), session.child.stdout.take().unwrap());
            (session, stdin, stdout)
        };
        let (killed, _stdin, mut stdout) = session("wait");
        assert_eq!(killed.wait(LOOK, || true).unwrap(), None);
        stdout.read_to_end(&mut Vec::new()).unwrap();
        let (left, stdin, mut stdout) = session("exit 3");
        let status = left.wait(LOOK, || false).unwrap();
        assert_eq!(status.and_then(|status| status.code()), Some(3));
        let reader = std::thread::spawn(move || stdout.read_to_end(&mut Vec::new()).unwrap());
        std::thread::sleep(Duration::from_millis(100));
        assert!(!reader.is_finished(), "the process that it started runs");
        drop(stdin);
        reader.join().unwrap();
    }
}
