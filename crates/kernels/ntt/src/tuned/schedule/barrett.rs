//! Vectors of four registers, for instruction sets with the rounded upper half of a doubled product: once for lanes of
//! 16 bits modulo 3329 and of 32 bits modulo 8380417.
//!
//! Products by constants are Barrett's, of three instructions: Becker, Hwang, Kannwischer, Yang and Yang, *Neon NTT*,
//! TCHES 2022/1, algorithm 10 (<https://eprint.iacr.org/2021/986>). Four registers of slots are transposed, so that
//! their products need no instruction that moves lanes.

use super::{Lanes, Pair};

/// The blocks after which sums are reduced, for [`Tables::barrett`](super::Tables::barrett).
pub(crate) const REDUCE_SMALL: [usize; 2] = [2 | 8, 8];
pub(crate) const REDUCE_ML_KEM: [usize; 2] = [4 | 32, 16];
pub(crate) const REDUCE_ML_DSA: [usize; 2] = [0, 0];

/// Registers of `W` / 4 lanes, signed unless documented otherwise. Arithmetic is modulo 2^16 or 2^32, and modulo twice
/// the bits in accumulators.
pub(crate) trait Registers<const W: usize>: Copy {
    /// A lane: `i16` or `i32`.
    type Lane: Copy + Default + 'static;
    /// A register.
    type Register: Copy;
    /// The products of two registers: as many lanes, each of twice the width.
    type Accumulator: Copy;

    /// The modulus.
    const Q: Self::Lane;
    /// q^−1.
    const INVERSE: Self::Lane;
    /// Whether a factor in slots is reduced, so that the products of slots are smaller.
    const REDUCE_SLOTS: bool;

