/* All kernels under one description, for the tests, the counter and the candidate. */
#ifndef PARCRYPT_KERNELS_H
#define PARCRYPT_KERNELS_H

#include <stddef.h>

/* The function that a kernel computes, and its arrays. */
enum shape {
    PRODUCT128_I16,
    PRODUCT128_I32,
    MLKEM_FORWARD,
    MLKEM_INVERSE,
    MLDSA_FORWARD,
    MLDSA_INVERSE,
    MLDSA_MULTIPLY,
    MLDSA_SUM
};

/* Products in the sums of MLDSA_SUM that are measured. */
enum { SUMMANDS = 4 };

struct kernel {
    const char *name;
    enum shape shape;
    /* The function without its type; `shape` determines its arguments. */
    void (*function)(void);
    /* The vector lengths that it supports, as vlenb. Scalar kernels are for 0 and above. */
    size_t least_vlenb, greatest_vlenb;
    /* The change of this step; null where the kernel is not a step. */
    const char *step;
};

/* In the order of the steps, then the others; ends with a null name. */
extern const struct kernel parcrypt_kernels[];

/* Returns the kernel with this name; null where there is none. */
const struct kernel *parcrypt_kernel(const char *name);

/* Calls it with the arrays of its shape. Transforms use only r; sums have SUMMANDS products. */
void parcrypt_call(const struct kernel *kernel, void *r, const void *a, const void *b);

/* Returns the vector length of this hart in bytes. */
size_t parcrypt_vlenb(void);

#endif
