/* Arithmetic modulo q on vectors, for kernels in C: q = 3329 and coefficients of 16 bits, unless Q and
 * REDUCE_FACTOR are defined before. Bounds: make bounds. */
#ifndef PARCRYPT_FIELD_H
#define PARCRYPT_FIELD_H

#include <riscv_vector.h>

#ifndef Q
#define Q 3329
#define REDUCE_FACTOR 10 /* round(2^15 / q) */
#endif

/* A constant w and round(2^15 w / q), which gives the quotient of a product with w. */
struct twiddle {
    int16_t w, factor;
};

/* As that, for coefficients of 32 bits: round(2^31 w / q). */
struct wide_twiddle {
    int32_t w, factor;
};

/* a w mod q, up to 0.5 q + |a| q / 2^16: the quotient round(a factor / 2^15) is at most that far from a w /
 * q. The product and the multiple of q wrap; their difference fits. */
#define MULTIPLY(a, w, factor, vl)                                                                           \
    __riscv_vnmsac(__riscv_vmul(a, w, vl), Q, __riscv_vsmul(a, factor, __RISCV_VXRM_RNU, vl), vl)

/* a mod q, up to 0.5 q + 0.157 |a| q / 2^15: the multiplication by 1, whose factor 2^15 / q = 9.843 is 10.
 * With 32 bits and q = 8380417, 2^31 / q = 256.25 is 256: up to 0.5 q + 0.25 |a| q / 2^31. */
#define REDUCE(a, vl) __riscv_vnmsac(a, Q, __riscv_vsmul(a, REDUCE_FACTOR, __RISCV_VXRM_RNU, vl), vl)

/* (u, v) becomes (u + w v, u - w v); t is a variable of their type. */
#define FORWARD(u, v, t, w, factor, vl)                                                                      \
    do {                                                                                                     \
        (t) = MULTIPLY(v, w, factor, vl);                                                                    \
        (v) = __riscv_vsub(u, t, vl);                                                                        \
        (u) = __riscv_vadd(u, t, vl);                                                                        \
    } while (0)

/* (u, v) becomes (u + v, (u - v) w). */
#define INVERSE(u, v, t, w, factor, vl)                                                                      \
    do {                                                                                                     \
        (t) = __riscv_vsub(u, v, vl);                                                                        \
        (u) = __riscv_vadd(u, v, vl);                                                                        \
        (v) = MULTIPLY(t, w, factor, vl);                                                                    \
    } while (0)

/* From (-q, q) to [0, q): the lesser of r and r + q as unsigned numbers. `bits` are of an element, `m` is the
 * LMUL. */
#define CANONICAL(bits, m, r, vl)                                                                            \
    __riscv_vreinterpret_v_u##bits##m##_i##bits##m(                                                          \
        __riscv_vminu(__riscv_vreinterpret_v_i##bits##m##_u##bits##m(r),                                     \
                      __riscv_vreinterpret_v_i##bits##m##_u##bits##m(__riscv_vadd(r, Q, vl)), vl))

#endif
