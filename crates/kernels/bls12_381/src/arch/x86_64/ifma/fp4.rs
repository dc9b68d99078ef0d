//! The extension Fp4 = Fp2\[s\] / (s² − ξ) of the base field, with two elements in eight lanes.
//!
//! An element is x₀ + x₁·i + (x₂ + x₃·i)·s, where i² = −1 and ξ = 1 + i; the first has lanes 0 to 3, the second lanes
//! 4 to 7. A coefficient is eight limbs of 52 bits, times 2^416, which is 35 bits more than p: sums need no reduction.
//! The arithmetic is written over [`Fp4Words`], the few operations on vectors that it needs. A plain array of words is
//! one too, so that all of it is tested where the instructions are missing.

use parcrypt_simd::Call;

use super::constants::{BITS, FOLDS, LIMBS, MASK, MINUS_INVERSE_OF_P, MINUS_P, P, RECIPROCAL, above, limbs};
use crate::field::fp::{self, power_of_two};
use crate::lanes::limbs52::Words52;

/// Bits of a limb, as shifts take them.
const SHIFT: i32 = BITS as i32;

/// Sums of the halves of products of limbs, with the one of index i times 2^(52·i).
const COLUMNS: usize = 2 * LIMBS;

/// A sum of products of factors up to A·p and B·p is reduced where the sum of A·B is at most this: 2^416 / p rounded
/// down to a power of two.
const MAX: u64 = 1 << 35;

/// The limbs of eight numbers.
pub(super) type Limbs<V> = [V; LIMBS];

/// Vectors of eight lanes.
pub(super) trait Fp4Words: Words52 {
    /// Returns the vector of these words.
    #[inline(always)]
    fn of_lanes(words: [u64; 8]) -> Self {
        Self::load(&words)
    }

    /// Returns the words.
    #[inline(always)]
    fn to_lanes(self) -> [u64; 8] {
        let mut words = [0; 8];
        self.store(&mut words);
        words
    }

    /// Returns what [`dot`] does, by a function that is not inlined.
    #[inline(always)]
    fn dot<const N: usize>(factors: [[&Limbs<Self>; 2]; N]) -> Limbs<Self> {
        Self::outlined_52(Dot(factors))
    }
}

impl<W: Words52> Fp4Words for W {}

/// The call of [`sum_of_products`].
struct Dot<'a, V, const N: usize>([[&'a Limbs<V>; 2]; N]);

impl<V: Fp4Words, const N: usize> Call for Dot<'_, V, N> {
    type Result = Limbs<V>;

    #[inline(always)]
    fn call(self) -> Limbs<V> {
        sum_of_products(self.0)
    }
}

/// Two elements: each coefficient is at most K·p, and each limb at most L·(2^52 − 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Fp4Pair<V, const L: u64, const K: u64>(Limbs<V>);

/// Two elements whose limbs have been carried, so that they can be multiplied: each coefficient is at most K·p.
///
/// Only the low 52 bits of a limb count, which a product reads; the bits above have been added to the next limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor<V, const K: u64>(Limbs<V>);

/// A sum of products.
pub(super) type Reduced<V> = Fp4Pair<V, 2, 9>;

/// Two elements within the bounds of a factor.
pub(super) type Operand<V> = Fp4Pair<V, 16, 512>;

/// A factor of products that is one of two operands or a multiple of one.
pub(super) type Multiple<V> = Factor<V, 1026>;

/// The square of an operand.
pub(super) type Square<V> = Fp4Pair<V, 8, 29>;

/// Returns the number for [`Fp4Words::permute`] that has these digits.
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

