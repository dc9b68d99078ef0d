//! A run: rounds of fresh processes, in which the entries of each case take turns sample by sample.
//!
//! [`schedule`] says which case comes next, how long its rounds are and when it ends; [`round`] runs one round; here
//! the record is kept and written. Cases advance together, so that the samples of each are spread over the whole run
//! and a slow period of the machine affects all alike.

mod round;
mod schedule;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use crate::candidate::{Candidate, CandidateError};
use crate::file::RecordError;
use crate::input::{InputError, InputFile, Inputs};
use crate::leftover::remove_stale;
use crate::placement::Placement;
use crate::plan::{CasePlan, EntryPlan, Input, Matrix, Plan};
use crate::process_tree::ProcessTree;
use crate::record::{COMMANDS, Case, Entry, Failure, FailureKind, Machine, Record, SCHEMA};
use crate::stats::{self, Summaries};
use crate::system::{self, steal_ns};

use round::Known;
use schedule::Schedule;

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
    /// Input files, which runs share.
    pub inputs: &'a Inputs,
    /// Set when the user wants to stop the run.
    pub stop: &'a AtomicBool,
}

/// Receiver of a run's progress.
pub trait Watch {
    /// Reports the share of the run that is done, from 0 to 1, the time left, and the current work.
    fn progress(&mut self, done: f64, left: Duration, what: &str);
    /// Reports a message for the user.
    fn note(&mut self, text: &str);
    /// Reports an entry that is lost or skipped. By default it is a note, without what the candidate wrote to standard
    /// error.
    fn lost(&mut self, entry: &str, failure: &Failure) {
        let label = if failure.kind == FailureKind::Unsupported { "SKIP" } else { "lost" };
        self.note(&format!("{label} {entry}: {}", failure.why));
    }
    /// Reports the record after the first of several rounds of a case. Does nothing by default.
    fn first_round(&mut self, record: &Record, case: usize) {
        let _ = (record, case);
    }
    /// Reports the record after each replicate of a case. Does nothing by default.
    fn replicate(&mut self, record: &Record, case: usize) {
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
    /// Why the record could not be written at the end, if it could not; a part of it may be in the file.
    pub unsaved: Option<RecordError>,
}

/// Error that ends a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum RunError {
    #[error("an input file of {bytes} bytes cannot be made in the folder for temporary files: {source}")]
    Input { bytes: u64, source: InputError },
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
    /// Time of the request for one iteration, with its preparation; 0 after a failure.
    pub request: Duration,
}

