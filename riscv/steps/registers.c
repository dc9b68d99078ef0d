/* The steps whose transforms stay in registers throughout: sixteen registers hold a polynomial, at VLEN 128.
 *
 * Four levels between registers; then a transposition of eight by eight coefficients, by which a position in
 * a register becomes a register; then three levels between registers, whose twiddles differ from lane to
 * lane. Bounds: make bounds. */

#include <riscv_vector.h>

#include "field.h"
#include "nodes.h"
#include "phases.h"
#include "runs.h"
#include "steps.h"

enum { N = 128, VL = 8 };

#define INLINE static inline __attribute__((always_inline))
typedef vint16m1_t vec;

/* Eight registers, which are changed in place. */
#define EIGHT vec *p0, vec *p1, vec *p2, vec *p3, vec *p4, vec *p5, vec *p6, vec *p7
#define TAKE_EIGHT vec v0 = *p0, v1 = *p1, v2 = *p2, v3 = *p3, v4 = *p4, v5 = *p5, v6 = *p6, v7 = *p7
#define GIVE_EIGHT *p0 = v0, *p1 = v1, *p2 = v2, *p3 = v3, *p4 = v4, *p5 = v5, *p6 = v6, *p7 = v7
#define FIRST_HALF &v0, &v1, &v2, &v3, &v4, &v5, &v6, &v7
#define SECOND_HALF &v8, &v9, &v10, &v11, &v12, &v13, &v14, &v15

/* a0 b0 a1 b1 ... in two registers: a + 65536 b in 32-bit elements, as a + b + 65535 b. */
INLINE void zip(vec *low, vec *high, vec a, vec b) {
    const vuint16m1_t x = __riscv_vreinterpret_v_i16m1_u16m1(a), y = __riscv_vreinterpret_v_i16m1_u16m1(b);
    const vuint32m2_t both = __riscv_vwmaccu(__riscv_vwaddu_vv(x, y, VL), 65535, y, VL);
    const vint16m2_t elements = __riscv_vreinterpret_v_u16m2_i16m2(__riscv_vreinterpret_v_u32m2_u16m2(both));
    *low = __riscv_vget_i16m1(elements, 0);
    *high = __riscv_vget_i16m1(elements, 1);
}

/* Each zip rotates the six bits of an element's position, three for the register and three for the lane, by
 * one. */
INLINE void transpose(EIGHT) {
    TAKE_EIGHT;
    for (int step = 0; step < 3; step++) {
        vec s0, s1, s2, s3, s4, s5, s6, s7;
        zip(&s0, &s1, v0, v4);
        zip(&s2, &s3, v1, v5);
        zip(&s4, &s5, v2, v6);
        zip(&s6, &s7, v3, v7);
        v0 = s0, v1 = s1, v2 = s2, v3 = s3, v4 = s4, v5 = s5, v6 = s6, v7 = s7;
    }
    GIVE_EIGHT;
}

/* --- levels 5 to 7 of the eight blocks in the lanes, which are the first or the second eight of sixteen ---
 */

#define AT(table, level, block) __riscv_vle16_v_i16m1(table + 16 * ((1 << (level)) + (block)-1) + first, VL)

INLINE void deep_forward(size_t first, EIGHT) {
    vec t;
    TAKE_EIGHT;
#define STEP(level, block, u, v)                                                                             \
    FORWARD(u, v, t, AT(node_deep, level, block), AT(node_deep_factor, level, block), VL);
    STEPS_8_1(STEP)
    STEPS_8_2(STEP)
    STEPS_8_3(STEP)
#undef STEP
    GIVE_EIGHT;
}

INLINE void deep_inverse(size_t first, EIGHT) {
    vec t;
    TAKE_EIGHT;
#define STEP(level, block, u, v)                                                                             \
    INVERSE(u, v, t, AT(inverse_node_deep, level, block), AT(inverse_node_deep_factor, level, block), VL);
    STEPS_8_3(STEP)
    STEPS_8_2(STEP)
    v0 = REDUCE(v0, VL); /* sums of four, and of two products */
    v4 = REDUCE(v4, VL);
    STEPS_8_1(STEP)
#undef STEP
    v1 = REDUCE(v1, VL);
    GIVE_EIGHT;
}

/* --- a whole transform of `input`; the variables v0 to v15 are the polynomial --- */

#define UPPER(what, level, block) what##_16[(1 << (level)) + (block)]
#define STEP_FORWARD(level, block, u, v)                                                                     \
    FORWARD(u, v, t, UPPER(node_w, level, block), UPPER(node_factor, level, block), VL);
#define STEP_INVERSE(level, block, u, v)                                                                     \
    INVERSE(u, v, t, UPPER(inverse_node_w, level, block), UPPER(inverse_node_factor, level, block), VL);

#define LOAD_NARROW(j) vec v##j = __riscv_vncvt_x_x_w_i16m1(__riscv_vle32_v_i32m2(input + 8 * (j), VL), VL);
#define LOAD(j) vec v##j = __riscv_vle16_v_i16m1(x + 8 * (j), VL);
#define STORE(j) __riscv_vse16(x + 8 * (j), v##j, VL);

