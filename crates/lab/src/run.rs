//! A run: rounds of fresh processes, in which the entries of each case take turns sample by sample.
//!
//! Rounds are outermost, so that the samples of a case are spread over the whole run and a slow period of the machine
//! affects all cases alike. The record is written after each case of each round.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use crate::candidate::{Candidate, CandidateError};
use crate::input::{InputFile, Inputs};
use crate::plan::{CasePlan, EntryPlan, Input, Matrix, Plan, Sampling};
use crate::record::{
    Case, Entry, Failure, FailureKind, Machine, Measure, Record, RecordError, SCHEMA, Sample,
};

/// Settings of a run, besides its plan.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// Path of the record.
    pub record: PathBuf,
    /// The command line, for the record.
    pub command: Vec<String>,
    /// The machine, for the record.
    pub machine: Machine,
    /// Properties of the build, for the record.
    pub build: BTreeMap<String, String>,
    /// Set when the user wants to stop the run.
    pub stop: &'a AtomicBool,
}

/// Receiver of a run's progress.
pub trait Watch {
    /// Reports the share of the run that is done, from 0 to 1, the time left, and the current work.
    fn progress(&mut self, done: f64, left: Duration, what: &str);
    /// Reports a message for the user, such as an entry that failed.
    fn note(&mut self, text: &str);
    /// Reports the record after the first of several rounds of a case. Does nothing by default.
    fn first_round(&mut self, record: &Record, case: usize) {
        let _ = (record, case);
    }
}

/// Result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Record of the run.
    pub record: Record,
    /// Whether the user stopped the run.
    pub interrupted: bool,
}

/// Error that ends a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An input file could not be made.
    #[error("an input file of {bytes} bytes cannot be made in the folder for temporary files: {source}")]
    Input {
        /// Length of the file in bytes.
        bytes: u64,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The record could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Result of one trial of an entry.
#[derive(Debug)]
pub struct Probe {
    /// Index of the case in the matrix.
    pub case: usize,
    /// Index of the entry in the case.
    pub entry: usize,
    /// Time for starting and preparing, and for one iteration; or the failure.
    pub found: Result<(Duration, Duration), Failure>,
}

/// Runs each entry once; returns the results and an estimate of the time of the whole run.
///
/// # Errors
/// [`RunError::Input`]. Where the user stops the run, the results found so far are returned.
pub fn probe(
    plan: &Plan,
    matrix: &Matrix,
    stop: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<(Vec<Probe>, Duration), RunError> {
    let sampling = plan.sampling();
    let mut inputs = make_inputs(sampling)?;
    let mut probes = Vec::new();
    let mut all = Duration::ZERO;
    for (c, case) in matrix.cases.iter().enumerate() {
        for (r, entry) in case.entries.iter().enumerate() {
            let done = probes.len() as f64 / matrix.entries() as f64;
            watch.progress(done, Duration::ZERO, &format!("trying {}", what(case, entry)));
            let input = input(&mut inputs, case)?.map(|file| file.path);
            let limit = Duration::from_secs(sampling.limit_s);
            let begun = Instant::now();
            let tried = Candidate::start(entry, &plan.folder, limit, stop).and_then(|mut candidate| {
                candidate.prepare(entry, input.as_deref())?;
                let ready = begun.elapsed();
                let begun = Instant::now();
                let first = candidate.sample(1, &case.measure)?;
                let once = first.elapsed_ns.map_or(begun.elapsed(), Duration::from_nanos);
                candidate.quit()?;
                Ok((ready, once))
            });
            let found = match tried {
                Ok(times) => Ok(times),
                Err(CandidateError::Failed(failure)) => Err(failure),
                Err(CandidateError::Interrupted) => return Ok((probes, Duration::ZERO)),
            };
            if let Ok((ready, once)) = found {
                let samples = if case.measure.is_time() { samples_time(sampling, once) } else { once };
                all += (ready + samples) * u32::try_from(rounds_of(case, matrix)).unwrap_or(u32::MAX);
            }
            probes.push(Probe { case: c, entry: r, found });
        }
    }
    let most = sampling.budget_s.map_or(Duration::MAX, Duration::from_secs);
    Ok((probes, all.min(most)))
}

/// Returns the time of the samples of one entry in one round, where an iteration takes `once`.
fn samples_time(sampling: &Sampling, once: Duration) -> Duration {
    let sample = once.max(Duration::from_millis(sampling.sample_ms));
    // The warm-up takes a quarter of a sample, but at least one iteration.
    sample * u32::try_from(sampling.samples).unwrap_or(u32::MAX) + once.max(sample / 4)
}

/// Measures all entries of a plan.
///
/// An entry that fails is left out of later rounds, and the run continues. Where the user stops the run, the record has
/// the samples measured so far.
///
/// # Errors
/// [`RunError`] where an input or the record cannot be written.
pub fn run(
    plan: &Plan,
    matrix: &Matrix,
    setting: &Setting,
    watch: &mut dyn Watch,
) -> Result<Outcome, RunError> {
    let mut run = Running::new(plan, matrix, setting)?;
    run.record.write(&setting.record)?;
    let mut interrupted = false;
    let mut partial = None;
    'rounds: for round in 0..matrix.rounds {
        if let Some(over) = run.over_budget(round) {
            watch.note(&over);
            partial = Some(over);
            break;
        }
        for case in 0..matrix.cases.len() {
            if round >= rounds_of(&matrix.cases[case], matrix) {
                run.case_time[case] = Duration::ZERO;
                continue;
            }
            interrupted = run.case(case, round, watch)? == Ended::Interrupted;
            run.record.took_s = run.begun.elapsed().as_secs_f64();
            if interrupted {
                partial = Some(format!("it was interrupted in round {} of {}", round + 1, matrix.rounds));
                break 'rounds;
            }
            run.record.write(&setting.record)?;
        }
    }
    run.record.partial = partial;
    run.record.write(&setting.record)?;
    Ok(Outcome { record: run.record, interrupted })
}

/// Returns the number of rounds of a case. A count that does not vary needs two; one that varies is not a measure.
fn rounds_of(case: &CasePlan, matrix: &Matrix) -> usize {
    if case.measure.is_time() { matrix.rounds } else { matrix.rounds.min(2) }
}

/// Returns the number of samples of each process.
fn samples_of(case: &CasePlan, sampling: &Sampling) -> usize {
    if case.measure.is_time() { sampling.samples } else { 1 }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Done,
    Interrupted,
}

struct Running<'a> {
    plan: &'a Plan,
    matrix: &'a Matrix,
    stop: &'a AtomicBool,
    inputs: Inputs,
    begun: Instant,
    record: Record,
    /// Iterations of a sample, by case and entry, where they are known.
    iterations: BTreeMap<(usize, usize), u64>,
    /// Mean time of a case in the rounds so far; an estimate before the first.
    case_time: Vec<Duration>,
}

