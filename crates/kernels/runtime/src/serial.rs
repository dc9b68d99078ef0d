//! All tasks in order on the caller's thread: the baseline of all other runtimes.

use std::num::NonZeroUsize;

use crate::scope::Place;
use crate::{ForkCost, Runtime};

/// Runs everything on the caller's thread, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Runtime for Serial {
    fn name(&self) -> &'static str {
        "serial"
    }

    fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn fork_cost(&self) -> ForkCost {
        ForkCost::NONE
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        run(tasks, task);
    }

    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        join(a, b);
    }
}

/// Runs tasks in order, as every runtime does if it does not go parallel.
pub(crate) fn run(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    Place::Task.mark(|| (0..tasks).for_each(task));
}

/// Runs two branches, as [`run`]: the place is unchanged, because branches may go parallel again.
pub(crate) fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    a();
    b();
}
