//! Powers of elements of Fp in lanes, by chains that are the same for all lanes.

use crate::field::power::{KEPT, Step, Steps};
use crate::lanes::fp::{Element, Words28};

/// A base or a power.
pub(super) type Power<W> = Element<W, 1, 6>;

/// Returns the power of each lane.
#[inline(always)]
pub(super) fn power<W: Words28>(base: &Power<W>, steps: &Steps) -> Power<W> {
    let mut power = *base;
    let mut kept = [*base; KEPT];
    for step in steps.all() {
        match *step {
            Step::Square => power = power.square().widen(),
            Step::Times(k) => power = power.times(&kept[usize::from(k)]).widen(),
            Step::Keep(k) => kept[usize::from(k)] = power,
            Step::Load(k) => power = kept[usize::from(k)],
        }
    }
    power
}
