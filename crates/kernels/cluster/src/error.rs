//! Errors of a computation over ranks.

use std::time::Duration;

/// Reason why ranks cannot be started or cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each field is in its variant's text")]
pub enum Error {
    /// MPI was started before, or does not allow further threads beside the one that calls it.
    #[error("MPI cannot be used here: {why}")]
    Unavailable { why: &'static str },
    /// The launcher has started several processes, but each runs as a single rank.
    #[error(
        "{variable} says that there are {expected} processes, but this one believes that it is alone: mpiexec is not of \
         the MPI that this program was built with, which is {library}; start it with that one's mpiexec"
    )]
    WrongLauncher { variable: &'static str, expected: usize, library: String },
    /// A rank runs another version of the program.
    #[error(
        "rank {rank} on {host} runs {theirs}, and rank 0 runs {ours}: start the same version of the program on all hosts"
    )]
    Version { rank: usize, host: String, theirs: String, ours: String },
    /// A rank cannot work.
    #[error("rank {rank} on {host}: {why}")]
    Rank { rank: usize, host: String, why: String },
    /// This rank cannot work.
    #[error("{why}")]
    Local { why: String },
    /// No message came from a rank within the limit.
    #[error(
        "nothing was heard of rank {rank} on {host} for {} s: it or the way to it is gone; what is done is kept, and the \
         same command goes on from there, with any number of ranks",
        after.as_secs()
    )]
    Timeout { rank: usize, host: String, after: Duration },
    /// MPI reports an error.
    #[error("{call}: {why}")]
    Mpi { call: &'static str, why: String },
    /// A message is too long.
    #[error(
        "a message of {bytes} bytes: at most {} are sent at once; make the jobs smaller",
        crate::net::MAX_MESSAGE
    )]
    TooLong { bytes: usize },
    /// A message has bytes that no rank of this version sends.
    #[error("a message from rank {rank} makes no sense: {what}")]
    InvalidMessage { rank: usize, what: &'static str },
    /// The setup arrived damaged, or the tables do not match it.
    #[error("the setup that rank 0 sent: {0}")]
    Setup(#[from] parcrypt_kzg::Error),
}
