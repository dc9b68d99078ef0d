//! Stacks of any process tree, sampled from outside by ptrace, which a process may use on its descendants.
//!
//! A few hundred times a second each thread that has used processor time is stopped for some tens of microseconds,
//! while its registers and its stack are copied. A stack counts for the processor time of its thread since the sample
//! before, so that a thread that waits counts for nothing and is not disturbed. Names come from the symbol tables;
//! functions that were inlined count to the function that they are in.

mod binary;
mod stop;
mod unwind;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::unistd::Pid;
use procfs::process::{Process, Stat, Task};

use crate::command::HOOK;
use crate::process_tree::ProcessTree;

use super::{Sampled, Whose};
use stop::{NoSnapshot, snapshot};
use unwind::{Binaries, Frame, Image};

/// Mean time between two samples of a thread.
const EVERY: Duration = Duration::from_millis(3);
/// What is added to the part of [`EVERY`] that one pause is longer than half of it: the golden section, by which the
/// parts are spread evenly, so that samples keep step with nothing that a program does again and again.
const STEP: f64 = 0.618_033_988_749_895;
/// File with the system's rule on who may trace whom, if it has Yama.
const SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

/// Reasons for a refusal that the lab cannot tell apart.
const FORBIDDEN: &str =
    "it is traced already, has more privileges than the lab or forbids it (PR_SET_DUMPABLE)";
const CONTAINER: &str = "the lab is in a container that lacks the capability SYS_PTRACE";

/// Why there is no profile by the sampler.
#[derive(Debug, thiserror::Error)]
pub(super) enum SamplerError {
    #[error("the system does not let it be traced ({errno}): {}", advice(*.errno))]
    Refused { errno: Errno },
    #[error("it used no processor time while it was sampled")]
    Idle,
    #[error("the sampler ended by a panic")]
    Panicked,
}

/// Returns what can be done if tracing is refused.
fn advice(errno: Errno) -> String {
    if !matches!(errno, Errno::EPERM | Errno::EACCES) {
        return "there may be no ptrace here".to_owned();
    }
    let scope = std::fs::read_to_string(SCOPE).unwrap_or_default();
    match scope.trim() {
        "2" => "kernel.yama.ptrace_scope is 2: set it to 1 by sysctl".to_owned(),
        "3" => "kernel.yama.ptrace_scope is 3: set it to 1 in sysctl.conf and restart the machine".to_owned(),
        _ => format!("{FORBIDDEN}, or {CONTAINER}"),
    }
}

/// A sampler that runs.
#[derive(Debug)]
pub(super) struct Sampler {
    stop: Arc<AtomicBool>,
    /// Number of times that it has looked at the threads of the tree.
    ticks: Arc<AtomicU64>,
    thread: Option<JoinHandle<Result<Sampled, SamplerError>>>,
}

impl Sampler {
    /// Begins to sample the tree of a process that was started with this marker.
    pub(super) fn begin(tree: ProcessTree, whose: Whose) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let ticks = Arc::default();
        let (flag, count) = (Arc::clone(&stop), Arc::clone(&ticks));
        let work = move || Samples::new(tree, whose).take(&flag, &count);
        Sampler { stop, ticks, thread: Some(std::thread::spawn(work)) }
    }

    /// Returns whether it has looked at the threads `count` times, or has ended by itself. At its first look it reads
    /// the symbols of the program, which may take seconds.
    pub(super) fn has_looked(&self, count: u64) -> bool {
        self.ticks.load(Ordering::Relaxed) >= count
            || self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends it, and returns what it sampled. No process is traced any longer then.
    pub(super) fn end(mut self) -> Result<Sampled, SamplerError> {
        self.join().unwrap_or(Err(SamplerError::Panicked))
    }

    fn join(&mut self) -> Option<Result<Sampled, SamplerError>> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok()
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        let _ = self.join();
    }
}

/// Where a process's program was loaded, which is another place for another program, or for the same after an exec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    code: u64,
    stack: u64,
}

impl Place {
    fn of(stat: &Stat) -> Self {
        Place { code: stat.startcode, stack: stat.startstack }
    }

    /// Returns whether it is known: the system reports 1 to a process without permission.
    fn is_known(self) -> bool {
        self.code > 1
    }

    /// Returns whether there is a program: during an exec there is none from the end of the old one until the new one
    /// has been loaded, with its environment.
    fn has_program(self) -> bool {
        self.code > 0
    }
}

