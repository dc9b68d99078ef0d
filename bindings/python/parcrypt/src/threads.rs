//! Threads: the runtimes of settings, and those of calls, which are kept for the next call.

use std::mem;
use std::num::NonZeroUsize;
use std::ops::Deref;
use std::sync::Mutex;

use parcrypt_runtime::{Kind, MAX_THREADS, Runtime, Serial};
use pyo3::prelude::*;

use crate::input::value_error;

/// Maximum number of threads of all runtimes that are kept.
const KEPT: usize = 256;

/// Runtimes of this process that no call uses, the last used one last. Starting two threads takes some 0.3 ms, as long
/// as GMAC takes for megabytes.
static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, runtimes: Vec::new() });

struct Idle {
    process: u32,
    runtimes: Vec<Box<dyn Runtime>>,
}

/// A machine may have more processors than a runtime may have threads.
const MOST: NonZeroUsize = NonZeroUsize::new(MAX_THREADS).unwrap();

/// Returns the number of threads: one for each processor that the process may use for 0.
fn count(threads: usize) -> NonZeroUsize {
    NonZeroUsize::new(threads).unwrap_or_else(|| parcrypt_cpu::cores().min(MOST))
}

fn build(threads: NonZeroUsize) -> PyResult<Box<dyn Runtime>> {
    if threads == NonZeroUsize::MIN {
        return Ok(Box::new(Serial));
    }
    Kind::Rayon.build(threads).map_err(|why| value_error(format_args!("threads: {why}")))
}

/// Returns a new runtime with this many threads, the caller's included; with one for each processor for 0.
pub(crate) fn runtime(threads: usize) -> PyResult<Box<dyn Runtime>> {
    build(count(threads))
}

/// A runtime that belongs to one call.
pub(crate) struct Lent {
    /// It is there until the call ends.
    runtime: Option<Box<dyn Runtime>>,
    process: u32,
}

/// Returns a runtime as [`runtime`] does, a kept one if there is one. Calls at the same time have different ones.
pub(crate) fn lend(threads: usize) -> PyResult<Lent> {
    let (threads, process) = (count(threads), std::process::id());
    let mut kept = None;
    // Without waiting: after a fork the lock may be that of a thread that is not in this process.
    if threads > NonZeroUsize::MIN
        && let Ok(mut idle) = IDLE.try_lock()
    {
        if idle.process != process {
            // Their threads are in the process before the fork; ending a pool waits for none, but locks what they lock.
            mem::take(&mut idle.runtimes).into_iter().for_each(mem::forget);
            idle.process = process;
        }
        let last = idle.runtimes.iter().rposition(|runtime| runtime.threads() == threads);
        kept = last.map(|last| idle.runtimes.remove(last));
    }
    let runtime = kept.map_or_else(|| build(threads), Ok)?;
    Ok(Lent { runtime: Some(runtime), process })
}

impl Deref for Lent {
    type Target = dyn Runtime;

    fn deref(&self) -> &Self::Target {
        self.runtime.as_deref().unwrap_or(&Serial)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take().filter(|runtime| runtime.threads() > NonZeroUsize::MIN)
        else {
            return;
        };
        let mut ended = Vec::new();
        if let Ok(mut idle) = IDLE.try_lock()
            && idle.process == self.process
        {
            idle.runtimes.push(runtime);
            let threads = |runtimes: &[Box<dyn Runtime>]| -> usize {
                runtimes.iter().map(|runtime| runtime.threads().get()).sum()
            };
            while threads(&idle.runtimes) > KEPT {
                ended.push(idle.runtimes.remove(0));
            }
        }
        // `ended` is dropped after the lock is released.
    }
}
