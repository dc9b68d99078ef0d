//! scrypt.

use std::num::NonZeroUsize;

use parcrypt_cpu::Request;
use parcrypt_scrypt::{Error, Item, MAX_KEY_LEN, Params, Progress, Scrypt};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::input::{Data, value_error};
use crate::threads::lend;
use crate::watch::Watch;

/// Memory that may be used where `maxmem` is 0, in bytes. The 32 MiB of OpenSSL would leave no room for lanes side by
/// side.
const MEMORY: u64 = 2 << 30;

/// Return a key from a password, of `dklen` bytes (RFC 7914).
///
/// The arguments are those of `hashlib.scrypt`; `maxmem` bounds the memory in bytes and is 2 GiB for 0. The lanes of
/// `p` run on `threads` threads, on all processors for 0, and at most `lanes` of them in a thread's vectors, as many as
/// pay for 0. `allow_n_beyond_rfc` accepts an `n` of 2^(16 r) and above, which RFC 7914 excludes and some files
/// have, such as a published test vector of Ethereum's key files. `progress` is called with the steps that are done
/// and all steps, every few milliseconds, with several threads every 50.
///
/// >>> scrypt(b"password", salt=b"NaCl", n=1024, r=8, p=16, threads=2).hex()[:16]
/// 'fdbabe1c9d347200'
#[pyfunction]
#[pyo3(signature = (
    password, *, salt, n, r, p, maxmem=0, dklen=64, threads=1, lanes=0, allow_n_beyond_rfc=false, progress=None
))]
#[expect(clippy::too_many_arguments, reason = "those of hashlib.scrypt, and threads")]
pub(crate) fn scrypt<'py>(
    py: Python<'py>,
    password: &Bound<'py, PyAny>,
    salt: &Bound<'py, PyAny>,
    n: u64,
    r: u32,
    p: u32,
    maxmem: u64,
    dklen: usize,
    threads: usize,
    lanes: usize,
    allow_n_beyond_rfc: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (password, salt) = (vec![Data::read("password", password)?], vec![Data::read("salt", salt)?]);
    let cost = Cost { n, r, p, maxmem, dklen, threads, lanes, allow_n_beyond_rfc };
    Ok(PyBytes::new(py, &derive(py, &cost, &password, &salt, progress)?))
}

/// Return a key for each password and its salt. All are computed side by side.
///
/// >>> keys = scrypt_many([b"one", b"two"], [b"salt", b"salt"], n=16, r=1, p=1, dklen=8)
/// >>> keys[0] == scrypt(b"one", salt=b"salt", n=16, r=1, p=1, dklen=8)
/// True
#[pyfunction]
#[pyo3(signature = (
    passwords, salts, *, n, r, p, maxmem=0, dklen=64, threads=1, lanes=0, allow_n_beyond_rfc=false, progress=None
))]
#[expect(clippy::too_many_arguments, reason = "those of hashlib.scrypt, and threads")]
pub(crate) fn scrypt_many<'py>(
    py: Python<'py>,
    passwords: &Bound<'py, PyAny>,
    salts: &Bound<'py, PyAny>,
    n: u64,
    r: u32,
    p: u32,
    maxmem: u64,
    dklen: usize,
    threads: usize,
    lanes: usize,
    allow_n_beyond_rfc: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let (passwords, salts) = (Data::read_all("passwords", passwords)?, Data::read_all("salts", salts)?);
    if passwords.len() != salts.len() {
        let (passwords, salts) = (passwords.len(), salts.len());
        return Err(value_error(format_args!(
            "{passwords} passwords and {salts} salts: there must be a salt for each"
        )));
    }
    let cost = Cost { n, r, p, maxmem, dklen, threads, lanes, allow_n_beyond_rfc };
    let keys = derive(py, &cost, &passwords, &salts, progress)?;
    PyList::new(py, keys.chunks(dklen.max(1)).map(|key| PyBytes::new(py, key)))
}

/// Parameters of a derivation.
struct Cost {
    n: u64,
    r: u32,
    p: u32,
    maxmem: u64,
    dklen: usize,
    threads: usize,
    lanes: usize,
    allow_n_beyond_rfc: bool,
}

/// Returns the keys, one after the other.
fn derive(
    py: Python<'_>,
    cost: &Cost,
    passwords: &[Data],
    salts: &[Data],
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<u8>> {
    let new = if cost.allow_n_beyond_rfc { Params::allow_n_beyond_rfc } else { Params::new };
    let params = new(cost.n, cost.r, cost.p).map_err(value_error)?;
    if cost.dklen == 0 {
        return Err(value_error("dklen is 0: a key has at least one byte"));
    }
    // Before there is room for keys.
    if cost.dklen as u64 > MAX_KEY_LEN {
        return Err(value_error(format_args!("dklen: {}", Error::KeyLength { len: cost.dklen })));
    }
    let watch = Watch::new(progress);
    let derived = py.detach(|| {
        let rt = lend(cost.threads)?;
        let memory = if cost.maxmem == 0 { MEMORY } else { cost.maxmem };
        let mut scrypt = Scrypt::new(Request::Auto, memory).map_err(value_error)?;
        if let Some(lanes) = NonZeroUsize::new(cost.lanes) {
            scrypt = scrypt.with_lanes(lanes);
        }
        let pairs = passwords.iter().zip(salts);
        let items: Vec<Item> =
            pairs.map(|(password, salt)| Item { password: password.as_ref(), salt: salt.as_ref() }).collect();
        let mut keys = room(cost.dklen, items.len())?;
        let derived = watch.run(&*rt, |report| {
            scrypt.derive_watched(&*rt, params, &items, &mut keys, &|progress: Progress| {
                report(progress.done, progress.total)
            })
        });
        match derived? {
            Ok(()) | Err(Error::Stopped) => Ok(keys),
            Err(why @ Error::Allocation { .. }) => Err(PyMemoryError::new_err(why.to_string())),
            Err(why @ Error::Memory { .. }) => {
                Err(value_error(format_args!("{why}: raise maxmem, or lower n or r")))
            }
            Err(why) => Err(value_error(why)),
        }
    });
    watch.stopped()?;
    derived
}

/// Returns room for keys.
fn room(length: usize, count: usize) -> PyResult<Vec<u8>> {
    let error = || PyMemoryError::new_err(format!("no memory for {count} keys of {length} bytes"));
    let bytes = length.checked_mul(count).ok_or_else(error)?;
    let mut keys = Vec::new();
    keys.try_reserve_exact(bytes).map_err(|_| error())?;
    keys.resize(bytes, 0);
    Ok(keys)
}
