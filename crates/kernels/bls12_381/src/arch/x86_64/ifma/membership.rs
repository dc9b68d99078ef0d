//! Membership of points of the curve in G1, eight at once.

use std::arch::x86_64::*;

use super::field::{PRODUCT, Reduced, Unreduced};
use super::jacobian::Jacobian;
use super::jacobian_pair::{JacobianPair, Products, YS};
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
    let mut proved = [0; N];
    for (i, proved) in proved.iter_mut().enumerate() {
        let ((x, y), twice) = (points[i], &twice[i]);
        let z = twice.z.times(&once[i].z);
        *proved = is_image(x, y, [twice.x.widen(), twice.y.widen()], &z) & !(doubtful[i] | doubtful_too[i]);
    }
    proved
}

/// Does what [`in_group`] does for two points, whose coordinates are in all lanes of their halves, and returns all
/// lanes of a half or none.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn in_group_of_two(x: Unreduced<1>, y: Unreduced<1>, products: &mut Products) -> __mmask8 {
    let (once, doubtful) = JacobianPair::times_parameter(x.or_in(YS, y), products);
    let [x_once, y_once, z_once] = once.coordinates();
    let (x_once, y_once) = (
        Unreduced::from_columns(&x_once.canonical_words()),
        Unreduced::from_columns(&y_once.canonical_words()),
    );
    let (twice, doubtful_too) = JacobianPair::times_parameter(x_once.or_in(YS, y_once), products);
    let [x_twice, y_twice, z_twice] = twice.coordinates();
    let z = z_twice.carry().times(&z_once.carry());
    is_image(x, y.widen(), [x_twice, y_twice], &z) & !(doubtful | doubtful_too)
}

/// Returns the lanes where (X, Y, z) is −ζ⁴·(x, y).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn is_image(
    x: Unreduced<1>,
    y: Unreduced<2>,
    multiple: [Unreduced<562>; 2],
    z: &Reduced<PRODUCT>,
) -> __mmask8 {
    // −β²x = x + βx
    let beta = Unreduced::constant(&BETA).carry().times(&Unreduced::constant(&FROM_BLST).carry());
    let minus_beta_2_x: Unreduced<34> = x.carry().times_plus::<PRODUCT, 1, 34>(&beta, &x);
    let zz = z.square_plus::<1, 33>(&Unreduced::zero()).carry();
    let zzz = z.times(&zz);
    let x_error: Unreduced<594> = minus_beta_2_x.carry().times_plus(&zz, &multiple[0]);
    let y_error: Unreduced<594> = y.carry().times_plus(&zzz, &multiple[1]);
    let same = all_zero_lanes(&x_error.canonical_words()) & all_zero_lanes(&y_error.canonical_words());
    same & !all_zero_lanes(&z.canonical_words())
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

#[cfg(test)]
mod tests {
    use std::array;

    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::super::{LANES, affine_words, scaled};
    use super::*;
    use crate::{Fr, G1, G1Affine};

    /// Returns the points, one in each lane.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn in_lanes(points: &[G1Affine; LANES]) -> [Unreduced<1>; 2] {
        let factor = Unreduced::constant(&FROM_BLST).carry();
        let [x, y] = scaled(array::from_fn(|lane| affine_words(&points[lane])), &factor);
        [Unreduced::from_columns(&x), Unreduced::from_columns(&y)]
    }

    /// Returns the lanes of `points` whose image, with each of its coordinates or one of another point, is taken for
    /// that image; then with z = 0.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn images(points: &[G1Affine; LANES], others: &[G1Affine; LANES]) -> [__mmask8; 6] {
        let one = Unreduced::constant(&ONE).carry().widen();
        let beta = Unreduced::constant(&BETA).carry().times(&Unreduced::constant(&FROM_BLST).carry());
        // (β²x, −y)
        let image = |[x, y]: [Unreduced<1>; 2]| {
            let minus: Unreduced<34> = x.carry().times_plus::<PRODUCT, 1, 34>(&beta, &x);
            (minus.negative::<35>(), y.negative::<2>())
        };
        let [x, y] = in_lanes(points);
        let (image_x, image_y) = image([x, y]);
        let (other_x, other_y) = image(in_lanes(others));
        let none = Unreduced::<1>::zero();
        let y: Unreduced<2> = y.widen();
        [
            is_image(x, y, [image_x.widen(), image_y.widen()], &one),
            is_image(x, y, [image_x.widen(), y.widen()], &one),
            is_image(x, y, [x.widen(), image_y.widen()], &one),
            is_image(x, y, [image_x.widen(), other_y.widen()], &one),
            is_image(x, y, [other_x.widen(), image_y.widen()], &one),
            is_image(x, y, [none.widen(), none.widen()], &none.carry().widen()),
        ]
    }

    parcrypt_cpu::test_on! { Ifma:
        /// Only points of order 3 have one coordinate of the image and not the other, and they are doubtful too, so
        /// that decompression cannot test this.
        fn an_image_has_both_coordinates() {
            let mut rng = rng();
            let mut random = || {
                let scalar = Fr::from_bytes_reduced(&rng.random::<[u8; 32]>());
                (G1::generator() * scalar).to_affine()
            };
            let (points, others) = (array::from_fn(|_| random()), array::from_fn(|_| random()));
            assert_eq!(images(&points, &others), [0xff, 0, 0, 0, 0, 0]);
        }
    }

    /// Returns the lanes that are doubtful, each point in a lane, and then the first and the last in halves.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn doubtful(points: &[G1Affine; LANES]) -> [__mmask8; 2] {
        let halves = array::from_fn(|lane| points[if lane < LANES / 2 { 0 } else { LANES - 1 }]);
        let [x, y] = in_lanes(&halves);
        let (_, of_two) = JacobianPair::times_parameter(x.or_in(YS, y), &mut Products::alone());
        let [x, y] = in_lanes(points);
        [times_parameter(&[(x, y.widen())]).1[0], of_two]
    }

    parcrypt_cpu::test_on! { Ifma:
        /// Z = 0 shows the same at the end, so that neither check is missed while the other is there.
        fn additions_that_meet_their_point_are_doubtful() {
            // (0, 2) has order 3.
            let (x, mut y) = ([0; 48], [0; 48]);
            y[47] = 2;
            let torsion = G1Affine::from_coordinates([&x, &y]).unwrap();
            let mut points = [G1::generator().to_affine(); LANES];
            assert_eq!(doubtful(&points), [0, 0]);
            (points[2], points[LANES - 1]) = (torsion, torsion);
            assert_eq!(doubtful(&points), [0b1000_0100, 0xf0]);
        }
    }
}
