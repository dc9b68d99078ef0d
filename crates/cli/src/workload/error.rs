//! Errors of workloads.

use std::path::PathBuf;

use super::params::ParamError;
use crate::text::size;
use crate::{requests, runtimes};

/// Why a workload cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The workload is left out of this build.
    #[error("this build has no `{workload}`: it lacks the feature `{feature}`, which `make full` builds")]
    Feature {
        /// The workload that was asked for.
        workload: String,
        /// The feature of the command that brings it.
        feature: &'static str,
    },
    /// No workload has that name.
    #[error("unknown workload `{given}`: it can be {known}")]
    Workload {
        /// The name that was given.
        given: String,
        /// The names that there are.
        known: String,
    },
    /// A parameter is wrong.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The runtime is not in this build, or does not have that number of threads.
    #[error(transparent)]
    Runtime(#[from] runtimes::Error),
    /// The backend is not the kernel's, or not this machine's.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// The requests of the argument and of the environment contradict each other.
    #[error(transparent)]
    Request(#[from] requests::Error),
    /// The work needs more memory than there is.
    #[error("{work} needs {}, and {} are available{hint}", size(*.needed), size(*.available))]
    Memory {
        /// What needs it, as `scale 32 of fft-g1`.
        work: String,
        /// How many bytes.
        needed: u64,
        /// How many bytes there are.
        available: u64,
        /// What would fit, as `: the largest scale that fits is 26`.
        hint: String,
    },
    /// The system refused the memory.
    #[error("{} of memory were refused by the system", size(*.bytes))]
    Refused {
        /// How many bytes.
        bytes: u64,
    },
    /// No input was named.
    #[error("`{workload}` needs an input file of {expected} bytes, and none was named")]
    NoInput {
        /// The workload.
        workload: &'static str,
        /// The length it needs.
        expected: u64,
    },
    /// The input cannot be read.
    #[error("input {}: {source}", path.display())]
    Input {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The input has another length.
    #[error("input {}: {found}, but `{workload}` with these parameters takes {expected} bytes", path.display())]
    Length {
        /// Which file.
        path: PathBuf,
        /// The workload.
        workload: &'static str,
        /// The length it needs.
        expected: u64,
        /// The length that was found, in words.
        found: String,
    },
    /// There are no ranks, or they cannot share this work.
    #[error("{why}")]
    Ranks {
        /// What is in the way.
        why: String,
    },
    /// The kernel did not take what it was given.
    #[error("{what}")]
    Other {
        /// What the kernel said.
        what: String,
    },
}

impl Error {
    /// Whether the same request can be right on another machine or in another build: no mistake of whoever asked.
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
