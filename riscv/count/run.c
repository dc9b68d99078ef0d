/* Runs one kernel between marks, for the counter and the candidate.
 *
 *     run list                a line for each kernel: name, shape, least and greatest vlenb, change
 *     run KERNEL ITERATIONS   reads inputs from standard input until it ends; calls the kernel ITERATIONS
 *                             times for each; writes the last output
 *
 * An input is 512 bytes, that is 256 words of 16 bits, little-endian, each taken modulo q: the factors a and
 * b of a product one after the other, or the polynomial to be transformed. The output is its coefficients as
 * words, 256 bytes of a product and 512 of a transform. For ML-DSA words have 32 bits, and an input has the
 * polynomials of 256 of them that the kernel takes: one for a transform; two for a product, 2 SUMMANDS for a
 * sum of products, all a before all b. Ends with 2 where the kernel is not for this vector length, with 1
 * after another error.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "parcrypt_ntt_rvv.h"

enum { WORDS = 256, MAX_WORDS = 2 * SUMMANDS * WORDS, MAX_ITERATIONS = 1000000000 };

void parcrypt_counted_call(void (*f)(void), void *r, const void *a, const void *b);

static const char *const shapes[] = {
    [PRODUCT128_I16] = "product128-i16", [PRODUCT128_I32] = "product128-i32",
    [MLKEM_FORWARD] = "mlkem-forward",   [MLKEM_INVERSE] = "mlkem-inverse",
    [MLDSA_FORWARD] = "mldsa-forward",   [MLDSA_INVERSE] = "mldsa-inverse",
    [MLDSA_MULTIPLY] = "mldsa-multiply", [MLDSA_SUM] = "mldsa-sum",
};

static int list(void) {
    for (const struct kernel *kernel = parcrypt_kernels; kernel->name; kernel++) {
        printf("%s %s %zu %zu %s\n", kernel->name, shapes[kernel->shape], kernel->least_vlenb,
               kernel->greatest_vlenb, kernel->step ? kernel->step : "");
    }
    return 0;
}

/* The arrays of both widths; a kernel works on one of them. */
struct arrays {
    int32_t wide[MAX_WORDS], wide_answer[WORDS];
    _Alignas(4) int16_t narrow[WORDS];
    int16_t narrow_answer[WORDS / 2];
};

static int is_mldsa(const struct kernel *kernel) { return kernel->shape >= MLDSA_FORWARD; }

/* Returns the words of an input. */
static size_t words_of(const struct kernel *kernel) {
    return kernel->shape == MLDSA_SUM ? MAX_WORDS : kernel->shape == MLDSA_MULTIPLY ? 2 * WORDS : WORDS;
}

/* Returns the bytes of a word of the input and the output. */
static size_t word_size(const struct kernel *kernel) { return is_mldsa(kernel) ? 4 : 2; }

/* Reads an input; returns 0 where there is none. */
static size_t read_input(const struct kernel *kernel, int32_t words[MAX_WORDS]) {
    unsigned char bytes[4 * MAX_WORDS];
    const size_t size = word_size(kernel), count = fread(bytes, 1, size * words_of(kernel), stdin);
    const uint32_t q = is_mldsa(kernel) ? PARCRYPT_NTT_RVV_MLDSA_Q : PARCRYPT_NTT_RVV_Q;
    for (size_t i = 0; i < count / size; i++) {
        uint32_t word = 0;
        for (size_t j = size; j > 0; j--) {
            word = word << 8 | bytes[size * i + j - 1];
        }
        words[i] = (int32_t)(word % q);
    }
    return count;
}

static void run(const struct kernel *kernel, struct arrays *x, const int32_t words[MAX_WORDS]) {
    for (size_t i = 0; i < words_of(kernel); i++) {
        x->wide[i] = words[i];
    }
    for (size_t i = 0; i < WORDS; i++) {
        x->narrow[i] = (int16_t)words[i];
    }
    switch (kernel->shape) {
    case PRODUCT128_I32:
        parcrypt_counted_call(kernel->function, x->wide_answer, x->wide, x->wide + WORDS / 2);
        break;
    case PRODUCT128_I16:
        parcrypt_counted_call(kernel->function, x->narrow_answer, x->narrow, x->narrow + WORDS / 2);
        break;
    case MLKEM_FORWARD:
    case MLKEM_INVERSE:
        parcrypt_counted_call(kernel->function, x->narrow, NULL, NULL);
        break;
    case MLDSA_FORWARD:
    case MLDSA_INVERSE:
        parcrypt_counted_call(kernel->function, x->wide, NULL, NULL);
        break;
    case MLDSA_MULTIPLY:
    case MLDSA_SUM:
        parcrypt_counted_call(kernel->function, x->wide_answer, x->wide, x->wide + words_of(kernel) / 2);
        break;
    }
}

static int32_t word_of_answer(const struct kernel *kernel, const struct arrays *x, size_t i) {
    switch (kernel->shape) {
    case PRODUCT128_I32:
    case MLDSA_MULTIPLY:
    case MLDSA_SUM:
        return x->wide_answer[i];
    case PRODUCT128_I16:
        return x->narrow_answer[i];
    case MLKEM_FORWARD:
    case MLKEM_INVERSE:
        return x->narrow[i];
    case MLDSA_FORWARD:
    case MLDSA_INVERSE:
        break;
    }
    return x->wide[i];
}

static void write_answer(const struct kernel *kernel, const struct arrays *x) {
    const int product = kernel->shape == PRODUCT128_I16 || kernel->shape == PRODUCT128_I32;
    for (size_t i = 0; i < (product ? WORDS / 2 : WORDS); i++) {
        const int32_t word = word_of_answer(kernel, x, i);
        for (size_t j = 0; j < word_size(kernel); j++) {
            putchar(word >> 8 * j & 0xff);
        }
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        return list();
    }
    const struct kernel *kernel = argc == 3 ? parcrypt_kernel(argv[1]) : NULL;
    char *end = NULL;
    errno = 0;
    const unsigned long iterations = argc == 3 ? strtoul(argv[2], &end, 10) : 0;
    if (kernel == NULL || errno || *end != '\0' || iterations == 0 || iterations > MAX_ITERATIONS) {
        fprintf(stderr,
                "usage: run list | run KERNEL ITERATIONS < INPUTS; kernels are what `run list` prints\n");
        return 1;
    }
    if (parcrypt_vlenb() < kernel->least_vlenb || parcrypt_vlenb() > kernel->greatest_vlenb) {
        fprintf(stderr, "%s is not for VLEN %zu\n", kernel->name, 8 * parcrypt_vlenb());
        return 2;
    }
    static struct arrays arrays;
    int32_t words[MAX_WORDS];
    size_t inputs = 0, count;
    for (; (count = read_input(kernel, words)) == word_size(kernel) * words_of(kernel); inputs++) {
        for (unsigned long i = 0; i < iterations; i++) {
            run(kernel, &arrays, words);
        }
    }
    if (count != 0 || inputs == 0) {
        fprintf(stderr, "standard input is not one or more inputs of %zu bytes\n",
                word_size(kernel) * words_of(kernel));
        return 1;
    }
    write_answer(kernel, &arrays);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
