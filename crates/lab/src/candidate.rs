//! A candidate as a process: started, asked, stopped while others are measured, and ended whatever happens.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::plan::EntryPlan;
use crate::process_tree::{self, ProcessTree};
use crate::protocol::{Prepare, Request, Response};
use crate::record::{Failure, FailureKind, Measure, Ready, Sample};

/// Longest line that is taken for an answer.
const MOST_LINE: usize = 1 << 20;
/// How much of the end of standard error is kept.
const MOST_STDERR: usize = 16 << 10;
/// How often a wait looks whether the user wants to stop.
const TICK: Duration = Duration::from_millis(50);
/// How long a candidate may take to end after `quit`.
const QUIT: Duration = Duration::from_secs(5);

/// Why a candidate gave no answer.
#[derive(Debug)]
pub(crate) enum CandidateError {
    /// It is the candidate's own fault.
    Failed(Failure),
    /// The user wants to stop.
    Interrupted,
}

/// A running candidate. Its whole tree is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Candidate<'run> {
    child: Child,
    tree: ProcessTree,
    stdin: Option<ChildStdin>,
    lines: Receiver<std::io::Result<String>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    limit: Duration,
    stop: &'run AtomicBool,
    stopped: bool,
}

impl<'run> Candidate<'run> {
    /// Starts the entry's command in `folder`, as the first of a tree that can be stopped.
    pub(crate) fn start(
        entry: &EntryPlan,
        folder: &Path,
        limit: Duration,
        stop: &'run AtomicBool,
    ) -> Result<Self, CandidateError> {
        let (program, arguments) =
            entry.command.split_first().map_or(("", &[][..]), |(p, a)| (p.as_str(), a));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(&entry.env)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mark = process_tree::mark(&mut command);
        let mut child = command.spawn().map_err(|e| match e.kind() {
            // A tool that is not installed costs its entry and is no error.
            std::io::ErrorKind::NotFound => {
                failed(FailureKind::Unsupported, format!("`{program}` is not there"), "")
            }
            _ => failed(FailureKind::Crash, format!("`{program}` cannot be started: {e}"), ""),
        })?;
        let leader = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
        let tree = ProcessTree::of(leader, mark);
        let (stdin, stdout, said) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdout), Some(mut said)) = (stdout, said) else {
            return Err(failed(FailureKind::Crash, format!("`{program}` was started without pipes"), ""));
        };
        // One line waits at most: whoever writes more than is asked for waits in its own pipe.
        let (send, lines) = sync_channel(1);
        let mut stdout = BufReader::new(stdout);
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                let read = stdout.by_ref().take(MOST_LINE as u64).read_until(b'\n', &mut line);
                let message = match read {
                    Ok(0) => break,
                    Ok(MOST_LINE) => Err(std::io::Error::other("a line of over 1 MiB")),
                    Ok(_) => String::from_utf8(line).map_err(std::io::Error::other),
                    Err(e) => Err(e),
                };
                let last = message.is_err();
                if send.send(message).is_err() || last {
                    break;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&stderr);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = said.read(&mut buffer) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&buffer[..n]);
                let excess = kept.len().saturating_sub(MOST_STDERR);
                kept.drain(..excess);
            }
        });
        Ok(Candidate { child, tree, stdin, lines, stderr, limit, stop, stopped: false })
    }

    /// Tells it what to do and waits until it is ready.
    pub(crate) fn prepare(
        &mut self,
        entry: &EntryPlan,
        input: Option<&Path>,
    ) -> Result<Ready, CandidateError> {
        let prepare = Prepare {
            workload: entry.workload.clone(),
            params: entry.params.clone(),
            threads: entry.threads,
            input: input.map(Path::to_owned),
        };
        match self.ask(&Request::Prepare(prepare))? {
            Response::Ready { ready } => Ok(ready),
            Response::Unsupported { unsupported } => {
                Err(CandidateError::Failed(self.failure(FailureKind::Unsupported, unsupported)))
            }
            other => Err(self.protocol_error("prepare", &other)),
        }
    }

    /// Lets it do its work, and sees to it that it says what the case compares.
    pub(crate) fn sample(&mut self, iterations: u64, measure: &Measure) -> Result<Sample, CandidateError> {
        let begun = Instant::now();
        let sample = match self.ask(&Request::Sample { iterations })? {
            Response::Sample { elapsed_ns, phases, counts } => {
                let wall = begun.elapsed().as_nanos();
                if elapsed_ns == 0 || u128::from(elapsed_ns) > wall {
                    let why = format!("said that it worked for {elapsed_ns} ns, but {wall} ns went by");
                    return Err(CandidateError::Failed(self.failure(FailureKind::ProtocolError, why)));
                }
                Sample { iterations, elapsed_ns: Some(elapsed_ns), phases, counts }
            }
            Response::Counted { counts, phases } => Sample { iterations, elapsed_ns: None, phases, counts },
            other => return Err(self.protocol_error("sample", &other)),
        };
        let why = match (measure, measure.of(&sample)) {
            (_, Some(1..)) => return Ok(sample),
            (Measure::Time, _) => "said nothing of time, which the case compares".to_owned(),
            (Measure::Count(name), _) => format!("counted no `{name}`, which the case compares"),
        };
        Err(CandidateError::Failed(self.failure(FailureKind::ProtocolError, why)))
    }

    /// Asks for its answer.
    pub(crate) fn digest(&mut self) -> Result<String, CandidateError> {
        match self.ask(&Request::Digest {})? {
            Response::Digest { digest } => {
                let digits = digest.strip_prefix("sha256:").unwrap_or_default();
                if digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                    return Ok(digest);
                }
                let why = format!("gave `{digest}`, not `sha256:` and 64 hexadecimal digits in lower case");
                Err(CandidateError::Failed(self.failure(FailureKind::ProtocolError, why)))
            }
            other => Err(self.protocol_error("digest", &other)),
        }
    }

    /// Tells it to end, and waits a while for that.
    pub(crate) fn quit(mut self) -> Result<(), CandidateError> {
        self.go_on();
        self.write(&Request::Quit {})?;
        self.stdin = None;
        let begun = Instant::now();
        while begun.elapsed() < QUIT {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => {
                    let why = format!("{} after quit", ended(status));
                    return Err(CandidateError::Failed(self.failure(FailureKind::Crash, why)));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Err(_) => break,
            }
        }
        Err(CandidateError::Failed(self.failure(FailureKind::Timeout, "did not end after quit".into())))
    }

    /// Stops its whole tree, so that nothing of it runs while others are measured.
    pub(crate) fn pause(&mut self) -> Result<(), CandidateError> {
        self.stopped = true;
        self.tree.stop().map_err(|why| CandidateError::Failed(self.failure(FailureKind::Timeout, why)))
    }

    /// Lets its tree run again.
    pub(crate) fn go_on(&mut self) {
        if self.stopped {
            self.tree.go_on();
            self.stopped = false;
        }
    }

    fn ask(&mut self, request: &Request) -> Result<Response, CandidateError> {
        // A line too many would be taken for the answer to this request. One that is still on its way is not seen here;
        // before a sample that counts there was a pause in which it has arrived.
        if let Ok(Ok(line)) = self.lines.try_recv() {
            let shown: String = line.trim_end().chars().take(200).collect();
            let why = format!("wrote `{shown}`, which nobody asked for");
            return Err(CandidateError::Failed(self.failure(FailureKind::ProtocolError, why)));
        }
        self.write(request)?;
        let begun = Instant::now();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(CandidateError::Interrupted);
            }
            let left = self.limit.saturating_sub(begun.elapsed());
            match self.lines.recv_timeout(left.min(TICK)) {
                Ok(Ok(line)) => return self.parse(&line),
                Ok(Err(e)) => {
                    let why = format!("wrote what is not a line of text: {e}");
                    return Err(CandidateError::Failed(self.failure(FailureKind::ProtocolError, why)));
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    let why = format!("gave no answer in {} s to {}", self.limit.as_secs(), text(request));
                    return Err(CandidateError::Failed(self.failure(FailureKind::Timeout, why)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone(request)),
            }
        }
    }

    fn write(&mut self, request: &Request) -> Result<(), CandidateError> {
        let mut line = text(request);
        line.push('\n');
        let written =
            self.stdin.as_mut().map(|stdin| stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.gone(request)),
        }
    }

    fn parse(&mut self, line: &str) -> Result<Response, CandidateError> {
        serde_json::from_str(line).map_err(|_| {
            let shown: String = line.trim_end().chars().take(200).collect();
            let why = format!("answered `{shown}`, which is no answer of the protocol");
            CandidateError::Failed(self.failure(FailureKind::ProtocolError, why))
        })
    }

    fn protocol_error(&mut self, asked: &str, answer: &Response) -> CandidateError {
        let answer = serde_json::to_string(answer).unwrap_or_default();
        let why = format!("answered `{answer}` to {asked}");
        CandidateError::Failed(self.failure(FailureKind::ProtocolError, why))
    }

    /// It has closed its end: give it a moment to end, so that its exit status can be told.
    fn gone(&mut self, request: &Request) -> CandidateError {
        let begun = Instant::now();
        let mut how = "closed its output".to_owned();
        while begun.elapsed() < Duration::from_secs(1) {
            if let Ok(Some(status)) = self.child.try_wait() {
                how = ended(status);
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        CandidateError::Failed(
            self.failure(FailureKind::Crash, format!("{how} instead of answering {}", text(request))),
        )
    }

    fn failure(&mut self, kind: FailureKind, why: String) -> Failure {
        if kind == FailureKind::Crash {
            // What it said last may still be on its way through the pipe.
            std::thread::sleep(Duration::from_millis(20));
        }
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        Failure { kind, why, stderr: String::from_utf8_lossy(&stderr).into_owned() }
    }
}

impl Drop for Candidate<'_> {
    fn drop(&mut self) {
        // Also where the leader has ended well: something that it started may be left.
        self.tree.end();
        let _ = self.child.wait();
    }
}

fn failed(kind: FailureKind, why: String, stderr: &str) -> CandidateError {
    CandidateError::Failed(Failure { kind, why, stderr: stderr.to_owned() })
}

fn text(request: &Request) -> String {
    serde_json::to_string(request).unwrap_or_default()
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => match Signal::try_from(signal) {
            Ok(signal) => format!("was killed by {signal}"),
            Err(_) => format!("was killed by signal {signal}"),
        },
        (None, None) => "ended".to_owned(),
    }
}
