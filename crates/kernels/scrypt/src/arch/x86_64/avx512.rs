//! AVX-512: four lanes in a register, up to eight in two.
#![allow(unsafe_code, reason = "non-temporal stores take pointers")]

use std::arch::x86_64::*;
use std::array;

use bytemuck::{must_cast, must_cast_mut, must_cast_slice};

use super::{AHEAD, place, prefetch};
use crate::arch::generic::{Group, PACKED};
use crate::memory::Block;

kernels!(
    "avx512f,avx512bw,avx512vl,avx512dq",
    romix_avx512,
    clear_avx512,
    __m512i,
    _mm512_xor_si512,
    _mm512_add_epi32,
    _mm512_shuffle_epi32,
    _mm512_stream_si512
);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn rotate<const LEFT: i32>(v: __m512i) -> __m512i {
    _mm512_rol_epi32::<LEFT>(v)
}

/// Returns the rows of `LANES` lanes. All blocks are loaded before the first is used: they are far apart in memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn across<const REGISTERS: usize, const LANES: usize>(lanes: [&Block; LANES]) -> [Rows; REGISTERS] {
    let lines: [__m512i; LANES] = array::from_fn(|l| must_cast(*lanes[l]));
    let line = |i: usize| if i < LANES { lines[i] } else { lines[i / WIDTH * WIDTH] };
    array::from_fn(|g| transpose(array::from_fn(|l| line(g * WIDTH + l))))
}

/// Returns the blocks of four lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn blocks(rows: Rows) -> [Block; WIDTH] {
    must_cast(transpose(rows))
}

/// Converts between rows of four lanes and the blocks of four lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn transpose(l: Rows) -> Rows {
    let low = [_mm512_shuffle_i32x4::<0x44>(l[0], l[1]), _mm512_shuffle_i32x4::<0x44>(l[2], l[3])];
    let high = [_mm512_shuffle_i32x4::<0xee>(l[0], l[1]), _mm512_shuffle_i32x4::<0xee>(l[2], l[3])];
    [
        _mm512_shuffle_i32x4::<0x88>(low[0], low[1]),
        _mm512_shuffle_i32x4::<0xdd>(low[0], low[1]),
        _mm512_shuffle_i32x4::<0x88>(high[0], high[1]),
        _mm512_shuffle_i32x4::<0xdd>(high[0], high[1]),
    ]
}
