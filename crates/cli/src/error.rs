//! What ends a command before its time: a sentence for the user.

use std::fmt;

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
