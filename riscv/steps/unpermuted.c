/* The steps without a permutation: the ring is split as a tree, X^m - w^2 into X^(m/2) - w and X^(m/2) + w,
 * in place. The transform ends in the order of the tree's leaves, and the inverse begins there. The steps
 * differ in the number of levels between a load and a store, in the corrections of results, and in the width
 * of coefficients. */

#include <riscv_vector.h>

#include "nodes.h"
#include "phases.h"
#include "powers.h"
#include "runs.h"
#include "steps.h"

enum { N = 128, Q = PARCRYPT_NTT_RVV_Q };

/* --- intrinsics by the width of elements and LMUL --- */

#define CAT2_(a, b) a##b
#define CAT2(a, b) CAT2_(a, b)
#define CAT3_(a, b, c) a##b##c
#define CAT3(a, b, c) CAT3_(a, b, c)
#define CAT4_(a, b, c, d) a##b##c##d
#define CAT4(a, b, c, d) CAT4_(a, b, c, d)
#define CAT5_(a, b, c, d, e) a##b##c##d##e
#define CAT5(a, b, c, d, e) CAT5_(a, b, c, d, e)
#define CAT6_(a, b, c, d, e, f) a##b##c##d##e##f
#define CAT6(a, b, c, d, e, f) CAT6_(a, b, c, d, e, f)

#define ELEMENT CAT3(int, WIDTH, _t)
#define VECTOR(m) CAT4(vint, WIDTH, m, _t)
#define UNSIGNED(m) CAT6(__riscv_vreinterpret_v_i, WIDTH, m, _u, WIDTH, m)
#define SIGNED(m) CAT6(__riscv_vreinterpret_v_u, WIDTH, m, _i, WIDTH, m)
#define SETVL(m, n) CAT3(__riscv_vsetvl_e, WIDTH, m)(n)
#define LOAD(m, p) CAT5(__riscv_vle, WIDTH, _v_i, WIDTH, m)(p, vl)
#define LOAD_STRIDED(m, p, stride)                                                                           \
    CAT5(__riscv_vlse, WIDTH, _v_i, WIDTH, m)(p, (ptrdiff_t)((stride) * sizeof(ELEMENT)), vl)
#define STORE(p, v) CAT2(__riscv_vse, WIDTH)(p, v, vl)
#define STORE_STRIDED(p, stride, v)                                                                          \
    CAT2(__riscv_vsse, WIDTH)(p, (ptrdiff_t)((stride) * sizeof(ELEMENT)), v, vl)

/* --- arithmetic --- */

/* The lesser of x and x + c as unsigned numbers: x + q if x was negative, x - q if it was not below q. */
#define LESSER(m, x, c) SIGNED(m)(__riscv_vminu(UNSIGNED(m)(x), UNSIGNED(m)(__riscv_vadd(x, c, vl)), vl))

/* x w mod q, a little above q / 2 to either side at most. */
#define MULTIPLY(x, w, factor)                                                                               \
    __riscv_vnmsac(__riscv_vmul(x, w, vl), Q, __riscv_vsmul(x, factor, __RISCV_VXRM_RNU, vl), vl)

/* C - q floor(C floor(2^32 / q) / 2^32), for products in 32 bits: in [0, q), or a little outside. */
#define BARRETT(x) __riscv_vnmsac(x, Q, __riscv_vmulh(x, (int32_t)((1LL << 32) / Q), vl), vl)

/* CORRECT_ALWAYS: every result in [0, q). CORRECT_ONCE: sums and differences are not corrected; sums in 16
 * bits are reduced after each pass of the inverse, because they double in each level. */
#define PRODUCT_ALWAYS(m, x, w, factor) LESSER(m, MULTIPLY(x, w, factor), Q)
#define SUM_ALWAYS(m, x) LESSER(m, x, -Q)
#define DIFFERENCE_ALWAYS(m, x) LESSER(m, x, Q)
#define PRODUCT_ONCE(m, x, w, factor) MULTIPLY(x, w, factor)
#define SUM_ONCE(m, x) x
#define DIFFERENCE_ONCE(m, x) x
#define REDUCE_16(x) __riscv_vnmsac(x, Q, __riscv_vsmul(x, 10, __RISCV_VXRM_RNU, vl), vl)
#define REDUCE_32(x) x

/* Products of coefficients: of vectors of LMUL m2. */
#define MULTIPLY_COEFFICIENTS_32(x, y) BARRETT(__riscv_vmul(x, y, vl))
#define MULTIPLY_COEFFICIENTS_16(x, y)                                                                       \
    __riscv_vncvt_x_x_w_i16m2(BARRETT(__riscv_vwmul_vv_i32m4(x, y, vl)), vl)

/* Between the interface's elements and ours, vectors of LMUL m2. */
#define NARROW_32(p) __riscv_vle32_v_i32m2(p, vl)
#define NARROW_16(p) __riscv_vncvt_x_x_w_i16m2(__riscv_vle32_v_i32m4(p, vl), vl)
#define WIDEN_32(v) v
#define WIDEN_16(v) __riscv_vwcvt_x_x_v_i32m4(v, vl)

#define NTH_32 nth
#define NTH_FACTOR_32 nth_factor
#define NTH_16 (-26)
#define NTH_FACTOR_16 (-256)

/* Passes of three levels have runs of 16 coefficients, then 8 blocks: with 16 bits half the registers are
 * enough. */
#define LMUL_3_32 m2
#define LMUL_3_16 m1

/* --- the steps: passes over the array, each of `levels` levels from the given one on --- */

#define STEP parcrypt_step_unpermuted
#define WIDTH 32
#define CORRECT ALWAYS
#define PASSES(DO) DO(1, 0) DO(1, 1) DO(1, 2) DO(1, 3) DO(1, 4) DO(1, 5) DO(1, 6)
#define PASSES_BACK(DO) DO(1, 6) DO(1, 5) DO(1, 4) DO(1, 3) DO(1, 2) DO(1, 1) DO(1, 0)
#include "unpermuted.inc"

#define STEP parcrypt_step_fused_three
#define WIDTH 32
#define CORRECT ALWAYS
#define PASSES(DO) DO(3, 0) DO(3, 3) DO(1, 6)
#define PASSES_BACK(DO) DO(1, 6) DO(3, 3) DO(3, 0)
#include "unpermuted.inc"

#define STEP parcrypt_step_fused_five
#define WIDTH 32
#define CORRECT ALWAYS
#define PASSES(DO) DO(5, 0) DO(2, 5)
#define PASSES_BACK(DO) DO(2, 5) DO(5, 0)
#include "unpermuted.inc"

#define STEP parcrypt_step_correct_once
#define WIDTH 32
#define CORRECT ONCE
#define PASSES(DO) DO(3, 0) DO(3, 3) DO(1, 6)
#define PASSES_BACK(DO) DO(1, 6) DO(3, 3) DO(3, 0)
#include "unpermuted.inc"

#define STEP parcrypt_step_sixteen_bit
#define WIDTH 16
#define CORRECT ONCE
#define PASSES(DO) DO(3, 0) DO(3, 3) DO(1, 6)
#define PASSES_BACK(DO) DO(1, 6) DO(3, 3) DO(3, 0)
#include "unpermuted.inc"
