//! KZG.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use parcrypt_kzg as kzg;
use parcrypt_kzg::{CellsAndProofs, Error, Requests, Samples, Shadow, ShadowQueue, TABLES};
use parcrypt_runtime::{Runtime, Serial};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::input::{Data, indices, iterate, slices, value_error, wanted};
use crate::threads::runtime;
use crate::watch::Watch;

/// Items of a batch for each thread between two reports of progress: several milliseconds of work.
const GROUP: usize = 4;

/// A trusted setup with its tables and threads.
///
/// `path` is a file in any form that Parcrypt reads; without it the setup is that of Ethereum's mainnet. `threads` is
/// the number of threads that work at once, all processors for 0. `tables_mib` bounds the memory of tables, which make
/// commitments and proofs faster: none for 0, and nothing to gain from 40 on. `backends` are requests such as `blst`,
/// which turns off all vector code. `shadow` is the share of the calls that is computed a second time by other code and
/// compared, such as `1/1000`: a difference aborts the process, or is only written to standard error for `1/1000,log`.
/// With `shadow_queue`, a number of calls, these wait for `run_shadow`, which a thread of the program calls.
///
/// >>> setup = Settings()
/// >>> setup.commitment(bytes(131072)).hex()[:8]
/// 'c0000000'
#[pyclass(frozen, module = "parcrypt.kzg")]
pub(crate) struct Settings {
    pub(crate) settings: kzg::Settings,
    pub(crate) rt: Box<dyn Runtime>,
    /// Calls that wait for their second answer.
    queue: Option<Mutex<ShadowQueue>>,
}

/// Cells and proofs of a blob.
type Lists<'py> = (Bound<'py, PyList>, Bound<'py, PyList>);
/// Cells of a blob with their indices.
type Given = (Vec<u64>, Vec<Data>);

fn list<'py, const N: usize>(py: Python<'py>, items: &[[u8; N]]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.iter().map(|item| PyBytes::new(py, item)))
}

fn lists<'py>(py: Python<'py>, both: &CellsAndProofs) -> PyResult<Lists<'py>> {
    Ok((list(py, &both.cells)?, list(py, &both.proofs)?))
}

/// Returns the cells of each of some blobs, from pairs of indices and cells.
fn given(samples: &Bound<'_, PyAny>) -> PyResult<Vec<Given>> {
    let read = |(i, pair): (usize, PyResult<Bound<'_, PyAny>>)| -> PyResult<Given> {
        let pair = pair?;
        let Ok((places, cells)) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
            return Err(PyTypeError::new_err(format!("samples[{i}]: expected a tuple of indices and cells")));
        };
        let cells = Data::read_all(&format!("samples[{i}][1]"), &cells)?;
        Ok((indices(&format!("samples[{i}][0]"), &places, cells.len())?, cells))
    };
    iterate("samples", "a list of tuples", samples)?.enumerate().map(read).collect()
}

/// Returns the index of each wrong item, and the text of the error of its bytes.
fn named(wrong: Vec<kzg::WrongItem>) -> Vec<(usize, Option<String>)> {
    let text = |why| if let kzg::Reason::Malformed(error) = why { Some(error.to_string()) } else { None };
    wrong.into_iter().map(|kzg::WrongItem { index, why }| (index, text(why))).collect()
}

/// Returns the text of the error of item `first + place`: `first` is the first of its group, in which the error of an
/// input counts.
type Text = fn(first: usize, place: usize, why: Error) -> String;

/// For items that are one input each: the index in the error is that of the item.
fn of_input(first: usize, _place: usize, why: Error) -> String {
    let why = match why {
        Error::Length { what, index, expected, got } => {
            Error::Length { what, index: first + index, expected, got }
        }
        Error::NotCanonical { what, index, element } => {
            Error::NotCanonical { what, index: first + index, element }
        }
        Error::Point { what, index, why } => Error::Point { what, index: first + index, why },
        other => other,
    };
    why.to_string()
}

