//! [`Evaluator`]: values of polynomials that are given by encoded values.

use parcrypt_runtime::Cost;

use crate::dispatch::{self, FrRow};
use crate::fr_lanes::folding_table;
use crate::{BitReversedDomain, Error, Fr, Request};

/// Evaluates polynomials that are given by the encodings of their values at the roots of unity in bit-reversed order,
/// as blobs are (EIP-4844).
///
/// ```
/// use parcrypt_bls12_381::{BitReversedDomain, Evaluator, Fr, Request};
/// // 5 + 2X at the fourth roots of unity.
/// let domain = BitReversedDomain::new(2)?;
/// let line = |x: Fr| Fr::from(5) + Fr::from(2) * x;
/// let encodings: Vec<[u8; 32]> = (0..4).map(|i| line(domain.point(i)).to_bytes()).collect();
/// let evaluator = Evaluator::new(Request::Auto, 2)?;
/// assert_eq!(evaluator.evaluate(&encodings, Fr::from(100))?, Fr::from(205));
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    row: &'static FrRow,
    domain: BitReversedDomain,
    /// The inverses of points, for the lanes of the row; empty if it has none.
    table: Vec<u64>,
    size_inverse: Fr,
}

impl Evaluator {
    /// Prepares the evaluation of polynomials with 2^scale values. It takes up to 32 · 2^scale bytes.
    ///
    /// # Errors
    /// As [`BitReversedDomain::new`], and [`Error::Backend`] if the requested row is unavailable.
    pub fn new(request: Request, scale: u32) -> Result<Self, Error> {
        Self::on_row(dispatch::select_fr(request)?, scale)
    }

    /// Returns the evaluator with the functions of a row.
    fn on_row(row: &'static FrRow, scale: u32) -> Result<Self, Error> {
        let domain = BitReversedDomain::new(scale)?;
        let table = match row.lanes {
            // Each lane has a pair of values at least.
            Some(lanes) if domain.size() >= 2 * lanes.lanes() => {
                let inverses: Vec<Fr> =
                    (0..domain.size()).step_by(2).map(|i| domain.inverse_point(i)).collect();
                let memory = || Error::Memory { scale, bytes: 32 * inverses.len() as u64 };
                folding_table(lanes, &inverses).ok_or_else(memory)?
            }
            _ => Vec::new(),
        };
        // 2^scale is not 0 in Fr.
        let size_inverse = Fr::from(domain.size() as u64).inverse().unwrap_or_default();
        Ok(Evaluator { row, domain, table, size_inverse })
    }

    /// Returns the row whose functions are used.
    pub fn row(&self) -> &'static FrRow {
        self.row
    }

    /// Returns the cost of an evaluation: the encodings are read, and each takes two products.
    pub fn cost(&self) -> Cost {
        let products = if self.table.is_empty() { 3 } else { 2 };
        self.row.costs.products(products * self.domain.size())
    }

    /// Returns the value at z. z may be one of the roots.
    ///
    /// # Errors
    /// [`Error::Values`] for another number of values than 2^scale, [`Error::NotCanonicalAt`] with the index of the
    /// first encoding that is not below r.
    pub fn evaluate(&self, encodings: &[[u8; 32]], z: Fr) -> Result<Fr, Error> {
        let size = self.domain.size();
        if encodings.len() != size {
            return Err(Error::Values { points: size, values: encodings.len() });
        }
        let not_canonical = || {
            let index = encodings.iter().position(|bytes| Fr::from_bytes(bytes).is_err()).unwrap_or_default();
            Error::NotCanonicalAt { index }
        };
        let mut values = match self.row.lanes {
            Some(lanes) if !self.table.is_empty() => {
                let mut folded = vec![Fr::zero(); lanes.lanes()];
                if !lanes.fold(&self.table, z, encodings.as_flattened(), &mut folded) {
                    return Err(not_canonical());
                }
                folded
            }
            _ => {
                let values: Result<Vec<Fr>, Error> = encodings.iter().map(Fr::from_bytes).collect();
                values.map_err(|_| not_canonical())?
            }
        };
        let z = z.pow_vartime((size / values.len()) as u64);
        Ok(self.domain.fold(0, z, &mut values) * self.size_inverse)
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;
    use crate::constants::R;
    use crate::lanes::tests::rows;

    /// Returns the evaluators of all rows that can run here, and that of the model.
    fn evaluators(scale: u32) -> Vec<Evaluator> {
        rows().into_iter().map(|row| Evaluator::on_row(row, scale).unwrap()).collect()
    }

    /// Returns the encoding of r, changed by a number in its lowest word.
    fn near_r(change: i64) -> [u8; 32] {
        let mut words = R;
        words[0] = words[0].wrapping_add_signed(change);
        let mut bytes = [0; 32];
        bytes
            .chunks_mut(8)
            .zip(words.iter().rev())
            .for_each(|(out, word)| out.copy_from_slice(&word.to_be_bytes()));
        bytes
    }

    #[test]
    fn values_are_those_of_the_polynomial() {
        let mut rng = rng();
        for scale in 0..=10 {
            let size = 1usize << scale;
            let domain = BitReversedDomain::new(scale).unwrap();
            let extreme = [near_r(-1), [0; 32], Fr::one().to_bytes()];
            for kind in 0..4 {
                let mut value = |i: usize| match kind {
                    0 => Fr::from_bytes_reduced(&rng.random::<[u8; 32]>()).to_bytes(),
                    1 => extreme[0],
                    2 => extreme[i % 2],
                    _ => extreme[rng.random_range(0..3)],
                };
                let encodings: Vec<[u8; 32]> = (0..size).map(&mut value).collect();
                let values: Vec<Fr> = encodings.iter().map(|bytes| Fr::from_bytes(bytes).unwrap()).collect();
                let mut coefficients = values.clone();
                domain.inverse(0, scale, &mut coefficients);
                let n = Fr::from(size as u64).inverse().unwrap();
                let random = Fr::from_bytes_reduced(&[kind as u8 + 3; 32]);
                for z in [Fr::zero(), Fr::one(), -Fr::one(), random, domain.point(size / 3)] {
                    let expected = coefficients.iter().rev().fold(Fr::zero(), |sum, c| sum * z + *c) * n;
                    for evaluator in evaluators(scale) {
                        let found = evaluator.evaluate(&encodings, z);
                        assert_eq!(found, Ok(expected), "{} {scale} {kind}", evaluator.row.backend());
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_value_that_is_not_canonical_is_named() {
        const SCALE: u32 = 7;
        let size = 1 << SCALE;
        let wrong = [near_r(0), near_r(1), near_r(0xffff_fffe), [255; 32], [0x80; 32]];
        for evaluator in evaluators(SCALE) {
            let name = evaluator.row.backend();
            for index in 0..size {
                // Next to others whose highest word decides, and whose highest word does not.
                let mut encodings = vec![[near_r(-1), [0; 32]][index / 2 % 2]; size];
                assert!(evaluator.evaluate(&encodings, Fr::from(9)).is_ok());
                encodings[index] = wrong[index % wrong.len()];
                let found = evaluator.evaluate(&encodings, Fr::from(9));
                assert_eq!(found, Err(Error::NotCanonicalAt { index }), "{name}");
                encodings[size - 1] = [255; 32];
                assert_eq!(evaluator.evaluate(&encodings, Fr::one()), found, "{name}");
            }
            let few = evaluator.evaluate(&vec![[0; 32]; size - 1], Fr::one());
            assert_eq!(few, Err(Error::Values { points: size, values: size - 1 }));
        }
    }
}
