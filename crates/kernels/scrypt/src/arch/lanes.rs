//! Lanes in vectors: up to 16 in four registers of AVX-512, up to six in three of AVX2, and one in a register of 128
//! bits.
//!
//! A block of a lane is 16 words, which lie in memory as four rows of four: the diagonals of Salsa20's matrix (see
//! [`PACKED`]). A register holds the same row of as many lanes as it has quarters, so a round is four steps of
//! addition, rotation and exclusive-or over whole registers, and then the rows are rotated within each lane.
//!
//! One lane takes 19 or 23 instructions a round instead of the 48 in general registers, so the chain hardly waits for
//! arithmetic units, even with the core's other thread busy (measured on Zen 3).
#![allow(clippy::needless_range_loop, reason = "one index stands for the same block of X, V and every lane")]

use std::array;
use std::marker::PhantomData;

use parcrypt_simd::{Call, Words32, prefetch};

use super::generic::{Group, PACKED};
use crate::memory::{Block, is_cached};

/// Blocks between a prefetch and its use.
const AHEAD: usize = 16;

/// The four rows of a block, each of as many lanes as a vector has quarters.
type Rows<V> = [V; 4];

/// Returns the number of lanes of a vector.
const fn width<V: Words32>() -> usize {
    V::LANES / 4
}

/// scryptROMix for `LANES` lanes in `REGISTERS` registers a row: `LANES` / the lanes of a vector, rounded up.
pub(crate) struct Romix<'a, V, const LANES: usize, const REGISTERS: usize> {
    group: Group<'a>,
    vector: PhantomData<V>,
}

/// Computes scryptROMix for `LANES` lanes; returns `false` if the tick stopped it.
#[inline(always)]
pub(crate) fn romix<V: Words32, const LANES: usize, const REGISTERS: usize>(group: Group<'_>) -> bool {
    V::outlined(Romix::<V, LANES, REGISTERS> { group, vector: PhantomData })
}

impl<V: Words32, const LANES: usize, const REGISTERS: usize> Call for Romix<'_, V, LANES, REGISTERS> {
    type Result = bool;

    /// Places without a lane hold a copy of the first lane of their register, and store nothing.
    #[inline(always)]
    fn call(self) -> bool {
        const { assert!(REGISTERS == LANES.div_ceil(width::<V>())) };
        let (steps, cached) = (self.group.steps_a_tick(), is_cached(self.group.v));
        let Group { rows, row, b, v, scratch, tick } = self.group;
        let lane = rows * row;
        let (x, y) = scratch.split_at_mut(row * REGISTERS * width::<V>());
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
            store_x(x, i, across::<V, LANES, REGISTERS>(|l| &own[l]));
        }
        let mut from = 0;
        while from < rows {
            let to = rows.min(from + steps);
            for i in (from..to).step_by(2) {
                let mut fill = |x: &[Block], y: &mut [Block], i: usize| {
                    let mut all = lanes.iter_mut();
                    let to = array::from_fn(|_| match all.next() {
                        Some(lane) => &mut lane[i * row..][..row],
                        None => &mut [],
                    });
                    V::outlined(Fill::<V, LANES, REGISTERS> { x, y, to, cached, vector: PhantomData });
                };
                fill(x, y, i);
                fill(y, x, i + 1);
            }
            V::fence();
            if !tick(to - from) {
                return false;
            }
            from = to;
        }
        let mut from = 0;
        while from < rows {
            let to = rows.min(from + steps);
            for _ in (from..to).step_by(2) {
                let lanes = lanes.each_ref().map(|lane| &**lane);
                V::outlined(Mix::<V, LANES, REGISTERS> { x, y, lanes, vector: PhantomData });
                V::outlined(Mix::<V, LANES, REGISTERS> { x: y, y: x, lanes, vector: PhantomData });
            }
            if !tick(to - from) {
                return false;
            }
            from = to;
        }
        for i in 0..row {
            for (g, mut lines) in load_x::<V, REGISTERS>(x, i).into_iter().enumerate() {
                V::transpose(&mut lines);
                for l in 0..width::<V>().min(LANES - g * width::<V>()) {
                    let mut own = Block([0; 16]);
                    write(&mut own, &lines, l, V::store);
                    for (word, at) in own.0.into_iter().zip(PACKED) {
                        b[(g * width::<V>() + l) * row + i].0[at] = word;
                    }
                }
            }
        }
        true
    }
}

