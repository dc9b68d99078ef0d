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
use crate::lanes::fp::{BITS, LIMBS, Limbs, MASK, MINUS_INVERSE, OVER_BASE, P_LIMBS, Words28};
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
validation_lanes!(Simd128, "simd128", Two);

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

/// Returns COUNT limbs of BITS bits, the upper columns of products, after a Montgomery reduction of the lower COUNT.
///
/// `products` adds the products of limbs in a column to a sum. `digit` returns the digit of one of the lower columns,
/// and the sum whose low bits are dropped; `table` has the limbs by which digits are multiplied in later columns.
/// `last_digit` does so for the last of the lower columns, and `of_last` returns what is added to each limb of the
/// result. `read` reads digits and the table.
macro_rules! columns {
    (
        $products:expr, $digits:expr, $table:expr, $BITS:expr, $COUNT:expr, $digit:expr, $last_digit:expr, $of_last:expr, $read:expr;
        $($low:literal)*; $last:literal; $($high:literal)*
    ) => {{
        let (products, table) = ($products, $table);
        let mut digits = [u64x2_splat(0); $digits];
        let (mut digit, sum) = $digit(products(Two::all(0), 0));
        let mut carry = sum.right::<{ $BITS }>();
        digits[0] = packed(digit.0, carry.0);
        $(
            let (next, sum) = $digit(column_of(products(carry, $low), $low - 1, &table, &digits, $read));
            digits[$low] = packed(next.0, digit.0);
            digit = next;
            carry = sum.right::<{ $BITS }>();
        )*
        let (next, sum) = $last_digit(column_of(products(carry, $last), $last - 1, &table, &digits, $read));
        carry = sum.right::<{ $BITS }>();
        digits[$last] = packed(next.0, digit.0);
        if $digits > $COUNT {
            digits[$digits - 1] = packed(carry.0, next.0);
        }
        let mut out = [Two::all(0); $COUNT];
        $(
            let sum = column_of(products(carry, $high), $high - 1, &table, &digits, $read);
            let sum = sum.plus($of_last(digits[$last], $high - $COUNT));
            out[$high - $COUNT] = sum.and(Two::all((1 << $BITS) - 1));
            carry = sum.right::<{ $BITS }>();
        )*
        out[$COUNT - 1] = carry;
        out
    }};
}

/// Returns a vector that the compiler neither knows nor reads in halves. It would turn products of words into products
/// of words of 64 bits, for which V8 takes eight instructions instead of three.
#[inline(always)]
fn hidden(constant: &v128) -> v128 {
    // SAFETY: a reference can be read.
    unsafe { std::ptr::from_ref(constant).read_volatile() }
}

/// Returns what [`hidden`] returns for each.
#[inline(always)]
fn all_hidden<const N: usize>(constants: &'static [v128; N]) -> [v128; N] {
    let mut all = [u64x2_splat(0); N];
    for (out, constant) in all.iter_mut().zip(constants) {
        *out = hidden(constant);
    }
    all
}

/// Returns pairs of limbs, as [`pairs`] does, which are the same in both lanes.
const fn constant_pairs<const N: usize>(limbs: &[u64]) -> [v128; N] {
    let mut pairs = [u32x4(0, 0, 0, 0); N];
    let mut i = 0;
    while i < N {
        let [low, high] = [limbs[2 * i] as u32, limbs[2 * i + 1] as u32];
        pairs[i] = u32x4(low, low, high, high);
        i += 1;
    }
    pairs
}

/// [`OVER_BASE`] in pairs.
static OVER_BASE_PAIRS: [v128; LIMBS / 2] = constant_pairs(&OVER_BASE);

/// Limbs of p, each in all words.
static P_WORDS: [v128; LIMBS] = {
    let mut words = [u32x4(0, 0, 0, 0); LIMBS];
    let mut i = 0;
    while i < LIMBS {
        let limb = P_LIMBS[i] as u32;
        words[i] = u32x4(limb, limb, limb, limb);
        i += 1;
    }
    words
};

/// Limbs of r from the second on, in pairs.
static R_PAIRS: [v128; limbs29::COUNT / 2] = constant_pairs(limbs29::MODULUS.split_at(1).1);

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
        let (a, b) = (&pairs(a)[..limbs29::COUNT.div_ceil(2)], &turned_pairs(b)[..=limbs29::COUNT]);
        let products = |sum: Two, at: usize| {
            let sum = if at < limbs29::COUNT { sum } else { sum.plus(more[at - limbs29::COUNT]) };
            column(sum, at, a, b)
        };
        // r is 1 modulo 2^29.
        let digit = |sum: Two| {
            let digit = Two::all(0).minus(sum).and(Two::all(limbs29::MASK));
            (digit, sum.plus(digit))
        };
        let mut out = columns!(
            products, limbs29::COUNT + 1, all_hidden(&R_PAIRS), limbs29::BITS, limbs29::COUNT, digit, digit,
            |_, _| Two::all(0), |pair| *pair;
            1 2 3 4 5 6 7; 8; 9 10 11 12 13 14 15 16
        );
        out[limbs29::COUNT - 1] = out[limbs29::COUNT - 1].plus(more[limbs29::COUNT - 1]);
        out
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
        let (a, b) = (pairs(a), turned_pairs(b));
        reduced(|sum, at| column(sum, at, &a, &b), |pair| *pair)
    }

    fn square(a: &Limbs<Self>) -> Limbs<Self> {
        let mut doubled = *a;
        doubled.iter_mut().for_each(|limb| *limb = limb.left::<1>());
        let (a, doubled) = (pairs(a), turned_pairs(&doubled));
        reduced(|sum, at| square_column(sum, at, &a, &doubled), |pair| *pair)
    }

    fn sum_of_products(a: [&Limbs<Self>; 2], b: [&Limbs<Self>; 2]) -> Limbs<Self> {
        products(&[pairs(a[0]), pairs(a[1])], &[turned_pairs(b[0]), turned_pairs(b[1])])
    }
}

