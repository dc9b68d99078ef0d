#include "ranks.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"

enum {
    TAG = 0,
    /// Maximum number of bytes of one message between two ranks: counts are of type int.
    MESSAGE = 1 << 30,
    /// Bytes that rank 0 reads for another rank's window at a time.
    STAGE = 1 << 22,
    /// The maximum number of children of a rank in a binomial tree, for ranks that are an int.
    MAX_CHILDREN = 31,
    /// Polls of a request before the processor is yielded to other ranks, and before a rank sleeps in
    /// between.
    SPINS = 50,
    YIELDS = 100,
};

enum patience {
    /// Within the measured work: the processor is only yielded.
    PATIENCE_SHORT,
    /// Until the next request, which may be minutes away.
    PATIENCE_LONG,
};

/// Leaves a function by its label `out` if a call of MPI fails, with the call in `team->problem`.
#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const int code_ = (call);                                                                            \
        if (code_ != MPI_SUCCESS) {                                                                          \
            outcome = broken(team, #call, code_);                                                            \
            goto out;                                                                                        \
        }                                                                                                    \
    } while (0)

/// Leaves a function by its label `out` if another returns anything but `OUTCOME_OK`.
#define PASS(call)                                                                                           \
    do {                                                                                                     \
        outcome = (call);                                                                                    \
        if (outcome != OUTCOME_OK) {                                                                         \
            goto out;                                                                                        \
        }                                                                                                    \
    } while (0)

static enum outcome broken(struct team *team, const char *call, int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
        text[0] = '\0';
    }
    // The name of the call is enough.
    snprintf(team->problem, sizeof team->problem, "rank %d: %.*s: error %d: %s", team->rank,
             (int)strcspn(call, "("), call, code, text);
    return OUTCOME_BROKEN;
}

uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// --- Waiting ---

/// Yields after a poll of a request that was not complete. Waiting inside MPI would spin, and with more ranks
/// than processors the awaited rank would wait for the scheduler's next tick.
static void pause_between(const struct team *team, enum patience patience, unsigned tries, uint64_t begun) {
    // A sleep of a sixteenth of the time waited so far adds little to the wait, and in
    // the end costs an idle rank 60 wake-ups a second.
    const uint64_t least = 20000, most = 16000000;
    const uint64_t sleep = patience == PATIENCE_LONG ? (now_ns() - begun) / 16 : 0;
    if (tries < SPINS) {
        return;
    }
    if (sleep >= least) {
        nanosleep(&(struct timespec){.tv_nsec = (long)(sleep < most ? sleep : most)}, NULL);
    } else if (!team->crowded || tries < YIELDS) {
        sched_yield();
    } else {
        // Launchers give each rank a session of its own, Linux may schedule sessions as groups, and then a
        // yield does not give the processor to a process outside. The shortest sleep takes 50 us more than it
        // says, the slack of timers; without slack the timers of many ranks would take the processor.
        nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
    }
}

/// Completes the first `count` of the team's requests.
static enum outcome complete(struct team *team, int count, enum patience patience) {
    enum outcome outcome = OUTCOME_OK;
    const uint64_t begun = patience == PATIENCE_LONG ? now_ns() : 0;
    unsigned tries = 0;
    // A test of one request makes all of them progress.
    for (int i = 0; i < count; i++) {
        int done = 0;
        CHECK(MPI_Test(&team->requests[i], &done, MPI_STATUS_IGNORE));
        while (!done) {
            pause_between(team, patience, tries, begun);
            tries += tries < YIELDS;
            CHECK(MPI_Test(&team->requests[i], &done, MPI_STATUS_IGNORE));
        }
    }
out:
    return outcome;
}

// --- Messages ---

/// Begins to send `bytes` to a rank in messages of at most `MESSAGE`, in one message for 0 bytes, and
/// increases the number of requests.
static enum outcome post_send(struct team *team, uint8_t *data, uint64_t bytes, int to, int *posted) {
    enum outcome outcome = OUTCOME_OK;
    uint64_t offset = 0;
    do {
        const uint64_t rest = bytes - offset;
        const int piece = rest < MESSAGE ? (int)rest : MESSAGE;
        CHECK(MPI_Isend(data + offset, piece, MPI_BYTE, to, TAG, team->comm, &team->requests[*posted]));
        ++*posted;
        offset += (uint64_t)piece;
    } while (offset < bytes);
out:
    return outcome;
}

