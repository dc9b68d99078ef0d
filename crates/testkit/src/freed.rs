//! Memory that is given back, as a test sees it: what is freed, and what a call leaves on the stack.
#![allow(unsafe_code, reason = "wraps the allocator of the system, and reads below the stack pointer")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

/// The allocator of the system, watched by [`freed`].
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: parcrypt_testkit::Watched = parcrypt_testkit::Watched;
///
/// let blocks = parcrypt_testkit::freed(48, || drop(std::hint::black_box(vec![7u8; 48])));
/// assert_eq!(blocks, [[7; 48]]);
/// ```
pub struct Watched;

/// What a thread watches: blocks of a size, of which the first ones are copied to `room`.
#[derive(Clone, Copy)]
struct Watch {
    size: usize,
    room: *mut u8,
    freed: usize,
}

/// Blocks that are copied.
const MAX: usize = 64;

thread_local! {
    static WATCH: Cell<Watch> = const { Cell::new(Watch::NONE) };
}

impl Watch {
    const NONE: Watch = Watch { size: 0, room: ptr::null_mut(), freed: 0 };

    /// Copies a block if the thread watches its size.
    ///
    /// # Safety
    /// The block is allocated.
    unsafe fn look(block: *const u8, size: usize) {
        let watch = WATCH.get();
        if watch.size != size || size == 0 {
            return;
        }
        if watch.freed < MAX {
            // SAFETY: the block is there by the promise above, and the room has `MAX` of this size by `freed`.
            unsafe { ptr::copy_nonoverlapping(block, watch.room.add(watch.freed * size), size) };
        }
        WATCH.set(Watch { freed: watch.freed + 1, ..watch });
    }
}

// SAFETY: it is the allocator of the system, which keeps what the trait requires; blocks are only read, before they are
// freed.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is allocated with this layout, by the caller's promise.
        unsafe {
            Watch::look(block, layout.size());
            System.dealloc(block, layout);
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`.
        unsafe {
            Watch::look(block, layout.size());
            System.realloc(block, layout, size)
        }
    }
}

/// Returns the contents of the blocks of `size` bytes that this thread frees while `f` runs, in order.
///
/// # Panics
/// If [`Watched`] is not the allocator of this program, or more than 64 such blocks are freed.
pub fn freed(size: usize, f: impl FnOnce()) -> Vec<Vec<u8>> {
    /// Ends the watch, after a panic too.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            WATCH.set(Watch::NONE);
        }
    }
    let mut room = vec![0u8; size * MAX];
    let end = End;
    WATCH.set(Watch { size, room: room.as_mut_ptr(), freed: 0 });
    // That it is seen at all.
    drop(std::hint::black_box(vec![0xa5u8; size]));
    f();
    let count = WATCH.get().freed;
    drop(end);
    assert!((1..=MAX).contains(&count), "{count} blocks of {size} bytes were freed");
    let mut blocks = room.chunks(size).take(count).map(<[u8]>::to_vec);
    assert!(blocks.next().is_some_and(|first| first == vec![0xa5; size]), "the allocator is another one");
    blocks.collect()
}

/// Returns the bytes at an address below the stack pointer, which a call that has returned had there. No other call may
/// lie between.
///
/// # Safety
/// The address is of this thread's stack.
#[inline(always)]
pub unsafe fn left_on_stack<const N: usize>(address: usize) -> [u8; N] {
    let mut copy = [0; N];
    let to = &raw mut copy;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: writes N bytes to the copy, and reads the stack by the promise above. It makes no call, whose frame would
    // replace what is there.
    unsafe {
        std::arch::asm!("rep movsb", inout("rcx") N => _, inout("rsi") address => _, inout("rdi") to => _,
            options(nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: as above.
    unsafe {
        *to = ptr::with_exposed_provenance::<[u8; N]>(address).read_volatile();
    }
    copy
}

/// Returns whether `block` has eight bytes of `secret` in a row, at any places.
pub fn has_part_of(block: &[u8], secret: &[u8]) -> bool {
    let zeros = [0; 8];
    secret.windows(8).any(|part| part != zeros && block.windows(8).any(|other| other == part))
}
