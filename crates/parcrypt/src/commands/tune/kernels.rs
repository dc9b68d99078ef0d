//! The kernels of a profile at some sizes: their stated and their measured work, and their time on each runtime.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use parcrypt_runtime::{KernelProfile, Kind, OpenMp, Recorder, Runtime, Serial};

use super::break_even::State;
use super::{Stop, lower_quartile};
use crate::commands::fork_cost::IDLE;
use crate::text::tell;
use crate::workload::params::parse;
use crate::workload::{Aligned, Prepared, Stream, Workload};
use crate::workloads;

/// Workloads with sizes in rising order. The smallest takes about as long as the least work that pays, because there
/// the factor decides; the largest is the size of a large job, or beyond the caches.
const SIZES: &[(&str, &[&str])] = &[
    ("fft-g1", &["scale=2", "scale=5", "scale=7"]),
    ("gmac", &["scale=20", "scale=22", "scale=24"]),
    ("kzg-commit", &["blobs=1", "blobs=8"]),
    ("kzg-verify-blob-batch", &["blobs=1", "blobs=16"]),
    ("ntt-product", &["ring=small", "ring=small products=4096", "ring=small products=65536"]),
    ("scrypt", &["log-n=10 keys=8", "log-n=14 keys=8"]),
    ("sum", &["scale=23", "scale=25", "scale=26"]),
];

/// Time of a sample, unless one iteration takes longer.
const SAMPLE: Duration = Duration::from_millis(3);

/// Minimum time of an iteration that is measured with workers asleep too. A shorter one mostly stays on its thread, and
/// the clock would measure how that wakes.
const LEAST_ASLEEP: Duration = Duration::from_micros(100);

/// A workload at one size.
pub(super) struct Size {
    pub(super) workload: &'static Workload,
    pub(super) params: &'static str,
    prepared: Box<dyn Prepared>,
    /// Iterations of a sample.
    iterations: u32,
    /// Whether it is measured with workers asleep too.
    asleep: bool,
    /// Measured over stated times of its pieces; empty if it states none.
    factors: Vec<f64>,
    /// Times of an iteration, in ns.
    times: BTreeMap<(State, Kind), Vec<f64>>,
}

/// Prepares all sizes that fit the memory, with a call of `check` before each.
pub(super) fn prepare(check: impl Fn() -> Result<(), Stop>) -> Result<Vec<Size>, Stop> {
    let mut sizes = Vec::new();
    for (name, all) in SIZES {
        for params in *all {
            check()?;
            sizes.extend(Size::prepare(name, params)?);
        }
    }
    Ok(sizes)
}

impl Size {
    /// Prepares a workload at one size; `None`, and a message, if it does not fit the memory.
    fn prepare(name: &str, params: &'static str) -> Result<Option<Self>, Stop> {
        let workload = workloads::find(name)?;
        let values = workload.values(&parse(params))?;
        if let Err(error) = workload.check_memory(&values, parcrypt_machine::memory_available()) {
            tell(&format!("skipped: {error}"));
            return Ok(None);
        }
        let input = usize::try_from((workload.input_bytes)(&values)).unwrap_or(usize::MAX);
        let input = Aligned::new(Stream::Hashes.bytes(input));
        let rows = workload.rows(Some(&values), None)?;
        let mut prepared = (workload.prepare)(&values, input, &Serial, &rows)?;
        prepared.iterate(&Serial);
        // The shortest of three, so that a pause of the machine decides nothing.
        let iterate = |_| {
            let begun = Instant::now();
            prepared.iterate(&Serial);
            begun.elapsed()
        };
        let one = (0..3).map(iterate).min().unwrap_or_default().max(Duration::from_nanos(1));
        let iterations = u32::try_from(SAMPLE.as_nanos() / one.as_nanos()).unwrap_or(u32::MAX).max(1);
        let (asleep, factors, times) = (one >= LEAST_ASLEEP, Vec::new(), BTreeMap::new());
        Ok(Some(Size { workload, params, prepared, iterations, asleep, factors, times }))
    }

    /// Compares the stated work with its time once more.
    pub(super) fn record(&mut self) {
        let recorder = Recorder::default();
        for _ in 0..self.iterations {
            black_box(&mut *self.prepared).iterate(&recorder);
        }
        let work = recorder.take();
        if work.stated_ns > 0 && work.measured_ns > 0 {
            self.factors.push(work.measured_ns as f64 / work.stated_ns as f64);
        }
    }

