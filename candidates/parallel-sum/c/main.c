/// A candidate of the lab: the sum of a file's bytes over MPI ranks, in C.
///
/// Rank 0 implements the protocol of docs/reference/protocol.md and sends commands to the others;
/// ../README.md defines the work. All ranks end together: with 0 after `quit` or at the end of standard
/// input, with 2 after an error.

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "ranks.h"
#include "request.h"
#include "sha256.h"

enum { STATUS_DONE = 0, STATUS_ERROR = 2 };

static void complain(const char *what) { fprintf(stderr, "error: %s\n", what); }

/// Writes a response, which it takes over, as one line with the number of its request.
static bool respond(const struct request *request, json_t *json, char problem[PROBLEM_BYTES]) {
    const bool written = json != NULL && json_object_set_new(json, "id", json_integer(request->id)) == 0 &&
                         json_dumpf(json, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF &&
                         fflush(stdout) == 0;
    json_decref(json);
    if (!written) {
        snprintf(problem, PROBLEM_BYTES, "standard output cannot be written");
    }
    return written;
}

/// Opens a regular file of exactly this many bytes; returns −1 on an error.
static int open_input(const char *path, uint64_t bytes, char problem[PROBLEM_BYTES]) {
    struct stat status;
    // Without O_NONBLOCK opening a FIFO would wait.
    const int input = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (input < 0 || fstat(input, &status) != 0) {
        snprintf(problem, PROBLEM_BYTES, "input %.300s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        snprintf(problem, PROBLEM_BYTES, "input %.300s: not a regular file", path);
    } else if ((uint64_t)status.st_size != bytes) {
        snprintf(problem, PROBLEM_BYTES,
                 "input %.300s: it has %" PRIu64 " bytes, but the parameters say %" PRIu64, path,
                 (uint64_t)status.st_size, bytes);
    } else {
        return input;
    }
    if (input >= 0) {
        close(input);
    }
    return -1;
}

/// Returns name and version of the MPI library, from the first line of its version text.
static void library_version(char version[MPI_MAX_LIBRARY_VERSION_STRING]) {
    int length = 0;
    size_t n = 0;
    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) {
        length = 0;
    }
    version[length] = '\0';
    version[strcspn(version, ",\n")] = '\0';
    // MPICH's text has tabs.
    for (const char *c = version; *c != '\0'; c++) {
        const bool blank = *c == ' ' || *c == '\t';
        if (!blank || (n > 0 && version[n - 1] != ' ')) {
            version[n++] = blank ? ' ' : *c;
        }
    }
    version[n] = '\0';
}

/// Prepares on all ranks; returns false, with the reason in `team->problem`, on an error.
static bool prepare(struct team *team, const struct request *request, uint64_t start, enum outcome *outcome) {
    struct preparation preparation = {0};
    struct command command = {
        .kind = COMMAND_PREPARE, .algorithm = (uint64_t)request->algorithm, .bytes = request->bytes};
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    if (request->threads != team->size) {
        snprintf(team->problem, sizeof team->problem,
                 "%" PRId64 " threads are asked for, but there are %d ranks", request->threads, team->size);
        return false;
    }
    const int input = open_input(request->input, request->bytes, team->problem);
    if (input < 0) {
        return false;
    }
    *outcome = team_tell(team, &command);
    if (*outcome == OUTCOME_OK) {
        *outcome = team_prepare(team, request->algorithm, request->bytes, input, &preparation);
    }
    close(input);
    if (*outcome == OUTCOME_NO_MEMORY) {
        snprintf(team->problem, sizeof team->problem,
                 "a rank has no memory for its part of %" PRIu64 " bytes", request->bytes);
    } else if (*outcome == OUTCOME_NO_INPUT) {
        snprintf(team->problem, sizeof team->problem, "input %.300s: it cannot be read to its end",
                 request->input);
    }
    if (*outcome != OUTCOME_OK) {
        return false;
    }
    library_version(version);
    return respond(request,
                   json_pack("{s:{s:s, s:s, s:s, s:s, s:i, s:{s:I, s:I, s:I, s:I}}}", "ready", "name",
                             "sum-c", "version", version, "runtime", "mpi", "backend", sum_backend(),
                             "threads", team->size, "phases", "start", (json_int_t)start, "read",
                             (json_int_t)preparation.read, "connect", (json_int_t)preparation.connect,
                             "touch", (json_int_t)preparation.touch),
                   team->problem);
}

static bool sample(struct team *team, const struct request *request, uint64_t *sum, enum outcome *outcome) {
    struct sample taken;
    struct command command = {.kind = COMMAND_SAMPLE, .iterations = request->iterations};
    *outcome = team_tell(team, &command);
    if (*outcome == OUTCOME_OK) {
        *outcome = team_sample(team, request->iterations, &taken);
    }
    if (*outcome != OUTCOME_OK) {
        return false;
    }
    *sum = taken.sum;
    // An empty sum may take less than the clock's resolution.
    return respond(request,
                   json_pack("{s:I, s:{s:I, s:I, s:I}}", "elapsed_ns",
                             (json_int_t)(taken.elapsed > 0 ? taken.elapsed : 1), "phases", "scatter",
                             (json_int_t)taken.scatter, "compute", (json_int_t)taken.compute, "gather",
                             (json_int_t)taken.gather),
                   team->problem);
}

static bool digest(const struct request *request, uint64_t sum, char problem[PROBLEM_BYTES]) {
    uint8_t bytes[8];
    char hex[SHA256_HEX], text[SHA256_HEX + 8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(sum >> 8 * i);
    }
    sha256_hex(bytes, sizeof bytes, hex);
    snprintf(text, sizeof text, "sha256:%s", hex);
    return respond(request, json_pack("{s:s}", "digest", text), problem);
}

/// Answers requests until there are no more; returns false, with the reason in `team->problem`, where one
/// could not be answered.
static bool converse(struct team *team, uint64_t start, enum outcome *outcome) {
    bool prepared = false, sampled = false, fine = true;
    uint64_t sum = 0;
    char text[PROBLEM_BYTES];
    while (fine) {
        struct request request;
        const char *problem = NULL;
        fine = request_read(&request, team->problem);
        if (fine && request.kind == REQUEST_QUIT) {
            request_free(&request);
            break;
        }
        if (!fine) {
            problem = NULL;
        } else if (request.kind == REQUEST_PREPARE && prepared) {
            problem = "`prepare` came a second time; it comes once";
        } else if (request.kind == REQUEST_PREPARE && request.variant != NULL) {
            snprintf(text, sizeof text, "the variant %s is not in the program in C", request.variant);
            fine = respond(&request, json_pack("{s:s}", "unsupported", text), team->problem);
        } else if (request.kind == REQUEST_PREPARE) {
            prepared = fine = prepare(team, &request, start, outcome);
        } else if (!prepared) {
            problem = "`sample` or `digest` came before a successful `prepare`";
        } else if (request.kind == REQUEST_SAMPLE) {
            sampled = fine = sample(team, &request, &sum, outcome);
        } else if (!sampled) {
            problem = "`digest` came before the first `sample`: there is no output yet";
        } else {
            fine = digest(&request, sum, team->problem);
        }
        if (problem != NULL) {
            snprintf(team->problem, sizeof team->problem, "%s", problem);
            fine = false;
        }
        request_free(&request);
    }
    return fine;
}

/// Runs rank 0; returns the exit status of the process.
static int lead(struct team *team, uint64_t start, enum outcome *outcome) {
    struct command end = {.kind = COMMAND_END, .status = STATUS_DONE};
    const bool fine = converse(team, start, outcome);
    if (!fine) {
        complain(team->problem);
        end.status = STATUS_ERROR;
    }
    if (*outcome != OUTCOME_BROKEN) {
        *outcome = team_tell(team, &end);
    }
    return (int)end.status;
}

/// Runs every other rank.
static int follow(struct team *team, enum outcome *outcome) {
    struct command command = {0};
    struct preparation preparation;
    struct sample taken;
    for (;;) {
        *outcome = team_tell(team, &command);
        if (*outcome == OUTCOME_OK && command.kind == COMMAND_PREPARE) {
            *outcome = team_prepare(team, (enum algorithm)command.algorithm, command.bytes, -1, &preparation);
        } else if (*outcome == OUTCOME_OK && command.kind == COMMAND_SAMPLE) {
            *outcome = team_sample(team, command.iterations, &taken);
        } else if (*outcome == OUTCOME_OK) {
            return (int)command.status;
        }
        if (*outcome == OUTCOME_BROKEN) {
            complain(team->problem);
            return STATUS_ERROR;
        }
        // Rank 0 knows any other outcome, and ends all ranks.
    }
}

int main(int argc, char **argv) {
    struct team team;
    // The reader of the responses may have closed them; then writing fails.
    signal(SIGPIPE, SIG_IGN);
    uint64_t start = now_ns();
    // Errors of MPI_Init end the process.
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        complain("MPI cannot be initialised");
        return STATUS_ERROR;
    }
    start = now_ns() - start;
    int status = STATUS_ERROR;
    enum outcome outcome = team_open(&team);
    if (outcome != OUTCOME_OK) {
        complain(team.problem);
    } else {
        status = team.rank == 0 ? lead(&team, start, &outcome) : follow(&team, &outcome);
        if (outcome != OUTCOME_BROKEN) {
            outcome = team_close(&team);
        }
    }
    if (outcome == OUTCOME_BROKEN) {
        // The others may be waiting for this rank.
        MPI_Abort(MPI_COMM_WORLD, STATUS_ERROR);
    }
    MPI_Finalize();
    return status;
}
