//! Work trees of revisions of the git project around the working folder, each built on its own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use parcrypt_lab::{TempFolder, in_a_session, is_stale};

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{on_one_line, quoted, shown, tell};

use crate::processes::{in_tree, run, shell};

/// Digits of a commit in a name.
const DIGITS: usize = 9;

/// Work trees, which are removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Trees {
    /// Top folder of the project.
    project: PathBuf,
    /// Holds the trees.
    folder: TempFolder,
    pub(crate) trees: Vec<Tree>,
}

/// A revision in a work tree.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The revision as it was given, with its commit.
    pub(crate) name: String,
    path: PathBuf,
    /// The folder in it that is the working folder in the project.
    pub(crate) folder: PathBuf,
}

impl Trees {
    /// Makes a tree of each revision.
    pub(crate) fn new(revisions: &[String]) -> Result<Self, CommandError> {
        let here = Path::new(".");
        let git_here = |arguments: [&str; 2]| {
            git(here, arguments).map_err(|why| CommandError::new(format!("--rev: git: {why}")))
        };
        let project = PathBuf::from(git_here(["rev-parse", "--show-toplevel"])?);
        let prefix = git_here(["rev-parse", "--show-prefix"])?;
        let commits: Vec<String> = revisions.iter().map(|one| commit(here, one)).collect::<Result<_, _>>()?;
        let folder = TempFolder::new().map_err(|e| CommandError::new(format!("a temporary folder: {e}")))?;
        forget_left_trees(&project);
        // The folder of a command is a word of its candidate, which is a text.
        let inside = folder.path().join(&prefix);
        if inside.to_str().is_none() {
            let why = "its path is not UTF-8, as the folder of a command in a plan has to be";
            return Err(CommandError::new(format!("--rev: the work tree {}: {why}", shown(&inside))));
        }
        let mut all = Trees { project, folder, trees: Vec::new() };
        for (number, (revision, commit)) in (1..).zip(revisions.iter().zip(commits)) {
            let of_revision = |why| CommandError::new(format!("--rev {revision}: {why}"));
            let path =
                beside_what_the_project_has(&all.folder.path().join(number.to_string()), &all.project)?;
            let name = match commit.starts_with(revision.as_str()) {
                true => revision.clone(),
                false => format!("{revision} ({})", short(&commit)),
            };
            let mut add = git_in(&all.project);
            add.args(["worktree", "add", "--quiet", "--detach"]).arg(&path).arg(&commit);
            if let Err(why) = run(add, interrupt::requested) {
                // It may be half made.
                let _ = remove(&all.project, &path);
                return Err(of_revision(why.to_string()));
            }
            let added = add_submodules(&all.project, &path).map_err(of_revision);
            all.trees.push(Tree { name, folder: path.join(&prefix), path });
            added?;
        }
        if let Some(tree) = all.trees.iter().find(|tree| !tree.folder.is_dir()) {
            let why = "the working folder is not in this revision";
            return Err(CommandError::new(format!("--rev {}: {why}", tree.name)));
        }
        Ok(all)
    }

    /// Returns the folders of the trees with their names in records.
    pub(crate) fn hidden(&self) -> impl Iterator<Item = (PathBuf, String)> {
        let name = |at: usize| match (self.trees.len(), at) {
            (2, 0) => "old".to_owned(),
            (2, _) => "new".to_owned(),
            _ => format!("tree-{}", at + 1),
        };
        self.trees.iter().enumerate().map(move |(at, tree)| (tree.path.clone(), name(at)))
    }

    /// Runs the build command in each tree, with these variables.
    ///
    /// # Errors
    /// The first build that fails, with the last lines of what it wrote.
    pub(crate) fn build(&self, build: &str, env: &BTreeMap<String, String>) -> Result<(), CommandError> {
        for tree in &self.trees {
            let bar = Bar::spinner();
            bar.begin(&format!("building {}: {}", on_one_line(&tree.name), on_one_line(build)));
            let mut command = shell(build, Some(&tree.folder));
            command.envs(env);
            run(command, interrupt::requested).map_err(|why| {
                CommandError::new(format!("--rev {}: the build failed: `{build}`: {why}", tree.name))
            })?;
        }
        Ok(())
    }
}

