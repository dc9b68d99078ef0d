//! The verdict while it becomes known: beside the progress bar of a terminal, else as a line now and then.

use std::time::{Duration, Instant};

use parcrypt_lab::Watch;
use parcrypt_lab::record::{Case, Failure, FailureKind, Record};
use parcrypt_lab::stats::LEAST_REPLICATES;
use parcrypt_report::last_lines;
use parcrypt_report::verdict::pairs_of;

use crate::progress::Bar;
use crate::text::{on_one_line, quoted, tell};

/// Least time between two verdicts on a terminal.
const PAUSE: Duration = Duration::from_millis(250);

pub(super) struct Live {
    bar: Bar,
    /// The verdict that is shown, and since when.
    shown: Option<(String, Instant)>,
}

impl Live {
    pub(super) fn new() -> Self {
        Live { bar: Bar::percent(), shown: None }
    }
}

impl Watch for Live {
    fn progress(&mut self, done: f64, left: Duration, what: &str) {
        self.bar.of_lab(done, left, self.shown.as_ref().map_or(what, |(verdict, _)| verdict));
    }

    fn note(&mut self, text: &str) {
        self.bar.suspend(|| tell(text));
    }

    fn lost(&mut self, entry: &str, failure: &Failure) {
        self.note(&explained(entry, failure));
    }

    fn replicate(&mut self, record: &Record, case: usize) {
        let case = &record.cases[case];
        if self.bar.is_hidden() {
            let done = case.entries.iter().map(|entry| entry.replicates.len()).max().unwrap_or(0);
            let doubled =
                done.is_multiple_of(LEAST_REPLICATES) && (done / LEAST_REPLICATES).is_power_of_two();
            if doubled {
                verdicts(case).iter().for_each(|verdict| tell(verdict));
            }
        } else if self.shown.as_ref().is_none_or(|(_, since)| since.elapsed() >= PAUSE) {
            let verdicts = verdicts(case);
            self.shown = verdicts.into_iter().next_back().map(|verdict| (verdict, Instant::now()));
        }
    }
}

/// Returns the verdicts on a case, each with the parameters and the number of rounds.
fn verdicts(case: &Case) -> Vec<String> {
    let params: String = case.params.iter().map(|(name, value)| format!("{name}={value}, ")).collect();
    let verdict = |pair: &parcrypt_report::verdict::Pair<'_>| {
        let rounds = pair.entry.rounds_done();
        on_one_line(&format!("{params}after {rounds} rounds: {}", pair.sentence()))
    };
    pairs_of(case).iter().map(verdict).collect()
}

/// Returns why a command failed, with the last lines of its standard error.
pub(super) fn explained(command: &str, failure: &Failure) -> String {
    let mut lines = last_lines(&failure.stderr);
    // What runs the command names it and how it ended, after all that the command wrote.
    let reason = lines.pop_if(|last| failure.kind == FailureKind::Crash && last.starts_with("error: "));
    let why = match (failure.kind, reason) {
        (_, Some(reason)) => reason.trim_start_matches("error: ").to_owned(),
        // The failure says that of digests.
        (FailureKind::WrongDigest, _) if failure.why.contains("of the others") => {
            format!("{command}: its output or exit code differs from those of the others")
        }
        (FailureKind::WrongDigest, _) => format!("{command}: its output or exit code is not always the same"),
        _ => format!("{command}: {}", failure.why),
    };
    on_one_line(&why) + &quoted(&lines)
}
