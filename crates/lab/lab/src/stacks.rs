//! Profiles: where a candidate spends its processor time, by stacks that the lab samples.
//!
//! A candidate is profiled in a process of its own after the last round, so that no measured sample is taken under a
//! profiler.

#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))),
    path = "stacks/no_sampler.rs"
)]
mod sampler;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::candidate::{Candidate, CandidateError};
use crate::input::InputError;
use crate::placement::Placement;
use crate::plan::{CasePlan, EntryPlan, Matrix, Plan};
use crate::record::{COMMANDS, Entry, Measure, Record, Role, Sampler, Stack};
use crate::run::{Outcome, RunError, Setting, Watch, input, what};
use crate::stats;

use sampler::SamplerError;

/// Time for which a candidate is profiled.
const TIME: Duration = Duration::from_secs(2);
/// Minimum number of times that the sampler looks at a candidate, however long the symbols of its program take to read.
const LOOKS: u64 = 100;
/// Time of one request, so that a run can be stopped.
const REQUEST: Duration = Duration::from_millis(200);
/// Maximum number of stacks of an entry in a record. Those with the most time are kept.
const MAX_STACKS: usize = 400;
/// Maximum number of functions of a stack.
const MAX_DEPTH: usize = 64;
/// Maximum number of characters of a function's name.
const MAX_NAME: usize = 200;
/// Name of what stands for the stacks that are not kept.
const OTHERS: &str = "(others)";
/// Name of what stands for the functions of a deep stack that are not kept.
const LEFT_OUT: &str = "(more calls)";

/// Returns the stacks with the most time first, and those beyond `MAX_STACKS` as one.
fn most(found: BTreeMap<Vec<String>, u64>) -> Vec<Stack> {
    let mut stacks: Vec<Stack> =
        found.into_iter().map(|(functions, time_us)| Stack { functions, time_us }).collect();
    stacks.sort_by_key(|stack| std::cmp::Reverse(stack.time_us));
    if stacks.len() > MAX_STACKS {
        let rest = stacks.split_off(MAX_STACKS - 1);
        let time_us = rest.iter().fold(0, |all: u64, stack| all.saturating_add(stack.time_us));
        stacks.push(Stack { functions: vec![OTHERS.to_owned()], time_us });
    }
    stacks
}

/// Returns a stack with names of at most `MAX_NAME` characters and at most `MAX_DEPTH` functions. Of a deeper one,
/// those in the middle are left out: the outermost say what was done, and the innermost where the time went.
fn bounded(functions: Vec<String>) -> Vec<String> {
    let mut functions: Vec<String> =
        functions.into_iter().map(|name| name.chars().take(MAX_NAME).collect()).collect();
    if let Some(over) = functions.len().checked_sub(MAX_DEPTH + 1) {
        let middle = MAX_DEPTH / 2;
        functions.splice(middle..middle + over + 2, [LEFT_OUT.to_owned()]);
    }
    functions
}

/// Runs each candidate of a run again for some seconds, unless the user stopped the run, and writes the record with its
/// stacks. Notes name candidates without stacks, and why.
///
/// # Errors
/// [`RunError::Input`]. If the user stops it, the record has the stacks that were found.
pub fn sample_stacks(
    plan: &Plan,
    matrix: &Matrix,
    setting: &Setting<'_>,
    outcome: &mut Outcome,
    watch: &mut dyn Watch,
) -> Result<(), RunError> {
    if outcome.interrupted {
        return Ok(());
    }
    let sampled = sample_all(plan, matrix, setting, &mut outcome.record, watch);
    outcome.unsaved = outcome.record.write(&setting.record).err();
    sampled
}