impl<V: Fp4Words, const L: u64, const K: u64> Fp4Pair<V, L, K> {
    /// Returns 0.
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Fp4Pair([V::all(0); LIMBS])
    }

    /// Returns the same elements with weaker bounds.
    #[inline(always)]
    pub(super) fn widen<const LO: u64, const KO: u64>(&self) -> Fp4Pair<V, LO, KO> {
        const { assert!(LO >= L && KO >= K) };
        Fp4Pair(self.0)
    }

    /// Returns self + other.
    #[inline(always)]
    pub(super) fn plus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Fp4Pair<V, L2, K2>,
    ) -> Fp4Pair<V, LO, KO> {
        const { assert!(LO >= L + L2 && KO >= K + K2) };
        Fp4Pair(each_limb(|i| self.0[i].plus(other.0[i])))
    }

    /// Returns self − other.
    #[inline(always)]
    pub(super) fn minus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Fp4Pair<V, L2, K2>,
    ) -> Fp4Pair<V, LO, KO> {
        const { assert!(LO > L + L2 && KO > K + K2) };
        let above = const { above(L2, K2) };
        Fp4Pair(each_limb(|i| self.0[i].plus(V::all(above[i]).minus(other.0[i]))))
    }

    /// Returns the lanes of −self where the bit of `MASK` is 1, of self if it is 0.
    #[inline(always)]
    pub(super) fn negate_in<const MASK: u8, const LO: u64, const KO: u64>(&self) -> Fp4Pair<V, LO, KO> {
        const { assert!(LO > L && KO > K) };
        let above = const { above(L, K) };
        Fp4Pair(each_limb(|i| self.0[i].select::<MASK>(V::all(above[i]).minus(self.0[i]))))
    }

    /// Returns the lanes in the order `FROM` ([`Fp4Words::permute`]).
    #[inline(always)]
    fn permute<const FROM: u32>(&self) -> Self {
        Fp4Pair(each_limb(|i| self.0[i].permute::<FROM>()))
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
    ) -> Fp4Pair<V, LO, KO> {
        const { assert!(LO > 2 * L && KO > 2 * K && PLUS & MINUS == 0) };
        let above = const { above(L, K) };
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
        Fp4Pair(sums)
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
        Fp4Pair(each_limb(|i| self.0[i].select::<HIGH>(other.0[i])))
    }

    /// Returns s times the elements.
    #[inline(always)]
    pub(super) fn s_times<const LO: u64, const KO: u64>(&self) -> Fp4Pair<V, LO, KO> {
        self.combine::<SWAP_FP2, SWAP_BOTH, 0b0010_0010, 0b0001_0001, LO, KO>()
    }

    /// Returns i times the elements.
    #[inline(always)]
    pub(super) fn i_times<const LO: u64, const KO: u64>(&self) -> Fp4Pair<V, LO, KO> {
        self.permute::<SWAP_FP>().negate_in::<0b0101_0101, LO, KO>()
    }

    /// Returns the elements in limbs of little more than 52 bits.
    #[inline(always)]
    pub(super) fn settle(&self) -> Fp4Pair<V, 2, K> {
        const { assert!(L < 1 << 11 && K < 1 << 30) };
        Fp4Pair(settled(&self.0))
    }

    /// Carries between limbs, for a multiplication.
    #[inline(always)]
    pub(super) fn carry(&self) -> Factor<V, K> {
        // The highest limb has less than 52 bits, with K·p below 2^416.
        const { assert!(L < 1 << 11 && K < 1 << 30) };
        let mut limbs = self.0;
        for i in 1..LIMBS {
            limbs[i] = limbs[i].plus(limbs[i - 1].right::<SHIFT>());
        }
        Factor(limbs)
    }

    /// Returns the elements below 2·p, in limbs of 52 bits.
    #[inline(always)]
    pub(super) fn reduce(&self) -> Fp4Pair<V, 1, 2> {
        // The quotient by p from limb 7, to which the others would carry at most L, less than a hundredth of the
        // highest limb of p. It is never too large, and the rest is below (1 + 2^-15 + 1/100)·p.
        const { assert!(L < 1 << 10 && K < 1 << 10 && 100 * L < P[LIMBS - 1]) };
        let mut limbs = self.0;
        let quotient = V::all(0).plus_high(limbs[LIMBS - 1], V::all(RECIPROCAL));
        // The rest modulo 2^416: the quotient times 2^416 − p is added.
        for i in 0..LIMBS {
            limbs[i] = limbs[i].plus_low(quotient, V::all(MINUS_P[i]));
        }
        for i in 1..LIMBS {
            limbs[i] = limbs[i].plus_high(quotient, V::all(MINUS_P[i - 1]));
        }
        for i in 1..LIMBS {
            limbs[i] = limbs[i].plus(limbs[i - 1].right::<SHIFT>());
            limbs[i - 1] = limbs[i - 1].and(V::all(MASK));
        }
        limbs[LIMBS - 1] = limbs[LIMBS - 1].and(V::all(MASK));
        Fp4Pair(limbs)
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

impl<V: Fp4Words> Operand<V> {
    /// Returns the multiples by 1, i, s and i·s.
    #[inline(always)]
    pub(super) fn multiples(&self) -> [Multiple<V>; 4] {
        let i: Fp4Pair<V, 17, 513> = self.i_times();
        let s: Fp4Pair<V, 33, 1025> = self.s_times();
        let i_s: Fp4Pair<V, 34, 1026> = s.i_times();
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

    /// Returns the squares of two elements that are the same: as [`Fp4Pair::squares`], with the second products in the
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
        let both: Fp4Pair<V, 5, 19> = second.combine::<IN_ORDER, SWAP_FP, 0b0010_1000, 0b0001_0100, 5, 19>();
        both.negate_in::<0b0100_0001, 6, 20>().plus(&first)
    }

    #[inline(always)]
    fn sums<const FROM: u32, const MORE: u32, const PLUS: u8, const MINUS: u8>(&self) -> Multiple<V> {
        let sums: Fp4Pair<V, 33, 1025> = self.combine::<FROM, MORE, PLUS, MINUS, 33, 1025>();
        sums.carry().widen()
    }
}

/// Returns the squares whose first and second products are given ([`Fp4Pair::squares`]).
#[inline(always)]
fn square<V: Fp4Words>(first: &Reduced<V>, second: &Reduced<V>) -> Square<V> {
    let both: Fp4Pair<V, 5, 19> = second.combine::<IN_ORDER, SWAP_FP, 0b0010_0010, 0b0001_0001, 5, 19>();
    both.negate_in::<0b0100_0100, 6, 20>().plus(first)
}

impl<V: Fp4Words> Reduced<V> {
    /// Returns the elements with these coefficients, in the Montgomery form of blst.
    #[inline(always)]
    pub(super) fn import(words: [&fp::Words; 8]) -> Self {
        Self::import_times(words, &Factor::<V, 1>::constant(&POWERS.import))
    }

    /// Returns the factor of [`Fp4Pair::import_times`] with these coefficients, in the Montgomery form of blst.
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
        Fp4Pair(each_limb(|i| V::all(POWERS.one[i]).and(mask)))
    }
}

