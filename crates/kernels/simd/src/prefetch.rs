//! The prefetch of a value.
#![allow(unsafe_code, reason = "the instruction takes a pointer")]

/// Prefetches the cache lines of a value, on x86-64.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<T>().div_ceil(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let bytes = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: every x86-64 has the instruction, and it reads nothing that the program would see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.wrapping_add(64 * line)) };
    }
    let _ = value;
}
