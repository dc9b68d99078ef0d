//! The helpers over [`Runtime`] that kernels call.
//!
//! The cuts and the order of combination depend on the number of pieces alone, so every runtime gives the same bits.

use std::iter::Sum;
use std::ops::{Add, Mul};
use std::sync::{Mutex, PoisonError};

use crate::Runtime;
use crate::scope::Place;

/// The time of a piece on one thread, as measured for its kernel. An estimate within a factor of two suffices.
///
/// Costs are added, and multiplied by a number of pieces: `commitment + blobs * proof`. They end at the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    ns: u64,
}

impl Cost {
    /// Returns the cost of a piece that takes `ns` nanoseconds.
    pub const fn ns(ns: u64) -> Self {
        Cost { ns }
    }

    /// Returns the nanoseconds.
    pub const fn as_ns(self) -> u64 {
        self.ns
    }
}

impl Add for Cost {
    type Output = Cost;
    fn add(self, other: Cost) -> Cost {
        Cost { ns: self.ns.saturating_add(other.ns) }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(all: I) -> Cost {
        all.fold(Cost::default(), Add::add)
    }
}

impl Mul<Cost> for usize {
    type Output = Cost;
    fn mul(self, cost: Cost) -> Cost {
        Cost { ns: cost.ns.saturating_mul(self as u64) }
    }
}

/// Returns whether `pieces` of that cost gain from going parallel on `rt`.
///
/// With t threads the gain is at most work × (1 − 1/t). It must be twice the cost of a fork, so that going parallel
/// costs no time even if the estimate of the work is wrong by a factor of two. Workers count as asleep, except in
/// the body of [`enter`] and in branches of [`join`].
pub fn is_worthwhile(rt: &dyn Runtime, pieces: usize, cost: Cost) -> bool {
    if pieces < 2 {
        return false;
    }
    let threads = rt.threads().get().min(pieces) as u64;
    if threads < 2 {
        return false;
    }
    let fork = match Place::here() {
        Place::Outside => rt.fork_cost().asleep_ns,
        Place::Entered | Place::Branch | Place::Task => rt.fork_cost().spinning_ns,
    };
    let work = cost.ns.saturating_mul(pieces as u64);
    work - work / threads >= fork.saturating_mul(2)
}

/// Calls `f` once for each i in `0..pieces`, in parallel if it pays.
pub fn for_each_index(rt: &dyn Runtime, pieces: usize, cost: Cost, f: impl Fn(usize) + Sync) {
    if is_worthwhile(rt, pieces, cost) { rt.run(pieces, &f) } else { (0..pieces).for_each(f) }
}

/// Calls `f` once with each of `items`, in parallel if it pays.
///
/// Kernels distribute mutable parts of one slice with it: the parts of `chunks_mut` or `split_at_mut` are the items.
///
/// ```
/// use parcrypt_runtime::{Cost, Serial, for_each};
/// let mut data = [1u32, 2, 3, 4, 5];
/// for_each(&Serial, data.chunks_mut(2).collect(), Cost::ns(1), |part| part.reverse());
/// assert_eq!(data, [2, 1, 4, 3, 5]);
/// ```
pub fn for_each<T: Send>(rt: &dyn Runtime, items: Vec<T>, cost: Cost, f: impl Fn(T) + Sync) {
    if !is_worthwhile(rt, items.len(), cost) {
        return items.into_iter().for_each(f);
    }
    let slots: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    rt.run(slots.len(), &|i| {
        let item = slots[i].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(item) = item {
            f(item);
        }
    });
}

/// Returns the results of `f` for each i in `0..pieces`, in order of i, computed in parallel if it pays.
pub fn map<T: Send>(rt: &dyn Runtime, pieces: usize, cost: Cost, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if !is_worthwhile(rt, pieces, cost) {
        return (0..pieces).map(f).collect();
    }
    let slots: Vec<_> = (0..pieces).map(|_| Mutex::new(None)).collect();
    rt.run(pieces, &|i| {
        let value = f(i);
        *slots[i].lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    });
    let results = slots.into_iter().filter_map(|s| s.into_inner().unwrap_or_else(PoisonError::into_inner));
    let results: Vec<T> = results.collect();
    assert_eq!(results.len(), pieces, "runtime `{}` left out a task", rt.name());
    results
}

/// Returns the results of `map` for each i in `0..pieces`, combined from left to right; `None` for no pieces.
///
/// ```
/// use parcrypt_runtime::{Cost, Serial, map_reduce};
/// let words = ["one ", "two ", "three"];
/// let line = map_reduce(&Serial, words.len(), Cost::ns(5), |i| words[i].to_owned(), |a, b| a + &b);
/// assert_eq!(line.as_deref(), Some("one two three"));
/// ```
pub fn map_reduce<T: Send>(
    rt: &dyn Runtime,
    pieces: usize,
    cost: Cost,
    map: impl Fn(usize) -> T + Sync,
    reduce: impl Fn(T, T) -> T,
) -> Option<T> {
    if !is_worthwhile(rt, pieces, cost) {
        return (0..pieces).map(map).reduce(reduce);
    }
    self::map(rt, pieces, cost, map).into_iter().reduce(reduce)
}

/// Calls both, in parallel if that pays for a total cost of `cost`, and returns both results.
///
/// ```
/// use parcrypt_runtime::{Cost, Runtime, Serial, join};
/// fn depth(rt: &dyn Runtime, n: u32) -> u32 {
///     if n == 0 {
///         return 0;
///     }
///     let (a, b) = join(rt, Cost::ns(1 << n), || depth(rt, n - 1), || depth(rt, n - 1));
///     1 + a.max(b)
/// }
/// assert_eq!(depth(&Serial, 6), 6);
/// ```
pub fn join<A: Send, B: Send>(
    rt: &dyn Runtime,
    cost: Cost,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let half = Cost { ns: cost.ns / 2 };
    if !is_worthwhile(rt, 2, half) {
        return (a(), b());
    }
    let (mut a, mut b) = (Some(a), Some(b));
    let (mut result_a, mut result_b) = (None, None);
    rt.join(&mut || result_a = a.take().map(|a| a()), &mut || result_b = b.take().map(|b| b()));
    match (result_a, result_b) {
        (Some(a), Some(b)) => (a, b),
        _ => panic!("runtime `{}` left out a branch", rt.name()),
    }
}

/// Calls `f`, on a thread from which going parallel costs least if that pays for a total cost of `cost`.
///
/// It is for work that goes parallel many times in a row; see [`Runtime::enter`].
pub fn enter<T: Send>(rt: &dyn Runtime, cost: Cost, f: impl FnOnce() -> T + Send) -> T {
    if !is_worthwhile(rt, 2, Cost { ns: cost.ns / 2 }) {
        return f();
    }
    let (mut f, mut result) = (Some(f), None);
    let place = match Place::here() {
        Place::Outside => Place::Entered,
        further_in => further_in,
    };
    rt.enter(&mut || place.mark(|| result = f.take().map(|f| f())));
    match result {
        Some(result) => result,
        None => panic!("runtime `{}` left out the body of `enter`", rt.name()),
    }
}
