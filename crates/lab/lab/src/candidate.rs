//! A candidate as a process: started, sent requests, stopped while others are measured, and always ended.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parcrypt_protocol::{MAX_LINE, OutputDigest, ProtocolError, Ready, Request, RequestKind, ResponseKind};

use crate::leftover::{ProgramCopy, copy_of};
use crate::method::{EXIT, LOOK, SETTLE};
use crate::placement::Placement;
use crate::plan::EntryPlan;
use crate::process_tree::{self, ProcessTree, ended};
use crate::record::{Failure, FailureKind, Measure, Sample};
use crate::system::has_ended;

/// Bytes of standard error that are kept, half of them from its start, where a trace of a stack has its cause.
const MAX_STDERR: usize = 16 << 10;
/// Time between two checks whether the user wants to stop.
const TICK: Duration = Duration::from_millis(50);
/// Time limit for a candidate that has closed its output to exit, and for the end of its standard error to arrive.
const LAST: Duration = Duration::from_secs(1);
/// Time limit for its standard output to end after it has exited: processes that it started may keep it open.
const LATE: Duration = Duration::from_millis(100);

/// Why a candidate gave no response.
#[derive(Debug)]
pub(crate) enum CandidateError {
    /// The candidate failed.
    Failed(Failure),
    /// The user wants to stop.
    Interrupted,
}

/// A running candidate. Its whole process tree is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Candidate<'run> {
    child: Child,
    pub(crate) tree: ProcessTree,
    stdin: Option<ChildStdin>,
    lines: Receiver<Result<String, ProtocolError>>,
    /// Requests that were sent.
    requests: u64,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Reads standard error to its end.
    stderr_reader: JoinHandle<()>,
    limit: Duration,
    stop: &'run AtomicBool,
    stopped: bool,
    /// Whether it is stopped while others are measured.
    must_stop: bool,
    /// Processors that it is bound to.
    processors: Option<Vec<usize>>,
    /// The one of them that its first thread stays at.
    home: Option<usize>,
    /// Time for which its threads had waited for a processor up to the last sample, in ns.
    delay_ns: u64,
    /// The samples that were asked for and not waited for, and when the candidate could begin.
    asked: VecDeque<(Request, Instant)>,
    /// Iterations of the last sample and their time, for messages.
    last: Option<(u64, Duration)>,
    /// The copy of the program that it runs, which is removed when this is dropped.
    pub(crate) copy: Option<ProgramCopy>,
}

