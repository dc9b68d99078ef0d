//! Runtimes for tests of code that calls a runtime.

use std::num::NonZeroUsize;

use parcrypt_runtime::{ForkCost, Runtime};

/// A runtime whose use fails the test.
pub struct Untouched;

impl Runtime for Untouched {
    fn name(&self) -> &'static str {
        "untouched"
    }
    fn threads(&self) -> NonZeroUsize {
        panic!("asked for its threads")
    }
    fn fork_cost(&self) -> ForkCost {
        panic!("asked for its cost")
    }
    fn run(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {
        panic!("ran")
    }
    fn join(&self, _: &mut (dyn FnMut() + Send), _: &mut (dyn FnMut() + Send)) {
        panic!("joined")
    }
}

/// Three threads without cost, so that everything that can be divided is divided. Tasks run in reverse order on the
/// caller's thread.
pub struct Eager;

impl Runtime for Eager {
    fn name(&self) -> &'static str {
        "eager"
    }
    fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(3).expect("not zero")
    }
    fn fork_cost(&self) -> ForkCost {
        ForkCost::NONE
    }
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).rev().for_each(task);
    }
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        b();
        a();
    }
}