/// Begins to receive what `post_send` sends.
static enum outcome post_receive(struct team *team, uint8_t *data, uint64_t bytes, int from, int *posted) {
    enum outcome outcome = OUTCOME_OK;
    uint64_t offset = 0;
    do {
        const uint64_t rest = bytes - offset;
        const int piece = rest < MESSAGE ? (int)rest : MESSAGE;
        CHECK(MPI_Irecv(data + offset, piece, MPI_BYTE, from, TAG, team->comm, &team->requests[*posted]));
        ++*posted;
        offset += (uint64_t)piece;
    } while (offset < bytes);
out:
    return outcome;
}

/// Returns when all ranks have called it.
static enum outcome meet(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    CHECK(MPI_Ibarrier(team->comm, &team->requests[0]));
    PASS(complete(team, 1, PATIENCE_SHORT));
out:
    return outcome;
}

/// Returns the worst of the outcomes of all ranks.
static enum outcome agree(struct team *team, enum outcome mine) {
    enum outcome outcome = OUTCOME_OK;
    int own = (int)mine, worst = 0;
    CHECK(MPI_Iallreduce(&own, &worst, 1, MPI_INT, MPI_MAX, team->comm, &team->requests[0]));
    PASS(complete(team, 1, PATIENCE_SHORT));
    outcome = (enum outcome)worst;
out:
    return outcome;
}

// --- The tree ---

/// Returns the step s at which a rank gets its bytes from rank − s; on rank 0 the first step without a rank
/// to send to.
///
/// It is the largest power of two that divides the rank, and its subtree is rank … min(rank + s, size) − 1.
static int64_t step_of(const struct team *team) {
    int64_t step = 1;
    while (team->rank == 0 ? step < team->size : (team->rank & step) == 0) {
        step *= 2;
    }
    return step;
}

static int end_of_subtree(const struct team *team, int64_t rank, int64_t step) {
    return (int)(rank + step < team->size ? rank + step : team->size);
}

static uint64_t begin_of(const struct team *team, int rank) {
    return part_begin(team->bytes, team->size, rank);
}

static uint64_t bytes_of(const struct team *team, int rank) {
    return begin_of(team, rank + 1) - begin_of(team, rank);
}

/// Sends every rank the bytes of its subtree, from the root of the tree on.
static enum outcome tree_scatter(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    const int64_t own = step_of(team);
    int posted = 0;
    if (team->rank != 0) {
        PASS(post_receive(team, team->data, team->room, team->rank - (int)own, &posted));
        PASS(complete(team, posted, PATIENCE_SHORT));
    }
    posted = 0;
    for (int64_t step = own / 2; step > 0; step /= 2) {
        if (team->rank + step < team->size) {
            const int child = team->rank + (int)step;
            const uint64_t begin = begin_of(team, child);
            const uint64_t end = begin_of(team, end_of_subtree(team, child, step));
            PASS(post_send(team, team->data + (begin - begin_of(team, team->rank)), end - begin, child,
                           &posted));
        }
    }
    PASS(complete(team, posted, PATIENCE_SHORT));
out:
    return outcome;
}

/// Adds the sums of the ranks up, towards the root of the tree.
static enum outcome tree_gather(struct team *team, uint64_t own, uint64_t *sum) {
    enum outcome outcome = OUTCOME_OK;
    uint64_t parts[MAX_CHILDREN];
    const int64_t top = step_of(team);
    int children = 0;
    for (int64_t step = 1; step < top && team->rank + step < team->size; step *= 2) {
        CHECK(MPI_Irecv(&parts[children], 1, MPI_UINT64_T, team->rank + (int)step, TAG, team->comm,
                        &team->requests[children]));
        children++;
    }
    PASS(complete(team, children, PATIENCE_SHORT));
    *sum = own;
    for (int i = 0; i < children; i++) {
        *sum += parts[i];
    }
    if (team->rank != 0) {
        CHECK(MPI_Isend(sum, 1, MPI_UINT64_T, team->rank - (int)top, TAG, team->comm, &team->requests[0]));
        PASS(complete(team, 1, PATIENCE_SHORT));
    }
out:
    return outcome;
}

// --- The collective operations ---

static enum outcome scatter(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    uint8_t nothing = 0;
    if (team->rank == 0) {
        // Its own part is not moved: its count is 0.
        CHECK(MPI_Iscatterv(team->data, team->counts, team->displacements, team->line, &nothing, 0,
                            team->line, 0, team->comm, &team->requests[0]));
    } else {
        CHECK(MPI_Iscatterv(NULL, NULL, NULL, team->line, team->data, (int)(team->room / SUM_LINE),
                            team->line, 0, team->comm, &team->requests[0]));
    }
    PASS(complete(team, 1, PATIENCE_SHORT));
out:
    return outcome;
}

