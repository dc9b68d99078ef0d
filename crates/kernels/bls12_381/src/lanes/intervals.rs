//! Operations of this crate on the vectors of intervals of `parcrypt-simd`.

pub(crate) use parcrypt_simd::intervals::{Intervals, Reduction};

use super::fp::limbs28::Words28;
use super::limbs29::Words29;

impl<R: Reduction, const N: usize> Words29 for Intervals<R, N> {}

impl<R: Reduction, const N: usize> Words28 for Intervals<R, N> {}

/// Returns whether a number is at least `times`·p, where its highest limb is `highest` and the others are 0.
pub(crate) fn at_least(highest: u64, times: u64, p: &[u64], bits: u32) -> bool {
    let difference = |at: usize| i128::from(times) * i128::from(p[at]);
    let last = p.len() - 1;
    let borrow = (0..last).fold(0, |borrow, at| (borrow - difference(at)) >> bits);
    i128::from(highest) - difference(last) + borrow >= 0
}
