//! What the lab must be told of the program that it is part of, so that it need not know any kernel.

use crate::record::Params;

/// One of our own contestants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The runtime's name.
    pub runtime: String,
    /// The backend's name; the best where there is none.
    pub backend: Option<String>,
    /// Where the runtime is while the work runs without it, by a name that the house knows; it does the work itself where
    /// there is none.
    pub presence: Option<String>,
}

/// What is wrong with a row of ours, so that the right place can be blamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The runtime, the backend or a parameter of the contestant.
    Contestant(String),
    /// The workload or a parameter of the cell.
    Workload(String),
    /// The number of threads.
    Threads(String),
}

/// The program around the lab.
pub trait House {
    /// The command that starts one of our own contestants.
    fn command(&self, own: &Own) -> Vec<String>;

    /// Whether such a contestant makes sense with so many threads: the serial one has one.
    fn can_use(&self, own: &Own, threads: usize) -> bool;

    /// Looks for what the user should be told before anything runs: names, bounds, memory. Gives the memory that the
    /// contestant will take, in bytes.
    ///
    /// # Errors
    /// What is wrong, in a sentence that says what would be right.
    fn check(&self, own: &Own, workload: &str, params: &Params, threads: usize) -> Result<u64, Wrong>;

    /// Memory that is there for all contestants together, in bytes, where it is known.
    fn memory_available(&self) -> Option<u64>;
}
