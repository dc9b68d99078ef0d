//! Errors of workloads.

use std::path::PathBuf;

use super::params::ParamError;
use crate::text::size;
use crate::{requests, runtimes};

/// Reason why a workload cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// This build does not have the workload.
    #[error("this build has no `{workload}`: it lacks the feature `{feature}`, which `make full` builds")]
    Feature { workload: String, feature: &'static str },
    /// The name of the workload is unknown.
    #[error("unknown workload `{given}`{}: it can be {known}", .similar.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default())]
    Workload { given: String, similar: Option<&'static str>, known: String },
    /// A parameter is wrong.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The runtime is not in this build, or does not have that number of threads.
    #[error(transparent)]
    Runtime(#[from] runtimes::Error),
    /// The workload does not offer the backend, or this machine cannot run it.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// The requests of the argument and of the environment contradict each other.
    #[error(transparent)]
    Request(#[from] requests::Error),
    /// The workload needs more memory than is available.
    #[error("{work} needs {}, and {} are available{hint}", size(*.needed), size(*.available))]
    Memory { work: String, needed: u64, available: u64, hint: String },
    /// The system refused the memory.
    #[error("the system refused {} of memory", size(*.bytes))]
    Refused { bytes: u64 },
    /// The input file is missing.
    #[error("`{workload}` needs an input file of {expected} bytes, and none was given")]
    NoInput { workload: &'static str, expected: u64 },
    /// The input cannot be read.
    #[error("input {}: {source}", path.display())]
    Input { path: PathBuf, source: std::io::Error },
    /// The input has another length.
    #[error("input {}: {found}, but `{workload}` with these parameters takes {expected} bytes", path.display())]
    Length { path: PathBuf, workload: &'static str, expected: u64, found: String },
    /// The ranks are missing, or cannot share this work.
    #[error("{why}")]
    Ranks { why: String },
    /// The library refused the parameters or the input.
    #[error("{what}")]
    Other { what: String },
}

/// Errors of kernels, of which some say that a backend is unavailable.
macro_rules! from_kernels {
    ($($kernel:ident),*) => {
        $(impl From<$kernel::Error> for Error {
            fn from(error: $kernel::Error) -> Self {
                match error {
                    $kernel::Error::Backend(error) => Error::Backend(error),
                    other => Error::other(other),
                }
            }
        })*
    };
}

from_kernels!(parcrypt_mac, parcrypt_ntt, parcrypt_sum);
#[cfg(feature = "rw")]
from_kernels!(parcrypt_rw);

impl From<parcrypt_bls12_381::Error> for Error {
    fn from(error: parcrypt_bls12_381::Error) -> Self {
        match error {
            parcrypt_bls12_381::Error::Memory { bytes, .. } => Error::Refused { bytes },
            other => Error::other(other),
        }
    }
}

impl From<parcrypt_kzg::Error> for Error {
    fn from(error: parcrypt_kzg::Error) -> Self {
        Error::other(error)
    }
}

impl From<parcrypt_scrypt::Error> for Error {
    fn from(error: parcrypt_scrypt::Error) -> Self {
        Error::other(error)
    }
}

impl Error {
    /// Returns the error of a library that refused the parameters or the input.
    pub(crate) fn other(error: impl ToString) -> Self {
        Error::Other { what: error.to_string() }
    }

    /// Returns whether the same request may be valid on another machine or in another build.
    pub(crate) fn is_unsupported(&self) -> bool {
        match self {
            Error::Request(error) => error.is_unsupported(),
            Error::Runtime(error) => error.is_unsupported(),
            Error::Backend(_)
            | Error::Feature { .. }
            | Error::Memory { .. }
            | Error::Ranks { .. }
            | Error::Refused { .. } => true,
            _ => false,
        }
    }
}
