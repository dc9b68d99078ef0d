//! What counts a quantity of a whole command: a counter of the processor or of Linux, as `perf stat` reads them,
//! or Valgrind's tool Callgrind.

#[cfg_attr(not(target_os = "linux"), path = "counter/no_perf.rs")]
mod perf;

use std::io;
use std::path::PathBuf;

pub(super) use perf::OpenCounter;

/// Counter of a quantity in user mode, in all processes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Instructions, by Callgrind.
    Callgrind,
    /// Instructions, by the processor.
    Instructions,
    /// Cycles of the processor.
    Cycles,
    /// Mispredicted branches.
    BranchMisses,
    /// Misses of the last-level cache.
    CacheMisses,
    /// Page faults, by Linux.
    PageFaults,
}

impl Counter {
    /// All counters.
    pub const ALL: [Counter; 6] = [
        Counter::Callgrind,
        Counter::Instructions,
        Counter::Cycles,
        Counter::BranchMisses,
        Counter::CacheMisses,
        Counter::PageFaults,
    ];

    /// Returns the name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Counter::Callgrind => "callgrind",
            _ => self.count(),
        }
    }

    /// Returns the name of the count in plans and records.
    pub fn count(self) -> &'static str {
        match self {
            Counter::Callgrind | Counter::Instructions => "instructions",
            Counter::Cycles => "cycles",
            Counter::BranchMisses => "branch-misses",
            Counter::CacheMisses => "cache-misses",
            Counter::PageFaults => "page-faults",
        }
    }

    /// Returns the name of the count in sentences.
    pub fn in_words(self) -> String {
        self.count().replace('-', " ")
    }

    /// Checks that the processor or Linux counts it here. Whether Valgrind is installed is not checked.
    ///
    /// # Errors
    /// [`CountError::NoCounter`]; [`CountError::Forbidden`]; [`CountError::Open`].
    pub fn check(self) -> Result<(), CountError> {
        self.open().map(drop)
    }
}

/// Error in counting.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum CountError {
    #[error("this machine, as many virtual ones, has no counter of {}", .counter.in_words())]
    NoCounter { counter: Counter },
    #[error("only Linux counts {} here: measure time", .counter.in_words())]
    NotLinux { counter: Counter },
    #[error("the system does not allow the counter of {}: {}", .counter.in_words(), permission(*.paranoid))]
    Forbidden { counter: Counter, paranoid: Option<i32> },
    #[error("the counter of {}: {source}", .counter.in_words())]
    Open { counter: Counter, source: io::Error },
    #[error("the counter of {} cannot be read: {source}", .counter.in_words())]
    Read { counter: Counter, source: io::Error },
    #[error(
        "the counter of {} ran for {:.1} % of the time: other programs count too (end them, or the NMI watchdog), or \
         the processor has two kinds of cores",
        .counter.in_words(),
        100.0 * .running
    )]
    Shared { counter: Counter, running: f64 },
    #[error(
        "the counter of {} never ran: the system does not count programs with other rights than their caller's",
        .counter.in_words()
    )]
    NeverEnabled { counter: Counter },
    #[error("it has 0 {}, to which no other count has a ratio", .counter.in_words())]
    Zero { counter: Counter },
    #[error(
        "`valgrind`, which counts instructions, was not found: install the package valgrind, or measure time"
    )]
    NoValgrind,
    #[error("the counts of Valgrind: {source}")]
    File {
        #[from]
        source: io::Error,
    },
    #[error("{path} has no line `totals:` with a number", path = path.display())]
    NoTotal { path: PathBuf },
    #[error("Valgrind wrote no count: was the program killed?")]
    NoCount,
    #[error(
        "it met an instruction that Valgrind does not support, such as AVX-512: build it for an older processor, or \
         measure time"
    )]
    UnknownInstruction,
}

/// Maximum value of `kernel.perf_event_paranoid` at which every user may count in user mode.
const ALLOWS: i32 = 2;

/// Returns what forbids a counter, and what to do, if `kernel.perf_event_paranoid` has this value.
fn permission(paranoid: Option<i32>) -> String {
    match paranoid {
        Some(paranoid) if paranoid > ALLOWS => {
            format!("kernel.perf_event_paranoid is {paranoid}: set it to {ALLOWS} with sysctl")
        }
        _ => "in a container, allow the system call perf_event_open".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Measure;

    #[test]
    fn instructions_alone_do_not_vary() {
        for counter in Counter::ALL {
            let is_exact = matches!(counter, Counter::Callgrind | Counter::Instructions);
            let measure = Measure::Count(counter.count().to_owned());
            assert_eq!(measure.varies(), !is_exact, "{counter:?}");
        }
        assert!(!Measure::Time.varies() && !Measure::Count("steps".to_owned()).varies());
    }

    #[test]
    fn names_match_perf() {
        assert_eq!(
            Counter::ALL.map(Counter::name),
            ["callgrind", "instructions", "cycles", "branch-misses", "cache-misses", "page-faults"]
        );
        assert_eq!(Counter::Callgrind.count(), Counter::Instructions.count());
        assert_eq!(Counter::PageFaults.in_words(), "page faults");
    }
}
