//! `suite`: all benchmarks of a project, of two revisions, in turns.
//!
//! [`cargo`] builds the programs of each revision with our Criterion; [`listed`] asks them for their benchmarks. Each
//! benchmark that both have is a case of a plan, which the lab runs.

mod cargo;
mod listed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::Args;
use parcrypt_lab::plan::{Choices, Matrix};
use parcrypt_lab::record::{self, COMMANDS, Case, Entry, Failure, FailureKind, Measure, Record};
use parcrypt_lab::stats::many::Correction;
use parcrypt_lab::stats::{LEAST_LAYOUTS, ROUNDS_OF_BLOCKS};
use parcrypt_lab::suite::{self, Program, Suite, Target};
use parcrypt_lab::{Inputs, Setting, TempFolder, Watch, remove_stale};
use parcrypt_report::verdict::Gate;
use parcrypt_report::{Form, Format};

use parcrypt_terminal::error::{CommandError, ERROR, INTERRUPTED, NEGATIVE, fail};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{Printed, counted, on_one_line, shown, tell};

use crate::commands::bench::names::Names;
use crate::commands::bench::{percent, run_time, writable};
use crate::commands::compare::exit_code;
use crate::commands::report;
use crate::layouts::{self, LayoutError};
use crate::program::{build, command_line, cores, here, machine};
use crate::revisions::{Trees, uncommitted};
use cargo::{Built, Cargo, State};

/// Time for each benchmark, if the user gives none, and for all of them at least.
const EACH: Duration = Duration::from_secs(3);
const LEAST: Duration = Duration::from_secs(15);

/// Difference up to which a benchmark is called unchanged, if the user gives none.
const THRESHOLD: f64 = 0.01;

/// Memory layouts of each program, if the user gives no number: k of them can show a change with a p value of 2^(1−k),
/// and to be one of a hundred benchmarks it needs less than a ten-thousandth of the share of a look, such as 1/42.
const LAYOUTS: usize = 24;

/// End of the help.
const HELP: &str = "\
Examples:
  parlab suite                             HEAD and what is not committed, all benchmarks
  parlab suite --rev main --rev HEAD       two revisions
  parlab suite --rev v1.0 --rev HEAD parse
                                           only benchmarks with `parse` in their names
  parlab suite --rev main --rev HEAD --for 5m --fail-if 'slower than 2%'
  parlab suite --list                      the benchmarks, without measuring
  parlab suite --rev main --rev HEAD -- --features simd --bench decode
                                           with arguments of `cargo bench`

Nothing in the project changes: each revision is built in a work tree of its own, as `cargo bench --no-run` does, \
with a library instead of Criterion that has Criterion's programming interface (0.3 to 0.8) and takes its samples when the lab \
asks for them. The two revisions of a benchmark take turns, sample by sample, in fresh processes, so that a slow spell of \
the machine affects both alike.

Exit codes: 0 measured, and with --fail-if its answer is no; 1 the answer is yes; 2 a build or a benchmark failed, or an \
argument cannot be used; 3 the answer to --fail-if is not known; 130 stopped by Ctrl-C, with the results up to then.";

/// Compare two revisions of a Cargo project by all of its Criterion benchmarks
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Only benchmarks whose names have one of these texts
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    /// Revision of the git repository of the working folder: the old one, then the new one [default: HEAD, and the
    /// working folder with what is not committed]
    #[arg(long = "rev", value_name = "REVISION")]
    revisions: Vec<String>,
    /// Time of the measurement, such as 30s or 5m [default: 3 s for each benchmark]
    #[arg(long, value_name = "TIME", value_parser = run_time)]
    r#for: Option<Duration>,
    /// Rounds instead of a time; an interval needs at least 8
    #[arg(long, value_name = "N", conflicts_with = "for")]
    rounds: Option<usize>,
    /// Time limit of a benchmark for its preparation, and for a sample, in whole seconds
    #[arg(long, value_name = "TIME", value_parser = run_time, default_value = "60s")]
    timeout: Duration,
    /// Number of processors for a benchmark, which change from round to round [default: all]
    #[arg(long, value_name = "N")]
    processors: Option<usize>,
    /// Exit with code 1 if a benchmark of the new revision is 'slower than 2%' or 'faster than 2%'
    #[arg(long, value_name = "CONDITION")]
    fail_if: Option<Gate>,
    /// Difference up to which a benchmark is called unchanged, such as 0.5% [default: the limit of --fail-if, else 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// Memory layouts of each program, at least 9, which rounds take in turn, so that the intervals contain what the
    /// order of its functions does; 0 for the program as it was built [default: 24, if the linker makes them, as lld
    /// does, and --rounds is not below 16]
    #[arg(long, value_name = "N", value_parser = number_of_layouts)]
    layouts: Option<usize>,
    /// Let at most 1 of 100 suites without a change have a benchmark that is called changed (Holm) [default: of the
    /// benchmarks that are called changed, 1 of 100 is not (Benjamini and Hochberg)]
    #[arg(long)]
    family_wise: bool,
    /// List the benchmarks without measuring them
    #[arg(long)]
    list: bool,
    /// Print the results as JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the results as Markdown, as for a comment on a pull request
    #[arg(long)]
    markdown: bool,
    /// Folder for the record and its page, created if it does not exist [default: none, and neither is kept]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder for what is built, kept for the next run [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    target_dir: Option<PathBuf>,
    /// Arguments for `cargo bench`, such as --features
    #[arg(last = true, value_name = "ARGUMENT")]
    cargo: Vec<String>,
}