/// Runs each entry once; returns the results and an estimate of the time of the whole run.
///
/// # Errors
/// [`RunError::Input`]. If the user stops the run, the results found so far are returned.
pub fn probe(
    plan: &Plan,
    matrix: &Matrix,
    inputs: &Inputs,
    stop: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<(Vec<Probe>, Duration), RunError> {
    let sampling = plan.sampling();
    let placement = Placement::detect();
    let mut probes = Vec::new();
    let mut all = Duration::ZERO;
    for (c, case) in matrix.cases.iter().enumerate() {
        let mut round = Duration::ZERO;
        for (r, entry) in case.entries.iter().enumerate() {
            let done = probes.len() as f64 / matrix.entries() as f64;
            watch.progress(done, Duration::ZERO, &format!("trying {}", what(case, entry)));
            let input = match input(inputs, case, stop) {
                Err(RunError::Input { source: InputError::Interrupted, .. }) => {
                    return Ok((probes, Duration::ZERO));
                }
                found => found?.map(|file| file.path),
            };
            let limit = Duration::from_secs(sampling.limit_s);
            let (begun, mut request) = (Instant::now(), Duration::ZERO);
            let tried = Candidate::start(&entry.in_block(0), &plan.folder, (&placement, None), limit, stop);
            let tried = tried.and_then(|mut candidate| {
                candidate.prepare(entry, input.as_deref())?;
                let ready = begun.elapsed();
                let begun = Instant::now();
                let first = candidate.sample(1, 1, &case.measure)?;
                let whole = begun.elapsed();
                request = whole;
                candidate.quit()?;
                // At least two samples, and a warm-up as long as one.
                round += ready + 3 * whole;
                Ok((ready, first.elapsed_ns.map_or(whole, Duration::from_nanos)))
            });
            let found = match tried {
                Ok(times) => Ok(times),
                Err(CandidateError::Failed(failure)) => Err(failure),
                Err(CandidateError::Interrupted) => return Ok((probes, Duration::ZERO)),
            };
            probes.push(Probe { case: c, entry: r, found, request });
        }
        all += schedule::expected(sampling, &matrix.length, case, round);
    }
    Ok((probes, all.min(matrix.length.limit.unwrap_or(Duration::MAX))))
}

/// Measures all entries of a plan.
///
/// An entry that fails is left out of later rounds, and the run continues. If the user stops the run, the record has
/// the samples measured so far. If the record cannot be written, as on a full disk, the samples stay in memory and
/// writing is tried again later.
///
/// After a [`probe`] with the same plan and matrix, long iterations that are processes of their own are not run again
/// to find how many are in a sample.
///
/// # Errors
/// [`RunError`] if an input, or the record before the first round, cannot be written.
pub fn run(
    plan: &Plan,
    matrix: &Matrix,
    setting: &Setting,
    probes: &[Probe],
    watch: &mut dyn Watch,
) -> Result<Outcome, RunError> {
    // Copies of programs that a lab has left which was killed.
    let folders = matrix.cases.iter().flat_map(|case| &case.entries);
    let folders: BTreeSet<PathBuf> =
        folders.flat_map(|entry| entry.folders_of_copies(&plan.folder)).collect();
    folders.iter().for_each(|folder| remove_stale(folder));
    let mut run = Running::new(plan, matrix, setting)?;
    let known = |probe: &Probe| Some(((probe.case, probe.entry), Known::of_probe(plan.sampling(), probe)?));
    run.known = probes.iter().filter_map(known).collect();
    run.record.write(&setting.record)?;
    let ended = run.rounds(watch);
    run.placement.release();
    let (partial, interrupted) = match ended? {
        Ended::Done(partial) => (partial, false),
        Ended::Interrupted(partial) => (Some(partial), true),
    };
    run.record.partial = partial;
    run.record.took_s = run.begun.elapsed().as_secs_f64();
    run.record.cases.iter_mut().for_each(stats::summarize);
    let unsaved = run.record.write(&setting.record).err();
    Ok(Outcome { record: run.record, interrupted, unsaved })
}

/// How a run ended.
enum Ended {
    /// By itself; with a reason if rounds are missing.
    Done(Option<String>),
    /// By the user, with the words for the record.
    Interrupted(String),
}

struct Running<'a> {
    plan: &'a Plan,
    matrix: &'a Matrix,
    stop: &'a AtomicBool,
    path: PathBuf,
    placement: Placement,
    inputs: &'a Inputs,
    begun: Instant,
    record: Record,
    /// What is known of the rounds of each case.
    summaries: Vec<Summaries>,
    schedule: Schedule<'a>,
    /// What earlier rounds found out about an entry, by case and entry.
    known: BTreeMap<(usize, usize), Known>,
    /// Candidates that wait for the next round of their case, by case and entry: those whose iterations are processes
    /// of their own.
    kept: BTreeMap<(usize, usize), Candidate<'a>>,
    saved: Saved,
}

/// The last time that the record was written, or could not be.
struct Saved {
    at: Instant,
    took: Duration,
    failed: bool,
}

/// Writing takes at most this part of the time, because it grows with the record.
const SAVE_PART: u32 = 30;
/// Minimum time between two writes.
const SAVE_EVERY: Duration = Duration::from_secs(1);

