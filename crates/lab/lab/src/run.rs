//! A run: rounds of fresh processes, in which the entries of each case take turns sample by sample.
//!
//! [`schedule`] says which case comes next, how long its rounds are and when it ends; [`round`] runs one round; here
//! the record is kept and written. Cases advance together, so that the samples of each are spread over the whole run
//! and a slow period of the machine affects all alike.

mod iterations;
mod order;
mod round;
mod schedule;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use crate::candidate::{Candidate, CandidateError};
use crate::file::RecordError;
use crate::input::{InputError, Inputs};
use crate::leftover::remove_stale;
use crate::method::{METHOD, SAVING};
use crate::placement::Placement;
use crate::plan::{CasePlan, EntryPlan, Matrix, Plan};
use crate::process_tree::ProcessTree;
use crate::record::{Case, Entry, Failure, Machine, Record, SCHEMA};
use crate::stats;
use crate::system;

use iterations::Known;
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
    /// Reports an entry that is lost or skipped.
    fn lost(&mut self, entry: &str, failure: &Failure);
    /// Reports the record after each block of rounds of a case.
    fn block(&mut self, record: &Record, case: usize);
}

/// Error that ends a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum RunError {
    #[error("an input file cannot be made in the folder for temporary files: {0}")]
    Input(#[from] InputError),
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
            watch.progress(done, Duration::ZERO, &format!("trying {}", case.what(entry)));
            let input = match case.input.map(|bytes| inputs.file(bytes, stop)).transpose() {
                Err(InputError::Interrupted) => return Ok((probes, Duration::ZERO)),
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

/// Measures all entries of a plan and returns the record, of which at least a part is in the file.
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
) -> Result<Record, RunError> {
    // Copies of programs that a lab has left which was killed.
    let folders = matrix.cases.iter().flat_map(|case| &case.entries);
    let folders: BTreeSet<PathBuf> =
        folders.flat_map(|entry| entry.folders_of_copies(&plan.folder)).collect();
    folders.iter().for_each(|folder| remove_stale(folder));
    let mut run = Running::new(plan, matrix, setting, probes);
    run.record.write(&setting.record)?;
    let ended = run.rounds(watch);
    run.placement.release();
    let interrupted = match ended {
        Ok(()) => false,
        Err(InputError::Interrupted) => true,
        Err(error) => return Err(error.into()),
    };
    run.record.partial = run.schedule.missing(interrupted);
    run.record.took_s = run.begun.elapsed().as_secs_f64();
    run.record.cases.iter_mut().for_each(stats::summarize);
    // The caller, who writes its results too, says what cannot be written.
    let _ = run.record.write(&setting.record);
    Ok(run.record)
}

struct Running<'a> {
    plan: &'a Plan,
    matrix: &'a Matrix,
    setting: &'a Setting<'a>,
    placement: Placement,
    begun: Instant,
    record: Record,
    /// What is known of the rounds of each case.
    summaries: Vec<stats::Known>,
    schedule: Schedule,
    /// What a probe or earlier rounds found out about an entry, by case and entry.
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

/// Minimum time between two writes.
const SAVE_EVERY: Duration = Duration::from_secs(1);

impl<'a> Running<'a> {
    fn new(plan: &'a Plan, matrix: &'a Matrix, setting: &'a Setting<'a>, probes: &[Probe]) -> Self {
        let sampling = plan.sampling();
        let record = Record {
            schema: SCHEMA,
            method: Some(METHOD),
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
        let known = |probe: &Probe| Some(((probe.case, probe.entry), Known::of_probe(sampling, probe)?));
        Running {
            plan,
            matrix,
            setting,
            placement: Placement::detect(),
            begun: Instant::now(),
            record,
            summaries: vec![stats::Known::default(); matrix.cases.len()],
            schedule: Schedule::new(sampling, matrix),
            known: probes.iter().filter_map(known).collect(),
            kept: BTreeMap::new(),
            saved: Saved { at: Instant::now(), took: Duration::ZERO, failed: false },
        }
    }

    /// Runs blocks of rounds until every case has ended.
    fn rounds(&mut self, watch: &mut dyn Watch) -> Result<(), InputError> {
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
                let begun = Instant::now();
                self.round(c, watch)?;
                self.schedule.count_round(c, begun.elapsed());
                if self.schedule.has_all_it_gets(c, self.begun.elapsed()) {
                    break;
                }
            }
            stats::update(&mut self.record.cases[c], &mut self.summaries[c]);
            watch.block(&self.record, c);
            self.schedule.learn(c, &self.record.cases[c]);
            self.save(watch);
        }
        // They may have temporary files to remove.
        std::mem::take(&mut self.kept).into_values().for_each(|mut one| drop(one.quit()));
        Ok(())
    }

    /// Writes the record, unless that was done a short time ago.
    fn save(&mut self, watch: &mut dyn Watch) {
        if self.saved.at.elapsed() < SAVE_EVERY.max(self.saved.took * SAVING) {
            return;
        }
        self.record.took_s = self.begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let result = self.record.write(&self.setting.record);
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
}

fn empty_case(plan: &CasePlan, matrix: &Matrix, of: &Plan) -> Case {
    let text = |name: &OsStr| name.to_string_lossy().into_owned();
    let entry = |entry: &EntryPlan| Entry {
        candidate: entry.candidate.clone(),
        about: entry.about.clone(),
        labels: entry.labels.clone(),
        threads: entry.threads,
        role: entry.role,
        command: entry.shown_command().iter().map(|word| of.shown(word)).collect(),
        // A record has no folders of the machine.
        layouts: entry.layouts.iter().filter_map(|path| Path::new(path).file_name()).map(text).collect(),
        ..Entry::default()
    };
    Case {
        workload: plan.workload.clone(),
        title: plan.title.clone(),
        params: plan.params.clone(),
        input_bytes: plan.input.unwrap_or(0),
        measure: plan.measure.clone(),
        turns: plan.turns,
        steps: plan.steps,
        throughput: plan.throughput,
        sequential: plan.design(&matrix.length).sequential,
        baseline: plan.baseline,
        entries: plan.entries.iter().map(entry).collect(),
        ..Case::default()
    }
}
