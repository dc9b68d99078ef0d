//! VHASH by AVX-512 IFMA: eight blocks at once, a block in each lane.
//!
//! Numbers modulo 2^127 − 1 are three limbs of 52, 52 and 23 bits. IFMA multiplies the low 52 bits of its operands
//! and adds the low or high 52 bits of the product to a third one.

use std::arch::x86_64::*;

use bytemuck::must_cast;

use super::avx2;
use crate::arch::generic::vhash::{self, BLOCK, Key, Sums};

/// Blocks that are hashed at once.
const LANES: usize = 8;
/// Bytes from which on vectors are faster for tags of 8 bytes and of 16: below, the last product over all lanes costs
/// more than they save.
const MIN: [usize; 2] = [2 * LANES * BLOCK, LANES * BLOCK];
/// The block of eight in each lane after the transposition.
const ORDER: [usize; LANES] = [0, 1, 4, 5, 2, 3, 6, 7];
/// The lane that holds the last block.
const LAST: usize = 7;

/// The low 52 bits.
const LIMB: u64 = (1 << 52) - 1;
/// Bits of the highest limb.
const TOP: u32 = 127 - 2 * 52;

/// Limbs in each lane.
type Number = [__m512i; 3];

/// Computes the powers for the lanes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(crate) fn expand_ifma(key: &mut Key) {
    for (lanes, poly) in key.lanes.iter_mut().zip(&key.poly) {
        // 1, k, k^2, … k^8
        let mut powers = [1; LANES + 1];
        for i in 1..powers.len() {
            powers[i] = vhash::multiply(powers[i - 1], *poly);
        }
        lanes.step = limbs(powers[LANES]);
        for (lane, block) in ORDER.into_iter().enumerate() {
            let power = limbs(powers[LANES - 1 - block]);
            lanes.last.iter_mut().zip(power).for_each(|(lanes, limb)| lanes[lane] = limb);
        }
    }
}

fn limbs(number: u128) -> [u64; 3] {
    debug_assert!(number >> 127 == 0);
    [number as u64 & LIMB, (number >> 52) as u64 & LIMB, (number >> 104) as u64]
}

/// Computes the same as `hash_portable`.
#[target_feature(enable = "bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(crate) fn hash_ifma<const PASSES: usize>(key: &Key, sums: Sums, data: &[u8]) -> Sums {
    if data.len() < MIN[PASSES - 1] {
        return avx2::hash_avx2::<PASSES>(key, sums, data);
    }
    let (eights, rest) = data.as_chunks();
    avx2::hash_avx2::<PASSES>(key, hash_lanes::<PASSES>(key, sums, eights), rest)
}

/// Computes the same as `finish_portable`.
#[target_feature(enable = "bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(crate) fn finish_ifma<const PASSES: usize>(key: &Key, sums: Sums, rest: &[u8], total: u64) -> [u64; 2] {
    if rest.len() < MIN[PASSES - 1] {
        return avx2::finish_avx2::<PASSES>(key, sums, rest, total);
    }
    let (eights, rest) = rest.as_chunks();
    avx2::finish_avx2::<PASSES>(key, hash_lanes::<PASSES>(key, sums, eights), rest, total)
}

/// Returns VHASH's first two layers from `sums` over blocks in lanes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn hash_lanes<const PASSES: usize>(key: &Key, sums: Sums, eights: &[[u8; LANES * BLOCK]]) -> Sums {
    let zero = _mm512_setzero_si512();
    let mut lanes = [[zero; 3]; PASSES];
    for pass in 0..PASSES {
        // The lane of the last of the eight blocks holds the hash before it, which each step multiplies by k^8.
        let before = limbs(vhash::fold(sums[pass]));
        lanes[pass] = before.map(|limb| _mm512_maskz_set1_epi64(1 << LAST, limb.cast_signed()));
    }
    let step: [Number; PASSES] =
        std::array::from_fn(|pass| key.lanes[pass].step.map(|limb| _mm512_set1_epi64(limb.cast_signed())));
    for blocks in eights {
        super::prefetch(blocks);
        let numbers = nh::<PASSES>(key, blocks);
        for pass in 0..PASSES {
            lanes[pass] = multiply_add(lanes[pass], step[pass], numbers[pass]);
        }
    }
    let mut sums = sums;
    for pass in 0..PASSES {
        let powers = must_cast(key.lanes[pass].last);
        let columns = columns(lanes[pass], powers, [zero; 3]);
        sums[pass] = number(columns.map(|column| _mm512_reduce_add_epi64(column).cast_unsigned()));
    }
    sums
}

