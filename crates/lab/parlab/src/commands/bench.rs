//! `bench`: measures the candidates of a plan and compares them.

mod list;
mod verdict;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use clap::Args;
use parcrypt_lab::condition::Condition;
use parcrypt_lab::plan::{Choices, Matrix, Plan};
use parcrypt_lab::record::{Failure, FailureKind, Record};
use parcrypt_lab::{Checks, Inputs, Setting};
use parcrypt_report::head_and_tail;

use crate::program::{self, Program, build, command_line, here, machine};
use crate::session::{Form, Progress, Session};
use parcrypt_terminal::error::{CommandError, INTERRUPTED, fail};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::{Printed, clock, counted, on_one_line, quoted, seconds, tell};

use verdict::Outcomes;

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

The files of a run are named after the plan and the time, and never replace another file. The record is kept even if the \
results cannot be printed.

Exit codes: 0 the entries were measured and agree, some may be skipped; 1 an entry failed or had another output, a claim \
of the plan is broken (`at-most`), all candidates were skipped, or with --strict any entry was \
skipped; 2 the plan, a flag or the output folder cannot be used, or results cannot be written; 130 stopped by \
Ctrl-C (what was measured is kept).";

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

/// Parses the time of a run, from a tenth of a second to a week.
pub(crate) fn run_time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|e| format!("{e}; write it as 30s or 5m"))?;
    match (Duration::from_millis(100)..=Duration::from_secs(7 * 86_400)).contains(&time) {
        true => Ok(time),
        false => Err("it must be from 100ms to 7days".to_owned()),
    }
}

/// Parses a number of per cent, with or without the sign, as a part of 1.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse::<f64>().ok();
    let within = number.filter(|percent| (0.01..=50.0).contains(percent));
    within.map(|percent| percent / 100.0).ok_or_else(|| "it must be from 0.01% to 50%".to_owned())
}

/// A plan with its cases on this machine, and the program that it names.
struct Loaded {
    plan: Plan,
    matrix: Matrix,
    program: Option<Rc<Program>>,
}

/// Runs all plans in order; the highest exit code counts.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    interrupt::listen("without keeping what was measured");
    let choices = Choices {
        threads: arguments.threads.clone(),
        rounds: arguments.rounds,
        time: arguments.r#for,
        suite: None,
        filter: arguments.filter.clone(),
    };
    if let (true, [], Some(program)) = (arguments.list, &arguments.plans[..], &arguments.program) {
        return Program::named(program, Path::new("."))
            .map_or_else(fail, |program| Printed::Plain(&list::plans(&program)).code());
    }
    // All plans are checked before one runs, so that an error in the last does not cost an hour.
    let plans = match load(&arguments.plans, arguments.program.as_deref(), &choices) {
        Ok(plans) => plans,
        Err(_) if interrupt::requested() => return ExitCode::from(INTERRUPTED),
        Err(problem) => return fail(problem),
    };
    if arguments.list {
        return Printed::Plain(&plans.iter().map(list::cases).collect::<String>()).code();
    }
    let inputs = match Inputs::new() {
        Ok(inputs) => inputs,
        Err(problem) => return fail(problem),
    };
    let mut worst = 0;
    for loaded in &plans {
        let ended = match arguments.dry_run {
            true => dry_run(&loaded.plan, &loaded.matrix, &inputs, arguments),
            false => measure(loaded, &inputs, arguments),
        };
        match ended {
            Ok(code) => worst = worst.max(code),
            Err(problem) => return fail(problem),
        }
        if interrupt::requested() {
            return ExitCode::from(INTERRUPTED);
        }
    }
    ExitCode::from(worst)
}

/// Returns these plans, by their names or paths, with their cases on this machine: the first of the program if none
/// is named.
///
/// # Errors
/// A name or a path of no plan, a plan that cannot be used, or a program that is missing.
fn load(names: &[String], program: Option<&str>, choices: &Choices) -> Result<Vec<Loaded>, CommandError> {
    let given = program.map(|name| Program::named(name, Path::new("."))).transpose()?.map(Rc::new);
    let first = given.iter().flat_map(|program| &program.description.plans).next();
    let first = first.filter(|_| names.is_empty()).map(|plan| plan.name.clone());
    if names.is_empty() && first.is_none() {
        return Err(CommandError::new("the program has no plan of its own: name a plan file"));
    }
    let mut known: BTreeMap<String, Rc<Program>> = BTreeMap::new();
    let load = |name: &String| {
        let plan = find(name, given.as_deref())?;
        let program = match (&given, plan.program()) {
            (Some(given), _) => Some(Rc::clone(given)),
            (None, Some(path)) => Some(match known.get(&path) {
                Some(known) => Rc::clone(known),
                None => {
                    let program = Rc::new(Program::at(path.clone())?);
                    Rc::clone(known.entry(path).or_insert(program))
                }
            }),
            (None, None) => None,
        };
        let checks = Checks::new(&plan.folder, interrupt::flag());
        let matrix = Matrix::new(&plan, choices, &here(program.as_deref(), &|entry| checks.check(entry)))?;
        matrix.notes.iter().for_each(|note| tell(&format!("note: {note}")));
        Ok(Loaded { plan, matrix, program })
    };
    names.iter().chain(&first).map(load).collect()
}

