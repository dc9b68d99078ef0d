//! VHASH for processors with AVX2, all of which have MULX of BMI2: products of 64-bit words in registers of choice.

use crate::arch::generic::vhash::{self, Key, Sums};

/// Computes the same as `hash_portable`.
#[target_feature(enable = "bmi1,bmi2")]
pub(crate) fn hash_avx2<const PASSES: usize>(key: &Key, sums: Sums, data: &[u8]) -> Sums {
    vhash::hash::<PASSES>(key, sums, data.as_chunks().0)
}

/// Computes the same as `finish_portable`.
#[target_feature(enable = "bmi1,bmi2")]
pub(crate) fn finish_avx2<const PASSES: usize>(key: &Key, sums: Sums, rest: &[u8], total: u64) -> [u64; 2] {
    vhash::finish::<PASSES>(key, sums, rest, total)
}