impl<'a> Running<'a> {
    fn new(plan: &'a Plan, matrix: &'a Matrix, setting: &Setting<'a>) -> Result<Self, RunError> {
        let sampling = plan.sampling();
        let record = Record {
            schema: SCHEMA,
            plan: plan.name.clone(),
            title: plan.file.title.clone(),
            about: plan.file.about.trim().to_owned(),
            plan_text: plan.shown(&plan.text),
            command: setting.command.clone(),
            started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            partial: Some("it did not come to its end".to_owned()),
            rounds: matrix.length.rounds,
            machine: setting.machine.clone(),
            build: setting.build.clone(),
            missing: system::missing().into_iter().map(str::to_owned).collect(),
            suite: matrix.length.suite,
            questions: plan.file.question.clone(),
            cases: matrix.cases.iter().map(|case| empty_case(case, matrix, plan)).collect(),
            ..Record::default()
        };
        Ok(Running {
            plan,
            matrix,
            stop: setting.stop,
            path: setting.record.clone(),
            placement: Placement::detect(),
            inputs: setting.inputs,
            begun: Instant::now(),
            record,
            summaries: matrix.cases.iter().map(|_| Summaries::default()).collect(),
            schedule: Schedule::new(sampling, matrix),
            known: BTreeMap::new(),
            kept: BTreeMap::new(),
            saved: Saved { at: Instant::now(), took: Duration::ZERO, failed: false },
        })
    }

    /// Runs blocks of rounds until every case has ended.
    fn rounds(&mut self, watch: &mut dyn Watch) -> Result<Ended, RunError> {
        let left = ProcessTree::kill_orphans();
        if left > 0 {
            let processes = if left == 1 { "process" } else { "processes" };
            watch.note(&format!("killed {left} {processes} that a run left when it was killed"));
        }
        if !self.record.missing.is_empty() {
            watch.note(&format!("missing on this system: {}", self.record.missing.join(", ")));
        }
        self.placement.notes(self.matrix).iter().for_each(|note| watch.note(note));
        while let Some(c) = self.schedule.next(self.begun.elapsed()) {
            for _ in 0..self.schedule.block(c) {
                if self.round(c, watch)?.is_err() {
                    return Ok(Ended::Interrupted(self.schedule.interrupted(c)));
                }
                if self.schedule.has_all_it_gets(c, self.begun.elapsed()) {
                    break;
                }
            }
            self.summaries[c].update(&mut self.record.cases[c]);
            watch.replicate(&self.record, c);
            self.schedule.learn(c, &self.record.cases[c]);
            self.save(watch);
        }
        // They may have temporary files to remove.
        std::mem::take(&mut self.kept).into_values().for_each(|mut one| drop(one.quit()));
        Ok(Ended::Done(self.schedule.missing()))
    }

    /// Writes the record, unless that was done a short time ago.
    fn save(&mut self, watch: &mut dyn Watch) {
        if self.saved.at.elapsed() < SAVE_EVERY.max(self.saved.took * SAVE_PART) {
            return;
        }
        self.record.took_s = self.begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let result = self.record.write(&self.path);
        match (&result, self.saved.failed) {
            (Err(error), false) => {
                let goes_on = "the run goes on, and tries to write it again";
                watch.note(&format!("the record cannot be written: {error}; {goes_on}"));
            }
            (Ok(()), true) => watch.note("the record could be written again: nothing is lost"),
            _ => {}
        }
        self.saved = Saved { at: Instant::now(), took: begun.elapsed(), failed: result.is_err() };
    }

    /// Runs one round of one case.
    fn round(&mut self, c: usize, watch: &mut dyn Watch) -> Result<Result<(), round::Interrupted>, RunError> {
        let begun = Instant::now();
        let case = &self.matrix.cases[c];
        let input = match input(self.inputs, case, self.stop) {
            Err(RunError::Input { source: InputError::Interrupted, .. }) => {
                return Ok(Err(round::Interrupted));
            }
            found => found?.map(|file| {
                self.record.cases[c].input_digest = file.digest;
                file.path
            }),
        };
        self.record.cases[c].entries.iter_mut().for_each(|entry| entry.rounds.push(Vec::new()));
        // A fixed set: the lab's own thread is bound to other processors from block to block.
        let steal = steal_ns(self.placement.allowed());
        let ended = self.groups(c, input.as_deref(), watch);
        if ended.is_ok() {
            self.compare_digests(c, watch);
            let stolen = steal_ns(self.placement.allowed()).saturating_sub(steal);
            let cost = self.record.cases[c].cost.get_or_insert_default();
            cost.steal_ns += stolen.saturating_mul(self.record.machine.cores as u64);
            cost.rounds_ns += u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let first = self.schedule.count_round(c, begun.elapsed());
            if first {
                self.summaries[c].update(&mut self.record.cases[c]);
                watch.first_round(&self.record, c);
            }
        }
        Ok(ended)
    }

