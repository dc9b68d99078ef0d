//! Many additions of affine points at once.
//!
//! An affine addition costs 2 multiplications, a squaring and an inversion; with one inversion for many of them
//! (Montgomery's trick, 3 multiplications each) it is 6 multiplications, where a mixed Jacobian addition takes 11.
//! Independent additions also fill vector lanes. [`Additions`] is what a backend has to give; everything in [`msm`] is
//! built from it.
//!
//! [`msm`]: crate::msm

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod measure;
pub(crate) mod scalar;

use std::fmt::Debug;

use parcrypt_cpu::Backend;

use crate::fp::{self, Words};
use crate::{Error, G1, G1Affine};

/// A point: two coordinates below p, in the Montgomery form of the backend that made them. Infinity is all zero, which
/// is not on the curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Point {
    pub(crate) x: Words,
    pub(crate) y: Words,
}

/// A point P with βx, for a third root of unity β of the base field: with it the six multiples of P by the units of
/// Z\[ζ\] cost no multiplication. ζ = x² is a sixth root of unity modulo r, where x is the parameter of the curve.
///
/// Its 144 bytes at a multiple of 16 lie in three cache lines. They are plain numbers: any bytes are an `Orbit`, and whether
/// they are a point is asked where they are taken from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Orbit {
    pub(crate) x: Words,
    pub(crate) beta_x: Words,
    pub(crate) y: Words,
}

/// β in the Montgomery form of blst, the third root of unity for which (β·x, y) = ζ²·(x, y).
pub(crate) const BETA: Words = [
    0xcd03_c9e4_8671_f071,
    0x5dab_2246_1fcd_a5d2,
    0x5870_42af_d385_1b95,
    0x8eb6_0ebe_01ba_cb9e,
    0x03f9_7d6e_83d0_50d2,
    0x18f0_2065_5463_8741,
];

impl Point {
    pub(crate) const INFINITY: Point = Point { x: [0; 6], y: [0; 6] };

    #[inline(always)]
    pub(crate) fn is_infinity(&self) -> bool {
        // No point of the curve has y = 0: its order is odd.
        fp::is_zero(&self.y)
    }
}

/// One of the six multiples of a point by a unit: the index of its [`Orbit`], and k for the unit ζ^k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Operand(u32);

impl Orbit {
    #[inline(always)]
    pub(crate) fn is_infinity(&self) -> bool {
        fp::is_zero(&self.y)
    }
}

impl Operand {
    /// One that stands where none is needed.
    pub(crate) const ANY: Operand = Operand(0);

    /// No point at all.
    pub(crate) const NONE: Operand = Operand(u32::MAX);

    /// The most orbits that operands can name.
    pub(crate) const MOST: usize = 1 << 29;

    #[inline(always)]
    pub(crate) fn new(index: u32, unit: u32) -> Self {
        debug_assert!((index as usize) < Operand::MOST && unit < 6);
        Operand(index << 3 | unit)
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        (self.0 >> 3) as usize
    }

    /// k of ζ^k.
    #[inline(always)]
    pub(crate) fn unit(self) -> u32 {
        self.0 & 7
    }

    /// The point it stands for: ζ²·(x, y) = (βx, y), −(x, y) = (x, −y), and ζ = −ζ⁴. β²x = −x − βx.
    #[inline(always)]
    pub(crate) fn point(self, orbits: &[Orbit]) -> Point {
        let orbit = &orbits[self.index()];
        let unit = self.unit();
        let x = match unit % 3 {
            0 => orbit.x,
            1 => fp::neg(&fp::add(&orbit.x, &orbit.beta_x)),
            _ => orbit.beta_x,
        };
        let y = if unit % 2 == 1 { fp::neg(&orbit.y) } else { orbit.y };
        Point { x, y }
    }
}

/// a + b, to be written to element `to`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Sum {
    pub(crate) a: Operand,
    pub(crate) b: Operand,
    pub(crate) to: u32,
}

/// Element `to` += element `from`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Fold {
    pub(crate) to: u32,
    pub(crate) from: u32,
}

/// What a backend has to give. Everything is right for infinity, equal and opposite points.
pub(crate) trait Additions: Debug + Send + Sync {
    /// Which backend this is.
    fn backend(&self) -> Backend;

    /// What one addition of many costs, in nanoseconds, on a core of 2023.
    fn add_ns(&self) -> u64;

    /// How many points it takes to decompress at once so that none costs more than it must.
    fn together(&self) -> usize;

    /// What [`G1Affine::from_compressed`] says of each. Both have the same length.
    fn decompress(&self, compressed: &[&[u8; 48]], out: &mut [Result<G1Affine, Error>]);

    /// From blst's form to the backend's. Both have the same length.
    fn import(&self, points: &[G1Affine], out: &mut [Point]);

    /// From the backend's form to blst's. Both have the same length.
    fn export(&self, points: &[Point], out: &mut [G1Affine]);

    /// βx for each point. Both have the same length.
    fn orbits(&self, points: &[Point], out: &mut [Orbit]);

    /// Each of `sums`; no two have the same `to`.
    fn sum_orbits(&self, orbits: &[Orbit], sums: &[Sum], out: &mut [Point]);

    /// Each of `folds`; no two have the same `to`, and none has a `from` that is the `to` of another.
    fn fold(&self, points: &mut [Point], folds: &[Fold]);

    /// Doubles each point `times` times.
    fn double(&self, points: &mut [Point], times: usize);

    /// out\[i\] = Σ_w 2^(bits·w) · digits\[w · out.len() + i\], from the last w to the first. [`Operand::NONE`] adds nothing.
    fn horner(&self, orbits: &[Orbit], bits: u32, digits: &[Operand], out: &mut [G1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fr;
    use crate::affine::scalar::Scalar;

    #[test]
    fn units_are_the_powers_of_zeta() {
        let x = Fr::from(0xd201_0000_0001_0000);
        let point = G1::generator() * Fr::from(7);
        let mut points = [Point::INFINITY];
        let mut orbits = [Orbit::default()];
        Scalar.import(&[point.to_affine()], &mut points);
        Scalar.orbits(&points, &mut orbits);
        for unit in 0..6 {
            let mut multiple = [G1Affine::identity()];
            Scalar.export(&[Operand::new(0, unit).point(&orbits)], &mut multiple);
            let zeta = (0..2 * unit).fold(Fr::one(), |power, _| power * x);
            assert_eq!(G1::from(multiple[0]), point * zeta, "ζ^{unit}");
        }
    }
}
