//! Progress of long work, and its end by Ctrl-C.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use pyo3::prelude::*;

/// Calls a Python function with the progress, on the thread that began the work; an exception stops the work.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    caller: ThreadId,
    exception: Mutex<Option<PyErr>>,
}

impl Watch {
    /// Returns a watch for work that begins on this thread.
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Watch { progress, caller: thread::current().id(), exception: Mutex::new(None) }
    }

    /// Reports progress, and returns whether to go on. It does nothing on other threads.
    pub(crate) fn report(&self, done: u64, total: u64) -> ControlFlow<()> {
        if thread::current().id() != self.caller {
            return ControlFlow::Continue(());
        }
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

    /// Returns the exception that stopped the work.
    pub(crate) fn stopped(self) -> PyResult<()> {
        match self.exception.into_inner() {
            Ok(Some(exception)) => Err(exception),
            _ => Ok(()),
        }
    }
}
