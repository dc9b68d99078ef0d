//! The extension Fp4 = Fp2\[s\] / (s² − ξ) of the base field, with two elements in eight lanes.
//!
//! An element is x₀ + x₁·i + (x₂ + x₃·i)·s, where i² = −1 and ξ = 1 + i; the first has lanes 0 to 3, the second lanes
//! 4 to 7. A coefficient is eight limbs of 52 bits, times 2^416, which is 35 bits more than p: sums need no reduction.
//! The arithmetic is written over [`Octets`], the few operations on vectors that it needs. A plain array of words is
//! one too, so that all of it is tested where the instructions are missing.

use super::constants::{
    BITS, FOLDS, LIMBS, MASK, MINUS_INVERSE_OF_P, MINUS_P, P, RECIPROCAL, above_limbs, limbs, power_of_two,
};
use crate::field::fp;

/// Sums of the halves of products of limbs, with the one of index i times 2^(52·i).
const COLUMNS: usize = 2 * LIMBS;

/// A sum of products of factors up to A·p and B·p is reduced where the sum of A·B is at most this: 2^416 / p rounded
/// down to a power of two.
const MOST: u64 = 1 << 35;

/// The limbs of eight numbers.
pub(super) type Limbs<V> = [V; LIMBS];

/// A vector of eight words of 64 bits.
///
/// One of an instruction set is used only in functions that are compiled for it, because its operations are inlined
/// only there.
pub(super) trait Octets: Copy {
    /// Returns a word in all lanes.
    fn all(word: u64) -> Self;

    /// Returns the vector of these words.
    fn of_lanes(words: [u64; 8]) -> Self;

    /// Returns the words.
    fn to_lanes(self) -> [u64; 8];

    /// Returns self + other modulo 2^64.
    fn plus(self, other: Self) -> Self;

    /// Returns self − other modulo 2^64.
    fn minus(self, other: Self) -> Self;

    /// Returns the bits that both have.
    fn and(self, other: Self) -> Self;

    /// Returns the bits that one of them has.
    fn or(self, other: Self) -> Self;

    /// Returns each word shifted to the right.
    fn right<const BITS: u32>(self) -> Self;

    /// Returns each word shifted to the left.
    fn left<const BITS: u32>(self) -> Self;

    /// Returns self plus the low 52 bits of the product of the low 52 bits of a and b.
    fn plus_low(self, a: Self, b: Self) -> Self;

    /// Returns self plus bits 52 to 103 of the product of the low 52 bits of a and b.
    fn plus_high(self, a: Self, b: Self) -> Self;

    /// Returns in lane i the lane whose number is octal digit i of `FROM`, from the lowest digit on.
    fn permute<const FROM: u32>(self) -> Self;

    /// Returns the lanes of `other` where the bit of `MASK` is 1, those of self where it is 0.
    fn select<const MASK: u8>(self, other: Self) -> Self;

    /// Returns what [`dot`] does, by a function that need not be inlined.
    fn dot<const N: usize>(factors: [[&Limbs<Self>; 2]; N]) -> Limbs<Self>;
}

/// Two elements: each coefficient is at most K·p, and each limb at most L·(2^52 − 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Octet<V, const L: u64, const K: u64>(Limbs<V>);

/// Two elements whose limbs have been carried, so that they can be multiplied: each coefficient is at most K·p.
///
/// Only the low 52 bits of a limb count, which a product reads; the bits above have been added to the next limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor<V, const K: u64>(Limbs<V>);

/// A sum of products.
pub(super) type Reduced<V> = Octet<V, 2, 9>;

/// What can be multiplied.
pub(super) type Operand<V> = Octet<V, 16, 512>;

/// A factor of products that is one of two operands or a multiple of one.
pub(super) type Multiple<V> = Factor<V, 1026>;

/// The square of an operand.
pub(super) type Square<V> = Octet<V, 8, 29>;

/// Returns the number for [`Octets::permute`] that has these digits.
const fn order(from: [u32; 8]) -> u32 {
    let (mut number, mut i) = (0, 0);
    while i < 8 {
        number |= from[i] << (3 * i);
        i += 1;
    }
    number
}

