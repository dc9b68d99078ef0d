//! Files that are read whole, within a limit.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Reads a whole file of at most `most` bytes.
///
/// # Errors
/// Errors of the system, or a longer input.
pub(crate) fn read_at_most(path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    take_at_most(&mut File::open(path)?, most)
}

/// Reads a whole regular file of at most `most` bytes; a pipe is not waited for.
///
/// # Errors
/// Errors of the system, a path that is not a regular file, or a longer file.
pub(crate) fn read_regular(path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(Error::other("not a regular file"));
    }
    read_at_most(path, most)
}

/// Reads a whole stream of at most `most` bytes.
///
/// # Errors
/// Errors of the system, or a longer stream.
pub(crate) fn take_at_most(file: &mut dyn Read, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// Returns the folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads until the buffer is full or the file ends, without a buffer of its own that would have to be cleared, and
/// returns the number of bytes.
pub(crate) fn fill(file: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut len = 0;
    while len < buffer.len() {
        match file.read(&mut buffer[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}
