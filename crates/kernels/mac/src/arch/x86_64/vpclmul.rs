//! GHASH by VPCLMULQDQ: four blocks in a vector of 512 bits, and one reduction for up to 64 blocks.
#![allow(unsafe_code, reason = "a load with a mask takes a pointer")]

use std::arch::x86_64::*;

use bytemuck::must_cast;
use parcrypt_cpu::Registers;

use super::pclmul::{self, MODULUS};
use crate::arch::generic::ghash::{FACTOR, Key, POWERS};

/// Blocks in a vector.
const LANES: usize = 4;
/// Bytes of a vector.
const WIDTH: usize = 16 * LANES;
/// Vectors of a whole group.
const VECTORS: usize = POWERS / LANES;

/// Computes all powers: the vector of the first four, then twice as many vectors in each step.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
pub(crate) fn expand_vpclmul(key: &mut Key) {
    let first = pclmul::from_number(key.first());
    let second = pclmul::multiply(first, first);
    let (third, fourth) = (pclmul::multiply(second, first), pclmul::multiply(second, second));
    let vector = _mm512_castsi128_si512(fourth);
    let vector = _mm512_inserti32x4::<1>(vector, third);
    let vector = _mm512_inserti32x4::<2>(vector, second);
    let mut powers = [_mm512_inserti32x4::<3>(vector, first); VECTORS];
    // powers[i] holds the powers 4·i + 4 to 4·i + 1, so its first lane is the factor for an offset of as many vectors.
    let mut have = 1;
    while have < VECTORS {
        let up = _mm512_broadcast_i32x4(_mm512_castsi512_si128(powers[have - 1]));
        let (known, new) = powers.split_at_mut(have);
        for (new, known) in new.iter_mut().zip(known) {
            *new = multiply(*known, up);
        }
        have *= 2;
    }
    for (i, power) in (0..VECTORS).rev().zip(powers) {
        key.powers.as_chunks_mut::<LANES>().0[i] = must_cast(power);
        key.folded.as_chunks_mut::<LANES>().0[i] = must_cast(fold(power));
    }
}

/// Computes the same as `hash_portable`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
pub(crate) fn hash_vpclmul(key: &Key, sum: u128, data: &[u8], end: u128) -> u128 {
    let mut sum = pclmul::from_number(sum);
    let (groups, mut data) = data.as_chunks::<{ 16 * POWERS }>();
    for group in groups {
        super::prefetch(group);
        let (vectors, _) = group.as_chunks::<WIDTH>();
        let mut product = Product::zero();
        // The block that needs the previous group's reduction comes last.
        for (i, vector) in vectors.iter().enumerate().skip(1) {
            product.add(turn(must_cast(*vector)), key, LANES * i);
        }
        product.add(_mm512_xor_si512(turn(must_cast(vectors[0])), _mm512_zextsi128_si512(sum)), key, 0);
        sum = product.reduce();
    }

    // At most 64 blocks, of which the last may be partial; with the end, one too many for a group.
    if end != 0 && data.len() > 16 * (POWERS - 1) {
        (sum, data) = (hash_group(key, sum, data, 0), &[]);
    }
    pclmul::to_number(hash_group(key, sum, data, end))
}

/// [`hash_vpclmul`] for data and end of at most 64 blocks together.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
fn hash_group(key: &Key, sum: __m128i, data: &[u8], end: u128) -> __m128i {
    let blocks = data.len().div_ceil(16) + usize::from(end != 0);
    if blocks == 0 {
        return sum;
    }
    let mut place = POWERS - blocks;
    let mut before = _mm512_zextsi128_si512(sum);
    let mut product = Product::zero();
    let (vectors, rest) = data.as_chunks::<WIDTH>();
    for vector in vectors {
        product.add(_mm512_xor_si512(turn(must_cast(*vector)), before), key, place);
        before = _mm512_setzero_si512();
        place += LANES;
    }
    if !rest.is_empty() {
        // The powers after the rest are multiplied by zero.
        product.add(_mm512_xor_si512(load_rest(rest), before), key, place);
        before = _mm512_setzero_si512();
    }
    if end != 0 {
        let end = _mm512_xor_si512(_mm512_zextsi128_si512(pclmul::from_number(end)), before);
        product.add(end, key, POWERS - 1);
    }
    product.reduce()
}

