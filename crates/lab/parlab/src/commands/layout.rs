//! `layout`: links a program again in other memory layouts, for scripts. `parlab suite` does so by itself.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::Args;
use parcrypt_terminal::error::fail;
use parcrypt_terminal::text::print;

use crate::layouts;

/// Link a program again in other memory layouts, and print their paths
///
/// Without a program it prints the environment variables, as NAME=VALUE in each line, with which cargo has to build it.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A program that cargo built with these variables
    #[arg(value_name = "PROGRAM")]
    program: Option<PathBuf>,
    /// Number of layouts
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    count: u16,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let lines: Vec<String> = match &arguments.program {
        None => match layouts::environment() {
            Ok(variables) => variables.iter().map(|(name, value)| format!("{name}={value}")).collect(),
            Err(why) => return fail(why),
        },
        Some(program) => match layouts::link(program, arguments.count.into(), &AtomicBool::new(false)) {
            Ok(paths) => paths.iter().map(|path| path.display().to_string()).collect(),
            Err(why) => return fail(why),
        },
    };
    print(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}