impl<V: Fp4Words, const K: u64> Factor<V, K> {
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

    /// Returns the lanes in the order `FROM` ([`Fp4Words::permute`]).
    #[inline(always)]
    pub(super) fn permute<const FROM: u32>(&self) -> Self {
        Factor(each_limb(|i| self.0[i].permute::<FROM>()))
    }
}

/// Returns the sum of the products, lane by lane, divided by 2^416.
#[inline(always)]
pub(super) fn dot<V: Fp4Words, const N: usize, const A: u64, const B: u64>(
    factors: [(&Factor<V, A>, &Factor<V, B>); N],
) -> Reduced<V> {
    const { assert!(N > 0 && N <= 4 && N as u64 * A * B <= MAX) };
    let mut limbs = [[&factors[0].0.0; 2]; N];
    for (limbs, (a, b)) in limbs.iter_mut().zip(factors) {
        *limbs = [&a.0, &b.0];
    }
    Fp4Pair(V::dot(limbs))
}

/// Returns the sum of the products of up to four pairs of carried limbs, lane by lane, divided by 2^416.
#[inline(always)]
pub(super) fn sum_of_products<V: Fp4Words, const N: usize>(factors: [[&Limbs<V>; 2]; N]) -> Limbs<V> {
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
    upper[0] = upper[0].plus(sums[6].right::<SHIFT>());
    // A multiple of p, less than 2^52·p, makes column 7 zero (a step of Montgomery's reduction). The low bits of both
    // add up to 2^52, or to 0 where they are 0, so that the carry needs no product. What is left is below the sum of
    // products divided by 2^416, which is at most p, plus 8·p.
    let factor = V::all(0).plus_low(upper[0], V::all(MINUS_INVERSE_OF_P));
    upper[1] = upper[1].plus(upper[0].plus(V::all(MASK)).right::<SHIFT>());
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
fn add_row<V: Fp4Words, const I: usize>(sums: &mut [V; COLUMNS], a: &Limbs<V>, b: &Limbs<V>) {
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
fn fold<V: Fp4Words, const I: usize>(sums: &mut [V; COLUMNS], upper: &mut [V; LIMBS + 1]) {
    let limb = sums[I];
    if I < 6 {
        sums[I + 1] = sums[I + 1].plus(limb.right::<SHIFT>());
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
fn settled<V: Fp4Words>(limbs: &Limbs<V>) -> Limbs<V> {
    each_limb(|i| {
        let low = if i + 1 < LIMBS { limbs[i].and(V::all(MASK)) } else { limbs[i] };
        if i > 0 { low.plus(limbs[i - 1].right::<SHIFT>()) } else { low }
    })
}

/// Returns limbs by their numbers.
// Closures that `map` and `from_fn` of arrays call are not always inlined into functions of an instruction set.
#[inline(always)]
fn each_limb<V: Fp4Words>(limb: impl Fn(usize) -> V) -> Limbs<V> {
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

#[cfg(test)]
pub(super) mod bounds;

#[cfg(test)]
pub(super) mod tests {
    use std::array;

    use ark_bls12_381::{Fq, Fq2};
    use ark_ff::{Field, Zero};
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::rng;

    use super::*;
    use crate::lanes::Words;

    /// Limbs of one lane.
    type Lane = [u64; LIMBS];

    /// An element of Fp4.
    type Fq4 = [Fq2; 2];

    const XI: Fq2 = Fq2::new(Fq::ONE, Fq::ONE);

    /// Returns the integer modulo p.
    fn value(lane: &Lane) -> Fq {
        lane.iter().rev().fold(Fq::zero(), |sum, limb| sum * Fq::from(1u64 << BITS) + Fq::from(*limb))
    }

    /// Returns 2^416, by which products are divided.
    fn r() -> Fq {
        Fq::from(2u64).pow([416])
    }

    /// Returns the product in Fp4, by its definition.
    fn times([a, b]: Fq4, [c, d]: Fq4) -> Fq4 {
        [a * c + XI * b * d, a * d + b * c]
    }

    /// Returns limbs within the bounds: extreme ones, and others.
    fn lanes_within(rng: &mut impl RngCore, l: u64, k: u64) -> Vec<Lane> {
        // With a highest limb up to this, the value is below k·p whatever the others are.
        let most: Lane = array::from_fn(|i| if i + 1 < LIMBS { l * MASK } else { k * P[i] - l });
        let mut all = vec![[0; LIMBS], most];
        all.extend((0..LIMBS).map(|i| array::from_fn(|j| if j == i { most[j] } else { 0 })));
        all.extend((0..LIMBS).map(|i| array::from_fn(|j| if j == i { 0 } else { most[j] })));
        // Multiples of p in full limbs, where the bounds allow these.
        all.extend((1..=k.min(l)).rev().take(6).map(|multiple| P.map(|limb| multiple * limb)));
        while all.len() < 64 {
            let all_or_nothing = all.len() % 3 == 0;
            all.push(array::from_fn(|i| match rng.random() {
                _ if !all_or_nothing => rng.random_range(0..=most[i]),
                true => most[i],
                false => most[i] & 7,
            }));
        }
        all
    }

    #[inline(always)]
    fn pair<V: Fp4Words, const L: u64, const K: u64>(lanes: &[Lane]) -> Fp4Pair<V, L, K> {
        Fp4Pair(array::from_fn(|i| V::of_lanes(array::from_fn(|lane| lanes[lane][i]))))
    }

    /// Returns all eight coefficients, after a check of the bounds.
    #[inline(always)]
    fn values<V: Fp4Words, const L: u64, const K: u64>(pair: &Fp4Pair<V, L, K>) -> [Fq; 8] {
        let limbs = pair.0.map(V::to_lanes);
        array::from_fn(|lane| {
            let lane: Lane = array::from_fn(|i| limbs[i][lane]);
            assert!(lane.iter().all(|limb| *limb <= L * MASK), "{L} {lane:x?}");
            // The lane less 1, minus the bound, carried through; the last limb has the sign.
            let difference = lane.iter().zip(&P).fold(-1 << BITS, |carry: i128, (limb, p)| {
                (carry >> BITS) + i128::from(*limb) - i128::from(K) * i128::from(*p)
            });
            assert!(difference < 0, "{K} {lane:x?}");
            value(&lane)
        })
    }

    /// Returns both elements.
    #[inline(always)]
    fn elements<V: Fp4Words, const L: u64, const K: u64>(pair: &Fp4Pair<V, L, K>) -> [Fq4; 2] {
        let [a, b, c, d, e, f, g, h] = values(pair);
        [[Fq2::new(a, b), Fq2::new(c, d)], [Fq2::new(e, f), Fq2::new(g, h)]]
    }

    /// Checks a sum of N products of extreme limbs and others.
    #[inline(always)]
    fn sums<V: Fp4Words, const N: usize, const L: u64, const K: u64>(rng: &mut impl RngCore) {
        let (x, y) = (lanes_within(rng, L, K), lanes_within(rng, L, K));
        // The first are all extremes at once.
        for step in 0..16 {
            let pick = |list: &[Lane], i: usize, stride: usize| -> Fp4Pair<V, L, K> {
                let lane = |lane| if step == 0 { 1 } else { (step * 4 + (8 * i + lane) * stride) % 64 };
                pair(&array::from_fn::<_, 8, _>(|i| list[lane(i)]))
            };
            let (a, b): ([_; N], [_; N]) =
                (array::from_fn(|i| pick(&x, i, 1)), array::from_fn(|i| pick(&y, i, 7)));
            let (carried_a, carried_b) = (a.map(|a| a.carry()), b.map(|b| b.carry()));
            let found = values(&dot(array::from_fn::<_, N, _>(|i| (&carried_a[i], &carried_b[i]))));
            let (a, b) = (a.map(|a| values(&a)), b.map(|b| values(&b)));
            for lane in 0..8 {
                let expected: Fq = (0..N).map(|i| a[i][lane] * b[i][lane]).sum();
                assert_eq!(found[lane] * r(), expected, "{N} products, lane {lane}");
            }
        }
    }

    /// Checks the operations of vectors with those of the model, and all others with arkworks.
    #[inline(always)]
    pub(crate) fn agrees_with_arkworks<V: Fp4Words>() {
        let mut rng = rng();
        let rng = &mut rng;
        for _ in 0..20 {
            let words: [[u64; 8]; 3] = rng.random();
            let ([x, y, z], [a, b, c]) = (words.map(V::of_lanes), words);
            assert_eq!([x, y, z].map(V::to_lanes), words);
            assert_eq!(V::all(a[0]).to_lanes(), [a[0]; 8]);
            assert_eq!([x.plus(y), x.minus(y)].map(V::to_lanes), [a.plus(b), a.minus(b)]);
            assert_eq!([x.and(y), x.or(y)].map(V::to_lanes), [a.and(b), a.or(b)]);
            assert_eq!([x.right::<28>(), x.left::<36>()].map(V::to_lanes), [a.right::<28>(), a.left::<36>()]);
            let sums = [x.plus_low(y, z), x.plus_high(y, z)];
            assert_eq!(sums.map(V::to_lanes), [a.plus_low(b, c), a.plus_high(b, c)]);
            assert_eq!(x.permute::<0o25016374>().to_lanes(), a.permute::<0o25016374>());
            assert_eq!(x.select::<0b1001_0110>(y).to_lanes(), a.select::<0b1001_0110>(b));
        }
        sums::<V, 1, 33, 1026>(rng);
        sums::<V, 2, 1, 258>(rng);
        sums::<V, 4, 34, 1026>(rng);
        // The largest factors for which sums are reduced.
        sums::<V, 1, 2, 185_363>(rng);
        sums::<V, 4, 2, 92_681>(rng);
        let (x, y) = (lanes_within(rng, 16, 512), lanes_within(rng, 16, 512));
        for (x, y) in x.chunks(8).zip(y.chunks(8)) {
            products::<V>(&pair(x), &pair(y));
        }
        let (x, y) = (lanes_within(rng, 2, 128), lanes_within(rng, 5, 19));
        for (x, y) in x.chunks(8).zip(y.chunks(8)) {
            linear::<V>(&pair(x), &pair(y));
        }
        for x in lanes_within(rng, 1023, 1023).chunks(8) {
            let pair: Fp4Pair<V, 1023, 1023> = pair(x);
            assert_eq!(values(&pair.reduce()), values(&pair));
            assert_eq!(values(&pair.settle()), values(&pair));
        }
        for _ in 0..20 {
            let given: [fp::Words; 9] = array::from_fn(|_| {
                let mut words: fp::Words = rng.random();
                words[5] %= crate::constants::P[5];
                words
            });
            let eight: [&fp::Words; 8] = array::from_fn(|i| &given[i]);
            let imported = Reduced::<V>::import(eight);
            assert_eq!(imported.export().each_ref(), eight);
            let of_words = |words: &fp::Words| Fq::from(ark_ff::BigInt(*words));
            let over_r = Fq::from(2u64).pow([384]).inverse().unwrap();
            assert_eq!(values(&imported), eight.map(|words| of_words(words) * over_r * r()));
            let factor = Reduced::<V>::import_factor([&given[8]; 8]);
            let found = Reduced::<V>::import_times(eight, &factor).export();
            assert_eq!(
                found.map(|words| of_words(&words)),
                eight.map(|words| of_words(words) * of_words(&given[8]) * over_r)
            );
        }
        let zero = Fq2::zero();
        assert_eq!(elements(&Reduced::<V>::one()), [[Fq2::new(r(), Fq::zero()), zero]; 2]);
    }

    /// Checks products and squares.
    #[inline(always)]
    fn products<V: Fp4Words>(x: &Operand<V>, y: &Operand<V>) {
        let r = Fq2::new(r(), Fq::zero());
        let times_r = |found: [Fq4; 2]| found.map(|x| x.map(|x| x * r));
        let ([a, b], [c, d]) = (elements(x), elements(y));
        assert_eq!(times_r(elements(&x.times(y))), [times(a, c), times(b, d)]);
        assert_eq!(times_r(elements(&x.squares())), [times(a, a), times(b, b)]);
        assert_eq!(times_r(elements(&x.low_twice().square_of_same())), [times(a, a); 2]);
        let s = [Fq2::zero(), Fq2::ONE];
        assert_eq!(times_r(elements(&x.swapped_squares())), [times(s, times(b, b)), times(a, a)]);
    }

    /// Checks what needs no product.
    #[inline(always)]
    fn linear<V: Fp4Words>(x: &Fp4Pair<V, 2, 128>, y: &Fp4Pair<V, 5, 19>) {
        let ([a, b], [c, d]) = (elements(x), elements(y));
        let (s, i) = ([Fq2::zero(), Fq2::ONE], [Fq2::new(Fq::zero(), Fq::ONE), Fq2::zero()]);
        assert_eq!(elements(&x.s_times::<5, 257>()), [times(s, a), times(s, b)]);
        assert_eq!(elements(&x.i_times::<3, 129>()), [times(i, a), times(i, b)]);
        assert_eq!(elements(&x.swap()), [b, a]);
        assert_eq!([x.low_twice(), x.high_twice()].map(|x| elements(&x)), [[a, a], [b, b]]);
        assert_eq!(elements(&x.with_high(&x.swap())), [a, a]);
        let sum = |[a, b]: Fq4, [c, d]: Fq4| [a + c, b + d];
        let minus = |x: Fq4| x.map(|x| -x);
        assert_eq!(elements(&x.plus::<_, _, 7, 147>(y)), [sum(a, c), sum(b, d)]);
        assert_eq!(elements(&x.minus::<_, _, 8, 148>(y)), [sum(a, minus(c)), sum(b, minus(d))]);
        assert_eq!(elements(&y.negate_in::<0b0000_1111, 6, 20>()), [minus(c), d]);
        assert_eq!(elements(&y.negate_in::<0b1100_0000, 6, 20>()), [c, [d[0], -d[1]]]);
    }

    #[test]
    fn pairs_of_the_model_agree_with_arkworks() {
        agrees_with_arkworks::<[u64; 8]>();
    }
}
