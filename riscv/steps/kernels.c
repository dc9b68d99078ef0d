#include "kernels.h"

#include <stdint.h>
#include <string.h>

#include "parcrypt_ntt_rvv.h"
#include "steps.h"

#define ANY SIZE_MAX
#define AS_FUNCTION(f) ((void (*)(void))(f))

const struct kernel parcrypt_kernels[] = {
#define STEP(symbol, name, least, greatest, step)                                                            \
    {name, PRODUCT128_I32, AS_FUNCTION(parcrypt_step_##symbol), least, greatest, step},
#include "list.h"
#undef STEP
    {"product128-i32-agnostic", PRODUCT128_I32, AS_FUNCTION(parcrypt_product128_i32_agnostic), 16, ANY,
     "transform only to X^8 - w, products of polynomials of degree 7; any VLEN, with segment loads"},
    {"product128-i32-vlen128", PRODUCT128_I32, AS_FUNCTION(parcrypt_product128_i32_vlen128), 16, 16,
     "assembly: registers, order of instructions and lengths of groups chosen by hand"},
    {"product128-i32-vlen256", PRODUCT128_I32, AS_FUNCTION(parcrypt_product128_i32_vlen256), 32, 32,
     "assembly: all sixteen polynomials modulo X^8 - w at once"},
    {"product128-i16-vlen128", PRODUCT128_I16, AS_FUNCTION(parcrypt_product128_i16_vlen128), 16, 16, NULL},
    {"product128-i16-vlen256", PRODUCT128_I16, AS_FUNCTION(parcrypt_product128_i16_vlen256), 32, 32, NULL},
    {"product128-i16-agnostic", PRODUCT128_I16, AS_FUNCTION(parcrypt_product128_i16_agnostic), 16, ANY, NULL},
    {"mlkem-forward-vlen128", MLKEM_FORWARD, AS_FUNCTION(parcrypt_mlkem_forward_vlen128), 16, 16, NULL},
    {"mlkem-forward-agnostic", MLKEM_FORWARD, AS_FUNCTION(parcrypt_mlkem_forward_agnostic), 16, ANY, NULL},
    {"mlkem-inverse-vlen128", MLKEM_INVERSE, AS_FUNCTION(parcrypt_mlkem_inverse_vlen128), 16, 16, NULL},
    {"mlkem-inverse-agnostic", MLKEM_INVERSE, AS_FUNCTION(parcrypt_mlkem_inverse_agnostic), 16, ANY, NULL},
    {"mldsa-forward-vlen128", MLDSA_FORWARD, AS_FUNCTION(parcrypt_mldsa_forward_vlen128), 16, 16, NULL},
    {"mldsa-forward-agnostic", MLDSA_FORWARD, AS_FUNCTION(parcrypt_mldsa_forward_agnostic), 16, ANY, NULL},
    {"mldsa-inverse-vlen128", MLDSA_INVERSE, AS_FUNCTION(parcrypt_mldsa_inverse_vlen128), 16, 16, NULL},
    {"mldsa-inverse-agnostic", MLDSA_INVERSE, AS_FUNCTION(parcrypt_mldsa_inverse_agnostic), 16, ANY, NULL},
    {"mldsa-multiply-vlen128", MLDSA_MULTIPLY, AS_FUNCTION(parcrypt_mldsa_multiply_vlen128), 16, 16, NULL},
    {"mldsa-multiply-agnostic", MLDSA_MULTIPLY, AS_FUNCTION(parcrypt_mldsa_multiply_agnostic), 16, ANY, NULL},
    {"mldsa-sum-vlen128", MLDSA_SUM, AS_FUNCTION(parcrypt_mldsa_sum_of_products_vlen128), 16, 16, NULL},
    {"mldsa-sum-agnostic", MLDSA_SUM, AS_FUNCTION(parcrypt_mldsa_sum_of_products_agnostic), 16, ANY, NULL},
    {NULL, PRODUCT128_I16, NULL, 0, 0, NULL},
};

const struct kernel *parcrypt_kernel(const char *name) {
    for (const struct kernel *kernel = parcrypt_kernels; kernel->name; kernel++) {
        if (strcmp(kernel->name, name) == 0) {
            return kernel;
        }
    }
    return NULL;
}

void parcrypt_call(const struct kernel *kernel, void *r, const void *a, const void *b) {
    switch (kernel->shape) {
    case PRODUCT128_I16:
        ((parcrypt_product128_i16_fn *)kernel->function)(r, a, b);
        break;
    case PRODUCT128_I32:
        ((parcrypt_product128_i32_fn *)kernel->function)(r, a, b);
        break;
    case MLKEM_FORWARD:
    case MLKEM_INVERSE:
        ((parcrypt_mlkem_transform_fn *)kernel->function)(r);
        break;
    case MLDSA_FORWARD:
    case MLDSA_INVERSE:
        ((parcrypt_mldsa_transform_fn *)kernel->function)(r);
        break;
    case MLDSA_MULTIPLY:
        ((parcrypt_mldsa_multiply_fn *)kernel->function)(r, a, b);
        break;
    case MLDSA_SUM:
        ((parcrypt_mldsa_sum_of_products_fn *)kernel->function)(r, a, b, SUMMANDS);
        break;
    }
}

size_t parcrypt_vlenb(void) {
    size_t vlenb;
    __asm__(".option push\n.option arch, +v\ncsrr %0, vlenb\n.option pop" : "=r"(vlenb));
    return vlenb;
}
