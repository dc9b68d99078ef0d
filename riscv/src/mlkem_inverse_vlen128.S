/* The inverse of ML-KEM's transform (FIPS 203, algorithm 10), in place, for VLEN 128.
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * void parcrypt_mlkem_inverse_vlen128(int16_t r[256]);
 *
 * Coefficients in [0, q), in the order of FIPS 203; results in [0, q).
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
        .globl  parcrypt_mlkem_inverse_vlen128
        .type   parcrypt_mlkem_inverse_vlen128, @function
parcrypt_mlkem_inverse_vlen128:
        csrwi   vxrm, 0
        lla     a7, 1f
        addi    a1, a0, 128
        addi    a2, a0, 256
        addi    a3, a0, 384
        phase PHASE_LOAD
        vsetivli zero, 8, e32, m2, ta, ma
        vlseg4e32.v v16, (a0)
        vlseg4e32.v v24, (a1)
        phase PHASE_INVERSE
        vsetivli zero, 8, e16, m1, ta, ma
        # half 0, stride 2 backwards
        addi    a6, a7, 1024
        vl4re16.v v0, (a6)
        addi    a6, a7, 1088
        vl4re16.v v4, (a6)
        vsub.vv v8, v18, v16
        vsub.vv v9, v22, v20
        vsub.vv v10, v19, v17
        vsub.vv v11, v23, v21
        vadd.vv v16, v16, v18
        vadd.vv v20, v20, v22
        vadd.vv v17, v17, v19
        vadd.vv v21, v21, v23
        lh      t0, 1536(a7)
        vsmul.vv v18, v8, v2
        vsmul.vv v22, v9, v3
        vsmul.vv v19, v10, v6
        vsmul.vv v23, v11, v7
        vmul.vv v8, v8, v0
        vmul.vv v9, v9, v1
        vmul.vv v10, v10, v4
        vmul.vv v11, v11, v5
        vmadd.vx v18, t0, v8
        vmadd.vx v22, t0, v9
        vmadd.vx v19, t0, v10
        vmadd.vx v23, t0, v11
        addi    a6, a7, 1152
        vl4re16.v v0, (a6)
        addi    a6, a7, 1216
        vl4re16.v v4, (a6)
        vsub.vv v8, v26, v24
        vsub.vv v9, v30, v28
        vsub.vv v10, v27, v25
        vsub.vv v11, v31, v29
        vadd.vv v24, v24, v26
        vadd.vv v28, v28, v30
        vadd.vv v25, v25, v27
        vadd.vv v29, v29, v31
        vsmul.vv v26, v8, v2
        vsmul.vv v30, v9, v3
        vsmul.vv v27, v10, v6
        vsmul.vv v31, v11, v7
        vmul.vv v8, v8, v0
        vmul.vv v9, v9, v1
        vmul.vv v10, v10, v4
        vmul.vv v11, v11, v5
        vmadd.vx v26, t0, v8
        vmadd.vx v30, t0, v9
        vmadd.vx v27, t0, v10
        vmadd.vx v31, t0, v11
        # half 0, stride 4 backwards
        addi    a6, a7, 256
        vl2re16.v v0, (a6)
        addi    a6, a7, 288
        vl2re16.v v2, (a6)
        addi    a6, a7, 320
        vl2re16.v v4, (a6)
        addi    a6, a7, 352
        vl2re16.v v6, (a6)
        vsub.vv v8, v20, v16
        vsub.vv v9, v22, v18
        vsub.vv v10, v21, v17
        vsub.vv v11, v23, v19
        vsub.vv v12, v28, v24
        vsub.vv v13, v30, v26
        vsub.vv v14, v29, v25
        vsub.vv v15, v31, v27
        vadd.vv v16, v16, v20
        vadd.vv v18, v18, v22
        vadd.vv v17, v17, v21
        vadd.vv v19, v19, v23
        vadd.vv v24, v24, v28
        vadd.vv v26, v26, v30
        vadd.vv v25, v25, v29
        vadd.vv v27, v27, v31
        vsmul.vv v20, v8, v1
        vsmul.vv v22, v9, v1
        vsmul.vv v21, v10, v3
        vsmul.vv v23, v11, v3
        vsmul.vv v28, v12, v5
        vsmul.vv v30, v13, v5
        vsmul.vv v29, v14, v7
        vsmul.vv v31, v15, v7
        vmul.vv v8, v8, v0
        vmul.vv v9, v9, v0
        vmul.vv v10, v10, v2
        vmul.vv v11, v11, v2
        vmul.vv v12, v12, v4
        vmul.vv v13, v13, v4
        vmul.vv v14, v14, v6
        vmul.vv v15, v15, v6
        vmadd.vx v20, t0, v8
        vmadd.vx v22, t0, v9
        vmadd.vx v21, t0, v10
        vmadd.vx v23, t0, v11
        vmadd.vx v28, t0, v12
        vmadd.vx v30, t0, v13
        vmadd.vx v29, t0, v14
        vmadd.vx v31, t0, v15
        # reduce what is sums in both levels
        vsetivli zero, 16, e16, m2, ta, ma
        li      t1, 10
        vsmul.vx v0, v16, t1
        vsmul.vx v2, v24, t1
        vmacc.vx v16, t0, v0
        vmacc.vx v24, t0, v2
        phase PHASE_PERMUTE
        # half 0: transposition of pairs
        vsetivli zero, 4, e32, m1, ta, ma
        vwaddu.vv v0, v16, v20
        vwaddu.vv v2, v18, v22
        vwaddu.vv v4, v17, v21
        vwaddu.vv v6, v19, v23
        vwaddu.vv v8, v24, v28
        vwaddu.vv v10, v26, v30
        vwaddu.vv v12, v25, v29
        vwaddu.vv v14, v27, v31
        li      t2, -1
        vwmaccu.vx v0, t2, v20
        vwmaccu.vx v2, t2, v22
        vwmaccu.vx v4, t2, v21
        vwmaccu.vx v6, t2, v23
        vwmaccu.vx v8, t2, v28
        vwmaccu.vx v10, t2, v30
        vwmaccu.vx v12, t2, v29
        vwmaccu.vx v14, t2, v31
        vsetivli zero, 8, e32, m2, ta, ma
        vwaddu.vv v16, v0, v2
        vwaddu.vv v20, v4, v6
        vwaddu.vv v24, v8, v10
        vwaddu.vv v28, v12, v14
        vwmaccu.vx v16, t2, v2
        vwmaccu.vx v20, t2, v6
        vwmaccu.vx v24, t2, v10
        vwmaccu.vx v28, t2, v14
        phase PHASE_INVERSE
        # half 0, stride 8 backwards
        vsetivli zero, 8, e16, m1, ta, ma
        vsub.vv v0, v17, v16
        vsub.vv v1, v19, v18
        vsub.vv v2, v21, v20
        vsub.vv v3, v23, v22
        vsub.vv v4, v25, v24
        vsub.vv v5, v27, v26
        vsub.vv v6, v29, v28
        vsub.vv v7, v31, v30
        vadd.vv v16, v16, v17
        vadd.vv v18, v18, v19
        vadd.vv v20, v20, v21
        vadd.vv v22, v22, v23
        vadd.vv v24, v24, v25
        vadd.vv v26, v26, v27
        vadd.vv v28, v28, v29
        vadd.vv v30, v30, v31
        lh      t3, 1538(a7)
        lh      t4, 1540(a7)
        lh      t5, 1542(a7)
        lh      t6, 1544(a7)
        lh      a4, 1546(a7)
        lh      a5, 1548(a7)
        lh      a6, 1550(a7)
        lh      t1, 1552(a7)
        li      t0, 821
        li      t2, -1355
        vsmul.vx v17, v0, t3
        vsmul.vx v19, v1, t4
        vsmul.vx v21, v2, t5
        vsmul.vx v23, v3, t6
        vsmul.vx v25, v4, a4
        vsmul.vx v27, v5, a5
        vsmul.vx v29, v6, a6
        vsmul.vx v31, v7, t1
        vmul.vx v0, v0, t0
        vmul.vx v1, v1, t2
        li      t3, -450
        vmul.vx v2, v2, t3
        li      t4, -936
        vmul.vx v3, v3, t4
        li      t5, -447
        vmul.vx v4, v4, t5
        li      t6, 535
        vmul.vx v5, v5, t6
        li      a4, -1235
        vmul.vx v6, v6, a4
        li      a5, 1426
        vmul.vx v7, v7, a5
        lh      a6, 1536(a7)
        vmadd.vx v17, a6, v0
        vmadd.vx v19, a6, v1
        vmadd.vx v21, a6, v2
        vmadd.vx v23, a6, v3
        vmadd.vx v25, a6, v4
        vmadd.vx v27, a6, v5
        vmadd.vx v29, a6, v6
        vmadd.vx v31, a6, v7
        # half 0, stride 16 backwards
        vsetivli zero, 16, e16, m2, ta, ma
        vsub.vv v0, v18, v16
        vsub.vv v2, v22, v20
        vsub.vv v4, v26, v24
        vsub.vv v6, v30, v28
        vadd.vv v16, v16, v18
        vadd.vv v20, v20, v22
        vadd.vv v24, v24, v26
        vadd.vv v28, v28, v30
        lh      t1, 1554(a7)
        li      t0, -1583
        lh      t2, 1556(a7)
        li      t3, 569
        li      t4, -679
        li      t5, -69
        lh      t6, 1558(a7)
        li      a4, -543
        vsmul.vx v18, v0, t1
        vsmul.vx v22, v2, t2
        vsmul.vx v26, v4, t4
        vsmul.vx v30, v6, t6
        vmul.vx v0, v0, t0
        vmul.vx v2, v2, t3
        vmul.vx v4, v4, t5
        vmul.vx v6, v6, a4
        vmadd.vx v18, a6, v0
        vmadd.vx v22, a6, v2
        vmadd.vx v26, a6, v4
        vmadd.vx v30, a6, v6
        # half 0, stride 32 backwards
        li      a5, 32
        vsetvli zero, a5, e16, m4, ta, ma
        vsub.vv v0, v20, v16
        vsub.vv v4, v28, v24
        vadd.vv v16, v16, v20
        vadd.vv v24, v24, v28
        lh      t1, 1560(a7)
        li      t2, 848
        lh      t4, 1562(a7)
        li      t6, -1432
        vsmul.vx v20, v0, t1
        vsmul.vx v28, v4, t4
        vmul.vx v0, v0, t2
        vmul.vx v4, v4, t6
        vmadd.vx v20, a6, v0
        vmadd.vx v28, a6, v4
        # half 0, stride 64 backwards
        # reduce one of the two that are sums in four levels
        vsetivli zero, 8, e16, m1, ta, ma
        li      t0, 10
        vsmul.vx v0, v24, t0
        vmacc.vx v24, a6, v0
        li      t3, 64
        vsetvli zero, t3, e16, m8, ta, ma
        vsub.vv v0, v24, v16
        vadd.vv v16, v16, v24
        li      t5, -394
        li      a4, -40
        vsmul.vx v24, v0, t5
        vmul.vx v0, v0, a4
        vmadd.vx v24, a6, v0
        phase PHASE_STORE
        vs8r.v  v16, (a0)
        vs8r.v  v24, (a1)
        phase PHASE_LOAD
        vsetivli zero, 8, e32, m2, ta, ma
        vlseg4e32.v v16, (a2)
        vlseg4e32.v v24, (a3)
        phase PHASE_INVERSE
        vsetivli zero, 8, e16, m1, ta, ma
        # half 1, stride 2 backwards
        addi    a6, a7, 1280
        vl4re16.v v0, (a6)
        addi    a6, a7, 1344
        vl4re16.v v4, (a6)
        vsub.vv v8, v18, v16
        vsub.vv v9, v22, v20
        vsub.vv v10, v19, v17
        vsub.vv v11, v23, v21
        vadd.vv v16, v16, v18
        vadd.vv v20, v20, v22
        vadd.vv v17, v17, v19
        vadd.vv v21, v21, v23
        lh      a6, 1536(a7)
        vsmul.vv v18, v8, v2
        vsmul.vv v22, v9, v3
        vsmul.vv v19, v10, v6
        vsmul.vv v23, v11, v7
        vmul.vv v8, v8, v0
        vmul.vv v9, v9, v1
        vmul.vv v10, v10, v4
        vmul.vv v11, v11, v5
        vmadd.vx v18, a6, v8
        vmadd.vx v22, a6, v9
        vmadd.vx v19, a6, v10
        vmadd.vx v23, a6, v11
        addi    a6, a7, 1408
        vl4re16.v v0, (a6)
        addi    a6, a7, 1472
        vl4re16.v v4, (a6)
        vsub.vv v8, v26, v24
        vsub.vv v9, v30, v28
        vsub.vv v10, v27, v25
        vsub.vv v11, v31, v29
        vadd.vv v24, v24, v26
        vadd.vv v28, v28, v30
        vadd.vv v25, v25, v27
        vadd.vv v29, v29, v31
        lh      a6, 1536(a7)
        vsmul.vv v26, v8, v2
        vsmul.vv v30, v9, v3
        vsmul.vv v27, v10, v6
        vsmul.vv v31, v11, v7
        vmul.vv v8, v8, v0
        vmul.vv v9, v9, v1
        vmul.vv v10, v10, v4
        vmul.vv v11, v11, v5
        vmadd.vx v26, a6, v8
        vmadd.vx v30, a6, v9
        vmadd.vx v27, a6, v10
        vmadd.vx v31, a6, v11
        # half 1, stride 4 backwards
        addi    a6, a7, 384
        vl2re16.v v0, (a6)
        addi    a6, a7, 416
        vl2re16.v v2, (a6)
        addi    a6, a7, 448
        vl2re16.v v4, (a6)
        addi    a6, a7, 480
        vl2re16.v v6, (a6)
        vsub.vv v8, v20, v16
        vsub.vv v9, v22, v18
        vsub.vv v10, v21, v17
        vsub.vv v11, v23, v19
        vsub.vv v12, v28, v24
        vsub.vv v13, v30, v26
        vsub.vv v14, v29, v25
        vsub.vv v15, v31, v27
        vadd.vv v16, v16, v20
        vadd.vv v18, v18, v22
        vadd.vv v17, v17, v21
        vadd.vv v19, v19, v23
        vadd.vv v24, v24, v28
        vadd.vv v26, v26, v30
        vadd.vv v25, v25, v29
        vadd.vv v27, v27, v31
        lh      a6, 1536(a7)
        vsmul.vv v20, v8, v1
        vsmul.vv v22, v9, v1
        vsmul.vv v21, v10, v3
        vsmul.vv v23, v11, v3
        vsmul.vv v28, v12, v5
        vsmul.vv v30, v13, v5
        vsmul.vv v29, v14, v7
        vsmul.vv v31, v15, v7
        vmul.vv v8, v8, v0
        vmul.vv v9, v9, v0
        vmul.vv v10, v10, v2
        vmul.vv v11, v11, v2
        vmul.vv v12, v12, v4
        vmul.vv v13, v13, v4
        vmul.vv v14, v14, v6
        vmul.vv v15, v15, v6
        vmadd.vx v20, a6, v8
        vmadd.vx v22, a6, v9
        vmadd.vx v21, a6, v10
        vmadd.vx v23, a6, v11
        vmadd.vx v28, a6, v12
        vmadd.vx v30, a6, v13
        vmadd.vx v29, a6, v14
        vmadd.vx v31, a6, v15
        # reduce what is sums in both levels
        vsetivli zero, 16, e16, m2, ta, ma
        vsmul.vx v0, v16, t0
        vsmul.vx v2, v24, t0
        vmacc.vx v16, a6, v0
        vmacc.vx v24, a6, v2
        phase PHASE_PERMUTE
        # half 1: transposition of pairs
        vsetivli zero, 4, e32, m1, ta, ma
        vwaddu.vv v0, v16, v20
        vwaddu.vv v2, v18, v22
        vwaddu.vv v4, v17, v21
        vwaddu.vv v6, v19, v23
        vwaddu.vv v8, v24, v28
        vwaddu.vv v10, v26, v30
        vwaddu.vv v12, v25, v29
        vwaddu.vv v14, v27, v31
        li      a5, -1
        vwmaccu.vx v0, a5, v20
        vwmaccu.vx v2, a5, v22
        vwmaccu.vx v4, a5, v21
        vwmaccu.vx v6, a5, v23
        vwmaccu.vx v8, a5, v28
        vwmaccu.vx v10, a5, v30
        vwmaccu.vx v12, a5, v29
        vwmaccu.vx v14, a5, v31
        vsetivli zero, 8, e32, m2, ta, ma
        vwaddu.vv v16, v0, v2
        vwaddu.vv v20, v4, v6
        vwaddu.vv v24, v8, v10
        vwaddu.vv v28, v12, v14
        vwmaccu.vx v16, a5, v2
        vwmaccu.vx v20, a5, v6
        vwmaccu.vx v24, a5, v10
        vwmaccu.vx v28, a5, v14
        phase PHASE_INVERSE
        # half 1, stride 8 backwards
        vsetivli zero, 8, e16, m1, ta, ma
        vsub.vv v0, v17, v16
        vsub.vv v1, v19, v18
        vsub.vv v2, v21, v20
        vsub.vv v3, v23, v22
        vsub.vv v4, v25, v24
        vsub.vv v5, v27, v26
        vsub.vv v6, v29, v28
        vsub.vv v7, v31, v30
        vadd.vv v16, v16, v17
        vadd.vv v18, v18, v19
        vadd.vv v20, v20, v21
        vadd.vv v22, v22, v23
        vadd.vv v24, v24, v25
        vadd.vv v26, v26, v27
        vadd.vv v28, v28, v29
        vadd.vv v30, v30, v31
        lh      t1, 1564(a7)
        lh      t4, 1566(a7)
        li      t2, 551
        lh      t6, 1568(a7)
        lh      t3, 1570(a7)
        lh      t5, 1572(a7)
        lh      a4, 1574(a7)
        lh      t0, 1576(a7)
        li      a6, 1333
        li      a5, -1089
        vsmul.vx v17, v0, t1
        vsmul.vx v19, v1, t4
        vsmul.vx v21, v2, t2
        vsmul.vx v23, v3, t6
        vsmul.vx v25, v4, t3
        vsmul.vx v27, v5, t5
        vsmul.vx v29, v6, a4
        vsmul.vx v31, v7, t0
        vmul.vx v0, v0, a6
        vmul.vx v1, v1, a5
        li      t1, 56
        vmul.vx v2, v2, t1
        li      t4, -283
        vmul.vx v3, v3, t4
        li      t2, 1476
        vmul.vx v4, v4, t2
        li      t6, 1339
        vmul.vx v5, v5, t6
        li      t3, -882
        vmul.vx v6, v6, t3
        li      t5, 296
        vmul.vx v7, v7, t5
        lh      a4, 1536(a7)
        vmadd.vx v17, a4, v0
        vmadd.vx v19, a4, v1
        vmadd.vx v21, a4, v2
        vmadd.vx v23, a4, v3
        vmadd.vx v25, a4, v4
        vmadd.vx v27, a4, v5
        vmadd.vx v29, a4, v6
        vmadd.vx v31, a4, v7
        # half 1, stride 16 backwards
        vsetivli zero, 16, e16, m2, ta, ma
        vsub.vv v0, v18, v16
        vsub.vv v2, v22, v20
        vsub.vv v4, v26, v24
        vsub.vv v6, v30, v28
        vadd.vv v16, v16, v18
        vadd.vv v20, v20, v22
        vadd.vv v24, v24, v26
        vadd.vv v28, v28, v30
        lh      t0, 1578(a7)
        li      a6, 797
        li      a5, 1900
        li      t1, 193
        lh      t4, 1580(a7)
        li      t2, -1410
        lh      t6, 1582(a7)
        li      t3, 1062
        vsmul.vx v18, v0, t0
        vsmul.vx v22, v2, a5
        vsmul.vx v26, v4, t4
        vsmul.vx v30, v6, t6
        vmul.vx v0, v0, a6
        vmul.vx v2, v2, t1
        vmul.vx v4, v4, t2
        vmul.vx v6, v6, t3
        vmadd.vx v18, a4, v0
        vmadd.vx v22, a4, v2
        vmadd.vx v26, a4, v4
        vmadd.vx v30, a4, v6
        # half 1, stride 32 backwards
        li      t5, 32
        vsetvli zero, t5, e16, m4, ta, ma
        vsub.vv v0, v20, v16
        vsub.vv v4, v28, v24
        vadd.vv v16, v16, v20
        vadd.vv v24, v24, v28
        lh      t0, 1584(a7)
        li      a5, 630
        lh      t4, 1586(a7)
        li      t6, -687
        vsmul.vx v20, v0, t0
        vsmul.vx v28, v4, t4
        vmul.vx v0, v0, a5
        vmul.vx v4, v4, t6
        vmadd.vx v20, a4, v0
        vmadd.vx v28, a4, v4
        # half 1, stride 64 backwards
        # reduce one of the two that are sums in four levels
        vsetivli zero, 8, e16, m1, ta, ma
        li      a6, 10
        vsmul.vx v0, v24, a6
        vmacc.vx v24, a4, v0
        li      t1, 64
        vsetvli zero, t1, e16, m8, ta, ma
        vsub.vv v0, v24, v16
        vadd.vv v16, v16, v24
        lh      t2, 1588(a7)
        li      t3, -749
        vsmul.vx v24, v0, t2
        vmul.vx v0, v0, t3
        vmadd.vx v24, a4, v0
        # reduce what is sums in all levels
        vsetivli zero, 8, e16, m1, ta, ma
        vsmul.vx v0, v16, a6
        vmacc.vx v16, a4, v0
        # stride 128 backwards, and the factor 1/128
        vsetvli zero, t1, e16, m8, ta, ma
        phase PHASE_LOAD
        vl8re16.v v0, (a0)
        phase PHASE_INVERSE
        vsub.vv v8, v16, v0
        vadd.vv v0, v0, v16
        phase PHASE_CANONICAL
        li      t5, -256
        li      t0, -26
        vsmul.vx v16, v0, t5
        vmul.vx v0, v0, t0
        vmacc.vx v0, a4, v16
        lh      t4, 1590(a7)
        vadd.vx v16, v0, t4
        vminu.vv v0, v0, v16
        lh      a5, 1592(a7)
        li      t6, 1652
        vsmul.vx v16, v8, a5
        vmul.vx v8, v8, t6
        vmacc.vx v8, a4, v16
        vadd.vx v16, v8, t4
        vminu.vv v8, v8, v16
        phase PHASE_STORE
        vs8r.v  v0, (a0)
        vs8r.v  v8, (a2)
        phase PHASE_LOAD
        vl8re16.v v0, (a1)
        phase PHASE_INVERSE
        vsub.vv v8, v24, v0
        vadd.vv v0, v0, v24
        phase PHASE_CANONICAL
        vsmul.vx v24, v0, t5
        vmul.vx v0, v0, t0
        vmacc.vx v0, a4, v24
        vadd.vx v24, v0, t4
        vminu.vv v0, v0, v24
        vsmul.vx v24, v8, a5
        vmul.vx v8, v8, t6
        vmacc.vx v8, a4, v24
        vadd.vx v24, v8, t4
        vminu.vv v8, v8, v24
        phase PHASE_STORE
        vs8r.v  v0, (a1)
        vs8r.v  v8, (a3)
        ret
        .size   parcrypt_mlkem_inverse_vlen128, . - parcrypt_mlkem_inverse_vlen128
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
        .half   -3329, 8081, -13338, -4429, -9213, -4400, 5266, -12156
        .half   14036, -15582, 5601, -5345, 8347, -14095, 13121, -10719
        .half   -2786, 14529, 13180, -8682, 2914, 7845, -13879, 10453
        .half   6201, -6762, -7373, 3329, 16261
        .section .note.GNU-stack, "", @progbits
