//! [`Decomposition`]: the order of the butterflies, and which of them may run at once.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Division of a transform into tasks that may run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decomposition {
    /// Recursion: both halves by `join`, then the butterflies that combine them on one thread. The last log₂ t levels
    /// run on fewer than t threads.
    Recursive,
    /// Recursion: both halves by `join`, then the butterflies that combine them in parallel.
    RecursiveParallelButterflies,
    /// Level by level, the butterflies of each level in parallel.
    Iterative,
}

impl Decomposition {
    /// All decompositions.
    pub const ALL: [Decomposition; 3] =
        [Decomposition::Recursive, Decomposition::RecursiveParallelButterflies, Decomposition::Iterative];

    /// Returns the name in plans and records: `recursive`, `recursive-parallel-butterflies` or `iterative`.
    pub fn name(self) -> &'static str {
        match self {
            Decomposition::Recursive => "recursive",
            Decomposition::RecursiveParallelButterflies => "recursive-parallel-butterflies",
            Decomposition::Iterative => "iterative",
        }
    }
}

impl fmt::Display for Decomposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Decomposition {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Decomposition::ALL.into_iter().find(|d| d.name() == text);
        found.ok_or(Error::UnknownDecomposition)
    }
}
