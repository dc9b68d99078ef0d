//! Programs that describe themselves, and say whether they can do work before it runs: the requests `describe` and
//! `check` of the protocol.
//!
//! A program with runtimes and plans of its own, such as `parcrypt`, answers the protocol when it is called as `PROGRAM
//! candidate`; a plan names it by `program`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use parcrypt_protocol::escape::on_one_line;
use parcrypt_protocol::{Description, Part, Refusal, RequestKind, ResponseKind, VERSION};

use crate::candidate::{Candidate, CandidateError};
use crate::placement::Placement;
use crate::plan::{EntryPlan, SUBCOMMAND};
use crate::record::{Failure, FailureKind, Params};

/// Time limit for a response.
const LIMIT: Duration = Duration::from_secs(60);

/// A program that does not describe itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum ProgramError {
    #[error("`{program}` not found{}", remedy(program))]
    Missing { program: String },
    #[error("`{program} {SUBCOMMAND}`: {why}")]
    Failed { program: String, why: String },
    #[error("stopped while `{program} {SUBCOMMAND}` was asked to describe itself")]
    Interrupted { program: String },
}

/// Returns what a program says about itself.
///
/// # Errors
/// [`ProgramError`] if it is missing or does not answer.
pub fn describe(program: &str, stop: &AtomicBool) -> Result<Description, ProgramError> {
    let program = program.to_owned();
    let words = vec![program.clone(), SUBCOMMAND.to_owned()];
    let answer = start(words, &BTreeMap::new(), ".".as_ref(), stop)
        .and_then(|mut running| running.ask(RequestKind::Describe { protocol: VERSION }));
    let why = match answer {
        Ok(ResponseKind::Description(description)) => return Ok(description),
        Ok(ResponseKind::Unsupported(why)) => on_one_line(&why),
        Ok(_) => "gave another kind of response to `describe`".to_owned(),
        Err(CandidateError::Interrupted) => return Err(ProgramError::Interrupted { program }),
        Err(CandidateError::Failed(failure)) if failure.kind == FailureKind::Unsupported => {
            return Err(ProgramError::Missing { program });
        }
        Err(CandidateError::Failed(failure)) => said(&failure),
    };
    Err(ProgramError::Failed { program, why })
}

/// Returns what to do about a program that is missing.
fn remedy(program: &str) -> &'static str {
    match (program.contains('/'), Path::new(program).exists()) {
        (false, _) => ", neither next to this program nor on the PATH: name its path by --program",
        (true, false) => "",
        (true, true) => ": the interpreter that its first line names is missing",
    }
}

/// Returns why a program failed: the error that it wrote to standard error if there is one, else how it ended and its
/// last line.
fn said(Failure { why, stderr, .. }: &Failure) -> String {
    let error = stderr.lines().find_map(|line| line.trim().strip_prefix("error: "));
    let last = || stderr.lines().map(str::trim).rfind(|line| !line.is_empty());
    match (error, last()) {
        (Some(error), _) => error.to_owned(),
        (None, Some(last)) => format!("{why}: {last}"),
        (None, None) => why.clone(),
    }
}

fn start<'a>(
    command: Vec<String>,
    env: &BTreeMap<String, String>,
    folder: &Path,
    stop: &'a AtomicBool,
) -> Result<Candidate<'a>, CandidateError> {
    let mut entry = EntryPlan::alone(command, String::new(), Params::new(), 1);
    entry.env = env.clone();
    // It is not bound: what it is asked takes no time that counts.
    Candidate::start(&entry, folder, (&Placement::default(), None), LIMIT, stop)
}

/// Candidates that are asked whether they can do work, with one process for each command.
pub struct Checks<'a> {
    folder: PathBuf,
    stop: &'a AtomicBool,
    /// `None` for a command that cannot be started, has ended, or answers no `check`.
    running: RefCell<BTreeMap<Command, Option<Candidate<'a>>>>,
}

/// A command with its variables of the environment.
type Command = (Vec<String>, BTreeMap<String, String>);

impl<'a> Checks<'a> {
    /// Returns none yet; commands will run in `folder`.
    pub fn new(folder: &Path, stop: &'a AtomicBool) -> Self {
        Checks { folder: folder.to_owned(), stop, running: RefCell::default() }
    }

    /// Asks the candidate of an entry, and returns the memory in bytes that it needs, if it says so. One that
    /// answers no `check`, or cannot be found, refuses nothing.
    ///
    /// # Errors
    /// What is wrong with the entry.
    pub fn check(&self, entry: &EntryPlan) -> Result<Option<u64>, Refusal> {
        let mut running = self.running.borrow_mut();
        let key = (entry.command.clone(), entry.env.clone());
        let candidate = match running.insert(key.clone(), None) {
            Some(Some(candidate)) => Ok(candidate),
            Some(None) => return Ok(None),
            None => start(key.0.clone(), &key.1, &self.folder, self.stop),
        };
        let asked = candidate.and_then(|mut one| Ok((one.ask(RequestKind::Check(entry.work(None)))?, one)));
        let refused = |why| Err(Refusal { part: Part::Candidate, why });
        let (answer, candidate) = match asked {
            Ok((ResponseKind::Fits(fits), candidate)) => (Ok(Some(fits.memory)), candidate),
            Ok((ResponseKind::Refused(refusal), candidate)) => {
                (Err(Refusal { why: on_one_line(&refusal.why), ..refusal }), candidate)
            }
            Ok(_) => return Ok(None),
            Err(CandidateError::Interrupted) => return refused("stopped".to_owned()),
            Err(CandidateError::Failed(failure)) if failure.kind == FailureKind::Unsupported => {
                return Ok(None);
            }
            Err(CandidateError::Failed(failure)) => return refused(said(&failure)),
        };
        running.insert(key, Some(candidate));
        answer
    }
}
