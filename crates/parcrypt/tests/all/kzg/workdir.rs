//! A folder in which the command is run, and its contents.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::process;
pub(crate) use crate::process::{ended, ends, lines};

pub(crate) const BLOB: usize = 131_072;
/// The point at infinity: the commitment to zeros, and the proof of a blob of one value.
pub(crate) const INFINITY: &str =
    "0xc00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";

/// Returns the lines of standard error before the last one, which counts the inputs.
pub(crate) fn before_count(stderr: &str) -> &str {
    let last = stderr.lines().last().unwrap_or_default();
    assert!(last.contains(" in "), "the last line has no count: {stderr}");
    stderr.strip_suffix(&format!("{last}\n")).unwrap()
}

/// A folder in which the command is run.
pub(crate) struct WorkDir(pub(crate) TempDir);

impl WorkDir {
    pub(crate) fn new() -> Self {
        WorkDir(tempfile::tempdir().unwrap())
    }

    /// Returns a folder with these blobs in a folder `blobs`.
    pub(crate) fn with_blobs(names: &[&str]) -> Self {
        let dir = WorkDir::new();
        fs::create_dir(dir.path("blobs")).unwrap();
        for (i, name) in names.iter().enumerate() {
            dir.write(&format!("blobs/{name}"), &blob(i as u64 + 1));
        }
        dir
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

    /// Checks that two files have the same contents. The bytes of blobs are too many to be shown.
    pub(crate) fn same(&self, a: &str, b: &str) {
        assert!(self.read(a) == self.read(b), "{a} and {b} differ");
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Returns `parcrypt kzg` with these words.
    pub(crate) fn command(&self, words: &str) -> Command {
        self.with(Command::new(env!("CARGO_BIN_EXE_parcrypt")), words)
    }

    /// Returns the same for a command that might wait forever, even after SIGTERM: then it ends with another exit code.
    pub(crate) fn command_in_time(&self, words: &str) -> Command {
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", "60", env!("CARGO_BIN_EXE_parcrypt")]);
        self.with(command, words)
    }

    fn with(&self, mut command: Command, words: &str) -> Command {
        command.current_dir(self.0.path()).arg("kzg").args(words.split_whitespace());
        command.env_remove("PARCRYPT_BACKEND").stdin(Stdio::null());
        command
    }

    /// Runs the command, which must exit with this code, and returns its output.
    pub(crate) fn ends(&self, words: &str, code: i32) -> (String, String) {
        ends(&mut self.command(words), code)
    }

    /// Runs a script, in which `parcrypt` is this program, and which ends at the first error.
    pub(crate) fn shell(&self, script: &str) {
        ends(&mut process::shell(self.0.path(), script), 0);
    }

    /// Returns the names in a folder, sorted, including the ledger.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        process::names(&self.path(folder))
    }
}

/// Returns a blob whose field elements are all small and differ.
pub(crate) fn blob(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; BLOB];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for element in bytes.chunks_mut(32) {
        for byte in &mut element[1..] {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
    }
    bytes
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let digits = text.trim().strip_prefix("0x").unwrap();
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}
