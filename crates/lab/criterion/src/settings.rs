//! [`Criterion`]: how benchmarks are measured, which of them, and what becomes of the results.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::args::{self, Mode, Output};
use crate::baseline::Comparison;
use crate::bencher::Bencher;
use crate::group::BenchmarkGroup;
use crate::id::BenchmarkId;
use crate::measurement::{Measurement, WallTime};
use crate::profiler::{ExternalProfiler, Profiler};
use crate::{baseline, suite, usual};

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

    /// Returns the throughputs that are shown one by one.
    pub(crate) fn each(&self) -> Vec<Throughput> {
        match self {
            #[cfg(elements_and_bytes)]
            Throughput::ElementsAndBytes { elements, bytes } => {
                vec![Throughput::Elements(*elements), Throughput::Bytes(*bytes)]
            }
            other => vec![other.clone()],
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

impl BenchmarkFilter {
    pub(crate) fn accepts(&self, name: &str) -> bool {
        match self {
            BenchmarkFilter::AcceptAll => true,
            BenchmarkFilter::Contains(text) => name.contains(text.as_str()),
            BenchmarkFilter::Exact(exact) => name == exact,
            BenchmarkFilter::RejectAll => false,
        }
    }
}

/// How a benchmark is measured by itself. The lab decides by its own rules.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) sample_size: usize,
    pub(crate) warm_up_time: Duration,
    pub(crate) measurement_time: Duration,
    pub(crate) noise_threshold: f64,
    pub(crate) confidence_level: f64,
}

impl Settings {
    pub(crate) fn sample_size(&mut self, n: usize) {
        assert!(n >= 10, "a sample size of {n}: it must be at least 10");
        self.sample_size = n;
    }

    pub(crate) fn warm_up_time(&mut self, time: Duration) {
        assert!(!time.is_zero(), "a warm-up time of 0");
        self.warm_up_time = time;
    }

    pub(crate) fn measurement_time(&mut self, time: Duration) {
        assert!(!time.is_zero(), "a measurement time of 0");
        self.measurement_time = time;
    }

    pub(crate) fn noise_threshold(&mut self, threshold: f64) {
        assert!(threshold >= 0.0, "a noise threshold of {threshold}: it must be at least 0");
        self.noise_threshold = threshold;
    }

    pub(crate) fn confidence_level(&mut self, level: f64) {
        assert!(level > 0.0 && level < 1.0, "a confidence level of {level}: it must be between 0 and 1");
        self.confidence_level = level;
    }
}

/// What is the same for every measurement.
pub(crate) struct Common {
    pub(crate) settings: Settings,
    pub(crate) mode: Mode,
    pub(crate) output: Output,
    pub(crate) filter: BenchmarkFilter,
    pub(crate) comparison: Comparison,
    pub(crate) folder: PathBuf,
    pub(crate) profiler: Box<dyn Profiler>,
}

/// Runs benchmarks, and says how.
pub struct Criterion<M: Measurement = WallTime> {
    pub(crate) measurement: M,
    pub(crate) common: Common,
}

impl Default for Criterion {
    /// Returns settings with which a benchmark takes about a second: 100 samples in 0.75 s, after 0.25 s to warm up.
    fn default() -> Criterion {
        // A suite whose `main` is its own starts here.
        suite::get();
        Criterion {
            measurement: WallTime,
            common: Common {
                settings: Settings {
                    sample_size: 100,
                    warm_up_time: Duration::from_millis(250),
                    measurement_time: Duration::from_millis(750),
                    noise_threshold: 0.01,
                    confidence_level: 0.95,
                },
                mode: Mode::Measure,
                output: Output::Lines,
                filter: BenchmarkFilter::AcceptAll,
                comparison: Comparison::default(),
                folder: baseline::folder(),
                profiler: Box::new(ExternalProfiler),
            },
        }
    }
}

impl<M: Measurement> Criterion<M> {
    /// Measures something else.
    pub fn with_measurement<M2: Measurement>(self, m: M2) -> Criterion<M2> {
        Criterion { measurement: m, common: self.common }
    }

    /// Sets the profiler for the option `--profile-time`.
    #[must_use]
    pub fn with_profiler<P: Profiler + 'static>(mut self, p: P) -> Criterion<M> {
        self.common.profiler = Box::new(p);
        self
    }

    /// Does nothing: there are no plots.
    #[must_use]
    pub fn plotting_backend(self, backend: PlottingBackend) -> Criterion<M> {
        let _ = backend;
        self
    }

    /// Does nothing: there are no plots.
    #[must_use]
    pub fn with_plots(self) -> Criterion<M> {
        self
    }

    /// Does nothing: there are no plots.
    #[must_use]
    pub fn without_plots(self) -> Criterion<M> {
        self
    }

    /// Does nothing: there are no plots.
    #[doc(hidden)]
    pub fn can_plot(&self) -> bool {
        false
    }

    /// Sets the number of samples.
    ///
    /// # Panics
    /// It is below 10.
    #[must_use]
    pub fn sample_size(mut self, n: usize) -> Criterion<M> {
        self.common.settings.sample_size(n);
        self
    }

    /// Sets the time for iterations before the samples.
    ///
    /// # Panics
    /// It is 0.
    #[must_use]
    pub fn warm_up_time(mut self, dur: Duration) -> Criterion<M> {
        self.common.settings.warm_up_time(dur);
        self
    }

    /// Sets the time for all samples.
    ///
    /// # Panics
    /// It is 0.
    #[must_use]
    pub fn measurement_time(mut self, dur: Duration) -> Criterion<M> {
        self.common.settings.measurement_time(dur);
        self
    }

    /// Does nothing: intervals need no resampling.
    ///
    /// # Panics
    /// The number is 0.
    #[must_use]
    pub fn nresamples(self, n: usize) -> Criterion<M> {
        assert!(n > 0, "0 resamples");
        self
    }

    /// Sets the change that is too small to be called one, as a fraction.
    ///
    /// # Panics
    /// It is negative.
    #[must_use]
    pub fn noise_threshold(mut self, threshold: f64) -> Criterion<M> {
        self.common.settings.noise_threshold(threshold);
        self
    }

    /// Sets the probability that an interval has the value.
    ///
    /// # Panics
    /// It is not between 0 and 1.
    #[must_use]
    pub fn confidence_level(mut self, cl: f64) -> Criterion<M> {
        self.common.settings.confidence_level(cl);
        self
    }

    /// Does nothing: a change is judged by its interval, whose confidence level is another setting.
    ///
    /// # Panics
    /// It is not between 0 and 1.
    #[must_use]
    pub fn significance_level(self, sl: f64) -> Criterion<M> {
        assert!(sl > 0.0 && sl < 1.0, "a significance level of {sl}: it must be between 0 and 1");
        self
    }

    /// Compares with a baseline, and replaces it.
    #[must_use]
    pub fn save_baseline(mut self, baseline: String) -> Criterion<M> {
        self.common.comparison = Comparison { baseline, save: true, ..Comparison::default() };
        self
    }

    /// Compares with a baseline; if `strict`, it is an error if there is none.
    #[must_use]
    pub fn retain_baseline(mut self, baseline: String, strict: bool) -> Criterion<M> {
        self.common.comparison = Comparison { baseline, strict, save: false, ..Comparison::default() };
        self
    }

    /// Runs only the benchmarks whose name has a text. It is no regular expression, as it is in Criterion.
    #[must_use]
    pub fn with_filter<S: Into<String>>(mut self, filter: S) -> Criterion<M> {
        self.common.filter = BenchmarkFilter::Contains(filter.into());
        self
    }

    /// Runs only some of the benchmarks.
    #[must_use]
    pub fn with_benchmark_filter(mut self, filter: BenchmarkFilter) -> Criterion<M> {
        self.common.filter = filter;
        self
    }

    /// Does nothing: nothing has a colour.
    #[must_use]
    pub fn with_output_color(self, enabled: bool) -> Criterion<M> {
        let _ = enabled;
        self
    }

    /// Sets the folder for baselines.
    #[must_use]
    pub fn output_directory(mut self, path: &Path) -> Criterion<M> {
        self.common.folder = path.to_owned();
        self
    }

    /// Runs each benchmark for a time, without measuring it.
    #[must_use]
    pub fn profile_time(mut self, profile_time: Option<Duration>) -> Criterion<M> {
        self.common.mode = profile_time.map_or(Mode::Measure, Mode::Profile);
        self
    }

    /// Takes the options of the command line. Under the lab they mean nothing, and neither does the suite's own filter.
    #[must_use]
    pub fn configure_from_args(mut self) -> Criterion<M> {
        match suite::get() {
            Some(_) => self.common.filter = BenchmarkFilter::AcceptAll,
            None => args::get().configure(&mut self.common),
        }
        self
    }

    /// Says if the filter of the command line let no benchmark run.
    pub fn final_summary(&self) {
        usual::say_if_nothing_ran(&self.common.filter);
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
