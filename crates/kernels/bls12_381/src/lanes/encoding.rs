//! Encodings of elements, read and written in lanes, and products with constants.

use super::fr::{Element, Limbs};
use super::{MAX_LANES, Words};
use crate::Fr;
use crate::constants::R;

/// Bytes of an encoding.
pub(crate) const BYTES: usize = 32;

/// Returns the integers that are encoded at the beginning and at each `stride` bytes. The highest bit of `high` becomes
/// 1 where the highest word of one is not below that of r: the other words decide then whether it is below r, once in
/// 2^47 encodings, unless they were chosen.
// Not a closure, which would not be compiled for the instruction set.
#[inline(always)]
pub(crate) fn read<V: Limbs>(encodings: &[u8], stride: usize, high: &mut V::Word) -> Element<V, 1, 1> {
    let words = V::Word::from_big_endian(encodings, stride);
    *high = high.or(words[3]).or(V::Word::all(R[3] - 1).minus(words[3]));
    Element::from_words(words)
}

/// Replaces the words of `out` by the encoded integers times `factor` modulo r. Returns whether all highest words are
/// below that of r; if not, `out` has no meaning. There is a multiple of the number of lanes of them.
#[inline(always)]
pub(crate) fn decode<V: Limbs>(factor: Fr, encodings: &[[u8; BYTES]], out: &mut [Fr]) -> bool {
    let factor = Element::<V, 1, 32>::constant(factor);
    let mut high = V::Word::all(0);
    let all = encodings.chunks_exact(V::LANES).zip(Fr::words_mut(out).chunks_exact_mut(V::LANES));
    for (encodings, out) in all {
        let element = read::<V>(encodings.as_flattened(), BYTES, &mut high).times(&factor);
        V::Word::store_elements(element.canonical().to_words(), out, 1);
    }
    !high.has_high_bit()
}

/// Replaces `out` by the encodings of the elements' words times `factor` / 2^256. There is a multiple of the number of
/// lanes of them.
#[inline(always)]
pub(crate) fn encode<V: Limbs>(factor: Fr, elements: &[Fr], out: &mut [[u8; BYTES]]) {
    let factor = Element::<V, 1, 32>::constant(factor);
    let mut words = [[0; 4]; MAX_LANES];
    for (elements, out) in elements.chunks_exact(V::LANES).zip(out.chunks_exact_mut(V::LANES)) {
        for (words, element) in words.iter_mut().zip(elements) {
            *words = *element.words();
        }
        let element = Element::<V, 1, 1>::from_words(V::Word::load_elements(&words, 1)).times(&factor);
        V::Word::store_elements(element.canonical().to_words(), &mut words, 1);
        for (words, out) in words.iter().zip(out) {
            *out = crate::field::fr::bytes(words);
        }
    }
}

/// Multiplies each row of elements by its factor. The rows are as long as each other, a multiple of the number of
/// lanes.
#[inline(always)]
pub(crate) fn scale<V: Limbs>(factors: &[Fr], rows: &mut [Fr]) {
    let length = rows.len() / factors.len();
    for (factor, row) in factors.iter().zip(Fr::words_mut(rows).chunks_exact_mut(length)) {
        let factor = Element::<V, 1, 32>::constant(*factor);
        for words in row.chunks_exact_mut(V::LANES) {
            let element = Element::<V, 1, 1>::from_words(V::Word::load_elements(words, 1)).times(&factor);
            V::Word::store_elements(element.canonical().to_words(), words, 1);
        }
    }
}
