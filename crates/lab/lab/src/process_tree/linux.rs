//! The tree on Linux: all descendants of the process that was started.
//!
//! A process group is not enough: MPI launchers put each rank into a session of its own. Members are found in `/proc`:
//! the children of members, and processes with the tree's marker in their environment, because an orphan has another
//! parent. A process stays a member once it was seen, also without its parent and the marker. Without `/proc`, the
//! process group has to do.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::time::ClockId;
use nix::unistd::{Pid, getppid};
use procfs::process::{Process, Stat, all_processes};
use procfs::{Current, LoadAverage};

use super::{MARKER, StopError};
use crate::method::{EXIT, IDLE, IN_SYSTEM_CALL, LOOK, OBSERVED_THREADS};
use crate::owner::Owner;
use crate::system::bind_thread;

/// All processes of a candidate.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    leader: Pid,
    marker: String,
    /// Start time of the leader in clock ticks of the system: an older process is not a descendant. 0 without `/proc`.
    since: u64,
    /// Members in the order in which they were found, each with its start time, because process numbers are reused.
    members: Vec<(Pid, u64)>,
    scan: Scan,
    /// Threads whose delays are counted.
    threads: Vec<Thread>,
}

/// Search for processes that are new since the last one. Numbers are given in order, so that only those after the last
/// known one have to be looked at, and not all processes of the machine, which takes milliseconds.
#[derive(Debug)]
struct Scan {
    /// The system's last process number at the last search, and at the one before. A process gets its number shortly
    /// before it can be found, so that the numbers between these two are looked at a second time.
    seen: [i32; 2],
}

impl Scan {
    fn new_processes(&mut self) -> Vec<Process> {
        let latest = LoadAverage::current().ok().and_then(|load| i32::try_from(load.latest_pid).ok());
        let [last, before] = self.seen;
        self.seen = [latest.unwrap_or(last), last];
        match latest {
            // The threads of a process have numbers of the same kind.
            Some(latest) if before <= last && last <= latest => (before + 1..=latest)
                .filter_map(|pid| Process::new(pid).ok())
                .filter(|process| process.status().is_ok_and(|status| status.tgid == process.pid))
                .collect(),
            // The numbers have begun again, or the system does not tell.
            _ => all_processes().into_iter().flatten().flatten().collect(),
        }
    }
}

/// A thread of a tree, with its open files in `/proc`.
#[derive(Debug)]
struct Thread {
    id: Pid,
    schedstat: File,
}

