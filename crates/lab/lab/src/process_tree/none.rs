//! What is known of a process tree on Linux only.

use super::{Disturbance, ProcessTree};

impl ProcessTree {
    /// Returns 0: no processes of a lab that was killed are found.
    pub(crate) fn kill_orphans() -> usize {
        0
    }

    /// Does nothing: see [`ProcessTree::disturbance`].
    pub(crate) fn observe(&mut self) {}

    /// Returns zeros: the system does not count how long a thread of another process waited for a processor.
    pub(crate) fn disturbance(&self) -> Disturbance {
        Disturbance::default()
    }

    /// Returns no times, as [`ProcessTree::disturbance`].
    pub(crate) fn run_times(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Returns `None`, as [`ProcessTree::disturbance`].
    pub(crate) fn used(&mut self) -> Option<(u64, u64)> {
        None
    }

    /// Does nothing: no thread is bound.
    pub(crate) fn bind(&self, _: &[usize]) {}

    /// Does nothing: no thread is bound.
    pub(crate) fn bind_leader(&self, _: &[usize]) {}
}
