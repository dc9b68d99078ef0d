//! Counts the forks between the first process and this one.
//!
//! A fork copies one thread. A pool whose workers exist only in the parent would wait for them forever, so each pool
//! records the generation in which it was created and is not used in another. Without fork, as on Windows and in
//! WebAssembly, the count stays 0.
#![allow(unsafe_code, reason = "pthread_atfork has no safe wrapper")]

use std::sync::atomic::{AtomicU64, Ordering};

static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Returns the number of forks between the process that first called this and the calling one.
pub(crate) fn generation() -> u64 {
    #[cfg(unix)]
    count_forks();
    GENERATION.load(Ordering::Relaxed)
}

/// Adds 1 to the count in each child from now on.
#[cfg(unix)]
fn count_forks() {
    extern "C" fn in_child() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    static REGISTER: std::sync::Once = std::sync::Once::new();
    REGISTER.call_once(|| {
        // SAFETY: the handler is a plain function that lives as long as the program and only adds to an atomic, which
        // is allowed in a child of a threaded process. A failure (no memory) leaves the count at 0, as without it.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}
