//! VHASH of draft-krovetz-vmac-01, section 5: three layers, each with keys of its own, once or twice over.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes that the first layer makes one number of.
pub(crate) const BLOCK: usize = 128;
/// Words of such a block.
const WORDS: usize = BLOCK / 8;
/// Blocks that the second layer takes for one reduction.
const GROUP: usize = 4;

/// 2^127 − 1, the modulus of the second layer.
const P127: u128 = (1 << 127) - 1;
/// 2^64 − 257, the modulus of the third layer, as what it lacks to 2^64.
const LACK: u128 = 257;

/// The keys of all layers, and what is computed from them once.
#[derive(Zeroize, ZeroizeOnDrop)]
#[repr(C, align(64))]
pub(crate) struct Key {
    /// Layer 1. The second pass begins two words later.
    pub(crate) nh: [u64; WORDS + 2],
    /// Layer 2, for each pass: the key to the powers of 4, 3, 2 and 1, each below 2^127.
    pub(crate) poly: [[u128; GROUP]; 2],
    /// Layer 3, for each pass; each below 2^64 − 257.
    last: [[u64; 2]; 2],
    /// What the lanes of vectors need, where the backend has such.
    pub(crate) lanes: [Lanes; 2],
}

/// Powers of the key of layer 2 as limbs of 52 bits, for eight lanes.
#[derive(Default, Zeroize)]
#[repr(C, align(64))]
pub(crate) struct Lanes {
    /// For each limb, what each lane is multiplied by in the end.
    pub(crate) last: [[u64; 8]; 3],
    /// What all lanes are multiplied by with each step.
    pub(crate) step: [u64; 3],
}

/// The values of the second layer, one for each pass, below 2^127 + 2^75 and congruent to what they stand for.
pub(crate) type Sums = [u128; 2];

impl Key {
    /// Derives the keys as section 3.2 does: `words(index, i)` is word i of what the block cipher makes of `index`.
    pub(crate) fn new(words: impl Fn(u8, usize) -> u64) -> Self {
        let nh = std::array::from_fn(|i| words(128, i));
        let mut key = Key { nh, poly: [[0; GROUP]; 2], last: [[0; 2]; 2], lanes: Default::default() };
        for (pass, powers) in key.poly.iter_mut().enumerate() {
            const MASK: u128 = 0x1fff_ffff_1fff_ffff_1fff_ffff_1fff_ffff;
            let first = u128::from(words(192, 2 * pass)) << 64 | u128::from(words(192, 2 * pass + 1));
            let mut power = first & MASK;
            for place in powers.iter_mut().rev() {
                *place = power;
                power = multiply(power, first & MASK);
            }
        }
        // Of the pairs of words, the first ones of which both are below the modulus. How many that takes depends on the
        // key; one is passed over with a chance of 2^-55.
        let pairs = (0..).map(|i| [words(224, 2 * i), words(224, 2 * i + 1)]);
        let fit = pairs.filter(|pair| pair.iter().all(|&word| u128::from(word) + LACK < 1 << 64));
        key.last.iter_mut().zip(fit).for_each(|(place, pair)| *place = pair);
        key
    }
}

/// VHASH's first two layers from `sums` over `data`, whose length is a multiple of [`BLOCK`].
pub(crate) fn hash_scalar<const PASSES: usize>(key: &Key, mut sums: Sums, data: &[u8]) -> Sums {
    let (blocks, _) = data.as_chunks::<BLOCK>();
    let (groups, rest) = blocks.as_chunks::<GROUP>();
    for group in groups {
        let mut numbers = [[0; GROUP]; 2];
        for (i, block) in group.iter().enumerate() {
            let of_block = nh::<PASSES>(key, block.as_chunks::<16>().0);
            (0..PASSES).for_each(|pass| numbers[pass][i] = of_block[pass]);
        }
        for pass in 0..PASSES {
            sums[pass] = poly(sums[pass], numbers[pass], key.poly[pass]);
        }
    }
    for block in rest {
        let numbers = nh::<PASSES>(key, block.as_chunks::<16>().0);
        for pass in 0..PASSES {
            sums[pass] = poly(sums[pass], [numbers[pass]], [key.poly[pass][GROUP - 1]]);
        }
    }
    sums
}

