//! Where a thread stands: inside a task of `run` or not.
//!
//! Every task and every branch sets the mark for itself and takes it off again, because a worker that waits may take
//! up another piece of work in the middle of its own: what it takes up must not see the mark of what it left.

use std::cell::Cell;

thread_local! {
    static INSIDE_RUN: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a task of some runtime's `run`.
pub(crate) fn inside_run() -> bool {
    INSIDE_RUN.get()
}

/// Calls `f` with the mark set to `inside`, and puts the old mark back, also when `f` panics.
pub(crate) fn marked<R>(inside: bool, f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            INSIDE_RUN.set(self.0);
        }
    }
    let _restore = Restore(INSIDE_RUN.replace(inside));
    f()
}
