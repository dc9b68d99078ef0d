//! The protocol of the lab, `docs/contestants.md`: one JSON object a line, each answered by one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Choice;
use crate::library::{BLOB, CKzg, Library, Refusal, RustEthKzg};
use crate::load::Loads;
use crate::memory;
use crate::workload::{self, Blobs, MOST_BLOBS, WORKLOADS, Work};

/// Longest line that is taken for a request, in bytes.
const MOST_LINE: u64 = 1 << 20;
/// Widest windows of tables that c-kzg takes.
const MOST_PRECOMPUTE: u64 = 15;

/// What the lab says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    Prepare(Prepare),
    Sample { iterations: u64 },
    Digest {},
    Quit {},
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prepare {
    workload: String,
    #[serde(default)]
    params: BTreeMap<String, Value>,
    threads: usize,
    input: Option<PathBuf>,
}

/// What is answered.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Ready { ready: Ready },
    Unsupported { unsupported: String },
    Sample { elapsed_ns: u64, counts: BTreeMap<&'static str, u64> },
    Digest { digest: String },
}

#[derive(Debug, Serialize)]
struct Ready {
    name: &'static str,
    version: &'static str,
    runtime: &'static str,
    threads: usize,
}

/// Why the conversation cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("standard input cannot be read: {0}")]
    Read(std::io::Error),
    #[error("standard output cannot be written: {0}")]
    Write(std::io::Error),
    #[error("a line of standard input is longer than {MOST_LINE} bytes, which no request is")]
    Long,
    #[error("`{line}` is not a request: {why}")]
    NotARequest { line: String, why: String },
    #[error("`{request}` came before a successful `prepare`")]
    NotPrepared { request: &'static str },
    #[error("`prepare` came a second time; it comes once")]
    Prepared,
    #[error("`digest` came before the first `sample`: there is no answer yet")]
    NoAnswer,
    #[error("0 iterations: at least 1 is needed")]
    NoIteration,
    #[error("unknown workload `{0}`: it can be {names}", names = WORKLOADS.map(|(name, _)| name).join(", "))]
    Workload(String),
    #[error("`{workload}` has no parameter `{given}`: it has {known}")]
    Parameter { workload: &'static str, given: String, known: &'static str },
    #[error("parameter `{name}` is {given}: it must be a number from {least} to {most}")]
    Value { name: &'static str, given: String, least: u64, most: u64 },
    #[error("`{0}` needs the parameter `blobs`, a number from 1 to {MOST_BLOBS}")]
    NoBlobs(&'static str),
    #[error("0 threads: at least 1 is needed")]
    NoThreads,
    #[error("`{0}` needs an input file, and none was named")]
    NoInput(&'static str),
    #[error("input {path}: {what}")]
    Input { path: String, what: String },
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// What was prepared.
enum Prepared {
    Work(Box<dyn Work>),
    Loads(Loads),
}

/// A workload with its parameters, all of them known to be right.
#[derive(Debug)]
struct Asked {
    workload: &'static str,
    /// In the input.
    blobs: u64,
    /// Where they are multiples of the one in the input.
    batch: usize,
    precompute: u8,
    threads: usize,
}

/// Answers requests until there are no more.
pub(crate) fn run(choice: Choice) -> Result<(), Trouble> {
    match converse(choice, std::io::stdin().lock(), std::io::stdout().lock()) {
        // Whoever asked has gone.
        Err(Trouble::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn converse(choice: Choice, mut input: impl BufRead, mut output: impl Write) -> Result<(), Trouble> {
    let mut prepared: Option<Prepared> = None;
    let mut answered = false;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        input.by_ref().take(MOST_LINE + 1).read_until(b'\n', &mut bytes).map_err(Trouble::Read)?;
        if bytes.is_empty() {
            return Ok(());
        }
        if bytes.len() as u64 > MOST_LINE {
            return Err(Trouble::Long);
        }
        let answer = match parse(&bytes)? {
            Request::Prepare(_) if prepared.is_some() => return Err(Trouble::Prepared),
            Request::Prepare(request) => match prepare(choice, request) {
                Ok((new, ready)) => {
                    prepared = Some(new);
                    Answer::Ready { ready }
                }
                Err(Trouble::Refused(Refusal::Unsupported(unsupported))) => {
                    Answer::Unsupported { unsupported }
                }
                Err(trouble) => return Err(trouble),
            },
            Request::Sample { iterations: 0 } => return Err(Trouble::NoIteration),
            Request::Sample { iterations } => {
                let prepared = prepared.as_mut().ok_or(Trouble::NotPrepared { request: "sample" })?;
                answered = true;
                sample(prepared, iterations)?
            }
            Request::Digest {} => {
                let prepared = prepared.as_mut().ok_or(Trouble::NotPrepared { request: "digest" })?;
                if !answered {
                    return Err(Trouble::NoAnswer);
                }
                let digest = match prepared {
                    Prepared::Work(work) => work.digest()?,
                    Prepared::Loads(loads) => loads.digest()?,
                };
                Answer::Digest { digest: format!("sha256:{digest}") }
            }
            Request::Quit {} => return Ok(()),
        };
        let mut line = serde_json::to_vec(&answer).map_err(|e| Trouble::Write(e.into()))?;
        line.push(b'\n');
        output.write_all(&line).and_then(|()| output.flush()).map_err(Trouble::Write)?;
    }
}

fn parse(bytes: &[u8]) -> Result<Request, Trouble> {
    serde_json::from_slice(bytes).map_err(|e| {
        let line: String = String::from_utf8_lossy(bytes).trim_end().chars().take(200).collect();
        Trouble::NotARequest { line, why: e.to_string() }
    })
}

fn prepare(choice: Choice, request: Prepare) -> Result<(Prepared, Ready), Trouble> {
    let asked = asked(&request)?;
    let path = request.input.ok_or(Trouble::NoInput(asked.workload))?;
    let input = read(&path, asked.blobs * BLOB as u64)?;
    match choice {
        Choice::CKzg => made_ready::<CKzg>(choice, &asked, input),
        Choice::RustEthKzg => made_ready::<RustEthKzg>(choice, &asked, input),
    }
}

fn made_ready<L: Library + 'static>(
    choice: Choice,
    asked: &Asked,
    input: Vec<u8>,
) -> Result<(Prepared, Ready), Trouble> {
    L::threads(asked.threads)?;
    let prepared = if asked.workload == "kzg-load" {
        Prepared::Loads(Loads::new(choice, asked.precompute, asked.threads, input))
    } else {
        Prepared::Work(workload::prepare(asked.workload, L::load(asked.precompute)?, input, asked.batch)?)
    };
    memory::forget_peak();
    let (name, version) = L::NAME;
    let runtime = if L::MANY_CALLERS { "serial" } else { "rayon" };
    Ok((prepared, Ready { name, version, runtime, threads: asked.threads }))
}

fn asked(request: &Prepare) -> Result<Asked, Trouble> {
    let workload = WORKLOADS.iter().find(|(name, _)| *name == request.workload);
    let &(workload, kind) = workload.ok_or_else(|| Trouble::Workload(request.workload.clone()))?;
    let many = kind != Blobs::One;
    let known = if many { "`blobs`, `precompute`" } else { "`precompute`" };
    let mut given = request.params.keys();
    if let Some(given) = given.find(|name| *name != "precompute" && !(many && *name == "blobs")) {
        return Err(Trouble::Parameter { workload, given: given.clone(), known });
    }
    let number = |name: &'static str, least: u64, most: u64| match request.params.get(name) {
        None => Ok(None),
        Some(value) => match value.as_u64().filter(|n| (least..=most).contains(n)) {
            Some(number) => Ok(Some(number)),
            None => Err(Trouble::Value { name, given: value.to_string(), least, most }),
        },
    };
    let blobs = match number("blobs", 1, MOST_BLOBS)? {
        None if many => return Err(Trouble::NoBlobs(workload)),
        blobs => blobs.unwrap_or(1),
    };
    let (blobs, batch) = if kind == Blobs::Multiples { (1, blobs as usize) } else { (blobs, 1) };
    let precompute = number("precompute", 0, MOST_PRECOMPUTE)?.unwrap_or(0) as u8;
    if request.threads == 0 {
        return Err(Trouble::NoThreads);
    }
    Ok(Asked { workload, blobs, batch, precompute, threads: request.threads })
}

/// Reads a file that must have exactly that many bytes.
fn read(path: &Path, expected: u64) -> Result<Vec<u8>, Trouble> {
    let wrong = |what: String| Trouble::Input { path: path.display().to_string(), what };
    let file = File::open(path).map_err(|e| wrong(e.to_string()))?;
    let mut bytes = Vec::new();
    file.take(expected + 1).read_to_end(&mut bytes).map_err(|e| wrong(e.to_string()))?;
    match bytes.len() as u64 {
        found if found < expected => Err(wrong(format!("{found} bytes, but these blobs take {expected}"))),
        found if found > expected => Err(wrong(format!("more than the {expected} bytes of these blobs"))),
        _ => Ok(bytes),
    }
}

fn sample(prepared: &mut Prepared, iterations: u64) -> Result<Answer, Trouble> {
    let (elapsed_ns, peak) = match prepared {
        Prepared::Work(work) => {
            let begun = Instant::now();
            for _ in 0..iterations {
                std::hint::black_box(&mut *work).iterate()?;
            }
            (u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX), memory::peak())
        }
        // Each load says how long it took itself.
        Prepared::Loads(loads) => {
            loads.elapsed_ns = 0;
            for _ in 0..iterations {
                loads.iterate()?;
            }
            (loads.elapsed_ns, loads.peak_bytes)
        }
    };
    let counts = peak.map(|bytes| ("peak-memory-bytes", bytes)).into_iter().collect();
    Ok(Answer::Sample { elapsed_ns, counts })
}
