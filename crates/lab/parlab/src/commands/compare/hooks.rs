//! Shell commands before and after all runs.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use parcrypt_lab::command::substitute;
use parcrypt_lab::plan::Matrix;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::{on_one_line, tell};

use super::compared::Commands;
use crate::processes::{run, shell};

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
