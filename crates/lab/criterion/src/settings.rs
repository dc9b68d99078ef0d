//! [`Criterion`]: how benchmarks are measured, which of them, and what is done with the results.

use std::path::Path;
use std::time::Duration;

use crate::bencher::Bencher;
use crate::group::BenchmarkGroup;
use crate::id::BenchmarkId;
use crate::measurement::{Measurement, WallTime};
use crate::profiler::Profiler;
use crate::suite;

/// What an iteration works on. The lab does not show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Throughput {
    #[cfg(bits)]
    Bits(u64),
    Bytes(u64),
    #[cfg(bytes_decimal)]
    BytesDecimal(u64),
    Elements(u64),
    #[cfg(elements_and_bytes)]
    ElementsAndBytes {
        elements: u64,
        bytes: u64,
    },
}

/// How the iterations of samples are chosen. Here they are the same for all samples, whatever is asked.
#[derive(Debug, Default, Clone, Copy)]
pub enum SamplingMode {
    #[default]
    Auto,
    Linear,
    Flat,
}

/// The scale of an axis of a plot. There are no plots.
#[derive(Debug, Default, Clone, Copy)]
pub enum AxisScale {
    #[default]
    Linear,
    Logarithmic,
}

/// How plots look. There are no plots.
#[derive(Debug, Default, Clone)]
pub struct PlotConfiguration {}

impl PlotConfiguration {
    #[must_use]
    pub fn summary_scale(self, _: AxisScale) -> PlotConfiguration {
        self
    }
}

/// What makes plots. There are no plots.
#[derive(Debug, Clone, Copy)]
pub enum PlottingBackend {
    Gnuplot,
    Plotters,
    None,
}

/// Methods that choose what the lab decides.
macro_rules! without_effect {
    ($($name:ident($($argument:ty),*);)+) => {$(
        #[must_use]
        pub fn $name(self, $(_: $argument),*) -> Criterion<M> {
            self
        }
    )+};
}

/// Runs benchmarks.
pub struct Criterion<M: Measurement = WallTime> {
    pub(crate) measurement: M,
}

impl Default for Criterion {
    fn default() -> Criterion {
        // A suite whose `main` is its own starts here.
        suite::get();
        Criterion { measurement: WallTime }
    }
}

impl<M: Measurement> Criterion<M> {
    pub fn with_measurement<M2: Measurement>(self, m: M2) -> Criterion<M2> {
        Criterion { measurement: m }
    }

    without_effect! {
        plotting_backend(PlottingBackend);
        with_plots();
        without_plots();
        sample_size(usize);
        warm_up_time(Duration);
        measurement_time(Duration);
        nresamples(usize);
        noise_threshold(f64);
        confidence_level(f64);
        significance_level(f64);
        save_baseline(String);
        retain_baseline(String, bool);
        with_output_color(bool);
        output_directory(&Path);
        profile_time(Option<Duration>);
        configure_from_args();
        with_profiler(impl Profiler + 'static);
        with_filter(impl Into<String>);
    }

    pub fn final_summary(&self) {}

    /// Returns a group, whose name comes before the names of its benchmarks.
    ///
    /// # Panics
    /// The name is empty.
    pub fn benchmark_group<S: Into<String>>(&mut self, group_name: S) -> BenchmarkGroup<'_, M> {
        BenchmarkGroup::new(self, group_name.into())
    }

    /// Runs a benchmark in a group of its own.
    pub fn bench_function<F>(&mut self, id: &str, f: F) -> &mut Criterion<M>
    where
        F: FnMut(&mut Bencher<'_, M>),
    {
        self.benchmark_group(id).bench_function(BenchmarkId { function: None, parameter: None }, f);
        self
    }

    /// Runs a benchmark with an input in a group of its own.
    ///
    /// # Panics
    /// The name has no function.
    pub fn bench_with_input<F, I>(&mut self, id: BenchmarkId, input: &I, f: F) -> &mut Criterion<M>
    where
        F: FnMut(&mut Bencher<'_, M>, &I),
        I: ?Sized,
    {
        let Some(group) = id.function else {
            panic!("the name of a benchmark outside of groups has no function")
        };
        let id = BenchmarkId { function: None, parameter: id.parameter };
        self.benchmark_group(group).bench_with_input(id, input, f);
        self
    }
}
