//! Several items at once, of which a bad one costs the others nothing; and what pieces of work cost.

use parcrypt_bls12_381::{Backend, Fr, G1, G1Affine, msm};
use parcrypt_runtime::{Cost, Runtime, join};

use crate::error::Error;

/// As many blobs are worked on together: enough to fill many threads, few enough to bound the memory.
pub(crate) const BATCH: usize = 16;

/// What it costs to read or write a field element, in nanoseconds on a core of 2023.
pub(crate) const ELEMENT_NS: u64 = 20;
/// What a multiplication of field elements costs.
pub(crate) const PRODUCT_NS: u64 = 16;
/// What a butterfly costs.
pub(crate) const BUTTERFLY_NS: u64 = 23;
/// What it costs to read a point: its root and the check of its order.
pub(crate) const POINT_NS: u64 = 45_000;
/// What it costs to hash a byte, in picoseconds.
pub(crate) const HASH_PS: u64 = 700;
/// What a commitment costs: a sum of multiples of 4096 points.
pub(crate) const COMMIT_NS: u64 = 15_000_000;
/// What the proofs of all cells of a blob cost.
pub(crate) const CELL_PROOFS_NS: u64 = 60_000_000;

/// Hands those that are good to `f` together, and puts what becomes of each in its place.
pub(crate) fn together<T, U>(
    each: Vec<Result<T, Error>>,
    f: impl FnOnce(Vec<T>) -> Result<Vec<U>, Error>,
) -> Vec<Result<U, Error>> {
    let mut good = Vec::with_capacity(each.len());
    let places: Vec<Result<(), Error>> =
        each.into_iter().map(|item| item.map(|item| good.push(item))).collect();
    if good.is_empty() {
        return places.into_iter().filter_map(Result::err).map(Err).collect();
    }
    match f(good) {
        Ok(results) => {
            let mut results = results.into_iter();
            let filled: Vec<_> =
                places.into_iter().map_while(|p| p.map(|()| results.next()).transpose()).collect();
            debug_assert!(results.next().is_none());
            filled
        }
        Err(error) => {
            places.into_iter().map(|place| Err(place.err().unwrap_or_else(|| error.clone()))).collect()
        }
    }
}

/// Works on the items [`BATCH`] by [`BATCH`]; `f` gets the index of the first of a batch.
pub(crate) fn in_batches<T, U>(
    items: &[T],
    mut f: impl FnMut(usize, &[T]) -> Vec<Result<U, Error>>,
) -> Vec<Result<U, Error>> {
    items.chunks(BATCH).enumerate().flat_map(|(i, batch)| f(i * BATCH, batch)).collect()
}

/// Two sums of multiples. Small ones are made side by side: what one thread does of such a sum is too much of it for it to
/// be shared out.
pub(crate) fn two_sums(
    rt: &dyn Runtime,
    backend: Backend,
    first: (&[G1Affine], &[Fr]),
    second: (&[G1Affine], &[Fr]),
) -> Result<[G1; 2], Error> {
    const SMALL: usize = 512;
    const SMALL_NS: u64 = 400_000;
    let sum = |(points, scalars)| msm::msm_vartime_with(rt, backend, points, scalars);
    let (first, second) = if first.0.len().max(second.0.len()) <= SMALL {
        join(rt, Cost::ns(2 * SMALL_NS), || sum(first), || sum(second))
    } else {
        (sum(first), sum(second))
    };
    Ok([first?, second?])
}

/// The result for a single item.
pub(crate) fn single<U>(results: Vec<Result<U, Error>>) -> Result<U, Error> {
    debug_assert_eq!(results.len(), 1);
    results.into_iter().next().unwrap_or_else(|| unreachable!("each item has a result"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: Error = Error::Inconsistent;

    #[test]
    fn bad_items_keep_their_place() {
        let double = |good: Vec<u32>| Ok(good.into_iter().map(|x| 2 * x).collect());
        assert_eq!(together(vec![Ok(1), Err(BAD), Ok(3)], double), [Ok(2), Err(BAD), Ok(6)]);
        assert_eq!(together(vec![Err(BAD), Err(BAD)], double), [Err(BAD), Err(BAD)]);
        assert_eq!(together(vec![], double), []);
    }

    #[test]
    fn what_fails_for_all_fails_for_the_good_ones() {
        let fail = |_: Vec<u32>| Err::<Vec<u32>, _>(Error::TooFewCells { got: 1 });
        let failed = Err(Error::TooFewCells { got: 1 });
        assert_eq!(together(vec![Ok(1), Err(BAD), Ok(3)], fail), [failed.clone(), Err(BAD), failed]);
    }

    #[test]
    fn batches_know_where_they_begin() {
        let items: Vec<usize> = (0..2 * BATCH + 1).collect();
        let echo = |first: usize, batch: &[usize]| batch.iter().map(|item| Ok((first, *item))).collect();
        let results = in_batches(&items, echo);
        assert!(results.iter().enumerate().all(|(i, r)| *r == Ok((i / BATCH * BATCH, i))));
        assert_eq!(results.len(), items.len());
    }
}
