//! Settings: a trusted setup, and the points and tables derived from it.

#[cfg(feature = "compute")]
mod compute;

use std::fmt;
use std::sync::{Arc, OnceLock};

use parcrypt_bls12_381::msm::{FixedPoints, fixed_points};
use parcrypt_bls12_381::{
    BitReversedDomain, Evaluator, Fr, G1Affine, G2, G2Affine, G2Prepared, bit_reversal, dispatch,
};
use parcrypt_cpu::{Backend, Requests, Row};

#[cfg(feature = "compute")]
pub(crate) use compute::{CELLS_SCALE, Compute, Tables};

use crate::error::Error;
use crate::setup::points::{FK20_POINTS, G1_POINTS, G2_POINTS, Origin, Points, Setup};
use crate::{
    CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB,
};
use parcrypt_sha256::{self as sha256, HashRow};

/// The logarithm of [`FIELD_ELEMENTS_PER_CELL`].
pub(crate) const CELL_SCALE: u32 = FIELD_ELEMENTS_PER_CELL.ilog2();

/// The tables of arithmetic in settings, with the backends of each in rising order of preference.
///
/// Points over the base field (`fp`), polynomials over the scalar field (`fr`), pairings (`pairing`), challenges
/// (`sha256`).
pub const TABLES: [(&str, &[Backend]); 4] = [
    ("fp", dispatch::BACKENDS),
    ("fr", dispatch::FR_BACKENDS),
    ("pairing", dispatch::PAIRING_BACKENDS),
    ("sha256", sha256::BACKENDS),
];

/// The selected row of each table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) fp: &'static dispatch::FpRow,
    pub(crate) fr: &'static dispatch::FrRow,
    pub(crate) pairing: &'static dispatch::PairingRow,
    pub(crate) sha256: &'static Row<HashRow>,
}

impl Rows {
    /// Selects the requested row of each table.
    pub(crate) fn select(requests: &Requests) -> Result<Self, Error> {
        let select = || {
            let [fp, fr, pairing, sha256] = requests.for_tables(TABLES)?;
            Ok((fp, fr, pairing, sha256::select(sha256)?))
        };
        let (fp, fr, pairing, sha256) = select().map_err(parcrypt_bls12_381::Error::Backend)?;
        Ok(Rows {
            fp: dispatch::select(fp)?,
            fr: dispatch::select_fr(fr)?,
            pairing: dispatch::select_pairing(pairing)?,
            sha256,
        })
    }
}

/// A trusted setup, and the points and tables derived from it. Threads share it by reference.
#[derive(Clone)]
pub struct Settings {
    pub(crate) rows: Rows,
    pub(crate) origin: Origin,
    /// Digest of the setup; see [`Settings::digest`].
    pub(crate) digest: [u8; 32],
    pub(crate) g1_monomial: Vec<G1Affine>,
    pub(crate) g1_lagrange: Vec<G1Affine>,
    pub(crate) g2_monomial: Vec<G2Affine>,
    pub(crate) fk20_points: Vec<G1Affine>,
    /// What only computing needs.
    #[cfg(feature = "compute")]
    pub(crate) compute: Compute,
    /// See [`Settings::interpolation`].
    interpolation: OnceLock<Arc<dyn FixedPoints>>,
    pub(crate) prepared: Prepared,
    /// By column; see [`Settings::vanishing`].
    vanishing: Vec<OnceLock<Box<G2Prepared>>>,
    /// 8192 points; blobs use the first half, cells use all.
    pub(crate) points: BitReversedDomain,
    pub(crate) evaluator: Evaluator,
    /// 1/64.
    pub(crate) cell_size_inverse: Fr,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Settings({self})")
    }
}

impl fmt::Display for Settings {
    /// Writes the origin of the setup and the first bytes of its digest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest = self.digest.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte));
        write!(f, "setup {}, digest {digest:016x}…", self.origin)
    }
}

