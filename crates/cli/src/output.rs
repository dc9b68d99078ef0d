//! How the command ends and what it prints: the exit codes, and a standard output that may be closed.

use std::fmt;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// The answer is negative: something that was checked is not right.
pub(crate) const NEGATIVE: u8 = 1;
/// The command could not do what it was asked for.
pub(crate) const ERROR: u8 = 2;

/// Says on standard error what was wrong, and gives the exit code for it.
pub(crate) fn fail(what: impl fmt::Display) -> ExitCode {
    // Nothing is left to be told to anybody where standard error is closed too.
    let _ = writeln!(std::io::stderr(), "parcrypt: {what}");
    ExitCode::from(ERROR)
}

/// Writes the whole text to standard output. A reader that has seen enough, as `head`, is no error.
pub(crate) fn print(text: &str) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => fail(format_args!("standard output: {error}")),
        _ => ExitCode::SUCCESS,
    }
}
