//! AVX2: like `avx512`, with two lanes in a register and up to six in three. A rotation takes three instructions here.
#![allow(
    unsafe_code,
    reason = "loads and stores take pointers, and the order of a step is written in assembly"
)]
#![allow(clippy::needless_range_loop, reason = "one index stands for the same block of X, V and every lane")]

use std::arch::x86_64::*;
use std::array;

use super::{AHEAD, place, prefetch};
use crate::arch::generic::{Group, PACKED};
use crate::memory::{Block, is_cached};

/// Lanes of a register.
const WIDTH: usize = 2;

/// The four rows of a block, each of two lanes.
type Rows = [__m256i; 4];

/// Computes scryptROMix for `LANES` lanes in `REGISTERS` = ⌈`LANES` / 2⌉ registers a row. Places without a lane hold
/// a copy of the first lane of their register, and store nothing.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(crate) fn romix_avx2<const LANES: usize, const REGISTERS: usize>(group: Group<'_>) -> bool {
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
        store_x::<REGISTERS>(x, i, across(array::from_fn::<_, LANES, _>(|l| &own[l])));
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
            let lines = transpose(t);
            for l in 0..WIDTH.min(LANES - g * WIDTH) {
                let mut own = Block([0; 16]);
                store(&mut own, 0, lines[l]);
                store(&mut own, 1, lines[l + 2]);
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
#[target_feature(enable = "avx2,bmi1,bmi2")]
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
            let lines = transpose(input[g]);
            for l in 0..WIDTH {
                if g * WIDTH + l < LANES {
                    let to = &mut to[g * WIDTH + l][i];
                    for (half, line) in [lines[l], lines[l + 2]].into_iter().enumerate() {
                        if cached { store(to, half, line) } else { stream(to, half, line) }
                    }
                }
            }
            t[g] = array::from_fn(|k| _mm256_xor_si256(t[g][k], input[g][k]));
        }
        t = salsa20_8(t);
        store_x(y, place(i, row), t);
    }
}

/// Computes Y = scryptBlockMix(X xor V[j]), j = Integerify(X) mod N of each lane.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
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
        let j = u64::from(last[g * WIDTH].0[word]) | u64::from(last[g * WIDTH + 1].0[8 + word + 1]) << 32;
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
    let v: [Rows; REGISTERS] = across(array::from_fn::<_, LANES, _>(|l| &from[l][row - 1]));
    t = xor(t, v);
    for i in 0..row {
        if i + AHEAD < row {
            for lane in from {
                prefetch(&lane[i + AHEAD]);
            }
        }
        t = xor(t, load_x(x, i));
        t = xor(t, across(array::from_fn::<_, LANES, _>(|l| &from[l][i])));
        t = salsa20_8(t);
        store_x(y, place(i, row), t);
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn xor<const REGISTERS: usize>(a: [Rows; REGISTERS], b: [Rows; REGISTERS]) -> [Rows; REGISTERS] {
    array::from_fn(|g| array::from_fn(|k| _mm256_xor_si256(a[g][k], b[g][k])))
}

/// Computes Salsa20/8 of each lane.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn salsa20_8<const REGISTERS: usize>(start: [Rows; REGISTERS]) -> [Rows; REGISTERS] {
    let mut t = start;
    for _ in 0..4 {
        quarters(&mut t);
        // Rows 1 and 3 change places, as columns become rows.
        for [_, b, c, d] in &mut t {
            (*b, *d) = (_mm256_shuffle_epi32::<0b00_11_10_01>(*d), _mm256_shuffle_epi32::<0b10_01_00_11>(*b));
            *c = _mm256_shuffle_epi32::<0b01_00_11_10>(*c);
        }
        quarters(&mut t);
        for [_, b, c, d] in &mut t {
            (*b, *d) = (_mm256_shuffle_epi32::<0b00_11_10_01>(*d), _mm256_shuffle_epi32::<0b10_01_00_11>(*b));
            *c = _mm256_shuffle_epi32::<0b01_00_11_10>(*c);
        }
    }
    array::from_fn(|g| array::from_fn(|k| _mm256_add_epi32(t[g][k], start[g][k])))
}