impl Drop for Trees {
    fn drop(&mut self) {
        for tree in &self.trees {
            if let Err(why) = remove(&self.project, &tree.path) {
                tell(&format!("warning: the work tree of {} is not removed: {why}", on_one_line(&tree.name)));
            }
        }
    }
}

/// Returns the path for a work tree of a project below a folder. Next to it, and next to each folder around it, are
/// links to what the project has there: Cargo looks for its configuration, for a toolchain and for packages there.
fn beside_what_the_project_has(folder: &Path, project: &Path) -> std::io::Result<PathBuf> {
    // Cargo reads its home's configuration by itself.
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let mut path = folder.to_owned();
    let mut real = PathBuf::new();
    for part in project.components() {
        real.push(part);
        let Some((name, parent)) = real.file_name().zip(real.parent()) else { continue };
        std::fs::create_dir_all(&path)?;
        // One that cannot be read has nothing for Cargo either.
        for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
            let (from, to) = (entry.path(), path.join(entry.file_name()));
            if entry.file_name() == "Cargo.lock" {
                // Cargo may write to it.
                std::fs::copy(from, to)?;
            } else if entry.file_name() != name
                && entry.file_name() != ".git"
                && Some(&from) != cargo.as_ref()
            {
                std::os::unix::fs::symlink(from, to)?;
            }
        }
        path.push(name.to_str().unwrap_or("_"));
    }
    Ok(path)
}

/// Checks out the submodules of a work tree that the project has checked out, from there.
fn add_submodules(project: &Path, tree: &Path) -> Result<(), String> {
    if !tree.join(".gitmodules").exists() {
        return Ok(());
    }
    for line in git(tree, ["ls-files", "--stage", "-z"])?.as_encoded_bytes().split(|byte| *byte == 0) {
        let line = OsStr::from_bytes(line).to_string_lossy();
        let Some((commit, path)) = line.strip_prefix("160000 ").and_then(|rest| rest.split_once(" 0\t"))
        else {
            continue;
        };
        let (from, to) = (project.join(path), tree.join(path));
        if from.join(".git").exists() {
            let words = ["clone", "--quiet", "--shared", "--no-checkout"].map(OsStr::new);
            git(tree, words.into_iter().chain([from.as_os_str(), to.as_os_str()]))
                .and_then(|_| git(&to, ["checkout", "--quiet", "--detach", commit]))
                .map_err(|why| {
                    format!("the submodule {path}: {why}; fetch its commits with `git fetch` in it")
                })?;
            add_submodules(&from, &to)?;
        }
    }
    Ok(())
}

/// Returns a commit of the working folder's state with what is not committed, without a trace in the project, and a
/// name with the commit on which it is; `None` if everything is committed. Untracked files are not in it,
/// which is told.
pub(crate) fn uncommitted() -> Result<Option<(String, String)>, CommandError> {
    let here = Path::new(".");
    let of_git = |why| CommandError::new(format!("git: {why}"));
    let unknown = git(here, ["ls-files", "--others", "--exclude-standard"]).map_err(of_git)?;
    if !unknown.is_empty() {
        tell("note: untracked files are left out: `git add` them");
    }
    // In an index of its own, in which files of `git add --intent-to-add` have what they hold.
    let index = tempfile::NamedTempFile::new()?;
    let own = git(here, ["rev-parse", "--git-path", "index"]).map_err(of_git)?;
    let copied = std::fs::copy(&own, &index).and_then(|_| {
        // To git, a file that is not older than the index may have changed since.
        index.as_file().set_modified(std::fs::metadata(&own)?.modified()?)
    });
    copied.map_err(|why| CommandError::new(format!("the index of git: {why}")))?;
    let in_index = |arguments: &[&str]| {
        let mut command = git_in(here);
        // The commit needs an author.
        command.args(["-c", "user.name=parlab", "-c", "user.email=parlab@localhost"]).args(arguments);
        command.env("GIT_INDEX_FILE", index.path());
        text_of(command)
            .and_then(|text| text.into_string().map_err(|_| "not UTF-8".to_owned()))
            .map_err(of_git)
    };
    in_index(&["add", "--update", ":/"])?;
    let (tree, head) = (in_index(&["write-tree"])?, commit(here, "HEAD")?);
    if tree == in_index(&["rev-parse", "HEAD^{tree}"])? {
        return Ok(None);
    }
    let made = in_index(&["commit-tree", "-p", &head, "-m", "not committed", &tree])?;
    Ok(Some((made, format!("not committed (on {})", short(&head)))))
}

