//! The plan: lanes in flight, their memory, and the derivation of keys.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use parcrypt_cpu::{Backend, Request, Row};
use parcrypt_runtime::{Cost, Runtime, for_each, is_worthwhile, map};

use crate::arch::generic::Group;
use crate::costs::{BYTE_NS, CLEAR_BLOCK_NS, ITEM_NS};
use crate::dispatch::{Kernel, ROWS};
use crate::memory::{Block, Pool};
use crate::params::BLOCK;
use crate::prf::{OUTPUT, Prf};
use crate::{Error, Params};

/// Maximum length of a key in bytes: 32·(2^32 − 1) (RFC 7914, section 2).
pub const MAX_KEY_LEN: u64 = OUTPUT as u64 * u32::MAX as u64;

/// A password and its salt; both may be empty.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    /// The password.
    pub password: &'a [u8],
    /// The salt.
    pub salt: &'a [u8],
}

/// The progress of a derivation, for a watcher. Its calls may arrive out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Completed steps: calls of scryptBlockMix.
    pub done: u64,
    /// All steps: 2·N for each lane of each password.
    pub total: u64,
}

/// The memory and lanes of a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirements {
    /// Bytes of memory: within the plan's bound, or from N = 2^10 on at most 0.5 % above it, see [`Params::memory`]. In
    /// addition, each key of a window takes some hundred bytes, together with these at most 64 MiB.
    pub memory: u64,
    /// Lanes in flight at once, over threads and vectors together.
    pub lanes: usize,
    /// Working threads.
    pub threads: usize,
    /// Lanes in the vectors of a thread.
    pub lanes_per_thread: usize,
}

/// A plan for scrypt: the backend, the bound on memory, and the memory that is kept between keys.
///
/// Threads may share a plan. The bound applies to each call, and to the memory that is kept between calls.
pub struct Scrypt {
    kernel: &'static Row<Kernel>,
    max_memory: u64,
    most_lanes: usize,
    pool: Pool,
}

impl fmt::Debug for Scrypt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Scrypt");
        out.field("backend", &self.backend()).field("max_memory", &self.max_memory);
        out.field("most_lanes", &self.most_lanes).finish_non_exhaustive()
    }
}

/// The layout of the lanes of a call over threads, vectors and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// Tasks at once, each with its own memory.
    workers: usize,
    /// Maximum number of lanes of a worker at once.
    group: usize,
    /// Lanes whose B is in memory at once.
    window: u64,
    /// Blocks of a worker's memory.
    worker_blocks: usize,
    /// Blocks of all memory.
    blocks: usize,
}

/// Bytes that the rows B of a window may take beyond those of the lanes in flight: enough that threads rarely wait for
/// each other at its end, and little compared with the rows V.
const WINDOW: u64 = 64 << 20;

/// Upper bound of the bytes of states and lists for a key of a window.
const KEY_BYTES: u64 = 600;

impl Scrypt {
    /// Returns the backends of this build, in rising order of preference; the machine may not have them all.
    pub fn backends() -> Vec<Backend> {
        ROWS.backends()
    }

    /// Returns a plan with the requested backend. The lanes in flight will not use more than `max_memory` bytes, as
    /// [`Params::memory`] counts them: so 16 lanes of N = 2^17 and r = 8 fit exactly 2 GiB.
    ///
    /// # Errors
    /// [`Error::Backend`] if the requested backend is not offered or not available.
    pub fn new(request: Request, max_memory: u64) -> Result<Self, Error> {
        let kernel = ROWS.select(request)?;
        Ok(Scrypt { kernel, max_memory, most_lanes: kernel.usual_lanes(), pool: Pool::default() })
    }

    /// Sets the maximum number of lanes that a thread computes at once, for measurements; by default it is chosen for
    /// speed.
    pub fn with_lanes(mut self, most: NonZeroUsize) -> Self {
        self.most_lanes = most.get().min(self.kernel.most_lanes());
        self
    }

