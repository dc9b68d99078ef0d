//! The benchmarks of two revisions: built, linked in other layouts, and measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use parcrypt_lab::method::{SUITE_LAYOUTS, SUITE_TIME, SUITE_TIME_OF_PROCESSES};
use parcrypt_lab::plan::Choices;
use parcrypt_lab::record::{COMMANDS, Case, CountKind, Failure, FailureKind, Measure, Record};
use parcrypt_lab::stats::ROUNDS_OF_BLOCKS;
use parcrypt_lab::suite::{self, Suite, Target};

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{clock, counted, on_one_line, tell};
use regex_lite::Regex;

use super::Arguments;
use super::cargo::{Built, Cargo, State};
use super::listed;
use crate::layouts;
use crate::program::cores;
use crate::revisions::Trees;
use crate::session::{self, Progress, Session, writable};

/// Time limit of a response, if the user gives none.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Parses a choice of benchmarks by their names, which have the text, whatever it means as an expression, or match it.
pub(super) fn filter(text: &str) -> Result<Regex, String> {
    Regex::new(&format!("{}|{text}", regex_lite::escape(text))).map_err(|why| {
        format!(
            "not a regular expression: {why}; characters such as ( and [ need a backslash to stand for themselves"
        )
    })
}

impl Arguments {
    /// Returns whether a benchmark of this name is asked for.
    fn is_chosen(&self, name: &str) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|filter| filter.is_match(name))
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
}

/// The benchmarks of both revisions, with their programs.
pub(super) struct Found {
    pub(super) suite: Suite,
    /// What is not measured, as cases of a record.
    pub(super) skipped: Vec<Case>,
    /// Whether there are benchmarks that the filter matches.
    has_chosen: bool,
    /// The programs that count, of each target.
    counting: Vec<[State; 2]>,
    /// The programs run in them.
    _trees: Option<Trees>,
    /// Folders of this machine with their names in records.
    hidden: Vec<(PathBuf, String)>,
}

impl Found {
    /// Builds the programs of the old revision and of the new one, and lists their benchmarks.
    pub(super) fn build(trees: Trees, temporary: &Path, arguments: &Arguments) -> Result<Self, CommandError> {
        let target = match &arguments.target_dir {
            Some(folder) => {
                writable("--target-dir", folder)?;
                std::path::absolute(folder)?
            }
            None => temporary.join("target"),
        };
        let env = if arguments.number_of_layouts() > 0 { layouts::environment()? } else { BTreeMap::new() };
        let cargo = Cargo { arguments, temporary, target: &target, env: &env };
        let programs = [cargo.build(1, &trees.trees[0])?, cargo.build(2, &trees.trees[1])?];
        let names = [0, 1].map(|side| trees.trees[side].name.clone());
        let mut found = Found::list(names, &programs, Some(trees), temporary, arguments)?;
        found.hidden.push((target, "target".to_owned()));
        found.hidden.extend(std::env::home_dir().map(|home| (home, "~".to_owned())));
        Ok(found)
    }

