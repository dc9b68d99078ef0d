//! [`BitReversedDomain`]: in-place transforms over [`Fr`] from coefficients in natural order to values in bit-reversed
//! order.
//!
//! Blobs and cells have values in this order (EIP-4844, EIP-7594), so no permutation is needed. A transform computes
//! the tree of remainders: the polynomial modulo X^(2m) − w², where w is a root of unity, gives its remainders modulo
//! X^m − w and X^m + w, by one product and two sums for each pair of coefficients (Gentleman and Sande, 1966). One
//! table of roots in bit-reversed order is used for all nodes of the tree: node k of each level uses root k.

use crate::dispatch::{self, FrRow};
use crate::fr_lanes::{FrLanes, Roots};
use crate::{Error, Fr, Request};

/// The 2^scale roots of unity in bit-reversed order: x_i = ω^(i with its bits reversed), where ω has the order 2^scale.
///
/// A smaller domain is a prefix of a larger one. It takes 16 · 2^scale bytes, and up to 64 · 2^scale more for
/// transforms in lanes.
#[derive(Clone, Debug)]
pub struct BitReversedDomain {
    /// x_(2k) for k below half the size, but at least one; x_(2k + 1) = −x_(2k).
    pub(super) roots: Vec<Fr>,
    scale: u32,
    pub(super) lanes: Option<Lanes>,
}

/// What transforms in lanes need.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    pub(super) functions: &'static dyn FrLanes,
    /// The roots of the nodes, and their inverses.
    roots: Roots,
    inverses: Roots,
}

impl BitReversedDomain {
    /// Computes the roots, by 2^scale / 2 multiplications. Transforms will be those of the baseline.
    ///
    /// # Errors
    /// [`Error::Scale`] above 32, [`Error::Memory`] if the table cannot be allocated.
    pub fn new(scale: u32) -> Result<Self, Error> {
        let root = Fr::root_of_unity(scale)?;
        let bytes = (size_of::<Fr>() as u64) << scale.saturating_sub(1);
        let memory = || Error::Memory { scale, bytes };
        let half = 1usize.checked_shl(scale.saturating_sub(1)).ok_or_else(memory)?;
        let mut roots = Vec::new();
        roots.try_reserve_exact(half).map_err(|_| memory())?;
        roots.push(Fr::one());
        // The roots from 2^i on are the first 2^i times ω^(2^(scale − 2 − i)), because bit i of k is bit
        // scale − 2 − i of the exponent.
        let mut factors: Vec<Fr> = std::iter::successors(Some(root), |w| Some(*w * *w))
            .take(scale.saturating_sub(1) as usize)
            .collect();
        while let Some(factor) = factors.pop() {
            for k in 0..roots.len() {
                roots.push(roots[k] * factor);
            }
        }
        Ok(BitReversedDomain { roots, scale, lanes: None })
    }

    /// Computes the roots, and tables for the transforms of the requested row.
    ///
    /// # Errors
    /// As [`BitReversedDomain::new`], and [`Error::Backend`] if the row is unavailable.
    pub fn with_transforms(request: Request, scale: u32) -> Result<Self, Error> {
        Self::new(scale)?.on_row(dispatch::select_fr(request)?)
    }

    /// Returns the domain with the transforms of a row.
    fn on_row(mut self, row: &FrRow) -> Result<Self, Error> {
        if let Some(functions) = row.lanes {
            let roots = |root: &dyn Fn(usize) -> Fr| {
                // Those that are the same in all lanes, and those of each lane.
                let memory = Error::Memory { scale: self.scale, bytes: 30 << self.scale };
                Roots::new(functions, self.scale, root).ok_or(memory)
            };
            let inverse = |k| -self.minus_inverse(k);
            self.lanes =
                Some(Lanes { functions, roots: roots(&|k| self.roots[k])?, inverses: roots(&inverse)? });
        }
        Ok(self)
    }

    /// Returns the number of points, 2^scale.
    pub fn size(&self) -> usize {
        1 << self.scale
    }

