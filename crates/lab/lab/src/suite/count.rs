//! What an iteration of a benchmark allocates or executes, by programs that count and are not timed.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use parcrypt_protocol::{RequestKind, ResponseKind};

use super::{CANDIDATE, Program, VARIABLE};
use crate::candidate::{Candidate, CandidateError};
use crate::command::{Callgrind, CountError};
use crate::input::InputError;
use crate::method::{COUNTED_ITERATIONS, COUNTING};
use crate::placement::Placement;
use crate::plan::EntryPlan;
use crate::record::{Case, CountKind, Failure, FailureKind, OWN_TIME, PEAK_MEMORY, Sample};
use crate::stats::{self, MIN_REPLICATES};

/// Returns what counts, unless the program does, if it is installed.
fn counter(kind: CountKind) -> Result<Option<Callgrind>, CountError> {
    (kind == CountKind::Instructions).then(Callgrind::of_system).transpose()
}

/// Checks that what counts is installed.
///
/// # Errors
/// [`CountError::NoValgrind`]; [`CountError::File`].
pub fn can_count(kind: CountKind) -> Result<(), CountError> {
    counter(kind).map(drop)
}

/// Counts what an iteration of a benchmark allocates or executes in both revisions, in [`stats::EQUAL_COUNTS`]
/// processes of each, or in [`MIN_REPLICATES`] if their counts differ. An entry that is not counted has the reason.
///
/// # Errors
/// The user stopped it. The case then has no counts.
pub fn count(
    case: &mut Case,
    kind: CountKind,
    sides: [&Program; 2],
    limit: Duration,
    stop: &AtomicBool,
) -> Result<(), InputError> {
    let begun = Instant::now();
    for round in 0..MIN_REPLICATES {
        let varies =
            case.entries.iter().any(|entry| stats::counted(entry).values().any(stats::Counted::varies));
        if round >= stats::EQUAL_COUNTS && (!varies || begun.elapsed() > COUNTING[1]) {
            break;
        }
        let (workload, params) = (&case.workload, &case.params);
        for (entry, program) in case.entries.iter_mut().zip(sides) {
            if entry.failure.is_some() || entry.not_counted.is_some() {
                continue;
            }
            let mut plan =
                EntryPlan::alone(program.command.clone(), workload.clone(), params.clone(), entry.threads);
            plan.env = program.env.clone();
            plan.env.insert(VARIABLE.to_owned(), CANDIDATE.to_owned());
            plan.folder = program.folder.clone().into();
            match once(plan, program.program, kind, limit, stop) {
                Ok(counts) => entry.counted.push(counts),
                Err(CandidateError::Failed(failure)) => {
                    entry.counted.clear();
                    entry.not_counted = Some(failure);
                }
                Err(CandidateError::Interrupted) => {
                    case.entries.iter_mut().for_each(|entry| entry.counted.clear());
                    return Err(InputError::Interrupted);
                }
            }
        }
    }
    Ok(())
}

/// Takes what programs have counted beside their own times for counts of an iteration, or the peaks of their memory.
pub fn take_from_samples(case: &mut Case, kind: CountKind) {
    let is_peak = |name: &str| name == PEAK_MEMORY;
    let counts = |sample: &Sample| -> BTreeMap<String, u64> {
        let is_asked = |name: &str| is_peak(name) == (kind == CountKind::Memory);
        let known = sample.counts.iter().filter(|(name, _)| !name.ends_with("-ns") && *name != OWN_TIME);
        let of_one =
            |name: &str, count: u64| if is_peak(name) { count } else { count / sample.iterations.max(1) };
        known.filter(|(name, _)| is_asked(name)).map(|(name, n)| (name.clone(), of_one(name, *n))).collect()
    };
    for entry in case.entries.iter_mut().filter(|entry| entry.failure.is_none()) {
        // Each sample is of a process.
        entry.counted = entry.rounds.iter().flatten().map(|sample| vec![counts(sample)]).collect();
        if entry.counted.iter().flatten().all(BTreeMap::is_empty) {
            let why = format!("the program prints no {}", kind.name());
            entry.not_counted = Some(Failure::new(FailureKind::Unsupported, why));
        }
    }
}

/// Returns the counts of some iterations in a new process of the word with this index.
fn once(
    mut plan: EntryPlan,
    program: usize,
    kind: CountKind,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<Vec<BTreeMap<String, u64>>, CandidateError> {
    let unsupported =
        |error: CountError| CandidateError::Failed(Failure::new(FailureKind::Unsupported, error.to_string()));
    let callgrind = counter(kind).map_err(unsupported)?;
    if let Some(callgrind) = &callgrind {
        let words = callgrind.words("--instr-atstart=no").map_err(unsupported)?;
        plan.command.splice(program..program, words);
    }
    let counts = iterations(&plan, callgrind.as_ref(), limit, stop);
    match (&counts, callgrind) {
        (Err(CandidateError::Failed(_)), Some(callgrind)) => {
            callgrind.check(None).map_err(unsupported).and(counts)
        }
        _ => counts,
    }
}

fn iterations(
    plan: &EntryPlan,
    callgrind: Option<&Callgrind>,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<Vec<BTreeMap<String, u64>>, CandidateError> {
    let mut candidate = Candidate::start(plan, "".as_ref(), (&Placement::default(), None), limit, stop)?;
    candidate.prepare(plan, None)?;
    let instructions = |candidate: &mut Candidate<'_>| {
        let count = callgrind.map(Callgrind::count).transpose();
        count.map_err(|error| candidate.failed(FailureKind::Crash, error.to_string()))
    };
    let of_none = instructions(&mut candidate)?;
    let begun = Instant::now();
    let mut all = Vec::new();
    for iteration in 0..=COUNTED_ITERATIONS {
        let ResponseKind::Sample(mut sample) = candidate.ask(RequestKind::Sample { iterations: 1 })? else {
            let why = "gave another kind of response to `sample`".to_owned();
            return Err(candidate.failed(FailureKind::ProtocolError, why));
        };
        if let (Some(all), Some(of_none)) = (instructions(&mut candidate)?, of_none) {
            let name = CountKind::Instructions.name().to_owned();
            sample.counts.insert(name, all.saturating_sub(of_none));
        }
        if iteration > 0 {
            all.push(sample.counts);
        }
        if iteration > 0 && begun.elapsed() > COUNTING[0] {
            break;
        }
    }
    candidate.quit()?;
    Ok(all)
}
