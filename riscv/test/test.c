/* Tests of all kernels for this vector length: results against the definition, registers and stack, memory
 * around the arrays, overlapping arrays.
 *
 *     test [CASES [SEED]]
 *
 * A line for each kernel; ends with 1 where one failed. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "parcrypt_ntt_rvv.h"
#include "reference.h"

enum { GUARD = 64, STACK_LIMIT = 1024, MAX_SUMMANDS = 6 };

struct call_report {
    uint64_t changed, stack;
};
void parcrypt_checked_call(void (*f)(void), void *r, const void *a, const void *b,
                           struct call_report *report);

/* The fourth argument. */
extern uint64_t parcrypt_call_count;

static uint64_t state;

static uint32_t random_word(void) { /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)(z >> 32);
}

static int32_t random_coefficient(int32_t q) {
    return (int32_t)((uint64_t)random_word() * (uint32_t)q >> 32);
}

static const uint64_t GARBAGE = 0x89abcdef01234567;

/* Coefficients in [0, q): pattern `which`, of which there are `PATTERNS`; beyond that random. */
enum { PATTERNS = 24 };

static void fill(int32_t *x, int n, unsigned which, int32_t q) {
    const int32_t extremes[] = {0, 1, q - 1, q / 2, q / 2 + 1};
    for (int i = 0; i < n; i++) {
        if (which < 5) {
            x[i] = extremes[which];
        } else if (which < 13) { /* runs of 1, 2, 4, ... */
            x[i] = i >> (which - 5) & 1 ? q - 1 : 0;
        } else if (which < 17) { /* one coefficient: the first, the last, two in the middle */
            const int places[] = {0, n - 1, n / 2, n / 2 - 1};
            x[i] = i == places[which - 13] ? q - 1 : 0;
        } else if (which == 17) {
            x[i] = i * (q / n) % q;
        } else if (which == 18) {
            x[i] = i & 1 ? q - 1 : 1;
        } else if (which == 19) {
            x[i] = (q - i) % q;
        } else if (which < PATTERNS) { /* extremes at random places */
            x[i] = extremes[random_word() % 3];
        } else {
            x[i] = random_coefficient(q);
        }
    }
}

/* --- arrays with guards --- */

struct array {
    _Alignas(64) unsigned char bytes[MAX_SUMMANDS * 256 * 4 + 2 * GUARD + 64];
    unsigned char *start;
    size_t size;
};

static const unsigned char guard_byte = 0xa7;

static void *place(struct array *array, size_t size, size_t offset) {
    memset(array->bytes, guard_byte, sizeof array->bytes);
    array->start = array->bytes + GUARD + offset;
    array->size = size;
    return array->start;
}

static int guards_hold(const struct array *array) {
    for (size_t i = 0; i < sizeof array->bytes; i++) {
        const unsigned char *at = array->bytes + i;
        if ((at < array->start || at >= array->start + array->size) && *at != guard_byte) {
            return 0;
        }
    }
    return 1;
}

static void write_array(void *target, const int32_t *x, int n, size_t width) {
    for (int i = 0; i < n; i++) {
        if (width == 2) {
            const int16_t value = (int16_t)x[i];
            memcpy((char *)target + 2 * i, &value, 2);
        } else {
            memcpy((char *)target + 4 * i, &x[i], 4);
        }
    }
}

static void read_array(int32_t *x, const void *source, int n, size_t width) {
    for (int i = 0; i < n; i++) {
        if (width == 2) {
            int16_t value;
            memcpy(&value, (const char *)source + 2 * i, 2);
            x[i] = value;
        } else {
            memcpy(&x[i], (const char *)source + 4 * i, 4);
        }
    }
}

/* --- one kernel, one case --- */

struct result {
    const struct kernel *kernel;
    unsigned cases;
    uint64_t stack;
    int failed;
};

static void fail(struct result *result, unsigned number, const char *format, long detail) {
    if (!result->failed) {
        printf("FAILED %s: case %u: ", result->kernel->name, number);
        printf(format, detail);
        printf("\n");
    }
    result->failed = 1;
}

static void call(struct result *result, unsigned number, void *r, const void *a, const void *b) {
    struct call_report report;
    parcrypt_checked_call(result->kernel->function, r, a, b, &report);
    if (report.changed) {
        fail(result, number, "changed what it has to keep: mask %#lx", (long)report.changed);
    }
    if (report.stack > result->stack) {
        result->stack = report.stack;
    }
    result->cases++;
}

static int holds(const struct array *array, const int32_t *expected, int n, size_t width) {
    int32_t got[MAX_SUMMANDS * 256];
    read_array(got, array->start, n, width);
    return memcmp(got, expected, (size_t)n * sizeof *got) == 0;
}

