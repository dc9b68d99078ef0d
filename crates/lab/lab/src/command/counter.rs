//! What counts a quantity of a whole command: a counter of the processor or of Linux, as `perf stat` reads them,
//! or Valgrind's tool Callgrind.

use std::io;
use std::path::PathBuf;

use nix::errno::Errno;
use perf_event::events::{Event, Hardware, Software};
use perf_event::{Builder, CountAndTime};

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

    /// Returns a counter for the next process that this thread starts, from its `exec` on, and for the processes that
    /// it starts in turn; `None` for Callgrind.
    pub(super) fn open(self) -> Result<Option<OpenCounter>, CountError> {
        let opened = match self {
            Counter::Callgrind => return Ok(None),
            Counter::Instructions => open(Hardware::INSTRUCTIONS),
            Counter::Cycles => open(Hardware::CPU_CYCLES),
            Counter::BranchMisses => open(Hardware::BRANCH_MISSES),
            Counter::CacheMisses => open(Hardware::CACHE_MISSES),
            Counter::PageFaults => open(Software::PAGE_FAULTS),
        };
        let opened = opened.map_err(|source| self.refused(source, paranoid()))?;
        Ok(Some(OpenCounter { counter: self, opened }))
    }

    /// Returns why it cannot be opened, if `kernel.perf_event_paranoid` has this value.
    fn refused(self, source: io::Error, paranoid: Option<i32>) -> CountError {
        match source.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ENOENT | Errno::ENODEV | Errno::EOPNOTSUPP) => {
                CountError::NoCounter { counter: self }
            }
            Some(Errno::EACCES | Errno::EPERM) => CountError::Forbidden { counter: self, paranoid },
            _ => CountError::Open { counter: self, source },
        }
    }

    /// Returns the count, if it was counted all the time and has a ratio to others.
    fn whole(self, read: CountAndTime) -> Result<u64, CountError> {
        match read {
            CountAndTime { time_enabled: 0, .. } => Err(CountError::NeverEnabled { counter: self }),
            CountAndTime { time_enabled, time_running, .. } if time_running < time_enabled => {
                Err(CountError::Shared { counter: self, running: time_running as f64 / time_enabled as f64 })
            }
            CountAndTime { count: 0, .. } => Err(CountError::Zero { counter: self }),
            CountAndTime { count, .. } => Ok(count),
        }
    }
}

/// Counter for one run, which is not enabled in this process.
#[derive(Debug)]
pub(super) struct OpenCounter {
    counter: Counter,
    opened: perf_event::Counter,
}

impl OpenCounter {
    /// Returns the count of all processes of the run, which has ended.
    pub(super) fn count(mut self) -> Result<u64, CountError> {
        let counter = self.counter;
        let read = self.opened.read_count_and_time();
        counter.whole(read.map_err(|source| CountError::Read { counter, source })?)
    }
}

fn open(event: impl Event) -> io::Result<perf_event::Counter> {
    let mut builder = Builder::new(event);
    // The process inherits it from this thread, if it is never enabled.
    builder.inherit(true).enable_on_exec(true).exclude_kernel(true).exclude_hv(true).build()
}

/// Maximum value of `kernel.perf_event_paranoid` at which every user may count in user mode.
const ALLOWS: i32 = 2;

/// Returns the value of `kernel.perf_event_paranoid`.
fn paranoid() -> Option<i32> {
    std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

/// Error in counting.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum CountError {
    #[error("this machine, as many virtual ones, has no counter of {}", .counter.in_words())]
    NoCounter { counter: Counter },
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
    fn what_refuses_a_counter_is_named() {
        let text = |errno: Errno, paranoid| {
            Counter::BranchMisses.refused(io::Error::from(errno), paranoid).to_string()
        };
        for errno in [Errno::ENOENT, Errno::ENODEV, Errno::EOPNOTSUPP] {
            let why = "this machine, as many virtual ones, has no counter of branch misses";
            assert_eq!(text(errno, Some(4)), why);
        }
        let forbids = "the system does not allow the counter of branch misses: ";
        for errno in [Errno::EACCES, Errno::EPERM] {
            let why = "kernel.perf_event_paranoid is 3: set it to 2 with sysctl";
            assert_eq!(text(errno, Some(3)), format!("{forbids}{why}"));
            for paranoid in [Some(2), Some(-1), None] {
                let why = "in a container, allow the system call perf_event_open";
                assert_eq!(text(errno, paranoid), format!("{forbids}{why}"));
            }
        }
        assert!(text(Errno::EMFILE, None).starts_with("the counter of branch misses: Too many open files"));
    }

    #[test]
    fn a_count_of_a_part_of_the_time_is_an_error() {
        let whole = |count, time_enabled, time_running| {
            let read = CountAndTime { count, time_enabled, time_running };
            Counter::Cycles.whole(read).map_err(|error| error.to_string())
        };
        assert_eq!(whole(7, 100, 100), Ok(7));
        assert_eq!(whole(0, 100, 100).unwrap_err(), "it has 0 cycles, to which no other count has a ratio");
        let why = whole(7, 1000, 625).unwrap_err();
        assert!(why.starts_with("the counter of cycles ran for 62.5 % of the time: other programs"), "{why}");
        assert!(whole(0, 100, 0).unwrap_err().contains("ran for 0.0 % of the time"));
        assert!(whole(0, 0, 0).unwrap_err().starts_with("the counter of cycles never ran: "));
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