/// What was sampled up to now.
struct Samples {
    tree: ProcessTree,
    whose: Whose,
    /// Time for which each thread had run at its last sample, in ns.
    ran: HashMap<i32, u64>,
    /// The code of each process; `None` if it is not sampled.
    images: HashMap<i32, (Place, Option<Image>)>,
    binaries: Binaries,
    /// Processor time of each stack in ns.
    stacks: HashMap<Vec<Frame>, u64>,
    samples: u64,
    /// Number of samples that the system refused, and its last error.
    refused: Option<(u64, Errno)>,
    /// Time of the next tick.
    next: Instant,
    /// Part of [`EVERY`] that the last pause was longer than half of it.
    part: f64,
}

impl Samples {
    fn new(tree: ProcessTree, whose: Whose) -> Self {
        let mut samples = Samples {
            tree,
            whose,
            ran: HashMap::new(),
            images: HashMap::new(),
            binaries: Binaries::default(),
            stacks: HashMap::new(),
            samples: 0,
            refused: None,
            next: Instant::now(),
            part: 0.0,
        };
        samples.ran = samples.threads().iter().map(|thread| (thread.id, thread.ran)).collect();
        samples
    }

    /// Takes samples until the flag is set.
    fn take(mut self, stop: &AtomicBool, ticks: &AtomicU64) -> Result<Sampled, SamplerError> {
        while !stop.load(Ordering::Relaxed) {
            // By the end of a thread the system ends all its traces, also those that cannot be ended by a call.
            let done = std::thread::scope(|scope| scope.spawn(|| self.trace(stop, ticks)).join());
            done.map_err(|_| SamplerError::Panicked)?;
        }
        match (self.samples, self.refused) {
            // A program may forbid it when it has begun.
            (samples, Some((refused, errno))) if refused > samples => Err(SamplerError::Refused { errno }),
            (0, _) => Err(SamplerError::Idle),
            _ => {
                let mut all: HashMap<Vec<String>, u64> = HashMap::new();
                for (frames, ns) in &self.stacks {
                    let names = frames.iter().map(|frame| self.binaries.name(*frame)).collect();
                    *all.entry(names).or_default() += ns;
                }
                let stacks = all.into_iter().map(|(names, ns)| (names, ns.div_ceil(1000))).collect();
                Ok(Sampled { stacks, every: EVERY, samples: self.samples })
            }
        }
    }

