//! The quadratic extension Fp2 = Fp\[i\] / (i² + 1), by blst, as the pairing needs it.
#![allow(unsafe_code, reason = "takes the coefficients of blst's elements for ours")]

use std::ops::{AddAssign, Mul, Neg, SubAssign};

use blst::{blst_fp, blst_fp2, blst_fp12};

use crate::constants::P;
use crate::ffi;
use crate::field::fp::{self, Words};

/// An element c₀ + c₁·i in Montgomery form.
///
/// Operations that a pairing does often write where the result belongs, for the reason in `ffi`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Fp2(pub(crate) blst_fp2);

impl Fp2 {
    /// Replaces self by a + b.
    #[inline]
    pub(crate) fn set_sum(&mut self, a: &Fp2, b: &Fp2) {
        ffi::fp2_add(&mut self.0, &a.0, &b.0);
    }

    /// Replaces self by a · b.
    #[inline]
    pub(crate) fn set_product(&mut self, a: &Fp2, b: &Fp2) {
        ffi::fp2_mul(&mut self.0, &a.0, &b.0);
    }

    /// Replaces self by a².
    #[inline]
    pub(crate) fn set_square(&mut self, a: &Fp2) {
        ffi::fp2_sqr(&mut self.0, &a.0);
    }

    /// Replaces self by ξ·a with ξ = 1 + i, the cube of v.
    #[inline]
    pub(crate) fn set_xi_times(&mut self, a: &Fp2) {
        let [c0, c1] = [&a.0.fp[0].l, &a.0.fp[1].l];
        self.0.fp[0].l = fp::sub(c0, c1);
        self.0.fp[1].l = fp::add(c0, c1);
    }

    /// Replaces self by a times an element of Fp.
    #[inline]
    pub(crate) fn set_scaled(&mut self, a: &Fp2, factor: &Words) {
        for (out, a) in self.0.fp.iter_mut().zip(&a.0.fp) {
            ffi::fp_mul(&mut out.l, &a.l, factor);
        }
    }

    /// Replaces self by 2·self.
    #[inline]
    pub(crate) fn double(&mut self) {
        ffi::fp2_double(&mut self.0);
    }

    /// Replaces self by other − self.
    #[inline]
    pub(crate) fn subtract_from(&mut self, other: &Fp2) {
        ffi::fp2_sub_from(&mut self.0, &other.0);
    }

    /// Returns both coefficients.
    pub(crate) fn words(&self) -> [&Words; 2] {
        self.0.fp.each_ref().map(|c| &c.l)
    }

    /// Returns the element with these coefficients.
    pub(crate) fn of_words(words: [Words; 2]) -> Self {
        Fp2(blst_fp2 { fp: words.map(|l| blst_fp { l }) })
    }

    /// Returns the half.
    pub(crate) fn half(self) -> Self {
        Fp2(blst_fp2 { fp: self.0.fp.map(|c| blst_fp { l: half(&c.l) }) })
    }

    /// Returns the inverse of an element that is not 0.
    pub(crate) fn inverse(&self) -> Self {
        let mut inverse = Fp2::default();
        ffi::fp2_inverse(&mut inverse.0, &self.0);
        inverse
    }
}

impl AddAssign<&Fp2> for Fp2 {
    #[inline]
    fn add_assign(&mut self, other: &Fp2) {
        ffi::fp2_add_assign(&mut self.0, &other.0);
    }
}

impl SubAssign<&Fp2> for Fp2 {
    #[inline]
    fn sub_assign(&mut self, other: &Fp2) {
        ffi::fp2_sub_assign(&mut self.0, &other.0);
    }
}

impl Mul for Fp2 {
    type Output = Fp2;
    fn mul(self, other: Fp2) -> Fp2 {
        let mut product = Fp2::default();
        product.set_product(&self, &other);
        product
    }
}

impl Neg for Fp2 {
    type Output = Fp2;
    fn neg(mut self) -> Fp2 {
        ffi::fp2_neg(&mut self.0);
        self
    }
}

/// Returns the element a + b·w + c·w², given coefficients of 1 and s, which is w³, of a, b and c.
pub(crate) fn from_fourth_extension([a, b, c]: &[[Fp2; 2]; 3]) -> blst_fp12 {
    let mut value = blst_fp12::default();
    let [even, odd] = halves_mut(&mut value);
    (*even, *odd) = ([a[0], c[0], b[1]], [b[0], a[1], c[1]]);
    value
}

/// Returns a, b and c of the element a + b·w + c·w², as [`from_fourth_extension`] takes them.
pub(crate) fn to_fourth_extension(value: &blst_fp12) -> [[Fp2; 2]; 3] {
    let [even, odd] = halves(value);
    [[even[0], odd[1]], [odd[0], even[2]], [even[1], odd[2]]]
}

/// Returns the coefficients of both halves, elements of the sixth extension.
pub(crate) fn halves(value: &blst_fp12) -> [&[Fp2; 3]; 2] {
    // SAFETY: `Fp2` has the layout of `blst_fp2`.
    value.fp6.each_ref().map(|half| unsafe { &*std::ptr::from_ref(&half.fp2).cast() })
}

/// Returns the coefficients of both halves, elements of the sixth extension.
pub(crate) fn halves_mut(value: &mut blst_fp12) -> [&mut [Fp2; 3]; 2] {
    // SAFETY: `Fp2` has the layout of `blst_fp2`.
    value.fp6.each_mut().map(|half| unsafe { &mut *std::ptr::from_mut(&mut half.fp2).cast() })
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