impl<'a> Running<'a> {
    fn new(plan: &'a Plan, matrix: &'a Matrix, setting: &Setting<'a>) -> Result<Self, RunError> {
        let sampling = plan.sampling();
        let guess = |case: &CasePlan| {
            let entry = Duration::from_millis(200) + samples_time(sampling, Duration::ZERO);
            entry * u32::try_from(case.entries.len()).unwrap_or(u32::MAX)
        };
        let record = Record {
            schema: SCHEMA,
            plan: plan.name.clone(),
            title: plan.file.title.clone(),
            about: plan.file.about.trim().to_owned(),
            plan_text: plan.text.clone(),
            command: setting.command.clone(),
            started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            took_s: 0.0,
            partial: Some("it did not come to its end".to_owned()),
            seed: sampling.seed,
            rounds: matrix.rounds,
            machine: setting.machine.clone(),
            build: setting.build.clone(),
            questions: plan.file.question.clone(),
            cases: matrix.cases.iter().map(empty_case).collect(),
        };
        Ok(Running {
            plan,
            matrix,
            stop: setting.stop,
            inputs: make_inputs(sampling)?,
            begun: Instant::now(),
            record,
            iterations: BTreeMap::new(),
            case_time: matrix.cases.iter().map(guess).collect(),
        })
    }

    /// Returns the reason why no further round may begin, where the plan has a time limit.
    fn over_budget(&self, round: usize) -> Option<String> {
        let budget = Duration::from_secs(self.plan.sampling().budget_s?);
        let next: Duration = self.case_time.iter().sum();
        let over = round > 0 && self.begun.elapsed() + next > budget;
        over.then(|| {
            let (seconds, rounds) = (budget.as_secs(), self.matrix.rounds);
            format!("the plan's {seconds} s were over after {round} of {rounds} rounds")
        })
    }

