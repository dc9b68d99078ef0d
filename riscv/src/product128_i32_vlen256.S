/* The product in Z_3329[X] / (X^128 - 1) of int32_t arrays, for VLEN 256.
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * void parcrypt_product128_i32_vlen256(int32_t r[128], const int32_t a[128], const int32_t b[128]);
 *
 * Coefficients in [0, q) on both sides. r may be a or b: it is written when both have been read.
 *
 * VLEN 256, and no other: registers are grouped so that v8 follows v7. V extension, no other.
 * In: a0 = r, a1 = a, a2 = b.
 * Out: nothing in registers. Alignment: that of the elements.
 * Clobbers: v0-v31, vl, vtype, vxrm (becomes rnu), a3-a7, t0-t6, a0. Stack: 0 bytes.
 * No branch, no address and no mask depends on coefficients. */

#include "phases.h"

        .option push
        .option arch, +v
        .text
        .balign 4
        .globl  parcrypt_product128_i32_vlen256
        .type   parcrypt_product128_i32_vlen256, @function
parcrypt_product128_i32_vlen256:
        csrwi   vxrm, 0
        lla     a7, 1f
        phase PHASE_LOAD
        vl8re32.v v0, (a1)
        addi    a6, a1, 256
        vl8re32.v v8, (a6)
        li      t0, 64
        vsetvli zero, t0, e16, m4, ta, ma
        vnsrl.wi v16, v0, 0
        vnsrl.wi v20, v8, 0
        vl8re32.v v0, (a2)
        addi    a6, a2, 256
        vl8re32.v v8, (a6)
        vnsrl.wi v24, v0, 0
        vnsrl.wi v28, v8, 0
        phase PHASE_FORWARD
        # X^128 - 1, level 1: X^128 - w^(2t) splits into X^64 -+ w^t
        lh      t1, 864(a7)
        vadd.vv v16, v16, v20
        vadd.vv v24, v24, v28
        li      t2, -2
        vmadd.vx v20, t2, v16
        vmadd.vx v28, t2, v24
        # X^128 - 1, level 2: X^64 - w^(2t) splits into X^32 -+ w^t
        li      t3, 32
        vsetvli zero, t3, e16, m2, ta, ma
        vadd.vv v16, v16, v18
        vadd.vv v24, v24, v26
        vmadd.vx v18, t2, v16
        vmadd.vx v26, t2, v24
        lh      t4, 866(a7)
        li      t5, 1600
        vsmul.vx v0, v22, t4
        vsmul.vx v2, v30, t4
        vmadd.vx v22, t5, v20
        vmadd.vx v30, t5, v28
        vmacc.vx v22, t1, v0
        vmacc.vx v30, t1, v2
        vmadd.vx v20, t2, v22
        vmadd.vx v28, t2, v30
        # X^128 - 1, level 3: X^32 - w^(2t) splits into X^16 -+ w^t
        vsetivli zero, 16, e16, m1, ta, ma
        vadd.vv v16, v16, v17
        vadd.vv v24, v24, v25
        vmadd.vx v17, t2, v16
        vmadd.vx v25, t2, v24
        lh      t6, 868(a7)
        li      a3, 749
        li      a4, 394
        li      a5, 40
        vsmul.vx v0, v19, t4
        vsmul.vx v1, v21, t6
        vsmul.vx v2, v23, a4
        vsmul.vx v3, v27, t4
        vsmul.vx v4, v29, t6
        vsmul.vx v5, v31, a4
        vmadd.vx v19, t5, v18
        vmadd.vx v21, a3, v20
        vmadd.vx v23, a5, v22
        vmadd.vx v27, t5, v26
        vmadd.vx v29, a3, v28
        vmadd.vx v31, a5, v30
        vmacc.vx v19, t1, v0
        vmacc.vx v21, t1, v1
        vmacc.vx v23, t1, v2
        vmacc.vx v27, t1, v3
        vmacc.vx v29, t1, v4
        vmacc.vx v31, t1, v5
        vmadd.vx v18, t2, v19
        vmadd.vx v20, t2, v21
        vmadd.vx v22, t2, v23
        vmadd.vx v26, t2, v27
        vmadd.vx v28, t2, v29
        vmadd.vx v30, t2, v31
        # reduce sums of four and eight inputs
        vsetvli zero, t3, e16, m2, ta, ma
        li      a6, 10
        vsmul.vx v0, v16, a6
        vsmul.vx v2, v24, a6
        vmacc.vx v16, t1, v0
        vmacc.vx v24, t1, v2
        phase PHASE_PERMUTE
        vsetvli zero, t0, e16, m4, ta, ma
        vwaddu.vv v0, v16, v20
        vwaddu.vv v8, v24, v28
        li      t4, -1
        vwmaccu.vx v0, t4, v20
        vwmaccu.vx v8, t4, v28
        phase PHASE_FORWARD
        # level 4: X^16 - w^(2t) splits into X^8 -+ w^t, which the zip has put into two registers
        addi    a6, a7, 64
        vl8re16.v v16, (a6)
        vsetivli zero, 16, e16, m1, ta, ma
        vsmul.vv v24, v1, v20
        vsmul.vv v25, v3, v21
        vsmul.vv v26, v5, v22
        vsmul.vv v27, v7, v23
        vsmul.vv v28, v9, v20
        vsmul.vv v29, v11, v21
        vsmul.vv v30, v13, v22
        vsmul.vv v31, v15, v23
        vmul.vv v1, v1, v16
        vmul.vv v3, v3, v17
        vmul.vv v5, v5, v18
        vmul.vv v7, v7, v19
        vmul.vv v9, v9, v16
        vmul.vv v11, v11, v17
        vmul.vv v13, v13, v18
        vmul.vv v15, v15, v19
        vmadd.vx v24, t1, v1
        vmadd.vx v25, t1, v3
        vmadd.vx v26, t1, v5
        vmadd.vx v27, t1, v7
        vmadd.vx v28, t1, v9
        vmadd.vx v29, t1, v11
        vmadd.vx v30, t1, v13
        vmadd.vx v31, t1, v15
        vsub.vv v1, v0, v24
        vsub.vv v3, v2, v25
        vsub.vv v5, v4, v26
        vsub.vv v7, v6, v27
        vsub.vv v9, v8, v28
        vsub.vv v11, v10, v29
        vsub.vv v13, v12, v30
        vsub.vv v15, v14, v31
        vadd.vv v0, v0, v24
        vadd.vv v2, v2, v25
        vadd.vv v4, v4, v26
        vadd.vv v6, v6, v27
        vadd.vv v8, v8, v28
        vadd.vv v10, v10, v29
        vadd.vv v12, v12, v30
        vadd.vv v14, v14, v31
        phase PHASE_PERMUTE
        vsetvli zero, t0, e16, m4, ta, ma
        vwaddu.vv v16, v0, v4
        vwaddu.vv v24, v8, v12
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
        vsetivli zero, 16, e16, m1, ta, ma
        # X^128 - 1, modulo X^8 - w: c_2, c_3, c_6, c_7
        addi    a6, a7, 0
        vl1re16.v v13, (a6)
        addi    a6, a7, 32
        vl1re16.v v14, (a6)
        vsmul.vv v11, v19, v14
        vsmul.vv v12, v20, v14
        vsmul.vv v15, v21, v14
        vmul.vv v8, v19, v13
        vmul.vv v9, v20, v13
        vmul.vv v10, v21, v13
        vmacc.vx v8, t1, v11
        vmacc.vx v9, t1, v12
        vmacc.vx v10, t1, v15
        vwmul.vv v6, v23, v24
        vwmul.vv v4, v22, v24
        vwmacc.vv v6, v22, v25
        vsmul.vv v11, v23, v14
        vsmul.vv v12, v22, v14
        vmul.vv v23, v23, v13
        vmul.vv v22, v22, v13
        vmacc.vx v23, t1, v11
        vmacc.vx v22, t1, v12
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
        vsetvli zero, t3, e32, m4, ta, ma
        li      a6, 525402754
        vadd.vx v0, v0, a6
        li      t6, 1290167
        vmulh.vx v12, v0, t6
        vmacc.vx v0, t1, v12
        vmulh.vx v12, v4, t6
        vmacc.vx v4, t1, v12
        li      a4, 65536
        vmacc.vx v0, a4, v4
        # X^128 - 1, modulo X^8 - w: c_0, c_1, c_4, c_5
        vsetivli zero, 16, e16, m1, ta, ma
        vwmul.vv v14, v21, v24
        addi    a6, a7, 0
        vl1re16.v v4, (a6)
        addi    a6, a7, 32
        vl1re16.v v5, (a6)
        vsmul.vv v6, v18, v5
        vsmul.vv v7, v17, v5
        vmul.vv v11, v18, v4
        vmul.vv v21, v17, v4
        vmacc.vx v11, t1, v6
        vmacc.vx v21, t1, v7
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
        vsetvli zero, t3, e32, m4, ta, ma
        li      a6, 351958525
        vadd.vx v4, v4, a6
        vmulh.vx v16, v4, t6
        vmulh.vx v20, v12, t6
        vmacc.vx v4, t1, v16
        vmacc.vx v12, t1, v20
        vmacc.vx v4, a4, v12
        phase PHASE_PERMUTE
        vsetvli zero, t0, e16, m4, ta, ma
        vwaddu.vv v8, v4, v0
        vwmaccu.vx v8, t4, v0
        vwaddu.vv v16, v8, v12
        vwmaccu.vx v16, t4, v12
        phase PHASE_INVERSE
        vsetivli zero, 16, e16, m1, ta, ma
        addi    a6, a7, 832
        vl1re16.v v8, (a6)
        # level 4 backwards, in halves of four registers
        addi    a6, a7, 320
        vl8re16.v v0, (a6)
        vslidedown.vi v12, v16, 8
        vslidedown.vi v13, v17, 8
        vslidedown.vi v14, v18, 8
        vslidedown.vi v15, v19, 8
        vslideup.vi v12, v16, 8
        vslideup.vi v13, v17, 8
        vslideup.vi v14, v18, 8
        vslideup.vi v15, v19, 8
        vmacc.vv v12, v8, v16
        vmacc.vv v13, v8, v17
        vmacc.vv v14, v8, v18
        vmacc.vv v15, v8, v19
        vsmul.vv v16, v12, v4
        vsmul.vv v17, v13, v5
        vsmul.vv v18, v14, v6
        vsmul.vv v19, v15, v7
        vmul.vv v12, v12, v0
        vmul.vv v13, v13, v1
        vmul.vv v14, v14, v2
        vmul.vv v15, v15, v3
        vmadd.vx v16, t1, v12
        vmadd.vx v17, t1, v13
        vmadd.vx v18, t1, v14
        vmadd.vx v19, t1, v15
        # level 4 backwards, in halves of four registers
        addi    a6, a7, 576
        vl8re16.v v0, (a6)
        vslidedown.vi v12, v20, 8
        vslidedown.vi v13, v21, 8
        vslidedown.vi v14, v22, 8
        vslidedown.vi v15, v23, 8
        vslideup.vi v12, v20, 8
        vslideup.vi v13, v21, 8
        vslideup.vi v14, v22, 8
        vslideup.vi v15, v23, 8
        vmacc.vv v12, v8, v20
        vmacc.vv v13, v8, v21
        vmacc.vv v14, v8, v22
        vmacc.vv v15, v8, v23
        vsmul.vv v20, v12, v4
        vsmul.vv v21, v13, v5
        vsmul.vv v22, v14, v6
        vsmul.vv v23, v15, v7
        vmul.vv v12, v12, v0
        vmul.vv v13, v13, v1
        vmul.vv v14, v14, v2
        vmul.vv v15, v15, v3
        vmadd.vx v20, t1, v12
        vmadd.vx v21, t1, v13
        vmadd.vx v22, t1, v14
        vmadd.vx v23, t1, v15
        # X^128 - 1, level 3 backwards
        vadd.vv v16, v16, v17
        vmadd.vx v17, t2, v16
        vsub.vv v0, v19, v18
        vsub.vv v2, v21, v20
        vsub.vv v4, v23, v22
        vadd.vv v18, v18, v19
        vadd.vv v20, v20, v21
        vadd.vv v22, v22, v23
        lh      a6, 870(a7)
        li      t5, -1600
        li      a3, -394
        li      a5, -40
        lh      t3, 872(a7)
        li      t6, -749
        vsmul.vx v1, v0, a6
        vsmul.vx v3, v2, a3
        vsmul.vx v5, v4, t3
        vmul.vx v19, v0, t5
        vmul.vx v21, v2, a5
        vmul.vx v23, v4, t6
        vmacc.vx v19, t1, v1
        vmacc.vx v21, t1, v3
        vmacc.vx v23, t1, v5
        # X^128 - 1, level 2 backwards
        li      a4, 32
        vsetvli zero, a4, e16, m2, ta, ma
        vadd.vv v16, v16, v18
        vmadd.vx v18, t2, v16
        vsub.vv v0, v22, v20
        vadd.vv v20, v20, v22
        vsmul.vx v2, v0, a6
        vmul.vx v22, v0, t5
        vmacc.vx v22, t1, v2
        # X^128 - 1, level 1 backwards
        vsetvli zero, t0, e16, m4, ta, ma
        vadd.vv v16, v16, v20
        vmadd.vx v20, t2, v16
        phase PHASE_CANONICAL
        # times 1/16, in [0, q)
        li      t4, 128
        vsetvli zero, t4, e16, m8, ta, ma
        li      a3, -2047
        li      t3, -208
        vsmul.vx v0, v16, a3
        vmul.vx v16, v16, t3
        vmacc.vx v16, t1, v0
        lh      a5, 874(a7)
        vadd.vx v0, v16, a5
        vminu.vv v16, v16, v0
        phase PHASE_STORE
        vsetvli zero, t0, e16, m4, ta, ma
        vwaddu.vx v0, v16, zero
        vs8r.v  v0, (a0)
        addi    a0, a0, 256
        vwaddu.vx v8, v20, zero
        vs8r.v  v8, (a0)
        ret
        .size   parcrypt_product128_i32_vlen256, . - parcrypt_product128_i32_vlen256
        .option pop

        .section .rodata
        .balign 16
