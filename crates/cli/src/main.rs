//! The `parcrypt` command: shows and checks the workloads of this machine, measures them, and computes KZG and scrypt
//! over files.
//!
//! A new workload is a file in `workloads`, a new command a file in `commands` and a variant of [`Command`].

mod commands;
mod error;
mod hex;
mod idle_runtime;
mod interrupt;
mod kzg;
mod machine;
mod progress;
mod ranks;
mod requests;
mod runtimes;
mod scrypt;
mod text;
mod workload;
mod workloads;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::{ERROR, fail};
use commands::{audit, bench, candidate, check_candidate, doctor, list, record, report, scaling, verify};

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

Exit codes: 0 done, 1 a negative answer, 2 an error."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure the candidates of a plan and show which is fastest
    Bench(bench::Arguments),
    Audit(audit::Arguments),
    /// Write the report of records again
    Report(report::Arguments),
    Record(record::Arguments),
    Doctor(doctor::Arguments),
    Verify(verify::Arguments),
    Kzg(kzg::Arguments),
    Scrypt(Box<scrypt::Arguments>),
    Scaling(scaling::Arguments),
    List(list::Arguments),
    Candidate(candidate::Arguments),
    CheckCandidate(check_candidate::Arguments),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return explain(&error),
    };
    match arguments.command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Kzg(arguments) => kzg::run(&arguments),
        Command::Scrypt(arguments) => scrypt::run(&arguments),
        Command::Scaling(arguments) => scaling::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Candidate(arguments) => candidate::run(&arguments),
        Command::CheckCandidate(arguments) => check_candidate::run(&arguments),
    }
}

/// Prints the help, the version, or the error in the arguments.
fn explain(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(e) if e.kind() != ErrorKind::BrokenPipe && !error.use_stderr() => {
            fail(format_args!("standard output: {e}"))
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(ERROR)),
    }
}
