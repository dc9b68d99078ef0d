//! Batches of items: an invalid item gets its own error and does not affect the others.

use crate::error::Error;

/// Number of blobs that are computed together: enough to fill many threads, few enough to bound the memory.
pub(crate) const BATCH: usize = 16;

/// Applies `f` to the valid items as one batch and returns the results in input order. An error of `f` becomes the
/// error of each valid item.
pub(crate) fn map_valid<T, U>(
    each: Vec<Result<T, Error>>,
    f: impl FnOnce(Vec<T>) -> Result<Vec<U>, Error>,
) -> Vec<Result<U, Error>> {
    let mut valid = Vec::with_capacity(each.len());
    let slots: Vec<Result<(), Error>> =
        each.into_iter().map(|item| item.map(|item| valid.push(item))).collect();
    if valid.is_empty() {
        return slots.into_iter().filter_map(Result::err).map(Err).collect();
    }
    match f(valid) {
        Ok(results) => {
            let mut results = results.into_iter();
            let filled: Vec<_> =
                slots.into_iter().map_while(|slot| slot.map(|()| results.next()).transpose()).collect();
            debug_assert!(results.next().is_none());
            filled
        }
        Err(error) => {
            slots.into_iter().map(|slot| Err(slot.err().unwrap_or_else(|| error.clone()))).collect()
        }
    }
}

/// Applies `f` to runs of at most [`BATCH`] items, with the index of the first item of the run.
pub(crate) fn in_batches<T, U>(
    items: &[T],
    mut f: impl FnMut(usize, &[T]) -> Vec<Result<U, Error>>,
) -> Vec<Result<U, Error>> {
    items.chunks(BATCH).enumerate().flat_map(|(i, batch)| f(i * BATCH, batch)).collect()
}

/// Returns the result of a batch of one item.
pub(crate) fn one<U>(results: Vec<Result<U, Error>>) -> Result<U, Error> {
    debug_assert_eq!(results.len(), 1);
    results.into_iter().next().unwrap_or_else(|| unreachable!("each item has a result"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: Error = Error::Inconsistent;

    #[test]
    fn invalid_items_keep_their_index() {
        let double = |valid: Vec<u32>| Ok(valid.into_iter().map(|x| 2 * x).collect());
        assert_eq!(map_valid(vec![Ok(1), Err(BAD), Ok(3)], double), [Ok(2), Err(BAD), Ok(6)]);
        assert_eq!(map_valid(vec![Err(BAD), Err(BAD)], double), [Err(BAD), Err(BAD)]);
        assert_eq!(map_valid(vec![], double), []);
    }

    #[test]
    fn an_error_of_the_batch_is_the_error_of_each_valid_item() {
        let fail = |_: Vec<u32>| Err::<Vec<u32>, _>(Error::TooFewCells { got: 1 });
        let failed = Err(Error::TooFewCells { got: 1 });
        assert_eq!(map_valid(vec![Ok(1), Err(BAD), Ok(3)], fail), [failed.clone(), Err(BAD), failed]);
    }

    #[test]
    fn batches_get_the_index_of_their_first_item() {
        let items: Vec<usize> = (0..2 * BATCH + 1).collect();
        let echo = |first: usize, batch: &[usize]| batch.iter().map(|item| Ok((first, *item))).collect();
        let results = in_batches(&items, echo);
        assert!(results.iter().enumerate().all(|(i, r)| *r == Ok((i / BATCH * BATCH, i))));
        assert_eq!(results.len(), items.len());
    }
}
