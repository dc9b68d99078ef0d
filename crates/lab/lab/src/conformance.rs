//! Checks whether a program keeps the protocol: a conversation as in a run, in which each part is judged by itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use parcrypt_protocol::{OutputDigest, RequestKind, ResponseKind, Sample, VERSION};

use crate::candidate::{Candidate, CandidateError};
use crate::input::{InputError, Inputs};
use crate::placement::Placement;
use crate::plan::EntryPlan;
use crate::record::{Failure, FailureKind, Params};
use crate::run::RunError;

/// The name of a workload that no candidate has.
const UNKNOWN: &str = "parcrypt-check-unknown";
/// Numbers of requests that are left out once.
const GAP: u64 = 1000;
/// Minimum time of the shortest sample whose time is compared, and the largest number of its iterations.
const SHORT: Duration = Duration::from_millis(20);
const MOST_ITERATIONS: u64 = 1 << 32;
/// Multiples of the iterations of the shortest sample, and their sum.
const MULTIPLES: [u64; 3] = [1, 2, 4];
const SUM: u32 = 7;
/// Time for these samples, and how often they are repeated in it at most.
const TIMING: Duration = Duration::from_secs(10);
const REPEATS: u32 = 5;
/// Maximum difference of a time from the multiple of the shortest.
const TOLERANCE: f64 = 0.2;
/// Maximum difference between repetitions on a quiet machine.
const QUIET: f64 = 0.1;
/// Time of four times the iterations, as a multiple, up to which a candidate ignores `iterations` on any machine.
const IGNORED: f64 = 1.5;
/// Factor between two measurements of memory from which on they are not of the same thing, or in another unit.
const OTHER_UNIT: u64 = 100;
/// Time in which a line that no request has asked for arrives.
const LATE: Duration = Duration::from_millis(100);

/// A program and the work with which it is checked.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The workload.
    pub workload: String,
    /// Its parameters.
    pub params: Params,
    /// Threads or ranks.
    pub threads: usize,
    /// Its input.
    pub input: Input,
    /// Time limit of a response.
    pub limit: Duration,
}

/// The input of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// There is none.
    None,
    /// A file.
    File(PathBuf),
    /// A file of this number of bytes, made from seed 1 as the lab makes it for a plan.
    Bytes(u64),
}

/// Defines the checks, each with its name, of at most 14 characters, and what the protocol asks for.
macro_rules! checks {
    ($($check:ident $name:literal $rule:literal;)*) => {
        /// What is checked, in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "each has a rule")]
        pub enum Check {
            $($check),*
        }

        impl Check {
            const ALL: &[Check] = &[$(Check::$check),*];

            /// Returns its name, of at most 14 characters.
            pub fn name(self) -> &'static str {
                match self { $(Check::$check => $name),* }
            }

            /// Returns what the protocol asks for, in a sentence.
            pub fn rule(self) -> &'static str {
                match self { $(Check::$check => $rule),* }
            }
        }
    };
}

checks! {
    Prepare "prepare" "The response is {\"id\":ID,\"ready\":{\"name\":\"…\"}}, with the id of the request, on a \
        line that is flushed.";
    Sample "sample" "The response is {\"id\":ID,\"elapsed_ns\":NS}: the time of all iterations, a whole number \
        above 0.";
    Digest "digest" "The response is {\"id\":ID,\"digest\":\"sha256:…\"}: 64 hexadecimal digits in lower case, of \
        the output's canonical bytes.";
    Id "id" "A response repeats the id of its request, whatever number that is.";
    SameOutput "same output" "Each iteration repeats the whole work, and the digest is the digest of only the \
        last output.";
    Queue "queue" "A request may arrive before the response to the one before it; they are answered in order.";
    Iterations "iterations" "`sample` does the work as often as `iterations` says, elapsed_ns covers all of it, \
        and nothing is kept from one iteration that makes the next one shorter.";
    Time "time" "elapsed_ns is the time of all iterations in nanoseconds, by a monotonic clock: above 0, and not \
        above the time between request and response.";
    Memory "memory" "`peak-memory-bytes` is the maximum resident memory in bytes.";
    KnownFields "known fields" "The lab ignores a field that its version of the protocol does not have, also one \
        with a misspelt name.";
    OnlyResponses "only responses" "Standard output has one line for each request, and nothing else; messages go \
        to standard error.";
    Quit "quit" "After `quit` the candidate exits with code 0.";
    SecondProcess "second process" "The output depends on workload, parameters and input only, so it is the same \
        in each process.";
    EndOfInput "end of input" "At the end of standard input the candidate exits with code 0, also without `quit`.";
    UnknownWork "unknown work" "The response to a `prepare` of a workload that it does not have is \
        {\"id\":ID,\"unsupported\":\"why\"}; or the candidate writes the reason to standard error and exits with \
        another code than 0.";
}

