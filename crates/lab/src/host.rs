//! What the lab must be told of the program that it is part of, so that it need not know any kernel.

use crate::record::Params;

/// One of our own candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCandidate {
    /// The runtime's name.
    pub runtime: String,
    /// The backend's name; the best where there is none.
    pub backend: Option<String>,
    /// Where the runtime is while the work runs without it, by a name that the host knows; it does the work itself where
    /// there is none.
    pub idle_runtime: Option<String>,
}

/// What is wrong with an entry of ours, so that the right place can be blamed.
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
    /// The command that starts one of our own candidates.
    fn command(&self, own: &OwnCandidate) -> Vec<String>;

    /// Whether such a candidate makes sense with so many threads: the serial one has one.
    fn can_use(&self, own: &OwnCandidate, threads: usize) -> bool;

    /// Looks for what the user should be told before anything runs: names, bounds, memory. Gives the memory that the
    /// candidate will take, in bytes.
    ///
    /// # Errors
    /// What is wrong, in a sentence that says what would be right.
    fn check(
        &self,
        own: &OwnCandidate,
        workload: &str,
        params: &Params,
        threads: usize,
    ) -> Result<u64, CheckError>;

    /// Memory that is there for all candidates turns, in bytes, where it is known.
    fn memory_available(&self) -> Option<u64>;
}
