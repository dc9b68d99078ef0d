//! Cubes of Fp in lanes: whether y − 2 is one says whether a point is three times another, see
//! [`msm_checked_vartime`](crate::msm::msm_checked_vartime).

use std::ops::Range;

use super::power::{Power, power};
use super::{FROM_BLST, ONE, TWO, all_ones};
use crate::G1Affine;
use crate::curve::cubic_residues::{ROWS, SQUARE_OF_PARAMETER, THIRD_STEPS};
use crate::field::fp;
use crate::lanes::MOST_LANES;
use crate::lanes::batch_affine::{PointWords, load, not};
use crate::lanes::fp::Element;

/// Returns ones in the lanes that are a cube other than 0.
///
/// The exponent (p − 1) / 3 is e·(e·(x⁴ − x² + 1) − 1). So with h = f^e and k = h^e, f is a cube if k^(x⁴)·k is
/// h·k^(x²).
#[inline(always)]
fn cubes<W: PointWords>(value: &Power<W>) -> W {
    let h = power(value, &THIRD_STEPS);
    let k = power(&h, &THIRD_STEPS);
    let square = power(&k, &SQUARE_OF_PARAMETER);
    let fourth = power(&square, &SQUARE_OF_PARAMETER);
    let error: Element<W, 3, 9> = fourth.times(&k).less(&h.times(&square));
    error.canonical().zeros().and(not(h.canonical().zeros()))
}

/// Implements [`PointValidation::are_triples`](crate::curve::validation::PointValidation::are_triples).
#[inline(always)]
pub(crate) fn are_triples<W: PointWords>(points: &[G1Affine]) -> bool {
    points.chunks(W::LANES).all(|points| {
        let mut ys = [&points[0].0.y.l; MOST_LANES];
        ys.iter_mut().zip(points).for_each(|(y, point)| *y = &point.0.y.l);
        let y = load::<W>(&ys);
        let two = Element::<W, 1, 1>::constant(&TWO);
        let value: Element<W, 3, 6> = y.times(&Element::<W, 1, 1>::constant(&FROM_BLST)).less(&two);
        // 1 for infinity.
        all_ones(cubes(&value.carried().or_in(y.zeros(), &Element::<W, 1, 1>::constant(&ONE).widen())))
    })
}

/// Implements [`PointValidation::are_cubes`](crate::curve::validation::PointValidation::are_cubes).
#[inline(always)]
pub(crate) fn are_cubes<W: PointWords>(products: &[[fp::Words; ROWS]], mut rows: Range<usize>) -> bool {
    let last = rows.end - 1;
    rows.by_ref().step_by(W::LANES).all(|first| {
        let mut product = Element::<W, 1, 1>::constant(&ONE).widen();
        for list in products {
            let mut lanes = [&list[first]; MOST_LANES];
            for (lane, element) in lanes[..W::LANES].iter_mut().enumerate() {
                *element = &list[(first + lane).min(last)];
            }
            let factor = load::<W>(&lanes).times(&Element::<W, 1, 1>::constant(&FROM_BLST));
            product = product.times(&factor);
        }
        all_ones(cubes(&product.widen()))
    })
}
