//! Temporary files and folders of this program, and what processes that were killed have left of them.
//!
//! The name of each has the number and the start time of the process that owns it, and the owner holds a lock on it. A
//! later start removes those whose owner has ended: no process has the number and the start time, and nobody holds the
//! lock. The lock alone would not do, because there is a moment between making a folder and locking it; the name alone
//! would not do if processes of another namespace or another machine see the same folder.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use nix::unistd::geteuid;
use tempfile::{Builder, NamedTempFile, TempDir, TempPath};

use crate::owner::Owner;

/// Beginning of the name of a temporary folder.
const FOLDER: &str = "parcrypt-";
/// Beginning of the name of a temporary file next to an output, hidden from a plain listing.
const FILE: &str = ".parcrypt-";
/// What follows the name of a program in the name of a copy next to it.
const COPY: &str = ".parcrypt-copy-";

/// Returns whether this is the name of a temporary file or folder whose process has ended.
pub fn is_stale(name: &OsStr) -> bool {
    let owner = || {
        let name = name.to_str()?;
        let copy = || name.rsplit_once(COPY).map(|(_, rest)| rest);
        let rest = name.strip_prefix(FILE).or_else(|| name.strip_prefix(FOLDER)).or_else(copy)?;
        let (owner, random) = Owner::parse(rest)?;
        (random.len() >= 6 && random.chars().all(|c| c.is_ascii_alphanumeric())).then_some(owner)
    };
    owner().is_some_and(|owner| !owner.is_alive())
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
        let parent = std::env::temp_dir();
        remove_stale(&parent);
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
        if !is_stale(&name) {
            continue;
        }
        // This does not follow a link.
        let Ok(found) = entry.metadata() else { continue };
        // A copy is a file.
        let is_whole = found.is_file() || found.is_dir() && !name.to_string_lossy().contains(COPY);
        if is_whole && found.uid() == geteuid().as_raw() {
            remove(&entry.path(), &found);
        }
    }
}

/// Removes a file or a folder whose lock is free.
fn remove(path: &Path, found: &Metadata) {
    let lock = OpenOptions::new().read(true).custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path);
    let Ok(lock) = lock else { return };
    // A path that was exchanged meanwhile is another file.
    let is_same = |now: Metadata| (now.dev(), now.ino()) == (found.dev(), found.ino());
    if !lock.metadata().is_ok_and(is_same) || matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
        return;
    }
    // Neither follows links. What cannot be removed is left to the next call.
    let _ = if found.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::process::Command;

    use procfs::process::Process;

    use super::*;

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
        let at = |name: &str| parent.path().join(name);
        let (outside, dead, myself) = (at("outside"), ended(), Owner::myself());
        // The number of a living process, with the start time of another.
        let reused = Owner { since: myself.since + 1, ..myself };
        std::fs::create_dir(&outside).unwrap();
        let folder = |name: &str| {
            std::fs::create_dir(at(name)).unwrap();
            std::fs::write(at(name).join("8.bin"), "x").unwrap();
            symlink(&outside, at(name).join("link")).unwrap();
            at(name)
        };
        let file = |name: &str| {
            std::fs::write(at(name), "half").unwrap();
            at(name)
        };
        let goes = [
            folder(&format!("parcrypt-{dead}-Ab3xYz")),
            folder(&format!("parcrypt-{reused}-Ab3xYz")),
            file(&format!(".parcrypt-{dead}-Ab3xYz")),
            file(&format!("a.parcrypt-copy-b.parcrypt-copy-{dead}-Ab3xYz")),
        ];
        let mut stays = [
            "parcrypt-1-2-short", // The random part is too short.
            "parcrypt-x-2-Ab3xYz",
            "parcrypt-inputs-Ab3xYz",
            "a.parcrypt-copy-Ab3xYz",
            "a.parcrypt-copy-1-2-Ab3xYz.d",
            "parcrypt-",
            "notes",
        ]
        .map(folder)
        .to_vec();
        stays.push(folder(&format!("parcrypt-{myself}-Ab3xYz")));
        stays.push(file(&format!("a.parcrypt-copy-{myself}-Ab3xYz")));
        let is_named_left = |path: &PathBuf| is_stale(path.file_name().unwrap());
        assert!(goes.iter().all(is_named_left) && !stays.iter().any(is_named_left));
        let locked = folder(&format!("parcrypt-{dead}-Locked"));
        let lock = File::open(&locked).unwrap();
        lock.lock().unwrap();
        let link = at(&format!("parcrypt-{dead}-Linked"));
        symlink(&outside, &link).unwrap();
        remove_stale(parent.path());
        assert!(!goes.iter().any(|path| path.exists()) && stays.iter().all(|path| path.exists()));
        assert!(locked.exists() && link.is_symlink() && outside.exists());
        // A process that another test just forked has the lock too, until its program starts.
        lock.unlock().unwrap();
        remove_stale(parent.path());
        assert!(!locked.exists() && link.is_symlink());
    }
}
