//! The tables of backends for GHASH and VHASH, and the selection of rows.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called after the check that the machine has it"
)]

use parcrypt_cpu::{Backend, Request, Row, Table};

#[cfg(target_arch = "aarch64")]
use crate::arch::aarch64::pmull;
use crate::arch::generic::{ghash, vhash};
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{avx2, ifma, pclmul, vpclmul, vpclmul256};
use crate::costs;

/// One row of GHASH. The functions may be called only if `backend` is available.
#[derive(Debug)]
struct Ghash {
    /// Computes the powers that `hash` needs from the first one.
    expand: unsafe fn(&mut ghash::Key),
    /// Computes the same as `hash_portable`.
    hash: unsafe fn(&ghash::Key, u128, &[u8], u128) -> u128,
    /// Computes the same as `multiply_portable`.
    multiply: unsafe fn(u128, u128) -> u128,
    /// Time of `hash` for a piece of [`PIECE`](crate::mac::PIECE) bytes.
    piece_ns: u64,
}

/// The rows in rising order of preference.
static GHASH: Table<Ghash> = Table::new(&[
    Row::new(
        Backend::Portable,
        Ghash {
            expand: |_| {},
            hash: ghash::hash_portable,
            multiply: ghash::multiply_portable,
            piece_ns: costs::GHASH_PORTABLE_NS,
        },
    ),
    #[cfg(target_arch = "x86_64")]
    Row::new(
        Backend::Pclmul,
        Ghash {
            expand: pclmul::expand_pclmul,
            hash: pclmul::hash_pclmul,
            multiply: pclmul::multiply_pclmul,
            piece_ns: costs::GHASH_PCLMUL_NS,
        },
    ),
    #[cfg(target_arch = "x86_64")]
    Row::new(
        Backend::Vpclmul256,
        Ghash {
            expand: vpclmul256::expand,
            hash: vpclmul256::hash,
            multiply: pclmul::multiply_pclmul,
            piece_ns: costs::GHASH_VPCLMUL256_NS,
        },
    ),
    #[cfg(target_arch = "x86_64")]
    Row::new(
        Backend::Vpclmul,
        Ghash {
            expand: vpclmul::expand,
            hash: vpclmul::hash,
            multiply: pclmul::multiply_pclmul,
            piece_ns: costs::GHASH_VPCLMUL_NS,
        },
    ),
    #[cfg(target_arch = "aarch64")]
    Row::new(
        Backend::Pmull,
        Ghash {
            expand: pmull::expand_pmull,
            hash: pmull::hash_pmull,
            multiply: pmull::multiply_pmull,
            piece_ns: costs::GHASH_PMULL_NS,
        },
    ),
    #[cfg(target_arch = "aarch64")]
    Row::new(
        Backend::PmullEor3,
        Ghash {
            expand: pmull::expand_pmull,
            hash: pmull::hash_pmull_eor3,
            multiply: pmull::multiply_pmull,
            piece_ns: costs::GHASH_PMULL_NS,
        },
    ),
]);

/// A row whose backend is available. Only `select` makes one, so its calls are sound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GhashKernel(&'static Row<Ghash>);

impl GhashKernel {
    pub(crate) fn select(request: Request) -> Result<Self, parcrypt_cpu::Error> {
        GHASH.select(request).map(GhashKernel)
    }

    /// Returns the backends of the rows.
    pub(crate) fn backends() -> Vec<Backend> {
        GHASH.backends()
    }

    pub(crate) fn backend(self) -> Backend {
        self.0.backend()
    }

    pub(crate) fn piece_ns(self) -> u64 {
        self.0.piece_ns
    }

    pub(crate) fn expand(self, key: &mut ghash::Key) {
        // SAFETY: `select` returned this row because `Backend::is_available` said that the machine has its features,
        // which are all that the function enables.
        unsafe { (self.0.expand)(key) }
    }

    #[inline]
    pub(crate) fn hash(self, key: &ghash::Key, sum: u128, data: &[u8], end: u128) -> u128 {
        // SAFETY: as in `expand`.
        unsafe { (self.0.hash)(key, sum, data, end) }
    }

