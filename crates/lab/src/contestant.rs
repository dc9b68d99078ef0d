//! A contestant as a process: started, asked, stopped while others are measured, and ended whatever happens.

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

use crate::family::{self, Family};
use crate::plan::RowPlan;
use crate::protocol::{Answer, Prepare, Request};
use crate::record::{Failure, FailureKind, Measure, Ready, Sample};

/// Longest line that is taken for an answer.
const MOST_LINE: usize = 1 << 20;
/// How much of the end of standard error is kept.
const MOST_STDERR: usize = 16 << 10;
/// How often a wait looks whether the user wants to stop.
const TICK: Duration = Duration::from_millis(50);
/// How long a contestant may take to end after `quit`.
const QUIT: Duration = Duration::from_secs(5);

/// Why a contestant gave no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It is the contestant's own fault.
    Failed(Failure),
    /// The user wants to stop.
    Interrupted,
}

/// A running contestant. Its whole family is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Contestant<'run> {
    child: Child,
    family: Family,
    stdin: Option<ChildStdin>,
    lines: Receiver<std::io::Result<String>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    limit: Duration,
    stop: &'run AtomicBool,
    stopped: bool,
}

impl<'run> Contestant<'run> {
    /// Starts the row's command in `folder`, as the first of a family that can be stopped.
    pub(crate) fn start(
        row: &RowPlan,
        folder: &Path,
        limit: Duration,
        stop: &'run AtomicBool,
    ) -> Result<Self, Trouble> {
        let (program, arguments) = row.command.split_first().map_or(("", &[][..]), |(p, a)| (p.as_str(), a));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(&row.env)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mark = family::mark(&mut command);
        let mut child = command.spawn().map_err(|e| match e.kind() {
            // A tool that is not installed costs its row and is no error.
            std::io::ErrorKind::NotFound => {
                failed(FailureKind::Unsupported, format!("`{program}` is not there"), "")
            }
            _ => failed(FailureKind::Crash, format!("`{program}` cannot be started: {e}"), ""),
        })?;
        let leader = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
        let family = Family::of(leader, mark);
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
        Ok(Contestant { child, family, stdin, lines, stderr, limit, stop, stopped: false })
    }

    /// Tells it what to do and waits until it is ready.
    pub(crate) fn prepare(&mut self, row: &RowPlan, input: Option<&Path>) -> Result<Ready, Trouble> {
        let prepare = Prepare {
            workload: row.workload.clone(),
            params: row.params.clone(),
            threads: row.threads,
            input: input.map(Path::to_owned),
        };
        match self.ask(&Request::Prepare(prepare))? {
            Answer::Ready { ready } => Ok(ready),
            Answer::Unsupported { unsupported } => {
                Err(Trouble::Failed(self.failure(FailureKind::Unsupported, unsupported)))
            }
            other => Err(self.nonsense("prepare", &other)),
        }
    }

    /// Lets it do its work, and sees to it that it says what the cell compares.
    pub(crate) fn sample(&mut self, iterations: u64, measure: &Measure) -> Result<Sample, Trouble> {
        let begun = Instant::now();
        let sample = match self.ask(&Request::Sample { iterations })? {
            Answer::Sample { elapsed_ns, phases, counts } => {
                let wall = begun.elapsed().as_nanos();
                if elapsed_ns == 0 || u128::from(elapsed_ns) > wall {
                    let why = format!("said that it worked for {elapsed_ns} ns, but {wall} ns went by");
                    return Err(Trouble::Failed(self.failure(FailureKind::Nonsense, why)));
                }
                Sample { iterations, elapsed_ns: Some(elapsed_ns), phases, counts }
            }
            Answer::Counted { counts, phases } => Sample { iterations, elapsed_ns: None, phases, counts },
            other => return Err(self.nonsense("sample", &other)),
        };
        let why = match (measure, measure.of(&sample)) {
            (_, Some(1..)) => return Ok(sample),
            (Measure::Time, _) => "said nothing of time, which the cell compares".to_owned(),
            (Measure::Count(name), _) => format!("counted no `{name}`, which the cell compares"),
        };
        Err(Trouble::Failed(self.failure(FailureKind::Nonsense, why)))
    }

