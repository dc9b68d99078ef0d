//! Arguments: bytes without a copy, any other buffer as a copy.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView};

/// Returns a `ValueError`.
pub(crate) fn value_error(why: impl ToString) -> PyErr {
    PyValueError::new_err(why.to_string())
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
        if let Ok(bytes) = argument.cast::<PyBytes>() {
            return Ok(Data(bytes.clone().into()));
        }
        let refused = |_| {
            let class = argument.get_type();
            PyTypeError::new_err(format!("{name}: expected bytes or another buffer, not {class}"))
        };
        let view = PyMemoryView::from(argument).map_err(refused)?;
        let copy = argument.py().get_type::<PyBytes>().call1((view,))?.cast_into::<PyBytes>()?;
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
        list.try_iter()?.enumerate().map(read).collect()
    }
}

/// Returns the slices of items.
pub(crate) fn slices(items: &[Data]) -> Vec<&[u8]> {
    items.iter().map(Data::as_ref).collect()
}
