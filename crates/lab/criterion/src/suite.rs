//! A suite under the lab: the list of its benchmarks, and the answers to the lab's requests.
//!
//! The variable `PARLAB_SUITE` is `list` or `candidate`. In both, the process's own standard output is for the lab, and
//! what the suite prints goes to standard error.
//!
//! With `list` no benchmark runs, and each is a line, in the order in which they are found, such as
//! `{"benchmark":"group/function/parameter"}`. `"skip":"why"` marks what cannot be measured, and `"failed":"why"` a
//! function that panicked, whose benchmarks are not all listed. The last line is `{"end":3}`, with the number of lines
//! before it; without it the suite ended early.
//!
//! With `candidate` the process speaks the lab's protocol for one benchmark, whose name is the workload. All that the
//! suite does before that benchmark calls `Bencher::iter` or its like is preparation. Then each `sample` is answered by
//! a loop inside that call, until `quit` ends the process. The digest is the SHA-256 of no bytes: a benchmark has no
//! output.

use std::any::Any;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::request::{quoted, Request};
use crate::stdio::{self, fail, Streams};

/// The text by which a program is known for a suite with this package, and the version of what `PARLAB_SUITE` asks.
const MARKER: &str = "parlab-suite-stub 1";

/// SHA-256 of no bytes.
const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static SUITE: OnceLock<Suite> = OnceLock::new();

/// What the lab asked of this process.
pub(crate) struct Suite {
    streams: Mutex<Streams>,
    /// The number of the request `prepare` and its benchmark; nothing if the benchmarks are to be listed.
    wanted: Option<(u64, String)>,
    /// Number of lines of the list so far.
    listed: AtomicU64,
    /// Whether the wanted benchmark was found.
    reached: AtomicBool,
}

/// Returns what the lab asked of this process; the first call takes its standard streams.
pub(crate) fn get() -> &'static Suite {
    SUITE.get_or_init(begin)
}

fn begin() -> Suite {
    let Some(asked) = std::env::var_os("PARLAB_SUITE") else {
        fail("it runs under `parlab suite`, which built it")
    };
    let candidate = match asked.to_str() {
        Some("list") => false,
        Some("candidate") => true,
        _ => fail(&format!("{MARKER}: PARLAB_SUITE is {asked:?}: it can be `list` or `candidate`")),
    };
    let mut streams = Streams::take().unwrap_or_else(|error| fail(&format!("the standard streams: {error}")));
    let wanted = candidate.then(|| match streams.work() {
        Some((id, Request::Prepare(name))) => (id, name),
        Some(_) => fail("a request came before `prepare`"),
        None => std::process::exit(0),
    });
    stdio::at_exit(end);
    Suite { streams: Mutex::new(streams), wanted, listed: AtomicU64::new(0), reached: AtomicBool::new(false) }
}

/// Says at the end of the process that the whole suite was seen. Its exit code says whether that is so.
extern "C" fn end() {
    let Some(suite) = SUITE.get() else { return };
    if suite.wanted.is_none() {
        let _ = suite.streams().send(&format!("{{\"end\":{}}}", suite.listed.load(Ordering::Relaxed)));
    } else if !suite.reached.load(Ordering::Relaxed) {
        let _ = writeln!(std::io::stderr(), "error: the suite ended, and has no benchmark of this name");
    }
}

impl Suite {
    /// Returns the streams. A panic elsewhere does not make them wrong.
    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists a benchmark whose values have this unit; returns the candidate if it is the one that was asked for.
    pub(crate) fn benchmark(&'static self, name: &str, unit: &str) -> Option<Candidate> {
        let why = (unit != "ns").then(|| format!("its measurement is in {unit:?}, and not in ns"));
        let Some((id, wanted)) = &self.wanted else {
            self.list(name, why.as_deref().map(|why| ("skip", why)));
            return None;
        };
        // Of two with one name, the first is meant.
        if wanted != name || self.reached.swap(true, Ordering::Relaxed) {
            return None;
        }
        let candidate = Candidate { suite: self, id: *id, name: wanted, ready: false, sampled: false };
        match why {
            Some(why) => candidate.refuse(&why),
            None => Some(candidate),
        }
    }

