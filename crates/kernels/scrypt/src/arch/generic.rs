//! The row `portable`: RFC 7914, sections 3 to 5, line by line.
//!
//! The four quarter-rounds of a round do not depend on each other and are written side by side, so that the processor
//! runs them at once.

use crate::memory::Block;

/// The lanes of one call of a kernel, and their memory.
pub(crate) struct Group<'a> {
    /// Rows of a lane, N.
    pub(crate) rows: usize,
    /// Blocks of a row, 2·r.
    pub(crate) row: usize,
    /// A row for each lane, in RFC 7914's form: input and output.
    pub(crate) b: &'a mut [Block],
    /// `rows` rows for each lane.
    pub(crate) v: &'a mut [Block],
    /// Blocks of [`Kernel::scratch`](crate::dispatch::Kernel::scratch).
    pub(crate) scratch: &'a mut [Block],
    /// Called with the number of steps (of a lane's 2·N) since its last call; returns whether to continue.
    pub(crate) tick: &'a mut dyn FnMut(usize) -> bool,
}

/// The order of the words of a block in vector kernels: four rows, which are the diagonals of Salsa20's matrix.
/// In each of the four quarter-rounds of a column round, word i of row k is the k-th word of the i-th quarter-round.
#[cfg(target_arch = "x86_64")]
pub(crate) const PACKED: [usize; 16] = [0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11];

/// Number of blocks between two calls of `tick`: a few milliseconds.
const TICK_BLOCKS: usize = 1 << 16;

impl Group<'_> {
    /// Returns the number of steps between two calls of `tick`, which is even.
    pub(crate) fn steps_a_tick(&self) -> usize {
        2 * (TICK_BLOCKS / 2 / self.row).max(1)
    }
}

/// Computes scryptROMix for one lane; returns `false` if `tick` stopped it, and `b` is then invalid.
pub(crate) fn romix_portable(group: Group<'_>) -> bool {
    romix_with::<1>(group, block_mix, |x, v, y| block_mix_xor(x, v, y))
}

/// Computes scryptROMix (section 5) for one lane. `mix(x, y)` is y = scryptBlockMix(x); `mix_xor(x, v, y)` is
/// y = scryptBlockMix(x xor v) and may change x. `SECOND` is the place of word 1 in a block, word 0 is the first.
#[inline(always)]
pub(crate) fn romix_with<const SECOND: usize>(
    group: Group<'_>,
    mix: impl Fn(&[Block], &mut [Block]),
    mix_xor: impl Fn(&mut [Block], &[Block], &mut [Block]),
) -> bool {
    let steps = group.steps_a_tick();
    let Group { rows, row, b, v, scratch, tick } = group;
    let (x, y) = scratch.split_at_mut(row);
    // Steps 1 and 2: V[0] = B, V[i + 1] = scryptBlockMix(V[i]), X the result after the last.
    v[..row].copy_from_slice(b);
    let mut from = 0;
    while from < rows {
        let to = rows.min(from + steps);
        for i in from..to {
            let (done, next) = v.split_at_mut((i + 1) * row);
            let next = if i + 1 < rows { &mut next[..row] } else { &mut *x };
            mix(&done[i * row..], next);
        }
        if !tick(to - from) {
            return false;
        }
        from = to;
    }
    // Step 3: X = scryptBlockMix(X xor V[j]), j = Integerify(X) mod N. N is even, so X and Y swap an even number of
    // times.
    let at = |x: &[Block]| {
        let last = &x[row - 1].0;
        let j = u64::from(last[0]) | u64::from(last[SECOND]) << 32;
        (j as usize & (rows - 1)) * row
    };
    let mut from = 0;
    while from < rows {
        let to = rows.min(from + steps);
        for _ in (from..to).step_by(2) {
            let j = at(x);
            mix_xor(x, &v[j..j + row], y);
            let j = at(y);
            mix_xor(y, &v[j..j + row], x);
        }
        if !tick(to - from) {
            return false;
        }
        from = to;
    }
    b.copy_from_slice(x);
    true
}

/// Computes scryptBlockMix (section 4): the even blocks of the result come first, then the odd ones.
fn block_mix(b: &[Block], y: &mut [Block]) {
    let half = b.len() / 2;
    let mut x = b[b.len() - 1].0;
    let (even, odd) = y.split_at_mut(half);
    for ((pair, even), odd) in b.chunks_exact(2).zip(even).zip(odd) {
        salsa20_8(&mut x, |i| pair[0].0[i]);
        even.0 = x;
        salsa20_8(&mut x, |i| pair[1].0[i]);
        odd.0 = x;
    }
}

/// Computes scryptBlockMix of `b` xor `v`.
fn block_mix_xor(b: &[Block], v: &[Block], y: &mut [Block]) {
    let half = b.len() / 2;
    let mut x = b[b.len() - 1].0;
    for (x, v) in x.iter_mut().zip(&v[b.len() - 1].0) {
        *x ^= v;
    }
    let (even, odd) = y.split_at_mut(half);
    for (((b, v), even), odd) in b.chunks_exact(2).zip(v.chunks_exact(2)).zip(even).zip(odd) {
        salsa20_8(&mut x, |i| b[0].0[i] ^ v[0].0[i]);
        even.0 = x;
        salsa20_8(&mut x, |i| b[1].0[i] ^ v[1].0[i]);
        odd.0 = x;
    }
}

