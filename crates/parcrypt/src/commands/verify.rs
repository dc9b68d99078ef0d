//! `parcrypt verify`: every way of computing every workload, against known outputs.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parcrypt_cpu::{Backend, Request};
use parcrypt_protocol::{Params, Value};
use parcrypt_runtime::Kind;

use crate::error::{ERROR, NEGATIVE, fail};
use crate::progress::Bar;
use crate::requests;
use crate::runtimes;
use crate::text::{hex, seconds};
use crate::workload::params::{self, Effect, Values};
use crate::workload::{self, Aligned, Error, KNOWN_ANSWERS, Known, Workload, known};
use crate::workloads;

/// Numbers of threads of each runtime; `serial` has the first only.
const THREADS: [NonZeroUsize; 3] =
    [NonZeroUsize::MIN, NonZeroUsize::MIN.saturating_add(1), NonZeroUsize::MIN.saturating_add(2)];

/// Check that all workloads have the right output on this machine, with each backend and runtime
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Each line is a workload: the ways of computing it (backend, runtime, and parameters such
as the decomposition) and the compared outputs. The outputs are compared with the outputs of
independent implementations. Small inputs are computed in every way with 1, 2 and 3 threads. Large inputs are computed with each backend
on one thread, and with the best backend on each runtime with 2 threads.

Examples:
  parcrypt verify                      all workloads, in less than a minute
  parcrypt verify fft-fr sum           two of them
  parcrypt verify sum --verbose        a line for each way
  parcrypt verify --full               also large inputs in every way, a few minutes

Exit codes: 0 all outputs are right; 1 an output is wrong; 2 nothing could be checked.")]
pub(crate) struct Arguments {
    /// Only check these workloads, by their names in `parcrypt list`
    #[arg(value_name = "WORKLOAD")]
    workload: Vec<String>,
    /// Print a line for each way
    #[arg(short, long)]
    verbose: bool,
    /// Also compute large inputs in every way
    #[arg(long)]
    full: bool,
}

struct Case {
    values: Values,
    input: Vec<u8>,
    known: Known,
}

const MAX_REASONS: usize = 3;

/// Bytes of input and memory from which a case is large.
const LARGE: u64 = 32 << 10;

struct Way {
    backend: Backend,
    runtime: Kind,
    params: Params,
}

enum WayOutcome {
    Passed(usize),
    Failed(Vec<String>),
    Skipped(String),
    /// There is nothing to check: the way runs another backend than the requested one, and is checked with that one, or
    /// all cases are large and computed in other ways.
    NotAWay,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
    outputs: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.outputs += other.outputs;
    }
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let chosen = if arguments.workload.is_empty() {
        Ok(workloads::all().collect())
    } else {
        arguments.workload.iter().map(|name| workloads::find(name)).collect::<Result<Vec<_>, _>>()
    };
    let chosen = match chosen.and_then(|all| requests::from_environment().map(|_| all).map_err(Error::wrong))
    {
        Ok(chosen) => chosen,
        Err(error) => return fail(error),
    };
    let stdout = &mut std::io::stdout();
    match verify(&chosen, KNOWN_ANSWERS, arguments, stdout) {
        Ok(Counts { failed: 1.., .. }) => ExitCode::from(NEGATIVE),
        Ok(Counts { passed: 0, .. }) => fail("nothing could be checked here"),
        Ok(_) => ExitCode::SUCCESS,
        // The reader has closed standard output before all was checked.
        Err(VerifyError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(ERROR),
        Err(error) => fail(error),
    }
}

