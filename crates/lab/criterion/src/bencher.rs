//! The loops around a benchmark's routine.

use std::future::Future;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::async_executor::AsyncExecutor;
use crate::measurement::{Measurement, WallTime};
use crate::suite::{check, Candidate};

/// How many inputs [`Bencher::iter_batched`] prepares at once.
#[derive(Debug, Eq, PartialEq, Copy, Hash, Clone)]
pub enum BatchSize {
    /// A tenth of the iterations of a sample.
    SmallInput,
    /// A thousandth of the iterations of a sample.
    LargeInput,
    /// One input for one iteration, each of which is timed by itself.
    PerIteration,
    /// A batch has its share of the iterations of a sample.
    NumBatches(u64),
    /// A batch has this many iterations.
    NumIterations(u64),
}

impl BatchSize {
    /// Returns the number of iterations of a batch, for a sample with some iterations.
    fn iterations(self, sample: u64) -> u64 {
        let share = |batches: u64| sample / batches + u64::from(sample % batches != 0);
        match self {
            BatchSize::SmallInput => share(10),
            BatchSize::LargeInput => share(1000),
            BatchSize::PerIteration => 1,
            BatchSize::NumBatches(0) | BatchSize::NumIterations(0) => panic!("a batch of 0 iterations"),
            BatchSize::NumBatches(batches) => share(batches),
            BatchSize::NumIterations(iterations) => iterations,
        }
    }
}

/// Who asks for samples, and takes their values.
pub(crate) enum Samples {
    Candidate(Candidate),
    /// One sample with some iterations, until it was asked for.
    Once(Option<u64>),
}

/// Runs the routine of a benchmark as often as samples are asked for, and times it.
///
/// Criterion calls a benchmark's function again for each sample. Here it is called once, and what it calls first of the
/// functions below takes all samples.
pub struct Bencher<'a, M: Measurement = WallTime> {
    measurement: &'a M,
    samples: Samples,
    /// When the current sample was asked for.
    asked: Instant,
}

impl<'a, M: Measurement> Bencher<'a, M> {
    pub(crate) fn new(measurement: &'a M, samples: Samples) -> Self {
        Bencher { measurement, samples, asked: Instant::now() }
    }

    /// Returns whether no sample was asked for.
    pub(crate) fn is_unused(&self) -> bool {
        matches!(self.samples, Samples::Once(Some(_)))
    }

    /// Returns the number of iterations of the next sample.
    #[inline(never)]
    fn next(&mut self) -> Option<u64> {
        let iterations = match &mut self.samples {
            Samples::Candidate(candidate) => Some(candidate.next()),
            Samples::Once(iterations) => iterations.take(),
        };
        self.asked = Instant::now();
        iterations
    }

    #[inline(never)]
    fn record(&mut self, value: &M::Value) {
        let passed = self.asked.elapsed();
        if let Samples::Candidate(candidate) = &mut self.samples {
            candidate.record(ns(self.measurement, value), nanoseconds(passed));
        }
    }

    #[inline(always)]
    fn start(&self) -> M::Intermediate {
        let start = self.measurement.start();
        #[cfg(counting)]
        crate::counting::start();
        start
    }

    #[inline(always)]
    fn end(&self, start: M::Intermediate) -> M::Value {
        #[cfg(counting)]
        crate::counting::stop();
        self.measurement.end(start)
    }

    /// Looks at the value of an iteration whose time the suite itself took: a candidate that would return a sum over
    /// threads, or a time that did not pass, is refused.
    fn trial(&self, value: &M::Value, passed: Duration) {
        if let Samples::Candidate(candidate) = &self.samples {
            if cfg!(counting) {
                candidate.refuse("it measures itself (`iter_custom`), and its preparation would count too");
            }
            let ns = ns(self.measurement, value);
            match check(ns, nanoseconds(passed)) {
                Ok(()) if ns > 0.0 => (),
                Ok(()) => candidate.refuse("the time that it takes itself is 0"),
                Err(why) => candidate.refuse(&format!("the time that it takes itself: {why}")),
            }
        }
    }

