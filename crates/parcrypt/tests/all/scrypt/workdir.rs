//! A folder in which the command is run.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::process;
pub(crate) use crate::process::{ended, ends, lines};

pub(crate) struct WorkDir(TempDir);

impl WorkDir {
    pub(crate) fn new() -> Self {
        WorkDir(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        process::names(self.0.path())
    }

    /// Returns `parcrypt scrypt` with these words, without a terminal: in a session of its own.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new("setsid");
        command.args(["--wait", env!("CARGO_BIN_EXE_parcrypt"), "scrypt"]).args(words.split_whitespace());
        command.current_dir(self.0.path()).env_remove("PARCRYPT_BACKEND").stdin(Stdio::null());
        command
    }

    /// Returns the same as a process of its own, to which signals can be sent.
    pub(crate) fn process(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parcrypt"));
        command.arg("scrypt").args(words.split_whitespace());
        command.current_dir(self.0.path()).env_remove("PARCRYPT_BACKEND").stdin(Stdio::null());
        command
    }

    /// Runs the command, which must exit with this code, and returns its output.
    pub(crate) fn ends(&self, words: &str, code: i32) -> (String, String) {
        ends(&mut self.command(words), code)
    }

    /// Returns a shell that ends at the first error, in which `parcrypt` is this program.
    pub(crate) fn shell_command(&self, script: &str) -> Command {
        process::shell(self.0.path(), script)
    }

    /// Runs a script and returns its output.
    pub(crate) fn shell(&self, script: &str) -> String {
        ends(self.shell_command(script).stdin(Stdio::null()), 0).0
    }
}

pub(crate) fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}
