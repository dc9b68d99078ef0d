//! Arithmetic in Fr on vectors, with an element in each lane.
//!
//! It is written over [`Words`], the few operations on vectors of 64-bit words that every instruction set has, and over
//! [`Limbs`](fr::Limbs), the size of the limbs: of [29 bits](limbs29) where products have 64 bits, and of [52](limbs52)
//! where the instruction set has products of these. A plain array of words is a vector too, so that all of it is tested
//! where an instruction set is missing.

pub(crate) mod batch_affine;
pub(crate) mod combination;
pub(crate) mod encoding;
pub(crate) mod evaluation;
pub(crate) mod fp;
pub(crate) mod fp4;
pub(crate) mod fr;
#[cfg(test)]
pub(crate) mod intervals;
pub(crate) mod limbs29;
pub(crate) mod limbs52;
pub(crate) mod pairing;
pub(crate) mod quotient;
pub(crate) mod transform;
// Other instruction sets leave it to blst.
#[cfg(any(test, target_feature = "simd128"))]
pub(crate) mod validation;

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use crate::Fr;
use encoding::BYTES;
use transform::Roots;

/// Functions over Fr of an instruction set.
pub(crate) trait FrLanes: Debug + Sync + RefUnwindSafe {
    /// Returns the number of lanes.
    fn lanes(&self) -> usize;

    /// Returns the words, least significant first, of an element in the Montgomery form of the lanes.
    fn words(&self, element: Fr) -> [u64; 4];

    /// Decodes as [`encoding::decode`] does.
    fn decode(&self, factor: Fr, encodings: &[[u8; BYTES]], out: &mut [Fr]) -> bool;

    /// Encodes as [`encoding::encode`] does.
    fn encode(&self, factor: Fr, elements: &[Fr], out: &mut [[u8; BYTES]]);

    /// Multiplies rows as [`encoding::scale`] does.
    fn scale(&self, factors: &[Fr], rows: &mut [Fr]);

    /// Combines rows as [`combination::combine`] does.
    fn combine(&self, length: usize, weights: &[Fr], rows: &[Fr], out: &mut [Fr]);

    /// Folds values as [`evaluation::fold`] does.
    fn fold(&self, table: &[u64], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool;

    /// Divides as [`quotient::divide`] does.
    fn divide(&self, roots: &[Fr], z: Fr, y: Fr, values: &mut [Fr]) -> bool;

    /// Transforms as [`transform::forward`] does.
    fn forward(&self, roots: &Roots, block: usize, levels: u32, data: &mut [Fr]);

    /// Transforms as [`transform::inverse`] does.
    fn inverse(&self, inverses: &Roots, block: usize, levels: u32, data: &mut [Fr]);
}

/// The largest number of lanes.
pub(crate) const MOST_LANES: usize = 8;

/// Appends the element of each lane to a table: all lanes of the first word, then all of the second.
fn push_vector(table: &mut Vec<u64>, functions: &dyn FrLanes, element: impl Fn(usize) -> Fr) {
    let mut words = [[0; 4]; MOST_LANES];
    for (lane, words) in words[..functions.lanes()].iter_mut().enumerate() {
        *words = functions.words(element(lane));
    }
    table.extend((0..4).flat_map(|i| words[..functions.lanes()].iter().map(move |words| words[i])));
}

/// A vector of 64-bit words, one in each lane.
///
/// A vector of an instruction set can be named only in functions that are compiled for it, where its operations are
/// inlined.
pub(crate) trait Words: Copy + Debug {
    /// The number of lanes.
    const LANES: usize;

    /// Returns a word in all lanes.
    fn all(word: u64) -> Self;

    /// Returns the first words, as many as there are lanes.
    fn load(words: &[u64]) -> Self;

    /// Returns the words, least significant first, of the big-endian numbers of 32 bytes at each `stride` bytes.
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4];

    /// Returns the words of the elements 0, `stride`, 2·`stride`, …, as many as there are lanes.
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4];

    /// Writes the words to the elements that [`Words::load_elements`] reads.
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize);

    /// Transposes a square of as many vectors as there are lanes: lane j of vector i becomes lane i of vector j.
    fn transpose(square: &mut [Self]);

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

    /// Returns what [`limbs29::product`] does, by a function that need not be inlined: with all of them inlined, a
    /// transform of 64 elements took twice the time.
    fn limbs29_product(
        a: &[Self; limbs29::COUNT],
        b: &[Self; limbs29::COUNT],
        more: &[Self; limbs29::COUNT],
    ) -> [Self; limbs29::COUNT] {
        limbs29::product(a, b, more)
    }
}

/// Lanes in plain Rust: the model of the others.
impl<const N: usize> Words for [u64; N] {
    const LANES: usize = N;

    fn all(word: u64) -> Self {
        [word; N]
    }

