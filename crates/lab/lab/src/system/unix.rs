//! Files and processes on Unix.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

use nix::errno::Errno;
use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use nix::sys::signal::kill;
use nix::unistd::{Pid, geteuid};
use rustix::process::{WaitId, WaitIdOptions, waitid};

/// Returns whether a process has this number. One that may not be asked has it.
pub(super) fn exists(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH)
}

/// Returns whether a child has ended. What it used can still be asked for after that.
pub(crate) fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let process = rustix::process::Pid::from_child(child);
    Ok(waitid(WaitId::Pid(process), options)?.is_some())
}

/// Makes the first word that a program is told this name.
pub(crate) fn set_name(command: &mut Command, name: &str) {
    command.arg0(name);
}

/// Returns whether a file can be executed.
pub(crate) fn is_executable(found: &Metadata) -> bool {
    found.permissions().mode() & 0o111 != 0
}

/// Returns whether it can be read only once.
pub(crate) fn is_pipe_or_socket(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_socket()
}

/// Returns the bytes that this user may still write to the file system of a folder.
pub(crate) fn free(folder: &Path) -> std::io::Result<u64> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Makes a file readable for all: a temporary file is private, a result is not.
pub(crate) fn readable_by_all(file: &File) -> std::io::Result<()> {
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// Returns whether a file belongs to this user.
pub(crate) fn is_mine(found: &Metadata) -> bool {
    found.uid() == geteuid().as_raw()
}

/// Opens a file or folder for reading, but not what a link leads to.
pub(crate) fn open_itself(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path)
}

/// Returns whether both are of the same file.
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}
