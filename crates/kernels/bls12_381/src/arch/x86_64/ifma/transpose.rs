//! Transposition between eight elements in memory, six words each, and vectors of one word of all elements.

use std::arch::x86_64::*;

use super::field::Columns;
use crate::curve::point::Point;

/// Returns the first six words of each row, one vector a word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn first_six(rows: [&[u64; 8]; 8]) -> Columns {
    let (even, odd) = pairs(rows.map(|row| load(row)));
    let ([a, c, e], [b, d, f]) = (first_three(even), first_three(odd));
    [a, b, c, d, e, f]
}

/// Returns the last six words of each row, one vector a word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn last_six(rows: [&[u64; 8]; 8]) -> Columns {
    let (even, odd) = pairs(rows.map(|row| load(row)));
    let ([a, c, e], [b, d, f]) = (last_three(even), last_three(odd));
    [a, b, c, d, e, f]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn load(row: &[u64; 8]) -> __m512i {
    // SAFETY: the reference says that 64 bytes can be read there; the load needs no alignment.
    unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
}

/// Returns words 0, 2, 4 and 6 of each two rows side by side, and words 1, 3, 5 and 7: blocks of 128 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn pairs(r: [__m512i; 8]) -> ([__m512i; 4], [__m512i; 4]) {
    let even = |i: usize| _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
    let odd = |i: usize| _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    ([even(0), even(1), even(2), even(3)], [odd(0), odd(1), odd(2), odd(3)])
}

/// Blocks i and j of a, then blocks k and l of b.
macro_rules! blocks {
    ($a:expr, [$i:literal, $j:literal], $b:expr, [$k:literal, $l:literal]) => {
        _mm512_shuffle_i64x2::<{ $i | $j << 2 | $k << 4 | $l << 6 }>($a, $b)
    };
}

/// Returns block 0 of all four, block 1 and block 2.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn first_three([a, b, c, d]: [__m512i; 4]) -> [__m512i; 3] {
    let (ab, cd) = (blocks!(a, [0, 1], b, [0, 1]), blocks!(c, [0, 1], d, [0, 1]));
    let (ab_2, cd_2) = (blocks!(a, [2, 3], b, [2, 3]), blocks!(c, [2, 3], d, [2, 3]));
    [blocks!(ab, [0, 2], cd, [0, 2]), blocks!(ab, [1, 3], cd, [1, 3]), blocks!(ab_2, [0, 2], cd_2, [0, 2])]
}

/// Returns block 1 of all four, block 2 and block 3.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn last_three([a, b, c, d]: [__m512i; 4]) -> [__m512i; 3] {
    let (ab, cd) = (blocks!(a, [0, 1], b, [0, 1]), blocks!(c, [0, 1], d, [0, 1]));
    let (ab_2, cd_2) = (blocks!(a, [2, 3], b, [2, 3]), blocks!(c, [2, 3], d, [2, 3]));
    let last = blocks!(ab_2, [1, 3], cd_2, [1, 3]);
    [blocks!(ab, [1, 3], cd, [1, 3]), blocks!(ab_2, [0, 2], cd_2, [0, 2]), last]
}

/// Returns the point of each lane, as its first eight words and its last four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn points(x: &Columns, y: &Columns) -> [(__m512i, __m256i); 8] {
    let (even, odd) = pairs([x[0], x[1], x[2], x[3], x[4], x[5], y[0], y[1]]);
    // Words 0 and 1 of the even lanes in `even[0]`, a block each, words 2 and 3 in `even[1]`; the odd ones in `odd`.
    let (even, odd) = (transposed(even), transposed(odd));
    let unpacked = |a, b| (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let ((even_low, odd_low), (even_high, odd_high)) = (unpacked(y[2], y[3]), unpacked(y[4], y[5]));
    // Lanes 0 and 2, then 4 and 6.
    let (first, second) =
        (_mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4));
    let (even_a, even_b) = (
        _mm512_permutex2var_epi64(even_low, first, even_high),
        _mm512_permutex2var_epi64(even_low, second, even_high),
    );
    let (odd_a, odd_b) = (
        _mm512_permutex2var_epi64(odd_low, first, odd_high),
        _mm512_permutex2var_epi64(odd_low, second, odd_high),
    );
    [
        (even[0], _mm512_castsi512_si256(even_a)),
        (odd[0], _mm512_castsi512_si256(odd_a)),
        (even[1], _mm512_extracti64x4_epi64::<1>(even_a)),
        (odd[1], _mm512_extracti64x4_epi64::<1>(odd_a)),
        (even[2], _mm512_castsi512_si256(even_b)),
        (odd[2], _mm512_castsi512_si256(odd_b)),
        (even[3], _mm512_extracti64x4_epi64::<1>(even_b)),
        (odd[3], _mm512_extracti64x4_epi64::<1>(odd_b)),
    ]
}

/// Returns the transpose of four vectors of four blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
fn transposed([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ab, cd) = (blocks!(a, [0, 1], b, [0, 1]), blocks!(c, [0, 1], d, [0, 1]));
    let (ab_2, cd_2) = (blocks!(a, [2, 3], b, [2, 3]), blocks!(c, [2, 3], d, [2, 3]));
    [
        blocks!(ab, [0, 2], cd, [0, 2]),
        blocks!(ab, [1, 3], cd, [1, 3]),
        blocks!(ab_2, [0, 2], cd_2, [0, 2]),
        blocks!(ab_2, [1, 3], cd_2, [1, 3]),
    ]
}

/// Writes a point that [`points`] returned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma")]
pub(super) fn store(point: &mut Point, (first, last): (__m512i, __m256i)) {
    let words = std::ptr::from_mut(point).cast::<u64>();
    // SAFETY: a point is twelve words, which the reference says can be written; the stores need no alignment.
    unsafe {
        _mm512_storeu_si512(words.cast(), first);
        _mm256_storeu_si256(words.add(8).cast(), last);
    }
}
