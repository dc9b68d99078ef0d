//! A serial runtime that compares the work that kernels state with its time.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::scope::Place;
use crate::{Cost, ForkCost, Runtime, serial};

/// Runs everything on the caller's thread, and adds up the work that the helpers state and its time.
///
/// Only the outermost calls count, as their cost has that of the calls inside; and only those with two pieces or more,
/// whose time is that of pieces alone, without what a kernel does between its calls.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Stated work of the next call, in ns; 0 before the first.
    next: AtomicU64,
    stated_ns: AtomicU64,
    measured_ns: AtomicU64,
}

/// Work that a [`Recorder`] has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Its stated time on one thread, in ns.
    pub stated_ns: u64,
    /// Its measured time, in ns.
    pub measured_ns: u64,
}

impl Recorder {
    /// Returns the work since the last call, or since the recorder was made.
    pub fn take(&self) -> Work {
        let take = |sum: &AtomicU64| sum.swap(0, Ordering::Relaxed);
        Work { stated_ns: take(&self.stated_ns), measured_ns: take(&self.measured_ns) }
    }

    /// Calls `body` as a task, and counts it if it is in no other.
    fn count(&self, body: impl FnOnce()) {
        let stated_ns = self.next.swap(0, Ordering::Relaxed);
        if Place::here() == Place::Task {
            return body();
        }
        let begun = Instant::now();
        Place::Task.mark(body);
        let measured_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if stated_ns > 0 {
            self.stated_ns.fetch_add(stated_ns, Ordering::Relaxed);
            self.measured_ns.fetch_add(measured_ns, Ordering::Relaxed);
        }
    }
}

impl Runtime for Recorder {
    fn name(&self) -> &'static str {
        "serial"
    }

    /// Two, so that helpers pass on what they would run in parallel.
    fn threads(&self) -> NonZeroUsize {
        const { NonZeroUsize::new(2).expect("2 is not 0") }
    }

    fn fork_cost(&self) -> ForkCost {
        ForkCost::NONE
    }

    fn stated(&self, work: Cost) {
        self.next.store(work.as_ns(), Ordering::Relaxed);
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.count(|| serial::run(tasks, task));
    }

    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        self.count(|| serial::join(a, b));
    }

    /// Calls `body`, whose calls state their own work.
    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        self.next.store(0, Ordering::Relaxed);
        body();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{enter, for_each_index, join, map, map_reduce};

    #[test]
    fn stated_work_is_counted_exactly_and_once() {
        let rt = Recorder::default();
        let stated = || rt.take().stated_ns;
        assert_eq!(map(&rt, 3, Cost::ns(7), |i| i), [0, 1, 2]);
        assert_eq!(stated(), 21);
        assert_eq!(stated(), 0, "it was taken");
        for_each_index(&rt, 5, Cost::ns(100), |_| {
            // The cost of a piece has that of calls inside.
            for_each_index(&rt, 9, Cost::ns(10), |_| {});
        });
        assert_eq!(map_reduce(&rt, 4, Cost::ns(1000), |i| i, |a, b| a + b), Some(6));
        assert_eq!(stated(), 4500);
        join(
            &rt,
            Cost::ns(80),
            || join(&rt, Cost::ns(40), || (), || ()),
            || for_each_index(&rt, 2, Cost::ns(20), |_| {}),
        );
        assert_eq!(stated(), 80);
        // The body of `enter` states its own work, and one piece is never passed on.
        enter(&rt, Cost::ns(1 << 40), || {
            for_each_index(&rt, 2, Cost::ns(3), |_| {});
            for_each_index(&rt, 1, Cost::ns(1 << 20), |_| {});
        });
        assert_eq!(stated(), 6);
        // Without a helper nothing is stated.
        rt.run(5, &|_| {});
        assert_eq!(rt.take(), Work::default());
    }

    #[test]
    fn only_the_time_of_pieces_is_measured() {
        const PIECE: Duration = Duration::from_millis(2);
        let rt = Recorder::default();
        std::thread::sleep(20 * PIECE);
        for_each_index(&rt, 2, Cost::ns(1), |_| std::thread::sleep(PIECE));
        std::thread::sleep(20 * PIECE);
        let work = rt.take();
        assert!(work.stated_ns == 2 && u128::from(work.measured_ns) >= (2 * PIECE).as_nanos(), "{work:?}");
    }
}
