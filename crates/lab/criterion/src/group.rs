//! Groups of benchmarks.

use std::hint::black_box;
use std::time::Duration;

use crate::args::{self, Mode};
use crate::bencher::{Bencher, Samples};
use crate::id::IntoBenchmarkId;
use crate::measurement::Measurement;
use crate::settings::{Criterion, PlotConfiguration, SamplingMode, Throughput};
use crate::suite;

/// Benchmarks whose names begin with the name of the group.
pub struct BenchmarkGroup<'a, M: Measurement> {
    criterion: &'a mut Criterion<M>,
    name: String,
    throughput: Option<Throughput>,
}

impl<'a, M: Measurement> BenchmarkGroup<'a, M> {
    pub(crate) fn new(criterion: &'a mut Criterion<M>, name: String) -> Self {
        assert!(!name.is_empty(), "the name of a group is empty");
        BenchmarkGroup { criterion, name, throughput: None }
    }

    /// Does nothing: the lab decides.
    pub fn sample_size(&mut self, _: usize) -> &mut Self {
        self
    }

    /// Does nothing: the lab decides.
    pub fn warm_up_time(&mut self, _: Duration) -> &mut Self {
        self
    }

    /// Does nothing: the lab decides.
    pub fn measurement_time(&mut self, _: Duration) -> &mut Self {
        self
    }

    /// Does nothing: the lab decides.
    pub fn nresamples(&mut self, _: usize) -> &mut Self {
        self
    }

    /// Does nothing: the lab decides.
    pub fn noise_threshold(&mut self, _: f64) -> &mut Self {
        self
    }

    /// Does nothing: the lab decides.
    pub fn confidence_level(&mut self, _: f64) -> &mut Self {
        self
    }

    /// Does nothing: the lab decides.
    pub fn significance_level(&mut self, _: f64) -> &mut Self {
        self
    }

    /// Does nothing: the lab decides.
    pub fn plot_config(&mut self, _: PlotConfiguration) -> &mut Self {
        self
    }

    /// Does nothing: the lab decides.
    pub fn sampling_mode(&mut self, _: SamplingMode) -> &mut Self {
        self
    }

    /// Sets what an iteration of the benchmarks that follow works on.
    pub fn throughput(&mut self, throughput: Throughput) -> &mut Self {
        self.throughput = Some(throughput);
        self
    }

    /// Runs a benchmark.
    pub fn bench_function<ID: IntoBenchmarkId, F>(&mut self, id: ID, f: F) -> &mut Self
    where
        F: FnMut(&mut Bencher<'_, M>),
    {
        self.run(id, f);
        self
    }

    /// Runs a benchmark with an input, which is opaque to the compiler.
    pub fn bench_with_input<ID: IntoBenchmarkId, F, I>(&mut self, id: ID, input: &I, mut f: F) -> &mut Self
    where
        F: FnMut(&mut Bencher<'_, M>, &I),
        I: ?Sized,
    {
        self.run(id, |bencher| f(bencher, black_box(input)));
        self
    }

    fn run(&mut self, id: impl IntoBenchmarkId, mut f: impl FnMut(&mut Bencher<'_, M>)) {
        let name = id.into_benchmark_id().name(&self.name);
        let measurement = &self.criterion.measurement;
        if let Some(suite) = suite::get() {
            return suite.benchmark(&name, self.throughput.as_ref(), measurement, f);
        }
        let args = args::get();
        match args.mode {
            _ if !args.accepts(&name) => (),
            Mode::Skip => (),
            Mode::List => println!("{name}: benchmark"),
            Mode::Test => {
                println!("Testing {name}");
                let mut bencher = Bencher::new(measurement, Samples::Once(Some(1)));
                f(&mut bencher);
                assert!(!bencher.is_unused(), "the benchmark does not call `iter`, or a function like it");
                println!("Success\n");
            }
        }
    }

    /// Ends the group.
    pub fn finish(self) {}
}
