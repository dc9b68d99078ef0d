//! Runs of a command as a process, for tests of commands as a user runs them. What cannot be done, or goes otherwise
//! than expected, is a panic.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

/// Runs a command, which must exit with this code, and returns its standard output and standard error.
pub fn ends(command: &mut Command, code: i32) -> (String, String) {
    let output = command.output().expect("the command can be started");
    ended(output, code, &format!("{command:?}"))
}

/// Checks the exit code of `what`, and returns its standard output and standard error.
pub fn ended(output: Output, code: i32, what: &str) -> (String, String) {
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("output in UTF-8"));
    assert!(!stderr.contains("panicked"), "{what}: {stderr}");
    assert_eq!(output.status.code(), Some(code), "{what}\n{stdout}\n{stderr}");
    (stdout, stderr)
}

/// Waits until a process handles a signal, by its number, and so does not end by it.
pub fn wait_until_it_handles(pid: u32, signal: i32) {
    let status = format!("/proc/{pid}/status");
    let handles = || {
        let status = fs::read_to_string(&status).expect("the process is there");
        assert!(!status.contains("\nState:\tZ"), "the process has ended");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask of signals");
        u64::from_str_radix(caught.trim(), 16).expect("a mask in hexadecimal") >> (signal - 1) & 1 == 1
    };
    while !handles() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name().into_string();
    let mut names: Vec<String> = entries.map(|entry| name(entry).expect("a name in UTF-8")).collect();
    names.sort();
    names
}

/// Returns a shell in a folder that ends at the first error, and finds the programs in the folder of `program` first.
pub fn shell(folder: &Path, program: &str, script: &str) -> Command {
    let first = Path::new(program).parent().expect("a folder");
    let path = format!("{}:{}", first.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-ec", script]).env("PATH", path).env_remove("PARCRYPT_BACKEND").current_dir(folder);
    shell
}
