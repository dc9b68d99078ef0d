//! Runs of the command as a process, for the tests of several of its subcommands.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value;

/// Runs a command, which must exit with this code, and returns its standard output and standard error.
pub(crate) fn ends(command: &mut Command, code: i32) -> (String, String) {
    let output = command.output().unwrap();
    ended(output, code, &format!("{command:?}"))
}

/// Checks the exit code of `what`, and returns its standard output and standard error.
pub(crate) fn ended(output: Output, code: i32, what: &str) -> (String, String) {
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(!stderr.contains("panicked"), "{what}: {stderr}");
    assert_eq!(output.status.code(), Some(code), "{what}\n{stdout}\n{stderr}");
    (stdout, stderr)
}

/// Waits until a process handles a signal, and so does not end by it.
pub(crate) fn wait_until_it_handles(pid: u32, signal: Signal) {
    let status = format!("/proc/{pid}/status");
    let handles = || {
        let status = fs::read_to_string(&status).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(caught, 16).unwrap() >> (signal as u64 - 1) & 1 == 1
    };
    while !handles() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Parses JSON lines.
pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns a shell in a folder that ends at the first error, in which `parcrypt` is this program.
pub(crate) fn shell(folder: &Path, script: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_parcrypt"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-ec", script]).env("PATH", path).env_remove("PARCRYPT_BACKEND").current_dir(folder);
    shell
}
