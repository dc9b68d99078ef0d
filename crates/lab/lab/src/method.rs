//! The version of the method, and the numbers that tune it. Each says what it was chosen by; measurements are in
//! `crates/lab/TRIED.md`. Statistical choices are in `parcrypt-stats`.

use std::time::Duration;

use crate::record::Record;

/// Version of the method: raised by each change of how samples are taken, or what the statistics make of them, after
/// which trials with equal programs and planted differences are taken again.
pub const METHOD: u32 = 6;

/// Returns why a record is no evidence for a claim, in a sentence: it was measured by another method. `None` if it is.
pub fn outdated(record: &Record) -> Option<String> {
    let with = record.method.map_or("an earlier method".to_owned(), |method| format!("method {method}"));
    (record.method != Some(METHOD)).then(|| {
        format!(
            "Measured with {with}; the lab is at method {METHOD}, so this does not show how well it measures."
        )
    })
}

/// Minimum time of a sample of a plan that has none. Half widths were 0.2 to 0.5 % with 4 ms, and 0.8 to 2 % with 86.
pub(crate) const SAMPLE_MS: f64 = 4.0;
/// Minimum time of a sample in a suite. Shorter ones are more exact, down to the 0.2 ms of handing over.
pub(crate) const SUITE_SAMPLE_MS: f64 = 0.25;
/// Minimum time of a sample whose iterations are processes, and for which iterations are counted: waking or stopping
/// threads, or a request by itself, would be a large part of a shorter one.
pub(crate) const SHORTEST_SAMPLE: Duration = Duration::from_millis(1);
/// Time of a case of a plan that has none, in s.
pub(crate) const CASE_S: f64 = 10.0;

/// Blocks after which the length of a round is chosen: enough for a median of the noise.
pub(crate) const PILOT: usize = 4;
/// Bounds of the time of the turns of a round, if it is chosen: its starts take 5 to 30 ms, and a slow spell of a
/// virtual machine about a second.
pub(crate) const TURNS: [Duration; 2] = [Duration::from_millis(80), Duration::from_secs(1)];
/// Lower bound of that if [`ENOUGH_SAMPLES`] take less.
pub(crate) const SHORTEST_TURNS: Duration = Duration::from_millis(20);
/// Number of samples whose median is hardly better with more.
pub(crate) const ENOUGH_SAMPLES: u32 = 20;
/// Time of the turns of a round if the number of rounds is given and their time is not.
pub(crate) const USUAL_TURNS: Duration = Duration::from_millis(500);
/// Rounds that a case has at least in its time, if the processes start fast enough. In simulations 24 find a planted
/// 3 % in noise of 1 %.
pub(crate) const WANTED_ROUNDS: u32 = 24;
/// Rounds for which samples are made fewer if the time is short: enough for an interval, and a quarter more because
/// rounds differ.
pub(crate) const ROUNDS_TO_FIT: u32 = 10;
/// Turn of all entries up to which a round has six samples or more; of longer ones two are what one can afford.
pub(crate) const LONG_TURN: Duration = Duration::from_millis(100);
/// Multiple of the rounds for an interval up to which a change that waits for its correction comes before others. A
/// clear one needs 16 or 27 blocks among a hundred benchmarks.
pub(crate) const WAITING: usize = 4;
/// Part of the time limit by which a case may exceed it with the last rounds that its interval needs.
pub(crate) const EXCESS: u32 = 10;

/// Time from which on an iteration of a process of its own is not run again to find how many are in a sample: a command
/// may be slower than a sample only because it ran for the first time.
pub(crate) const LONG_ITERATION: Duration = Duration::from_millis(50);
/// The overhead of a sample is at most this many times its time; a sample is shorter, down to one iteration, if that
/// would be exceeded.
pub(crate) const SLOWEST: u64 = 20;
/// A sample up to this time in ns is repeated while iterations are counted, because a pause of the machine makes few
/// iterations look long enough.
pub(crate) const REPEAT_NS: u64 = 1_000_000_000;
/// Time in ns up to which it is repeated further until several agree. With clock time, next to an endless loop on each
/// core, one of two equal entries got half as many iterations.
pub(crate) const AGREE_NS: u64 = 100_000_000;
/// Factor of iterations after which the time must have grown at least twofold, and that for slow iterations.
pub(crate) const GROWTH: [u64; 2] = [1_000_000, 100];
/// Factor up to which entries of different speed have the same number of iterations: next to other work one of two
/// equal programs may seem to take twice as long.
pub(crate) const SIMILAR: f64 = 3.0;
/// Part of the work that may be done outside of the first thread of a program that is kept on one processor.
pub(crate) const OTHER_THREADS: u64 = 100;
/// Greatest memory in bytes that moves the pages of a block, so that not every block has the same luck.
pub(crate) const SHUFFLED: u64 = 256 << 20;
/// Number of candidates that may wait for their next round.
pub(crate) const WAITING_CANDIDATES: usize = 64;

/// Part of a sample's time that its threads may wait for a processor before it counts as disturbed.
pub(crate) const MAX_DELAY: f64 = 0.02;
/// Threads of a tree whose delays are counted: each takes an open file.
pub(crate) const OBSERVED_THREADS: usize = 32;
/// Time in which a candidate that has answered begins to wait. The system counts run time up to then.
pub(crate) const SETTLE: Duration = Duration::from_micros(100);
/// Time in which a tree that has nothing to do is observed, and the part of it that one processor may be busy.
pub(crate) const IDLE: (Duration, f64) = (Duration::from_millis(4), 0.05);
/// Time after which a process that waits in a system call counts as stopped: it runs none of its own code there, and is
/// stopped before it returns.
pub(crate) const IN_SYSTEM_CALL: Duration = Duration::from_millis(100);
/// Time between two looks at processes that are about to stop or to exit.
pub(crate) const LOOK: Duration = Duration::from_micros(200);
/// Time limit for a tree to stop, or to exit after `quit` or after it was killed.
pub(crate) const EXIT: Duration = Duration::from_secs(10);

/// Iterations that a process counts, one at a time, in a suite whose iterations are counted. The first one before them
/// may initialise something.
pub(crate) const COUNTED_ITERATIONS: usize = 8;
/// Times after which a process counts no further iteration, and a benchmark whose counts vary gets no further process.
pub(crate) const COUNTING: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(20)];

/// Part of the time for which the record is written at most, because that grows with the record.
pub(crate) const SAVING: u32 = 30;

/// Time for each benchmark of a suite, and for all of them at least. Trials with planted changes had these too.
pub const SUITE_TIME: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(15)];
/// Time for each benchmark of which a value is a process: eighteen rounds of processes that take half a second.
pub const SUITE_TIME_OF_PROCESSES: Duration = Duration::from_secs(20);
/// Difference up to which a benchmark is called the same.
pub const SUITE_THRESHOLD: f64 = 0.01;
/// Memory layouts of each program: k of them can show a change with a p value of 2^(1−k), and to be one of a hundred
/// benchmarks it needs less than a ten-thousandth of the share of a look, such as 1/42.
pub const SUITE_LAYOUTS: usize = 24;
/// Share of the turns in which a thread of any entry waited for a processor, and share of the time of the lab's
/// processors that the hypervisor took, from which on a report calls the machine busy.
pub const BUSY: [f64; 2] = [0.1, 0.05];
