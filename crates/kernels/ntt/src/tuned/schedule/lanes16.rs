//! Lanes of 16 bits, for the modulus 3329.

use super::{Factor, Lanes};
use crate::tuned::roots::INVERSE_16;

/// The modulus.
pub(crate) const Q: i16 = 3329;

/// The blocks after which sums are reduced, for [`Tables::new`](super::Tables::new).
pub(crate) const REDUCE_SMALL: [usize; 2] = [2 | 8, 8];
pub(crate) const REDUCE_ML_KEM: [usize; 2] = [4 | 32, 16];

/// Vectors of `W` lanes of 16 bits, signed unless documented otherwise. Arithmetic is modulo 2^16.
pub(crate) trait Lanes16<const W: usize>: Copy {
    /// A vector.
    type V: Copy;

    /// See [`Lanes::IN_STEP`].
    const IN_STEP: usize;
    /// See [`Lanes::LOOPS`].
    const LOOPS: bool = false;

    fn splat(self, x: i16) -> Self::V;
    fn load(self, lanes: &[i16; W]) -> Self::V;
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// The lower half of the product.
    fn mul_low(self, a: Self::V, b: Self::V) -> Self::V;
    /// The upper half of the product.
    fn mul_high(self, a: Self::V, b: Self::V) -> Self::V;
    /// The product divided by 2^15 and rounded.
    fn mul_round(self, a: Self::V, b: Self::V) -> Self::V;
    /// The smaller one, both as unsigned numbers.
    fn min_unsigned(self, a: Self::V, b: Self::V) -> Self::V;

    /// Returns two registers, cut into blocks of `block` lanes: the even blocks of both, and the odd blocks of both.
    fn exchange(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V);

    /// In each 32 bits: the sum of the products of the two lanes.
    fn mul_pairs(self, a: Self::V, b: Self::V) -> Self::V;
    /// The sums of 32-bit lanes.
    fn add_32(self, a: Self::V, b: Self::V) -> Self::V;
    /// Of 32-bit lanes: in each 32 bits the lower halves of both, and the upper halves.
    fn halves(self, a: Self::V, b: Self::V) -> (Self::V, Self::V);
    /// The two lanes of each 32 bits swapped.
    fn swap(self, a: Self::V) -> Self::V;
    /// In each 64 bits: lanes 0, 1, 0, 1.
    fn low_twice(self, a: Self::V) -> Self::V;
    /// In each 64 bits: lanes 2, 3, 2, 3.
    fn high_twice(self, a: Self::V) -> Self::V;
    /// In each 64 bits: the lanes whose numbers are the four pairs of bits of `ORDER`, from the lowest on.
    fn order<const ORDER: u8>(self, a: Self::V) -> Self::V;
    /// In each 64 bits: lanes 0, 1, 2 of the first and lane 3 of the second.
    fn last_of(self, a: Self::V, b: Self::V) -> Self::V;

    /// Returns the product by a constant, up to q/2 + |a|·q/2 / 2^16.
    ///
    /// a·value − m·q, with m = a·companion mod 2^16, is a multiple of 2^16: the lower halves are equal.
    #[inline(always)]
    fn mul(self, a: Self::V, by: Factor<Self::V>) -> Self::V {
        let m = self.mul_low(a, by.companion);
        self.sub(self.mul_high(a, by.value), self.mul_high(m, self.splat(Q)))
    }

    /// Returns the same residue up to q/2 + 0.16·q·|x| / 2^15.
    ///
    /// 10 is 2^15 / q = 9.843 rounded, so that the quotient is off by less than 1/2 + |x| · 0.157 / 2^15.
    #[inline(always)]
    fn reduced(self, x: Self::V) -> Self::V {
        let quotient = self.mul_round(x, self.splat(10));
        self.sub(x, self.mul_low(quotient, self.splat(Q)))
    }

    /// Of 32-bit lanes: a / 2^16 in the even lanes and b / 2^16 in the odd ones, up to |a| / 2^16 + q/2.
    #[inline(always)]
    fn montgomery(self, a: Self::V, b: Self::V) -> Self::V {
        let (low, high) = self.halves(a, b);
        let m = self.mul_low(low, self.splat(INVERSE_16));
        self.sub(high, self.mul_high(m, self.splat(Q)))
    }

    /// Returns the canonical form of values in (−q, q).
    #[inline(always)]
    fn canonical(self, x: Self::V) -> Self::V {
        // As an unsigned number a negative x is larger than x + q.
        self.min_unsigned(x, self.add(x, self.splat(Q)))
    }

