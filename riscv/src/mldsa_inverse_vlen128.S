/* The inverse of ML-DSA's transform (FIPS 204, algorithm 42), in place, for VLEN 128.
 *
 * Written by gen/generate.py: change that, not this. Bounds of all intermediates: make bounds.
 *
 * void parcrypt_mldsa_inverse_vlen128(int32_t r[256]);
 *
 * Coefficients in [0, q), in the order of FIPS 204; results in [0, q).
 *
 * VLEN 128, and no other: registers are grouped so that v8 follows v7. V extension, no other.
 * In: a0 = r.
 * Out: nothing in registers. Alignment: 4 bytes.
 * Clobbers: v0-v31, vl, vtype, vxrm (becomes rnu), a3-a7, t0-t6, a1, a2. Stack: 1024 bytes.
 * No branch, no address and no mask depends on coefficients. */

#include "phases.h"

        .option push
        .option arch, +v
        .text
        .balign 4
        .globl  parcrypt_mldsa_inverse_vlen128
        .type   parcrypt_mldsa_inverse_vlen128, @function
parcrypt_mldsa_inverse_vlen128:
        addi    sp, sp, -1024
        csrwi   vxrm, 0
        lla     a7, 1f
        phase PHASE_LOAD
        # row 0: coefficients 0 to 63
        vsetivli zero, 4, e32, m1, ta, ma
        addi    a1, a0, 0
        li      t0, 64
        vlsseg4e32.v v0, (a1), t0
        addi    a2, a0, 16
        vlsseg4e32.v v4, (a2), t0
        addi    a1, a0, 32
        vlsseg4e32.v v8, (a1), t0
        addi    a2, a0, 48
        vlsseg4e32.v v12, (a2), t0
        phase PHASE_INVERSE
        # stride 1 backwards
        vadd.vv v0, v0, v1
        vadd.vv v2, v2, v3
        vadd.vv v4, v4, v5
        vadd.vv v6, v6, v7
        vadd.vv v8, v8, v9
        vadd.vv v10, v10, v11
        vadd.vv v12, v12, v13
        vadd.vv v14, v14, v15
        li      t1, -2
        vmadd.vx v1, t1, v0
        vmadd.vx v3, t1, v2
        vmadd.vx v5, t1, v4
        vmadd.vx v7, t1, v6
        vmadd.vx v9, t1, v8
        vmadd.vx v11, t1, v10
        vmadd.vx v13, t1, v12
        vmadd.vx v15, t1, v14
        lw      t2, 0(a7)
        # stride 2 backwards
        vadd.vv v0, v0, v2
        vadd.vv v4, v4, v6
        vadd.vv v8, v8, v10
        vadd.vv v12, v12, v14
        vmadd.vx v2, t1, v0
        vmadd.vx v6, t1, v4
        vmadd.vx v10, t1, v8
        vmadd.vx v14, t1, v12
        lw      t3, 100(a7)
        lw      t4, 8(a7)
        vsmul.vx v16, v3, t3
        vsmul.vx v17, v7, t3
        vsmul.vx v18, v11, t3
        vsmul.vx v19, v15, t3
        vmadd.vx v3, t4, v1
        vmadd.vx v7, t4, v5
        vmadd.vx v11, t4, v9
        vmadd.vx v15, t4, v13
        vmacc.vx v3, t2, v16
        vmacc.vx v7, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v15, t2, v19
        vmadd.vx v1, t1, v3
        vmadd.vx v5, t1, v7
        vmadd.vx v9, t1, v11
        vmadd.vx v13, t1, v15
        # stride 4 backwards
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        vmadd.vx v4, t1, v0
        vmadd.vx v12, t1, v8
        lw      t5, 104(a7)
        lw      t6, 12(a7)
        vsmul.vx v16, v5, t5
        vsmul.vx v17, v13, t5
        vsmul.vx v18, v6, t3
        vsmul.vx v19, v14, t3
        vmadd.vx v5, t6, v1
        vmadd.vx v13, t6, v9
        vmadd.vx v6, t4, v2
        vmadd.vx v14, t4, v10
        vmacc.vx v5, t2, v16
        vmacc.vx v13, t2, v17
        vmacc.vx v6, t2, v18
        vmacc.vx v14, t2, v19
        vmadd.vx v1, t1, v5
        vmadd.vx v9, t1, v13
        vmadd.vx v2, t1, v6
        vmadd.vx v10, t1, v14
        lw      a3, 108(a7)
        lw      a4, 16(a7)
        vsmul.vx v16, v7, a3
        vsmul.vx v17, v15, a3
        vmadd.vx v7, a4, v3
        vmadd.vx v15, a4, v11
        vmacc.vx v7, t2, v16
        vmacc.vx v15, t2, v17
        vmadd.vx v3, t1, v7
        vmadd.vx v11, t1, v15
        # stride 8 backwards
        vadd.vv v0, v0, v8
        vmadd.vx v8, t1, v0
        lw      a5, 112(a7)
        lw      a6, 20(a7)
        lw      t0, 116(a7)
        lw      t3, 24(a7)
        lw      t4, 100(a7)
        lw      a3, 8(a7)
        vsmul.vx v16, v9, a5
        vsmul.vx v17, v10, t5
        vsmul.vx v18, v11, t0
        vsmul.vx v19, v12, t4
        vmadd.vx v9, a6, v1
        vmadd.vx v10, t6, v2
        vmadd.vx v11, t3, v3
        vmadd.vx v12, a3, v4
        vmacc.vx v9, t2, v16
        vmacc.vx v10, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v12, t2, v19
        vmadd.vx v1, t1, v9
        vmadd.vx v2, t1, v10
        vmadd.vx v3, t1, v11
        vmadd.vx v4, t1, v12
        lw      a4, 120(a7)
        lw      a5, 28(a7)
        lw      t5, 108(a7)
        lw      t0, 16(a7)
        lw      t4, 124(a7)
        lw      a6, 32(a7)
        vsmul.vx v16, v13, a4
        vsmul.vx v17, v14, t5
        vsmul.vx v18, v15, t4
        vmadd.vx v13, a5, v5
        vmadd.vx v14, t0, v6
        vmadd.vx v15, a6, v7
        vmacc.vx v13, t2, v16
        vmacc.vx v14, t2, v17
        vmacc.vx v15, t2, v18
        vmadd.vx v5, t1, v13
        vmadd.vx v6, t1, v14
        vmadd.vx v7, t1, v15
        # row 0: scales
        li      t6, 256
        vsmul.vx v31, v0, t6
        vmacc.vx v0, t2, v31
        addi    a6, a7, 192
        vl8re32.v v16, (a6)
        vsmul.vv v20, v1, v20
        vsmul.vv v21, v2, v21
        vsmul.vv v22, v3, v22
        vsmul.vv v23, v4, v23
        vmul.vv v1, v1, v16
        vmul.vv v2, v2, v17
        vmul.vv v3, v3, v18
        vmul.vv v4, v4, v19
        vmacc.vx v1, t2, v20
        vmacc.vx v2, t2, v21
        vmacc.vx v3, t2, v22
        vmacc.vx v4, t2, v23
        addi    a6, a7, 320
        vl8re32.v v24, (a6)
        vsmul.vv v28, v5, v28
        vsmul.vv v29, v6, v29
        vsmul.vv v30, v7, v30
        vsmul.vv v31, v8, v31
        vmul.vv v5, v5, v24
        vmul.vv v6, v6, v25
        vmul.vv v7, v7, v26
        vmul.vv v8, v8, v27
        vmacc.vx v5, t2, v28
        vmacc.vx v6, t2, v29
        vmacc.vx v7, t2, v30
        vmacc.vx v8, t2, v31
        addi    a6, a7, 448
        vl8re32.v v16, (a6)
        vsmul.vv v20, v9, v20
        vsmul.vv v21, v10, v21
        vsmul.vv v22, v11, v22
        vsmul.vv v23, v12, v23
        vmul.vv v9, v9, v16
        vmul.vv v10, v10, v17
        vmul.vv v11, v11, v18
        vmul.vv v12, v12, v19
        vmacc.vx v9, t2, v20
        vmacc.vx v10, t2, v21
        vmacc.vx v11, t2, v22
        vmacc.vx v12, t2, v23
        addi    a6, a7, 576
        vl4re32.v v24, (a6)
        addi    a6, a6, 64
        vl2re32.v v28, (a6)
        vsmul.vv v27, v13, v27
        vsmul.vv v28, v14, v28
        vsmul.vv v29, v15, v29
        vmul.vv v13, v13, v24
        vmul.vv v14, v14, v25
        vmul.vv v15, v15, v26
        vmacc.vx v13, t2, v27
        vmacc.vx v14, t2, v28
        vmacc.vx v15, t2, v29
        phase PHASE_STORE
        addi    a1, sp, 0
        vs8r.v  v0, (a1)
        addi    a1, sp, 128
        vs8r.v  v8, (a1)
        phase PHASE_LOAD
        # row 1: coefficients 64 to 127
        addi    a1, a0, 256
        li      a6, 64
        vlsseg4e32.v v0, (a1), a6
        addi    a2, a0, 272
        vlsseg4e32.v v4, (a2), a6
        addi    a1, a0, 288
        vlsseg4e32.v v8, (a1), a6
        addi    a2, a0, 304
        vlsseg4e32.v v12, (a2), a6
        phase PHASE_INVERSE
        # stride 1 backwards
        vadd.vv v0, v0, v1
        vadd.vv v2, v2, v3
        vadd.vv v4, v4, v5
        vadd.vv v6, v6, v7
        vadd.vv v8, v8, v9
        vadd.vv v10, v10, v11
        vadd.vv v12, v12, v13
        vadd.vv v14, v14, v15
        vmadd.vx v1, t1, v0
        vmadd.vx v3, t1, v2
        vmadd.vx v5, t1, v4
        vmadd.vx v7, t1, v6
        vmadd.vx v9, t1, v8
        vmadd.vx v11, t1, v10
        vmadd.vx v13, t1, v12
        vmadd.vx v15, t1, v14
        # stride 2 backwards
        vadd.vv v0, v0, v2
        vadd.vv v4, v4, v6
        vadd.vv v8, v8, v10
        vadd.vv v12, v12, v14
        vmadd.vx v2, t1, v0
        vmadd.vx v6, t1, v4
        vmadd.vx v10, t1, v8
        vmadd.vx v14, t1, v12
        lw      t3, 100(a7)
        vsmul.vx v16, v3, t3
        vsmul.vx v17, v7, t3
        vsmul.vx v18, v11, t3
        vsmul.vx v19, v15, t3
        vmadd.vx v3, a3, v1
        vmadd.vx v7, a3, v5
        vmadd.vx v11, a3, v9
        vmadd.vx v15, a3, v13
        vmacc.vx v3, t2, v16
        vmacc.vx v7, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v15, t2, v19
        vmadd.vx v1, t1, v3
        vmadd.vx v5, t1, v7
        vmadd.vx v9, t1, v11
        vmadd.vx v13, t1, v15
        # stride 4 backwards
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        vmadd.vx v4, t1, v0
        vmadd.vx v12, t1, v8
        lw      a4, 104(a7)
        lw      t5, 12(a7)
        vsmul.vx v16, v5, a4
        vsmul.vx v17, v13, a4
        vsmul.vx v18, v6, t3
        vsmul.vx v19, v14, t3
        vmadd.vx v5, t5, v1
        vmadd.vx v13, t5, v9
        vmadd.vx v6, a3, v2
        vmadd.vx v14, a3, v10
        vmacc.vx v5, t2, v16
        vmacc.vx v13, t2, v17
        vmacc.vx v6, t2, v18
        vmacc.vx v14, t2, v19
        vmadd.vx v1, t1, v5
        vmadd.vx v9, t1, v13
        vmadd.vx v2, t1, v6
        vmadd.vx v10, t1, v14
        lw      t4, 108(a7)
        vsmul.vx v16, v7, t4
        vsmul.vx v17, v15, t4
        vmadd.vx v7, t0, v3
        vmadd.vx v15, t0, v11
        vmacc.vx v7, t2, v16
        vmacc.vx v15, t2, v17
        vmadd.vx v3, t1, v7
        vmadd.vx v11, t1, v15
        # stride 8 backwards
        vadd.vv v0, v0, v8
        vmadd.vx v8, t1, v0
        lw      a5, 112(a7)
        lw      t6, 20(a7)
        lw      a6, 116(a7)
        lw      t3, 24(a7)
        lw      a3, 100(a7)
        lw      t4, 8(a7)
        vsmul.vx v16, v9, a5
        vsmul.vx v17, v10, a4
        vsmul.vx v18, v11, a6
        vsmul.vx v19, v12, a3
        vmadd.vx v9, t6, v1
        vmadd.vx v10, t5, v2
        vmadd.vx v11, t3, v3
        vmadd.vx v12, t4, v4
        vmacc.vx v9, t2, v16
        vmacc.vx v10, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v12, t2, v19
        vmadd.vx v1, t1, v9
        vmadd.vx v2, t1, v10
        vmadd.vx v3, t1, v11
        vmadd.vx v4, t1, v12
        lw      t0, 120(a7)
        lw      a5, 28(a7)
        lw      a4, 108(a7)
        lw      a6, 16(a7)
        lw      a3, 124(a7)
        lw      t6, 32(a7)
        vsmul.vx v16, v13, t0
        vsmul.vx v17, v14, a4
        vsmul.vx v18, v15, a3
        vmadd.vx v13, a5, v5
        vmadd.vx v14, a6, v6
        vmadd.vx v15, t6, v7
        vmacc.vx v13, t2, v16
        vmacc.vx v14, t2, v17
        vmacc.vx v15, t2, v18
        vmadd.vx v5, t1, v13
        vmadd.vx v6, t1, v14
        vmadd.vx v7, t1, v15
        # row 1: scales
        li      t5, 256
        vsmul.vx v31, v0, t5
        vmacc.vx v0, t2, v31
        addi    a6, a7, 672
        vl8re32.v v16, (a6)
        vsmul.vv v20, v1, v20
        vsmul.vv v21, v2, v21
        vsmul.vv v22, v3, v22
        vsmul.vv v23, v4, v23
        vmul.vv v1, v1, v16
        vmul.vv v2, v2, v17
        vmul.vv v3, v3, v18
        vmul.vv v4, v4, v19
        vmacc.vx v1, t2, v20
        vmacc.vx v2, t2, v21
        vmacc.vx v3, t2, v22
        vmacc.vx v4, t2, v23
        addi    a6, a7, 800
        vl8re32.v v24, (a6)
        vsmul.vv v28, v5, v28
        vsmul.vv v29, v6, v29
        vsmul.vv v30, v7, v30
        vsmul.vv v31, v8, v31
        vmul.vv v5, v5, v24
        vmul.vv v6, v6, v25
        vmul.vv v7, v7, v26
        vmul.vv v8, v8, v27
        vmacc.vx v5, t2, v28
        vmacc.vx v6, t2, v29
        vmacc.vx v7, t2, v30
        vmacc.vx v8, t2, v31
        addi    a6, a7, 928
        vl8re32.v v16, (a6)
        vsmul.vv v20, v9, v20
        vsmul.vv v21, v10, v21
        vsmul.vv v22, v11, v22
        vsmul.vv v23, v12, v23
        vmul.vv v9, v9, v16
        vmul.vv v10, v10, v17
        vmul.vv v11, v11, v18
        vmul.vv v12, v12, v19
        vmacc.vx v9, t2, v20
        vmacc.vx v10, t2, v21
        vmacc.vx v11, t2, v22
        vmacc.vx v12, t2, v23
        addi    a6, a7, 1056
        vl4re32.v v24, (a6)
        addi    a6, a6, 64
        vl2re32.v v28, (a6)
        vsmul.vv v27, v13, v27
        vsmul.vv v28, v14, v28
        vsmul.vv v29, v15, v29
        vmul.vv v13, v13, v24
        vmul.vv v14, v14, v25
        vmul.vv v15, v15, v26
        vmacc.vx v13, t2, v27
        vmacc.vx v14, t2, v28
        vmacc.vx v15, t2, v29
        phase PHASE_STORE
        addi    a1, sp, 256
        vs8r.v  v0, (a1)
        addi    a1, sp, 384
        vs8r.v  v8, (a1)
        phase PHASE_LOAD
        # row 2: coefficients 128 to 191
        addi    a1, a0, 512
        li      a6, 64
        vlsseg4e32.v v0, (a1), a6
        addi    a2, a0, 528
        vlsseg4e32.v v4, (a2), a6
        addi    a1, a0, 544
        vlsseg4e32.v v8, (a1), a6
        addi    a2, a0, 560
        vlsseg4e32.v v12, (a2), a6
        phase PHASE_INVERSE
        # stride 1 backwards
        vadd.vv v0, v0, v1
        vadd.vv v2, v2, v3
        vadd.vv v4, v4, v5
        vadd.vv v6, v6, v7
        vadd.vv v8, v8, v9
        vadd.vv v10, v10, v11
        vadd.vv v12, v12, v13
        vadd.vv v14, v14, v15
        vmadd.vx v1, t1, v0
        vmadd.vx v3, t1, v2
        vmadd.vx v5, t1, v4
        vmadd.vx v7, t1, v6
        vmadd.vx v9, t1, v8
        vmadd.vx v11, t1, v10
        vmadd.vx v13, t1, v12
        vmadd.vx v15, t1, v14
        # stride 2 backwards
        vadd.vv v0, v0, v2
        vadd.vv v4, v4, v6
        vadd.vv v8, v8, v10
        vadd.vv v12, v12, v14
        vmadd.vx v2, t1, v0
        vmadd.vx v6, t1, v4
        vmadd.vx v10, t1, v8
        vmadd.vx v14, t1, v12
        lw      t3, 100(a7)
        vsmul.vx v16, v3, t3
        vsmul.vx v17, v7, t3
        vsmul.vx v18, v11, t3
        vsmul.vx v19, v15, t3
        vmadd.vx v3, t4, v1
        vmadd.vx v7, t4, v5
        vmadd.vx v11, t4, v9
        vmadd.vx v15, t4, v13
        vmacc.vx v3, t2, v16
        vmacc.vx v7, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v15, t2, v19
        vmadd.vx v1, t1, v3
        vmadd.vx v5, t1, v7
        vmadd.vx v9, t1, v11
        vmadd.vx v13, t1, v15
        # stride 4 backwards
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        vmadd.vx v4, t1, v0
        vmadd.vx v12, t1, v8
        lw      t0, 104(a7)
        lw      a4, 12(a7)
        vsmul.vx v16, v5, t0
        vsmul.vx v17, v13, t0
        vsmul.vx v18, v6, t3
        vsmul.vx v19, v14, t3
        vmadd.vx v5, a4, v1
        vmadd.vx v13, a4, v9
        vmadd.vx v6, t4, v2
        vmadd.vx v14, t4, v10
        vmacc.vx v5, t2, v16
        vmacc.vx v13, t2, v17
        vmacc.vx v6, t2, v18
        vmacc.vx v14, t2, v19
        vmadd.vx v1, t1, v5
        vmadd.vx v9, t1, v13
        vmadd.vx v2, t1, v6
        vmadd.vx v10, t1, v14
        lw      a3, 108(a7)
        lw      a5, 16(a7)
        vsmul.vx v16, v7, a3
        vsmul.vx v17, v15, a3
        vmadd.vx v7, a5, v3
        vmadd.vx v15, a5, v11
        vmacc.vx v7, t2, v16
        vmacc.vx v15, t2, v17
        vmadd.vx v3, t1, v7
        vmadd.vx v11, t1, v15
        # stride 8 backwards
        vadd.vv v0, v0, v8
        vmadd.vx v8, t1, v0
        lw      t6, 112(a7)
        lw      t5, 20(a7)
        lw      a6, 116(a7)
        lw      t3, 24(a7)
        lw      t4, 100(a7)
        lw      a3, 8(a7)
        vsmul.vx v16, v9, t6
        vsmul.vx v17, v10, t0
        vsmul.vx v18, v11, a6
        vsmul.vx v19, v12, t4
        vmadd.vx v9, t5, v1
        vmadd.vx v10, a4, v2
        vmadd.vx v11, t3, v3
        vmadd.vx v12, a3, v4
        vmacc.vx v9, t2, v16
        vmacc.vx v10, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v12, t2, v19
        vmadd.vx v1, t1, v9
        vmadd.vx v2, t1, v10
        vmadd.vx v3, t1, v11
        vmadd.vx v4, t1, v12
        lw      a5, 120(a7)
        lw      t6, 28(a7)
        lw      t0, 108(a7)
        lw      a6, 16(a7)
        lw      t4, 124(a7)
        lw      t5, 32(a7)
        vsmul.vx v16, v13, a5
        vsmul.vx v17, v14, t0
        vsmul.vx v18, v15, t4
        vmadd.vx v13, t6, v5
        vmadd.vx v14, a6, v6
        vmadd.vx v15, t5, v7
        vmacc.vx v13, t2, v16
        vmacc.vx v14, t2, v17
        vmacc.vx v15, t2, v18
        vmadd.vx v5, t1, v13
        vmadd.vx v6, t1, v14
        vmadd.vx v7, t1, v15
        # row 2: scales
        li      a4, 256
        vsmul.vx v31, v0, a4
        vmacc.vx v0, t2, v31
        addi    a6, a7, 1152
        vl8re32.v v16, (a6)
        vsmul.vv v20, v1, v20
        vsmul.vv v21, v2, v21
        vsmul.vv v22, v3, v22
        vsmul.vv v23, v4, v23
        vmul.vv v1, v1, v16
        vmul.vv v2, v2, v17
        vmul.vv v3, v3, v18
        vmul.vv v4, v4, v19
        vmacc.vx v1, t2, v20
        vmacc.vx v2, t2, v21
        vmacc.vx v3, t2, v22
        vmacc.vx v4, t2, v23
        addi    a6, a7, 1280
        vl8re32.v v24, (a6)
        vsmul.vv v28, v5, v28
        vsmul.vv v29, v6, v29
        vsmul.vv v30, v7, v30
        vsmul.vv v31, v8, v31
        vmul.vv v5, v5, v24
        vmul.vv v6, v6, v25
        vmul.vv v7, v7, v26
        vmul.vv v8, v8, v27
        vmacc.vx v5, t2, v28
        vmacc.vx v6, t2, v29
        vmacc.vx v7, t2, v30
        vmacc.vx v8, t2, v31
        addi    a6, a7, 1408
        vl8re32.v v16, (a6)
        vsmul.vv v20, v9, v20
        vsmul.vv v21, v10, v21
        vsmul.vv v22, v11, v22
        vsmul.vv v23, v12, v23
        vmul.vv v9, v9, v16
        vmul.vv v10, v10, v17
        vmul.vv v11, v11, v18
        vmul.vv v12, v12, v19
        vmacc.vx v9, t2, v20
        vmacc.vx v10, t2, v21
        vmacc.vx v11, t2, v22
        vmacc.vx v12, t2, v23
        addi    a6, a7, 1536
        vl4re32.v v24, (a6)
        addi    a6, a6, 64
        vl2re32.v v28, (a6)
        vsmul.vv v27, v13, v27
        vsmul.vv v28, v14, v28
        vsmul.vv v29, v15, v29
        vmul.vv v13, v13, v24
        vmul.vv v14, v14, v25
        vmul.vv v15, v15, v26
        vmacc.vx v13, t2, v27
        vmacc.vx v14, t2, v28
        vmacc.vx v15, t2, v29
        phase PHASE_STORE
        addi    a1, sp, 512
        vs8r.v  v0, (a1)
        addi    a1, sp, 640
        vs8r.v  v8, (a1)
        phase PHASE_LOAD
        # row 3: coefficients 192 to 255
        addi    a1, a0, 768
        li      a6, 64
        vlsseg4e32.v v0, (a1), a6
        addi    a2, a0, 784
        vlsseg4e32.v v4, (a2), a6
        addi    a1, a0, 800
        vlsseg4e32.v v8, (a1), a6
        addi    a2, a0, 816
        vlsseg4e32.v v12, (a2), a6
        phase PHASE_INVERSE
        # stride 1 backwards
        vadd.vv v0, v0, v1
        vadd.vv v2, v2, v3
        vadd.vv v4, v4, v5
        vadd.vv v6, v6, v7
        vadd.vv v8, v8, v9
        vadd.vv v10, v10, v11
        vadd.vv v12, v12, v13
        vadd.vv v14, v14, v15
        vmadd.vx v1, t1, v0
        vmadd.vx v3, t1, v2
        vmadd.vx v5, t1, v4
        vmadd.vx v7, t1, v6
        vmadd.vx v9, t1, v8
        vmadd.vx v11, t1, v10
        vmadd.vx v13, t1, v12
        vmadd.vx v15, t1, v14
        # stride 2 backwards
        vadd.vv v0, v0, v2
        vadd.vv v4, v4, v6
        vadd.vv v8, v8, v10
        vadd.vv v12, v12, v14
        vmadd.vx v2, t1, v0
        vmadd.vx v6, t1, v4
        vmadd.vx v10, t1, v8
        vmadd.vx v14, t1, v12
        lw      t3, 100(a7)
        vsmul.vx v16, v3, t3
        vsmul.vx v17, v7, t3
        vsmul.vx v18, v11, t3
        vsmul.vx v19, v15, t3
        vmadd.vx v3, a3, v1
        vmadd.vx v7, a3, v5
        vmadd.vx v11, a3, v9
        vmadd.vx v15, a3, v13
        vmacc.vx v3, t2, v16
        vmacc.vx v7, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v15, t2, v19
        vmadd.vx v1, t1, v3
        vmadd.vx v5, t1, v7
        vmadd.vx v9, t1, v11
        vmadd.vx v13, t1, v15
        # stride 4 backwards
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        vmadd.vx v4, t1, v0
        vmadd.vx v12, t1, v8
        lw      a5, 104(a7)
        lw      t0, 12(a7)
        vsmul.vx v16, v5, a5
        vsmul.vx v17, v13, a5
        vsmul.vx v18, v6, t3
        vsmul.vx v19, v14, t3
        vmadd.vx v5, t0, v1
        vmadd.vx v13, t0, v9
        vmadd.vx v6, a3, v2
        vmadd.vx v14, a3, v10
        vmacc.vx v5, t2, v16
        vmacc.vx v13, t2, v17
        vmacc.vx v6, t2, v18
        vmacc.vx v14, t2, v19
        vmadd.vx v1, t1, v5
        vmadd.vx v9, t1, v13
        vmadd.vx v2, t1, v6
        vmadd.vx v10, t1, v14
        lw      t4, 108(a7)
        lw      t6, 16(a7)
        vsmul.vx v16, v7, t4
        vsmul.vx v17, v15, t4
        vmadd.vx v7, t6, v3
        vmadd.vx v15, t6, v11
        vmacc.vx v7, t2, v16
        vmacc.vx v15, t2, v17
        vmadd.vx v3, t1, v7
        vmadd.vx v11, t1, v15
        # stride 8 backwards
        vadd.vv v0, v0, v8
        vmadd.vx v8, t1, v0
        lw      t5, 112(a7)
        lw      a4, 20(a7)
        lw      a6, 116(a7)
        lw      t3, 24(a7)
        lw      a3, 100(a7)
        lw      t4, 8(a7)
        vsmul.vx v16, v9, t5
        vsmul.vx v17, v10, a5
        vsmul.vx v18, v11, a6
        vsmul.vx v19, v12, a3
        vmadd.vx v9, a4, v1
        vmadd.vx v10, t0, v2
        vmadd.vx v11, t3, v3
        vmadd.vx v12, t4, v4
        vmacc.vx v9, t2, v16
        vmacc.vx v10, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v12, t2, v19
        vmadd.vx v1, t1, v9
        vmadd.vx v2, t1, v10
        vmadd.vx v3, t1, v11
        vmadd.vx v4, t1, v12
        lw      t6, 120(a7)
        lw      t5, 28(a7)
        lw      a5, 108(a7)
        lw      a6, 16(a7)
        lw      a3, 124(a7)
        lw      a4, 32(a7)
        vsmul.vx v16, v13, t6
        vsmul.vx v17, v14, a5
        vsmul.vx v18, v15, a3
        vmadd.vx v13, t5, v5
        vmadd.vx v14, a6, v6
        vmadd.vx v15, a4, v7
        vmacc.vx v13, t2, v16
        vmacc.vx v14, t2, v17
        vmacc.vx v15, t2, v18
        vmadd.vx v5, t1, v13
        vmadd.vx v6, t1, v14
        vmadd.vx v7, t1, v15
        # row 3: scales
        li      t0, 256
        vsmul.vx v31, v0, t0
        vmacc.vx v0, t2, v31
        addi    a6, a7, 1632
        vl8re32.v v16, (a6)
        vsmul.vv v20, v1, v20
        vsmul.vv v21, v2, v21
        vsmul.vv v22, v3, v22
        vsmul.vv v23, v4, v23
        vmul.vv v1, v1, v16
        vmul.vv v2, v2, v17
        vmul.vv v3, v3, v18
        vmul.vv v4, v4, v19
        vmacc.vx v1, t2, v20
        vmacc.vx v2, t2, v21
        vmacc.vx v3, t2, v22
        vmacc.vx v4, t2, v23
        addi    a6, a7, 1760
        vl8re32.v v24, (a6)
        vsmul.vv v28, v5, v28
        vsmul.vv v29, v6, v29
        vsmul.vv v30, v7, v30
        vsmul.vv v31, v8, v31
        vmul.vv v5, v5, v24
        vmul.vv v6, v6, v25
        vmul.vv v7, v7, v26
        vmul.vv v8, v8, v27
        vmacc.vx v5, t2, v28
        vmacc.vx v6, t2, v29
        vmacc.vx v7, t2, v30
        vmacc.vx v8, t2, v31
        addi    a6, a7, 1888
        vl8re32.v v16, (a6)
        vsmul.vv v20, v9, v20
        vsmul.vv v21, v10, v21
        vsmul.vv v22, v11, v22
        vsmul.vv v23, v12, v23
        vmul.vv v9, v9, v16
        vmul.vv v10, v10, v17
        vmul.vv v11, v11, v18
        vmul.vv v12, v12, v19
        vmacc.vx v9, t2, v20
        vmacc.vx v10, t2, v21
        vmacc.vx v11, t2, v22
        vmacc.vx v12, t2, v23
        addi    a6, a7, 2016
        vl4re32.v v24, (a6)
        addi    a6, a6, 64
        vl2re32.v v28, (a6)
        vsmul.vv v27, v13, v27
        vsmul.vv v28, v14, v28
        vsmul.vv v29, v15, v29
        vmul.vv v13, v13, v24
        vmul.vv v14, v14, v25
        vmul.vv v15, v15, v26
        vmacc.vx v13, t2, v27
        vmacc.vx v14, t2, v28
        vmacc.vx v15, t2, v29
        phase PHASE_STORE
        addi    a1, sp, 768
        vs8r.v  v0, (a1)
        addi    a1, sp, 896
        vs8r.v  v8, (a1)
        phase PHASE_LOAD
        # column 0: coefficients 0 to 3 of each block of 16
        addi    a1, sp, 0
        vlseg4e32.v v0, (a1)
        addi    a2, sp, 256
        vlseg4e32.v v4, (a2)
        addi    a1, sp, 512
        vlseg4e32.v v8, (a1)
        addi    a2, sp, 768
        vlseg4e32.v v12, (a2)
        phase PHASE_INVERSE
        # stride 16 backwards
        vadd.vv v0, v0, v1
        vadd.vv v2, v2, v3
        vadd.vv v4, v4, v5
        vadd.vv v6, v6, v7
        vadd.vv v8, v8, v9
        vadd.vv v10, v10, v11
        vadd.vv v12, v12, v13
        vadd.vv v14, v14, v15
        vmadd.vx v1, t1, v0
        vmadd.vx v3, t1, v2
        vmadd.vx v5, t1, v4
        vmadd.vx v7, t1, v6
        vmadd.vx v9, t1, v8
        vmadd.vx v11, t1, v10
        vmadd.vx v13, t1, v12
        vmadd.vx v15, t1, v14
        # stride 32 backwards
        vadd.vv v0, v0, v2
        vadd.vv v4, v4, v6
        vadd.vv v8, v8, v10
        vadd.vv v12, v12, v14
        vmadd.vx v2, t1, v0
        vmadd.vx v6, t1, v4
        vmadd.vx v10, t1, v8
        vmadd.vx v14, t1, v12
        lw      a6, 100(a7)
        vsmul.vx v16, v3, a6
        vsmul.vx v17, v7, a6
        vsmul.vx v18, v11, a6
        vsmul.vx v19, v15, a6
        vmadd.vx v3, t4, v1
        vmadd.vx v7, t4, v5
        vmadd.vx v11, t4, v9
        vmadd.vx v15, t4, v13
        vmacc.vx v3, t2, v16
        vmacc.vx v7, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v15, t2, v19
        vmadd.vx v1, t1, v3
        vmadd.vx v5, t1, v7
        vmadd.vx v9, t1, v11
        vmadd.vx v13, t1, v15
        # stride 64 backwards
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        vmadd.vx v4, t1, v0
        vmadd.vx v12, t1, v8
        lw      t3, 104(a7)
        lw      t6, 12(a7)
        vsmul.vx v16, v5, t3
        vsmul.vx v17, v13, t3
        vsmul.vx v18, v6, a6
        vsmul.vx v19, v14, a6
        vmadd.vx v5, t6, v1
        vmadd.vx v13, t6, v9
        vmadd.vx v6, t4, v2
        vmadd.vx v14, t4, v10
        vmacc.vx v5, t2, v16
        vmacc.vx v13, t2, v17
        vmacc.vx v6, t2, v18
        vmacc.vx v14, t2, v19
        vmadd.vx v1, t1, v5
        vmadd.vx v9, t1, v13
        vmadd.vx v2, t1, v6
        vmadd.vx v10, t1, v14
        lw      a3, 16(a7)
        vsmul.vx v16, v7, a5
        vsmul.vx v17, v15, a5
        vmadd.vx v7, a3, v3
        vmadd.vx v15, a3, v11
        vmacc.vx v7, t2, v16
        vmacc.vx v15, t2, v17
        vmadd.vx v3, t1, v7
        vmadd.vx v11, t1, v15
        # stride 128 backwards
        vadd.vv v0, v0, v8
        vmadd.vx v8, t1, v0
        lw      t5, 112(a7)
        lw      a4, 20(a7)
        lw      t0, 116(a7)
        lw      a6, 24(a7)
        lw      t4, 100(a7)
        lw      a5, 8(a7)
        vsmul.vx v16, v9, t5
        vsmul.vx v17, v10, t3
        vsmul.vx v18, v11, t0
        vsmul.vx v19, v12, t4
        vmadd.vx v9, a4, v1
        vmadd.vx v10, t6, v2
        vmadd.vx v11, a6, v3
        vmadd.vx v12, a5, v4
        vmacc.vx v9, t2, v16
        vmacc.vx v10, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v12, t2, v19
        vmadd.vx v1, t1, v9
        vmadd.vx v2, t1, v10
        vmadd.vx v3, t1, v11
        vmadd.vx v4, t1, v12
        lw      a3, 120(a7)
        lw      t5, 28(a7)
        lw      t3, 108(a7)
        lw      t0, 16(a7)
        lw      t4, 124(a7)
        lw      a4, 32(a7)
        vsmul.vx v16, v13, a3
        vsmul.vx v17, v14, t3
        vsmul.vx v18, v15, t4
        vmadd.vx v13, t5, v5
        vmadd.vx v14, t0, v6
        vmadd.vx v15, a4, v7
        vmacc.vx v13, t2, v16
        vmacc.vx v14, t2, v17
        vmacc.vx v15, t2, v18
        vmadd.vx v5, t1, v13
        vmadd.vx v6, t1, v14
        vmadd.vx v7, t1, v15
        # column 0: scales, and the factor 1/256
        lw      t6, 128(a7)
        lw      a6, 36(a7)
        lw      a5, 132(a7)
        lw      a3, 40(a7)
        lw      t3, 136(a7)
        lw      t4, 44(a7)
        lw      t5, 140(a7)
        lw      t0, 48(a7)
        vsmul.vx v16, v0, t6
        vsmul.vx v17, v1, a5
        vsmul.vx v18, v2, t3
        vsmul.vx v19, v3, t5
        vmul.vx v0, v0, a6
        vmul.vx v1, v1, a3
        vmul.vx v2, v2, t4
        vmul.vx v3, v3, t0
        vmacc.vx v0, t2, v16
        vmacc.vx v1, t2, v17
        vmacc.vx v2, t2, v18
        vmacc.vx v3, t2, v19
        lw      a4, 144(a7)
        lw      t1, 52(a7)
        lw      t6, 148(a7)
        lw      a5, 56(a7)
        lw      t3, 152(a7)
        lw      t5, 60(a7)
        lw      a6, 156(a7)
        lw      a3, 64(a7)
        vsmul.vx v20, v4, a4
        vsmul.vx v21, v5, t6
        vsmul.vx v22, v6, t3
        vsmul.vx v23, v7, a6
        vmul.vx v4, v4, t1
        vmul.vx v5, v5, a5
        vmul.vx v6, v6, t5
        vmul.vx v7, v7, a3
        vmacc.vx v4, t2, v20
        vmacc.vx v5, t2, v21
        vmacc.vx v6, t2, v22
        vmacc.vx v7, t2, v23
        lw      t4, 160(a7)
        lw      t0, 68(a7)
        lw      a4, 164(a7)
        lw      t6, 72(a7)
        lw      t3, 168(a7)
        lw      a6, 76(a7)
        lw      t1, 172(a7)
        lw      a5, 80(a7)
        vsmul.vx v24, v8, t4
        vsmul.vx v25, v9, a4
        vsmul.vx v26, v10, t3
        vsmul.vx v27, v11, t1
        vmul.vx v8, v8, t0
        vmul.vx v9, v9, t6
        vmul.vx v10, v10, a6
        vmul.vx v11, v11, a5
        vmacc.vx v8, t2, v24
        vmacc.vx v9, t2, v25
        vmacc.vx v10, t2, v26
        vmacc.vx v11, t2, v27
        lw      t5, 176(a7)
        lw      a3, 84(a7)
        lw      t4, 180(a7)
        lw      a4, 88(a7)
        lw      t3, 184(a7)
        lw      t1, 92(a7)
        lw      t0, 188(a7)
        lw      t6, 96(a7)
        vsmul.vx v28, v12, t5
        vsmul.vx v29, v13, t4
        vsmul.vx v30, v14, t3
        vsmul.vx v31, v15, t0
        vmul.vx v12, v12, a3
        vmul.vx v13, v13, a4
        vmul.vx v14, v14, t1
        vmul.vx v15, v15, t6
        vmacc.vx v12, t2, v28
        vmacc.vx v13, t2, v29
        vmacc.vx v14, t2, v30
        vmacc.vx v15, t2, v31
        phase PHASE_CANONICAL
        li      a6, 32
        vsetvli zero, a6, e32, m8, ta, ma
        lw      a5, 4(a7)
        vadd.vx v16, v0, a5
        vminu.vv v0, v0, v16
        vadd.vx v24, v8, a5
        vminu.vv v8, v8, v24
        phase PHASE_STORE
        addi    a1, a0, 0
        vs1r.v  v0, (a1)
        addi    a2, a0, 64
        vs1r.v  v1, (a2)
        addi    a1, a0, 128
        vs1r.v  v2, (a1)
        addi    a2, a0, 192
        vs1r.v  v3, (a2)
        addi    a1, a0, 256
        vs1r.v  v4, (a1)
        addi    a2, a0, 320
        vs1r.v  v5, (a2)
        addi    a1, a0, 384
        vs1r.v  v6, (a1)
        addi    a2, a0, 448
        vs1r.v  v7, (a2)
        addi    a1, a0, 512
        vs1r.v  v8, (a1)
        addi    a2, a0, 576
        vs1r.v  v9, (a2)
        addi    a1, a0, 640
        vs1r.v  v10, (a1)
        addi    a2, a0, 704
        vs1r.v  v11, (a2)
        addi    a1, a0, 768
        vs1r.v  v12, (a1)
        addi    a2, a0, 832
        vs1r.v  v13, (a2)
        addi    a1, a0, 896
        vs1r.v  v14, (a1)
        addi    a2, a0, 960
        vs1r.v  v15, (a2)
        phase PHASE_LOAD
        # column 1: coefficients 4 to 7 of each block of 16
        vsetivli zero, 4, e32, m1, ta, ma
        addi    a1, sp, 64
        vlseg4e32.v v0, (a1)
        addi    a2, sp, 320
        vlseg4e32.v v4, (a2)
        addi    a1, sp, 576
        vlseg4e32.v v8, (a1)
        addi    a2, sp, 832
        vlseg4e32.v v12, (a2)
        phase PHASE_INVERSE
        # stride 16 backwards
        vadd.vv v0, v0, v1
        vadd.vv v2, v2, v3
        vadd.vv v4, v4, v5
        vadd.vv v6, v6, v7
        vadd.vv v8, v8, v9
        vadd.vv v10, v10, v11
        vadd.vv v12, v12, v13
        vadd.vv v14, v14, v15
        li      t5, -2
        vmadd.vx v1, t5, v0
        vmadd.vx v3, t5, v2
        vmadd.vx v5, t5, v4
        vmadd.vx v7, t5, v6
        vmadd.vx v9, t5, v8
        vmadd.vx v11, t5, v10
        vmadd.vx v13, t5, v12
        vmadd.vx v15, t5, v14
        # stride 32 backwards
        vadd.vv v0, v0, v2
        vadd.vv v4, v4, v6
        vadd.vv v8, v8, v10
        vadd.vv v12, v12, v14
        vmadd.vx v2, t5, v0
        vmadd.vx v6, t5, v4
        vmadd.vx v10, t5, v8
        vmadd.vx v14, t5, v12
        lw      t4, 100(a7)
        lw      t3, 8(a7)
        vsmul.vx v16, v3, t4
        vsmul.vx v17, v7, t4
        vsmul.vx v18, v11, t4
        vsmul.vx v19, v15, t4
        vmadd.vx v3, t3, v1
        vmadd.vx v7, t3, v5
        vmadd.vx v11, t3, v9
        vmadd.vx v15, t3, v13
        vmacc.vx v3, t2, v16
        vmacc.vx v7, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v15, t2, v19
        vmadd.vx v1, t5, v3
        vmadd.vx v5, t5, v7
        vmadd.vx v9, t5, v11
        vmadd.vx v13, t5, v15
        # stride 64 backwards
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        vmadd.vx v4, t5, v0
        vmadd.vx v12, t5, v8
        lw      t0, 104(a7)
        lw      a3, 12(a7)
        vsmul.vx v16, v5, t0
        vsmul.vx v17, v13, t0
        vsmul.vx v18, v6, t4
        vsmul.vx v19, v14, t4
        vmadd.vx v5, a3, v1
        vmadd.vx v13, a3, v9
        vmadd.vx v6, t3, v2
        vmadd.vx v14, t3, v10
        vmacc.vx v5, t2, v16
        vmacc.vx v13, t2, v17
        vmacc.vx v6, t2, v18
        vmacc.vx v14, t2, v19
        vmadd.vx v1, t5, v5
        vmadd.vx v9, t5, v13
        vmadd.vx v2, t5, v6
        vmadd.vx v10, t5, v14
        lw      a4, 108(a7)
        lw      t1, 16(a7)
        vsmul.vx v16, v7, a4
        vsmul.vx v17, v15, a4
        vmadd.vx v7, t1, v3
        vmadd.vx v15, t1, v11
        vmacc.vx v7, t2, v16
        vmacc.vx v15, t2, v17
        vmadd.vx v3, t5, v7
        vmadd.vx v11, t5, v15
        # stride 128 backwards
        vadd.vv v0, v0, v8
        vmadd.vx v8, t5, v0
        lw      t6, 112(a7)
        lw      a6, 20(a7)
        lw      a5, 116(a7)
        lw      t4, 24(a7)
        lw      t3, 100(a7)
        lw      a4, 8(a7)
        vsmul.vx v16, v9, t6
        vsmul.vx v17, v10, t0
        vsmul.vx v18, v11, a5
        vsmul.vx v19, v12, t3
        vmadd.vx v9, a6, v1
        vmadd.vx v10, a3, v2
        vmadd.vx v11, t4, v3
        vmadd.vx v12, a4, v4
        vmacc.vx v9, t2, v16
        vmacc.vx v10, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v12, t2, v19
        vmadd.vx v1, t5, v9
        vmadd.vx v2, t5, v10
        vmadd.vx v3, t5, v11
        vmadd.vx v4, t5, v12
        lw      t1, 120(a7)
        lw      t6, 28(a7)
        lw      t0, 108(a7)
        lw      a5, 16(a7)
        lw      t3, 124(a7)
        lw      a6, 32(a7)
        vsmul.vx v16, v13, t1
        vsmul.vx v17, v14, t0
        vsmul.vx v18, v15, t3
        vmadd.vx v13, t6, v5
        vmadd.vx v14, a5, v6
        vmadd.vx v15, a6, v7
        vmacc.vx v13, t2, v16
        vmacc.vx v14, t2, v17
        vmacc.vx v15, t2, v18
        vmadd.vx v5, t5, v13
        vmadd.vx v6, t5, v14
        vmadd.vx v7, t5, v15
        # column 1: scales, and the factor 1/256
        lw      a3, 128(a7)
        lw      t4, 36(a7)
        lw      a4, 132(a7)
        lw      t1, 40(a7)
        lw      t0, 136(a7)
        lw      t3, 44(a7)
        lw      t6, 140(a7)
        lw      a5, 48(a7)
        vsmul.vx v16, v0, a3
        vsmul.vx v17, v1, a4
        vsmul.vx v18, v2, t0
        vsmul.vx v19, v3, t6
        vmul.vx v0, v0, t4
        vmul.vx v1, v1, t1
        vmul.vx v2, v2, t3
        vmul.vx v3, v3, a5
        vmacc.vx v0, t2, v16
        vmacc.vx v1, t2, v17
        vmacc.vx v2, t2, v18
        vmacc.vx v3, t2, v19
        lw      a6, 144(a7)
        lw      t5, 52(a7)
        lw      a3, 148(a7)
        lw      a4, 56(a7)
        lw      t0, 152(a7)
        lw      t6, 60(a7)
        lw      t4, 156(a7)
        lw      t1, 64(a7)
        vsmul.vx v20, v4, a6
        vsmul.vx v21, v5, a3
        vsmul.vx v22, v6, t0
        vsmul.vx v23, v7, t4
        vmul.vx v4, v4, t5
        vmul.vx v5, v5, a4
        vmul.vx v6, v6, t6
        vmul.vx v7, v7, t1
        vmacc.vx v4, t2, v20
        vmacc.vx v5, t2, v21
        vmacc.vx v6, t2, v22
        vmacc.vx v7, t2, v23
        lw      t3, 160(a7)
        lw      a5, 68(a7)
        lw      a6, 164(a7)
        lw      a3, 72(a7)
        lw      t0, 168(a7)
        lw      t4, 76(a7)
        lw      t5, 172(a7)
        lw      a4, 80(a7)
        vsmul.vx v24, v8, t3
        vsmul.vx v25, v9, a6
        vsmul.vx v26, v10, t0
        vsmul.vx v27, v11, t5
        vmul.vx v8, v8, a5
        vmul.vx v9, v9, a3
        vmul.vx v10, v10, t4
        vmul.vx v11, v11, a4
        vmacc.vx v8, t2, v24
        vmacc.vx v9, t2, v25
        vmacc.vx v10, t2, v26
        vmacc.vx v11, t2, v27
        lw      t6, 176(a7)
        lw      t1, 84(a7)
        lw      t3, 180(a7)
        lw      a6, 88(a7)
        lw      t0, 184(a7)
        lw      t5, 92(a7)
        lw      a5, 188(a7)
        lw      a3, 96(a7)
        vsmul.vx v28, v12, t6
        vsmul.vx v29, v13, t3
        vsmul.vx v30, v14, t0
        vsmul.vx v31, v15, a5
        vmul.vx v12, v12, t1
        vmul.vx v13, v13, a6
        vmul.vx v14, v14, t5
        vmul.vx v15, v15, a3
        vmacc.vx v12, t2, v28
        vmacc.vx v13, t2, v29
        vmacc.vx v14, t2, v30
        vmacc.vx v15, t2, v31
        phase PHASE_CANONICAL
        li      t4, 32
        vsetvli zero, t4, e32, m8, ta, ma
        lw      a4, 4(a7)
        vadd.vx v16, v0, a4
        vminu.vv v0, v0, v16
        vadd.vx v24, v8, a4
        vminu.vv v8, v8, v24
        phase PHASE_STORE
        addi    a1, a0, 16
        vs1r.v  v0, (a1)
        addi    a2, a0, 80
        vs1r.v  v1, (a2)
        addi    a1, a0, 144
        vs1r.v  v2, (a1)
        addi    a2, a0, 208
        vs1r.v  v3, (a2)
        addi    a1, a0, 272
        vs1r.v  v4, (a1)
        addi    a2, a0, 336
        vs1r.v  v5, (a2)
        addi    a1, a0, 400
        vs1r.v  v6, (a1)
        addi    a2, a0, 464
        vs1r.v  v7, (a2)
        addi    a1, a0, 528
        vs1r.v  v8, (a1)
        addi    a2, a0, 592
        vs1r.v  v9, (a2)
        addi    a1, a0, 656
        vs1r.v  v10, (a1)
        addi    a2, a0, 720
        vs1r.v  v11, (a2)
        addi    a1, a0, 784
        vs1r.v  v12, (a1)
        addi    a2, a0, 848
        vs1r.v  v13, (a2)
        addi    a1, a0, 912
        vs1r.v  v14, (a1)
        addi    a2, a0, 976
        vs1r.v  v15, (a2)
        phase PHASE_LOAD
        # column 2: coefficients 8 to 11 of each block of 16
        vsetivli zero, 4, e32, m1, ta, ma
        addi    a1, sp, 128
        vlseg4e32.v v0, (a1)
        addi    a2, sp, 384
        vlseg4e32.v v4, (a2)
        addi    a1, sp, 640
        vlseg4e32.v v8, (a1)
        addi    a2, sp, 896
        vlseg4e32.v v12, (a2)
        phase PHASE_INVERSE
        # stride 16 backwards
        vadd.vv v0, v0, v1
        vadd.vv v2, v2, v3
        vadd.vv v4, v4, v5
        vadd.vv v6, v6, v7
        vadd.vv v8, v8, v9
        vadd.vv v10, v10, v11
        vadd.vv v12, v12, v13
        vadd.vv v14, v14, v15
        li      t6, -2
        vmadd.vx v1, t6, v0
        vmadd.vx v3, t6, v2
        vmadd.vx v5, t6, v4
        vmadd.vx v7, t6, v6
        vmadd.vx v9, t6, v8
        vmadd.vx v11, t6, v10
        vmadd.vx v13, t6, v12
        vmadd.vx v15, t6, v14
        # stride 32 backwards
        vadd.vv v0, v0, v2
        vadd.vv v4, v4, v6
        vadd.vv v8, v8, v10
        vadd.vv v12, v12, v14
        vmadd.vx v2, t6, v0
        vmadd.vx v6, t6, v4
        vmadd.vx v10, t6, v8
        vmadd.vx v14, t6, v12
        lw      t3, 100(a7)
        lw      t0, 8(a7)
        vsmul.vx v16, v3, t3
        vsmul.vx v17, v7, t3
        vsmul.vx v18, v11, t3
        vsmul.vx v19, v15, t3
        vmadd.vx v3, t0, v1
        vmadd.vx v7, t0, v5
        vmadd.vx v11, t0, v9
        vmadd.vx v15, t0, v13
        vmacc.vx v3, t2, v16
        vmacc.vx v7, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v15, t2, v19
        vmadd.vx v1, t6, v3
        vmadd.vx v5, t6, v7
        vmadd.vx v9, t6, v11
        vmadd.vx v13, t6, v15
        # stride 64 backwards
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        vmadd.vx v4, t6, v0
        vmadd.vx v12, t6, v8
        lw      a5, 104(a7)
        lw      t1, 12(a7)
        vsmul.vx v16, v5, a5
        vsmul.vx v17, v13, a5
        vsmul.vx v18, v6, t3
        vsmul.vx v19, v14, t3
        vmadd.vx v5, t1, v1
        vmadd.vx v13, t1, v9
        vmadd.vx v6, t0, v2
        vmadd.vx v14, t0, v10
        vmacc.vx v5, t2, v16
        vmacc.vx v13, t2, v17
        vmacc.vx v6, t2, v18
        vmacc.vx v14, t2, v19
        vmadd.vx v1, t6, v5
        vmadd.vx v9, t6, v13
        vmadd.vx v2, t6, v6
        vmadd.vx v10, t6, v14
        lw      a6, 108(a7)
        lw      t5, 16(a7)
        vsmul.vx v16, v7, a6
        vsmul.vx v17, v15, a6
        vmadd.vx v7, t5, v3
        vmadd.vx v15, t5, v11
        vmacc.vx v7, t2, v16
        vmacc.vx v15, t2, v17
        vmadd.vx v3, t6, v7
        vmadd.vx v11, t6, v15
        # stride 128 backwards
        vadd.vv v0, v0, v8
        vmadd.vx v8, t6, v0
        lw      a3, 112(a7)
        lw      t4, 20(a7)
        lw      a4, 116(a7)
        lw      t3, 24(a7)
        lw      t0, 100(a7)
        lw      a6, 8(a7)
        vsmul.vx v16, v9, a3
        vsmul.vx v17, v10, a5
        vsmul.vx v18, v11, a4
        vsmul.vx v19, v12, t0
        vmadd.vx v9, t4, v1
        vmadd.vx v10, t1, v2
        vmadd.vx v11, t3, v3
        vmadd.vx v12, a6, v4
        vmacc.vx v9, t2, v16
        vmacc.vx v10, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v12, t2, v19
        vmadd.vx v1, t6, v9
        vmadd.vx v2, t6, v10
        vmadd.vx v3, t6, v11
        vmadd.vx v4, t6, v12
        lw      t5, 120(a7)
        lw      a3, 28(a7)
        lw      a5, 108(a7)
        lw      a4, 16(a7)
        lw      t0, 124(a7)
        lw      t4, 32(a7)
        vsmul.vx v16, v13, t5
        vsmul.vx v17, v14, a5
        vsmul.vx v18, v15, t0
        vmadd.vx v13, a3, v5
        vmadd.vx v14, a4, v6
        vmadd.vx v15, t4, v7
        vmacc.vx v13, t2, v16
        vmacc.vx v14, t2, v17
        vmacc.vx v15, t2, v18
        vmadd.vx v5, t6, v13
        vmadd.vx v6, t6, v14
        vmadd.vx v7, t6, v15
        # column 2: scales, and the factor 1/256
        lw      t1, 128(a7)
        lw      t3, 36(a7)
        lw      a6, 132(a7)
        lw      t5, 40(a7)
        lw      a5, 136(a7)
        lw      t0, 44(a7)
        lw      a3, 140(a7)
        lw      a4, 48(a7)
        vsmul.vx v16, v0, t1
        vsmul.vx v17, v1, a6
        vsmul.vx v18, v2, a5
        vsmul.vx v19, v3, a3
        vmul.vx v0, v0, t3
        vmul.vx v1, v1, t5
        vmul.vx v2, v2, t0
        vmul.vx v3, v3, a4
        vmacc.vx v0, t2, v16
        vmacc.vx v1, t2, v17
        vmacc.vx v2, t2, v18
        vmacc.vx v3, t2, v19
        lw      t4, 144(a7)
        lw      t6, 52(a7)
        lw      t1, 148(a7)
        lw      a6, 56(a7)
        lw      a5, 152(a7)
        lw      a3, 60(a7)
        lw      t3, 156(a7)
        lw      t5, 64(a7)
        vsmul.vx v20, v4, t4
        vsmul.vx v21, v5, t1
        vsmul.vx v22, v6, a5
        vsmul.vx v23, v7, t3
        vmul.vx v4, v4, t6
        vmul.vx v5, v5, a6
        vmul.vx v6, v6, a3
        vmul.vx v7, v7, t5
        vmacc.vx v4, t2, v20
        vmacc.vx v5, t2, v21
        vmacc.vx v6, t2, v22
        vmacc.vx v7, t2, v23
        lw      t0, 160(a7)
        lw      a4, 68(a7)
        lw      t4, 164(a7)
        lw      t1, 72(a7)
        lw      a5, 168(a7)
        lw      t3, 76(a7)
        lw      t6, 172(a7)
        lw      a6, 80(a7)
        vsmul.vx v24, v8, t0
        vsmul.vx v25, v9, t4
        vsmul.vx v26, v10, a5
        vsmul.vx v27, v11, t6
        vmul.vx v8, v8, a4
        vmul.vx v9, v9, t1
        vmul.vx v10, v10, t3
        vmul.vx v11, v11, a6
        vmacc.vx v8, t2, v24
        vmacc.vx v9, t2, v25
        vmacc.vx v10, t2, v26
        vmacc.vx v11, t2, v27
        lw      a3, 176(a7)
        lw      t5, 84(a7)
        lw      t0, 180(a7)
        lw      t4, 88(a7)
        lw      a5, 184(a7)
        lw      t6, 92(a7)
        lw      a4, 188(a7)
        lw      t1, 96(a7)
        vsmul.vx v28, v12, a3
        vsmul.vx v29, v13, t0
        vsmul.vx v30, v14, a5
        vsmul.vx v31, v15, a4
        vmul.vx v12, v12, t5
        vmul.vx v13, v13, t4
        vmul.vx v14, v14, t6
        vmul.vx v15, v15, t1
        vmacc.vx v12, t2, v28
        vmacc.vx v13, t2, v29
        vmacc.vx v14, t2, v30
        vmacc.vx v15, t2, v31
        phase PHASE_CANONICAL
        li      t3, 32
        vsetvli zero, t3, e32, m8, ta, ma
        lw      a6, 4(a7)
        vadd.vx v16, v0, a6
        vminu.vv v0, v0, v16
        vadd.vx v24, v8, a6
        vminu.vv v8, v8, v24
        phase PHASE_STORE
        addi    a1, a0, 32
        vs1r.v  v0, (a1)
        addi    a2, a0, 96
        vs1r.v  v1, (a2)
        addi    a1, a0, 160
        vs1r.v  v2, (a1)
        addi    a2, a0, 224
        vs1r.v  v3, (a2)
        addi    a1, a0, 288
        vs1r.v  v4, (a1)
        addi    a2, a0, 352
        vs1r.v  v5, (a2)
        addi    a1, a0, 416
        vs1r.v  v6, (a1)
        addi    a2, a0, 480
        vs1r.v  v7, (a2)
        addi    a1, a0, 544
        vs1r.v  v8, (a1)
        addi    a2, a0, 608
        vs1r.v  v9, (a2)
        addi    a1, a0, 672
        vs1r.v  v10, (a1)
        addi    a2, a0, 736
        vs1r.v  v11, (a2)
        addi    a1, a0, 800
        vs1r.v  v12, (a1)
        addi    a2, a0, 864
        vs1r.v  v13, (a2)
        addi    a1, a0, 928
        vs1r.v  v14, (a1)
        addi    a2, a0, 992
        vs1r.v  v15, (a2)
        phase PHASE_LOAD
        # column 3: coefficients 12 to 15 of each block of 16
        vsetivli zero, 4, e32, m1, ta, ma
        addi    a1, sp, 192
        vlseg4e32.v v0, (a1)
        addi    a2, sp, 448
        vlseg4e32.v v4, (a2)
        addi    a1, sp, 704
        vlseg4e32.v v8, (a1)
        addi    a2, sp, 960
        vlseg4e32.v v12, (a2)
        phase PHASE_INVERSE
        # stride 16 backwards
        vadd.vv v0, v0, v1
        vadd.vv v2, v2, v3
        vadd.vv v4, v4, v5
        vadd.vv v6, v6, v7
        vadd.vv v8, v8, v9
        vadd.vv v10, v10, v11
        vadd.vv v12, v12, v13
        vadd.vv v14, v14, v15
        li      a3, -2
        vmadd.vx v1, a3, v0
        vmadd.vx v3, a3, v2
        vmadd.vx v5, a3, v4
        vmadd.vx v7, a3, v6
        vmadd.vx v9, a3, v8
        vmadd.vx v11, a3, v10
        vmadd.vx v13, a3, v12
        vmadd.vx v15, a3, v14
        # stride 32 backwards
        vadd.vv v0, v0, v2
        vadd.vv v4, v4, v6
        vadd.vv v8, v8, v10
        vadd.vv v12, v12, v14
        vmadd.vx v2, a3, v0
        vmadd.vx v6, a3, v4
        vmadd.vx v10, a3, v8
        vmadd.vx v14, a3, v12
        lw      t0, 100(a7)
        lw      a5, 8(a7)
        vsmul.vx v16, v3, t0
        vsmul.vx v17, v7, t0
        vsmul.vx v18, v11, t0
        vsmul.vx v19, v15, t0
        vmadd.vx v3, a5, v1
        vmadd.vx v7, a5, v5
        vmadd.vx v11, a5, v9
        vmadd.vx v15, a5, v13
        vmacc.vx v3, t2, v16
        vmacc.vx v7, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v15, t2, v19
        vmadd.vx v1, a3, v3
        vmadd.vx v5, a3, v7
        vmadd.vx v9, a3, v11
        vmadd.vx v13, a3, v15
        # stride 64 backwards
        vadd.vv v0, v0, v4
        vadd.vv v8, v8, v12
        vmadd.vx v4, a3, v0
        vmadd.vx v12, a3, v8
        lw      a4, 104(a7)
        lw      t5, 12(a7)
        vsmul.vx v16, v5, a4
        vsmul.vx v17, v13, a4
        vsmul.vx v18, v6, t0
        vsmul.vx v19, v14, t0
        vmadd.vx v5, t5, v1
        vmadd.vx v13, t5, v9
        vmadd.vx v6, a5, v2
        vmadd.vx v14, a5, v10
        vmacc.vx v5, t2, v16
        vmacc.vx v13, t2, v17
        vmacc.vx v6, t2, v18
        vmacc.vx v14, t2, v19
        vmadd.vx v1, a3, v5
        vmadd.vx v9, a3, v13
        vmadd.vx v2, a3, v6
        vmadd.vx v10, a3, v14
        lw      t4, 108(a7)
        lw      t6, 16(a7)
        vsmul.vx v16, v7, t4
        vsmul.vx v17, v15, t4
        vmadd.vx v7, t6, v3
        vmadd.vx v15, t6, v11
        vmacc.vx v7, t2, v16
        vmacc.vx v15, t2, v17
        vmadd.vx v3, a3, v7
        vmadd.vx v11, a3, v15
        # stride 128 backwards
        vadd.vv v0, v0, v8
        vmadd.vx v8, a3, v0
        lw      t1, 112(a7)
        lw      t3, 20(a7)
        lw      a6, 116(a7)
        lw      t0, 24(a7)
        lw      a5, 100(a7)
        lw      t4, 8(a7)
        vsmul.vx v16, v9, t1
        vsmul.vx v17, v10, a4
        vsmul.vx v18, v11, a6
        vsmul.vx v19, v12, a5
        vmadd.vx v9, t3, v1
        vmadd.vx v10, t5, v2
        vmadd.vx v11, t0, v3
        vmadd.vx v12, t4, v4
        vmacc.vx v9, t2, v16
        vmacc.vx v10, t2, v17
        vmacc.vx v11, t2, v18
        vmacc.vx v12, t2, v19
        vmadd.vx v1, a3, v9
        vmadd.vx v2, a3, v10
        vmadd.vx v3, a3, v11
        vmadd.vx v4, a3, v12
        lw      t6, 120(a7)
        lw      t1, 28(a7)
        lw      a4, 108(a7)
        lw      a6, 16(a7)
        lw      a5, 124(a7)
        lw      t3, 32(a7)
        vsmul.vx v16, v13, t6
        vsmul.vx v17, v14, a4
        vsmul.vx v18, v15, a5
        vmadd.vx v13, t1, v5
        vmadd.vx v14, a6, v6
        vmadd.vx v15, t3, v7
        vmacc.vx v13, t2, v16
        vmacc.vx v14, t2, v17
        vmacc.vx v15, t2, v18
        vmadd.vx v5, a3, v13
        vmadd.vx v6, a3, v14
        vmadd.vx v7, a3, v15
        # column 3: scales, and the factor 1/256
        lw      t5, 128(a7)
        lw      t0, 36(a7)
        lw      t4, 132(a7)
        lw      t6, 40(a7)
        lw      a4, 136(a7)
        lw      a5, 44(a7)
        lw      t1, 140(a7)
        lw      a6, 48(a7)
        vsmul.vx v16, v0, t5
        vsmul.vx v17, v1, t4
        vsmul.vx v18, v2, a4
        vsmul.vx v19, v3, t1
        vmul.vx v0, v0, t0
        vmul.vx v1, v1, t6
        vmul.vx v2, v2, a5
        vmul.vx v3, v3, a6
        vmacc.vx v0, t2, v16
        vmacc.vx v1, t2, v17
        vmacc.vx v2, t2, v18
        vmacc.vx v3, t2, v19
        lw      t3, 144(a7)
        lw      a3, 52(a7)
        lw      t5, 148(a7)
        lw      t4, 56(a7)
        lw      a4, 152(a7)
        lw      t1, 60(a7)
        lw      t0, 156(a7)
        lw      t6, 64(a7)
        vsmul.vx v20, v4, t3
        vsmul.vx v21, v5, t5
        vsmul.vx v22, v6, a4
        vsmul.vx v23, v7, t0
        vmul.vx v4, v4, a3
        vmul.vx v5, v5, t4
        vmul.vx v6, v6, t1
        vmul.vx v7, v7, t6
        vmacc.vx v4, t2, v20
        vmacc.vx v5, t2, v21
        vmacc.vx v6, t2, v22
        vmacc.vx v7, t2, v23
        lw      a5, 160(a7)
        lw      a6, 68(a7)
        lw      t3, 164(a7)
        lw      t5, 72(a7)
        lw      a4, 168(a7)
        lw      t0, 76(a7)
        lw      a3, 172(a7)
        lw      t4, 80(a7)
        vsmul.vx v24, v8, a5
        vsmul.vx v25, v9, t3
        vsmul.vx v26, v10, a4
        vsmul.vx v27, v11, a3
        vmul.vx v8, v8, a6
        vmul.vx v9, v9, t5
        vmul.vx v10, v10, t0
        vmul.vx v11, v11, t4
        vmacc.vx v8, t2, v24
        vmacc.vx v9, t2, v25
        vmacc.vx v10, t2, v26
        vmacc.vx v11, t2, v27
        lw      t1, 176(a7)
        lw      t6, 84(a7)
        lw      a5, 180(a7)
        lw      t3, 88(a7)
        lw      a4, 184(a7)
        lw      a3, 92(a7)
        lw      a6, 188(a7)
        lw      t5, 96(a7)
        vsmul.vx v28, v12, t1
        vsmul.vx v29, v13, a5
        vsmul.vx v30, v14, a4
        vsmul.vx v31, v15, a6
        vmul.vx v12, v12, t6
        vmul.vx v13, v13, t3
        vmul.vx v14, v14, a3
        vmul.vx v15, v15, t5
        vmacc.vx v12, t2, v28
        vmacc.vx v13, t2, v29
        vmacc.vx v14, t2, v30
        vmacc.vx v15, t2, v31
        phase PHASE_CANONICAL
        li      t0, 32
        vsetvli zero, t0, e32, m8, ta, ma
        lw      t4, 4(a7)
        vadd.vx v16, v0, t4
        vminu.vv v0, v0, v16
        vadd.vx v24, v8, t4
        vminu.vv v8, v8, v24
        phase PHASE_STORE
        addi    a1, a0, 48
        vs1r.v  v0, (a1)
        addi    a2, a0, 112
        vs1r.v  v1, (a2)
        addi    a1, a0, 176
        vs1r.v  v2, (a1)
        addi    a2, a0, 240
        vs1r.v  v3, (a2)
        addi    a1, a0, 304
        vs1r.v  v4, (a1)
        addi    a2, a0, 368
        vs1r.v  v5, (a2)
        addi    a1, a0, 432
        vs1r.v  v6, (a1)
        addi    a2, a0, 496
        vs1r.v  v7, (a2)
        addi    a1, a0, 560
        vs1r.v  v8, (a1)
        addi    a2, a0, 624
        vs1r.v  v9, (a2)
        addi    a1, a0, 688
        vs1r.v  v10, (a1)
        addi    a2, a0, 752
        vs1r.v  v11, (a2)
        addi    a1, a0, 816
        vs1r.v  v12, (a1)
        addi    a2, a0, 880
        vs1r.v  v13, (a2)
        addi    a1, a0, 944
        vs1r.v  v14, (a1)
        addi    a2, a0, 1008
        vs1r.v  v15, (a2)
        addi    sp, sp, 1024
        ret
        .size   parcrypt_mldsa_inverse_vlen128, . - parcrypt_mldsa_inverse_vlen128
        .option pop

        .section .rodata
        .balign 16
