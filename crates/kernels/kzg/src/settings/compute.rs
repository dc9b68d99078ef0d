//! What only computing needs of settings.

use std::sync::OnceLock;

use parcrypt_bls12_381::{Domain, FixedMsm, Fr, G1Affine, Request, msm};
use parcrypt_runtime::Serial;

use super::{Rows, Settings, inverse};
use crate::error::Error;
use crate::{CELLS_PER_EXT_BLOB, FIELD_ELEMENTS_PER_BLOB};

/// The logarithm of [`CELLS_PER_EXT_BLOB`].
pub(crate) const CELLS_SCALE: u32 = CELLS_PER_EXT_BLOB.ilog2();

/// Fixed points with or without multiples, made by the first use.
pub(crate) type Tables = OnceLock<FixedMsm>;

/// Tables and numbers of computing.
#[derive(Clone)]
pub(crate) struct Compute {
    /// See [`Settings::lagrange`].
    pub(crate) lagrange: Tables,
    /// See [`Settings::fk20`].
    pub(crate) fk20: Tables,
    /// 1/4096 and 1/128.
    pub(crate) blob_size_inverse: Fr,
    pub(crate) cells_inverse: Fr,
    /// 1 / (ω^i − 1) for i below 128, where ω has the order 128; 0 for i = 0.
    pub(crate) roots_less_one_inverses: Vec<Fr>,
    /// Domain for transforms of 128 points of G1.
    pub(crate) cells_domain: Domain,
}

impl Compute {
    pub(crate) fn new(rows: Rows) -> Result<Self, Error> {
        // Cells take two blocks of 256 KiB in each call.
        msm::raise_trim_threshold();
        Ok(Compute {
            lagrange: OnceLock::new(),
            fk20: OnceLock::new(),
            blob_size_inverse: inverse(FIELD_ELEMENTS_PER_BLOB),
            cells_inverse: inverse(CELLS_PER_EXT_BLOB),
            roots_less_one_inverses: roots_less_one_inverses()?,
            cells_domain: Domain::new(rows.fp_request(), CELLS_SCALE)?,
        })
    }
}

impl Rows {
    /// Returns the request for the row of points.
    pub(crate) fn fp_request(&self) -> Request {
        self.fp.backend().into()
    }
}

impl Settings {
    /// Returns the points of the Lagrange form as one group of 4096. Without tables the first call takes 0.6 MB, and
    /// 0.2 ms.
    pub(crate) fn lagrange(&self) -> Result<&FixedMsm, Error> {
        self.get_or_build(&self.compute.lagrange, &self.g1_lagrange, 1)
    }

    /// Returns the points for the proofs of all cells, as 128 groups of 64. Without tables the first call takes 1.2 MB,
    /// and 0.4 ms.
    pub(crate) fn fk20(&self) -> Result<&FixedMsm, Error> {
        self.get_or_build(&self.compute.fk20, &self.fk20_points, CELLS_PER_EXT_BLOB)
    }

    /// Returns points without multiples, which the first call prepares. An error is not kept.
    fn get_or_build<'a>(
        &self,
        tables: &'a Tables,
        points: &[G1Affine],
        groups: usize,
    ) -> Result<&'a FixedMsm, Error> {
        if tables.get().is_none() {
            _ = tables.set(FixedMsm::new(&Serial, self.rows.fp_request(), points, groups, 0)?);
        }
        Ok(tables.wait())
    }
}

/// Returns 1 / (ω^i − 1) for i below 128, where ω has the order 128; 0 for i = 0.
fn roots_less_one_inverses() -> Result<Vec<Fr>, Error> {
    let root = Fr::root_of_unity(CELLS_SCALE)?;
    let powers = std::iter::successors(Some(Fr::one()), |power| Some(*power * root));
    let mut inverses: Vec<Fr> = powers.take(CELLS_PER_EXT_BLOB).map(|power| power - Fr::one()).collect();
    Fr::batch_inverse(&mut inverses);
    Ok(inverses)
}