const IN_ORDER: u32 = order([0, 1, 2, 3, 4, 5, 6, 7]);
const SWAP_FP: u32 = order([1, 0, 3, 2, 5, 4, 7, 6]);
const SWAP_FP2: u32 = order([2, 3, 0, 1, 6, 7, 4, 5]);
const SWAP_BOTH: u32 = order([3, 2, 1, 0, 7, 6, 5, 4]);
const SWAP_FP4: u32 = order([4, 5, 6, 7, 0, 1, 2, 3]);
const LOW_TWICE: u32 = order([0, 1, 2, 3, 0, 1, 2, 3]);
const HIGH_TWICE: u32 = order([4, 5, 6, 7, 4, 5, 6, 7]);

/// All lanes, and lanes 4 to 7.
const ALL: u8 = 0b1111_1111;
const HIGH: u8 = 0b1111_0000;

impl<V: Octets, const L: u64, const K: u64> Octet<V, L, K> {
    /// Returns 0.
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Octet([V::all(0); LIMBS])
    }

    /// Returns the same elements with weaker bounds.
    #[inline(always)]
    pub(super) fn widen<const LO: u64, const KO: u64>(&self) -> Octet<V, LO, KO> {
        const { assert!(LO >= L && KO >= K) };
        Octet(self.0)
    }

    /// Returns self + other.
    #[inline(always)]
    pub(super) fn plus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Octet<V, L2, K2>,
    ) -> Octet<V, LO, KO> {
        const { assert!(LO >= L + L2 && KO >= K + K2) };
        Octet(each_limb(|i| self.0[i].plus(other.0[i])))
    }

    /// Returns self − other.
    #[inline(always)]
    pub(super) fn minus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Octet<V, L2, K2>,
    ) -> Octet<V, LO, KO> {
        const { assert!(LO > L + L2 && KO > K + K2) };
        let above = const { above_limbs(L2, K2) };
        Octet(each_limb(|i| self.0[i].plus(V::all(above[i]).minus(other.0[i]))))
    }

    /// Returns the lanes of −self where the bit of `MASK` is 1, of self where it is 0.
    #[inline(always)]
    pub(super) fn negate_in<const MASK: u8, const LO: u64, const KO: u64>(&self) -> Octet<V, LO, KO> {
        const { assert!(LO > L && KO > K) };
        let above = const { above_limbs(L, K) };
        Octet(each_limb(|i| self.0[i].select::<MASK>(V::all(above[i]).minus(self.0[i]))))
    }

    /// Returns the lanes in the order `FROM` ([`Octets::permute`]).
    #[inline(always)]
    fn permute<const FROM: u32>(&self) -> Self {
        Octet(each_limb(|i| self.0[i].permute::<FROM>()))
    }

    /// Returns the lanes in the order `FROM`, plus or minus, in the lanes of these masks, those in the order `MORE`.
    #[inline(always)]
    fn combine<
        const FROM: u32,
        const MORE: u32,
        const PLUS: u8,
        const MINUS: u8,
        const LO: u64,
        const KO: u64,
    >(
        &self,
    ) -> Octet<V, LO, KO> {
        const { assert!(LO > 2 * L && KO > 2 * K && PLUS & MINUS == 0) };
        let above = const { above_limbs(L, K) };
        let mut sums = self.0;
        // The body is too large to be inlined as a closure.
        for (sum, above) in sums.iter_mut().zip(above) {
            let (lanes, more) = (sum.permute::<FROM>(), sum.permute::<MORE>());
            *sum = lanes;
            if PLUS != 0 {
                *sum = sum.select::<PLUS>(lanes.plus(more));
            }
            if MINUS != 0 {
                *sum = sum.select::<MINUS>(lanes.plus(V::all(above).minus(more)));
            }
        }
        Octet(sums)
    }

    /// Returns the elements in the other order.
    #[inline(always)]
    pub(super) fn swap(&self) -> Self {
        self.permute::<SWAP_FP4>()
    }

    /// Returns the first element twice.
    #[inline(always)]
    pub(super) fn low_twice(&self) -> Self {
        self.permute::<LOW_TWICE>()
    }

    /// Returns the second element twice.
    #[inline(always)]
    pub(super) fn high_twice(&self) -> Self {
        self.permute::<HIGH_TWICE>()
    }

    /// Returns the first element of self and the second of `other`.
    #[inline(always)]
    pub(super) fn with_high(&self, other: &Self) -> Self {
        Octet(each_limb(|i| self.0[i].select::<HIGH>(other.0[i])))
    }

    /// Returns s times the elements.
    #[inline(always)]
    pub(super) fn s_times<const LO: u64, const KO: u64>(&self) -> Octet<V, LO, KO> {
        self.combine::<SWAP_FP2, SWAP_BOTH, 0b0010_0010, 0b0001_0001, LO, KO>()
    }

    /// Returns i times the elements.
    #[inline(always)]
    pub(super) fn i_times<const LO: u64, const KO: u64>(&self) -> Octet<V, LO, KO> {
        self.permute::<SWAP_FP>().negate_in::<0b0101_0101, LO, KO>()
    }

    /// Returns the elements in limbs of little more than 52 bits.
    #[inline(always)]
    pub(super) fn settle(&self) -> Octet<V, 2, K> {
        const { assert!(L < 1 << 11 && K < 1 << 30) };
        Octet(settled(&self.0))
    }

    /// Carries between limbs, for a multiplication.
    #[inline(always)]
    pub(super) fn carry(&self) -> Factor<V, K> {
        // The highest limb has less than 52 bits, with K·p below 2^416.
        const { assert!(L < 1 << 11 && K < 1 << 30) };
        let mut limbs = self.0;
        for i in 1..LIMBS {
            limbs[i] = limbs[i].plus(limbs[i - 1].right::<BITS>());
        }
        Factor(limbs)
    }

    /// Returns the elements below 2·p, in limbs of 52 bits.
    #[inline(always)]
    pub(super) fn reduce(&self) -> Octet<V, 1, 2> {
        // The quotient by p from limb 7 and what limb 6 carries into it. The lower limbs could carry less than L + 1
        // into limb 6, and so at most 1 on. It is never too large, and the rest is below (1 + 2^-15)·p.
        const { assert!(L < 1 << 10 && K < 1 << 10) };
        let mut limbs = self.0;
        let top = limbs[LIMBS - 1].plus(limbs[LIMBS - 2].right::<BITS>());
        let quotient = V::all(0).plus_high(top, V::all(RECIPROCAL));
        // The rest modulo 2^416: the quotient times 2^416 − p is added.
        for i in 0..LIMBS {
            limbs[i] = limbs[i].plus_low(quotient, V::all(MINUS_P[i]));
        }
        for i in 1..LIMBS {
            limbs[i] = limbs[i].plus_high(quotient, V::all(MINUS_P[i - 1]));
        }
        for i in 1..LIMBS {
            limbs[i] = limbs[i].plus(limbs[i - 1].right::<BITS>());
            limbs[i - 1] = limbs[i - 1].and(V::all(MASK));
        }
        limbs[LIMBS - 1] = limbs[LIMBS - 1].and(V::all(MASK));
        Octet(limbs)
    }

    /// Returns the coefficients in the Montgomery form of blst.
    #[inline(always)]
    pub(super) fn export(&self) -> [fp::Words; 8] {
        let product: Reduced<V> = dot([(&self.carry(), &Factor::<V, 1>::constant(&POWERS.export))]);
        let mut words = [[0; 6]; 8];
        for (i, limb) in product.reduce().0.iter().enumerate() {
            let (word, bit) = (i * BITS as usize / 64, i * BITS as usize % 64);
            for (words, limb) in words.iter_mut().zip(limb.to_lanes()) {
                words[word] |= limb << bit;
                // The highest limb ends before the last word does.
                if bit + BITS as usize > 64 && word < 5 {
                    words[word + 1] |= limb >> (64 - bit);
                }
            }
        }
        // Below 2·p.
        words.map(|words| fp::add(&words, &[0; 6]))
    }
}

