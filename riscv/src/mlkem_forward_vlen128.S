/* ML-KEM's transform (FIPS 203, algorithm 9), in place, for VLEN 128.
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * void parcrypt_mlkem_forward_vlen128(int16_t r[256]);
 *
 * Coefficients in (-q, q); results in [0, q), in the order of FIPS 203.
 *
 * VLEN 128, and no other: registers are grouped so that v8 follows v7. V extension, no other.
 * In: a0 = r.
 * Out: nothing in registers. Alignment: 4 bytes.
 * Clobbers: v0-v31, vl, vtype, vxrm (becomes rnu), a3-a7, t0-t6, a0-a2. Stack: 0 bytes.
 * No branch, no address and no mask depends on coefficients. */

#include "phases.h"

        .option push
        .option arch, +v
        .text
        .balign 4
        .globl  parcrypt_mlkem_forward_vlen128
        .type   parcrypt_mlkem_forward_vlen128, @function
parcrypt_mlkem_forward_vlen128:
        csrwi   vxrm, 0
        lla     a7, 1f
        phase PHASE_LOAD
        addi    a1, a0, 128
        addi    a2, a0, 256
        vl8re16.v v16, (a2)
        addi    a3, a0, 384
        vl8re16.v v24, (a3)
        phase PHASE_FORWARD
        # stride 128
        li      t0, 64
        vsetvli zero, t0, e16, m8, ta, ma
        lh      t1, 1536(a7)
        lh      t2, 1538(a7)
        li      t3, -1600
        vsmul.vx v0, v16, t2
        vsmul.vx v8, v24, t2
        vmul.vx v16, v16, t3
        vmul.vx v24, v24, t3
        vmacc.vx v16, t1, v0
        vmacc.vx v24, t1, v8
        phase PHASE_LOAD
        vl8re16.v v0, (a0)
        vl8re16.v v8, (a1)
        phase PHASE_FORWARD
        vadd.vv v0, v0, v16
        vadd.vv v8, v8, v24
        li      t4, -2
        vmadd.vx v16, t4, v0
        vmadd.vx v24, t4, v8
        phase PHASE_STORE
        vs8r.v  v16, (a2)
        vs8r.v  v24, (a3)
        phase PHASE_FORWARD
        # half 0, stride 64
        lh      t5, 1540(a7)
        li      t6, -749
        vsmul.vx v16, v8, t5
        vmul.vx v24, v8, t6
        vmacc.vx v24, t1, v16
        vsub.vv v8, v0, v24
        vadd.vv v0, v0, v24
        # half 0, stride 32
        li      a3, 32
        vsetvli zero, a3, e16, m4, ta, ma
        lh      a4, 1542(a7)
        li      a5, -687
        lh      a6, 1544(a7)
        li      t0, 630
        vsmul.vx v16, v4, a4
        vsmul.vx v24, v12, a6
        vmul.vx v20, v4, a5
        vmul.vx v28, v12, t0
        vmacc.vx v20, t1, v16
        vmacc.vx v28, t1, v24
        vsub.vv v4, v0, v20
        vsub.vv v12, v8, v28
        vadd.vv v0, v0, v20
        vadd.vv v8, v8, v28
        # half 0, stride 16
        vsetivli zero, 16, e16, m2, ta, ma
        lh      t2, 1546(a7)
        li      t3, 1062
        lh      t4, 1548(a7)
        li      t5, -1410
        li      t6, 1900
        li      a3, 193
        lh      a4, 1550(a7)
        li      a6, 797
        vsmul.vx v16, v2, t2
        vsmul.vx v20, v6, t4
        vsmul.vx v24, v10, t6
        vsmul.vx v28, v14, a4
        vmul.vx v18, v2, t3
        vmul.vx v22, v6, t5
        vmul.vx v26, v10, a3
        vmul.vx v30, v14, a6
        vmacc.vx v18, t1, v16
        vmacc.vx v22, t1, v20
        vmacc.vx v26, t1, v24
        vmacc.vx v30, t1, v28
        vsub.vv v2, v0, v18
        vsub.vv v6, v4, v22
        vsub.vv v10, v8, v26
        vsub.vv v14, v12, v30
        vadd.vv v0, v0, v18
        vadd.vv v4, v4, v22
        vadd.vv v8, v8, v26
        vadd.vv v12, v12, v30
        # half 0, stride 8
        vsetivli zero, 8, e16, m1, ta, ma
        lh      a5, 1552(a7)
        lh      t0, 1554(a7)
        lh      t2, 1556(a7)
        lh      t4, 1558(a7)
        lh      t6, 1560(a7)
        li      a4, 551
        lh      t3, 1562(a7)
        lh      t5, 1564(a7)
        li      a3, 296
        li      a6, -882
        li      t1, 1339
        vsmul.vx v16, v1, a5
        vsmul.vx v18, v3, t0
        vsmul.vx v20, v5, t2
        vsmul.vx v22, v7, t4
        vsmul.vx v24, v9, t6
        vsmul.vx v26, v11, a4
        vsmul.vx v28, v13, t3
        vsmul.vx v30, v15, t5
        vmul.vx v17, v1, a3
        vmul.vx v19, v3, a6
        vmul.vx v21, v5, t1
        li      a5, 1476
        vmul.vx v23, v7, a5
        li      t0, -283
        vmul.vx v25, v9, t0
        li      t2, 56
        vmul.vx v27, v11, t2
        li      t4, -1089
        vmul.vx v29, v13, t4
        li      t6, 1333
        vmul.vx v31, v15, t6
        lh      a4, 1536(a7)
        vmacc.vx v17, a4, v16
        vmacc.vx v19, a4, v18
        vmacc.vx v21, a4, v20
        vmacc.vx v23, a4, v22
        vmacc.vx v25, a4, v24
        vmacc.vx v27, a4, v26
        vmacc.vx v29, a4, v28
        vmacc.vx v31, a4, v30
        vsub.vv v1, v0, v17
        vsub.vv v3, v2, v19
        vsub.vv v5, v4, v21
        vsub.vv v7, v6, v23
        vsub.vv v9, v8, v25
        vsub.vv v11, v10, v27
        vsub.vv v13, v12, v29
        vsub.vv v15, v14, v31
        vadd.vv v0, v0, v17
        vadd.vv v2, v2, v19
        vadd.vv v4, v4, v21
        vadd.vv v6, v6, v23
        vadd.vv v8, v8, v25
        vadd.vv v10, v10, v27
        vadd.vv v12, v12, v29
        vadd.vv v14, v14, v31
        phase PHASE_PERMUTE
        # half 0: transposition of pairs
        vsetivli zero, 8, e32, m2, ta, ma
        vwaddu.vv v16, v0, v2
        vwaddu.vv v20, v4, v6
        vwaddu.vv v24, v8, v10
        vwaddu.vv v28, v12, v14
        li      t3, -1
        vwmaccu.vx v16, t3, v2
        vwmaccu.vx v20, t3, v6
        vwmaccu.vx v24, t3, v10
        vwmaccu.vx v28, t3, v14
        vwaddu.vv v0, v16, v18
        vwaddu.vv v4, v20, v22
        vwaddu.vv v8, v24, v26
        vwaddu.vv v12, v28, v30
        vwmaccu.vx v0, t3, v18
        vwmaccu.vx v4, t3, v22
        vwmaccu.vx v8, t3, v26
        vwmaccu.vx v12, t3, v30
        phase PHASE_FORWARD
        # half 0, stride 4
        vsetivli zero, 8, e16, m1, ta, ma
        addi    a6, a7, 0
        vl2re16.v v16, (a6)
        addi    a6, a7, 32
        vl2re16.v v18, (a6)
        addi    a6, a7, 64
        vl2re16.v v20, (a6)
        addi    a6, a7, 96
        vl2re16.v v22, (a6)
        vsmul.vv v24, v2, v17
        vsmul.vv v25, v3, v17
        vsmul.vv v26, v6, v19
        vsmul.vv v27, v7, v19
        vsmul.vv v28, v10, v21
        vsmul.vv v29, v11, v21
        vsmul.vv v30, v14, v23
        vsmul.vv v31, v15, v23
        vmul.vv v2, v2, v16
        vmul.vv v3, v3, v16
        vmul.vv v6, v6, v18
        vmul.vv v7, v7, v18
        vmul.vv v10, v10, v20
        vmul.vv v11, v11, v20
        vmul.vv v14, v14, v22
        vmul.vv v15, v15, v22
        vmacc.vx v2, a4, v24
        vmacc.vx v3, a4, v25
        vmacc.vx v6, a4, v26
        vmacc.vx v7, a4, v27
        vmacc.vx v10, a4, v28
        vmacc.vx v11, a4, v29
        vmacc.vx v14, a4, v30
        vmacc.vx v15, a4, v31
        vadd.vv v0, v0, v2
        vadd.vv v1, v1, v3
        vadd.vv v4, v4, v6
        vadd.vv v5, v5, v7
        vadd.vv v8, v8, v10
        vadd.vv v9, v9, v11
        vadd.vv v12, v12, v14
        vadd.vv v13, v13, v15
        li      a6, -2
        vmadd.vx v2, a6, v0
        vmadd.vx v3, a6, v1
        vmadd.vx v6, a6, v4
        vmadd.vx v7, a6, v5
        vmadd.vx v10, a6, v8
        vmadd.vx v11, a6, v9
        vmadd.vx v14, a6, v12
        vmadd.vx v15, a6, v13
        phase PHASE_FORWARD
        # half 0, stride 2
        addi    a6, a7, 512
        vl4re16.v v16, (a6)
        addi    a6, a7, 576
        vl4re16.v v20, (a6)
        vsmul.vv v18, v1, v18
        vsmul.vv v19, v3, v19
        vsmul.vv v22, v5, v22
        vsmul.vv v23, v7, v23
        vmul.vv v1, v1, v16
        vmul.vv v3, v3, v17
        vmul.vv v5, v5, v20
        vmul.vv v7, v7, v21
        vmacc.vx v1, a4, v18
        vmacc.vx v3, a4, v19
        vmacc.vx v5, a4, v22
        vmacc.vx v7, a4, v23
        vadd.vv v24, v0, v1
        vsub.vv v26, v0, v1
        vadd.vv v28, v2, v3
        vsub.vv v30, v2, v3
        vadd.vv v25, v4, v5
        vsub.vv v27, v4, v5
        vadd.vv v29, v6, v7
        vsub.vv v31, v6, v7
        phase PHASE_CANONICAL
        li      a6, 64
        vsetvli zero, a6, e16, m8, ta, ma
        li      t5, 10
        vsmul.vx v16, v24, t5
        vmacc.vx v24, a4, v16
        lh      a3, 1566(a7)
        vadd.vx v16, v24, a3
        vminu.vv v24, v24, v16
        phase PHASE_STORE
        vsetivli zero, 8, e32, m2, ta, ma
        vsseg4e32.v v24, (a0)
        phase PHASE_FORWARD
        # half 0, stride 2
        vsetivli zero, 8, e16, m1, ta, ma
        addi    a6, a7, 640
        vl4re16.v v16, (a6)
        addi    a6, a7, 704
        vl4re16.v v20, (a6)
        vsmul.vv v18, v9, v18
        vsmul.vv v19, v11, v19
        vsmul.vv v22, v13, v22
        vsmul.vv v23, v15, v23
        vmul.vv v9, v9, v16
        vmul.vv v11, v11, v17
        vmul.vv v13, v13, v20
        vmul.vv v15, v15, v21
        vmacc.vx v9, a4, v18
        vmacc.vx v11, a4, v19
        vmacc.vx v13, a4, v22
        vmacc.vx v15, a4, v23
        vadd.vv v24, v8, v9
        vsub.vv v26, v8, v9
        vadd.vv v28, v10, v11
        vsub.vv v30, v10, v11
        vadd.vv v25, v12, v13
        vsub.vv v27, v12, v13
        vadd.vv v29, v14, v15
        vsub.vv v31, v14, v15
        phase PHASE_CANONICAL
        li      a6, 64
        vsetvli zero, a6, e16, m8, ta, ma
        vsmul.vx v16, v24, t5
        vmacc.vx v24, a4, v16
        vadd.vx v16, v24, a3
        vminu.vv v24, v24, v16
        phase PHASE_STORE
        vsetivli zero, 8, e32, m2, ta, ma
        vsseg4e32.v v24, (a1)
        phase PHASE_LOAD
        vl8re16.v v0, (a2)
        addi    a0, a0, 384
        vl8re16.v v8, (a0)
        phase PHASE_FORWARD
        # half 1, stride 64
        vsetvli zero, a6, e16, m8, ta, ma
        li      t1, -394
        li      a5, -40
        vsmul.vx v16, v8, t1
        vmul.vx v24, v8, a5
        vmacc.vx v24, a4, v16
        vsub.vv v8, v0, v24
        vadd.vv v0, v0, v24
        # half 1, stride 32
        li      t0, 32
        vsetvli zero, t0, e16, m4, ta, ma
        lh      t2, 1568(a7)
        li      t4, -1432
        lh      t6, 1570(a7)
        li      t3, 848
        vsmul.vx v16, v4, t2
        vsmul.vx v24, v12, t6
        vmul.vx v20, v4, t4
        vmul.vx v28, v12, t3
        vmacc.vx v20, a4, v16
        vmacc.vx v28, a4, v24
        vsub.vv v4, v0, v20
        vsub.vv v12, v8, v28
        vadd.vv v0, v0, v20
        vadd.vv v8, v8, v28
        # half 1, stride 16
        vsetivli zero, 16, e16, m2, ta, ma
        lh      t5, 1572(a7)
        li      a3, -543
        li      a6, -679
        li      t1, -69
        lh      a5, 1574(a7)
        li      t0, 569
        lh      t2, 1576(a7)
        li      t6, -1583
        vsmul.vx v16, v2, t5
        vsmul.vx v20, v6, a6
        vsmul.vx v24, v10, a5
        vsmul.vx v28, v14, t2
        vmul.vx v18, v2, a3
        vmul.vx v22, v6, t1
        vmul.vx v26, v10, t0
        vmul.vx v30, v14, t6
        vmacc.vx v18, a4, v16
        vmacc.vx v22, a4, v20
        vmacc.vx v26, a4, v24
        vmacc.vx v30, a4, v28
        vsub.vv v2, v0, v18
        vsub.vv v6, v4, v22
        vsub.vv v10, v8, v26
        vsub.vv v14, v12, v30
        vadd.vv v0, v0, v18
        vadd.vv v4, v4, v22
        vadd.vv v8, v8, v26
        vadd.vv v12, v12, v30
        # half 1, stride 8
        vsetivli zero, 8, e16, m1, ta, ma
        lh      t4, 1578(a7)
        lh      t3, 1580(a7)
        lh      t5, 1582(a7)
        lh      a6, 1584(a7)
        lh      a5, 1586(a7)
        lh      t2, 1588(a7)
        lh      a3, 1590(a7)
        lh      t1, 1592(a7)
        li      t0, 1426
        li      t6, -1235
        li      a4, 535
        vsmul.vx v16, v1, t4
        vsmul.vx v18, v3, t3
        vsmul.vx v20, v5, t5
        vsmul.vx v22, v7, a6
        vsmul.vx v24, v9, a5
        vsmul.vx v26, v11, t2
        vsmul.vx v28, v13, a3
        vsmul.vx v30, v15, t1
        vmul.vx v17, v1, t0
        vmul.vx v19, v3, t6
        vmul.vx v21, v5, a4
        li      t4, -447
        vmul.vx v23, v7, t4
        li      t3, -936
        vmul.vx v25, v9, t3
        li      t5, -450
        vmul.vx v27, v11, t5
        li      a6, -1355
        vmul.vx v29, v13, a6
        li      a5, 821
        vmul.vx v31, v15, a5
        lh      t2, 1536(a7)
        vmacc.vx v17, t2, v16
        vmacc.vx v19, t2, v18
        vmacc.vx v21, t2, v20
        vmacc.vx v23, t2, v22
        vmacc.vx v25, t2, v24
        vmacc.vx v27, t2, v26
        vmacc.vx v29, t2, v28
        vmacc.vx v31, t2, v30
        vsub.vv v1, v0, v17
        vsub.vv v3, v2, v19
        vsub.vv v5, v4, v21
        vsub.vv v7, v6, v23
        vsub.vv v9, v8, v25
        vsub.vv v11, v10, v27
        vsub.vv v13, v12, v29
        vsub.vv v15, v14, v31
        vadd.vv v0, v0, v17
        vadd.vv v2, v2, v19
        vadd.vv v4, v4, v21
        vadd.vv v6, v6, v23
        vadd.vv v8, v8, v25
        vadd.vv v10, v10, v27
        vadd.vv v12, v12, v29
        vadd.vv v14, v14, v31
        phase PHASE_PERMUTE
        # half 1: transposition of pairs
        vsetivli zero, 8, e32, m2, ta, ma
        vwaddu.vv v16, v0, v2
        vwaddu.vv v20, v4, v6
        vwaddu.vv v24, v8, v10
        vwaddu.vv v28, v12, v14
        li      a3, -1
        vwmaccu.vx v16, a3, v2
        vwmaccu.vx v20, a3, v6
        vwmaccu.vx v24, a3, v10
        vwmaccu.vx v28, a3, v14
        vwaddu.vv v0, v16, v18
        vwaddu.vv v4, v20, v22
        vwaddu.vv v8, v24, v26
        vwaddu.vv v12, v28, v30
        vwmaccu.vx v0, a3, v18
        vwmaccu.vx v4, a3, v22
        vwmaccu.vx v8, a3, v26
        vwmaccu.vx v12, a3, v30
        phase PHASE_FORWARD
        # half 1, stride 4
        vsetivli zero, 8, e16, m1, ta, ma
        addi    a6, a7, 128
        vl2re16.v v16, (a6)
        addi    a6, a7, 160
        vl2re16.v v18, (a6)
        addi    a6, a7, 192
        vl2re16.v v20, (a6)
        addi    a6, a7, 224
        vl2re16.v v22, (a6)
        vsmul.vv v24, v2, v17
        vsmul.vv v25, v3, v17
        vsmul.vv v26, v6, v19
        vsmul.vv v27, v7, v19
        vsmul.vv v28, v10, v21
        vsmul.vv v29, v11, v21
        vsmul.vv v30, v14, v23
        vsmul.vv v31, v15, v23
        vmul.vv v2, v2, v16
        vmul.vv v3, v3, v16
        vmul.vv v6, v6, v18
        vmul.vv v7, v7, v18
        vmul.vv v10, v10, v20
        vmul.vv v11, v11, v20
        vmul.vv v14, v14, v22
        vmul.vv v15, v15, v22
        vmacc.vx v2, t2, v24
        vmacc.vx v3, t2, v25
        vmacc.vx v6, t2, v26
        vmacc.vx v7, t2, v27
        vmacc.vx v10, t2, v28
        vmacc.vx v11, t2, v29
        vmacc.vx v14, t2, v30
        vmacc.vx v15, t2, v31
        vadd.vv v0, v0, v2
        vadd.vv v1, v1, v3
        vadd.vv v4, v4, v6
        vadd.vv v5, v5, v7
        vadd.vv v8, v8, v10
        vadd.vv v9, v9, v11
        vadd.vv v12, v12, v14
        vadd.vv v13, v13, v15
        li      a6, -2
        vmadd.vx v2, a6, v0
        vmadd.vx v3, a6, v1
        vmadd.vx v6, a6, v4
        vmadd.vx v7, a6, v5
        vmadd.vx v10, a6, v8
        vmadd.vx v11, a6, v9
        vmadd.vx v14, a6, v12
        vmadd.vx v15, a6, v13
        phase PHASE_FORWARD
        # half 1, stride 2
        addi    a6, a7, 768
        vl4re16.v v16, (a6)
        addi    a6, a7, 832
        vl4re16.v v20, (a6)
        vsmul.vv v18, v1, v18
        vsmul.vv v19, v3, v19
        vsmul.vv v22, v5, v22
        vsmul.vv v23, v7, v23
        vmul.vv v1, v1, v16
        vmul.vv v3, v3, v17
        vmul.vv v5, v5, v20
        vmul.vv v7, v7, v21
        vmacc.vx v1, t2, v18
        vmacc.vx v3, t2, v19
        vmacc.vx v5, t2, v22
        vmacc.vx v7, t2, v23
        vadd.vv v24, v0, v1
        vsub.vv v26, v0, v1
        vadd.vv v28, v2, v3
        vsub.vv v30, v2, v3
        vadd.vv v25, v4, v5
        vsub.vv v27, v4, v5
        vadd.vv v29, v6, v7
        vsub.vv v31, v6, v7
        phase PHASE_CANONICAL
        li      a6, 64
        vsetvli zero, a6, e16, m8, ta, ma
        li      t1, 10
        vsmul.vx v16, v24, t1
        vmacc.vx v24, t2, v16
        lh      t0, 1566(a7)
        vadd.vx v16, v24, t0
        vminu.vv v24, v24, v16
        phase PHASE_STORE
        vsetivli zero, 8, e32, m2, ta, ma
        vsseg4e32.v v24, (a2)
        phase PHASE_FORWARD
        # half 1, stride 2
        vsetivli zero, 8, e16, m1, ta, ma
        addi    a6, a7, 896
        vl4re16.v v16, (a6)
        addi    a6, a7, 960
        vl4re16.v v20, (a6)
        vsmul.vv v18, v9, v18
        vsmul.vv v19, v11, v19
        vsmul.vv v22, v13, v22
        vsmul.vv v23, v15, v23
        vmul.vv v9, v9, v16
        vmul.vv v11, v11, v17
        vmul.vv v13, v13, v20
        vmul.vv v15, v15, v21
        vmacc.vx v9, t2, v18
        vmacc.vx v11, t2, v19
        vmacc.vx v13, t2, v22
        vmacc.vx v15, t2, v23
        vadd.vv v24, v8, v9
        vsub.vv v26, v8, v9
        vadd.vv v28, v10, v11
        vsub.vv v30, v10, v11
        vadd.vv v25, v12, v13
        vsub.vv v27, v12, v13
        vadd.vv v29, v14, v15
        vsub.vv v31, v14, v15
        phase PHASE_CANONICAL
        li      a6, 64
        vsetvli zero, a6, e16, m8, ta, ma
        vsmul.vx v16, v24, t1
        vmacc.vx v24, t2, v16
        vadd.vx v16, v24, t0
        vminu.vv v24, v24, v16
        phase PHASE_STORE
        vsetivli zero, 8, e32, m2, ta, ma
        vsseg4e32.v v24, (a0)
        ret
        .size   parcrypt_mlkem_forward_vlen128, . - parcrypt_mlkem_forward_vlen128
        .option pop

        .section .rodata
        .balign 16
