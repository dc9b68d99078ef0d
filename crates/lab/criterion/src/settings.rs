//! [`Criterion`]: how benchmarks are measured, which of them, and what becomes of the results.

use std::path::Path;
use std::time::Duration;

use crate::args::{self, Mode};
use crate::bencher::Bencher;
use crate::group::BenchmarkGroup;
use crate::id::BenchmarkId;
use crate::measurement::{Measurement, WallTime};
use crate::profiler::Profiler;
use crate::suite;

/// What an iteration works on, from which its throughput follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Throughput {
    /// Bits per iteration.
    #[cfg(bits)]
    Bits(u64),
    /// Bytes per iteration, shown in KiB/s and so on.
    Bytes(u64),
    /// Bytes per iteration, shown in KB/s and so on.
    #[cfg(bytes_decimal)]
    BytesDecimal(u64),
    /// Elements per iteration.
    Elements(u64),
    /// Elements and their bytes per iteration; both are shown.
    #[cfg(elements_and_bytes)]
    ElementsAndBytes {
        /// Elements per iteration.
        elements: u64,
        /// Bytes per iteration.
        bytes: u64,
    },
}

impl Throughput {
    /// Returns the elements and the bytes of an iteration.
    pub(crate) fn counts(&self) -> (Option<u64>, Option<u64>) {
        match *self {
            #[cfg(bits)]
            Throughput::Bits(bits) => (None, (bits % 8 == 0).then_some(bits / 8)),
            Throughput::Bytes(bytes) => (None, Some(bytes)),
            #[cfg(bytes_decimal)]
            Throughput::BytesDecimal(bytes) => (None, Some(bytes)),
            Throughput::Elements(elements) => (Some(elements), None),
            #[cfg(elements_and_bytes)]
            Throughput::ElementsAndBytes { elements, bytes } => (Some(elements), Some(bytes)),
        }
    }
}

/// How the iterations of samples are chosen. Here they are the same for all samples, whatever is asked.
#[derive(Debug, Default, Clone, Copy)]
pub enum SamplingMode {
    /// As the library chooses.
    #[default]
    Auto,
    /// More iterations from sample to sample.
    Linear,
    /// The same for all.
    Flat,
}

/// The scale of an axis of a plot. There are no plots.
#[derive(Debug, Default, Clone, Copy)]
pub enum AxisScale {
    /// In equal steps.
    #[default]
    Linear,
    /// In equal factors.
    Logarithmic,
}

/// How plots look. There are no plots.
#[derive(Debug, Default, Clone)]
pub struct PlotConfiguration {
    scale: AxisScale,
}

impl PlotConfiguration {
    /// Sets the scale of the axis of a summary.
    #[must_use]
    pub fn summary_scale(mut self, new_scale: AxisScale) -> PlotConfiguration {
        self.scale = new_scale;
        self
    }
}

/// What makes plots. There are no plots.
#[derive(Debug, Clone, Copy)]
pub enum PlottingBackend {
    /// The program gnuplot.
    Gnuplot,
    /// The crate plotters.
    Plotters,
    /// Nothing.
    None,
}

/// Which benchmarks run. Criterion's filter by a regular expression is missing.
#[derive(Clone, Debug)]
pub enum BenchmarkFilter {
    /// All.
    AcceptAll,
    /// Those whose name has this text.
    Contains(String),
    /// The ones with this name.
    Exact(String),
    /// None.
    RejectAll,
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
    /// Measures something else.
    pub fn with_measurement<M2: Measurement>(self, m: M2) -> Criterion<M2> {
        Criterion { measurement: m }
    }

    /// Does nothing: there are no plots.
    #[doc(hidden)]
    pub fn can_plot(&self) -> bool {
        false
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn with_profiler<P: Profiler + 'static>(self, _: P) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn plotting_backend(self, _: PlottingBackend) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn with_plots(self) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn without_plots(self) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn sample_size(self, _: usize) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn warm_up_time(self, _: Duration) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn measurement_time(self, _: Duration) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn nresamples(self, _: usize) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn noise_threshold(self, _: f64) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn confidence_level(self, _: f64) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn significance_level(self, _: f64) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn save_baseline(self, _: String) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn retain_baseline(self, _: String, _: bool) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn with_filter<S: Into<String>>(self, _: S) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn with_benchmark_filter(self, _: BenchmarkFilter) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn with_output_color(self, _: bool) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn output_directory(self, _: &Path) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn profile_time(self, _: Option<Duration>) -> Criterion<M> {
        self
    }

    /// Does nothing: the lab decides.
    #[must_use]
    pub fn configure_from_args(self) -> Criterion<M> {
        self
    }

    /// Says how the suite is measured, if it is not by the lab.
    pub fn final_summary(&self) {
        if suite::get().is_none() && args::get().mode == Mode::Skip {
            eprintln!("nothing was measured: parlab suite --rev OLD --rev NEW measures this suite");
        }
    }

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
