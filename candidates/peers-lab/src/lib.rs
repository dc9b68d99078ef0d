//! The kernel that the benchmark tools compare: products in the ring of ML-DSA, and a planted difference by further
//! iterations.

use parcrypt_cpu::Request;
use parcrypt_ntt::MlDsa;

/// Differences that are planted, in thousandths of a call's time.
pub const DIFFERENCES: [usize; 4] = [0, 5, 10, 20];

/// Whether the benchmarks have their differences, as in the second revision, which scripts/audit-peers makes.
const SECOND: bool = false;

/// Iterations of a call. So one in 200 is half a per cent.
pub const ITERATIONS: usize = 200;

/// Coefficients of a polynomial.
const N: usize = 256;

/// The reason why the work could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel.
    #[error(transparent)]
    Kernel(#[from] parcrypt_ntt::Error),
    /// A planted difference that is not of whole iterations, or no number.
    #[error("{given}: expected a multiple of 5 thousandths, or a number of calls")]
    Number {
        /// What was given.
        given: String,
    },
}

/// Operands and result of an iteration.
#[derive(Debug)]
pub struct Work {
    ring: MlDsa,
    operands: Vec<[u32; N]>,
    product: Box<[u32; N]>,
    iterations: usize,
}

impl Work {
    /// Returns the work with `planted` thousandths of further iterations.
    pub fn new(planted: usize) -> Result<Self, Error> {
        let extra = ITERATIONS * planted;
        if !extra.is_multiple_of(1000) {
            return Err(Error::Number { given: planted.to_string() });
        }
        let ring = MlDsa::new(Request::Auto)?;
        let modulus = ring.modulus();
        // A linear congruential generator: the time does not depend on the values.
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state % modulus
        };
        let operands = (0..2).map(|_| std::array::from_fn(|_| next())).collect();
        Ok(Work { ring, operands, product: Box::new([0; N]), iterations: ITERATIONS + extra / 1000 })
    }

    /// Runs all iterations once; returns a coefficient of the product.
    pub fn call(&mut self) -> Result<u32, Error> {
        for _ in 0..self.iterations {
            self.ring.product(
                std::hint::black_box(&self.operands[0]),
                &self.operands[1],
                &mut self.product,
            )?;
        }
        Ok(std::hint::black_box(&self.product)[0])
    }
}

/// Returns the difference of a benchmark in this revision, in thousandths.
#[must_use]
pub fn planted_here(thousandths: usize) -> usize {
    if SECOND { thousandths } else { 0 }
}

/// Returns the number in a text.
pub fn whole(text: &str) -> Result<usize, Error> {
    text.parse().map_err(|_| Error::Number { given: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_iterations_are_exact_and_change_no_result() {
        let mut results = Vec::new();
        for (thousandths, iterations) in DIFFERENCES.into_iter().zip([200, 201, 202, 204]) {
            let mut work = Work::new(thousandths).expect("a kernel");
            assert_eq!(planted_here(thousandths), 0);
            assert_eq!(work.iterations, iterations);
            results.push(work.call().expect("a product"));
        }
        assert!(results.iter().all(|result| *result == results[0]));
        assert!(matches!(Work::new(3), Err(Error::Number { .. })) && whole("x").is_err());
    }
}