    /// Returns the backend that computes. A single lane is computed in general registers or in vectors,
    /// whichever is faster on this processor.
    pub fn backend(&self) -> Backend {
        self.kernel.backend()
    }

    /// Returns the memory and lanes for `keys` keys at once on `rt`.
    ///
    /// # Errors
    /// [`Error::Memory`] if one lane needs more than the bound.
    pub fn requirements(&self, rt: &dyn Runtime, params: Params, keys: usize) -> Result<Requirements, Error> {
        let lanes = (keys as u64).saturating_mul(u64::from(params.p()));
        let shape = self.shape(rt, params, lanes)?;
        Ok(Requirements {
            memory: shape.blocks as u64 * BLOCK,
            lanes: ((shape.workers * shape.group) as u64).min(lanes) as usize,
            threads: shape.workers,
            lanes_per_thread: shape.group,
        })
    }

    /// Fills `out` with the key of `password` and `salt` (RFC 7914, section 6), of 1 to [`MAX_KEY_LEN`] bytes.
    ///
    /// # Errors
    /// [`Error::KeyLength`], [`Error::Memory`] if one lane needs more than the bound, [`Error::Allocation`]. `out`
    /// is then unchanged.
    pub fn derive(
        &self,
        rt: &dyn Runtime,
        params: Params,
        password: &[u8],
        salt: &[u8],
        out: &mut [u8],
    ) -> Result<(), Error> {
        self.derive_many(rt, params, &[Item { password, salt }], out)
    }