    /// Takes samples until the flag is set, or the calling thread has to end because it traces what it cannot let go.
    fn trace(&mut self, stop: &AtomicBool, ticks: &AtomicU64) {
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(self.next.saturating_duration_since(Instant::now()));
            let lost = self.tick().is_err();
            ticks.fetch_add(1, Ordering::Relaxed);
            self.part = (self.part + STEP) % 1.0;
            // If the machine was busy for long, what was missed is not made up for.
            self.next = (self.next + EVERY.mul_f64(0.5 + self.part)).max(Instant::now());
            if lost {
                return;
            }
        }
    }

    /// Samples each thread that runs.
    fn tick(&mut self) -> Result<(), NoSnapshot> {
        let threads = self.threads();
        self.ran.retain(|id, _| threads.iter().any(|thread| thread.id == *id));
        self.images.retain(|id, _| threads.iter().any(|thread| thread.process.pid == *id));
        let leader = self.tree.leader().as_raw();
        let worker = threads.iter().find(|thread| thread.process.pid == leader);
        let worker = worker.and_then(|worker| worker.stat()).map(|stat| Place::of(&stat));
        for thread in &threads {
            let before = self.ran.get(&thread.id).copied();
            if before == Some(thread.ran) {
                continue;
            }
            let Some(stat) = thread.stat().filter(|stat| stat.state == 'R') else {
                // What it ran before it was seen counts to its first sample.
                self.ran.entry(thread.id).or_insert(0);
                continue;
            };
            let place = Place::of(&stat);
            // The worker may have begun between the two looks, in another place. A process that it just started is
            // still the worker, until it becomes the command.
            let is_worker = thread.process.pid == leader || (Some(place) == worker && place.is_known());
            if self.whose == Whose::Command && is_worker {
                continue;
            }
            self.sample(thread, place, before)?;
        }
        Ok(())
    }

    /// Samples a thread that had run for `before` ns at its last sample, if there was one.
    fn sample(&mut self, thread: &Thread, place: Place, before: Option<u64>) -> Result<(), NoSnapshot> {
        let process = &thread.process;
        let known = self.images.get_mut(&process.pid).filter(|(at, _)| *at == place);
        let mut has_read = false;
        let image = match known {
            Some((_, image)) => image,
            None => {
                has_read = true;
                let is_sampled = match self.whose {
                    Whose::All => true,
                    Whose::Command => match thread.is_hook(place, self.tree.leader().as_raw()) {
                        Some(is_hook) => !is_hook,
                        None => return Ok(()),
                    },
                };
                let image = is_sampled.then(|| Image::new(process, &mut self.binaries));
                &mut self.images.entry(process.pid).insert_entry((place, image)).into_mut().1
            }
        };
        let Some(image) = image else { return Ok(()) };
        let (snapshot, ran) = match snapshot(Pid::from_raw(thread.id), || thread.task.schedstat()) {
            Ok((snapshot, times)) => (snapshot, times.map_or(thread.ran, |times| times.sum_exec_runtime)),
            Err(NoSnapshot::Untraced(Errno::ESRCH)) => return Ok(()),
            Err(NoSnapshot::Untraced(errno)) => {
                self.refused = Some((self.refused.map_or(1, |(refused, _)| refused + 1), errno));
                return Ok(());
            }
            Err(NoSnapshot::Lost) => return Err(NoSnapshot::Lost),
        };
        self.ran.insert(thread.id, ran);
        // Of a thread that began since the last look, the chance of a sample is in proportion to what it ran. With what
        // it ran as its weight, the end of its work would count for more than the beginning.
        let every = u64::try_from(EVERY.as_nanos()).unwrap_or(u64::MAX);
        let mut weight = before.map_or(ran.max(every), |before| ran.saturating_sub(before));
        let mut found = image.unwind(&snapshot, &mut self.binaries);
        if !image.has(&found) {
            // Something was loaded since.
            *image = Image::new(process, &mut self.binaries);
            found = image.unwind(&snapshot, &mut self.binaries);
            has_read = true;
        }
        if has_read {
            // Files took long to read, and what ran meanwhile counts to no sample.
            weight = weight.min(every);
        }
        *self.stacks.entry(image.stack(&found, &self.binaries)).or_default() += weight;
        self.samples += 1;
        if has_read {
            self.ran = self.threads().iter().map(|thread| (thread.id, thread.ran)).collect();
        }
        Ok(())
    }

    /// Returns the threads of the tree.
    fn threads(&mut self) -> Vec<Thread> {
        let mut all = Vec::new();
        for pid in self.tree.processes() {
            // A process that exits at this moment has no tasks.
            let Ok(process) = Process::new(pid.as_raw()).map(Rc::new) else { continue };
            for task in process.tasks().into_iter().flatten().flatten() {
                if let Ok(times) = task.schedstat() {
                    let (process, id, ran) = (Rc::clone(&process), task.tid, times.sum_exec_runtime);
                    all.push(Thread { process, task, id, ran });
                }
            }
        }
        all
    }
}

/// A thread of the tree.
struct Thread {
    process: Rc<Process>,
    task: Task,
    id: i32,
    /// Time for which it has run, in ns.
    ran: u64,
}

impl Thread {
    fn stat(&self) -> Option<Stat> {
        self.task.stat().ok()
    }

    /// Returns whether the thread belongs to a hook, which is a command before or after the measured one, or to a
    /// process that a hook has started with another environment or, as `sudo` does, with other privileges. `None` if
    /// its process changed its program meanwhile: what was read may then be of another program, or the empty
    /// environment of one that is not loaded yet.
    fn is_hook(&self, place: Place, worker: i32) -> Option<bool> {
        let parent = |process: &Process| Process::new(process.stat().ok()?.ppid).ok();
        let all = std::iter::successors(Process::new(self.process.pid).ok(), parent);
        let is_marked =
            |process: Process| process.environ().is_ok_and(|all| all.contains_key(OsStr::new(HOOK)));
        let is_hook = all.take_while(|process| process.pid != worker).any(is_marked);
        let is_there = place.has_program() && self.stat().is_some_and(|stat| Place::of(&stat) == place);
        is_there.then_some(is_hook)
    }
}

#[cfg(test)]
mod tests;