    /// Whether the lab asks for samples of this benchmark.
    fn is_candidate(&self) -> bool {
        matches!(self.samples, Samples::Candidate(_))
    }

    /// Times a routine.
    #[inline(never)]
    pub fn iter<O, R>(&mut self, mut routine: R)
    where
        R: FnMut() -> O,
    {
        while let Some(iterations) = self.next() {
            let start = self.start();
            for _ in 0..iterations {
                black_box(routine());
            }
            let value = self.end(start);
            self.record(&value);
        }
    }

    /// Takes the values of a routine, which does a number of iterations and measures them itself.
    #[inline(never)]
    pub fn iter_custom<R>(&mut self, mut routine: R)
    where
        R: FnMut(u64) -> M::Value,
    {
        if self.is_candidate() {
            let begun = Instant::now();
            let value = routine(1);
            self.trial(&value, begun.elapsed());
        }
        while let Some(iterations) = self.next() {
            let value = routine(iterations);
            self.record(&value);
        }
    }

    /// Times a routine with a new input for each iteration.
    pub fn iter_with_setup<I, O, S, R>(&mut self, setup: S, routine: R)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> O,
    {
        self.iter_batched(setup, routine, BatchSize::PerIteration);
    }

    /// Times a routine with a new input for each iteration, prepared at once for a whole sample.
    pub fn iter_with_large_setup<I, O, S, R>(&mut self, setup: S, routine: R)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> O,
    {
        self.iter_batched(setup, routine, BatchSize::NumBatches(1));
    }

    /// Times a routine without the time to drop what it returns.
    pub fn iter_with_large_drop<O, R>(&mut self, mut routine: R)
    where
        R: FnMut() -> O,
    {
        self.iter_batched(|| (), |()| routine(), BatchSize::SmallInput);
    }

    /// Times a routine with a new input for each iteration, without the times to make inputs and to drop what is
    /// returned.
    #[inline(never)]
    pub fn iter_batched<I, O, S, R>(&mut self, mut setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> O,
    {
        while let Some(iterations) = self.next() {
            let batch = size.iterations(iterations);
            let mut value = self.measurement.zero();
            let mut left = iterations;
            while left > 0 {
                let now = batch.min(left);
                let end;
                if batch == 1 {
                    let input = black_box(setup());
                    let start = self.start();
                    let output = routine(input);
                    end = self.end(start);
                    drop(black_box(output));
                } else {
                    let inputs = black_box((0..now).map(|_| setup()).collect::<Vec<_>>());
                    let mut outputs = Vec::with_capacity(inputs.len());
                    let start = self.start();
                    outputs.extend(inputs.into_iter().map(&mut routine));
                    end = self.end(start);
                    black_box(outputs);
                }
                value = self.measurement.add(&value, &end);
                left -= now;
            }
            self.record(&value);
        }
    }

    /// Times a routine with a new input for each iteration, which it takes by reference, without the times to make
    /// inputs, and to drop them and what is returned.
    #[inline(never)]
    pub fn iter_batched_ref<I, O, S, R>(&mut self, mut setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(&mut I) -> O,
    {
        while let Some(iterations) = self.next() {
            let batch = size.iterations(iterations);
            let mut value = self.measurement.zero();
            let mut left = iterations;
            while left > 0 {
                let now = batch.min(left);
                let end;
                if batch == 1 {
                    let mut input = black_box(setup());
                    let start = self.start();
                    let output = routine(&mut input);
                    end = self.end(start);
                    drop(black_box(output));
                    drop(black_box(input));
                } else {
                    let mut inputs = black_box((0..now).map(|_| setup()).collect::<Vec<_>>());
                    let mut outputs = Vec::with_capacity(inputs.len());
                    let start = self.start();
                    outputs.extend(inputs.iter_mut().map(&mut routine));
                    end = self.end(start);
                    black_box(outputs);
                }
                value = self.measurement.add(&value, &end);
                left -= now;
            }
            self.record(&value);
        }
    }

    /// Returns a bencher for routines that return futures, which an executor runs.
    pub fn to_async<'b, A: AsyncExecutor>(&'b mut self, runner: A) -> AsyncBencher<'a, 'b, A, M> {
        AsyncBencher { bencher: self, runner }
    }
}

fn nanoseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64
}

