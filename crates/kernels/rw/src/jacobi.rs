//! The Jacobi symbol, in constant time.
//!
//! Source: Pornin, "Optimized Binary GCD for Modular Inversion", IACR ePrint 2020/972, whose steps are computed on one
//! word of each number and then applied to the whole numbers at once. Each step changes the symbol by the law of
//! reciprocity and the rule for 2, which need only the lowest three bits.

use std::hint::black_box;

use zeroize::Zeroizing;

/// Steps of a round. Each uses one of the 31 exact low bits, and the last one needs three.
const STEPS: usize = 29;
/// Low bits of a number's word that are exact; the others are its highest 32.
const EXACT: u32 = 31;

/// Returns whether the Jacobi symbol (a|n) is 1, for numbers of the same length, most significant byte first, a below
/// n, n odd. The time depends only on the length.
pub(crate) fn is_one(a: &[u8], n: &[u8]) -> bool {
    // A word more, for the sign between two rounds.
    let words = n.len().div_ceil(8) + 1;
    let (mut a, mut b) = (words_of(a, words), words_of(n, words));
    // The invariant is (a at the start|n) = ±(a|b), − where the lowest bit of `flips` is set. b is odd. Neither is
    // negative at the start of a round; within one at most one of both is, a word being the highest bits rounded, and
    // then b means |b|.
    let (mut flips, mut rest) = (0, 0);
    // A step takes at least one bit off the lengths of a and b together.
    let bits = 16 * n.len();
    for round in 0..bits.div_ceil(STEPS) + 1 {
        // So neither is longer than the remaining bits of both, unless they have a common factor. The words above that
        // are left out. One further word is for the sign, and must be zero here.
        let used = words.min((bits.saturating_sub(STEPS * round)).div_ceil(64) + 2);
        let (a, b) = (&mut a[..used], &mut b[..used]);
        rest |= a[used - 1] | b[used - 1];
        let (high_a, high_b) = high_words(a, b);
        let low = (1 << EXACT) - 1;
        let (mut x, mut y) = (high_a & !low | a[0] & low, high_b & !low | b[0] & low);
        // x = f·a + g·b and the same for y, up to powers of two and rounding; f + 2^32·g in one word.
        let (mut of_x, mut of_y) = (1u64, 1u64 << 32);
        for _ in 0..STEPS {
            let odd = (x & 1).wrapping_neg();
            // Both are below 2^63, so the highest bit is 1 if x < y.
            let swap = ((x.wrapping_sub(y) as i64 >> 63) as u64) & odd;
            // Reciprocity: −1 if both are 3 modulo 4.
            flips ^= (x & y) >> 1 & swap;
            exchange(&mut x, &mut y, swap);
            exchange(&mut of_x, &mut of_y, swap);
            x = x.wrapping_sub(y & odd) >> 1;
            of_x = of_x.wrapping_sub(of_y & odd);
            of_y <<= 1;
            // (2|b) is −1 if b is 3 or 5 modulo 8.
            flips ^= (y >> 1) ^ (y >> 2);
        }
        let negative = combine(a, b, of_x, of_y);
        // (−1|b) is −1 if b is 3 modulo 4.
        flips ^= b[0] >> 1 & negative;
    }
    // The remainder is the greatest common divisor, and (0|1) = 1.
    rest |= a.iter().chain(&b[1..]).fold(b[0] ^ 1, |rest, word| rest | word);
    rest | flips & 1 == 0
}

