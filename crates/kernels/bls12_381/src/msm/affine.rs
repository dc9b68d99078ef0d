//! Sums of products by additions in affine coordinates, which share inversions: in the way that takes less time.

use std::sync::Arc;

use parcrypt_runtime::{Cost, Runtime, Serial};

use super::{FixedMsm, FixedPoints, Msm, Scalars, msm_few_vartime, msm_vartime, pippenger};
use crate::costs::ns;
use crate::dispatch::FpRow;
use crate::subgroup_check::batched;
use crate::{Error, Fr, G1, G1Affine};

/// Sums by the batch affine arithmetic of a row.
#[derive(Debug)]
pub(crate) struct Affine;

/// Returns the costs of [`msm_few_vartime`] and of [`msm_vartime`] for this number of points.
fn few_and_many(row: &FpRow, length: Scalars, points: usize) -> [Cost; 2] {
    [ns(row.costs.few(points, length.part())), pippenger::msm_cost(row, length, points)]
}

impl Msm for Affine {
    fn cost(&self, row: &FpRow, length: Scalars, points: usize) -> Cost {
        let [few, many] = few_and_many(row, length, points);
        few.min(many)
    }

    fn msm(
        &self,
        rt: &dyn Runtime,
        row: &'static FpRow,
        length: Scalars,
        points: &[G1Affine],
        scalars: &[Fr],
    ) -> Result<G1, Error> {
        let [few, many] = few_and_many(row, length, points.len());
        if few < many { msm_few_vartime(row, points, scalars) } else { msm_vartime(rt, row, points, scalars) }
    }

    fn fixed(
        &self,
        row: &'static FpRow,
        points: &[G1Affine],
        budget: usize,
    ) -> Result<Arc<dyn FixedPoints>, Error> {
        Ok(Arc::new(FixedMsm::new(&Serial, row.backend().into(), points, 1, budget)?))
    }

    fn membership_ns(&self, row: &FpRow, points: usize) -> f64 {
        batched::batched_ns(row, points)
    }

    fn all_in_subgroup(
        &self,
        rt: &dyn Runtime,
        row: &'static FpRow,
        compressed: &[&[u8; 48]],
        points: &[G1Affine],
    ) -> bool {
        batched::all_in_subgroup(rt, row, &batched::seed(compressed), points)
    }
}

impl FixedPoints for FixedMsm {
    fn cost(&self) -> Cost {
        FixedMsm::cost(self, 1)
    }

    fn sum(&self, rt: &dyn Runtime, scalars: &[Fr]) -> Result<G1, Error> {
        Ok(self.msm_vartime(rt, &[scalars])?[0])
    }
}
