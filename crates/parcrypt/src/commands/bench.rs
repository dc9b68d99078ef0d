//! `parcrypt bench`: a short way to `parlab bench` with this program's runtimes and plans.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::error::fail;
use crate::text::shown;

const PARLAB: &str = "parlab";

/// Measure which runtime is fastest here: `parlab bench` with the plans of this program
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// Plans and flags of `parlab bench`; --help shows them [default: the plan quick]
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Becomes `parlab bench`: the one next to this program, or the one in PATH.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let is_program = |word: &OsString| word.to_string_lossy().split('=').next() == Some("--program");
    if arguments.arguments.iter().any(is_program) {
        return fail(
            "--program: `parcrypt bench` measures parcrypt; use `parlab bench --program NAME` for another program",
        );
    }
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => {
            return fail(format_args!(
                "the path of this program: {error}; or use `parlab bench --program PATH`"
            ));
        }
    };
    if own.to_str().is_none() {
        return fail(format_args!("{} is not UTF-8: the path of this program has to be", shown(&own)));
    }
    let next = own.with_file_name(PARLAB);
    // A link to this program, which would call itself for ever, is not parlab.
    let is_other = next.canonicalize().is_ok_and(|next| own.canonicalize().is_ok_and(|own| next != own));
    let parlab = if is_other { &next } else { Path::new(PARLAB) };
    let mut command = Command::new(parlab);
    command.args(["bench", "--program"]).arg(&own).args(&arguments.arguments);
    let error = become_it(&mut command);
    match error.kind() {
        ErrorKind::Unsupported => fail("parlab, which runs benchmarks, does not exist for Windows"),
        ErrorKind::NotFound => fail(format_args!(
            "parlab, which runs benchmarks, not found at {} or on the PATH: `make bench` builds both, `make parlab` installs it",
            shown(&next)
        )),
        _ => fail(format_args!("{}: {error}", shown(parlab))),
    }
}

/// Replaces this process by a command, which names commands to the user as the user called this one. Returns why it
/// could not.
#[cfg(unix)]
fn become_it(command: &mut Command) -> std::io::Error {
    use std::os::unix::process::CommandExt;

    if let Some(called) = std::env::args_os().next() {
        command.arg0(called);
    }
    command.exec()
}

#[cfg(not(unix))]
fn become_it(_: &mut Command) -> std::io::Error {
    ErrorKind::Unsupported.into()
}
