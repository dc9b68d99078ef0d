//! The audit of the lab on a machine: trials whose true ratio is known.
//!
//! A trial is a run of a small plan with two candidates of the same command. In an A/A trial they are the same; in the
//! others the second runs a known share of further iterations that its samples do not count (`extra-percent`), so its
//! true ratio to the first is known exactly. What the lab then calls different, and how far its estimates are from the
//! truth, is its error rate here. [`CarryOver`] measures what stands before a turn.
//!
//! Trials are interleaved ([`Schedule`]) and kept one by one in a file ([`state`]), so that an audit can stop at any
//! time and continue later. [`summary`] computes everything else from them. The work is described by a [`Class`].

mod binomial;
pub mod state;
pub mod suite;
pub mod summary;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::Inputs;
use crate::leftover::TempFolder;
use crate::plan::{Choices, Here, Matrix, Plan, PlanError};
use crate::record::{Case, FailureKind, Machine, Record};
use crate::run::{self, RunError, Setting, Watch};
use crate::stats::{self, Verdict};

pub use parcrypt_protocol::AuditClass as Class;

use binomial::{greatest_share, least_share, tail_from};

/// What a trial does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Experiment {
    /// A candidate and itself with this many per cent of further iterations; none in an A/A trial.
    Planted {
        /// Per cent of further iterations.
        percent: f64,
    },
    /// Turns of a candidate after itself, after the same program, and after another one.
    CarryOver {
        /// Minimum time of a sample in ms.
        sample_ms: f64,
    },
}

/// Trials of one experiment with one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Index of the class.
    pub class: usize,
    /// What the trials do.
    pub experiment: Experiment,
    /// Length of each.
    pub length: Length,
    /// Number of trials that were asked for.
    pub wanted: usize,
}

/// Length of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// Time in s.
    Seconds(f64),
    /// Number of rounds with two samples of 1 ms each.
    Rounds(usize),
}

impl Length {
    /// Time that was asked for in s; 0 if a number of rounds was.
    pub fn seconds(self) -> f64 {
        match self {
            Length::Seconds(seconds) => seconds,
            Length::Rounds(_) => 0.0,
        }
    }

    /// Expected time in s, before a trial has shown it.
    fn guess_s(self) -> f64 {
        match self {
            Length::Seconds(seconds) => seconds + 0.2,
            Length::Rounds(rounds) => 0.2 * rounds as f64,
        }
    }

    /// Lines of `[sampling]`.
    fn sampling(self, sample_ms: Option<f64>) -> String {
        let (rounds, ms) = match self {
            Length::Seconds(seconds) => (format!("seconds = {seconds}\n"), sample_ms),
            Length::Rounds(rounds) => {
                (format!("rounds = {rounds}\nsamples = 2\n"), Some(sample_ms.unwrap_or(1.0)))
            }
        };
        rounds + &ms.map_or(String::new(), |ms| format!("sample-ms = {ms}\n"))
    }
}

/// What the lab says about a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Called {
    /// The second candidate takes longer.
    Slower,
    /// The second candidate takes less time.
    Faster,
    /// No difference found.
    NoDifference,
    /// Too few rounds for an interval.
    Undecided,
}

impl Called {
    /// Returns whether a difference was called.
    fn is_different(self) -> bool {
        matches!(self, Called::Slower | Called::Faster)
    }
}

/// Result of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Name of the class.
    pub class: String,
    /// Per cent of further iterations of the second candidate; 0 in an A/A trial.
    pub planted: f64,
    /// Time that was asked for in s; 0 if a number of rounds was.
    pub seconds: f64,
    /// Beginning, as RFC 3339 in UTC.
    pub started: String,
    /// Time that it took in s.
    pub took_s: f64,
    /// Number of rounds, each with fresh processes.
    pub rounds: usize,
    /// Number of replicates that the estimate uses.
    pub replicates: usize,
    /// Estimated ratio of the second candidate's time to the first's.
    pub estimate: f64,
    /// Its interval at 99 %, if there is one.
    pub interval: Option<[f64; 2]>,
    /// What the lab says about it.
    pub called: Called,
    /// Difference of the estimate from the truth, as a share: ln(estimate) − ln(1 + planted / 100).
    pub error: f64,
    /// Half of the interval's length on logarithms after a share of the replicates: pairs of the share and that.
    #[serde(default)]
    pub half_widths: Vec<(f64, f64)>,
}