/// The points of G2 that verification uses in pairings.
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
    /// Returns the settings of a setup, without tables.
    pub(crate) fn new(rows: Rows, setup: Setup) -> Result<Self, Error> {
        let Setup { points, fk20: fk20_points, origin, digest } = setup;
        let Points { g1_monomial, mut g1_lagrange, g2_monomial } = points;
        debug_assert_eq!((g1_monomial.len(), g1_lagrange.len()), (G1_POINTS, G1_POINTS));
        debug_assert_eq!((g2_monomial.len(), fk20_points.len()), (G2_POINTS, FK20_POINTS));
        bit_reversal::permute(&mut g1_lagrange);
        Ok(Settings {
            rows,
            origin,
            digest,
            #[cfg(feature = "compute")]
            compute: Compute::new(rows)?,
            interpolation: OnceLock::new(),
            prepared: Prepared {
                generator: G2Affine::generator().prepare(),
                secret: g2_monomial[1].prepare(),
                secret_to_64: g2_monomial[FIELD_ELEMENTS_PER_CELL].prepare(),
            },
            vanishing: vec![OnceLock::new(); CELLS_PER_EXT_BLOB],
            points: BitReversedDomain::with_transforms(
                rows.fr.backend().into(),
                FIELD_ELEMENTS_PER_EXT_BLOB.ilog2(),
            )?,
            evaluator: Evaluator::new(rows.fr.backend().into(), FIELD_ELEMENTS_PER_BLOB.ilog2())?,
            cell_size_inverse: inverse(FIELD_ELEMENTS_PER_CELL),
            g1_monomial,
            g1_lagrange,
            g2_monomial,
            fk20_points,
        })
    }

    /// Returns settings of the same setup with other backends, without tables.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] for backends that are unknown or that this machine cannot run.
    pub fn with_backends(&self, requests: impl Into<Requests>) -> Result<Self, Error> {
        let points = Points {
            g1_monomial: self.g1_monomial.clone(),
            g1_lagrange: bit_reversed(&self.g1_lagrange),
            g2_monomial: self.g2_monomial.clone(),
        };
        let Settings { fk20_points, origin, digest, .. } = self;
        let setup = Setup { points, fk20: fk20_points.clone(), origin: *origin, digest: *digest };
        Settings::new(Rows::select(&requests.into())?, setup)
    }

    /// Returns the points τ^i·G₁ for i below 64, by which the verification of cells commits to interpolation
    /// polynomials; with tables of 234 KiB, which the first call builds in 0.6 ms, or 2 ms on `portable`;
    /// without on `blst`. An error is not kept.
    pub(crate) fn interpolation(&self) -> Result<&dyn FixedPoints, Error> {
        if self.interpolation.get().is_none() {
            let points = &self.g1_monomial[..FIELD_ELEMENTS_PER_CELL];
            _ = self.interpolation.set(fixed_points(self.rows.fp, points, 256 << 10)?);
        }
        Ok(&**self.interpolation.wait())
    }

    /// Returns (τ^64 − y)·G₂ for a column below 128, where X^64 − y is the polynomial that vanishes on its cells. The
    /// first call for a column takes 0.3 ms and 13 kB.
    pub(crate) fn vanishing(&self, column: usize) -> &G2Prepared {
        self.vanishing[column].get_or_init(|| {
            let secret_to_64 = G2::from(self.g2_monomial[FIELD_ELEMENTS_PER_CELL]);
            let vanishing = secret_to_64 - G2::generator() * self.points.point(column);
            Box::new(vanishing.to_affine().prepare())
        })
    }

    /// Returns the backend of each of the [`TABLES`], with the name of the table.
    ///
    /// ```
    /// use parcrypt_kzg::{Backend, Request, Settings};
    /// let settings = Settings::mainnet(Request::Baseline)?;
    /// let baseline = [
    ///     ("fp", Backend::Blst),
    ///     ("fr", Backend::Blst),
    ///     ("pairing", Backend::Blst),
    ///     ("sha256", Backend::Sha2),
    /// ];
    /// assert_eq!(settings.backends(), baseline);
    /// # Ok::<(), parcrypt_kzg::Error>(())
    /// ```
    pub fn backends(&self) -> [(&'static str, Backend); 4] {
        let Rows { fp, fr, pairing, sha256 } = self.rows;
        let backends = [fp.backend(), fr.backend(), pairing.backend(), sha256.backend()];
        std::array::from_fn(|i| (TABLES[i].0, backends[i]))
    }

    /// Returns τ^i·G1 for i below 4096.
    pub fn g1_monomial(&self) -> &[G1Affine] {
        &self.g1_monomial
    }

    /// Returns L_i(τ)·G1 for i below 4096, in bit-reversed order.
    pub fn g1_lagrange(&self) -> &[G1Affine] {
        &self.g1_lagrange
    }

    /// Returns τ^i·G2 for i below 65.
    pub fn g2_monomial(&self) -> &[G2Affine] {
        &self.g2_monomial
    }

    /// Returns the points for the proofs of all cells, 128 groups of 64; [`mod@crate::setup`] defines them.
    pub fn fk20_points(&self) -> &[G1Affine] {
        &self.fk20_points
    }
}

/// Returns a list, whose length is a power of two, in bit-reversed order.
pub(crate) fn bit_reversed<T: Copy>(list: &[T]) -> Vec<T> {
    let mut permuted = list.to_vec();
    bit_reversal::permute(&mut permuted);
    permuted
}

/// Returns 1/n for n from 1 to 2^64, which is not 0 in Fr.
fn inverse(n: usize) -> Fr {
    Fr::from(n as u64).inverse().unwrap_or_default()
}
