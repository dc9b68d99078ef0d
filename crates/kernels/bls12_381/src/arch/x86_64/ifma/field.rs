//! Eight elements of the base field at once, one in each 64-bit lane of eight vectors.
//!
//! A vector holds one limb of 52 bits of each element, which is what `vpmadd52` multiplies; eight limbs have 416 bits,
//! 35 more than p. These let sums and differences go without any reduction until they are stored. Elements are in
//! Montgomery form, times R = 2^416.
#![allow(clippy::needless_range_loop, reason = "limb i of one goes with limb i of another, or with the next")]

use std::arch::x86_64::*;
use std::array;

use super::constants::{self, BITS, LIMBS, MASK};
use crate::field::fp::Words;

/// Limb i of each lane in vector i.
pub(super) type Limbs = [__m512i; LIMBS];

/// 64-bit word i of each lane in vector i; each lane is below p.
pub(super) type Columns = [__m512i; 6];

/// An element whose limbs have not been carried: each lane is at most K·p, and each limb at most K·(2^52 − 1).
///
/// K of a sum is the sum of the K of its terms; a difference has one more, for the multiple of p that keeps it
/// positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unreduced<const K: u64>(Limbs);

/// An element whose limbs have been carried, so that it can be multiplied: each lane is at most K·p.
///
/// Only the low 52 bits of a limb count, which `vpmadd52` reads; the bits above have been added to the next limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced<const K: u64>(Limbs);

/// K of a product. Its value is less than 9p, see [`reduce`]; a limb is a sum of up to 31 halves of partial products,
/// 15 of the product and 16 of the reduction, and of a carry that is less than 2^12.
pub(super) const PRODUCT: u64 = 32;

/// A product with factors up to A·p and B·p is reduced where A·B is at most this: 2^416 / p rounded down to a power of
/// two.
const MOST: u64 = 1 << 35;

/// Asserts that the bounds of an element hold, in the unit tests of this crate. With it a commitment takes fifteen
/// times as long, so other tests are without it.
#[inline]
fn check(holds: impl FnOnce() -> bool) {
    if cfg!(test) {
        assert!(holds());
    }
}

