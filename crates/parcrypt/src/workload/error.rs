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
    Feature {
        /// The requested workload.
        workload: String,
        /// The feature of the command that adds it.
        feature: &'static str,
    },
    /// The name of the workload is unknown.
    #[error("unknown workload `{given}`{}: it can be {known}", .similar.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default())]
    Workload {
        /// The unknown name.
        given: String,
        /// A known name that differs little.
        similar: Option<&'static str>,
        /// The names of all workloads.
        known: String,
    },
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
    Memory {
        /// The workload with its scale, as `scale 32 of fft-g1`.
        work: String,
        /// The needed bytes.
        needed: u64,
        /// The available bytes.
        available: u64,
        /// A scale that fits, as `: the largest scale that fits is 26`.
        hint: String,
    },
    /// The system refused the memory.
    #[error("{} of memory were refused by the system", size(*.bytes))]
    Refused {
        /// The refused bytes.
        bytes: u64,
    },
    /// There is no input file.
    #[error("`{workload}` needs an input file of {expected} bytes, and none was given")]
    NoInput {
        /// The workload.
        workload: &'static str,
        /// The length of the input, in bytes.
        expected: u64,
    },
    /// The input cannot be read.
    #[error("input {}: {source}", path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The input has another length.
    #[error("input {}: {found}, but `{workload}` with these parameters takes {expected} bytes", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// The workload.
        workload: &'static str,
        /// The length of the input, in bytes.
        expected: u64,
        /// The length of the file, in words.
        found: String,
    },
    /// The ranks are missing, or cannot share this work.
    #[error("{why}")]
    Ranks {
        /// The reason.
        why: String,
    },
    /// The library refused the parameters or the input.
    #[error("{what}")]
    Other {
        /// The error of the library.
        what: String,
    },
}

impl Error {
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
