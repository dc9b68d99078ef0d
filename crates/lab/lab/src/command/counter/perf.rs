//! Counters of the processor and of Linux, by perf_event_open(2).

use std::io;

use nix::errno::Errno;
use perf_event::events::{Event, Hardware, Software};
use perf_event::{Builder, CountAndTime};

use super::{CountError, Counter};

impl Counter {
    /// Returns a counter for the next process that this thread starts, from its `exec` on, and for the processes that
    /// it starts in turn; `None` for Callgrind.
    pub(in crate::command) fn open(self) -> Result<Option<OpenCounter>, CountError> {
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
pub(in crate::command) struct OpenCounter {
    counter: Counter,
    opened: perf_event::Counter,
}

impl OpenCounter {
    /// Returns the count of all processes of the run, which has ended.
    pub(in crate::command) fn count(mut self) -> Result<u64, CountError> {
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

/// Returns the value of `kernel.perf_event_paranoid`.
fn paranoid() -> Option<i32> {
    std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
