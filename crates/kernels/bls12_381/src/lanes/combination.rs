//! Linear combinations of rows of elements, in lanes.

use super::Words;
use super::fr::{Element, Limbs};
use crate::Fr;

/// Terms of a sum that is reduced once; see [`Limbs::dot`].
pub(super) const TERMS: usize = 64;

/// Replaces each row of `out` by the sum of all `rows`, times a weight each. There is a list of weights, one for each
/// of the rows, for each row of `out`. All rows are of `length`, a multiple of the number of lanes.
#[inline(always)]
pub(crate) fn combine<V: Limbs>(length: usize, weights: &[Fr], rows: &[Fr], out: &mut [Fr]) {
    let count = rows.len() / length;
    // In memory elements are times 2^256, and with s bits in all limbs a product in lanes is divided by 2^s. So sums
    // are divided by 2^(s − 256).
    let scale = Element::<V, 1, 32>::constant(Fr::from(1 << (V::COUNT as u32 * V::BITS - 256))).reduced();
    let (rows, out) = (Fr::all_words(rows), Fr::words_mut(out));
    let mut column: Vec<V> = Vec::with_capacity(count);
    for at in (0..length).step_by(V::LANES) {
        column.clear();
        for row in rows.chunks_exact(length) {
            column.push(V::from_words(V::Word::load_elements(&row[at..], 1)));
        }
        for (weights, out) in weights.chunks_exact(count).zip(out.chunks_exact_mut(length)) {
            let mut total = Element::<V, 1, 2>::none();
            for (column, weights) in column.chunks(TERMS).zip(weights.chunks(TERMS)) {
                let sum: Element<V, 2, 5> = total.plus(&Element::<V, 1, 3>::dot(column, weights));
                total = sum.reduced();
            }
            V::Word::store_elements(total.times(&scale).canonical().to_words(), &mut out[at..], 1);
        }
    }
}