fn sample_all(
    plan: &Plan,
    matrix: &Matrix,
    setting: &Setting<'_>,
    record: &mut Record,
    watch: &mut dyn Watch,
) -> Result<(), RunError> {
    let (mut done, stop) = (0, setting.stop);
    for (case, measured) in matrix.cases.iter().zip(&mut record.cases) {
        let input = match input(setting.inputs, plan.sampling(), case, stop) {
            Err(RunError::Input { source: InputError::Interrupted, .. }) => return Ok(()),
            found => found?.map(|file| file.path),
        };
        let basis = stats::Basis::from(&*measured);
        // By another clock than the lab's it is not known how long a run of a command takes.
        let is_time = *basis.measure == Measure::Time;
        let values: Vec<Option<f64>> = measured
            .entries
            .iter()
            .map(|entry| stats::value(basis, entry).filter(|_| is_time).map(|v| v.value))
            .collect();
        for ((planned, entry), value) in case.entries.iter().zip(&mut measured.entries).zip(values) {
            done += 1;
            if entry.role != Role::Candidate || entry.failure.is_some() {
                continue;
            }
            let name = what(case, planned);
            let left = TIME * u32::try_from(matrix.entries() - done + 1).unwrap_or(u32::MAX);
            watch.progress((done - 1) as f64 / matrix.entries() as f64, left, &format!("profiling {name}"));
            let run = Profiled { plan, case, input: input.as_deref(), stop };
            match run.stacks(planned, entry, value) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => watch.note(&format!("SKIP the profile of {name}: {error}")),
                Err(CandidateError::Failed(failure)) => {
                    watch.note(&format!("SKIP the profile of {name}: {}", failure.why));
                }
                Err(CandidateError::Interrupted) => return Ok(()),
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What a profiled process needs besides its entry.
struct Profiled<'p> {
    plan: &'p Plan,
    case: &'p CasePlan,
    input: Option<&'p Path>,
    stop: &'p AtomicBool,
}

impl Profiled<'_> {
    /// Runs an entry, whose iteration takes `value` ns if that is known, and adds its stacks.
    fn stacks(
        &self,
        planned: &EntryPlan,
        entry: &mut Entry,
        value: Option<f64>,
    ) -> Result<Result<(), SamplerError>, CandidateError> {
        let is_command = self.case.workload == COMMANDS;
        let limit = Duration::from_secs(self.plan.sampling().limit_s);
        let placement = (&Placement::detect(), None);
        let mut candidate =
            Candidate::start(&planned.in_block(0), &self.plan.folder, placement, limit, self.stop)?;
        candidate.prepare(planned, self.input)?;
        let most = value.map_or(1, |ns| ((REQUEST.as_nanos() as f64 / ns) as u64).max(1));
        let mut iterations = 1;
        let whose = if is_command { Whose::Command } else { Whose::All };
        let sampler = sampler::Sampler::begin(candidate.tree(), whose);
        let begun = Instant::now();
        while begun.elapsed() < TIME || !sampler.has_looked(LOOKS) {
            candidate.sample(iterations, iterations, &self.case.measure)?;
            // The preparation of an iteration may take much longer than the iteration.
            let part = REQUEST.as_secs_f64() / candidate.last_wall().as_secs_f64().max(1e-9);
            iterations =
                ((iterations as f64 * part) as u64).min(iterations.saturating_mul(10)).clamp(1, most);
        }
        let sampled = sampler.end();
        candidate.quit()?;
        Ok(sampled.map(|sampled| {
            let (stacks, sampler) = sampled.recorded();
            (entry.stacks, entry.sampler) = (stacks, Some(sampler));
        }))
    }
}

/// Processes of a tree that are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// All.
    All,
    /// Those of the command that the lab's own worker runs: not the worker, and not what runs before and after.
    Command,
}

/// Stacks that the lab has sampled.
#[derive(Debug)]
struct Sampled {
    /// Functions from the outermost to the innermost, and their processor time in µs.
    stacks: Vec<(Vec<String>, u64)>,
    /// Mean time between two samples of a thread.
    every: Duration,
    /// Number of samples.
    samples: u64,
}

impl Sampled {
    fn recorded(self) -> (Vec<Stack>, Sampler) {
        let mut found: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (functions, time) in self.stacks {
            *found.entry(bounded(functions)).or_default() += time;
        }
        let every_us = u64::try_from(self.every.as_micros()).unwrap_or(u64::MAX);
        (most(found), Sampler { every_us, samples: self.samples })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(stacks: impl IntoIterator<Item = (Vec<String>, u64)>) -> Vec<Stack> {
        let sampled =
            Sampled { stacks: stacks.into_iter().collect(), every: Duration::from_millis(3), samples: 1 };
        sampled.recorded().0
    }

    #[test]
    fn a_record_keeps_the_most_frequent_stacks_and_all_time() {
        let main = |name: String| vec!["main".to_owned(), name];
        let stacks = recorded((1..=1000).map(|i| (main(format!("f{i}")), i)));
        assert_eq!((stacks.len(), stacks[0].time_us), (MAX_STACKS, 1000));
        assert_eq!(stacks.iter().map(|stack| stack.time_us).sum::<u64>(), 500_500);
        assert_eq!(stacks.last().unwrap().functions, [OTHERS]);
        let calls = bounded((0..1000).map(|i| i.to_string()).collect());
        assert_eq!((calls.len(), calls[MAX_DEPTH / 2].as_str()), (MAX_DEPTH, LEFT_OUT));
        assert_eq!((calls[0].as_str(), calls[MAX_DEPTH - 1].as_str()), ("0", "999"));
        assert_eq!(bounded(vec!["f".to_owned(); MAX_DEPTH]).len(), MAX_DEPTH);
        let same = recorded([(main("f".into()), 3), (main("f".into()), 4)]);
        assert_eq!((same.len(), same[0].time_us), (1, 7));
    }
}
