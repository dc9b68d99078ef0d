//! What the lab asks of the system besides process trees: files and children here, and a module for Linux and one for
//! macOS, with the same functions for processors.

#[cfg_attr(target_os = "linux", path = "system/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "system/elsewhere.rs")]
mod processors;

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Child;

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;
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