/// For samples: the index in the error is that of a cell among them.
fn of_samples(first: usize, place: usize, why: Error) -> String {
    format!("samples[{}]: {why}", first + place)
}

impl Settings {
    /// Computes a batch in groups, between which the progress is reported. The first item that has an error is that of
    /// the batch.
    fn batch<T: Send>(
        &self,
        py: Python<'_>,
        count: usize,
        progress: Option<Py<PyAny>>,
        text: Text,
        compute: impl Fn(&dyn Runtime, std::ops::Range<usize>) -> Vec<Result<T, Error>> + Send + Sync,
    ) -> PyResult<Vec<T>> {
        let watch = Watch::new(progress);
        let results = py.detach(|| {
            let rt = &*self.rt;
            let group = GROUP * rt.threads().get();
            let mut results = Vec::with_capacity(count);
            for first in (0..count).step_by(group) {
                let range = first..count.min(first + group);
                let done = range.end;
                let items = compute(rt, range).into_iter().enumerate();
                results.extend(items.map(|(place, item)| item.map_err(|why| text(first, place, why))));
                if watch.report(done as u64, count as u64).is_break() {
                    break;
                }
            }
            results
        });
        watch.stopped()?;
        results.into_iter().collect::<Result<_, _>>().map_err(value_error)
    }
}

