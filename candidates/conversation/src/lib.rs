//! The lab's protocol for candidates, as `docs/reference/protocol.md` has it: one JSON object a line, each answered by one; with
//! the input file, the parameters and the peak of memory, which most candidates need.
//!
//! It must not know any workload. A candidate implements [`Candidate`] and calls [`run`].

pub mod input;
pub mod memory;
pub mod params;

use std::collections::BTreeMap;
use std::io::{BufRead, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Exit code after an error.
pub const STATUS_ERROR: u8 = 2;

/// Longest line that is taken for a request, in bytes.
const MOST_LINE: u64 = 1 << 20;

/// A program that does some work for the lab.
pub trait Candidate {
    /// Makes everything ready that is not measured. It comes until it goes well, once after that.
    ///
    /// # Errors
    /// [`Trouble::Unsupported`] where it cannot do such work; [`Trouble::Own`] where the request makes no sense.
    fn prepare(&mut self, request: Prepare) -> Result<Ready, Trouble>;

    /// Does the work so many times, at least once. It was prepared.
    ///
    /// # Errors
    /// [`Trouble::Own`] where the work fails.
    fn sample(&mut self, iterations: u64) -> Result<Sample, Trouble>;

    /// Hands the canonical bytes of the last answer to `take`, in order. There is one.
    ///
    /// # Errors
    /// [`Trouble::Own`] where they cannot be had.
    fn answer(&mut self, take: &mut dyn FnMut(&[u8])) -> Result<(), Trouble>;
}

/// What is to be made ready.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Prepare {
    /// The work's name.
    pub workload: String,
    /// Its parameters.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Threads or ranks to work with, at least 1.
    pub threads: usize,
    /// The input.
    pub input: Option<PathBuf>,
}

/// What really runs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Ready {
    /// The program, or the library that it stands for.
    pub name: String,
    /// Of the library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// As `serial`, `rayon`, `openmp` or `mpi`.
    pub runtime: &'static str,
    /// The instruction set, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<&'static str>,
    /// Threads or ranks.
    pub threads: usize,
    /// Parts of the preparation by name, in nanoseconds.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<&'static str, u64>,
}

/// How long all iterations took together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// In nanoseconds.
    pub elapsed_ns: u64,
    /// Its parts by name, in nanoseconds.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<&'static str, u64>,
    /// What was counted, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<&'static str, u64>,
}

impl Sample {
    /// Times `iterations` of `once`, and takes the peak of memory along.
    ///
    /// # Errors
    /// The first of `once`.
    pub fn take<E>(iterations: u64, mut once: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let begun = Instant::now();
        for _ in 0..iterations {
            once()?;
        }
        Ok(Sample::with_peak(nanoseconds(begun), memory::peak()))
    }

    /// A sample with a peak of memory in bytes, where it is known.
    pub fn with_peak(elapsed_ns: u64, peak: Option<u64>) -> Self {
        let counts = peak.map(|bytes| ("peak-memory-bytes", bytes)).into_iter().collect();
        Sample { elapsed_ns, phases: BTreeMap::new(), counts }
    }
}

/// Nanoseconds since then.
pub fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Why the conversation cannot go on; only what is [`Trouble::Unsupported`] is an answer to the lab.
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
    #[error("0 threads: at least 1 is needed")]
    NoThreads,
    #[error("unknown workload `{given}`: it can be {known}")]
    Workload { given: String, known: String },
    #[error(transparent)]
    Parameter(#[from] params::Wrong),
    #[error("`{0}` needs an input file, and none was named")]
    NoInput(String),
    #[error("input {path}: {what}")]
    Input { path: String, what: String },
    #[error("{0}")]
    Unsupported(String),
    /// Something that only this candidate knows.
    #[error(transparent)]
    Own(Box<dyn std::error::Error + Send + Sync>),
}

impl Trouble {
    /// An error of the candidate.
    pub fn own(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Trouble::Own(Box::new(error))
    }
}

/// What the lab says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    Prepare(Prepare),
    Sample { iterations: u64 },
    Digest {},
    Quit {},
}

/// What is answered.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Ready { ready: Ready },
    Unsupported { unsupported: String },
    Sample(Sample),
    Digest { digest: String },
}

/// Answers requests of standard input until there are no more, and says on standard error why one cannot be answered.
pub fn run(candidate: &mut dyn Candidate) -> ExitCode {
    match converse(candidate) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            let _ = writeln!(std::io::stderr(), "error: {trouble}");
            ExitCode::from(STATUS_ERROR)
        }
    }
}

