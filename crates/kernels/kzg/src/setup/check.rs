//! Checks of the relations between the points of a setup.

#[cfg(test)]
mod tests;

use parcrypt_bls12_381::{Decomposition, Domain, Fr, G1, G2, G2Affine, msm, pairing};
use parcrypt_runtime::Runtime;
use parcrypt_sha256::Sha256;

use super::points::{G1_POINTS, G2_POINTS, Points};
use super::{Defect, Form, List, Location, Relation, SetupError, binary, generators};
use crate::Error;
use crate::settings::Rows;

/// Checks as one batch that all points come from one secret τ: M_i = τ^i·G₁, H_i = τ^i·G₂, and L the inverse Fourier
/// transform of M.
///
/// With a challenge ρ that depends on all points, and T = Σ ρ^i·M_i:
///
/// - e(T − M₀, H₀) = e(ρ·(T − ρ^(n−1)·M_(n−1)), H₁), which is M_(i+1) = τ·M_i for all i;
/// - e(Σ ρ^i·M_i, H₀) = e(M₀, Σ ρ^i·H_i) over the points of G2;
/// - T = Σ p(ω^i)·L_i for p(x) = Σ ρ^i·x^i.
///
/// If a relation does not hold, its check passes for at most n of the r values of ρ. Cost: two multi-scalar
/// multiplications of 4096 points, 65 multiplications in G2, and 4 pairings.
pub(super) fn all(rt: &dyn Runtime, rows: Rows, form: Form, points: &Points) -> Result<(), Error> {
    generators(form, points)?;
    relations(rt, rows, form, points, challenge(points))
}

/// Returns the challenge ρ, a hash of all points.
fn challenge(points: &Points) -> Fr {
    let mut bytes = b"parcrypt-setup".to_vec();
    binary::write_points(points, &[], &mut bytes);
    Fr::from_bytes_reduced(&Sha256::digest(&bytes))
}

/// Returns the powers 1, ρ, …, ρ^4095 of a challenge.
fn powers(challenge: Fr) -> Vec<Fr> {
    std::iter::successors(Some(Fr::one()), |x| Some(*x * challenge)).take(G1_POINTS).collect()
}

/// Returns p(ω^i) for all i, where the coefficients of p are powers of the challenge.
fn values(rt: &dyn Runtime, rows: Rows, powers: &[Fr]) -> Result<Vec<Fr>, Error> {
    let mut values = vec![Fr::zero(); G1_POINTS];
    let domain = Domain::new(rows.fp_request(), G1_POINTS.ilog2())?;
    domain.fft(rt, Decomposition::Iterative, powers, &mut values)?;
    Ok(values)
}

/// Checks the relations of [`all`] with a challenge.
fn relations(rt: &dyn Runtime, rows: Rows, form: Form, points: &Points, challenge: Fr) -> Result<(), Error> {
    let wrong = |list, relation| SetupError::new(form, Location::List { list }, Defect::Relation(relation));
    let Points { g1_monomial, g1_lagrange, g2_monomial } = points;

    let powers = powers(challenge);
    let row = rows.fp;
    let sum = msm::msm_vartime(rt, row, g1_monomial, &powers)?;

    let last = G1_POINTS - 1;
    let (without_first, without_last) =
        (sum - G1::from(g1_monomial[0]), (sum - G1::from(g1_monomial[last]) * powers[last]) * challenge);
    if !equal_pairings(rt, rows, without_first, g2_monomial[0], without_last, g2_monomial[1]) {
        return Err(wrong(List::G1Monomial, Relation::G1Powers).into());
    }

    let short = msm::msm_vartime(rt, row, &g1_monomial[..G2_POINTS], &powers[..G2_POINTS])?;
    let multiples = g2_monomial.iter().zip(&powers).map(|(point, power)| G2::from(*point) * *power);
    let in_g2 = multiples.fold(G2::identity(), |sum, multiple| sum + multiple).to_affine();
    if !equal_pairings(rt, rows, short, g2_monomial[0], g1_monomial[0].into(), in_g2) {
        return Err(wrong(List::G2Monomial, Relation::G2Powers).into());
    }

    if msm::msm_vartime(rt, row, g1_lagrange, &values(rt, rows, &powers)?)? != sum {
        return Err(wrong(List::G1Lagrange, Relation::Lagrange).into());
    }
    Ok(())
}

/// Returns whether e(a, p) = e(b, q).
fn equal_pairings(rt: &dyn Runtime, rows: Rows, a: G1, p: G2Affine, b: G1, q: G2Affine) -> bool {
    pairing::product_is_identity(
        rt,
        rows.pairing,
        &[(a.to_affine(), &p.prepare()), (-b.to_affine(), &q.prepare())],
    )
}