    /// Measures the time on a runtime of this kind once more, after an iteration that is not timed.
    pub(super) fn time(&mut self, kind: Kind, runtime: &dyn Runtime) {
        self.prepared.iterate(runtime);
        if self.asleep {
            std::thread::sleep(idle(kind));
            self.sample((State::Asleep, kind), 1, runtime);
        }
        self.sample((State::Spinning, kind), self.iterations, runtime);
    }

    fn sample(&mut self, of: (State, Kind), iterations: u32, runtime: &dyn Runtime) {
        let begun = Instant::now();
        for _ in 0..iterations {
            black_box(&mut *self.prepared).iterate(runtime);
        }
        let time = begun.elapsed().as_nanos() as f64 / f64::from(iterations);
        self.times.entry(of).or_default().push(time);
    }

    /// Returns measured over stated time; `None` if it states none.
    pub(super) fn factor(&self) -> Option<f64> {
        (!self.factors.is_empty()).then(|| lower_quartile(&self.factors))
    }

    /// Returns the time of an iteration on one thread, in ns; `None` before the first measurement.
    pub(super) fn serial_ns(&self) -> Option<f64> {
        self.times.get(&(State::Spinning, Kind::Serial)).map(|times| lower_quartile(times))
    }

    /// Returns the time on that runtime over the time on one thread, both with workers in that state; `None` if it was
    /// not measured.
    pub(super) fn relative_time(&self, state: State, kind: Kind) -> Option<f64> {
        let [times, serial] = [self.times.get(&(state, kind))?, self.times.get(&(state, Kind::Serial))?];
        // The last round may have ended between the two.
        let rounds = times.len().min(serial.len());
        Some(lower_quartile(&times[..rounds]) / lower_quartile(&serial[..rounds]))
    }
}

/// Returns each kernel with the factor of its smallest size that states work (1 without one), and serial for now.
pub(super) fn factors(sizes: &[Size]) -> BTreeMap<String, KernelProfile> {
    let of = |name: &str| sizes.iter().filter(|size| size.workload.name == name).find_map(Size::factor);
    let kernel = |name: &str| KernelProfile { factor: of(name).unwrap_or(1.0), runtime: Kind::Serial };
    sizes.iter().map(|size| (size.workload.name.to_owned(), kernel(size.workload.name))).collect()
}

/// Sets the runtime of each kernel, by its times with workers asleep if these were measured: a program has mostly
/// done something else since the last call.
pub(super) fn choose(sizes: &[Size], kernels: &mut BTreeMap<String, KernelProfile>) {
    for (name, kernel) in kernels {
        let of_kernel = sizes.iter().filter(|size| size.workload.name == name);
        let times = of_kernel.map(|size| {
            let state = if size.asleep { State::Asleep } else { State::Spinning };
            Kind::ALL.into_iter().filter_map(|kind| Some((kind, size.relative_time(state, kind)?))).collect()
        });
        kernel.runtime = least_regret(&times.collect::<Vec<_>>());
    }
}

/// Returns the runtime with the least regret: its slowdown against the fastest runtime, at the size with the largest
/// one. If no runtime is a tenth faster than one thread, most work stays on one, and differences up to a tenth are
/// noise.
fn least_regret(times: &[BTreeMap<Kind, f64>]) -> Kind {
    const NOISE: f64 = 1.1;
    let regret = |kind: &Kind| {
        let of_one = |times: &BTreeMap<Kind, f64>| {
            let fastest = times.values().copied().fold(f64::INFINITY, f64::min);
            let slower = times.get(kind).map_or(f64::INFINITY, |time| time / fastest);
            let pays = times.get(&Kind::Serial).is_none_or(|serial| *serial > NOISE * fastest);
            if pays || slower > NOISE { slower } else { 1.0 }
        };
        times.iter().map(of_one).fold(1.0, f64::max)
    };
    Kind::ALL.into_iter().min_by(|a, b| regret(a).total_cmp(&regret(b))).unwrap_or(Kind::Serial)
}

/// Waits until the workers of the runtime that was used last sleep, so that they do not disturb the next one.
pub(super) fn settle(kind: Kind) {
    if kind == Kind::OpenMp {
        std::thread::sleep(idle(kind));
    }
}