/// Result of a trial of what stands before a turn. Each list has one logarithm of a ratio of times for each round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarryOver {
    /// Name of the class.
    pub class: String,
    /// Minimum time of a sample in ms.
    pub sample_ms: f64,
    /// Time that was asked for in s; 0 if a number of rounds was.
    pub seconds: f64,
    /// Beginning, as RFC 3339 in UTC.
    pub started: String,
    /// Time that it took in s.
    pub took_s: f64,
    /// After another process of the same program, against after itself.
    pub same_program: Vec<f64>,
    /// After the program with other vectors, against after another process of the same program.
    pub other_program: Vec<f64>,
    /// After the program with other vectors, against after itself.
    pub other_against_itself: Vec<f64>,
}

/// End of a trial.
#[derive(Debug)]
pub enum Ended {
    /// It came to its end.
    Trial(Trial),
    /// The same, of an experiment on carry-over.
    CarryOver(CarryOver),
    /// This machine or this build cannot do the work.
    Unsupported(String),
    /// A candidate failed.
    Failed(String),
    /// The user stopped it; nothing of it is kept.
    Interrupted,
}

/// Error that ends an audit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum AuditError {
    #[error("the plan of a trial: {0}")]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the folder for temporary files: {0}")]
    Folder(#[from] std::io::Error),
}

/// What all trials share.
pub struct Bench<'a> {
    /// The place where the plans of trials run.
    pub here: &'a Here<'a>,
    /// Folder in which commands run.
    pub folder: &'a Path,
    /// Input files, which trials share.
    pub inputs: &'a Inputs,
    /// Set when the user wants to stop.
    pub stop: &'a AtomicBool,
}

/// Returns the plan of a trial as TOML.
pub fn plan_text(class: &Class, experiment: Experiment, length: Length) -> String {
    let sample_ms = match experiment {
        Experiment::Planted { .. } => None,
        Experiment::CarryOver { sample_ms } => Some(sample_ms),
    };
    let mut text = format!(
        "schema = 2\ntitle = \"Audit: {}\"\n[sampling]\n{}[[case]]\n{}\nbaseline = \"first\"\n",
        class.name,
        length.sampling(sample_ms),
        class.case.trim(),
    );
    let mut add = |name: &str, keys: &str| {
        text += &format!("[[candidate]]\nname = \"{name}\"\n{}\n", keys.trim());
    };
    add("first", &class.candidate);
    match experiment {
        Experiment::Planted { percent } => {
            let extra = if percent > 0.0 { format!("\nextra-percent = {percent}") } else { String::new() };
            add("second", &(class.candidate.trim().to_owned() + &extra));
            let others = class.beside.iter().enumerate();
            others.for_each(|(place, keys)| add(&format!("beside {}", place + 1), keys));
        }
        Experiment::CarryOver { .. } => {
            add("second", &class.candidate);
            add("other", class.other.as_deref().unwrap_or(&class.candidate));
        }
    }
    text
}

/// Runs one trial.
///
/// # Errors
/// [`AuditError`]. A candidate that fails is not an error but an end of the trial.
pub fn trial(bench: &Bench, class: &Class, cell: &Cell, watch: &mut dyn Watch) -> Result<Ended, AuditError> {
    let text = plan_text(class, cell.experiment, cell.length);
    let plan = Plan::parse("audit.toml".as_ref(), bench.folder.to_owned(), text)?;
    let matrix = Matrix::new(&plan, &Choices::default(), bench.here)?;
    let folder = TempFolder::new()?;
    let setting = Setting {
        record: folder.path().join("record.json"),
        command: Vec::new(),
        machine: Machine::default(),
        build: BTreeMap::new(),
        inputs: bench.inputs,
        stop: bench.stop,
    };
    let begun = Instant::now();
    let started = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let outcome = run::run(&plan, &matrix, &setting, &[], watch)?;
    if outcome.interrupted {
        return Ok(Ended::Interrupted);
    }
    let took_s = begun.elapsed().as_secs_f64();
    Ok(ended(&outcome.record, class, cell, started, took_s))
}

