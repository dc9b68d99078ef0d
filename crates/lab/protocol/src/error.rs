//! Errors of messages, and of a candidate that answers them.

use crate::{MAX_LINE, ParamError, VERSION};

/// A message that violates the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The line is not JSON, or a field is missing, unknown or of another type.
    #[error("`{line}` is not a {message}: {}{why}", field(path))]
    Malformed {
        /// `request` or `response`.
        message: &'static str,
        /// The beginning of the line.
        line: String,
        /// Path of the field, as `prepare.threads`; empty for the message as a whole.
        path: String,
        /// Type or field that the parser expected.
        why: String,
    },
    /// The line is longer than [`MAX_LINE`].
    #[error("a line of over {MAX_LINE} bytes is not a message")]
    TooLong,
    /// The line is not UTF-8.
    #[error("a line that is not UTF-8 is not a message")]
    NotUtf8,
    /// The message is of another version of the protocol.
    #[error("`{line}` is of protocol {found}, and this program speaks protocol {VERSION}: {}", remedy(*found))]
    Version {
        /// The beginning of the line.
        line: String,
        /// The version of the message.
        found: u64,
    },
    /// A response repeats the `id` of another request.
    #[error("`{line}` answers request {found}, but request {expected} was sent")]
    WrongId {
        /// The beginning of the line.
        line: String,
        /// `id` of the request.
        expected: u64,
        /// `id` of the response.
        found: u64,
    },
    /// The response does not fit the kind of the request.
    #[error("`{line}` is no response to `{request}`")]
    WrongKind {
        /// The beginning of the line.
        line: String,
        /// `prepare`, `sample`, `digest` or `quit`.
        request: &'static str,
    },
    /// A line that came before a request was sent.
    #[error("`{line}` came without a request")]
    Unrequested {
        /// The beginning of the line.
        line: String,
    },
}

fn remedy(found: u64) -> &'static str {
    if found < u64::from(VERSION) {
        "there, each request has an `id` that its response repeats, and `prepare` names the protocol"
    } else {
        "take a newer version of it"
    }
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

/// Reason why a candidate cannot go on. Only [`Unsupported`](WorkerError::Unsupported) becomes a response; any other
/// ends the candidate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// Standard input cannot be read.
    #[error("standard input cannot be read: {0}")]
    Read(std::io::Error),
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Write(std::io::Error),
    /// A line is not a request.
    #[error("line {number} of standard input: {source}")]
    Request {
        /// Number of the line, from 1.
        number: u64,
        /// Description of the error.
        source: ProtocolError,
    },
    /// `sample` or `digest` came before a successful `prepare`.
    #[error("`{request}` came before a successful `prepare`")]
    NotPrepared {
        /// The request.
        request: &'static str,
    },
    /// `prepare` came again after a successful one.
    #[error("`prepare` came a second time; it comes once")]
    PreparedTwice,
    /// `digest` came before the first `sample`.
    #[error("`digest` came before the first `sample`: there is no output yet")]
    NoSample,
    /// `sample` asks for 0 iterations.
    #[error("0 iterations: at least 1 is needed")]
    NoIterations,
    /// `prepare` asks for 0 threads.
    #[error("0 threads: at least 1 is needed")]
    NoThreads,
    /// The candidate has no such workload.
    #[error("unknown workload `{given}`: it can be {known}")]
    Workload {
        /// The name in the request.
        given: String,
        /// Names of the candidate's workloads, with commas between.
        known: String,
    },
    /// A parameter is unknown, missing or out of range.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The workload needs an input file.
    #[error("`{workload}` needs an input file, and none was named")]
    NoInput {
        /// The workload.
        workload: String,
    },
    /// The input file cannot be read, or has another length.
    #[error("input {path}: {source}", path = path.display())]
    Input {
        /// Path of the file.
        path: std::path::PathBuf,
        /// Error of the operating system, or the difference in length.
        source: std::io::Error,
    },
    /// The candidate does not support this work here, with the reason. This becomes the response to `prepare`.
    #[error("{0}")]
    Unsupported(String),
    /// An error of the candidate itself.
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
