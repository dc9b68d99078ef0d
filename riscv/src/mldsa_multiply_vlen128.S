/* The product of two transformed polynomials of ML-DSA (FIPS 204, algorithm 45), for VLEN 128.
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * void parcrypt_mldsa_multiply_vlen128(int32_t r[256], const int32_t a[256], const int32_t b[256]);
 *
 * Coefficients in [0, q) on both sides, q = 8380417. r may be a or b.
 *
 * VLEN 128, and no other: registers are grouped so that v8 follows v7. V extension, no other.
 * In: a0 = r, a1 = a, a2 = b.
 * Out: nothing in registers. Alignment: 4 bytes.
 * Clobbers: v0-v31, vl, vtype, vxrm (becomes rnu), a3-a7, t0-t6. Stack: 0 bytes.
 * No branch, no address and no mask depends on coefficients. */

#include "phases.h"

        .option push
        .option arch, +v
        .text
        .balign 4
        .globl  parcrypt_mldsa_multiply_vlen128
        .type   parcrypt_mldsa_multiply_vlen128, @function
parcrypt_mldsa_multiply_vlen128:
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
        phase PHASE_CANONICAL
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
        phase PHASE_CANONICAL
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
        phase PHASE_CANONICAL
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
        phase PHASE_CANONICAL
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
        phase PHASE_CANONICAL
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
        phase PHASE_CANONICAL
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
        phase PHASE_CANONICAL
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
        phase PHASE_CANONICAL
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        phase PHASE_STORE
        addi    a6, a0, 896
        vs8r.v  v0, (a6)
        ret
        .size   parcrypt_mldsa_multiply_vlen128, . - parcrypt_mldsa_multiply_vlen128
        .option pop

        .section .note.GNU-stack, "", @progbits
