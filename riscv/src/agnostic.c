/* The kernels for every vector length from 128.
 *
 * The first four levels are done at once on sixteen runs of neighbouring coefficients, as many elements of
 * each as vl says. After that the runs are shorter than a vector. Lanes are then blocks of 8 or 16
 * coefficients, which segment loads arrange, so that the further levels and the products are again
 * between registers.
 *
 * Nothing relies on the number of elements that vl grants. Bounds of all intermediates: make bounds. */

#include "parcrypt_ntt_rvv.h"
#include "phases.h"
#include "runs.h"
#include "tables.h"

/* --- four levels on sixteen runs --- */

/* Elements of the array in memory. */
enum element { ELEMENT_I16, ELEMENT_I32 };

static inline __attribute__((always_inline)) vint16m1_t load(const void *x, enum element element, size_t i,
                                                             size_t vl) {
    return element == ELEMENT_I16
               ? __riscv_vle16_v_i16m1((const int16_t *)x + i, vl)
               : __riscv_vncvt_x_x_w_i16m1(__riscv_vle32_v_i32m2((const int32_t *)x + i, vl), vl);
}

static inline __attribute__((always_inline)) void store(void *x, enum element element, size_t i, vint16m1_t v,
                                                        size_t vl) {
    if (element == ELEMENT_I16) {
        __riscv_vse16((int16_t *)x + i, v, vl);
    } else {
        __riscv_vse32((int32_t *)x + i, __riscv_vwcvt_x_x_v_i32m2(v, vl), vl);
    }
}

#define LOAD_RUN(j) vint16m1_t v##j = load(in, element, j * run + i, vl);
#define STORE_RUN(j) store(out, element, j *run + i, v##j, vl);
#define STORE_RUN_16(j) store(out, ELEMENT_I16, j *run + i, v##j, vl);

/* w of a block that a level splits; w[0] belongs to node 1. */
#define NODE(level, block) w[(1 << (level)) + (block)-1]

/* Four levels forward of sixteen runs. The elements are those of `in`. */
static inline __attribute__((always_inline)) void
forward_4(int16_t *out, const void *in, enum element element, size_t run, const struct twiddle *w) {
    PHASE(PHASE_FORWARD);
    for (size_t i = 0, vl; i < run; i += vl) {
        vl = __riscv_vsetvl_e16m1(run - i);
        vint16m1_t t;
        RUNS_16(LOAD_RUN)
#define STEP(level, block, u, v)                                                                             \
    if ((level) == 0 && w[0].w == 1) {                                                                       \
        t = v;                                                                                               \
        v = __riscv_vsub(u, t, vl);                                                                          \
        u = __riscv_vadd(u, t, vl);                                                                          \
    } else {                                                                                                 \
        FORWARD(u, v, t, NODE(level, block).w, NODE(level, block).factor, vl);                               \
    }
        STEPS_16_1(STEP)
        STEPS_16_2(STEP)
        STEPS_16_3(STEP)
        STEPS_16_4(STEP)
#undef STEP
        RUNS_16(STORE_RUN_16)
    }
}

/* Four levels backwards, the last with the factor `scale` for sums and `scale_last` for differences;
 * canonical. The elements are those of `out`. */
static inline __attribute__((always_inline)) void inverse_4(void *out, const int16_t *x, enum element element,
                                                            size_t run, const struct twiddle *w,
                                                            struct twiddle scale, struct twiddle scale_last) {
    PHASE(PHASE_INVERSE);
    for (size_t i = 0, vl; i < run; i += vl) {
        vl = __riscv_vsetvl_e16m1(run - i);
        const int16_t *in = x;
        vint16m1_t t;
#define LOAD_RUN_16(j) vint16m1_t v##j = load(in, ELEMENT_I16, j * run + i, vl);
        RUNS_16(LOAD_RUN_16)
#define STEP(level, block, u, v) INVERSE(u, v, t, NODE(level, block).w, NODE(level, block).factor, vl);
        STEPS_16_4(STEP)
        STEPS_16_3(STEP)
        v0 = REDUCE(v0, vl); /* sums of four */
        v4 = REDUCE(v4, vl);
        v8 = REDUCE(v8, vl);
        v12 = REDUCE(v12, vl);
        STEPS_16_2(STEP)
#undef STEP
#define STEP(level, block, u, v)                                                                             \
    t = __riscv_vsub(u, v, vl);                                                                              \
    u = __riscv_vadd(u, v, vl);                                                                              \
    u = CANONICAL(16, m1, MULTIPLY(u, scale.w, scale.factor, vl), vl);                                       \
    v = CANONICAL(16, m1, MULTIPLY(t, scale_last.w, scale_last.factor, vl), vl);
        STEPS_16_1(STEP)
#undef STEP
        RUNS_16(STORE_RUN)
    }
}

/* --- the product in Z_q[X] / (X^128 - 1): sixteen polynomials modulo X^8 - w --- */

