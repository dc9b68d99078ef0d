//! The command `parlab`: compares whole commands, and the programs that plans name.
//!
//! It is the program without kernels around the commands of the library `parlab`.

mod audited;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use parcrypt_lab::record::Params;
use parcrypt_lab::{CheckError, Host, OwnCandidate};
use parlab::audit::Classes;
use parlab::{
    Program, audit, bench, check_candidate, compare, generate, record, report, run_command, template,
};

/// Compare programs: which is faster, by how much, and how sure that is.
#[derive(Debug, Parser)]
#[command(
    name = "parlab",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  parlab compare 'sort numbers' 'sort -n numbers'
                                        run two commands in turns: which is faster, and how sure that is
  parlab bench plan.toml                measure what a plan names: a table, a record and a page
  parlab report bench-results/*.json    one page of all records
  parlab candidate --template go        print a program that a plan can measure, in Go
  parlab audit --for 10m                find out how small a difference can be seen on this machine

Exit codes: 0 done, 1 a negative answer, 2 an error, 3 cannot tell (`compare --fail-if`), 130 stopped by Ctrl-C."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(after_help = bench::help("\
Examples:
  parlab bench plan.toml --dry-run            what would run, and how long it would take
  parlab bench plan.toml                      a table; the record and a page are files in bench-results
  parlab bench plan.toml --for 10s            in ten seconds
  parlab bench plan.toml --until 0.5% --for 5m
                                              until every interval is that narrow, or excludes 1
  parlab bench plan.toml --filter threads=1   a part of it
  parlab bench plan.toml --markdown --strict  for a step of CI"))]
    Bench(bench::Arguments),
    #[command(after_help = compare::help("parlab"))]
    Compare(Box<compare::Arguments>),
    #[command(after_help = audit::help(
        "parlab",
        "`compute` (a hash of 16 KiB), `cache` (the sum of half the second cache), `memory` (the sum of twice the last \
         cache), all on one thread"
    ))]
    Audit(audit::Arguments),
    #[command(after_help = report::help("parlab"))]
    Report(report::Arguments),
    #[command(mut_subcommand("thin", |thin| thin.after_help(record::thin_help("parlab"))))]
    Record(record::Arguments),
    #[command(after_help = template::help("parlab"))]
    Candidate(template::Arguments),
    #[command(after_help = check_candidate::help("parlab"))]
    CheckCandidate(check_candidate::Arguments),
    /// Be a candidate of `parlab audit`, by the protocol on standard input and output
    #[command(name = audited::COMMAND, hide = true)]
    Audited,
    #[command(hide = true)]
    Generate(generate::Arguments),
    #[command(name = run_command::NAME)]
    Run(run_command::Arguments),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return parlab::error::explain(&error),
    };
    match arguments.command {
        Command::Bench(arguments) => bench::run(&arguments, &Parlab),
        Command::Compare(arguments) => compare::run(&arguments, &Parlab),
        Command::Audit(arguments) => audit::run(&arguments, &Parlab),
        Command::Report(arguments) => report::run(&arguments, "parlab"),
        Command::Record(arguments) => record::run(&arguments),
        Command::Candidate(arguments) => {
            template::run(arguments.template, arguments.out.as_deref(), "parlab")
        }
        Command::CheckCandidate(arguments) => check_candidate::run(&arguments),
        Command::Audited => parcrypt_protocol::run(&mut audited::Audited::default()),
        Command::Generate(arguments) => generate::run(&arguments, Arguments::command()),
        Command::Run(arguments) => run_command::run(&arguments),
    }
}

/// This program, which has no kernels and so no candidates of its own.
struct Parlab;

impl Host for Parlab {
    fn command(&self, _: &OwnCandidate) -> Vec<String> {
        Vec::new()
    }

    /// Every number of threads, so that [`Host::check`] says what is wrong.
    fn can_use(&self, _: &OwnCandidate, _: usize) -> bool {
        true
    }

    fn check(&self, own: &OwnCandidate, _: &str, _: &Params, _: usize) -> Result<u64, CheckError> {
        Err(CheckError::Candidate(format!(
            "parlab has no kernels, and so no `runtime = \"{}\"`: name a `command`, or run the plan with parcrypt",
            own.runtime
        )))
    }

    fn memory_available(&self) -> Option<u64> {
        parcrypt_machine::memory_available()
    }
}

impl Program for Parlab {
    fn name(&self) -> &'static str {
        "parlab"
    }

    fn classes(&self) -> Classes {
        audited::classes()
    }
}
