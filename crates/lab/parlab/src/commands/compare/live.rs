//! The verdict while it becomes known: next to the progress bar of a terminal, else as a line now and then.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use parcrypt_lab::Watch;
use parcrypt_lab::record::{Case, Failure, FailureKind, Record};
use parcrypt_lab::stats::LEAST_REPLICATES;
use parcrypt_report::stderr_tail;
use parcrypt_report::verdict::pairs_of;

use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{on_one_line, quoted, shown, tell};

/// Minimum time between two changes of a verdict on a terminal.
const PAUSE: Duration = Duration::from_millis(250);
/// Time for which each of several verdicts is shown on a terminal.
const EACH: Duration = Duration::from_secs(2);

/// What messages about failed commands say besides.
#[derive(Clone, Debug, Default)]
pub(super) struct About {
    /// Time limit of a run.
    pub(super) limit: Option<Duration>,
    /// Names of the commands that run in work trees, and their folders there.
    pub(super) trees: Vec<(String, PathBuf)>,
}

pub(super) struct Live<'a> {
    about: &'a About,
    bar: Bar,
    begun: Instant,
    /// The verdicts on each case that has some, and since when it has these.
    verdicts: BTreeMap<usize, (Vec<String>, Instant)>,
}

impl<'a> Live<'a> {
    pub(super) fn new(about: &'a About) -> Self {
        Live { about, bar: Bar::percent(), begun: Instant::now(), verdicts: BTreeMap::new() }
    }
}

/// Returns the verdict to show after this time: one after the other, each with its number if there are several.
fn in_turn<'v>(verdicts: impl Iterator<Item = &'v String>, after: Duration) -> Option<String> {
    let all: Vec<&String> = verdicts.collect();
    let at = (after.as_secs() / EACH.as_secs()) as usize % all.len().max(1);
    let verdict = all.get(at)?;
    Some(if all.len() == 1 { (*verdict).clone() } else { format!("{} of {}: {verdict}", at + 1, all.len()) })
}

impl Watch for Live<'_> {
    fn progress(&mut self, done: f64, left: Duration, what: &str) {
        let verdicts = self.verdicts.values().flat_map(|(verdicts, _)| verdicts);
        let verdict = in_turn(verdicts, self.begun.elapsed());
        self.bar.of_lab(done, left, verdict.as_deref().unwrap_or(what));
    }

    fn note(&mut self, text: &str) {
        self.bar.suspend(|| tell(text));
    }

    fn lost(&mut self, entry: &str, failure: &Failure) {
        if let Some(why) = explained(entry, failure, self.about) {
            self.note(&why);
        }
    }

    fn block(&mut self, record: &Record, at: usize) {
        let case = &record.cases[at];
        if self.bar.is_hidden() {
            let done = case.entries.iter().map(|entry| entry.replicates.len()).max().unwrap_or(0);
            let doubled =
                done.is_multiple_of(LEAST_REPLICATES) && (done / LEAST_REPLICATES).is_power_of_two();
            if doubled {
                verdicts(case).iter().for_each(|verdict| tell(verdict));
            }
        } else if self.verdicts.get(&at).is_none_or(|(_, since)| since.elapsed() >= PAUSE) {
            self.verdicts.insert(at, (verdicts(case), Instant::now()));
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

/// Returns why a command failed, with the last lines of its standard error and the work tree in which it ran; `None`
/// if outputs differ, which is shown with them in the end.
pub(super) fn explained(command: &str, failure: &Failure, about: &About) -> Option<String> {
    let mut lines = stderr_tail(&failure.stderr);
    // What runs the command names it and how it ended, after all that the command wrote.
    let reason = lines.pop_if(|last| failure.kind == FailureKind::Crash && last.starts_with("error: "));
    let why = match (failure.kind, reason) {
        (FailureKind::WrongDigest, _) => return None,
        (_, Some(reason)) => {
            let reason = reason.trim_start_matches("error: ");
            let of_command = reason.starts_with(&format!("`{command}` ended with exit code"));
            let hint = if of_command { " (use --ignore-exit-code to measure it anyway)" } else { "" };
            format!("{reason}{hint}")
        }
        (FailureKind::Timeout, _) => {
            let limit = about.limit.map_or(0, |limit| limit.as_secs_f64().ceil() as u64);
            format!("`{command}` was still running after {limit} s and was ended; --timeout sets the limit")
        }
        _ => format!("{command}: {}", failure.why),
    };
    // A name with parameters after it is the command's.
    let tree = about.trees.iter().rev().find(|(name, _)| command.starts_with(name.as_str()));
    let place = tree.map_or(String::new(), |(name, folder)| {
        format!(
            "\n  It ran in the work tree of {}, {}, which has only the committed files: name others by absolute paths.",
            on_one_line(name),
            shown(folder)
        )
    });
    Some(on_one_line(&why) + &quoted(&lines) + &place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_is_shown_in_turn() {
        let shown = |verdicts: &[&str], seconds: u64| {
            let verdicts: Vec<String> = verdicts.iter().map(|verdict| (*verdict).to_owned()).collect();
            in_turn(verdicts.iter(), Duration::from_secs(seconds))
        };
        assert_eq!(shown(&[], 5), None);
        assert_eq!([0, 3].map(|seconds| shown(&["a"], seconds).unwrap()), ["a", "a"]);
        let all = [0, 1, 2, 4, 6].map(|seconds| shown(&["a", "b", "c"], seconds).unwrap());
        assert_eq!(all, ["1 of 3: a", "1 of 3: a", "2 of 3: b", "3 of 3: c", "1 of 3: a"]);
    }
}
