//! Errors of writing reports.

use std::io;
use std::path::PathBuf;

/// Error of [`write()`](crate::write()).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// There is a file that may not be replaced.
    #[error("{path}: already exists and is not a report: name another, or remove it", path = path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// There is something that is never replaced, such as a folder or a device.
    #[error("{path}: already exists and is not a file", path = path.display())]
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// The file cannot be written, or what is there cannot be looked at.
    #[error("{path}: cannot be written: {source}", path = path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Two records have the same name.
    #[error("two of these records would both be written as {path}: rename one, or take fewer at once", path = path.display())]
    SameName {
        /// Path of the file that both would have.
        path: PathBuf,
    },
}
