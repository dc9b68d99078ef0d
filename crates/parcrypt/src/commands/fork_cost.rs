//! The measured time to go parallel.

use std::time::{Duration, Instant};

use parcrypt_runtime::{ForkCost, Runtime};

/// Idle time after which workers sleep. Those of libgomp spin for some milliseconds.
pub(super) const IDLE: Duration = Duration::from_millis(20);

/// Measures a call with an empty task for each thread, for half a second at most: medians of calls right after each
/// other, and of calls after [`IDLE`].
pub(super) fn measure(runtime: &dyn Runtime) -> ForkCost {
    let once = || {
        let begun = Instant::now();
        runtime.run(runtime.threads().get(), &|_| {});
        u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    };
    let sample = |most: usize, limit: Duration, idle: Option<Duration>| {
        let begun = Instant::now();
        let mut times = Vec::new();
        while times.len() < most && (times.is_empty() || begun.elapsed() < limit) {
            idle.into_iter().for_each(std::thread::sleep);
            times.push(once());
        }
        times.sort_unstable();
        times[times.len() / 2]
    };
    once();
    let spinning_ns = sample(1000, Duration::from_millis(100), None);
    let asleep_ns = sample(15, Duration::from_millis(400), Some(IDLE));
    ForkCost { spinning_ns, asleep_ns }
}
