//! Backend for WebAssembly with vectors of 128 bits: two lanes, and Fp4 in two vectors.
//!
//! A module is compiled with these vectors or without, and an engine refuses it where it lacks them: nothing is
//! detected while it runs.
//!
//! WebAssembly multiplies neighbouring words of 32 bits, from the lower or the upper half of two vectors. So a product
//! of elements has two limbs of each of two lanes in a vector, and adds up one column after the other: sums of whole
//! rows need more registers than there are, and took 1.7 times as long.

#![allow(unsafe_code, reason = "macros that are shared with instruction sets that are detected")]

use std::arch::wasm32::*;

use blst::blst_fp12;

use crate::curve::final_exponentiation::hard_part_compressed;
use crate::curve::miller_loop::Pair;
use crate::field::fp;
use crate::lanes::batch_affine::PointWords;
use crate::lanes::fp::{BITS, LIMBS, Limbs, MASK, MINUS_INVERSE, P_LIMBS, Words28};
use crate::lanes::fp4::Fp4Words;
use crate::lanes::limbs29::{self, Limbs29};
use crate::lanes::pairing::PairingLanes;
use crate::lanes::{MOST_LANES, Words, pairing};

/// The backend `simd128`.
#[derive(Debug)]
pub(crate) struct Simd128;

/// Nothing stands for the instruction set.
macro_rules! here {
    ("simd128") => {};
}

fr_lanes!(Simd128, "simd128", Limbs29<Two>);
point_lanes!(Simd128, "simd128", Two);

methods! { PairingLanes, Simd128, "simd128";
    miller_loops(pairs: &[Pair]) -> blst_fp12 = pairing::miller_loops::<Four>;
    hard_part(g: &blst_fp12) -> blst_fp12 = |g: &_| {
        hard_part_compressed(g, &|element, squarings| pairing::squares::<Four>(element, squarings))
    };
}

/// Two words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Two(v128);

/// Implements operations on vectors by instructions.
macro_rules! instructions {
    ($($name:ident($a:ident $(, $operand:ident)*) = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $operand: Self)*) -> Self {
            let ($a, $($operand),*) = (self.0, $($operand.0),*);
            Two($result)
        }
    )*};
}

/// Returns the sum of the products, plus `more` and divided by 2^(COUNT·BITS) modulo a modulus, in limbs of BITS bits:
/// COUNT columns, each with a digit that makes its low bits 0, and COUNT − 1 columns of the result.
///
/// `digit` returns the digit of a column, and the sum with that multiple of the lowest limb of the modulus.
macro_rules! columns {
    (
        $a:expr, $b:expr, $more:expr, $BITS:expr, $modulus:expr, $digit:expr, $COUNT:expr;
        $first:literal $($low:literal)*; $($high:literal)*
    ) => {{
        const COUNT: usize = $COUNT;
        let (a, b, more) = ($a, $b, $more);
        let zero = Two::all(0);
        // The limbs of the modulus from the second one on.
        let mut above = [zero; COUNT];
        for (i, limb) in above[..COUNT - 1].iter_mut().enumerate() {
            *limb = Two::all($modulus[i + 1]);
        }
        let above = pairs(&above);
        let products = |mut sum: Two, at: usize| {
            for (a, b) in a.iter().zip(b.iter()) {
                sum = column(sum, at, &a[..COUNT.div_ceil(2)], &b[..COUNT + 1]);
            }
            sum
        };
        let mut digits = [zero.0; COUNT + 1];
        let (mut last, sum) = $digit(products(zero, $first));
        let mut carry = sum.right::<{ $BITS }>();
        digits[$first] = packed(last.0, zero.0);
        $(
            let sum = column(products(carry, $low), $low - 1, &above[..COUNT / 2], &digits);
            let (digit, sum) = $digit(sum);
            digits[$low] = packed(digit.0, last.0);
            last = digit;
            carry = sum.right::<{ $BITS }>();
        )*
        digits[COUNT] = packed(zero.0, last.0);
        let mut out = [zero; COUNT];
        $(
            let sum = column(products(carry, $high), $high - 1, &above[..COUNT / 2], &digits);
            let sum = sum.plus(more[$high - COUNT]);
            out[$high - COUNT] = sum.and(Two::all((1 << $BITS) - 1));
            carry = sum.right::<{ $BITS }>();
        )*
        out[COUNT - 1] = carry.plus(more[COUNT - 1]);
        out
    }};
}