/// Computes the same as `carryless_portable`, in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
pub(crate) fn carryless_vpclmul(state: &mut Registers, steps: u64) {
    let factor = _mm512_set1_epi64(FACTOR.cast_signed());
    let mut chains: [__m512i; 12] = must_cast(*state);
    for _ in 0..steps {
        for v in &mut chains {
            *v = _mm512_clmulepi64_epi128::<0x00>(*v, factor);
        }
    }
    *state = must_cast(chains);
}

/// Sums of products in each lane, in the three parts of `pclmul::Product`.
struct Product {
    low: __m512i,
    high: __m512i,
    middle: __m512i,
}

impl Product {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
    fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Product { low: zero, high: zero, middle: zero }
    }

    /// Adds four blocks times the powers from `place` on.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
    fn add(&mut self, blocks: __m512i, key: &Key, place: usize) {
        let (powers, folded) = (load_numbers(&key.powers, place), load_numbers(&key.folded, place));
        self.low = _mm512_xor_si512(self.low, _mm512_clmulepi64_epi128::<0x00>(blocks, powers));
        self.high = _mm512_xor_si512(self.high, _mm512_clmulepi64_epi128::<0x11>(blocks, powers));
        self.middle = _mm512_xor_si512(self.middle, _mm512_clmulepi64_epi128::<0x00>(fold(blocks), folded));
    }

    /// Returns the remainder of the sum over all lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
    fn reduce(self) -> __m128i {
        let [low, high, middle] = [self.low, self.high, self.middle].map(|lanes| {
            let half = _mm256_xor_si256(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64::<1>(lanes));
            _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
        });
        pclmul::Product { low, high, middle }.reduce()
    }
}

/// Returns a·b·x^-128 in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
fn multiply(a: __m512i, b: __m512i) -> __m512i {
    let low = _mm512_clmulepi64_epi128::<0x00>(a, b);
    let high = _mm512_clmulepi64_epi128::<0x11>(a, b);
    let middle = _mm512_clmulepi64_epi128::<0x00>(fold(a), fold(b));
    let middle = _mm512_ternarylogic_epi64::<0x96>(middle, low, high);
    let low = _mm512_xor_si512(low, _mm512_bslli_epi128::<8>(middle));
    let high = _mm512_xor_si512(high, _mm512_bsrli_epi128::<8>(middle));
    let modulus = _mm512_set1_epi64(MODULUS);
    let step = |low| {
        let product = _mm512_clmulepi64_epi128::<0x00>(low, modulus);
        _mm512_xor_si512(_mm512_shuffle_epi32::<0x4e>(low), product)
    };
    _mm512_xor_si512(high, step(step(low)))
}

/// Returns the sum of the two halves of each lane, in both halves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
fn fold(a: __m512i) -> __m512i {
    _mm512_xor_si512(a, _mm512_shuffle_epi32::<0x4e>(a))
}

/// Returns the blocks with their bytes reversed, as numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
fn turn(blocks: __m512i) -> __m512i {
    let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_shuffle_epi8(blocks, _mm512_broadcast_i32x4(order))
}

/// Returns fewer bytes than a vector, padded with zero bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
fn load_rest(rest: &[u8]) -> __m512i {
    debug_assert!(rest.len() < WIDTH);
    let mask = (1 << (rest.len() % WIDTH)) - 1;
    // SAFETY: only the bytes whose bit is set are read, which are the first `rest.len() % 64` and so lie in `rest`.
    turn(unsafe { _mm512_maskz_loadu_epi8(mask, rest.as_ptr().cast()) })
}

/// Returns four numbers from `place` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1")]
fn load_numbers(numbers: &[u128; POWERS + LANES], place: usize) -> __m512i {
    debug_assert!(place <= POWERS);
    let (four, _) = numbers[place.min(POWERS)..].as_chunks::<LANES>();
    must_cast(four[0])
}
