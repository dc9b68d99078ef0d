/* The steps that transform as the textbook does: a permutation that repeatedly separates even and odd
 * coefficients, then levels on neighbouring halves. They differ in the permutation and in the computation of
 * remainders. */

#include <riscv_vector.h>

#include "phases.h"
#include "powers.h"
#include "steps.h"

enum { N = 128, Q = PARCRYPT_NTT_RVV_Q };

/* --- remainders of 32-bit elements. REMAINDER_x: of products below q^2; SUM_x: of sums below 2 q --- */

#define AS_UNSIGNED(x) __riscv_vreinterpret_v_i32m2_u32m2(x)
#define AS_SIGNED(x) __riscv_vreinterpret_v_u32m2_i32m2(x)

/* x - q if that is not negative, which as an unsigned number would be greater than x. */
#define AT_MOST_ONCE(x, vl) AS_SIGNED(__riscv_vminu(AS_UNSIGNED(x), AS_UNSIGNED(__riscv_vsub(x, Q, vl)), vl))

#define REMAINDER_DIVIDE(x, vl) __riscv_vrem(x, Q, vl)
#define SUM_DIVIDE(x, vl) __riscv_vrem(x, Q, vl)

/* Barrett: the quotient of x < q^2 by q is floor(x floor(2^32 / q) / 2^32) or one more, since x (2^32 mod q)
 * < 2^32 q. */
#define MAGIC ((uint32_t)((1ULL << 32) / Q))
#define QUOTIENT_WIDE(x, vl) __riscv_vnsrl(__riscv_vwmulu(AS_UNSIGNED(x), MAGIC, vl), 32, vl)
#define QUOTIENT_HIGH(x, vl) __riscv_vmulhu(AS_UNSIGNED(x), MAGIC, vl)
#define REMAINDER_WIDE(x, vl) AT_MOST_ONCE(__riscv_vnmsac(x, Q, AS_SIGNED(QUOTIENT_WIDE(x, vl)), vl), vl)
#define REMAINDER_HIGH(x, vl) AT_MOST_ONCE(__riscv_vnmsac(x, Q, AS_SIGNED(QUOTIENT_HIGH(x, vl)), vl), vl)
#define SUM_WIDE(x, vl) AT_MOST_ONCE(x, vl)
#define SUM_HIGH(x, vl) AT_MOST_ONCE(x, vl)

/* Products with constants, for which the table also has round(2^31 w / q) beside w: the quotient by one
 * rounding multiplication, the product and the multiple of q modulo 2^32, and one correction, because
 * rounding may be up or down. */
#define REMAINDER_ROUND(x, vl) REMAINDER_HIGH(x, vl)
#define SUM_ROUND(x, vl) AT_MOST_ONCE(x, vl)
#define NOT_NEGATIVE(x, vl) AS_SIGNED(__riscv_vminu(AS_UNSIGNED(x), AS_UNSIGNED(__riscv_vadd(x, Q, vl)), vl))
#define ROUNDED(x, w, factor, vl)                                                                            \
    NOT_NEGATIVE(                                                                                            \
        __riscv_vnmsac(__riscv_vmul(x, w, vl), Q, __riscv_vsmul(x, factor, __RISCV_VXRM_RNU, vl), vl), vl)

/* x times the constants of a table that are `step` apart. */
#define CONSTANTS(table, step) __riscv_vlse32_v_i32m2(table, (ptrdiff_t)(4 * (step)), vl)
#define TIMES_TABLE_DIVIDE(x, table, at, step)                                                               \
    REMAINDER_DIVIDE(__riscv_vmul(x, CONSTANTS(table + (at), step), vl), vl)
#define TIMES_TABLE_WIDE(x, table, at, step)                                                                 \
    REMAINDER_WIDE(__riscv_vmul(x, CONSTANTS(table + (at), step), vl), vl)
#define TIMES_TABLE_HIGH(x, table, at, step)                                                                 \
    REMAINDER_HIGH(__riscv_vmul(x, CONSTANTS(table + (at), step), vl), vl)