/// Returns the first digits of a commit.
fn short(commit: &str) -> &str {
    &commit[..commit.len().min(DIGITS)]
}

/// Returns the commit of a revision.
fn commit(project: &Path, revision: &str) -> Result<String, CommandError> {
    let found = |name: &str| {
        let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
        git(project, words).ok()?.into_string().ok()
    };
    // First what it names: `:/text^{commit}` would be a text to search.
    let commit = found(revision).and_then(|named| found(&format!("{named}^{{commit}}")));
    commit.ok_or_else(|| {
        let is_shallow = git(project, ["rev-parse", "--is-shallow-repository"]).is_ok_and(|is| is == "true");
        let why = match is_shallow {
            true => {
                "it is not in this shallow clone: fetch the history with `git fetch --unshallow`, or in CI with \
                 `fetch-depth: 0` of actions/checkout or `GIT_DEPTH: 0` of GitLab"
            }
            false => "the project has no such revision",
        };
        CommandError::new(format!("--rev {revision}: {why}"))
    })
}

/// Makes git forget the work trees of runs that were killed, whose folders are gone.
fn forget_left_trees(project: &Path) {
    let Ok(list) = git(project, ["worktree", "list", "--porcelain"]) else { return };
    for line in list.as_encoded_bytes().split(|byte| *byte == b'\n') {
        let Some(path) = line.strip_prefix(b"worktree ") else { continue };
        let path = PathBuf::from(OsString::from_vec(path.to_vec()));
        if path.iter().any(is_stale) && !path.exists() {
            // One that stays is listed, and does no harm.
            let _ = remove(project, &path);
        }
    }
}

/// Removes a work tree.
fn remove(project: &Path, tree: &Path) -> Result<(), String> {
    // Git refuses a folder that it has not finished, but not one that is gone.
    let _ = std::fs::remove_dir_all(tree);
    let words = ["worktree", "remove", "--force", "--force"].map(OsStr::new);
    git(project, words.into_iter().chain([tree.as_os_str()])).map(drop)
}

/// Returns the start of git in a folder, without the user's hooks.
fn git_in(folder: &Path) -> Command {
    let mut git = in_tree("git", folder);
    git.args(["-c", "core.hooksPath=/dev/null"]);
    git
}

/// Runs git in a folder, and returns its output.
fn git<S: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = S>) -> Result<OsString, String> {
    let mut git = git_in(folder);
    git.args(arguments);
    text_of(git)
}

/// Runs git, and returns its output without the end of line, or why it failed. Ctrl-C at a terminal does not reach it.
fn text_of(mut git: Command) -> Result<OsString, String> {
    // The reason is found by the English word before it.
    git.env("LC_ALL", "C");
    in_a_session(&mut git);
    let mut output = git.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let mut lines = said.split_once("fatal: ").map_or(&*said, |(_, why)| why).lines().map(str::to_owned);
        let first = lines.next().unwrap_or_else(|| "it failed".to_owned());
        return Err(first + &quoted(&lines.collect::<Vec<_>>()));
    }
    output.stdout.pop_if(|last| *last == b'\n');
    Ok(OsString::from_vec(output.stdout))
}