    pub(crate) fn multiply(self, a: u128, b: u128) -> u128 {
        // SAFETY: as in `expand`.
        unsafe { (self.0.multiply)(a, b) }
    }
}

/// Type of `vhash::hash_portable`.
type HashBlocks = unsafe fn(&vhash::Key, vhash::Sums, &[u8]) -> vhash::Sums;
/// Type of `vhash::finish_portable`.
type Finish = unsafe fn(&vhash::Key, vhash::Sums, &[u8], u64) -> [u64; 2];

/// One row of VHASH. The functions may be called only if `backend` is available.
#[derive(Debug)]
struct Vhash {
    /// Computes the values that `hash` needs beside the keys of the draft.
    expand: unsafe fn(&mut vhash::Key),
    /// Functions for tags of 8 and of 16 bytes that compute the same as `hash_portable`.
    hash: [HashBlocks; 2],
    /// The same for `finish_portable`.
    finish: [Finish; 2],
    /// Time of each for a piece of [`PIECE`](crate::mac::PIECE) bytes.
    piece_ns: [u64; 2],
}

/// The rows in rising order of preference.
static VHASH: Table<Vhash> = Table::new(&[
    Row::new(
        Backend::Portable,
        Vhash {
            expand: |_| {},
            hash: [vhash::hash_portable::<1>, vhash::hash_portable::<2>],
            finish: [vhash::finish_portable::<1>, vhash::finish_portable::<2>],
            piece_ns: costs::VHASH_PORTABLE_PASSES_NS,
        },
    ),
    #[cfg(target_arch = "x86_64")]
    Row::new(
        Backend::Avx2,
        Vhash {
            expand: |_| {},
            hash: [avx2::hash_avx2::<1>, avx2::hash_avx2::<2>],
            finish: [avx2::finish_avx2::<1>, avx2::finish_avx2::<2>],
            piece_ns: costs::VHASH_AVX2_PASSES_NS,
        },
    ),
    #[cfg(target_arch = "x86_64")]
    Row::new(
        Backend::Ifma,
        Vhash {
            expand: ifma::expand_ifma,
            hash: [ifma::hash_ifma::<1>, ifma::hash_ifma::<2>],
            finish: [ifma::finish_ifma::<1>, ifma::finish_ifma::<2>],
            piece_ns: costs::VHASH_IFMA_PASSES_NS,
        },
    ),
]);

/// A row whose backend is available; see [`GhashKernel`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct VhashKernel(&'static Row<Vhash>);

impl VhashKernel {
    pub(crate) fn select(request: Request) -> Result<Self, parcrypt_cpu::Error> {
        VHASH.select(request).map(VhashKernel)
    }

    /// Returns the backends of the rows.
    pub(crate) fn backends() -> Vec<Backend> {
        VHASH.backends()
    }

    pub(crate) fn backend(self) -> Backend {
        self.0.backend()
    }

    pub(crate) fn piece_ns<const BYTES: usize>(self) -> u64 {
        self.0.piece_ns[BYTES / 8 - 1]
    }

    pub(crate) fn expand(self, key: &mut vhash::Key) {
        // SAFETY: as in `GhashKernel::expand`.
        unsafe { (self.0.expand)(key) }
    }

    #[inline]
    pub(crate) fn hash<const BYTES: usize>(
        self,
        key: &vhash::Key,
        sums: vhash::Sums,
        data: &[u8],
    ) -> vhash::Sums {
        // SAFETY: as in `GhashKernel::expand`.
        unsafe { (self.0.hash[BYTES / 8 - 1])(key, sums, data) }
    }

    /// Returns the third layer after `rest`, the first word for tags of 8 bytes.
    #[inline]
    pub(crate) fn finish<const BYTES: usize>(
        self,
        key: &vhash::Key,
        sums: vhash::Sums,
        rest: &[u8],
        total: u64,
    ) -> [u64; 2] {
        // SAFETY: as in `GhashKernel::expand`.
        unsafe { (self.0.finish[BYTES / 8 - 1])(key, sums, rest, total) }
    }
}
