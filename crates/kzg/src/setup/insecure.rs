//! Setups from a secret that is known, for tests alone.

use std::fmt;
use std::ops::Add;

use parcrypt_bls12_381::{Decomposition, Domain, Fr, G1, G1Affine, G2, G2Affine};
use parcrypt_runtime::{Cost, Runtime, map};

use super::{Defect, Form, G1_POINTS, G2_POINTS, Origin, Place, Points, Setup, SetupError, binary, columns};
use crate::Error;

/// Powers of a secret in both groups: g1\[i\] = τ^i·G₁, g2\[i\] = τ^i·G₂.
///
/// What [`PowersOfTau::insecure`] makes is for tests alone.
#[derive(Clone, PartialEq, Eq)]
pub struct PowersOfTau {
    /// τ^i·G₁ for i from 0.
    pub g1: Vec<G1Affine>,
    /// τ^i·G₂ for i from 0.
    pub g2: Vec<G2Affine>,
}

impl PowersOfTau {
    /// `n1` powers in G1 and `n2` in G2 of a secret that the caller knows. **Insecure**: whoever knows the secret can
    /// prove anything. For tests alone.
    ///
    /// About 25 µs a point of G1 and 70 µs a point of G2 on one thread.
    ///
    /// # Errors
    /// [`Defect::Memory`] in [`Error::Setup`] where so many points have no place.
    ///
    /// ```
    /// use parcrypt_bls12_381::{Fr, G1, G1Affine};
    /// use parcrypt_kzg::PowersOfTau;
    /// let powers = PowersOfTau::insecure(&parcrypt_runtime::Serial, Fr::from(3), 4, 2)?;
    /// assert_eq!(G1::from(powers.g1[2]), G1::generator() * Fr::from(9));
    /// # Ok::<(), parcrypt_kzg::Error>(())
    /// ```
    pub fn insecure(rt: &dyn Runtime, secret: Fr, n1: usize, n2: usize) -> Result<Self, Error> {
        let most = n1.max(n2);
        let mut powers = Vec::new();
        powers.try_reserve_exact(most).map_err(|_| {
            let bytes = (most as u64).saturating_mul(size_of::<Fr>() as u64);
            SetupError::new(Form::Insecure, Place::File, Defect::Memory { bytes })
        })?;
        powers.extend(std::iter::successors(Some(Fr::one()), |power| Some(*power * secret)).take(most));
        Ok(PowersOfTau { g1: multiples_g1(rt, &powers[..n1]), g2: multiples_g2(rt, &powers[..n2]) })
    }
}

impl fmt::Debug for PowersOfTau {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PowersOfTau({} in G1, {} in G2)", self.g1.len(), self.g2.len())
    }
}

/// A setup of mainnet's sizes.
pub(super) fn setup(rt: &dyn Runtime, secret: Fr) -> Result<Setup, Error> {
    let PowersOfTau { g1: g1_monomial, g2: g2_monomial } =
        PowersOfTau::insecure(rt, secret, G1_POINTS, G2_POINTS)?;
    let powers: Vec<Fr> =
        std::iter::successors(Some(Fr::one()), |x| Some(*x * secret)).take(G1_POINTS).collect();
    // L_i(τ) = 1/n · Σ_j (τ/ω^i)^j, for any τ: the closed form would divide by 0 for the roots of unity.
    let mut lagrange = vec![Fr::zero(); G1_POINTS];
    Domain::new(G1_POINTS.ilog2())?.inverse_fft(rt, Decomposition::Iterative, &powers, &mut lagrange)?;
    let g1_lagrange = multiples_g1(rt, &lagrange);
    // The columns are sums of multiples of powers, so they can be computed before the multiplication by the generator.
    let fk20 = multiples_g1(rt, &columns::of(rt, &powers)?);
    let points = Points { g1_monomial, g1_lagrange, g2_monomial };
    let digest = binary::digest(Origin::KnownSecret, &points);
    Ok(Setup { points, fk20, origin: Origin::KnownSecret, digest })
}

/// Points that one task computes.
const GRAIN: usize = 64;

fn multiples_g1(rt: &dyn Runtime, scalars: &[Fr]) -> Vec<G1Affine> {
    multiples(rt, G1::generator(), 25_000, scalars, G1::batch_to_affine)
}

fn multiples_g2(rt: &dyn Runtime, scalars: &[Fr]) -> Vec<G2Affine> {
    multiples(rt, G2::generator(), 70_000, scalars, |points| points.iter().map(G2::to_affine).collect())
}

/// The product of one point with each scalar. A product takes `ns` nanoseconds.
fn multiples<P: Copy + Default + Add<Output = P> + Send + Sync, A: Send>(
    rt: &dyn Runtime,
    point: P,
    ns: u64,
    scalars: &[Fr],
    to_affine: fn(&[P]) -> Vec<A>,
) -> Vec<A> {
    let table = Multiples::new(point, scalars.len());
    let pieces = scalars.len().div_ceil(GRAIN);
    let piece = |i: usize| {
        let scalars = scalars.iter().skip(i * GRAIN).take(GRAIN);
        to_affine(&scalars.map(|scalar| table.times_vartime(scalar)).collect::<Vec<P>>())
    };
    map(rt, pieces, Cost::ns(ns * GRAIN as u64), piece).into_iter().flatten().collect()
}

/// Multiples of one point: rows\[w\]\[d\] = d·2^(bits·w)·P for each digit d.
struct Multiples<P> {
    bits: u32,
    rows: Vec<Vec<P>>,
}

impl<P: Copy + Default + Add<Output = P>> Multiples<P> {
    /// A table that suits so many products: 8160 additions and then 32 for each, or 960 and 64.
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

    /// scalar·P, in a time that depends on the scalar.
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
