//! Files and processes on Windows.
#![expect(unsafe_code, reason = "calls of the system")]

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::process::{Child, Command};

use windows_sys::Win32::Foundation::{ERROR_INVALID_PARAMETER, FILETIME, HANDLE, WAIT_OBJECT_0};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, GetDiskFreeSpaceExW, SYNCHRONIZE,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, WaitForSingleObject,
};

/// Returns the start time of a process in units of 100 ns.
fn start_of(process: HANDLE) -> Option<u64> {
    let [mut start, mut exit, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle is open, and the pointers are to locals.
    let done = unsafe { GetProcessTimes(process, &mut start, &mut exit, &mut kernel, &mut user) };
    (done != 0).then(|| u64::from(start.dwHighDateTime) << 32 | u64::from(start.dwLowDateTime))
}

/// Returns the start time of this process in units of 100 ns; `None` if the system does not say.
pub(crate) fn start_time() -> Option<u64> {
    // SAFETY: the handle of this process needs no closing.
    start_of(unsafe { GetCurrentProcess() })
}

/// Returns whether a process runs that has this number and start time; 0 is one that is not known.
pub(crate) fn is_alive(pid: i32, since: u64) -> bool {
    // SAFETY: the call takes numbers only.
    let process =
        unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, 0, pid.cast_unsigned()) };
    if process.is_null() {
        // One that may not be asked runs.
        let why = std::io::Error::last_os_error().raw_os_error();
        return why != Some(ERROR_INVALID_PARAMETER.cast_signed());
    }
    // SAFETY: the handle is valid and nothing else closes it.
    let process = unsafe { OwnedHandle::from_raw_handle(process) };
    // SAFETY: the handle is open.
    let has_ended = unsafe { WaitForSingleObject(process.as_raw_handle(), 0) } == WAIT_OBJECT_0;
    !has_ended && (since == 0 || start_of(process.as_raw_handle()).is_none_or(|start| start == since))
}

/// Returns whether a child has ended. What it used can still be asked for after that.
pub(crate) fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// Does nothing: a program is told the path that starts it.
pub(crate) fn set_name(_: &mut Command, _: &str) {}

/// Returns `true`: the ending of its name says whether a file can be executed.
pub(crate) fn is_executable(_: &Metadata) -> bool {
    true
}

/// Returns `false`: a pipe has no path in a folder.
pub(crate) fn is_pipe_or_socket(_: FileType) -> bool {
    false
}

/// Returns the bytes that this user may still write to the file system of a folder.
pub(crate) fn free(folder: &Path) -> std::io::Result<u64> {
    let path: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let mut bytes = 0;
    let none = std::ptr::null_mut();
    // SAFETY: the path ends with 0, `bytes` is a local, and the other pointers may be null.
    match unsafe { GetDiskFreeSpaceExW(path.as_ptr(), &mut bytes, none, none) } {
        0 => Err(std::io::Error::last_os_error()),
        _ => Ok(bytes),
    }
}

/// Does nothing: a file has the permissions of its folder.
pub(crate) fn readable_by_all(_: &File) -> std::io::Result<()> {
    Ok(())
}

/// Returns `true`: a user has a folder of their own for temporary files, and may remove no file of others elsewhere.
pub(crate) fn is_mine(_: &Metadata) -> bool {
    true
}

/// Opens a file or folder for reading, but not what a link leads to.
pub(crate) fn open_itself(path: &Path) -> std::io::Result<File> {
    let flags = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Returns whether both are of the same file, as far as its times and size say.
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let of = |file: &Metadata| (file.creation_time(), file.file_attributes(), file.file_size());
    of(one) == of(other)
}
