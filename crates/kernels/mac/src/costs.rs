//! Times of the kernels for a piece of [`PIECE`](crate::mac::PIECE) bytes in the caches, in ns: the runtime decides
//! by them when parallel pays. The plan `mac-sizes` shows whether it does at each size.

use parcrypt_cpu::Backend;

/// Returns the time of GHASH.
pub(crate) fn ghash_ns(backend: Backend) -> u64 {
    match backend {
        Backend::Pclmul => 13_500,
        Backend::Vpclmul256 => 6_500,
        Backend::Vpclmul => 3_400,
        // Estimated from counts, not measured: 39,000 cycles of a Neoverse N1 by llvm-mca, at 3 GHz.
        Backend::Pmull | Backend::PmullEor3 => 13_000,
        _ => 250_000,
    }
}

/// Returns the time of VHASH for tags of 8 or 16 bytes. The longer ones take two passes, which share loads and shuffles
/// with backend `ifma`.
pub(crate) fn vhash_ns(backend: Backend, bytes: usize) -> u64 {
    match (backend, bytes) {
        (Backend::Ifma, 8) => 2_500,
        (Backend::Ifma, _) => 4_100,
        (_, 8) => 5_500,
        _ => 11_000,
    }
}

/// Time of a message beside its blocks (pad, last reductions) as bytes of a message that take the same time.
pub(crate) const MESSAGE_BYTES: usize = 512;
