//! `parcrypt verify`: every way to every answer, against known answers and against the definition.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use parcrypt_cpu::{Backend, Machine};
use parcrypt_lab::record::{Params, Value};
use parcrypt_runtime::{Kind, OpenMp};
use sha2::{Digest, Sha256};

use crate::error::{ERROR, NEGATIVE, fail};
use crate::machine;
use crate::progress::Bar;
use crate::requests;
use crate::runtimes;
use crate::text::hex;
use crate::text::paragraph;
use crate::workload::params::{self, Effect};
use crate::workload::{self, Error, Stream, Workload};
use crate::workloads;

/// Numbers of threads that each runtime is tried with; `serial` takes the first alone.
const THREADS: [NonZeroUsize; 3] =
    [NonZeroUsize::MIN, NonZeroUsize::MIN.saturating_add(1), NonZeroUsize::MIN.saturating_add(2)];

/// Check that all kernels give the right answers here, in every way.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
First come the processor, what it has, and the runtimes with their versions and
threads. Then each line is one way of running one kernel: backend, runtime, decomposition. It
does several pieces of work, with 1, 2 and 3 threads. Their answers are compared
with those of independent implementations and, where the work is small, with the
definition.

Examples:
  parcrypt verify                    all kernels, half a minute
  parcrypt verify --kernel fft-fr    one of them

Exit codes: 0 all is right; 1 an answer is wrong; 2 nothing could be checked.")]
pub(crate) struct Arguments {
    /// Only this kernel, by a name that `parcrypt list` shows; may be given several times
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
}

/// A piece of work whose answer is known.
struct Case {
    params: Params,
    input: Vec<u8>,
    /// SHA-256 of the canonical bytes, hexadecimal.
    expected: String,
    /// What knows the answer.
    source: &'static str,
}

/// One way of running a kernel.
struct Way {
    backend: Backend,
    runtime: Kind,
    /// Parameters that change only the way.
    params: Params,
}

