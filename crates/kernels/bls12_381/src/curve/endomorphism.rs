//! The endomorphism of G1 (Gallant, Lambert and Vanstone, 2001): (x, y) → (βx, y) is multiplication by ζ² for ζ = x²,
//! where x is the parameter of the curve. With −(x, y) = (x, −y) the six multiples of a point by the units of Z\[ζ\]
//! take no multiplication once βx is known.
#![allow(unsafe_code, reason = "prefetches")]

use super::point::Point;
use crate::field::fp::{self, Words};

/// GLV table of a point P: x, βx and y, from which the six multiples of P by units of Z\[ζ\] follow without a
/// multiplication.
///
/// Its 144 bytes, aligned to 16, lie in three cache lines. Any bytes are a value of this type; bytes from outside are
/// checked to be a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct GlvTable {
    pub(crate) x: Words,
    pub(crate) beta_x: Words,
    pub(crate) y: Words,
}

/// A multiple of a point by a unit: the index of its [`GlvTable`], and k of the unit ζ^k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Operand(u32);

impl GlvTable {
    #[inline(always)]
    pub(crate) fn is_infinity(&self) -> bool {
        fp::is_zero(&self.y)
    }

    /// Prefetches its cache lines.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        #[cfg(target_arch = "x86_64")]
        for line in 0..3 {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bytes = std::ptr::from_ref(self).cast::<i8>();
            // SAFETY: every x86-64 has the instruction, and it reads nothing that the program would see.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.wrapping_add(64 * line)) };
        }
    }
}

impl Operand {
    /// A placeholder whose value is never read.
    pub(crate) const ANY: Operand = Operand(0);

    /// The absence of a point: it adds nothing.
    pub(crate) const NONE: Operand = Operand(u32::MAX);

    /// Largest number of tables that operands can index; the index of [`Operand::NONE`] is past their end.
    pub(crate) const MAX: usize = (1 << 29) - 1;

    #[inline(always)]
    pub(crate) fn new(index: u32, unit: u32) -> Self {
        debug_assert!((index as usize) < Operand::MAX && unit < 6);
        Operand(index << 3 | unit)
    }

    /// Returns the operand of these bits.
    #[inline(always)]
    pub(crate) fn from_bits(bits: u32) -> Self {
        Operand(bits)
    }

    /// Returns the bits that [`Operand::from_bits`] takes.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        (self.0 >> 3) as usize
    }

    /// Returns k of the unit ζ^k.
    #[inline(always)]
    pub(crate) fn unit(self) -> u32 {
        self.0 & 7
    }

    /// Returns the multiple: ζ²·(x, y) = (βx, y), −(x, y) = (x, −y), and ζ = −ζ⁴. β²x = −x − βx.
    #[inline(always)]
    pub(crate) fn point(self, tables: &[GlvTable]) -> Point {
        let table = &tables[self.index()];
        let unit = self.unit();
        let x = match unit % 3 {
            0 => table.x,
            1 => fp::neg(&fp::add(&table.x, &table.beta_x)),
            _ => table.beta_x,
        };
        let y = if unit % 2 == 1 { fp::neg(&table.y) } else { table.y };
        Point { x, y }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::generic::portable::Portable;
    use crate::constants::X_ABS;
    use crate::curve::batch_affine::BatchAffine;
    use crate::{Fr, G1, G1Affine};

    #[test]
    fn units_are_the_powers_of_zeta() {
        let x = Fr::from(X_ABS);
        let point = G1::generator() * Fr::from(7);
        let mut points = [Point::INFINITY];
        let mut tables = [GlvTable::default()];
        Portable::ALONE.import(&[point.to_affine()], &mut points);
        Portable::ALONE.glv_tables(&points, &mut tables);
        for unit in 0..6 {
            let mut multiple = [G1Affine::identity()];
            Portable::ALONE.export(&[Operand::new(0, unit).point(&tables)], &mut multiple);
            let zeta = (0..2 * unit).fold(Fr::one(), |power, _| power * x);
            assert_eq!(G1::from(multiple[0]), point * zeta, "ζ^{unit}");
        }
    }
}
