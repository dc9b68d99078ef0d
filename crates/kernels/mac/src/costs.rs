//! Times of the kernels for a piece of [`PIECE`](crate::mac::PIECE) bytes in the caches, in ns: the runtime decides
//! by them when parallel pays. The plan `mac-sizes` shows whether it does at each size.

/// Time of GHASH with backend `portable`.
pub(crate) const GHASH_PORTABLE_NS: u64 = 250_000;
/// Time of GHASH with backend `pclmul`.
#[cfg(target_arch = "x86_64")]
pub(crate) const GHASH_PCLMUL_NS: u64 = 13_500;
/// Time of GHASH with backend `vpclmul256`.
#[cfg(target_arch = "x86_64")]
pub(crate) const GHASH_VPCLMUL256_NS: u64 = 6_500;
/// Time of GHASH with backend `vpclmul`.
#[cfg(target_arch = "x86_64")]
pub(crate) const GHASH_VPCLMUL_NS: u64 = 3_400;
/// Time of GHASH with backends `pmull` and `pmull-eor3`. Estimated from counts, not measured: 39,000 cycles of a
/// Neoverse N1 by llvm-mca, at 3 GHz.
#[cfg(target_arch = "aarch64")]
pub(crate) const GHASH_PMULL_NS: u64 = 13_000;

/// Time of VHASH for tags of 8 bytes with backend `portable`.
const VHASH_PORTABLE_NS: u64 = 5_500;
/// Times of VHASH with backend `portable`: tags of 16 bytes take two passes.
pub(crate) const VHASH_PORTABLE_PASSES_NS: [u64; 2] = [VHASH_PORTABLE_NS, 2 * VHASH_PORTABLE_NS];
/// Times of VHASH with backend `avx2`, for one pass and for two.
#[cfg(target_arch = "x86_64")]
pub(crate) const VHASH_AVX2_PASSES_NS: [u64; 2] = VHASH_PORTABLE_PASSES_NS;
/// Times of VHASH with backend `ifma`, for one pass and for two, which share loads and shuffles.
#[cfg(target_arch = "x86_64")]
pub(crate) const VHASH_IFMA_PASSES_NS: [u64; 2] = [2_500, 4_100];

/// Time of a message beside its blocks (pad, last reductions) as bytes of a message that take the same time.
pub(crate) const MESSAGE_BYTES: usize = 512;
