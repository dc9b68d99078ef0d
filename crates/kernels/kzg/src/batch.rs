//! Batches of items: an invalid item gets its own error and does not affect the others.

use parcrypt_bls12_381::dispatch::FpRow;
use parcrypt_bls12_381::{Fr, G1, G1Affine, msm};
use parcrypt_runtime::{Cost, Runtime, join};

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

/// Length of the scalars of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalars {
    /// Any scalars.
    Full,
    /// Random factors, which have half of the digits, or sums of few of them.
    Random,
}

/// Points and their scalars.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum<'a> {
    pub(crate) points: &'a [G1Affine],
    pub(crate) scalars: &'a [Fr],
    pub(crate) length: Scalars,
}

/// Returns the cost of [`msm`].
pub(crate) fn msm_cost(row: &FpRow, points: usize, length: Scalars) -> Cost {
    match length {
        Scalars::Full => msm::msm_cost(row, msm::Scalars::Full, points),
        Scalars::Random => msm::msm_cost(row, msm::Scalars::Half, points),
    }
}

/// Returns Σ scalars\[i\] · points\[i\], in the way that takes less time.
pub(crate) fn msm(rt: &dyn Runtime, row: &'static FpRow, sum: Sum<'_>) -> Result<G1, Error> {
    let Sum { points, scalars, length } = sum;
    let length = match length {
        Scalars::Full => msm::Scalars::Full,
        Scalars::Random => msm::Scalars::Half,
    };
    // The random factor of a single claim is 1.
    if let ([point], [scalar]) = (points, scalars)
        && *scalar == Fr::one()
    {
        return Ok(G1::from(*point));
    }
    Ok(msm::msm_fastest_vartime(rt, row, length, points, scalars)?)
}

/// Returns two sums.
pub(crate) fn msm_pair(
    rt: &dyn Runtime,
    row: &'static FpRow,
    first: Sum<'_>,
    second: Sum<'_>,
) -> Result<[G1; 2], Error> {
    let sum = |sum| msm(rt, row, sum);
    let cost = |sum: &Sum<'_>| msm_cost(row, sum.points.len(), sum.length);
    let points = first.points.len().max(second.points.len());
    let (first, second) = sums(rt, points, cost(&first) + cost(&second), || sum(first), || sum(second));
    Ok([first?, second?])
}

/// Calls both functions, which return sums of at most this number of points and have this cost together. Small sums run
/// side by side, because the serial part of each is too large for dividing it to pay.
pub(crate) fn sums<A: Send, B: Send>(
    rt: &dyn Runtime,
    points: usize,
    cost: Cost,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    const SMALL: usize = 512;
    if points <= SMALL { join(rt, cost, a, b) } else { (a(), b()) }
}

/// Returns the result of a batch of one item.
pub(crate) fn one<U>(results: Vec<Result<U, Error>>) -> Result<U, Error> {
    debug_assert_eq!(results.len(), 1);
    results.into_iter().next().unwrap_or_else(|| unreachable!("each item has a result"))
}

#[cfg(test)]
mod tests {
    use parcrypt_bls12_381::dispatch;
    use parcrypt_runtime::Serial;

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

    /// Sums of few and of many points, with full scalars and random factors, are those of single products.
    #[test]
    fn sums_do_not_depend_on_their_way() {
        for backend in dispatch::BACKENDS {
            let Ok(row) = dispatch::select((*backend).into()) else { continue };
            for count in [0, 1, 2, 3, 8, 9, 16, 17, 24, 25, 40, 64, 100] {
                let points: Vec<G1Affine> =
                    (0..count).map(|i| (G1::generator() * Fr::from(i * i + 5)).to_affine()).collect();
                for length in [Scalars::Full, Scalars::Random] {
                    let scalar = |i: u64| match length {
                        Scalars::Full => Fr::from(i + 3).inverse().unwrap_or_default(),
                        Scalars::Random => Fr::from_glv_halves(u64::MAX - i, 77 * i),
                    };
                    let scalars: Vec<Fr> = (0..count).map(scalar).collect();
                    let expected =
                        points.iter().zip(&scalars).map(|(point, scalar)| G1::from(*point) * *scalar);
                    let expected = expected.fold(G1::identity(), |sum, product| sum + product);
                    let sum = Sum { points: &points, scalars: &scalars, length };
                    assert_eq!(msm(&Serial, row, sum), Ok(expected), "{backend} {count} {length:?}");
                }
            }
        }
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
