//! Profiles: where a candidate spends its processor time, by stacks that it samples itself, or that the lab samples.
//!
//! A candidate that finds the variable [`STACKS`] in its environment may write there, when it ends, the stacks that it
//! sampled, a line for each: the functions from the outermost to the innermost with semicolons between them, a space,
//! and the number of samples (the 'folded' format of B. Gregg's flame graphs). It does so in a process of its own after
//! the last round, so that no measured sample is taken under a profiler. Where it writes none, the stacks count that
//! the sampler has taken at the same time.

#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), path = "profile/no_sampler.rs")]
mod sampler;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::candidate::{Candidate, CandidateError};
use crate::input::{InputError, Inputs};
use crate::leftover::TempFolder;
use crate::placement::Placement;
use crate::plan::{CasePlan, EntryPlan, Matrix, Plan};
use crate::record::{COMMANDS, Entry, Measure, Record, Role, Sampler, Stack};
use crate::run::{RunError, Watch, input, what};
use crate::stats;

pub use sampler::SamplerError;

/// Variable with the path of the file to which a candidate writes its stacks.
pub const STACKS: &str = "PARCRYPT_STACKS";

/// Time for which a candidate is profiled.
const TIME: Duration = Duration::from_secs(2);
/// Minimum number of times that the sampler looks at a candidate, however long the symbols of its program take to read.
const LOOKS: u64 = 100;
/// Time of one request, so that a run can be stopped.
const REQUEST: Duration = Duration::from_millis(200);
/// Greatest length of a file of stacks in bytes.
const MAX_FILE: u64 = 16 << 20;
/// Greatest number of stacks of an entry in a record. Those with the most samples are kept.
const MAX_STACKS: usize = 400;
/// Greatest number of functions of a stack.
const MAX_DEPTH: usize = 64;
/// Greatest number of characters of a function's name.
const MAX_NAME: usize = 200;
/// Name of what stands for the stacks that are not kept.
const OTHERS: &str = "(others)";
/// Name of what stands for the functions of a deep stack that are not kept.
const LEFT_OUT: &str = "(more calls)";

/// Error of a file of stacks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// It cannot be read.
    #[error("its stacks cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is too long.
    #[error("its stacks are more than {} MiB", MAX_FILE >> 20)]
    Long,
    /// A line is not functions with semicolons between them, a space, and a number above 0.
    #[error(
        "line {line} of its stacks is no stack: functions with `;` between them, a space, a number above 0"
    )]
    Line {
        /// Number of the line, from 1.
        line: usize,
    },
    /// It has no stack.
    #[error("it wrote no stacks")]
    Empty,
    /// It wrote no stacks, and none could be sampled.
    #[error(transparent)]
    Sampler(#[from] SamplerError),
}

/// Returns the stacks of a text in the folded format, those with the most samples first; equal ones are added, and
/// those beyond `MAX_STACKS` are added up as `(others)`.
///
/// # Errors
/// [`ProfileError::Line`] and [`ProfileError::Empty`].
pub fn parse(text: &str) -> Result<Vec<Stack>, ProfileError> {
    let mut found: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || ProfileError::Line { line: at + 1 };
        let (functions, samples) = line.trim_end().rsplit_once(' ').ok_or_else(wrong)?;
        let samples = samples.parse().ok().filter(|samples| *samples > 0).ok_or_else(wrong)?;
        let name = |name: &str| name.trim().chars().take(MAX_NAME).collect::<String>();
        let functions: Vec<String> = functions.split(';').take(MAX_DEPTH).map(name).collect();
        if functions.iter().any(String::is_empty) {
            return Err(wrong());
        }
        let all: &mut u64 = found.entry(functions).or_default();
        *all = all.saturating_add(samples);
    }
    let stacks = most(found);
    if stacks.is_empty() { Err(ProfileError::Empty) } else { Ok(stacks) }
}