    /// Asks for its answer.
    pub(crate) fn digest(&mut self) -> Result<String, Trouble> {
        match self.ask(&Request::Digest {})? {
            Answer::Digest { digest } => {
                let digits = digest.strip_prefix("sha256:").unwrap_or_default();
                if digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                    return Ok(digest);
                }
                let why = format!("gave `{digest}`, not `sha256:` and 64 hexadecimal digits in lower case");
                Err(Trouble::Failed(self.failure(FailureKind::Nonsense, why)))
            }
            other => Err(self.nonsense("digest", &other)),
        }
    }

    /// Tells it to end, and waits a while for that.
    pub(crate) fn quit(mut self) -> Result<(), Trouble> {
        self.go_on();
        self.write(&Request::Quit {})?;
        self.stdin = None;
        let begun = Instant::now();
        while begun.elapsed() < QUIT {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => {
                    let why = format!("{} after quit", ended(status));
                    return Err(Trouble::Failed(self.failure(FailureKind::Crash, why)));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Err(_) => break,
            }
        }
        Err(Trouble::Failed(self.failure(FailureKind::Timeout, "did not end after quit".into())))
    }

    /// Stops its whole family, so that nothing of it runs while others are measured.
    pub(crate) fn pause(&mut self) -> Result<(), Trouble> {
        self.stopped = true;
        self.family.stop().map_err(|why| Trouble::Failed(self.failure(FailureKind::Timeout, why)))
    }

    /// Lets its family run again.
    pub(crate) fn go_on(&mut self) {
        if self.stopped {
            self.family.go_on();
            self.stopped = false;
        }
    }

    fn ask(&mut self, request: &Request) -> Result<Answer, Trouble> {
        // A line too many would be taken for the answer to this request. One that is still on its way is not seen here;
        // before a sample that counts there was a pause in which it has arrived.
        if let Ok(Ok(line)) = self.lines.try_recv() {
            let shown: String = line.trim_end().chars().take(200).collect();
            let why = format!("wrote `{shown}`, which nobody asked for");
            return Err(Trouble::Failed(self.failure(FailureKind::Nonsense, why)));
        }
        self.write(request)?;
        let begun = Instant::now();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Trouble::Interrupted);
            }
            let left = self.limit.saturating_sub(begun.elapsed());
            match self.lines.recv_timeout(left.min(TICK)) {
                Ok(Ok(line)) => return self.parse(&line),
                Ok(Err(e)) => {
                    let why = format!("wrote what is not a line of text: {e}");
                    return Err(Trouble::Failed(self.failure(FailureKind::Nonsense, why)));
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    let why = format!("gave no answer in {} s to {}", self.limit.as_secs(), text(request));
                    return Err(Trouble::Failed(self.failure(FailureKind::Timeout, why)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone(request)),
            }
        }
    }

    fn write(&mut self, request: &Request) -> Result<(), Trouble> {
        let mut line = text(request);
        line.push('\n');
        let written =
            self.stdin.as_mut().map(|stdin| stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.gone(request)),
        }
    }

    fn parse(&mut self, line: &str) -> Result<Answer, Trouble> {
        serde_json::from_str(line).map_err(|_| {
            let shown: String = line.trim_end().chars().take(200).collect();
            let why = format!("answered `{shown}`, which is no answer of the protocol");
            Trouble::Failed(self.failure(FailureKind::Nonsense, why))
        })
    }

    fn nonsense(&mut self, asked: &str, answer: &Answer) -> Trouble {
        let answer = serde_json::to_string(answer).unwrap_or_default();
        let why = format!("answered `{answer}` to {asked}");
        Trouble::Failed(self.failure(FailureKind::Nonsense, why))
    }

    /// It has closed its end: give it a moment to end, so that its exit status can be told.
    fn gone(&mut self, request: &Request) -> Trouble {
        let begun = Instant::now();
        let mut how = "closed its output".to_owned();
        while begun.elapsed() < Duration::from_secs(1) {
            if let Ok(Some(status)) = self.child.try_wait() {
                how = ended(status);
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Trouble::Failed(
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

impl Drop for Contestant<'_> {
    fn drop(&mut self) {
        // Also where the leader has ended well: something that it started may be left.
        self.family.end();
        let _ = self.child.wait();
    }
}

fn failed(kind: FailureKind, why: String, stderr: &str) -> Trouble {
    Trouble::Failed(Failure { kind, why, stderr: stderr.to_owned() })
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
