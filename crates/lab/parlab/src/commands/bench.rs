//! `bench`: measures the candidates of a plan and compares them.

mod list;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use parcrypt_lab::Inputs;
use parcrypt_lab::condition::Condition;
use parcrypt_lab::plan::{Choices, Matrix, Plan, resolve};
use parcrypt_lab::record::{Failure, FailureKind, Record, Role};
use parcrypt_report::head_and_tail;

use crate::program::{Program, called};
use crate::session::{self, Form, Progress, Session, run_time};
use parcrypt_terminal::error::{CommandError, INTERRUPTED, NEGATIVE};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::print::Printed;
use parcrypt_terminal::text::{clock, counted, on_one_line, quoted, seconds, tell};

/// End of the help.
const HELP: &str = "\
Examples:
  parlab bench plan.toml --list               its cases with their candidates
  parlab bench plan.toml --dry-run            run each entry once: what it takes, and how long the plan would
  parlab bench plan.toml                      a table; the record and a page are files in bench-results
  parlab bench plan.toml --for 10s            in ten seconds
  parlab bench plan.toml --filter threads=1   only some entries
  parlab bench plan.toml --markdown --strict  for a CI job

A program may have plans of its own: `parlab bench --program parcrypt quick`, or `parcrypt bench quick` for short.

The files of a run are named after the plan and the time. The record replaces no file, and is kept even if the results \
cannot be printed.

Exit codes: 0 measured, and the outputs agree; 1 an entry failed or its output differs, a claim of the plan is broken \
(`at-most`), all candidates were skipped, or with --strict any entry; 2 the plan, a flag or the output folder cannot be \
used, or results cannot be written; 130 stopped by Ctrl-C (what was measured is kept).";

/// Measure the candidates of a plan and show which is fastest
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Plans: paths of files or, with --program, names [default with --program: its first plan]
    #[arg(value_name = "PLAN", required_unless_present = "program")]
    plans: Vec<String>,
    /// Program with runtimes and plans of its own, by name or path, such as parcrypt [default: what the plan names]
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    #[command(flatten)]
    form: Form,
    /// Folder for the record and the page, created if it does not exist
    #[arg(long, value_name = "DIR", default_value = "bench-results")]
    out: PathBuf,
    /// Count a skipped entry as a failure
    #[arg(long)]
    strict: bool,
    /// Numbers of threads instead of the plan's, such as 1,2
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    threads: Option<Vec<usize>>,
    /// Rounds of fresh processes instead of the plan's time or rounds; an interval needs at least 8
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Time of the whole run, shared by its cases, such as 30s or 5m, instead of the plan's
    #[arg(long, value_name = "TIME", value_parser = run_time)]
    r#for: Option<Duration>,
    /// Only entries that meet all of these conditions, such as scale=7, runtime=rayon|openmp or threads>=2
    #[arg(long, value_name = "CONDITION", value_delimiter = ',')]
    filter: Vec<Condition>,
    /// List the cases of the plans with their candidates and numbers of threads, or, without a plan, the plans of the
    /// program
    #[arg(long, conflicts_with_all = ["dry_run", "json", "csv", "markdown"])]
    list: bool,
    /// Run each entry once, and show the matrix with these times and the expected time of the run; write no record
    #[arg(long)]
    dry_run: bool,
}

/// A plan with its cases on this machine, and the program that it names.
struct Loaded {
    plan: Plan,
    matrix: Matrix,
    program: Option<Program>,
}

/// Runs all plans in order; the highest exit code counts.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    interrupt::run("without keeping what was measured", || bench(arguments))
}

fn bench(arguments: &Arguments) -> Result<u8, CommandError> {
    let of_user = |name: &String| Program::at(resolve(name, Path::new(".")));
    let program = arguments.program.as_ref().map(of_user).transpose()?;
    if let (true, [], Some(program)) = (arguments.list, &arguments.plans[..], &program) {
        return Printed::Plain(&list::plans(program)).write().map(|()| 0);
    }
    // All plans are checked before one runs, so that an error in the last does not cost an hour.
    let plans = load(arguments, program.as_ref())?;
    if arguments.list {
        return Printed::Plain(&plans.iter().map(list::cases).collect::<String>()).write().map(|()| 0);
    }
    let mut worst = 0;
    for loaded in &plans {
        worst = worst.max(match arguments.dry_run {
            true => dry_run(loaded, arguments.strict)?,
            false => measure(loaded, arguments)?,
        });
        if interrupt::requested() {
            return Ok(INTERRUPTED);
        }
    }
    Ok(worst)
}

