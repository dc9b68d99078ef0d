//! Arithmetic in Fr on vectors, with an element in each lane.
//!
//! It is written over [`Words`], the few operations on vectors of 64-bit words that every instruction set has. A plain
//! array of words is one too, so that all of it is tested where an instruction set is missing.

pub(crate) mod element;
pub(crate) mod fold;

use std::fmt::Debug;

use crate::Fr;

/// Functions over Fr of an instruction set.
pub(crate) trait FrLanes: Debug + Sync {
    /// Returns the number of lanes.
    fn lanes(&self) -> usize;

    /// Folds values as [`fold::fold`] does.
    fn fold(&self, table: &[u32], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool;
}

/// A vector of 64-bit words, one in each lane.
///
/// A vector of an instruction set is used only in functions that are compiled for it, because its operations are
/// inlined only there.
pub(crate) trait Words: Copy {
    /// The number of lanes.
    const LANES: usize;

    /// Returns a word in all lanes.
    fn all(word: u64) -> Self;

    /// Returns one word in each lane, zero-extended. There are as many as lanes.
    fn widened(words: &[u32]) -> Self;

    /// Returns the words, least significant first, of the big-endian numbers of 32 bytes at each `stride` bytes.
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4];

    /// Writes the words, as many as there are lanes.
    fn store(self, words: &mut [u64]);

    /// Returns whether the highest bit of a lane is 1.
    fn has_high_bit(self) -> bool;

    /// Returns self + other modulo 2^64.
    fn plus(self, other: Self) -> Self;

    /// Returns self − other modulo 2^64.
    fn minus(self, other: Self) -> Self;

    /// Returns the products of the lower halves, 32 bits each.
    fn times_low(self, other: Self) -> Self;

    /// Returns the bits that both have.
    fn and(self, other: Self) -> Self;

    /// Returns the bits that one of them has.
    fn or(self, other: Self) -> Self;

    /// Returns each word shifted to the right.
    fn right<const BITS: i32>(self) -> Self;

    /// Returns each word shifted to the left.
    fn left<const BITS: i32>(self) -> Self;
}

/// Four lanes in plain Rust: the model of the others.
impl Words for [u64; 4] {
    const LANES: usize = 4;

    fn all(word: u64) -> Self {
        [word; 4]
    }

    fn widened(words: &[u32]) -> Self {
        std::array::from_fn(|lane| words[lane].into())
    }

    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        std::array::from_fn(|word| {
            std::array::from_fn(|lane| {
                let at = lane * stride + 24 - 8 * word;
                u64::from_be_bytes(std::array::from_fn(|i| bytes[at + i]))
            })
        })
    }

    fn store(self, words: &mut [u64]) {
        words.copy_from_slice(&self);
    }

    fn has_high_bit(self) -> bool {
        self.iter().any(|word| word >> 63 == 1)
    }

    fn plus(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].wrapping_add(other[lane]))
    }

    fn minus(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].wrapping_sub(other[lane]))
    }

    fn times_low(self, other: Self) -> Self {
        std::array::from_fn(|lane| (self[lane] & u64::from(u32::MAX)) * (other[lane] & u64::from(u32::MAX)))
    }

    fn and(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] & other[lane])
    }

    fn or(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] | other[lane])
    }

    fn right<const BITS: i32>(self) -> Self {
        self.map(|word| word >> BITS)
    }

    fn left<const BITS: i32>(self) -> Self {
        self.map(|word| word << BITS)
    }
}

/// The model as a backend, for tests.
#[cfg(test)]
impl FrLanes for () {
    fn lanes(&self) -> usize {
        <[u64; 4]>::LANES
    }

    fn fold(&self, table: &[u32], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool {
        fold::fold::<[u64; 4]>(table, z, encodings, out)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;

    /// Checks that each operation on random words does in each lane what it does in plain Rust.
    #[inline(always)]
    pub(crate) fn agrees_with_the_model<W: Words>() {
        let mut rng = rng();
        let stored = |vector: W| {
            let mut words = vec![0; W::LANES];
            vector.store(&mut words);
            words
        };
        let stride = 32 + 8;
        for _ in 0..200 {
            let bytes: Vec<u8> = (0..stride * W::LANES * 2).map(|_| rng.random()).collect();
            let words = |vectors: [W; 4]| vectors.map(stored);
            let number = |lane: usize, word: usize| {
                let at = lane * stride + 24 - 8 * word;
                u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap())
            };
            let a = W::from_big_endian(&bytes, stride);
            for (word, found) in words(a).iter().enumerate() {
                assert!(found.iter().enumerate().all(|(lane, found)| *found == number(lane, word)), "{word}");
            }
            let (x, y) = (a[0], a[3]);
            let check = |found: W, expected: fn(u64, u64) -> u64| {
                let pairs = stored(x).into_iter().zip(stored(y));
                assert!(stored(found).into_iter().eq(pairs.map(|(x, y)| expected(x, y))));
            };
            check(x.plus(y), u64::wrapping_add);
            check(x.minus(y), u64::wrapping_sub);
            check(x.times_low(y), |x, y| (x & 0xffff_ffff) * (y & 0xffff_ffff));
            check(x.and(y), |x, y| x & y);
            check(x.or(y), |x, y| x | y);
            check(x.right::<29>(), |x, _| x >> 29);
            check(y.left::<18>(), |_, y| y << 18);
            check(W::all(0x8000_0000_0000_0001), |_, _| 0x8000_0000_0000_0001);
            let narrow: Vec<u32> = (0..W::LANES).map(|_| rng.random()).collect();
            assert!(
                stored(W::widened(&narrow))
                    .iter()
                    .zip(&narrow)
                    .all(|(wide, narrow)| *wide == u64::from(*narrow))
            );
            assert_eq!(x.has_high_bit(), stored(x).iter().any(|word| word >> 63 == 1));
        }
        assert!(!W::all(u64::MAX >> 1).has_high_bit());
    }

    #[test]
    fn the_model_agrees_with_plain_words() {
        agrees_with_the_model::<[u64; 4]>();
    }
}
