//! `suite`: all benchmarks of a project, of two revisions, in turns.
//!
//! [`cargo`] builds the programs of each revision with our Criterion, or [`commands`] makes them of commands;
//! [`listed`] asks them for their benchmarks. Each benchmark that both have is a case of a plan, which the lab runs
//! ([`found`]). Then allocations or instructions are counted, if the user asks for that.

mod cargo;
mod commands;
mod found;
mod listed;
mod runner;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use parcrypt_lab::command;
use parcrypt_lab::method::SUITE_THRESHOLD;
use parcrypt_lab::record::{self, CountKind, Measure, PEAK_MEMORY};
use parcrypt_lab::suite;
use parcrypt_report::Gate;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::print::Printed;
use parcrypt_terminal::text::{counted, on_one_line, tell};

use crate::layouts;
use crate::revisions::{Trees, uncommitted};
use crate::session::{Form, Session, percent, processors, run_time};
use found::{Found, filter};
use regex_lite::Regex;
pub(crate) use runner::instead;

/// End of the help.
const HELP: &str = "\
Examples:
  parlab suite                             HEAD and what is not committed, all benchmarks
  parlab suite --rev main --rev HEAD       two revisions
  parlab suite --rev v1.0 --rev HEAD parse
                                           only benchmarks with `parse` in their names, or
                                           that match it as a regular expression
  parlab suite --rev main --rev HEAD --for 5m --fail-if 'slower than 2%'
  parlab suite --rev main --rev HEAD --list
                                           the benchmarks, without measuring
  parlab suite --rev main --rev HEAD -- --features simd --bench decode
                                           with arguments of `cargo bench`
  parlab suite --cmd ./bench-old --cmd ./bench-new --reads google-benchmark
                                           two programs with a suite
  parlab suite --rev main --rev HEAD --build make --cmd ./bench --reads google-benchmark
                                           a program that each revision builds

Nothing in the project changes: each revision is built in its own work tree, as `cargo bench --no-run` does, with a library \
that replaces Criterion: it has Criterion's interface (0.3 to 0.8) and dependencies, and takes a sample when parlab \
asks for one. The two revisions of a benchmark take turns, sample by sample, in fresh processes, so that a slow spell of \
the machine affects both alike. With --reads, each value is a process of the command that runs one benchmark.

Exit codes: 0 measured, and the answer to each condition of --fail-if is no; 1 one answer is yes; 2 a build or a benchmark failed, or an \
argument cannot be used; 3 one answer is not known, and none is yes; 130 stopped by Ctrl-C, with the results up to then.";