/// Computes V = X, through the caches if V is `cached`, and Y = scryptBlockMix(X). A function of its own, as [`Mix`]
/// is: all of it in one has too few registers.
struct Fill<'a, V, const LANES: usize, const REGISTERS: usize> {
    x: &'a [Block],
    y: &'a mut [Block],
    to: [&'a mut [Block]; LANES],
    cached: bool,
    vector: PhantomData<V>,
}

impl<V: Words32, const LANES: usize, const REGISTERS: usize> Call for Fill<'_, V, LANES, REGISTERS> {
    type Result = ();

    #[inline(always)]
    fn call(self) {
        let Fill { x, y, to, cached, .. } = self;
        let row = to[0].len();
        let mut t = load_x::<V, REGISTERS>(x, row - 1);
        for i in 0..row {
            let input = load_x::<V, REGISTERS>(x, i);
            for g in 0..REGISTERS {
                let mut lines = input[g];
                V::transpose(&mut lines);
                for l in 0..width::<V>() {
                    if g * width::<V>() + l < LANES {
                        let to = &mut to[g * width::<V>() + l][i];
                        if cached { write(to, &lines, l, V::store) } else { write(to, &lines, l, V::stream) }
                    }
                }
            }
            t = salsa20_8(xor(t, input));
            store_x(y, place(i, row), t);
        }
    }
}

/// Computes Y = scryptBlockMix(X xor V[j]), j = Integerify(X) mod N of each lane.
struct Mix<'a, V, const LANES: usize, const REGISTERS: usize> {
    x: &'a [Block],
    y: &'a mut [Block],
    lanes: [&'a [Block]; LANES],
    vector: PhantomData<V>,
}

