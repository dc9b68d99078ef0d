//! Runs of `parcrypt` as a process, for the tests of several of its subcommands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) use parcrypt_testkit::process::*;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const PARCRYPT: &str = env!("CARGO_BIN_EXE_parcrypt");

/// Returns `parcrypt` without a standard input, in an environment that chooses no backend.
pub(crate) fn parcrypt(arguments: &[&str]) -> Command {
    let mut command = Command::new(PARCRYPT);
    command.args(arguments).stdin(Stdio::null());
    command.env_remove("PARCRYPT_BACKEND");
    command
}

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let digits = text.trim().trim_start_matches("0x");
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

/// Returns the examples of a help text without their explanations, which follow two spaces.
pub(crate) fn examples(help: &str) -> Vec<&str> {
    let text = help.split_once("\nExamples").or_else(|| help.split_once(" by hand:\n"));
    let text = text.unwrap_or_else(|| panic!("no examples: {help}")).1;
    let lines = text.lines().skip(1).take_while(|line| line.starts_with("  "));
    lines.map(|line| line.trim().split("  ").next().unwrap()).collect()
}

/// Runs a command whose standard output is closed. It must exit with this code, without a message.
pub(crate) fn ends_without_reader(command: &mut Command, code: i32) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(ended(output, code, &format!("{command:?}")).1, "", "{command:?}");
}

pub(crate) struct WorkDir {
    folder: TempDir,
    start: &'static [&'static str],
}

impl WorkDir {
    pub(crate) fn starting(start: &'static [&'static str]) -> Self {
        WorkDir { folder: tempfile::tempdir().unwrap(), start }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
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

    pub(crate) fn with(&self, start: &[&str], words: &str) -> Command {
        let mut command = Command::new(start[0]);
        command.current_dir(self.folder.path()).args(&start[1..]).args(words.split_whitespace());
        command.env_remove("PARCRYPT_BACKEND").stdin(Stdio::null());
        command
    }

    pub(crate) fn command(&self, words: &str) -> Command {
        self.with(self.start, words)
    }

    pub(crate) fn ends(&self, words: &str, code: i32) -> (String, String) {
        ends(&mut self.command(words), code)
    }

    /// Runs the command, which must end with an error that contains this part, or begins with it if that is `error: `.
    pub(crate) fn refuses(&self, words: &str, part: &str) {
        let (_, stderr) = self.ends(words, 2);
        let is_right =
            if part.starts_with("error: ") { stderr.starts_with(part) } else { stderr.contains(part) };
        assert!(is_right, "{words}: {part}\n{stderr}");
    }

    /// Returns a shell that ends at the first error, in which `parcrypt` is this program.
    pub(crate) fn shell_command(&self, script: &str) -> Command {
        shell(self.folder.path(), PARCRYPT, script)
    }

    pub(crate) fn shell(&self, script: &str) -> String {
        ends(self.shell_command(script).stdin(Stdio::null()), 0).0
    }

    pub(crate) fn names(&self, folder: impl AsRef<Path>) -> Vec<String> {
        names(&self.folder.path().join(folder))
    }
}
