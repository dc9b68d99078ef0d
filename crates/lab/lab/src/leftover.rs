//! Temporary files and folders of this program, and what processes that were killed have left of them.
//!
//! The name of each has the number and the start time of the process that owns it, and the owner holds a lock on it. A
//! later start removes those whose owner has ended: no process has the number and the start time, and nobody holds the
//! lock. The lock alone would not do, because there is a moment between making a folder and locking it; the name alone
//! would not do if processes of another namespace or another machine see the same folder.

use std::ffi::OsStr;
use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile, TempDir, TempPath};

use crate::owner::Owner;
use crate::system::{is_mine, is_same, open_itself};

/// Beginning of the name of a temporary folder.
const FOLDER: &str = "parcrypt-";
/// Beginning of the name of a temporary file next to an output, hidden from a plain listing.
const FILE: &str = ".parcrypt-";
/// What follows the name of a program in the name of a copy next to it.
const COPY: &str = ".parcrypt-copy-";

/// Returns the owner in the name of a temporary file or folder; `None` for any other name.
fn owner_of(name: &str) -> Option<Owner> {
    let copy = || name.rsplit_once(COPY).map(|(_, rest)| rest);
    let rest = name.strip_prefix(FILE).or_else(|| name.strip_prefix(FOLDER)).or_else(copy)?;
    let (owner, random) = Owner::parse(rest)?;
    (random.len() >= 6 && random.chars().all(|c| c.is_ascii_alphanumeric())).then_some(owner)
}

/// Returns whether this is the name of a temporary file or folder whose process has ended.
pub fn is_stale(name: &OsStr) -> bool {
    name.to_str().and_then(owner_of).is_some_and(|owner| !owner.is_alive())
}

/// A temporary folder, removed when it is dropped, or by a later [`remove_stale`] if this process is killed.
#[derive(Debug)]
pub struct TempFolder {
    folder: TempDir,
    /// Holds the lock; `None` if the file system has no locks.
    _lock: Option<File>,
}

impl TempFolder {
    /// Makes a folder in the folder for temporary files, after a [`remove_stale`] of that.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn new() -> io::Result<Self> {
        Self::new_in(&std::env::temp_dir())
    }

    fn new_in(parent: &Path) -> io::Result<Self> {
        remove_stale(parent);
        let folder = Builder::new().prefix(&format!("{FOLDER}{}-", Owner::myself())).tempdir_in(parent)?;
        let lock = File::open(folder.path()).ok().filter(|lock| lock.try_lock().is_ok());
        Ok(TempFolder { folder, _lock: lock })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Makes a temporary file in `folder`, next to the output that it will become.
pub(crate) fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let file = Builder::new().prefix(&format!("{FILE}{}-", Owner::myself())).tempfile_in(folder)?;
    // A file system without locks has only the name.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// A copy of a program, removed when it is dropped, or by a later [`remove_stale`] if this process is killed.
#[derive(Debug)]
pub(crate) struct ProgramCopy {
    pub(crate) path: TempPath,
    /// Holds the lock; `None` if the file system has no locks.
    _lock: Option<File>,
}

/// Copies a program, next to it. Its code then lies in other pages of memory, which may change its time by some per
/// cent as long as the file is in memory: of two equal files, one may be slower each time that it runs.
pub(crate) fn copy_of(program: &Path) -> io::Result<ProgramCopy> {
    let mut start = program.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    start.push(format!("{COPY}{}-", Owner::myself()));
    let folder = program.parent().unwrap_or_else(|| Path::new("."));
    let copy = Builder::new().prefix(&start).tempfile_in(folder)?.into_temp_path();
    std::fs::copy(program, &copy)?;
    // Only open for reading: a program cannot start while its file is open for writing.
    let lock = File::open(&copy).ok().filter(|lock| lock.try_lock().is_ok());
    Ok(ProgramCopy { path: copy, _lock: lock })
}

/// Removes the temporary files and folders in `folder`, and copies of programs, that processes of this user have left
/// which have ended.
///
/// Links are not followed. What cannot be read or removed stays.
pub fn remove_stale(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(owner) = name.to_str().and_then(owner_of) else { continue };
        // This does not follow a link.
        let Ok(found) = entry.metadata() else { continue };
        // A copy is a file.
        let is_whole = name.to_str().is_some_and(|name| !name.contains(COPY)) || found.is_file();
        if is_whole && is_mine(&found) && !owner.is_alive() {
            remove(&entry.path(), &found);
        }
    }
}

