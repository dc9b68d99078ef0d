/* The sum of products of transformed polynomials of ML-DSA, for VLEN 128.
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * void parcrypt_mldsa_sum_of_products_vlen128(int32_t r[256], const int32_t *a, const int32_t *b, size_t count);
 *
 * count times 256 coefficients in [0, q), q = 8380417, count from 1 to 255; results in [0, q).
 * r may be the first polynomial of a or b.
 *
 * VLEN 128, and no other: registers are grouped so that v8 follows v7. V extension, no other.
 * In: a0 = r, a1 = a, a2 = b, a3 = count.
 * Out: nothing in registers. Alignment: 4 bytes.
 * Clobbers: v0-v31, vl, vtype, vxrm (becomes rnu), a3-a7, t0-t6. Stack: 0 bytes.
 * No branch, no address and no mask depends on coefficients. */

#include "phases.h"

        .option push
        .option arch, +v
        .text
        .balign 4
        .globl  parcrypt_mldsa_sum_of_products_vlen128
        .type   parcrypt_mldsa_sum_of_products_vlen128, @function
parcrypt_mldsa_sum_of_products_vlen128:
        csrwi   vxrm, 0
        li      t0, 32
        vsetvli zero, t0, e32, m8, ta, ma
        li      t1, 1074660096
        li      t2, 256
        li      t3, -8380417
        li      t4, 8380417
        # coefficients 0 to 31
        addi    a4, a1, 0
        addi    a5, a2, 0
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmul.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, a3, -1
        beqz    t6, 3f
2:
        addi    a4, a4, 1024
        addi    a5, a5, 1024
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmacc.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, t6, -1
        bnez    t6, 2b
3:
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t2
        vmacc.vx v0, t3, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 0
        vs8r.v  v0, (a6)
        # coefficients 32 to 63
        addi    a4, a1, 128
        addi    a5, a2, 128
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmul.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, a3, -1
        beqz    t6, 5f
4:
        addi    a4, a4, 1024
        addi    a5, a5, 1024
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmacc.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, t6, -1
        bnez    t6, 4b
5:
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t2
        vmacc.vx v0, t3, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 128
        vs8r.v  v0, (a6)
        # coefficients 64 to 95
        addi    a4, a1, 256
        addi    a5, a2, 256
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmul.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, a3, -1
        beqz    t6, 7f
6:
        addi    a4, a4, 1024
        addi    a5, a5, 1024
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmacc.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, t6, -1
        bnez    t6, 6b
7:
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t2
        vmacc.vx v0, t3, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 256
        vs8r.v  v0, (a6)
        # coefficients 96 to 127
        addi    a4, a1, 384
        addi    a5, a2, 384
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmul.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, a3, -1
        beqz    t6, 9f
8:
        addi    a4, a4, 1024
        addi    a5, a5, 1024
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmacc.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, t6, -1
        bnez    t6, 8b
9:
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t2
        vmacc.vx v0, t3, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 384
        vs8r.v  v0, (a6)
        # coefficients 128 to 159
        addi    a4, a1, 512
        addi    a5, a2, 512
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmul.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, a3, -1
        beqz    t6, 11f
10:
        addi    a4, a4, 1024
        addi    a5, a5, 1024
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmacc.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, t6, -1
        bnez    t6, 10b
11:
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t2
        vmacc.vx v0, t3, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 512
        vs8r.v  v0, (a6)
        # coefficients 160 to 191
        addi    a4, a1, 640
        addi    a5, a2, 640
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmul.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, a3, -1
        beqz    t6, 13f
12:
        addi    a4, a4, 1024
        addi    a5, a5, 1024
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmacc.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, t6, -1
        bnez    t6, 12b
13:
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t2
        vmacc.vx v0, t3, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 640
        vs8r.v  v0, (a6)
        # coefficients 192 to 223
        addi    a4, a1, 768
        addi    a5, a2, 768
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmul.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, a3, -1
        beqz    t6, 15f
14:
        addi    a4, a4, 1024
        addi    a5, a5, 1024
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmacc.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, t6, -1
        bnez    t6, 14b
15:
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t2
        vmacc.vx v0, t3, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 768
        vs8r.v  v0, (a6)
        # coefficients 224 to 255
        addi    a4, a1, 896
        addi    a5, a2, 896
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmul.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, a3, -1
        beqz    t6, 17f
16:
        addi    a4, a4, 1024
        addi    a5, a5, 1024
        phase PHASE_LOAD
        vl8re32.v v8, (a4)
        vl8re32.v v16, (a5)
        phase PHASE_POINTWISE
        vmulh.vx v24, v8, t1
        vmacc.vx v24, t2, v8
        vsmul.vv v24, v24, v16
        vmacc.vv v0, v8, v16
        vmacc.vx v0, t3, v24
        addi    t6, t6, -1
        bnez    t6, 16b
17:
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t2
        vmacc.vx v0, t3, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 896
        vs8r.v  v0, (a6)
        ret
        .size   parcrypt_mldsa_sum_of_products_vlen128, . - parcrypt_mldsa_sum_of_products_vlen128
        .option pop

        .section .note.GNU-stack, "", @progbits
