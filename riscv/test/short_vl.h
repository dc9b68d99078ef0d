/* Included before the vector code by -include, this never grants more than three quarters of VLMAX. The
 * specification lets hardware grant less than VLMAX where AVL is between that and twice as much; code that is
 * correct with it does not rely on VLMAX, on powers of two, or on the same vl in every iteration of a loop.
 * QEMU always grants VLMAX. */
#ifndef PARCRYPT_SHORT_VL_H
#define PARCRYPT_SHORT_VL_H

#ifdef __riscv_vector
#include <riscv_vector.h>

static inline size_t parcrypt_short_avl(size_t avl, size_t vlmax) {
    const size_t most = vlmax - vlmax / 4;
    return avl < most ? avl : most;
}

/* The intrinsics are macros: a function for each, then macros of the same names that call these. */
#define SHORT_VL(type)                                                                                       \
    static inline size_t parcrypt_short_vl_##type(size_t avl) {                                              \
        return __riscv_vsetvl_##type(parcrypt_short_avl(avl, __riscv_vsetvlmax_##type()));                   \
    }
SHORT_VL(e16m1)
SHORT_VL(e16m2)
SHORT_VL(e16m4)
SHORT_VL(e32m1)
SHORT_VL(e32m2)
SHORT_VL(e32m4)
#undef SHORT_VL

#undef __riscv_vsetvl_e16m1
#define __riscv_vsetvl_e16m1(avl) parcrypt_short_vl_e16m1(avl)
#undef __riscv_vsetvl_e16m2
#define __riscv_vsetvl_e16m2(avl) parcrypt_short_vl_e16m2(avl)
#undef __riscv_vsetvl_e16m4
#define __riscv_vsetvl_e16m4(avl) parcrypt_short_vl_e16m4(avl)
#undef __riscv_vsetvl_e32m1
#define __riscv_vsetvl_e32m1(avl) parcrypt_short_vl_e32m1(avl)
#undef __riscv_vsetvl_e32m2
#define __riscv_vsetvl_e32m2(avl) parcrypt_short_vl_e32m2(avl)
#undef __riscv_vsetvl_e32m4
#define __riscv_vsetvl_e32m4(avl) parcrypt_short_vl_e32m4(avl)
#endif

#endif
