//! Groups of benchmarks.

use std::hint::black_box;
use std::time::Duration;

use crate::bencher::Bencher;
use crate::id::IntoBenchmarkId;
use crate::measurement::Measurement;
use crate::settings::{Criterion, PlotConfiguration, SamplingMode, Throughput};
use crate::suite;

/// Benchmarks whose names begin with the name of the group.
pub struct BenchmarkGroup<'a, M: Measurement> {
    criterion: &'a mut Criterion<M>,
    name: String,
}

/// Methods that choose what the lab decides.
macro_rules! without_effect {
    ($($name:ident($argument:ty);)+) => {$(
        pub fn $name(&mut self, _: $argument) -> &mut Self {
            self
        }
    )+};
}

impl<'a, M: Measurement> BenchmarkGroup<'a, M> {
    pub(crate) fn new(criterion: &'a mut Criterion<M>, name: String) -> Self {
        assert!(!name.is_empty(), "the name of a group is empty");
        BenchmarkGroup { criterion, name }
    }

    without_effect! {
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
        suite::get().benchmark(&id.into_benchmark_id().name(&self.name), &self.criterion.measurement, f);
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