/// Returns a value in ns, for a measurement in ns.
fn ns<M: Measurement>(measurement: &M, value: &M::Value) -> f64 {
    let mut values = [measurement.to_f64(value)];
    measurement.formatter().scale_for_machines(&mut values);
    values[0]
}

/// A [`Bencher`] for routines that return futures. All samples are taken inside one future.
pub struct AsyncBencher<'a, 'b, A: AsyncExecutor, M: Measurement = WallTime> {
    bencher: &'b mut Bencher<'a, M>,
    runner: A,
}

impl<A: AsyncExecutor, M: Measurement> AsyncBencher<'_, '_, A, M> {
    /// Times a routine, as [`Bencher::iter`].
    #[inline(never)]
    pub fn iter<O, R, F>(&mut self, mut routine: R)
    where
        R: FnMut() -> F,
        F: Future<Output = O>,
    {
        let AsyncBencher { bencher, runner } = self;
        runner.block_on(async {
            while let Some(iterations) = bencher.next() {
                let start = bencher.start();
                for _ in 0..iterations {
                    black_box(routine().await);
                }
                let value = bencher.end(start);
                bencher.record(&value);
            }
        });
    }

    /// Takes the values of a routine, as [`Bencher::iter_custom`].
    #[inline(never)]
    pub fn iter_custom<R, F>(&mut self, mut routine: R)
    where
        R: FnMut(u64) -> F,
        F: Future<Output = M::Value>,
    {
        let AsyncBencher { bencher, runner } = self;
        runner.block_on(async {
            if bencher.is_candidate() {
                let begun = Instant::now();
                let value = routine(1).await;
                bencher.trial(&value, begun.elapsed());
            }
            while let Some(iterations) = bencher.next() {
                let value = routine(iterations).await;
                bencher.record(&value);
            }
        });
    }

    /// Times a routine, as [`Bencher::iter_with_setup`].
    pub fn iter_with_setup<I, O, S, R, F>(&mut self, setup: S, routine: R)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> F,
        F: Future<Output = O>,
    {
        self.iter_batched(setup, routine, BatchSize::PerIteration);
    }

    /// Times a routine, as [`Bencher::iter_with_large_setup`].
    pub fn iter_with_large_setup<I, O, S, R, F>(&mut self, setup: S, routine: R)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> F,
        F: Future<Output = O>,
    {
        self.iter_batched(setup, routine, BatchSize::NumBatches(1));
    }

    /// Times a routine, as [`Bencher::iter_with_large_drop`].
    pub fn iter_with_large_drop<O, R, F>(&mut self, mut routine: R)
    where
        R: FnMut() -> F,
        F: Future<Output = O>,
    {
        self.iter_batched(|| (), |()| routine(), BatchSize::SmallInput);
    }

