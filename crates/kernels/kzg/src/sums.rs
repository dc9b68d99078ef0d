//! Sums of products of points and scalars.

use parcrypt_bls12_381::dispatch::FpRow;
use parcrypt_bls12_381::msm::{Scalars, msm_cost, msm_fastest_vartime};
use parcrypt_bls12_381::{Fr, G1, G1Affine};
use parcrypt_runtime::{Cost, Runtime, join};

use crate::error::Error;

/// Points and their scalars.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum<'a> {
    pub(crate) points: &'a [G1Affine],
    pub(crate) scalars: &'a [Fr],
    pub(crate) length: Scalars,
}

/// Returns Σ scalars\[i\] · points\[i\], in the way that takes less time.
pub(crate) fn msm(rt: &dyn Runtime, row: &'static FpRow, sum: Sum<'_>) -> Result<G1, Error> {
    let Sum { points, scalars, length } = sum;
    // The random factor of a single claim is 1.
    if let ([point], [scalar]) = (points, scalars)
        && *scalar == Fr::one()
    {
        return Ok(G1::from(*point));
    }
    Ok(msm_fastest_vartime(rt, row, length, points, scalars)?)
}

/// Returns two sums.
pub(crate) fn msm_pair(
    rt: &dyn Runtime,
    row: &'static FpRow,
    first: Sum<'_>,
    second: Sum<'_>,
) -> Result<[G1; 2], Error> {
    let sum = |sum| msm(rt, row, sum);
    let cost = |sum: &Sum<'_>| msm_cost(row, sum.length, sum.points.len());
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
