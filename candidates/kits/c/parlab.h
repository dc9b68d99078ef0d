/// A candidate of the lab in three functions, by the protocol of Parcrypt's docs/reference/protocol.md. It is
/// C11 with POSIX, and is included before other headers, in one file of the program.
///
/// A request that cannot be answered ends the program with exit code 2 and the reason on standard error. What
/// the candidate, and programs that it starts, write to standard output goes to standard error too; their
/// standard input is empty.

#ifndef PARLAB_H
#define PARLAB_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L // clock_gettime, dup2
#endif

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    /// Version of the protocol.
    PARLAB_PROTOCOL = 2,
    /// Length limit of a request with its end of line, in bytes.
    PARLAB_LINE = 1 << 20,
    PARLAB_PARAMS = 64,
};

// ---- What a candidate uses ----

/// A parameter: a text, or a whole number if `text` is NULL.
struct parlab_param {
    const char *name;
    const char *text;
    uint64_t number;
};

/// The work to prepare. Its texts are valid until `prepare` returns.
struct parlab_work {
    const char *workload;
    /// Path of the input file; NULL if there is none.
    const char *input;
    uint64_t threads;
    /// Bytes of memory that are written before each sample, so that it has cold caches; 0 for none.
    uint64_t evict;
    struct parlab_param params[PARLAB_PARAMS];
    size_t params_count;
};

/// A SHA-256 in progress (FIPS 180-4).
struct parlab_hash {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t length;
};

/// Reads the input and does all that is not measured. Returns NULL, or the reason why the work is not
/// supported here.
typedef const char *parlab_prepare(const struct parlab_work *work);
/// Does the work once. Only this is timed.
typedef void parlab_iterate(void);
/// Adds the bytes of the last output to the hash.
typedef void parlab_output(struct parlab_hash *hash);

/// Answers the requests on standard input until `quit` or the end, and returns the exit code.
static inline int parlab_run(const char *name, const char *workload, parlab_prepare *prepare,
                             parlab_iterate *iterate, parlab_output *output);

/// Ends the program with exit code 2 and a message.
_Noreturn static inline void parlab_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

/// Returns the parameter of this name, or NULL.
static inline const struct parlab_param *parlab_find(const struct parlab_work *work, const char *name) {
    for (size_t i = 0; i < work->params_count; i++) {
        if (strcmp(work->params[i].name, name) == 0) {
            return &work->params[i];
        }
    }
    return NULL;
}

/// Returns the bytes of a file, which the caller may free.
static inline uint8_t *parlab_read(const char *path, size_t *length) {
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    size_t room = 1 << 16, n = 0;
    uint8_t *bytes = malloc(room);
    if (file == NULL) {
        parlab_fail("input %s cannot be opened", path == NULL ? "(there is none)" : path);
    }
    while (bytes != NULL && (n += fread(bytes + n, 1, room - n, file)) == room) {
        uint8_t *more = realloc(bytes, room *= 2);
        if (more == NULL) {
            free(bytes);
        }
        bytes = more;
    }
    if (bytes == NULL || ferror(file)) {
        parlab_fail("input %s cannot be read", path);
    }
    fclose(file);
    *length = n;
    return bytes;
}