/// Returns the plans, by their names or paths, with their cases on this machine: the first of the program if none is
/// named.
fn load(arguments: &Arguments, given: Option<&Program>) -> Result<Vec<Loaded>, CommandError> {
    let choices = Choices {
        threads: arguments.threads.clone(),
        rounds: arguments.rounds,
        time: arguments.r#for,
        suite: None,
        filter: arguments.filter.clone(),
    };
    let mut names = arguments.plans.clone();
    if names.is_empty() {
        let first = given.and_then(|program| program.description.plans.first());
        let no_plan = || CommandError::new("the program has no plan of its own: name a plan file");
        names.push(first.ok_or_else(no_plan)?.name.clone());
    }
    let load = |name: &String| {
        let plan = find(name, given)?;
        let own = || plan.program().map(Program::at).transpose();
        let program = given.map_or_else(own, |given| Ok(Some(given.clone())))?;
        let matrix = session::matrix(&plan, &choices, program.as_ref())?;
        Ok(Loaded { plan, matrix, program })
    };
    names.iter().map(load).collect()
}

/// Returns a plan of the program by its name, or a plan file.
fn find(name: &str, program: Option<&Program>) -> Result<Plan, CommandError> {
    let plans = program.map_or(&[][..], |program| &program.description.plans);
    let Some(built_in) = plans.iter().find(|plan| plan.name == name) else {
        let path = Path::new(name);
        if !path.exists() && !name.contains(['/', '.']) {
            let names: String = plans.iter().map(|plan| format!("{}, ", plan.name)).collect();
            let known = match plans {
                [] => "a plan is named by the path of its file, or is one of a program that --program names",
                _ => &format!("it can be {names}or the path of a plan file"),
            };
            return Err(CommandError::new(format!("no plan `{name}`: {known}")));
        }
        return Ok(Plan::read(path)?);
    };
    // In the checkout that the program was built in, the file counts, with the programs that it names by relative
    // paths. Elsewhere none is taken from the working folder, which may be another's.
    let file = PathBuf::from(format!("plans/{name}.toml"));
    let of_program = program.and_then(Program::folder);
    let here = std::env::current_dir().ok();
    let is_checkout = of_program.zip(here.as_ref()).is_some_and(|(program, here)| program.starts_with(here))
        || std::fs::read_to_string(&file).is_ok_and(|text| text == built_in.text);
    if is_checkout && file.is_file() {
        return Ok(Plan::read(&file)?);
    }
    let folder = of_program.map_or_else(|| PathBuf::from("/"), Path::to_owned);
    Ok(Plan::parse(&file, folder, built_in.text.clone())?)
}

/// Runs each entry once and prints what it takes; returns the exit code.
fn dry_run(Loaded { plan, matrix, .. }: &Loaded, strict: bool) -> Result<u8, CommandError> {
    let mut bar = Progress::new(&lost);
    let (probes, expected) = parcrypt_lab::probe(plan, matrix, &Inputs::new()?, interrupt::flag(), &mut bar)?;
    drop(bar);
    let mut text = format!("{}: {}\n", on_one_line(&plan.name), on_one_line(plan.title()));
    let mut tried = probes.iter().peekable();
    for (number, case) in matrix.cases.iter().enumerate() {
        text += &format!("\n  {}\n", on_one_line(&case.name()));
        while let Some(probe) = tried.next_if(|probe| probe.case == number) {
            let entry = &case.entries[probe.entry];
            let what = format!("{}, {}", on_one_line(&entry.candidate), counted(entry.threads, "thread"));
            let found = match &probe.found {
                Ok((ready, once)) => {
                    let [ready, once] = [ready, once].map(|time| seconds(time.as_secs_f64()));
                    format!("{once:>10} once, ready in {ready}")
                }
                Err(failure) => {
                    let is_skipped = failure.kind == FailureKind::Unsupported;
                    let label = if is_skipped { "SKIP" } else { "FAILED" };
                    let lines = quoted(&head_and_tail(&failure.stderr));
                    format!("{label} {}{lines}", on_one_line(&failure.why))
                }
            };
            text += &format!("    {what:<44} {found}\n");
        }
    }
    let length = match matrix.length.rounds {
        Some(rounds) => counted(rounds, "round"),
        None => format!("{} each", seconds(matrix.length.case.as_secs_f64())),
    };
    let (entries, cases) = (counted(matrix.entries(), "entry"), counted(matrix.cases.len(), "case"));
    text += &format!("\n{entries} in {cases}, {length}: about {}.\n", clock(expected));
    Printed::Plain(&text).write()?;
    // Those that were not tried have not failed. A case's claims need its samples.
    let failures = probes.iter().map(|probe| probe.found.as_ref().err().map(|failure| failure.kind));
    let failures = failures.chain(std::iter::repeat(None));
    let entries = matrix.cases.iter().flat_map(|case| &case.entries);
    Ok(judged(entries.map(|entry| entry.role).zip(failures), strict))
}