/// The first layer, section 5.3, of up to eight pairs of words: the sum of products of neighbours, modulo 2^126.
#[inline(always)]
fn nh<const PASSES: usize>(key: &Key, pairs: &[[u8; 16]]) -> Sums {
    let mut sums = [0u128; 2];
    for (i, pair) in pairs.iter().enumerate().take(WORDS / 2) {
        let both = u128::from_le_bytes(*pair);
        for (pass, sum) in sums.iter_mut().enumerate().take(PASSES) {
            let a = (both as u64).wrapping_add(key.nh[2 * (pass + i)]);
            let b = ((both >> 64) as u64).wrapping_add(key.nh[2 * (pass + i) + 1]);
            *sum = sum.wrapping_add(u128::from(a) * u128::from(b));
        }
    }
    sums.map(|sum| sum & ((1 << 126) - 1))
}

/// The second layer, section 5.4, for N numbers at once: `sum`·k^N + n_1·k^(N−1) + … + n_N modulo 2^127 − 1, where `powers`
/// are k^N, …, k, each below 2^127. Sum, numbers and result are below 2^127 + 2^75, at most four numbers.
#[inline(always)]
fn poly<const N: usize>(sum: u128, numbers: [u128; N], powers: [u128; N]) -> u128 {
    // Two columns, for 1 and for 2^64; what belongs to 2^128 is doubled and added to the first, for 2^128 is 2 here. The
    // products are below 2^128, so that the carries are what counts beyond.
    let (mut low, mut low_carry, mut high, mut high_carry) = (0u128, 0u64, 0u128, 0u64);
    let mut add = |a: u128, power: u128| {
        debug_assert!(a < (1 << 127) + (1 << 75) && power <= P127);
        let (a0, a1) = (u128::from(a as u64), a >> 64);
        let (p0, p1) = (u128::from(power as u64), power >> 64);
        // Below 2^64 too.
        let twice = u128::from((p1 as u64) << 1);
        low_carry += add_to(&mut low, a0 * p0) + add_to(&mut low, a1 * twice);
        high_carry += add_to(&mut high, a0 * p1) + add_to(&mut high, a1 * p0);
    };
    // The sum comes last, because it is known last.
    for i in 1..N {
        add(numbers[i - 1], powers[i]);
    }
    add(sum, powers[0]);
    low_carry += add_to(&mut low, numbers[N - 1]) + add_to(&mut low, high << 64);
    let small = 2 * ((high >> 64) + u128::from(low_carry)) + (u128::from(high_carry) << 65);
    (low & P127) + (low >> 127) + small
}

/// Adds, and gives the carry.
#[inline(always)]
fn add_to(column: &mut u128, product: u128) -> u64 {
    let (total, over) = column.overflowing_add(product);
    *column = total;
    u64::from(over)
}

/// The product modulo 2^127 − 1 of numbers below 2^127 + 2^75, below 2^127.
pub(crate) fn multiply(a: u128, b: u128) -> u128 {
    fold(poly(a, [0], [fold(b)]))
}

/// `head`·`power` + `tail` modulo 2^127 − 1.
pub(crate) fn join(head: u128, power: u128, tail: u128) -> u128 {
    poly(head, [tail], [fold(power)])
}

/// A number below 2^127 that is congruent.
pub(crate) fn fold(number: u128) -> u128 {
    (number & P127) + (number >> 127)
}

