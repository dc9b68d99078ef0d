//! Files that are read whole, within a limit, and the standard streams without buffers.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Result};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;
use std::path::Path;

/// Reads a whole file of at most `max` bytes.
pub(crate) fn read_at_most(path: &Path, max: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    take_at_most(&mut File::open(path)?, max, &mut bytes).map(|()| bytes)
}

/// Reads a whole regular file of at most `max` bytes; a pipe is not waited for.
pub(crate) fn read_regular(path: &Path, max: usize) -> Result<Vec<u8>> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(Error::other("not a regular file"));
    }
    read_at_most(path, max)
}

/// Appends a whole stream of at most `max` bytes to `bytes`, or what is read until an error.
pub(crate) fn take_at_most(file: &mut dyn Read, max: usize, bytes: &mut Vec<u8>) -> Result<()> {
    match file.take(max as u64 + 1).read_to_end(bytes)? > max {
        true => Err(Error::new(ErrorKind::FileTooLarge, format!("it is longer than {max} bytes"))),
        false => Ok(()),
    }
}

/// Returns a text without the byte order mark that some programs begin it with.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns whether a file can be executed; on Windows by the ending of its name.
pub(crate) fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    let can_run =
        |info: fs::Metadata| std::os::unix::fs::PermissionsExt::mode(&info.permissions()) & 0o111 != 0;
    #[cfg(windows)]
    let can_run = |_| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exe"));
    file.is_file() && file.metadata().is_ok_and(can_run)
}

pub(crate) fn stdin() -> Result<File> {
    #[cfg(unix)]
    return std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::io::stdin().as_handle().try_clone_to_owned().map(File::from);
}

pub(crate) fn stdout() -> Result<File> {
    #[cfg(unix)]
    return std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::io::stdout().as_handle().try_clone_to_owned().map(File::from);
}