impl<V: Octets> Operand<V> {
    /// Returns the multiples by 1, i, s and i·s.
    #[inline(always)]
    pub(super) fn multiples(&self) -> [Multiple<V>; 4] {
        let i: Octet<V, 17, 513> = self.i_times();
        let s: Octet<V, 33, 1025> = self.s_times();
        let i_s: Octet<V, 34, 1026> = s.i_times();
        [self.carry().widen(), i.carry().widen(), s.carry().widen(), i_s.carry()]
    }

    /// Returns the products of the first elements and of the second ones.
    #[inline(always)]
    pub(super) fn times(&self, other: &Self) -> Reduced<V> {
        let other = other.carry();
        let [x, i, s, i_s] = self.multiples();
        dot([
            (&x, &other.permute::<{ order([0, 0, 0, 0, 4, 4, 4, 4]) }>()),
            (&i, &other.permute::<{ order([1, 1, 1, 1, 5, 5, 5, 5]) }>()),
            (&s, &other.permute::<{ order([2, 2, 2, 2, 6, 6, 6, 6]) }>()),
            (&i_s, &other.permute::<{ order([3, 3, 3, 3, 7, 7, 7, 7]) }>()),
        ])
    }

    /// Returns the squares.
    ///
    /// With E = (x₂ + x₃)·(x₂ − x₃) and F = 2·x₂·x₃ the coefficients are (x₀ + x₁)·(x₀ − x₁) + E − F, 2·x₀·x₁ + F + E,
    /// 2·x₀·x₂ − 2·x₁·x₃ and 2·x₀·x₃ + 2·x₁·x₂: two products in each lane.
    #[inline(always)]
    pub(super) fn squares(&self) -> Square<V> {
        let a =
            self.sums::<{ order([0, 0, 0, 0, 4, 4, 4, 4]) }, { order([1, 0, 0, 0, 5, 4, 4, 4]) }, ALL, 0>();
        let b = self.sums::<IN_ORDER, SWAP_FP, 0, 0b0001_0001>();
        let c =
            self.sums::<{ order([2, 3, 3, 2, 6, 7, 7, 6]) }, { order([3, 3, 3, 2, 7, 7, 7, 6]) }, ALL, 0>();
        let d = self.sums::<{ order([2, 2, 1, 1, 6, 6, 5, 5]) }, SWAP_BOTH, 0, 0b0001_0001>();
        square(&dot([(&a, &b)]), &dot([(&c, &d)]))
    }

