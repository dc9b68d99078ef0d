//! What a suite calls: [`Criterion`], its groups of benchmarks, and their names, which are Criterion's.

use std::fmt::Display;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use crate::bencher::Bencher;
use crate::measurement::{Measurement, Throughput, WallTime};
use crate::profiler::Profiler;
use crate::suite;

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

/// How plots look.
#[derive(Debug, Default, Clone)]
pub struct PlotConfiguration {}

impl PlotConfiguration {
    pub fn summary_scale(self, _: AxisScale) -> PlotConfiguration {
        self
    }
}

/// What makes plots.
#[derive(Debug, Clone, Copy)]
pub enum PlottingBackend {
    Gnuplot,
    Plotters,
    None,
}

/// Methods that choose what the lab decides.
macro_rules! without_effect {
    ($self:ty: $($name:ident($($argument:ty),*);)+) => {$(
        pub fn $name(self: $self, $(_: $argument),*) -> $self {
            self
        }
    )+};
}

/// Runs benchmarks.
pub struct Criterion<M: Measurement = WallTime> {
    measurement: M,
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

    without_effect! { Self:
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
        let name = group_name.into();
        assert!(!name.is_empty(), "the name of a group is empty");
        BenchmarkGroup { measurement: &self.measurement, name }
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

/// Benchmarks whose names begin with the name of the group.
pub struct BenchmarkGroup<'a, M: Measurement> {
    measurement: &'a M,
    name: String,
}

impl<M: Measurement> BenchmarkGroup<'_, M> {
    without_effect! { &mut Self:
        sample_size(usize);
        warm_up_time(Duration);
        measurement_time(Duration);
        nresamples(usize);
        noise_threshold(f64);
        confidence_level(f64);
        significance_level(f64);
        plot_config(PlotConfiguration);
        sampling_mode(SamplingMode);
        throughput(Throughput);
    }

    pub fn bench_function<ID: IntoBenchmarkId, F>(&mut self, id: ID, f: F) -> &mut Self
    where
        F: FnMut(&mut Bencher<'_, M>),
    {
        let unit = self.measurement.formatter().scale_for_machines(&mut [1.0]);
        if let Some(candidate) = suite::get().benchmark(&id.into_benchmark_id().name(&self.name), unit) {
            Bencher::run(self.measurement, candidate, f);
        }
        self
    }

    pub fn bench_with_input<ID: IntoBenchmarkId, F, I>(&mut self, id: ID, input: &I, mut f: F) -> &mut Self
    where
        F: FnMut(&mut Bencher<'_, M>, &I),
        I: ?Sized,
    {
        self.bench_function(id, |bencher| f(bencher, black_box(input)))
    }

    pub fn finish(self) {}
}

/// The name of a benchmark in its group: a function, a parameter, or both.
#[derive(Clone, Eq, PartialEq, Hash)]
pub struct BenchmarkId {
    function: Option<String>,
    parameter: Option<String>,
}

impl BenchmarkId {
    /// Returns the name of a function with a parameter.
    pub fn new<S: Into<String>, P: Display>(function_name: S, parameter: P) -> BenchmarkId {
        BenchmarkId { function: Some(function_name.into()), parameter: Some(parameter.to_string()) }
    }

    /// Returns the name of a group's only function with a parameter.
    pub fn from_parameter<P: Display>(parameter: P) -> BenchmarkId {
        BenchmarkId { function: None, parameter: Some(parameter.to_string()) }
    }

    /// Returns the whole name, such as `group/function/parameter`.
    fn name(&self, group: &str) -> String {
        let parts = [Some(group), self.function.as_deref(), self.parameter.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("/")
    }
}

/// What a group takes for the name of a benchmark: a [`BenchmarkId`], or the name of a function.
pub trait IntoBenchmarkId {
    /// Returns the name.
    fn into_benchmark_id(self) -> BenchmarkId;
}

impl IntoBenchmarkId for BenchmarkId {
    fn into_benchmark_id(self) -> BenchmarkId {
        self
    }
}

impl<S: Into<String>> IntoBenchmarkId for S {
    fn into_benchmark_id(self) -> BenchmarkId {
        let function = self.into();
        assert!(!function.is_empty(), "the name of a function is empty");
        BenchmarkId { function: Some(function), parameter: None }
    }
}
