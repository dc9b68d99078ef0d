//! Powers of elements of Fp in lanes, by chains that are the same for all lanes.

use parcrypt_simd::Call;

use super::super::fp::{Factor, FpLimbs};
use crate::field::power::{KEPT, Step, Steps};

/// A base or a power.
pub(super) type Power<F> = Factor<F, 1, 3>;

/// The call of [`raise`].
struct Raise<'a, F> {
    powers: &'a mut [Power<F>],
    steps: &'a Steps,
}

impl<F: FpLimbs> Call for Raise<'_, F> {
    type Result = ();

    #[inline(always)]
    fn call(self) {
        raise(self.powers, self.steps);
    }
}

/// Replaces one or two vectors by their powers, by a function that is not inlined.
#[inline(always)]
pub(super) fn power<F: FpLimbs>(powers: &mut [Power<F>], steps: &Steps) {
    F::outlined(Raise { powers, steps });
}

/// Replaces one or two vectors by their powers. A chain is products that wait for each other, so two take less than
/// twice the time of one.
#[inline(always)]
fn raise<F: FpLimbs>(powers: &mut [Power<F>], steps: &Steps) {
    let mut kept = [[powers[0]; 2]; KEPT];
    for step in steps.all() {
        match *step {
            Step::Square => {
                for x in &mut *powers {
                    *x = x.square().widen();
                }
            }
            Step::Times(k) => {
                for (x, kept) in powers.iter_mut().zip(&kept[usize::from(k)]) {
                    *x = x.times(kept).widen();
                }
            }
            Step::Keep(k) => kept[usize::from(k)][..powers.len()].copy_from_slice(powers),
            Step::Load(k) => powers.copy_from_slice(&kept[usize::from(k)][..powers.len()]),
        }
    }
}