    /// Derives one key for each item, as [`Scrypt::derive`]: `outs` has them in order, all of one length. Passwords are
    /// computed side by side, as lanes are.
    ///
    /// ```
    /// use parcrypt_cpu::Request;
    /// use parcrypt_runtime::Serial;
    /// use parcrypt_scrypt::{Item, Params, Scrypt};
    ///
    /// let scrypt = Scrypt::new(Request::Auto, 64 << 20)?;
    /// let items = [&b"first"[..], b"second"].map(|password| Item { password, salt: b"one salt" });
    /// let mut keys = [[0; 32]; 2];
    /// scrypt.derive_many(&Serial, Params::new(1 << 10, 8, 1)?, &items, keys.as_flattened_mut())?;
    /// assert_ne!(keys[0], keys[1]);
    /// # Ok::<(), parcrypt_scrypt::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of [`Scrypt::derive`], and [`Error::Outputs`] if `outs` does not divide by the number of items.
    pub fn derive_many(
        &self,
        rt: &dyn Runtime,
        params: Params,
        items: &[Item<'_>],
        outs: &mut [u8],
    ) -> Result<(), Error> {
        self.derive_watched(rt, params, items, outs, &|_| ControlFlow::Continue(()))
    }

    /// Derives one key for each item, as [`Scrypt::derive_many`], with a watcher that receives the progress and may
    /// stop the derivation.
    ///
    /// The watcher is called every few milliseconds by each thread that works, perhaps by several at once, and from
    /// the caller's thread before the first step. Where rows are long, r above 2^16, the calls are further apart: one
    /// step lies between them.
    ///
    /// # Errors
    /// Errors of [`Scrypt::derive_many`], and [`Error::Stopped`] if the watcher stops it; `outs` may then
    /// hold the keys that were ready before.
    pub fn derive_watched(
        &self,
        rt: &dyn Runtime,
        params: Params,
        items: &[Item<'_>],
        outs: &mut [u8],
        watch: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
    ) -> Result<(), Error> {
        let key_len = outs.len() / items.len().max(1);
        if outs.len() != key_len * items.len() {
            return Err(Error::Outputs { items: items.len(), len: outs.len() });
        }
        if items.is_empty() {
            return Ok(());
        }
        if key_len == 0 || key_len as u64 > MAX_KEY_LEN {
            return Err(Error::KeyLength { len: key_len });
        }
        let p = u64::from(params.p());
        let lanes = (items.len() as u64).saturating_mul(p);
        let shape = self.shape(rt, params, lanes)?;
        let watch = Watch::new(watch, lanes.saturating_mul(2).saturating_mul(params.n()));
        watch.step(0)?;

        let mut arena = self.pool.take(shape.blocks)?;
        let (work, rows) = arena.blocks().split_at_mut(shape.workers * shape.worker_blocks);
        let call = Call { kernel: self.kernel, rt, params, shape, watch };
        let mut result = Ok(());
        let mut begun = None;
        let mut outs = outs.chunks_exact_mut(key_len);
        let mut from = 0;
        while from < lanes && result.is_ok() {
            let window = from..lanes.min(from + shape.window);
            let first = (window.start / p) as usize;
            let items = &items[first..window.end.div_ceil(p) as usize];
            result = call.window(window.clone(), items, &mut begun, &mut outs, work, rows);
            from = window.end;
        }
        self.clear(rt, &shape, arena.blocks());
        self.pool.keep(arena, self.max_memory);
        result
    }

    /// Clears the memory of a call, on the threads that used it.
    fn clear(&self, rt: &dyn Runtime, shape: &Shape, blocks: &mut [Block]) {
        let blocks = &mut blocks[..shape.blocks];
        let each = blocks.len().div_ceil(shape.workers);
        let cost = Cost::ns(each as u64 * CLEAR_BLOCK_NS);
        for_each(rt, blocks.chunks_mut(each).collect(), cost, |part| self.kernel.clear(part));
    }

    /// Returns the layout within the bound that takes the least time; among equal ones the one with the fewest threads:
    /// half the lanes of a vector take as long as all, and memory does not serve two threads faster.
    fn shape(&self, rt: &dyn Runtime, params: Params, lanes: u64) -> Result<Shape, Error> {
        let bound = self.max_memory.min(isize::MAX as u64);
        if params.memory() > bound {
            return Err(Error::Memory { needed: params.memory(), bound: self.max_memory });
        }
        let lanes = lanes.max(1);
        let lane_ns = self.lane_ns(params, 1);
        let threads = rt.threads().get();
        let pieces = lanes.min(threads as u64);
        let each = Cost::ns((lane_ns.saturating_mul(lanes)) / pieces);
        let threads = if is_worthwhile(rt, pieces as usize, each) { threads as u64 } else { 1 };

        let row = params.row_blocks();
        let mut best: Option<((u64, u64), Shape)> = None;
        for group in 1..=(self.most_lanes as u64).min(lanes) as usize {
            let scratch = self.kernel.scratch(group, row);
            // Everything fits in 64 bits: `group` is small, and a lane's memory is below 2^63 / group, or the bound
            // excludes it.
            let worker_blocks = (row as u128 * params.rows() as u128) * group as u128 + scratch as u128;
            let counted = match params.counts_all() {
                true => (worker_blocks + (group * row) as u128) * u128::from(BLOCK),
                false => u128::from(params.memory()) * group as u128,
            };
            if counted > u128::from(bound) {
                break;
            }
            let (worker_blocks, counted) = (worker_blocks as u64, counted as u64);
            let groups = lanes.div_ceil(group as u64);
            let workers = threads.min(groups).min(bound / counted);
            // Lanes are spread evenly over the groups, so that the last group is not smaller than others by more than
            // 1.
            let largest = lanes.div_ceil(groups) as usize;
            if largest < group {
                continue;
            }
            let time = groups.div_ceil(workers).saturating_mul(self.lane_ns(params, group));
            let order = (time, workers);
            if best.as_ref().is_none_or(|(least, _)| order < *least) {
                let in_flight = workers * group as u64;
                let rest = bound - workers * counted;
                let window = in_flight + rest.min(WINDOW) / (params.row_bytes() + KEY_BYTES);
                // A window is whole rounds of all workers, or all lanes.
                let window = if window >= lanes { lanes } else { window / in_flight * in_flight };
                let blocks = workers * worker_blocks + window * row as u64;
                let shape = Shape {
                    workers: workers as usize,
                    group,
                    window,
                    worker_blocks: worker_blocks as usize,
                    blocks: blocks as usize,
                };
                best = Some((order, shape));
            }
        }
        // The first group size, one lane, needs `params.memory()`, which was compared above.
        best.map(|(_, shape)| shape).ok_or(Error::Memory { needed: params.memory(), bound: self.max_memory })
    }

    /// Returns the time for `group` lanes at once, in ns.
    fn lane_ns(&self, params: Params, group: usize) -> u64 {
        let blocks = (2 * params.n()).saturating_mul(params.row_blocks() as u64);
        blocks.saturating_mul(self.kernel.block_ps(group)) / 1000
    }
}

/// Counts steps for a watcher, and records its request to stop.
struct Watch<'a> {
    watch: &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync),
    done: AtomicU64,
    total: u64,
    stopped: AtomicBool,
}

