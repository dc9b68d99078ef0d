//! The benchmarks of two revisions: built, linked in other layouts, and measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use parcrypt_lab::method::{SUITE_LAYOUTS, SUITE_TIME, SUITE_TIME_OF_PROCESSES};
use parcrypt_lab::plan::{Choices, Matrix};
use parcrypt_lab::record::{COMMANDS, Case, Entry, Failure, FailureKind, Measure, Record};
use parcrypt_lab::stats::ROUNDS_OF_BLOCKS;
use parcrypt_lab::suite::{self, Suite, Target};
use parcrypt_lab::{Inputs, Setting};

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{clock, counted, on_one_line, tell};
use regex_lite::Regex;

use super::Arguments;
use super::cargo::{Built, Cargo, State};
use super::counts;
use super::listed;
use crate::layouts::{self, LayoutError};
use crate::program::{build, command_line, cores, here, machine};
use crate::revisions::Trees;
use crate::session::{Progress, writable};

/// Time limit of a response, if the user gives none.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A choice of benchmarks by their names.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    text: String,
    pattern: Regex,
}

impl Filter {
    /// Returns whether a name has the text, whatever it means as an expression, or matches that.
    fn accepts(&self, name: &str) -> bool {
        name.contains(&self.text) || self.pattern.is_match(name)
    }
}

/// Parses a filter.
pub(super) fn filter(text: &str) -> Result<Filter, String> {
    match Regex::new(text) {
        Ok(pattern) => Ok(Filter { text: text.to_owned(), pattern }),
        Err(why) => Err(format!(
            "not a regular expression: {why}; characters such as ( and [ need a backslash to stand for themselves"
        )),
    }
}

impl Arguments {
    fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(TIMEOUT)
    }

    /// Returns the number of memory layouts of each program.
    fn number_of_layouts(&self) -> usize {
        match (self.layouts, self.rounds) {
            (Some(layouts), _) => layouts,
            // A block of two rounds with the same layout is a replicate, and an interval needs eight.
            (None, Some(..ROUNDS_OF_BLOCKS)) => 0,
            (None, _) => SUITE_LAYOUTS,
        }
    }

    pub(super) fn processors(&self) -> Result<usize, CommandError> {
        let cores = cores().get();
        match self.processors.unwrap_or(cores) {
            number if (1..=cores).contains(&number) => Ok(number),
            number => Err(CommandError::new(format!("--processors {number}: it must be from 1 to {cores}"))),
        }
    }
}

/// The benchmarks of both revisions, with their programs.
pub(super) struct Found {
    pub(super) suite: Suite,
    /// What is not measured, as cases of a record.
    pub(super) skipped: Vec<Case>,
    /// Whether there are benchmarks that the filter matches, and others.
    has_chosen: bool,
    has_others: bool,
    /// The programs that count, of each target.
    pub(super) counting: Vec<[Option<State>; 2]>,
    /// The programs run in them.
    _trees: Option<Trees>,
    /// Folders of this machine with their names in records.
    pub(super) hidden: Vec<(PathBuf, String)>,
}

/// What is compared: the programs of two revisions, or two commands.
pub(super) struct Sides {
    /// Names of the old and the new side.
    pub(super) names: [String; 2],
    pub(super) programs: [Vec<Built>; 2],
    /// The work trees of revisions.
    pub(super) trees: Option<Trees>,
}

impl Found {
    /// Builds the programs of the old revision and of the new one, and lists their benchmarks.
    ///
    /// # Errors
    /// An argument that cannot be used, errors of [`Cargo::build`], and Ctrl-C.
    pub(super) fn build(trees: Trees, temporary: &Path, arguments: &Arguments) -> Result<Self, CommandError> {
        // Before minutes of building are lost.
        arguments.processors()?;
        let target = match &arguments.target_dir {
            Some(folder) => {
                writable("--target-dir", folder)?;
                std::path::absolute(folder)?
            }
            None => temporary.join("target"),
        };
        let env = if arguments.number_of_layouts() > 0 { layouts::environment()? } else { BTreeMap::new() };
        let counts = arguments.counts();
        let cargo = Cargo { arguments: &arguments.cargo, temporary, target: &target, env: &env, counts };
        let [before, after] = &trees.trees[..] else {
            return Err(CommandError::new("--rev: give it twice, for the old revision and the new one"));
        };
        let programs = [cargo.build(1, before)?, cargo.build(2, after)?];
        let names = [before.name.clone(), after.name.clone()];
        let mut found = Found::list(Sides { names, programs, trees: Some(trees) }, arguments)?;
        let others = [
            (Some(target), "target"),
            (Some(temporary.to_owned()), "temporary"),
            (std::env::home_dir(), "~"),
        ];
        let others = others.into_iter().filter_map(|(folder, name)| Some((folder?, name.to_owned())));
        found.hidden.extend(others);
        Ok(found)
    }

