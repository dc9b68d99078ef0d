/// The sum over ranks: everything that calls MPI.
///
/// All ranks of a team call the same functions in the same order. A function gives `OUTCOME_OK`, or an
/// outcome that all ranks learn, or `OUTCOME_BROKEN` on a rank where MPI itself failed: then the others may
/// wait for ever, and the caller has to abort.

#ifndef PARALLEL_SUM_RANKS_H
#define PARALLEL_SUM_RANKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/// How the bytes come to the ranks, and the sums back.
enum algorithm { ALGORITHM_TREE, ALGORITHM_COLLECTIVE, ALGORITHM_WINDOW };

/// Most bytes of an input: displacements of a scatter are counted in lines of 64 bytes and have to be below
/// 2^31.
#define MOST_BYTES ((uint64_t)1 << 36)

enum outcome {
    OUTCOME_OK,
    /// Some rank has no memory for its part.
    OUTCOME_NO_MEMORY,
    /// Rank 0 could not read the input.
    OUTCOME_NO_INPUT,
    /// MPI failed on this rank; `problem` says how.
    OUTCOME_BROKEN,
};

enum { PROBLEM_BYTES = 512 };

/// What a rank knows of the others and holds for them.
struct team {
    MPI_Comm comm;
    int rank, size;
    /// Those of this rank's node.
    MPI_Comm node;
    /// Whether they have less than a processor each.
    bool crowded;
    enum algorithm algorithm;
    /// Bytes of the whole input.
    uint64_t bytes;
    /// What this rank was given: on rank 0 everything, below it in the tree the bytes of its subtree, else
    /// its own part.
    uint8_t *data;
    /// Bytes that `data` has room for.
    uint64_t room;
    /// Holds `data` where the algorithm is a window, else `MPI_WIN_NULL`.
    MPI_Win window;
    /// A line of 64 bytes: the unit of the scatter.
    MPI_Datatype line;
    /// Of the scatter, in lines, on rank 0.
    int *counts, *displacements;
    /// Room for all requests that are under way at once.
    MPI_Request *requests;
    /// Why the last function gave no `OUTCOME_OK`.
    char problem[PROBLEM_BYTES];
};

enum command_kind { COMMAND_PREPARE, COMMAND_SAMPLE, COMMAND_END };

/// What rank 0 tells all. All fields are words, so that one broadcast carries them.
struct command {
    /// An `enum command_kind`.
    uint64_t kind;
    /// Of a preparation: an `enum algorithm`, and the bytes of the input.
    uint64_t algorithm, bytes;
    /// Of a sample.
    uint64_t iterations;
    /// With which status the process ends.
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

/// A monotonic clock, in nanoseconds.
uint64_t now_ns(void);

/// Makes the calling process a member of the team of all ranks; MPI was initialised. Errors of MPI return
/// from then on.
enum outcome team_open(struct team *team);

/// Gives back what the team holds. Not to be called after `OUTCOME_BROKEN`.
enum outcome team_close(struct team *team);

/// Hands `command` from rank 0 to all ranks. The others wait for it without using their processor.
enum outcome team_tell(struct team *team, struct command *command);

/// Makes everything ready: memory, connections, and the input, which rank 0 reads from `input`. Once in a
/// team's life.
enum outcome team_prepare(struct team *team, enum algorithm algorithm, uint64_t bytes, int input,
                          struct preparation *preparation);

/// Sums the input `iterations` times, from the scatter on.
enum outcome team_sample(struct team *team, uint64_t iterations, struct sample *sample);

#endif
