//! A folder in which the command is run.

use std::ops::Deref;
use std::process::Command;

use crate::process::Folder;
pub(crate) use crate::process::{bytes, ended, ends, lines};

/// A folder in which `parcrypt scrypt` is run.
pub(crate) struct WorkDir(Folder);

impl Deref for WorkDir {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.0
    }
}

impl WorkDir {
    pub(crate) fn new() -> Self {
        WorkDir(Folder::new())
    }

    /// Returns `parcrypt scrypt` with these words, without a terminal: in a session of its own.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new("setsid");
        command.args(["--wait", env!("CARGO_BIN_EXE_parcrypt")]);
        self.with(command, "scrypt", words)
    }

    /// Returns the same as a process of its own, to which signals can be sent.
    pub(crate) fn process(&self, words: &str) -> Command {
        self.with(Command::new(env!("CARGO_BIN_EXE_parcrypt")), "scrypt", words)
    }

    /// Runs the command, which must exit with this code, and returns its output.
    pub(crate) fn ends(&self, words: &str, code: i32) -> (String, String) {
        ends(&mut self.command(words), code)
    }
}