    fn load(words: &[u64]) -> Self {
        words.as_chunks().0[0]
    }

    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        std::array::from_fn(|word| {
            std::array::from_fn(|lane| {
                let at = lane * stride + 24 - 8 * word;
                u64::from_be_bytes(std::array::from_fn(|i| bytes[at + i]))
            })
        })
    }

    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        std::array::from_fn(|word| std::array::from_fn(|lane| elements[lane * stride][word]))
    }

    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        for (lane, element) in elements.iter_mut().step_by(stride).take(Self::LANES).enumerate() {
            *element = words.map(|word| word[lane]);
        }
    }

    fn transpose(square: &mut [Self]) {
        let before = square.to_vec();
        for (i, vector) in square.iter_mut().enumerate() {
            *vector = std::array::from_fn(|lane| before[lane][i]);
        }
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

#[cfg(test)]
pub(crate) mod tests {
    use std::marker::PhantomData;

    use parcrypt_cpu::Backend;
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::{rng, skip};

    use super::fr::{Limbs, montgomery_words};
    use super::limbs29::Limbs29;
    use super::limbs52::Limbs52;
    use super::*;
    use crate::costs::FrCosts;
    use crate::dispatch::{self, FrRow};

    /// The model as a backend, with limbs of each size.
    #[derive(Debug)]
    struct Model<V>(PhantomData<fn() -> V>);

    impl<V: Limbs> FrLanes for Model<V> {
        fn lanes(&self) -> usize {
            V::LANES
        }

        fn words(&self, element: Fr) -> [u64; 4] {
            montgomery_words::<V>(element)
        }

        fn decode(&self, factor: Fr, encodings: &[[u8; BYTES]], out: &mut [Fr]) -> bool {
            encoding::decode::<V>(factor, encodings, out)
        }

        fn encode(&self, factor: Fr, elements: &[Fr], out: &mut [[u8; BYTES]]) {
            encoding::encode::<V>(factor, elements, out);
        }

        fn scale(&self, factors: &[Fr], rows: &mut [Fr]) {
            encoding::scale::<V>(factors, rows);
        }

        fn combine(&self, length: usize, weights: &[Fr], rows: &[Fr], out: &mut [Fr]) {
            combination::combine::<V>(length, weights, rows, out);
        }

        fn fold(&self, table: &[u64], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool {
            evaluation::fold::<V>(table, z, encodings, out)
        }

        fn divide(&self, roots: &[Fr], z: Fr, y: Fr, values: &mut [Fr]) -> bool {
            quotient::divide::<V>(roots, z, y, values)
        }

        fn forward(&self, roots: &Roots, block: usize, levels: u32, data: &mut [Fr]) {
            transform::forward::<V>(roots, block, levels, data);
        }

        fn inverse(&self, inverses: &Roots, block: usize, levels: u32, data: &mut [Fr]) {
            transform::inverse::<V>(inverses, block, levels, data);
        }
    }

    /// The models as rows.
    static MODELS: [FrRow; 2] = [
        FrRow::in_lanes(Backend::Portable, &Model::<Limbs29<[u64; 4]>>(PhantomData), FrCosts::BLST),
        FrRow::in_lanes(Backend::Portable, &Model::<Limbs52<[u64; 4]>>(PhantomData), FrCosts::BLST),
    ];

    /// Returns all rows that can run here, and the models; says which cannot.
    pub(crate) fn rows() -> Vec<&'static FrRow> {
        let mut rows: Vec<&'static FrRow> = MODELS.iter().collect();
        #[cfg(target_arch = "x86_64")]
        rows.extend(crate::arch::x86_64::avx_ifma::tests::other_encoding());
        for backend in dispatch::FR_BACKENDS {
            match dispatch::select_fr((*backend).into()) {
                Ok(row) => rows.push(row),
                Err(why) => skip("parcrypt-bls12-381", backend.name(), &why.to_string()),
            }
        }
        rows
    }

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
            let numbers: Vec<u64> = (0..W::LANES + 1).map(|_| rng.random()).collect();
            assert_eq!(stored(W::load(&numbers)), numbers[..W::LANES]);
            assert_eq!(x.has_high_bit(), stored(x).iter().any(|word| word >> 63 == 1));
            for stride in [1, 3] {
                let elements: Vec<[u64; 4]> = (0..W::LANES * stride).map(|_| rng.random()).collect();
                let loaded = W::load_elements(&elements, stride);
                for (word, found) in words(loaded).iter().enumerate() {
                    assert!(
                        elements
                            .iter()
                            .step_by(stride)
                            .map(|element| element[word])
                            .eq(found.iter().copied())
                    );
                }
                let mut copy = vec![[7; 4]; elements.len()];
                W::store_elements(loaded, &mut copy, stride);
                for (i, (copy, element)) in copy.iter().zip(&elements).enumerate() {
                    assert_eq!(*copy, if i % stride == 0 { *element } else { [7; 4] });
                }
            }
            let numbers: Vec<u64> = (0..W::LANES * W::LANES).map(|_| rng.random()).collect();
            let mut square: Vec<W> = Vec::new();
            for row in numbers.chunks(W::LANES) {
                square.push(W::load(row));
            }
            W::transpose(&mut square);
            for (i, vector) in square.into_iter().enumerate() {
                assert!(numbers.iter().skip(i).step_by(W::LANES).eq(&stored(vector)));
            }
        }
        assert!(!W::all(u64::MAX >> 1).has_high_bit());
    }

    #[test]
    fn the_model_agrees_with_plain_words() {
        agrees_with_the_model::<[u64; 4]>();
    }
}
