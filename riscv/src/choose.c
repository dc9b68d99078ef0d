/* The choice of kernels by the vector length. */

#include <stddef.h>

#include "parcrypt_ntt_rvv.h"

static const struct parcrypt_ntt_rvv vlen128 = {
    .name = "vlen128",
    .product128_i16 = parcrypt_product128_i16_vlen128,
    .product128_i32 = parcrypt_product128_i32_vlen128,
    .mlkem_forward = parcrypt_mlkem_forward_vlen128,
    .mlkem_inverse = parcrypt_mlkem_inverse_vlen128,
    .mldsa_forward = parcrypt_mldsa_forward_vlen128,
    .mldsa_inverse = parcrypt_mldsa_inverse_vlen128,
    .mldsa_multiply = parcrypt_mldsa_multiply_vlen128,
    .mldsa_sum_of_products = parcrypt_mldsa_sum_of_products_vlen128,
};

static const struct parcrypt_ntt_rvv vlen256 = {
    .name = "vlen256",
    .product128_i16 = parcrypt_product128_i16_vlen256,
    .product128_i32 = parcrypt_product128_i32_vlen256,
    .mlkem_forward = parcrypt_mlkem_forward_agnostic,
    .mlkem_inverse = parcrypt_mlkem_inverse_agnostic,
    .mldsa_forward = parcrypt_mldsa_forward_agnostic,
    .mldsa_inverse = parcrypt_mldsa_inverse_agnostic,
    .mldsa_multiply = parcrypt_mldsa_multiply_agnostic,
    .mldsa_sum_of_products = parcrypt_mldsa_sum_of_products_agnostic,
};

static const struct parcrypt_ntt_rvv agnostic = {
    .name = "agnostic",
    .product128_i16 = parcrypt_product128_i16_agnostic,
    .product128_i32 = parcrypt_product128_i32_agnostic,
    .mlkem_forward = parcrypt_mlkem_forward_agnostic,
    .mlkem_inverse = parcrypt_mlkem_inverse_agnostic,
    .mldsa_forward = parcrypt_mldsa_forward_agnostic,
    .mldsa_inverse = parcrypt_mldsa_inverse_agnostic,
    .mldsa_multiply = parcrypt_mldsa_multiply_agnostic,
    .mldsa_sum_of_products = parcrypt_mldsa_sum_of_products_agnostic,
};

const struct parcrypt_ntt_rvv *parcrypt_ntt_rvv(void) {
    size_t vlenb;
    __asm__("csrr %0, vlenb" : "=r"(vlenb));
    if (vlenb < 16) {
        return NULL;
    }
    return vlenb == 16 ? &vlen128 : vlenb == 32 ? &vlen256 : &agnostic;
}