1:
        .word   -8380417, 8380417, -3572223, 3761513, 3765607, -3201430, -2883726, -3145678
        .word   -3201494, -32736, 1861182, 3482522, -924928, -3422587, 2393655, -3743169
        .word   1421486, 46690, -3603138, -1649088, 2629358, 3357099, 4106707, 1387418
        .word   -2714738, -915382907, 963888510, 964937599, -820367122, -738955404, -806080660, -820383522
        .word   -8388607, 476928285, 892397007, -237012998, -877038651, 613374606, -959187857, 364256091
        .word   11964322, -923304883, -422579153, 673773550, 860257337, 1052344547, 355526159, -695652193
        .word   -731434, -392707, -1514152, -770441, -1744507, 2354215, 459163, 2778788
        .word   2178965, -2513018, 3180456, -2642980, 1858416, 1853806, 3870317, 3192354
        .word   -187430119, -100631253, -388001774, -197425671, -447030292, 603268097, 117660617, 712065019
        .word   558360247, -643961400, 814992530, -677264190, 476219497, 475038184, 991769559, 818041395
        .word   3369273, -4148469, 1393159, -2105286, 3258457, -3488383, -2962264, 2462444
        .word   -2455377, 822541, -1455890, 636927, -2283733, -2815639, 3585098, 642628
        .word   863376927, -1063046068, 356997292, -539479988, 834980303, -893898890, -759080783, 631001801
        .word   -629190881, 210776307, -373072124, 163212680, -585207070, -721508096, 918682129, 164673562
        .word   1514152, -545376, 1716814, 303005, 3374250, 3035980, -4182915, -2579253
        .word   -12417, 2192938, -1921994, 2218467, -2156050, -2071829, -928749, -3506380
        .word   388001774, -139752717, 439933955, 77645096, 864652284, 777970524, -1071872863, -660934133
        .word   -3181859, 561940831, -492511373, 568482643, -552488273, -530906624, -237992130, -898510625
        .word   -1834526, 586241, -338420, -2028038, -4158088, -2508980, -1277625, -3222807
        .word   3716946, -1753, 250446, 822541, -470097680, 150224382, -86720197, -519685171
        .word   -1065510939, -642926661, -327391679, -825844983, 952468207, -449207, 64176841, 210776307
        .word   -3369273, -4022750, -1834526, -2743411, -3374250, -621164, 2362063, 2254727
        .word   3716946, 1455890, 3768948, -1596822, -3950053, -1935799, -3574466, 1759347
        .word   -863376927, -1030830548, -470097680, -702999655, -864652284, -159173408, 605279149, 577774276
        .word   952468207, 373072124, 965793731, -409185979, -1012201926, -496048908, -915957677, 450833045
        .word   770441, 1103344, 781875, -2926054, -274060, 1277625, -2983781, 1937570
        .word   -3472069, -1310261, -3611750, 3195676, -1460718, -2453983, -1714295, 3227876
        .word   197425671, 282732136, 200355636, -749801963, -70227934, 327391679, -764594519, 496502727
        .word   -889718424, -335754661, -925511710, 818892658, -374309300, -628833668, -439288460, 827143915
        .word   1393159, 2374402, 338420, -3369273, -2778788, -3467665, -2236726, 2354215
        .word   -2454145, -1685153, -3284915, 1455890, 3586446, -3602218, -3704823, 2101410
        .word   356997292, 608441020, 86720197, -863376927, -712065019, -888589898, -573161516, 603268097
        .word   -628875181, -431820817, -841760171, 373072124, 919027554, -923069133, -949361686, 538486762
        .word   -781875, 392707, 508145, 11879, -235407, -3197248, -1148858, 2462444
        .word   -2642980, -1727088, -2039144, -89301, -200355636, 100631253, 130212265, 3043996
        .word   -60323094, -819295484, -294395108, 631001801, -677264190, -442566669, -522531086, -22883400
        .word   -2178965, -2218467, -12417, -3180456, -3258457, 3197248, 3334383, 2962264
        .word   1514152, -3020393, 3773731, 1716814, 2156050, -4018989, -3506380, 928749
        .word   -558360247, -568482643, -3181859, -814992530, -834980303, 819295484, 854436357, 759080783
        .word   388001774, -773976352, 967019376, 439933955, 552488273, -1029866791, -898510625, 237992130
        .word   3716946, 1780227, 2454145, 250446, -459163, -2775755, -1922253, 1011223
        .word   -4022750, 1163598, -1187885, -2374402, 1335936, -676590, 434125, 3524442
        .word   952468207, 456183549, 628875181, 64176841, -117660617, -711287812, -492577742, 259126110
        .word   -1030830548, 298172236, -304395785, -608441020, 342333886, -173376332, 111244624, 903139016
        .word   3180456, -1239911, 1921994, -2998219, -274060, -2635473, 2028118, -4158088
        .word   -3773731, -3014420, -11879, 553718, -3870317, 2897314, -3345963, 1853806
        .word   814992530, -317727459, 492511373, -768294260, -70227934, -675340520, 519705671, -1065510939
        .word   -967019376, -772445769, -3043996, 141890356, -991769559, 742437332, -857403734, 475038184
        .word   -3768948, -27812, -3284915, 1780227, -621164, 3374250, 1300016, 1787943
        .word   1393159, -2743411, 1615530, 749577, -965793731, -7126831, -841760171, 456183549
        .word   -159173408, 864652284, 333129378, 458160776, 356997292, -702999655, 413979908, 192079267
        .word   -2455377, -3759465, -3716946, 2772600, -4158088, 3815725, 274060, -3852015
        .word   4022750, -2028038, 1393159, 1179613, 1159875, 2101410, -3586446, 3182878
        .word   -629190881, -963363710, -952468207, 710479343, -1065510939, 977780347, 70227934, -987079667
        .word   1030830548, -519685171, 356997292, 302276083, 297218217, 538486762, -919027554, 815613168
        .word   3472069, -141835, -2642980, 268456, 621164, 2925816, -4182915, -2391089
        .word   -2193087, -3974485, -1103344, 3363542, 1674615, -2663378, 4063053, 3370349
        .word   889718424, -36345249, -677264190, 68791907, 159173408, 749740976, -1071872863, -612717067
        .word   -561979013, -1018462631, -282732136, 861908357, 429120452, -682491182, 1041158200, 863652652
        .word   1455890, 3956745, 250446, -3759465, 235407, -4166425, 2462444, 2962264
        .word   -1187885, -1623354, -1615530, -4148469, 1935799, -3950053, 817536, 1759347
        .word   373072124, 1013916752, 64176841, -963363710, 60323094, -1067647297, 631001801, 759080783
        .word   -304395785, -415984810, -413979908, -1063046068, 496048908, -1012201926, 209493775, 450833045
        .word   -3611750, 3838479, 2039144, 1310261, 327848, -1922253, 3467665, 2683270
        .word   1103344, 214880, 303005, -3014420, -925511710, 983611064, 522531086, 335754661
        .word   84011120, -492577742, 888589898, 687588511, 282732136, 55063046, 77645096, -772445769
        .section .note.GNU-stack, "", @progbits
