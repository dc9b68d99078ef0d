//! AVX-512: four lanes in a register, up to 16 in four.
//!
//! A block of a lane is 16 words, which lie in memory as four rows of four: the diagonals of Salsa20's matrix (see
//! [`PACKED`]). A register holds the same row of four lanes, so a round is four steps of addition, rotation and
//! exclusive-or over whole registers, and then the rows are rotated within each lane.
#![allow(unsafe_code, reason = "loads and stores take pointers")]
#![allow(clippy::needless_range_loop, reason = "one index stands for the same block of X, V and every lane")]

use std::arch::x86_64::*;
use std::array;

use super::{AHEAD, place, prefetch};
use crate::arch::generic::{Group, PACKED};
use crate::memory::{Block, is_cached};

/// Lanes of a register.
const WIDTH: usize = 4;

/// The four rows of a block, each of four lanes.
type Rows = [__m512i; 4];

/// Computes scryptROMix for `LANES` lanes in `REGISTERS` = ⌈`LANES` / 4⌉ registers a row. Places without a lane hold
/// a copy of the first lane of their register, and store nothing.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(crate) fn romix_avx512<const LANES: usize, const REGISTERS: usize>(group: Group<'_>) -> bool {
    const { assert!(REGISTERS == LANES.div_ceil(WIDTH)) };
    let (steps, cached) = (group.steps_a_tick(), is_cached(group.v));
    let Group { rows, row, b, v, scratch, tick } = group;
    let lane = rows * row;
    let (x, y) = scratch.split_at_mut(row * REGISTERS * WIDTH);
    let mut lanes: [&mut [Block]; LANES] = {
        let mut rest = v;
        array::from_fn(|_| {
            let (own, behind) = std::mem::take(&mut rest).split_at_mut(lane);
            rest = behind;
            own
        })
    };
    for i in 0..row {
        let own: [Block; LANES] = array::from_fn(|l| Block(PACKED.map(|w| b[l * row + i].0[w])));
        store_x::<REGISTERS>(x, i, across(array::from_fn::<_, LANES, _>(|l| load(&own[l]))));
    }
    let mut from = 0;
    while from < rows {
        let to = rows.min(from + steps);
        for i in (from..to).step_by(2) {
            fill::<LANES, REGISTERS>(row, x, y, &mut lanes, i * row, cached);
            fill::<LANES, REGISTERS>(row, y, x, &mut lanes, (i + 1) * row, cached);
        }
        _mm_sfence();
        if !tick(to - from) {
            return false;
        }
        from = to;
    }
    let mut from = 0;
    while from < rows {
        let to = rows.min(from + steps);
        for _ in (from..to).step_by(2) {
            mix::<LANES, REGISTERS>(row, x, y, &lanes);
            mix::<LANES, REGISTERS>(row, y, x, &lanes);
        }
        if !tick(to - from) {
            return false;
        }
        from = to;
    }
    for i in 0..row {
        let t: [Rows; REGISTERS] = load_x(x, i);
        for (g, t) in t.into_iter().enumerate() {
            for (l, line) in transpose(t).into_iter().enumerate().take(LANES - g * WIDTH) {
                let mut own = Block([0; 16]);
                store(&mut own, line);
                for (word, at) in own.0.into_iter().zip(PACKED) {
                    b[(g * WIDTH + l) * row + i].0[at] = word;
                }
            }
        }
    }
    true
}