/// Compare two revisions of a project by all of its benchmarks: a Cargo project with Criterion, or programs that print
/// their times
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Revision of the git repository of the working folder: the old one, then the new one [default: HEAD, and the
    /// working folder with what is not committed]
    #[arg(long = "rev", value_name = "REVISION")]
    revisions: Vec<String>,
    /// Program or script with a suite, and its arguments: an old and a new one, or one that runs in each revision
    #[arg(long = "cmd", value_name = "COMMAND", requires = "reads")]
    commands: Vec<String>,
    /// Suite of the command: google-benchmark, pytest-benchmark, divan or go
    #[arg(long, value_name = "FORMAT", value_parser = format, requires = "commands", conflicts_with_all = ["layouts", "target_dir", "cargo"])]
    reads: Option<command::Format>,
    /// Shell command that builds a revision in its work tree before its command runs, such as 'make bench'
    #[arg(long, value_name = "COMMAND", requires = "commands")]
    build: Option<String>,
    /// Time of the measurement, such as 30s or 5m [default: 3 s for each benchmark, at least 15 s; 20 s for
    /// each with --reads]
    #[arg(long, value_name = "TIME", value_parser = run_time)]
    r#for: Option<Duration>,
    /// Rounds instead of a time; an interval needs at least 8
    #[arg(long, value_name = "N", conflicts_with = "for")]
    rounds: Option<usize>,
    /// Exit with code 1 if a benchmark of the new revision is 'slower than 2%' or 'faster than 2%', or has 'more than
    /// 0%' or 'fewer than 0%' of what --measure counts. Give one condition of each kind, also as 'slower than 2%, more
    /// than 0%'
    #[arg(long, value_name = "CONDITION", value_delimiter = ',')]
    fail_if: Vec<Gate>,
    /// Difference up to which a benchmark is called unchanged, such as 0.5% [default: the limit of --fail-if, else 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// What to measure, separated by commas: time, and one of allocations (of an iteration, in programs that are built
    /// again with a counting allocator; with --reads, as go prints them), instructions (with Valgrind's Callgrind,
    /// about fifty times slower) and memory (with --reads, the peak of the process)
    #[arg(long, value_name = "QUANTITIES", value_delimiter = ',', value_parser = quantity, default_value = "time")]
    measure: Vec<Option<CountKind>>,
    /// List the benchmarks without measuring them
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    form: Form,
    /// Folder for the record and its page, created if it does not exist [default: neither is kept]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only benchmarks whose names contain one of these texts, or match it as a regular expression, as in `cargo bench`
    #[arg(value_name = "FILTER", value_parser = filter)]
    filter: Vec<Regex>,
    /// Time limit of a benchmark for its preparation, and for a sample, in whole seconds [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = run_time)]
    timeout: Option<Duration>,
    /// Number of processors for each benchmark; which ones changes from round to round [default: all]
    #[arg(long, value_name = "N", value_parser = processors)]
    processors: Option<usize>,
    /// Link each program in N memory layouts, so that luck of code placement does not look like a change: at least 9,
    /// or 0 for the program as it was built [default: 24, if the linker can make them, as lld can, and --rounds is not
    /// below 16]
    #[arg(long, value_name = "N", value_parser = layouts::number)]
    layouts: Option<usize>,
    /// Folder for build output, kept for the next run [default: a temporary folder]
    #[arg(long, value_name = "DIR")]
    target_dir: Option<PathBuf>,
    /// Arguments for `cargo bench`, such as --features; after another `--`, for the programs
    #[arg(last = true, value_name = "ARGUMENT")]
    cargo: Vec<String>,
}

impl Arguments {
    /// Returns what is counted besides the times.
    fn counts(&self) -> Option<CountKind> {
        self.measure.iter().flatten().next().copied()
    }

    /// Returns the conditions of --fail-if on times and on counts.
    fn conditions(&self) -> [Option<Gate>; 2] {
        [false, true].map(|counts| self.fail_if.iter().copied().find(|one| one.is_on_counts() == counts))
    }

    /// Returns how the benchmarks are judged.
    fn judgement(&self) -> record::Suite {
        let conditions = self.conditions();
        let of_gate = || conditions[0].map(|condition| condition.part()).filter(|part| *part > 0.0);
        let [gate, counts_gate] = conditions.map(|condition| condition.map(|condition| condition.border()));
        let threshold = self.threshold.or_else(of_gate).unwrap_or(SUITE_THRESHOLD);
        record::Suite { threshold, gate, counts_gate, counts: self.counts() }
    }

    /// Returns an error if an argument cannot be used, before minutes of building are lost.
    fn check(&self) -> Result<(), CommandError> {
        if self.fail_if.len() > self.conditions().iter().flatten().count() {
            let all: Vec<String> = self.fail_if.iter().map(|one| format!("'{one}'")).collect();
            return Err(CommandError::new(format!(
                "--fail-if {}: give at most one condition on times (slower, faster), and one on counts (more, fewer)",
                all.join(", ")
            )));
        }
        let of = |kind: CountKind| match kind {
            CountKind::Memory => Measure::Count(PEAK_MEMORY.to_owned()),
            kind => Measure::Count(kind.name().to_owned()),
        };
        let is_counted = |condition: &Gate| self.counts().is_some_and(|kind| condition.is_on(&of(kind)));
        if let Some(condition) = self.conditions()[1].filter(|condition| !is_counted(condition)) {
            let times = condition.in_words_of(&Measure::Time).unwrap_or(condition);
            return Err(CommandError::new(format!(
                "--fail-if '{condition}': that is not counted: give --measure too, or write '{times}' for times"
            )));
        }
        let known = match self.reads {
            None => [CountKind::Allocations, CountKind::Instructions],
            Some(_) => [CountKind::Allocations, CountKind::Memory],
        };
        match self.measure.iter().flatten().collect::<Vec<_>>()[..] {
            [] => Ok(()),
            [kind] if known.contains(kind) => suite::can_count(*kind)
                .map_err(|why| CommandError::new(format!("--measure {}: {why}", kind.name()))),
            _ => Err(CommandError::new(format!(
                "--measure: besides time it can be either {} or {} here",
                known[0].name(),
                known[1].name()
            ))),
        }
    }
}

