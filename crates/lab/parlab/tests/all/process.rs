//! Runs of `parlab` as a process, for the tests of its subcommands.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use parcrypt_lab::record::Record;
pub(crate) use parcrypt_testkit::process::*;
use serde_json::Value;

/// Parses JSON lines.
pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a shell in a folder that ends at the first error, in which `parlab` is this program.
pub(crate) fn shell(folder: &Path, script: &str) -> Command {
    parcrypt_testkit::process::shell(folder, env!("CARGO_BIN_EXE_parlab"), script)
}

/// A temporary folder in which `parlab` runs, with these words before its arguments.
pub(crate) struct Folder(pub(crate) tempfile::TempDir, pub(crate) &'static [&'static str]);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap(), &[])
    }

    /// Returns a folder with the plan `p.toml`, and the candidate `sum.py` of the kit for Python.
    pub(crate) fn with(plan: &str) -> Self {
        let folder = Folder::new();
        for name in ["sum.py", "parlab.py"] {
            let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../candidates/kits/python");
            fs::copy(kit.join(name), folder.path(name)).unwrap();
        }
        folder.write("p.toml", plan);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and makes its folder.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// Returns the text of a file; empty if it is missing.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Writes a program.
    pub(crate) fn script(&self, name: &str, text: &str) {
        self.write(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn parlab(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlab"));
        command.current_dir(self.0.path()).args(self.1).args(arguments);
        command.env_remove("PARCRYPT_BACKEND").stdin(Stdio::null());
        command
    }

    /// Runs `parlab`, which must exit with this code; returns its standard output and standard error.
    pub(crate) fn ends(&self, arguments: &[&str], code: i32) -> (String, String) {
        ends(&mut self.parlab(arguments), code)
    }

    /// [`Folder::parlab`] with arguments as in a shell.
    pub(crate) fn words(&self, arguments: &str) -> Command {
        let words = parcrypt_lab::command::words(arguments).unwrap_or_default();
        self.parlab(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// [`Folder::ends`] with arguments as in a shell.
    pub(crate) fn line(&self, arguments: &str, code: i32) -> (String, String) {
        ends(&mut self.words(arguments), code)
    }

    /// [`Folder::line`] with the results as JSON.
    pub(crate) fn json(&self, arguments: &str, code: i32) -> Value {
        serde_json::from_str(&self.line(&format!("--json {arguments}"), code).0).unwrap()
    }

    /// Returns the names in a folder with this ending, sorted; none if the folder is missing.
    pub(crate) fn files(&self, folder: &str, ending: &str) -> Vec<String> {
        let folder = self.path(folder);
        let names = if folder.exists() { names(&folder) } else { Vec::new() };
        names.into_iter().filter(|name| name.ends_with(ending)).collect()
    }

    /// Returns the path from here of the only record in a folder.
    pub(crate) fn record_in(&self, folder: &str) -> String {
        let records = self.files(folder, ".json");
        let [record] = &records[..] else { panic!("{records:?}") };
        format!("{folder}/{record}")
    }

    /// Returns the only record in a folder.
    pub(crate) fn record(&self, folder: &str) -> Record {
        Record::read(&self.path(&self.record_in(folder))).unwrap()
    }
}

/// Waits until a condition holds, for at most ten minutes.
pub(crate) fn wait_until(mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(600), "waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a file has a line, and returns the number in it.
pub(crate) fn number_in(file: &Path) -> i32 {
    let text = || fs::read_to_string(file).unwrap_or_default();
    wait_until(|| text().contains('\n'));
    text().lines().next().unwrap().parse().unwrap()
}
