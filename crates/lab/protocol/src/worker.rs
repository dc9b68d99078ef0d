//! The main loop of a candidate: reads requests, calls a [`Worker`] and writes responses.

use std::hint::black_box;
use std::io::{BufRead, ErrorKind, Read, Write};
use std::process::ExitCode;

use crate::response::Response;
use crate::{
    Description, Fits, MAX_LINE, OutputDigest, Prepare, ProtocolError, Ready, Refusal, Request, RequestKind,
    ResponseKind, Sample, WorkerError,
};

/// Exit code after an error.
pub const STATUS_ERROR: u8 = 2;

/// Bytes of a cache line, or a divisor of them.
const CACHE_LINE: usize = 64;

/// A candidate: a program that does work for the lab.
pub trait Worker {
    /// Does everything that is not measured, such as reading the input. It is called until it succeeds once.
    ///
    /// # Errors
    /// [`WorkerError::Unsupported`] if the candidate cannot do this work on this machine; any other error ends the
    /// candidate.
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError>;

    /// Does the work `iterations` times, which is at least once. It is called after `prepare` has succeeded.
    ///
    /// # Errors
    /// The work failed. This ends the candidate.
    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError>;

    /// Writes to each cache line of `memory`, so that no cache holds what the work needs. It is called before each
    /// `sample` if the request to prepare has [`Prepare::evict`].
    fn evict(&mut self, memory: &mut [u8]) {
        write_lines(memory);
    }

    /// Returns the SHA-256 digest of the canonical bytes of the last output. It is called after a `sample`.
    ///
    /// # Errors
    /// There is no output. This ends the candidate.
    fn digest(&mut self) -> Result<OutputDigest, WorkerError>;

    /// Returns whether work can be done, without preparing it. It may be called at any time.
    ///
    /// # Errors
    /// [`WorkerError::Unsupported`] if the candidate cannot check work; any other error ends the candidate.
    fn check(&mut self, request: &Prepare) -> Result<Result<Fits, Refusal>, WorkerError> {
        let _ = request;
        Err(WorkerError::Unsupported("this candidate answers no `check`".to_owned()))
    }

    /// Returns the description of the program. It may be called at any time.
    ///
    /// # Errors
    /// [`WorkerError::Unsupported`] if the program has no description; any other error ends the candidate.
    fn describe(&mut self) -> Result<Description, WorkerError> {
        Err(WorkerError::Unsupported("this candidate answers no `describe`".to_owned()))
    }
}

/// Answers the requests on standard input and returns the exit code. An error is printed to standard error.
pub fn run(worker: &mut dyn Worker) -> ExitCode {
    match serve(worker) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(STATUS_ERROR)
        }
    }
}