    /// Returns the squares of two elements that are the same: as [`Octet::squares`], with the second products in the
    /// upper lanes.
    #[inline(always)]
    pub(super) fn square_of_same(&self) -> Square<V> {
        let a =
            self.sums::<{ order([0, 0, 0, 0, 2, 3, 3, 2]) }, { order([1, 0, 0, 0, 3, 3, 3, 2]) }, ALL, 0>();
        let b = self
            .sums::<{ order([0, 1, 2, 3, 2, 2, 1, 1]) }, { order([1, 0, 0, 0, 3, 0, 0, 0]) }, 0, 0b0001_0001>(
            );
        let products = dot([(&a, &b)]);
        square(&products.low_twice(), &products.high_twice())
    }

    /// Returns s times the square of the second element, and the square of the first one.
    ///
    /// The coefficients of s times a square are 2·x₀·(x₂ − x₃) − 2·x₁·(x₂ + x₃), 2·x₀·(x₂ + x₃) + 2·x₁·(x₂ − x₃), and
    /// the first two of the square.
    #[inline(always)]
    pub(super) fn swapped_squares(&self) -> Square<V> {
        let a =
            self.sums::<{ order([4, 4, 4, 4, 0, 0, 0, 0]) }, { order([4, 4, 5, 4, 1, 0, 0, 0]) }, ALL, 0>();
        let b = self.sums::<
            { order([6, 6, 4, 5, 0, 1, 2, 3]) },
            { order([7, 7, 5, 0, 1, 0, 0, 0]) },
            0b0000_0010,
            0b0001_0101,
        >();
        let c =
            self.sums::<{ order([5, 5, 6, 7, 2, 3, 3, 2]) }, { order([5, 5, 7, 7, 3, 3, 3, 2]) }, ALL, 0>();
        let d = self.sums::<
            { order([6, 6, 6, 6, 2, 2, 1, 1]) },
            { order([7, 7, 7, 0, 3, 0, 0, 0]) },
            0b0000_0001,
            0b0001_0110,
        >();
        let (first, second): (_, Reduced<V>) = (dot([(&a, &b)]), dot([(&c, &d)]));
        // E ± F moves to lanes 2 and 3.
        let both: Octet<V, 5, 19> = second.combine::<IN_ORDER, SWAP_FP, 0b0010_1000, 0b0001_0100, 5, 19>();
        both.negate_in::<0b0100_0001, 6, 20>().plus(&first)
    }

    #[inline(always)]
    fn sums<const FROM: u32, const MORE: u32, const PLUS: u8, const MINUS: u8>(&self) -> Multiple<V> {
        let sums: Octet<V, 33, 1025> = self.combine::<FROM, MORE, PLUS, MINUS, 33, 1025>();
        sums.carry().widen()
    }
}

/// Returns the squares whose first and second products are given ([`Octet::squares`]).
#[inline(always)]
fn square<V: Octets>(first: &Reduced<V>, second: &Reduced<V>) -> Square<V> {
    let both: Octet<V, 5, 19> = second.combine::<IN_ORDER, SWAP_FP, 0b0010_0010, 0b0001_0001, 5, 19>();
    both.negate_in::<0b0100_0100, 6, 20>().plus(first)
}

