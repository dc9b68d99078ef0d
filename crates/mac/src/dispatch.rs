//! The tables of backends, and the choice out of them.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

use parcrypt_cpu::Backend;

#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{ifma, pclmul, vpclmul};
use crate::scalar::{ghash, vhash};

/// One row of GHASH. The functions are to be called where `backend` is available and nowhere else.
#[derive(Debug)]
struct Ghash {
    backend: Backend,
    /// Fills in the powers that `hash` takes, from the first.
    expand: unsafe fn(&mut ghash::Key),
    /// As `hash_scalar`.
    hash: unsafe fn(&ghash::Key, u128, &[u8], Option<u128>) -> u128,
    /// As `multiply_scalar`.
    multiply: unsafe fn(u128, u128) -> u128,
    /// Nanoseconds that `hash` takes for a piece in the caches; `examples/mac_measure.rs` shows it.
    piece_ns: u64,
}

/// The rows in rising order of preference.
static GHASH: &[Ghash] = &[
    Ghash {
        backend: Backend::Portable,
        expand: |_| {},
        hash: ghash::hash_scalar,
        multiply: ghash::multiply_scalar,
        piece_ns: 250_000,
    },
    #[cfg(target_arch = "x86_64")]
    Ghash {
        backend: Backend::Pclmul,
        expand: pclmul::expand_pclmul,
        hash: pclmul::hash_pclmul,
        multiply: pclmul::multiply_pclmul,
        piece_ns: 13_500,
    },
    #[cfg(target_arch = "x86_64")]
    Ghash {
        backend: Backend::Vpclmul,
        expand: vpclmul::expand_vpclmul,
        hash: vpclmul::hash_vpclmul,
        multiply: pclmul::multiply_pclmul,
        piece_ns: 3_400,
    },
];

/// A row whose backend is available: only `choose` makes one, and that is what makes its calls sound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GhashKernel(&'static Ghash);

impl GhashKernel {
    /// The backends of the rows. A static cannot be read here, so a test compares the two.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const OFFERED: &[Backend] = &[Backend::Portable, Backend::Pclmul, Backend::Vpclmul];
    /// The backends of the rows. A static cannot be read here, so a test compares the two.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) const OFFERED: &[Backend] = &[Backend::Portable];

    pub(crate) fn choose(forced: Option<Backend>) -> Result<Self, parcrypt_cpu::Error> {
        let backend = choose(Self::OFFERED, forced)?;
        let row = GHASH.iter().find(|row| row.backend == backend);
        row.map(GhashKernel).ok_or_else(|| none(Self::OFFERED, backend))
    }

    pub(crate) fn backend(self) -> Backend {
        self.0.backend
    }

    pub(crate) fn piece_ns(self) -> u64 {
        self.0.piece_ns
    }

    pub(crate) fn expand(self, key: &mut ghash::Key) {
        // SAFETY: `choose` took this row because `Backend::is_available` said that the machine has its features, which
        // are all that the function enables.
        unsafe { (self.0.expand)(key) }
    }

    #[inline]
    pub(crate) fn hash(self, key: &ghash::Key, sum: u128, data: &[u8], end: Option<u128>) -> u128 {
        // SAFETY: as in `expand`.
        unsafe { (self.0.hash)(key, sum, data, end) }
    }

    pub(crate) fn multiply(self, a: u128, b: u128) -> u128 {
        // SAFETY: as in `expand`.
        unsafe { (self.0.multiply)(a, b) }
    }
}

/// As `vhash::hash_scalar`.
type HashBlocks = unsafe fn(&vhash::Key, vhash::Sums, &[u8]) -> vhash::Sums;

/// One row of VHASH. The functions are to be called where `backend` is available and nowhere else.
#[derive(Debug)]
struct Vhash {
    backend: Backend,
    /// Fills in what `hash` takes beside the keys of the draft.
    expand: unsafe fn(&mut vhash::Key),
    /// For tags of 8 and of 16 bytes.
    hash: [HashBlocks; 2],
    /// Nanoseconds that each takes for a piece in the caches; `examples/mac_measure.rs` shows it.
    piece_ns: [u64; 2],
}

/// The rows in rising order of preference.
static VHASH: &[Vhash] = &[
    Vhash {
        backend: Backend::Portable,
        expand: |_| {},
        hash: [vhash::hash_scalar::<1>, vhash::hash_scalar::<2>],
        piece_ns: [5_500, 11_000],
    },
    #[cfg(target_arch = "x86_64")]
    Vhash {
        backend: Backend::Ifma,
        expand: ifma::expand_ifma,
        hash: [ifma::hash_ifma::<1>, ifma::hash_ifma::<2>],
        piece_ns: [2_500, 4_100],
    },
];

/// As [`GhashKernel`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct VhashKernel(&'static Vhash);

impl VhashKernel {
    /// The backends of the rows. A static cannot be read here, so a test compares the two.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const OFFERED: &[Backend] = &[Backend::Portable, Backend::Ifma];
    /// The backends of the rows. A static cannot be read here, so a test compares the two.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) const OFFERED: &[Backend] = &[Backend::Portable];

    pub(crate) fn choose(forced: Option<Backend>) -> Result<Self, parcrypt_cpu::Error> {
        let backend = choose(Self::OFFERED, forced)?;
        let row = VHASH.iter().find(|row| row.backend == backend);
        row.map(VhashKernel).ok_or_else(|| none(Self::OFFERED, backend))
    }

    pub(crate) fn backend(self) -> Backend {
        self.0.backend
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
}

fn choose(offered: &[Backend], forced: Option<Backend>) -> Result<Backend, parcrypt_cpu::Error> {
    match forced {
        Some(_) => parcrypt_cpu::choose_with(offered, forced),
        None => parcrypt_cpu::choose(offered),
    }
}

fn none(offered: &[Backend], backend: Backend) -> parcrypt_cpu::Error {
    parcrypt_cpu::Error::NotOffered { backend, offered: offered.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_what_the_tables_have() {
        assert!(VHASH.iter().map(|row| row.backend).eq(VhashKernel::OFFERED.iter().copied()));
        assert!(GHASH.iter().map(|row| row.backend).eq(GhashKernel::OFFERED.iter().copied()));
    }
}