impl<'a> Watch<'a> {
    fn new(watch: &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync), total: u64) -> Self {
        Watch { watch, done: AtomicU64::new(0), total, stopped: AtomicBool::new(false) }
    }

    /// Adds `steps` and calls the watcher.
    fn step(&self, steps: u64) -> Result<(), Error> {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        if (self.watch)(Progress { done, total: self.total }).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        if self.stopped.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// The constant data of a call.
struct Call<'a> {
    kernel: &'static Row<Kernel>,
    rt: &'a dyn Runtime,
    params: Params,
    shape: Shape,
    watch: Watch<'a>,
}

/// Consecutive lanes, and a row of memory for each.
struct Lanes<'a> {
    first: u64,
    rows: &'a mut [Block],
}

impl Call<'_> {
    /// Computes the lanes of `window`, which belong to `items`, and the keys that are then complete.
    ///
    /// `begun` is the PRF of an item of which some lanes lie in an earlier window.
    fn window<'o>(
        &self,
        window: Range<u64>,
        items: &[Item<'_>],
        begun: &mut Option<Prf>,
        outs: &mut (impl Iterator<Item = &'o mut [u8]> + Send),
        work: &mut [Block],
        rows: &mut [Block],
    ) -> Result<(), Error> {
        let (p, row) = (u64::from(self.params.p()), self.params.row_blocks());
        let first = window.start / p * p;
        let bytes = items.iter().map(|item| item.password.len() + item.salt.len()).sum::<usize>();
        let cost = Cost::ns(ITEM_NS + (bytes / items.len()) as u64 * BYTE_NS);
        let salted = map(self.rt, items.len(), cost, |i| {
            let mut prf = Prf::new(items[i].password);
            prf.salt(items[i].salt);
            prf
        });

        let lanes = window.end - window.start;
        let rows = &mut rows[..lanes as usize * row];
        let groups = lanes.div_ceil(self.shape.group as u64);
        let (each, larger) = (lanes / groups, lanes % groups);
        let mut queue = Vec::with_capacity(groups as usize);
        let (mut rest, mut next) = (&mut *rows, window.start);
        for i in 0..groups {
            let lanes = each + u64::from(i < larger);
            let (rows, behind) = rest.split_at_mut(lanes as usize * row);
            queue.push(Mutex::new(Some(Lanes { first: next - first, rows })));
            (rest, next) = (behind, next + lanes);
        }
        let head = AtomicUsize::new(0);
        let workers = work.chunks_exact_mut(self.shape.worker_blocks).collect();
        let blocks = (2 * self.params.n()).saturating_mul(row as u64);
        let group_ns = blocks.saturating_mul(self.kernel.block_ps(each as usize)) / 1000;
        let cost = Cost::ns(group_ns.saturating_mul(groups.div_ceil(self.shape.workers as u64)));
        for_each(self.rt, workers, cost, |memory: &mut [Block]| {
            while let Some(slot) = queue.get(head.fetch_add(1, Ordering::Relaxed)) {
                let lanes = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
                if self.watch.stopped.load(Ordering::Relaxed) {
                    return;
                }
                if let Some(lanes) = lanes {
                    self.group(lanes, &salted, memory);
                }
            }
        });
        drop(queue);
        if self.watch.stopped.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }

        // Each item's own rows, and if it is complete its key.
        let mut parts = Vec::with_capacity(items.len());
        let mut rest = &*rows;
        for (i, item) in items.iter().enumerate() {
            let start = (first + i as u64 * p).max(window.start);
            let end = (first + (i as u64 + 1) * p).min(window.end);
            let (own, behind) = rest.split_at((end - start) as usize * row);
            rest = behind;
            let complete = end == first + (i as u64 + 1) * p;
            let out = if complete { outs.next() } else { None };
            parts.push((item, i == 0, own, out));
        }
        // Not in the list: a `None` among its elements would be copied there with what the stack had before.
        let of_first = Mutex::new(begun.take());
        let last = Mutex::new(None);
        let cost = Cost::ns(ITEM_NS + (size_of_val(rows) / items.len()) as u64 * BYTE_NS);
        for_each(self.rt, parts, cost, |(item, is_first, own, out)| {
            let begun =
                if is_first { of_first.lock().unwrap_or_else(PoisonError::into_inner).take() } else { None };
            let mut prf = begun.unwrap_or_else(|| Prf::new(item.password));
            for block in own {
                prf.salt(bytemuck::cast_slice(&block.0.map(u32::to_le)));
            }
            match out {
                Some(out) => prf.fill(out),
                None => *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(prf),
            }
        });
        *begun = last.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(())
    }

    /// Computes `lanes`, counted from the first lane of the first of `salted`, in a worker's memory.
    fn group(&self, lanes: Lanes<'_>, salted: &[Prf], memory: &mut [Block]) {
        let (p, row, rows) = (u64::from(self.params.p()), self.params.row_blocks(), self.params.rows());
        for (lane, b) in (lanes.first..).zip(lanes.rows.chunks_exact_mut(row)) {
            let (item, lane) = ((lane / p) as usize, (lane % p) as u32);
            // At most 4·r·p < 2^32 outputs, two a block, counted from 1.
            let first = 2 * row as u32 * lane + 1;
            for (i, half) in (first..).zip(b.iter_mut().flat_map(|block| block.0.as_chunks_mut::<8>().0)) {
                salted[item].block(i, |bytes| {
                    for (word, bytes) in half.iter_mut().zip(bytes.as_chunks::<4>().0) {
                        *word = u32::from_le_bytes(*bytes);
                    }
                });
            }
        }
        let count = lanes.rows.len() / row;
        let (v, scratch) = memory.split_at_mut(count * row * rows);
        let scratch = &mut scratch[..self.kernel.scratch(count, row)];
        let mut tick = |steps: usize| self.watch.step((steps * count) as u64).is_ok();
        self.kernel.romix(Group { rows, row, b: lanes.rows, v, scratch, tick: &mut tick });
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_runtime::Serial;

    use super::*;

    /// Checks that a second thread is used only if it makes lanes cheaper: two lanes of a vector take as long as four.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn threads_are_used_if_they_shorten() {
        if parcrypt_testkit::backends("parcrypt-scrypt", &[Backend::Avx512]).is_empty() {
            return;
        }
        let plan = Scrypt::new(Backend::Avx512.into(), 1 << 30).unwrap();
        for rt in parcrypt_testkit::runtimes("parcrypt-scrypt") {
            let threads =
                |p| plan.requirements(&*rt, Params::new(1 << 14, 8, p).unwrap(), 1).unwrap().threads;
            match rt.threads().get() {
                1 => assert_eq!([3, 4, 8].map(threads), [1, 1, 1]),
                2 => assert_eq!([3, 4, 8].map(threads), [1, 1, 2]),
                3 => assert_eq!([3, 4, 12].map(threads), [3, 1, 3]),
                _ => assert_eq!([3, 4, 8].map(threads), [3, 4, 8]),
            }
        }
    }

    /// In memory for three lanes, all of them in vectors of AVX2 take less time than single ones on two threads.
    #[test]
    fn three_lanes_in_their_memory_stay_together() {
        if parcrypt_testkit::backends("parcrypt-scrypt", &[Backend::Avx2]).is_empty() {
            return;
        }
        let params = Params::new(1 << 14, 8, 3).unwrap();
        let plan = Scrypt::new(Backend::Avx2.into(), 3 * params.memory()).unwrap();
        for rt in parcrypt_testkit::runtimes("parcrypt-scrypt") {
            let threads = plan.requirements(&*rt, params, 1).unwrap().threads;
            assert_eq!(threads, if rt.threads().get() < 3 { 1 } else { 3 });
        }
    }

    /// Checks that memory is kept also if lanes fill the bound to the last byte, though the rows that they work on
    /// are added to it.
    #[test]
    fn memory_that_fills_the_bound_is_kept() {
        let params = Params::new(1 << 10, 8, 4).unwrap();
        let item = Item { password: b"password", salt: b"salt" };
        for lanes in [1, 2, 4] {
            let plan = Scrypt::new(Request::Auto, lanes * params.memory()).unwrap();
            for _ in 0..2 {
                plan.derive_many(&Serial, params, &[item], &mut [0; 32]).unwrap();
            }
            assert_eq!(plan.pool.drain().len(), 1, "{lanes}");
        }
    }

    /// Checks that the memory of calls at once is kept within the bound only, and freed if it is too small for a call.
    #[test]
    fn memory_is_kept_within_the_bound() {
        let [small, large] = [1 << 10, 1 << 11].map(|n| Params::new(n, 8, 1).unwrap());
        let item = Item { password: b"password", salt: b"salt" };
        let plan = Scrypt::new(Request::Auto, u64::MAX).unwrap();
        let one = plan.requirements(&Serial, small, 1).unwrap().memory;
        for (bound, expected) in [(2 * one - 1, 1), (2 * one, 2)] {
            let plan = Scrypt::new(Request::Auto, bound).unwrap();
            let derive = |params| plan.derive_many(&Serial, params, &[item], &mut [0; 32]);
            let watch = |at: Progress| {
                if at.done == at.total {
                    derive(small).unwrap();
                }
                ControlFlow::Continue(())
            };
            plan.derive_watched(&Serial, small, &[item], &mut [0; 32], &watch).unwrap();
            let kept = plan.pool.drain();
            assert_eq!(kept.len(), expected, "two calls with {one} bytes each, kept within {bound}");
            kept.into_iter().for_each(|arena| plan.pool.keep(arena, u64::MAX));
            derive(large).unwrap();
            assert_eq!(plan.pool.drain().len(), 1, "what was too small for the last call is freed");
        }
    }

    /// Checks that the memory that is kept after a key, or after a stop, is the used one, and that it is cleared.
    #[test]
    fn kept_memory_is_cleared() {
        let params = Params::new(1 << 10, 8, 3).unwrap();
        let plan = Scrypt::new(Request::Auto, 16 << 20).unwrap();
        let item = Item { password: b"password", salt: b"salt" };
        for stop in [u64::MAX, 2048, 1] {
            let watch = |at: Progress| match at.done >= stop {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            let result = plan.derive_watched(&Serial, params, &[item], &mut [0; 32], &watch);
            assert_eq!(result.is_ok(), stop == u64::MAX);
            let mut kept = plan.pool.drain();
            assert_eq!(kept.len(), 1);
            for arena in &mut kept {
                assert!(arena.blocks().len() as u64 * BLOCK >= params.memory());
                assert!(arena.blocks().iter().all(|block| block.0 == [0; 16]));
            }
        }
    }
}
