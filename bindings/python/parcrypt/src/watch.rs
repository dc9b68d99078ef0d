//! Progress of long work, and its end by Ctrl-C.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Instant;

use parcrypt_runtime::Runtime;
use pyo3::prelude::*;

/// Time between two reports of work on several threads, in ms.
const INTERVAL_MS: u64 = 50;

/// Takes the completed and all steps, and returns whether to go on.
pub(crate) type Report<'a> = dyn Fn(u64, u64) -> ControlFlow<()> + Sync + 'a;

/// Calls a Python function with the progress, on the thread that began the work; an exception stops the work.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    exception: Mutex<Option<PyErr>>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Watch { progress, exception: Mutex::new(None) }
    }

    /// Reports progress, and returns whether to go on. Python runs the handler of a signal on its main thread only, so
    /// this is to be called on the thread that began the work.
    pub(crate) fn report(&self, done: u64, total: u64) -> ControlFlow<()> {
        let called = Python::attach(|py| {
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (done, total)).map(drop))
        });
        let Err(exception) = called else { return ControlFlow::Continue(()) };
        if let Ok(mut slot) = self.exception.lock() {
            *slot = Some(exception);
        }
        ControlFlow::Break(())
    }

    /// Runs work that reports from any thread of `rt`. If it has several, the work runs on a thread of its own, and
    /// this one passes on its reports, each [`INTERVAL_MS`]: so no worker waits for the interpreter.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(crate) fn run<R: Send>(
        &self,
        rt: &dyn Runtime,
        work: impl FnOnce(&Report<'_>) -> R + Send,
    ) -> std::io::Result<R> {
        if rt.threads() == NonZeroUsize::MIN {
            return Ok(work(&|done, total| self.report(done, total)));
        }
        let (sender, reports) = mpsc::sync_channel(1);
        let (begun, stop) = (Instant::now(), &AtomicBool::new(false));
        let (most, due) = (&AtomicU64::new(0), AtomicU64::new(0));
        let pass_on = move |sender: &mpsc::SyncSender<_>, done, total| {
            // Reports of several threads may come out of order.
            let done = most.fetch_max(done, Ordering::Relaxed).max(done);
            let (now, next) = (begun.elapsed().as_millis() as u64, due.load(Ordering::Relaxed));
            if now >= next && due.swap(now + INTERVAL_MS, Ordering::Relaxed) == next {
                // Without room the report before was not passed on yet, and this one is left out.
                let _ = sender.try_send((done, total));
            }
        };
        thread::scope(|scope| {
            // The loop below ends with the sender, which belongs to the work.
            let work = thread::Builder::new().spawn_scoped(scope, move || {
                work(&|done, total| {
                    pass_on(&sender, done, total);
                    if stop.load(Ordering::Relaxed) {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                })
            })?;
            let mut last = (0, 0);
            let report = |(done, total)| {
                if !stop.load(Ordering::Relaxed) && self.report(done, total).is_break() {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            for next in reports {
                report(next);
                last = next;
            }
            // So that the last report is the end of the work.
            let done = most.load(Ordering::Relaxed);
            if done > last.0 {
                report((done, last.1));
            }
            Ok(work.join().unwrap_or_else(|why| panic::resume_unwind(why)))
        })
    }

    /// Returns the exception that stopped the work.
    pub(crate) fn stopped(self) -> PyResult<()> {
        match self.exception.into_inner() {
            Ok(Some(exception)) => Err(exception),
            _ => Ok(()),
        }
    }
}
