//! Membership of points of the curve in G1, with a point in each lane.

use parcrypt_simd::Call;

use super::super::fp::{Element, Factor, FpLimbs};
use super::batch::coordinates_of_blst;
use super::jacobian::{Affine, Jacobian};
use super::quads::{JacobianQuad, Products, YS};
use super::{PointLimbs, beta, elements, from_blst, one};
use crate::G1Affine;
use crate::constants::X_ABS;

/// Returns the lanes of one or two vectors whose point, which is on the curve, is proved to be in the group: all
/// members, because the additions below never meet P or −P for a point of order r. Two vectors take less than twice the
/// time of one.
///
/// A point is in the group if ζ·P = x²·P is −ζ⁴·P = (β²x, −y), see
/// [`GlvTable`](crate::curve::endomorphism::GlvTable): β² + β + 1 = 0 makes (x⁴ − x² + 1)·P = r·P infinity (Scott, "A
/// note on group membership tests", 2021).
#[inline(always)]
pub(super) fn in_group<F: FpLimbs>(points: &[Affine<F>]) -> [u8; 2] {
    F::outlined(InGroup(points))
}

/// The call of [`are_proved`].
struct InGroup<'a, F>(&'a [Affine<F>]);

impl<F: FpLimbs> Call for InGroup<'_, F> {
    type Result = [u8; 2];

    #[inline(always)]
    fn call(self) -> [u8; 2] {
        are_proved(self.0)
    }
}

/// Implements [`in_group`].
#[inline(always)]
fn are_proved<F: FpLimbs>(points: &[Affine<F>]) -> [u8; 2] {
    // (X, Y, Z) is the point (X, Y, 1) of a curve with another constant, which does not occur in the formulas. It is
    // multiplied there, and Z last.
    let mut bases = [points[0], points[points.len() - 1]];
    let (mut multiples, mut doubtful) = ([from_affine(&points[0]); 2], [0; 2]);
    let mut z = [one().factor(); 2];
    for _ in 0..2 {
        let doubts = times_parameter(&bases[..points.len()], &mut multiples);
        for (i, Jacobian { x, y, z: last }) in multiples[..points.len()].iter().enumerate() {
            bases[i] = Affine { x: x.carried().widen(), y: y.factor() };
            z[i] = z[i].times(last);
            doubtful[i] |= doubts[i];
        }
    }
    let mut proved = [0; 2];
    for (i, point) in points.iter().enumerate() {
        let Jacobian { x, y, .. } = &multiples[i];
        proved[i] = is_image(point, &x.widen(), &y.widen(), &z[i]) & !doubtful[i];
    }
    proved
}

/// Does what [`in_group`] does for few points, whose coordinates are in all lanes of their fours, and returns all lanes
/// of a four or none.
#[inline(always)]
pub(super) fn in_group_of_few<F: FpLimbs>(
    x: &Element<F, 1, 1>,
    y: &Element<F, 1, 1>,
    products: &mut Products<F>,
) -> u8 {
    let (mut base, mut doubtful, mut coordinates) = ([*x, *y], 0, [Element::zero(); 3]);
    let mut z_of_both = one().factor();
    for _ in 0..2 {
        let (multiple, doubt) =
            JacobianQuad::times_parameter(&base[0].select(YS, &base[1]).widen(), products);
        coordinates = multiple.coordinates();
        base = [coordinates[0].canonical(), coordinates[1].canonical()];
        z_of_both = z_of_both.times(&coordinates[2].carried());
        doubtful |= doubt;
    }
    let point = Affine { x: x.factor().widen(), y: y.factor().widen() };
    is_image(&point, &coordinates[0], &coordinates[1], &z_of_both) & !doubtful
}

/// Returns the lanes where (X, Y, z) is −ζ⁴·(x, y) and not infinity.
#[inline(always)]
pub(super) fn is_image<F: FpLimbs>(
    Affine { x, y }: &Affine<F>,
    big_x: &Element<F, 18, 18>,
    big_y: &Element<F, 18, 18>,
    z: &Factor<F, 1, 1>,
) -> u8 {
    // −β²x = x + βx
    let minus_beta_2_x: Element<F, 4, 11> = x.times_plus(&beta(), &x.element());
    let zz = z.square();
    let x_error: Element<F, 19, 19> = minus_beta_2_x.factor().times_plus(&zz, big_x);
    let y_error: Element<F, 19, 19> = y.times_plus(&z.times(&zz), big_y);
    let same = x_error.canonical().zeros() & y_error.canonical().zeros();
    same & !z.element().canonical().zeros()
}

