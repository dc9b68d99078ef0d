//! What every comparison has in common after its plan is made: the files of the run, the progress, the sheet in the
//! form that is asked for, and the exit code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use parcrypt_lab::record::{Case, Entry, Failure, FailureKind, Record, Role};
use parcrypt_lab::stats::{LEAST_REPLICATES, Verdict};
use parcrypt_lab::{TempFolder, Watch, remove_stale};
use parcrypt_report::{
    Colour, Detail, Format, Gate, Output, Overwrite, Screen, Sheet, Tone, WriteError, Written, sentences,
    sheet,
};
use parcrypt_terminal::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{Printed, on_one_line, shown, tell};

use crate::names::Names;

/// Exit code if the answer to a condition is not known.
const OPEN: u8 = 3;

/// Form of the results.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Form {
    /// Print the results as JSON
    #[arg(long, conflicts_with_all = ["csv", "markdown"])]
    pub(crate) json: bool,
    /// Print each number of the results with its interval as CSV
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) csv: bool,
    /// Print the results as Markdown, as for a comment on a pull request
    #[arg(long)]
    pub(crate) markdown: bool,
}

impl Form {
    /// Returns the format that is asked for, for a terminal with this much detail.
    pub(crate) fn format(self, detail: Detail) -> Format {
        match self {
            Form { json: true, .. } => Format::Json,
            Form { csv: true, .. } => Format::Csv,
            Form { markdown: true, .. } => Format::Markdown,
            _ => Format::Text(screen(), detail),
        }
    }

    /// Returns whether a person reads the results in this terminal.
    pub(crate) fn is_text(self) -> bool {
        !(self.json || self.csv || self.markdown)
    }
}

/// Maximum width of a table.
const WIDTH: u16 = 100;

/// Returns the width of standard output, if it is a terminal, and whether it gets colours.
fn screen() -> Screen {
    let terminal = console::Term::stdout();
    let is_terminal = terminal.is_term();
    let has_colours = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let width = terminal.size_checked().filter(|_| is_terminal).map(|(_, columns)| columns.min(WIDTH));
    Screen { width, colour: if has_colours { Colour::Ansi } else { Colour::Plain } }
}

/// [`parcrypt_report::write`], with what to do about an error.
pub(crate) fn write(
    sheets: &[Sheet],
    output: &Output<'_>,
    overwrite: Overwrite,
) -> Result<Written, CommandError> {
    parcrypt_report::write(sheets, output, overwrite).map_err(|error| {
        let hint =
            if matches!(error, WriteError::Exists { .. }) { ": name another, or remove it" } else { "" };
        CommandError::new(format!("{error}{hint}"))
    })
}

/// Prints sheets in a format, with what follows a text for people.
pub(crate) fn print(sheets: &[Sheet], format: Format, more: &str) -> Result<(), CommandError> {
    let text = write(sheets, &Output::Text(format), Overwrite::Nothing)?.text;
    match format {
        Format::Text(..) => Printed::Coloured(&(text + more)).write(),
        Format::Json => Printed::Json(&text).write(),
        _ => Printed::Plain(&text).write(),
    }
}

/// The files of a run.
pub(crate) struct Session {
    names: Names,
    /// A temporary folder, which has the record if it is not kept.
    pub(crate) temporary: TempFolder,
    is_kept: bool,
}

impl Session {
    /// Takes names for the files of a run of a plan, in the folder of `--out` or in a temporary one.
    pub(crate) fn new(out: Option<&Path>, plan: &str) -> Result<Self, CommandError> {
        let temporary =
            TempFolder::new().map_err(|e| CommandError::new(format!("a temporary folder: {e}")))?;
        if let Some(folder) = out {
            writable("--out", folder)?;
            remove_stale(folder);
        }
        let names = Names::take(out.unwrap_or(temporary.path()), plan, SystemTime::now())?;
        Ok(Session { names, temporary, is_kept: out.is_some() })
    }

    /// Returns the path of the record.
    pub(crate) fn record(&self) -> PathBuf {
        self.names.path("json")
    }

    /// Prints the results of a run and writes its record and its pages, which replace no file. Returns the exit code:
    /// of an interrupt, of an entry that failed, or of the answers to the conditions and the claims. What was measured
    /// is shown also if a file of it cannot be written.
    pub(crate) fn finish(
        &self,
        record: &Record,
        gates: &[Gate],
        form: Form,
        more: &str,
    ) -> Result<u8, CommandError> {
        let sheets = [sheet(record, &self.record(), gates)];
        let mut errors: Vec<CommandError> = Vec::new();
        let mut files = String::new();
        if self.is_kept {
            let unsaved = record.write(&self.record()).err();
            errors.extend(unsaved.map(|why| CommandError::new(format!("the record was not written: {why}"))));
            files = format!("record: {}\n", shown(&self.record()));
            for (format, ending) in [(Format::Html, "html"), (Format::Markdown, "md")] {
                let path = self.names.path(ending);
                match write(&sheets, &Output::File(format, &path), Overwrite::Nothing) {
                    Ok(_) if ending == "html" => files += &format!("page:   {}\n", shown(&path)),
                    Ok(_) => {}
                    Err(error) => errors.push(error),
                }
            }
        }
        let is_plan = record.suite.is_none() && !record.cases.iter().all(Case::is_of_commands);
        let detail = if is_plan { Detail::Rows } else { Detail::Cases };
        let gap = if files.is_empty() && more.is_empty() { "" } else { "\n" };
        errors.extend(print(&sheets, form.format(detail), &format!("{gap}{more}{files}")).err());
        if !form.is_text() && !files.is_empty() {
            tell(files.trim_end());
        }
        if interrupt::requested() {
            return Ok(INTERRUPTED);
        }
        let mut code = 0;
        for answer in &sheets[0].answers {
            match answer.verdict {
                Some(Verdict::Slower) => code = NEGATIVE,
                None if answer.tone == Tone::Failed && code != NEGATIVE => code = ERROR,
                Some(Verdict::Open) if answer.is_condition && code == 0 => code = OPEN,
                _ => {}
            }
            if answer.is_condition {
                tell(&on_one_line(&answer.text[0]));
            } else if answer.verdict == Some(Verdict::Slower) {
                tell(&format!("negative: a claim of the plan is broken: {}", on_one_line(&answer.ask)));
            }
        }
        for error in &errors {
            tell(&format!("error: {error}"));
        }
        Ok(if errors.is_empty() { code } else { ERROR })
    }
}