/// What was found out about a way.
enum Verdict {
    Passed {
        answers: usize,
    },
    Failed {
        details: Vec<String>,
    },
    Skipped {
        why: String,
    },
    /// It has a backend of its own, whatever is asked for, and is checked there.
    NotAWay,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let chosen = if arguments.kernel.is_empty() {
        Ok(workloads::all().collect())
    } else {
        arguments.kernel.iter().map(|name| workloads::find(name)).collect::<Result<Vec<_>, _>>()
    };
    let chosen = match chosen.and_then(|all| Ok(requests::from_environment().map(|_| all)?)) {
        Ok(chosen) => chosen,
        Err(error) => return fail(error),
    };
    let stdout = &mut std::io::stdout();
    let verified = writeln!(stdout, "{}", header()).map_err(VerifyError::from);
    match verified.and_then(|()| verify(&chosen, stdout)) {
        Ok(Counts { failed: 1.., .. }) => ExitCode::from(NEGATIVE),
        Ok(Counts { passed: 0, .. }) => fail("nothing could be checked here"),
        Ok(_) => ExitCode::SUCCESS,
        // Whoever read has seen enough, but not all has been checked.
        Err(VerifyError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(ERROR),
        Err(error) => fail(error),
    }
}

/// Why the checks could not be ended.
#[derive(Debug, thiserror::Error)]
enum VerifyError {
    #[error("standard output: {0}")]
    Output(#[from] std::io::Error),
    #[error(transparent)]
    Work(#[from] Error),
}

/// What the answers that follow were computed on and by.
fn header() -> String {
    let mut text = paragraph("processor", &Machine::detect().processor);
    text += &paragraph("features", &machine::features());
    text += &paragraph("backends", &machine::backends());
    text + &machine::runtimes(parcrypt_cpu::cores(), &OpenMp::library())
}

fn verify(chosen: &[&'static Workload], output: &mut dyn Write) -> Result<Counts, VerifyError> {
    let total = chosen.iter().map(|kernel| ways(kernel).len()).sum::<usize>();
    let bar = Bar::of_items(total);
    let mut counts = Counts::default();
    let width = chosen.iter().map(|kernel| kernel.name.len()).max().unwrap_or(0).max(8);
    for kernel in chosen {
        bar.set_message(format!("{}: by the definition", kernel.name));
        let cases = cases(kernel)?;
        for way in ways(kernel) {
            let name = describe(kernel, &way, width);
            bar.set_message(name.split_whitespace().collect::<Vec<_>>().join(" "));
            let (line, details) = match check(kernel, &cases, &way) {
                Verdict::Passed { answers } => {
                    counts.passed += 1;
                    (format!("{name}  passed  {answers} answers"), Vec::new())
                }
                Verdict::Failed { details } => {
                    counts.failed += 1;
                    (format!("{name}  FAILED"), details)
                }
                Verdict::Skipped { why } => {
                    counts.skipped += 1;
                    (format!("{name}  SKIP {why}"), Vec::new())
                }
                Verdict::NotAWay => {
                    bar.advance();
                    continue;
                }
            };
            bar.suspend(|| {
                writeln!(output, "{line}")?;
                details.iter().try_for_each(|detail| writeln!(output, "    {detail}"))
            })?;
            bar.advance();
        }
    }
    drop(bar);
    let Counts { passed, failed, skipped } = counts;
    writeln!(output, "{passed} passed, {failed} failed, {skipped} skipped")?;
    Ok(counts)
}

fn describe(kernel: &Workload, way: &Way, width: usize) -> String {
    let params: Vec<String> = way.params.values().map(Value::to_string).collect();
    format!("{:<width$} {:<8} {:<7} {:<23}", kernel.name, way.backend, way.runtime, params.join(" "))
}

/// Every backend, runtime and combination of names that change only the way.
fn ways(kernel: &Workload) -> Vec<Way> {
    let mut combinations = vec![Params::new()];
    for p in kernel.params.iter().filter(|p| p.effect == Effect::Way) {
        let params::Kind::Name { of, .. } = &p.kind else { continue };
        let with = |name: &str, params: &Params| {
            let mut params = params.clone();
            params.insert(p.name.to_owned(), Value::Text(name.to_owned()));
            params
        };
        combinations =
            combinations.iter().flat_map(|params| of.iter().map(|name| with(name, params))).collect();
    }
    let mut all = Vec::new();
    for backend in (kernel.backends)() {
        for runtime in Kind::ALL {
            all.extend(combinations.iter().map(|params| Way { backend, runtime, params: params.clone() }));
        }
    }
    all
}

/// The work that every way has to do, with its answers.
fn cases(kernel: &Workload) -> Result<Vec<Case>, Error> {
    let input = |params: &Params, stream: Stream| {
        let values = kernel.values(params)?;
        let bytes = (kernel.input_bytes)(&values);
        kernel.check_memory(&values, parcrypt_cpu::memory_available())?;
        let len = usize::try_from(bytes).map_err(|_| Error::Refused { bytes })?;
        Ok::<_, Error>((values, stream.bytes(len)))
    };
    let mut all = Vec::new();
    for known in kernel.known {
        let params = params::parse(known.params);
        let (_, input) = input(&params, known.input)?;
        let expected = known.sha256.to_owned();
        all.push(Case { params, input, expected, source: "an independent implementation" });
    }
    for small in kernel.small {
        let params = params::parse(small);
        let (values, input) = input(&params, Stream::Hashes)?;
        let expected = hex(&Sha256::digest((kernel.reference)(&values, &input)?));
        all.push(Case { params, input, expected, source: "the definition" });
    }
    Ok(all)
}

fn check(kernel: &Workload, cases: &[Case], way: &Way) -> Verdict {
    let backend = match kernel.backend(Some(way.backend)) {
        Ok(backend) => backend,
        Err(error) => return Verdict::Skipped { why: error.to_string() },
    };
    let threads = if way.runtime == Kind::Serial { &THREADS[..1] } else { &THREADS[..] };
    let mut answers = 0;
    let mut details = Vec::new();
    for &threads in threads {
        let runtime = match runtimes::build(way.runtime, None, threads.get()) {
            Ok(runtime) => runtime,
            Err(error) => return Verdict::Skipped { why: error.to_string() },
        };
        for case in cases {
            let mut params = case.params.clone();
            params.extend(way.params.clone());
            let answer = || {
                let values = kernel.values(&params)?;
                let mut prepared = (kernel.prepare)(&values, case.input.clone(), &*runtime, backend)?;
                if prepared.backend().is_some_and(|runs| runs != backend) {
                    return Ok(None);
                }
                // Twice, because a benchmark repeats the work: the second answer has to be right too.
                prepared.iterate(&*runtime);
                prepared.iterate(&*runtime);
                Ok::<_, Error>(Some(hex(&workload::digest(&*prepared))))
            };
            let got = match catch_unwind(AssertUnwindSafe(answer)) {
                Ok(Ok(Some(digest))) if digest == case.expected => {
                    answers += 1;
                    continue;
                }
                Ok(Ok(Some(digest))) => format!("sha256:{digest}"),
                Ok(Ok(None)) => return Verdict::NotAWay,
                Ok(Err(error)) => format!("the error: {error}"),
                Err(_) => "a panic".to_owned(),
            };
            let many = if threads.get() == 1 { "" } else { "s" };
            details.push(format!("{} on {threads} thread{many}, by {}:", text(&case.params), case.source));
            details.push(format!("  expected sha256:{}", case.expected));
            details.push(format!("  got      {got}"));
        }
    }
    if details.is_empty() { Verdict::Passed { answers } } else { Verdict::Failed { details } }
}

fn text(params: &BTreeMap<String, Value>) -> String {
    if params.is_empty() {
        return "no parameters".to_owned();
    }
    params.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use parcrypt_runtime::Runtime;

    use super::*;
    use crate::workload::{Known, Prepared};

    /// Panics, fails or gives the wrong answer with another backend than the reference.
    struct Odd {
        backend: Backend,
    }

    impl Prepared for Odd {
        fn iterate(&mut self, rt: &dyn Runtime) {
            assert!(black_box(self.backend) == Backend::Portable || rt.name() != "rayon", "meant to panic");
        }

        fn answer(&self, take: &mut dyn FnMut(&[u8])) {
            take(if self.backend == Backend::Portable { b"right" } else { b"wrong" });
        }
    }

    static ODD: Workload = Workload {
        name: "odd",
        about: "",
        params: &[],
        table: "sum",
        backends: || vec![Backend::Portable, Backend::Avx2, Backend::Rvv],
        input: "",
        answer: "",
        input_bytes: |_| 0,
        memory: |_| 0,
        prepare: |_, _, rt, backend| match (backend, rt.name()) {
            (Backend::Avx2, "openmp") => Err(Error::Other { what: "meant to fail".to_owned() }),
            _ => Ok(Box::new(Odd { backend })),
        },
        reference: |_, _| Ok(b"right".to_vec()),
        small: &[""],
        known: &[Known {
            params: "",
            input: Stream::Hashes,
            // printf right | sha256sum
            sha256: "27042f4e6eca7d0b2a7ee4026df2ecfa51d3339e6d122aa099118ecd8563bad9",
        }],
    };

    #[test]
    fn what_is_wrong_is_shown() {
        let mut output = Vec::new();
        let counts = verify(&[&ODD], &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        println!("{output}");
        let forced = requests::from_environment() != Ok(parcrypt_cpu::Requests::default());
        if forced || parcrypt_runtime::OpenMp::library().is_err() || !Backend::Avx2.is_available() {
            parcrypt_testkit::skip(
                "parcrypt",
                "verify",
                "the counts need OpenMP, AVX2 and no PARCRYPT_BACKEND",
            );
            return;
        }
        assert_eq!(counts, Counts { passed: 3, failed: 3, skipped: 3 });
        for part in [
            "odd      avx2     serial                           FAILED\n    no parameters on 1 thread, by an independent implementation:\n      expected sha256:27042f4e",
            "  got      a panic\n",
            "  got      the error: meant to fail\n",
            "SKIP this machine cannot run backend 'rvv'",
            "3 passed, 3 failed, 3 skipped\n",
        ] {
            assert!(output.contains(part), "{part}");
        }
    }

    #[test]
    fn each_way_is_there_once() {
        let fft = workloads::find("fft-fr").unwrap();
        assert_eq!(ways(fft).len(), (fft.backends)().len() * Kind::ALL.len() * 3);
        let sum = workloads::find("sum").unwrap();
        assert_eq!(ways(sum).len(), (sum.backends)().len() * Kind::ALL.len());
    }
}
