//! A candidate's family: the process that was started and all that descend from it, wherever they went.
//!
//! A process group is not enough: launchers of MPI put each rank into a session of its own. So members are looked for in
//! `/proc`: the children of a member belong to it, and whatever carries the tree's mark in its environment, because who
//! has lost its parent is a child of somebody else. Who was once seen stays a member, also without parent and mark.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use procfs::process::{Process, Stat, all_processes};

/// The variable that marks a tree; its value names one tree of one lab.
const MARK: &str = "PARCRYPT_FAMILY";
/// How long all of a tree may take to stop, or to be gone.
const LIMIT: Duration = Duration::from_secs(10);
/// How long a process may wait in the kernel before it counts as still: it runs none of its own code there, and is
/// stopped before it could.
const IN_KERNEL: Duration = Duration::from_millis(100);
/// Between two looks at processes that are about to stop.
const PAUSE: Duration = Duration::from_micros(200);

/// All processes of a candidate.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    leader: Pid,
    mark: String,
    /// When the leader began, in the kernel's ticks: who is older is none of its descendants.
    since: u64,
    /// Members in the order in which they were found, each with when it began, since numbers of processes come again.
    members: Vec<(Pid, u64)>,
}

/// A mark for a tree that is about to be started.
pub(crate) fn mark(command: &mut Command) -> String {
    static TREES: AtomicU64 = AtomicU64::new(0);
    let mark = format!("{}-{}", std::process::id(), TREES.fetch_add(1, Ordering::Relaxed));
    command.env(MARK, &mark);
    mark
}

/// What a look at all processes found.
#[derive(Debug, Default)]
struct Look {
    /// Whether a member was not known before.
    grown: bool,
    /// Members that do not stand still, and why not.
    running: Vec<(Pid, char)>,
    /// Members that have not ended.
    alive: Vec<Pid>,
}

impl ProcessTree {
    /// The tree of a process that was just started with this mark and leads a process group.
    pub(crate) fn of(leader: Pid, mark: String) -> Self {
        let since = Process::new(leader.as_raw()).and_then(|p| p.stat()).map_or(0, |stat| stat.starttime);
        ProcessTree { leader, mark, since, members: vec![(leader, since)] }
    }

    /// Stops all members and waits until each of their threads stands still. Where one does not, says which.
    pub(crate) fn stop(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        // The group at once; then whoever has left it.
        let _ = killpg(self.leader, Signal::SIGSTOP);
        let mut still = false;
        loop {
            let look = self.look();
            let mut refused = Errno::UnknownErrno;
            for (pid, _) in &look.running {
                refused = kill(*pid, Signal::SIGSTOP).err().unwrap_or(refused);
            }
            let waiting = |(_, state): &(Pid, char)| *state == 'D' && begun.elapsed() > IN_KERNEL;
            let calm = !look.grown && look.running.iter().all(waiting);
            // A member that ran during a look may have had a child behind the look's back: so it takes two.
            if calm && still {
                return Ok(());
            }
            still = calm;
            match look.running.first() {
                Some((pid, state)) if begun.elapsed() > LIMIT => {
                    let why = match refused {
                        Errno::UnknownErrno => format!("is in state {state}"),
                        refused => format!("the system says: {refused}"),
                    };
                    let seconds = LIMIT.as_secs();
                    return Err(format!("its process {pid} did not stop within {seconds} s: {why}"));
                }
                Some(_) => std::thread::sleep(PAUSE),
                None => {}
            }
        }
    }

    /// Lets all members run again, the youngest first, so that a launcher finds its ranks running.
    pub(crate) fn go_on(&self) {
        for (pid, began) in self.members.iter().rev() {
            let same = |stat: &Stat| stat.starttime == *began;
            if Process::new(pid.as_raw()).and_then(|p| p.stat()).is_ok_and(|stat| same(&stat)) {
                let _ = kill(*pid, Signal::SIGCONT);
            }
        }
    }

    /// Kills all members. Returns when none is left, or when one has not ended although it was killed some time ago.
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

    /// One look at all processes, which finds new members and tells what the known ones do.
    fn look(&mut self) -> Look {
        let mut others: BTreeMap<Pid, (Process, Stat)> = BTreeMap::new();
        for process in all_processes().into_iter().flatten().flatten() {
            // One that ends in this moment has no state.
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

    /// Whether it carries the tree's mark. What another user owns cannot be read and does not.
    fn marked(&self, process: &Process) -> bool {
        let mark = |environ: &HashMap<OsString, OsString>| environ.get(OsStr::new(MARK)).cloned();
        process.environ().is_ok_and(|environ| mark(&environ).is_some_and(|mark| mark == *self.mark))
    }
}

/// Whether nothing is left of it but its exit status. Its first thread may have ended before the others.
fn ended(stat: &Stat) -> bool {
    matches!(stat.state, 'Z' | 'X' | 'x') && stat.num_threads <= 1
}

/// The state of one of its threads that does not stand still.
fn restless(process: &Process, stat: &Stat) -> Option<char> {
    let moves = |state: char| !matches!(state, 'T' | 't' | 'Z' | 'X' | 'x');
    if stat.num_threads <= 1 || moves(stat.state) {
        return Some(stat.state).filter(|state| moves(*state));
    }
    let states = process.tasks().into_iter().flatten().flatten().filter_map(|task| task.stat().ok());
    states.map(|stat| stat.state).find(|state| moves(*state))
}