1:
        .half   1, -1, -1600, 1600, -749, 749, -40, 40
        .half   -687, 687, 630, -630, -1432, 1432, 848, -848
        .half   10, -10, -15749, 15749, -7373, 7373, -394, 394
        .half   -6762, 6762, 6201, -6201, -14095, 14095, 8347, -8347
        .half   1, -687, 1, -687, 1, -687, 1, -687
        .half   1, -687, 1, -687, 1, -687, 1, -687
        .half   -1600, 630, -1600, 630, -1600, 630, -1600, 630
        .half   -1600, 630, -1600, 630, -1600, 630, -1600, 630
        .half   -749, -1432, -749, -1432, -749, -1432, -749, -1432
        .half   -749, -1432, -749, -1432, -749, -1432, -749, -1432
        .half   -40, 848, -40, 848, -40, 848, -40, 848
        .half   -40, 848, -40, 848, -40, 848, -40, 848
        .half   10, -6762, 10, -6762, 10, -6762, 10, -6762
        .half   10, -6762, 10, -6762, 10, -6762, 10, -6762
        .half   -15749, 6201, -15749, 6201, -15749, 6201, -15749, 6201
        .half   -15749, 6201, -15749, 6201, -15749, 6201, -15749, 6201
        .half   -7373, -14095, -7373, -14095, -7373, -14095, -7373, -14095
        .half   -7373, -14095, -7373, -14095, -7373, -14095, -7373, -14095
        .half   -394, 8347, -394, 8347, -394, 8347, -394, 8347
        .half   -394, 8347, -394, 8347, -394, 8347, -394, 8347
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   1600, 1600, 1600, 1600, 1600, 1600, 1600, 1600
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   40, 40, 40, 40, 40, 40, 40, 40
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   749, 749, 749, 749, 749, 749, 749, 749
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   15749, 15749, 15749, 15749, 15749, 15749, 15749, 15749
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   394, 394, 394, 394, 394, 394, 394, 394
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   7373, 7373, 7373, 7373, 7373, 7373, 7373, 7373
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   -848, -848, -848, -848, -848, -848, -848, -848
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   1432, 1432, 1432, 1432, 1432, 1432, 1432, 1432
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   -630, -630, -630, -630, -630, -630, -630, -630
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   687, 687, 687, 687, 687, 687, 687, 687
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   -8347, -8347, -8347, -8347, -8347, -8347, -8347, -8347
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   14095, 14095, 14095, 14095, 14095, 14095, 14095, 14095
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   -6201, -6201, -6201, -6201, -6201, -6201, -6201, -6201
        .half   10, 10, 10, 10, 10, 10, 10, 10
        .half   6762, 6762, 6762, 6762, 6762, 6762, 6762, 6762
        .half   1, 1, 1, 1, 1, 1, 1, 1
        .half   -1, -1, -1, -1, -1, -1, -1, -1
        .half   -3329, 15749, 7373, -15749, -7373, 3329
        .section .note.GNU-stack, "", @progbits