/// Returns the first layer of eight blocks, as numbers of 126 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn nh<const PASSES: usize>(key: &Key, blocks: &[u8; LANES * BLOCK]) -> [Number; PASSES] {
    let zero = _mm512_setzero_si512();
    // For each pass: the low half of a0·b0 at 1; its high half, and the low halves of a0·b1 and a1·b0, at 2^52; their
    // high halves, and a1·b1, at 2^104. Each has its own accumulator, so that no addition waits for another. With
    // eight pairs, all are below 2^55.
    let mut parts = [[zero; 7]; PASSES];
    for quarter in 0..4 {
        let words = transpose(blocks, quarter);
        for half in 0..2 {
            let pair = 2 * quarter + half;
            for (pass, parts) in parts.iter_mut().enumerate() {
                let word = |i: usize| {
                    let key = _mm512_set1_epi64(key.nh[2 * (pair + pass) + i].cast_signed());
                    _mm512_add_epi64(words[2 * half + i], key)
                };
                // IFMA reads the low 52 bits of a word.
                let (a, b) = (word(0), word(1));
                let (a1, b1) = (_mm512_srli_epi64::<52>(a), _mm512_srli_epi64::<52>(b));
                parts[0] = _mm512_madd52lo_epu64(parts[0], a, b);
                parts[1] = _mm512_madd52hi_epu64(parts[1], a, b);
                parts[2] = _mm512_madd52lo_epu64(parts[2], a, b1);
                parts[3] = _mm512_madd52lo_epu64(parts[3], a1, b);
                parts[4] = _mm512_madd52hi_epu64(parts[4], a, b1);
                parts[5] = _mm512_madd52hi_epu64(parts[5], a1, b);
                parts[6] = _mm512_madd52lo_epu64(parts[6], a1, b1);
            }
        }
    }
    let mask = _mm512_set1_epi64(LIMB.cast_signed());
    parts.map(|parts| {
        let middle = _mm512_add_epi64(_mm512_add_epi64(parts[1], parts[2]), parts[3]);
        let high = _mm512_add_epi64(_mm512_add_epi64(parts[4], parts[5]), parts[6]);
        let middle = _mm512_add_epi64(middle, _mm512_srli_epi64::<52>(parts[0]));
        let high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(middle));
        let high = _mm512_and_si512(high, _mm512_set1_epi64((1 << (126 - 2 * 52)) - 1));
        [_mm512_and_si512(parts[0], mask), _mm512_and_si512(middle, mask), high]
    })
}

/// Returns the words 4q to 4q + 3 of eight blocks, each as a vector with a lane for each block, in the order of
/// [`ORDER`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn transpose(blocks: &[u8; LANES * BLOCK], quarter: usize) -> [__m512i; 4] {
    let (quarters, _) = blocks.as_chunks::<32>();
    let part = |block: usize| must_cast(quarters[4 * block + quarter]);
    let both = |block| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(part(block)), part(block + 4));
    let rows: [__m512i; 4] = std::array::from_fn(both);
    // The even words, and the odd ones, of two blocks side by side.
    let (even, odd) = (_mm512_unpacklo_epi64(rows[0], rows[1]), _mm512_unpackhi_epi64(rows[0], rows[1]));
    let (even2, odd2) = (_mm512_unpacklo_epi64(rows[2], rows[3]), _mm512_unpackhi_epi64(rows[2], rows[3]));
    [
        _mm512_shuffle_i64x2::<0x88>(even, even2),
        _mm512_shuffle_i64x2::<0x88>(odd, odd2),
        _mm512_shuffle_i64x2::<0xdd>(even, even2),
        _mm512_shuffle_i64x2::<0xdd>(odd, odd2),
    ]
}

