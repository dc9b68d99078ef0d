//! Files on Unix.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Error, Result};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use tempfile::Builder;

/// Opens a file or folder without waiting for the other end of a pipe.
///
/// # Errors
/// Errors of the system, or a link.
pub(crate) fn open_itself(path: &Path, options: &mut OpenOptions) -> Result<File> {
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path).map_err(|error| {
        let link = error.raw_os_error() == Some(libc::ELOOP);
        if link { Error::other("a symbolic link, not a regular file") } else { error }
    })
}

/// Opens a folder, to lock it.
pub(crate) fn open_folder(path: &Path) -> Result<File> {
    File::open(path)
}

/// What one file or folder has, and no other: the numbers of its file system and in it.
pub(crate) type Id = (u64, u64);

/// Returns what the file or folder at a path has; `None` if it cannot be read.
pub(crate) fn id(path: &Path) -> Option<Id> {
    fs::metadata(path).ok().map(|info| (info.dev(), info.ino()))
}

/// Returns whether this open file is the one at the path.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    let id = |info: fs::Metadata| (info.dev(), info.ino());
    let (here, there) = (file.metadata().map(id), fs::symlink_metadata(path).map(id));
    here.is_ok() && here.ok() == there.ok()
}

/// Sets the permissions of a temporary file or folder.
pub(crate) fn set_mode(builder: &mut Builder<'_, '_>, mode: u32) {
    builder.permissions(Permissions::from_mode(mode));
}

/// Returns whether a file can be executed.
pub(crate) fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Returns standard input without a buffer.
pub(crate) fn stdin() -> Result<File> {
    std::io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Returns standard output without a buffer.
pub(crate) fn stdout() -> Result<File> {
    std::io::stdout().as_fd().try_clone_to_owned().map(File::from)
}
