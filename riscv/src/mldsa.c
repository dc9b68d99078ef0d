/* ML-DSA's transform (FIPS 204: n = 256, q = 8380417, eight levels), and products of transformed polynomials,
 * for every vector length from 128.
 *
 * As in agnostic.c: the first four levels are done on sixteen runs of neighbouring coefficients, the others
 * with the sixteen blocks of 16 coefficients as lanes. Bounds of all intermediates: make bounds. */

#define Q 8380417
#define REDUCE_FACTOR 256 /* round(2^31 / q) */
#include "field.h"
#include "mldsa_tables.h"
#include "parcrypt_ntt_rvv.h"
#include "phases.h"
#include "runs.h"

enum { BLOCK = 16, BYTES = BLOCK * sizeof(int32_t) };

/* From and to the runs, elements from i. */
#define LOAD_RUN(j) vint32m1_t v##j = __riscv_vle32_v_i32m1(r + (j)*BLOCK + i, vl);
#define STORE_RUN(j) __riscv_vse32(r + (j)*BLOCK + i, v##j, vl);

/* From and to the coefficients of the blocks from i. */
#define FIELD(j, part, k) vint32m1_t v##j = __riscv_vget_v_i32m1x8_i32m1(part, k);
#define LOAD_BLOCKS                                                                                          \
    const vint32m1x8_t low = __riscv_vlsseg8e32_v_i32m1x8(r + BLOCK * i, BYTES, vl);                         \
    const vint32m1x8_t high = __riscv_vlsseg8e32_v_i32m1x8(r + BLOCK * i + 8, BYTES, vl);                    \
    FIELD(0, low, 0)                                                                                         \
    FIELD(1, low, 1)                                                                                         \
    FIELD(2, low, 2)                                                                                         \
    FIELD(3, low, 3)                                                                                         \
    FIELD(4, low, 4)                                                                                         \
    FIELD(5, low, 5)                                                                                         \
    FIELD(6, low, 6)                                                                                         \
    FIELD(7, low, 7)                                                                                         \
    FIELD(8, high, 0)                                                                                        \
    FIELD(9, high, 1)                                                                                        \
    FIELD(10, high, 2)                                                                                       \
    FIELD(11, high, 3)                                                                                       \
    FIELD(12, high, 4)                                                                                       \
    FIELD(13, high, 5)                                                                                       \
    FIELD(14, high, 6)                                                                                       \
    FIELD(15, high, 7)
#define STORE_BLOCKS                                                                                         \
    __riscv_vssseg8e32(r + BLOCK * i, BYTES, __riscv_vcreate_v_i32m1x8(v0, v1, v2, v3, v4, v5, v6, v7), vl); \
    __riscv_vssseg8e32(r + BLOCK * i + 8, BYTES,                                                             \
                       __riscv_vcreate_v_i32m1x8(v8, v9, v10, v11, v12, v13, v14, v15), vl);

/* The index of a node below a block, in the tables; and of the constants of all lanes for it. */
#define NODE(level, block) ((1 << (level)) - 1 + (block))
#define LANES(table, level, block) __riscv_vle32_v_i32m1((table) + BLOCK * NODE(level, block) + i, vl)

void parcrypt_mldsa_forward_agnostic(int32_t r[256]) {
    PHASE(PHASE_FORWARD);
    for (size_t i = 0, vl; i < BLOCK; i += vl) {
        vl = __riscv_vsetvl_e32m1(BLOCK - i);
        vint32m1_t t;
        RUNS_16(LOAD_RUN)
#define STEP(level, block, u, v)                                                                             \
    FORWARD(u, v, t, mldsa[NODE(level, block)].w, mldsa[NODE(level, block)].factor, vl);
        STEPS_16_1(STEP)
        STEPS_16_2(STEP)
        STEPS_16_3(STEP)
        STEPS_16_4(STEP)
#undef STEP
        RUNS_16(STORE_RUN)
    }
    for (size_t i = 0, vl; i < BLOCK; i += vl) {
        vl = __riscv_vsetvl_e32m1(BLOCK - i);
        vint32m1_t t;
        LOAD_BLOCKS
#define STEP(level, block, u, v)                                                                             \
    FORWARD(u, v, t, LANES(mldsa_deep, level, block), LANES(mldsa_deep_factor, level, block), vl);
        STEPS_16_1(STEP)
        STEPS_16_2(STEP)
        STEPS_16_3(STEP)
        STEPS_16_4(STEP)
#undef STEP
#define DONE(j) v##j = CANONICAL(32, m1, REDUCE(v##j, vl), vl);
        RUNS_16(DONE)
        STORE_BLOCKS
    }
}