/// Result of a check, with a description of what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckResult {
    /// It is right.
    Passed(String),
    /// It cannot be judged here, as on a noisy machine.
    Warning(String),
    /// It is wrong.
    Failed {
        /// Description of the error, with the line at fault.
        why: String,
        /// The end of what the candidate wrote to standard error.
        stderr: String,
    },
    /// It was not checked.
    Unchecked(String),
}

/// Reason why a program cannot be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum ConformanceError {
    #[error("nothing can be checked: {0}")]
    Unsupported(String),
    #[error(transparent)]
    Input(#[from] RunError),
    #[error("interrupted")]
    Interrupted,
}

/// Checks a program, and calls `found` with each result, once for each [`Check`]. If a part of the
/// conversation fails, the checks that follow it in the same process are left out.
///
/// It takes some seconds: samples of 20, 40 and 80 ms five times, or of one, two and four iterations if one takes
/// longer.
///
/// # Errors
/// [`ConformanceError`].
pub fn check(
    subject: &Subject,
    inputs: &Inputs,
    stop: &AtomicBool,
    found: &mut dyn FnMut(Check, &CheckResult),
) -> Result<(), ConformanceError> {
    let input = match &subject.input {
        Input::None => None,
        Input::File(path) => Some(path.clone()),
        Input::Bytes(bytes) => match inputs.file(1, *bytes, stop) {
            Ok(made) => Some(made.path),
            Err(InputError::Interrupted) => return Err(ConformanceError::Interrupted),
            Err(source) => return Err(RunError::Input { bytes: *bytes, source }.into()),
        },
    };
    let placement = Placement::detect();
    let mut checker = Checker { subject, input, placement, stop, found, done: Vec::new(), digest: None };
    for part in [Checker::conversation, Checker::second_process, Checker::unknown_work] {
        match part(&mut checker) {
            Ok(()) | Err(Stop::Failed) => {}
            Err(Stop::Error(error)) => return Err(error),
        }
    }
    for check in Check::ALL {
        if !checker.done.contains(check) {
            checker.report(*check, CheckResult::Unchecked("what it builds on has failed".to_owned()));
        }
    }
    Ok(())
}

/// The checks of a subject.
struct Checker<'a> {
    subject: &'a Subject,
    input: Option<PathBuf>,
    placement: Placement,
    stop: &'a AtomicBool,
    found: &'a mut dyn FnMut(Check, &CheckResult),
    /// Checks with a result.
    done: Vec<Check>,
    /// The digest after the first sample.
    digest: Option<OutputDigest>,
}

/// Why a conversation does not go on.
enum Stop {
    /// A check has failed, and this was reported.
    Failed,
    /// Nothing can be checked.
    Error(ConformanceError),
}

/// A sample, its iterations, and the time from request to response.
struct Timed {
    iterations: u64,
    wall: Duration,
    sample: Sample,
}

impl Timed {
    /// Returns why its time cannot be right.
    fn error(&self) -> Option<String> {
        let Timed { iterations, wall, sample } = self;
        let elapsed = sample.elapsed_ns?;
        (elapsed == 0 || u128::from(elapsed) > wall.as_nanos()).then(|| {
            let times =
                if *iterations == 1 { "1 iteration".to_owned() } else { format!("{iterations} iterations") };
            format!(
                "{{\"elapsed_ns\":{elapsed}}} for a sample of {times} that took {} ns here",
                wall.as_nanos()
            )
        })
    }
}

impl<'a> Checker<'a> {
    fn report(&mut self, check: Check, result: CheckResult) {
        self.done.push(check);
        (self.found)(check, &result);
    }

    /// Reports the result of a step, as `passed` judges it, and returns it.
    fn step<T>(
        &mut self,
        check: Check,
        result: Result<T, CandidateError>,
        passed: impl FnOnce(&T) -> CheckResult,
    ) -> Result<T, Stop> {
        match result {
            Ok(value) => {
                self.report(check, passed(&value));
                Ok(value)
            }
            Err(CandidateError::Interrupted) => Err(Stop::Error(ConformanceError::Interrupted)),
            Err(CandidateError::Failed(Failure { why, stderr, .. })) => {
                self.report(check, CheckResult::Failed { why, stderr });
                Err(Stop::Failed)
            }
        }
    }

