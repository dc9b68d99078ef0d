//! The `parcrypt` command: computes KZG and scrypt over files, shows and checks the workloads of this machine, and lets
//! the lab measure them.
//!
//! A new workload is a file in `workloads`, a new command a file in `commands` and a variant of [`Command`].

mod commands;
mod files;
mod hex;
mod kzg;
mod ranks;
mod requests;
mod runtimes;
mod scrypt;
mod text;
mod work_error;
mod workload;
mod workloads;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use parcrypt_terminal::{error, generate, interrupt, progress};

use commands::{bench, candidate, doctor, list, verify};

/// Cryptographic kernels in parallel: KZG for Ethereum blobs, BLS12-381, NTT, scrypt, GMAC and VMAC.
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

Another command, parlab, compares programs: `parlab compare 'sort numbers' 'sort -n numbers'`.

Exit codes: 0 done, 1 a negative answer, 2 an error, 130 stopped by Ctrl-C."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Kzg(Box<kzg::Arguments>),
    Scrypt(Box<scrypt::Arguments>),
    Verify(verify::Arguments),
    Bench(bench::Arguments),
    Doctor(doctor::Arguments),
    List(list::Arguments),
    Candidate(candidate::Arguments),
    #[command(hide = true)]
    Generate(generate::Arguments),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return error::explain(&error),
    };
    match arguments.command {
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Kzg(arguments) => kzg::run(&arguments),
        Command::Scrypt(arguments) => scrypt::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Candidate(arguments) => candidate::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments, Arguments::command()),
    }
}
