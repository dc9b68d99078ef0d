//! Vectors of 32-bit words, four in each quarter of 128 bits.

use std::array::from_fn;
use std::fmt::Debug;

use crate::Call;

/// A vector of 32-bit words, one in each lane: 4, 8 or 16.
pub trait Words32: Copy + Debug {
    /// The number of lanes.
    const LANES: usize;

    /// Returns a word in all lanes.
    fn all(word: u32) -> Self;

    /// Returns the first words, as many as there are lanes.
    fn load(words: &[u32]) -> Self;

    /// Writes the first words, as many as there are lanes.
    fn store(self, words: &mut [u32]);

    /// Writes the first words past the caches; other threads see them after [`Words32::fence`].
    ///
    /// # Panics
    /// If the address is not a multiple of the vector's size.
    fn stream(self, words: &mut [u32]);

    /// Orders what [`Words32::stream`] wrote before later stores.
    fn fence();

    /// Returns self + other modulo 2^32.
    fn plus(self, other: Self) -> Self;

    /// Returns the bits that exactly one of them has.
    fn xor(self, other: Self) -> Self;

    /// Returns self xor (`sum` <<< `LEFT`), a step of a chain; `chains` are computed at once.
    fn xor_rotated<const LEFT: i32>(self, sum: Self, chains: usize) -> Self;

    /// Returns the words of each quarter in another order: two bits a word, the lowest first.
    fn order<const FROM: i32>(self) -> Self;

    /// Transposes the quarters of four vectors. Vectors of eight words are a square of two by two in each half of the
    /// list: vectors 0 and 1 become their lower quarters and their upper ones.
    fn transpose(quarters: &mut [Self; 4]);

    /// Makes a call by a function that is compiled for the instruction set, and not inlined.
    #[inline(always)]
    fn outlined<C: Call>(call: C) -> C::Result {
        call.call()
    }
}

/// Lanes in plain Rust: the model of the others.
impl<const N: usize> Words32 for [u32; N] {
    const LANES: usize = N;

    fn all(word: u32) -> Self {
        [word; N]
    }

    fn load(words: &[u32]) -> Self {
        words.as_chunks().0[0]
    }

    fn store(self, words: &mut [u32]) {
        words[..N].copy_from_slice(&self);
    }

    fn stream(self, words: &mut [u32]) {
        self.store(words);
    }

    fn fence() {}

    fn plus(self, other: Self) -> Self {
        from_fn(|lane| self[lane].wrapping_add(other[lane]))
    }

    fn xor(self, other: Self) -> Self {
        from_fn(|lane| self[lane] ^ other[lane])
    }

    fn xor_rotated<const LEFT: i32>(self, sum: Self, _: usize) -> Self {
        from_fn(|lane| self[lane] ^ sum[lane].rotate_left(LEFT.cast_unsigned()))
    }

    fn order<const FROM: i32>(self) -> Self {
        from_fn(|lane| self[lane & !3 | (FROM >> (2 * (lane & 3)) & 3) as usize])
    }

    fn transpose(quarters: &mut [Self; 4]) {
        let (before, side) = (*quarters, N / 4);
        for (i, vector) in quarters.iter_mut().enumerate() {
            *vector = from_fn(|lane| before[i / side * side + lane / 4][4 * (i % side) + lane % 4]);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;

    /// Memory at a multiple of 64 bytes.
    #[repr(align(64))]
    struct Aligned([u32; 16]);

    /// Checks each operation against that of the model with as many lanes.
    #[inline(always)]
    pub(crate) fn agrees_with_plain_words<W: Words32, const N: usize>() {
        assert_eq!(W::LANES, N);
        let mut rng = rng();
        let stored = |vector: W| {
            let (mut words, mut streamed) = ([0; N], Aligned([0; 16]));
            vector.store(&mut words);
            vector.stream(&mut streamed.0);
            W::fence();
            assert_eq!(words, streamed.0[..N]);
            words
        };
        for _ in 0..100 {
            let (a, b): ([u32; N], [u32; N]) = (from_fn(|_| rng.random()), from_fn(|_| rng.random()));
            let (x, y) = (W::load(&a), W::load(&b));
            assert_eq!([stored(x), stored(W::all(b[0]))], [a, [b[0]; N]]);
            assert_eq!(stored(x.plus(y)), a.plus(b));
            assert_eq!(stored(x.xor(y)), a.xor(b));
            for chains in [1, 3] {
                assert_eq!(stored(x.xor_rotated::<7>(y, chains)), a.xor_rotated::<7>(b, chains));
                assert_eq!(stored(x.xor_rotated::<18>(y, chains)), a.xor_rotated::<18>(b, chains));
            }
            assert_eq!(stored(x.order::<0b00_11_10_01>()), a.order::<0b00_11_10_01>());
            let mut model: [[u32; N]; 4] = from_fn(|_| from_fn(|_| rng.random()));
            let mut found = [W::all(0); 4];
            for (found, model) in found.iter_mut().zip(&model) {
                *found = W::load(model);
            }
            W::transpose(&mut found);
            <[u32; N]>::transpose(&mut model);
            assert_eq!(found.map(stored), model);
        }
    }

    #[test]
    fn the_model_transposes_quarters() {
        let mut four: [[u32; 16]; 4] = from_fn(|i| from_fn(|lane| (16 * i + lane) as u32));
        <[u32; 16]>::transpose(&mut four);
        assert_eq!(four[1], [4, 5, 6, 7, 20, 21, 22, 23, 36, 37, 38, 39, 52, 53, 54, 55]);
        let mut two: [[u32; 8]; 4] = from_fn(|i| from_fn(|lane| (8 * i + lane) as u32));
        <[u32; 8]>::transpose(&mut two);
        assert_eq!(two[1], [4, 5, 6, 7, 12, 13, 14, 15]);
        assert_eq!(two[2], [16, 17, 18, 19, 24, 25, 26, 27]);
    }
}