impl Words for Two {
    const LANES: usize = 2;

    #[inline(always)]
    fn all(word: u64) -> Self {
        Two(u64x2_splat(word))
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Two(u64x2(words[0], words[1]))
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let numbers: [&[[u8; 8]]; 2] = [bytes, &bytes[stride..]].map(|lane| &lane.as_chunks().0[..4]);
        [3, 2, 1, 0].map(|word| {
            let [low, high] = numbers.map(|lane| u64::from_le_bytes(lane[word]));
            let reversed = u64x2(low, high);
            Two(u8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8>(reversed, reversed))
        })
    }

    #[inline(always)]
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        let (low, high) = (&elements[0], &elements[stride]);
        [0, 1, 2, 3].map(|word| Two(u64x2(low[word], high[word])))
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        elements[0] = words.map(|word| u64x2_extract_lane::<0>(word.0));
        elements[stride] = words.map(|word| u64x2_extract_lane::<1>(word.0));
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let [a, b]: &mut [Self; 2] = &mut square.as_chunks_mut().0[0];
        (*a, *b) = (Two(u64x2_shuffle::<0, 2>(a.0, b.0)), Two(u64x2_shuffle::<1, 3>(a.0, b.0)));
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words.copy_from_slice(&[u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)]);
    }

    #[inline(always)]
    fn has_high_bit(self) -> bool {
        i64x2_bitmask(self.0) != 0
    }

    instructions! {
        plus(a, b) = u64x2_add(a, b);
        minus(a, b) = u64x2_sub(a, b);
        times_low(a, b) = u64x2_extmul_low_u32x4(packed(a, a), packed(b, b));
        and(a, b) = v128_and(a, b);
        or(a, b) = v128_or(a, b);
    }

    #[inline(always)]
    fn right<const BITS: i32>(self) -> Self {
        Two(u64x2_shr(self.0, BITS.cast_unsigned()))
    }

    #[inline(always)]
    fn left<const BITS: i32>(self) -> Self {
        Two(u64x2_shl(self.0, BITS.cast_unsigned()))
    }

    fn limbs29_product(
        a: &[Two; limbs29::COUNT],
        b: &[Two; limbs29::COUNT],
        more: &[Two; limbs29::COUNT],
    ) -> [Two; limbs29::COUNT] {
        // r is 1 modulo 2^29.
        let digit = |sum: Two| {
            let digit = Two::all(0).minus(sum).and(Two::all(limbs29::MASK));
            (digit, sum.plus(digit))
        };
        columns!(
            [pairs(a)], [turned_pairs(b)], more, limbs29::BITS, limbs29::MODULUS, digit, limbs29::COUNT;
            0 1 2 3 4 5 6 7 8; 9 10 11 12 13 14 15 16
        )
    }
}

impl PointWords for Two {
    #[inline(always)]
    fn gather(elements: &[&fp::Words; MOST_LANES]) -> [Self; 6] {
        [0, 1, 2, 3, 4, 5].map(|word| Two(u64x2(elements[0][word], elements[1][word])))
    }

    #[inline(always)]
    fn scatter(words: [Self; 6], elements: &mut [fp::Words; MOST_LANES]) {
        elements[0] = words.map(|word| u64x2_extract_lane::<0>(word.0));
        elements[1] = words.map(|word| u64x2_extract_lane::<1>(word.0));
    }
}

impl Words28 for Two {
    fn product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        products(&[pairs(a)], &[turned_pairs(b)])
    }
}

/// Limbs 0 and 1, 2 and 3, …, each as words of 32 bits: two lanes of the first, then of the second.
type Pairs = [v128; LIMBS / 2];

/// For each limb, and after the last one: the limb, and the one before it.
type TurnedPairs = [v128; LIMBS + 1];

#[inline(always)]
fn packed(first: v128, second: v128) -> v128 {
    u32x4_shuffle::<0, 2, 4, 6>(first, second)
}

#[inline(always)]
fn pairs<const N: usize>(limbs: &[Two; N]) -> Pairs {
    let limb = |i: usize| if i < N { limbs[i].0 } else { u64x2_splat(0) };
    let mut pairs = [u64x2_splat(0); LIMBS / 2];
    for (i, pair) in pairs.iter_mut().enumerate() {
        *pair = packed(limb(2 * i), limb(2 * i + 1));
    }
    pairs
}