    /// Starts a process for a workload.
    fn start(&self, workload: &str) -> Result<(Candidate<'a>, EntryPlan), CandidateError> {
        let Subject { command, params, threads, limit, .. } = self.subject;
        let entry = EntryPlan::alone(command.clone(), workload.to_owned(), params.clone(), *threads);
        let mut candidate =
            Candidate::start(&entry, Path::new("."), (&self.placement, None), *limit, self.stop)?;
        candidate.keep_responses();
        Ok((candidate, entry))
    }

    /// Starts a process and prepares the work; returns the name of the candidate too.
    fn prepared(&self) -> Result<(Candidate<'a>, String), CandidateError> {
        let (mut candidate, entry) = self.start(&self.subject.workload)?;
        let ready = candidate.prepare(&entry, self.input.as_deref())?;
        Ok((candidate, ready.name))
    }

    /// Checks a whole conversation.
    fn conversation(&mut self) -> Result<(), Stop> {
        let begun = Instant::now();
        let prepared = match self.prepared() {
            Err(CandidateError::Failed(failure)) if failure.kind == FailureKind::Unsupported => {
                return Err(Stop::Error(ConformanceError::Unsupported(failure.why)));
            }
            other => other,
        };
        let ready =
            |(_, name): &(_, String)| passed(format!("`{name}` is ready after {:.1?}", begun.elapsed()));
        let (mut candidate, _) = self.step(Check::Prepare, prepared, ready)?;

        let first = sample(&mut candidate, 1);
        let first = self.step(Check::Sample, first, |first| passed(said(&first.sample)))?;
        let digest = candidate.digest();
        let digest = self.step(Check::Digest, digest, |digest| passed(digest.to_string()))?;
        self.digest = Some(digest);
        candidate.skip_ids(GAP);
        let second = sample(&mut candidate, 3);
        let second = self.step(Check::Id, second, |_| passed(format!("also after a gap of {GAP}")))?;
        let later = candidate.digest();
        self.step(Check::SameOutput, later, |later| same(digest, *later, "after 3 iterations"))?;

        let both = two_samples(&mut candidate);
        self.step(Check::Queue, both, |()| passed("two samples sent at once"))?;

        let reported = second.sample.counts.get("peak-memory-bytes").copied();
        let mut samples = vec![first, second];
        if samples.iter().all(|timed| timed.sample.elapsed_ns.is_none()) {
            for check in [Check::Iterations, Check::Time] {
                let why = "the candidate counts and measures no time";
                self.report(check, CheckResult::Unchecked(why.to_owned()));
            }
        } else {
            let longer = longer_samples(&mut candidate);
            let longer = self.step(Check::Iterations, longer, |longer| linear(&times(longer)))?;
            samples.extend(longer.into_iter().flatten());
            self.report(Check::Time, possible(&samples));
        }
        candidate.observe();
        self.report(Check::Memory, memory(reported, candidate.memory()));
        self.report(Check::KnownFields, known(&candidate.unknown_fields()));

        // A line after the last response, then one after `quit`.
        let before = candidate.silent(LATE);
        let quit = candidate.quit();
        let silent = before.and_then(|()| candidate.silent(LATE));
        let silent = self.step(Check::OnlyResponses, silent, |()| passed("nothing else was written"));
        self.step(Check::Quit, quit, |()| passed("exit code 0"))?;
        silent
    }

    /// Checks the output of another process, and that it exits at the end of its input.
    fn second_process(&mut self) -> Result<(), Stop> {
        let Some(digest) = self.digest else { return Ok(()) };
        let again = self.prepared().and_then(|(mut candidate, _)| {
            sample(&mut candidate, 1)?;
            let digest = candidate.digest()?;
            Ok((candidate, digest))
        });
        let judged = |(_, later): &(_, OutputDigest)| same(digest, *later, "in a second process");
        let (mut candidate, _) = self.step(Check::SecondProcess, again, judged)?;
        let ended = candidate.end_input("the end of standard input");
        self.step(Check::EndOfInput, ended, |()| passed("exit code 0"))
    }

