//! What all comparisons have in common: the cases of a plan, the files of a run, its progress, its sheet in the form
//! that is asked for, and the exit code.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use parcrypt_lab::plan::{Choices, Here, Matrix, Plan};
use parcrypt_lab::record::{Case, Entry, Failure, Record, Role};
use parcrypt_lab::stats::{MIN_REPLICATES, Verdict};
use parcrypt_lab::{Checks, Inputs, Probe, Setting, TempFolder, Watch, remove_stale};
use parcrypt_report::{Colour, Detail, Format, Gate, Screen, Sheet, Tone, sentences, sheet, text, write};
use parcrypt_terminal::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::print::Printed;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{on_one_line, shown, tell};

use crate::program::{self, Program};

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
    /// Returns the format that is asked for, with this much detail in a terminal.
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

/// Prints sheets in a format, with what follows a text for people.
pub(crate) fn print(sheets: &[Sheet], format: Format, more: &str) -> Result<(), CommandError> {
    let text = text(sheets, format, None);
    match format {
        Format::Text(..) => Printed::Coloured(&(text + more)).write(),
        Format::Json => Printed::Json(&text).write(),
        _ => Printed::Plain(&text).write(),
    }
}

/// Returns the cases of a plan on this machine, and tells where they differ from the plan.
pub(crate) fn matrix(
    plan: &Plan,
    choices: &Choices,
    program: Option<&Program>,
) -> Result<Matrix, CommandError> {
    let checks = Checks::new(&plan.folder, interrupt::flag());
    let here = Here {
        cores: program::cores(),
        memory: parcrypt_machine::memory_available(),
        program: program.map(|program| program.path.as_str()),
        check: &|entry| checks.check(entry),
    };
    let matrix = Matrix::new(plan, choices, &here)?;
    matrix.notes.iter().for_each(|note| tell(&format!("note: {note}")));
    Ok(matrix)
}

/// A run, and its files.
pub(crate) struct Session {
    /// Path of the record; the pages have other endings. It is made at once and empty, so that no other run takes the
    /// name.
    record: PathBuf,
    /// A temporary folder, which has the record if it is not kept.
    pub(crate) temporary: TempFolder,
    is_kept: bool,
    pub(crate) inputs: Inputs,
}

impl Session {
    /// Makes the files of a run of a plan, in the folder of `--out` or in a temporary one.
    pub(crate) fn new(out: Option<&Path>, plan: &str) -> Result<Self, CommandError> {
        let failed = |why| CommandError::new(format!("a temporary folder: {why}"));
        let temporary = TempFolder::new().map_err(failed)?;
        if let Some(folder) = out {
            writable("--out", folder)?;
            remove_stale(folder);
        }
        let record = new_record(out.unwrap_or(temporary.path()), plan, SystemTime::now())?;
        Ok(Session { record, temporary, is_kept: out.is_some(), inputs: Inputs::new().map_err(failed)? })
    }

    /// Measures the entries of a plan; returns the record, which is also written while they are measured.
    pub(crate) fn run(
        &self,
        plan: &Plan,
        matrix: &Matrix,
        program: Option<&Program>,
        probes: &[Probe],
        progress: &mut Progress<'_>,
    ) -> Result<Record, CommandError> {
        let setting = Setting {
            record: self.record.clone(),
            command: program::command_line(program),
            machine: program::machine(program),
            build: program::build(program),
            inputs: &self.inputs,
            stop: interrupt::flag(),
        };
        Ok(parcrypt_lab::run(plan, matrix, &setting, probes, progress)?)
    }