/// Returns the stacks with the most samples first, and those beyond `MAX_STACKS` as one.
fn most(found: BTreeMap<Vec<String>, u64>) -> Vec<Stack> {
    let mut stacks: Vec<Stack> =
        found.into_iter().map(|(functions, samples)| Stack { functions, samples }).collect();
    stacks.sort_by_key(|stack| std::cmp::Reverse(stack.samples));
    if stacks.len() > MAX_STACKS {
        let rest = stacks.split_off(MAX_STACKS - 1);
        let samples = rest.iter().fold(0, |all: u64, stack| all.saturating_add(stack.samples));
        stacks.push(Stack { functions: vec![OTHERS.to_owned()], samples });
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

/// Reads the stacks that a candidate wrote.
fn read(path: &Path) -> Result<Vec<Stack>, ProfileError> {
    let mut text = String::new();
    let length = match File::open(path) {
        Ok(file) => file.take(MAX_FILE + 1).read_to_string(&mut text)? as u64,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error.into()),
    };
    if length > MAX_FILE { Err(ProfileError::Long) } else { parse(&text) }
}

/// Runs each candidate of a record again for some seconds, and adds the stacks that it sampled. Each that has none is
/// told, with the reason.
///
/// # Errors
/// [`RunError::Input`] and [`RunError::Folder`]. Where the user stops it, the record has the stacks that were found.
pub fn profile(
    plan: &Plan,
    matrix: &Matrix,
    inputs: &Inputs,
    stop: &AtomicBool,
    record: &mut Record,
    watch: &mut dyn Watch,
) -> Result<(), RunError> {
    let folder = TempFolder::new().map_err(RunError::Folder)?;
    let mut done = 0;
    for (case, measured) in matrix.cases.iter().zip(&mut record.cases) {
        let input = match input(inputs, plan.sampling(), case, stop) {
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
            let path = folder.path().join(format!("{done}.stacks"));
            let run = Profiled { plan, case, input: input.as_deref(), stop, path: &path };
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
    path: &'p Path,
}

impl Profiled<'_> {
    /// Runs an entry, whose iteration takes `value` ns where that is known, and adds its stacks. A command does not get
    /// the variable: it is no candidate, and what it does may not depend on the profile.
    fn stacks(
        &self,
        planned: &EntryPlan,
        entry: &mut Entry,
        value: Option<f64>,
    ) -> Result<Result<(), ProfileError>, CandidateError> {
        let is_command = self.case.workload == COMMANDS;
        let mut planned = planned.clone();
        // The variable is a text; without it, stacks are sampled by ptrace.
        if let (false, Some(path)) = (is_command, self.path.to_str()) {
            planned.env.insert(STACKS.to_owned(), path.to_owned());
        }
        let limit = Duration::from_secs(self.plan.sampling().limit_s);
        let placement = (&Placement::detect(), None);
        let mut candidate = Candidate::start(&planned, &self.plan.folder, placement, limit, self.stop)?;
        candidate.prepare(&planned, self.input)?;
        let most = value.map_or(1, |ns| ((REQUEST.as_nanos() as f64 / ns) as u64).max(1));
        let mut iterations = 1;
        let whose = if is_command { sampler::Whose::Command } else { sampler::Whose::All };
        let sampler = sampler::Sampler::begin(candidate.tree(), whose);
        let begun = Instant::now();
        while begun.elapsed() < TIME || !sampler.has_looked(LOOKS) {
            candidate.sample(iterations, iterations, &self.case.measure)?;
            // What runs beside an iteration may take much longer than it does.
            let part = REQUEST.as_secs_f64() / candidate.last_wall().as_secs_f64().max(1e-9);
            iterations =
                ((iterations as f64 * part) as u64).min(iterations.saturating_mul(10)).clamp(1, most);
        }
        let sampled = sampler.end();
        candidate.quit()?;
        let (stacks, sampler) = match read(self.path) {
            Ok(stacks) => (stacks, Sampler::InProcess {}),
            Err(ProfileError::Empty) => match sampled {
                Ok(sampled) => sampled.recorded(),
                Err(error) => return Ok(Err(error.into())),
            },
            Err(error) => return Ok(Err(error)),
        };
        (entry.stacks, entry.sampler) = (stacks, Some(sampler));
        Ok(Ok(()))
    }
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
        (most(found), Sampler::Ptrace { every_us, samples: self.samples })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_added_and_sorted() {
        let stacks = parse("main;work;add 3\nmain;work 5\n\nmain;work;add 4\nmain;a b 1\n").unwrap();
        let shown: Vec<(String, u64)> =
            stacks.iter().map(|stack| (stack.functions.join("/"), stack.samples)).collect();
        let expected = [("main/work/add", 7), ("main/work", 5), ("main/a b", 1)];
        assert_eq!(shown, expected.map(|(functions, samples)| (functions.to_owned(), samples)));
    }

    #[test]
    fn what_is_no_stack_is_refused() {
        for (text, line) in
            [("main", 1), ("a;b 1\nmain x", 2), ("main -1", 1), ("main 0", 1), ("a;;b 2", 1), (" 3", 1)]
        {
            assert!(matches!(parse(text), Err(ProfileError::Line { line: at }) if at == line), "{text:?}");
        }
        assert!(matches!(parse(" \n"), Err(ProfileError::Empty)));
        assert!(matches!(read(Path::new("/nonexistent/stacks")), Err(ProfileError::Empty)));
    }

    #[test]
    fn a_record_keeps_the_most_frequent_stacks_and_all_samples() {
        let text: String = (1..=1000).map(|i| format!("main;f{i} {i}\n")).collect();
        let stacks = parse(&text).unwrap();
        assert_eq!(stacks.len(), MAX_STACKS);
        assert_eq!(stacks[0].samples, 1000);
        assert_eq!(stacks.iter().map(|stack| stack.samples).sum::<u64>(), 500_500);
        assert_eq!(stacks.last().unwrap().functions, [OTHERS]);
        let deep = parse(&format!("{} 1", vec!["f"; 1000].join(";"))).unwrap();
        assert_eq!(deep[0].functions.len(), MAX_DEPTH);
        let calls = bounded((0..1000).map(|i| i.to_string()).collect());
        assert_eq!((calls.len(), calls[MAX_DEPTH / 2].as_str()), (MAX_DEPTH, LEFT_OUT));
        assert_eq!((calls[0].as_str(), calls[MAX_DEPTH - 1].as_str()), ("0", "999"));
        assert_eq!(bounded(vec!["f".to_owned(); MAX_DEPTH]).len(), MAX_DEPTH);
        assert_eq!(parse(&format!("a {}\na {}\n", u64::MAX, u64::MAX)).unwrap()[0].samples, u64::MAX);
    }
}
