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
    take_at_most(&mut File::open(path)?, max)
}

/// Reads a whole regular file of at most `max` bytes; a pipe is not waited for.
pub(crate) fn read_regular(path: &Path, max: usize) -> Result<Vec<u8>> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(Error::other("not a regular file"));
    }
    read_at_most(path, max)
}

/// Reads a whole stream of at most `max` bytes.
pub(crate) fn take_at_most(file: &mut dyn Read, max: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > max {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it is longer than {max} bytes")));
    }
    Ok(bytes)
}

/// Returns the folder of a file.
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

/// Returns standard input without a buffer.
pub(crate) fn stdin() -> Result<File> {
    #[cfg(unix)]
    return std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::io::stdin().as_handle().try_clone_to_owned().map(File::from);
}

/// Returns standard output without a buffer.
pub(crate) fn stdout() -> Result<File> {
    #[cfg(unix)]
    return std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::io::stdout().as_handle().try_clone_to_owned().map(File::from);
}