    fn report_progress(&self, watch: &mut dyn Watch, case: usize, round: usize, within: f64, text: &str) {
        let rounds_left = u32::try_from(self.matrix.rounds - round - 1).unwrap_or(u32::MAX);
        let round_time: Duration = self.case_time.iter().sum();
        let later: Duration = self.case_time[case + 1..].iter().sum();
        let mut left = round_time * rounds_left + later + self.case_time[case].mul_f64(1.0 - within);
        let elapsed = self.begun.elapsed();
        if let Some(budget) = self.plan.sampling().budget_s {
            left = left.min(Duration::from_secs(budget).saturating_sub(elapsed));
        }
        let done = elapsed.as_secs_f64() / (elapsed + left).as_secs_f64().max(1e-9);
        watch.progress(done, left, &format!("round {} of {}: {text}", round + 1, self.matrix.rounds));
    }

    /// Runs one round of one case.
    fn case(&mut self, c: usize, round: usize, watch: &mut dyn Watch) -> Result<Ended, RunError> {
        let begun = Instant::now();
        let case = &self.matrix.cases[c];
        let input = input(&mut self.inputs, case)?.map(|file| {
            self.record.cases[c].input_digest = file.digest;
            file.path
        });
        self.record.cases[c].entries.iter_mut().for_each(|entry| entry.rounds.push(Vec::new()));
        let ended = match self.turns(c, round, input, watch) {
            Ok(()) => Ended::Done,
            Err(Interrupted) => Ended::Interrupted,
        };
        if ended == Ended::Done {
            self.compare_digests(c, watch);
            if round == 0 && self.matrix.rounds > 1 {
                watch.first_round(&self.record, c);
            }
            let weight = u32::try_from(round).unwrap_or(u32::MAX);
            self.case_time[c] = (self.case_time[c] * weight + begun.elapsed()) / (weight + 1);
        }
        Ok(ended)
    }

    /// Runs the groups of entries that are alive at once, one after the other, in an order that changes from round to
    /// round.
    fn turns(
        &mut self,
        c: usize,
        round: usize,
        input: Option<PathBuf>,
        watch: &mut dyn Watch,
    ) -> Result<(), Interrupted> {
        let groups = self.matrix.cases[c].groups();
        let mut done = 0;
        for group in order(groups.len(), round, round) {
            self.group_turns(c, round, &groups[group], done, input.as_deref(), watch)?;
            done += groups[group].len();
        }
        Ok(())
    }

