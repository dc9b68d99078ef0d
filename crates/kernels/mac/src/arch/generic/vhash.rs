//! VHASH of draft-krovetz-vmac-01, section 5: three layers, each with keys of its own, in one or two passes.

use std::hint::black_box;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::padded;

/// Bytes that the first layer hashes to one number.
pub(crate) const BLOCK: usize = 128;
/// Words of such a block.
const WORDS: usize = BLOCK / 8;

/// 2^127 − 1, the modulus of the second layer.
const P127: u128 = (1 << 127) - 1;
/// 2^64 minus the modulus of the third layer.
const LACK: u64 = 257;
/// 2^64 − 257, the modulus of the third layer.
const P64: u64 = 0u64.wrapping_sub(LACK);

/// The keys of all layers, and the values derived from them.
#[derive(Zeroize, ZeroizeOnDrop)]
#[repr(C, align(64))]
pub(crate) struct Key {
    /// Layer 1. The second pass begins two words later.
    pub(crate) nh: [u64; WORDS + 2],
    /// Layer 2, for each pass; both halves below 2^61.
    pub(crate) poly: [u128; 2],
    /// Layer 3, for each pass; each below 2^64 − 257.
    last: [[u64; 2]; 2],
    /// Powers for the lanes of vectors, if the backend has them.
    pub(crate) lanes: [Lanes; 2],
}

/// Powers of the key of layer 2 as limbs of 52 bits, for eight lanes.
#[derive(Default, Zeroize)]
#[repr(C, align(64))]
pub(crate) struct Lanes {
    /// For each limb, the factor of each lane at the end.
    pub(crate) last: [[u64; 8]; 3],
    /// The factor of all lanes in each step.
    pub(crate) step: [u64; 3],
}

/// The values of the second layer, one for each pass: below 2^127 + 2^75, not fully reduced.
pub(crate) type Sums = [u128; 2];

impl Key {
    /// Returns the keys derived as in section 3.2: `words(index, i)` is word i of the cipher's output for `index`.
    pub(crate) fn new(words: impl Fn(u8, usize) -> u64) -> Self {
        let nh = std::array::from_fn(|i| words(128, i));
        let poly = [0, 1].map(|pass| {
            const MASK: u128 = 0x1fff_ffff_1fff_ffff_1fff_ffff_1fff_ffff;
            (u128::from(words(192, 2 * pass)) << 64 | u128::from(words(192, 2 * pass + 1))) & MASK
        });
        let mut key = Key { nh, poly, last: [[0; 2]; 2], lanes: Default::default() };
        // The first pairs of words of which both are below the modulus. Their number depends on the key; a pair is
        // skipped with a probability of 2^-55.
        let pairs = (0..).map(|i| [words(224, 2 * i), words(224, 2 * i + 1)]);
        let fit = pairs.filter(|pair| pair.iter().all(|&word| word < P64));
        key.last.iter_mut().zip(fit).for_each(|(place, pair)| *place = pair);
        key
    }
}

/// Returns VHASH's first two layers from `sums` over `data`, whose length is a multiple of [`BLOCK`].
pub(crate) fn hash_portable<const PASSES: usize>(key: &Key, sums: Sums, data: &[u8]) -> Sums {
    hash::<PASSES>(key, sums, data.as_chunks().0)
}

/// Returns VHASH of a message of `total` bytes: `sums` has the first blocks, and `rest` is all that follows.
pub(crate) fn finish_portable<const PASSES: usize>(
    key: &Key,
    sums: Sums,
    rest: &[u8],
    total: u64,
) -> [u64; 2] {
    finish::<PASSES>(key, sums, rest, total)
}

/// [`hash_portable`] for functions that enable other instructions.
#[inline(always)]
pub(crate) fn hash<const PASSES: usize>(key: &Key, mut sums: Sums, blocks: &[[u8; BLOCK]]) -> Sums {
    for block in blocks {
        // For two passes, the compiler would copy all words of the key to the stack before the first block.
        let key = if PASSES == 2 { black_box(key) } else { key };
        let numbers = nh::<PASSES>(key, 0, block.as_chunks().0);
        for pass in 0..PASSES {
            sums[pass] = step(sums[pass], low126(numbers[pass]), key.poly[pass]);
        }
    }
    sums
}

/// Returns the first layer, section 5.3, of the pairs of words of a block from pair `first` on: the sum of the
/// products of the words of each pair, whose low 126 bits count.
#[inline(always)]
fn nh<const PASSES: usize>(key: &Key, first: usize, pairs: &[[u8; 16]]) -> Sums {
    let mut sums = [0u128; 2];
    for (i, pair) in (first..WORDS / 2).zip(pairs) {
        let both = u128::from_le_bytes(*pair);
        for (pass, sum) in sums.iter_mut().enumerate().take(PASSES) {
            let a = (both as u64).wrapping_add(key.nh[2 * (pass + i)]);
            let b = ((both >> 64) as u64).wrapping_add(key.nh[2 * (pass + i) + 1]);
            *sum = sum.wrapping_add(u128::from(a) * u128::from(b));
        }
    }
    sums
}

