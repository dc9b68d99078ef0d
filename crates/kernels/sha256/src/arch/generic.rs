//! SHA-256 in plain Rust (FIPS 180-4, section 6.2.2).

use crate::{Block, ROUNDS, States};

/// Replaces the state of a message by that after the blocks.
pub(crate) fn compress(states: &mut States<1>, [blocks]: [&[Block]; 1]) {
    let (constants, _) = ROUNDS.as_chunks::<16>();
    let mut state = states.map(|[word]| word);
    for block in blocks {
        let before = state;
        let mut words = [0; 16];
        words
            .iter_mut()
            .zip(block.as_chunks().0)
            .for_each(|(word, bytes)| *word = u32::from_be_bytes(*bytes));
        eight_rounds::<0, false>(&mut state, &mut words, &constants[0]);
        eight_rounds::<8, false>(&mut state, &mut words, &constants[0]);
        for constants in &constants[1..] {
            eight_rounds::<0, true>(&mut state, &mut words, constants);
            eight_rounds::<8, true>(&mut state, &mut words, constants);
        }
        state.iter_mut().zip(before).for_each(|(word, before)| *word = word.wrapping_add(before));
    }
    *states = state.map(|word| [word]);
}

/// Eight rounds, the first of which takes word T. If `NEXT`, each word is replaced by the word 16 after it before.
#[inline(always)]
fn eight_rounds<const T: usize, const NEXT: bool>(
    state: &mut [u32; 8],
    words: &mut [u32; 16],
    constants: &[u32; 16],
) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    let mut sum = |i: usize| {
        if NEXT {
            next(words, T + i);
        }
        constants[T + i].wrapping_add(words[T + i])
    };
    // Instead of all words of the state, their names move: after eight rounds they are where they were.
    round((a, b, c), &mut d, (e, f, g), &mut h, sum(0));
    round((h, a, b), &mut c, (d, e, f), &mut g, sum(1));
    round((g, h, a), &mut b, (c, d, e), &mut f, sum(2));
    round((f, g, h), &mut a, (b, c, d), &mut e, sum(3));
    round((e, f, g), &mut h, (a, b, c), &mut d, sum(4));
    round((d, e, f), &mut g, (h, a, b), &mut c, sum(5));
    round((c, d, e), &mut f, (g, h, a), &mut b, sum(6));
    round((b, c, d), &mut e, (f, g, h), &mut a, sum(7));
    *state = [a, b, c, d, e, f, g, h];
}

/// One round; `sum` is the constant and the word of the message schedule.
#[inline(always)]
fn round((a, b, c): (u32, u32, u32), d: &mut u32, (e, f, g): (u32, u32, u32), h: &mut u32, sum: u32) {
    let big_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let first = h.wrapping_add(big_1).wrapping_add(g ^ (e & (f ^ g))).wrapping_add(sum);
    let big_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    *d = d.wrapping_add(first);
    *h = first.wrapping_add(big_0).wrapping_add((a & b) | (c & (a | b)));
}

/// Replaces word t of the message schedule by the word 16 after it.
#[inline(always)]
fn next(words: &mut [u32; 16], t: usize) {
    let (early, late) = (words[(t + 1) % 16], words[(t + 14) % 16]);
    let small_0 = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
    let small_1 = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
    words[t] = words[t].wrapping_add(small_0).wrapping_add(words[(t + 9) % 16]).wrapping_add(small_1);
}
