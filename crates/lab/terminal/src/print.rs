//! Text on standard output.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use parcrypt_protocol::escape::{escaped, escaped_json};

use crate::error::{CommandError, fail};

/// A text for standard output.
pub enum Printed<'a> {
    /// Control characters other than line ends and tabs are escaped.
    Plain(&'a str),
    /// Control characters are escaped as in JSON.
    Json(&'a str),
    /// Escape sequences for colours; what is untrusted was escaped before.
    Coloured(&'a str),
}

impl Printed<'_> {
    /// Writes the text to standard output. A closed pipe, as with `head`, is not an error.
    ///
    /// # Errors
    /// The output cannot be written, as if the disk is full.
    pub fn write(&self) -> Result<(), CommandError> {
        let text = match self {
            Printed::Plain(text) => escaped(text),
            Printed::Json(text) => escaped_json(text),
            Printed::Coloured(text) => (*text).to_owned(),
        };
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(CommandError::new(format!("standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// [`Printed::write`], with the exit code.
    pub fn code(&self) -> ExitCode {
        self.write().map_or_else(fail, |()| ExitCode::SUCCESS)
    }
}

/// Writes the text to standard output, with control characters escaped.
pub fn print(text: &str) -> ExitCode {
    Printed::Plain(text).code()
}
