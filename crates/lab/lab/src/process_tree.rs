//! A candidate's process tree: the process that was started and its descendants, which are stopped and ended together.
//!
//! What a system offers for that is one module each: `/proc` on Linux, process groups on other Unixes, a job object on
//! Windows.

#[cfg_attr(target_os = "linux", path = "process_tree/linux.rs")]
#[cfg_attr(all(unix, not(target_os = "linux")), path = "process_tree/group.rs")]
#[cfg_attr(windows, path = "process_tree/job.rs")]
mod system;

#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "process_tree/group.rs"]
#[expect(dead_code, unreachable_pub, reason = "only its tests run here")]
mod group;

use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::owner::Owner;

pub use system::in_a_session;
pub(crate) use system::{ProcessTree, kill_orphans};

/// Environment variable that marks the processes of a tree; its value names one tree of one lab.
const MARKER: &str = "PARCRYPT_PROCESS_TREE";
/// Time limit for a tree to stop, or to exit after it was killed.
const LIMIT: Duration = Duration::from_secs(10);
/// Time between two looks at processes that are about to stop or to exit.
const PAUSE: Duration = Duration::from_micros(200);

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

/// Kills a process that [`in_a_session`] started, with its process group if the system has such, and waits for it.
pub fn kill_session(child: &mut std::process::Child) {
    #[cfg(unix)]
    // A group that has ended needs no signal.
    let _ = nix::sys::signal::killpg(
        nix::unistd::Pid::from_raw(child.id().cast_signed()),
        nix::sys::signal::Signal::SIGKILL,
    );
    let _ = child.kill();
    let _ = child.wait();
}

/// Returns how a process ended, such as `ended with exit code 3`.
pub(crate) fn ended(status: ExitStatus) -> String {
    match status.code() {
        // Windows ends a process that has crashed with such a number, such as 0xC0000005 for an access violation.
        Some(code) if cfg!(windows) && code < 0 => format!("ended with exit code {code:#010X}"),
        Some(code) => format!("ended with exit code {code}"),
        None => killed(status),
    }
}

#[cfg(unix)]
fn killed(status: ExitStatus) -> String {
    match std::os::unix::process::ExitStatusExt::signal(&status) {
        Some(signal) => match nix::sys::signal::Signal::try_from(signal) {
            Ok(signal) => format!("was killed by {signal}"),
            Err(_) => format!("was killed by signal {signal}"),
        },
        None => "ended".to_owned(),
    }
}

#[cfg(not(unix))]
fn killed(_: ExitStatus) -> String {
    "ended".to_owned()
}