#define TRANSFORM                                                                                            \
    PHASE(PHASE_LOAD);                                                                                       \
    vec t;                                                                                                   \
    RUNS_16(LOAD_NARROW)                                                                                     \
    PHASE(PHASE_FORWARD);                                                                                    \
    STEPS_16_1(STEP_FORWARD)                                                                                 \
    STEPS_16_2(STEP_FORWARD)                                                                                 \
    STEPS_16_3(STEP_FORWARD)                                                                                 \
    STEPS_16_4(STEP_FORWARD)                                                                                 \
    PHASE(PHASE_PERMUTE);                                                                                    \
    transpose(FIRST_HALF);                                                                                   \
    transpose(SECOND_HALF);                                                                                  \
    PHASE(PHASE_FORWARD);                                                                                    \
    deep_forward(0, FIRST_HALF);                                                                             \
    deep_forward(8, SECOND_HALF)

/* All levels backwards except the first. */
#define TRANSFORM_BACK                                                                                       \
    PHASE(PHASE_INVERSE);                                                                                    \
    deep_inverse(0, FIRST_HALF);                                                                             \
    deep_inverse(8, SECOND_HALF);                                                                            \
    PHASE(PHASE_PERMUTE);                                                                                    \
    transpose(FIRST_HALF);                                                                                   \
    transpose(SECOND_HALF);                                                                                  \
    PHASE(PHASE_INVERSE);                                                                                    \
    STEPS_16_4(STEP_INVERSE)                                                                                 \
    STEPS_16_3(STEP_INVERSE)                                                                                 \
    v0 = REDUCE(v0, VL);                                                                                     \
    v4 = REDUCE(v4, VL);                                                                                     \
    v8 = REDUCE(v8, VL);                                                                                     \
    v12 = REDUCE(v12, VL);                                                                                   \
    STEPS_16_2(STEP_INVERSE)

/* Montgomery's product: x y / 2^16 mod q, less than q / 2 + |x y| / 2^16. */
#define Q_INVERSE (-3327) /* q * -3327 = 1 mod 2^16 */
INLINE vec montgomery(vec x, vec y) {
    const vec quotient = __riscv_vmul(__riscv_vmul(x, y, VL), Q_INVERSE, VL);
    return __riscv_vsub(__riscv_vmulh(x, y, VL), __riscv_vmulh(quotient, Q, VL), VL);
}

/* 2^16 / 128, which also removes Montgomery's factor, and round(2^15 SCALE / q). */
#define SCALE 512
#define SCALE_FACTOR 5040

static void forward_in_registers(int16_t *x, const int32_t *input) {
    TRANSFORM;
    PHASE(PHASE_STORE);
    RUNS_16(STORE)
}

static void inverse_in_registers(int16_t *x) {
    vec t;
    PHASE(PHASE_LOAD);
    RUNS_16(LOAD)
    TRANSFORM_BACK
    STEPS_16_1(STEP_INVERSE)
    PHASE(PHASE_STORE);
    RUNS_16(STORE)
}

void parcrypt_step_fused_all(int32_t r[128], const int32_t a[128], const int32_t b[128]) {
    int16_t x[N], y[N];
    forward_in_registers(x, a);
    forward_in_registers(y, b);
    PHASE(PHASE_POINTWISE);
    for (size_t i = 0; i < N; i += VL) {
        __riscv_vse16(x + i, montgomery(__riscv_vle16_v_i16m1(x + i, VL), __riscv_vle16_v_i16m1(y + i, VL)),
                      VL);
    }
    inverse_in_registers(x);
    PHASE(PHASE_CANONICAL);
    for (size_t i = 0; i < N; i += VL) {
        const vec u = MULTIPLY(__riscv_vle16_v_i16m1(x + i, VL), SCALE, SCALE_FACTOR, VL);
        __riscv_vse32(r + i, __riscv_vwcvt_x_x_v_i32m2(CANONICAL(16, m1, u, VL), VL), VL);
    }
}

void parcrypt_step_fused_product(int32_t r[128], const int32_t a[128], const int32_t b[128]) {
    int16_t x[N];
    const int32_t *input = b;
    forward_in_registers(x, a);
    TRANSFORM;
    PHASE(PHASE_POINTWISE);
#define PRODUCT(j) v##j = montgomery(v##j, __riscv_vle16_v_i16m1(x + 8 * (j), VL));
    RUNS_16(PRODUCT)
    TRANSFORM_BACK
    PHASE(PHASE_CANONICAL);
#define STEP(level, block, u, v)                                                                             \
    t = __riscv_vsub(u, v, VL);                                                                              \
    u = __riscv_vadd(u, v, VL);                                                                              \
    u = CANONICAL(16, m1, MULTIPLY(u, SCALE, SCALE_FACTOR, VL), VL);                                         \
    v = CANONICAL(16, m1, MULTIPLY(t, SCALE, SCALE_FACTOR, VL), VL);
    STEPS_16_1(STEP)
#undef STEP
    PHASE(PHASE_STORE);
#define STORE_WIDE(j) __riscv_vse32(r + 8 * (j), __riscv_vwcvt_x_x_v_i32m2(v##j, VL), VL);
    RUNS_16(STORE_WIDE)
}
