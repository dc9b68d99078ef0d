//! The native module of the Python package `parcrypt`.

mod input;
mod kzg;
mod mac;
mod scrypt;
mod threads;
mod verifier;
mod watch;

use pyo3::prelude::*;

/// The native module of the package `parcrypt`.
#[pymodule]
mod _parcrypt {
    use super::*;

    #[pymodule_export]
    use super::kzg::{BlobCells, Settings};
    #[pymodule_export]
    use super::mac::{gmac, vmac};
    #[pymodule_export]
    use super::scrypt::{scrypt, scrypt_many};
    #[pymodule_export]
    use super::verifier::CellVerifier;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
