//! An allocator that counts what routines allocate. It is only in the programs of `parlab suite --measure allocations`,
//! which are built with a file `allocations` next to the build script.
//!
//! What all threads do from the start of the iterations to their end counts, because a routine may give its work to
//! others.

// The allocator of a program is unsafe to implement.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

/// Names of what [`take`] returns.
pub(crate) const NAMES: [&str; 3] = ["allocations", "allocated-bytes", "peak-allocated-bytes"];

/// Whether iterations run.
static IS_ON: AtomicBool = AtomicBool::new(false);

static COUNT: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
/// Bytes that are allocated, less those at the start of the iterations; below 0 if more was freed.
static LIVE: AtomicI64 = AtomicI64::new(0);
/// The greatest of them.
static PEAK: AtomicI64 = AtomicI64::new(0);

/// The system's allocator, with counts.
pub(crate) struct Counting;

#[cfg(allocations)]
#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts from now on: iterations start.
pub(crate) fn start() {
    LIVE.store(0, Relaxed);
    IS_ON.store(true, Relaxed);
}

/// Counts no longer: iterations ended.
pub(crate) fn stop() {
    IS_ON.store(false, Relaxed);
}

/// Returns the number of allocations since the last call, the sum of the bytes that they asked for, and the greatest
/// number of bytes that were allocated at once after a start. An allocation that grows or shrinks is another one.
pub(crate) fn take() -> [u64; 3] {
    [COUNT.swap(0, Relaxed), BYTES.swap(0, Relaxed), PEAK.swap(0, Relaxed).unsigned_abs()]
}

/// Notes an allocation of some bytes instead of others, which are 0 for a new one.
fn note(bytes: usize, instead_of: usize) {
    if IS_ON.load(Relaxed) {
        COUNT.fetch_add(1, Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
        let change = bytes as i64 - instead_of as i64;
        PEAK.fetch_max(LIVE.fetch_add(change, Relaxed) + change, Relaxed);
    }
}

// SAFETY: the system's allocator does the work, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        let new = unsafe { System.alloc(layout) };
        if !new.is_null() {
            note(layout.size(), 0);
        }
        new
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        let new = unsafe { System.alloc_zeroed(layout) };
        if !new.is_null() {
            note(layout.size(), 0);
        }
        new
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(old, layout) };
        if IS_ON.load(Relaxed) {
            LIVE.fetch_sub(layout.size() as i64, Relaxed);
        }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        let new = unsafe { System.realloc(old, layout, size) };
        if !new.is_null() {
            note(size, layout.size());
        }
        new
    }
}