#[pymethods]
impl Settings {
    #[new]
    #[pyo3(signature = (path=None, *, threads=1, tables_mib=0, backends="", shadow=None, shadow_queue=0))]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        threads: usize,
        tables_mib: usize,
        backends: &str,
        shadow: Option<&str>,
        shadow_queue: usize,
    ) -> PyResult<Self> {
        let requests = Requests::parse(backends, &TABLES.map(|(table, _)| table)).map_err(value_error)?;
        let mut shadow = shadow.map(str::parse::<Shadow>).transpose().map_err(value_error)?;
        let mut queue = None;
        if let Some(calls) = NonZeroUsize::new(shadow_queue) {
            let Some(in_line) = shadow else {
                return Err(value_error("shadow_queue: there is no shadow"));
            };
            let (queued, calls) = in_line.queue(calls);
            (shadow, queue) = (Some(queued), Some(Mutex::new(calls)));
        }
        py.detach(|| {
            let rt = runtime(threads)?;
            let loaded = match &path {
                Some(path) => kzg::Settings::from_ckzg_file(&*rt, requests, path, 0)
                    .map_err(|why| value_error(format_args!("{}: {why}", path.display()))),
                None => kzg::Settings::mainnet(requests).map_err(value_error),
            };
            let mut settings = loaded?;
            settings.set_shadow(shadow).map_err(value_error)?;
            if tables_mib > 0 {
                settings.build_tables(&*rt, tables_mib).map_err(value_error)?;
            }
            Ok(Settings { settings, rt, queue })
        })
    }

    /// Numbers of calls, of those whose second answer was compared, of those whose answers differ, and of those that
    /// were not checked because the queue was full.
    #[getter]
    fn shadow_counts(&self) -> (u64, u64, u64, u64) {
        let counts = self.settings.shadow_counts().unwrap_or_default();
        (counts.calls, counts.checked, counts.different, counts.skipped)
    }

    /// Compute the second answers of the calls that wait in the queue, on this thread, and return their number.
    fn run_shadow(&self, py: Python<'_>) -> usize {
        let Some(queue) = &self.queue else { return 0 };
        py.detach(|| queue.lock().unwrap_or_else(PoisonError::into_inner).run_waiting(&Serial))
    }

    fn __repr__(&self) -> String {
        format!("<parcrypt.kzg.Settings: {}, {} threads>", self.settings, self.rt.threads())
    }

    /// Number of threads that work at once.
    #[getter]
    fn threads(&self) -> usize {
        self.rt.threads().get()
    }

    /// Return the commitment to a blob.
    fn commitment<'py>(&self, py: Python<'py>, blob: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let blob = Data::read("blob", blob)?;
        let commitment = py.detach(|| kzg::blob_to_kzg_commitment(&*self.rt, &self.settings, blob.as_ref()));
        Ok(PyBytes::new(py, &commitment.map_err(value_error)?))
    }

    /// Return the proof of the value of a blob's polynomial at z, and the value.
    fn proof<'py>(
        &self,
        py: Python<'py>,
        blob: &Bound<'py, PyAny>,
        z: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (blob, z) = (Data::read("blob", blob)?, Data::read("z", z)?);
        let proof =
            py.detach(|| kzg::compute_kzg_proof(&*self.rt, &self.settings, blob.as_ref(), z.as_ref()));
        let (proof, y) = proof.map_err(value_error)?;
        Ok((PyBytes::new(py, &proof), PyBytes::new(py, &y)))
    }

    /// Return the proof that a commitment is the commitment to a blob.
    fn blob_proof<'py>(
        &self,
        py: Python<'py>,
        blob: &Bound<'py, PyAny>,
        commitment: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (blob, commitment) = (Data::read("blob", blob)?, Data::read("commitment", commitment)?);
        let (blob, commitment) = (blob.as_ref(), commitment.as_ref());
        let proof = py.detach(|| kzg::compute_blob_kzg_proof(&*self.rt, &self.settings, blob, commitment));
        Ok(PyBytes::new(py, &proof.map_err(value_error)?))
    }

    /// Return the 128 cells of a blob and its extension.
    fn cells<'py>(&self, py: Python<'py>, blob: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let blob = Data::read("blob", blob)?;
        let cells = py.detach(|| kzg::compute_cells(&*self.rt, &self.settings, blob.as_ref()));
        list(py, &cells.map_err(value_error)?)
    }

    /// Return the 128 cells of a blob and its extension, and the proof of each.
    fn cells_and_proofs<'py>(&self, py: Python<'py>, blob: &Bound<'py, PyAny>) -> PyResult<Lists<'py>> {
        let blob = Data::read("blob", blob)?;
        let both = py.detach(|| kzg::compute_cells_and_kzg_proofs(&*self.rt, &self.settings, blob.as_ref()));
        lists(py, &both.map_err(value_error)?)
    }

    /// Return all 128 cells and their proofs from at least 64 cells with rising indices.
    fn recover<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        cells: &Bound<'py, PyAny>,
    ) -> PyResult<Lists<'py>> {
        let cells = Data::read_all("cells", cells)?;
        let indices = self::indices("indices", indices, cells.len())?;
        let cells = slices(&cells);
        let both =
            py.detach(|| kzg::recover_cells_and_kzg_proofs(&*self.rt, &self.settings, &indices, &cells));
        lists(py, &both.map_err(value_error)?)
    }

    /// Return the cells with these rising indices of a blob.
    fn cells_subset<'py>(
        &self,
        py: Python<'py>,
        blob: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (blob, indices) = (Data::read("blob", blob)?, wanted("indices", indices)?);
        let cells =
            py.detach(|| kzg::compute_cells_subset(&*self.rt, &self.settings, blob.as_ref(), &indices));
        list(py, &cells.map_err(value_error)?)
    }

    /// Return the cells with these rising indices of a blob, and the proof of each.
    fn cells_and_proofs_subset<'py>(
        &self,
        py: Python<'py>,
        blob: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
    ) -> PyResult<Lists<'py>> {
        let (blob, indices) = (Data::read("blob", blob)?, wanted("indices", indices)?);
        let (rt, s) = (&*self.rt, &self.settings);
        let both = py.detach(|| kzg::compute_cells_and_kzg_proofs_subset(rt, s, blob.as_ref(), &indices));
        lists(py, &both.map_err(value_error)?)
    }

    /// Return the proofs of the cells with these rising indices of a blob, without the cells.
    fn cell_proofs_subset<'py>(
        &self,
        py: Python<'py>,
        blob: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (blob, indices) = (Data::read("blob", blob)?, wanted("indices", indices)?);
        let (rt, s) = (&*self.rt, &self.settings);
        let proofs = py.detach(|| kzg::compute_cell_kzg_proofs_subset(rt, s, blob.as_ref(), &indices));
        list(py, &proofs.map_err(value_error)?)
    }

    /// Return for each blob its cells with these rising indices.
    #[pyo3(signature = (blobs, indices, *, progress=None))]
    fn cells_subset_many<'py>(
        &self,
        py: Python<'py>,
        blobs: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        let (blobs, indices) = (Data::read_all("blobs", blobs)?, wanted("indices", indices)?);
        let blobs = slices(&blobs);
        // The error of the indices is one of the call, not of a blob.
        kzg::compute_cells_subset_many(&*self.rt, &self.settings, &[], &indices).map_err(value_error)?;
        let all = self.batch(py, blobs.len(), progress, of_input, |rt, range| {
            let cells = kzg::compute_cells_subset_many(rt, &self.settings, &blobs[range], &indices);
            cells.unwrap_or_else(|why| vec![Err(why)])
        });
        all?.iter().map(|cells| list(py, cells)).collect()
    }

    /// Return the cells with the rising indices `wanted` from at least 64 cells with rising indices.
    fn recover_subset<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        cells: &Bound<'py, PyAny>,
        wanted: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let cells = Data::read_all("cells", cells)?;
        let indices = self::indices("indices", indices, cells.len())?;
        let (cells, wanted) = (slices(&cells), self::wanted("wanted", wanted)?);
        let (rt, s) = (&*self.rt, &self.settings);
        let cells = py.detach(|| kzg::recover_cells_subset(rt, s, &indices, &cells, &wanted));
        list(py, &cells.map_err(value_error)?)
    }

    /// Return the cells with the rising indices `wanted` and their proofs from at least 64 cells.
    fn recover_with_proofs_subset<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        cells: &Bound<'py, PyAny>,
        wanted: &Bound<'py, PyAny>,
    ) -> PyResult<Lists<'py>> {
        let cells = Data::read_all("cells", cells)?;
        let indices = self::indices("indices", indices, cells.len())?;
        let (cells, wanted) = (slices(&cells), self::wanted("wanted", wanted)?);
        let (rt, s) = (&*self.rt, &self.settings);
        let both = py.detach(|| kzg::recover_cells_and_kzg_proofs_subset(rt, s, &indices, &cells, &wanted));
        lists(py, &both.map_err(value_error)?)
    }

    /// Return the commitment to each blob.
    #[pyo3(signature = (blobs, *, progress=None))]
    fn commitments<'py>(
        &self,
        py: Python<'py>,
        blobs: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let blobs = Data::read_all("blobs", blobs)?;
        let blobs = slices(&blobs);
        let commitments = self.batch(py, blobs.len(), progress, of_input, |rt, range| {
            kzg::blob_to_kzg_commitment_many(rt, &self.settings, &blobs[range])
        });
        list(py, &commitments?)
    }

    /// Return for each blob the proof that its commitment is the commitment to it.
    #[pyo3(signature = (blobs, commitments, *, progress=None))]
    fn blob_proofs<'py>(
        &self,
        py: Python<'py>,
        blobs: &Bound<'py, PyAny>,
        commitments: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (blobs, commitments) =
            (Data::read_all("blobs", blobs)?, Data::read_all("commitments", commitments)?);
        if blobs.len() != commitments.len() {
            let (blobs, commitments) = (blobs.len(), commitments.len());
            return Err(value_error(format_args!("{blobs} blobs and {commitments} commitments")));
        }
        let (blobs, commitments) = (slices(&blobs), slices(&commitments));
        let proofs = self.batch(py, blobs.len(), progress, of_input, |rt, range| {
            let (blobs, commitments) = (&blobs[range.clone()], &commitments[range]);
            let proofs = kzg::compute_blob_kzg_proof_many(rt, &self.settings, blobs, commitments);
            proofs.unwrap_or_else(|why| vec![Err(why)])
        });
        list(py, &proofs?)
    }

    /// Return for each blob its 128 cells and the proof of each.
    #[pyo3(signature = (blobs, *, progress=None))]
    fn cells_and_proofs_many<'py>(
        &self,
        py: Python<'py>,
        blobs: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Lists<'py>>> {
        let blobs = Data::read_all("blobs", blobs)?;
        let blobs = slices(&blobs);
        let all = self.batch(py, blobs.len(), progress, of_input, |rt, range| {
            kzg::compute_cells_and_kzg_proofs_many(rt, &self.settings, &blobs[range])
        });
        all?.iter().map(|both| lists(py, both)).collect()
    }

    /// Return for each blob all 128 cells and their proofs, from a pair of indices and cells.
    #[pyo3(signature = (samples, *, progress=None))]
    fn recover_many<'py>(
        &self,
        py: Python<'py>,
        samples: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Lists<'py>>> {
        let given = given(samples)?;
        let cells: Vec<Vec<&[u8]>> = given.iter().map(|(_, cells)| slices(cells)).collect();
        let pairs = given.iter().zip(&cells);
        let samples: Vec<Samples> =
            pairs.map(|((indices, _), cells)| Samples { cell_indices: indices, cells }).collect();
        let all = self.batch(py, samples.len(), progress, of_samples, |rt, range| {
            kzg::recover_cells_and_kzg_proofs_many(rt, &self.settings, &samples[range])
        });
        all?.iter().map(|both| lists(py, both)).collect()
    }

    /// Return for each blob the cells with the rising indices `wanted`, such as one column, from a pair of indices and
    /// cells.
    #[pyo3(signature = (samples, wanted, *, progress=None))]
    fn recover_subset_many<'py>(
        &self,
        py: Python<'py>,
        samples: &Bound<'py, PyAny>,
        wanted: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        let (given, wanted) = (given(samples)?, self::wanted("wanted", wanted)?);
        // The error of the indices is one of the call, not of a blob.
        kzg::recover_cells_subset_many(&*self.rt, &self.settings, &[], &wanted).map_err(value_error)?;
        let cells: Vec<Vec<&[u8]>> = given.iter().map(|(_, cells)| slices(cells)).collect();
        let pairs = given.iter().zip(&cells);
        let samples: Vec<Samples> =
            pairs.map(|((indices, _), cells)| Samples { cell_indices: indices, cells }).collect();
        let all = self.batch(py, samples.len(), progress, of_samples, |rt, range| {
            let cells = kzg::recover_cells_subset_many(rt, &self.settings, &samples[range], &wanted);
            cells.unwrap_or_else(|why| vec![Err(why)])
        });
        all?.iter().map(|cells| list(py, cells)).collect()
    }

    /// Return whether the polynomial of a commitment has the value y at z.
    fn verify_proof(
        &self,
        py: Python<'_>,
        commitment: &Bound<'_, PyAny>,
        z: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        proof: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (commitment, z) = (Data::read("commitment", commitment)?, Data::read("z", z)?);
        let (y, proof) = (Data::read("y", y)?, Data::read("proof", proof)?);
        let (c, z, y, proof) = (commitment.as_ref(), z.as_ref(), y.as_ref(), proof.as_ref());
        py.detach(|| kzg::verify_kzg_proof(&*self.rt, &self.settings, c, z, y, proof)).map_err(value_error)
    }

    /// Return whether the polynomials of the commitments have the values ys at zs; True for none.
    fn verify_proofs(
        &self,
        py: Python<'_>,
        commitments: &Bound<'_, PyAny>,
        zs: &Bound<'_, PyAny>,
        ys: &Bound<'_, PyAny>,
        proofs: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (commitments, proofs) =
            (Data::read_all("commitments", commitments)?, Data::read_all("proofs", proofs)?);
        let (zs, ys) = (Data::read_all("zs", zs)?, Data::read_all("ys", ys)?);
        let (commitments, proofs) = (slices(&commitments), slices(&proofs));
        let (rt, s, zs, ys) = (&*self.rt, &self.settings, slices(&zs), slices(&ys));
        py.detach(|| kzg::verify_kzg_proof_batch(rt, s, &commitments, &zs, &ys, &proofs)).map_err(value_error)
    }

    /// Return whether a commitment is the commitment to a blob.
    fn verify_blob(
        &self,
        py: Python<'_>,
        blob: &Bound<'_, PyAny>,
        commitment: &Bound<'_, PyAny>,
        proof: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (blob, commitment) = (Data::read("blob", blob)?, Data::read("commitment", commitment)?);
        let proof = Data::read("proof", proof)?;
        let (blob, c, proof) = (blob.as_ref(), commitment.as_ref(), proof.as_ref());
        py.detach(|| kzg::verify_blob_kzg_proof(&*self.rt, &self.settings, blob, c, proof))
            .map_err(value_error)
    }

    /// Return whether all commitments are the commitments to their blobs; True for none.
    fn verify_blobs(
        &self,
        py: Python<'_>,
        blobs: &Bound<'_, PyAny>,
        commitments: &Bound<'_, PyAny>,
        proofs: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (blobs, commitments) =
            (Data::read_all("blobs", blobs)?, Data::read_all("commitments", commitments)?);
        let proofs = Data::read_all("proofs", proofs)?;
        let (blobs, commitments, proofs) = (slices(&blobs), slices(&commitments), slices(&proofs));
        let verify =
            || kzg::verify_blob_kzg_proof_batch(&*self.rt, &self.settings, &blobs, &commitments, &proofs);
        py.detach(verify).map_err(value_error)
    }

    /// Return whether each cell belongs to its commitment at its index; True for none.
    fn verify_cells(
        &self,
        py: Python<'_>,
        commitments: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        cells: &Bound<'_, PyAny>,
        proofs: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (commitments, cells) =
            (Data::read_all("commitments", commitments)?, Data::read_all("cells", cells)?);
        let proofs = Data::read_all("proofs", proofs)?;
        let indices = self::indices("indices", indices, cells.len())?;
        let (commitments, cells, proofs) = (slices(&commitments), slices(&cells), slices(&proofs));
        let (rt, s) = (&*self.rt, &self.settings);
        py.detach(|| kzg::verify_cell_kzg_proof_batch(rt, s, &commitments, &indices, &cells, &proofs))
            .map_err(value_error)
    }

    /// Return the wrong cells, in rising order: for each its place in the lists, and the text of the error of its
    /// bytes, or None if its proof does not verify. Each cell has the verdict that it has by itself.
    fn wrong_cells(
        &self,
        py: Python<'_>,
        commitments: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        cells: &Bound<'_, PyAny>,
        proofs: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<(usize, Option<String>)>> {
        let (commitments, cells) =
            (Data::read_all("commitments", commitments)?, Data::read_all("cells", cells)?);
        let proofs = Data::read_all("proofs", proofs)?;
        let indices = self::indices("indices", indices, cells.len())?;
        let (commitments, cells, proofs) = (slices(&commitments), slices(&cells), slices(&proofs));
        let (rt, s) = (&*self.rt, &self.settings);
        py.detach(|| kzg::verify_cell_kzg_proof_batch_which(rt, s, &commitments, &indices, &cells, &proofs))
            .map(named)
            .map_err(value_error)
    }

    /// Return the wrong values of polynomials, in rising order, as `wrong_cells` does for cells.
    fn wrong_proofs(
        &self,
        py: Python<'_>,
        commitments: &Bound<'_, PyAny>,
        zs: &Bound<'_, PyAny>,
        ys: &Bound<'_, PyAny>,
        proofs: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<(usize, Option<String>)>> {
        let (commitments, proofs) =
            (Data::read_all("commitments", commitments)?, Data::read_all("proofs", proofs)?);
        let (zs, ys) = (Data::read_all("zs", zs)?, Data::read_all("ys", ys)?);
        let (commitments, proofs) = (slices(&commitments), slices(&proofs));
        let (rt, s, zs, ys) = (&*self.rt, &self.settings, slices(&zs), slices(&ys));
        py.detach(|| kzg::verify_kzg_proof_batch_which(rt, s, &commitments, &zs, &ys, &proofs))
            .map(named)
            .map_err(value_error)
    }

    /// Return the wrong blobs, in rising order, as `wrong_cells` does for cells.
    fn wrong_blobs(
        &self,
        py: Python<'_>,
        blobs: &Bound<'_, PyAny>,
        commitments: &Bound<'_, PyAny>,
        proofs: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<(usize, Option<String>)>> {
        let (blobs, commitments) =
            (Data::read_all("blobs", blobs)?, Data::read_all("commitments", commitments)?);
        let proofs = Data::read_all("proofs", proofs)?;
        let (blobs, commitments, proofs) = (slices(&blobs), slices(&commitments), slices(&proofs));
        let (rt, s) = (&*self.rt, &self.settings);
        py.detach(|| kzg::verify_blob_kzg_proof_batch_which(rt, s, &blobs, &commitments, &proofs))
            .map(named)
            .map_err(value_error)
    }
}

/// A blob that keeps what was computed of it: cells and proofs that are asked for again are not computed again.
///
/// >>> setup = Settings()
/// >>> handle = BlobCells(setup, bytes(131072))
/// >>> handle.cells([3, 77]) == [bytes(2048)] * 2
/// True
/// >>> BlobCells.from_bytes(setup, handle.to_bytes()).blob() == handle.blob()
/// True
#[pyclass(frozen, module = "parcrypt.kzg")]
pub(crate) struct BlobCells {
    settings: Py<Settings>,
    cells: kzg::BlobCells,
}

#[pymethods]
impl BlobCells {
    #[new]
    fn new(py: Python<'_>, settings: Py<Settings>, blob: &Bound<'_, PyAny>) -> PyResult<Self> {
        let blob = Data::read("blob", blob)?;
        let setup = settings.get();
        let cells = py.detach(|| kzg::BlobCells::from_blob(&*setup.rt, &setup.settings, blob.as_ref()));
        Ok(BlobCells { cells: cells.map_err(value_error)?, settings })
    }

    /// Return the handle of the blob with these cells, at least 64.
    #[staticmethod]
    fn from_cells(
        py: Python<'_>,
        settings: Py<Settings>,
        indices: &Bound<'_, PyAny>,
        cells: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let cells = Data::read_all("cells", cells)?;
        let indices = self::indices("indices", indices, cells.len())?;
        let (cells, setup) = (slices(&cells), settings.get());
        let cells = py.detach(|| kzg::BlobCells::from_cells(&*setup.rt, &setup.settings, &indices, &cells));
        Ok(BlobCells { cells: cells.map_err(value_error)?, settings })
    }

    /// Return the handle that `to_bytes` wrote with the same setup. A checksum finds damage, not forgery.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, settings: Py<Settings>, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = Data::read("data", data)?;
        let setup = settings.get();
        let cells = py.detach(|| kzg::BlobCells::from_bytes(&*setup.rt, &setup.settings, data.as_ref()));
        Ok(BlobCells { cells: cells.map_err(value_error)?, settings })
    }

    /// Return the blob and the proofs that are known as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.cells.to_bytes()))
    }

    /// Return the blob.
    fn blob<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.cells.blob())
    }

    /// Return the cells with these rising indices.
    fn cells<'py>(&self, py: Python<'py>, indices: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (indices, setup) = (wanted("indices", indices)?, self.settings.get());
        let cells = py.detach(|| self.cells.cells(&*setup.rt, &setup.settings, &indices));
        list(py, &cells.map_err(value_error)?)
    }

    /// Return the proofs of the cells with these rising indices.
    fn proofs<'py>(&self, py: Python<'py>, indices: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (indices, setup) = (wanted("indices", indices)?, self.settings.get());
        let proofs = py.detach(|| self.cells.proofs(&*setup.rt, &setup.settings, &indices));
        list(py, &proofs.map_err(value_error)?)
    }

    /// Memory that it takes now, in bytes.
    #[getter]
    fn memory(&self) -> usize {
        self.cells.memory()
    }
}
