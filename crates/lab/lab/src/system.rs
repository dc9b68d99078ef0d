//! What the lab asks of the system besides process trees: files and children here, and a module for Linux and one for
//! macOS, with the same functions for processors.

#[cfg_attr(target_os = "linux", path = "system/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "system/elsewhere.rs")]
mod processors;

use std::fs::{File, Metadata, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::process::Child;

use nix::errno::Errno;
use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use nix::sys::signal::kill;
use nix::unistd::{Pid, geteuid};
use rustix::process::{WaitId, WaitIdOptions, waitid};

#[cfg(target_os = "linux")]
pub(crate) use processors::bind_thread;
pub(crate) use processors::{allowed_processors, bind, is_alive, missing, start_time, steal_ns};

/// Returns whether a process has this number. One that may not be asked has it.
fn exists(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH)
}

/// Returns whether a child has ended. What it used can still be asked for after that.
pub(crate) fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let process = rustix::process::Pid::from_child(child);
    Ok(waitid(WaitId::Pid(process), options)?.is_some())
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