    /// Checks how the program refuses work that it does not have.
    fn unknown_work(&mut self) -> Result<(), Stop> {
        if self.digest.is_none() {
            return Ok(());
        }
        let (mut candidate, entry) = match self.start(UNKNOWN) {
            Ok(started) => started,
            Err(error) => return self.step(Check::UnknownWork, Err(error), |()| passed("")),
        };
        let result = match candidate.prepare(&entry, self.input.as_deref()) {
            Ok(_) => {
                failed(format!("`ready` is the response to workload `{UNKNOWN}`, which no candidate has"))
            }
            Err(CandidateError::Interrupted) => return Err(Stop::Error(ConformanceError::Interrupted)),
            Err(CandidateError::Failed(failure)) => match (failure.kind, candidate.exit_code()) {
                (FailureKind::Unsupported, _) => passed(format!("unsupported: {}", failure.why)),
                (FailureKind::Crash, Some(code @ 1..)) => match failure.stderr.trim().lines().last() {
                    Some(reason) => passed(format!("exit code {code}: {reason}")),
                    None => {
                        CheckResult::Warning(format!("exit code {code} without a reason on standard error"))
                    }
                },
                _ => CheckResult::Failed { why: failure.why, stderr: failure.stderr },
            },
        };
        self.report(Check::UnknownWork, result);
        Ok(())
    }
}

fn passed(what: impl Into<String>) -> CheckResult {
    CheckResult::Passed(what.into())
}

fn failed(why: String) -> CheckResult {
    CheckResult::Failed { why, stderr: String::new() }
}

/// Takes a sample.
fn sample(candidate: &mut Candidate<'_>, iterations: u64) -> Result<Timed, CandidateError> {
    let begun = Instant::now();
    match candidate.ask(RequestKind::Sample { iterations })? {
        ResponseKind::Sample(sample) => Ok(Timed { iterations, wall: begun.elapsed(), sample }),
        _ => Err(candidate.other_kind("sample")),
    }
}

/// Asks for two samples before it waits for the first.
fn two_samples(candidate: &mut Candidate<'_>) -> Result<(), CandidateError> {
    let kind = RequestKind::Sample { iterations: 1 };
    for request in candidate.send([kind.clone(), kind])? {
        if !matches!(candidate.wait(&request)?, ResponseKind::Sample(_)) {
            return Err(candidate.other_kind("sample"));
        }
    }
    Ok(())
}

/// Takes samples of one, two and four times the iterations that take [`SHORT`], in turns; returns the repetitions of
/// each.
fn longer_samples(candidate: &mut Candidate<'_>) -> Result<[Vec<Timed>; 3], CandidateError> {
    let mut iterations = 1;
    let mut once = sample(candidate, iterations)?;
    while once.wall < SHORT && iterations < MOST_ITERATIONS {
        iterations *= 2;
        once = sample(candidate, iterations)?;
    }
    let rounds = TIMING.as_nanos() / (once.wall * SUM).as_nanos().max(1);
    let mut samples = [vec![], vec![], vec![]];
    for _ in 0..rounds.clamp(1, REPEATS.into()) {
        for (samples, multiple) in samples.iter_mut().zip(MULTIPLES) {
            samples.push(sample(candidate, iterations * multiple)?);
        }
    }
    Ok(samples)
}

/// Returns the reported times in ns.
fn times(samples: &[Vec<Timed>; 3]) -> [Vec<u64>; 3] {
    samples.each_ref().map(|samples| {
        samples.iter().map(|timed| timed.sample.elapsed_ns.unwrap_or_default().max(1)).collect()
    })
}

/// Judges the times of one, two and four times the iterations, each repeated at least once.
///
/// The least of the repetitions counts, because disturbances only add. If repetitions differ, or are few, a time
/// out of tolerance may be the machine's.
fn linear(times: &[Vec<u64>; 3]) -> CheckResult {
    let least = times.each_ref().map(|times| times.iter().min().copied().unwrap_or(1) as f64);
    let most = times.each_ref().map(|times| times.iter().max().copied().unwrap_or(1) as f64);
    let spread = (0..3).map(|i| most[i] / least[i] - 1.0).fold(0.0, f64::max);
    let [twice, four] = [least[1] / least[0], least[2] / least[0]];
    let found = format!("2 and 4 times the iterations take {twice:.2} and {four:.2} times as long");
    if (twice / 2.0 - 1.0).abs() <= TOLERANCE && (four / 4.0 - 1.0).abs() <= TOLERANCE {
        return passed(found);
    }
    if four >= IGNORED && (spread > QUIET || times[0].len() < 3) {
        let percent = 100.0 * spread;
        let cause = "the machine may be noisy, or the work differs from one iteration to the next";
        return CheckResult::Warning(format!("{found}, and repetitions differ by {percent:.0} %: {cause}"));
    }
    failed(found)
}

/// Judges reported times by those that have passed here.
fn possible(samples: &[Timed]) -> CheckResult {
    match samples.iter().find_map(Timed::error) {
        Some(why) => failed(why),
        None => passed(format!("{} samples, all within the time that passed here", samples.len())),
    }
}

