//! [`Element`]: the butterflies over Fr and over G1.

use std::ops::{Add, Mul, Sub};

use parcrypt_runtime::Cost;

use crate::costs::{FR_PRODUCT, FR_SUM, G1_SUM};
use crate::dispatch::FpRow;
use crate::msm::glv::multiply;
use crate::{Fr, G1};

/// An element that can be transformed: it supports sums, and products with elements of [`Fr`].
pub trait Element:
    Copy + Default + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Mul<Fr, Output = Self>
{
    /// Returns the cost of a product.
    fn product_cost(row: &FpRow) -> Cost;
    /// Cost of a sum.
    const SUM_COST: Cost;
    /// Butterflies in a task, where there are enough of them.
    const GRAIN: usize;

    /// Replaces (lo\[i\], hi\[i\]) by (lo\[i\] + w·hi\[i\], lo\[i\] − w·hi\[i\]) with twiddle i, w. Twiddles are
    /// public.
    fn butterflies(row: &FpRow, lo: &mut [Self], hi: &mut [Self], twiddles: impl Iterator<Item = Fr>) {
        let _ = row;
        for ((lo, hi), twiddle) in lo.iter_mut().zip(hi).zip(twiddles) {
            let product = *hi * twiddle;
            (*lo, *hi) = (*lo + product, *lo - product);
        }
    }

    /// Computes all butterflies of whole blocks of 2·`half` elements, with the twiddle `twiddle(i)`; twiddle 0 is 1.
    fn blocks(row: &FpRow, data: &mut [Self], half: usize, twiddle: impl Fn(usize) -> Fr) {
        for block in data.chunks_mut(2 * half) {
            let (lo, hi) = block.split_at_mut(half);
            if let (Some(lo), Some(hi)) = (lo.first_mut(), hi.first_mut()) {
                // Twiddle 0 is one of a block, but all of them on the first level.
                (*lo, *hi) = (*lo + *hi, *lo - *hi);
            }
            Self::butterflies(row, &mut lo[1..], &mut hi[1..], (1..half).map(&twiddle));
        }
    }
}

impl Element for Fr {
    const SUM_COST: Cost = FR_SUM;
    const GRAIN: usize = 256;

    fn product_cost(_: &FpRow) -> Cost {
        FR_PRODUCT
    }
}

impl Element for G1 {
    const SUM_COST: Cost = G1_SUM;
    // Their GLV tables share inversions, they fill vector lanes, and equal twiddles are side by side: with 16 in a task
    // the proofs of a blob's cells took a tenth longer.
    const GRAIN: usize = 64;

    fn product_cost(row: &FpRow) -> Cost {
        row.costs.multiplication()
    }

    fn butterflies(row: &FpRow, lo: &mut [Self], hi: &mut [Self], twiddles: impl Iterator<Item = Fr>) {
        let twiddles: Vec<Fr> = twiddles.take(hi.len()).collect();
        multiply(row, hi, &twiddles);
        for (lo, hi) in lo.iter_mut().zip(hi) {
            (*lo, *hi) = (*lo + *hi, *lo - *hi);
        }
    }

    fn blocks(row: &FpRow, data: &mut [Self], half: usize, twiddle: impl Fn(usize) -> Fr) {
        // Ordered by twiddle, so that short twiddles share a vector.
        let order =
            || (1..half).flat_map(|i| (half + i..data.len()).step_by(2 * half).map(move |at| (i, at)));
        let twiddles: Vec<Fr> = order().map(|(i, _)| twiddle(i)).collect();
        let indices: Vec<usize> = order().map(|(_, at)| at).collect();
        let mut products: Vec<G1> = indices.iter().map(|at| data[*at]).collect();
        multiply(row, &mut products, &twiddles);
        indices.iter().zip(products).for_each(|(at, product)| data[*at] = product);
        for block in data.chunks_mut(2 * half) {
            let (lo, hi) = block.split_at_mut(half);
            for (lo, hi) in lo.iter_mut().zip(hi) {
                (*lo, *hi) = (*lo + *hi, *lo - *hi);
            }
        }
    }
}