/* Returns the size of an element of the kernel's arrays: 2 or 4 bytes. */
static size_t width_of(const struct kernel *kernel) {
    return kernel->shape == PRODUCT128_I32 || kernel->shape >= MLDSA_FORWARD ? 4 : 2;
}

/* A kernel of two inputs with n_in coefficients each and a result with n. */
static void try_product(struct result *result, unsigned number, const int32_t *a, const int32_t *b, int n_in,
                        const int32_t *expected, int n) {
    static struct array arrays[3];
    const size_t width = width_of(result->kernel);
    /* The output is an array of its own, or the first input, or the second; equal inputs may be one array. */
    const unsigned output = (number + 2) % 3;
    size_t sizes[3];
    /* Aligned only to an element. */
    const size_t offsets[] = {number % 8, number / 8 % 8, number / 64 % 8};
    void *places[3];
    for (int i = 0; i < 3; i++) {
        sizes[i] = (size_t)(i == (int)output && i == 2 ? n : n_in) * width;
        places[i] = place(&arrays[i], sizes[i], width * offsets[i]);
    }
    write_array(places[0], a, n_in, width);
    write_array(places[1], b, n_in, width);
    memset(places[2], 0x55, sizes[2]);
    const int one = number % 2 && memcmp(a, b, (size_t)n_in * sizeof *a) == 0;
    call(result, number, places[output], places[0], places[one ? 0 : 1]);
    if (!holds(&arrays[output], expected, n, width)) {
        fail(result, number, "the answer is wrong (output %ld)", output);
    }
    if ((output != 0 && !holds(&arrays[0], a, n_in, width)) ||
        (output != 1 && !holds(&arrays[1], b, n_in, width))) {
        fail(result, number, "changed an input (output %ld)", output);
    }
    /* An input that is replaced keeps what follows the result. */
    if (output != 2) {
        static int32_t after[MAX_SUMMANDS * 256];
        read_array(after, places[output], n_in, width);
        if (memcmp(after + n, (output == 0 ? a : b) + n, (size_t)(n_in - n) * sizeof *after) != 0) {
            fail(result, number, "wrote after the result (output %ld)", output);
        }
    }
    for (int i = 0; i < 3; i++) {
        if (!guards_hold(&arrays[i])) {
            fail(result, number, "wrote outside array %ld", i);
        }
    }
}

static void try_transform(struct result *result, unsigned number, const int32_t *f, const int32_t *expected) {
    static struct array array;
    const size_t width = width_of(result->kernel);
    void *r = place(&array, 256 * width, 4 * (number % 16));
    write_array(r, f, 256, width);
    call(result, number, r, NULL, NULL);
    if (!holds(&array, expected, 256, width)) {
        fail(result, number, "the answer is wrong (offset %ld)", 4 * (number % 16));
    }
    if (!guards_hold(&array)) {
        fail(result, number, "wrote outside its array (offset %ld)", 4 * (number % 16));
    }
}

/* --- all cases --- */

/* Checks the reference's transforms by the definition and by schoolbook products. */
static int reference_is_sound(const struct ring *ring) {
    for (unsigned t = 0; t < 40; t++) {
        int32_t a[256], b[256], c[256], x[256], y[256], z[256];
        fill(a, 256, t, ring->q);
        fill(b, 256, t * 7 % 29, ring->q);
        reference_product(ring, c, a, b, 256, -1);
        memcpy(x, a, sizeof x);
        memcpy(y, b, sizeof y);
        reference_forward(ring, x);
        reference_forward(ring, y);
        reference_residues(ring, z, a);
        if (memcmp(x, z, sizeof x) != 0) {
            return 0;
        }
        reference_multiply(ring, z, x, y);
        reference_inverse(ring, z);
        if (memcmp(z, c, sizeof z) != 0) {
            return 0;
        }
    }
    return 1;
}

/* Two inputs of sums of products with that many products, and the sum. */
struct sum {
    unsigned count;
    int32_t a[MAX_SUMMANDS * 256], b[MAX_SUMMANDS * 256], expected[256];
};

static void fill_sum(struct sum *x, unsigned count, unsigned first, unsigned second) {
    const int32_t q = mldsa_ring.q;
    x->count = count;
    memset(x->expected, 0, sizeof x->expected);
    for (unsigned k = 0; k < count; k++) {
        int32_t product[256];
        fill(x->a + 256 * k, 256, first, q);
        fill(x->b + 256 * k, 256, second, q);
        reference_multiply(&mldsa_ring, product, x->a + 256 * k, x->b + 256 * k);
        for (int i = 0; i < 256; i++) {
            x->expected[i] = (x->expected[i] + product[i]) % q;
        }
    }
}