void parcrypt_mldsa_inverse_agnostic(int32_t r[256]) {
    PHASE(PHASE_INVERSE);
    for (size_t i = 0, vl; i < BLOCK; i += vl) {
        vl = __riscv_vsetvl_e32m1(BLOCK - i);
        vint32m1_t t;
        LOAD_BLOCKS
#define STEP(level, block, u, v)                                                                             \
    INVERSE(u, v, t, LANES(mldsa_inverse_deep, level, block),                                                \
            LANES(mldsa_inverse_deep_factor, level, block), vl);
        STEPS_16_4(STEP)
        STEPS_16_3(STEP)
        STEPS_16_2(STEP)
        STEPS_16_1(STEP)
#undef STEP
        v0 = REDUCE(v0, vl); /* the sum of sixteen */
        STORE_BLOCKS
    }
    for (size_t i = 0, vl; i < BLOCK; i += vl) {
        vl = __riscv_vsetvl_e32m1(BLOCK - i);
        vint32m1_t t;
        RUNS_16(LOAD_RUN)
#define STEP(level, block, u, v)                                                                             \
    INVERSE(u, v, t, mldsa_inverse[NODE(level, block)].w, mldsa_inverse[NODE(level, block)].factor, vl);
        STEPS_16_4(STEP)
        STEPS_16_3(STEP)
        STEPS_16_2(STEP)
#undef STEP
#define STEP(level, block, u, v)                                                                             \
    t = __riscv_vsub(u, v, vl);                                                                              \
    u = __riscv_vadd(u, v, vl);                                                                              \
    u = CANONICAL(32, m1, MULTIPLY(u, mldsa_scale.w, mldsa_scale.factor, vl), vl);                           \
    v = CANONICAL(32, m1, MULTIPLY(t, mldsa_scale_last.w, mldsa_scale_last.factor, vl), vl);
        STEPS_16_1(STEP)
#undef STEP
        RUNS_16(STORE_RUN)
    }
}

/* a b up to a multiple of q, in (-0.51 q, 0.51 q): a b - q round(a' b / 2^31), where a' is almost 2^31 a / q.
 */
#define PRODUCT(a, b, vl)                                                                                    \
    __riscv_vnmsac(                                                                                          \
        __riscv_vmul(a, b, vl), Q,                                                                           \
        __riscv_vsmul(__riscv_vmacc(__riscv_vmulh(a, MLDSA_HIGH, vl), 256, a, vl), b, __RISCV_VXRM_RNU, vl), \
        vl)

void parcrypt_mldsa_multiply_agnostic(int32_t r[256], const int32_t a[256], const int32_t b[256]) {
    for (size_t i = 0, vl; i < 256; i += vl) {
        PHASE(PHASE_LOAD);
        vl = __riscv_vsetvl_e32m4(256 - i);
        const vint32m4_t x = __riscv_vle32_v_i32m4(a + i, vl), y = __riscv_vle32_v_i32m4(b + i, vl);
        PHASE(PHASE_POINTWISE);
        const vint32m4_t product = PRODUCT(x, y, vl);
        PHASE(PHASE_CANONICAL);
        const vint32m4_t result = CANONICAL(32, m4, product, vl);
        PHASE(PHASE_STORE);
        __riscv_vse32(r + i, result, vl);
    }
}

void parcrypt_mldsa_sum_of_products_agnostic(int32_t r[256], const int32_t *a, const int32_t *b,
                                             size_t count) {
    for (size_t i = 0, vl; i < 256; i += vl) {
        vl = __riscv_vsetvl_e32m4(256 - i);
        vint32m4_t sum = __riscv_vmv_v_x_i32m4(0, vl);
        for (size_t k = 0; k < count; k++) {
            PHASE(PHASE_LOAD);
            const vint32m4_t x = __riscv_vle32_v_i32m4(a + 256 * k + i, vl);
            const vint32m4_t y = __riscv_vle32_v_i32m4(b + 256 * k + i, vl);
            PHASE(PHASE_POINTWISE);
            sum = __riscv_vadd(sum, PRODUCT(x, y, vl), vl);
        }
        PHASE(PHASE_CANONICAL);
        sum = REDUCE(sum, vl);
        sum = CANONICAL(32, m4, sum, vl);
        PHASE(PHASE_STORE);
        __riscv_vse32(r + i, sum, vl);
    }
}
