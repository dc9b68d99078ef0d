//! Backends for x86-64: several lanes in vectors, written once for all widths, or one lane in general registers.
//!
//! A block of a lane is 16 words, which lie in memory as four rows of four: the diagonals of Salsa20's matrix (see
//! [`PACKED`](crate::arch::generic::PACKED)). A register holds the same row of several lanes, so a round is four steps
//! of addition, rotation and exclusive-or over whole registers, and then the rows are rotated within each lane.
#![allow(clippy::needless_range_loop, reason = "one index stands for the same block of X, V and every lane")]

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

use crate::memory::Block;

/// Blocks between a prefetch and its use.
const AHEAD: usize = 16;

/// Returns the index of block i after scryptBlockMix: the even ones come first.
#[inline]
fn place(i: usize, row: usize) -> usize {
    i / 2 + (i % 2) * (row / 2)
}

#[inline]
#[target_feature(enable = "sse")]
fn prefetch(block: &Block) {
    _mm_prefetch::<_MM_HINT_T0>((&raw const *block).cast());
}

/// The functions of a backend. Its module has `rotate`, `across`, which returns the rows of lanes, and `blocks`, which
/// returns the blocks of the lanes in a register.
macro_rules! kernels {
    ($features:literal, $romix:ident, $clear:ident, $V:ident, $xor:ident, $add:ident, $shuffle:ident, $stream:ident) => {
        /// A block.
        type Vectors = [$V; size_of::<Block>() / size_of::<$V>()];

        /// Lanes of a register.
        const WIDTH: usize = size_of::<$V>() / 16;

        /// The four rows of a block, each of [`WIDTH`] lanes.
        type Rows = [$V; 4];

        /// Computes scryptROMix for `LANES` lanes in `REGISTERS` = ⌈`LANES` / `WIDTH`⌉ registers a row. Places without
        /// a lane hold a copy of the first lane of their register, and store nothing.
        #[target_feature(enable = $features)]
        pub(crate) fn $romix<const LANES: usize, const REGISTERS: usize>(group: Group<'_>) -> bool {
            const { assert!(REGISTERS == LANES.div_ceil(WIDTH)) };
            let steps = group.steps_a_tick();
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
                store_x::<REGISTERS>(x, i, across(own.each_ref()));
            }
            let mut from = 0;
            while from < rows {
                let to = rows.min(from + steps);
                for i in (from..to).step_by(2) {
                    fill::<LANES, REGISTERS>(row, x, y, &mut lanes, i * row);
                    fill::<LANES, REGISTERS>(row, y, x, &mut lanes, (i + 1) * row);
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
                    for (l, own) in blocks(t).into_iter().enumerate().take(LANES - g * WIDTH) {
                        for (word, at) in own.0.into_iter().zip(PACKED) {
                            b[(g * WIDTH + l) * row + i].0[at] = word;
                        }
                    }
                }
            }
            true
        }

        /// Computes V[`at`..] = X and Y = scryptBlockMix(X).
        #[inline]
        #[target_feature(enable = $features)]
        fn fill<const LANES: usize, const REGISTERS: usize>(
            row: usize,
            x: &[Block],
            y: &mut [Block],
            lanes: &mut [&mut [Block]; LANES],
            at: usize,
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
                    for (l, own) in blocks(input[g]).into_iter().enumerate() {
                        if g * WIDTH + l < LANES {
                            stream(&mut to[g * WIDTH + l][i], own);
                        }
                    }
                    t[g] = array::from_fn(|k| $xor(t[g][k], input[g][k]));
                }
                t = salsa20_8(t);
                store_x(y, place(i, row), t);
            }
        }

        /// Computes Y = scryptBlockMix(X xor V[j]), j = Integerify(X) mod N of each lane.
        #[inline]
        #[target_feature(enable = $features)]
        fn mix<const LANES: usize, const REGISTERS: usize>(
            row: usize,
            x: &[Block],
            y: &mut [Block],
            lanes: &[&mut [Block]; LANES],
        ) {
            let last: &[u32] = must_cast_slice(&x[(row - 1) * REGISTERS * WIDTH..]);
            let from: [&[Block]; LANES] = array::from_fn(|l| {
                // Words 0 and 1 of a block lie at the start of its row 0 and after the start of its row 3.
                let at = l / WIDTH * 16 * WIDTH + l % WIDTH * 4;
                let j = u64::from(last[at]) | u64::from(last[at + 3 * 4 * WIDTH + 1]) << 32;
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
            t = xor(t, across(array::from_fn::<_, LANES, _>(|l| &from[l][row - 1])));
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
        #[target_feature(enable = $features)]
        fn xor<const REGISTERS: usize>(a: [Rows; REGISTERS], b: [Rows; REGISTERS]) -> [Rows; REGISTERS] {
            array::from_fn(|g| array::from_fn(|k| $xor(a[g][k], b[g][k])))
        }

        /// Computes Salsa20/8 of each lane.
        #[inline]
        #[target_feature(enable = $features)]
        fn salsa20_8<const REGISTERS: usize>(start: [Rows; REGISTERS]) -> [Rows; REGISTERS] {
            let mut t = start;
            for _ in 0..4 {
                quarters(&mut t);
                // Rows 1 and 3 change places, as columns become rows.
                for [_, b, c, d] in &mut t {
                    (*b, *d) = ($shuffle::<0b00_11_10_01>(*d), $shuffle::<0b10_01_00_11>(*b));
                    *c = $shuffle::<0b01_00_11_10>(*c);
                }
                quarters(&mut t);
                for [_, b, c, d] in &mut t {
                    (*b, *d) = ($shuffle::<0b00_11_10_01>(*d), $shuffle::<0b10_01_00_11>(*b));
                    *c = $shuffle::<0b01_00_11_10>(*c);
                }
            }
            array::from_fn(|g| array::from_fn(|k| $add(t[g][k], start[g][k])))
        }

        /// Computes the four quarter-rounds of a round.
        #[inline]
        #[target_feature(enable = $features)]
        fn quarters<const REGISTERS: usize>(t: &mut [Rows; REGISTERS]) {
            for [a, b, _, d] in &mut *t {
                *b = $xor(*b, rotate::<7>($add(*a, *d)));
            }
            for [a, b, c, _] in &mut *t {
                *c = $xor(*c, rotate::<9>($add(*b, *a)));
            }
            for [_, b, c, d] in &mut *t {
                *d = $xor(*d, rotate::<13>($add(*c, *b)));
            }
            for [a, _, c, d] in &mut *t {
                *a = $xor(*a, rotate::<18>($add(*d, *c)));
            }
        }

        /// Returns block i of all lanes, as [`store_x`] wrote it.
        #[inline]
        #[target_feature(enable = $features)]
        fn load_x<const REGISTERS: usize>(x: &[Block], i: usize) -> [Rows; REGISTERS] {
            let (x, _) = x[i * REGISTERS * WIDTH..][..REGISTERS * WIDTH].as_chunks::<WIDTH>();
            array::from_fn(|g| must_cast(x[g]))
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn store_x<const REGISTERS: usize>(x: &mut [Block], i: usize, t: [Rows; REGISTERS]) {
            let (x, _) = x[i * REGISTERS * WIDTH..][..REGISTERS * WIDTH].as_chunks_mut::<WIDTH>();
            for g in 0..REGISTERS {
                x[g] = must_cast(t[g]);
            }
        }

        /// Stores past the caches, because the row is read again only after all others were written.
        #[inline]
        #[target_feature(enable = $features)]
        fn stream(block: &mut Block, value: Block) {
            for (to, value) in
                must_cast_mut::<_, Vectors>(block).iter_mut().zip(must_cast::<_, Vectors>(value))
            {
                // SAFETY: `to` is a reference to a vector; `$romix` and `$clear` put a fence after these stores before
                // others can read them.
                unsafe { $stream(to, value) }
            }
        }

        /// Fills with zeros, past the caches.
        #[target_feature(enable = $features)]
        pub(crate) fn $clear(blocks: &mut [Block]) {
            for block in blocks {
                stream(block, Block([0; 16]));
            }
            _mm_sfence();
        }
    };
}

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod single;