/// Returns the time after which the workers of a runtime sleep. Those of libomp spin for 200 ms by default.
fn idle(kind: Kind) -> Duration {
    let spins = || OpenMp::library().is_ok_and(|library| library.name != "libgomp");
    if kind == Kind::OpenMp && spins() { Duration::from_millis(250) } else { IDLE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_is_the_one_with_the_least_regret() {
        let of = |all: &[[f64; 3]]| {
            let times = |row: &[f64; 3]| Kind::ALL.into_iter().zip(*row).collect();
            least_regret(&all.iter().map(times).collect::<Vec<_>>())
        };
        assert_eq!(of(&[[10.0, 6.0, 5.0]]), Kind::OpenMp);
        assert_eq!(of(&[[10.0, 5.0, 6.0]]), Kind::Rayon);
        assert_eq!(of(&[[10.0, 11.0, 12.0]]), Kind::Serial);
        assert_eq!(of(&[[10.0, 10.0, 10.0]]), Kind::Serial, "one thread where more gain nothing");
        // A little slower at one size, twice as fast at another.
        assert_eq!(of(&[[10.0, 10.0, 10.1], [20.0, 11.0, 10.0]]), Kind::OpenMp);
        assert_eq!(of(&[[10.0, 30.0, 40.0], [20.0, 12.0, 11.0]]), Kind::Serial);
        // No runtime is a tenth faster than one thread at the first size.
        assert_eq!(of(&[[10.0, 10.8, 9.9], [20.0, 11.0, 11.5]]), Kind::Rayon);
        let only_serial = BTreeMap::from([(Kind::Serial, 3.0)]);
        assert_eq!(least_regret(&[only_serial]), Kind::Serial);
        assert_eq!(least_regret(&[]), Kind::Serial);
    }

    fn prepared<const N: usize>(all: [(&str, &'static str); N]) -> [Size; N] {
        all.map(|(name, params)| match Size::prepare(name, params) {
            Ok(Some(size)) => size,
            _ => panic!("{name} {params} is prepared"),
        })
    }

    #[test]
    fn kernels_are_timed_with_workers_awake_and_asleep() {
        let mut sizes =
            prepared([("ntt-product", "ring=small"), ("ntt-product", "ring=small products=65536")]);
        assert_eq!(sizes.each_ref().map(|size| size.asleep), [false, true]);
        for size in &mut sizes {
            size.time(Kind::Serial, &Serial);
            assert!(size.serial_ns().is_some_and(|ns| ns > 0.0));
            let relative = |state| size.relative_time(state, Kind::Serial);
            assert_eq!(relative(State::Spinning), Some(1.0));
            assert_eq!(relative(State::Asleep), size.asleep.then_some(1.0), "{}", size.params);
        }
    }

    #[test]
    fn a_runtime_that_wakes_slowly_is_not_chosen() {
        let mut sizes = prepared([("fft-g1", "scale=2"), ("sum", "scale=20")]);
        for size in &mut sizes {
            let of = [(Kind::Serial, 9.0, 9.0), (Kind::Rayon, 5.1, 5.5), (Kind::OpenMp, 5.0, 6.0)];
            for (kind, spinning, asleep) in of {
                // The machine is slower in the second round.
                size.times.insert((State::Spinning, kind), vec![spinning, 9.0 * spinning]);
                size.times.insert((State::Asleep, kind), vec![asleep]);
                size.asleep = size.workload.name != "sum";
            }
            // The last round has ended before another one is timed.
            size.times.entry((State::Spinning, Kind::Serial)).or_default().extend([1.0; 4]);
        }
        let mut kernels = factors(&sizes);
        choose(&sizes, &mut kernels);
        assert_eq!((kernels["fft-g1"].runtime, kernels["sum"].runtime), (Kind::Rayon, Kind::OpenMp));
    }

    /// Returns the work of this workload by a recorder that has seen so many iterations.
    fn stated(name: &str, params: &str, iterations: usize) -> u64 {
        let workload = workloads::find(name).unwrap();
        let values = workload.values(&parse(params)).unwrap();
        let input = vec![7; usize::try_from((workload.input_bytes)(&values)).unwrap()];
        let rows = workload.rows(Some(&values), None).unwrap();
        let mut prepared = (workload.prepare)(&values, Aligned::new(input), &Serial, &rows).unwrap();
        let recorder = Recorder::default();
        (0..iterations).for_each(|_| prepared.iterate(&recorder));
        recorder.take().stated_ns
    }

    #[test]
    fn the_recorder_counts_what_a_kernel_states() {
        let one = stated("sum", "scale=21", 1);
        assert!(one > 0);
        assert_eq!(stated("sum", "scale=21", 3), 3 * one);
        assert_eq!(stated("sum", "scale=23", 1), 4 * one, "every piece has the same cost");
        assert_eq!(stated("sum", "scale=3", 5), 0, "one piece is not cut");
        assert_eq!(stated("ntt-product", "ring=small", 5), 0);
    }
}