/// Starts a command in a session of its own: it leads a process group, and has no terminal that it could wait for, as
/// for a password. The system kills the process when the calling thread ends, so that nothing is left of a lab that was
/// killed itself. What a candidate has started in turn is found by its marker at the next start of a lab.
pub fn in_a_session(command: &mut Command) {
    let lab = Pid::this();
    let in_child = move || {
        nix::unistd::setsid()?;
        nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
        // The lab may have ended before the signal was asked for; then another process is the parent.
        if getppid() == lab { Ok(()) } else { Err(std::io::Error::from(Errno::ESRCH)) }
    };
    // SAFETY: between fork and exec only setsid, prctl and getppid are called, which are async-signal-safe; nothing is
    // allocated, because `std::io::Error` from an errno is a plain number.
    #[expect(unsafe_code, reason = "the only way to run code between fork and exec")]
    unsafe {
        command.pre_exec(in_child);
    }
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

impl ProcessTree {
    /// Kills processes of candidates whose lab was killed, and returns their number.
    pub(crate) fn kill_orphans() -> usize {
        let mut killed = 0;
        let numbering =
            |process: &Process| Some(process.namespaces().ok()?.0.get(OsStr::new("pid"))?.identifier);
        let ours = Process::myself().ok().and_then(|lab| numbering(&lab));
        for process in all_processes().into_iter().flatten().flatten() {
            // In a container, the number of a lab is another one than here.
            if ours.is_none() || numbering(&process) != ours {
                continue;
            }
            let Ok(environ) = process.environ() else { continue };
            let Some(marker) = environ.get(OsStr::new(MARKER)).and_then(|marker| marker.to_str()) else {
                continue;
            };
            if Owner::parse(marker).is_some_and(|(lab, _)| !lab.is_alive()) {
                killed += usize::from(kill(Pid::from_raw(process.pid), Signal::SIGKILL).is_ok());
            }
        }
        killed
    }

    /// Starts a command that has this marker and will lead a process group.
    pub(crate) fn start(command: &mut Command, marker: String) -> std::io::Result<(Child, Self)> {
        in_a_session(command);
        let child = command.spawn()?;
        let leader = Pid::from_raw(child.id().cast_signed());
        let since = Process::new(leader.as_raw()).and_then(|p| p.stat()).map_or(0, |stat| stat.starttime);
        let scan = Scan { seen: [leader.as_raw(); 2] };
        let members = vec![(leader, since)];
        Ok((child, ProcessTree { leader, marker, since, members, scan, threads: Vec::new() }))
    }

    /// Stops all members and waits until each of their threads is stopped.
    pub(crate) fn stop(&mut self) -> Result<(), StopError> {
        let begun = Instant::now();
        // The group is stopped at once, then the members outside of it.
        let _ = killpg(self.leader, Signal::SIGSTOP);
        let mut calm_before = false;
        loop {
            let look = self.look();
            let mut refused = None;
            for (pid, _) in &look.running {
                refused = kill(*pid, Signal::SIGSTOP).err().or(refused);
            }
            let waiting = |(_, state): &(Pid, char)| *state == 'D' && begun.elapsed() > IN_SYSTEM_CALL;
            let calm = !look.grown && look.running.iter().all(waiting);
            // A member that ran during a scan may have started a child after it was scanned, so two quiet scans are
            // needed.
            if calm && calm_before {
                return Ok(());
            }
            calm_before = calm;
            match look.running.first() {
                Some(&(pid, state)) if begun.elapsed() > EXIT => {
                    let state = || format!(": is in state {state}");
                    let why = refused.map_or_else(state, |errno| format!(": the system says: {errno}"));
                    return Err(StopError { pid, why });
                }
                Some(_) => std::thread::sleep(LOOK),
                None => {}
            }
        }
    }

    /// Finds the threads that [`ProcessTree::delay_ns`] looks at, and opens their files.
    pub(crate) fn observe(&mut self) {
        self.look();
        self.threads.clear();
        for (pid, _) in &self.members {
            let Ok(tasks) = Process::new(pid.as_raw()).and_then(|process| process.tasks()) else { continue };
            for task in tasks.flatten().take(OBSERVED_THREADS.saturating_sub(self.threads.len())) {
                if let Ok(schedstat) = File::open(format!("/proc/{}/task/{}/schedstat", task.pid, task.tid)) {
                    self.threads.push(Thread { id: Pid::from_raw(task.tid), schedstat });
                }
            }
        }
    }

    /// Returns the time in which the observed threads were ready to run and waited for a processor since they exist, in
    /// ns. A thread that has ended counts no longer.
    pub(crate) fn delay_ns(&self) -> u64 {
        self.schedstat(1).sum()
    }

    /// Returns the time for which each observed thread has run, in ns.
    pub(crate) fn run_times(&self) -> Vec<u64> {
        self.schedstat(0).collect()
    }

    /// Returns a number of each observed thread: "<time running> <time waiting for a processor> <time slices>", in ns;
    /// 0 if it cannot be read.
    fn schedstat(&self, nth: usize) -> impl Iterator<Item = u64> {
        self.threads.iter().map(move |thread| {
            let mut text = [0; 128];
            let read = thread.schedstat.read_at(&mut text, 0).unwrap_or(0);
            let numbers = std::str::from_utf8(&text[..read]).unwrap_or("").split_whitespace();
            numbers.into_iter().nth(nth).and_then(|ns| ns.parse().ok()).unwrap_or(0)
        })
    }

    /// Returns how long the first thread of the process that was started has run, and all threads and processes that it
    /// started, in ns; `None` as long as there are other processes.
    pub(crate) fn used(&mut self) -> Option<(u64, u64)> {
        if self.look().alive != [self.leader] {
            return None;
        }
        let process = Process::new(self.leader.as_raw()).ok()?;
        let (first, stat) = (process.schedstat().ok()?.sum_exec_runtime, process.stat().ok()?);
        let clock = ClockId::pid_cpu_clock_id(self.leader).and_then(ClockId::now).ok()?;
        let of_children =
            u64::try_from(stat.cutime + stat.cstime).ok()? * (1_000_000_000 / procfs::ticks_per_second());
        Some((first, u64::try_from(Duration::from(clock).as_nanos()).ok()? + of_children))
    }

    /// Returns the sum over the members of the maximum memory in use, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let peak = |(pid, _): &(Pid, u64)| Process::new(pid.as_raw()).ok()?.status().ok()?.vmhwm;
        self.members.iter().filter_map(peak).map(|kib| kib.saturating_mul(1024)).sum()
    }

    /// Binds the observed threads to processors.
    pub(crate) fn bind(&self, processors: &[usize]) {
        self.threads.iter().for_each(|thread| bind_thread(thread.id, processors));
    }

    /// Binds the first thread of the process that was started.
    pub(crate) fn bind_leader(&self, processors: &[usize]) {
        bind_thread(self.leader, processors);
    }

    /// Returns whether threads of the tree run now or want to, such as those that spin while they wait; also `true`
    /// if the system does not count this.
    pub(crate) fn is_busy(&mut self) -> bool {
        if self.since == 0 {
            return true;
        }
        self.look();
        let Some((before, ran_before)) = self.run_time() else { return true };
        let begun = Instant::now();
        std::thread::sleep(IDLE.0);
        let (Some((after, ran_after)), waited) = (self.run_time(), begun.elapsed()) else { return true };
        let share = after.saturating_sub(before) as f64 / waited.as_nanos() as f64;
        // The system adds time only now and then: not at all to a thread that waited from the first look to the last.
        share > IDLE.1 || ran_before && ran_after
    }

    /// Returns the time in which threads of members ran or waited for a processor, in ns, and whether one does now.
    fn run_time(&self) -> Option<(u64, bool)> {
        let (mut sum, mut runs) = (0, false);
        for (pid, _) in &self.members {
            // A process that exits at this moment has no tasks.
            let Ok(tasks) = Process::new(pid.as_raw()).and_then(|process| process.tasks()) else { continue };
            for task in tasks.flatten() {
                let times = task.schedstat().ok()?;
                sum += times.sum_exec_runtime + times.run_delay;
                runs |= task.stat().ok()?.state == 'R';
            }
        }
        Some((sum, runs))
    }

    /// Resumes all members, the youngest first, so that a launcher finds its ranks running.
    pub(crate) fn resume(&self) {
        if self.since == 0 {
            let _ = killpg(self.leader, Signal::SIGCONT);
        }
        for (pid, began) in self.members.iter().rev() {
            let same = |stat: &Stat| stat.starttime == *began;
            if Process::new(pid.as_raw()).and_then(|p| p.stat()).is_ok_and(|stat| same(&stat)) {
                let _ = kill(*pid, Signal::SIGCONT);
            }
        }
    }

    /// Kills all members and waits up to [`EXIT`] until all have exited.
    pub(crate) fn end(&mut self) {
        let begun = Instant::now();
        // The group at once: a process that no search has found yet would lose its parent, by which it is found. While
        // the leader has not been waited for, no other group has its number.
        let leader = Process::new(self.leader.as_raw()).and_then(|leader| leader.stat());
        if self.since == 0 || leader.is_ok_and(|stat| stat.starttime == self.since) {
            let _ = killpg(self.leader, Signal::SIGKILL);
        }
        let mut gone = false;
        while begun.elapsed() < EXIT {
            let look = self.look();
            for pid in &look.alive {
                let _ = kill(*pid, Signal::SIGKILL);
            }
            if look.alive.is_empty() && gone {
                return;
            }
            gone = look.alive.is_empty();
            if !gone {
                std::thread::sleep(LOOK);
            }
        }
    }

    /// Scans all processes once: finds new members and the state of all members.
    fn look(&mut self) -> Look {
        let mut others: BTreeMap<Pid, (Process, Stat)> = BTreeMap::new();
        let known: Vec<Pid> = self.members.iter().map(|(pid, _)| *pid).collect();
        let known = known.into_iter().filter_map(|pid| Process::new(pid.as_raw()).ok());
        for process in known.chain(self.scan.new_processes()) {
            // A process that exits at this moment has no state.
            if let Ok(stat) = process.stat()
                && stat.starttime >= self.since
                && !is_gone(&stat)
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
fn is_gone(stat: &Stat) -> bool {
    matches!(stat.state, 'Z' | 'X' | 'x') && stat.num_threads <= 1
}

/// Returns the state of a thread that is not stopped; `None` if all are.
fn restless(process: &Process, stat: &Stat) -> Option<char> {
    let moves = |state: char| !matches!(state, 'T' | 't' | 'Z' | 'X' | 'x');
    if stat.num_threads <= 1 || moves(stat.state) {
        return Some(stat.state).filter(|state| moves(*state));
    }
    let states = process.tasks().into_iter().flatten().flatten().filter_map(|task| task.stat().ok());
    states.map(|stat| stat.state).find(|state| moves(*state))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn without_proc_the_group_is_stopped_resumed_and_ended() {
        let mut command = Command::new("sleep");
        let (mut child, mut tree) = ProcessTree::start(command.arg("1000"), String::new()).unwrap();
        // What is known where `/proc` is not mounted.
        (tree.since, tree.members) = (0, Vec::new());
        let state = Process::new(tree.leader.as_raw()).unwrap();
        let is_stopped = || state.stat().unwrap().state == 'T';
        assert!(tree.is_busy());
        tree.stop().unwrap();
        while !is_stopped() {
            std::thread::sleep(LOOK);
        }
        tree.resume();
        while is_stopped() {
            std::thread::sleep(LOOK);
        }
        tree.end();
        assert_eq!(child.wait().unwrap().signal(), Some(Signal::SIGKILL as i32));
    }
}
