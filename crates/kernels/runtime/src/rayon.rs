//! Work stealing by Rayon, in the caller's pool or a new one, but not in the global one.

use std::num::NonZeroUsize;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

use ::rayon::prelude::*;
use ::rayon::{ThreadPool, ThreadPoolBuilder};

use crate::placement::{Home, Placement, check_threads};
use crate::scope::Place;
use crate::{Error, ForkCost, Runtime, fork, serial};

/// Runs on a [`rayon::ThreadPool`](::rayon::ThreadPool): the caller's own, or one that this value owns.
///
/// After a fork the child has none of the workers; there everything runs on the caller's thread, with the same result.
/// Create a new `Rayon` in the child to go parallel again.
#[derive(Debug)]
pub struct Rayon<'pool> {
    pool: Pool<'pool>,
    generation: u64,
    placement: Placement,
}

#[derive(Debug)]
enum Pool<'pool> {
    Owned(ThreadPool),
    Callers(&'pool ThreadPool),
}

// A pool works after a panic as before: Rayon catches the panic of a task on its worker and raises it for the caller.
// `ThreadPool` does not have these traits, because it may hold handlers of its user.
impl UnwindSafe for Rayon<'_> {}
impl RefUnwindSafe for Rayon<'_> {}

impl Rayon<'static> {
    /// Returns a runtime with a new pool of `threads` workers, which end when it is dropped.
    ///
    /// # Errors
    /// [`Error::Threads`] above [`MAX_THREADS`](crate::MAX_THREADS), [`Error::Spawn`] if the system refuses.
    pub fn new(threads: NonZeroUsize) -> Result<Self, Error> {
        check_threads(threads)?;
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .thread_name(|i| format!("parcrypt-{i}"))
            .build()
            .map_err(|e| Error::Spawn { threads: threads.get(), why: std::io::Error::other(e) })?;
        Ok(Rayon::over(Pool::Owned(pool)))
    }
}

impl<'pool> Rayon<'pool> {
    /// Returns a runtime that uses the caller's pool with all its threads.
    pub fn with_pool(pool: &'pool ThreadPool) -> Self {
        Rayon::over(Pool::Callers(pool))
    }

    fn over(pool: Pool<'pool>) -> Self {
        let (generation, placement) = (fork::generation(), Placement::Shared);
        let mut rayon = Rayon { pool, generation, placement };
        rayon.placement = Placement::of(rayon.threads());
        rayon
    }

    fn pool(&self) -> &ThreadPool {
        match &self.pool {
            Pool::Owned(pool) => pool,
            Pool::Callers(pool) => pool,
        }
    }

    /// Returns whether the pool can be used from here and has more than one thread.
    fn usable(&self) -> bool {
        self.pool().current_num_threads() > 1 && self.generation == fork::generation()
    }
}

impl Runtime for Rayon<'_> {
    fn name(&self) -> &'static str {
        "rayon"
    }

    fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.pool().current_num_threads()).unwrap_or(NonZeroUsize::MIN)
    }

    fn fork_cost(&self) -> ForkCost {
        ForkCost::RAYON
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        if tasks < 2 || Place::here() == Place::Task || !self.usable() {
            return serial::run(tasks, task);
        }
        self.pool().install(|| {
            let (home, host) = (Home::here(self.placement), ::rayon::current_thread_index());
            let made_way = AtomicBool::new(false);
            (0..tasks).into_par_iter().with_max_len(1).for_each(|i| {
                if ::rayon::current_thread_index() != host {
                    home.leave();
                } else if !made_way.swap(true, Ordering::Relaxed) {
                    Home::make_way();
                }
                Place::Task.mark(|| task(i));
            });
        });
    }

    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        if !self.usable() {
            return serial::join(a, b);
        }
        let place = Place::here();
        self.pool().install(|| {
            let home = Home::here(self.placement);
            ::rayon::join_context(
                |_| {
                    // Inside, the workers are awake.
                    if matches!(place, Place::Outside | Place::Entered) {
                        Home::make_way();
                    }
                    place.branch().mark(a);
                },
                |b_is| {
                    if b_is.migrated() {
                        home.leave();
                    }
                    place.branch().mark(b);
                },
            );
        });
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        if !self.usable() {
            return body();
        }
        let place = Place::here();
        self.pool().install(|| place.mark(body));
    }
}