/// Returns the result of a trial from its record.
fn ended(record: &Record, class: &Class, cell: &Cell, started: String, took_s: f64) -> Ended {
    let Some(case) = record.cases.first() else { return Ended::Failed("the record has no case".to_owned()) };
    if let Some((entry, failure)) =
        case.entries.iter().find_map(|entry| Some((entry, entry.failure.as_ref()?)))
    {
        return match failure.kind {
            FailureKind::Unsupported => Ended::Unsupported(failure.why.clone()),
            _ => Ended::Failed(format!("{}: {}", entry.candidate, failure.why)),
        };
    }
    let seconds = cell.length.seconds();
    let class = class.name.clone();
    match cell.experiment {
        Experiment::Planted { percent } => {
            let Some(estimate) = ratio_after(case, 1.0) else {
                return Ended::Failed(format!("no round of two candidates within {took_s:.1} s"));
            };
            let called = match Verdict::of(&estimate) {
                Verdict::Faster(_) => Called::Faster,
                Verdict::Slower(_) => Called::Slower,
                // An audit asks how often a difference is found, however wide the other intervals are.
                Verdict::NoDifference | Verdict::CannotTell => Called::NoDifference,
                Verdict::TooFewRounds => Called::Undecided,
            };
            let half_width = |share| {
                let interval = ratio_after(case, share)?.interval?;
                Some((share, (interval.high.ln() - interval.low.ln()) / 2.0))
            };
            Ended::Trial(Trial {
                class,
                planted: percent,
                seconds,
                started,
                took_s,
                rounds: case.entries.first().map_or(0, |entry| entry.rounds_done()),
                replicates: estimate.replicates,
                estimate: estimate.value,
                interval: estimate.interval.map(|interval| [interval.low, interval.high]),
                called,
                error: estimate.value.ln() - (percent / 100.0).ln_1p(),
                half_widths: [0.25, 0.5, 1.0].into_iter().filter_map(half_width).collect(),
            })
        }
        Experiment::CarryOver { sample_ms } => {
            let [same_program, other_program, other_against_itself] = carry_over(case);
            Ended::CarryOver(CarryOver {
                class,
                sample_ms,
                seconds,
                started,
                took_s,
                same_program,
                other_program,
                other_against_itself,
            })
        }
    }
}

/// Returns the ratio of the second entry's time to the first's by the first `share` of the replicates.
fn ratio_after(case: &Case, share: f64) -> Option<stats::Estimate> {
    let [first, second] = [case.entries.first()?, case.entries.get(1)?].map(|entry| {
        let mut entry = entry.clone();
        entry.replicates.truncate((entry.replicates.len() as f64 * share) as usize);
        entry
    });
    stats::ratio(case, &second, &first)
}

/// What stands before a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// The same process.
    Itself,
    /// Another process of the same program.
    Same,
    /// The other program.
    Other,
}

