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

/// Takes all samples of a routine with a new input for each iteration, like Criterion: `$one` runs it on one input,
/// `$all` on those of a batch.
macro_rules! batched {
    ($bencher:ident, $setup:ident, $size:ident, |$input:ident| $one:expr, |$inputs:ident, $outputs:ident| $all:expr) => {
        while let Some(iterations) = $bencher.next() {
            let batch = $size.iterations(iterations);
            let mut value = $bencher.measurement.zero();
            let mut left = iterations;
            while left > 0 {
                let now = batch.min(left);
                let end;
                if batch == 1 {
                    #[allow(unused_mut)]
                    let mut $input = black_box($setup());
                    let start = $bencher.start();
                    let output = $one;
                    end = $bencher.end(start);
                    drop(black_box(output));
                } else {
                    #[allow(unused_mut)]
                    let mut $inputs = black_box((0..now).map(|_| $setup()).collect::<Vec<_>>());
                    let mut $outputs = Vec::with_capacity($inputs.len());
                    let start = $bencher.start();
                    $all;
                    end = $bencher.end(start);
                    black_box($outputs);
                }
                value = $bencher.measurement.add(&value, &end);
                left -= now;
            }
            $bencher.record(&value);
        }
    };
}

/// The functions that are [`Bencher::iter_batched`] with a size, for routines that return `$output`.
macro_rules! batches_of_a_size {
    ($output:ident $(, $future:ident: $bound:path)?) => {
        pub fn iter_with_setup<I, O, S, R $(, $future)?>(&mut self, setup: S, routine: R)
        where
            S: FnMut() -> I,
            R: FnMut(I) -> $output,
            $($future: $bound,)?
        {
            self.iter_batched(setup, routine, BatchSize::PerIteration);
        }

        pub fn iter_with_large_setup<I, O, S, R $(, $future)?>(&mut self, setup: S, routine: R)
        where
            S: FnMut() -> I,
            R: FnMut(I) -> $output,
            $($future: $bound,)?
        {
            self.iter_batched(setup, routine, BatchSize::NumBatches(1));
        }

        pub fn iter_with_large_drop<O, R $(, $future)?>(&mut self, mut routine: R)
        where
            R: FnMut() -> $output,
            $($future: $bound,)?
        {
            self.iter_batched(|| (), |()| routine(), BatchSize::SmallInput);
        }
    };
}

/// Runs the routine of a benchmark as often as samples are asked for, and times it.
///
/// Criterion calls a benchmark's function again for each sample. Here it is called once, and what it calls first of the
/// functions below takes all samples.
pub struct Bencher<'a, M: Measurement = WallTime> {
    measurement: &'a M,
    candidate: Candidate,
    /// When the current sample was asked for.
    asked: Instant,
}

impl<'a, M: Measurement> Bencher<'a, M> {
    /// Measures the benchmark of a function until the end of requests.
    pub(crate) fn run(measurement: &'a M, candidate: Candidate, f: impl FnOnce(&mut Self)) -> ! {
        let mut bencher = Bencher { measurement, candidate, asked: Instant::now() };
        f(&mut bencher);
        // A call of `iter` does not return.
        bencher.candidate.refuse("it does not call `iter`, or a function like it")
    }

    /// Returns the number of iterations of the next sample.
    #[inline(never)]
    fn next(&mut self) -> Option<u64> {
        let iterations = self.candidate.next();
        self.asked = Instant::now();
        Some(iterations)
    }

    #[inline(never)]
    fn record(&mut self, value: &M::Value) {
        let passed = self.asked.elapsed();
        self.candidate.record(ns(self.measurement, value), passed);
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
        if cfg!(counting) {
            self.candidate.refuse("it measures itself (`iter_custom`), and its preparation would count too");
        }
        let ns = ns(self.measurement, value);
        match check(ns, passed) {
            Ok(()) if ns > 0.0 => (),
            Ok(()) => self.candidate.refuse("the time that it takes itself is 0"),
            Err(why) => self.candidate.refuse(&format!("the time that it takes itself: {why}")),
        }
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
        let begun = Instant::now();
        let value = routine(1);
        self.trial(&value, begun.elapsed());
        while let Some(iterations) = self.next() {
            let value = routine(iterations);
            self.record(&value);
        }
    }

    batches_of_a_size!(O);

    /// Times a routine with a new input for each iteration, without the times to make inputs and to drop what is
    /// returned.
    #[inline(never)]
    pub fn iter_batched<I, O, S, R>(&mut self, mut setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> O,
    {
        batched!(self, setup, size, |input| routine(input), |inputs, outputs| {
            outputs.extend(inputs.into_iter().map(&mut routine))
        });
    }

    /// Times a routine with a new input for each iteration, which it takes by reference, without the times to make
    /// inputs, and to drop them and what is returned.
    #[inline(never)]
    pub fn iter_batched_ref<I, O, S, R>(&mut self, mut setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(&mut I) -> O,
    {
        batched!(self, setup, size, |input| routine(&mut input), |inputs, outputs| {
            outputs.extend(inputs.iter_mut().map(&mut routine))
        });
    }

    /// Returns a bencher for routines that return futures, which an executor runs.
    pub fn to_async<'b, A: AsyncExecutor>(&'b mut self, runner: A) -> AsyncBencher<'a, 'b, A, M> {
        AsyncBencher { bencher: self, runner }
    }
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
            let begun = Instant::now();
            let value = routine(1).await;
            bencher.trial(&value, begun.elapsed());
            while let Some(iterations) = bencher.next() {
                let value = routine(iterations).await;
                bencher.record(&value);
            }
        });
    }

    batches_of_a_size!(F, F: Future<Output = O>);

    #[inline(never)]
    pub fn iter_batched<I, O, S, R, F>(&mut self, mut setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> F,
        F: Future<Output = O>,
    {
        let AsyncBencher { bencher, runner } = self;
        runner.block_on(async {
            batched!(bencher, setup, size, |input| routine(input).await, |inputs, outputs| {
                for input in inputs {
                    outputs.push(routine(input).await);
                }
            });
        });
    }

    #[inline(never)]
    pub fn iter_batched_ref<I, O, S, R, F>(&mut self, mut setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(&mut I) -> F,
        F: Future<Output = O>,
    {
        let AsyncBencher { bencher, runner } = self;
        runner.block_on(async {
            batched!(bencher, setup, size, |input| routine(&mut input).await, |inputs, outputs| {
                for input in &mut inputs {
                    outputs.push(routine(input).await);
                }
            });
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
}