/// Computes V[`at`..] = X, through the caches if V is `cached`, and Y = scryptBlockMix(X).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn fill<const LANES: usize, const REGISTERS: usize>(
    row: usize,
    x: &[Block],
    y: &mut [Block],
    lanes: &mut [&mut [Block]; LANES],
    at: usize,
    cached: bool,
) {
    let to: [&mut [Block]; LANES] = {
        let mut lanes = lanes.iter_mut();
        array::from_fn(|_| match lanes.next() {
            Some(lane) => &mut lane[at..at + row],
            None => &mut [],
        })
    };
    let mut t: [Rows; REGISTERS] = load_x(x, row - 1);
    for i in 0..row {
        let input: [Rows; REGISTERS] = load_x(x, i);
        for g in 0..REGISTERS {
            for (l, line) in transpose(input[g]).into_iter().enumerate() {
                if g * WIDTH + l < LANES {
                    let to = &mut to[g * WIDTH + l][i];
                    if cached { store(to, line) } else { stream(to, line) }
                }
            }
            t[g] = array::from_fn(|k| _mm512_xor_si512(t[g][k], input[g][k]));
        }
        t = salsa20_8(t);
        store_x(y, place(i, row), t);
    }
}

/// Computes Y = scryptBlockMix(X xor V[j]), j = Integerify(X) mod N of each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn mix<const LANES: usize, const REGISTERS: usize>(
    row: usize,
    x: &[Block],
    y: &mut [Block],
    lanes: &[&mut [Block]; LANES],
) {
    let last = &x[(row - 1) * REGISTERS * WIDTH..];
    let from: [&[Block]; LANES] = array::from_fn(|l| {
        let (g, word) = (l / WIDTH, 4 * (l % WIDTH));
        // Words 0 and 1 of a block lie at the start of its row 0 and after the start of its row 3.
        let j = u64::from(last[g * WIDTH].0[word]) | u64::from(last[g * WIDTH + 3].0[word + 1]) << 32;
        let rows = lanes[l].len() / row;
        let at = (j as usize & (rows - 1)) * row;
        &lanes[l][at..at + row]
    });
    // The first block of every lane before the second of any: they are needed in this order.
    for i in 0..AHEAD.min(row) {
        for lane in from {
            prefetch(&lane[i]);
        }
    }
    let mut t: [Rows; REGISTERS] = load_x(x, row - 1);
    let v: [Rows; REGISTERS] = across(array::from_fn::<_, LANES, _>(|l| load(&from[l][row - 1])));
    t = xor(t, v);
    for i in 0..row {
        if i + AHEAD < row {
            for lane in from {
                prefetch(&lane[i + AHEAD]);
            }
        }
        t = xor(t, load_x(x, i));
        t = xor(t, across(array::from_fn::<_, LANES, _>(|l| load(&from[l][i]))));
        t = salsa20_8(t);
        store_x(y, place(i, row), t);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn xor<const REGISTERS: usize>(a: [Rows; REGISTERS], b: [Rows; REGISTERS]) -> [Rows; REGISTERS] {
    array::from_fn(|g| array::from_fn(|k| _mm512_xor_si512(a[g][k], b[g][k])))
}

/// Computes Salsa20/8 of each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn salsa20_8<const REGISTERS: usize>(start: [Rows; REGISTERS]) -> [Rows; REGISTERS] {
    let mut t = start;
    for _ in 0..4 {
        quarters(&mut t);
        // Rows 1 and 3 change places, as columns become rows.
        for [_, b, c, d] in &mut t {
            (*b, *d) = (_mm512_shuffle_epi32::<0b00_11_10_01>(*d), _mm512_shuffle_epi32::<0b10_01_00_11>(*b));
            *c = _mm512_shuffle_epi32::<0b01_00_11_10>(*c);
        }
        quarters(&mut t);
        for [_, b, c, d] in &mut t {
            (*b, *d) = (_mm512_shuffle_epi32::<0b00_11_10_01>(*d), _mm512_shuffle_epi32::<0b10_01_00_11>(*b));
            *c = _mm512_shuffle_epi32::<0b01_00_11_10>(*c);
        }
    }
    array::from_fn(|g| array::from_fn(|k| _mm512_add_epi32(t[g][k], start[g][k])))
}

/// Computes the four quarter-rounds of a round.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn quarters<const REGISTERS: usize>(t: &mut [Rows; REGISTERS]) {
    for [a, b, _, d] in &mut *t {
        *b = step::<7, 25, 7, REGISTERS>(*b, *a, *d);
    }
    for [a, b, c, _] in &mut *t {
        *c = step::<9, 23, 9, REGISTERS>(*c, *b, *a);
    }
    for [_, b, c, d] in &mut *t {
        *d = step::<13, 19, 13, REGISTERS>(*d, *c, *b);
    }
    for [a, _, c, d] in &mut *t {
        *a = step::<18, 14, 18, REGISTERS>(*a, *d, *c);
    }
}

