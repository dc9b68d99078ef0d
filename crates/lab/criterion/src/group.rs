//! Groups of benchmarks.

use std::hint::black_box;
use std::time::Duration;

use crate::bencher::Bencher;
use crate::id::IntoBenchmarkId;
use crate::measurement::Measurement;
use crate::settings::{Criterion, PlotConfiguration, SamplingMode, Settings, Throughput};
use crate::{suite, usual};

/// Benchmarks whose names begin with the name of the group, with settings of their own.
pub struct BenchmarkGroup<'a, M: Measurement> {
    criterion: &'a mut Criterion<M>,
    name: String,
    settings: Settings,
    throughput: Option<Throughput>,
}

impl<'a, M: Measurement> BenchmarkGroup<'a, M> {
    pub(crate) fn new(criterion: &'a mut Criterion<M>, name: String) -> Self {
        assert!(!name.is_empty(), "the name of a group is empty");
        let settings = criterion.common.settings;
        BenchmarkGroup { criterion, name, settings, throughput: None }
    }

    /// Sets the number of samples, at least 10.
    pub fn sample_size(&mut self, n: usize) -> &mut Self {
        self.settings.sample_size(n);
        self
    }

    /// Sets the time for iterations before the samples, above 0.
    pub fn warm_up_time(&mut self, dur: Duration) -> &mut Self {
        self.settings.warm_up_time(dur);
        self
    }

    /// Sets the time for all samples, above 0.
    pub fn measurement_time(&mut self, dur: Duration) -> &mut Self {
        self.settings.measurement_time(dur);
        self
    }

    /// Does nothing: intervals need no resampling.
    pub fn nresamples(&mut self, n: usize) -> &mut Self {
        assert!(n > 0, "0 resamples");
        self
    }

    /// Sets the change that is too small to be called one, as a fraction from 0.
    pub fn noise_threshold(&mut self, threshold: f64) -> &mut Self {
        self.settings.noise_threshold(threshold);
        self
    }

    /// Sets the probability, between 0 and 1, that an interval has the value.
    pub fn confidence_level(&mut self, cl: f64) -> &mut Self {
        self.settings.confidence_level(cl);
        self
    }

    /// Does nothing: a change is judged by its interval.
    pub fn significance_level(&mut self, sl: f64) -> &mut Self {
        assert!(sl > 0.0 && sl < 1.0, "a significance level of {sl}: it must be between 0 and 1");
        self
    }

    /// Does nothing: there are no plots.
    pub fn plot_config(&mut self, new_config: PlotConfiguration) -> &mut Self {
        let _ = new_config;
        self
    }

    /// Sets what an iteration of the benchmarks that follow works on.
    pub fn throughput(&mut self, throughput: Throughput) -> &mut Self {
        self.throughput = Some(throughput);
        self
    }

    /// Does nothing: all samples have the same number of iterations.
    pub fn sampling_mode(&mut self, new_mode: SamplingMode) -> &mut Self {
        let _ = new_mode;
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

    fn run(&mut self, id: impl IntoBenchmarkId, f: impl FnMut(&mut Bencher<'_, M>)) {
        let id = id.into_benchmark_id();
        let name = id.name(&self.name);
        let Criterion { measurement, common } = &mut *self.criterion;
        if !common.filter.accepts(&name) {
            return;
        }
        match suite::get() {
            Some(suite) => suite.benchmark(&name, self.throughput.as_ref(), measurement, f),
            None => {
                let folder = common.folder.join(id.folder(&self.name));
                let benchmark = usual::Benchmark {
                    name: &name,
                    folder: &folder,
                    settings: self.settings,
                    throughput: self.throughput.as_ref(),
                };
                usual::run(&benchmark, common, measurement, f);
            }
        }
    }

    /// Ends the group.
    pub fn finish(self) {}
}