impl<const K: u64> Unreduced<K> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn new(limbs: Limbs) -> Self {
        let value = Unreduced(limbs);
        check(|| value.holds());
        value
    }

    /// Returns whether the bounds of the type hold.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn holds(&self) -> bool {
        let small = self.0.iter().all(|limb| _mm512_cmple_epu64_mask(*limb, all(K * MASK)) == u8::MAX);
        small && is_at_most(&self.0, K)
    }

    /// Returns 0.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn zero() -> Self {
        Unreduced::new([_mm512_setzero_si512(); LIMBS])
    }

    /// Returns the same value with weaker bounds.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn widen<const OUT: u64>(self) -> Unreduced<OUT> {
        const { assert!(OUT >= K) };
        Unreduced::new(self.0)
    }

    /// Returns self + other.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn plus<const B: u64, const OUT: u64>(self, other: Unreduced<B>) -> Unreduced<OUT> {
        const { assert!(OUT >= K + B) };
        Unreduced::new(array::from_fn(|i| _mm512_add_epi64(self.0[i], other.0[i])))
    }

    /// Returns self − other.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn minus<const B: u64, const OUT: u64>(self, other: Unreduced<B>) -> Unreduced<OUT> {
        const { assert!(OUT > K + B) };
        let above = const { constants::above(B, B) };
        let above: Limbs = array::from_fn(|i| all(above[i]));
        Unreduced::new(array::from_fn(|i| {
            _mm512_add_epi64(self.0[i], _mm512_sub_epi64(above[i], other.0[i]))
        }))
    }

    /// Returns −self.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn negative<const OUT: u64>(self) -> Unreduced<OUT> {
        const { assert!(OUT > K) };
        let above = const { constants::above(K, K) };
        Unreduced::new(array::from_fn(|i| _mm512_sub_epi64(all(above[i]), self.0[i])))
    }

    /// Returns −self in the lanes of `mask`, self in the others.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn negate_in<const OUT: u64>(self, mask: __mmask8) -> Unreduced<OUT> {
        const { assert!(OUT > K) };
        let above = const { constants::above(K, K) };
        Unreduced::new(array::from_fn(|i| _mm512_mask_sub_epi64(self.0[i], mask, all(above[i]), self.0[i])))
    }

    /// Returns the lanes that are 0, but not those that are another multiple of p.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn zeros(&self) -> __mmask8 {
        let any = self.0[1..].iter().fold(self.0[0], |any, limb| _mm512_or_si512(any, *limb));
        _mm512_testn_epi64_mask(any, any)
    }

    /// Returns the lanes in which the lowest limb is 0, as it is in 0.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn may_be_zeros(&self) -> __mmask8 {
        _mm512_testn_epi64_mask(self.0[0], self.0[0])
    }

    /// Returns `other` in the lanes of `mask`, self in the others.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn or_in(self, mask: __mmask8, other: Self) -> Self {
        Unreduced(array::from_fn(|i| _mm512_mask_mov_epi64(self.0[i], mask, other.0[i])))
    }

    /// Returns twice the value.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn doubled<const OUT: u64>(self) -> Unreduced<OUT> {
        self.plus(self)
    }

    /// Returns self in the lanes of `mask`, 0 in the others.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn only_in(self, mask: __mmask8) -> Self {
        Unreduced(array::from_fn(|i| _mm512_maskz_mov_epi64(mask, self.0[i])))
    }

    /// Returns the lanes of each half in another order: two bits a lane, the lowest first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn permuted<const ORDER: i32>(self) -> Self {
        Unreduced(array::from_fn(|i| _mm512_permutex_epi64::<ORDER>(self.0[i])))
    }

    /// Carries between limbs, for a multiplication.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn carry(self) -> Reduced<K> {
        // A carry is far below 2^52, and the next limb has 64 bits.
        const { assert!(K < 1 << 10) };
        Reduced::new(carried(self.0))
    }

    /// Returns the values modulo p, with limbs of 52 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn canonical(self) -> Unreduced<1> {
        // The quotient by p from limb 7 and what limb 6 carries into it. The lower limbs could carry less than K + 1
        // into limb 6, and so at most 1 on. It is never too large, and the rest is below (1 + 2^-15)·p.
        const { assert!(K < 1 << 10) };
        let top = _mm512_add_epi64(self.0[7], _mm512_srli_epi64::<BITS>(self.0[6]));
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), top, all(constants::RECIPROCAL));
        // The rest modulo 2^416: the quotient times 2^416 − p is added. Each limb stays below 2^63.
        let mut limbs = self.0;
        for i in 0..LIMBS {
            limbs[i] = _mm512_madd52lo_epu64(limbs[i], quotient, all(constants::MINUS_P[i]));
        }
        for i in 1..LIMBS {
            limbs[i] = _mm512_madd52hi_epu64(limbs[i], quotient, all(constants::MINUS_P[i - 1]));
        }
        let carried = carried(limbs);
        for i in 0..LIMBS {
            limbs[i] = _mm512_and_si512(carried[i], all(MASK));
        }
        if _mm512_cmpge_epu64_mask(limbs[7], all(constants::P[7])) != 0 {
            limbs = without_p(limbs);
        }
        Unreduced::new(limbs)
    }

    /// Returns the words of the values modulo p.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn canonical_words(self) -> Columns {
        to_columns(&self.canonical().0)
    }
}

impl Unreduced<1> {
    /// Returns the limbs of words that are below p.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn from_columns(columns: &Columns) -> Self {
        Unreduced::new(to_limbs(columns))
    }

    /// Returns the lanes in which both are the same, limb by limb.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn equals(&self, other: &Self) -> __mmask8 {
        (0..LIMBS).fold(!0, |equal, i| equal & _mm512_cmpeq_epi64_mask(self.0[i], other.0[i]))
    }

    /// Returns the words of limbs of 52 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn columns(&self) -> Columns {
        to_columns(&self.0)
    }

    /// Returns the same element in each lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn constant(words: &Words) -> Self {
        let limbs = constants::limbs(words);
        Unreduced::new(array::from_fn(|i| all(limbs[i])))
    }
}

