//! Times of the kernels for a piece of [`GRAIN`](crate::GRAIN) bytes, in ns: the runtime decides by them when
//! parallel pays.
//!
//! They are times in the last cache, the fastest place of data for which a fork can pay: a fork must pay even there.
//! The plan `sum` measures arrays in the caches and in memory.

/// Time to sum a piece with backend `portable`.
pub(crate) const SUM_PORTABLE_NS: u64 = 130_000;

/// Time to combine the words of a piece by exclusive-or with backend `portable`.
pub(crate) const XOR_PORTABLE_NS: u64 = 17_000;

/// Time to read a piece with vectors; neither operation adds to it, in vectors of 32 bytes or of 64.
#[cfg(target_arch = "x86_64")]
pub(crate) const READ_NS: u64 = 10_000;
