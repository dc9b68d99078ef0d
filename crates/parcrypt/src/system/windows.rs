//! Files on Windows.

use std::fs::{self, File, OpenOptions};
use std::io::Result;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsHandle;
use std::path::{Path, PathBuf};

use tempfile::Builder;
use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT};

/// Opens a file, and of a link the link.
///
/// # Errors
/// Errors of the system.
pub(crate) fn open_itself(path: &Path, options: &mut OpenOptions) -> Result<File> {
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
}

/// Opens a folder, to lock it, which the system refuses.
pub(crate) fn open_folder(path: &Path) -> Result<File> {
    OpenOptions::new().read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)
}

/// What one file or folder has, and no other: its whole path.
pub(crate) type Id = PathBuf;

/// Returns what the file or folder at a path has; `None` if it cannot be read.
pub(crate) fn id(path: &Path) -> Option<Id> {
    fs::canonicalize(path).ok()
}

/// Returns whether there is a file at the path.
pub(crate) fn is_at(_: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Does nothing: a file has the permissions of its folder.
pub(crate) fn set_mode(_: &mut Builder<'_, '_>, _: u32) {}

/// Returns whether a file can be executed, by the ending of its name.
pub(crate) fn is_program(file: &Path) -> bool {
    file.is_file() && file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exe"))
}

/// Returns standard input without a buffer.
pub(crate) fn stdin() -> Result<File> {
    std::io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Returns standard output without a buffer.
pub(crate) fn stdout() -> Result<File> {
    std::io::stdout().as_handle().try_clone_to_owned().map(File::from)
}
