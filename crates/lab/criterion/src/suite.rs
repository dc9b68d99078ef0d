//! A suite under the lab: the list of its benchmarks, and the answers to the lab's requests.
//!
//! The variable `PARLAB_SUITE` is `list` or `candidate`. In both, the process's own standard output is for the lab, and
//! what the suite prints goes to standard error.
//!
//! With `list` no benchmark runs, and each is a line, in the order in which they are found, such as
//! `{"benchmark":"group/function/parameter"}`. `"skip":"why"` marks what cannot be measured. The last line is
//! `{"end":3}`, with the number of lines before it; without it the suite ended early.
//!
//! With `candidate` the process speaks the lab's protocol for one benchmark, whose name is the workload. All that the
//! suite does before that benchmark calls `Bencher::iter` or its like is preparation. Then each `sample` is answered by
//! a loop inside that call, until `quit` ends the process. The digest is the SHA-256 of no bytes: a benchmark has no
//! output.

use std::collections::HashSet;
use std::io::{BufRead, ErrorKind, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::bencher::Bencher;
use crate::measurement::Measurement;
use crate::request::{self, quoted, Request};
use crate::stdio::{self, Streams};

/// The text by which a program is known for a suite with this package, and the version of what `PARLAB_SUITE` asks.
const MARKER: &str = "parlab-suite-stub 1";

/// Longest request with its end of line, in bytes, as in the protocol.
const MAX_LINE: u64 = 1 << 20;

/// SHA-256 of no bytes.
const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Exit code after an error.
const STATUS_ERROR: i32 = 2;

/// Whether the main thread panicked, and nothing here caught it.
static PANICKED: AtomicBool = AtomicBool::new(false);

static SUITE: OnceLock<Suite> = OnceLock::new();

/// What the lab asked of this process.
pub(crate) struct Suite {
    streams: Mutex<Streams>,
    /// The number of the request `prepare` and its benchmark; nothing if the benchmarks are to be listed.
    wanted: Option<(u64, String)>,
    /// Names that were found, and the number of lines for them.
    found: Mutex<(HashSet<String>, u64)>,
    /// Functions of the suite that panicked before the benchmark was found.
    panics: Mutex<Vec<String>>,
    /// Whether the benchmark was found.
    reached: AtomicBool,
    /// Whether everything was said.
    ended: AtomicBool,
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
    let mut streams = stdio::take().unwrap_or_else(|error| fail(&format!("the standard streams: {error}")));
    let wanted = candidate.then(|| first(&mut streams));
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // Rust gives no other thread this name.
        PANICKED.fetch_or(std::thread::current().name() == Some("main"), Ordering::Relaxed);
        hook(info);
    }));
    stdio::at_exit(at_exit);
    Suite {
        streams: Mutex::new(streams),
        wanted,
        found: Mutex::default(),
        panics: Mutex::default(),
        reached: AtomicBool::new(false),
        ended: AtomicBool::new(false),
    }
}

/// Ends a suite whose `main` is its own, and one that calls `exit`.
extern "C" fn at_exit() {
    if let Some(suite) = SUITE.get() {
        if !PANICKED.load(Ordering::Relaxed) {
            suite.end();
        }
    }
}

/// Returns the first request `prepare`, after which the suite runs.
fn first(streams: &mut Streams) -> (u64, String) {
    match streams.work() {
        Some((id, Request::Prepare(name))) => (id, name),
        Some(_) => fail("a request came before `prepare`"),
        None => std::process::exit(0),
    }
}

fn refusal(id: u64, why: &str) -> String {
    format!("{{\"id\":{id},\"unsupported\":{}}}", quoted(why))
}

/// Writes why the process cannot go on to standard error, and ends it.
fn fail(why: &str) -> ! {
    if let Some(suite) = SUITE.get() {
        suite.ended.store(true, Ordering::Relaxed);
    }
    let _ = writeln!(std::io::stderr(), "error: {why}");
    std::process::exit(STATUS_ERROR)
}

impl Streams {
    /// Returns the next request; nothing at the end of input.
    fn request(&mut self) -> Option<(u64, Request)> {
        let mut line = Vec::new();
        if let Err(error) = self.requests.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line) {
            fail(&format!("standard input: {error}"));
        }
        if line.is_empty() {
            return None;
        }
        if line.len() as u64 > MAX_LINE {
            fail(&format!("a request of over {MAX_LINE} bytes"));
        }
        let Ok(text) = std::str::from_utf8(&line) else { fail("a request that is not UTF-8") };
        match request::parse(text) {
            Ok(request) => Some(request),
            Err(error) => fail(&format!("`{}` is no request: {error}", text.trim_end())),
        }
    }

    /// Returns the next request for work; nothing if there is no more.
    fn work(&mut self) -> Option<(u64, Request)> {
        loop {
            match self.request()? {
                (id, Request::Other) => self.answer(&refusal(id, "a suite does not answer this request")),
                (_, Request::Quit) => return None,
                request => return Some(request),
            }
        }
    }

    fn send(&mut self, line: &str) -> std::io::Result<()> {
        self.answers.write_all(format!("{line}\n").as_bytes())?;
        self.answers.flush()
    }

    /// Writes a line. If the lab is gone, the process ends.
    fn answer(&mut self, line: &str) {
        match self.send(line) {
            Ok(()) => (),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                if let Some(suite) = SUITE.get() {
                    suite.ended.store(true, Ordering::Relaxed);
                }
                std::process::exit(0)
            }
            Err(error) => fail(&format!("standard output: {error}")),
        }
    }
}