    /// Prints the results of a run and writes its record, which replaces no file, and its pages. Returns the exit code:
    /// of an interrupt, of an entry that failed, or of the answers to the conditions and the claims. What was measured
    /// is shown also if a file of it cannot be written.
    pub(crate) fn finish(
        &self,
        record: &Record,
        gates: &[Gate],
        form: Form,
        more: &str,
    ) -> Result<u8, CommandError> {
        let kept = if self.is_kept { self.record.as_path() } else { Path::new("") };
        let sheets = [sheet(record, kept, gates)];
        let mut errors: Vec<CommandError> = Vec::new();
        let mut files = String::new();
        if self.is_kept {
            let unsaved = record.write(&self.record).err();
            errors.extend(unsaved.map(|why| CommandError::new(format!("the record was not written: {why}"))));
            files = format!("record: {}\n", shown(&self.record));
            for (format, ending) in [(Format::Html, "html"), (Format::Markdown, "md")] {
                let path = self.record.with_extension(ending);
                let page = text(&sheets, format, Some(&path));
                match write(&[(path.clone(), page)]) {
                    Ok(_) if ending == "html" => files += &format!("page:   {}\n", shown(&path)),
                    Ok(_) => {}
                    Err(error) => errors.push(error.into()),
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
        for claim in sheets[0].answers.iter().filter(|claim| claim.verdict == Some(Verdict::Slower)) {
            code = NEGATIVE;
            tell(&format!("negative: a claim of the plan is broken: {}", on_one_line(&claim.ask)));
        }
        for condition in &sheets[0].conditions {
            match condition.verdict {
                Some(Verdict::Slower) => code = NEGATIVE,
                None if condition.tone == Tone::Failed && code != NEGATIVE => code = ERROR,
                Some(Verdict::Open) if code == 0 => code = OPEN,
                _ => {}
            }
            tell(&on_one_line(&condition.text[0]));
        }
        for error in &errors {
            tell(&format!("error: {error}"));
        }
        Ok(if errors.is_empty() { code } else { ERROR })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.record.metadata().is_ok_and(|found| found.is_file() && found.len() == 0) {
            // A file that cannot be removed stays empty.
            let _ = std::fs::remove_file(&self.record);
        }
    }
}

/// Makes an empty record with the name of the plan and the time, and a number from 2 if that name is taken.
fn new_record(folder: &Path, plan: &str, time: SystemTime) -> Result<PathBuf, CommandError> {
    let time = humantime::format_rfc3339_millis(time).to_string().replace([':', '.'], "-");
    let mut path = folder.join(format!("{plan}-{time}.json"));
    let mut number = 2;
    loop {
        match File::create_new(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                path.set_file_name(format!("{plan}-{time}-{number}.json"));
                number += 1;
            }
            Err(error) => return Err(CommandError::new(format!("{}: {error}", path.display()))),
        }
    }
}

/// Creates the folder and checks that a file can be created in it, before an hour of measuring is lost.
pub(crate) fn writable(flag: &str, folder: &Path) -> Result<(), CommandError> {
    let tried = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder).map(drop));
    tried.map_err(|e| {
        let why =
            if folder.is_file() { "it is a file".to_owned() } else { format!("cannot be written: {e}") };
        CommandError::new(format!("{flag} {}: {why}; name another folder", folder.display()))
    })
}

/// Parses the time of a run, from a tenth of a second to a week.
pub(crate) fn run_time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|e| format!("{e}; write it as 30s or 5m"))?;
    match (Duration::from_millis(100)..=Duration::from_secs(7 * 86_400)).contains(&time) {
        true => Ok(time),
        false => Err("it must be from 100ms to 7days".to_owned()),
    }
}

/// Parses a number of per cent, with or without the sign, as a part of 1.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse::<f64>().ok();
    let within = number.filter(|percent| (0.01..=50.0).contains(percent));
    within.map(|percent| percent / 100.0).ok_or_else(|| "it must be from 0.01% to 50%".to_owned())
}

/// Parses a number of processors of this machine.
pub(crate) fn processors(text: &str) -> Result<usize, String> {
    let cores = program::cores().get();
    let number = text.parse().ok().filter(|number| (1..=cores).contains(number));
    number.ok_or_else(|| format!("it must be from 1 to {cores}"))
}

/// Number of comparisons up to which verdicts are shown while they become known.
const FEW: usize = 8;

/// Time for which a terminal shows each of these verdicts.
const PAUSE: Duration = Duration::from_secs(2);

/// The progress of a run, with its verdicts while they become known: next to the bar of a terminal, else as a line now
/// and then.
pub(crate) struct Progress<'a> {
    pub(crate) bar: Bar,
    /// Returns what a lost or skipped entry is told as; `None` if the results say it.
    lost: &'a dyn Fn(&str, &Failure) -> Option<String>,
    /// What is shown next to the bar, and since when.
    verdict: Option<(String, Instant)>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(lost: &'a dyn Fn(&str, &Failure) -> Option<String>) -> Self {
        Progress { bar: Bar::percent(), lost, verdict: None }
    }
}

impl Watch for Progress<'_> {
    fn progress(&mut self, done: f64, left: Duration, what: &str) {
        self.bar.of_lab(done, left, self.verdict.as_ref().map_or(what, |(verdict, _)| verdict));
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
        let rounds = case.entries.iter().map(Entry::rounds_done).max().unwrap_or(0);
        let name = record.suite.as_ref().map(|_| format!("{}: ", case.workload)).unwrap_or_default();
        let said = || {
            let after = |verdict: &String| format!("after {rounds} rounds: {name}{verdict}");
            sentences(record, at).iter().map(after).collect::<Vec<_>>()
        };
        if self.bar.is_hidden() {
            if rounds.is_multiple_of(MIN_REPLICATES) && (rounds / MIN_REPLICATES).is_power_of_two() {
                said().iter().for_each(|verdict| tell(verdict));
            }
        } else if self.verdict.as_ref().is_none_or(|(_, since)| since.elapsed() >= PAUSE) {
            // Those on a case take turns.
            let said = said();
            self.verdict =
                said.get(rounds / 2 % said.len().max(1)).map(|verdict| (verdict.clone(), Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234_567);
        for end in ["", "-2", "-3"] {
            let path = new_record(folder.path(), "p.q", time).unwrap();
            assert_eq!(path, folder.path().join(format!("p.q-1970-01-01T00-20-34-567Z{end}.json")));
        }
    }
}
