//! Errors of a computation over ranks.

use std::time::Duration;

/// Reason why ranks cannot be started or cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// MPI was started before, or does not allow further threads beside the one that calls it.
    #[error("MPI cannot be used here: {why}")]
    Unavailable {
        /// The reason.
        why: &'static str,
    },
    /// The launcher has started several processes, but each runs as a single rank.
    #[error(
        "{variable} says that there are {expected} processes, but this one believes that it is alone: mpiexec is not of \
         the MPI that this program was built with, which is {library}; start it with that one's mpiexec"
    )]
    WrongLauncher {
        /// Environment variable that shows it.
        variable: String,
        /// Number of processes that the launcher started.
        expected: usize,
        /// The MPI that this program was built with.
        library: String,
    },
    /// A rank runs another version of the program.
    #[error(
        "rank {rank} on {host} runs {theirs}, and rank 0 runs {ours}: start the same version of the program on all hosts"
    )]
    Version {
        /// Number of the rank.
        rank: usize,
        /// Name of the rank's host.
        host: String,
        /// Version that the rank runs.
        theirs: String,
        /// Version that rank 0 runs.
        ours: String,
    },
    /// A rank cannot work.
    #[error("rank {rank} on {host}: {why}")]
    Rank {
        /// Number of the rank.
        rank: usize,
        /// Name of the rank's host.
        host: String,
        /// Error of the rank.
        why: String,
    },
    /// This rank cannot work.
    #[error("{why}")]
    Local {
        /// The reason.
        why: String,
    },
    /// No message came from a rank within the limit.
    #[error(
        "nothing was heard of rank {rank} on {host} for {} s: it or the way to it is gone; what is done is kept, and the \
         same command goes on from there, with any number of ranks",
        after.as_secs()
    )]
    Timeout {
        /// Number of the rank.
        rank: usize,
        /// Name of the rank's host.
        host: String,
        /// The limit.
        after: Duration,
    },
    /// MPI reports an error.
    #[error("{call}: {why}")]
    Mpi {
        /// Name of the MPI function.
        call: &'static str,
        /// Error text of MPI.
        why: String,
    },
    /// A message is too long.
    #[error(
        "a message of {bytes} bytes: at most {} are sent at once; make the jobs smaller",
        crate::net::MAX_MESSAGE
    )]
    TooLong {
        /// Length in bytes.
        bytes: usize,
    },
    /// A message has bytes that no rank of this version sends.
    #[error("a message from rank {rank} makes no sense: {what}")]
    InvalidMessage {
        /// Number of the sender.
        rank: usize,
        /// Description of the error.
        what: &'static str,
    },
    /// The setup arrived damaged, or the tables do not match it.
    #[error("the setup that rank 0 sent: {0}")]
    Setup(#[from] parcrypt_kzg::Error),
}
