//! The tables of backends for GHASH and VHASH.
#![allow(
    unsafe_code,
    reason = "calls of functions for an instruction set, by the proof that the machine has it"
)]

use std::fmt::Debug;

use parcrypt_cpu::{Backend, Request, Row, methods, rows};

#[cfg(target_arch = "aarch64")]
use crate::arch::aarch64::pmull;
use crate::arch::generic::{ghash, vhash};
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{avx2, ifma, pclmul, vpclmul, vpclmul256};

#[derive(Debug)]
struct Portable;

/// The functions of a row of GHASH.
pub(crate) trait Ghash: Debug + Sync {
    /// Computes the powers that `hash` needs from the first one.
    fn expand(&self, _key: &mut ghash::Key) {}

    /// Computes the same as `hash_portable`.
    fn hash(&self, key: &ghash::Key, sum: u128, data: &[u8], end: u128) -> u128;

    /// Computes the same as `multiply_portable`.
    fn multiply(&self, a: u128, b: u128) -> u128;
}

impl Ghash for Portable {
    fn hash(&self, key: &ghash::Key, sum: u128, data: &[u8], end: u128) -> u128 {
        ghash::hash_portable(key, sum, data, end)
    }

    fn multiply(&self, a: u128, b: u128) -> u128 {
        ghash::multiply_portable(a, b)
    }
}

/// Declares the functions of an instruction set for GHASH.
macro_rules! ghash {
    ($Set:ident: $expand:path, $hash:path, $multiply:path) => {
        methods! { $Set: Ghash;
            expand(key: &mut ghash::Key) = $expand;
            hash(key: &ghash::Key, sum: u128, data: &[u8], end: u128) -> u128 = $hash;
            multiply(a: u128, b: u128) -> u128 = $multiply;
        }
    };
}

ghash!(Pclmul: pclmul::expand_pclmul, pclmul::hash_pclmul, pclmul::multiply_pclmul);
ghash!(Vpclmul256: vpclmul256::expand, vpclmul256::hash, pclmul::multiply_pclmul);
ghash!(Vpclmul: vpclmul::expand, vpclmul::hash, pclmul::multiply_pclmul);
ghash!(Pmull: pmull::expand_pmull, pmull::hash_pmull, pmull::multiply_pmull);
ghash!(PmullEor3: pmull::expand_pmull, pmull::hash_pmull_eor3, pmull::multiply_pmull);

/// A row of GHASH.
pub(crate) type GhashRow = &'static Row<&'static dyn Ghash>;

rows! {
    /// The rows in rising order of preference.
    pub(crate) GHASH: &'static dyn Ghash;
    Portable => &Portable;
    Pclmul(PCLMUL) => &PCLMUL;
    Vpclmul256(VPCLMUL256) => &VPCLMUL256;
    Vpclmul(VPCLMUL) => &VPCLMUL;
    Pmull(PMULL) => &PMULL;
    PmullEor3(PMULL_EOR3) => &PMULL_EOR3;
}

/// Type of `vhash::hash_portable`.
type HashBlocks = unsafe fn(&vhash::Key, vhash::Sums, &[u8]) -> vhash::Sums;
/// Type of `vhash::finish_portable`.
type Finish = unsafe fn(&vhash::Key, vhash::Sums, &[u8], u64) -> [u64; 2];

/// One row of VHASH. The functions may be called only if its backend is available. They are not methods of an
/// instruction set like those of GHASH: with all features of AVX2, tags of short messages take up to 12 % longer.
#[derive(Debug)]
struct Vhash {
    /// Computes the values that `hash` needs beside the keys of the draft.
    expand: unsafe fn(&mut vhash::Key),
    /// Functions for tags of 8 and of 16 bytes that compute the same as `hash_portable`.
    hash: [HashBlocks; 2],
    /// The same for `finish_portable`.
    finish: [Finish; 2],
}

rows! {
    /// The rows in rising order of preference.
    VHASH: Vhash;
    Portable => Vhash {
        expand: |_| {},
        hash: [vhash::hash_portable::<1>, vhash::hash_portable::<2>],
        finish: [vhash::finish_portable::<1>, vhash::finish_portable::<2>],
    };
    Avx2(_AVX2) => Vhash {
        expand: |_| {},
        hash: [avx2::hash_avx2::<1>, avx2::hash_avx2::<2>],
        finish: [avx2::finish_avx2::<1>, avx2::finish_avx2::<2>],
    };
    Ifma(_IFMA) => Vhash {
        expand: ifma::expand_ifma,
        hash: [ifma::hash_ifma::<1>, ifma::hash_ifma::<2>],
        finish: [ifma::finish_ifma::<1>, ifma::finish_ifma::<2>],
    };
}

/// A row whose backend is available. Only `select` makes one, so its calls are sound.
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

    pub(crate) fn expand(self, key: &mut vhash::Key) {
        // SAFETY: `select` returned this row because the machine has its features, which are all that the function
        // enables.
        unsafe { (self.0.expand)(key) }
    }

    #[inline]
    pub(crate) fn hash<const BYTES: usize>(
        self,
        key: &vhash::Key,
        sums: vhash::Sums,
        data: &[u8],
    ) -> vhash::Sums {
        // SAFETY: as in `expand`.
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
        // SAFETY: as in `expand`.
        unsafe { (self.0.finish[BYTES / 8 - 1])(key, sums, rest, total) }
    }
}