impl<'run> Candidate<'run> {
    /// Starts the entry's command in `folder`, bound to `processors`, as the root of a process tree that can be
    /// stopped.
    pub(crate) fn start(
        entry: &EntryPlan,
        folder: &Path,
        (placement, processors): (&Placement, Option<&[usize]>),
        limit: Duration,
        stop: &'run AtomicBool,
    ) -> Result<Self, CandidateError> {
        let failed = |kind, why: String| CandidateError::Failed(Failure::new(kind, why));
        let folder = folder.join(&entry.folder);
        let mut words: Vec<OsString> = entry.command.iter().map(OsString::from).collect();
        let copy = entry.copied_word().map(|at| {
            let of = folder.join(&entry.command[at]);
            let copy = copy_of(&of).map_err(|why| match of.exists() {
                false => failed(FailureKind::Unsupported, format!("`{}` not found", of.display())),
                true => failed(FailureKind::Crash, format!("{} cannot be copied: {why}", of.display())),
            })?;
            words[at] = copy.path.as_os_str().to_owned();
            Ok::<_, CandidateError>(copy)
        });
        let copy = copy.transpose()?;
        let program = entry.command.first().map_or("", String::as_str);
        let mut command = Command::new(words.first().map_or("".as_ref(), OsString::as_os_str));
        command
            .args(words.iter().skip(1))
            .envs(&entry.env)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let marker = process_tree::mark(&mut command);
        let (mut child, tree) = placement
            .while_bound(processors, || until_closed(|| ProcessTree::start(&mut command, marker.clone())))
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound if !folder.is_dir() => failed(
                    FailureKind::Crash,
                    format!("`{program}` cannot be started: its folder is missing"),
                ),
                // A tool that is not installed costs its entry and is not an error.
                std::io::ErrorKind::NotFound => {
                    failed(FailureKind::Unsupported, format!("`{program}` not found"))
                }
                _ => failed(FailureKind::Crash, format!("`{program}` cannot be started: {error}")),
            })?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdout), Some(mut stderr_pipe)) = (stdout, stderr) else {
            return Err(failed(FailureKind::Crash, format!("`{program}` was started without pipes")));
        };
        // At most one line waits here; a candidate that writes more blocks on its pipe.
        let (send, lines) = sync_channel(1);
        let mut stdout = BufReader::new(stdout);
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                let message = match stdout.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line) {
                    // Nothing follows if a pipe cannot be read.
                    Ok(0) | Err(_) => break,
                    Ok(MAX_LINE) => Err(ProtocolError::TooLong),
                    Ok(_) => String::from_utf8(line).map_err(|_| ProtocolError::NotUtf8),
                };
                let last = message.is_err();
                if send.send(message).is_err() || last {
                    break;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&stderr);
        let stderr_reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = stderr_pipe.read(&mut buffer) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&buffer[..n]);
                if let Some(excess @ 1..) = kept.len().checked_sub(MAX_STDERR) {
                    kept.drain(MAX_STDERR / 2..MAX_STDERR / 2 + excess);
                }
            }
        });
        Ok(Candidate {
            child,
            tree,
            stdin,
            lines,
            requests: 0,
            stderr,
            stderr_reader,
            limit,
            stop,
            stopped: false,
            must_stop: false,
            processors: processors.map(<[usize]>::to_vec),
            home: None,
            delay_ns: 0,
            asked: VecDeque::new(),
            last: None,
            copy,
        })
    }

    /// Sends `prepare` and waits until the candidate is ready.
    pub(crate) fn prepare(
        &mut self,
        entry: &EntryPlan,
        input: Option<&Path>,
    ) -> Result<Ready, CandidateError> {
        if let Some(path) = input.filter(|path| path.to_str().is_none()) {
            let why = format!("its input {} is not UTF-8, as a request has to be", path.display());
            return Err(self.failed(FailureKind::ProtocolError, why));
        }
        // Samples of other work say nothing about this.
        self.last = None;
        let work = entry.work(input);
        let evict = work.evict;
        match self.ask(RequestKind::Prepare(work))? {
            ResponseKind::Ready(ready) if ready.evict == evict => Ok(ready),
            ResponseKind::Ready(_) => {
                let why = "its `ready` does not repeat `evict`: it would be measured with warm caches; update its kit";
                Err(self.failed(FailureKind::ProtocolError, why.to_owned()))
            }
            ResponseKind::Unsupported(why) => Err(self.failed(FailureKind::Unsupported, why)),
            _ => Err(self.other_kind("prepare")),
        }
    }

    /// Returns a sample of `run` iterations, of which `counted` count, after checking that the response has what the
    /// case compares.
    pub(crate) fn sample(
        &mut self,
        run: u64,
        counted: u64,
        measure: &Measure,
    ) -> Result<Sample, CandidateError> {
        self.begin_samples([run])?;
        let answer = self.answer(run)?;
        self.sample_of(answer, counted, measure)
    }

    /// Sends a request for each of these numbers of iterations, all at once, and does not wait: between two of them the
    /// candidate does not sleep. No earlier one may be unanswered.
    pub(crate) fn begin_samples<const N: usize>(&mut self, all: [u64; N]) -> Result<(), CandidateError> {
        debug_assert!(self.asked.is_empty());
        self.silent(Duration::ZERO)?;
        let begun = Instant::now();
        let requests = self.send(all.map(|iterations| RequestKind::Sample { iterations }))?;
        self.asked.extend(requests.map(|request| (request, begun)));
        Ok(())
    }

    /// Waits for the response to the first request of [`Candidate::begin_samples`] that was not waited for.
    pub(crate) fn answer(&mut self, run: u64) -> Result<parcrypt_protocol::Sample, CandidateError> {
        let Some((request, begun)) = self.asked.pop_front() else { return Err(self.other_kind("sample")) };
        let response = self.wait(&request).map_err(|error| self.expected(error, run))?;
        let response = match response {
            ResponseKind::Sample(response) => response,
            ResponseKind::Unsupported(why) => return Err(self.failed(FailureKind::Unsupported, why)),
            _ => return Err(self.other_kind("sample")),
        };
        let wall = begun.elapsed();
        if let Some(elapsed_ns) = response.elapsed_ns
            && (elapsed_ns == 0 || u128::from(elapsed_ns) > wall.as_nanos())
        {
            let why = format!("reported {elapsed_ns} ns for a sample that took {} ns", wall.as_nanos());
            return Err(self.failed(FailureKind::ProtocolError, why));
        }
        self.last = Some((run, wall));
        if let Some((_, next)) = self.asked.front_mut() {
            *next = (*next).max(begun + Duration::from_nanos(response.elapsed_ns.unwrap_or(0)));
        }
        Ok(response)
    }

    /// Returns the last answer as a sample of which `counted` iterations count, after checking that it has what the
    /// case compares. The wait for a processor since the sample before counts for this one.
    pub(crate) fn sample_of(
        &mut self,
        answer: parcrypt_protocol::Sample,
        counted: u64,
        measure: &Measure,
    ) -> Result<Sample, CandidateError> {
        let now = self.tree.delay_ns();
        let delay_ns = now.saturating_sub(std::mem::replace(&mut self.delay_ns, now));
        let parcrypt_protocol::Sample { elapsed_ns, phases, counts } = answer;
        let sample = Sample { iterations: counted, elapsed_ns, phases, counts, delay_ns, switches: 0 };
        // By its time the lab finds how many iterations are in a sample, also if it has another clock.
        let is_timed = !measure.is_time() || sample.elapsed_ns.is_some();
        if is_timed && measure.of(&sample).is_some() {
            return Ok(sample);
        }
        let why = match measure.count() {
            Some(name) if is_timed => format!("counted no `{name}`, which the case compares"),
            _ => "reported no time, which the case compares".to_owned(),
        };
        Err(self.failed(FailureKind::ProtocolError, why))
    }

    /// Returns a missed time limit with what was to be expected after the samples before.
    fn expected(&self, error: CandidateError, iterations: u64) -> CandidateError {
        match (error, self.last) {
            (CandidateError::Failed(mut failure), Some((before, took)))
                if failure.kind == FailureKind::Timeout =>
            {
                let expected = took.as_secs_f64() * iterations as f64 / before.max(1) as f64;
                failure.why += &format!(
                    ", where {before} iterations had taken {took:.1?}, so that {expected:.3} s were expected: does \
                     elapsed_ns cover all iterations that were asked for?"
                );
                CandidateError::Failed(failure)
            }
            (error, _) => error,
        }
    }

    /// Returns the digest of the candidate's last output.
    pub(crate) fn digest(&mut self) -> Result<OutputDigest, CandidateError> {
        match self.ask(RequestKind::Digest {})? {
            ResponseKind::Digest(digest) => Ok(digest),
            _ => Err(self.other_kind("digest")),
        }
    }

    /// Sends `quit`, closes its standard input, and waits until the process has exited without another line.
    pub(crate) fn quit(&mut self) -> Result<(), CandidateError> {
        self.resume();
        self.send([RequestKind::Quit {}])?;
        self.stdin = None;
        let begun = Instant::now();
        while begun.elapsed() < EXIT.min(self.limit) {
            match self.exit_status() {
                Ok(Some(status)) if status.success() => return self.silent(LATE),
                Ok(Some(status)) => {
                    let why = format!("{} after quit", ended(status));
                    return Err(self.failed(FailureKind::Crash, why));
                }
                Ok(None) => std::thread::sleep(LOOK),
                Err(_) => break,
            }
        }
        Err(self.failed(FailureKind::Timeout, "did not end after quit".to_owned()))
    }

    /// Waits until standard output ends, at most `limit`, and returns an error for a line that comes without a request.
    fn silent(&mut self, limit: Duration) -> Result<(), CandidateError> {
        match self.lines.recv_timeout(limit) {
            Ok(Ok(line)) => Err(self.protocol(ProtocolError::unrequested(&line))),
            Ok(Err(error)) => Err(self.protocol(error)),
            Err(_) => Ok(()),
        }
    }

    /// Returns the exit status, if the process has exited.
    fn exit_status(&mut self) -> std::io::Result<Option<ExitStatus>> {
        // An error means that it was waited for before.
        if !has_ended(&mut self.child).unwrap_or(true) {
            return Ok(None);
        }
        // After the wait, another process group may have its number.
        self.tree.end();
        self.child.try_wait()
    }

    /// Takes a sample and returns its time in ns, and the same without the time in which others had the processor: that
    /// for which its busiest thread ran, if it is less, but at least a quarter, because a candidate may work where
    /// the lab does not see it.
    pub(crate) fn time_without_others(
        &mut self,
        iterations: u64,
        measure: &Measure,
    ) -> Result<(u64, u64), CandidateError> {
        let before = self.tree.run_times();
        let elapsed = self.sample(iterations, iterations, measure)?.elapsed_ns.unwrap_or_default();
        std::thread::sleep(SETTLE);
        let after = self.tree.run_times();
        let ran = after.iter().zip(&before).map(|(after, before)| after.saturating_sub(*before)).max();
        Ok((elapsed, ran.map_or(elapsed, |ran| ran.clamp(elapsed / 4, elapsed))))
    }

    /// Returns how long its first thread has run, and all threads and processes that it started, in ns; `None` if the
    /// system does not say so, as of processes that go on.
    pub(crate) fn used(&mut self) -> Option<(u64, u64)> {
        std::thread::sleep(SETTLE);
        self.tree.used()
    }

    /// Returns the time from the request to the response of the last sample.
    pub(crate) fn last_wall(&self) -> Duration {
        self.last.map_or(Duration::ZERO, |(_, wall)| wall)
    }

    /// Returns the processors that it is bound to.
    pub(crate) fn processors(&self) -> Option<&[usize]> {
        self.processors.as_deref()
    }

    /// Calls `f` while the first thread is bound to one of its processors. There it stays after that, as long as the
    /// processor is free when it wakes up.
    pub(crate) fn at_home<T>(&mut self, home: Option<usize>, f: impl FnOnce(&mut Self) -> T) -> T {
        let Some((home, all)) = home.zip(self.processors.clone()).filter(|(_, all)| all.len() > 1) else {
            return f(self);
        };
        self.tree.bind_leader(&[home]);
        let result = f(self);
        self.tree.bind_leader(&all);
        result
    }

    /// Binds the first thread, and what it starts from now on, to one of its processors.
    pub(crate) fn stay_at(&mut self, home: usize) {
        let is_bound = self.processors.as_ref().is_some_and(|all| all.len() == 1);
        if self.home.replace(home) != Some(home) && !is_bound {
            self.tree.bind_leader(&[home]);
        }
    }

    /// Binds all its threads to other processors.
    pub(crate) fn bind(&mut self, processors: &[usize]) {
        self.tree.bind(processors);
        self.home = None;
        self.processors = Some(processors.to_vec());
    }

    /// Begins the turns: from now on [`Candidate::pause`] stops it if `stop` is set.
    pub(crate) fn begin_turns(&mut self, stop: bool) -> Result<(), CandidateError> {
        self.observe();
        self.must_stop = stop;
        self.pause()
    }

    /// Counts from now on how long the threads that it has now wait for a processor.
    pub(crate) fn observe(&mut self) {
        self.tree.observe();
        self.delay_ns = self.tree.delay_ns();
    }

    /// Stops the whole process tree, so that nothing of it runs while others are measured, unless it only waits.
    pub(crate) fn pause(&mut self) -> Result<(), CandidateError> {
        if !self.must_stop {
            return Ok(());
        }
        self.stopped = true;
        self.tree.stop().map_err(|why| self.failed(FailureKind::Timeout, why.to_string()))
    }

    /// Resumes the process tree.
    pub(crate) fn resume(&mut self) {
        if self.stopped {
            self.tree.resume();
            self.stopped = false;
        }
    }

    /// Sends a request, after checking that nothing came without one, and returns the response.
    pub(crate) fn ask(&mut self, kind: RequestKind) -> Result<ResponseKind, CandidateError> {
        // Only a line that has arrived is seen here; one that is still on its way has another `id`.
        self.silent(Duration::ZERO)?;
        let [request] = self.send([kind])?;
        self.wait(&request)
    }

    /// Sends requests at once.
    fn send<const N: usize>(&mut self, kinds: [RequestKind; N]) -> Result<[Request; N], CandidateError> {
        let requests = kinds.map(|kind| {
            self.requests += 1;
            Request { id: self.requests, kind }
        });
        let lines: String = requests.iter().map(|request| text(request) + "\n").collect();
        let written =
            self.stdin.as_mut().map(|stdin| stdin.write_all(lines.as_bytes()).and_then(|()| stdin.flush()));
        match written {
            Some(Ok(())) => Ok(requests),
            _ => Err(self.gone(lines.lines().next().unwrap_or_default())),
        }
    }

    /// Waits for the response to a request.
    fn wait(&mut self, request: &Request) -> Result<ResponseKind, CandidateError> {
        let begun = Instant::now();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(CandidateError::Interrupted);
            }
            let left = self.limit.saturating_sub(begun.elapsed());
            match self.lines.recv_timeout(left.min(TICK)) {
                Ok(line) => {
                    let response = line.and_then(|line| request.parse_response(&line));
                    return response.map_err(|error| self.protocol(error));
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    let why = format!("gave no response in {} s to {}", self.limit.as_secs(), text(request));
                    return Err(self.failed(FailureKind::Timeout, why));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone(&text(request))),
            }
        }
    }

    fn protocol(&mut self, error: ProtocolError) -> CandidateError {
        self.failed(FailureKind::ProtocolError, error.to_string())
    }

    /// Returns the failure of a candidate whose response is of another kind than the request.
    fn other_kind(&mut self, request: &str) -> CandidateError {
        self.failed(FailureKind::ProtocolError, format!("gave another kind of response to {request}"))
    }

    /// Returns the failure of a candidate that has closed its output, after a short time in which it may exit.
    fn gone(&mut self, request: &str) -> CandidateError {
        let begun = Instant::now();
        let mut status = None;
        while status.is_none() && begun.elapsed() < LAST {
            std::thread::sleep(LOOK);
            status = self.exit_status().ok().flatten();
        }
        let how = status.map_or_else(|| "closed its output".to_owned(), ended);
        self.failed(FailureKind::Crash, format!("{how} instead of answering {request}"))
    }

    /// Returns a failure with the end of its standard error.
    pub(crate) fn failed(&mut self, kind: FailureKind, why: String) -> CandidateError {
        if kind == FailureKind::Crash {
            // The last of standard error may still be in the pipe. A process that it started may keep the pipe open.
            let begun = Instant::now();
            let is_over = || begun.elapsed() > LAST || self.stop.load(Ordering::Relaxed);
            while !self.stderr_reader.is_finished() && !is_over() {
                std::thread::sleep(LOOK);
            }
        }
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        CandidateError::Failed(Failure { kind, why, stderr })
    }
}

impl Drop for Candidate<'_> {
    fn drop(&mut self) {
        // The tree is also ended if the root has exited normally: processes that it started may be left.
        self.tree.end();
        // The tree may not have found it, as where `/proc` is not mounted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a program, again as long as its file is open for writing: another thread that starts a program at the same
/// time inherits the file until it is replaced.
fn until_closed<T>(mut start: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    const TRIES: usize = 200;
    const PAUSE: Duration = Duration::from_millis(1);
    for _ in 0..TRIES {
        match start() {
            Err(why) if why.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::sleep(PAUSE),
            started => return started,
        }
    }
    start()
}

fn text(request: &Request) -> String {
    serde_json::to_string(request).unwrap_or_default()
}