/// Answers requests of standard input until there are no more.
///
/// # Errors
/// Whatever a request cannot be answered for.
pub fn converse(candidate: &mut dyn Candidate) -> Result<(), Trouble> {
    match answer_all(candidate, std::io::stdin().lock(), std::io::stdout().lock()) {
        // Whoever asked has gone.
        Err(Trouble::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn answer_all(
    candidate: &mut dyn Candidate,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), Trouble> {
    let (mut prepared, mut answered) = (false, false);
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
            Request::Prepare(Prepare { threads: 0, .. }) => return Err(Trouble::NoThreads),
            Request::Prepare(request) => match candidate.prepare(request) {
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
                let mut sample = candidate.sample(iterations)?;
                answered = true;
                // Little work may take less than the clock can tell.
                sample.elapsed_ns = sample.elapsed_ns.max(1);
                Answer::Sample(sample)
            }
            Request::Digest {} if !prepared => return Err(Trouble::NotPrepared { request: "digest" }),
            Request::Digest {} if !answered => return Err(Trouble::NoAnswer),
            Request::Digest {} => {
                let mut hash = Sha256::new();
                candidate.answer(&mut |bytes| hash.update(bytes))?;
                Answer::Digest { digest: format!("sha256:{:x}", hash.finalize()) }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Its answer is the number of its samples.
    #[derive(Default)]
    struct Counter(u8);

    impl Candidate for Counter {
        fn prepare(&mut self, request: Prepare) -> Result<Ready, Trouble> {
            match request.workload.as_str() {
                "count" => Ok(Ready {
                    name: "counter".to_owned(),
                    runtime: "serial",
                    threads: 1,
                    ..Ready::default()
                }),
                "fly" => Err(Trouble::Unsupported("it has no wings".to_owned())),
                other => Err(Trouble::Workload { given: other.to_owned(), known: "count, fly".to_owned() }),
            }
        }

        fn sample(&mut self, _: u64) -> Result<Sample, Trouble> {
            self.0 += 1;
            Ok(Sample::default())
        }

        fn answer(&mut self, take: &mut dyn FnMut(&[u8])) -> Result<(), Trouble> {
            take(&[self.0]);
            Ok(())
        }
    }

    const READY: &str = r#"{"prepare":{"workload":"count","threads":1}}"#;
    const SAMPLE: &str = r#"{"sample":{"iterations":1}}"#;
    const DIGEST: &str = r#"{"digest":{}}"#;

    fn talk(requests: &[&str]) -> (String, Result<(), Trouble>) {
        let mut output = Vec::new();
        let outcome = answer_all(&mut Counter::default(), requests.join("\n").as_bytes(), &mut output);
        (String::from_utf8(output).expect("UTF-8"), outcome)
    }

    #[test]
    fn a_conversation_that_goes_well() {
        let fly = r#"{"prepare":{"workload":"fly","params":{"height":3},"threads":2,"input":"air"}}"#;
        let quit = r#"{"quit":{}}"#;
        let (output, outcome) = talk(&[fly, READY, SAMPLE, SAMPLE, DIGEST, quit, "nonsense"]);
        outcome.expect("it goes well");
        assert_eq!(
            output,
            "{\"unsupported\":\"it has no wings\"}\n\
             {\"ready\":{\"name\":\"counter\",\"runtime\":\"serial\",\"threads\":1}}\n\
             {\"elapsed_ns\":1}\n{\"elapsed_ns\":1}\n\
             {\"digest\":\"sha256:dbc1b4c900ffe48d575b5da5c638040125f65db0fe3e24494b76ea986457d986\"}\n"
        );
        assert!(talk(&[]).1.is_ok() && talk(&[READY]).1.is_ok());
    }

    #[test]
    fn what_makes_no_sense_ends_it_with_a_reason() {
        let long = "x".repeat(3 << 20);
        for (requests, part) in [
            (&["\n"][..], "is not a request"),
            (&["hello"], "`hello` is not a request: expected value"),
            (&[r#"{"quit":{}"#], "is not a request: EOF"),
            (&["[]"], "is not a request"),
            (&[r#"{"stop":{}}"#], "unknown variant `stop`"),
            (&[&long], "longer than 1048576 bytes"),
            (&[SAMPLE], "`sample` came before a successful `prepare`"),
            (&[DIGEST], "`digest` came before a successful `prepare`"),
            (&[READY, DIGEST], "`digest` came before the first `sample`"),
            (&[READY, READY], "`prepare` came a second time"),
            (&[r#"{"sample":{"iterations":0}}"#], "0 iterations"),
            (&[r#"{"sample":{"iterations":-1}}"#], "is not a request"),
            (&[r#"{"prepare":{"workload":"count","threads":0}}"#], "0 threads"),
            (
                &[r#"{"prepare":{"workload":"sum","threads":1}}"#],
                "unknown workload `sum`: it can be count, fly",
            ),
            (&[r#"{"prepare":{"workload":"count","threads":1,"more":1}}"#], "unknown field `more`"),
        ] {
            let why = talk(requests).1.expect_err("it makes no sense").to_string();
            assert!(why.contains(part), "expected '{part}' in '{why}'");
        }
    }
}
