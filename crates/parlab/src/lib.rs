//! The commands of the lab: `bench`, `compare`, `audit`, `report`, `record`, `candidate --template` and
//! `check-candidate`, for any program that measures others.
//!
//! A program describes itself by the trait [`Program`] and calls the function `run` of a command with its arguments.
//! `parlab` has no kernels, and compares programs that a plan names by their commands; `parcrypt` adds its own kernels
//! as candidates, and plans for them.
//!
//! ```
//! use clap::Parser;
//! use parlab::report;
//!
//! #[derive(Parser)]
//! enum Command {
//!     /// Write the report of records again
//!     #[command(after_help = report::help("mine"))]
//!     Report(report::Arguments),
//! }
//!
//! let Command::Report(arguments) = Command::try_parse_from(["mine", "report", "no-such-file", "--terminal"])?;
//! let _code = report::run(&arguments, "mine");
//! # Ok::<(), clap::Error>(())
//! ```
//!
//! It depends on `parcrypt-lab`, `parcrypt-report` and `parcrypt-machine`, and the program `parlab` also on
//! `parcrypt-protocol`; it knows no kernel and no runtime. A command
//! is added as a module here, and as a variant of the subcommands of each program.

pub mod audit;
pub mod bench;
pub mod check_candidate;
pub mod compare;
pub mod error;
pub mod generate;
pub mod interrupt;
mod program;
pub mod progress;
pub mod record;
pub mod report;
pub mod run_command;
pub mod template;
pub mod text;

pub use program::Program;