/* Inputs of one case, a and b, and of the transforms forward, f, with the results there and back. */
struct inputs {
    int32_t a[256], b[256], f[256], forward[256], inverse[256];
};

static void fill_inputs(struct inputs *x, const struct ring *ring, unsigned number, unsigned first,
                        unsigned second) {
    fill(x->a, 256, first, ring->q);
    fill(x->b, 256, second, ring->q);
    /* The forward transform takes (-q, q). */
    for (int i = 0; i < 256; i++) {
        x->f[i] = number % 2 ? x->b[i] : x->a[i] != 0 && x->b[i] & 1 ? x->a[i] - ring->q : x->a[i];
        x->forward[i] = (x->f[i] + ring->q) % ring->q;
        x->inverse[i] = x->a[i];
    }
    reference_forward(ring, x->forward);
    reference_inverse(ring, x->inverse);
}

static void try_case(struct result *results, size_t count, unsigned number) {
    struct inputs x, y;
    static struct sum single, sum;
    int32_t c[256];
    const unsigned first = number < PATTERNS * PATTERNS ? number % PATTERNS : random_word() % (4 * PATTERNS);
    const unsigned second = number < PATTERNS * PATTERNS ? number / PATTERNS : random_word() % (4 * PATTERNS);
    fill_inputs(&x, &mlkem_ring, number, first, second);
    fill_inputs(&y, &mldsa_ring, number, first, second);
    reference_product(&mlkem_ring, c, x.a, x.b, 128, 1);
    fill_sum(&single, 1, first, second);
    /* Not in step with which array is the output. */
    fill_sum(&sum, 1 + number / 3 % MAX_SUMMANDS, first, second);
    for (size_t i = 0; i < count; i++) {
        switch (results[i].kernel->shape) {
        case PRODUCT128_I16:
        case PRODUCT128_I32:
            try_product(&results[i], number, x.a, x.b, 128, c, 128);
            break;
        case MLKEM_FORWARD:
            try_transform(&results[i], number, x.f, x.forward);
            break;
        case MLKEM_INVERSE:
            try_transform(&results[i], number, x.a, x.inverse);
            break;
        case MLDSA_FORWARD:
            try_transform(&results[i], number, y.f, y.forward);
            break;
        case MLDSA_INVERSE:
            try_transform(&results[i], number, y.a, y.inverse);
            break;
        case MLDSA_MULTIPLY:
            try_product(&results[i], number, single.a, single.b, 256, single.expected, 256);
            break;
        case MLDSA_SUM:
            parcrypt_call_count = sum.count;
            try_product(&results[i], number, sum.a, sum.b, (int)(256 * sum.count), sum.expected, 256);
            parcrypt_call_count = GARBAGE;
            break;
        }
    }
}

int main(int argc, char **argv) {
    const unsigned cases = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    state = seed;
    parcrypt_call_count = GARBAGE;
    const size_t vlenb = parcrypt_vlenb();
    printf("VLEN %zu: %u cases, seed %" PRIu64 "\n", 8 * vlenb, cases, seed);
    if (!reference_is_sound(&mlkem_ring) || !reference_is_sound(&mldsa_ring)) {
        printf("FAILED: the reference is not the transform of FIPS 203, or of FIPS 204\n");
        return 1;
    }
    const struct parcrypt_ntt_rvv *chosen = parcrypt_ntt_rvv();
    const char *right = vlenb == 16 ? "vlen128" : vlenb == 32 ? "vlen256" : "agnostic";
    if (chosen == NULL || strcmp(chosen->name, right) != 0) {
        printf("FAILED: parcrypt_ntt_rvv chose %s\n", chosen ? chosen->name : "nothing");
        return 1;
    }
    struct result results[64] = {0};
    size_t count = 0;
    for (const struct kernel *kernel = parcrypt_kernels; kernel->name; kernel++) {
        if (kernel->least_vlenb <= vlenb && vlenb <= kernel->greatest_vlenb) {
            results[count++].kernel = kernel;
        }
    }
    for (unsigned number = 0; number < cases; number++) {
        try_case(results, count, number);
    }
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (results[i].kernel->step == NULL && results[i].stack > STACK_LIMIT) {
            fail(&results[i], 0, "uses %ld bytes of stack", (long)results[i].stack);
        }
        printf("%s %-26s %u cases, %" PRIu64 " bytes of stack\n", results[i].failed ? "FAILED" : "ok    ",
               results[i].kernel->name, results[i].cases, results[i].stack);
        failed |= results[i].failed;
    }
    return failed;
}
