//! Commands that run to their end, in the working folder or in a work tree of git.

use std::ffi::OsStr;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use parcrypt_lab::command::{ELSEWHERE, in_shell};
use parcrypt_lab::run_in_session;
use parcrypt_report::head_and_tail;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::quoted;
use tempfile::NamedTempFile;

/// Time between two checks whether a command has ended, or the user wants to stop.
const TICK: Duration = Duration::from_millis(10);

/// Returns the command of a shell that runs a text in a work tree, or in the working folder.
pub(crate) fn shell(text: &str, tree: Option<&Path>) -> Command {
    let words = in_shell(None, text.to_owned());
    let mut command = match tree {
        Some(tree) => in_tree(&words[0], tree),
        None => Command::new(&words[0]),
    };
    command.args(&words[1..]);
    command
}

/// Returns the start of a program in a folder of a git project, without the variables that would lead it elsewhere.
pub(crate) fn in_tree(program: impl AsRef<OsStr>, tree: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(tree);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command
}

/// What a command wrote before it ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// Its standard output.
    pub(crate) stdout: String,
    /// Its standard error.
    pub(crate) stderr: String,
}

/// Runs a command to its end, and returns what it wrote. `stop` is asked with the last line on standard error so far,
/// a few times a second; if it returns true, the command is killed, with what it has started.
///
/// # Errors
/// It cannot be started, or was stopped.
pub(crate) fn finish(
    mut command: Command,
    mut stop: impl FnMut(&str) -> bool,
) -> Result<Finished, CommandError> {
    const LOOK: u32 = 20;
    if stop("") {
        return Err(CommandError::new("stopped"));
    }
    let (stdout, stderr) = (NamedTempFile::new()?, NamedTempFile::new()?);
    command.stdin(Stdio::null()).stdout(stdout.reopen()?).stderr(stderr.reopen()?);
    let mut ticks = 0_u32;
    let status = run_in_session(&mut command, TICK, || {
        ticks += 1;
        // Ctrl-C ends what runs at once, and the lines of a program are not read a hundred times a second.
        interrupt::requested() || ticks.is_multiple_of(LOOK) && stop(&last_line(&stderr))
    })?;
    let status = status.ok_or_else(|| CommandError::new("stopped"))?;
    let text = |file: &NamedTempFile| {
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&std::fs::read(file.path())?).into_owned())
    };
    Ok(Finished { status, stdout: text(&stdout)?, stderr: text(&stderr)? })
}

/// Returns the last whole line of a file that is being written; empty if it cannot be read.
fn last_line(file: &NamedTempFile) -> String {
    const END: u64 = 4096;
    let read = || {
        let mut file = file.reopen()?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
        let mut end = Vec::new();
        file.read_to_end(&mut end)?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&end).into_owned())
    };
    let end = read().unwrap_or_default();
    let whole = end.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().last().unwrap_or_default().trim().to_owned()
}

/// Runs a command to its end; kills what it has started too if `stop` returns true. If this process is killed, the
/// system kills what was started, though not what that has started in turn: a service may have to stay.
///
/// # Errors
/// An exit code other than 0, with the last lines of what it wrote.
pub(crate) fn run(mut command: Command, stop: impl Fn() -> bool) -> Result<(), CommandError> {
    if stop() {
        return Err(CommandError::new("stopped"));
    }
    let mut output = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
    let status = run_in_session(&mut command, TICK, stop)?;
    let status = status.ok_or_else(|| CommandError::new("stopped"))?;
    if status.success() {
        return Ok(());
    }
    let mut written = Vec::new();
    output.rewind()?;
    output.read_to_end(&mut written)?;
    let lines = quoted(&head_and_tail(&String::from_utf8_lossy(&written)));
    Err(CommandError::new(format!("{status}{lines}")))
}