/// Compares the suites; returns the exit code.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    interrupt::run("without keeping what was measured", || compare(arguments))
}

fn compare(arguments: &Arguments) -> Result<u8, CommandError> {
    arguments.check()?;
    let session = Session::new(arguments.out.as_deref(), suite::PLAN)?;
    let mut found = match arguments.reads {
        Some(format) => commands::found(format, arguments, session.temporary.path())?,
        None => Found::build(trees(&arguments.revisions)?, session.temporary.path(), arguments)?,
    };
    if arguments.list {
        return list(&found);
    }
    found.link(arguments)?;
    let mut record = found.measure(arguments, &session)?;
    match arguments.counts().filter(|_| !interrupt::requested()) {
        Some(kind) if arguments.reads.is_some() => {
            record.cases.iter_mut().for_each(|case| suite::take_from_samples(case, kind));
        }
        Some(kind) => found.count(kind, &mut record),
        None => {}
    }
    record.cases.append(&mut found.skipped);
    session.finish(&record, &[], arguments.form, "")
}

/// Prints the names of the benchmarks, and tells what is not measured.
fn list(found: &Found) -> Result<u8, CommandError> {
    let all = &found.suite.benchmarks;
    let names: String = all.iter().map(|(_, name)| on_one_line(name) + "\n").collect();
    Printed::Plain(&names).write()?;
    found.tell_skipped();
    tell(&format!("{}, {} skipped", counted(all.len(), "benchmark"), found.skipped.len()));
    Ok(0)
}

/// Returns the work trees of the two revisions.
fn trees(revisions: &[String]) -> Result<Trees, CommandError> {
    let (old, (new, name)) = match revisions {
        [old, new] => (old.clone(), (new.clone(), String::new())),
        [old] => (old.clone(), uncommitted()?.unwrap_or_else(|| ("HEAD".to_owned(), String::new()))),
        [] => {
            let nothing = "everything is committed: name two revisions, such as --rev HEAD~1 --rev HEAD";
            ("HEAD".to_owned(), uncommitted()?.ok_or_else(|| CommandError::new(nothing))?)
        }
        _ => return Err(CommandError::new("--rev: give it twice, for the old revision and the new one")),
    };
    let mut trees = Trees::new(&[old, new])?;
    if !name.is_empty() {
        trees.trees[1].name = name;
    } else if trees.trees[0].name == trees.trees[1].name {
        trees.trees[1].name += " again";
    }
    Ok(trees)
}

/// Parses a quantity of --measure: what is counted, and `None` for time.
fn quantity(name: &str) -> Result<Option<CountKind>, String> {
    let kinds = [CountKind::Allocations, CountKind::Instructions, CountKind::Memory];
    match kinds.into_iter().find(|kind| kind.name() == name) {
        None if name != "time" => Err("it must be time, allocations, instructions or memory".to_owned()),
        found => Ok(found),
    }
}

/// Parses the format of a suite. Programs with Criterion are built, and not read.
fn format(name: &str) -> Result<command::Format, String> {
    match name.parse::<command::Format>().map_err(|why| why.to_string())? {
        command::Format::Criterion => {
            Err("in a Cargo project its programs are built without --cmd and --reads".to_owned())
        }
        format => Ok(format),
    }
}
