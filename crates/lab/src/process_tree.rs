//! A candidate's process tree: the process that was started and all its descendants.
//!
//! A process group is not enough: MPI launchers put each rank into a session of its own. Members are found in `/proc`:
//! the children of members, and processes with the tree's marker in their environment, because an orphan has another
//! parent. A process stays a member once it was seen, also without its parent and the marker.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use procfs::process::{Process, Stat, all_processes};

/// Environment variable that marks the processes of a tree; its value names one tree of one lab.
const MARKER: &str = "PARCRYPT_PROCESS_TREE";
/// Time limit for a tree to stop, or to exit after it was killed.
const LIMIT: Duration = Duration::from_secs(10);
/// Time after which a process that waits in the kernel counts as stopped: it runs none of its own code there, and is
/// stopped before it returns.
const IN_KERNEL: Duration = Duration::from_millis(100);
/// Time between two scans for processes that are about to stop.
const PAUSE: Duration = Duration::from_micros(200);

/// All processes of a candidate.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    leader: Pid,
    marker: String,
    /// Start time of the leader in clock ticks of the kernel: an older process is not a descendant.
    since: u64,
    /// Members in the order in which they were found, each with its start time, because process numbers are reused.
    members: Vec<(Pid, u64)>,
}

/// Adds a new tree's marker to the environment of the command that will start it, and returns the marker.
pub(crate) fn mark(command: &mut Command) -> String {
    static TREES: AtomicU64 = AtomicU64::new(0);
    let marker = format!("{}-{}", std::process::id(), TREES.fetch_add(1, Ordering::Relaxed));
    command.env(MARKER, &marker);
    marker
}

/// Result of one scan of all processes.
#[derive(Debug, Default)]
struct Look {
    /// Whether a new member was found.
    grown: bool,
    /// Members that are not stopped, and their state.
    running: Vec<(Pid, char)>,
    /// Members that have not exited.
    alive: Vec<Pid>,
}

/// A process of a tree that could not be stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StopError {
    #[error("its process {pid} did not stop within {} s: is in state {state}", LIMIT.as_secs())]
    Running { pid: Pid, state: char },
    #[error("its process {pid} did not stop within {} s: the system says: {refused}", LIMIT.as_secs())]
    Refused { pid: Pid, refused: Errno },
}

impl ProcessTree {
    /// Returns the tree of a process that was just started with this marker and leads a process group.
    pub(crate) fn of(leader: Pid, marker: String) -> Self {
        let since = Process::new(leader.as_raw()).and_then(|p| p.stat()).map_or(0, |stat| stat.starttime);
        ProcessTree { leader, marker, since, members: vec![(leader, since)] }
    }

    /// Stops all members and waits until each of their threads is stopped.
    pub(crate) fn stop(&mut self) -> Result<(), StopError> {
        let begun = Instant::now();
        // The group is stopped at once, then the members outside of it.
        let _ = killpg(self.leader, Signal::SIGSTOP);
        let mut calm_before = false;
        loop {
            let look = self.look();
            let mut refused = Errno::UnknownErrno;
            for (pid, _) in &look.running {
                refused = kill(*pid, Signal::SIGSTOP).err().unwrap_or(refused);
            }
            let waiting = |(_, state): &(Pid, char)| *state == 'D' && begun.elapsed() > IN_KERNEL;
            let calm = !look.grown && look.running.iter().all(waiting);
            // A member that ran during a scan may have started a child after it was scanned, so two quiet scans are
            // needed.
            if calm && calm_before {
                return Ok(());
            }
            calm_before = calm;
            match look.running.first() {
                Some(&(pid, state)) if begun.elapsed() > LIMIT => {
                    return Err(match refused {
                        Errno::UnknownErrno => StopError::Running { pid, state },
                        refused => StopError::Refused { pid, refused },
                    });
                }
                Some(_) => std::thread::sleep(PAUSE),
                None => {}
            }
        }
    }

    /// Resumes all members, the youngest first, so that a launcher finds its ranks running.
    pub(crate) fn resume(&self) {
        for (pid, began) in self.members.iter().rev() {
            let same = |stat: &Stat| stat.starttime == *began;
            if Process::new(pid.as_raw()).and_then(|p| p.stat()).is_ok_and(|stat| same(&stat)) {
                let _ = kill(*pid, Signal::SIGCONT);
            }
        }
    }

    /// Kills all members and waits up to [`LIMIT`] until all have exited.
    pub(crate) fn end(&mut self) {
        let begun = Instant::now();
        let mut gone = false;
        while begun.elapsed() < LIMIT {
            let look = self.look();
            for pid in &look.alive {
                let _ = kill(*pid, Signal::SIGKILL);
            }
            if look.alive.is_empty() && gone {
                return;
            }
            gone = look.alive.is_empty();
            if !gone {
                std::thread::sleep(PAUSE);
            }
        }
    }

    /// Scans all processes once: finds new members and the state of all members.
    fn look(&mut self) -> Look {
        let mut others: BTreeMap<Pid, (Process, Stat)> = BTreeMap::new();
        for process in all_processes().into_iter().flatten().flatten() {
            // A process that exits at this moment has no state.
            if let Ok(stat) = process.stat()
                && stat.starttime >= self.since
                && !ended(&stat)
            {
                others.insert(Pid::from_raw(stat.pid), (process, stat));
            }
        }
        let mut look = Look::default();
        let mut found = Vec::new();
        self.members.retain(|(pid, began)| {
            let known = others.remove(pid).filter(|(_, stat)| stat.starttime == *began);
            let alive = known.is_some();
            found.extend(known);
            alive
        });
        let marked = |(_, (process, _)): &(&Pid, &(Process, Stat))| self.marked(process);
        let mut new: Vec<Pid> = others.iter().filter(marked).map(|(pid, _)| *pid).collect();
        loop {
            let child = |stat: &Stat| self.members.iter().any(|(pid, _)| pid.as_raw() == stat.ppid);
            new.extend(others.iter().filter(|(_, (_, stat))| child(stat)).map(|(pid, _)| *pid));
            if new.is_empty() {
                break;
            }
            look.grown = true;
            for pid in new.drain(..) {
                if let Some((process, stat)) = others.remove(&pid) {
                    self.members.push((pid, stat.starttime));
                    found.push((process, stat));
                }
            }
        }
        for (process, stat) in &found {
            let pid = Pid::from_raw(stat.pid);
            look.alive.push(pid);
            look.running.extend(restless(process, stat).map(|state| (pid, state)));
        }
        look
    }

    /// Returns whether the process has the tree's marker. The environment of another user's process cannot be read.
    fn marked(&self, process: &Process) -> bool {
        let marker = |environ: &HashMap<OsString, OsString>| environ.get(OsStr::new(MARKER)).cloned();
        process.environ().is_ok_and(|environ| marker(&environ).is_some_and(|marker| marker == *self.marker))
    }
}

/// Returns whether the process has exited and waits for its parent. Its first thread may exit before the others.
fn ended(stat: &Stat) -> bool {
    matches!(stat.state, 'Z' | 'X' | 'x') && stat.num_threads <= 1
}

/// Returns the state of a thread that is not stopped; `None` where all are.
fn restless(process: &Process, stat: &Stat) -> Option<char> {
    let moves = |state: char| !matches!(state, 'T' | 't' | 'Z' | 'X' | 'x');
    if stat.num_threads <= 1 || moves(stat.state) {
        return Some(stat.state).filter(|state| moves(*state));
    }
    let states = process.tasks().into_iter().flatten().flatten().filter_map(|task| task.stat().ok());
    states.map(|stat| stat.state).find(|state| moves(*state))
}