/// Compares the suites; returns the exit code.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    interrupt::listen("without keeping what was measured");
    match compare(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(_) if interrupt::requested() => ExitCode::from(INTERRUPTED),
        Err(error) => fail(error),
    }
}

fn compare(arguments: &Arguments) -> Result<u8, CommandError> {
    if let Some(condition) = arguments.fail_if
        && let Some(other) = condition.in_words_of(&Measure::Time)
    {
        let why = format!("--fail-if '{condition}': time is measured: write '{other}'");
        return Err(CommandError::new(why));
    }
    // Before minutes of building are lost.
    let processors = processors(arguments)?;
    let trees = trees(&arguments.revisions)?;
    let temporary = TempFolder::new().map_err(|e| CommandError::new(format!("a temporary folder: {e}")))?;
    let names = match &arguments.out {
        Some(folder) => {
            writable("--out", folder)?;
            remove_stale(folder);
            Names::take(folder, suite::PLAN, SystemTime::now())?
        }
        None => Names::take(temporary.path(), suite::PLAN, SystemTime::now())?,
    };
    let target = match &arguments.target_dir {
        Some(folder) => {
            writable("--target-dir", folder)?;
            std::path::absolute(folder)?
        }
        None => temporary.path().join("target"),
    };
    let layouts = match (arguments.layouts, arguments.rounds) {
        (Some(layouts), _) => layouts,
        // A block of two rounds with the same layout is a replicate, and an interval needs eight.
        (None, Some(..ROUNDS_OF_BLOCKS)) => 0,
        (None, _) => LAYOUTS,
    };
    let variables = if layouts > 0 { layouts::environment()? } else { BTreeMap::new() };
    let cargo =
        Cargo { arguments: &arguments.cargo, temporary: temporary.path(), target: &target, env: &variables };
    let mut sides = Vec::new();
    for (number, tree) in (1..).zip(&trees.trees) {
        sides.push(cargo.build(number, tree)?);
    }
    let [old, new] = &sides[..] else { return Err(CommandError::new("--rev: give two revisions")) };
    let revisions = [&trees.trees[0], &trees.trees[1]].map(|tree| tree.name.clone());
    let mut found = Found::new(revisions, [old, new], processors, arguments)?;
    if arguments.list {
        return found.tell();
    }
    if found.suite.benchmarks.is_empty() {
        found.skipped.iter().for_each(|case| tell(&format!("SKIP {}", line(case))));
        return Err(CommandError::new(
            "no benchmark is in both revisions, can be measured, and has the filter's text",
        ));
    }
    match found.link(layouts) {
        Err(why) if arguments.layouts.is_some() || matches!(why, LayoutError::Interrupted) => {
            return Err(CommandError::new(format!("--layouts: {why}")));
        }
        Err(why) => tell(&format!("each program has only the layout that it was built with: {why}")),
        Ok(()) => {}
    }
    let record = measure(&found.suite, &names, arguments);
    found.unlink();
    let mut record = record?;
    record.cases.append(&mut found.skipped);
    let written = record.write(&names.path("json"));
    // What was measured is shown, also if it could not be written.
    let code = show(&record, &names, arguments)?;
    match written {
        Err(error) if arguments.out.is_some() => {
            Err(CommandError::new(format!("the record was not written: {error}")))
        }
        _ => Ok(code),
    }
}

/// Returns the work trees of the two revisions.
fn trees(revisions: &[String]) -> Result<Trees, CommandError> {
    let working = || Ok::<_, CommandError>(uncommitted()?.map(|commit| (commit, "not committed")));
    let (old, new) = match revisions {
        [old, new] => (old.clone(), (new.clone(), "")),
        [old] => (old.clone(), working()?.unwrap_or_else(|| ("HEAD".to_owned(), ""))),
        [] => {
            let nothing = "everything is committed: name two revisions, as --rev HEAD~1 --rev HEAD";
            ("HEAD".to_owned(), working()?.ok_or_else(|| CommandError::new(nothing))?)
        }
        _ => return Err(CommandError::new("--rev: give it twice, for the old revision and the new one")),
    };
    let mut trees = Trees::new(&[old, new.0])?;
    if !new.1.is_empty() {
        trees.trees[1].name = new.1.to_owned();
    } else if trees.trees[0].name == trees.trees[1].name {
        trees.trees[1].name += " again";
    }
    Ok(trees)
}