    fn list(&self, name: &str, why: Option<(&str, &str)>) {
        let why = why.map_or(String::new(), |(key, why)| format!(",\"{key}\":{}", quoted(why)));
        self.listed.fetch_add(1, Ordering::Relaxed);
        // If the lab has ended, the list has no reader.
        let _ = self.streams().send(&format!("{{\"benchmark\":{}{why}}}", quoted(name)));
    }

    /// Lists a function of the suite that panicked, and goes on with the others; if it panicked in the benchmark that
    /// was asked for, so does the process.
    pub(crate) fn panicked(&self, function: &str, payload: Box<dyn Any + Send>) {
        if self.reached.load(Ordering::Relaxed) {
            std::panic::resume_unwind(payload);
        }
        if self.wanted.is_none() {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            self.list(function, Some(("failed", &format!("the function panicked: {text}"))));
        }
    }
}

/// The benchmark that was asked for, from its call of `iter` on.
pub(crate) struct Candidate {
    suite: &'static Suite,
    /// The number of the request that is to be answered.
    id: u64,
    name: &'static str,
    ready: bool,
    sampled: bool,
}

impl Candidate {
    /// Answers that the benchmark cannot be measured, and ends the process when the lab has read that.
    pub(crate) fn refuse(&self, why: &str) -> ! {
        let mut streams = self.suite.streams();
        streams.answer(&format!("{{\"id\":{},\"unsupported\":{}}}", self.id, quoted(why)));
        match streams.work() {
            None => std::process::exit(0),
            Some(_) => fail("a request came after `unsupported`"),
        }
    }

    /// Returns the number of iterations of the next sample. The end of requests ends the process.
    pub(crate) fn next(&mut self) -> u64 {
        let mut streams = self.suite.streams();
        if !self.ready {
            // The lab subtracts what counts without iterations.
            #[cfg(counting)]
            {
                crate::counting::start();
                crate::counting::stop();
                crate::counting::take();
            }
            let name = quoted(self.name);
            streams.answer(&format!("{{\"id\":{},\"ready\":{{\"name\":{name}}}}}", self.id));
            self.ready = true;
        }
        loop {
            match streams.work() {
                Some((id, Request::Sample(iterations))) => {
                    self.id = id;
                    return iterations;
                }
                Some((id, Request::Digest)) if self.sampled => {
                    streams.answer(&format!("{{\"id\":{id},\"digest\":\"{DIGEST}\"}}"));
                }
                Some((_, Request::Digest)) => fail("`digest` came before the first `sample`"),
                Some(_) => fail("`prepare` came a second time"),
                None => std::process::exit(0),
            }
        }
    }

    /// Answers a sample with its time in ns, which is at most the time that passed.
    pub(crate) fn record(&mut self, ns: f64, passed: Duration) {
        if let Err(why) = check(ns, passed) {
            fail(&format!("the sample: {why}"));
        }
        #[cfg(not(counting))]
        // What takes less than the resolution of the clock takes some time.
        let result = format!("\"elapsed_ns\":{}", ns.max(1.0) as u64);
        #[cfg(counting)]
        let result = {
            // Its time is longer by the counting.
            let counts = crate::counting::NAMES.iter().zip(crate::counting::take());
            let counts: Vec<_> = counts.map(|(name, count)| format!("\"{name}\":{count}")).collect();
            format!("\"counts\":{{{}}}", counts.join(","))
        };
        self.suite.streams().answer(&format!("{{\"id\":{},{result}}}", self.id));
        self.sampled = true;
    }
}

/// Checks that a time in ns can be the time of work that took `passed` with everything around it.
pub(crate) fn check(ns: f64, passed: Duration) -> Result<(), String> {
    let passed = passed.as_nanos() as f64;
    match (0.0..=passed).contains(&ns) {
        true => Ok(()),
        false => Err(format!("its time is {ns} ns, and only {passed} ns passed")),
    }
}
