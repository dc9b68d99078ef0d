//! The `parcrypt` command: shows and checks the workloads of this machine, measures them, and computes KZG and scrypt
//! over files.
//!
//! A new workload is a file in `workloads`, a new command a file in `commands` and a variant of [`Command`].

mod commands;
mod files;
mod fork_cost;
mod hex;
mod host;
mod idle_runtime;
mod kzg;
mod limits;
mod machine;
mod profile;
mod ranks;
mod requests;
mod runtimes;
mod scrypt;
mod text;
mod workload;
mod workloads;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use parlab::{
    audit, bench, check_candidate, compare, error, generate, interrupt, progress, record, report, run_command,
};

use crate::error::fail;
use crate::host::Parcrypt;
use commands::{candidate, doctor, list, scaling, tune, verify};

/// Cryptographic kernels in parallel, and a lab that measures which way of running them is fastest here.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  parcrypt doctor             what this machine has
  parcrypt verify             check all outputs on this machine
  parcrypt bench              measure which runtime is fastest here
  parcrypt kzg prove blobs    commitments and proofs of a folder of blobs
  parcrypt scrypt --help      keys from passwords

Exit codes: 0 done, 1 a negative answer, 2 an error, 3 cannot tell (`compare --fail-if`), 130 stopped by Ctrl-C."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(
        after_help = bench::help(BENCH_EXAMPLES),
        mut_arg("plans", |plans| {
            plans
                .required(false)
                .default_value("quick")
                .help("Names of built-in plans (`parcrypt list` shows them) or paths of plan files")
        })
    )]
    Bench(bench::Arguments),
    #[command(after_help = compare::help("parcrypt"))]
    Compare(Box<compare::Arguments>),
    #[command(after_help = audit::help("parcrypt", AUDIT_CLASSES))]
    Audit(audit::Arguments),
    #[command(after_help = report::help("parcrypt"))]
    Report(report::Arguments),
    #[command(mut_subcommand("thin", |thin| thin.after_help(record::thin_help("parcrypt"))))]
    Record(record::Arguments),
    Doctor(doctor::Arguments),
    Tune(tune::Arguments),
    Verify(verify::Arguments),
    Kzg(kzg::Arguments),
    Scrypt(Box<scrypt::Arguments>),
    Scaling(scaling::Arguments),
    List(list::Arguments),
    Candidate(candidate::Arguments),
    #[command(after_help = check_candidate::help("parcrypt"))]
    CheckCandidate(check_candidate::Arguments),
    #[command(name = run_command::NAME)]
    Run(run_command::Arguments),
    #[command(hide = true)]
    Generate(generate::Arguments),
}

const BENCH_EXAMPLES: &str = "\
Examples:
  parcrypt bench                                   the quick plan: eight workloads, in 75 seconds
  parcrypt bench --dry-run                         what would run, and how long it would take
  parcrypt bench quick --filter workload=sum       a part of it
  parcrypt bench openmp-against-rayon --filter 'scale=5' --for 30s
  parcrypt bench quick --until 2% --for 5m         until every interval is that narrow, or excludes 1
  parcrypt bench quick --rounds 2 --profile        which functions take the time, as a flame graph in the page
  parcrypt bench plans/python.toml --markdown      a plan from a file, the result as Markdown
  parcrypt bench sum --plots figures               each figure of the page as SVG, PNG and PDF too";

const AUDIT_CLASSES: &str = "\
`compute` (products of polynomials), `cache` (the sum of half the second cache), `memory` (the sum of twice \
the last cache), `threads` (products on two threads: `threads-openmp` and `threads-rayon`), `many` (products on one \
thread beside others on one and two)";

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return error::explain(&error),
    };
    match arguments.command {
        Command::Bench(arguments) => with_host(|host| bench::run(&arguments, host)),
        Command::Compare(arguments) => with_host(|host| compare::run(&arguments, host)),
        Command::Audit(arguments) => with_host(|host| audit::run(&arguments, host)),
        Command::Report(arguments) => report::run(&arguments, "parcrypt"),
        Command::Record(arguments) => record::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Kzg(arguments) => kzg::run(&arguments),
        Command::Scrypt(arguments) => scrypt::run(&arguments),
        Command::Scaling(arguments) => scaling::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Candidate(arguments) => candidate::run(&arguments),
        Command::CheckCandidate(arguments) => check_candidate::run(&arguments),
        Command::Run(arguments) => run_command::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments, Arguments::command()),
    }
}

/// Calls a command of the lab with this program as its host.
fn with_host(command: impl FnOnce(&Parcrypt) -> ExitCode) -> ExitCode {
    Parcrypt::find().map_or_else(fail, |host| command(&host))
}
