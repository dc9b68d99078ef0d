/// The sum over ranks: all calls of MPI.
///
/// All ranks of a team call the same functions in the same order. A function returns `OUTCOME_OK`, or another
/// outcome that is the same on all ranks, or `OUTCOME_BROKEN` on a rank where MPI itself failed: then the
/// others may wait forever, and the caller has to abort.

#ifndef PARALLEL_SUM_RANKS_H
#define PARALLEL_SUM_RANKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/// Distribution of the bytes to the ranks, and collection of the sums.
enum algorithm { ALGORITHM_TREE, ALGORITHM_COLLECTIVE, ALGORITHM_WINDOW };

/// Maximum number of bytes of an input: displacements of a scatter are counted in lines of 64 bytes and have
/// to be below 2^31.
#define MAX_BYTES ((uint64_t)1 << 36)

enum outcome {
    OUTCOME_OK,
    /// Some rank has no memory for its part.
    OUTCOME_NO_MEMORY,
    /// Rank 0 could not read the input.
    OUTCOME_NO_INPUT,
    /// MPI failed on this rank; `problem` has the error.
    OUTCOME_BROKEN,
};

enum { PROBLEM_BYTES = 512 };

/// The state of a rank in the team.
struct team {
    MPI_Comm comm;
    int rank, size;
    /// The ranks of this rank's node.
    MPI_Comm node;
    /// Whether they have less than one processor each.
    bool crowded;
    enum algorithm algorithm;
    /// Bytes of the whole input.
    uint64_t bytes;
    /// Memory of this rank: on rank 0 everything, below it in the tree the bytes of its subtree, else
    /// its own part.
    uint8_t *data;
    /// Size of `data` in bytes.
    uint64_t room;
    /// The window of `data` where the algorithm uses one, else `MPI_WIN_NULL`.
    MPI_Win window;
    /// A line of 64 bytes: the unit of the scatter.
    MPI_Datatype line;
    /// Counts and displacements of the scatter, in lines, on rank 0.
    int *counts, *displacements;
    /// Room for all requests in flight at once.
    MPI_Request *requests;
    /// Reason why the last function did not return `OUTCOME_OK`.
    char problem[PROBLEM_BYTES];
};

enum command_kind { COMMAND_PREPARE, COMMAND_SAMPLE, COMMAND_END };

/// A command of rank 0 to all. All fields are words, so that one broadcast sends them.
struct command {
    /// An `enum command_kind`.
    uint64_t kind;
    /// For a preparation: an `enum algorithm`, and the length of the input in bytes.
    uint64_t algorithm, bytes;
    /// For a sample.
    uint64_t iterations;
    /// Exit status of the process.
    uint64_t status;
};

/// Times in nanoseconds by the clock of this rank.
struct preparation {
    uint64_t read, connect, touch;
};

struct sample {
    uint64_t elapsed, scatter, compute, gather;
    /// The sum of all bytes; known on rank 0.
    uint64_t sum;
};

/// Returns the time of a monotonic clock, in nanoseconds.
uint64_t now_ns(void);

/// Makes the calling process a member of the team of all ranks; MPI must be initialised. From then on errors
/// of MPI are returned.
enum outcome team_open(struct team *team);

/// Frees the team's resources. Must not be called after `OUTCOME_BROKEN`.
enum outcome team_close(struct team *team);

/// Sends `command` from rank 0 to all ranks. The others wait for it without using their processor.
enum outcome team_tell(struct team *team, struct command *command);

/// Prepares memory, connections, and the input, which rank 0 reads from `input`. Called once for a team.
enum outcome team_prepare(struct team *team, enum algorithm algorithm, uint64_t bytes, int input,
                          struct preparation *preparation);

/// Sums the input `iterations` times, from the scatter on.
enum outcome team_sample(struct team *team, uint64_t iterations, struct sample *sample);

#endif
