//! Work trees of revisions of the git project around the working folder, each built on its own.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use parcrypt_lab::TempFolder;

use crate::error::CommandError;
use crate::interrupt;
use crate::progress::Bar;
use crate::text::{on_one_line, tell};

use super::beside;

/// Digits of a commit in a name.
const DIGITS: usize = 9;

/// Work trees, which are removed when this is dropped.
#[derive(Debug)]
pub(super) struct Trees {
    /// Top folder of the project.
    project: PathBuf,
    /// Holds the trees.
    folder: TempFolder,
    pub(super) trees: Vec<Tree>,
}

/// A revision in a work tree.
#[derive(Debug)]
pub(super) struct Tree {
    /// The revision as it was given, with its commit.
    pub(super) name: String,
    path: PathBuf,
    /// The folder in it that is the working folder in the project.
    pub(super) folder: PathBuf,
    /// Whether it is whole.
    added: bool,
}

impl Trees {
    /// Makes a tree of each revision.
    ///
    /// # Errors
    /// The working folder is in no git project, or not in a revision; a revision is unknown.
    pub(super) fn new(revisions: &[String]) -> Result<Self, CommandError> {
        let here = Path::new(".");
        let project = git(here, &["rev-parse", "--show-toplevel"]).map_err(|why| {
            CommandError::new(format!("--rev: the working folder is in no git project: {why}"))
        })?;
        let prefix = git(here, &["rev-parse", "--show-prefix"]).map_err(CommandError::new)?;
        let mut commits = Vec::new();
        for revision in revisions {
            let commit = format!("{revision}^{{commit}}");
            let found = git(here, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
            let unknown =
                |_| CommandError::new(format!("--rev {revision}: the project has no such revision"));
            commits.push(found.map_err(unknown)?);
        }
        let folder = TempFolder::new().map_err(|e| CommandError::new(format!("a temporary folder: {e}")))?;
        let mut all = Trees { project: project.into(), folder, trees: Vec::new() };
        for (number, (revision, commit)) in (1..).zip(revisions.iter().zip(commits)) {
            let path = all.folder.path().join(number.to_string());
            let to = path.to_string_lossy().into_owned();
            let name = match commit.starts_with(revision.as_str()) {
                true => revision.clone(),
                false => format!("{revision} ({})", &commit[..commit.len().min(DIGITS)]),
            };
            let folder = path.join(&prefix);
            // It is known before it is made, so that one that is half made is removed too.
            all.trees.push(Tree { name, path, folder, added: false });
            let mut add = beside::in_tree("git", &all.project);
            add.args(["worktree", "add", "--quiet", "--detach", &to, &commit]);
            beside::run(add, interrupt::requested)
                .map_err(|why| CommandError::new(format!("--rev {revision}: {why}")))?;
            all.trees.iter_mut().for_each(|tree| tree.added = true);
        }
        let without = all.trees.iter().find(|tree| !tree.folder.is_dir()).map(|tree| tree.name.clone());
        match without {
            None => Ok(all),
            Some(name) => {
                let why = "the working folder is not in this revision";
                Err(CommandError::new(format!("--rev {name}: {why}")))
            }
        }
    }

    /// Runs the build command in each tree.
    ///
    /// # Errors
    /// The first build that fails, with the last lines of what it wrote.
    pub(super) fn build(&self, build: &str) -> Result<(), CommandError> {
        self.trees.iter().try_for_each(|tree| tree.build(build))
    }
}

impl Tree {
    fn build(&self, build: &str) -> Result<(), CommandError> {
        let bar = Bar::spinner();
        let what = format!("building {}: {}", on_one_line(&self.name), on_one_line(build));
        if bar.is_hidden() {
            tell(&what);
        }
        bar.set_message(what);
        let built = beside::run(beside::shell(build, Some(&self.folder)), interrupt::requested);
        built.map_err(|why| {
            CommandError::new(format!("--rev {}: the build failed: `{build}`: {why}", self.name))
        })
    }
}

impl Drop for Trees {
    fn drop(&mut self) {
        for tree in &self.trees {
            // Git refuses a folder that it has not finished, but not one that is gone.
            let _ = std::fs::remove_dir_all(&tree.path);
            let path = tree.path.to_string_lossy();
            let removed = git(&self.project, &["worktree", "remove", "--force", "--force", &path]);
            if let (Err(why), true) = (removed, tree.added) {
                tell(&format!("warning: the work tree of {} is not removed: {why}", on_one_line(&tree.name)));
            }
        }
    }
}

/// Runs git in a folder, and returns its output without the end of line, or the last line of its error. Ctrl-C at a
/// terminal does not reach it.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = beside::in_tree("git", folder).args(arguments).process_group(0).output();
    let output = output.map_err(|error| format!("git: {error}"))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end().to_owned();
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr).lines().next_back().unwrap_or("git failed").to_owned()),
    }
}
