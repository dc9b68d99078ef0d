//! Lanes of 32 bits, for the modulus 8380417.

use super::{Factor, Lanes};
use crate::tuned::roots::INVERSE_32;

/// The modulus.
pub(crate) const Q: i32 = 8380417;

/// The blocks after which sums are reduced, for [`Tables::new`](super::Tables::new): none.
pub(crate) const REDUCE_ML_DSA: [usize; 2] = [0, 0];

/// Vectors of `W` lanes of 32 bits, signed unless documented otherwise. Arithmetic is modulo 2^32, or 2^64 for pairs of
/// lanes.
pub(crate) trait Lanes32<const W: usize>: Copy {
    /// A vector.
    type V: Copy;

    /// See [`Lanes::IN_STEP`].
    const IN_STEP: usize;
    /// See [`Lanes::LOOPS`].
    const LOOPS: bool = false;

    fn splat(self, x: i32) -> Self::V;
    fn load(self, lanes: &[i32; W]) -> Self::V;
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// The lower half of the product.
    fn mul_low(self, a: Self::V, b: Self::V) -> Self::V;
    /// The quotient by 2^23, rounded down.
    fn shift_23(self, a: Self::V) -> Self::V;
    /// The smaller one, both as unsigned numbers.
    fn min_unsigned(self, a: Self::V, b: Self::V) -> Self::V;

    /// Returns two registers, cut into blocks of `block` lanes: the even blocks of both, and the odd blocks of both.
    fn exchange(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V);

    /// In each 64 bits: the product of the even lanes, in full.
    fn mul_even(self, a: Self::V, b: Self::V) -> Self::V;
    /// In the even lanes: the odd ones.
    fn odd(self, a: Self::V) -> Self::V;
    /// The sums of 64-bit lanes.
    fn add_64(self, a: Self::V, b: Self::V) -> Self::V;
    /// The differences of 64-bit lanes.
    fn sub_64(self, a: Self::V, b: Self::V) -> Self::V;
    /// The odd lanes of the first in the even ones, and the odd lanes of the second.
    fn odds(self, a: Self::V, b: Self::V) -> Self::V;

    /// Returns the product by a constant, up to q/2 + |a|·q/2 / 2^32.
    ///
    /// a·value − m·q, with m = a·companion mod 2^32, is a multiple of 2^32: the lower halves are equal.
    #[inline(always)]
    fn mul(self, a: Self::V, by: Factor<Self::V>) -> Self::V {
        let m = self.mul_low(a, by.companion);
        let even = self.minus_q(self.mul_even(a, by.value), m);
        let odd = self.minus_q(self.mul_even(self.odd(a), self.odd(by.value)), self.odd(m));
        self.odds(even, odd)
    }

    /// The same in the even lanes; the odd ones are undefined.
    #[inline(always)]
    fn mul_even_by(self, a: Self::V, by: Factor<Self::V>) -> Self::V {
        self.odd(self.minus_q(self.mul_even(a, by.value), self.mul_even(a, by.companion)))
    }

    /// x − m·q, of 64-bit lanes and even lanes.
    #[inline(always)]
    fn minus_q(self, x: Self::V, m: Self::V) -> Self::V {
        self.sub_64(x, self.mul_even(m, self.splat(Q)))
    }

    /// Returns the same residue up to 3/4·q, of a value below 2^31 − 2^22.
    ///
    /// q = 2^23 − 2^13 + 1: with x = t·2^23 + r, |r| ≤ 2^22, the remainder is r + t·(2^13 − 1), and |t| ≤ 255.
    #[inline(always)]
    fn reduced(self, x: Self::V) -> Self::V {
        let quotient = self.shift_23(self.add(x, self.splat(1 << 22)));
        self.sub(x, self.mul_low(quotient, self.splat(Q)))
    }

    /// Of 64-bit lanes: a / 2^32 in the even lanes and b / 2^32 in the odd ones, up to |a| / 2^32 + q/2.
    #[inline(always)]
    fn montgomery(self, a: Self::V, b: Self::V) -> Self::V {
        let inverse = self.splat(INVERSE_32);
        let even = self.minus_q(a, self.mul_even(a, inverse));
        let odd = self.minus_q(b, self.mul_even(b, inverse));
        self.odds(even, odd)
    }

    /// Returns the canonical form of values in (−q, q).
    #[inline(always)]
    fn canonical(self, x: Self::V) -> Self::V {
        // As an unsigned number a negative x is larger than x + q.
        self.min_unsigned(x, self.add(x, self.splat(Q)))
    }

    /// In each two lanes the product of polynomials of degree 1 modulo X² − γ: c₀ in 64 bits, and c₁.
    #[inline(always)]
    fn quadratic(self, a: Self::V, b: Self::V, gamma: Factor<Self::V>) -> [Self::V; 2] {
        let (a1, b1) = (self.odd(a), self.odd(b));
        let z = self.mul_even_by(b1, gamma);
        let c0 = self.add_64(self.mul_even(a, b), self.mul_even(a1, z));
        let c1 = self.add_64(self.mul_even(a, b1), self.mul_even(a1, b));
        [c0, c1]
    }
}

/// These vectors as lanes of the schedule.
#[derive(Clone, Copy)]
pub(crate) struct Wide<L>(pub(crate) L);

impl<L: Lanes32<W>, const W: usize> Lanes<W> for Wide<L> {
    type Lane = i32;
    type V = L::V;
    /// Of the even lanes, and of the odd ones.
    type Wide = [L::V; 2];
    const IN_STEP: usize = L::IN_STEP;
    const LOOPS: bool = L::LOOPS;
    /// Slots of two cost 11 multiplications a register, and one more layer, twice forward and once back, with a product
    /// of values 13.5.
    const SLOT: usize = 2;

    forwarded! {
        splat(x: i32) -> L::V;
        load(lanes: &[i32; W]) -> L::V;
        add(a: L::V, b: L::V) -> L::V;
        sub(a: L::V, b: L::V) -> L::V;
        exchange(block: usize, u: L::V, v: L::V) -> (L::V, L::V);
        mul(a: L::V, by: Factor<L::V>) -> L::V;
        reduced(x: L::V) -> L::V;
        canonical(x: L::V) -> L::V;
    }
    #[inline(always)]
    fn mul_slots(self, a: L::V, b: L::V, gamma: Factor<L::V>) -> L::V {
        let [c0, c1] = self.0.quadratic(a, b, gamma);
        self.0.montgomery(c0, c1)
    }
    #[inline(always)]
    fn prepared(self, degree: usize, b: L::V, _: Factor<L::V>) -> [L::V; 2] {
        debug_assert!(degree == 1);
        [b, self.0.odd(b)]
    }
    #[inline(always)]
    fn no_products(self) -> [L::V; 2] {
        [self.0.splat(0); 2]
    }
    #[inline(always)]
    fn add_products(self, _: usize, sum: [L::V; 2], a: L::V, b: [L::V; 2]) -> [L::V; 2] {
        let l = self.0;
        [l.add_64(sum[0], l.mul_even(a, b[0])), l.add_64(sum[1], l.mul_even(l.odd(a), b[1]))]
    }
    #[inline(always)]
    fn montgomery(self, _: usize, sum: [L::V; 2]) -> L::V {
        self.0.montgomery(sum[0], sum[1])
    }
}
