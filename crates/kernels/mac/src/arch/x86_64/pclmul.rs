//! GHASH by PCLMULQDQ: products of polynomials of 64 bits.

use std::arch::x86_64::*;

use bytemuck::must_cast;

use crate::arch::generic::ghash::{Key, POWERS};
use crate::arch::generic::padded;

/// Blocks of a group, which has one reduction.
const GROUP: usize = 16;

/// (x^127 + x^126 + x^121) / x^64: the inner terms of the modulus.
pub(super) const MODULUS: i64 = 0xc2 << 56;

/// Computes the powers up to the length of a group.
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
pub(crate) fn expand_pclmul(key: &mut Key) {
    let first = from_number(key.first());
    let mut power = first;
    for i in (POWERS - GROUP..POWERS).rev() {
        key.powers[i] = to_number(power);
        key.folded[i] = to_number(fold(power));
        power = multiply(power, first);
    }
}

/// Computes the same as `hash_portable`.
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
pub(crate) fn hash_pclmul(key: &Key, sum: u128, data: &[u8], end: u128) -> u128 {
    let (blocks, rest) = data.as_chunks::<16>();
    let (groups, blocks) = blocks.as_chunks::<GROUP>();
    let mut sum = from_number(sum);
    for group in groups {
        super::prefetch(group.as_flattened());
        // The block that needs the previous group's reduction comes last.
        let mut product = Product::zero();
        for (i, block) in group.iter().enumerate().skip(1) {
            product.add(load(block), key, POWERS - GROUP + i);
        }
        product.add(_mm_xor_si128(load(&group[0]), sum), key, POWERS - GROUP);
        sum = product.reduce();
    }
    let count = blocks.len() + usize::from(!rest.is_empty()) + usize::from(end != 0);
    // At most fifteen blocks, the rest and the end: one more than a group.
    let (mut product, mut power) = (Product::zero(), POWERS - count.min(GROUP));
    let rest = (!rest.is_empty()).then(|| load(&padded(rest)));
    for block in blocks.iter().map(|block| load(block)).chain(rest) {
        product.add(_mm_xor_si128(block, sum), key, power);
        sum = _mm_setzero_si128();
        power += 1;
    }
    if end != 0 {
        if count > GROUP {
            sum = product.reduce();
            product = Product::zero();
            power = POWERS - 1;
        }
        product.add(_mm_xor_si128(from_number(end), sum), key, power);
    } else if count == 0 {
        return to_number(sum);
    }
    to_number(product.reduce())
}

/// Computes the same as `multiply_portable`.
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
pub(crate) fn multiply_pclmul(a: u128, b: u128) -> u128 {
    to_number(multiply(from_number(a), from_number(b)))
}

/// A sum of products in Karatsuba's three parts: of the low halves, of the high halves, of the sums of both.
pub(super) struct Product {
    pub(super) low: __m128i,
    pub(super) high: __m128i,
    pub(super) middle: __m128i,
}

impl Product {
    #[inline]
    #[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
    fn zero() -> Self {
        let zero = _mm_setzero_si128();
        Product { low: zero, high: zero, middle: zero }
    }

    /// Adds a block times a power.
    #[inline]
    #[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
    fn add(&mut self, block: __m128i, key: &Key, power: usize) {
        let (power, folded) = (from_number(key.powers[power]), from_number(key.folded[power]));
        self.low = _mm_xor_si128(self.low, _mm_clmulepi64_si128::<0x00>(block, power));
        self.high = _mm_xor_si128(self.high, _mm_clmulepi64_si128::<0x11>(block, power));
        self.middle = _mm_xor_si128(self.middle, _mm_clmulepi64_si128::<0x00>(fold(block), folded));
    }

    /// Returns the remainder, as `reduce` of the portable code does.
    #[inline]
    #[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
    pub(super) fn reduce(self) -> __m128i {
        let middle = _mm_xor_si128(self.middle, _mm_xor_si128(self.low, self.high));
        let low = _mm_xor_si128(self.low, _mm_slli_si128::<8>(middle));
        let high = _mm_xor_si128(self.high, _mm_srli_si128::<8>(middle));
        let step = |low| {
            let product = _mm_clmulepi64_si128::<0x00>(low, _mm_set_epi64x(0, MODULUS));
            _mm_xor_si128(_mm_shuffle_epi32::<0x4e>(low), product)
        };
        _mm_xor_si128(high, step(step(low)))
    }
}

/// Returns a·b·x^-128.
#[inline]
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
pub(super) fn multiply(a: __m128i, b: __m128i) -> __m128i {
    let low = _mm_clmulepi64_si128::<0x00>(a, b);
    let high = _mm_clmulepi64_si128::<0x11>(a, b);
    let middle = _mm_clmulepi64_si128::<0x00>(fold(a), fold(b));
    Product { low, high, middle }.reduce()
}

/// Returns the sum of the two halves, in both halves.
#[inline]
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
fn fold(a: __m128i) -> __m128i {
    _mm_xor_si128(a, _mm_shuffle_epi32::<0x4e>(a))
}

#[inline]
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
fn load(block: &[u8; 16]) -> __m128i {
    _mm_shuffle_epi8(must_cast(*block), _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
}

#[inline]
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
pub(super) fn from_number(a: u128) -> __m128i {
    must_cast(a)
}

#[inline]
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
pub(super) fn to_number(a: __m128i) -> u128 {
    must_cast(a)
}
