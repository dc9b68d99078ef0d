//! Runs of `parlab` as a process, for the tests of several of its subcommands.

use std::path::Path;
use std::process::Command;

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
