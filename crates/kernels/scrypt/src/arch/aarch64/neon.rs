//! NEON: up to four lanes, a word of each in a register.
//!
//! So a round moves no words between places, and blocks are transposed only between X and the rows of V. The other
//! form, a row of one lane in a register as in the kernels for x86-64, takes 3 more instructions a round and lane, and
//! no transpositions, which are 10 a block.
#![allow(unsafe_code, reason = "a prefetch is assembly")]

use std::arch::aarch64::*;
use std::arch::asm;
use std::array;

use bytemuck::{must_cast_mut, must_cast_ref};

use crate::arch::generic::Group;
use crate::memory::Block;

/// Lanes of a register.
const WIDTH: usize = 4;

/// The words of a block, each of four lanes.
type Words = [uint32x4_t; 16];

/// Computes the four quarter-rounds of a half of a double round.
macro_rules! step {
    ($left:literal $right:literal: $($to:ident $a:ident $b:ident),*) => {
        const { assert!($left + $right == 32) };
        $(
            let sum = vaddq_u32($a, $b);
            $to = veorq_u32($to, vsriq_n_u32::<$right>(vshlq_n_u32::<$left>(sum), sum));
        )*
    };
}

/// Computes Salsa20/8 of each lane, as [`generic`](crate::arch::generic) does. A function would take and return words
/// in memory, and a loop would move half of them between registers in each turn.
macro_rules! salsa20_8 {
    ($start:expr) => {{
        let start: Words = $start;
        let [mut x0, mut x1, mut x2, mut x3, mut x4, mut x5, mut x6, mut x7, mut x8, mut x9, ..] = start;
        let [.., mut x10, mut x11, mut x12, mut x13, mut x14, mut x15] = start;
        salsa20_8!(double_round x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15);
        salsa20_8!(double_round x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15);
        salsa20_8!(double_round x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15);
        salsa20_8!(double_round x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15);
        let end = [x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15];
        let sum: Words = array::from_fn(|i| vaddq_u32(end[i], start[i]));
        sum
    }};
    (double_round $x0:ident $x1:ident $x2:ident $x3:ident $x4:ident $x5:ident $x6:ident $x7:ident $x8:ident $x9:ident
     $x10:ident $x11:ident $x12:ident $x13:ident $x14:ident $x15:ident) => {
        step!(7 25: $x4 $x0 $x12, $x9 $x5 $x1, $x14 $x10 $x6, $x3 $x15 $x11);
        step!(9 23: $x8 $x4 $x0, $x13 $x9 $x5, $x2 $x14 $x10, $x7 $x3 $x15);
        step!(13 19: $x12 $x8 $x4, $x1 $x13 $x9, $x6 $x2 $x14, $x11 $x7 $x3);
        step!(18 14: $x0 $x12 $x8, $x5 $x1 $x13, $x10 $x6 $x2, $x15 $x11 $x7);
        step!(7 25: $x1 $x0 $x3, $x6 $x5 $x4, $x11 $x10 $x9, $x12 $x15 $x14);
        step!(9 23: $x2 $x1 $x0, $x7 $x6 $x5, $x8 $x11 $x10, $x13 $x12 $x15);
        step!(13 19: $x3 $x2 $x1, $x4 $x7 $x6, $x9 $x8 $x11, $x14 $x13 $x12);
        step!(18 14: $x0 $x3 $x2, $x5 $x4 $x7, $x10 $x9 $x8, $x15 $x14 $x13);
    };
}

/// Computes scryptROMix for `LANES` lanes. Places without a lane hold a copy of the first lane, and store nothing.
#[target_feature(enable = "neon")]
pub(crate) fn romix_neon<const LANES: usize>(group: Group<'_>) -> bool {
    const { assert!(LANES <= WIDTH) };
    let steps = group.steps_a_tick();
    let Group { rows, row, b, v, scratch, tick } = group;
    let (x, y) = scratch.as_chunks_mut::<WIDTH>().0.split_at_mut(row);
    let mut rest = v;
    let mut lanes: [&mut [Block]; LANES] =
        array::from_fn(|_| rest.split_off_mut(..rows * row).expect("rows of every lane"));
    for (i, x) in x.iter_mut().enumerate() {
        *x = bytemuck::must_cast(across::<LANES>(array::from_fn(|l| &b[l * row + i])));
    }
    let mut from = 0;
    while from < rows {
        let to = rows.min(from + steps);
        for i in (from..to).step_by(2) {
            fill(x, y, &mut lanes, i * row);
            fill(y, x, &mut lanes, (i + 1) * row);
        }
        if !tick(to - from) {
            return false;
        }
        from = to;
    }
    let mut from = 0;
    while from < rows {
        let to = rows.min(from + steps);
        for _ in (from..to).step_by(2) {
            mix(x, y, &lanes);
            mix(y, x, &lanes);
        }
        if !tick(to - from) {
            return false;
        }
        from = to;
    }
    for (i, x) in x.iter().enumerate() {
        for (l, block) in blocks(must_cast_ref(x)).into_iter().enumerate().take(LANES) {
            b[l * row + i] = block;
        }
    }
    true
}

