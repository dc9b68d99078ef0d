//! A trusted setup with what is derived from it.

use parcrypt_bls12_381::fft::Element;
use parcrypt_bls12_381::{
    Decomposition, Domain, FixedMsm, Fr, G1, G1Affine, G2, G2Affine, G2Prepared, ReversedDomain,
};
use parcrypt_runtime::{Cost, Runtime, Serial, map};

use crate::error::{Error, Input};
use crate::{
    BYTES_PER_FIELD_ELEMENT, CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL,
    FIELD_ELEMENTS_PER_EXT_BLOB, bytes,
};

/// How many powers of the secret a setup has in G2.
pub const G2_POINTS: usize = FIELD_ELEMENTS_PER_CELL + 1;

/// The logarithm of [`CELLS_PER_EXT_BLOB`].
pub(crate) const CELLS_SCALE: u32 = CELLS_PER_EXT_BLOB.ilog2();
/// The logarithm of [`FIELD_ELEMENTS_PER_CELL`].
pub(crate) const CELL_SCALE: u32 = FIELD_ELEMENTS_PER_CELL.ilog2();

/// The points of a trusted setup with secret τ. Loaders have checked that each is in its group.
#[derive(Clone, Debug)]
pub struct SetupPoints {
    /// τ^i·G1, 4096 of them.
    pub g1_monomial: Vec<G1Affine>,
    /// L_i(τ)·G1 for the polynomial L_i that is 1 at point i of the domain in bit-reversed order; 4096 of them.
    pub g1_lagrange: Vec<G1Affine>,
    /// τ^i·G2, 65 of them.
    pub g2_monomial: Vec<G2Affine>,
    /// What [`SetupPoints::fk20`] computes from the monomial points; `None` has it computed, which takes 1.3 s.
    pub fk20: Option<Vec<G1Affine>>,
}

impl SetupPoints {
    /// The points for the proofs of all cells (FK20, EIP-7594): 128 groups of 64.
    ///
    /// Point j of group i is element i of the Fourier transform, over the 128th roots of unity, of column j, which is
    /// τ^(4031 − j − 64·k)·G1 for k = 0, …, 62 and then zeros.
    ///
    /// # Errors
    /// [`Error::Count`] where there are not 4096 monomial points.
    pub fn fk20(rt: &dyn Runtime, g1_monomial: &[G1Affine]) -> Result<Vec<G1Affine>, Error> {
        bytes::count(Input::G1Monomial, FIELD_ELEMENTS_PER_BLOB, g1_monomial.len())?;
        let powers: Vec<G1> = g1_monomial.iter().map(|p| G1::from(*p)).collect();
        Ok(G1::batch_to_affine(&fk20_groups(rt, &powers)?))
    }
}

/// [`SetupPoints::fk20`] over the powers of τ in G1, or over the powers of τ themselves.
fn fk20_groups<T: Element>(rt: &dyn Runtime, powers: &[T]) -> Result<Vec<T>, Error> {
    let butterflies = u64::from(CELLS_SCALE) * CELLS_PER_EXT_BLOB as u64 / 2;
    let cost = Cost::ns(butterflies * (T::TIMES_NS + T::SUMS_NS));
    let domain = Domain::new(CELLS_SCALE)?;
    let columns = map(rt, FIELD_ELEMENTS_PER_CELL, cost, |j| {
        let last = FIELD_ELEMENTS_PER_BLOB - FIELD_ELEMENTS_PER_CELL - 1 - j;
        let mut column = [T::default(); CELLS_PER_EXT_BLOB];
        let powers = powers[..=last].iter().rev().step_by(FIELD_ELEMENTS_PER_CELL);
        column.iter_mut().zip(powers).for_each(|(out, power)| *out = *power);
        let mut values = [T::default(); CELLS_PER_EXT_BLOB];
        domain.fft(&Serial, Decomposition::Layers, &column, &mut values).map(|()| values)
    });
    let columns: Vec<_> = columns.into_iter().collect::<Result<_, _>>()?;
    Ok((0..CELLS_PER_EXT_BLOB).flat_map(|i| columns.iter().map(move |column| column[i])).collect())
}

/// A trusted setup and what is derived from it. Threads share it by reference.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) g1_monomial: Vec<G1Affine>,
    pub(crate) g1_lagrange: Vec<G1Affine>,
    pub(crate) g2_monomial: Vec<G2Affine>,
    pub(crate) fk20_points: Vec<G1Affine>,
    /// One group of 4096.
    pub(crate) lagrange: FixedMsm,
    /// 128 groups of 64.
    pub(crate) fk20: FixedMsm,
    pub(crate) prepared: Prepared,
    /// 8192 points; blobs live on the first half, cells on all of it.
    pub(crate) points: ReversedDomain,
    /// 1/4096, 1/128 and 1/64.
    pub(crate) blob_size_inverse: Fr,
    pub(crate) cells_inverse: Fr,
    pub(crate) cell_size_inverse: Fr,
    /// For transforms of 128 points of G1.
    pub(crate) cells_domain: Domain,
}

