//! GMAC and VMAC.

use parcrypt_cpu::Request;
use parcrypt_mac::{Error, Gmac, Vmac};
use parcrypt_runtime::Runtime;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::input::{Data, value_error};
use crate::threads::lend;

/// Return the GMAC of a message, 16 bytes (NIST SP 800-38D).
///
/// `key` has 16, 24 or 32 bytes, `nonce` at least 1 and usually 12. A nonce must be used once under a key.
///
/// >>> gmac(bytes(16), bytes(12), b"").hex()
/// '58e2fccefa7e3061367f1d57a4e7455a'
#[pyfunction]
#[pyo3(signature = (key, nonce, message, *, threads=1))]
pub(crate) fn gmac<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    nonce: &Bound<'py, PyAny>,
    message: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    tag(py, [key, nonce, message], threads, |rt, key, nonce, message| {
        Gmac::new(Request::Auto, key)?.tag(rt, nonce, message).map(|tag| tag.to_vec())
    })
}

/// Return the VMAC of a message, 8 bytes, or 16 for `tag_bits=128` (draft-krovetz-vmac-01).
///
/// `key` has 16, 24 or 32 bytes, `nonce` 1 to 16. A nonce must be used once under a key.
///
/// >>> vmac(b"abcdefghijklmnop", b"bcdefghi", b"").hex()
/// '2576be1c56d8b81b'
#[pyfunction]
#[pyo3(signature = (key, nonce, message, *, tag_bits=64, threads=1))]
pub(crate) fn vmac<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    nonce: &Bound<'py, PyAny>,
    message: &Bound<'py, PyAny>,
    tag_bits: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    match tag_bits {
        64 => tag(py, [key, nonce, message], threads, vmac_tag::<8>),
        128 => tag(py, [key, nonce, message], threads, vmac_tag::<16>),
        _ => Err(value_error(format_args!("tag_bits is {tag_bits}: it must be 64 or 128"))),
    }
}

fn vmac_tag<const BYTES: usize>(
    rt: &dyn Runtime,
    key: &[u8],
    nonce: &[u8],
    message: &[u8],
) -> Result<Vec<u8>, Error> {
    Vmac::<BYTES>::new(Request::Auto, key)?.tag(rt, nonce, message).map(|tag| tag.to_vec())
}

fn tag<'py>(
    py: Python<'py>,
    arguments: [&Bound<'py, PyAny>; 3],
    threads: usize,
    compute: impl Fn(&dyn Runtime, &[u8], &[u8], &[u8]) -> Result<Vec<u8>, Error> + Send + Sync,
) -> PyResult<Bound<'py, PyBytes>> {
    let [key, nonce, message] = arguments;
    let (key, nonce) = (Data::read("key", key)?, Data::read("nonce", nonce)?);
    let message = Data::read("message", message)?;
    let tag = py.detach(|| {
        let rt = lend(threads)?;
        compute(&*rt, key.as_ref(), nonce.as_ref(), message.as_ref()).map_err(value_error)
    });
    Ok(PyBytes::new(py, &tag?))
}
