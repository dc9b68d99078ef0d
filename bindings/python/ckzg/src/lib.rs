//! The Python module `ckzg`, with the API of c-kzg-4844's Python binding.
//!
//! Inputs are `bytes`, which never change, so that they are read without a copy while the interpreter's lock is
//! released.

use parcrypt_kzg as kzg;
use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF,
    CellsAndProofs, Settings,
};
use parcrypt_runtime::Serial;
use parcrypt_shadow::{Kzg, Shadowed};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString};

/// A trusted setup with its tables.
#[pyclass(frozen, name = "KZGSettings", module = "ckzg")]
struct KzgSettings(Shadowed);

/// Argument of a function.
type Argument<'a, 'py> = &'a Bound<'py, PyAny>;

fn value_error(text: &str) -> PyErr {
    PyValueError::new_err(text.to_owned())
}

/// Computes without the interpreter's lock, and returns the error of a function that refused its input.
fn compute<T: Send>(
    py: Python<'_>,
    function: &str,
    work: impl FnOnce() -> Result<T, kzg::Error> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(|why| PyRuntimeError::new_err(format!("{function} failed: {why}")))
}

/// A length, and the constant of c-kzg that names it in errors.
type Length = (usize, &'static str);
const BLOB: Length = (BYTES_PER_BLOB, "BYTES_PER_BLOB");
const CELL: Length = (BYTES_PER_CELL, "BYTES_PER_CELL");
const COMMITMENT: Length = (BYTES_PER_COMMITMENT, "BYTES_PER_COMMITMENT");
const ELEMENT: Length = (BYTES_PER_FIELD_ELEMENT, "BYTES_PER_FIELD_ELEMENT");
const PROOF: Length = (BYTES_PER_PROOF, "BYTES_PER_PROOF");

fn check(name: &str, bytes: &[u8], (length, constant): Length) -> PyResult<()> {
    if bytes.len() == length {
        return Ok(());
    }
    Err(value_error(&format!("expected {name} to be {constant} bytes")))
}

/// Returns the bytes of arguments and the setup.
fn bytes_and_setup<'a, 'py, const N: usize>(
    arguments: [Argument<'a, 'py>; N],
    setup: Argument<'a, 'py>,
) -> PyResult<([&'a [u8]; N], &'a Shadowed)> {
    let expected = match N {
        1 => "expected bytes and trusted setup".to_owned(),
        _ => format!("expected {}trusted setup", "bytes, ".repeat(N)),
    };
    let mut all = [&[][..]; N];
    for (bytes, argument) in all.iter_mut().zip(arguments) {
        *bytes = argument.cast::<PyBytes>().map_err(|_| value_error(&expected))?.as_bytes();
    }
    Ok((all, settings(setup, &expected)?))
}

/// Returns the bytes of arguments, whose names and lengths are given, and the setup.
fn checked<'a, 'py, const N: usize>(
    arguments: [(&str, Argument<'a, 'py>, Length); N],
    setup: Argument<'a, 'py>,
) -> PyResult<([&'a [u8]; N], &'a Shadowed)> {
    let (all, settings) = bytes_and_setup(arguments.map(|(_, argument, _)| argument), setup)?;
    all.iter().zip(arguments).try_for_each(|(bytes, (name, _, length))| check(name, bytes, length))?;
    Ok((all, settings))
}

fn settings<'a>(setup: Argument<'a, '_>, expected: &str) -> PyResult<&'a Shadowed> {
    Ok(&setup.cast::<KzgSettings>().map_err(|_| value_error(expected))?.get().0)
}

/// Returns a list of bytes objects.
fn list<'py, const N: usize>(py: Python<'py>, items: &[[u8; N]]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.iter().map(|item| PyBytes::new(py, item)))
}

/// Cells and proofs as lists.
type Lists<'py> = (Bound<'py, PyList>, Bound<'py, PyList>);

fn lists(py: Python<'_>, both: CellsAndProofs) -> PyResult<Lists<'_>> {
    Ok((list(py, &both.cells)?, list(py, &both.proofs)?))
}

/// The items of a list of bytes, which are kept alive while they are read: another thread may change the list.
fn items<'py>(
    list: Argument<'_, 'py>,
    expected: &str,
    (name, (length, constant)): (&str, Length),
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let list = list.cast::<PyList>().map_err(|_| value_error(expected))?;
    let bytes = |(at, item): (usize, Bound<'py, PyAny>)| match item.cast_into::<PyBytes>() {
        Ok(bytes) if bytes.as_bytes().len() == length => Ok(bytes),
        Ok(_) => Err(value_error(&format!("expected {name} {at} to be {constant} bytes"))),
        Err(_) => Err(value_error(&format!("expected {name} {at} to be bytes"))),
    };
    list.iter().enumerate().map(bytes).collect()
}

fn slices<'a>(items: &'a [Bound<'_, PyBytes>]) -> Vec<&'a [u8]> {
    items.iter().map(|item| item.as_bytes()).collect()
}

fn indices(list: Argument<'_, '_>, expected: &str) -> PyResult<Vec<u64>> {
    let list = list.cast::<PyList>().map_err(|_| value_error(expected))?;
    let index = |(at, item): (usize, Bound<'_, PyAny>)| {
        let wrong = |what| value_error(&format!("expected cell index {at} to be {what}"));
        let item = item.cast_into::<PyInt>().map_err(|_| wrong("an integer"))?;
        item.extract::<u64>().map_err(|_| wrong("below 2^64 and not negative"))
    };
    list.iter().enumerate().map(index).collect()
}

/// KZG commitments of EIP-4844 and EIP-7594, with the API of c-kzg-4844's Python binding, by Parcrypt.
#[pymodule]
mod ckzg {
    use super::*;

    #[pymodule_export]
    use super::KzgSettings;

    /// Load a trusted setup from a file. `precompute`, from 0 to 15, bounds the memory of tables.
    #[pyfunction]
    #[pyo3(signature = (path, precompute, /))]
    fn load_trusted_setup(
        py: Python<'_>,
        path: Argument<'_, '_>,
        precompute: Argument<'_, '_>,
    ) -> PyResult<KzgSettings> {
        let path = path.cast::<PyString>().map_err(|_| value_error("expected string and int"))?;
        let path: std::path::PathBuf = path.extract()?;
        let precompute = precompute.extract().map_err(|_| value_error("invalid precompute value"))?;
        let load = |requests| Settings::from_ckzg_file(&Serial, requests, &path, precompute);
        let loaded = py.detach(|| Shadowed::load(load));
        let why =
            |why| PyRuntimeError::new_err(format!("error loading trusted setup: {}: {why}", path.display()));
        loaded.map(KzgSettings).map_err(why)
    }

    /// Return the commitment to a blob.
    #[pyfunction]
    #[pyo3(signature = (blob, trusted_setup, /))]
    fn blob_to_kzg_commitment<'py>(
        py: Python<'py>,
        blob: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ([blob], s) = checked([("blob", blob, BLOB)], trusted_setup)?;
        let work = || s.blob_to_kzg_commitment(blob);
        Ok(PyBytes::new(py, &compute(py, "blob_to_kzg_commitment", work)?))
    }

    /// Return the proof of the value of a blob's polynomial at z, and the value.
    #[pyfunction]
    #[pyo3(signature = (blob, z, trusted_setup, /))]
    fn compute_kzg_proof<'py>(
        py: Python<'py>,
        blob: Argument<'_, 'py>,
        z: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let ([blob, z], s) = checked([("blob", blob, BLOB), ("z", z, ELEMENT)], trusted_setup)?;
        let work = || s.compute_kzg_proof(blob, z);
        let (proof, y) = compute(py, "compute_kzg_proof", work)?;
        Ok((PyBytes::new(py, &proof), PyBytes::new(py, &y)))
    }

    /// Return the proof that a commitment is the commitment to a blob.
    #[pyfunction]
    #[pyo3(signature = (blob, commitment, trusted_setup, /))]
    fn compute_blob_kzg_proof<'py>(
        py: Python<'py>,
        blob: Argument<'_, 'py>,
        commitment: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let arguments = [("blob", blob, BLOB), ("commitment", commitment, COMMITMENT)];
        let ([blob, commitment], s) = checked(arguments, trusted_setup)?;
        let work = || s.compute_blob_kzg_proof(blob, commitment);
        Ok(PyBytes::new(py, &compute(py, "compute_blob_kzg_proof", work)?))
    }

    /// Return whether the polynomial of a commitment has the value y at z.
    #[pyfunction]
    #[pyo3(signature = (commitment, z, y, proof, trusted_setup, /))]
    fn verify_kzg_proof<'py>(
        py: Python<'py>,
        commitment: Argument<'_, 'py>,
        z: Argument<'_, 'py>,
        y: Argument<'_, 'py>,
        proof: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<bool> {
        let arguments = [
            ("commitment", commitment, COMMITMENT),
            ("z", z, ELEMENT),
            ("y", y, ELEMENT),
            ("proof", proof, PROOF),
        ];
        let ([commitment, z, y, proof], s) = checked(arguments, trusted_setup)?;
        compute(py, "verify_kzg_proof", || s.verify_kzg_proof(commitment, z, y, proof))
    }

    /// Return whether a commitment is the commitment to a blob.
    #[pyfunction]
    #[pyo3(signature = (blob, commitment, proof, trusted_setup, /))]
    fn verify_blob_kzg_proof<'py>(
        py: Python<'py>,
        blob: Argument<'_, 'py>,
        commitment: Argument<'_, 'py>,
        proof: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<bool> {
        let arguments =
            [("blob", blob, BLOB), ("commitment", commitment, COMMITMENT), ("proof", proof, PROOF)];
        let ([blob, commitment, proof], s) = checked(arguments, trusted_setup)?;
        let work = || s.verify_blob_kzg_proof_batch(&[blob], &[commitment], &[proof]);
        compute(py, "verify_blob_kzg_proof", work)
    }

    /// Return whether all commitments are the commitments to their blobs. Each list is one bytes object.
    #[pyfunction]
    #[pyo3(signature = (blobs, commitments, proofs, trusted_setup, /))]
    fn verify_blob_kzg_proof_batch<'py>(
        py: Python<'py>,
        blobs: Argument<'_, 'py>,
        commitments: Argument<'_, 'py>,
        proofs: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<bool> {
        let (lists, s) = bytes_and_setup([blobs, commitments, proofs], trusted_setup)?;
        let parts = [("blobs", BLOB), ("commitments", COMMITMENT), ("proofs", PROOF)];
        for (bytes, (name, (length, constant))) in lists.iter().zip(parts) {
            if bytes.len() % length != 0 {
                return Err(value_error(&format!("expected {name} to be a multiple of {constant} bytes")));
            }
        }
        let split = |i: usize| lists[i].chunks_exact(parts[i].1.0).collect::<Vec<_>>();
        let [blobs, commitments, proofs] = [0, 1, 2].map(split);
        if blobs.len() != commitments.len() || blobs.len() != proofs.len() {
            return Err(value_error("expected same number of blobs/commitments/proofs"));
        }
        let work = || s.verify_blob_kzg_proof_batch(&blobs, &commitments, &proofs);
        compute(py, "verify_blob_kzg_proof_batch", work)
    }

    /// Return the 128 cells of a blob and its extension.
    #[pyfunction]
    #[pyo3(signature = (blob, trusted_setup, /))]
    fn compute_cells<'py>(
        py: Python<'py>,
        blob: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let ([blob], s) = checked([("blob", blob, BLOB)], trusted_setup)?;
        list(py, &compute(py, "compute_cells", || s.compute_cells(blob))?)
    }

    /// Return the 128 cells of a blob and its extension, and the proof of each.
    #[pyfunction]
    #[pyo3(signature = (blob, trusted_setup, /))]
    fn compute_cells_and_kzg_proofs<'py>(
        py: Python<'py>,
        blob: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<Lists<'py>> {
        let ([blob], s) = checked([("blob", blob, BLOB)], trusted_setup)?;
        let work = || s.compute_cells_and_kzg_proofs(blob);
        lists(py, compute(py, "compute_cells_and_kzg_proofs", work)?)
    }

    /// Return all 128 cells and their proofs from at least 64 cells with rising indices.
    #[pyfunction]
    #[pyo3(signature = (cell_indices, cells, trusted_setup, /))]
    fn recover_cells_and_kzg_proofs<'py>(
        py: Python<'py>,
        cell_indices: Argument<'_, 'py>,
        cells: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<Lists<'py>> {
        let expected = "expected list, list, trusted setup";
        let s = settings(trusted_setup, expected)?;
        let (indices, cells) = (indices(cell_indices, expected)?, items(cells, expected, ("cell", CELL))?);
        if indices.len() != cells.len() {
            return Err(value_error("expected same number of cell_indices and cells"));
        }
        let cells = slices(&cells);
        let work = || s.recover_cells_and_kzg_proofs(&indices, &cells);
        lists(py, compute(py, "recover_cells_and_kzg_proofs", work)?)
    }

    /// Return whether each cell belongs to its commitment at its index.
    #[pyfunction]
    #[pyo3(signature = (commitments, cell_indices, cells, proofs, trusted_setup, /))]
    fn verify_cell_kzg_proof_batch<'py>(
        py: Python<'py>,
        commitments: Argument<'_, 'py>,
        cell_indices: Argument<'_, 'py>,
        cells: Argument<'_, 'py>,
        proofs: Argument<'_, 'py>,
        trusted_setup: Argument<'_, 'py>,
    ) -> PyResult<bool> {
        let expected = "expected list, list, list, list, trusted setup";
        let s = settings(trusted_setup, expected)?;
        let commitments = items(commitments, expected, ("commitment", COMMITMENT))?;
        let indices = indices(cell_indices, expected)?;
        let cells = items(cells, expected, ("cell", CELL))?;
        let proofs = items(proofs, expected, ("proof", PROOF))?;
        let lengths = [commitments.len(), indices.len(), proofs.len()];
        if lengths.iter().any(|length| *length != cells.len()) {
            return Err(value_error("expected same number of commitments, cell indices, cells and proofs"));
        }
        let (commitments, cells, proofs) = (slices(&commitments), slices(&cells), slices(&proofs));
        let work = || s.verify_cell_kzg_proof_batch(&commitments, &indices, &cells, &proofs);
        compute(py, "verify_cell_kzg_proof_batch", work)
    }
}