/// The points of G2 that verification pairs with.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// G2.
    pub(crate) generator: G2Prepared,
    /// τ·G2.
    pub(crate) secret: G2Prepared,
    /// τ^64·G2.
    pub(crate) secret_to_64: G2Prepared,
}

impl Settings {
    /// Takes the points of a setup, without tables.
    ///
    /// # Errors
    /// [`Error::Count`] where there are not as many points as there must be.
    pub fn from_points(rt: &dyn Runtime, points: SetupPoints) -> Result<Self, Error> {
        let SetupPoints { g1_monomial, g1_lagrange, g2_monomial, fk20 } = points;
        bytes::count(Input::G1Monomial, FIELD_ELEMENTS_PER_BLOB, g1_monomial.len())?;
        bytes::count(Input::G1Lagrange, FIELD_ELEMENTS_PER_BLOB, g1_lagrange.len())?;
        bytes::count(Input::G2Monomial, G2_POINTS, g2_monomial.len())?;
        let fk20_points = match fk20 {
            Some(points) => points,
            None => SetupPoints::fk20(rt, &g1_monomial)?,
        };
        bytes::count(Input::Fk20, FIELD_ELEMENTS_PER_EXT_BLOB, fk20_points.len())?;
        Ok(Settings {
            lagrange: FixedMsm::new(rt, &g1_lagrange, 1, 0)?,
            fk20: FixedMsm::new(rt, &fk20_points, CELLS_PER_EXT_BLOB, 0)?,
            prepared: Prepared {
                generator: G2Affine::generator().prepare(),
                secret: g2_monomial[1].prepare(),
                secret_to_64: g2_monomial[FIELD_ELEMENTS_PER_CELL].prepare(),
            },
            points: ReversedDomain::new(FIELD_ELEMENTS_PER_EXT_BLOB.ilog2())?,
            blob_size_inverse: inverse(FIELD_ELEMENTS_PER_BLOB),
            cells_inverse: inverse(CELLS_PER_EXT_BLOB),
            cell_size_inverse: inverse(FIELD_ELEMENTS_PER_CELL),
            cells_domain: Domain::new(CELLS_SCALE)?,
            g1_monomial,
            g1_lagrange,
            g2_monomial,
            fk20_points,
        })
    }

    /// τ^i·G1, 4096 of them.
    pub fn g1_monomial(&self) -> &[G1Affine] {
        &self.g1_monomial
    }

    /// L_i(τ)·G1 in bit-reversed order, 4096 of them.
    pub fn g1_lagrange(&self) -> &[G1Affine] {
        &self.g1_lagrange
    }

    /// τ^i·G2, 65 of them.
    pub fn g2_monomial(&self) -> &[G2Affine] {
        &self.g2_monomial
    }

    /// The points for the proofs of all cells, as [`SetupPoints::fk20`] describes them.
    pub fn fk20_points(&self) -> &[G1Affine] {
        &self.fk20_points
    }

    /// A setup whose secret is known, so that everybody can make false proofs with it. For tests.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::NotCanonical`] where the secret is not a field element.
    pub fn insecure(rt: &dyn Runtime, secret: &[u8; BYTES_PER_FIELD_ELEMENT]) -> Result<Self, Error> {
        const PRODUCT_NS: u64 = 60_000;
        let secret = bytes::element(Input::Secret, secret)?;
        let domain = ReversedDomain::new(FIELD_ELEMENTS_PER_BLOB.ilog2())?;
        let powers: Vec<Fr> = std::iter::successors(Some(Fr::one()), |p| Some(*p * secret))
            .take(FIELD_ELEMENTS_PER_BLOB)
            .collect();
        let times = |scalars: Vec<Fr>| {
            let products = map(rt, scalars.len(), Cost::ns(PRODUCT_NS), |i| G1::generator() * scalars[i]);
            G1::batch_to_affine(&products)
        };
        let g1_lagrange = times(lagrange_values(&domain, secret));
        let g2 = powers[..G2_POINTS].iter().map(|power| (G2::generator() * *power).to_affine());
        let points = SetupPoints {
            g2_monomial: g2.collect(),
            fk20: Some(times(fk20_groups(rt, &powers)?)),
            g1_lagrange,
            g1_monomial: times(powers),
        };
        Settings::from_points(rt, points)
    }
}

/// The values at τ of the polynomials that are 1 at one point of the domain and 0 at the others:
/// L_i(τ) = x_i / n · (τ^n − 1) / (τ − x_i).
fn lagrange_values(domain: &ReversedDomain, secret: Fr) -> Vec<Fr> {
    let n = domain.size();
    let mut values: Vec<Fr> = (0..n).map(|i| secret - domain.point(i)).collect();
    if let Some(at) = values.iter().position(|x| *x == Fr::zero()) {
        values.fill(Fr::zero());
        values[at] = Fr::one();
        return values;
    }
    Fr::batch_inverse(&mut values);
    let factor = (secret.pow_vartime(n as u64) - Fr::one()) * inverse(n);
    values.iter_mut().enumerate().for_each(|(i, value)| *value *= factor * domain.point(i));
    values
}

/// 1/n for n from 1 to 2^64: it is not 0 in Fr.
fn inverse(n: usize) -> Fr {
    Fr::from(n as u64).inverse().unwrap_or_default()
}
