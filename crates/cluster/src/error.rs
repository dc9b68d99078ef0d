//! Errors of a run over ranks.

use std::time::Duration;

/// Reason why there are no ranks, or why they cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// MPI was started before, or gives no thread but the one that may call it.
    #[error("MPI cannot be used here: {why}")]
    Unusable {
        /// The reason.
        why: &'static str,
    },
    /// The launcher has started several processes, but each believes that it is alone.
    #[error(
        "{said} says that there are {expected} processes, but this one believes that it is alone: mpiexec is not of the \
         MPI that this program was built with, which is {library}; start it with that one's mpiexec"
    )]
    Alone {
        /// The environment variable that says so.
        said: String,
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
        /// Which rank.
        rank: usize,
        /// The name of its host.
        host: String,
        /// What it runs.
        theirs: String,
        /// What rank 0 runs.
        ours: String,
    },
    /// A rank cannot work.
    #[error("rank {rank} on {host}: {why}")]
    Rank {
        /// Which rank.
        rank: usize,
        /// The name of its host.
        host: String,
        /// Its error.
        why: String,
    },
    /// This rank cannot work.
    #[error("{why}")]
    Own {
        /// The reason.
        why: String,
    },
    /// A rank has not been heard of for too long.
    #[error(
        "nothing was heard of rank {rank} on {host} for {} s: it or the way to it is gone; what is done is kept, and the \
         same command goes on from there, with any number of ranks",
        after.as_secs()
    )]
    Silent {
        /// Which rank.
        rank: usize,
        /// The name of its host.
        host: String,
        /// The limit.
        after: Duration,
    },
    /// MPI reports an error.
    #[error("{call}: {why}")]
    Mpi {
        /// The function.
        call: &'static str,
        /// What MPI says.
        why: String,
    },
    /// A message that is too long.
    #[error(
        "a message of {bytes} bytes: at most {} are sent at once; make the jobs smaller",
        crate::net::MAX_MESSAGE
    )]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Bytes that no rank of this version sends.
    #[error("a message from rank {rank} makes no sense: {what}")]
    Garbled {
        /// Which rank sent it.
        rank: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The setup arrived damaged, or the tables do not fit it.
    #[error("the setup that rank 0 sent: {0}")]
    Setup(#[from] parcrypt_kzg::Error),
}
