#include "request.h"

#include <stdlib.h>
#include <string.h>

enum {
    /// Maximum number of bytes of a request.
    MOST_LINE = 1 << 20,
    /// Maximum number of characters of a request that a message repeats.
    SHOWN = 200,
    MOST_SCALE = 36,
};

/// Reads a line of at most `MOST_LINE` bytes without its end. Returns NULL with a problem, or NULL without
/// one where standard input has ended.
static char *read_line(size_t *length, char problem[PROBLEM_BYTES]) {
    size_t room = 4096, n = 0;
    char *line = malloc(room), *more;
    int c = 0;

    problem[0] = '\0';
    while (line != NULL && (c = getc(stdin)) != EOF && c != '\n') {
        if (n == MOST_LINE) {
            snprintf(problem, PROBLEM_BYTES,
                     "a line of standard input is longer than %d bytes, which no request is", MOST_LINE);
            goto out;
        }
        if (n == room) {
            more = realloc(line, 2 * room);
            if (more == NULL) {
                break;
            }
            line = more;
            room *= 2;
        }
        line[n++] = (char)c;
    }
    if (line == NULL || (c != EOF && c != '\n')) {
        snprintf(problem, PROBLEM_BYTES, "no memory for a request");
    } else if (ferror(stdin)) {
        snprintf(problem, PROBLEM_BYTES, "standard input cannot be read");
    } else if (c == '\n' || n > 0) {
        *length = n;
        return line;
    }
out:
    free(line);
    return NULL;
}

/// The work in `prepare`: its size, algorithm and variant.
static bool take_params(struct request *request, json_t *params, char problem[PROBLEM_BYTES]) {
    static const char *const algorithms[] = {"tree", "collective", "window"};
    static const char *const mistakes[] = {"boxed", "dropped-guard", "eight-byte-elements"};
    const char *algorithm = "", *variant = "correct";
    json_int_t scale = -1, bytes = -1;
    json_error_t error;

    if (json_unpack_ex(params, &error, JSON_STRICT, "{s?:I, s?:I, s:s, s?:s}", "scale", &scale, "bytes",
                       &bytes, "algorithm", &algorithm, "variant", &variant) != 0) {
        snprintf(problem, PROBLEM_BYTES,
                 "params: %s: there are `scale` or `bytes`, numbers, and `algorithm` and `variant`, texts",
                 error.text);
        return false;
    }
    if ((json_object_get(params, "scale") == NULL) == (json_object_get(params, "bytes") == NULL)) {
        snprintf(problem, PROBLEM_BYTES, "params: one of `scale` and `bytes` has to be there, and not both");
        return false;
    }
    if (json_object_get(params, "scale") != NULL) {
        if (scale < 0 || scale > MOST_SCALE) {
            snprintf(problem, PROBLEM_BYTES,
                     "parameter `scale` is %" JSON_INTEGER_FORMAT ": it can be 0 to %d", scale, MOST_SCALE);
            return false;
        }
        bytes = (json_int_t)1 << scale;
    }
    if (bytes < 0 || (uint64_t)bytes > MOST_BYTES) {
        snprintf(problem, PROBLEM_BYTES, "parameter `bytes` is %" JSON_INTEGER_FORMAT ": it can be 0 to 2^%d",
                 bytes, MOST_SCALE);
        return false;
    }
    request->bytes = (uint64_t)bytes;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        if (strcmp(algorithm, algorithms[i]) == 0) {
            request->algorithm = (enum algorithm)i;
            algorithm = NULL;
            break;
        }
    }
    if (algorithm != NULL) {
        snprintf(problem, PROBLEM_BYTES, "unknown algorithm `%.100s`: it can be tree, collective or window",
                 algorithm);
        return false;
    }
    if (strcmp(variant, "correct") == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        if (strcmp(variant, mistakes[i]) == 0) {
            request->variant = variant;
            return true;
        }
    }
    snprintf(problem, PROBLEM_BYTES,
             "unknown variant `%.100s`: it can be correct, boxed, dropped-guard or eight-byte-elements",
             variant);
    return false;
}

