/* Measures every kernel on the machine where it runs, and writes a record for `parlab report`.
 *
 *     board [ROUNDS] > board.json
 *
 * First each answer is compared with the reference. Then in each round (16) all kernels of a case take turns,
 * for a millisecond each. A sample has the time by the monotonic clock and the cycles by rdcycle; where the
 * system forbids that, the ticks of rdtime. Ends with 1 if an answer is wrong or the record cannot be
 * written, with 2 without vectors. */

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"
#include "parcrypt_ntt_rvv.h"
#include "reference.h"

enum { N = 256, SAMPLES = 4, MAX_ROUNDS = 1000, MAX_KERNELS = 64, SAMPLE_NS = 1000000 };

/* --- counters --- */

static uint64_t read_cycle(void) {
    uint64_t count;
    __asm__ volatile("rdcycle %0" : "=r"(count));
    return count;
}

static uint64_t read_time(void) {
    uint64_t count;
    __asm__ volatile("rdtime %0" : "=r"(count));
    return count;
}

static uint64_t read_nothing(void) { return 0; }

static uint64_t read_vlenb(void) { return parcrypt_vlenb(); }

static sigjmp_buf after_signal;

static void leave(int signal) { siglongjmp(after_signal, signal); }

/* Returns whether the function ends without an illegal instruction. */
static int is_allowed(uint64_t (*function)(void)) {
    struct sigaction action = {.sa_handler = leave}, before;
    sigaction(SIGILL, &action, &before);
    volatile int allowed = 0;
    if (sigsetjmp(after_signal, 1) == 0) {
        function();
        allowed = 1;
    }
    sigaction(SIGILL, &before, NULL);
    return allowed;
}

struct counter {
    uint64_t (*read)(void);
    const char *name; /* in the record; null without a counter */
};

static struct counter choose_counter(void) {
    if (is_allowed(read_cycle)) {
        return (struct counter){read_cycle, "cycles"};
    }
    if (is_allowed(read_time)) {
        return (struct counter){read_time, "timer-ticks"};
    }
    return (struct counter){read_nothing, NULL};
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- what the shapes compute --- */

struct shape_of_case {
    const char *workload, *title;
    enum shape shape;
    unsigned n, width; /* coefficients, and bytes of one */
};

static const struct shape_of_case cases[] = {
    {"ntt-cyclic-product", "product of 128 coefficients, int32", PRODUCT128_I32, 128, 4},
    {"ntt-cyclic-product", "product of 128 coefficients, int16", PRODUCT128_I16, 128, 2},
    {"ntt-mlkem-forward", "transform of ML-KEM", MLKEM_FORWARD, 256, 2},
    {"ntt-mlkem-inverse", "inverse transform of ML-KEM", MLKEM_INVERSE, 256, 2},
    {"ntt-mldsa-forward", "transform of ML-DSA", MLDSA_FORWARD, 256, 4},
    {"ntt-mldsa-inverse", "inverse transform of ML-DSA", MLDSA_INVERSE, 256, 4},
    {"ntt-mldsa-multiply", "product of transforms of ML-DSA", MLDSA_MULTIPLY, 256, 4},
    {"ntt-mldsa-sum-of-products", "sum of four products of transforms of ML-DSA", MLDSA_SUM, 256, 4},
};
enum { CASES = sizeof cases / sizeof *cases };

static _Alignas(64) unsigned char arrays[3][4 * N * SUMMANDS];

static void write_words(unsigned char *target, const int32_t *words, unsigned n, unsigned width) {
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < width; j++) {
            target[width * i + j] = (unsigned char)(words[i] >> 8 * j & 0xff);
        }
    }
}

static void fill(int32_t x[N], int32_t q, uint32_t seed) {
    for (unsigned i = 0; i < N; i++) {
        seed = seed * 1664525 + 1013904223;
        x[i] = (int32_t)((uint64_t)seed * (uint32_t)q >> 32);
    }
}

/* Calls the kernel; a transform gets r, the result of the call before, which is within its bounds. */
static void call(const struct kernel *kernel) { parcrypt_call(kernel, arrays[2], arrays[0], arrays[1]); }

