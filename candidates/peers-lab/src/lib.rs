//! The kernel that the benchmark tools compare: products in the ring of ML-DSA, and a planted difference by further
//! iterations.

use parcrypt_cpu::Request;
use parcrypt_ntt::MlDsa;

/// Iterations of a call. So one in 200 is half a per cent.
pub const ITERATIONS: usize = 200;

/// Products of an iteration.
const PRODUCTS: usize = 8;

/// Coefficients of a polynomial.
const N: usize = 256;

/// The reason why the work could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel.
    #[error(transparent)]
    Kernel(#[from] parcrypt_ntt::Error),
    /// A planted difference that is not of whole iterations.
    #[error("{given} is not a planted difference: it must be 0, 5 or 10, in thousandths")]
    Planted {
        /// What was given.
        given: String,
    },
}

/// Operands and results of an iteration.
#[derive(Debug)]
pub struct Work {
    ring: MlDsa,
    operands: Vec<[u32; N]>,
    products: Vec<[u32; N]>,
    calls: usize,
}

impl Work {
    /// Returns the work with `planted` thousandths of further iterations.
    ///
    /// # Errors
    /// [`Error`].
    pub fn new(planted: usize) -> Result<Self, Error> {
        let extra = ITERATIONS * planted;
        if !extra.is_multiple_of(1000) {
            return Err(Error::Planted { given: planted.to_string() });
        }
        let ring = MlDsa::new(Request::Auto)?;
        let modulus = ring.modulus();
        // A linear congruential generator: the time does not depend on the values.
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state % modulus
        };
        let operands = (0..2 * PRODUCTS).map(|_| std::array::from_fn(|_| next())).collect();
        Ok(Work { ring, operands, products: vec![[0; N]; PRODUCTS], calls: ITERATIONS + extra / 1000 })
    }

    /// Runs all iterations once; returns a coefficient of the last product.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub fn call(&mut self) -> Result<u32, Error> {
        for _ in 0..self.calls {
            for (pair, product) in self.operands.chunks_exact(2).zip(&mut self.products) {
                self.ring.product(std::hint::black_box(&pair[0]), &pair[1], product)?;
            }
        }
        Ok(std::hint::black_box(&self.products)[PRODUCTS - 1][0])
    }
}

/// Returns the planted difference in a text, in thousandths.
///
/// # Errors
/// [`Error::Planted`].
pub fn planted(text: &str) -> Result<usize, Error> {
    text.parse().map_err(|_| Error::Planted { given: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_iterations_are_exact_and_change_no_result() {
        let mut results = Vec::new();
        for (thousandths, calls) in [(0, 200), (5, 201), (10, 202)] {
            let mut work = Work::new(thousandths).expect("a kernel");
            assert_eq!(work.calls, calls);
            results.push(work.call().expect("a product"));
        }
        assert!(results.iter().all(|result| *result == results[0]));
        assert!(matches!(Work::new(3), Err(Error::Planted { .. })) && planted("x").is_err());
    }
}