#define TIMES_TABLE_ROUND(x, table, at, step)                                                                \
    ROUNDED(x, CONSTANTS(table + (at), step), CONSTANTS(table##_factor + (at), step), vl)
#define TIMES_NTH_DIVIDE(x) REMAINDER_DIVIDE(__riscv_vmul(x, nth, vl), vl)
#define TIMES_NTH_WIDE(x) REMAINDER_WIDE(__riscv_vmul(x, nth, vl), vl)
#define TIMES_NTH_HIGH(x) REMAINDER_HIGH(__riscv_vmul(x, nth, vl), vl)
#define TIMES_NTH_ROUND(x) ROUNDED(x, nth, nth_factor, vl)

/* --- permutations: y_i = x_(i with its 7 bits reversed) --- */

/* Evens to one half, odds to the other. */
static void part_strided(int32_t *y, const int32_t *x, size_t n) {
    for (size_t i = 0, vl; i < n / 2; i += vl) {
        vl = __riscv_vsetvl_e32m2(n / 2 - i);
        __riscv_vse32(y + i, __riscv_vlse32_v_i32m2(x + 2 * i, 8, vl), vl);
        __riscv_vse32(y + n / 2 + i, __riscv_vlse32_v_i32m2(x + 2 * i + 1, 8, vl), vl);
    }
}

static void part_compress(int32_t *y, const int32_t *x, size_t n) {
    static const uint8_t every_other[32] = {
        0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55,
        0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa,
    };
    for (size_t i = 0, vl; i < n; i += vl) {
        /* At most 128 elements, for which there are mask bits; an even number, so that odds stay odd. */
        vl = __riscv_vsetvl_e32m2(n - i) & ~(size_t)1;
        const vbool16_t evens = __riscv_vlm_v_b16(every_other, vl),
                        odds = __riscv_vlm_v_b16(every_other + 16, vl);
        const vint32m2_t v = __riscv_vle32_v_i32m2(x + i, vl);
        __riscv_vse32(y + i / 2, __riscv_vcompress(v, evens, vl), vl / 2);
        __riscv_vse32(y + n / 2 + i / 2, __riscv_vcompress(v, odds, vl), vl / 2);
    }
}

/* Separates blocks of 128, 64, ... 4 elements. */
#define PERMUTE_BY_PARTS(part)                                                                               \
    do {                                                                                                     \
        int32_t other[N];                                                                                    \
        const int32_t *from = x;                                                                             \
        int32_t *to = other;                                                                                 \
        for (size_t n = N; n >= 4; n /= 2) {                                                                 \
            for (size_t i = 0; i < N; i += n) {                                                              \
                part(to + i, from + i, n);                                                                   \
            }                                                                                                \
            from = to;                                                                                       \
            to = to == y ? other : y;                                                                        \
        }                                                                                                    \
    } while (0)
#define PERMUTE_STRIDED PERMUTE_BY_PARTS(part_strided)
#define PERMUTE_COMPRESS PERMUTE_BY_PARTS(part_compress)
#define PERMUTE_INDEXED                                                                                      \
    for (size_t i = 0, vl; i < N; i += vl) {                                                                 \
        vl = __riscv_vsetvl_e32m2(N - i);                                                                    \
        const vuint32m2_t places = AS_UNSIGNED(__riscv_vle32_v_i32m2(reversed + i, vl));                     \
        __riscv_vse32(y + i, __riscv_vluxei32_v_i32m2(x, __riscv_vsll(places, 2, vl), vl), vl);              \
    }

/* --- the steps --- */

#define STEP parcrypt_step_strided
#define PERMUTE PERMUTE_STRIDED
#define KIND DIVIDE
#include "permuted.inc"

#define STEP parcrypt_step_compress
#define PERMUTE PERMUTE_COMPRESS
#define KIND DIVIDE
#include "permuted.inc"

#define STEP parcrypt_step_indexed
#define PERMUTE PERMUTE_INDEXED
#define KIND DIVIDE
#include "permuted.inc"

#define STEP parcrypt_step_barrett_wide
#define PERMUTE PERMUTE_INDEXED
#define KIND WIDE
#include "permuted.inc"

#define STEP parcrypt_step_barrett_high
#define PERMUTE PERMUTE_INDEXED
#define KIND HIGH
#include "permuted.inc"

#define STEP parcrypt_step_rounding
#define PERMUTE PERMUTE_INDEXED
#define KIND ROUND
#include "permuted.inc"

/* --- the scalar recursion, with vectors where there is nothing to permute --- */

void parcrypt_step_pointwise(int32_t r[128], const int32_t a[128], const int32_t b[128]) {
    int32_t x[N], y[N];
    PHASE(PHASE_FORWARD);
    parcrypt_recursive_forward(x, a);
    parcrypt_recursive_forward(y, b);
    PHASE(PHASE_POINTWISE);
    for (size_t i = 0, vl; i < N; i += vl) {
        vl = __riscv_vsetvl_e32m2(N - i);
        const vint32m2_t u = __riscv_vle32_v_i32m2(x + i, vl), v = __riscv_vle32_v_i32m2(y + i, vl);
        __riscv_vse32(x + i, REMAINDER_DIVIDE(__riscv_vmul(u, v, vl), vl), vl);
    }
    PHASE(PHASE_INVERSE);
    parcrypt_recursive_inverse(y, x);
    PHASE(PHASE_CANONICAL);
    for (size_t i = 0, vl; i < N; i += vl) {
        vl = __riscv_vsetvl_e32m2(N - i);
        __riscv_vse32(r + i, TIMES_NTH_DIVIDE(__riscv_vle32_v_i32m2(y + i, vl)), vl);
    }
}
