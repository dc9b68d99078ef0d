//! Errors of writing reports.

use std::io;
use std::path::PathBuf;

use crate::format;

/// Maximum number of rows of the front picture.
pub(crate) const ROWS: usize = 8;

/// Why the picture or the generated parts of a front page cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrontError {
    /// There is no line for the picture, and none for another part.
    #[error("it has no line `<!-- generated: picture -->`")]
    NoPicture,
    /// A part does not end.
    #[error("`{begin}` is not followed by `<!-- end -->`")]
    NoEnd {
        /// The start of the part.
        begin: String,
    },
    /// No record compares this crate with other libraries.
    #[error("`<!-- generated: speed of {name} -->`: there are speeds of {} only", format::listed(.names))]
    UnknownName {
        /// The name as the page has it.
        name: String,
        /// The names that have a speed.
        names: Vec<String>,
    },
    /// A row of the picture is not the case of a record that compares it with another library.
    #[error("`{line}`: not of the form `WORDS = RECORD: CASE` with a case of speed.md")]
    UnknownRow {
        /// The line of the row.
        line: String,
    },
    /// A row of the picture comes from another machine than the rows before.
    #[error("`{line}`: measured on another machine than the rows before")]
    OtherMachine {
        /// The line of the row.
        line: String,
    },
    /// The picture has too many rows.
    #[error("the picture has {rows} rows; the maximum is {ROWS}")]
    TooManyRows {
        /// Number of rows.
        rows: usize,
    },
}

/// Error of [`write()`](crate::write()).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// There is a file that may not be replaced.
    #[error("{path}: already exists and is not a report; it is not replaced", path = path.display())]
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
    /// A file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file has a part that cannot be written from the records.
    #[error("{path}: {source}", path = path.display())]
    Front {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        source: FrontError,
    },
    /// Two records have the same name.
    #[error("two of these records would both be written as {path}: rename one, or take fewer at once", path = path.display())]
    SameName {
        /// Path of the file that both would have.
        path: PathBuf,
    },
    /// A figure cannot be drawn as PNG or PDF.
    #[error("{path}: the figure cannot be drawn: {why}", path = path.display())]
    Draw {
        /// Path of the file.
        path: PathBuf,
        /// Error of the drawing library.
        why: String,
    },
    /// The serializer failed; finite numbers have no such error.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}
