//! Arithmetic on a single number of the tuned rings: for the portable rows, and for models of vectors.

use std::fmt::Debug;

use super::roots::{Factor, INVERSE_16, INVERSE_32};

/// A signed number that represents its residue modulo q: `i16` modulo 3329 with R = 2^16, `i32` modulo 8380417 with
/// R = 2^32. It may be larger than q; each function states its bound. In tests it is also an interval.
pub(crate) trait Number: Copy + Debug + From<Self::Lane> + 'static {
    /// The type of a constant: `i16` or `i32`.
    type Lane: Copy + Default + 'static;
    /// A sum of products, of twice the width.
    type Sum: Copy;

    /// Whether values have to be reduced between layers.
    const REDUCED: bool;
    /// The sum of no products.
    const ZERO: Self::Sum;

    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// Returns the product by a constant, up to q/2 + |a|·q/2 / R.
    fn times(self, by: Factor<Self>) -> Self;
    /// Returns the same residue: with 16 bits up to q/2 + 0.16·q·|x| / 2^15; with 32 bits up to 3/4·q, of a value up to
    /// 2^31 − 2^22.
    fn reduced(self) -> Self;
    /// Returns the canonical form of a value in (−q, q).
    fn canonical(self) -> Self;
    /// Returns sum + a·b.
    fn plus_product(sum: Self::Sum, a: Self, b: Self) -> Self::Sum;
    /// Returns sum / R, up to |sum| / R + q/2.
    fn montgomery(sum: Self::Sum) -> Self;
}

macro_rules! number {
    ($lane:ident, $sum:ident, $inverse:ident, $reduced:literal, |$x:ident| $quotient:expr) => {
        impl Factor<$lane> {
            const Q: $lane = Self::MODULUS as $lane;
        }

        impl Number for $lane {
            type Lane = $lane;
            type Sum = $sum;

            const REDUCED: bool = $reduced;
            const ZERO: $sum = 0;

            #[inline(always)]
            fn plus(self, other: $lane) -> $lane {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: $lane) -> $lane {
                self - other
            }
            #[inline(always)]
            fn times(self, by: Factor<$lane>) -> $lane {
                // a·value − m·q, with m = a·companion mod R, is a multiple of R: the lower halves are equal.
                let m = self.wrapping_mul(by.companion);
                let high = |a: $lane, b: $lane| ($sum::from(a) * $sum::from(b) >> $lane::BITS) as $lane;
                high(self, by.value) - high(m, Factor::<$lane>::Q)
            }
            #[inline(always)]
            fn reduced(self) -> $lane {
                let $x = self;
                // Modulo R, because the product can be outside of the lane where the difference is not.
                self.wrapping_sub(($quotient).wrapping_mul(Factor::<$lane>::Q))
            }
            #[inline(always)]
            fn canonical(self) -> $lane {
                debug_assert!(self > -Factor::<$lane>::Q && self < Factor::<$lane>::Q);
                self + (Factor::<$lane>::Q & (self >> ($lane::BITS - 1)))
            }
            #[inline(always)]
            fn plus_product(sum: $sum, a: $lane, b: $lane) -> $sum {
                sum + $sum::from(a) * $sum::from(b)
            }
            #[inline(always)]
            fn montgomery(sum: $sum) -> $lane {
                let product =
                    $sum::from((sum as $lane).wrapping_mul($inverse)) * $sum::from(Factor::<$lane>::Q);
                // The lower halves are equal.
                (sum >> $lane::BITS) as $lane - (product >> $lane::BITS) as $lane
            }
        }
    };
}

// 20·x / 2^16, rounded by the highest bit of the lower half. 20 is 2^16 / q = 19.69 rounded, so that the quotient is
// off by less than 1/2 + |x| · 0.157 / 2^15.
number!(i16, i32, INVERSE_16, true, |x| ((i32::from(x) * 20) >> 16) as i16 - (x.wrapping_mul(20) >> 15));
// q = 2^23 − 2^13 + 1: with x = t·2^23 + r, |r| ≤ 2^22, the remainder is r + t·(2^13 − 1), and |t| ≤ 255.
number!(i32, i64, INVERSE_32, false, |x| (x + (1 << 22)) >> 23);
