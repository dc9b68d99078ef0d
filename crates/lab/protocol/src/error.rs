//! Errors of messages, and of a candidate that answers them.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::{MAX_LINE, ParamError, VERSION};

/// A message that violates the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum ProtocolError {
    #[error("`{line}` is not a {message}: {}{why}", field(path))]
    Malformed {
        /// `request` or `response`.
        message: &'static str,
        line: String,
        /// Path of the field, such as `prepare.threads`; empty for the message as a whole.
        path: String,
        why: String,
    },
    #[error("a line of over {MAX_LINE} bytes is not a message")]
    TooLong,
    #[error("a line that is not UTF-8 is not a message")]
    NotUtf8,
    #[error(
        "`{line}` is of protocol {found}, and this program speaks protocol {VERSION}: take versions that speak the same"
    )]
    Version { line: String, found: u64 },
    #[error("`{line}` answers request {found}, but request {expected} was sent")]
    WrongId { line: String, expected: u64, found: u64 },
    #[error("`{line}` is no response to `{request}`")]
    WrongKind { line: String, request: &'static str },
    #[error("`{line}` came without a request")]
    Unrequested { line: String },
}

fn field(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

/// Returns the beginning of a line, for messages.
pub(crate) fn shown(line: &str) -> String {
    line.trim_end().chars().take(200).collect()
}

impl ProtocolError {
    /// Returns the error for a line that came although all requests were answered.
    pub fn unrequested(line: &str) -> Self {
        ProtocolError::Unrequested { line: shown(line) }
    }
}

/// A line to parse as a message.
#[derive(Clone, Copy)]
pub(crate) struct Message<'l> {
    /// `request` or `response`.
    pub(crate) kind: &'static str,
    pub(crate) line: &'l str,
}

impl Message<'_> {
    /// Returns the error on the field at `path`, or on the whole message if `path` is empty.
    pub(crate) fn malformed(self, path: &str, why: impl ToString) -> ProtocolError {
        let path = if path == "." { "" } else { path };
        let (path, why) = (path.to_owned(), why.to_string());
        ProtocolError::Malformed { message: self.kind, line: shown(self.line), path, why }
    }

    /// Parses the line into a JSON value. Errors on its fields then have a path instead of a column.
    pub(crate) fn json(self) -> Result<Json, ProtocolError> {
        serde_json::from_str(self.line).map_err(|error| self.malformed("", error))
    }

    /// Deserializes a message, or a part of one, from its JSON value.
    pub(crate) fn parsed<T: for<'de> Deserialize<'de>>(self, json: Json) -> Result<T, ProtocolError> {
        serde_path_to_error::deserialize(json)
            .map_err(|error| self.malformed(&error.path().to_string(), error.inner()))
    }
}

/// Reason why a candidate cannot go on. Only [`Unsupported`](WorkerError::Unsupported) becomes a response; any other
/// ends the candidate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum WorkerError {
    #[error("standard input cannot be read: {0}")]
    Read(std::io::Error),
    #[error("standard output cannot be written: {0}")]
    Write(std::io::Error),
    #[error("line {number} of standard input: {source}")]
    Request { number: u64, source: ProtocolError },
    #[error("`{request}` came before a successful `prepare`")]
    NotPrepared { request: &'static str },
    #[error("`prepare` came a second time; it comes once")]
    PreparedTwice,
    #[error("`digest` came before the first `sample`: there is no output yet")]
    NoSample,
    #[error("0 iterations: at least 1 is needed")]
    NoIterations,
    #[error("0 threads: at least 1 is needed")]
    NoThreads,
    #[error("`evict` is 0 bytes: at least 1 is needed")]
    NothingToEvict,
    #[error(
        "{iterations} iterations: with `evict`, only the first one has cold caches, so a sample is 1 iteration"
    )]
    WarmIterations { iterations: u64 },
    #[error("unknown workload `{given}`: it can be {known}")]
    Workload { given: String, known: String },
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error("`{workload}` needs an input file, and none was named")]
    NoInput { workload: String },
    #[error("input {path}: {source}", path = path.display())]
    Input { path: std::path::PathBuf, source: std::io::Error },
    /// The candidate does not support this work here, with the reason. This becomes the response to `prepare`.
    #[error("{0}")]
    Unsupported(String),
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl WorkerError {
    /// Returns an error of the candidate itself.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        WorkerError::Other(Box::new(error))
    }

    /// Returns the error for a workload that the candidate does not have; `known` lists the workloads that it has.
    pub fn workload(given: &str, known: impl Into<String>) -> Self {
        WorkerError::Workload { given: given.to_owned(), known: known.into() }
    }
}
