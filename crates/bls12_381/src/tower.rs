//! The quadratic extension Fp2 = Fp\[i\] / (i² + 1), by blst, as the pairing needs it.
#![allow(unsafe_code, reason = "wraps blst")]

use std::ops::{Add, Mul, Neg, Sub};

use blst::{
    blst_fp, blst_fp_mul, blst_fp2, blst_fp2_add, blst_fp2_cneg, blst_fp2_eucl_inverse, blst_fp2_mul,
    blst_fp2_sub,
};

use crate::constants::P;
use crate::field::fp::{self, Words};

/// An element c₀ + c₁·i in Montgomery form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Fp2(pub(crate) blst_fp2);

impl Fp2 {
    /// Returns the product with ξ = 1 + i, the cube of v.
    #[inline]
    pub(crate) fn times_xi(self) -> Self {
        let [c0, c1] = [&self.0.fp[0].l, &self.0.fp[1].l];
        Fp2(blst_fp2 { fp: [blst_fp { l: fp::sub(c0, c1) }, blst_fp { l: fp::add(c0, c1) }] })
    }

    /// Returns the product with an element of Fp.
    #[inline]
    pub(crate) fn scaled(mut self, factor: &blst_fp) -> Self {
        for c in &mut self.0.fp {
            // SAFETY: reads two elements and writes one; blst allows the output to be an input.
            unsafe { blst_fp_mul(c, &raw const *c, factor) };
        }
        self
    }

    /// Returns the half.
    pub(crate) fn half(self) -> Self {
        Fp2(blst_fp2 { fp: self.0.fp.map(|c| blst_fp { l: half(&c.l) }) })
    }

    /// Returns the inverse of an element that is not 0.
    pub(crate) fn inverse(&self) -> Self {
        let mut inverse = Fp2::default();
        // SAFETY: reads one element and writes one.
        unsafe { blst_fp2_eucl_inverse(&raw mut inverse.0, &self.0) };
        inverse
    }
}

/// Inverts elements of a field, none of which is 0, with one inversion (Montgomery's trick).
pub(crate) fn invert_all<T: Copy>(all: &mut [T], product: impl Fn(&T, &T) -> T, inverse: impl Fn(&T) -> T) {
    let Some((first, rest)) = all.split_first() else { return };
    // Running products, the last of which is that of all.
    let mut products = vec![*first];
    rest.iter().for_each(|element| products.push(product(&products[products.len() - 1], element)));
    let mut left = inverse(&products[products.len() - 1]);
    for i in (1..all.len()).rev() {
        let element = std::mem::replace(&mut all[i], product(&left, &products[i - 1]));
        left = product(&left, &element);
    }
    all[0] = left;
}

/// Returns a/2: the words of a, or of a + p where a is odd, shifted.
fn half(a: &Words) -> Words {
    let mask = (a[0] & 1).wrapping_neg();
    let (mut sum, mut carry) = ([0; 6], 0);
    for (sum, (a, p)) in sum.iter_mut().zip(a.iter().zip(&P)) {
        let wide = u128::from(*a) + u128::from(p & mask) + carry;
        *sum = wide as u64;
        carry = wide >> 64;
    }
    // Below 2p, which needs 382 bits.
    debug_assert_eq!(carry, 0);
    std::array::from_fn(|i| sum[i] >> 1 | sum.get(i + 1).map_or(0, |word| word << 63))
}

impl Mul for Fp2 {
    type Output = Fp2;
    #[inline]
    fn mul(self, other: Fp2) -> Fp2 {
        let mut product = Fp2::default();
        // SAFETY: reads two elements and writes one.
        unsafe { blst_fp2_mul(&raw mut product.0, &self.0, &other.0) };
        product
    }
}

impl Add for Fp2 {
    type Output = Fp2;
    #[inline]
    fn add(mut self, other: Fp2) -> Fp2 {
        // SAFETY: reads two elements and writes one; blst allows the output to be an input.
        unsafe { blst_fp2_add(&raw mut self.0, &raw const self.0, &other.0) };
        self
    }
}

impl Sub for Fp2 {
    type Output = Fp2;
    #[inline]
    fn sub(mut self, other: Fp2) -> Fp2 {
        // SAFETY: reads two elements and writes one; blst allows the output to be an input.
        unsafe { blst_fp2_sub(&raw mut self.0, &raw const self.0, &other.0) };
        self
    }
}

impl Neg for Fp2 {
    type Output = Fp2;
    fn neg(mut self) -> Fp2 {
        // SAFETY: reads one element and writes one; blst allows the output to be the input.
        unsafe { blst_fp2_cneg(&raw mut self.0, &raw const self.0, true) };
        self
    }
}