    fn splat(self, x: Self::Lane) -> Self::Register;
    fn load(self, lanes: &[Self::Lane; W]) -> [Self::Register; 4];
    fn add(self, a: Self::Register, b: Self::Register) -> Self::Register;
    fn sub(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The lower half of the product.
    fn mul_low(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The product divided by 2^15 or 2^31 and rounded.
    fn mul_round(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// x − a·b.
    fn sub_product(self, x: Self::Register, a: Self::Register, b: Self::Register) -> Self::Register;
    /// About x / q, rounded.
    fn quotient(self, x: Self::Register) -> Self::Register;
    /// The smaller one, both as unsigned numbers.
    fn min_unsigned(self, a: Self::Register, b: Self::Register) -> Self::Register;

    /// Returns two registers, cut into blocks of `block` lanes: the even blocks of both, and the odd blocks of both.
    fn exchange(self, block: usize, u: Self::Register, v: Self::Register)
    -> (Self::Register, Self::Register);
    /// The even lanes of both, and the odd lanes of both.
    fn unzip(self, a: Self::Register, b: Self::Register) -> (Self::Register, Self::Register);
    /// The reverse of [`Registers::unzip`].
    fn zip(self, even: Self::Register, odd: Self::Register) -> (Self::Register, Self::Register);

    /// a·b.
    fn wide(self, a: Self::Register, b: Self::Register) -> Self::Accumulator;
    /// x + a·b.
    fn add_wide(self, x: Self::Accumulator, a: Self::Register, b: Self::Register) -> Self::Accumulator;
    /// x − a·b.
    fn sub_wide(self, x: Self::Accumulator, a: Self::Register, b: Self::Register) -> Self::Accumulator;
    /// The lower halves of the lanes, and the upper halves.
    fn halves(self, x: Self::Accumulator) -> (Self::Register, Self::Register);

    /// Returns the product by a constant, up to q/2 + |a|·q / R, R = 2^16 or 2^32.
    ///
    /// `companion` differs from value·R/2 / q by at most 1/2, so a·companion / (R/2) from a·value / q by |a| / R.
    #[inline(always)]
    fn mul(self, a: Self::Register, by: Pair<Self::Register>) -> Self::Register {
        let quotient = self.mul_round(a, by.companion);
        self.sub_product(self.mul_low(a, by.value), quotient, self.splat(Self::Q))
    }

    /// Returns the same residue: up to q/2 + 0.16·q·|x| / 2^15 in 16 bits; up to 3/4·q in 32 bits, of a value below
    /// 2^31 − 2^22.
    #[inline(always)]
    fn reduced(self, x: Self::Register) -> Self::Register {
        self.sub_product(x, self.quotient(x), self.splat(Self::Q))
    }

    /// Returns the canonical form of values in (−q, q).
    #[inline(always)]
    fn canonical(self, x: Self::Register) -> Self::Register {
        // As an unsigned number a negative x is larger than x + q.
        self.min_unsigned(x, self.add(x, self.splat(Self::Q)))
    }

    /// Returns x / R, up to |x| / R + q/2.
    #[inline(always)]
    fn montgomery(self, x: Self::Accumulator) -> Self::Register {
        let (low, _) = self.halves(x);
        let m = self.mul_low(low, self.splat(Self::INVERSE));
        // The lower halves of x and m·q are equal.
        let (_, high) = self.halves(self.sub_wide(x, m, self.splat(Self::Q)));
        high
    }
}

/// Four registers as a vector of the schedule.
#[derive(Clone, Copy)]
pub(crate) struct Four<L>(pub(crate) L);

/// Two vectors of four registers from the pairs of registers of two.
macro_rules! pairs {
    ($f:expr, $u:ident, $v:ident) => {{
        let f = $f;
        let ((u0, v0), (u1, v1), (u2, v2), (u3, v3)) =
            (f($u[0], $v[0]), f($u[1], $v[1]), f($u[2], $v[2]), f($u[3], $v[3]));
        ([u0, u1, u2, u3], [v0, v1, v2, v3])
    }};
}

impl<L: Registers<W>, const W: usize> Lanes<W> for Four<L> {
    type Lane = L::Lane;
    type V = [L::Register; 4];
    type Wide = [L::Accumulator; 4];
    const IN_STEP: usize = 1;
    const LOOPS: bool = true;
    /// A sum is four accumulators already.
    const SUMS: usize = 1;
    /// Slots of four cost 21 instructions a register with the transpositions, slots of two and one more layer, twice
    /// forward and once back, 24.
    const SLOT: usize = 4;

    #[inline(always)]
    fn splat(self, x: L::Lane) -> Self::V {
        [self.0.splat(x); 4]
    }
    #[inline(always)]
    fn load(self, lanes: &[L::Lane; W]) -> Self::V {
        self.0.load(lanes)
    }
    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        let l = self.0;
        [l.add(a[0], b[0]), l.add(a[1], b[1]), l.add(a[2], b[2]), l.add(a[3], b[3])]
    }
    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        let l = self.0;
        [l.sub(a[0], b[0]), l.sub(a[1], b[1]), l.sub(a[2], b[2]), l.sub(a[3], b[3])]
    }
    #[inline(always)]
    fn exchange(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V) {
        if block == W / 2 {
            ([u[0], u[1], v[0], v[1]], [u[2], u[3], v[2], v[3]])
        } else if block == W / 4 {
            ([u[0], v[0], u[2], v[2]], [u[1], v[1], u[3], v[3]])
        } else {
            pairs!(|u, v| self.0.exchange(block, u, v), u, v)
        }
    }
    #[inline(always)]
    fn mul(self, a: Self::V, by: Pair<Self::V>) -> Self::V {
        let l = self.0;
        let by = |i: usize| Pair { value: by.value[i], companion: by.companion[i] };
        [l.mul(a[0], by(0)), l.mul(a[1], by(1)), l.mul(a[2], by(2)), l.mul(a[3], by(3))]
    }
    #[inline(always)]
    fn reduced(self, x: Self::V) -> Self::V {
        let l = self.0;
        [l.reduced(x[0]), l.reduced(x[1]), l.reduced(x[2]), l.reduced(x[3])]
    }
    #[inline(always)]
    fn canonical(self, x: Self::V) -> Self::V {
        let l = self.0;
        [l.canonical(x[0]), l.canonical(x[1]), l.canonical(x[2]), l.canonical(x[3])]
    }

    #[inline(always)]
    fn mul_slots(self, a: Self::V, b: Self::V, gamma: Pair<Self::V>) -> Self::V {
        let l = self.0;
        let gamma = Pair { value: gamma.value[0], companion: gamma.companion[0] };
        let a = self.slots(a);
        let b = self.slots(b);
        let z = [l.mul(b[1], gamma), l.mul(b[2], gamma), l.mul(b[3], gamma)];
        let b = if L::REDUCE_SLOTS { self.reduced(b) } else { b };
        // With z = γ·(b₁, b₂, b₃):
        // c₀ = a₀·b₀ + a₁·z₃ + a₂·z₂ + a₃·z₁    c₁ = a₀·b₁ + a₁·b₀ + a₂·z₃ + a₃·z₂
        // c₂ = a₀·b₂ + a₁·b₁ + a₂·b₀ + a₃·z₃    c₃ = a₀·b₃ + a₁·b₂ + a₂·b₁ + a₃·b₀
        let sum = |with: [L::Register; 4]| {
            let x = l.add_wide(l.wide(a[0], with[0]), a[1], with[1]);
            l.montgomery(l.add_wide(l.add_wide(x, a[2], with[2]), a[3], with[3]))
        };
        self.registers([
            sum([b[0], z[2], z[1], z[0]]),
            sum([b[1], b[0], z[2], z[1]]),
            sum([b[2], b[1], b[0], z[2]]),
            sum([b[3], b[2], b[1], b[0]]),
        ])
    }

    /// Of two registers of slots of two: the first lanes, the second ones, and twice γ times the second ones.
    #[inline(always)]
    fn prepared(self, degree: usize, b: Self::V, gamma: Pair<Self::V>) -> [Self::V; 2] {
        let l = self.0;
        if degree == 1 {
            return [b, b];
        }
        let two = |i: usize, j: usize| {
            let (b0, b1) = l.unzip(b[i], b[j]);
            let (_, value) = l.unzip(gamma.value[i], gamma.value[j]);
            let (_, companion) = l.unzip(gamma.companion[i], gamma.companion[j]);
            (b0, b1, l.mul(b1, Pair { value, companion }))
        };
        let ((b0, b1, z1), (b2, b3, z3)) = (two(0, 1), two(2, 3));
        [[b0, b1, b2, b3], [z1, z1, z3, z3]]
    }
    #[inline(always)]
    fn no_products(self) -> Self::Wide {
        let zero = self.0.splat(L::Lane::default());
        [self.0.wide(zero, zero); 4]
    }
    #[inline(always)]
    fn add_products(self, degree: usize, sum: Self::Wide, a: Self::V, b: [Self::V; 2]) -> Self::Wide {
        let (l, [b, z]) = (self.0, b);
        if degree == 1 {
            let add = |i: usize| l.add_wide(sum[i], a[i], b[i]);
            return [add(0), add(1), add(2), add(3)];
        }
        let two = |i: usize, j: usize| {
            let (a0, a1) = l.unzip(a[i], a[j]);
            let c0 = l.add_wide(l.add_wide(sum[i], a0, b[i]), a1, z[i]);
            (c0, l.add_wide(l.add_wide(sum[j], a0, b[j]), a1, b[i]))
        };
        let ((c0, c1), (c2, c3)) = (two(0, 1), two(2, 3));
        [c0, c1, c2, c3]
    }
    #[inline(always)]
    fn montgomery(self, degree: usize, sum: Self::Wide) -> Self::V {
        let l = self.0;
        let [c0, c1, c2, c3] =
            [l.montgomery(sum[0]), l.montgomery(sum[1]), l.montgomery(sum[2]), l.montgomery(sum[3])];
        if degree == 1 {
            return [c0, c1, c2, c3];
        }
        let ((c0, c1), (c2, c3)) = (l.zip(c0, c1), l.zip(c2, c3));
        [c0, c1, c2, c3]
    }
}

impl<L> Four<L> {
    /// Returns, of slots of four lanes in order, their first lanes in a register, their second ones, and so on.
    #[inline(always)]
    fn slots<const W: usize>(self, x: [L::Register; 4]) -> [L::Register; 4]
    where
        L: Registers<W>,
    {
        let ((even01, odd01), (even23, odd23)) = (self.0.unzip(x[0], x[1]), self.0.unzip(x[2], x[3]));
        let ((x0, x2), (x1, x3)) = (self.0.unzip(even01, even23), self.0.unzip(odd01, odd23));
        [x0, x1, x2, x3]
    }

    /// Returns the reverse of [`Four::slots`].
    #[inline(always)]
    fn registers<const W: usize>(self, x: [L::Register; 4]) -> [L::Register; 4]
    where
        L: Registers<W>,
    {
        let ((even01, even23), (odd01, odd23)) = (self.0.zip(x[0], x[2]), self.0.zip(x[1], x[3]));
        let ((x0, x1), (x2, x3)) = (self.0.zip(even01, odd01), self.0.zip(even23, odd23));
        [x0, x1, x2, x3]
    }
}
