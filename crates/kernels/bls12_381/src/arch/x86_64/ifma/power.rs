//! Powers of vectors by chains of squarings and products, which are the same for all lanes.

use super::field::{Reduced, Unreduced};
use crate::field::power::{KEPT, Step, Steps};

/// K of powers.
pub(super) const POWER: u64 = 34;

/// Squares each vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn square_all<const N: usize>(all: &mut [Reduced<POWER>; N]) {
    for x in all {
        *x = x.square_plus::<1, POWER>(&Unreduced::zero()).carry();
    }
}

/// Multiplies each vector by its factor.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn multiply_all<const N: usize>(all: &mut [Reduced<POWER>; N], factors: &[Reduced<POWER>; N]) {
    for (x, factor) in all.iter_mut().zip(factors) {
        *x = x.times(factor).widen();
    }
}

/// Returns a power of each lane.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn power<const N: usize>(bases: &[Reduced<POWER>; N], steps: &Steps) -> [Reduced<POWER>; N] {
    let mut powers = *bases;
    let mut kept = [*bases; KEPT];
    for step in steps.all() {
        match *step {
            Step::Square => square_all(&mut powers),
            Step::Times(k) => multiply_all(&mut powers, &kept[usize::from(k)]),
            Step::Keep(k) => kept[usize::from(k)] = powers,
            Step::Load(k) => powers = kept[usize::from(k)],
        }
    }
    powers
}
