//! The scalar field Fr: integers modulo r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001.
#![allow(unsafe_code, reason = "takes elements for their words")]

use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use blst::{blst_fr, blst_scalar};

use crate::constants::{R, X_ABS};
use crate::{Error, ffi};

/// An element of the scalar field, in Montgomery form, below r.
///
/// Operations are those of blst and take constant time, except for names that end in `_vartime`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fr(pub(crate) blst_fr);

/// 2^256 in Montgomery form: 2^512 modulo r.
pub(crate) const R_SQUARED: Fr = Fr(blst_fr {
    l: [0xc999_e990_f3f2_9c6d, 0x2b6c_edcb_8792_5c23, 0x05d3_1496_7254_398f, 0x0748_d9d9_9f59_ff11],
});

/// 2^−256 in Montgomery form: 1.
const RAW_ONE: Fr = Fr(blst_fr { l: [1, 0, 0, 0] });

/// 7^((r − 1) / 2^32), a root of unity of order 2^32: 7 generates the multiplicative group (EIP-4844 uses the same).
const ROOT_OF_ORDER_2_32: [u8; 32] = [
    0x16, 0xa2, 0xa1, 0x9e, 0xdf, 0xe8, 0x1f, 0x20, 0xd0, 0x9b, 0x68, 0x19, 0x22, 0xc8, 0x13, 0xb4, 0xb6,
    0x36, 0x83, 0x50, 0x8c, 0x22, 0x80, 0xb9, 0x38, 0x29, 0x97, 0x1f, 0x43, 0x9f, 0x0d, 0x2b,
];

/// Returns the words of a big-endian integer, least significant first.
#[inline]
fn words(bytes: &[u8; 32]) -> [u64; 4] {
    let mut words = [0; 4];
    let (chunks, _) = bytes.as_chunks::<8>();
    words.iter_mut().rev().zip(chunks).for_each(|(word, bytes)| *word = u64::from_be_bytes(*bytes));
    words
}

