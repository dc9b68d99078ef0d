//! GHASH by PMULL: products of polynomials of 64 bits.
//!
//! `rev64` turns the bytes of a block into a number whose halves are exchanged. Blocks and powers of the key stay like
//! this: PMULL takes two lower halves, PMULL2 two upper ones, so only the results change places.
#![allow(unsafe_code, reason = "keeps a vector in a register by an empty assembly statement")]

use std::arch::aarch64::*;

use bytemuck::must_cast;

use crate::arch::generic::ghash::{Key, POWERS};
use crate::arch::generic::padded;

/// Blocks of a group, which has one reduction.
const GROUP: usize = 16;

// The first power, which other code reads as the last one, stays as it is.
const _: () = assert!(GROUP < POWERS);

/// (x^127 + x^126 + x^121) / x^64: the inner terms of the modulus.
const MODULUS: u64 = 0xc2 << 56;

/// Computes the powers up to the length of a group, with exchanged halves, and puts them first, the highest before the
/// others. Each number of `folded` has the sums of the halves of two powers.
#[target_feature(enable = "neon,aes")]
pub(crate) fn expand_pmull(key: &mut Key) {
    let first = from_number(key.first());
    let mut power = first;
    let (powers, _) = key.powers.as_chunks_mut::<2>();
    for (powers, folded) in powers[..GROUP / 2].iter_mut().zip(&mut key.folded).rev() {
        let low = power;
        let high = multiply(low, first);
        *powers = [high, low].map(|power| to_number(exchange(power)));
        *folded = to_number(fold_pair(high, low));
        power = multiply(high, first);
    }
}

/// A function like `hash_portable`; `$sum` returns the sum of three vectors. The pairs of a group after the first are
/// written out, so that no instruction of a loop stands between them.
macro_rules! hash {
    ($features:literal, $name:ident, $sum:ident, $($pair:literal)*) => {
        /// Computes the same as `hash_portable`.
        #[target_feature(enable = $features)]
        pub(crate) fn $name(key: &Key, sum: u128, data: &[u8], end: u128) -> u128 {
            let (blocks, rest) = data.as_chunks::<16>();
            let (groups, blocks) = blocks.as_chunks::<GROUP>();
            let mut sum = exchange(from_number(sum));
            for group in groups {
                let (pairs, _) = group.as_chunks::<2>();
                let mut product = Product::zero();
                let mut add = |a, b, i| product.add_pair(a, b, key, i, |a, b, c| $sum(a, b, c));
                // The block that needs the previous group's reduction comes last.
                $(add(load(&pairs[$pair][0]), load(&pairs[$pair][1]), $pair);)*
                add(veorq_u64(load(&pairs[0][0]), sum), load(&pairs[0][1]), 0);
                sum = exchange(product.reduce());
            }
            hash_rest(key, sum, blocks, rest, end)
        }
    };
}

hash!("neon,aes", hash_pmull, sum, 1 2 3 4 5 6 7);
hash!("neon,aes,sha3", hash_pmull_eor3, veor3q_u64, 1 2 3 4 5 6 7);

/// The same for fewer blocks than a group, and for bytes that are fewer than a block.
#[target_feature(enable = "neon,aes")]
fn hash_rest(key: &Key, mut sum: uint64x2_t, blocks: &[[u8; 16]], rest: &[u8], end: u128) -> u128 {
    let count = blocks.len() + usize::from(!rest.is_empty()) + usize::from(end != 0);
    // At most fifteen blocks, the rest and the end: one more than a group.
    let (mut product, mut power) = (Product::zero(), GROUP - count.min(GROUP));
    let rest = (!rest.is_empty()).then(|| load(&padded(rest)));
    for block in blocks.iter().map(|block| load(block)).chain(rest) {
        product.add(veorq_u64(block, sum), key, power);
        sum = vdupq_n_u64(0);
        power += 1;
    }
    if end != 0 {
        if count > GROUP {
            sum = exchange(product.reduce());
            product = Product::zero();
            power = GROUP - 1;
        }
        product.add(veorq_u64(exchange(from_number(end)), sum), key, power);
    } else if count == 0 {
        return to_number(exchange(sum));
    }
    to_number(product.reduce())
}

/// Computes the same as `multiply_portable`.
#[target_feature(enable = "neon,aes")]
pub(crate) fn multiply_pmull(a: u128, b: u128) -> u128 {
    to_number(multiply(from_number(a), from_number(b)))
}

/// A sum of products in Karatsuba's three parts: of the low halves, of the high halves, of the sums of both.
struct Product {
    low: uint64x2_t,
    high: uint64x2_t,
    middle: uint64x2_t,
}

