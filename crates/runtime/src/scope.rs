//! Where a thread stands: outside, inside what was entered, inside a branch of `join`, or inside a task of `run`.
//!
//! Every task and every branch sets the mark for itself and takes it off again, because a worker that waits may take
//! up another piece of work in the middle of its own: what it takes up must not see the mark of what it left.

use std::cell::Cell;

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In no task and no branch.
    Outside,
    /// In the body of `enter`: the workers will be awake soon.
    Entered,
    /// In a branch of `join`, and in no task: the workers are awake.
    Branch,
    /// In a task of `run`, perhaps in a branch in there: a further `run` is serial.
    Task,
}

impl Place {
    /// Where this thread stands.
    pub(crate) fn here() -> Self {
        PLACE.get()
    }

    /// Where a branch stands that is begun here.
    pub(crate) fn branch(self) -> Self {
        if self == Place::Task { Place::Task } else { Place::Branch }
    }

    /// Calls `f` as standing here, and puts the thread's old place back, also when `f` panics.
    pub(crate) fn mark<R>(self, f: impl FnOnce() -> R) -> R {
        struct Restore(Place);
        impl Drop for Restore {
            fn drop(&mut self) {
                PLACE.set(self.0);
            }
        }
        let _restore = Restore(PLACE.replace(self));
        f()
    }
}

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place::Outside) };
}