1:
        .half   289, 289, 331, 331, -76, -76, -1573, -1573
        .half   2845, 2845, 3258, 3258, -748, -748, -15483, -15483
        .half   1197, 1197, -1025, -1025, -1052, -1052, -1274, -1274
        .half   11782, 11782, -10089, -10089, -10355, -10355, -12540, -12540
        .half   650, 650, -1352, -1352, -816, -816, 632, 632
        .half   6398, 6398, -13308, -13308, -8032, -8032, 6221, 6221
        .half   -464, -464, 33, 33, 1320, 1320, -1414, -1414
        .half   -4567, -4567, 325, 325, 12993, 12993, -13918, -13918
        .half   -1010, -1010, 1435, 1435, 807, 807, 452, 452
        .half   -9942, -9942, 14125, 14125, 7943, 7943, 4449, 4449
        .half   1438, 1438, -461, -461, 1534, 1534, -927, -927
        .half   14155, 14155, -4538, -4538, 15099, 15099, -9125, -9125
        .half   -682, -682, -712, -712, 1481, 1481, 648, 648
        .half   -6713, -6713, -7008, -7008, 14578, 14578, 6378, 6378
        .half   -855, -855, -219, -219, 1227, 1227, 910, 910
        .half   -8416, -8416, -2156, -2156, 12078, 12078, 8957, 8957
        .half   910, 910, 1227, 1227, -219, -219, -855, -855
        .half   8957, 8957, 12078, 12078, -2156, -2156, -8416, -8416
        .half   648, 648, 1481, 1481, -712, -712, -682, -682
        .half   6378, 6378, 14578, 14578, -7008, -7008, -6713, -6713
        .half   -927, -927, 1534, 1534, -461, -461, 1438, 1438
        .half   -9125, -9125, 15099, 15099, -4538, -4538, 14155, 14155
        .half   452, 452, 807, 807, 1435, 1435, -1010, -1010
        .half   4449, 4449, 7943, 7943, 14125, 14125, -9942, -9942
        .half   -1414, -1414, 1320, 1320, 33, 33, -464, -464
        .half   -13918, -13918, 12993, 12993, 325, 325, -4567, -4567
        .half   632, 632, -816, -816, -1352, -1352, 650, 650
        .half   6221, 6221, -8032, -8032, -13308, -13308, 6398, 6398
        .half   -1274, -1274, -1052, -1052, -1025, -1025, 1197, 1197
        .half   -12540, -12540, -10355, -10355, -10089, -10089, 11782, 11782
        .half   -1573, -1573, -76, -76, 331, 331, 289, 289
        .half   -15483, -15483, -748, -748, 3258, 3258, 2845, 2845
        .half   17, 17, 583, 583, 1637, 1637, -1041, -1041
        .half   -568, -568, -680, -680, 723, 723, 1100, 1100
        .half   167, 167, 5739, 5739, 16113, 16113, -10247, -10247
        .half   -5591, -5591, -6693, -6693, 7117, 7117, 10828, 10828
        .half   1409, 1409, -48, -48, 756, 756, -314, -314
        .half   -667, -667, 233, 233, -1173, -1173, -279, -279
        .half   13869, 13869, -472, -472, 7441, 7441, -3091, -3091
        .half   -6565, -6565, 2293, 2293, -11546, -11546, -2746, -2746
        .half   -1626, -1626, -540, -540, -1482, -1482, 1461, 1461
        .half   1651, 1651, -1540, -1540, 952, 952, -642, -642
        .half   -16005, -16005, -5315, -5315, -14588, -14588, 14381, 14381
        .half   16251, 16251, -15159, -15159, 9371, 9371, -6319, -6319
        .half   939, 939, -892, -892, 733, 733, 268, 268
        .half   -1021, -1021, -941, -941, -992, -992, 641, 641
        .half   9243, 9243, -8780, -8780, 7215, 7215, 2638, 2638
        .half   -10050, -10050, -9262, -9262, -9764, -9764, 6309, 6309
        .half   1584, 1584, -1292, -1292, 375, 375, -1239, -1239
        .half   -1031, -1031, -109, -109, -780, -780, 1645, 1645
        .half   15592, 15592, -12717, -12717, 3691, 3691, -12196, -12196
        .half   -10148, -10148, -1073, -1073, -7678, -7678, 16192, 16192
        .half   1063, 1063, -556, -556, -1230, -1230, -863, -863
        .half   319, 319, 757, 757, 561, 561, -735, -735
        .half   10463, 10463, -5473, -5473, -12107, -12107, -8495, -8495
        .half   3140, 3140, 7451, 7451, 5522, 5522, -7235, -7235
        .half   -525, -525, 403, 403, 1143, 1143, -554, -554
        .half   1092, 1092, 1026, 1026, -1179, -1179, 886, 886
        .half   -5168, -5168, 3967, 3967, 11251, 11251, -5453, -5453
        .half   10749, 10749, 10099, 10099, -11605, -11605, 8721, 8721
        .half   -1607, -1607, -1455, -1455, -1219, -1219, 885, 885
        .half   1212, 1212, 1029, 1029, -394, -394, -1175, -1175
        .half   -15818, -15818, -14322, -14322, -11999, -11999, 8711, 8711
        .half   11930, 11930, 10129, 10129, -3878, -3878, -11566, -11566
        .half   -1175, -1175, -394, -394, 1029, 1029, 1212, 1212
        .half   885, 885, -1219, -1219, -1455, -1455, -1607, -1607
        .half   -11566, -11566, -3878, -3878, 10129, 10129, 11930, 11930
        .half   8711, 8711, -11999, -11999, -14322, -14322, -15818, -15818
        .half   886, 886, -1179, -1179, 1026, 1026, 1092, 1092
        .half   -554, -554, 1143, 1143, 403, 403, -525, -525
        .half   8721, 8721, -11605, -11605, 10099, 10099, 10749, 10749
        .half   -5453, -5453, 11251, 11251, 3967, 3967, -5168, -5168
        .half   -735, -735, 561, 561, 757, 757, 319, 319
        .half   -863, -863, -1230, -1230, -556, -556, 1063, 1063
        .half   -7235, -7235, 5522, 5522, 7451, 7451, 3140, 3140
        .half   -8495, -8495, -12107, -12107, -5473, -5473, 10463, 10463
        .half   1645, 1645, -780, -780, -109, -109, -1031, -1031
        .half   -1239, -1239, 375, 375, -1292, -1292, 1584, 1584
        .half   16192, 16192, -7678, -7678, -1073, -1073, -10148, -10148
        .half   -12196, -12196, 3691, 3691, -12717, -12717, 15592, 15592
        .half   641, 641, -992, -992, -941, -941, -1021, -1021
        .half   268, 268, 733, 733, -892, -892, 939, 939
        .half   6309, 6309, -9764, -9764, -9262, -9262, -10050, -10050
        .half   2638, 2638, 7215, 7215, -8780, -8780, 9243, 9243
        .half   -642, -642, 952, 952, -1540, -1540, 1651, 1651
        .half   1461, 1461, -1482, -1482, -540, -540, -1626, -1626
        .half   -6319, -6319, 9371, 9371, -15159, -15159, 16251, 16251
        .half   14381, 14381, -14588, -14588, -5315, -5315, -16005, -16005
        .half   -279, -279, -1173, -1173, 233, 233, -667, -667
        .half   -314, -314, 756, 756, -48, -48, 1409, 1409
        .half   -2746, -2746, -11546, -11546, 2293, 2293, -6565, -6565
        .half   -3091, -3091, 7441, 7441, -472, -472, 13869, 13869
        .half   1100, 1100, 723, 723, -680, -680, -568, -568
        .half   -1041, -1041, 1637, 1637, 583, 583, 17, 17
        .half   10828, 10828, 7117, 7117, -6693, -6693, -5591, -5591
        .half   -10247, -10247, 16113, 16113, 5739, 5739, 167, 167
        .half   -3329, -15749, -7373, -6762, 6201, 10453, -13879, 7845
        .half   2914, -8682, 13180, 14529, -2786, -10719, 13121, 3329
        .half   -14095, 8347, -5345, 5601, -15582, 14036, -12156, 5266
        .half   -4400, -9213, -4429, -13338, 8081
        .section .note.GNU-stack, "", @progbits
