//! The command `parlab`: compares whole commands, and the programs that plans name.
//!
//! It knows no kernel. A program with kernels, runtimes and plans of its own describes itself by the protocol
//! ([`program`]). A command is added as a module of [`commands`] and as a variant of [`Command`].

mod commands;
mod layouts;
mod processes;
mod program;
mod revisions;
mod session;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use parcrypt_terminal::{error, generate};

use commands::{bench, compare, report, run_command, suite};

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
  parlab suite --rev main --rev HEAD    compare two revisions by the project's Criterion benchmarks
  parlab bench plan.toml                measure what a plan names: a table, a record and a page
  parlab report bench-results/*.json    one page of all records

Exit codes: 0 done, 1 a negative answer, 2 an error, 3 cannot tell (`--fail-if`), 130 stopped by Ctrl-C."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compare(Box<compare::Arguments>),
    Suite(suite::Arguments),
    Bench(bench::Arguments),
    Report(report::Arguments),
    #[command(hide = true)]
    Generate(generate::Arguments),
    #[command(name = run_command::NAME)]
    Run(run_command::Arguments),
}

fn main() -> ExitCode {
    if let Some(code) = suite::instead().or_else(layouts::instead) {
        return code;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            return compare::instead_of(&error).map_or_else(|| error::explain(&error), error::fail);
        }
    };
    match arguments.command {
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Suite(arguments) => suite::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments, Arguments::command()),
        Command::Run(arguments) => run_command::run(arguments),
    }
}