/// Limbs 0 and 1, 2 and 3, …, each as words of 32 bits: two lanes of the first, then of the second.
type Pairs = [v128; LIMBS / 2];

/// For each limb, and after the last one: the limb, and the one before it. The two outer words, which are no limbs, are
/// never read.
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
    let mut pairs = [u64x2_splat(0); LIMBS + 1];
    for (i, pair) in pairs.iter_mut().enumerate().take(N + 1) {
        *pair = packed(limbs[i % N].0, limbs[(i + N - 1) % N].0);
    }
    pairs
}

/// Returns a column of a product plus `sum`. The last of `turned` has no lower half, and the first no upper one.
#[inline(always)]
fn column(sum: Two, column: usize, pairs: &[v128], turned: &[v128]) -> Two {
    column_of(sum, column, pairs, turned, |pair| *pair)
}

/// Returns what [`column`] does, of pairs that `read` returns.
#[inline(always)]
fn column_of(
    Two(mut sum): Two,
    column: usize,
    pairs: &[v128],
    turned: &[v128],
    read: impl Fn(&v128) -> v128,
) -> Two {
    for (i, pair) in pairs.iter().enumerate() {
        if 2 * i <= column && column - 2 * i < turned.len() {
            let at = column - 2 * i;
            let (pair, turned_pair) = (read(pair), read(&turned[at]));
            if at < turned.len() - 1 {
                sum = u64x2_add(sum, u64x2_extmul_low_u32x4(pair, turned_pair));
            }
            if at > 0 {
                sum = u64x2_add(sum, u64x2_extmul_high_u32x4(pair, turned_pair));
            }
        }
    }
    Two(sum)
}

/// Returns a column of a square plus `sum`: the products of two limbs once, by the double of the upper one.
#[inline(always)]
fn square_column(Two(mut sum): Two, column: usize, pairs: &Pairs, doubled: &TurnedPairs) -> Two {
    for (i, pair) in pairs.iter().enumerate() {
        // Limb 2i times limb `at`, and limb 2i + 1 times the one before it.
        if 2 * i <= column && column - 2 * i <= LIMBS {
            let at = column - 2 * i;
            if 2 * i < at && at < LIMBS {
                sum = u64x2_add(sum, u64x2_extmul_low_u32x4(*pair, doubled[at]));
            }
            if 2 * i + 1 < at.saturating_sub(1) {
                sum = u64x2_add(sum, u64x2_extmul_high_u32x4(*pair, doubled[at]));
            }
            if 2 * i == at {
                sum = u64x2_add(sum, u64x2_extmul_low_u32x4(*pair, *pair));
            }
            if 2 * i + 2 == at {
                sum = u64x2_add(sum, u64x2_extmul_high_u32x4(*pair, *pair));
            }
        }
    }
    Two(sum)
}

/// Returns the sum of products in Fp, divided by 2^392.
#[inline(always)]
fn products(a: &[Pairs], b: &[TurnedPairs]) -> Limbs<Two> {
    let columns = |mut sum, at| {
        for (a, b) in a.iter().zip(b) {
            sum = column_of(sum, at, a, b, hidden);
        }
        sum
    };
    reduced(columns, hidden)
}

/// Returns an element of Fp from columns, to which `products` adds products of limbs, divided by 2^392: by the steps of
/// [`Words28::shift`] and [`last_shift`](crate::lanes::fp::last_shift).
#[inline(always)]
fn reduced(products: impl Fn(Two, usize) -> Two, read: impl Fn(&v128) -> v128 + Copy) -> Limbs<Two> {
    let digit = |sum: Two| (sum.and(Two::all(MASK)), sum);
    let last_digit = |sum: Two| {
        // Products of words modulo 2^32.
        let digit = Two(i32x4_mul(sum.0, u64x2_splat(MINUS_INVERSE))).and(Two::all(MASK));
        let multiple = u64x2_extmul_low_u32x4(packed(digit.0, sum.0), hidden(&P_WORDS[0]));
        (digit, sum.plus(Two(multiple)))
    };
    let of_last = |digit, limb: usize| Two(u64x2_extmul_low_u32x4(digit, hidden(&P_WORDS[limb + 1])));
    columns!(
        products, LIMBS, all_hidden(&OVER_BASE_PAIRS), BITS, LIMBS, digit, last_digit, of_last, read;
        1 2 3 4 5 6 7 8 9 10 11 12; 13; 14 15 16 17 18 19 20 21 22 23 24 25 26
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
    use crate::lanes::validation::membership::tests::membership_has_every_check;
    use crate::lanes::validation::tests::points_of_the_group_alone_pass_every_check;

    #[test]
    fn vectors_agree_with_the_model() {
        agrees_with_the_model::<Two>();
        agrees_with_the_model::<Four>();
        agrees_with_fr::<Limbs29<Two>>();
        limbs29_products_agree_with_fr::<Two>();
        elements_agree_with_words::<Two>();
        elements_agree_with_words::<Four>();
        elements_keep_their_lanes::<Two>();
        points_of_the_group_alone_pass_every_check::<Two>();
        membership_has_every_check::<Two>();
        fp4_agrees_with_the_tower::<Four>();
    }
}
