//! Runs of `parcrypt` as a process, for the tests of several of its subcommands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) use parcrypt_testkit::process::*;
use serde_json::Value;
use tempfile::TempDir;

/// Returns `parcrypt` without a standard input, in an environment that chooses no backend and no profile.
pub(crate) fn parcrypt(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parcrypt"));
    command.args(arguments).stdin(Stdio::null());
    command.env_remove("PARCRYPT_BACKEND").env_remove("PARCRYPT_PROFILE");
    command
}

/// Parses JSON lines.
pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let digits = text.trim().trim_start_matches("0x");
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

/// A temporary folder in which the command is run.
pub(crate) struct Folder(pub(crate) TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Returns the command in this folder, with the words after its name.
    pub(crate) fn with(&self, mut command: Command, name: &str, words: &str) -> Command {
        command.current_dir(self.0.path()).arg(name).args(words.split_whitespace());
        command.env_remove("PARCRYPT_BACKEND").stdin(Stdio::null());
        command
    }

    /// Returns a shell that ends at the first error, in which `parcrypt` is this program.
    pub(crate) fn shell_command(&self, script: &str) -> Command {
        shell(self.0.path(), env!("CARGO_BIN_EXE_parcrypt"), script)
    }

    /// Runs a script and returns its output.
    pub(crate) fn shell(&self, script: &str) -> String {
        ends(self.shell_command(script).stdin(Stdio::null()), 0).0
    }

    /// Returns the names in a folder, sorted, including the ledger.
    pub(crate) fn names(&self, folder: impl AsRef<Path>) -> Vec<String> {
        names(&self.0.path().join(folder))
    }
}