#[inline(always)]
fn turned_pairs<const N: usize>(limbs: &[Two; N]) -> TurnedPairs {
    let limb = |i: usize| if i < N { limbs[i].0 } else { u64x2_splat(0) };
    let mut pairs = [u64x2_splat(0); LIMBS + 1];
    for (i, pair) in pairs.iter_mut().enumerate().take(N + 1) {
        *pair = packed(limb(i), limb(i.wrapping_sub(1)));
    }
    pairs
}

/// Returns a column of a product plus `sum`.
#[inline(always)]
fn column(Two(mut sum): Two, column: usize, pairs: &[v128], turned: &[v128]) -> Two {
    for (i, pair) in pairs.iter().enumerate() {
        if 2 * i <= column && column - 2 * i < turned.len() {
            let other = turned[column - 2 * i];
            sum = u64x2_add(sum, u64x2_extmul_low_u32x4(*pair, other));
            sum = u64x2_add(sum, u64x2_extmul_high_u32x4(*pair, other));
        }
    }
    Two(sum)
}

/// Returns the sum of products in Fp, divided by 2^392.
#[inline(always)]
fn products(a: &[Pairs], b: &[TurnedPairs]) -> Limbs<Two> {
    let digit = |sum: Two| {
        let digit = sum.times_low(Two::all(MINUS_INVERSE)).and(Two::all(MASK));
        (digit, sum.plus(digit.times_low(Two::all(P_LIMBS[0]))))
    };
    columns!(
        a, b, [Two::all(0); LIMBS], BITS, P_LIMBS, digit, LIMBS;
        0 1 2 3 4 5 6 7 8 9 10 11 12 13; 14 15 16 17 18 19 20 21 22 23 24 25 26
    )
}

/// Four words.
#[derive(Clone, Copy, Debug)]
struct Four([Two; 2]);

impl Four {
    #[inline(always)]
    fn from_both(each: impl Fn(usize) -> Two) -> Self {
        Four([each(0), each(1)])
    }
}

/// Implements operations on four words by those on each two.
macro_rules! halves {
    ($($name:ident(self $(, $operand:ident)*);)*) => {$(
        #[inline(always)]
        fn $name(self $(, $operand: Self)*) -> Self {
            Four::from_both(|half| self.0[half].$name($($operand.0[half]),*))
        }
    )*};
}

impl Words for Four {
    const LANES: usize = 4;

    #[inline(always)]
    fn all(word: u64) -> Self {
        Four([Two::all(word); 2])
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Four([Two::load(words), Two::load(&words[2..])])
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let (low, high) =
            (Two::from_big_endian(bytes, stride), Two::from_big_endian(&bytes[2 * stride..], stride));
        [0, 1, 2, 3].map(|word| Four([low[word], high[word]]))
    }

    #[inline(always)]
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        let (low, high) =
            (Two::load_elements(elements, stride), Two::load_elements(&elements[2 * stride..], stride));
        [0, 1, 2, 3].map(|word| Four([low[word], high[word]]))
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        Two::store_elements(words.map(|word| word.0[0]), elements, stride);
        Two::store_elements(words.map(|word| word.0[1]), &mut elements[2 * stride..], stride);
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let square: &mut [Self; 4] = &mut square.as_chunks_mut().0[0];
        let [a, b, c, d] = square.map(|row| row.0);
        let mut quarters = [[a[0], b[0]], [c[0], d[0]], [a[1], b[1]], [c[1], d[1]]];
        quarters.iter_mut().for_each(|quarter| Two::transpose(quarter));
        let [aa, cc, bb, dd] = quarters;
        *square = [Four([aa[0], cc[0]]), Four([aa[1], cc[1]]), Four([bb[0], dd[0]]), Four([bb[1], dd[1]])];
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.0[0].store(&mut words[..2]);
        self.0[1].store(&mut words[2..]);
    }

    #[inline(always)]
    fn has_high_bit(self) -> bool {
        self.0[0].or(self.0[1]).has_high_bit()
    }

    halves! {
        plus(self, other);
        minus(self, other);
        times_low(self, other);
        and(self, other);
        or(self, other);
    }

    #[inline(always)]
    fn right<const BITS: i32>(self) -> Self {
        Four::from_both(|half| self.0[half].right::<BITS>())
    }

    #[inline(always)]
    fn left<const BITS: i32>(self) -> Self {
        Four::from_both(|half| self.0[half].left::<BITS>())
    }
}