#define FIELD(x, j) __riscv_vget_v_i16m1x8_i16m1(x, j)
#define NEXT(s, a, j) __riscv_vwmacc_vv_i32m2(s, a, FIELD(b, (j) % 8), vl)

/* Coefficient c of the result, the sum of eight products, modulo q: C - q floor(C floor(2^32 / q) / 2^32) is
 * in [0, q), or a little outside. It is stored at once: eight results for a segment store would not fit in
 * the registers. */
#define SUM(c, a0, a1, a2, a3, a4, a5, a6, a7)                                                               \
    do {                                                                                                     \
        vint32m2_t s = __riscv_vwmul_vv_i32m2(a0, FIELD(b, c), vl);                                          \
        s = NEXT(s, a1, (c) + 7);                                                                            \
        s = NEXT(s, a2, (c) + 6);                                                                            \
        s = NEXT(s, a3, (c) + 5);                                                                            \
        s = NEXT(s, a4, (c) + 4);                                                                            \
        s = NEXT(s, a5, (c) + 3);                                                                            \
        s = NEXT(s, a6, (c) + 2);                                                                            \
        s = NEXT(s, a7, (c) + 1);                                                                            \
        s = __riscv_vnmsac(s, Q, __riscv_vmulh(s, (int32_t)((1LL << 32) / Q), vl), vl);                      \
        __riscv_vsse16(x + 8 * i + (c), 16, __riscv_vncvt_x_x_w_i16m1(s, vl), vl);                           \
    } while (0)

/* x = x y, where lane i is block i. The coefficients of x that wrap around are replaced by w times
 * themselves. */
static void multiply_blocks(int16_t x[128], const int16_t y[128]) {
    PHASE(PHASE_POINTWISE);
    for (size_t i = 0, vl; i < 16; i += vl) {
        vl = __riscv_vsetvl_e16m1(16 - i);
        const vint16m1_t w = __riscv_vle16_v_i16m1(cyclic_leaves + i, vl);
        const vint16m1_t factor = __riscv_vle16_v_i16m1(cyclic_leaves_factor + i, vl);
        const vint16m1x8_t a = __riscv_vlseg8e16_v_i16m1x8(x + 8 * i, vl);
        const vint16m1x8_t b = __riscv_vlseg8e16_v_i16m1x8(y + 8 * i, vl);
        const vint16m1_t a0 = FIELD(a, 0);
        vint16m1_t a1 = FIELD(a, 1), a2 = FIELD(a, 2), a3 = FIELD(a, 3), a4 = FIELD(a, 4), a5 = FIELD(a, 5),
                   a6 = FIELD(a, 6), a7 = FIELD(a, 7);
#define ALL(c) SUM(c, a0, a1, a2, a3, a4, a5, a6, a7)
        ALL(7);
        a7 = MULTIPLY(a7, w, factor, vl);
        ALL(6);
        a6 = MULTIPLY(a6, w, factor, vl);
        ALL(5);
        a5 = MULTIPLY(a5, w, factor, vl);
        ALL(4);
        a4 = MULTIPLY(a4, w, factor, vl);
        ALL(3);
        a3 = MULTIPLY(a3, w, factor, vl);
        ALL(2);
        a2 = MULTIPLY(a2, w, factor, vl);
        ALL(1);
        a1 = MULTIPLY(a1, w, factor, vl);
        ALL(0);
    }
}

static inline __attribute__((always_inline)) void product(void *r, const void *a, const void *b,
                                                          enum element element) {
    int16_t x[128], y[128];
    forward_4(x, a, element, 8, cyclic);
    forward_4(y, b, element, 8, cyclic);
    multiply_blocks(x, y);
    inverse_4(r, x, element, 8, cyclic_inverse, cyclic_scale, cyclic_scale);
}

void parcrypt_product128_i16_agnostic(int16_t r[128], const int16_t a[128], const int16_t b[128]) {
    product(r, a, b, ELEMENT_I16);
}

void parcrypt_product128_i32_agnostic(int32_t r[128], const int32_t a[128], const int32_t b[128]) {
    product(r, a, b, ELEMENT_I32);
}

/* --- ML-KEM's transform --- */

/* A segment of eight 32-bit fields is a block of 16 coefficients. The vector of one field, read as 16-bit
 * elements, has pairs of coefficients in turn, and so have the tables of the twiddles of the strides 8, 4
 * and 2. The same memory as two types: -fno-strict-aliasing. */
#define PAIRS(x, j) __riscv_vreinterpret_v_i32m1_i16m1(__riscv_vget_v_i32m1x8_i32m1(x, j))
#define WORDS(v) __riscv_vreinterpret_v_i16m1_i32m1(v)
#define VECTOR(table) __riscv_vle16_v_i16m1((table) + 2 * i, 2 * vl)

