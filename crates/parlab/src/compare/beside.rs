//! Shell commands before and after all runs.

use std::collections::BTreeSet;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use parcrypt_lab::command::substitute;
use parcrypt_lab::plan::Matrix;
use parcrypt_report::last_lines;

use crate::error::CommandError;
use crate::interrupt;
use crate::text::{on_one_line, quoted};

use super::commands::Commands;

/// Time between two checks whether a command has ended, or the user wants to stop.
const TICK: Duration = Duration::from_millis(10);

/// What runs before and after all runs, each text once.
#[derive(Debug)]
pub(super) struct Beside {
    setup: Vec<String>,
    cleanup: Vec<String>,
}

impl Beside {
    /// Returns the texts with the parameters of each case.
    pub(super) fn new(commands: &Commands, matrix: &Matrix) -> Self {
        let all = |text: &dyn Fn(&super::commands::Command) -> Option<&String>| {
            let texts = matrix.cases.iter().flat_map(|case| {
                commands.commands.iter().filter_map(text).map(|text| substitute(text, &case.params))
            });
            let mut seen = BTreeSet::new();
            texts.filter(|text| seen.insert(text.clone())).collect()
        };
        Beside {
            setup: all(&|command| command.setup.as_ref()),
            cleanup: all(&|command| command.cleanup.as_ref()),
        }
    }

    pub(super) fn setup(&self) -> Result<(), CommandError> {
        self.setup.iter().try_for_each(|text| run_text("--setup", text, interrupt::requested))
    }

    /// Runs all, and returns the first error. Ctrl-C does not end it: it may have brought us here.
    pub(super) fn cleanup(&self) -> Result<(), CommandError> {
        let results: Vec<_> = self.cleanup.iter().map(|text| run_text("--cleanup", text, || false)).collect();
        results.into_iter().collect()
    }
}

fn run_text(flag: &str, text: &str, stop: impl Fn() -> bool) -> Result<(), CommandError> {
    let run = run(shell(text, Path::new(".")), stop);
    run.map_err(|why| CommandError::new(format!("{flag} `{}`: {why}", on_one_line(text))))
}

/// Returns the command of a shell that runs a text in a folder.
pub(super) fn shell(text: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", text]).current_dir(folder);
    command
}

/// Runs a command to its end; kills its process group where `stop` returns true.
///
/// # Errors
/// An exit code other than 0, with the last lines of what it wrote.
pub(super) fn run(mut command: Command, stop: impl Fn() -> bool) -> Result<(), CommandError> {
    let mut output = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
    let mut child = command.process_group(0).spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if stop() {
            kill(&mut child);
            return Err(CommandError::new("stopped"));
        }
        std::thread::sleep(TICK);
    };
    if status.success() {
        return Ok(());
    }
    let mut written = Vec::new();
    output.rewind()?;
    output.read_to_end(&mut written)?;
    let lines = quoted(&last_lines(&String::from_utf8_lossy(&written)));
    Err(CommandError::new(format!("{status}{lines}")))
}

fn kill(child: &mut Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        // A group that has ended needs no signal.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = child.wait();
}
