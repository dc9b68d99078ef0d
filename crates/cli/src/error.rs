//! Errors of the command and its exit codes.

use std::fmt;
use std::io::Write;
use std::process::ExitCode;

/// The answer is negative: something that was checked is not right.
pub(crate) const NEGATIVE: u8 = 1;
/// The command could not do what it was asked for.
pub(crate) const ERROR: u8 = 2;

/// The exit code of a program that ends on Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Says on standard error what was wrong, and gives the exit code for it.
pub(crate) fn fail(what: impl fmt::Display) -> ExitCode {
    // Nothing is left to be told to anybody where standard error is closed too.
    let _ = writeln!(std::io::stderr(), "error: {what}");
    ExitCode::from(ERROR)
}

/// Something that the user has to mend: it names the file, the line or the flag, and what would be right.
#[derive(Debug)]
pub(crate) struct CommandError(String);

impl CommandError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        CommandError(text.into())
    }
}

/// Errors of the libraries say what was wrong and where; here they only become the last word.
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
