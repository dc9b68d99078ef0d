//! Names for processes that outlive them, so that what a killed process has left can be found.

use std::fmt;

use crate::system;

/// A process: its number, and its start time in units of the system, because numbers are reused. Shown as both
/// with a hyphen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) pid: i32,
    pub(crate) since: u64,
}

impl Owner {
    /// Returns this process. A start time of 0 stands for one that is not known.
    pub(crate) fn myself() -> Self {
        let pid = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
        Owner { pid, since: system::start_time().unwrap_or(0) }
    }

    /// Returns the owner at the beginning of a text, and what follows it after a hyphen.
    pub(crate) fn parse(text: &str) -> Option<(Self, &str)> {
        let mut parts = text.splitn(3, '-');
        let pid = parts.next()?.parse().ok()?;
        let since = parts.next()?.parse().ok()?;
        Some((Owner { pid, since }, parts.next()?))
    }

    /// Returns whether the process runs. One whose start time cannot be read counts as running.
    pub(crate) fn is_alive(self) -> bool {
        system::is_alive(self.pid, self.since)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.pid, self.since)
    }
}
