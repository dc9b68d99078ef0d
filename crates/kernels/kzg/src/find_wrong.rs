//! Search for the wrong items of a batch, by halving.
//!
//! Item k is right if e_k = 1 for its value e_k in the target group, whose order is prime, and a batch verifies if
//! Π e_k^(a_k) = 1 with random factors a_k. If it does not, this product is computed for half of the items, division
//! gives the product of the others, and each half whose product is not 1 is halved again (Law, Matt, "Finding invalid
//! signatures in pairing-based batches", 2007; with the division of Matt, "Identification of multiple invalid
//! signatures in pairing-based batched signatures", PKC 2009).
//!
//! An item is named if e_k^(a_k), its own product, is not 1, so no right item is named. Each product of wrong items is
//! 1 with a probability of 2^-128. One wrong item of n takes the sums of n − 1 further items, and log2(n) pairings.

use std::fmt;
use std::ops::Range;

use parcrypt_bls12_381::pairing::Gt;
use parcrypt_runtime::{Cost, Runtime, join};

use crate::Error;

/// An item of a batch that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongItem {
    /// The index of the item in the caller's lists.
    pub index: usize,
    /// What is wrong with it.
    pub why: Reason,
}

/// Reason why an item of a batch is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Its bytes are refused, with the error of verifying the item by itself. The error's index is the item's.
    Malformed(Error),
    /// Its proof does not verify.
    DoesNotVerify,
}

impl fmt::Display for WrongItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            // The error names the index.
            Reason::Malformed(error) => error.fmt(f),
            Reason::DoesNotVerify => write!(f, "item {}: the proof does not verify", self.index),
        }
    }
}

/// The product of the values of some items of a batch, given by their positions, each to the power of its factor.
pub(crate) type Product<'a> = &'a (dyn Fn(Range<usize>) -> Result<Gt, Error> + Sync);

/// Returns the items that have an error, and those of the others that do not verify. `product` takes positions among
/// these others, and `of_all` is their product; `cost` is the cost of verifying one of them by itself.
pub(crate) fn wrong_items(
    rt: &dyn Runtime,
    cost: Cost,
    errors: Vec<Option<Error>>,
    of_all: Gt,
    product: Product<'_>,
) -> Result<Vec<WrongItem>, Error> {
    let judged: Vec<usize> = (0..errors.len()).filter(|index| errors[*index].is_none()).collect();
    let malformed =
        |(index, error): (_, Option<Error>)| Some(WrongItem { index, why: Reason::Malformed(error?) });
    let mut found: Vec<WrongItem> = errors.into_iter().enumerate().filter_map(malformed).collect();
    let wrong = search(rt, cost, 0..judged.len(), of_all, product)?;
    found.extend(wrong.iter().map(|at| WrongItem { index: judged[*at], why: Reason::DoesNotVerify }));
    found.sort_by_key(|item| item.index);
    Ok(found)
}

/// Returns the positions of the wrong items among some, whose product is given.
fn search(
    rt: &dyn Runtime,
    cost: Cost,
    items: Range<usize>,
    of_items: Gt,
    product: Product<'_>,
) -> Result<Vec<usize>, Error> {
    if of_items == Gt::one() {
        return Ok(Vec::new());
    }
    if items.len() == 1 {
        return Ok(vec![items.start]);
    }
    let middle = items.start + items.len() / 2;
    let (left, right) = (items.start..middle, middle..items.end);
    let of_left = product(left.clone())?;
    let of_right = of_items * of_left.inverse();
    let search_left = || search(rt, cost, left, of_left, product);
    let search_right = || search(rt, cost, right, of_right, product);
    // The sums of one half have all threads.
    if of_left == Gt::one() {
        return search_right();
    }
    if of_right == Gt::one() {
        return search_left();
    }
    let (left, right) = join(rt, items.len() * cost, search_left, search_right);
    Ok([left?, right?].concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use parcrypt_bls12_381::pairing::multi_pairing;
    use parcrypt_bls12_381::{G1Affine, G2Affine, dispatch};
    use parcrypt_cpu::Request;
    use parcrypt_runtime::Serial;

    use super::*;
    use crate::Input;

    /// All wrong items are named and no others, whatever their number; one takes log2(n) products after the first.
    #[test]
    fn all_wrong_items_are_named_and_no_others() {
        let row = dispatch::select_pairing(Request::Auto).unwrap();
        let pair = (G1Affine::generator(), &G2Affine::generator().prepare());
        let base = multi_pairing(&Serial, row, &[pair]).unwrap();
        let error = Error::Length { what: Input::Cell, index: 0, expected: 1, got: 2 };
        for items in [0, 1, 2, 5, 16, 100, 1024] {
            for wrong in [0, 1, 2, 3, 8, 64, 1024] {
                // Exponents of the values, and every seventh item malformed if more than one is wrong.
                let mut exponents = vec![0u64; items];
                for i in 0..wrong.min(items) {
                    let random = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let random = (random ^ random >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    exponents[random as usize % items] = random >> 44 | 1;
                }
                let is_malformed = |index: usize| wrong > 1 && index.is_multiple_of(7);
                let errors = (0..items).map(|index| is_malformed(index).then(|| error.clone())).collect();
                let judged: Vec<u64> =
                    (0..items).filter(|index| !is_malformed(*index)).map(|index| exponents[index]).collect();
                let products = AtomicUsize::new(0);
                let product = |positions: Range<usize>| {
                    products.fetch_add(1, Relaxed);
                    Ok(base.pow_vartime(judged[positions].iter().sum()))
                };
                let found = wrong_items(
                    &Serial,
                    Cost::default(),
                    errors,
                    product(0..judged.len()).unwrap(),
                    &product,
                )
                .unwrap();
                let why = |index: usize| match is_malformed(index) {
                    true => Some(Reason::Malformed(error.clone())),
                    false => (exponents[index] != 0).then_some(Reason::DoesNotVerify),
                };
                let expected = (0..items).filter_map(|index| Some(WrongItem { index, why: why(index)? }));
                assert_eq!(found, expected.collect::<Vec<_>>(), "{wrong} of {items}");
                if wrong == 1 && items > 0 {
                    assert!(products.into_inner() <= 1 + items.next_power_of_two().ilog2() as usize);
                }
            }
        }
    }
}
