//! Temporary files and folders, and the removal of those left by a killed process.
//!
//! The steps of writing a result, and the files that remain when the process or the machine stops between them:
//!
//! 1. A temporary file is created in the folder of the result, and locked (`flock`). *Killed here:* it remains, and its
//!    lock ends with its process. The next job that writes to the folder removes the files that it can lock. Files of
//!    jobs that run at the same time are locked, and remain.
//! 2. It is written, and its data are flushed to the disk.
//! 3. It is renamed to the result. *Killed here:* the result is whole, but missing in the ledger. It is computed again,
//!    found to be the same, and added to the ledger. So results that were computed, but were not yet in the ledger when
//!    a job was killed, are computed twice.
//! 4. A line is added to the ledger, with the digests of input and result. *Killed here:* it is done.
//!
//! A line counts only if the result in the folder has its digest, so the order of 3 and 4 does not matter. After a
//! crash of the machine the folder may have the line without the result, the result without the line, or a torn line;
//! in all three cases the result is computed again. So neither folder nor ledger is flushed, which would take some
//! milliseconds for each result. A result never has a part of its bytes: these are on the disk before the name is.
//!
//! On a file system without locks the files remain, because their owner is unknown.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile, TempDir};

use crate::system::{is_at, open_folder, set_mode};

const PREFIX: &str = ".parcrypt-";
const SUFFIX: &str = ".tmp";

/// Creates a temporary file in that folder, which is removed when it is dropped without having been renamed.
pub(super) fn file(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = builder(0o666).tempfile_in(folder)?;
        if hold(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// Creates a temporary folder in that folder, with the lock on it, which is removed in the same way.
pub(super) fn subfolder(folder: &Path) -> io::Result<(TempDir, File)> {
    loop {
        let new = builder(0o777).tempdir_in(folder)?;
        let opened = open_folder(new.path());
        match opened {
            Ok(lock) if hold(&lock, new.path()) => return Ok((new, lock)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
}

fn builder(mode: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    set_mode(&mut builder, mode);
    builder
}

/// Locks a new file; returns `false` if another job has found it without a lock and removed it.
fn hold(file: &File, path: &Path) -> bool {
    // Without locks other jobs do not remove it.
    file.lock().is_err() || is_at(file, path)
}

/// Removes the files of killed processes in a folder. Files that cannot be removed do no harm.
pub(super) fn clean(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let bytes = name.as_encoded_bytes();
        let ours = bytes.starts_with(PREFIX.as_bytes()) && bytes.ends_with(SUFFIX.as_bytes());
        let kind = entry.file_type().ok().filter(|kind| ours && (kind.is_file() || kind.is_dir()));
        let Some(kind) = kind else { continue };
        let path = entry.path();
        let Ok(file) = open_folder(&path) else { continue };
        if file.try_lock().is_ok() && is_at(&file, &path) {
            let _ = if kind.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn stale_files_are_removed_and_used_ones_stay() {
        let place = tempfile::tempdir().unwrap();
        let (a, b) = (file(place.path()).unwrap(), subfolder(place.path()).unwrap());
        fs::write(b.0.path().join("000.cell"), "cell").unwrap();
        fs::write(place.path().join(".parcrypt-left.tmp"), "half a res").unwrap();
        fs::create_dir(place.path().join(".parcrypt-folder.tmp")).unwrap();
        fs::write(place.path().join(".parcrypt-folder.tmp/000.cell"), "half").unwrap();
        std::os::unix::fs::symlink("theirs", place.path().join(".parcrypt-link.tmp")).unwrap();
        for theirs in ["theirs", ".parcrypt-kzg", ".parcrypt-.tmp.txt", "x.parcrypt-.tmp"] {
            fs::write(place.path().join(theirs), "").unwrap();
        }
        let before = names(place.path());
        clean(place.path());
        let gone: Vec<String> =
            before.into_iter().filter(|name| !names(place.path()).contains(name)).collect();
        assert_eq!(gone, [".parcrypt-folder.tmp", ".parcrypt-left.tmp"]);
        a.persist(place.path().join("result")).unwrap();
        assert!(b.0.path().join("000.cell").exists());
        drop(b);
        clean(place.path());
        assert_eq!(
            names(place.path()),
            [
                ".parcrypt-.tmp.txt",
                ".parcrypt-kzg",
                ".parcrypt-link.tmp",
                "result",
                "theirs",
                "x.parcrypt-.tmp"
            ]
        );
        clean(&place.path().join("nowhere"));
    }

    #[test]
    fn two_jobs_in_one_folder_do_not_take_each_others_files() {
        let place = tempfile::tempdir().unwrap();
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let cleaner = scope.spawn(|| {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    clean(place.path());
                }
            });
            for i in 0..300 {
                let one = file(place.path()).unwrap();
                one.persist(place.path().join(format!("{i}"))).unwrap();
                let (folder, _lock) = subfolder(place.path()).unwrap();
                fs::rename(folder.path(), place.path().join(format!("{i}.cells"))).unwrap();
            }
            over.store(true, std::sync::atomic::Ordering::Relaxed);
            cleaner.join().unwrap();
        });
        assert_eq!(names(place.path()).len(), 600);
    }
}