/// Returns the big-endian integer of these words, the inverse of [`words`].
#[inline]
pub(crate) fn bytes(words: &[u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let (chunks, _) = bytes.as_chunks_mut::<8>();
    chunks.iter_mut().rev().zip(words).for_each(|(out, word)| *out = word.to_be_bytes());
    bytes
}

/// Returns whether the words, least significant first, are below r.
#[inline]
fn is_reduced(words: &[u64; 4]) -> bool {
    words.iter().rev().lt(R.iter().rev())
}

impl Fr {
    /// Logarithm of the largest power of two that divides r − 1: transforms have up to 2^32 elements.
    pub const TWO_ADICITY: u32 = 32;

    /// Returns 0.
    pub fn zero() -> Self {
        Fr::default()
    }

    /// Returns 1.
    pub fn one() -> Self {
        Fr::from(1)
    }

    /// Decodes the canonical form: 32 bytes, big-endian, below r.
    ///
    /// # Errors
    /// [`Error::NotCanonical`] for r and above.
    #[inline]
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Error> {
        ScaledEncoding { read: R_SQUARED, write: RAW_ONE }.decode(bytes)
    }

    /// Returns a + b·x², where x is the parameter of the curve. Different pairs give different scalars, and
    /// multi-scalar multiplication by such scalars takes half the time (GLV with short halves).
    pub fn from_glv_halves(a: u64, b: u64) -> Self {
        // The sign of x does not matter to its square.
        let x = Fr::from(X_ABS);
        Fr::from(a) + Fr::from(b) * x * x
    }

    /// Returns a big-endian integer of any length modulo r.
    pub fn from_bytes_reduced(bytes: &[u8]) -> Self {
        let mut out = blst_fr::default();
        ffi::fr_from_scalar(&mut out, &ffi::scalar_from_be_bytes(bytes));
        Fr(out)
    }

    /// Returns the canonical form: 32 bytes, big-endian.
    #[inline]
    pub fn to_bytes(&self) -> [u8; 32] {
        bytes(&self.to_words())
    }

    /// Returns the integer below r, in words, least significant first.
    #[inline]
    fn to_words(self) -> [u64; 4] {
        // Montgomery's product with 1 is the product with 2^-256.
        (self * RAW_ONE).0.l
    }

    /// Returns the Montgomery form, element · 2^256 modulo r, as 4 little-endian words.
    pub fn to_raw(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes
            .chunks_exact_mut(8)
            .zip(&self.0.l)
            .for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
        bytes
    }

    /// Reads the Montgomery form that [`Fr::to_raw`] returns.
    ///
    /// # Errors
    /// [`Error::NotCanonical`] for r and above.
    pub fn from_raw(bytes: &[u8; 32]) -> Result<Self, Error> {
        let mut element = blst_fr::default();
        let (words, _) = bytes.as_chunks::<8>();
        element.l.iter_mut().zip(words).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
        if is_reduced(&element.l) { Ok(Fr(element)) } else { Err(Error::NotCanonical) }
    }

    /// Returns the words of the Montgomery form, least significant first.
    pub(crate) fn words(&self) -> &[u64; 4] {
        &self.0.l
    }

    /// Returns the words of the Montgomery form of each element, least significant first.
    pub(crate) fn all_words(all: &[Fr]) -> &[[u64; 4]] {
        // SAFETY: both structs of an element have one field and the representation of it, and all words are valid.
        unsafe { std::slice::from_raw_parts(all.as_ptr().cast(), all.len()) }
    }

    /// Returns the words of the Montgomery form of each element, least significant first. What is written must be below
    /// r.
    pub(crate) fn words_mut(all: &mut [Fr]) -> &mut [[u64; 4]] {
        // SAFETY: both structs of an element have one field and the representation of it, and all words are valid.
        unsafe { std::slice::from_raw_parts_mut(all.as_mut_ptr().cast(), all.len()) }
    }

    /// Returns the integer below r for blst's multiplication of points, little-endian.
    pub(crate) fn to_scalar(self) -> blst_scalar {
        let mut scalar = blst_scalar::default();
        let (chunks, _) = scalar.b.as_chunks_mut::<8>();
        chunks.iter_mut().zip(self.to_words()).for_each(|(out, word)| *out = word.to_le_bytes());
        scalar
    }

    /// Returns 1 / self, or `None` for 0.
    pub fn inverse(&self) -> Option<Self> {
        if *self == Fr::zero() {
            return None;
        }
        let mut out = blst_fr::default();
        ffi::fr_inverse(&mut out, &self.0);
        Some(Fr(out))
    }

    /// Replaces each element by its inverse, with one inversion and 3 multiplications for each; 0 stays 0.
    pub fn batch_inverse(all: &mut [Fr]) {
        let mut product = Fr::one();
        // before[i] is the product of all elements before i that are not 0.
        let before: Vec<Fr> = all
            .iter()
            .map(|x| {
                let before = product;
                if *x != Fr::zero() {
                    product *= *x;
                }
                before
            })
            .collect();
        // A product of elements that are not 0 is not 0.
        let mut inverse = product.inverse().unwrap_or_default();
        for (x, before) in all.iter_mut().zip(before).rev() {
            if *x != Fr::zero() {
                (*x, inverse) = (before * inverse, inverse * *x);
            }
        }
    }

    /// Returns self^`exponent`, in a time that depends on the exponent.
    pub fn pow_vartime(&self, exponent: u64) -> Self {
        let mut result = Fr::one();
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            result *= result;
            if exponent >> bit & 1 == 1 {
                result *= *self;
            }
        }
        result
    }

    /// Returns the primitive root of unity of order 2^scale of EIP-4844, 7^((r − 1) / 2^scale).
    ///
    /// # Errors
    /// [`Error::Scale`] above [`Fr::TWO_ADICITY`].
    pub fn root_of_unity(scale: u32) -> Result<Self, Error> {
        let squarings = Fr::TWO_ADICITY.checked_sub(scale).ok_or(Error::Scale { scale })?;
        let root = Fr::from_bytes(&ROOT_OF_ORDER_2_32)?;
        Ok((0..squarings).fold(root, |root, _| root * root))
    }
}

/// The 32-byte encoding of element · factor, for a fixed factor.
///
/// The factor costs nothing: a conversion from or to Montgomery form is one multiplication by a constant in any case.
#[derive(Clone, Copy, Debug)]
pub struct ScaledEncoding {
    /// factor · 2^512, in words.
    pub(crate) read: Fr,
    /// factor, in words.
    pub(crate) write: Fr,
}

impl ScaledEncoding {
    /// Returns the encoding with this factor.
    pub fn new(factor: Fr) -> Self {
        ScaledEncoding { read: factor * R_SQUARED, write: Fr(blst_fr { l: factor.to_words() }) }
    }

    /// Returns the element that [`Fr::from_bytes`] decodes, times the factor.
    ///
    /// # Errors
    /// [`Error::NotCanonical`] for r and above.
    #[inline]
    pub fn decode(&self, bytes: &[u8; 32]) -> Result<Fr, Error> {
        let words = blst_fr { l: words(bytes) };
        // Montgomery's product divides by 2^256.
        if is_reduced(&words.l) { Ok(Fr(words) * self.read) } else { Err(Error::NotCanonical) }
    }