impl<const K: u64> Reduced<K> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn new(limbs: Limbs) -> Self {
        let value = Reduced(limbs);
        check(|| value.holds());
        value
    }

    /// Returns whether the bounds of the type hold.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn holds(&self) -> bool {
        is_at_most(&self.0.map(|limb| _mm512_and_si512(limb, all(MASK))), K)
    }

    /// Returns the same value with weaker bounds.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn widen<const OUT: u64>(self) -> Reduced<OUT> {
        const { assert!(OUT >= K) };
        Reduced(self.0)
    }

    /// Returns the same value in limbs of 52 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn limbs(&self) -> Unreduced<K> {
        Unreduced::new(array::from_fn(|i| _mm512_and_si512(self.0[i], all(MASK))))
    }

    /// Returns self · other / R.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn times<const B: u64>(&self, other: &Reduced<B>) -> Reduced<PRODUCT> {
        const { assert!(K * B <= MOST) };
        Reduced::new(mul_ifma(&self.0, &other.0))
    }

    /// Returns self · other / R + more.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn times_plus<const B: u64, const C: u64, const OUT: u64>(
        &self,
        other: &Reduced<B>,
        more: &Unreduced<C>,
    ) -> Unreduced<OUT> {
        const { assert!(K * B <= MOST && OUT >= PRODUCT + C && OUT < 1 << 10) };
        Unreduced::new(mul_add_ifma(&self.0, &other.0, &more.0))
    }

    /// Returns self² / R + more.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn square_plus<const C: u64, const OUT: u64>(&self, more: &Unreduced<C>) -> Unreduced<OUT> {
        const { assert!(K * K <= MOST && OUT >= PRODUCT + C && OUT < 1 << 10) };
        Unreduced::new(square_add_ifma(&self.0, &more.0))
    }

    /// Returns the lanes that may be 0 modulo p: all that are, and one in 2^52 / K of the others.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn may_be_zero(&self) -> __mmask8 {
        // k·p gives k.
        let low = _mm512_madd52lo_epu64(_mm512_setzero_si512(), self.0[0], all(constants::INVERSE_OF_P));
        _mm512_cmple_epu64_mask(low, all(K))
    }

    /// Returns `other` in the lanes of `mask`, self in the others.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn or_in(self, mask: __mmask8, other: Self) -> Self {
        Reduced(array::from_fn(|i| _mm512_mask_mov_epi64(self.0[i], mask, other.0[i])))
    }

    /// Returns the lanes of each half in another order: two bits a lane, the lowest first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn permuted<const ORDER: i32>(self) -> Self {
        Reduced(array::from_fn(|i| _mm512_permutex_epi64::<ORDER>(self.0[i])))
    }

    /// Returns lane i ^ `BIT` in lane i, for 1, 2 or 4.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn swap<const BIT: i64>(&self) -> Self {
        let from = _mm512_xor_si512(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(BIT));
        Reduced(self.0.map(|limb| _mm512_permutexvar_epi64(from, limb)))
    }

    /// Returns the words of the values modulo p.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    pub(super) fn canonical_words(&self) -> Columns {
        self.limbs().canonical_words()
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn all(x: u64) -> __m512i {
    _mm512_set1_epi64(x.cast_signed())
}

/// Adds to each limb the bits above bit 52 of the one before, which stay there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn carried(mut limbs: Limbs) -> Limbs {
    for i in 1..LIMBS {
        limbs[i] = _mm512_add_epi64(limbs[i], _mm512_srli_epi64::<BITS>(limbs[i - 1]));
    }
    limbs
}

/// Subtracts p in the lanes that are not below it, from limbs of 52 bits of values below 2p. One value in 2^15 needs
/// it.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn without_p(limbs: Limbs) -> Limbs {
    let mut less = limbs;
    for i in 0..LIMBS {
        less[i] = _mm512_sub_epi64(limbs[i], all(constants::P[i]));
        if i > 0 {
            less[i] = _mm512_add_epi64(less[i], _mm512_srai_epi64::<BITS>(less[i - 1]));
        }
    }
    let below = _mm512_movepi64_mask(less[7]);
    array::from_fn(|i| _mm512_mask_mov_epi64(_mm512_and_si512(less[i], all(MASK)), below, limbs[i]))
}

