//! The table of backends, and the choice out of it.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

use parcrypt_cpu::Backend;
use parcrypt_runtime::Cost;

use crate::scalar;

#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{avx2, avx512};

/// One row: what a backend has to give.
#[derive(Debug)]
struct Row {
    backend: Backend,
    /// The sum of bytes; to be called where `backend` is available and nowhere else.
    sum: unsafe fn(&[u8]) -> u64,
    /// Nanoseconds that `sum` takes for a piece of [`GRAIN`](crate::GRAIN) bytes in the last cache, the fastest place
    /// that data worth going parallel for can lie in: a fork must pay even then. `examples/bandwidth.rs` shows it.
    sum_ns: u64,
    /// The exclusive-or of words; to be called where `backend` is available and nowhere else.
    xor: unsafe fn(&[u8]) -> u64,
    /// As `sum_ns`, for `xor`.
    xor_ns: u64,
}

/// The rows in rising order of preference.
static ROWS: &[Row] = &[
    Row {
        backend: Backend::Portable,
        sum: scalar::sum_scalar,
        sum_ns: 130_000,
        xor: scalar::xor_scalar,
        xor_ns: 17_000,
    },
    #[cfg(target_arch = "x86_64")]
    Row { backend: Backend::Avx2, sum: avx2::sum_avx2, sum_ns: 10_000, xor: avx2::xor_avx2, xor_ns: 10_000 },
    #[cfg(target_arch = "x86_64")]
    Row {
        backend: Backend::Avx512,
        sum: avx512::sum_avx512,
        sum_ns: 10_000,
        xor: avx512::xor_avx512,
        xor_ns: 10_000,
    },
];

/// The backends of the rows. A static cannot be read here, so a test compares the two.
#[cfg(target_arch = "x86_64")]
pub(crate) const OFFERED: [Backend; 3] = [Backend::Portable, Backend::Avx2, Backend::Avx512];
/// The backends of the rows. A static cannot be read here, so a test compares the two.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const OFFERED: [Backend; 1] = [Backend::Portable];

/// A row whose backend is available: only [`Kernel::choose`] makes one, and that is what makes its calls sound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel(&'static Row);

impl Kernel {
    pub(crate) fn choose(forced: Option<Backend>) -> Result<Self, parcrypt_cpu::Error> {
        let backend = match forced {
            Some(_) => parcrypt_cpu::choose_with(&OFFERED, forced)?,
            None => parcrypt_cpu::choose(&OFFERED)?,
        };
        let row = ROWS.iter().find(|row| row.backend == backend);
        row.map(Kernel).ok_or_else(|| parcrypt_cpu::Error::NotOffered { backend, offered: OFFERED.to_vec() })
    }

    pub(crate) fn backend(self) -> Backend {
        self.0.backend
    }

    pub(crate) fn sum_cost(self) -> Cost {
        Cost::ns(self.0.sum_ns)
    }

    pub(crate) fn xor_cost(self) -> Cost {
        Cost::ns(self.0.xor_ns)
    }

    pub(crate) fn sum(self, data: &[u8]) -> u64 {
        // SAFETY: `choose` took this row because `Backend::is_available` said that the machine has its features, which
        // are all that the function enables.
        unsafe { (self.0.sum)(data) }
    }

    pub(crate) fn xor(self, data: &[u8]) -> u64 {
        // SAFETY: as in `sum`.
        unsafe { (self.0.xor)(data) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_what_the_table_has() {
        assert!(ROWS.iter().map(|row| row.backend).eq(OFFERED));
    }
}
