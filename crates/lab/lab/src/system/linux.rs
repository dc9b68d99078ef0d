//! Processors that threads are bound to, and what `/proc` says.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use procfs::process::Process;

use super::exists;

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

/// Returns the time that the hypervisor took since the system started from one of these processors, on average, or of
/// all if none are named, in ns; 0 if the system does not say.
pub(crate) fn steal_ns(processors: &[usize]) -> u64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks = stolen_ticks(&stat, |cpu| processors.is_empty() || processors.contains(&cpu));
    (ticks * 1e9 / procfs::ticks_per_second().max(1) as f64) as u64
}

/// Returns the mean of the stolen clock ticks of the processors that `counts` names in the text of `/proc/stat`: the
/// eighth number of the line of each (proc_stat(5)); 0 if there are none. Lines of processors that are offline are
/// missing.
fn stolen_ticks(stat: &str, counts: impl Fn(usize) -> bool) -> f64 {
    let stolen = |line: &str| {
        let mut words = line.strip_prefix("cpu")?.split_whitespace();
        // The line of all processors together has no number.
        let cpu = words.next().filter(|_| !line.starts_with("cpu "))?.parse().ok()?;
        words.nth(7).filter(|_| counts(cpu))?.parse::<f64>().ok()
    };
    let all: Vec<f64> = stat.lines().filter_map(stolen).collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_that_of_the_processors_that_count() {
        let stat = "cpu  90 0 9 900 0 0 0 111 0 0\ncpu0 1 0 2 3 4 5 6 1 0 0\ncpu2 1 0 2 3 4 5 6 10 0 0\n\
                    cpu13 1 0 2 3 4 5 6 100 0 0\ncpu14 1 2 3\nintr 1 2 3 4 5 6 7 8 9\n";
        let of = |some: &[usize]| stolen_ticks(stat, |cpu| some.contains(&cpu));
        assert_eq!([of(&[0, 2]), of(&[13, 14]), of(&[1]), of(&[0, 2, 13])], [5.5, 100.0, 0.0, 37.0]);
    }
}