    /// Times a routine, as [`Bencher::iter_batched`].
    #[inline(never)]
    pub fn iter_batched<I, O, S, R, F>(&mut self, mut setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> F,
        F: Future<Output = O>,
    {
        let AsyncBencher { bencher, runner } = self;
        runner.block_on(async {
            while let Some(iterations) = bencher.next() {
                let batch = size.iterations(iterations);
                let mut value = bencher.measurement.zero();
                let mut left = iterations;
                while left > 0 {
                    let now = batch.min(left);
                    let end;
                    if batch == 1 {
                        let input = black_box(setup());
                        let start = bencher.start();
                        let output = routine(input).await;
                        end = bencher.end(start);
                        drop(black_box(output));
                    } else {
                        let inputs = black_box((0..now).map(|_| setup()).collect::<Vec<_>>());
                        let mut outputs = Vec::with_capacity(inputs.len());
                        let start = bencher.start();
                        for input in inputs {
                            outputs.push(routine(input).await);
                        }
                        end = bencher.end(start);
                        black_box(outputs);
                    }
                    value = bencher.measurement.add(&value, &end);
                    left -= now;
                }
                bencher.record(&value);
            }
        });
    }

    /// Times a routine, as [`Bencher::iter_batched_ref`].
    #[inline(never)]
    pub fn iter_batched_ref<I, O, S, R, F>(&mut self, mut setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(&mut I) -> F,
        F: Future<Output = O>,
    {
        let AsyncBencher { bencher, runner } = self;
        runner.block_on(async {
            while let Some(iterations) = bencher.next() {
                let batch = size.iterations(iterations);
                let mut value = bencher.measurement.zero();
                let mut left = iterations;
                while left > 0 {
                    let now = batch.min(left);
                    let mut inputs = black_box((0..now).map(|_| setup()).collect::<Vec<_>>());
                    let mut outputs = Vec::with_capacity(inputs.len());
                    let start = bencher.start();
                    for input in &mut inputs {
                        outputs.push(routine(input).await);
                    }
                    let end = bencher.end(start);
                    black_box(outputs);
                    drop(black_box(inputs));
                    value = bencher.measurement.add(&value, &end);
                    left -= now;
                }
                bencher.record(&value);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_those_of_criterion() {
        for (size, sample, batch) in [
            (BatchSize::SmallInput, 1, 1),
            (BatchSize::SmallInput, 10, 1),
            (BatchSize::SmallInput, 11, 2),
            (BatchSize::SmallInput, u64::MAX, u64::MAX / 10 + 1),
            (BatchSize::LargeInput, 1000, 1),
            (BatchSize::LargeInput, 10_001, 11),
            (BatchSize::PerIteration, 1000, 1),
            (BatchSize::NumBatches(3), 10, 4),
            (BatchSize::NumIterations(7), 100, 7),
        ] {
            assert_eq!(size.iterations(sample), batch, "{size:?} of {sample}");
        }
    }

    #[test]
    fn every_loop_does_each_iteration_once_with_an_input_of_its_own() {
        let sizes = [
            BatchSize::SmallInput,
            BatchSize::LargeInput,
            BatchSize::PerIteration,
            BatchSize::NumBatches(3),
            BatchSize::NumIterations(4),
        ];
        for iterations in [1, 2, 10, 11, 25] {
            for size in sizes {
                for kind in 0..4 {
                    let (mut made, mut used) = (0u64, Vec::new());
                    let setup = || {
                        made += 1;
                        made
                    };
                    let mut bencher = Bencher::new(&WallTime, Samples::Once(Some(iterations)));
                    let b = &mut bencher;
                    match kind {
                        0 => b.iter_batched(setup, |input| used.push(input), size),
                        1 => b.iter_batched_ref(setup, |input| used.push(*input), size),
                        2 => b.to_async(Now).iter_batched(
                            setup,
                            |input| {
                                used.push(input);
                                std::future::ready(())
                            },
                            size,
                        ),
                        _ => b.to_async(Now).iter_batched_ref(
                            setup,
                            |input| {
                                used.push(*input);
                                std::future::ready(())
                            },
                            size,
                        ),
                    }
                    assert_eq!(used, (1..=iterations).collect::<Vec<_>>(), "{size:?}, {kind}");
                }
            }
        }
    }

    /// An executor of futures that never wait.
    struct Now;

    impl AsyncExecutor for Now {
        fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
            let mut future = Box::pin(future);
            let waker = std::sync::Arc::new(Nothing).into();
            match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
                std::task::Poll::Ready(output) => output,
                std::task::Poll::Pending => panic!("the future waits"),
            }
        }
    }

    struct Nothing;

    impl std::task::Wake for Nothing {
        fn wake(self: std::sync::Arc<Self>) {}
    }
}
