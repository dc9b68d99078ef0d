/*
 * Sums of many points where the system refuses memory: a status, and no end of the process. Each limit is
 * that of a child process, as it cannot be lifted again.
 */
#define _DEFAULT_SOURCE /* fork */
#include <parcrypt.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/** 12 MiB as points of the library, 18 MiB for a multiple of each, some 40 MiB for the digits of a sum. */
#define POINTS ((size_t)1 << 17)
#define MIB ((size_t)1 << 20)

/** Limits the address space of this process to what it has and `more` bytes; returns whether that is
 * possible. */
static bool limit(size_t more) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return false;
    int read = fscanf(file, "%lu", &pages);
    fclose(file);
    struct rlimit most;
    most.rlim_cur = most.rlim_max = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    return read == 1 && setrlimit(RLIMIT_AS, &most) == 0;
}

/** Returns the status of points with tables of `tables_mib`, and of a sum where there are any. */
static parcrypt_status sum(const uint8_t *points, const uint8_t *scalars, size_t more, size_t more_for_sum,
                           size_t tables_mib) {
    parcrypt_runtime *rt = NULL;
    parcrypt_points *p = NULL;
    uint8_t out[PARCRYPT_BYTES_PER_COMMITMENT];
    parcrypt_status status = parcrypt_runtime_new("serial", 1, &rt);
    if (status == PARCRYPT_OK && more != 0 && !limit(more))
        status = PARCRYPT_ERROR_INTERNAL;
    if (status == PARCRYPT_OK)
        status = parcrypt_points_new(rt, points, POINTS * 48, tables_mib, &p);
    if (status == PARCRYPT_OK && more_for_sum != 0 && !limit(more_for_sum))
        status = PARCRYPT_ERROR_INTERNAL;
    if (status == PARCRYPT_OK)
        status = parcrypt_points_msm(rt, p, scalars, POINTS * 32, out);
    if (status == PARCRYPT_OK && out[0] != 0xc0)
        status = PARCRYPT_ERROR_INTERNAL;
    fprintf(stderr, "%s\n", parcrypt_error_message());
    parcrypt_points_free(p);
    parcrypt_runtime_free(rt);
    return status;
}

int main(void) {
    static const struct {
        const char *what;
        size_t more, more_for_sum, tables_mib;
        parcrypt_status expected;
    } cases[] = {
        {"no limit", 0, 0, 64, PARCRYPT_OK},
        {"points", 8 * MIB, 0, 0, PARCRYPT_ERROR_MEMORY},
        {"multiples", 50 * MIB, 0, 512, PARCRYPT_ERROR_MEMORY},
        {"scalars", 0, 3 * MIB, 0, PARCRYPT_ERROR_MEMORY},
        {"digits", 0, 30 * MIB, 0, PARCRYPT_ERROR_MEMORY},
        {"digits with multiples", 0, 16 * MIB, 64, PARCRYPT_ERROR_MEMORY},
    };
    /* Infinity, as many times. */
    uint8_t *points = calloc(POINTS, 48), *scalars = calloc(POINTS, 32);
    int failures = 0;
    if (points == NULL || scalars == NULL)
        return 2;
    for (size_t i = 0; i < POINTS; i++) {
        points[48 * i] = 0xc0;
    }
    /* Different scalars, whose digits are different too. */
    uint64_t state = 1;
    for (size_t i = 0; i < POINTS * 32; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        scalars[i] = (uint8_t)(i % 32 == 0 ? (state >> 56) % 0x73 : state >> 56);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int ended = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(sum(points, scalars, cases[i].more, cases[i].more_for_sum, cases[i].tables_mib));
        if (child < 0 || waitpid(child, &ended, 0) != child || !WIFEXITED(ended) ||
            WEXITSTATUS(ended) != cases[i].expected) {
            fprintf(stderr, "%s: the child ended with %d\n", cases[i].what, ended);
            failures++;
        }
    }
    free(points);
    free(scalars);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
