//! The interface of [Criterion](https://docs.rs/criterion) 0.3 to 0.8 with groups, so that a suite written for it is
//! measured by `parlab suite`.
//!
//! `parlab suite` builds it with the dependencies and the features of the version of Criterion that it stands for, and
//! with the compilers of such projects. What is public and has no documentation here is documented in Criterion. The
//! variable `PARLAB_SUITE` makes a suite write the list of its benchmarks, or answer the lab's requests for one of
//! them; without it a suite ends with an error.
//!
//! Add what another version of Criterion has next to what is like it; a file that is added belongs in [`SOURCES`] too.

pub mod async_executor;
mod bencher;
#[cfg(counting)]
#[cfg_attr(allocations, path = "allocations.rs")]
#[cfg_attr(instructions, path = "instructions.rs")]
mod counting;
mod interface;
mod macros;
pub mod measurement;
mod request;
mod stdio;
mod suite;

/// Profilers that a suite brings, which do not run here.
pub mod profiler {
    pub trait Profiler {
        fn start_profiling(&mut self, benchmark_id: &str, benchmark_dir: &std::path::Path);
        fn stop_profiling(&mut self, benchmark_id: &str, benchmark_dir: &std::path::Path);
    }
}

pub use bencher::{AsyncBencher, BatchSize, Bencher};
#[doc(hidden)]
pub use interface::IntoBenchmarkId;
pub use interface::{
    AxisScale, BenchmarkGroup, BenchmarkId, Criterion, PlotConfiguration, PlottingBackend, SamplingMode,
};
#[doc(hidden)]
pub use macros::__call;
pub use measurement::Throughput;
pub use std::hint::black_box;

/// The files of this package by path, without a manifest: `parlab suite` writes them out with the manifest of the
/// version that they stand for.
#[doc(hidden)]
pub const SOURCES: &[(&str, &str)] = &[
    ("build.rs", include_str!("../build.rs")),
    ("src/allocations.rs", include_str!("allocations.rs")),
    ("src/async_executor.rs", include_str!("async_executor.rs")),
    ("src/bencher.rs", include_str!("bencher.rs")),
    ("src/instructions.rs", include_str!("instructions.rs")),
    ("src/interface.rs", include_str!("interface.rs")),
    ("src/lib.rs", include_str!("lib.rs")),
    ("src/macros.rs", include_str!("macros.rs")),
    ("src/measurement.rs", include_str!("measurement.rs")),
    ("src/request.rs", include_str!("request.rs")),
    ("src/stdio.rs", include_str!("stdio.rs")),
    ("src/suite.rs", include_str!("suite.rs")),
];