/// Adds row I of a product, a[I] · b: the lower halves to the columns from I on, the upper ones from the next on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn row<const I: usize>(sums: &mut [__m512i; 16], a: &Limbs, b: &Limbs) {
    // The two halves of one column stand eight instructions apart, which are the four cycles that one of them takes.
    for j in 0..LIMBS {
        sums[I + j] = _mm512_madd52lo_epu64(sums[I + j], a[I], b[j]);
    }
    for j in 0..LIMBS {
        sums[I + j + 1] = _mm512_madd52hi_epu64(sums[I + j + 1], a[I], b[j]);
    }
}

/// Eliminates limb I of the low half: carries it, and adds its low 52 bits times 2^(52·(I − 7)) modulo p to `folded`,
/// whose first column is 7.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn fold<const I: usize>(sums: &mut [__m512i; 16], folded: &mut [__m512i; 9]) {
    let limb = sums[I];
    sums[I + 1] = _mm512_add_epi64(sums[I + 1], _mm512_srli_epi64::<BITS>(limb));
    for j in 0..LIMBS {
        folded[j] = _mm512_madd52lo_epu64(folded[j], limb, all(constants::FOLDS[I][j]));
    }
    for j in 0..LIMBS {
        folded[j + 1] = _mm512_madd52hi_epu64(folded[j + 1], limb, all(constants::FOLDS[I][j]));
    }
}

/// Returns the upper half of the sums after a multiple of p makes column 7 zero (a step of Montgomery's reduction).
///
/// For a product T below 2^35·p²: in units of 2^364 the seven low limbs became less than 7·2^52·p, and the last step
/// adds less than 2^52·p. So the result is less than T / R + 8p, and T / R is less than p.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn reduce(sums: &[__m512i; 16], folded: &[__m512i; 9]) -> Limbs {
    let mut upper: [__m512i; 9] = array::from_fn(|i| _mm512_add_epi64(sums[7 + i], folded[i]));
    let low = upper[0];
    let factor = _mm512_madd52lo_epu64(_mm512_setzero_si512(), low, all(constants::MINUS_INVERSE_OF_P));
    // Its low 52 bits and those of factor · p add up to 2^52, or to 0 where they are 0. So the carry needs no product.
    let carry = _mm512_srli_epi64::<BITS>(_mm512_add_epi64(low, all(MASK)));
    upper[1] = _mm512_add_epi64(upper[1], carry);
    for j in 1..LIMBS {
        upper[j] = _mm512_madd52lo_epu64(upper[j], factor, all(constants::P[j]));
    }
    for j in 0..LIMBS {
        upper[j + 1] = _mm512_madd52hi_epu64(upper[j + 1], factor, all(constants::P[j]));
    }
    array::from_fn(|i| upper[i + 1])
}

/// Returns a · b / R, plus `more` if there is one, not carried.
///
/// An instance has one caller, which is what it takes to be inlined: it is too long for two.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn product<const N: usize>(a: &Limbs, b: &Limbs, more: [&Limbs; N]) -> Limbs {
    let zero = _mm512_setzero_si512();
    let mut sums = [zero; 16];
    let mut folded = [zero; 9];
    for more in more {
        folded[1..].copy_from_slice(more);
    }
    row::<0>(&mut sums, a, b);
    row::<1>(&mut sums, a, b);
    fold::<0>(&mut sums, &mut folded);
    row::<2>(&mut sums, a, b);
    fold::<1>(&mut sums, &mut folded);
    row::<3>(&mut sums, a, b);
    fold::<2>(&mut sums, &mut folded);
    row::<4>(&mut sums, a, b);
    fold::<3>(&mut sums, &mut folded);
    row::<5>(&mut sums, a, b);
    fold::<4>(&mut sums, &mut folded);
    row::<6>(&mut sums, a, b);
    fold::<5>(&mut sums, &mut folded);
    row::<7>(&mut sums, a, b);
    fold::<6>(&mut sums, &mut folded);
    reduce(&sums, &folded)
}

/// Returns a · b / R, carried. Not inlined, like the next two: its 300 instructions should be in the cache of decoded
/// instructions once.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn mul_ifma(a: &Limbs, b: &Limbs) -> Limbs {
    carried(product(a, b, []))
}