/// Returns the bits of a number of the first layer that the second layer uses. In words: a mask of 128 bits is two.
#[inline(always)]
fn low126(number: u128) -> u128 {
    u128::from((number >> 64) as u64 & (u64::MAX >> 2)) << 64 | u128::from(number as u64)
}

/// Returns a step of the second layer, section 5.4: `sum`·`key` + `number` modulo 2^127 − 1. The halves of the key
/// are below 2^61, and the number below 2^126; so only the last addition has a carry, and the result is below 2^127 +
/// 2^63.
#[inline(always)]
fn step(sum: u128, number: u128, key: u128) -> u128 {
    debug_assert!(sum < (1 << 127) + (1 << 75) && number >> 126 == 0 && key & (7 << 125 | 7 << 61) == 0);
    let (a0, a1) = (u128::from(sum as u64), sum >> 64);
    let (k0, k1, twice) = (u128::from(key as u64), key >> 64, u128::from((key >> 64) as u64 * 2));
    // The coefficient of 2^128 is doubled, because 2^128 is 2 modulo 2^127 − 1: 2^125 + 2^62·(2^63 + 2^11) + 2^126,
    // and 2^125 + 2^124 + 2^72.
    let low = a0 * k0 + a1 * twice + number;
    let high = a0 * k1 + a1 * k0;
    debug_assert!(high >> 126 == 0);
    let (middle, over) = ((low >> 64) as u64).overflowing_add(high as u64);
    // All bits from 2^127 on, below 2^63, count from 1 again.
    let up = (((high >> 64) as u64 + u64::from(over)) << 1) | middle >> 63;
    (u128::from(middle & (u64::MAX >> 1)) << 64 | u128::from(low as u64)) + u128::from(up)
}

/// Returns `head`·`power` + `tail` modulo 2^127 − 1 for numbers below 2^127 + 2^75; the result is below 2^127 + 2^70.
pub(crate) fn join(head: u128, power: u128, tail: u128) -> u128 {
    debug_assert!([head, power, tail].iter().all(|&x| x < (1 << 127) + (1 << 75)));
    let power = fold(power);
    let (a0, a1) = (u128::from(head as u64), u128::from((head >> 64) as u64));
    let (p0, p1) = (u128::from(power as u64), u128::from((power >> 64) as u64));
    // As in `step`, but every addition can have a carry, which counts as 2 or, in the middle, as 2^65.
    let (low, over0) = (a0 * p0).overflowing_add(a1 * (2 * p1));
    let (low, over1) = low.overflowing_add(tail);
    let (high, over2) = (a0 * p1).overflowing_add(a1 * p0);
    let (low, over3) = low.overflowing_add(high << 64);
    let overs = u128::from(over0) + u128::from(over1) + u128::from(over3);
    (low & P127) + (low >> 127) + 2 * ((high >> 64) + overs) + (u128::from(over2) << 65)
}

/// Returns the product modulo 2^127 − 1 of numbers below 2^127 + 2^75, below 2^127.
pub(crate) fn multiply(a: u128, b: u128) -> u128 {
    fold(join(a, b, 0))
}

/// Returns a congruent number below 2^127.
pub(crate) fn fold(number: u128) -> u128 {
    (number & P127) + (number >> 127)
}

/// [`finish_portable`] for functions that enable other instructions.
#[inline(always)]
pub(crate) fn finish<const PASSES: usize>(key: &Key, sums: Sums, rest: &[u8], total: u64) -> [u64; 2] {
    let (blocks, rest) = rest.as_chunks();
    let mut sums = hash::<PASSES>(key, sums, blocks);
    // A message without bytes is one block without words, whose number is 0.
    if !rest.is_empty() || total == 0 {
        let (pairs, end) = rest.as_chunks::<16>();
        let mut numbers = nh::<PASSES>(key, 0, pairs);
        if !end.is_empty() {
            let last = nh::<PASSES>(key, pairs.len(), &[padded(end)]);
            numbers = std::array::from_fn(|pass| numbers[pass].wrapping_add(last[pass]));
        }
        for pass in 0..PASSES {
            sums[pass] = step(sums[pass], low126(numbers[pass]), key.poly[pass]);
        }
    }
    let bits = u128::from(total % BLOCK as u64 * 8);
    let mut hashes = [0; 2];
    for pass in 0..PASSES {
        hashes[pass] = last(sums[pass] + (bits << 64), key.last[pass]);
    }
    hashes
}

