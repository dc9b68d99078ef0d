//! The program around the lab, which has the kernels.

use crate::record::Params;

/// One of the host's own candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCandidate {
    /// The runtime's name.
    pub runtime: String,
    /// The backend's name; the best available where it is `None`.
    pub backend: Option<String>,
    /// State of the idle runtime beside work that does not use it, by a name of the host; `None` where the runtime does
    /// the work.
    pub idle_runtime: Option<String>,
    /// Whether each sample is taken within the runtime, whose threads are then awake.
    pub entered: bool,
}

/// Error in one of the host's own entries, by the part of the plan to correct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The runtime, the backend or a parameter of the candidate.
    Candidate(String),
    /// The workload or a parameter of the case.
    Workload(String),
    /// The number of threads.
    Threads(String),
}

/// The program around the lab.
pub trait Host {
    /// The command that starts one of the host's own candidates.
    fn command(&self, own: &OwnCandidate) -> Vec<String>;

    /// Whether the candidate can use `threads` threads; the serial one can use 1.
    fn can_use(&self, own: &OwnCandidate, threads: usize) -> bool;

    /// Checks names, bounds and memory before anything runs; returns the memory that the candidate needs, in bytes.
    ///
    /// # Errors
    /// [`CheckError`], with a description of the error and of the values that are allowed.
    fn check(
        &self,
        own: &OwnCandidate,
        workload: &str,
        params: &Params,
        threads: usize,
    ) -> Result<u64, CheckError>;

    /// Memory available to all candidates together, in bytes, where it is known.
    fn memory_available(&self) -> Option<u64>;
}