/// The benchmarks of both revisions.
struct Found {
    suite: Suite,
    /// What is not measured, as cases of a record.
    skipped: Vec<Case>,
}

impl Found {
    /// Lists the benchmarks of the programs of the old revision and of the new one.
    fn new(
        revisions: [String; 2],
        sides: [&Vec<Built>; 2],
        processors: usize,
        arguments: &Arguments,
    ) -> Result<Self, CommandError> {
        let [old, new] = sides;
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
                limit: arguments.timeout,
            },
            skipped: Vec::new(),
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
        let states = match sides {
            [Some(old), Some(new)] => [&old.state, &new.state],
            [old, _] => {
                self.only(target, target, if old.is_some() { 0 } else { 1 });
                return Ok(());
            }
        };
        let why = states.map(|state| match state {
            State::Ready { .. } => None,
            State::Not(why) => Some((FailureKind::Unsupported, why.clone())),
            State::Broken(why) => Some((FailureKind::Crash, why.clone())),
        });
        if why.iter().any(Option::is_some) {
            self.leave_out(target, target, why);
            return Ok(());
        }
        let [old, new] =
            [listed::list(states[0], arguments.timeout)?, listed::list(states[1], arguments.timeout)?];
        let wrong = [&old, &new].map(|list| Some((FailureKind::Crash, list.wrong.clone()?)));
        // What a list that is not whole lacks may be there.
        let are_whole = wrong.iter().all(Option::is_none);
        if !are_whole {
            self.leave_out(target, target, wrong);
        }
        let programs = states.map(program);
        let [Some(before), Some(after)] = programs else {
            self.skip(target, target, "the path of its program is not UTF-8");
            return Ok(());
        };
        let number = self.suite.targets.len();
        self.suite.targets.push(Target { name: target.to_owned(), sides: [before, after] });
        let is_chosen = |name: &str| {
            arguments.filter.is_empty() || arguments.filter.iter().any(|text| name.contains(text.as_str()))
        };
        for (name, skip) in new.benchmarks.iter().filter(|(name, _)| is_chosen(name)) {
            let other = old.benchmarks.iter().find(|(other, _)| other == name);
            match (other, skip) {
                (None, _) if are_whole => self.only(name, target, 1),
                (None, _) => {}
                (Some((_, Some(why))), _) | (Some(_), Some(why)) => self.skip(name, target, why),
                _ if name == COMMANDS => self.skip(name, target, "the lab has another meaning for this name"),
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

    /// Links the programs of the benchmarks in other layouts.
    ///
    /// # Errors
    /// Errors of [`layouts::link`]; then no program has other layouts.
    fn link(&mut self, count: usize) -> Result<(), LayoutError> {
        if count == 0 {
            return Ok(());
        }
        let linked = self.link_all(count);
        if linked.is_err() {
            self.unlink();
        }
        linked
    }

    fn link_all(&mut self, count: usize) -> Result<(), LayoutError> {
        let chosen: BTreeSet<usize> = self.suite.benchmarks.iter().map(|(target, _)| *target).collect();
        let bar = Bar::of_items(2 * chosen.len());
        for target in chosen {
            let target = &mut self.suite.targets[target];
            bar.set_message(format!("linking {} in {count} layouts", on_one_line(&target.name)));
            for side in &mut target.sides {
                let linked = layouts::link(Path::new(&side.path), count, interrupt::flag())?;
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

    /// Prints the names of the benchmarks, and tells what is not measured.
    fn tell(&self) -> Result<u8, CommandError> {
        let names: String = self.suite.benchmarks.iter().map(|(_, name)| on_one_line(name) + "\n").collect();
        Printed::Plain(&names).write()?;
        self.skipped.iter().for_each(|case| tell(&format!("SKIP {}", line(case))));
        tell(&format!(
            "{}, {} skipped",
            counted(self.suite.benchmarks.len(), "benchmark"),
            self.skipped.len()
        ));
        Ok(0)
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

/// Returns the program of a revision, if its paths are texts, as in a plan.
fn program(state: &State) -> Option<Program> {
    let State::Ready { path, folder, env } = state else { return None };
    let (path, folder) = (path.to_str()?.to_owned(), folder.to_str()?.to_owned());
    Some(Program { path, folder, env: env.clone(), layouts: Vec::new() })
}

/// Parses a number of layouts.
fn number_of_layouts(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ (0 | LEAST_LAYOUTS..=100)) => Ok(number),
        _ => Err(format!("a number from {LEAST_LAYOUTS} to 100, or 0")),
    }
}

fn processors(arguments: &Arguments) -> Result<usize, CommandError> {
    let cores = cores().get();
    match arguments.processors.unwrap_or(cores) {
        number if (1..=cores).contains(&number) => Ok(number),
        number => Err(CommandError::new(format!("--processors {number}: it must be from 1 to {cores}"))),
    }
}

/// Returns how the benchmarks are judged.
fn judgement(arguments: &Arguments) -> record::Suite {
    let of_gate = || arguments.fail_if.map(|condition| condition.part()).filter(|part| *part > 0.0);
    record::Suite {
        threshold: arguments.threshold.or_else(of_gate).unwrap_or(THRESHOLD),
        correction: if arguments.family_wise { Correction::FamilyWise } else { Correction::FalseDiscovery },
    }
}

/// Measures the benchmarks; the record has those that ended before Ctrl-C.
fn measure(suite: &Suite, names: &Names, arguments: &Arguments) -> Result<Record, CommandError> {
    let folder =
        std::env::current_dir().map_err(|e| CommandError::new(format!("the working folder: {e}")))?;
    let plan = suite.plan(folder)?;
    let count = u32::try_from(suite.benchmarks.len()).unwrap_or(u32::MAX);
    let choices = Choices {
        rounds: arguments.rounds,
        most: arguments.rounds.is_none().then(|| arguments.r#for.unwrap_or(LEAST.max(EACH * count))),
        suite: Some(judgement(arguments)),
        ..Choices::default()
    };
    let matrix = Matrix::new(&plan, &choices, &here(None, &|_| Ok(None)))?;
    let inputs = Inputs::new()?;
    let setting = Setting {
        record: names.path("json"),
        command: command_line(None),
        machine: machine(None),
        build: build(None),
        inputs: &inputs,
        stop: interrupt::flag(),
    };
    let mut live = Live(Bar::percent());
    let mut outcome = parcrypt_lab::run(&plan, &matrix, &setting, &[], &mut live)?;
    let entries = outcome.record.cases.iter_mut().flat_map(|case| &mut case.entries);
    entries.filter_map(|entry| entry.failure.as_mut()).for_each(|failure| failure.why = reason(failure));
    Ok(outcome.record)
}

/// Returns why a benchmark failed: of one that panicked or exited, how it ended, and what it wrote last before a
/// backtrace, without the request that it did not answer.
fn reason(failure: &Failure) -> String {
    let how = failure.why.split(" instead of answering ").next().unwrap_or(&failure.why);
    let lines = failure.stderr.lines().map(str::trim).take_while(|line| *line != "stack backtrace:");
    match lines.filter(|line| !line.is_empty() && !line.starts_with("note: run with")).last() {
        Some(last) if failure.kind == FailureKind::Crash => format!("{how}: {last}"),
        _ => how.to_owned(),
    }
}

/// Shows the progress. What is lost is in the results.
struct Live(Bar);

impl Watch for Live {
    fn progress(&mut self, done: f64, left: Duration, what: &str) {
        self.0.of_lab(done, left, what);
    }

    fn note(&mut self, text: &str) {
        self.0.suspend(|| tell(text));
    }

    fn lost(&mut self, entry: &str, failure: &Failure) {
        if failure.kind != FailureKind::Unsupported {
            self.note(&format!("lost {}: {}", on_one_line(entry), on_one_line(&reason(failure))));
        }
    }
}

/// Prints the results, and returns the exit code.
fn show(record: &Record, names: &Names, arguments: &Arguments) -> Result<u8, CommandError> {
    let answer =
        arguments.fail_if.map(|condition| (condition, parcrypt_report::suite::gate(record, condition)));
    let form = match arguments {
        Arguments { json: true, .. } => Form::Json(answer),
        Arguments { markdown: true, .. } => Form::Markdown,
        _ => Form::Terminal(report::screen()),
    };
    let path = names.path("json");
    report::print(&[(record, &*path)], Format::Verdicts(form), |text| text)?;
    if arguments.out.is_some() {
        report::pages(record, names).into_iter().collect::<Result<(), _>>()?;
        let [record, page] = ["json", "html"].map(|ending| shown(&names.path(ending)));
        tell(&format!("record: {record}\npage:   {page}"));
    }
    if interrupt::requested() {
        return Ok(INTERRUPTED);
    }
    let code = exit_code(answer);
    Ok(if code != NEGATIVE && has_broken(record) { ERROR } else { code })
}

/// Returns whether something failed in the new revision that did not in the old one.
fn has_broken(record: &Record) -> bool {
    let has_failed = |entry: &Entry| {
        entry.failure.as_ref().is_some_and(|failure| failure.kind != FailureKind::Unsupported)
    };
    let mut revisions = record.cases.iter().filter_map(Case::revisions);
    revisions.any(|(old, new)| has_failed(new) && old.failure.is_none())
}
