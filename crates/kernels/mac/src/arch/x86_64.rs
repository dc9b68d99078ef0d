//! The kernels for x86-64, and the prefetch that they share.

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

pub(crate) mod avx2;
pub(crate) mod ifma;
pub(crate) mod pclmul;
pub(crate) mod vpclmul;
pub(crate) mod vpclmul256;

/// Bytes between a read and the prefetch; `docs/explanation/mac.md` has figures of other distances.
const AHEAD: usize = 8 << 10;

/// Prefetches the cache lines [`AHEAD`] bytes after these. An address after the message has no effect.
#[inline]
#[allow(unsafe_code, reason = "the instruction takes a pointer")]
fn prefetch(data: &[u8]) {
    for line in (0..data.len()).step_by(64) {
        // SAFETY: every x86-64 has the instruction, and it reads nothing that the program would see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(data.as_ptr().wrapping_add(AHEAD + line).cast()) };
    }
}
