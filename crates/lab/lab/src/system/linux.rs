//! Processors that threads are bound to, and what `/proc` says.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use procfs::CurrentSI;
use procfs::process::Process;

use super::files::exists;

/// Returns the processors that the calling thread may run on; none if the system does not let it choose.
pub(crate) fn allowed_processors() -> Vec<usize> {
    let this = Pid::from_raw(0);
    match sched_getaffinity(this) {
        Ok(set) if sched_setaffinity(this, &set).is_ok() => {
            (0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap_or(false)).collect()
        }
        _ => Vec::new(),
    }
}

/// Binds the calling thread. An error leaves it where it is: the processors were allowed when the run began, and a
/// group of processors that shrinks meanwhile only makes the measurement worse.
pub(crate) fn bind(processors: &[usize]) {
    bind_thread(Pid::from_raw(0), processors);
}

/// Binds a thread; 0 is the calling one.
pub(crate) fn bind_thread(thread: Pid, processors: &[usize]) {
    let mut set = CpuSet::new();
    if !processors.is_empty() && processors.iter().all(|cpu| set.set(*cpu).is_ok()) {
        let _ = sched_setaffinity(thread, &set);
    }
}

/// Returns the time that the hypervisor took from all processors since the system started, in ns; 0 if the system
/// does not say.
pub(crate) fn steal_ns() -> u64 {
    let ticks = procfs::KernelStats::current().ok().and_then(|stats| stats.total.steal).unwrap_or(0);
    ticks.saturating_mul(1_000_000_000 / procfs::ticks_per_second().max(1))
}

/// Returns the start time of this process in clock ticks; `None` without `/proc`.
pub(crate) fn start_time() -> Option<u64> {
    Some(Process::myself().and_then(|myself| myself.stat()).ok()?.starttime)
}

/// Returns whether a process runs that has this number and start time; 0 is one that is not known.
pub(crate) fn is_alive(pid: i32, since: u64) -> bool {
    match Process::new(pid).and_then(|process| process.stat()) {
        Ok(stat) => stat.state != 'Z' && (since == 0 || stat.starttime == since),
        // `/proc` is not mounted, or hides the processes of others.
        Err(_) => exists(pid),
    }
}

/// Returns what cannot be measured here, each in a few words.
pub(crate) fn missing() -> Vec<&'static str> {
    let mut missing = Vec::new();
    if allowed_processors().is_empty() {
        missing.push("binding to processors (the system refuses it)");
    }
    if start_time().is_none() {
        missing.push("times for which threads waited for a processor (/proc is not mounted)");
        missing.push("stops of processes that have left their candidate's process group");
    }
    missing
}
