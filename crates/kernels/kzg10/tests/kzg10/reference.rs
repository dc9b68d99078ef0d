//! The definitions, without fast algorithms.

use parcrypt_bls12_381::{Fr, G1, G1Affine};
use parcrypt_kzg10::Polynomial;

/// Returns Σ c_i·x^i.
pub(crate) fn evaluate(p: &Polynomial, x: Fr) -> Fr {
    let terms = p.coefficients().iter().enumerate().map(|(i, c)| *c * x.pow_vartime(i as u64));
    terms.fold(Fr::zero(), |sum, term| sum + term)
}

/// Returns the root of unity of order `len` to the power `index`.
pub(crate) fn root(len: usize, index: usize) -> Fr {
    Fr::root_of_unity(len.ilog2()).unwrap().pow_vartime(index as u64)
}

pub(crate) fn values(p: &Polynomial, len: usize) -> Vec<Fr> {
    (0..len).map(|i| evaluate(p, root(len, i))).collect()
}

/// Returns the product, each coefficient times each.
pub(crate) fn mul(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut product = vec![Fr::zero(); a.coefficients().len() + b.coefficients().len()];
    for (i, x) in a.coefficients().iter().enumerate() {
        for (j, y) in b.coefficients().iter().enumerate() {
            product[i + j] += *x * *y;
        }
    }
    Polynomial::new(product)
}

/// Returns the polynomial of least degree with these values at these points, by Lagrange's formula.
pub(crate) fn interpolate(points: &[(Fr, Fr)]) -> Polynomial {
    let mut sum = vec![Fr::zero(); points.len()];
    for (i, (x, y)) in points.iter().enumerate() {
        let mut term = Polynomial::new(vec![*y]);
        for (j, (other, _)) in points.iter().enumerate() {
            if i != j {
                let inverse = (*x - *other).inverse().unwrap();
                term = mul(&term, &Polynomial::new(vec![-*other * inverse, inverse]));
            }
        }
        sum.iter_mut().zip(term.coefficients()).for_each(|(sum, c)| *sum += *c);
    }
    Polynomial::new(sum)
}

/// Returns p(s)·G, which can be computed in this way only with the secret.
pub(crate) fn commitment(p: &Polynomial, secret: Fr) -> G1Affine {
    (G1::generator() * evaluate(p, secret)).to_affine()
}

/// Returns ((p − I)(s) / (sⁿ − xⁿ))·G, where I has the values of p on x·⟨ω⟩ for the root ω of order n.
pub(crate) fn proof(p: &Polynomial, secret: Fr, x: Fr, n: usize) -> G1Affine {
    let coset: Vec<Fr> = (0..n).map(|i| x * root(n, i)).collect();
    let points: Vec<_> = coset.iter().map(|x| (*x, evaluate(p, *x))).collect();
    let divisor = coset.iter().fold(Fr::one(), |product, x| product * (secret - *x));
    let quotient =
        (evaluate(p, secret) - evaluate(&interpolate(&points), secret)) * divisor.inverse().unwrap();
    (G1::generator() * quotient).to_affine()
}

/// Returns the index with its log₂ n bits reversed.
pub(crate) fn reversed(n: usize, index: usize) -> usize {
    (0..n.ilog2()).fold(0, |reversed, bit| reversed << 1 | (index >> bit & 1))
}