    /// Returns a candidate's result; a failure is noted in its entry.
    fn settle<T>(
        &mut self,
        c: usize,
        r: usize,
        result: Result<T, CandidateError>,
        watch: &mut dyn Watch,
    ) -> Result<Option<T>, round::Interrupted> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(CandidateError::Interrupted) => Err(round::Interrupted),
            // The terminal's Ctrl-C may reach a candidate that has left its process group; this is not a failure.
            Err(CandidateError::Failed(_)) if self.stop.load(Ordering::Relaxed) => Err(round::Interrupted),
            Err(CandidateError::Failed(failure)) => {
                self.lose(c, r, failure, watch);
                Ok(None)
            }
        }
    }

    fn lose(&mut self, c: usize, r: usize, failure: Failure, watch: &mut dyn Watch) {
        watch.lost(&what(&self.matrix.cases[c], &self.matrix.cases[c].entries[r]), &failure);
        let shown = |text: String| self.plan.shown(&text);
        let Failure { kind, why, stderr } = failure;
        let failure = Failure { kind, why: shown(why), stderr: shown(stderr) };
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
                let why = format!("its digest is {given}, the others have {right}");
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

/// Returns the most frequent digest; among several, the baseline's, or else the first.
fn right_digest<'a>(digests: &[(usize, &'a str)], baseline: usize) -> Option<&'a str> {
    let votes = |digest: &str| digests.iter().filter(|(_, other)| *other == digest).count();
    let most = digests.iter().map(|(_, digest)| votes(digest)).max()?;
    let leading = || digests.iter().filter(|(_, digest)| votes(digest) == most);
    leading().find(|(entry, _)| *entry == baseline).or(leading().next()).map(|(_, digest)| *digest)
}

/// Returns the case, the candidate and its threads, for messages; of a whole command its name and its parameters.
pub(crate) fn what(case: &CasePlan, entry: &EntryPlan) -> String {
    if case.workload == COMMANDS {
        let with = |name: String, (key, value): (&String, _)| format!("{name}, {key}={value}");
        return case.params.iter().fold(entry.candidate.clone(), with);
    }
    let threads = if entry.threads == 1 { "thread" } else { "threads" };
    format!("{}, {} on {} {threads}", case.name(), entry.candidate, entry.threads)
}

/// Returns the last part of a path, because a record has no folders of the machine.
fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn empty_case(plan: &CasePlan, matrix: &Matrix, of: &Plan) -> Case {
    let entry = |entry: &EntryPlan| Entry {
        candidate: entry.candidate.clone(),
        about: entry.about.clone(),
        labels: entry.labels.clone(),
        threads: entry.threads,
        role: entry.role,
        command: entry.shown_command().iter().map(|word| of.shown(word)).collect(),
        layouts: entry.layouts.iter().map(|path| file_name(path)).collect(),
        ..Entry::default()
    };
    Case {
        workload: plan.workload.clone(),
        title: plan.title.clone(),
        params: plan.params.clone(),
        input_bytes: plan.input.map_or(0, |input| input.bytes),
        measure: plan.measure.clone(),
        turns: plan.turns,
        steps: plan.steps,
        throughput: plan.throughput,
        sequential: plan.measure.is_time() && matrix.length.settles().is_some(),
        baseline: plan.baseline,
        entries: plan.entries.iter().map(entry).collect(),
        ..Case::default()
    }
}

/// Returns the case's input file, if it has one.
pub(crate) fn input(
    inputs: &Inputs,
    case: &CasePlan,
    stop: &AtomicBool,
) -> Result<Option<InputFile>, RunError> {
    let Some(Input { bytes }) = case.input else { return Ok(None) };
    inputs.file(bytes, stop).map(Some).map_err(|source| RunError::Input { bytes, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_is_right_and_the_baseline_breaks_a_tie() {
        assert_eq!(right_digest(&[], 0), None);
        assert_eq!(right_digest(&[(0, "a"), (1, "b"), (2, "b")], 0), Some("b"));
        assert_eq!(right_digest(&[(0, "a"), (1, "b")], 1), Some("b"));
        assert_eq!(right_digest(&[(0, "a"), (2, "b")], 1), Some("a"));
    }
}