/// Computes `x` = Salsa20/8(`x` xor `b`) (section 3): the core of Salsa20 with 8 rounds.
#[inline(always)]
fn salsa20_8(x: &mut [u32; 16], b: impl Fn(usize) -> u32) {
    for (i, x) in x.iter_mut().enumerate() {
        *x ^= b(i);
    }
    let start = *x;
    let [mut x0, mut x1, mut x2, mut x3, mut x4, mut x5, mut x6, mut x7, mut x8, mut x9, ..] = *x;
    let [.., mut x10, mut x11, mut x12, mut x13, mut x14, mut x15] = *x;
    macro_rules! step {
        ($n:literal: $($to:ident $a:ident $b:ident),*) => { $( $to ^= $a.wrapping_add($b).rotate_left($n); )* };
    }
    for _ in 0..4 {
        step!(7: x4 x0 x12, x9 x5 x1, x14 x10 x6, x3 x15 x11);
        step!(9: x8 x4 x0, x13 x9 x5, x2 x14 x10, x7 x3 x15);
        step!(13: x12 x8 x4, x1 x13 x9, x6 x2 x14, x11 x7 x3);
        step!(18: x0 x12 x8, x5 x1 x13, x10 x6 x2, x15 x11 x7);
        step!(7: x1 x0 x3, x6 x5 x4, x11 x10 x9, x12 x15 x14);
        step!(9: x2 x1 x0, x7 x6 x5, x8 x11 x10, x13 x12 x15);
        step!(13: x3 x2 x1, x4 x7 x6, x9 x8 x11, x14 x13 x12);
        step!(18: x0 x3 x2, x5 x4 x7, x10 x9 x8, x15 x14 x13);
    }
    let end = [x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15];
    for ((x, start), end) in x.iter_mut().zip(start).zip(end) {
        *x = start.wrapping_add(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(hex: &str) -> Block {
        let digits: Vec<u8> = hex.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        let byte =
            |i: usize| u8::from_str_radix(str::from_utf8(&digits[2 * i..2 * i + 2]).unwrap(), 16).unwrap();
        Block(std::array::from_fn(|w| u32::from_le_bytes(std::array::from_fn(|i| byte(4 * w + i)))))
    }

    /// RFC 7914, section 8.
    #[test]
    fn salsa20_8_of_the_rfc() {
        let mut x = block(
            "7e879a21 4f3ec986 7ca940e6 41718f26 baee555b 8c61c1b5 0df84611 6dcd3b1d
             ee24f319 df9b3d85 14121e4b 5ac5aa32 76021d29 09c74829 edebc68d b8b8c25e",
        );
        salsa20_8(&mut x.0, |_| 0);
        let expected = block(
            "a41f859c 6608cc99 3b81cacb 020cef05 044b2181 a2fd337d fd7b1c63 96682f29
             b4393168 e3c9e6bc fe6bc5b7 a06d96ba e424cc10 2c91745c 24ad673d c7618f81",
        );
        assert_eq!(x.0, expected.0);
    }

    const B: [&str; 2] = [
        "f7ce0b65 3d2d72a4 108cf5ab e912ffdd 777616db bb27a70e 8204f3ae 2d0f6fad
         89f68f48 11d1e87b cc3bd740 0a9ffd29 094f0184 639574f3 9ae5a131 5217bcd7",
        "89499144 7213bb22 6c25b54d a86370fb cd984380 374666bb 8ffcb5bf 40c254b0
         67d27c51 ce4ad5fe d829c90b 505a571b 7f4d1cad 6a523cda 770e67bc eaaf7e89",
    ];

    /// RFC 7914, section 9.
    #[test]
    fn block_mix_of_the_rfc() {
        let b = B.map(block);
        let mut y = [Block::ZERO; 2];
        block_mix(&b, &mut y);
        let expected = [
            "a41f859c 6608cc99 3b81cacb 020cef05 044b2181 a2fd337d fd7b1c63 96682f29
             b4393168 e3c9e6bc fe6bc5b7 a06d96ba e424cc10 2c91745c 24ad673d c7618f81",
            "20edc975 323881a8 0540f64c 162dcd3c 21077cfe 5f8d5fe2 b1a4168f 953678b7
             7d3b3d80 3b60e4ab 920996e5 9b4d53b6 5d2a2258 77d5edf5 842cb9f1 4eefe425",
        ];
        assert_eq!(y.map(|b| b.0), expected.map(|text| block(text).0));
    }

    /// RFC 7914, section 10: N = 16, r = 1.
    #[test]
    fn romix_of_the_rfc() {
        let mut b = B.map(block);
        let (mut v, mut scratch) = ([Block::ZERO; 32], [Block::ZERO; 4]);
        let mut steps = 0;
        let mut tick = |done| {
            steps += done;
            true
        };
        let group = Group { rows: 16, row: 2, b: &mut b, v: &mut v, scratch: &mut scratch, tick: &mut tick };
        assert!(romix_portable(group));
        assert_eq!(steps, 32);
        let expected = [
            "79ccc193 629debca 047f0b70 604bf6b6 2ce3dd4a 9626e355 fafc6198 e6ea2b46
             d5841367 3b99b029 d665c357 601fb426 a0b2f4bb a200ee9f 0a43d19b 571a9c71",
            "ef1142e6 5d5a266f ddca832c e59faa7c ac0b9cf1 be2bffca 300d01ee 387619c4
             ae12fd44 38f203a0 e4e1c47e c314861f 4e9087cb 33396a68 73e8f9d2 539a4b8e",
        ];
        assert_eq!(b.map(|b| b.0), expected.map(|text| block(text).0));
    }
}