/// Returns a · b / R + more, not carried.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn mul_add_ifma(a: &Limbs, b: &Limbs, more: &Limbs) -> Limbs {
    product(a, b, [more])
}

/// Adds row I of a square above its diagonal.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn half_row<const I: usize>(sums: &mut [__m512i; 16], a: &Limbs) {
    for j in I + 1..LIMBS {
        sums[I + j] = _mm512_madd52lo_epu64(sums[I + j], a[I], a[j]);
    }
    for j in I + 1..LIMBS {
        sums[I + j + 1] = _mm512_madd52hi_epu64(sums[I + j + 1], a[I], a[j]);
    }
}

/// Returns a² / R + more, not carried.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn square_add_ifma(a: &Limbs, more: &Limbs) -> Limbs {
    let zero = _mm512_setzero_si512();
    let mut sums = [zero; 16];
    half_row::<0>(&mut sums, a);
    half_row::<1>(&mut sums, a);
    half_row::<2>(&mut sums, a);
    half_row::<3>(&mut sums, a);
    half_row::<4>(&mut sums, a);
    half_row::<5>(&mut sums, a);
    half_row::<6>(&mut sums, a);
    for i in 0..LIMBS {
        sums[2 * i] = _mm512_madd52lo_epu64(_mm512_add_epi64(sums[2 * i], sums[2 * i]), a[i], a[i]);
        let odd = &mut sums[2 * i + 1];
        *odd = _mm512_madd52hi_epu64(_mm512_add_epi64(*odd, *odd), a[i], a[i]);
    }
    let mut folded = [zero; 9];
    folded[1..].copy_from_slice(more);
    fold::<0>(&mut sums, &mut folded);
    fold::<1>(&mut sums, &mut folded);
    fold::<2>(&mut sums, &mut folded);
    fold::<3>(&mut sums, &mut folded);
    fold::<4>(&mut sums, &mut folded);
    fold::<5>(&mut sums, &mut folded);
    fold::<6>(&mut sums, &mut folded);
    reduce(&sums, &folded)
}

/// Returns six words of 64 bits as eight limbs of 52.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn to_limbs(w: &Columns) -> Limbs {
    let mask = all(MASK);
    // (a | b) & mask
    let join = |a, b| _mm512_ternarylogic_epi64::<0xa8>(a, b, mask);
    [
        _mm512_and_si512(w[0], mask),
        join(_mm512_srli_epi64::<52>(w[0]), _mm512_slli_epi64::<12>(w[1])),
        join(_mm512_srli_epi64::<40>(w[1]), _mm512_slli_epi64::<24>(w[2])),
        join(_mm512_srli_epi64::<28>(w[2]), _mm512_slli_epi64::<36>(w[3])),
        join(_mm512_srli_epi64::<16>(w[3]), _mm512_slli_epi64::<48>(w[4])),
        _mm512_and_si512(_mm512_srli_epi64::<4>(w[4]), mask),
        join(_mm512_srli_epi64::<56>(w[4]), _mm512_slli_epi64::<8>(w[5])),
        _mm512_srli_epi64::<44>(w[5]),
    ]
}

/// Returns eight limbs, of which the low 52 bits count, as six words: the inverse of [`to_limbs`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn to_columns(l: &Limbs) -> Columns {
    // a & (2^low − 1) | b
    macro_rules! join {
        ($a:expr, $low:expr, $b:expr) => {
            _mm512_ternarylogic_epi64::<0xf8>($b, $a, all((1 << $low) - 1))
        };
    }
    let shift_5 = join!(_mm512_srli_epi64::<48>(l[4]), 4, _mm512_slli_epi64::<4>(l[5]));
    [
        join!(l[0], 52, _mm512_slli_epi64::<52>(l[1])),
        join!(_mm512_srli_epi64::<12>(l[1]), 40, _mm512_slli_epi64::<40>(l[2])),
        join!(_mm512_srli_epi64::<24>(l[2]), 28, _mm512_slli_epi64::<28>(l[3])),
        join!(_mm512_srli_epi64::<36>(l[3]), 16, _mm512_slli_epi64::<16>(l[4])),
        join!(shift_5, 56, _mm512_slli_epi64::<56>(l[6])),
        join!(_mm512_srli_epi64::<8>(l[6]), 44, _mm512_slli_epi64::<44>(l[7])),
    ]
}

