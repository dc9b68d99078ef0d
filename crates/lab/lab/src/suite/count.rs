//! What an iteration of a benchmark allocates, by programs that count and are not timed.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use parcrypt_protocol::{RequestKind, ResponseKind};

use super::{CANDIDATE, Program, VARIABLE};
use crate::candidate::{Candidate, CandidateError};
use crate::placement::Placement;
use crate::plan::EntryPlan;
use crate::record::{Case, FailureKind};
use crate::stats::{self, LEAST_REPLICATES};

/// Iterations that a process counts, one at a time. The first one before them may initialise something.
const ITERATIONS: usize = 8;
/// Time after which a process counts no further one.
const ENOUGH: Duration = Duration::from_secs(1);
/// Time after which a benchmark whose counts vary gets no further processes.
const LONG: Duration = Duration::from_secs(20);

/// The user stopped the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Counts what an iteration of a benchmark allocates in both revisions, in [`stats::EQUAL_COUNTS`] processes of each,
/// or in [`LEAST_REPLICATES`] if their counts differ. An entry that is not counted has the reason.
///
/// # Errors
/// The user stopped it. The case then has no counts.
pub fn count(
    case: &mut Case,
    sides: [&Program; 2],
    limit: Duration,
    stop: &AtomicBool,
) -> Result<(), Interrupted> {
    let begun = Instant::now();
    for round in 0..LEAST_REPLICATES {
        let varies =
            case.entries.iter().any(|entry| stats::counted(entry).values().any(stats::Counted::varies));
        if round >= stats::EQUAL_COUNTS && (!varies || begun.elapsed() > LONG) {
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
            match once(&plan, limit, stop) {
                Ok(counts) => entry.counted.push(counts),
                Err(CandidateError::Failed(failure)) => {
                    entry.counted.clear();
                    entry.not_counted = Some(failure);
                }
                Err(CandidateError::Interrupted) => {
                    case.entries.iter_mut().for_each(|entry| entry.counted.clear());
                    return Err(Interrupted);
                }
            }
        }
    }
    Ok(())
}

/// Returns the counts of some iterations in a new process.
fn once(
    plan: &EntryPlan,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<Vec<BTreeMap<String, u64>>, CandidateError> {
    let mut candidate = Candidate::start(plan, "".as_ref(), (&Placement::none(), None), limit, stop)?;
    candidate.prepare(plan, None)?;
    let begun = Instant::now();
    let mut all = Vec::new();
    for iteration in 0..=ITERATIONS {
        let ResponseKind::Sample(sample) = candidate.ask(RequestKind::Sample { iterations: 1 })? else {
            let why = "gave another kind of response to `sample`".to_owned();
            return Err(candidate.failed(FailureKind::ProtocolError, why));
        };
        if iteration > 0 {
            all.push(sample.counts);
        }
        if iteration > 0 && begun.elapsed() > ENOUGH {
            break;
        }
    }
    candidate.quit()?;
    Ok(all)
}