/// Computes V[`at`..] = X and Y = scryptBlockMix(X).
#[inline]
#[target_feature(enable = "neon")]
fn fill<const LANES: usize>(
    x: &[[Block; WIDTH]],
    y: &mut [[Block; WIDTH]],
    lanes: &mut [&mut [Block]; LANES],
    at: usize,
) {
    let row = x.len();
    let mut lanes = lanes.iter_mut();
    let mut to: [&mut [Block]; LANES] = array::from_fn(|_| &mut lanes.next().expect("a lane")[at..at + row]);
    let mut t = *must_cast_ref::<_, Words>(&x[row - 1]);
    for (i, x) in x.iter().enumerate() {
        let x: &Words = must_cast_ref(x);
        for (to, block) in to.iter_mut().zip(blocks(x)) {
            to[i] = block;
        }
        t = salsa20_8!(xor(&t, x));
        *must_cast_mut::<_, Words>(&mut y[place(i, row)]) = t;
    }
}

/// Computes Y = scryptBlockMix(X xor V[j]), j = Integerify(X) mod N of each lane.
#[inline]
#[target_feature(enable = "neon")]
fn mix<const LANES: usize>(x: &[[Block; WIDTH]], y: &mut [[Block; WIDTH]], lanes: &[&mut [Block]; LANES]) {
    let row = x.len();
    let last = &x[row - 1][0].0;
    let from: [&[Block]; LANES] = array::from_fn(|l| {
        let j = u64::from(last[l]) | u64::from(last[WIDTH + l]) << 32;
        let rows = lanes[l].len() / row;
        let at = (j as usize & (rows - 1)) * row;
        &lanes[l][at..at + row]
    });
    // The first block of every lane before the second of any: they are needed in this order.
    for i in 0..AHEAD.min(row) {
        from.iter().for_each(|lane| prefetch(&lane[i]));
    }
    let words = |i: usize| across::<LANES>(array::from_fn(|l| &from[l][i]));
    let mut t = xor(must_cast_ref(&x[row - 1]), &words(row - 1));
    for (i, x) in x.iter().enumerate() {
        if i + AHEAD < row {
            from.iter().for_each(|lane| prefetch(&lane[i + AHEAD]));
        }
        t = salsa20_8!(xor(&xor(&t, must_cast_ref(x)), &words(i)));
        *must_cast_mut::<_, Words>(&mut y[place(i, row)]) = t;
    }
}

/// Blocks between a prefetch and its use, as in the kernels for x86-64.
const AHEAD: usize = 16;

/// Returns the index of block i after scryptBlockMix: the even ones come first.
#[inline]
fn place(i: usize, row: usize) -> usize {
    i / 2 + (i % 2) * (row / 2)
}

#[inline]
#[target_feature(enable = "neon")]
fn xor(a: &Words, b: &Words) -> Words {
    array::from_fn(|i| veorq_u32(a[i], b[i]))
}

/// Returns the words of the blocks of `LANES` lanes.
#[inline]
#[target_feature(enable = "neon")]
fn across<const LANES: usize>(lines: [&Block; LANES]) -> Words {
    let lines: [&[uint32x4_t; 4]; WIDTH] =
        array::from_fn(|l| must_cast_ref(lines[if l < LANES { l } else { 0 }]));
    let words: [[uint32x4_t; 4]; 4] = array::from_fn(|k| transpose(array::from_fn(|l| lines[l][k])));
    bytemuck::must_cast(words)
}

/// Returns the blocks of four lanes.
#[inline]
#[target_feature(enable = "neon")]
fn blocks(words: &Words) -> [Block; WIDTH] {
    let lines: [[uint32x4_t; WIDTH]; 4] = array::from_fn(|k| transpose(array::from_fn(|i| words[4 * k + i])));
    array::from_fn(|l| bytemuck::must_cast::<[uint32x4_t; 4], Block>(array::from_fn(|k| lines[k][l])))
}

/// Converts between four words of four lanes and the words of each lane.
#[inline]
#[target_feature(enable = "neon")]
fn transpose(x: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
    let low = |a, b| vreinterpretq_u64_u32(vtrn1q_u32(a, b));
    let high = |a, b| vreinterpretq_u64_u32(vtrn2q_u32(a, b));
    let (x01, x23, y01, y23) = (low(x[0], x[1]), low(x[2], x[3]), high(x[0], x[1]), high(x[2], x[3]));
    [vtrn1q_u64(x01, x23), vtrn1q_u64(y01, y23), vtrn2q_u64(x01, x23), vtrn2q_u64(y01, y23)]
        .map(|x| vreinterpretq_u32_u64(x))
}

#[inline]
fn prefetch(block: &Block) {
    // SAFETY: a prefetch reads nothing that the program would see, and changes no register.
    unsafe { asm!("prfm pldl1keep, [{}]", in(reg) block, options(nostack, preserves_flags, readonly)) };
}