fn measure(loaded: &Loaded, arguments: &Arguments) -> Result<u8, CommandError> {
    let Loaded { plan, matrix, program } = loaded;
    let program = program.as_ref();
    let session = Session::new(Some(&arguments.out), &plan.name)?;
    // One screen says once what was skipped.
    let lost = |entry: &str, failure: &Failure| {
        lost(entry, failure).filter(|_| failure.kind != FailureKind::Unsupported || !arguments.form.is_text())
    };
    let record = session.run(plan, matrix, program, &[], &mut Progress::new(&lost))?;
    let code = session.finish(&record, &[], arguments.form, &more(&record, program))?;
    let entries = record.cases.iter().flat_map(|case| &case.entries);
    let outcomes = entries.map(|entry| (entry.role, entry.failure.as_ref().map(|failure| failure.kind)));
    Ok(judged(outcomes, arguments.strict).max(code))
}

/// Says on standard error why a run is a negative result, by the entries that failed or were skipped, and returns its
/// exit code.
fn judged(outcomes: impl Iterator<Item = (Role, Option<FailureKind>)>, strict: bool) -> u8 {
    // Candidates that were measured, or not reached before Ctrl-C.
    let (mut failed, mut skipped, mut good) = (0, 0, 0);
    for outcome in outcomes {
        match outcome {
            (_, Some(FailureKind::Unsupported)) => skipped += 1,
            (_, Some(_)) => failed += 1,
            (Role::Candidate, None) => good += 1,
            (_, None) => {}
        }
    }
    let mut reasons = Vec::new();
    if failed > 0 {
        reasons.push(format!("{} failed", counted(failed, "entry")));
    }
    let all = counted(skipped, "entry");
    match (good, skipped) {
        (0, 1..) if failed == 0 => {
            reasons.push(format!("no candidate was measured, because all were skipped ({all})"));
        }
        (0, _) => reasons.push("no candidate was measured".to_owned()),
        (_, 1..) if strict => {
            let were = if skipped == 1 { "was" } else { "were" };
            reasons.push(format!("{all} {were} skipped, which --strict counts as a failure"));
        }
        _ => {}
    }
    reasons.iter().for_each(|reason| tell(&format!("negative: {reason}")));
    if reasons.is_empty() { 0 } else { NEGATIVE }
}

/// Returns what a lost or skipped entry is told as.
fn lost(entry: &str, failure: &Failure) -> Option<String> {
    let label = if failure.kind == FailureKind::Unsupported { "SKIP" } else { "lost" };
    let lines = quoted(&head_and_tail(&failure.stderr));
    Some(format!("{label} {}: {}{lines}", on_one_line(entry), on_one_line(&failure.why)))
}

/// Returns what else the user can run, in lines.
fn more(record: &Record, program: Option<&Program>) -> String {
    // As the user called it, so that it works from a checkout too.
    let call = std::env::args_os().next().and_then(|call| call.into_string().ok());
    let call = call.filter(|call| call.len() <= 32);
    let call = on_one_line(&call.unwrap_or_else(called));
    let mut entries = record.cases.iter().flat_map(|case| &case.entries);
    let is_own =
        |own: &&Program| entries.all(|entry| entry.command.first().is_some_and(|word| word == own.name()));
    let hint = program.filter(is_own).filter(|own| !own.description.hint.is_empty()).map(|own| {
        let bench = match called() == own.name() {
            true => format!("{call} bench"),
            false => format!("{call} bench --program {}", on_one_line(own.name())),
        };
        on_one_line(&own.description.hint).replace("{bench}", &bench) + "\n"
    });
    // Next to the program that has called this one, or on the PATH.
    let next = Path::new(&call).with_file_name("parlab");
    let parlab = if call.contains('/') && next.is_file() { next } else { "parlab".into() };
    let report = format!("the page, or {} report RECORD --terminal", parlab.display());
    format!("{}All entries with their noise: {report}\n", hint.unwrap_or_default())
}