/// Returns the third layer, section 5.5, of a number below 2^127 + 2^76. No branches: what is added on a condition is
/// multiplied by 0 or 1.
#[inline(always)]
fn last(sum: u128, key: [u64; 2]) -> u64 {
    debug_assert!(sum < (1 << 127) + (1 << 76) && key.iter().all(|&word| word < P64));
    // Below the modulus: numbers from 2^127 − 1 on have bit 127 set in their successor.
    let sum = (sum + ((sum + 1) >> 127)) & P127;
    let (high, low) = ((sum >> 64) as u64, sum as u64);
    // The divisor is 2^32·m with m = 2^32 − 1. Of high·2^32 + low/2^32 = high·m + x, the quotient is high + x/m; and x
    // = a·2^32 + b is a·m + a + b, where a + b is below 2·m: the quotient is 1 more if a + b has a carry or is m.
    let x = high + (low >> 32);
    let x = x + (x >> 32);
    let x = x + u64::from(x as u32 == u32::MAX);
    let quotient = high + (x >> 32);
    let rest = low.wrapping_add(quotient << 32);
    debug_assert!(rest < 0u64.wrapping_sub(1 << 32));

    // 2^64 is 257. A sum with a carry is below the second addend, so that another 257 has none.
    let add = |x: u64, y: u64| {
        let (sum, over) = x.overflowing_add(y);
        sum + LACK * u64::from(over)
    };
    let product = u128::from(add(quotient, key[0])) * u128::from(add(rest, key[1]));
    let (high, low) = ((product >> 64) as u64, product as u64);
    // 257·high, in which 2^64 is 257 again.
    let (low, over) = low.overflowing_add(high);
    let (low, over_shifted) = low.overflowing_add(high << 8);
    let low = add(low, LACK * ((high >> 56) + u64::from(over) + u64::from(over_shifted)));
    low.wrapping_add(LACK * u64::from(low >= P64))
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;

    /// Arithmetic as in the draft, in numbers of 256 bits as lists of bits.
    fn product_mod_p127(a: u128, b: u128) -> u128 {
        let double = |x: u128| (x << 1) % P127;
        (0..128).rev().fold(0, |sum, bit| {
            // Both are below 2^127, so that the sum is below 2^128.
            (double(sum) + if b >> bit & 1 == 1 { a % P127 } else { 0 }) % P127
        })
    }

    fn edges() -> Vec<u128> {
        let mut rng = rng();
        let mut all =
            vec![0, 1, 2, P127 - 1, P127, P127 + 1, (1 << 127) + (1 << 75) - 1, 1 << 126, u64::MAX.into()];
        all.extend((0..200).map(|_| rng.random::<u128>() >> 1));
        all
    }

    #[test]
    fn the_second_layer_is_a_polynomial() {
        let all = edges();
        const HALVES: u128 = ((1 << 61) - 1) << 64 | ((1 << 61) - 1);
        for (i, &sum) in all.iter().enumerate() {
            let at = |j: usize| all[(i * 7 + j * 13) % all.len()];
            let number = at(1) >> 2;
            for key in [at(2) & HALVES, HALVES, 0, 1] {
                let expected = (product_mod_p127(sum, key) + number) % P127;
                let result = step(sum, number, key);
                assert!(result < (1 << 127) + (1 << 63));
                assert_eq!(result % P127, expected);
            }
            for key in [at(3), (1 << 127) + (1 << 75) - 1, P127, P127 - 1, 0, 1] {
                let expected = product_mod_p127(sum, key);
                assert_eq!(multiply(sum, key) % P127, expected);
                let result = join(sum, key, at(4));
                assert!(result < (1 << 127) + (1 << 70));
                assert_eq!(result % P127, (expected + at(4) % P127) % P127);
            }
        }
    }

    #[test]
    fn pairs_with_a_word_from_the_modulus_on_are_no_keys() {
        let pairs = [[P64, 1], [1, P64], [u64::MAX; 2], [P64 - 1, 0], [P64, P64 - 1], [2, P64 - 1], [3, 4]];
        let key = Key::new(|index, i| if index == 224 { pairs[i / 2][i % 2] } else { 0 });
        assert_eq!(key.last, [[P64 - 1, 0], [2, P64 - 1]]);
    }

    #[test]
    fn the_third_layer_agrees_with_division() {
        const DIVISOR: u128 = (1 << 64) - (1 << 32);
        const P64: u128 = super::P64 as u128;
        let mut rng = rng();
        let most = (P64 - 1) as u64;
        let mut sums = edges();
        // Quotients and remainders at the ends of their ranges.
        for quotient in [0, 1, (1 << 32) - 1, 1 << 32, (1 << 63) - 1] {
            for rest in [0, 1, DIVISOR - 2, DIVISOR - 1] {
                sums.push(quotient * DIVISOR + rest);
            }
        }
        for sum in sums {
            for key in [[0, 0], [most, most], [most, 0], [1 << 63, most], [rng.random::<u64>() >> 1, 5]] {
                let (a, b) = (sum % P127 / DIVISOR, sum % P127 % DIVISOR);
                let (a, b) = ((a + u128::from(key[0])) % P64, (b + u128::from(key[1])) % P64);
                assert_eq!(u128::from(last(sum, key)), a * b % P64, "{sum:x} {key:x?}");
            }
        }
    }
}
