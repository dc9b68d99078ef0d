//! [`Element`]: the butterflies over Fr and over G1.

use std::ops::{Add, Mul, Sub};

use crate::dispatch::FpRow;
use crate::msm::glv::multiply;
use crate::{Fr, G1};

/// What can be transformed: sums, and products with elements of [`Fr`].
pub trait Element:
    Copy + Default + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Mul<Fr, Output = Self>
{
    /// What a product costs, in nanoseconds, on a core of 2024.
    const TIMES_NS: u64;
    /// What a sum and a difference cost together, in nanoseconds.
    const SUMS_NS: u64;
    /// As many butterflies as make a piece where there are enough of them.
    const GRAIN: usize;

    /// (lo\[i\], hi\[i\]) → (lo\[i\] + w·hi\[i\], lo\[i\] − w·hi\[i\]) with the twiddle w for i. Twiddles are no secret.
    fn butterflies(row: &FpRow, lo: &mut [Self], hi: &mut [Self], twiddles: impl Iterator<Item = Fr>) {
        let _ = row;
        for ((lo, hi), twiddle) in lo.iter_mut().zip(hi).zip(twiddles) {
            let product = *hi * twiddle;
            (*lo, *hi) = (*lo + product, *lo - product);
        }
    }

    /// All butterflies of whole blocks of 2·`half` elements, with the twiddle `twiddle(i)` for i; that for 0 is 1.
    fn blocks(row: &FpRow, data: &mut [Self], half: usize, twiddle: impl Fn(usize) -> Fr) {
        for block in data.chunks_mut(2 * half) {
            let (lo, hi) = block.split_at_mut(half);
            if let (Some(lo), Some(hi)) = (lo.first_mut(), hi.first_mut()) {
                // The twiddle 1 is one in a block, but all of them on the first level.
                (*lo, *hi) = (*lo + *hi, *lo - *hi);
            }
            Self::butterflies(row, &mut lo[1..], &mut hi[1..], (1..half).map(&twiddle));
        }
    }
}

impl Element for Fr {
    const TIMES_NS: u64 = 20;
    const SUMS_NS: u64 = 6;
    const GRAIN: usize = 256;
}

impl Element for G1 {
    const TIMES_NS: u64 = 15_000;
    const SUMS_NS: u64 = 1_000;
    // They share the inversions for their tables, and fill vector lanes.
    const GRAIN: usize = 16;

    fn butterflies(row: &FpRow, lo: &mut [Self], hi: &mut [Self], twiddles: impl Iterator<Item = Fr>) {
        let twiddles: Vec<Fr> = twiddles.take(hi.len()).collect();
        multiply(row, hi, &twiddles);
        for (lo, hi) in lo.iter_mut().zip(hi) {
            (*lo, *hi) = (*lo + *hi, *lo - *hi);
        }
    }

    fn blocks(row: &FpRow, data: &mut [Self], half: usize, twiddle: impl Fn(usize) -> Fr) {
        // By twiddle, so that lanes beside each other have short ones together.
        let order =
            || (1..half).flat_map(|i| (half + i..data.len()).step_by(2 * half).map(move |at| (i, at)));
        let twiddles: Vec<Fr> = order().map(|(i, _)| twiddle(i)).collect();
        let places: Vec<usize> = order().map(|(_, at)| at).collect();
        let mut products: Vec<G1> = places.iter().map(|at| data[*at]).collect();
        multiply(row, &mut products, &twiddles);
        places.iter().zip(products).for_each(|(at, product)| data[*at] = product);
        for block in data.chunks_mut(2 * half) {
            let (lo, hi) = block.split_at_mut(half);
            for (lo, hi) in lo.iter_mut().zip(hi) {
                (*lo, *hi) = (*lo + *hi, *lo - *hi);
            }
        }
    }
}
