//! GHASH of NIST SP 800-38D, section 6.4, in the form of RFC 8452, appendix A.
//!
//! The standard writes the coefficient of x^0 as the first bit of a block. A block that is read as a big-endian number
//! has it at the other end, bit 127, and the product of two such numbers is one bit too low. RFC 8452 corrects this
//! once, in the key: with H' = H·x and the product a·b·x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1, everything else
//! is arithmetic of ordinary numbers. All elements in this crate are of that form.

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::padded;

/// Number of blocks that the widest kernel hashes with one reduction.
pub(crate) const POWERS: usize = 64;

/// Powers of the key. The backend decides which of them are computed beside the first.
#[derive(Zeroize, ZeroizeOnDrop)]
#[repr(C, align(64))]
pub(crate) struct Key {
    /// `H'^64, …, H'^2, H'`, and zeros, so that vectors that begin with any power can be loaded.
    pub(crate) powers: [u128; POWERS + 4],
    /// The sum of the two halves of each power, in the low half.
    pub(crate) folded: [u128; POWERS + 4],
}

impl Key {
    /// Returns the key for H, the encryption of a block of zeros.
    pub(crate) fn new(h: [u8; 16]) -> Self {
        let h = u128::from_be_bytes(h);
        let mut key = Key { powers: [0; POWERS + 4], folded: [0; POWERS + 4] };
        // h times x: x^127 becomes x^128, which is reduced to the other terms of the modulus.
        let carry = (h >> 127).wrapping_neg();
        key.powers[POWERS - 1] = h << 1 ^ carry & (0xc2 << 120 | 1);
        key
    }

    /// Returns H'.
    pub(crate) fn first(&self) -> u128 {
        self.powers[POWERS - 1]
    }
}

/// Returns GHASH from `sum` over `data`, padded with zeros to whole blocks, and then over `end` unless it is zero. A
/// number, not an option: that is passed in memory, from which a vector cannot be loaded before both halves are in the
/// cache. The only zero is the length of nothing, for which the hash is zero with a last block and without.
pub(crate) fn hash_portable(key: &Key, sum: u128, data: &[u8], end: u128) -> u128 {
    let (blocks, rest) = data.as_chunks::<16>();
    let rest = (!rest.is_empty()).then(|| u128::from_be_bytes(padded(rest)));
    let blocks = blocks.iter().map(|block| u128::from_be_bytes(*block));
    blocks
        .chain(rest)
        .chain((end != 0).then_some(end))
        .fold(sum, |sum, block| multiply_portable(sum ^ block, key.first()))
}

/// Returns a·b·x^-128.
pub(crate) fn multiply_portable(a: u128, b: u128) -> u128 {
    let (a0, a1, b0, b1) = (a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64);
    // Karatsuba: three products of halves.
    let low = carryless(a0, b0);
    let high = carryless(a1, b1);
    let middle = carryless(a0 ^ a1, b0 ^ b1) ^ low ^ high;
    reduce(low ^ middle << 64, high ^ middle >> 64)
}

/// Returns `high`·x^128 + `low`, times x^-128.
///
/// The lowest word is w·1; adding w times the modulus makes it zero, and it is dropped. Twice this divides by x^128.
fn reduce(low: u128, high: u128) -> u128 {
    let step = |low: u128| {
        let w = u128::from(low as u64);
        low >> 64 ^ w << 64 ^ w << 63 ^ w << 62 ^ w << 57
    };
    high ^ step(step(low))
}

/// Returns the product of two polynomials over GF(2).
///
/// Integer multiplication computes it where carries have room: of each factor every fifth bit is taken, so that the
/// bits of the product are five apart, and each is the lowest bit of a sum of at most 13 terms, which is below 2^5.
/// Five such parts of each factor give 25 products; their other bits are masked away.
fn carryless(a: u64, b: u64) -> u128 {
    const EVERY_FIFTH: u128 = {
        let (mut mask, mut bit) = (0, 0);
        while bit < 128 {
            mask |= 1 << bit;
            bit += 5;
        }
        mask
    };
    let parts = |x: u64| std::array::from_fn::<_, 5, _>(|i| u128::from(x & (EVERY_FIFTH << i) as u64));
    let (a, b) = (parts(a), parts(b));
    (0..5).fold(0, |product, column| {
        let sum = (0..5).fold(0, |sum, i| sum ^ (a[i] * b[(column + 5 - i) % 5]));
        product | sum & EVERY_FIFTH << column
    })
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;

    /// Returns the product of SP 800-38D, section 6.3, algorithm 1, on blocks in the standard's form.
    fn standard(x: u128, y: u128) -> u128 {
        const R: u128 = 0xe1 << 120;
        let (mut z, mut v) = (0, y);
        for i in 0..128 {
            if x >> (127 - i) & 1 == 1 {
                z ^= v;
            }
            v = if v & 1 == 1 { v >> 1 ^ R } else { v >> 1 };
        }
        z
    }

    #[test]
    fn products_are_those_of_the_standard() {
        let mut rng = rng();
        let edges = [0, 1, 2, 1 << 63, 1 << 64, 1 << 126, 1 << 127, u128::MAX, u128::MAX - 1];
        let pairs = edges.into_iter().flat_map(|a| edges.map(|b| (a, b)));
        let random = (0..2000).map(|_| (rng.random(), rng.random()));
        for (a, h) in pairs.chain(random.collect::<Vec<_>>()) {
            let key = Key::new(h.to_be_bytes());
            assert_eq!(multiply_portable(a, key.first()), standard(a, h), "{a:x} times {h:x}");
        }
    }

    #[test]
    fn carryless_products_are_sums_of_shifts() {
        let mut rng = rng();
        for _ in 0..2000 {
            let (a, b): (u64, u64) = (rng.random(), rng.random());
            for (a, b) in [(a, b), (a, u64::MAX), (u64::MAX, u64::MAX)] {
                let shifts = (0..64).filter(|i| a >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(b) << i);
                assert_eq!(carryless(a, b), shifts);
            }
        }
    }
}
