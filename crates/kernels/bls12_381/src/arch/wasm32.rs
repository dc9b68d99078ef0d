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
use std::array::from_fn;

use parcrypt_simd::{U64x2, U64x4};

use crate::lanes::Words;
use crate::lanes::fp::Order;
use crate::lanes::fp::limbs28::{
    BITS, COUNT as LIMBS, Limbs, Limbs28, MASK, MINUS_INVERSE, OVER_BASE, P_LIMBS, Words28,
};
use crate::lanes::limbs29::{self, Limbs29, Words29};

fr_lanes!(Simd128, Limbs29<U64x2>);
g1_lanes!(Simd128, Limbs28<U64x2>);
pairing_lanes!(Simd128, Limbs28<U64x4>, 2, compressed);

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
        let (mut digit, sum) = $digit(products(U64x2::all(0), 0));
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
        let mut out = [U64x2::all(0); $COUNT];
        $(
            let sum = column_of(products(carry, $high), $high - 1, &table, &digits, $read);
            let sum = sum.plus($of_last(digits[$last], $high - $COUNT));
            out[$high - $COUNT] = sum.and(U64x2::all((1 << $BITS) - 1));
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

impl Words29 for U64x2 {
    fn limbs29_product(
        a: &[U64x2; limbs29::COUNT],
        b: &[U64x2; limbs29::COUNT],
        more: &[U64x2; limbs29::COUNT],
    ) -> [U64x2; limbs29::COUNT] {
        let (a, b) = (&pairs(a)[..limbs29::COUNT.div_ceil(2)], &turned_pairs(b)[..=limbs29::COUNT]);
        let products = |sum: U64x2, at: usize| {
            let sum = if at < limbs29::COUNT { sum } else { sum.plus(more[at - limbs29::COUNT]) };
            column(sum, at, a, b)
        };
        // r is 1 modulo 2^29.
        let digit = |sum: U64x2| {
            let digit = U64x2::all(0).minus(sum).and(U64x2::all(limbs29::MASK));
            (digit, sum.plus(digit))
        };
        let mut out = columns!(
            products, limbs29::COUNT + 1, all_hidden(&R_PAIRS), limbs29::BITS, limbs29::COUNT, digit, digit,
            |_, _| U64x2::all(0), |pair| *pair;
            1 2 3 4 5 6 7; 8; 9 10 11 12 13 14 15 16
        );
        out[limbs29::COUNT - 1] = out[limbs29::COUNT - 1].plus(more[limbs29::COUNT - 1]);
        out
    }
}

impl Words28 for U64x2 {
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

    fn sum_of_products<O: Order, const N: usize>(factors: [[&Limbs<Self>; 2]; N]) -> Limbs<Self> {
        let ordered = |i: usize| factors[i][1].each_ref().map(|limb| O::ordered(limb, i));
        products(&factors.map(|[a, _]| pairs(a)), &from_fn::<_, N, _>(|i| turned_pairs(&ordered(i))))
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
fn pairs<const N: usize>(limbs: &[U64x2; N]) -> Pairs {
    let limb = |i: usize| if i < N { limbs[i].0 } else { u64x2_splat(0) };
    let mut pairs = [u64x2_splat(0); LIMBS / 2];
    for (i, pair) in pairs.iter_mut().enumerate() {
        *pair = packed(limb(2 * i), limb(2 * i + 1));
    }
    pairs
}

#[inline(always)]
fn turned_pairs<const N: usize>(limbs: &[U64x2; N]) -> TurnedPairs {
    let mut pairs = [u64x2_splat(0); LIMBS + 1];
    for (i, pair) in pairs.iter_mut().enumerate().take(N + 1) {
        *pair = packed(limbs[i % N].0, limbs[(i + N - 1) % N].0);
    }
    pairs
}

/// Returns a column of a product plus `sum`. The last of `turned` has no lower half, and the first no upper one.
#[inline(always)]
fn column(sum: U64x2, column: usize, pairs: &[v128], turned: &[v128]) -> U64x2 {
    column_of(sum, column, pairs, turned, |pair| *pair)
}

/// Returns what [`column`] does, of pairs that `read` returns.
#[inline(always)]
fn column_of(
    U64x2(mut sum): U64x2,
    column: usize,
    pairs: &[v128],
    turned: &[v128],
    read: impl Fn(&v128) -> v128,
) -> U64x2 {
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
    U64x2(sum)
}

/// Returns a column of a square plus `sum`: the products of two limbs once, by the double of the upper one.
#[inline(always)]
fn square_column(U64x2(mut sum): U64x2, column: usize, pairs: &Pairs, doubled: &TurnedPairs) -> U64x2 {
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
    U64x2(sum)
}

/// Returns the sum of products in Fp, divided by 2^392.
#[inline(always)]
fn products(a: &[Pairs], b: &[TurnedPairs]) -> Limbs<U64x2> {
    let columns = |mut sum, at| {
        for (a, b) in a.iter().zip(b) {
            sum = column_of(sum, at, a, b, hidden);
        }
        sum
    };
    reduced(columns, hidden)
}

/// Returns an element of Fp from columns, to which `products` adds products of limbs, divided by 2^392: by the steps of
/// [`Words28::shift`] and [`last_shift`](crate::lanes::fp::limbs28::last_shift).
#[inline(always)]
fn reduced(products: impl Fn(U64x2, usize) -> U64x2, read: impl Fn(&v128) -> v128 + Copy) -> Limbs<U64x2> {
    let digit = |sum: U64x2| (sum.and(U64x2::all(MASK)), sum);
    let last_digit = |sum: U64x2| {
        // Products of words modulo 2^32.
        let digit = U64x2(i32x4_mul(sum.0, u64x2_splat(MINUS_INVERSE))).and(U64x2::all(MASK));
        let multiple = u64x2_extmul_low_u32x4(packed(digit.0, sum.0), hidden(&P_WORDS[0]));
        (digit, sum.plus(U64x2(multiple)))
    };
    let of_last = |digit, limb: usize| U64x2(u64x2_extmul_low_u32x4(digit, hidden(&P_WORDS[limb + 1])));
    columns!(
        products, LIMBS, all_hidden(&OVER_BASE_PAIRS), BITS, LIMBS, digit, last_digit, of_last, read;
        1 2 3 4 5 6 7 8 9 10 11 12; 13; 14 15 16 17 18 19 20 21 22 23 24 25 26
    )
}

/// Returns the limbs of one half.
#[inline(always)]
fn half(limbs: &Limbs<U64x4>, half: usize) -> Limbs<U64x2> {
    let mut out = [U64x2::all(0); LIMBS];
    for (out, limb) in out.iter_mut().zip(limbs) {
        *out = limb.0[half];
    }
    out
}

/// Returns the limbs of both halves.
#[inline(always)]
fn both([low, high]: [Limbs<U64x2>; 2]) -> Limbs<U64x4> {
    let mut out = [U64x4::all(0); LIMBS];
    for (i, out) in out.iter_mut().enumerate() {
        *out = U64x4([low[i], high[i]]);
    }
    out
}

impl Words28 for U64x4 {
    #[inline(always)]
    fn product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        both([0, 1].map(|of| U64x2::product(&half(a, of), &half(b, of))))
    }

    fn sum_of_products<O: Order, const N: usize>(factors: [[&Limbs<Self>; 2]; N]) -> Limbs<Self> {
        let ordered: [Limbs<Self>; N] = from_fn(|i| factors[i][1].each_ref().map(|limb| O::ordered(limb, i)));
        both([0, 1].map(|of| sum_of_half(factors.map(|[a, _]| a), &ordered, of)))
    }
}

/// Returns one half of a sum of products.
#[inline(never)]
fn sum_of_half<const N: usize>(
    vectors: [&Limbs<U64x4>; N],
    factors: &[Limbs<U64x4>; N],
    of: usize,
) -> Limbs<U64x2> {
    let turned = factors.each_ref().map(|factor| turned_pairs(&half(factor, of)));
    products(&vectors.map(|vector| pairs(&half(vector, of))), &turned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::fp::tests::agrees_with_arkworks;
    use crate::lanes::fp4::tests::fp4_agrees_with_arkworks;
    use crate::lanes::fr::tests::{agrees_with_fr, limbs29_products_agree_with_fr};
    use crate::lanes::g1::tests::points_agree_with_blst;

    #[test]
    fn vectors_agree_with_the_model() {
        agrees_with_fr::<Limbs29<U64x2>>();
        limbs29_products_agree_with_fr::<U64x2>();
        agrees_with_arkworks::<Limbs28<U64x2>>();
        agrees_with_arkworks::<Limbs28<U64x4>>();
        points_agree_with_blst::<Limbs28<U64x2>>();
        fp4_agrees_with_arkworks::<Limbs28<U64x4>, 2>();
    }
}