/// Returns the limbs of one half.
#[inline(always)]
fn half(limbs: &Limbs<Four>, half: usize) -> Limbs<Two> {
    let mut out = [Two::all(0); LIMBS];
    for (out, limb) in out.iter_mut().zip(limbs) {
        *out = limb.0[half];
    }
    out
}

/// Returns the limbs of both halves.
#[inline(always)]
fn both([low, high]: [Limbs<Two>; 2]) -> Limbs<Four> {
    let mut out = [Four::all(0); LIMBS];
    for (i, out) in out.iter_mut().enumerate() {
        *out = Four([low[i], high[i]]);
    }
    out
}

impl Words28 for Four {
    #[inline(always)]
    fn product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        both([0, 1].map(|of| Two::product(&half(a, of), &half(b, of))))
    }

    #[inline(always)]
    fn uncarried_product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        Self::product(a, b)
    }
}

impl Fp4Words for Four {
    #[inline(always)]
    fn of_lanes([a, b, c, d]: [u64; 4]) -> Self {
        Four([Two(u64x2(a, b)), Two(u64x2(c, d))])
    }

    #[inline(always)]
    fn splat(&self, lane: usize) -> Self {
        let Two(half) = self.0[lane / 2];
        let both = match lane % 2 {
            0 => u64x2_shuffle::<0, 0>(half, half),
            _ => u64x2_shuffle::<1, 1>(half, half),
        };
        Four([Two(both); 2])
    }

    #[inline(always)]
    fn swap(self) -> Self {
        Four(self.0.map(|Two(half)| Two(u64x2_shuffle::<1, 0>(half, half))))
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        Four([self.0[1], self.0[0]])
    }

    #[inline(always)]
    fn with_even(self, other: Self) -> Self {
        Four::from_both(|half| Two(u64x2_shuffle::<2, 1>(self.0[half].0, other.0[half].0)))
    }

    #[inline(always)]
    fn with_low(self, other: Self) -> Self {
        Four([other.0[0], self.0[1]])
    }

    fn uncarried_dot<const N: usize>(
        multiples: &[[&Limbs<Self>; 4]; N],
        factors: &[&Limbs<Self>; N],
    ) -> Limbs<Self> {
        // The same in both halves.
        let mut turned = [[turned_pairs(&[Two::all(0); LIMBS]); 4]; N];
        for (turned, factor) in turned.iter_mut().zip(factors) {
            for (lane, turned) in turned.iter_mut().enumerate() {
                let mut limbs = [Two::all(0); LIMBS];
                for (limb, factor) in limbs.iter_mut().zip(*factor) {
                    *limb = factor.splat(lane).0[0];
                }
                *turned = turned_pairs(&limbs);
            }
        }
        both([0, 1].map(|of| dot(multiples, &turned, of)))
    }
}

/// Returns one half of [`Fp4Words::uncarried_dot`].
#[inline(never)]
fn dot<const N: usize>(
    multiples: &[[&Limbs<Four>; 4]; N],
    turned: &[[TurnedPairs; 4]; N],
    of: usize,
) -> Limbs<Two> {
    let mut pairs_of = [[[u64x2_splat(0); LIMBS / 2]; 4]; N];
    for (pairs_of, multiples) in pairs_of.as_flattened_mut().iter_mut().zip(multiples.as_flattened()) {
        *pairs_of = pairs(&half(multiples, of));
    }
    products(pairs_of.as_flattened(), turned.as_flattened())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::batch_affine::tests::elements_keep_their_lanes;
    use crate::lanes::fp::tests::elements_agree_with_words;
    use crate::lanes::fp4::tests::fp4_agrees_with_the_tower;
    use crate::lanes::fr::tests::{agrees_with_fr, limbs29_products_agree_with_fr};
    use crate::lanes::tests::agrees_with_the_model;

    #[test]
    fn vectors_agree_with_the_model() {
        agrees_with_the_model::<Two>();
        agrees_with_the_model::<Four>();
        agrees_with_fr::<Limbs29<Two>>();
        limbs29_products_agree_with_fr::<Two>();
        elements_agree_with_words::<Two>();
        elements_agree_with_words::<Four>();
        elements_keep_their_lanes::<Two>();
        fp4_agrees_with_the_tower::<Four>();
    }
}
