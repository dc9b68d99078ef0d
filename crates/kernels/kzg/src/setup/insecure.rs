//! Setups from a known secret, for tests only.

use parcrypt_bls12_381::msm::{g1_multiples_vartime, g2_multiples_vartime};
use parcrypt_bls12_381::{Decomposition, Domain, Fr, Request};
use parcrypt_runtime::Runtime;

use super::points::{G1_POINTS, G2_POINTS, Origin, Points, Setup};
use super::{columns, forms};
use crate::Error;

/// Returns a setup of mainnet's sizes.
pub(super) fn setup(rt: &dyn Runtime, request: Request, secret: Fr) -> Result<Setup, Error> {
    let powers: Vec<Fr> =
        std::iter::successors(Some(Fr::one()), |x| Some(*x * secret)).take(G1_POINTS).collect();
    let g1_monomial = g1_multiples_vartime(rt, &powers);
    let g2_monomial = g2_multiples_vartime(rt, &powers[..G2_POINTS]);
    // L_i(τ) = 1/n · Σ_j (τ/ω^i)^j, for any τ: the closed form would divide by 0 for the roots of unity.
    let mut lagrange = vec![Fr::zero(); G1_POINTS];
    Domain::new(request, G1_POINTS.ilog2())?.inverse_fft(
        rt,
        Decomposition::Iterative,
        &powers,
        &mut lagrange,
    )?;
    let g1_lagrange = g1_multiples_vartime(rt, &lagrange);
    // The columns are sums of multiples of powers, so they can be computed before the multiplication by the generator.
    let fk20 = g1_multiples_vartime(rt, &columns::of(rt, request, &powers)?);
    let points = Points { g1_monomial, g1_lagrange, g2_monomial };
    let digest = forms::digest(Origin::KnownSecret, &points, &fk20);
    Ok(Setup { points, fk20, origin: Origin::KnownSecret, digest })
}
