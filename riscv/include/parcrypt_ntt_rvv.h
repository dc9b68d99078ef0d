/* Polynomial multiplication and ML-KEM's transform by RISC-V Vector code, for q = 3329, and ML-DSA's
 * transform and products of what it makes, for q = 8380417.
 *
 * All functions are constant-time: no branch, address or mask depends on coefficients. They use the stack (at
 * most 1 KiB), no heap, no globals and no C library. They need the V extension (VLEN at least 128), and
 * change vxrm and vxsat, which the calling convention does not preserve.
 *
 *     #include <parcrypt_ntt_rvv.h>
 *
 *     int16_t a[128], b[128], c[128];
 *     ...
 *     const struct parcrypt_ntt_rvv *ntt = parcrypt_ntt_rvv();
 *     ntt->product128_i16(c, a, b);
 */
#ifndef PARCRYPT_NTT_RVV_H
#define PARCRYPT_NTT_RVV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARCRYPT_NTT_RVV_Q 3329
#define PARCRYPT_NTT_RVV_MLDSA_Q 8380417
#define PARCRYPT_NTT_RVV_MOST_PRODUCTS 255

/* r = a b in Z_q[X] / (X^128 - 1). Coefficient i belongs to X^i.
 *
 * @param[out] r  128 coefficients in [0, q); may be a or b
 * @param[in]  a  128 coefficients in [0, q)
 * @param[in]  b  128 coefficients in [0, q) */
typedef void parcrypt_product128_i16_fn(int16_t r[128], const int16_t a[128], const int16_t b[128]);
typedef void parcrypt_product128_i32_fn(int32_t r[128], const int32_t a[128], const int32_t b[128]);

/* The transform of FIPS 203, algorithm 9 (forward) or 10 (inverse, with the factor 1/128), in place.
 *
 * @param[in,out] r  256 coefficients; forward takes (-q, q), inverse [0, q), both leave [0, q). Transformed
 * ones are in the order of FIPS 203. The array has to be aligned to 4 bytes */
typedef void parcrypt_mlkem_transform_fn(int16_t r[256]);

/* The transform of FIPS 204, algorithm 41 (forward) or 42 (inverse, with the factor 1/256), in place.
 *
 * @param[in,out] r  256 coefficients modulo q = 8380417; forward takes (-q, q), inverse [0, q), both leave
 * [0, q). Transformed ones are in the order of FIPS 204. The array has to be aligned to 4 bytes */
typedef void parcrypt_mldsa_transform_fn(int32_t r[256]);

/* The product of two transformed polynomials: FIPS 204, algorithm 45.
 *
 * @param[out] r  256 coefficients in [0, q); may be a or b
 * @param[in]  a  256 coefficients in [0, q)
 * @param[in]  b  256 coefficients in [0, q). All arrays have to be aligned to 4 bytes */
typedef void parcrypt_mldsa_multiply_fn(int32_t r[256], const int32_t a[256], const int32_t b[256]);

/* The sum of the products of transformed polynomials, such as a row of ML-DSA's matrix and a vector.
 *
 * @param[out] r      256 coefficients in [0, q); may be the first polynomial of a or b
 * @param[in]  a      count polynomials of 256 coefficients in [0, q), one after the other
 * @param[in]  b      count polynomials of 256 coefficients in [0, q), one after the other
 * @param[in]  count  1 to PARCRYPT_NTT_RVV_MOST_PRODUCTS. All arrays have to be aligned to 4 bytes */
typedef void parcrypt_mldsa_sum_of_products_fn(int32_t r[256], const int32_t *a, const int32_t *b,
                                               size_t count);

/* A set of kernels for one vector length, or for all of them. */
struct parcrypt_ntt_rvv {
    const char *name; /* "vlen128", "vlen256" or "agnostic" */
    parcrypt_product128_i16_fn *product128_i16;
    parcrypt_product128_i32_fn *product128_i32;
    parcrypt_mlkem_transform_fn *mlkem_forward;
    parcrypt_mlkem_transform_fn *mlkem_inverse;
    parcrypt_mldsa_transform_fn *mldsa_forward;
    parcrypt_mldsa_transform_fn *mldsa_inverse;
    parcrypt_mldsa_multiply_fn *mldsa_multiply;
    parcrypt_mldsa_sum_of_products_fn *mldsa_sum_of_products;
};

/* Returns the fastest set for the vector length of the calling hart; null where VLEN is below 128. All harts
 * that use the set must have this vector length. */
const struct parcrypt_ntt_rvv *parcrypt_ntt_rvv(void);

/* Kernels for VLEN 128. At any other vector length their results are wrong. */
parcrypt_product128_i16_fn parcrypt_product128_i16_vlen128;
parcrypt_product128_i32_fn parcrypt_product128_i32_vlen128;
parcrypt_mlkem_transform_fn parcrypt_mlkem_forward_vlen128, parcrypt_mlkem_inverse_vlen128;
parcrypt_mldsa_transform_fn parcrypt_mldsa_forward_vlen128, parcrypt_mldsa_inverse_vlen128;
parcrypt_mldsa_multiply_fn parcrypt_mldsa_multiply_vlen128;
parcrypt_mldsa_sum_of_products_fn parcrypt_mldsa_sum_of_products_vlen128;

/* Kernels for VLEN 256 only. At that length the set of parcrypt_ntt_rvv has the agnostic transforms.
 */
parcrypt_product128_i16_fn parcrypt_product128_i16_vlen256;
parcrypt_product128_i32_fn parcrypt_product128_i32_vlen256;

/* Kernels for every vector length from 128. */
parcrypt_product128_i16_fn parcrypt_product128_i16_agnostic;
parcrypt_product128_i32_fn parcrypt_product128_i32_agnostic;
parcrypt_mlkem_transform_fn parcrypt_mlkem_forward_agnostic, parcrypt_mlkem_inverse_agnostic;
parcrypt_mldsa_transform_fn parcrypt_mldsa_forward_agnostic, parcrypt_mldsa_inverse_agnostic;
parcrypt_mldsa_multiply_fn parcrypt_mldsa_multiply_agnostic;
parcrypt_mldsa_sum_of_products_fn parcrypt_mldsa_sum_of_products_agnostic;

#ifdef __cplusplus
}
#endif

#endif
