//! A suite with what suites do, also wrongly, for the tests of this package.

use std::future::Future;
use std::time::{Duration, Instant};

use criterion::async_executor::AsyncExecutor;
use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{
    black_box, criterion_group, criterion_main, BatchSize, Bencher, BenchmarkId, Criterion, SamplingMode,
    Throughput,
};

fn usual(c: &mut Criterion) {
    println!("printed by the suite");
    c.bench_function("add", |b| b.iter(|| black_box(1u64) + 1));
    let mut group = c.benchmark_group("sum of \"µ\"");
    for size in [10u64, 1000] {
        group.throughput(Throughput::Elements(size)).sampling_mode(SamplingMode::Flat);
        group.bench_with_input(BenchmarkId::new("range", size), &size, sum);
    }
    group.throughput(Throughput::Bytes(8)).sample_size(10);
    group.bench_function("batched", |b| {
        b.iter_batched(|| vec![1u8; 8], |bytes| bytes.iter().sum::<u8>(), BatchSize::SmallInput)
    });
    group.bench_function(BenchmarkId::from_parameter(1.5), |b| {
        b.iter_batched_ref(|| vec![1u8; 8], |bytes| bytes.sort_unstable(), BatchSize::PerIteration)
    });
    group.finish();
    c.bench_with_input(BenchmarkId::new("top", 3), "text", |b, text| b.iter(|| text.len()));
    c.bench_function("add", |b| b.iter(|| black_box(2u64) + 2));
}

fn sum(b: &mut Bencher<'_>, size: &u64) {
    println!("printed by the benchmark");
    b.iter(|| (0..black_box(*size)).sum::<u64>());
}

fn panics(_: &mut Criterion) {
    panic!("a file is missing");
}

fn own(c: &mut Criterion) {
    let mut group = c.benchmark_group("own");
    group.bench_function("time", |b| {
        b.iter_custom(|iterations| {
            let begun = Instant::now();
            for _ in 0..iterations {
                black_box(begun.elapsed());
            }
            begun.elapsed()
        })
    });
    group.bench_function("hour", |b| b.iter_custom(|_| Duration::from_secs(3600)));
    group.bench_function("nothing", |b| b.iter_custom(|_| Duration::ZERO));
    group.bench_function("async", |b| b.to_async(Waiting).iter(|| async { black_box(1) + 1 }));
    group.bench_function("threads", |b| {
        std::thread::spawn(|| loop {
            std::thread::sleep(Duration::from_secs(1));
        });
        b.iter(|| black_box(1));
        // The first call takes all samples.
        b.iter_custom(|_| Duration::ZERO)
    });
    group.bench_function("drop", |b| b.iter_with_large_drop(|| vec![0u8; 100]));
    group.bench_function("setup", |b| b.iter_with_setup(|| 1, |one| one + 1));
}

/// Each iteration has an input of its own, in order.
fn inputs(c: &mut Criterion) {
    let mut group = c.benchmark_group("inputs");
    for size in [
        BatchSize::SmallInput,
        BatchSize::LargeInput,
        BatchSize::PerIteration,
        BatchSize::NumBatches(3),
        BatchSize::NumIterations(4),
    ] {
        for kind in 0..4 {
            group.bench_function(BenchmarkId::new(format!("{size:?}"), kind), |b| {
                let (mut made, mut used) = (0u64, 0);
                let setup = || {
                    made += 1;
                    made
                };
                let mut once = |input| {
                    used += 1;
                    assert_eq!(input, used);
                    used
                };
                match kind {
                    0 => b.iter_batched(setup, once, size),
                    1 => b.iter_batched_ref(setup, |input| once(*input), size),
                    2 => {
                        b.to_async(Waiting).iter_batched(setup, |input| std::future::ready(once(input)), size)
                    }
                    _ => b.to_async(Waiting).iter_batched_ref(
                        setup,
                        |input| std::future::ready(once(*input)),
                        size,
                    ),
                }
            });
        }
    }
}

fn wrong(c: &mut Criterion) {
    let mut group = c.benchmark_group("wrong");
    group.bench_function("never", |_| ());
    group.bench_function("panics", |b| b.iter(|| panic!("it fails")));
    group.bench_function("exits", |b| b.iter(|| std::process::exit(7)));
}

/// Counts calls, in no unit of time.
struct Calls;

impl Measurement for Calls {
    type Intermediate = ();
    type Value = u64;
    fn start(&self) {}
    fn end(&self, (): ()) -> u64 {
        1
    }
    fn add(&self, v1: &u64, v2: &u64) -> u64 {
        v1 + v2
    }
    fn zero(&self) -> u64 {
        0
    }
    fn to_f64(&self, value: &u64) -> f64 {
        *value as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        self
    }
}

impl ValueFormatter for Calls {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "calls"
    }
    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "calls/s"
    }
    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "calls"
    }
}

fn calls(c: &mut Criterion<Calls>) {
    c.bench_function("calls", |b| b.iter(|| 1));
}

struct Waiting;

impl AsyncExecutor for Waiting {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        futures::executor::block_on(future)
    }
}

criterion_group!(benches, usual, panics, own);
criterion_group!(each, inputs);
criterion_group! {
    name = others;
    config = Criterion::default().without_plots().with_measurement(Calls);
    targets = calls
}
criterion_group!(name = last; config = Criterion::default().sample_size(20); targets = wrong,);
criterion_main!(benches, others, last, each);