impl<V: Words32, const LANES: usize, const REGISTERS: usize> Call for Mix<'_, V, LANES, REGISTERS> {
    type Result = ();

    #[inline(always)]
    fn call(self) {
        let Mix { x, y, lanes, .. } = self;
        let row = x.len() / (REGISTERS * width::<V>());
        let last = &x[(row - 1) * REGISTERS * width::<V>()..];
        let from: [&[Block]; LANES] = array::from_fn(|l| {
            // Words 0 and 1 of a block lie at the start of its row 0 and after the start of its row 3.
            let words = words(&last[l / width::<V>() * width::<V>()..]);
            let word = |row: usize, at: usize| u64::from(words[row * V::LANES + 4 * (l % width::<V>()) + at]);
            let j = word(0, 0) | word(3, 1) << 32;
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
        let mut t = load_x::<V, REGISTERS>(x, row - 1);
        t = xor(t, across::<V, LANES, REGISTERS>(|l| &from[l][row - 1]));
        for i in 0..row {
            if i + AHEAD < row {
                for lane in from {
                    prefetch(&lane[i + AHEAD]);
                }
            }
            t = xor(t, load_x(x, i));
            t = salsa20_8(xor(t, across::<V, LANES, REGISTERS>(|l| &from[l][i])));
            store_x(y, place(i, row), t);
        }
    }
}

/// Returns the index of block i after scryptBlockMix: the even ones come first.
#[inline(always)]
fn place(i: usize, row: usize) -> usize {
    i / 2 + (i % 2) * (row / 2)
}

#[inline(always)]
fn xor<V: Words32, const REGISTERS: usize>(
    mut t: [Rows<V>; REGISTERS],
    other: [Rows<V>; REGISTERS],
) -> [Rows<V>; REGISTERS] {
    for g in 0..REGISTERS {
        let ([a, b, c, d], other) = (t[g], other[g]);
        t[g] = [a.xor(other[0]), b.xor(other[1]), c.xor(other[2]), d.xor(other[3])];
    }
    t
}

/// Computes Salsa20/8 of each lane.
#[inline(always)]
fn salsa20_8<V: Words32, const REGISTERS: usize>(start: [Rows<V>; REGISTERS]) -> [Rows<V>; REGISTERS] {
    let mut t = start;
    for _ in 0..8 {
        for [a, b, _, d] in &mut t {
            *b = b.xor_rotated::<7>(a.plus(*d), REGISTERS);
        }
        for [a, b, c, _] in &mut t {
            *c = c.xor_rotated::<9>(b.plus(*a), REGISTERS);
        }
        for [_, b, c, d] in &mut t {
            *d = d.xor_rotated::<13>(c.plus(*b), REGISTERS);
        }
        for [a, _, c, d] in &mut t {
            *a = a.xor_rotated::<18>(d.plus(*c), REGISTERS);
        }
        // Rows 1 and 3 change places, as columns become rows, or rows columns.
        for [_, b, c, d] in &mut t {
            (*b, *d) = (d.order::<0b00_11_10_01>(), b.order::<0b10_01_00_11>());
            *c = c.order::<0b01_00_11_10>();
        }
    }
    for g in 0..REGISTERS {
        for k in 0..4 {
            t[g][k] = t[g][k].plus(start[g][k]);
        }
    }
    t
}

/// Returns the rows of `LANES` lanes, of which `line` returns the blocks.
#[inline(always)]
fn across<'a, V: Words32, const LANES: usize, const REGISTERS: usize>(
    line: impl Fn(usize) -> &'a Block,
) -> [Rows<V>; REGISTERS] {
    let mut rows = [[V::all(0); 4]; REGISTERS];
    for g in 0..REGISTERS {
        // First all lanes' first vectors, then all second ones.
        let part = |k: usize| {
            let (first, l) = (g * width::<V>(), k % width::<V>());
            let line = line(if first + l < LANES { first + l } else { first });
            V::load(&line.0[k / width::<V>() * V::LANES..])
        };
        let mut lines = [part(0), part(1), part(2), part(3)];
        V::transpose(&mut lines);
        rows[g] = lines;
    }
    rows
}

/// Writes the block of lane l of transposed rows.
#[inline(always)]
fn write<V: Words32>(block: &mut Block, lines: &Rows<V>, l: usize, store: impl Fn(V, &mut [u32])) {
    for part in 0..16 / V::LANES {
        store(lines[l + part * width::<V>()], &mut block.0[part * V::LANES..]);
    }
}

/// Returns block i of all lanes, as [`store_x`] wrote it.
#[inline(always)]
fn load_x<V: Words32, const REGISTERS: usize>(x: &[Block], i: usize) -> [Rows<V>; REGISTERS] {
    let words = words(&x[i * REGISTERS * width::<V>()..][..REGISTERS * width::<V>()]);
    let row = |i: usize| V::load(&words[i * V::LANES..]);
    let mut rows = [[V::all(0); 4]; REGISTERS];
    for g in 0..REGISTERS {
        // Without a loop over these four, which would become a copy to the stack.
        rows[g] = [row(4 * g), row(4 * g + 1), row(4 * g + 2), row(4 * g + 3)];
    }
    rows
}

#[inline(always)]
fn store_x<V: Words32, const REGISTERS: usize>(x: &mut [Block], i: usize, t: [Rows<V>; REGISTERS]) {
    let words = &mut x[i * REGISTERS * width::<V>()..][..REGISTERS * width::<V>()];
    let words: &mut [u32] = bytemuck::must_cast_slice_mut(words);
    for g in 0..REGISTERS {
        for k in 0..4 {
            t[g][k].store(&mut words[(4 * g + k) * V::LANES..]);
        }
    }
}

#[inline(always)]
fn words(blocks: &[Block]) -> &[u32] {
    bytemuck::must_cast_slice(blocks)
}

/// Fills with zeros, past the caches.
#[inline(always)]
pub(crate) fn clear<V: Words32>(blocks: &mut [Block]) {
    for block in blocks {
        write(block, &[V::all(0); 4], 0, V::stream);
    }
    V::fence();
}
