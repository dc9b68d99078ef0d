//! Counts the forks between the first process and this one.
//!
//! A fork copies one thread. A pool whose workers exist only in the parent would wait for them forever, so each pool
//! records the generation in which it was created and is not used in another.
#![allow(unsafe_code, reason = "pthread_atfork has no safe wrapper")]

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

static GENERATION: AtomicU64 = AtomicU64::new(0);

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// Returns the number of forks between the process that first called this and the calling one.
pub(crate) fn generation() -> u64 {
    static REGISTER: Once = Once::new();
    REGISTER.call_once(|| {
        // SAFETY: the handler is a plain function that lives as long as the program and only adds to an atomic, which
        // is allowed in a child of a threaded process. A failure (no memory) leaves the count at 0, as without it.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
    GENERATION.load(Ordering::Relaxed)
}
