/* The product in Z_3329[X] / (X^128 - 1) of int16_t arrays, for VLEN 128.
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * void parcrypt_product128_i16_vlen128(int16_t r[128], const int16_t a[128], const int16_t b[128]);
 *
 * Coefficients in [0, q) on both sides. r may be a or b: it is written when both have been read.
 *
 * VLEN 128, and no other: registers are grouped so that v8 follows v7. V extension, no other.
 * In: a0 = r, a1 = a, a2 = b.
 * Out: nothing in registers. Alignment: that of the elements.
 * Clobbers: v0-v31, vl, vtype, vxrm (becomes rnu), a3-a7, t0-t6, a0. Stack: 128 bytes.
 * No branch, no address and no mask depends on coefficients. */

#include "phases.h"

        .option push
        .option arch, +v
        .text
        .balign 4
        .globl  parcrypt_product128_i16_vlen128
        .type   parcrypt_product128_i16_vlen128, @function
parcrypt_product128_i16_vlen128:
        addi    sp, sp, -128
        csrwi   vxrm, 0
        lla     a7, 1f
        phase PHASE_LOAD
        # X^64 - 1: level 1
        li      t0, 64
        vsetvli zero, t0, e16, m8, ta, ma
        vl8re16.v v16, (a1)
        addi    a6, a1, 128
        vl8re16.v v24, (a6)
        vadd.vv v0, v16, v24
        vl8re16.v v8, (a2)
        addi    a6, a2, 128
        vl8re16.v v16, (a6)
        vadd.vv v8, v8, v16
        phase PHASE_FORWARD
        # X^64 - 1, level 2: X^64 - w^(2t) splits into X^32 -+ w^t
        li      t1, 32
        vsetvli zero, t1, e16, m4, ta, ma
        lh      t2, 64(a7)
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        li      t3, -2
        vmadd.vx v4, t3, v0
        vmadd.vx v12, t3, v8
        # X^64 - 1, level 3: X^32 - w^(2t) splits into X^16 -+ w^t
        vsetivli zero, 16, e16, m2, ta, ma
        vadd.vv v0, v0, v2
        vadd.vv v8, v8, v10
        vmadd.vx v2, t3, v0
        vmadd.vx v10, t3, v8
        lh      t4, 66(a7)
        li      t5, 1600
        vsmul.vx v16, v6, t4
        vsmul.vx v18, v14, t4
        vmadd.vx v6, t5, v4
        vmadd.vx v14, t5, v12
        vmacc.vx v6, t2, v16
        vmacc.vx v14, t2, v18
        vmadd.vx v4, t3, v6
        vmadd.vx v12, t3, v14
        # reduce sums of eight inputs
        li      t6, 10
        vsmul.vx v16, v8, t6
        vmacc.vx v8, t2, v16
        # X^64 - 1, level 4: X^16 - w^(2t) splits into X^8 -+ w^t
        vsetivli zero, 8, e16, m1, ta, ma
        lh      a3, 68(a7)
        li      a4, -767
        vsmul.vx v16, v0, a3
        vsmul.vx v17, v1, a3
        vsmul.vx v18, v2, a3
        vsmul.vx v19, v4, a3
        vsmul.vx v20, v6, a3
        vmul.vx v0, v0, a4
        vmul.vx v1, v1, a4
        vmul.vx v2, v2, a4
        vmul.vx v4, v4, a4
        vmul.vx v6, v6, a4
        vmacc.vx v0, t2, v16
        vmacc.vx v1, t2, v17
        vmacc.vx v2, t2, v18
        vmacc.vx v4, t2, v19
        vmacc.vx v6, t2, v20
        vadd.vv v0, v0, v1
        vadd.vv v8, v8, v9
        vmadd.vx v1, t3, v0
        vmadd.vx v9, t3, v8
        lh      a5, 70(a7)
        lh      a6, 72(a7)
        lh      t0, 74(a7)
        lh      t1, 76(a7)
        li      t5, 394
        li      t6, 1201
        li      a3, 1434
        li      a4, -719
        li      t2, 1600
        li      t3, 749
        vsmul.vx v16, v3, a5
        vsmul.vx v17, v5, a6
        vsmul.vx v18, v7, t0
        vsmul.vx v19, v11, t4
        vsmul.vx v20, v13, t1
        vsmul.vx v21, v15, t5
        vmadd.vx v3, t6, v2
        vmadd.vx v5, a3, v4
        vmadd.vx v7, a4, v6
        vmadd.vx v11, t2, v10
        vmadd.vx v13, t3, v12
        li      a5, 40
        vmadd.vx v15, a5, v14
        lh      a6, 64(a7)
        vmacc.vx v3, a6, v16
        vmacc.vx v5, a6, v17
        vmacc.vx v7, a6, v18
        vmacc.vx v11, a6, v19
        vmacc.vx v13, a6, v20
        vmacc.vx v15, a6, v21
        li      t0, -2
        vmadd.vx v2, t0, v3
        vmadd.vx v4, t0, v5
        vmadd.vx v6, t0, v7
        vmadd.vx v10, t0, v11
        vmadd.vx v12, t0, v13
        vmadd.vx v14, t0, v15
        phase PHASE_PERMUTE
        # X^64 - 1: transposition of both
        li      t4, 32
        vsetvli zero, t4, e16, m4, ta, ma
        vwaddu.vv v16, v0, v4
        vwaddu.vv v24, v8, v12
        li      t1, -1
        vwmaccu.vx v16, t1, v4
        vwmaccu.vx v24, t1, v12
        vwaddu.vv v0, v16, v20
        vwaddu.vv v8, v24, v28
        vwmaccu.vx v0, t1, v20
        vwmaccu.vx v8, t1, v28
        vwaddu.vv v16, v0, v4
        vwaddu.vv v24, v8, v12
        vwmaccu.vx v16, t1, v4
        vwmaccu.vx v24, t1, v12
        phase PHASE_POINTWISE
        vsetivli zero, 8, e16, m1, ta, ma
        # X^64 - 1, modulo X^8 - w: c_2, c_3, c_6, c_7
        addi    a6, a7, 0
        vl1re16.v v13, (a6)
        addi    a6, a7, 16
        vl1re16.v v14, (a6)
        lh      a6, 64(a7)
        vsmul.vv v11, v19, v14
        vsmul.vv v12, v20, v14
        vsmul.vv v15, v21, v14
        vmul.vv v8, v19, v13
        vmul.vv v9, v20, v13
        vmul.vv v10, v21, v13
        vmacc.vx v8, a6, v11
        vmacc.vx v9, a6, v12
        vmacc.vx v10, a6, v15
        vwmul.vv v6, v23, v24
        vwmul.vv v4, v22, v24
        vwmacc.vv v6, v22, v25
        vsmul.vv v11, v23, v14
        vsmul.vv v12, v22, v14
        vmul.vv v23, v23, v13
        vmul.vv v22, v22, v13
        vmacc.vx v23, a6, v11
        vmacc.vx v22, a6, v12
        vwmacc.vv v6, v21, v26
        vwmacc.vv v4, v21, v25
        vwmul.vv v2, v19, v24
        vwmul.vv v0, v18, v24
        vwmacc.vv v6, v20, v27
        vwmacc.vv v4, v20, v26
        vwmacc.vv v2, v18, v25
        vwmacc.vv v0, v17, v25
        vwmacc.vv v6, v19, v28
        vwmacc.vv v4, v19, v27
        vwmacc.vv v2, v17, v26
        vwmacc.vv v0, v16, v26
        vwmacc.vv v6, v18, v29
        vwmacc.vv v4, v18, v28
        vwmacc.vv v2, v16, v27
        vwmacc.vv v0, v8, v31
        vwmacc.vv v6, v17, v30
        vwmacc.vv v4, v17, v29
        vwmacc.vv v2, v9, v31
        vwmacc.vv v0, v9, v30
        vwmacc.vv v6, v16, v31
        vwmacc.vv v4, v16, v30
        vwmacc.vv v2, v10, v30
        vwmacc.vv v0, v10, v29
        vwmacc.vv v4, v23, v31
        vwmacc.vv v2, v22, v29
        vwmacc.vv v0, v22, v28
        vwmacc.vv v2, v23, v28
        vwmacc.vv v0, v23, v27
        vsetivli zero, 16, e32, m4, ta, ma
        li      t5, 353316757
        vadd.vx v0, v0, t5
        li      t6, 1290167
        vmulh.vx v12, v0, t6
        vmacc.vx v0, a6, v12
        vmulh.vx v12, v4, t6
        vmacc.vx v4, a6, v12
        li      a3, 65536
        vmacc.vx v0, a3, v4
        # X^64 - 1, modulo X^8 - w: c_0, c_1, c_4, c_5
        vsetivli zero, 8, e16, m1, ta, ma
        vwmul.vv v14, v21, v24
        addi    a6, a7, 0
        vl1re16.v v4, (a6)
        addi    a6, a7, 16
        vl1re16.v v5, (a6)
        lh      a6, 64(a7)
        vsmul.vv v6, v18, v5
        vsmul.vv v7, v17, v5
        vmul.vv v11, v18, v4
        vmul.vv v21, v17, v4
        vmacc.vx v11, a6, v6
        vmacc.vx v21, a6, v7
        vwmacc.vv v14, v20, v25
        vwmul.vv v12, v20, v24
        vwmul.vv v6, v17, v24
        vwmul.vv v4, v16, v24
        vwmacc.vv v14, v19, v26
        vwmacc.vv v12, v19, v25
        vwmacc.vv v6, v16, v25
        vwmacc.vv v4, v21, v31
        vwmacc.vv v14, v18, v27
        vwmacc.vv v12, v18, v26
        vwmacc.vv v6, v11, v31
        vwmacc.vv v4, v11, v30
        vwmacc.vv v14, v17, v28
        vwmacc.vv v12, v17, v27
        vwmacc.vv v6, v8, v30
        vwmacc.vv v4, v8, v29
        vwmacc.vv v14, v16, v29
        vwmacc.vv v12, v16, v28
        vwmacc.vv v6, v9, v29
        vwmacc.vv v4, v9, v28
        vwmacc.vv v14, v22, v31
        vwmacc.vv v12, v10, v31
        vwmacc.vv v6, v10, v28
        vwmacc.vv v4, v10, v27
        vwmacc.vv v14, v23, v30
        vwmacc.vv v12, v22, v30
        vwmacc.vv v6, v22, v27
        vwmacc.vv v4, v22, v26
        vwmacc.vv v12, v23, v29
        vwmacc.vv v6, v23, v26
        vwmacc.vv v4, v23, v25
        vsetivli zero, 16, e32, m4, ta, ma
        li      a4, 280268510
        vadd.vx v4, v4, a4
        vmulh.vx v16, v4, t6
        vmulh.vx v20, v12, t6
        vmacc.vx v4, a6, v16
        vmacc.vx v12, a6, v20
        vmacc.vx v4, a3, v12
        phase PHASE_PERMUTE
        # X^64 - 1: transposition back
        vsetvli zero, t4, e16, m4, ta, ma
        vwaddu.vv v8, v4, v0
        vwmaccu.vx v8, t1, v0
        vwaddu.vv v16, v8, v12
        vwmaccu.vx v16, t1, v12
        phase PHASE_INVERSE
        # a multiple of q that keeps all coefficients from here positive: every one contains this polynomial once
        vsetivli zero, 8, e16, m1, ta, ma
        lh      t2, 78(a7)
        vadd.vx v16, v16, t2
        # X^64 - 1, level 4 backwards
        vadd.vv v16, v16, v17
        vmadd.vx v17, t0, v16
        vsub.vv v0, v19, v18
        vsub.vv v2, v21, v20
        vsub.vv v4, v23, v22
        vadd.vv v18, v18, v19
        vadd.vv v20, v20, v21
        vadd.vv v22, v22, v23
        lh      t3, 80(a7)
        li      a5, -1600
        li      t5, -394
        li      a4, -40
        lh      t6, 82(a7)
        li      a3, -749
        vsmul.vx v1, v0, t3
        vsmul.vx v3, v2, t5
        vsmul.vx v5, v4, t6
        vmul.vx v19, v0, a5
        vmul.vx v21, v2, a4
        vmul.vx v23, v4, a3
        vmacc.vx v19, a6, v1
        vmacc.vx v21, a6, v3
        vmacc.vx v23, a6, v5
        # X^64 - 1, level 3 backwards
        vsetivli zero, 16, e16, m2, ta, ma
        vadd.vv v16, v16, v18
        vmadd.vx v18, t0, v16
        vsub.vv v0, v22, v20
        vadd.vv v20, v20, v22
        vsmul.vx v2, v0, t3
        vmul.vx v22, v0, a5
        vmacc.vx v22, a6, v2
        # reduce one of two sums of four
        vsetivli zero, 8, e16, m1, ta, ma
        li      t4, 10
        vsmul.vx v0, v20, t4
        vmacc.vx v20, a6, v0
        # X^64 - 1, level 2 backwards
        li      t1, 32
        vsetvli zero, t1, e16, m4, ta, ma
        vadd.vv v16, v16, v20
        vmadd.vx v20, t0, v16
        vs8r.v  v16, (sp)
        phase PHASE_LOAD
        # X^64 + 1: level 1
        li      t2, 64
        vsetvli zero, t2, e16, m8, ta, ma
        vl8re16.v v16, (a1)
        addi    a6, a1, 128
        vl8re16.v v24, (a6)
        vsub.vv v0, v16, v24
        vl8re16.v v8, (a2)
        addi    a6, a2, 128
        vl8re16.v v16, (a6)
        vsub.vv v8, v8, v16
        phase PHASE_FORWARD
        # X^64 + 1, level 2: X^64 - w^(2t) splits into X^32 -+ w^t
        vsetvli zero, t1, e16, m4, ta, ma
        lh      a6, 64(a7)
        lh      t5, 66(a7)
        li      t6, 1600
        vsmul.vx v16, v4, t5
        vsmul.vx v20, v12, t5
        vmadd.vx v4, t6, v0
        vmadd.vx v12, t6, v8
        vmacc.vx v4, a6, v16
        vmacc.vx v12, a6, v20
        vmadd.vx v0, t0, v4
        vmadd.vx v8, t0, v12
        # X^64 + 1, level 3: X^32 - w^(2t) splits into X^16 -+ w^t
        vsetivli zero, 16, e16, m2, ta, ma
        lh      a4, 76(a7)
        li      a3, 749
        li      t3, 394
        li      a5, 40
        vsmul.vx v16, v2, a4
        vsmul.vx v18, v6, t3
        vsmul.vx v20, v10, a4
        vsmul.vx v22, v14, t3
        vmadd.vx v2, a3, v0
        vmadd.vx v6, a5, v4
        vmadd.vx v10, a3, v8
        vmadd.vx v14, a5, v12
        vmacc.vx v2, a6, v16
        vmacc.vx v6, a6, v18
        vmacc.vx v10, a6, v20
        vmacc.vx v14, a6, v22
        vmadd.vx v0, t0, v2
        vmadd.vx v4, t0, v6
        vmadd.vx v8, t0, v10
        vmadd.vx v12, t0, v14
        # X^64 + 1, level 4: X^16 - w^(2t) splits into X^8 -+ w^t
        vsetivli zero, 8, e16, m1, ta, ma
        lh      t4, 84(a7)
        li      t2, 687
        lh      t1, 86(a7)
        li      t5, -630
        lh      t6, 88(a7)
        li      a4, 1432
        lh      t3, 90(a7)
        li      a3, -848
        vsmul.vx v16, v1, t4
        vsmul.vx v17, v3, t1
        vsmul.vx v18, v5, t6
        vsmul.vx v19, v7, t3
        vsmul.vx v20, v9, t4
        vsmul.vx v21, v11, t1
        vsmul.vx v22, v13, t6
        vsmul.vx v23, v15, t3
        vmadd.vx v1, t2, v0
        vmadd.vx v3, t5, v2
        vmadd.vx v5, a4, v4
        vmadd.vx v7, a3, v6
        vmadd.vx v9, t2, v8
        vmadd.vx v11, t5, v10
        vmadd.vx v13, a4, v12
        vmadd.vx v15, a3, v14
        vmacc.vx v1, a6, v16
        vmacc.vx v3, a6, v17
        vmacc.vx v5, a6, v18
        vmacc.vx v7, a6, v19
        vmacc.vx v9, a6, v20
        vmacc.vx v11, a6, v21
        vmacc.vx v13, a6, v22
        vmacc.vx v15, a6, v23
        vmadd.vx v0, t0, v1
        vmadd.vx v2, t0, v3
        vmadd.vx v4, t0, v5
        vmadd.vx v6, t0, v7
        vmadd.vx v8, t0, v9
        vmadd.vx v10, t0, v11
        vmadd.vx v12, t0, v13
        vmadd.vx v14, t0, v15
        phase PHASE_PERMUTE
        # X^64 + 1: transposition of both
        li      a5, 32
        vsetvli zero, a5, e16, m4, ta, ma
        vwaddu.vv v16, v0, v4
        vwaddu.vv v24, v8, v12
        li      t4, -1
        vwmaccu.vx v16, t4, v4
        vwmaccu.vx v24, t4, v12
        vwaddu.vv v0, v16, v20
        vwaddu.vv v8, v24, v28
        vwmaccu.vx v0, t4, v20
        vwmaccu.vx v8, t4, v28
        vwaddu.vv v16, v0, v4
        vwaddu.vv v24, v8, v12
        vwmaccu.vx v16, t4, v4
        vwmaccu.vx v24, t4, v12
        phase PHASE_POINTWISE
        vsetivli zero, 8, e16, m1, ta, ma
        # X^64 + 1, modulo X^8 - w: c_2, c_3, c_6, c_7
        addi    a6, a7, 32
        vl1re16.v v13, (a6)
        addi    a6, a7, 48
        vl1re16.v v14, (a6)
        lh      a6, 64(a7)
        vsmul.vv v11, v19, v14
        vsmul.vv v12, v20, v14
        vsmul.vv v15, v21, v14
        vmul.vv v8, v19, v13
        vmul.vv v9, v20, v13
        vmul.vv v10, v21, v13
        vmacc.vx v8, a6, v11
        vmacc.vx v9, a6, v12
        vmacc.vx v10, a6, v15
        vwmul.vv v6, v23, v24
        vwmul.vv v4, v22, v24
        vwmacc.vv v6, v22, v25
        vsmul.vv v11, v23, v14
        vsmul.vv v12, v22, v14
        vmul.vv v23, v23, v13
        vmul.vv v22, v22, v13
        vmacc.vx v23, a6, v11
        vmacc.vx v22, a6, v12
        vwmacc.vv v6, v21, v26
        vwmacc.vv v4, v21, v25
        vwmul.vv v2, v19, v24
        vwmul.vv v0, v18, v24
        vwmacc.vv v6, v20, v27
        vwmacc.vv v4, v20, v26
        vwmacc.vv v2, v18, v25
        vwmacc.vv v0, v17, v25
        vwmacc.vv v6, v19, v28
        vwmacc.vv v4, v19, v27
        vwmacc.vv v2, v17, v26
        vwmacc.vv v0, v16, v26
        vwmacc.vv v6, v18, v29
        vwmacc.vv v4, v18, v28
        vwmacc.vv v2, v16, v27
        vwmacc.vv v0, v8, v31
        vwmacc.vv v6, v17, v30
        vwmacc.vv v4, v17, v29
        vwmacc.vv v2, v9, v31
        vwmacc.vv v0, v9, v30
        vwmacc.vv v6, v16, v31
        vwmacc.vv v4, v16, v30
        vwmacc.vv v2, v10, v30
        vwmacc.vv v0, v10, v29
        vwmacc.vv v4, v23, v31
        vwmacc.vv v2, v22, v29
        vwmacc.vv v0, v22, v28
        vwmacc.vv v2, v23, v28
        vwmacc.vv v0, v23, v27
        vsetivli zero, 16, e32, m4, ta, ma
        li      t1, 383833700
        vadd.vx v0, v0, t1
        li      t6, 1290167
        vmulh.vx v12, v0, t6
        vmacc.vx v0, a6, v12
        vmulh.vx v12, v4, t6
        vmacc.vx v4, a6, v12
        li      t3, 65536
        vmacc.vx v0, t3, v4
        # X^64 + 1, modulo X^8 - w: c_0, c_1, c_4, c_5
        vsetivli zero, 8, e16, m1, ta, ma
        vwmul.vv v14, v21, v24
        addi    a6, a7, 32
        vl1re16.v v4, (a6)
        addi    a6, a7, 48
        vl1re16.v v5, (a6)
        lh      a6, 64(a7)
        vsmul.vv v6, v18, v5
        vsmul.vv v7, v17, v5
        vmul.vv v11, v18, v4
        vmul.vv v21, v17, v4
        vmacc.vx v11, a6, v6
        vmacc.vx v21, a6, v7
        vwmacc.vv v14, v20, v25
        vwmul.vv v12, v20, v24
        vwmul.vv v6, v17, v24
        vwmul.vv v4, v16, v24
        vwmacc.vv v14, v19, v26
        vwmacc.vv v12, v19, v25
        vwmacc.vv v6, v16, v25
        vwmacc.vv v4, v21, v31
        vwmacc.vv v14, v18, v27
        vwmacc.vv v12, v18, v26
        vwmacc.vv v6, v11, v31
        vwmacc.vv v4, v11, v30
        vwmacc.vv v14, v17, v28
        vwmacc.vv v12, v17, v27
        vwmacc.vv v6, v8, v30
        vwmacc.vv v4, v8, v29
        vwmacc.vv v14, v16, v29
        vwmacc.vv v12, v16, v28
        vwmacc.vv v6, v9, v29
        vwmacc.vv v4, v9, v28
        vwmacc.vv v14, v22, v31
        vwmacc.vv v12, v10, v31
        vwmacc.vv v6, v10, v28
        vwmacc.vv v4, v10, v27
        vwmacc.vv v14, v23, v30
        vwmacc.vv v12, v22, v30
        vwmacc.vv v6, v22, v27
        vwmacc.vv v4, v22, v26
        vwmacc.vv v12, v23, v29
        vwmacc.vv v6, v23, v26
        vwmacc.vv v4, v23, v25
        vsetivli zero, 16, e32, m4, ta, ma
        li      t2, 265005045
        vadd.vx v4, v4, t2
        vmulh.vx v16, v4, t6
        vmulh.vx v20, v12, t6
        vmacc.vx v4, a6, v16
        vmacc.vx v12, a6, v20
        vmacc.vx v4, t3, v12
        phase PHASE_PERMUTE
        # X^64 + 1: transposition back
        vsetvli zero, a5, e16, m4, ta, ma
        vwaddu.vv v8, v4, v0
        vwmaccu.vx v8, t4, v0
        vwaddu.vv v16, v8, v12
        vwmaccu.vx v16, t4, v12
        phase PHASE_INVERSE
        vsetivli zero, 8, e16, m1, ta, ma
        # X^64 + 1, level 4 backwards, but for factors
        vadd.vv v16, v16, v17
        vadd.vv v18, v18, v19
        vadd.vv v20, v20, v21
        vadd.vv v22, v22, v23
        vmadd.vx v17, t0, v16
        vmadd.vx v19, t0, v18
        vmadd.vx v21, t0, v20
        vmadd.vx v23, t0, v22
        # X^64 + 1, level 3 backwards, but for factors
        vadd.vv v16, v16, v18
        vadd.vv v20, v20, v22
        vmadd.vx v18, t0, v16
        vmadd.vx v22, t0, v20
        lh      t5, 80(a7)
        li      a4, -1600
        vsmul.vx v0, v19, t5
        vsmul.vx v1, v23, t5
        vmadd.vx v19, a4, v17
        vmadd.vx v23, a4, v21
        vmacc.vx v19, a6, v0
        vmacc.vx v23, a6, v1
        vmadd.vx v17, t0, v19
        vmadd.vx v21, t0, v23
        # X^64 + 1, level 2 backwards, but for factors
        vadd.vv v16, v16, v20
        vmadd.vx v20, t0, v16
        li      a3, -394
        li      t1, -40
        lh      t2, 82(a7)
        li      t6, -749
        vsmul.vx v0, v21, a3
        vsmul.vx v1, v22, t5
        vsmul.vx v2, v23, t2
        vmadd.vx v21, t1, v17
        vmadd.vx v22, a4, v18
        vmadd.vx v23, t6, v19
        vmacc.vx v21, a6, v0
        vmacc.vx v22, a6, v1
        vmacc.vx v23, a6, v2
        vmadd.vx v17, t0, v21
        vmadd.vx v18, t0, v22
        vmadd.vx v19, t0, v23
        # X^64 + 1: the factors that were left out
        lh      t3, 68(a7)
        lh      a5, 92(a7)
        lh      t4, 94(a7)
        lh      a3, 96(a7)
        lh      t5, 70(a7)
        lh      t2, 98(a7)
        lh      t1, 72(a7)
        lh      a4, 100(a7)
        li      t6, -767
        li      a6, 1261
        li      t0, 719
        vsmul.vx v0, v16, t3
        vsmul.vx v1, v17, a5
        vsmul.vx v2, v18, t4
        vsmul.vx v3, v19, a3
        vsmul.vx v4, v20, t5
        vsmul.vx v5, v21, t2
        vsmul.vx v6, v22, t1
        vsmul.vx v7, v23, a4
        vmul.vx v16, v16, t6
        vmul.vx v17, v17, a6
        vmul.vx v18, v18, t0
        li      t3, -505
        vmul.vx v19, v19, t3
        li      a5, 1201
        vmul.vx v20, v20, a5
        li      t4, -226
        vmul.vx v21, v21, t4
        li      a3, 1434
        vmul.vx v22, v22, a3
        li      t5, -947
        vmul.vx v23, v23, t5
        lh      t2, 64(a7)
        vmacc.vx v16, t2, v0
        vmacc.vx v17, t2, v1
        vmacc.vx v18, t2, v2
        vmacc.vx v19, t2, v3
        vmacc.vx v20, t2, v4
        vmacc.vx v21, t2, v5
        vmacc.vx v22, t2, v6
        vmacc.vx v23, t2, v7
        phase PHASE_INVERSE
        # level 1 backwards
        vl8re16.v v24, (sp)
        li      t1, 64
        vsetvli zero, t1, e16, m8, ta, ma
        vadd.vv v0, v24, v16
        vsub.vv v8, v24, v16
        phase PHASE_CANONICAL
        # times -2^-16, exactly, in [0, q)
        lh      a4, 102(a7)
        li      t6, -169
        vmulh.vx v16, v0, a4
        vmulh.vx v24, v8, a4
        vmul.vx v0, v0, t6
        vmul.vx v8, v8, t6
        vmacc.vx v0, t2, v16
        vmacc.vx v8, t2, v24
        phase PHASE_STORE
        vs8r.v  v0, (a0)
        addi    a0, a0, 128
        vs8r.v  v8, (a0)
        addi    sp, sp, 128
        ret
        .size   parcrypt_product128_i16_vlen128, . - parcrypt_product128_i16_vlen128
        .option pop

        .section .rodata
        .balign 16
1:
        .half   1, -1, -1600, 1600, -749, 749, -40, 40
        .half   10, -10, -15749, 15749, -7373, 7373, -394, 394
        .half   -687, 687, 630, -630, -1432, 1432, 848, -848
        .half   -6762, 6762, 6201, -6201, -14095, 14095, 8347, -8347
        .half   -3329, 15749, -7550, 11822, 14115, -7077, 7373, 13316
        .half   -15749, -7373, 6762, -6201, 14095, -8347, 12412, 7077
        .half   -4971, -2225, -9322, -3327
        .section .note.GNU-stack, "", @progbits