/// Returns whether each lane is at most `bound` · p. Limbs are less than 2^62.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn is_at_most(limbs: &Limbs, bound: u64) -> bool {
    assert!(bound < 1 << 10, "a limb of the bound is less than 2^62");
    // The lane less 1, minus the bound, carried through; the last limb has the sign.
    let mut difference = all(!MASK);
    for (limb, p) in limbs.iter().zip(constants::P) {
        let carry = _mm512_srai_epi64::<BITS>(difference);
        difference = _mm512_sub_epi64(_mm512_add_epi64(carry, *limb), all(bound * p));
    }
    _mm512_movepi64_mask(difference) == u8::MAX
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::Fq;
    use ark_ff::{BigInteger, Field, PrimeField, Zero};
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::rng;

    use super::*;
    use crate::field::fp::power_of_two;

    /// Limbs of one lane.
    type Lane = [u64; LIMBS];

    /// Returns Σ limb · 2^(52·i) modulo p.
    fn value(lane: &Lane) -> Fq {
        lane.iter().rev().fold(Fq::zero(), |sum, limb| sum * Fq::from(1u64 << BITS) + Fq::from(*limb))
    }

    /// Returns sums of `terms` elements below p with the extreme limbs that are possible, and others.
    fn extremes(rng: &mut impl RngCore, terms: u64) -> Vec<Lane> {
        let one = [1, 0, 0, 0, 0, 0, 0, 0];
        let most = constants::limbs(&power_of_two(0)).map(|_| MASK);
        let mut below_p = constants::P;
        below_p[0] -= 1;
        // The largest with full limbs.
        let mut full = most;
        full[7] = constants::P[7] - 1;
        let mut single: Vec<Lane> = vec![[0; LIMBS], one, below_p, full];
        single.extend((0..LIMBS).map(|i| std::array::from_fn(|j| if j == i { full[j] } else { 0 })));
        single.extend((0..LIMBS).map(|i| std::array::from_fn(|j| if j == i { 0 } else { full[j] })));
        single.extend((0..40).map(|_| {
            std::array::from_fn(|i| {
                rng.random_range(0..=full[i]) & if rng.random() { full[i] } else { MASK << 40 }
            })
        }));
        let multiples = single.iter().map(|lane| lane.map(|limb| limb * terms)).collect::<Vec<_>>();
        let mut all = multiples.clone();
        for _ in 0..100 {
            let mut sum = [0; LIMBS];
            for _ in 0..terms {
                let term = single[rng.random_range(0..single.len())];
                sum = std::array::from_fn(|i| sum[i] + term[i]);
            }
            all.push(sum);
        }
        // Multiples of p and their neighbours.
        for k in 1..=terms {
            all.push(constants::P.map(|limb| limb * k));
            let last = all[all.len() - 1];
            for near in if k < terms { vec![1, u64::MAX] } else { vec![u64::MAX] } {
                let mut lane = last;
                lane[0] = lane[0].wrapping_add(near);
                all.push(lane);
            }
        }
        all.truncate(all.len() / 8 * 8);
        all
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn vectors(all: &[Lane]) -> Vec<Limbs> {
        let vector = |lanes: &[Lane]| {
            array::from_fn(|i| {
                let l: [i64; 8] = array::from_fn(|lane| lanes[lane][i].cast_signed());
                _mm512_set_epi64(l[7], l[6], l[5], l[4], l[3], l[2], l[1], l[0])
            })
        };
        all.chunks(8).map(vector).collect()
    }

    /// Returns the limbs of each lane.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn lanes(limbs: &Limbs) -> [[u64; LIMBS]; 8] {
        let rows = limbs.map(|limb| {
            let halves = [_mm512_castsi512_si256(limb), _mm512_extracti64x4_epi64::<1>(limb)];
            let [a, b] = halves.map(|half| {
                [
                    _mm256_extract_epi64::<0>(half),
                    _mm256_extract_epi64::<1>(half),
                    _mm256_extract_epi64::<2>(half),
                    _mm256_extract_epi64::<3>(half),
                ]
            });
            [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]].map(i64::cast_unsigned)
        });
        array::from_fn(|lane| array::from_fn(|i| rows[i][lane]))
    }

    /// Checks that each lane of the result is the function of the same lane of the input.
    #[track_caller]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn check(found: &Limbs, inputs: &[&Limbs], expected: impl Fn(&[Fq]) -> Fq) {
        for lane in 0..8 {
            let inputs: Vec<Fq> = inputs.iter().map(|limbs| value(&lanes(limbs)[lane])).collect();
            assert_eq!(value(&lanes(found)[lane]), expected(&inputs), "lane {lane}");
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn low(limbs: &Limbs) -> Limbs {
        limbs.map(|limb| _mm512_and_si512(limb, all(MASK)))
    }

    /// Checks that the bounds of elements are exact in each lane.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn bounds() {
        let highest = constants::P.map(|limb| 9 * limb);
        assert!(Unreduced::<9>(vectors(&[highest; 8])[0]).holds());
        for lane in 0..8 {
            let mut above = [highest; 8];
            above[lane][0] += 1;
            assert!(!is_at_most(&vectors(&above)[0], 9) && !Unreduced::<9>(vectors(&above)[0]).holds());
            let mut wide = [[0; LIMBS]; 8];
            wide[lane][0] = 9 * MASK + 1;
            assert!(is_at_most(&vectors(&wide)[0], 9) && !Unreduced::<9>(vectors(&wide)[0]).holds());
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn sums() {
        let mut rng = rng();
        let a: Vec<Unreduced<3>> =
            vectors(&extremes(&mut rng, 3)).into_iter().map(|limbs| Unreduced::new(limbs)).collect();
        let b: Vec<Unreduced<9>> =
            vectors(&extremes(&mut rng, 9)).into_iter().map(|limbs| Unreduced::new(limbs)).collect();
        for (a, b) in a.iter().zip(b.iter().rev()).chain(a.iter().zip(&b)) {
            check(&a.plus::<9, 12>(*b).0, &[&a.0, &b.0], |v| v[0] + v[1]);
            check(&a.minus::<9, 13>(*b).0, &[&a.0, &b.0], |v| v[0] - v[1]);
            check(&b.minus::<3, 13>(*a).0, &[&a.0, &b.0], |v| v[1] - v[0]);
            check(&a.negative::<4>().0, &[&a.0], |v| -v[0]);
            let sum = a.minus::<9, 13>(*b).carry();
            check(&low(&sum.0), &[&a.0, &b.0], |v| v[0] - v[1]);
            let mixed = lanes(&a.negate_in::<4>(0b0101_1010).0);
            for (lane, limbs) in mixed.iter().enumerate() {
                let v = value(&lanes(&a.0)[lane]);
                assert_eq!(value(limbs), if 0b0101_1010 >> lane & 1 == 1 { -v } else { v });
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn products() {
        let mut rng = rng();
        let over_r = Fq::from(2u64).pow([416]).inverse().unwrap();
        let a: Vec<Reduced<100>> = vectors(&extremes(&mut rng, 100))
            .into_iter()
            .map(|limbs| Unreduced::<100>::new(limbs).carry())
            .collect();
        let b: Vec<Reduced<1000>> = vectors(&extremes(&mut rng, 1000))
            .into_iter()
            .map(|limbs| Unreduced::<1000>::new(limbs).carry())
            .collect();
        let more: Vec<Unreduced<10>> =
            vectors(&extremes(&mut rng, 10)).into_iter().map(|limbs| Unreduced::new(limbs)).collect();
        for i in 0..a.len() * 4 {
            let pick = |len: usize| i * 7 % len;
            let (a, b, more) = (&a[i % a.len()], &b[pick(b.len())], &more[pick(more.len())]);
            let (x, y) = (low(&a.0), low(&b.0));
            let product = a.times(b);
            check(&low(&product.0), &[&x, &y], |v| v[0] * v[1] * over_r);
            assert!(is_at_most(&low(&product.0), 9));
            let sum: Unreduced<42> = a.times_plus(b, more);
            check(&sum.0, &[&x, &y, &more.0], |v| v[0] * v[1] * over_r + v[2]);
            assert!(is_at_most(&sum.0, 19));
            let sum: Unreduced<42> = a.square_plus(more);
            check(&sum.0, &[&x, &more.0], |v| v[0] * v[0] * over_r + v[1]);
            assert!(is_at_most(&sum.0, 19));
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn reductions() {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
        fn reduced<const K: u64>(rng: &mut impl RngCore) {
            for lane in extremes(rng, K) {
                let words = reduce_one::<K>(&lane);
                let expected = value(&lane).into_bigint().0;
                assert_eq!(words, expected, "{lane:x?}");
            }
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
        fn reduce_one<const K: u64>(lane: &Lane) -> Words {
            let mut input = [[1, 2, 3, 4, 5, 6, 7, 8]; 8];
            input[K as usize % 8] = *lane;
            let columns = Unreduced::<K>::new(vectors(&input)[0]).canonical_words();
            let zero = _mm512_setzero_si512();
            let [a, b, c, d, e, f] = columns;
            let all = lanes(&[a, b, c, d, e, f, zero, zero])[K as usize % 8];
            [all[0], all[1], all[2], all[3], all[4], all[5]]
        }
        let mut rng = rng();
        reduced::<1>(&mut rng);
        reduced::<2>(&mut rng);
        reduced::<3>(&mut rng);
        reduced::<32>(&mut rng);
        reduced::<45>(&mut rng);
        reduced::<1000>(&mut rng);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn words_round_trip() {
        let mut rng = rng();
        for lanes_of in extremes(&mut rng, 1).chunks(8) {
            let limbs = vectors(lanes_of)[0];
            let back = to_limbs(&to_columns(&limbs));
            assert_eq!(lanes(&back), lanes(&limbs));
            let reduced = Unreduced::<1>::new(limbs).canonical_words();
            assert_eq!(lanes(&Unreduced::from_columns(&reduced).0), lanes(&limbs));
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
    fn zeros_are_found() {
        for k in 0..=7 {
            for lane in 0..8 {
                let mut lanes = [[1, 2, 3, 4, 5, 6, 7, 8]; 8];
                lanes[lane] = constants::P.map(|limb| limb * k);
                let factor = Unreduced::<7>::new(vectors(&lanes)[0]).carry();
                assert_eq!(factor.may_be_zero(), 1 << lane, "{k}·p in lane {lane}");
            }
        }
    }

    parcrypt_cpu::test_on! { Ifma:
        fn arithmetic_agrees_with_arkworks() {
            words_round_trip();
            bounds();
            sums();
            zeros_are_found();
            reductions();
            products();
        }
    }

    #[test]
    fn constants_have_their_documented_values() {
        let two = Fq::from(2u64);
        let p = Fq::MODULUS;
        let limbs_of = |x: Fq| constants::limbs(&x.into_bigint().0);
        assert_eq!(constants::P, constants::limbs(&p.0));
        let mut all_ones = p;
        assert!(!all_ones.add_with_carry(&ark_ff::BigInt([1, 0, 0, 0, 0, 0])));
        assert_eq!(value(&constants::MINUS_P), two.pow([416]));
        assert_eq!(constants::INVERSE_OF_P.wrapping_mul(p.0[0]) & MASK, 1);
        assert_eq!(constants::MINUS_INVERSE_OF_P.wrapping_mul(p.0[0]) & MASK, MASK);
        for (i, fold) in constants::FOLDS.iter().enumerate() {
            assert_eq!(*fold, limbs_of(two.pow([52 * (7 - i as u64)]).inverse().unwrap()));
        }
        for exponent in [0, 1, 380, 381, 416, 864] {
            assert_eq!(constants::limbs(&power_of_two(exponent)), limbs_of(two.pow([exponent as u64])));
        }
        for b in [0, 1, 3, 9, 41] {
            assert_eq!(value(&constants::above(b, b)), Fq::zero());
        }
        // p·q ≤ 2^416 < p·(q + 1), in floating point with 53 bits, which q has not.
        let exact = 2f64.powi(52) / (constants::P[7] as f64 + constants::P[6] as f64 / 2f64.powi(52));
        assert!((constants::RECIPROCAL as f64 - exact).abs() < 1.0, "{} {exact}", constants::RECIPROCAL);
    }
}