    /// Starts all entries of a group, takes their samples in turns, and ends them. `done` is the number of entries of
    /// the case before them.
    fn group_turns(
        &mut self,
        c: usize,
        round: usize,
        group: &[usize],
        done: usize,
        input: Option<&Path>,
        watch: &mut dyn Watch,
    ) -> Result<(), Interrupted> {
        let case = &self.matrix.cases[c];
        let sampling = self.plan.sampling();
        let limit = Duration::from_secs(sampling.limit_s);
        let samples = samples_of(case, sampling);
        let steps = (case.entries.len() * (samples + 2)) as f64;
        let mut step = (done * (samples + 2)) as f64;
        let mut running: Vec<Option<Candidate>> = group.iter().map(|_| None).collect();
        // The process that starts first may get better memory, such as huge pages; the order spreads this over all
        // entries.
        for place in order(group.len(), round, round) {
            let r = group[place];
            let entry = &case.entries[r];
            step += 1.0;
            if self.record.cases[c].entries[r].failure.is_some() {
                continue;
            }
            self.report_progress(watch, c, round, step / steps, &format!("starting {}", what(case, entry)));
            let known = self.iterations.get(&(c, r)).copied();
            let started = Candidate::start(entry, &self.plan.folder, limit, self.stop).and_then(|mut one| {
                let ready = one.prepare(entry, input)?;
                let iterations = warm_up(&mut one, sampling, &case.measure, known)?;
                one.pause()?;
                Ok((one, ready, iterations))
            });
            if let Some((one, mut ready, iterations)) = self.settle(c, r, started, watch)? {
                let entry = &mut self.record.cases[c].entries[r];
                entry
                    .before
                    .extend(Some(std::mem::take(&mut ready.phases)).filter(|phases| !phases.is_empty()));
                entry.ready = Some(ready);
                self.iterations.insert((c, r), iterations);
                running[place] = Some(one);
            }
        }
        for sample in 0..samples {
            for place in order(group.len(), round, sample) {
                let r = group[place];
                step += 1.0;
                let Some(mut one) = running[place].take() else { continue };
                self.report_progress(watch, c, round, step / steps, &what(case, &case.entries[r]));
                one.resume();
                let taken = one.sample(self.iterations[&(c, r)], &case.measure);
                let taken = taken.and_then(|sample| one.pause().map(|()| (one, sample)));
                if let Some((one, sample)) = self.settle(c, r, taken, watch)? {
                    self.keep(c, r, sample);
                    running[place] = Some(one);
                }
            }
        }
        for (&r, one) in group.iter().zip(running) {
            let Some(mut one) = one else { continue };
            one.resume();
            let digest = one.digest().and_then(|digest| one.quit().map(|()| digest.to_string()));
            if let Some(digest) = self.settle(c, r, digest, watch)? {
                let entry = &mut self.record.cases[c].entries[r];
                if entry.digest.as_ref().is_some_and(|before| *before != digest) {
                    let why = format!("returned another digest in round {} than before", round + 1);
                    self.lose(
                        c,
                        r,
                        Failure { kind: FailureKind::WrongDigest, why, stderr: String::new() },
                        watch,
                    );
                } else {
                    entry.digest = Some(digest);
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, c: usize, r: usize, sample: Sample) {
        if let Some(round) = self.record.cases[c].entries[r].rounds.last_mut() {
            round.push(sample);
        }
    }

    /// Returns a candidate's result; a failure is noted in its entry.
    fn settle<T>(
        &mut self,
        c: usize,
        r: usize,
        result: Result<T, CandidateError>,
        watch: &mut dyn Watch,
    ) -> Result<Option<T>, Interrupted> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(CandidateError::Interrupted) => Err(Interrupted),
            // The terminal's Ctrl-C may reach a candidate that has left its process group; this is not a failure.
            Err(CandidateError::Failed(_)) if self.stop.load(Ordering::Relaxed) => Err(Interrupted),
            Err(CandidateError::Failed(failure)) => {
                self.lose(c, r, failure, watch);
                Ok(None)
            }
        }
    }

    fn lose(&mut self, c: usize, r: usize, failure: Failure, watch: &mut dyn Watch) {
        let label = if failure.kind == FailureKind::Unsupported { "SKIP" } else { "lost" };
        watch.note(&format!(
            "{label} {}: {}",
            what(&self.matrix.cases[c], &self.matrix.cases[c].entries[r]),
            failure.why
        ));
        self.record.cases[c].entries[r].failure = Some(failure);
    }

    /// Compares the digests of all entries with the same workload; those that differ from the majority fail.
    fn compare_digests(&mut self, c: usize, watch: &mut dyn Watch) {
        let plan = &self.matrix.cases[c];
        let workloads: Vec<&str> = plan.entries.iter().map(|entry| entry.workload.as_str()).collect();
        for r in 0..plan.entries.len() {
            let case = &self.record.cases[c];
            let peers = (0..plan.entries.len()).filter(|p| workloads[*p] == workloads[r]);
            let digests: Vec<(usize, &str)> =
                peers.filter_map(|p| Some((p, case.entries[p].digest.as_deref()?))).collect();
            let Some(right) = right_digest(&digests, plan.baseline) else { continue };
            let entry = &case.entries[r];
            let Some(given) = entry.digest.as_deref().filter(|given| *given != right) else { continue };
            if entry.failure.is_none() {
                let why = format!("its digest is {given}, that of the others {right}");
                self.lose(
                    c,
                    r,
                    Failure { kind: FailureKind::WrongDigest, why, stderr: String::new() },
                    watch,
                );
            }
        }
    }
}

/// The user has stopped the run.
struct Interrupted;

/// Returns the most frequent digest; among several, the baseline's, or else the first.
fn right_digest<'a>(digests: &[(usize, &'a str)], baseline: usize) -> Option<&'a str> {
    let votes = |digest: &str| digests.iter().filter(|(_, other)| *other == digest).count();
    let most = digests.iter().map(|(_, digest)| votes(digest)).max()?;
    let leading = || digests.iter().filter(|(_, digest)| votes(digest) == most);
    leading().find(|(entry, _)| *entry == baseline).or(leading().next()).map(|(_, digest)| *digest)
}

