/* Runs one kernel between marks, for the counter and the candidate.
 *
 *     run list                a line for each kernel: name, shape, least and greatest vlenb, change
 *     run KERNEL ITERATIONS   reads inputs from standard input until it ends; calls the kernel ITERATIONS
 *                             times for each; writes the last output
 *
 * An input is 512 bytes, that is 256 words of 16 bits, little-endian, each taken modulo q: the factors a and
 * b of a product one after the other, or the polynomial to be transformed. The output is its coefficients as
 * words, 256 bytes of a product and 512 of a transform. Ends with 2 where the kernel is not for this vector
 * length, with 1 after another error. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "parcrypt_ntt_rvv.h"

enum { Q = PARCRYPT_NTT_RVV_Q, WORDS = 256, MOST_ITERATIONS = 1000000000 };

void parcrypt_counted_call(void (*f)(void), void *r, const void *a, const void *b);

static const char *const shapes[] = {
    [PRODUCT128_I16] = "product128-i16",
    [PRODUCT128_I32] = "product128-i32",
    [MLKEM_FORWARD] = "mlkem-forward",
    [MLKEM_INVERSE] = "mlkem-inverse",
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
    int32_t wide[WORDS], wide_answer[WORDS / 2];
    _Alignas(4) int16_t narrow[WORDS];
    int16_t narrow_answer[WORDS / 2];
};

/* Reads an input; returns 0 where there is none. */
static size_t read_input(uint16_t words[WORDS]) {
    unsigned char bytes[2 * WORDS];
    const size_t count = fread(bytes, 1, sizeof bytes, stdin);
    for (size_t i = 0; i < count / 2; i++) {
        words[i] = (uint16_t)((bytes[2 * i] | bytes[2 * i + 1] << 8) % Q);
    }
    return count;
}

static void run(const struct kernel *kernel, struct arrays *x, const uint16_t words[WORDS]) {
    if (kernel->shape == PRODUCT128_I32) {
        for (size_t i = 0; i < WORDS; i++) {
            x->wide[i] = words[i];
        }
        parcrypt_counted_call(kernel->function, x->wide_answer, x->wide, x->wide + WORDS / 2);
        return;
    }
    for (size_t i = 0; i < WORDS; i++) {
        x->narrow[i] = (int16_t)words[i];
    }
    if (kernel->shape == PRODUCT128_I16) {
        parcrypt_counted_call(kernel->function, x->narrow_answer, x->narrow, x->narrow + WORDS / 2);
    } else {
        parcrypt_counted_call(kernel->function, x->narrow, NULL, NULL);
    }
}

static void write_answer(const struct kernel *kernel, const struct arrays *x) {
    const int transform = kernel->shape == MLKEM_FORWARD || kernel->shape == MLKEM_INVERSE;
    for (size_t i = 0; i < (transform ? WORDS : WORDS / 2); i++) {
        const int32_t word = transform                         ? x->narrow[i]
                             : kernel->shape == PRODUCT128_I32 ? x->wide_answer[i]
                                                               : x->narrow_answer[i];
        putchar(word & 0xff);
        putchar(word >> 8 & 0xff);
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
    if (kernel == NULL || errno || *end != '\0' || iterations == 0 || iterations > MOST_ITERATIONS) {
        fprintf(stderr,
                "usage: run list | run KERNEL ITERATIONS < INPUTS; kernels are what `run list` prints\n");
        return 1;
    }
    if (parcrypt_vlenb() < kernel->least_vlenb || parcrypt_vlenb() > kernel->greatest_vlenb) {
        fprintf(stderr, "%s is not for VLEN %zu\n", kernel->name, 8 * parcrypt_vlenb());
        return 2;
    }
    static struct arrays arrays;
    uint16_t words[WORDS];
    size_t inputs = 0, count;
    for (; (count = read_input(words)) == 2 * WORDS; inputs++) {
        for (unsigned long i = 0; i < iterations; i++) {
            run(kernel, &arrays, words);
        }
    }
    if (count != 0 || inputs == 0) {
        fprintf(stderr, "standard input is not one or more inputs of %d bytes\n", 2 * WORDS);
        return 1;
    }
    write_answer(kernel, &arrays);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
