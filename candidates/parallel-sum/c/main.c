/// A candidate of the lab: the sum of a file's bytes over MPI ranks, in C.
///
/// Rank 0 implements the protocol of docs/reference/protocol.md with the kit for C, and sends commands to the
/// others; ../README.md defines the work. All ranks end together: with 0 after `quit` or at the end of
/// standard input, with 2 after an error.

#include "../../kits/c/parlab.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "bytes.h"
#include "ranks.h"

enum { STATUS_DONE = 0, STATUS_ERROR = 2, MAX_SCALE = 36 };

/// The ranks, what the last call on them returned, and the command that ends them.
static struct team team;
static enum outcome outcome;
static struct command end = {.kind = COMMAND_END, .status = STATUS_ERROR};

/// Takes the outcome of a call on all ranks. Aborts if MPI failed on this one, because the others may be
/// waiting for it.
static void took(enum outcome of_call) {
    outcome = of_call;
    if (outcome == OUTCOME_BROKEN) {
        fprintf(stderr, "error: %s\n", team.problem);
        MPI_Abort(MPI_COMM_WORLD, STATUS_ERROR);
    }
}

/// Ends this rank and, if it is rank 0, the others. It is called at the exit of the process, also by
/// `parlab_fail`.
static void end_all(void) {
    if (outcome != OUTCOME_BROKEN && team.rank == 0) {
        took(team_tell(&team, &end));
    }
    if (outcome != OUTCOME_BROKEN) {
        took(team_close(&team));
    }
    if (outcome != OUTCOME_BROKEN) {
        MPI_Finalize();
    }
}

/// The work of a preparation.
struct sum {
    uint64_t bytes;
    enum algorithm algorithm;
    /// A published mistake that this program does not have, or NULL.
    const char *variant;
};

/// Returns a whole number from a parameter.
static uint64_t number(const struct parlab_param *param, uint64_t most) {
    if (param->text != NULL || param->number > most) {
        parlab_fail("parameter `%s`: it can be 0 to %" PRIu64, param->name, most);
    }
    return param->number;
}

/// Returns the index of a parameter's text among some.
static size_t choice(const struct parlab_param *param, const char *const *known, size_t count) {
    for (size_t i = 0; i < count && param->text != NULL; i++) {
        if (strcmp(param->text, known[i]) == 0) {
            return i;
        }
    }
    parlab_fail("parameter `%s` is `%.100s`: an unknown one", param->name,
                param->text == NULL ? "a number" : param->text);
}

static struct sum parse(const struct parlab_work *work) {
    static const char *const algorithms[] = {"tree", "collective", "window"};
    static const char *const variants[] = {"correct", "boxed", "dropped-guard", "eight-byte-elements"};
    const struct parlab_param *scale = parlab_find(work, "scale"), *bytes = parlab_find(work, "bytes");
    const struct parlab_param *algorithm = parlab_find(work, "algorithm");
    const struct parlab_param *variant = parlab_find(work, "variant");
    struct sum sum = {0};
    if (strcmp(work->workload, "sum") != 0) {
        parlab_fail("unknown workload `%.100s`: it can be sum", work->workload);
    }
    if (work->input == NULL) {
        parlab_fail("`sum` needs an input file, and none was named");
    }
    if ((scale == NULL) == (bytes == NULL)) {
        parlab_fail("one of the parameters `scale` and `bytes` has to be there, and not both");
    }
    if (algorithm == NULL) {
        parlab_fail("the parameter `algorithm` is missing: it can be tree, collective or window");
    }
    if (work->params_count != 2 + (variant != NULL)) {
        parlab_fail("`sum` has the parameters `scale`, `bytes`, `algorithm` and `variant`");
    }
    sum.bytes = scale != NULL ? (uint64_t)1 << number(scale, MAX_SCALE) : number(bytes, MAX_BYTES);
    sum.algorithm = (enum algorithm)choice(algorithm, algorithms, sizeof algorithms / sizeof *algorithms);
    if (variant != NULL && choice(variant, variants, sizeof variants / sizeof *variants) > 0) {
        sum.variant = variant->text;
    }
    return sum;
}

