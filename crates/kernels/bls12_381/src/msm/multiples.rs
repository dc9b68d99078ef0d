//! Many multiples of a generator by one table, for setups from a known secret.

use std::ops::Add;

use parcrypt_runtime::{Cost, Runtime, map};

use crate::costs::{G1_SUM, G2_SUM};
use crate::{Fr, G1, G1Affine, G2, G2Affine};

/// Points that one task computes.
const GRAIN: usize = 64;

/// Returns the product of the generator of G1 with each scalar, 25 µs each on one thread.
pub fn g1_multiples_vartime(rt: &dyn Runtime, scalars: &[Fr]) -> Vec<G1Affine> {
    multiples(rt, G1::generator(), G1_SUM, scalars, G1::batch_to_affine)
}

/// Returns the product of the generator of G2 with each scalar, 70 µs each on one thread.
pub fn g2_multiples_vartime(rt: &dyn Runtime, scalars: &[Fr]) -> Vec<G2Affine> {
    multiples(rt, G2::generator(), G2_SUM, scalars, |points| points.iter().map(G2::to_affine).collect())
}

/// Returns the product of one point with each scalar; an addition costs `sum`.
fn multiples<P: Copy + Default + Add<Output = P> + Send + Sync, A: Send>(
    rt: &dyn Runtime,
    point: P,
    sum: Cost,
    scalars: &[Fr],
    to_affine: fn(&[P]) -> Vec<A>,
) -> Vec<A> {
    let table = Multiples::new(point, scalars.len());
    let pieces = scalars.len().div_ceil(GRAIN);
    let piece = |i: usize| {
        let scalars = scalars.iter().skip(i * GRAIN).take(GRAIN);
        to_affine(&scalars.map(|scalar| table.times_vartime(scalar)).collect::<Vec<P>>())
    };
    map(rt, pieces, GRAIN * table.rows.len() * sum, piece).into_iter().flatten().collect()
}

/// Multiples of one point: rows\[w\]\[d\] = d·2^(bits·w)·P for each digit d.
struct Multiples<P> {
    bits: u32,
    rows: Vec<Vec<P>>,
}

impl<P: Copy + Default + Add<Output = P>> Multiples<P> {
    /// Builds a table for this number of products: 8160 additions and then 32 a product, or 960 and 64.
    fn new(point: P, products: usize) -> Self {
        let bits = if products < 256 { 4 } else { 8 };
        let mut base = point;
        let row = |_| {
            let row: Vec<P> = std::iter::successors(Some(P::default()), |multiple| Some(*multiple + base))
                .take(1 << bits)
                .collect();
            base = row[row.len() - 1] + base;
            row
        };
        Multiples { bits, rows: (0..256 / bits).map(row).collect() }
    }

    /// Returns scalar·P, in a time that depends on the scalar.
    fn times_vartime(&self, scalar: &Fr) -> P {
        let bytes = scalar.to_bytes();
        let per_byte = 8 / self.bits as usize;
        let digit = |w: usize| {
            let byte = usize::from(bytes[31 - w / per_byte]);
            byte >> (w % per_byte * self.bits as usize) & ((1 << self.bits) - 1)
        };
        let multiples = self.rows.iter().enumerate().map(|(w, row)| (digit(w), row));
        multiples.filter(|(digit, _)| *digit != 0).fold(P::default(), |sum, (digit, row)| sum + row[digit])
    }
}
