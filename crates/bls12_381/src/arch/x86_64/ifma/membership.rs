//! Membership of points of the curve in G1, eight at once.

use std::arch::x86_64::*;

use super::field::{PRODUCT, Unreduced};
use super::jacobian::Jacobian;
use super::{FROM_BLST, ONE, all_zero_lanes};
use crate::constants::{BETA, X_ABS};

/// The affine coordinates of a point in each lane.
pub(super) type Affine = (Unreduced<1>, Unreduced<2>);

/// Returns the lanes whose point, which is on the curve, is proved to be in the group: all that are, because the
/// additions below never meet P or −P for a point of order r. Two vectors take less than twice the time of one.
///
/// A point is in the group if ζ·P = x²·P is −ζ⁴·P = −(β²x, y), see [`GlvTable`](crate::curve::endomorphism::GlvTable):
/// β² + β + 1 = 0 makes (x⁴ − x² + 1)·P = r·P infinity (Scott, "A note on group membership tests", 2021).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn in_group<const N: usize>(points: &[Affine; N]) -> [__mmask8; N] {
    let (once, doubtful) = times_parameter(points);
    // (X, Y, Z) is the point (X, Y, 1) of a curve with another constant, which does not occur in the formulas. It is
    // multiplied there, and Z last.
    let mut of_others = *points;
    for (point, once) in of_others.iter_mut().zip(&once) {
        let x = Unreduced::from_columns(&once.x.canonical_words());
        *point = (x, Unreduced::from_columns(&once.y.canonical_words()).widen());
    }
    let (twice, doubtful_too) = times_parameter(&of_others);
    let beta = Unreduced::constant(&BETA).carry().times(&Unreduced::constant(&FROM_BLST).carry());
    let mut proved = [0; N];
    for (i, proved) in proved.iter_mut().enumerate() {
        let ((x, y), once, twice) = (points[i], &once[i], &twice[i]);
        let z = twice.z.times(&once.z);
        // −β²x = x + βx
        let minus_beta_2_x: Unreduced<34> = x.carry().times_plus::<PRODUCT, 1, 34>(&beta, &x);
        let zz = z.square_plus::<1, 33>(&Unreduced::zero()).carry();
        let zzz = z.times(&zz);
        let x_error: Unreduced<466> = minus_beta_2_x.carry().times_plus(&zz, &twice.x);
        let y_error: Unreduced<330> = y.carry().times_plus(&zzz, &twice.y);
        let same = all_zero_lanes(&x_error.canonical_words()) & all_zero_lanes(&y_error.canonical_words());
        *proved = same & !all_zero_lanes(&z.canonical_words()) & !(doubtful[i] | doubtful_too[i]);
    }
    proved
}

/// Returns |x|·P of each vector, and the lanes where an addition may have met P or −P.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn times_parameter<const N: usize>(points: &[Affine; N]) -> ([Jacobian; N], [__mmask8; N]) {
    let one = Unreduced::constant(&ONE).carry();
    let mut multiples = points.map(|(x, y)| Jacobian { x: x.widen(), y: y.widen(), z: one.widen() });
    let mut doubtful = [0; N];
    for bit in (0..u64::BITS - 1).rev() {
        for multiple in &mut multiples {
            *multiple = multiple.doubled();
        }
        if X_ABS >> bit & 1 == 1 {
            for (i, multiple) in multiples.iter_mut().enumerate() {
                let (x, y) = points[i];
                let (sum, doubt) = multiple.plus(x.widen(), y);
                (*multiple, doubtful[i]) = (sum, doubtful[i] | doubt);
            }
        }
    }
    (multiples, doubtful)
}