/// Runs the work once to touch its memory, and returns the number of iterations that fill a sample. A case that
/// compares counts needs neither.
fn warm_up(
    one: &mut Candidate,
    sampling: &Sampling,
    measure: &Measure,
    known: Option<u64>,
) -> Result<u64, CandidateError> {
    if !measure.is_time() {
        return Ok(1);
    }
    /// A sample up to this time is repeated, because a pause of the machine makes few iterations look long enough.
    const REPEAT: u64 = 1_000_000_000;
    let mut elapsed_in = |iterations| {
        let mut once =
            || Ok::<_, CandidateError>(one.sample(iterations, measure)?.elapsed_ns.unwrap_or_default());
        let first = once()?;
        if first < REPEAT { Ok(first.min(once()?)) } else { Ok(first) }
    };
    if let Some(iterations) = known {
        elapsed_in((iterations / 4).max(1))?;
        return Ok(iterations);
    }
    let wanted = sampling.sample_ms * 1_000_000;
    let mut iterations = 1;
    // The first is a warm-up and counts only where it alone is long enough.
    let mut elapsed = elapsed_in(iterations)?;
    loop {
        elapsed = if iterations == 1 && elapsed >= wanted { elapsed } else { elapsed_in(iterations)? };
        if elapsed >= wanted / 4 {
            let factor = wanted.div_ceil(elapsed).max(1);
            return Ok(iterations.saturating_mul(factor));
        }
        // At most tenfold at a time, because the first iterations may be slow.
        let factor = (wanted / elapsed.max(1)).clamp(2, 10);
        iterations = iterations.saturating_mul(factor);
    }
}

/// Returns the order of the entries in a sample: forwards and backwards in turns (ABBA), so that a drift of the machine
/// affects all alike; and rotated from round to round, so that no entry always follows the same other.
fn order(entries: usize, round: usize, sample: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries).collect();
    order.rotate_left(round % entries.max(1));
    if sample % 2 == 1 {
        order.reverse();
    }
    order
}

fn what(case: &CasePlan, entry: &EntryPlan) -> String {
    let threads = if entry.threads == 1 { "thread" } else { "threads" };
    format!("{}, {} on {} {threads}", case.name(), entry.candidate, entry.threads)
}

fn empty_case(plan: &CasePlan) -> Case {
    let entry = |entry: &EntryPlan| Entry {
        candidate: entry.candidate.clone(),
        about: entry.about.clone(),
        labels: entry.labels.clone(),
        threads: entry.threads,
        role: entry.role,
        command: entry.shown_command(),
        ready: None,
        digest: None,
        failure: None,
        rounds: Vec::new(),
        thinned: None,
        before: Vec::new(),
    };
    Case {
        workload: plan.workload.clone(),
        params: plan.params.clone(),
        input_bytes: plan.input.map_or(0, |input| input.bytes),
        input_digest: String::new(),
        measure: plan.measure.clone(),
        turns: plan.turns,
        figures_by: plan.figures_by.clone(),
        steps: plan.steps,
        throughput: plan.throughput,
        least_speed: plan.least_speed,
        baseline: plan.baseline,
        entries: plan.entries.iter().map(entry).collect(),
    }
}

fn make_inputs(sampling: &Sampling) -> Result<Inputs, RunError> {
    Inputs::new(sampling.seed).map_err(|source| RunError::Input { bytes: 0, source })
}

/// Returns the case's input file, where it has one.
fn input(inputs: &mut Inputs, case: &CasePlan) -> Result<Option<InputFile>, RunError> {
    let Some(Input { bytes }) = case.input else { return Ok(None) };
    inputs.file(bytes).cloned().map(Some).map_err(|source| RunError::Input { bytes, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_abba_and_rotate() {
        assert_eq!(order(3, 0, 0), [0, 1, 2]);
        assert_eq!(order(3, 0, 1), [2, 1, 0]);
        assert_eq!(order(3, 1, 0), [1, 2, 0]);
        assert_eq!(order(3, 1, 3), [0, 2, 1]);
        assert_eq!(order(0, 5, 1), [] as [usize; 0]);
        // With an even number of samples every entry has the same mean place: drift cancels.
        for entries in 1..6 {
            let mut places = vec![0; entries];
            for sample in 0..4 {
                order(entries, 2, sample)
                    .iter()
                    .enumerate()
                    .for_each(|(place, entry)| places[*entry] += place);
            }
            assert!(places.iter().all(|p| *p == 2 * (entries - 1)), "{places:?}");
        }
    }

    #[test]
    fn the_majority_is_right_and_the_baseline_breaks_a_tie() {
        assert_eq!(right_digest(&[], 0), None);
        assert_eq!(right_digest(&[(0, "a"), (1, "b"), (2, "b")], 0), Some("b"));
        assert_eq!(right_digest(&[(0, "a"), (1, "b")], 1), Some("b"));
        assert_eq!(right_digest(&[(0, "a"), (2, "b")], 1), Some("a"));
    }
}