/// Returns the words of a number, least significant first.
fn words_of(bytes: &[u8], words: usize) -> Zeroizing<Vec<u64>> {
    let mut number = Zeroizing::new(vec![0; words]);
    for (word, bytes) in number.iter_mut().zip(bytes.rchunks(8)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    number
}

/// Exchanges them if the mask is all ones.
fn exchange(x: &mut u64, y: &mut u64, mask: u64) {
    let difference = (*x ^ *y) & mask;
    *x ^= difference;
    *y ^= difference;
}

/// Returns all ones if the word is not zero. The compiler does not know that, or it would select by branches.
fn nonzero(word: u64) -> u64 {
    black_box(((word | word.wrapping_neg()) >> 63).wrapping_neg())
}

/// Returns the 63 highest bits of both, counted from the highest bit of the longer one; all bits of both if they fit
/// in 63.
fn high_words(a: &[u64], b: &[u64]) -> (u64, u64) {
    let (mut high_a, mut next_a, mut high_b, mut next_b) = (0, a[0], 0, b[0]);
    for (a, b) in a.windows(2).zip(b.windows(2)) {
        let here = nonzero(a[1] | b[1]);
        for (kept, word) in
            [(&mut high_a, a[1]), (&mut next_a, a[0]), (&mut high_b, b[1]), (&mut next_b, b[0])]
        {
            *kept ^= (*kept ^ word) & here;
        }
    }
    // One of them is odd, so that the 1 changes nothing if the higher word is zero.
    let either = u128::from(high_a | high_b) << 64 | u128::from(next_a | next_b | 1);
    let zeros = either.leading_zeros().min(65);
    let top = |high: u64, next: u64| ((u128::from(high) << 64 | u128::from(next)) << zeros >> 65) as u64;
    (top(high_a, next_a), top(high_b, next_b))
}

/// Replaces both by the absolute values of two sums f·a + g·b over 2^STEPS, which are integers; returns all ones where
/// the first was negative.
fn combine(a: &mut [u64], b: &mut [u64], of_first: u64, of_second: u64) -> u64 {
    let (mut first, mut second) = (Sum::new(of_first), Sum::new(of_second));
    for (a, b) in a.iter_mut().zip(b.iter_mut()) {
        (*a, *b) = (first.next(*a, *b), second.next(*a, *b));
    }
    let negative = shift_and_make_positive(a);
    shift_and_make_positive(b);
    negative
}

/// A sum f·a + g·b, word by word. A factor is below 2^32 in absolute value; −f·a is computed as f·!a + f.
struct Sum {
    f: u64,
    f_sign: u64,
    g: u64,
    g_sign: u64,
    carry: u128,
}

impl Sum {
    /// Returns the sum with the factors in f + 2^32·g.
    fn new(packed: u64) -> Self {
        let f = i64::from(packed as i32) as u64;
        let g = (packed.wrapping_sub(f) as i64 >> 32) as u64;
        let sign = |x: u64| (x >> 63).wrapping_neg();
        let size = |x: u64| (x ^ sign(x)).wrapping_sub(sign(x));
        let carry = u128::from(size(f) & sign(f)) + u128::from(size(g) & sign(g));
        Sum { f: size(f), f_sign: sign(f), g: size(g), g_sign: sign(g), carry }
    }

    fn next(&mut self, a: u64, b: u64) -> u64 {
        let a = u128::from(a ^ self.f_sign) * u128::from(self.f);
        let b = u128::from(b ^ self.g_sign) * u128::from(self.g);
        self.carry += a + b;
        let word = self.carry as u64;
        self.carry >>= 64;
        word
    }
}

/// Divides a signed number by 2^STEPS and takes its absolute value; returns all ones if it was negative.
fn shift_and_make_positive(number: &mut [u64]) -> u64 {
    let mut above = number.last().map_or(0, |top| (top >> 63).wrapping_neg());
    let negative = above;
    for word in number.iter_mut().rev() {
        let shifted = *word >> STEPS | above << (64 - STEPS);
        above = *word;
        *word = shifted ^ negative;
    }
    let mut carry = negative & 1;
    for word in number {
        let (sum, over) = word.overflowing_add(carry);
        (*word, carry) = (sum, u64::from(over));
    }
    negative
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use parcrypt_testkit::rand::{Rng, RngCore};

    use super::*;

    /// Returns the symbol by the usual algorithm, on integers of any length.
    fn reference(a: &BigUint, n: &BigUint) -> i32 {
        let (mut a, mut n, mut symbol) = (a % n, n.clone(), 1);
        let low = |x: &BigUint| x.iter_u64_digits().next().unwrap_or(0);
        while a != BigUint::ZERO {
            while low(&a) % 2 == 0 {
                a >>= 1;
                if matches!(low(&n) % 8, 3 | 5) {
                    symbol = -symbol;
                }
            }
            std::mem::swap(&mut a, &mut n);
            if low(&a) % 4 == 3 && low(&n) % 4 == 3 {
                symbol = -symbol;
            }
            a %= &n;
        }
        if n == BigUint::from(1u8) { symbol } else { 0 }
    }

    fn padded(number: &BigUint, len: usize) -> Vec<u8> {
        let bytes = number.to_bytes_be();
        [vec![0; len - bytes.len()], bytes].concat()
    }

    #[test]
    fn small_numbers_as_the_reference() {
        for n in (1u32..600).step_by(2) {
            for a in 0..n {
                let expected = reference(&a.into(), &n.into()) == 1;
                assert_eq!(is_one(&a.to_be_bytes(), &n.to_be_bytes()), expected, "({a}|{n})");
            }
        }
    }

    #[test]
    fn large_numbers_as_the_reference() {
        let mut rng = parcrypt_testkit::rng();
        for round in 0..3000 {
            let len = if round < 2900 { rng.random_range(1..=130) } else { 512 };
            let mut n = vec![0; len];
            rng.fill_bytes(&mut n);
            n[len - 1] |= 1;
            let n = BigUint::from_bytes_be(&n);
            let mut a = vec![0; len];
            // Short numbers too, and long runs of zeros and ones, for which the rounded words may be equal.
            let zeros = rng.random_range(0..len);
            rng.fill_bytes(&mut a[zeros..]);
            let near = BigUint::from(rng.random::<u32>()) << rng.random_range(0..8 * len);
            let a = match round % 4 {
                0 => BigUint::from_bytes_be(&a) % &n,
                1 => &near % &n,
                2 => (&n - &near % &n) % &n,
                _ => ((&n >> 1) + &near) % &n,
            };
            let expected = reference(&a, &n);
            assert_eq!(is_one(&padded(&a, len), &padded(&n, len)), expected == 1, "({a}|{n})");
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        let mut rng = parcrypt_testkit::rng();
        for len in [1, 8, 9, 128, 256, 2048] {
            let all_ones = (BigUint::from(1u8) << (8 * len)) - 1u8;
            let one_bit = (BigUint::from(1u8) << (8 * len - 1)) + 1u8;
            for n in [&all_ones, &one_bit] {
                let random = BigUint::from(rng.random::<u64>()) % n;
                for a in [BigUint::ZERO, BigUint::from(1u8), n - 1u8, n - 2u8, n >> 1, (n >> 1) + 1u8, random]
                {
                    let expected = reference(&a, n) == 1;
                    assert_eq!(is_one(&padded(&a, len), &padded(n, len)), expected, "({a}|{n})");
                }
            }
        }
    }
}