/// The compression function on a full block.
static inline void parlab_compress(struct parlab_hash *hash) {
    // The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    };
#define PARLAB_ROTATED(x, by) ((x) >> (by) | (x) << (32 - (by)))
    uint32_t w[64], v[8];
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *b = hash->block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (size_t i = 16; i < 64; i++) {
        const uint32_t s0 = PARLAB_ROTATED(w[i - 15], 7) ^ PARLAB_ROTATED(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t s1 = PARLAB_ROTATED(w[i - 2], 17) ^ PARLAB_ROTATED(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, hash->state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t s1 = PARLAB_ROTATED(v[4], 6) ^ PARLAB_ROTATED(v[4], 11) ^ PARLAB_ROTATED(v[4], 25);
        const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        const uint32_t s0 = PARLAB_ROTATED(v[0], 2) ^ PARLAB_ROTATED(v[0], 13) ^ PARLAB_ROTATED(v[0], 22);
        const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
#undef PARLAB_ROTATED
    for (size_t i = 0; i < 8; i++) {
        hash->state[i] += v[i];
    }
}

/// Adds bytes to the hash.
static inline void parlab_put(struct parlab_hash *hash, const void *bytes, size_t length) {
    const uint8_t *from = bytes;
    for (size_t i = 0; i < length; i++) {
        hash->block[hash->length++ % 64] = from[i];
        if (hash->length % 64 == 0) {
            parlab_compress(hash);
        }
    }
}

/// Adds a number as 8 bytes, little-endian.
static inline void parlab_put_u64(struct parlab_hash *hash, uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
        const uint8_t byte = (uint8_t)(number >> shift);
        parlab_put(hash, &byte, 1);
    }
}

// ---- The conversation ----

/// A line of the requests while it is parsed.
struct parlab_line {
    FILE *from;
    /// Room for a line, made at the first one.
    char *text;
    char *at;
    /// Its number, and its beginning for messages.
    unsigned long number;
    char shown[200];
};

struct parlab_request {
    uint64_t id;
    /// `prepare`, `sample`, `digest` or `quit`.
    const char *kind;
    uint64_t protocol, iterations;
    struct parlab_work work;
};

_Noreturn static inline void parlab_refuse(const struct parlab_line *line, const char *what,
                                           const char *why) {
    parlab_fail("line %lu of standard input: `%s` is not a request: `%s`: %s", line->number, line->shown,
                what, why);
}

/// Skips blanks, and the character if it is the next one. Returns whether it was.
static inline bool parlab_take(struct parlab_line *line, char c) {
    line->at += strspn(line->at, " \t\r\n");
    if (*line->at != c) {
        return false;
    }
    line->at++;
    return true;
}

static inline void parlab_expect(struct parlab_line *line, char c) {
    if (!parlab_take(line, c)) {
        parlab_refuse(line, (char[]){c, '\0'}, "it is missing");
    }
}

/// Reads the four digits of an escape.
static inline uint32_t parlab_hex(struct parlab_line *line) {
    char digits[5] = {0};
    for (size_t i = 0; i < 4; i++) {
        digits[i] = *line->at;
        if (!isxdigit((unsigned char)digits[i])) {
            parlab_refuse(line, "\\u", "it needs four digits");
        }
        line->at++;
    }
    return (uint32_t)strtoul(digits, NULL, 16);
}

/// Reads the character of an escape and writes it as UTF-8, which is shorter. Returns the end.
static inline char *parlab_unicode(struct parlab_line *line, char *to) {
    static const uint8_t first[4] = {0, 0xc0, 0xe0, 0xf0};
    uint32_t code = parlab_hex(line);
    if (code >> 10 == 0xd800 >> 10 && line->at[0] == '\\' && line->at[1] == 'u') {
        line->at += 2;
        const uint32_t low = parlab_hex(line);
        if (low >> 10 == 0xdc00 >> 10) {
            code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
        }
    }
    if (code == 0 || code >> 11 == 0xd800 >> 11) {
        parlab_refuse(line, "\\u", "not a character of a string");
    }
    int more = (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
    *to++ = (char)(first[more] | code >> 6 * more);
    while (more-- > 0) {
        *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    }
    return to;
}

/// Reads a text. It is decoded in place, where it never gets longer.
static inline char *parlab_text(struct parlab_line *line) {
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    parlab_expect(line, '"');
    char *const text = line->at;
    char *to = text;
    while (*line->at != '"') {
        const char *escape = NULL;
        // The end of the line is such a character too.
        if ((unsigned char)*line->at < 0x20) {
            parlab_refuse(line, "\"", "a text without its end");
        }
        if (*line->at != '\\') {
            *to++ = *line->at++;
        } else if (line->at[1] == 'u') {
            line->at += 2;
            to = parlab_unicode(line, to);
        } else if (line->at[1] != '\0' && (escape = strchr(escapes, line->at[1])) != NULL) {
            *to++ = meanings[escape - escapes];
            line->at += 2;
        } else {
            parlab_refuse(line, "\\", "an unknown escape");
        }
    }
    line->at++;
    *to = '\0';
    return text;
}

/// Reads a whole number of at least `least`.
static inline uint64_t parlab_number(struct parlab_line *line, const char *name, uint64_t least) {
    uint64_t number = 0;
    line->at += strspn(line->at, " \t\r\n");
    const size_t digits = strspn(line->at, "0123456789");
    bool fits = digits > 0 && (digits == 1 || *line->at != '0');
    for (size_t i = 0; i < digits && fits; i++) {
        const uint64_t digit = (uint64_t)(line->at[i] - '0');
        fits = number <= (UINT64_MAX - digit) / 10;
        number = 10 * number + digit;
    }
    if (!fits || number < least) {
        parlab_refuse(line, name,
                      least == 0 ? "a whole number of at least 0 is needed, below 2^64"
                                 : "a whole number of at least 1 is needed, below 2^64");
    }
    line->at += digits;
    return number;
}

/// Reads up to the value of the next member of an object and returns its key, or NULL after the last member.
/// `*first` is true at the first call.
static inline const char *parlab_key(struct parlab_line *line, bool *first) {
    if (*first) {
        parlab_expect(line, '{');
    }
    if (parlab_take(line, '}')) {
        return NULL;
    }
    if (!*first) {
        parlab_expect(line, ',');
    }
    *first = false;
    const char *key = parlab_text(line);
    parlab_expect(line, ':');
    return key;
}

static inline void parlab_params(struct parlab_line *line, struct parlab_work *work) {
    bool first = true;
    const char *name;
    while ((name = parlab_key(line, &first)) != NULL) {
        struct parlab_param *param = &work->params[work->params_count];
        if (work->params_count++ == PARLAB_PARAMS) {
            parlab_refuse(line, name, "too many parameters");
        }
        param->name = name;
        line->at += strspn(line->at, " \t\r\n");
        if (*line->at == '"') {
            param->text = parlab_text(line);
        } else {
            param->number = parlab_number(line, name, 0);
        }
    }
}

/// Returns whether a kind is one of the optional ones, to which the response is `unsupported`.
static inline bool parlab_optional(const char *kind) {
    return strcmp(kind, "check") == 0 || strcmp(kind, "describe") == 0;
}

/// Reads the content of a request of this kind.
static inline void parlab_body(struct parlab_line *line, struct parlab_request *request) {
    const bool optional = parlab_optional(request->kind), sample = strcmp(request->kind, "sample") == 0;
    const bool prepare = optional || strcmp(request->kind, "prepare") == 0;
    struct parlab_work *work = &request->work;
    bool first = true;
    const char *key;
    while ((key = parlab_key(line, &first)) != NULL) {
        if (sample && strcmp(key, "iterations") == 0) {
            request->iterations = parlab_number(line, key, 1);
        } else if (prepare && strcmp(key, "protocol") == 0) {
            request->protocol = parlab_number(line, key, 0);
        } else if (prepare && strcmp(key, "workload") == 0) {
            work->workload = parlab_text(line);
        } else if (prepare && strcmp(key, "params") == 0) {
            parlab_params(line, work);
        } else if (prepare && strcmp(key, "threads") == 0) {
            work->threads = parlab_number(line, key, 1);
        } else if (prepare && strcmp(key, "input") == 0) {
            work->input = parlab_text(line);
        } else if (prepare && strcmp(key, "evict") == 0) {
            work->evict = parlab_number(line, key, 1);
        } else {
            parlab_refuse(line, key, "an unknown field");
        }
    }
    if (prepare && request->protocol != PARLAB_PROTOCOL) {
        parlab_refuse(line, "protocol", "this program speaks protocol 2");
    }
    if ((prepare && !optional && (work->workload == NULL || work->threads == 0)) ||
        (sample && request->iterations == 0)) {
        parlab_refuse(line, request->kind,
                      prepare ? "it has protocol, workload, params and threads" : "it has iterations");
    }
}

static inline struct parlab_request parlab_parse(struct parlab_line *line) {
    struct parlab_request request = {0};
    bool first = true, numbered = false;
    const char *key;
    while ((key = parlab_key(line, &first)) != NULL) {
        const bool kind = strcmp(key, "prepare") == 0 || strcmp(key, "sample") == 0 ||
                          strcmp(key, "digest") == 0 || strcmp(key, "quit") == 0 || parlab_optional(key);
        if (strcmp(key, "id") == 0) {
            request.id = parlab_number(line, key, 0);
            numbered = true;
        } else if (kind && request.kind == NULL) {
            request.kind = key;
            parlab_body(line, &request);
        } else {
            parlab_refuse(line, key,
                          "it has `id` and one of prepare, sample, digest, quit, check and describe");
        }
    }
    if (!numbered || request.kind == NULL) {
        parlab_refuse(line, "}", "it has `id` and one of prepare, sample, digest, quit, check and describe");
    }
    line->at += strspn(line->at, " \t\r\n");
    if (*line->at != '\0') {
        parlab_refuse(line, "}", "there is more after it");
    }
    return request;
}

/// Reads the next request; returns false at the end of the requests. Its texts are valid until the next one.
static inline bool parlab_next(struct parlab_line *line, struct parlab_request *request) {
    if (line->text == NULL && (line->text = malloc(PARLAB_LINE + 1)) == NULL) {
        parlab_fail("no memory for a request");
    }
    if (fgets(line->text, PARLAB_LINE + 1, line->from) == NULL) {
        return false;
    }
    line->number++;
    line->at = line->text;
    const size_t length = strcspn(line->text, "\n"), most = sizeof line->shown - 1;
    memcpy(line->shown, line->text, length < most ? length : most);
    line->shown[length < most ? length : most] = '\0';
    if (strchr(line->text, '\n') == NULL && !feof(line->from)) {
        parlab_refuse(line, "\\n", "the line has over 1048576 bytes, or a byte 0");
    }
    *request = parlab_parse(line);
    return true;
}

/// Returns a stream of the file behind a descriptor, behind which is that of `other` from now on.
static inline FILE *parlab_move(int descriptor, int other, const char *mode) {
    const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    FILE *const stream = copy < 0 ? NULL : fdopen(copy, mode);
    if (stream == NULL || dup2(other, descriptor) < 0) {
        parlab_fail("standard input and output cannot be used");
    }
    return stream;
}

/// Writes a text as JSON.
static inline void parlab_write(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\' || c < 0x20) {
            fprintf(to, "\\u%04x", (unsigned)c);
        } else {
            fputc(c, to);
        }
    }
    fputc('"', to);
}

static inline uint64_t parlab_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        parlab_fail("no monotonic clock");
    }
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/// Returns the maximum resident memory in bytes; 0 if the system does not tell it.
static inline uint64_t parlab_peak_memory(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char text[256];
    uint64_t kib = 0;
    while (file != NULL && fgets(text, sizeof text, file) != NULL &&
           sscanf(text, "VmHWM: %" SCNu64, &kib) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    return 1024 * kib;
}

static inline void parlab_digest(parlab_output *output, uint32_t digest[8]) {
    // The first 32 bits of the fractional parts of the square roots of the first 8 primes.
    struct parlab_hash hash = {.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                         0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
    output(&hash);
    const uint64_t bits = 8 * hash.length;
    parlab_put(&hash, "\x80", 1);
    while (hash.length % 64 != 56) {
        parlab_put(&hash, "", 1);
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
        const uint8_t byte = (uint8_t)(bits >> shift);
        parlab_put(&hash, &byte, 1);
    }
    memcpy(digest, hash.state, sizeof hash.state);
}

/// Memory that is written before each sample, and its length.
static volatile uint8_t *parlab_evicting;
static size_t parlab_evict;

static inline int parlab_run(const char *name, const char *workload, parlab_prepare *prepare,
                             parlab_iterate *iterate, parlab_output *output) {
    // A call through a volatile pointer is made each time: the compiler does not merge iterations.
    parlab_iterate *volatile const once = iterate;
    bool prepared = false, sampled = false;
    struct parlab_request request;
    // Programs that the candidate starts have the descriptors 0 and 1.
    const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct parlab_line line = {.from = parlab_move(STDIN_FILENO, empty, "r")};
    FILE *const responses = parlab_move(STDOUT_FILENO, STDERR_FILENO, "w");
    while (parlab_next(&line, &request)) {
        if (strcmp(request.kind, "quit") == 0) {
            break;
        }
        if (parlab_optional(request.kind)) {
            fprintf(responses, "{\"id\":%" PRIu64 ",\"unsupported\":\"this candidate answers no `%s`\"}\n",
                    request.id, request.kind);
            fflush(responses);
            continue;
        }
        const bool preparing = strcmp(request.kind, "prepare") == 0;
        const bool sampling = strcmp(request.kind, "sample") == 0;
        if (preparing == prepared) {
            parlab_fail(prepared ? "`%s` came a second time; it comes once"
                                 : "`%s` came before a successful `prepare`",
                        request.kind);
        }
        if (preparing && strcmp(request.work.workload, workload) != 0) {
            parlab_fail("unknown workload `%s`: it can be %s", request.work.workload, workload);
        }
        if (!preparing && !sampling && !sampled) {
            parlab_fail("`digest` came before the first `sample`");
        }
        // Nothing of a response is written before it is known, because each of these may end the program.
        if (preparing) {
            const char *why = prepare(&request.work);
            prepared = why == NULL;
            fprintf(responses, "{\"id\":%" PRIu64 ",%s", request.id,
                    prepared ? "\"ready\":{\"name\":" : "\"unsupported\":");
            parlab_write(responses, prepared ? name : why);
            if (prepared && request.work.evict > 0) {
                parlab_evict = (size_t)request.work.evict;
                if ((parlab_evicting = calloc(1, parlab_evict)) == NULL) {
                    parlab_fail("no memory for `evict` of %zu bytes", parlab_evict);
                }
                fprintf(responses, ",\"evict\":%zu", parlab_evict);
            }
            fputs(prepared ? "}" : "", responses);
        } else if (sampling) {
            if (parlab_evict > 0 && request.iterations > 1) {
                parlab_fail("%" PRIu64 " iterations: with `evict`, a sample is 1 iteration",
                            request.iterations);
            }
            for (size_t i = 0; i < parlab_evict; i += 64) {
                parlab_evicting[i]++;
            }
            const uint64_t begun = parlab_now();
            for (uint64_t i = 0; i < request.iterations; i++) {
                once();
            }
            const uint64_t elapsed = parlab_now() - begun, peak = parlab_peak_memory();
            fprintf(responses, "{\"id\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64, request.id,
                    elapsed > 0 ? elapsed : 1);
            if (peak > 0) {
                fprintf(responses, ",\"counts\":{\"peak-memory-bytes\":%" PRIu64 "}", peak);
            }
            sampled = true;
        } else {
            uint32_t digest[8];
            parlab_digest(output, digest);
            fprintf(responses, "{\"id\":%" PRIu64 ",\"digest\":\"sha256:", request.id);
            for (size_t i = 0; i < 8; i++) {
                fprintf(responses, "%08" PRIx32, digest[i]);
            }
            fputc('"', responses);
        }
        fputs("}\n", responses);
        if (fflush(responses) != 0) {
            parlab_fail("standard output cannot be written");
        }
    }
    free(line.text);
    fclose(line.from);
    fclose(responses);
    return 0;
}

#endif