    /// Lists the benchmarks of the programs of two revisions, or of two commands, with these names.
    pub(super) fn list(
        revisions: [String; 2],
        programs: &[Vec<Built>; 2],
        trees: Option<Trees>,
        temporary: &Path,
        arguments: &Arguments,
    ) -> Result<Self, CommandError> {
        let [old, new] = programs;
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
                processors: arguments.processors.unwrap_or_else(|| cores().get()),
                limit: arguments.timeout.unwrap_or(TIMEOUT),
            },
            skipped: Vec::new(),
            has_chosen: false,
            counting: Vec::new(),
            hidden: trees.iter().flat_map(Trees::hidden).collect(),
            _trees: trees,
        };
        found.hidden.push((temporary.to_owned(), "temporary".to_owned()));
        let bar = Bar::of_items(names.len());
        for name in names {
            let shown = if is_single { &name[package(name).len() + 1..] } else { name };
            bar.set_message(format!("listing {}", on_one_line(shown)));
            let sides = programs.each_ref().map(|side| side.iter().find(|built| built.name == *name));
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
        let [Some(old), Some(new)] = sides else {
            self.only(target, target, usize::from(sides[0].is_none()));
            return Ok(());
        };
        let [Ok(before), Ok(after)] = [&old.state, &new.state] else {
            self.leave_out(target, target, [old, new].map(|built| built.state.as_ref().err().cloned()));
            return Ok(());
        };
        if before.measure != after.measure {
            self.skip(target, target, "only one of the revisions uses Criterion");
            return Ok(());
        }
        let mut lists = [listed::list(before, self.suite.limit)?, listed::list(after, self.suite.limit)?];
        for list in &mut lists {
            list.benchmarks.retain(|(name, _)| arguments.is_chosen(name));
            self.has_chosen |= !list.benchmarks.is_empty();
        }
        let wrong =
            lists.each_ref().map(|list| Some(Failure::new(FailureKind::Crash, list.wrong.as_deref()?)));
        let are_whole = wrong.iter().all(Option::is_none);
        if !are_whole {
            self.leave_out(target, target, wrong);
        }
        let lacks = |at: usize, name: &str| !lists[at].benchmarks.iter().any(|(known, _)| known == name);
        for side in [0, 1] {
            let names = lists[side].benchmarks.iter().map(|(name, _)| name);
            let only: Vec<&String> = names.filter(|name| lacks(1 - side, name)).collect();
            // What failed in the other revision while it was listed, and may have these.
            let failed = &lists[1 - side].failed;
            for name in &only {
                let cause = failed.iter().find(|(part, _)| name.starts_with(part)).or(failed.first());
                match cause {
                    Some((_, why)) => {
                        self.lost_in(name, target, 1 - side, Failure::new(FailureKind::Crash, why));
                    }
                    None if are_whole => self.only(name, target, side),
                    None => {}
                }
            }
            for (name, why) in failed.iter().filter(|(name, _)| only.is_empty() && arguments.is_chosen(name))
            {
                match lists[side].failed.iter().any(|(known, _)| known == name) {
                    true if side == 0 => self.skip(name, target, why),
                    true => {}
                    false => self.lost_in(name, target, 1 - side, Failure::new(FailureKind::Crash, why)),
                }
            }
        }
        let number = self.suite.targets.len();
        self.suite.targets.push(Target { name: target.to_owned(), sides: [before.clone(), after.clone()] });
        self.counting.push([old.counting.clone(), new.counting.clone()]);
        let [old, new] = lists.map(|list| list.benchmarks);
        for (name, skip) in &new {
            match (old.iter().find(|(other, _)| other == name), skip) {
                (None, _) => {}
                (Some((_, Some(why))), _) | (Some(_), Some(why)) => self.skip(name, target, why),
                _ if name == COMMANDS => self.skip(name, target, "this name is reserved"),
                (Some((_, None)), None) => self.suite.benchmarks.push((number, name.clone())),
            }
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
            let entries = self.skipped.iter().flat_map(|case| &case.entries);
            let mut failures = entries.filter_map(|entry| entry.failure.as_ref());
            return Err(CommandError::new(if !arguments.filter.is_empty() && !self.has_chosen {
                "no benchmark matches the filter: --list without a filter prints all names"
            } else if failures.all(|failure| failure.why.is_empty()) {
                "no benchmark is in both revisions"
            } else {
                "no benchmark can be measured in both revisions"
            }));
        }
        let count = arguments.number_of_layouts();
        let linked = if count > 0 { self.link_all(count) } else { Ok(()) };
        let Err(why) = linked else { return Ok(()) };
        self.unlink();
        if arguments.layouts.is_some() || interrupt::requested() {
            return Err(CommandError::new(format!("--layouts: {why}")));
        }
        tell(&format!("each program has only the layout that it was built with: {why}"));
        Ok(())
    }

    fn link_all(&mut self, count: usize) -> Result<(), CommandError> {
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
                let linked = layouts::link(Path::new(&side.command[side.program]), count)?;
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
        let why = Some(Failure::new(FailureKind::Unsupported, why));
        self.leave_out(benchmark, target, [why.clone(), why]);
    }

    /// Leaves out what only one of the revisions has.
    fn only(&mut self, benchmark: &str, target: &str, at: usize) {
        self.lost_in(benchmark, target, 1 - at, Failure::new(FailureKind::Unsupported, ""));
    }

    /// Leaves out what one of the revisions fails to have.
    fn lost_in(&mut self, benchmark: &str, target: &str, at: usize, why: Failure) {
        let mut failures = [None, None];
        failures[at] = Some(why);
        self.leave_out(benchmark, target, failures);
    }

    fn leave_out(&mut self, benchmark: &str, target: &str, why: [Option<Failure>; 2]) {
        self.skipped.push(suite::left_out(benchmark, target, &self.suite.revisions, why));
    }

    /// Tells what is not measured.
    pub(super) fn tell_skipped(&self) {
        self.skipped.iter().for_each(|case| tell(&format!("SKIP {}", line(case))));
    }

    /// Measures the benchmarks, and writes their record; it has those that ended before Ctrl-C.
    pub(super) fn measure(&self, arguments: &Arguments, session: &Session) -> Result<Record, CommandError> {
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
        let how_long = match time {
            Some(time) => format!("for {}", clock(time)),
            None => format!("in {} each", counted(arguments.rounds.unwrap_or(0), "round")),
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
        let mut matrix = session::matrix(&plan, &choices, None)?;
        // What Cargo sets may be secret, and the text of the plan is part of the record.
        for (case, (target, _)) in matrix.cases.iter_mut().zip(&self.suite.benchmarks) {
            for (entry, side) in case.entries.iter_mut().zip(&self.suite.targets[*target].sides) {
                entry.env.extend(side.env.clone());
            }
        }
        let mut record = session.run(&plan, &matrix, None, &[], &mut live)?;
        let entries = record.cases.iter_mut().flat_map(|case| &mut case.entries);
        entries.filter_map(|entry| entry.failure.as_mut()).for_each(|failure| failure.why = reason(failure));
        Ok(record)
    }

    /// Counts what an iteration of each benchmark of a record allocates or executes, until Ctrl-C. It takes no time of
    /// the samples.
    pub(super) fn count(&self, kind: CountKind, record: &mut Record) {
        let all = self.suite.benchmarks.len();
        let bar = Bar::of_items(all);
        bar.begin(&format!("counting {} of {}", kind.name(), counted(all, "benchmark")));
        for (case, (target, name)) in record.cases.iter_mut().zip(&self.suite.benchmarks) {
            debug_assert_eq!(case.workload, *name, "cases are in the order of the plan");
            bar.set_message(format!("counting {} of {}", kind.name(), on_one_line(name)));
            let sides = &self.counting[*target];
            if let [Ok(old), Ok(new)] = sides
                && suite::count(case, kind, [old, new], self.suite.limit, interrupt::flag()).is_err()
            {
                return;
            }
            for (entry, side) in case.entries.iter_mut().zip(sides) {
                entry.not_counted = side.as_ref().err().cloned().or(entry.not_counted.take());
                entry.not_counted.iter_mut().for_each(|failure| failure.why = reason(failure));
            }
            bar.advance();
        }
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        self.unlink();
    }
}