/* STEP(u, v, w, factor) for each pair of fields; w and factor are vectors. */
#define STRIDE_8(STEP, prefix)                                                                               \
    do {                                                                                                     \
        const vint16m1_t w = VECTOR(prefix##_8), factor = VECTOR(prefix##_8_factor);                         \
        STEP(v0, v4, w, factor);                                                                             \
        STEP(v1, v5, w, factor);                                                                             \
        STEP(v2, v6, w, factor);                                                                             \
        STEP(v3, v7, w, factor);                                                                             \
    } while (0)
#define STRIDE_4(STEP, prefix)                                                                               \
    do {                                                                                                     \
        const vint16m1_t w = VECTOR(prefix##_4_0), factor = VECTOR(prefix##_4_0_factor);                     \
        STEP(v0, v2, w, factor);                                                                             \
        STEP(v1, v3, w, factor);                                                                             \
        const vint16m1_t upper = VECTOR(prefix##_4_1), upper_factor = VECTOR(prefix##_4_1_factor);           \
        STEP(v4, v6, upper, upper_factor);                                                                   \
        STEP(v5, v7, upper, upper_factor);                                                                   \
    } while (0)
#define STRIDE_2(STEP, prefix)                                                                               \
    do {                                                                                                     \
        STEP(v0, v1, VECTOR(prefix##_2_0), VECTOR(prefix##_2_0_factor));                                     \
        STEP(v2, v3, VECTOR(prefix##_2_1), VECTOR(prefix##_2_1_factor));                                     \
        STEP(v4, v5, VECTOR(prefix##_2_2), VECTOR(prefix##_2_2_factor));                                     \
        STEP(v6, v7, VECTOR(prefix##_2_3), VECTOR(prefix##_2_3_factor));                                     \
    } while (0)
#define STEP_FORWARD(u, v, w, factor) FORWARD(u, v, t, w, factor, 2 * vl)
#define STEP_INVERSE(u, v, w, factor) INVERSE(u, v, t, w, factor, 2 * vl)

void parcrypt_mlkem_forward_agnostic(int16_t r[256]) {
    forward_4(r, r, ELEMENT_I16, 16, mlkem);
    int32_t *words = (int32_t *)(void *)r;
    for (size_t i = 0, vl; i < 16; i += vl) {
        vl = __riscv_vsetvl_e32m1(16 - i);
        const vint32m1x8_t x = __riscv_vlseg8e32_v_i32m1x8(words + 8 * i, vl);
        vint16m1_t t, v0 = PAIRS(x, 0), v1 = PAIRS(x, 1), v2 = PAIRS(x, 2), v3 = PAIRS(x, 3),
                      v4 = PAIRS(x, 4), v5 = PAIRS(x, 5), v6 = PAIRS(x, 6), v7 = PAIRS(x, 7);
        STRIDE_8(STEP_FORWARD, mlkem);
        STRIDE_4(STEP_FORWARD, mlkem);
        STRIDE_2(STEP_FORWARD, mlkem);
#define DONE(v) WORDS(CANONICAL(16, m1, REDUCE(v, 2 * vl), 2 * vl))
        __riscv_vsseg8e32(words + 8 * i,
                          __riscv_vcreate_v_i32m1x8(DONE(v0), DONE(v1), DONE(v2), DONE(v3), DONE(v4),
                                                    DONE(v5), DONE(v6), DONE(v7)),
                          vl);
    }
}

void parcrypt_mlkem_inverse_agnostic(int16_t r[256]) {
    PHASE(PHASE_INVERSE);
    int32_t *words = (int32_t *)(void *)r;
    for (size_t i = 0, vl; i < 16; i += vl) {
        vl = __riscv_vsetvl_e32m1(16 - i);
        const vint32m1x8_t x = __riscv_vlseg8e32_v_i32m1x8(words + 8 * i, vl);
        vint16m1_t t, v0 = PAIRS(x, 0), v1 = PAIRS(x, 1), v2 = PAIRS(x, 2), v3 = PAIRS(x, 3),
                      v4 = PAIRS(x, 4), v5 = PAIRS(x, 5), v6 = PAIRS(x, 6), v7 = PAIRS(x, 7);
        STRIDE_2(STEP_INVERSE, mlkem_inverse);
        STRIDE_4(STEP_INVERSE, mlkem_inverse);
        STRIDE_8(STEP_INVERSE, mlkem_inverse);
        v0 = REDUCE(v0, 2 * vl); /* the sum of eight, and of four products */
        v1 = REDUCE(v1, 2 * vl);
        __riscv_vsseg8e32(words + 8 * i,
                          __riscv_vcreate_v_i32m1x8(WORDS(v0), WORDS(v1), WORDS(v2), WORDS(v3), WORDS(v4),
                                                    WORDS(v5), WORDS(v6), WORDS(v7)),
                          vl);
    }
    inverse_4(r, r, ELEMENT_I16, 16, mlkem_inverse, mlkem_scale, mlkem_scale_last);
}