/// Returns the same points in Jacobian coordinates.
#[inline(always)]
fn from_affine<F: FpLimbs>(Affine { x, y }: &Affine<F>) -> Jacobian<F> {
    Jacobian { x: x.element().widen(), y: y.element(), z: one().factor().widen() }
}

/// Writes |x|·P of one or two vectors, and returns the lanes where an addition may have met P or −P.
#[inline(always)]
fn times_parameter<F: FpLimbs>(points: &[Affine<F>], multiples: &mut [Jacobian<F>; 2]) -> [u8; 2] {
    let mut doubtful = [0; 2];
    let multiples = &mut multiples[..points.len()];
    for (multiple, point) in multiples.iter_mut().zip(points) {
        *multiple = from_affine(point);
    }
    for bit in (0..u64::BITS - 1).rev() {
        for multiple in &mut *multiples {
            *multiple = multiple.doubled();
        }
        if X_ABS >> bit & 1 == 1 {
            for (i, multiple) in multiples.iter_mut().enumerate() {
                let (sum, doubt) = multiple.plus(&points[i]);
                (*multiple, doubtful[i]) = (sum, doubtful[i] | doubt);
            }
        }
    }
    doubtful
}

/// Returns the point of each lane.
#[inline(always)]
fn in_lanes<F: FpLimbs>(points: &[G1Affine]) -> Affine<F> {
    let rows = coordinates_of_blst(points);
    let [x, y] = [elements::<F>(&rows[0]), elements::<F>(&rows[1])];
    let factor = from_blst().factor();
    Affine { x: x.factor().times(&factor).widen(), y: y.factor().times(&factor).widen() }
}

/// Implements [`PointValidation::are_in_subgroup`](crate::curve::validation::PointValidation::are_in_subgroup).
#[inline(always)]
pub(crate) fn are_in_subgroup<F: PointLimbs>(points: &[G1Affine]) -> bool {
    if points.len() < F::MINIMUM && F::FEW == 0 {
        return points.iter().all(G1Affine::is_in_subgroup);
    }
    for points in points.chunks(2 * F::LANES) {
        let second = if points.len() > F::LANES { F::LANES } else { 0 };
        let vectors = [in_lanes::<F>(points), in_lanes(&points[second..])];
        let proved = in_group(if second > 0 { &vectors } else { &vectors[..1] });
        // Infinity and points outside of the group, which are not proved, are left to blst.
        let is_proved = |i: usize| proved[i / F::LANES] >> (i % F::LANES) & 1 == 1;
        if !points.iter().enumerate().all(|(i, point)| is_proved(i) || point.is_in_subgroup()) {
            return false;
        }
    }
    true
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rng;

    use super::super::decompress::tests::of_the_group;
    use super::*;

    /// Checks that an image has both coordinates: only points of order 3 have one of them and not the other, and they
    /// are doubtful too, so that decompression cannot test this. Checks also that additions that meet their point are
    /// doubtful: Z = 0 shows the same at the end.
    #[inline(always)]
    pub(crate) fn membership_has_every_check<F: FpLimbs>() {
        let mut rng = rng();
        let (points, others) = (of_the_group(&mut rng), of_the_group(&mut rng));
        // (β²x, −y)
        let [point, other] = [&points, &others].map(|points| in_lanes::<F>(points));
        let mut images = [(Element::zero(), Element::zero()); 2];
        for (image, Affine { x, y }) in images.iter_mut().zip([&point, &other]) {
            let x = x.times(&beta()).times(&beta()).element();
            *image = (x.widen(), y.element().negative::<4, 4>().canonical().widen());
        }
        let [(x, y), (other_x, other_y)] = images;
        let (same_x, same_y) = (point.x.element().widen(), point.y.element().widen());
        let (all, one, zero) = (u8::MAX >> (8 - F::LANES), one::<F>(), Element::zero());
        let pairs = [(x, y, one, all), (x, same_y, one, 0), (same_x, y, one, 0), (x, other_y, one, 0)];
        let others = [(other_x, y, one, 0), (zero, zero, Element::zero(), 0)];
        for (x, y, z, expected) in pairs.into_iter().chain(others) {
            assert_eq!(is_image(&point, &x, &y, &z.factor()), expected);
        }

        // (0, 2) has order 3.
        let (zero, mut two) = ([0; 48], [0; 48]);
        two[47] = 2;
        let last = F::LANES - 1;
        let mut with_torsion = points;
        with_torsion[last] = G1Affine::from_coordinates([&zero, &two]).unwrap();
        for (points, expected) in [(points, 0), (with_torsion, 1 << last)] {
            let point = in_lanes::<F>(&points);
            let doubtful = times_parameter(&[point], &mut [from_affine(&point); 2]);
            assert_eq!(doubtful[0], expected);
        }
    }
}
