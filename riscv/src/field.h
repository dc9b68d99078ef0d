/* Arithmetic modulo q = 3329 on vectors of 16-bit coefficients, for kernels in C. Bounds: make bounds. */
#ifndef PARCRYPT_FIELD_H
#define PARCRYPT_FIELD_H

#include <riscv_vector.h>

#define Q 3329

/* A constant w and round(2^15 w / q), which gives the quotient of a product with w. */
struct twiddle {
    int16_t w, factor;
};

/* a w mod q, up to 0.5 q + |a| q / 2^16: the quotient round(a factor / 2^15) is at most that far from a w /
 * q. The product and the multiple of q wrap; their difference fits. */
#define MULTIPLY(a, w, factor, vl)                                                                           \
    __riscv_vnmsac(__riscv_vmul(a, w, vl), Q, __riscv_vsmul(a, factor, __RISCV_VXRM_RNU, vl), vl)

/* a mod q, up to 0.5 q + 0.157 |a| q / 2^15: the multiplication by 1, whose factor 2^15 / q = 9.843 is 10. */
#define REDUCE(a, vl) __riscv_vnmsac(a, Q, __riscv_vsmul(a, 10, __RISCV_VXRM_RNU, vl), vl)

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

/* From (-q, q) to [0, q): the lesser of r and r + q as unsigned numbers. `m` is the LMUL. */
#define CANONICAL(m, r, vl)                                                                                  \
    __riscv_vreinterpret_v_u16##m##_i16##m(                                                                  \
        __riscv_vminu(__riscv_vreinterpret_v_i16##m##_u16##m(r),                                             \
                      __riscv_vreinterpret_v_i16##m##_u16##m(__riscv_vadd(r, Q, vl)), vl))

#endif