/// Computes the four quarter-rounds of a round.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn quarters<const REGISTERS: usize>(t: &mut [Rows; REGISTERS]) {
    for [a, b, _, d] in &mut *t {
        *b = step_avx2::<7, 25>(*b, *a, *d);
    }
    for [a, b, c, _] in &mut *t {
        *c = step_avx2::<9, 23>(*c, *b, *a);
    }
    for [_, b, c, d] in &mut *t {
        *d = step_avx2::<13, 19>(*d, *c, *b);
    }
    for [a, _, c, d] in &mut *t {
        *a = step_avx2::<18, 14>(*a, *d, *c);
    }
}

step_avx2!(__m256i, ymm_reg, _mm256_add_epi32);

/// Returns the rows of `LANES` lanes whose blocks are `lines`.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn across<const REGISTERS: usize, const LANES: usize>(lines: [&Block; LANES]) -> [Rows; REGISTERS] {
    array::from_fn(|g| {
        let at = |l: usize| if g * WIDTH + l < LANES { lines[g * WIDTH + l] } else { lines[g * WIDTH] };
        transpose([load(at(0), 0), load(at(1), 0), load(at(0), 1), load(at(1), 1)])
    })
}

/// Converts between rows 0 to 3 of two lanes and the first halves of both lanes' blocks, then the second halves.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn transpose(l: Rows) -> Rows {
    [
        _mm256_permute2x128_si256::<0x20>(l[0], l[1]),
        _mm256_permute2x128_si256::<0x31>(l[0], l[1]),
        _mm256_permute2x128_si256::<0x20>(l[2], l[3]),
        _mm256_permute2x128_si256::<0x31>(l[2], l[3]),
    ]
}

/// Returns block i of all lanes, as [`store_x`] wrote it.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn load_x<const REGISTERS: usize>(x: &[Block], i: usize) -> [Rows; REGISTERS] {
    let x = &x[i * REGISTERS * WIDTH..][..REGISTERS * WIDTH];
    array::from_fn(|g| array::from_fn(|k| load(&x[g * WIDTH + k / 2], k % 2)))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn store_x<const REGISTERS: usize>(x: &mut [Block], i: usize, t: [Rows; REGISTERS]) {
    let x = &mut x[i * REGISTERS * WIDTH..][..REGISTERS * WIDTH];
    for g in 0..REGISTERS {
        for k in 0..4 {
            store(&mut x[g * WIDTH + k / 2], k % 2, t[g][k]);
        }
    }
}

/// Returns half 0 or 1 of a block.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn load(block: &Block, half: usize) -> __m256i {
    let (words, _) = block.0.as_chunks::<8>();
    // SAFETY: the reference says that 32 bytes can be read there; halves of a `Block` lie at multiples of 32.
    unsafe { _mm256_load_si256((&raw const words[half]).cast()) }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn store(block: &mut Block, half: usize, value: __m256i) {
    let (words, _) = block.0.as_chunks_mut::<8>();
    // SAFETY: as in `load`, and the reference is the only one.
    unsafe { _mm256_store_si256((&raw mut words[half]).cast(), value) }
}

/// Stores past the caches, because the row is read again only after all others were written. For a V that fits
/// them, see [`is_cached`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn stream(block: &mut Block, half: usize, value: __m256i) {
    let (words, _) = block.0.as_chunks_mut::<8>();
    // SAFETY: as in `store`; `romix_avx2` and `clear_avx2` put a fence after these stores before others can read them.
    unsafe { _mm256_stream_si256((&raw mut words[half]).cast(), value) }
}

/// Fills with zeros, past the caches.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(crate) fn clear_avx2(blocks: &mut [Block]) {
    for block in blocks {
        stream(block, 0, _mm256_setzero_si256());
        stream(block, 1, _mm256_setzero_si256());
    }
    _mm_sfence();
}