/// Computes `to` xor (`a` + `b`) <<< `LEFT`.
///
/// On Zen 4 a rotation takes two cycles, but a shift and an exclusive-or of three operands one each. So the chain of
/// one register is a quarter shorter by shifts. With more registers, whose chains fill the processor, an instruction
/// less counts.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn step<const LEFT: u32, const RIGHT: u32, const TURN: i32, const REGISTERS: usize>(
    to: __m512i,
    a: __m512i,
    b: __m512i,
) -> __m512i {
    const { assert!(LEFT + RIGHT == 32 && LEFT == TURN as u32) };
    let sum = _mm512_add_epi32(a, b);
    match REGISTERS {
        1 => {
            let (left, right) = (_mm512_slli_epi32::<LEFT>(sum), _mm512_srli_epi32::<RIGHT>(sum));
            _mm512_ternarylogic_epi32::<XOR3>(to, left, right)
        }
        _ => _mm512_xor_si512(to, _mm512_rol_epi32::<TURN>(sum)),
    }
}

/// The table of `vpternlogd` that xors its three operands.
pub(super) const XOR3: i32 = 0x96;

/// Returns the rows of `LANES` lanes whose blocks are `lines`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn across<const REGISTERS: usize, const LANES: usize>(lines: [__m512i; LANES]) -> [Rows; REGISTERS] {
    array::from_fn(|g| {
        let at = |l: usize| if g * WIDTH + l < LANES { lines[g * WIDTH + l] } else { lines[g * WIDTH] };
        transpose([at(0), at(1), at(2), at(3)])
    })
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

/// Returns block i of all lanes, as [`store_x`] wrote it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn load_x<const REGISTERS: usize>(x: &[Block], i: usize) -> [Rows; REGISTERS] {
    let x = &x[i * REGISTERS * WIDTH..][..REGISTERS * WIDTH];
    array::from_fn(|g| array::from_fn(|k| load(&x[g * WIDTH + k])))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn store_x<const REGISTERS: usize>(x: &mut [Block], i: usize, t: [Rows; REGISTERS]) {
    let x = &mut x[i * REGISTERS * WIDTH..][..REGISTERS * WIDTH];
    for g in 0..REGISTERS {
        for k in 0..4 {
            store(&mut x[g * WIDTH + k], t[g][k]);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn load(block: &Block) -> __m512i {
    // SAFETY: the reference says that 64 bytes can be read there, and `Block` lies at a multiple of 64.
    unsafe { _mm512_load_si512((&raw const *block).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn store(block: &mut Block, value: __m512i) {
    // SAFETY: as in `load`, and the reference is the only one.
    unsafe { _mm512_store_si512((&raw mut *block).cast(), value) }
}

/// Stores past the caches, because the row is read again only after all others were written. For a V that fits
/// them, see [`is_cached`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn stream(block: &mut Block, value: __m512i) {
    // SAFETY: as in `store`; `romix_avx512` and `clear_avx512` put a fence after these stores before others can read
    // them.
    unsafe { _mm512_stream_si512((&raw mut *block).cast(), value) }
}

/// Fills with zeros, past the caches.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(crate) fn clear_avx512(blocks: &mut [Block]) {
    for block in blocks {
        stream(block, _mm512_setzero_si512());
    }
    _mm_sfence();
}