/// Returns for each round by how much the first two entries, which run the same program, are slower after each other
/// than after themselves, after the third entry than after each other, and after the third entry than after
/// themselves; as logarithms of ratios.
///
/// The order of turns is drawn, and each two go forwards and backwards. So each process has turns after every other
/// and after itself: the comparison is within a process. Samples that the
/// system disturbed are left out.
fn carry_over(case: &Case) -> [Vec<f64>; 3] {
    const CONTRASTS: [(Before, Before); 3] =
        [(Before::Same, Before::Itself), (Before::Other, Before::Same), (Before::Other, Before::Itself)];
    let entries = case.entries.len();
    let rounds = case.entries.iter().map(|entry| entry.rounds.len()).min().unwrap_or(0);
    let mut found = [const { Vec::new() }; 3];
    for round in 0..rounds {
        let samples = case.entries.iter().map(|entry| entry.rounds[round].len()).min().unwrap_or(0);
        let mut values: [BTreeMap<u8, Vec<f64>>; 2] = Default::default();
        let mut last = None;
        for sample in 0..samples {
            for entry in run::turn_order(entries, round, sample) {
                let before = match last.replace(entry) {
                    None => None,
                    Some(last) if last == entry => Some(Before::Itself),
                    Some(last) if last < 2 => Some(Before::Same),
                    Some(_) => Some(Before::Other),
                };
                let taken = &case.entries[entry].rounds[round][sample];
                if stats::is_disturbed(taken, case.entries[entry].threads) {
                    continue;
                }
                if let (Some(before), Some(ns), 0..2) = (before, taken.elapsed_ns, entry) {
                    let each = (ns.max(1) as f64 / taken.iterations.max(1) as f64).ln();
                    values[entry].entry(before as u8).or_default().push(each);
                }
            }
        }
        let middle =
            |entry: usize, before: Before| stats::median(values[entry].get(&(before as u8))?.clone());
        for (found, (late, early)) in found.iter_mut().zip(CONTRASTS) {
            let each = |entry| Some(middle(entry, late)? - middle(entry, early)?);
            let both: Vec<f64> = (0..2).filter_map(each).collect();
            if !both.is_empty() {
                found.push(both.iter().sum::<f64>() / both.len() as f64);
            }
        }
    }
    found
}

/// The order of trials: next is a trial of the cell with the smallest share of its trials done, so that an audit that
/// is stopped is balanced.
#[derive(Clone, Debug)]
pub struct Schedule {
    cells: Vec<(Cell, usize)>,
    /// Number of trials timed in this process, and their time in s, by cell.
    taken: Vec<(usize, f64)>,
}

impl Schedule {
    /// Returns the schedule of these cells; `done` gives the number of trials that a cell already has.
    pub fn new(cells: Vec<Cell>, done: impl Fn(&Cell) -> usize) -> Self {
        let taken = vec![(0, 0.0); cells.len()];
        let cells = cells.into_iter().map(|cell| (cell, done(&cell))).collect();
        Schedule { cells, taken }
    }

    /// Returns the index of the next cell; `None` if all trials are done. Ties go to the first in the list.
    pub fn next(&self) -> Option<usize> {
        let share = |(cell, done): &(Cell, usize)| *done as f64 / cell.wanted as f64;
        let open = self.cells.iter().enumerate().filter(|(_, (cell, done))| *done < cell.wanted);
        open.min_by(|a, b| share(a.1).total_cmp(&share(b.1))).map(|(index, _)| index)
    }

    /// Returns a cell.
    pub fn cell(&self, index: usize) -> &Cell {
        &self.cells[index].0
    }

    /// Notes that a trial of a cell was done in this time.
    pub fn done(&mut self, index: usize, took: Duration) {
        self.cells[index].1 += 1;
        let (count, seconds) = &mut self.taken[index];
        *count += 1;
        *seconds += took.as_secs_f64();
    }

    /// Leaves out what is left of a class.
    pub fn drop_class(&mut self, class: usize) {
        self.cells
            .iter_mut()
            .filter(|(cell, _)| cell.class == class)
            .for_each(|(cell, done)| cell.wanted = *done);
    }

    /// Returns the number of trials done and of all.
    pub fn trials(&self) -> (usize, usize) {
        let done = self.cells.iter().map(|(cell, done)| (*done).min(cell.wanted)).sum();
        (done, self.cells.iter().map(|(cell, _)| cell.wanted).sum())
    }

    /// Returns the expected time of the next trial of a cell.
    pub fn expected(&self, index: usize) -> Duration {
        let seconds = match self.taken[index] {
            (0, _) => self.cells[index].0.length.guess_s(),
            (count, seconds) => seconds / count as f64,
        };
        Duration::from_secs_f64(seconds.max(0.0))
    }

    /// Returns the expected time of all trials that are left.
    pub fn left(&self) -> Duration {
        let each = |(index, (cell, done)): (usize, &(Cell, usize))| {
            self.expected(index) * u32::try_from(cell.wanted.saturating_sub(*done)).unwrap_or(u32::MAX)
        };
        self.cells.iter().enumerate().map(each).sum()
    }
}

#[cfg(test)]
mod tests;