/// Removes a file or a folder whose lock is free.
fn remove(path: &Path, found: &Metadata) {
    if !found.is_dir() && !found.is_file() {
        return;
    }
    let Ok(lock) = open_itself(path) else { return };
    // A path that was exchanged meanwhile is another file.
    let same = lock.metadata().is_ok_and(|now| is_same(&now, found));
    if !same || matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
        return;
    }
    // Neither follows links. What cannot be removed is left to the next call.
    let _ = if found.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use procfs::process::Process;

    use super::*;

    fn named(beginning: &str, owner: Owner, random: &str) -> String {
        format!("{beginning}{owner}-{random}")
    }

    /// Returns a process that has ended, so that no process has its number and start time.
    fn ended() -> Owner {
        let mut child = Command::new("true").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let since = Process::new(pid).unwrap().stat().unwrap().starttime;
        child.wait().unwrap();
        Owner { pid, since }
    }

    #[test]
    fn what_the_dead_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let (dead, myself) = (ended(), Owner::myself());
        assert!(!dead.is_alive() && myself.is_alive());
        let outside = parent.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("kept"), "").unwrap();
        let at = |name: String| parent.path().join(name);
        let folder = |name: String| {
            let path = at(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("8.bin"), "x").unwrap();
            symlink(&outside, path.join("link")).unwrap();
            path
        };
        let gone = folder(named(FOLDER, dead, "Ab3xYz"));
        let gone_file = at(named(FILE, dead, "Ab3xYz"));
        std::fs::write(&gone_file, "half").unwrap();
        // The number of a living process, with the start time of another.
        let reused = folder(named(FOLDER, Owner { pid: myself.pid, since: myself.since + 1 }, "Ab3xYz"));
        let copies =
            [dead, myself].map(|owner| at(format!("a.parcrypt-copy-b{}", named(COPY, owner, "Ab3xYz"))));
        copies.iter().for_each(|copy| std::fs::write(copy, "program").unwrap());
        let mine = folder(named(FOLDER, myself, "Ab3xYz"));
        let locked = folder(named(FOLDER, dead, "Locked"));
        let lock = File::open(&locked).unwrap();
        lock.lock().unwrap();
        let link = at(named(FOLDER, dead, "Linked"));
        symlink(&outside, &link).unwrap();
        let others = [
            "parcrypt-1-2-short", // The random part is too short.
            "parcrypt-x-2-Ab3xYz",
            "parcrypt-inputs-Ab3xYz",
            "a.parcrypt-copy-Ab3xYz",
            "a.parcrypt-copy-1-2-Ab3xYz.d",
            "parcrypt-",
            "notes",
        ]
        .map(|name| folder(name.to_owned()));
        let is_named_left = |path: &Path| is_stale(path.file_name().unwrap());
        assert!(is_named_left(&gone) && is_named_left(&reused) && is_named_left(&locked));
        assert!(!is_named_left(&mine) && !others.iter().any(|path| is_named_left(path)));
        remove_stale(parent.path());
        assert!(!gone.exists() && !gone_file.exists() && !reused.exists());
        assert!(!copies[0].exists() && copies[1].exists());
        assert!(mine.exists() && locked.exists() && link.is_symlink() && outside.join("kept").exists());
        assert!(others.iter().all(|path| path.exists()));
        drop(lock);
        remove_stale(parent.path());
        assert!(!locked.exists() && mine.exists());
    }

    #[test]
    fn what_is_in_use_stays() {
        let parent = tempfile::tempdir().unwrap();
        let first = TempFolder::new_in(parent.path()).unwrap();
        let file = temporary_file(parent.path()).unwrap();
        let second = TempFolder::new_in(parent.path()).unwrap();
        assert!(first.path().is_dir() && file.path().is_file() && first.path() != second.path());
        for path in [first.path(), file.path()] {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert_eq!(owner_of(name), Some(Owner::myself()), "{name}");
        }
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }
}