/* Fills the inputs, and returns whether the kernel's answer is the reference's. */
static int answer_is_right(const struct shape_of_case *c, const struct kernel *kernel) {
    const struct ring *ring = c->shape >= MLDSA_FORWARD ? &mldsa_ring : &mlkem_ring;
    int32_t a[N], b[N], expected[N], product[N], sum[N] = {0};
    unsigned char bytes[4 * N];
    /* Other polynomials in each product of a sum; a and b stay the last ones. */
    for (unsigned i = 0; i < (c->shape == MLDSA_SUM ? SUMMANDS : 1); i++) {
        fill(a, ring->q, 2 * i + 1);
        fill(b, ring->q, 2 * i + 2);
        if (c->shape == MLDSA_SUM) {
            reference_multiply(ring, product, a, b);
            for (unsigned j = 0; j < N; j++) {
                sum[j] = (sum[j] + product[j]) % ring->q;
            }
        }
        write_words(arrays[0] + (size_t)i * c->n * c->width, a, c->n, c->width);
        write_words(arrays[1] + (size_t)i * c->n * c->width, b, c->n, c->width);
    }
    write_words(arrays[2], a, c->n, c->width);
    memcpy(expected, a, sizeof expected);
    switch (c->shape) {
    case PRODUCT128_I16:
    case PRODUCT128_I32:
        reference_product(ring, expected, a, b, 128, 1);
        break;
    case MLKEM_FORWARD:
    case MLDSA_FORWARD:
        reference_forward(ring, expected);
        break;
    case MLKEM_INVERSE:
    case MLDSA_INVERSE:
        reference_inverse(ring, expected);
        break;
    case MLDSA_MULTIPLY:
        reference_multiply(ring, expected, a, b);
        break;
    case MLDSA_SUM:
        memcpy(expected, sum, sizeof expected);
        break;
    }
    write_words(bytes, expected, c->n, c->width);
    call(kernel);
    return memcmp(arrays[2], bytes, (size_t)c->n * c->width) == 0;
}

/* --- measuring --- */

struct sample {
    uint64_t ns, count;
};

struct entry {
    const struct kernel *kernel;
    int right;
    uint64_t iterations;
    struct sample *samples; /* SAMPLES for each round */
};

static struct sample measure(const struct entry *entry, const struct counter *counter) {
    const uint64_t ns = now_ns(), count = counter->read();
    for (uint64_t i = 0; i < entry->iterations; i++) {
        call(entry->kernel);
    }
    const uint64_t count_after = counter->read(), ns_after = now_ns();
    return (struct sample){ns_after - ns, count_after - count};
}

/* Returns the number of entries of a case, after all have been checked and have taken turns. */
static size_t run_case(const struct shape_of_case *c, struct entry entries[MAX_KERNELS], unsigned rounds,
                       const struct counter *counter) {
    size_t count = 0;
    for (const struct kernel *kernel = parcrypt_kernels; kernel->name; kernel++) {
        if (kernel->shape == c->shape && kernel->least_vlenb <= parcrypt_vlenb() &&
            parcrypt_vlenb() <= kernel->greatest_vlenb && count < MAX_KERNELS) {
            struct entry *entry = &entries[count++];
            *entry = (struct entry){kernel, answer_is_right(c, kernel), 1,
                                    calloc(rounds * SAMPLES, sizeof(struct sample))};
            if (entry->samples == NULL) {
                fprintf(stderr, "board: out of memory\n");
                exit(1);
            }
            while (entry->right && measure(entry, counter).ns < SAMPLE_NS && entry->iterations < 1 << 24) {
                entry->iterations *= 2;
            }
        }
    }
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < SAMPLES; i++) {
            for (size_t place = 0; place < count; place++) {
                /* In opposite orders, so that drift and what the one before leaves affect all alike. */
                struct entry *entry = &entries[i % 2 ? count - 1 - place : place];
                if (entry->right) {
                    entry->samples[SAMPLES * round + i] = measure(entry, counter);
                }
            }
        }
    }
    return count;
}

/* --- the record --- */

static void print_string(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            putchar('\\');
        }
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    putchar('"');
}