/// Compares a reported peak memory with the process tree's, both in bytes. The former may be less, as it may be
/// counted from the end of the preparation on.
fn memory(reported: Option<u64>, found: u64) -> CheckResult {
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let Some(reported) = reported else {
        return CheckResult::Unchecked(format!(
            "the candidate reports no memory; its processes had {}",
            mib(found)
        ));
    };
    let text = format!("{} reported, {} found", mib(reported), mib(found));
    match reported.max(found) / OTHER_UNIT > reported.min(found) {
        true => failed(format!("{{\"peak-memory-bytes\":{reported}}}: {text}")),
        false => passed(text),
    }
}

/// Judges the fields of responses by those that the protocol does not have.
fn known(unknown: &BTreeSet<String>) -> CheckResult {
    match unknown.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ") {
        fields if fields.is_empty() => passed(format!("protocol {VERSION} has all fields")),
        fields => {
            CheckResult::Warning(format!("protocol {VERSION} does not have {fields}, which the lab ignores"))
        }
    }
}

/// Compares a later digest with the first one.
fn same(first: OutputDigest, later: OutputDigest, when: &str) -> CheckResult {
    match first == later {
        true => passed(format!("also {when}")),
        false => failed(format!("{later} {when}, {first} before")),
    }
}

/// Returns a sample in words.
fn said(sample: &Sample) -> String {
    match sample.elapsed_ns {
        Some(ns) => format!("1 iteration in {:.1?}", Duration::from_nanos(ns)),
        None => format!("1 iteration with {} counts", sample.counts.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_judged_by_their_least() {
        let passed = |times: &[Vec<u64>; 3]| matches!(linear(times), CheckResult::Passed(_));
        let warned = |times: &[Vec<u64>; 3]| matches!(linear(times), CheckResult::Warning(_));
        let failed = |times: &[Vec<u64>; 3]| matches!(linear(times), CheckResult::Failed { .. });
        assert!(passed(&[vec![100, 900, 100], vec![200, 200, 200], vec![950, 400, 400]]));
        assert!(passed(&[vec![100], vec![170], vec![330]]) && passed(&[vec![100], vec![230], vec![470]]));
        // A time that grows too little or too much, on a quiet machine and on a noisy one.
        for [twice, four] in [[150, 250], [200, 310], [300, 900]] {
            assert!(failed(&[vec![100; 3], vec![twice; 3], vec![four; 3]]), "{twice}");
            assert!(warned(&[vec![100, 100, 112], vec![twice; 3], vec![four; 3]]), "{twice}");
            assert!(warned(&[vec![100; 2], vec![twice; 2], vec![four; 2]]), "{twice}");
        }
        // One that does not grow.
        assert!(failed(&[vec![100, 300, 100], vec![100; 3], vec![149; 3]]));
        assert!(failed(&[vec![1], vec![1], vec![1]]));
    }

    #[test]
    fn memory_in_another_unit_is_found() {
        assert!(matches!(memory(None, 1 << 20), CheckResult::Unchecked(_)));
        for (reported, found) in [(1 << 20, 1 << 20), (1 << 20, 50 << 20), (0, 0)] {
            assert!(matches!(memory(Some(reported), found), CheckResult::Passed(_)), "{reported} {found}");
        }
        for (reported, found) in [(10 << 10, 10 << 20), (10 << 30, 10 << 20), (0, 10 << 20)] {
            assert!(
                matches!(memory(Some(reported), found), CheckResult::Failed { .. }),
                "{reported} {found}"
            );
        }
    }

    #[test]
    fn times_that_cannot_be_are_found() {
        let timed = |elapsed_ns| Timed {
            iterations: 3,
            wall: Duration::from_nanos(100),
            sample: Sample { elapsed_ns, ..Sample::default() },
        };
        assert!(matches!(possible(&[timed(Some(100)), timed(None)]), CheckResult::Passed(_)));
        for wrong in [0, 101] {
            let CheckResult::Failed { why, .. } = possible(&[timed(Some(1)), timed(Some(wrong))]) else {
                panic!("{wrong} is wrong");
            };
            assert_eq!(
                why,
                format!("{{\"elapsed_ns\":{wrong}}} for a sample of 3 iterations that took 100 ns here")
            );
        }
    }

    #[test]
    fn each_check_has_a_name_and_a_rule() {
        for check in Check::ALL {
            assert!(check.name().len() <= 14 && check.rule().ends_with('.'), "{check:?}");
        }
    }
}
