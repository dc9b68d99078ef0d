//! Commands that run to their end, in the working folder or in a work tree of git.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use parcrypt_lab::command::{ELSEWHERE, in_shell};
use parcrypt_lab::run_in_session;
use parcrypt_report::head_and_tail;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::quoted;

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
/// a few times a second; if it returns true, or at Ctrl-C, the command is killed, with what it has started.
pub(crate) fn finish(command: Command, mut stop: impl FnMut(&str) -> bool) -> Result<Finished, CommandError> {
    const LOOK: u32 = 20;
    let mut ticks = 0_u32;
    end(command, |stderr| {
        ticks += 1;
        // Ctrl-C ends what runs at once, and the lines of a program are not read a hundred times a second.
        interrupt::requested() || ticks.is_multiple_of(LOOK) && stop(&last_line(stderr))
    })
}

/// Runs a command to its end; kills it, with what it has started, if `stop` returns true.
///
/// # Errors
/// An exit code other than 0, with the first and last lines of what it wrote.
pub(crate) fn run(command: Command, stop: impl Fn() -> bool) -> Result<(), CommandError> {
    let done = end(command, |_| stop())?;
    if done.status.success() {
        return Ok(());
    }
    let lines = quoted(&head_and_tail(&format!("{}\n{}", done.stdout, done.stderr)));
    Err(CommandError::new(format!("{}{lines}", done.status)))
}

/// Runs a command to its end. `stop` is asked with the file of its standard error. If this process is killed, the
/// system kills what was started, but not what that has started in turn: a service may have to stay.
fn end(mut command: Command, mut stop: impl FnMut(&File) -> bool) -> Result<Finished, CommandError> {
    // Nothing is left of files without a name.
    let (stdout, stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let stopped = || CommandError::new("stopped");
    if stop(&stderr) {
        return Err(stopped());
    }
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let status = run_in_session(&mut command, TICK, || stop(&stderr))?.ok_or_else(stopped)?;
    Ok(Finished { status, stdout: text(&stdout)?, stderr: text(&stderr)? })
}

/// Returns the text of a file to which another process writes.
fn text(file: &File) -> std::io::Result<String> {
    let mut bytes = vec![0; file.metadata()?.len() as usize];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the last whole line of a file that is being written; empty if it cannot be read.
fn last_line(file: &File) -> String {
    let text = text(file).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().last().unwrap_or_default().trim().to_owned()
}
