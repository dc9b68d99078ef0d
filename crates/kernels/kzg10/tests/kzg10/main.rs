//! The original KZG10 functions against their definitions, and against each other on every runtime.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod fk20;
mod polynomial;
mod powers;
mod proofs;
mod recovery;
mod reference;
mod transforms;

use parcrypt_bls12_381::Fr;
use parcrypt_kzg10::Polynomial;
use parcrypt_testkit::rand::Rng;

fn random_fr(rng: &mut impl Rng) -> Fr {
    Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())
}

fn random_all(rng: &mut impl Rng, n: usize) -> Vec<Fr> {
    (0..n).map(|_| random_fr(rng)).collect()
}

/// Returns a polynomial with exactly n coefficients: the last is not 0.
fn random_polynomial(rng: &mut impl Rng, n: usize) -> Polynomial {
    let mut coefficients = random_all(rng, n);
    if let Some(last) = coefficients.last_mut() {
        *last = Fr::from(rng.random_range(1..=u64::MAX));
    }
    Polynomial::new(coefficients)
}

/// Returns random polynomials, and special ones: 0, constants, one power of X, all coefficients equal, half of them 0.
fn polynomials(rng: &mut impl Rng, n: usize) -> Vec<Polynomial> {
    let mut all = vec![random_polynomial(rng, n), Polynomial::default()];
    if n > 0 {
        let mut power = vec![Fr::zero(); n];
        power[n - 1] = -Fr::one();
        let mut half = random_all(rng, n);
        half[n / 2..].fill(Fr::zero());
        all.extend([
            Polynomial::new(vec![random_fr(rng)]),
            Polynomial::new(vec![-Fr::one()]),
            Polynomial::new(power),
            Polynomial::new(vec![-Fr::one(); n]),
            Polynomial::new(half),
        ]);
    }
    all
}