/// Returns a benchmark that is not measured, with the reason.
fn line(case: &Case) -> String {
    let failed =
        case.entries.iter().filter_map(|entry| Some((&entry.candidate, &entry.failure.as_ref()?.why)));
    let why = match &failed.collect::<Vec<_>>()[..] {
        [(_, why)] if why.is_empty() => {
            let there = case.entries.iter().find(|entry| entry.failure.is_none());
            format!("only in {}", there.map_or("", |entry| &entry.candidate))
        }
        [(_, old), (_, new)] if old == new => (*old).clone(),
        all => all.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>().join("; "),
    };
    format!("{}: {why}", case.workload)
}

/// Returns why a benchmark failed: of one that panicked or exited, how it ended, and what it wrote last before a
/// backtrace, without the request that it did not answer.
fn reason(failure: &Failure) -> String {
    let mut how = failure.why.split(" instead of answering ").next().unwrap_or(&failure.why);
    if how.starts_with("gave no response in") {
        return format!("{}; --timeout sets the limit", how.split(" to {").next().unwrap_or(how));
    }
    if failure.kind != FailureKind::Crash {
        return how.to_owned();
    }
    let mut lines: Vec<&str> = failure.stderr.trim_end().lines().map(str::trim).collect();
    // What runs a command names it and how it ended, after what the command wrote.
    let of_command = lines.last().and_then(|last| last.strip_prefix("error: `")?.split_once('`'));
    if let Some((_, said)) = of_command {
        if let Some(why) = said.strip_prefix(": ") {
            return why.to_owned();
        }
        how = said.trim();
        lines.pop();
    }
    let is_of_trace =
        |line: &str| line.is_empty() || line.starts_with("note: run with") || line.starts_with("at ");
    let before = lines.into_iter().take_while(|line| *line != "stack backtrace:");
    match before.filter(|line| !is_of_trace(line)).last() {
        Some(last) => format!("{how}: {last}"),
        None => how.to_owned(),
    }
}
