//! GHASH by VPCLMULQDQ: four blocks in a vector of 512 bits, and one reduction for up to 64 blocks.
#![allow(unsafe_code, reason = "a load with a mask takes a pointer")]

use std::arch::x86_64::*;
use std::hint::black_box;

use bytemuck::must_cast;

use super::pclmul::{self, MODULUS};
use crate::arch::generic::ghash::{Key, POWERS};

/// Defines the kernel for vectors of one width, from their type, the number of their lanes, the features and the
/// instructions, which differ in their names only.
macro_rules! ghash {
    (
        $vector:ident, $lanes:literal, enable = $features:literal,
        rest $rest:ident, xor $xor:ident, zero $zero:ident, extended $extended:ident, broadcast $broadcast:ident,
        splat $splat:ident, product $product:ident, bytes $bytes:ident, words $words:ident, left $left:ident,
        right $right:ident
    ) => {
        /// Blocks in a vector.
        const LANES: usize = $lanes;
        /// Bytes of a vector.
        const WIDTH: usize = 16 * LANES;
        /// Vectors of a whole group.
        const VECTORS: usize = POWERS / LANES;
        /// Vectors of a part of a group.
        const PART: usize = 8;

        /// Computes all powers: the vector of the first ones, then twice as many vectors in each step.
        #[target_feature(enable = $features)]
        pub(crate) fn expand(key: &mut Key) {
            let first = pclmul::from_number(key.first());
            let mut lanes = [first; LANES];
            for lane in (0..LANES - 1).rev() {
                lanes[lane] = pclmul::multiply(lanes[lane + 1], first);
            }
            let mut powers = [must_cast::<_, $vector>(lanes); VECTORS];
            // powers[i] holds the powers LANES·(i + 1) to LANES·i + 1, so its first lane is the factor for an offset
            // of i + 1 vectors.
            let mut have = 1;
            while have < VECTORS {
                let [up, ..] = must_cast::<_, [__m128i; LANES]>(powers[have - 1]);
                let (known, new) = powers.split_at_mut(have);
                for (new, known) in new.iter_mut().zip(known) {
                    *new = multiply(*known, $broadcast(up));
                }
                have *= 2;
            }
            for (i, power) in (0..VECTORS).rev().zip(powers) {
                key.powers.as_chunks_mut::<LANES>().0[i] = must_cast(power);
                key.folded.as_chunks_mut::<LANES>().0[i] = must_cast(fold(power));
            }
        }

        /// Computes the same as `hash_portable`.
        #[target_feature(enable = $features)]
        pub(crate) fn hash(key: &Key, sum: u128, data: &[u8], end: u128) -> u128 {
            const { assert!(VECTORS.is_multiple_of(PART)) }
            let mut sum = pclmul::from_number(sum);
            let (groups, mut data) = data.as_chunks::<{ 16 * POWERS }>();
            for group in groups {
                super::prefetch(group);
                // The compiler would copy all powers to the stack before the first group.
                let key = black_box(key);
                let (vectors, _) = group.as_chunks::<WIDTH>();
                let mut product = Product::zero();
                // The block that needs the previous group's reduction comes last. Parts of a few vectors become code
                // without branches: the end of a loop of 31 steps can be mispredicted.
                let (parts, _) = vectors.as_chunks::<PART>();
                for (part, vectors) in parts.iter().enumerate() {
                    for (i, vector) in vectors.iter().enumerate().skip(usize::from(part == 0)) {
                        product.add(turn(must_cast(*vector)), key, LANES * (PART * part + i));
                    }
                }
                product.add($xor(turn(must_cast(vectors[0])), $extended(sum)), key, 0);
                sum = product.reduce();
            }

            // At most 64 blocks, of which the last may be partial; with the end, one too many for a group.
            if end != 0 && data.len() > 16 * (POWERS - 1) {
                (sum, data) = (hash_group(key, sum, data, 0), &[]);
            }
            pclmul::to_number(hash_group(key, sum, data, end))
        }

        /// Returns GHASH of data and end of at most 64 blocks together.
        #[inline]
        #[target_feature(enable = $features)]
        fn hash_group(key: &Key, sum: __m128i, data: &[u8], end: u128) -> __m128i {
            let blocks = data.len().div_ceil(16) + usize::from(end != 0);
            if blocks == 0 {
                return sum;
            }
            let mut place = POWERS - blocks;
            let mut before = $extended(sum);
            let mut product = Product::zero();
            let (vectors, rest) = data.as_chunks::<WIDTH>();
            for vector in vectors {
                product.add($xor(turn(must_cast(*vector)), before), key, place);
                before = $zero();
                place += LANES;
            }
            if !rest.is_empty() {
                // The powers after the rest are multiplied by zero.
                product.add($xor(turn($rest(rest)), before), key, place);
                before = $zero();
            }
            if end != 0 {
                let end = $xor($extended(pclmul::from_number(end)), before);
                product.add(end, key, POWERS - 1);
            }
            product.reduce()
        }

        /// Sums of products in each lane, in the three parts of `pclmul::Product`.
        struct Product {
            low: $vector,
            high: $vector,
            middle: $vector,
        }

        impl Product {
            #[inline]
            #[target_feature(enable = $features)]
            fn zero() -> Self {
                Product { low: $zero(), high: $zero(), middle: $zero() }
            }

            /// Adds the blocks of a vector times the powers from `place` on.
            #[inline]
            #[target_feature(enable = $features)]
            fn add(&mut self, blocks: $vector, key: &Key, place: usize) {
                let (powers, folded) = (load_numbers(&key.powers, place), load_numbers(&key.folded, place));
                self.low = $xor(self.low, $product::<0x00>(blocks, powers));
                self.high = $xor(self.high, $product::<0x11>(blocks, powers));
                self.middle = $xor(self.middle, $product::<0x00>(fold(blocks), folded));
            }

            /// Returns the remainder of the sum over all lanes.
            #[inline]
            #[target_feature(enable = $features)]
            fn reduce(self) -> __m128i {
                let [low, high, middle] = [self.low, self.high, self.middle].map(|lanes| {
                    let lanes: [__m128i; LANES] = must_cast(lanes);
                    lanes.into_iter().reduce(|sum, lane| _mm_xor_si128(sum, lane)).unwrap_or(lanes[0])
                });
                pclmul::Product { low, high, middle }.reduce()
            }
        }

        /// Returns a·b·x^-128 in each lane.
        #[inline]
        #[target_feature(enable = $features)]
        fn multiply(a: $vector, b: $vector) -> $vector {
            let low = $product::<0x00>(a, b);
            let high = $product::<0x11>(a, b);
            let middle = $xor($product::<0x00>(fold(a), fold(b)), $xor(low, high));
            let (low, high) = ($xor(low, $left::<8>(middle)), $xor(high, $right::<8>(middle)));
            let modulus = $splat(MODULUS);
            let step = |low| $xor($words::<0x4e>(low), $product::<0x00>(low, modulus));
            $xor(high, step(step(low)))
        }

        /// Returns the sum of the two halves of each lane, in both halves.
        #[inline]
        #[target_feature(enable = $features)]
        fn fold(a: $vector) -> $vector {
            $xor(a, $words::<0x4e>(a))
        }

        /// Returns the blocks with their bytes reversed, as numbers.
        #[inline]
        #[target_feature(enable = $features)]
        fn turn(blocks: $vector) -> $vector {
            let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            $bytes(blocks, $broadcast(order))
        }

        /// Returns the numbers of a vector from `place` on.
        #[inline]
        #[target_feature(enable = $features)]
        fn load_numbers(numbers: &[u128; POWERS + 4], place: usize) -> $vector {
            debug_assert!(place <= POWERS);
            let (lanes, _) = numbers[place.min(POWERS)..].as_chunks::<LANES>();
            must_cast(lanes[0])
        }
    };
}
pub(super) use ghash;

ghash!(
    __m512i, 4, enable = "avx512f,avx512bw,avx512vl,avx512dq,vpclmulqdq,pclmulqdq,ssse3,sse4.1",
    rest rest512,
    xor _mm512_xor_si512, zero _mm512_setzero_si512, extended _mm512_zextsi128_si512,
    broadcast _mm512_broadcast_i32x4, splat _mm512_set1_epi64, product _mm512_clmulepi64_epi128,
    bytes _mm512_shuffle_epi8, words _mm512_shuffle_epi32, left _mm512_bslli_epi128, right _mm512_bsrli_epi128
);

/// Returns fewer than 64 bytes, padded with zero bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn rest512(rest: &[u8]) -> __m512i {
    debug_assert!(rest.len() < 64);
    let mask = (1 << (rest.len() % 64)) - 1;
    // SAFETY: only the bytes whose bit is set are read, which are the first `rest.len() % 64` and so lie in `rest`.
    unsafe { _mm512_maskz_loadu_epi8(mask, rest.as_ptr().cast()) }
}
