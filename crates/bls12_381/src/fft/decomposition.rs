//! [`Decomposition`]: the order of the butterflies, and which of them may run at once.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// How a transform is cut into pieces that may run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decomposition {
    /// Recursion: both halves by `join`, the butterflies that combine them one after the other. On t threads the last
    /// levels, and with them much of the work, run on fewer than t.
    Recursive,
    /// Recursion: both halves by `join`, and the butterflies that combine them in parallel too.
    RecursiveParallelButterflies,
    /// Level by level, the butterflies of each in parallel.
    Iterative,
}

impl Decomposition {
    /// All of them.
    pub const ALL: [Decomposition; 3] =
        [Decomposition::Recursive, Decomposition::RecursiveParallelButterflies, Decomposition::Iterative];

    /// The one spelling that code, plans, records and documents use.
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
