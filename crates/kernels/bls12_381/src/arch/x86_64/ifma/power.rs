//! Powers of vectors by chains of squarings and products, which are the same for all lanes.

use super::field::{Reduced, Unreduced};

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

/// A step of a power.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// Squares the power.
    Square,
    /// Multiplies it by one that was kept.
    Times(u8),
    /// Keeps it.
    Keep(u8),
    /// Goes back to one that was kept.
    Load(u8),
}

/// Number of powers that are kept at a time.
pub(super) const KEPT: usize = 3;

/// The steps of a power.
pub(super) struct Steps {
    all: [Step; 512],
    count: usize,
}

impl Steps {
    /// Returns no steps, for the power to 1.
    pub(super) const fn new() -> Self {
        Steps { all: [Step::Square; 512], count: 0 }
    }

    /// Appends a step.
    pub(super) const fn push(&mut self, step: Step) {
        self.all[self.count] = step;
        self.count += 1;
    }

    /// Appends squarings.
    pub(super) const fn squares(&mut self, count: u32) {
        let mut i = 0;
        while i < count {
            self.push(Step::Square);
            i += 1;
        }
    }

    /// Appends the steps for bits of an exponent, from bit `from` − 1 down to bit `to`, with the base in the place 0.
    pub(super) const fn bits(&mut self, exponent: u64, from: u32, to: u32) {
        let mut bit = from;
        while bit > to {
            bit -= 1;
            self.push(Step::Square);
            if exponent >> bit & 1 == 1 {
                self.push(Step::Times(0));
            }
        }
    }

    /// Appends the steps of a power, which keeps its base in the place 0.
    pub(super) const fn power(&mut self, exponent: u64) {
        self.push(Step::Keep(0));
        self.bits(exponent, exponent.ilog2(), 0);
    }

    /// Returns all steps.
    pub(super) fn all(&self) -> &[Step] {
        &self.all[..self.count]
    }
}
