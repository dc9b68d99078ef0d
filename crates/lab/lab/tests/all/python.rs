//! Python, for tests whose candidates are written in it.

use std::process::Command;
use std::sync::LazyLock;

/// The words of a command in TOML that starts it: the program itself, because one that looks for it, as pyenv's does,
/// takes three times as long to start.
pub(crate) static PYTHON: LazyLock<String> = LazyLock::new(|| {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let found = asked.ok().filter(|asked| asked.status.success());
    let program =
        found.map_or_else(|| "python3".to_owned(), |found| String::from_utf8(found.stdout).unwrap());
    // Without the modules of sites.
    format!("\"{}\", \"-S\"", program.trim())
});