static bool take_prepare(struct request *request, json_t *body, char problem[PROBLEM_BYTES]) {
    const char *workload = "";
    json_int_t threads = 0, protocol = 0;
    json_t *params = NULL;
    json_error_t error;

    if (json_unpack(body, "{s?:I}", "protocol", &protocol) == 0 && protocol != PROTOCOL) {
        snprintf(problem, PROBLEM_BYTES,
                 "it is of protocol %" JSON_INTEGER_FORMAT ", and this program speaks protocol %d", protocol,
                 PROTOCOL);
        return false;
    }
    if (json_unpack_ex(body, &error, JSON_STRICT, "{s:I, s:s, s:o, s:I, s?:s}", "protocol", &protocol,
                       "workload", &workload, "params", &params, "threads", &threads, "input",
                       &request->input) != 0) {
        snprintf(problem, PROBLEM_BYTES, "prepare: %s", error.text);
        return false;
    }
    if (strcmp(workload, "sum") != 0) {
        snprintf(problem, PROBLEM_BYTES, "unknown workload `%.100s`: it can be sum", workload);
        return false;
    }
    if (request->input == NULL) {
        snprintf(problem, PROBLEM_BYTES, "`sum` needs an input file, and none was named");
        return false;
    }
    request->threads = threads;
    return take_params(request, params, problem);
}

static bool take_sample(struct request *request, json_t *body, char problem[PROBLEM_BYTES]) {
    json_int_t iterations = 0;
    json_error_t error;
    if (json_unpack_ex(body, &error, JSON_STRICT, "{s:I}", "iterations", &iterations) != 0) {
        snprintf(problem, PROBLEM_BYTES, "sample: %s", error.text);
        return false;
    }
    if (iterations < 1) {
        snprintf(problem, PROBLEM_BYTES, "%" JSON_INTEGER_FORMAT " iterations: at least 1 is needed",
                 iterations);
        return false;
    }
    request->iterations = (uint64_t)iterations;
    return true;
}

static bool take(struct request *request, char problem[PROBLEM_BYTES]) {
    static const char *const kinds[] = {"prepare", "sample", "digest", "quit"};
    json_t *body = NULL;
    size_t kind = 0;
    if (json_is_object(request->json) && !json_is_integer(json_object_get(request->json, "id"))) {
        snprintf(problem, PROBLEM_BYTES,
                 "it has no number `id`, as protocol 1 has none; this program speaks protocol %d", PROTOCOL);
        return false;
    }
    request->id = json_integer_value(json_object_get(request->json, "id"));
    if (json_object_size(request->json) == 2) {
        while (kind < 4 && (body = json_object_get(request->json, kinds[kind])) == NULL) {
            kind++;
        }
    }
    if (body == NULL) {
        snprintf(problem, PROBLEM_BYTES,
                 "it is an object with `id` and one of prepare, sample, digest and quit");
        return false;
    }
    switch (kind) {
    case 0:
        request->kind = REQUEST_PREPARE;
        return take_prepare(request, body, problem);
    case 1:
        request->kind = REQUEST_SAMPLE;
        return take_sample(request, body, problem);
    default:
        request->kind = kind == 2 ? REQUEST_DIGEST : REQUEST_QUIT;
        if (!json_is_object(body) || json_object_size(body) != 0) {
            snprintf(problem, PROBLEM_BYTES, "%s: it has an empty object", kinds[kind]);
            return false;
        }
        return true;
    }
}

bool request_read(struct request *request, char problem[PROBLEM_BYTES]) {
    json_error_t error;
    char why[PROBLEM_BYTES];
    size_t length = 0;
    bool understood = false;
    *request = (struct request){.kind = REQUEST_QUIT};
    char *line = read_line(&length, problem);
    if (line == NULL) {
        return problem[0] == '\0';
    }
    request->json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    if (request->json == NULL) {
        snprintf(why, sizeof why, "%s", error.text);
    } else {
        understood = take(request, why);
    }
    if (!understood) {
        snprintf(problem, PROBLEM_BYTES, "`%.*s` is no request: %.300s",
                 (int)(length < SHOWN ? length : SHOWN), line, why);
    }
    free(line);
    return understood;
}

void request_free(struct request *request) {
    json_decref(request->json);
    request->json = NULL;
}