/// Answers the requests on standard input until `quit`, the end of input, or until the reader closes standard output.
///
/// # Errors
/// A [`WorkerError`] if a request cannot be answered.
pub fn serve(worker: &mut dyn Worker) -> Result<(), WorkerError> {
    match serve_on(worker, std::io::stdin().lock(), std::io::stdout().lock()) {
        Err(WorkerError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Answers the requests of `input` on `output` until `quit` or the end of `input`.
///
/// # Errors
/// A [`WorkerError`] if a request cannot be answered.
pub fn serve_on(
    worker: &mut dyn Worker,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), WorkerError> {
    let (mut prepared, mut sampled) = (false, false);
    let (mut bytes, mut evicting) = (Vec::new(), Vec::new());
    for number in 1.. {
        bytes.clear();
        input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes).map_err(WorkerError::Read)?;
        if bytes.is_empty() {
            break;
        }
        let Request { id, kind } = parse(&bytes).map_err(|source| WorkerError::Request { number, source })?;
        let name = kind.name();
        let kind = match kind {
            RequestKind::Prepare(_) if prepared => return Err(WorkerError::PreparedTwice),
            RequestKind::Prepare(Prepare { threads: 0, .. }) => return Err(WorkerError::NoThreads),
            RequestKind::Prepare(Prepare { evict: Some(0), .. }) => return Err(WorkerError::NothingToEvict),
            RequestKind::Prepare(request) => {
                let ready = zeros(request.evict.unwrap_or(0)).and_then(|memory| {
                    evicting = memory;
                    worker.prepare(&request)
                });
                prepared = ready.is_ok();
                or_unsupported(
                    ready.map(|ready| ResponseKind::Ready(Ready { evict: request.evict, ..ready })),
                )?
            }
            RequestKind::Check(request) => or_unsupported(
                worker
                    .check(&request)
                    .map(|fits| fits.map_or_else(ResponseKind::Refused, ResponseKind::Fits)),
            )?,
            RequestKind::Describe { .. } => or_unsupported(worker.describe().map(ResponseKind::Description))?,
            RequestKind::Sample { iterations: 0 } => return Err(WorkerError::NoIterations),
            RequestKind::Sample { .. } | RequestKind::Digest {} if !prepared => {
                return Err(WorkerError::NotPrepared { request: name });
            }
            RequestKind::Sample { iterations } if iterations > 1 && !evicting.is_empty() => {
                return Err(WorkerError::WarmIterations { iterations });
            }
            RequestKind::Sample { iterations } => {
                sampled = true;
                if !evicting.is_empty() {
                    worker.evict(&mut evicting);
                }
                or_unsupported(worker.sample(iterations).map(|mut sample| {
                    // Short work may take less than the clock's resolution.
                    sample.elapsed_ns = sample.elapsed_ns.map(|ns| ns.max(1));
                    ResponseKind::Sample(sample)
                }))?
            }
            RequestKind::Digest {} if !sampled => return Err(WorkerError::NoSample),
            RequestKind::Digest {} => ResponseKind::Digest(worker.digest()?),
            RequestKind::Quit {} => break,
        };
        let mut line =
            serde_json::to_vec(&Response { id, kind }).map_err(|error| WorkerError::Write(error.into()))?;
        line.push(b'\n');
        output.write_all(&line).and_then(|()| output.flush()).map_err(WorkerError::Write)?;
    }
    Ok(())
}

/// Changes a byte of each cache line. What fills memory at once may pass the caches by.
fn write_lines(memory: &mut [u8]) {
    memory.iter_mut().step_by(CACHE_LINE).for_each(|byte| *byte = black_box(byte.wrapping_add(1)));
}

/// Returns memory of this length, for `evict`.
fn zeros(bytes: u64) -> Result<Vec<u8>, WorkerError> {
    let (length, mut memory) = (usize::try_from(bytes).unwrap_or(usize::MAX), Vec::new());
    if memory.try_reserve_exact(length).is_err() {
        return Err(WorkerError::Unsupported(format!("no memory for `evict` of {bytes} bytes")));
    }
    memory.resize(length, 0);
    Ok(memory)
}

/// Returns the response, where the error [`WorkerError::Unsupported`] becomes the response `unsupported`.
fn or_unsupported(outcome: Result<ResponseKind, WorkerError>) -> Result<ResponseKind, WorkerError> {
    match outcome {
        Err(WorkerError::Unsupported(why)) => Ok(ResponseKind::Unsupported(why)),
        other => other,
    }
}

fn parse(bytes: &[u8]) -> Result<Request, ProtocolError> {
    if bytes.len() > MAX_LINE {
        return Err(ProtocolError::TooLong);
    }
    Request::parse(std::str::from_utf8(bytes).map_err(|_| ProtocolError::NotUtf8)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker whose output is the number of its samples.
    #[derive(Default)]
    struct Counter {
        samples: u8,
        /// The memory that was written before each sample.
        evicted: Vec<Vec<u8>>,
    }

    impl Worker for Counter {
        fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
            match request.workload.as_str() {
                "count" => Ok(Ready {
                    name: "counter".to_owned(),
                    runtime: "serial".to_owned(),
                    threads: 1,
                    ..Ready::default()
                }),
                "fly" => Err(WorkerError::Unsupported("it has no wings".to_owned())),
                other => Err(WorkerError::workload(other, "count, fly")),
            }
        }

        fn sample(&mut self, _: u64) -> Result<Sample, WorkerError> {
            self.samples += 1;
            Ok(Sample { elapsed_ns: Some(0), ..Sample::default() })
        }

        fn evict(&mut self, memory: &mut [u8]) {
            assert_eq!(self.evicted.len(), usize::from(self.samples), "once before each sample");
            write_lines(memory);
            self.evicted.push(memory.to_vec());
        }

        fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
            Ok(OutputDigest([self.samples; 32]))
        }
    }

    const READY: &str = r#"{"id":1,"prepare":{"protocol":2,"workload":"count","threads":1}}"#;
    const SAMPLE: &str = r#"{"id":2,"sample":{"iterations":1}}"#;
    const DIGEST: &str = r#"{"id":3,"digest":{}}"#;

    fn talk(requests: &[&str]) -> (String, Result<(), WorkerError>) {
        talk_to(&mut Counter::default(), requests)
    }

    fn talk_to(counter: &mut Counter, requests: &[&str]) -> (String, Result<(), WorkerError>) {
        let mut output = Vec::new();
        let outcome = serve_on(counter, requests.join("\n").as_bytes(), &mut output);
        (String::from_utf8(output).expect("UTF-8"), outcome)
    }

    #[test]
    fn a_sample_with_cold_caches_is_one_iteration_after_all_memory_was_written() {
        let cold = READY.replace("}}", r#","evict":200}}"#);
        let mut counter = Counter::default();
        let (output, outcome) = talk_to(&mut counter, &[&cold, SAMPLE, SAMPLE, DIGEST]);
        outcome.expect("it goes well");
        assert!(
            output.starts_with(r#"{"id":1,"ready":{"name":"counter","#)
                && output.contains(r#","evict":200}"#)
        );
        let line = |i: usize, sample: u8| if i.is_multiple_of(CACHE_LINE) { sample } else { 0 };
        let written = |sample: u8| (0..200).map(|i| line(i, sample)).collect::<Vec<u8>>();
        assert_eq!(counter.evicted, [written(1), written(2)]);
        let endless = READY.replace("}}", &format!(r#","evict":{}}}}}"#, u64::MAX));
        let mut counter = Counter::default();
        let (output, outcome) = talk_to(&mut counter, &[&endless, READY, SAMPLE]);
        outcome.expect("it goes well");
        assert!(output.starts_with(r#"{"id":1,"unsupported":"no memory for `evict` of 184467"#), "{output}");
        assert!(counter.evicted.is_empty());
    }

    #[test]
    fn each_response_repeats_the_number_of_its_request() {
        let fly = r#"{"id":9,"prepare":{"protocol":2,"workload":"fly","params":{"height":3},"threads":2,"input":"air"}}"#;
        let describe = r#"{"id":1,"describe":{"protocol":2}}"#;
        let check = r#"{"id":2,"check":{"protocol":2,"workload":"count","threads":1}}"#;
        let again = r#"{"id":18446744073709551615,"sample":{"iterations":1}}"#;
        let quit = r#"{"id":4,"quit":{}}"#;
        let (output, outcome) = talk(&[describe, check, fly, READY, SAMPLE, again, DIGEST, quit, "anything"]);
        outcome.expect("it goes well");
        let digest = format!(r#"{{"id":3,"digest":"sha256:{}"}}"#, "02".repeat(32));
        let expected = [
            r#"{"id":1,"unsupported":"this candidate answers no `describe`"}"#,
            r#"{"id":2,"unsupported":"this candidate answers no `check`"}"#,
            r#"{"id":9,"unsupported":"it has no wings"}"#,
            r#"{"id":1,"ready":{"name":"counter","version":"","runtime":"serial","backend":"","threads":1}}"#,
            r#"{"id":2,"elapsed_ns":1}"#,
            r#"{"id":18446744073709551615,"elapsed_ns":1}"#,
            &digest,
        ];
        assert_eq!(output.lines().collect::<Vec<_>>(), expected);
        assert!(talk(&[]).1.is_ok() && talk(&[READY]).1.is_ok());
    }

    #[test]
    fn a_wrong_request_ends_it_with_a_reason() {
        let long = "x".repeat(3 << 20);
        let evict = |bytes: &str| READY.replace("}}", &format!(",\"evict\":{bytes}}}}}"));
        for (requests, part) in [
            (&["\n"][..], "is not a request: EOF while parsing a value"),
            (&["hello"], "line 1 of standard input: `hello` is not a request: expected value"),
            (
                &[READY, r#"{"id":2,"quit":{}"#],
                "line 2 of standard input: `{\"id\":2,\"quit\":{}` is not a request: EOF",
            ),
            (&["[]"], "is not a request"),
            (&[&long], "a line of over 1048576 bytes"),
            (&[SAMPLE], "`sample` came before a successful `prepare`"),
            (&[DIGEST], "`digest` came before a successful `prepare`"),
            (&[READY, DIGEST], "`digest` came before the first `sample`"),
            (&[READY, READY], "`prepare` came a second time"),
            (&[r#"{"id":1,"sample":{"iterations":0}}"#], "0 iterations"),
            (&[r#"{"id":1,"sample":{"iterations":-1}}"#], "sample.iterations: invalid value"),
            (&[r#"{"id":1,"prepare":{"protocol":2,"workload":"count","threads":0}}"#], "0 threads"),
            (&[&evict("0")], "`evict` is 0 bytes"),
            (&[&evict("-1")], "prepare.evict: invalid value"),
            (&[&evict("4096"), r#"{"id":2,"sample":{"iterations":2}}"#], "2 iterations: with `evict`"),
            (&[r#"{"prepare":{"protocol":2,"workload":"count","threads":1}}"#], "missing field `id`"),
            (&["{}"], "missing field `id`"),
            (&[r#"{"id":-1,"quit":{}}"#], "id: invalid value: integer `-1`, expected u64"),
            (&[r#"{"id":1}"#], "needs one of `prepare`, `sample`, `digest`, `quit`, `check` and `describe`"),
            (&[r#"{"id":1,"quit":{},"digest":{}}"#], "is not a request: it needs one of"),
            (&[r#"{"id":1,"stop":{}}"#], "unknown variant `stop`, expected one of `prepare`, `sample`"),
            (&[r#"{"id":1,"quit":{"now":1}}"#], "is not a request: quit.now: unknown field `now`"),
            (&[r#"{"id":1,"sample":{}}"#], "sample: missing field `iterations`"),
            (&[r#"{"id":1,"prepare":{"workload":"x","threads":1}}"#], "prepare: missing field `protocol`"),
            (
                &[r#"{"id":1,"prepare":{"protocol":2,"workload":"x","params":{"a":1.5},"threads":1}}"#],
                "prepare.params.a: a parameter is a whole number of at least 0 or a text",
            ),
            (
                &[r#"{"id":1,"prepare":{"protocol":3,"workload":"sum","colour":"red"}}"#],
                "is of protocol 3, and this program speaks protocol 2",
            ),
            (
                &[r#"{"id":1,"prepare":{"protocol":2,"workload":"sum","threads":1}}"#],
                "unknown workload `sum`: it can be count, fly",
            ),
        ] {
            let why = talk(requests).1.expect_err("it is wrong").to_string();
            assert!(why.contains(part), "expected '{part}' in '{why}'");
        }
        let error = serve_on(&mut Counter::default(), &b"{\"quit\":\"\xff\"}\n"[..], Vec::new()).unwrap_err();
        assert!(error.to_string().contains("not UTF-8"), "{error}");
    }
}