/// Opens a regular file of exactly this many bytes.
static int open_input(const char *path, uint64_t bytes) {
    struct stat status;
    // Without O_NONBLOCK opening a FIFO would wait.
    const int input = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (input < 0 || fstat(input, &status) != 0) {
        parlab_fail("input %.300s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        parlab_fail("input %.300s: not a regular file", path);
    }
    if ((uint64_t)status.st_size != bytes) {
        parlab_fail("input %.300s: it has %" PRIu64 " bytes, but the parameters say %" PRIu64, path,
                    (uint64_t)status.st_size, bytes);
    }
    return input;
}

/// Returns name and version of the MPI library, from the first line of its version text.
static const char *library_version(void) {
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
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
    return version;
}

/// Begins the response to a request, which is known: nothing may fail after this.
static void respond(const struct parlab_request *request) { printf("{\"id\":%" PRIu64 ",", request->id); }

/// Prepares on all ranks, and writes the response.
static void prepare(const struct parlab_request *request, const struct sum *sum, uint64_t start) {
    const struct parlab_work *work = &request->work;
    struct preparation preparation = {0};
    struct command command = {
        .kind = COMMAND_PREPARE, .algorithm = (uint64_t)sum->algorithm, .bytes = sum->bytes};
    if (work->threads != (uint64_t)team.size) {
        parlab_fail("%" PRIu64 " threads are asked for, but there are %d ranks", work->threads, team.size);
    }
    const int input = open_input(work->input, sum->bytes);
    took(team_tell(&team, &command));
    took(team_prepare(&team, sum->algorithm, sum->bytes, input, &preparation));
    close(input);
    if (outcome == OUTCOME_NO_MEMORY) {
        parlab_fail("a rank has no memory for its part of %" PRIu64 " bytes", sum->bytes);
    }
    if (outcome == OUTCOME_NO_INPUT) {
        parlab_fail("input %.300s: it cannot be read to its end", work->input);
    }
    respond(request);
    printf("\"ready\":{\"name\":\"sum-c\",\"version\":");
    parlab_write(stdout, library_version());
    printf(",\"runtime\":\"mpi\",\"backend\":\"%s\",\"threads\":%d,\"phases\":{\"start\":%" PRIu64
           ",\"read\":%" PRIu64 ",\"connect\":%" PRIu64 ",\"touch\":%" PRIu64 "}}",
           sum_backend(), team.size, start, preparation.read, preparation.connect, preparation.touch);
}

/// Samples on all ranks, writes the response, and returns the sum.
static uint64_t sample(const struct parlab_request *request) {
    struct sample taken = {0};
    struct command command = {.kind = COMMAND_SAMPLE, .iterations = request->iterations};
    took(team_tell(&team, &command));
    took(team_sample(&team, request->iterations, &taken));
    respond(request);
    // An empty sum may take less than the clock's resolution.
    printf("\"elapsed_ns\":%" PRIu64 ",\"phases\":{\"scatter\":%" PRIu64 ",\"compute\":%" PRIu64
           ",\"gather\":%" PRIu64 "}",
           taken.elapsed > 0 ? taken.elapsed : 1, taken.scatter, taken.compute, taken.gather);
    return taken.sum;
}

/// The sum of the last sample.
static uint64_t total;

static void output(struct parlab_hash *hash) { parlab_put_u64(hash, total); }

/// Runs rank 0, which answers requests until there are no more.
static int lead(uint64_t start) {
    bool prepared = false, sampled = false;
    struct parlab_line line = {.from = stdin};
    struct parlab_request request;
    while (parlab_next(&line, &request) && strcmp(request.kind, "quit") != 0) {
        const bool preparing = strcmp(request.kind, "prepare") == 0;
        const bool sampling = strcmp(request.kind, "sample") == 0;
        if (!parlab_optional(request.kind) && preparing == prepared) {
            parlab_fail(prepared ? "`%s` came a second time; it comes once"
                                 : "`%s` came before a successful `prepare`",
                        request.kind);
        }
        const struct sum sum = preparing ? parse(&request.work) : (struct sum){0};
        if (parlab_optional(request.kind)) {
            respond(&request);
            printf("\"unsupported\":\"this candidate answers no `%s`\"", request.kind);
        } else if (preparing && sum.variant != NULL) {
            respond(&request);
            printf("\"unsupported\":\"the variant %s is not in the program in C\"", sum.variant);
        } else if (preparing) {
            prepare(&request, &sum, start);
            prepared = true;
        } else if (sampling) {
            total = sample(&request);
            sampled = true;
        } else if (!sampled) {
            parlab_fail("`digest` came before the first `sample`");
        } else {
            uint32_t digest[8];
            parlab_digest(output, digest);
            respond(&request);
            printf("\"digest\":\"sha256:");
            for (size_t i = 0; i < 8; i++) {
                printf("%08" PRIx32, digest[i]);
            }
            putchar('"');
        }
        if (puts("}") == EOF || fflush(stdout) != 0) {
            parlab_fail("standard output cannot be written");
        }
    }
    end.status = STATUS_DONE;
    return STATUS_DONE;
}

/// Runs every other rank, until rank 0 ends it.
static int follow(void) {
    struct command command = {0};
    struct preparation preparation;
    struct sample taken;
    for (;;) {
        took(team_tell(&team, &command));
        // Rank 0 knows any other outcome, and ends all ranks.
        if (command.kind == COMMAND_PREPARE) {
            took(team_prepare(&team, (enum algorithm)command.algorithm, command.bytes, -1, &preparation));
        } else if (command.kind == COMMAND_SAMPLE) {
            took(team_sample(&team, command.iterations, &taken));
        } else {
            return (int)command.status;
        }
    }
}

int main(int argc, char **argv) {
    // The reader of the responses may have closed them; then writing fails.
    signal(SIGPIPE, SIG_IGN);
    uint64_t start = now_ns();
    // Errors of MPI_Init end the process.
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        parlab_fail("MPI cannot be initialised");
    }
    start = now_ns() - start;
    took(team_open(&team));
    atexit(end_all);
    return team.rank == 0 ? lead(start) : follow();
}
