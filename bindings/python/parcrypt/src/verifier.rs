//! Verification of cells as they come.

use std::num::NonZeroUsize;
use std::time::Duration;

use parcrypt_kzg as kzg;
use parcrypt_kzg::CellClaim;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::input::{Data, iterate, slices, value_error};
use crate::kzg::Settings;

/// Verifies the cells of the blobs with some commitments, which it reads once, as they come.
///
/// Cells are added in any order and by any thread, and verified in pieces, of which several threads may verify
/// different ones. Each verification returns the cells that are right, as pairs of the index of the commitment and of
/// the cell, and those that are wrong, with the reason; these are forgotten, so that right ones can be added.
///
/// >>> setup = Settings()
/// >>> blob = bytes(131072)
/// >>> verifier = CellVerifier(setup, [setup.commitment(blob)])
/// >>> cells, proofs = setup.cells_and_proofs(blob)
/// >>> verifier.add([(0, 17, cells[17], proofs[17]), (0, 90, cells[90], proofs[90])])
/// >>> verifier.verify_next(1)
/// ([(0, 17)], [])
/// >>> verifier.pending
/// 1
/// >>> verifier.verify()
/// ([(0, 90)], [])
#[pyclass(frozen, module = "parcrypt.kzg")]
pub(crate) struct CellVerifier {
    settings: Py<Settings>,
    verifier: kzg::CellVerifier,
}

/// Cells that are right, and cells that are wrong with the reason.
type Verdict = (Vec<(u64, u64)>, Vec<(u64, u64, String)>);

impl CellVerifier {
    fn verdict(
        &self,
        py: Python<'_>,
        verify: impl FnOnce(&Settings) -> Result<kzg::CellVerdict, kzg::Error> + Send,
    ) -> PyResult<Verdict> {
        let settings = self.settings.get();
        let kzg::CellVerdict { verified, wrong } = py.detach(|| verify(settings)).map_err(value_error)?;
        let reason = |why: Option<kzg::Error>| {
            why.map_or_else(|| "the proof does not verify".to_owned(), |why| why.to_string())
        };
        let wrong = wrong
            .into_iter()
            .map(|cell| (cell.name.commitment_index, cell.name.cell_index, reason(cell.why)));
        Ok((
            verified.into_iter().map(|name| (name.commitment_index, name.cell_index)).collect(),
            wrong.collect(),
        ))
    }
}

#[pymethods]
impl CellVerifier {
    #[new]
    fn new(py: Python<'_>, settings: Py<Settings>, commitments: &Bound<'_, PyAny>) -> PyResult<Self> {
        let commitments = Data::read_all("commitments", commitments)?;
        let commitments = slices(&commitments);
        let Settings { settings: setup, rt, .. } = settings.get();
        let verifier = py.detach(|| kzg::CellVerifier::new(&**rt, setup, &commitments));
        Ok(CellVerifier { verifier: verifier.map_err(value_error)?, settings })
    }

    /// Add cells: tuples of the index of a commitment, the index of a cell, the cell and its proof; all, or none if
    /// there is an exception. The same cell may be added again. One that differs from a pending cell is an error until
    /// the verdict on that cell, which may be the wrong one: verify, then add again.
    fn add(&self, py: Python<'_>, claims: &Bound<'_, PyAny>) -> PyResult<()> {
        let read = |(k, claim): (usize, PyResult<Bound<'_, PyAny>>)| {
            let claim = claim?;
            let expected = || format!("claims[{k}]: expected a tuple of two indices, a cell and a proof");
            let (commitment, cell, bytes, proof) = claim
                .extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>)>()
                .map_err(|_| PyTypeError::new_err(expected()))?;
            let index = |place: usize, index: Bound<'_, PyAny>| {
                index.extract::<u64>().map_err(|_| {
                    value_error(format_args!("claims[{k}][{place}]: the index is not an integer from 0 on"))
                })
            };
            let (commitment, cell) = (index(0, commitment)?, index(1, cell)?);
            let bytes = Data::read(&format!("claims[{k}][2]"), &bytes)?;
            Ok((commitment, cell, bytes, Data::read(&format!("claims[{k}][3]"), &proof)?))
        };
        let claims = iterate("claims", "a list of tuples", claims)?
            .enumerate()
            .map(read)
            .collect::<PyResult<Vec<_>>>()?;
        let claims: Vec<CellClaim<'_>> = claims
            .iter()
            .map(|(commitment_index, cell_index, cell, proof)| CellClaim {
                commitment_index: *commitment_index,
                cell_index: *cell_index,
                cell: cell.as_ref(),
                proof: proof.as_ref(),
            })
            .collect();
        py.detach(|| self.verifier.add(&claims)).map_err(value_error)
    }

    /// Return the cells of all that are pending that are right, and those that are wrong.
    fn verify(&self, py: Python<'_>) -> PyResult<Verdict> {
        self.verdict(py, |setup| self.verifier.verify(&*setup.rt, &setup.settings))
    }

    /// Verify the next piece: at most this number of cells, all of the column whose pending cell is the oldest.
    fn verify_next(&self, py: Python<'_>, most: usize) -> PyResult<Verdict> {
        let most = NonZeroUsize::new(most).ok_or_else(|| value_error("most: it must be at least 1"))?;
        self.verdict(py, |setup| self.verifier.verify_next(&*setup.rt, &setup.settings, most))
    }

    /// Verify as many cells of one column as take this time by `cost`, but at least one. If one of them is wrong there
    /// is no verdict, and the next calls find it in smaller pieces.
    fn verify_within(&self, py: Python<'_>, seconds: f64) -> PyResult<Verdict> {
        let time = Duration::try_from_secs_f64(seconds)
            .map_err(|why| value_error(format_args!("seconds: {why}")))?;
        self.verdict(py, |setup| self.verifier.verify_within(&*setup.rt, &setup.settings, time))
    }

    /// Return the estimated time in seconds to verify this number of right cells of one column on one thread.
    fn cost(&self, cells: usize) -> f64 {
        self.verifier.cost(&self.settings.get().settings, cells).as_secs_f64()
    }

    /// Number of cells without a verdict.
    #[getter]
    fn pending(&self) -> usize {
        self.verifier.pending()
    }

    /// Size in bytes of what the verifier holds.
    #[getter]
    fn memory(&self) -> usize {
        self.verifier.memory()
    }
}