    /// Lists the benchmarks of the programs.
    ///
    /// # Errors
    /// An argument that cannot be used, and Ctrl-C.
    pub(super) fn list(sides: Sides, arguments: &Arguments) -> Result<Self, CommandError> {
        let processors = arguments.processors()?;
        let Sides { names: revisions, programs: [old, new], trees } = sides;
        let (old, new) = (&old, &new);
        let mut names: Vec<&String> = new.iter().chain(old).map(|built| &built.name).collect();
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(*name));
        // The package is named if there are several.
        let package = |name: &str| name.split_once('/').map_or("", |(package, _)| package).to_owned();
        let is_single = names.iter().all(|name| package(name) == package(names[0]));
        let mut found = Found {
            suite: Suite {
                title: format!("{} → {}", revisions[0], revisions[1]),
                revisions,
                targets: Vec::new(),
                benchmarks: Vec::new(),
                processors,
                limit: arguments.timeout(),
            },
            skipped: Vec::new(),
            has_chosen: false,
            has_others: false,
            counting: Vec::new(),
            hidden: trees.iter().flat_map(Trees::hidden).collect(),
            _trees: trees,
        };
        let bar = Bar::of_items(names.len());
        for name in names {
            let shown = if is_single { &name[package(name).len() + 1..] } else { name };
            bar.set_message(format!("listing {}", on_one_line(shown)));
            let sides = [old, new].map(|side| side.iter().find(|built| built.name == *name));
            found.add(shown, sides, arguments)?;
            bar.advance();
        }
        Ok(found)
    }

    /// Adds the benchmarks of a program.
    fn add(
        &mut self,
        target: &str,
        sides: [Option<&Built>; 2],
        arguments: &Arguments,
    ) -> Result<(), CommandError> {
        let (states, counting) = match sides {
            [Some(old), Some(new)] => ([&old.state, &new.state], [&old.counting, &new.counting]),
            [old, _] => {
                self.only(target, target, if old.is_some() { 0 } else { 1 });
                return Ok(());
            }
        };
        let [Ok(before), Ok(after)] = states else {
            let why =
                states.map(|state| state.as_ref().err().map(|failure| (failure.kind, failure.why.clone())));
            self.leave_out(target, target, why);
            return Ok(());
        };
        if before.measure != after.measure {
            self.skip(target, target, "only one of the revisions uses Criterion");
            return Ok(());
        }
        let [old, new] =
            [listed::list(before, arguments.timeout())?, listed::list(after, arguments.timeout())?];
        let wrong = [&old, &new].map(|list| Some((FailureKind::Crash, list.wrong.clone()?)));
        // What a list that is not whole lacks may be there.
        let are_whole = wrong.iter().all(Option::is_none);
        if !are_whole {
            self.leave_out(target, target, wrong);
        }
        let number = self.suite.targets.len();
        self.suite.targets.push(Target { name: target.to_owned(), sides: [before.clone(), after.clone()] });
        self.counting
            .push(counting.map(|built| built.as_ref().map(|(kind, state)| counts::counting(state, *kind))));
        let is_chosen = |name: &str| {
            arguments.filter.is_empty() || arguments.filter.iter().any(|filter| filter.accepts(name))
        };
        for (name, _) in new.benchmarks.iter().chain(&old.benchmarks) {
            *(if is_chosen(name) { &mut self.has_chosen } else { &mut self.has_others }) = true;
        }
        for (name, skip) in new.benchmarks.iter().filter(|(name, _)| is_chosen(name)) {
            let other = old.benchmarks.iter().find(|(other, _)| other == name);
            match (other, skip) {
                (None, _) if are_whole => self.only(name, target, 1),
                (None, _) => {}
                (Some((_, Some(why))), _) | (Some(_), Some(why)) => self.skip(name, target, why),
                _ if name == COMMANDS => self.skip(name, target, "this name is reserved"),
                (Some((_, None)), None) => self.suite.benchmarks.push((number, name.clone())),
            }
        }
        let is_new = |name: &str| new.benchmarks.iter().any(|(other, _)| other == name);
        for (name, _) in
            old.benchmarks.iter().filter(|(name, _)| are_whole && is_chosen(name) && !is_new(name))
        {
            self.only(name, target, 0);
        }
        Ok(())
    }

    /// Links the programs of the benchmarks in other layouts. If their linker makes none, that is told.
    ///
    /// # Errors
    /// There is no benchmark; the user has asked for layouts and there are none; Ctrl-C.
    pub(super) fn link(&mut self, arguments: &Arguments) -> Result<(), CommandError> {
        if self.suite.benchmarks.is_empty() {
            self.tell_skipped();
            let is_in_one = |case: &Case| {
                case.entries
                    .iter()
                    .filter_map(|entry| entry.failure.as_ref())
                    .all(|failure| failure.why.is_empty())
            };
            return Err(CommandError::new(if self.has_others && !self.has_chosen {
                "no benchmark matches the filter: --list without a filter prints all names"
            } else if self.skipped.iter().all(is_in_one) {
                "no benchmark is in both revisions"
            } else {
                "no benchmark can be measured in both revisions"
            }));
        }
        let count = arguments.number_of_layouts();
        let linked = if count > 0 { self.link_all(count) } else { Ok(()) };
        if linked.is_err() {
            self.unlink();
        }
        match linked {
            Err(why) if arguments.layouts.is_some() || matches!(why, LayoutError::Interrupted) => {
                Err(CommandError::new(format!("--layouts: {why}")))
            }
            Err(why) => {
                tell(&format!("each program has only the layout that it was built with: {why}"));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn link_all(&mut self, count: usize) -> Result<(), LayoutError> {
        // A command is not linked here.
        let is_linked = |target: &usize| self.suite.targets[*target].sides[1].measure != Measure::OwnTime;
        let chosen = self.suite.benchmarks.iter().map(|(target, _)| *target).filter(is_linked);
        let chosen: BTreeSet<usize> = chosen.collect();
        let bar = Bar::of_items(2 * chosen.len());
        if !chosen.is_empty() {
            bar.begin(&format!("linking {} in {count} layouts each", counted(2 * chosen.len(), "program")));
        }
        for target in chosen {
            let target = &mut self.suite.targets[target];
            bar.set_message(format!("linking {} in {count} layouts", on_one_line(&target.name)));
            for side in &mut target.sides {
                let linked = layouts::link(Path::new(&side.command[side.program]), count, interrupt::flag())?;
                side.layouts = linked.iter().map(|path| path.to_string_lossy().into_owned()).collect();
                bar.advance();
            }
        }
        Ok(())
    }

    /// Removes the other layouts, which fill a folder that is kept.
    fn unlink(&mut self) {
        for side in self.suite.targets.iter_mut().flat_map(|target| &mut target.sides) {
            // The next run makes them again.
            std::mem::take(&mut side.layouts).iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
    }

    /// Leaves out a benchmark that can be measured in neither revision.
    fn skip(&mut self, benchmark: &str, target: &str, why: &str) {
        let why = Some((FailureKind::Unsupported, why.to_owned()));
        self.leave_out(benchmark, target, [why.clone(), why]);
    }

    /// Leaves out what only one of the revisions has.
    fn only(&mut self, benchmark: &str, target: &str, at: usize) {
        let missing = Some((FailureKind::Unsupported, String::new()));
        self.leave_out(benchmark, target, if at == 0 { [None, missing] } else { [missing, None] });
    }

    fn leave_out(&mut self, benchmark: &str, target: &str, why: [Option<(FailureKind, String)>; 2]) {
        self.skipped.push(suite::left_out(benchmark, target, &self.suite.revisions, why));
    }

    /// Tells what is not measured.
    pub(super) fn tell_skipped(&self) {
        self.skipped.iter().for_each(|case| tell(&format!("SKIP {}", line(case))));
    }

    /// Measures the benchmarks, and writes their record; it has those that ended before Ctrl-C.
    ///
    /// # Errors
    /// The lab's.
    pub(super) fn measure(&self, arguments: &Arguments, record: PathBuf) -> Result<Record, CommandError> {
        let folder =
            std::env::current_dir().map_err(|e| CommandError::new(format!("the working folder: {e}")))?;
        let mut plan = self.suite.plan(folder)?;
        plan.hide(self.hidden.iter().cloned());
        let each = |(target, _): &(usize, String)| match self.suite.targets[*target].sides[1].measure {
            Measure::OwnTime => SUITE_TIME_OF_PROCESSES,
            _ => SUITE_TIME[0],
        };
        let all: Duration = self.suite.benchmarks.iter().map(each).sum();
        let time = arguments.rounds.is_none().then(|| arguments.r#for.unwrap_or(SUITE_TIME[1].max(all)));
        let how_long = match (time, arguments.rounds) {
            (Some(time), _) => format!("for {}", clock(time)),
            (None, rounds) => format!("in {} each", counted(rounds.unwrap_or(0), "round")),
        };
        let lost = |entry: &str, failure: &Failure| {
            let said = || format!("lost {}: {}", on_one_line(entry), on_one_line(&reason(failure)));
            (failure.kind != FailureKind::Unsupported).then(said)
        };
        let mut live = Progress::new(&lost);
        live.bar
            .begin(&format!("measuring {} {how_long}", counted(self.suite.benchmarks.len(), "benchmark")));
        let choices = Choices {
            rounds: arguments.rounds,
            time,
            suite: Some(arguments.judgement()),
            ..Choices::default()
        };
        let mut matrix = Matrix::new(&plan, &choices, &here(None, &|_| Ok(None)))?;
        // What Cargo sets may be secret, and the text of the plan is part of the record.
        for (case, (target, _)) in matrix.cases.iter_mut().zip(&self.suite.benchmarks) {
            for (entry, side) in case.entries.iter_mut().zip(&self.suite.targets[*target].sides) {
                entry.env.extend(side.env.clone());
            }
        }
        let inputs = Inputs::new()?;
        let setting = Setting {
            record,
            command: command_line(None),
            machine: machine(None),
            build: build(None),
            inputs: &inputs,
            stop: interrupt::flag(),
        };
        let mut record = parcrypt_lab::run(&plan, &matrix, &setting, &[], &mut live)?;
        let entries = record.cases.iter_mut().flat_map(|case| &mut case.entries);
        entries.filter_map(|entry| entry.failure.as_mut()).for_each(|failure| failure.why = reason(failure));
        Ok(record)
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        self.unlink();
    }
}

/// Returns a benchmark that is not measured, with the reason.
fn line(case: &Case) -> String {
    let why = |entry: &Entry| entry.failure.as_ref().map(|failure| failure.why.clone());
    let reasons: Vec<Option<String>> = case.entries.iter().map(why).collect();
    let why = match &reasons[..] {
        [Some(old), Some(new)] if old == new => old.clone(),
        [None, Some(why)] | [Some(why), None] if why.is_empty() => {
            let there = case.entries.iter().find(|entry| entry.failure.is_none());
            format!("only in {}", there.map_or("", |entry| &entry.candidate))
        }
        _ => {
            let named = case.entries.iter().zip(&reasons);
            let named =
                named.filter_map(|(entry, why)| Some(format!("{}: {}", entry.candidate, why.as_ref()?)));
            named.collect::<Vec<_>>().join("; ")
        }
    };
    format!("{}: {why}", case.workload)
}

/// Returns why a benchmark failed: of one that panicked or exited, how it ended, and what it wrote last before a
/// backtrace, without the request that it did not answer.
pub(super) fn reason(failure: &Failure) -> String {
    let how = failure.why.split(" instead of answering ").next().unwrap_or(&failure.why);
    if failure.kind != FailureKind::Crash {
        return how.to_owned();
    }
    let mut written = failure.stderr.trim_end();
    // What runs a command names it and how it ended, after what the command wrote.
    let (before, last) = written.rsplit_once('\n').unwrap_or(("", written));
    let of_command = last.strip_prefix("error: `").and_then(|text| text.split_once('`'));
    let how = match of_command {
        Some((_, how)) => match how.strip_prefix(": ") {
            Some(how) => return how.to_owned(),
            None => how.trim(),
        },
        None => how,
    };
    if of_command.is_some() {
        written = before;
    }
    let lines = written.lines().map(str::trim).take_while(|line| *line != "stack backtrace:");
    let is_of_trace =
        |line: &str| line.is_empty() || line.starts_with("note: run with") || line.starts_with("at ");
    match lines.filter(|line| !is_of_trace(line)).last() {
        Some(last) => format!("{how}: {last}"),
        None => how.to_owned(),
    }
}
