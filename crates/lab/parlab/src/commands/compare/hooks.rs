//! Shell commands before and after all runs.

use std::cell::Cell;
use std::path::PathBuf;

use parcrypt_lab::command::substitute;
use parcrypt_lab::plan::Matrix;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::{on_one_line, tell};

use super::compared::Command;
use crate::processes::{run, shell};

/// Texts, each with the work tree in which it runs; in the working folder without one.
pub(super) type Texts = Vec<(String, Option<PathBuf>)>;

/// Returns the texts of commands, with the parameters of each case, once for each work tree.
pub(super) fn texts(
    commands: &[Command],
    matrix: &Matrix,
    text: impl Fn(&Command) -> Option<&String>,
) -> Texts {
    let mut all = Texts::new();
    for case in &matrix.cases {
        for command in commands {
            let text = text(command).map(|text| substitute(text, &case.params));
            let text = text.map(|text| (text, command.whole.folder.clone()));
            let new = text.filter(|text| !all.contains(text));
            all.extend(new);
        }
    }
    all
}

/// Runs the texts of --setup.
pub(super) fn set_up(texts: &Texts) -> Result<(), CommandError> {
    texts.iter().try_for_each(|text| run_text("--setup", text, interrupt::requested))
}

/// Runs all texts of --cleanup, also after one that failed, and tells each error; returns whether there was none.
/// Ctrl-C may have led here, so it takes a second one to end this.
pub(super) fn clean_up(texts: &Texts) -> bool {
    let told = Cell::new(false);
    let stop = || {
        if interrupt::requested() && !told.replace(true) {
            tell("note: --cleanup runs; Ctrl-C again ends it");
        }
        interrupt::requested_again()
    };
    let ran = texts.iter().map(|text| run_text("--cleanup", text, stop));
    let failed = ran.filter_map(Result::err).inspect(|error| tell(&format!("error: {error}")));
    failed.count() == 0
}

fn run_text(
    flag: &str,
    (text, tree): &(String, Option<PathBuf>),
    stop: impl Fn() -> bool,
) -> Result<(), CommandError> {
    let failed = |why| CommandError::new(format!("{flag} `{}`: {why}", on_one_line(text)));
    run(shell(text, tree.as_deref()), stop).map_err(failed)
}