    /// Returns the canonical form of the element times the factor.
    #[inline]
    pub fn encode(&self, element: Fr) -> [u8; 32] {
        bytes(&(element * self.write).0.l)
    }
}

impl From<u64> for Fr {
    fn from(value: u64) -> Self {
        let mut out = blst_fr::default();
        ffi::fr_from_uint64(&mut out, &[value, 0, 0, 0]);
        Fr(out)
    }
}

macro_rules! operator {
    ($Op:ident, $op:ident, $OpAssign:ident, $op_assign:ident, $blst:ident) => {
        impl $Op for Fr {
            type Output = Fr;
            #[inline]
            fn $op(mut self, other: Fr) -> Fr {
                self.$op_assign(other);
                self
            }
        }
        impl $OpAssign for Fr {
            #[inline]
            fn $op_assign(&mut self, other: Fr) {
                ffi::$blst(&mut self.0, &other.0);
            }
        }
    };
}
operator!(Add, add, AddAssign, add_assign, fr_add_assign);
operator!(Sub, sub, SubAssign, sub_assign, fr_sub_assign);
operator!(Mul, mul, MulAssign, mul_assign, fr_mul_assign);

impl Neg for Fr {
    type Output = Fr;
    fn neg(mut self) -> Fr {
        ffi::fr_neg(&mut self.0);
        self
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::{rand::Rng, rng};

    use super::*;

    /// Returns the element of some bytes and its encoding, as blst reads and writes them.
    fn by_blst(bytes: &[u8; 32]) -> Option<(Fr, [u8; 32])> {
        let (mut scalar, mut element, mut out) = (blst_scalar::default(), blst_fr::default(), [0; 32]);
        ffi::scalar_from_bendian(&mut scalar, bytes);
        if !ffi::scalar_fr_check(&scalar) {
            return None;
        }
        ffi::fr_from_scalar(&mut element, &scalar);
        ffi::scalar_from_fr(&mut scalar, &element);
        ffi::bendian_from_scalar(&mut out, &scalar);
        Some((Fr(element), out))
    }

    /// Returns encodings, many of them near r.
    pub(crate) fn encodings() -> Vec<[u8; 32]> {
        let mut rng = rng();
        let mut all: Vec<[u8; 32]> = (0..2000).map(|_| rng.random()).collect();
        let mut modulus = [0; 32];
        modulus
            .chunks_mut(8)
            .zip(R.iter().rev())
            .for_each(|(out, word)| out.copy_from_slice(&word.to_be_bytes()));
        for byte in 0..32 {
            // r with one byte more and one less, and all bytes after it at their extremes.
            for (change, rest) in
                [(0, None), (1, None), (255, None), (0, Some(0)), (0, Some(255)), (255, Some(255))]
            {
                let mut near = modulus;
                near[byte] = near[byte].wrapping_add(change);
                if let Some(rest) = rest {
                    near[byte + 1..].fill(rest);
                }
                all.push(near);
            }
            let mut one = [0; 32];
            one[byte] = 1;
            all.extend([one, [byte as u8; 32]]);
        }
        all
    }

    #[test]
    fn bytes_are_read_and_written_as_by_blst() {
        let number = Fr::from_bytes_reduced(&rng().random::<[u8; 32]>());
        let encoding = ScaledEncoding::new(number);
        let mut taken = 0;
        for bytes in encodings() {
            match by_blst(&bytes) {
                None => {
                    assert_eq!(Fr::from_bytes(&bytes), Err(Error::NotCanonical), "{bytes:?}");
                    assert_eq!(encoding.decode(&bytes), Err(Error::NotCanonical));
                }
                Some((element, out)) => {
                    taken += 1;
                    assert_eq!(Fr::from_bytes(&bytes), Ok(element), "{bytes:?}");
                    assert_eq!((element.to_bytes(), out), (bytes, bytes));
                    assert_eq!(encoding.decode(&bytes), Ok(element * number));
                    assert_eq!(encoding.encode(element), (element * number).to_bytes());
                    assert!(element.to_scalar().b.iter().rev().eq(&bytes));
                }
            }
        }
        assert!(taken > 500);
    }

    #[test]
    fn constants_have_their_documented_values() {
        let mut power = Fr::one();
        (0..256).for_each(|_| power += power);
        assert_eq!(power, R_SQUARED, "2^256 in Montgomery form");
        let mut minus_one = R;
        minus_one[0] -= 1;
        assert!(is_reduced(&minus_one) && !is_reduced(&R));
        assert_eq!(Fr(blst_fr { l: minus_one }) + Fr(blst_fr { l: [1, 0, 0, 0] }), Fr::zero());
    }
}
