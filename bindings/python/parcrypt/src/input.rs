//! Arguments: bytes without a copy, any other buffer as a copy; indices.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyIterator, PyMemoryView};

/// Returns a `ValueError`.
pub(crate) fn value_error(why: impl ToString) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Returns a `TypeError` about an argument.
fn type_error(name: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name}: expected {expected}, not {}", found.get_type()))
}

/// Returns the iterator of an argument.
pub(crate) fn iterate<'py>(
    name: &str,
    expected: &str,
    argument: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyIterator>> {
    argument.try_iter().map_err(|why| match why.is_instance_of::<PyTypeError>(argument.py()) {
        true => type_error(name, expected, argument),
        false => why,
    })
}

/// Bytes that nothing changes while the interpreter's lock is released: those of a `bytes` object itself, or a copy of
/// any other buffer, whose owner may change it.
pub(crate) struct Data(PyBackedBytes);

impl AsRef<[u8]> for Data {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Data {
    /// Returns the bytes of an argument; `name` is in the error.
    pub(crate) fn read(name: &str, argument: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = argument.py();
        if let Ok(bytes) = argument.cast::<PyBytes>() {
            return Ok(Data(bytes.clone().into()));
        }
        let view = PyMemoryView::from(argument).map_err(|why| {
            if why.is_instance_of::<PyTypeError>(py) {
                type_error(name, "bytes or another buffer", argument)
            } else if why.is_instance_of::<PyValueError>(py) {
                // Such as that of a memoryview that was released.
                value_error(format_args!("{name}: {}", why.value(py)))
            } else {
                why
            }
        })?;
        let copy = py.get_type::<PyBytes>().call1((view,))?.cast_into::<PyBytes>()?;
        Ok(Data(copy.into()))
    }

    /// Returns the bytes of each item of a sequence.
    pub(crate) fn read_all(name: &str, list: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        // A bytes object is a sequence of numbers, and never a list of items.
        if list.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err(format!("{name}: expected a list of bytes, not bytes")));
        }
        let read = |(index, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            Data::read(&format!("{name}[{index}]"), &item?)
        };
        // Nothing is reserved for the length that the list says it has.
        iterate(name, "a list of bytes", list)?.enumerate().map(read).collect()
    }
}

/// Returns the slices of items.
pub(crate) fn slices(items: &[Data]) -> Vec<&[u8]> {
    items.iter().map(Data::as_ref).collect()
}

/// Returns the items of a list of integers, at most `most`, and whether there are more. No more of them are read,
/// because a list may be very long, as `range(10**15)`.
fn integers(name: &str, list: &Bound<'_, PyAny>, most: usize) -> PyResult<(Vec<u64>, bool)> {
    let py = list.py();
    let read = |(i, item): (usize, PyResult<Bound<'_, PyAny>>)| {
        let item = item?;
        item.extract().map_err(|why: PyErr| {
            if why.is_instance_of::<PyOverflowError>(py) {
                value_error(format_args!("{name}[{i}]: the index of a cell must be from 0 to 127"))
            } else if why.is_instance_of::<PyTypeError>(py) {
                type_error(&format!("{name}[{i}]"), "an integer", &item)
            } else {
                why
            }
        })
    };
    let mut items = iterate(name, "a list of integers", list)?.enumerate();
    let indices = items.by_ref().take(most).map(read).collect::<PyResult<Vec<u64>>>()?;
    Ok((indices, items.next().is_some()))
}

/// Returns the indices of `cells` cells.
pub(crate) fn indices(name: &str, list: &Bound<'_, PyAny>, cells: usize) -> PyResult<Vec<u64>> {
    let (indices, more) = integers(name, list, cells)?;
    if indices.len() < cells || more {
        let count =
            if indices.len() < cells { indices.len().to_string() } else { format!("more than {cells}") };
        return Err(value_error(format_args!("{name}: {count} indices for {cells} cells")));
    }
    Ok(indices)
}

/// Returns the indices of the wanted cells, at most one for each cell of a blob.
pub(crate) fn wanted(name: &str, list: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    const MOST: usize = parcrypt_kzg::CELLS_PER_EXT_BLOB;
    match integers(name, list, MOST)? {
        (_, true) => Err(value_error(format_args!("{name}: more than {MOST} indices"))),
        (indices, false) => Ok(indices),
    }
}
