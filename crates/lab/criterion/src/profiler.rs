//! Profilers that run around a benchmark with the option `--profile-time`.

use std::path::Path;

/// A profiler, which a suite brings.
pub trait Profiler {
    /// Starts to profile a benchmark, with a folder for its files that may not exist.
    fn start_profiling(&mut self, benchmark_id: &str, benchmark_dir: &Path);
    /// Ends what [`start_profiling`](Profiler::start_profiling) began.
    fn stop_profiling(&mut self, benchmark_id: &str, benchmark_dir: &Path);
}

/// No profiler in this process: one that is attached from outside.
pub struct ExternalProfiler;

impl Profiler for ExternalProfiler {
    fn start_profiling(&mut self, _: &str, _: &Path) {}
    fn stop_profiling(&mut self, _: &str, _: &Path) {}
}
