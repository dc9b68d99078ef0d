//! The place of a thread: outside, in the body of `enter`, in a branch of `join`, or in a task of `run`.
//!
//! Every task and every branch sets its place and restores the old one, because a worker that waits may run another
//! task in the middle of its own, which must not see the place of the first.

use std::cell::Cell;

/// The place of a thread.
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
    /// Returns the place of this thread.
    pub(crate) fn here() -> Self {
        PLACE.get()
    }

    /// Returns the place of a branch that begins here.
    pub(crate) fn branch(self) -> Self {
        if self == Place::Task { Place::Task } else { Place::Branch }
    }

    /// Calls `f` in this place, and restores the thread's old place, also when `f` panics.
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