impl<V: Octets> Reduced<V> {
    /// Returns the elements with these coefficients, in the Montgomery form of blst.
    #[inline(always)]
    pub(super) fn import(words: [&fp::Words; 8]) -> Self {
        Self::import_times(words, &Factor::<V, 1>::constant(&POWERS.import))
    }

    /// Returns the factor of [`Octet::import_times`] with these coefficients, in the Montgomery form of blst.
    #[inline(always)]
    pub(super) fn import_factor(words: [&fp::Words; 8]) -> Factor<V, 9> {
        Self::import_times(words, &Factor::<V, 1>::constant(&POWERS.import_factor)).carry()
    }

    /// Returns the elements with these coefficients, in the Montgomery form of blst, times those of a factor for it,
    /// lane by lane.
    #[inline(always)]
    pub(super) fn import_times<const K: u64>(words: [&fp::Words; 8], factor: &Factor<V, K>) -> Self {
        let mut w = [V::all(0); 6];
        for (i, word) in w.iter_mut().enumerate() {
            let [a, b, c, d, e, f, g, h] = words;
            *word = V::of_lanes([a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]]);
        }
        let given: Factor<V, 1> = Factor([
            w[0],
            w[0].right::<52>().or(w[1].left::<12>()),
            w[1].right::<40>().or(w[2].left::<24>()),
            w[2].right::<28>().or(w[3].left::<36>()),
            w[3].right::<16>().or(w[4].left::<48>()),
            w[4].right::<4>(),
            w[4].right::<56>().or(w[5].left::<8>()),
            w[5].right::<44>(),
        ]);
        dot([(&given, &factor.widen::<9>())])
    }

    /// Returns 1 and 1.
    #[inline(always)]
    pub(super) fn one() -> Self {
        let one = V::of_lanes([1, 0, 0, 0, 1, 0, 0, 0]);
        let mask = V::all(0).minus(one);
        Octet(each_limb(|i| V::all(POWERS.one[i]).and(mask)))
    }
}

impl<V: Octets, const K: u64> Factor<V, K> {
    /// Returns the same number in all lanes, which is below p.
    #[inline(always)]
    fn constant(limbs: &[u64; LIMBS]) -> Self {
        Factor(each_limb(|i| V::all(limbs[i])))
    }

    /// Returns the same elements with a weaker bound.
    #[inline(always)]
    pub(super) fn widen<const KO: u64>(&self) -> Factor<V, KO> {
        const { assert!(KO >= K) };
        Factor(self.0)
    }

    /// Returns the lanes in the order `FROM` ([`Octets::permute`]).
    #[inline(always)]
    pub(super) fn permute<const FROM: u32>(&self) -> Self {
        Factor(each_limb(|i| self.0[i].permute::<FROM>()))
    }
}

/// Returns the sum of the products, lane by lane, divided by 2^416.
#[inline(always)]
pub(super) fn dot<V: Octets, const N: usize, const A: u64, const B: u64>(
    factors: [(&Factor<V, A>, &Factor<V, B>); N],
) -> Reduced<V> {
    const { assert!(N > 0 && N <= 4 && N as u64 * A * B <= MOST) };
    let mut limbs = [[&factors[0].0.0; 2]; N];
    for (limbs, (a, b)) in limbs.iter_mut().zip(factors) {
        *limbs = [&a.0, &b.0];
    }
    Octet(V::dot(limbs))
}

