//! The protocol of the lab, `docs/contestants.md`: one JSON object a line, each answered by one.

use std::fs::File;
use std::io::{BufRead, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Algorithm, MOST_BYTES, MOST_SCALE, Variant};

/// Longest line that is taken for a request, in bytes.
const MOST_LINE: u64 = 1 << 20;

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
    params: Params,
    threads: usize,
    input: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    scale: Option<u64>,
    bytes: Option<u64>,
    algorithm: Option<Algorithm>,
    #[serde(default)]
    variant: Variant,
}

/// What is answered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase", untagged)]
enum Answer {
    Ready { ready: Ready },
    Unsupported { unsupported: String },
    Sample(Sample),
    Digest { digest: String },
}

/// What is to be summed, by how many, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Of the input.
    pub bytes: u64,
    /// Left out where the program knows one way alone.
    pub algorithm: Option<Algorithm>,
    /// Whether it is to be done with a mistake.
    pub variant: Variant,
    /// Ranks or threads; at least 1.
    pub threads: usize,
}

/// What really runs.
#[derive(Clone, Debug, Serialize)]
pub struct Ready {
    /// The program.
    pub name: &'static str,
    /// Of the library that it stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// `mpi` or `rayon`.
    pub runtime: &'static str,
    /// The vectors of the inner loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<&'static str>,
    /// Ranks or threads.
    pub threads: usize,
    /// Of the preparation, in nanoseconds.
    pub phases: Phases,
}

/// Parts of the preparation that are known, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "`../../README.md` says what each is")]
pub struct Phases {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connect: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touch: Option<u64>,
}

/// Times of a sample, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// Of all iterations together.
    pub elapsed_ns: u64,
    /// Its parts by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<SamplePhases>,
    /// The sum of all bytes.
    #[serde(skip)]
    pub sum: u64,
}

/// Parts of a sample on rank 0, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "`../../README.md` says what each is")]
pub struct SamplePhases {
    pub scatter: u64,
    pub compute: u64,
    pub gather: u64,
}

/// Why the conversation cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum Trouble {
    #[error("standard input cannot be read: {0}")]
    Read(std::io::Error),
    #[error("standard output cannot be written: {0}")]
    Write(std::io::Error),
    #[error("a line of standard input is longer than {MOST_LINE} bytes, which no request is")]
    Long,
    #[error("`{line}` is no request: {why}")]
    NotARequest { line: String, why: String },
    #[error("`{request}` came before a successful `prepare`")]
    NotPrepared { request: &'static str },
    #[error("`prepare` came a second time; it comes once")]
    Prepared,
    #[error("`digest` came before the first `sample`: there is no answer yet")]
    NoAnswer,
    #[error("0 iterations: at least 1 is needed")]
    NoIteration,
    #[error("unknown workload `{0}`: it can be sum")]
    Workload(String),
    #[error("one of the parameters `scale` and `bytes` has to be there, and not both")]
    Size,
    #[error("the input would have more than 2^{MOST_SCALE} bytes, which is the most")]
    Large,
    #[error("the parameter `algorithm` is missing: it can be tree, collective or window")]
    NoAlgorithm,
    #[error("`sum` needs an input file, and none was named")]
    NoInput,
    #[error("input {path}: {what}")]
    Input { path: String, what: String },
    #[error("{asked} threads are asked for, but there are {ranks} ranks")]
    Threads { asked: usize, ranks: usize },
    #[error("a rank has no memory for its part of {0} bytes")]
    Memory(u64),
    #[error("{0}")]
    Unsupported(String),
}

/// Something that sums, as the conversation sees it.
pub trait Contestant {
    /// Makes everything ready that is not measured. `input` is an open file of `work.bytes` bytes.
    ///
    /// # Errors
    /// [`Trouble::Unsupported`] where it cannot do such work; [`Trouble::Memory`]; [`Trouble::Threads`];
    /// [`Trouble::Input`], whose path may be left empty.
    fn prepare(&mut self, work: &Work, input: File) -> Result<Ready, Trouble>;

    /// Sums so many times. It was prepared.
    fn sample(&mut self, iterations: u64) -> Sample;
}

/// Answers requests of standard input until there are no more.
///
/// # Errors
/// Whatever a request cannot be answered for.
pub fn converse(contestant: &mut dyn Contestant) -> Result<(), Trouble> {
    match answer_all(contestant, std::io::stdin().lock(), std::io::stdout().lock()) {
        // Whoever asked has gone.
        Err(Trouble::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn answer_all(
    contestant: &mut dyn Contestant,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), Trouble> {
    let (mut prepared, mut sum) = (false, None);
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
            Request::Prepare(_) if prepared => return Err(Trouble::Prepared),
            Request::Prepare(request) => match prepare(contestant, request) {
                Ok(ready) => {
                    prepared = true;
                    Answer::Ready { ready }
                }
                Err(Trouble::Unsupported(unsupported)) => Answer::Unsupported { unsupported },
                Err(trouble) => return Err(trouble),
            },
            Request::Sample { iterations: 0 } => return Err(Trouble::NoIteration),
            Request::Sample { .. } if !prepared => return Err(Trouble::NotPrepared { request: "sample" }),
            Request::Sample { iterations } => {
                let mut sample = contestant.sample(iterations);
                // An empty sum may take less than the clock can tell.
                sample.elapsed_ns = sample.elapsed_ns.max(1);
                sum = Some(sample.sum);
                Answer::Sample(sample)
            }
            Request::Digest {} if !prepared => return Err(Trouble::NotPrepared { request: "digest" }),
            Request::Digest {} => {
                let hash = Sha256::digest(sum.ok_or(Trouble::NoAnswer)?.to_le_bytes());
                Answer::Digest { digest: format!("sha256:{hash:x}") }
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

fn prepare(contestant: &mut dyn Contestant, request: Prepare) -> Result<Ready, Trouble> {
    if request.workload != "sum" {
        return Err(Trouble::Workload(request.workload));
    }
    let bytes = match (request.params.scale, request.params.bytes) {
        (Some(scale), None) if scale <= MOST_SCALE => 1 << scale,
        (None, Some(bytes)) if bytes <= MOST_BYTES => bytes,
        (Some(_), None) | (None, Some(_)) => return Err(Trouble::Large),
        (Some(_), Some(_)) | (None, None) => return Err(Trouble::Size),
    };
    let Params { algorithm, variant, .. } = request.params;
    let path = request.input.ok_or(Trouble::NoInput)?;
    let input = open(&path, bytes).map_err(|what| wrong_input(&path, what))?;
    let work = Work { bytes, algorithm, variant, threads: request.threads };
    contestant.prepare(&work, input).map_err(|trouble| match trouble {
        Trouble::Input { what, .. } => wrong_input(&path, what),
        other => other,
    })
}

fn wrong_input(path: &Path, what: String) -> Trouble {
    Trouble::Input { path: path.display().to_string(), what }
}

/// Opens a regular file of exactly that many bytes.
fn open(path: &Path, bytes: u64) -> Result<File, String> {
    // Without O_NONBLOCK a FIFO would be waited for.
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(|e| e.to_string())?;
    let found = file.metadata().map_err(|e| e.to_string())?;
    if !found.is_file() {
        return Err("it is no regular file".to_owned());
    }
    match found.len() {
        found if found != bytes => Err(format!("it has {found} bytes, but the parameters say {bytes}")),
        _ => Ok(file),
    }
}