/* Returns the board's name from the device tree, or the processor's from /proc/cpuinfo. */
static const char *processor(void) {
    static char line[256];
    FILE *file = fopen("/proc/device-tree/model", "r");
    if (file != NULL) {
        const size_t size = fread(line, 1, sizeof line - 1, file);
        fclose(file);
        line[size] = '\0';
        if (size > 0) {
            return line;
        }
    }
    file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *value = strchr(line, ':');
        if (value != NULL && (strncmp(line, "uarch", 5) == 0 || strncmp(line, "model name", 10) == 0)) {
            fclose(file);
            value[strcspn(value, "\n")] = '\0';
            return value + 1 + (value[1] == ' ');
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return "unknown";
}

static int print_entry(const struct entry *entry, unsigned rounds, const struct counter *counter) {
    printf("{\"candidate\":\"%s\",\"about\":", entry->kernel->name);
    print_string(entry->kernel->step ? entry->kernel->step : "");
    printf(",\"labels\":{},\"threads\":1,\"role\":\"candidate\",\"command\":[\"board\"],\"ready\":{\"name\":"
           "\"%s\","
           "\"runtime\":\"serial\",\"backend\":\"%s\",\"threads\":1},\"digest\":null,\"failure\":",
           entry->kernel->name, entry->kernel->least_vlenb ? "rvv" : "portable");
    if (!entry->right) {
        fprintf(stderr, "board: %s: the answer is wrong\n", entry->kernel->name);
        printf("{\"kind\":\"wrong-digest\",\"why\":\"the answer is not the reference's\",\"stderr\":\"\"}}");
        return 1;
    }
    printf("null,\"rounds\":[");
    for (unsigned i = 0; i < SAMPLES * rounds; i++) {
        const struct sample *sample = &entry->samples[i];
        printf("%s{\"iterations\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64,
               i % SAMPLES ? ","
               : i         ? "],["
                           : "[",
               entry->iterations, sample->ns);
        if (counter->name != NULL) {
            printf(",\"counts\":{\"%s\":%" PRIu64 "}", counter->name, sample->count);
        }
        printf("}");
    }
    printf("]]}");
    return 0;
}

static void print_head(const struct counter *counter, const char *started) {
    struct utsname system = {0};
    uname(&system);
    printf("{\"schema\":3,\"plan\":\"riscv-board\",\"title\":\"RISC-V kernels on a board\",\"about\":\"Every "
           "kernel of riscv for "
           "vectors of %zu bits. Answers were compared with the reference. The kernels of a case took turns "
           "in one process.\","
           "\"plan_text\":\"\",\"command\":[\"board\"],\"started\":\"%s\",\"partial\":null,\"machine\":{"
           "\"processor\":",
           8 * parcrypt_vlenb(), started);
    print_string(processor());
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    printf(",\"arch\":\"riscv64\",\"cores\":%ld,\"memory\":%" PRIu64
           ",\"backends\":[\"portable\",\"rvv\"],\"caches\":[],\"system\":",
           sysconf(_SC_NPROCESSORS_ONLN), memory);
    char name[sizeof system.sysname + sizeof system.release + 1];
    snprintf(name, sizeof name, "%s %s", system.sysname, system.release);
    print_string(name);
    printf(",\"virtual_machine\":false},\"build\":{\"compiler\":");
    print_string(__VERSION__);
    printf("},\"missing\":[");
    if (counter->name == NULL || strcmp(counter->name, "cycles") != 0) {
        printf("\"cycles: rdcycle is not allowed\"");
    }
    printf("],\"questions\":[],\"cases\":[");
}

int main(int argc, char **argv) {
    const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 16;
    if (argc > 2 || rounds == 0 || rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: board [ROUNDS], 1 to %d\n", MAX_ROUNDS);
        return 1;
    }
    if (!is_allowed(read_vlenb) || parcrypt_ntt_rvv() == NULL) {
        fprintf(stderr, "board: this hart has no V extension 1.0 with VLEN 128 or more\n");
        return 2;
    }
    const struct counter counter = choose_counter();
    const time_t clock = time(NULL);
    char started[32] = "";
    const struct tm *utc = gmtime(&clock);
    if (utc != NULL) {
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", utc);
    }
    fprintf(stderr, "board: VLEN %zu; counts: %s\n", 8 * parcrypt_vlenb(),
            counter.name ? counter.name : "none");
    const uint64_t begin = now_ns();
    print_head(&counter, started);
    int wrong = 0;
    for (size_t i = 0; i < CASES; i++) {
        struct entry entries[MAX_KERNELS];
        fprintf(stderr, "board: %s\n", cases[i].title);
        const size_t count = run_case(&cases[i], entries, (unsigned)rounds, &counter);
        printf("%s{\"workload\":\"%s\",\"title\":\"%s\",\"params\":{\"n\":%u,\"vlen\":%zu},\"input_bytes\":0,"
               "\"input_digest\":\"\",\"steps\":%s,\"baseline\":0,\"entries\":[",
               i ? "," : "", cases[i].workload, cases[i].title, cases[i].n, 8 * parcrypt_vlenb(),
               cases[i].shape == PRODUCT128_I32 ? "true" : "false");
        for (size_t e = 0; e < count; e++) {
            printf("%s", e ? "," : "");
            wrong |= print_entry(&entries[e], (unsigned)rounds, &counter);
            free(entries[e].samples);
        }
        printf("]}");
    }
    printf("],\"took_s\":%.3f}\n", (double)(now_ns() - begin) / 1e9);
    return fflush(stdout) == 0 && !ferror(stdout) ? wrong : 1;
}
