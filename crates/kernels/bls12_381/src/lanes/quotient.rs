//! The quotient of a polynomial by X − z from their values at roots of unity, in lanes.
//!
//! The values are those at x and −x for one x after the other, so the inverses of z − x and z + x follow from that of
//! their product: what shares an inversion is a product for every second value.

use super::fr::{Element, Limbs};
use super::{MAX_LANES, Words};
use crate::Fr;

/// Replaces the values of P by those of (P − y) / (X − z), for y = P(z), and returns true; if z is one of the points,
/// changes nothing and returns false.
///
/// Values 2·k and 2·k + 1 belong to the points `roots`\[k\] and −`roots`\[k\]; the number of roots is a multiple of
/// the number of lanes.
#[inline(always)]
pub(crate) fn divide<V: Limbs>(roots: &[Fr], z: Fr, y: Fr, values: &mut [Fr]) -> bool {
    debug_assert!(values.len() == 2 * roots.len() && roots.len().is_multiple_of(V::LANES));
    let values = Fr::words_mut(values);
    let (z, y) = (Element::<V, 1, 1>::all(z.words()), Element::<V, 1, 1>::all(y.words()));
    let mut product = Element::<V, 1, 32>::constant(Fr::one()).reduced();
    // (z − x)·(z + x), and the product of those before.
    let mut steps = Vec::with_capacity(roots.len() / V::LANES);
    for roots in roots.chunks_exact(V::LANES) {
        let (less, more) = differences(&z, roots);
        let both = less.times(&more);
        steps.push((both, product));
        product = product.times(&both);
    }
    let mut inverses = [Fr::zero(); MAX_LANES];
    let inverses = &mut inverses[..V::LANES];
    V::Word::store_elements(product.canonical().to_words(), Fr::words_mut(inverses), 1);
    if inverses.contains(&Fr::zero()) {
        return false;
    }
    Fr::batch_inverse(inverses);
    // In memory elements are times 2^256, and with s bits in all limbs a product in lanes is divided by 2^s. So the
    // product of n differences is times 2^(n·(512 − 2·s) + s), each inverse below times 2^(2·s − 256), and a quotient
    // times 2^256.
    let scale = Fr::from(1 << (V::COUNT as u32 * V::BITS - 256));
    inverses.iter_mut().for_each(|inverse| *inverse *= scale);
    let mut inverse: Element<V, 1, 2> = load::<V>(inverses).widen();
    let vectors = roots.chunks_exact(V::LANES).zip(values.chunks_exact_mut(2 * V::LANES)).zip(&steps);
    for ((roots, values), (both, before)) in vectors.rev() {
        let (less, more) = differences(&z, roots);
        let inverse_of_both = inverse.times(before);
        inverse = inverse.times(both);
        for (first, factor) in [(0, inverse_of_both.times(&more)), (1, inverse_of_both.times(&less))] {
            let values = &mut values[first..];
            let value = Element::<V, 1, 1>::from_words(V::Word::load_elements(values, 2));
            let quotient = y.minus::<1, 1, 3, 3>(&value).times(&factor);
            V::Word::store_elements(quotient.canonical().to_words(), values, 2);
        }
    }
    true
}

/// Returns z − x and z + x for as many x as there are lanes.
#[inline(always)]
fn differences<V: Limbs>(z: &Element<V, 1, 1>, x: &[Fr]) -> (Element<V, 3, 3>, Element<V, 2, 2>) {
    let x = load::<V>(x);
    (z.minus(&x), z.plus(&x))
}

/// Returns the words of as many elements as there are lanes.
#[inline(always)]
fn load<V: Limbs>(elements: &[Fr]) -> Element<V, 1, 1> {
    let mut words = [[0; 4]; MAX_LANES];
    for (words, element) in words.iter_mut().zip(elements) {
        *words = *element.words();
    }
    Element::from_words(V::Word::load_elements(&words, 1))
}
