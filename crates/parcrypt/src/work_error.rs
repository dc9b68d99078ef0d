//! Reasons why work cannot be done, of which some hold only for this machine, build or environment.

use parcrypt_protocol::WorkerError;

use crate::text::size;
use crate::workload::params::ParamError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkError {
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The same request may be valid on another machine, in another build or with another environment.
    #[error("{0}")]
    Unsupported(String),
    /// The request is wrong, or the library refused it.
    #[error("{0}")]
    Wrong(String),
}

impl WorkError {
    pub(crate) fn unsupported(error: impl ToString) -> Self {
        WorkError::Unsupported(error.to_string())
    }

    pub(crate) fn wrong(error: impl ToString) -> Self {
        WorkError::Wrong(error.to_string())
    }

    pub(crate) fn memory(bytes: u64) -> Self {
        WorkError::Unsupported(format!("the system refused {} of memory", size(bytes)))
    }
}

impl From<WorkError> for WorkerError {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Unsupported(why) => WorkerError::Unsupported(why),
            error => WorkerError::other(error),
        }
    }
}

/// Errors of kernels, of which some say that a backend is unavailable.
macro_rules! from_kernels {
    ($($kernel:ident),*) => {
        $(impl From<$kernel::Error> for WorkError {
            fn from(error: $kernel::Error) -> Self {
                match error {
                    $kernel::Error::Backend(error) => WorkError::unsupported(error),
                    other => WorkError::wrong(other),
                }
            }
        })*
    };
}

from_kernels!(parcrypt_mac, parcrypt_ntt, parcrypt_sum);
#[cfg(feature = "rw")]
from_kernels!(parcrypt_rw);

impl From<parcrypt_bls12_381::Error> for WorkError {
    fn from(error: parcrypt_bls12_381::Error) -> Self {
        match error {
            parcrypt_bls12_381::Error::Memory { bytes, .. } => WorkError::memory(bytes),
            other => WorkError::wrong(other),
        }
    }
}

impl From<parcrypt_kzg::Error> for WorkError {
    fn from(error: parcrypt_kzg::Error) -> Self {
        WorkError::wrong(error)
    }
}

impl From<parcrypt_scrypt::Error> for WorkError {
    fn from(error: parcrypt_scrypt::Error) -> Self {
        WorkError::wrong(error)
    }
}
