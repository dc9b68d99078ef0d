//! The value of a polynomial from the encodings of its values at roots of unity, folded in lanes.
//!
//! It is [`BitReversedDomain::fold`](crate::BitReversedDomain::fold), with a block of the values in each lane. With u =
//! z / x for the points x and −x of a pair of values a and b, what follows is a + b + (a − b)·u, and the u of the next
//! level is the square of that of every second pair. The encodings are not converted to Montgomery form: u is, and so
//! products are integers modulo r as the values are.

use super::Words;
use super::encoding::{BYTES, read};
use super::fr::{Element, Limbs};
use crate::Fr;

/// Values of a lane that are folded before the next ones are read, so that what is kept between stays in the first
/// cache.
const BLOCK: usize = 64;

/// What is left of pairs of values after a level, and their u.
type Folded<V> = (Element<V, 1, 4>, Element<V, 1, 2>);

/// Folds the values of each lane, which are a block, with the table of their points: replaces `out`, one element a
/// lane, by what is left. Returns whether all encodings are below r; if not, `out` has no meaning.
///
/// There are at least two values in a lane, and a power of two of them.
#[inline(always)]
pub(crate) fn fold<V: Limbs>(table: &[u64], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool {
    let stride = encodings.len() / V::LANES;
    let block = BLOCK.min(stride / BYTES);
    let z = Element::<V, 1, 32>::constant(z);
    let mut high = V::Word::all(0);
    let rows = table.chunks_exact(4 * V::LANES);
    debug_assert_eq!(2 * rows.len() * BYTES, stride);
    let mut pairs: Vec<Folded<V>> = Vec::with_capacity(block / 2);
    let mut blocks: Vec<Folded<V>> = Vec::with_capacity(rows.len() / (block / 2));
    for (pair, row) in rows.enumerate() {
        let u = Element::load(row).times(&z);
        let a = read::<V>(&encodings[2 * pair * BYTES..], stride, &mut high);
        let b = read::<V>(&encodings[(2 * pair + 1) * BYTES..], stride, &mut high);
        let sum: Element<V, 2, 2> = a.plus(&b);
        pairs.push((a.minus::<1, 1, 3, 3>(&b).times_plus(&u, &sum), u));
        if pairs.len() == block / 2 {
            blocks.push(folded(&mut pairs));
            pairs.clear();
        }
    }
    folded(&mut blocks).0.store(out);
    !high.has_high_bit() || encodings.as_chunks::<BYTES>().0.iter().all(|bytes| Fr::from_bytes(bytes).is_ok())
}

/// Folds all, a power of two, to one.
#[inline(always)]
fn folded<V: Limbs>(all: &mut [Folded<V>]) -> Folded<V> {
    let mut count = all.len();
    while count > 1 {
        count /= 2;
        for i in 0..count {
            let ((a, u), (b, _)) = (all[2 * i], all[2 * i + 1]);
            let u = u.squared();
            let sum: Element<V, 2, 8> = a.plus(&b);
            let next: Element<V, 1, 10> = a.minus::<1, 4, 3, 9>(&b).times_plus(&u, &sum);
            all[i] = (next.reduced().widen(), u);
        }
    }
    all[0]
}
