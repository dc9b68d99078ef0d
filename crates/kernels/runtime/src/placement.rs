//! Moves a woken worker from the processor of the thread that woke it.
//!
//! Linux wakes a thread where it last ran unless it knows an idle processor, and on a virtual machine a halted
//! processor does not count as idle. So a worker that slept may be queued behind the thread that waits for it, while
//! the other processors idle until the next tick of the balancer, some 4 ms later. The thread that forks therefore
//! yields once, and a worker on that thread's processor moves to another one that it may use.
#![allow(unsafe_code, reason = "sched_getcpu and sched_setaffinity have no safe wrapper")]

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, MAX_THREADS};

/// Placement of a runtime's workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// Each thread can have a processor of its own.
    Apart,
    /// There are more threads than processors: they have to share.
    Shared,
}

impl Placement {
    /// Returns the placement of `threads` threads on the processors that this process may use.
    pub(crate) fn of(threads: NonZeroUsize) -> Self {
        if threads <= parcrypt_cpu::cores() { Placement::Apart } else { Placement::Shared }
    }
}

/// The processor of the thread that forks, in one region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    processor: Option<usize>,
    region: u64,
}

thread_local! {
    /// The last region in which this thread compared its processor: once is enough.
    static LOOKED: Cell<u64> = const { Cell::new(0) };
}

impl Home {
    /// Returns the current processor of this thread, for one region.
    pub(crate) fn here(placement: Placement) -> Self {
        static REGIONS: AtomicU64 = AtomicU64::new(1);
        match placement {
            Placement::Apart => {
                Home { processor: processor(), region: REGIONS.fetch_add(1, Ordering::Relaxed) }
            }
            Placement::Shared => Home { processor: None, region: 0 },
        }
    }

    /// Yields once in the thread that forks, so that a worker queued behind it can move away.
    pub(crate) fn make_way() {
        std::thread::yield_now();
    }

    /// Moves a worker to another processor if it is on this one, at most once a region.
    pub(crate) fn leave(self) {
        if LOOKED.replace(self.region) != self.region
            && self.processor.is_some()
            && self.processor == processor()
        {
            move_off(self.processor);
        }
    }
}

#[cfg(target_os = "linux")]
fn processor() -> Option<usize> {
    // SAFETY: takes nothing and returns a number, below 0 for an error.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Removes `from` from this thread's processors, which moves the thread at once, and adds it again.
#[cfg(target_os = "linux")]
fn move_off(from: Option<usize>) {
    const SIZE: usize = size_of::<libc::cpu_set_t>();
    let Some(from) = from.filter(|from| *from < 8 * SIZE) else { return };
    // SAFETY: a set of processors is an array of bits, for which zeros are a value.
    let mut all: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: writes at most `SIZE` bytes to `all`; 0 is the calling thread.
    if unsafe { libc::sched_getaffinity(0, SIZE, &raw mut all) } != 0 {
        return;
    }
    let mut others = all;
    // SAFETY: `from` is below the number of bits of the set, as was checked above.
    unsafe { libc::CPU_CLR(from, &mut others) };
    // SAFETY: reads the set.
    if unsafe { libc::CPU_COUNT(&others) } == 0 {
        return;
    }
    for set in [&others, &all] {
        // SAFETY: reads `SIZE` bytes; 0 is the calling thread. A refusal leaves the thread if it is.
        unsafe { libc::sched_setaffinity(0, SIZE, set) };
    }
}

#[cfg(not(target_os = "linux"))]
fn processor() -> Option<usize> {
    None
}

#[cfg(not(target_os = "linux"))]
fn move_off(_: Option<usize>) {}

/// Returns an error for too many threads.
pub(crate) fn check_threads(threads: NonZeroUsize) -> Result<(), Error> {
    if threads.get() > MAX_THREADS { Err(Error::Threads { asked: threads.get() }) } else { Ok(()) }
}

/// Starts that many threads at once and ends them, for runtimes that end the process if they get fewer.
pub(crate) fn try_threads(threads: NonZeroUsize) -> Result<(), Error> {
    let gate = std::sync::Mutex::new(());
    let closed = gate.lock();
    let started = std::thread::scope(|s| {
        let started: Result<Vec<_>, _> = (1..threads.get())
            .map(|_| std::thread::Builder::new().spawn_scoped(s, || drop(gate.lock())))
            .collect();
        drop(closed);
        started.map(|_| ())
    });
    started.map_err(|why| Error::Spawn { threads: threads.get(), why })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn allowed() -> Vec<usize> {
        // SAFETY: as above.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        assert_eq!(unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) }, 0);
        // SAFETY: all numbers are below the number of bits of the set.
        (0..8 * size_of_val(&set)).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) }).collect()
    }

    #[test]
    fn a_thread_moves_away_and_may_return() {
        let before = allowed();
        for _ in 0..20 {
            let home = Home::here(Placement::Apart);
            home.leave();
            assert_eq!(allowed(), before, "the thread may use the same processors as before");
            if before.len() == 1 {
                assert_eq!(home.processor, processor(), "there is nowhere else to go");
            }
        }
    }

    #[test]
    fn a_pinned_thread_stays() {
        std::thread::spawn(|| {
            // SAFETY: as above.
            let mut one: libc::cpu_set_t = unsafe { std::mem::zeroed() };
            let here = processor().unwrap();
            // SAFETY: `here` is a processor's number; the set is read.
            unsafe {
                libc::CPU_SET(here, &mut one);
                assert_eq!(libc::sched_setaffinity(0, size_of_val(&one), &one), 0);
            }
            Home::here(Placement::Apart).leave();
            assert_eq!((processor(), allowed()), (Some(here), vec![here]));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn numbers_beyond_the_set_are_ignored() {
        let before = allowed();
        move_off(Some(usize::MAX));
        move_off(None);
        assert_eq!(allowed(), before);
    }
}