/// Creates the folder and checks that a file can be created in it, before an hour of measuring is lost.
pub(crate) fn writable(flag: &str, folder: &Path) -> Result<(), CommandError> {
    let tried = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder).map(drop));
    tried.map_err(|e| {
        CommandError::new(format!("{flag} {}: cannot be written: {e}; name another folder", folder.display()))
    })
}

/// Returns the worst exit code of an entry that failed: of a wrong output, or of anything else.
pub(crate) fn failed<'e>(entries: impl Iterator<Item = &'e Entry>) -> Option<u8> {
    let code = |kind| if kind == FailureKind::WrongDigest { NEGATIVE } else { ERROR };
    let failures = entries.filter_map(|entry| entry.failure.as_ref());
    failures.map(|one| code(one.kind)).max()
}

/// Minimum time between two changes of a verdict on a terminal, and time for which each of several is shown.
const PAUSE: Duration = Duration::from_millis(250);
const EACH: Duration = Duration::from_secs(2);

/// The progress of a run, with its verdicts while they become known: next to the bar of a terminal, else as a line now
/// and then.
pub(crate) struct Progress<'a> {
    pub(crate) bar: Bar,
    /// Returns what a lost or skipped entry is told as; `None` if the results say it.
    lost: &'a dyn Fn(&str, &Failure) -> Option<String>,
    begun: Instant,
    /// The verdicts on each case of few that has some, and since when it has these.
    verdicts: BTreeMap<usize, (Vec<String>, Instant)>,
}

/// Number of comparisons up to which verdicts are shown while they become known.
const FEW: usize = 8;

impl<'a> Progress<'a> {
    pub(crate) fn new(lost: &'a dyn Fn(&str, &Failure) -> Option<String>) -> Self {
        Progress { bar: Bar::percent(), lost, begun: Instant::now(), verdicts: BTreeMap::new() }
    }
}

/// Returns the verdict to show after this time: one after the other, each with its number if there are several.
fn in_turn<'v>(verdicts: impl Iterator<Item = &'v String>, after: Duration) -> Option<String> {
    let all: Vec<&String> = verdicts.collect();
    let at = (after.as_secs() / EACH.as_secs()) as usize % all.len().max(1);
    let verdict = all.get(at)?;
    Some(if all.len() == 1 { (*verdict).clone() } else { format!("{} of {}: {verdict}", at + 1, all.len()) })
}

impl Watch for Progress<'_> {
    fn progress(&mut self, done: f64, left: Duration, what: &str) {
        let verdicts = self.verdicts.values().flat_map(|(verdicts, _)| verdicts);
        let verdict = in_turn(verdicts, self.begun.elapsed());
        self.bar.of_lab(done, left, verdict.as_deref().unwrap_or(what));
    }

    fn note(&mut self, text: &str) {
        self.bar.suspend(|| tell(text));
    }

    fn lost(&mut self, entry: &str, failure: &Failure) {
        if let Some(why) = (self.lost)(entry, failure) {
            self.note(&why);
        }
    }

    fn block(&mut self, record: &Record, at: usize) {
        let candidates = |case: &Case| case.entries.iter().filter(|e| e.role == Role::Candidate).count();
        if record.cases.iter().map(|case| candidates(case).saturating_sub(1)).sum::<usize>() > FEW {
            return;
        }
        let case = &record.cases[at];
        let done = case.entries.iter().map(|entry| entry.replicates.len()).max().unwrap_or(0);
        let said = || {
            let rounds = case.entries.iter().map(Entry::rounds_done).max().unwrap_or(0);
            sentences(record, at)
                .iter()
                .map(|one| format!("after {rounds} rounds: {one}"))
                .collect::<Vec<_>>()
        };
        if self.bar.is_hidden() {
            if done.is_multiple_of(LEAST_REPLICATES) && (done / LEAST_REPLICATES).is_power_of_two() {
                said().iter().for_each(|verdict| tell(verdict));
            }
        } else if self.verdicts.get(&at).is_none_or(|(_, since)| since.elapsed() >= PAUSE) {
            self.verdicts.insert(at, (said(), Instant::now()));
        }
    }
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