/// Returns the sum of the products of up to four pairs of carried limbs, lane by lane, divided by 2^416.
#[inline(always)]
pub(super) fn sum_of_products<V: Octets, const N: usize>(factors: [[&Limbs<V>; 2]; N]) -> Limbs<V> {
    let mut sums = [V::all(0); COLUMNS];
    for [a, b] in factors {
        add_row::<V, 0>(&mut sums, a, b);
        add_row::<V, 1>(&mut sums, a, b);
        add_row::<V, 2>(&mut sums, a, b);
        add_row::<V, 3>(&mut sums, a, b);
        add_row::<V, 4>(&mut sums, a, b);
        add_row::<V, 5>(&mut sums, a, b);
        add_row::<V, 6>(&mut sums, a, b);
        add_row::<V, 7>(&mut sums, a, b);
    }
    let mut upper = [sums[7]; LIMBS + 1];
    upper.copy_from_slice(&sums[7..]);
    fold::<V, 0>(&mut sums, &mut upper);
    fold::<V, 1>(&mut sums, &mut upper);
    fold::<V, 2>(&mut sums, &mut upper);
    fold::<V, 3>(&mut sums, &mut upper);
    fold::<V, 4>(&mut sums, &mut upper);
    fold::<V, 5>(&mut sums, &mut upper);
    fold::<V, 6>(&mut sums, &mut upper);
    upper[0] = upper[0].plus(sums[6].right::<BITS>());
    // A multiple of p, less than 2^52·p, makes column 7 zero (a step of Montgomery's reduction). The low bits of both
    // add up to 2^52, or to 0 where they are 0, so that the carry needs no product. What is left is below the sum of
    // products divided by 2^416, which is at most p, plus 8·p.
    let factor = V::all(0).plus_low(upper[0], V::all(MINUS_INVERSE_OF_P));
    upper[1] = upper[1].plus(upper[0].plus(V::all(MASK)).right::<BITS>());
    for j in 1..LIMBS {
        upper[j] = upper[j].plus_low(factor, V::all(P[j]));
    }
    for j in 0..LIMBS {
        upper[j + 1] = upper[j + 1].plus_high(factor, V::all(P[j]));
    }
    let mut limbs = [upper[1]; LIMBS];
    limbs.copy_from_slice(&upper[1..]);
    settled(&limbs)
}

/// Adds row I of a product, a · b[I].
#[inline(always)]
fn add_row<V: Octets, const I: usize>(sums: &mut [V; COLUMNS], a: &Limbs<V>, b: &Limbs<V>) {
    // The two halves of one column stand eight instructions apart, which are the four cycles that one of them takes.
    for j in 0..LIMBS {
        sums[I + j] = sums[I + j].plus_low(a[j], b[I]);
    }
    for j in 0..LIMBS {
        sums[I + j + 1] = sums[I + j + 1].plus_high(a[j], b[I]);
    }
}

/// Eliminates limb I of the low half: carries it, and adds its low 52 bits times 2^(52·(I − 7)) modulo p to `upper`,
/// whose first column is 7. In units of 2^364 all seven are less than 7·2^52·p.
#[inline(always)]
fn fold<V: Octets, const I: usize>(sums: &mut [V; COLUMNS], upper: &mut [V; LIMBS + 1]) {
    let limb = sums[I];
    if I < 6 {
        sums[I + 1] = sums[I + 1].plus(limb.right::<BITS>());
    }
    for j in 0..LIMBS {
        upper[j] = upper[j].plus_low(limb, V::all(FOLDS[I][j]));
    }
    for j in 0..LIMBS {
        upper[j + 1] = upper[j + 1].plus_high(limb, V::all(FOLDS[I][j]));
    }
}

/// Returns the limbs with the bits above bit 52 of each but the highest moved to the next one.
#[inline(always)]
fn settled<V: Octets>(limbs: &Limbs<V>) -> Limbs<V> {
    each_limb(|i| {
        let low = if i + 1 < LIMBS { limbs[i].and(V::all(MASK)) } else { limbs[i] };
        if i > 0 { low.plus(limbs[i - 1].right::<BITS>()) } else { low }
    })
}

/// Returns limbs by their numbers.
// Closures that `map` and `from_fn` of arrays call are not always inlined into functions of an instruction set.
#[inline(always)]
fn each_limb<V: Octets>(limb: impl Fn(usize) -> V) -> Limbs<V> {
    let mut limbs = [V::all(0); LIMBS];
    for (i, out) in limbs.iter_mut().enumerate() {
        *out = limb(i);
    }
    limbs
}

/// Powers of two modulo p, in limbs.
struct Powers {
    /// 2^416: 1.
    one: [u64; LIMBS],
    /// 2^448: with it a number times 2^384 becomes one times 2^416.
    import: [u64; LIMBS],
    /// 2^480: with it one times 2^384 becomes one times 2^448.
    import_factor: [u64; LIMBS],
    /// 2^384: with it one times 2^416 becomes one times 2^384.
    export: [u64; LIMBS],
}

const POWERS: Powers = Powers {
    one: limbs(&power_of_two(416)),
    import: limbs(&power_of_two(448)),
    import_factor: limbs(&power_of_two(480)),
    export: limbs(&power_of_two(384)),
};
