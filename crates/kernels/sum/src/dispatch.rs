//! The table of backends.

use parcrypt_cpu::{methods, rows};

use crate::arch::generic;
use crate::costs;

/// The functions of a backend.
pub(crate) trait Functions: std::fmt::Debug + Sync {
    /// Returns the sum of the bytes modulo 2^64.
    fn sum(&self, data: &[u8]) -> u64;

    /// Returns the exclusive-or of the 64-bit little-endian words, the last one padded with zero bytes.
    fn xor(&self, data: &[u8]) -> u64;
}

/// The functions of a backend, and their times for a piece of [`GRAIN`](crate::GRAIN) bytes.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) functions: &'static dyn Functions,
    pub(crate) sum_ns: u64,
    pub(crate) xor_ns: u64,
}

rows! {
    /// The rows in rising order of preference.
    pub(crate) ROWS: Kernel;
    Portable => Kernel {
        functions: &Portable,
        sum_ns: costs::SUM_PORTABLE_NS,
        xor_ns: costs::XOR_PORTABLE_NS,
    };
    Avx2(AVX2) => Kernel { functions: &AVX2, sum_ns: costs::READ_NS, xor_ns: costs::READ_NS };
    Avx512(AVX512) => Kernel { functions: &AVX512, sum_ns: costs::READ_NS, xor_ns: costs::READ_NS };
}

#[derive(Debug)]
struct Portable;

impl Functions for Portable {
    fn sum(&self, data: &[u8]) -> u64 {
        generic::sum_portable(data)
    }

    fn xor(&self, data: &[u8]) -> u64 {
        generic::xor_portable(data)
    }
}

methods! { Avx2: Functions;
    sum(data: &[u8]) -> u64 = crate::arch::x86_64::avx2::sum_avx2;
    xor(data: &[u8]) -> u64 = crate::arch::x86_64::avx2::xor_avx2;
}

methods! { Avx512: Functions;
    sum(data: &[u8]) -> u64 = crate::arch::x86_64::avx512::sum_avx512;
    xor(data: &[u8]) -> u64 = crate::arch::x86_64::avx512::xor_avx512;
}
