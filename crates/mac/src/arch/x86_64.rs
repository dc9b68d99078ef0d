//! The x86-64 kernels, and what they share.

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

pub(crate) mod ifma;
pub(crate) mod pclmul;
pub(crate) mod vpclmul;

/// How far ahead of what is read the next lines are asked for; the notes have figures of other distances.
const AHEAD: usize = 8 << 10;

/// Asks for the lines that lie [`AHEAD`] of these. An address behind the message is nothing to the processor.
#[inline]
#[target_feature(enable = "sse")]
fn prefetch<const BYTES: usize>(data: &[u8; BYTES]) {
    for line in (0..BYTES).step_by(64) {
        _mm_prefetch::<_MM_HINT_T0>(data.as_ptr().wrapping_add(AHEAD + line).cast());
    }
}