/// Returns the value behind a lock. A panic elsewhere does not make it wrong.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Suite {
    /// Lists a benchmark, or measures it if it is the one that was asked for.
    pub(crate) fn benchmark<M: Measurement>(
        &'static self,
        name: &str,
        measurement: &M,
        f: impl FnOnce(&mut Bencher<'_, M>),
    ) {
        let unit = measurement.formatter().scale_for_machines(&mut [1.0]);
        let why = format!("its measurement is in {unit:?}, and not in ns");
        let Some((id, wanted)) = &self.wanted else {
            return self.list(name, if unit == "ns" { None } else { Some(&why) });
        };
        // Of two with one name, the first is meant.
        if wanted != name || self.reached.swap(true, Ordering::Relaxed) {
            return;
        }
        if unit != "ns" {
            self.refuse(*id, &why);
        }
        let candidate = Candidate { suite: self, id: *id, name: wanted, ready: false, sampled: false };
        f(&mut Bencher::new(measurement, candidate));
        // A call of `iter` does not return.
        self.refuse(*id, "it does not call `iter`, or a function like it");
    }

    fn list(&self, name: &str, why: Option<&str>) {
        let mut found = locked(&self.found);
        let second = !found.0.insert(name.to_owned());
        found.1 += 1;
        let mut line = format!("{{\"benchmark\":{}", quoted(name));
        if let Some(why) = why.or_else(|| second.then_some("another benchmark before it has the same name")) {
            line.push_str(&format!(",\"skip\":{}", quoted(why)));
        }
        locked(&self.streams).answer(&(line + "}"));
    }

    /// Notes that a function of the suite panicked, and goes on with the others; if it panicked in the benchmark that
    /// was asked for, so does the process.
    pub(crate) fn panicked(&self, function: &str, payload: Box<dyn std::any::Any + Send>) {
        if self.reached.load(Ordering::Relaxed) {
            std::panic::resume_unwind(payload);
        }
        PANICKED.store(false, Ordering::Relaxed);
        let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        if self.wanted.is_none() {
            self.list(function, Some(&format!("the function panicked: {text}")));
        }
        locked(&self.panics).push(format!("; `{function}` panicked: {text}"));
    }

    /// Says that the whole suite was seen, once. It returns, because `exit` may have called it.
    pub(crate) fn end(&self) {
        if self.ended.swap(true, Ordering::Relaxed) || self.reached.load(Ordering::Relaxed) {
            return;
        }
        match &self.wanted {
            None => {
                let count = locked(&self.found).1;
                // The exit code says whether the suite was seen, if the lab is gone.
                let _ = locked(&self.streams).send(&format!("{{\"end\":{count}}}"));
            }
            Some((id, _)) => {
                let panics = locked(&self.panics).concat();
                let why = format!("the suite ended, and has no benchmark of this name{panics}");
                self.say_unsupported(*id, &why);
            }
        }
    }

    /// Answers that the benchmark cannot be measured, and waits until the lab has read that.
    fn say_unsupported(&self, id: u64, why: &str) {
        let mut streams = locked(&self.streams);
        if streams.send(&refusal(id, why)).is_ok()
            && !matches!(streams.request(), Some((_, Request::Quit)) | None)
        {
            fail("a request came after `unsupported`");
        }
    }

    fn refuse(&self, id: u64, why: &str) -> ! {
        self.ended.store(true, Ordering::Relaxed);
        self.say_unsupported(id, why);
        std::process::exit(0)
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
    /// Refuses the benchmark before its first sample.
    pub(crate) fn refuse(&self, why: &str) -> ! {
        self.suite.refuse(self.id, why)
    }

    /// Returns the number of iterations of the next sample. The end of requests ends the process.
    pub(crate) fn next(&mut self) -> u64 {
        let mut streams = locked(&self.suite.streams);
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
                None => {
                    self.suite.ended.store(true, Ordering::Relaxed);
                    std::process::exit(0)
                }
            }
        }
    }

    /// Answers a sample with its time in ns, which is at most the time that passed.
    pub(crate) fn record(&mut self, ns: f64, passed: f64) {
        if let Err(why) = check(ns, passed) {
            fail(&format!("the sample: {why}"));
        }
        // What takes less than the resolution of the clock takes some time.
        let ns = ns.max(1.0) as u64;
        #[cfg(not(counting))]
        locked(&self.suite.streams).answer(&format!("{{\"id\":{},\"elapsed_ns\":{ns}}}", self.id));
        #[cfg(counting)]
        {
            let counts = crate::counting::NAMES.iter().zip(crate::counting::take());
            let counts: Vec<_> = counts.map(|(name, count)| format!("\"{name}\":{count}")).collect();
            let counts = counts.join(",");
            // Its time is longer by the counting.
            let _ = ns;
            locked(&self.suite.streams).answer(&format!("{{\"id\":{},\"counts\":{{{counts}}}}}", self.id));
        }
        self.sampled = true;
    }
}

/// Returns whether a time in ns can be the time of work that took `passed` ns with everything around it.
///
/// # Errors
/// It is no time, or a longer one.
pub(crate) fn check(ns: f64, passed: f64) -> Result<(), String> {
    match ns.is_finite() && ns >= 0.0 {
        true if ns <= passed => Ok(()),
        true => Err(format!("its time is {ns} ns, and only {passed} ns passed")),
        false => Err(format!("its time is {ns} ns")),
    }
}