    /// Returns the evaluation point x_i.
    ///
    /// # Panics
    /// If i is not below the size.
    pub fn point(&self, i: usize) -> Fr {
        assert!(i < self.size(), "point {i} of {}", self.size());
        let root = self.roots[i / 2];
        if i.is_multiple_of(2) { root } else { -root }
    }

    /// Returns 1 / x_i.
    ///
    /// # Panics
    /// If i is not below the size.
    pub fn inverse_point(&self, i: usize) -> Fr {
        assert!(i < self.size(), "point {i} of {}", self.size());
        let minus_inverse = self.minus_inverse(i / 2);
        if i.is_multiple_of(2) { -minus_inverse } else { minus_inverse }
    }

    /// Replaces coefficients by values, with n·levels/2 products.
    ///
    /// `data` is a polynomial of degree below n = `data.len()`, coefficients in natural order. With n = 2^levels it is
    /// replaced by its values at the points x_i for i from n·block on. With n = lanes · 2^levels, `data` is `lanes`
    /// interleaved polynomials, and each is transformed in this way.
    ///
    /// # Panics
    /// If 2^levels does not divide n, or the block is outside the domain.
    pub fn forward(&self, block: usize, levels: u32, data: &mut [Fr]) {
        self.check(block, levels, data);
        if let Some(Lanes { functions, roots, .. }) = &self.lanes
            && roots.suit(block, levels, data.len())
        {
            return functions.forward(roots, block, levels, data);
        }
        for level in 0..levels {
            let first = block << level;
            let size = data.len() >> level;
            for (t, part) in data.chunks_exact_mut(size).enumerate() {
                let (lo, hi) = part.split_at_mut(size / 2);
                match first + t {
                    // The root is 1.
                    0 => lo.iter_mut().zip(hi).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b)),
                    k => {
                        let root = self.roots[k];
                        for (a, b) in lo.iter_mut().zip(hi) {
                            let product = *b * root;
                            (*a, *b) = (*a + product, *a - product);
                        }
                    }
                }
            }
        }
    }

    /// Replaces values by coefficients times 2^levels: the inverse of [`BitReversedDomain::forward`] up to that factor.
    ///
    /// # Panics
    /// As [`BitReversedDomain::forward`].
    pub fn inverse(&self, block: usize, levels: u32, data: &mut [Fr]) {
        self.check(block, levels, data);
        if let Some(Lanes { functions, inverses, .. }) = &self.lanes
            && inverses.suit(block, levels, data.len())
        {
            return functions.inverse(inverses, block, levels, data);
        }
        for level in (0..levels).rev() {
            let first = block << level;
            let size = data.len() >> level;
            for (t, part) in data.chunks_exact_mut(size).enumerate() {
                let (lo, hi) = part.split_at_mut(size / 2);
                match first + t {
                    // The root is 1.
                    0 => lo.iter_mut().zip(hi).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b)),
                    k => {
                        let root = self.minus_inverse(k);
                        for (a, b) in lo.iter_mut().zip(hi) {
                            (*a, *b) = (*a + *b, (*b - *a) * root);
                        }
                    }
                }
            }
        }
    }

    /// Folds values of a polynomial P towards P(z). There is no division, so z may be one of the points.
    ///
    /// P = A(X²) + X·B(X²) has the values a at x and b at −x, so 2·A(x²) = a + b and 2·B(x²) = (a − b) / x. Hence the
    /// values at all x² of 2·(A + z·B) follow; at z² that is 2·P(z). `values` are the values of P at the points x_i for
    /// i from n·block on, where n = 2^l is their number. They are folded l times, with z, z², z⁴, …, to the value at
    /// x_block of a polynomial whose value at z^n is n·P(z). `values` are overwritten; it takes 2·n products.
    ///
    /// # Panics
    /// If n is not a power of two, or the block is outside the domain.
    pub fn fold(&self, block: usize, z: Fr, values: &mut [Fr]) -> Fr {
        let levels = values.len().ilog2();
        self.check(block, levels, values);
        let (mut z, mut n) = (z, values.len());
        while n > 1 {
            n /= 2;
            let first = n * block;
            for i in 0..n {
                let (a, b) = (values[2 * i], values[2 * i + 1]);
                values[i] = a + b + (b - a) * (self.minus_inverse(first + i) * z);
            }
            z *= z;
        }
        values[0]
    }

    /// Returns −1 / root k.
    fn minus_inverse(&self, k: usize) -> Fr {
        // −1 = ω^(size/2), so it is the root whose exponent is size/2 less the exponent of k. Reversed, that exponent
        // is k with all bits below its leading one flipped.
        if k == 0 { -Fr::one() } else { self.roots[k ^ ((1 << k.ilog2()) - 1)] }
    }

    fn check(&self, block: usize, levels: u32, data: &[Fr]) {
        assert!(levels <= self.scale, "{levels} levels of {}", self.scale);
        assert!(block < self.size() >> levels, "block {block} of {}", self.size() >> levels);
        assert!(
            !data.is_empty() && data.len().is_multiple_of(1 << levels),
            "{levels} levels over {} elements",
            data.len()
        );
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;
    use crate::lanes::tests::rows;

    #[test]
    fn quotients_have_the_values_of_the_definition() {
        let mut rng = rng();
        for scale in 0..=9 {
            let plain = BitReversedDomain::new(scale).unwrap();
            let size = plain.size();
            let mut coefficients: Vec<Fr> =
                (0..size).map(|_| Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())).collect();
            let random = Fr::from_bytes_reduced(&rng.random::<[u8; 32]>());
            let larger = BitReversedDomain::new(scale + 1).unwrap();
            let on_row = |row| [&plain, &larger].map(|domain| domain.clone().on_row(row).unwrap());
            let mut domains: Vec<BitReversedDomain> = rows().into_iter().flat_map(on_row).collect();
            domains.extend([plain.clone(), larger.clone()]);
            // Points of the domain, and one of the larger domain only.
            let points = [0, size / 3, size - 1, size].map(|i| larger.point(i));
            if scale % 2 == 1 {
                // A constant, but for its lowest coefficient.
                coefficients[1..].fill(Fr::zero());
            }
            for z in [Fr::zero(), -Fr::from(2), random].into_iter().chain(points) {
                // By Horner's rule from the highest coefficient on; the last one is the value at z.
                let mut quotient = vec![Fr::zero(); size];
                let y = coefficients.iter().enumerate().rev().fold(Fr::zero(), |above, (i, c)| {
                    quotient[i] = above;
                    above * z + *c
                });
                let values = |mut polynomial: Vec<Fr>| {
                    plain.forward(0, scale, &mut polynomial);
                    polynomial
                };
                let (given, expected) = (values(coefficients.clone()), values(quotient));
                for domain in &domains {
                    let mut found = given.clone();
                    domain.divide(z, y, &mut found);
                    assert!(found == expected, "scale {scale}");
                }
            }
        }
    }

    #[test]
    fn points_are_the_reversed_roots() {
        for scale in 0..8 {
            let domain = BitReversedDomain::new(scale).unwrap();
            let root = Fr::root_of_unity(scale).unwrap();
            for i in 0..domain.size() {
                let exponent = crate::bit_reversal::reverse(i, scale);
                assert_eq!(domain.point(i), root.pow_vartime(exponent as u64), "scale {scale}, point {i}");
                assert_eq!(domain.point(i) * domain.inverse_point(i), Fr::one(), "scale {scale}, point {i}");
            }
            for (k, root) in domain.roots.iter().enumerate() {
                assert_eq!(domain.minus_inverse(k) * *root, -Fr::one(), "scale {scale}, root {k}");
            }
        }
    }

    #[test]
    fn transforms_are_evaluations_and_their_inverses() {
        const SCALE: u32 = 6;
        let domain = BitReversedDomain::new(SCALE).unwrap();
        for levels in 0..=SCALE {
            let n = 1 << levels;
            for lanes in [1, 2, 3] {
                for block in 0..domain.size() / n {
                    let coefficients: Vec<Fr> =
                        (0..n * lanes).map(|i| Fr::from(i as u64 * i as u64 + 7)).collect();
                    let mut data = coefficients.clone();
                    domain.forward(block, levels, &mut data);
                    for i in 0..n {
                        let x = domain.point(n * block + i);
                        for lane in 0..lanes {
                            let value =
                                (0..n).rev().fold(Fr::zero(), |v, j| v * x + coefficients[j * lanes + lane]);
                            assert_eq!(
                                data[i * lanes + lane],
                                value,
                                "{levels} levels, block {block}, value {i}"
                            );
                        }
                    }
                    domain.inverse(block, levels, &mut data);
                    let n = Fr::from(n as u64);
                    assert!(data.iter().zip(&coefficients).all(|(x, c)| *x == *c * n), "{levels} levels");
                }
            }
        }
    }

    #[test]
    fn transforms_in_lanes_have_the_same_bits() {
        const SCALE: u32 = 8;
        let baseline = BitReversedDomain::new(SCALE).unwrap();
        let domains: Vec<_> = rows().into_iter().map(|row| baseline.clone().on_row(row).unwrap()).collect();
        let mut rng = rng();
        let mut element = || match rng.random_range(0..8) {
            0 => Fr::zero(),
            1 => -Fr::one(),
            2 => Fr::one(),
            _ => Fr::from_bytes_reduced(&rng.random::<[u8; 32]>()),
        };
        for levels in 0..=SCALE {
            for columns in [1, 3, 4, 8, 12] {
                for block in 0..baseline.size() >> levels {
                    let data: Vec<Fr> = (0..columns << levels).map(|_| element()).collect();
                    let (mut values, mut coefficients) = (data.clone(), data.clone());
                    baseline.forward(block, levels, &mut values);
                    baseline.inverse(block, levels, &mut coefficients);
                    for domain in &domains {
                        let (mut forward, mut inverse) = (data.clone(), data.clone());
                        domain.forward(block, levels, &mut forward);
                        domain.inverse(block, levels, &mut inverse);
                        assert!(forward == values, "{columns} columns, {levels} levels, block {block}");
                        assert!(inverse == coefficients, "{columns} columns, {levels} levels, block {block}");
                    }
                }
            }
        }
        // The first is the model, with four lanes.
        let lanes = domains[0].lanes.as_ref().unwrap();
        for (levels, columns) in [(4, 1), (8, 1), (3, 4), (6, 12)] {
            assert!(lanes.roots.suit(0, levels, columns << levels), "{levels} levels, {columns} columns");
        }
        for (levels, columns) in [(3, 1), (6, 3), (8, 4)] {
            assert!(!lanes.roots.suit(0, levels, columns << levels), "{levels} levels, {columns} columns");
        }
    }

    #[test]
    fn folding_evaluates_anywhere() {
        const SCALE: u32 = 6;
        let domain = BitReversedDomain::new(SCALE).unwrap();
        let coefficients: Vec<Fr> = (0..domain.size()).map(|i| Fr::from(i as u64 * 5 + 3)).collect();
        let mut values = coefficients.clone();
        domain.forward(0, SCALE, &mut values);
        let n = Fr::from(domain.size() as u64);
        for z in (0..domain.size()).map(|i| domain.point(i)).chain((0..20).map(Fr::from)) {
            let expected = coefficients.iter().rev().fold(Fr::zero(), |value, c| value * z + *c) * n;
            for pieces in [1, 2, 8, 32, 64] {
                let size = domain.size() / pieces;
                let parts = values.chunks(size).enumerate();
                let mut parts: Vec<Fr> =
                    parts.map(|(i, part)| domain.fold(i, z, &mut part.to_vec())).collect();
                let got = domain.fold(0, z.pow_vartime(size as u64), &mut parts);
                assert_eq!(got, expected, "{pieces} pieces");
            }
        }
    }
}