static enum outcome reduce(struct team *team, uint64_t own, uint64_t *sum) {
    enum outcome outcome = OUTCOME_OK;
    CHECK(MPI_Ireduce(&own, sum, 1, MPI_UINT64_T, MPI_SUM, 0, team->comm, &team->requests[0]));
    PASS(complete(team, 1, PATIENCE_SHORT));
out:
    return outcome;
}

/// Returns when rank 0 has called it. No rank may begin an iteration earlier, or it would run within the time
/// of another.
static enum outcome begin(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    // A broadcast of no bytes would not wait.
    char nothing = 0;
    CHECK(MPI_Ibcast(&nothing, 1, MPI_CHAR, 0, team->comm, &team->requests[0]));
    PASS(complete(team, 1, PATIENCE_SHORT));
out:
    return outcome;
}

// --- Preparation of the measured work ---

static uint64_t whole_lines(uint64_t bytes) { return (bytes + SUM_LINE - 1) / SUM_LINE * SUM_LINE; }

/// Returns the position of the part of a rank in the data of rank 0. A scatter takes each part from a cache
/// line of its own.
static uint64_t place_of(const struct team *team, int rank) {
    if (team->algorithm == ALGORITHM_COLLECTIVE) {
        return (uint64_t)rank * whole_lines(bytes_of(team, 0));
    }
    return begin_of(team, rank);
}

static uint64_t room_of(const struct team *team) {
    switch (team->algorithm) {
    case ALGORITHM_TREE:
        return begin_of(team, end_of_subtree(team, team->rank, step_of(team))) - begin_of(team, team->rank);
    case ALGORITHM_COLLECTIVE:
        return team->rank == 0 ? place_of(team, team->size) : whole_lines(bytes_of(team, team->rank));
    case ALGORITHM_WINDOW:
        break;
    }
    return bytes_of(team, team->rank);
}

/// Allocates memory that the ranks of a node share; the part of this rank is `team->data`.
static enum outcome open_window(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    MPI_Info info = MPI_INFO_NULL;
    // Parts that begin on pages of their own are placed where their ranks touch them first.
    CHECK(MPI_Info_create(&info));
    CHECK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    CHECK(MPI_Win_allocate_shared((MPI_Aint)team->room, 1, info, team->node, &team->data, &team->window));
    CHECK(MPI_Win_set_errhandler(team->window, MPI_ERRORS_RETURN));
    CHECK(MPI_Info_free(&info));
out:
    return outcome;
}

