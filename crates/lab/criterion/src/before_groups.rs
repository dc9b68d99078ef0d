//! What Criterion 0.3 had before there were groups, which 0.4 dropped. Suites for later versions may have these names.

use std::fmt::Debug;
use std::time::Duration;

use crate::measurement::{Measurement, WallTime};
use crate::settings::{PlotConfiguration, SamplingMode, Throughput};
use crate::{Bencher, BenchmarkGroup, BenchmarkId, Criterion};

type Routine<T, M> = Box<dyn FnMut(&mut Bencher<'_, M>, &T)>;
type Setting<M> = Box<dyn FnOnce(&mut BenchmarkGroup<'_, M>)>;
type Amount<T> = Box<dyn Fn(&T) -> Throughput>;

/// Functions that each run with all inputs.
pub struct ParameterizedBenchmark<T: Debug, M: Measurement + 'static = WallTime> {
    settings: Vec<Setting<M>>,
    inputs: Vec<T>,
    functions: Vec<(String, Routine<T, M>)>,
    throughput: Option<Amount<T>>,
}

/// Functions without an input.
pub struct Benchmark<M: Measurement + 'static = WallTime>(ParameterizedBenchmark<(), M>);

/// A function for [`Criterion::bench_functions`].
pub struct Fun<I: Debug, M: Measurement + 'static = WallTime>(String, Routine<I, M>);

/// What [`Criterion::bench`] runs.
pub trait BenchmarkDefinition<M: Measurement = WallTime>: Sized {
    /// Runs the benchmarks of a group.
    #[doc(hidden)]
    fn run(self, group_id: &str, c: &mut Criterion<M>);
}

impl<I: Debug + 'static, M: Measurement> Fun<I, M> {
    /// Returns a function with its name.
    pub fn new<F>(name: &str, f: F) -> Fun<I, M>
    where
        F: FnMut(&mut Bencher<'_, M>, &I) + 'static,
    {
        Fun(name.to_owned(), Box::new(f))
    }
}

impl<T: Debug + 'static, M: Measurement> ParameterizedBenchmark<T, M> {
    /// Returns a function with its name and its inputs.
    pub fn new<S, F, I>(id: S, f: F, parameters: I) -> ParameterizedBenchmark<T, M>
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>, &T) + 'static,
        I: IntoIterator<Item = T>,
    {
        ParameterizedBenchmark::of(Vec::new(), parameters).with_function(id, f)
    }

    fn of(functions: Vec<(String, Routine<T, M>)>, inputs: impl IntoIterator<Item = T>) -> Self {
        let inputs = inputs.into_iter().collect();
        ParameterizedBenchmark { settings: Vec::new(), inputs, functions, throughput: None }
    }

    /// Adds a function with its name.
    pub fn with_function<S, F>(mut self, id: S, f: F) -> ParameterizedBenchmark<T, M>
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>, &T) + 'static,
    {
        self.functions.push((id.into(), Box::new(f)));
        self
    }

    /// Sets what an iteration works on, by its input.
    pub fn throughput<F>(mut self, throughput: F) -> ParameterizedBenchmark<T, M>
    where
        F: Fn(&T) -> Throughput + 'static,
    {
        self.throughput = Some(Box::new(throughput));
        self
    }

    fn set(mut self, set: impl FnOnce(&mut BenchmarkGroup<'_, M>) + 'static) -> Self {
        self.settings.push(Box::new(set));
        self
    }
}

impl<M: Measurement> Benchmark<M> {
    /// Returns a function with its name.
    pub fn new<S, F>(id: S, f: F) -> Benchmark<M>
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>) + 'static,
    {
        Benchmark(ParameterizedBenchmark::of(Vec::new(), [()])).with_function(id, f)
    }

    /// Adds a function with its name.
    pub fn with_function<S, F>(self, id: S, mut f: F) -> Benchmark<M>
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>) + 'static,
    {
        Benchmark(self.0.with_function(id, move |bencher, ()| f(bencher)))
    }

    /// Sets what an iteration works on.
    pub fn throughput(self, throughput: Throughput) -> Benchmark<M> {
        Benchmark(self.0.throughput(move |()| throughput.clone()))
    }

    fn set(self, set: impl FnOnce(&mut BenchmarkGroup<'_, M>) + 'static) -> Self {
        Benchmark(self.0.set(set))
    }
}

/// Defines the settings of a group for a type.
macro_rules! settings {
    ($type:ident $(<$input:ident>)?: $($name:ident($value:ty))+) => {
        impl<$($input: Debug + 'static,)? M: Measurement> $type<$($input,)? M> {
            $(
                #[doc = concat!("Sets what [`BenchmarkGroup::", stringify!($name), "`] does.")]
                pub fn $name(self, value: $value) -> Self {
                    self.set(move |group| {
                        group.$name(value);
                    })
                }
            )+
        }
    };
    ($($settings:tt)+) => {
        settings!(Benchmark: $($settings)+);
        settings!(ParameterizedBenchmark<T>: $($settings)+);
    };
}

settings! {
    sample_size(usize) warm_up_time(Duration) measurement_time(Duration) nresamples(usize) noise_threshold(f64)
    confidence_level(f64) significance_level(f64) plot_config(PlotConfiguration) sampling_mode(SamplingMode)
}

impl<T: Debug + 'static, M: Measurement> BenchmarkDefinition<M> for ParameterizedBenchmark<T, M> {
    fn run(self, group_id: &str, c: &mut Criterion<M>) {
        let mut group = c.benchmark_group(group_id);
        self.settings.into_iter().for_each(|set| set(&mut group));
        let is_single = self.functions.len() == 1;
        for (name, mut f) in self.functions {
            for input in &self.inputs {
                if let Some(throughput) = &self.throughput {
                    group.throughput(throughput(input));
                }
                let id = BenchmarkId {
                    function: (!is_single || name != group_id).then(|| name.clone()),
                    parameter: (self.inputs.len() != 1).then(|| format!("{input:?}")),
                };
                group.bench_with_input(id, input, &mut f);
            }
        }
    }
}

impl<M: Measurement> BenchmarkDefinition<M> for Benchmark<M> {
    fn run(self, group_id: &str, c: &mut Criterion<M>) {
        self.0.run(group_id, c);
    }
}

impl<M: Measurement + 'static> Criterion<M> {
    /// Runs benchmarks in a group.
    pub fn bench<B: BenchmarkDefinition<M>>(&mut self, group_id: &str, benchmark: B) -> &mut Criterion<M> {
        benchmark.run(group_id, self);
        self
    }

    /// Runs a function with several inputs.
    pub fn bench_function_over_inputs<I, F>(&mut self, id: &str, f: F, inputs: I) -> &mut Criterion<M>
    where
        I: IntoIterator,
        I::Item: Debug + 'static,
        F: FnMut(&mut Bencher<'_, M>, &I::Item) + 'static,
    {
        self.bench(id, ParameterizedBenchmark::new(id, f, inputs))
    }

    /// Runs several functions with one input.
    pub fn bench_functions<I>(&mut self, id: &str, funs: Vec<Fun<I, M>>, input: I) -> &mut Criterion<M>
    where
        I: Debug + 'static,
    {
        let functions = funs.into_iter().map(|Fun(name, f)| (name, f)).collect();
        self.bench(id, ParameterizedBenchmark::of(functions, [input]))
    }
}
