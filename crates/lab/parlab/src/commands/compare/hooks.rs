//! Shell commands before and after all runs.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use parcrypt_lab::Session;
use parcrypt_lab::command::{ELSEWHERE, in_shell, set_arguments, substitute};
use parcrypt_lab::plan::Matrix;
use parcrypt_report::stderr_tail;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::{on_one_line, quoted, tell};

use super::compared::Commands;

/// Time between two checks whether a command has ended, or the user wants to stop.
const TICK: Duration = Duration::from_millis(10);

/// What runs before and after all runs, each text once in each work tree, or once in the working folder.
#[derive(Debug)]
pub(super) struct Hooks {
    setup: Vec<(String, Option<PathBuf>)>,
    cleanup: Vec<(String, Option<PathBuf>)>,
}

impl Hooks {
    /// Returns the texts with the parameters of each case.
    pub(super) fn new(commands: &Commands, matrix: &Matrix) -> Self {
        let all = |text: &dyn Fn(&super::compared::Command) -> Option<&String>| {
            let texts = matrix.cases.iter().flat_map(|case| {
                let in_folder = |command| Some((text(command)?, command.folder()));
                let texts = commands.commands.iter().filter_map(in_folder);
                texts.map(|(text, folder)| (substitute(text, &case.params), folder.map(Path::to_owned)))
            });
            let mut seen = BTreeSet::new();
            texts.filter(|text| seen.insert(text.clone())).collect()
        };
        Hooks {
            setup: all(&|command| command.setup.as_ref()),
            cleanup: all(&|command| command.cleanup.as_ref()),
        }
    }

    pub(super) fn setup(&self) -> Result<(), CommandError> {
        self.setup
            .iter()
            .try_for_each(|(text, folder)| run_text("--setup", text, folder.as_deref(), interrupt::requested))
    }

    /// Runs all and tells each error; returns whether there was none. Ctrl-C may have led here, so it takes a second
    /// one to end this.
    pub(super) fn cleanup(&self) -> bool {
        let told = Cell::new(false);
        let stop = || {
            if interrupt::requested() && !told.replace(true) {
                tell("note: --cleanup runs; Ctrl-C again ends it");
            }
            interrupt::requested_again()
        };
        let run = |(text, folder): &(String, Option<PathBuf>)| {
            let done = run_text("--cleanup", text, folder.as_deref(), stop);
            done.inspect_err(|error| tell(&format!("error: {error}"))).is_ok()
        };
        // All run, also after one that failed.
        self.cleanup.iter().filter(|one| !run(one)).count() == 0
    }
}

fn run_text(
    flag: &str,
    text: &str,
    folder: Option<&Path>,
    stop: impl Fn() -> bool,
) -> Result<(), CommandError> {
    let run = run(shell(text, folder), stop);
    run.map_err(|why| CommandError::new(format!("{flag} `{}`: {why}", on_one_line(text))))
}

/// Returns the command of a shell that runs a text in a work tree, or in the working folder.
pub(super) fn shell(text: &str, tree: Option<&Path>) -> Command {
    let words = in_shell(None, text.to_owned());
    let mut command = match tree {
        Some(tree) => in_tree(&words[0], tree),
        None => Command::new(&words[0]),
    };
    set_arguments(&mut command, &words[1..]);
    command
}

/// Returns the start of a program in a folder of a git project, without the variables that would lead it elsewhere.
pub(super) fn in_tree(program: &str, tree: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(tree);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command
}

/// Runs a command to its end; kills what it has started too if `stop` returns true. If this process is killed, the
/// system kills what was started, though not what that has started in turn: a service may have to stay.
///
/// # Errors
/// An exit code other than 0, with the last lines of what it wrote.
pub(super) fn run(mut command: Command, stop: impl Fn() -> bool) -> Result<(), CommandError> {
    if stop() {
        return Err(CommandError::new("stopped"));
    }
    let mut output = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
    let status = Session::start(&mut command)?.wait(TICK, stop)?;
    let status = status.ok_or_else(|| CommandError::new("stopped"))?;
    if status.success() {
        return Ok(());
    }
    let mut written = Vec::new();
    output.rewind()?;
    output.read_to_end(&mut written)?;
    let lines = quoted(&stderr_tail(&String::from_utf8_lossy(&written)));
    Err(CommandError::new(format!("{status}{lines}")))
}