impl Product {
    #[inline]
    #[target_feature(enable = "neon,aes")]
    fn zero() -> Self {
        let zero = vdupq_n_u64(0);
        Product { low: zero, high: zero, middle: zero }
    }

    /// Adds a block times a power of a group, counted from the highest.
    #[inline]
    #[target_feature(enable = "neon,aes")]
    fn add(&mut self, block: uint64x2_t, key: &Key, power: usize) {
        let power = from_number(key.powers[power]);
        self.low = veorq_u64(self.low, product_high(block, power));
        self.high = veorq_u64(self.high, product_low(block, power));
        self.middle = veorq_u64(self.middle, product_low(fold(block), fold(power)));
    }

    /// Adds two blocks times a pair of powers of a group. `sum` returns the sum of three vectors.
    #[inline]
    #[target_feature(enable = "neon,aes")]
    fn add_pair(
        &mut self,
        a: uint64x2_t,
        b: uint64x2_t,
        key: &Key,
        pair: usize,
        sum: impl Fn(uint64x2_t, uint64x2_t, uint64x2_t) -> uint64x2_t,
    ) {
        let [of_a, of_b] = key.powers.as_chunks().0[pair].map(|power| fixed(from_number(power)));
        let (folded, of_folded) = (fixed(fold_pair(a, b)), fixed(from_number(key.folded[pair])));
        self.low = sum(self.low, product_high(a, of_a), product_high(b, of_b));
        self.high = sum(self.high, product_low(a, of_a), product_low(b, of_b));
        self.middle = sum(self.middle, product_low(folded, of_folded), product_high(folded, of_folded));
    }

    /// Returns the remainder, as `reduce` of the portable code does.
    #[inline]
    #[target_feature(enable = "neon,aes")]
    fn reduce(self) -> uint64x2_t {
        let zero = vdupq_n_u64(0);
        let middle = veorq_u64(veorq_u64(self.middle, self.low), self.high);
        let low = veorq_u64(self.low, vextq_u64::<1>(zero, middle));
        let high = veorq_u64(self.high, vextq_u64::<1>(middle, zero));
        let modulus = vdupq_n_u64(MODULUS);
        let once = veorq_u64(exchange(low), product_low(low, modulus));
        veorq_u64(veorq_u64(high, exchange(once)), product_low(once, modulus))
    }
}

/// Returns a·b·x^-128.
#[inline]
#[target_feature(enable = "neon,aes")]
fn multiply(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    let (low, high) = (product_low(a, b), product_high(a, b));
    Product { low, high, middle: product_low(fold(a), fold(b)) }.reduce()
}

/// Returns the product of the lower halves.
#[inline]
#[target_feature(enable = "neon,aes")]
fn product_low(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_p64(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b)))
}

/// Returns the product of the upper halves.
#[inline]
#[target_feature(enable = "neon,aes")]
fn product_high(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b)))
}

/// Returns the halves in the other order.
#[inline]
#[target_feature(enable = "neon")]
fn exchange(a: uint64x2_t) -> uint64x2_t {
    vextq_u64::<1>(a, a)
}

/// Returns the sum of the two halves, in both halves.
#[inline]
#[target_feature(enable = "neon")]
fn fold(a: uint64x2_t) -> uint64x2_t {
    veorq_u64(a, exchange(a))
}

/// Returns the sum of the halves of `a` in the lower half, of `b` in the upper.
#[inline]
#[target_feature(enable = "neon")]
fn fold_pair(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    veorq_u64(vtrn1q_u64(a, b), vtrn2q_u64(a, b))
}

/// Returns a block as a number with exchanged halves.
#[inline]
#[target_feature(enable = "neon")]
fn load(block: &[u8; 16]) -> uint64x2_t {
    vreinterpretq_u64_u8(vrev64q_u8(must_cast(*block)))
}

#[inline]
#[target_feature(enable = "neon")]
fn from_number(a: u128) -> uint64x2_t {
    must_cast(a)
}

/// Returns the sum of three vectors.
#[inline]
#[target_feature(enable = "neon")]
fn sum(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t {
    fixed(veorq_u64(veorq_u64(a, b), c))
}

/// Returns a vector that the compiler takes as a whole. Without this it computes and loads the halves one by one, since
/// each product takes one of them, and regroups sums, which needs more registers than there are.
#[inline]
#[target_feature(enable = "neon")]
fn fixed(mut a: uint64x2_t) -> uint64x2_t {
    // SAFETY: this is no instruction; the register keeps its value.
    unsafe { std::arch::asm!("/* {0:v} */", inout(vreg) a, options(pure, nomem, nostack, preserves_flags)) };
    a
}

#[inline]
#[target_feature(enable = "neon")]
fn to_number(a: uint64x2_t) -> u128 {
    must_cast(a)
}