/// Returns a plan of the program by its name, or a plan file.
fn find(name: &str, program: Option<&Program>) -> Result<Plan, CommandError> {
    let plans = program.map_or(&[][..], |program| &program.description.plans);
    let Some(built_in) = plans.iter().find(|plan| plan.name == name) else {
        let path = Path::new(name);
        if !path.exists() && !name.contains(['/', '.']) {
            let known: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
            let known = match known.is_empty() {
                true => {
                    "a plan is named by the path of its file, or is one of a program that --program names"
                        .to_owned()
                }
                false => format!("it can be {}, or the path of a plan file", known.join(", ")),
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

fn dry_run(plan: &Plan, matrix: &Matrix, inputs: &Inputs, arguments: &Arguments) -> Result<u8, CommandError> {
    let mut bar = Progress::new(&lost);
    let (probes, expected) = parcrypt_lab::probe(plan, matrix, inputs, interrupt::flag(), &mut bar)?;
    drop(bar);
    let mut text = format!("{}: {}\n", on_one_line(&plan.name), on_one_line(plan.title()));
    let mut case = usize::MAX;
    for probe in &probes {
        if probe.case != case {
            case = probe.case;
            text += &format!("\n  {}\n", on_one_line(&matrix.cases[case].name()));
        }
        let entry = &matrix.cases[probe.case].entries[probe.entry];
        let what = format!("{}, {}", on_one_line(&entry.candidate), counted(entry.threads, "thread"));
        match &probe.found {
            Ok((ready, once)) => {
                text += &format!(
                    "    {what:<44} {:>10} once, ready in {}\n",
                    seconds(once.as_secs_f64()),
                    seconds(ready.as_secs_f64())
                );
            }
            Err(failure) if failure.kind == FailureKind::Unsupported => {
                text += &format!("    {what:<44} SKIP {}\n", on_one_line(&failure.why));
            }
            Err(failure) => {
                text += &format!("    {what:<44} FAILED {}\n", on_one_line(&failure.why));
                stderr_of(failure).iter().for_each(|line| text += &format!("      {line}\n"));
            }
        }
    }
    text += &format!(
        "\n{} in {}, {}: about {}.\n",
        counted(matrix.entries(), "entry"),
        counted(matrix.cases.len(), "case"),
        match matrix.length.rounds {
            Some(rounds) => counted(rounds, "round"),
            None => format!("{} each", seconds(matrix.length.case.as_secs_f64())),
        },
        clock(expected)
    );
    Printed::Plain(&text).write()?;
    // A case's claims need its samples.
    let outcomes = Outcomes::of_probes(matrix, &probes);
    Ok(outcomes.tell(arguments.strict))
}

fn measure(loaded: &Loaded, inputs: &Inputs, arguments: &Arguments) -> Result<u8, CommandError> {
    let Loaded { plan, matrix, program } = loaded;
    let program = program.as_deref();
    let session = Session::new(Some(&arguments.out), &plan.name)?;
    let setting = Setting {
        record: session.record(),
        command: command_line(program),
        machine: machine(program),
        build: build(program),
        inputs,
        stop: interrupt::flag(),
    };
    // One screen says once what was skipped.
    let lost = |entry: &str, failure: &Failure| {
        lost(entry, failure).filter(|_| failure.kind != FailureKind::Unsupported || !arguments.form.is_text())
    };
    let record = parcrypt_lab::run(plan, matrix, &setting, &[], &mut Progress::new(&lost))?;
    let more = more(&record, program);
    let code = session.finish(&record, &[], arguments.form, &more)?;
    Ok(Outcomes::of_record(&record).tell(arguments.strict).max(code))
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
    let called = std::env::args().next().filter(|called| called.len() <= 32);
    let called = on_one_line(&called.unwrap_or_else(program::called));
    let mut entries = record.cases.iter().flat_map(|case| &case.entries);
    let own = program.filter(|program| {
        entries.all(|entry| entry.command.first().is_some_and(|word| word == program.name()))
    });
    let hint =
        own.filter(|program| !program.description.hint.is_empty()).map_or_else(String::new, |program| {
            let bench = match program::called() == program.name() {
                true => format!("{called} bench"),
                false => format!("{called} bench --program {}", on_one_line(program.name())),
            };
            on_one_line(&program.description.hint).replace("{bench}", &bench) + "\n"
        });
    // Next to the program that has called this one, or on the PATH.
    let next = Path::new(&called).with_file_name("parlab");
    let parlab = if called.contains('/') && next.is_file() { next } else { "parlab".into() };
    format!(
        "{hint}All entries with their noise: the page, or {} report RECORD --terminal\n",
        parlab.display()
    )
}

/// Returns the last lines that a failed candidate wrote to standard error, escaped.
fn stderr_of(failure: &Failure) -> Vec<String> {
    head_and_tail(&failure.stderr).iter().map(|line| on_one_line(line)).collect()
}