/// The end of VHASH: takes `rest`, the bytes behind the last whole block of a message of `total` bytes, and then applies
/// the third layer.
pub(crate) fn finish<const PASSES: usize>(key: &Key, mut sums: Sums, rest: &[u8], total: u64) -> [u64; 2] {
    debug_assert!(rest.len() < BLOCK);
    // A message without bytes is one block without words, whose number is 0.
    if !rest.is_empty() || total == 0 {
        let mut filled = [0; BLOCK];
        filled[..rest.len()].copy_from_slice(rest);
        let (pairs, _) = filled.as_chunks::<16>();
        let numbers = nh::<PASSES>(key, &pairs[..rest.len().div_ceil(16)]);
        for pass in 0..PASSES {
            sums[pass] = poly(sums[pass], [numbers[pass]], [key.poly[pass][GROUP - 1]]);
        }
    }
    let bits = u128::from(total % BLOCK as u64 * 8);
    let mut hashes = [0; 2];
    for pass in 0..PASSES {
        hashes[pass] = last(sums[pass] + (bits << 64), key.last[pass]);
    }
    hashes
}

/// The third layer, section 5.5. No branches: what may have to be subtracted is multiplied by 0 or 1.
fn last(sum: u128, key: [u64; 2]) -> u64 {
    const WORD: u128 = 1 << 64;
    // Below the modulus: 2^127 − 1 itself, of which the next number has the bit 127, becomes 0.
    let sum = fold(sum);
    let sum = (sum + ((sum + 1) >> 127)) & P127;
    // Quotient and rest modulo 2^64 − 2^32. Of q·2^64 + r, q goes to the quotient and leaves q·2^32 in the rest; three times
    // until the rest is below 2^64, and once for the case that it is not below the modulus.
    let (mut quotient, mut rest) = (0, sum);
    for _ in 0..3 {
        let over = rest >> 64;
        quotient += over;
        rest = (over << 32) + rest % WORD;
    }
    let over = (rest + (1 << 32)) >> 64;
    quotient += over;
    rest = (rest + (over << 32)) % WORD;

    let fold = |x: u128| (x >> 64) * LACK + x % WORD;
    // Below 2^64 each: a quotient below 2^64 and a key below 2^64 − 257 have a carry of at most 1 between them.
    let a = fold(u128::from(key[0]) + quotient);
    let b = fold(u128::from(key[1]) + rest);
    debug_assert!(a < WORD && b < WORD);
    // 2^128 becomes below 2^73 + 2^64, and that below 2^64 + 2^18, and that below 2^64.
    let product = fold(fold(fold(u128::from(a as u64) * u128::from(b as u64))));
    let over = (product + LACK) >> 64;
    (product + over * LACK) as u64
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;

    /// Arithmetic as the draft writes it, in numbers of 256 bits that are lists of bits.
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
        for (i, &sum) in all.iter().enumerate() {
            let at = |j: usize| all[(i * 7 + j * 13) % all.len()];
            let numbers = [at(1), at(2), at(3), at(4)];
            for key in [fold(at(5)), fold(at(6)), P127, P127 - 1, 0, 1] {
                let mut powers = [fold(key); 4];
                for i in (0..3).rev() {
                    powers[i] = product_mod_p127(powers[i + 1], key);
                }
                let result = poly(sum, numbers, powers);
                assert!(result < (1 << 127) + (1 << 70));
                let expected =
                    numbers.iter().fold(sum % P127, |sum, n| (product_mod_p127(sum, key) + n % P127) % P127);
                assert_eq!(result % P127, expected);
                assert_eq!(multiply(sum, key) % P127, product_mod_p127(sum, key));
                assert_eq!(join(sum, key, at(7)) % P127, (product_mod_p127(sum, key) + at(7) % P127) % P127);
            }
        }
    }

    #[test]
    fn the_third_layer_is_what_division_gives() {
        const DIVISOR: u128 = (1 << 64) - (1 << 32);
        const P64: u128 = (1 << 64) - LACK;
        let mut rng = rng();
        let most = (P64 - 1) as u64;
        let mut sums = edges();
        // Quotients and rests at their ends.
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
