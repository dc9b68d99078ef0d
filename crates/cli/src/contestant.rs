//! `parcrypt contestant`: our own kernels as a contestant of the lab, by the protocol on standard input and output.

use std::hint::black_box;
use std::io::{BufRead, ErrorKind, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parcrypt_cpu::Backend;
use parcrypt_lab::protocol::{self, Answer, Request};
use parcrypt_lab::record::Ready;
use parcrypt_runtime::{Kind, Runtime, Schedule};

use crate::kernel::{self, Error, Kernel, Prepared};
use crate::output::fail;

/// Longest line that is taken for a request, in bytes.
const MOST_LINE: usize = 1 << 20;

/// Be one contestant of a benchmark, by the protocol on standard input and output.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Each line of standard input is one JSON object, and so is each line of the answer:

  {\"prepare\":{\"workload\":\"sum\",\"params\":{\"scale\":20},\"threads\":2,\"input\":\"FILE\"}}
  {\"sample\":{\"iterations\":3}}
  {\"digest\":{}}
  {\"quit\":{}}

`parcrypt bench` starts contestants by itself; by hand this is for looking at one:

  head -c 1048576 /dev/zero > zeros
  echo '{\"prepare\":{\"workload\":\"sum\",\"params\":{\"scale\":20},\"threads\":1,\"input\":\"zeros\"}}' |
    parcrypt contestant --runtime serial

Exit codes: 0 when standard input ends or after `quit`, 2 for a request that makes no sense.")]
pub(crate) struct Arguments {
    /// How work is run at once: serial, rayon or openmp
    #[arg(long, value_name = "NAME")]
    runtime: Kind,
    /// The instruction set to use: scalar, avx2, avx512, ifma or rvv; the best that there is where it is left out
    #[arg(long, value_name = "NAME")]
    backend: Option<Backend>,
    /// How OpenMP hands out pieces: static, dynamic or guided, with ,CHUNK behind or not [default: dynamic]
    #[arg(long, value_name = "KIND[,CHUNK]")]
    schedule: Option<Schedule>,
}

/// What is ready to be measured.
struct Work {
    prepared: Box<dyn Prepared>,
    runtime: Box<dyn Runtime>,
    /// Whether there is an answer that a digest can be of.
    answered: bool,
}

/// Why the conversation cannot go on.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("standard input cannot be read: {0}")]
    Read(std::io::Error),
    #[error("standard output cannot be written: {0}")]
    Write(std::io::Error),
    #[error("line {line} of standard input is longer than {MOST_LINE} bytes, which no request is")]
    Long { line: usize },
    #[error("line {line} of standard input is not UTF-8")]
    NotUtf8 { line: usize },
    #[error(
        "line {line} of standard input is not a request: {why}; a request is one JSON object: prepare, sample, \
         digest or quit (see `parcrypt contestant --help`)"
    )]
    NotARequest { line: usize, why: String },
    #[error("`{request}` came before a successful `prepare`")]
    NotPrepared { request: &'static str },
    #[error("`digest` came before the first `sample`: there is no answer yet")]
    NoAnswer,
    #[error("0 iterations: at least 1 is needed")]
    NoIteration,
    #[error(transparent)]
    Work(#[from] Error),
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    if arguments.schedule.is_some() && arguments.runtime != Kind::OpenMp {
        return fail(format_args!("--schedule is for `--runtime openmp`, not for `{}`", arguments.runtime));
    }
    let stdin = std::io::stdin().lock();
    if stdin.is_terminal() {
        let _ = writeln!(
            std::io::stderr(),
            "parcrypt contestant is started by `parcrypt bench` and waits for JSON requests; Ctrl-D ends it."
        );
    }
    match converse(arguments, stdin, std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever asked has gone.
        Err(Trouble::Write(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(trouble) => fail(format_args!("contestant: {trouble}")),
    }
}

fn converse(arguments: &Arguments, mut input: impl BufRead, mut output: impl Write) -> Result<(), Trouble> {
    let mut work: Option<Work> = None;
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        input.by_ref().take(MOST_LINE as u64 + 1).read_until(b'\n', &mut bytes).map_err(Trouble::Read)?;
        if bytes.is_empty() {
            break;
        }
        if bytes.len() > MOST_LINE {
            return Err(Trouble::Long { line });
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| Trouble::NotUtf8 { line })?;
        let request = serde_json::from_str(text).map_err(|e| {
            // The parser saw one line alone, whose number says nothing.
            let why = e.to_string().replace(&format!(" at line {} column ", e.line()), " at column ");
            Trouble::NotARequest { line, why }
        })?;
        let answer = match request {
            Request::Prepare(request) => {
                // What was prepared before gives its memory back first.
                work = None;
                match prepare(arguments, &request) {
                    Ok((new, ready)) => {
                        work = Some(new);
                        Answer::Ready { ready }
                    }
                    Err(error) if error.is_unsupported() => {
                        Answer::Unsupported { unsupported: error.to_string() }
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            Request::Sample { iterations: 0 } => return Err(Trouble::NoIteration),
            Request::Sample { iterations } => {
                let work = work.as_mut().ok_or(Trouble::NotPrepared { request: "sample" })?;
                sample(work, iterations)
            }
            Request::Digest {} => {
                let work = work.as_ref().ok_or(Trouble::NotPrepared { request: "digest" })?;
                if !work.answered {
                    return Err(Trouble::NoAnswer);
                }
                Answer::Digest { digest: format!("sha256:{}", kernel::digest(&*work.prepared)) }
            }
            Request::Quit {} => break,
        };
        let mut line = serde_json::to_vec(&answer).map_err(|e| Trouble::Write(e.into()))?;
        line.push(b'\n');
        output.write_all(&line).and_then(|()| output.flush()).map_err(Trouble::Write)?;
    }
    Ok(())
}

fn prepare(arguments: &Arguments, request: &protocol::Prepare) -> Result<(Work, Ready), Error> {
    let kernel = Kernel::find(&request.workload)?;
    let values = kernel.values(&request.params)?;
    let runtime = kernel::runtime(arguments.runtime, arguments.schedule, request.threads)?;
    let backend = kernel.backend(arguments.backend)?;
    kernel.check_memory(&values, parcrypt_cpu::memory_available())?;
    let begun = Instant::now();
    let input = kernel.read_input(&values, request.input.as_deref())?;
    let read = begun.elapsed();
    let prepared = (kernel.prepare)(&values, input, &*runtime, backend)?;
    let phases = [("read", read), ("prepare", begun.elapsed() - read)];
    let ready = Ready {
        name: "parcrypt".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        runtime: runtime.name().to_owned(),
        backend: prepared.backend().unwrap_or(backend).to_string(),
        threads: runtime.threads().get(),
        phases: phases.map(|(name, time)| (name.to_owned(), nanoseconds(time))).into(),
    };
    Ok((Work { prepared, runtime, answered: false }, ready))
}

fn sample(work: &mut Work, iterations: u64) -> Answer {
    let begun = Instant::now();
    for _ in 0..iterations {
        black_box(&mut work.prepared).iterate(&*work.runtime);
    }
    let elapsed = begun.elapsed();
    work.answered = true;
    Answer::Sample {
        elapsed_ns: nanoseconds(elapsed),
        phases: Default::default(),
        counts: work.prepared.counts(),
    }
}

fn nanoseconds(time: Duration) -> u64 {
    // 2^64 ns are 584 years.
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
