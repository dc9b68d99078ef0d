//! Membership of points of the curve in G1, with a point in each lane.

use super::jacobian::{Affine, Jacobian};
use super::{FROM_BLST, ONE};
use crate::constants::{BETA, X_ABS};
use crate::lanes::batch_affine::{PointWords, not};
use crate::lanes::fp::Element;

/// Returns ones in the lanes whose point, which is on the curve, is proved to be in the group: all members, because
/// the additions below never meet P or −P for a point of order r.
///
/// A point is in the group if ζ·P = x²·P is −ζ⁴·P = (β²x, −y), see
/// [`GlvTable`](crate::curve::endomorphism::GlvTable): β² + β + 1 = 0 makes (x⁴ − x² + 1)·P = r·P infinity (Scott, "A
/// note on group membership tests", 2021).
#[inline(always)]
pub(super) fn in_group<W: PointWords>(point: &Affine<W>) -> W {
    let (once, doubtful) = times_parameter(point);
    // (X, Y, Z) is the point (X, Y, 1) of a curve with another constant, which does not occur in the formulas. It is
    // multiplied there, and Z last.
    let (twice, doubtful_too) = times_parameter(&Affine { x: once.x.carried(), y: once.y.widen() });
    is_image(point, &twice, &twice.z.times(&once.z)).and(not(doubtful.or(doubtful_too)))
}

/// Returns ones in the lanes where (X, Y, z) is −ζ⁴·(x, y) and not infinity.
#[inline(always)]
fn is_image<W: PointWords>(Affine { x, y }: &Affine<W>, multiple: &Jacobian<W>, z: &Element<W, 1, 4>) -> W {
    // −β²x = x + βx
    let beta = Element::<W, 1, 1>::constant(&BETA).times(&Element::<W, 1, 1>::constant(&FROM_BLST));
    let minus_beta_2_x: Element<W, 2, 41> = x.plus(&x.times(&beta));
    let zz = z.square();
    let x_error: Element<W, 11, 41> = minus_beta_2_x.times(&zz).plus(&multiple.x);
    let y_error: Element<W, 2, 8> = y.times(&z.times(&zz)).plus(&multiple.y);
    let same = x_error.canonical().zeros().and(y_error.canonical().zeros());
    same.and(not(z.canonical().zeros()))
}

/// Returns |x|·P, and ones in the lanes where an addition may have met P or −P.
#[inline(always)]
fn times_parameter<W: PointWords>(point: &Affine<W>) -> (Jacobian<W>, W) {
    let mut multiple =
        Jacobian { x: point.x.widen(), y: point.y.carried(), z: Element::<W, 1, 1>::constant(&ONE).widen() };
    let mut doubtful = W::all(0);
    for bit in (0..u64::BITS - 1).rev() {
        multiple = multiple.doubled();
        if X_ABS >> bit & 1 == 1 {
            let (sum, doubt) = multiple.plus(point);
            (multiple, doubtful) = (sum, doubtful.or(doubt));
        }
    }
    (multiple, doubtful)
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rng;

    use super::super::lanes;
    use super::super::tests::of_the_group;
    use super::*;
    use crate::G1Affine;
    use crate::lanes::MOST_LANES;
    use crate::lanes::batch_affine::load;

    /// Returns the points, one in each lane.
    #[inline(always)]
    fn in_lanes<W: PointWords>(points: &[G1Affine; MOST_LANES]) -> Affine<W> {
        let from_blst = Element::<W, 1, 1>::constant(&FROM_BLST);
        let [x, y] =
            [points.each_ref().map(|point| &point.0.x.l), points.each_ref().map(|point| &point.0.y.l)];
        Affine { x: load(&x).times(&from_blst).widen(), y: load(&y).times(&from_blst).widen() }
    }

    /// Checks that an image has both coordinates: only points of order 3 have one of them and not the other, and they
    /// are doubtful too, so that decompression cannot test this. Checks also that additions that meet their point are
    /// doubtful: Z = 0 shows the same at the end.
    #[inline(always)]
    pub(crate) fn membership_has_every_check<W: PointWords>() {
        let mut rng = rng();
        let (points, others) = (of_the_group(&mut rng), of_the_group(&mut rng));
        let beta = Element::<W, 1, 1>::constant(&BETA).times(&Element::<W, 1, 1>::constant(&FROM_BLST));
        let one = Element::<W, 1, 1>::constant(&ONE).widen();
        // (β²x, −y)
        let image = |Affine { x, y }: &Affine<W>| {
            let x: Element<W, 1, 37> = x.times(&beta).times(&beta).widen();
            (x, y.minus::<3, 5>().carried().canonical())
        };
        let point = in_lanes::<W>(&points);
        let ((x, y), (other_x, other_y)) = (image(&point), image(&in_lanes(&others)));
        let same_y = point.y.canonical();
        let is = |x: &Element<W, 1, 37>, y: &Element<W, 1, 1>, z: &Element<W, 1, 4>| {
            let multiple = Jacobian { x: x.widen(), y: y.widen(), z: one.widen() };
            lanes(is_image(&point, &multiple, z))[..W::LANES].to_vec()
        };
        let none = vec![false; W::LANES];
        assert_eq!(is(&x, &y, &one), vec![true; W::LANES]);
        assert_eq!(is(&x, &same_y, &one), none);
        assert_eq!(is(&point.x, &y, &one), none);
        assert_eq!(is(&x, &other_y, &one), none);
        assert_eq!(is(&other_x, &y, &one), none);
        assert_eq!(is(&Element::zero(), &Element::zero(), &Element::zero()), none);

        // (0, 2) has order 3.
        let (zero, mut two) = ([0; 48], [0; 48]);
        two[47] = 2;
        let mut points = points;
        let last = W::LANES - 1;
        assert_eq!(lanes(times_parameter(&in_lanes::<W>(&points)).1), [false; MOST_LANES]);
        points[last] = G1Affine::from_coordinates([&zero, &two]).unwrap();
        let doubtful = lanes(times_parameter(&in_lanes::<W>(&points)).1);
        assert_eq!(doubtful, std::array::from_fn(|lane| lane == last));
    }

    #[test]
    fn membership_of_the_model_has_every_check() {
        membership_has_every_check::<[u64; 4]>();
    }
}