/// Touches every page of the data. A page that cannot be mapped is an error here and would be a signal later.
static bool touch(struct team *team) {
    if (team->room == 0) {
        return true;
    }
#ifdef MADV_POPULATE_WRITE
    // Kernels before 5.14 do not support it, and no kernel accepts memory that does not begin with a page.
    if (madvise(team->data, team->room, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
        return false;
    }
#endif
    memset(team->data, 0, team->room);
    return true;
}

static enum outcome allocate(struct team *team) {
    const size_t page = 4096, ranks = (size_t)team->size;
    // Every child has a message that may be a part of a piece, and rank 0 has two requests for each rank at
    // first.
    const size_t requests = 2 * ranks + MAX_CHILDREN + team->room / MESSAGE;
    MPI_Request *more = realloc(team->requests, requests * sizeof *more);
    if (more == NULL) {
        return OUTCOME_NO_MEMORY;
    }
    team->requests = more;
    if (team->algorithm != ALGORITHM_WINDOW) {
        team->data = aligned_alloc(page, (team->room / page + 1) * page);
    }
    if (team->room > 0 && (team->data == NULL || !touch(team))) {
        return OUTCOME_NO_MEMORY;
    }
    if (team->algorithm == ALGORITHM_COLLECTIVE && team->rank == 0) {
        team->counts = calloc(ranks, sizeof *team->counts);
        team->displacements = calloc(ranks, sizeof *team->displacements);
        if (team->counts == NULL || team->displacements == NULL) {
            return OUTCOME_NO_MEMORY;
        }
        for (int r = 1; r < team->size; r++) {
            // At most 2^36 / 64, by `MAX_BYTES`.
            team->counts[r] = (int)(whole_lines(bytes_of(team, r)) / SUM_LINE);
            team->displacements[r] = (int)(place_of(team, r) / SUM_LINE);
        }
    }
    return OUTCOME_OK;
}

/// Sends a first message from rank 0 to each rank and back.
static enum outcome connect_all(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    char hello = 0;
    int posted = 0;
    if (team->rank != 0) {
        CHECK(MPI_Irecv(&hello, 1, MPI_CHAR, 0, TAG, team->comm, &team->requests[0]));
        PASS(complete(team, 1, PATIENCE_SHORT));
        CHECK(MPI_Isend(&hello, 1, MPI_CHAR, 0, TAG, team->comm, &team->requests[0]));
        PASS(complete(team, 1, PATIENCE_SHORT));
    } else {
        for (int r = 1; r < team->size; r++) {
            CHECK(MPI_Isend(&hello, 1, MPI_CHAR, r, TAG, team->comm, &team->requests[posted]));
            posted++;
        }
        PASS(complete(team, posted, PATIENCE_SHORT));
        for (int r = 1; r < team->size; r++) {
            CHECK(MPI_Irecv(&hello, 1, MPI_CHAR, r, TAG, team->comm, &team->requests[0]));
            PASS(complete(team, 1, PATIENCE_SHORT));
        }
    }
out:
    return outcome;
}

/// Reads exactly `bytes` bytes.
static bool read_bytes(int input, uint8_t *to, uint64_t bytes) {
    while (bytes > 0) {
        // The system reads less than 2^31 bytes at a time.
        const ssize_t got = read(input, to, bytes < MESSAGE ? bytes : MESSAGE);
        if (got > 0) {
            to += got;
            bytes -= (uint64_t)got;
        } else if (got == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/// Rank 0 reads the part of another rank and forwards it, block by block, so that it needs no memory for it.
/// Unreadable data is sent as it is: the others are waiting, and the error is reported when all agree.
static enum outcome send_input(struct team *team, int input, uint8_t *stage, int rank, bool *complete_input) {
    enum outcome outcome = OUTCOME_OK;
    uint64_t rest = bytes_of(team, rank);
    while (rest > 0) {
        const uint64_t piece = rest < STAGE ? rest : STAGE;
        int posted = 0;
        *complete_input = *complete_input && read_bytes(input, stage, piece);
        PASS(post_send(team, stage, piece, rank, &posted));
        PASS(complete(team, posted, PATIENCE_SHORT));
        rest -= piece;
    }
out:
    return outcome;
}

static enum outcome receive_input(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    for (uint64_t offset = 0; offset < team->room; offset += STAGE) {
        const uint64_t rest = team->room - offset;
        int posted = 0;
        PASS(post_receive(team, team->data + offset, rest < STAGE ? rest : STAGE, 0, &posted));
        PASS(complete(team, posted, PATIENCE_SHORT));
    }
out:
    return outcome;
}

/// Moves the input to the memory in which the measured work expects it.
static enum outcome load(struct team *team, int input, uint8_t *stage) {
    enum outcome outcome = OUTCOME_OK;
    bool complete_input = true;
    if (team->rank == 0) {
        for (int r = 0; r < team->size; r++) {
            if (team->algorithm == ALGORITHM_WINDOW && r != 0) {
                PASS(send_input(team, input, stage, r, &complete_input));
            } else {
                complete_input =
                    complete_input && read_bytes(input, team->data + place_of(team, r), bytes_of(team, r));
            }
        }
    } else if (team->algorithm == ALGORITHM_WINDOW) {
        PASS(receive_input(team));
    }
    outcome = agree(team, complete_input ? OUTCOME_OK : OUTCOME_NO_INPUT);
out:
    return outcome;
}

/// Determines whether the ranks of this node have less than one processor each.
static enum outcome count_processors(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    int ranks = 0;
    cpu_set_t own, all;
    CPU_ZERO(&own);
    CPU_ZERO(&all);
    // Where it fails, on more than 1024 processors, the ranks count as crowded, which is slower and safe.
    (void)sched_getaffinity(0, sizeof own, &own);
    CHECK(MPI_Comm_size(team->node, &ranks));
    CHECK(MPI_Iallreduce(&own, &all, (int)sizeof own, MPI_BYTE, MPI_BOR, team->node, &team->requests[0]));
    PASS(complete(team, 1, PATIENCE_SHORT));
    team->crowded = ranks > CPU_COUNT(&all);
out:
    return outcome;
}

// --- The interface ---

enum outcome team_open(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    *team = (struct team){.crowded = true,
                          .comm = MPI_COMM_WORLD,
                          .window = MPI_WIN_NULL,
                          .node = MPI_COMM_NULL,
                          .line = MPI_DATATYPE_NULL};
    CHECK(MPI_Comm_set_errhandler(team->comm, MPI_ERRORS_RETURN));
    CHECK(MPI_Comm_rank(team->comm, &team->rank));
    CHECK(MPI_Comm_size(team->comm, &team->size));
    CHECK(MPI_Type_contiguous(SUM_LINE, MPI_BYTE, &team->line));
    CHECK(MPI_Type_commit(&team->line));
    // One is enough until the number that the algorithm needs is known.
    team->requests = calloc(1, sizeof *team->requests);
    if (team->requests == NULL) {
        outcome = OUTCOME_BROKEN;
        snprintf(team->problem, sizeof team->problem, "rank %d: no memory for a request", team->rank);
        goto out;
    }
    CHECK(MPI_Comm_split_type(team->comm, MPI_COMM_TYPE_SHARED, team->rank, MPI_INFO_NULL, &team->node));
    CHECK(MPI_Comm_set_errhandler(team->node, MPI_ERRORS_RETURN));
    PASS(count_processors(team));
out:
    return outcome;
}

enum outcome team_close(struct team *team) {
    enum outcome outcome = OUTCOME_OK;
    if (team->window != MPI_WIN_NULL) {
        CHECK(MPI_Win_free(&team->window));
    } else {
        free(team->data);
    }
    team->data = NULL;
    if (team->node != MPI_COMM_NULL) {
        CHECK(MPI_Comm_free(&team->node));
    }
    if (team->line != MPI_DATATYPE_NULL) {
        CHECK(MPI_Type_free(&team->line));
    }
    free(team->counts);
    free(team->displacements);
    free(team->requests);
out:
    return outcome;
}

enum outcome team_tell(struct team *team, struct command *command) {
    enum outcome outcome = OUTCOME_OK;
    uint64_t words[] = {command->kind, command->algorithm, command->bytes, command->iterations,
                        command->status};
    CHECK(MPI_Ibcast(words, (int)(sizeof words / sizeof *words), MPI_UINT64_T, 0, team->comm,
                     &team->requests[0]));
    PASS(complete(team, 1, team->rank == 0 ? PATIENCE_SHORT : PATIENCE_LONG));
    *command = (struct command){.kind = words[0],
                                .algorithm = words[1],
                                .bytes = words[2],
                                .iterations = words[3],
                                .status = words[4]};
out:
    return outcome;
}

enum outcome team_prepare(struct team *team, enum algorithm algorithm, uint64_t bytes, int input,
                          struct preparation *preparation) {
    enum outcome outcome = OUTCOME_OK;
    uint8_t *stage = NULL;
    team->algorithm = algorithm;
    team->bytes = bytes;
    team->room = room_of(team);

    uint64_t begun = now_ns();
    if (algorithm == ALGORITHM_WINDOW) {
        PASS(open_window(team));
    }
    outcome = allocate(team);
    if (outcome == OUTCOME_OK && algorithm == ALGORITHM_WINDOW && team->rank == 0) {
        stage = malloc(STAGE);
        outcome = stage == NULL ? OUTCOME_NO_MEMORY : OUTCOME_OK;
    }
    PASS(agree(team, outcome));
    preparation->touch = now_ns() - begun;

    begun = now_ns();
    PASS(connect_all(team));
    preparation->connect = now_ns() - begun;

    begun = now_ns();
    PASS(load(team, input, stage));
    preparation->read = now_ns() - begun;
out:
    free(stage);
    return outcome;
}

enum outcome team_sample(struct team *team, uint64_t iterations, struct sample *sample) {
    enum outcome outcome = OUTCOME_OK;
    const bool tree = team->algorithm == ALGORITHM_TREE;
    *sample = (struct sample){0};
    PASS(meet(team));
    const uint64_t begun = now_ns();
    uint64_t last = begun;
    for (uint64_t i = 0; i < iterations; i++) {
        switch (team->algorithm) {
        case ALGORITHM_TREE:
            PASS(tree_scatter(team));
            break;
        case ALGORITHM_COLLECTIVE:
            PASS(scatter(team));
            break;
        case ALGORITHM_WINDOW:
            PASS(begin(team));
            break;
        }
        const uint64_t scattered = now_ns();
        const uint64_t own = sum_bytes(team->data, bytes_of(team, team->rank));
        const uint64_t computed = now_ns();
        PASS(tree ? tree_gather(team, own, &sample->sum) : reduce(team, own, &sample->sum));
        const uint64_t gathered = now_ns();
        sample->scatter += scattered - last;
        sample->compute += computed - scattered;
        sample->gather += gathered - computed;
        last = gathered;
    }
    sample->elapsed = last - begun;
out:
    return outcome;
}
