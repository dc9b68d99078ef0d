//! Errors of the command and its exit codes.

use std::fmt;
use std::io::ErrorKind;
use std::process::ExitCode;

use crate::text::tell;

/// Exit code of a negative result: a check failed.
pub const NEGATIVE: u8 = 1;
/// Exit code of an error.
pub const ERROR: u8 = 2;

/// Exit code after Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Prints the error on standard error, with control characters escaped, and returns the exit code.
pub fn fail(what: impl fmt::Display) -> ExitCode {
    tell(&format!("error: {what}"));
    ExitCode::from(ERROR)
}

/// Prints the help, the version, or the error in the arguments, and returns the exit code.
pub fn explain(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(e) if e.kind() != ErrorKind::BrokenPipe && !error.use_stderr() => {
            fail(format_args!("standard output: {e}"))
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(ERROR)),
    }
}

/// An error for the user, with the file, line or flag, and the allowed values.
#[derive(Debug)]
pub struct CommandError(String);

impl CommandError {
    /// Returns an error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        CommandError(text.into())
    }
}

/// Errors of the libraries describe the cause themselves.
impl<E: std::error::Error> From<E> for CommandError {
    fn from(error: E) -> Self {
        CommandError(error.to_string())
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
