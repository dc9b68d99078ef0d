//! The table of backends, and the selection of a row.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called after the check that the machine has it"
)]

use parcrypt_cpu::{Backend, Request};

use crate::arch::generic;
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{avx2, avx512};
use crate::costs;

/// One row: the functions of a backend, and their times for a piece of [`GRAIN`](crate::GRAIN) bytes.
#[derive(Debug)]
struct Row {
    backend: Backend,
    /// Returns the sum of bytes; may be called only if `backend` is available.
    sum: unsafe fn(&[u8]) -> u64,
    sum_ns: u64,
    /// Returns the exclusive-or of words; may be called only if `backend` is available.
    xor: unsafe fn(&[u8]) -> u64,
    xor_ns: u64,
}

/// The rows in rising order of preference.
static ROWS: &[Row] = &[
    Row {
        backend: Backend::Portable,
        sum: generic::sum_portable,
        sum_ns: costs::SUM_PORTABLE_NS,
        xor: generic::xor_portable,
        xor_ns: costs::XOR_PORTABLE_NS,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        backend: Backend::Avx2,
        sum: avx2::sum_avx2,
        sum_ns: costs::READ_NS,
        xor: avx2::xor_avx2,
        xor_ns: costs::READ_NS,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        backend: Backend::Avx512,
        sum: avx512::sum_avx512,
        sum_ns: costs::READ_NS,
        xor: avx512::xor_avx512,
        xor_ns: costs::READ_NS,
    },
];

impl parcrypt_cpu::Row for Row {
    fn backend(&self) -> Backend {
        self.backend
    }
}

/// A row whose backend is available. Only [`Kernel::select`] makes one, so its calls are sound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel(&'static Row);

impl Kernel {
    pub(crate) fn select(request: Request) -> Result<Self, parcrypt_cpu::Error> {
        parcrypt_cpu::select(ROWS, request).map(Kernel)
    }

    /// Returns the backends of the rows.
    pub(crate) fn backends() -> Vec<Backend> {
        parcrypt_cpu::backends(ROWS)
    }

    pub(crate) fn backend(self) -> Backend {
        self.0.backend
    }

    pub(crate) fn sum_ns(self) -> u64 {
        self.0.sum_ns
    }

    pub(crate) fn xor_ns(self) -> u64 {
        self.0.xor_ns
    }

    pub(crate) fn sum(self, data: &[u8]) -> u64 {
        // SAFETY: `select` returned this row because `Backend::is_available` said that the machine has its features,
        // which are all that the function enables.
        unsafe { (self.0.sum)(data) }
    }

    pub(crate) fn xor(self, data: &[u8]) -> u64 {
        // SAFETY: as in `sum`.
        unsafe { (self.0.xor)(data) }
    }
}
