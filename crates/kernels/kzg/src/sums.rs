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

#[cfg(test)]
mod tests {
    use parcrypt_bls12_381::dispatch;
    use parcrypt_runtime::Serial;

    use super::*;

    /// Sums of few and of many points, with full scalars and random factors, are those of single products.
    #[test]
    fn sums_do_not_depend_on_their_way() {
        for backend in dispatch::BACKENDS {
            let Ok(row) = dispatch::select((*backend).into()) else { continue };
            for count in [0, 1, 2, 3, 8, 9, 16, 17, 24, 25, 40, 64, 100] {
                let points: Vec<G1Affine> =
                    (0..count).map(|i| (G1::generator() * Fr::from(i * i + 5)).to_affine()).collect();
                for length in [Scalars::Full, Scalars::Half] {
                    let scalar = |i: u64| match length {
                        Scalars::Full => Fr::from(i + 3).inverse().unwrap_or_default(),
                        Scalars::Half => Fr::from_glv_halves(u64::MAX - i, 77 * i),
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
}