/// Returns the number modulo 2^127 − 1 with these coefficients of 1, 2^52, … 2^208, at most 2^127.
fn number(columns: [u64; 5]) -> u128 {
    debug_assert!(columns.iter().all(|column| column >> 58 == 0) && columns[4] >> 51 == 0);
    let [c0, c1, c2, c3, c4] = columns.map(u128::from);
    // Below 2^127 + 2^111. 2^127 is 1.
    let low = c0 + (c1 << 52) + ((c2 % (1 << TOP)) << 104) + (c2 >> TOP);
    // Below 2^127 + 2^6. 2^156 is 2^29.
    let high = c3 + (c4 << 52);
    let high = ((high % (1 << (127 - 29))) << 29) + (high >> (127 - 29));
    vhash::fold(vhash::fold(low) + high)
}

/// Returns the columns of a·b + c in each lane, the coefficients of 1, 2^52, … 2^208: below 2^55, the last below 2^48.
/// The low limbs of all are below 2^52, the highest below 2^23 or 2^23 itself.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn columns(a: Number, b: Number, c: Number) -> [__m512i; 5] {
    let zero = _mm512_setzero_si512();
    // Low halves and high ones apart; a2·b2 is below 2^47 and has no high half.
    let (mut low, mut high) = ([c[0], c[1], c[2], zero, zero], [zero; 5]);
    for i in 0..3 {
        for j in 0..3 {
            low[i + j] = _mm512_madd52lo_epu64(low[i + j], a[i], b[j]);
            if i + j < 4 {
                high[i + j + 1] = _mm512_madd52hi_epu64(high[i + j + 1], a[i], b[j]);
            }
        }
    }
    std::array::from_fn(|i| _mm512_add_epi64(low[i], high[i]))
}

/// Returns a·b + c modulo 2^127 − 1 in each lane, with the same bounds.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn multiply_add(a: Number, b: Number, c: Number) -> Number {
    let columns = columns(a, b, c);
    // 2^156 is 2^29, so that the low 23 bits of that column go up by 29 bits, and the others to the next column.
    let top = _mm512_set1_epi64((1 << TOP) - 1);
    let mask = _mm512_set1_epi64(LIMB.cast_signed());
    let up = |column| _mm512_slli_epi64::<{ 52 - TOP }>(_mm512_and_si512(column, top));
    let mut limb0 = _mm512_add_epi64(columns[0], up(columns[3]));
    let mut limb1 = _mm512_add_epi64(columns[1], up(columns[4]));
    limb1 = _mm512_add_epi64(limb1, _mm512_srli_epi64::<TOP>(columns[3]));
    let mut limb2 = _mm512_add_epi64(columns[2], _mm512_srli_epi64::<TOP>(columns[4]));
    // Carries, around the top, and a second time.
    limb1 = _mm512_add_epi64(limb1, _mm512_srli_epi64::<52>(limb0));
    limb2 = _mm512_add_epi64(limb2, _mm512_srli_epi64::<52>(limb1));
    limb0 = _mm512_add_epi64(_mm512_and_si512(limb0, mask), _mm512_srli_epi64::<TOP>(limb2));
    limb1 = _mm512_add_epi64(_mm512_and_si512(limb1, mask), _mm512_srli_epi64::<52>(limb0));
    limb2 = _mm512_add_epi64(_mm512_and_si512(limb2, top), _mm512_srli_epi64::<52>(limb1));
    [_mm512_and_si512(limb0, mask), _mm512_and_si512(limb1, mask), limb2]
}