#[derive(Debug, thiserror::Error)]
enum VerifyError {
    #[error("standard output: {0}")]
    Output(#[from] std::io::Error),
    #[error(transparent)]
    Work(#[from] Error),
}

fn verify(
    chosen: &[&'static Workload],
    answers: &'static str,
    options: &Arguments,
    output: &mut dyn Write,
) -> Result<Counts, VerifyError> {
    let begun = Instant::now();
    let total = chosen.iter().map(|workload| ways(workload).len()).sum::<usize>();
    let bar = Bar::of_items(total);
    let (mut all, mut absent, mut reasons) = (Counts::default(), BTreeSet::new(), BTreeSet::new());
    let width = chosen.iter().map(|workload| workload.name.len()).max().unwrap_or(0).max(8);
    for workload in chosen {
        let begun = Instant::now();
        bar.set_message(format!("{}: inputs", workload.name));
        let cases = cases(workload, answers)?;
        let (mut counts, mut failures) = (Counts::default(), Vec::new());
        for way in ways(workload) {
            let name = describe(workload, &way, width);
            bar.set_message(name.split_whitespace().collect::<Vec<_>>().join(" "));
            let (line, details) = match check(workload, &cases, &way, options.full) {
                WayOutcome::Passed(outputs) => {
                    counts.add(Counts { passed: 1, outputs, ..Counts::default() });
                    (format!("{name}  passed  {outputs} outputs"), Vec::new())
                }
                WayOutcome::Failed(details) => {
                    counts.failed += 1;
                    (format!("{name}  FAILED"), details)
                }
                WayOutcome::Skipped(why) => {
                    counts.skipped += 1;
                    let line = format!("{name}  SKIP {why}");
                    if way.backend.is_available() {
                        reasons.insert(why);
                    } else {
                        absent.insert(way.backend.name());
                    }
                    (line, Vec::new())
                }
                WayOutcome::NotAWay => {
                    bar.advance();
                    continue;
                }
            };
            if options.verbose {
                bar.suspend(|| write_lines(output, &line, &details))?;
            } else if !details.is_empty() {
                failures.push((line, details));
            }
            bar.advance();
        }
        if !options.verbose {
            let line = summary(workload.name, width, counts, begun.elapsed());
            bar.suspend(|| {
                writeln!(output, "{line}")?;
                failures.iter().try_for_each(|(line, details)| write_lines(output, line, details))
            })?;
        }
        all.add(counts);
    }
    drop(bar);
    if !options.verbose {
        if !absent.is_empty() {
            let names = absent.into_iter().collect::<Vec<_>>().join(", ");
            writeln!(output, "skipped: not on this machine: {names}")?;
        }
        reasons.iter().take(MAX_REASONS).try_for_each(|why| writeln!(output, "skipped: {why}"))?;
        if reasons.len() > MAX_REASONS {
            writeln!(output, "skipped: {} more reasons (use --verbose)", reasons.len() - MAX_REASONS)?;
        }
    }
    let Counts { passed, failed, skipped, outputs } = all;
    let time = seconds(begun.elapsed().as_secs_f64());
    writeln!(output, "{passed} passed, {failed} failed, {skipped} skipped; {outputs} outputs in {time}")?;
    Ok(all)
}

fn write_lines(output: &mut dyn Write, line: &str, details: &[String]) -> std::io::Result<()> {
    writeln!(output, "{line}")?;
    details.iter().try_for_each(|detail| writeln!(output, "    {detail}"))
}

fn summary(name: &str, width: usize, counts: Counts, time: Duration) -> String {
    let Counts { passed, failed, skipped, outputs } = counts;
    let verdict = match (passed, failed) {
        (0, 0) => "skipped",
        (_, 0) => "passed ",
        _ => "FAILED ",
    };
    let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    let time = seconds(time.as_secs_f64());
    format!("{name:<width$}  {verdict}  {passed:>3} ways, {outputs:>4} outputs{failed}{skipped}  {time}")
}

impl Way {
    /// Returns whether large cases are computed in this way: with each backend on one thread, and with the best backend
    /// on each runtime.
    fn computes_large(&self, best: Option<Backend>) -> bool {
        self.runtime == Kind::Serial || Some(self.backend) == best
    }
}

fn describe(workload: &Workload, way: &Way, width: usize) -> String {
    let params: Vec<String> = way.params.values().map(Value::to_string).collect();
    format!("{:<width$} {:<8} {:<7} {:<23}", workload.name, way.backend, way.runtime, params.join(" "))
}

/// Returns every combination of backend, runtime and parameters that do not change the output.
fn ways(workload: &Workload) -> Vec<Way> {
    let mut combinations = vec![Params::new()];
    for p in workload.params.iter().filter(|p| p.effect == Effect::Way) {
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
    for backend in workload.all_backends() {
        for runtime in Kind::ALL {
            all.extend(combinations.iter().map(|params| Way { backend, runtime, params: params.clone() }));
        }
    }
    all
}

fn cases(workload: &Workload, answers: &'static str) -> Result<Vec<Case>, Error> {
    let case = |known: Known| {
        let values = workload.values(&known.params)?;
        let bytes = (workload.input_bytes)(&values);
        workload.check_memory(&values, parcrypt_machine::memory_available())?;
        let len = usize::try_from(bytes).map_err(|_| Error::memory(bytes))?;
        Ok(Case { values, input: known.input.bytes(len), known })
    };
    known(answers, workload.name).into_iter().map(case).collect()
}

/// Checks one way: the small cases with 1, 2 and 3 threads; the large ones, if they are computed in this way, with one
/// number of threads, 1 or 2, or with all of them if `full`.
fn check(workload: &Workload, cases: &[Case], way: &Way, full: bool) -> WayOutcome {
    let requests = Request::from(way.backend).into();
    if let Err(error) = workload.rows(None, Some(&requests)) {
        return WayOutcome::Skipped(error.to_string());
    }
    let threads = if way.runtime == Kind::Serial { &THREADS[..1] } else { &THREADS[..] };
    let for_large = threads[threads.len() / 2];
    let mut outputs = 0;
    let mut details = Vec::new();
    for &threads in threads {
        let runtime = match runtimes::build(way.runtime, threads.get()) {
            Ok(runtime) => runtime,
            Err(error) => return WayOutcome::Skipped(error.to_string()),
        };
        for case in cases {
            // The machine can run the backend, but the kernel for these parameters may not have it.
            let Ok(rows) = workload.rows(Some(&case.values), Some(&requests)) else { continue };
            let is_large = case.input.len() as u64 + (workload.memory)(&case.values) >= LARGE;
            if is_large && !full {
                let best = workload.rows(Some(&case.values), None).map(|rows| rows.backend()).ok();
                if threads != for_large || !way.computes_large(best) {
                    continue;
                }
            }
            let mut params = case.known.params.clone();
            params.extend(way.params.clone());
            let output = || {
                let values = workload.values(&params)?;
                let mut prepared =
                    (workload.prepare)(&values, Aligned::new(case.input.clone()), &*runtime, &rows)?;
                if prepared.backend().is_some_and(|runs| runs != rows.backend()) {
                    return Ok(None);
                }
                // Twice, because a benchmark repeats it: the second output must be correct too.
                prepared.iterate(&*runtime);
                prepared.iterate(&*runtime);
                Ok::<_, Error>(Some(hex(&workload::digest(&*prepared))))
            };
            let got = match catch_unwind(AssertUnwindSafe(output)) {
                Ok(Ok(Some(digest))) if digest == case.known.sha256 => {
                    outputs += 1;
                    continue;
                }
                Ok(Ok(Some(digest))) => format!("sha256:{digest}"),
                Ok(Ok(None)) => return WayOutcome::NotAWay,
                Ok(Err(error)) => format!("the error: {error}"),
                Err(_) => "a panic".to_owned(),
            };
            let many = if threads.get() == 1 { "" } else { "s" };
            details.push(format!("{} on {threads} thread{many}:", text(&case.known.params)));
            details.push(format!("  expected sha256:{}", case.known.sha256));
            details.push(format!("  got      {got}"));
        }
    }
    match outputs {
        0 if details.is_empty() => WayOutcome::NotAWay,
        _ if details.is_empty() => WayOutcome::Passed(outputs),
        _ => WayOutcome::Failed(details),
    }
}

fn text(params: &Params) -> String {
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
    use crate::workload::Prepared;

    /// A workload that panics, fails or has the wrong output with another backend than the reference.
    struct Odd {
        backend: Backend,
    }

    impl Prepared for Odd {
        fn iterate(&mut self, rt: &dyn Runtime) {
            assert!(black_box(self.backend) == Backend::Portable || rt.name() != "rayon", "meant to panic");
        }

        fn output(&self, take: &mut dyn FnMut(&[u8])) {
            take(if self.backend == Backend::Portable { b"right" } else { b"wrong" });
        }
    }

    static ODD: Workload = Workload {
        name: "odd",
        about: "",
        params: &[],
        table: "sum",
        backends: |_| vec![Backend::Portable, Backend::Avx2, Backend::Rvv],
        other_tables: &[],
        input: "",
        output: "",
        input_bytes: |_| 0,
        memory: |_| 0,
        prepare: |_, _, rt, rows| match (rows.backend(), rt.name()) {
            (Backend::Avx2, "openmp") => Err(Error::wrong("meant to fail")),
            (backend, _) => Ok(Box::new(Odd { backend })),
        },
    };

    // printf right | sha256sum
    const ANSWER: &str = "odd hashes 27042f4e6eca7d0b2a7ee4026df2ecfa51d3339e6d122aa099118ecd8563bad9";

    #[test]
    fn errors_are_shown() {
        let mut output = Vec::new();
        let mut options = Arguments { workload: Vec::new(), verbose: true, full: false };
        let counts = verify(&[&ODD], ANSWER, &options, &mut output).unwrap();
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
        assert_eq!(counts, Counts { passed: 3, failed: 3, skipped: 3, outputs: 7 });
        for part in [
            "odd      avx2     serial                           FAILED\n    no parameters on 1 thread:\n      expected sha256:27042f4e",
            "  got      a panic\n",
            "  got      the error: meant to fail\n",
            "SKIP table sum: this machine cannot run backend 'rvv'",
            "3 passed, 3 failed, 3 skipped; 7 outputs in ",
        ] {
            assert!(output.contains(part), "{part}");
        }
        // One line, the failed ways with their details, the reasons, and the total.
        let mut output = Vec::new();
        options.verbose = false;
        verify(&[&ODD], ANSWER, &options, &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        let lines: Vec<&str> = output.lines().filter(|line| !line.starts_with(' ')).collect();
        assert!(
            lines[0].starts_with("odd       FAILED     3 ways,    7 outputs, 3 failed, 3 skipped  "),
            "{output}"
        );
        assert!(
            lines[1..4].iter().all(|line| line.starts_with("odd      avx2 ") && line.ends_with("FAILED")),
            "{output}"
        );
        assert_eq!(lines[4], "skipped: not on this machine: rvv", "{output}");
        assert!(lines[5].starts_with("3 passed, 3 failed, 3 skipped; ") && lines.len() == 6, "{output}");
    }

    #[test]
    fn large_cases_have_each_backend_and_runtime() {
        for workload in workloads::all() {
            let best = workload.rows(None, None).unwrap().backend();
            let large: Vec<Way> =
                ways(workload).into_iter().filter(|way| way.computes_large(Some(best))).collect();
            for backend in workload.all_backends() {
                assert!(large.iter().any(|way| way.backend == backend), "{} {backend}", workload.name);
            }
            for runtime in Kind::ALL {
                assert!(large.iter().any(|way| way.runtime == runtime), "{} {runtime}", workload.name);
            }
        }
    }
}