    /// In each four lanes the product of polynomials of degree 3 modulo X^4 − γ: c₀ and c₁ in 32 bits each, and c₂ and
    /// c₃.
    #[inline(always)]
    fn quartic(self, a: Self::V, b: Self::V, gamma: Factor<Self::V>) -> [Self::V; 2] {
        let z = self.mul(b, gamma);
        let b = self.reduced(b);
        let (a01, a23) = (self.low_twice(a), self.high_twice(a));
        // With z = γ·b:
        // c₀ = a₀·b₀ + a₁·z₃ + a₂·z₂ + a₃·z₁    c₁ = a₀·b₁ + a₁·b₀ + a₂·z₃ + a₃·z₂
        // c₂ = a₀·b₂ + a₁·b₁ + a₂·b₀ + a₃·z₃    c₃ = a₀·b₃ + a₁·b₂ + a₂·b₁ + a₃·b₀
        let b0z3b1b0 = self.order::<{ order([0, 3, 1, 0]) }>(self.last_of(b, z));
        let z2z1z3z2 = self.order::<{ order([2, 1, 3, 2]) }>(z);
        let b2b1b3b2 = self.order::<{ order([2, 1, 3, 2]) }>(b);
        let c0c1 = self.add_32(self.mul_pairs(a01, b0z3b1b0), self.mul_pairs(a23, z2z1z3z2));
        let c2c3 = self.add_32(self.mul_pairs(a01, b2b1b3b2), self.mul_pairs(a23, b0z3b1b0));
        [c0c1, c2c3]
    }
}

/// Returns the bytes in the order of [`Lanes16::order`], for instructions that select bytes.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
pub(crate) const fn bytes(order: u8) -> [u8; 16] {
    let mut bytes = [0; 16];
    let mut i = 0;
    while i < 16 {
        bytes[i as usize] = i / 8 * 8 + 2 * (order >> (2 * (i % 8 / 2)) & 3) + i % 2;
        i += 1;
    }
    bytes
}

/// Returns the argument of [`Lanes16::order`].
const fn order(lanes: [u8; 4]) -> u8 {
    lanes[0] | lanes[1] << 2 | lanes[2] << 4 | lanes[3] << 6
}

/// These vectors as lanes of the schedule.
#[derive(Clone, Copy)]
pub(crate) struct Narrow<L>(pub(crate) L);

impl<L: Lanes16<W>, const W: usize> Lanes<W> for Narrow<L> {
    type Lane = i16;
    type V = L::V;
    /// Of the even lanes, and of the odd ones.
    type Wide = [L::V; 2];
    const IN_STEP: usize = L::IN_STEP;
    const LOOPS: bool = L::LOOPS;
    /// Slots of four cost fewer operations than two more layers, and half of their latency.
    const SLOT: usize = 4;

    forwarded! {
        splat(x: i16) -> L::V;
        load(lanes: &[i16; W]) -> L::V;
        add(a: L::V, b: L::V) -> L::V;
        sub(a: L::V, b: L::V) -> L::V;
        exchange(block: usize, u: L::V, v: L::V) -> (L::V, L::V);
        mul(a: L::V, by: Factor<L::V>) -> L::V;
        reduced(x: L::V) -> L::V;
        canonical(x: L::V) -> L::V;
    }
    #[inline(always)]
    fn mul_slots(self, a: L::V, b: L::V, gamma: Factor<L::V>) -> L::V {
        let [c0c1, c2c3] = self.0.quartic(a, b, gamma);
        self.0.order::<{ order([0, 2, 1, 3]) }>(self.0.montgomery(c0c1, c2c3))
    }
    #[inline(always)]
    fn prepared(self, degree: usize, b: L::V, gamma: Factor<L::V>) -> [L::V; 2] {
        let l = self.0;
        if degree == 1 {
            // b₀ and 0, and 0 and b₁.
            let (even, odd) = l.exchange(1, b, l.splat(0));
            return [even, l.swap(odd)];
        }
        // For a₀·b₀ + a₁·γ·b₁ and a₀·b₁ + a₁·b₀.
        [l.mul(b, gamma), l.swap(b)]
    }
    #[inline(always)]
    fn no_products(self) -> [L::V; 2] {
        [self.0.splat(0); 2]
    }
    #[inline(always)]
    fn add_products(self, _: usize, sum: [L::V; 2], a: L::V, b: [L::V; 2]) -> [L::V; 2] {
        let l = self.0;
        [l.add_32(sum[0], l.mul_pairs(a, b[0])), l.add_32(sum[1], l.mul_pairs(a, b[1]))]
    }
    #[inline(always)]
    fn montgomery(self, _: usize, sum: [L::V; 2]) -> L::V {
        self.0.montgomery(sum[0], sum[1])
    }
}
