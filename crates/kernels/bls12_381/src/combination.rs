//! Products of chunks with factors, and linear combinations, by the functions of a row.

use crate::Fr;
use crate::dispatch::FrRow;

impl Fr {
    /// Multiplies each row of elements by its factor. The rows are as long as each other.
    ///
    /// # Panics
    /// If the number of elements is not a multiple of the number of factors.
    pub fn scale_chunks(row: &FrRow, factors: &[Fr], rows: &mut [Fr]) {
        assert!(
            rows.len().is_multiple_of(factors.len()),
            "{} elements in {} rows",
            rows.len(),
            factors.len()
        );
        let length = rows.len() / factors.len().max(1);
        match row.lanes {
            Some(lanes) if length > 0 && length.is_multiple_of(lanes.lanes()) => lanes.scale(factors, rows),
            _ => {
                for (factor, row) in factors.iter().zip(rows.chunks_exact_mut(length.max(1))) {
                    row.iter_mut().for_each(|element| *element *= *factor);
                }
            }
        }
    }

    /// Replaces each row of `out` by a linear combination of all `rows`: their sum, each times its weight. All rows
    /// have the same length; `weights` has a weight of each of the rows for the first row of `out`, then for the next.
    ///
    /// # Panics
    /// If the number of elements is not a multiple of the length, or the number of weights is not the number of rows
    /// times the number of rows of `out`.
    pub fn combine(row: &FrRow, length: usize, weights: &[Fr], rows: &[Fr], out: &mut [Fr]) {
        assert!(length > 0 && rows.len().is_multiple_of(length) && out.len().is_multiple_of(length));
        let count = rows.len() / length;
        assert_eq!(weights.len(), count * (out.len() / length), "weights");
        match row.lanes {
            Some(lanes) if count > 0 && length.is_multiple_of(lanes.lanes()) => {
                lanes.combine(length, weights, rows, out);
            }
            _ => {
                out.fill(Fr::zero());
                for (weights, out) in weights.chunks_exact(count.max(1)).zip(out.chunks_exact_mut(length)) {
                    for (weight, row) in weights.iter().zip(rows.chunks_exact(length)) {
                        out.iter_mut().zip(row).for_each(|(sum, element)| *sum += *element * *weight);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::{rand::Rng, rng};

    use super::*;
    use crate::lanes::tests::rows;

    #[test]
    fn rows_are_scaled_by_their_factors() {
        let mut rng = rng();
        let mut random = || Fr::from_bytes_reduced(&rng.random::<[u8; 32]>());
        for length in [0, 1, 3, 4, 8, 16, 20] {
            for count in [0, 1, 5] {
                let mut factors: Vec<Fr> = (0..count).map(|_| random()).collect();
                factors.iter_mut().skip(1).take(2).zip([Fr::zero(), -Fr::one()]).for_each(|(f, x)| *f = x);
                let mut all: Vec<Fr> = (0..count * length).map(|_| random()).collect();
                all.iter_mut().skip(7).take(2).zip([Fr::zero(), -Fr::one()]).for_each(|(f, x)| *f = x);
                let scaled = all.iter().enumerate().map(|(i, element)| *element * factors[i / length]);
                let scaled: Vec<Fr> = scaled.collect();
                for row in rows() {
                    let mut found = all.clone();
                    Fr::scale_chunks(row, &factors, &mut found);
                    assert_eq!(found, scaled, "{count} rows of {length}");
                }
            }
        }
    }

    #[test]
    fn combinations_are_sums_of_products() {
        let mut rng = rng();
        let mut element = || match rng.random_range(0..4) {
            0 => -Fr::one(),
            1 => Fr::zero(),
            _ => Fr::from_bytes_reduced(&rng.random::<[u8; 32]>()),
        };
        for (length, count, outputs) in
            [(8, 0, 2), (8, 1, 1), (3, 5, 2), (16, 7, 0), (8, 9, 3), (64, 64, 2), (8, 65, 1), (24, 130, 2)]
        {
            for extreme in [false, true] {
                let mut all = |n: usize| -> Vec<Fr> {
                    (0..n).map(|_| if extreme { -Fr::one() } else { element() }).collect()
                };
                let (rows, weights) = (all(count * length), all(count * outputs));
                let sum = |k: usize| {
                    let (output, at) = (k / length, k % length);
                    let terms = (0..count).map(|i| rows[i * length + at] * weights[output * count + i]);
                    terms.fold(Fr::zero(), |sum, term| sum + term)
                };
                let expected: Vec<Fr> = (0..outputs * length).map(sum).collect();
                for row in super::tests::rows() {
                    let mut out = vec![Fr::one(); outputs * length];
                    Fr::combine(row, length, &weights, &rows, &mut out);
                    assert!(out == expected, "{count} rows of {length} for {outputs}");
                }
            }
        }
    }
}
